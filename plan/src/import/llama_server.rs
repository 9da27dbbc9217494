//! `llama-server` of llama.cpp, and its sisters that take the same options.

use alloc::string::ToString;
use alloc::vec::Vec;

use memory_wall_core::WeightFormat;

use super::Meaning;
use super::reading::{self, Item, Reading, Syntax, says, unknown, unread};
use super::words::{Command, Word};
use crate::hub;
use crate::node::Json;

const SYNTAX: Syntax = Syntax {
    switches: &[
        "--jinja",
        "--mlock",
        "--no-mmap",
        "--no-webui",
        "--metrics",
        "--verbose",
        "-v",
        "--cont-batching",
        "-cb",
        "--swa-full",
        "-kvu",
        "--kv-unified",
        "-no-kvu",
        "--no-kv-unified",
        "--cpu-moe",
        "-cmoe",
        "--no-kv-offload",
        "-nkvo",
    ],
    underscores: false,
};

const WITHOUT_EFFECT: &[&str] = &[
    "--host",
    "--port",
    "--api-key",
    "--alias",
    "-a",
    "--threads",
    "-t",
    "--threads-batch",
    "-tb",
    "--threads-http",
    "--jinja",
    "--mlock",
    "--no-mmap",
    "--no-webui",
    "--metrics",
    "--verbose",
    "-v",
    "--cont-batching",
    "-cb",
    "--temp",
    "--top-k",
    "--top-p",
    "--min-p",
    "--seed",
    "-s",
    "--chat-template",
    "--chat-template-file",
    "--reasoning-format",
    "--batch-size",
    "-b",
    "-no-kvu",
    "--no-kv-unified",
];

/// How many words name the server, if the command starts it.
pub(super) fn named(command: &Command) -> Option<usize> {
    let place = command.words.iter().position(|word| {
        let program = word.text.rsplit(['/', '\\']).next().unwrap_or_default();
        matches!(program.strip_suffix(".exe").unwrap_or(program), "llama-server" | "llama-cli")
    })?;
    place.checked_add(1)
}

pub(super) fn read(reading: &mut Reading, words: &[Word]) {
    reading.say("engine", "llamacpp");
    let items = reading::options(words, &SYNTAX);
    let find = |names: &[&str]| items.iter().rev().find(|item| names.contains(&item.name.as_str()));
    let slots = find(&["--parallel", "-np"]).and_then(Item::count).filter(|slots| *slots > 0).unwrap_or(1);
    let types =
        [&["--cache-type-k", "-ctk"], &["--cache-type-v", "-ctv"]].map(|names| find(names).map_or("f16", Item::text));
    let [keys, _] = types;
    let split = find(&["--split-mode", "-sm"]).map_or("layer", Item::text);
    for item in &items {
        let meaning = match item.name.as_str() {
            "--ctx-size" | "-c" => context(item, slots),
            "--cache-type-k" | "-ctk" | "--cache-type-v" | "-ctv" if types.iter().any(|kind| *kind != keys) => {
                let option = if item.name.ends_with(['k', 'K']) { "cache_type_k" } else { "cache_type_v" };
                says(option, item.text())
            }
            "--cache-type-k" | "-ctk" | "--cache-type-v" | "-ctv" => cache(keys),
            "--tensor-split" | "-ts" => shares(item.text(), split),
            _ => meaning(item),
        };
        reading.keep(item, meaning);
    }
    if reading.plan.get("kv").is_none() {
        reading.say("kv", "fp16");
    }
}

fn meaning(item: &Item) -> Meaning {
    let text = item.text();
    match item.name.as_str() {
        "--model" | "-m" => file(text),
        "-hf" | "-hfr" | "--hf-repo" => repository(text),
        "--parallel" | "-np" => says("batch", text),
        "--flash-attn" | "-fa" => match &item.value {
            Json::Bool(true) => says("attention", "flash"),
            _ => match text {
                "on" | "1" | "auto" => says("attention", "flash"),
                "off" | "0" => says("attention", "eager"),
                _ => unknown(),
            },
        },
        "--n-gpu-layers" | "-ngl" | "--gpu-layers" => match item.count() {
            _ if text == "all" || text == "auto" => Meaning::WithoutEffect,
            // What people write for all of them.
            Some(layers) if layers >= 99 => Meaning::WithoutEffect,
            _ => says("ngl", text),
        },
        "--n-cpu-moe" | "-ncmoe" => says("n_cpu_moe", text),
        "--cpu-moe" | "-cmoe" => says("cpu_moe", ""),
        "--override-tensor" | "-ot" if all_experts(text) => {
            reading::because(says("cpu_moe", ""), "the experts of all layers stay in host memory")
        }
        "--override-tensor" | "-ot" => unread(
            "which tensors a pattern takes is not worked out: --cpu-moe keeps all experts in host memory, --n-cpu-moe N those of the first N layers",
        ),
        "--swa-full" => says("swa_full", ""),
        "-kvu" | "--kv-unified" => says("kv_unified", ""),
        "--no-kv-offload" | "-nkvo" => says("no_kv_offload", ""),
        "--ubatch-size" | "-ub" => says("ubatch", text),
        "--fit" | "-fit" if item.on() => says("fit", ""),
        "--fit" | "-fit" => Meaning::WithoutEffect,
        "--split-mode" | "-sm" => match text {
            "none" | "layer" | "tensor" => Meaning::WithoutEffect,
            _ => unread("this split is not modelled: pp is the one by layers, and tp the one by tensors"),
        },
        name if WITHOUT_EFFECT.contains(&name) => Meaning::WithoutEffect,
        _ => unknown(),
    }
}

