//! Counts of single tests, read from what the test runners say.

/// How many single tests passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Tests that passed.
    pub(crate) passed: u64,
    /// Tests that failed.
    pub(crate) failed: u64,
}

impl Counts {
    /// One check as one test.
    pub(crate) fn one(passed: bool) -> Self {
        Self { passed: u64::from(passed), failed: u64::from(!passed) }
    }

    /// How many tests ran.
    pub(crate) fn ran(self) -> u64 {
        self.passed.saturating_add(self.failed)
    }

    /// Both together.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { passed: self.passed.saturating_add(other.passed), failed: self.failed.saturating_add(other.failed) }
    }

    /// A runner that failed without naming a failed test (it did not compile, it crashed) counts as one failure.
    pub(crate) fn at_least_one_failure(self, runner_passed: bool) -> Self {
        if !runner_passed && self.failed == 0 { self.and(Self::one(false)) } else { self }
    }
}

/// Reads a line `test result: ok. 3 passed; 0 failed; …` of cargo's test runner.
pub(crate) fn cargo_line(line: &str) -> Option<Counts> {
    let line = without_colours(line);
    let (_, rest) = line.trim().strip_prefix("test result: ")?.split_once(". ")?;
    let number = |what: &str| {
        rest.split(';')
            .filter_map(|part| part.trim().split_once(' '))
            .find(|(_, word)| *word == what)
            .and_then(|(count, _)| count.parse().ok())
    };
    Some(Counts { passed: number("passed")?, failed: number("failed")? })
}

/// Reads the `stats` of Playwright's JSON report. A flaky test is a failed one.
pub(crate) fn playwright(report: &str) -> Option<Counts> {
    // The last one: quotes inside the text of a test are escaped, and `stats` closes the report.
    let (_, stats) = report.rsplit_once("\"stats\"")?;
    let number = |key: &str| -> Option<u64> {
        let (_, rest) = stats.split_once(&format!("\"{key}\""))?;
        let digits = rest.trim_start().strip_prefix(':')?.trim_start();
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits.get(..end)?.parse().ok()
    };
    Some(Counts { passed: number("expected")?, failed: number("unexpected")?.saturating_add(number("flaky")?) })
}

/// Removes the colour codes of a terminal.
fn without_colours(line: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for character in line.chars() {
        match character {
            '\u{1b}' => inside = true,
            'm' if inside => inside = false,
            _ if inside => {}
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Counts, cargo_line, playwright};

    #[test]
    fn cargo_says_its_counts() {
        let line = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.01s";
        assert_eq!(cargo_line(line), Some(Counts { passed: 12, failed: 0 }));
        let line = "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(cargo_line(line), Some(Counts { passed: 1, failed: 2 }));
    }

    #[test]
    fn colours_do_not_hide_the_counts() {
        let line = "test result: \u{1b}[32mok\u{1b}(B\u{1b}[m. 5 passed; 0 failed; 0 ignored";
        assert_eq!(cargo_line(line), Some(Counts { passed: 5, failed: 0 }));
    }

    #[test]
    fn other_lines_count_nothing() {
        for line in ["test counts::ok ... ok", "running 3 tests", "test result:", "test result: ok. many"] {
            assert_eq!(cargo_line(line), None, "{line}");
        }
    }

    #[test]
    fn playwright_says_its_counts() {
        let report = r#"{ "suites": ["\"stats\": { \"expected\": 99"],
          "stats": { "duration": 2599.3, "expected": 7, "skipped": 1, "unexpected": 1, "flaky": 2 } }"#;
        assert_eq!(playwright(report), Some(Counts { passed: 7, failed: 3 }));
        assert_eq!(playwright("{}"), None);
    }

    #[test]
    fn a_runner_that_dies_is_a_failure() {
        let none = Counts::default();
        assert_eq!(none.at_least_one_failure(false).failed, 1);
        assert_eq!(none.at_least_one_failure(true).failed, 0);
        assert_eq!(Counts::one(false).at_least_one_failure(false).failed, 1);
    }
}
