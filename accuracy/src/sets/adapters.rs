//! Peaks of adapters beside a frozen model, on one GPU and under FSDP. No constant was fitted.
//!
//! fms-acceleration's runs say what PyTorch had allocated; those of `fsdp_qlora` what it had reserved, which is more by as much as its blocks hold free.
//! Both ran on releases of transformers whose loss copies more than today's: [`older_loss`] adds that, from their code.

use memory_wall_core::tables::{gpus, models};
use memory_wall_core::units::GIB;
use memory_wall_core::{
    AdapterPrecision, Bucket, Bytes, Checked, Checkpointing, Evaluation, Mode, Offload, Parallelism, Phase, Recipe,
    Scenario, StepKernel, Verdict, WeightFormat, ZeroStage, evaluate,
};

use super::litgpt::targets;
use super::reading::check;
use crate::csv;
use crate::{Bound, Data, Outcome, Row, Set, Use};

/// The sets of `adapter_runs.csv`: what was allocated, what was reserved, and what died.
pub(super) fn sets(data: &Data) -> Vec<Set> {
    let file = data.file("adapter_runs.csv");
    let measured = |row: &csv::Row<'_>| !row.text("peak_allocated").is_empty();
    let reserved = |row: &csv::Row<'_>| !row.text("reserved_gib").is_empty();
    vec![
        Set {
            name: "adapter-peaks",
            about: "Memory that PyTorch had allocated at the fullest moment of runs with adapters and of full training, on one GPU and on two with FSDP, by fms-acceleration's benchmark",
            bound: Bound::of(0.07, 0.02),
            rows: file.rows().filter(measured).map(allocated).collect(),
        },
        Set {
            name: "adapter-peaks-reserved",
            about: "Memory that PyTorch had reserved in runs with adapters on two GPUs, by fsdp_qlora's benchmark, against what the engine says is allocated",
            bound: Bound::NONE,
            rows: file.rows().filter(reserved).map(in_reserve).collect(),
        },
        Set {
            name: "adapter-capacity",
            about: "Runs of fms-acceleration's benchmark that ran out of memory: whether the engine warns, by \"does not fit\" or \"tight\"",
            bound: Bound::right(1.0),
            rows: file.rows().filter(|row| !measured(row) && !reserved(row)).map(died).collect(),
        },
    ]
}

fn name(row: csv::Row<'_>) -> String {
    let gpus = row.text("gpus");
    let how = [row.text("framework"), row.text("sharding")].join(" ");
    format!("{} {} {} batch {}, {gpus} GPUs", row.text("row_id"), row.text("model_id"), how.trim(), row.text("batch"))
}

fn allocated(row: csv::Row<'_>) -> Row {
    let outcome = run(row).and_then(|run| Ok(Outcome::whole(peak(row, &run)?.0, row.whole("peak_allocated")?)));
    let row_is_full = row.text("mode") == "training" && row.text("sharding") == "full_shard";
    if row_is_full {
        let doubt = "all weights in bf16 under FSDP: counted as DeepSpeed shards them, which takes more".into();
        return Row { doubt, counts: Use::Reported, ..Row::checked(name(row), "bytes", Outcome::of(outcome)) };
    }
    Row::checked(name(row), "bytes", Outcome::of(outcome))
}

fn in_reserve(row: csv::Row<'_>) -> Row {
    let outcome = run(row).and_then(|run| {
        let predicted = peak(row, &run)?;
        let measured = row.float("reserved_gib")?;
        #[expect(clippy::cast_precision_loss, reason = "three digits are compared")]
        let predicted = predicted.0 as f64 / GIB as f64;
        Ok(Outcome::Compared { predicted, measured, exact: false })
    });
    let doubt = "reserved, so more than what was allocated".into();
    Row { doubt, counts: Use::Reported, ..Row::checked(name(row), "GiB", Outcome::of(outcome)) }
}

fn died(row: csv::Row<'_>) -> Row {
    let outcome = run(row).and_then(|run| {
        let fit = evaluate(&run).fit.ok_or("no GPU is named")?;
        Ok(Outcome::Verdict {
            right: fit.verdict != Verdict::Fits,
            why: format!("{} of {} bytes", peak(row, &run)?.0, fit.capacity.0),
        })
    });
    Row::checked(name(row), "bytes", Outcome::of(outcome))
}

