//! The engine against measured runs: one row a group, and behind it every row of the group.

use std::fmt::Write as _;

use memory_wall_accuracy::table::percent;
use memory_wall_accuracy::{Bound, Data, Outcome, Row as Measured, Set, Use, all};
use memory_wall_core::display::{Figure, Grouped};

use super::listed::{name, whole};
use super::table::{Cell, Row, Table};
use crate::wording::{Words, escaped};

/// The table of groups, each group's rows, and what is left out.
pub(crate) fn html(words: &Words) -> String {
    let sets = all(&Data::carried());
    let count: usize = sets.iter().map(|set| set.rows.len()).sum();
    let counts = [("rows", Grouped(count as u128).to_string()), ("groups", sets.len().to_string())];
    let columns =
        ["name", "about", "held", "fitted", "mean", "worst", "bound", "right", "reported", "reported_worst", "left"];
    let rows = sets.iter().map(|set| row(set, words)).collect();
    let table = Table { id: "errors", columns: columns.into(), choices: Vec::new(), rows };
    let mut out = format!("<p>{}</p>{}", words.say_with("errors.count_of_rows", &counts), table.html(words));
    let _ = write!(out, "<p class=\"caption\">{}</p><h3>{}</h3>", words.say("errors.note"), words.say("errors.rows"));
    for set in sets.iter().filter(|set| !set.rows.is_empty()) {
        details(set, words, &mut out);
    }
    left_out(&sets, words, &mut out);
    out
}

fn share(error: Option<f64>) -> Cell {
    Cell::maybe(error.map(|error| (percent(error), error)))
}

fn row(set: &Set, words: &Words) -> Row {
    let id = format!("set-{}", set.name);
    let reported = || set.counted(Use::Reported);
    let (right_ones, verdicts) = verdicts(set);
    let right = set.share_right().map(|share| {
        let counts = [("right", right_ones.to_string()), ("all", verdicts.to_string())];
        (words.say_with("errors.right", &counts), share)
    });
    let left = set.rows.iter().filter(|row| matches!(row.outcome, Outcome::NotModelled(_))).count();
    let cells = vec![
        name(&id, set.name),
        Cell::text(escaped(set.about.trim_end_matches('.')) + "."),
        whole((set.held().count() + verdicts) as u64),
        whole(set.counted(Use::Fitted).count() as u64),
        share(Set::mean_abs_error(set.held())),
        share(Set::max_abs_error(set.held())),
        Cell::text(bound(set, words)),
        Cell::maybe(right),
        whole(reported().count() as u64),
        share(Set::max_abs_error(reported())),
        whole(left as u64),
    ];
    Row { id, chosen_by: Vec::new(), cells }
}

/// Verdicts that count: right ones, and all.
fn verdicts(set: &Set) -> (usize, usize) {
    let held = set.rows.iter().filter(|row| row.counts != Use::Reported);
    held.fold((0, 0), |(right, all), row| match row.outcome {
        Outcome::Verdict { right: is, .. } => (right + usize::from(is), all + 1),
        _ => (right, all),
    })
}

