//! What the columns that all files share make of a row.

use memory_wall_core::{
    Architecture, Attention, Bucket, Bytes, Checked, Checkpointing, Evaluation, Mode, Recipe, Scenario, Training,
    WeightFormat,
};

use crate::csv;
use crate::{Outcome, Row, Use};

/// Why a row is not compared at all, if its file says so.
pub(super) fn left_out(row: csv::Row<'_>) -> Option<String> {
    match row.text("use") {
        kind @ ("exclude" | "duplicate") => Some(match row.text("doubt") {
            "" => format!("the file says: {kind}"),
            doubt => format!("the file says: {kind}; {doubt}"),
        }),
        _ => None,
    }
}

/// How a row counts that no coefficient was fitted on.
pub(super) fn counts(row: csv::Row<'_>) -> Use {
    if row.text("use").starts_with("report") { Use::Reported } else { Use::Checked }
}

/// What PyTorch has allocated at the fullest moment: the context of the process is outside its allocator.
pub(super) fn allocated(evaluation: &Evaluation) -> Bytes {
    evaluation.total - evaluation.bytes(Bucket::Overhead)
}

/// A scenario as the engine takes it, or why it does not.
pub(super) fn check(scenario: &Scenario) -> Result<Checked, String> {
    scenario.check().map_err(|error| error.to_string())
}

/// In which precisions a run of PyTorch keeps its states, by its `dtype_mode`.
pub(super) fn recipe(dtype: &str) -> Result<Recipe, String> {
    match dtype {
        "bf16" => Ok(Recipe::Pure),
        "fp32" => Ok(Recipe::Fp32),
        "autocast_bf16" => Ok(Recipe::Autocast),
        _ => Err(format!("dtype_mode {dtype:?} is not known")),
    }
}

/// A training step of stock PyTorch, by the columns that its files share; `attention` is what theirs is called.
pub(super) fn pytorch(
    row: csv::Row<'_>,
    shape: Architecture,
    attention: &str,
    training: Training,
) -> Result<Checked, String> {
    let dtype = row.text("dtype_mode");
    let scenario = Scenario {
        mode: Mode::Training,
        batch: row.number("batch")?,
        seq_length: row.number("seq")?,
        weights: if dtype == "bf16" { WeightFormat::Bf16 } else { WeightFormat::Fp32 },
        checkpointing: if row.is_set("grad_checkpointing") { Checkpointing::Full } else { Checkpointing::None },
        attention: match attention {
            "eager" => Attention::Eager,
            kernel if kernel.starts_with("sdpa") => Attention::Flash,
            _ => return Err(format!("attention {attention:?} is not known")),
        },
        training: Training { recipe: recipe(dtype)?, ..training },
        ..Scenario::new(shape)
    };
    check(&scenario)
}

/// A row of whole bytes.
pub(super) fn bytes(
    id: String,
    row: csv::Row<'_>,
    predicted: Result<u64, String>,
    measured: Result<u64, String>,
) -> Row {
    let outcome = match (left_out(row), predicted, measured) {
        (Some(reason), ..) | (None, Err(reason), _) | (None, Ok(_), Err(reason)) => Outcome::NotModelled(reason),
        (None, Ok(predicted), Ok(measured)) => {
            // Below 2^53 a float holds every whole number; the comparison is the integers' own.
            Outcome::Compared { predicted: predicted as f64, measured: measured as f64, exact: predicted == measured }
        }
    };
    Row { id, unit: "bytes", counts: counts(row), outcome, doubt: row.text("doubt").into() }
}
