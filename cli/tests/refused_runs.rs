//! Runs that no program would start: exit code 2, nothing on standard output, and one line that says why.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod common;

use common::{all_refused, assert_refused, run};

/// What the programs themselves refuse was called a fit.
#[test]
fn what_a_program_does_not_start_with() {
    all_refused(&[
        (
            "estimate --model llama-3.1-8b --engine llamacpp --weights q4_k --kv int8 --attention eager --gpu rtx4090",
            "--kv int8: llama.cpp refuses a V cache in int8 without flash attention (\"V cache quantization requires flash_attn\"): use attention flash or a cache in 16 bits",
        ),
        (
            "estimate --model llama-3.1-8b --engine vllm --kv fp32 --gpu h100-sxm",
            "--kv fp32: vLLM has no KV cache in fp32 beside narrower weights: it keeps one in the precision in which it computes, or in fp8",
        ),
        (
            "estimate --model llama-3.1-8b --engine vllm --kv int8 --gpu h100-sxm",
            "--kv int8: vLLM's int8_per_token_head, a KV cache in int8 of newer releases with a scale for each token and head, is not modelled: use 16 bits or fp8",
        ),
        (
            "estimate --model llama-3.1-8b --engine vllm --attention eager --gpu h100-sxm",
            "--attention eager: vLLM never writes the attention scores: its kernels fuse them, which is attention flash",
        ),
        (
            "estimate --model llama-3.1-8b --engine hf --weights mxfp4 --gpu h100-sxm",
            "--weights mxfp4: transformers runs mxfp4 for the experts of a mixture alone (gpt-oss), and this model has none: use nf4 or int4",
        ),
        (
            "estimate --model gpt2-small --engine hf --seq 2048",
            "--seq 2048: 2,048 tokens are more than the 1,024 positions of the model's learned table: no program reads a longer sequence",
        ),
        (
            "estimate --model gpt2-small --mode training --seq 2048",
            "--seq 2048: 2,048 tokens are more than the 1,024 positions of the model's learned table: no program reads a longer sequence",
        ),
        (
            "estimate --model llama-2-7b --weights int4 --engine vllm --tp 4",
            "--tp 4: vLLM refuses int4 weights whose part on a rank is no multiple of 128, the group that shares a scale: intermediate_size 11,008 over 4 ranks is 2,752, which groups of 32 divide (int4-g32), did you mean --tp 2?",
        ),
        (
            "estimate --model llama-3.1-8b --mode qlora --offload parameters",
            "--offload: accelerate does not train a model that was loaded in 8 or 4 bits with parts of it in host memory: FSDP and DeepSpeed's ZeRO-3 (zero 3) fetch such weights, a single GPU's trainer does not",
        ),
    ]);
}

