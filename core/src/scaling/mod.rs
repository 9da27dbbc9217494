//! How many GPUs a model takes, from 7 to 700 billion parameters: by division, and by what division leaves out.

mod time;

pub use time::{MFU, MFU_PCIE, TOKENS_PER_PARAMETER, mfu};

use crate::architecture::Architecture;
use crate::checked::Checked;
use crate::evaluate;
use crate::memory::overhead::{CONTEXT_BYTES, TIGHT_PERCENT};
use crate::memory::{Bucket, Phase};
use crate::parallelism::{Parallelism, ZeroStage};
use crate::precision::WeightFormat;
use crate::scenario::{Mode, Scenario};
use crate::tables::gpus::Gpu;
use crate::tables::models;
use crate::training::Checkpointing;
use crate::units::Bytes;
use crate::worked;

choices! {
    /// A round size of a model.
    Size {
        /// 7 billion, shaped like Llama 2 7B.
        B7 = "7b";
        /// 70 billion, shaped like Llama 3.1 70B.
        B70 = "70b";
        /// 175 billion, shaped like GPT-3.
        B175 = "175b";
        /// 700 billion, dense.
        B700 = "700b";
    }
}

choices! {
    /// What the GPUs are for.
    Purpose {
        /// To hold the weights.
        Hold = "hold";
        /// To serve: weights, and the KV cache of some requests at once.
        Serve = "serve";
        /// To train every parameter with Adam.
        Train = "train";
    }
}

impl Size {
    /// Parameters.
    pub const fn parameters(self) -> u64 {
        match self {
            Self::B7 => 7_000_000_000,
            Self::B70 => 70_000_000_000,
            Self::B175 => 175_000_000_000,
            Self::B700 => 700_000_000_000,
        }
    }

    /// The shape: a published one with its count rounded, so that the sizes are those which everybody quotes.
    ///
    /// # Assumes
    /// No dense model of 700 billion parameters is published: it is Llama 3.1 405B made wider and deeper (140 layers of 20,480, 160 heads),
    /// which counts 701 billion. GPT-3's vocabulary is padded to a multiple of 1,024, as Megatron-LM does to share it out.
    pub fn architecture(self) -> Option<Architecture> {
        let like = match self {
            Self::B7 => "generic-7b",
            Self::B70 => "llama-3.1-70b",
            Self::B175 => "gpt3-175b",
            Self::B700 => "llama-3.1-405b",
        };
        let mut shape = models::by_id(like)?.architecture;
        match self {
            Self::B175 => shape.vocab_size = shape.vocab_size.next_multiple_of(1_024),
            Self::B700 => {
                (shape.layers, shape.hidden_size, shape.heads, shape.intermediate_size) = (140, 20_480, 160, 66_560);
            }
            Self::B7 | Self::B70 => {}
        }
        // Biases and learned positions come on top of a rounded count.
        shape.rounded_parameters = Some(self.parameters());
        let over = shape.parameters().total() - self.parameters();
        shape.rounded_parameters = Some(self.parameters() - over);
        Some(shape)
    }

    /// Tokens of a sequence: 4,096, or as many as the model was made for.
    pub fn tokens(self) -> u32 {
        let trained = self.architecture().and_then(|shape| shape.trained_context);
        trained.map_or(TOKENS, |trained| trained.min(TOKENS))
    }
}

/// Requests that are served at once.
pub const REQUESTS: u32 = 16;
/// Tokens of each, and of the sequence that a GPU trains on.
const TOKENS: u32 = 4_096;
/// GPUs of a computer, and so of a tensor-parallel group.
pub const NODE: u32 = 8;
/// Most data-parallel groups that are asked about.
const MOST: u32 = 16_384;
/// Steps by which a cut grows until it fits: the first guess is close.
const TRIES: u32 = 64;

/// How many GPUs, reason by reason. `None` from the first that no number of GPUs satisfies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// What is divided: the weights, or in training weights, gradients and optimizer states.
    pub bytes: Bytes,
    /// Divided by the gigabytes printed on the GPU.
    pub printed: u64,
    /// Divided by the bytes that the GPU has.
    pub real: u64,
    /// The same with room for the CUDA context and a tenth left for fragmentation.
    pub margin: u64,
    /// What the work adds: the KV cache of all requests, or the activations of one GPU.
    pub added: Bytes,
    /// With that.
    pub load: Option<u64>,
    /// In a cut that goes with the model's shape, checked on the fullest GPU.
    pub cut: Option<u64>,
    /// That cut.
    pub parallel: Parallelism,
    /// In computers as they come: 1, 2, 4 or 8 GPUs of one, then whole ones.
    pub nodes: Option<u64>,
}

/// Bytes of a GPU that a plan may fill.
pub fn usable(gpu: &Gpu) -> Bytes {
    Bytes(tight(gpu).0.saturating_sub(CONTEXT_BYTES.into()))
}

/// The same with the context.
fn tight(gpu: &Gpu) -> Bytes {
    Bytes(gpu.capacity.0 * (100 - TIGHT_PERCENT) / 100)
}

fn bytes(scenario: &Checked, buckets: &[Bucket]) -> Bytes {
    buckets.iter().map(|bucket| worked::total(|sink| bucket.terms(scenario, Phase::Loss, sink))).sum()
}

fn gpus(bytes: Bytes, each: Bytes) -> u64 {
    u64::try_from(bytes.0.div_ceil(each.0.max(1))).unwrap_or(u64::MAX)
}

/// What the fullest GPU holds in this cut; `None` where the model cannot be cut so.
fn held(scenario: &Checked, parallel: Parallelism) -> Option<Bytes> {
    scenario.with(|it| it.parallel = parallel).ok().map(|it| evaluate::total(&it))
}

