//! The same training step cut over some GPUs in each of the plain ways: what a GPU holds, and what it sends.

use crate::checked::Checked;
use crate::communication;
use crate::memory;
use crate::parallelism::{Parallelism, ZeroStage};
use crate::scenario::Mode;
use crate::training::Implementation;
use crate::units::Bytes;

choices! {
    /// One way to use many GPUs.
    Scheme {
        /// Every GPU holds everything and sees other sequences.
        Data = "data";
        /// The same with the optimizer's states shared out.
        Zero1 = "zero1";
        /// And the gradients.
        Zero2 = "zero2";
        /// And the weights, as in FSDP.
        Zero3 = "zero3";
        /// Every matrix is shared out, and norms along the sequence.
        Tensor = "tensor";
        /// Every GPU holds some of the layers.
        Pipeline = "pipeline";
    }
}

impl Scheme {
    /// The scenario as a training step over so many GPUs; `None` where the model cannot be cut so.
    ///
    /// # Assumes
    /// Every way trains on the same tokens in a step, as many micro-batches as there are GPUs: data-parallel GPUs take one each, and where
    /// all GPUs share a micro-batch they take one after the other. A pipeline runs in code that has one: the scenario's own, otherwise
    /// Megatron-LM's, or torchtitan's where the stages do not divide the layers. Everything else is as in the scenario.
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::schemes::{Scheme, states};
    /// use memory_wall_core::{Scenario, tables::models};
    /// let model = Scenario::new(models::by_id("generic-7b").unwrap().architecture).check().unwrap();
    /// let less = |scheme: Scheme| {
    ///     let [one, many] = [1, 8].map(|gpus| states(&scheme.over(&model, gpus).unwrap()).0 as f64);
    ///     (10.0 * one / many).round() / 10.0
    /// };
    /// // 4, 8 and N times are what the stages come to on very many GPUs.
    /// assert_eq!([Scheme::Zero1, Scheme::Zero2, Scheme::Zero3].map(less), [2.9, 4.3, 8.0]);
    /// ```
    pub fn over(self, scenario: &Checked, gpus: u32) -> Option<Checked> {
        let (mut cut, mut micro_batches) = (Parallelism::ONE, 1);
        // One GPU has nothing to share out, and nothing that shares out is started there.
        let sharded = |stage| if gpus > 1 { stage } else { ZeroStage::None };
        match self {
            Self::Data => cut.dp = gpus,
            Self::Zero1 => (cut.dp, cut.zero) = (gpus, sharded(ZeroStage::Optimizer)),
            Self::Zero2 => (cut.dp, cut.zero) = (gpus, sharded(ZeroStage::Gradients)),
            Self::Zero3 => (cut.dp, cut.zero) = (gpus, sharded(ZeroStage::Weights)),
            Self::Tensor => (cut.tp, cut.sequence_parallel, micro_batches) = (gpus, true, gpus),
            Self::Pipeline => (cut.pp, micro_batches) = (gpus, gpus),
        }
        let own = scenario.training.implementation;
        let all = [own, Implementation::Megatron, Implementation::Torchtitan];
        let codes = if self == Self::Pipeline { &all[..] } else { &[own][..] };
        let in_code = |&code: &Implementation| {
            let run = scenario.with(|it| {
                (it.mode, it.parallel, it.training.micro_batches) = (Mode::Training, cut, micro_batches);
                it.training.implementation = code;
            });
            run.ok()
        };
        codes.iter().find_map(in_code)
    }
}

/// Bytes that one GPU sends for each token that all GPUs train on in a step.
///
/// # Formula
/// Bytes that it sends in a step / (micro-batches × batch × sequence length × data-parallel ranks).
///
/// # Units
/// Bytes a token, rounded to the nearest.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Scenario, schemes::{Scheme, sent_per_token}, tables::models};
/// let scenario = Scenario::new(models::by_id("generic-7b").unwrap().architecture);
/// let sent = |scheme: Scheme, batch| {
///     let many = Scenario { batch, ..scenario };
///     sent_per_token(&scheme.over(&many.check().unwrap(), 8).unwrap())
/// };
/// // Gradients are sent once a step, sums of layers for every token.
/// assert_eq!([1, 8].map(|batch| sent(Scheme::Data, batch)), [Bytes(1_495_361), Bytes(186_920)]);
/// assert_eq!([1, 8].map(|batch| sent(Scheme::Tensor, batch)), [Bytes(1_835_008), Bytes(1_835_008)]);
/// ```
pub fn sent_per_token(scenario: &Checked) -> Bytes {
    let micro_batches = u64::from(scenario.training.micro_batches) * u64::from(scenario.parallel.dp);
    let tokens = u128::from(scenario.tokens()) * u128::from(micro_batches);
    Bytes((communication::between_ranks(scenario).0 + tokens / 2) / tokens.max(1))
}

/// Bytes of weights, gradients and optimizer states that a GPU keeps.
pub fn states(scenario: &Checked) -> Bytes {
    memory::states(scenario).into_iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;
    use crate::tables::models;

    fn textbook() -> Scenario {
        Scenario::new(models::by_id("generic-7b").unwrap().architecture)
    }

    #[test]
    fn zero_3_sends_half_as_much_again() {
        let sent =
            |scheme: Scheme| communication::between_ranks(&scheme.over(&textbook().check().unwrap(), 8).unwrap()).0;
        assert_eq!([Scheme::Data, Scheme::Zero1, Scheme::Zero2].map(sent), [24_500_000_000; 3]);
        assert_eq!(sent(Scheme::Zero3), 36_750_000_000);
        assert_eq!(
            communication::between_ranks(&Scheme::Data.over(&textbook().check().unwrap(), 1).unwrap()),
            Bytes::ZERO
        );
    }

    #[test]
    fn every_way_trains_on_the_same_tokens() {
        let step = |scheme: &Scheme| scheme.over(&textbook().check().unwrap(), 8).unwrap();
        for run in Scheme::ALL.iter().map(step) {
            let sequences = run.training.micro_batches * run.parallel.dp * run.batch;
            assert_eq!(sequences, 8, "{:?}", run.parallel);
        }
    }

    #[test]
    fn heads_and_layers_bound_the_cut() {
        assert!(Scheme::Tensor.over(&textbook().check().unwrap(), 16).is_some());
        assert!(Scheme::Tensor.over(&textbook().check().unwrap(), 64).is_none(), "32 heads");
        assert!(Scheme::Pipeline.over(&textbook().check().unwrap(), 64).is_none(), "32 layers");
        assert!(Scheme::Zero3.over(&textbook().check().unwrap(), 64).is_some());
    }
}
