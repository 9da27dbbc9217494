//! `memory-wall explain` as it is run: text, JSON, standard input, several files, exit codes; nothing secret is shown.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod common;

use common::{program, run, run_on, scratch};
use serde_json::Value;

const MESSAGE: &str = "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0 has a total capacity of 23.64 GiB of which 512.00 MiB is free. Including non-PyTorch memory, this process has 23.10 GiB memory in use. Of the allocated memory 22.00 GiB is allocated by PyTorch, and 0.60 GiB is reserved by PyTorch but unallocated.\n";

const LOG: &str = "(APIServer pid=1) INFO 10-13 [utils.py:233] non-default args: {'host': '10.1.2.3', 'api_key': 'sk-secret', 'model': '/srv/alice/models/Llama-3.1-8B-Instruct', 'max_model_len': 131072, 'gpu_memory_utilization': 0.95}\n\
(EngineCore pid=2) INFO 10-13 [core.py:93] Initializing a V1 LLM engine (v0.19.0) with config: model='/srv/alice/models/Llama-3.1-8B-Instruct', dtype=torch.bfloat16, max_seq_len=131072, tensor_parallel_size=1, quantization=None, kv_cache_dtype=auto\n\
(EngineCore pid=2) INFO 10-13 [gpu_model_runner.py:1] Model loading took 14.99 GiB memory and 3.2 seconds\n\
(EngineCore pid=2) INFO 10-13 [gpu_worker.py:1] Available KV cache memory: 58.11 GiB\n\
(EngineCore pid=2) INFO 10-13 [kv_cache_utils.py:1] GPU KV cache size: 476,016 tokens\n";

fn json(line: &str, input: &str) -> (i32, Value) {
    let run = run_on(&format!("{line} --json"), input.as_bytes());
    (run.code, serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}{}", run.out, run.err)))
}

#[test]
fn a_message_alone() {
    let run = run_on("explain - --unit gib", MESSAGE.as_bytes());
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    for line in [
        "PyTorch ran out of GPU memory  standard input      1      1",
        "Asked for when no memory was left      1.96 GiB   about 2,104,533,975     1",
        "Outside PyTorch in this process (context, NCCL, libraries): 512 MiB.",
        "Without fragmentation the request would still have lacked 870 MiB.",
        "Model: not known (nothing names it). State it with --model or --config to see the estimate beside",
        "Likeliest cause: The GPU is full. PyTorch has allocated 22.0 GiB of 23.6 GiB",
    ] {
        assert!(run.out.contains(line), "{line}\n{}", run.out);
    }
    let (code, value) = json("explain", MESSAGE);
    assert_eq!(code, 1);
    let facts = value["reports"][0]["facts"].as_array().unwrap();
    let asked = &facts[0];
    assert_eq!(
        (asked["what"].as_str(), asked["bytes"].as_i64(), asked["device"].as_str()),
        (Some("requested"), Some(2_104_533_975), Some("gpu0"))
    );
    // Half a hundredth of a GiB to each side.
    assert_eq!(
        (asked["least_bytes"].as_i64(), asked["most_bytes"].as_i64()),
        (Some(2_099_165_266), Some(2_109_902_685))
    );
    assert_eq!((asked["line"].as_u64(), asked["column"].as_u64()), (Some(1), Some(72)));
    assert_eq!(value["would_fit_without_fragmentation"].as_bool(), Some(false));
    assert_eq!(value["outside_pytorch_bytes"].as_i64(), Some(24_803_436_134 - 23_622_320_128 - 644_245_094));
}

#[test]
fn a_gpu_that_the_table_does_not_have_is_named() {
    let log = "  Device 0: AMD Radeon RX 6800, gfx1030 (0x1030), VMM: no, Wave Size: 32\nllama_model_load_from_file_impl: using device ROCm0 (AMD Radeon RX 6800) (0000:2d:00.0) - 16048 MiB free\nload_tensors:        ROCm0 model buffer size =  5000.00 MiB\n";
    let run = run_on("explain -", log.as_bytes());
    assert!(run.out.contains("GPU: AMD Radeon RX 6800, which the table doesn't have."), "{}", run.out);
}

