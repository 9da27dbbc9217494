//! Imports: what is exported is read back, files as people write them are understood line by line, and hostile texts are answered in words.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

#[path = "common/hostile.rs"]
mod hostile;

use memory_wall_core::evaluate::verdict;
use memory_wall_plan::export::{Target, export};
use memory_wall_plan::import::{Import, import};
use memory_wall_plan::{Plan, Value, file};
use proptest::prelude::*;

fn plan(options: &str) -> Plan {
    file::read(&format!("{{\"version\": 1, {options}}}")).unwrap().remove(0)
}

/// What a plan says, in the form of a plan file.
fn said(import: &Import) -> String {
    let said = import.plan.said().map(|(option, value)| format!("{} {value}", option.name));
    said.collect::<Vec<_>>().join("; ")
}

fn not_understood(import: &Import) -> Vec<String> {
    import.not_understood().map(ToString::to_string).collect()
}

/// What a target can express comes back with the same value, and nothing else comes with it.
#[test]
fn what_is_exported_is_read_back() {
    let serving = "\"model\": \"llama-3.1-8b\", \"seq\": 8192";
    let training =
        "\"mode\": \"training\", \"model\": \"llama-3.1-8b\", \"seq\": 4096, \"batch\": 2, \"micro_batches\": 4";
    for (target, options) in [
        (Target::Vllm, format!("{serving}, \"engine\": \"vllm\", \"max_model_len\": 8192, \"tp\": 2, \"pp\": 2, \"kv\": \"fp8\", \"weights\": \"fp8\"")),
        (Target::Vllm, format!("{serving}, \"engine\": \"vllm\", \"weights\": \"fp16\", \"kv\": \"fp16\", \"dp\": 2, \"max_num_seqs\": 16, \"enforce_eager\": true, \"max_loras\": 8, \"max_lora_rank\": 64")),
        (Target::Vllm, "\"model\": \"mixtral-8x7b\", \"engine\": \"vllm\", \"tp\": 2, \"dp\": 2, \"ep\": 4, \"max_num_batched_tokens\": 4096, \"gpu_memory_utilization\": 92.5".into()),
        (Target::Vllm, "\"model\": \"glm-4.5-air\", \"engine\": \"vllm\", \"speculative\": \"mtp\", \"num_speculative_tokens\": 2".into()),
        (Target::Vllm, "\"model\": \"qwen3-8b\", \"engine\": \"vllm\", \"speculative\": \"eagle3\", \"num_speculative_tokens\": 3, \"draft\": \"eagle3-qwen3-8b\"".into()),
        (Target::Vllm, "\"model\": \"qwen3-8b\", \"engine\": \"vllm\", \"speculative\": \"draft_model\", \"num_speculative_tokens\": 2, \"draft\": \"qwen3-0.6b\"".into()),
        (Target::Vllm, "\"model\": \"qwen3-vl-8b\", \"engine\": \"vllm\", \"language_model_only\": true".into()),
        (Target::Sglang, format!("{serving}, \"tp\": 4, \"kv\": \"fp8\", \"weights\": \"fp8\", \"batch\": 3")),
        (
            Target::TrtllmServe,
            format!(
                "{serving}, \"engine\": \"trtllm\", \"tp\": 2, \"max_batch_size\": 32, \"batch\": 32, \"max_seq_len\": 8192, \"max_num_tokens\": 4096, \"kv_cache_free_gpu_memory_fraction\": 85"
            ),
        ),
        (Target::LlamaServer, format!("{serving}, \"engine\": \"llamacpp\", \"weights\": \"q4_k\", \"kv\": \"int8\", \"pp\": 2, \"batch\": 3")),
        (Target::LlamaServer, format!("{serving}, \"engine\": \"llamacpp\", \"weights\": \"bf16\", \"kv\": \"bf16\", \"attention\": \"eager\"")),
        (
            Target::Sglang,
            format!(
                "{serving}, \"engine\": \"sglang\", \"mem_fraction_static\": 85, \"chunked_prefill_size\": 4096, \"max_running_requests\": 32, \"batch\": 32, \"max_total_tokens\": 65536, \"context_length\": 8192, \"disable_cuda_graph\": true"
            ),
        ),
        (
            Target::LlamaServer,
            format!(
                "{serving}, \"engine\": \"llamacpp\", \"weights\": \"q4_k\", \"ngl\": 20, \"tensor_split\": [3, 1], \"ubatch\": 256, \"kv_unified\": true, \"swa_full\": true, \"no_kv_offload\": true, \"n_cpu_moe\": 4"
            ),
        ),
        (Target::DeepSpeed, format!("{training}, \"zero\": \"3\", \"offload\": [\"optimizer\", \"parameters\"], \"optimizer\": \"lion\", \"recipe\": \"mixed-fp32-grads\"")),
        (Target::DeepSpeed, format!("{training}, \"zero\": \"2\", \"weights\": \"fp16\", \"recipe\": \"mixed\", \"offload\": [\"optimizer\"]")),
        (Target::DeepSpeed, format!("{training}, \"weights\": \"fp32\", \"recipe\": \"autocast\", \"tp\": 2")),
        (Target::DeepSpeed, format!("{training}, \"recipe\": \"pure\", \"sharding\": \"deepspeed\", \"zero\": \"3\", \"dp\": 2")),
        (Target::Accelerate, format!("{training}, \"dp\": 8, \"zero\": \"3\", \"weights\": \"fp32\", \"recipe\": \"autocast\", \"checkpointing\": \"full\", \"offload\": [\"optimizer\", \"parameters\"]")),
        (Target::Accelerate, format!("{training}, \"dp\": 8, \"zero\": \"2\", \"weights\": \"fp32\", \"recipe\": \"autocast\", \"tp\": 2, \"shard\": 4, \"compile\": true, \"checkpointing\": \"none\"")),
        (Target::TrainingArguments, format!("{training}, \"weights\": \"fp32\", \"recipe\": \"autocast\", \"optimizer\": \"adamw8bit\", \"checkpointing\": \"full\", \"compile\": true")),
        (Target::TrainingArguments, format!("{training}, \"weights\": \"fp32\", \"recipe\": \"autocast\", \"step\": \"foreach\"")),
        (Target::Axolotl, format!("{training}, \"weights\": \"fp32\", \"recipe\": \"autocast\", \"dp\": 8, \"zero\": \"3\", \"shard\": 4, \"loss\": \"chunked\", \"attention\": \"eager\", \"tp\": 2")),
        (Target::Axolotl, format!("{training}, \"recipe\": \"pure\", \"checkpointing\": \"full\", \"optimizer\": \"muon\"")),
        (Target::Axolotl, "\"mode\": \"qlora\", \"model\": \"llama-2-7b\", \"lora_rank\": 64, \"lora_targets\": [\"q\", \"v\", \"mlp\"], \"lora_dropout\": true, \"weights\": \"nf4\"".into()),
        (Target::Axolotl, "\"mode\": \"lora\", \"model\": \"llama-2-7b\", \"lora_dtype\": \"bf16\", \"optimizer\": \"paged-adamw8bit\"".into()),
    ] {
        let plan = plan(&options);
        let export = export(&plan, target).unwrap();
        let import = import(&export.text).unwrap_or_else(|error| panic!("{error}\n{}", export.text));
        assert_eq!(import.source, target);
        assert_eq!(not_understood(&import), Vec::<String>::new(), "{}", export.text);
        let (scenario, model) = (plan.scenario().unwrap(), plan.get("model"));
        for (option, value) in import.plan.said() {
            let own = if option.name == "model" { model.cloned() } else { option.of(&scenario) };
            // The engine's own length stands for the length of a request and the other way round.
            if option.name == "gpu_memory_utilization" {
                assert_eq!(value, &Value::Percent(scenario.serving.utilization()));
            } else if option.name == "engine" || option.scope.is_of_runtime() {
                // What goes without saying in the plan is said in the command.
                assert!(plan.get(option.name).is_none_or(|own| own == value), "{} of {}", option.name, target.id());
            } else if option.name != "max_model_len" || plan.get("max_model_len").is_some() {
                assert_eq!(Some(value), own.as_ref(), "{} of {}:\n{}", option.name, target.id(), export.text);
            }
        }
        for (option, value) in plan.said() {
            let written = export.lines.iter().any(|line| {
                let words: Vec<&str> = line.from.split([' ', ',']).collect();
                words.contains(&option.name)
            });
            if written {
                assert_eq!(import.plan.get(option.name), Some(value), "{} of {}:\n{}\n{}", option.name, target.id(), export.text, said(&import));
            }
        }
    }
}

