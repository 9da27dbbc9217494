//! Input that cannot be used: exit code 2, nothing on standard output, and one line that says what is expected.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod common;

use common::{Run, program, run, run_on, scratch};
use memory_wall_core::config::FAMILIES;
use memory_wall_core::{Optimizer, WeightFormat};

fn assert_refused(run: &Run, line: &str, what: &str) {
    assert_eq!(run.err, format!("memory-wall: {line}\n"), "{what}");
    assert_eq!((run.code, run.out.as_str()), (2, ""), "{what}");
}

/// Each run, and the line it must end with.
fn all_refused(cases: &[(&str, &str)]) {
    for (line, message) in cases {
        assert_refused(&run(line), message, line);
    }
}

#[test]
fn commands() {
    all_refused(&[
        (
            "",
            "a command is missing: estimate, solve, advise, compare, explain, roofline, export, import, accuracy, models, gpus or help",
        ),
        ("slove --for gpu", "there is no command \"slove\"; see memory-wall help"),
        ("advice", "there is no command \"advice\", did you mean advise?; see memory-wall help"),
        ("help estmate", "there is no command \"estmate\", did you mean estimate?; see memory-wall help"),
        ("estmate", "there is no command \"estmate\", did you mean estimate?; see memory-wall help"),
        ("frobnicate", "there is no command \"frobnicate\"; see memory-wall help"),
        ("--model llama-2-7b", "there is no command \"--model\"; see memory-wall help"),
        ("models extra", "models takes options only, not \"extra\"; see memory-wall help"),
        (
            "estimate --model llama-2-7b --engine vllm --enable-lora",
            "--enable-lora of vLLM is not modelled: vLLM keeps max_loras slots of max_lora_rank beside every matrix that an adapter may change, whether one is loaded or not: say --max-loras and --max-lora-rank",
        ),
        (
            "estimate --model llama-2-7b --engine vllm --speculative mtp",
            "--speculative mtp: the model brings no layers for guessing ahead (MTP) that are known: DeepSeek V3, GLM-4.5 to 4.7, Qwen3-Next and Qwen3.5 to 3.8 have them",
        ),
        (
            "estimate --model llama-2-7b --engine vllm --max-loras 2 --max-lora-rank 20",
            "--max-lora-rank 20: vLLM takes no max_lora_rank of 20: the next of 1, 8, 16, 32, 64, 128, 256, 320 and 512 holds it",
        ),
        (
            "estimate --model mixtral-8x7b --engine vllm --max-loras 2",
            "--max-loras 2: what vLLM's slots for adapters take beside experts, latent attention or states is not modelled: max_loras is known for dense models",
        ),
        (
            "estimate --model llama-2-7b --engine vllm --runner pooling",
            "--runner of vLLM is not modelled: a pooling model is loaded without its output head and profiled without a sampler, so that it takes less",
        ),
        (
            "estimate --model llama-3.1-8b --mode training --optimizer-in-bwd",
            "--optimizer-in-bwd of torchtune is not modelled: every matrix is updated within the backward pass and its gradient is freed, so that the run takes less than is counted without the option, by up to all gradients",
        ),
        (
            "estimate --model deepseek-v3 --mode training --implementation megatron --decoder-first-pipeline-num-layers 3",
            "--decoder-first-pipeline-num-layers of Megatron-LM is not modelled: stages then hold different numbers of layers, and the fullest decides: --pp N is counted where N divides the layers, and an N with as many layers a stage as the fullest one has bounds it",
        ),
        (
            "estimate --model llama-2-7b --engine vllm --enable-sleep-mode",
            "--enable-sleep-mode of vLLM is not modelled: weights and pool come from an allocator of their own, which gives them back",
        ),
        (
            "estimate --model llama-2-7b --engine vllm --kv-transfer-config={}",
            "--kv-transfer-config of vLLM is not modelled: a connector may register buffers of its own on the GPU",
        ),
        ("gpus --model t4", "gpus has no option \"--model\"; see memory-wall help"),
    ]);
}

