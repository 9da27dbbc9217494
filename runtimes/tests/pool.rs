//! `SGLang` and TensorRT-LLM: their shares by the GPU, their pools, and what they refuse; pools of public logs are held in the crate `memory-wall-accuracy`.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use memory_wall_core::tables::capability::Capability;
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::units::{GIB, MIB};
use memory_wall_core::{Attention, KvPrecision, Scenario, Share, Verdict, WeightFormat};
use memory_wall_runtimes::pool::{Family, Found, Refused, Server, Start, Told, Trouble, has_class, start, start_in};

fn scenario(model: &str, gpu: &str) -> Scenario {
    Scenario { gpu: gpus::by_id(gpu), ..Scenario::new(models::by_id(model).unwrap().architecture) }
}

fn sglang(scenario: &Scenario, told: Told) -> Start {
    start(Server::Sglang, &scenario.check().unwrap(), &told).unwrap()
}

fn trtllm(scenario: &Scenario, told: Told) -> Start {
    start(Server::TensorRtLlm, &scenario.check().unwrap(), &told).unwrap()
}

/// By hand from `handle_gpu_memory_settings`: 512 + 1.5 × chunk + 1,024 × ranks / 8 + 2 × graph + 8 × prefill lengths MiB.
#[test]
fn sglangs_own_share_follows_the_gpu_and_the_ranks() {
    // Lengths up to 4,096: 8 + 14 + 8 + 8 + 12 = 50; up to 8,192 eight more.
    let reserve = |gpu: &str, tp| {
        let mut scenario = scenario("llama-3.1-8b", gpu);
        scenario.parallel.tp = tp;
        sglang(&scenario, Told::default()).wanted / MIB
    };
    assert_eq!(reserve("rtx4090", 1), 512 + 6_144 + 128 + 2 * 48 + 8 * 50);
    assert_eq!(reserve("rtx4090", 4), 512 + 6_144 + 512 + 2 * 160 + 8 * 50);
    assert_eq!(reserve("h100-sxm", 1), 512 + 12_288 + 128 + 2 * 256 + 8 * 58);
    assert_eq!(reserve("b200", 8), 512 + 24_576 + 1_024 + 2 * 512 + 8 * 74);
    let own = sglang(&scenario("llama-3.1-8b", "h100-sxm"), Told::default());
    assert!(own.usual_share && (82..84).contains(&own.share.whole_percent()), "{}", own.share);
    let told =
        sglang(&scenario("llama-3.1-8b", "h100-sxm"), Told { share: Some(Share::percent(90)), ..Told::default() });
    assert!(!told.usual_share && told.share == Share::percent(90) && told.pool.low > own.pool.low);
    // Without graphs nothing is kept for them.
    let eager = sglang(&scenario("llama-3.1-8b", "rtx4090"), Told { no_graphs: true, ..Told::default() });
    assert_eq!(eager.wanted / MIB, 512 + 6_144 + 128);
}

/// 131,072 bytes a token of Llama 3.1 8B.
#[test]
fn a_pool_is_what_the_share_leaves_and_its_tokens_are_counted_in_pages() {
    let memory = Found { total: 80 * GIB, printed: 80 * GIB, free: Some(79 * GIB) };
    let told = Told { share: Some(Share::percent(85)), ..Told::default() };
    let llama = scenario("llama-3.1-8b", "h100-sxm").check().unwrap();
    let start = start_in(Server::Sglang, &llama, &told, memory).unwrap();
    assert_eq!(start.context.low, GIB);
    assert_eq!(start.pool.high, (79 * GIB * 850).div_ceil(1_000) - start.weights);
    assert_eq!(start.tokens.high, start.pool.high / 131_072);
    let cut = Told { most: Some(1_000), ..told };
    assert_eq!(start_in(Server::Sglang, &llama, &cut, memory).unwrap().tokens.high, 1_000);
    let other = trtllm(&scenario("llama-3.1-8b", "h100-sxm"), Told::default());
    assert!(
        other.tokens.low.is_multiple_of(32)
            && other.tokens.high.is_multiple_of(32)
            && other.share == Share::percent(90)
    );
    // More tokens at once leave less.
    let more = trtllm(&scenario("llama-3.1-8b", "h100-sxm"), Told { tokens: Some(65_536), ..Told::default() });
    assert!(more.pool.low < other.pool.low && more.pool.high < other.pool.high);
    // An fp8 cache has twice as many tokens.
    let eight = sglang(&Scenario { kv: KvPrecision::Fp8, ..scenario("llama-3.1-8b", "h100-sxm") }, told);
    assert_eq!(eight.token.high, 65_536);
}

