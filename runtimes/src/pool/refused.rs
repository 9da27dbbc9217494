//! Why a server with a pool, or what is modelled of it, doesn't go with a scenario.

use core::fmt;

use memory_wall_core::scenario::{Blocks, NotStated, Tiles};
use memory_wall_core::tables::capability::Capability;
use memory_wall_core::{KvPrecision, WeightFormat};

use super::Server;

/// Why it doesn't start, or doesn't take the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Nothing is served.
    NotServed,
    /// No GPU is named.
    NoGpu,
    /// It doesn't load the format.
    Weights(Server, WeightFormat),
    /// It doesn't keep a cache in the format.
    Cache(Server, KvPrecision),
    /// States in host memory.
    Offload(Server),
    /// Attention that writes its scores.
    Eager(Server),
    /// Ranks other than tensor-parallel ones.
    Ranks(Server),
    /// The GPU isn't one that it serves on.
    Gpu(Server, &'static str),
    /// The compute capability of the reader's own GPU isn't stated.
    OwnGpu(Server),
    /// The GPU's generation is too old, whatever the format.
    TooOld {
        /// The server.
        server: Server,
        /// The GPU's name.
        gpu: &'static str,
        /// Its compute capability.
        has: Capability,
        /// The least that the server starts on.
        needs: Capability,
    },
    /// It has no kernels for the format on the GPU, or it isn't certain that it has.
    Kernels(Server, WeightFormat, &'static str),
    /// Expert-parallel ranks that don't share out the tensor-parallel ones, or the experts.
    Experts {
        /// The server.
        server: Server,
        /// Expert-parallel ranks.
        ep: u32,
        /// What they don't divide.
        what: &'static str,
        /// How many of it there are.
        count: u32,
    },
    /// A rank would have a broken block of quantised weights.
    Blocks(Server, Blocks),
    /// A rank's part of a matrix is not a multiple of the tiles of Marlin's kernels.
    Tiles(Server, Tiles),
    /// It runs experts in fp8 on GPUs with units for it alone.
    OldExperts {
        /// The server.
        server: Server,
        /// The format of the weights.
        format: WeightFormat,
        /// The GPU's name.
        gpu: &'static str,
    },
    /// A part of the model that is modelled with vLLM alone.
    Unserved(Server, &'static str),
    /// It has no class for the model, or it isn't certain that it has.
    NoClass(Server),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Unserved(server, part) => write!(f, "{} with {part} is not modelled", server.label()),
            Self::NotServed => f.write_str("a server serves: mode inference"),
            Self::NoGpu => f.write_str("the pool is what a GPU leaves, and none is named: --gpu ID"),
            Self::Weights(server, format) if format.is_gguf() => {
                write!(f, "{} does not load {format} files as it is modelled: llama.cpp and Ollama do", server.label())
            }
            Self::Weights(server, format) => write!(f, "{} does not load {format} weights", server.label()),
            Self::Cache(server, kv) => {
                write!(f, "{} keeps its cache in 16 bits or fp8, not in {kv}", server.label())
            }
            Self::Offload(server) => {
                write!(
                    f,
                    "{} with weights or a cache in host memory is not modelled: leave offload away",
                    server.label()
                )
            }
            Self::Eager(server) => write!(
                f,
                "{} never writes the attention scores: its kernels fuse them, which is attention flash",
                server.label()
            ),
            Self::Ranks(server) => {
                write!(f, "of {} tensor parallelism alone is modelled: leave dp, pp and cp at 1", server.label())
            }
            Self::Gpu(server, gpu) => write!(f, "{} does not run on {gpu}", server.label()),
            Self::OwnGpu(server) => write!(
                f,
                "{} needs to know of a GPU of your own {}, and it is not stated",
                server.label(),
                NotStated::Capability
            ),
            Self::TooOld { server, gpu, has, needs } => write!(
                f,
                "{} runs on NVIDIA GPUs of compute capability {needs} or newer, and {gpu} has {has}",
                server.label()
            ),
            Self::Kernels(server, format, gpu) => {
                write!(
                    f,
                    "{} has no kernels for {} weights on {gpu}, or none that its documentation names",
                    server.label(),
                    format.id()
                )
            }
            Self::Experts { server, ep, what, count: 0 } => {
                write!(f, "{} spreads {what} over {ep} ranks, and this model has none", server.label())
            }
            Self::Experts { server, ep, what, count } => write!(
                f,
                "expert parallelism of {} lies within tensor parallelism: {ep} ranks do not divide {count} {what}",
                server.label()
            ),
            Self::Blocks(server, blocks) if blocks.what.starts_with("moe") => write!(
                f,
                "{} {blocks}; as many expert-parallel ranks as tensor-parallel ones (--ep) leave experts whole",
                server.label()
            ),
            Self::Blocks(server, blocks) => write!(f, "{} {blocks}", server.label()),
            Self::Tiles(server, tiles) => write!(f, "{} {tiles}", server.label()),
            Self::OldExperts { server, format, gpu } => write!(
                f,
                "{} runs experts in {} by Triton's kernels, which stop on {gpu} (\"type fp8e4nv not supported in this architecture\"): it has no units for fp8; vLLM runs them there by Marlin's",
                server.label(),
                format.id()
            ),
            Self::NoClass(server) => write!(
                f,
                "{} has no class for this model, or none that is certain: its PyTorch backend runs the architectures of _torch/models/_arch_index.py",
                server.label()
            ),
        }
    }
}

impl core::error::Error for Refused {}