#[test]
fn options() {
    all_refused(&[
        ("estimate", "a model is missing: --model ID (memory-wall models lists them), --config FILE or --plan FILE"),
        (
            "estimate --model llama-2-7b --config x.json",
            "--model and --config are both given: one of them names the model",
        ),
        ("estimate --model llama-2-7b --seq 1 --seq 2", "--seq is given twice"),
        ("estimate --model llama-2-7b --json --json", "--json is given twice"),
        ("estimate --model", "--model needs a value: an id that memory-wall models lists"),
        ("estimate --model --seq 5", "--model needs a value: an id that memory-wall models lists"),
        (
            "estimate --config",
            "--config needs a value: the path of a config.json, the JSON object itself, or - for standard input",
        ),
        ("estimate --model llama-2-7b --batch", "--batch needs a value: a whole number of sequences"),
        ("estimate --model llama-2-7b --json=yes", "--json takes no value"),
        (
            "estimate --model llama-2-7b --batchsize 4",
            "estimate has no option \"--batchsize\", did you mean --batch?; see memory-wall help",
        ),
        (
            "estimate --model llama-2-7b --tpu x",
            "estimate has no option \"--tpu\", did you mean --gpu or --tp?; see memory-wall help",
        ),
        ("estimate llama-2-7b", "estimate takes options only, not \"llama-2-7b\"; see memory-wall help"),
        (
            "estimate --model llama-2-7b --lora-dropout 0.05",
            "estimate takes options only, not \"0.05\" (--lora-dropout takes no value); see memory-wall help",
        ),
        ("estimate --model llama-2-7b --lora-dropout=0.05", "--lora-dropout takes no value"),
        ("estimate --model llama-2-7b --compile --compile", "--compile is given twice"),
        ("estimate --model llama-2-7b --dp", "--dp needs a value: a whole number of ranks"),
        (
            "estimate --model llama-2-7b --lora-targets",
            "--lora-targets needs a value: all, attention, or some of q, k, v, o, mlp and head, with commas between them",
        ),
        (
            "estimate --model llama-2-7b --max-num-seq 5",
            "estimate has no option \"--max-num-seq\", did you mean --max-num-seqs?; see memory-wall help",
        ),
        (
            "estimate --model llama-2-7b --chunked-loss --loss plain",
            "--chunked-loss and --loss plain contradict each other: one of them names the loss",
        ),
        ("estimate --model llama-2-7b --for gpu", "estimate has no option \"--for\"; see memory-wall help"),
    ]);
}

