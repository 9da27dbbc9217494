//! Comma-separated values with a header line, as spreadsheets write them.

use std::collections::HashMap;

use csv::{ReaderBuilder, StringRecord, Trim};

/// The rows of a file.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// The place of each column.
    columns: HashMap<String, usize>,
    rows: Vec<StringRecord>,
}

/// One row, whose cells are asked for by the name of their column.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    columns: &'a HashMap<String, usize>,
    cells: &'a StringRecord,
}

impl File {
    /// Reads a text; lines that begin with `#` are remarks.
    pub fn read(text: &str) -> Self {
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .comment(Some(b'#'))
            .flexible(true)
            .trim(Trim::All)
            .from_reader(text.as_bytes());
        // Rows may be of any length and the text is UTF-8, so there is nothing left that could be an error.
        let records = reader.records().filter_map(Result::ok);
        let mut records = records.filter(|cells| cells.iter().any(|cell| !cell.is_empty()));
        let header = records.next().unwrap_or_default();
        let mut columns = HashMap::new();
        for (place, name) in header.iter().enumerate() {
            // Of two columns of one name the first is meant.
            columns.entry(name.to_owned()).or_insert(place);
        }
        Self { columns, rows: records.collect() }
    }

    /// Each row.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { columns: &self.columns, cells })
    }
}

impl<'a> Row<'a> {
    /// The cell of a column; empty where the file has no such column.
    pub fn text(self, column: &str) -> &'a str {
        self.columns.get(column).and_then(|place| self.cells.get(*place)).unwrap_or_default()
    }

    /// A whole number, or why there is none.
    pub fn whole(self, column: &str) -> Result<u64, String> {
        let text = self.text(column);
        // Some tools write whole numbers with a point.
        let digits = text.strip_suffix(".0").unwrap_or(text);
        digits.parse().map_err(|_| match text {
            "" => format!("{column} is not stated"),
            _ => format!("{column} is {text:?}, not a whole number"),
        })
    }

    /// A whole number that the engine can take.
    pub fn number(self, column: &str) -> Result<u32, String> {
        let value = self.whole(column)?;
        u32::try_from(value).map_err(|_| format!("{column} {value} is too large"))
    }

    /// A whole number, or `default` where the cell is empty.
    pub fn number_or(self, column: &str, default: u32) -> Result<u32, String> {
        if self.text(column).is_empty() { Ok(default) } else { self.number(column) }
    }

    /// A number with a fraction, or why there is none.
    pub fn float(self, column: &str) -> Result<f64, String> {
        let text = self.text(column);
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ if text.is_empty() => Err(format!("{column} is not stated")),
            _ => Err(format!("{column} is {text:?}, not a number")),
        }
    }

    /// Whether the cell says yes.
    pub fn is_set(self, column: &str) -> bool {
        matches!(self.text(column), "1" | "true" | "True" | "yes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_by_their_column() {
        let file = File::read("# remark, with a comma\na,b\n1,\"x, \"\"y\"\"\"\r\n2.0,\n");
        let rows: Vec<_> = file.rows().collect();
        assert_eq!((rows[0].whole("a"), rows[0].text("b")), (Ok(1), "x, \"y\""));
        assert_eq!((rows[1].number("a"), rows[1].text("b"), rows[1].text("c")), (Ok(2), "", ""));
        assert_eq!(rows[1].whole("b"), Err("b is not stated".into()));
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].float("b"), Err("b is \"x, \\\"y\\\"\", not a number".into()));
    }

    #[test]
    fn a_file_of_a_spreadsheet_is_read_whole() {
        let file = File::read("\u{feff}a,b\r\n\r\n ,\r\n 1 ,\"two\nlines\"\r\n3");
        let rows: Vec<_> = file.rows().map(|row| (row.text("a"), row.text("b"))).collect();
        assert_eq!(rows, [("1", "two\nlines"), ("3", "")]);
    }
}
