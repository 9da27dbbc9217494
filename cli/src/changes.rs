//! What is different in another scenario, as options of the command line.

use memory_wall_core::{Engine, Scenario};

use crate::inputs;

/// The options that turn one scenario into another, each with its value.
pub(crate) fn between(from: &Scenario, to: &Scenario) -> Vec<String> {
    let mut changes = Vec::new();
    let mut word = |option: &str, from: &str, to: &str| {
        if from != to {
            changes.push(format!("--{option} {to}"));
        }
    };
    word("mode", from.mode.id(), to.mode.id());
    word("weights", from.weights.id(), to.weights.id());
    word("kv", from.kv.id(), to.kv.id());
    word("attention", from.attention.id(), to.attention.id());
    // Another mode brings its own recipe and checkpointing, so what stays the same has to be said where it is not that.
    let recipe = if from.mode != to.mode && from.training.recipe == from.usual_recipe() {
        to.usual_recipe()
    } else {
        from.training.recipe
    };
    word("recipe", recipe.id(), to.training.recipe.id());
    word("gradients", from.training.gradients.id(), to.training.gradients.id());
    word("optimizer", from.optimizer.id(), to.optimizer.id());
    let before = if from.mode != to.mode && from.checkpointing == to.checkpointing {
        to.mode.usual_checkpointing(to.training.implementation)
    } else {
        from.checkpointing
    };
    word("checkpointing", before.id(), to.checkpointing.id());
    word("sharding", from.training.sharding.id(), to.training.sharding.id());
    word("loss", from.training.loss.id(), to.training.loss.id());
    let offloaded = |scenario: &Scenario| inputs::offloaded(scenario.offload, scenario.mode).join(",");
    word("offload", &offloaded(from), &offloaded(to));
    word("zero", from.parallel.zero.id(), to.parallel.zero.id());
    word("gpu", from.gpu.map_or("", |gpu| gpu.id), to.gpu.map_or("", |gpu| gpu.id));
    for (option, from, to) in [
        ("seq", from.seq_length, to.seq_length),
        ("batch", from.batch, to.batch),
        ("micro-batches", from.training.micro_batches, to.training.micro_batches),
        ("dp", from.parallel.dp, to.parallel.dp),
        ("tp", from.parallel.tp, to.parallel.tp),
        ("pp", from.parallel.pp, to.parallel.pp),
        ("cp", from.parallel.cp, to.parallel.cp),
        ("ep", from.parallel.ep, to.parallel.ep),
        ("virtual-stages", from.parallel.virtual_stages, to.parallel.virtual_stages),
    ] {
        word(option, &from.to_string(), &to.to_string());
    }
    if to.parallel.schedule != from.parallel.schedule {
        changes.push(format!("--pipeline-schedule {}", to.parallel.schedule.id()));
    }
    if to.parallel.sequence_parallel && !from.parallel.sequence_parallel {
        changes.push("--sequence-parallel".into());
    }
    if from.training.lora.upcast && !to.training.lora.upcast {
        changes.push("--no-kbit-upcast".into());
    }
    if !from.training.lora.experts && to.training.lora.experts {
        changes.push("--quantised-experts".into());
    }
    // What vLLM takes by itself differs from GPU to GPU, in training too, where nobody serves.
    if to.runtime() != Some(Engine::Vllm) {
        return changes;
    }
    let mut word = |option: &str, from: &str, to: &str| {
        if from != to {
            changes.push(format!("--{option} {to}"));
        }
    };
    let share = |scenario: &Scenario| scenario.serving.utilization().to_string();
    word("gpu-memory-utilization", &share(from), &share(to));
    let cap = |scenario: &Scenario| scenario.serving.max_model_len.unwrap_or(scenario.seq_length).to_string();
    word("max-model-len", &cap(from), &cap(to));
    let sequences = |scenario: &Scenario| scenario.serving.max_num_seqs.to_string();
    word("max-num-seqs", &sequences(from), &sequences(to));
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_core::advise::Mitigation;
    use memory_wall_core::tables::{gpus, models};
    use memory_wall_core::{Checkpointing, Implementation, Mode, Offload, Recipe, WeightFormat, ZeroStage};

    #[test]
    fn settings_of_a_server_are_named_where_one_serves() {
        let mut start = Scenario { gpu: gpus::by_id("rtx4090"), ..Scenario::new(models::MODELS[0].architecture) };
        start.serving.max_num_seqs = 256;
        let mut other = Scenario { gpu: gpus::by_id("h100-sxm"), ..start };
        other.serving.max_num_seqs = 1_024;
        for mode in [Mode::Training, Mode::Inference] {
            let [from, to] = [start, other].map(|it| Scenario { mode, ..it });
            assert_eq!(between(&from, &to), ["--gpu h100-sxm"]);
        }
        (start.serving.engine, other.serving.engine) = (Engine::Vllm, Engine::Vllm);
        assert_eq!(between(&start, &other), ["--gpu h100-sxm", "--max-num-seqs 1024"]);
    }

    #[test]
    fn a_recipe_that_comes_with_a_mode_is_not_named() {
        let mut start = Scenario { mode: Mode::Training, ..Scenario::new(models::MODELS[0].architecture) };
        start.training.implementation = Implementation::Torchtitan;
        for (recipe, named) in [(Recipe::Autocast, "--mode lora"), (Recipe::Pure, "--mode lora")] {
            start.training.recipe = recipe;
            let adapters = Mitigation::Lora.apply(&start.check().unwrap()).unwrap();
            assert_eq!(between(&start, &adapters).join(" "), named);
            assert_eq!(adapters.training.recipe == Recipe::Mixed, recipe == Recipe::Autocast);
        }
    }

    #[test]
    fn only_what_is_different_is_named() {
        let start = Scenario { gpu: gpus::by_id("t4"), ..Scenario::new(models::MODELS[0].architecture) };
        assert!(between(&start, &start).is_empty());
        let mut other = Scenario {
            mode: Mode::Qlora,
            weights: WeightFormat::Nf4Dq,
            checkpointing: Checkpointing::Full,
            batch: 4,
            offload: Offload { optimizer: true, parameters: true, kv_cache: false },
            gpu: gpus::by_id("l4"),
            ..start
        };
        other.parallel.dp = 8;
        other.parallel.zero = ZeroStage::Weights;
        assert_eq!(
            between(&start, &other).join(" "),
            "--mode qlora --weights nf4-dq --checkpointing full --offload optimizer,parameters --zero 3 --gpu l4 --batch 4 --dp 8"
        );
    }
}
