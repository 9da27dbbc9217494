//! The formulas of a bucket as small pieces of HTML: symbols in words, and the numbers put in.
//!
//! Everything in them is the engine's own names and numbers; nothing a reader types reaches them.

use std::fmt::Write as _;

use memory_wall_core::display::{Grouped, Size};
use memory_wall_core::worked::{Symbol, Term};
use memory_wall_core::{Bucket, Bytes};

use crate::live::Snapshot;
use crate::words;

/// A bucket's terms, written; the largest first.
pub struct Terms {
    lines: Vec<(Bytes, String)>,
}

impl Terms {
    /// The terms at the peak of a snapshot.
    pub fn of(bucket: Bucket, snapshot: &Snapshot) -> Self {
        let mut lines = Vec::<(Bytes, String)>::new();
        bucket.terms(&snapshot.state.scenario(), snapshot.evaluation.peak_phase, &mut |term| {
            let bytes = term.bytes();
            let size = Size::new(bytes, snapshot.state.unit).to_string();
            let formula = formula(term, &size);
            let item = words::item(term.item);
            let place = lines.partition_point(|(larger, _)| *larger >= bytes);
            lines.insert(place, (bytes, format!("<span class=\"item\">{item}</span>{formula}")));
        });
        Self { lines }
    }

    /// The largest term's formula, with the part of the bucket that it is.
    pub fn first(self) -> String {
        let first = self.lines.into_iter().next().map(|(_, line)| line);
        first.unwrap_or_else(|| format!("<span class=\"nothing\">{}</span>", words::table_nothing()))
    }

    /// How many there are, in words.
    pub fn count(&self) -> String {
        words::TableTerms { n: &self.lines.len().to_string() }.text()
    }

    /// Whether there is nothing behind the first one.
    pub fn is_short(&self) -> bool {
        self.lines.len() < 2
    }

    /// All of them, as list items; none where the first is all.
    pub fn list(self) -> String {
        if self.is_short() {
            String::new()
        } else {
            self.lines.into_iter().map(|(_, line)| words::joined(&["<li>", &line, "</li>"], "")).collect()
        }
    }
}

/// A term in words, in numbers, and its size.
fn formula(term: &Term<'_>, size: &str) -> String {
    let (mut in_words, mut in_numbers) = (String::new(), String::new());
    for factor in term.factors {
        if !in_numbers.is_empty() {
            in_words.push_str(" × ");
            in_numbers.push_str(" × ");
        }
        let number = Grouped(factor.value.into()).to_string();
        match factor.symbol.name() {
            "" => in_words.push_str(&number),
            // Writing into a string does not fail.
            name => drop(write!(in_words, "<var data-symbol=\"{name}\">{name}</var>")),
        }
        in_numbers.push_str(&number);
    }
    if term.divisor != 1 {
        in_words.push_str(" / block_values");
        let _ = write!(in_numbers, " / {}", Grouped(term.divisor.into()));
    }
    // A bare number needs no words.
    let symbols = term.factors.iter().any(|factor| factor.symbol != Symbol::Number);
    let in_words = if symbols { format!("<span class=\"formula-words\">{in_words}</span>") } else { String::new() };
    format!("{in_words}<span class=\"formula-numbers\">= {in_numbers} = <b>{size}</b></span>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::State;

    #[test]
    fn the_cache_shows_its_product() {
        let snapshot = Snapshot::of(State::default());
        let html = Terms::of(Bucket::KvCache, &snapshot).first();
        assert!(
            html.contains("2 × <var data-symbol=\"layers\">layers</var> × <var data-symbol=\"kv_heads\">"),
            "{html}"
        );
        assert!(html.contains("= 2 × 32 × 32 × 128 × 2,048 × 1 × 2 = <b>1.07\u{202f}GB</b>"), "{html}");
        assert!(Terms::of(Bucket::KvCache, &snapshot).list().is_empty());
    }

    #[test]
    fn the_first_term_is_the_largest() {
        let snapshot = Snapshot::of(State { mode: memory_wall_core::Mode::Training, ..State::default() });
        let terms = Terms::of(Bucket::Activations, &snapshot);
        assert!(terms.lines.windows(2).all(|pair| pair[0].0 >= pair[1].0));
        assert_eq!(terms.count(), "12 terms, largest first");
        let largest = terms.lines[0].1.clone();
        assert!(largest.contains("class=\"item\""), "a part is not taken for the whole: {largest}");
        assert_eq!(terms.first(), largest);
    }

    #[test]
    fn an_empty_bucket_says_so() {
        let snapshot = Snapshot::of(State::default());
        assert!(Terms::of(Bucket::Gradients, &snapshot).first().contains("nothing in this mode"));
    }
}
