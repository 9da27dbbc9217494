//! Pipelines that micro-batches pass both ways: `DeepSeek`'s `DualPipe`, and the half of it.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use memory_wall_core::assumptions::Assumptions;
use memory_wall_core::communication::{self, Traffic};
use memory_wall_core::evaluate::per_rank;
use memory_wall_core::layout::{Layout, PipelineSplit, SplitError};
use memory_wall_core::memory::activations::megatron;
use memory_wall_core::roofline::latency::{Counting, estimate};
use memory_wall_core::roofline::operations::{Kernels, Unit};
use memory_wall_core::roofline::tasks::{TaskTotal, by_task};
use memory_wall_core::roofline::{Pass, Task};
use memory_wall_core::scenario::{BothWays, CutError, TrainerOption};
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::{
    Bucket, Checked, Checkpointing, Fp8, Fp8Recipe, Implementation, Loss, Mode, Moments, Parallelism, PipelineSchedule,
    Recipe, RecomputedModules, Scenario, ScenarioError, Verdict, ZeroStage, cost, evaluate, worked,
};

use PipelineSchedule::{DualPipe, DualPipeV, OneForwardOneBackward};

const TOKENS: u128 = 4_096;

/// Llama 3.1 8B: 32 layers.
fn run(schedule: PipelineSchedule, pp: u32, micro_batches: u32) -> Scenario {
    let shape = models::by_id("llama-3.1-8b").unwrap().architecture;
    let mut run = Scenario { mode: Mode::Training, seq_length: 4_096, ..Scenario::new(shape) };
    run.parallel = Parallelism { pp, schedule, ..Parallelism::ONE };
    run.training.implementation = Implementation::Megatron;
    run.training.recipe = run.usual_recipe();
    run.training.micro_batches = micro_batches;
    run
}

/// `README.md` of github.com/deepseek-ai/DualPipe: parameters 2×, activations PP + 1, for 8 stages of 4 layers.
#[test]
fn a_rank_holds_two_stages_and_one_micro_batch_more_than_there_are() {
    let dual = run(DualPipe, 8, 16).check().unwrap();
    let plain = run(OneForwardOneBackward, 8, 16).check().unwrap();
    let half = run(DualPipeV, 4, 16).check().unwrap();
    let parameters = |it: &Checked, stage| it.at_stage(stage).local_parameters().total();
    for stage in 0..8 {
        assert_eq!(parameters(&dual, stage), parameters(&plain, stage) + parameters(&plain, 7 - stage));
        let local = dual.at_stage(stage).local();
        assert_eq!((local.layers, local.layers_in_flight, local.chunks_in_flight), (8, 4 * 9, 9));
        assert_eq!([local.embedding, local.head], [matches!(stage, 0 | 7); 2]);
    }
    // The same stages on half of the ranks.
    for stage in 0..4 {
        assert_eq!(parameters(&half, stage), parameters(&dual, stage));
        assert_eq!(half.at_stage(stage).local(), dual.at_stage(stage).local());
    }
    let all: u64 = (0..4).map(|stage| parameters(&half, stage)).sum();
    assert_eq!(all, models::by_id("llama-3.1-8b").unwrap().architecture.parameters().total());
    // What a layer keeps, 36 times; final norm and head once.
    let kept = |it: &Checked, layers| worked::total(|sink| megatron::layers(it, layers, sink)).0;
    let saved = worked::total(|sink| megatron::kept(&dual.at_stage(3), sink)).0;
    assert_eq!(saved, 36 * kept(&dual, 1));
}

