//! Reading the fixtures and keeping the score of a comparison.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

/// One row of a fixture, by column.
pub(crate) struct Row {
    file: &'static str,
    line: usize,
    cells: HashMap<&'static str, &'static str>,
}

impl Row {
    /// The text of a cell; empty where there is none.
    pub(crate) fn text(&self, column: &str) -> &'static str {
        match self.cells.get(column) {
            Some(cell) => cell,
            None => panic!("{}: no column {column}", self.file),
        }
    }

    /// A whole number.
    pub(crate) fn number(&self, column: &str) -> u64 {
        match self.text(column).parse() {
            Ok(number) => number,
            Err(error) => panic!("{} line {}, {column}: {error}", self.file, self.line),
        }
    }

    /// A whole number, or nothing where the cell is empty.
    pub(crate) fn optional(&self, column: &str) -> Option<u64> {
        (!self.text(column).is_empty()).then(|| self.number(column))
    }

    /// A dimension.
    pub(crate) fn dimension(&self, column: &str) -> u32 {
        match u32::try_from(self.number(column)) {
            Ok(dimension) => dimension,
            Err(error) => panic!("{} line {}, {column}: {error}", self.file, self.line),
        }
    }
}

/// The rows of a fixture: comma-separated, no quotes, `#` starts a comment, the first line names the columns.
pub(crate) fn rows(file: &'static str, csv: &'static str) -> Vec<Row> {
    let mut lines = csv.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.is_empty());
    let Some((_, header)) = lines.next() else { panic!("{file} is empty") };
    lines
        .map(|(line, cells)| {
            assert_eq!(cells.split(',').count(), header.split(',').count(), "{file} line {}", line + 1);
            Row { file, line: line + 1, cells: header.split(',').zip(cells.split(',')).collect() }
        })
        .collect()
}

/// How a set of rows went.
#[derive(Default)]
pub(crate) struct Score {
    compared: usize,
    exact: usize,
    sum_percent: f64,
    max_percent: f64,
    misses: String,
    skipped: BTreeMap<&'static str, usize>,
}

impl Score {
    /// Holds a figure of the engine against a measured one.
    pub(crate) fn compare(&mut self, name: &str, engine: u128, measured: u64) {
        self.compared += 1;
        let measured = u128::from(measured);
        if engine == measured {
            self.exact += 1;
            return;
        }
        let percent = engine.abs_diff(measured) as f64 / measured as f64 * 100.0;
        self.sum_percent += percent;
        self.max_percent = self.max_percent.max(percent);
        let sign = if engine > measured { '+' } else { '-' };
        let difference = engine.abs_diff(measured);
        let _ = writeln!(self.misses, "  {name}: engine {engine}, measured {measured}, {sign}{difference} bytes");
    }

    /// Counts a row that is not compared.
    pub(crate) fn skip(&mut self, reason: &'static str) {
        *self.skipped.entry(reason).or_default() += 1;
    }

    /// Prints the summary, and fails unless exactly `compared` rows were compared, all of them equal to the byte,
    /// and exactly those of the table `skipped` were not.
    pub(crate) fn finish(self, set: &str, compared: usize, skipped: &[(&str, usize)]) {
        let of = self.compared.max(1) as f64;
        println!(
            "{set}: {} compared, {} exact, {} skipped; absolute error {:.6}% in the mean, {:.6}% at most",
            self.compared,
            self.exact,
            self.skipped.values().sum::<usize>(),
            self.sum_percent / of,
            self.max_percent
        );
        for (reason, count) in &self.skipped {
            println!("  {count} skipped: {reason}");
        }
        assert!(self.misses.is_empty(), "{set}: rows that differ\n{}", self.misses);
        assert_eq!((self.compared, self.exact), (compared, compared), "{set}: rows compared");
        let wanted: BTreeMap<_, _> = skipped.iter().copied().collect();
        assert_eq!(self.skipped, wanted, "{set}: rows skipped");
    }
}
