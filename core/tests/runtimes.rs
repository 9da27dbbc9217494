//! What runtimes refuse, by release, GPU, format and cut, and what is said of formats that they load in one way only.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

use memory_wall_core::advise::{Mitigation, ladder};
use memory_wall_core::assumptions::{Assumption, Assumptions};
use memory_wall_core::engines::vllm;
use memory_wall_core::memory::weights::{self, in_wider_files};
use memory_wall_core::roofline::Pass;
use memory_wall_core::roofline::latency::{Counting, estimate};
use memory_wall_core::scenario::{Blocks, Unsupported, sixteen_bits};
use memory_wall_core::serving::{Speculation, Version};
use memory_wall_core::tables::capability::Capability;
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::units::GIB;
use memory_wall_core::worked::Item;
use memory_wall_core::{
    Bucket, Bytes, Checked, Engine, Implementation, KvPrecision, Mode, Parallelism, Scenario, ScenarioError, Verdict,
    WeightFormat, evaluate, worked,
};

fn model(id: &str) -> Scenario {
    Scenario::new(models::by_id(id).unwrap().architecture)
}

fn with(scenario: &Scenario, engine: Engine) -> Scenario {
    let mut scenario = *scenario;
    scenario.serving.engine = engine;
    scenario
}

fn checked(scenario: &Scenario) -> Checked {
    scenario.check().unwrap()
}

/// Whether an evaluation of the scenario stands on this.
fn says(scenario: &Scenario, assumption: Assumption) -> bool {
    Assumptions::of(&checked(scenario)).iter().any(|it| it == assumption)
}

/// bitsandbytes has no class for gpt-oss's experts; and the first engine reads whole prompts.
#[test]
fn what_old_releases_and_bitsandbytes_cannot_do_is_refused() {
    let refused = |scenario: &Scenario| match scenario.check() {
        Err(ScenarioError::Runtime(error)) => Some(error),
        _ => None,
    };
    let mut sinks = Scenario { gpu: gpus::by_id("rtx4090"), ..with(&model("gpt-oss-20b"), Engine::Vllm) };
    for format in [WeightFormat::Nf4, WeightFormat::Int8] {
        sinks.weights = format;
        assert_eq!(refused(&sinks), Some(Unsupported::NoBitsandbytesExperts(format)));
    }
    let mut llama = Scenario { gpu: gpus::by_id("h100-sxm"), ..with(&model("llama-3.1-8b"), Engine::Vllm) };
    let at = |scenario: &mut Scenario, minor, seq_length, tokens| {
        scenario.serving.version = Version { major: 0, minor };
        scenario.seq_length = seq_length;
        (scenario.serving.max_num_batched_tokens, scenario.serving.usual_batched_tokens) = (tokens, false);
        scenario.serving = scenario.serving.on(scenario.gpu.unwrap());
        refused(scenario)
    };
    assert_eq!(at(&mut llama, 6, 16_384, 2_048), Some(Unsupported::WholePrompt { tokens: 2_048, longest: 16_384 }));
    assert_eq!(at(&mut llama, 7, 16_384, 16_384), None);
    assert_eq!(at(&mut llama, 7, 65_536, 2_048), None, "longer prompts are read in chunks");
    assert_eq!(at(&mut llama, 8, 16_384, 2_048), None);
    assert_eq!(at(&mut llama, 8, 4_096, 100), Some(Unsupported::FewTokens { tokens: 100, sequences: 256 }));
    assert_eq!(at(&mut llama, 11, 4_096, 100), None, "no more sequences than tokens by itself");
}

#[test]
fn experts_are_spread_over_all_ranks_or_cut_over_them() {
    let mut qwen = with(&model("qwen3-235b-a22b"), Engine::Vllm);
    qwen.weights = WeightFormat::Fp8;
    let weights = |tp, dp, ep| {
        let parallel = Parallelism { tp, dp, ep, ..Parallelism::ONE };
        let scenario = Scenario { parallel, ..qwen };
        evaluate(&checked(&scenario)).bytes(Bucket::Weights)
    };
    // 8 x 16 of the 128 experts, whole, or all of them, an eighth each: the same bytes, up to the allocator's rounding.
    let experts = Bytes(94 * 128 * 3 * 4_096 * 1_536 / 8);
    let (spread, cut) = (weights(8, 1, 8), weights(8, 1, 1));
    assert!(spread > experts && cut > experts && spread.0.abs_diff(cut.0) < GIB);
    // Data-parallel attention copies everything but the experts.
    let rest = weights(1, 1, 1) - Bytes(experts.0 * 8);
    for weights in [weights(1, 8, 8), weights(1, 8, 1)] {
        assert!(weights.0.abs_diff((experts + rest).0) < GIB / 2, "{weights:?}");
    }
    // Part of the ranks is no choice, in vLLM alone.
    let some = Scenario { parallel: Parallelism { tp: 2, dp: 4, ep: 4, ..Parallelism::ONE }, ..qwen };
    assert_eq!(some.check(), Err(ScenarioError::Runtime(Unsupported::ExpertRanks { ep: 4, all: 8 })));
    assert!(with(&some, Engine::Exact).check().is_ok());
    let beyond = Scenario { parallel: Parallelism { tp: 8, ep: 8, ..Parallelism::ONE }, ..qwen };
    assert!(matches!(with(&beyond, Engine::Exact).check(), Err(ScenarioError::Parallel(_))));
}

