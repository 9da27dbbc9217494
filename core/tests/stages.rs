//! Stages of a pipeline with different numbers of layers, as Megatron-LM is told: published cuts of large models.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

use memory_wall_core::evaluate::{StageRanks, per_rank};
use memory_wall_core::layout::{Layout, PipelineSplit};
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::{
    Bytes, Checked, Implementation, Mode, Parallelism, Scenario, Verdict, ZeroStage, cost, evaluate,
};

const EVEN: PipelineSplit = PipelineSplit { first: None, last: None, embedding: false, loss: false, layout: None };

fn layout(text: &str) -> PipelineSplit {
    PipelineSplit { layout: Some(Layout::read(text).unwrap()), ..EVEN }
}

fn run(model: &str, parallel: Parallelism, micro_batches: u32, seq_length: u32) -> Checked {
    let architecture = models::by_id(model).unwrap().architecture;
    let mut run = Scenario { mode: Mode::Training, seq_length, ..Scenario::new(architecture) };
    run.parallel = Parallelism { sequence_parallel: parallel.tp > 1, zero: ZeroStage::Optimizer, ..parallel };
    (run.training.implementation, run.training.micro_batches) = (Implementation::Megatron, micro_batches);
    run.training.recipe = run.usual_recipe();
    run.gpu = gpus::by_id("h100-sxm");
    run.check().unwrap()
}

/// `deepseek_v3_pretrain_1024gpu_h100_bf16_config` of Megatron-Bridge at 067f987 (2026-08).
const DEEPSEEK: Parallelism =
    Parallelism { tp: 2, pp: 8, virtual_stages: 4, ep: 64, etp: Some(1), dp: 64, ..Parallelism::ONE };

fn deepseek() -> Checked {
    run("deepseek-v3", Parallelism { split: layout("Et|(tt|)*30mL"), ..DEEPSEEK }, 256, 4_096)
}

#[test]
fn stages_of_deepseek_hold_what_its_layout_says() {
    let run = deepseek();
    let stages: Vec<StageRanks> = per_rank(&run).collect();
    assert_eq!(stages.iter().map(|stage| stage.layers).collect::<Vec<_>>(), [7, 8, 8, 8, 8, 8, 8, 7]);
    assert_eq!(stages.iter().map(|stage| stage.predicting).collect::<Vec<_>>(), [0, 0, 0, 0, 0, 0, 0, 1]);
    // The first three layers are dense, one on the first stage and two on the second. Four of 256 experts are on each GPU.
    let expert = 3 * 7_168 * 2_048;
    let mixtures = [6, 6, 8, 8, 8, 8, 8, 7];
    assert_eq!(stages.iter().map(|stage| stage.parameters.experts / (4 * expert)).collect::<Vec<_>>(), mixtures);
    // The layer that guesses ahead brings a copy of the embedding table and a projection.
    let table = stages[0].parameters.embedding;
    assert_eq!(stages[7].parameters.embedding, table);
    assert_eq!(stages[1].parameters.embedding, 0);
    let without = run.with(|it| it.parallel.split = layout("Et|(tt|)*30L")).unwrap();
    let last = per_rank(&without).last().unwrap();
    assert_eq!((last.layers, last.parameters.embedding), (6, 0));
    let layer = stages[2].parameters.matrices / 8;
    let more = stages[7].parameters.matrices - last.parameters.matrices;
    assert_eq!(more, layer + 2 * 7_168 * 7_168 / 2);
    // The loss scores two tokens at each place.
    assert!(stages[7].total > last.total + Bytes(12 * 4_096 * 129_280 / 2));
    // The first of eight mixtures: dense layers, which the two in front of it have too, keep less for the backward pass.
    assert_eq!(evaluate(&run).stage, 2);
}

/// Megatron-Bridge: `qwen3_235b_a22b_pretrain_256gpu_h100_bf16_config` and `llama31_405b_pretrain_1024gpu_h100_bf16_config`, with the tables that count as layers in their model providers.
#[test]
fn published_cuts_of_large_models_go_on_their_gpus() {
    let tables = PipelineSplit { embedding: true, loss: true, ..EVEN };
    let llama = Parallelism { tp: 8, pp: 8, cp: 2, virtual_stages: 8, dp: 8, split: tables, ..Parallelism::ONE };
    let llama = run("llama-3.1-405b", llama, 192, 8_192);
    let stages: Vec<u64> = per_rank(&llama).map(|stage| stage.layers).collect();
    assert_eq!(stages, [15, 16, 16, 16, 16, 16, 16, 15]);
    let qwen = Parallelism { split: tables, ep: 32, dp: 16, ..DEEPSEEK };
    let qwen = run("qwen3-235b-a22b", qwen, 512, 4_096);
    let stages: Vec<u64> = per_rank(&qwen).map(|stage| stage.layers).collect();
    assert_eq!(stages, [11, 12, 12, 12, 12, 12, 12, 11]);
    // The mixture has 27% of its need to spare, where uneven routing was seen to take up to 29%.
    for (run, verdict) in [(llama, Verdict::Tight), (qwen, Verdict::Tight)] {
        let fit = evaluate(&run).fit.unwrap();
        assert_eq!(fit.verdict, verdict, "{fit:?}");
    }
}