#[test]
fn cuts() {
    all_refused(&[
        ("estimate --model llama-2-7b --tp 3", "--tp 3 does not divide heads 32, did you mean 2 or 4?"),
        (
            "estimate --model llama-2-7b --mode training --implementation torchtitan --pp 4",
            "--micro-batches 1: torchtitan starts a pipeline with at least as many micro-batches as stages (\"Number of microbatches (1) must be greater than or equal to the number of stages (4)\"), did you mean --micro-batches 4?",
        ),
        (
            "estimate --model llama-3.1-8b --mode training --implementation megatron --checkpointing per-op",
            "--checkpointing per-op: Megatron-LM does not choose by operation what it recomputes: torchtitan and transformers do",
        ),
        (
            "estimate --model llama-3.1-8b --mode training --implementation megatron --checkpointing selective --recompute-modules mla_up_proj,mlp",
            "--recompute-modules mla_up_proj: Megatron-LM recomputes mla_up_proj, the up projections of latent attention, in models that have it",
        ),
        (
            "estimate --model llama-3.1-8b --mode training --implementation megatron --checkpointing selective --recompute-modules moe",
            "--recompute-modules moe: Megatron-LM recomputes that in models with experts, and this one is dense",
        ),
        (
            "estimate --model llama-3.1-8b --mode training --checkpointing selective --recompute-modules mlp",
            "--recompute-modules mlp: Hugging Face transformers recomputes no parts of a layer by name: --recompute-modules is for Megatron-LM",
        ),
        (
            "estimate --model deepseek-v3 --mode training --implementation torchtitan --pp 16 --dp 128 --ep 64 --zero 1 --micro-batches 16",
            "--zero 1: torchtitan shards weights, gradients and states together (--zero 3), or nothing",
        ),
        (
            "export --to torchtitan --model llama-3.1-8b --mode training --weights fp16",
            "--to torchtitan: torchtitan computes in bf16 or fp32, not in fp16",
        ),
        (
            "estimate --model mixtral-8x7b --mode training --implementation megatron --tp 2",
            "--tp 2: Megatron-LM refuses to train a mixture of experts with tensor parallelism and without sequence parallelism: add --sequence-parallel",
        ),
        (
            "estimate --model llama-3.1-8b --mode training --implementation megatron --cp 4 --seq 8190",
            "--seq 8190: Megatron-LM cuts a sequence into equal parts: 8,190 tokens are no multiple of 8, did you mean --seq 8184?",
        ),
        (
            "estimate --model llama-3.1-8b --engine hf --tp 16",
            "--tp 16: transformers gives every tensor-parallel rank as many whole KV heads, and 16 ranks do not divide 8 KV heads, did you mean 8?",
        ),
        (
            "estimate --model deepseek-v3 --engine llamacpp --weights q4_k --tp 2",
            "--tp 2: llama.cpp cuts no matrices of this model over GPUs (\"LLAMA_SPLIT_MODE_TENSOR not implemented for architecture\"): it cuts the model by layers, which is pp",
        ),
        ("estimate --model gpt2-small --tp 2", "--tp 2 does not divide vocab_size 50,257, did you mean 1?"),
        (
            "estimate --model llama-2-7b --dp 8 --zero 3 --shard 3",
            "--shard 3 does not divide dp 8, did you mean 2 or 4?",
        ),
        ("estimate --model mixtral-8x7b --dp 3 --ep 3", "--ep 3 does not divide experts 8, did you mean 1?"),
        (
            "estimate --model qwen3-30b-a3b --mode training --implementation megatron --tp 4 --sequence-parallel --ep 8",
            "--ep 8 does not divide tp x cp x dp 4, did you mean 4?",
        ),
        ("estimate --model llama-2-7b --dp 2 --ep 2", "--ep needs a mixture of experts, and this model is dense"),
        ("estimate --model llama-2-7b --pp 64", "--pp 64: 64 pipeline stages are more than the 32 layers of the model"),
        (
            "estimate --model llama-2-7b --pp 16 --virtual-stages 4",
            "--pp 16: 64 pipeline stages are more than the 32 layers of the model",
        ),
        (
            "estimate --model llama-2-7b --mode training --pp 4",
            "--pp 4: Hugging Face transformers trains without a pipeline schedule; megatron and torchtitan have one, and ZeRO-3 shards the weights of all layers without one",
        ),
        (
            "estimate --model llama-2-7b --mode lora --pp 4 --implementation litgpt",
            "--pp 4: LitGPT trains without a pipeline schedule; megatron and torchtitan have one, and ZeRO-3 shards the weights of all layers without one",
        ),
        (
            "estimate --model llama-2-7b --mode training --tp 4 --implementation litgpt",
            "--implementation litgpt: tp 4 is not for LitGPT, which trains with data parallelism and sharding (FSDP) alone; megatron and torchtitan cut layers and sequences too",
        ),
        (
            "estimate --model llama-3.1-405b --mode training --tp 8 --pp 16 --implementation megatron",
            "--pp 16: Megatron-LM gives stages the same number of layers unless it is told otherwise (--pipeline-model-parallel-layout, --decoder-first-pipeline-num-layers and their like), and 126 layers over 16 stages are not whole: add --pipeline-model-parallel-layout \"Et*7|(t*8|)*14t*7L\", did you mean 14 or 18?",
        ),
        (
            "estimate --model llama-2-7b --mode training --pp 8 --virtual-stages 3 --implementation megatron",
            "--pp 8: Megatron-LM gives stages the same number of layers unless it is told otherwise (--pipeline-model-parallel-layout, --decoder-first-pipeline-num-layers and their like), and 32 layers over 24 stages are not whole",
        ),
        (
            "estimate --model deepseek-v3 --mode training --dp 128 --pp 16 --ep 64 --implementation megatron",
            "--pp 16: Megatron-LM gives stages the same number of layers unless it is told otherwise (--pipeline-model-parallel-layout, --decoder-first-pipeline-num-layers and their like), and 61 layers over 16 stages are not whole: add --pipeline-model-parallel-layout \"Et*3|t*3|(t*4|)*13t*3L\"",
        ),
        (
            "estimate --model deepseek-v3 --mode training --implementation megatron --decoder-first-pipeline-num-layers 3",
            "--pp 1: layers are spread over a pipeline of two stages or more, and there is one stage: --decoder-first-pipeline-num-layers 3 needs more",
        ),
        (
            "estimate --model deepseek-v3 --mode training --pp 8 --implementation megatron --decoder-first-pipeline-num-layers 4 --account-for-loss-in-pipeline-split",
            "--decoder-first-pipeline-num-layers 4: Megatron-LM takes one of three: layers of the first and last stage, tables that count as layers, or a layout",
        ),
        (
            "estimate --model llama-3.1-8b --mode training --pp 8 --implementation megatron --pipeline-model-parallel-layout Et|(tt|)*30mL",
            "--pipeline-model-parallel-layout \"Et|(tt|)*30mL\": the layout is for 61 layers, and the model has 32",
        ),
        (
            "estimate --model deepseek-v3 --mode training --pp 7 --implementation megatron --pipeline-model-parallel-layout Et|(tt|)*30mL",
            "--pipeline-model-parallel-layout \"Et|(tt|)*30mL\": the layout has 32 stages, and the pipeline 7 with 1 chunks each",
        ),
        (
            "estimate --model deepseek-v3 --mode training --pp 8 --implementation megatron --pipeline-model-parallel-layout Et|x",
            "--pipeline-model-parallel-layout \"Et|x\" has 'x', and a layout has E (embedding), t (a layer), m (an MTP layer), L (loss) and | between stages",
        ),
        (
            "estimate --model llama-3.1-8b --mode training --pp 2 --implementation torchtitan --micro-batches 2 --decoder-last-pipeline-num-layers 14",
            "--decoder-last-pipeline-num-layers 14: torchtitan spreads layers over stages by a rule of its own: --pipeline-model-parallel-layout and its like are for Megatron-LM",
        ),
        (
            "estimate --model llama-2-7b --mode training --pp 4 --dp 8 --zero 3 --implementation megatron",
            "--zero 3: ZeRO-3 beside a pipeline is not modelled for Megatron-LM: DeepSpeed and its FSDP2 option refuse it, and its own FSDP has other buffers; ZeRO-1 goes with a pipeline, and torchtitan runs both",
        ),
        ("estimate --model llama-2-7b --tp 0", "--tp 0 is outside 1 to 4,096 ranks"),
        ("estimate --model llama-2-7b --dp 2M", "--dp 2M = 2,097,152 is outside 1 to 1,000,000 ranks"),
        ("estimate --model llama-2-7b --micro-batches 0", "--micro-batches 0 is outside 1 to 1,000,000"),
        ("estimate --model llama-2-7b --lora-rank 70000", "--lora-rank 70000 is outside 1 to 65,536"),
        (
            "estimate --model llama-2-7b --lora-rank half",
            "--lora-rank takes a whole number from 1 to 65,536, written as 65536, 65,536, 65_536 or with k for 1,024 and M for 1,048,576, not \"half\"",
        ),
    ]);
}

