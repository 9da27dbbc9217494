//! The reference: cards, models, formulas, errors and words on a page of its own, beside the tutorial.
//!
//! It is drawn at build time from the same tables and functions, has no program, and is complete without its script.

mod cards;
mod errors;
mod examples;
mod examples_speed;
mod listed;
mod models;
mod sheet;
mod table;
mod words;

use std::path::Path;

use self::words::{MISSING, Words};
use crate::policy;
use crate::{read, style, write};

/// The page's parts, by their anchors, in their order.
const PARTS: [&str; 4] = ["hardware", "models", "formulas", "accuracy"];

/// Writes the page, its style sheet and its script.
pub(crate) fn build(root: &Path, staging: &Path) -> Result<(), String> {
    let words = Words::read(root)?;
    let mut html = read(&root.join("reference.html"))?;
    let css = style::reference(root)?;
    let script = read(&root.join("tools/site/src/reference/reference.js"))?;
    let script = crate::script::without_comments(&script);
    let (sheet, digest) = style::named("reference", &css, "css");
    let link = format!("<link rel=\"stylesheet\" href=\"./{sheet}\" integrity=\"sha256-{digest}\" />");
    let (program, digest) = style::named("reference", &script, "js");
    let tag = format!("<script defer src=\"./{program}\" integrity=\"sha256-{digest}\"></script>");
    for (mark, text) in [
        ("<!-- policy -->", policy::STILL.to_owned()),
        ("<!-- style -->", link),
        ("<!-- script -->", tag),
        ("<!-- content -->", content(root, &words)?),
    ] {
        crate::page::put(&mut html, mark, &text)?;
    }
    if let Some((_, key)) = html.split_once(MISSING) {
        return Err(format!("reference.txt has no words for {}", key.split(MISSING).next().unwrap_or_default()));
    }
    write(&staging.join(sheet), &css)?;
    write(&staging.join(program), &script)?;
    write(&staging.join("reference.html"), &html)
}

/// Everything between header and footer.
fn content(root: &Path, words: &Words) -> Result<String, String> {
    let text = |name: &str| read(&root.join("content/en").join(name));
    let items: String =
        PARTS.iter().map(|id| format!("<li><a href=\"#{id}\">{}</a></li>", words.say(&format!("part.{id}")))).collect();
    let name = words.say("contents");
    let mut out = format!(
        "<section class=\"section section-opening\"><h1>{}</h1><p>{}</p><nav class=\"contents\" aria-label=\"{name}\"><p class=\"contents-title\">{name}</p><ol>{items}</ol></nav></section>",
        words.say("title"),
        words.say("lead"),
    );
    for id in PARTS {
        let body = match id {
            "hardware" => cards::html(words),
            "models" => models::html(words),
            "formulas" => sheet::html(&text("formulas.md")?, words)?,
            _ => errors::html(words),
        };
        let lead = (1..).map(|place| format!("lead.{id}.{place}")).take_while(|key| words.has(key));
        let lead: String = lead.map(|key| format!("<p>{}</p>", words.say(&key))).collect();
        let title = words.say(&format!("part.{id}"));
        out += &format!(
            "<section id=\"{id}\" class=\"section section-{id}\"><h2><a class=\"permalink\" href=\"#{id}\">{title}</a></h2>{lead}<div class=\"wide\">{body}</div></section>\n"
        );
    }
    Ok(out)
}
