//! `memory-wall accuracy`: the engine held against public measured runs.

use std::ffi::OsStr;
use std::path::Path;

use memory_wall_accuracy::table::percent;
use memory_wall_accuracy::{Data, Outcome, Row, Set, Use, all};
use memory_wall_core::display::Grouped;

use crate::text::{Side, Table, wrapped};
use crate::{Answer, BadInput, Exit, json};

/// One set in figures.
#[derive(Debug)]
pub(crate) struct Summary<'a> {
    /// The set.
    pub(crate) set: &'a Set,
    /// Rows that could be compared.
    pub(crate) compared: usize,
    /// Rows that the engine cannot answer.
    pub(crate) not_modelled: usize,
    /// Rows with a verdict in place of a figure: those where the engine is right, and all.
    pub(crate) verdicts: [usize; 2],
    /// Rows that a coefficient was fitted on.
    pub(crate) fitted_rows: usize,
    /// Of all rows that are held to the bound; where there are none, of those that are only shown.
    pub(crate) held: Errors,
    /// Of the fitted ones among them.
    pub(crate) fitted: Errors,
    /// Of the others.
    pub(crate) unfitted: Errors,
    /// Of rows that are shown and not held.
    pub(crate) reported: Errors,
}

/// Errors without their signs, as shares.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Errors {
    /// The mean; `None` of no rows.
    pub(crate) mean: Option<f64>,
    /// The largest.
    pub(crate) max: Option<f64>,
}

impl Errors {
    fn of<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> Self {
        Self { mean: Set::mean_abs_error(rows.clone()), max: Set::max_abs_error(rows) }
    }
}

impl<'a> Summary<'a> {
    /// Of one set.
    pub(crate) fn of(set: &'a Set) -> Self {
        let count = |is: &dyn Fn(&Row) -> bool| set.rows.iter().filter(|row| is(row)).count();
        let right = |row: &Row| matches!(row.outcome, Outcome::Verdict { right: true, .. });
        let rows = |counts: Use| {
            let rows: Vec<&Row> = set.counted(counts).collect();
            Errors::of(rows.iter().copied())
        };
        let held: Vec<&Row> = set.held().collect();
        let reported = rows(Use::Reported);
        Self {
            set,
            compared: count(&|row| row.error().is_some()),
            not_modelled: count(&|row| matches!(row.outcome, Outcome::NotModelled(_))),
            verdicts: [count(&right), count(&|row| matches!(row.outcome, Outcome::Verdict { .. }))],
            fitted_rows: count(&|row| row.counts == Use::Fitted),
            held: if held.is_empty() { reported } else { Errors::of(held.iter().copied()) },
            fitted: rows(Use::Fitted),
            unfitted: rows(Use::Checked),
            reported,
        }
    }

    /// Whether the data has no file for it.
    pub(crate) fn absent(&self) -> bool {
        self.set.rows.is_empty()
    }
}

/// Compares what the project carries, or a folder.
pub(crate) fn answer(folder: Option<&OsStr>, rows: bool, as_json: bool) -> Result<Answer, BadInput> {
    let data = match folder {
        None => Data::carried(),
        Some(folder) => Data::folder(Path::new(folder)).map_err(|error| BadInput(format!("--data: {error}")))?,
    };
    let sets = all(&data);
    let output = if as_json { json::text(&json::accuracy::Answer::new(&sets, rows))? } else { text(&sets, rows) };
    Ok(Answer { output, notes: Vec::new(), exit: Exit::yes(sets.iter().all(Set::ok)) })
}

/// The comparison for people.
fn text(sets: &[Set], rows: bool) -> String {
    let mut table = Table::new(&[
        ("Set", Side::Left),
        ("Rows", Side::Right),
        ("Compared", Side::Right),
        ("Fitted", Side::Right),
        ("Skipped", Side::Right),
        ("Mean", Side::Right),
        ("Max", Side::Right),
        ("Bound", Side::Right),
        ("OK", Side::Left),
    ]);
    let mut remarks = Vec::new();
    for set in sets {
        let it = Summary::of(set);
        if it.absent() {
            remarks.push(format!("{} is absent: the folder has no file for it, or one without rows.", set.name));
            continue;
        }
        let number = |count: usize| Grouped(count as u128).to_string();
        table.row([
            set.name.into(),
            number(set.rows.len()),
            number(it.compared),
            number(it.fitted_rows),
            number(it.not_modelled),
            it.held.mean.map(percent).unwrap_or_default(),
            it.held.max.map(percent).unwrap_or_default(),
            bound(set),
            if set.ok() { "yes" } else { "NO" }.into(),
        ]);
        let [right, verdicts] = it.verdicts;
        if verdicts > 0 {
            remarks.push(format!("{}: {right} of {verdicts} verdicts are right.", set.name));
        }
    }
    let mut text = table.text();
    text.push('\n');
    text += &wrapped(
        "Mean and max are errors without signs of the rows that are held to the bound, fitted ones included; where the bound is none, of the rows that are shown only. A bound is that of each row, in brackets that of the mean; after 9/10 that of nine rows of ten, in brackets that of the median. Skipped rows are not modelled; --rows gives the reasons.",
        0,
    );
    text.extend(remarks.iter().map(|remark| wrapped(remark, 2)));
    if rows {
        text.extend(sets.iter().filter(|set| !set.rows.is_empty()).map(lines));
    }
    text
}

