//! Figures in pages that are built with other people's site builders, as the page for teachers says.

use std::fs;
use std::path::{Path, PathBuf};

use crate::browser;
use crate::place::Place;
use crate::setup;
use crate::sizes;

/// Builds a page with each host, or with those that are named, and looks at the figure in it.
pub(crate) fn check(place: &Place, chosen: &[String]) -> Result<(), String> {
    setup::all(place, false)?;
    let browser = browser::ready(place, browser::For::Tests)?;
    let own = place.root().join("tests").join("hosts");
    let home = installed(place, &own)?;
    sizes::build(place)?;
    let script = own.join("check.mjs");
    let words = [script.to_string_lossy(), home.to_string_lossy()];
    browser.node(place, &[]).args(words.iter().map(AsRef::as_ref)).args(chosen).run()
}

/// The folder with the programs: those of npm, and a Python of our own with those of `PyPI`.
fn installed(place: &Place, own: &Path) -> Result<PathBuf, String> {
    let home = place.tools().join("hosts");
    fs::create_dir_all(&home).map_err(|error| format!("{} cannot be made: {error}.", home.display()))?;
    for file in ["package.json", "package-lock.json"] {
        keep(&own.join(file), &home.join(file))?;
    }
    browser::packages(place, &home)?;
    let python = home.join("python");
    let stamp = home.join("requirements.txt");
    let requirements = own.join("requirements.txt");
    if !is_same(&requirements, &stamp) {
        println!("installing the hosts of PyPI into {} (some minutes)", python.display());
        place.job("python3").args(["-m", "venv", "--clear"]).args([&python]).run()?;
        let pip = python.join("bin").join("python");
        let pip =
            place.job(&pip.to_string_lossy()).args(["-m", "pip", "install", "--quiet", "--no-deps", "--requirement"]);
        pip.args([&requirements]).run()?;
        keep(&requirements, &stamp)?;
    }
    Ok(home)
}

/// Copies a file unless the copy is the same: how old it is says when it was installed from.
fn keep(from: &Path, to: &Path) -> Result<(), String> {
    if is_same(from, to) {
        return Ok(());
    }
    fs::copy(from, to).map(|_| ()).map_err(|error| format!("{} cannot be copied: {error}.", from.display()))
}

fn is_same(one: &Path, other: &Path) -> bool {
    matches!((fs::read(one), fs::read(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_made_once() -> Result<(), String> {
        let folder = std::env::temp_dir().join(format!("memory-wall-hosts-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let (from, to) = (folder.join("from"), folder.join("to"));
        fs::write(&from, "a").map_err(|error| error.to_string())?;
        assert!(!is_same(&from, &to));
        keep(&from, &to)?;
        assert!(is_same(&from, &to));
        let age = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
        let before = age(&to);
        keep(&from, &to)?;
        assert_eq!(age(&to), before);
        fs::remove_dir_all(&folder).map_err(|error| error.to_string())
    }
}
