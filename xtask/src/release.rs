//! A release: everything checked, built with its version and day in the page, and packed.
//!
//! The version is that of Cargo.toml and the day that of its head in CHANGELOG.md, so a release can be built again from
//! its commit; with the same compiler, Node and `MEMORY_WALL_URL`, to the byte.

use std::fs;
use std::path::{Path, PathBuf};

use crate::gates;
use crate::lockfile;
use crate::place::Place;
use crate::setup;
use crate::sizes;
use crate::tar;

/// Packs and sums up: `node -e … archive.tar archive.tar.gz`. What it prints is what `sha256sum --check` reads.
const NODE_SCRIPT: &str = "const fs = require('fs'), path = require('path');
const [from, to] = process.argv.slice(1);
const packed = require('zlib').gzipSync(fs.readFileSync(from), { level: 9 });
// The system that it was packed on.
packed[9] = 255;
fs.writeFileSync(to, packed);
const sum = require('crypto').createHash('sha256').update(packed).digest('hex');
process.stdout.write(sum + '  ' + path.basename(to) + '\\n');";

/// Checks, builds and packs the release.
pub(crate) fn run(place: Place, asked: Option<&str>) -> Result<(), String> {
    let manifest = read(&place.root().join("Cargo.toml"))?;
    let changes = read(&place.root().join("CHANGELOG.md"))?;
    let (version, date) = named(&manifest, &changes, asked)?;
    clean(&place.job("git").args(["status", "--porcelain"]).text()?)?;
    setup::say(&format!("release {version} of {date}"));
    let place = place.released_on(&date);
    // With the release build and the browser tests, so that what is packed is what was tested.
    gates::run(&place, false).map_err(|_| "A check failed: nothing is released.".to_owned())?;
    clean(&place.job("git").args(["status", "--porcelain"]).text()?)?;

    let folder = place.target().join(format!("release-{version}"));
    let name = format!("memory-wall-{version}");
    let (plain, packed) = (folder.join(format!("{name}.tar")), folder.join(format!("{name}.tar.gz")));
    let files = files(&place.dist(), &name)?;
    let told = |error| format!("{} cannot be written: {error}.", folder.display());
    fs::create_dir_all(&folder).map_err(told)?;
    fs::write(&plain, tar::archive(&files)?).map_err(told)?;
    let sum = place.job("node").args(["-e"]).quiet_args([NODE_SCRIPT]).args([&plain, &packed]).output()?;
    fs::write(folder.join(format!("{name}.tar.gz.sha256")), &sum).map_err(told)?;
    fs::remove_file(&plain).map_err(told)?;
    // The same program that wrote the page packs it for learning platforms.
    let packages = ["run", "--quiet", "--locked", "--package", "memory-wall-site", "--", "packages"];
    place.job("cargo").args(packages).args([place.dist(), folder.join("packages")]).run()?;
    println!("{}\n{}", packed.display(), String::from_utf8_lossy(&sum).trim());
    Ok(())
}

/// The version and its day, or why there is none.
fn named(manifest: &str, changes: &str, asked: Option<&str>) -> Result<(String, String), String> {
    let version = lockfile::own_version(manifest).ok_or("Cargo.toml names no version of the workspace.")?;
    if let Some(asked) = asked.filter(|asked| *asked != version) {
        return Err(format!("Cargo.toml says {version}, not {asked}: change it there, and commit."));
    }
    let head = format!("## [{version}] - ");
    let date = changes.lines().find_map(|line| line.strip_prefix(&head));
    let date = date.ok_or_else(|| format!("CHANGELOG.md has no head `{head}…`: write what changed, and commit."))?;
    if !is_day(date) {
        return Err(format!("CHANGELOG.md dates {version} as “{date}”: write its day as 2026-01-31, and commit."));
    }
    Ok((version.to_owned(), date.to_owned()))
}

/// Whether a text is a day such as `2026-01-31`.
fn is_day(text: &str) -> bool {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let within = |part: &str, most: u32| part.len() == 2 && part.parse().is_ok_and(|part| (1..=most).contains(&part));
    digits && year.len() == 4 && within(month, 12) && within(day, 31)
}

/// Nothing but what is committed is released.
fn clean(status: &str) -> Result<(), String> {
    match status.lines().next() {
        None => Ok(()),
        Some(line) => Err(format!("There is something that is not committed, `{line}`: commit or remove it.")),
    }
}

/// Every file of a folder, by its name under another, in the order of their names.
fn files(folder: &Path, under: &str) -> Result<Vec<(String, Vec<u8>)>, String> {
    let named = |path: PathBuf| {
        let bytes = fs::read(&path).map_err(|error| format!("{} is not readable: {error}.", path.display()))?;
        Ok((format!("{under}/{}", sizes::name(folder, &path)), bytes))
    };
    sizes::files(folder)?.into_iter().map(named).collect()
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{} is not readable: {error}.", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{clean, files, is_day, named};

    const MANIFEST: &str = "[workspace.package]\nversion = \"1.2.3\"\n";
    const CHANGES: &str = "# Changelog\n\n## [1.2.3] - 2026-11-22\n\n## [1.2.2] - 2026-10-01\n";

    #[test]
    fn a_release_has_its_version_and_its_day() {
        let release = Ok(("1.2.3".to_owned(), "2026-11-22".to_owned()));
        assert_eq!(named(MANIFEST, CHANGES, None), release);
        assert_eq!(named(MANIFEST, CHANGES, Some("1.2.3")), release);
    }

    #[test]
    fn another_version_is_refused() {
        let refused = named(MANIFEST, CHANGES, Some("1.2.2")).unwrap_err();
        assert!(refused.contains("1.2.3, not 1.2.2"), "{refused}");
        assert!(named("[package]\nversion = \"1.2.3\"\n", CHANGES, None).is_err());
    }

    #[test]
    fn a_version_without_its_entry_is_refused() {
        let older = CHANGES.replace("1.2.3", "1.2.1");
        assert!(named(MANIFEST, &older, None).unwrap_err().contains("no head"));
        let open = CHANGES.replace("2026-11-22", "unreleased");
        assert!(named(MANIFEST, &open, None).unwrap_err().contains("“unreleased”"));
    }

    #[test]
    fn days_are_days() {
        assert!(is_day("2026-01-31") && is_day("2028-12-01"));
        for wrong in ["2026-13-01", "2026-00-10", "26-01-01", "2026-1-1", "2026-01-+1", "soon", ""] {
            assert!(!is_day(wrong), "{wrong}");
        }
    }

    #[test]
    fn an_unclean_tree_is_refused() {
        assert_eq!(clean(""), Ok(()));
        assert!(clean(" M src/lib.rs\n?? notes.txt").unwrap_err().contains(" M src/lib.rs"));
    }

    #[test]
    fn files_come_by_their_names() {
        let folder = std::env::temp_dir().join(format!("memory-wall-release-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("b")).unwrap();
        std::fs::write(folder.join("c"), "3").unwrap();
        std::fs::write(folder.join("b/x"), "2").unwrap();
        std::fs::write(folder.join("a"), "1").unwrap();
        let names: Vec<String> = files(&folder, "wall").unwrap().into_iter().map(|(name, _)| name).collect();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(names, ["wall/a", "wall/b/x", "wall/c"]);
        assert!(files(&folder, "wall").is_err());
    }
}
