//! `llama-server` of llama.cpp.
//!
//! # Source
//! llama.cpp, `common/arg.cpp` at 145b628 (2026). Read 2026-11-25.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use memory_wall_core::{Attention, Engine, KvPrecision, WeightFormat};

use super::sheet::{Datum, Sheet};

pub(super) fn write(sheet: &mut Sheet<'_>) {
    let scenario = sheet.scenario;
    let parallel = &scenario.parallel;
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
    sheet.set("--cache-type-k", cache, &["kv"]);
    sheet.set("--cache-type-v", cache, &["kv"]);
    sheet.because("--n-gpu-layers", "all", "the plan holds every layer on the GPUs");
    if parallel.tp > 1 {
        sheet.set("--split-mode", "tensor", &["tp"]);
    } else if parallel.pp > 1 {
        sheet.set("--split-mode", "layer", &["pp"]);
    } else {
        sheet.because("--split-mode", "none", "tp 1 and pp 1: one GPU");
    }
    sheet.implied("tp");
    sheet.implied("pp");
    let gpus = parallel.tp.max(parallel.pp);
    if gpus > 1 {
        let shares: Vec<&str> = (0..gpus).map(|_| "1").collect();
        let option = if parallel.tp > 1 { "tp" } else { "pp" };
        sheet.set("--tensor-split", shares.join(",").as_str(), &[option]);
        sheet.note(format!("{gpus} GPUs: llama-server takes all that it sees; CUDA_VISIBLE_DEVICES leaves it so many"));
    }
    sheet.leave("dp", "one server has one copy of the model: start so many of them");
    sheet.counted_for(Some(Engine::LlamaCpp));
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
