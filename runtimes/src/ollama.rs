//! Ollama: llama.cpp's own server, with defaults by the memory of all GPUs.

use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::units::GIB;
use memory_wall_core::{Attention, Checked, memory, worked};

use crate::llamacpp;

/// Its name as an engine.
pub const ID: &str = "ollama";

/// What was read.
pub const VERSION: &str = "releases that run llama-server: 0.30 and later (2026, since pull request 16031)";
/// What older releases do.
///
/// # Source
/// ollama/ollama issue 15634: 27 and 24 GB by `ollama ps` for Qwen3.6 35B-A3B and 27B at 32,768 tokens, on a GPU of 24 GB. Read 2026-11-25.
pub const OLDER: &str = "Older releases run many models with an engine of their own, which is not modelled and takes more: 27 and 24 GB were reported for Qwen3.6 35B-A3B and 27B at 32,768 tokens, 17 and 22% more than is counted here (ollama/ollama issue 15634). The files of models that see hold their vision tower too, which is not counted";
/// Where the rules come from.
pub const SOURCE: &str =
    "ollama/ollama at fb30760: server/routes.go, server/sched.go, llm/llama_server.go; then llama.cpp's";

/// Tokens of context where nothing says how many (`num_ctx`): by the memory of all GPUs together, and no more than the model was made for.
///
/// # Source
/// `Serve` in `server/routes.go`: 262,144 from 47 GiB, 32,768 from 23 GiB, else 4,096; `effectiveContext` in `server/sched.go`.
pub fn context(gpus: &[&'static Gpu], trained: Option<u32>) -> u32 {
    let memory: u128 = gpus.iter().map(|gpu| gpu.capacity_most.0).sum();
    let usual = match memory / GIB {
        47.. => 262_144,
        23.. => 32_768,
        _ => 4_096,
    };
    trained.map_or(usual, |most| usual.min(most))
}

/// Whether Ollama runs one request at a time, whatever `OLLAMA_NUM_PARALLEL` says: families with states among their layers.
///
/// # Source
/// `load` in `server/sched.go`, the list behind issue 4165.
pub fn one_at_a_time(scenario: &Checked) -> bool {
    scenario.architecture.linear_attention.is_some()
}

/// Tokens that pass through the model at once where nothing says how many (`num_batch`).
///
/// # Formula
/// By the context of all requests together: 512 up to 4,096 tokens, 1,024 up to 32,768, 2,048 beyond; a step less while the file and a plain cache take more than
/// 60% (2,048) or 75% (1,024) of the GPUs, or leave no 2 GiB (768 MiB) of 80%. Without flash attention 512, and 256 on GPUs of 8 GiB with more than 4,096 tokens.
///
/// # Source
/// `automaticGenerationBatch` and `PredictServerVRAM`.
pub fn batch(scenario: &Checked, gpus: &[&'static Gpu]) -> u32 {
    let shape = &scenario.architecture;
    let context = u128::from(scenario.seq_length) * u128::from(scenario.batch);
    let memory: u128 = gpus.iter().map(|gpu| gpu.capacity.0).sum();
    if scenario.attention == Attention::Eager {
        let small = context > 4_096 && gpus.iter().any(|gpu| gpu.capacity.0 <= 8 * GIB);
        return if small { 256 } else { 512 };
    }
    let file = worked::total(|sink| memory::weights::terms(scenario, sink)).0;
    let cache = 4 * u128::from(shape.layers) * u128::from(shape.kv_heads) * u128::from(shape.head_dim) * context;
    let predicted = file + cache;
    let goes =
        |percent: u128, beside: u128| predicted <= memory * percent / 100 && predicted + beside <= memory * 80 / 100;
    if context > 32_768 && goes(60, 2 * GIB) {
        2_048
    } else if context > 4_096 && goes(75, GIB * 3 / 4) {
        1_024
    } else {
        512
    }
}

/// llama.cpp's settings where nothing says how many tokens pass at once.
pub fn settings(scenario: &Checked, told: &llamacpp::Settings, batch_told: bool) -> llamacpp::Settings {
    let own: alloc::vec::Vec<&'static Gpu> = scenario.gpu.into_iter().collect();
    let gpus = if told.gpus.is_empty() { &own } else { &told.gpus };
    let ubatch = if batch_told { told.ubatch } else { batch(scenario, gpus) };
    llamacpp::Settings { ubatch, ..told.clone() }
}
