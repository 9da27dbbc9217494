//! What a figure by itself transfers where nothing of this site was seen before.

use std::fs;

use crate::place::Place;
use crate::transfer::names;

/// How the names of files begin that a figure by itself brings, if its page names them. The program as one plain script, which a frame
/// without an origin takes in place of three of these, is left out.
const BROUGHT: [&str; 7] = ["glue-", "memory-wall-", "far-", "style-", "embed-", "minute-", "answers-"];

/// Every figure by itself with all that it brings, what comes with the first answer included, in bytes: by its page, the heaviest first.
/// `files` are names with sizes.
pub(crate) fn figures(place: &Place, files: &[(&str, u64)]) -> Result<Vec<(String, u64)>, String> {
    let mut figures = Vec::new();
    for (page, own) in files.iter().filter(|(name, _)| name.starts_with("embed/")) {
        let text = fs::read_to_string(place.dist().join(page)).map_err(|error| format!("{page}: {error}."))?;
        figures.push(((*page).to_owned(), brought(&text, files).fold(*own, u64::saturating_add)));
    }
    figures.sort_by(|(_, one), (_, other)| other.cmp(one));
    Ok(figures)
}

/// The sizes of the files that a page brings.
fn brought(text: &str, files: &[(&str, u64)]) -> impl Iterator<Item = u64> {
    let is = |name: &str| BROUGHT.iter().any(|start| name.starts_with(start)) && names(text, name);
    files.iter().filter(move |(name, _)| is(name)).map(|(_, size)| *size)
}

#[cfg(test)]
mod tests {
    use super::brought;

    #[test]
    fn a_figure_brings_the_parts_that_its_page_names() {
        let page =
            "<script src=\"../embed-a.js\" data-far=\"../far-b.wasm ../far-c.wasm\" data-plain=\"../program-d.js\">";
        let files = [("embed-a.js", 1), ("far-b.wasm", 2), ("far-c.wasm", 4), ("far-e.wasm", 8), ("program-d.js", 16)];
        assert_eq!(brought(page, &files).sum::<u64>(), 7);
    }
}
