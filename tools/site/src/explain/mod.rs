//! The panel that reads what a run left behind: its script, the worker, and the second program, which the worker fetches.

use std::path::Path;

use crate::page::put;
use crate::program::taken;
use crate::{read, script, style, write};

/// What Trunk calls the files of the second program.
const STAGED: &str = "memory-wall-explain";
/// How the names of the worker and the program begin: they come when a reader asks for them, see `sw.js`.
pub(crate) const ASKED: &str = "explain-";

/// Takes the second program that Trunk staged, writes the three files, and returns the tag that loads the script.
pub(crate) fn tag(root: &Path, staging: &Path) -> Result<String, String> {
    let stem = ASKED.trim_end_matches('-');
    let wasm = taken(staging, STAGED, "wasm")?;
    let glue = String::from_utf8_lossy(&taken(staging, STAGED, "js")?).into_owned();
    let (program, digest) = style::named(stem, &wasm, "wasm");
    write(&staging.join(&program), &wasm)?;
    let mut worker = script::without_comments(&(glue + &source(root, "worker.js")?));
    put(&mut worker, "{{wasm}}", &program)?;
    put(&mut worker, "{{wasm integrity}}", &format!("sha256-{digest}"))?;
    let (worker_name, _) = style::named(stem, &worker, "js");
    write(&staging.join(&worker_name), &worker)?;
    let panel = script::without_comments(&source(root, "panel.js")?);
    let (name, digest) = style::named("panel", &panel, "js");
    write(&staging.join(&name), &panel)?;
    Ok(format!(
        "<script defer src=\"./{name}\" integrity=\"sha256-{digest}\" data-worker=\"./{worker_name}\"></script>"
    ))
}

fn source(root: &Path, name: &str) -> Result<String, String> {
    read(&root.join("tools/site/src/explain").join(name))
}
