//! What is recommended, over all models: it can be run, it fits with room to spare, and on a GPU of the same maker and class.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use memory_wall_core::advise::{self, Found, Idle, Rung, TOO_SLOW, ladder};
use memory_wall_core::tables::classes::Class;
use memory_wall_core::tables::gpus::{self, Gpu};
use memory_wall_core::tables::models::{self, MODELS};
use memory_wall_core::{Checked, Engine, Mode, Offload, Scenario, Verdict, WeightFormat, evaluate, solve};

const GPUS: [&str; 10] =
    ["t4", "rtx4090", "rtxa6000", "a100-40-sxm", "h100-sxm", "mi300x", "gb10", "m3max", "tpu-v5e", "gaudi2"];

fn gpu(id: &str) -> &'static Gpu {
    gpus::by_id(id).unwrap()
}

fn serving(model: &str, gpu: &str, engine: Engine) -> Scenario {
    let mut scenario = Scenario::new(models::by_id(model).unwrap().architecture);
    (scenario.gpu, scenario.serving.engine) = (gpus::by_id(gpu), engine);
    scenario
}

/// Every model on every GPU: served by every program in a format of its own, and learned from in every mode.
fn scenarios() -> impl Iterator<Item = Checked> {
    MODELS.iter().flat_map(|model| GPUS.iter().map(move |id| (model, gpu(id)))).flat_map(|(model, gpu)| {
        let plain = Scenario {
            batch: 8,
            seq_length: 4_096.min(model.architecture.trained_context.unwrap_or(4_096)),
            gpu: Some(gpu),
            ..Scenario::new(model.architecture)
        };
        let served = Engine::ALL.iter().flat_map(move |engine| {
            let formats: &[WeightFormat] = match engine {
                Engine::LlamaCpp => &[WeightFormat::Fp16, WeightFormat::Q8Zero],
                _ => &[WeightFormat::Bf16, WeightFormat::Fp16, WeightFormat::Int4],
            };
            formats.iter().map(move |&weights| {
                let mut scenario = Scenario { weights, ..plain };
                scenario.serving.engine = *engine;
                scenario
            })
        });
        let trained =
            [Mode::Training, Mode::Qlora].map(|mode| Scenario { mode, weights: mode.nearest(plain.weights), ..plain });
        served.chain(trained).filter_map(|scenario| scenario.check().ok())
    })
}

/// What must hold of every recommended scenario.
fn assert_sound(from: &Checked, to: &Checked) {
    let what = || format!("{:?} {:?} {:?}", from.gpu.unwrap().id, from.serving.engine, to);
    assert_eq!(to.check(), Ok(*to), "{}", what());
    let runs = match to.mode {
        Mode::Inference => to.serving.engine.loads(to.weights) && to.serving.engine.caches(to.kv),
        mode => mode.takes(to.weights),
    };
    assert!(runs, "{}", what());
    // By the evaluation that everybody sees, not by the search's own shortcut.
    assert_eq!(evaluate(to).fit.unwrap().verdict, Verdict::Fits, "{}", what());
    assert_eq!((to.mode, to.serving.engine), (from.mode, from.serving.engine), "{}", what());
    let (own, other) = (from.gpu.unwrap(), to.gpu.unwrap());
    assert_eq!((own.vendor, own.class()), (other.vendor, other.class()), "{}", what());
    if own.multiplies(from.weights) {
        assert!(other.multiplies(to.weights), "{}", what());
    }
    if to.mode == Mode::Inference && to.serving.engine == Engine::LlamaCpp {
        assert_eq!(to.offload, Offload::default(), "{}", what());
    }
}

#[test]
fn whatever_is_recommended_runs_and_fits_with_room_to_spare() {
    let (mut plans, mut moves, mut tight) = (0, 0, 0);
    for scenario in scenarios() {
        for lossy in [false, true] {
            let found = advise::search(&scenario, lossy);
            if let Some(plan) = found.fits {
                plans += 1;
                assert_eq!(plan.effect.verdict, Some(Verdict::Fits));
                assert_eq!(plan.effect.scenario.gpu, scenario.gpu);
                assert!(plan.effect.time_ratio <= TOO_SLOW);
                assert_sound(&scenario, &plan.effect.scenario);
            }
            if let Some(plan) = found.tight {
                tight += 1;
                assert_eq!(plan.effect.verdict, Some(Verdict::Tight));
            }
        }
        if let Ok(changed) = Rung::BiggerCard.apply(&scenario) {
            let (own, other) = (scenario.gpu.unwrap(), changed.gpu.unwrap());
            assert_eq!((own.vendor, own.class()), (other.vendor, other.class()));
            // Where any GPU of the class holds it with room to spare, the proposed one does.
            if solve::smallest_gpu(&scenario).is_some_and(|gpu| gpu.capacity > own.capacity) {
                moves += 1;
                assert_sound(&scenario, &changed);
            }
        }
        if let Some(gpu) = solve::smallest_gpu(&scenario) {
            assert_sound(&scenario, &scenario.with(|it| it.gpu = Some(gpu)).unwrap());
        }
        // Without a GPU to be like, nobody wants a TPU or another computer.
        if let Some(gpu) = solve::smallest_gpu(&scenario.without_gpu()) {
            assert!(matches!(gpu.class(), Class::DataCentre | Class::Desktop), "{}", gpu.id);
            let there = scenario.with(|it| it.gpu = Some(gpu)).unwrap();
            assert_sound(&there, &there);
        }
    }
    // That many were looked at, so that the test can fail.
    assert!(plans > 2_000 && moves > 300 && tight > 300, "{plans} {moves} {tight}");
}

