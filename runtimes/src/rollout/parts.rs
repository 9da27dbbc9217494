//! What the fullest moment is made of, in the parts that every run has.

use memory_wall_core::{Bucket, Checked};

use super::{Moment, Rollout, Told, trainer};

/// Bytes of every part.
type Parts = [u128; Bucket::EACH.len()];

/// What each of [`Bucket::EACH`] takes of a GPU at the fullest moment, of a range its upper end: together they are that moment's total.
///
/// The reference and vLLM's weights count as weights, vLLM's pool as KV cache, the working space of its passes as activations, its graphs and what lies outside
/// PyTorch as overhead.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// What a moment's work takes beside logits, gradients and states are activations and gathered weights.
pub fn parts(trainer: &Checked, told: &Told, made: &Rollout) -> Parts {
    let held = made.peak();
    let mut parts = trainer::resting(trainer, told);
    let mut work = held.work.high;
    match held.moment {
        Moment::Step => {
            for (bucket, whole) in trainer::in_step(trainer, &made.logits) {
                let more = whole.saturating_sub(of(&parts, bucket));
                move_to(&mut parts, bucket, more, &mut work);
            }
        }
        Moment::LogProbs => move_to(&mut parts, Bucket::Logits, made.logits.scored, &mut work),
        Moment::Generate | Moment::Sync => {}
    }
    move_to(&mut parts, Bucket::Activations, u128::MAX, &mut work);
    let mut reference = held.reference.high;
    move_to(&mut parts, Bucket::Weights, u128::MAX, &mut reference);
    let mut vllm = held.vllm.high;
    if let Some(generator) = made.generator {
        let pool = generator.start.pool;
        let generates = held.moment == Moment::Generate;
        let awake = generates || !told.sleep;
        if awake || held.moment == Moment::Sync {
            move_to(&mut parts, Bucket::Weights, pool.weights.0, &mut vllm);
        }
        if awake {
            let room = if pool.pool.0 > 0 { pool.pool.magnitude().0 } else { 0 };
            move_to(&mut parts, Bucket::KvCache, room, &mut vllm);
        }
        if generates {
            move_to(&mut parts, Bucket::Activations, pool.activation.0, &mut vllm);
        }
    }
    move_to(&mut parts, Bucket::Overhead, u128::MAX, &mut vllm);
    parts
}

fn of(parts: &Parts, bucket: Bucket) -> u128 {
    parts.iter().zip(Bucket::EACH).find(|(_, kind)| *kind == bucket).map_or(0, |(bytes, _)| *bytes)
}

/// Counts so many bytes of what is left as a part, as far as there are so many.
fn move_to(parts: &mut Parts, bucket: Bucket, bytes: u128, left: &mut u128) {
    let bytes = bytes.min(*left);
    *left -= bytes;
    for (part, kind) in parts.iter_mut().zip(Bucket::EACH) {
        *part += if kind == bucket { bytes } else { 0 };
    }
}
