//! Which single setting would explain why an estimate and a measurement differ: each is tried, and the engine says what it would take.

use crate::evaluate;
use crate::memory::Bucket;
use crate::memory::overhead::CONTEXT_BYTES;
use crate::precision::{KvPrecision, WeightFormat};
use crate::scenario::{Attention, Mode, Scenario};
use crate::training::{Checkpointing, Loss, Optimizer, Recipe, StepKernel};
use crate::units::Bytes;
use crate::{bounds, worked};

choices! {
    /// A way in which a run may differ from what was estimated.
    Suspect {
        /// Scores are written to memory.
        EagerAttention = "eager";
        /// They are not.
        FlashAttention = "flash";
        /// Nothing is recomputed.
        NothingRecomputed = "kept";
        /// Every layer is recomputed.
        AllRecomputed = "recomputed";
        /// Everything is kept in fp32.
        WideStates = "fp32";
        /// Everything is kept in 16 bits.
        NarrowStates = "pure";
        /// Only part of the optimizer's states is there: 8 bits each.
        EightBitOptimizer = "8bit";
        /// The optimizer has no states: it was measured before the first step.
        NoStatesYet = "first";
        /// The optimizer's step makes copies.
        Foreach = "foreach";
        /// The script holds on to the model's outputs.
        OutputsKept = "outputs";
        /// The logits of all tokens exist at once.
        PlainLoss = "logits";
        /// They do not.
        ChunkedLoss = "chunked";
        /// The weights were loaded in fp32.
        WideWeights = "wide";
        /// The weights were loaded in 8 bits.
        NarrowWeights = "int8";
        /// The cache is kept in 8 bits.
        NarrowCache = "cache";
        /// Twice as many sequences or tokens were there.
        Doubled = "doubled";
        /// Half as many.
        Halved = "halved";
    }
}

impl Suspect {
    /// The scenario in which it is so; `None` where it is so already, or cannot be.
    fn applied(self, scenario: &Scenario) -> Option<Scenario> {
        let mut changed = *scenario;
        let (trains, full) = (scenario.mode.trains(), scenario.mode == Mode::Training);
        let possible = match self {
            Self::EagerAttention => {
                changed.attention = Attention::Eager;
                true
            }
            Self::FlashAttention => {
                changed.attention = Attention::Flash;
                true
            }
            Self::NothingRecomputed => {
                changed.checkpointing = Checkpointing::None;
                trains
            }
            Self::AllRecomputed => {
                changed.checkpointing = Checkpointing::Full;
                trains
            }
            Self::WideStates => {
                changed.weights = WeightFormat::Fp32;
                changed.training.recipe = Recipe::Fp32;
                full
            }
            Self::NarrowStates => {
                changed.training.recipe = Recipe::Pure;
                full
            }
            Self::EightBitOptimizer => {
                changed.optimizer = Optimizer::AdamW8bit;
                trains
            }
            // Told by its bytes, not by a setting.
            Self::NoStatesYet => trains,
            Self::Foreach => {
                changed.training.step = StepKernel::Foreach;
                trains
            }
            Self::OutputsKept => {
                changed.training.stock.outputs_kept = true;
                trains
            }
            Self::PlainLoss => {
                changed.training.loss = Loss::Plain;
                trains
            }
            Self::ChunkedLoss => {
                changed.training.loss = Loss::Chunked;
                trains
            }
            Self::WideWeights => {
                changed.weights = WeightFormat::Fp32;
                !trains
            }
            Self::NarrowWeights => {
                changed.weights = WeightFormat::Int8;
                !trains
            }
            Self::NarrowCache => {
                changed.kv = KvPrecision::Fp8;
                !trains
            }
            Self::Doubled => {
                changed.batch = scenario.batch.saturating_mul(2).min(bounds::BATCH.max);
                true
            }
            Self::Halved => {
                changed.batch = scenario.batch / 2;
                scenario.batch > 1
            }
        };
        (possible && (self == Self::NoStatesYet || changed != *scenario) && changed.check().is_ok()).then_some(changed)
    }

    /// What tensors would take at the peak, if it were so.
    pub fn tensors(self, scenario: &Scenario) -> Option<Bytes> {
        let changed = self.applied(scenario)?;
        let total = if self == Self::NoStatesYet {
            let phase = evaluate::Phase::FirstStep;
            let early = worked::total(|sink| Bucket::Optimizer.terms(scenario, phase, sink));
            evaluate::at_phase(scenario, phase) - early
        } else {
            evaluate::total(&changed)
        };
        Some(total - Bytes(CONTEXT_BYTES.into()))
    }
}

/// A gap smaller than one part in so many of the estimate needs no explanation.
const CLOSE: u128 = 20;

/// The setting that would explain most of a gap between the estimate and what was allocated, if one explains two thirds of it.
///
/// # Formula
/// Of all [`Suspect`]s the one whose peak lies nearest to what was allocated; `None` where the gap is under 5% of the estimate.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// One thing differs. Two that do are found only where one of them is most of it.
///
/// # Source
/// The engine's own sums.
///
/// # Example
/// ```
/// use memory_wall_core::{Attention, Mode, Scenario, evaluate, profile::{Suspect, suspect}, tables::models};
/// let mut scenario = Scenario::new(models::by_id("llama-3.2-1b").unwrap().architecture);
/// (scenario.mode, scenario.batch) = (Mode::Training, 4);
/// let measured = Suspect::EagerAttention.tensors(&scenario).unwrap();
/// assert_eq!(suspect(&scenario, measured), Some((Suspect::EagerAttention, measured)));
/// ```
pub fn suspect(scenario: &Scenario, allocated: Bytes) -> Option<(Suspect, Bytes)> {
    let estimate = evaluate::total(scenario) - Bytes(CONTEXT_BYTES.into());
    let gap = allocated.minus(estimate).magnitude();
    if gap.0 <= estimate.0 / CLOSE {
        return None;
    }
    let left = |tensors: Bytes| allocated.minus(tensors).magnitude();
    let tried = Suspect::ALL.iter().filter_map(|suspect| Some((*suspect, suspect.tensors(scenario)?)));
    tried.min_by_key(|(_, tensors)| left(*tensors)).filter(|(_, tensors)| left(*tensors).0 <= gap.0 / 3)
}
