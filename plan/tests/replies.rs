//! Runtimes for whose settings a scenario has no place answer as `runtimes/` does, wherever the plan comes from.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test that fails may panic")]

#[path = "common/typed.rs"]
mod typed;

use memory_wall_core::tables::gpus;
use memory_wall_core::{Bucket, Bytes, Scenario, Verdict};
use memory_wall_plan::answers::Spending;
use memory_wall_plan::reply::{Reply, Unanswered};
use memory_wall_plan::runtime::{Contradiction, Layers, Pool, Remark};
use memory_wall_plan::{OPTIONS, Scope, Value, by_name, maps};
use memory_wall_runtimes::llamacpp;
use memory_wall_runtimes::pool::{self, Server, Told};
use typed::plan;

fn reply(options: &str) -> Result<Reply, Unanswered> {
    Reply::of(&plan(options), Spending { price: Some(1_000), tokens: None })
}

fn layers(options: &str) -> Layers {
    match reply(options) {
        Ok(Reply::Layers(layers)) => *layers,
        other => panic!("{options}: {other:?}"),
    }
}

fn pooled(options: &str) -> Pool {
    match reply(options) {
        Ok(Reply::Pool(pool)) => *pool,
        other => panic!("{options}: {other:?}"),
    }
}

const PLACED: &str = "model=llama-3.3-70b&weights=q4_k&gpu=rtx4090&engine=llamacpp&seq=8192";
const SERVED: &str = "model=llama-3.1-8b&gpu=h100-sxm&seq=8192&batch=64";

#[test]
fn layers_are_where_the_runtime_puts_them() {
    let there = layers(&format!("{PLACED}&ngl=40&host_memory=64&host_bandwidth=80"));
    let scenario = plan(PLACED).scenario().unwrap().check().unwrap();
    let settings = llamacpp::Settings { gpu_layers: 40, ..llamacpp::Settings::DEFAULT };
    let placement = llamacpp::place(&scenario, &settings).unwrap();
    assert_eq!((there.placement.devices, there.placement.on_gpus), (placement.devices, 40));
    assert_eq!(there.placement.host_verdict, Some(Verdict::Fits));
    let [low, high] = there.speed.unwrap().tokens_per_second();
    assert!(low < high && (there.per_million.unwrap()[0] - 1e6 / high / 3_600.0).abs() < 1e-6);
    // Every option reaches the settings.
    let all = layers(&format!(
        "{PLACED}&ngl=40&device=rtx4090,rtx3090&tensor_split=3,1&ubatch=256&swa_full=1&kv_unified=1&cache_type_k=q8_0&cache_type_v=q4_0&no_kv_offload=1"
    ));
    let [first, second] = ["rtx4090", "rtx3090"].map(|id| gpus::by_id(id).unwrap());
    assert_eq!(all.settings.gpus, [first, second]);
    assert_eq!((all.settings.tensor_split, all.settings.ubatch), (vec![3, 1], 256));
    assert!(all.settings.swa_full && all.settings.unified && all.settings.cache_on_host);
    assert_eq!([all.settings.cache_k, all.settings.cache_v].map(|it| it.unwrap().id()), ["q8_0", "q4_0"]);
}

#[test]
fn the_longest_context_fits_and_one_more_does_not() {
    for options in [
        format!("{PLACED}&ngl=40"),
        format!("{PLACED}&fit=1&host_memory=64"),
        format!("{SERVED}&engine=sglang"),
        format!("{SERVED}&engine=trtllm"),
        "model=llama-3.1-8b&weights=q4_k&gpu=rtx4090&engine=ollama&seq=8192&ngl=33".into(),
    ] {
        let there = reply(&options).unwrap();
        let (batch, longest) = (there.scenario().batch, there.longest().unwrap());
        assert!(longest > 0 && there.verdict_at(batch, longest).unwrap().holds(), "{options}: {longest}");
        let beyond = there.verdict_at(batch, longest + 1);
        let trained = there.scenario().architecture.trained_context == Some(longest);
        assert!(trained && options.contains("ollama") || !beyond.unwrap().holds(), "{options}: {longest}");
        let most = u32::try_from(there.most_sequences().unwrap()).unwrap();
        let length = there.scenario().seq_length;
        assert!(most == 0 || there.verdict_at(most, length).unwrap().holds(), "{options}: {most}");
        assert!(!there.verdict_at(most + 1, length).unwrap().holds(), "{options}: {most}");
    }
    // What goes to a computer of which nothing is said, goes there.
    assert_eq!(layers(&format!("{PLACED}&fit=1")).longest(), None);
}

