//! What picks the tokens that sparse attention reads.

/// The indexer of DeepSeek's sparse attention (DSA): small heads that score every token before, so that attention reads only the best of them.
///
/// It keeps one key of its own a token, in a cache of its own.
///
/// Beside keys and values of whole heads it picks blocks of 128 tokens instead (MSA, `MiniMax` M3): the best block of each KV head, by the highest score in it.
///
/// Numbers of 16 bits keep a shape small enough to be handed on.
///
/// # Source
/// `DeepseekV32Indexer`, `GlmMoeDsaIndexer` and `MiniMaxM3VLIndexer` of `transformers` 5.17 to 5.23. Read 2026-11-26.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Indexer {
    /// Query heads; all share one key.
    pub heads: u16,
    /// Width of a head, and of the key that is cached.
    pub head_dim: u16,
    /// Tokens that attention reads of those before.
    pub topk: u16,
    /// Layers with an indexer of their own; the others read what the last one before them picked (GLM-5.2), or where it picks blocks everything.
    pub layers: u16,
}

impl Indexer {
    /// Tokens in a block, where blocks are picked.
    pub const BLOCK: u32 = 128;
}
