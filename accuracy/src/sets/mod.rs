//! One file a kind of measurement.

mod adapters;
mod deepspeed;
mod formula_vectors;
mod inference;
mod kv_cache;
mod litgpt;
mod llamacpp_starts;
mod logits;
mod megatron;
mod one_gpu;
mod peft;
mod pool_starts;
mod reading;
mod real_gpu;
mod saved_activations;
mod speed;
mod step_peaks;
mod torchtitan;
mod vllm;
mod vllm_beside;
mod vllm_errors;
mod vllm_run;
mod vllm_start;
mod vllm_starts;

pub use vllm_beside::by_gpu as vllm_by_gpu;
pub use vllm_errors::by_release_and_gpu as vllm_errors;

use crate::{Data, Set};

/// What makes the sets of one kind.
pub type Make = fn(&Data) -> Vec<Set>;

/// Every kind, in the order in which they are shown.
pub const SETS: &[Make] = &[
    formula_vectors::sets,
    saved_activations::sets,
    logits::sets,
    step_peaks::sets,
    real_gpu::sets,
    one_gpu::sets,
    torchtitan::sets,
    megatron::sets,
    litgpt::sets,
    deepspeed::sets,
    peft::sets,
    adapters::sets,
    kv_cache::sets,
    vllm::sets,
    vllm_starts::sets,
    vllm_beside::sets,
    llamacpp_starts::sets,
    pool_starts::sets,
    inference::sets,
    speed::sets,
];
