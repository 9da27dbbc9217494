//! What the tables of GPUs and models have in common: anchors, numbers as data sheets print them, numbered sources.

use std::fmt::Write as _;

use memory_wall_core::display::{Figure, Grouped};

use super::table::Cell;
use crate::wording::{Words, linked};

/// A name that links to its own row.
pub(crate) fn name(id: &str, name: &str) -> Cell {
    Cell::text(format!("<a class=\"permalink\" href=\"#{id}\">{name}</a>"))
}

/// A whole number.
pub(crate) fn whole(number: u64) -> Cell {
    Cell::number(Grouped(number.into()).to_string(), number as f64)
}

/// Three digits.
pub(crate) fn figure(number: f64) -> Cell {
    Cell::number(Figure(number).to_string(), number)
}

/// All digits, as a data sheet prints them.
pub(crate) fn printed(number: Option<f64>) -> Cell {
    Cell::maybe(number.map(|number| (all_digits(number), number)))
}

fn all_digits(number: f64) -> String {
    let text = number.to_string();
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), ""), |(whole, fraction)| (whole, fraction));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), |whole| Grouped(whole).to_string());
    if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }
}

/// Sources by their numbers, in the order in which they are first named.
pub(crate) struct Sources {
    stem: &'static str,
    list: Vec<&'static str>,
}

impl Sources {
    /// None yet; their anchors begin with `stem`.
    pub(crate) fn new(stem: &'static str) -> Self {
        Self { stem, list: Vec::new() }
    }

    /// Links to some sources.
    pub(crate) fn cell(&mut self, sources: &[&'static str]) -> Cell {
        let links = sources.iter().map(|source| {
            let place = self.list.iter().position(|known| known == source).unwrap_or_else(|| {
                self.list.push(source);
                self.list.len() - 1
            });
            format!("<a href=\"#{}-{}\">{}</a>", self.stem, place + 1, place + 1)
        });
        Cell::text(links.collect::<Vec<_>>().join(", "))
    }

    /// All of them, as a list.
    pub(crate) fn list(&self, words: &Words) -> String {
        let title = words.say("sources.title");
        let mut out = format!("<details class=\"sources\" open><summary>{title}</summary><ol>");
        for (place, source) in self.list.iter().enumerate() {
            // Writing into a string does not fail.
            let _ = write!(out, "<li id=\"{}-{}\">{}</li>", self.stem, place + 1, linked(source));
        }
        out + "</ol></details>"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_figures_keep_their_digits() {
        assert_eq!([312.0, 1978.9, 10_000.0, 0.5].map(all_digits), ["312", "1,978.9", "10,000", "0.5"]);
    }
}
