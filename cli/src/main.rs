//! `memory-wall`: how much GPU memory a large language model needs, on the command line.

mod absent;
mod accuracy;
mod advise;
mod arguments;
mod changes;
mod compare;
mod config_file;
mod estimate;
mod explain;
mod export;
mod findings;
mod formats;
mod gpu;
mod help;
mod idle;
mod import;
mod inputs;
mod json;
mod listing;
mod model;
mod named;
mod options;
mod plan;
mod refusal;
mod request;
mod rollout;
mod roofline;
mod runtime;
mod serving;
mod solve;
mod suggest;
mod tables;
mod text;
mod values;
mod words;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use memory_wall_core::Verdict;

use arguments::Command;

/// Exit code of an answer that is a no: it does not fit, nothing does, or a bound does not hold.
const NO: u8 = 1;
/// Exit code where a server starts and lets some of the requests wait.
const QUEUES: u8 = 3;
/// Exit code of anything that cannot be answered.
const BAD_INPUT: u8 = 2;
/// Every message is shorter than this but for what it quotes.
const LONGEST_LINE: usize = 850;

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
    /// What the exit code says.
    exit: Exit,
}

/// What the exit code says, from the best to the worst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// A yes, or nothing to say no to.
    #[default]
    Yes,
    /// A server starts and lets some of the requests wait.
    Queues,
    /// A no.
    No,
    /// Part of what was asked cannot be answered.
    Refused,
}

impl Exit {
    /// A yes or a no.
    pub(crate) const fn yes(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }

    /// Of a verdict; of none where no GPU is named.
    pub(crate) const fn of(verdict: Option<Verdict>) -> Self {
        match verdict {
            None | Some(Verdict::Fits | Verdict::Tight) => Self::Yes,
            Some(Verdict::Queues) => Self::Queues,
            Some(Verdict::DoesNotFit) => Self::No,
        }
    }
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
        _ => match answer.exit {
            Exit::Yes => ExitCode::SUCCESS,
            Exit::Queues => ExitCode::from(QUEUES),
            Exit::No => ExitCode::from(NO),
            Exit::Refused => ExitCode::from(BAD_INPUT),
        },
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
        Command::SolveLayers(question, request) => runtime::solve(question, &request)?,
        Command::Advise(request) => advise::answer(&request)?,
        Command::Compare(asked) => compare::answer(&asked)?,
        Command::Explain(asked) => explain::answer(&asked)?,
        Command::Export(asked) => export::answer(*asked)?,
        Command::Import(asked) => import::answer(&asked)?,
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
