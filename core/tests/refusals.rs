//! What runtimes and training code cannot run, on which GPU and cut how: refused by name, whatever memory there is.

#![allow(clippy::expect_used, reason = "tests fail by panicking")]

use memory_wall_core::advise::Mitigation;
use memory_wall_core::layout::SplitError;
use memory_wall_core::scenario::{CutError, TrainerOption, Unsupported};
use memory_wall_core::serving::Version;
use memory_wall_core::tables::{capability::Capability, gpus, models};
use memory_wall_core::{
    Attention, Bucket, Checkpointing, Engine, Implementation, KvPrecision, Loss, Mode, Optimizer, Recipe, Scenario,
    ScenarioError, Sharding, WeightFormat, ZeroStage, evaluate,
};

/// A model of the table.
fn model(id: &str) -> Scenario {
    models::by_id(id).map(|it| Scenario::new(it.architecture)).expect(id)
}

/// A model in a format under a runtime on a GPU.
fn served(model: &str, weights: WeightFormat, engine: Engine, gpu: &str) -> Scenario {
    let mut it = Scenario { weights, gpu: gpus::by_id(gpu), ..self::model(model) };
    it.serving.engine = engine;
    assert!(it.gpu.is_some(), "{gpu}");
    it
}

/// The runtime's reason, `None` if the scenario is accepted.
fn reason(scenario: &Scenario) -> Option<Unsupported> {
    let error = scenario.check().err()?;
    let ScenarioError::Runtime(reason) = error else { unreachable!("{error}") };
    Some(reason)
}

/// The training code's reason, `None` if the scenario is accepted.
fn cut(scenario: &Scenario) -> Option<CutError> {
    let error = scenario.check().err()?;
    let ScenarioError::Cut(reason) = error else { unreachable!("{error}") };
    Some(reason)
}

