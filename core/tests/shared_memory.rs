//! Memory that CPU and GPU share, and memory that was stated: what of it there is for a run.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

#[allow(dead_code, reason = "another file of tests uses the rest")]
#[path = "common/runs.rs"]
mod runs;

use memory_wall_core::assumptions::Assumptions;
use memory_wall_core::engines::vllm;
use memory_wall_core::serving::Version;
use memory_wall_core::tables::gpus;
use memory_wall_core::units::GIB;
use memory_wall_core::{
    Attention, Bytes, Engine, KvPrecision, Scenario, ScenarioError, Share, Verdict, WeightFormat, engines, evaluate,
};
use runs::{checked, model, started, with};

/// Free GiB of GiB in logs of GB10 and a Jetson Thor on which no other program used the GPU, the share that was asked for, and whether vLLM started.
#[test]
fn the_system_holds_a_part_of_a_memory_that_it_shares() {
    for (id, percent, expected) in [
        // The most that was seen to be free: three starts with 0.95 (djangodevreng/dgx-spark-benchmarks).
        ("gb10", 98, Verdict::DoesNotFit),
        ("gb10", 96, Verdict::DoesNotFit),
        ("gb10", 95, Verdict::Tight),
        // With 109.33 GiB free of 119.7, 110.73 of 121.63 and 109.53 of 121.69 vLLM refused to start; with 112.71 of 119.7 it did not.
        ("gb10", 92, Verdict::Tight),
        // With 101.3 to 104.87 GiB free of 121.69 GiB vLLM refused to start, and with 110.37 GiB it started.
        ("gb10", 87, Verdict::Tight),
        ("gb10", 85, Verdict::Tight),
        ("gb10", 80, Verdict::Fits),
        // With 110.49 GiB free of 122.82 vLLM refused to start.
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
    scenario.serving.gpu_memory_utilization = Some(Share::percent(98));
    let Some(vllm::Refusal::Share { largest, system, .. }) = started(&scenario).refusal else { panic!("it starts") };
    assert_eq!((largest, system), (Share::percent(82), Bytes(1_080 * GIB / 100)));
    scenario.serving.gpu_memory_utilization = Some(largest);
    assert_eq!(started(&scenario).refusal, None);
    let sentence = Assumptions::of(&checked(&scenario)).iter().any(|it| it.to_string().contains("5.40 to 19.90"));
    assert!(sentence);
    // Without vLLM it is taken off all the same.
    for engine in [Engine::Exact, Engine::Hf, Engine::LlamaCpp] {
        let run = checked(&Scenario { gpu: gpus::by_id("gb10"), ..with(&model("llama-3.1-8b"), engine) });
        let fit = evaluate(&run).fit.unwrap();
        assert_eq!(fit.capacity - fit.limit, Bytes(1_080 * GIB / 100), "{engine:?}");
        // A run that only the least part of the system leaves room for is tight, and a larger one goes nowhere.
        let with = |batch| {
            let it = evaluate(&run.with_batch(batch));
            let fit = it.fit.unwrap();
            (it.total > fit.limit, fit.verdict, fit.margin.0.signum())
        };
        assert_eq!(with(fit.max_batch), (true, Verdict::Tight, 0), "{engine:?}");
        assert_eq!(with(fit.max_batch + 1), (true, Verdict::DoesNotFit, -1), "{engine:?}");
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
    assert_eq!(on(1_024, None), (Verdict::Fits, 2_133.0, false));
    assert_eq!(on(16_384, None), (Verdict::Tight, 2_496.0, true));
    assert_eq!(on(32_768, None), (Verdict::DoesNotFit, 2_133.0, false));
    assert_eq!(
        on(16_384, Some(Bytes(21 * GIB))),
        (Verdict::DoesNotFit, 2_100.0, false),
        "what is stated is what there is"
    );
}

/// Runs of vLLM 0.26 on a GB10 with a share of 0.90, which the usual part of the system leaves up to 0.2 GiB too little (djangodevreng/dgx-spark-benchmarks).
#[test]
fn what_only_a_small_system_leaves_room_for_is_tight() {
    for (id, weights) in [
        ("gemma-4-31b", WeightFormat::Bf16),
        ("gemma-4-31b", WeightFormat::Nvfp4),
        ("granite-4.1-8b", WeightFormat::Bf16),
    ] {
        let mut scenario = Scenario { gpu: gpus::by_id("gb10"), weights, ..with(&model(id), Engine::Vllm) };
        scenario.serving.version = Version { major: 0, minor: 26 };
        scenario.serving = scenario.serving.on(scenario.gpu.unwrap());
        (scenario.kv, scenario.seq_length) = (KvPrecision::Fp8, 2_048);
        (scenario.serving.max_model_len, scenario.serving.max_num_batched_tokens) = (Some(131_072), 8_192);
        scenario.serving.gpu_memory_utilization = Some(Share::percent(90));
        let start = started(&scenario);
        assert_eq!((start.refusal, start.verdict), (None, Verdict::Tight), "{id} {weights}");
        let fit = evaluate(&checked(&scenario)).fit.unwrap();
        assert_eq!(fit.verdict, Verdict::Tight);
        assert!(fit.margin.0 >= 0 && fit.max_seq == 131_072 && fit.max_batch >= 1, "{fit:?}");
        // What the system is known to hold is held against the run.
        scenario.gpu_memory = Some(Bytes(108 * GIB));
        assert_eq!(started(&scenario).verdict, Verdict::DoesNotFit, "{id} {weights}");
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
