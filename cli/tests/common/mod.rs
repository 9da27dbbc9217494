//! Running the built program.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests; each test file uses its part"
)]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// What one run left behind.
pub(crate) struct Run {
    /// Exit code.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().expect("ended by itself"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// The program, in the folder of the published configs.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_memory-wall"));
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/configs")).stdin(Stdio::null());
    command
}

/// One run with the words of `line`.
pub(crate) fn run(line: &str) -> Run {
    program().args(line.split_whitespace()).output().unwrap().into()
}

/// One run with something on standard input.
pub(crate) fn run_on(line: &str, input: &[u8]) -> Run {
    let mut child = program()
        .args(line.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may refuse before it has read everything, which closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap().into()
}

/// One run with `--json`: its exit code and what it says.
pub(crate) fn json(line: &str) -> (i32, serde_json::Value) {
    let run = run(&format!("{line} --json"));
    let value =
        serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{line}: {error}: {}{}", run.out, run.err));
    (run.code, value)
}

/// A file of this test run, under a name of its own.
pub(crate) fn scratch(name: &str, content: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).unwrap();
    path
}

/// A run that is refused with this line, and says nothing else.
pub(crate) fn assert_refused(run: &Run, line: &str, what: &str) {
    assert_eq!(run.err, format!("memory-wall: {line}\n"), "{what}");
    assert_eq!((run.code, run.out.as_str()), (2, ""), "{what}");
}

/// Each run, and the line it must end with.
pub(crate) fn all_refused(cases: &[(&str, &str)]) {
    for (line, message) in cases {
        assert_refused(&run(line), message, line);
    }
}
