//! `vllm serve`, by the names that [`crate::export`] writes and their short ones.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use memory_wall_core::tables::drafts::{self, Draft};

use super::Meaning;
use super::reading::{self, Item, Reading, Syntax, says, unknown, unread};
use super::words::{Command, Word};
use crate::node::Json;
use crate::{hub, json};

/// The options without a value that are common.
const SYNTAX: Syntax = Syntax {
    switches: &[
        "--enable-expert-parallel",
        "-ep",
        "--enforce-eager",
        "--trust-remote-code",
        "--enable-auto-tool-choice",
        "--enable-prefix-caching",
        "--no-enable-prefix-caching",
        "--enable-chunked-prefill",
        "--no-enable-chunked-prefill",
        "--async-scheduling",
        "--disable-log-requests",
        "--disable-log-stats",
        "--enable-log-requests",
        "--disable-custom-all-reduce",
        "--enable-lora",
    ],
    underscores: true,
};

/// How many images and videos a request may bring.
const LIMITS: &str = "--limit-mm-per-prompt";

/// Options that change no memory that is counted.
const WITHOUT_EFFECT: &[&str] = &[
    "--host",
    "--port",
    "--api-key",
    "--served-model-name",
    "--tokenizer",
    "--tokenizer-mode",
    "--trust-remote-code",
    "--revision",
    "--download-dir",
    "--load-format",
    "--seed",
    "--chat-template",
    "--enable-auto-tool-choice",
    "--tool-call-parser",
    "--reasoning-parser",
    "--disable-log-requests",
    "--disable-log-stats",
    "--enable-log-requests",
    "--uvicorn-log-level",
    "--async-scheduling",
    "--generation-config",
    "--distributed-executor-backend",
];

/// How many words name the server, if the command starts it: by its own name, as a Python module, or by its image.
pub(super) fn named(command: &Command) -> Option<usize> {
    for place in 0..command.words.len() {
        let module = command.at(place) == "-m";
        let (program, next) = command.pair(place);
        if program == "vllm" && next == "serve" || module && next == "vllm.entrypoints.openai.api_server" {
            return place.checked_add(2);
        }
        if command.at(place).contains("vllm/vllm-openai") {
            return place.checked_add(1);
        }
    }
    None
}

pub(super) fn read(reading: &mut Reading, words: &[Word]) {
    reading.say("engine", "vllm");
    let (mut spreads, mut adapters) = (false, false);
    let items: Vec<Item> = reading::options(words, &SYNTAX).into_iter().collect();
    let text_only = serves_text_only(&items);
    for item in items {
        if item.name.starts_with(LIMITS) {
            let why = "the vision tower is left out where image and video are both 0 (language_model_only)";
            reading.keep(&item, if text_only { says("language_model_only", "") } else { unread(why) });
            continue;
        }
        if matches!(item.name.as_str(), "--enable-expert-parallel" | "-ep") && item.on() {
            spreads = true;
        }
        adapters |= item.name == "--enable-lora" && item.on();
        reading.option(&item, meaning);
    }
    if adapters && reading.said_count("max_loras").is_none() {
        reading.say("max_loras", "1");
    }
    if spreads {
        // Over all ranks of tensor and data parallelism, however many these are.
        let ranks = [reading.said_count("tp"), reading.said_count("dp")];
        let all = ranks.into_iter().flatten().fold(1_u32, u32::saturating_mul);
        if all > 1 {
            reading.say("ep", &all.to_string());
        }
    }
}

/// Whether the limits of inputs, as JSON, as `image=0,video=0` or each as an option of its own, let in neither images nor videos, so that vLLM makes no tower. What is not named is not limited.
fn serves_text_only(items: &[Item]) -> bool {
    let mut zeros: Vec<String> = Vec::new();
    for item in items {
        let Some(behind) = item.name.strip_prefix(LIMITS) else { continue };
        let text = item.text();
        let limits: Vec<(String, bool)> = if let Some(key) = behind.strip_prefix('.') {
            [(key.into(), text == "0")].into()
        } else if let Ok(node) = json::read(text) {
            let entries = node.value.entries().iter();
            entries.map(|entry| (entry.key.clone(), entry.node.value.count() == Some(0))).collect()
        } else {
            let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
            pairs.map(|(key, limit)| (key.trim().into(), limit.trim() == "0")).collect()
        };
        if limits.iter().any(|(_, zero)| !zero) {
            return false;
        }
        zeros.extend(limits.into_iter().map(|(key, _)| key));
    }
    ["image", "video"].iter().all(|key| zeros.iter().any(|zero| zero == key))
}

/// The release in the tag of an image, `vllm/vllm-openai:v0.11.0`: memory and refusals differ by release.
pub(super) fn release(reading: &mut Reading, image: &Word) {
    let Some((_, tag)) = image.text.split_once("vllm/vllm-openai:") else { return };
    // "latest" and "nightly" are as new as what a plan takes by itself.
    let Some(numbers) = tag.strip_prefix('v').filter(|numbers| numbers.starts_with(|c: char| c.is_ascii_digit()))
    else {
        return;
    };
    let mut parts = numbers.split(['.', '-']);
    let release = parts.next().zip(parts.next()).map(|(major, minor)| alloc::format!("{major}.{minor}"));
    let known = release.map(|release| says("engine_version", &release));
    let meaning = match known {
        Some(said @ Meaning::Says(..)) => reading::because(said, "the release that the image is of"),
        _ => unread("the image's tag names no release that is known here (engine_version)"),
    };
    reading.keep(&Item { line: image.line, name: String::new(), value: Json::Text(image.text.clone()) }, meaning);
}

