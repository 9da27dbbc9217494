//! What the fullest moment is made of, in the parts that every run has.

use memory_wall_core::{Bucket, Bytes, Checked};

use super::{Moment, Rollout, Told, trainer};

/// Bytes of every part, in the order of [`Bucket::EACH`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts(pub(super) [u128; Bucket::EACH.len()]);

impl Parts {
    /// What one of them takes.
    pub fn of(&self, bucket: Bucket) -> Bytes {
        Bytes(self.0.iter().zip(Bucket::EACH).filter(|(_, kind)| *kind == bucket).map(|(bytes, _)| *bytes).sum())
    }

    /// What all of them take.
    pub fn total(&self) -> Bytes {
        Bytes(self.0.iter().sum())
    }

    /// Counts so many bytes of what is left as a part, as far as there are so many.
    fn take(&mut self, bucket: Bucket, bytes: u128, left: &mut u128) {
        let bytes = bytes.min(*left);
        *left -= bytes;
        for (part, kind) in self.0.iter_mut().zip(Bucket::EACH) {
            *part += if kind == bucket { bytes } else { 0 };
        }
    }
}

/// What each part takes of a GPU at the fullest moment, of a range its upper end: together they are that moment's total.
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
    let mut parts = made.resting;
    let mut work = held.work.high;
    match held.moment {
        Moment::Step => {
            for (bucket, whole) in trainer::in_step(trainer, &made.logits) {
                let more = whole.saturating_sub(parts.of(bucket).0);
                parts.take(bucket, more, &mut work);
            }
        }
        Moment::LogProbs => parts.take(Bucket::Logits, made.logits.scored, &mut work),
        Moment::Generate | Moment::Sync => {}
    }
    parts.take(Bucket::Activations, u128::MAX, &mut work);
    let mut reference = held.reference.high;
    parts.take(Bucket::Weights, u128::MAX, &mut reference);
    let mut vllm = held.vllm.high;
    if let Some(generator) = made.generator {
        let pool = generator.start.pool;
        let generates = held.moment == Moment::Generate;
        let awake = generates || !told.sleep;
        if awake || held.moment == Moment::Sync {
            parts.take(Bucket::Weights, pool.weights.0, &mut vllm);
        }
        if awake {
            let room = if pool.pool.0 > 0 { pool.pool.magnitude().0 } else { 0 };
            parts.take(Bucket::KvCache, room, &mut vllm);
        }
        if generates {
            parts.take(Bucket::Activations, pool.activation.0, &mut vllm);
        }
    }
    parts.take(Bucket::Overhead, u128::MAX, &mut vllm);
    parts
}
