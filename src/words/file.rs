//! How a file of words is read: by `build.rs`, which writes a function for each of its lines, and by the page's own build, which
//! may speak another language than English.
//!
//! A line is `key = text`. A `{name}` in the text is filled in.
//! One choice of a list has a slash in its key: `bucket/weights = Weights`. The lines of a list stand together.

/// A line of a file of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// What the text is known by: `wall.line`, or `bucket/weights`.
    pub(crate) key: &'a str,
    /// What is said.
    pub(crate) text: &'a str,
}

impl<'a> Line<'a> {
    /// The names in braces, each once, in the order in which they first come.
    pub(crate) fn placeholders(self) -> Vec<&'a str> {
        let mut names = Vec::new();
        for name in self.text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// The lines of a file in their order, without comments.
pub(crate) fn lines(text: &str) -> Result<Vec<Line<'_>>, String> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (key, text) = line.split_once(" = ").ok_or(format!("not `key = text`: {line}"))?;
        if lines.iter().any(|known| known.key == key) {
            return Err(format!("{key} is there twice"));
        }
        lines.push(Line { key, text });
    }
    Ok(lines)
}
