//! The modules of the crate stand in layers, in the order of `src/lib.rs`: none uses one of a layer below its own, and within a layer
//! none uses itself by way of others.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The layers from the top of `lib.rs` down, each with its modules: a comment at the start of a line begins one.
fn layers(lib: &str) -> Vec<Vec<&str>> {
    let mut layers = vec![Vec::new()];
    for line in lib.lines() {
        if line.starts_with("// ") {
            layers.push(Vec::new());
        }
        let module = line.trim_start_matches("pub ").strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';'));
        layers.last_mut().unwrap().extend(module);
    }
    layers.retain(|layer| !layer.is_empty());
    layers
}

/// What `pub use` hands on from the root of the crate: the module of each name.
fn handed_on(lib: &str) -> BTreeMap<&str, &str> {
    let uses = lib.split("pub use ").skip(1).map(|rest| rest.split(';').next().unwrap());
    let pairs = uses.flat_map(|path| {
        let (module, names) = path.split_once("::").unwrap();
        names.trim_matches(['{', '}']).split([',', '{', '}']).map(move |name| (name.trim(), module))
    });
    pairs.filter(|(name, _)| !name.is_empty()).collect()
}

/// The files of a module without its tests, as text without comments.
fn text(module: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = vec![root.join(format!("{module}.rs"))];
    let mut folders = vec![root.join(module)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let (inner, own): (Vec<PathBuf>, Vec<PathBuf>) =
            entries.map(|entry| entry.unwrap().path()).partition(|path| path.is_dir());
        folders.extend(inner);
        files.extend(own);
    }
    let is_test = |path: &Path| path.file_name().is_some_and(|name| name == "tests.rs");
    let read = files.iter().filter(|path| !is_test(path)).filter_map(|path| fs::read_to_string(path).ok());
    let code = read.map(|text| {
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned();
        code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
    });
    code.collect()
}

/// The names behind every `crate::`.
fn used(text: &str) -> BTreeSet<&str> {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut names = BTreeSet::new();
    for rest in text.split("crate::").skip(1) {
        // Of `crate::{a, b::c}` too.
        let group = rest.strip_prefix('{').and_then(|rest| rest.split_once("};"));
        match group {
            Some((group, _)) => {
                names.extend(group.split(',').map(|path| path.trim().split(|it| !is_name(it)).next().unwrap()));
            }
            None => names.extend(rest.split(|letter| !is_name(letter)).next()),
        }
    }
    names
}

#[test]
fn modules_use_those_of_their_layer_and_above() {
    let lib = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let (layers, handed_on) = (layers(&lib), handed_on(&lib));
    let modules: Vec<&str> = layers.concat();
    assert!(layers.len() > 5 && modules.len() > 30, "{layers:?}");
    let texts: BTreeMap<&str, String> = modules.iter().map(|module| (*module, text(module))).collect();
    let uses = |module: &str| -> BTreeSet<&str> {
        let names = used(&texts[module]).into_iter().map(|name| handed_on.get(name).copied().unwrap_or(name));
        names.filter(|name| *name != module && modules.contains(name)).collect()
    };
    assert!(uses("evaluate").contains("memory") && uses("advise").contains("evaluate"), "nothing is found any more");
    let mut above = BTreeSet::new();
    for layer in &layers {
        let mut left: BTreeSet<&str> = layer.iter().copied().collect();
        // Whatever uses nothing that is still to come may stand next.
        while !left.is_empty() {
            let next = left.iter().copied().find(|module| uses(module).is_subset(&above));
            let Some(next) = next else {
                let faults: Vec<_> = left
                    .iter()
                    .map(|module| (module, uses(module).difference(&above).copied().collect::<Vec<_>>()))
                    .collect();
                panic!("these use modules below them, or each other in a circle: {faults:?}");
            };
            left.remove(next);
            above.insert(next);
        }
    }
}
