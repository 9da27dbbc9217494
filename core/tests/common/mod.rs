//! Reading the fixtures.

use std::collections::HashMap;

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
