//! What must hold for every program that serves a model, and the figures of its formulas that are known.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

#[allow(dead_code, reason = "another file of tests uses the rest")]
#[path = "common/any.rs"]
mod any;

use any::{scenario, served};
use memory_wall_core::architecture::{Architecture, Latent, Moe, Projection, SlidingWindow};
use memory_wall_core::assumptions::Assumptions;
use memory_wall_core::engines::{self, How, vllm};
use memory_wall_core::memory::kv_cache::{self, CachedLayers};
use memory_wall_core::scenario::Unsupported;
use memory_wall_core::serving::{Serving, Speculation, Version};
use memory_wall_core::tables::drafts::{self, Draft};
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::units::GIB;
use memory_wall_core::worked::{self, Item};
use memory_wall_core::{
    Attention, Bucket, Bytes, Checked, Engine, Evaluation, KvPrecision, Mode, Offload, Parallelism, Scenario,
    ScenarioError, Share, Verdict, WeightFormat, evaluate,
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
            let reserved = engines::reservation(&served.check().unwrap());
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
        // The first engine of vLLM reads whole prompts up to 32,768 tokens and longer ones in chunks: fewer tokens pass at once.
        let at_once = |scenario: &Checked| scenario.serving.batched_tokens(scenario.longest_request(), scenario.gpu);
        prop_assert!(total(&longer) >= total(&scenario) || at_once(&longer) < at_once(&scenario));
        prop_assert!(total(&wider) >= total(&scenario));
    }

    /// The verdict on vLLM is whether it starts, and whether the pool holds what the sequences need.
    #[test]
    fn a_share_of_the_gpu_is_judged_by_its_pool(scenario in scenario()) {
        let scenario = served(with(&Scenario { mode: Mode::Inference, ..scenario }, Engine::Vllm));
        let (Some(capacity), Engine::Vllm) = (scenario.capacity(), scenario.serving.engine) else { return Ok(()) };
        let scenario = scenario.check().unwrap();
        let evaluation = evaluate(&scenario);
        let fit = evaluation.fit.unwrap();
        let on = |stage| {
            let rank = scenario.at_stage(stage);
            vllm::Run::of(&rank).start(capacity, vllm::requested(&rank, capacity))
        };
        let start = on(evaluation.stage);
        let tightest = vllm::start(&scenario, capacity);
        prop_assert_eq!((tightest.verdict, tightest.margin), (fit.verdict, fit.margin));
        // It is the worst of all stages, whatever they hold.
        let stages: Vec<vllm::Start> = (0..scenario.parallel.pp).map(on).collect();
        let any = |verdict| stages.iter().any(|start| start.verdict == verdict);
        prop_assert_eq!(fit.verdict == Verdict::DoesNotFit, any(Verdict::DoesNotFit));
        prop_assert_eq!(fit.verdict.holds(), !any(Verdict::DoesNotFit) && !any(Verdict::Queues));
        prop_assert_eq!(fit.verdict == Verdict::Fits, fit.verdict.holds() && !any(Verdict::Tight));
        prop_assert_eq!(Some(fit.margin), stages.iter().map(|start| start.margin).min());
        prop_assert_eq!(tightest.refusal.is_some(), stages.iter().any(|start| start.refusal.is_some()));
        if tightest.refusal.is_none() {
            prop_assert_eq!(Some(tightest.requests.held), stages.iter().map(|start| start.requests.held).min());
        }
        // Without a common page no byte is missing.
        let pages = tightest.refusal != Some(vllm::Refusal::NoCommonPage);
        let capped = scenario.batch > scenario.serving.max_num_seqs;
        prop_assert_eq!(fit.margin.0 < 0 || !pages || capped, !fit.verdict.holds());
        prop_assert_eq!(tightest.refusal.is_some(), fit.verdict == Verdict::DoesNotFit);
        prop_assert!(fit.limit <= fit.capacity);
        let rank = scenario.at_stage(evaluation.stage);
        prop_assert_eq!(start.pool, vllm::pool(&rank, scenario.serving.version, capacity));
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
            prop_assert_eq!(fit.verdict, Verdict::Queues);
        }
        if fit.verdict.holds() {
            prop_assert!(requests.held >= scenario.batch.into() && requests.concurrency >= 1.0);
        }
        // The longest that fits does, on the rank that is fullest then.
        let limits = [scenario.serving.max_model_len, scenario.architecture.trained_context, Some(10_000_000)];
        let most = limits.into_iter().flatten().min().unwrap();
        // Where the cap itself is too long for the pool, with a shorter one.
        let short = matches!(tightest.refusal, Some(vllm::Refusal::Length { .. }));
        let open = scenario.with(|it| it.serving.max_model_len = it.serving.max_model_len.filter(|_| !short));
        // Without the cap the first engine may read prompts as a whole, for which it is then told too few tokens.
        let Ok(open) = open else { return Ok(()) };
        let at = |seq_length| evaluate(&open.with_seq_length(seq_length)).fit.unwrap().verdict;
        prop_assert!(fit.max_seq <= most);
        prop_assert!(fit.max_seq == 0 || capped || at(fit.max_seq).holds());
        prop_assert!(fit.max_seq == most || !at(fit.max_seq + 1).holds());
    }

    #[test]
    fn stages_hold_the_cache_of_the_model(scenario in scenario()) {
        let mut scenario = with(&serving(&scenario), Engine::Exact);
        scenario.offload.kv_cache = false;
        scenario.parallel = Parallelism { pp: scenario.parallel.pp, ..Parallelism::ONE };
        let whole = Scenario { parallel: Parallelism::ONE, ..scenario };
        let sum: CachedLayers = (0..scenario.parallel.pp).fold(CachedLayers::default(), |sum, stage| {
            scenario.parallel.stage = stage;
            let here = CachedLayers::on(&scenario.check().unwrap());
            CachedLayers { full: sum.full + here.full, sliding: sum.sliding + here.sliding, linear: sum.linear + here.linear }
        });
        prop_assert_eq!(sum, CachedLayers::on(&whole.check().unwrap()));
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
        // Weights with rotary tables, the profile, 0.51 of context and 0.904 of graphs and 0.28 beside PyTorch.
        (Engine::Vllm, 14_989, 1_885, 1_694),
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
    llama.serving.gpu_memory_utilization = Some(Share::percent(95));
    // Longer than the model was made for, so that the pool is what ends it.
    llama.architecture.trained_context = None;
    let fit = evaluate(&llama.check().unwrap()).fit.unwrap();
    let pool = vllm::pool(&llama.check().unwrap(), Version::NEWEST, llama.gpu.unwrap().capacity);
    assert_eq!(u128::from(fit.max_seq), pool.tokens);
    // Beside the share waits the context, 0.5 to 0.6 GiB; and a forward pass of 1.9 GiB runs again.
    for (percent, verdict) in [(95, Verdict::Fits), (97, Verdict::Tight), (100, Verdict::DoesNotFit)] {
        llama.serving.gpu_memory_utilization = Some(Share::percent(percent));
        assert_eq!(evaluate(&llama.check().unwrap()).fit.unwrap().verdict, verdict, "{percent}");
    }
}