#[test]
fn latent_caches_are_whole_on_each_rank_and_heads_are_shared_out() {
    let on = |model: &str, tp| {
        let mut scenario = scenario(model, "b200");
        (scenario.parallel.tp, scenario.weights) = (tp, WeightFormat::Fp8);
        sglang(&scenario, Told::default()).token
    };
    assert_eq!(on("deepseek-v3", 8).high, 61 * 576 * 2);
    assert_eq!(on("llama-3.1-8b", 4).high, 131_072 / 4);
    // SGLang keeps an indexer's keys in every layer: 23.91 GiB held 464,768 tokens of GLM-5.2 in a public run with fp8.
    let mut glm = scenario("glm-5.2", "b200");
    (glm.parallel.tp, glm.weights, glm.kv) = (8, WeightFormat::Nvfp4, KvPrecision::Fp8);
    let token = sglang(&glm, Told::default()).token;
    assert_eq!((token.low, token.high), (78 * (576 + 132), 78 * (656 + 132)));
    assert!((token.low * 464_768).abs_diff(2_391 * GIB / 100) < GIB / 50);
    // Layers with a window are a range: a pool of their own, or the whole context.
    let oss = on("gpt-oss-120b", 1);
    assert_eq!(oss.high, 73_728);
    assert_eq!(oss.low, 73_728 / 2 + 73_728 / 2 * 8 / 10);
}

#[test]
fn states_take_their_part_of_the_pool_and_cap_the_requests() {
    let qwen = sglang(&scenario("qwen3.5-27b", "h100-sxm"), Told::default());
    assert_eq!(qwen.states.high, qwen.pool.high * 9 / 19);
    // 48 layers × (48 × 128 × 128 × 4 bytes + 10,240 channels × 3 × 2): three for each request.
    let state = 48 * (48 * 128 * 128 * 4 + 10_240 * 3 * 2);
    assert_eq!(qwen.held.high, qwen.states.high / state / 3);
}

#[test]
fn verdicts_say_whether_all_requests_run() {
    let of =
        |batch, seq_length, told| sglang(&Scenario { batch, seq_length, ..scenario("llama-3.1-8b", "rtx4090") }, told);
    let usual = Told::default();
    assert_eq!(of(1, 2_048, usual).verdict, Verdict::Fits);
    assert_eq!(of(1_000, 2_048, usual).verdict, Verdict::Queues);
    assert_eq!(of(4, 2_048, Told { requests: Some(2), ..usual }).verdict, Verdict::Queues);
    assert_eq!(of(1, 131_072, usual).trouble.map(|it| matches!(it, Trouble::TooSmall { .. })), Some(true));
    assert_eq!(of(1, 200_000, usual).trouble, Some(Trouble::TooLong { accepts: 131_072 }));
    assert_eq!(of(1, 8_192, Told { longest: Some(4_096), ..usual }).trouble, Some(Trouble::TooLong { accepts: 4_096 }));
    assert_eq!(of(1, 2_048, Told { share: Some(Share::percent(50)), ..usual }).trouble, Some(Trouble::NoPool));
    assert_eq!(of(1, 2_048, Told { share: Some(Share::percent(95)), ..usual }).verdict, Verdict::Tight);
}