/// The schedule itself, step by step as `DualPipe.step` says it: forward and backward passes of either chunk on a rank, with the most of each that are held at once.
#[test]
fn as_many_are_held_as_the_published_code_holds() {
    for (ranks, chunks) in [(4, 8), (8, 20), (16, 32)] {
        for rank in 0..ranks {
            let (half, own) = (ranks / 2, rank.min(ranks - 1 - rank));
            let (mut held, mut most) = ([0_u64; 2], [0_u64; 2]);
            let mut together = 0;
            // Two passes that overlap are both held.
            let mut passes = |forward: Option<usize>, backward: Option<usize>| {
                if let Some(phase) = forward {
                    held[phase] += 1;
                }
                most = [0, 1].map(|phase| most[phase].max(held[phase]));
                together = together.max(held[0] + held[1]);
                if let Some(phase) = backward {
                    held[phase] -= 1;
                }
            };
            (0..2 * (half - own - 1)).for_each(|_| passes(Some(0), None));
            (0..=own).for_each(|_| [0, 1].into_iter().for_each(|phase| passes(Some(phase), None)));
            for _ in 0..half - own - 1 {
                passes(None, Some(1));
                passes(Some(1), None);
            }
            for _ in 0..=(chunks / 2 - ranks + own) {
                passes(Some(0), Some(1));
                passes(Some(1), Some(0));
            }
            for _ in 0..half - own - 1 {
                passes(None, Some(1));
                passes(Some(1), Some(0));
            }
            (0..=own).for_each(|_| [1, 0].into_iter().for_each(|phase| passes(None, Some(phase))));
            (0..half - own - 1).for_each(|_| passes(None, Some(0)));
            assert_eq!(held, [0, 0]);
            // Of the stage as far from the first, and of that as far from the last.
            let far = [ranks - own, own + 1].map(u64::from);
            assert_eq!(most, far, "rank {rank} of {ranks}");
            let mut counted = run(DualPipe, ranks, chunks);
            // 64 layers on the nearer stage are held as often as it is.
            counted.architecture.layers = 64 + ranks - 1;
            let layout = (0..ranks).map(|stage| if stage == own { "t*64" } else { "t" }).collect::<Vec<_>>().join("|");
            counted.parallel.split.layout = Layout::read(&format!("E{layout}L")).ok();
            let local = counted.check().unwrap().at_stage(rank).local();
            assert_eq!(together, local.chunks_in_flight, "rank {rank} of {ranks}");
            assert_eq!(local.layers_in_flight, 64 * most[0] + most[1], "rank {rank} of {ranks}");
        }
    }
}

/// (PP/2 − 1)(F&B + B − 3W) beside m·(F + B), with B = 2F, W = F and F&B = F + B; with full recomputation B = 3F.
#[test]
fn it_waits_as_long_as_published() {
    let idle = |schedule, pp, m| cost::bubble(&run(schedule, pp, m).check().unwrap());
    let near = |one: f64, other: f64| assert!((one - other).abs() < 1e-9, "{one} {other}");
    near(idle(DualPipe, 8, 16), 3.0 * 2.0 / (3.0 * 16.0 + 3.0 * 2.0));
    near(idle(DualPipe, 2, 16), 0.0);
    // Chunks of half the length, which each micro-batch passes twice.
    near(idle(DualPipeV, 8, 16), 7.0 * 2.0 / (2.0 * 3.0 * 16.0 + 7.0 * 2.0));
    let mut full = run(DualPipe, 8, 16);
    full.checkpointing = Checkpointing::Full;
    near(cost::bubble(&full.check().unwrap()), 3.0 * 4.0 / (4.0 * 16.0 + 3.0 * 4.0));
    assert!(idle(DualPipeV, 8, 16) < idle(OneForwardOneBackward, 8, 16));
    // The work is the same however it is cut, and so is the fast end of its time; a pipeline that waits less is no slower.
    let gpu = gpus::by_id("h100-sxm").unwrap();
    let time = |schedule, m| {
        let run = run(schedule, 8, m).check().unwrap();
        estimate(&run, gpu, Pass::Training, Counting::of(&run))
    };
    let [one, dual, half] = [OneForwardOneBackward, DualPipe, DualPipeV].map(|schedule| time(schedule, 64));
    assert!(dual.upper.0 < one.upper.0 && half.upper.0 < one.upper.0);
    for it in [dual, half] {
        assert!(it.lower.0 < 1.01 * one.lower.0 && it.lower.0 > 0.75 * one.lower.0, "{it:?} {one:?}");
    }
}

#[test]
fn each_end_gets_half_of_the_micro_batches() {
    let sent = |schedule, stage| {
        let mut run = run(schedule, 8, 16);
        (run.parallel.tp, run.parallel.sequence_parallel) = (2, true);
        let run = run.check().unwrap().at_stage(stage);
        [Traffic::Tensor, Traffic::Pipeline].map(|traffic| communication::bytes(&run, traffic).0)
    };
    // Two stages, and half of the micro-batches through each.
    let stream = TOKENS * 4_096 * 2 / 2;
    for stage in 1..7 {
        assert_eq!(sent(DualPipe, stage), sent(OneForwardOneBackward, stage));
        assert_eq!(sent(DualPipe, stage)[1], 16 * 2 * stream);
    }
    assert_eq!(sent(DualPipe, 0)[1], 8 * 2 * stream);
    // To and fro: 4 times, but the ends send the last ones to nobody, and at the turn nothing leaves the rank.
    assert_eq!([0, 3, 7].map(|stage| sent(DualPipeV, stage)[1] / stream / 16), [2, 4, 2]);
}

