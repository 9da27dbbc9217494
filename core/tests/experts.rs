//! Experts over the ranks of Megatron-LM: over tensor-, context- and data-parallel ones.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use memory_wall_core::communication::{self, Traffic};
use memory_wall_core::parallelism::ParallelError;
use memory_wall_core::scenario::{CutError, TrainerOption};
use memory_wall_core::tables::models;
use memory_wall_core::{
    Bucket, Bytes, Implementation, Mode, Parallelism, Scenario, ScenarioError, ZeroStage, evaluate,
};

fn run(model: &str, parallel: Parallelism) -> Scenario {
    let mut run = Scenario { mode: Mode::Training, ..Scenario::new(models::by_id(model).unwrap().architecture) };
    run.parallel = Parallelism { sequence_parallel: parallel.tp > 1, zero: ZeroStage::Optimizer, ..parallel };
    (run.training.implementation, run.training.micro_batches) = (Implementation::Megatron, parallel.pp);
    run.training.recipe = run.usual_recipe();
    run
}

const ONE: Parallelism = Parallelism::ONE;
/// Parameters of an expert of Qwen3 30B A3B and of Qwen3 235B A22B.
const EXPERT_30B: u64 = 3 * 2_048 * 768;
const EXPERT_235B: u64 = 3 * 4_096 * 1_536;

/// ms-swift, `examples/megatron/mcore_bridge/full/moe.sh`: TP 4, PP 2 and EP 4 on eight GPUs. Megatron-Bridge: TP 2 and EP 32.
#[test]
fn experts_are_spread_over_tensor_parallel_ranks() {
    let qwen = run("qwen3-30b-a3b", Parallelism { tp: 4, pp: 2, ep: 4, ..ONE }).check().unwrap();
    assert_eq!(qwen.local_parameters().experts, 24 * 32 * EXPERT_30B);
    let larger = run("qwen3-235b-a22b", Parallelism { tp: 2, dp: 16, ep: 32, ..ONE }).check().unwrap();
    assert_eq!(larger.local_parameters().experts, 94 * 4 * EXPERT_235B);
    // Nobody else has these experts, so their states are whole: 6 bytes of weights and gradients, 12 of states.
    let held = larger.local_parameters();
    let rest = (held.total() - held.experts).div_ceil(16);
    let states = evaluate(&larger).bytes(Bucket::Optimizer).0;
    assert!(states.abs_diff(12 * u128::from(held.experts + rest)) < 1_000_000, "{states}");
}

/// By itself Megatron-LM cuts each expert as every matrix; recipes set `--expert-tensor-parallel-size 1`.
#[test]
fn whole_experts_are_more_with_twice_the_replicas() {
    let cut = run("qwen3-30b-a3b", Parallelism { tp: 2, dp: 8, ep: 8, ..ONE });
    let whole = Scenario { parallel: Parallelism { etp: Some(1), ..cut.parallel }, ..cut };
    let experts = |run: &Scenario| run.check().unwrap().local_parameters().experts;
    assert_eq!(experts(&cut), 48 * 16 * EXPERT_30B / 2);
    assert_eq!(experts(&whole), 2 * experts(&cut));
    let same = Scenario { parallel: Parallelism { etp: Some(2), ..cut.parallel }, ..cut };
    assert_eq!(evaluate(&same.check().unwrap()).total, evaluate(&cut.check().unwrap()).total);
    // Their states are sharded over two ranks, so that a rank has as many; gradients travel between the two.
    let states = |run: &Scenario| evaluate(&run.check().unwrap()).bytes(Bucket::Optimizer).0;
    assert!(states(&whole).abs_diff(states(&cut)) < 1_000_000);
    let sent = |run: &Scenario| communication::bytes(&run.check().unwrap(), Traffic::Data);
    assert!(sent(&whole) > sent(&cut) + Bytes(4 * u128::from(experts(&whole)) / 2));
}

#[test]
fn what_does_not_divide_is_refused() {
    let refused = |model, parallel| run(model, parallel).check().err();
    let no = |degree, ranks, what, count| {
        Some(ScenarioError::Parallel(ParallelError::DoesNotDivide { degree, ranks, what, count }))
    };
    assert_eq!(refused("qwen3-30b-a3b", Parallelism { dp: 3, ep: 3, ..ONE }), no("ep", 3, "experts", 128));
    assert_eq!(refused("qwen3-30b-a3b", Parallelism { tp: 4, ep: 8, ..ONE }), no("ep", 8, "tp x cp x dp", 4));
    assert_eq!(
        refused("qwen3-30b-a3b", Parallelism { tp: 4, ep: 4, etp: Some(4), ..ONE }),
        no("ep x etp", 16, "tp x cp x dp", 4)
    );
    assert_eq!(
        refused("llama-3.1-8b", Parallelism { tp: 2, ep: 2, ..ONE }),
        Some(ScenarioError::Parallel(ParallelError::NoExperts))
    );
    let mut titan = run("qwen3-30b-a3b", Parallelism { dp: 8, ep: 8, etp: Some(1), ..ONE });
    (titan.training.implementation, titan.parallel.zero) = (Implementation::Torchtitan, ZeroStage::Weights);
    let own = TrainerOption::ExpertTensor(1);
    assert_eq!(titan.check().err(), Some(ScenarioError::Cut(CutError::Lacks(Implementation::Torchtitan, own))));
}
