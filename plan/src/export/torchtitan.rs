//! The command of torchtitan 0.3, which has no TOML file any more.
//!
//! # Source
//! torchtitan 0.3.0: `config/configs.py`, `config/manager.py`, `distributed/activation_checkpoint.py`, `models/*/config_registry.py`. Read 2026-11-25.

use alloc::string::String;

use memory_wall_core::{Checkpointing, Fp8Recipe, Loss, Optimizer, Recipe, StepKernel, ZeroStage};

use super::sheet::{Datum, Sheet};
use crate::value::Value;

/// The module and the function of its registry that have a model's shape; that of Llama 3.1 405B trains in fp8 whatever a plan says.
const CONFIGS: [(&str, &str, &str); 20] = [
    ("llama-3-8b", "llama3", "llama3_8b"),
    ("llama-3.1-8b", "llama3", "llama3_8b"),
    ("llama-3.1-70b", "llama3", "llama3_70b"),
    ("llama-3.3-70b", "llama3", "llama3_70b"),
    ("qwen3-0.6b", "qwen3", "qwen3_0_6b"),
    ("qwen3-1.7b", "qwen3", "qwen3_1_7b"),
    ("qwen3-14b", "qwen3", "qwen3_14b"),
    ("qwen3-32b", "qwen3", "qwen3_32b"),
    ("qwen3-30b-a3b", "qwen3", "qwen3_30b_a3b"),
    ("gpt-oss-20b", "gpt_oss", "gpt_oss_20b"),
    ("gpt-oss-120b", "gpt_oss", "gpt_oss_120b"),
    ("deepseek-v3", "deepseek_v3", "deepseek_v3_671b"),
    ("qwen3.5-0.8b", "qwen3_5", "qwen35_0_8b"),
    ("qwen3.5-2b", "qwen3_5", "qwen35_2b"),
    ("qwen3.5-4b", "qwen3_5", "qwen35_4b"),
    ("qwen3.5-9b", "qwen3_5", "qwen35_9b"),
    ("qwen3.5-27b", "qwen3_5", "qwen35_27b"),
    ("qwen3.5-35b-a3b", "qwen3_5", "qwen35_35b_a3b"),
    ("qwen3.5-122b-a10b", "qwen3_5", "qwen35_122b_a10b"),
    ("qwen3.5-397b-a17b", "qwen3_5", "qwen35_397b_a17b"),
];

/// Writes a run that the engine does not refuse for torchtitan.
pub(super) fn write(sheet: &mut Sheet<'_>) {
    let scenario = sheet.scenario;
    sheet.torchrun();
    sheet.command(&["-m", "torchtitan.train"]);
    model(sheet);
    sheet.set("--training.seq_len", scenario.seq_length, &["seq"]);
    batch(sheet);
    precision(sheet);
    degrees(sheet);
    compiled(sheet);
    sheet.because("--training.disable_cuda_graphs", Datum::Switch, "the plan is counted without CUDA graphs");
    if scenario.offload.parameters {
        sheet.set("--training.enable_cpu_offload", Datum::Switch, &["offload"]);
    }
    let step = if scenario.training.step == StepKernel::Fused { "fused" } else { "foreach" };
    sheet.set("--optimizer.implementation", step, &["step"]);
    if scenario.optimizer == Optimizer::AdamW {
        sheet.implied("optimizer");
    }
    sheet.leave("optimizer", "a config names its optimizer in Python, and those of the models take AdamW");
    if scenario.training.fp8.recipe == Fp8Recipe::None {
        sheet.implied("fp8_recipe");
    }
    sheet.leave("fp8_recipe", "a config converts its linear layers in Python, with Float8LinearConverter");
    sheet.implied("attention");
    sheet.implied("sequence_parallel");
    sheet.implied("implementation");
    // A subcommand, behind all options.
    let policy = match scenario.checkpointing {
        Checkpointing::None => "activation-checkpoint:none",
        Checkpointing::Full => "activation-checkpoint:full",
        // The engine refuses to recompute scores alone there.
        Checkpointing::PerOp | Checkpointing::Selective => "activation-checkpoint:selective",
    };
    sheet.set(policy, Datum::Switch, &["checkpointing"]);
}

/// The config of the model.
fn model(sheet: &mut Sheet<'_>) {
    let found = match sheet.plan.get("model") {
        Some(Value::Word(id)) => CONFIGS.iter().find(|(model, ..)| model == id),
        _ => None,
    };
    let (module, config) = found.map_or(("MODULE", "CONFIG"), |(_, module, config)| (*module, *config));
    let from: &[&str] = if sheet.says("config") { &["config"] } else { &["model"] };
    sheet.set("--module", module, from);
    sheet.set("--config", config, from);
    sheet.language_part();
    if found.is_none() {
        sheet.note("torchtitan has no config of this model: put the module and the config of your own in place of MODULE and CONFIG");
    }
}

