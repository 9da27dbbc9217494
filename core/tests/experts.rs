//! Experts over the ranks of Megatron-LM, tensor-, context- and data-parallel ones, and what torchtitan saves of them.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use memory_wall_core::communication::{self, Traffic};
use memory_wall_core::memory::activations::{megatron, torchtitan};
use memory_wall_core::parallelism::ParallelError;
use memory_wall_core::roofline::latency::{Counting, Estimate, estimate};
use memory_wall_core::roofline::{Pass, Task, tasks::by_task};
use memory_wall_core::scenario::{CutError, TrainerOption};
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::worked::Item;
use memory_wall_core::{
    Bucket, Bytes, Checkpointing, Engine, Implementation, Mode, Parallelism, Recipe, Scenario, ScenarioError,
    ZeroStage, evaluate,
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

/// GB/s of the link to experts.
fn link(run: &Scenario, gpu: &str) -> String {
    let rate = communication::link(&run.check().unwrap(), gpus::by_id(gpu).unwrap(), Traffic::Expert).0;
    format!("{:.0}", rate / 1e9)
}

/// Ranks that share experts are neighbours, however many other ranks and stages there are.
#[test]
fn experts_within_a_computer_or_a_rack_need_no_network() {
    let of = |gpu, parallel| link(&run("qwen3-30b-a3b", parallel), gpu);
    for (dp, pp) in [(8, 1), (16, 1), (128, 1), (32, 4)] {
        assert_eq!(of("h100-sxm", Parallelism { dp, pp, ep: 8, ..ONE }), "450");
    }
    assert_eq!(of("gb200", Parallelism { dp: 128, ep: 64, ..ONE }), "900");
    // Each expert cut in two: they are sixteen. Whole, spread over both tensor-parallel ranks, they are eight.
    let cut = Parallelism { tp: 2, dp: 16, ep: 8, ..ONE };
    assert_eq!(of("h100-sxm", cut), "231");
    assert_eq!(of("h100-sxm", Parallelism { etp: Some(1), ..cut }), "450");
    // Of sixteen ranks, the eight of the other computer hold one of eight experts nearly always: one copy crosses, of 15·(1 − (15/16)⁸) in all.
    assert_eq!(of("h100-sxm", Parallelism { dp: 16, ep: 16, ..ONE }), "304");
    // vLLM's are on the computers of all stages.
    let parallel = Parallelism { dp: 2, tp: 2, ep: 4, ..ONE };
    let vllm = |pp| {
        let mut run = Scenario::new(models::by_id("qwen3-30b-a3b").unwrap().architecture);
        (run.serving.engine, run.parallel) = (Engine::Vllm, Parallelism { pp, ..parallel });
        link(&run, "h100-sxm")
    };
    assert_eq!([vllm(2), vllm(4)], ["450", "50"]);
}

fn step(run: &Scenario, gpu: &str) -> Estimate {
    estimate(&run.check().unwrap(), gpus::by_id(gpu).unwrap(), Pass::Training, Counting::of(run))
}

/// Megatron-Bridge at 067f987, `docs/performance-summary-archive.md`, container 25.11, 256 GPUs in BF16 with layouts of its recipes;
/// Automodel at 36044ad, `docs/performance-summary.mdx`, 64 H100. Read 2026-11-26.
#[test]
fn measured_steps_of_mixtures_are_within_their_range() {
    let bridge = |model, [dp, pp, ep, virtual_stages]: [u32; 4], batch, micro_batches| {
        let mut it = run(model, Parallelism { dp, pp, ep, virtual_stages, ..ONE });
        (it.parallel.split.embedding, it.parallel.split.loss) = (virtual_stages > 1, virtual_stages > 1);
        (it.batch, it.seq_length, it.training.micro_batches) = (batch, 4_096, micro_batches);
        it
    };
    let first = bridge("qwen3-235b-a22b", [64, 4, 16, 12], 2, 64);
    let second = bridge("qwen3-235b-a22b", [32, 8, 32, 3], 1, 256);
    let mut third = bridge("deepseek-v3", [128, 2, 32, 1], 1, 32);
    third.parallel.split.first = Some(31);
    let mut nemotron = bridge("nemotron-3-super-120b", [64, 1, 64, 1], 2, 4);
    (nemotron.training.implementation, nemotron.checkpointing) = (Implementation::Transformers, Checkpointing::Full);
    (nemotron.training.recipe, nemotron.parallel.zero) = (Recipe::Pure, ZeroStage::Weights);
    let mut slow = bridge("gpt-oss-120b", [64, 1, 64, 1], 2, 10);
    slow.seq_length = 8_192;
    for (it, gpu, measured) in [
        (slow, "gb300", 18_347.0),
        (first, "gb300", 6_131.0),
        (second, "gb200", 4_916.0),
        (third, "gb300", 3_848.0),
        (nemotron, "h100-sxm", 4_497.0),
    ] {
        let tokens = f64::from(it.batch * it.training.micro_batches * it.seq_length / it.parallel.pp);
        let (time, run) = (step(&it, gpu), tokens / measured);
        assert!(time.floor.0 < run && run < time.upper.0, "{} {run} {}", time.lower.0, time.upper.0);
    }
}

/// Bytes that one GPU sends to experts and back in a step.
fn listed(run: &Scenario) -> u128 {
    let it = run.check().unwrap();
    let all = by_task(&it, gpus::by_id("h100-sxm").unwrap(), Pass::Training, Counting::of(&it).kernels);
    all.iter().flatten().find(|row| row.task == Task::AllToAll).unwrap().work.written
}

#[test]
fn tensor_parallel_ranks_send_their_own_part_of_the_sequence_to_experts() {
    let one = run("qwen3-30b-a3b", Parallelism { dp: 8, ep: 8, ..ONE });
    let two = run("qwen3-30b-a3b", Parallelism { tp: 2, dp: 8, ep: 8, ..ONE });
    assert!(listed(&one).abs_diff(2 * listed(&two)) < 1_000);
}

/// Nemotron 3 Super: experts are fed 1,024 of 4,096 values, and that is what travels to them.
#[test]
fn tokens_travel_at_the_width_at_which_they_enter_the_experts() {
    let narrow = run("nemotron-3-super-120b", Parallelism { dp: 64, ep: 64, ..ONE });
    let mut wide = narrow;
    wide.architecture.moe.as_mut().unwrap().latent_size = None;
    let sent = |it: &Scenario| communication::bytes(&it.check().unwrap(), Traffic::Expert).0;
    assert_eq!(sent(&wide), 4 * sent(&narrow));
    assert!(listed(&wide).abs_diff(4 * listed(&narrow)) < 10_000);
}

/// Megatron-LM makes queries, keys and values contiguous for Transformer Engine: whole heads of 192, values and an output of 128, and the short vectors around their norms.
#[test]
fn latent_attention_in_megatron_keeps_values_at_their_own_width() {
    let mut scenario = Scenario::new(models::by_id("deepseek-v3").unwrap().architecture);
    (scenario.mode, scenario.training.implementation) = (Mode::Training, Implementation::Megatron);
    let scenario = scenario.check().unwrap();
    let mut kept = Bytes::default();
    megatron::layers(&scenario, 1, &mut |term| {
        if term.item == Item::AttentionTensors {
            kept += term.bytes();
        }
    });
    // In 16 bits, for each of 128 heads q and k of 192, v and the output of 128; latent vectors of 1,536 and 512 before and after their norms; 64 with the position.
    let token = 2 * 128 * (192 + 192 + 128 + 128) + 2 * 2 * (1_536 + 512) + 2 * 64;
    assert_eq!(kept, Bytes(2_048 * token));
}

/// What torchtitan saves of Qwen3 30B A3B by kind of tensor, for 2,048 tokens in each of 48 layers: 8 of 128 experts of 768, none of them shared.
#[test]
fn torchtitan_saves_a_copy_of_a_token_for_each_expert() {
    let saved = |checkpointing, ep: u32, item| {
        let mut scenario = run("qwen3-30b-a3b", Parallelism { dp: ep, ep, zero: ZeroStage::Weights, ..ONE });
        (scenario.parallel.zero, scenario.checkpointing) = (ZeroStage::Weights, checkpointing);
        (scenario.training.implementation, scenario.training.compile) = (Implementation::Torchtitan, true);
        scenario.training.recipe = scenario.usual_recipe();
        let mut bytes = Bytes::default();
        torchtitan::kept(&scenario.check().unwrap(), &mut |term| {
            if term.item == item {
                bytes += term.bytes();
            }
        });
        bytes
    };
    let copies = |each: u128| Bytes(2_048 * 48 * each * 8 * 2_048);
    // Grouped products are computed again, exchanges are not.
    assert_eq!(saved(Checkpointing::PerOp, 1, Item::ExpertTensors), Bytes(0));
    assert_eq!(saved(Checkpointing::PerOp, 1, Item::MlpTensors), Bytes(0));
    assert_eq!(saved(Checkpointing::PerOp, 8, Item::ExpertTensors), copies(4));
    assert_eq!(saved(Checkpointing::None, 8, Item::ExpertTensors), copies(4));
    assert_eq!(saved(Checkpointing::Full, 8, Item::ExpertTensors), Bytes(0));
    // Beside them gate and up of each visited expert.
    assert_eq!(saved(Checkpointing::None, 1, Item::MlpTensors), Bytes(2_048 * 48 * 4 * 8 * 768));
}
