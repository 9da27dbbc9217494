//! ggml: what llama.cpp and its relatives print when a buffer can't be had.
//!
//! Read in November 2026: `ggml-cuda.cu`, `ggml-alloc.c`, `ggml-vulkan.cpp`, `ggml-metal.m`, `llama-model.cpp`, and the threads
//! `ikawrakow/ik_llama.cpp#749` and `ggml-org/llama.cpp#20431`.

use super::line;
use crate::pattern::{Hole, Pattern, Says};
use crate::size::Unit;
use crate::what::{Kind, Refusal, What};

const fn ggml(text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(Kind::Ggml, text, holes)
}

const fn refuses(text: &'static str, holes: &'static [Hole], why: Refusal) -> Pattern {
    ggml(text, holes).saying(Says::Refuses(why))
}

pub(super) const LINES: &[Pattern] = &[
    ggml("allocating {} on device {}: cudaMalloc failed", &[Hole::Size(What::Requested), Hole::Device]),
    ggml("allocating {} on device {}: hipMalloc failed", &[Hole::Size(What::Requested), Hole::Device]),
    // In the words that Ollama hands on.
    ggml("cudaMalloc failed: out of memory", &[]),
    ggml("ggml_vulkan: Device memory allocation of size {} failed", &[Hole::Of(What::Requested, Unit::BYTE)]),
    // "device memory allocation limit", and later "device buffer size limit" (llama.cpp issues 15009 and 18160).
    refuses("Requested buffer size exceeds device", &[], Refusal::AllocationLimit),
    ggml(
        "ggml_backend_metal_buffer_type_alloc_buffer: error: failed to allocate buffer, size = {}",
        &[Hole::Size(What::Requested)],
    ),
    ggml(
        "ggml_metal_add_buffer: error: failed to allocate {} buffer, size = {}",
        &[Hole::Skip, Hole::Size(What::Requested)],
    ),
    // Of MLX too.
    line(Kind::Metal, "kIOGPUCommandBufferCallbackErrorOutOfMemory", &[]),
    ggml(
        "alloc_tensor_range: failed to allocate {} buffer of size {}",
        &[Hole::Buffer, Hole::Of(What::Requested, Unit::BYTE)],
    ),
    refuses(
        "ggml_gallocr_reserve_n: failed to allocate {} buffer of size {}",
        &[Hole::Buffer, Hole::Of(What::Requested, Unit::BYTE)],
        Refusal::ComputeBuffer,
    ),
    refuses(
        "ggml_gallocr_reserve_n_impl: failed to allocate {} buffer of size {}",
        &[Hole::Buffer, Hole::Of(What::Requested, Unit::BYTE)],
        Refusal::ComputeBuffer,
    ),
    refuses("unable to allocate {} buffer", &[Hole::Buffer], Refusal::ModelBuffer),
    refuses("failed to allocate buffer for kv cache", &[], Refusal::CacheBuffer),
    refuses("failed to allocate buffer for rs cache", &[], Refusal::CacheBuffer),
    refuses("failed to allocate compute buffers", &[], Refusal::ComputeBuffer),
    refuses("failed to allocate compute pp buffers", &[], Refusal::ComputeBuffer),
    // Without copies for pipeline parallelism less is asked for, and the program goes on.
    ggml("compute buffer allocation failed, retrying", &[]).saying(Says::On(What::Retried)),
    // What was asked for stands in front of it.
    refuses("failed to create context with model", &[], Refusal::Buffer),
];
