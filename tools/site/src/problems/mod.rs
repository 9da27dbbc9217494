//! Problem sets with worked solutions, as a page of its own: one set of numbers stands in it, and a script puts in the others.
//!
//! The numbers are those of `memory_wall_app::sections::problems`, and texts are lines of `content/en/problems.txt`.

use std::fmt::Write as _;
use std::path::Path;

use memory_wall_app::sections::problems::{PARTS, Problem, Set, problems};

use crate::apart::Script;
use crate::kit::json::{list, object, text};
use crate::wording::{Words, escaped};
use crate::{apart, page, policy};

/// Writes the page with its style sheet and its script.
pub(crate) fn build(root: &Path, staging: &Path) -> Result<(), String> {
    let words = Words::read("problems.txt")?;
    let content = content(&words)?;
    apart::write_page(root, staging, "problems", &words, &policy::still(), Script::Late("problems"), &content)
}

/// Everything between header and footer.
fn content(words: &Words) -> Result<String, String> {
    let all = problems();
    let sections: Vec<&str> = ["about"].into_iter().chain(all.iter().map(Problem::section)).collect();
    let titles = page::titles(&page::texts()?);
    // Two problems of one section stand under one heading.
    let mut parts = sections.clone();
    parts.dedup();
    let html = apart::content(words, &parts, |id| {
        if id == "about" {
            return Ok(words.paragraphs("about", &[]) + &numbers(words));
        }
        let title = titles.iter().find(|(section, _)| *section == id).map_or("", |(_, title)| title);
        let mut out = format!("<p class=\"quiet\"><a href=\"./#{id}\">{}</a></p>", escaped(title));
        for problem in all.iter().filter(|problem| problem.section() == id) {
            let _ = write!(
                out,
                "<article class=\"problem\" data-problem=\"{}\">{}<details class=\"aside\"><summary>{}</summary>{}</details></article>",
                problem.id,
                asked(words, problem, nothing)?,
                words.say("solution"),
                worked(words, problem, nothing)?,
            );
        }
        Ok(out)
    })?;
    let mut key =
        format!("<section class=\"section section-key\"><h2>{}</h2><div class=\"wide\">", words.say("solutions"));
    let mut before = "";
    for problem in &all {
        let section = problem.section();
        let title = if section == before {
            String::new()
        } else {
            format!("<h3>{}</h3>", words.say(&format!("part.{section}")))
        };
        before = section;
        // Writing into a string does not fail.
        let _ = write!(key, "{title}<div data-problem=\"{}\">{}</div>", problem.id, worked(words, problem, nothing)?);
    }
    Ok(format!("{html}{key}</div></section>{}", sets(by_id(&all))))
}

/// Which numbers stand in the page, and how others come; hidden where no script runs.
pub(crate) fn numbers(words: &Words) -> String {
    let said = ["first", "seed", "wrong"]
        .map(|key| format!(" data-{key}=\"{}\"", words.say(&format!("numbers.{key}"))))
        .concat();
    format!(
        "<noscript><p class=\"no-script\">{}</p></noscript><p id=\"numbers\" class=\"act\" hidden{said}><button type=\"button\">{}</button> <span role=\"status\"></span></p>",
        words.say("numbers.no_script"),
        words.say("numbers.new"),
    )
}

/// Problems with their sets, by the names that the page has for them.
pub(crate) fn by_id(problems: &[Problem]) -> impl Iterator<Item = (&str, &[Set])> {
    problems.iter().map(|problem| (problem.id, problem.sets.as_slice()))
}

/// All sets of numbers as data, for the script.
pub(crate) fn sets<'a, Name: AsRef<str>>(problems: impl Iterator<Item = (Name, &'a [Set])>) -> String {
    let set = |set: &Set| object(set.values.iter().map(|(name, value)| (*name, text(value))));
    let named: Vec<(Name, String)> = problems.map(|(name, sets)| (name, list(sets.iter().map(set)))).collect();
    let all = object(named.iter().map(|(name, sets)| (name.as_ref(), sets.clone())));
    format!("<script type=\"application/json\" id=\"sets\">{all}</script>")
}

/// A text of a problem with the first set of numbers in it, each in an element of its own.
fn put(words: &Words, problem: &Problem, key: &str) -> Result<String, String> {
    let set = problem.sets.first().ok_or(format!("{} has no numbers", problem.id))?;
    let html = words.prose(&format!("{}.{key}", problem.id), &[]);
    let html = set.values.iter().fold(html, |html, (name, value)| {
        // What answers a part stands out.
        let tag = if PARTS.contains(name) { "b" } else { "span" };
        html.replace(&format!("{{{name}}}"), &format!("<{tag} data-n=\"{name}\">{}</{tag}>", escaped(value)))
    });
    match html.split_once('{') {
        Some((_, rest)) => {
            Err(format!("{}: nothing is called {}", problem.id, rest.split('}').next().unwrap_or_default()))
        }
        None => Ok(html),
    }
}

/// What is asked, with what stands behind each part, such as room to write.
pub(crate) fn asked(words: &Words, problem: &Problem, behind: impl Fn(&str) -> String) -> Result<String, String> {
    Ok(format!("<p>{}</p>{}", put(words, problem, "ask")?, parts(words, problem, "ask", behind)?))
}

/// How it is answered, with what stands behind each part.
pub(crate) fn worked(words: &Words, problem: &Problem, behind: impl Fn(&str) -> String) -> Result<String, String> {
    parts(words, problem, "worked", behind)
}

/// Nothing behind a part.
pub(crate) fn nothing(_: &str) -> String {
    String::new()
}

fn parts(words: &Words, problem: &Problem, key: &str, behind: impl Fn(&str) -> String) -> Result<String, String> {
    let mut out = String::from("<ol type=\"a\">");
    for part in PARTS {
        let _ = write!(out, "<li>{}{}</li>", put(words, problem, &format!("{key}.{part}"))?, behind(part));
    }
    Ok(out + "</ol>")
}

#[cfg(test)]
mod recomputed;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wording::MISSING;

    #[test]
    fn every_problem_is_there_with_its_words() {
        let words = Words::read("problems.txt").unwrap();
        let html = content(&words).unwrap();
        let _ = apart::headed(&apart::root(), "problems", &words).unwrap();
        assert_eq!(words.left(), Vec::<&String>::new(), "words that nobody says");
        assert!(!html.contains(MISSING), "words are missing");
        for problem in problems() {
            assert_eq!(html.matches(&format!("data-problem=\"{}\"", problem.id)).count(), 2, "{}", problem.id);
        }
    }
}
