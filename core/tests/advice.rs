//! What is recommended, over all models: it can be run, it fits with room to spare, and on a GPU of the same maker and class.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use memory_wall_core::Share;
use memory_wall_core::advise::{self, Found, Idle, Mitigation, TOO_SLOW, ladder};
use memory_wall_core::serving::Version;
use memory_wall_core::tables::classes::Class;
use memory_wall_core::tables::gpus::{self, Gpu};
use memory_wall_core::tables::models::{self, MODELS, Model};
use memory_wall_core::{
    Checked, Engine, Implementation, Mode, Offload, Recipe, Scenario, Sharding, Verdict, WeightFormat, ZeroStage, cost,
    evaluate, solve,
};

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

/// These models on every GPU: served by every program in a format of its own, and learned from in every mode.
fn scenarios(models: &'static [Model]) -> impl Iterator<Item = Checked> {
    models.iter().flat_map(|model| GPUS.iter().map(move |id| (model, gpu(id)))).flat_map(|(model, gpu)| {
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
    // Each half of the models has a thread of its own: one thread takes over a minute.
    let halves = MODELS.chunks(MODELS.len().div_ceil(2));
    let counts = std::thread::scope(|scope| {
        let threads = halves.map(|models| scope.spawn(|| recommended(models))).collect::<Vec<_>>();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    let sum = |count: fn(&[usize; 3]) -> usize| counts.iter().map(count).sum::<usize>();
    let (plans, moves, tight) = (sum(|of| of[0]), sum(|of| of[1]), sum(|of| of[2]));
    // That many were looked at, so that the test can fail.
    assert!(plans > 2_000 && moves > 300 && tight > 300, "{plans} {moves} {tight}");
}

/// Looks at what is recommended for these models, and counts plans that fit, GPUs that are bigger and plans that are tight.
fn recommended(models: &'static [Model]) -> [usize; 3] {
    let (mut plans, mut moves, mut tight) = (0, 0, 0);
    for scenario in scenarios(models) {
        for lossy in [false, true] {
            let found = advise::search(&scenario, lossy);
            if let Some(plan) = found.fits {
                plans += 1;
                assert_eq!(plan.effect.verdict, Some(Verdict::Fits));
                assert_eq!(plan.effect.scenario.gpu, scenario.gpu);
                assert!(plan.effect.time_ratio <= TOO_SLOW);
                assert_sound(&scenario, &plan.effect.scenario);
                // It needs each of its fixes.
                for less in advise::single_reverts(&scenario, &plan.effect.scenario) {
                    let enough = evaluate::verdict(&less) == Some(Verdict::Fits)
                        && cost::time_ratio(&scenario, &less) <= TOO_SLOW;
                    assert!(!enough, "{:?}\n{less:?}", plan.effect.scenario);
                }
            }
            if let Some(plan) = found.tight {
                tight += 1;
                assert_eq!(plan.effect.verdict, Some(Verdict::Tight));
            }
        }
        if let Ok(changed) = Mitigation::BiggerGpu.apply(&scenario) {
            let (own, other) = (scenario.gpu.unwrap(), changed.gpu.unwrap());
            assert_eq!((own.vendor, own.class()), (other.vendor, other.class()));
            // Where any GPU of the class holds it with room to spare, the proposed one does.
            if solve::smallest_gpu(&scenario).is_some_and(|gpu| gpu.capacity > own.capacity) {
                moves += 1;
                assert_sound(&scenario, &changed);
            }
        }
        if let Some(gpu) = solve::smallest_gpu(&scenario) {
            assert_sound(&scenario, &scenario.on(gpu).check().unwrap());
        }
        // Without a GPU to be like, nobody wants a TPU or another computer.
        if let Some(gpu) = solve::smallest_gpu(&scenario.without_gpu()) {
            assert!(matches!(gpu.class(), Class::DataCentre | Class::Desktop), "{}", gpu.id);
            let there = scenario.on(gpu).check().unwrap();
            assert_sound(&there, &there);
        }
    }
    [plans, moves, tight]
}

#[test]
fn a_tight_run_is_never_the_recommendation() {
    // 13.5 GB of weights and 1.3 GB of cache on a GPU of 16.9 GB.
    let scenario = Scenario { weights: WeightFormat::Fp16, ..serving("llama-2-7b", "rtx4080", Engine::Exact) };
    let scenario = Scenario { seq_length: 2_500, ..scenario }.check().unwrap();
    assert_eq!(evaluate::verdict(&scenario), Some(Verdict::Tight));
    let plan = advise::gentlest(&scenario).unwrap();
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
        ("llama-3.1-70b", "rtx4090", WeightFormat::Int4, Engine::Vllm, "rtxpro5000"),
        ("llama-3.1-70b", "h100-sxm", WeightFormat::Bf16, Engine::Exact, "b200"),
        ("llama-3.1-70b", "mi210", WeightFormat::Bf16, Engine::Exact, "mi300x"),
    ] {
        let scenario = Scenario { weights, ..serving(model, id, engine) }.check().unwrap();
        let changed = Mitigation::BiggerGpu.apply(&scenario).unwrap();
        assert_eq!(changed.gpu.unwrap().id, wanted, "{model} {id}");
    }
    let largest = serving("llama-3.1-405b", "tpu-v7x", Engine::Exact).check().unwrap();
    assert_eq!(Mitigation::BiggerGpu.apply(&largest), Err(Idle::LargestGpu), "Gaudi is no TPU");
}

#[test]
fn fsdp_and_torchtitan_offload_together_or_nothing() {
    for (implementation, sharding) in
        [(Implementation::Transformers, Sharding::Fsdp), (Implementation::Torchtitan, Sharding::ByRecipe)]
    {
        let mut training = Scenario { mode: Mode::Training, ..serving("llama-3.1-8b", "a100-40-sxm", Engine::Exact) };
        (training.training.implementation, training.training.sharding) = (implementation, sharding);
        training.training.recipe = Recipe::Autocast;
        (training.parallel.dp, training.parallel.zero) = (4, ZeroStage::Weights);
        for mitigation in [Mitigation::OffloadOptimizer, Mitigation::OffloadParameters] {
            assert_eq!(mitigation.apply(&training.check().unwrap()), Err(Idle::OnlyTogether), "{implementation:?}");
        }
        (training.offload.optimizer, training.offload.parameters) = (true, true);
        assert!(training.check().is_ok());
    }
}

#[test]
fn llama_cpp_streams_nothing_and_shared_memory_has_no_other_side() {
    let because = |scenario: &Scenario, mitigation| {
        ladder(&scenario.check().unwrap()).find(|(other, _)| *other == mitigation).unwrap().1.unwrap_err()
    };
    let local = Scenario { weights: WeightFormat::Q8Zero, ..serving("llama-3.1-70b", "rtx4090", Engine::LlamaCpp) };
    assert_eq!(because(&local, Mitigation::OffloadParameters), Idle::ComputedOnCpu);
    assert_eq!(because(&local, Mitigation::OffloadCache), Idle::ComputedOnCpu);
    let apple = serving("llama-3.1-70b", "m3max", Engine::Hf);
    assert_eq!(because(&apple, Mitigation::OffloadParameters), Idle::SharedMemory);
    let training = Scenario { mode: Mode::Training, ..apple };
    assert_eq!(because(&training, Mitigation::OffloadOptimizer), Idle::SharedMemory);
}

#[test]
fn fixes_take_formats_that_the_program_has() {
    let with = |engine, mitigation: Mitigation| {
        mitigation.apply(&serving("llama-3.1-8b", "rtx4090", engine).check().unwrap()).unwrap()
    };
    assert_eq!(with(Engine::LlamaCpp, Mitigation::EightBitWeights).weights, WeightFormat::Q8Zero);
    assert_eq!(with(Engine::LlamaCpp, Mitigation::FourBitWeights).weights, WeightFormat::Q4K);
    assert_eq!(with(Engine::Vllm, Mitigation::FourBitWeights).weights, WeightFormat::Int4);
    for &engine in Engine::ALL {
        for mitigation in [Mitigation::EightBitWeights, Mitigation::FourBitWeights, Mitigation::QuantizedCache] {
            let fixed = with(engine, mitigation);
            assert!(engine.loads(fixed.weights) && engine.caches(fixed.kv), "{engine:?} {}", mitigation.id());
        }
    }
    let old =
        Scenario { mode: Mode::Training, weights: WeightFormat::Fp32, ..serving("gpt2-small", "t4", Engine::Exact) };
    assert_eq!(
        Mitigation::MixedPrecision.apply(&old.check().unwrap()).unwrap().weights,
        WeightFormat::Fp16,
        "a T4 has no bf16"
    );
}

/// A flag of the server is free: it comes before narrower weights and another GPU.
#[test]
fn a_server_is_told_to_take_less_before_anything_else() {
    let llama = |gpu: &str| serving("llama-3.1-8b", gpu, Engine::Vllm);
    // Graphs lie beside the share in 0.19, and may find no room on a T4 at 90%.
    let mut t4 = llama("t4");
    t4.serving.version = Version::MEASURED;
    (t4.weights, t4.seq_length) = (WeightFormat::Int4, 8_192);
    (t4.serving.max_num_seqs, t4.serving.max_num_batched_tokens) = (256, 2_048);
    let plan = advise::gentlest(&t4.check().unwrap()).unwrap();
    let to = plan.effect.scenario;
    // Fewer sequences, since PyTorch's sort, which a T4 keeps in every release, takes 1.2 GiB for 256 of them.
    assert!(to.serving.max_num_seqs < 256 && to.weights == WeightFormat::Int4 && !plan.lossy, "{to:?}");
    assert_eq!(evaluate(&to).fit.unwrap().verdict, Verdict::Fits);
    // A stated cap is a requirement: it stays, and something else has to give.
    let mut l4 = llama("l4");
    (l4.seq_length, l4.serving.max_model_len) = (4_096, Some(131_072));
    (l4.serving.max_num_seqs, l4.serving.max_num_batched_tokens) = (256, 2_048);
    assert_eq!(evaluate(&l4.check().unwrap()).fit.unwrap().verdict, Verdict::DoesNotFit);
    let plan = advise::gentlest(&l4.check().unwrap()).unwrap();
    let to = plan.effect.scenario;
    assert_eq!((to.serving.max_model_len, plan.lossy), (Some(131_072), true), "{to:?}");
    assert_eq!(evaluate(&to).fit.unwrap().verdict, Verdict::Fits);
    // The same requests without a stated cap go in as they are.
    l4.serving.max_model_len = None;
    assert_eq!(evaluate(&l4.check().unwrap()).fit.unwrap().verdict, Verdict::Fits);
}

#[test]
fn a_server_is_told_of_fewer_sequences_where_their_sampler_takes_the_room() {
    // vLLM prepares logits and graphs for 1,024 sequences on an H100, which two long requests do not need; windows keep the pages of two batches.
    let mut long = Scenario {
        weights: WeightFormat::Mxfp4,
        seq_length: 131_072,
        ..serving("gpt-oss-120b", "h100-sxm", Engine::Vllm)
    };
    let said = |scenario: Scenario| {
        let told = scenario.check().unwrap();
        let plan = advise::gentlest(&told).unwrap();
        assert_sound(&told, &plan.effect.scenario);
        let it = plan.effect.scenario.serving;
        (it.max_num_seqs, it.utilization(), plan.lossy)
    };
    assert_eq!(said(long), (16, Share::percent(92), false));
    // A share below vLLM's own was chosen for a reason.
    long.serving.gpu_memory_utilization = Some(Share::percent(90));
    let (sequences, share, lossy) = said(long);
    assert!(sequences <= 64 && share == Share::percent(90) && lossy);
    long.serving.gpu_memory_utilization = None;
    long.batch = 2;
    let (sequences, _, lossy) = said(long);
    assert!(sequences < 256 && sequences >= long.batch && !lossy);
}

#[test]
fn smaller_micro_batches_read_the_same_sequences() {
    for batch in [1, 2, 5, 6, 7, 9, 12, 30, 97, 1_000] {
        let mut scenario = Scenario {
            mode: Mode::Training,
            batch,
            seq_length: 8_192,
            gpu: gpus::by_id("a100-80-sxm"),
            ..Scenario::new(models::by_id("llama-3.2-1b").unwrap().architecture)
        };
        scenario.training.micro_batches = 3;
        let told = scenario.check().unwrap();
        let whole = |it: &Scenario| u64::from(it.batch) * u64::from(it.training.micro_batches);
        let found = [false, true].map(|lossy| advise::search(&told, lossy));
        let plans = found.iter().flat_map(|it| [it.fits, it.slow, it.tight]).flatten().map(|it| it.effect);
        let rungs = ladder(&told).filter_map(|(_, effect)| effect.ok());
        for effect in plans.chain(rungs) {
            assert_eq!(whole(&effect.scenario), whole(&told), "{:?}", effect.scenario);
        }
    }
}

#[test]
fn wide_weights_are_read_in_16_bits_before_they_are_read_in_fewer() {
    for (id, weights) in [("rtx4090", WeightFormat::Bf16), ("v100-sxm2-32", WeightFormat::Fp16)] {
        let wide = Scenario { weights: WeightFormat::Fp32, ..serving("llama-3.1-8b", id, Engine::Exact) };
        let plan = advise::gentlest(&wide.check().unwrap()).unwrap();
        assert_eq!(plan.effect.scenario.weights, weights, "{id}");
    }
}

/// "No combination fits" was said under a table whose 4-bit row fits.
#[test]
fn eight_bits_become_four_before_nothing_is_found() {
    let told = |model: &str, gpu: &str, engine, weights| Scenario { weights, ..serving(model, gpu, engine) };
    let mut deepseek = told("deepseek-v3", "h100-sxm", Engine::Vllm, WeightFormat::Fp8Block);
    (deepseek.parallel.tp, deepseek.seq_length) = (8, 8_192);
    let mut llama = told("llama-3.1-70b", "h100-sxm", Engine::Vllm, WeightFormat::Fp8);
    llama.seq_length = 65_536;
    let qwen = told("qwen3-32b", "rtx4090", Engine::LlamaCpp, WeightFormat::Q8Zero);
    for (scenario, four) in [(deepseek, WeightFormat::Int4), (llama, WeightFormat::Int4), (qwen, WeightFormat::Q4K)] {
        let scenario = scenario.check().unwrap();
        let plan = advise::gentlest(&scenario).unwrap();
        assert_sound(&scenario, &plan.effect.scenario);
        assert_eq!((plan.effect.scenario.weights, plan.lossy), (four, true), "{:?}", scenario.weights);
    }
}

/// Accelerate refuses to train a model that was loaded in 4 bits with parts of it in host memory.
#[test]
fn frozen_weights_wait_in_host_memory_where_they_are_shared_out_alone() {
    let mut qlora = Scenario {
        mode: Mode::Qlora,
        weights: WeightFormat::Nf4Dq,
        ..serving("llama-3.1-70b", "rtx4090", Engine::Exact)
    };
    assert_eq!(Mitigation::OffloadParameters.apply(&qlora.check().unwrap()), Err(Idle::FrozenKept));
    (qlora.parallel.dp, qlora.parallel.zero) = (2, ZeroStage::Weights);
    assert!(Mitigation::OffloadParameters.apply(&qlora.check().unwrap()).is_ok());
}

/// Mixtral's experts beside a bitsandbytes model: 45.1e9 parameters in fp32, 180 GB of 184; Unsloth's conversion holds them in 4 bits.
#[test]
fn what_qlora_leaves_wide_is_a_fix_of_its_own() {
    let qlora = |model: &str, gpu: &str| Scenario {
        mode: Mode::Qlora,
        weights: WeightFormat::Nf4Dq,
        checkpointing: memory_wall_core::Checkpointing::Full,
        seq_length: 1_024,
        ..serving(model, gpu, Engine::Exact)
    };
    let saved = |scenario: &Checked, wanted: Mitigation| {
        let (_, effect) = ladder(scenario).find(|(kind, _)| *kind == wanted).unwrap();
        effect.map(|effect| effect.saved.0)
    };
    let mixtral = qlora("mixtral-8x7b", "a100-40-sxm").check().unwrap();
    assert!(saved(&mixtral, Mitigation::QuantisedExperts).unwrap() > 150_000_000_000);
    assert!(saved(&mixtral, Mitigation::NoUpcast).unwrap() > 90_000_000_000);
    let plan = advise::gentlest(&mixtral).unwrap();
    assert!(plan.lossy && plan.effect.scenario.training.lora.experts, "it is what the plan proposes");
    // From full training, or LoRA, it comes along.
    let lora = Scenario { mode: Mode::Lora, weights: WeightFormat::Bf16, ..qlora("mixtral-8x7b", "a100-40-sxm") };
    assert!(advise::gentlest(&lora.check().unwrap()).unwrap().effect.scenario.training.lora.experts);
    let llama = qlora("llama-3.1-70b", "rtx4090").check().unwrap();
    assert_eq!(saved(&llama, Mitigation::QuantisedExperts), Err(Idle::NoWideExperts));
    // Embedding and head of 128,256 x 8,192 alone are 4.2 GB less.
    assert!(saved(&llama, Mitigation::NoUpcast).unwrap() > 4_200_000_000);
    let narrow = advise::gentlest(&mixtral).unwrap().effect.scenario;
    assert_eq!(saved(&narrow, Mitigation::QuantisedExperts), Err(Idle::NoWideExperts));
    let served = serving("mixtral-8x7b", "a100-80-sxm", Engine::Exact).check().unwrap();
    assert_eq!(saved(&served, Mitigation::NoUpcast), Err(Idle::NotUpcast));
}
