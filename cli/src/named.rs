//! GPUs and models by the names that people write: `4090`, `A100 80GB PCIe`, `meta-llama/Llama-3.1-8B-Instruct`.

use memory_wall_core::tables::gpus::{GPUS, Gpu};
use memory_wall_core::tables::models::{MODELS, Model};
use memory_wall_plan::hub;
use memory_wall_reports::explain::{FoundModel, Known, gpu_named};

use crate::text::quote;
use crate::{BadInput, absent, suggest};

/// Words that say who made a GPU, and not which it is.
const MAKERS: [&str; 11] =
    ["nvidia", "geforce", "tesla", "amd", "instinct", "radeon", "apple", "intel", "google", "gpu", "graphics"];
/// Words that say how a file is stored, which `--weights` has to say.
const STORED: [&str; 13] =
    ["fp8", "fp4", "int4", "int8", "awq", "gptq", "gguf", "w4a16", "w8a8", "bnb", "4bit", "8bit", "mlx"];
/// Words of another GPU than the one without them.
const VARIANTS: [&str; 3] = ["ti", "super", "modified"];

/// The GPU that a name means, as an option has it.
pub(crate) fn gpu(option: &str, text: &str) -> Result<&'static Gpu, BadInput> {
    if let Some(gpu) = by_id(text, GPUS, |gpu| gpu.id) {
        return Ok(gpu);
    }
    let said = words(text);
    let of = |alike: fn(&str, &str) -> bool| -> Vec<&'static Gpu> {
        let own = |gpu: &Gpu| own_words(gpu);
        let all = |gpu: &Gpu| said.iter().all(|word| own(gpu).iter().any(|own| alike(own, word)));
        GPUS.iter().filter(|gpu| !said.is_empty() && all(gpu)).collect()
    };
    let mut found = of(|own, word| own == word);
    if found.is_empty() {
        found = of(|own, word| word.len() > 2 && own.starts_with(word));
    }
    if found.len() > 1 {
        let plain = |gpu: &&Gpu| {
            let own = own_words(gpu);
            !VARIANTS.iter().any(|word| own.iter().any(|own| own == word) && !said.iter().any(|said| said == word))
        };
        let plain: Vec<_> = found.iter().copied().filter(plain).collect();
        found = if plain.is_empty() { found } else { plain };
    }
    let ids: Vec<&str> = match found.as_slice() {
        [gpu] => return Ok(gpu),
        [] => match gpu_named(text, None) {
            Some(gpu) => return Ok(gpu),
            None => suggest::nearest(text, GPUS.iter().map(|gpu| gpu.id)),
        },
        several => several.iter().map(|gpu| gpu.id).collect(),
    };
    Err(unknown(option, text, &ids, "gpus"))
}

/// The model that a name means, as its files or its page are called.
pub(crate) fn model(text: &str) -> Result<&'static Model, BadInput> {
    let lower = text.to_lowercase();
    let plain = !STORED.iter().any(|word| lower.contains(word));
    // Who published it is no part of its name.
    let name = text.rsplit('/').next().unwrap_or(text);
    let found = FoundModel::named(name).filter(|found| plain && found.known == Known::Name);
    let found = found.and_then(|found| found.preset);
    // A repository that is known says more than the words of its name.
    by_id(text, MODELS, |model| model.id).or_else(|| hub::model(text)).or(found).ok_or_else(|| {
        let nearest = suggest::nearest(text, MODELS.iter().map(|model| model.id));
        absent::model("--model", text).unwrap_or_else(|| unknown("--model", text, &nearest, "models"))
    })
}

/// What a name was taken for, where it is no id.
pub(crate) fn notes(gpu: Option<(&str, &Gpu)>, model: Option<(&str, &Model)>) -> impl Iterator<Item = String> {
    let note = |option: &str, text: &str, id: &str, name: &str| {
        (!text.eq_ignore_ascii_case(id)).then(|| format!("{option} {} is taken for {name} ({id})", quote(text)))
    };
    let gpu = gpu.and_then(|(text, gpu)| note("--gpu", text, gpu.id, gpu.name));
    let model = model.and_then(|(text, model)| note("--model", text, model.id, model.name));
    gpu.into_iter().chain(model)
}

fn by_id<T>(text: &str, table: &'static [T], id: impl Fn(&T) -> &'static str) -> Option<&'static T> {
    table.iter().find(|row| id(row).eq_ignore_ascii_case(text))
}

fn unknown(option: &str, text: &str, ids: &[&str], command: &str) -> BadInput {
    BadInput(format!(
        "{option} {} is not known{}; memory-wall {command} lists all",
        quote(text),
        suggest::did_you_mean(ids)
    ))
}

/// Letters and digits that stand together, without makers; `80` of `80GB`.
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty() && !MAKERS.contains(word));
    let number = |word: &str| {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = word.strip_prefix(digits).is_some_and(|unit| matches!(unit, "gb" | "gib" | "g"));
        if unit && !digits.is_empty() { digits.to_owned() } else { word.to_owned() }
    };
    words.map(number).collect()
}

