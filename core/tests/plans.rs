//! Cuts that do not run, whatever memory there is, and what is proposed in their place.

#![allow(clippy::expect_used, reason = "tests fail by panicking")]

use memory_wall_core::advise::{self, Mitigation};
use memory_wall_core::scenario::{CutError, Demand, TensorSplit, Unsupported};
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::{
    Attention, Bytes, Engine, Implementation, KvPrecision, Mode, Parallelism, Scenario, ScenarioError, WeightFormat,
    ZeroStage, evaluate, solve,
};

/// A model of the table.
fn model(id: &str) -> Scenario {
    models::by_id(id).map(|it| Scenario::new(it.architecture)).expect(id)
}

/// A model that is trained by a code.
fn trained(id: &str, implementation: Implementation, parallel: Parallelism) -> Scenario {
    let mut it = Scenario { mode: Mode::Training, parallel, ..model(id) };
    it.training.implementation = implementation;
    it
}

/// What the training code asks for, `None` if it has it.
fn demand(scenario: &Scenario) -> Option<Demand> {
    match scenario.check() {
        Ok(_) => None,
        Err(ScenarioError::Cut(CutError::Asks(_, demand))) => Some(demand),
        Err(error) => unreachable!("{error}"),
    }
}

/// A model that llama.cpp cuts by tensors over GPUs.
fn split(id: &str, tp: u32, change: impl FnOnce(&mut Scenario)) -> Option<Unsupported> {
    let mut it =
        Scenario { weights: WeightFormat::Q8Zero, parallel: Parallelism { tp, ..Parallelism::ONE }, ..model(id) };
    it.serving.engine = Engine::LlamaCpp;
    change(&mut it);
    match it.check() {
        Ok(_) => None,
        Err(ScenarioError::Runtime(reason)) => Some(reason),
        Err(error) => unreachable!("{error}"),
    }
}

const TP: fn(u32) -> Parallelism = |tp| Parallelism { tp, ..Parallelism::ONE };
const PP: fn(u32) -> Parallelism = |pp| Parallelism { pp, ..Parallelism::ONE };

#[test]
fn llamacpp_cuts_the_matrices_of_plain_models_alone() {
    let refused = |reason| Some(Unsupported::TensorSplit(reason));
    for id in ["deepseek-v2-lite", "falcon-h1-0.5b", "olmo-2-13b", "minimax-m2", "jamba-mini", "nemotron-h-8b"] {
        assert_eq!(split(id, 2, |_| {}), refused(TensorSplit::NotImplemented), "{id}");
        assert_eq!(split(id, 1, |it| it.parallel.pp = 2), None, "{id}: by layers");
    }
    for id in ["mixtral-8x7b", "gemma-3-27b-text", "qwen3-next-80b-a3b"] {
        let reason = split(id, 2, |_| {});
        assert!(matches!(reason, Some(Unsupported::TensorSplit(TensorSplit::NotModelled(_)))), "{id}: {reason:?}");
    }
    let llama = "llama-3.1-8b";
    assert_eq!(split(llama, 2, |_| {}), None);
    assert_eq!(split(llama, 8, |it| it.kv = KvPrecision::Int8), None, "pull request 23792");
    assert_eq!(split(llama, 16, |_| {}), refused(TensorSplit::KvHeads { tp: 16, kv_heads: 8 }));
    assert_eq!(split(llama, 2, |it| it.parallel.pp = 2), refused(TensorSplit::BesideLayers));
    assert_eq!(split(llama, 2, |it| it.attention = Attention::Eager), refused(TensorSplit::Eager));
}

#[test]
fn llamacpp_is_advised_to_cut_by_layers() {
    let mut run = Scenario { weights: WeightFormat::Q4K, gpu: gpus::by_id("h100-sxm"), ..model("deepseek-v3") };
    run.serving.engine = Engine::LlamaCpp;
    let run = run.check().unwrap();
    assert!(Mitigation::TensorParallel.apply(&run).is_err());
    assert_eq!(Mitigation::PipelineParallel.apply(&run).map(|it| it.parallel.pp), Ok(2));
    let cluster = solve::fewest_gpus(&run, run.gpu.unwrap().capacity, false).unwrap();
    assert_eq!(cluster.parallel.tp, 1, "{cluster:?}");
    assert!(cluster.parallel.pp > 1);
}

