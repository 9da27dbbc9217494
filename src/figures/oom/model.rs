//! What the figure shows: what is live at each step of the program, against the line of a GPU.

use memory_wall_core::allocation_trace::{Program, Step, Tensor};
use memory_wall_core::display::{ByteUnit, Size};
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::{Bucket, Bytes};

use crate::charts::wall::percent;
use crate::dials::Dial;
use crate::figures::{Answer, bindings};
use crate::live::Snapshot;
use crate::state::trace::{self, SIZES, Trace};
use crate::words::{self, labels};

/// Bars narrower than this have no room for a name, in percent.
const NAMED: f64 = 3.5;
/// Bars narrower than this have none on a narrow screen.
const ROOMY: f64 = 8.0;

/// What can be switched on and off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    NoName,
    XGrad,
    Squares,
    Bf16,
    Batch,
}

impl Switch {
    /// Every switch.
    pub const ALL: [Self; 5] = [Self::NoName, Self::XGrad, Self::Squares, Self::Bf16, Self::Batch];

    /// Its name, as the settings have it.
    pub const fn id(self) -> &'static str {
        match self {
            Self::NoName => "no-name",
            Self::XGrad => "x-grad",
            Self::Squares => "squares",
            Self::Bf16 => "bf16",
            Self::Batch => "batch",
        }
    }
}

/// A size of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    Features,
    Rows,
    Tokens,
}

impl Length {
    /// Every size.
    pub const ALL: [Self; SIZES.len()] = [Self::Features, Self::Rows, Self::Tokens];

    /// Its name, as the settings have it.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Features => "features",
            Self::Rows => "rows",
            Self::Tokens => "tokens",
        }
    }
}

/// What the figure shows.
#[derive(PartialEq)]
pub struct Model {
    unit: ByteUnit,
    trace: Trace,
    gpu: &'static Gpu,
    pub(super) peak: Bytes,
}

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// Where the program stands, how much is in use, and what the GPU says to it.
        Sentence,
        /// What becomes of the whole of it.
        Verdict,
        /// Its peak.
        Peak,
        /// The same as PyTorch counts it.
        PeakGib,
        /// The same as a data sheet counts it.
        PeakGb,
        /// The peak of forward alone.
        Forward,
        /// What the fullest moment is made of.
        SumSentence,
        /// The name of the GPU.
        TraceGpu,
        /// What it has.
        Capacity,
        /// Where its line has its label.
        Edge,
        /// The number of the step that is looked at.
        Place,
        /// The step that is looked at, by name.
        Step,
        /// The number of the last step.
        Last,
        /// The bar of a step.
        Bar(Step),
        /// What is live in it.
        Total(Step),
        /// Whether the program has none such.
        Absent(Step),
        /// Whether it is not the fullest.
        Lower(Step),
        /// Whether the GPU is large enough for it.
        Fits(Step),
        /// Whether another step is looked at.
        Other(Step),
        /// How large a tensor is.
        Size(Tensor),
        /// Whether it is not there, at the step that is looked at.
        Dead(Tensor),
        /// Whether it was there before.
        Old(Tensor),
        /// Whether it is there after.
        Stays(Tensor),
        /// A size of the program, as its code has it.
        Count(Length),
        /// Whether a switch is on, as its button says it.
        Pressed(Switch),
        /// Whether it is on.
        On(Switch),
        /// Whether it is off.
        Off(Switch),
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "oom";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let state = &snapshot.state;
        let trace = state.trace;
        Self { unit: state.unit, trace, gpu: trace.gpu.gpu(state), peak: trace.program.peak() }
    }

    fn answer(&self, binding: Binding) -> Answer {
        let program = &self.trace.program;
        let now = self.trace.step_in_use();
        let on = |switch: Switch| trace::is_on(program, switch.id()) == Some(true);
        match binding {
            Binding::Sentence => Answer::Text(self.sentence()),
            Binding::Verdict => Answer::Text(self.said(true)),
            Binding::Peak => Answer::Size(self.peak),
            Binding::PeakGib => Answer::Text(Size::new(self.peak, ByteUnit::Gib).to_string()),
            Binding::PeakGb => Answer::Text(Size::new(self.peak, ByteUnit::Gb).to_string()),
            Binding::Forward => Answer::Size(program.forward_peak()),
            Binding::SumSentence => Answer::Text(self.sum()),
            Binding::TraceGpu => Answer::Text(self.gpu.name.into()),
            Binding::Capacity => Answer::Size(self.gpu.capacity),
            // Half of the label stays within the page.
            Binding::Edge => Answer::Percent(self.x(self.gpu.capacity).max(10.0)),
            Binding::Place => Answer::Text(self.trace.place().to_string()),
            Binding::Step => Answer::Text(now.id().into()),
            Binding::Last => Answer::Text(program.steps().count().saturating_sub(1).to_string()),
            Binding::Bar(step) => Answer::Html(self.bar(step)),
            Binding::Total(step) => Answer::Size(program.during(step)),
            Binding::Absent(step) => Answer::Flag(!step.happens(program)),
            Binding::Lower(step) => Answer::Flag(program.fullest() != step),
            Binding::Fits(step) => Answer::Flag(program.during(step) <= self.gpu.capacity),
            Binding::Other(step) => Answer::Flag(now != step),
            Binding::Size(tensor) => Answer::Size(program.size(tensor)),
            Binding::Dead(tensor) => Answer::Flag(!program.live(now).during.has(tensor)),
            Binding::Old(tensor) => Answer::Flag(!now.allocates().has(tensor)),
            Binding::Stays(tensor) => Answer::Flag(program.live(now).after.has(tensor)),
            Binding::Count(length) => {
                let size = SIZES.get(length as usize).map_or(0, |size| size.of(*program));
                Answer::Text(size.to_string())
            }
            Binding::Pressed(switch) => Answer::Text(if on(switch) { "true" } else { "false" }.into()),
            Binding::On(switch) => Answer::Flag(on(switch)),
            Binding::Off(switch) => Answer::Flag(!on(switch)),
        }
    }
}