/// vLLM: "User-specified `max_model_len` is greater than the derived `max_model_len`".
#[test]
fn no_request_is_longer_than_the_model_was_made_for() {
    let mut llama = Scenario { gpu: gpus::by_id("h100-sxm"), ..with(&model("llama-3.1-8b"), Engine::Vllm) };
    llama.seq_length = 131_072;
    let fit = evaluate(&checked(&llama)).fit.unwrap();
    assert_eq!((fit.verdict == Verdict::DoesNotFit, fit.max_seq), (false, 131_072));
    let beyond = Unsupported::BeyondModel { max_model_len: 131_073, derived: 131_072 };
    for (seq_length, max_model_len) in [(131_073, None), (2_048, Some(131_073))] {
        (llama.seq_length, llama.serving.max_model_len) = (seq_length, max_model_len);
        assert_eq!(llama.check(), Err(ScenarioError::Runtime(beyond)));
    }
    assert!(beyond.to_string().contains("VLLM_ALLOW_LONG_MAX_MODEL_LEN=1"), "{beyond}");
    assert!(with(&llama, Engine::Exact).check().is_ok());
}

#[test]
fn no_more_ranks_than_experts() {
    let mut mixtral = with(&model("mixtral-8x7b"), Engine::Vllm);
    (mixtral.parallel.dp, mixtral.parallel.ep) = (16, 16);
    assert_eq!(mixtral.check(), Err(ScenarioError::Runtime(Unsupported::TooFewExperts { ep: 16, experts: 8 })));
    (mixtral.parallel.dp, mixtral.parallel.ep) = (8, 8);
    assert!(mixtral.check().is_ok());
}

#[test]
fn a_rank_has_whole_blocks_of_fp8_weights() {
    // vllm issue 17569: 1,536 / 8 = 192.
    let mut qwen = with(&model("qwen3-235b-a22b"), Engine::Vllm);
    (qwen.weights, qwen.parallel.tp) = (WeightFormat::Fp8Block, 8);
    qwen.serving.version = Version { major: 0, minor: 28 };
    let blocks =
        Blocks { format: WeightFormat::Fp8Block, block: 128, what: "moe_intermediate_size", width: 1_536, ranks: 8 };
    let blocks = Unsupported::Blocks { blocks, marlin: false };
    assert_eq!(qwen.check(), Err(ScenarioError::Runtime(blocks)));
    assert!(blocks.to_string().ends_with("1,536 over 8 ranks is 192; 0.29 has finer blocks for experts"), "{blocks}");
    // Pull request 53896: 0.29 makes blocks of 64 × 64 of them, which have four times as many scales.
    let newer = Scenario {
        serving: memory_wall_core::Serving { version: Version { major: 0, minor: 29 }, ..qwen.serving },
        ..qwen
    };
    let weights = |tp| {
        let it = Scenario { parallel: Parallelism { tp, ..Parallelism::ONE }, ..newer };
        evaluate(&checked(&it)).bytes(Bucket::Weights).0
    };
    let scales = weights(8) * 8 - weights(4) * 4;
    let values: u128 = 94 * 128 * 3 * 4_096 * 1_536;
    // Norms and KV heads are copied on more ranks.
    assert!((values * 3 / 4_096..values * 3 / 4_096 + GIB).contains(&scales), "{scales}");
    // Wide experts over 64 ranks would have 24 values each.
    let many = Scenario { parallel: Parallelism { tp: 16, dp: 4, ..Parallelism::ONE }, ..newer };
    assert!(matches!(many.check(), Err(ScenarioError::Runtime(Unsupported::Blocks { .. }))), "{:?}", many.check());
    // Whole experts, fewer ranks, or a scale for the whole tensor.
    for (weights, tp, ep) in [(WeightFormat::Fp8Block, 8, 8), (WeightFormat::Fp8Block, 4, 1), (WeightFormat::Fp8, 8, 1)]
    {
        qwen.weights = weights;
        (qwen.parallel.tp, qwen.parallel.ep) = (tp, ep);
        assert!(qwen.check().is_ok(), "{weights} {tp} {ep}");
    }
}

