//! How many cards a model takes, from 7 to 700 billion parameters: by division, and by what division leaves out.

use crate::architecture::Architecture;
use crate::checked::Checked;
use crate::evaluate::{self, Phase, TIGHT_PERCENT};
use crate::memory::Bucket;
use crate::memory::overhead::CONTEXT_BYTES;
use crate::parallelism::{Parallelism, ZeroStage};
use crate::precision::{ComputePrecision, WeightFormat};
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
    /// What the cards are for.
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
/// Tokens of each, and of the sequence that a card trains on.
const TOKENS: u32 = 4_096;
/// Cards of a computer, and so of a tensor-parallel group.
pub const NODE: u32 = 8;
/// Most data-parallel groups that are asked about.
const MOST: u32 = 16_384;
/// Steps by which a cut grows until it fits: the first guess is close.
const TRIES: u32 = 64;

/// How many cards, reason by reason. `None` from the first that no number of cards satisfies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// What is divided: the weights, or in training weights, gradients and optimizer states.
    pub bytes: Bytes,
    /// Divided by the gigabytes printed on the card.
    pub printed: u64,
    /// Divided by the bytes that the card has.
    pub real: u64,
    /// The same with room for the CUDA context and a tenth left for fragmentation.
    pub margin: u64,
    /// What the work adds: the KV cache of all requests, or the activations of one card.
    pub added: Bytes,
    /// With that.
    pub load: Option<u64>,
    /// In a cut that goes with the model's shape, checked on the fullest card.
    pub cut: Option<u64>,
    /// That cut.
    pub parallel: Parallelism,
    /// In computers as they come: 1, 2, 4 or 8 cards of one, then whole ones.
    pub nodes: Option<u64>,
}

/// Bytes of a card that a plan may fill.
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

fn cards(bytes: Bytes, each: Bytes) -> u64 {
    u64::try_from(bytes.0.div_ceil(each.0.max(1))).unwrap_or(u64::MAX)
}

/// What the fullest card holds in this cut; `None` where the model cannot be cut so.
fn held(scenario: &Checked, parallel: Parallelism) -> Option<Bytes> {
    scenario.with(|it| it.parallel = parallel).ok().map(|it| evaluate::total(&it))
}

/// The fewest data-parallel groups of a cut over which ZeRO-3 shares the states out so that no card holds more than `capacity`.
fn shared(scenario: &Checked, states: Bytes, capacity: Bytes, group: Parallelism) -> Option<Parallelism> {
    // What does not shrink with the number of groups is what a card of very many holds.
    let each = Bytes(states.0 / u128::from(group.tp));
    let floor = held(scenario, Parallelism { dp: MOST, ..group })?;
    let spare = (capacity + Bytes(each.0 / u128::from(MOST))).0.saturating_sub(floor.0);
    let from = u32::try_from(cards(each, Bytes(spare))).unwrap_or(u32::MAX);
    // Another moment of the step may be fuller where there are few.
    for dp in from..from.saturating_add(TRIES).min(MOST) {
        let cut = Parallelism { dp, ..group };
        if held(scenario, cut)? <= capacity {
            return Some(cut);
        }
    }
    None
}

/// The fewest cards from so many on in a legal cut of which none holds more than `capacity`.
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

/// Training tokens for each parameter that are taken to be worth a model's size. Source: Hoffmann et al. 2022 ("Chinchilla").
pub const TOKENS_PER_PARAMETER: u64 = 20;

/// Share of the peak that the model's own arithmetic reaches in training (MFU): from and to.
///
/// # Source
/// Korthikanti et al. 2022, table 5: runs that reach 41.5% to 56.3% take 29% to 32% longer when every layer is recomputed,
/// which leaves 32% to 43%. Llama 3's report says 38% to 43%, `torchtitan`'s public runs of Llama 3.1 8B on 8 H100 32% to 42%.
pub const MFU: [f64; 2] = [0.30, 0.45];

impl Size {
    /// Tokens that it is trained on.
    pub const fn training_tokens(self) -> u64 {
        self.parameters() * TOKENS_PER_PARAMETER
    }

    /// Seconds that so many cards train it, shortest first; `None` where the card's dense 16-bit rate is not published.
    ///
    /// # Formula
    /// 6 × parameters × tokens / (cards × dense peak × MFU).
    ///
    /// # Units
    /// Seconds.
    ///
    /// # Assumes
    /// 16-bit arithmetic, [`TOKENS_PER_PARAMETER`] and [`MFU`]; nothing fails on the way.
    ///
    /// # Source
    /// Kaplan et al. 2020 (6 FLOPs for each parameter and token).
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::{scaling::Size, tables::gpus};
    /// let card = gpus::by_id("a100-80-sxm").unwrap();
    /// let years = Size::B70.training_seconds(16, card).unwrap().map(|seconds| (seconds / 31_557_600.0).round());
    /// assert_eq!(years, [8.0, 12.0]);
    /// ```
    pub fn training_seconds(self, cards: u64, gpu: &Gpu) -> Option<[f64; 2]> {
        let [bf16, fp16] = [ComputePrecision::Bf16, ComputePrecision::Fp16].map(|precision| gpu.peaks.at(precision));
        let peak = bf16.or(fp16)?.0;
        let flops = 6.0 * self.parameters() as f64 * self.training_tokens() as f64;
        let [low, high] = MFU;
        Some([high, low].map(|mfu| flops / (cards.max(1) as f64 * peak * mfu)))
    }
}