/// vLLM leaves the tower out where no input beside text is let in.
#[test]
fn limits_of_zero_leave_the_tower_out() {
    for (limits, only) in [
        ("--limit-mm-per-prompt '{\"image\":0,\"video\":0}'", true),
        ("--limit-mm-per-prompt image=0,video=0", true),
        ("--limit-mm-per-prompt.image 0 --limit-mm-per-prompt.video 0", true),
        ("--limit-mm-per-prompt '{\"image\":0}'", false),
        ("--limit-mm-per-prompt image=2,video=0", false),
        ("--limit-mm-per-prompt.image 0 --limit-mm-per-prompt.video 1", false),
    ] {
        let import = import(&format!("vllm serve Qwen/Qwen3-VL-8B-Instruct {limits}")).unwrap();
        assert_eq!(import.plan.get("language_model_only").is_some(), only, "{limits}");
        assert_eq!(not_understood(&import).is_empty(), only, "{limits}");
    }
}

#[test]
fn commands_as_people_write_them() {
    for (text, says, left) in [
        (
            "vllm serve Qwen/Qwen2.5-7B-Instruct-AWQ --quantization awq_marlin --max-model-len 32k -tp=2 \\\n  --gpu-memory-utilization .95 --port 8000 --api-key sk-secret",
            "model qwen2.5-7b; seq 32000; weights int4; engine vllm; max_model_len 32000; gpu_memory_utilization 95%; tp 2",
            vec![],
        ),
        (
            "vllm serve meta-llama/Llama-3.1-8B --gpu-memory-utilization 0.8417",
            "model llama-3.1-8b; engine vllm; gpu_memory_utilization 84.17%",
            vec![],
        ),
        (
            "# start\nexport CUDA_VISIBLE_DEVICES=0,1\nVLLM_USE_V1=1 nohup vllm serve meta-llama/Llama-3.1-70B-Instruct --tensor_parallel_size 2 --kv-cache-dtype fp8 --enable-expert-parallel > log 2>&1 &",
            "model llama-3.1-70b; kv fp8; engine vllm; tp 2; ep 2",
            vec![],
        ),
        (
            "docker run --gpus all -p 8000:8000 vllm/vllm-openai:latest --model mistralai/Mistral-7B-v0.1 --speculative-config '{\"x\": 1}'",
            "model mistral-7b-v0.1; engine vllm",
            vec![
                "line 1: --speculative-config \"{\\\"x\\\": 1}\": not understood: \"method\" may be \"mtp\", \"ngram\", \"eagle\", \"eagle3\" or \"draft_model\"",
            ],
        ),
        (
            "vllm serve Qwen/Qwen3.5-35B-A3B --enable-prefix-caching",
            "model qwen3.5-35b-a3b; engine vllm; prefix_caching on",
            vec![],
        ),
        (
            "vllm serve Qwen/Qwen3.5-35B-A3B --no-enable-prefix-caching",
            "model qwen3.5-35b-a3b; engine vllm; prefix_caching off",
            vec![],
        ),
        (
            "vllm serve Qwen/Qwen3.5-35B-A3B --speculative-config '{\"method\": \"mtp\", \"num_speculative_tokens\": 3}'",
            "model qwen3.5-35b-a3b; engine vllm; speculative mtp; num_speculative_tokens 3",
            vec![],
        ),
        (
            "vllm serve meta-llama/Llama-3.1-8B-Instruct --speculative-config '{\"method\": \"eagle3\", \"model\": \"yuhuili/EAGLE3-LLaMA3.1-Instruct-8B\", \"num_speculative_tokens\": 3}'",
            "model llama-3.1-8b; engine vllm; speculative eagle3; num_speculative_tokens 3; draft eagle3-llama-3.1-8b",
            vec![],
        ),
        // vLLM takes the method from the draft where none is said.
        (
            "vllm serve Qwen/Qwen3-8B --speculative-config '{\"model\": \"Qwen/Qwen3-0.6B\", \"num_speculative_tokens\": 5}'",
            "model qwen3-8b; engine vllm; speculative draft_model; num_speculative_tokens 5; draft qwen3-0.6b",
            vec![],
        ),
        (
            "vllm serve Qwen/Qwen3-8B --speculative-config '{\"method\": \"eagle3\", \"model\": \"me/head\"}'",
            "model qwen3-8b; engine vllm",
            vec![
                "line 1: --speculative-config \"{\\\"method\\\": \\\"eagle3\\\", \\\"model\\\": \\\"me/head\\\"}\": not understood: this draft is not known: eagle3 heads and models that the command lists are (draft)",
            ],
        ),
        (
            "llama-server -hf unsloth/gpt-oss-120b-GGUF -c 8192 -ngl 99 -ot \".ffn_.*_exps.=CPU\"",
            "model gpt-oss-120b; seq 8192; weights mxfp4; kv fp16; engine llamacpp; cpu_moe ",
            vec![],
        ),
        (
            "llama-server -hf unsloth/gpt-oss-120b-GGUF -c 8192 -ot \"blk.(1|2).ffn_.*_exps.=CPU\"",
            "model gpt-oss-120b; seq 8192; weights mxfp4; kv fp16; engine llamacpp",
            vec![
                "line 1: -ot blk.(1|2).ffn_.*_exps.=CPU: not understood: which tensors a pattern takes is not worked out: --cpu-moe keeps all experts in host memory, --n-cpu-moe N those of the first N layers",
            ],
        ),
        (
            "vllm serve Qwen/Qwen3-235B-A22B-FP8 -tp 8",
            "model qwen3-235b-a22b; weights fp8-block; engine vllm; tp 8",
            vec![],
        ),
        (
            "vllm serve hugging-quants/Meta-Llama-3.1-70B-Instruct-AWQ-INT4",
            "model llama-3.1-70b; weights int4; engine vllm",
            vec![],
        ),
        (
            "trtllm-serve nvidia/Llama-3.1-8B-Instruct-FP8 --tp_size 2 --kv_cache_free_gpu_memory_fraction .85 --max_batch_size 64 --config extra.yaml",
            "model llama-3.1-8b; batch 64; weights fp8; engine trtllm; kv_cache_free_gpu_memory_fraction 85%; max_batch_size 64; tp 2",
            vec![
                "line 1: --config extra.yaml: not understood: what the file says is not read, and it overrules the command",
            ],
        ),
        ("vllm serve NousResearch/Meta-Llama-3.1-8B", "model llama-3.1-8b; engine vllm", vec![]),
        (
            "python -m vllm.entrypoints.openai.api_server --model /data/models/Llama-3.1-8B-Instruct --max-num-seqs 0",
            "model llama-3.1-8b; engine vllm",
            vec![
                "line 1: --max-num-seqs 0: not understood: max_num_seqs is 0, which is outside 1 to 1,000,000 sequences",
            ],
        ),
        (
            "./llama-server -m ~/models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf -c 16384 -np 4 -fa -ngl 99 -ctk q8_0 -ctv q8_0 --host 0.0.0.0",
            "model llama-3.1-8b; batch 4; seq 4096; weights q4_k; attention flash; kv int8; engine llamacpp",
            vec![],
        ),
        (
            "llama-server -hf bartowski/Qwen2.5-7B-Instruct-GGUF:Q8_0 -ngl 20 -ts 3,1",
            "model qwen2.5-7b; weights q8_0; kv fp16; engine llamacpp; ngl 20; tensor_split 3,1",
            vec![],
        ),
        (
            "llama-server -hf ggml-org/gpt-oss-120b-GGUF --n-cpu-moe 31 -c 32768",
            "model gpt-oss-120b; seq 32768; weights mxfp4; kv fp16; engine llamacpp; n_cpu_moe 31",
            vec![],
        ),
        (
            "llama-server -m gpt-oss-120b-mxfp4-00001-of-00003.gguf -c 8192",
            "model gpt-oss-120b; seq 8192; weights mxfp4; kv fp16; engine llamacpp",
            vec![],
        ),
        (
            "llama-server -hf unsloth/Qwen3.5-35B-A3B-GGUF:UD-Q4_K_XL -c 8192",
            "model qwen3.5-35b-a3b; seq 8192; kv fp16; engine llamacpp",
            vec![],
        ),
        (
            "llama-server -m gpt-oss-20b-F16.gguf -c 8192",
            "model gpt-oss-20b; seq 8192; weights mxfp4; kv fp16; engine llamacpp",
            vec![],
        ),
        (
            "vllm serve --quantization fp8 --model deepseek-ai/DeepSeek-V3-0324 -tp 8",
            "model deepseek-v3; weights fp8-block; engine vllm; tp 8",
            vec![],
        ),
        (
            "python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-R1 --tp 8 --quantization fp8",
            "model deepseek-v3; weights fp8-block; engine sglang; tp 8",
            vec![],
        ),
        (
            "vllm serve meta-llama/Llama-3.1-8B --quantization fp8",
            "model llama-3.1-8b; weights fp8; engine vllm",
            vec![],
        ),
        (
            "python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 8 --trust-remote-code --mem-fraction-static 0.8",
            "model deepseek-v3; engine sglang; mem_fraction_static 80%; tp 8",
            vec![],
        ),
    ] {
        let import = import(text).unwrap();
        assert_eq!(said(&import), says, "{text}");
        assert_eq!(not_understood(&import), left, "{text}");
        assert!(!import.settings.iter().any(|setting| setting.said.contains("sk-secret")), "{text}");
    }
}

