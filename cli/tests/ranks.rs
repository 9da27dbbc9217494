//! What `estimate --json` says about phases, tensors, ranks, traffic and offload, against the engine and against itself.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

mod common;

use common::json;
use serde_json::Value;

const SCENARIOS: [&str; 10] = [
    "--model llama-2-7b",
    "--model llama-3.1-8b --mode training --batch 2",
    "--model llama-3.1-8b --mode training --dp 8 --zero 3 --micro-batches 4 --gpu h100-sxm",
    "--model llama-3.1-70b --mode training --tp 8 --pp 4 --dp 2 --zero 1 --micro-batches 8 --implementation megatron",
    "--model llama-3.1-8b --mode training --pp 8 --virtual-stages 2 --micro-batches 16 --recipe pure --implementation megatron",
    "--model llama-2-7b --mode training --implementation megatron --cp 2 --zero 1 --offload optimizer",
    "--model llama-3.1-70b --tp 4 --pp 2 --batch 8 --gpu a100-80-sxm",
    "--model mixtral-8x7b --mode training --dp 8 --ep 4 --zero 1 --sequence-parallel --tp 2",
    "--model deepseek-v3 --tp 8 --pp 4 --gpu h200-sxm",
    "--model llama-3.1-8b --mode qlora --dp 4 --zero 3 --offload parameters --gpu rtx4090",
];

fn number(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or_else(|| panic!("{pointer} in {value}"))
}

#[test]
fn the_peak_is_that_of_the_fullest_phase_and_rank() {
    for scenario in SCENARIOS {
        let (_, it) = json(&format!("estimate {scenario}"));
        let total = number(&it, "/total_bytes");
        let phases = it["phases"].as_array().unwrap();
        assert_eq!(
            phases.len(),
            if scenario.contains("--mode t") || scenario.contains("--mode q") { 5 } else { 1 },
            "{scenario}"
        );
        let fullest = phases.iter().max_by_key(|phase| number(phase, "/total_bytes")).unwrap();
        assert_eq!(number(fullest, "/total_bytes"), total, "{scenario}");
        assert!(
            phases.iter().any(|it_is| it_is["phase"] == it["peak_phase"] && number(it_is, "/total_bytes") == total)
        );
        let ranks = it["per_rank"].as_array().unwrap();
        assert_eq!(ranks.len() as u64, number(&it, "/scenario/parallel/pp"), "{scenario}");
        assert_eq!(ranks.iter().map(|stage| number(stage, "/ranks")).sum::<u64>(), number(&it, "/gpus"), "{scenario}");
        assert_eq!(ranks.iter().map(|stage| number(stage, "/total_bytes")).max(), Some(total), "{scenario}");
        let stage = &ranks[usize::try_from(number(&it, "/stage")).unwrap()];
        assert_eq!((&stage["buckets"], &stage["peak_phase"]), (&it["buckets"], &it["peak_phase"]), "{scenario}");
        for (place, stage) in ranks.iter().enumerate() {
            assert_eq!(number(stage, "/stage"), place as u64);
            let buckets = stage["buckets"].as_object().unwrap().values();
            assert_eq!(buckets.map(|bytes| bytes.as_u64().unwrap()).sum::<u64>(), number(stage, "/total_bytes"));
            assert!(number(stage, "/parameters") <= number(&it, "/parameters"));
        }
    }
}

#[test]
fn the_largest_tensors_are_the_sums_of_their_terms() {
    for scenario in SCENARIOS {
        let (_, it) = json(&format!("estimate {scenario}"));
        let tensors = it["largest_tensors"].as_array().unwrap();
        assert_eq!(tensors.len(), 3, "{scenario}");
        assert!(tensors.is_sorted_by(|one, other| number(one, "/bytes") >= number(other, "/bytes")), "{scenario}");
        for tensor in tensors {
            // An item belongs to one bucket, or the larger of two sums is meant.
            let sums = it["formulas"].as_object().unwrap().values().map(|terms| {
                let own = terms.as_array().unwrap().iter().filter(|term| term["item"] == tensor["item"]);
                own.map(|term| number(term, "/bytes")).sum::<u64>()
            });
            assert_eq!(sums.max(), Some(number(tensor, "/bytes")), "{scenario} {tensor}");
        }
    }
}

#[test]
fn traffic_adds_up_and_is_there_where_the_run_is_cut() {
    for scenario in SCENARIOS {
        let (_, it) = json(&format!("estimate {scenario}"));
        let sent = it["communication_bytes"].as_object().unwrap();
        let kinds: u64 =
            sent.iter().filter(|(kind, _)| *kind != "total").map(|(_, bytes)| bytes.as_u64().unwrap()).sum();
        assert_eq!(kinds, sent["total"].as_u64().unwrap(), "{scenario}");
        for (option, kind) in [
            ("--tp", "tensor_parallel"),
            ("--pp", "pipeline_parallel"),
            ("--dp", "data_parallel"),
            ("--cp", "context_parallel"),
        ] {
            let is_cut = scenario.contains(option);
            if is_cut || kind != "data_parallel" {
                assert_eq!(sent[kind].as_u64() > Some(0), is_cut, "{scenario} {kind}");
            }
        }
    }
    // Fourteen gigabytes of gradients: seven eighths of them, twice.
    let (_, it) = json("estimate --model generic-7b --mode training --dp 8");
    assert_eq!(number(&it, "/communication_bytes/data_parallel"), 24_500_000_000);
}

#[test]
fn offload_moves_what_leaves_the_gpu() {
    let plain = "estimate --model llama-3.1-8b --mode training --gpu h100-sxm";
    let (_, on_gpu) = json(plain);
    let (_, it) = json(&format!("{plain} --offload optimizer"));
    // An fp32 copy, two moments, and gradients for the step there.
    assert_eq!(number(&it, "/offload_host_bytes"), 14 * 8_030_261_248);
    // Gradients down, weights up.
    assert_eq!(number(&it, "/offload_bytes"), 4 * 8_030_261_248);
    assert!(it["offload_seconds"].as_f64().unwrap() > 0.1);
    assert!(number(&it, "/total_bytes") < number(&on_gpu, "/total_bytes"));
    assert_eq!((number(&on_gpu, "/offload_bytes"), on_gpu["offload_seconds"].as_f64()), (0, Some(0.0)));
    let (_, nowhere) = json("estimate --model llama-3.1-8b --offload kv");
    assert_eq!(nowhere["offload_seconds"], Value::Null);
    assert!(number(&nowhere, "/offload_bytes") > 0);
}

#[test]
fn only_mixtures_leave_parameters_idle() {
    let (_, it) = json("estimate --model llama-3.1-8b");
    assert_eq!((number(&it, "/parameters"), number(&it, "/active_parameters")), (8_030_261_248, 8_030_261_248));
    assert_eq!(number(&it, "/gpus"), 1);
    let (_, it) = json("estimate --model mixtral-8x7b");
    assert_eq!((number(&it, "/parameters"), number(&it, "/active_parameters")), (46_702_792_704, 12_879_925_248));
}