/// `MarlinExperts` and `TritonExperts` of vLLM 0.29 to 0.33: below compute capability 8.9 there are kernels for whole blocks alone.
#[test]
fn finer_blocks_are_said_and_need_units_for_fp8() {
    let on = |gpu: &str, tp, minor| {
        let mut it = Scenario { gpu: gpus::by_id(gpu), ..with(&model("qwen3-235b-a22b"), Engine::Vllm) };
        (it.weights, it.parallel.tp, it.serving.version) = (WeightFormat::Fp8Block, tp, Version { major: 0, minor });
        it
    };
    for gpu in ["h100-sxm", "b200", "rtx6000ada", "mi300x"] {
        assert!(says(&on(gpu, 8, 29), Assumption::FinerBlocks { inside: 192, block: 64 }), "{gpu}");
        let evaluation = evaluate(&checked(&on(gpu, 4, 29)));
        assert!(!evaluation.assumptions.iter().any(|it| matches!(it, Assumption::FinerBlocks { .. })), "{gpu}");
    }
    for gpu in ["a100-80-sxm", "rtxa6000"] {
        assert!(on(gpu, 4, 29).check().is_ok(), "{gpu}: whole blocks by Marlin");
        for minor in [28, 29, 33] {
            let error = on(gpu, 8, minor).check().unwrap_err().to_string();
            assert!(
                error.contains(
                    "1,536 over 8 ranks is 192; 0.29 has finer blocks for experts, from compute capability 8.9 on"
                ),
                "{error}"
            );
        }
    }
}

/// vLLM issues 2699, 5675 and 21695: "The input size is not aligned with the quantized weight shape".
#[test]
fn a_rank_has_whole_groups_of_4_bit_weights() {
    let on = |id: &str, weights, tp, ep| {
        let mut scenario = Scenario { weights, ..with(&model(id), Engine::Vllm) };
        (scenario.parallel.tp, scenario.parallel.ep) = (tp, ep);
        scenario.check().map(|_| ())
    };
    let int4 = |id: &str, tp| on(id, WeightFormat::Int4, tp, 1);
    let refused = |id: &str, tp| match int4(id, tp) {
        Err(ScenarioError::Runtime(error @ Unsupported::Blocks { .. })) => error.to_string(),
        other => panic!("{id} {tp}: {other:?}"),
    };
    let llama = refused("llama-2-7b", 4);
    assert!(
        llama.contains("vLLM refuses int4 weights whose part on a rank is no multiple of 128, the group"),
        "{llama}"
    );
    assert!(
        llama.contains("intermediate_size 11,008 over 4 ranks is 2,752, which groups of 32 divide (int4-g32)"),
        "{llama}"
    );
    assert!(refused("qwen2.5-14b", 8).contains("13,824 over 8 ranks is 1,728"));
    assert!(refused("llama-2-13b", 8).contains("13,824 over 8 ranks is 1,728"));
    for (id, tp) in [("llama-2-7b", 2), ("qwen2.5-14b", 4), ("llama-3.3-70b", 8), ("llama-3.1-8b", 8)] {
        assert_eq!(int4(id, tp), Ok(()), "{id} {tp}");
    }
    // Qwen pads its 72B to 29,696 before it quantises it; experts take finer groups.
    assert_eq!(
        (int4("qwen2.5-72b", 8), int4("qwen3-30b-a3b", 4), int4("qwen3-235b-a22b", 8)),
        (Ok(()), Ok(()), Ok(()))
    );
    assert_eq!(on("llama-2-7b", WeightFormat::Int4Group32, 4, 1), Ok(()));
    // In 8 bits one scale a row is as common, and what groups would do is said.
    let mut int8 = Scenario { weights: WeightFormat::Int8, ..with(&model("llama-2-7b"), Engine::Vllm) };
    int8.parallel.tp = 4;
    let said = |scenario: &Scenario| {
        let told = scenario.check().unwrap();
        Assumptions::of(&told).iter().any(|it| it.to_string().starts_with("int8 with one scale for a row"))
    };
    assert!(said(&int8));
    int8.parallel.tp = 2;
    assert!(!said(&int8));
}

