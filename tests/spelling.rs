//! Every word of the content is spelled as the dictionaries of `typos` have it, in British English; they come with a crate, so
//! no network is asked.
//!
//! A dictionary of slips knows slips that many have made, not every word that is none: it names few correct words, and catches
//! what a tired hand writes.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]
#![allow(clippy::case_sensitive_file_extension_comparisons, reason = "the names of this project are in lower case")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use typos_vars::Category;
use unicase::UniCase;

/// Words that stay as they are, each with its reason.
const ACCEPTED: [(&str, &str); 2] = [
    ("optimizer", "the field's own word, as in torch.optim and in every paper"),
    ("utilization", "what nvidia-smi calls it"),
];

/// The words of a text: what is code, a formula, a name in braces or an address is none.
fn words(text: &str) -> BTreeSet<String> {
    let mut plain = String::new();
    for (place, block) in text.split("```").enumerate() {
        if place % 2 == 0 {
            plain.push_str(block);
        }
    }
    for [open, close] in [["`", "`"], ["{{", "}}"], ["{", "}"], ["$$", "$$"], ["](", ")"]] {
        plain = without(&plain, open, close);
    }
    // Words with digits or underscores in them are names.
    let pieces = plain.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').map(|word| word.trim_matches('.'));
    let words = pieces.filter(|word| word.len() > 1 && word.chars().all(char::is_alphabetic));
    words.map(str::to_lowercase).collect()
}

/// A text without what stands between two marks.
fn without(text: &str, open: &str, close: &str) -> String {
    let mut pieces = text.split(open);
    let mut out = pieces.next().unwrap_or_default().to_owned();
    if open == close {
        pieces.skip(1).step_by(2).for_each(|piece| out.extend([" ", piece]));
    } else {
        pieces.for_each(|piece| out.extend([" ", piece.split_once(close).map_or(piece, |(_, behind)| behind)]));
    }
    out
}

/// What is wrong with a word, if anything.
fn fault(word: &str) -> Option<String> {
    let key = UniCase::new(word);
    if let Some(meant) = typos_dict::WORD.find(&key) {
        return Some(format!("{word}: {}", meant.join(" or ")));
    }
    let variants = typos_vars::VARS.find(&key)?;
    let british = |(spellings, _): &(u8, _)| {
        typos_vars::CategorySet::from_bits_truncate(*spellings).contains(Category::BritishIse)
    };
    let meant: Vec<&str> = variants
        .iter()
        .flat_map(|(_, options)| typos_vars::corrections(Category::BritishIse, **options))
        .copied()
        .collect();
    (!variants.iter().any(british)).then(|| format!("{word} is not British: {}", meant.join(" or ")))
}

/// Every text of every language folder that is in English, with the words of the page's own file.
fn texts() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("content/en");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap()))
        .collect()
}

#[test]
fn every_word_is_spelled_as_in_britain() {
    let (mut faults, mut seen) = (Vec::new(), BTreeSet::new());
    for (name, text) in texts() {
        // Keys are code.
        let said: String = if name.ends_with(".txt") {
            let lines =
                text.lines().filter(|line| !line.starts_with('[') && !line.starts_with('#') || name == "quiz.txt");
            lines.flat_map(|line| [line.split_once(" = ").map_or(line, |(_, said)| said), "\n"]).collect()
        } else {
            text
        };
        let words = words(&said);
        let accepted = |word: &str| ACCEPTED.iter().any(|(accepted, _)| *accepted == word);
        let doubtful = words.iter().filter(|word| !accepted(word));
        faults.extend(doubtful.filter_map(|word| Some(format!("{name}: {}", fault(word)?))));
        seen.extend(words);
    }
    assert!(seen.len() > 1_000, "{}", seen.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    for (word, reason) in ACCEPTED {
        assert!(seen.contains(word) && fault(word).is_some(), "{word} ({reason}) need not be accepted");
    }
}

#[test]
fn slips_and_other_spellings_are_caught() {
    for word in
        ["recieve", "teh", "memroy", "seperate", "occured", "color", "neighbor", "quantized", "center", "behavior"]
    {
        assert!(fault(word).is_some(), "{word}");
    }
    for word in ["receive", "memory", "colour", "neighbour", "quantised", "centre", "parallelism"] {
        assert_eq!(fault(word), None);
    }
    let all = words("a `recieve` {{live color}} $$memroy$$ [link](teh-end) kv_heads 4bit ```\nteh\n``` word.\n");
    assert_eq!(all.into_iter().collect::<Vec<_>>(), ["link", "word"]);
}
