//! Models in a sentence, by their makers' ids or by a family with a count of parameters, and the stage of `ZeRO`.

use alloc::string::String;
use alloc::vec::Vec;

use super::Mention;
use super::machine::Words;
use super::words::{FAMILIES, FORMATS, MAKERS, TRAINS, VARIANTS, VERSIONED, has};
use crate::scan;
use crate::what::What;

/// The stage of ZeRO that a text names: `zero3`, `ZeRO-3`, `ZeRO Stage 3`.
pub(super) fn stage(words: &Words<'_>, found: &mut Vec<Mention>) {
    let stages = zero(words);
    found.extend(stages.map(|(at, name)| Mention::name(What::ZeroStage, at, name.clone(), name)));
}

fn zero(words: &Words<'_>) -> Option<(usize, String)> {
    let (text, tokens) = (words.text, &words.tokens);
    let at = tokens.iter().position(|token| token.text.starts_with("zero"))?;
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let token = tokens.get(at)?;
    // "zero" is a number too, and "Level Zero 1.26" another program.
    let capital = matches!(text.get(token.at..token.end), Some(b"ZeRO" | b"ZERO"));
    let behind = text.get(token.end..tokens.get(at + 1).map_or(token.end, |next| next.at)).unwrap_or_default();
    let trains = scan::has(&words.small, "deepspeed") || scan::has_any(&words.small, &TRAINS);
    let ends = tokens.get(at + 1).is_some_and(|number| {
        text.get(number.end..number.end + 2).is_none_or(|rest| rest.first().is_some_and(|byte| b",;)".contains(byte)))
    });
    let name = match word(at) {
        "zero" if word(at + 1) == "stage" => word(at + 2),
        "zero" if capital && matches!(behind, b"-" | b" ") => word(at + 1),
        // "finetune with zero 3, but"
        "zero" if behind == b" " && trains && ends => word(at + 1),
        joined => joined.strip_prefix("zero")?,
    };
    if !matches!(name, "1" | "2" | "3") {
        return None;
    }
    Some((token.at, name.into()))
}

