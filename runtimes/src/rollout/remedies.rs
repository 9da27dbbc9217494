//! How large a run may be, and what makes room for it.

use alloc::vec::Vec;

use memory_wall_core::bounds::{self, Bounds};
use memory_wall_core::{Checked, Checkpointing, Loss, Share, Verdict, ZeroStage, bisect};

use super::{Placed, Reference, Rollout, Told, added_up, rollout};

memory_wall_core::choices! {
    /// A change that makes room.
    Remedy {
        /// vLLM sleeps during the training step.
        Sleep = "sleep";
        /// vLLM gets the smallest share, in steps of 5%, with which it starts and runs as many requests as now.
        SmallerShare = "smaller_share";
        /// vLLM accepts no longer requests than these, so that its KV cache needs room for one of these alone.
        ShorterRequests = "shorter_requests";
        /// Full gradient checkpointing.
        Checkpointing = "checkpointing";
        /// Liger's loss.
        Liger = "liger";
        /// Weights, gradients and optimizer states are sharded.
        Zero3 = "zero3";
        /// No reference.
        NoReference = "no_reference";
        /// Half of the sequences at once, in twice as many micro-batches.
        HalfBatch = "half_batch";
        /// vLLM on other GPUs.
        Server = "server";
    }
}

impl Remedy {
    /// The run with it; nothing where it changes nothing.
    pub fn of(self, trainer: &Checked, told: &Told) -> Option<(Checked, Told)> {
        let colocated = told.placed == Placed::Colocate;
        let with = |change: &dyn Fn(&mut memory_wall_core::Scenario)| {
            trainer.with(|it| change(it)).ok().filter(|there| there != trainer).map(|there| (there, *told))
        };
        let tell = |there: Told| (there != *told).then_some((*trainer, there));
        match self {
            Self::Sleep if colocated => tell(Told { sleep: true, ..*told }),
            Self::SmallerShare if colocated => smallest_share(trainer, told),
            Self::ShorterRequests if colocated => {
                let longest = told.max_model_len.or(trainer.architecture.trained_context)?;
                let shorter = Told { max_model_len: Some(trainer.seq_length), ..*told };
                (longest > trainer.seq_length).then_some((*trainer, shorter))
            }
            Self::Checkpointing => with(&|it| it.checkpointing = Checkpointing::Full),
            Self::Liger => with(&|it| it.training.loss = Loss::Chunked),
            Self::Zero3 if trainer.parallel.dp > 1 => with(&|it| it.parallel.zero = ZeroStage::Weights),
            Self::NoReference => tell(Told { reference: Reference::None, ..*told }),
            Self::HalfBatch if trainer.batch.is_multiple_of(2) => {
                let (there, _) = with(&|it| {
                    it.batch /= 2;
                    it.training.micro_batches = it.training.micro_batches.saturating_mul(2);
                })?;
                let steps = told.steps_per_generation.map(|steps| steps.saturating_mul(2));
                Some((there, Told { steps_per_generation: steps, ..*told }))
            }
            Self::Sleep | Self::SmallerShare | Self::ShorterRequests | Self::Zero3 | Self::HalfBatch => None,
            Self::Server => tell(Told { placed: Placed::Server, sleep: false, ..*told }),
        }
    }
}

/// The smallest share with which vLLM starts and runs as many requests as it does now.
fn smallest_share(trainer: &Checked, told: &Told) -> Option<(Checked, Told)> {
    let held = |told: &Told| {
        let start = added_up(trainer, told).ok()?.generator?.start;
        start.refusal.is_none().then_some(start.requests.running)
    };
    let now = held(told)?;
    let smaller = (1..20).map(|step| Told { share: Share::percent(step * 5), ..*told });
    let there = smaller.take_while(|there| there.share < told.share).find(|there| held(there) == Some(now))?;
    Some((*trainer, there))
}

/// Every change that lowers the peak or betters the verdict, with the run that it makes: the best verdict first, of these the lowest peak.
pub fn remedies(trainer: &Checked, told: &Told) -> Vec<(Remedy, Told, Rollout)> {
    let Ok(now) = added_up(trainer, told) else { return Vec::new() };
    let rank = |made: &Rollout| (made.verdict.map(|verdict| verdict as u8), made.peak().total().high);
    let there = |remedy: &Remedy| {
        let (trainer, told) = remedy.of(trainer, told)?;
        let made = rollout(&trainer, &told).ok()?;
        let (verdict, peak) = rank(&made);
        (peak < rank(&now).1 || verdict < rank(&now).0).then_some((*remedy, told, made))
    };
    let mut all: Vec<_> = Remedy::ALL.iter().filter_map(there).collect();
    all.sort_by_key(|(_, _, made)| rank(made));
    all
}

/// The largest `batch` of a GPU that goes in; 0 if none does. Nothing without a GPU.
pub fn most_sequences(trainer: &Checked, told: &Told) -> Option<u32> {
    trainer.gpu?;
    Some(largest(bounds::BATCH, |batch| {
        let there = trainer.with(|it| it.batch = batch).ok()?;
        added_up(&there, told).ok()?.verdict
    }))
}

/// The longest completion behind the same prompt that goes in; 0 if none does. Nothing without a GPU.
pub fn longest_completion(trainer: &Checked, told: &Told) -> Option<u32> {
    trainer.gpu?;
    let prompt = trainer.seq_length.saturating_sub(told.completion);
    Some(largest(bounds::SEQ_LENGTH, |completion| {
        let there = trainer.with(|it| it.seq_length = prompt.saturating_add(completion)).ok()?;
        added_up(&there, &Told { completion, ..*told }).ok()?.verdict
    }))
}

fn largest(bounds: Bounds, verdict: impl Fn(u32) -> Option<Verdict>) -> u32 {
    let holds = |count| verdict(count).is_some_and(Verdict::holds);
    match (holds(1), holds(bounds.max)) {
        (false, _) => 0,
        (true, true) => bounds.max,
        (true, false) => bisect::last(1, bounds.max, holds),
    }
}
