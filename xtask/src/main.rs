//! The project's chores as one command: `cargo xtask`.
//!
//! Works on Linux and macOS. On Windows every check but the browser's runs on GitHub; `cargo test` may fail to replace the
//! running `xtask.exe`.

mod alone;
mod bench;
mod browser;
mod budgets;
mod counts;
mod exports;
mod gates;
mod hosts;
mod lockfile;
mod network;
mod place;
mod process;
mod release;
mod released;
mod serve;
mod setup;
mod sizes;
mod table;
mod tar;
mod tools;
mod transfer;
mod versions;

use std::process::ExitCode;

use place::Place;

const HELP: &str = "\
Usage: cargo xtask <command>

  setup [--tests]       install what is missing: wasm targets, trunk, wasm-bindgen, wasm-opt;
                        with --tests also Playwright and a browser
  setup --engines       install other browsers with their drivers: Firefox, WebKit
  serve [--port 8080]   build for development, serve on this machine, rebuild on change
  build                 build for release into dist/, list the sizes, check the budget
  test [--fast]         every check; --fast leaves out the release build and the browser
  release [--version X.Y.Z]
                        every check on the release of Cargo.toml's version, which CHANGELOG.md dates, and an archive
                        of it with its SHA-256 in target/release-X.Y.Z/
  bench                 measure the core and the page in the browser
  lighthouse [PAGE…]    measure every page, or some, as a phone on a slow line: speed, accessibility, good practice
                        (20 minutes; RUNS=1 visits each once instead of five times)
  exports               hand what memory-wall export writes to the parsers of vLLM, SGLang, accelerate, DeepSpeed,
                        transformers, axolotl and torchtitan, as far as they install here (8 GB under .tools/)
  hosts [HOST…]         build a page with each of fifteen site builders, or with some, with a figure in it as the page for
                        teachers says, and look at it in a browser (2 GB under .tools/, 20 minutes)
  audit                 look at every page in every theme, width and state for what keeps readers out (minutes)
  screenshot            take the pictures of the page
";

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
enum Command {
    Setup { tests: bool },
    Engines,
    Serve { port: u16 },
    Build,
    Test { fast: bool },
    Release { version: Option<String> },
    Bench,
    Lighthouse { pages: Vec<String> },
    Exports,
    Hosts { chosen: Vec<String> },
    Audit,
    Screenshot,
}

impl Command {
    /// Reads the arguments; `None` when they make no command.
    fn parse(arguments: &[&str]) -> Option<Self> {
        match arguments {
            ["setup"] => Some(Self::Setup { tests: false }),
            ["setup", "--tests"] => Some(Self::Setup { tests: true }),
            ["setup", "--engines"] => Some(Self::Engines),
            ["serve"] => Some(Self::Serve { port: versions::PORT }),
            ["serve", "--port", port] => port.parse().ok().map(|port| Self::Serve { port }),
            ["build"] => Some(Self::Build),
            ["test"] => Some(Self::Test { fast: false }),
            ["test", "--fast"] => Some(Self::Test { fast: true }),
            ["release"] => Some(Self::Release { version: None }),
            ["release", "--version", version] => Some(Self::Release { version: Some((*version).to_owned()) }),
            ["bench"] => Some(Self::Bench),
            ["lighthouse", pages @ ..] => {
                Some(Self::Lighthouse { pages: pages.iter().map(ToString::to_string).collect() })
            }
            ["exports"] => Some(Self::Exports),
            ["hosts", chosen @ ..] => Some(Self::Hosts { chosen: chosen.iter().map(ToString::to_string).collect() }),
            ["audit"] => Some(Self::Audit),
            ["screenshot"] => Some(Self::Screenshot),
            _ => None,
        }
    }

    fn run(&self, place: Place) -> Result<(), String> {
        let place = match self {
            Self::Release { version } => return release::run(place, version.as_deref()),
            _ => &place,
        };
        match self {
            Self::Release { .. } => Ok(()),
            Self::Setup { tests } => setup::all(place, *tests),
            Self::Engines => browser::engines(place),
            Self::Serve { port } => serve::run(place, *port),
            Self::Build => {
                setup::all(place, false)?;
                sizes::build(place)?;
                sizes::report(place)
            }
            Self::Test { fast } => gates::run(place, *fast),
            Self::Bench => bench::run(place),
            Self::Lighthouse { pages } => bench::lighthouse(place, pages),
            Self::Exports => exports::check(place),
            Self::Hosts { chosen } => hosts::check(place, chosen),
            Self::Audit => in_browser(place, "audit.mjs"),
            Self::Screenshot => in_browser(place, "screenshots.mjs"),
        }
    }
}

/// Runs a script of the browser tests' folder on a fresh build.
fn in_browser(place: &Place, script: &str) -> Result<(), String> {
    setup::all(place, false)?;
    let browser = browser::ready(place, browser::For::Tests)?;
    sizes::build(place)?;
    browser.node(place, &[script]).run()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let Some(command) = Command::parse(&arguments) else {
        eprint!("{HELP}");
        return ExitCode::from(2);
    };
    match Place::find().and_then(|place| command.run(place)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            // `test` has already said everything, and its count must stay the last line.
            if !sentence.is_empty() {
                eprintln!("xtask: {sentence}");
            }
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Command;

    #[test]
    fn arguments_make_commands() {
        assert_eq!(Command::parse(&["serve", "--port", "9000"]), Some(Command::Serve { port: 9000 }));
        assert_eq!(Command::parse(&["setup", "--engines"]), Some(Command::Engines));
        assert_eq!(Command::parse(&["exports"]), Some(Command::Exports));
        assert_eq!(Command::parse(&["serve"]), Some(Command::Serve { port: 8080 }));
        assert_eq!(Command::parse(&["test", "--fast"]), Some(Command::Test { fast: true }));
        assert_eq!(Command::parse(&["release"]), Some(Command::Release { version: None }));
        let named = Command::Release { version: Some("1.2.3".to_owned()) };
        assert_eq!(Command::parse(&["release", "--version", "1.2.3"]), Some(named));
    }

    #[test]
    fn pages_can_be_named() {
        let pages = |arguments: &[&str]| match Command::parse(arguments) {
            Some(Command::Lighthouse { pages }) => pages,
            other => vec![format!("{other:?}")],
        };
        assert!(pages(&["lighthouse"]).is_empty());
        assert_eq!(pages(&["lighthouse", "index", "embed/oom"]), ["index", "embed/oom"]);
    }

    #[test]
    fn hosts_can_be_named() {
        let chosen = vec!["hugo".to_owned()];
        assert_eq!(Command::parse(&["hosts", "hugo"]), Some(Command::Hosts { chosen }));
        assert_eq!(Command::parse(&["hosts"]), Some(Command::Hosts { chosen: Vec::new() }));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for wrong in [
            &[][..],
            &["tets"],
            &["serve", "--port", "99999"],
            &["test", "--slow"],
            &["build", "x"],
            &["release", "1.2.3"],
        ] {
            assert_eq!(Command::parse(wrong), None, "{wrong:?}");
        }
    }
}
