//! The worker and its list: which files are kept on the reader's device, and which are not, with the reasons.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::planner::framed;
use crate::{apart, explain, script};

/// The worker's own name. It stays as it is for ever: readers' browsers ask for it again and again.
pub(super) const WORKER: &str = "sw.js";

/// What is not kept, by its name, its folder or how its name begins, and why.
const ASIDE: &[(&str, &str)] = &[
    (WORKER, "the browser keeps its worker itself"),
    (super::ONE_FILE, "a copy of what is kept, for a disk of one's own"),
    ("screenshots/", "shown before the app is installed, by what installs it"),
    ("program-", "for frames of other sites, which may fetch nothing and find nothing that is kept"),
    ("framed-", "the same, of the planner"),
    (framed::FILE, "the same"),
    ("banks/", "for learning platforms, which take a copy of their own"),
    ("kit/", "the same, packed when a teacher asks for it"),
    (explain::ASKED, "reads what a run left behind: kept once a reader has asked for it"),
    ("oembed/", "asked for by other sites, whose caches are theirs"),
];

/// What a page is made of, and a script to be saved. A file of another kind is a mistake, or wants to be thought about.
const KINDS: [&str; 10] = ["css", "html", "js", "json", "png", "py", "svg", "txt", "wasm", "webmanifest"];

/// Whether a file is kept from the first time on that a reader asks for it.
fn is_asked(file: &str) -> bool {
    let of = |page: &&str| file.strip_prefix(page).is_some_and(|rest| rest == ".html" || rest.starts_with('-'));
    file.starts_with(explain::ASKED) || apart::ASKED.iter().any(of)
}

/// Why a file is not kept, if so.
fn aside(file: &str) -> Option<&'static str> {
    let is = |name: &str| file == name || (name.ends_with(['/', '-']) && file.starts_with(name));
    ASIDE.iter().find(|(name, _)| is(name)).map(|(_, reason)| *reason)
}

/// What a file is, by how its name ends.
pub(super) fn kind(file: &str) -> &str {
    file.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Every file below a folder, sorted, with forward slashes.
pub(crate) fn files(folder: &Path) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut left = vec![String::new()];
    while let Some(under) = left.pop() {
        let path = folder.join(&under);
        let entries = fs::read_dir(&path).map_err(|error| format!("{} cannot be listed: {error}", path.display()))?;
        for entry in entries.flatten() {
            let name = format!("{under}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() { left.push(name + "/") } else { found.push(name) }
        }
    }
    found.sort();
    Ok(found)
}

/// The worker for what lies in a folder, or the one that undoes it.
pub(super) fn worker(folder: &Path, is_on: bool) -> Result<String, String> {
    if !is_on {
        return Ok(script::without_comments(include_str!("off.js")));
    }
    let (mut list, mut asked) = (String::new(), String::new());
    for name in &files(folder)? {
        let list = match aside(name) {
            _ if is_asked(name) => &mut asked,
            None => &mut list,
            Some(_) => continue,
        };
        let is_known = KINDS.contains(&kind(name));
        let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte));
        if !is_known || !is_plain {
            return Err(format!("{name} is neither kept for use without a network nor on the list of what is not"));
        }
        let path = folder.join(name);
        let content = fs::read(&path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
        // Writing into a string does not fail.
        let _ = writeln!(list, "['{name}', '{}'],", STANDARD.encode(Sha256::digest(content)));
    }
    let mut reasons = ASIDE.iter().fold(String::new(), |all, (name, reason)| all + &format!("// {name}: {reason}\n"));
    for page in apart::ASKED {
        // Writing into a string does not fail.
        let _ = write!(reasons, "// {page}.html: for a class, kept once it was opened\n// {page}-: the same\n");
    }
    let text = include_str!("sw.js");
    let (head, program) = text.split_once("{{aside}}").ok_or("sw.js says nowhere what is not kept")?;
    let program = program.replace("{{files}}", list.trim_end()).replace("{{asked}}", asked.trim_end());
    let program = script::without_comments(&program);
    // The build is called after all that it is made of, so that the same files are the same build.
    let build: String =
        STANDARD.encode(Sha256::digest(&program)).replace(['+', '/', '='], "").chars().take(16).collect();
    Ok(format!("{head}{reasons}{}", program.replace("{{build}}", &build)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str, files: &[&str]) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("memory-wall-kept-{name}-{}", std::process::id()));
        for file in files {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        folder
    }

    #[test]
    fn every_file_is_on_one_of_the_two_lists() {
        let folder = folder("all", &["index.html", "a/b.js", "screenshots/x.png", "memory-wall.html", "sw.js"]);
        let worker = worker(&folder, true);
        let off = super::worker(&folder, false).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        let worker = worker.unwrap();
        assert_eq!(worker.lines().filter(|line| line.starts_with("['")).count(), 2, "{worker}");
        let digest = STANDARD.encode(Sha256::digest("a/b.js"));
        assert!(worker.contains(&format!("['a/b.js', '{digest}'],\n['index.html', ")), "{worker}");
        assert!(worker.contains("// screenshots/: ") && !worker.contains("{{"), "{worker}");
        assert!(off.contains("unregister()") && !off.contains("fetch"), "{off}");
    }

    #[test]
    fn what_few_readers_need_is_kept_once_it_was_asked_for() {
        let folder =
            folder("asked", &["index.html", "lessons.html", "lessons-a.css", "lessonsx.html", "explain-a.wasm"]);
        let worker = worker(&folder, true);
        fs::remove_dir_all(&folder).unwrap();
        let worker = worker.unwrap();
        let (all, asked) = worker.split_once("const ASKED").unwrap();
        assert!(all.contains("['index.html'") && all.contains("['lessonsx.html'"), "{all}");
        for name in ["lessons.html", "lessons-a.css", "explain-a.wasm"] {
            assert!(asked.contains(&format!("['{name}', '")) && !all.contains(&format!("['{name}'")), "{name}");
        }
    }

    #[test]
    fn a_file_of_another_kind_stops_the_build() {
        for strange in ["page.js.map", "naïve.js", "it's.js"] {
            let folder = folder("strange", &["index.html", strange]);
            let result = worker(&folder, true);
            fs::remove_dir_all(&folder).unwrap();
            assert!(result.is_err_and(|error| error.contains(strange)), "{strange}");
        }
    }

    #[test]
    fn a_build_is_called_after_its_files() {
        let name = |files: &[&str]| {
            let folder = folder("name", files);
            let worker = worker(&folder, true).unwrap();
            fs::remove_dir_all(&folder).unwrap();
            worker.split_once("BUILD = '").unwrap().1.split('\'').next().unwrap().to_owned()
        };
        assert_eq!(name(&["a.js"]), name(&["a.js", "sw.js"]));
        assert_ne!(name(&["a.js"]), name(&["a.js", "b.js"]));
        assert_eq!(name(&["a.js"]).len(), 16);
    }
}
