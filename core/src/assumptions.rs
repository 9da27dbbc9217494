//! What a figure stands on, in sentences: an estimate never poses as exact.

use core::fmt;

use crate::architecture::Positions;
use crate::display::Grouped;
use crate::precision::{ComputePrecision, WeightFormat};
use crate::scenario::{Attention, Mode, Scenario};
use crate::tables::gpus::CapacityBasis;
use crate::training::Checkpointing;

/// What a figure stands on; the sentence is its `Display`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// The weight count is a round number, not a count of tensors.
    RoundedParameters,
    /// Embeddings, head, norms and biases stay wide.
    WideTensors(WeightFormat),
    /// Full-length sequences.
    FullSequences,
    /// Some layers keep a window only.
    SlidingWindow {
        /// Tokens kept.
        window: u32,
        /// Layers that do.
        layers: u32,
        /// All layers.
        of: u32,
    },
    /// How a prompt is read.
    PrefillChunks,
    /// Mixed precision with a master copy.
    MasterCopy,
    /// Stock modelling code.
    SavedTensors,
    /// The plain loss.
    PlainLoss,
    /// Selective checkpointing brings nothing here.
    SelectiveIdle,
    /// Scores are written out.
    EagerScores,
    /// Context of the process.
    DeviceContext,
    /// Where the capacity comes from.
    Capacity(CapacityBasis),
    /// The card has no units for this format.
    NoUnits(WeightFormat),
    /// Scales of a quantised cache are left out.
    CacheScales,
    /// Whether the saved tensors of this combination were measured.
    DerivedTensors,
    /// The end of the backward pass of a model with tied embeddings.
    TiedGradients,
    /// A model that knows so many positions and no more.
    LearnedPositions(u32),
    /// The context is longer than the model was made for.
    BeyondTrainedContext(u32),
    /// Beyond learned positions the model cannot run at all.
    BeyondLearnedPositions(u32),
    /// Nothing but one process on one card.
    OneCard,
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::RoundedParameters => f.write_str(
                "The parameter count is the textbook's round number, not a count of tensors; the layers make up the difference.",
            ),
            Self::WideTensors(format) => write!(
                f,
                "{format} holds the matrices of the layers; embedding, output head, norms and biases stay in 16 bits, as common quantisers leave them."
            ),
            Self::FullSequences => f.write_str("Every sequence has the full seq_length, prompt and answer together."),
            Self::SlidingWindow { window, layers, of } => write!(
                f,
                "{layers} of {of} layers keep only the last {} tokens; an engine that pages all layers alike reserves more.",
                Grouped(window.into())
            ),
            Self::PrefillChunks => write!(
                f,
                "Activations are the widest moment of one layer while a prompt is read in chunks of up to {} tokens; an estimate that depends on the engine.",
                Grouped(crate::memory::activations::PREFILL_CHUNK.into())
            ),
            Self::MasterCopy => f.write_str(
                "16-bit weights have an fp32 master copy beside the optimizer's own states, as mixed-precision training keeps it (pure bf16 training does without and needs 8 bytes a parameter in all); gradients stay allocated from step to step, and the optimizer step is fused: it needs no further copy.",
            ),
            Self::SavedTensors => f.write_str(
                "Activations are the tensors that stock PyTorch and transformers code saves, without autocast, fusion or torch.compile; equal to the byte to measured runs of that code.",
            ),
            Self::PlainLoss => f.write_str(
                "The loss is plain cross-entropy with logits upcast to fp32: 12 bytes for each token and vocabulary entry when backward begins. A chunked or fused loss needs far less.",
            ),
            Self::SelectiveIdle => f.write_str(
                "Selective checkpointing changes nothing here: flash attention already recomputes the scores.",
            ),
            Self::EagerScores => f.write_str("Eager attention writes the seq_length × seq_length scores to memory."),
            Self::DeviceContext => f.write_str(
                "Driver context and libraries are taken as 512 MiB, the middle of the 0.3 to 0.8 GiB seen on NVIDIA cards.",
            ),
            Self::Capacity(basis) => f.write_str(match basis {
                CapacityBasis::Torch => "The capacity is what PyTorch reports on the device.",
                CapacityBasis::Driver => {
                    "The capacity is the driver's total (nvidia-smi); a program sees about 0.4 to 2% less of it."
                }
                CapacityBasis::Unconfirmed => {
                    "The capacity is a driver total as commonly given; no report of a device was found to confirm it."
                }
                CapacityBasis::Binary => {
                    "The capacity is the printed size read as binary gigabytes, as sister cards report it; no report of this one was found."
                }
                CapacityBasis::Printed => "The capacity of this card is its printed number: no report of a device was found.",
                CapacityBasis::Shared => {
                    "The capacity is the memory of the whole computer; the system keeps a part of it from the GPU."
                }
            }),
            Self::NoUnits(format) => write!(
                f,
                "This card has no matrix units for {format}, or none are published: the memory is right, the run may be slow or not start."
            ),
            Self::CacheScales => f.write_str(
                "Scales of a quantised KV cache are not counted; formats that store one for each block take up to an eighth more at 4 bits.",
            ),
            Self::DerivedTensors => f.write_str(
                "Activations are derived from the code of PyTorch and transformers; this combination of settings was not measured.",
            ),
            Self::TiedGradients => f.write_str(
                "With tied embeddings two more gradient buffers of the embedding table exist for a moment at the end of the backward pass; they are not counted, and matter for short sequences only.",
            ),
            Self::LearnedPositions(rows) => write!(
                f,
                "This model has learned positions for {} tokens; an answer beyond them is about memory only.",
                Grouped(rows.into())
            ),
            Self::BeyondTrainedContext(context) => write!(
                f,
                "This model was made for {} tokens: the memory is right, the answers may not be.",
                Grouped(context.into())
            ),
            Self::BeyondLearnedPositions(rows) => write!(
                f,
                "This model has learned positions for {} tokens only and cannot run beyond them as it is.",
                Grouped(rows.into())
            ),
            Self::OneCard => f.write_str(
                "One process on one card; fragmentation is not added: a margin under 10% of the card is called tight instead.",
            ),
        }
    }
}