/// Issue 18: graphs lie beside the share up to 0.20, and come out of it since.
#[test]
fn each_release_counts_graphs_where_it_takes_them() {
    let mut llama = Scenario { gpu: gpus::by_id("h100-sxm"), ..with(&model("llama-3.3-70b"), Engine::Vllm) };
    llama.parallel.tp = 2;
    let at = |minor: u32, percent: u32| {
        let mut served = llama;
        served.serving.version = Version { major: 0, minor };
        served.serving.gpu_memory_utilization = Some(Share::percent(percent));
        (started(&served), evaluate(&checked(&served)).fit.unwrap())
    };
    let ((old, old_fit), (new, new_fit)) = (at(19, 95), at(21, 95));
    let graphs = old.pool.cuda_graphs;
    assert_eq!(old.pool.pool.0 - new.pool.pool.0, i128::try_from(graphs.0).unwrap());
    assert_eq!(new.outside.0 - old.outside.0, i128::try_from(graphs.0).unwrap());
    assert_eq!(old_fit.limit.0 - new_fit.limit.0, graphs.0);
    // Where none is named, the newest decides; and what it says is never better than what an older one says with room beside the share.
    assert_eq!(llama.serving.version, Version::NEWEST);
    assert!(new_fit.max_batch <= old_fit.max_batch && new_fit.max_seq <= old_fit.max_seq);
    // Largest figures of the logs alone do not refuse: they make a result tight.
    let mut t4 =
        Scenario { weights: WeightFormat::Int4, gpu: gpus::by_id("t4"), ..with(&model("llama-3.1-8b"), Engine::Vllm) };
    (t4.serving.max_num_seqs, t4.serving.max_num_batched_tokens) = (256, 2_048);
    t4.serving.version = Version::MEASURED;
    let verdicts = (85..=95).map(|percent| {
        t4.serving.gpu_memory_utilization = Some(Share::percent(percent));
        let start = started(&t4);
        let may = matches!(start.tightness, Some(vllm::Tightness::Start(vllm::Refusal::Graphs { .. })));
        assert_eq!(start.verdict, evaluate(&checked(&t4)).fit.unwrap().verdict, "{percent}");
        (start.refusal.is_some(), may, start.verdict)
    });
    let verdicts: Vec<_> = verdicts.collect();
    assert!(verdicts.contains(&(false, true, Verdict::Tight)), "{verdicts:?}");
    assert!(verdicts.iter().all(|(refused, _, verdict)| *refused == (*verdict == Verdict::DoesNotFit)), "{verdicts:?}");
}

/// Issue 18: five requests of which one may run were called a fit.
#[test]
fn requests_beyond_max_num_seqs_wait() {
    let mut llama = Scenario { gpu: gpus::by_id("h100-sxm"), ..with(&model("llama-3.1-8b"), Engine::Vllm) };
    (llama.batch, llama.serving.max_num_seqs, llama.serving.usual_seqs) = (5, 1, false);
    let start = started(&llama);
    assert_eq!((start.verdict, start.requests.running, start.requests.waiting), (Verdict::Queues, 1, 4));
    assert!(start.margin.0 > 0);
    assert_eq!(evaluate(&checked(&llama)).fit.unwrap().max_batch, 1);
    llama.serving.max_num_seqs = 5;
    assert_eq!(started(&llama).verdict, Verdict::Fits);
}

/// vLLM takes no more tokens at once by itself than its sequences can have.
#[test]
fn few_short_requests_are_read_in_small_batches() {
    let mut llama = Scenario { gpu: gpus::by_id("rtx4090"), ..with(&model("llama-3.2-3b"), Engine::Vllm) }
        .on(gpus::by_id("rtx4090").unwrap());
    (llama.serving.max_num_seqs, llama.serving.usual_seqs, llama.seq_length) = (2, false, 512);
    assert_eq!((llama.batched_tokens(), llama.serving.max_num_batched_tokens), (1_024, 2_048));
    let small = started(&llama).pool.activation;
    llama.serving.usual_batched_tokens = false;
    assert_eq!(llama.batched_tokens(), 2_048);
    assert!(small < started(&llama).pool.activation);
}

#[test]
fn newer_samplers_take_less() {
    let mut qwen = Scenario::new(Architecture::llama([40, 5_120, 40, 8, 128, 17_408, 151_936]));
    qwen.serving.gpu_memory_utilization = Some(Share::percent(95));
    // "torch peak memory increase" of Qwen3 14B in four releases: 5.635 and 2.232 GiB.
    for (minor, activation) in [(15, 5_635), (16, 5_635), (17, 2_232), (18, 2_232)] {
        let pool = vllm::pool(&qwen.check().unwrap(), Version { major: 0, minor }, Bytes(85_029_615_042));
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
    assert_eq!(engines::reservation(&with(&lite, Engine::Vllm).check().unwrap()).bytes, compressed);
    assert_eq!(engines::reservation(&with(&lite, Engine::LlamaCpp).check().unwrap()).bytes, compressed);
    // 31,104 bytes a token, as runs of 5.23 have it; 276,480 as whole heads, up to 4.57.
    let short = engines::reservation(&with(&lite, Engine::Hf).check().unwrap());
    assert_eq!((short.bytes, short.how), (Bytes(31_104 * 4_096), How::Compressed));
    // A rank of two has all of the one vector.
    lite.parallel.tp = 2;
    assert_eq!(exact(&lite), compressed);
    assert_eq!(engines::reservation(&with(&lite, Engine::Hf).check().unwrap()).bytes, compressed);
}

#[test]
fn two_layers_of_an_offloaded_cache_are_on_the_gpu() {
    let mut llama = Scenario { seq_length: 8_192, ..with(&model("llama-3.1-8b"), Engine::Hf) };
    llama.offload.kv_cache = true;
    assert_eq!(exact(&llama), Bytes((1 << 30) / 16));
    assert_eq!(engines::reservation(&llama.check().unwrap()).how, How::InHostMemory);
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
        llama.kv = if gpu == "t4" { KvPrecision::Bf16 } else { KvPrecision::Fp8 };
        let capacity = llama.gpu.unwrap().capacity;
        let mut refused = 0;
        for percent in 80..=100 {
            llama.serving.gpu_memory_utilization = Some(Share::percent(percent));
            let start = started(&llama);
            let fit = evaluate(&checked(&llama)).fit.unwrap();
            let too_much = start.outside.0 < 0;
            assert_eq!(fit.verdict == Verdict::DoesNotFit, too_much, "{gpu} {percent}");
            assert_eq!(start.refusal.is_some(), too_much, "{gpu} {percent}");
            assert_eq!(
                too_much,
                Share::percent(percent) > vllm::Run::of(&checked(&llama)).largest_share(capacity),
                "{gpu} {percent}"
            );
            assert_eq!((fit.max_seq, fit.max_batch) == (0, 0), too_much, "{gpu} {percent}");
            refused += u32::from(too_much);
        }
        assert!((1..20).contains(&refused), "{gpu} {refused}");
    }
}