#[test]
fn names() {
    all_refused(&[
        (
            "estimate --model lama-2-7b",
            "--model \"lama-2-7b\" is not known, did you mean llama-2-7b or llama-2-70b?; memory-wall models lists all",
        ),
        (
            "estimate --model meta-llama/Llama-3.1-8B-Instruct-AWQ",
            "--model \"meta-llama/Llama-3.1-8B-Instruct-AWQ\" is not known, did you mean llama-3.1-8b?; memory-wall models lists all",
        ),
        ("estimate --model bert-base", "--model \"bert-base\" is not known; memory-wall models lists all"),
        ("estimate --model=", "--model \"\" is not known; memory-wall models lists all"),
        (
            "estimate --model llama-2-7b --gpu h100",
            "--gpu \"h100\" is not known, did you mean h100-sxm, h100-pcie or h100-nvl?; memory-wall gpus lists all",
        ),
        ("estimate --model llama-2-7b --gpu abacus", "--gpu \"abacus\" is not known; memory-wall gpus lists all"),
        ("estimate --model llama-2-7b --kv nf4", "--kv takes fp32, fp16, bf16, fp8, int8 or int4, not \"nf4\""),
        (
            "estimate --model llama-2-7b --mode train",
            "--mode takes inference, training, lora or qlora, not \"train\", did you mean training?",
        ),
        (
            "estimate --model llama-2-7b --checkpointing yes",
            "--checkpointing takes none, selective, per-op or full, not \"yes\"",
        ),
        (
            "estimate --model llama-2-7b --engine vlm",
            "--engine takes exact, hf, vllm, llamacpp, ollama, sglang or trtllm, not \"vlm\", did you mean vllm?",
        ),
        (
            "estimate --model llama-2-7b --recipe mixd",
            "--recipe takes mixed, mixed-fp32-grads, without-master, pure, fp32 or autocast, not \"mixd\", did you mean mixed?",
        ),
        ("estimate --model llama-2-7b --step slow", "--step takes fused or foreach, not \"slow\""),
        (
            "estimate --model llama-2-7b --implementation megatron-lm",
            "--implementation takes transformers, megatron, torchtitan or litgpt, not \"megatron-lm\", did you mean megatron?",
        ),
        (
            "estimate --model llama-2-7b --loss chunk",
            "--loss takes plain, chunked or compiled, not \"chunk\", did you mean chunked?",
        ),
        ("estimate --model llama-2-7b --zero 4", "--zero takes 0, 1, 2 or 3, not \"4\""),
        ("estimate --model llama-2-7b --attention sdpa", "--attention takes flash or eager, not \"sdpa\""),
        ("estimate --model llama-2-7b --unit MB", "--unit takes gb or gib, not \"MB\", did you mean gb?"),
        (
            "estimate --model llama-2-7b --engine transformers",
            "--engine takes exact, hf, vllm, llamacpp, ollama, sglang or trtllm, not \"transformers\", did you mean hf (Hugging Face transformers)?",
        ),
        (
            "estimate --model llama-2-7b --kv q8_0",
            "--kv takes fp32, fp16, bf16, fp8, int8 or int4, not \"q8_0\", did you mean int8 (8 bits a value; with --engine llamacpp the scales of q8_0 are counted too, half a bit)?",
        ),
        (
            "estimate --model llama_2_7",
            "--model \"llama_2_7\" is not known, did you mean llama-2-7b or llama-2-70b?; memory-wall models lists all",
        ),
        (
            "estimate --model llama-2-7b --mode training --weights int4",
            "--mode training: weights int4 cannot be trained, nor carry the adapters of mode lora: both need fp32, fp16 or bf16; \
             adapters beside quantised weights are mode qlora",
        ),
        (
            "estimate --model llama-2-7b --mode qlora --weights bf16",
            "--mode qlora: weights bf16 cannot be frozen: qlora takes int8, int4, int4-g32, nf4, nf4-dq; \
             adapters on 16-bit weights are mode lora",
        ),
        (
            "estimate --model llama-2-7b --mode qlora --weights fp8",
            "--mode qlora: weights fp8 cannot be frozen: qlora takes int8, int4, int4-g32, nf4, nf4-dq; \
             peft has no adapters beside these on GPUs",
        ),
        (
            "estimate --model gpt-oss-20b --mode qlora --weights mxfp4",
            "--mode qlora: weights mxfp4 cannot be frozen: qlora takes int8, int4, int4-g32, nf4, nf4-dq; \
             transformers does not train beside mxfp4 and unpacks such a checkpoint to bf16 (Mxfp4Config(dequantize=True)): \
             adapters on that are mode lora with bf16 weights",
        ),
        (
            "roofline --model llama-2-7b --mode qlora --weights q4_k --gpu l4",
            "--mode qlora: weights q4_k cannot be frozen: qlora takes int8, int4, int4-g32, nf4, nf4-dq; \
             peft has no adapters beside GGUF files, which transformers unpacks to 16 bits",
        ),
    ]);
}

/// Issue 18: what the programs themselves refuse was called a fit.
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

/// Words that come from the engine's own lists, which grow.
#[test]
fn names_of_the_engine() {
    let formats: Vec<&str> = WeightFormat::ALL.iter().map(|format| format.id()).collect();
    let optimizers: Vec<&str> = Optimizer::ALL.iter().map(|optimizer| optimizer.id()).collect();
    for (option, ids, value, hint) in [
        ("--weights", &formats, "bf15", ", did you mean bf16?"),
        ("--weights", &formats, "tf32", ""),
        ("--optimizer", &optimizers, "adamx", ", did you mean adamw?"),
        ("--optimizer", &optimizers, "sophia", ""),
    ] {
        let (last, rest) = ids.split_last().unwrap();
        let line = format!("{option} takes {} or {last}, not {value:?}{hint}", rest.join(", "));
        assert_refused(&run(&format!("estimate --model llama-2-7b {option} {value}")), &line, value);
    }
}

