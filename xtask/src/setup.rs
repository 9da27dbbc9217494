//! Installs what is missing, and only that.

use std::time::Instant;

use crate::browser;
use crate::place::Place;
use crate::tools;
use crate::versions;

/// Says in one line what happens now.
pub(crate) fn say(line: &str) {
    println!("setup: {line}");
}

/// Everything the page needs to be built, and with `tests` also what the browser tests need.
pub(crate) fn all(place: &Place, tests: bool) -> Result<(), String> {
    let start = Instant::now();
    targets(place)?;
    tools::ready(place)?;
    if tests {
        browser::ready(place, browser::For::Tests)?;
    }
    say(&format!("ready ({:.1} s)", start.elapsed().as_secs_f64()));
    Ok(())
}

/// The compiler's libraries for the targets.
pub(crate) fn targets(place: &Place) -> Result<(), String> {
    add(place, &versions::TARGETS)
}

/// The compiler's library for one more target.
pub(crate) fn target(place: &Place, name: &'static str) -> Result<(), String> {
    add(place, &[name])
}

fn add(place: &Place, wanted: &[&'static str]) -> Result<(), String> {
    let missing = missing_targets(place, wanted)?;
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(" ");
    if place.program("rustup").is_none() {
        return Err(format!(
            "The Rust compiler here has no library for {names} and there is no rustup to add it. \
             Install Rust with rustup (https://rustup.rs), or your system's packages for these targets, and try again."
        ));
    }
    say(&format!("adding the Rust targets {names} (some seconds)"));
    place
        .job("rustup")
        .args(["target", "add"])
        .args(&missing)
        .run()
        .map_err(|sentence| format!("{sentence} Check the network and run `rustup target add {names}` by hand."))
}

/// A compiler of this version beside the usual one.
pub(crate) fn compiler(place: &Place, version: &str) -> Result<(), String> {
    if place.job("rustup").args(["run", version, "rustc", "--version"]).output().is_ok() {
        return Ok(());
    }
    say(&format!("installing Rust {version} (some seconds)"));
    place
        .job("rustup")
        .args(["toolchain", "install", version, "--profile", "minimal", "--no-self-update"])
        .run()
        .map_err(|sentence| format!("{sentence} Install Rust with rustup (https://rustup.rs) and check the network."))
}

fn missing_targets(place: &Place, wanted: &[&'static str]) -> Result<Vec<&'static str>, String> {
    let sysroot = place.job("rustc").args(["--print", "sysroot"]).text()?;
    let libraries = std::path::Path::new(&sysroot).join("lib").join("rustlib");
    Ok(wanted.iter().copied().filter(|target| !libraries.join(target).join("lib").is_dir()).collect())
}
