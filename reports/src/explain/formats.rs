//! Formats and optimizers by the names that programs have for them.

use memory_wall_core::training::StepKernel;
use memory_wall_core::{KvPrecision, Optimizer, WeightFormat};

/// The optimizer of a trainer's name, and how its step runs: PyTorch's own takes lists of tensors unless it is told to be fused.
pub(super) fn optimizer_of(name: &str) -> (Option<Optimizer>, StepKernel) {
    let has = |word: &str| name.contains(word);
    let eight = has("8bit") || has("4bit");
    let kind = if has("paged") && eight {
        Some(Optimizer::PagedAdamW8bit)
    } else if has("paged") && has("adam") {
        Some(Optimizer::PagedAdamW)
    } else if has("adam") && eight {
        Some(Optimizer::AdamW8bit)
    } else if has("adafactor") {
        Some(Optimizer::Adafactor)
    } else if has("adam") {
        Some(Optimizer::AdamW)
    } else if has("lion") {
        Some(Optimizer::Lion)
    } else if has("muon") {
        Some(Optimizer::Muon)
    } else if has("sgd") {
        Some(Optimizer::SgdMomentum)
    } else {
        None
    };
    let foreach = name == "adamw_torch" || name == "adamw";
    (kind, if foreach { StepKernel::Foreach } else { StepKernel::Fused })
}

/// From where a format is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// A setting.
    Setting,
    /// The model's name.
    Name,
    /// Nothing: it is what is usual.
    Default,
}

/// How weights are stored, by what a server is told and by the model's name.
pub(super) fn weights(dtype: Option<&str>, quantization: Option<&str>, model: &str) -> (WeightFormat, By) {
    let model = model.to_ascii_lowercase();
    let named = |words: &[&str]| words.iter().any(|word| model.contains(word));
    let deepseek = named(&["deepseek-v3", "deepseek-r1", "qwen3"]) && !named(&["distill"]);
    let fp8 = if deepseek { WeightFormat::Fp8Block } else { WeightFormat::Fp8 };
    let by_name = || {
        if named(&["nvfp4", "-fp4"]) {
            Some(WeightFormat::Nvfp4)
        } else if named(&["mxfp4", "gpt-oss"]) {
            Some(WeightFormat::Mxfp4)
        } else if named(&["fp8"]) {
            Some(fp8)
        } else if named(&["w4a16", "int4", "awq", "gptq"]) && !named(&["int8"]) {
            Some(WeightFormat::Int4)
        } else if named(&["w8a8"]) {
            Some(WeightFormat::W8a8)
        } else if named(&["w8a16", "w4a8", "int8"]) {
            // Ascend loads what is called w4a8 with a byte for each weight.
            Some(WeightFormat::Int8)
        } else if named(&["bnb-4bit", "nf4"]) {
            Some(WeightFormat::Nf4)
        } else {
            None
        }
    };
    let by_dtype = match dtype {
        Some("float16" | "half" | "fp16") => WeightFormat::Fp16,
        Some("float32" | "float" | "fp32") => WeightFormat::Fp32,
        _ => WeightFormat::Bf16,
    };
    match quantization {
        Some(method) => {
            let method = method.to_ascii_lowercase();
            let has = |word: &str| method.contains(word);
            if has("fp4") && !has("mxfp4") {
                (WeightFormat::Nvfp4, By::Setting)
            } else if has("mxfp4") {
                (WeightFormat::Mxfp4, By::Setting)
            } else if has("fp8") {
                (fp8, By::Setting)
            } else if has("bitsandbytes") {
                (WeightFormat::Nf4, By::Setting)
            } else if (has("awq") || has("gptq")) && !named(&["int8"]) {
                (WeightFormat::Int4, By::Setting)
            } else {
                by_name().map_or((by_dtype, By::Default), |format| (format, By::Name))
            }
        }
        None => match (by_name(), dtype) {
            (Some(format), _) => (format, By::Name),
            (None, Some("bfloat16" | "float16" | "half" | "float32" | "float")) => (by_dtype, By::Setting),
            (None, _) => (by_dtype, By::Default),
        },
    }
}

/// How a cache is stored, by the name of the format.
pub(super) fn cache(name: &str) -> Option<KvPrecision> {
    match name {
        "float16" | "half" | "f16" | "fp16" => Some(KvPrecision::Fp16),
        "float32" | "float" | "f32" | "fp32" => Some(KvPrecision::Fp32),
        "bfloat16" | "bf16" => Some(KvPrecision::Bf16),
        "q8_0" | "int8" => Some(KvPrecision::Int8),
        "q4_0" | "int4" => Some(KvPrecision::Int4),
        name if name.starts_with("fp8") || name.starts_with("float8") => Some(KvPrecision::Fp8),
        _ => None,
    }
}

