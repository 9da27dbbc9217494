//! Laying out text for a terminal.

/// Lines are at most this long.
pub(crate) const WIDTH: usize = 100;
/// More than this much of somebody's own words is not repeated to them.
pub(crate) const QUOTED: usize = 60;

/// On which side a column is flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Rows in aligned columns.
#[derive(Debug)]
pub(crate) struct Table {
    sides: Vec<Side>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// With its first row and the side of each column.
    pub(crate) fn new(columns: &[(&str, Side)]) -> Self {
        Self {
            sides: columns.iter().map(|(_, side)| *side).collect(),
            rows: vec![columns.iter().map(|(head, _)| (*head).to_owned()).collect()],
        }
    }

    /// Adds a row of as many cells as there are columns.
    pub(crate) fn row(&mut self, cells: impl Into<Vec<String>>) {
        self.rows.push(cells.into());
    }

    /// The table, each line ended.
    pub(crate) fn text(&self) -> String {
        let mut widths = vec![0; self.sides.len()];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        let mut text = String::new();
        for row in &self.rows {
            let cells = row.iter().zip(&self.sides).zip(&widths).map(|((cell, side), &width)| match side {
                Side::Left => format!("{cell:<width$}"),
                Side::Right => format!("{cell:>width$}"),
            });
            text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        text
    }
}

/// A paragraph broken between words; lines after the first begin with `indent` spaces.
pub(crate) fn wrapped(paragraph: &str, indent: usize) -> String {
    wrapped_to(WIDTH, paragraph, indent)
}

/// The same at another width.
pub(crate) fn wrapped_to(width: usize, paragraph: &str, indent: usize) -> String {
    let mut text = String::new();
    let mut length = 0;
    for word in paragraph.split(' ') {
        let letters = word.chars().count();
        if length > 0 && length + 1 + letters > width {
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            length = indent;
        } else if length > 0 {
            text.push(' ');
            length += 1;
        }
        text.push_str(word);
        length += letters;
    }
    text.push('\n');
    text
}

/// A paragraph behind a head, with every line of it beginning at `indent`.
pub(crate) fn hanging(width: usize, head: &str, paragraph: &str, indent: usize) -> String {
    let lines = wrapped_to(width - indent, paragraph, 0);
    format!("{head:<indent$}{}\n", lines.trim_end().replace('\n', &format!("\n{:indent$}", "")))
}

/// Somebody's own words in quotes, on one line, shortened where they are long.
pub(crate) fn quote(words: &str) -> String {
    format!("{:?}", shortened(words, QUOTED))
}

/// At most this many letters, the rest as an ellipsis.
pub(crate) fn shortened(words: &str, most: usize) -> String {
    match words.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", words.get(..end).unwrap_or_default()),
        None => words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&[("Name", Side::Left), ("Bytes", Side::Right)]);
        table.row(["KV cache".into(), "7".into()]);
        assert_eq!(table.text(), "Name      Bytes\nKV cache      7\n");
    }

    #[test]
    fn paragraphs_keep_the_width() {
        let text = wrapped(&format!("- {}", "word ".repeat(60).trim_end()), 2);
        assert!(text.lines().count() > 1);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
        assert!(text.lines().skip(1).all(|line| line.starts_with("  word")));
    }

    #[test]
    fn a_head_keeps_its_column() {
        assert_eq!(hanging(12, "a", "one two three", 3), "a  one two\n   three\n");
    }

    #[test]
    fn quotes_stay_on_one_short_line() {
        assert_eq!(quote("a\nb\u{1b}[31m"), r#""a\nb\u{1b}[31m""#);
        assert_eq!(quote(&"x".repeat(1_000)).len(), 65);
        assert_eq!(shortened(&"é".repeat(61), QUOTED), format!("{}...", "é".repeat(60)));
    }
}
