//! The closed forms of whole layers, written out by hand.

extern crate alloc;
use alloc::string::ToString;

use super::measured;
use crate::architecture::{Biases, Mlp, Moe, Norm, NormWeight, Positions, SlidingWindow};
use crate::assumptions::{Assumption, Assumptions};
use crate::memory::activations;
use crate::memory::backward::Moment;
use crate::parallelism::{Parallelism, ZeroStage};
use crate::scenario::CutError;
use crate::tables::gpus;
use crate::training::{Implementation, Lora, LoraTargets, Loss, Recipe, Stock};
use crate::worked::{self, Item};
use crate::{Architecture, Attention, Bytes, Checkpointing, Mode, Phase, Scenario, Training, WeightFormat};

/// Layers, hidden, heads, KV heads, head dimension, MLP width, vocabulary: all different.
const LLAMA: Architecture = Architecture::llama([3, 96, 6, 2, 16, 272, 1_000]);
const H: u128 = 96;
const A: u128 = 6;
const K_HEADS: u128 = 2;
const D: u128 = 16;
const F: u128 = 272;
const Q: u128 = A * D;
const K: u128 = K_HEADS * D;
const B: u128 = 2;
const S: u128 = 40;
const T: u128 = B * S;

fn training(architecture: Architecture, recipe: Recipe, attention: Attention) -> Scenario {
    let mut scenario = Scenario {
        mode: Mode::Training,
        batch: 2,
        seq_length: 40,
        attention,
        weights: if recipe == Recipe::Fp32 { WeightFormat::Fp32 } else { WeightFormat::Bf16 },
        ..Scenario::new(architecture)
    };
    scenario.training.recipe = recipe;
    scenario
}

fn on_cpu(scenario: &Scenario) -> Scenario {
    let mut scenario = *scenario;
    scenario.training.stock.cpu = true;
    scenario
}

fn layer(scenario: &Scenario) -> u128 {
    activations::saved_per_layer(&scenario.check().unwrap()).0
}

fn item(scenario: &Scenario, phase: Phase, item: Item) -> u128 {
    let mut sum = 0;
    activations::terms(&scenario.check().unwrap(), phase, &mut |term| {
        sum += if term.item == item { term.bytes().0 } else { 0 }
    });
    sum
}

#[test]
fn layers_of_llama() {
    let of = |recipe, attention| training(LLAMA, recipe, attention);
    for recipe in [Recipe::Pure, Recipe::Mixed, Recipe::MixedFp32Gradients] {
        let bf16 = T * (16 * H + 4 * Q + 4 * K + 8 * F + 4 * A + 8);
        assert_eq!(layer(&of(recipe, Attention::Flash)), bf16 + 24);
        assert_eq!(layer(&on_cpu(&of(recipe, Attention::Flash))), bf16);
        assert_eq!(layer(&of(recipe, Attention::Eager)), T * (16 * H + 8 * Q + 8 * F + 8) + 6 * B * A * S * S);
    }
    let fp32 = of(Recipe::Fp32, Attention::Flash);
    assert_eq!(layer(&on_cpu(&fp32)), T * (24 * H + 8 * Q + 8 * K + 16 * F + 4 * A + 8));
    // Grouped queries have no fused kernel in fp32: the scores are kept.
    assert_eq!(layer(&fp32), T * (24 * H + 16 * Q + 16 * F + 8) + 4 * B * A * S * S);
    // A gate on the output is kept beside them, whatever the kernel.
    let gated = training(Architecture { gated_attention: true, ..LLAMA }, Recipe::Fp32, Attention::Flash);
    assert_eq!(layer(&gated) - layer(&fp32), 8 * T * Q);
    let said = |scenario: &Scenario| {
        Assumptions::of(&scenario.check().unwrap()).iter().any(|it| it == Assumption::UnfusedAttention)
    };
    assert!(said(&fp32) && !said(&of(Recipe::Pure, Attention::Flash)) && !said(&of(Recipe::Fp32, Attention::Eager)));
    // The memory-efficient kernel of CUDA: 40 tokens are padded to 64.
    let mut efficient = fp32;
    efficient.training.stock.efficient_kernel = true;
    assert_eq!(layer(&efficient), T * (24 * H + 16 * Q + 16 * F + 8) + 4 * B * A * 64 + 16);
    // Nor in 16 bits before compute capability 8.0.
    let fp16 = Scenario { weights: WeightFormat::Fp16, ..of(Recipe::Pure, Attention::Flash) };
    let on = |gpu| Scenario { gpu: gpus::by_id(gpu), ..fp16 };
    let bf16 = layer(&of(Recipe::Pure, Attention::Flash));
    assert_eq!(layer(&on("t4")) - bf16, T * (2 * Q + 8 * Q - 4 * K - 4 * A) - 24 + 4 * B * A * S * S);
    assert_eq!(layer(&on("a10g")), bf16);
    // One head for each query head has one everywhere.
    let multi = Architecture { kv_heads: 6, ..LLAMA };
    let on = |gpu| Scenario {
        gpu: gpus::by_id(gpu),
        weights: WeightFormat::Fp16,
        ..training(multi, Recipe::Pure, Attention::Flash)
    };
    assert_eq!(layer(&on("t4")), layer(&on("a10g")));
    let autocast = of(Recipe::Autocast, Attention::Flash);
    assert_eq!(layer(&autocast), T * (26 * H + 4 * Q + 4 * K + 8 * F + 4 * A + 8) + 24);
}

