//! A run held against its GPU.

use super::peak::{Peak, total};
use super::stages::fullest;
use crate::checked::Checked;
use crate::engines::{self, Judgement};
use crate::solve;
use crate::units::{Bytes, SignedBytes};

choices! {
    /// Whether a scenario goes on its card.
    Verdict {
        /// With more than a tenth of the card to spare.
        Fits = "fits";
        /// By calculation, but with less to spare than an allocator was seen to lose to fragmentation.
        Tight = "tight";
        /// Not even by calculation.
        DoesNotFit = "does_not_fit";
    }
}

/// A scenario held against its card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Bytes that the card really offers, not the number printed on the box.
    pub capacity: Bytes,
    /// What the run may take in all: the capacity, or what a program that takes a share of it leaves to be taken.
    pub limit: Bytes,
    /// Capacity less the peak; negative is missing. Of a program that takes a share of the card, what is left of that share.
    pub margin: SignedBytes,
    /// The judgement.
    pub verdict: Verdict,
    /// Longest `seq_length` that still fits, 0 if none does, at most the bound of [`crate::bounds::SEQ_LENGTH`].
    pub max_seq: u32,
    /// Largest batch that still fits, 0 if none does, at most the bound of [`crate::bounds::BATCH`].
    pub max_batch: u32,
}

impl Fit {
    /// The run whose fullest rank this is and takes `total`, on a GPU of `capacity`.
    pub(super) fn of(rank: &Checked, capacity: Bytes, total: Bytes) -> Self {
        let Judgement { limit, margin, verdict } = engines::judge(rank, capacity, total);
        let max_seq = solve::max_seq_length(rank, limit).min(engines::longest_accepted(rank));
        let max_batch = solve::max_batch(rank, limit);
        Self { capacity, limit, margin, verdict, max_seq, max_batch }
    }
}

/// Below this share of the capacity a margin counts as tight. Of what PyTorch's allocator had reserved at the end of a
/// training step, 10 to 13% was measured to be free: a tenth covers most such runs, and not every one.
pub const TIGHT_PERCENT: u128 = 10;

/// What the scenario's own GPU makes of it; `None` without one.
pub fn verdict(scenario: &Checked) -> Option<Verdict> {
    let gpu = scenario.gpu?;
    let rank = fullest(scenario);
    Some(engines::judge(&rank, gpu.capacity, Peak::of(&rank).total).verdict)
}

/// Whether the scenario goes on a card of `capacity`, on every rank.
pub fn fits(scenario: &Checked, capacity: Bytes) -> bool {
    total(scenario) <= engines::limit(scenario, capacity)
}