#[test]
fn what_a_runtime_cannot_run_is_refused_by_name() {
    let on = |engine, weights, gpu| Scenario { weights, gpu: gpus::by_id(gpu), ..with(&model("llama-3.1-8b"), engine) };
    for (scenario, words) in [
        (
            on(Engine::LlamaCpp, WeightFormat::Nf4, "rtx4090"),
            "GGUF files, which hold no nf4 weights: the nearest format is GGUF Q4_K_M",
        ),
        (on(Engine::LlamaCpp, WeightFormat::Fp8, "rtx4090"), "hold no fp8 weights: the nearest format is GGUF Q8_0"),
        (on(Engine::Vllm, WeightFormat::Q4K, "rtx4090"), "only as an experiment, which is not modelled"),
        (on(Engine::Hf, WeightFormat::Q4K, "rtx4090"), "unpacks GGUF Q4_K_M weights to 16 bits"),
        (
            on(Engine::Vllm, WeightFormat::Bf16, "t4"),
            "bf16 weights on GPUs of compute capability 8.0 or newer, and T4 has 7.5: use fp16",
        ),
        (
            on(Engine::Vllm, WeightFormat::Fp16, "v100-sxm2-32"),
            "vLLM since 0.20 runs on NVIDIA GPUs of compute capability 7.5 or newer, and V100 SXM2 32GB has 7.0",
        ),
        (
            on(Engine::Vllm, WeightFormat::Fp16, "p40"),
            "vLLM runs on NVIDIA GPUs of compute capability 7.0 or newer, and Tesla P40 has 6.1",
        ),
        (on(Engine::Vllm, WeightFormat::Fp16, "mi50-32"), "and Instinct MI50 32GB is older"),
        (on(Engine::Vllm, WeightFormat::Mxfp4, "t4"), "8.0 or newer, and T4 has 7.5"),
        (
            on(Engine::Hf, WeightFormat::Fp8Block, "a100-80-sxm"),
            "unpacks them to bf16 on older ones; A100 SXM4 80GB has 8.0",
        ),
        (on(Engine::Vllm, WeightFormat::Fp8, "mi210"), "no kernels for fp8 weights on Instinct MI210"),
        (on(Engine::Vllm, WeightFormat::Bf16, "tpu-v4"), "vLLM on TPU v4 (chip) is not modelled"),
        (
            Scenario { kv: KvPrecision::Int8, ..on(Engine::Vllm, WeightFormat::Bf16, "h100-sxm") },
            "vLLM's int8_per_token_head, a KV cache in int8",
        ),
        (Scenario { kv: KvPrecision::Fp8, ..on(Engine::Hf, WeightFormat::Bf16, "h100-sxm") }, "has no KV cache in fp8"),
    ] {
        let error = scenario.check().unwrap_err();
        assert!(matches!(error, ScenarioError::Runtime(_)) && error.to_string().contains(words), "{error}");
        // Without a runtime it is mathematics.
        assert!(with(&scenario, Engine::Exact).check().is_ok());
    }
    for engine in [Engine::Vllm, Engine::Hf, Engine::LlamaCpp] {
        let mut cut = on(engine, WeightFormat::Bf16, "h100-sxm");
        cut.parallel.cp = 2;
        assert_eq!(cut.check(), Err(ScenarioError::Runtime(Unsupported::ContextParallel(engine))));
    }
    // No release takes a P40, whatever it comes with.
    let mut pascal = on(Engine::Vllm, WeightFormat::Fp16, "p40");
    pascal.serving.version = Version { major: 0, minor: 10 };
    assert!(matches!(pascal.check(), Err(ScenarioError::Runtime(Unsupported::TooOld { .. }))));
    // Before 0.14 the kernels that unpack began with 8.0.
    for weights in [WeightFormat::Fp8, WeightFormat::Fp8Block, WeightFormat::Nvfp4] {
        let mut old = on(Engine::Vllm, weights, "t4");
        old.serving.version = Version { major: 0, minor: 13 };
        let error = old.check().unwrap_err().to_string();
        assert!(error.contains("on GPUs of compute capability 8.0 or newer, and T4 has 7.5"), "{error}");
        old.serving.version.minor = 14;
        assert!(old.check().is_ok());
    }
    // What does run: fp8 on a T4 as weights alone, since 0.14, and 16 bits as fp16.
    for (engine, weights, gpu) in [
        (Engine::Vllm, WeightFormat::Fp8, "t4"),
        (Engine::Vllm, WeightFormat::Fp16, "t4"),
        (Engine::Vllm, WeightFormat::Fp8Block, "a100-80-sxm"),
        (Engine::Hf, WeightFormat::Fp8, "l4"),
        (Engine::LlamaCpp, WeightFormat::Bf16, "t4"),
        (Engine::LlamaCpp, WeightFormat::Q4K, "p40"),
        (Engine::LlamaCpp, WeightFormat::Q4K, "mi50-32"),
        (Engine::Vllm, WeightFormat::Fp8, "rx9070xt"),
    ] {
        assert!(on(engine, weights, gpu).check().is_ok(), "{engine:?} {weights} {gpu}");
    }
    // A cache in fp8: native from 8.9 on, by FlashInfer alone from 8.0 on, and not for every model.
    let cache = |model: &str, gpu: &str| {
        let scenario = Scenario {
            weights: WeightFormat::Fp16,
            kv: KvPrecision::Fp8,
            gpu: gpus::by_id(gpu),
            ..with(&self::model(model), Engine::Vllm)
        };
        scenario.check().map(|scenario| Assumptions::of(&scenario).iter().any(|it| it == Assumption::Fp8ByFlashInfer))
    };
    let old = |name, has| Err(ScenarioError::Runtime(Unsupported::OldCache { gpu: name, has }));
    assert_eq!([cache("llama-3.1-8b", "l4"), cache("llama-3.1-8b", "h100-sxm")], [Ok(false), Ok(false)]);
    assert_eq!([cache("llama-3.1-8b", "rtx3090"), cache("llama-3.1-8b", "a100-80-sxm")], [Ok(true), Ok(true)]);
    assert_eq!(cache("llama-3.1-8b", "t4"), old("T4", Capability::new(7, 5)));
    // Latent attention, and sinks: Triton's kernels alone.
    for model in ["deepseek-v3", "gpt-oss-20b"] {
        assert_eq!(cache(model, "a100-80-sxm"), old("A100 SXM4 80GB", Capability::new(8, 0)), "{model}");
    }
    let format = |gpu| sixteen_bits(Some(Engine::Vllm), gpus::by_id(gpu));
    assert_eq!([format("t4"), format("l4")], [WeightFormat::Fp16, WeightFormat::Bf16]);
    let plain = |gpu| sixteen_bits(None, gpus::by_id(gpu));
    assert_eq!(
        [plain("p40"), plain("mi50-16"), plain("a30")],
        [WeightFormat::Fp16, WeightFormat::Fp16, WeightFormat::Bf16]
    );
}