#[test]
fn formats_gpus_and_ranks_are_refused_by_name() {
    let refused =
        |server, scenario: &Scenario| start(server, &scenario.check().unwrap(), &Told::default()).unwrap_err();
    let with = |weights| Scenario { weights, ..scenario("llama-3.1-8b", "h100-sxm") };
    for server in Server::EACH {
        let refused = refused(server, &with(WeightFormat::Q4K));
        assert_eq!(refused, Refused::Weights(server, WeightFormat::Q4K));
        assert!(refused.to_string().contains(server.label()), "{refused}");
    }
    assert_eq!(
        refused(Server::TensorRtLlm, &with(WeightFormat::Nf4)),
        Refused::Weights(Server::TensorRtLlm, WeightFormat::Nf4)
    );
    let narrow = Scenario { kv: KvPrecision::Int4, ..with(WeightFormat::Bf16) };
    assert_eq!(refused(Server::Sglang, &narrow), Refused::Cache(Server::Sglang, KvPrecision::Int4));
    let mut stages = with(WeightFormat::Bf16);
    stages.parallel.pp = 2;
    assert_eq!(refused(Server::Sglang, &stages), Refused::Ranks(Server::Sglang));
    for server in Server::EACH {
        let mut away = [with(WeightFormat::Bf16); 3];
        (away[0].offload.parameters, away[1].offload.kv_cache) = (true, true);
        away[2].attention = Attention::Eager;
        let told = away.map(|it| refused(server, &it));
        assert_eq!(told, [Refused::Offload(server), Refused::Offload(server), Refused::Eager(server)]);
    }
    let amd = scenario("llama-3.1-8b", "mi300x");
    assert!(matches!(refused(Server::TensorRtLlm, &amd), Refused::Gpu(Server::TensorRtLlm, _)));
    assert!(start(Server::Sglang, &amd.check().unwrap(), &Told::default()).is_ok());
    // Its int8 kernels are CUDA's alone.
    let int8 = Scenario { weights: WeightFormat::W8a8, ..amd };
    assert!(matches!(refused(Server::Sglang, &int8), Refused::Kernels(Server::Sglang, WeightFormat::W8a8, _)));
    let none = Scenario { gpu: None, ..amd };
    assert_eq!(refused(Server::Sglang, &none), Refused::NoGpu);
}

