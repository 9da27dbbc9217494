//! Columns of text.

/// Lays rows out in columns: the first aligned left, the others right.
pub(crate) fn layout<R: AsRef<[String]>>(rows: &[R]) -> String {
    let columns = rows.iter().map(|row| row.as_ref().len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            rows.iter().filter_map(|row| row.as_ref().get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.as_ref().iter().zip(&widths).enumerate() {
            let gap = " ".repeat(width.saturating_sub(cell.chars().count()));
            let cell = if column == 0 { format!("{cell}{gap}") } else { format!("  {gap}{cell}") };
            line.push_str(&cell);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// One row of cells.
pub(crate) fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::{layout, row};

    #[test]
    fn columns_line_up() {
        let text = layout(&[row(["file", "raw"]), row(["index.html", "1.0"])]);
        assert_eq!(text, "file        raw\nindex.html  1.0\n");
    }
}
