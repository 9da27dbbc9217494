//! What DeepSpeed's ZeRO and FSDP hold beside weights, gradients and states, against DeepSpeed's own estimates and what its code does.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use memory_wall_core::advise::Mitigation;
use memory_wall_core::communication;
use memory_wall_core::memory::states;
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::worked::{self, Item};
use memory_wall_core::{
    Bucket, Bytes, Checked, Checkpointing, Implementation, Mode, Offload, Phase, Recipe, Scenario, Sharding, Verdict,
    ZeroStage, evaluate,
};

/// A checkpointed step of mixed precision over so many ranks.
fn step(model: &str, dp: u32, zero: ZeroStage) -> Scenario {
    let mut scenario = Scenario::new(models::by_id(model).unwrap().architecture);
    (scenario.mode, scenario.checkpointing, scenario.seq_length) = (Mode::Training, Checkpointing::Full, 512);
    (scenario.parallel.dp, scenario.parallel.zero) = (dp, zero);
    scenario
}

fn offloaded(model: &str, zero: ZeroStage) -> Scenario {
    let offload = Offload { optimizer: true, ..Offload::default() };
    Scenario { offload, ..step(model, 1, zero) }
}

fn at(scenario: &Checked, phase: Phase, bucket: Bucket) -> u128 {
    worked::total(|sink| bucket.terms(scenario, phase, sink)).0
}

fn item(scenario: &Checked, phase: Phase, wanted: Item) -> u128 {
    let mut sum = 0;
    for bucket in Bucket::EACH {
        bucket.terms(scenario, phase, &mut |term| sum += if term.item == wanted { term.bytes().0 } else { 0 });
    }
    sum
}

/// Weights, gradients, states and the copies of the step.
fn in_step(scenario: &Checked) -> u128 {
    [Bucket::Weights, Bucket::Gradients, Bucket::Optimizer]
        .iter()
        .map(|bucket| at(scenario, Phase::OptimizerStep, *bucket))
        .sum()
}

/// Parameters of Llama 3.1 8B and Llama 2 13B.
const B8: u128 = 8_030_261_248;
const B13: u128 = 13_015_864_320;

/// `estimate_zero2_model_states_mem_needs(total_params, gpus, 1, cpu_offload=False)`: 2 bytes a parameter, and 18 of the partition.
/// The step has the gradients once more, flattened: 2 of the partition.
#[test]
fn a_step_of_zero_2_holds_what_deepspeed_estimates_and_the_flattened_gradients() {
    for dp in [2, 4, 8] {
        let ranks = u128::from(dp);
        let partition = B8.div_ceil(ranks);
        let estimate = 2 * B8 + 18 * B8 / ranks;
        let ours = in_step(&step("llama-3.1-8b", dp, ZeroStage::Gradients).check().unwrap());
        assert!(ours.abs_diff(estimate + 2 * partition) < 64, "dp {dp}: {ours} {estimate}");
        // ZeRO-1 takes the same step: what it reduced for other ranks is gone.
        assert_eq!(ours, in_step(&step("llama-3.1-8b", dp, ZeroStage::Optimizer).check().unwrap()));
    }
}

/// `estimate_zero2_model_states_mem_needs(total_params, 1, 1, cpu_offload=True)`: 2 bytes a parameter.
#[test]
fn zero_offload_leaves_the_weights_on_the_gpu() {
    let run = offloaded("llama-2-13b", ZeroStage::Gradients).check().unwrap();
    assert_eq!(states(&run), [2 * B13, 0, 0, 0, 0].map(Bytes));
    assert_eq!(in_step(&run), 2 * B13);
    // Adding micro-batches up happens in host memory.
    let several = run.with(|it| it.training.micro_batches = 8).unwrap();
    assert_eq!(evaluate(&several).total, evaluate(&run).total);
}

/// 13 billion parameters on one V100 of 32 GB are the example of the ZeRO-Offload paper (Ren et al. 2021).
#[test]
fn zero_offload_fits_13_billion_parameters_on_a_v100() {
    let mut run = offloaded("llama-2-13b", ZeroStage::Gradients).on(gpus::by_id("v100-sxm2-32").unwrap());
    run.seq_length = 1_024;
    let evaluation = evaluate(&run.check().unwrap());
    assert!((28.0..31.0).contains(&(evaluation.total.0 as f64 / 1e9)), "{}", evaluation.total.0);
    assert!(evaluation.fit.unwrap().verdict.holds());
    // Without --zero nothing says that gradients leave the GPU.
    run.parallel.zero = ZeroStage::None;
    assert_eq!(evaluate(&run.check().unwrap()).fit.unwrap().verdict, Verdict::DoesNotFit);
}

/// ZeRO-1 calls `reduce_gradients` when the backward pass is over: until then all gradients are on the GPU.
#[test]
fn zero_1_offloads_gradients_at_the_end() {
    let run = offloaded("llama-2-13b", ZeroStage::Optimizer).check().unwrap();
    assert_eq!(item(&run, Phase::Backward, Item::Gradients), 2 * B13);
    assert_eq!(at(&run, Phase::OptimizerStep, Bucket::Gradients), 0);
}

