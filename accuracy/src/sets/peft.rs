//! What the runs of PEFT's own comparison of methods reserved. No constant was fitted.
//!
//! The script (`method_comparison/MetaMathQA/run.py` of huggingface/peft) trains on batches of unknown lengths and records the most that PyTorch's allocator
//! had reserved by the end, beyond the start. That is at least what was allocated at the fullest moment. Texts are generated in between, 50 at a time and up to
//! 800 tokens long; weights and cache of keys and values then take half of what training takes, so training sets the maximum.

use memory_wall_core::tables::models;
use memory_wall_core::{
    AdapterPrecision, Checked, Checkpointing, Mode, Recipe, Scenario, StepKernel, WeightFormat, evaluate,
};

use super::litgpt::targets;
use super::reading::{allocated, check};
use crate::csv;
use crate::{Bound, Data, Outcome, Row, Set};

/// The sets of `peft_runs.csv`: peaks, and the parameters that learn.
pub(super) fn sets(data: &Data) -> Vec<Set> {
    let file = data.file("peft_runs.csv");
    vec![
        Set {
            name: "peft-peaks",
            about: "Memory that the runs of PEFT's own comparison reserved, against the engine's peak for the longest batch that their script allows, four sequences of 768 tokens without padding",
            bound: Bound::of(0.08, 0.05),
            rows: file.rows().map(peak).collect(),
        },
        Set {
            name: "peft-trainable-parameters",
            about: "Parameters that learn in these runs, as PEFT counts them",
            bound: Bound::EXACT,
            rows: file.rows().filter_map(parameters).collect(),
        },
    ]
}

fn name(row: csv::Row<'_>) -> String {
    format!("{} {}", row.text("row_id"), row.text("experiment"))
}

fn peak(row: csv::Row<'_>) -> Row {
    let outcome = run(row).and_then(|run| Ok(Outcome::whole(allocated(&evaluate(&run)).0, row.whole("reserved_max")?)));
    let doubt = "reserved, so at least what was allocated; the longest batch is assumed".into();
    Row { doubt, ..Row::checked(name(row), "bytes", Outcome::of(outcome)) }
}

/// Of a run that is modelled, the parameters that learn.
fn parameters(row: csv::Row<'_>) -> Option<Row> {
    let counted = run(row).ok()?.trained_parameters();
    let outcome = row.whole("trainable_params").map(|stated| Outcome::whole(counted.into(), stated));
    Some(Row::checked(name(row), "parameters", Outcome::of(outcome)))
}

/// The training run that a row states, or why it is not modelled.
fn run(row: csv::Row<'_>) -> Result<Checked, String> {
    let model = row.text("model_id");
    let model = models::by_id(model).ok_or_else(|| format!("model {model:?} is not known"))?;
    if row.text("dtype") != "bfloat16" {
        return Err(format!("dtype {:?} is not known", row.text("dtype")));
    }
    if row.is_set("compile") {
        return Err("torch.compile fuses the program: what it saves is not known".into());
    }
    let mut scenario = Scenario {
        batch: row.number("micro_batch")?,
        seq_length: row.number("max_seq_len")?,
        weights: WeightFormat::Bf16,
        checkpointing: if row.is_set("checkpointing") { Checkpointing::Full } else { Checkpointing::None },
        ..Scenario::new(model.architecture)
    };
    let training = &mut scenario.training;
    (training.recipe, training.step) = (Recipe::Pure, StepKernel::Foreach);
    // The script's variable for the model's outputs lives until the next step.
    training.stock.outputs_kept = true;
    scenario.mode = match (row.text("peft_type"), row.text("variant")) {
        ("", _) => Mode::Training,
        // Only the factor differs by which an adapter's output is multiplied.
        ("LORA", "" | "rsLoRA") => Mode::Lora,
        ("LORA", variant) => return Err(format!("{variant} is a variant of LoRA with tensors of its own")),
        _ => return Err("of all ways to adapt a model the engine knows LoRA; others have tensors of their own".into()),
    };
    if row.text("optimizer") != "AdamW" {
        return Err(format!("optimizer {:?} is not modelled", row.text("optimizer")));
    }
    if scenario.mode == Mode::Lora {
        let lora = &mut scenario.training.lora;
        lora.rank = row.number("lora_r")?;
        lora.targets = targets(&row.text("lora_targets").replace(' ', ","))?;
        lora.dropout = row.float("lora_dropout")? > 0.0;
        lora.precision = if row.is_set("adapter_fp32") { AdapterPrecision::Fp32 } else { AdapterPrecision::Bf16 };
    }
    check(&scenario)
}