/// What a group is held to, in words.
fn bound(set: &Set, words: &Words) -> String {
    let Bound { each, mean, median, nine_of_ten, right } = set.bound;
    let part = |key: &str, value: Option<f64>| value.map(|value| words.say_with(key, &[("share", percent(value))]));
    if each == Some(0.0) {
        return words.say("errors.bound.exact");
    }
    let verdicts = (right < 1.0 || verdicts(set).1 > 0).then_some(right);
    let parts = [
        part("errors.bound.each", each),
        part("errors.bound.mean", mean),
        part("errors.bound.median", median),
        part("errors.bound.nine_of_ten", nine_of_ten),
        verdicts.map(|share| words.say_with("errors.bound.right", &[("share", format!("{}%", Figure(share * 100.0)))])),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { words.say("errors.bound.none") } else { parts.join(", ") }
}

fn details(set: &Set, words: &Words, out: &mut String) {
    let count = [("n", Grouped(set.rows.len() as u128).to_string())];
    // Writing into a string does not fail.
    let _ = write!(
        out,
        "<details class=\"rows\" id=\"rows-{name}\"><summary>{name} <span class=\"quiet\">{}</span></summary><div class=\"table-scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{name}\"><table><thead><tr>",
        words.say_with("errors.of_rows", &count),
        name = set.name
    );
    for (column, class) in [
        ("id", ""),
        ("predicted", " class=\"numeric\""),
        ("measured", " class=\"numeric\""),
        ("error", " class=\"numeric\""),
        ("remark", ""),
    ] {
        let _ = write!(out, "<th scope=\"col\"{class}>{}</th>", words.say(&format!("errors.row.{column}")));
    }
    out.push_str("</tr></thead><tbody>");
    for row in &set.rows {
        measured(row, words, out);
    }
    out.push_str("</tbody></table></div></details>");
}

fn measured(row: &Measured, words: &Words, out: &mut String) {
    let id = escaped(&row.id);
    // Writing into a string does not fail.
    let _ = match &row.outcome {
        Outcome::Compared { predicted, measured, .. } => {
            let [predicted, measured] = [predicted, measured].map(|number| quantity(*number, row.unit));
            let error = row.error().map(signed).unwrap_or_default();
            let counts = match row.counts {
                Use::Checked => None,
                Use::Fitted => Some("errors.use.fitted"),
                Use::Reported => Some("errors.use.reported"),
            };
            let remark = counts.map(|key| words.say(key)).into_iter();
            let remark =
                remark.chain((!row.doubt.is_empty()).then(|| escaped(&row.doubt))).collect::<Vec<_>>().join(": ");
            write!(
                out,
                "<tr><th scope=\"row\">{id}</th><td class=\"numeric\">{predicted}</td><td class=\"numeric\">{measured}</td><td class=\"numeric\">{error}</td><td>{remark}</td></tr>"
            )
        }
        Outcome::Verdict { right, why } => {
            let verdict = words.say(if *right { "errors.verdict.right" } else { "errors.verdict.wrong" });
            write!(out, "<tr><th scope=\"row\">{id}</th><td colspan=\"3\">{verdict}</td><td>{}</td></tr>", escaped(why))
        }
        Outcome::NotModelled(reason) => {
            let verdict = words.say("errors.verdict.left");
            write!(
                out,
                "<tr><th scope=\"row\">{id}</th><td colspan=\"3\">{verdict}</td><td>{}</td></tr>",
                escaped(reason)
            )
        }
    };
}

/// A figure with its unit: whole numbers in full.
fn quantity(number: f64, unit: &str) -> String {
    // Bytes, tokens and parameters of these runs are far below what a float counts exactly.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be whole and not negative")]
    let text = if number >= 0.0 && number.fract() == 0.0 && number < 1e15 {
        Grouped(number as u128).to_string()
    } else {
        Figure(number).to_string()
    };
    format!("{text}\u{202f}{unit}")
}

/// An error with its sign.
fn signed(error: f64) -> String {
    let sign = if error < 0.0 { "\u{2212}" } else { "+" };
    let share = percent(error.abs());
    if share == "exact" { share } else { format!("{sign}{share}") }
}

fn left_out(sets: &[Set], words: &Words, out: &mut String) {
    let mut reasons = Vec::<(&str, &str, usize)>::new();
    for set in sets {
        for row in &set.rows {
            let Outcome::NotModelled(reason) = &row.outcome else { continue };
            match reasons.iter_mut().find(|(name, known, _)| *name == set.name && known == reason) {
                Some((.., count)) => *count += 1,
                None => reasons.push((set.name, reason, 1)),
            }
        }
    }
    let _ = write!(out, "<h3>{}</h3><ul class=\"left-out\">", words.say("errors.left_out"));
    for (set, reason, count) in reasons {
        let _ = write!(out, "<li><a href=\"#set-{set}\">{set}</a>, {count}: {}</li>", escaped(reason));
    }
    out.push_str("</ul>");
}