/// The type of activations is not the format of weights that are stored or loaded in fewer bits, whichever comes first.
#[test]
fn dtype_says_the_weights_where_nothing_else_does() {
    for (server, model, dtype, quantization, weights) in [
        ("vllm serve", "Qwen/Qwen2.5-32B-Instruct-AWQ", "half", "--quantization awq", "weights int4; "),
        ("vllm serve", "Qwen/Qwen2.5-14B-Instruct-GPTQ-Int4", "float16", "", "weights int4; "),
        ("vllm serve", "Qwen/Qwen3-235B-A22B-FP8", "bfloat16", "", "weights fp8-block; "),
        ("vllm serve", "nvidia/Llama-3.3-70B-Instruct-FP4", "bfloat16", "", "weights nvfp4; "),
        ("vllm serve", "meta-llama/Llama-3.1-8B", "bfloat16", "--quantization fp8", "weights fp8; "),
        ("vllm serve", "meta-llama/Llama-3.1-8B", "bfloat16", "-q bitsandbytes", "weights nf4; "),
        ("vllm serve", "deepseek-ai/DeepSeek-V3", "bfloat16", "--quantization fp8", "weights fp8-block; "),
        // As they are published.
        ("vllm serve", "deepseek-ai/DeepSeek-V3", "bfloat16", "", ""),
        ("vllm serve", "openai/gpt-oss-120b", "bfloat16", "", ""),
        ("vllm serve", "meta-llama/Llama-3.1-8B", "half", "", "weights fp16; "),
        ("vllm serve", "meta-llama/Llama-3.1-8B", "float", "", "weights fp32; "),
        ("sglang serve --model-path", "Qwen/Qwen3-8B-AWQ", "half", "", "weights int4; "),
        ("sglang serve --model-path", "Qwen/Qwen3-8B", "bfloat16", "--quantization fp8", "weights fp8; "),
        ("sglang serve --model-path", "Qwen/Qwen3-8B", "half", "", "weights fp16; "),
    ] {
        for options in [format!("--dtype {dtype} {quantization}"), format!("{quantization} --dtype {dtype}")] {
            let import = import(&format!("{server} {model} {options}")).unwrap();
            let told = said(&import);
            assert!(told.contains(&format!("{weights}engine")), "{model} {options}: {told}");
            assert_eq!(told.contains("weights"), !weights.is_empty(), "{model} {options}: {told}");
            assert_eq!(not_understood(&import), Vec::<String>::new());
        }
    }
    let wide = import("vllm serve Qwen/Qwen3-8B-AWQ --dtype float32").unwrap();
    assert_eq!(not_understood(&wide).len(), 1);
}

