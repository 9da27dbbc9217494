//! The sets as a table in Markdown, for the page that publishes the errors.

use std::fmt::Write as _;

use crate::{Outcome, Set, Use};

/// A share in percent, short: `exact`, `0.04%`, `12%`.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        _ if share <= 0.0 => "exact".into(),
        _ if percent < 0.005 => "<0.01%".into(),
        _ if percent < 1.0 => format!("{percent:.2}%"),
        _ if percent < 10.0 => format!("{percent:.1}%"),
        _ => format!("{percent:.0}%"),
    }
}

/// One line a set: how many rows, how far off, and what it is held to.
///
/// Rows that are only reported have columns of their own, so that no bound hides behind them.
pub fn markdown(sets: &[Set]) -> String {
    let mut table = String::from(
        "| set | held rows | of them fitted | mean error | largest | bound: each, mean | reported rows | mean error | largest | not modelled |\n|---|---:|---:|---:|---:|---|---:|---:|---:|---:|\n",
    );
    for set in sets {
        let shown = |error: Option<f64>| error.map_or_else(String::new, percent);
        let bound = |bound: Option<f64>| bound.map_or_else(|| "–".to_owned(), percent);
        let held = set.held().count();
        let reported = || set.counted(Use::Reported);
        let verdicts = set.rows.iter().filter(|row| matches!(row.outcome, Outcome::Verdict { .. })).count();
        let right = set.rows.iter().filter(|row| matches!(row.outcome, Outcome::Verdict { right: true, .. })).count();
        let cells = if verdicts > 0 {
            let bound =
                if set.bound.right < 1.0 { format!("{} right", percent(set.bound.right)) } else { "verdict".into() };
            format!("{verdicts} | 0 | {right} right | {} wrong | {bound}", verdicts - right)
        } else {
            let bounds = match (set.bound.median, set.bound.nine_of_ten) {
                (Some(median), Some(most)) => format!("median {}, nine of ten {}", percent(median), percent(most)),
                (Some(median), None) => format!("median {}", percent(median)),
                _ => format!("{}, {}", bound(set.bound.each), bound(set.bound.mean)),
            };
            format!(
                "{held} | {} | {} | {} | {bounds}",
                set.counted(Use::Fitted).count(),
                shown(Set::mean_abs_error(set.held())),
                shown(Set::max_abs_error(set.held())),
            )
        };
        let not_modelled = set.rows.iter().filter(|row| matches!(row.outcome, Outcome::NotModelled(_))).count();
        // Writing into a string does not fail.
        let _ = writeln!(
            table,
            "| {} | {cells} | {} | {} | {} | {not_modelled} |",
            set.name,
            reported().count(),
            shown(Set::mean_abs_error(reported())),
            shown(Set::max_abs_error(reported())),
        );
    }
    table
}

/// What each set compares, one line a set.
pub fn legend(sets: &[Set]) -> String {
    sets.iter().fold(String::new(), |mut list, set| {
        let _ = writeln!(list, "- **{}**: {}.", set.name, set.about.trim_end_matches('.'));
        list
    })
}

/// The reasons why rows are not modelled, each with its number of rows, most first.
pub fn left_out(sets: &[Set]) -> String {
    let mut reasons = Vec::<(&str, String, usize)>::new();
    for set in sets {
        for row in &set.rows {
            let Outcome::NotModelled(reason) = &row.outcome else { continue };
            match reasons.iter_mut().find(|(name, known, _)| *name == set.name && known == reason) {
                Some((.., count)) => *count += 1,
                None => reasons.push((set.name, reason.clone(), 1)),
            }
        }
    }
    reasons.iter().fold(String::new(), |mut list, (set, reason, count)| {
        let _ = writeln!(list, "- {set}, {count}: {reason}");
        list
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_short() {
        for (share, text) in
            [(0.0, "exact"), (0.000_01, "<0.01%"), (0.0004, "0.04%"), (0.0243, "2.4%"), (0.12, "12%"), (1.34, "134%")]
        {
            assert_eq!(percent(share), text);
        }
    }
}
