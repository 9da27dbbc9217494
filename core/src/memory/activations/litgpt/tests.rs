//! Figures of the reference calculation, which was checked by running LitGPT's code with a counter of live tensors; in bytes.

use super::{Era, Method, Run, peak, trained};
use crate::architecture::{Architecture, Biases, Mlp, Norm};
use crate::evaluate::evaluate;
use crate::memory::{Bucket, Phase};
use crate::parallelism::{Parallelism, ZeroStage};
use crate::precision::WeightFormat;
use crate::scenario::{Mode, Scenario};
use crate::training::{Checkpointing, Implementation, LoraTargets, Recipe, StepKernel};
use crate::units::Bytes;

const OLD: Run = Run { era: Era::Y2023, method: Method::OfTheMode, first_batch: true };
const ALL: LoraTargets = LoraTargets { head: true, ..LoraTargets::ALL_LINEAR };

const LLAMA_2_7B: Architecture = Architecture::llama([32, 4_096, 32, 32, 128, 11_008, 32_000]);
const LLAMA_3_8B: Architecture = Architecture::llama([32, 4_096, 32, 8, 128, 14_336, 128_256]);
const TINYLLAMA: Architecture = Architecture::llama([22, 2_048, 32, 4, 64, 5_632, 32_000]);
const GEMMA_2B: Architecture =
    Architecture { tied_embeddings: true, ..Architecture::llama([18, 2_048, 8, 1, 256, 16_384, 256_000]) };
const GEMMA_2_2B: Architecture = Architecture {
    norms_per_layer: 4,
    soft_capped: true,
    tied_embeddings: true,
    ..Architecture::llama([26, 2_304, 8, 4, 256, 9_216, 256_000])
};
const STABLELM: Architecture = Architecture {
    mlp: Mlp::Gelu,
    norm: Norm::LayerNorm,
    parallel_residual: true,
    biases: Biases { qkv: true, attention_output: true, mlp: true },
    ..Architecture::llama([16, 4_096, 32, 32, 128, 16_384, 50_688])
};
const FALCON_7B: Architecture = Architecture {
    mlp: Mlp::Gelu,
    norm: Norm::LayerNorm,
    norms_per_layer: 1,
    parallel_residual: true,
    tied_embeddings: true,
    ..Architecture::llama([32, 4_544, 71, 1, 64, 18_176, 65_024])
};

fn learning(architecture: Architecture, [batch, seq_length]: [u32; 2], mode: Mode) -> Scenario {
    let mut scenario = Scenario { mode, batch, seq_length, ..Scenario::new(architecture) };
    scenario.training.implementation = Implementation::Litgpt;
    scenario.training.recipe = Recipe::Pure;
    scenario.training.step = StepKernel::Foreach;
    scenario
}

fn lora(shape: Architecture, tokens: [u32; 2], rank: u32, targets: LoraTargets) -> Scenario {
    let mut scenario = learning(shape, tokens, Mode::Lora);
    (scenario.training.lora.rank, scenario.training.lora.targets) = (rank, targets);
    scenario.training.lora.dropout = true;
    scenario
}

/// On a 4-bit model, with paged optimizer states.
fn quantised(scenario: &Scenario, weights: WeightFormat) -> Scenario {
    let mut scenario = Scenario { mode: Mode::Qlora, weights, ..*scenario };
    scenario.offload.optimizer = true;
    scenario
}

fn adding_up(mut scenario: Scenario) -> Scenario {
    scenario.training.micro_batches = 2;
    scenario
}

#[test]
fn scripts_of_2023() {
    let llama = lora(LLAMA_2_7B, [1, 1_304], 8, LoraTargets::QV);
    assert_eq!(peak(&llama.check().unwrap(), OLD), (Phase::FirstStep, Bytes(21_243_451_392)));
    assert_eq!(peak(&quantised(&llama, WeightFormat::Nf4).check().unwrap(), OLD).1, Bytes(14_098_032_640));
    let stablelm = lora(STABLELM, [1, 1_034], 8, LoraTargets::QV);
    assert_eq!(peak(&quantised(&stablelm, WeightFormat::Nf4Dq).check().unwrap(), OLD).1, Bytes(6_189_308_848));
    assert_eq!(peak(&lora(FALCON_7B, [1, 1_079], 8, LoraTargets::QV).check().unwrap(), OLD).1, Bytes(23_333_735_808));
    // Autocast over fp32 weights.
    let mut mixed = Scenario { weights: WeightFormat::Fp32, ..stablelm };
    mixed.training.recipe = Recipe::Autocast;
    assert_eq!(peak(&mixed.check().unwrap(), OLD).1, Bytes(27_292_011_952));
}

