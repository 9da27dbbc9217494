//! One small page a figure, to be shown within other pages: the same program, style sheet and words, and a script that
//! speaks with the page around.

mod answers;
pub(crate) mod oembed;

use std::path::Path;

use memory_wall_app::figures::minute::servers;
use memory_wall_app::heights;
use memory_wall_app::registry::{self, SECTIONS};
use memory_wall_app::sections::quiz::text;
use memory_wall_app::state::{State, query};
use memory_wall_app::words::figure_title;

use crate::directives::Arrival;
use crate::planner::framed;
use crate::program::Program;
use crate::style::Rules;
use crate::wording::escaped;
use crate::{far, figures, markup, minute, page, policy, prose, read, script, style, words, write};

/// Attributes that mean something else to a page than to a link.
const OF_PAGES: [&str; 2] = ["lang", "id"];

/// Sections that the self-check has questions about, which can be asked alone.
pub(crate) fn asked() -> Vec<&'static str> {
    let questions = text::questions().unwrap_or_default();
    let has = |id: &&str| questions.iter().any(|question| question.section() == *id);
    SECTIONS.iter().copied().filter(has).collect()
}

/// What a figure is called outside the tutorial.
pub(crate) fn title(id: &str) -> &'static str {
    figure_title(id)
}

/// A page that still waits for its style sheet, and the figure that it shows.
pub(crate) type Waiting = (&'static str, String);

/// Draws the pages; their inline styles become rules of the first page's style sheet.
pub(crate) fn build(
    root: &Path,
    staging: &Path,
    program: &Program,
    texts: &[String],
    rules: &mut Rules,
) -> Result<Vec<Waiting>, String> {
    // One file for all figures: with the words it is half of what a figure weighs.
    let frame = around(include_str!("frame.js"));
    let (name, _) = style::named("embed", &frame, "js");
    write(&staging.join(&name), &frame)?;
    let folder = staging.join("embed");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
    let host = script::without_comments(&read(&root.join("tools/site/src/embed/embed.js"))?);
    let known = query::keys().chain(query::OPTIONS).filter(|key| !OF_PAGES.contains(key));
    let keys: Vec<_> = known.map(String::from).chain(servers::keys()).collect();
    let figures: Vec<_> = registry::alone().chain([framed::NAME]).collect();
    let host = host.replace("{{keys}}", &keys.join(" ")).replace("{{figures}}", &figures.join(" "));
    write(&staging.join("embed.js"), &host)?;
    let answers = script::without_comments(&read(&root.join("tools/site/src/embed/answers.js"))?);
    let template = read(&root.join("embed.html"))?;
    let public = oembed::public()?;
    described(staging, public.as_deref())?;
    registry::alone()
        .map(|id| {
            let mut html = rules.externalise(&drawn(id, &template, texts)?);
            page::put(&mut html, "<!-- oembed -->", &oembed::link(id, title(id), public.as_deref()))?;
            let mut html = elsewhere(&html);
            let mut own = String::new();
            if id == "quiz" {
                let (page, script) = answers::apart(&html, &answers)?;
                let (name, _) = style::named("answers", &script, "js");
                write(&staging.join(&name), &script)?;
                html = page;
                // What `only=` may ask for, where the answers are, and what is said until they are there or when they cannot be had.
                let [coming, missing] = [words::alone_coming(), words::alone_missing()].map(escaped);
                own = format!(
                    " data-only=\"{}\" data-answers=\"../{name}\" data-coming=\"{coming}\" data-missing=\"{missing}\"",
                    asked().join(" ")
                );
            }
            if id == minute::FIGURE {
                let (name, nonce) = (&program.minute.name, policy::OWN);
                let script = format!("<script defer src=\"../{name}\" nonce=\"{nonce}\"></script>");
                html = html.replace("<!-- frame -->", &format!("<!-- frame -->{script}"));
            }
            Ok((id, with_frame(html, &own, &name, program)?))
        })
        .collect()
}

/// The script of a page for frames: the words of the program, and behind what all such pages share its own part.
pub(crate) fn around(own: &str) -> String {
    let [shared, own] = [include_str!("around.js"), own].map(script::without_comments);
    format!("window.memoryWallWords = {:?};\n(() => {{\n'use strict';\n{shared}{own}}})();\n", page::words())
}

/// What a figure says of itself where its frame allows no script, and where it can be used.
fn still(id: &str, content: &str) -> String {
    let said = match id {
        // Where the answers are.
        "quiz" => words::alone_answers().to_owned(),
        // What the style sheet answers.
        _ if content.contains("<input") && !["data-act", "data-levers"].iter().any(|mark| content.contains(mark)) => {
            words::alone_still_works().to_owned()
        }
        _ if follows_settings(content) => words::AloneStill { rig: &page::first_settings() }.text(),
        _ => words::alone_still_own().to_owned(),
    };
    let (place, name) = match id {
        "quiz" => ("check.html".to_owned(), words::waiting_page()),
        _ => (format!("index.html#{}", prose::anchor(id)), words::alone_still_live()),
    };
    page::still(&format!("{said} <a href=\"../{place}\" target=\"_blank\" rel=\"noopener\">{name}</a>"))
}

/// Whether anything that a drawn figure says would be another with other settings.
fn follows_settings(content: &str) -> bool {
    let other = query::decode("model=llama-3.1-70b&gpu=h100-sxm&weights=fp8&mode=training&batch=8&seq=8192").state;
    let [ours, theirs] = [&State::default(), &other].map(Arrival::of);
    let names = content.split("{{live ").skip(1).filter_map(|rest| rest.split("}}").next());
    let own = |name: &&str| !name.contains(" at ");
    names.filter(own).any(|name| ours.answer(name) != theirs.answer(name))
}

/// A small file for each figure, for sites that look a link up before they show it.
fn described(staging: &Path, public: Option<&str>) -> Result<(), String> {
    let folder = staging.join("oembed");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
    for row in heights::all()?.iter().filter(|row| row.only.is_none() && row.figure != framed::NAME) {
        write(&folder.join(format!("{}.json", row.figure)), &oembed::json(row, title(row.figure), public)?)?;
    }
    Ok(())
}

/// Puts the link to the finished style sheet and the policy into each page, and writes them.
pub(crate) fn finish(staging: &Path, pages: Vec<Waiting>, sheet: &str) -> Result<(), String> {
    for (id, mut html) in pages {
        let link = format!("<link rel=\"stylesheet\" href=\"../{sheet}\" nonce=\"{}\" />", policy::OWN);
        page::put(&mut html, "<!-- style -->", &link)?;
        let policy = policy::framed(&html);
        page::put(&mut html, "<!-- policy -->", &policy)?;
        write(&staging.join("embed").join(format!("{id}.html")), &html)?;
    }
    Ok(())
}

/// One page with its figure, without style sheet and script.
fn drawn(id: &'static str, template: &str, texts: &[String]) -> Result<String, String> {
    let mut html = template.to_owned();
    let content = prose::alone(id, texts)?;
    for (mark, text) in [
        ("{{lang}}", page::language()),
        ("{{figure}}", id.to_owned()),
        ("{{title}}", title(id).to_owned()),
        ("{{description}}", format!("{}. {}", title(id), words::page_description())),
        ("{{anchor}}", prose::anchor(id)),
        ("{{whole}}", words::alone_whole().to_owned()),
        ("{{planner}}", words::alone_planner().to_owned()),
        ("{{failed}}", words::alone_failed().to_owned()),
        ("{{waits}}", words::alone_waits().to_owned()),
        ("<!-- patterns -->", figures::patterns()),
        ("<!-- notice -->", figures::notice()),
        ("<!-- still -->", still(id, &content)),
        ("<!-- content -->", content.clone()),
    ] {
        page::put(&mut html, mark, &text)?;
    }
    page::body(&html)
}

/// The script that speaks with the page around and brings the words, and where it finds the program. Like the style sheet it
/// has no integrity: a frame without an origin could not compare it, and would stay still.
fn with_frame(mut html: String, own: &str, frame: &str, program: &Program) -> Result<String, String> {
    let Program { glue, wasm, far, plain, .. } = program;
    let far = far.as_ref().map(|far| {
        let mut needed = far.of(&html).peekable();
        if needed.peek().is_some() { far::attributes(needed) } else { " data-far".to_owned() }
    });
    let far = far.unwrap_or_default();
    let script = format!(
        "<script src=\"../{frame}\" nonce=\"{}\"{own}{far} data-version=\"1\" data-plain=\"../{plain}\" data-glue=\"../{}\" \
         data-glue-integrity=\"{}\" data-program=\"../{}\" data-program-integrity=\"{}\"></script>",
        policy::OWN,
        glue.name,
        glue.integrity,
        wasm.name,
        wasm.integrity
    );
    page::put(&mut html, "<!-- frame -->", &script)?;
    Ok(html)
}

/// Links to what only the other pages have lead there, in a window of their own.
fn elsewhere(html: &str) -> String {
    const AWAY: &str = "target=\"_blank\" rel=\"noopener\" href=\"../";
    markup::relinked(html, |link| match markup::is_here(html, link) {
        Some(true) => "href=\"",
        Some(false) => "target=\"_blank\" rel=\"noopener\" href=\"../index.html",
        None if link.starts_with("../") || link.contains(':') => "href=\"",
        None => AWAY,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_within_stay_and_others_lead_to_the_tutorial() {
        let html = "<p id=\"a\"><a href=\"#a\">a</a><a href=\"#b\">b</a><a href=\"reference.html#c\">c</a><link href=\"../d.css\"></p>";
        let away = "target=\"_blank\" rel=\"noopener\" href=\"../";
        let there =
            format!("<a {away}index.html#b\">b</a><a {away}reference.html#c\">c</a><link href=\"../d.css\"></p>");
        assert_eq!(elsewhere(html), format!("<p id=\"a\"><a href=\"#a\">a</a>{there}"));
    }

    #[test]
    fn a_figure_that_cannot_move_says_whose_numbers_it_shows() {
        let texts = page::texts().unwrap();
        let said = |id: &str| still(id, &prose::alone(id, &texts).unwrap());
        for id in ["buckets", "roofline", "kv_cache", "states", "parallel"] {
            assert!(
                said(id).contains(": Llama 2 7B, bf16, batch 1, 2,048 tokens, A100 SXM4 80GB."),
                "{id}: {}",
                said(id)
            );
        }
        for id in ["ladder", "matrix"] {
            assert!(said(id).contains(words::alone_still_works()), "{id}: {}", said(id));
        }
        for id in ["opening", "claims", "rungs", "profile"] {
            assert!(said(id).contains(words::alone_still_own()) && !said(id).contains("A100"), "{id}: {}", said(id));
        }
        assert!(said("quiz").contains("../check.html") && said("oom").contains("../index.html#figure-oom"));
    }

    #[test]
    fn every_figure_by_itself_has_a_title() {
        for id in registry::alone() {
            assert!(!title(id).is_empty() && !title(id).contains('.'), "{id}: {}", title(id));
        }
    }

    #[test]
    fn every_figure_and_every_part_of_the_self_check_has_its_heights() {
        let all = heights::all().unwrap();
        for figure in registry::alone() {
            assert!(all.iter().any(|row| row.figure == figure && row.only.is_none()), "{figure}");
        }
        for section in asked() {
            assert!(all.iter().any(|row| row.figure == "quiz" && row.only == Some(section)), "{section}");
        }
        assert_eq!(all.len(), registry::alone().count() + asked().len() + 1, "and the planner");
        let widths = |row: &heights::Heights| row.at.iter().map(|(width, _)| *width).collect::<Vec<_>>();
        assert!(all.iter().all(|row| widths(row) == [320, 400, 480, 640, 720, 800, 960]));
        assert_eq!(all.iter().find(|row| row.figure == "trips").unwrap().of(640), Some(850));
    }
}
