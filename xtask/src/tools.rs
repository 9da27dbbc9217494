//! Trunk and the two helpers it calls; on request the driver of Firefox.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::lockfile;
use crate::place::Place;
use crate::released;
use crate::setup::say;
use crate::versions;

/// Makes sure that trunk and its helpers are there, or that Trunk can fetch the helpers itself.
pub(crate) fn ready(place: &Place) -> Result<(), String> {
    trunk(place)?;
    wasm_bindgen(place)?;
    wasm_opt(place)
}

fn trunk(place: &Place) -> Result<(), String> {
    let version = versions::TRUNK;
    if is_ready(place, "trunk", version) {
        return Ok(());
    }
    if let Some(archive) = released::for_this_machine(&released::TRUNK).filter(|_| place.github()) {
        say(&format!("fetching trunk {version} (some seconds)"));
        match archive.fetch(place, "trunk") {
            Ok(()) if is_ready(place, "trunk", version) => return Ok(()),
            Ok(()) => say("the fetched trunk does not run here"),
            Err(sentence) => say(&sentence),
        }
    }
    say(&format!("compiling trunk {version}, once (about 2 minutes on two cores)"));
    cargo_install(place, "trunk", version, &UNOPTIMISED, &["--locked", "--no-default-features"]).map_err(|sentence| {
        format!("{sentence} Install it yourself with `cargo install trunk --version {version} --locked` and try again.")
    })
}

/// Whether Trunk can fetch its helpers: one that was compiled here has no code for encrypted connections.
fn trunk_fetches(place: &Place) -> bool {
    let list = fs::read_to_string(place.tools().join(".crates.toml")).unwrap_or_default();
    place.github() && !is_compiled_here(&list, "trunk", versions::TRUNK)
}

/// Whether the list that cargo keeps of what it has installed names this.
fn is_compiled_here(list: &str, package: &str, version: &str) -> bool {
    list.contains(&format!("\"{package} {version} ("))
}

/// The command line tool must be exactly as new as the library: they exchange a format that changes with every release.
fn wasm_bindgen(place: &Place) -> Result<(), String> {
    let path = place.root().join("Cargo.lock");
    let lock = fs::read_to_string(&path).map_err(|error| format!("{} is not readable: {error}.", path.display()))?;
    let Some(version) = lockfile::version_of(&lock, "wasm-bindgen") else {
        return Err("Cargo.lock names no wasm-bindgen: run `cargo update` and try again.".to_owned());
    };
    let cached = Path::new("wasm-bindgen");
    if is_ready(place, "wasm-bindgen", version) || is_cached("wasm-bindgen", version, cached) || trunk_fetches(place) {
        return Ok(());
    }
    say(&format!("compiling wasm-bindgen-cli {version}, once (about a minute on two cores)"));
    let only = ["--no-default-features", "--bin", "wasm-bindgen"];
    cargo_install(place, "wasm-bindgen-cli", version, &SLIGHTLY_OPTIMISED, &[&["--locked"], only.as_slice()].concat())
        .or_else(|sentence| {
            // The tool's own lock can name a version that the registry does not hold yet.
            say(&format!("{sentence} Once more without --locked"));
            cargo_install(place, "wasm-bindgen-cli", version, &SLIGHTLY_OPTIMISED, &only)
        })
        .map_err(|sentence| {
            format!(
                "{sentence} Install it yourself with `cargo install wasm-bindgen-cli --version {version}` and try again."
            )
        })
}

