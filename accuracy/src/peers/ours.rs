//! Our own figure for each case.

use memory_wall_core::architecture::{Architecture, Mlp, Moe};
use memory_wall_core::memory::activations::{self, megatron};
use memory_wall_core::memory::{self, kv_cache, logits, weights};
use memory_wall_core::tables::models;
use memory_wall_core::{
    Attention, Bytes, Implementation, Mode, Parallelism, Phase, Scenario, WeightFormat, ZeroStage, worked,
};

/// What the engine says to a case, in the unit of the case; `None` of an unknown one.
pub fn ours(case: &str) -> Option<u128> {
    Some(match case {
        "kv-llama-2-7b" => cache(model("llama-2-7b")?, 8_192)?,
        "kv-llama-3.1-8b" => cache(model("llama-3.1-8b")?, 8_192)?,
        "kv-mistral-7b-v0.1" => cache(model("mistral-7b-v0.1")?, 32_768)?,
        "kv-gemma-3-27b" => cache(model("gemma-3-27b-text")?, 131_072)?,
        "kv-deepseek-v3" => cache(model("deepseek-v3")?, 131_072)?,
        "kv-gpt-oss-20b" => cache(model("gpt-oss-20b")?, 131_072)?,
        "kv-qwen3-30b-a3b" => cache(model("qwen3-30b-a3b")?, 262_144)?,
        "params-llama-3.1-8b" => model("llama-3.1-8b")?.parameters().total().into(),
        "params-mixtral-8x7b" => model("mixtral-8x7b")?.parameters().total().into(),
        "params-deepseek-v3" => biased(model("deepseek-v3")?).parameters().total().into(),
        "weights-llama-3.1-8b-bf16" => stored(model("llama-3.1-8b")?, WeightFormat::Bf16)?,
        "weights-llama-3.1-8b-awq" => stored(model("llama-3.1-8b")?, WeightFormat::Int4)?,
        "weights-llama-2-7b-nf4" => stored(model("llama-2-7b")?, WeightFormat::Nf4)?,
        "weights-llama-2-7b-q4_0" => stored(model("llama-2-7b")?, WeightFormat::Q4Zero)?,
        "weights-mixtral-8x7b" => stored(model("mixtral-8x7b")?, WeightFormat::Bf16)?,
        "weights-qwen3-next-80b" => stored(model("qwen3-next-80b-a3b")?, WeightFormat::Bf16)?,
        "states-llama-2-7b" => states(model("llama-2-7b")?, Parallelism::ONE)?,
        "states-zero1-8" => states(model("llama-2-7b")?, sharded(ZeroStage::Optimizer, 8))?,
        "states-zero2-8" => states(model("llama-2-7b")?, sharded(ZeroStage::Gradients, 8))?,
        "states-zero3-8" => states(model("llama-2-7b")?, sharded(ZeroStage::Weights, 8))?,
        "states-zero1-64" => states(round_75()?, sharded(ZeroStage::Optimizer, 64))?,
        "states-zero2-64" => states(round_75()?, sharded(ZeroStage::Gradients, 64))?,
        "states-zero3-64" => states(round_75()?, sharded(ZeroStage::Weights, 64))?,
        "states-tp8" => states(model("llama-2-7b")?, Parallelism { tp: 8, ..Parallelism::ONE })?,
        "act-gpt-eager" => in_flight(&Scenario { attention: Attention::Eager, ..gpt(1, Parallelism::ONE, 1) })?,
        "act-gpt-flash" => in_flight(&gpt(1, Parallelism::ONE, 1))?,
        "act-llama-flash" => activations::saved_per_layer(&training(model("llama-3.1-8b")?, 8_192).check().ok()?).0,
        "act-llama-eager" => {
            let scenario = Scenario { attention: Attention::Eager, ..training(model("llama-3.1-8b")?, 2_048) };
            activations::saved_per_layer(&scenario.check().ok()?).0
        }
        "logits-llama-3.1-8b" => {
            let scenario = training(model("llama-3.1-8b")?, 8_192).check().ok()?;
            worked::total(|sink| logits::terms(&scenario, Phase::Loss, sink)).0
        }
        "pipeline-8" => in_flight(&gpt(32, Parallelism { pp: 8, ..Parallelism::ONE }, 8))?,
        "pipeline-8-interleaved" => in_flight(&gpt(32, INTERLEAVED, 16))?,
        "pipeline-8-interleaved-short" => in_flight(&gpt(32, INTERLEAVED, 8))?,
        "pipeline-8-short" => in_flight(&gpt(32, Parallelism { pp: 8, ..Parallelism::ONE }, 4))?,
        _ => return None,
    })
}

/// A model of the engine's own table.
fn model(id: &str) -> Option<Architecture> {
    models::by_id(id).map(|row| row.architecture)
}

/// With the routers' biases, which steer the load and are no trained parameters: some counts have them.
fn biased(shape: Architecture) -> Architecture {
    Architecture { moe: shape.moe.map(|moe| Moe { router_bias: true, ..moe }), ..shape }
}

/// The model of the `ZeRO` paper's example, of which only the count matters.
fn round_75() -> Option<Architecture> {
    model("llama-2-7b").map(|shape| Architecture { rounded_parameters: Some(7_500_000_000), ..shape })
}

/// Eight stages that take two chunks of layers in turn.
const INTERLEAVED: Parallelism = Parallelism { pp: 8, virtual_stages: 2, ..Parallelism::ONE };

fn cache(architecture: Architecture, seq_length: u32) -> Option<u128> {
    let scenario = Scenario { seq_length, ..Scenario::new(architecture) }.check().ok()?;
    Some(worked::total(|sink| kv_cache::terms(&scenario, sink)).0)
}

fn stored(architecture: Architecture, format: WeightFormat) -> Option<u128> {
    let scenario = Scenario { weights: format, ..Scenario::new(architecture) }.check().ok()?;
    Some(worked::total(|sink| weights::terms(&scenario, sink)).0)
}

fn training(architecture: Architecture, seq_length: u32) -> Scenario {
    Scenario { mode: Mode::Training, seq_length, ..Scenario::new(architecture) }
}

fn sharded(zero: ZeroStage, dp: u32) -> Parallelism {
    Parallelism { dp, zero, ..Parallelism::ONE }
}

/// Weights, gradients and optimizer states of mixed precision with `AdamW` on one rank.
fn states(architecture: Architecture, parallel: Parallelism) -> Option<u128> {
    let scenario = Scenario { parallel, ..training(architecture, 2_048) }.check().ok()?;
    Some(memory::states(&scenario).into_iter().sum::<Bytes>().0)
}

/// A GPT of the width of a 7B, trained with fused kernels on sequences of 2,048 tokens.
fn gpt(layers: u32, parallel: Parallelism, micro_batches: u32) -> Scenario {
    let architecture = Architecture {
        mlp: Mlp::Gelu,
        dropout: true,
        ..Architecture::llama([layers, 4_096, 32, 32, 128, 16_384, 50_304])
    };
    let mut scenario = Scenario { parallel, ..training(architecture, 2_048) };
    scenario.training.implementation = Implementation::Megatron;
    scenario.training.micro_batches = micro_batches;
    scenario
}

/// What the layers of the rank keep, of all micro-batches in flight.
fn in_flight(scenario: &Scenario) -> Option<u128> {
    let scenario = scenario.check().ok()?;
    let local = scenario.local();
    Some(worked::total(|sink| megatron::layers(&scenario, local.chunk_layers * local.chunks_in_flight, sink)).0)
}
