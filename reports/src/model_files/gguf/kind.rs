//! What a GGUF file is for, and which mix of types it has.

use memory_wall_core::WeightFormat;

use super::Gguf;
use super::metadata::Scalar;
use crate::model_files::class::Class;
use crate::model_files::dtype::Dtype;

/// A file that goes with a model, and is none by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sidecar {
    /// What sees or hears, and its projector (`mmproj-`).
    Projector,
    /// Layers that predict further tokens (`mtp-`).
    Prediction,
    /// An adapter (`LoRA`).
    Adapter,
    /// A vocabulary without a model.
    Vocabulary,
    /// How much each weight matters: what a quantiser reads.
    Importance,
}

impl Sidecar {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Projector => "a multimodal projector (mmproj)",
            Self::Prediction => "layers that predict further tokens (mtp)",
            Self::Adapter => "a LoRA adapter",
            Self::Vocabulary => "a vocabulary without a model",
            Self::Importance => "an importance matrix",
        }
    }
}

/// What `general.file_type` says, and the engine's format where it has that one.
///
/// Source: `LlamaFileType` in github.com/ggml-org/llama.cpp, gguf-py/gguf/constants.py; checked 2026-11-24.
const MIXES: [(u64, &str, Option<WeightFormat>); 38] = [
    (0, "F32", Some(WeightFormat::Fp32)),
    (1, "F16", Some(WeightFormat::Fp16)),
    (2, "Q4_0", Some(WeightFormat::Q4Zero)),
    (3, "Q4_1", None),
    (7, "Q8_0", Some(WeightFormat::Q8Zero)),
    (8, "Q5_0", Some(WeightFormat::Q5Zero)),
    (9, "Q5_1", None),
    (10, "Q2_K", Some(WeightFormat::Q2K)),
    (11, "Q3_K_S", Some(WeightFormat::Q3KS)),
    (12, "Q3_K_M", Some(WeightFormat::Q3K)),
    (13, "Q3_K_L", Some(WeightFormat::Q3KL)),
    (14, "Q4_K_S", Some(WeightFormat::Q4KS)),
    (15, "Q4_K_M", Some(WeightFormat::Q4K)),
    (16, "Q5_K_S", Some(WeightFormat::Q5KS)),
    (17, "Q5_K_M", Some(WeightFormat::Q5K)),
    (18, "Q6_K", Some(WeightFormat::Q6K)),
    (19, "IQ2_XXS", None),
    (20, "IQ2_XS", None),
    (21, "Q2_K_S", None),
    (22, "IQ3_XS", None),
    (23, "IQ3_XXS", None),
    (24, "IQ1_S", None),
    (25, "IQ4_NL", Some(WeightFormat::Iq4Nl)),
    (26, "IQ3_S", None),
    (27, "IQ3_M", None),
    (28, "IQ2_S", None),
    (29, "IQ2_M", None),
    (30, "IQ4_XS", Some(WeightFormat::Iq4Xs)),
    (31, "IQ1_M", None),
    (32, "BF16", Some(WeightFormat::Bf16)),
    (33, "Q4_0_4_4", None),
    (34, "Q4_0_4_8", None),
    (35, "Q4_0_8_8", None),
    (36, "TQ1_0", None),
    (37, "TQ2_0", None),
    (38, "MXFP4_MOE", Some(WeightFormat::Mxfp4)),
    (39, "NVFP4", Some(WeightFormat::Nvfp4)),
    (40, "Q1_0", None),
];

impl Gguf {
    /// What the file is, where it is no model by itself.
    pub fn sidecar(&self) -> Option<Sidecar> {
        let metadata = &self.metadata;
        let kind = metadata.text("general.type").unwrap_or("");
        let class = |class: Class| self.tensors.iter().any(|tensor| tensor.class == class);
        let layers = self.tensors.iter().any(|tensor| tensor.name.starts_with("blk.0."));
        if kind == "mmproj" || metadata.text("general.architecture") == Some("clip") {
            Some(Sidecar::Projector)
        } else if kind == "adapter" || metadata.get("adapter.type").is_some() {
            Some(Sidecar::Adapter)
        } else if kind == "imatrix" || metadata.get("imatrix.chunk_count").is_some() {
            Some(Sidecar::Importance)
        } else if kind == "mtp" || class(Class::Prediction) && !layers && self.parts() == 1 {
            Some(Sidecar::Prediction)
        } else if self.tensors.is_empty() && metadata.length("tokenizer.ggml.tokens").is_some() {
            Some(Sidecar::Vocabulary)
        } else {
            None
        }
    }

    /// How many files the model is in.
    pub fn parts(&self) -> u64 {
        self.metadata.whole("split.count").unwrap_or(1).max(1)
    }

    /// The mix of types that the file says it has: `Q4_K_M`.
    pub fn mix(&self) -> Option<&'static str> {
        self.file_type().map(|(_, name, _)| *name)
    }

    /// The engine's format for that mix.
    pub fn weights(&self) -> Option<WeightFormat> {
        self.file_type().and_then(|(_, _, format)| *format)
    }

    fn file_type(&self) -> Option<&'static (u64, &'static str, Option<WeightFormat>)> {
        // 1024 stands for a guess.
        let Some(Scalar::Whole(number)) = self.metadata.get("general.file_type") else { return None };
        MIXES.iter().find(|(known, _, _)| known == number)
    }

    /// The type that most bytes of the file are in.
    pub fn most_common(&self) -> Option<Dtype> {
        let shares = crate::model_files::breakdown(&self.tensors);
        let sum = |dtype: Dtype| {
            let own = shares.iter().filter(|share| share.dtype == dtype);
            own.fold(0_u64, |sum, share| sum.saturating_add(share.bytes))
        };
        shares.iter().map(|share| share.dtype).max_by_key(|dtype| (sum(*dtype), *dtype))
    }
}
