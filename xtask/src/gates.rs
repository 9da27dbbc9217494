//! Every check, one after the other, and one count at the end.

use std::fs;
use std::time::{Duration, Instant};

use crate::browser::{self, Browser};
use crate::counts::{self, Counts};
use crate::lockfile;
use crate::place::Place;
use crate::process::Job;
use crate::setup;
use crate::sizes;
use crate::table;
use crate::tools;
use crate::versions;

/// What became of one check.
struct Outcome {
    name: &'static str,
    counts: Counts,
    time: Duration,
}

/// The checks that have run.
#[derive(Default)]
struct Gates {
    outcomes: Vec<Outcome>,
    /// How many single tests ran, as opposed to checks that count as one.
    tests: u64,
}

impl Gates {
    /// Runs one check, which counts what it likes, and returns whether nothing in it failed.
    fn check(&mut self, name: &'static str, run: impl FnOnce() -> (Counts, Result<(), String>)) -> bool {
        println!("\n== {name}");
        let start = Instant::now();
        let (counts, verdict) = run();
        let counts = counts.at_least_one_failure(verdict.is_ok());
        if let Err(sentence) = verdict {
            println!("{sentence}");
        }
        let time = start.elapsed();
        let word = if counts.failed == 0 { "ok" } else { "FAILED" };
        println!("== {name}: {word} ({:.1} s)", time.as_secs_f64());
        self.outcomes.push(Outcome { name, counts, time });
        counts.failed == 0
    }

    /// Runs a check that passes or fails as a whole.
    fn gate(&mut self, name: &'static str, run: impl FnOnce() -> Result<(), String>) -> bool {
        self.check(name, || {
            let verdict = run();
            (Counts::one(verdict.is_ok()), verdict)
        })
    }

    /// Runs a check made of single tests; one that runs none has failed.
    fn tests(&mut self, name: &'static str, run: impl FnOnce() -> (Counts, Result<(), String>)) {
        self.check(name, || {
            let (counts, verdict) = run();
            let verdict = verdict.and_then(|()| match counts.ran() {
                0 => Err("No test ran.".to_owned()),
                _ => Ok(()),
            });
            (counts, verdict)
        });
        let ran = self.outcomes.last().map_or(0, |outcome| outcome.counts.ran());
        self.tests = self.tests.saturating_add(ran);
    }

    /// Prints the summary, whose last line is the count; an error when anything failed or no test ran.
    fn finish(self) -> Result<(), String> {
        let mut rows = vec![table::row(["check", "passed", "failed", "seconds"])];
        let mut sum = Counts::default();
        for outcome in &self.outcomes {
            sum = sum.and(outcome.counts);
            rows.push(vec![
                outcome.name.to_owned(),
                outcome.counts.passed.to_string(),
                outcome.counts.failed.to_string(),
                format!("{:.1}", outcome.time.as_secs_f64()),
            ]);
        }
        println!("\n{}", table::layout(&rows));
        println!("{} passed, {} failed", sum.passed, sum.failed);
        if sum.failed == 0 && self.tests > 0 { Ok(()) } else { Err(String::new()) }
    }
}

/// Runs every check; with `fast`, all but the release build and the browser tests.
pub(crate) fn run(place: &Place, fast: bool) -> Result<(), String> {
    // A failed step of the set-up must not hide what can still be checked: it fails the checks that need it.
    let targets = setup::targets(place);
    let tools = if fast { Ok(()) } else { tools::ready(place) };
    let browser = if fast { Err(String::new()) } else { browser::ready(place, browser::For::Tests) };

    let mut gates = Gates::default();
    gates.gate("format", || cargo(place, "fmt --all --check").run());
    gates.gate("clippy, native", || cargo(place, "clippy --workspace --all-targets --locked -- -D warnings").run());
    gates.gate("clippy, wasm", || {
        targets.clone()?;
        let words =
            "clippy --package memory-wall-app --package memory-wall-planner --target wasm32-unknown-unknown --locked";
        cargo(place, words).args(["--", "-D", "warnings"]).run()
    });
    // Fuzzing needs a nightly compiler, and this does not; its library is not for Windows.
    if !cfg!(windows) {
        gates.gate("clippy, fuzzers", || {
            let words = "clippy --manifest-path fuzz/Cargo.toml --target-dir target --locked -- -D warnings";
            cargo(place, words).run()
        });
    }
    gates.gate("oldest compiler", || oldest_compiler(place));
    gates.tests("tests", || cargo_tests(place));
    gates.tests("randomised tests", || {
        let words = "test --profile properties --package memory-wall-core --features serde --locked --no-fail-fast";
        let job = versions::RANDOMISED.iter().fold(cargo(place, words), |job, test| job.args(["--test", test]));
        counted(job.env("PROPTEST_CASES", versions::CASES))
    });
    let core = "build --package memory-wall-core --target wasm32v1-none --locked";
    gates.gate("core without std", || {
        targets.clone()?;
        cargo(place, core).run()
    });
    gates.gate("core without std, with serde", || {
        targets.clone()?;
        cargo(place, core).args(["--features", "serde"]).run()
    });
    gates.gate("documentation", || {
        cargo(place, "doc --workspace --no-deps --locked").env("RUSTDOCFLAGS", "-D warnings").run()
    });
    if !fast {
        let mut built = false;
        gates.gate("release build within its budget", || {
            targets.clone()?;
            tools.clone()?;
            sizes::build(place)?;
            built = true;
            sizes::report(place)
        });
        gates.gate("npm locks", || {
            browser.as_ref().map_err(Clone::clone)?;
            [place.e2e(), place.lighthouse(), place.root().join("tests").join("hosts")]
                .iter()
                .try_for_each(|folder| browser::lock_is_whole(place, folder))
        });
        let in_browsers = |arguments: &[&str]| match &browser {
            _ if !built => (Counts::default(), Err("Left out: the build failed.".to_owned())),
            Ok(browser) => browser_tests(place, browser, arguments),
            Err(sentence) => (Counts::default(), Err(sentence.clone())),
        };
        gates.tests("browser tests", || in_browsers(&[]));
        // An engine that is not installed is left out in words, and counts nothing; so this may be no test at all.
        gates.check("other engines", || in_browsers(&["--config", "engines", "--pass-with-no-tests"]));
    }
    gates.finish()
}

