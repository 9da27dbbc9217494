//! What fills the memory, one file a bucket. Each hands out its terms; [`crate::worked::total`] adds them up.

pub mod activations;
pub mod adapters;
pub mod backward;
pub mod deepspeed;
mod gguf;
pub mod gradients;
pub mod host;
pub mod kinds;
pub mod kv_cache;
pub mod logits;
pub mod optimizer;
pub mod overhead;
pub mod paging;
mod phase;
mod stages;
mod states;
pub mod weights;

pub use phase::Phase;
pub(crate) use stages::full_stages;
pub use states::{StatePart, states};

choices! {
    /// A kind of content, in the order in which the wall is built: what stays first, what comes and goes on top.
    Bucket {
        /// The model's parameters.
        Weights = "weights";
        /// One gradient for each parameter.
        Gradients = "gradients";
        /// What the optimizer keeps.
        Optimizer = "optimizer";
        /// Keys and values of all tokens so far.
        KvCache = "kv_cache";
        /// Tensors kept for the backward pass, or the working space of a forward pass.
        Activations = "activations";
        /// Scores over the vocabulary and what the loss makes of them.
        Logits = "logits";
        /// CUDA context and libraries.
        Overhead = "overhead";
    }
}