#[test]
fn files_as_people_write_them() {
    let accelerate = "compute_environment: LOCAL_MACHINE
distributed_type: FSDP
downcast_bf16: 'no'
fsdp_config:
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_offload_params: false
  fsdp_reshard_after_forward: FULL_SHARD
  fsdp_state_dict_type: SHARDED_STATE_DICT
  fsdp_version: 2
machine_rank: 0
mixed_precision: no
num_machines: 1
num_processes: 4
";
    // What accelerate reads as no.
    let [silent, empty] = ["", "mixed_precision:\n"].map(|said| accelerate.replace("mixed_precision: no\n", said));
    for text in [accelerate, &silent, &empty] {
        let told = import(text).unwrap();
        assert_eq!(said(&told), "mode training; weights fp32; recipe fp32; dp 4; zero 3", "{text}");
        assert_eq!(not_understood(&told), Vec::<String>::new(), "{text}");
        assert!(told.settings.iter().any(|it| it.to_string().contains("weights are counted in fp32")), "{text}");
    }
    let axolotl = "base_model: somebody/Meta-Llama-3-8B # not the publisher
model_type: LlamaForCausalLM
load_in_4bit: true
adapter: qlora
lora_r: 32
lora_alpha: 16
lora_target_linear: true
sequence_len: 4096
sample_packing: true
micro_batch_size: 2
gradient_accumulation_steps: 4
optimizer: paged_adamw_32bit
bf16: auto
gradient_checkpointing: true
datasets:
  - path: mhenrichsen/alpaca_2k_test
    type: alpaca
";
    let deepspeed = "{
  \"train_batch_size\": 64,
  \"train_micro_batch_size_per_gpu\": 2,
  \"gradient_accumulation_steps\": 4,
  \"bf16\": { \"enabled\": true },
  \"zero_optimization\": {
    \"stage\": 3,
    \"offload_param\": { \"device\": \"nvme\" },
    \"stage3_max_live_parameters\": 1e9
  }
}";
    for (text, says, left) in [
        (accelerate, "mode training; weights fp32; recipe fp32; dp 4; zero 3", vec![]),
        (
            axolotl,
            "mode qlora; batch 2; seq 4096; weights nf4-dq; optimizer paged-adamw; checkpointing full; micro_batches 4; lora_rank 32; lora_targets q,k,v,o,mlp",
            vec![
                "line 1: base_model somebody/Meta-Llama-3-8B: not understood: no model of the table has this id: memory-wall models lists them, and --config FILE takes the shape of another one",
            ],
        ),
        (
            deepspeed,
            "mode training; batch 2; weights bf16; recipe mixed; micro_batches 4; dp 8; zero 3",
            vec![
                "line 8: zero_optimization.offload_param.device nvme: not understood: offload to a drive is not modelled",
                "line 9: zero_optimization.stage3_max_live_parameters 1e9: not understood: it is not read here, and may change what the run needs",
            ],
        ),
        (
            "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 8192\nbf16: auto\noptimizer: paged_adamw_8bit\ngradient_checkpointing: true\n",
            "model llama-3.1-8b; mode training; seq 8192; weights bf16; recipe pure; optimizer paged-adamw8bit; checkpointing full",
            vec![],
        ),
        (
            "base_model: meta-llama/Llama-3.1-8B\nbf16: auto\ncut_cross_entropy: true\nliger_fused_linear_cross_entropy: false\n",
            "model llama-3.1-8b; mode training; weights bf16; recipe pure",
            vec![
                "line 3: cut_cross_entropy: not understood: its fused kernels are not modelled; loss chunked is the nearest of them",
            ],
        ),
        (
            "base_model: meta-llama/Llama-3.1-8B\nbf16: true\nfsdp_config:\n  reshard_after_forward: true\n",
            "model llama-3.1-8b; mode training; weights fp32; recipe autocast; zero 3",
            vec![],
        ),
        (
            "base_model: meta-llama/Llama-3.1-8B\nfp16: true\ndeepspeed: zero2.json\n",
            "model llama-3.1-8b; mode training; weights fp16; recipe mixed",
            vec![
                "line 3: deepspeed zero2.json: not understood: the file that it names says how states are sharded: import that one too",
            ],
        ),
        (
            "{\"output_dir\": \"out\", \"per_device_train_batch_size\": 4, \"optim\": \"adamw_torch\", \"bf16\": true, \"learning_rate\": 2e-5}",
            "mode training; batch 4; weights fp32; recipe autocast; optimizer adamw; step foreach",
            vec![],
        ),
    ] {
        let import = import(text).unwrap();
        assert_eq!(said(&import), says, "{text}");
        assert_eq!(not_understood(&import), left, "{text}");
        // Every setting of the text is accounted for, with its line.
        for setting in &import.settings {
            let name = setting.said.split([' ', '.']).next().unwrap();
            assert!(
                text.lines().nth(setting.line as usize - 1).unwrap().contains(name.split('.').next_back().unwrap())
                    || setting.said.contains('.'),
                "{setting}"
            );
        }
    }
}

