//! Eight operations, and where they stand to the ridge of two GPUs. One table of shapes; everything else follows from it.

use memory_wall_core::Bytes;
use memory_wall_core::display::Figure;
use memory_wall_core::precision::ComputePrecision;
use memory_wall_core::roofline::{Accounting, Bound, Kernel, Roof, Work};
use memory_wall_core::tables::gpus;

use crate::figures::{Answer, bindings, pick};
use crate::live::Snapshot;
use crate::predictions::{Mark, Predictions, Round};
use crate::words;

/// Bytes of a value: bf16.
pub(super) const BYTES: u64 = 2;
/// The GPU that is asked about first, and the one that came after it.
pub static COMPARED: [&str; 2] = ["a100-80-sxm", "h100-sxm"];

/// The width of the model, and that of its MLP: Llama 3.1 8B.
const WIDTH: u64 = 4_096;
const MLP: u64 = 14_336;
/// Tokens of a prompt, or of a cache; and the batch that is large for decoding.
const TOKENS: u64 = 4_096;
const BATCH: u64 = 256;

/// An operation with its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Gemm,
    Relu,
    Token,
    Softmax,
    Batch,
    Flash,
    LayerNorm,
    Cache,
}

impl Operation {
    /// The operations, in the order in which they are asked about.
    pub const ALL: [Self; 8] =
        [Self::Gemm, Self::Relu, Self::Token, Self::Softmax, Self::Batch, Self::Flash, Self::LayerNorm, Self::Cache];

    /// Its name among the words and the questions.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Gemm => "gemm",
            Self::Relu => "relu",
            Self::Token => "token",
            Self::Softmax => "softmax",
            Self::Batch => "batch",
            Self::Flash => "flash",
            Self::LayerNorm => "layer_norm",
            Self::Cache => "cache",
        }
    }

    /// The operation with this name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.id() == id)
    }

    /// What is done, and to how much.
    pub const fn kernel(self) -> Kernel {
        match self {
            Self::Gemm => Kernel::Gemm { m: WIDTH, n: WIDTH, k: WIDTH },
            Self::Relu => Kernel::Relu { elements: TOKENS * MLP },
            Self::Token => Kernel::Gemm { m: 1, n: MLP, k: WIDTH },
            Self::Softmax => Kernel::Softmax { elements: 32 * TOKENS * TOKENS },
            Self::Batch => Kernel::Gemm { m: BATCH, n: MLP, k: WIDTH },
            Self::Flash => {
                Kernel::FlashAttention { batch: 1, seq_length: TOKENS, heads: 32, kv_heads: 8, head_dim: 128 }
            }
            Self::LayerNorm => Kernel::LayerNorm { elements: TOKENS * WIDTH },
            Self::Cache => Kernel::KvRead { batch: BATCH, context: TOKENS, heads: 32, kv_heads: 8, head_dim: 128 },
        }
    }

    /// What it does.
    pub fn work(self) -> Work {
        self.kernel().work(BYTES)
    }

    /// FLOPs for each byte.
    pub fn intensity(self) -> f64 {
        self.work().intensity(Accounting::ReadsAndWrites).0
    }

    /// What holds it back on a GPU.
    pub fn bound(self, gpu: &str) -> Option<Bound> {
        Some(roof(gpu)?.bound(self.work().intensity(Accounting::ReadsAndWrites)))
    }
}

/// What is sorted: the sides on the first GPU.
pub static SIDES: Round = Round {
    id: "sides",
    questions: &["gemm", "relu", "token", "softmax", "batch", "flash", "layer_norm", "cache"],
    options: &["memory", "compute"],
    words: Some(&words::PREDICT_OPTION_SIDES),
    answer: |id| Some(Operation::from_id(id)?.bound(COMPARED[0])?.id()),
};