/// Qwen3 235B over 8 ranks has 192 of 1,536 on each, which is no whole number of blocks of 128.
#[test]
fn fp8_of_one_scale_says_that_blocks_would_be_refused() {
    let on = |weights, tp| {
        let mut it =
            Scenario { weights, gpu: gpus::by_id("h100-sxm"), ..with(&model("qwen3-235b-a22b"), Engine::Vllm) };
        it.parallel.tp = tp;
        it.serving.version = Version { major: 0, minor: 28 };
        it
    };
    let said = |tp| {
        let evaluation = evaluate(&on(WeightFormat::Fp8, tp).check().unwrap());
        evaluation.assumptions.iter().map(|it| it.to_string()).find(|it| it.contains("FP8-dynamic"))
    };
    let (refused, starts) = (said(8).unwrap(), said(4));
    let reason = on(WeightFormat::Fp8Block, 8).check().unwrap_err().to_string();
    assert!(reason.contains("1,536 over 8 ranks is 192") && refused.contains(&reason), "{refused} {reason}");
    assert!(starts.is_none() && on(WeightFormat::Fp8Block, 4).check().is_ok());
}

/// Pull request 43529: 0.28 is the first release without bitsandbytes.
#[test]
fn bitsandbytes_is_a_package_beside_newer_releases() {
    let mut llama = Scenario { weights: WeightFormat::Nf4, ..with(&model("llama-3.1-8b"), Engine::Vllm) };
    for minor in [19, 27, 28, 29] {
        llama.serving.version = Version { major: 0, minor };
        assert_eq!(says(&llama, Assumption::BitsandbytesPlugin), minor >= 28, "0.{minor}");
    }
    assert!(Assumption::BitsandbytesPlugin.to_string().contains("vllm-bnb-plugin"));
    assert!(!says(&with(&llama, Engine::Hf), Assumption::BitsandbytesPlugin));
}

/// vLLM issue 54311: int8 W8A8 stops on compute capability 12.0, and fp8 is what it asks for.
#[test]
fn eight_bits_on_blackwell_are_fp8() {
    let on = |gpu, weights| Scenario { weights, gpu: gpus::by_id(gpu), ..with(&model("llama-3.1-8b"), Engine::Vllm) };
    let said = |gpu, weights| {
        let sentences = evaluate(&checked(&on(gpu, weights))).assumptions;
        sentences.iter().map(|it| it.to_string()).find(|it| it.contains("Int8 not supported on"))
    };
    // `get_sm_version_num` in `scaled_mm_helper.hpp` of vLLM 0.33.
    for (gpu, number) in [
        ("rtx5090", Some("SM120")),
        ("rtxpro6000", Some("SM120")),
        ("b200", Some("SM100")),
        ("b300", Some("SM103")),
        ("gb10", Some("SM121")),
        ("h100-sxm", None),
        ("l4", None),
    ] {
        let (int8, blackwell) = (said(gpu, WeightFormat::Int8), number.is_some());
        assert_eq!(
            int8.as_ref().map(|it| it.contains(&format!("{}\"", number.unwrap()))),
            number.map(|_| true),
            "{gpu} {int8:?}"
        );
        assert_eq!(said(gpu, WeightFormat::Fp8), None, "{gpu}");
        let advised = ladder(&checked(&on(gpu, WeightFormat::Bf16)))
            .find_map(|(kind, effect)| (kind == Mitigation::EightBitWeights).then(|| effect.unwrap().scenario.weights));
        assert_eq!(advised, Some(if blackwell { WeightFormat::Fp8 } else { WeightFormat::Int8 }), "{gpu}");
    }
}