#[test]
fn lists() {
    let targets = "--lora-targets takes q, k, v, o, mlp, head, attention or all, several with commas between them, not";
    let offload = "--offload takes optimizer, parameters or kv, several with commas between them, not";
    for (option, line) in [
        ("--lora-targets q_proj,v_proj", format!("{targets} \"q_proj\", did you mean q?")),
        ("--lora-targets q,gate_proj", format!("{targets} \"gate_proj\", did you mean mlp?")),
        ("--lora-targets all-linear", format!("{targets} \"all-linear\", did you mean all?")),
        ("--lora-targets lm_head", format!("{targets} \"lm_head\", did you mean head?")),
        ("--lora-targets q,,v", format!("{targets} \"\"")),
        ("--lora-targets=", format!("{targets} \"\"")),
        ("--lora-targets x", format!("{targets} \"x\"")),
        ("--offload weights", format!("{offload} \"weights\", did you mean parameters?")),
        ("--offload kv,optimiser", format!("{offload} \"optimiser\", did you mean optimizer?")),
        ("--offload everything", format!("{offload} \"everything\"")),
    ] {
        assert_refused(&run(&format!("estimate --model llama-2-7b {option}")), &line, option);
    }
}

#[test]
fn shares_of_a_gpu() {
    let takes = "--gpu-memory-utilization takes percent of the GPU from 1 to 100 with up to two places, written as 90, 92.5% or 0.925, not";
    let outside = |value| format!("--gpu-memory-utilization {value} is outside 1% to 100% of the GPU");
    for (value, line) in [
        ("all", format!("{takes} \"all\"")),
        ("", format!("{takes} \"\"")),
        ("0.92555", format!("{takes} \"0.92555\"")),
        ("92.555", format!("{takes} \"92.555\"")),
        ("0.9%", outside("0.9%")),
        ("-0.9", format!("{takes} \"-0.9\"")),
        ("0", outside("0")),
        ("0.0", outside("0.0")),
        ("1.2", outside("1.2")),
        ("120%", outside("120%")),
        ("1", "--gpu-memory-utilization 1 can be 1% or all of the GPU: write 1% or 1.0".into()),
    ] {
        assert_refused(&run(&format!("estimate --model llama-2-7b --gpu-memory-utilization={value}")), &line, value);
    }
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
            "--pp 16: Megatron-LM by itself gives every pipeline stage the same number of layers, and 126 layers over 16 stages are not whole; its layouts and options for uneven stages are not modelled, did you mean 14 or 18?",
        ),
        (
            "estimate --model llama-2-7b --mode training --pp 8 --virtual-stages 3 --implementation megatron",
            "--pp 8: Megatron-LM by itself gives every pipeline stage the same number of layers, and 32 layers over 24 stages are not whole; its layouts and options for uneven stages are not modelled; --implementation torchtitan gives stages different numbers of layers",
        ),
        (
            "estimate --model deepseek-v3 --mode training --dp 128 --pp 16 --ep 64 --implementation megatron",
            "--pp 16: Megatron-LM by itself gives every pipeline stage the same number of layers, and 61 layers over 16 stages are not whole; its layouts and options for uneven stages are not modelled; --implementation torchtitan gives stages different numbers of layers",
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
            "--implementation torchtitan --optimizer lion",
            "--optimizer lion: torchtitan has the optimizers adamw and muon",
        ),
        ("--implementation megatron --compile", "--compile: Megatron-LM compiles single kernels and not the model"),
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