fn cargo(place: &Place, words: &str) -> Job {
    place.job("cargo").args(words.split(' '))
}

/// Whether the oldest compiler that Cargo.toml promises still compiles everything.
fn oldest_compiler(place: &Place) -> Result<(), String> {
    let path = place.root().join("Cargo.toml");
    let manifest =
        fs::read_to_string(&path).map_err(|error| format!("{} is not readable: {error}.", path.display()))?;
    let version = lockfile::oldest_compiler(&manifest).ok_or("Cargo.toml names no rust-version.")?;
    setup::compiler(place, version)?;
    // In a folder of its own: the artifacts of two compilers would push each other out.
    let words = ["run", version, "cargo", "check", "--workspace", "--locked", "--target-dir", "target/oldest"];
    place.job("rustup").args(words).run()
}

fn cargo_tests(place: &Place) -> (Counts, Result<(), String>) {
    // Without --no-fail-fast the tests after the first failing crate would be missing from the count.
    // The randomised tests run here with a few cases, and with many as a check of their own.
    counted(cargo(place, "test --workspace --locked --no-fail-fast").env("PROPTEST_CASES", versions::FEW_CASES))
}

fn counted(job: Job) -> (Counts, Result<(), String>) {
    let mut sum = Counts::default();
    let verdict = job.tee(|line| {
        if let Some(counts) = counts::cargo_line(line) {
            sum = sum.and(counts);
        }
    });
    (sum, verdict)
}

fn browser_tests(place: &Place, browser: &Browser, arguments: &[&str]) -> (Counts, Result<(), String>) {
    let report = place.target().join("playwright.json");
    // An old report must not be taken for this run's.
    let _ = fs::remove_file(&report);
    let verdict = browser
        .playwright(place, &["test", "--reporter=list,json"])
        .args(arguments)
        .env("PLAYWRIGHT_JSON_OUTPUT_FILE", &report)
        .run();
    let counts = fs::read_to_string(&report).ok().and_then(|text| counts::playwright(&text)).unwrap_or_default();
    (counts, verdict)
}

#[cfg(test)]
mod tests {
    use super::Gates;
    use crate::counts::Counts;

    #[test]
    fn gates_alone_are_no_test_run() {
        let mut gates = Gates::default();
        assert!(gates.gate("a gate", || Ok(())));
        assert!(gates.finish().is_err());
    }

    #[test]
    fn all_passed_is_success() {
        let mut gates = Gates::default();
        gates.tests("some tests", || (Counts { passed: 2, failed: 0 }, Ok(())));
        assert!(gates.finish().is_ok());
    }

    #[test]
    fn a_failed_gate_fails_the_run() {
        let mut gates = Gates::default();
        gates.tests("some tests", || (Counts { passed: 2, failed: 0 }, Ok(())));
        assert!(!gates.gate("a gate", || Err("It failed.".to_owned())));
        assert!(gates.finish().is_err());
    }

    #[test]
    fn a_runner_without_tests_has_failed() {
        let mut gates = Gates::default();
        gates.tests("no tests", || (Counts::default(), Ok(())));
        assert_eq!(gates.outcomes.first().map(|outcome| outcome.counts.failed), Some(1));
    }
}