#[test]
fn masks_repeat_keys_and_values() {
    let mut padded = on_cpu(&training(LLAMA, Recipe::Pure, Attention::Flash));
    padded.training.stock.padding = true;
    let masked = T * (16 * H + 8 * Q + 8 * F + 4 * A + 8) + 2 * B * S * S;
    assert_eq!(layer(&padded), masked);
    let window = |window| Architecture { sliding_window: Some(SlidingWindow::over(3, window)), ..LLAMA };
    assert_eq!(layer(&on_cpu(&training(window(39), Recipe::Pure, Attention::Flash))), masked);
    // A window as long as the sequence hides nothing.
    let idle = training(window(40), Recipe::Pure, Attention::Flash);
    assert_eq!(layer(&idle), layer(&training(LLAMA, Recipe::Pure, Attention::Flash)));
}

#[test]
fn layers_of_other_families() {
    let of = |shape, attention| layer(&training(shape, Recipe::Pure, attention));
    let llama = of(LLAMA, Attention::Flash);
    let qwen2 = Architecture { biases: Biases { qkv: true, attention_output: false, mlp: false }, ..LLAMA };
    assert_eq!(of(qwen2, Attention::Flash), llama);
    let qwen3 = Architecture { qk_norm: true, ..LLAMA };
    assert_eq!(of(qwen3, Attention::Flash), llama + 6 * T * (Q + K) + 4 * T * (A + K_HEADS));
    let gemma2 = Architecture { norm_weight: NormWeight::WithFp32Copy, norms_per_layer: 4, soft_capped: true, ..LLAMA };
    let norms = 4 * (8 * T * H + 4 * T + 4 * H) + 4 * T * H;
    assert_eq!(of(gemma2, Attention::Eager), norms + 8 * T * Q + 8 * B * A * S * S + 8 * T * F);
    // One KV head and one sequence: keys and values stay views.
    let one = Scenario { batch: 1, ..training(Architecture { kv_heads: 1, ..LLAMA }, Recipe::Pure, Attention::Eager) };
    assert_eq!(layer(&one), S * (16 * H + 4 * Q + 4 * D + 8 * F + 8) + 6 * A * S * S);
}

#[test]
fn layers_of_mixtral() {
    let (experts, visited) = (8, 2);
    let mixtral = Architecture { moe: Some(Moe::of(8, 2, 272)), ..LLAMA };
    let grouped = training(mixtral, Recipe::Pure, Attention::Flash);
    let outside = layer(&training(LLAMA, Recipe::Pure, Attention::Flash)) - 8 * T * F;
    let router = T * (4 * experts + 8 * visited + 4 + 4 * visited);
    let visits = T * visited;
    assert_eq!(layer(&grouped), outside + router + visits * (28 + 2 * (2 * H + 4 * F)) + 4 * experts);
    let mut one_by_one = grouped;
    one_by_one.training.stock.grouped_experts = false;
    assert_eq!(layer(&one_by_one), outside + router + visits * (20 + 2 * (3 * H + 4 * F)));
}