#[test]
fn what_training_code_does_not_have() {
    let line = |options: &str| format!("estimate --model llama-2-7b --mode training {options}");
    for (options, message) in [
        (
            "--implementation megatron --virtual-stages 2 --micro-batches 8",
            "--virtual-stages 2: 2 chunks of layers take turns in a pipeline of two stages or more, and there is one stage",
        ),
        (
            "--implementation megatron --pp 4 --virtual-stages 2 --micro-batches 6",
            "--micro-batches 6: Megatron-LM passes micro-batches through interleaved stages in equal rounds: 6 are no multiple of 4",
        ),
        (
            "--implementation megatron --pp 4 --pipeline-schedule dualpipe --micro-batches 6",
            "--micro-batches 6: DualPipe takes an even number of micro-batches, at least 8 for 4 stages",
        ),
        (
            "--implementation megatron --pp 4 --pipeline-schedule dualpipev --micro-batches 6",
            "--micro-batches 6: DualPipeV takes at least 8 micro-batches for 4 ranks",
        ),
        (
            "--implementation megatron --pp 2 --pipeline-schedule dualpipev --virtual-stages 4 --micro-batches 8",
            "--virtual-stages 4: DualPipeV takes two chunks of layers on each rank, not 4",
        ),
        (
            "--implementation megatron --pipeline-schedule dualpipe --micro-batches 8",
            "--pp 1: DualPipe takes an even number of stages, not 1",
        ),
        (
            "--implementation megatron --pp 4 --pipeline-schedule dualpipev --micro-batches 8 --decoder-first-pipeline-num-layers 8",
            "--decoder-first-pipeline-num-layers 8: DualPipeV has the first and the last stage on one rank, and --pipeline-model-parallel-layout says how many layers each has",
        ),
        (
            "--implementation torchtitan --pp 4 --pipeline-schedule dualpipev --micro-batches 8",
            "--pipeline-schedule dualpipev: torchtitan has PyTorch's DualPipeV, whose backward pass in two parts keeps tensors that are not modelled: 1f1b is",
        ),
        (
            "--implementation torchtitan --pp 4 --pipeline-schedule dualpipe --micro-batches 8",
            "--pipeline-schedule dualpipe: torchtitan has no such schedule of a pipeline: DualPipe is DeepSeek's, and counted with the kernels of megatron",
        ),
        (
            "--implementation torchtitan --optimizer lion",
            "--optimizer lion: torchtitan has the optimizers adamw and muon",
        ),
        ("--implementation megatron --compile", "--compile: Megatron-LM compiles single kernels and not the model"),
        (
            "--fp8-recipe delayed",
            "--fp8-recipe delayed: fp8 training is modelled for Megatron-LM (Transformer Engine) and torchtitan (torchao): accelerate's and DeepSpeed's ways to it are not",
        ),
        (
            "--implementation megatron --dp 8 --fp8-recipe delayed --fp8-param-gather",
            "--fp8-param-gather: Megatron-LM has weights in fp8 with its distributed optimizer alone (--zero 1)",
        ),
        (
            "--implementation megatron --moments bf16 --optimizer lion",
            "--moments bf16: Megatron-LM keeps moments in fewer bits for AdamW, with the recipe mixed or mixed-fp32-grads; for other code --optimizer adamw8bit has 8 bits",
        ),
        (
            "--implementation torchtitan --tp 2 --async-tp",
            "--async-tp: torchtitan overlaps tensor parallelism by torch.compile alone (--compile)",
        ),
        (
            "--dp 8 --zero 3 --no-reshard-after-forward",
            "--no-reshard-after-forward: Hugging Face transformers is modelled with weights that are given back after the forward pass: torchtitan alone is modelled both ways",
        ),
        (
            "--implementation litgpt --loss chunked",
            "--loss chunked: LitGPT has one loss, which is counted as it is: chunks of 128 tokens, without a fused kernel (--loss plain)",
        ),
        (
            "--mode lora --implementation megatron",
            "--mode lora: Megatron-LM trains all parameters: adapters beside a Megatron model are those of Megatron Bridge, which is not modelled",
        ),
    ] {
        let line = line(options).replace("--mode training --mode", "--mode");
        assert_refused(&run(&line), message, &line);
    }
}

