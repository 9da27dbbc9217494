//! What must hold for every program that serves a model, and the figures of its formulas that are known.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

#[allow(dead_code, reason = "another file of tests uses the rest")]
#[path = "common/any.rs"]
mod any;

use any::{scenario, served};
use memory_wall_core::architecture::{Architecture, Latent, Projection, SlidingWindow};
use memory_wall_core::engines::{self, How, Unsupported, vllm};
use memory_wall_core::memory::kv_cache::{self, Held};
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::units::GIB;
use memory_wall_core::worked::{self, Item};
use memory_wall_core::{
    Bucket, Bytes, Checked, Engine, Evaluation, KvPrecision, Mode, Offload, Parallelism, Scenario, ScenarioError,
    Verdict, WeightFormat, evaluate,
};
use proptest::prelude::*;

fn config() -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { config } else { ProptestConfig { cases: 2_000, ..config } }
}

fn exact(scenario: &Scenario) -> Bytes {
    worked::total(|sink| kv_cache::terms(&scenario.check().unwrap(), sink))
}

/// Served, without what its program and its GPU cannot offload.
fn serving(scenario: &Scenario) -> Scenario {
    served(Scenario { mode: Mode::Inference, ..*scenario })
}

fn with(scenario: &Scenario, engine: Engine) -> Scenario {
    let mut scenario = *scenario;
    scenario.serving.engine = engine;
    if Offload::check(&scenario).is_err() {
        scenario.offload = Offload::default();
    }
    scenario
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_program_never_sets_aside_less_than_the_tokens_take(scenario in scenario()) {
        let scenario = serving(&scenario);
        for &engine in Engine::ALL {
            let served = served(with(&scenario, engine));
            if served.serving.engine != engine {
                continue;
            }
            let reserved = kv_cache::reserved(&served.check().unwrap());
            prop_assert_eq!(reserved.exact, exact(&served));
            prop_assert!(reserved.bytes >= reserved.exact);
            prop_assert!(engine != Engine::Exact || reserved.how == How::Exact && reserved.bytes == reserved.exact);
            prop_assert!(!reserved.how.to_string().is_empty());
            let inspection = engines::inspect(&served.check().unwrap());
            let parts = inspection.parts.iter().filter(|part| part.bucket == Bucket::Overhead).map(|part| part.bytes);
            let overhead = worked::total(|sink| Bucket::Overhead.terms(&served.check().unwrap(), memory_wall_core::Phase::Forward, sink));
            prop_assert!(engine == Engine::Exact || parts.sum::<Bytes>() == overhead);
        }
    }

    #[test]
    fn nothing_falls_with_more_or_longer_sequences(scenario in scenario(), more in 1u32..2_000) {
        let scenario = serving(&scenario);
        let scenario = scenario.check().unwrap();
        let total = |scenario: &Checked| memory_wall_core::evaluate::total(scenario);
        let longer = scenario.with_seq_length(scenario.seq_length.saturating_add(more));
        let wider = scenario.with_batch(scenario.batch.saturating_add(more));
        prop_assert!(total(&longer) >= total(&scenario));
        prop_assert!(total(&wider) >= total(&scenario));
    }

    /// The verdict on vLLM is whether it starts, and whether the pool holds what the sequences need.
    #[test]
    fn a_share_of_the_card_is_judged_by_its_pool(scenario in scenario()) {
        let scenario = served(with(&Scenario { mode: Mode::Inference, ..scenario }, Engine::Vllm));
        let (Some(gpu), Engine::Vllm) = (scenario.gpu, scenario.serving.engine) else { return Ok(()) };
        let scenario = scenario.check().unwrap();
        let evaluation = evaluate(&scenario);
        let scenario = scenario.at_stage(evaluation.stage);
        let fit = evaluation.fit.unwrap();
        let run = vllm::Run::of(&scenario);
        let start = run.start(gpu.capacity, vllm::requested(&scenario, gpu.capacity));
        // Groups of several kinds of layers pad, so that the fullest of many stages may be one that is not looked at: a thousandth of such shapes.
        let shape = &scenario.architecture;
        let one_kind = shape.sliding_window.is_none() && shape.linear_attention.is_none();
        if !one_kind && scenario.parallel.pp > 1 {
            return Ok(());
        }
        let tightest = vllm::start(&scenario, gpu.capacity);
        prop_assert_eq!(tightest.verdict == Verdict::DoesNotFit, fit.verdict == Verdict::DoesNotFit);
        // Without a common page no byte is missing.
        let pages = tightest.refusal != Some(vllm::Refusal::NoCommonPage);
        prop_assert_eq!(fit.margin.0 < 0 || !pages, fit.verdict == Verdict::DoesNotFit);
        prop_assert!(tightest.refusal.is_none() || fit.verdict == Verdict::DoesNotFit);
        prop_assert!(fit.limit <= fit.capacity);
        prop_assert_eq!(start.pool, vllm::pool(&scenario, vllm::Version::MEASURED, gpu.capacity));
        prop_assert_eq!(start.pool.weights, evaluation.bytes(Bucket::Weights));
        prop_assert_eq!(start.pool.activation, evaluation.bytes(Bucket::Activations) + evaluation.bytes(Bucket::Logits));
        prop_assert_eq!(start.need, evaluation.bytes(Bucket::KvCache));
        let spare = start.pool.pool.0 - i128::try_from(start.need.0).unwrap();
        prop_assert!(fit.margin.0 == spare || fit.verdict == Verdict::DoesNotFit && fit.margin.0 <= spare);
        // What a share and what lies beside it take together is never more than there is.
        prop_assert!(start.outside.0 >= 0 || fit.verdict == Verdict::DoesNotFit);
        // What runs is what the pool holds, and the rest waits.
        let requests = tightest.requests;
        prop_assert_eq!(requests.running + requests.waiting, scenario.batch);
        prop_assert!(u64::from(requests.running) <= requests.held.min(scenario.serving.max_num_seqs.into()));
        if tightest.refusal.is_none() && requests.held < scenario.batch.into() {
            prop_assert_eq!(fit.verdict, Verdict::DoesNotFit);
        }
        if fit.verdict != Verdict::DoesNotFit {
            prop_assert!(requests.held >= scenario.batch.into() && requests.concurrency >= 1.0);
        }
        // The longest that fits does, on the rank that is fullest then.
        let most = scenario.serving.max_model_len.unwrap_or(10_000_000);
        let at = |seq_length| evaluate(&scenario.with_seq_length(seq_length)).fit.unwrap().verdict;
        prop_assert!(fit.max_seq <= most);
        prop_assert!(fit.max_seq == 0 || at(fit.max_seq) != Verdict::DoesNotFit);
        prop_assert!(fit.max_seq == most || at(fit.max_seq + 1) == Verdict::DoesNotFit);
    }

    #[test]
    fn stages_hold_the_cache_of_the_model(scenario in scenario()) {
        let mut scenario = with(&serving(&scenario), Engine::Exact);
        scenario.offload.kv_cache = false;
        scenario.parallel = Parallelism { pp: scenario.parallel.pp, ..Parallelism::ONE };
        let whole = Scenario { parallel: Parallelism::ONE, ..scenario };
        let sum: Held = (0..scenario.parallel.pp).fold(Held::default(), |sum, stage| {
            scenario.parallel.stage = stage;
            let here = Held::on(&scenario.check().unwrap());
            Held { full: sum.full + here.full, sliding: sum.sliding + here.sliding, linear: sum.linear + here.linear }
        });
        prop_assert_eq!(sum, Held::on(&whole.check().unwrap()));
    }
}

