//! Which model a report is about: by its config, or by its name.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use memory_wall_core::config::Config;
use memory_wall_core::tables::models::{MODELS, Model};
use memory_wall_core::{Architecture, WeightFormat};

use crate::files::{File, model_name};
use crate::model_files::{ModelFile, ModelJson};
use crate::scan::Number;

/// How the model is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// The reader said so.
    Stated,
    /// Its `config.json` is among the texts.
    Config,
    /// The header of its file says its shape, or a report that has its config.
    File,
    /// Its name is that of a model of the table, but for words such as "Instruct" or "AWQ".
    Name,
    /// Its name has that of a model of the table in it: it may be another one.
    PartOfName,
}

/// The model of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundModel {
    /// Its name, as it is shown.
    pub name: Box<str>,
    /// Its row of the table, where it has one.
    pub preset: Option<&'static Model>,
    /// Its shape.
    pub architecture: Architecture,
    /// How its checkpoint is stored, where its config says so for certain.
    pub stored: Option<WeightFormat>,
    /// How it is known.
    pub known: Known,
}

impl FoundModel {
    /// Of a row of the table.
    pub fn listed(model: &'static Model, known: Known) -> Self {
        Self { name: model.name.into(), preset: Some(model), architecture: model.architecture, stored: None, known }
    }

    /// By a `config.json`; the message where it can't be read.
    pub(super) fn of_config(text: &str, name: Option<&str>) -> Result<Self, String> {
        let config: Config = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let architecture = config.architecture().map_err(|error| error.to_string())?;
        let name = name.unwrap_or("the model of the config").into();
        Ok(Self { name, preset: None, architecture, stored: config.stored_weights(), known: Known::Config })
    }

    /// By a file that says the shape of its model; the message where it does and can't be used.
    pub(super) fn of_file(file: &File, name: Option<&str>) -> Option<Result<Self, String>> {
        let (own, config, known) = match file {
            File::Header(file) => {
                let ModelFile::Gguf(file) = file.as_ref() else { return None };
                let name = file.metadata.text("general.name").and_then(model_name);
                let name = name.unwrap_or_else(|| "the model of the file".into());
                let (architecture, stored) = (file.architecture().ok()?, file.weights());
                return Some(Ok(Self { name, preset: None, architecture, stored, known: Known::File }));
            }
            File::Model(ModelJson::Config(config)) => ("the model of the config", config, Known::Config),
            File::Report(report) => ("the model of the report", report.config.as_ref()?, Known::File),
            _ => return None,
        };
        let model = |architecture: &Architecture| Self {
            name: name.unwrap_or(own).into(),
            preset: None,
            architecture: *architecture,
            stored: config.weights,
            known,
        };
        Some(config.architecture.as_ref().map(model).map_err(ToString::to_string))
    }

