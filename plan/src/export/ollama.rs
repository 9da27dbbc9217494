//! `ollama serve`, whose settings are variables of its environment.
//!
//! # Source
//! Ollama: `envconfig/config.go` and `docs/faq`: `OLLAMA_CONTEXT_LENGTH`, `OLLAMA_NUM_PARALLEL`, `OLLAMA_FLASH_ATTENTION` and `OLLAMA_KV_CACHE_TYPE` (`f16`, `q8_0`, `q4_0`).
//! Read 2026-11-25.

use memory_wall_core::{Attention, KvPrecision};

use super::ExportError;
use super::sheet::Sheet;

pub(super) fn write(sheet: &mut Sheet<'_>) -> Result<(), ExportError> {
    let scenario = sheet.scenario;
    if scenario.parallel.tp > 1 {
        return Err(sheet.cannot("spreads a model over GPUs by layers alone, which is pp"));
    }
    let cache = match scenario.kv {
        KvPrecision::Int8 => "q8_0",
        KvPrecision::Int4 => "q4_0",
        KvPrecision::Fp16 | KvPrecision::Bf16 => "f16",
        KvPrecision::Fp32 | KvPrecision::Fp8 => {
            return Err(sheet.cannot("has a cache in f16, q8_0 or q4_0: kv takes fp16, int8 or int4 there"));
        }
    };
    sheet.command(&["ollama", "serve"]);
    sheet.set("OLLAMA_CONTEXT_LENGTH", scenario.seq_length, &["seq"]);
    sheet.set("OLLAMA_NUM_PARALLEL", scenario.batch, &["batch"]);
    let flash = u32::from(scenario.attention == Attention::Flash);
    sheet.set("OLLAMA_FLASH_ATTENTION", flash, &["attention"]);
    sheet.set("OLLAMA_KV_CACHE_TYPE", cache, &["kv"]);
    sheet.leave("model", "Ollama loads a model when it is asked for; its library has names of its own");
    sheet.leave("config", "Ollama loads a model when it is asked for; its library has names of its own");
    sheet.leave("weights", "the model's tag in Ollama's library says them");
    sheet.leave("pp", "Ollama spreads a model over the GPUs that it sees where one is too small");
    sheet.counted_for("ollama");
    Ok(())
}
