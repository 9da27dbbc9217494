//! Node, Playwright and a Chromium for the browser tests; on request other engines.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::lockfile;
use crate::place::Place;
use crate::process::Job;
use crate::setup::say;
use crate::tools;
use crate::versions;

/// What a browser is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum For {
    /// Tests. The browser without windows comes first: the same engine, and they take half the time.
    Tests,
    /// Measuring speed, in the browser that readers have: the one without windows lacks what costs them time, such as autofill.
    Speed,
}

impl For {
    /// The programs and packages of Debian that will do, the best first.
    const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Tests => {
                &["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
            }
            Self::Speed => &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
        }
    }

    /// The packages of Debian that have one, the best first. Not every system has the one without windows as a package of its own.
    const fn packages(self) -> &'static [&'static str] {
        match self {
            Self::Tests => &["chromium-headless-shell", "chromium"],
            Self::Speed => &["chromium"],
        }
    }
}

const MAC_APPS: [&str; 2] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/// Where Windows keeps programs, and a browser in each of them.
const WINDOWS_FOLDERS: [&str; 3] = ["ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"];
const WINDOWS_APPS: [&str; 2] = ["Google/Chrome/Application/chrome.exe", "Chromium/Application/chrome.exe"];

/// What the engines need beside Firefox's driver, by the names of one program and of the package of Debian that has it.
const ENGINES: [(&[&str], &str); 4] = [
    (&["chromedriver"], "chromium-driver"),
    (&["firefox", "firefox-esr"], "firefox-esr"),
    (&["WebKitWebDriver"], "webkit2gtk-driver"),
    (&["Xvfb"], "xvfb"),
];

/// A browser for the tests: a program of this machine, or Playwright's own.
pub(crate) struct Browser(Option<PathBuf>);

impl Browser {
    /// Node in the folder of the browser tests, told which browser to take (`CHROMIUM_PATH`; empty for Playwright's own).
    pub(crate) fn node(&self, place: &Place, arguments: &[&str]) -> Job {
        let path = self.0.clone().unwrap_or_default();
        place.job("node").args(arguments).folder(&place.e2e()).env("CHROMIUM_PATH", path)
    }

    /// Playwright's command line. Through its file: `npx` would start npm for nothing.
    pub(crate) fn playwright(&self, place: &Place, arguments: &[&str]) -> Job {
        self.node(place, &["node_modules/@playwright/test/cli.js"]).args(arguments)
    }
}

/// Makes sure that scripts can run in a browser for this.
pub(crate) fn ready(place: &Place, what: For) -> Result<Browser, String> {
    node(place)?;
    packages(place, &place.e2e())?;
    chromium(place, what)
}

fn node(place: &Place) -> Result<(), String> {
    let wanted = versions::NODE_MAJOR;
    let advice = format!("Install Node.js {wanted} or newer (https://nodejs.org) and try again.");
    let Ok(version) = place.job("node").args(["--version"]).text() else {
        return Err(format!("The browser tests need Node.js. {advice}"));
    };
    match lockfile::major(&version) {
        Some(major) if major >= wanted => Ok(()),
        _ => Err(format!("The Node.js here is {version}. {advice}")),
    }
}

/// What the scripts of a folder need of npm.
pub(crate) fn packages(place: &Place, folder: &Path) -> Result<(), String> {
    let lock = folder.join("package-lock.json");
    // npm writes this file last, so it is older than the lock exactly when the lock has changed since.
    let installed = folder.join("node_modules").join(".package-lock.json");
    if is_newer(&installed, &lock) {
        return Ok(());
    }
    say("installing the test packages with npm (some seconds)");
    place
        .job("npm")
        .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
        .folder(folder)
        .run()
        .map_err(|sentence| format!("{sentence} Check the network and run `npm ci` in {} by hand.", folder.display()))
}

