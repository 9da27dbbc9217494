//! Children: run, read, or watched with a limit.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A child process about to be started, with the words that name it in messages.
pub(crate) struct Job {
    command: Command,
    words: String,
}

impl Job {
    /// A child that runs `program` and is called `name` in messages.
    pub(crate) fn new(program: &OsStr, name: &str) -> Self {
        Self { command: Command::new(program), words: name.to_owned() }
    }

    /// Adds arguments.
    pub(crate) fn args<I, A>(mut self, arguments: I) -> Self
    where
        I: IntoIterator<Item = A>,
        A: AsRef<OsStr>,
    {
        for argument in arguments {
            self.words.push(' ');
            self.words.push_str(&argument.as_ref().to_string_lossy());
            self.command.arg(argument);
        }
        self
    }

    /// Adds arguments that are too long to be repeated in messages.
    pub(crate) fn quiet_args<I, A>(mut self, arguments: I) -> Self
    where
        I: IntoIterator<Item = A>,
        A: AsRef<OsStr>,
    {
        self.command.args(arguments);
        self
    }

    /// Sets a variable of the child's environment.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Removes a variable from the child's environment.
    pub(crate) fn without(mut self, name: impl AsRef<OsStr>) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Starts the child in this folder.
    pub(crate) fn folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Runs the child on this terminal; an error when it fails.
    pub(crate) fn run(mut self) -> Result<(), String> {
        let status = self.command.status();
        self.judge(status)
    }

    /// Runs the child on this terminal and ends it when `limit` has passed.
    pub(crate) fn run_within(mut self, limit: Duration) -> Result<(), String> {
        let mut child = self.command.spawn().map_err(|error| format!("`{}` did not start: {error}.", self.words))?;
        let start = Instant::now();
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return self.judge(Ok(status)),
                Ok(None) if start.elapsed() < limit => thread::sleep(Duration::from_millis(50)),
                other => {
                    // Either the limit has passed or nothing is known about the child: it must not live on.
                    let _ = child.kill();
                    let _ = child.wait();
                    return match other {
                        Err(error) => Err(format!("`{}` was lost: {error}.", self.words)),
                        _ => Err(format!("`{}` ran longer than {} s.", self.words, limit.as_secs())),
                    };
                }
            }
        }
    }

    /// Runs the child silently and returns what it wrote to standard output.
    pub(crate) fn output(mut self) -> Result<Vec<u8>, String> {
        let output = self.command.stdin(Stdio::null()).output();
        match output {
            Ok(output) if output.status.success() => Ok(output.stdout),
            Ok(output) => {
                let message = String::from_utf8_lossy(&output.stderr);
                self.judge(Ok(output.status)).map_err(|sentence| format!("{sentence} {}", message.trim()))?;
                Ok(output.stdout)
            }
            Err(error) => Err(format!("`{}` did not start: {error}.", self.words)),
        }
    }

    /// Like [`Job::output`], as trimmed text.
    pub(crate) fn text(self) -> Result<String, String> {
        Ok(String::from_utf8_lossy(&self.output()?).trim().to_owned())
    }

    /// Runs the child, shows its standard output line by line and gives each line to `reader`.
    pub(crate) fn tee(mut self, mut reader: impl FnMut(&str)) -> Result<(), String> {
        let mut child = self
            .command
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("`{}` did not start: {error}.", self.words))?;
        if let Some(stdout) = child.stdout.take() {
            let mut lines = BufReader::new(stdout);
            let mut line = Vec::new();
            while matches!(lines.read_until(b'\n', &mut line), Ok(count) if count > 0) {
                let mut terminal = std::io::stdout().lock();
                // A closed terminal must not stop the count.
                let _ = terminal.write_all(&line).and_then(|()| terminal.flush());
                reader(String::from_utf8_lossy(&line).trim_end());
                line.clear();
            }
        }
        let status = child.wait();
        self.judge(status)
    }

    fn judge(&self, status: std::io::Result<ExitStatus>) -> Result<(), String> {
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(match status.code() {
                Some(code) => format!("`{}` failed (exit {code}).", self.words),
                None => format!("`{}` was ended by a signal.", self.words),
            }),
            Err(error) => Err(format!("`{}` did not start: {error}.", self.words)),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::Job;
    use std::ffi::OsStr;
    use std::time::{Duration, Instant};

    fn shell(script: &str) -> Job {
        Job::new(OsStr::new("sh"), "sh").args(["-c", script])
    }

    #[test]
    fn tee_gives_every_line_and_the_verdict() {
        let mut lines = Vec::new();
        let verdict = shell("echo one; echo two; exit 3").tee(|line| lines.push(line.to_owned()));
        assert_eq!(lines, ["one", "two"]);
        assert!(verdict.is_err_and(|sentence| sentence.contains("exit 3")));
    }

    #[test]
    fn a_child_over_its_limit_is_ended() {
        let start = Instant::now();
        let verdict = Job::new(OsStr::new("sleep"), "sleep").args(["20"]).run_within(Duration::from_millis(100));
        assert!(verdict.is_err());
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_missing_program_is_named() {
        let verdict = Job::new(OsStr::new("no-such-program-here"), "no-such-program-here").text();
        assert!(verdict.is_err_and(|sentence| sentence.contains("no-such-program-here")));
    }
}
