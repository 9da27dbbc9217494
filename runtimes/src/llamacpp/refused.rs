//! Why llama.cpp, or what is modelled of it, doesn't go with a scenario.

use core::fmt;

use memory_wall_core::ScenarioError;

use super::CacheType;

/// Why there is no placement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refused {
    /// The scenario isn't one that llama.cpp serves.
    NotServed,
    /// There is no GPU.
    NoGpu,
    /// Layers are spread by options of llama.cpp, and not by ranks.
    Ranks,
    /// There are more shares than GPUs, or fewer.
    Shares {
        /// Shares.
        shares: usize,
        /// GPUs.
        gpus: usize,
    },
    /// Every share is 0.
    NoShare,
    /// Packed values need flash attention.
    PackedValues(CacheType),
    /// Experts are left in host memory of a model that has none.
    NoExperts,
    /// A GPU shares its memory with the CPU, and something is left to the CPU.
    SharedMemory(&'static str),
    /// The model's layers can't be told apart.
    Layers(ScenarioError),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NotServed => f.write_str("layers are placed of a model that llama.cpp serves: engine llamacpp, in inference"),
            Self::NoGpu => f.write_str("layers are placed on a GPU, and none is named"),
            Self::Ranks => f.write_str(
                "llama.cpp spreads layers over the GPUs of --device, in the shares of --tensor-split: leave tp, pp, dp, ep and cp at 1",
            ),
            Self::Shares { shares, gpus } => {
                write!(f, "--tensor-split has {shares} shares for {gpus} GPUs: llama.cpp takes one for each")
            }
            Self::NoShare => f.write_str("--tensor-split needs a share above 0"),
            Self::PackedValues(format) => write!(
                f,
                "llama.cpp packs values as {} with flash attention alone (\"V cache quantization requires flash_attn\"): use attention flash, or f16 values",
                format.id()
            ),
            Self::NoExperts => f.write_str(
                "--n-cpu-moe and --cpu-moe leave routed experts in host memory, and this model has none: -ngl leaves whole layers there",
            ),
            Self::SharedMemory(gpu) => write!(
                f,
                "{gpu} shares its memory with the CPU: leaving layers, experts or cache to the CPU frees none of it"
            ),
            Self::Layers(error) => write!(f, "the model's layers can't be counted one by one: {error}"),
        }
    }
}

impl core::error::Error for Refused {}
