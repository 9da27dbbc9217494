//! Models and GPUs for programs.

use memory_wall_core::tables::gpus::{Gpu, Peak, Peaks};
use memory_wall_core::tables::models::Model;
use serde::Serialize;

use crate::BadInput;
use crate::listing::per_token;

/// A row of `models`.
#[derive(Debug, Serialize)]
pub(crate) struct ModelRow {
    id: &'static str,
    name: &'static str,
    family: &'static str,
    parameters: u64,
    active_parameters: u64,
    layers: u32,
    hidden_size: u32,
    heads: u32,
    kv_heads: u32,
    head_dim: u32,
    intermediate_size: u32,
    vocab_size: u32,
    context: Option<u32>,
    kv_bytes_per_token: u128,
    source: &'static str,
}

impl ModelRow {
    /// Of a model; its KV cache in bf16.
    pub(crate) fn new(model: &Model) -> Result<Self, BadInput> {
        let shape = &model.architecture;
        Ok(Self {
            id: model.id,
            name: model.name,
            family: model.family,
            parameters: model.parameters(),
            active_parameters: shape.active_parameters(),
            layers: shape.layers,
            hidden_size: shape.hidden_size,
            heads: shape.heads,
            kv_heads: shape.kv_heads,
            head_dim: shape.head_dim,
            intermediate_size: shape.intermediate_size,
            vocab_size: shape.vocab_size,
            context: shape.trained_context,
            kv_bytes_per_token: per_token(model)?.0,
            source: model.source,
        })
    }
}

/// A row of `gpus`.
#[derive(Debug, Serialize)]
pub(crate) struct GpuRow {
    id: &'static str,
    name: &'static str,
    vendor: &'static str,
    year: u16,
    printed_gb: u16,
    capacity_bytes: u128,
    capacity_most_bytes: u128,
    capacity_basis: &'static str,
    memory: &'static str,
    bandwidth_gb_per_s: f64,
    peak_tflops: PeakRow,
    sources: &'static [&'static str],
}

/// Dense peaks; `null` is not supported or not published.
#[derive(Debug, Serialize)]
struct PeakRow {
    fp32: Option<f64>,
    tf32: Option<f64>,
    fp16: Option<f64>,
    bf16: Option<f64>,
    fp8: Option<f64>,
    int8: Option<f64>,
    fp4: Option<f64>,
}

impl GpuRow {
    /// Of a GPU.
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let Peaks { fp32, tf32, fp16, bf16, fp8, int8, fp4 } = gpu.peaks;
        let [fp32, tf32, fp16, bf16, fp8, int8, fp4] =
            [fp32, tf32, fp16, bf16, fp8, int8, fp4].map(|peak| peak.map(Peak::tflops));
        Self {
            id: gpu.id,
            name: gpu.name,
            vendor: gpu.vendor,
            year: gpu.year,
            printed_gb: gpu.printed_gb,
            capacity_bytes: gpu.capacity.0,
            capacity_most_bytes: gpu.capacity_most.0,
            capacity_basis: gpu.capacity_basis.label(),
            memory: gpu.memory,
            bandwidth_gb_per_s: gpu.bandwidth.as_gb_per_s(),
            peak_tflops: PeakRow { fp32, tf32, fp16, bf16, fp8, int8, fp4 },
            sources: gpu.sources(),
        }
    }
}
