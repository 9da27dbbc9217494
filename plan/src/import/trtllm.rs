//! `trtllm-serve` of TensorRT-LLM.
//!
//! # Source
//! TensorRT-LLM, `tensorrt_llm/commands/serve.py` at 00209af (2026). Read 2026-11-25.

use super::Meaning;
use super::reading::{self, Item, Reading, Syntax, says, unknown, unread};
use super::words::{Command, Word};

const SYNTAX: Syntax = Syntax {
    switches: &["--trust_remote_code", "--enable_chunked_prefill", "--fail_fast_on_attention_window_too_large"],
    underscores: false,
};

const WITHOUT_EFFECT: &[&str] = &[
    "--host",
    "--port",
    "--log_level",
    "--tokenizer",
    "--custom_tokenizer",
    "--revision",
    "--trust_remote_code",
    "--chat_template",
    "--reasoning_parser",
    "--tool_parser",
    "--gpus_per_node",
    "--num_postprocess_workers",
    "--otlp_traces_endpoint",
    "--fail_fast_on_attention_window_too_large",
];

/// How many words name the server, if the command starts it: the word `serve` may be left out.
pub(super) fn named(command: &Command) -> Option<usize> {
    let program = (0..command.words.len()).find(|place| command.pair(*place).0 == "trtllm-serve")?;
    let behind = program.checked_add(1)?;
    if command.at(behind) == "serve" { behind.checked_add(1) } else { Some(behind) }
}

pub(super) fn read(reading: &mut Reading, words: &[Word]) {
    reading.say("engine", "trtllm");
    reading.options(words, &SYNTAX, meaning);
}

fn meaning(item: &Item) -> Meaning {
    let text = item.text();
    match item.name.as_str() {
        "" => reading::model(text),
        "--tensor_parallel_size" | "--tp_size" => says("tp", text),
        "--pipeline_parallel_size" | "--pp_size" => says("pp", text),
        "--context_parallel_size" | "--cp_size" => says("cp", text),
        "--moe_expert_parallel_size" | "--ep_size" => says("ep", text),
        "--max_batch_size" => reading::all([("max_batch_size", text), ("batch", text)]),
        "--max_num_tokens" => says("max_num_tokens", text),
        "--max_seq_len" => reading::because(
            reading::all([("max_seq_len", text), ("seq", text)]),
            "every request is counted as long as the longest; seq says how long they are",
        ),
        "--free_gpu_memory_fraction" | "--kv_cache_free_gpu_memory_fraction" => {
            reading::share("kv_cache_free_gpu_memory_fraction", text)
        }
        "--backend" if text == "pytorch" => Meaning::WithoutEffect,
        "--backend" => unread("the backend that is modelled is pytorch"),
        "--config" | "--extra_llm_api_options" => {
            unread("what the file says is not read, and it overrules the command")
        }
        name if WITHOUT_EFFECT.contains(&name) => Meaning::WithoutEffect,
        _ => unknown(),
    }
}
