//! Lesson plans and a note for every section, as a page of its own: figures with their states, numbers from the engine, and the wrong
//! answers that the self-check knows.

use std::fmt::Write as _;
use std::path::Path;

use memory_wall_app::figures::minute::servers;
use memory_wall_app::sections::quiz::bank::{self, Given};
use memory_wall_app::state::query;

use crate::apart::Script;
use crate::wording::{Words, escaped};
use crate::{apart, directives, embed, minute, page, policy, prose, slides};

/// The lessons with their minutes, which their steps add up to.
pub(crate) const LESSONS: [(&str, usize); 3] = [("short", 45), ("long", 90), ("serve", 45)];
/// What is said of a step beside its figures.
const SAID: [&str; 4] = ["do", "ask", "expect", "trap"];

/// Writes the page with its style sheet.
pub(crate) fn build(root: &Path, staging: &Path) -> Result<(), String> {
    let words = Words::read("lessons.txt")?;
    apart::write_page(root, staging, "lessons", &words, &policy::still(), Script::None, &content(&words)?)
}

/// Everything between header and footer.
fn content(words: &Words) -> Result<String, String> {
    let html = apart::content(words, &["short", "long", "serve", "notes"], |id| match id {
        "notes" => notes(words),
        lesson => plan(words, lesson),
    })?;
    directives::still(&html)
}

/// A step of a lesson.
struct Step {
    /// Its key: `short.1`.
    key: String,
    start: usize,
    minutes: usize,
}

/// The steps of a lesson, one after the other.
fn steps(words: &Words, lesson: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let mut start = 0;
    for key in (1..).map(|n| format!("{lesson}.{n}")).take_while(|key| words.has(&format!("{key}.title"))) {
        let minutes = words.plain(&format!("{key}._minutes"));
        let minutes: usize = minutes.parse().map_err(|_| format!("{key}: {minutes:?} are no minutes"))?;
        steps.push(Step { key, start, minutes });
        start += minutes;
    }
    match LESSONS.iter().find(|(id, _)| *id == lesson) {
        Some((_, all)) if *all == start => Ok(steps),
        _ => Err(format!("the steps of the lesson {lesson} take {start} minutes")),
    }
}

/// A lesson: its steps at a glance, and one by one.
fn plan(words: &Words, lesson: &str) -> Result<String, String> {
    let steps = steps(words, lesson)?;
    let title = |step: &Step| words.say(&format!("{}.title", step.key));
    let deck = words.say_with("deck", &[("count", slides::count(lesson)?.to_string())]);
    let mut out = format!(
        "<p class=\"deck\"><a href=\"slides.html?lesson={lesson}\">{deck}</a></p><div class=\"table-scroll\" tabindex=\"0\" role=\"group\" aria-labelledby=\"{lesson}-table\"><table><caption id=\"{lesson}-table\">{}</caption><thead><tr><th scope=\"col\">{}</th><th scope=\"col\" class=\"numeric\">{}</th><th scope=\"col\" class=\"numeric\">{}</th></tr></thead><tbody>",
        words.say("step.table"),
        words.say("step.column.step"),
        words.say("step.column.start"),
        words.say("step.column.minutes"),
    );
    for (place, step) in steps.iter().enumerate() {
        let Step { start, minutes, .. } = step;
        let n = place + 1;
        // Writing into a string does not fail.
        let _ = write!(
            out,
            "<tr><th scope=\"row\"><a href=\"#{lesson}-{n}\">{n}. {}</a></th><td class=\"numeric\">{start}</td><td class=\"numeric\">{minutes}</td></tr>",
            title(step)
        );
    }
    let all: usize = steps.iter().map(|step| step.minutes).sum();
    let _ = write!(
        out,
        "</tbody><tfoot><tr><th scope=\"row\">{}</th><td></td><td class=\"numeric\">{all}</td></tr></tfoot></table></div>",
        words.say("step.sum")
    );
    for (place, step) in steps.iter().enumerate() {
        let n = place + 1;
        let when = [("step.from", step.start), ("step.minutes", step.minutes)]
            .map(|(key, minutes)| words.say_with(key, &[("minutes", minutes.to_string())]));
        let _ = write!(
            out,
            "<article class=\"step\" id=\"{lesson}-{n}\"><h3>{n}. {}</h3><p class=\"quiet\">{}</p><dl>",
            title(step),
            when.join(", ")
        );
        let show = format!("{}._show", step.key);
        if words.has(&show) {
            let links =
                words.plain(&show).split(' ').map(|state| figure(words, state)).collect::<Result<String, _>>()?;
            let _ = write!(out, "<dt>{}</dt><dd><ul>{links}</ul></dd>", words.say("step.show"));
        }
        for what in SAID {
            let said = words.paragraphs(&format!("{}.{what}", step.key), &[]);
            let _ = write!(out, "<dt>{}</dt><dd>{said}</dd>", words.say(&format!("step.{what}")));
        }
        out.push_str("</dl></article>");
    }
    Ok(out)
}

