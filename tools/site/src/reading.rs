//! What a section asks of its reader, counted on the page as it is built: words to read, and controls to look at.

#![allow(clippy::panic, clippy::print_stderr, reason = "a test fails by panicking, and prints what it counted")]

use std::fmt::Write as _;

use memory_wall_app::registry::SECTIONS;

use crate::whole_page::{Element, Page, TEXT, whole};

/// A quarter of an hour at 220 words a minute.
const WORDS: usize = 15 * 220;
const WORDS_A_SECTION: usize = 300;

/// Whether a text is prose that is read from top to bottom: paragraphs, items of lists and headings.
///
/// Figures are looked at and operated rather than read, with their captions, tables and questions; what is folded is opened by
/// those who want more; code and formulas are looked at too.
fn is_read(page: &Page, text: &Element) -> bool {
    let apart = |around: &Element| {
        let folded = around.tag == "details" && around.get("open").is_none();
        let dial = around.get("class").is_some_and(|class| class.split(' ').any(|class| class == "dial"));
        folded || dial || ["figure", "nav", "pre", "table", "math"].contains(&around.tag.as_str())
    };
    text.tag == TEXT && !page.around(text).any(apart)
}

/// The section that an element stands in.
fn section<'a>(page: &'a Page, element: &'a Element) -> Option<&'a str> {
    page.around(element).find(|around| around.tag == "section")?.get("id")
}

/// A number and its unit are one word: they are set with a narrow space between them, and read in one glance.
fn words(text: &str) -> usize {
    text.split([' ', '\n']).filter(|word| word.contains(char::is_alphanumeric)).count()
}

#[test]
fn the_tutorial_is_read_in_a_quarter_of_an_hour() {
    let page = whole();
    let read = |id: &str| -> usize {
        let texts = page.elements.iter().filter(|text| is_read(page, text) && section(page, text) == Some(id));
        // Joined first: a word may be half in emphasis.
        words(&texts.map(Element::text).collect::<String>())
    };
    let counted: Vec<(&str, usize)> = SECTIONS.iter().map(|id| (*id, read(id))).collect();
    let total: usize = counted.iter().map(|(_, words)| words).sum();
    let mut report = String::new();
    for (id, words) in &counted {
        // Writing into a string does not fail.
        let _ = writeln!(report, "{words:5} words, {:3} s  {id}", words * 60 / 220);
    }
    eprintln!("{report}{total:5} words in all, of {WORDS}");
    assert!(total <= WORDS, "{total} words, and {WORDS} are read in 15 minutes:\n{report}");
    for (id, words) in counted {
        assert!(words > 80, "{id} says nothing: {words} words");
        assert!(words <= WORDS_A_SECTION, "{id} has {words} words, more than {WORDS_A_SECTION}");
    }
}
