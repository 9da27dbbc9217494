//! Exports: every value comes from the plan, what a program has no setting for is said, and foreign text stays text.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use memory_wall_plan::Plan;
use memory_wall_plan::export::{Export, ExportError, Target, export};
use memory_wall_plan::file;

/// The plan of some options, written as JSON.
fn plan(options: &str) -> Plan {
    file::read(&format!("{{\"version\": 1, \"name\": \"a test\", {options}}}")).unwrap().remove(0)
}

fn exported(options: &str, target: Target) -> Export {
    export(&plan(options), target).unwrap()
}

#[test]
fn shares_finer_than_a_percent_are_written_as_they_are() {
    for (target, plan, written) in [
        (Target::Vllm, "\"engine\": \"vllm\", \"gpu_memory_utilization\": 92.5", "--gpu-memory-utilization 0.925"),
        (Target::Sglang, "\"engine\": \"sglang\", \"mem_fraction_static\": 84.17", "--mem-fraction-static 0.8417"),
    ] {
        let text = exported(&format!("\"model\": \"llama-3.1-8b\", {plan}"), target).text;
        assert!(text.contains(written), "{text}");
    }
}

#[test]
fn a_server_of_vllm() {
    let text = exported(
        "\"model\": \"llama-3.1-70b\", \"engine\": \"vllm\", \"engine_version\": \"0.29\", \"tp\": 4, \"seq\": 32768, \"kv\": \"fp8\",
         \"weights\": \"fp8\", \"batch\": 8, \"max_num_seqs\": 64, \"gpu\": \"h100-sxm\"",
        Target::Vllm,
    )
    .text;
    assert_eq!(
        text,
        "#!/bin/sh
# The plan \"a test\" for vLLM, written by memory-wall.
#   meta-llama/Llama-3.1-70B: model llama-3.1-70b
#   --quantization fp8: weights fp8
#   --kv-cache-dtype fp8: kv fp8
#   --tensor-parallel-size 4: tp 4
#   --max-model-len 32768: seq 32768
#   --max-num-seqs 64: max_num_seqs 64
#   --gpu-memory-utilization 0.92: what vLLM 0.29 takes by itself, and what the plan is counted with
# Not written, and to be known:
#   weights fp8: a checkpoint in 16 bits is quantised as it is loaded; of one that is stored in fp8,
#     leave --quantization out
#   batch 8: vLLM takes requests as they come; --max-num-seqs bounds how many run at once
#   engine_version 0.29: the command is that of 0.33, and releases before may lack a word of it
#   gpu h100-sxm: it runs on the GPUs of the machine that it is started on
#   engine vllm: as vLLM does by itself
vllm serve meta-llama/Llama-3.1-70B \\
  --quantization fp8 \\
  --kv-cache-dtype fp8 \\
  --tensor-parallel-size 4 \\
  --max-model-len 32768 \\
  --max-num-seqs 64 \\
  --gpu-memory-utilization 0.92
"
    );
}

/// What Megatron-LM and accelerate refuse at their start is not written, or is written with what they ask for beside it.
#[test]
fn files_start() {
    let megatron = "\"mode\": \"training\", \"model\": \"llama-2-7b\", \"implementation\": \"megatron\", \"offload\": \"optimizer\"";
    for cut in ["", ", \"dp\": 2, \"zero\": \"1\""] {
        let text = exported(&format!("{megatron}{cut}"), Target::Megatron).text;
        for switch in ["--optimizer-cpu-offload", "--use-precision-aware-optimizer", "--use-distributed-optimizer"] {
            assert_eq!(text.matches(&format!("\n  {switch}")).count(), 1, "{switch}\n{text}");
        }
    }
    let fp8 = "\"mode\": \"training\", \"model\": \"llama-2-7b\", \"implementation\": \"megatron\", \"fp8_recipe\": \"delayed\"";
    for (more, times) in [
        ("", 0),
        (", \"fp8_param_gather\": true", 1),
        (", \"moments\": \"fp8\"", 1),
        (", \"fp8_param_gather\": true, \"offload\": \"optimizer\"", 1),
        (", \"fp8_param_gather\": true, \"dp\": 2, \"zero\": \"1\"", 1),
    ] {
        let text = exported(&format!("{fp8}{more}"), Target::Megatron).text;
        assert_eq!(text.matches("\n  --use-distributed-optimizer").count(), times, "{more}\n{text}");
    }
    let trained = "\"mode\": \"training\", \"model\": \"llama-3.1-8b\", \"dp\": 2";
    let plain = export(&plan(&format!("{trained}, \"tp\": 4")), Target::Accelerate);
    assert!(matches!(plain, Err(ExportError::Cannot(..))), "{plain:?}");
    let sharded = |recipe| {
        exported(&format!("{trained}, \"tp\": 4, \"zero\": \"3\", \"recipe\": \"{recipe}\""), Target::Accelerate).text
    };
    assert!(sharded("autocast").contains("FSDP 2 is what the plan is counted as"));
    assert!(sharded("mixed").contains("counted as DeepSpeed's, which is target deepspeed"));
}