/// Each row of a set on one line.
fn lines(set: &Set) -> String {
    let mut table = Table::new(&[
        ("Row", Side::Left),
        ("Predicted", Side::Right),
        ("Measured", Side::Right),
        ("Unit", Side::Left),
        ("Error", Side::Right),
        ("Use", Side::Left),
        ("Doubt or reason", Side::Left),
    ]);
    for row in &set.rows {
        let (predicted, measured) = match row.outcome {
            Outcome::Compared { predicted, measured, .. } => (figure(predicted), figure(measured)),
            _ => Default::default(),
        };
        let error =
            row.error().map(|error| if error.abs() > 0.0 { format!("{:+.2}%", error * 100.0) } else { "0%".into() });
        table.row([
            row.id.clone(),
            predicted,
            measured,
            row.unit.into(),
            error.unwrap_or_default(),
            used(row.counts).into(),
            remark(row),
        ]);
    }
    format!("\n{}{}", wrapped(&format!("{}: {}", set.name, set.about), 2), table.text())
}

/// How a row counts, in a word.
pub(crate) const fn used(counts: Use) -> &'static str {
    match counts {
        Use::Checked => "checked",
        Use::Fitted => "fitted",
        Use::Reported => "reported",
    }
}

/// What has to be said about a row, on one line.
pub(crate) fn remark(row: &Row) -> String {
    let outcome = match &row.outcome {
        Outcome::Compared { .. } => String::new(),
        Outcome::Verdict { right, why } => {
            format!("{}: {why}", if *right { "right" } else { "wrong" })
        }
        Outcome::NotModelled(reason) => format!("not modelled: {reason}"),
    };
    let parts = [outcome, row.doubt.clone()];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    parts.join("; ").replace(['\n', '\r'], " ")
}

/// A figure as the data has it: whole where it is whole.
fn figure(value: f64) -> String {
    if value.fract().abs() > 0.0 { format!("{value:.3}") } else { format!("{value:.0}") }
}

