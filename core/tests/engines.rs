//! What must hold for every program that serves a model, and the figures of its formulas that are known.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

#[allow(dead_code, reason = "another file of tests uses the rest")]
#[path = "common/any.rs"]
mod any;

use any::scenario;
use memory_wall_core::architecture::{Architecture, Latent, Projection, SlidingWindow};
use memory_wall_core::engines::{self, How, vllm};
use memory_wall_core::memory::kv_cache::{self, Held};
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::units::GIB;
use memory_wall_core::worked::{self, Item};
use memory_wall_core::{Bucket, Bytes, Engine, Evaluation, Mode, Offload, Parallelism, Scenario, Verdict, evaluate};
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
    with(&Scenario { mode: Mode::Inference, ..*scenario }, scenario.serving.engine)
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
            let served = with(&scenario, engine);
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
        let total = |scenario: &Scenario| memory_wall_core::evaluate::total(&scenario.check().unwrap());
        let longer = Scenario { seq_length: scenario.seq_length.saturating_add(more).min(10_000_000), ..scenario };
        let wider = Scenario { batch: scenario.batch.saturating_add(more).min(1_000_000), ..scenario };
        prop_assert!(total(&longer) >= total(&scenario));
        prop_assert!(total(&wider) >= total(&scenario));
    }

    /// The verdict on vLLM is whether the pool holds what the sequences need.
    #[test]
    fn a_share_of_the_card_is_judged_by_its_pool(scenario in scenario()) {
        let scenario = with(&serving(&scenario), Engine::Vllm).check().unwrap();
        let Some(gpu) = scenario.gpu else { return Ok(()) };
        let evaluation = evaluate(&scenario);
        let scenario = scenario.at_stage(evaluation.stage);
        let fit = evaluation.fit.unwrap();
        let run = vllm::Run::of(&scenario);
        let start = run.start(gpu.capacity, vllm::requested(&scenario, gpu.capacity));
        prop_assert_eq!(start.verdict, fit.verdict);
        prop_assert_eq!(fit.margin.0 < 0, fit.verdict == Verdict::DoesNotFit);
        prop_assert_eq!(start.pool, vllm::pool(&scenario, vllm::Version::MEASURED, gpu.capacity));
        prop_assert_eq!(start.pool.weights, evaluation.bytes(Bucket::Weights));
        prop_assert_eq!(start.pool.activation, evaluation.bytes(Bucket::Activations) + evaluation.bytes(Bucket::Logits));
        prop_assert_eq!(start.need, evaluation.bytes(Bucket::KvCache));
        let spare = start.pool.pool.0 - i128::try_from(start.need.0).unwrap();
        prop_assert_eq!(fit.margin.0, spare);
        // Too little beside the share is a doubt, not a no.
        prop_assert!(start.outside.0 >= 0 || fit.verdict != Verdict::Fits);
        // The longest that fits does, on the rank that is fullest then.
        let at = |seq_length| evaluate(&scenario.with_seq_length(seq_length)).fit.unwrap().verdict;
        prop_assert!(fit.max_seq == 0 || at(fit.max_seq) != Verdict::DoesNotFit);
        prop_assert!(fit.max_seq == 10_000_000 || at(fit.max_seq + 1) == Verdict::DoesNotFit);
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
    for (percent, verdict) in [(95, Verdict::Fits), (97, Verdict::Tight), (99, Verdict::Tight)] {
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