#[test]
fn a_pipeline_of_pytorch_has_a_micro_batch_for_each_stage() {
    let mut run = trained("llama-2-7b", Implementation::Torchtitan, PP(4));
    for micro_batches in 1..4 {
        run.training.micro_batches = micro_batches;
        assert_eq!(demand(&run), Some(Demand::MicroBatches { micro_batches, stages: 4 }));
    }
    run.training.micro_batches = 4;
    assert_eq!(demand(&run), None);
    // Megatron-LM's schedule runs with fewer.
    assert_eq!(demand(&trained("llama-2-7b", Implementation::Megatron, PP(4))), None);
    // What is proposed runs, and its memory is that of four micro-batches.
    let one = trained("llama-2-7b", Implementation::Torchtitan, Parallelism::ONE).check().unwrap();
    let doubled = Mitigation::PipelineParallel.apply(&one).unwrap();
    assert_eq!((doubled.parallel.pp, doubled.training.micro_batches), (2, 2));
    assert_eq!(solve::in_cut(&one, PP(4)).map(|it| *it), Some(run));
}

#[test]
fn what_is_proposed_for_torchtitan_runs() {
    let mut run = trained("llama-3.1-405b", Implementation::Torchtitan, Parallelism::ONE);
    run.gpu = gpus::by_id("h100-sxm");
    let run = run.check().unwrap();
    let capacity = run.gpu.unwrap().capacity;
    let cluster = solve::fewest_gpus(&run, capacity, false).unwrap();
    let proposed = solve::in_cut(&run, cluster.parallel).unwrap();
    assert!(proposed.training.micro_batches >= cluster.parallel.pp, "{cluster:?}");
    assert_eq!(evaluate(&proposed).total, cluster.total);
    for cut in solve::cuts(&run) {
        let proposed = solve::in_cut(&run, cut).unwrap();
        assert!(proposed.check().is_ok() && proposed.training.micro_batches >= cut.pp, "{cut:?}");
    }
}

/// What is proposed for Megatron-LM shards what its distributed optimizer does, and more where the run has more already.
#[test]
fn megatron_is_proposed_what_its_distributed_optimizer_shards() {
    let wide = |zero| Parallelism { dp: 8, tp: 8, zero, ..Parallelism::ONE };
    let gpu = gpus::by_id("h100-sxm");
    let asked = |zero| {
        let run = trained("llama-3.1-70b", Implementation::Megatron, wide(zero));
        Scenario { gpu, seq_length: 4_096, ..run }.check().expect("it runs")
    };
    let plan = advise::gentlest(&asked(ZeroStage::None)).expect("a way");
    assert_eq!(plan.effect.scenario.parallel.zero, ZeroStage::Optimizer);
    for (own, expected) in [
        (ZeroStage::None, ZeroStage::Optimizer),
        (ZeroStage::Optimizer, ZeroStage::Optimizer),
        (ZeroStage::Gradients, ZeroStage::Gradients),
        (ZeroStage::Weights, ZeroStage::Weights),
    ] {
        let cut = Parallelism { dp: 1, zero: own, ..wide(own) };
        let spread = solve::over_ranks(&asked(own), cut, 4).expect("it runs");
        assert_eq!(spread.parallel.zero, expected, "{own:?}");
    }
}

#[test]
fn megatron_trains_experts_with_sequence_parallelism() {
    for id in ["mixtral-8x7b", "deepseek-v2-lite"] {
        let run = trained(id, Implementation::Megatron, TP(2));
        assert_eq!(demand(&run), Some(Demand::SequenceParallel), "{id}");
        let parallel = Parallelism { sequence_parallel: true, ..TP(2) };
        assert_eq!(demand(&Scenario { parallel, ..run }), None, "{id}");
        assert_eq!(demand(&trained(id, Implementation::Megatron, Parallelism::ONE)), None, "{id}");
        let one = trained(id, Implementation::Megatron, Parallelism::ONE).check().unwrap();
        let doubled = Mitigation::TensorParallel.apply(&one).unwrap().parallel;
        assert!(doubled.sequence_parallel && doubled.tp == 2, "{id}");
        let mut cuts = 0;
        for cut in solve::cuts(&one).filter(|cut| cut.tp > 1) {
            assert!(solve::in_cut(&one, cut).unwrap().parallel.sequence_parallel);
            cuts += 1;
        }
        assert!(cuts > 0, "{id}");
    }
    assert_eq!(demand(&trained("llama-3.1-8b", Implementation::Megatron, TP(2))), None);
}

