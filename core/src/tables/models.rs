//! Models: shapes as published, each with the parameter count of its checkpoint and where that is known from.

use crate::architecture::Architecture;
use crate::precision::WeightFormat;

mod rows;
mod shapes;

pub use rows::MODELS;

/// One model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// The name in links and on the command line.
    pub id: &'static str,
    /// The name to show.
    pub name: &'static str,
    /// The family, for grouping.
    pub family: &'static str,
    /// Its shape.
    pub architecture: Architecture,
    /// Where shape and count come from.
    pub source: &'static str,
}

/// Models that their makers publish in fewer than 16 bits.
///
/// # Source
/// `quantization_config` in the `config.json` of openai/gpt-oss-20b and 120b, deepseek-ai/DeepSeek-V3 and V3.2, DeepSeek-V4-Flash and V4-Pro (experts in MXFP4), moonshotai/Kimi-K2-Instruct, Kimi-K2-Thinking and Kimi-K2.5 (whose experts alone are in 4 bits) MiniMaxAI/MiniMax-M2,
/// mistralai/Mistral-Large-3-675B-Instruct-2512 and Mistral-Small-4-119B-2603 and Mistral-Medium-3.5-128B (one scale a matrix). Read 2026-11-26.
const PUBLISHED: [(&str, WeightFormat); 13] = [
    ("gpt-oss-20b", WeightFormat::Mxfp4),
    ("gpt-oss-120b", WeightFormat::Mxfp4),
    ("deepseek-v3", WeightFormat::Fp8Block),
    ("deepseek-v3.2", WeightFormat::Fp8Block),
    ("deepseek-v4-flash", WeightFormat::Mxfp4),
    ("deepseek-v4-pro", WeightFormat::Mxfp4),
    ("kimi-k2", WeightFormat::Fp8Block),
    ("kimi-k2-thinking", WeightFormat::Int4Group32),
    ("kimi-k2.5", WeightFormat::Int4Group32),
    ("minimax-m2", WeightFormat::Fp8Block),
    ("mistral-large-3", WeightFormat::Fp8Block),
    ("mistral-small-4", WeightFormat::Fp8),
    ("mistral-medium-3.5", WeightFormat::Fp8),
];

impl Model {
    /// Its parameters; a test compares them with the count of its checkpoint.
    pub fn parameters(&self) -> u64 {
        self.architecture.parameters().total()
    }

    /// The format of the published weights, where it is not one of 16 bits: what a server loads that is told nothing else.
    ///
    /// ```
    /// use memory_wall_core::{WeightFormat, tables::models};
    /// let of = |id| models::by_id(id).unwrap().published();
    /// assert_eq!((of("gpt-oss-20b"), of("llama-3.1-8b")), (Some(WeightFormat::Mxfp4), None));
    /// ```
    pub fn published(&self) -> Option<WeightFormat> {
        PUBLISHED.iter().find(|(id, _)| *id == self.id).map(|(_, format)| *format)
    }
}

/// The day on which the rows were last checked.
pub const CHECKED: &str = "2026-11-23";

/// The model with this id.
pub fn by_id(id: &str) -> Option<&'static Model> {
    MODELS.iter().find(|model| model.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_count_is_the_published_one() {
        assert_eq!(MODELS.len(), rows::COUNTS.len());
        for (model, count) in MODELS.iter().zip(rows::COUNTS) {
            assert_eq!(model.architecture.check(), Ok(()), "{}", model.id);
            assert_eq!(model.parameters(), *count, "{}", model.id);
            assert!(!model.source.is_empty());
        }
    }

    #[test]
    fn ids_are_unique() {
        for model in MODELS {
            assert_eq!(by_id(model.id), Some(model), "{} is there twice", model.id);
        }
    }

    #[test]
    fn breakdowns_agree_with_counts_by_kind_of_tensor() {
        for (id, embedding, head, positions, norms_and_biases_per_layer) in [
            ("gpt2-small", 38_597_376, 0, 786_432, 3_072 + 2_304 + 768 + 3_072 + 768),
            ("llama-2-7b", 131_072_000, 131_072_000, 0, 8_192),
            ("qwen2.5-7b", 544_997_376, 544_997_376, 0, 7_168 + 3_584 + 2 * 512),
        ] {
            let Some(model) = by_id(id) else { panic!("{id} is missing") };
            let counted = model.architecture.parameters();
            let final_norm = model.architecture.norm.vectors() * u64::from(model.architecture.hidden_size);
            assert_eq!((counted.embedding, counted.head, counted.positions), (embedding, head, positions), "{id}");
            assert_eq!(
                counted.vectors,
                norms_and_biases_per_layer * u64::from(model.architecture.layers) + final_norm,
                "{id}"
            );
        }
    }
}
