//! Slides for a lesson, as one file: the tutorial's figures as they stand at the start, with the sentences that matter, answers that
//! are hidden while somebody presents, and notes for who does.
//!
//! No library: showing one of twenty elements, hiding some of it and listening to keys are a hundred lines. reveal.js 6 is 119 kB of
//! script and 54 kB of styles, and for print it writes a style sheet that the policy of this file does not let in.

use std::fmt::Write as _;
use std::path::Path;

use memory_wall_app::sections::quiz::bank::{self, Answer, Item};

use crate::lessons::LESSONS;
use crate::style::Rules;
use crate::wording::{Words, escaped, inline};
use crate::{apart, directives, figures, markup, page, policy, prose, read, script, style, write};

/// Writes the page.
pub(crate) fn build(root: &Path, staging: &Path) -> Result<(), String> {
    let words = Words::read("slides.txt")?;
    let mut html = include_str!("slides.html").to_owned();
    page::put(&mut html, "{{lang}}", &page::language())?;
    html = words.put(html, "");
    page::put(&mut html, "<!-- decks -->", &decks(&words)?)?;
    let mut rules = Rules::default();
    let content = rules.externalise(&content(&words)?);
    let css = style::slides(root)? + &rules.css();
    let program = script::without_comments(&read(&root.join("tools/site/src/slides/slides.js"))?);
    page::put(&mut html, "<!-- patterns -->", &figures::patterns())?;
    page::put(&mut html, "<!-- content -->", &content)?;
    page::put(&mut html, "<!-- style -->", &format!("<style>{css}</style>"))?;
    page::put(&mut html, "<!-- script -->", &format!("<script>{program}</script>"))?;
    apart::is_said("slides", &html)?;
    let policy = policy::alone(&html, "", "");
    page::put(&mut html, "<!-- policy -->", &policy)?;
    write(&staging.join("slides.html"), &html)
}

/// The numbers of all slides.
fn numbers(words: &Words) -> impl Iterator<Item = u32> {
    (1..).take_while(|n| words.has(&format!("{n}.title")))
}

/// How many slides a lesson shows.
pub(crate) fn count(lesson: &str) -> Result<usize, String> {
    Ok(shown_in(&Words::read("slides.txt")?, lesson))
}

fn shown_in(words: &Words, lesson: &str) -> usize {
    numbers(words).filter(|n| words.plain(&format!("{n}._lessons")).split(' ').any(|id| id == lesson)).count()
}

/// The links that show the slides of one lesson, or all of them. A script reads the query, and the file needs no other.
fn decks(words: &Words) -> Result<String, String> {
    let plans = Words::read("lessons.txt")?;
    let mut out = format!("{}: <a href=\"?\">{}</a>", words.say("decks"), words.say("deck.all"));
    for (id, _) in LESSONS {
        let values = [("lesson", plans.say(&format!("part.{id}"))), ("count", shown_in(words, id).to_string())];
        // Writing into a string does not fail.
        let _ = write!(out, " · <a href=\"?lesson={id}\" data-lesson=\"{id}\">{}</a>", words.say_with("deck", &values));
    }
    Ok(out)
}

/// The lessons whose decks have a slide; an error names a lesson that does not exist.
fn lessons(words: &Words, n: u32) -> Result<String, String> {
    let named = words.plain(&format!("{n}._lessons"));
    match named.split(' ').find(|id| LESSONS.iter().all(|(lesson, _)| lesson != id)) {
        Some(id) => Err(format!("slide {n}: there is no lesson {id}")),
        None => Ok(named),
    }
}

/// All slides, one after the other.
fn content(words: &Words) -> Result<String, String> {
    let claims = bank::items()?;
    let mut out = String::new();
    for n in numbers(words) {
        let lines = |what: &str| {
            let keys = (1..).map(move |line| format!("{n}.{what}.{line}"));
            keys.take_while(|key| words.has(key)).map(|key| words.plain(&key)).collect::<Vec<_>>()
        };
        let kind = if n == 1 { " slide-title" } else { "" };
        // Writing into a string does not fail.
        let _ = write!(
            out,
            "<section class=\"slide{kind}\" id=\"slide-{n}\" data-lessons=\"{}\"><h2>{}</h2><div class=\"stage\">",
            lessons(words, n)?,
            words.say(&format!("{n}.title"))
        );
        let figure = format!("{n}._figure");
        if words.has(&figure) {
            out.push_str(&still(&words.plain(&figure))?);
        }
        let code = lines("_code");
        if !code.is_empty() {
            let _ = write!(out, "<pre tabindex=\"0\"><code>{}</code></pre>", escaped(&code.join("\n")));
        }
        for line in lines("say") {
            let _ = write!(out, "<p>{}</p>", inline(&line));
        }
        let named = format!("{n}._claims");
        if words.has(&named) {
            let items =
                words.plain(&named).split(' ').map(|id| claim(words, &claims, id)).collect::<Result<String, _>>()?;
            let _ = write!(out, "<ol class=\"claims\">{items}</ol>");
        }
        for line in lines("answer") {
            let _ = write!(out, "<p class=\"answer\">{}</p>", inline(&line));
        }
        let notes = words.paragraphs(&format!("{n}.note"), &[]);
        let _ =
            write!(out, "</div><aside class=\"notes\" aria-label=\"{}\">{notes}</aside></section>", words.say("note"));
    }
    directives::still(&out)
}

