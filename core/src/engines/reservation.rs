//! What a program sets aside for keys and values, beside what they exactly take.

use crate::checked::Checked;
use core::fmt;

use super::{Sink, hf, llamacpp, vllm};
use crate::display::Grouped;
use crate::memory::kv_cache;
use crate::serving::Engine;
use crate::units::Bytes;
use crate::worked;

/// Why a program sets aside what it does; the sentence is its `Display`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// No program: the tokens themselves.
    Exact,
    /// The cache waits in host memory: two layers of it are on the GPU, whatever the program.
    InHostMemory,
    /// transformers grows a tensor for each layer token by token.
    Growing,
    /// transformers keeps the short vectors of latent attention.
    Compressed,
    /// transformers keeps whole heads of latent attention beside an indexer.
    WholeHeads,
    /// vLLM hands out pages.
    Pages {
        /// Tokens of a page.
        block: u64,
        /// Layers that share a page's place in the pool.
        group_size: u64,
        /// Groups of layers.
        groups: u64,
        /// Pages that one sequence takes, each for a whole group.
        blocks: u128,
    },
    /// vLLM cannot make pages of one size for all layers, so it does not start.
    NoCommonPage,
    /// llama.cpp allots cells for the whole context when it starts.
    Cells {
        /// Cells of a sequence in layers that see everything.
        full: u64,
        /// Cells of a sequence in layers with a window.
        window: u64,
    },
}

impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Exact => f.write_str("No program: exactly the tokens that are there."),
            Self::InHostMemory => f.write_str("The cache waits in host memory; two layers of it are on the GPU."),
            Self::Growing => f.write_str(
                "The tensors of transformers' DynamicCache hold exactly the tokens that are there; those of a window keep one more than they use.",
            ),
            Self::Compressed => f.write_str(
                "transformers 5 caches the short vector that all heads are made from; releases up to 4.57 kept whole heads, dozens of times as much.",
            ),
            Self::WholeHeads => f.write_str(
                "Beside an indexer transformers caches whole heads in place of the short vector, dozens of times as much.",
            ),
            Self::Pages { block, group_size, groups: 1, blocks } => write!(
                f,
                "Pages of {block} tokens for {group_size} layers: {} of them for a sequence, the last one partly empty.",
                Grouped(blocks)
            ),
            Self::Pages { block, group_size, groups, blocks } => write!(
                f,
                "Pages of {block} tokens for {group_size} layers at a time, in {groups} groups of layers, of which the last may have places to spare: {} of them for a sequence. A layer with a window also holds the tokens that are being read.",
                Grouped(blocks)
            ),
            Self::NoCommonPage => f.write_str(
                "The layers' pages are no multiples of each other, so vLLM cannot share one pool among them and does not start; counted is the exact cache.",
            ),
            Self::Cells { full, window: 0 } => write!(
                f,
                "{} cells for each sequence, a multiple of 256, allotted when the program starts.",
                Grouped(full.into())
            ),
            Self::Cells { full, window } => write!(
                f,
                "{} cells for each sequence, and {} in layers with a window, which also hold the tokens that are being read; multiples of 256, allotted when the program starts.",
                Grouped(full.into()),
                Grouped(window.into())
            ),
        }
    }
}

/// The cache as it is and as it is set aside, on the rank that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// What keys, values and states take.
    pub exact: Bytes,
    /// What the program sets aside; never less.
    pub bytes: Bytes,
    /// How it comes to that.
    pub how: How,
}

/// What the scenario's program sets aside for the cache, and how it comes to more than the exact one.
///
/// ```
/// use memory_wall_core::{Bytes, Engine, Scenario, engines, tables::models};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// scenario.seq_length = 1_000;
/// scenario.serving.engine = Engine::Vllm;
/// let scenario = scenario.check().unwrap();
/// let reserved = engines::reservation(&scenario);
/// assert_eq!(reserved.exact, Bytes(131_072 * 1_000));
/// // 63 pages of 16 tokens.
/// assert_eq!(reserved.bytes, Bytes(131_072 * 1_008));
/// ```
pub fn reservation(scenario: &Checked) -> Reservation {
    let exact = worked::total(|sink: Sink<'_>| kv_cache::terms(scenario, sink));
    let (bytes, how) = match scenario.runtime() {
        None | Some(Engine::Exact) => (exact.0, How::Exact),
        _ if scenario.offload.kv_cache => (exact.0, How::InHostMemory),
        Some(Engine::Hf) => hf::cache(scenario, exact.0),
        Some(Engine::Vllm) => vllm::Run::of(scenario).cache(exact.0),
        Some(Engine::LlamaCpp) => llamacpp::cache(scenario),
    };
    // An engine with a wider cache format than the scenario's never sets aside less than the tokens take.
    Reservation { exact, bytes: Bytes(bytes.max(exact.0)), how }
}
