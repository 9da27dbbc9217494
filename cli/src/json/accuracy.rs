//! The answer of `accuracy` for programs. Errors are shares: 0.01 is 1%.

use memory_wall_accuracy::{Outcome, Row, Set, Use};
use serde::Serialize;

use crate::accuracy::{Summary, remark, used};

/// Every set.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    ok: bool,
    sets: Vec<OneSet>,
}

/// One set in figures.
#[derive(Debug, Serialize)]
struct OneSet {
    name: &'static str,
    about: &'static str,
    absent: bool,
    rows: usize,
    compared: usize,
    fitted_rows: usize,
    not_modelled: usize,
    verdicts: usize,
    verdicts_right: usize,
    mean_abs_error: Option<f64>,
    max_abs_error: Option<f64>,
    fitted_mean_abs_error: Option<f64>,
    fitted_max_abs_error: Option<f64>,
    unfitted_mean_abs_error: Option<f64>,
    unfitted_max_abs_error: Option<f64>,
    reported_mean_abs_error: Option<f64>,
    reported_max_abs_error: Option<f64>,
    bound: Option<f64>,
    bound_mean: Option<f64>,
    bound_median: Option<f64>,
    bound_nine_of_ten: Option<f64>,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    row_results: Option<Vec<RowResult>>,
}

/// One row.
#[derive(Debug, Serialize)]
struct RowResult {
    id: String,
    predicted: Option<f64>,
    measured: Option<f64>,
    unit: &'static str,
    error: Option<f64>,
    verdict_right: Option<bool>,
    #[serde(rename = "use")]
    used: &'static str,
    fitted: bool,
    remark: String,
}

impl Answer {
    /// Of all sets; `rows` adds each row.
    pub(crate) fn new(sets: &[Set], rows: bool) -> Self {
        Self { ok: sets.iter().all(Set::ok), sets: sets.iter().map(|set| OneSet::new(set, rows)).collect() }
    }
}

impl OneSet {
    fn new(set: &Set, rows: bool) -> Self {
        let it = Summary::of(set);
        let [right, verdicts] = it.verdicts;
        Self {
            name: set.name,
            about: set.about,
            absent: it.absent(),
            rows: set.rows.len(),
            compared: it.compared,
            fitted_rows: it.fitted_rows,
            not_modelled: it.not_modelled,
            verdicts,
            verdicts_right: right,
            mean_abs_error: it.held.mean,
            max_abs_error: it.held.max,
            fitted_mean_abs_error: it.fitted.mean,
            fitted_max_abs_error: it.fitted.max,
            unfitted_mean_abs_error: it.unfitted.mean,
            unfitted_max_abs_error: it.unfitted.max,
            reported_mean_abs_error: it.reported.mean,
            reported_max_abs_error: it.reported.max,
            bound: set.bound.each,
            bound_mean: set.bound.mean,
            bound_median: set.bound.median,
            bound_nine_of_ten: set.bound.nine_of_ten,
            ok: set.ok(),
            row_results: rows.then(|| set.rows.iter().map(RowResult::new).collect()),
        }
    }
}

impl RowResult {
    fn new(row: &Row) -> Self {
        let (predicted, measured) = match row.outcome {
            Outcome::Compared { predicted, measured, .. } => (Some(predicted), Some(measured)),
            _ => (None, None),
        };
        let verdict_right = match row.outcome {
            Outcome::Verdict { right, .. } => Some(right),
            _ => None,
        };
        Self {
            id: row.id.clone(),
            predicted,
            measured,
            unit: row.unit,
            error: row.error(),
            verdict_right,
            used: used(row.counts),
            fitted: row.counts == Use::Fitted,
            remark: remark(row),
        }
    }
}