#[test]
fn a_pool_is_what_the_server_leaves() {
    let scenario = plan(SERVED).scenario().unwrap().check().unwrap();
    for (engine, server) in [("sglang", Server::Sglang), ("trtllm", Server::TensorRtLlm)] {
        let there = pooled(&format!("{SERVED}&engine={engine}"));
        assert_eq!(there.start, pool::start(server, &scenario, &Told::default()).unwrap());
    }
    let told = pooled(&format!(
        "{SERVED}&engine=sglang&mem_fraction_static=80&max_running_requests=32&chunked_prefill_size=4096&context_length=16384&max_total_tokens=200000&disable_cuda_graph=1"
    ));
    let expected = Told {
        share: Some(memory_wall_core::Share::percent(80)),
        requests: Some(32),
        tokens: Some(4_096),
        longest: Some(16_384),
        most: Some(200_000),
        no_graphs: true,
        ep: None,
    };
    assert_eq!(told.told, expected);
    let told = pooled(&format!(
        "{SERVED}&engine=trtllm&kv_cache_free_gpu_memory_fraction=80&max_batch_size=32&max_num_tokens=4096&max_seq_len=16384"
    ));
    assert_eq!(told.told, Told { most: None, no_graphs: false, ..expected });
    // Expert-parallel ranks lie within the tensor-parallel ones.
    let experts = pooled("model=qwen3-235b-a22b&weights=fp8&gpu=h100-sxm&tp=8&ep=8&engine=sglang&seq=8192");
    assert_eq!((experts.told.ep, experts.scenario.parallel.ep), (Some(8), 1));
}

/// The wall of a pool rises above its line where the requests do not all fit by the upper ends.
#[test]
fn parts_of_a_pool_are_within_its_line_if_all_requests_are() {
    for (batch, fits) in [(8, true), (4_000, false)] {
        let there = reply(&format!("{SERVED}&engine=sglang&batch={batch}")).unwrap();
        assert_eq!(there.verdict().unwrap().holds(), fits);
        assert_eq!(there.total() <= there.limit().unwrap(), fits);
        assert!(there.limit() < there.capacity());
        assert!(there.bytes(Bucket::Weights) > Bytes(15_000_000_000));
    }
    let placed = reply(&format!("{PLACED}&ngl=40")).unwrap();
    assert_eq!(placed.total().0, placed.needed().unwrap().high);
}

#[test]
fn ollama_has_its_own_context() {
    let there = layers("model=llama-3.1-8b&weights=q4_k&gpu=rtx4090&engine=ollama");
    assert_eq!((there.scenario.seq_length, there.remarks), (32_768, vec![Remark::TookContext(32_768)]));
    let long = layers("model=llama-2-7b&weights=q4_k&gpu=rtx4090&engine=ollama&seq=8192");
    assert_eq!(long.remarks, [Remark::CutContext { most: 4_096, asked: 8_192 }]);
}

#[test]
fn contradictions_and_refusals_are_said() {
    for (options, why) in [("fit=1&ngl=3", Contradiction::Fit), ("cpu_moe=1&n_cpu_moe=3", Contradiction::CpuMoe)] {
        assert_eq!(reply(&format!("{PLACED}&{options}")), Err(Unanswered::Contradiction(why)));
    }
    let refused = |options: &str| match reply(options) {
        Err(Unanswered::Runtime(refused)) => (refused.needs_gpu(), refused.to_string()),
        other => panic!("{options}: {other:?}"),
    };
    assert!(refused("model=llama-3.1-8b&engine=sglang").0);
    assert!(refused("model=llama-3.1-8b&weights=q4_k&engine=llamacpp&ngl=3").0);
    assert!(refused("model=llama-3.1-8b&gpu=t4&engine=trtllm").1.contains("T4"));
    assert!(refused("model=llama-3.1-8b&weights=q4_k&gpu=rtx4090&engine=llamacpp&ngl=3&tp=2").1.contains("--device"));
    // What belongs to another runtime changes nothing, and training has none.
    assert!(matches!(reply("model=llama-3.1-8b&gpu=h100-sxm&ngl=3"), Ok(Reply::Engine(_))));
    assert!(matches!(reply("model=gpt2-xl&mode=training&gpu=h100-sxm&engine=sglang"), Ok(Reply::Engine(_))));
}

/// An option is shown where it changes something, and nowhere else.
#[test]
fn options_of_runtimes_have_an_effect_with_their_runtime_alone() {
    let scenario = |engine: &str| {
        let plan = plan(&format!("model=llama-3.1-8b&engine={engine}"));
        let scenario: Scenario = plan.scenario().unwrap();
        (plan, scenario)
    };
    for engine in ["exact", "vllm", "llamacpp", "ollama", "sglang", "trtllm"] {
        let (plan, scenario) = scenario(engine);
        for option in OPTIONS.iter().filter(|option| option.scope.is_of_runtime()) {
            let expected = match option.scope {
                Scope::Pool(server) => server.id() == engine,
                Scope::Rollout => false,
                _ => ["llamacpp", "ollama"].contains(&engine),
            };
            assert_eq!(plan.has_effect(option, &scenario), expected, "{} of {engine}", option.name);
        }
        assert_eq!(plan.value(by_name("engine").unwrap(), &scenario).unwrap().to_string(), engine);
    }
}

#[test]
fn other_gpus_are_asked_as_the_runtime_runs_there() {
    let found = |options: &str, gpu: &str| maps::on(&plan(options), gpus::by_id(gpu).unwrap());
    let there = found(&format!("{PLACED}&ngl=81"), "rtx4090").unwrap();
    assert_eq!((there.reply.gpus(), there.plan.get("device")), (4, Some(&Value::Words(vec!["rtx4090"; 4]))));
    let there = found("model=llama-3.3-70b&engine=sglang&gpu=h100-sxm&seq=8192", "h100-sxm").unwrap();
    assert_eq!((there.reply.gpus(), there.plan.get("tp")), (4, Some(&Value::Count(4))));
    assert!(found("model=llama-3.3-70b&engine=trtllm&gpu=h100-sxm", "t4").is_none());
}
