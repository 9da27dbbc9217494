//! What the columns that all files share make of a row.

use memory_wall_core::Scenario;

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

/// Whether the engine takes a scenario.
pub(super) fn check(scenario: &Scenario) -> Result<(), String> {
    scenario.check().map_err(|error| error.to_string())
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