    /// By the name of a model; the longest that fits.
    pub fn named(name: &str) -> Option<Self> {
        let words = words(name);
        // A name of its own kind stands for another row.
        let words = ALIASES.iter().find_map(|(alias, id)| replaced(&words, alias, id)).unwrap_or(words);
        let mut best: Option<(&'static Model, Known, usize)> = None;
        for model in MODELS {
            let own = self::words(model.id);
            let id: Vec<&str> = own.iter().map(String::as_str).collect();
            let Some(known) = matches(&words, &id) else { continue };
            // "DeepSeek-V3-16B" is none of 671B.
            if known == Known::PartOfName
                && words.iter().any(|word| !id.contains(&&**word) && is_other_size(word, model))
            {
                continue;
            }
            let better = best
                .is_none_or(|(_, before, length)| (known == Known::Name, id.len()) > (before == Known::Name, length));
            if better {
                best = Some((model, known, id.len()));
            }
        }
        best.map(|(model, known, _)| Self::listed(model, known))
    }
}

/// Names under which models of the table go, in words, and the row.
const ALIASES: [(&str, &str); 27] = [
    ("qwen3-coder-30b-a3b", "qwen3-30b-a3b-2507"),
    ("qwen2-0.5b", "qwen2.5-0.5b"),
    ("qwen2-1.5b", "qwen2.5-1.5b"),
    ("qwen2-7b", "qwen2.5-7b"),
    ("qwen2-72b", "qwen2.5-72b"),
    ("qwen2.5-coder-7b", "qwen2.5-7b"),
    ("qwen2.5-coder-14b", "qwen2.5-14b"),
    ("qwen2.5-coder-32b", "qwen2.5-32b"),
    ("qwen2.5-math-7b", "qwen2.5-7b"),
    ("qwen3.6-27b", "qwen3.5-27b"),
    ("qwen3.7-27b", "qwen3.5-27b"),
    ("qwen3.8-27b", "qwen3.5-27b"),
    ("qwen3.6-35b-a3b", "qwen3.5-35b-a3b"),
    ("deepseek-r1-distill", "r1-distill"),
    ("deepseek-r1", "deepseek-v3"),
    ("deepseek-coder-v2-lite", "deepseek-v2-lite"),
    ("mistral-small-24b-2501", "mistral-small-3-24b"),
    ("mistral-small-3.1-24b-2503", "mistral-small-3.1-24b"),
    ("mistral-nemo-2407", "mistral-nemo-12b"),
    ("mistral-large-2407", "mistral-large-2"),
    ("gemma-3-27b", "gemma-3-27b-text"),
    ("glm-4.6", "glm-4.7"),
    ("llama-3-1", "llama-3.1"),
    ("llama-3-2", "llama-3.2"),
    ("llama-3-3", "llama-3.3"),
    ("llama-4-scout-17b-16e", "llama-4-scout"),
    ("llama-4-maverick-17b-128e", "llama-4-maverick"),
];

/// Words that say how a model was trained further or stored, and leave its shape as it is.
const HARMLESS: [&str; 62] = [
    "meta",
    "instruct",
    "it",
    "chat",
    "hf",
    "base",
    "pt",
    "bf16",
    "fp16",
    "f16",
    "f32",
    "fp8",
    "fp4",
    "int4",
    "int8",
    "awq",
    "gptq",
    "gguf",
    "w4a16",
    "w8a8",
    "w8a16",
    "nvfp4",
    "mxfp4",
    "dynamic",
    "quantized",
    "quant",
    "bnb",
    "4bit",
    "8bit",
    "unsloth",
    "qat",
    "ud",
    "imat",
    "k",
    "m",
    "s",
    "l",
    "xl",
    "xs",
    "nl",
    "0",
    "1",
    "thinking",
    "preview",
    "turbo",
    "v1.0",
    "1m",
    "128k",
    "2407",
    "2410",
    "2501",
    "2503",
    "2506",
    "0528",
    "0324",
    "g128",
    "128g",
    "block",
    "nm",
    "autoround",
    "eagle",
    "autofp8",
];

/// The words of a name, in small letters.
fn words(name: &str) -> Vec<String> {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".gguf").unwrap_or(&name);
    let mut words: Vec<String> = Vec::new();
    for word in name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).filter(|word| !word.is_empty()) {
        // "Llama3.1" and "gemma2" are two words in the table.
        let letters = word.find(|c: char| c.is_ascii_digit()).unwrap_or(word.len());
        let (family, number) = word.split_at_checked(letters).unwrap_or((word, ""));
        match family {
            "llama" | "gemma" | "phi" | "mistral" | "falcon" if !number.is_empty() => {
                words.push(family.into());
                words.push(number.into());
            }
            _ => words.push(word.into()),
        }
    }
    words
}

/// The words with an alias at their beginning, or behind its maker, replaced by the id that it stands for.
fn replaced(words: &[String], alias: &str, id: &str) -> Option<Vec<String>> {
    let alias: Vec<&str> = alias.split('-').collect();
    let kept: Vec<String> =
        words.iter().filter(|word| alias.contains(&word.as_str()) || !is_harmless(word)).cloned().collect();
    let at =
        kept.windows(alias.len()).position(|window| window.iter().zip(&alias).all(|(here, known)| here == known))?;
    let mut whole: Vec<String> = kept.get(..at)?.to_vec();
    whole.extend(self::words(id));
    whole.extend(kept.get(at + alias.len()..)?.iter().cloned());
    Some(whole)
}

/// Whether a word says nothing of a shape; `q4` and `iq3` are types of a GGUF file.
fn is_harmless(word: &str) -> bool {
    let quantised = word.strip_prefix('i').unwrap_or(word).strip_prefix('q');
    HARMLESS.contains(&word)
        || quantised.is_some_and(|digit| digit.len() == 1 && digit.as_bytes().first().is_some_and(u8::is_ascii_digit))
}

/// Whether a word is a count of parameters, and another than that of a model: `16b`.
fn is_other_size(word: &str, model: &Model) -> bool {
    let Some(number) = Number::read(word.as_bytes()).filter(|number| number.rest == b"b") else { return false };
    // Of a billion.
    let own = model.architecture.parameters().total() / 1_000;
    number.millionths().is_some_and(|size| size > own * 5 / 4 || size * 5 / 4 < own)
}

