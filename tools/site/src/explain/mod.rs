//! The panel that reads what a run left behind: its script, the worker, and the second and third program, which the worker fetches.

use std::path::Path;

use crate::page::put;
use crate::program::taken;
use crate::{read, script, style, write};

/// What Trunk calls the files of the second program, and of the third.
const STAGED: &str = "memory-wall-explain";
const STAGED_THIRD: &str = "memory-wall-estimate";
/// How the names of the worker and the program begin: they come when a reader asks for them, see `sw.js`.
pub(crate) const ASKED: &str = "explain-";

/// Takes the two programs that Trunk staged, writes the four files, and returns the tag that loads the script.
pub(crate) fn tag(root: &Path, staging: &Path) -> Result<String, String> {
    let stem = ASKED.trim_end_matches('-');
    let named = |staged: &str, stem: &str| {
        let wasm = taken(staging, staged, "wasm")?;
        let glue = String::from_utf8_lossy(&taken(staging, staged, "js")?).into_owned();
        let (name, digest) = style::named(stem, &wasm, "wasm");
        write(&staging.join(&name), &wasm)?;
        Ok::<_, String>((glue, name, digest))
    };
    let (glue, program, digest) = named(STAGED, stem)?;
    let (third_glue, third, third_digest) = named(STAGED_THIRD, "explain-run")?;
    // One worker runs both, so each needs a name of its own.
    let third_glue = third_glue.replace("wasm_bindgen", "wasm_estimate");
    let mut worker = script::without_comments(&(glue + &third_glue + &source(root, "worker.js")?));
    put(&mut worker, "{{wasm}}", &program)?;
    put(&mut worker, "{{wasm integrity}}", &format!("sha256-{digest}"))?;
    put(&mut worker, "{{third}}", &third)?;
    put(&mut worker, "{{third integrity}}", &format!("sha256-{third_digest}"))?;
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
