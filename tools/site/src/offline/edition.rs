//! The page in one file: icon, glue and program inside it, as its style sheet is everywhere, so that it opens from a disk or a stick.
//!
//! A browser loads no module and no program beside a page that comes from a disk; what stands in the page it runs.

use std::path::Path;

use super::{FOOT, HEAD, data_uri};
use crate::program::Program;
use crate::{markup, page, policy, read, script, words};

/// The one file, made from the page as it is built, its two marks still in it.
pub(super) fn build(staging: &Path, program: &Program, index: &str) -> Result<String, String> {
    let mut html = index.replace(HEAD, "");
    let one = format!("<p class=\"carry\">{}</p>", words::offline_one());
    page::put(&mut html, FOOT, &one)?;
    // The policy of the page allows files beside it.
    html = markup::without(&html, "<meta http-equiv=\"Content-Security-Policy\"", " />", |_| true);
    // A link to a file on somebody's disk is none to hand on.
    html = markup::without(&html, "<figure id=\"figure-share\"", "</figure>", |_| true);
    let icon = read(&staging.join("icon.svg"))?;
    page::put(&mut html, "href=\"icon.svg\"", &format!("href=\"{}\"", data_uri(&icon)))?;
    html = dressed(staging, &html)?;
    html = without_other_pages(&html);
    html = started(staging, program, &html)?;
    let policy = policy::alone(&html, " 'wasm-unsafe-eval'", "");
    page::put(&mut html, "<meta charset=\"utf-8\" />", &format!("<meta charset=\"utf-8\" />{policy}"))?;
    match markup::tags(&html).into_iter().find(|tag| reaches_out(tag)) {
        Some(tag) => Err(format!("{} still needs a file beside it: <{tag}>", super::ONE_FILE)),
        None => Ok(html),
    }
}

/// Whether a tag refers to a file of this site.
fn reaches_out(tag: &str) -> bool {
    let beside = |link: &str| !["#", "https://", "data:"].iter().any(|start| link.starts_with(start));
    ["href", "src"].iter().filter_map(|name| markup::attribute(tag, name)).any(beside)
}

/// Links to pages that do not come along go, with the full stop that would be left of them. A word that only says where
/// more about it stands, such as a term of the glossary, stays as a word.
fn without_other_pages(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, after)) = rest.split_once("<a ") {
        let (link, behind) = after.split_once("</a>").unwrap_or((after, ""));
        let (attributes, text) = link.split_once('>').unwrap_or((link, ""));
        let tag = format!("a {attributes}");
        out.push_str(before);
        if !reaches_out(&tag) {
            out.extend(["<a ", link, "</a>"]);
        } else if markup::attribute(&tag, "href").is_some_and(|link| link.contains('#')) {
            out.push_str(text);
        }
        rest = behind;
    }
    (out + rest).replace(". . . ", ". ").replace(". . ", ". ")
}

/// All styles inside the page, also those that would come as a file.
fn dressed(staging: &Path, html: &str) -> Result<String, String> {
    let (before, link, after) = cut(html, "</style><noscript>", "</noscript>")?;
    let file = markup::attribute(link, "href").ok_or("the page names no styles to come")?;
    Ok(format!("{before}{}</style>{after}", read(&staging.join(file))?))
}

/// The words and the program inside the page, the program as one plain script, in place of what brings them.
fn started(staging: &Path, program: &Program, html: &str) -> Result<String, String> {
    let (before, _, after) = cut(html, "<template id=\"later\">", "</template>")?;
    let (between, _, after) = cut(after, "<script>", "</script>")?;
    let minute = read(&staging.join(&program.minute.name))?;
    let program = read(&staging.join(&program.plain))?;
    let start = script::without_comments(include_str!("one_file.js"));
    let words = page::words();
    // A block of data is not run; and a module waits until the page is there.
    Ok(format!(
        "{before}{between}<script type=\"text/plain\" id=\"words\">{words}</script><script type=\"module\">{program}{start}</script><script type=\"module\">{minute}</script>{after}"
    ))
}

/// What stands before, between and after two marks.
fn cut<'a>(text: &'a str, open: &str, close: &str) -> Result<(&'a str, &'a str, &'a str), String> {
    let found = text.split_once(open).and_then(|(before, rest)| {
        let (between, after) = rest.split_once(close)?;
        Some((before, between, after))
    });
    found.ok_or_else(|| format!("the built page has no {open}"))
}

#[cfg(test)]
mod tests {
    use super::without_other_pages;

    #[test]
    fn links_to_other_pages_go_and_their_terms_stay() {
        let html = "<p>New words: <a href=\"reference.html#ridge\">ridge</a>, <a class=\"x\" href=\"reference.html#roof\">roof</a>.</p>\
             <p>Title. <a href=\"reference.html\">Reference</a>. <a href=\"teach.html\">Teach</a>. <a href=\"#here\">Here</a></p>";
        assert_eq!(without_other_pages(html), "<p>New words: ridge, roof.</p><p>Title. <a href=\"#here\">Here</a></p>");
    }
}