/// One byte for each weight of the layers, tables in 16 bits; kernels from compute capability 7.5 to 9.0, in vLLM alone.
#[test]
fn w8a8_runs_where_there_are_kernels_for_it() {
    let on = |gpu, engine| Scenario {
        weights: WeightFormat::W8a8,
        gpu: gpus::by_id(gpu),
        ..with(&model("llama-3.1-8b"), engine)
    };
    let refused = |gpu, engine| on(gpu, engine).check().err().map(|error| error.to_string());
    for gpu in ["t4", "a100-80-sxm", "l4", "h100-sxm", "mi300x"] {
        assert_eq!(refused(gpu, Engine::Vllm), None, "{gpu}");
    }
    for gpu in ["b200", "rtx5090", "gb10"] {
        assert!(refused(gpu, Engine::Vllm).is_some_and(|it| it.contains("Int8 not supported on SM")), "{gpu}");
    }
    let mut volta = on("v100-sxm2-32", Engine::Vllm);
    volta.serving.version = Version { major: 0, minor: 11 };
    assert!(volta.check().err().is_some_and(|it| it.to_string().contains("7.5")));
    assert!(refused("h100-sxm", Engine::Hf).is_some_and(|it| it.contains("compressed-tensors")));
    assert!(refused("h100-sxm", Engine::LlamaCpp).is_some());
    let exact = checked(&on("h100-sxm", Engine::Exact));
    // 32 layers of 218,103,808 values, two tables of 128,256 × 4,096 and 65 norms.
    assert_eq!(evaluate(&exact).bytes(Bucket::Weights).0, 32 * 218_103_808 + 2 * (2 * 128_256 + 65) * 4_096);
    let gpu = gpus::by_id("a100-80-sxm").unwrap();
    let (units, rate) = memory_wall_core::roofline::multiplies_in(&on("a100-80-sxm", Engine::Vllm), gpu);
    assert_eq!((units.id(), rate.0), ("int8", 624e12));
}

/// Qwen3.5 27B: AWQ and `AutoRound` hold 17.7 GB (vLLM and `SGLang` on 24 GB serve them), Qwen's own GPTQ file 30 GB with its tower and the layer for drafts: its 64 MLPs of
/// 3 x 5,120 x 17,408 alone are in 4 bits.
#[test]
fn four_bit_files_of_gated_delta_nets_differ() {
    let weights = |id: &str, weights| {
        let scenario = Scenario { weights, ..with(&model(id), Engine::Exact) };
        evaluate(&checked(&scenario)).bytes(Bucket::Weights).0
    };
    let int4 = weights("qwen3.5-27b", WeightFormat::Int4);
    assert!((17_600_000_000..17_800_000_000).contains(&int4), "{int4}");
    let mlps: u128 = 64 * 3 * 5_120 * 17_408;
    let rest = u128::from(model("qwen3.5-27b").architecture.parameters().total()) - mlps;
    let widest = int4 + in_wider_files(&checked(&Scenario { weights: WeightFormat::Int4, ..model("qwen3.5-27b") }));
    // Half a byte for each of 256 values' scale and zero point apart.
    assert!(widest.abs_diff(mlps * 133 / 256 + rest * 2) < 2, "{widest}");
    // Of a mixture the experts alone, as in MXFP4.
    let experts: u128 = 40 * 256 * 3 * 2_048 * 512;
    let rest = u128::from(model("qwen3.5-35b-a3b").architecture.parameters().total()) - experts;
    assert_eq!(weights("qwen3.5-35b-a3b", WeightFormat::Int4), experts * 133 / 256 + rest * 2);
    // On 24 GB it starts with the files that people serve there, and not with Qwen's own: tight. Since 0.26 what a prompt holds of its states is charged as graphs.
    let mut served = Scenario { weights: WeightFormat::Int4, ..with(&model("qwen3.5-27b"), Engine::Vllm) };
    (served.gpu, served.kv, served.seq_length) = (gpus::by_id("rtx3090"), KvPrecision::Fp8, 8_192);
    (served.serving.max_num_seqs, served.serving.usual_seqs) = (1, false);
    served.serving.version = Version { major: 0, minor: 25 };
    assert_eq!(memory_wall_core::evaluate::verdict(&checked(&served)), Some(Verdict::Tight));
    let more = Bytes(in_wider_files(&checked(&served)));
    assert!(says(&served, Assumption::FilesDiffer { format: WeightFormat::Int4, mixture: false, more }));
    // Ranks hold their parts.
    served.parallel.tp = 4;
    let part = in_wider_files(&checked(&served));
    assert!(part * 4 > more.0 * 99 / 100 && part * 4 < more.0 * 11 / 10, "{part} of {more}");
    assert_eq!(in_wider_files(&checked(&Scenario { weights: WeightFormat::Int4Group32, ..served })), 0);
}

