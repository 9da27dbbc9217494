//! Which technique shrinks which bucket: each tried on a fixed scenario, bucket by bucket.

use crate::advise::Mitigation;
use crate::checked::Checked;
use crate::memory::kinds::Kind;
use crate::memory::{Bucket, Phase};
use crate::scenario::{Attention, Mode, Scenario};
use crate::units::Bytes;
use crate::worked;

choices! {
    /// A technique that is tried.
    Technique {
        /// Weights in 4 bits.
        FourBitWeights = "4bit-weights";
        /// Keys and values in 8 bits.
        EightBitCache = "8bit-cache";
        /// Eight KV heads in place of 32: another model, not a setting.
        GroupedQueries = "gqa";
        /// A fused kernel that never writes the scores.
        FlashAttention = "flash";
        /// Only the input of each layer is kept.
        Checkpointing = "checkpointing";
        /// Logits of a few tokens at a time.
        ChunkedLoss = "chunked-loss";
        /// One sequence at a time, gradients added up.
        SmallerMicroBatch = "micro-batch";
        /// Moments in 8 bits.
        EightBitOptimizer = "8bit-optimizer";
        /// Thin matrices learn, the model is frozen.
        Lora = "lora";
        /// Weights, gradients and states shared out over eight GPUs.
        Sharding = "zero-3";
    }
}

/// The buckets that are asked about.
pub const ASKED: [Bucket; 6] =
    [Bucket::Weights, Bucket::KvCache, Bucket::Gradients, Bucket::Optimizer, Bucket::Activations, Bucket::Logits];

/// A change of at least this share counts.
pub const COUNTS: f64 = 0.01;

impl Technique {
    /// The fix of the ladder that it is, where it is one.
    const fn mitigation(self) -> Option<Mitigation> {
        Some(match self {
            Self::FourBitWeights => Mitigation::FourBitWeights,
            Self::EightBitCache => Mitigation::QuantizedCache,
            Self::GroupedQueries => return None,
            Self::FlashAttention => Mitigation::FlashAttention,
            Self::Checkpointing => Mitigation::FullCheckpointing,
            Self::ChunkedLoss => Mitigation::ChunkedLoss,
            Self::SmallerMicroBatch => Mitigation::SmallerMicroBatch,
            Self::EightBitOptimizer => Mitigation::EightBitOptimizer,
            Self::Lora => Mitigation::Lora,
            Self::Sharding => Mitigation::ZeroWeights,
        })
    }

    /// What it is tried on.
    pub const fn mode(self) -> Mode {
        match self {
            Self::FourBitWeights | Self::EightBitCache | Self::GroupedQueries => Mode::Inference,
            _ => Mode::Training,
        }
    }

    /// Before it: the textbook's 7B with four sequences of 4,096 tokens, in bf16, and in training with `AdamW` and separate attention kernels.
    pub const fn before(self) -> Scenario {
        Scenario {
            mode: self.mode(),
            batch: 4,
            seq_length: 4_096,
            attention: if self.mode().trains() { Attention::Eager } else { Attention::Flash },
            ..Scenario::new(Kind::MultiHead.shape())
        }
    }

    /// After it; `None` if it does not apply.
    pub fn after(self) -> Option<Checked> {
        let before = self.before().check().ok()?;
        match self.mitigation() {
            Some(mitigation) => mitigation.apply(&before).ok(),
            None => before.with(|it| it.architecture = Kind::Grouped.shape()).ok(),
        }
    }

    /// What is left of a bucket, as a share of what it was; `None` for a bucket that is empty.
    ///
    /// # Formula
    /// After ÷ before, each at the phase of the step at which that bucket is largest.
    ///
    /// # Units
    /// A ratio of bytes.
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::{Bucket, coping::Technique};
    /// assert_eq!(Technique::EightBitCache.left(Bucket::KvCache), Some(0.5));
    /// assert_eq!(Technique::EightBitCache.left(Bucket::Weights), Some(1.0));
    /// assert_eq!(Technique::EightBitCache.left(Bucket::Gradients), None);
    /// ```
    pub fn left(self, bucket: Bucket) -> Option<f64> {
        let before = largest(&self.before().check().ok()?, bucket);
        let after = largest(&self.after()?, bucket);
        (before > Bytes::ZERO).then(|| after.share_of(before))
    }

    /// Whether it makes a bucket smaller.
    pub fn shrinks(self, bucket: Bucket) -> bool {
        self.left(bucket).is_some_and(|left| left < 1.0 - COUNTS)
    }
}

/// The most that a bucket takes at any phase.
fn largest(scenario: &Checked, bucket: Bucket) -> Bytes {
    let phases = Phase::of(scenario.mode).iter();
    phases.map(|phase| worked::total(|sink| bucket.terms(scenario, *phase, sink))).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_technique_applies_and_shrinks_something() {
        for technique in Technique::ALL {
            assert!(technique.after().is_some(), "{}", technique.id());
            assert!(ASKED.iter().any(|bucket| technique.shrinks(*bucket)), "{}", technique.id());
        }
    }

    #[test]
    fn what_the_page_says() {
        // Weights, cache, gradients, optimizer, activations, logits.
        let shrunk = |technique: Technique| ASKED.map(|bucket| technique.shrinks(bucket));
        let only = |places: &[usize]| core::array::from_fn::<bool, 6, _>(|place| places.contains(&place));
        assert_eq!(shrunk(Technique::FourBitWeights), only(&[0]));
        assert_eq!(shrunk(Technique::EightBitCache), only(&[1]));
        assert_eq!(shrunk(Technique::GroupedQueries), only(&[0, 1]));
        assert_eq!(shrunk(Technique::FlashAttention), only(&[4]));
        assert_eq!(shrunk(Technique::Checkpointing), only(&[4]));
        assert_eq!(shrunk(Technique::ChunkedLoss), only(&[5]));
        assert_eq!(shrunk(Technique::SmallerMicroBatch), only(&[4, 5]));
        assert_eq!(shrunk(Technique::EightBitOptimizer), only(&[3]));
        assert_eq!(shrunk(Technique::Sharding), only(&[0, 2, 3]));
    }
}
