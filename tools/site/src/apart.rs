//! Pages beside the tutorial: one template, and of each a style sheet, a script that it does without, and words of its own, in files
//! called as the page is. The planner has a program in place of the script.

use std::fmt::Write as _;
use std::path::Path;

use crate::wording::{MISSING, Words};
use crate::{page, read, script, style, write};

/// Such a page, and which one its foot leads to.
const PAGES: [(&str, &str); 9] = [
    ("reference", "teach"),
    ("teach", "reference"),
    ("check", "reference"),
    ("planner", "reference"),
    ("lessons", "teach"),
    ("problems", "teach"),
    ("worksheet", "teach"),
    ("test", "teach"),
    ("lab", "teach"),
];

/// Pages for teachers alone, which are kept for use without a network once they have been opened.
pub(crate) const ASKED: [&str; 6] = ["lessons", "problems", "worksheet", "test", "lab", "slides"];

/// The script of a page, `tools/site/src/<name>/<name>.js` by its name, which pages may share.
#[derive(Clone, Copy)]
pub(crate) enum Script {
    /// It has none.
    None,
    /// It comes when the page has been painted.
    Late(&'static str),
    /// It stands in the head, with these attributes.
    First(&'static str, &'static str),
}

/// Writes the page `name` with its style sheet and its script.
pub(crate) fn write_page(
    root: &Path,
    staging: &Path,
    name: &str,
    words: &Words,
    policy: &str,
    how: Script,
    content: &str,
) -> Result<(), String> {
    let mut html = headed(root, name, words)?;
    let css = style::apart(root, name)?;
    let (sheet, digest) = style::named(name, &css, "css");
    let link = format!("<link rel=\"stylesheet\" href=\"./{sheet}\" integrity=\"sha256-{digest}\" />");
    let tag = |stem: &str, attributes: &str| {
        let script = script::without_comments(&read(&root.join(format!("tools/site/src/{stem}/{stem}.js")))?);
        let (program, digest) = style::named(stem, &script, "js");
        write(&staging.join(&program), &script)?;
        Ok::<_, String>(format!("<script {attributes}src=\"./{program}\" integrity=\"sha256-{digest}\"></script>"))
    };
    let [first, late] = match how {
        Script::None => [String::new(), String::new()],
        Script::Late(stem) => [String::new(), tag(stem, "")?],
        Script::First(stem, how) => [tag(stem, &format!("{how} "))?, String::new()],
    };
    for (mark, text) in [
        ("<!-- policy -->", policy),
        ("<!-- style -->", &link),
        ("<!-- script -->", &first),
        ("<!-- late -->", &late),
        ("<!-- content -->", content),
    ] {
        page::put(&mut html, mark, text)?;
    }
    is_said(name, &html)?;
    write(&staging.join(sheet), &css)?;
    write(&staging.join(format!("{name}.html")), &html)
}

/// An error if words of a page are missing.
pub(crate) fn is_said(name: &str, html: &str) -> Result<(), String> {
    let missing = html.split_once(MISSING).and_then(|(_, key)| key.split(MISSING).next());
    missing.map_or(Ok(()), |key| Err(format!("{name}.txt has no words for {key}")))
}

/// The frame of the page in its own language: whatever the template calls `{{head.…}}` is said.
pub(crate) fn headed(root: &Path, name: &str, words: &Words) -> Result<String, String> {
    let mut html = read(&root.join("apart.html"))?;
    let other = PAGES.iter().find(|(page, _)| *page == name).map_or("", |(_, other)| other);
    page::put(&mut html, "{{lang}}", &page::language())?;
    page::put(&mut html, "{{other}}", other)?;
    page::put(&mut html, "<!-- later -->", &page::later())?;
    Ok(words.put(html, "head."))
}

/// The title of the page, and its parts to choose from; and then the parts, each by its anchor.
pub(crate) fn content(
    words: &Words,
    parts: &[&str],
    body: impl Fn(&str) -> Result<String, String>,
) -> Result<String, String> {
    let items = parts.iter().fold(String::new(), |all, id| {
        all + &format!("<li><a href=\"#{id}\">{}</a></li>", words.say(&format!("part.{id}")))
    });
    let name = words.say("contents");
    let mut out = format!(
        "<section class=\"section section-opening\"><h1>{}</h1><p>{}</p><nav class=\"contents\" aria-label=\"{name}\"><p class=\"contents-title\">{name}</p><ol>{items}</ol></nav></section>",
        words.say("title"),
        words.say("lead"),
    );
    for id in parts {
        let (title, lead) = (words.say(&format!("part.{id}")), words.paragraphs(&format!("lead.{id}"), &[]));
        // Writing into a string does not fail.
        let _ = write!(
            out,
            "<section id=\"{id}\" class=\"section section-{id}\"><h2><a class=\"permalink\" href=\"#{id}\">{title}</a></h2>{lead}<div class=\"wide\">{}</div></section>",
            body(id)?
        );
    }
    Ok(out)
}

/// What stands between a mark and the next quotation mark, wherever the mark is.
#[cfg(test)]
pub(crate) fn quoted<'a>(html: &'a str, mark: &str) -> Vec<&'a str> {
    html.split(mark).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// The folder of the project.
#[cfg(test)]
pub(crate) fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
