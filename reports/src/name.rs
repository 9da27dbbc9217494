//! Names, versions and settings as they may be shown: no paths, no users, no tokens.

use alloc::boxed::Box;
use alloc::string::String;

use crate::report::Value;
use crate::scan::{self, Number};
use crate::what::What;

/// What a setting's value says; nothing where it can't be shown or isn't one.
pub(crate) fn value(what: What, text: &[u8]) -> Option<Value> {
    let text = text.trim_ascii().trim_ascii_end();
    let text = core::str::from_utf8(text).ok()?.trim_matches(['"', '\'', '`']).trim();
    if matches!(text, "" | "None" | "null" | "nil" | "~") {
        return None;
    }
    match what {
        What::Model | What::DraftModel => model(text).map(Value::Name),
        What::Version => plain(text, 40, ".+-").filter(|it| it.contains(|c: char| c.is_ascii_digit())).map(Value::Name),
        // Any text may have a line that begins with these words.
        What::Optimizer if !OPTIMIZERS.iter().any(|word| has_letters(text, word)) => None,
        What::Adapter if !ADAPTERS.iter().any(|word| text.eq_ignore_ascii_case(word)) => None,
        What::LoraRank => count(text).filter(|rank| *rank > 0).map(Value::Count),
        What::Dtype
        | What::KvDtype
        | What::ValueDtype
        | What::Quantization
        | What::Class
        | What::Optimizer
        | What::Adapter => {
            let text = text.strip_prefix("torch.").unwrap_or(text);
            let text = text.rsplit(['.', ':']).next().unwrap_or(text);
            plain(text, 64, "_-").map(Value::Name)
        }
        What::ZeroStage => count(text).or_else(|| stage(text)).filter(|stage| *stage < 4).map(Value::Count),
        What::FileType => plain(text, 40, " _-.()").map(Value::Name),
        What::Gpu => gpu(text).map(Value::Name),
        What::Attention | What::Speculation => plain(text, 40, "_").map(Value::Name),
        What::Utilization | What::FreeShare => {
            Number::read(text.as_bytes())?.millionths().filter(|it| *it <= 1_000_000).map(Value::Millionths)
        }
        what if what.is_switch() => flag(text).map(Value::Flag),
        What::KvCache => Some(Value::Size(Number::read(text.as_bytes())?.size(1)?)),
        _ => count(text).map(Value::Count),
    }
}

/// Words that an optimizer's name has.
const OPTIMIZERS: [&str; 12] =
    ["adam", "sgd", "lion", "muon", "adafactor", "lamb", "rmsprop", "adagrad", "galore", "sophia", "apollo", "prodigy"];
/// What trainers call the ways to learn a part of a model, or all of it.
const ADAPTERS: [&str; 10] =
    ["lora", "qlora", "full", "freeze", "dora", "oft", "ia3", "prefix", "llama-adapter", "none"];

/// Whether a text has a word in it, whatever its letters' size.
fn has_letters(text: &str, word: &str) -> bool {
    text.as_bytes().windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

/// The stage that the name of DeepSpeed's configuration has: `ds_z3_config.json`, `zero2.json`, `deepspeed_stage_1.yaml`.
fn stage(text: &str) -> Option<u64> {
    ["zero", "stage", "_z"].iter().find_map(|word| {
        let (_, behind) = scan::cut(text, word)?;
        let mut digits = behind.bytes().skip_while(|byte| matches!(byte, b'_' | b'-'));
        let stage = digits.next().filter(u8::is_ascii_digit)?;
        digits.next().is_none_or(|next| !next.is_ascii_alphanumeric()).then(|| u64::from(stage - b'0'))
    })
}

fn flag(text: &str) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is(&["true", "1", "on", "yes", "enabled", "unsloth"]) {
        Some(true)
    } else if is(&["false", "0", "off", "no", "disabled"]) {
        Some(false)
    } else {
        None
    }
}

/// A whole number, with the letters that vLLM takes: a small `k` is 1,000, a large one 1,024.
fn count(text: &str) -> Option<u64> {
    let number = Number::read(text.as_bytes())?;
    let scale = match number.rest {
        [] => 1,
        b"k" => 1_000,
        b"K" => 1_024,
        b"m" => 1_000_000,
        b"M" => 1 << 20,
        _ => return None,
    };
    number.count()?.checked_mul(scale)
}

