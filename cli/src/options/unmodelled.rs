//! Options of vLLM and of training code that change what it takes of a GPU and are not modelled: they are refused with what they do, not as a misspelling.

/// Options of vLLM, with what they change.
///
/// # Source
/// vLLM 0.27.1: `lora/layers` (stacked slots of every layer), `device_allocator/cumem.py`, `distributed/kv_transfer`, `EngineArgs`,
/// `gpu_worker.determine_available_memory`. Read 2026-11-24.
const OF_VLLM: &[(&[&str], &str)] = &[
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

/// Options of training code, with whose they are.
///
/// # Source
/// torchtune, `recipes/full_finetune_single_device.py` (`optimizer_in_bwd`). TRL at f2cd577, `grpo_config.py`. verl at b178a3c,
/// `docs/perf/perf_tuning.rst`. Read 2026-11-26. DeepSeek's `DualPipe`, `README.md` (parameters of a device: 2×), Megatron-LM,
/// `arguments.py` and `transformer_config.py`, torchtitan, `job_config.py` (`pipeline_parallel_schedule`). Read 2026-11-27.
const OF_TRAINERS: &[(&str, &[&str], &str)] = &[
    (
        "torchtune",
        &["--optimizer-in-bwd", "--optimizer_in_bwd", "--optimizer-in-backward"],
        "every matrix is updated within the backward pass and its gradient is freed, so that the run takes less than is counted without the option, by up to all gradients",
    ),
    (
        "TRL",
        &["--beta"],
        "it weights the KL penalty, and any value above 0 needs a reference model: say --reference resident",
    ),
    (
        "TRL",
        &["--num-labels"],
        "a reward head has a few outputs in place of the vocabulary's, so that there are no logits to speak of: what a run takes is below what is counted with the output head",
    ),
    (
        "TRL",
        &["--reward-model", "--reward-model-path"],
        "a reward model stays on the GPU beside the policy, and its weights and what it computes come on top of what is counted",
    ),
    (
        "Transformer Engine, torchao and Megatron-LM",
        &["--fp8", "--fp8-format", "--enable-fp8", "--float8"],
        "it is the scales that decide what is kept in 8 bits: say --fp8-recipe, and --fp8-param-gather where the weights are",
    ),
    (
        "Megatron-LM",
        &["--exp-avg-dtype", "--exp-avg-sq-dtype", "--use-precision-aware-optimizer"],
        "both moments in 16 or 8 bits are --moments bf16 or fp8",
    ),
    (
        "Megatron-LM",
        &["--fp8-dot-product-attention", "--fp8-multi-head-attention", "--fp8-output-proj"],
        "which products are in fp8 is counted as without it: matrices of all layers, and not attention and the output head",
    ),
    (
        "Megatron-LM",
        &["--first-last-layers-bf16"],
        "matrices of all layers are counted in fp8: those of the first and the last in bf16 save more activations than counted",
    ),
    (
        "Megatron-LM",
        &["--fp4", "--fp4-format", "--fp4-recipe", "--fp4-param-gather"],
        "matrices are multiplied in 4 bits and their inputs saved so, which takes no more than is counted with --fp8-recipe mxfp8",
    ),
    (
        "DeepSeek and others",
        &["--ema", "--use-ema", "--ema-decay"],
        "an average of the parameters takes as many bytes as they have on the GPU, and none where it is kept and updated in host memory, as for DeepSeek-V3",
    ),
    (
        "DeepSeek",
        &["--dualpipe", "--dualpipev", "--use-dualpipe", "--use-dualpipev"],
        "DualPipe and the half of it are --pipeline-schedule dualpipe and dualpipev",
    ),
    (
        "torchtitan",
        &["--pipeline-parallel-schedule", "--pp-schedule"],
        "1F1B is what is counted, and --virtual-stages interleaves it; GPipe holds every micro-batch, and zero-bubble schedules hold gradients of weights back",
    ),
    ("TRL", &["--use-vllm"], "with --rl grpo vLLM generates: --vllm-mode says where"),
    ("TRL", &["--use-liger-kernel"], "with --rl grpo --loss chunked is Liger's loss"),
    ("TRL", &["--cast-lm-head-to-fp32"], "the output head becomes fp32, and so do all logits"),
    (
        "TRL",
        &["--use-transformers-continuous-batching"],
        "transformers generates with a cache of its own in the trainer's process",
    ),
    (
        "verl",
        &["--param-offload", "--optimizer-offload"],
        "the trainer's weights and states go to host memory while completions are generated, so that the run takes less than is counted without it",
    ),
];

/// Whose option a word is, and what it changes, if it is one that is not modelled.
pub(super) fn reason(word: &str) -> Option<(&'static str, &'static str)> {
    let of_vllm = OF_VLLM.iter().map(|(names, reason)| ("vLLM", names, reason));
    let all = of_vllm.chain(OF_TRAINERS.iter().map(|(program, names, reason)| (*program, names, reason)));
    all.into_iter().find(|(_, names, _)| names.contains(&word)).map(|(program, _, reason)| (program, *reason))
}