/// Nemotron 3 Nano 30B wrote 63.1 tokens/s on a GB10 (djangodevreng/dgx-spark-benchmarks) and Gemma 4 26B 53.0 (sostrowsk/dgx-spark-local-llm), where
/// a file with routed experts alone in 4 bits would bound them to 59.6 and 46.9. The latter logged 15.88 GiB.
#[test]
fn nvfp4_files_of_mixtures_quantise_more_than_routed_experts() {
    let gb10 = gpus::by_id("gb10").unwrap();
    for (id, measured, beside) in [
        ("nemotron-3-nano-30b", 63.14, 23 * 2 * 2_688 * 3_712 + 17 * (2_688 * 10_304 + 4_096 * 2_688)),
        ("gemma-4-26b-a4b", 53.0, model("gemma-4-26b-a4b").architecture.parameters().matrices.into()),
    ] {
        let mut scenario = Scenario { weights: WeightFormat::Nvfp4, ..with(&model(id), Engine::Vllm) };
        (scenario.gpu, scenario.kv, scenario.seq_length) = (Some(gb10), KvPrecision::Fp8, 1_536);
        let run = checked(&scenario);
        let fastest = estimate(&run, gb10, Pass::Decode, Counting::of(&run)).speed(&run, gb10).per_user[1];
        assert!(fastest > measured && fastest < 2.0 * measured, "{id} {fastest}");
        let more = in_wider_files(&run);
        // The convolution is no matrix that is quantised, and counts as one: 0.3%.
        assert!(more.abs_diff(beside * 2 - beside * 9 / 16) * 100 < more, "{id} {more} {beside}");
        assert!(says(
            &scenario,
            Assumption::FilesDiffer { format: WeightFormat::Nvfp4, mixture: true, more: Bytes(more) }
        ));
        let held = |weights| worked::total(|sink| weights::terms(&checked(&Scenario { weights, ..scenario }), sink)).0;
        let experts = u128::from(scenario.architecture.parameters().experts);
        let rest = held(WeightFormat::Bf16) - 2 * experts;
        assert!((held(WeightFormat::Nvfp4) + more).abs_diff(experts * 9 / 16 + rest) < 4, "{id}");
        // On two ranks as well.
        scenario.parallel.tp = 2;
        let part = in_wider_files(&checked(&scenario));
        assert!((more / 2..more * 11 / 20).contains(&part), "{id} {part} of {more}");
    }
    let gemma = Scenario { weights: WeightFormat::Nvfp4, ..with(&model("gemma-4-26b-a4b"), Engine::Vllm) };
    let loaded = vllm::Run::of(&checked(&gemma)).weights() as f64 / f64::from(1 << 30);
    assert!((loaded / 15.88 - 1.0).abs() < 0.025, "{loaded}");
}

/// NVFP4 files of Qwen3.5 to 3.8 27B: 20.4 to 24.6 GiB with the tower of 0.46e9 parameters and the layer for drafts, of which NVIDIA's is the smallest; NVIDIA's of Qwen3.6 35B: 21.82 GiB
/// (vLLM issue 44881), and 23.45 GiB loaded of another; NVIDIA's of Gemma 4 31B: 31.04 GiB loaded.
#[test]
fn nvfp4_files_leave_some_attention_wide() {
    let loaded = |id: &str, speculation| {
        let mut scenario = Scenario { weights: WeightFormat::Nvfp4, ..with(&model(id), Engine::Vllm) };
        (scenario.serving.speculation, scenario.serving.num_speculative_tokens) = (speculation, 3);
        let scenario = checked(&scenario);
        [vllm::Run::of(&scenario).weights(), in_wider_files(&scenario)].map(|bytes| bytes as f64 / f64::from(1 << 30))
    };
    // vLLM adds tables of positions and what the allocator rounds.
    let [qwen, more] = loaded("qwen3.5-27b", Speculation::Mtp);
    assert!((20.42..20.72).contains(&qwen) && (24.6..26.1).contains(&(qwen + more)), "{qwen} {more}");
    let [qwen, more] = loaded("qwen3.5-35b-a3b", Speculation::Mtp);
    assert!((21.82..22.1).contains(&qwen) && (23.45..24.2).contains(&(qwen + more)), "{qwen} {more}");
    let loaded = |id: &str| loaded(id, Speculation::None);
    let [gemma, none] = loaded("gemma-4-31b");
    assert!((30.5..31.3).contains(&gemma) && none.abs() < 1e-9, "{gemma} {none}");
    let mut served = Scenario { weights: WeightFormat::Nvfp4, ..with(&model("gemma-4-31b"), Engine::Vllm) };
    (served.gpu, served.kv, served.seq_length) = (gpus::by_id("rtx5090"), KvPrecision::Fp8, 8_192);
    (served.serving.max_num_seqs, served.serving.usual_seqs) = (8, false);
    assert_eq!(memory_wall_core::evaluate::verdict(&checked(&served)), Some(Verdict::DoesNotFit), "vllm issue 40291");
}