/// The words of a GPU's id, of its name, and its gigabytes.
fn own_words(gpu: &Gpu) -> Vec<String> {
    let mut own = words(gpu.id);
    let plain = own.iter().filter_map(|word| word.strip_prefix("rtx").or_else(|| word.strip_prefix("rx")));
    let plain: Vec<String> = plain.filter(|word| !word.is_empty()).map(str::to_owned).collect();
    own.extend(plain);
    own.extend(words(gpu.name));
    own.push(gpu.printed_gb.to_string());
    own
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_core::tables::{gpus, models};

    #[test]
    fn gpus_are_known_by_what_people_write() {
        for (text, id) in [
            ("4090", "rtx4090"),
            ("RTX 4090", "rtx4090"),
            ("nvidia geforce rtx 4070", "rtx4070"),
            ("4070", "rtx4070"),
            ("4070 Ti", "rtx4070ti"),
            ("rtx-3060", "rtx3060-12"),
            ("3080", "rtx3080"),
            ("RTX 4060", "rtx4060"),
            ("4060 Ti", "rtx4060ti-16"),
            ("5060", "rtx5060"),
            ("RTX 5060 Ti 16GB", "rtx5060ti-16"),
            ("4070 Super", "rtx4070super"),
            ("4070 ti super", "rtx4070tisuper"),
            ("2080 Ti", "rtx2080ti"),
            ("2080 ti 22gb", "rtx2080ti-22"),
            ("1660 Ti", "gtx1660ti"),
            ("P40", "p40"),
            ("RTX PRO 4500", "rtxpro4500"),
            ("9070 XT", "rx9070xt"),
            ("7900 XT", "rx7900xt"),
            ("R9700", "r9700"),
            ("Radeon VII", "radeonvii"),
            ("Arc A770", "arc-a770"),
            ("Arc Pro B70", "arc-pro-b70"),
            ("M5 Max", "m5max"),
            ("a6000", "rtxa6000"),
            ("mi300", "mi300x"),
            ("MI250", "mi250x"),
            ("7900 XTX", "rx7900xtx"),
            ("h100 pcie", "h100-pcie"),
            ("H100-SXM5", "h100-sxm"),
            ("NVIDIA H100 80GB HBM3", "h100-sxm"),
            ("A100 80GB PCIe", "a100-80-pcie"),
            ("a100-sxm4-40gb", "a100-40-sxm"),
            ("h200 141gb sxm", "h200-sxm"),
            ("NVIDIA H20-3e", "h20-3e"),
            ("h20", "h20"),
            ("dgx spark", "gb10"),
            ("thor", "jetson-thor"),
            ("m4 max", "m4max"),
            ("M4", "m4"),
        ] {
            assert_eq!(gpu("--gpu", text).map(|gpu| gpu.id).map_err(|error| error.0), Ok(id), "{text}");
        }
        for (text, ids) in [
            ("h200", "h200-sxm or h200-nvl"),
            ("5060 ti", "rtx5060ti-8 or rtx5060ti-16"),
            ("mi50", "mi50-16 or mi50-32"),
            ("a100-80gb", "a100-80-sxm or a100-80-pcie"),
            ("h100", "h100-sxm, h100-pcie or h100-nvl"),
            ("m3", "m3max or m3ultra"),
        ] {
            let said = gpu("--gpu", text).unwrap_err().0;
            assert!(said.contains(&format!("did you mean {ids}?")), "{said}");
        }
        for text in ["abacus", "rtx 4090 laptop", "gpu", "x", ""] {
            assert!(gpu("--gpu", text).is_err(), "{text}");
        }
        assert!(GPUS.iter().all(|own| gpu("--gpu", own.id).map(|gpu| gpu.id).ok() == Some(own.id)));
    }

    #[test]
    fn models_are_known_by_their_pages() {
        for (text, id) in [
            ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"),
            ("Qwen/Qwen3-30B-A3B", "qwen3-30b-a3b"),
            ("llama-3.1-8b-instruct", "llama-3.1-8b"),
            ("Llama-2-7b-hf", "llama-2-7b"),
            ("moonshotai/Kimi-K2-Thinking", "kimi-k2-thinking"),
        ] {
            assert_eq!(model(text).map(|model| model.id).map_err(|error| error.0), Ok(id), "{text}");
        }
        for text in [
            "lama-2-7b",
            "llama_2_7",
            "bert-base",
            "",
            "Qwen/Qwen3-30B-A3B-FP8",
            "my-llama-3.1-8b-merge-of-two",
            "moonshotai/Kimi-K2-Instruct-0905",
        ] {
            assert!(model(text).is_err(), "{text}");
        }
        let said: Vec<String> = notes(gpus::by_id("h100-sxm").map(|gpu| ("H100 SXM", gpu)), None).collect();
        assert_eq!(said, ["--gpu \"H100 SXM\" is taken for H100 SXM5 80GB (h100-sxm)"]);
        assert_eq!(notes(None, models::by_id("llama-2-7b").map(|model| ("llama-2-7b", model))).count(), 0);
    }
}
