//! Peaks that LitGPT reports of training: the most that PyTorch had allocated. No constant was fitted.

use memory_wall_core::architecture::{Biases, Mlp, Norm};
use memory_wall_core::memory::activations::litgpt::{self, Era, Method, Run};
use memory_wall_core::units::GB;
use memory_wall_core::{
    Architecture, Bytes, Checked, Checkpointing, Implementation, LoraTargets, Mode, Parallelism, Recipe, Scenario,
    StepKernel, WeightFormat, ZeroStage,
};

use super::reading::{check, left_out};
use crate::csv;
use crate::{Bound, Data, Outcome, Row, Set, Use};

pub(super) fn sets(data: &Data) -> Vec<Set> {
    let file = data.file("training_peaks.csv");
    // What is of no kind that is known is shown here, with that as the reason.
    let litgpt = |row: &csv::Row<'_>| !row.text("kind").starts_with("tt_");
    let rows = |name: &str| file.rows().filter(litgpt).filter(|row| set_of(*row) == name).map(peak).collect();
    let learning = |row: &csv::Row<'_>| litgpt(row) && !row.text("trainable_params").is_empty();
    vec![
        Set {
            name: "litgpt-lora-qv",
            about: "Peaks of LitGPT with LoRA on queries and values of a 16-bit model",
            bound: Bound::of(0.08, 0.04),
            rows: rows("litgpt-lora-qv"),
        },
        Set {
            name: "litgpt-qlora-2023",
            about: "Peaks of LitGPT with LoRA on a 4-bit model, by the scripts of 2023",
            bound: Bound::of(0.08, 0.04),
            rows: rows("litgpt-qlora-2023"),
        },
        Set {
            name: "litgpt-lora-all-and-adapters",
            about: "Peaks of LitGPT with LoRA on all matrices, and with LLaMA-Adapter in both versions",
            bound: Bound::of(0.20, 0.12),
            rows: rows("litgpt-lora-all-and-adapters"),
        },
        Set {
            name: "litgpt-full",
            about: "Peaks of LitGPT with every parameter learning",
            bound: Bound::each(0.15),
            rows: rows("litgpt-full"),
        },
        Set {
            name: "litgpt-capacity",
            about: "Runs of these scripts that failed for want of memory: whether the engine says so",
            bound: Bound::NONE,
            rows: rows("litgpt-capacity"),
        },
        Set {
            name: "litgpt-reported",
            about: "Peaks of LitGPT with a cause of doubt: later 4-bit runs, several cards, unlike precisions, figures printed twice or impossible",
            bound: Bound::NONE,
            rows: rows("litgpt-reported"),
        },
        Set {
            name: "litgpt-trainable-parameters",
            about: "Parameters that learn in these runs, as LitGPT counts them",
            bound: Bound::EXACT,
            rows: file.rows().filter(learning).map(parameters).collect(),
        },
    ]
}