/// By the hardware matrix of TensorRT-LLM and `get_min_capability` of `SGLang`.
#[test]
fn generations_without_kernels_are_refused() {
    use WeightFormat as W;
    let of = |server, gpu, weights| {
        let scenario = Scenario { weights, ..scenario("qwen3-0.6b", gpu).on(gpus::by_id(gpu).unwrap()) };
        start(server, &scenario.check().unwrap(), &Told::default()).map(|start| start.verdict)
    };
    for (server, gpu, needs) in [
        (Server::Sglang, "v100-sxm2-32", Capability::new(7, 5)),
        (Server::TensorRtLlm, "v100-sxm2-32", Capability::new(8, 0)),
        (Server::TensorRtLlm, "t4", Capability::new(8, 0)),
    ] {
        let refused = of(server, gpu, W::Fp16).unwrap_err();
        assert!(matches!(refused, Refused::TooOld { needs: least, .. } if least == needs), "{refused}");
    }
    assert_eq!(of(Server::Sglang, "t4", W::Fp16), Ok(Verdict::Fits));
    assert!(matches!(of(Server::Sglang, "p40", W::Fp16), Err(Refused::TooOld { .. })));
    assert!(matches!(of(Server::Sglang, "mi100", W::Fp16), Err(Refused::Gpu(..))));
    for (server, gpu, weights) in [
        (Server::Sglang, "t4", W::Fp8),
        (Server::Sglang, "t4", W::Nvfp4),
        (Server::Sglang, "t4", W::W8a8),
        (Server::Sglang, "b200", W::W8a8),
        (Server::Sglang, "mi300x", W::Nvfp4),
        (Server::TensorRtLlm, "a100-80-sxm", W::Fp8),
        (Server::TensorRtLlm, "a100-80-sxm", W::Nvfp4),
        (Server::TensorRtLlm, "h100-sxm", W::Nvfp4),
        (Server::TensorRtLlm, "rtx4090", W::Fp8Block),
        (Server::TensorRtLlm, "rtx5090", W::Int4),
    ] {
        let refused = of(server, gpu, weights).unwrap_err();
        assert!(matches!(refused, Refused::Kernels(by, format, _) if by == server && format == weights), "{refused}");
    }
    for (server, gpu, weights) in [
        (Server::Sglang, "a100-80-sxm", W::W8a8),
        (Server::Sglang, "h100-sxm", W::W8a8),
        (Server::Sglang, "a100-80-sxm", W::Fp8),
        (Server::Sglang, "h100-sxm", W::Nvfp4),
        (Server::TensorRtLlm, "rtx4090", W::Fp8),
        (Server::TensorRtLlm, "a100-80-sxm", W::Int4),
        (Server::TensorRtLlm, "h100-sxm", W::Fp8Block),
        (Server::TensorRtLlm, "b200", W::Nvfp4),
        (Server::TensorRtLlm, "b200", W::Int4),
    ] {
        assert!(of(server, gpu, weights).is_ok(), "{} {gpu} {weights}", server.label());
    }
    // A cache in fp8 is there on Ampere too.
    let eight = Scenario { kv: KvPrecision::Fp8, ..scenario("qwen3-0.6b", "a100-80-sxm") };
    assert!(start(Server::TensorRtLlm, &eight.check().unwrap(), &Told::default()).is_ok());
}

#[test]
fn tensorrt_llm_serves_the_families_of_its_index() {
    let listed = |id| has_class(Server::TensorRtLlm, Family::Listed(id));
    for id in ["bloom-176b", "falcon-7b", "gpt-neox-20b", "lfm2-1.2b", "smollm3-3b", "glm-4.7-flash", "ministral-3-8b"]
    {
        assert_eq!(listed(id), Err(Refused::NoClass(Server::TensorRtLlm)), "{id}");
        assert!(has_class(Server::Sglang, Family::Listed(id)).is_ok());
    }
    for id in ["llama-3.1-8b", "kimi-k2.5", "qwen3-32b", "gpt-oss-20b"] {
        assert!(listed(id).is_ok(), "{id}");
    }
}

/// Sizes by hand: 1,536 / 8 = 192 (sglang issue 5858), 13,824 / 8 = 1,728, neither a multiple of 128.
#[test]
fn ranks_have_whole_blocks_and_experts() {
    let of = |server, model: &str, weights, tp, ep| {
        let mut scenario = Scenario { weights, ..scenario(model, "h100-sxm") };
        scenario.parallel.tp = tp;
        start(server, &scenario.check().unwrap(), &Told { ep: Some(ep), ..Told::default() })
    };
    for server in Server::EACH {
        let on = |model, weights, tp, ep| of(server, model, weights, tp, ep);
        let refused = on("qwen3-235b-a22b", WeightFormat::Fp8Block, 8, 1).unwrap_err().to_string();
        assert!(refused.starts_with(server.label()) && refused.contains("over 8 ranks is 192; "), "{refused}");
        let whole = on("qwen3-235b-a22b", WeightFormat::Fp8Block, 8, 8).unwrap();
        assert_eq!(whole.verdict, on("qwen3-235b-a22b", WeightFormat::Fp8, 8, 1).unwrap().verdict);
        assert!(on("qwen3-235b-a22b", WeightFormat::Fp8Block, 8, 2).is_ok());
        let groups = on("qwen2.5-14b", WeightFormat::Int4, 8, 1).unwrap_err();
        assert!(matches!(groups, Refused::Blocks(_, blocks) if blocks.width == 13_824), "{groups}");
        assert!(on("qwen2.5-14b", WeightFormat::Int4, 4, 1).is_ok());
        for (model, ep, count) in [("qwen3-235b-a22b", 3, 128), ("qwen3-235b-a22b", 16, 8), ("qwen2.5-14b", 2, 0)] {
            let refused = on(model, WeightFormat::Fp8, 8, ep).unwrap_err();
            assert!(matches!(refused, Refused::Experts { count: of, .. } if of == count), "{refused}");
        }
    }
}