#[test]
fn old_gpus_have_no_attention_for_latent_vectors_and_wide_heads() {
    let told = |model, weights, gpu, minor| {
        let mut it = served(model, weights, Engine::Vllm, gpu);
        it.serving.version = Version { major: 0, minor };
        it.kv = if weights == WeightFormat::Fp32 { KvPrecision::Fp32 } else { it.kv };
        reason(&it)
    };
    let (half, full) = (WeightFormat::Fp16, WeightFormat::Fp32);
    let [volta, turing] = [("V100 SXM2 32GB", Capability::new(7, 0)), ("T4", Capability::new(7, 5))];
    let old = |(gpu, has): (&'static str, Capability), head_dim| Some(Unsupported::OldAttention { gpu, has, head_dim });
    for (model, head_dim) in [("deepseek-v2-lite", None), ("gemma-4-31b", Some(512))] {
        assert_eq!(told(model, half, "t4", 29), old(turing, head_dim), "{model}");
        assert_eq!(told(model, half, "v100-sxm2-32", 19), old(volta, head_dim), "{model}");
        for gpu in ["a100-80-sxm", "l4"] {
            assert_eq!(told(model, half, gpu, 29), None, "{model} {gpu}");
        }
    }
    // Gemma 2 9B has heads of 256 and runs in fp32 where there is no bf16: 80 KiB of shared memory, of which 7.5 has 64 and 7.0 has 96.
    assert_eq!(told("gemma-2-9b", full, "t4", 29), old(turing, Some(256)));
    assert_eq!([told("gemma-2-9b", full, "v100-sxm2-32", 19), told("gemma-2-9b", full, "t4", 10)], [None, None]);
    assert_eq!([told("gemma-2-27b", full, "t4", 29), told("llama-3.1-8b", full, "t4", 29)], [None, None]);
    assert_eq!(told("llama-3.1-8b", half, "t4", 29), None);
}

#[test]
fn a_computer_has_one_of_apples_gpus() {
    for engine in [Engine::LlamaCpp, Engine::Hf, Engine::Exact] {
        let one = served("llama-3.1-8b", WeightFormat::Bf16, engine, "m3max");
        assert_eq!(reason(&one), None);
        for (dp, tp, pp) in [(2, 1, 1), (1, 2, 1), (1, 1, 2)] {
            let mut several = one;
            (several.parallel.dp, several.parallel.tp, several.parallel.pp) = (dp, tp, pp);
            assert_eq!(reason(&several), Some(Unsupported::OneGpu(one.gpu.unwrap().name)), "{engine:?}");
            let training = Scenario { mode: Mode::Training, ..several };
            assert!(training.check().is_err());
            // Two of the same kind in another maker's computer.
            assert_eq!(reason(&Scenario { gpu: gpus::by_id("rtx4090"), ..several }), None);
        }
    }
}

#[test]
fn experts_are_spread_by_vllm_alone() {
    let spread = |engine, weights| {
        let mut it = served("mixtral-8x7b", weights, engine, "h100-sxm");
        (it.parallel.dp, it.parallel.ep) = (2, 2);
        reason(&it)
    };
    for (engine, weights) in [(Engine::LlamaCpp, WeightFormat::Q4K), (Engine::Hf, WeightFormat::Bf16)] {
        assert_eq!(spread(engine, weights), Some(Unsupported::ExpertParallel(engine)));
    }
    assert_eq!([spread(Engine::Vllm, WeightFormat::Bf16), spread(Engine::Exact, WeightFormat::Bf16)], [None, None]);
}

#[test]
fn older_vllm_has_no_mxfp4_on_radeon() {
    let told = |gpu, minor| {
        let mut it = served("gpt-oss-20b", WeightFormat::Mxfp4, Engine::Vllm, gpu);
        it.serving.version = Version { major: 0, minor };
        reason(&it)
    };
    for gpu in ["rx7900xtx", "strix-halo"] {
        let name = gpus::by_id(gpu).unwrap().name;
        let refused = Unsupported::NoKernels { engine: Engine::Vllm, format: WeightFormat::Mxfp4, gpu: name };
        assert_eq!([told(gpu, 20), told(gpu, 21)], [Some(refused), None]);
    }
    assert_eq!(told("mi300x", 12), None);
}

#[test]
fn vllm_does_not_load_dual_chunk_attention() {
    let told = |engine, minor| {
        let mut it = served("qwen2.5-7b", WeightFormat::Bf16, engine, "h100-sxm");
        it.architecture.dual_chunks = true;
        it.serving.version = Version { major: 0, minor };
        reason(&it)
    };
    let refused = Some(Unsupported::DualChunks);
    assert_eq!([8, 9, 29].map(|minor| told(Engine::Vllm, minor)), [None, refused, refused]);
    assert_eq!([Engine::Hf, Engine::Exact].map(|engine| told(engine, 29)), [None; 2]);
}

/// Llama 2 7B, which has 32 layers, trained by this code.
fn trained(implementation: Implementation) -> Scenario {
    let mut it = Scenario { mode: Mode::Training, ..model("llama-2-7b") };
    it.training.implementation = implementation;
    it
}

#[test]
fn interleaved_schedules_have_stages_and_whole_rounds() {
    let told = |implementation, pp, virtual_stages, micro_batches| {
        let mut it = trained(implementation);
        (it.parallel.pp, it.parallel.virtual_stages, it.training.micro_batches) = (pp, virtual_stages, micro_batches);
        cut(&it)
    };
    for implementation in [Implementation::Megatron, Implementation::Torchtitan] {
        let rounds = |micro_batches, multiple| Some(CutError::MicroBatches { implementation, micro_batches, multiple });
        assert_eq!(told(implementation, 1, 2, 8), Some(CutError::NoInterleaving(2)));
        assert_eq!([told(implementation, 4, 2, 8), told(implementation, 4, 1, 6)], [None, None]);
        if implementation == Implementation::Megatron {
            assert_eq!([told(implementation, 4, 2, 6), told(implementation, 4, 2, 2)], [rounds(6, 4), rounds(2, 4)]);
            let uneven = CutError::Split(SplitError::Uneven { layers: 32, chunks: 12 });
            assert_eq!(told(implementation, 4, 3, 8), Some(uneven));
        } else {
            // One round of six, and two rounds of which nine micro-batches are no multiple.
            assert_eq!([told(implementation, 4, 2, 6), told(implementation, 4, 2, 9)], [None, rounds(9, 2)]);
        }
    }
}

#[test]
fn training_code_has_the_options_that_it_has() {
    use Implementation::{Litgpt, Megatron, Torchtitan, Transformers};
    let told = |implementation, change: &dyn Fn(&mut Scenario)| {
        let mut it = trained(implementation);
        change(&mut it);
        cut(&it)
    };
    let lacks = |implementation, option| Some(CutError::Lacks(implementation, option));
    for implementation in [Transformers, Megatron, Torchtitan, Litgpt] {
        let expect = |has: &[Implementation], option| {
            if has.contains(&implementation) { None } else { lacks(implementation, option) }
        };
        for (loss, has) in [
            (Loss::Plain, &[Transformers, Megatron, Torchtitan, Litgpt][..]),
            (Loss::Compiled, &[Transformers, Megatron, Torchtitan]),
            (Loss::Chunked, &[Transformers, Torchtitan]),
        ] {
            let found = told(implementation, &|it| it.training.loss = loss);
            assert_eq!(found, expect(has, TrainerOption::Loss(loss)), "{implementation:?}");
        }
        for (optimizer, has) in [
            (Optimizer::Muon, &[Transformers, Megatron, Torchtitan, Litgpt][..]),
            (Optimizer::Lion, &[Transformers, Megatron, Litgpt]),
            (Optimizer::AdamW8bit, &[Transformers, Litgpt]),
            (Optimizer::Adafactor, &[Transformers, Litgpt]),
        ] {
            let found = told(implementation, &|it| it.optimizer = optimizer);
            assert_eq!(found, expect(has, TrainerOption::Optimizer(optimizer)), "{implementation:?}");
        }
        let compiled = told(implementation, &|it| it.training.compile = true);
        assert_eq!(compiled, expect(&[Transformers, Torchtitan], TrainerOption::Compile));
        let whole = told(implementation, &|it| it.training.reshard_after_forward = false);
        assert_eq!(whole, expect(&[Torchtitan], TrainerOption::WholeWeights));
        let adapters = told(implementation, &|it| it.mode = Mode::Lora);
        assert_eq!(adapters, expect(&[Transformers, Torchtitan, Litgpt], TrainerOption::Adapters));
    }
    let overlapping = |implementation, compile| {
        told(implementation, &|it| (it.training.async_tp, it.training.compile, it.parallel.tp) = (true, compile, 2))
    };
    assert_eq!(overlapping(Transformers, false), lacks(Transformers, TrainerOption::AsyncTensor));
    assert_eq!(overlapping(Torchtitan, false), lacks(Torchtitan, TrainerOption::AsyncUncompiled));
    assert_eq!(overlapping(Torchtitan, true), None);
    // What torchtitan has no setting for is refused before anything is estimated or exported.
    for (option, change) in [
        (
            TrainerOption::Selective,
            &(|it: &mut Scenario| it.checkpointing = Checkpointing::Selective) as &dyn Fn(&mut Scenario),
        ),
        (TrainerOption::Eager, &|it| it.attention = Attention::Eager),
        (TrainerOption::Half, &|it| it.weights = WeightFormat::Fp16),
        (TrainerOption::Recipe(Recipe::WithoutMaster), &|it| it.training.recipe = Recipe::WithoutMaster),
        (TrainerOption::PartOffload, &|it| it.offload.optimizer = true),
        (TrainerOption::PartShards(ZeroStage::Optimizer), &|it| {
            (it.parallel.dp, it.parallel.zero) = (2, ZeroStage::Optimizer);
        }),
        (TrainerOption::PartShards(ZeroStage::Gradients), &|it| {
            (it.parallel.dp, it.parallel.zero) = (2, ZeroStage::Gradients);
        }),
    ] {
        assert_eq!([told(Torchtitan, change), told(Transformers, change)], [lacks(Torchtitan, option), None]);
    }
    // Host memory, as each code uses it.
    let stored = |optimizer, parameters, dp| {
        move |it: &mut Scenario| {
            (it.offload.optimizer, it.offload.parameters, it.parallel.dp) = (optimizer, parameters, dp);
        }
    };
    assert_eq!(told(Megatron, &stored(false, true, 1)), lacks(Megatron, TrainerOption::WeightOffload));
    assert_eq!(told(Megatron, &stored(true, false, 1)), None);
    assert_eq!(told(Megatron, &stored(true, false, 2)), lacks(Megatron, TrainerOption::StateOffload));
    let sharded = |optimizer| {
        move |it: &mut Scenario| {
            stored(true, false, 2)(it);
            (it.parallel.zero, it.optimizer) = (ZeroStage::Optimizer, optimizer);
        }
    };
    assert_eq!(told(Megatron, &sharded(Optimizer::AdamW)), None);
    assert_eq!(told(Megatron, &sharded(Optimizer::Sgd)), lacks(Megatron, TrainerOption::StateOffload));
    assert_eq!(told(Litgpt, &stored(true, false, 1)), None, "a paged optimizer");
    for (optimizer, parameters, dp) in [(true, false, 2), (false, true, 1), (true, true, 1)] {
        assert_eq!(told(Litgpt, &stored(optimizer, parameters, dp)), lacks(Litgpt, TrainerOption::Offload));
    }
    let quantised = |dp| {
        move |it: &mut Scenario| {
            (it.mode, it.weights, it.parallel.dp) = (Mode::Qlora, WeightFormat::Nf4, dp);
        }
    };
    assert_eq!(told(Litgpt, &quantised(1)), None);
    assert_eq!(told(Litgpt, &quantised(2)), lacks(Litgpt, TrainerOption::QuantisedRanks));
    assert_eq!(told(Transformers, &quantised(2)), None);
    // accelerate cuts sequences beside FSDP2, and DeepSpeed is not that.
    let cut_over = |recipe, zero, mode| {
        move |it: &mut Scenario| {
            (it.training.recipe, it.parallel.zero, it.parallel.cp, it.mode) = (recipe, zero, 2, mode);
        }
    };
    let context = lacks(Transformers, TrainerOption::Context(2));
    for (recipe, zero, mode, found) in [
        (Recipe::Autocast, ZeroStage::Weights, Mode::Training, None),
        (Recipe::Autocast, ZeroStage::None, Mode::Training, context),
        (Recipe::Mixed, ZeroStage::Weights, Mode::Training, context),
        (Recipe::Mixed, ZeroStage::Weights, Mode::Lora, None),
        (Recipe::Mixed, ZeroStage::None, Mode::Lora, context),
    ] {
        assert_eq!(told(Transformers, &cut_over(recipe, zero, mode)), found, "{recipe:?} {zero:?} {mode:?}");
    }
    assert_eq!(told(Torchtitan, &cut_over(Recipe::Autocast, ZeroStage::None, Mode::Training)), None);
    // One rank shards nothing.
    assert_eq!(told(Torchtitan, &|it| it.parallel.zero = ZeroStage::Gradients), None);
    // None of it is asked of a model that is served.
    let served = Scenario { mode: Mode::Inference, optimizer: Optimizer::Adafactor, ..trained(Megatron) };
    assert_eq!(cut(&served), None);
}

/// FSDP keeps shards in one precision and moves them together; DeepSpeed has a copy of the weights.
#[test]
fn a_library_shards_what_it_can() {
    let told = |sharding, recipe, zero, offloads| {
        let mut it = Scenario { mode: Mode::Training, ..model("llama-3.1-8b") };
        (it.training.sharding, it.training.recipe, it.offload.optimizer) = (sharding, recipe, offloads);
        (it.parallel.dp, it.parallel.zero) = (2, zero);
        let as_adapters = Scenario { mode: Mode::Lora, ..it };
        assert_eq!(cut(&as_adapters), None, "adapters follow their weights");
        cut(&it)
    };
    let (whole, states) = (ZeroStage::Weights, ZeroStage::Optimizer);
    for (sharding, recipe, zero, offloads, missing) in [
        (Sharding::Fsdp, Recipe::Pure, whole, false, None),
        (Sharding::Fsdp, Recipe::Autocast, ZeroStage::Gradients, false, None),
        (Sharding::DeepSpeed, Recipe::Pure, whole, true, None),
        (Sharding::Fsdp, Recipe::Mixed, whole, false, Some(TrainerOption::Recipe(Recipe::Mixed))),
        (Sharding::Fsdp, Recipe::Pure, states, false, Some(TrainerOption::PartShards(states))),
        (Sharding::Fsdp, Recipe::Pure, whole, true, Some(TrainerOption::PartOffload)),
        (Sharding::DeepSpeed, Recipe::WithoutMaster, whole, false, Some(TrainerOption::Recipe(Recipe::WithoutMaster))),
    ] {
        let wanted = missing.map(|option| CutError::Sharded(sharding, option));
        assert_eq!(told(sharding, recipe, zero, offloads), wanted, "{sharding:?} {recipe:?} {zero:?}");
    }
    let mut titan = Scenario { mode: Mode::Training, ..model("llama-3.1-8b") };
    (titan.training.implementation, titan.training.sharding) = (Implementation::Torchtitan, Sharding::DeepSpeed);
    let own = TrainerOption::Sharding(Sharding::DeepSpeed);
    assert_eq!(cut(&titan), Some(CutError::Lacks(Implementation::Torchtitan, own)));
}

#[test]
fn litgpt_spreads_no_experts() {
    let mut it = Scenario { mode: Mode::Training, ..model("mixtral-8x7b") };
    (it.training.implementation, it.parallel.dp, it.parallel.ep) = (Implementation::Litgpt, 8, 8);
    assert_eq!(cut(&it), Some(CutError::ShardsOnly { degree: "ep", ranks: 8 }));
    it.training.implementation = Implementation::Megatron;
    assert_eq!(cut(&it), None);
}

/// 50,257 rows, 32,000 and 128,256.
#[test]
fn vocabularies_are_padded_where_the_code_pads_them() {
    let served = |tp| {
        let mut it = served("gpt2-small", WeightFormat::Bf16, Engine::Vllm, "h100-sxm");
        (it.seq_length, it.parallel.tp) = (1_024, tp);
        it
    };
    // 786 × 64 rows, of which each of two ranks has a half; 12 heads over 8 ranks are none of the vocabulary's concern.
    let weights = |it: &Scenario| evaluate(&it.check().unwrap()).bytes(Bucket::Weights).0;
    let exact = |it: &Scenario| Scenario { serving: memory_wall_core::Serving::DEFAULT, ..*it };
    assert_eq!(weights(&served(1)) - weights(&exact(&served(1))), 47 * 768 * 2);
    assert!(weights(&served(2)) > 25_152 * 768 * 2 && exact(&served(2)).check().is_err());
    // Megatron-LM: multiples of 128 on each rank.
    let rows = |id, tp| {
        let mut it = Scenario { mode: Mode::Training, ..model(id) };
        (it.training.implementation, it.parallel.tp) = (Implementation::Megatron, tp);
        it.check().unwrap().local().vocab_size
    };
    assert_eq!([rows("gpt2-small", 1), rows("gpt2-small", 2)], [50_304, 50_432 / 2]);
    assert_eq!([rows("llama-2-7b", 2), rows("llama-2-7b", 4), rows("llama-3.1-8b", 8)], [16_000, 8_064, 16_128]);
    let tables = |id, tp| {
        let mut it = Scenario { mode: Mode::Training, ..model(id) };
        (it.training.implementation, it.parallel.tp) = (Implementation::Megatron, tp);
        it.check().unwrap().local_parameters()
    };
    assert_eq!((tables("llama-3.1-8b", 8).embedding, tables("llama-3.1-8b", 8).head), (16_128 * 4_096, 16_128 * 4_096));
    // Other code pads nothing, and is refused.
    let stock = Scenario { mode: Mode::Training, ..served(2) };
    assert!(stock.check().unwrap_err().to_string().contains("tp 2 does not divide vocab_size 50,257"));
}

/// vLLM 0.9.1 with Qwen3 235B in GPTQ over 8 ranks stops at the first request: 1,536 / 8 = 192 is no multiple of 128 (issue 17604). Pull request 30210 mends it.
#[test]
fn experts_in_four_bits_are_cut_into_parts_that_the_kernels_take() {
    let of = |model, weights, tp, minor| {
        let mut it = served(model, weights, Engine::Vllm, "a100-80-sxm");
        it.parallel.tp = tp;
        it.serving.version = Version { major: 0, minor };
        it.check().map(|_| ()).map_err(|why| why.to_string())
    };
    let refused = of("qwen3-235b-a22b", WeightFormat::Int4, 8, 9).unwrap_err();
    assert!(refused.contains("moe_intermediate_size 1,536 over 8 ranks is 192"), "{refused}");
    assert!(refused.ends_with("; 0.13 has finer groups for experts"), "{refused}");
    assert_eq!(of("qwen3-235b-a22b", WeightFormat::Int4, 4, 9), Ok(()));
    assert_eq!(of("qwen3-235b-a22b", WeightFormat::Int4, 8, 14), Ok(()));
    // Marlin's kernels take multiples of 64 in groups of 32.
    assert_eq!(of("qwen3-235b-a22b", WeightFormat::Int4Group32, 8, 9), Ok(()));
    let refused = of("qwen3-30b-a3b", WeightFormat::Int4Group32, 8, 9).unwrap_err();
    assert!(refused.contains("no multiple of 64"), "{refused}");
}

/// vLLM spreads experts over all ranks or over none, so twice the ranks are twice the expert-parallel ones.
#[test]
fn advice_keeps_experts_on_all_ranks() {
    let mut it = served("mixtral-8x7b", WeightFormat::Int4, Engine::Vllm, "rtx4090");
    (it.parallel.tp, it.parallel.ep) = (2, 2);
    let changed = Mitigation::TensorParallel.apply(&it.check().unwrap()).unwrap();
    assert_eq!((changed.parallel.tp, changed.parallel.ep), (4, 4));
    // A layer has eight experts, fewer than sixteen ranks.
    (it.parallel.dp, it.parallel.tp, it.parallel.ep) = (2, 4, 8);
    assert!(Mitigation::TensorParallel.apply(&it.check().unwrap()).is_err());
    // What training code does not have is no advice.
    let mut it = trained(Implementation::Megatron);
    it.gpu = gpus::by_id("h100-sxm");
    let it = it.check().unwrap();
    for mitigation in [Mitigation::EightBitOptimizer, Mitigation::Lora, Mitigation::ChunkedLoss] {
        let idle = mitigation.apply(&it).unwrap_err();
        assert_eq!(idle.to_string(), "the training code of this scenario has no such option; other code does");
    }
}

#[test]
fn training_of_parts_that_are_not_modelled_is_refused_by_name() {
    for (id, part) in [
        ("command-a", "a LayerNorm without a bias"),
        ("apertus-8b", "xIELU"),
        ("minimax-m3", "sparse attention that reads blocks of keys (MSA)"),
        ("deepseek-v4-flash", "attention over compressed tokens (CSA and HCA)"),
    ] {
        let mut scenario = Scenario::new(models::by_id(id).unwrap().architecture);
        for mode in [Mode::Training, Mode::Lora] {
            scenario.mode = mode;
            let said = scenario.check().unwrap_err().to_string();
            assert_eq!(said, format!("training with {part} is not modelled"), "{id}");
        }
        scenario.mode = Mode::Inference;
        assert!(scenario.check().is_ok(), "{id}");
    }
}