#[test]
fn the_other_adapters() {
    let run = |method| Run { method, ..OLD };
    let llama = learning(LLAMA_2_7B, [1, 1_304], Mode::Lora);
    assert_eq!(peak(&llama.check().unwrap(), run(Method::Adapter)).1, Bytes(19_929_902_080));
    assert_eq!(peak(&llama.check().unwrap(), run(Method::AdapterV2)).1, Bytes(25_394_018_784));
    let stablelm = quantised(&learning(STABLELM, [1, 1_034], Mode::Lora), WeightFormat::Nf4);
    assert_eq!(peak(&stablelm.check().unwrap(), run(Method::Adapter)).1, Bytes(5_647_641_712));
    assert_eq!(peak(&stablelm.check().unwrap(), run(Method::AdapterV2)).1, Bytes(7_415_696_720));
    assert_eq!(trained(&stablelm.check().unwrap(), run(Method::Adapter)), 573_888);
    assert_eq!(trained(&stablelm.check().unwrap(), run(Method::AdapterV2)), 2_125_248);
}

#[test]
fn configurations_of_2024() {
    let at = |scenario: Scenario| peak(&adding_up(scenario).check().unwrap(), Run::DEFAULT);
    let llama = lora(LLAMA_3_8B, [1, 512], 32, LoraTargets::QV);
    // With 512 tokens both moments are as full.
    assert_eq!(at(llama).1, Bytes(19_698_950_144));
    let llama = quantised(&lora(LLAMA_3_8B, [2, 512], 32, LoraTargets::QV), WeightFormat::Nf4);
    assert_eq!(at(llama), (Phase::ForwardEnd, Bytes(17_433_174_016)));
    assert_eq!(at(lora(GEMMA_2B, [2, 512], 8, ALL)).1, Bytes(12_576_247_808));
    let gemma = quantised(&lora(GEMMA_2_2B, [2, 512], 16, ALL), WeightFormat::Nf4);
    assert_eq!(at(gemma).1, Bytes(13_505_798_656));
}

#[test]
fn every_parameter() {
    let mut tiny = adding_up(learning(TINYLLAMA, [4, 512], Mode::Training));
    assert_eq!(peak(&tiny.check().unwrap(), Run::DEFAULT).1, Bytes(14_072_733_696));
    // Pre-training with data parallelism, and alone.
    (tiny.seq_length, tiny.training.step) = (2_048, StepKernel::Fused);
    assert_eq!(peak(&tiny.check().unwrap(), Run::DEFAULT).1, Bytes(29_838_655_488));
    tiny.parallel.dp = 8;
    assert_eq!(peak(&tiny.check().unwrap(), Run::DEFAULT).1, Bytes(32_038_752_256));
}

#[test]
fn several_gpus() {
    let sharded = Parallelism { zero: ZeroStage::Weights, ..Parallelism::ONE };
    let mut gemma = adding_up(learning(GEMMA_2B, [1, 512], Mode::Training));
    (gemma.parallel, gemma.checkpointing) = (Parallelism { dp: 4, ..sharded }, Checkpointing::Full);
    assert_eq!(peak(&gemma.check().unwrap(), Run::DEFAULT).1, Bytes(15_877_062_084));
    let mut llama = lora(LLAMA_2_7B, [2, 1_304], 8, LoraTargets::QV);
    (llama.parallel, llama.checkpointing) = (Parallelism { dp: 2, ..sharded }, Checkpointing::Full);
    assert_eq!(peak(&llama.check().unwrap(), OLD).1, Bytes(22_165_645_376));
    // Without the validation pass of 2023 a block at a time is gathered.
    assert!(peak(&llama.check().unwrap(), Run::DEFAULT).1 < Bytes(13_000_000_000));
}

#[test]
fn the_engine_says_the_same() {
    let full = learning(TINYLLAMA, [4, 512], Mode::Training);
    let llama = lora(LLAMA_3_8B, [2, 512], 32, ALL);
    let dry = Scenario {
        training: crate::Training { lora: crate::Lora { dropout: false, ..llama.training.lora }, ..llama.training },
        ..llama
    };
    for scenario in [full, llama, dry, quantised(&llama, WeightFormat::Nf4), quantised(&dry, WeightFormat::Nf4Dq)] {
        let evaluation = evaluate(&scenario.check().unwrap());
        let (phase, bytes) = peak(&scenario.check().unwrap(), Run::DEFAULT);
        let overhead = evaluation.bytes(Bucket::Overhead);
        assert_eq!(evaluation.total - overhead, bytes - Bytes(super::WORKSPACES.into()));
        assert_eq!(evaluation.peak_phase, phase);
    }
}

#[test]
fn a_head_of_its_own() {
    let scenario = learning(GEMMA_2B, [1, 512], Mode::Training).check().unwrap();
    assert_eq!(scenario.trained_parameters(), 2_506_172_416 + 256_000 * 2_048);
    let alone = scenario.with(|it| it.mode = Mode::Inference).unwrap();
    assert_eq!(alone.local_parameters().total(), 2_506_172_416);
}