/// 34 bytes a token and channel and 5 a score (Korthikanti et al. 2022), with the statistics of two norms that they leave out.
#[test]
fn layers_of_gpt2() {
    let gpt2 = Architecture {
        mlp: Mlp::Gelu,
        norm: Norm::LayerNorm,
        positions: Positions::Learned(1_024),
        dropout: true,
        ..Architecture::llama([3, 96, 6, 6, 16, 4 * 96, 1_000])
    };
    let of = |shape, attention| training(shape, Recipe::Pure, attention);
    assert_eq!(layer(&of(gpt2, Attention::Eager)), 34 * T * H + 5 * B * A * S * S + 16 * T);
    assert_eq!(layer(&of(gpt2, Attention::Flash)), 34 * T * H + 4 * T * A + 16 * T + 24);
    let composed = Architecture { mlp: Mlp::GeluNew, ..gpt2 };
    assert_eq!(layer(&of(composed, Attention::Flash)), 58 * T * H + 4 * T * A + 16 * T + 24);
    let without = Architecture { dropout: false, ..gpt2 };
    assert_eq!(layer(&of(without, Attention::Eager)), 32 * T * H + 2 * B * A * S * S + 16 * T);
    // A processor keeps masks as wide as the values, and statistics of 2 bytes.
    assert_eq!(layer(&on_cpu(&of(gpt2, Attention::Eager))), 36 * T * H + 6 * B * A * S * S + 8 * T);
}

#[test]
fn checkpoints_and_their_arguments() {
    for (recipe, bytes) in [(Recipe::Pure, 2), (Recipe::Fp32, 4), (Recipe::Autocast, 4)] {
        let scenario = Scenario { checkpointing: Checkpointing::Full, ..training(LLAMA, recipe, Attention::Eager) };
        assert_eq!(item(&scenario, Phase::Loss, Item::Checkpoints), 3 * bytes * T * H);
        assert_eq!(item(&scenario, Phase::Loss, Item::AttentionMask), bytes * B * S * S);
        assert_eq!(item(&scenario, Phase::Loss, Item::RotaryTables), 2 * S * D * bytes);
        assert_eq!(item(&scenario, Phase::Loss, Item::EmbeddingTensors), 8 * S);
    }
}

#[test]
fn autocast_copies_every_matrix_once() {
    let matrices = 3 * (2 * H * Q + 2 * H * K + 3 * H * F);
    let scenario = training(LLAMA, Recipe::Autocast, Attention::Flash);
    assert_eq!(item(&scenario, Phase::Loss, Item::WeightCopies), 2 * (matrices + 1_000 * H));
    // A tied table is multiplied with too.
    let tied = Scenario { architecture: Architecture { tied_embeddings: true, ..LLAMA }, ..scenario };
    assert_eq!(item(&tied, Phase::Loss, Item::WeightCopies), 2 * (matrices + 1_000 * H));
    // Under checkpointing the graph keeps the head's copy alone.
    let checkpointed = Scenario { checkpointing: Checkpointing::Full, ..scenario };
    assert_eq!(item(&checkpointed, Phase::Loss, Item::WeightCopies), 2 * 1_000 * H);
    // The cache of autocast holds the others until the forward pass ends.
    assert_eq!(item(&checkpointed, Phase::ForwardEnd, Item::WeightCopies), 2 * (matrices + 1_000 * H));
}

/// FSDP gathers 16-bit weights layer by layer, so autocast has nothing to copy, and the residual stream is in 16 bits.
#[test]
fn sharded_weights_are_gathered_in_16_bits_and_not_copied() {
    let llama = crate::tables::models::by_id("llama-3.1-70b").unwrap().architecture;
    let mut scenario = training(llama, Recipe::Autocast, Attention::Flash);
    (scenario.parallel.dp, scenario.parallel.zero) = (512, ZeroStage::Weights);
    for checkpointing in [Checkpointing::None, Checkpointing::Full] {
        scenario.checkpointing = checkpointing;
        for phase in [Phase::ForwardEnd, Phase::Loss, Phase::Backward] {
            assert_eq!(item(&scenario, phase, Item::WeightCopies), 0);
        }
        // Two tables and two layers, and a little of the final norm.
        let gathered = item(&scenario, Phase::Loss, Item::GatheredWeights);
        let whole = 2 * (2 * 128_256 * 8_192 + 2 * 855_654_400);
        let pure = Scenario { training: Training { recipe: Recipe::Pure, ..scenario.training }, ..scenario };
        assert_eq!(layer(&scenario), layer(&pure));
        assert!((whole..whole + 1_000).contains(&gathered), "{gathered}");
    }
    // Gathered once a step, all of them are there in 16 bits beside the shard in fp32.
    scenario.parallel.zero = ZeroStage::Gradients;
    assert_eq!(item(&scenario, Phase::ForwardEnd, Item::WeightCopies), 0);
    assert_eq!(item(&scenario, Phase::Loss, Item::GatheredWeights), 2 * 70_553_706_496);
    // Of a run that shards less, every rank has the whole weights in fp32, and their copies.
    for zero in [ZeroStage::None, ZeroStage::Optimizer] {
        scenario.parallel.zero = zero;
        assert!(item(&scenario, Phase::ForwardEnd, Item::WeightCopies) > 2 * 69_000_000_000, "{}", zero.id());
    }
}

