//! What shortens the past of a model whose layers see little of it as it was.

use core::num::NonZeroU8;

/// `DeepSeek` V4: every layer sees the last tokens of its window, one vector each that is key and value of all heads. Layers with an [`crate::architecture::Indexer`] see
/// beside it the best of vectors that stand for 4 tokens each, others all of those that stand for 128, and some nothing more. What attention makes is projected in groups of heads.
/// Between blocks a token has several streams, which are mixed before each block and behind it (hyper-connections).
///
/// Small numbers keep a shape small enough to be handed on.
///
/// # Source
/// `modeling_deepseek_v4.py` of `transformers`: `DeepseekV4HCACompressor`, `DeepseekV4CSACompressor`, `DeepseekV4GroupedLinear`, `DeepseekV4HyperConnection`. Read 2026-11-26.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Compression {
    /// Groups of heads whose outputs are projected each by itself.
    pub groups: u8,
    /// Width onto which each group is projected.
    pub output_rank: u16,
    /// Layers that see all vectors of 128 tokens.
    pub heavy: u16,
    /// Streams of the residual.
    pub streams: NonZeroU8,
}

impl Compression {
    /// Tokens that one vector of a layer with an indexer stands for.
    pub const SPARSE: u32 = 4;
    /// Tokens that one vector of the other layers stands for.
    pub const HEAVY: u32 = 128;

    /// Parameters of the two mixers of a layer in a stream of this width: for each a matrix from all streams onto what is taken of them, given back and kept, with biases and three scales.
    pub(crate) fn mixers(self, hidden: u64) -> u64 {
        let streams = u64::from(self.streams.get());
        let outputs = (2 + streams) * streams;
        2 * (outputs * (streams * hidden + 1) + 3)
    }

    /// Parameters of the mixer behind the last layer.
    pub(crate) fn last_mixer(self, hidden: u64) -> u64 {
        let streams = u64::from(self.streams.get());
        streams * (streams * hidden + 1) + 1
    }
}
