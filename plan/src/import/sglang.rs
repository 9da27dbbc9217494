//! The server of `SGLang`: `python -m sglang.launch_server` and `sglang serve`.

use alloc::string::ToString;

use super::Meaning;
use super::reading::{self, Item, Reading, Syntax, says, unknown, unread};
use super::words::{Command, Word};

const SYNTAX: Syntax = Syntax {
    switches: &[
        "--trust-remote-code",
        "--disable-cuda-graph",
        "--enable-torch-compile",
        "--enable-dp-attention",
        "--disable-radix-cache",
        "--enable-metrics",
        "--skip-server-warmup",
    ],
    underscores: false,
};

const WITHOUT_EFFECT: &[&str] = &[
    "--host",
    "--port",
    "--api-key",
    "--served-model-name",
    "--tokenizer-path",
    "--tokenizer-mode",
    "--trust-remote-code",
    "--revision",
    "--download-dir",
    "--load-format",
    "--log-level",
    "--chat-template",
    "--tool-call-parser",
    "--reasoning-parser",
    "--random-seed",
    "--disable-radix-cache",
    "--enable-metrics",
    "--skip-server-warmup",
];

/// How many words name the server, if the command starts it.
pub(super) fn named(command: &Command) -> Option<usize> {
    let starts = |place: &usize| {
        let (program, next) = command.pair(*place);
        command.at(*place) == "-m" && next == "sglang.launch_server" || program == "sglang" && next == "serve"
    };
    (0..command.words.len()).find(starts)?.checked_add(2)
}

pub(super) fn read(reading: &mut Reading, words: &[Word]) {
    reading.say("engine", "sglang");
    reading.options(words, &SYNTAX, meaning);
}

fn meaning(item: &Item) -> Meaning {
    let text = item.text();
    match item.name.as_str() {
        "--model-path" | "--model" | "" => reading::model(text),
        "--quantization" => match text {
            "fp8" | "w8a8_fp8" => says("weights", "fp8"),
            "w8a8_int8" => says("weights", "w8a8"),
            "awq" | "awq_marlin" | "gptq" | "gptq_marlin" => {
                reading::because(says("weights", "int4"), "4 bits in groups of 128, as most are")
            }
            "bitsandbytes" => says("weights", "nf4"),
            "mxfp4" => says("weights", "mxfp4"),
            "modelopt_fp4" => says("weights", "nvfp4"),
            _ => unread("which format this stores is not known from its name: weights says it"),
        },
        "--kv-cache-dtype" => match text {
            "auto" => Meaning::WithoutEffect,
            "fp8_e4m3" | "fp8_e5m2" => says("kv", "fp8"),
            "bf16" | "bfloat16" => says("kv", "bf16"),
            _ => unread("no cache of this type is counted"),
        },
        "--tp-size" | "--tensor-parallel-size" | "--tp" => says("tp", text),
        "--pp-size" | "--pipeline-parallel-size" | "--pp" => says("pp", text),
        "--dp-size" | "--data-parallel-size" | "--dp" => says("dp", text),
        "--ep-size" | "--expert-parallel-size" | "--ep" => says("ep", text),
        "--context-length" => reading::because(
            reading::human(text).map_or_else(unknown, |tokens| {
                let tokens = tokens.to_string();
                reading::all([("context_length", tokens.as_str()), ("seq", tokens.as_str())])
            }),
            "every request is counted as long as the longest; seq says how long they are",
        ),
        "--max-running-requests" => reading::all([("max_running_requests", text), ("batch", text)]),
        "--mem-fraction-static" => reading::share("mem_fraction_static", text),
        "--chunked-prefill-size" => says("chunked_prefill_size", text),
        "--max-total-tokens" => reading::tokens("max_total_tokens", text),
        "--disable-cuda-graph" => says("disable_cuda_graph", ""),
        "--cpu-offload-gb" => unread("a plan offloads all weights or none (offload)"),
        name if WITHOUT_EFFECT.contains(&name) => Meaning::WithoutEffect,
        _ => unknown(),
    }
}