/// The set of a row: every row has one.
fn set_of(row: csv::Row<'_>) -> &'static str {
    let kind = row.text("kind");
    match (row.text("use"), kind) {
        ("capacity", _) => "litgpt-capacity",
        ("threshold", "lit_lora_bf16") => "litgpt-lora-qv",
        ("threshold", "lit_qlora") => "litgpt-qlora-2023",
        ("threshold", "lit_lora_bf16_all_linear") => "litgpt-lora-all-and-adapters",
        ("threshold", _) if kind.starts_with("lit_adapter") => "litgpt-lora-all-and-adapters",
        // FSDP and traced programs are not itemised well enough to be held to anything.
        ("threshold", "lit_full_bf16" | "lit_pretrain_full_noac_eager") => "litgpt-full",
        _ => "litgpt-reported",
    }
}

fn peak(row: csv::Row<'_>) -> Row {
    let outcome = match (row.text("use"), row.text("status")) {
        ("exclude", _) => excluded(row),
        (_, "oom") => verdict(row),
        _ => compared(row),
    };
    let doubt = row.text("doubt");
    Row {
        id: row.text("row_id").into(),
        unit: "GB",
        counts: if set_of(row) == "litgpt-reported" { Use::Reported } else { Use::Checked },
        outcome: Outcome::of(outcome),
        doubt: match row.text("use") {
            "duplicate" => format!("the same run as {}; {doubt}", row.text("duplicate_of")),
            _ => doubt.into(),
        },
    }
}

/// A figure that contradicts itself is not compared; the engine's stands in the reason.
fn excluded(row: csv::Row<'_>) -> Result<Outcome, String> {
    let reason = left_out(row).unwrap_or_default();
    let engine = predicted(row).map(|bytes| format!("; the engine says {:.2} GB", bytes.as_gb()));
    Err(reason + &engine.unwrap_or_default())
}

fn compared(row: csv::Row<'_>) -> Result<Outcome, String> {
    let predicted = predicted(row)?.as_gb();
    match row.text("unit") {
        "GB" => Ok(Outcome::Compared { predicted, measured: row.float("measured")?, exact: false }),
        unit => Err(format!("unit {unit:?} is not GB")),
    }
}

fn verdict(row: csv::Row<'_>) -> Result<Outcome, String> {
    let predicted = predicted(row)?;
    let capacity = Bytes(u128::from(row.whole("gpu_mem_gb_marketed")?) * GB);
    Ok(Outcome::Verdict {
        right: predicted > capacity,
        why: format!("needs {:.2} GB of {:.0}", predicted.as_gb(), capacity.as_gb()),
    })
}

fn parameters(row: csv::Row<'_>) -> Row {
    let counted = run(row).and_then(|(scenario, run)| {
        Ok(Outcome::whole(litgpt::trained(&scenario, run).into(), row.whole("trainable_params")?))
    });
    Row::checked(row.text("row_id").into(), "parameters", Outcome::of(counted))
}

fn predicted(row: csv::Row<'_>) -> Result<Bytes, String> {
    let (scenario, run) = run(row)?;
    Ok(litgpt::peak(&scenario, run).1)
}

/// The training run that a row states, or why it is not modelled.
fn run(row: csv::Row<'_>) -> Result<(Checked, Run), String> {
    if !row.text("kind").starts_with("lit_") {
        return Err(format!("kind {:?} is not known", row.text("kind")));
    }
    if row.text("kind").contains("thunder") || row.text("compile").contains("thunder") {
        return Err("lightning-thunder traces and fuses the program: what it keeps is not known".into());
    }
    let method = row.text("method");
    let (full, kind) = match method {
        "lora" => (false, Method::OfTheMode),
        "adapter" => (false, Method::Adapter),
        "adapter_v2" => (false, Method::AdapterV2),
        "full" | "pretrain_full" => (true, Method::OfTheMode),
        _ => return Err(format!("method {method:?} is not known")),
    };
    // The scripts of 2023 put the longest sample first, where there are no optimizer states yet.
    let old = row.text("engine_version").contains("2023");
    let run = Run { era: if old { Era::Y2023 } else { Era::Y2024 }, method: kind, first_batch: old };
    let mut scenario = Scenario {
        batch: row.number("micro_batch")?,
        seq_length: row.number("seq_len")?,
        checkpointing: match row.text("checkpointing") {
            "none" | "" => Checkpointing::None,
            text if text.starts_with("full") => Checkpointing::Full,
            other => return Err(format!("checkpointing {other:?} is not known")),
        },
        ..Scenario::new(shape(row)?)
    };
    (scenario.mode, scenario.weights) = match (full, row.text("quant")) {
        (true, "") => (Mode::Training, WeightFormat::Bf16),
        (false, "") => (Mode::Lora, WeightFormat::Bf16),
        // Both kinds of 4 bits have the same layout.
        (false, "bnb.nf4" | "bnb.fp4") => (Mode::Qlora, WeightFormat::Nf4),
        (false, "bnb.nf4-dq" | "bnb.fp4-dq") => (Mode::Qlora, WeightFormat::Nf4Dq),
        (_, other) => return Err(format!("quantisation {other:?} is not modelled")),
    };
    scenario.training.implementation = Implementation::Litgpt;
    scenario.training.recipe = Recipe::Pure;
    if row.text("compute_dtype").contains("autocast") {
        if method != "lora" || scenario.mode == Mode::Qlora {
            return Err("autocast is itemised for LoRA on an unquantised model only".into());
        }
        (scenario.training.recipe, scenario.weights) = (Recipe::Autocast, WeightFormat::Fp32);
    }
    if method == "lora" {
        scenario.training.lora.rank = row.number("lora_r")?;
        scenario.training.lora.targets = targets(row.text("lora_targets"))?;
        // The scripts' default is 0.05.
        scenario.training.lora.dropout = true;
    }
    // Pre-training asks for a fused step, fine-tuning does not.
    scenario.training.step = if method == "pretrain_full" { StepKernel::Fused } else { StepKernel::Foreach };
    // Paged states are managed memory, which the allocator does not count.
    scenario.offload.optimizer = row.text("optimizer").starts_with("Paged");
    let gpus = row.number_or("n_gpus", 1)?.max(1);
    let sharding = row.text("sharding");
    let shared = gpus > 1 && (sharding.contains("FSDP") || sharding.to_lowercase().contains("full"));
    scenario.parallel =
        Parallelism { dp: gpus, zero: if shared { ZeroStage::Weights } else { ZeroStage::None }, ..Parallelism::ONE };
    scenario.training.micro_batches = if accumulates(row, old, gpus, shared) { 2 } else { 1 };
    Ok((check(&scenario)?, run))
}

/// Whether gradients of earlier micro-batches exist at the peak. The tables do not say: their scripts and configurations do.
fn accumulates(row: csv::Row<'_>, old: bool, gpus: u32, shared: bool) -> bool {
    let model = row.text("model_id");
    let global_batch = match row.text("method") {
        // The first batch is the fullest.
        _ if old => return false,
        "pretrain_full" => return !shared,
        "full" => match model {
            "gemma-2b" => 16,
            "tinyllama-1.1b" => 32,
            "llama-2-7b" | "llama-3-8b" | "llama-3.1-8b" | "llama-3.2-1b" | "llama-3.2-3b" => 64,
            _ => 8,
        },
        _ if model.starts_with("gemma") => 6,
        _ => 8,
    };
    row.number("micro_batch").is_ok_and(|micro_batch| global_batch / gpus > micro_batch)
}

/// The layers with an adapter, by their names with commas between.
pub(super) fn targets(text: &str) -> Result<LoraTargets, String> {
    let mut targets = LoraTargets { q: false, k: false, v: false, o: false, mlp: false, head: false };
    for target in text.split(',').map(str::trim) {
        let place = match target {
            "q" => &mut targets.q,
            "k" => &mut targets.k,
            "v" => &mut targets.v,
            "o" => &mut targets.o,
            "mlp" => &mut targets.mlp,
            "head" => &mut targets.head,
            "" => return Err("lora_targets is not stated".into()),
            _ => return Err(format!("LoRA target {target:?} is not known")),
        };
        *place = true;
    }
    Ok(targets)
}

/// The model that a row states. Its columns do not name the norm, the biases and the order of attention and MLP, which go by the family.
fn shape(row: csv::Row<'_>) -> Result<Architecture, String> {
    let llama = Architecture {
        mlp: match row.text("m_mlp") {
            "gated" => Mlp::Gated,
            "plain" => Mlp::Gelu,
            other => return Err(format!("m_mlp {other:?} is not known")),
        },
        tied_embeddings: row.is_set("m_tied_embeddings"),
        ..Architecture::llama([
            row.number("m_layers")?,
            row.number("m_hidden")?,
            row.number("m_heads")?,
            row.number("m_kv_heads")?,
            row.number("m_head_dim")?,
            row.number("m_ffn")?,
            row.number("m_vocab")?,
        ])
    };
    let all = Biases { qkv: true, attention_output: true, mlp: true };
    let side_by_side = Architecture { norm: Norm::LayerNorm, parallel_residual: true, ..llama };
    let shape = match row.text("family") {
        "llama" | "mistral" | "gemma" | "phi3" => llama,
        "gemma2" => Architecture { norms_per_layer: 4, soft_capped: true, ..llama },
        // One norm before both.
        "phi" => Architecture { norms_per_layer: 1, biases: all, ..side_by_side },
        "falcon" if llama.kv_heads == 1 => Architecture { norms_per_layer: 1, ..side_by_side },
        "falcon" => side_by_side,
        "stablelm-alpha" | "gptneox" | "pythia" => Architecture { biases: all, ..side_by_side },
        other => return Err(format!("the norm of the family {other:?} is not known")),
    };
    let (counted, stated) = (shape.parameters().total(), row.whole("m_params_text")?);
    if counted.abs_diff(stated) > stated / 100 {
        return Err(format!(
            "the columns make {counted} parameters, {stated} are stated: the model has parts that are not"
        ));
    }
    // What is left, such as the bias of phi's head, goes into the matrices.
    let rounded = Architecture { biases: Biases::default(), rounded_parameters: Some(stated), ..shape };
    Ok(if counted == stated { shape } else { rounded })
}