/// `estimate_zero3_model_states_mem_needs`: 4 bytes for each parameter of the largest layer, its weights and gradients, where all is offloaded; 18 of the partition on top where
/// nothing is. The step widens 1e9 gradients at a time.
#[test]
fn zero_3_holds_no_less_than_deepspeed_estimates() {
    let largest_layer = 4 * 128_256 * 4_096;
    for dp in [1, 2, 8] {
        let mut run = step("llama-3.1-8b", dp, ZeroStage::Weights);
        let all_at_once = 2 * B8 / u128::from(dp) + 14 * B8 / u128::from(dp);
        let copied = item(&run.check().unwrap(), Phase::OptimizerStep, Item::StepTemporary);
        let part = B8.div_ceil(dp.into()).min(1_000_000_000 + u128::from(128_256_u32 * 4_096).div_ceil(dp.into()));
        assert_eq!(copied, 6 * part);
        assert!(in_step(&run.check().unwrap()) >= all_at_once + copied);
        run.offload = Offload { optimizer: true, parameters: true, kv_cache: false };
        let run = run.check().unwrap();
        let backward = evaluate(&run).total - Bytes(evaluate(&run).bytes(Bucket::Overhead).0);
        assert!(backward.0 >= largest_layer, "{}", backward.0);
        assert_eq!(in_step(&run) - at(&run, Phase::OptimizerStep, Bucket::Weights), 0);
    }
}

/// What a new engineer was told of Llama 3.1 8B on GPUs of 80 GB.
#[test]
fn two_ranks_of_zero_1_and_2_do_not_fit_80_gb() {
    let a100 = gpus::by_id("a100-80-sxm");
    for (zero, seq_length) in [(ZeroStage::Gradients, 512), (ZeroStage::Optimizer, 2_048)] {
        let run = Scenario { seq_length, gpu: a100, ..step("llama-3.1-8b", 2, zero) };
        let evaluation = evaluate(&run.check().unwrap());
        assert_eq!(evaluation.fit.unwrap().verdict, Verdict::DoesNotFit);
        // 2 bytes of each weight; of the partition 12 of states, 2 of gradients, 2 flattened, 4 in fp32.
        assert!(evaluation.total.0 > 2 * B8 + 20 * B8 / 2, "{}", evaluation.total.0);
    }
    let four = evaluate(&step("llama-3.1-8b", 4, ZeroStage::Gradients).check().unwrap()).total;
    assert!((52_800_000_000..57_000_000_000).contains(&four.0), "{}", four.0);
}

/// Other codes make no such copies.
#[test]
fn only_deepspeed_is_charged_for_its_copies() {
    let copies = |implementation, recipe, zero| {
        let mut run = step("llama-3.1-8b", 8, zero);
        (run.training.implementation, run.training.recipe) = (implementation, recipe);
        item(&run.check().unwrap(), Phase::OptimizerStep, Item::StepTemporary)
    };
    let part = B8 / 8;
    // The largest gradient, a table, is checked for overflow.
    let check = 11 * 128_256 * 4_096;
    for (implementation, recipe, zero, wanted) in [
        (Implementation::Transformers, Recipe::Mixed, ZeroStage::None, 0),
        (Implementation::Transformers, Recipe::Mixed, ZeroStage::Gradients, 6 * part),
        (Implementation::Transformers, Recipe::MixedFp32Gradients, ZeroStage::Gradients, check),
        (Implementation::Transformers, Recipe::Autocast, ZeroStage::Weights, 0),
        (Implementation::Transformers, Recipe::Pure, ZeroStage::Weights, 0),
        (Implementation::Transformers, Recipe::Pure, ZeroStage::Optimizer, check),
        (Implementation::Torchtitan, Recipe::Pure, ZeroStage::Weights, 0),
        (Implementation::Torchtitan, Recipe::Autocast, ZeroStage::Weights, 0),
        (Implementation::Megatron, Recipe::MixedFp32Gradients, ZeroStage::Optimizer, 0),
        // 16-bit gradients are widened there too, once.
        (Implementation::Megatron, Recipe::Mixed, ZeroStage::Optimizer, 4 * part),
    ] {
        let ours = copies(implementation, recipe, zero);
        assert!(ours.abs_diff(wanted) < 5_000_000, "{implementation:?} {recipe:?} {zero:?}: {ours}");
    }
}

