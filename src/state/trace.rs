//! What the section on the peak is asked: the program with its switches and sizes, the step that is looked at, the GPU.

use memory_wall_core::allocation_trace::{Program, Step};
use memory_wall_core::bounds::{self, Bounds};
use memory_wall_core::tables::gpus::{self, Gpu};

use super::State;
use crate::words::{self, labels};

/// The program, where the reader stands in it, and the GPU that it runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The program.
    pub program: Program,
    /// The step that is looked at; see [`Trace::step_in_use`].
    pub step: Step,
    /// The GPU.
    pub gpu: TraceGpu,
}

impl Default for Trace {
    /// Forward has run, and backward has not begun.
    fn default() -> Self {
        Self { program: Program::default(), step: Step::Loss, gpu: TraceGpu::Small }
    }
}

/// The GPU that the program runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceGpu {
    /// One sold with 24 GB.
    Small,
    /// One sold with 40 GB.
    Medium,
    /// That of the rig.
    Own,
}

impl TraceGpu {
    /// All, the first one the default.
    pub const ALL: [Self; 3] = [Self::Small, Self::Medium, Self::Own];

    /// The name in links; that of a GPU of the table is its own.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Small => "rtx4090",
            Self::Medium => "a100-40-sxm",
            Self::Own => "own",
        }
    }

    /// Reads a name from a link.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|gpu| gpu.id() == id)
    }

    /// The GPU itself.
    pub fn gpu(self, state: &State) -> &'static Gpu {
        gpus::by_id(self.id()).unwrap_or(state.gpu)
    }
}

/// What can be switched, by its name in links, in the order in which it is written there.
pub const SWITCHES: [&str; 4] = ["no-name", "x-grad", "squares", "bf16"];

/// The batch that the switch of the page sets, and the one that it goes back to.
pub const BATCHES: [u32; 2] = [32, 64];

/// Whether a switch is on; `batch` is one too.
pub fn is_on(program: &Program, switch: &str) -> Option<bool> {
    Some(match switch {
        "no-name" => !program.named,
        "x-grad" => program.input_gradient,
        "squares" => program.squares,
        "bf16" => program.bytes_per_value == 2,
        "batch" => program.batch == BATCHES[1],
        _ => return None,
    })
}

/// Turns a switch over; nothing else changes.
pub fn flip(program: &mut Program, switch: &str) {
    match switch {
        "no-name" => program.named = !program.named,
        "x-grad" => program.input_gradient = !program.input_gradient,
        "squares" => program.squares = !program.squares,
        "bf16" => program.bytes_per_value = 6 - program.bytes_per_value,
        "batch" => {
            let [one, two] = BATCHES;
            program.batch = if program.batch == two { one } else { two };
        }
        _ => {}
    }
}

/// The switches that are on, with commas between them.
pub fn written(program: &Program) -> String {
    let on = SWITCHES.into_iter().filter(|switch| is_on(program, switch) == Some(true));
    words::joined(&on.collect::<Vec<_>>(), ",")
}

/// Reads such a list; nothing if it holds anything else, or a switch twice.
pub fn read(text: &str) -> Option<Program> {
    let mut program = Program::default();
    for switch in text.split(',') {
        if !SWITCHES.contains(&switch) || is_on(&program, switch)? {
            return None;
        }
        flip(&mut program, switch);
    }
    Some(program)
}

/// A size of the program.
pub struct Size {
    /// Its name in links and in the page.
    pub name: &'static str,
    /// What its field is labelled with.
    pub label: fn() -> &'static str,
    /// Its range.
    pub bounds: Bounds,
    /// Where it is.
    pub slot: fn(&mut Program) -> &mut u32,
}

impl Size {
    /// Its value.
    pub fn of(&self, mut program: Program) -> u32 {
        *(self.slot)(&mut program)
    }
}

