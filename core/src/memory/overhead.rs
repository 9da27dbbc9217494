//! What the driver and its libraries take before the first tensor.

use crate::scenario::Scenario;
use crate::units::Bytes;
use crate::worked::{Factor, Item, Term};

/// CUDA context, kernels and library workspaces of one process: an estimate, the middle of 0.3 to 0.8 GiB.
pub const CONTEXT_BYTES: u64 = 512 << 20;

/// Bytes that every process takes on a card.
///
/// # Formula
/// 512 MiB.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// One process on one card. Engines add CUDA graphs and, with several cards, communication buffers (about 2 GiB in vLLM); neither is here.
///
/// # Source
/// 0.3 to 0.8 GiB is what a context and the cuBLAS workspaces were seen to take on A100 and H100; vLLM 0.19 logs 0.25 to 0.27 GiB beside the context.
pub fn terms(_scenario: &Scenario, sink: &mut dyn FnMut(&Term<'_>)) {
    sink(&Term { item: Item::DeviceContext, factors: &[Factor::number(CONTEXT_BYTES)], divisor: 1 });
}

/// What PyTorch's caching allocator holds where tensors take `allocated` bytes: an estimate, 12% more.
///
/// # Formula
/// allocated × 112 / 100.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// The default allocator at the end of a training step; with `expandable_segments` it loses less.
///
/// # Source
/// Public memory snapshots of training steps on an H100, in which it held 10 to 13% more than was allocated.
pub fn reserved(allocated: Bytes) -> Bytes {
    Bytes(allocated.0.saturating_mul(RESERVED_PERCENT).div_ceil(100))
}

/// Reserved bytes in percent of allocated ones.
pub const RESERVED_PERCENT: u128 = 112;