#[test]
fn what_is_no_command_or_file_is_refused_with_its_line() {
    let deep = format!("a: {}", "[".repeat(100));
    let long = format!("vllm serve {}", "x ".repeat(5_000));
    for (text, message) in [
        ("", "line 1: there is nothing in it"),
        ("hello", "line 1: this is no command or file that is read"),
        ("{}", "line 1: this is no command or file that is read"),
        ("{\"version\": 1, \"model\": \"gpt2-xl\"}", "line 1: this is a plan already: --plan reads it"),
        ("{\"model_type\": \"llama\"}", "line 1: this is a model's config.json: --config reads it"),
        ("a: *b", "line 1: this is no YAML"),
        ("a: &b 1\nc: *b", "line 2: an alias is not followed: write the value out"),
        ("a: 1\na: 2", "line 2: \"a\" is there twice"),
        ("a: !!python/object:os.system 1", "line 1: a tag is not followed: write the value out"),
        ("vllm serve 'x", "line 1: a quote ' is not closed"),
        (&deep, "line 1: values stand in one another more than 32 deep"),
        (&long, "line 1: the command has more words than are read"),
    ] {
        let error = import(text).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error} for {}", &text[..text.len().min(60)]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever follows a program's name or stands in a file, there is an answer; what a plan gets has its option's kind and range.
    #[test]
    fn nothing_panics(text in "[-a-z0-9_.:=,'\"$\\\\ \n#{}\\[\\]&*!]{0,120}", at in 0_usize..6) {
        let starts = ["vllm serve ", "llama-server ", "python -m sglang.launch_server ", "base_model: x\n", "{\"zero_optimization\": ", "{\"version\": 1, \"model\": \"gpt2-xl\", "];
        hostile::read(&format!("{}{text}", starts[at]));
    }
}

