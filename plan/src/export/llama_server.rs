//! `llama-server` of llama.cpp.
//!
//! # Source
//! llama.cpp, `common/arg.cpp` at 145b628 (2026). Read 2026-11-25.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use memory_wall_core::{Attention, KvPrecision, WeightFormat};

use super::sheet::{Datum, Sheet};
use crate::value::Value;

pub(super) fn write(sheet: &mut Sheet<'_>) {
    let scenario = sheet.scenario;
    sheet.command(&["llama-server"]);
    let model = file(sheet);
    sheet.set("--model", model.as_str(), &["model", "weights"]);
    sheet.note("model: the file is yours to name; it is a GGUF file of the model with weights as the plan says");
    sheet.set("--parallel", scenario.batch, &["batch"]);
    let cells = u64::from(scenario.seq_length).saturating_mul(scenario.batch.into());
    sheet.set("--ctx-size", Datum::Number(format!("{cells}")), &["seq", "batch"]);
    let flash = if scenario.attention == Attention::Flash { "on" } else { "off" };
    sheet.set("--flash-attn", flash, &["attention"]);
    let cache = cache(scenario.kv);
    for (place, option) in [("--cache-type-k", "cache_type_k"), ("--cache-type-v", "cache_type_v")] {
        if !sheet.own(place, option) {
            sheet.set(place, cache, &["kv"]);
        }
    }
    layers(sheet);
    split(sheet);
    sheet.own("--ubatch-size", "ubatch");
    sheet.own("--swa-full", "swa_full");
    sheet.own("--kv-unified", "kv_unified");
    sheet.own("--no-kv-offload", "no_kv_offload");
    sheet.leave("kv", "cache_type_k and cache_type_v say it");
    sheet.leave("dp", "one server has one copy of the model: start so many of them");
    sheet.counted_for("llamacpp");
}

/// How many layers, and whose experts, are on the GPU.
fn layers(sheet: &mut Sheet<'_>) {
    if sheet.says("fit") {
        sheet.set("--fit", "on", &["fit"]);
    } else if !sheet.own("--n-gpu-layers", "ngl") {
        sheet.because("--n-gpu-layers", "all", "the plan holds every layer on the GPUs");
    }
    sheet.own("--n-cpu-moe", "n_cpu_moe");
    sheet.own("--cpu-moe", "cpu_moe");
}

/// How the model is split over GPUs.
fn split(sheet: &mut Sheet<'_>) {
    let parallel = &sheet.scenario.parallel;
    let listed = match sheet.plan.get("device") {
        Some(Value::Words(gpus)) => u32::try_from(gpus.len()).unwrap_or(u32::MAX),
        _ => 1,
    };
    let gpus = parallel.tp.max(parallel.pp).max(listed);
    let option = match (parallel.tp, parallel.pp) {
        (1, 1) if sheet.says("device") => "device",
        (1, _) => "pp",
        _ => "tp",
    };
    if gpus == 1 && !sheet.says("tensor_split") {
        sheet.because("--split-mode", "none", "one GPU");
    } else {
        sheet.set("--split-mode", if parallel.tp > 1 { "tensor" } else { "layer" }, &[option]);
        if !sheet.own("--tensor-split", "tensor_split") && option != "device" {
            let shares: Vec<&str> = (0..gpus).map(|_| "1").collect();
            sheet.set("--tensor-split", shares.join(",").as_str(), &[option]);
        }
        sheet.note(format!("{gpus} GPUs: llama-server takes all that it sees; --device names some of them"));
    }
    sheet.implied("tp");
    sheet.implied("pp");
    sheet.leave("device", "llama-server --list-devices says what they are called there");
}

/// A name for the model's file.
fn file(sheet: &Sheet<'_>) -> String {
    let format = match sheet.scenario.weights {
        format if format.is_gguf() => format.label().trim_start_matches("GGUF "),
        WeightFormat::Fp32 => "F32",
        WeightFormat::Fp16 => "F16",
        WeightFormat::Bf16 => "BF16",
        format => format.label(),
    };
    let model = sheet.plan.get("model").map_or_else(|| String::from("MODEL"), |model| format!("{model}"));
    format!("{model}-{format}.gguf")
}

/// The type of the cache, in llama.cpp's words.
pub(super) const fn cache(kv: KvPrecision) -> &'static str {
    match kv {
        KvPrecision::Fp32 => "f32",
        KvPrecision::Fp16 => "f16",
        KvPrecision::Bf16 => "bf16",
        KvPrecision::Fp8 | KvPrecision::Int8 => "q8_0",
        KvPrecision::Int4 => "q4_0",
    }
}
