//! `memory-wall`: how much GPU memory a large language model needs, on the command line.

mod accuracy;
mod advise;
mod arguments;
mod card;
mod changes;
mod config_file;
mod estimate;
mod findings;
mod help;
mod idle;
mod inputs;
mod json;
mod listing;
mod model;
mod options;
mod refusal;
mod request;
mod roofline;
mod serving;
mod solve;
mod suggest;
mod tables;
mod text;
mod values;
mod words;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use arguments::Command;

/// Exit code of an answer that is a no: it does not fit, nothing does, or a bound does not hold.
const NO: u8 = 1;
/// Exit code of anything that cannot be answered.
const BAD_INPUT: u8 = 2;
/// Every message is shorter than this but for what it quotes.
const LONGEST_LINE: usize = 800;

/// Input that cannot be used: one line that says which and what is expected.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadInput(String);

impl BadInput {
    /// With the line to print behind the program's name.
    pub(crate) fn new(line: impl Into<String>) -> Self {
        Self(line.into())
    }
}

/// What a command has to say.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// For standard output.
    output: String,
    /// Remarks for standard error, a line each.
    notes: Vec<String>,
    /// Whether it is a no.
    failed: bool,
}

fn main() -> ExitCode {
    let answer = match arguments::parse(std::env::args_os().skip(1)).and_then(run) {
        Ok(answer) => answer,
        Err(BadInput(line)) => return fail(&line),
    };
    for note in &answer.notes {
        say(&format!("note: {note}"));
    }
    match write(&answer.output) {
        // A reader that has seen enough, such as `head`, is no failure.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => fail(&format!("cannot write the answer: {error}")),
        _ if answer.failed => ExitCode::from(NO),
        _ => ExitCode::SUCCESS,
    }
}

fn run(command: Command) -> Result<Answer, BadInput> {
    Ok(match command {
        Command::Help(about) => Answer { output: help::text(about), ..Answer::default() },
        Command::Version => Answer { output: help::version(), ..Answer::default() },
        Command::Models { json } => Answer { output: listing::models(json)?, ..Answer::default() },
        Command::Gpus { json } => Answer { output: listing::gpus(json)?, ..Answer::default() },
        Command::Estimate(request) => estimate::answer(&request)?,
        Command::Solve(question, request) => solve::answer(question, &request)?,
        Command::Advise(request) => advise::answer(&request)?,
        Command::Roofline(asked) => roofline::answer(&asked)?,
        Command::Accuracy { data, rows, json } => accuracy::answer(data.as_deref(), rows, json)?,
    })
}

fn write(output: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(output.as_bytes())?;
    out.flush()
}

fn fail(line: &str) -> ExitCode {
    say(line);
    ExitCode::from(BAD_INPUT)
}

/// Prints one line on standard error; where even that fails there is nobody to tell.
fn say(line: &str) {
    // A message can quote a file, and a file can hold a megabyte in one string.
    let _ = writeln!(io::stderr(), "memory-wall: {}", text::shortened(line, LONGEST_LINE));
}
