//! Models: shapes as published, each with the parameter count of its checkpoint and where that is known from.

use crate::architecture::{
    Architecture, Biases, Latent, LinearAttention, LinearKind, Mlp, Moe, Norm, Positions, Projection, SlidingWindow,
};

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
/// The same for a model with an image part, which is not counted.
const LANGUAGE_PART: &str = "text_config of the published config.json; parameters of the language model counted in transformers 4.57.6 on PyTorch's meta device";
/// No weights or config file were ever published: shape and count are those of the paper.
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

const EVERYWHERE: Biases = Biases { qkv: true, attention_output: true, mlp: true };

/// `LayerNorm`s, a plain MLP four times as wide as the model, one KV head for each query head.
const fn early(layers: u32, hidden_size: u32, heads: u32, vocab_size: u32, context: u32) -> Architecture {
    Architecture {
        mlp: Mlp::Gelu,
        norm: Norm::LayerNorm,
        tied_embeddings: true,
        ..llama([layers, hidden_size, heads, heads, hidden_size / heads, 4 * hidden_size, vocab_size, context])
    }
}

const fn gpt2(layers: u32, hidden_size: u32, heads: u32, context: u32) -> Architecture {
    Architecture {
        mlp: Mlp::GeluNew,
        positions: Positions::Learned(context),
        biases: EVERYWHERE,
        dropout: true,
        ..early(layers, hidden_size, heads, 50_257, context)
    }
}

/// Attention and MLP side by side, without biases.
const fn falcon(layers: u32, hidden_size: u32, heads: u32, kv_heads: u32, norms_per_layer: u32) -> Architecture {
    Architecture {
        kv_heads,
        norms_per_layer,
        parallel_residual: true,
        ..early(layers, hidden_size, heads, 65_024, 2_048)
    }
}

const fn qwen2(shape: Shape) -> Architecture {
    Architecture { biases: Biases { qkv: true, attention_output: false, mlp: false }, ..llama(shape) }
}

const fn qwen3(shape: Shape) -> Architecture {
    Architecture { qk_norm: true, ..llama(shape) }
}

const fn gemma2(shape: Shape) -> Architecture {
    Architecture { soft_capped: true, norms_per_layer: 4, ..tied(every_second(4_096, llama(shape))) }
}

/// Windows in all layers but every sixth.
const fn gemma3(window: u32, shape: Shape) -> Architecture {
    let sliding = SlidingWindow::over(shape[0] - shape[0] / 6, window);
    Architecture { sliding_window: Some(sliding), norms_per_layer: 4, ..tied(qwen3(shape)) }
}

const fn every_second(window: u32, architecture: Architecture) -> Architecture {
    let sliding = SlidingWindow::over(architecture.layers - architecture.layers / 2, window);
    Architecture { sliding_window: Some(sliding), ..architecture }
}

const fn everywhere(window: u32, architecture: Architecture) -> Architecture {
    Architecture { sliding_window: Some(SlidingWindow::over(architecture.layers, window)), ..architecture }
}

const fn tied(architecture: Architecture) -> Architecture {
    Architecture { tied_embeddings: true, ..architecture }
}

/// Experts, of which a token visits some, each as wide as the last number says.
const fn mixture([experts, per_token, width]: [u32; 3], architecture: Architecture) -> Architecture {
    Architecture { moe: Some(Moe::of(experts, per_token, width)), ..architecture }
}

/// Beside the routed experts one that every token visits, weighed by a gate of its own.
const fn with_gated_expert(width: u32, architecture: Architecture) -> Architecture {
    let Some(moe) = architecture.moe else { return architecture };
    Architecture { moe: Some(Moe { shared_intermediate_size: width, shared_gate: true, ..moe }), ..architecture }
}

const fn gpt_oss(layers: u32, experts: u32) -> Architecture {
    let shape = every_second(128, llama([layers, 2_880, 64, 8, 64, 2_880, 201_088, 131_072]));
    Architecture {
        attention_sinks: true,
        biases: Biases { qkv: true, attention_output: true, mlp: false },
        moe: Some(Moe { router_bias: true, expert_biases: true, ..Moe::of(experts, 4, 2_880) }),
        ..shape
    }
}

