//! What must hold for every program that serves a model, and the figures of its formulas that are known.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

#[allow(dead_code, reason = "another file of tests uses the rest")]
#[path = "common/any.rs"]
mod any;

use any::{scenario, served};
use memory_wall_core::architecture::{Architecture, Latent, Projection, SlidingWindow};
use memory_wall_core::assumptions::{Assumption, Assumptions};
use memory_wall_core::engines::{self, How, vllm};
use memory_wall_core::memory::kv_cache::{self, CachedLayers};
use memory_wall_core::scenario::{Blocks, Unsupported, sixteen_bits};
use memory_wall_core::serving::{Serving, Version};
use memory_wall_core::tables::capability::Capability;
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
        prop_assert!(total(&longer) >= total(&scenario));
        prop_assert!(total(&wider) >= total(&scenario));
    }

    /// The verdict on vLLM is whether it starts, and whether the pool holds what the sequences need.
    #[test]
    fn a_share_of_the_gpu_is_judged_by_its_pool(scenario in scenario()) {
        let scenario = served(with(&Scenario { mode: Mode::Inference, ..scenario }, Engine::Vllm));
        let (Some(gpu), Engine::Vllm) = (scenario.gpu, scenario.serving.engine) else { return Ok(()) };
        let scenario = scenario.check().unwrap();
        let evaluation = evaluate(&scenario);
        let fit = evaluation.fit.unwrap();
        let on = |stage| {
            let rank = scenario.at_stage(stage);
            vllm::Run::of(&rank).start(gpu.capacity, vllm::requested(&rank, gpu.capacity))
        };
        let start = on(evaluation.stage);
        let tightest = vllm::start(&scenario, gpu.capacity);
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
        prop_assert_eq!(start.pool, vllm::pool(&rank, scenario.serving.version, gpu.capacity));
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
    llama.serving.utilization_percent = Some(95);
    // Longer than the model was made for, so that the pool is what ends it.
    llama.architecture.trained_context = None;
    let fit = evaluate(&llama.check().unwrap()).fit.unwrap();
    let pool = vllm::pool(&llama.check().unwrap(), Version::NEWEST, llama.gpu.unwrap().capacity);
    assert_eq!(u128::from(fit.max_seq), pool.tokens);
    // Beside the share waits the context, 0.5 to 0.6 GiB; and a forward pass of 1.9 GiB runs again.
    for (percent, verdict) in [(95, Verdict::Fits), (97, Verdict::Tight), (100, Verdict::DoesNotFit)] {
        llama.serving.utilization_percent = Some(percent);
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
        served.serving.utilization_percent = Some(percent);
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
        t4.serving.utilization_percent = Some(percent);
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
    qwen.serving.utilization_percent = Some(95);
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
            llama.serving.utilization_percent = Some(percent);
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

/// 0.8 takes the context out of the share, and asks for the share of what is free beside it all the same.
#[test]
fn a_share_of_all_lacks_the_context_in_every_release() {
    let mut llama = Scenario { gpu: gpus::by_id("a100-40-sxm"), ..with(&model("llama-3.2-1b"), Engine::Vllm) };
    llama.serving.utilization_percent = Some(100);
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
    let blocks = Unsupported::Blocks(Blocks {
        format: WeightFormat::Fp8Block,
        block: 128,
        what: "moe_intermediate_size",
        width: 1_536,
        ranks: 8,
    });
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
        Err(ScenarioError::Runtime(error @ Unsupported::Blocks(_))) => error.to_string(),
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
        Assumptions::of(&told).iter().any(|it| it.to_string().starts_with("int8 has one scale for a row"))
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
            "GGUF files, which hold no nf4 weights: the nearest GGUF format is q4_k",
        ),
        (on(Engine::LlamaCpp, WeightFormat::Fp8, "rtx4090"), "hold no fp8 weights: the nearest GGUF format is q8_0"),
        (on(Engine::Vllm, WeightFormat::Q4K, "rtx4090"), "only as an experiment, which is not modelled"),
        (on(Engine::Hf, WeightFormat::Q4K, "rtx4090"), "unpacks GGUF files such as q4_k to 16 bits"),
        (
            on(Engine::Vllm, WeightFormat::Bf16, "t4"),
            "bf16 weights on GPUs of compute capability 8.0 or newer, and T4 has 7.5: use fp16",
        ),
        (
            on(Engine::Vllm, WeightFormat::Fp16, "v100-sxm2-32"),
            "vLLM since 0.20 runs on NVIDIA GPUs of compute capability 7.5 or newer, and V100 SXM2 32GB has 7.0",
        ),
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
}

/// Qwen3 235B over 8 ranks has 192 of 1,536 on each, which is no whole number of blocks of 128.
#[test]
fn fp8_of_one_scale_says_that_blocks_would_be_refused() {
    let on = |weights, tp| {
        let mut it =
            Scenario { weights, gpu: gpus::by_id("h100-sxm"), ..with(&model("qwen3-235b-a22b"), Engine::Vllm) };
        it.parallel.tp = tp;
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
        deep.serving.utilization_percent = Some(percent);
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
    (hybrid.serving.utilization_percent, hybrid.serving.max_model_len) = (Some(90), Some(8_192));
    let told =
        |scenario: &Scenario| (started(scenario).refusal, started(scenario).verdict, started(scenario).margin.0 < 0);
    let (refusal, verdict, missing) = told(&hybrid);
    let Some(vllm::Refusal::States { sequences: 1_024, blocks, .. }) = refusal else { panic!("{refusal:?}") };
    assert!((600..670).contains(&blocks), "{blocks}");
    assert_eq!((verdict, missing), (Verdict::DoesNotFit, true));
    let fewer = Scenario { serving: Serving { max_num_seqs: 256, usual_seqs: false, ..hybrid.serving }, ..hybrid };
    assert_eq!(told(&fewer).0, None);
    let eager = Scenario { serving: Serving { enforce_eager: true, ..hybrid.serving }, ..hybrid };
    assert_eq!(told(&eager).0, None);
    // What is advised starts.
    let plan = memory_wall_core::advise::gentlest(&checked(&hybrid)).unwrap();
    assert_eq!(vllm::start(&plan.effect.scenario, hybrid.gpu.unwrap().capacity).refusal, None);
}
