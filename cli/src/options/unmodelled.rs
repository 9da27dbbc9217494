//! Options of vLLM that change what it takes of a GPU and are not modelled: they are refused with what they do, not as a misspelling.

/// The options, with what they change.
///
/// # Source
/// vLLM 0.27.1: `lora/layers` (stacked slots of every layer), `device_allocator/cumem.py`, `distributed/kv_transfer`, `EngineArgs`,
/// `gpu_worker.determine_available_memory`. Read 2026-11-24.
const OPTIONS: &[(&[&str], &str)] = &[
    (
        &["--enable-lora", "--lora-modules", "--max-cpu-loras"],
        "vLLM keeps max_loras slots of max_lora_rank beside every matrix that an adapter may change, whether one is loaded or not: say --max-loras and --max-lora-rank",
    ),
    (
        &["--runner", "--task", "--convert"],
        "a pooling model is loaded without its output head and profiled without a sampler, so that it takes less",
    ),
    (
        &["--speculative-config", "--speculative-model"],
        "a draft has weights, a cache and CUDA graphs of its own: say --speculative and --num-speculative-tokens, and --draft or --draft-config",
    ),
    (&["--enable-sleep-mode"], "weights and pool come from an allocator of their own, which gives them back"),
    (
        &["--kv-transfer-config", "--kv-offloading-size", "--kv-offloading-backend"],
        "a connector may register buffers of its own on the GPU",
    ),
    (&["--cpu-offload-gb"], "a part of the weights waits in host memory"),
    (
        &["--kv-cache-memory-bytes", "--kv-cache-memory", "--num-gpu-blocks-override"],
        "it sets the size of the pool by hand, whatever the share leaves",
    ),
];

/// What an option of vLLM that is not modelled changes, if it is one.
pub(super) fn reason(word: &str) -> Option<&'static str> {
    OPTIONS.iter().find(|(names, _)| names.contains(&word)).map(|(_, reason)| *reason)
}