impl Model {
    /// How far from the left an amount ends, in percent: the longest bar or the GPU's line stands near the right.
    pub(super) fn x(&self, bytes: Bytes) -> f64 {
        bytes.share_of(self.peak.max(self.gpu.capacity)) * 97.0
    }

    /// The fullest moment of a step: every tensor with its pattern and its name, and the GPU's line.
    pub(super) fn bar(&self, step: Step) -> String {
        let program = &self.trace.program;
        let live = program.live(step);
        let mut html = String::new();
        let mut below = Bytes::ZERO;
        for &tensor in Tensor::ALL.iter().filter(|tensor| live.during.has(**tensor)) {
            let above = below + program.size(tensor);
            let (from, to) = (self.x(below), self.x(above));
            below = above;
            // What would not be seen is in the ledger.
            if to - from < 0.05 {
                continue;
            }
            let bucket = tensor.bucket();
            let pattern = match bucket {
                Bucket::Activations => "header",
                Bucket::Gradients => "diagonal",
                Bucket::Overhead => "open",
                _ => "solid",
            };
            let (x, width) = (percent(from), percent(to - from));
            let place = words::joined(&["\" x=\"", &x, "\" width=\"", &width, "\" height=\"100%\"/>"], "");
            let id = bucket.id();
            push(&mut html, &["<g class=\"segment segment-", id, "\"><rect class=\"ground", &place]);
            push(&mut html, &["<rect fill=\"url(#masonry-", pattern, ")", &place, "</g>"]);
            if to - from > NAMED {
                let (middle, name) = (percent(f64::midpoint(from, to)), words::tensor_short(tensor));
                let class = if to - from > ROOMY { "" } else { " class=\"tight\"" };
                push(&mut html, &["<text", class, " x=\"", &middle, "\" y=\"50%\">", name, "</text>"]);
            }
        }
        let edge = percent(self.x(self.gpu.capacity));
        push(&mut html, &["<rect class=\"oom-card\" x=\"", &edge, "\" width=\"2\" y=\"-50%\" height=\"200%\"/>"]);
        html
    }

    /// Where the program stands, for those who do not see the trace.
    pub fn sentence(&self) -> String {
        self.said(false)
    }

    /// Where the program stands, how much is in use, and what the GPU says to it; or, of the whole of it, what becomes of it.
    fn said(&self, whole: bool) -> String {
        let program = &self.trace.program;
        let step = if whole { program.fullest() } else { self.trace.step_in_use() };
        let during = program.during(step);
        let capacity = self.gpu.capacity;
        let died = program.dies(capacity);
        let line = step.line().to_string();
        let at = died.unwrap_or(step).line().to_string();
        let total = self.size(during);
        let margin = self.size(during.minus(capacity).magnitude());
        let gpu = self.gpu.name;
        match died {
            None if whole => words::OomVerdictRuns { gpu, total: &total, line: &line }.text(),
            Some(_) if whole => words::OomVerdictDies { gpu, at: &at, total: &total, line: &line }.text(),
            Some(died) if (died as u8) < step as u8 => {
                words::OomSaidPast { line: &line, total: &total, at: &at }.text()
            }
            _ if during > capacity => words::OomSaidOver { line: &line, total: &total, margin: &margin, gpu }.text(),
            _ => words::OomSaidFits { line: &line, total: &total, margin: &margin, gpu }.text(),
        }
    }

    /// What the fullest moment is made of: `W 1.07 GB + x 8.59 GB`.
    fn sum(&self) -> String {
        let program = &self.trace.program;
        let live = program.live(program.fullest()).during;
        let mut text = String::new();
        for &tensor in Tensor::ALL.iter().filter(|tensor| live.has(**tensor)) {
            let bytes = program.size(tensor);
            // Biases and single numbers round away.
            if bytes.share_of(self.peak) > 0.001 {
                let (name, size) = (words::tensor_short(tensor), self.size(bytes));
                let plus = if text.is_empty() { "" } else { " + " };
                push(&mut text, &[plus, name, " ", &size]);
            }
        }
        text
    }

    fn size(&self, bytes: Bytes) -> String {
        Size::new(bytes, self.unit).to_string()
    }
}

/// Adds pieces to a text. Once for all, since a program in the browser loads each copy.
#[inline(never)]
fn push(text: &mut String, pieces: &[&str]) {
    for piece in pieces {
        text.push_str(piece);
    }
}

/// The peak of the program as it is written, in the unit that PyTorch counts in.
pub static DIAL: Dial = Dial {
    id: "tape",
    question: labels::dial_question_tape,
    unit: words::dial_unit_gib,
    range: (2.0, 5_000.0),
    answer: || Some(Program::default().peak().as_gib()),
};
