//! The engine: one value in, everything the page shows out.

use core::fmt;

use crate::architecture::{Parameters, Positions};
use crate::display::Grouped;
use crate::memory::{Bucket, kv_cache};
use crate::precision::{ComputePrecision, WeightFormat};
use crate::scenario::{Attention, Checkpointing, Mode, Scenario};
use crate::solve;
use crate::tables::gpus::CapacityBasis;
use crate::units::{Bytes, SignedBytes};
use crate::worked;

/// A moment at which memory can be fullest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Inference: the prompt passes through, the cache is full.
    Forward,
    /// Training: the loss is done and the backward pass begins; everything saved is there, and the logits in fp32.
    Loss,
    /// Training with checkpointing: a layer, or its attention scores, is computed again in the backward pass.
    Recompute,
}

impl Phase {
    /// The name in JSON and in style sheets.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Loss => "loss",
            Self::Recompute => "recompute",
        }
    }

    /// The phases that a scenario passes through.
    fn of(scenario: &Scenario) -> &'static [Self] {
        match (scenario.mode, scenario.checkpointing, scenario.attention) {
            (Mode::Inference, ..) => &[Self::Forward],
            (Mode::Training, Checkpointing::Full, _) | (Mode::Training, Checkpointing::Selective, Attention::Eager) => {
                &[Self::Loss, Self::Recompute]
            }
            (Mode::Training, ..) => &[Self::Loss],
        }
    }
}

/// Whether a scenario goes on its card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// With more than a tenth of the card to spare.
    Fits,
    /// By calculation, but with less to spare than an allocator was seen to lose to fragmentation.
    Tight,
    /// Not even by calculation.
    DoesNotFit,
}

impl Verdict {
    /// The name in JSON and in style sheets.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::Tight => "tight",
            Self::DoesNotFit => "does_not_fit",
        }
    }
}

/// A scenario held against its card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Bytes that the card really offers, not the number printed on the box.
    pub capacity: Bytes,
    /// Capacity less the peak; negative is missing.
    pub margin: SignedBytes,
    /// The judgement.
    pub verdict: Verdict,
    /// Longest `seq_length` that still fits, 0 if none does, at most the bound of [`crate::bounds::SEQ_LENGTH`].
    pub max_seq: u32,
    /// Largest batch that still fits, 0 if none does, at most the bound of [`crate::bounds::BATCH`].
    pub max_batch: u32,
}

/// Below this share of the capacity a margin counts as tight: PyTorch's allocator was measured to hold 10 to 13%
/// more than is allocated at the end of a training step.
pub const TIGHT_PERCENT: u128 = 10;

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

    fn of(scenario: &Scenario) -> Self {
        let shape = &scenario.architecture;
        let training = scenario.mode == Mode::Training;
        let beyond = match (shape.positions, shape.trained_context) {
            (Positions::Learned(rows), _) if scenario.seq_length > rows => {
                Some(Assumption::BeyondLearnedPositions(rows))
            }
            (Positions::Rotary, Some(context)) if scenario.seq_length > context => {
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

/// Everything the engine says about a scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// The exact parameter count, by kind of tensor.
    pub parameters: Parameters,
    /// Bytes of each bucket at the peak, in the order of [`Bucket::ALL`].
    pub buckets: [(Bucket, Bytes); 7],
    /// Their sum.
    pub total: Bytes,
    /// The moment of the peak.
    pub peak_phase: Phase,
    /// What one more token of one sequence adds to the KV cache.
    pub kv_bytes_per_token: Bytes,
    /// The scenario against its card, where it names one.
    pub fit: Option<Fit>,
    /// What the figures stand on.
    pub assumptions: Assumptions,
}

impl Evaluation {
    /// Bytes of one bucket.
    pub fn bytes(&self, bucket: Bucket) -> Bytes {
        self.buckets.iter().find(|(name, _)| *name == bucket).map_or(Bytes::ZERO, |(_, bytes)| *bytes)
    }

    /// The bucket that takes most.
    pub fn largest(&self) -> Bucket {
        self.buckets.iter().max_by_key(|(_, bytes)| *bytes).map_or(Bucket::Weights, |(bucket, _)| *bucket)
    }
}

/// Bytes of each bucket at one phase.
fn at(scenario: &Scenario, phase: Phase) -> [(Bucket, Bytes); 7] {
    Bucket::ALL.map(|bucket| (bucket, worked::total(|sink| bucket.terms(scenario, phase, sink))))
}

/// The phase at which most is needed, with its buckets and their sum.
fn peak(scenario: &Scenario) -> (Phase, [(Bucket, Bytes); 7], Bytes) {
    let mut best = None;
    for &phase in Phase::of(scenario) {
        let buckets = at(scenario, phase);
        let sum = buckets.iter().map(|(_, bytes)| *bytes).sum();
        if best.as_ref().is_none_or(|(_, _, most)| sum > *most) {
            best = Some((phase, buckets, sum));
        }
    }
    best.unwrap_or((Phase::Forward, Bucket::ALL.map(|bucket| (bucket, Bytes::ZERO)), Bytes::ZERO))
}

/// The peak alone: what inverse questions ask again and again.
pub fn total(scenario: &Scenario) -> Bytes {
    peak(scenario).2
}

/// Evaluates a scenario.
///
/// Total for every scenario that passes [`Scenario::check`]: no panic, no overflow, no NaN.
///
/// ```
/// use memory_wall_core::{Bucket, Bytes, Scenario, evaluate, tables::{gpus, models}};
/// let mut scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture);
/// scenario.gpu = gpus::by_id("a100-80-sxm");
/// scenario.seq_length = 128_000;
/// let evaluation = evaluate(&scenario);
/// assert_eq!(evaluation.largest(), Bucket::KvCache);
/// assert_eq!(evaluation.bytes(Bucket::KvCache), Bytes(67_108_864_000));
/// ```
pub fn evaluate(scenario: &Scenario) -> Evaluation {
    let (peak_phase, buckets, total) = peak(scenario);
    Evaluation {
        parameters: scenario.architecture.parameters(),
        buckets,
        total,
        peak_phase,
        kv_bytes_per_token: kv_cache::bytes_per_token(scenario),
        fit: scenario.gpu.map(|gpu| {
            let capacity = gpu.capacity;
            let margin = capacity.minus(total);
            let verdict = if margin.0 < 0 {
                Verdict::DoesNotFit
            } else if margin.magnitude().0 * 100 < capacity.0 * TIGHT_PERCENT {
                Verdict::Tight
            } else {
                Verdict::Fits
            };
            Fit {
                capacity,
                margin,
                verdict,
                max_seq: solve::max_seq_length(scenario, capacity),
                max_batch: solve::max_batch(scenario, capacity),
            }
        }),
        assumptions: Assumptions::of(scenario),
    }
}
