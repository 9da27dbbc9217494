//! What a section asks of its reader, counted on the text as it is built: words to read, figures to look at, questions to answer.

use memory_wall_app::registry::SECTIONS;

use crate::{directives, markup, page, prose};

/// Words that are read in a minute. Adults read English non-fiction at about 238 a minute (Brysbaert 2019,
/// doi.org/10.1016/j.jml.2019.104047); this text is technical.
pub(crate) const WORDS_A_MINUTE: usize = 200;
/// Minutes for a figure that is looked at.
pub(crate) const FIGURE_MINUTES: usize = 1;
/// Minutes for a question of the self-check with its answer, and for a claim with its verdict.
pub(crate) const QUESTION_MINUTES: usize = 2;
pub(crate) const CLAIM_MINUTES: usize = 1;

/// What a text asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) words: usize,
    pub(crate) figures: usize,
}

impl Reading {
    /// Counts prose that is read from top to bottom: paragraphs, items of lists and headings.
    ///
    /// Figures are looked at and operated rather than read, with their captions, tables and questions; what is folded is opened by
    /// those who want more; code and formulas are looked at too.
    pub(crate) fn of(html: &str) -> Self {
        let mut figures = 0;
        // What is open, and whether its text is no prose.
        let mut open: Vec<(&str, bool)> = Vec::new();
        // Joined first: a word may be half in emphasis.
        let mut text = String::new();
        let mut rest = html;
        loop {
            let (piece, after) = rest.split_once('<').unwrap_or((rest, ""));
            if !open.iter().any(|(_, apart)| *apart) {
                text.push_str(piece);
            }
            let Some((tag, behind)) = after.split_once('>') else { break };
            rest = behind;
            let name = markup::name_of(tag);
            if let Some(closed) = tag.strip_prefix('/') {
                if let Some(place) = open.iter().rposition(|(name, _)| *name == closed) {
                    open.truncate(place);
                }
            } else if !tag.ends_with('/') && !markup::VOID.contains(&name) {
                open.push((name, is_apart(name, tag)));
                figures += usize::from(name == "figure");
            }
        }
        Self { words: words(&text), figures }
    }

    /// How long it takes.
    pub(crate) const fn minutes(self) -> usize {
        self.words.div_ceil(WORDS_A_MINUTE) + self.figures * FIGURE_MINUTES
    }
}

fn is_apart(name: &str, tag: &str) -> bool {
    let folded = name == "details" && !tag.split(' ').any(|part| part == "open" || part.starts_with("open="));
    let dial = markup::attribute(tag, "class").is_some_and(|class| class.split(' ').any(|class| class == "dial"));
    folded || dial || ["figure", "nav", "pre", "table", "math"].contains(&name)
}

/// A number and its unit are one word: they are set with a narrow space between them, and read in one glance.
fn words(text: &str) -> usize {
    text.split([' ', '\n']).filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// Every section with what it asks, in the order of the tutorial, as it stands at the start.
pub(crate) fn sections() -> Result<Vec<(&'static str, Reading)>, String> {
    let texts = page::texts()?;
    let drawn = SECTIONS.iter().zip(&texts).map(|(id, text)| {
        let html = directives::filled(&prose::section(id, text)?)?;
        Ok((*id, Reading::of(&html)))
    });
    drawn.collect()
}

#[cfg(test)]
#[allow(clippy::print_stderr, reason = "a test prints what it counted")]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Write as _;

    use super::*;
    use crate::whole_page::{Element, Page, whole};

    #[test]
    fn prose_is_counted_and_what_is_looked_at_is_not() {
        let html = "<p>Half a <b>wo</b>rd<br>\nin 2\u{202f}GB.</p>\n<figure><p>no </p><svg><path/></svg></figure><details><summary>no </summary><p>no </p></details>\
                    <details class=\"a\" open=\"\"><p>yes</p></details><div class=\"dial x\">no </div><pre> no</pre>\n<p>yes</p>";
        assert_eq!(Reading::of(html), Reading { words: 7, figures: 1 });
        assert_eq!(Reading { words: 401, figures: 2 }.minutes(), 5);
    }

    /// Controls that a section shows until its reader asks for more.
    const CONTROLS: usize = 3;

    /// Controls that are no levers of a section, by class, each with the reason.
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

    /// The minutes that the opening names behind some words, as in `About 75 minutes`.
    fn promised(behind: &str) -> usize {
        let text = whole().elements.iter().find(|section| section.get("id") == Some("opening")).map(Element::text);
        let text = text.unwrap_or_default();
        let number = text.split_once(behind).and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok());
        number.unwrap_or_else(|| panic!("the opening does not say how long it takes: “{behind}”"))
    }

    /// What stands under a heading or in a figure, up to the next heading.
    fn part<'a>(html: &'a str, anchor: &str) -> &'a str {
        let mark = format!(" id=\"{anchor}\"");
        let place = html.find(&mark).unwrap_or_else(|| panic!("{anchor}"));
        let start = html[..place].rfind('<').unwrap();
        let from = &html[start..];
        let heading = |text: &str, from: usize| {
            let next = ["<h2", "<h3", "</section>"].iter().filter_map(|mark| text[from..].find(mark)).min();
            next.map_or(text.len(), |next| from + next)
        };
        match markup::name_of(&from[1..]) {
            "figure" => &from[..from.find("</figure>").unwrap()],
            // A section is its beginning: what stands under its own heading.
            "section" => {
                let own = heading(from, 0);
                &from[own..heading(from, own + 1)]
            }
            _ => &from[..heading(from, 1)],
        }
    }

    #[test]
    fn the_opening_says_how_long_the_tutorial_takes() {
        let counted = sections().unwrap();
        let mut report = String::new();
        for (id, reading) in &counted {
            // Writing into a string does not fail.
            let _ = writeln!(report, "{:3} min  {id}: {reading:?}", reading.minutes());
            assert!(reading.minutes() > 1, "{id} says nothing");
        }
        let taken: usize = counted.iter().map(|(_, reading)| reading.minutes()).sum();
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
            let minutes = Reading::of(part(&page.html, anchor)).minutes();
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
}
