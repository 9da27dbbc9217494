//! The options that state what a report doesn't say: each on top of what was read.

use memory_wall_core::Scenario;
use memory_wall_plan::OPTIONS;

use crate::options::Given;

/// Sets what the options state; `settings` is what they say together.
pub(super) fn overlay(given: &Given, settings: &Scenario, scenario: &mut Scenario) {
    let by_itself = scenario.training.recipe == scenario.usual_recipe();
    for name in given.names() {
        match name {
            // Read elsewhere, with the model.
            "--mode" | "--gpu" => continue,
            // The table leaves out what the mode does not have, and the mode may be the report's.
            "--offload" => {
                scenario.offload = settings.offload;
                continue;
            }
            "--chunked-loss" => scenario.training.loss = settings.training.loss,
            "--draft-config" => scenario.draft = settings.draft,
            "--recipe" if !given.has("--weights") => scenario.weights = settings.weights,
            _ => {}
        }
        if let Some(option) = OPTIONS.iter().find(|option| option.flag() == name) {
            option.copy(settings, scenario);
        }
    }
    // Other code has a recipe of its own.
    if by_itself && !given.has("--recipe") {
        scenario.training.recipe = scenario.usual_recipe();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::table;
    use crate::request::Request;
    use memory_wall_core::tables::models::MODELS;
    use memory_wall_core::{Mode, Recipe};
    use std::ffi::OsString;

    /// A value that each option takes and that is none of its defaults.
    const VALUES: [(&str, &str); 47] = [
        ("--gpu-memory", "8"),
        ("--batch", "7"),
        ("--seq", "4096"),
        ("--weights", "fp32"),
        ("--attention", "eager"),
        ("--offload", "parameters"),
        ("--host-memory", "64"),
        ("--kv", "fp8"),
        ("--engine", "vllm"),
        ("--engine-version", "0.19"),
        ("--max-model-len", "4096"),
        ("--max-num-seqs", "7"),
        ("--max-num-batched-tokens", "4096"),
        ("--prefix-caching", "on"),
        ("--max-loras", "4"),
        ("--max-lora-rank", "64"),
        ("--speculative", "ngram"),
        ("--num-speculative-tokens", "3"),
        ("--draft", "llama-3.2-1b"),
        (
            "--draft-config",
            "{\"model_type\": \"llama\", \"hidden_size\": 64, \"intermediate_size\": 64, \"num_attention_heads\": 4, \"num_hidden_layers\": 1, \"vocab_size\": 64}",
        ),
        ("--gpu-memory-utilization", "0.5"),
        ("--recipe", "pure"),
        ("--gradients", "kept"),
        ("--moments", "bf16"),
        ("--fp8-recipe", "blockwise"),
        ("--optimizer", "lion"),
        ("--step", "foreach"),
        ("--implementation", "megatron"),
        ("--sharding", "fsdp"),
        ("--checkpointing", "full"),
        ("--recompute-modules", "mlp"),
        ("--loss", "chunked"),
        ("--micro-batches", "4"),
        ("--lora-rank", "8"),
        ("--lora-targets", "q"),
        ("--lora-dtype", "bf16"),
        ("--dp", "2"),
        ("--tp", "2"),
        ("--pp", "2"),
        ("--zero", "3"),
        ("--shard", "2"),
        ("--etp", "2"),
        ("--virtual-stages", "2"),
        ("--pipeline-schedule", "dualpipe"),
        ("--decoder-first-pipeline-num-layers", "2"),
        ("--decoder-last-pipeline-num-layers", "2"),
        ("--pipeline-model-parallel-layout", "Et|tL"),
    ];

    #[test]
    fn every_option_of_a_scenario_changes_one() {
        let elsewhere = ["--plan", "--plan-name", "--model", "--config", "--mode", "--gpu", "--unit", "--json"];
        for option in table::of("explain").iter().filter(|option| !elsewhere.contains(&option.name)) {
            let mut words = vec![OsString::from(option.name)];
            if option.value.is_some() {
                let known = VALUES.iter().chain(&[("--ep", "2"), ("--cp", "2")]).find(|(name, _)| *name == option.name);
                words.push(known.unwrap_or_else(|| panic!("{}", option.name)).1.into());
            }
            let given = Given::read("explain", &words).unwrap();
            let request = Request::stated(&given).unwrap();
            let start = Scenario::new(MODELS[0].architecture);
            let mut scenario = start;
            overlay(&given, request.settings(), &mut scenario);
            assert_ne!(scenario, start, "{}", option.name);
        }
    }

    #[test]
    fn a_stated_code_brings_its_recipe() {
        for (words, recipe) in [
            (&["--implementation", "megatron"][..], Recipe::MixedFp32Gradients),
            (&["--implementation", "megatron", "--recipe", "mixed"], Recipe::Mixed),
        ] {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            let given = Given::read("explain", &words).unwrap();
            let settings = *Request::stated(&given).unwrap().settings();
            let mut scenario = Scenario { mode: Mode::Training, ..Scenario::new(MODELS[0].architecture) };
            overlay(&given, &settings, &mut scenario);
            assert_eq!(scenario.training.recipe, recipe, "{words:?}");
        }
    }

    #[test]
    fn what_is_offloaded_counts_in_the_mode_of_the_report() {
        let words = ["--offload", "optimizer,parameters"].map(OsString::from);
        let given = Given::read("explain", &words).unwrap();
        let settings = *Request::stated(&given).unwrap().settings();
        let mut scenario = Scenario::new(MODELS[0].architecture);
        scenario.mode = Mode::Training;
        overlay(&given, &settings, &mut scenario);
        assert!(scenario.offload.optimizer && scenario.offload.parameters);
    }
}
