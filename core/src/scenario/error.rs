//! Why a scenario cannot be.

use core::fmt;

use super::{CutError, Mode, NotStated, OffloadError, Unsupported};
use crate::architecture::ShapeError;
use crate::bounds::OutOfBounds;
use crate::display::{ByteUnit, Size};
use crate::parallelism::ParallelError;
use crate::precision::WeightFormat;
use crate::units::Bytes;

/// Why a scenario cannot be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScenarioError {
    /// A number is outside its range.
    OutOfBounds(OutOfBounds),
    /// The model's shape cannot be.
    Shape(ShapeError),
    /// These weights cannot be trained.
    NotTrainable(WeightFormat),
    /// Adapters in `QLoRA` are not trained beside these weights.
    NotFrozen(WeightFormat),
    /// The adapters' targets hold no matrix that can carry one.
    NoAdapters,
    /// What is to be offloaded cannot be.
    Offload(OffloadError),
    /// The run cannot be cut like this.
    Parallel(ParallelError),
    /// The runtime that serves the model cannot run this, however much memory there is.
    Runtime(Unsupported),
    /// The code that trains the model cannot cut it like this.
    Cut(CutError),
    /// Somebody needs to know of the reader's own GPU what is not stated.
    OwnGpu(NotStated, &'static str),
    /// The GPU has less memory than is stated to be there.
    GpuMemory {
        /// What is stated.
        stated: Bytes,
        /// The GPU's name.
        gpu: &'static str,
        /// What it has at most.
        most: Bytes,
    },
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfBounds(error) => error.fmt(f),
            Self::Shape(error) => error.fmt(f),
            Self::Parallel(error) => error.fmt(f),
            Self::Runtime(error) => error.fmt(f),
            Self::Cut(error) => error.fmt(f),
            Self::GpuMemory { stated, gpu, most } => {
                let [most, stated] = [most, stated].map(|bytes| Size::new(*bytes, ByteUnit::Gib).plain());
                write!(f, "{gpu} has {most} at most, and not {stated}")
            }
            Self::OwnGpu(missing, who) => {
                write!(f, "{who} needs to know of a GPU of your own {missing}, and it is not stated")
            }
            Self::NoAdapters => f.write_str(
                "these targets name no matrix here that can carry an adapter: routed experts and linear attention carry none; --lora-targets all puts adapters on every matrix that can carry one",
            ),
            Self::Offload(error) => error.fmt(f),
            Self::NotFrozen(format) => {
                write!(f, "weights {} cannot be frozen: qlora takes", format.named())?;
                for (place, taken) in WeightFormat::ALL.iter().filter(|format| Mode::Qlora.takes(**format)).enumerate() {
                    write!(f, "{} {}", if place == 0 { "" } else { "," }, taken.id())?;
                }
                f.write_str(match format {
                    format if format.trainable() => "; adapters on 16-bit weights are mode lora",
                    format if format.is_gguf() => "; peft has no adapters beside GGUF files, which transformers unpacks to 16 bits",
                    WeightFormat::Mxfp4 => {
                        "; transformers does not train beside mxfp4 and unpacks such a checkpoint to bf16 (Mxfp4Config(dequantize=True)): adapters on that are mode lora with bf16 weights"
                    }
                    _ => "; peft has no adapters beside these on GPUs",
                })
            }
            Self::NotTrainable(format) => write!(
                f,
                "weights {} cannot be trained, nor carry the adapters of mode lora: both need fp32, fp16 or bf16; adapters beside quantised weights are mode qlora",
                format.named()
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

impl From<OffloadError> for ScenarioError {
    fn from(error: OffloadError) -> Self {
        Self::Offload(error)
    }
}

impl From<ParallelError> for ScenarioError {
    fn from(error: ParallelError) -> Self {
        Self::Parallel(error)
    }
}

impl From<Unsupported> for ScenarioError {
    fn from(error: Unsupported) -> Self {
        Self::Runtime(error)
    }
}

impl From<CutError> for ScenarioError {
    fn from(error: CutError) -> Self {
        Self::Cut(error)
    }
}

impl From<ShapeError> for ScenarioError {
    fn from(error: ShapeError) -> Self {
        Self::Shape(error)
    }
}