fn model(id: &str) -> Scenario {
    Scenario::new(models::by_id(id).unwrap().architecture)
}

/// Thousandths of a GiB, rounded.
fn thousandths(bytes: Bytes) -> u128 {
    (bytes.0 * 1_000 + GIB / 2) / GIB
}

fn of(evaluation: &Evaluation, buckets: &[Bucket]) -> u128 {
    thousandths(buckets.iter().map(|bucket| evaluation.bytes(*bucket)).sum())
}

#[test]
fn one_model_under_every_program() {
    let llama = Scenario { seq_length: 8_192, ..model("llama-3.1-8b") };
    for (engine, weights, work, overhead) in [
        (Engine::Hf, 14_958, 844, 541),
        (Engine::LlamaCpp, 14_958, 252, 510),
        // Weights with rotary tables, the profile, 0.51 of context and 0.904 of graphs and 0.25 beside PyTorch.
        (Engine::Vllm, 14_989, 1_885, 1_664),
    ] {
        let evaluation = evaluate(&with(&llama, engine).check().unwrap());
        assert_eq!(of(&evaluation, &[Bucket::Weights]), weights, "{engine:?}");
        assert_eq!(of(&evaluation, &[Bucket::KvCache]), 1_000, "{engine:?}");
        assert_eq!(of(&evaluation, &[Bucket::Activations, Bucket::Logits]), work, "{engine:?}");
        assert_eq!(of(&evaluation, &[Bucket::Overhead]), overhead, "{engine:?}");
    }
}

