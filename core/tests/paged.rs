//! Optimizer states that bitsandbytes pages to host memory where the GPU is full.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use memory_wall_core::memory::optimizer;
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::{
    Bucket, Bytes, Checkpointing, Evaluation, LoraTargets, Mode, Optimizer, Recipe, Scenario, Verdict, WeightFormat,
    ZeroStage, evaluate,
};

/// A checkpointed step in bf16.
fn step(model: &str, optimizer: Optimizer, gpu: &str) -> Scenario {
    let mut scenario =
        Scenario { mode: Mode::Training, optimizer, ..Scenario::new(models::by_id(model).unwrap().architecture) };
    (scenario.checkpointing, scenario.seq_length, scenario.gpu) = (Checkpointing::Full, 512, gpus::by_id(gpu));
    scenario.training.recipe = Recipe::Pure;
    scenario
}

fn judged(scenario: &Scenario) -> (Verdict, Evaluation) {
    let evaluation = evaluate(&scenario.check().unwrap());
    (evaluation.fit.unwrap().verdict, evaluation)
}

/// 8.03e9 parameters: 4 bytes of weights and gradients go on 40 GB, and 2 of states beside them do not.
#[test]
fn states_give_way_where_they_are_paged() {
    let paged = step("llama-3-8b", Optimizer::PagedAdamW8bit, "a100-40-sxm");
    let plain = Scenario { optimizer: Optimizer::AdamW8bit, ..paged };
    assert_eq!(judged(&plain).0, Verdict::DoesNotFit);
    let (verdict, evaluation) = judged(&paged);
    assert_eq!((verdict, evaluation.total), (Verdict::Tight, judged(&plain).1.total));
    let fit = evaluation.fit.unwrap();
    assert_eq!(fit.margin.0, 0, "nothing is missing, and nothing to spare");
    assert!(fit.max_seq >= 512 && fit.max_batch >= 1);
    let vectors = 65 * 4_096;
    assert_eq!(optimizer::evictable(&paged.check().unwrap()), Bytes(2 * (8_030_261_248 - vectors)));
    let moved = evaluate::paged_out(&paged.check().unwrap()).unwrap();
    assert_eq!(moved, Bytes(evaluation.total.0 - fit.limit.0));
    // With room for all of them nothing moves.
    let roomy = Scenario { gpu: gpus::by_id("h100-sxm"), ..paged };
    assert_eq!((judged(&roomy).0, evaluate::paged_out(&roomy.check().unwrap())), (Verdict::Fits, None));
    // Weights and gradients alone are more than 24 GB.
    let (verdict, evaluation) = judged(&Scenario { gpu: gpus::by_id("rtx4090"), ..paged });
    assert_eq!(verdict, Verdict::DoesNotFit);
    assert!(evaluation.fit.unwrap().margin.0 < 0);
    // What is missing there is missing without the states.
    let stays = evaluation.total.0 - 2 * (8_030_261_248 - vectors);
    assert_eq!(evaluation.fit.unwrap().margin.0, evaluation.fit.unwrap().limit.minus(Bytes(stays)).0);
    // Unified memory of this kind is CUDA's.
    let amd = Scenario { gpu: gpus::by_id("mi210"), ..paged };
    assert_eq!(optimizer::evictable(&amd.check().unwrap()), Bytes::ZERO);
}

/// torchtune issue 987: Llama 2 70B in bf16 with FSDP on eight A100 of 80 GB takes about 51 GB of each with a paged 8-bit `AdamW`.
#[test]
fn a_published_run_lies_between_all_states_and_none() {
    let mut run = step("llama-2-70b", Optimizer::PagedAdamW8bit, "a100-80-sxm");
    (run.seq_length, run.parallel.dp, run.parallel.zero) = (2_048, 8, ZeroStage::Weights);
    let run = run.check().unwrap();
    let most = evaluate(&run).total.0;
    let least = most - optimizer::evictable(&run).0;
    assert!(
        (40_000_000_000..51_000_000_000).contains(&least) && (51_000_000_000..62_000_000_000).contains(&most),
        "{least} {most}"
    );
}

/// bitsandbytes' paged AdamW of 32 bits keeps fp32 beside 16-bit weights.
#[test]
fn the_wide_one_has_two_moments_in_fp32() {
    let run = step("llama-2-7b", Optimizer::PagedAdamW, "a100-80-sxm").check().unwrap();
    assert_eq!(evaluate(&run).bytes(Bucket::Optimizer), Bytes(8 * 6_738_415_616));
    assert_eq!(evaluate(&run).fit.unwrap().verdict, Verdict::Tight);
}

/// `get_state_buffer` of bitsandbytes pages tensors of 100,000 values and more: of adapters the thin matrices, each by itself.
#[test]
fn states_of_large_adapters_are_paged() {
    let paged = |rank, targets| {
        let mut run = Scenario { mode: Mode::Lora, ..step("llama-2-7b", Optimizer::PagedAdamW, "a100-80-sxm") };
        (run.training.lora.rank, run.training.lora.targets) = (rank, targets);
        optimizer::evictable(&run.check().unwrap()).0
    };
    // 16 × 4,096 are 65,536 values, 16 × 11,008 are 176,128, and 64 × 4,096 are 262,144.
    assert_eq!(paged(16, LoraTargets::QV), 0);
    assert_eq!(paged(16, LoraTargets::ALL_LINEAR), 8 * 32 * 3 * 16 * 11_008);
    assert_eq!(paged(64, LoraTargets::ALL_LINEAR), 8 * 32 * 64 * (4 * 2 * 4_096 + 3 * (4_096 + 11_008)));
    // As QLoRA's paper trains: what goes in only where they give way is tight.
    let mut run = Scenario {
        mode: Mode::Qlora,
        weights: WeightFormat::Nf4Dq,
        ..step("llama-2-70b", Optimizer::PagedAdamW, "rtxa6000")
    };
    (run.training.lora.rank, run.training.lora.targets, run.training.recipe) =
        (64, LoraTargets::ALL_LINEAR, Recipe::Mixed);
    let plain = Scenario { optimizer: Optimizer::AdamW, ..run };
    let [with, without] = [run, plain].map(|it| judged(&it));
    assert_eq!(with.1.total, without.1.total);
    assert_eq!((with.0, without.0), (Verdict::Tight, Verdict::DoesNotFit));
    assert!(without.1.fit.unwrap().margin.0 < 0 && with.1.fit.unwrap().margin.0 == 0);
    // States that ranks share out are not known to be paged.
    let mut shared = run;
    (shared.parallel.dp, shared.parallel.zero) = (2, ZeroStage::Weights);
    assert_eq!(optimizer::evictable(&shared.check().unwrap()), Bytes::ZERO);
}
