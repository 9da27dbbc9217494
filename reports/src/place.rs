//! Where something stands in what was read.

/// A line and a column of a text, both counted from 1; the column counts bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The byte within the line.
    pub column: usize,
}

impl Place {
    /// The place of the byte `at` of a text; the end of the text for a byte beyond it.
    ///
    /// # Example
    /// ```
    /// use memory_wall_reports::Place;
    /// assert_eq!(Place::of(b"one\ntwo", 5), Place { line: 2, column: 2 });
    /// ```
    pub fn of(text: &[u8], at: usize) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let mut lines = before.split(|byte| *byte == b'\n');
        let last = lines.next_back().unwrap_or_default();
        Self { line: lines.count() + 1, column: last.len() + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_are_counted_from_one() {
        let text = b"a\n\nbc\n";
        let places = [0, 1, 2, 3, 4, 6, 99].map(|at| Place::of(text, at));
        let expected = [(1, 1), (1, 2), (2, 1), (3, 1), (3, 2), (4, 1), (4, 1)];
        assert_eq!(places.map(|place| (place.line, place.column)), expected);
    }
}
