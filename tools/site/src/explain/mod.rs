//! The panel that reads what a run left behind: its script, the worker, the programs that the worker fetches, and the pictures of memory
//! snapshots, whose script and styles come with the first of them.

use std::path::Path;

use crate::page::put;
use crate::program::taken;
use crate::wording::Words;
use crate::{read, script, style, write};

/// What Trunk calls the files of the second program, of the third, and of the one for snapshots.
const STAGED: &str = "memory-wall-explain";
const STAGED_THIRD: &str = "memory-wall-estimate";
const STAGED_VIEWS: &str = "memory-wall-views";
/// How the names of what draws snapshots begin.
const VIEWS: &str = "explain-views";
/// The parts of the script that draws them, in the order in which they are put together.
const PARTS: [&str; 6] = ["board", "timeline", "flame", "beside", "segments", "leaks"];
/// How the names of the worker and the program begin: they come when a reader asks for them, see `sw.js`.
pub(crate) const ASKED: &str = "explain-";

/// Takes the three programs that Trunk staged, writes all files, and returns the tag that loads the script.
pub(crate) fn tag(root: &Path, staging: &Path) -> Result<String, String> {
    let stem = ASKED.trim_end_matches('-');
    let named = |staged: &str, stem: &str| {
        let (glue, wasm) = taken(staging, staged)?;
        let (name, digest) = style::named(stem, &wasm, "wasm");
        write(&staging.join(&name), &wasm)?;
        Ok::<_, String>((glue, name, digest))
    };
    let (glue, program, digest) = named(STAGED, stem)?;
    let (third_glue, third, third_digest) = named(STAGED_THIRD, "explain-run")?;
    let (views_glue, views, views_digest) = named(STAGED_VIEWS, VIEWS)?;
    // One worker runs all of them, so each needs a name of its own.
    let third_glue = third_glue.replace("wasm_bindgen", "wasm_estimate");
    let views_glue = views_glue.replace("wasm_bindgen", "wasm_views");
    let mut worker = script::without_comments(&(glue + &third_glue + &views_glue + &source(root, "worker.js")?));
    put(&mut worker, "{{wasm}}", &program)?;
    put(&mut worker, "{{wasm integrity}}", &format!("sha256-{digest}"))?;
    put(&mut worker, "{{third}}", &third)?;
    put(&mut worker, "{{third integrity}}", &format!("sha256-{third_digest}"))?;
    put(&mut worker, "{{views}}", &views)?;
    put(&mut worker, "{{views integrity}}", &format!("sha256-{views_digest}"))?;
    let (drawing, drawing_digest) = drawing(root, staging)?;
    put(&mut worker, "{{drawing}}", &drawing)?;
    put(&mut worker, "{{drawing integrity}}", &format!("sha256-{drawing_digest}"))?;
    let (worker_name, _) = style::named(stem, &worker, "js");
    write(&staging.join(&worker_name), &worker)?;
    let panel = script::without_comments(&source(root, "panel.js")?);
    let (name, digest) = style::named("panel", &panel, "js");
    write(&staging.join(&name), &panel)?;
    let worker = format!(" data-worker=\"./{worker_name}\"");
    Ok(script::near("figure-profile", &name, &digest, &worker))
}

/// Writes the script that draws snapshots, with its words, and its styles; the script's name and hash.
fn drawing(root: &Path, staging: &Path) -> Result<(String, String), String> {
    let styles = source(root, "views/views.css")?;
    let (style, style_digest) = style::named(VIEWS, &styles, "css");
    write(&staging.join(&style), &styles)?;
    let mut parts = String::new();
    for part in PARTS {
        parts += &source(root, &format!("views/{part}.js"))?;
    }
    let mut script = format!("(() => {{\n'use strict';\n{}}})();\n", source(root, "views/start.js")?);
    put(&mut script, "{{parts}}", &parts)?;
    put(&mut script, "{{words}}", &Words::read("views.txt")?.json())?;
    put(&mut script, "{{style}}", &style)?;
    put(&mut script, "{{style integrity}}", &format!("sha256-{style_digest}"))?;
    let script = script::without_comments(&script);
    let (name, digest) = style::named(VIEWS, &script, "js");
    write(&staging.join(&name), &script)?;
    Ok((name, digest))
}

fn source(root: &Path, name: &str) -> Result<String, String> {
    read(&root.join("tools/site/src/explain").join(name))
}
