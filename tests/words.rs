//! The words on screen as they are written. That each is there, that each is used and that each is given what it asks for is said
//! by the compiler: see `build/words.rs`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Every file of words that is made of `key = text`.
const FILES: [&str; 15] = [
    "words.txt",
    "labels.txt",
    "page.txt",
    "site.txt",
    "check.txt",
    "reference.txt",
    "teach.txt",
    "kit.txt",
    "goals.txt",
    "lessons.txt",
    "problems.txt",
    "worksheet.txt",
    "test.txt",
    "lab.txt",
    "slides.txt",
];

/// Those whose texts may be a line of Markdown.
const MARKDOWN: [&str; 9] = [
    "reference.txt",
    "teach.txt",
    "goals.txt",
    "lessons.txt",
    "problems.txt",
    "worksheet.txt",
    "test.txt",
    "lab.txt",
    "slides.txt",
];

/// Keys and texts of a file, in its order.
fn table(file: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("content/en").join(file);
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{file}: {error}"));
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (key, text) = line.split_once(" = ").unwrap_or_else(|| panic!("{file}: not `key = text`: {line}"));
            (key.to_owned(), text.to_owned())
        })
        .collect()
}

fn is_name(text: &str, more: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || more.contains(c))
}

#[test]
fn every_line_is_a_key_and_its_text_once() {
    for file in FILES {
        let (mut seen, rows) = (BTreeSet::new(), table(file));
        for (key, text) in &rows {
            assert!(seen.insert(key), "{file}: {key} is there twice");
            assert!(is_name(key, "._-/"), "{file}: {key}");
            assert!(!text.is_empty() && text == text.trim() && !text.contains("  "), "{file}: {key}: {text:?}");
            assert!(!text.contains('!'), "{file}: {key} raises its voice: {text}");
            if !MARKDOWN.contains(&file) {
                assert!(!text.contains(['<', '>', '&', '"', '`']), "{file}: {key} is text, not markup: {text}");
            }
        }
        assert!(rows.len() > 3, "{file}");
    }
}

#[test]
fn what_is_filled_in_has_a_name_in_braces() {
    let mut filled = 0;
    for (file, (key, text)) in FILES.iter().flat_map(|file| table(file).into_iter().map(move |row| (file, row))) {
        // Of a live number the build says whether there is one.
        let pieces = text.split("{{");
        let text: String = pieces.map(|piece| piece.split_once("}}").map_or(piece, |(_, behind)| behind)).collect();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let (name, behind) = after.split_once('}').unwrap_or_else(|| panic!("{file}: {key}: {text}"));
            assert!(!before.contains('}') && is_name(name, "_"), "{file}: {key}: {text}");
            (rest, filled) = (behind, filled + 1);
        }
        assert!(!rest.contains('}'), "{file}: {key}: {text}");
    }
    assert!(filled > 300, "{filled}");
}
