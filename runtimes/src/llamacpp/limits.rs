//! The range of each number that llama.cpp is told.

use memory_wall_core::bounds::Bounds;

const fn range(name: &'static str, min: u32, max: u32, unit: &'static str) -> Bounds {
    Bounds { name, min, max, unit }
}

/// Layers on the GPU; more than there are is all.
pub const NGL: Bounds = range("ngl", 0, 9_999, "layers");
/// Layers whose experts stay in host memory.
pub const N_CPU_MOE: Bounds = range("n_cpu_moe", 0, 9_999, "layers");
/// The share of one GPU.
pub const TENSOR_SPLIT: Bounds = range("tensor_split", 0, 1_000_000, "");
/// Tokens at once.
pub const UBATCH: Bounds = range("ubatch", 1, 1_000_000, "tokens");
/// Memory of a computer.
pub const HOST_MEMORY: Bounds = range("host_memory", 1, 1_000_000, "GiB");
/// Bandwidth of that memory.
pub const HOST_BANDWIDTH: Bounds = range("host_bandwidth", 1, 100_000, "GB/s");
/// GPUs that layers can be spread over (`llama_max_devices`).
pub const MOST_GPUS: usize = 16;