/// Whether npm can install a folder's packages from its lock file alone: `npm ci` refuses a lock that lacks one.
pub(crate) fn lock_is_whole(place: &Place, folder: &Path) -> Result<(), String> {
    place
        .job("npm")
        .args(["ci", "--dry-run", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
        .folder(folder)
        .run()
        .map_err(|sentence| format!("{sentence} Run `npm install --package-lock-only` in {}.", folder.display()))
}

fn is_newer(file: &Path, than: &Path) -> bool {
    let time = |path: &Path| -> Option<SystemTime> { fs::metadata(path).and_then(|data| data.modified()).ok() };
    matches!((time(file), time(than)), (Some(file), Some(than)) if file >= than)
}

fn chromium(place: &Place, what: For) -> Result<Browser, String> {
    if let Some(path) = env::var_os("CHROMIUM_PATH").filter(|path| !path.is_empty()) {
        let path = PathBuf::from(path);
        return if path.is_file() {
            Ok(Browser(Some(path)))
        } else {
            Err(format!("CHROMIUM_PATH names {}, which is no file.", path.display()))
        };
    }
    if let Some(found) = on_this_machine(place, what) {
        return Ok(Browser(Some(found)));
    }
    if let Some(own) = own(place, what) {
        return Ok(own);
    }
    if download(place)
        && let Some(own) = own(place, what)
    {
        return Ok(own);
    }
    if install_with_apt(place, what)
        && let Some(found) = on_this_machine(place, what)
    {
        return Ok(Browser(Some(found)));
    }
    Err("There is no Chromium for this and none could be fetched. Install Chromium or Google Chrome with \
         your system's packages, or set CHROMIUM_PATH to one, and try again."
        .to_owned())
}

fn on_this_machine(place: &Place, what: For) -> Option<PathBuf> {
    if cfg!(windows) {
        // Asked for its version, a browser there opens a window.
        let folders = WINDOWS_FOLDERS.iter().filter_map(env::var_os).map(PathBuf::from);
        return folders.flat_map(|folder| WINDOWS_APPS.map(|app| folder.join(app))).find(|app| app.is_file());
    }
    let named = what.names().iter().filter_map(|name| place.program(name));
    let apps = MAC_APPS.into_iter().map(PathBuf::from).filter(|app| app.is_file());
    // Some systems have a `chromium-browser` that only says how to install one: asking the version tells them apart.
    named.chain(apps).find(|path| Job::new(path.as_os_str(), "the browser").args(["--version"]).output().is_ok())
}

/// Playwright's own, if it was fetched. Told none, Playwright takes the one without windows that it fetched with it.
fn own(place: &Place, what: For) -> Option<Browser> {
    let script = "console.log(require('playwright-core').chromium.executablePath())";
    let path = PathBuf::from(Browser(None).node(place, &["-e", script]).text().ok()?);
    path.is_file().then(|| Browser((what == For::Speed).then_some(path)))
}

fn download(place: &Place) -> bool {
    say("fetching Playwright's Chromium (about 170 MB)");
    // Where GitHub does not answer this will not either, most likely: fail soon there.
    let limit = Duration::from_secs(if place.github() { 1200 } else { 60 });
    let fetched = Browser(None)
        .playwright(place, &["install", "chromium"])
        .env("PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT", "5000")
        .run_within(limit);
    if let Err(sentence) = &fetched {
        say(sentence);
    }
    fetched.is_ok()
}

fn install_with_apt(place: &Place, what: For) -> bool {
    if !has_apt(place) {
        return false;
    }
    say("installing Chromium with apt-get (about a minute)");
    what.packages().iter().any(|package| apt(place, &[package]).map_err(|sentence| say(&sentence)).is_ok())
}

fn has_apt(place: &Place) -> bool {
    let is_root = place.job("id").args(["-u"]).text().is_ok_and(|id| id == "0");
    is_root && place.program("apt-get").is_some()
}

fn apt(place: &Place, packages: &[&str]) -> Result<(), String> {
    let apt = |arguments: &[&str]| place.job("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    apt(&["update", "--quiet"]).run()?;
    apt(&["install", "--quiet", "--yes", "--no-install-recommends"]).args(packages).run()
}

/// Makes sure that the page can be tried in every engine, each with its driver.
pub(crate) fn engines(place: &Place) -> Result<(), String> {
    let is_missing = |(programs, _): &&(&[&str], &str)| programs.iter().all(|name| place.program(name).is_none());
    let missing: Vec<&str> = ENGINES.iter().filter(is_missing).map(|(_, package)| *package).collect();
    if !missing.is_empty() {
        let names = missing.join(" ");
        if !has_apt(place) {
            return Err(format!(
                "Debian calls what is missing {names}. Install it with your system's packages and try again; what is \
                 not installed is skipped by the tests."
            ));
        }
        say(&format!("installing {names} with apt-get (some minutes)"));
        apt(place, &missing)?;
    }
    tools::geckodriver(place)?;
    say("the engines are ready");
    Ok(())
}