/// What a set is held to: each row, and in brackets the mean where that is held apart; or nine of ten, and in brackets the median.
fn bound(set: &Set) -> String {
    if let (Some(median), most) = (set.bound.median, set.bound.nine_of_ten) {
        return most.map_or_else(String::new, |most| format!("9/10 {} ", percent(most)))
            + &format!("({})", percent(median));
    }
    match (set.bound.each, set.bound.mean) {
        (None, None) => "none".into(),
        (Some(each), Some(mean)) if each.total_cmp(&mean).is_ne() => format!("{} ({})", percent(each), percent(mean)),
        (Some(each), _) => percent(each),
        (None, Some(mean)) => format!("({})", percent(mean)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_accuracy::Bound;
    use serde_json::{Value, to_value};

    fn row(id: &str, counts: Use, outcome: Outcome) -> Row {
        Row { id: id.into(), unit: "GiB", counts, outcome, doubt: String::new() }
    }

    fn compared(predicted: f64, measured: f64) -> Outcome {
        Outcome::Compared { predicted, measured, exact: false }
    }

    /// Two rows compared, one of them fitted; one beyond any bound that is only shown; one failed run; one row not modelled.
    fn set(each: f64) -> Set {
        let doubted = Row { doubt: "two logs\ndisagree".into(), ..row("c", Use::Reported, compared(30.0, 10.0)) };
        Set {
            name: "own-runs",
            about: "Peaks of made-up runs.",
            bound: Bound::of(each, 0.05),
            rows: vec![
                row("a", Use::Checked, compared(10.0, 10.0)),
                row("b", Use::Fitted, compared(10.4, 10.0)),
                doubted,
                row("d", Use::Checked, Outcome::Verdict { right: true, why: "needs 90 GB of 80 GB".into() }),
                row("e", Use::Checked, Outcome::NotModelled("a vision tower".into())),
            ],
        }
    }

    fn empty() -> Set {
        Set { name: "not-there", rows: Vec::new(), ..set(0.01) }
    }

    #[test]
    fn a_summary_counts_each_row_where_it_belongs() {
        let set = set(0.05);
        let it = Summary::of(&set);
        assert_eq!((it.compared, it.not_modelled, it.verdicts, it.fitted_rows), (3, 1, [1, 1], 1));
        assert!((it.held.mean.unwrap() - 0.02).abs() < 1e-12 && (it.held.max.unwrap() - 0.04).abs() < 1e-12);
        assert_eq!(it.unfitted, Errors { mean: Some(0.0), max: Some(0.0) });
        assert!((it.fitted.mean.unwrap() - 0.04).abs() < 1e-12);
        assert!(!it.absent() && Summary::of(&empty()).absent());
        // Rows that are only shown are shown where nothing is held.
        let shown = Set { rows: vec![row("c", Use::Reported, compared(30.0, 10.0))], ..empty() };
        assert_eq!(Summary::of(&shown).held, Errors { mean: Some(2.0), max: Some(2.0) });
        assert!(shown.ok());
    }

    #[test]
    fn the_text_has_a_line_a_set_and_a_line_a_row() {
        let sets = [set(0.05), set(0.01), empty()];
        let short = text(&sets, false);
        let long = text(&sets, true);
        for line in [
            "Set Rows Compared Fitted Skipped Mean Max Bound OK",
            "own-runs 5 3 1 1 2.0% 4.0% 5.0% yes",
            "own-runs 5 3 1 1 2.0% 4.0% 1.0% (5.0%) NO",
            "own-runs: 1 of 1 verdicts are right.",
            "not-there is absent: the folder has no file for it, or one without rows.",
        ] {
            let squeezed = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(short.lines().any(|it| squeezed(it) == line), "{line} is not in\n{short}");
        }
        assert!(!short.contains("vision"));
        for part in [
            "Peaks of made-up runs.",
            "+4.00%  fitted",
            "reported  two logs disagree",
            "right: needs 90 GB of 80 GB",
            "not modelled: a vision tower",
        ] {
            assert!(long.contains(part), "{part} is not in\n{long}");
        }
    }

    #[test]
    fn json_has_a_set_each() {
        let sets = [set(0.01), empty()];
        let value = to_value(json::accuracy::Answer::new(&sets, true)).unwrap();
        let first = &value["sets"][0];
        for (key, wanted) in [
            ("name", Value::from("own-runs")),
            ("about", "Peaks of made-up runs.".into()),
            ("rows", 5.into()),
            ("compared", 3.into()),
            ("fitted_rows", 1.into()),
            ("not_modelled", 1.into()),
            ("verdicts", 1.into()),
            ("verdicts_right", 1.into()),
            ("bound", 0.01.into()),
            ("bound_mean", 0.05.into()),
            ("ok", false.into()),
            ("absent", false.into()),
            ("unfitted_mean_abs_error", 0.0.into()),
            ("unfitted_max_abs_error", 0.0.into()),
        ] {
            assert_eq!(first[key], wanted, "{key}");
        }
        for key in ["mean_abs_error", "max_abs_error", "fitted_mean_abs_error", "fitted_max_abs_error"] {
            assert!(first[key].is_number(), "{key}");
        }
        assert_eq!((&value["ok"], &value["sets"][1]["absent"]), (&false.into(), &true.into()));
        assert_eq!(value["sets"][1]["mean_abs_error"], Value::Null);
        let row = &first["row_results"][1];
        for (key, wanted) in [
            ("id", Value::from("b")),
            ("predicted", 10.4.into()),
            ("measured", 10.0.into()),
            ("unit", "GiB".into()),
            ("use", "fitted".into()),
            ("fitted", true.into()),
            ("remark", "".into()),
        ] {
            assert_eq!(row[key], wanted, "{key}");
        }
        assert!(row["error"].is_number());
        assert_eq!(first["row_results"][4]["remark"], "not modelled: a vision tower");
        let short = to_value(json::accuracy::Answer::new(&sets, false)).unwrap();
        assert_eq!(short["sets"][0].get("row_results"), None);
    }

    #[test]
    fn figures_are_as_short_as_they_are() {
        assert_eq!([figure(1_073_741_824.0), figure(17.24)], ["1073741824", "17.240"]);
        for (wanted, text) in [
            (Bound::NONE, "none"),
            (Bound::EXACT, "exact"),
            (Bound::each(0.01), "1.0%"),
            (Bound::of(0.035, 0.005), "3.5% (0.50%)"),
            (Bound::mean(0.1), "(10%)"),
            (Bound::spread(0.02, 0.05), "9/10 5.0% (2.0%)"),
        ] {
            assert_eq!(bound(&Set { bound: wanted, ..empty() }), text);
        }
    }
}