#[test]
fn questions() {
    all_refused(&[
        (
            "solve --model llama-2-7b --gpu t4",
            "a question is missing: --for context, batch, gpus, gpu, model, weights, ngl or n-cpu-moe",
        ),
        (
            "solve --for card --model llama-2-7b",
            "--for takes context, batch, gpus, gpu, model, weights, ngl or n-cpu-moe, not \"card\"",
        ),
        (
            "solve --for model --model llama-2-7b",
            "a GPU is missing: solve --for model needs --gpu ID (memory-wall gpus lists them)",
        ),
        (
            "solve --for context --model llama-2-7b",
            "a GPU is missing: solve --for context needs --gpu ID (memory-wall gpus lists them)",
        ),
        (
            "solve --for context --gpu t4",
            "a model is missing: --model ID (memory-wall models lists them), --config FILE or --plan FILE",
        ),
        (
            "advise --gpu t4",
            "a model is missing: --model ID (memory-wall models lists them), --config FILE or --plan FILE",
        ),
        ("advise --model llama-2-7b --for gpu", "advise has no option \"--for\"; see memory-wall help"),
        (
            "solve --for model --mode training --weights int4 --gpu t4",
            "--mode training: weights int4 cannot be trained, nor carry the adapters of mode lora: both need fp32, fp16 or bf16; \
             adapters beside quantised weights are mode qlora",
        ),
    ]);
}

#[test]
fn folders_of_measured_rows() {
    all_refused(&[
        ("accuracy --data", "--data needs a value: the path of a folder with measured rows"),
        ("accuracy --data missing", "--data: missing is not a folder"),
        ("accuracy --data gpt2-xl.json", "--data: gpt2-xl.json is not a folder"),
        ("accuracy --model llama-2-7b", "accuracy has no option \"--model\"; see memory-wall help"),
        ("accuracy --rows=all", "--rows takes no value"),
    ]);
    // The published configs are no measured rows.
    let nothing = run("accuracy --data .");
    assert_eq!((nothing.code, nothing.out.as_str()), (2, ""));
    assert!(nothing.err.starts_with("memory-wall: --data: . holds none of "), "{}", nothing.err);
}

#[test]
fn numbers() {
    for value in [
        "1e99", "-1", "+1", "NaN", "inf", "1.5", "0x10", "128,00", "128.000", "1,5k", "k", "2^", "_1", "1_", "1__0",
        "", "٣", "one",
    ] {
        let result: Run =
            program().args(["estimate", "--model", "llama-2-7b", "--seq", value]).output().unwrap().into();
        let line = format!(
            "--seq takes a whole number of tokens from 1 to 10,000,000, written as 10000000, 10,000,000, 10_000_000 \
             or with k for 1,024 and M for 1,048,576, not {value:?}"
        );
        assert_refused(&result, &line, value);
    }
    for value in ["0", "00", "10000001", "2^64", "18446744073709551616", "999999999999999999999999999999"] {
        let line = format!("--seq {value} is outside 1 to 10,000,000 tokens");
        assert_refused(&run(&format!("estimate --model llama-2-7b --seq {value}")), &line, value);
    }
    all_refused(&[
        ("estimate --model llama-2-7b --seq 10M", "--seq 10M = 10,485,760 is outside 1 to 10,000,000 tokens"),
        ("estimate --model llama-2-7b --batch 0", "--batch 0 is outside 1 to 1,000,000 sequences"),
        (
            "estimate --model llama-2-7b --batch -1",
            "--batch takes a whole number of sequences from 1 to 1,000,000, written as 1000000, 1,000,000, 1_000_000 \
             or with k for 1,024 and M for 1,048,576, not \"-1\"",
        ),
    ]);
    for (values, read) in [
        (["128000", "128_000", "128,000", "1_2_8_0_0_0", "0128000"].as_slice(), "128,000"),
        (["32k", "32K", "32Ki", "32768", "32,768", "32_768", "2^15", "0.03125M"].as_slice(), "32,768"),
        (["128k"].as_slice(), "131,072"),
    ] {
        for value in values {
            let out = run(&format!("estimate --model llama-2-7b --seq={value}")).out;
            assert!(out.contains(&format!("seq_length {read},")), "{value}: {out}");
        }
    }
}

