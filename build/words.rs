//! Words on screen as Rust, so that a word that is missing does not compile, and one that nobody uses is a warning: from
//! `wall.line = {capacity} usable` a type `WallLine { capacity }` with `text`, from `rig.label = What is being computed` a function
//! `rig_label`, from the lines `bucket/weights`, `bucket/kv_cache`… of a list a constant `BUCKET`.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use file::Line;

#[path = "../src/words/file.rs"]
mod file;

/// Writes `page.rs` from `content/en/page.txt`, and so on. No key may be in two of the files.
pub(crate) fn write(root: &str, files: &[&str]) -> Result<(), Box<dyn Error>> {
    let out = env::var("OUT_DIR")?;
    let mut keys = BTreeSet::new();
    for name in files {
        let path = format!("{root}content/en/{name}.txt");
        println!("cargo::rerun-if-changed={path}");
        let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let lines = file::lines(&text).map_err(|fault| format!("{path}: {fault}"))?;
        for line in &lines {
            if !keys.insert(line.key.to_owned()) {
                return Err(format!("{path}: {} is there already", line.key).into());
            }
        }
        let rust = written(&lines).map_err(|fault| format!("{path}: {fault}"))?;
        fs::write(Path::new(&out).join(format!("{name}.rs")), rust)?;
    }
    Ok(())
}

/// The lines of a file as Rust. What it uses, `say`, `fill` and `List`, stands where it is included.
fn written(lines: &[Line<'_>]) -> Result<String, String> {
    let mut rust = String::new();
    let (mut lists, mut before) = (Vec::new(), None);
    for (place, line) in lines.iter().enumerate() {
        // Writing into a string does not fail.
        if let Some((list, _)) = line.key.split_once('/') {
            if before == Some(list) {
                continue;
            }
            before = Some(list);
            if lists.contains(&list) {
                return Err(format!("the lines of {list} do not stand together"));
            }
            lists.push(list);
            let choices = lines.iter().filter_map(|line| line.key.split_once('/')).filter(|(of, _)| *of == list);
            let choices: Vec<&str> = choices.map(|(_, choice)| choice).collect();
            let _ = writeln!(
                rust,
                "/// `{list}/…`\npub(crate) const {}: List = List {{ first: {place}, choices: &{choices:?}, say }};",
                snake(list).to_uppercase()
            );
            continue;
        }
        before = None;
        let _ = writeln!(rust, "/// `{}`", line.text);
        let names = line.placeholders();
        if names.is_empty() {
            let _ = writeln!(rust, "pub(crate) fn {}() -> &'static str {{ say({place}) }}", snake(line.key));
            continue;
        }
        let name = camel(line.key);
        let fields = names.iter().fold(String::new(), |all, name| all + &format!("pub(crate) {name}: &'a str, "));
        let values = names.iter().fold(String::new(), |all, name| all + &format!("self.{name}, "));
        let _ = writeln!(
            rust,
            "pub(crate) struct {name}<'a> {{ {fields}}}\nimpl {name}<'_> {{\n    /// The text with its values.\n    \
             #[allow(dead_code, reason = \"that nobody uses the type is said once\")]\n    \
             pub(crate) fn text(&self) -> String {{ fill({place}, &[{values}]) }}\n}}"
        );
    }
    Ok(rust)
}

/// `wall.line` as the name of a function.
fn snake(key: &str) -> String {
    key.replace(['.', '-'], "_")
}

/// `wall.line` as the name of a type.
fn camel(key: &str) -> String {
    let capital = |part: &str| {
        let (first, rest) = part.split_at(part.len().min(1));
        first.to_uppercase() + rest
    };
    key.split(['.', '-', '_']).map(capital).collect()
}