/// The cards that a size takes.
///
/// # Formula
/// Hold: weights / bytes of a card. Serve: (weights + KV cache of [`REQUESTS`] sequences) / bytes of a card, then the smallest legal cut:
/// tensor parallel over up to [`NODE`] cards, and beyond them a pipeline of such groups.
/// Train: 2 + 2 + 4 + 4 + 4 bytes a parameter, shared out by ZeRO-3, and beside its share each card holds the activations of one sequence;
/// where that takes more than a computer, each computer is a tensor- and sequence-parallel group, which shares the activations too.
///
/// # Units
/// Cards.
///
/// # Assumes
/// Tensor parallelism stays within a computer of eight cards. Training recomputes every layer.
/// A tenth of the card is left for fragmentation, see [`TIGHT_PERCENT`].
///
/// # Source
/// Rajbhandari et al. 2020 (states and `ZeRO`), Shoeybi et al. 2019 (tensor parallelism within a server).
///
/// # Example
/// ```
/// use memory_wall_core::scaling::{Purpose, Size, need};
/// use memory_wall_core::{WeightFormat, tables::gpus};
/// let card = gpus::by_id("a100-80-sxm").unwrap();
/// let need = need(Size::B700, Purpose::Hold, WeightFormat::Fp16, card).unwrap();
/// // Division says 18; the card has 85.2 billion bytes, so 17 would hold them; three computers of eight do.
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
    let margin = cards(divided, usable(gpu));
    let mut need = Need {
        bytes: divided,
        printed: cards(divided, Bytes(u128::from(gpu.printed_gb) * 1_000_000_000)),
        real: cards(divided, gpu.capacity),
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
        let load = cards(divided + need.added, usable(gpu));
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
mod tests {
    use super::*;
    use crate::tables::gpus::{GPUS, by_id};

    fn all(purpose: Purpose, gpu: &str) -> [Need; 4] {
        let gpu = by_id(gpu).unwrap();
        [Size::B7, Size::B70, Size::B175, Size::B700].map(|size| need(size, purpose, WeightFormat::Fp16, gpu).unwrap())
    }

    #[test]
    fn division_gives_the_rows_that_everybody_quotes() {
        let rows = all(Purpose::Hold, "a100-80-sxm");
        assert_eq!(rows.map(|row| row.bytes.0), [14, 140, 350, 1_400].map(|gb| gb * 1_000_000_000));
        assert_eq!(rows.map(|row| row.printed), [1, 2, 5, 18]);
        assert_eq!(rows.map(|row| row.real), [1, 2, 5, 17]);
        let rows = all(Purpose::Train, "a100-80-sxm");
        assert_eq!(rows.map(|row| row.bytes.0), [112, 1_120, 2_800, 11_200].map(|gb| gb * 1_000_000_000));
        assert_eq!(rows.map(|row| row.printed), [2, 14, 35, 140]);
    }

    #[test]
    fn what_is_needed_is_more_than_division() {
        let nodes = |purpose| all(purpose, "a100-80-sxm").map(|row| row.nodes.unwrap());
        assert_eq!(nodes(Purpose::Hold), [1, 2, 8, 24]);
        assert_eq!(nodes(Purpose::Serve), [1, 4, 8, 24]);
        assert_eq!(nodes(Purpose::Train), [2, 16, 40, 168]);
        let [_, b70, b175, b700] = all(Purpose::Serve, "a100-80-sxm");
        // 64 heads go neither over 3 cards nor 96 over 7.
        assert_eq!([b70, b175].map(|row| (row.load.unwrap(), row.cut.unwrap())), [(3, 4), (7, 8)]);
        assert_eq!((b700.parallel.tp, b700.parallel.pp), (8, 3));
    }

    #[test]
    fn what_holds_a_training_step_does_not_finish_it_soon() {
        let a100 = by_id("a100-80-sxm").unwrap();
        let years =
            |cards| Size::B70.training_seconds(cards, a100).unwrap().map(|seconds| seconds / (365.25 * 86_400.0));
        // 6 × 70e9 × 1.4e12 FLOPs at 45% and 30% of 16 × 312 TFLOP/s.
        let [fast, slow] = years(16);
        assert!((fast - 8.295).abs() < 0.01 && (slow - 12.442).abs() < 0.01, "{fast} {slow}");
        assert!((years(1_600)[0] * 100.0 - fast).abs() < 1e-9);
        assert_eq!(Size::B70.training_tokens(), 1_400_000_000_000);
    }

    #[test]
    fn every_card_and_format_has_an_answer_that_does_not_contradict_itself() {
        for gpu in GPUS {
            for &purpose in Purpose::ALL {
                for &size in Size::ALL {
                    for &weights in WeightFormat::ALL {
                        if purpose == Purpose::Train && !weights.trainable() {
                            continue;
                        }
                        let need = need(size, purpose, weights, gpu).unwrap();
                        let id = (gpu.id, purpose.id(), size.id(), weights.id());
                        assert!(need.real <= need.margin && need.load.is_none_or(|load| load >= need.margin), "{id:?}");
                        assert!(need.nodes.unwrap_or(u64::MAX) >= need.cut.unwrap_or(0), "{id:?}");
                        assert!(need.parallel.ranks() == 1 || need.cut == Some(need.parallel.ranks()), "{id:?}");
                        assert!(gpu.printed_gb < 40 || need.nodes.is_some(), "{id:?}");
                    }
                }
            }
        }
    }
}
