//! The planner: a page with a program of its own, drawn as it begins.

pub(crate) mod framed;

use std::path::Path;

use memory_wall_app::words::resolved;

use crate::page::{self, put};
use crate::program::{plain, squeezed};
use crate::wording::Words;
use crate::{apart, far, figures, policy, read, script, style, words, write};

/// What Trunk calls the files of its program.
const STAGED: &str = "memory-wall-planner";
/// The same of the program that writes and reads what other programs take.
const STAGED_EXCHANGE: &str = "memory-wall-exchange";
/// How the names of its files begin: they come once the other pages are kept, see `sw.js`.
pub(crate) const FILES: &str = "planner-";

/// Takes the programs that Trunk staged, and writes the page with its styles.
pub(crate) fn build(root: &Path, staging: &Path) -> Result<(), String> {
    let far = far::taken(staging, STAGED)?.pop();
    let (wasm, mut glue) = squeezed(staging, STAGED)?;
    if far.is_some() {
        glue = far::taking(&glue);
    }
    let (exchange, exchange_glue) = squeezed(staging, STAGED_EXCHANGE)?;
    let named = |stem: &str, content: &[u8], ending: &str| {
        let (name, digest) = style::named(stem, content, ending);
        write(&staging.join(&name), content)?;
        Ok::<_, String>((name, format!("sha256-{digest}")))
    };
    // For frames that may fetch nothing.
    let [planner_plain, exchange_plain] = [
        plain(&glue, &wasm, far.as_slice(), STAGED, &["start"])?,
        plain(&exchange_glue, &exchange, &[], STAGED_EXCHANGE, &["written", "taken", "drawn", "png"])?,
    ];
    let (planner_plain, _) = named("program-planner", planner_plain.as_bytes(), "js")?;
    let (exchange_plain, _) = named("program-exchange", exchange_plain.as_bytes(), "js")?;
    let stem = FILES.trim_end_matches('-');
    let (wasm, wasm_digest) = named(stem, &wasm, "wasm")?;
    let far = far.map(|far| named("planner-far", &far, "wasm")).transpose()?;
    let (glue, glue_digest) = named("planner-glue", glue.as_bytes(), "js")?;
    let (exchange, exchange_digest) = named("planner-exchange", &exchange, "wasm")?;
    let (exchange_glue, _) = named("planner-exchange", exchange_glue.as_bytes(), "js")?;
    let (said, _) = page::spoken();
    let css = style::apart(root, "planner")?;
    let (sheet, _) = named(stem, css.as_bytes(), "css")?;
    let preloaded = [(&glue, &glue_digest), (&said.name, &said.integrity)]
        .map(|(name, digest)| format!("<link rel=\"modulepreload\" href=\"./{name}\" integrity=\"{digest}\" />"));
    let mut start = script::without_comments(include_str!("start.js"));
    for (mark, text) in [
        ("{{program}}", &wasm),
        ("{{program integrity}}", &wasm_digest),
        ("{{glue}}", &glue),
        ("{{exchange}}", &exchange),
        ("{{exchange integrity}}", &exchange_digest),
        ("{{exchange glue}}", &exchange_glue),
        ("{{words}}", &said.name),
    ] {
        put(&mut start, mark, text)?;
    }
    let (own, words) = (Words::read("planner_page.txt")?, learnt()?);
    let files = Files {
        plain: [planner_plain, exchange_plain],
        glue: [glue.clone(), exchange_glue.clone()],
        wasm: [wasm.clone(), exchange.clone()],
        wasm_digest: [wasm_digest.clone(), exchange_digest.clone()],
        far: far.clone(),
        sheet: sheet.clone(),
    };
    framed::build(root, staging, &files, &own, &words)?;
    let apart = far.as_ref().map(|(far, digest)| format!(" data-far-file=\"./{far}\" data-far-integrity=\"{digest}\""));
    let apart = apart.unwrap_or_default();
    let mut html = drawn(root)?;
    for (mark, text) in [
        // In the page the first paint waits for no other file; the file is for frames.
        ("<!-- style -->", format!("<style>{css}</style>")),
        // As a module it runs once the document has been read. What Chromium does when it is whole, among it a look for fields that it could
        // fill in, is a task after that.
        ("<script>", String::from("<script type=\"module\">")),
        ("<!-- late -->", format!("{}<script type=\"module\"{apart}>{start}</script>", preloaded.concat())),
    ] {
        put(&mut html, mark, &text)?;
    }
    let policy = policy::meta(&html);
    put(&mut html, "<!-- policy -->", &policy)?;
    write(&staging.join("plan.html"), &html)
}

/// The staged files of both programs, the planner's first, and its style sheet.
pub(crate) struct Files {
    plain: [String; 2],
    glue: [String; 2],
    wasm: [String; 2],
    wasm_digest: [String; 2],
    /// The far part of the planner's program and its digest; none in a build for development.
    far: Option<(String, String)>,
    sheet: String,
}

/// The words of the program, which it knows from then on.
fn learnt() -> Result<String, String> {
    let english = memory_wall_planner::words::ENGLISH;
    let said = resolved(english, &read(&words::language().folder.join("planner.txt"))?)
        .map_err(|fault| format!("planner.txt: {fault}"))?
        .join("\n");
    memory_wall_planner::words::learn(said.clone());
    Ok(said)
}

/// The page before its files are known.
fn drawn(root: &Path) -> Result<String, String> {
    let own = Words::read("planner_page.txt")?;
    let mut html = apart::headed(root, "planner", &own)?;
    let said = learnt()?;
    put(&mut html, "<!-- script -->", "")?;
    put(&mut html, "<!-- content -->", &content(&own, &said))?;
    apart::is_said("planner_page", &html)?;
    Ok(html)
}

/// Everything between header and footer.
fn content(own: &Words, said: &str) -> String {
    format!(
        "<a class=\"skip\" href=\"#inputs-title\">{}</a><section class=\"section section-opening\"><h1>{}</h1><p>{}</p>{}</section>{}<div id=\"planner\">{}</div>\
         <script type=\"text/plain\" id=\"planner-words\">{said}</script>",
        own.say("skip"),
        own.say("title"),
        own.prose("lead", &[]),
        page::still(&own.say("still")),
        figures::patterns(),
        memory_wall_planner::html(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apart::{quoted, root};
    use std::collections::BTreeSet;

    #[test]
    fn the_page_is_whole_before_any_script_runs() {
        let html = drawn(&root()).unwrap();
        let ids = quoted(&html, " id=\"");
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "an id is there twice");
        for trace in [" style=\"", "NaN", "Some(", "{{"] {
            assert!(!html.contains(trace), "{trace}");
        }
        for mark in [" aria-labelledby=\"", " aria-describedby=\"", " for=\"", " list=\""] {
            for target in quoted(&html, mark) {
                assert!(ids.contains(&target), "{mark}{target}");
            }
        }
        // What it begins with is said without a script.
        for text in ["Some requests wait", "It fits", "26 of 32", "Llama 3.3 70B"] {
            assert!(html.contains(text), "{text}");
        }
        assert!(!html.contains("</script><script type=\"text/plain\""), "words end where they begin");
    }
}