#[test]
fn every_figure_that_no_table_shows_is_listed_with_its_line() {
    let log = "  Device 0: NVIDIA GeForce RTX 4070 Ti, compute capability 8.9, VMM: yes\n  Device 1: NVIDIA GeForce RTX 3090 Ti, compute capability 8.6, VMM: yes\n\
        llm_load_tensors:        CPU buffer size =  1600.00 MiB\nllm_load_tensors:      CUDA0 buffer size =  5400.00 MiB\nllm_load_tensors:      CUDA1 buffer size = 14000.00 MiB\n\
        llama_kv_cache_init:      CUDA0 KV buffer size =   216.00 MiB\nllama_kv_cache_init:      CUDA1 KV buffer size =   216.00 MiB\n";
    let run = run_on("explain - --unit gib", log.as_bytes());
    for line in [
        "Weights                 18.9 GiB",
        "Weights in host memory  1.56 GiB",
        "The text names 2 different GPUs; what is said of the GPU is about the first, and the figures of",
        "Also read in standard input (log of llama.cpp)  Of                           Value  Line",
        "GPU                                             GPU 1   NVIDIA GeForce RTX 3090 Ti     2",
        "Weights                                         host                      1.56 GiB     3",
        "Weights                                         GPU 1                     13.7 GiB     5",
        "KV cache                                        2 GPUs                     216 MiB     6",
    ] {
        assert!(run.out.contains(line), "{line}\n{}", run.out);
    }
    // What a row says by itself is not said again.
    let one = run_on("explain -", b"Loading model weights took 14.50 GB\nGPU KV cache size: 476,016 tokens\n");
    assert!(!one.out.contains("Also read"), "{}", one.out);
    // A GPU that the table doesn't have keeps its name beside its memory.
    let csv = "device,VRAM Total Memory (B),VRAM Total Used Memory (B),Card Series\ncard0,21458059264,27856896,Radeon RX 5000 Special\n";
    let run = run_on("explain -", csv.as_bytes());
    assert!(run.out.contains("GPU: Radeon RX 5000 Special, 21.5 GB, which the table doesn't have."), "{}", run.out);
}

#[test]
fn options_state_what_the_message_does_not_say() {
    let (code, value) =
        json("explain --model llama-3.2-1b --mode training --batch 4 --seq 2048 --gpu rtx4090", MESSAGE);
    assert_eq!(code, 1);
    assert_eq!(value["model"]["known_by"], "stated");
    assert_eq!(value["scenario"]["batch"].as_u64(), Some(4));
    assert_eq!(value["tensors"][0]["tensor"], "logits");
    assert_eq!(value["tensors"][0]["bytes"].as_u64(), Some(4 * 2_048 * 128_256 * 2));
    assert_eq!(value["changes"].as_array().unwrap().len(), 3);
    // The same settings as estimate's, and its sum beside what was held and asked for.
    let (_, estimate) =
        common::json("estimate --model llama-3.2-1b --mode training --batch 4 --seq 2048 --gpu rtx4090");
    let context = 512 << 20;
    let term = &value["terms"][0];
    assert_eq!(term["reported"].as_i64(), Some(23_622_320_128 + 2_104_533_975));
    assert!(
        term["estimated"].as_i64().unwrap().abs_diff(estimate["total_bytes"].as_i64().unwrap() - context) < 64 << 20
    );
}

#[test]
fn a_log_of_a_server_that_stands() {
    let path = scratch("explain-vllm.log", LOG.as_bytes());
    let run = run(&format!("explain {} --gpu h100-sxm --unit gib", path.display()));
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    for line in [
        "log of vLLM 0.19.0  explain-vllm.log    1-5      1",
        "Model: Llama 3.1 8B (llama-3.1-8b), by its name.",
        "GPU: H100 SXM5 80GB (h100-sxm), 79.1 GiB.",
        "Weights                 15.0 GiB   15.0 GiB        same",
    ] {
        assert!(run.out.contains(line), "{line}\n{}", run.out);
    }
    assert!(!run.out.contains("Likeliest cause"), "{}", run.out);
}