/// Where gradients wait is a matter of the code.
#[test]
fn gradients_follow_the_optimizer_where_the_code_moves_them() {
    let all = Offload { optimizer: true, parameters: true, kv_cache: false };
    let states = Offload { parameters: false, ..all };
    for (implementation, recipe, zero, offload, away) in [
        (Implementation::Transformers, Recipe::Mixed, ZeroStage::None, states, false),
        (Implementation::Transformers, Recipe::Mixed, ZeroStage::Optimizer, states, false),
        (Implementation::Transformers, Recipe::Mixed, ZeroStage::Gradients, states, true),
        (Implementation::Transformers, Recipe::Mixed, ZeroStage::Weights, states, true),
        (Implementation::Transformers, Recipe::Autocast, ZeroStage::Weights, all, true),
        (Implementation::Torchtitan, Recipe::Autocast, ZeroStage::Weights, all, true),
        (Implementation::Megatron, Recipe::MixedFp32Gradients, ZeroStage::Optimizer, states, false),
    ] {
        let mut run = Scenario { offload, ..step("llama-3.1-8b", 2, zero) };
        (run.training.implementation, run.training.recipe) = (implementation, recipe);
        let gradients = item(&run.check().unwrap(), Phase::Backward, Item::Gradients);
        assert_eq!(gradients == 0, away, "{implementation:?} {recipe:?} {zero:?}: {gradients}");
    }
}

/// accelerate's FSDP: hidden states in 16 bits, one shard and gathered weights without resharding, whole gradients of micro-batches.
#[test]
fn fsdp_gathers_weights_in_16_bits() {
    let mut run = step("llama-3.1-8b", 8, ZeroStage::Weights);
    run.training.recipe = Recipe::Autocast;
    let resharded = run.check().unwrap();
    let inputs = |run: &Checked| item(run, Phase::Loss, Item::Checkpoints);
    assert_eq!(inputs(&resharded), 32 * 2 * 512 * 4_096);
    let kept = resharded.with(|it| it.parallel.zero = ZeroStage::Gradients).unwrap();
    assert_eq!(item(&kept, Phase::Loss, Item::GatheredWeights), 2 * B8);
    assert!(at(&kept, Phase::Loss, Bucket::Weights).abs_diff(4 * B8 / 8) < 64);
    // Given back behind the backward pass.
    assert_eq!(at(&kept, Phase::OptimizerStep, Bucket::Activations), 0);
    for zero in [ZeroStage::Gradients, ZeroStage::Weights] {
        let several = resharded.with(|it| (it.parallel.zero, it.training.micro_batches) = (zero, 4)).unwrap();
        assert_eq!(item(&several, Phase::Backward, Item::Gradients), 2 * B8);
        assert!(at(&several, Phase::OptimizerStep, Bucket::Gradients).abs_diff(4 * B8 / 8) < 64);
    }
    // DeepSpeed reduces after each micro-batch.
    let deepspeed = step("llama-3.1-8b", 8, ZeroStage::Gradients).check().unwrap();
    let several = deepspeed.with(|it| it.training.micro_batches = 4).unwrap();
    assert_eq!(item(&several, Phase::Backward, Item::Gradients), 2 * B8.div_ceil(8));
}

/// FSDP2 on a model in bf16, as torchtune trains: shards of weights, gradients and states, two layers and the tables on the way, and nothing cloned.
#[test]
fn fsdp_in_bf16_holds_no_copy_of_the_weights() {
    let mut run = step("llama-3.1-8b", 2, ZeroStage::Weights);
    run.training.recipe = Recipe::Pure;
    let by_fsdp = run.check().unwrap();
    assert_eq!(states(&by_fsdp), [2, 2, 0, 2, 2].map(|bytes| Bytes(bytes * B8 / 2)));
    assert_eq!(in_step(&by_fsdp), 8 * B8 / 2);
    // 40 GB hold it: 4 × 8.03 GB, the tables and two layers, and one layer's gradients.
    let layer = 218_112_000;
    let on_the_way = 2 * (2 * 128_256 * 4_096 + 2 * layer) + 2 * layer;
    let total = evaluate(&by_fsdp).total.0;
    assert!((0..2_500_000_000).contains(&(total - 8 * B8 / 2 - on_the_way)), "{total}");
    let asked = by_fsdp.with(|it| it.training.sharding = Sharding::Fsdp).unwrap();
    assert_eq!(evaluate(&asked).total.0, total);
    // DeepSpeed has a clone and its buckets.
    let by_deepspeed = by_fsdp.with(|it| it.training.sharding = Sharding::DeepSpeed).unwrap();
    assert_eq!(states(&by_deepspeed)[2], Bytes(2 * B8 / 2));
    assert!(evaluate(&by_deepspeed).total.0 > total + B8);
    // In fp32 nothing is narrowed on the way.
    let sent = |recipe| {
        let whole = by_fsdp.with(|it| it.training.recipe = recipe).unwrap();
        communication::bytes(&whole, communication::Traffic::Data)
    };
    assert_eq!(sent(Recipe::Fp32), Bytes(2 * sent(Recipe::Pure).0));
}

/// The fix moves the gradients that it says it moves.
#[test]
fn the_fix_of_offloading_moves_gradients() {
    let run = step("llama-2-7b", 1, ZeroStage::None).check().unwrap();
    let fixed = Mitigation::OffloadOptimizer.apply(&run).unwrap();
    assert_eq!(fixed.parallel.zero, ZeroStage::Gradients);
    assert_eq!(states(&fixed)[1..], [Bytes::ZERO; 4]);
}
