//! Exports, handed to the parsers of the programs that they are written for.

use std::fs;
use std::path::{Path, PathBuf};

use crate::place::Place;

/// Packages, each with its version; those of `requirements.txt` bring nothing along.
const TORCH: &str = "torch==2.15.0";
/// Programs whose parsers are asked; each is installed by itself, since some machines have none of a kind.
const PROGRAMS: [&str; 5] =
    ["deepspeed==0.19.8", "torchtitan==0.3.0", "axolotl==0.19.0", "sglang==0.5.23", "vllm==0.33.0"];

/// Writes every case and hands it to its parser.
pub(crate) fn check(place: &Place) -> Result<(), String> {
    let own = place.root().join("tests").join("exports");
    let python = python(place, &own)?;
    let folder = written(place, &own)?;
    let script = own.join("check.py");
    place.job(&python.to_string_lossy()).args([&script, &folder]).run()
}

/// A Python of our own with the programs, as far as they install here.
fn python(place: &Place, own: &Path) -> Result<PathBuf, String> {
    let home = place.tools().join("exports");
    let python = home.join("bin").join("python");
    let requirements = own.join("requirements.txt");
    let wanted = format!("{TORCH}\n{}\n{}", PROGRAMS.join("\n"), read(&requirements)?);
    let stamp = home.join("installed.txt");
    if python.is_file() && fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    println!("installing the programs' parsers into {} (8 GB, some minutes)", home.display());
    place.job("python3").args(["-m", "venv", "--clear"]).args([&home]).run()?;
    let pip = |words: &[&str]| {
        let pip = place.job(&python.to_string_lossy()).args(["-m", "pip", "install", "--quiet"]);
        pip.args(words).run()
    };
    pip(&[TORCH])?;
    pip(&["--no-deps", "--requirement", &requirements.to_string_lossy()])?;
    for program in PROGRAMS {
        // What does not install is what the check then says it could not ask.
        if let Err(why) = pip(&["--no-deps", program]) {
            println!("{program} does not install here: {why}");
        }
    }
    fs::write(&stamp, wanted).map_err(|error| format!("{} cannot be written: {error}.", stamp.display()))?;
    Ok(python)
}

/// The exports of all cases, in a folder: `11-vllm.sh`.
fn written(place: &Place, own: &Path) -> Result<PathBuf, String> {
    place.job("cargo").args(["build", "--quiet", "--locked", "--package", "memory-wall-cli"]).run()?;
    let folder = place.target().join("exports");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("{} cannot be made: {error}.", folder.display()))?;
    let program = place.target().join("debug").join("memory-wall");
    let configs = place.root().join("cli").join("tests").join("configs");
    let cases = read(&own.join("cases.txt"))?;
    for (number, (target, options)) in cases.lines().filter_map(case).enumerate() {
        let job = place.job(&program.to_string_lossy()).args(["export", "--to", target]).args(options);
        let text = job.folder(&configs).output()?;
        let file = folder.join(format!("{:02}-{target}.{}", number + 1, extension(&text)));
        fs::write(&file, text).map_err(|error| format!("{} cannot be written: {error}.", file.display()))?;
    }
    Ok(folder)
}

/// A target and its options; nothing of a comment.
fn case(line: &str) -> Option<(&str, std::str::SplitWhitespace<'_>)> {
    let mut words = line.split_whitespace();
    let target = words.next().filter(|word| !word.starts_with('#'))?;
    Some((target, words))
}

/// How the name of such a file ends.
fn extension(text: &[u8]) -> &'static str {
    match text {
        [b'#', b'!', ..] => "sh",
        [b'{', ..] => "json",
        _ => "yaml",
    }
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{} cannot be read: {error}.", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_a_target_with_options() {
        assert!(case("# a comment").is_none() && case("").is_none());
        let (target, options) = case("vllm --model gpt2-xl --tp 2").unwrap_or(("", "".split_whitespace()));
        assert_eq!((target, options.collect::<Vec<_>>()), ("vllm", vec!["--model", "gpt2-xl", "--tp", "2"]));
    }

    #[test]
    fn files_are_told_by_how_they_begin() {
        assert_eq!([&b"#!/bin/sh"[..], b"{}", b"# a: b"].map(extension), ["sh", "json", "yaml"]);
    }
}
