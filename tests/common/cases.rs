//! How often a property is tried.

use proptest::test_runner::Config;

/// 1,000 cases, or as many as the environment variable `PROPTEST_CASES` says.
pub(crate) fn config() -> Config {
    let config = Config { failure_persistence: None, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { config } else { Config { cases: 1_000, ..config } }
}