#[test]
fn a_pool_holds_so_many_tokens_and_no_more() {
    let mut llama = Scenario { gpu: gpus::by_id("h100-sxm"), ..with(&model("llama-3.1-8b"), Engine::Vllm) };
    llama.serving.utilization_percent = 95;
    let fit = evaluate(&llama.check().unwrap()).fit.unwrap();
    let pool = vllm::pool(&llama.check().unwrap(), vllm::Version::MEASURED, llama.gpu.unwrap().capacity);
    assert_eq!(u128::from(fit.max_seq), pool.tokens);
    // Beside the share wait the context and the graphs, 1.4 GiB; and a forward pass of 1.9 GiB runs again.
    for (percent, verdict) in [(95, Verdict::Fits), (97, Verdict::Tight), (99, Verdict::DoesNotFit)] {
        llama.serving.utilization_percent = percent;
        assert_eq!(evaluate(&llama.check().unwrap()).fit.unwrap().verdict, verdict, "{percent}");
    }
}

#[test]
fn newer_samplers_take_less() {
    let mut qwen = Scenario::new(Architecture::llama([40, 5_120, 40, 8, 128, 17_408, 151_936]));
    qwen.serving.utilization_percent = 95;
    // "torch peak memory increase" of Qwen3 14B in four releases: 5.635 and 2.232 GiB.
    for (minor, activation) in [(15, 5_635), (16, 5_635), (17, 2_232), (18, 2_232)] {
        let pool = vllm::pool(&qwen.check().unwrap(), vllm::Version { major: 0, minor }, Bytes(85_029_615_042));
        assert_eq!(thousandths(pool.activation), activation, "0.{minor}");
    }
}

#[test]
fn latent_attention_is_cached_as_the_short_vector() {
    let latent = Latent { kv_lora_rank: 512, q_lora_rank: None, rope_dim: 64, nope_dim: 128, v_dim: 128 };
    let mut lite = Scenario::new(Architecture {
        projection: Projection::Latent(latent),
        ..Architecture::llama([27, 2_048, 16, 16, 192, 10_944, 102_400])
    });
    lite.seq_length = 4_096;
    let compressed = Bytes(27 * 576 * 4_096 * 2);
    assert_eq!(exact(&lite), compressed);
    assert_eq!(kv_cache::reserved(&with(&lite, Engine::Vllm).check().unwrap()).bytes, compressed);
    assert_eq!(kv_cache::reserved(&with(&lite, Engine::LlamaCpp).check().unwrap()).bytes, compressed);
    // 31,104 bytes a token, as runs of 5.23 have it; 276,480 as whole heads, up to 4.57.
    let short = kv_cache::reserved(&with(&lite, Engine::Hf).check().unwrap());
    assert_eq!((short.bytes, short.how), (Bytes(31_104 * 4_096), How::Compressed));
    // A rank of two has all of the one vector.
    lite.parallel.tp = 2;
    assert_eq!(exact(&lite), compressed);
    assert_eq!(kv_cache::reserved(&with(&lite, Engine::Hf).check().unwrap()).bytes, compressed);
}

#[test]
fn two_layers_of_an_offloaded_cache_are_on_the_card() {
    let mut llama = Scenario { seq_length: 8_192, ..with(&model("llama-3.1-8b"), Engine::Hf) };
    llama.offload.kv_cache = true;
    assert_eq!(exact(&llama), Bytes((1 << 30) / 16));
    assert_eq!(kv_cache::reserved(&llama.check().unwrap()).how, How::InHostMemory);
}