#[test]
fn a_long_value_is_not_repeated_in_full() {
    let result = run(&format!("estimate --model {}", "x".repeat(100_000)));
    let line = format!("--model \"{}...\" is not known; memory-wall models lists all", "x".repeat(60));
    assert_refused(&result, &line, "long");
}

#[cfg(unix)]
#[test]
fn words_that_are_not_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let odd = OsStr::from_bytes(b"\xff");
    for (words, line) in [
        (
            [OsStr::new("estimate"), OsStr::new("--model"), odd],
            "--model \"\u{fffd}\" is not known; memory-wall models lists all",
        ),
        ([OsStr::new("estimate"), OsStr::new("--config"), odd], "--config \"\u{fffd}\" does not exist"),
        ([OsStr::new("estimate"), odd, odd], "estimate takes options only, not \"\u{fffd}\"; see memory-wall help"),
    ] {
        let result: Run = program().args(words).output().unwrap().into();
        assert_refused(&result, line, line);
    }
}

#[test]
fn config_files() {
    all_refused(&[
        ("estimate --config missing.json", "--config \"missing.json\" does not exist"),
        ("estimate --config .", "--config \".\" is a directory, not a config.json"),
    ]);
    let large = scratch("large.json", &vec![b' '; (1 << 20) + 1]);
    let path = large.to_str().unwrap();
    assert_refused(
        &run(&format!("estimate --config {path}")),
        &format!("--config {} is larger than 1 MiB, which no config.json is", quoted(path)),
        "large",
    );
    #[cfg(unix)]
    assert_refused(
        &run("estimate --config /dev/zero"),
        "--config \"/dev/zero\" is larger than 1 MiB, which no config.json is",
        "endless",
    );
}

/// As the program quotes: at most sixty letters.
fn quoted(words: &str) -> String {
    let start: String = words.chars().take(60).collect();
    if start == words { format!("{words:?}") } else { format!("{:?}", format!("{start}...")) }
}

#[test]
fn config_contents() {
    let nested = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let spaces = " ".repeat((1 << 20) + 1);
    let family = "m".repeat(1_000);
    for (content, line) in [
        (&b""[..], "cannot be read as a JSON object: EOF while parsing a value at line 1 column 0"),
        (b"{", "cannot be read as a JSON object: EOF while parsing an object at line 1 column 1"),
        (b"model_type: llama", "cannot be read as a JSON object: expected value at line 1 column 1"),
        (b"[1]", "cannot be read as a JSON object: invalid type: sequence, expected a map at line 1 column 0"),
        (b"{\"hidden_size\": NaN}", "cannot be read as a JSON object: expected value at line 1 column 17"),
        (b"{\"a\": \"\xff\"}", "is not UTF-8 text, from byte 7 on"),
        (nested.as_bytes(), "cannot be read as a JSON object: recursion limit exceeded at line 1 column 132"),
        (spaces.as_bytes(), "is larger than 1 MiB, which no config.json is"),
    ] {
        assert_refused(&run_on("estimate --config -", content), &format!("--config \"-\" {line}"), line);
    }
    let unknown = format!(
        "model_type \"mamba\" is not supported; supported are {}; understood of its fields, but not used: hidden_size, vocab_size",
        FAMILIES.join(", ")
    );
    for (content, line) in [
        ("{}", "the config has no model_type, so its family is not known"),
        ("{\"model_type\":\"mamba\",\"hidden_size\":4096,\"vocab_size\":50280}", unknown.as_str()),
        ("{\"model_type\":\"llama\"}", "the config has no num_attention_heads"),
        (
            "{\"model_type\":\"llama\",\"num_attention_heads\":99999999999999999999999999999999}",
            "num_attention_heads in the config is a number that is not whole and positive, not a whole number",
        ),
    ] {
        assert_refused(&run_on("estimate --config -", content.as_bytes()), &format!("--config \"-\": {line}"), line);
    }
    let odd = run_on("estimate --config -", format!("{{\"model_type\":\"{family}\"}}").as_bytes());
    assert_eq!((odd.code, odd.err.lines().count()), (2, 1));
    assert!(odd.err.len() < 900);
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