/// Found by the fuzzer: a number with controls in it reached the message as it stood.
#[test]
fn numbers_with_controls_are_quoted() {
    for text in ["llama-server -ngl 2\0\0\u{4}0 -ts 3,1", "vllm serve gpt2 --max-num-seqs 2\u{1b}[31m0"] {
        hostile::read(text);
    }
}

/// Found by the fuzzer: each control in a quoted word takes five letters, and a message of two such words was as long as ten others.
#[test]
fn words_of_controls_make_no_long_message() {
    hostile::read(&format!("vllm serve gpt2 --{}\t{}", "\u{15}".repeat(80), "\u{b}".repeat(80)));
}

/// DeepSpeed keeps an fp32 copy beside 16-bit weights, also where accelerate starts it; its autocast under ZeRO is counted as fp32.
#[test]
fn deepspeed_is_read_as_it_trains() {
    for (text, says) in [
        (
            "distributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_processes: 4\ndeepspeed_config:\n  zero_stage: 2\n  offload_optimizer_device: cpu\n  offload_param_device: none\n",
            "mode training; weights bf16; offload optimizer; recipe mixed; dp 4; zero 2",
        ),
        (
            "distributed_type: DEEPSPEED\nmixed_precision: 'no'\nnum_processes: 4\ndeepspeed_config:\n  zero_stage: 2\n",
            "mode training; weights fp32; recipe fp32; sharding deepspeed; dp 4; zero 2",
        ),
        (
            "distributed_type: DEEPSPEED\nnum_processes: 4\ndeepspeed_config:\n  zero_stage: 2\n",
            "mode training; weights fp32; recipe fp32; sharding deepspeed; dp 4; zero 2",
        ),
        // Another file says it.
        (
            "distributed_type: DEEPSPEED\nnum_processes: 4\ndeepspeed_config:\n  deepspeed_config_file: zero2.json\n",
            "mode training; dp 4",
        ),
        (
            "{ \"torch_autocast\": { \"enabled\": true }, \"zero_optimization\": { \"stage\": 3 } }",
            "mode training; weights fp32; recipe fp32; sharding deepspeed; zero 3",
        ),
        (
            "{ \"bf16\": { \"enabled\": true }, \"torch_autocast\": { \"enabled\": true }, \"zero_optimization\": { \"stage\": 3 } }",
            "mode training; weights bf16; recipe mixed; zero 3",
        ),
    ] {
        assert_eq!(said(&import(text).unwrap()), says, "{text}");
    }
    // What was said of it: a file for one GPU of 32 GB, whose gradients wait in host memory.
    let file = "{ \"fp16\": { \"enabled\": true }, \"train_micro_batch_size_per_gpu\": 1, \"zero_optimization\": { \"stage\": 2, \"offload_optimizer\": { \"device\": \"cpu\" } } }";
    let mut plan = import(file).unwrap().plan;
    for (option, value) in [("model", "llama-2-13b"), ("gpu", "v100-sxm2-32"), ("checkpointing", "full")] {
        plan.set(option, Value::Word(value));
    }
    plan.set("seq", Value::Count(1_024));
    let run = plan.scenario().unwrap().check().unwrap();
    assert!(verdict(&run).unwrap().holds());
}