/// A claim of the self-check with its verdict.
fn claim(words: &Words, items: &[Item], id: &str) -> Result<String, String> {
    let id = format!("claims.{id}");
    let item = items.iter().find(|item| item.id == id).ok_or(format!("there is no claim {id}"))?;
    let Answer::Claim { holds, .. } = item.answer else { return Err(format!("{id} is no claim")) };
    let verdict = words.say(if holds { "true" } else { "false" });
    Ok(format!("<li>{}<p class=\"answer\">{verdict} {}</p></li>", escaped(&item.ask), escaped(&item.explanation)))
}

/// A figure as it stands at the start, without what is operated, folded or bound.
fn still(id: &str) -> Result<String, String> {
    let drawing = figures::figure(id).ok_or(format!("there is no figure {id}"))?;
    let html = directives::filled(&drawing)?;
    let is_operated = |tag: &str| {
        let class = markup::attribute(tag, "class").unwrap_or_default();
        ["details", "button", "select", "input", "fieldset", "template"].contains(&markup::name_of(tag))
            || [" data-levers=", " data-control="].iter().any(|mark| tag.contains(mark))
            || class.split(' ').any(|class| APART.contains(&class))
    };
    let html = markup::dropped(&html, is_operated);
    let html = [" data-b=\"", " data-at=\""].iter().fold(html, |html, mark| without_attribute(&html, mark));
    Ok(format!("<figure id=\"{}\" class=\"figure figure-{id}\">{html}</figure>", prose::anchor(id)))
}

/// Parts of figures that are no part of the picture, by their classes.
const APART: [&str; 8] =
    ["reveal", "tools", "roofline-under", "roofline-canvas", "roofline-keep", "still-narrow", "notes", "minute-now"];

/// A text without an attribute.
fn without_attribute(html: &str, mark: &str) -> String {
    let mut pieces = html.split(mark);
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |all, piece| all + piece.split_once('"').map_or("", |(_, behind)| behind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apart::{quoted, root};
    use std::collections::BTreeSet;

    #[test]
    fn the_slides_are_one_file_that_says_all_its_words() {
        let words = Words::read("slides.txt").unwrap();
        let slides = content(&words).unwrap();
        let decks = decks(&words).unwrap();
        let _ = words.put(include_str!("slides.html").to_owned(), "");
        assert_eq!(words.left(), Vec::<&String>::new(), "words that nobody says");
        assert!(slides.matches("class=\"answer\"").count() > 10 && slides.matches("<figure").count() > 8);
        for trace in ["{{", "data-b=", "<button", "<input", "<details", "NaN"] {
            assert!(!slides.contains(trace), "{trace}");
        }
        let ids = quoted(&slides, " id=\"");
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "an id is there twice");
        assert_eq!(slides.matches("class=\"notes\"").count(), slides.matches("<section").count());
        assert_eq!(decks.matches("href=\"?lesson=").count(), LESSONS.len(), "{decks}");
    }

    #[test]
    fn the_slides_of_each_lesson_begin_and_end_as_all_of_them_do() {
        let words = Words::read("slides.txt").unwrap();
        let all: Vec<u32> = numbers(&words).collect();
        for (lesson, minutes) in LESSONS {
            let shows = |n: &u32| super::lessons(&words, *n).unwrap().split(' ').any(|id| id == lesson);
            let own: Vec<u32> = all.iter().copied().filter(shows).collect();
            assert_eq!(own.len(), count(lesson).unwrap(), "{lesson}");
            assert_eq!([own.first(), own.last()], [all.first(), all.last()], "{lesson}");
            // A slide takes between two and eight minutes.
            assert!((minutes / 8..=minutes / 2).contains(&own.len()), "{lesson}: {}", own.len());
        }
        for n in &all {
            assert!(!super::lessons(&words, *n).unwrap().is_empty(), "slide {n} is in no lesson");
        }
    }

    #[test]
    fn the_file_needs_no_other() {
        let staging = std::env::temp_dir().join(format!("memory-wall-slides-{}", std::process::id()));
        std::fs::create_dir_all(&staging).unwrap();
        let result = build(&root(), &staging);
        let html = read(&staging.join("slides.html"));
        std::fs::remove_dir_all(&staging).unwrap();
        result.unwrap();
        let html = html.unwrap();
        let beside = markup::tags(&html)
            .into_iter()
            .filter_map(|tag| markup::attribute(tag, "src").or(markup::attribute(tag, "href")));
        let beside: Vec<&str> = beside.filter(|link| !link.starts_with("data:") && !link.starts_with('#')).collect();
        let beside: Vec<&str> = beside.into_iter().filter(|link| !link.starts_with('?')).collect();
        assert_eq!(beside, ["teach.html"], "and that link goes where the page lies on a disk");
        assert!(!html.contains(" style=\"") && !html.contains("'self'") && !html.contains("unsafe"));
        assert_eq!(html.matches("<!--").count(), 0, "a mark is left");
    }
}