/// What is asked next: whether the second GPU has more of them on the side of memory.
pub static RIDGE: Round = Round {
    id: "ridge",
    questions: &["ridge"],
    options: &["more", "fewer", "same"],
    words: Some(&words::PREDICT_OPTION_RIDGE),
    answer: |id| {
        let [first, second] = COMPARED.map(waiting);
        (id == "ridge").then_some(match second.cmp(&first) {
            std::cmp::Ordering::Greater => "more",
            std::cmp::Ordering::Less => "fewer",
            std::cmp::Ordering::Equal => "same",
        })
    },
};

/// What the figure shows.
#[derive(PartialEq)]
pub struct Model {
    /// The GPU whose ridge is drawn: the second one, once the reader has asked about it.
    gpu: &'static str,
    /// Where the dot of each operation stands, in percent.
    at: [f64; Operation::ALL.len()],
}

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// Where the ridge stands.
        Ridge,
        /// What is written at it.
        RidgeLabel,
        /// Where an operation stands: where the reader has put it until it is known where it is.
        At(Operation),
        /// FLOPs for each of its bytes.
        Intensity(Operation),
        /// The same where writes are not counted.
        ReadsOnly(Operation),
        /// What it reads and writes.
        Bytes(Operation),
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "sort";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let predictions = &snapshot.predictions;
        let [first, second] = COMPARED;
        Self {
            gpu: if predictions.is_open(&RIDGE) { second } else { first },
            at: Operation::ALL.map(|operation| at(operation, predictions)),
        }
    }

    fn answer(&self, binding: Binding) -> Answer {
        match binding {
            Binding::Ridge => Answer::Percent(ridge(self.gpu).unwrap_or_default()),
            Binding::RidgeLabel => {
                let ridge = roof(self.gpu).map_or(0.0, |roof| roof.ridge().0);
                let name = gpus::by_id(self.gpu).map_or("", |gpu| gpu.name);
                Answer::Text(words::SortRidge { gpu: name, ridge: &Figure(ridge).to_string() }.text())
            }
            Binding::At(operation) => Answer::Percent(pick(&self.at, operation as usize)),
            Binding::Intensity(operation) => Answer::Text(Figure(operation.intensity()).to_string()),
            Binding::ReadsOnly(operation) => {
                Answer::Text(Figure(operation.work().intensity(Accounting::ReadsOnly).0).to_string())
            }
            Binding::Bytes(operation) => {
                let work = operation.work();
                Answer::Size(Bytes(work.read + work.written))
            }
        }
    }
}

/// Where an operation stands: a guess in the middle of its side until the answers are shown.
fn at(operation: Operation, predictions: &Predictions) -> f64 {
    let guess = predictions.guess(operation.id()).filter(|_| predictions.mark(operation.id()) == Some(Mark::Hidden));
    guess.and_then(middle).unwrap_or_else(|| x(operation.intensity()))
}

/// The roof of a GPU, for bf16.
pub fn roof(gpu: &str) -> Option<Roof> {
    Roof::of(gpus::by_id(gpu)?, ComputePrecision::Bf16)
}

/// How many of the operations wait for memory on a GPU.
pub(super) fn waiting(gpu: &str) -> usize {
    Operation::ALL.into_iter().filter(|operation| operation.bound(gpu) == Some(Bound::Memory)).count()
}

/// Powers of ten at the ends of the scale of intensities.
pub(super) const DECADES: (i32, i32) = (-1, 4);

/// How far from the left an intensity stands, in percent.
pub(super) fn x(intensity: f64) -> f64 {
    let (low, high) = DECADES;
    let part = (libm::log10(intensity.max(1e-9)) - f64::from(low)) / f64::from(high - low);
    part.clamp(0.0, 1.0) * 100.0
}

/// How far from the left the ridge of a GPU stands, in percent.
pub(super) fn ridge(gpu: &str) -> Option<f64> {
    Some(x(roof(gpu)?.ridge().0))
}

/// The middle of a side of the first GPU's ridge, in percent.
pub(super) fn middle(side: &str) -> Option<f64> {
    let ridge = ridge(COMPARED[0])?;
    Some(if side == "memory" { ridge / 2.0 } else { f64::midpoint(ridge, 100.0) })
}
