//! What llama.cpp is told.

use alloc::vec::Vec;

use memory_wall_core::Bytes;
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::units::ByteRate;

use super::CacheType;

/// As many layers as there are.
pub const ALL: u32 = u32::MAX;

memory_wall_core::choices! {
    /// Which of its layers a build puts on the GPU first, where it is told a number.
    Order {
        /// The output layer, then the last of the others: builds since December 2025.
        OutputFirst = "output-first";
        /// The last of the others, and the output layer when all of these are there.
        OutputLast = "output-last";
    }
}

/// The options of llama.cpp that say where something is, and how much of it there is.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "options that are on or off")]
pub struct Settings {
    /// Layers on the GPU, the output layer counted as one (`-ngl`).
    pub gpu_layers: u32,
    /// Layers, from the first, whose routed experts stay in host memory (`--n-cpu-moe`; [`ALL`] is `--cpu-moe`).
    pub cpu_moe: u32,
    /// Whether these are the last layers instead, as `--fit` leaves them over several GPUs.
    pub last_moe: bool,
    /// The GPUs; where there are none, the scenario's own.
    pub gpus: Vec<&'static Gpu>,
    /// The share of each GPU (`--tensor-split`); where there are none, by their memory.
    pub tensor_split: Vec<u32>,
    /// Tokens that pass through the model at once (`-ub`).
    pub ubatch: u32,
    /// Whether layers with a window keep the whole context (`--swa-full`).
    pub swa_full: bool,
    /// Whether all sequences share one cache of `seq_length` cells (`--kv-unified`).
    pub unified: bool,
    /// How keys are stored (`--cache-type-k`); `None` is the scenario's own format.
    pub cache_k: Option<CacheType>,
    /// How values are stored (`--cache-type-v`).
    pub cache_v: Option<CacheType>,
    /// Whether the whole cache stays in host memory (`--no-kv-offload`).
    pub cache_on_host: bool,
    /// Which layers go first.
    pub order: Order,
    /// Memory of the computer that the run may take.
    pub host_memory: Option<Bytes>,
    /// Bandwidth of that memory.
    pub host_bandwidth: Option<ByteRate>,
}

impl Settings {
    /// Everything on the scenario's GPU, as llama.cpp does it where all of it fits.
    pub const DEFAULT: Self = Self {
        gpu_layers: ALL,
        cpu_moe: 0,
        last_moe: false,
        gpus: Vec::new(),
        tensor_split: Vec::new(),
        ubatch: 512,
        swa_full: false,
        unified: false,
        cache_k: None,
        cache_v: None,
        cache_on_host: false,
        order: Order::OutputFirst,
        host_memory: None,
        host_bandwidth: None,
    };
}
