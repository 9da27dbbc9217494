//! Which single setting would explain why an estimate and a measurement differ: each is tried, and the engine says what it would take.

use crate::bounds;
use crate::checked::Checked;
use crate::evaluate;
use crate::memory::Phase;
use crate::memory::overhead::CONTEXT_BYTES;
use crate::precision::{KvPrecision, WeightFormat};
use crate::scenario::{Attention, Mode};
use crate::training::{Checkpointing, Loss, Optimizer, Recipe, StepKernel};
use crate::units::Bytes;

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
        /// The optimizer's states are in 8 bits.
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
    fn applied(self, scenario: &Checked) -> Option<Checked> {
        let mut changed = **scenario;
        let (trains, full) = (scenario.mode.trains(), scenario.mode == Mode::Training);
        let training = &mut changed.training;
        let possible = match self {
            Self::EagerAttention => {
                changed.attention = Attention::Eager;
                scenario.attention != Attention::Eager
            }
            Self::FlashAttention => {
                changed.attention = Attention::Flash;
                scenario.attention != Attention::Flash
            }
            Self::NothingRecomputed => {
                changed.checkpointing = Checkpointing::None;
                trains && scenario.checkpointing != Checkpointing::None
            }
            Self::AllRecomputed => {
                changed.checkpointing = Checkpointing::Full;
                trains && scenario.checkpointing != Checkpointing::Full
            }
            Self::WideStates => {
                training.recipe = Recipe::Fp32;
                changed.weights = WeightFormat::Fp32;
                full && scenario.weights != WeightFormat::Fp32
            }
            Self::NarrowStates => {
                training.recipe = Recipe::Pure;
                full && scenario.training.recipe != Recipe::Pure
            }
            Self::EightBitOptimizer => {
                changed.optimizer = Optimizer::AdamW8bit;
                trains && scenario.optimizer == Optimizer::AdamW
            }
            // Told by its moment, not by a setting.
            Self::NoStatesYet => trains,
            Self::Foreach => {
                training.step = StepKernel::Foreach;
                trains && scenario.training.step != StepKernel::Foreach
            }
            Self::OutputsKept => {
                training.stock.outputs_kept = true;
                trains && !scenario.training.stock.outputs_kept
            }
            Self::PlainLoss => {
                training.loss = Loss::Plain;
                trains && scenario.training.loss != Loss::Plain
            }
            Self::ChunkedLoss => {
                training.loss = Loss::Chunked;
                trains && scenario.training.loss != Loss::Chunked
            }
            Self::WideWeights => {
                changed.weights = WeightFormat::Fp32;
                !trains && scenario.weights != WeightFormat::Fp32
            }
            Self::NarrowWeights => {
                changed.weights = WeightFormat::Int8;
                !trains && scenario.weights.trainable()
            }
            Self::NarrowCache => {
                changed.kv = KvPrecision::Fp8;
                !trains && scenario.kv != KvPrecision::Fp8
            }
            Self::Doubled => {
                changed.batch = scenario.batch.saturating_mul(2);
                changed.batch <= bounds::BATCH.max
            }
            Self::Halved => {
                changed.batch = scenario.batch / 2;
                scenario.batch > 1
            }
        };
        changed.check().ok().filter(|_| possible)
    }

    /// What tensors would take at the peak, if it were so.
    pub fn tensors(self, scenario: &Checked) -> Option<Bytes> {
        let changed = self.applied(scenario)?;
        let total = if self == Self::NoStatesYet {
            evaluate::at_phase(scenario, Phase::FirstStep)
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
/// let scenario = scenario.check().unwrap();
/// let measured = Suspect::EagerAttention.tensors(&scenario).unwrap();
/// assert_eq!(suspect(&scenario, measured), Some((Suspect::EagerAttention, measured)));
/// ```
pub fn suspect(scenario: &Checked, allocated: Bytes) -> Option<(Suspect, Bytes)> {
    let estimate = evaluate::total(scenario) - Bytes(CONTEXT_BYTES.into());
    let gap = allocated.minus(estimate).magnitude();
    if gap.0 <= estimate.0 / CLOSE {
        return None;
    }
    let left = |tensors: Bytes| allocated.minus(tensors).magnitude();
    let tried = Suspect::ALL.iter().filter_map(|suspect| Some((*suspect, suspect.tensors(scenario)?)));
    tried.min_by_key(|(_, tensors)| left(*tensors)).filter(|(_, tensors)| left(*tensors).0 <= gap.0 / 3)
}
