//! The same training step cut over some cards in each of the plain ways: what a card holds, and what it sends.

use crate::checked::Checked;
use crate::evaluate::Phase;
use crate::memory::Bucket;
use crate::parallelism::{Parallelism, ZeroStage};
use crate::scenario::Mode;
use crate::units::Bytes;
use crate::worked;

choices! {
    /// One way to use many cards.
    Scheme {
        /// Every card holds everything and sees other sequences.
        Data = "data";
        /// The same with the optimizer's states shared out.
        Zero1 = "zero1";
        /// And the gradients.
        Zero2 = "zero2";
        /// And the weights, as in FSDP.
        Zero3 = "zero3";
        /// Every matrix is shared out, and norms along the sequence.
        Tensor = "tensor";
        /// Every card holds some of the layers.
        Pipeline = "pipeline";
    }
}

impl Scheme {
    /// The scenario as a training step over so many cards; `None` where the model cannot be cut so.
    ///
    /// # Assumes
    /// A pipeline is kept full by as many micro-batches as it has stages. Everything else is as in the scenario.
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::schemes::{Scheme, states};
    /// use memory_wall_core::{Scenario, tables::models};
    /// let model = Scenario::new(models::by_id("generic-7b").unwrap().architecture).check().unwrap();
    /// let less = |scheme: Scheme| {
    ///     let [one, many] = [1, 8].map(|cards| states(&scheme.over(&model, cards).unwrap()).0 as f64);
    ///     (10.0 * one / many).round() / 10.0
    /// };
    /// // 4, 8 and N times are what the stages come to on very many cards.
    /// assert_eq!([Scheme::Zero1, Scheme::Zero2, Scheme::Zero3].map(less), [2.9, 4.3, 8.0]);
    /// ```
    pub fn over(self, scenario: &Checked, cards: u32) -> Option<Checked> {
        let (mut cut, mut micro_batches) = (Parallelism::ONE, 1);
        match self {
            Self::Data => cut.dp = cards,
            Self::Zero1 => (cut.dp, cut.zero) = (cards, ZeroStage::Optimizer),
            Self::Zero2 => (cut.dp, cut.zero) = (cards, ZeroStage::Gradients),
            Self::Zero3 => (cut.dp, cut.zero) = (cards, ZeroStage::Weights),
            Self::Tensor => (cut.tp, cut.sequence_parallel) = (cards, true),
            Self::Pipeline => (cut.pp, micro_batches) = (cards, cards),
        }
        let run = scenario.with(|it| {
            (it.mode, it.parallel, it.training.micro_batches) = (Mode::Training, cut, micro_batches);
        });
        run.ok()
    }
}

/// Bytes of weights, gradients and optimizer states that a card keeps.
pub fn states(scenario: &Checked) -> Bytes {
    let buckets = [Bucket::Weights, Bucket::Gradients, Bucket::Optimizer];
    buckets.iter().map(|bucket| worked::total(|sink| bucket.terms(scenario, Phase::Loss, sink))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::communication;
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
    fn heads_and_layers_bound_the_cut() {
        assert!(Scheme::Tensor.over(&textbook().check().unwrap(), 16).is_some());
        assert!(Scheme::Tensor.over(&textbook().check().unwrap(), 64).is_none(), "32 heads");
        assert!(Scheme::Pipeline.over(&textbook().check().unwrap(), 64).is_none(), "32 layers");
        assert!(Scheme::Zero3.over(&textbook().check().unwrap(), 64).is_some());
    }
}