/// The engine's peak without the context of the process, with what the loss of the row's release copies more.
fn peak(row: csv::Row<'_>, run: &Checked) -> Result<Bytes, String> {
    let evaluation: Evaluation = evaluate(run);
    let context = evaluation.bytes(Bucket::Overhead);
    let phases =
        evaluation.phases.iter().map(|(phase, bytes)| Ok(Bytes((bytes - context).0 + older_loss(row, run, phase)?)));
    let phases: Result<Vec<Bytes>, String> = phases.collect();
    Ok(phases?.into_iter().max().unwrap_or_default())
}

/// What the loss of an older release holds beside that of today, with T tokens and V entries of the vocabulary.
///
/// # Formula
/// 4.45 to 4.49 copies the shifted fp32 logits: 4·(T − `batch`)·V when the forward pass ends. Before, logits were replaced by their fp32 copy, which the model's outputs hold:
/// 4·T·V when the backward pass begins, and 2·T·V beside the shifted copy when the forward pass ends.
///
/// # Source
/// `ForCausalLMLoss` in `loss/loss_utils.py` of transformers 4.48.1; `LlamaForCausalLM.forward` of 4.38; the variable `output` in `fsdp_qlora`'s `train.py`.
fn older_loss(row: csv::Row<'_>, run: &Checked, phase: Phase) -> Result<u128, String> {
    let tokens = u128::from(run.tokens());
    let vocabulary = u128::from(run.architecture.vocab_size);
    let bytes = match (row.text("transformers"), phase) {
        ("4.48.1", Phase::ForwardEnd) => return Ok(4 * (tokens - u128::from(run.batch)) * vocabulary),
        ("4.38", Phase::ForwardEnd) => 2,
        ("4.38", Phase::Loss | Phase::FirstStep) => 4,
        ("4.48.1" | "4.38", _) => 0,
        (version, _) => return Err(format!("transformers {version:?} is not known")),
    };
    Ok(bytes * tokens * vocabulary)
}

/// The training run that a row states, or why it is not modelled.
fn run(row: csv::Row<'_>) -> Result<Checked, String> {
    let model = row.text("model_id");
    let model = models::by_id(model).ok_or_else(|| format!("model {model:?} is not known"))?;
    if row.text("framework").ends_with("foak") || row.text("framework").starts_with("foak") {
        return Err("fused kernels: what they save is not modelled".into());
    }
    let word = row.text("weights");
    let mut scenario = Scenario {
        batch: row.number("batch")?,
        seq_length: row.number("seq")?,
        weights: WeightFormat::from_id(word).ok_or_else(|| format!("weights {word:?} are not known"))?,
        checkpointing: Checkpointing::Full,
        gpu: gpus::by_id(row.text("gpu")),
        ..Scenario::new(model.architecture)
    };
    let word = row.text("mode");
    scenario.mode = Mode::from_id(word).ok_or_else(|| format!("mode {word:?} is not known"))?;
    let training = &mut scenario.training;
    (training.recipe, training.step) = (Recipe::Pure, StepKernel::Foreach);
    // transformers 4 runs experts one after the other, and quantises each.
    (training.stock.grouped_experts, training.lora.experts) = (false, true);
    // And repeats keys and values for all heads.
    training.stock.efficient_kernel = true;
    training.lora.upcast = row.is_set("upcast");
    // `fsdp_qlora` puts the checkpoint inside FSDP's unit.
    training.stock.reentrant = row.text("source") == "fms-acceleration";
    if scenario.mode.adapts() {
        training.lora.rank = row.number("lora_rank")?;
        training.lora.targets = targets(&row.text("lora_targets").replace(' ', ","))?;
        training.lora.dropout = true;
        // peft upcasts adapters since 0.12.
        let recent = row.text("transformers") == "4.48.1";
        training.lora.precision = if recent { AdapterPrecision::Fp32 } else { AdapterPrecision::Bf16 };
    }
    let zero = match row.text("sharding") {
        "" | "no_shard" => ZeroStage::None,
        "full_shard" => ZeroStage::Weights,
        other => return Err(format!("sharding {other:?} is not known")),
    };
    scenario.parallel = Parallelism { dp: row.number("gpus")?, zero, ..Parallelism::ONE };
    let offload = row.is_set("offload");
    scenario.offload = Offload { optimizer: offload, parameters: offload, kv_cache: false };
    check(&scenario)
}
