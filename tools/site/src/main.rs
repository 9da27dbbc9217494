//! Trunk runs this after it has built the program: the page that it staged gets its text, its figures in their default state,
//! its style sheet and its security policy.
//!
//! It speaks English, or the language of the folder that `MEMORY_WALL_CONTENT` names.

mod apart;
mod archive;
mod banks;
mod check;
mod directives;
mod embed;
mod explain;
mod far;
mod figures;
mod highlight;
mod kit;
mod lab;
mod lessons;
mod markup;
mod math;
mod minute;
mod offline;
mod optimised;
mod page;
mod planner;
mod policy;
mod problems;
mod program;
mod progress;
mod prose;
mod reading;
mod reference;
mod script;
mod share;
mod slides;
mod steps;
mod style;
mod teach;
mod template;
mod test;
mod typeset;
#[cfg(test)]
mod whole_page;
mod wording;
mod words;
mod worksheet;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use memory_wall_app::words::Language;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("memory-wall-site: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [] => prerender(),
        [what, dist, to] if what == "packages" => packages(Path::new(dist), Path::new(to)),
        _ => Err("either nothing, for Trunk, or `packages DIST FOLDER`".to_owned()),
    }
}

/// Packs every part of a built site for learning platforms.
fn packages(dist: &Path, to: &Path) -> Result<(), String> {
    words::learn()?;
    let count = kit::release(dist, &offline::files(dist)?, to)?;
    println!("{count} packages for learning platforms in {}", to.display());
    Ok(())
}

fn prerender() -> Result<(), String> {
    let staging = std::env::var_os("TRUNK_STAGING_DIR")
        .map(PathBuf::from)
        .ok_or("TRUNK_STAGING_DIR is not set: Trunk runs this program after a build, see Trunk.toml")?;
    // While serving, Trunk adds a script of its own for reloading, which a strict policy would stop.
    let strict = released();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if let Some(folder) = std::env::var_os("MEMORY_WALL_CONTENT") {
        let language = Language::read(root.join(folder))?;
        memory_wall_app::words::speak(language).map_err(|_| "words were said before it was known in which language")?;
    }
    words::learn()?;
    program::small(&staging)?;
    let program = page::build(&root, &staging, strict)?;
    reference::build(&root, &staging)?;
    teach::build(&root, &staging)?;
    lessons::build(&root, &staging)?;
    problems::build(&root, &staging)?;
    worksheet::build(&root, &staging)?;
    test::build(&root, &staging)?;
    lab::build(&root, &staging)?;
    slides::build(&root, &staging)?;
    banks::build(&staging)?;
    planner::build(&root, &staging)?;
    // Last, since it looks at every file that the others wrote.
    offline::build(&root, &staging, &program, strict)
}

/// Whether Trunk builds the page for readers, and not while somebody works on it.
fn released() -> bool {
    std::env::var("TRUNK_PROFILE").is_ok_and(|profile| profile == "release")
}

/// The text of a file, or a sentence that names it.
fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
}

/// Writes a file, or says which could not be written.
fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), String> {
    std::fs::write(path, content).map_err(|error| format!("{} cannot be written: {error}", path.display()))
}