/// Every layer is on one stage, however they are spread.
#[test]
fn stages_hold_the_model_between_them() {
    let whole = models::by_id("llama-3.1-405b").unwrap().architecture.parameters().total();
    for (split, pp, virtual_stages) in [
        (EVEN, 9, 2),
        (PipelineSplit { first: Some(6), ..EVEN }, 9, 1),
        (PipelineSplit { first: Some(2), last: Some(4), ..EVEN }, 8, 2),
        (PipelineSplit { embedding: true, loss: true, ..EVEN }, 16, 4),
        (PipelineSplit { loss: true, ..EVEN }, 127, 1),
        (layout("Et*20|t*40|t*36||t*30|L"), 3, 2),
    ] {
        let run = run("llama-3.1-405b", Parallelism { pp, virtual_stages, split, ..Parallelism::ONE }, pp, 4_096);
        let stages: Vec<StageRanks> = per_rank(&run).collect();
        assert_eq!(stages.iter().map(|stage| stage.layers).sum::<u64>(), 126, "{split:?}");
        let held: u64 = stages.iter().map(|stage| stage.parameters.total()).sum();
        let padding = 2 * 16_384 * u64::from(run.vocabulary() - run.architecture.vocab_size);
        assert_eq!(held, whole + padding, "{split:?}");
    }
}

/// The most layers of a stage that are in flight, by the schedule of Megatron-LM written out.
fn by_schedule(chunks: &[u64], pp: usize, micro_batches: usize, stage: usize) -> u64 {
    let v = chunks.len() / pp;
    let at = |turn: usize| chunks[turn * pp + stage];
    if v == 1 {
        return at(0) * micro_batches.min(pp - stage) as u64;
    }
    let forward: Vec<usize> = (0..micro_batches / pp).flat_map(|_| (0..v).flat_map(|turn| vec![turn; pp])).collect();
    let warm_up = (2 * (pp - stage - 1) + (v - 1) * pp).min(forward.len());
    let (mut held, mut most) = (0, 0);
    for (step, turn) in forward.iter().enumerate() {
        held += at(*turn);
        most = most.max(held);
        if step >= warm_up {
            held -= at(v - 1 - forward[step - warm_up]);
        }
    }
    most
}

#[test]
fn layers_in_flight_are_those_of_the_schedule() {
    for (text, pp) in [
        ("Et*3|tt|t|tttt||t*5|t|tL", 4),
        ("E|t*4|tt|t*9|t|tL", 3),
        ("Et|t*16L", 2),
        ("Et*8||t|t*7|t|L", 2),
        ("Et*9|||t*8L", 2),
    ] {
        let split = layout(text);
        let it = split.layout.unwrap();
        let chunks: Vec<u64> = (0..it.stages()).map(|stage| it.at(stage).into()).collect();
        let virtual_stages = it.stages() / pp;
        for rounds in [1, 2, 5] {
            let micro_batches = pp * rounds;
            let cut = Parallelism { pp, virtual_stages, split, ..Parallelism::ONE };
            let mut run = *run("llama-2-7b", Parallelism { pp: 2, ..Parallelism::ONE }, micro_batches, 128);
            (run.architecture.layers, run.parallel) = (it.layers(), cut);
            let run = run.check().unwrap();
            for stage in 0..pp {
                let expected = by_schedule(&chunks, pp as usize, micro_batches as usize, stage as usize);
                assert_eq!(run.at_stage(stage).local().layers_in_flight, expected, "{text}, {rounds}, {stage}");
            }
        }
    }
}

#[test]
fn the_others_wait_for_the_fullest_stage() {
    let idle = |split, micro_batches| {
        cost::bubble(&run("llama-2-7b", Parallelism { pp: 2, split, ..Parallelism::ONE }, micro_batches, 128))
    };
    // 16 layers on each are 1 of 5 slots; 20 and 12 take four times 20 and once 12, of which half of four times 32 is work.
    assert!((idle(EVEN, 4) - 1.0 / 5.0).abs() < 1e-9);
    let uneven = PipelineSplit { first: Some(20), ..EVEN };
    assert!((idle(uneven, 4) - (1.0 - 64.0 / 92.0)).abs() < 1e-9);
    // The same said in another way.
    let same = PipelineSplit { first: Some(16), ..EVEN };
    assert!((idle(same, 4) - idle(EVEN, 4)).abs() < 1e-9);
}
