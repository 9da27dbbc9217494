//! What a reader of the answer should know about how a config was read.

use alloc::string::String;
use core::fmt;

/// Something that was read in a way that is not obvious.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// Only the language model of a model of several parts is counted.
    LanguageModelOnly {
        /// The `model_type` of the whole.
        around: String,
        /// The family of the language model.
        family: String,
    },
    /// Layers that predict further tokens are in the checkpoint and not in the model.
    PredictionLayers(u32),
    /// Attention in chunks is counted as a window.
    Chunks(u32),
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LanguageModelOnly { around, family } => write!(
                f,
                "Of the {around} model only the language model ({family}) is counted; what sees and projects images, or hears, comes on top."
            ),
            Self::PredictionLayers(layers) => write!(
                f,
                "The checkpoint holds {layers} more {} that predict{} further tokens and {} not loaded by transformers; {} not counted.",
                if *layers == 1 { "layer" } else { "layers" },
                if *layers == 1 { "s" } else { "" },
                if *layers == 1 { "is" } else { "are" },
                if *layers == 1 { "it is" } else { "they are" },
            ),
            Self::Chunks(tokens) => write!(
                f,
                "Layers that attend in chunks of {tokens} tokens are counted as layers with a window of that size, which is the most they keep."
            ),
        }
    }
}