/// A figure in a state, `buckets?seq=2048`, by itself and in the tutorial.
fn figure(words: &Words, state: &str) -> Result<String, String> {
    let (id, asked) = state.split_once('?').unwrap_or((state, ""));
    if let Some(notice) = query::decode(asked).notices.first() {
        return Err(format!("{state}: {notice}"));
    }
    let own = |pair: &&str| pair.starts_with(servers::OWN);
    if let Some(pair) = asked.split('&').filter(own).find(|pair| id != minute::FIGURE || !servers::takes(pair)) {
        return Err(format!("{state}: {pair} is not offered"));
    }
    let query = if asked.is_empty() { String::new() } else { format!("?{}", escaped(asked)) };
    let about = if asked.is_empty() { String::new() } else { format!(" (<code>{}</code>)", escaped(asked)) };
    Ok(format!(
        "<li><a href=\"embed/{id}.html{query}\">{}</a>{about}, <a href=\"./{query}#{}\">{}</a></li>",
        escaped(embed::title(id)),
        prose::anchor(id),
        words.say("figure.inside")
    ))
}

/// A note for every section.
fn notes(words: &Words) -> Result<String, String> {
    let mut out = String::new();
    for (id, title) in page::titles(&page::texts()?) {
        let _ = write!(
            out,
            "<article class=\"note\" id=\"note-{id}\"><h3>{title}</h3>{}",
            words.paragraphs(&format!("note.{id}"), &[])
        );
        let wrong = format!("note.{id}._wrong");
        if words.has(&wrong) {
            let items =
                words.plain(&wrong).split(' ').map(|name| mistake(words, name)).collect::<Result<String, _>>()?;
            let _ = write!(out, "<h4>{}</h4><dl class=\"wrongs\">{items}</dl>", words.say("note.wrong"));
        }
        let _ = write!(out, "<p class=\"quiet\"><a href=\"./#{id}\">{}</a></p></article>", words.say("note.read"));
    }
    Ok(out)
}

/// A wrong answer that the self-check knows, `hierarchy.latency.2`, with what it says to it.
fn mistake(words: &Words, name: &str) -> Result<String, String> {
    let (question, wrong) = name.rsplit_once('.').unwrap_or((name, ""));
    let found = bank::mistake(question, wrong)?.ok_or(format!("the self-check has no wrong answer {name}"))?;
    let given = match found.given {
        Given::Option(text) => words.say_with("note.option", &[("option", escaped(&text))]),
        Given::Number([given, right]) => {
            words.say_with("note.number", &[("given", escaped(&given)), ("right", escaped(&right))])
        }
    };
    Ok(format!("<dt>{}: {given}</dt><dd>{}</dd>", escaped(&found.title), escaped(&found.why)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wording::MISSING;

    #[test]
    fn the_plans_say_all_their_words() {
        let words = Words::read("lessons.txt").unwrap();
        let html = content(&words).unwrap();
        let _ = apart::headed(&apart::root(), "lessons", &words).unwrap();
        assert_eq!(words.left(), Vec::<&String>::new(), "words that nobody says");
        assert!(!html.contains(MISSING) && !html.contains('{'), "words or numbers are missing");
        for (lesson, minutes) in LESSONS {
            let steps = steps(&words, lesson).unwrap();
            assert_eq!(steps.iter().map(|step| step.minutes).sum::<usize>(), minutes, "{lesson}");
            for step in &steps {
                assert!((3..=20).contains(&step.minutes), "{}", step.key);
                for what in SAID {
                    assert!(words.has(&format!("{}.{what}.1", step.key)), "{}: nothing to {what}", step.key);
                }
            }
        }
        for id in memory_wall_app::registry::SECTIONS {
            assert!(words.has(&format!("note.{id}.1")), "{id} has no note");
            let wrong = format!("note.{id}._wrong");
            assert!(*id == "check" || words.plain(&wrong).split(' ').count() >= 2, "{id}: what do learners get wrong?");
        }
    }

    #[test]
    fn a_lesson_that_is_too_long_and_a_state_that_is_none_stop_the_build() {
        let words = Words::read("lessons.txt").unwrap();
        assert!(steps(&words, "none").is_err_and(|error| error.contains("take 0 minutes")));
        for state in ["buckets?seq=0", "minute?minute.arrivals=91", "buckets?minute.arrivals=90"] {
            assert!(figure(&words, state).is_err(), "{state}");
        }
        assert!(figure(&words, "minute?minute.arrivals=90").is_ok());
        let link = figure(&words, "buckets?model=llama-3.1-8b&seq=128000").unwrap();
        assert!(link.contains("href=\"embed/buckets.html?model=llama-3.1-8b&amp;seq=128000\""), "{link}");
        assert!(link.contains("href=\"./?model=llama-3.1-8b&amp;seq=128000#calculator\""), "{link}");
        assert!(mistake(&words, "hierarchy.latency.0").is_err(), "that one is right");
    }
}
