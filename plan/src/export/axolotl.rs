//! The YAML file of axolotl.
//!
//! # Source
//! axolotl 0.19.0: `utils/schemas/config.py`, `model.py`, `peft.py`, `training.py`, `fsdp.py`, `enums.py`. Read 2026-11-25.

use alloc::string::String;
use alloc::vec::Vec;

use memory_wall_core::tables::capability::{self, Capability};
use memory_wall_core::{
    AdapterPrecision, Attention, Checkpointing, LoraTargets, Loss, Mode, Optimizer, Recipe, Scenario, Sharding,
    WeightFormat, ZeroStage,
};

use super::accelerate::fsdp_reason;
use super::sheet::{Datum, Sheet};
use super::{ExportError, training_arguments};

pub(super) fn write(sheet: &mut Sheet<'_>) -> Result<(), ExportError> {
    let scenario = sheet.scenario;
    let model = sheet.model();
    let from: &[&str] = if sheet.says("config") { &["config"] } else { &["model"] };
    sheet.set("base_model", model.as_str(), from);
    sheet.set("sequence_len", scenario.seq_length, &["seq"]);
    sheet.set("micro_batch_size", scenario.batch, &["batch"]);
    sheet.set("gradient_accumulation_steps", scenario.training.micro_batches, &["micro_batches"]);
    precision(sheet)?;
    adapter(sheet)?;
    match scenario.optimizer {
        Optimizer::Muon => sheet.set("optimizer", "muon", &["optimizer"]),
        kind => match training_arguments::optimizer(kind, scenario.training.step) {
            Some(name) => sheet.set("optimizer", name, &["optimizer", "step"]),
            None => return Err(sheet.cannot("has no SGD with momentum: optimizer takes adamw, adamw8bit, paged-adamw8bit, paged-adamw, adafactor, lion, muon or sgd")),
        },
    }
    match scenario.checkpointing {
        Checkpointing::None => sheet.set("gradient_checkpointing", false, &["checkpointing"]),
        Checkpointing::Full => sheet.set("gradient_checkpointing", true, &["checkpointing"]),
        _ => sheet
            .leave("checkpointing", "selective_checkpointing names the operations to keep, which the plan does not"),
    }
    let attention = match scenario.attention {
        Attention::Flash if flash_2(scenario) => "flash_attention_2",
        Attention::Flash => {
            sheet.note(
                "attention flash: the package flash-attn does not run on this GPU, and PyTorch's own sdpa is fused too",
            );
            "sdpa"
        }
        Attention::Eager => "eager",
    };
    sheet.set("attn_implementation", attention, &["attention"]);
    if scenario.training.compile {
        sheet.set("torch_compile", true, &["compile"]);
    }
    if scenario.training.loss == Loss::Chunked {
        sheet.set("chunked_cross_entropy", true, &["loss"]);
    }
    sharding(sheet)?;
    sheet.degree("tensor_parallel_size", scenario.parallel.tp, "tp");
    sheet.degree("context_parallel_size", scenario.parallel.cp, "cp");
    sheet.note("axolotl asks for learning_rate and datasets too, which change no memory: they are yours to add");
    sheet.note("sample_packing is off where it is not said: with it every sequence is as long as sequence_len");
    sheet.leave("dp", "axolotl takes the ranks that its launcher starts");
    sheet.leave("loss", "axolotl has a loss in chunks, or the plain one");
    Ok(())
}

/// Whether the package flash-attn may run: on NVIDIA's GPUs from Ampere on, and on AMD's.
///
/// # Source
/// Dao-AILab/flash-attention, `README.md`: "Ampere, Ada, or Hopper GPUs", Turing by FlashAttention 1.x alone; `ROCm` for AMD's. Read 2026-11-27.
fn flash_2(scenario: &Scenario) -> bool {
    scenario.gpu.is_none_or(|gpu| match capability::of(gpu) {
        Some(has) => has >= Capability::new(8, 0),
        None => gpu.is_own() || gpu.vendor == "AMD",
    })
}

/// In what is computed and kept.
///
/// # Source
/// axolotl at 067b021 (2026-11), `choose_dtype` of `utils/config/__init__.py`: with `bf16` the model is loaded in bf16. FSDP alone upcasts it again
/// (accelerate, `utils/fsdp_utils.py`). Read 2026-11-25.
fn precision(sheet: &mut Sheet<'_>) -> Result<(), ExportError> {
    let scenario = sheet.scenario;
    let half = sheet.half();
    let trains_all = !scenario.mode.adapts();
    let sharded = matches!(scenario.parallel.zero, ZeroStage::Gradients | ZeroStage::Weights);
    match scenario.recipe() {
        Recipe::Autocast if trains_all && !sharded => {
            return Err(sheet.cannot(
                "loads the weights in 16 bits where bf16 is on, and FSDP alone keeps them in fp32: recipe autocast takes zero 2 or 3 there, and without them recipe takes pure or fp32",
            ));
        }
        recipe @ (Recipe::Mixed | Recipe::MixedFp32Gradients | Recipe::Autocast) => {
            sheet.set(if half { "fp16" } else { "bf16" }, true, &["recipe"]);
            if trains_all && recipe != Recipe::Autocast {
                sheet.note(if sharded {
                    "recipe: 16-bit weights beside an fp32 copy are DeepSpeed's; FSDP keeps fp32 weights and gathers them in 16 bits, which is recipe autocast"
                } else {
                    "recipe: 16-bit weights beside an fp32 copy are DeepSpeed's; axolotl alone keeps weights, gradients and states in 16 bits, which is recipe pure and takes less"
                });
            }
        }
        // Weights, gradients and states in 16 bits, without autocast.
        Recipe::Pure | Recipe::WithoutMaster => {
            sheet.set(if half { "float16" } else { "bfloat16" }, true, &["recipe"]);
        }
        Recipe::Fp32 => sheet.set("float32", true, &["recipe"]),
    }
    if trains_all {
        sheet.implied("weights");
    }
    Ok(())
}