/// 512 / 8 = 64 values of an expert, and of the shared one, which AITER pads to 128: 40 layers × 257 experts × 3 × 2,048 × 64 more on a rank.
#[test]
fn aiter_pads_experts_on_amd() {
    let on = |gpu, tp| {
        let mut scenario = Scenario { weights: WeightFormat::Fp8Block, ..scenario("qwen3.5-35b-a3b", gpu) };
        scenario.parallel.tp = tp;
        start(Server::Sglang, &scenario.check().unwrap(), &Told::default())
    };
    let eight = on("mi355x", 8).unwrap();
    assert!(eight.padded && eight.verdict == Verdict::Fits);
    let [two, four] = [2, 4].map(|tp| on("mi355x", tp).unwrap());
    assert!(!four.padded && four.weights < two.weights);
    let whole = four.weights - (two.weights - four.weights) / 2;
    let more = (eight.weights - whole) as f64 / (40.0 * 257.0 * 3.0 * 2_048.0 * 64.0);
    assert!((0.97..1.05).contains(&more), "{more}");
    assert!(matches!(on("h100-sxm", 8), Err(Refused::Blocks(..))));
}

/// sgl-project/sglang issue 12887 and pull request 30681; zai-org/GLM-4.5 issue 23 is 5,472 columns over 4 GPUs.
#[test]
fn sglang_runs_no_experts_in_fp8_without_units_for_it() {
    let on = |model: &str, weights, gpu, tp| {
        let mut scenario = Scenario { weights, ..scenario(model, gpu) };
        scenario.parallel.tp = tp;
        start(Server::Sglang, &scenario.check().unwrap(), &Told::default()).err().map(|refused| refused.to_string())
    };
    for (model, weights) in [("glm-4.5-air", WeightFormat::Fp8), ("qwen3-30b-a3b", WeightFormat::Fp8Block)] {
        let refused = on(model, weights, "a100-80-sxm", 2).unwrap_or_default();
        assert!(refused.contains("fp8e4nv not supported") && refused.contains("A100"), "{refused}");
        assert_eq!(on(model, weights, "h100-sxm", 2), None);
    }
    let refused = on("nemotron-nano-9b-v2", WeightFormat::Fp8, "a100-80-sxm", 2).unwrap_or_default();
    assert!(
        refused.starts_with("SGLang runs these weights by Marlin's kernels") && refused.contains("7,840"),
        "{refused}"
    );
    assert_eq!(on("llama-3.1-8b", WeightFormat::Fp8, "a100-80-sxm", 2), None);
}

/// NVIDIA/TensorRT-LLM pull request 17470: out of memory with 720 requests of 131,072 tokens, and a start with 512 of 12,416.
#[test]
fn room_for_many_long_requests_may_be_missing() {
    let on = |requests, longest| {
        let scenario = Scenario { weights: WeightFormat::Mxfp4, ..scenario("gpt-oss-120b", "h100-sxm") };
        let told = Told { requests, longest: Some(longest), ..Told::default() };
        trtllm(&scenario, told)
    };
    let died = on(Some(720), 131_072);
    assert!(died.many && died.verdict == Verdict::Tight);
    assert_eq!((on(Some(512), 12_416).verdict, on(None, 131_072).verdict), (Verdict::Fits, Verdict::Fits));
}