#[test]
fn a_tight_run_is_never_the_recommendation() {
    // 13.5 GB of weights and 1.3 GB of cache on a GPU of 16.9 GB.
    let scenario = Scenario { weights: WeightFormat::Fp16, ..serving("llama-2-7b", "rtx4080", Engine::Exact) };
    let scenario = Scenario { seq_length: 2_500, ..scenario }.check().unwrap();
    assert_eq!(evaluate::verdict(&scenario), Some(Verdict::Tight));
    let plan = advise::quickest(&scenario).unwrap();
    assert_eq!(plan.effect.verdict, Some(Verdict::Fits));
    // What is tight is found apart.
    let Found { fits, slow, tight } = advise::search(&scenario, false);
    assert!(fits.is_some_and(|plan| plan.effect.scenario.offload.kv_cache));
    // Weights that are fetched over PCIe for every token fit, and nobody would wait for them.
    assert!(slow.is_some_and(|plan| plan.effect.scenario.offload.parameters));
    assert_eq!(tight.map(|plan| plan.effect.scenario.offload), Some(Offload::default()));
}

#[test]
fn another_gpu_is_one_of_the_same_maker_and_class() {
    for (model, id, weights, engine, wanted) in [
        ("qwen2.5-32b", "rtx4090", WeightFormat::Int4, Engine::Exact, "rtx5090"),
        ("llama-3.1-70b", "rtx4090", WeightFormat::Int4, Engine::Vllm, "rtx6000ada"),
        ("llama-3.1-70b", "h100-sxm", WeightFormat::Bf16, Engine::Exact, "b200"),
        ("llama-3.1-70b", "mi210", WeightFormat::Bf16, Engine::Exact, "mi300x"),
    ] {
        let scenario = Scenario { weights, ..serving(model, id, engine) }.check().unwrap();
        let changed = Rung::BiggerCard.apply(&scenario).unwrap();
        assert_eq!(changed.gpu.unwrap().id, wanted, "{model} {id}");
    }
    let largest = serving("llama-3.1-405b", "tpu-v5p", Engine::Exact).check().unwrap();
    assert_eq!(Rung::BiggerCard.apply(&largest), Err(Idle::LargestCard), "Gaudi is no TPU");
}

#[test]
fn llama_cpp_streams_nothing_and_shared_memory_has_no_other_side() {
    let because = |scenario: &Scenario, rung| {
        ladder(&scenario.check().unwrap()).find(|(other, _)| *other == rung).unwrap().1.unwrap_err()
    };
    let local = Scenario { weights: WeightFormat::Q8Zero, ..serving("llama-3.1-70b", "rtx4090", Engine::LlamaCpp) };
    assert_eq!(because(&local, Rung::OffloadParameters), Idle::ComputedOnCpu);
    assert_eq!(because(&local, Rung::OffloadCache), Idle::ComputedOnCpu);
    let apple = serving("llama-3.1-70b", "m3max", Engine::Hf);
    assert_eq!(because(&apple, Rung::OffloadParameters), Idle::SharedMemory);
    let training = Scenario { mode: Mode::Training, ..apple };
    assert_eq!(because(&training, Rung::OffloadOptimizer), Idle::SharedMemory);
}

#[test]
fn fixes_take_formats_that_the_program_has() {
    let with = |engine, rung: Rung| rung.apply(&serving("llama-3.1-8b", "rtx4090", engine).check().unwrap()).unwrap();
    assert_eq!(with(Engine::LlamaCpp, Rung::EightBitWeights).weights, WeightFormat::Q8Zero);
    assert_eq!(with(Engine::LlamaCpp, Rung::FourBitWeights).weights, WeightFormat::Q4K);
    assert_eq!(with(Engine::Vllm, Rung::FourBitWeights).weights, WeightFormat::Int4);
    for &engine in Engine::ALL {
        for rung in [Rung::EightBitWeights, Rung::FourBitWeights, Rung::QuantizedCache] {
            let fixed = with(engine, rung);
            assert!(engine.loads(fixed.weights) && engine.caches(fixed.kv), "{engine:?} {}", rung.id());
        }
    }
    let old =
        Scenario { mode: Mode::Training, weights: WeightFormat::Fp32, ..serving("gpt2-small", "t4", Engine::Exact) };
    assert_eq!(
        Rung::MixedPrecision.apply(&old.check().unwrap()).unwrap().weights,
        WeightFormat::Fp16,
        "a T4 has no bf16"
    );
}

/// A flag of the server is free: it comes before narrower weights and another GPU.
#[test]
fn a_server_is_told_to_take_less_before_anything_else() {
    let llama = |gpu: &str| serving("llama-3.1-8b", gpu, Engine::Vllm);
    // Graphs find no room on a T4 at 90%, and do at less.
    let mut t4 = llama("t4");
    (t4.weights, t4.seq_length) = (WeightFormat::Int4, 8_192);
    (t4.serving.max_num_seqs, t4.serving.max_num_batched_tokens) = (256, 2_048);
    let plan = advise::quickest(&t4.check().unwrap()).unwrap();
    let to = plan.effect.scenario;
    assert!(to.serving.utilization_percent < 90 && to.weights == WeightFormat::Int4 && !plan.lossy, "{to:?}");
    assert_eq!(evaluate(&to).fit.unwrap().verdict, Verdict::Fits);
    // A cap that no request needs.
    let mut l4 = llama("l4");
    (l4.seq_length, l4.serving.max_model_len) = (4_096, Some(131_072));
    (l4.serving.max_num_seqs, l4.serving.max_num_batched_tokens) = (256, 2_048);
    assert_eq!(evaluate(&l4.check().unwrap()).fit.unwrap().verdict, Verdict::DoesNotFit);
    let to = advise::quickest(&l4.check().unwrap()).unwrap().effect.scenario;
    assert_eq!((to.serving.max_model_len, to.weights), (Some(4_096), l4.weights));
}
