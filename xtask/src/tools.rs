//! Trunk and the two helpers it calls; on request the driver of Firefox.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::lockfile;
use crate::place::Place;
use crate::setup::say;
use crate::wanted;

/// Makes sure that trunk and its helpers are there, or that Trunk can fetch the helpers itself.
pub(crate) fn ready(place: &Place) -> Result<(), String> {
    trunk(place)?;
    wasm_bindgen(place)?;
    wasm_opt(place)
}

fn trunk(place: &Place) -> Result<(), String> {
    let version = wanted::TRUNK;
    if is_ready(place, "trunk", version) {
        return Ok(());
    }
    if place.program("cargo-binstall").is_some() && place.github() {
        say(&format!("fetching trunk {version} (some seconds)"));
        let fetched = place
            .job("cargo")
            .args(["binstall", "--no-confirm", "--force", "--root"])
            .args([place.tools()])
            .args([format!("trunk@{version}")])
            .run();
        match fetched {
            Ok(()) if is_ready(place, "trunk", version) => return Ok(()),
            Ok(()) => say("the fetched trunk does not run here"),
            Err(sentence) => say(&sentence),
        }
    }
    say(&format!("compiling trunk {version}, once (about 5 minutes on two cores)"));
    cargo_install(place, "trunk", version, true).map_err(|sentence| {
        format!("{sentence} Install it yourself with `cargo install trunk --version {version} --locked` and try again.")
    })
}

/// The command line tool must be exactly as new as the library: they exchange a format that changes with every release.
fn wasm_bindgen(place: &Place) -> Result<(), String> {
    let path = place.root().join("Cargo.lock");
    let lock = fs::read_to_string(&path).map_err(|error| format!("{} is not readable: {error}.", path.display()))?;
    let Some(version) = lockfile::version_of(&lock, "wasm-bindgen") else {
        return Err("Cargo.lock names no wasm-bindgen: run `cargo update` and try again.".to_owned());
    };
    let cached = Path::new("wasm-bindgen");
    if is_ready(place, "wasm-bindgen", version) || is_cached("wasm-bindgen", version, cached) || place.github() {
        return Ok(());
    }
    say(&format!("GitHub does not answer: compiling wasm-bindgen-cli {version}, once (about 2 minutes on two cores)"));
    cargo_install(place, "wasm-bindgen-cli", version, true)
        .or_else(|sentence| {
            // The tool's own lock can name a version that the registry does not hold yet.
            say(&format!("{sentence} Once more without --locked"));
            cargo_install(place, "wasm-bindgen-cli", version, false)
        })
        .map_err(|sentence| {
            format!(
                "{sentence} Install it yourself with `cargo install wasm-bindgen-cli --version {version}` and try again."
            )
        })
}

fn wasm_opt(place: &Place) -> Result<(), String> {
    let (version, package) = (wanted::WASM_OPT, format!("binaryen@{}", wanted::BINARYEN));
    let cached = Path::new("bin").join("wasm-opt");
    if has_binaryen(place)
        || is_ready(place, "wasm-opt", version)
        || is_cached("wasm-opt", &format!("version_{version}"), &cached)
        || place.github()
    {
        return Ok(());
    }
    let advice = format!("Install Node.js with npm, or Binaryen {version} (its `wasm-opt`), and try again.");
    if place.program("npm").is_none() {
        return Err(format!("There is no wasm-opt {version}, GitHub does not answer and there is no npm. {advice}"));
    }
    say(&format!("GitHub does not answer: fetching wasm-opt {version} from npm (some seconds)"));
    let folder = place.tools().join("npm");
    fs::create_dir_all(&folder).map_err(|error| format!("{} cannot be made: {error}.", folder.display()))?;
    place
        .job("npm")
        .args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"])
        .args([&folder])
        .args([&package])
        .run()
        .map_err(|sentence| format!("{sentence} {advice}"))
}

/// The driver of Firefox; one that is there is taken as it is.
pub(crate) fn geckodriver(place: &Place) -> Result<(), String> {
    if place.program("geckodriver").is_some() {
        return Ok(());
    }
    let version = wanted::GECKODRIVER;
    say(&format!("compiling geckodriver {version}, once (about 4 minutes on two cores)"));
    cargo_install(place, "geckodriver", version, true)
}

/// Asks npm's own file, because starting this `wasm-opt` (a script for Node) only for its version takes a quarter of a
/// second.
fn has_binaryen(place: &Place) -> bool {
    let modules = place.tools().join("npm").join("node_modules");
    place.program("node").is_some()
        && fs::read_to_string(modules.join("binaryen").join("package.json"))
            .is_ok_and(|text| text.contains(&format!("\"version\": \"{}\"", wanted::BINARYEN)))
        && modules.join(".bin").join(executable("wasm-opt", "cmd")).exists()
}

/// Whether the program that a child would find has this version. A stale one of our own is removed, since it would hide others.
fn is_ready(place: &Place, name: &str, version: &str) -> bool {
    let says = || place.job(name).args(["--version"]).text().is_ok_and(|text| lockfile::says_version(&text, version));
    let Some(program) = place.program(name) else {
        return false;
    };
    if says() {
        return true;
    }
    program.starts_with(place.tools()) && fs::remove_file(&program).is_ok() && says()
}

/// Whether Trunk has already fetched this tool itself.
fn is_cached(name: &str, version: &str, file: &Path) -> bool {
    let file = file
        .with_file_name(file.file_name().map_or_else(String::new, |name| executable(&name.to_string_lossy(), "exe")));
    trunk_cache().is_some_and(|cache| cache.join(format!("{name}-{version}")).join(file).is_file())
}

fn trunk_cache() -> Option<PathBuf> {
    let home = env::var_os("HOME").map(PathBuf::from);
    if cfg!(target_os = "macos") {
        home.map(|home| home.join("Library").join("Caches").join("dev.trunkrs.trunk"))
    } else if cfg!(windows) {
        env::var_os("LOCALAPPDATA").map(|data| PathBuf::from(data).join("trunkrs").join("trunk").join("cache"))
    } else {
        env::var_os("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .filter(|folder| folder.is_absolute())
            .or_else(|| home.map(|home| home.join(".cache")))
            .map(|cache| cache.join("trunk"))
    }
}

fn executable(name: &str, suffix: &str) -> String {
    if cfg!(windows) { format!("{name}.{suffix}") } else { name.to_owned() }
}

/// Compiles a tool into `.tools`, in a folder of its own so that the project's build stays as it is.
fn cargo_install(place: &Place, package: &str, version: &str, locked: bool) -> Result<(), String> {
    let scratch = place.target().join("tools");
    let installed = place
        .job("cargo")
        .args(["install", package, "--version", version, "--force", "--root"])
        .args([place.tools()])
        .args(locked.then_some("--locked"))
        .env("CARGO_TARGET_DIR", &scratch)
        .run();
    // Hundreds of megabytes that nothing needs again.
    let _ = fs::remove_dir_all(&scratch);
    installed
}

#[cfg(test)]
mod tests {
    use super::{is_cached, trunk_cache};
    use std::path::Path;

    #[test]
    fn a_tool_that_was_never_fetched_is_not_cached() {
        assert!(!is_cached("wasm-bindgen", "0.0.0-never", Path::new("wasm-bindgen")));
    }

    #[test]
    fn trunk_keeps_its_tools_in_a_folder_of_its_name() {
        if let Some(cache) = trunk_cache() {
            assert!(cache.to_string_lossy().contains("trunk"));
        }
    }
}