#[test]
fn nothing_secret_is_shown() {
    let secrets = ["alice", "/srv", "10.1.2.3", "sk-secret", "api_key", "pid"];
    let training = "base_model: /scratch/alice/secret-project/my-model\nhub_token: hf_abcdef\nmicro_batch_size: 2\nsequence_len: 512\n";
    let trace = "Traceback (most recent call last):\n  File \"/srv/alice/train.py\", line 3, in forward\n    x = self.mlp(x)  # sk-secret\n";
    let text = format!("HF_TOKEN=hf_abcdef\nalice@host-7:~$ python train.py\n{training}{LOG}{trace}{MESSAGE}");
    for line in ["explain -", "explain - --json"] {
        let run = run_on(line, text.as_bytes());
        for secret in secrets.iter().chain(&["hf_abcdef", "host-7", "secret-project", "scratch"]) {
            assert!(!run.out.contains(secret) && !run.err.contains(secret), "{secret}: {}{}", run.out, run.err);
        }
    }
}

#[test]
fn what_an_option_says_is_not_missing() {
    let said = |options: &str| {
        let text = run_on(&format!("explain - {options}"), MESSAGE.as_bytes()).out;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let training = "--model llama-3.1-8b --mode training";
    let text = said(&format!("{training} --batch 4"));
    let missing = "No estimate: Tokens of a sequence is not in the text; --seq states it. Term Reported";
    assert!(text.contains(missing) && !text.contains("--batch states it"), "{text}");
    assert!(
        text.contains("Without what is missing above there is no estimate") && !text.contains("Without a model"),
        "{text}"
    );
    let text = said(training);
    assert!(text.contains("--batch states it") && text.contains("--seq states it"), "{text}");
    let text = said(&format!("{training} --batch 4 --seq 2048"));
    assert!(!text.contains("No estimate") && text.contains("--recipe states it"), "{text}");
    let text = said(&format!("{training} --batch 4 --seq 2048 --recipe pure"));
    assert!(!text.contains("--recipe states it"), "{text}");
    assert!(said("").contains("Without a model there is no estimate"), "{text}");
}

#[test]
fn several_files_are_read_together() {
    let log = scratch("explain-a.log", LOG.as_bytes());
    let message = scratch("explain-b.txt", MESSAGE.as_bytes());
    let run = run(&format!("explain {} {}", log.display(), message.display()));
    assert_eq!(run.code, 1);
    for line in ["explain-a.log", "explain-b.txt", "Model: Llama 3.1 8B (llama-3.1-8b), by its name."] {
        assert!(run.out.contains(line), "{line}\n{}", run.out);
    }
    let config = run_config(&log);
    assert!(config.contains("Contradictions:") && config.contains("Two models are named"), "{config}");
}

/// The header of a safetensors file whose data is not there.
fn safetensors() -> Vec<u8> {
    let header = br#"{"__metadata__":{"path":"/srv/alice/out"},"model.embed_tokens.weight":{"dtype":"BF16","shape":[128256,2048],"data_offsets":[0,525336576]}}"#;
    [&(header.len() as u64).to_le_bytes()[..], header].concat()
}

#[test]
fn files_are_read_by_their_content() {
    let file = scratch("explain-model.bin", &safetensors());
    let run = run(&format!("explain {} llama-3.1-8b.json --unit gib", file.display()));
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    for line in [
        "header of a safetensors file  explain-model.bin",
        "Embedding, BF16                  1  501 MiB  525,336,576",
        "The file is not complete: 525336576 bytes of its data are missing.",
        "KV cache of one token, in 16 bits",
        "Model: the model of the config, by its config.json.",
    ] {
        assert!(run.out.contains(line), "{line}\n{}", run.out);
    }
    assert!(!run.out.contains("alice"), "{}", run.out);
}

#[test]
fn a_measured_step_stands_beside_its_estimate() {
    let report = include_bytes!("../../reports/tests/reports/llama_tiny_bf16.json");
    let file = scratch("explain-step.json", report);
    let run = run(&format!("explain {}", file.display()));
    assert_eq!(run.code, 0, "{}", run.err);
    for line in ["report of memory_report.py 2.15.0+cu132", "training, batch 2, seq_length 64", "model.layers.1 "] {
        assert!(run.out.contains(line), "{line}\n{}", run.out);
    }
    // The same, piped.
    let piped = run_on("explain - --json", report);
    let value: Value = serde_json::from_str(&piped.out).unwrap();
    let parts = &value["files"][0]["parts"];
    assert_eq!((&parts[0]["part"], &parts[0]["measured_bytes"]), (&"weights".into(), &1_552_128.into()));
    assert_eq!(parts[0]["measured_bytes"], parts[0]["estimated_bytes"]);
    assert_eq!(value["model"]["known_by"], "file");
}

#[test]
fn files_that_are_not_read_are_named_with_the_reason() {
    let packed = scratch("explain-packed.gz", b"\x1f\x8b\x08\0\0\0\0\0");
    let log = scratch("explain-beside.log", LOG.as_bytes());
    let both = run(&format!("explain {} {}", packed.display(), log.display()));
    assert_eq!(both.code, 0, "{}", both.err);
    assert!(both.out.contains("explain-packed.gz is not read: "), "{}", both.out);
    let (code, value) = json(&format!("explain {} -", packed.display()), LOG);
    assert_eq!((code, &value["not_read"][0]["text"]), (0, &"explain-packed.gz".into()));
    let pickle = scratch("explain-evil.pickle", b"\x80\x04cos\nsystem\n(S'echo'\ntR.");
    for (file, why) in [(&packed, "explain-packed.gz is not read: "), (&pickle, "explain-evil.pickle is not read: ")] {
        let alone = run(&format!("explain {}", file.display()));
        assert_eq!((alone.code, alone.out.as_str()), (2, ""));
        assert!(alone.err.starts_with(&format!("memory-wall: {why}")), "{}", alone.err);
    }
    // A log whose lines are JSON objects is a text all the same.
    let lines = format!("{{\"step\": 1}}\n{{\"step\": 2}}\n{LOG}");
    assert_eq!(run_on("explain -", lines.as_bytes()).code, 0);
}

/// The log beside a config of another model.
fn run_config(log: &std::path::Path) -> String {
    run(&format!("explain {} qwen2.5-7b.json", log.display())).out
}

#[test]
fn what_cannot_be_used_is_refused() {
    let refused = |run: common::Run, message: &str| {
        assert_eq!((run.code, run.out.as_str()), (2, ""));
        assert!(run.err.starts_with(&format!("memory-wall: {message}")), "{}", run.err);
    };
    refused(run("explain no-such-file.log"), "\"no-such-file.log\" does not exist");
    refused(run("explain ."), "\".\" is a directory, not a file");
    refused(
        run_on("explain -", b"hello\nworld\n"),
        "standard input holds nothing that is known in 2 lines: explain reads messages",
    );
    refused(run_on("explain", &[0, 159, 146, 150]), "standard input holds nothing that is known in 1 lines");
    refused(run_on("explain --model lama", MESSAGE.as_bytes()), "--model \"lama\" is not known");
    refused(run_on("explain --frobnicate", MESSAGE.as_bytes()), "explain has no option \"--frobnicate\"");
    refused(run("estimate x.log"), "estimate takes options only, not \"x.log\"");
    let help = program().args(["help", "explain"]).output().unwrap();
    assert!(String::from_utf8(help.stdout).unwrap().starts_with("memory-wall explain [FILE|-]... [options]\n"));
}

/// A log of 0.29 (Qwen3.8 27B on 96 GB): the server's own way out is named first.
#[test]
fn fewer_sequences_come_first_where_states_are_missing() {
    let log = "INFO Initializing a V1 LLM engine (v0.29.0) with config: model='Qwen/Qwen3.5-27B', dtype=torch.bfloat16, max_seq_len=8192\n\
        ValueError: max_num_seqs (1024) exceeds available Mamba cache blocks (635). Each decode sequence requires one Mamba cache block.\n";
    let (code, value) = json("explain --gpu rtxpro6000", log);
    assert_eq!((code, value["changes"][0]["change"].as_str()), (1, Some("fewer-sequences")), "{value}");
    let text = run_on("explain --gpu rtxpro6000", log.as_bytes()).out;
    assert!(text.contains("1. fewer-sequences: --max-num-seqs 635"), "{text}");
    // Where the estimate has less room than the server says, it does not contradict the server (vLLM issue 49064).
    let more = log.replace("0.29.0", "0.28.0").replace("max_seq_len=8192", "max_seq_len=262144").replace("635", "969");
    let (code, value) = json("explain --gpu h100-sxm", &more);
    let first = &value["changes"][0];
    assert_eq!((code, first["change"].as_str()), (1, Some("fewer-sequences")), "{value}");
    assert!(first["verdict"].is_null(), "{first}");
}
