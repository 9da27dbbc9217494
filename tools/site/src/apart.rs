//! Pages beside the tutorial that have no program: a template, a style sheet, a script that they do without, and words of
//! their own, each in files called as the page is.

use std::path::Path;

use crate::wording::{MISSING, Words};
use crate::{page, read, script, style, write};

/// Writes the page `name` with its style sheet and its script.
pub(crate) fn write_page(
    root: &Path,
    staging: &Path,
    name: &str,
    words: &Words,
    policy: &str,
    content: &str,
) -> Result<(), String> {
    let mut html = headed(&read(&root.join(format!("{name}.html")))?, words)?;
    let css = style::apart(root, name)?;
    let script = script::without_comments(&read(&root.join(format!("tools/site/src/{name}/{name}.js")))?);
    let (sheet, digest) = style::named(name, &css, "css");
    let link = format!("<link rel=\"stylesheet\" href=\"./{sheet}\" integrity=\"sha256-{digest}\" />");
    let (program, digest) = style::named(name, &script, "js");
    let tag = format!("<script defer src=\"./{program}\" integrity=\"sha256-{digest}\"></script>");
    for (mark, text) in [
        ("<!-- policy -->", policy),
        ("<!-- style -->", &link),
        ("<!-- script -->", &tag),
        ("<!-- content -->", content),
    ] {
        page::put(&mut html, mark, text)?;
    }
    if let Some((_, key)) = html.split_once(MISSING) {
        return Err(format!("{name}.txt has no words for {}", key.split(MISSING).next().unwrap_or_default()));
    }
    write(&staging.join(sheet), &css)?;
    write(&staging.join(program), &script)?;
    write(&staging.join(format!("{name}.html")), &html)
}

/// The frame of the page in its own language: whatever it calls `{{head.…}}` is said.
pub(crate) fn headed(html: &str, words: &Words) -> Result<String, String> {
    let mut html = html.to_owned();
    page::put(&mut html, "{{lang}}", &page::language())?;
    while let Some((before, (key, behind))) =
        html.split_once("{{head.").and_then(|(before, rest)| Some((before, rest.split_once("}}")?)))
    {
        html = format!("{before}{}{behind}", words.say(&format!("head.{key}")));
    }
    Ok(html)
}