/// The adapter, and how the frozen model is loaded.
fn adapter(sheet: &mut Sheet<'_>) -> Result<(), ExportError> {
    let scenario = sheet.scenario;
    let lora = &scenario.training.lora;
    match scenario.mode {
        Mode::Lora => {
            sheet.set("adapter", "lora", &["mode"]);
            sheet.implied("weights");
        }
        Mode::Qlora => match scenario.weights {
            WeightFormat::Nf4 | WeightFormat::Nf4Dq => {
                sheet.set("adapter", "qlora", &["mode"]);
                sheet.set("load_in_4bit", true, &["weights"]);
                let double = scenario.weights == WeightFormat::Nf4Dq;
                sheet.set("bnb_config_kwargs.bnb_4bit_use_double_quant", double, &["weights"]);
            }
            WeightFormat::Int8 => {
                sheet.set("adapter", "lora", &["mode"]);
                sheet.set("load_in_8bit", true, &["weights"]);
            }
            _ => {
                return Err(sheet
                    .cannot("quantises to nf4 or int8 as it loads a model: weights takes nf4, nf4-dq or int8 there"));
            }
        },
        _ => return Ok(()),
    }
    sheet.set("lora_r", lora.rank, &["lora_rank"]);
    if lora.targets == LoraTargets::ALL_LINEAR {
        sheet.set("lora_target_linear", true, &["lora_targets"]);
    } else {
        sheet.set("lora_target_modules", Datum::List(modules(lora.targets)), &["lora_targets"]);
    }
    if lora.dropout {
        sheet.because(
            "lora_dropout",
            Datum::Number("0.05".into()),
            "lora_dropout; the plan says that there is one, and any share takes the same memory",
        );
        sheet.implied("lora_dropout");
    }
    if lora.precision == AdapterPrecision::Bf16 {
        sheet.set("peft_autocast_adapter_dtype", false, &["lora_dtype"]);
    }
    sheet.implied("lora_dtype");
    sheet.note("lora_alpha changes no memory, and is yours to add");
    if scenario.training.stock.reentrant {
        sheet.set("gradient_checkpointing_kwargs.use_reentrant", true, &["reentrant_checkpointing"]);
    }
    if lora.experts {
        sheet.set("quantize_moe_experts", true, &["quantised_experts"]);
    }
    Ok(())
}

/// The names of the layers with an adapter, as most models have them.
fn modules(targets: LoraTargets) -> Vec<String> {
    let LoraTargets { q, k, v, o, mlp, head } = targets;
    let names = [
        (q, "q_proj"),
        (k, "k_proj"),
        (v, "v_proj"),
        (o, "o_proj"),
        (mlp, "gate_proj"),
        (mlp, "up_proj"),
        (mlp, "down_proj"),
        (head, "lm_head"),
    ];
    names.into_iter().filter(|(has, _)| *has).map(|(_, name)| String::from(name)).collect()
}

/// How states are sharded.
fn sharding(sheet: &mut Sheet<'_>) -> Result<(), ExportError> {
    let scenario = sheet.scenario;
    let (parallel, offload) = (&scenario.parallel, &scenario.offload);
    if parallel.zero == ZeroStage::Optimizer {
        return Err(sheet.cannot(
            "shards optimizer states alone by a DeepSpeed file, which is target deepspeed: zero is 0, 2 or 3 with FSDP",
        ));
    }
    if parallel.zero != ZeroStage::None && scenario.training.sharding == Sharding::DeepSpeed {
        return Err(sheet.cannot("shards by DeepSpeed through a file of its own, which is target deepspeed"));
    }
    sheet.implied("sharding");
    if offload.optimizer != offload.parameters {
        return Err(sheet.cannot(
            "offloads weights, gradients and optimizer states together: offload takes optimizer and parameters there",
        ));
    }
    if parallel.zero == ZeroStage::None {
        if offload.parameters {
            return Err(sheet.cannot("offloads with FSDP alone, which is zero 2 or 3"));
        }
        sheet.implied("zero");
        return Ok(());
    }
    let shard = parallel.shard.unwrap_or(parallel.dp);
    sheet.set("dp_shard_size", shard, &["dp", "shard"]);
    if let Some(replicas) = parallel.dp.checked_div(shard).filter(|replicas| *replicas > 1) {
        sheet.set("dp_replicate_size", replicas, &["dp", "shard"]);
    }
    sheet.because("fsdp_version", 2, fsdp_reason(scenario));
    sheet.set("fsdp_config.reshard_after_forward", parallel.zero == ZeroStage::Weights, &["zero"]);
    sheet.because("fsdp_config.auto_wrap_policy", "TRANSFORMER_BASED_WRAP", "the plan fetches weights layer by layer");
    sheet.set("fsdp_config.offload_params", offload.parameters, &["offload"]);
    Ok(())
}
