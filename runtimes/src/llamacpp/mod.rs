//! llama.cpp with some of its layers on the GPU: which tensor is on which device, what the host holds, and how fast that decodes.
//!
//! With everything on one GPU the weights and the cache are those of the engine's own estimate of llama.cpp.

mod cache;
mod cache_type;
mod compute;
mod layers;
pub mod limits;
mod placement;
mod refused;
mod search;
mod settings;
mod speed;

pub use cache_type::CacheType;
pub use placement::{Device, Host, Placement, place};
pub use refused::Refused;
pub use search::{Found, fewest_cpu_moe, fitted, most_gpu_layers};
pub use settings::{ALL, Order, Settings};
pub use speed::{Speed, speed};

/// What was read.
pub const VERSION: &str = "builds up to October 2026";
/// Where the rules come from.
pub const SOURCE: &str =
    "ggml-org/llama.cpp at 02c28f5: llama-model.cpp (load_tensors), llama-kv-cache-iswa.cpp; buffers of public logs";
