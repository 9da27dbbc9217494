//! Our own figure for each case.

use memory_wall_core::architecture::{
    Architecture, Latent, LinearAttention, LinearKind, Mlp, Moe, Projection, SlidingWindow,
};
use memory_wall_core::memory::activations::{self, megatron};
use memory_wall_core::memory::{gradients, kv_cache, logits, optimizer, weights};
use memory_wall_core::{
    Attention, Bytes, Implementation, Mode, Parallelism, Phase, Scenario, WeightFormat, ZeroStage, worked,
};

/// What the engine says to a case, in the unit of the case; `None` of an unknown one.
pub fn ours(case: &str) -> Option<u128> {
    Some(match case {
        "kv-llama-2-7b" => cache(LLAMA_2_7B, 8_192),
        "kv-llama-3.1-8b" => cache(LLAMA_31_8B, 8_192),
        "kv-mistral-7b-v0.1" => cache(MISTRAL_7B, 32_768),
        "kv-gemma-3-27b" => cache(GEMMA_3_27B, 131_072),
        "kv-deepseek-v3" => cache(DEEPSEEK_V3, 131_072),
        "kv-gpt-oss-20b" => cache(GPT_OSS_20B, 131_072),
        "kv-qwen3-30b-a3b" => cache(QWEN3_30B, 262_144),
        "params-llama-3.1-8b" => LLAMA_31_8B.parameters().total().into(),
        "params-mixtral-8x7b" => MIXTRAL.parameters().total().into(),
        "params-deepseek-v3" => DEEPSEEK_V3.parameters().total().into(),
        "weights-llama-3.1-8b-bf16" => stored(LLAMA_31_8B, WeightFormat::Bf16),
        "weights-llama-3.1-8b-awq" => stored(LLAMA_31_8B, WeightFormat::Int4),
        "weights-llama-2-7b-nf4" => stored(LLAMA_2_7B, WeightFormat::Nf4),
        "weights-llama-2-7b-q4_0" => stored(LLAMA_2_7B, WeightFormat::Q4Zero),
        "weights-mixtral-8x7b" => stored(MIXTRAL, WeightFormat::Bf16),
        "weights-qwen3-next-80b" => stored(QWEN3_NEXT, WeightFormat::Bf16),
        "states-llama-2-7b" => states(LLAMA_2_7B, Parallelism::ONE),
        "states-zero1-8" => states(LLAMA_2_7B, sharded(ZeroStage::Optimizer, 8)),
        "states-zero2-8" => states(LLAMA_2_7B, sharded(ZeroStage::Gradients, 8)),
        "states-zero3-8" => states(LLAMA_2_7B, sharded(ZeroStage::Weights, 8)),
        "states-zero1-64" => states(ROUND_75, sharded(ZeroStage::Optimizer, 64)),
        "states-zero2-64" => states(ROUND_75, sharded(ZeroStage::Gradients, 64)),
        "states-zero3-64" => states(ROUND_75, sharded(ZeroStage::Weights, 64)),
        "states-tp8" => states(LLAMA_2_7B, Parallelism { tp: 8, ..Parallelism::ONE }),
        "act-gpt-eager" => in_flight(&Scenario { attention: Attention::Eager, ..gpt(1, Parallelism::ONE, 1) }),
        "act-gpt-flash" => in_flight(&gpt(1, Parallelism::ONE, 1)),
        "act-llama-flash" => activations::saved_per_layer(&training(LLAMA_31_8B, 8_192)).0,
        "act-llama-eager" => {
            let scenario = Scenario { attention: Attention::Eager, ..training(LLAMA_31_8B, 2_048) };
            activations::saved_per_layer(&scenario).0
        }
        "logits-llama-3.1-8b" => {
            let scenario = training(LLAMA_31_8B, 8_192);
            worked::total(|sink| logits::terms(&scenario, Phase::Loss, sink)).0
        }
        "pipeline-8" => in_flight(&gpt(32, Parallelism { pp: 8, ..Parallelism::ONE }, 8)),
        "pipeline-8-interleaved" => in_flight(&gpt(32, INTERLEAVED, 16)),
        "pipeline-8-interleaved-short" => in_flight(&gpt(32, INTERLEAVED, 8)),
        "pipeline-8-short" => in_flight(&gpt(32, Parallelism { pp: 8, ..Parallelism::ONE }, 4)),
        _ => return None,
    })
}