fn wasm_opt(place: &Place) -> Result<(), String> {
    let (version, package) = (versions::WASM_OPT, format!("binaryen@{}", versions::BINARYEN));
    if has_wasm_opt(place) || fetched_wasm_opt().is_some_and(|file| file.is_file()) || trunk_fetches(place) {
        return Ok(());
    }
    let advice = format!("Install Node.js with npm, or Binaryen {version} (its `wasm-opt`), and try again.");
    if place.program("npm").is_none() {
        return Err(format!("There is no wasm-opt {version}, Trunk cannot fetch it and there is no npm. {advice}"));
    }
    say(&format!("fetching wasm-opt {version} from npm (some seconds)"));
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

/// Whether the program that Trunk would find is the one that Trunk.toml names.
fn has_wasm_opt(place: &Place) -> bool {
    has_binaryen(place) || is_ready(place, "wasm-opt", versions::WASM_OPT)
}

/// Where Trunk puts the one that it fetches.
fn fetched_wasm_opt() -> Option<PathBuf> {
    cached("wasm-opt", &format!("version_{}", versions::WASM_OPT), &Path::new("bin").join("wasm-opt"))
}

/// The `wasm-opt` that Trunk runs, for those that run it again. Trunk may still have to fetch it.
pub(crate) fn optimiser(place: &Place) -> Option<PathBuf> {
    if has_wasm_opt(place) { place.program("wasm-opt") } else { fetched_wasm_opt() }
}

/// The driver of Firefox; one that is there is taken as it is.
pub(crate) fn geckodriver(place: &Place) -> Result<(), String> {
    if place.program("geckodriver").is_some() {
        return Ok(());
    }
    let version = versions::GECKODRIVER;
    say(&format!("compiling geckodriver {version}, once (about 2 minutes on two cores)"));
    cargo_install(place, "geckodriver", version, &UNOPTIMISED, &["--locked"])
}

/// Asks npm's own file, because starting this `wasm-opt` (a script for Node) only for its version takes a quarter of a
/// second.
fn has_binaryen(place: &Place) -> bool {
    let modules = place.tools().join("npm").join("node_modules");
    place.program("node").is_some()
        && fs::read_to_string(modules.join("binaryen").join("package.json"))
            .is_ok_and(|text| text.contains(&format!("\"version\": \"{}\"", versions::BINARYEN)))
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
    cached(name, version, file).is_some_and(|file| file.is_file())
}

/// Where Trunk puts a tool that it fetches.
fn cached(name: &str, version: &str, file: &Path) -> Option<PathBuf> {
    let file = file
        .with_file_name(file.file_name().map_or_else(String::new, |name| executable(&name.to_string_lossy(), "exe")));
    trunk_cache().map(|cache| cache.join(format!("{name}-{version}")).join(file))
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

/// Instead of what a tool asks for itself: Trunk's own settings optimise the whole program at once, for minutes.
const QUICK: [&str; 3] =
    ["profile.release.lto='off'", "profile.release.codegen-units=16", "profile.release.strip='symbols'"];

/// Not optimised, but for what sums up the files: a page's program of 8 MB takes 0.03 s so, and 2 s otherwise.
const UNOPTIMISED: [&str; 2] = ["profile.release.opt-level=0", "profile.release.package.sha2.opt-level=3"];

/// It rewrites the whole program in each build.
const SLIGHTLY_OPTIMISED: [&str; 1] = ["profile.release.opt-level=1"];

/// Compiles a tool into `.tools`, in a folder of its own so that the project's build stays as it is.
fn cargo_install(place: &Place, package: &str, version: &str, optimised: &[&str], more: &[&str]) -> Result<(), String> {
    let scratch = place.target().join("tools");
    let settings = QUICK.iter().chain(optimised).flat_map(|setting| ["--config", setting]);
    let installed = place
        .job("cargo")
        .quiet_args(settings)
        .args(["install", package, "--version", version, "--force", "--root"])
        .args([place.tools()])
        .args(more)
        .env("CARGO_TARGET_DIR", &scratch)
        .run();
    // Hundreds of megabytes that nothing needs again.
    let _ = fs::remove_dir_all(&scratch);
    installed
}

#[cfg(test)]
mod tests {
    use super::{is_cached, is_compiled_here, trunk_cache};
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

    #[test]
    fn cargo_says_what_was_compiled_here() {
        let list = "[v1]\n\"trunk 0.21.14 (registry+https://example.org)\" = [\"trunk\"]\n";
        assert!(is_compiled_here(list, "trunk", "0.21.14"));
        assert!(!is_compiled_here(list, "trunk", "0.21.1") && !is_compiled_here(list, "runk", "0.21.14"));
        assert!(!is_compiled_here("", "trunk", "0.21.14"));
    }
}
