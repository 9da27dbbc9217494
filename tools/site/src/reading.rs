//! What a section asks of its reader, counted on the page as it is built: words to read, and controls to look at.

#![allow(clippy::panic, clippy::print_stderr, reason = "a test fails by panicking, and prints what it counted")]

use std::collections::BTreeSet;
use std::fmt::Write as _;

use memory_wall_app::registry::SECTIONS;

use crate::whole_page::{Element, Page, TEXT, whole};

/// Words that are read in a minute; a figure is looked at for one.
const WORDS_A_MINUTE: usize = 200;

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

/// Controls that a section shows until its reader asks for more.
const CONTROLS: usize = 3;

/// What is operated and is no lever of a section, by its class, with the reason.
const NO_LEVERS: [(&str, &str); 9] = [
    ("dial", "a guess, made before the figure is looked at"),
    ("reveal", "checks or skips a guess"),
    ("sort-rows", "guesses"),
    ("sort-next", "a guess"),
    ("oom-guess", "a guess"),
    ("rungs-pair", "a guess"),
    ("profile-peak", "a guess"),
    ("paint-table", "guesses"),
    ("roofline-keep", "keeps the picture, and changes nothing in it"),
];

/// The same where it is the section or the control itself.
const APART: [(&str, &str); 3] = [
    ("section-check", "questions and their answers"),
    ("calculator rig-row", "the model, the format and the card of the whole tutorial, which the bar names"),
    ("reset", "takes back what the levers did"),
];

/// Whether a control is no lever of its section.
fn is_apart(page: &Page, control: &Element) -> bool {
    let has =
        |element: &Element, class: &str| element.get("class").is_some_and(|it| it.split(' ').any(|it| it == class));
    let lies_in = |class: &str| has(control, class) || page.around(control).any(|around| has(around, class));
    let classes = NO_LEVERS.iter().chain(&APART);
    classes.into_iter().any(|(classes, _)| classes.split(' ').all(lies_in))
}

/// What a control sets, by a name: a slider with its field, its steps and its marks is one, as is a set of radios or of switches.
fn lever(page: &Page, control: &Element) -> String {
    let named = |element: &Element| {
        let set = element.get("data-control").or(element.get("name"));
        let group = || element.get("aria-label").filter(|_| element.get("role") == Some("group"));
        set.or_else(group).map(str::to_owned)
    };
    let walk = page.around(control).any(|around| around.get("class") == Some("oom-walk"));
    if walk {
        // Back, on and to the end of the steps that can be chosen below.
        return "step".into();
    }
    let around = page.around(control).take_while(|around| around.tag != "figure").find_map(named);
    around.or_else(|| named(control)).or(control.get("id").map(str::to_owned)).unwrap_or_else(|| control.text())
}

/// Whether an element is there to be operated, until anything is opened.
fn is_operated(page: &Page, control: &Element) -> bool {
    let folded = |around: &Element| around.tag == "details" && around.get("open").is_none();
    let idle = |element: &Element| element.get("hidden").is_some() || element.get("disabled").is_some();
    ["input", "select", "button", "textarea"].contains(&control.tag.as_str())
        && !idle(control)
        && !page.around(control).any(|around| folded(around) || idle(around))
}

/// The section that an element stands in.
fn section<'a>(page: &'a Page, element: &'a Element) -> Option<&'a str> {
    page.around(element).find(|around| around.tag == "section")?.get("id")
}

/// A number and its unit are one word: they are set with a narrow space between them, and read in one glance.
fn words(text: &str) -> usize {
    text.split([' ', '\n']).filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// Minutes for what a page asks to be read and looked at.
fn minutes<'a>(page: &Page, elements: impl Iterator<Item = &'a Element> + Clone) -> usize {
    let texts = elements.clone().filter(|text| is_read(page, text));
    // Joined first: a word may be half in emphasis.
    let words = words(&texts.map(Element::text).collect::<String>());
    words.div_ceil(WORDS_A_MINUTE) + elements.filter(|element| element.tag == "figure").count()
}