// Shapes as published in each model's config.json.
const LLAMA_2_7B: Architecture = Architecture::llama([32, 4_096, 32, 32, 128, 11_008, 32_000]);
const LLAMA_31_8B: Architecture = Architecture::llama([32, 4_096, 32, 8, 128, 14_336, 128_256]);
const MISTRAL_7B: Architecture = Architecture {
    sliding_window: Some(SlidingWindow::over(32, 4_096)),
    ..Architecture::llama([32, 4_096, 32, 8, 128, 14_336, 32_000])
};
const MIXTRAL: Architecture =
    Architecture { moe: Some(Moe::of(8, 2, 14_336)), ..Architecture::llama([32, 4_096, 32, 8, 128, 14_336, 32_000]) };
/// Every sixth layer sees the whole context.
const GEMMA_3_27B: Architecture = Architecture {
    sliding_window: Some(SlidingWindow::over(52, 1_024)),
    ..Architecture::llama([62, 5_376, 32, 16, 128, 21_504, 262_208])
};
/// Every second layer does.
const GPT_OSS_20B: Architecture = Architecture {
    sliding_window: Some(SlidingWindow::over(12, 128)),
    ..Architecture::llama([24, 2_880, 64, 8, 64, 2_880, 201_088])
};
const QWEN3_30B: Architecture = Architecture {
    qk_norm: true,
    moe: Some(Moe::of(128, 8, 768)),
    ..Architecture::llama([48, 2_048, 32, 4, 128, 6_144, 151_936])
};
const DEEPSEEK_V3: Architecture = Architecture {
    projection: Projection::Latent(Latent {
        kv_lora_rank: 512,
        q_lora_rank: Some(1_536),
        rope_dim: 64,
        nope_dim: 128,
        v_dim: 128,
    }),
    moe: Some(Moe { shared_intermediate_size: 2_048, dense_layers: 3, router_bias: true, ..Moe::of(256, 8, 2_048) }),
    ..Architecture::llama([61, 7_168, 128, 128, 192, 18_432, 129_280])
};
const QWEN3_NEXT: Architecture = Architecture {
    qk_norm: true,
    gated_attention: true,
    linear_attention: Some(LinearAttention {
        kind: LinearKind::GatedDelta,
        layers: 36,
        key_heads: 16,
        value_heads: 32,
        key_dim: 128,
        value_dim: 128,
        conv_kernel: 4,
    }),
    moe: Some(Moe { shared_intermediate_size: 512, shared_gate: true, ..Moe::of(512, 10, 512) }),
    ..Architecture::llama([48, 2_048, 16, 2, 256, 5_120, 151_936])
};
/// The model of the `ZeRO` paper's example, of which only the count matters.
const ROUND_75: Architecture = Architecture { rounded_parameters: Some(7_500_000_000), ..LLAMA_2_7B };

/// Eight stages that take two chunks of layers in turn.
const INTERLEAVED: Parallelism = Parallelism { pp: 8, virtual_stages: 2, ..Parallelism::ONE };

fn cache(architecture: Architecture, seq_length: u32) -> u128 {
    let scenario = Scenario { seq_length, ..Scenario::new(architecture) };
    worked::total(|sink| kv_cache::terms(&scenario, sink)).0
}

fn stored(architecture: Architecture, format: WeightFormat) -> u128 {
    let scenario = Scenario { weights: format, ..Scenario::new(architecture) };
    worked::total(|sink| weights::terms(&scenario, sink)).0
}

fn training(architecture: Architecture, seq_length: u32) -> Scenario {
    Scenario { mode: Mode::Training, seq_length, ..Scenario::new(architecture) }
}

fn sharded(zero: ZeroStage, dp: u32) -> Parallelism {
    Parallelism { dp, zero, ..Parallelism::ONE }
}

/// Weights, gradients and optimizer states of mixed precision with `AdamW` on one rank.
fn states(architecture: Architecture, parallel: Parallelism) -> u128 {
    let scenario = Scenario { parallel, ..training(architecture, 2_048) };
    [
        worked::total(|sink| weights::terms(&scenario, sink)),
        worked::total(|sink| gradients::terms(&scenario, Phase::OptimizerStep, sink)),
        worked::total(|sink| optimizer::terms(&scenario, Phase::Loss, sink)),
    ]
    .into_iter()
    .sum::<Bytes>()
    .0
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
fn in_flight(scenario: &Scenario) -> u128 {
    let local = scenario.local();
    worked::total(|sink| megatron::layers(scenario, local.chunk_layers * local.chunks_in_flight, sink)).0
}
