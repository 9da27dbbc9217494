//! The options that state what a report doesn't say: each on top of what was read.

use memory_wall_core::Scenario;

use crate::options::Given;

/// Sets what the options state; `settings` is what they say together.
pub(super) fn overlay(given: &Given, settings: &Scenario, scenario: &mut Scenario) {
    let (training, stated) = (&mut scenario.training, &settings.training);
    for option in given.names() {
        match option {
            "--batch" => scenario.batch = settings.batch,
            "--seq" => scenario.seq_length = settings.seq_length,
            "--weights" => scenario.weights = settings.weights,
            "--attention" => scenario.attention = settings.attention,
            "--offload" => scenario.offload = settings.offload,
            "--kv" => scenario.kv = settings.kv,
            "--engine" => scenario.serving.engine = settings.serving.engine,
            "--engine-version" => scenario.serving.version = settings.serving.version,
            "--max-model-len" => scenario.serving.max_model_len = settings.serving.max_model_len,
            "--max-num-seqs" => {
                (scenario.serving.max_num_seqs, scenario.serving.usual_seqs) = (settings.serving.max_num_seqs, false);
            }
            "--max-num-batched-tokens" => {
                scenario.serving.max_num_batched_tokens = settings.serving.max_num_batched_tokens;
                scenario.serving.usual_batched_tokens = false;
            }
            "--enforce-eager" => scenario.serving.enforce_eager = true,
            "--gpu-memory-utilization" => {
                scenario.serving.utilization_percent = settings.serving.utilization_percent;
            }
            "--recipe" => {
                training.recipe = stated.recipe;
                if !given.has("--weights") {
                    scenario.weights = settings.weights;
                }
            }
            "--gradients" => training.gradients = stated.gradients,
            "--optimizer" => scenario.optimizer = settings.optimizer,
            "--step" => training.step = stated.step,
            "--implementation" => training.implementation = stated.implementation,
            "--checkpointing" => scenario.checkpointing = settings.checkpointing,
            "--loss" | "--chunked-loss" => training.loss = stated.loss,
            "--compile" => training.compile = true,
            "--async-tp" => training.async_tp = true,
            "--no-reshard-after-forward" => training.reshard_after_forward = false,
            "--micro-batches" => training.micro_batches = stated.micro_batches,
            "--lora-rank" => training.lora.rank = stated.lora.rank,
            "--lora-targets" => training.lora.targets = stated.lora.targets,
            "--lora-dtype" => training.lora.precision = stated.lora.precision,
            "--lora-dropout" => training.lora.dropout = true,
            "--no-kbit-upcast" => training.lora.upcast = false,
            "--quantised-experts" => training.lora.experts = true,
            "--dp" => scenario.parallel.dp = settings.parallel.dp,
            "--tp" => scenario.parallel.tp = settings.parallel.tp,
            "--pp" => scenario.parallel.pp = settings.parallel.pp,
            "--ep" => scenario.parallel.ep = settings.parallel.ep,
            "--cp" => scenario.parallel.cp = settings.parallel.cp,
            "--zero" => scenario.parallel.zero = settings.parallel.zero,
            "--shard" => scenario.parallel.shard = settings.parallel.shard,
            "--virtual-stages" => scenario.parallel.virtual_stages = settings.parallel.virtual_stages,
            "--sequence-parallel" => scenario.parallel.sequence_parallel = true,
            // Read elsewhere: the model, the mode, the GPU, and how the answer is written.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::table;
    use crate::request::Request;
    use memory_wall_core::tables::models::MODELS;
    use std::ffi::OsString;

    /// A value that each option takes and that is none of its defaults.
    const VALUES: [(&str, &str); 29] = [
        ("--batch", "7"),
        ("--seq", "4096"),
        ("--weights", "fp32"),
        ("--attention", "eager"),
        ("--offload", "parameters"),
        ("--kv", "fp8"),
        ("--engine", "vllm"),
        ("--engine-version", "0.19"),
        ("--max-model-len", "4096"),
        ("--max-num-seqs", "7"),
        ("--max-num-batched-tokens", "4096"),
        ("--gpu-memory-utilization", "0.5"),
        ("--recipe", "pure"),
        ("--gradients", "kept"),
        ("--optimizer", "lion"),
        ("--step", "foreach"),
        ("--implementation", "megatron"),
        ("--checkpointing", "full"),
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
        ("--virtual-stages", "2"),
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
}
