//! What the roofline is asked beside the rig: which operations, how they are counted, against which GPUs.

use memory_wall_core::roofline::operations::Kernels;
use memory_wall_core::roofline::{Accounting, Pass};
use memory_wall_core::tables::gpus::{self, Gpu};
use memory_wall_core::{Mode, Scenario};

use super::decimal::Decimal;

/// What stands on the roof as points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dots {
    /// The model's passes, and the operations of one of them.
    #[default]
    Model,
    /// Kernels that every textbook names.
    Textbook,
}

impl Dots {
    /// Both, the first one the default.
    pub const ALL: &[Self] = &[Self::Model, Self::Textbook];

    /// The name in links.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Textbook => "textbook",
        }
    }

    /// Reads a name from a link.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|dots| dots.id() == id)
    }
}

/// Which roofs of the rig's GPU are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precisions {
    /// The one that the model's matrices are multiplied in.
    #[default]
    Own,
    /// All that the GPU has.
    All,
}

impl Precisions {
    /// Both, the first one the default.
    pub const ALL: &[Self] = &[Self::Own, Self::All];

    /// The name in links.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::All => "all",
        }
    }

    /// Reads a name from a link.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|precisions| precisions.id() == id)
    }
}

/// The levers that only the roofline has. A zero in a field of numbers is a field left empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levers {
    /// How small operations run; none chosen is as the program runs them.
    pub kernels: Option<Kernels>,
    /// Which bytes an intensity counts.
    pub accounting: Accounting,
    /// The pass of inference whose operations are shown.
    pub pass: Pass,
    /// What stands on the roof.
    pub dots: Dots,
    /// Which roofs of the GPU are drawn.
    pub precisions: Precisions,
    /// GPUs to compare with.
    pub versus: [Option<&'static Gpu>; 2],
    /// A GPU of the reader's own: peak TFLOP/s and GB/s, in thousandths.
    pub own_gpu: [u64; 2],
    /// An operation of the reader's own: FLOPs and bytes.
    pub op: [u64; 2],
    /// A matrix multiplication of the reader's own: m, n and k.
    pub gemm: [u64; 3],
    /// What the reader has measured, in thousandths of a TFLOP/s.
    pub rate: u64,
}

impl Default for Levers {
    fn default() -> Self {
        Self {
            kernels: None,
            accounting: Accounting::ReadsAndWrites,
            pass: Pass::Decode,
            dots: Dots::Model,
            precisions: Precisions::Own,
            versus: [None; 2],
            own_gpu: [0; 2],
            op: [0; 2],
            gemm: [0; 3],
            rate: 0,
        }
    }
}

impl Levers {
    /// How small operations run.
    pub fn kernels_in_use(&self, scenario: &Scenario) -> Kernels {
        self.kernels.unwrap_or(Kernels::of(scenario))
    }

    /// Chooses how small operations run; what the program does anyway is no choice.
    pub fn choose_kernels(&mut self, kernels: Kernels, scenario: &Scenario) {
        self.kernels = Some(kernels).filter(|kernels| *kernels != Kernels::of(scenario));
    }

    /// The pass whose operations are shown: in training there is one.
    pub fn pass_in_use(&self, mode: Mode) -> Pass {
        if mode.trains() { Pass::Training } else { self.pass }
    }
}

/// All fields of a list, or none where one is empty.
pub fn complete<const N: usize>(fields: [u64; N]) -> Option<[u64; N]> {
    fields.iter().all(|field| *field > 0).then_some(fields)
}

/// A list of numbers with commas between them, as links have it; empty fields stay empty, and where all are there is no list.
pub fn written<const N: usize>(fields: [u64; N], kind: Decimal) -> Option<String> {
    let mut list = String::new();
    for (place, field) in fields.into_iter().enumerate() {
        if place > 0 {
            list.push(',');
        }
        if field > 0 {
            list.push_str(&kind.write(field));
        }
    }
    fields.iter().any(|field| *field > 0).then_some(list)
}

/// Reads such a list.
pub fn read<const N: usize>(text: &str, kind: Decimal) -> Option<[u64; N]> {
    let mut fields = [0; N];
    let mut parts = text.split(',');
    for field in &mut fields {
        let part = parts.next()?;
        *field = if part.is_empty() { 0 } else { kind.read(part)? };
    }
    let some = fields.iter().any(|field| *field > 0);
    (some && parts.next().is_none()).then_some(fields)
}

/// The GPUs of a list with commas between them: one, or two different ones.
pub fn gpus(text: &str) -> Option<[Option<&'static Gpu>; 2]> {
    let mut ids = text.split(',');
    let first = gpus::by_id(ids.next()?)?;
    let second = match ids.next() {
        Some(id) => Some(gpus::by_id(id).filter(|second| second.id != first.id)?),
        None => None,
    };
    ids.next().is_none().then_some([Some(first), second])
}