/// Whether a name is that of a model, or has it in it.
fn matches(words: &[String], id: &[&str]) -> Option<Known> {
    let kept: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| id.contains(word) || !is_harmless(word)).collect();
    let at = kept.windows(id.len()).position(|window| window == id)?;
    // A maker in front is none of the model's name; "mixtral-8x7b-v0.1" has the only version there is.
    let front = kept.get(..at).unwrap_or_default();
    let behind = kept.get(at + id.len()..).unwrap_or_default();
    let maker =
        |word: &&str| ["deepseek", "google", "microsoft", "qwen", "mistralai", "nvidia", "openai"].contains(word);
    let version = |word: &&str| matches!(*word, "v0.1" | "v1" | "v1.0");
    let whole = front.iter().all(maker) && behind.iter().all(version);
    Some(if whole { Known::Name } else { Known::PartOfName })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_names_are_models_of_the_table() {
        for (name, id) in [
            ("Llama-3.1-8B-Instruct", "llama-3.1-8b"),
            ("Meta-Llama-3-8B-Instruct", "llama-3-8b"),
            ("Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", "llama-3.1-8b"),
            ("Llama 3.2 1B Instruct", "llama-3.2-1b"),
            ("llama3.1:8b-instruct-q4_K_M", "llama-3.1-8b"),
            ("Llama-2-7b-chat-hf", "llama-2-7b"),
            ("Qwen2.5-7B-Instruct-AWQ", "qwen2.5-7b"),
            ("Qwen2-7B-Instruct", "qwen2.5-7b"),
            ("Qwen3-30B-A3B-Instruct-2507-FP8", "qwen3-30b-a3b-2507"),
            ("Qwen3-Coder-30B-A3B-Instruct", "qwen3-30b-a3b-2507"),
            ("Qwen3-30B-A3B", "qwen3-30b-a3b"),
            ("Qwen3.6-35B-A3B-NVFP4", "qwen3.5-35b-a3b"),
            ("DeepSeek-R1-Distill-Qwen-14B-FP8-dynamic", "r1-distill-qwen-14b"),
            ("DeepSeek-R1-0528", "deepseek-v3"),
            ("gemma-3-27b-it", "gemma-3-27b-text"),
            ("Gemma-4-26B-A4B-It", "gemma-4-26b-a4b"),
            ("gemma-4-26B-A4B-it-qat-AWQ-INT4", "gemma-4-26b-a4b"),
            ("Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b"),
            ("Mistral-7B-Instruct-v0.3", "mistral-7b-v0.3"),
            ("Mistral-Small-24B-Instruct-2501", "mistral-small-3-24b"),
            ("gpt-oss-20b", "gpt-oss-20b"),
            ("TinyLlama-1.1B-Chat-v1.0", "tinyllama-1.1b"),
            ("Phi-4-mini-instruct", "phi-4-mini"),
            ("Llama-4-Scout-17B-16E-Instruct", "llama-4-scout"),
        ] {
            let found = FoundModel::named(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!((found.preset.unwrap().id, found.known), (id, Known::Name), "{name}");
        }
    }

    #[test]
    fn every_row_is_found_by_its_own_id() {
        for model in MODELS {
            let found = FoundModel::named(model.id).unwrap_or_else(|| panic!("{}", model.id));
            // Rows that go by another's name have its shape.
            assert_eq!(found.preset.unwrap().architecture, model.architecture, "{}", model.id);
        }
    }

    #[test]
    fn what_may_be_another_model_is_no_more_than_a_part_of_the_name() {
        let found = FoundModel::named("Hermes-3-Llama-3.1-8B").unwrap();
        assert_eq!((found.preset.unwrap().id, found.known), ("llama-3.1-8b", Known::PartOfName));
        for name in [
            "Laguna-S-2.1-NVFP4",
            "DeepSeek-V3-16B",
            "Llama-3.2-11B-Vision-Instruct",
            "Mistral-7B-Instruct-v0.2",
            "bert-base",
            "model",
            "",
        ] {
            assert!(FoundModel::named(name).is_none_or(|found| found.known != Known::Name), "{name}");
        }
        // A count of parameters tells it from the model whose name it has in it, and the model's own doesn't.
        assert!(FoundModel::named("DeepSeek-V3-16B").is_none());
        assert!(FoundModel::named("deepseek-v3-671B").is_some());
    }
}