/// Every one.
pub static SIZES: [Size; 3] = [
    Size {
        name: "features",
        label: labels::oom_size_features,
        bounds: bounds::HIDDEN_SIZE,
        slot: |program| &mut program.features,
    },
    Size { name: "rows", label: labels::oom_size_rows, bounds: bounds::BATCH, slot: |program| &mut program.batch },
    Size {
        name: "tokens",
        label: labels::oom_size_tokens,
        bounds: bounds::SEQ_LENGTH,
        slot: |program| &mut program.seq_length,
    },
];

impl Trace {
    /// The step that is looked at: one that the program has.
    pub fn step_in_use(&self) -> Step {
        self.program.reached(self.step)
    }

    /// Does what a button, the slider or a link asks for: `walk on`, `go 3`, `flip squares`, `step end`, `card own`, `trace x-grad`.
    /// Says whether it could.
    #[inline(never)]
    pub fn act(&mut self, what: &str, value: &str) -> bool {
        match (what, value) {
            ("walk", "on") => self.go(self.place() + 1),
            ("walk", "back") => self.go(self.place().saturating_sub(1)),
            ("walk", "end") => self.step = Step::End,
            ("go", place) => self.go(place.parse().unwrap_or(0)),
            ("flip", switch) => flip(&mut self.program, switch),
            ("step", id) => match Step::from_id(id) {
                Some(step) => self.step = step,
                None => return false,
            },
            ("card", id) => match TraceGpu::from_id(id) {
                Some(gpu) => self.gpu = gpu,
                None => return false,
            },
            ("tape", list) => match read(list) {
                Some(program) => self.program = program,
                None => return false,
            },
            _ => return false,
        }
        true
    }

    /// Goes to the step with this number, from 0.
    fn go(&mut self, place: usize) {
        self.step = self.program.steps().nth(place).unwrap_or(Step::End);
    }

    /// The number of the step that is looked at, from 0.
    pub fn place(&self) -> usize {
        let now = self.step_in_use();
        self.program.steps().take_while(|step| *step != now).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_turn_over_and_back_and_travel() {
        for switch in SWITCHES.into_iter().chain(["batch"]) {
            let mut program = Program::default();
            assert_eq!(is_on(&program, switch), Some(false), "{switch}");
            flip(&mut program, switch);
            assert_eq!(is_on(&program, switch), Some(true), "{switch}");
            if switch != "batch" {
                assert_eq!((written(&program).as_str(), read(switch)), (switch, Some(program)));
            }
            flip(&mut program, switch);
            assert_eq!(program, Program::default(), "{switch}");
        }
        assert_eq!(written(&Program::default()), "");
        assert_eq!(read("x-grad,bf16").map(|program| written(&program)).as_deref(), Some("x-grad,bf16"));
        for text in ["", "x", "squares,squares", "squares,", "batch"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn one_walks_through_the_program_from_end_to_end_and_no_further() {
        let mut trace = Trace::default();
        for _ in 0..30 {
            trace.act("walk", "back");
        }
        assert_eq!((trace.step, trace.place()), (Step::Model, 0));
        for place in 1..=8 {
            trace.act("walk", "on");
            assert_eq!(trace.place(), place);
        }
        trace.act("walk", "on");
        assert_eq!(trace.step, Step::End);
        assert!(trace.act("go", "3"));
        assert_eq!(trace.step, Step::Loss);
        assert!(trace.act("go", "99") && !trace.act("go there", "3") && !trace.act("step", "x"));
        assert_eq!(trace.step, Step::End);
    }

    #[test]
    fn a_step_that_a_switch_took_away_is_the_one_before() {
        let mut trace = Trace { step: Step::Product, ..Trace::default() };
        trace.program.squares = true;
        assert_eq!(trace.step_in_use(), Step::Product);
        trace.program.squares = false;
        assert_eq!(trace.step_in_use(), Step::Seed);
    }

    #[test]
    fn every_gpu_is_one() {
        let state = State::default();
        let printed = TraceGpu::ALL.map(|gpu| gpu.gpu(&state).printed_gb);
        assert_eq!(printed, [24, 40, 80]);
        assert_eq!(TraceGpu::from_id("h100-sxm"), None);
    }
}