#[test]
fn sequences_are_cut_into_equal_parts() {
    let told = |implementation, parallel, seq_length| {
        let mut run = trained("llama-3.1-8b", implementation, parallel);
        run.seq_length = seq_length;
        demand(&run).map(|demand| match demand {
            Demand::Tokens { multiple, .. } => multiple,
            other => unreachable!("{other:?}"),
        })
    };
    let (megatron, titan) = (Implementation::Megatron, Implementation::Torchtitan);
    let cp = |cp| Parallelism { cp, ..Parallelism::ONE };
    let shared = Parallelism { sequence_parallel: true, ..TP(8) };
    let both = Parallelism { cp: 2, ..shared };
    assert_eq!([8_190, 8_192, 8_196].map(|seq| told(megatron, cp(4), seq)), [Some(8), None, Some(8)]);
    assert_eq!([2_044, 2_048, 2_056].map(|seq| told(megatron, shared, seq)), [Some(8), None, None]);
    assert_eq!([2_056, 2_048].map(|seq| told(megatron, both, seq)), [Some(32), None]);
    assert_eq!(told(megatron, TP(8), 2_047), None, "without sequence parallelism");
    assert_eq!([2_044, 2_048].map(|seq| told(titan, TP(8), seq)), [Some(8), None]);
    assert_eq!([2_056, 2_048].map(|seq| told(titan, Parallelism { cp: 2, ..TP(8) }, seq)), [Some(32), None]);
    assert_eq!([told(titan, Parallelism::ONE, 2_047), told(megatron, Parallelism::ONE, 2_047)], [None, None]);
}

#[test]
fn the_longest_context_is_one_that_runs() {
    let parallel = Parallelism { cp: 2, dp: 8, zero: ZeroStage::Weights, ..TP(8) };
    let run = trained("llama-3.1-8b", Implementation::Torchtitan, parallel).check().unwrap();
    for gib in [20, 40, 79] {
        let capacity = Bytes(gib << 30);
        let longest = solve::max_seq_length(&run, capacity);
        assert!(longest > 0 && longest.is_multiple_of(32), "{longest}");
        assert!(evaluate(&run.with(|it| it.seq_length = longest).unwrap()).total <= capacity);
        assert!(evaluate(&run.with(|it| it.seq_length = longest + 32).unwrap()).total > capacity);
    }
}

#[test]
fn only_megatron_and_vllm_copy_kv_heads() {
    let refused = Some(Demand::KvHeads { tp: 16, kv_heads: 8 });
    let answers = [
        (Implementation::Transformers, refused),
        (Implementation::Torchtitan, refused),
        (Implementation::Megatron, None),
    ];
    for (implementation, answer) in answers {
        assert_eq!(demand(&trained("llama-3.1-8b", implementation, TP(16))), answer, "{implementation:?}");
        assert_eq!(demand(&trained("llama-3.1-8b", implementation, TP(8))), None, "{implementation:?}");
    }
    for (engine, runs) in [(Engine::Hf, false), (Engine::Vllm, true), (Engine::Exact, true)] {
        let mut run = Scenario { parallel: TP(16), ..model("llama-3.1-8b") };
        run.serving.engine = engine;
        assert_eq!(run.check().is_ok(), runs, "{engine:?}");
    }
}

#[test]
fn nvfp4_in_gguf_is_not_denied() {
    let said = split("llama-3.1-8b", 1, |it| it.weights = WeightFormat::Nvfp4).unwrap().to_string();
    assert!(said.contains("not modelled here") && !said.contains("hold no"), "{said}");
}