#[test]
fn what_vllm_may_run_at_once_other_servers_may() {
    let asked = r#""model": "llama-3.3-70b", "engine": "vllm", "gpu": "h100-sxm", "tp": 4, "max_num_seqs": 64"#;
    let sglang = |options: &str| exported(options, Target::Sglang).text;
    assert!(sglang(asked).contains("--max-running-requests 64"), "{}", sglang(asked));
    let counted = format!("{asked}, \"batch\": 16");
    assert!(sglang(&counted).contains("--max-running-requests 16"), "{}", sglang(&counted));
    let trtllm = exported(asked, Target::TrtllmServe).text;
    assert!(trtllm.contains("--max_batch_size 64"), "{trtllm}");
    // One sequence that nobody asked for is no bound.
    let open = sglang(r#""model": "llama-3.3-70b", "engine": "sglang", "gpu": "h100-sxm", "tp": 4"#);
    assert!(!open.contains("--max-running-requests"), "{open}");
}

#[test]
fn a_run_of_megatron() {
    let text = exported(
        "\"mode\": \"training\", \"model\": \"qwen2.5-7b\", \"implementation\": \"megatron\", \"seq\": 4096, \"dp\": 16, \"zero\": \"1\", \"micro_batches\": 2",
        Target::Megatron,
    )
    .text;
    for part in [
        "torchrun --nproc_per_node GPUS --nnodes NODES pretrain_gpt.py \\\n",
        "  --group-query-attention \\\n  --num-query-groups 4 \\\n",
        "  --disable-bias-linear \\\n  --add-qkv-bias \\\n",
        "  --global-batch-size 32 \\\n  --bf16 \\\n  --use-distributed-optimizer \\\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let stages = |options: &str| {
        let base = "\"mode\": \"training\", \"model\": \"llama-2-7b\", \"implementation\": \"megatron\", \"pp\": 2, \"micro_batches\": 4";
        exported(&format!("{base}, {options}"), Target::Megatron).text
    };
    let dual = "\"mode\": \"training\", \"model\": \"llama-2-7b\", \"implementation\": \"megatron\", \"pp\": 4, \"micro_batches\": 8, \"pipeline_schedule\": \"dualpipe\"";
    let refused = export(&plan(dual), Target::Megatron);
    assert!(matches!(refused, Err(ExportError::Cannot(Target::Megatron, _))), "{refused:?}");
    let layout = stages("\"pipeline_model_parallel_layout\": \"Et*8|(t*8|)*2t*8mL\"");
    assert!(
        layout.contains("  --pipeline-model-parallel-layout 'Et*8|t*8|t*8|t*8mL' \\\n  --mtp-num-layers 1 \\\n"),
        "{layout}"
    );
    assert!(!layout.contains("--num-virtual-stages-per-pipeline-rank"), "{layout}");
    let ends = stages("\"decoder_first_pipeline_num_layers\": 14, \"decoder_last_pipeline_num_layers\": 18");
    assert!(
        ends.contains("  --decoder-first-pipeline-num-layers 14 \\\n  --decoder-last-pipeline-num-layers 18 \\\n"),
        "{ends}"
    );
    let selective = |more: &str| {
        let base = "\"mode\": \"training\", \"model\": \"llama-2-7b\", \"implementation\": \"megatron\", \"checkpointing\": \"selective\"";
        exported(&format!("{base}{more}"), Target::Megatron).text
    };
    let modules = selective(", \"recompute_modules\": [\"mlp\", \"core_attn\"]");
    let line = "  --recompute-granularity selective \\\n  --recompute-modules core_attn mlp \\\n";
    assert!(modules.contains(line), "{modules}");
    assert!(!selective("").contains("--recompute-modules"));
    // A shape with more than the arguments say is left out whole, and said.
    let mixture = exported(
        "\"mode\": \"training\", \"model\": \"mixtral-8x7b\", \"implementation\": \"megatron\"",
        Target::Megatron,
    )
    .text;
    assert!(
        !mixture.contains("--num-layers") && mixture.contains("model mixtral-8x7b: its shape has more"),
        "{mixture}"
    );
}

#[test]
fn a_plan_goes_to_programs_of_its_mode() {
    let error = export(&plan("\"model\": \"llama-3.1-8b\", \"mode\": \"training\""), Target::Vllm).unwrap_err();
    assert!(error.to_string().starts_with("vLLM serves a model, and the plan trains one (mode training)"), "{error}");
    assert_eq!(export(&Plan::new("none"), Target::Vllm).unwrap_err(), ExportError::NoModel);
    for (options, target, message) in [
        ("\"recipe\": \"pure\"", Target::DeepSpeed, "DeepSpeed keeps all states in bf16"),
        ("\"recipe\": \"mixed-fp32-grads\"", Target::DeepSpeed, "DeepSpeed keeps all states in bf16"),
        ("\"offload\": [\"parameters\"]", Target::DeepSpeed, "DeepSpeed offloads parameters with ZeRO-3 alone"),
        ("\"zero\": \"1\", \"dp\": 2", Target::Accelerate, "accelerate shards gradients with the optimizer states"),
        (
            "\"weights\": \"fp32\", \"recipe\": \"autocast\", \"zero\": \"3\", \"dp\": 2",
            Target::DeepSpeed,
            "DeepSpeed has autocast of its own",
        ),
        (
            "\"recipe\": \"pure\", \"zero\": \"3\", \"dp\": 2",
            Target::DeepSpeed,
            "DeepSpeed clones a rank's part of the weights",
        ),
        (
            "\"recipe\": \"pure\", \"zero\": \"3\", \"dp\": 2, \"sharding\": \"deepspeed\"",
            Target::Accelerate,
            "accelerate is written with FSDP 2",
        ),
        ("\"weights\": \"fp16\"", Target::Torchtitan, "torchtitan computes in bf16 or fp32, not in fp16"),
        ("\"optimizer\": \"sgd-momentum\"", Target::Axolotl, "axolotl has no SGD with momentum"),
        (
            "\"weights\": \"fp32\", \"recipe\": \"autocast\"",
            Target::Axolotl,
            "axolotl loads the weights in 16 bits where bf16 is on, and FSDP alone keeps them in fp32",
        ),
    ] {
        let plan = plan(&format!("\"model\": \"llama-3.1-8b\", \"mode\": \"training\", {options}"));
        let error = export(&plan, target).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
    let error = export(&plan("\"model\": \"llama-3.1-8b\", \"tp\": 3"), Target::Vllm).unwrap_err();
    assert_eq!(error.to_string(), "for vLLM: tp 3 does not divide heads 32");
}

/// Any plan that the engine does not refuse is written for a target with all that it says, or refused in words; nothing panics.
#[test]
fn nothing_of_a_plan_is_dropped() {
    let mut written = 0;
    for target in Target::ALL {
        for options in SAID {
            for extra in EXTRA {
                let text = format!("{{\"version\": 1, \"name\": \"it's \\u2028 $(id)\", {options}{extra}}}");
                let plan = file::read(&text).unwrap().remove(0);
                let Ok(export) = export(&plan, *target) else { continue };
                written += 1;
                for (option, _) in plan.said() {
                    let told = |text: &str| text.split([' ', ',', ':', ';']).any(|word| word == option.name);
                    let said = export.lines.iter().any(|line| told(&line.from))
                        || export.left_out.iter().any(|left| told(left));
                    assert!(said, "{} of {options}{extra} for {}:\n{}", option.name, target.id(), export.text);
                }
                assert!(!export.text.contains('\u{2028}'), "{}", export.text);
                // Where the name is in the file, it is in a comment.
                assert!(export.text.lines().filter(|line| line.contains("$(id)")).all(|line| line.starts_with('#')));
            }
        }
    }
    assert!(written > 120, "{written}");
}

const SAID: [&str; 24] = [
    "\"mode\": \"training\", \"model\": \"llama-3.1-8b\", \"implementation\": \"megatron\", \"dp\": 8, \"zero\": \"1\", \"fp8_recipe\": \"mxfp8\", \"fp8_param_gather\": true, \"activation_func_fp8_input_store\": true, \"moments\": \"bf16\"",
    "\"mode\": \"training\", \"model\": \"llama-3.1-8b\", \"implementation\": \"torchtitan\", \"dp\": 8, \"zero\": \"3\", \"compile\": true, \"fp8_recipe\": \"rowwise\"",
    "\"model\": \"llama-3.1-8b\", \"engine\": \"sglang\", \"mem_fraction_static\": 85, \"chunked_prefill_size\": 4096, \"max_running_requests\": 32, \"max_total_tokens\": 65536, \"context_length\": 8192, \"disable_cuda_graph\": true",
    "\"model\": \"llama-3.1-8b\", \"engine\": \"trtllm\", \"kv_cache_free_gpu_memory_fraction\": 85, \"max_batch_size\": 32, \"max_num_tokens\": 4096, \"max_seq_len\": 8192, \"batch\": 4, \"seq\": 2048",
    "\"model\": \"llama-3.1-8b\", \"engine\": \"llamacpp\", \"weights\": \"q4_k\", \"ngl\": 20, \"device\": [\"rtx4090\", \"rtx3090\"], \"tensor_split\": [3, 1], \"ubatch\": 256, \"kv_unified\": true, \"cache_type_k\": \"q8_0\", \"no_kv_offload\": true, \"host_memory\": 64",
    "\"mode\": \"training\", \"model\": \"llama-2-7b\", \"implementation\": \"megatron\", \"tp\": 2, \"pp\": 2, \"dp\": 2, \"zero\": \"1\", \"micro_batches\": 4",
    "\"mode\": \"training\", \"model\": \"llama-2-7b\", \"implementation\": \"megatron\", \"checkpointing\": \"selective\", \"recompute_modules\": [\"core_attn\", \"mlp\"]",
    "\"mode\": \"training\", \"model\": \"llama-2-7b\", \"implementation\": \"megatron\", \"pp\": 2, \"micro_batches\": 4, \"decoder_first_pipeline_num_layers\": 14",
    "\"mode\": \"training\", \"model\": \"llama-2-7b\", \"implementation\": \"megatron\", \"pp\": 2, \"micro_batches\": 4, \"pipeline_model_parallel_layout\": \"Et*8|t*8|t*8|t*8mL\"",
    "\"model\": \"llama-3.1-8b\", \"engine\": \"vllm\", \"seq\": 8192, \"batch\": 4, \"kv\": \"fp8\"",
    "\"model\": \"mixtral-8x7b\", \"engine\": \"vllm\", \"tp\": 2, \"dp\": 2, \"ep\": 4, \"max_model_len\": 16384, \"enforce_eager\": true",
    "\"model\": \"gpt3-175b\", \"tp\": 8, \"weights\": \"nf4\"",
    "\"model\": \"llama-2-7b\", \"engine\": \"vllm\", \"weights\": \"int4\", \"gpu_memory_utilization\": 85, \"max_num_seqs\": 16, \"max_num_batched_tokens\": 4096",
    "\"model\": \"llama-2-7b\", \"engine\": \"llamacpp\", \"weights\": \"q4_k\", \"kv\": \"int8\", \"pp\": 2, \"batch\": 3",
    "\"model\": \"llama-2-7b\", \"engine\": \"hf\", \"weights\": \"fp16\", \"attention\": \"eager\"",
    "\"model\": \"qwen2.5-7b\", \"engine\": \"vllm\", \"weights\": \"fp32\", \"kv\": \"fp32\", \"offload\": [\"parameters\"]",
    "\"mode\": \"training\", \"model\": \"llama-3.1-8b\", \"dp\": 8, \"zero\": \"3\", \"shard\": 4, \"seq\": 4096, \"batch\": 2",
    "\"mode\": \"training\", \"model\": \"llama-3.1-8b\", \"recipe\": \"pure\", \"optimizer\": \"adamw8bit\", \"checkpointing\": \"full\"",
    "\"mode\": \"training\", \"model\": \"llama-3.1-8b\", \"recipe\": \"autocast\", \"weights\": \"fp32\", \"dp\": 4, \"zero\": \"2\", \"offload\": [\"optimizer\"], \"loss\": \"chunked\"",
    "\"mode\": \"training\", \"model\": \"gpt2-xl\", \"implementation\": \"torchtitan\", \"tp\": 5, \"pp\": 4, \"micro_batches\": 8, \"virtual_stages\": 2, \"compile\": true",
    "\"mode\": \"training\", \"model\": \"qwen3-30b-a3b\", \"implementation\": \"torchtitan\", \"dp\": 16, \"zero\": \"3\", \"ep\": 8, \"checkpointing\": \"per-op\", \"no_reshard_after_forward\": true",
    "\"mode\": \"qlora\", \"model\": \"llama-2-7b\", \"lora_rank\": 64, \"lora_targets\": [\"q\", \"v\"], \"lora_dropout\": true, \"no_kbit_upcast\": true",
    "\"mode\": \"training\", \"model\": \"llama-3.1-8b\", \"dp\": 8, \"zero\": \"3\", \"rl\": \"grpo\", \"vllm_enable_sleep_mode\": true, \"vllm_gpu_memory_utilization\": 35, \"reference\": \"resident\"",
    "\"mode\": \"lora\", \"model\": \"mixtral-8x7b\", \"lora_dtype\": \"bf16\", \"lora_targets\": [\"q\", \"k\", \"v\", \"o\", \"mlp\"], \"step\": \"foreach\"",
];

const EXTRA: [&str; 4] = [
    "",
    ", \"gpu\": \"h100-sxm\"",
    ", \"gradients\": \"freed\", \"cp\": 1, \"sequence_parallel\": true",
    ", \"async_tp\": true, \"quantised_experts\": true, \"engine_version\": \"0.29\"",
];

/// `cargo xtask exports` hands every target to its parser, or says that there is none.
#[test]
fn every_target_has_cases_for_its_parser() {
    let cases = include_str!("../../tests/exports/cases.txt");
    let check = include_str!("../../tests/exports/check.py");
    for target in Target::ALL {
        assert!(cases.lines().any(|line| line.split(' ').next() == Some(target.id())), "{}", target.id());
        assert!(check.contains(&format!("\"{}\": [", target.id())), "{}", target.id());
    }
}

/// A checkpoint that is published in few bits is loaded as it is stored, and another format is another checkpoint.
#[test]
fn published_formats_need_no_word() {
    for target in [Target::Vllm, Target::Sglang] {
        let stored = exported("\"model\": \"deepseek-v3\", \"weights\": \"fp8-block\", \"tp\": 8", target).text;
        assert!(stored.contains("weights fp8-block: as ") || stored.contains("weights fp8-block; "), "{stored}");
        assert!(!stored.contains("--quantization") && !stored.contains("--dtype"), "{stored}");
        let other = exported("\"model\": \"deepseek-v3\", \"weights\": \"bf16\", \"tp\": 16", target).text;
        assert!(
            other.contains("\"${QUANTISED_MODEL:?the id or the folder of deepseek-v3 with bf16 weights}\""),
            "{other}"
        );
    }
    let seeing = exported("\"model\": \"gemma-3-27b-text\"", Target::Vllm).text;
    assert!(seeing.contains("the plan counts the language model"), "{seeing}");
}

/// A GPU before Ampere has neither bf16 nor kernels of flash-attn, whatever the frozen or the kept weights are in.
#[test]
fn a_gpu_without_bf16_is_not_told_to_use_it() {
    let text = |gpu: &str, rest: &str, target| {
        exported(&format!("\"model\": \"mistral-7b-v0.3\", \"gpu\": \"{gpu}\", \"seq\": 1024, {rest}"), target).text
    };
    let qlora = "\"mode\": \"qlora\"";
    for (gpu, old) in [("t4", true), ("v100-sxm2-16", true), ("rtx2080ti", true), ("a10g", false), ("mi300x", false)] {
        let [half, other] = if old { ["fp16", "bf16"] } else { ["bf16", "fp16"] };
        for (target, told) in [
            (Target::Axolotl, format!("\n{half}: true")),
            (Target::TrainingArguments, format!("\"{half}\": true")),
            (Target::Accelerate, format!("mixed_precision: {half}")),
            (Target::DeepSpeed, format!("\"{half}\": {{")),
        ] {
            let rest = if target == Target::DeepSpeed { "\"mode\": \"qlora\", \"zero\": \"3\"" } else { qlora };
            let text = text(gpu, rest, target);
            assert!(text.contains(&told) && !text.contains(&format!("{other}:")), "{gpu}\n{text}");
        }
        for mode in [qlora, "\"mode\": \"lora\"", "\"mode\": \"training\", \"recipe\": \"pure\""] {
            let text = text(gpu, mode, Target::Axolotl);
            assert!(text.contains(if old { "attn_implementation: sdpa" } else { "flash_attention_2" }), "{text}");
            assert_eq!(text.contains("flash_attention_2"), !old, "{text}");
            assert_eq!(memory_wall_plan::import::import(&text).unwrap().not_understood().count(), 0, "{text}");
        }
        let autocast = "\"mode\": \"training\", \"recipe\": \"autocast\", \"weights\": \"fp32\"";
        assert!(text(gpu, autocast, Target::TrainingArguments).contains(&format!("\"{half}\": true")), "{gpu}");
        let dtype = if old { "float16" } else { "bfloat16" };
        assert!(text(gpu, autocast, Target::DeepSpeed).contains(&format!("\"dtype\": \"{dtype}\"")), "{gpu}");
    }
}

/// Qwen2.5's repositories in int4 are instructed models of 32,768 tokens, and the model of the table takes four times as many.
#[test]
fn a_longer_request_than_the_repository_takes_is_not_written_bare() {
    let command = |text: &str| text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");
    for model in ["qwen2.5-7b", "qwen2.5-32b", "qwen2.5-72b"] {
        let options = |seq: u32| format!("\"model\": \"{model}\", \"weights\": \"int4\", \"seq\": {seq}");
        for target in [Target::Vllm, Target::Sglang, Target::TrtllmServe] {
            let short = exported(&options(32_768), target).text;
            assert!(command(&short).contains("-Instruct-AWQ \\") && !short.contains("--hf-overrides"), "{short}");
            let long = exported(&options(32_769), target).text;
            let told = command(&long);
            assert_eq!(told.contains("-AWQ"), target == Target::Vllm, "{long}");
            assert_eq!(told.contains("QUANTISED_MODEL"), target != Target::Vllm, "{long}");
            let yarn = "--hf-overrides '{\"rope_parameters\": {\"rope_type\": \"yarn\", \"rope_theta\": 1000000, \"factor\": 4.0, \"original_max_position_embeddings\": 32768}}'";
            assert_eq!(told.contains(yarn), target == Target::Vllm, "{long}");
            let read = memory_wall_plan::import::import(&long).unwrap();
            assert_eq!(read.not_understood().count(), 0, "{long}");
        }
        // The published repository accepts requests as long as those of the plan.
        assert!(!exported(&format!("\"model\": \"{model}\", \"seq\": 131072"), Target::Vllm).text.contains("--hf"));
    }
    let own = exported(
        "\"model\": \"qwen2.5-7b\", \"weights\": \"int4\", \"engine\": \"sglang\", \"context_length\": 65536",
        Target::Sglang,
    );
    assert!(own.text.contains("QUANTISED_MODEL"), "{}", own.text);
}

/// A plan in few bits is no command that loads the repository in 16 bits: it names one that holds them, or a shell refuses it.
#[test]
fn no_command_loads_other_weights_than_the_plan_has() {
    for target in [Target::Vllm, Target::Sglang, Target::TrtllmServe] {
        let options = |model: &str| format!("\"model\": \"{model}\", \"weights\": \"int4\"");
        let command = |text: &str| text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");
        let known = exported(&options("llama-3.1-70b"), target).text;
        assert!(command(&known).contains(" hugging-quants/Meta-Llama-3.1-70B-Instruct-AWQ-INT4 \\"), "{known}");
        assert!(known.contains("#   weights int4: hugging-quants/"), "{known}");
        let unknown = exported(&options("llama-2-13b"), target).text;
        assert!(!command(&unknown).contains("meta-llama"), "{unknown}");
        assert!(unknown.contains("meta-llama/Llama-2-13b-hf is stored in another format than int4"), "{unknown}");
        let run = std::process::Command::new("sh").arg("-c").arg(&unknown).env_remove("QUANTISED_MODEL").output();
        let run = run.unwrap();
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(!run.status.success() && said.contains("the folder of llama-2-13b with int4 weights"), "{said}");
        // What a server brings to the format itself, it is told.
        let plain = exported("\"model\": \"llama-2-13b\"", target).text;
        assert!(command(&plain).contains("meta-llama/Llama-2-13b-hf"), "{plain}");
    }
    let fp8 = exported("\"model\": \"llama-2-13b\", \"weights\": \"fp8\"", Target::Vllm).text;
    assert!(fp8.contains("vllm serve meta-llama/Llama-2-13b-hf \\\n  --quantization fp8 \\\n"), "{fp8}");
}