/// Sequences of a step.
fn batch(sheet: &mut Sheet<'_>) {
    let scenario = sheet.scenario;
    let parts = scenario.training.micro_batches;
    if scenario.parallel.pp > 1 {
        sheet.set("--training.local_batch_size", scenario.batch.saturating_mul(parts), &["batch", "micro_batches"]);
        sheet.set("--parallelism.pipeline_parallel_microbatch_size", scenario.batch, &["batch"]);
    } else {
        sheet.set("--training.local_batch_size", scenario.batch, &["batch"]);
        if parts > 1 {
            let all = scenario.batch.saturating_mul(parts).saturating_mul(scenario.parallel.dp);
            sheet.set("--training.global_batch_size", all, &["batch", "micro_batches", "dp"]);
        }
    }
    sheet.implied("micro_batches");
}

/// In what states are kept and computed.
fn precision(sheet: &mut Sheet<'_>) {
    let recipe = sheet.scenario.recipe();
    match recipe {
        Recipe::Pure => sheet.set("--training.dtype", "bfloat16", &["recipe", "weights"]),
        Recipe::Fp32 => {
            sheet.set("--training.dtype", "float32", &["recipe", "weights"]);
            sheet.set("--training.mixed_precision_param", "float32", &["recipe", "weights"]);
        }
        Recipe::Autocast | Recipe::Mixed | Recipe::MixedFp32Gradients | Recipe::WithoutMaster => {
            sheet.set("--training.dtype", "float32", &["recipe"]);
            sheet.set("--training.mixed_precision_param", "bfloat16", &["recipe", "weights"]);
            if recipe != Recipe::Autocast {
                sheet.note("recipe: torchtitan keeps weights in fp32 and casts them to bf16 as it uses them, which is recipe autocast; it has no second copy in 16 bits");
            }
        }
    }
}

/// What is compiled; configs have settings of their own.
fn compiled(sheet: &mut Sheet<'_>) {
    let training = &sheet.scenario.training;
    let (model, loss) = (training.compile, training.loss == Loss::Compiled);
    if model || loss {
        let options: &[&str] = if loss { &["compile", "loss"] } else { &["compile"] };
        sheet.set("--compile.enable", Datum::Switch, options);
        let parts =
            [(model, "model"), (loss, "loss")].into_iter().filter(|(has, _)| *has).map(|(_, part)| String::from(part));
        sheet.set("--compile.components", Datum::List(parts.collect()), options);
    } else {
        sheet.set("--compile.no-enable", Datum::Switch, &["compile"]);
    }
    if training.async_tp {
        sheet.set("--compile.enable_async_tensor_parallel", Datum::Switch, &["async_tp"]);
    } else {
        sheet.because("--compile.no-enable_async_tensor_parallel", Datum::Switch, "async_tp, which is not said");
    }
    if training.loss == Loss::Chunked {
        sheet.implied("loss");
    } else {
        sheet.note("loss: the configs of the models compute it in chunks, which takes less than the plan counts");
    }
    sheet.implied("loss");
}

/// How the run is cut over GPUs.
fn degrees(sheet: &mut Sheet<'_>) {
    let scenario = sheet.scenario;
    let parallel = &scenario.parallel;
    let shard = match parallel.zero {
        ZeroStage::None => 1,
        _ => parallel.shard.unwrap_or(parallel.dp),
    };
    let replicas = parallel.dp.checked_div(shard).unwrap_or(1);
    sheet.set("--parallelism.data_parallel_replicate_degree", replicas, &["dp", "zero"]);
    sheet.set("--parallelism.data_parallel_shard_degree", shard, &["dp", "zero"]);
    sheet.implied("shard");
    if parallel.zero == ZeroStage::Weights {
        let whole = scenario.training.reshard_after_forward;
        let option = if whole { "zero" } else { "no_reshard_after_forward" };
        sheet.set("--parallelism.fsdp_reshard_after_forward", if whole { "always" } else { "never" }, &[option]);
    }
    // All of them: configs have degrees of their own.
    sheet.set("--parallelism.tensor_parallel_degree", parallel.tp, &["tp"]);
    sheet.set("--parallelism.context_parallel_degree", parallel.cp, &["cp"]);
    sheet.set("--parallelism.expert_parallel_degree", parallel.ep, &["ep"]);
    sheet.set("--parallelism.pipeline_parallel_degree", parallel.pp, &["pp"]);
    if parallel.pp > 1 && parallel.virtual_stages > 1 {
        let chunks = parallel.pp.saturating_mul(parallel.virtual_stages).max(1);
        sheet.set("--parallelism.pipeline_parallel_schedule", "Interleaved1F1B", &["virtual_stages"]);
        let layers = scenario.architecture.layers.div_ceil(chunks);
        sheet.set("--parallelism.pipeline_parallel_layers_per_stage", layers, &["virtual_stages", "pp"]);
    }
    for option in ["virtual_stages", "pipeline_schedule"] {
        sheet.implied(option);
    }
}
