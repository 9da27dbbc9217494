//! The self-check as a page of its own, to be read without a program; the tutorial takes it in when its reader comes near, so that
//! who opens it does not wait for some sixty questions.

use std::path::Path;

use crate::wording::{Words, escaped};
use crate::{apart, markup, page, policy, read, script, style, words, write};

/// The section that the self-check is.
pub(crate) const SECTION: &str = "check";
/// From here on it stands on the page of its own alone.
const CUT: &str = "<figure id=\"figure-quiz\"";
const END: &str = "</section>";

/// The section as the tutorial has it until the rest comes. Links to a place in the rest lead to the way there.
pub(crate) fn cut(section: &str) -> Result<String, String> {
    let (before, asked) = section.split_once(CUT).ok_or("the self-check has no questions")?;
    let link = format!("<a href=\"check.html\">{}</a>", words::waiting_page());
    let whole = format!("{CUT}{asked}");
    let places = places(&whole).fold(String::new(), |all, id| all + &format!("<i id=\"{id}\"></i>"));
    Ok(format!("{before}<p id=\"self-check\">{places}{} {link}</p>\n{END}\n", words::waiting_lead()))
}

/// The places that links lead to: questions, figures, and headings but those of questions. Single claims have none.
fn places(html: &str) -> impl Iterator<Item = &str> {
    markup::tags(html).into_iter().filter_map(|tag| {
        let id = markup::attribute(tag, "id")?;
        let is_place = match markup::name_of(tag) {
            "li" => markup::attribute(tag, "class") == Some("question"),
            "h2" | "h3" | "h4" => !id.starts_with("quiz-"),
            name => name == "figure",
        };
        is_place.then_some(id)
    })
}

/// The tutorial with the self-check taken in, as `check.js` does it.
pub(crate) fn whole(index: &str, check: &str) -> Result<String, String> {
    let came = check.split_once(CUT).and_then(|(_, rest)| rest.split_once(END)).map(|(came, _)| format!("{CUT}{came}"));
    let came = came.ok_or("the page of the self-check has no questions")?;
    let place =
        index.split_once("<p id=\"self-check\">").and_then(|(before, rest)| Some((before, rest.split_once("</p>")?.1)));
    let (before, behind) = place.ok_or("the tutorial has no place for the self-check")?;
    Ok([before, &came.replace("href=\"./#", "href=\"#"), behind].concat())
}

/// The page before its style sheet is known, its directives filled.
pub(crate) fn drawn(root: &Path, section: &str) -> Result<String, String> {
    let words = Words::read("check.txt")?;
    let mut html = apart::headed(root, "check", &words)?;
    page::put(&mut html, "<!-- content -->", &content(&words, section)?)?;
    for mark in ["<!-- script -->", "<!-- late -->"] {
        page::put(&mut html, mark, "")?;
    }
    page::put(&mut html, "<html ", "<html data-still ")?;
    apart::is_said("check", &html)?;
    let html = page::body(&html)?;
    // What it leads to in the other sections is in the tutorial.
    Ok(markup::relinked(
        &html,
        |link| {
            if markup::is_here(&html, link) == Some(false) { "href=\"./" } else { "href=\"" }
        },
    ))
}

/// Everything between header and footer. What the section says before its questions is said to who answers them.
fn content(words: &Words, section: &str) -> Result<String, String> {
    let (_, asked) = section.split_once(CUT).ok_or("the self-check has no questions")?;
    Ok(format!(
        "<section class=\"section section-opening\"><h1>{}</h1><p>{} <a href=\"./#{SECTION}\">{}</a></p></section>\
         <section id=\"{SECTION}\" class=\"section section-{SECTION}\"><h2>{}</h2>{CUT}{asked}",
        words.say("title"),
        words.say("lead"),
        words.say("answer"),
        words.say("questions"),
    ))
}

/// Writes the page, and returns the script that takes it into the tutorial; both say of which questions they are.
pub(crate) fn finish(root: &Path, staging: &Path, mut html: String, style: &str) -> Result<String, String> {
    let of = policy::hash(&html);
    let section = format!("<section id=\"{SECTION}\"");
    page::put(&mut html, &section, &format!("{section} data-of=\"{of}\""))?;
    page::put(&mut html, "<!-- style -->", style)?;
    page::put(&mut html, "<!-- policy -->", &policy::still())?;
    write(&staging.join("check.html"), &html)?;
    let program = script::without_comments(&read(&root.join("tools/site/src/check/check.js"))?);
    let (name, digest) = style::named("check", &program, "js");
    write(&staging.join(&name), &program)?;
    let [coming, failed, older] =
        [words::waiting_coming(), words::waiting_failed(), words::waiting_older()].map(escaped);
    Ok(format!(
        "<script src=\"./{name}\" integrity=\"sha256-{digest}\" data-page=\"check.html\" data-of=\"{of}\" data-coming=\"{coming}\" data-failed=\"{failed}\" data-older=\"{older}\"></script>"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_says_all_its_words() {
        let words = Words::read("check.txt").unwrap();
        let _ = apart::headed(&apart::root(), "check", &words).unwrap();
        let _ = content(&words, &format!("{CUT}>")).unwrap();
        assert_eq!(words.left(), Vec::<&String>::new(), "words that nobody says");
    }

    #[test]
    fn what_is_cut_off_comes_back() {
        let section = "<section id=\"check\">\n<p>a</p>\n<figure id=\"figure-quiz\"><li class=\"question\" id=\"quiz-a\"><h3 id=\"quiz-b\"></h3></li><a href=\"./#oom\">b</a></figure><p>c</p></section>";
        let index = format!("<main>{}</main>", cut(section).unwrap());
        assert!(index.contains("check.html") && !index.contains("<figure"), "{index}");
        assert!(index.contains("<i id=\"figure-quiz\"></i><i id=\"quiz-a\"></i>") && !index.contains("b\""), "{index}");
        let back = whole(&index, &format!("<main>{section}</main>")).unwrap();
        assert!(
            back.contains("<p>a</p>\n<figure id=\"figure-quiz\"><li class=\"question\" id=\"quiz-a\"><h3 id=\"quiz-b\"></h3></li><a href=\"#oom\">b</a></figure><p>c</p>\n</section>"),
            "{back}"
        );
        assert!(cut("<section></section>").is_err() && whole("", &index).is_err());
    }
}