/// Tokens guessed ahead, by repetitions, by the model's own layers, or by a head or a model that is known.
fn speculation(text: &str) -> Meaning {
    let config = json::read(text).map_or(Json::Null, |node| node.value);
    let of = |key: &str| config.get(key).and_then(|node| node.value.text());
    let draft = of("model").and_then(|name| {
        let head = drafts::in_repository(name);
        head.or_else(|| hub::model(name).map(|model| Draft::model(model.id, model.architecture)))
    });
    let method = match (of("method"), of("model"), draft) {
        (Some("ngram"), ..) => "ngram",
        // Releases up to 0.12 name the family too, as in deepseek_mtp.
        (Some(method), ..) if method == "mtp" || method.ends_with("_mtp") => "mtp",
        (_, Some(_), None) => {
            return unread("this draft is not known: eagle3 heads and models that the command lists are (draft)");
        }
        (Some("eagle"), _, Some(_)) => "eagle",
        (Some("eagle3"), _, Some(_)) => "eagle3",
        (Some("draft_model"), _, Some(_)) => "draft_model",
        // What vLLM takes by the name of the draft.
        (None, _, Some(draft)) => {
            if draft.reads.is_some() {
                "eagle3"
            } else {
                "draft_model"
            }
        }
        _ => return unread("\"method\" may be \"mtp\", \"ngram\", \"eagle\", \"eagle3\" or \"draft_model\""),
    };
    let harmless = ["method", "model", "num_speculative_tokens", "prompt_lookup_max", "prompt_lookup_min"];
    if let Some(other) = config.entries().iter().find(|entry| !harmless.contains(&entry.key.as_str())) {
        return unread(&alloc::format!("{} of it is not read here", other.key));
    }
    let tokens = match config.get("num_speculative_tokens").map(|node| &node.value) {
        None => says("num_speculative_tokens", "1"),
        Some(Json::Number(text)) => says("num_speculative_tokens", text),
        Some(other) => unread(&alloc::format!("{} is no number of tokens", other.named())),
    };
    let drafted = draft.filter(|_| !matches!(method, "mtp" | "ngram")).map(|draft| says("draft", draft.id));
    match (says("speculative", method), tokens) {
        (Meaning::Says(mut options, note), Meaning::Says(more, _)) => {
            options.extend(more);
            if let Some(Meaning::Says(more, _)) = drafted {
                options.extend(more);
            }
            Meaning::Says(options, note)
        }
        (_, other) => other,
    }
}

fn meaning(item: &Item) -> Meaning {
    let text = item.text();
    match item.name.as_str() {
        "" | "--model" => reading::model(text),
        "--quantization" | "-q" => quantization(text),
        "--kv-cache-dtype" => match text {
            "auto" => Meaning::WithoutEffect,
            "fp8" | "fp8_e4m3" | "fp8_e5m2" => says("kv", "fp8"),
            "bfloat16" => says("kv", "bf16"),
            "float16" => says("kv", "fp16"),
            _ => unread("no cache of this type is counted"),
        },
        "--tensor-parallel-size" | "-tp" => says("tp", text),
        "--pipeline-parallel-size" | "-pp" => says("pp", text),
        "--data-parallel-size" | "-dp" => says("dp", text),
        "--enable-expert-parallel" | "-ep" => Meaning::Says(Vec::new(), Some("ep is all ranks of tp and dp")),
        "--max-model-len" => longest(text),
        "--max-num-seqs" => says("max_num_seqs", text),
        "--max-num-batched-tokens" => reading::tokens("max_num_batched_tokens", text),
        "--gpu-memory-utilization" => reading::share("gpu_memory_utilization", text),
        "--enable-lora" => Meaning::Says(Vec::new(), Some("one adapter at once where --max-loras says nothing")),
        "--max-loras" => says("max_loras", text),
        "--max-lora-rank" => says("max_lora_rank", text),
        "--hf-overrides" if text == hub::YARN => Meaning::WithoutEffect,
        "--speculative-config" => speculation(text),
        "--enforce-eager" if item.on() => says("enforce_eager", ""),
        "--language-model-only" if item.on() => says("language_model_only", ""),
        "--enable-prefix-caching" => says("prefix_caching", if item.on() { "on" } else { "off" }),
        "--no-enable-prefix-caching" if item.on() => says("prefix_caching", "off"),
        "--cpu-offload-gb" => unread("a plan offloads all weights or none (offload)"),
        name if WITHOUT_EFFECT.contains(&name) => Meaning::WithoutEffect,
        _ => unknown(),
    }
}

/// The longest request, which is taken as the length of all of them: no verdict is better than the truth then.
fn longest(text: &str) -> Meaning {
    let count: Option<String> = reading::human(text).map(|count| count.to_string());
    match count {
        Some(count) => reading::because(
            reading::all([("max_model_len", count.as_str()), ("seq", count.as_str())]),
            "every request is counted as long as the longest; seq says how long they are",
        ),
        None => unread("it takes a number of tokens here"),
    }
}

fn quantization(text: &str) -> Meaning {
    match text {
        "fp8" => says("weights", "fp8"),
        "awq" | "awq_marlin" | "gptq" | "gptq_marlin" => {
            reading::because(says("weights", "int4"), "4 bits in groups of 128, as most are")
        }
        "bitsandbytes" => says("weights", "nf4"),
        "mxfp4" => says("weights", "mxfp4"),
        "modelopt_fp4" => says("weights", "nvfp4"),
        _ => unread("which format this stores is not known from its name: weights says it"),
    }
}