/// 0.8 takes the context out of the share, and asks for the share of what is free beside it all the same.
#[test]
fn a_share_of_all_lacks_the_context_in_every_release() {
    let mut llama = Scenario { gpu: gpus::by_id("a100-40-sxm"), ..with(&model("llama-3.2-1b"), Engine::Vllm) };
    llama.serving.gpu_memory_utilization = Some(Share::percent(100));
    for minor in [6, 8, 10, 19, 24] {
        llama.serving.version = Version { major: 0, minor };
        let start = started(&llama);
        assert!(matches!(start.refusal, Some(vllm::Refusal::Share { .. })), "0.{minor}");
        assert!(start.margin.0 < 0, "0.{minor}: {:?}", start.margin);
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
    // With the estimated length it starts, and holds exactly one of these: tight, since by the largest figures in logs it does not.
    llama.serving.max_model_len = Some(estimated);
    let start = started(&llama);
    assert_eq!((start.refusal, evaluate(&checked(&llama)).fit.unwrap().verdict), (None, Verdict::Tight));
    assert!(matches!(start.tightness, Some(vllm::Tightness::Start(vllm::Refusal::Length { .. }))), "{start:?}");
    assert!((start.requests.concurrency - 1.0).abs() < 0.01, "{}", start.requests.concurrency);
    // More than fit wait: vLLM starts.
    llama.batch = 1_000;
    let start = started(&llama);
    assert_eq!((start.refusal, start.verdict), (None, Verdict::Queues));
    assert_eq!(u64::from(start.requests.running), start.requests.held.min(256));
    assert_eq!(start.requests.running + start.requests.waiting, 1_000);
    // A request that is longer than the cap is none.
    llama.seq_length = estimated + 1;
    let longer = Unsupported::TooLong { seq_length: estimated + 1, max_model_len: estimated };
    assert_eq!(llama.check(), Err(ScenarioError::Runtime(longer)));
}

/// Requests of one token are prepared with fewer graphs than longer ones, which may then find no room beside the share.
#[test]
fn the_longest_request_that_fits_starts_too() {
    let mut deep = with(&model("llama-3.2-1b"), Engine::Vllm);
    deep.architecture = Architecture { layers: 1_024, ..Architecture::llama([1_024, 64, 4, 4, 16, 64, 64]) };
    (deep.gpu, deep.batch, deep.seq_length) = (gpus::by_id("t4"), 1, 1);
    (deep.weights, deep.kv) = (WeightFormat::Fp16, KvPrecision::Fp16);
    deep.serving.version = Version { major: 0, minor: 11 };
    deep.serving = deep.serving.on(deep.gpu.unwrap());
    let mut between = 0;
    for percent in 20..95 {
        deep.serving.gpu_memory_utilization = Some(Share::percent(percent));
        let fit = evaluate(&checked(&deep)).fit.unwrap();
        let starts = |seq_length| started(&Scenario { seq_length, ..deep }).refusal.is_none();
        assert!(fit.max_seq == 0 || starts(fit.max_seq), "{percent}: {}", fit.max_seq);
        between += u32::from(starts(1) && !starts(2));
    }
    assert!(between > 0, "no share tells them apart");
}

/// A log of vLLM 0.29: Qwen3.8 27B, of the shape of Qwen3.5 27B, on 96 GB at 0.90 stopped with 1,024 sequences and 635 blocks, and started with 256.
#[test]
fn every_sequence_needs_a_block_for_its_state() {
    let mut hybrid = Scenario { gpu: gpus::by_id("rtxpro6000"), ..with(&model("qwen3.5-27b"), Engine::Vllm) };
    hybrid.serving = hybrid.serving.on(hybrid.gpu.unwrap());
    (hybrid.serving.gpu_memory_utilization, hybrid.serving.max_model_len) = (Some(Share::percent(90)), Some(8_192));
    let told =
        |scenario: &Scenario| (started(scenario).refusal, started(scenario).verdict, started(scenario).margin.0 < 0);
    let (refusal, verdict, missing) = told(&hybrid);
    let Some(vllm::Refusal::States { sequences: 1_024, blocks, .. }) = refusal else { panic!("{refusal:?}") };
    assert!((600..670).contains(&blocks), "{blocks}");
    assert_eq!((verdict, missing), (Verdict::DoesNotFit, true));
    let fewer = Scenario { serving: Serving { max_num_seqs: 256, usual_seqs: false, ..hybrid.serving }, ..hybrid };
    assert_eq!(told(&fewer).0, None);
    // Its pool of 31.24 GiB held "314,187 tokens", 38.35 requests of 8,192: 652 blocks of 784 tokens, and 11 + 3 × 2 of them each.
    let scenario = checked(&fewer);
    let run = vllm::Run::of(&scenario);
    let pages = run.pages().unwrap();
    let pool = 3_124 * GIB / 100;
    assert_eq!((pages.block(), pool / pages.group_page()), (784, 652));
    assert_eq!((pages.blocks(8_192, 8_192), run.held_tokens(&pages, pool)), (17, 314_187));
    let eager = Scenario { serving: Serving { enforce_eager: true, ..hybrid.serving }, ..hybrid };
    assert_eq!(told(&eager).0, None);
    // What is advised starts.
    let plan = memory_wall_core::advise::gentlest(&checked(&hybrid)).unwrap();
    assert_eq!(vllm::start(&plan.effect.scenario, hybrid.gpu.unwrap().capacity).refusal, None);
}

/// Pull request 49390: since 0.28 servers of the Blackwell generation record graphs for up to 1,024 sequences, 83 sizes in place of 51.
#[test]
fn servers_of_blackwell_record_more_graphs() {
    let sizes = |gpu: &str, minor| {
        let mut llama = Scenario { gpu: gpus::by_id(gpu), ..with(&model("llama-3.1-8b"), Engine::Vllm) };
        llama.serving.version = Version { major: 0, minor };
        vllm::Run::of(&checked(&llama)).capture_sizes
    };
    assert_eq!(
        [sizes("b200", 27), sizes("b200", 28), sizes("h100-sxm", 28), sizes("rtxpro6000", 28)],
        [51, 83, 51, 51]
    );
}

#[test]
fn one_gpu_has_no_communication() {
    for id in gpus::GPUS.iter().map(|gpu| gpu.id) {
        let scenario = Scenario { gpu: gpus::by_id(id), ..with(&model("llama-3.1-8b"), Engine::Vllm) };
        let Ok(scenario) = scenario.check() else { continue };
        let inspection = engines::inspect(&scenario);
        let item = |item| inspection.parts.iter().any(|part| part.item == item);
        assert!(!item(Item::Communication) && item(Item::EngineWorkspace), "{id}");
    }
}

/// Free GiB of GiB in logs of GB10 and a Jetson Thor on which no other program used the GPU, the share that was asked for, and whether vLLM started.
#[test]
fn the_system_holds_a_part_of_a_memory_that_it_shares() {
    for (id, percent, expected) in [
        // 112.71 of 119.7 are less than 0.9435 of them: the most that was seen to be free.
        ("gb10", 98, Verdict::DoesNotFit),
        ("gb10", 95, Verdict::DoesNotFit),
        // 109.33 of 119.7, 110.73 of 121.63 and 109.53 of 121.69 were refused.
        ("gb10", 92, Verdict::DoesNotFit),
        // 101.3 to 104.87 of 121.69 were refused, and 110.37 started.
        ("gb10", 87, Verdict::Tight),
        ("gb10", 85, Verdict::Tight),
        ("gb10", 80, Verdict::Fits),
        // 110.49 of 122.82 were refused.
        ("jetson-thor", 90, Verdict::Tight),
        ("jetson-thor", 80, Verdict::Fits),
        ("h100-sxm", 92, Verdict::Fits),
    ] {
        let mut scenario = Scenario { gpu: gpus::by_id(id), ..with(&model("llama-3.1-8b"), Engine::Vllm) };
        scenario.serving.gpu_memory_utilization = Some(Share::percent(percent));
        assert_eq!(evaluate(&checked(&scenario)).fit.unwrap().verdict, expected, "{id} {percent}");
    }
    // The share that is proposed in their place is one that starts.
    let mut scenario = Scenario { gpu: gpus::by_id("gb10"), ..with(&model("llama-3.1-8b"), Engine::Vllm) };
    let Some(vllm::Refusal::Share { largest, system, .. }) = started(&scenario).refusal else { panic!("it starts") };
    assert_eq!((largest, system), (Share::percent(82), Bytes(1_080 * GIB / 100)));
    scenario.serving.gpu_memory_utilization = Some(largest);
    assert_eq!(started(&scenario).refusal, None);
    let sentence = Assumptions::of(&checked(&scenario)).iter().any(|it| it.to_string().contains("6.50 to 19.90"));
    assert!(sentence);
    // Without vLLM it is taken off all the same.
    for engine in [Engine::Exact, Engine::Hf, Engine::LlamaCpp] {
        let run = checked(&Scenario { gpu: gpus::by_id("gb10"), ..with(&model("llama-3.1-8b"), engine) });
        let fit = evaluate(&run).fit.unwrap();
        assert_eq!(fit.capacity - fit.limit, Bytes(1_080 * GIB / 100), "{engine:?}");
        let alone = evaluate(&checked(&Scenario { gpu: gpus::by_id("m4max"), ..*run })).fit.unwrap();
        assert_eq!(alone.capacity, alone.limit, "{engine:?}: the capacity is what Metal lends");
    }
}

/// 24.96 GiB of 32 on an M4 with a newer macOS, 21.33 with an older one (logs of llama.cpp).
#[test]
fn a_run_that_only_a_newer_macos_holds_is_tight() {
    let on = |seq_length, gpu_memory| {
        let it = with(&model("qwen3-32b"), Engine::LlamaCpp);
        let run = Scenario { gpu: gpus::by_id("m4"), weights: WeightFormat::Q4K, seq_length, gpu_memory, ..it };
        let run = checked(&run);
        let fit = evaluate(&run).fit.unwrap();
        assert_eq!(evaluate::verdict(&run), Some(fit.verdict));
        assert_eq!(fit.margin.0 < 0, fit.verdict == Verdict::DoesNotFit);
        (fit.verdict, (fit.capacity.as_gib() * 100.0).round(), evaluate::only_newer_holds(&run).is_some())
    };
    assert_eq!(on(1_024, None), (Verdict::Tight, 2_133.0, false));
    assert_eq!(on(16_384, None), (Verdict::Tight, 2_496.0, true));
    assert_eq!(on(32_768, None), (Verdict::DoesNotFit, 2_133.0, false));
    assert_eq!(
        on(16_384, Some(Bytes(21 * GIB))),
        (Verdict::DoesNotFit, 2_100.0, false),
        "what is stated is what there is"
    );
}

/// vLLM 0.27 on 96 GB counted 939 and 1,011 blocks for states with Qwen3.8 27B, fewer than its 1,024 sequences (vllm-project/recipes pull request 831).
#[test]
fn about_as_many_blocks_for_states_as_sequences_is_tight() {
    let gpu = gpus::by_id("rtxpro6000mq");
    for weights in [WeightFormat::Fp8Block, WeightFormat::Nvfp4] {
        let mut hybrid = Scenario { gpu, weights, ..with(&model("qwen3.5-27b"), Engine::Vllm) };
        hybrid.seq_length = 262_144;
        hybrid.serving.version = Version { major: 0, minor: 27 };
        hybrid.serving = hybrid.serving.on(hybrid.gpu.unwrap());
        let start = started(&hybrid);
        assert_eq!((start.refusal, start.verdict), (None, Verdict::Tight), "{weights}");
        let Some(vllm::Tightness::Start(vllm::Refusal::States { sequences: 1_024, .. })) = start.tightness else {
            panic!("{weights}: {:?}", start.tightness)
        };
        hybrid.serving.max_num_seqs = 256;
        assert_eq!(started(&hybrid).verdict, Verdict::Fits, "{weights}");
    }
}

/// A log of Qwen2.5 1.5B with a share of 0.04 says 0.56 GiB for the cache (gyliu513/langX101, `llm-d-gpu-demo`).
#[test]
fn a_small_model_starts_on_a_small_share_of_a_gb10() {
    let mut scenario = Scenario { gpu: gpus::by_id("gb10"), ..with(&model("qwen2.5-1.5b"), Engine::Vllm) };
    scenario.seq_length = 4_096;
    scenario.serving.version = Version { major: 0, minor: 20 };
    scenario.serving = scenario.serving.on(scenario.gpu.unwrap());
    scenario.serving.gpu_memory_utilization = Some(Share::percent(4));
    let start = started(&scenario);
    assert_eq!(start.refusal, None);
    assert_eq!(start.verdict, Verdict::Tight);
    let gib = start.pool.pool.magnitude().as_gib();
    assert!((0.3..0.8).contains(&gib), "{gib}");
}

/// Two GB10 with `MiniMax` M2.7 in 4 bits lack 0.75 GiB for a request of 196,608 tokens (eugr/spark-vllm-docker issue 396, vLLM 0.29).
#[test]
fn two_gb10_are_not_said_to_have_room_where_vllm_refused() {
    let mut scenario = Scenario { gpu: gpus::by_id("gb10"), ..with(&model("minimax-m2"), Engine::Vllm) };
    (scenario.parallel.tp, scenario.seq_length) = (2, 196_608);
    scenario.serving.gpu_memory_utilization = Some(Share::percent(80));
    scenario.serving.version = Version { major: 0, minor: 29 };
    for (weights, verdict) in [(WeightFormat::Int4, Verdict::Tight), (WeightFormat::Int4Group32, Verdict::DoesNotFit)] {
        assert_eq!(started(&Scenario { weights, ..scenario }).verdict, verdict, "{weights}");
    }
}

/// 4,757,131,264 bytes at once failed with Vulkan on a Strix Halo: Qwen3 30B at 70,000 tokens without flash attention (llama.cpp issue 15009).
#[test]
fn vulkan_lends_four_gib_at_once() {
    let on = |id, attention| {
        let mut it = with(&model("qwen3-30b-a3b-2507"), Engine::LlamaCpp);
        (it.gpu, it.weights, it.attention, it.seq_length) = (gpus::by_id(id), WeightFormat::Q8Zero, attention, 70_000);
        let it = checked(&it);
        (engines::llamacpp::beyond_vulkan(&it).map(|bytes| bytes.0 / 10_000_000), evaluate::verdict(&it))
    };
    assert_eq!(on("strix-halo", Attention::Eager), (Some(475), Some(Verdict::Tight)));
    assert_eq!(on("strix-halo", Attention::Flash), (None, Some(Verdict::Fits)));
    assert_eq!(on("rtxpro6000", Attention::Eager), (None, Some(Verdict::Fits)), "CUDA has no such limit");
}

/// What somebody measured takes the place of what is usual.
#[test]
fn stated_memory_is_what_there_is() {
    let on = |id: &str, gib: Option<u128>, engine| {
        let mut it = Scenario {
            gpu: gpus::by_id(id),
            gpu_memory: gib.map(|gib| Bytes(gib * GIB)),
            ..with(&model("llama-3.1-8b"), engine)
        };
        it.serving.gpu_memory_utilization = Some(Share::percent(87));
        it
    };
    let verdict = |id, gib: Option<u128>| evaluate(&checked(&on(id, gib, Engine::Vllm))).fit.unwrap().verdict;
    // Free GiB in logs of GB10: 110.37 and 101.3.
    assert_eq!([verdict("gb10", Some(110)), verdict("gb10", Some(101))], [Verdict::Fits, Verdict::DoesNotFit]);
    // A desktop that holds 3 GiB of its GPU.
    assert_eq!([verdict("rtx4090", None), verdict("rtx4090", Some(20))], [Verdict::Fits, Verdict::DoesNotFit]);
    // GTT of 110 GiB on Strix Halo, and as much of a Mac's memory as it was told to lend.
    for (id, gib) in [("strix-halo", 110), ("m4max", 120)] {
        let fit = evaluate(&checked(&on(id, Some(gib), Engine::LlamaCpp))).fit.unwrap();
        assert_eq!((fit.capacity, fit.limit), (Bytes(gib * GIB), fit.capacity), "{id}");
    }
    let fit = evaluate(&checked(&on("gb10", Some(100), Engine::LlamaCpp))).fit.unwrap();
    assert_eq!(fit.limit, Bytes(100 * GIB));
    for (id, gib) in [("rtx4090", 25), ("strix-halo", 129), ("gb10", 122)] {
        let error = on(id, Some(gib), Engine::Exact).check().unwrap_err();
        assert!(matches!(error, ScenarioError::GpuMemory { .. }), "{id}");
        assert!(error.to_string().contains(&format!("at most, and not {gib}")), "{error}");
    }
    // It is known of this GPU alone.
    let other = on("gb10", Some(100), Engine::Exact).on(gpus::by_id("h100-sxm").unwrap());
    assert_eq!(other.gpu_memory, None);
}

/// Llama 3.1 8B: q 4096+4096, k and v 4096+1024 each, o 4096+4096, gate and up 4096+14336 each, down 14336+4096 in 32 layers; two tables of 128,256+4,096.
/// Three starts of vLLM 0.25.1 on a GB10, three tokens guessed ahead by the model's own layer, requests of 262,144 tokens
/// (sostrowsk/dgx-spark-local-llm: `qwen36.log`, `qwen38-int4.log`, `qwen38-nvfp4.log`): "Setting attention block size to 1072 tokens", "Add 3 padding layers",
/// pools of 74.22, 80.17 and 76.4 GiB that hold 12.84, 4.54 and 8.36 requests.
#[test]
fn guesses_ahead_take_a_layer_and_states_as_vllm_logs_them() {
    let of = |model, kv| {
        let mut scenario = with(&Scenario::new(models::by_id(model).unwrap().architecture), Engine::Vllm);
        (scenario.serving.speculation, scenario.serving.num_speculative_tokens) = (Speculation::Mtp, 3);
        (scenario.serving.version, scenario.kv) = (Version { major: 0, minor: 25 }, kv);
        scenario
    };
    for (scenario, block, group, pool, concurrency) in [
        (of("qwen3.5-35b-a3b", KvPrecision::Bf16), 1_072, 11, 74.22, 12.84),
        (of("qwen3.5-27b", KvPrecision::Bf16), 800, 17, 80.17, 4.54),
        (of("qwen3.5-27b", KvPrecision::Fp8), 1_600, 17, 76.4, 8.36),
    ] {
        let scenario = scenario.check().unwrap();
        let pages = vllm::Run::of(&scenario).pages().unwrap();
        assert_eq!((pages.block(), pages.group_size, pages.groups), (block, group, 4));
        let held = (pool * GIB as f64 / pages.group_page() as f64).floor() / pages.blocks(262_144, 2_048) as f64;
        assert!((held - concurrency).abs() < 0.01, "{held} for {concurrency}");
    }
    // A layer of the 27B: attention with a gate, 3 × 5,120 × 17,408, the matrix that joins two states, and its norms.
    let mut scenario = of("qwen3.5-27b", KvPrecision::Bf16);
    let loaded = |scenario: &Scenario| vllm::Run::of(&scenario.check().unwrap()).weights();
    let alone = |scenario: &Scenario| {
        let serving = Serving { speculation: Speculation::None, ..scenario.serving };
        loaded(&Scenario { serving, ..*scenario })
    };
    let attention = 5_120 * (2 * 6_144 + 2 * 1_024 + 6_144);
    let vectors = (2 + 3) * 5_120 + 2 * 256;
    let joined = 2 * 5_120 * 5_120;
    let layer = attention + 3 * 5_120 * 17_408;
    assert_eq!(loaded(&scenario) - alone(&scenario), 2 * (layer + joined + vectors));
    // Files in 4 bits keep it in 16; one in fp8 has it in fp8, but for what joins.
    scenario.weights = WeightFormat::Int4;
    assert_eq!(loaded(&scenario) - alone(&scenario), 2 * (layer + joined + vectors));
    scenario.weights = WeightFormat::Fp8;
    assert_eq!(loaded(&scenario) - alone(&scenario), layer + 2 * (joined + vectors));
    // "Model loading took 18.5 GiB": the file of Qwen3.8 27B in INT4.
    scenario.weights = WeightFormat::Int4;
    let gib = loaded(&scenario) as f64 / GIB as f64;
    assert!((gib / 18.5 - 1.0).abs() < 0.03, "{gib}");
    // DeepSeek's own figure for its layer: 11.5 B parameters of its own.
    let deepseek = of("deepseek-v3", KvPrecision::Bf16);
    let own = (loaded(&deepseek) - alone(&deepseek)) / 2;
    assert!((11_500_000_000..11_700_000_000).contains(&own), "{own}");
    // Guesses by repetition need no layer, but the states are kept all the same.
    scenario.serving.speculation = Speculation::Ngram;
    assert_eq!(loaded(&scenario), alone(&scenario));
    let pages = vllm::Run::of(&scenario.check().unwrap()).pages().unwrap();
    assert_eq!((pages.block(), pages.group_size, pages.blocks(1, 1)), (800, 16, 1 + 3 * 4));
}

/// A head and a draft model as public logs say: Llama 3.1 8B with its EAGLE-3 head, "Loading model weights took 15.7847 GB" and 252,800 tokens in pages of 128 of a pool of 34,184,553,369
/// bytes (vLLM 0.9.1 on Ascend); Qwen3 8B in AWQ with one, 30,784 tokens in 4.34 GiB, 23,024 in 3.25 and 38,784 in 5.47 (0.31 and 0.30 on an RTX 5070 Ti);
/// Qwen3 4B with Qwen3 0.6B, "Model loading took 8.67 GiB" (0.14 on H20).
#[test]
fn heads_and_draft_models_take_weights_and_a_cache_as_vllm_logs_them() {
    let of = |model: &str, draft: &str, method| {
        let mut scenario = with(&Scenario::new(models::by_id(model).unwrap().architecture), Engine::Vllm);
        (scenario.draft, scenario.serving.speculation) = (drafts::by_id(draft), method);
        scenario.serving.num_speculative_tokens = 3;
        scenario
    };
    let gib = |scenario: &Scenario| vllm::Run::of(&scenario.check().unwrap()).weights() as f64 / GIB as f64;
    let pages = |scenario: &Scenario| vllm::Run::of(&scenario.check().unwrap()).pages().unwrap();
    let llama = of("llama-3.1-8b", "eagle3-llama-3.1-8b", Speculation::Eagle3);
    let alone =
        gib(&Scenario { draft: None, serving: Serving { speculation: Speculation::None, ..llama.serving }, ..llama });
    // 8,192 × 6,144 for the first layer's queries, keys and values, 4,096² for its output, its MLP, what joins three states, 32,000 rows, five norms, and where each row stands.
    let values = 8_192 * 6_144 + 4_096 * 4_096 + 3 * 4_096 * 14_336 + 3 * 4_096 * 4_096 + 32_000 * 4_096 + 4 * 4_096;
    let bytes = f64::from(2 * values + 8 * 32_000);
    assert!((gib(&llama) - alone - bytes / GIB as f64).abs() < 1e-9);
    assert!((gib(&llama) / 15.7847 - 1.0).abs() < 0.001, "{}", gib(&llama));
    // Blocks of 128 are eight of 16.
    let blocks = 34_184_553_369 / (8 * pages(&llama).group_page());
    assert_eq!(128 * blocks, 252_800);
    let qwen = of("qwen3-8b", "eagle3-qwen3-8b", Speculation::Eagle3);
    for (hundredths, tokens) in [(434_u128, 30_784_u128), (325, 23_024), (547, 38_784)] {
        let holds = pages(&qwen).tokens(hundredths * GIB / 100);
        assert!(holds.abs_diff(tokens) < tokens / 500, "{holds} for {tokens}");
    }
    let pair = of("qwen3-4b", "qwen3-0.6b", Speculation::DraftModel);
    assert!((gib(&pair) / 8.67 - 1.0).abs() < 0.005, "{}", gib(&pair));
    // 36 and 28 layers, eight heads of 128 each.
    assert_eq!(pages(&pair).group_page(), (36 + 28) * 16 * 2 * 8 * 128 * 2);
    let mut cut = llama;
    cut.parallel.tp = 2;
    assert_eq!(pages(&cut).group_page(), 33 * 16 * 2 * 4 * 128 * 2);
    // The exact cache has the layer too, and beside layers with a window it is a full one more: gpt-oss, 12 and 13 of them.
    let cache = |scenario: &Scenario| memory_wall_core::memory::kv_cache::bytes_per_token(&scenario.check().unwrap());
    assert_eq!(cache(&llama), Bytes(33 * 2 * 8 * 128 * 2));
    let mut oss = of("gpt-oss-20b", "eagle3-llama-3.1-8b", Speculation::Eagle3);
    let shape = Architecture::llama([1, 2_880, 64, 8, 64, 17_280, 201_088]);
    oss.draft = Some(Draft { id: "", repository: "", shape, guessed_vocabulary: 32_000, reads: Some(2_880) });
    oss.weights = WeightFormat::Mxfp4;
    assert_eq!((pages(&oss).group_size, pages(&oss).groups), (13, 2));
}

#[test]
fn drafts_that_do_not_go_with_a_model_are_refused_by_name() {
    let refused = |model: &str, draft: &str, method, change: fn(&mut Scenario)| {
        let mut scenario = with(&Scenario::new(models::by_id(model).unwrap().architecture), Engine::Vllm);
        (scenario.draft, scenario.serving.speculation) = (drafts::by_id(draft), method);
        change(&mut scenario);
        scenario.check().map(|_| ()).unwrap_err().to_string()
    };
    let as_it_is = |_: &mut Scenario| ();
    for (model, draft, method, words) in [
        ("llama-3.1-8b", "", Speculation::Eagle3, "is not named"),
        ("llama-3.1-8b", "llama-3.2-1b", Speculation::Eagle3, "a model of its own with draft_model"),
        ("llama-3.1-8b", "eagle3-llama-3.1-8b", Speculation::DraftModel, "goes with the methods eagle and eagle3"),
        (
            "llama-3.1-70b",
            "eagle3-llama-3.1-8b",
            Speculation::Eagle3,
            "reads states 4,096 wide, and those of the model are 8,192",
        ),
        ("qwen2.5-7b", "qwen2.5-0.5b", Speculation::DraftModel, "the draft knows 151,936 tokens and the model 152,064"),
        ("gemma-3-27b-text", "gemma-3-1b", Speculation::DraftModel, "only drafts of dense layers with plain attention"),
    ] {
        let said = refused(model, draft, method, as_it_is);
        assert!(said.contains(words), "{said}");
    }
    let old = refused("llama-3.1-8b", "llama-3.2-1b", Speculation::DraftModel, |it| it.serving.version.minor = 14);
    assert!(old.contains("from vLLM 0.15 on"), "{old}");
    let cut = refused("llama-3.1-405b", "llama-3.2-1b", Speculation::DraftModel, |it| it.parallel.tp = 64);
    assert!(cut.contains("the 32 heads of the draft cannot be cut over 64"), "{cut}");
}

/// The first of what is refused in a model with weights in a format, on so many GPUs, under vLLM 0.`minor`.
fn refused_by_vllm((model, weights): (&str, WeightFormat), (gpu, tp): (&str, u32), minor: u32) -> Option<String> {
    let mut scenario = with(&Scenario::new(models::by_id(model).unwrap().architecture), Engine::Vllm);
    scenario.weights = weights;
    (scenario.serving.version, scenario.parallel.tp) = (Version { major: 0, minor }, tp);
    scenario = scenario.on(gpus::by_id(gpu).unwrap());
    scenario.check().err().map(|error| error.to_string())
}

/// GLM-4.5-Air in fp8 on GPUs without units for it: 2 × 10,944 / 4 = 5,472 columns, as zai-org/GLM-V issue 178 says, and 2,736 on 8; on two ranks 5,472 rows, which
/// no kernel takes ("Invalid thread config"); newer releases pad. Experts of Nemotron 3: 2,688 / 4 = 672 (vLLM pull requests 36807 and 43908), 1,856 / 2 = 928 (37296).
#[test]
fn marlin_needs_whole_tiles() {
    use WeightFormat::{Fp8, Nvfp4};
    let (air, nano, large) = ("glm-4.5-air", "nemotron-3-nano-30b", "nemotron-3-super-120b");
    for (model, weights, gpu, tp, minor, says) in [
        (
            air,
            Fp8,
            "rtxa6000",
            4,
            10,
            "refuses the MLP whose matrix on a rank, 5,472 x 4,096, is no multiple of 64 by 128",
        ),
        (air, Fp8, "rtx3090", 8, 11, "2,736 x 4,096"),
        (air, Fp8, "rtxa6000", 2, 23, "4,096 x 5,472"),
        (
            large,
            Nvfp4,
            "h100-sxm",
            4,
            22,
            "refuses an expert whose matrix on a rank, 672 x 1,024, is no multiple of 64 by 128; 0.24 pads it",
        ),
        (large, Nvfp4, "a100-80-sxm", 4, 20, "compute capability 8.9 or newer, and A100 SXM4 80GB has 8.0"),
        (large, Fp8, "a100-80-sxm", 4, 24, "refuses an expert whose matrix on a rank, 672 x 1,024, is no"),
        (large, Fp8, "a100-80-sxm", 4, 29, "672 x 1,024"),
        (nano, Nvfp4, "h100-sxm", 2, 17, "928 x 2,688"),
        (nano, Fp8, "a100-80-sxm", 4, 17, "928 x 2,688"),
        ("nemotron-nano-9b-v2", Fp8, "a100-80-sxm", 2, 20, "the MLP"),
        ("nemotron-h-8b", Fp8, "a100-80-sxm", 4, 20, "Mamba-2"),
    ] {
        let refused = refused_by_vllm((model, weights), (gpu, tp), minor).unwrap_or_default();
        assert!(refused.contains(says), "{model} on {tp} {gpu} under 0.{minor}: {refused}");
    }
    for (model, weights, gpu, tp, minor) in [
        (air, Fp8, "rtxa6000", 1, 10),
        (air, Fp8, "rtxa6000", 4, 29),
        (air, Fp8, "h100-sxm", 4, 10),
        (large, Nvfp4, "h100-sxm", 2, 20),
        (large, Nvfp4, "b200", 4, 20),
        (large, Nvfp4, "h100-sxm", 4, 24),
        (large, Nvfp4, "a100-80-sxm", 4, 24),
        (nano, Nvfp4, "h100-sxm", 1, 17),
        (nano, Fp8, "l40s", 4, 22),
    ] {
        let refused = refused_by_vllm((model, weights), (gpu, tp), minor);
        assert_eq!(refused, None, "{model} on {tp} {gpu} under 0.{minor}");
    }
}

/// vLLM issue 33155: gpt-oss 120B on one H100 with a share of 0.97, one sequence and 5,120 tokens, is out of memory under 0.14.1.
#[test]
fn kernels_of_mxfp4_may_take_more_on_hopper() {
    let verdict = |minor, percent| {
        let mut scenario = with(&Scenario::new(models::by_id("gpt-oss-120b").unwrap().architecture), Engine::Vllm);
        (scenario.weights, scenario.seq_length) = (WeightFormat::Mxfp4, 5_120);
        let serving = &mut scenario.serving;
        (serving.version, serving.gpu_memory_utilization) =
            (Version { major: 0, minor }, Some(Share::percent(percent)));
        (serving.max_num_seqs, serving.usual_seqs) = (1, false);
        let scenario = scenario.on(gpus::by_id("h100-sxm").unwrap()).check().unwrap();
        vllm::start(&scenario, scenario.capacity().unwrap()).verdict
    };
    assert_eq!((verdict(14, 97), verdict(14, 90)), (Verdict::Tight, Verdict::Fits));
    assert_eq!(verdict(19, 97), Verdict::Fits);
}

/// The kernels of `FlashInfer` keep an fp8 cache on compute capability 7.5 in 0.23 alone (vLLM issue 47549, pull request 47949).
#[test]
fn one_release_keeps_an_fp8_cache_on_turing() {
    for (minor, runs) in [(22, false), (23, true), (24, false)] {
        let mut scenario = with(&Scenario::new(models::by_id("qwen3-8b").unwrap().architecture), Engine::Vllm);
        (scenario.kv, scenario.serving.version) = (KvPrecision::Fp8, Version { major: 0, minor });
        assert_eq!(scenario.on(gpus::by_id("rtx2080ti-22").unwrap()).check().is_ok(), runs, "0.{minor}");
    }
}

/// vLLM issue 17238: Qwen2.5 32B in 8 bits on two RTX 3090 has no memory for the cache under 0.8.1, which takes 1,024 sequences by itself, and starts with 8.
#[test]
fn the_first_releases_of_0_8_take_more_sequences() {
    let verdict = |minor, told: Option<u32>| {
        let mut scenario = with(&Scenario::new(models::by_id("qwen2.5-32b").unwrap().architecture), Engine::Vllm);
        (scenario.weights, scenario.seq_length, scenario.parallel.tp) = (WeightFormat::Int8, 4_096, 2);
        let serving = &mut scenario.serving;
        (serving.version, serving.enforce_eager) = (Version { major: 0, minor }, true);
        (serving.gpu_memory_utilization, serving.max_model_len) = (Some(Share::percent(90)), Some(4_096));
        if let Some(told) = told {
            (serving.max_num_seqs, serving.usual_seqs) = (told, false);
        }
        let scenario = scenario.on(gpus::by_id("rtx3090").unwrap()).check().unwrap();
        vllm::start(&scenario, scenario.capacity().unwrap()).verdict
    };
    assert_eq!((verdict(8, None), verdict(8, Some(8))), (Verdict::Tight, Verdict::Fits));
}

/// Experts of Nemotron 3 Nano over 8 ranks are 232 wide, 14.5 groups of 16 (vLLM issue 49949, on H100 with a release that pads).
#[test]
fn groups_of_nvfp4_are_never_cut() {
    for gpu in ["h100-sxm", "b200"] {
        let refused = refused_by_vllm(("nemotron-3-nano-30b", WeightFormat::Nvfp4), (gpu, 8), 29).unwrap_or_default();
        assert!(refused.contains("no multiple of 16") && refused.contains("over 8 ranks is 232"), "{refused}");
        assert_eq!(refused_by_vllm(("nemotron-3-nano-30b", WeightFormat::Nvfp4), (gpu, 4), 29), None, "{gpu}");
    }
}

#[test]
fn guesses_ahead_that_are_not_modelled_are_refused_by_name() {
    let refused = |model, change: fn(&mut Scenario)| {
        let mut scenario = with(&Scenario::new(models::by_id(model).unwrap().architecture), Engine::Vllm);
        scenario.serving.speculation = Speculation::Mtp;
        change(&mut scenario);
        scenario.check().unwrap_err().to_string()
    };
    assert!(refused("llama-3.1-8b", |_| ()).contains("brings no layers for guessing ahead"));
    let old = refused("glm-4.5-air", |it| it.serving.version = Version { major: 0, minor: 10 });
    assert!(old.contains("from vLLM 0.11 on"), "{old}");
    assert!(refused("glm-4.5-air", |it| it.parallel.pp = 2).contains("several pipeline stages"));
    let window = refused("gemma-3-4b", |it| it.serving.speculation = Speculation::Ngram);
    assert!(window.contains("sliding window"), "{window}");
    // Other programs know nothing of it, and it changes nothing there.
    let mut exact = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
    exact.serving.speculation = Speculation::Mtp;
    assert!(exact.check().is_ok());
}

#[test]
fn slots_for_adapters_are_part_of_what_vllm_loads() {
    let mut scenario = with(&Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture), Engine::Vllm);
    (scenario.gpu, scenario.serving.enforce_eager) = (gpus::by_id("h100-sxm"), true);
    let checked = |scenario: &Scenario| scenario.check().unwrap();
    let loaded = |scenario: &Scenario| vllm::Run::of(&checked(scenario)).weights();
    let plain = loaded(&scenario);
    (scenario.serving.max_loras, scenario.serving.max_lora_rank) = (Some(8), 64);
    let widths = 32 * (8_192 + 2 * 5_120 + 8_192 + 3 * 18_432) + 2 * (128_256 + 4_096);
    assert_eq!(loaded(&scenario) - plain, widths * 8 * 64 * 2);
    // On two ranks each cut side is halved, and the other is there twice.
    let mut cut = scenario;
    cut.parallel.tp = 2;
    let alone = Scenario { serving: Serving { max_loras: None, ..cut.serving }, ..cut };
    let halves = 32 * (2 * (4_096 + 2_048) + 2 * (4_096 + 512) + 3 * (4_096 + 7_168)) + 2 * (128_256 + 4_096);
    assert_eq!(loaded(&cut) - loaded(&alone), halves * 8 * 64 * 2);
    // The pool is smaller by as much.
    let pool = |scenario: &Scenario| vllm::pool(&checked(scenario), Version::NEWEST, Bytes(80 * GIB)).pool.0;
    let without = Scenario { serving: Serving { max_loras: None, ..scenario.serving }, ..scenario };
    assert_eq!(pool(&without) - pool(&scenario), i128::try_from(widths * 8 * 64 * 2).unwrap());
    // Graphs are recorded with adapters and without.
    let graphs = |scenario: &Scenario| {
        let serving = Serving { enforce_eager: false, ..scenario.serving };
        vllm::Run::of(&checked(&Scenario { serving, ..*scenario })).cuda_graphs()
    };
    assert_eq!(graphs(&scenario), 2 * graphs(&without));
    let refused = |scenario: Scenario| scenario.check().unwrap_err().to_string();
    scenario.serving.max_lora_rank = 24;
    assert!(refused(scenario).contains("no max_lora_rank of 24"), "{}", refused(scenario));
    scenario.serving.max_lora_rank = 16;
    let mixture = Scenario { architecture: models::by_id("mixtral-8x7b").unwrap().architecture, ..scenario };
    assert!(refused(mixture).contains("max_loras is known for dense models"), "{}", refused(mixture));
    scenario.serving.version = Version { major: 0, minor: 7 };
    assert!(refused(scenario).contains("first engine"), "{}", refused(scenario));
}