#[test]
fn shared_layers_have_no_cache_and_windows_may_have_heads_of_their_own() {
    let shape = Architecture {
        shared_cache_layers: 15,
        sliding_window: Some(SlidingWindow { kv_heads: Some(4), head_dim: Some(64), ..SlidingWindow::over(10, 512) }),
        ..Architecture::llama([35, 2_048, 8, 2, 256, 8_192, 262_144])
    };
    let scenario = Scenario { seq_length: 4_096, ..Scenario::new(shape) };
    assert_eq!(exact(&scenario), Bytes(2 * 10 * 2 * 256 * 4_096 * 2 + 2 * 10 * 4 * 64 * 512 * 2));
    let mut items = Vec::new();
    kv_cache::terms(&scenario.check().unwrap(), &mut |term| items.push(term.item));
    assert_eq!(items, [Item::FullLayers, Item::WindowLayers]);
}

fn checked(scenario: &Scenario) -> Checked {
    scenario.check().unwrap()
}

/// A start on the scenario's own GPU.
fn started(scenario: &Scenario) -> vllm::Start {
    vllm::start(&checked(scenario), scenario.gpu.unwrap().capacity)
}

/// Issue 18: "27.1 GB to be taken" of a GPU with 25.8 GB was called tight.
#[test]
fn a_share_and_what_lies_beside_it_are_no_more_than_the_gpu() {
    let mut llama = Scenario {
        weights: WeightFormat::Int4,
        kv: KvPrecision::Fp8,
        seq_length: 1_024,
        ..with(&model("llama-3.2-1b"), Engine::Vllm)
    };
    (llama.serving.max_num_seqs, llama.serving.max_num_batched_tokens) = (256, 2_048);
    for gpu in ["rtx4090", "t4", "l4"] {
        llama.gpu = gpus::by_id(gpu);
        let capacity = llama.gpu.unwrap().capacity;
        let mut refused = 0;
        for percent in 80..=100 {
            llama.serving.utilization_percent = percent;
            let start = started(&llama);
            let fit = evaluate(&checked(&llama)).fit.unwrap();
            let too_much = start.outside.0 < 0;
            assert_eq!(fit.verdict == Verdict::DoesNotFit, too_much, "{gpu} {percent}");
            assert_eq!(start.refusal.is_some(), too_much, "{gpu} {percent}");
            assert_eq!(too_much, percent > vllm::Run::of(&checked(&llama)).largest_share(capacity), "{gpu} {percent}");
            assert_eq!((fit.max_seq, fit.max_batch) == (0, 0), too_much, "{gpu} {percent}");
            refused += u32::from(too_much);
        }
        assert!((1..20).contains(&refused), "{gpu} {refused}");
    }
}