/// Llama 3.1 70B over 8 tensor-parallel ranks and 8 stages, with 32 micro-batches.
fn large(schedule: PipelineSchedule, virtual_stages: u32) -> Checked {
    let shape = models::by_id("llama-3.1-70b").unwrap().architecture;
    let mut run = Scenario { architecture: shape, ..run(schedule, 8, 32) };
    (run.parallel.tp, run.parallel.sequence_parallel, run.parallel.virtual_stages) = (8, true, virtual_stages);
    run.check().unwrap()
}

fn rows(run: &Checked) -> Vec<TaskTotal> {
    by_task(run, gpus::by_id("h100-sxm").unwrap(), Pass::Training, Kernels::of(run)).into_iter().flatten().collect()
}

#[test]
fn the_rows_of_the_fullest_rank_are_the_step() {
    let gpu = gpus::by_id("h100-sxm").unwrap();
    for schedule in [OneForwardOneBackward, DualPipe, DualPipeV] {
        let run = large(schedule, 1);
        let step = estimate(&run, gpu, Pass::Training, Counting::of(&run));
        let all = |stage| {
            let rows = rows(&run.at_stage(stage));
            let kernels = rows.iter().filter(|row| row.unit != Unit::Link);
            (kernels.clone().map(|row| row.lower.0).sum::<f64>(), kernels.map(|row| row.work.flops).sum::<u128>())
        };
        // The last rank has the head; with DualPipe the first one too.
        let (seconds, flops) = all(if schedule == DualPipeV { 0 } else { 7 });
        assert_eq!(flops, step.work.flops, "{schedule:?}");
        assert!((seconds / step.kernels().0 - 1.0).abs() < 1e-9, "{schedule:?} {seconds} {:?}", step.kernels());
    }
    // Of two stages each takes half of the micro-batches.
    let inner = [OneForwardOneBackward, DualPipe].map(|schedule| rows(&large(schedule, 1).at_stage(3)));
    let flops = inner.map(|rows| rows.iter().find(|row| row.task == Task::MlpUp).map(|row| row.work.flops));
    assert_eq!(flops[0], flops[1]);
}

#[test]
fn what_goes_to_other_stages_is_what_the_operations_send() {
    let listed = |run: &Checked| rows(run).iter().find(|row| row.task == Task::StageLink).map(|row| row.work.written);
    for (schedule, chunks) in [(OneForwardOneBackward, 1), (OneForwardOneBackward, 5), (DualPipe, 1), (DualPipeV, 1)] {
        for stage in 0..8 {
            let run = large(schedule, chunks).at_stage(stage);
            let sent = communication::bytes(&run, Traffic::Pipeline).0;
            assert_eq!(listed(&run), Some(sent), "{schedule:?} {chunks} {stage}");
        }
    }
    let [one, dual] = [OneForwardOneBackward, DualPipe].map(|schedule| large(schedule, 1).at_stage(3));
    assert_eq!(listed(&dual), listed(&one));
    // An inner rank sets the pace of the links in the estimate as well.
    let gpu = gpus::by_id("h100-sxm").unwrap();
    let links =
        |run: &Checked| rows(run).iter().filter(|row| row.unit == Unit::Link).map(|row| row.lower.0).sum::<f64>();
    for run in [one, dual, large(DualPipeV, 1).at_stage(3)] {
        let step = estimate(&run, gpu, Pass::Training, Counting::of(&run));
        assert!((step.links.0 / links(&run) - 1.0).abs() < 1e-9, "{} {}", step.links.0, links(&run));
    }
}

