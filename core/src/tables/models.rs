//! Models: shapes as published, each with the parameter count of its checkpoint and where that is known from.

use crate::architecture::{Architecture, Biases, Mlp, Norm, Positions, SlidingWindow};

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
    /// The parameter count that the engine must arrive at.
    pub parameters: u64,
    /// Where shape and count come from.
    pub source: &'static str,
}

/// The day on which the rows were last checked.
pub const CHECKED: &str = "2026-11-20";

/// The model with this id.
pub fn by_id(id: &str) -> Option<&'static Model> {
    MODELS.iter().find(|model| model.id == id)
}

/// Shapes from the published config.json; the count is that of the unique parameters of the `transformers` 4.57.6 class on PyTorch's meta device.
const META_DEVICE: &str = "published config.json; parameters counted in transformers 4.57.6 on PyTorch's meta device";
/// The same, where the config file of the reference repository is gated and the shape comes from the paper.
const PAPER: &str = "Brown et al. 2020, table 2.1 (shape); table D.1 gives 174,600 million parameters";
/// No real model.
const TEXTBOOK: &str = "no real model: the textbook's 7B with hidden_size 4096 and 32 layers, shaped like Llama 2 7B and rounded to 7,000,000,000 parameters";

/// Layers, hidden, heads, KV heads, head dimension, MLP width, vocabulary, context.
type Shape = [u32; 8];

const fn llama(
    [layers, hidden_size, heads, kv_heads, head_dim, intermediate_size, vocab_size, context]: Shape,
) -> Architecture {
    Architecture {
        trained_context: Some(context),
        ..Architecture::llama([layers, hidden_size, heads, kv_heads, head_dim, intermediate_size, vocab_size])
    }
}

const fn gpt2(layers: u32, hidden_size: u32, heads: u32, context: u32) -> Architecture {
    Architecture {
        mlp: Mlp::GeluNew,
        norm: Norm::LayerNorm,
        positions: Positions::Learned(context),
        biases: Biases { qkv: true, attention_output: true, mlp: true },
        tied_embeddings: true,
        dropout: true,
        ..llama([layers, hidden_size, heads, heads, hidden_size / heads, 4 * hidden_size, 50_257, context])
    }
}

const fn qwen2(shape: Shape) -> Architecture {
    Architecture { biases: Biases { qkv: true, attention_output: false, mlp: false }, ..llama(shape) }
}

const fn tied(architecture: Architecture) -> Architecture {
    Architecture { tied_embeddings: true, ..architecture }
}

const fn row(
    id: &'static str,
    name: &'static str,
    family: &'static str,
    architecture: Architecture,
    parameters: u64,
    source: &'static str,
) -> Model {
    Model { id, name, family, architecture, parameters, source }
}

/// Every model, by family.
#[rustfmt::skip] // one row a line reads as the table it is
pub static MODELS: &[Model] = &[
    row("generic-7b", "Generic 7B (MHA)", "Textbook",
        Architecture { rounded_parameters: Some(7_000_000_000), ..llama([32, 4096, 32, 32, 128, 11_008, 32_000, 4096]) }, 7_000_000_000, TEXTBOOK),
    row("gpt2-small", "GPT-2 small", "GPT", gpt2(12, 768, 12, 1024), 124_439_808, META_DEVICE),
    row("gpt2-medium", "GPT-2 medium", "GPT", gpt2(24, 1024, 16, 1024), 354_823_168, META_DEVICE),
    row("gpt2-xl", "GPT-2 XL", "GPT", gpt2(48, 1600, 25, 1024), 1_557_611_200, META_DEVICE),
    row("gpt3-175b", "GPT-3 175B", "GPT", gpt2(96, 12_288, 96, 2048), 174_604_259_328, PAPER),
    row("llama-2-7b", "Llama 2 7B", "Llama", llama([32, 4096, 32, 32, 128, 11_008, 32_000, 4096]), 6_738_415_616, META_DEVICE),
    row("llama-2-13b", "Llama 2 13B", "Llama", llama([40, 5120, 40, 40, 128, 13_824, 32_000, 4096]), 13_015_864_320, META_DEVICE),
    row("llama-2-70b", "Llama 2 70B", "Llama", llama([80, 8192, 64, 8, 128, 28_672, 32_000, 4096]), 68_976_648_192, META_DEVICE),
    row("llama-3.1-8b", "Llama 3.1 8B", "Llama", llama([32, 4096, 32, 8, 128, 14_336, 128_256, 131_072]), 8_030_261_248, META_DEVICE),
    row("llama-3.1-70b", "Llama 3.1 70B", "Llama", llama([80, 8192, 64, 8, 128, 28_672, 128_256, 131_072]), 70_553_706_496, META_DEVICE),
    row("llama-3.1-405b", "Llama 3.1 405B", "Llama", llama([126, 16_384, 128, 8, 128, 53_248, 128_256, 131_072]), 405_853_388_800, META_DEVICE),
    row("llama-3.2-1b", "Llama 3.2 1B", "Llama", tied(llama([16, 2048, 32, 8, 64, 8192, 128_256, 131_072])), 1_235_814_400, META_DEVICE),
    row("llama-3.2-3b", "Llama 3.2 3B", "Llama", tied(llama([28, 3072, 24, 8, 128, 8192, 128_256, 131_072])), 3_212_749_824, META_DEVICE),
    row("mistral-7b-v0.1", "Mistral 7B v0.1", "Mistral",
        Architecture { sliding_window: Some(SlidingWindow::over(32, 4096)), ..llama([32, 4096, 32, 8, 128, 14_336, 32_000, 32_768]) }, 7_241_732_096, META_DEVICE),
    row("mistral-7b-v0.3", "Mistral 7B v0.3", "Mistral", llama([32, 4096, 32, 8, 128, 14_336, 32_768, 32_768]), 7_248_023_552, META_DEVICE),
    row("qwen2.5-7b", "Qwen2.5 7B", "Qwen", qwen2([28, 3584, 28, 4, 128, 18_944, 152_064, 131_072]), 7_615_616_512, META_DEVICE),
    row("qwen2.5-72b", "Qwen2.5 72B", "Qwen", qwen2([80, 8192, 64, 8, 128, 29_568, 152_064, 131_072]), 72_706_203_648, META_DEVICE),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_count_is_the_published_one() {
        for model in MODELS {
            assert_eq!(model.architecture.check(), Ok(()), "{}", model.id);
            assert_eq!(model.architecture.parameters().total(), model.parameters, "{}", model.id);
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
            let final_norm = match model.architecture.norm {
                Norm::RmsNorm => 1,
                Norm::LayerNorm => 2,
            } * u64::from(model.architecture.hidden_size);
            assert_eq!((counted.embedding, counted.head, counted.positions), (embedding, head, positions), "{id}");
            assert_eq!(
                counted.vectors,
                norms_and_biases_per_layer * u64::from(model.architecture.layers) + final_norm,
                "{id}"
            );
        }
    }
}