/// Latent attention; `shared` experts as wide as a routed one; the first layers dense.
const fn deepseek(
    q_lora_rank: Option<u32>,
    [experts, per_token, width]: [u32; 3],
    [shared, dense_layers]: [u32; 2],
    shape: Shape,
) -> Architecture {
    let latent = Latent { kv_lora_rank: 512, q_lora_rank, rope_dim: 64, nope_dim: 128, v_dim: 128 };
    let moe = Moe { shared_intermediate_size: shared * width, dense_layers, ..Moe::of(experts, per_token, width) };
    Architecture { projection: Projection::Latent(latent), moe: Some(moe), ..llama(shape) }
}

/// Linear attention in all layers but every fourth.
const QWEN3_NEXT: Architecture = Architecture {
    gated_attention: true,
    linear_attention: Some(LinearAttention {
        kind: LinearKind::GatedDelta,
        layers: 36,
        key_heads: 16,
        value_heads: 32,
        key_dim: 128,
        value_dim: 128,
        conv_kernel: 4,
    }),
    ..with_gated_expert(512, mixture([512, 10, 512], qwen3([48, 2048, 16, 2, 256, 5120, 151_936, 262_144])))
};

/// Attention in chunks, counted as a window, in all layers but every fourth; one shared expert as wide as a routed one.
const LLAMA_4_SCOUT: Architecture = Architecture {
    sliding_window: Some(SlidingWindow::over(36, 8_192)),
    moe: Some(Moe { shared_intermediate_size: 8_192, ..Moe::of(16, 1, 8_192) }),
    ..llama([48, 5120, 40, 8, 128, 16_384, 202_048, 10_485_760])
};

/// A row whose shape and count come from [`META_DEVICE`].
const fn row(
    id: &'static str,
    name: &'static str,
    family: &'static str,
    architecture: Architecture,
    parameters: u64,
) -> Model {
    Model { id, name, family, architecture, parameters, source: META_DEVICE }
}

const fn from(source: &'static str, model: Model) -> Model {
    Model { source, ..model }
}

