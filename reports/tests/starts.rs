//! Starts of servers as engineers paste them, in the shape of public logs and with figures of our own.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use common::{assert_told, only};
use memory_wall_reports::{Device, Kind, Refusal, What};

/// pytorch/pytorch#175666: the title has the error's words in small letters.
#[test]
fn a_refusal_of_vllm_is_read_from_a_title() {
    let text = "[release][vllm] failures - free memory on device cuda:0 (19.50/22.00 GiB) on startup is less than desired GPU memory utilization (0.9, 19.80 GiB)\n";
    let report = only(Kind::Vllm, text);
    assert_eq!((report.refusal(), report.millionths(What::Utilization)), (Some(Refusal::Share), Some(900_000)));
}

/// vllm-project/vllm#39559, of 0.18.
#[test]
fn the_share_is_read_from_the_advice_of_vllm() {
    let text = "(EngineCore pid=7) INFO 04-13 19:51:24 [gpu_worker.py:470] To try it now, set VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS=1 and increase --gpu-memory-utilization from 0.8500 to 0.9125 to maintain the same effective KV cache size.\n";
    assert_told(Kind::Vllm, text, &["1: utilization 0.85"]);
}

/// SemiAnalysisAI/InferenceX#2128.
#[test]
fn sglang_says_that_weights_leave_nothing() {
    let text = "ValueError: Loaded weights leave no GPU memory for the KV cache under --mem-fraction-static=0.88. Raise --mem-fraction-static above 0.912 (minimum viable = 1 - available/pre = 0.9113).\n";
    assert_told(Kind::Sglang, text, &["1: utilization 0.88", "1: refusal static_share"]);
}

/// NVIDIA/TensorRT-LLM#5872 and #5950.
#[test]
fn tensorrt_llm_says_what_the_model_left() {
    let text = "RuntimeError: Executor creation failed due to insufficient GPU memory.\n\nThe following component could not be created: KV cache\nTotal GPU memory (GiB): 140.00\nFree GPU memory before component creation attempt (GiB): 108.00\n\nPreviously created components and free GPU memory before/after creation (GiB):\nModel: 139.00 / 110.50\nSampler: 110.50 / 110.50\n";
    let report = only(Kind::TensorRtLlm, text);
    assert_eq!(report.refusal(), Some(Refusal::CacheBuffer));
    assert_eq!(report.size(What::Free).unwrap().bytes, 108 << 30);
    assert_eq!(report.size(What::FreeAfterWeights).unwrap().bytes, 221 << 29);
}

/// atineiatte/deep-research-at-home#14: without a GPU all of it is the computer's memory.
#[test]
fn an_ollama_without_a_gpu_has_nothing_on_one() {
    let text = "time=2025-06-05T12:36:11.458Z level=INFO source=server.go:168 msg=offload library=cpu layers.requested=-1 layers.model=49 layers.offload=0 layers.split=\"\" memory.available=\"[30.0 GiB]\" memory.required.full=\"10.5 GiB\" memory.required.kv=\"1.5 GiB\" memory.required.allocations=\"[10.5 GiB]\" memory.weights.total=\"7.0 GiB\"\n";
    let report = only(Kind::Ollama, text);
    assert!(!report.has(What::Free) && !report.has(What::Placed), "{report:?}");
    assert_eq!(report.size(What::HostFree).unwrap().bytes, 30 << 30);
    assert!(report.all(What::HostFree).all(|fact| fact.device == Device::Host), "{report:?}");
    let on_gpu = text.replace("library=cpu", "library=cuda");
    assert_eq!(only(Kind::Ollama, &on_gpu).size(What::Free).unwrap().bytes, 30 << 30);
}

/// ollama/ollama#10417, wrapped by a terminal between words.
#[test]
fn a_runners_command_goes_on_to_the_end_of_its_quotes() {
    let text = "time=2025-04-30T00:04:08.750Z level=INFO source=server.go:405\n msg=\"starting llama server\" cmd=\"/usr/local/bin/ollama runner --ollama-engine --model /x/blobs/sha256-1f\n --ctx-size 6144 --batch-size 512 --n-gpu-layers 41\n --flash-attn --parallel 3 --port 42271\"\nother --ctx-size 5\n";
    let report = only(Kind::Ollama, text);
    let counts = [What::Context, What::GpuLayers, What::Parallel].map(|what| report.count(what));
    assert_eq!(counts, [Some(6_144), Some(41), Some(3)]);
}