/// Every stage is on two ranks, each of which has the gradients of half of the micro-batches.
#[test]
fn both_copies_of_a_stage_agree_on_their_gradients() {
    let sent = |schedule, dp, zero| {
        let mut run = run(schedule, 8, 16);
        (run.parallel.dp, run.parallel.zero) = (dp, zero);
        let run = run.check().unwrap().at_stage(3);
        communication::bytes(&run, Traffic::Data).0
    };
    // 8 of 32 layers: gradients in fp32, weights in bf16.
    let parameters = 8 * 218_112_000;
    let (gradients, weights) = (4 * parameters, 2 * parameters);
    assert_eq!(sent(DualPipe, 1, ZeroStage::None), gradients);
    assert_eq!(sent(OneForwardOneBackward, 1, ZeroStage::None), 0);
    assert_eq!(sent(DualPipeV, 1, ZeroStage::None), 0);
    // 16 ranks hold the same.
    assert_eq!(sent(DualPipe, 8, ZeroStage::None), gradients * 2 * 15 / 16);
    // Of what is sharded over 8, an eighth is left to be added to the other copy's.
    assert_eq!(sent(DualPipe, 8, ZeroStage::Optimizer), (gradients + weights) * 7 / 8 + gradients / 8);
}

#[test]
fn the_fullest_of_ranks_with_two_stages_is_found() {
    let mut run = deepseek("");
    run.gpu = None;
    let run = run.check().unwrap();
    let most = per_rank(&run).map(|rank| rank.total).max().unwrap();
    assert_eq!(evaluate(&run).total, most);
    let layers: Vec<u64> = per_rank(&run).map(|rank| rank.layers).collect();
    assert_eq!(layers.iter().sum::<u64>(), 2 * 62);
    assert_eq!(layers[0], layers[15]);
}

/// Behind the chunk in front of the last one, two micro-batches are on their way.
#[test]
fn what_predicts_is_held_as_often_as_its_chunk() {
    let kept = |schedule, layout, stage| {
        let mut run = run(schedule, if schedule == DualPipe { 8 } else { 4 }, 16);
        run.parallel.split.layout = Layout::read(layout).ok();
        let run = run.check().unwrap().at_stage(stage);
        let all = worked::total(|sink| megatron::kept(&run, sink)).0;
        all - worked::total(|sink| megatron::layers(&run, run.local().layers_in_flight, sink)).0
    };
    let (last, before) = ("Et*4|(t*4|)*6t*4mL", "Et*4|(t*4|)*5t*8m|L");
    let one = 10 * TOKENS * 4_096;
    for schedule in [DualPipe, DualPipeV] {
        // Beside the final norm and the head's input.
        assert_eq!(kept(schedule, last, 0), one + 4 * TOKENS * 4_096);
        assert_eq!(kept(schedule, before, 1), 2 * one, "{schedule:?}");
    }
}

#[test]
fn other_code_and_other_counts_are_refused() {
    let refused = |run: Scenario| match run.check().err() {
        Some(ScenarioError::Cut(error)) => error,
        other => panic!("{other:?}"),
    };
    for implementation in [Implementation::Transformers, Implementation::Torchtitan, Implementation::Litgpt] {
        let mut it = run(DualPipe, 8, 16);
        (it.training.implementation, it.training.recipe) = (implementation, Recipe::Autocast);
        assert_eq!(refused(it), CutError::Lacks(implementation, TrainerOption::Schedule(DualPipe)));
    }
    let why = |schedule, why| CutError::BothWays(schedule, why);
    let few = |schedule| why(schedule, BothWays::MicroBatches { least: 16, pp: 8 });
    assert_eq!(refused(run(DualPipe, 8, 14)), few(DualPipe));
    assert_eq!(refused(run(DualPipe, 8, 17)), few(DualPipe));
    assert_eq!(refused(run(DualPipeV, 8, 15)), few(DualPipeV));
    assert_eq!(refused(run(DualPipe, 1, 17)), why(DualPipe, BothWays::Stages(1)));
    assert_eq!(refused(run(DualPipeV, 1, 17)), why(DualPipeV, BothWays::Stages(1)));
    assert!(run(DualPipeV, 8, 17).check().is_ok());
    let chunks = |schedule, virtual_stages| {
        let mut run = run(schedule, 8, 16);
        run.parallel.virtual_stages = virtual_stages;
        run
    };
    assert_eq!(refused(chunks(DualPipe, 2)), why(DualPipe, BothWays::Chunks(2)));
    assert!(chunks(DualPipeV, 2).check().is_ok());
    for (error, text) in [
        (few(DualPipe), "DualPipe takes an even number of micro-batches, at least 16 for 8 stages"),
        (few(DualPipeV), "DualPipeV takes at least 16 micro-batches for 8 ranks"),
        (why(DualPipe, BothWays::Stages(7)), "DualPipe takes an even number of stages, not 7"),
        (why(DualPipeV, BothWays::Chunks(3)), "DualPipeV takes two chunks of layers on each rank, not 3"),
    ] {
        assert_eq!(error.to_string(), text);
    }
    // The first rank has the last stage too: 4 layers for the first stage are none of the rank's.
    let mut own = run(DualPipeV, 4, 16);
    own.parallel.split.first = Some(8);
    assert_eq!(refused(own), CutError::Split(SplitError::BothEnds));
    own.parallel.schedule = DualPipe;
    assert!(own.check().is_ok());
    // In inference it says nothing.
    let mut served = run(DualPipe, 1, 1);
    served.mode = Mode::Inference;
    assert_eq!(served.check().unwrap().parallel.schedule, OneForwardOneBackward);
}