/// Whether a pattern for tensors sends the experts of all layers, and nothing else, to host memory: "exps=CPU" and its longer forms.
fn all_experts(pattern: &str) -> bool {
    let Some(names) = pattern.strip_suffix("=CPU") else { return false };
    let names = names.replace("\\.", ".");
    let names = names.trim_matches('.').trim_start_matches("blk.*.").trim_start_matches(".*");
    matches!(names, "exps" | "_exps" | "ffn_.*_exps" | "ffn_(gate|up|down)_exps" | "ffn_(up|down|gate)_exps" | "exps.*")
}

/// Cells of all slots together.
fn context(item: &Item, slots: u32) -> Meaning {
    match item.count().and_then(|cells| cells.checked_div(slots)) {
        Some(0) => unread("the context of the model is its own: seq says how long requests are"),
        Some(each) => reading::because(says("seq", &each.to_string()), "the cells of one of the slots"),
        None => unread("it takes a number of tokens here"),
    }
}

/// The type of both halves of the cache.
fn cache(kind: &str) -> Meaning {
    match kind {
        "f32" => says("kv", "fp32"),
        "f16" => says("kv", "fp16"),
        "bf16" => says("kv", "bf16"),
        "q8_0" => says("kv", "int8"),
        "q4_0" => says("kv", "int4"),
        _ => unread("no cache of this type is counted"),
    }
}

/// Equal shares of so many GPUs.
fn shares(text: &str, split: &str) -> Meaning {
    let shares: Vec<&str> = text.split([',', '/']).collect();
    let equal = shares.iter().all(|share| Some(share) == shares.first());
    let option = if split == "tensor" { "tp" } else { "pp" };
    if equal { says(option, &shares.len().to_string()) } else { says("tensor_split", &shares.join(",")) }
}

/// A file: the name says its weights, and often its model.
fn file(path: &str) -> Meaning {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let name = hub::without(name, ".gguf").unwrap_or(name);
    named_file(name)
}

/// A repository with a file of one type: `owner/name-GGUF:Q4_K_M`, which llama.cpp takes by itself where none is named.
fn repository(text: &str) -> Meaning {
    let (repository, kind) = text.split_once(':').unwrap_or((text, "Q4_K_M"));
    let name = repository.rsplit('/').next().unwrap_or(repository);
    let name = hub::without(name, "-GGUF").unwrap_or(name);
    named_file(&alloc::format!("{name}-{kind}"))
}

fn named_file(name: &str) -> Meaning {
    let name = without_part(name);
    if let Some((name, _)) = name.rsplit_once("-UD-") {
        return match hub::by_name(name) {
            Some(model) => reading::because(
                says("model", model.id),
                "by the name of the file; which tensors Unsloth's dynamic types keep wider differs from model to model, and weights says the nearest type",
            ),
            None => unread(
                "Unsloth's dynamic types differ from model to model: weights says the nearest one, and model which one it is",
            ),
        };
    }
    let found = KINDS.iter().find_map(|(end, format)| {
        let rest = hub::without(name, end)?;
        Some((rest.strip_suffix(['-', '.', '_'])?, *format))
    });
    let Some((name, format)) = found else {
        return unread("its name does not say its type: weights says it, and model which one it is");
    };
    match hub::by_name(name) {
        // gpt-oss-120b-F16.gguf of unsloth has 65.4 GB, and ggml-org's repository no other type than MXFP4.
        Some(model) if model.published() == Some(WeightFormat::Mxfp4) && format != WeightFormat::Mxfp4 => {
            reading::because(
                reading::all([("model", model.id), ("weights", WeightFormat::Mxfp4.id())]),
                "files of this model hold its experts in MXFP4, whatever type is named",
            )
        }
        Some(model) => {
            reading::because(reading::all([("model", model.id), ("weights", format.id())]), "by the name of the file")
        }
        None => reading::because(
            says("weights", format.id()),
            "by the name of the file, which names no model of the table: model says it",
        ),
    }
}

/// Without the number of a file among several, `-00001-of-00003`.
fn without_part(name: &str) -> &str {
    let counted = |digits: &str| digits.len() == 5 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let parts = name.rsplit_once("-of-").filter(|(_, all)| counted(all));
    let found = parts.and_then(|(rest, _)| rest.rsplit_once('-')).filter(|(_, nth)| counted(nth));
    found.map_or(name, |(rest, _)| rest)
}

/// What the name of a file ends with.
const KINDS: [(&str, WeightFormat); 19] = [
    ("Q8_0", WeightFormat::Q8Zero),
    ("Q6_K", WeightFormat::Q6K),
    ("Q5_K_M", WeightFormat::Q5K),
    ("Q5_K_S", WeightFormat::Q5KS),
    ("Q5_0", WeightFormat::Q5Zero),
    ("Q4_K_M", WeightFormat::Q4K),
    ("Q4_K_S", WeightFormat::Q4KS),
    ("IQ4_NL", WeightFormat::Iq4Nl),
    ("IQ4_XS", WeightFormat::Iq4Xs),
    ("Q4_0", WeightFormat::Q4Zero),
    ("Q3_K_L", WeightFormat::Q3KL),
    ("Q3_K_M", WeightFormat::Q3K),
    ("Q3_K_S", WeightFormat::Q3KS),
    ("Q2_K", WeightFormat::Q2K),
    ("BF16", WeightFormat::Bf16),
    ("F16", WeightFormat::Fp16),
    ("FP16", WeightFormat::Fp16),
    ("F32", WeightFormat::Fp32),
    ("MXFP4", WeightFormat::Mxfp4),
];