/// The format of a GGUF file, by the type that llama.cpp prints or by a file's name.
pub(super) fn gguf(text: &str) -> Option<WeightFormat> {
    let text = text.to_ascii_lowercase().replace(" - medium", "_m").replace(" - small", "_s").replace(" - large", "_l");
    // ik_llama.cpp's IQ4_K and its kin are other formats than Q4_K.
    let whole = |at: usize| at.checked_sub(1).is_none_or(|before| text.as_bytes().get(before) != Some(&b'i'));
    let has = |word: &str| text.match_indices(word).any(|(at, _)| whole(at));
    let table = [
        ("q4_k_s", WeightFormat::Q4KS),
        ("q4_k", WeightFormat::Q4K),
        ("q5_k_s", WeightFormat::Q5KS),
        ("q5_k", WeightFormat::Q5K),
        ("q6_k", WeightFormat::Q6K),
        ("q8_0", WeightFormat::Q8Zero),
        ("q5_0", WeightFormat::Q5Zero),
        ("iq4_nl", WeightFormat::Iq4Nl),
        ("iq4_xs", WeightFormat::Iq4Xs),
        ("q4_0", WeightFormat::Q4Zero),
        ("q3_k_l", WeightFormat::Q3KL),
        ("q3_k_s", WeightFormat::Q3KS),
        ("q3_k", WeightFormat::Q3K),
        ("q2_k", WeightFormat::Q2K),
        ("mxfp4", WeightFormat::Mxfp4),
    ];
    let found = table.iter().find(|(word, _)| has(word)).map(|(_, format)| *format);
    found.or(match text.as_str() {
        "bf16" => Some(WeightFormat::Bf16),
        "f16" | "fp16" => Some(WeightFormat::Fp16),
        "f32" | "all f32" => Some(WeightFormat::Fp32),
        _ => None,
    })
}

/// Whether the name of a file has a type of GGUF, known or not: `GLM-4.5-Air-IQ4_KSS.gguf`, `gemma-3:Q4_1`.
pub(super) fn is_typed(name: &str) -> bool {
    let mut words = name.split(['-', '.', ':']).map(str::as_bytes);
    words.any(|word| {
        let word = word.strip_prefix(b"I").or_else(|| word.strip_prefix(b"T")).unwrap_or(word);
        matches!(word, [b'Q', b'1'..=b'8', b'_', ..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_read_from_settings_and_names() {
        for (dtype, quantization, model, format, by) in [
            (Some("bfloat16"), None, "Llama-3.1-8B-Instruct", WeightFormat::Bf16, By::Setting),
            (Some("float16"), Some("awq_marlin"), "Qwen2.5-7B-Instruct-AWQ", WeightFormat::Int4, By::Setting),
            (Some("bfloat16"), Some("compressed-tensors"), "x-NVFP4", WeightFormat::Nvfp4, By::Name),
            (Some("bfloat16"), Some("compressed-tensors"), "x", WeightFormat::Bf16, By::Default),
            (Some("bfloat16"), Some("fp8"), "DeepSeek-R1", WeightFormat::Fp8Block, By::Setting),
            (Some("bfloat16"), Some("fp8"), "Llama-3.1-8B", WeightFormat::Fp8, By::Setting),
            (None, None, "x", WeightFormat::Bf16, By::Default),
        ] {
            assert_eq!(weights(dtype, quantization, model), (format, by), "{model}");
        }
        for (text, format) in [
            ("Q4_K - Medium", Some(WeightFormat::Q4K)),
            ("Q4_K - Small", Some(WeightFormat::Q4KS)),
            ("IQ4_NL - 4.5 bpw", Some(WeightFormat::Iq4Nl)),
            ("GLM-4.5-Air-IQ4_KSS-00001-of-00002.gguf", None),
            ("model-IQ5_K.gguf", None),
            ("Q8_0", Some(WeightFormat::Q8Zero)),
            ("F16", Some(WeightFormat::Fp16)),
            ("IQ2_XXS - 2.0625 bpw", None),
        ] {
            assert_eq!(gguf(text), format, "{text}");
        }
        assert_eq!(cache("float16"), Some(KvPrecision::Fp16));
        assert_eq!(cache("fp8_e5m2"), Some(KvPrecision::Fp8));
        assert_eq!(cache("fp4_e2m1"), None);
        assert_eq!(optimizer_of("paged_adamw_8bit").0, Some(Optimizer::PagedAdamW8bit));
        assert_eq!(optimizer_of("paged_adamw_32bit").0, Some(Optimizer::PagedAdamW));
        assert_eq!(optimizer_of("adamw_torch"), (Some(Optimizer::AdamW), StepKernel::Foreach));
        assert_eq!(optimizer_of("adamw_torch_fused"), (Some(Optimizer::AdamW), StepKernel::Fused));
    }
}
