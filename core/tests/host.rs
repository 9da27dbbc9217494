//! What offloaded training keeps in host memory, against what the code allocates and public runs ran out of.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use memory_wall_core::memory::host;
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::{Checkpointing, Implementation, Mode, Offload, Recipe, Scenario, Verdict, ZeroStage, evaluate};

const OPTIMIZER: Offload = Offload { optimizer: true, parameters: false, kv_cache: false };
const BOTH: Offload = Offload { parameters: true, ..OPTIMIZER };

fn step(model: &str, dp: u32, zero: ZeroStage, offload: Offload) -> Scenario {
    let shape = models::by_id(model).unwrap().architecture;
    let mut scenario =
        Scenario { mode: Mode::Training, checkpointing: Checkpointing::Full, offload, ..Scenario::new(shape) };
    (scenario.parallel.dp, scenario.parallel.zero) = (dp, zero);
    scenario
}

/// Bytes a parameter of the rank's part.
fn each(scenario: &Scenario) -> f64 {
    let host = host::of(&scenario.check().unwrap()).unwrap();
    let parameters = scenario.architecture.parameters().total() as f64;
    host.each.0 as f64 * f64::from(scenario.parallel.dp) / parameters
}

/// `DeepSpeed` issue 7693: 18 bytes a parameter with ZeRO-2. ZeRO-3 has gradients twice, and 2 bytes of weights where they wait too.
#[test]
fn a_process_keeps_what_the_code_allocates() {
    for (zero, offload, bytes) in [
        (ZeroStage::Optimizer, OPTIMIZER, 18.0),
        (ZeroStage::Gradients, OPTIMIZER, 18.0),
        (ZeroStage::Weights, OPTIMIZER, 18.0),
        (ZeroStage::Weights, BOTH, 20.0),
    ] {
        for (model, dp) in [("llama-2-7b", 1), ("llama-3.1-8b", 8), ("yi-1.5-34b", 8)] {
            let found = each(&step(model, dp, zero, offload));
            assert!((found - bytes).abs() < 0.001, "{model} {dp} {zero:?}: {found}");
        }
    }
    let mut several = step("llama-2-7b", 4, ZeroStage::Gradients, OPTIMIZER);
    several.training.micro_batches = 4;
    assert!((each(&several) - 20.0).abs() < 0.001);
    // FSDP offloads its shards, and copies none: 8 bytes in bf16, 16 in fp32.
    for (recipe, bytes) in [(Recipe::Pure, 8.0), (Recipe::Autocast, 16.0)] {
        let mut shards = step("llama-3.1-8b", 8, ZeroStage::Weights, BOTH);
        shards.training.recipe = recipe;
        assert!((each(&shards) - bytes).abs() < 0.001, "{recipe:?}");
    }
    // Megatron-LM: an fp32 copy, two moments and gradients in fp32.
    let mut megatron = step("llama-3.1-8b", 8, ZeroStage::Optimizer, OPTIMIZER);
    megatron.training.implementation = Implementation::Megatron;
    assert!((each(&megatron) - 16.0).abs() < 0.001);
    // Nothing without offload, and nothing that generates.
    assert_eq!(host::of(&step("llama-2-7b", 1, ZeroStage::Weights, Offload::default()).check().unwrap()), None);
    let serves = Scenario { mode: Mode::Inference, ..step("llama-2-7b", 1, ZeroStage::None, BOTH) };
    assert_eq!(host::of(&serves.check().unwrap()), None);
}

/// `DeepSpeed` issue 3448: `LLaMA` 33B on eight A100 of 40 GB runs out of 600 GB of host memory, and runs with 750 to 800.
#[test]
fn a_run_that_outgrows_its_computer_does_not_fit() {
    let judged = |gib| {
        let mut run = step("yi-1.5-34b", 8, ZeroStage::Weights, BOTH);
        (run.gpu, run.host_memory) = (gpus::by_id("a100-40-sxm"), gib);
        evaluate(&run.check().unwrap()).fit.unwrap()
    };
    // 688 GB, and up to half more.
    for (gib, verdict) in [
        (None, Verdict::Fits),
        (Some(559), Verdict::DoesNotFit),
        (Some(750), Verdict::Tight),
        (Some(1_000), Verdict::Fits),
    ] {
        assert_eq!(judged(gib).verdict, verdict, "{gib:?}");
        assert_eq!(judged(gib).max_seq == 0, verdict == Verdict::DoesNotFit, "no length helps");
    }
    // torchtune issue 1871: Llama 3.1 70B with FSDP's offload in bf16 runs out of 500 GB.
    let mut run = step("llama-3.1-70b", 8, ZeroStage::Weights, BOTH);
    (run.training.recipe, run.gpu, run.host_memory) = (Recipe::Pure, gpus::by_id("rtx4090"), Some(465));
    assert_eq!(evaluate(&run.check().unwrap()).fit.unwrap().verdict, Verdict::DoesNotFit);
    // Eight GPUs share a computer: sixteen ranks keep as much in each of two as eight of half the part.
    let kept = |dp| host::of(&step("yi-1.5-34b", dp, ZeroStage::Weights, BOTH).check().unwrap()).unwrap();
    assert_eq!([kept(8).ranks, kept(16).ranks, kept(4).ranks], [8, 8, 4]);
    assert!(kept(16).least().0 * 2 < kept(8).least().0 + 1_000);
}
