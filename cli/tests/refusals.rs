//! Input that cannot be used: exit code 2, nothing on standard output, and one line that says what is expected.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod common;

use common::{Run, all_refused, assert_refused, program, run, run_on, scratch};
use memory_wall_core::config::FAMILIES;
use memory_wall_core::{Optimizer, WeightFormat};

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
            "estimate --model deepseek-v3 --recompute-modules mla_up_proj,gdn_norm_out",
            "--recompute-modules takes core_attn, layernorm, mla_up_proj, moe_act, mlp, moe or shared_experts, several with commas between them, not \"gdn_norm_out\"",
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
            "--mode qlora: weights GGUF Q4_K_M cannot be frozen: qlora takes int8, int4, int4-g32, nf4, nf4-dq; \
             peft has no adapters beside GGUF files, which transformers unpacks to 16 bits",
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