/// Letters, digits and a few marks, and not too many.
fn plain(text: &str, most: usize, marks: &str) -> Option<Box<str>> {
    // Bytes: `str::contains` brings the search of the standard library along, and what it says where it panics.
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || marks.as_bytes().contains(&byte);
    ((1..=most).contains(&text.len()) && text.bytes().all(allowed)).then(|| text.into())
}

/// Makers and series of accelerators, without which a name is none.
pub(crate) const GPU_WORDS: [&str; 31] = [
    "NVIDIA", "Tesla", "GeForce", "RTX", "GTX", "Quadro", "TITAN", "AMD", "Radeon", "Instinct", "MI2", "MI3", "Intel",
    "Arc", "Apple", "A100", "A800", "H100", "H800", "H20", "V100", "H200", "B200", "GB10", "L40", "gfx", "Adreno",
    "Mali", "Hexagon", "Ascend", "TPU v",
];

fn gpu(text: &str) -> Option<Box<str>> {
    let text = text.trim_end_matches('.').trim();
    // What closes the brackets around a name is none of it.
    let closed = text.strip_suffix(')').filter(|name| !name.as_bytes().contains(&b'('));
    let text = closed.unwrap_or(text);
    // "Apple M4) (unknown id" and "Apple M4) - 10 MiB free" are more than a name.
    let one = !scan::has_any(text.as_bytes(), &[") (", ") - "]);
    plain(text, 64, " -_.()+").filter(|name| one && scan::has_any(name.as_bytes(), &GPU_WORDS))
}

/// The name of a model: the last part of an id or a path. What stands in front of it may be somebody's own.
fn model(text: &str) -> Option<Box<str>> {
    // A cache of the hub: `.../models--meta-llama--Llama-3.1-8B/snapshots/5206...`.
    if let Some((_, name)) = scan::cut(text, "models--").filter(|_| !scan::has(text.as_bytes(), ".gguf")) {
        let mut name = name.split(['/', '\\']).next()?;
        while let Some((_, behind)) = scan::cut(name, "--") {
            name = behind;
        }
        return shown(name);
    }
    let mut parts = text.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).filter(|part| !part.is_empty());
    let last = parts.next()?;
    let outside = text.starts_with(['/', '~', '.']) || scan::has(text.as_bytes(), ":\\");
    let above = parts.next();
    // A folder of somebody's own, directly below those of all users.
    if outside
        && matches!(above, None | Some("home" | "Users" | "~" | "root" | "workspace" | "mnt" | "data"))
        && !named(last)
    {
        return None;
    }
    let file = [".safetensors", ".bin", ".pth", ".pt", ".engine"].iter().any(|ending| last.ends_with(ending));
    // Shards and checkpoints are called by their number; the folder above has the name.
    let numbered = last.starts_with("checkpoint-") || last.starts_with("model-0") || is_hash(last);
    match above {
        Some("blobs" | "snapshots" | "models" | "model" | "hub" | "checkpoints") if file || numbered => None,
        Some(above) if (file || numbered) && outside => shown(above),
        // ".../Qwen2.5-VL/7B"
        Some(above) if is_size(last) => shown(&[above, "-", last].concat()),
        _ => shown(last),
    }
}

/// Whether a last part of a path looks like a model's name rather than a person's: with a digit.
fn named(name: &str) -> bool {
    name.contains(|c: char| c.is_ascii_digit())
}

/// Whether a name is a count of parameters and nothing else.
fn is_size(name: &str) -> bool {
    name.strip_suffix(['b', 'B'])
        .is_some_and(|number| number.len() < 4 && Number::read(number.as_bytes()).is_some_and(|it| it.rest.is_empty()))
}

fn is_hash(name: &str) -> bool {
    let name = name.strip_prefix("sha256-").or_else(|| name.strip_prefix("sha256:")).unwrap_or(name);
    name.len() >= 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn shown(name: &str) -> Option<Box<str>> {
    let name = name.trim();
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b" -_.+:()".contains(&byte);
    let token = ["hf_", "sk-", "ghp_", "xox"].iter().any(|start| name.starts_with(start));
    // A variable of a script, not a name.
    let variable =
        name.as_bytes().contains(&b'_') && name.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '_' | '$'));
    if variable || name.len() > 96 || name.len() < 2 || token || is_hash(name) || !name.bytes().all(allowed) {
        return None;
    }
    // "XXXX" stands for any.
    if name.bytes().all(|byte| byte.eq_ignore_ascii_case(&b'x')) {
        return None;
    }
    // Loaders escape dots in folder names as `2___5`.
    let (mut shown, mut rest) = (String::new(), name);
    while let Some((piece, behind)) = scan::cut(rest, "___") {
        shown.push_str(piece);
        shown.push('.');
        rest = behind;
    }
    shown.push_str(rest);
    Some(shown.into_boxed_str())
}