/// DeepSeek-V3's report, section 3: 2,048 GPUs, PP 16, EP 64, ZeRO-1, fp8 in blocks with moments in bf16, and norms, up projections and SwiGLU computed again.
fn deepseek(modules: &str) -> Scenario {
    let shape = models::by_id("deepseek-v3").unwrap().architecture;
    let mut run = Scenario { mode: Mode::Training, seq_length: 4_096, ..Scenario::new(shape) };
    run.training.implementation = Implementation::Megatron;
    run.training.recipe = Recipe::MixedFp32Gradients;
    run.training.moments = Moments::Bf16;
    run.training.fp8 = Fp8 { recipe: Fp8Recipe::Blockwise, param_gather: true, input_store: true };
    run.training.loss = Loss::Compiled;
    run.training.micro_batches = 120;
    run.checkpointing = Checkpointing::Selective;
    run.training.recompute = RecomputedModules::of(|module| modules.split(' ').any(|it| it == module.id()));
    let layout = Layout::read("Et*4|(t*4|)*14tmL").ok();
    let split = PipelineSplit { layout, ..PipelineSplit::default() };
    let zero = ZeroStage::Optimizer;
    run.parallel = Parallelism { dp: 128, pp: 16, ep: 64, zero, split, schedule: DualPipe, ..Parallelism::ONE };
    run.gpu = gpus::by_id("h800-sxm");
    run
}

/// The last rank has the model's own table beside its MTP layer; with 1F1B it has a copy.
#[test]
fn what_is_said_of_the_table_of_mtp_layers_is_what_is_counted() {
    let said = |schedule| {
        let mut run = deepseek("");
        run.parallel.schedule = schedule;
        let run = run.check().unwrap();
        let all = Assumptions::of(&run);
        let sentences = all.iter().map(|it| it.to_string());
        (
            sentences.filter(|it| it.contains("a copy of the embedding table")).count(),
            run.at_stage(15).local_parameters().embedding,
        )
    };
    let table = 129_280 * 7_168;
    assert_eq!(said(OneForwardOneBackward), (1, table));
    assert_eq!(said(DualPipe), (0, table));
}

/// The report trained so on GPUs with 80 GB, without tensor parallelism: on each rank two of 16 stages of 4 layers, with 4 of 256 experts in each layer.
#[test]
fn deepseek_v3_goes_on_its_gpus_by_what_it_computes_again() {
    let total = |run: Scenario| evaluate(&run.check().unwrap()).total.0;
    let reported = deepseek("layernorm mla_up_proj moe_act");
    let it = evaluate(&reported.check().unwrap());
    assert_ne!(it.fit.unwrap().verdict, Verdict::DoesNotFit);
    assert_eq!(it.total.0, 74_678_044_752);
    // On the first rank and the last: both tables once, although the MTP layer is here too, and experts in the fourth layer, the last and the MTP layer.
    let held = reported.check().unwrap().local_parameters();
    let expert = 3 * 7_168 * 2_048;
    assert_eq!(held.experts, 3 * 4 * expert);
    assert_eq!((held.embedding, held.head), (129_280 * 7_168, 129_280 * 7_168));
    assert_eq!(it.bytes(Bucket::Gradients).0, u128::from(4 * held.total()));
    for fewer in ["", "layernorm mla_up_proj", "moe_act"] {
        assert!(total(deepseek(fewer)) > total(reported), "{fewer}");
    }
    assert!(total(deepseek("")) > 100_000_000_000);
    let mut wide = reported;
    (wide.training.fp8, wide.training.moments) = (Fp8::NONE, Moments::ByRecipe);
    assert!(total(wide) > 90_000_000_000);
}