/// Tensor-parallel ranks share heads and widths; norms are whole unless the sequence is shared too.
#[test]
fn a_rank_keeps_its_share() {
    let mut scenario = training(LLAMA, Recipe::Pure, Attention::Flash);
    scenario.parallel = Parallelism { tp: 2, ..Parallelism::ONE };
    let inside = T * (4 * Q + 4 * K + 8 * F + 4 * A) / 2 + 24;
    assert_eq!(layer(&scenario), T * (16 * H + 8) + inside);
    scenario.parallel.sequence_parallel = true;
    assert_eq!(layer(&scenario), T * (16 * H + 8) / 2 + inside);
    // It has no pipeline.
    scenario.parallel = Parallelism { pp: 3, ..Parallelism::ONE };
    assert_eq!(scenario.check(), Err(CutError::NoPipeline(Implementation::Transformers).into()));
}

/// Llama 3.1 8B checkpointed, one sequence of 8,192 tokens: the inventory of a run, less the 8 bytes of the loss.
#[test]
fn the_first_layer_in_the_backward_pass() {
    let llama = crate::tables::models::by_id("llama-3.1-8b").unwrap().architecture;
    let scenario = Scenario {
        batch: 1,
        seq_length: 8_192,
        checkpointing: Checkpointing::Full,
        ..training(llama, Recipe::Pure, Attention::Flash)
    };
    let bytes = worked::total(|sink| activations::in_backward(&scenario.check().unwrap(), Moment::FirstLayer, sink));
    assert_eq!(bytes, Bytes(67_108_864 + 2_186_412_064 - 8));
    let end = worked::total(|sink| activations::in_backward(&scenario.check().unwrap(), Moment::End, sink));
    assert_eq!(end, Bytes(2 * 8_192 * 4_096));
}

#[test]
fn adapters_free_the_inputs_of_frozen_matrices() {
    let full = training(LLAMA, Recipe::Pure, Attention::Flash);
    let mut scenario = Scenario { mode: Mode::Lora, ..full };
    scenario.training.lora = Lora { rank: 4, targets: LoraTargets::QV, ..scenario.training.lora };
    // Gone: two normalised copies, the outputs of both norms, the product inside the MLP. Each adapter has an fp32 copy of its input instead.
    let frozen = layer(&full) - T * (4 * H + 4 * H + 2 * F);
    assert_eq!(layer(&scenario), frozen + 2 * 4 * T * (H + 4));
    // With dropout a mask comes on top.
    scenario.training.lora.dropout = true;
    assert_eq!(layer(&scenario), frozen + 2 * 4 * T * (H + 4) + 2 * T * H);
    // Adapters as wide as the model share the input that the frozen matrices read, unless dropout changes it.
    scenario.weights = WeightFormat::Fp32;
    let wide = layer(&scenario);
    scenario.training.lora.dropout = false;
    assert_eq!(layer(&scenario), wide - 2 * (4 + 1) * T * H + 4 * T * H);
}

#[test]
fn what_was_not_measured_says_so() {
    let llama = training(LLAMA, Recipe::Pure, Attention::Flash);
    let derived = |scenario: &Scenario| {
        Assumptions::of(&scenario.check().unwrap()).iter().any(|it| it == Assumption::DerivedTensors)
    };
    assert!(measured(&llama.check().unwrap()) && !derived(&llama));
    assert!(Assumptions::of(&llama.check().unwrap()).iter().any(|it| it.to_string().contains("equal to the byte")));
    let parallel = Scenario { architecture: Architecture { parallel_residual: true, ..LLAMA }, ..llama };
    let selective = Scenario { checkpointing: Checkpointing::Selective, ..llama };
    let mut chunked = llama;
    chunked.training.loss = Loss::Chunked;
    let mut padded = llama;
    padded.training.stock = Stock { padding: true, ..padded.training.stock };
    let autocast =
        Scenario { checkpointing: Checkpointing::Full, ..training(LLAMA, Recipe::Autocast, Attention::Flash) };
    for scenario in [parallel, selective, padded, autocast, Scenario { mode: Mode::Lora, ..llama }] {
        assert!(!measured(&scenario.check().unwrap()) && derived(&scenario));
    }
    assert!(measured(&on_cpu(&padded).check().unwrap()));
    let mut megatron = llama;
    megatron.training.implementation = Implementation::Megatron;
    assert!(!measured(&megatron.check().unwrap()));
    assert!(measured(&chunked.check().unwrap()));
}
