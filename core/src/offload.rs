//! What waits in host memory, and what it costs to fetch it.

/// Which states wait in host memory instead of on the card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Offload {
    /// Optimizer states, with the step computed on the processor.
    pub optimizer: bool,
    /// Weights, fetched layer by layer.
    pub parameters: bool,
    /// KV cache, fetched layer by layer.
    pub kv_cache: bool,
}