/// Gemma 3 27B: a tower and projector of 423,060,224 parameters, and one image of 3 x 896 x 896 values with its 256 tokens of 5,376 in the profile.
#[test]
fn a_vision_tower_is_loaded_and_profiled() {
    let seeing = with(&Scenario::new(models::by_id("gemma-3-27b-text").unwrap().architecture), Engine::Vllm);
    let blind = Scenario { architecture: Architecture { tower: None, ..seeing.architecture }, ..seeing };
    let of = |scenario: &Scenario| {
        let scenario = scenario.check().unwrap();
        let run = vllm::Run::of(&scenario);
        [run.weights(), run.activation()]
    };
    let ([weights, activation], [without, less]) = (of(&seeing), of(&blind));
    assert_eq!(weights - without, 2 * (416_866_032 + 1_152 * 5_376 + 1_152));
    let images = 8_192 / 256 * (3 * 896 * 896 + 256 * 5_376) * 2;
    assert_eq!(activation - less, images);
}

/// Two of a stage's layers are on the GPU, of its average size: with 1,024 layers over 35 stages, every second one of those behind the 612th dense ones a mixture, a stage with fewer layers can hold more.
#[test]
fn the_worst_stage_is_found_with_weights_in_host_memory() {
    let mixtral = models::by_id("mixtral-8x7b").unwrap().architecture;
    let moe = mixtral.moe.map(|moe| Moe { dense_layers: 612, alternating: true, intermediate_size: 58, ..moe });
    let architecture = Architecture { layers: 1_024, intermediate_size: 4_000_000, hidden_size: 64, moe, ..mixtral };
    let mut scenario = with(&Scenario::new(architecture), Engine::Vllm);
    (scenario.gpu, scenario.parallel.pp, scenario.offload.parameters) = (gpus::by_id("a100-80-sxm"), 35, true);
    let scenario = scenario.check().unwrap();
    let capacity = scenario.capacity().unwrap();
    let margins = (0..35).map(|stage| {
        let rank = scenario.at_stage(stage);
        vllm::Run::of(&rank).start(capacity, vllm::requested(&rank, capacity)).margin
    });
    assert_eq!(Some(vllm::start(&scenario, capacity).margin), margins.min());
}
