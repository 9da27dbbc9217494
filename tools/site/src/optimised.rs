//! `wasm-opt` once more, after Trunk ran it: without what a program says when it panics there is more that nobody needs.

use std::path::Path;
use std::process::Command;

use crate::write;

/// What Trunk is told about every program.
const PAGE: &str = include_str!("../../../index.html");

/// The program of this file without what it says when it panics, optimised as Trunk does it; `debugs` where it writes values as for
/// debugging besides.
pub(crate) fn quiet(path: &Path, debugs: bool) -> Result<Vec<u8>, String> {
    let read = || std::fs::read(path).map_err(|error| format!("{} cannot be read: {error}", path.display()));
    let quiet = path.with_extension("quiet");
    write(&quiet, memory_wall_squeeze::without_panics(&read()?, debugs)?)?;
    // xtask names the one that Trunk takes.
    let program = std::env::var_os("MEMORY_WALL_WASM_OPT").unwrap_or_else(|| "wasm-opt".into());
    let status = Command::new(&program).arg(&quiet).arg("-Oz").args(parameters()?).arg("-o").arg(path).status();
    let told = || format!("`{} …` on a program without panics", program.display());
    let status = status.map_err(|error| format!("{} did not start: {error}; `cargo xtask build` finds it", told()))?;
    if !status.success() {
        return Err(format!("{} failed: {status}", told()));
    }
    std::fs::remove_file(&quiet).map_err(|error| format!("{} cannot be removed: {error}", quiet.display()))?;
    read()
}

/// What Trunk gives `wasm-opt` besides the level.
fn parameters() -> Result<impl Iterator<Item = &'static str>, String> {
    let written = settings("data-wasm-opt-params").next().ok_or("index.html has no parameters of wasm-opt")?;
    Ok(written.split(' '))
}

/// What the page says by attributes of this name, one after the other.
fn settings(name: &'static str) -> impl Iterator<Item = &'static str> {
    let attributes = PAGE.split(name).skip(1);
    attributes.filter_map(|after| after.strip_prefix("=\"")?.split('"').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_optimised_in_the_same_way() {
        let programs = PAGE.matches("rel=\"rust\"").count();
        let [parameters, levels] =
            ["data-wasm-opt-params", "data-wasm-opt"].map(|name| settings(name).collect::<Vec<_>>());
        assert!(programs > 6 && parameters.len() == programs && levels == vec!["z"; programs], "{levels:?}");
        assert!(parameters.iter().all(|own| Some(own) == parameters.first()));
        // Functions that panic are found by their names.
        assert!(parameters.iter().all(|own| own.split(' ').any(|parameter| parameter == "-g")));
    }

    /// The engine's words that are written as for debugging, none of which the tutorial says: of layouts and of config files.
    const ELSEWHERE: [&str; 2] = ["core/src/layout/mod.rs", "core/src/config/error.rs"];

    /// In the tutorial's program they would come out empty.
    #[test]
    fn the_tutorial_writes_no_value_as_for_debugging() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut folders = vec![root.join("src"), root.join("core/src")];
        let mut read = 0;
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() && !path.ends_with("src/sections") && !path.ends_with("tests") {
                    folders.push(path);
                } else if path.is_file()
                    && !path.ends_with("tests.rs")
                    && !ELSEWHERE.iter().any(|file| path.ends_with(file))
                {
                    let text = std::fs::read_to_string(&path).unwrap();
                    let shipped = text.split("#[cfg(test)]").next().unwrap();
                    assert!(!shipped.contains(":?}") && !shipped.contains(":#?}"), "{}", path.display());
                    read += 1;
                }
            }
        }
        assert!(read > 300, "{read}");
    }
}
