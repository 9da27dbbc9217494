//! Published values of formulas: activations under tensor, sequence, context and pipeline parallelism, and model states under ZeRO.
//!
//! Each row has a tolerance of its own, the rounding of the chart or table that it was read from. So that one bound serves all,
//! an error within its row's tolerance counts as none, and one beyond it counts whole.

use memory_wall_core::architecture::{Architecture, Mlp, Positions};
use memory_wall_core::memory::activations::megatron;
use memory_wall_core::memory::{gradients, optimizer, weights};
use memory_wall_core::tables::models;
use memory_wall_core::worked;
use memory_wall_core::{
    Attention, Bytes, Checked, Implementation, Mode, Parallelism, Phase, Recipe, Scenario, WeightFormat, ZeroStage,
};

use crate::csv;
use crate::{Bound, Data, Outcome, Row, Set, Use};

pub(super) fn sets(data: &Data) -> Vec<Set> {
    let rows = data.file("formula_vectors.csv").rows().map(row).collect();
    vec![Set {
        name: "formula-vectors",
        about: "Activations and model states per rank under ZeRO, tensor, sequence, context and pipeline parallelism, against published values, each within its own rounding",
        bound: Bound::EXACT,
        rows,
    }]
}

fn row(row: csv::Row<'_>) -> Row {
    let unit = match row.text("unit") {
        "GB" => "GB",
        _ => "GiB",
    };
    let outcome = predicted(row).and_then(|bytes| {
        let predicted = if unit == "GB" { bytes.as_gb() } else { bytes.as_gib() };
        let (measured, tolerance) = (row.float("expected")?, row.float("tolerance")?);
        Ok(Outcome::Compared { predicted, measured, exact: (predicted / measured - 1.0).abs() <= tolerance })
    });
    Row {
        id: row.text("vector_id").into(),
        unit,
        counts: Use::Checked,
        outcome: outcome.unwrap_or_else(Outcome::NotModelled),
        doubt: row.text("note").into(),
    }
}

/// The engine's figure for a row, or what is missing.
fn predicted(row: csv::Row<'_>) -> Result<Bytes, String> {
    match row.text("formula_id") {
        "act" | "act_quad" => activations(row),
        "state" | "zero" | "pp_stage0" => states(row),
        other => Err(format!("formula {other:?} is not known")),
    }
}

/// A GPT of the row's width: the formula is about one, whatever model the chart is named after.
fn shape(row: csv::Row<'_>) -> Result<Architecture, String> {
    let [layers, hidden, heads] =
        [row.number_or("layers", 1)?, row.number_or("hidden", 64)?, row.number_or("heads", 1)?];
    let mut shape = Architecture {
        mlp: Mlp::Gelu,
        dropout: true,
        positions: Positions::Rotary,
        ..Architecture::llama([layers, hidden, heads, heads, hidden / heads.max(1), hidden.saturating_mul(4), 64])
    };
    shape.rounded_parameters = row.whole("params").ok();
    Ok(shape)
}

fn cut(row: csv::Row<'_>) -> Result<Parallelism, String> {
    Ok(Parallelism {
        dp: row.number_or("dp", 1)?,
        tp: row.number_or("tp", 1)?,
        pp: row.number_or("pp", 1)?,
        cp: row.number_or("cp", 1)?,
        zero: ZeroStage::from_id(row.text("zero_stage")).unwrap_or(ZeroStage::None),
        sequence_parallel: row.is_set("sequence_parallel"),
        stage: row.number_or("pp_stage", 0)?,
        ..Parallelism::ONE
    })
}

fn scenario(row: csv::Row<'_>) -> Result<Checked, String> {
    let mut scenario = Scenario {
        mode: Mode::Training,
        batch: row.number_or("micro_batch", 1)?,
        seq_length: row.number_or("seq_len", 1)?,
        attention: if row.is_set("attention_scores_stored") { Attention::Eager } else { Attention::Flash },
        ..Scenario::new(shape(row)?)
    };
    scenario.parallel = cut(row)?;
    scenario.training.implementation = Implementation::Megatron;
    // The charts show a pipeline that is full: as many micro-batches as stages.
    scenario.training.micro_batches = scenario.parallel.pp;
    scenario.check().map_err(|error| error.to_string())
}

fn activations(row: csv::Row<'_>) -> Result<Bytes, String> {
    let scenario = scenario(row)?;
    let local = scenario.local();
    Ok(worked::total(|sink| megatron::layers(&scenario, local.chunk_layers * local.chunks_in_flight, sink)))
}

fn states(row: csv::Row<'_>) -> Result<Bytes, String> {
    let mut scenario = *scenario(row)?;
    if row.text("formula_id") == "pp_stage0" {
        // A stage holds whole layers and a table: this needs the model itself.
        let model = models::by_id(row.text("model_id")).ok_or("the model is not in the table")?;
        scenario.architecture = model.architecture;
    }
    let parts: &[&str] = match row.text("quantity") {
        "model parameters" | "parameters" => &["weights"],
        "gradients" => &["gradients"],
        "optimizer states" => &["optimizer"],
        "all model states" => &["weights", "gradients", "optimizer"],
        other => return Err(format!("quantity {other:?} is not known")),
    };
    match row.text("bytes_per_param") {
        // 16-bit weights and gradients.
        "2" | "2+2+12" => {}
        // Two fp32 moments without a master copy.
        "8" => (scenario.training.recipe, scenario.weights) = (Recipe::Fp32, WeightFormat::Fp32),
        other => return Err(format!("{other:?} bytes a parameter are no recipe that is known")),
    }
    let scenario = scenario.check().map_err(|error| error.to_string())?;
    let part = |name: &&str| match *name {
        "weights" => worked::total(|sink| weights::terms(&scenario, sink)),
        "gradients" => worked::total(|sink| gradients::terms(&scenario, Phase::OptimizerStep, sink)),
        _ => worked::total(|sink| optimizer::terms(&scenario, Phase::Loss, sink)),
    };
    Ok(parts.iter().map(part).sum())
}