/// The minutes that the opening names behind some words, as in `About 75 minutes`.
fn promised(behind: &str) -> usize {
    let text = whole().elements.iter().find(|section| section.get("id") == Some("opening")).map(Element::text);
    let text = text.unwrap_or_default();
    let number = text.split_once(behind).and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok());
    number.unwrap_or_else(|| panic!("the opening does not say how long it takes: “{behind}”"))
}

/// What stands under a heading or in a figure, up to the next heading.
fn part<'a>(page: &'a Page, anchor: &str) -> Vec<&'a Element> {
    let place = page.elements.iter().position(|element| element.get("id") == Some(anchor));
    let (start, element) =
        place.and_then(|place| Some((place, page.elements.get(place)?))).unwrap_or_else(|| panic!("{anchor}"));
    let is_heading = |other: &&Element| ["h2", "h3"].contains(&other.tag.as_str());
    match element.tag.as_str() {
        "figure" => vec![element],
        // A section is its beginning: what stands under its own heading.
        "section" => {
            let behind = page.elements.iter().skip(start + 1).skip_while(|other| !is_heading(other));
            let mut behind = behind.peekable();
            behind.next().into_iter().chain(behind.take_while(|other| !is_heading(other))).collect()
        }
        _ => {
            let behind = page.elements.iter().skip(start + 1);
            std::iter::once(element).chain(behind.take_while(|other| !is_heading(other))).collect()
        }
    }
}

#[test]
fn the_opening_says_how_long_the_tutorial_takes() {
    let page = whole();
    let of = |id: &'static str| page.elements.iter().filter(move |element| section(page, element) == Some(id));
    let counted: Vec<(&str, usize)> = SECTIONS.iter().map(|id| (*id, minutes(page, of(id)))).collect();
    let mut report = String::new();
    for (id, minutes) in &counted {
        // Writing into a string does not fail.
        let _ = writeln!(report, "{minutes:3} min  {id}");
        assert!(*minutes > 1, "{id} says nothing");
    }
    let taken: usize = counted.iter().map(|(_, minutes)| minutes).sum();
    eprintln!("{report}{taken:3} min in all");
    let said = promised("How long it takes. About ");
    assert!(said.abs_diff(taken) * 20 <= taken, "it takes {taken} minutes, and the opening says {said}:\n{report}");
}

#[test]
fn the_opening_says_how_long_the_short_path_takes() {
    let page = whole();
    let list = page.elements.iter().skip_while(|element| element.get("id") != Some("a-short-path"));
    let links = list.take_while(|element| element.tag != "nav").filter(|element| element.tag == "a");
    let anchors: Vec<&str> = links.filter_map(|link| link.get("href")?.strip_prefix('#')).skip(1).collect();
    assert!(anchors.len() > 4, "{anchors:?}");
    let mut report = String::new();
    let mut taken = 0;
    for anchor in anchors {
        let minutes = minutes(page, part(page, anchor).into_iter());
        let _ = writeln!(report, "{minutes:3} min  {anchor}");
        taken += minutes;
    }
    eprintln!("{report}{taken:3} min in all");
    let said = promised("or about ");
    assert!(said.abs_diff(taken) <= 1, "it takes {taken} minutes, and the opening says {said}:\n{report}");
}

#[test]
fn a_section_shows_three_controls_at_most() {
    let page = whole();
    let mut report = String::new();
    let mut faults = Vec::new();
    let mut all = 0;
    for id in SECTIONS {
        let controls =
            page.elements.iter().filter(|control| is_operated(page, control) && section(page, control) == Some(id));
        let levers: BTreeSet<String> =
            controls.filter(|control| !is_apart(page, control)).map(|control| lever(page, control)).collect();
        let _ = writeln!(report, "{:3}  {id}: {levers:?}", levers.len());
        all += levers.len();
        if levers.len() > CONTROLS {
            faults.push(*id);
        }
    }
    eprintln!("{report}");
    assert!(faults.is_empty(), "too many controls in {faults:?}: fold some of them\n{report}");
    assert!(all > 15, "{report}");
    for (classes, reason) in NO_LEVERS.iter().chain(&APART) {
        let there = |class: &str| {
            page.elements.iter().any(|it| it.get("class").is_some_and(|it| it.split(' ').any(|it| it == class)))
        };
        assert!(classes.split(' ').all(there), "nothing is {classes} any more ({reason})");
    }
}