/// The fewest data-parallel groups of a cut over which ZeRO-3 shares the states out so that no GPU holds more than `capacity`.
fn shared(scenario: &Checked, states: Bytes, capacity: Bytes, group: Parallelism) -> Option<Parallelism> {
    // What does not shrink with the number of groups is what a GPU of very many holds.
    let each = Bytes(states.0 / u128::from(group.tp));
    let floor = held(scenario, Parallelism { dp: MOST, ..group })?;
    let spare = (capacity + Bytes(each.0 / u128::from(MOST))).0.saturating_sub(floor.0);
    let from = u32::try_from(gpus(each, Bytes(spare))).unwrap_or(u32::MAX);
    // Another moment of the step may be fuller where there are few.
    for dp in from..from.saturating_add(TRIES).min(MOST) {
        let cut = Parallelism { dp, ..group };
        if held(scenario, cut)? <= capacity {
            return Some(cut);
        }
    }
    None
}

/// The fewest GPUs from so many on in a legal cut of which none holds more than `capacity`.
fn split(scenario: &Checked, from: u32, capacity: Bytes) -> Option<Parallelism> {
    let mut cut = Parallelism { tp: from.clamp(1, NODE), pp: from.div_ceil(NODE), ..Parallelism::ONE };
    for _ in 0..TRIES {
        if held(scenario, cut).is_some_and(|held| held <= capacity) {
            return Some(cut);
        }
        if cut.tp < NODE {
            cut.tp += 1;
        } else {
            cut.pp += 1;
        }
    }
    None
}

/// The GPUs that a size takes.
///
/// # Formula
/// Hold: weights / bytes of a GPU. Serve: (weights + KV cache of [`REQUESTS`] sequences) / bytes of a GPU, then the smallest legal cut:
/// tensor parallel over up to [`NODE`] GPUs, and beyond them a pipeline of such groups.
/// Train: 2 + 2 + 4 + 4 + 4 bytes a parameter, shared out by ZeRO-3, and beside its share each GPU holds the activations of one sequence;
/// where that takes more than a computer, each computer is a tensor- and sequence-parallel group, which shares the activations too.
///
/// # Units
/// GPUs.
///
/// # Assumes
/// Tensor parallelism stays within a computer of eight GPUs. Training recomputes every layer.
/// A tenth of the GPU is left for fragmentation, see [`TIGHT_PERCENT`].
///
/// # Source
/// Rajbhandari et al. 2020 (states and `ZeRO`), Shoeybi et al. 2019 (tensor parallelism within a server).
///
/// # Example
/// ```
/// use memory_wall_core::scaling::{Purpose, Size, need};
/// use memory_wall_core::{WeightFormat, tables::gpus};
/// let gpu = gpus::by_id("a100-80-sxm").unwrap();
/// let need = need(Size::B700, Purpose::Hold, WeightFormat::Fp16, gpu).unwrap();
/// // Division says 18; the GPU has 85.0 billion bytes, so 17 would hold them; three computers of eight do.
/// assert_eq!((need.printed, need.real, need.nodes), (18, 17, Some(24)));
/// ```
pub fn need(size: Size, purpose: Purpose, weights: WeightFormat, gpu: &Gpu) -> Option<Need> {
    let trains = purpose == Purpose::Train;
    let scenario = Scenario {
        mode: if trains { Mode::Training } else { Mode::Inference },
        weights,
        batch: if purpose == Purpose::Serve { REQUESTS } else { 1 },
        seq_length: if purpose == Purpose::Hold { 1 } else { size.tokens() },
        checkpointing: Checkpointing::Full,
        ..Scenario::new(size.architecture()?)
    };
    let scenario = scenario.check().ok()?;
    // In inference there are neither gradients nor states.
    let divided = bytes(&scenario, &[Bucket::Weights, Bucket::Gradients, Bucket::Optimizer]);
    let margin = gpus(divided, usable(gpu));
    let mut need = Need {
        bytes: divided,
        printed: gpus(divided, Bytes(u128::from(gpu.printed_gb) * 1_000_000_000)),
        real: gpus(divided, gpu.capacity),
        margin,
        added: Bytes::ZERO,
        load: Some(margin),
        cut: None,
        parallel: Parallelism::ONE,
        nodes: None,
    };
    let cut = if trains {
        need.added = bytes(&scenario, &[Bucket::Activations, Bucket::Logits]);
        let alone =
            shared(&scenario, divided, tight(gpu), Parallelism { zero: ZeroStage::Weights, ..Parallelism::ONE });
        need.load = alone.map(|cut| cut.ranks());
        let groups = Parallelism { tp: NODE, sequence_parallel: true, zero: ZeroStage::Weights, ..Parallelism::ONE };
        match alone.filter(|cut| cut.dp <= NODE) {
            None => shared(&scenario, divided, tight(gpu), groups),
            within => within,
        }
    } else {
        if purpose == Purpose::Serve {
            need.added = bytes(&scenario, &[Bucket::KvCache]);
        }
        let load = gpus(divided + need.added, usable(gpu));
        need.load = Some(load);
        let from = u32::try_from(load).unwrap_or(u32::MAX);
        split(&scenario, from, tight(gpu))
    };
    if let Some(parallel) = cut {
        let ranks = parallel.ranks();
        need.parallel = parallel;
        need.cut = Some(ranks);
        let node = u64::from(NODE);
        need.nodes = Some(if ranks < node { ranks.next_power_of_two() } else { ranks.next_multiple_of(node) });
    }
    Some(need)
}

#[cfg(test)]
mod tests;