/// The assumptions of one evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assumptions {
    list: [Option<Assumption>; Self::CAPACITY],
}

impl Assumptions {
    /// As many as there can be.
    pub const CAPACITY: usize = 16;

    /// Each in turn.
    pub fn iter(&self) -> impl Iterator<Item = Assumption> + '_ {
        self.list.iter().flatten().copied()
    }

    /// Those of one scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let shape = &scenario.architecture;
        let training = scenario.mode == Mode::Training;
        let beyond = match (shape.positions, shape.trained_context) {
            (Positions::Learned(rows), _) if scenario.seq_length > rows => {
                Some(Assumption::BeyondLearnedPositions(rows))
            }
            (Positions::Rotary | Positions::Alibi, Some(context)) if scenario.seq_length > context => {
                Some(Assumption::BeyondTrainedContext(context))
            }
            _ => None,
        };
        let selective_idle =
            training && scenario.checkpointing == Checkpointing::Selective && scenario.attention == Attention::Flash;
        let basis = scenario.gpu.map(|gpu| gpu.capacity_basis);
        let units = match scenario.weights {
            WeightFormat::Bf16 => Some(ComputePrecision::Bf16),
            WeightFormat::Fp16 => Some(ComputePrecision::Fp16),
            WeightFormat::Fp8 => Some(ComputePrecision::Fp8),
            _ => None,
        };
        let no_units = scenario.gpu.zip(units).is_some_and(|(gpu, precision)| gpu.peaks.at(precision).is_none());
        // Selective checkpointing and eager multi-query attention were never measured.
        let measured = scenario.checkpointing != Checkpointing::Selective
            && !(scenario.attention == Attention::Eager && shape.kv_heads == 1);
        let learned = match shape.positions {
            Positions::Learned(rows) if scenario.seq_length <= rows => Some(Assumption::LearnedPositions(rows)),
            _ => None,
        };
        let quantised_cache = !training && scenario.kv.block().bytes < 2 * scenario.kv.block().values;
        let when = |condition: bool, assumption| condition.then_some(assumption);
        Self {
            list: [
                beyond,
                when(shape.rounded_parameters.is_some(), Assumption::RoundedParameters),
                when(scenario.weights.layers_only(), Assumption::WideTensors(scenario.weights)),
                Some(if training { Assumption::MasterCopy } else { Assumption::FullSequences }),
                shape.sliding_window.filter(|sliding| !training && sliding.layers > 0).map(|sliding| {
                    Assumption::SlidingWindow { window: sliding.window, layers: sliding.layers, of: shape.layers }
                }),
                Some(match (training, measured) {
                    (true, true) => Assumption::SavedTensors,
                    (true, false) => Assumption::DerivedTensors,
                    (false, _) => Assumption::PrefillChunks,
                }),
                when(training, Assumption::PlainLoss),
                when(selective_idle, Assumption::SelectiveIdle),
                when(scenario.attention == Attention::Eager, Assumption::EagerScores),
                Some(Assumption::DeviceContext),
                basis.map(Assumption::Capacity),
                when(no_units, Assumption::NoUnits(scenario.weights)),
                when(quantised_cache, Assumption::CacheScales),
                when(training && shape.tied_embeddings, Assumption::TiedGradients),
                learned,
                when(scenario.gpu.is_some(), Assumption::OneCard),
            ],
        }
    }
}
