//! Ollama's defaults by the memory of all GPUs.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use memory_wall_core::tables::gpus::{self, Gpu};
use memory_wall_core::tables::models;
use memory_wall_core::{Attention, Checked, Engine, Scenario, WeightFormat};
use memory_wall_runtimes::{llamacpp, ollama};

fn gpu(id: &str) -> &'static Gpu {
    gpus::by_id(id).unwrap()
}

fn scenario(model: &str, seq_length: u32, attention: Attention) -> Checked {
    let mut scenario = Scenario::new(models::by_id(model).unwrap().architecture);
    (scenario.weights, scenario.seq_length, scenario.attention) = (WeightFormat::Q4K, seq_length, attention);
    (scenario.serving.engine, scenario.gpu) = (Engine::LlamaCpp, Some(gpu("rtx4090")));
    scenario.check().unwrap()
}

#[test]
fn the_context_follows_all_memory_and_the_model() {
    let one = |id: &str| ollama::context(&[gpu(id)], None);
    assert_eq!([one("rtx3060-12"), one("rtx4090"), one("a100-80-sxm")], [4_096, 32_768, 262_144]);
    assert_eq!(ollama::context(&[gpu("rtx4090"), gpu("rtx3090")], None), 262_144);
    assert_eq!(ollama::context(&[gpu("a100-80-sxm")], Some(131_072)), 131_072);
    assert_eq!(ollama::context(&[gpu("rtx4090")], Some(8_192)), 8_192);
}

#[test]
fn the_batch_follows_the_context_while_there_is_room() {
    let batch =
        |model, seq_length, attention| ollama::batch(&scenario(model, seq_length, attention), &[gpu("rtx4090")]);
    assert_eq!(batch("llama-3.1-8b", 4_096, Attention::Flash), 512);
    assert_eq!(batch("llama-3.1-8b", 32_768, Attention::Flash), 1_024);
    assert_eq!(batch("llama-3.1-8b", 65_536, Attention::Flash), 2_048);
    assert_eq!(batch("llama-3.1-8b", 65_536, Attention::Eager), 512);
    // 42 GB don't go on a GPU of 24 at all.
    assert_eq!(batch("llama-3.3-70b", 32_768, Attention::Flash), 512);
    let told = llamacpp::Settings { ubatch: 256, ..llamacpp::Settings::DEFAULT };
    let run = scenario("llama-3.1-8b", 65_536, Attention::Flash);
    assert_eq!(ollama::settings(&run, &told, true).ubatch, 256);
    assert_eq!(ollama::settings(&run, &told, false).ubatch, 2_048);
}

#[test]
fn families_with_states_run_one_request_at_a_time() {
    assert!(ollama::one_at_a_time(&scenario("qwen3.5-9b", 4_096, Attention::Flash)));
    assert!(!ollama::one_at_a_time(&scenario("llama-3.1-8b", 4_096, Attention::Flash)));
}
