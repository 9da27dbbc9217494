//! The one input of the engine: which model, doing what, stored how, on which card.

use core::fmt;

use crate::architecture::{Architecture, ShapeError};
use crate::bounds::{self, OutOfBounds};
use crate::precision::{KvPrecision, WeightFormat};
use crate::tables::gpus::Gpu;

macro_rules! choices {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $id:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant),* }

        impl $name {
            /// Every choice, in the order in which they are offered.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The short name, as in links and on the command line.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$variant => $id),* }
            }

            /// The choice with this short name.
            pub fn from_id(id: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|choice| choice.id() == id)
            }
        }
    };
}

choices! {
    /// What the model is doing.
    Mode {
        /// Generating text: weights, KV cache, a little working space.
        Inference = "inference";
        /// Learning with every parameter: gradients, optimizer states and activations come on top.
        Training = "training";
    }
}

choices! {
    /// What the optimizer keeps for each parameter. With 16-bit weights each of them updates an fp32 master copy.
    Optimizer {
        /// Two fp32 moments: 8 bytes a parameter.
        AdamW = "adamw";
        /// Two 8-bit moments with block scales: 2 bytes and a little.
        AdamW8bit = "adamw8bit";
        /// One fp32 momentum: 4 bytes.
        SgdMomentum = "sgd-momentum";
        /// Nothing.
        Sgd = "sgd";
    }
}

choices! {
    /// What is computed a second time in the backward pass instead of being kept.
    Checkpointing {
        /// Everything is kept.
        None = "none";
        /// The attention scores are recomputed (Korthikanti et al. 2022); flash attention does that anyway.
        Selective = "selective";
        /// Only the input of each layer is kept; one layer at a time is recomputed.
        Full = "full";
    }
}

choices! {
    /// How attention is computed.
    Attention {
        /// One fused kernel that never writes the s × s scores to memory.
        Flash = "flash";
        /// Separate kernels that write scores and probabilities.
        Eager = "eager";
    }
}

/// What the engine evaluates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scenario {
    /// The model's shape.
    pub architecture: Architecture,
    /// Inference or training.
    pub mode: Mode,
    /// Sequences at the same time; in training those of one micro-batch on one GPU.
    pub batch: u32,
    /// Tokens in each sequence: prompt and answer together.
    pub seq_length: u32,
    /// How weights are stored.
    pub weights: WeightFormat,
    /// How the KV cache is stored (inference).
    pub kv: KvPrecision,
    /// The optimizer (training).
    pub optimizer: Optimizer,
    /// What is recomputed (training).
    pub checkpointing: Checkpointing,
    /// How attention is computed.
    pub attention: Attention,
    /// The card to hold it against, if any.
    pub gpu: Option<&'static Gpu>,
}

/// Why a scenario cannot be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScenarioError {
    /// A number is outside its range.
    OutOfBounds(OutOfBounds),
    /// The model's shape cannot be.
    Shape(ShapeError),
    /// These weights cannot be trained.
    NotTrainable(WeightFormat),
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfBounds(error) => error.fmt(f),
            Self::Shape(error) => error.fmt(f),
            Self::NotTrainable(format) => write!(
                f,
                "weights {} cannot be trained: training every parameter needs fp32, fp16 or bf16 (adapters on quantised weights are not modelled yet)",
                format.id()
            ),
        }
    }
}

impl core::error::Error for ScenarioError {}

impl From<OutOfBounds> for ScenarioError {
    fn from(error: OutOfBounds) -> Self {
        Self::OutOfBounds(error)
    }
}

impl From<ShapeError> for ScenarioError {
    fn from(error: ShapeError) -> Self {
        Self::Shape(error)
    }
}

impl Scenario {
    /// bf16 inference of one sequence of 2,048 tokens, the starting point of the page, without a card.
    pub const fn new(architecture: Architecture) -> Self {
        Self {
            architecture,
            mode: Mode::Inference,
            batch: 1,
            seq_length: 2_048,
            weights: WeightFormat::Bf16,
            kv: KvPrecision::Bf16,
            optimizer: Optimizer::AdamW,
            checkpointing: Checkpointing::None,
            attention: Attention::Flash,
            gpu: None,
        }
    }

    /// Whether every part is in range and the parts go together.
    pub fn check(&self) -> Result<(), ScenarioError> {
        self.architecture.check()?;
        bounds::BATCH.check(self.batch.into())?;
        bounds::SEQ_LENGTH.check(self.seq_length.into())?;
        if self.mode == Mode::Training && !self.weights.trainable() {
            return Err(ScenarioError::NotTrainable(self.weights));
        }
        Ok(())
    }

    /// `batch × seq_length`.
    pub fn tokens(&self) -> u64 {
        u64::from(self.batch) * u64::from(self.seq_length)
    }

    /// Bytes of one activation value: 4 with fp32 weights, otherwise 2.
    pub fn activation_bytes(&self) -> u64 {
        self.weights.unquantised_bytes().into()
    }
}