/// The number of the rank that wrote a line: `(Worker_TP2_EP2 pid=512)`, `[2026-01-01 10:00:00 DP1 TP3]`, `[rank1]:`.
pub(crate) fn rank(line: &[u8]) -> Option<u16> {
    let front = line.get(..line.len().min(96)).unwrap_or(line);
    for mark in ["(Worker_TP", " TP", "[rank", "[Rank ", "(VllmWorker TP", "(VllmWorker rank=", "(Worker_DP"] {
        if let Some(number) = scan::behind(front, mark).filter(|rest| rest.first().is_some_and(u8::is_ascii_digit)) {
            let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let text = core::str::from_utf8(number.get(..digits)?).ok()?;
            return text.parse().ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Option<String> {
        match value(What::Model, text.as_bytes())? {
            Value::Name(name) => Some(name.into()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn models_are_named_without_their_paths() {
        for (text, shown) in [
            ("'meta-llama/Llama-3.1-8B-Instruct'", Some("Llama-3.1-8B-Instruct")),
            ("/srv/alice/models/Qwen2.5-7B/", Some("Qwen2.5-7B")),
            ("/srv/autodl-tmp/models/qwen/Qwen2___5-3B", Some("Qwen2.5-3B")),
            (
                "/srv/x/.cache/huggingface/hub/models--google--gemma-2-9b/snapshots/11c9b309abf73637e4b6f9a3fa1e92e615547819",
                Some("gemma-2-9b"),
            ),
            ("C:\\Users\\bob\\models\\phi-4.gguf", Some("phi-4.gguf")),
            ("/models/llama-3-8b/model-00001-of-00004.safetensors", Some("llama-3-8b")),
            ("/data/out/checkpoint-500", Some("out")),
            ("/srv/.ollama/models/blobs/sha256-6a0746a1ec1aef3e7ec53868f220ff6e389f6f8ef87a01d77c96807de94ca2aa", None),
            (concat!("/home", "/alice"), None),
            ("~/secret", None),
            ("hf_abcdefghijklmnop", None),
            ("a b;c", None),
            ("None", None),
        ] {
            let found = name(text);
            assert_eq!(found.as_deref(), shown, "{text}");
        }
    }

    #[test]
    fn settings_are_numbers_flags_and_known_words() {
        assert_eq!(value(What::MaxModelLen, b"32k"), Some(Value::Count(32_000)));
        assert_eq!(value(What::MaxModelLen, b"32K"), Some(Value::Count(32_768)));
        assert_eq!(value(What::MaxModelLen, b"auto"), None);
        // Whatever has a slash may be a path.
        assert_eq!(value(What::Gpu, b"NVIDIA RTX/A6000"), None);
        assert_eq!(value(What::EnforceEager, b"True"), Some(Value::Flag(true)));
        assert_eq!(value(What::Utilization, b"0.92"), Some(Value::Millionths(920_000)));
        assert_eq!(value(What::Utilization, b"92"), None);
        assert_eq!(value(What::Dtype, b"torch.bfloat16"), Some(Value::Name("bfloat16".into())));
        assert_eq!(value(What::Dtype, b"../../etc/passwd"), None);
        assert_eq!(value(What::Gpu, b"NVIDIA H100 80GB HBM3"), Some(Value::Name("NVIDIA H100 80GB HBM3".into())));
        assert_eq!(value(What::Gpu, b"my-host.example.org"), None);
    }

    #[test]
    fn ranks_are_read_from_prefixes() {
        for (line, number) in [
            ("(Worker_TP2_EP2 pid=512) INFO 08-01", Some(2)),
            ("[2026-08-01 23:37:49 DP4 TP8 EP8] KV Cache", Some(8)),
            ("[rank11]: torch.OutOfMemoryError", Some(11)),
            ("(EngineCore pid=17574) INFO", None),
            ("[2026-08-01 23:37:49] KV Cache", None),
        ] {
            assert_eq!(rank(line.as_bytes()), number, "{line}");
        }
    }
}