/// Every model, by family.
#[rustfmt::skip] // one row a line reads as the table it is
pub static MODELS: &[Model] = &[
    from(TEXTBOOK, row("generic-7b", "Generic 7B (MHA)", "Textbook",
        Architecture { rounded_parameters: Some(7_000_000_000), ..llama([32, 4096, 32, 32, 128, 11_008, 32_000, 4096]) }, 7_000_000_000)),
    row("gpt2-small", "GPT-2 small", "GPT", gpt2(12, 768, 12, 1024), 124_439_808),
    row("gpt2-medium", "GPT-2 medium", "GPT", gpt2(24, 1024, 16, 1024), 354_823_168),
    row("gpt2-xl", "GPT-2 XL", "GPT", gpt2(48, 1600, 25, 1024), 1_557_611_200),
    from(PAPER, row("gpt3-175b", "GPT-3 175B", "GPT", gpt2(96, 12_288, 96, 2048), 174_604_259_328)),
    row("gpt-neox-20b", "GPT-NeoX 20B", "GPT",
        Architecture { mlp: Mlp::GeluNew, parallel_residual: true, biases: EVERYWHERE, tied_embeddings: false, ..early(44, 6144, 64, 50_432, 2048) }, 20_554_567_680),
    row("gpt-oss-20b", "gpt-oss 20B", "GPT", gpt_oss(24, 32), 20_914_757_184),
    row("gpt-oss-120b", "gpt-oss 120B", "GPT", gpt_oss(36, 128), 116_829_156_672),
    row("llama-2-7b", "Llama 2 7B", "Llama", llama([32, 4096, 32, 32, 128, 11_008, 32_000, 4096]), 6_738_415_616),
    row("llama-2-13b", "Llama 2 13B", "Llama", llama([40, 5120, 40, 40, 128, 13_824, 32_000, 4096]), 13_015_864_320),
    row("llama-2-70b", "Llama 2 70B", "Llama", llama([80, 8192, 64, 8, 128, 28_672, 32_000, 4096]), 68_976_648_192),
    row("codellama-34b", "Code Llama 34B", "Llama", llama([48, 8192, 64, 8, 128, 22_016, 32_000, 16_384]), 33_743_970_304),
    row("tinyllama-1.1b", "TinyLlama 1.1B", "Llama", llama([22, 2048, 32, 4, 64, 5632, 32_000, 2048]), 1_100_048_384),
    row("llama-3-8b", "Llama 3 8B", "Llama", llama([32, 4096, 32, 8, 128, 14_336, 128_256, 8192]), 8_030_261_248),
    row("llama-3.1-8b", "Llama 3.1 8B", "Llama", llama([32, 4096, 32, 8, 128, 14_336, 128_256, 131_072]), 8_030_261_248),
    row("llama-3.1-70b", "Llama 3.1 70B", "Llama", llama([80, 8192, 64, 8, 128, 28_672, 128_256, 131_072]), 70_553_706_496),
    row("llama-3.1-405b", "Llama 3.1 405B", "Llama", llama([126, 16_384, 128, 8, 128, 53_248, 128_256, 131_072]), 405_853_388_800),
    row("llama-3.2-1b", "Llama 3.2 1B", "Llama", tied(llama([16, 2048, 32, 8, 64, 8192, 128_256, 131_072])), 1_235_814_400),
    row("llama-3.2-3b", "Llama 3.2 3B", "Llama", tied(llama([28, 3072, 24, 8, 128, 8192, 128_256, 131_072])), 3_212_749_824),
    row("llama-3.3-70b", "Llama 3.3 70B", "Llama", llama([80, 8192, 64, 8, 128, 28_672, 128_256, 131_072]), 70_553_706_496),
    from(LANGUAGE_PART, row("llama-4-scout", "Llama 4 Scout (text)", "Llama", LLAMA_4_SCOUT, 107_769_861_120)),
    row("mistral-7b-v0.1", "Mistral 7B v0.1", "Mistral", everywhere(4096, llama([32, 4096, 32, 8, 128, 14_336, 32_000, 32_768])), 7_241_732_096),
    row("mistral-7b-v0.3", "Mistral 7B v0.3", "Mistral", llama([32, 4096, 32, 8, 128, 14_336, 32_768, 32_768]), 7_248_023_552),
    row("mistral-nemo-12b", "Mistral Nemo 12B", "Mistral", llama([40, 5120, 32, 8, 128, 14_336, 131_072, 131_072]), 12_247_782_400),
    from(LANGUAGE_PART, row("mistral-small-3.1-24b", "Mistral Small 3.1 24B (text)", "Mistral", llama([40, 5120, 32, 8, 128, 32_768, 131_072, 131_072]), 23_572_403_200)),
    row("mistral-large-2", "Mistral Large 2", "Mistral", llama([88, 12_288, 96, 8, 128, 28_672, 32_768, 131_072]), 122_610_069_504),
    row("mixtral-8x7b", "Mixtral 8x7B", "Mistral", mixture([8, 2, 14_336], llama([32, 4096, 32, 8, 128, 14_336, 32_000, 32_768])), 46_702_792_704),
    row("mixtral-8x22b", "Mixtral 8x22B", "Mistral", mixture([8, 2, 16_384], llama([56, 6144, 48, 8, 128, 16_384, 32_000, 65_536])), 140_620_634_112),
    row("qwen1.5-moe-a2.7b", "Qwen1.5 MoE A2.7B", "Qwen",
        with_gated_expert(5632, mixture([60, 4, 1408], qwen2([24, 2048, 16, 16, 128, 5632, 151_936, 8192]))), 14_315_784_192),
    row("qwen2.5-0.5b", "Qwen2.5 0.5B", "Qwen", tied(qwen2([24, 896, 14, 2, 64, 4864, 151_936, 32_768])), 494_032_768),
    row("qwen2.5-1.5b", "Qwen2.5 1.5B", "Qwen", tied(qwen2([28, 1536, 12, 2, 128, 8960, 151_936, 131_072])), 1_543_714_304),
    row("qwen2.5-3b", "Qwen2.5 3B", "Qwen", tied(qwen2([36, 2048, 16, 2, 128, 11_008, 151_936, 32_768])), 3_085_938_688),
    row("qwen2.5-7b", "Qwen2.5 7B", "Qwen", qwen2([28, 3584, 28, 4, 128, 18_944, 152_064, 131_072]), 7_615_616_512),
    row("qwen2.5-14b", "Qwen2.5 14B", "Qwen", qwen2([48, 5120, 40, 8, 128, 13_824, 152_064, 131_072]), 14_770_033_664),
    row("qwen2.5-32b", "Qwen2.5 32B", "Qwen", qwen2([64, 5120, 40, 8, 128, 27_648, 152_064, 131_072]), 32_763_876_352),
    row("qwen2.5-72b", "Qwen2.5 72B", "Qwen", qwen2([80, 8192, 64, 8, 128, 29_568, 152_064, 131_072]), 72_706_203_648),
    row("qwen3-0.6b", "Qwen3 0.6B", "Qwen", tied(qwen3([28, 1024, 16, 8, 128, 3072, 151_936, 40_960])), 596_049_920),
    row("qwen3-1.7b", "Qwen3 1.7B", "Qwen", tied(qwen3([28, 2048, 16, 8, 128, 6144, 151_936, 40_960])), 1_720_574_976),
    row("qwen3-4b", "Qwen3 4B", "Qwen", tied(qwen3([36, 2560, 32, 8, 128, 9728, 151_936, 40_960])), 4_022_468_096),
    row("qwen3-8b", "Qwen3 8B", "Qwen", qwen3([36, 4096, 32, 8, 128, 12_288, 151_936, 40_960]), 8_190_735_360),
    row("qwen3-14b", "Qwen3 14B", "Qwen", qwen3([40, 5120, 40, 8, 128, 17_408, 151_936, 40_960]), 14_768_307_200),
    row("qwen3-32b", "Qwen3 32B", "Qwen", qwen3([64, 5120, 64, 8, 128, 25_600, 151_936, 40_960]), 32_762_123_264),
    row("qwen3-30b-a3b", "Qwen3 30B A3B", "Qwen", mixture([128, 8, 768], qwen3([48, 2048, 32, 4, 128, 6144, 151_936, 40_960])), 30_532_122_624),
    row("qwen3-235b-a22b", "Qwen3 235B A22B", "Qwen", mixture([128, 8, 1536], qwen3([94, 4096, 64, 4, 128, 12_288, 151_936, 40_960])), 235_093_634_560),
    row("qwen3-coder-480b-a35b", "Qwen3-Coder 480B A35B", "Qwen", mixture([160, 8, 2560], qwen3([62, 6144, 96, 8, 128, 8192, 151_936, 262_144])), 480_154_875_392),
    row("qwen3-next-80b-a3b", "Qwen3-Next 80B A3B", "Qwen", QWEN3_NEXT, 79_674_391_296),
    row("gemma-2b", "Gemma 2B", "Gemma", tied(llama([18, 2048, 8, 1, 256, 16_384, 256_000, 8192])), 2_506_172_416),
    row("gemma-7b", "Gemma 7B", "Gemma", tied(llama([28, 3072, 16, 16, 256, 24_576, 256_000, 8192])), 8_537_680_896),
    row("gemma-2-2b", "Gemma 2 2B", "Gemma", gemma2([26, 2304, 8, 4, 256, 9216, 256_000, 8192]), 2_614_341_888),
    row("gemma-2-9b", "Gemma 2 9B", "Gemma", gemma2([42, 3584, 16, 8, 256, 14_336, 256_000, 8192]), 9_241_705_984),
    row("gemma-2-27b", "Gemma 2 27B", "Gemma", gemma2([46, 4608, 32, 16, 128, 36_864, 256_000, 8192]), 27_227_128_320),
    row("gemma-3-1b", "Gemma 3 1B", "Gemma", gemma3(512, [26, 1152, 4, 1, 256, 6912, 262_144, 32_768]), 999_885_952),
    from(LANGUAGE_PART, row("gemma-3-4b", "Gemma 3 4B (text)", "Gemma", gemma3(1024, [34, 2560, 8, 4, 256, 10_240, 262_208, 131_072]), 3_880_263_168)),
    from(LANGUAGE_PART, row("gemma-3-12b", "Gemma 3 12B (text)", "Gemma", gemma3(1024, [48, 3840, 16, 8, 256, 15_360, 262_208, 131_072]), 11_766_034_176)),
    from(LANGUAGE_PART, row("gemma-3-27b-text", "Gemma 3 27B (text)", "Gemma", gemma3(1024, [62, 5376, 32, 16, 128, 21_504, 262_208, 131_072]), 27_009_346_304)),
    row("phi-3-mini-4k", "Phi-3 mini 4k", "Phi", everywhere(2047, llama([32, 3072, 32, 32, 96, 8192, 32_064, 4096])), 3_821_079_552),
    row("phi-4", "Phi-4", "Phi", llama([40, 5120, 40, 10, 128, 17_920, 100_352, 16_384]), 14_659_507_200),
    row("phi-4-mini", "Phi-4 mini", "Phi", tied(everywhere(262_144, llama([32, 3072, 24, 8, 128, 8192, 200_064, 131_072]))), 3_836_021_760),
    row("deepseek-v2-lite", "DeepSeek-V2-Lite", "DeepSeek",
        deepseek(None, [64, 6, 1408], [2, 1], [27, 2048, 16, 16, 192, 10_944, 102_400, 163_840]), 15_706_484_224),
    row("deepseek-v2", "DeepSeek-V2", "DeepSeek",
        deepseek(Some(1536), [160, 6, 1536], [2, 1], [60, 5120, 128, 128, 192, 12_288, 102_400, 163_840]), 235_741_434_880),
    row("deepseek-v3", "DeepSeek-V3 and R1", "DeepSeek",
        deepseek(Some(1536), [256, 8, 2048], [1, 3], [61, 7168, 128, 128, 192, 18_432, 129_280, 163_840]), 671_026_404_352),
    row("granite-3.3-2b", "Granite 3.3 2B", "Granite", tied(llama([40, 2048, 32, 8, 64, 8192, 49_159, 131_072])), 2_533_539_840),
    row("granite-3.3-8b", "Granite 3.3 8B", "Granite", tied(llama([40, 4096, 32, 8, 128, 12_800, 49_159, 131_072])), 8_170_864_640),
    row("falcon-7b", "Falcon 7B", "Falcon", falcon(32, 4544, 71, 1, 1), 6_921_720_704),
    row("falcon-40b", "Falcon 40B", "Falcon", falcon(60, 8192, 128, 8, 2), 41_303_293_952),
    row("falcon-180b", "Falcon 180B", "Falcon", falcon(80, 14_848, 232, 8, 2), 178_557_088_768),
    row("opt-175b", "OPT 175B", "OPT and BLOOM",
        Architecture { mlp: Mlp::Relu, positions: Positions::Learned(2050), biases: EVERYWHERE, dropout: true, ..early(96, 12_288, 96, 50_272, 2048) }, 174_604_468_224),
    row("bloom-176b", "BLOOM 176B", "OPT and BLOOM",
        Architecture { positions: Positions::Alibi, embedding_norm: true, biases: EVERYWHERE, ..early(70, 14_336, 112, 250_880, 2048) }, 176_247_271_424),
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