#[test]
fn what_a_runtime_does_not_cut() {
    all_refused(&[
        (
            "estimate --model llama-3.1-70b --engine llamacpp --weights q4_k --gpu m3max --tp 2",
            "--gpu m3max: Apple M3 Max (40-core GPU) is the only GPU of its computer, and no program that is modelled here runs a model over several such computers",
        ),
        (
            "estimate --model mixtral-8x7b --engine llamacpp --weights q4_k --gpu rtx4090 --dp 2 --ep 2",
            "--ep 2: llama.cpp spreads no experts over GPUs: it cuts a model by layers (pp) or cuts each matrix (tp); ep is for training and for vLLM",
        ),
        (
            "estimate --model gpt-oss-20b --engine vllm --engine-version 0.19 --weights mxfp4 --gpu rx7900xtx",
            "--weights mxfp4: vLLM has no kernels for mxfp4 weights on Radeon RX 7900 XTX",
        ),
    ]);
}

/// What is assumed of a GPU is said in every mode and program alike.
#[test]
fn old_gpus_and_metal_are_told_alike() {
    let flat = |line: &str| run(&format!("estimate {line}")).out.split_whitespace().collect::<Vec<_>>().join(" ");
    let old =
        "This GPU has no bf16: 16-bit values are fp16. FlashAttention's own kernels begin with compute capability 8.0";
    let plain = "This GPU has no bf16: 16-bit values are fp16.";
    for options in [
        "",
        "--engine hf",
        "--engine vllm",
        "--engine llamacpp --weights q4_k",
        "--weights int4",
        "--mode training",
        "--mode lora",
        "--mode qlora",
    ] {
        for (gpu, here) in [("t4", true), ("l4", false)] {
            let text = flat(&format!("--model llama-3.2-1b --gpu {gpu} {options}"));
            assert_eq!(text.contains(old), here, "{gpu} {options}: {text}");
        }
    }
    let eager = flat("--model llama-3.2-1b --gpu t4 --attention eager");
    assert!(eager.contains(plain) && !eager.contains(old), "{eager}");
    let metal = |options: &str| {
        flat(&format!("--model llama-3.2-1b {options}")).contains("bitsandbytes runs on Apple's GPUs since 0.50")
    };
    assert!(metal("--mode qlora --gpu m4max") && metal("--engine hf --weights nf4 --gpu m4max"));
    assert!(!metal("--mode lora --gpu m4max") && !metal("--mode qlora --gpu l4"));
    let apple = flat("--model llama-3.2-1b --gpu m4max");
    assert!(
        apple.contains("of the computer's memory, which has 128 GB")
            && apple.contains("by itself of the computer's 128 GB"),
        "{apple}"
    );
    let help = run("help").out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        help.contains("bitsandbytes leaves them in 16 bits") && help.contains("peft then upcasts them to fp32"),
        "{help}"
    );
}