/// The models that a text names: by their makers' ids, or by a family with a count of parameters.
pub(super) fn models(words: &Words<'_>, found: &mut Vec<Mention>) {
    let text = words.text;
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"._/-".contains(byte);
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| part(byte)).count();
        if length == 0 {
            at += 1;
            continue;
        }
        let start = at;
        at += length;
        let Some(whole) = rest.get(..length).and_then(|word| core::str::from_utf8(word).ok()) else { continue };
        // Ollama's tag: "qwen3:30b-a3b-q4_K_M"
        let tag = rest.get(length..).and_then(|tail| tail.strip_prefix(b":")).unwrap_or_default();
        let tag = tag.get(..tag.iter().take_while(|byte| part(byte) || **byte == b'_').count()).unwrap_or_default();
        let tag = core::str::from_utf8(tag).unwrap_or_default().trim_end_matches('.');
        let small = tag.to_ascii_lowercase();
        let stored = ["q", "iq", "ud-q", "ud-iq"].iter().filter_map(|front| small.strip_prefix(front));
        let stored = stored.into_iter().any(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
        let tagged = (stored || small.split('-').next().is_some_and(parameters)).then(|| [whole, "-", tag].concat());
        at += if tagged.is_some() { 1 + tag.len() } else { 0 };
        let word = tagged.as_deref().unwrap_or(whole).trim_end_matches(['.', '-', '_']);
        let small = word.to_ascii_lowercase();
        let outside =
            |byte: Option<&u8>| byte.is_some_and(|byte| matches!(byte, b'$' | b'{' | b'~' | b'\\' | b'@' | b':'));
        let gguf = small.strip_suffix(".gguf").is_some_and(|name| !name.contains('/'));
        let front = start.checked_sub(1).and_then(|before| text.get(before));
        if outside(front) || whole.contains('_') && !gguf {
            continue;
        }
        let file = [".py", ".sh", ".json", ".txt", ".yaml", ".yml", ".md", ".log", ".cpp"]
            .iter()
            .any(|end| small.ends_with(end));
        let (maker, name) = match small.split_once('/') {
            Some((maker, name)) => (Some(maker), name),
            None => (None, small.as_str()),
        };
        let digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
        if file || name.contains('/') || maker.is_some_and(|maker| !has(MAKERS, maker)) {
            continue;
        }
        let family = FAMILIES.split('|').any(|family| {
            name.strip_prefix(family).is_some_and(|rest| {
                rest.is_empty()
                    || rest.starts_with(|first: char| first == '-' || first == '.' || first.is_ascii_digit())
            })
        });
        let mut shown = String::from(word.rsplit('/').next().unwrap_or(word));
        let versioned = VERSIONED.split('|').any(|family| name.starts_with(family)) && digit(name);
        let sized = name.split('-').any(parameters);
        if !(maker.is_some() && digit(name) || family && sized) {
            if !family || name.ends_with('.') {
                continue;
            }
            let plain = shown.clone();
            // "Llama 3.1 70B", "qwen3 235b a22b"
            let mut behind = at;
            let mut many = false;
            for _ in 0..3 {
                let tail = text.get(behind..).unwrap_or_default();
                let Some(tail) = tail.strip_prefix(b" ") else { break };
                let length = tail.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'.').count();
                let Some(next) = tail.get(..length).and_then(|word| core::str::from_utf8(word).ok()) else { break };
                let next = next.trim_end_matches('.');
                let small = next.to_ascii_lowercase();
                let version = !many
                    && next.len() < 4
                    && next.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
                    && !next.is_empty();
                let experts = many && small.starts_with('a') && small.get(1..).is_some_and(parameters);
                if !(version || parameters(&small) || experts) {
                    break;
                }
                many |= parameters(&small);
                shown += "-";
                shown += next;
                behind += 1 + next.len();
            }
            if many {
                at = behind.max(at);
            } else if versioned {
                shown = plain;
                // A "GLM-4.5 Air" is another model than GLM-4.5.
                let tail = text.get(at..).and_then(|tail| tail.strip_prefix(b" ")).unwrap_or_default();
                let length = tail.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                let next = tail.get(..length).and_then(|word| core::str::from_utf8(word).ok()).unwrap_or_default();
                if has(VARIANTS, &next.to_ascii_lowercase()) {
                    shown += "-";
                    shown += next;
                    at += 1 + length;
                }
            } else {
                continue;
            }
        }
        let mut core = shown.to_ascii_lowercase();
        // "Meta-Llama-3-8B" is "Llama 3 8B", and scripts call Llama-3.2 "llama32".
        if let Some(plain) = core.strip_prefix("meta-") {
            core = plain.into();
        }
        let dots = core.starts_with("llama");
        core.retain(|letter| letter != '-' && !(dots && letter == '.'));
        // "DeepSeek-V3 FP8": how it is stored is a part of its name.
        let tail = text.get(at..).and_then(|tail| tail.strip_prefix(b" ")).unwrap_or_default();
        let length = tail.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let format = tail.get(..length).and_then(|word| core::str::from_utf8(word).ok()).unwrap_or_default();
        let small = format.to_ascii_lowercase();
        let quantised = small.strip_prefix('i').unwrap_or(&small).strip_prefix('q');
        let quantised = quantised.is_some_and(|rest| rest.as_bytes().first().is_some_and(u8::is_ascii_digit));
        if has(FORMATS, &small) || quantised {
            shown += "-";
            shown += format;
        }
        found.push(Mention::name(What::Model, start, shown, core));
    }
}

/// Whether a word is a count of parameters: `7b`, `1.5b`, `8x7b`.
fn parameters(word: &str) -> bool {
    word.strip_suffix('b').is_some_and(|number| {
        number.len() < 6
            && number.starts_with(|first: char| first.is_ascii_digit())
            && number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'x'))
    })
}