#[test]
fn the_release_of_an_image_is_read() {
    let command = |tag: &str| format!("docker run --gpus all vllm/vllm-openai{tag} --model Qwen/Qwen3-8B -tp 2");
    for (tag, release) in [
        (":v0.11.0", Some("0.11")),
        (":v0.10.1.1", Some("0.10")),
        (":v0.12.0-cu129", Some("0.12")),
        (":latest", None),
        (":v0.1.0", None),
        ("", None),
    ] {
        let read = import(&command(tag)).unwrap();
        assert_eq!(read.plan.get("engine_version").map(ToString::to_string).as_deref(), release, "{tag}");
        let unread = not_understood(&read);
        assert_eq!(unread.len(), usize::from(tag == ":v0.1.0"), "{tag}: {unread:?}");
    }
}

#[test]
fn a_command_that_asks_for_a_checkpoint_says_its_model() {
    for (target, engine) in [(Target::Vllm, "vllm"), (Target::Sglang, "sglang"), (Target::TrtllmServe, "trtllm")] {
        let asked = plan(&format!("\"model\": \"deepseek-v3\", \"weights\": \"nvfp4\", \"engine\": \"{engine}\""));
        let text = export(&asked, target).unwrap().text;
        let read = import(&text).unwrap();
        assert!(text.contains("QUANTISED_MODEL:?"), "{text}");
        assert_eq!([read.plan.get("model"), read.plan.get("weights")], [asked.get("model"), asked.get("weights")]);
        assert!(not_understood(&read).is_empty(), "{:?}", not_understood(&read));
    }
    let other = import("vllm serve \"${MY_MODEL:?the id or the folder of deepseek-v3 with nvfp4 weights}\"").unwrap();
    assert_eq!((other.plan.get("model"), not_understood(&other).len()), (None, 1));
}