#[test]
fn one_request_of_max_model_len_must_go_into_the_pool() {
    let mut llama =
        Scenario { gpu: gpus::by_id("l4"), seq_length: 2_048, ..with(&model("llama-3.1-8b"), Engine::Vllm) };
    (llama.serving.max_num_seqs, llama.serving.max_num_batched_tokens) = (256, 2_048);
    let alone = started(&llama);
    assert_eq!((alone.refusal, alone.requests.max_model_len), (None, 2_048));
    // The same requests, and a cap that the pool cannot hold.
    llama.serving.max_model_len = Some(131_072);
    let start = started(&llama);
    let Some(vllm::Refusal::Length { max_model_len, needed, available, estimated }) = start.refusal else {
        panic!("{:?}", start.refusal)
    };
    assert_eq!((max_model_len, needed, available), (131_072, Bytes(16 * GIB), start.pool.pool.magnitude()));
    assert_eq!(u128::from(estimated), start.pool.tokens);
    assert_eq!(evaluate(&checked(&llama)).fit.unwrap().verdict, Verdict::DoesNotFit);
    assert!(start.requests.concurrency < 1.0);
    // With the estimated length it starts, and holds exactly one of these.
    llama.serving.max_model_len = Some(estimated);
    let start = started(&llama);
    assert_eq!((start.refusal, evaluate(&checked(&llama)).fit.unwrap().verdict), (None, Verdict::Fits));
    assert!((start.requests.concurrency - 1.0).abs() < 0.01, "{}", start.requests.concurrency);
    // More than fit wait: vLLM starts.
    llama.batch = 1_000;
    let start = started(&llama);
    assert_eq!((start.refusal, start.verdict), (None, Verdict::DoesNotFit));
    assert_eq!(u64::from(start.requests.running), start.requests.held.min(256));
    assert_eq!(start.requests.running + start.requests.waiting, 1_000);
    // A request that is longer than the cap is none.
    llama.seq_length = estimated + 1;
    let longer = Unsupported::TooLong { seq_length: estimated + 1, max_model_len: estimated };
    assert_eq!(llama.check(), Err(ScenarioError::Runtime(longer)));
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

#[test]
fn a_rank_has_whole_blocks_of_fp8_weights() {
    // vllm issue 17569: 1,536 / 8 = 192.
    let mut qwen = with(&model("qwen3-235b-a22b"), Engine::Vllm);
    (qwen.weights, qwen.parallel.tp) = (WeightFormat::Fp8Block, 8);
    let blocks = Unsupported::Blocks { what: "moe_intermediate_size", width: 1_536, ranks: 8 };
    assert_eq!(qwen.check(), Err(ScenarioError::Runtime(blocks)));
    assert!(blocks.to_string().contains("moe_intermediate_size 1,536 over 8 ranks is 192"), "{blocks}");
    // Whole experts, fewer ranks, or a scale for the whole tensor.
    for (weights, tp, ep) in [(WeightFormat::Fp8Block, 8, 8), (WeightFormat::Fp8Block, 4, 1), (WeightFormat::Fp8, 8, 1)]
    {
        qwen.weights = weights;
        (qwen.parallel.tp, qwen.parallel.ep) = (tp, ep);
        assert!(qwen.check().is_ok(), "{weights} {tp} {ep}");
    }
}

#[test]
fn what_a_runtime_cannot_run_is_refused_by_name() {
    let on = |engine, weights, gpu| Scenario { weights, gpu: gpus::by_id(gpu), ..with(&model("llama-3.1-8b"), engine) };
    for (scenario, words) in [
        (
            on(Engine::LlamaCpp, WeightFormat::Nf4, "rtx4090"),
            "GGUF files, which hold no nf4 weights: the nearest GGUF format is q4_k",
        ),
        (on(Engine::LlamaCpp, WeightFormat::Fp8, "rtx4090"), "hold no fp8 weights: the nearest GGUF format is q8_0"),
        (on(Engine::Vllm, WeightFormat::Q4K, "rtx4090"), "only as an experiment, which is not modelled"),
        (on(Engine::Hf, WeightFormat::Q4K, "rtx4090"), "unpacks GGUF files such as q4_k to 16 bits"),
        (
            on(Engine::Vllm, WeightFormat::Bf16, "t4"),
            "bf16 weights on GPUs of compute capability 8.0 or newer, and T4 has 7.5: use fp16",
        ),
        (on(Engine::Vllm, WeightFormat::Fp8, "v100-sxm2-32"), "7.5 or newer, and V100 SXM2 32GB has 7.0"),
        (on(Engine::Vllm, WeightFormat::Mxfp4, "t4"), "8.0 or newer, and T4 has 7.5"),
        (
            on(Engine::Hf, WeightFormat::Fp8Block, "a100-80-sxm"),
            "unpacks them to bf16 on older ones; A100 SXM4 80GB has 8.0",
        ),
        (on(Engine::Vllm, WeightFormat::Fp8, "mi210"), "no kernels for fp8 weights on Instinct MI210"),
        (on(Engine::Vllm, WeightFormat::Bf16, "tpu-v4"), "vLLM on TPU v4 (chip) is not modelled"),
        (
            Scenario { kv: KvPrecision::Int8, ..on(Engine::Vllm, WeightFormat::Bf16, "h100-sxm") },
            "vLLM has no KV cache in int8",
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
    // What does run: fp8 on a T4 as weights alone, since 0.14, and 16 bits as fp16.
    for (engine, weights, gpu) in [
        (Engine::Vllm, WeightFormat::Fp8, "t4"),
        (Engine::Vllm, WeightFormat::Fp16, "t4"),
        (Engine::Vllm, WeightFormat::Int4, "v100-sxm2-32"),
        (Engine::Vllm, WeightFormat::Fp8Block, "a100-80-sxm"),
        (Engine::Hf, WeightFormat::Fp8, "l4"),
        (Engine::LlamaCpp, WeightFormat::Bf16, "t4"),
    ] {
        assert!(on(engine, weights, gpu).check().is_ok(), "{engine:?} {weights} {gpu}");
    }
    let sixteen_bits = |gpu| engines::sixteen_bits(Engine::Vllm, gpus::by_id(gpu));
    assert_eq!([sixteen_bits("t4"), sixteen_bits("l4")], [WeightFormat::Fp16, WeightFormat::Bf16]);
}