/// States of 2,048 requests are more than an H100 has (NVIDIA/TensorRT-LLM pull request 19398, Qwen3.5 4B); those of 256 are not. Nemotron Nano asks for 135 GiB of them (issue 8642).
#[test]
fn states_are_held_for_every_request_that_may_run() {
    let on = |model, gpu, requests| trtllm(&scenario(model, gpu), Told { requests, ..Told::default() });
    let died = on("qwen3.5-4b", "h100-sxm", None);
    assert_eq!((died.many, died.verdict), (true, Verdict::Tight));
    // 24 layers × (32 × 128 × 128 × 2 bytes + 8,192 channels × 3 × 2): 25.1 MiB a request (pull request 18985).
    let each = 24 * (32 * 128 * 128 * 2 + 8_192 * 3 * 2);
    assert_eq!(died.states.low, 2_048 * each);
    assert_eq!(died.request.low - died.token.low * 2_048, each);
    for (model, gpu) in
        [("qwen3.5-4b", "l40s"), ("nemotron-nano-9b-v2", "h100-sxm"), ("nemotron-nano-9b-v2", "rtx5060ti-16")]
    {
        let weights = if gpu == "rtx5060ti-16" { WeightFormat::Nvfp4 } else { WeightFormat::Bf16 };
        let died = trtllm(&Scenario { weights, ..scenario(model, gpu) }, Told::default());
        assert_eq!(died.trouble, Some(Trouble::States { requests: 2_048 }), "{model} {gpu}");
        assert_eq!(died.verdict, Verdict::DoesNotFit);
    }
    let few = Told { requests: Some(256), longest: Some(8_192), ..Told::default() };
    assert!(!trtllm(&scenario("qwen3.5-4b", "h100-sxm"), few).many);
}

/// `SGLang` issue 35777: Qwen3.8 27B in NVFP4 on an RTX 5090 with 0.90 runs out of memory while graphs are recorded.
#[test]
fn less_than_half_of_what_sglang_reckons_with_is_tight() {
    let scenario = Scenario { weights: WeightFormat::Nvfp4, ..scenario("qwen3.5-27b", "rtx5090") };
    let told = Told { share: Some(Share::percent(90)), ..Told::default() };
    let start = start(Server::Sglang, &scenario.check().unwrap(), &told).unwrap();
    assert!(start.beside * 3 > start.wanted && start.beside * 2 < start.wanted);
    assert_eq!(start.verdict, Verdict::Tight);
}

/// 10.8 GiB and more of a GB10 are the system's.
#[test]
fn the_system_holds_a_part_of_shared_memory() {
    for server in Server::EACH {
        let scenario = Scenario { weights: WeightFormat::Nvfp4, ..scenario("glm-4.5-air", "gb10") };
        let on = start(server, &scenario.check().unwrap(), &Told::default()).unwrap();
        assert!(on.context.low > 10 * GIB && on.context.high > 19 * GIB, "{:?}", on.context);
    }
    let full = Scenario { weights: WeightFormat::Fp8, seq_length: 8_192, ..scenario("glm-4.5-air", "gb10") };
    let on = sglang(&full, Told::default());
    assert_eq!((on.trouble, on.verdict), (Some(Trouble::NoPool), Verdict::DoesNotFit));
}

/// Free GiB of GiB in logs of GB10: 101.3 of 121.7 to 114.5.
#[test]
fn a_server_finds_less_of_a_memory_that_it_shares() {
    let own = sglang(&scenario("llama-3.1-8b", "gb10"), Told::default());
    assert!(own.context.low > 6 * GIB && own.context.high > 20 * GIB, "{:?}", own.context);
    let told = Scenario { gpu_memory: Some(memory_wall_core::Bytes(110 << 30)), ..scenario("llama-3.1-8b", "gb10") };
    let told = sglang(&told, Told::default());
    assert!(told.context.high < own.context.high && told.pool.low > own.pool.low);
    assert!(sglang(&scenario("llama-3.1-8b", "h100-sxm"), Told::default()).context.high < 2 * GIB);
}