/// Llama 3.1 405B: 124 MLPs of 3 x 16,384 x 53,248 in 8 bits, all else in 16; a log of 8 GPUs says 57.75 GiB, where each KV head is held twice.
#[test]
fn metas_fp8_of_405b_leaves_attention_and_the_ends_wide() {
    let mut large = Scenario { weights: WeightFormat::Fp8, ..with(&model("llama-3.1-405b"), Engine::Exact) };
    let weights = |scenario: &Scenario| evaluate(&checked(scenario)).bytes(Bucket::Weights).0;
    let whole = u128::from(large.architecture.parameters().total());
    let mlps = 124 * 3 * 16_384 * 53_248;
    assert_eq!(weights(&large), 2 * whole - mlps);
    assert!(says(&large, Assumption::WideEnds));
    large.serving.engine = Engine::Vllm;
    large.parallel.tp = 8;
    let twice = 2 * 126 * 2 * 8 * 128 * 16_384 / 8;
    let logged = weights(&large) + twice;
    assert!(logged.abs_diff(57_750 * 1024 * 1024 * 1024 / 1000) < 100_000_000, "{logged}");
    // The first and the last stage hold a wide layer each, and the sum is the whole.
    large.parallel = Parallelism { pp: 2, ..Parallelism::ONE };
    assert!(weights(&large) > whole * 6 / 10, "{}", weights(&large));
    // Other sizes, and other formats, are whole.
    assert_eq!(
        weights(&Scenario { parallel: Parallelism::ONE, weights: WeightFormat::Fp8Block, ..large }) * 10 / whole,
        10
    );
    assert!(!says(&Scenario { weights: WeightFormat::Fp8, ..model("llama-3.1-70b") }, Assumption::WideEnds));
}

/// Llama 2 has 32,000 rows, a multiple of 128 on each of 2 ranks, and not on each of 4.
#[test]
fn a_padded_vocabulary_is_told() {
    let mut llama = Scenario { mode: Mode::Training, ..model("llama-2-7b") };
    llama.training.implementation = Implementation::Megatron;
    for (tp, rows) in [(2, 32_000), (4, 32_256), (8, 32_768)] {
        llama.parallel.tp = tp;
        assert_eq!(says(&llama, Assumption::PaddedVocabulary(rows)), rows != 32_000, "{tp}");
    }
}

/// `layout` in `memory/weights.rs`: of gpt-oss all but the experts is in `q8_0`.
#[test]
fn mxfp4_of_llama_cpp_is_said_as_it_is_counted() {
    let of = |engine| Scenario { weights: WeightFormat::Mxfp4, ..with(&model("gpt-oss-20b"), engine) };
    assert!(says(&of(Engine::LlamaCpp), Assumption::EightBitsBeside));
    assert!(says(&of(Engine::Vllm), Assumption::WideTensors(WeightFormat::Mxfp4)));
    assert!(Assumption::EightBitsBeside.to_string().contains("the other matrices in q8_0"));
}

#[test]
fn mistral_large_3_keeps_what_makes_its_short_vectors_wide() {
    let held = |id: &str, weights, tp| {
        let mut scenario = Scenario { weights, ..with(&model(id), Engine::Vllm) };
        scenario.parallel.tp = tp;
        let mut sum = 0;
        weights::kinds(&checked(&scenario), &checked(&scenario).local_parameters(), |item, count, block| {
            if item == Item::LayerMatrices && block.bytes == 2 {
                sum += count;
            }
        });
        sum
    };
    // q_a_proj and kv_a_proj_with_mqa of 61 layers, whole on every rank.
    for tp in [1, 8] {
        assert_eq!(held("mistral-large-3", WeightFormat::Fp8Block, tp), 61 * 7_168 * (1_536 + 512 + 64));
    }
    assert_eq!(held("deepseek-v3", WeightFormat::Fp8Block, 8), 0);
}

/// vLLM issue 28228, release 0.11: "Available KV cache memory: 2.30 GiB", "Maximum concurrency for 120,000 tokens per request: 2.48x".
#[test]
fn a_long_batch_passes_through_experts_in_chunks() {
    let mut scenario = Scenario {
        weights: WeightFormat::Int4Group32,
        seq_length: 120_000,
        gpu: gpus::by_id("rtx3090"),
        ..with(&model("kimi-linear-48b-a3b"), Engine::Vllm)
    };
    scenario.parallel.tp = 2;
    let serving = &mut scenario.serving;
    (serving.version, serving.max_num_seqs, serving.max_num_batched_tokens) =
        (Version { major: 0, minor: 11 }, 8, 64_000);
    serving.gpu_memory_utilization = Some(memory_wall_core::Share::percent(95));
    let scenario = scenario.check().unwrap();
    let start = vllm::start(&scenario, scenario.capacity().unwrap());
    assert!((start.pool.pool.magnitude().as_gib() - 2.30).abs() < 0.02, "{start:?}");
    assert!(start.refusal.is_none() && (start.requests.concurrency - 2.48).abs() < 0.01, "{start:?}");
}
