//! The rows, by family.

use super::Model;
use super::shapes::{
    EVERYWHERE, KIMI_LINEAR, LLAMA_4_MAVERICK, LLAMA_4_SCOUT, MINIMAX_M3, MISTRAL_LARGE_3, MISTRAL_SMALL_4, QWEN3_NEXT,
    apertus, at_width, but_every_fourth, cohere2, deepseek, deepseek_v3, deepseek_v4, early, everywhere, falcon,
    falcon_h1, gemma, gemma2, gemma3, gemma4, glm_5, gpt_oss, gpt2, granite4, indexed, jamba, joined, kimi_k2, latent,
    lfm2, ling, llama, mixture, mixture_behind, nemotron_h, olmo2, olmo3, phi3, predicting, qwen2, qwen3, qwen3_5,
    starcoder2, three_axes, tied, wide_norms, with_expert, with_gated_expert, with_router_bias,
};
use crate::architecture::{Architecture, Latent, Mlp, Positions, Tower};

/// Shapes from the published config.json; the count is that of the unique parameters of the `transformers` 5.23.0 class on PyTorch's meta device.
const META_DEVICE: &str = "published config.json; parameters counted in transformers 5.23.0 on PyTorch's meta device";
/// The same for a model with an image part, which is not counted.
const LANGUAGE_PART: &str = "text_config of the published config.json; parameters of the language model counted in transformers 5.23.0 on PyTorch's meta device";
/// Shapes from the published config.json, of a class that `transformers` does not have.
const OWN_CODE: &str = "published config.json and the model's own code; the count is the published one less buffers";
/// No weights or config file were ever published: shape and count are those of the paper.
const PAPER: &str = "Brown et al. 2020, table 2.1 (shape); table D.1 gives 174,600 million parameters";
/// No real model.
const TEXTBOOK: &str = "no real model: the textbook's 7B with hidden_size 4096 and 32 layers, shaped like Llama 2 7B and rounded to 7,000,000,000 parameters";

/// A model, and the parameter count that the engine must arrive at.
type Row = (Model, u64);

/// A row whose shape and count come from [`META_DEVICE`].
const fn row(
    id: &'static str,
    name: &'static str,
    family: &'static str,
    architecture: Architecture,
    parameters: u64,
) -> Row {
    (Model { id, name, family, architecture, source: META_DEVICE }, parameters)
}

const fn from(source: &'static str, (model, parameters): Row) -> Row {
    (Model { source, ..model }, parameters)
}

/// With a tower of so many parameters, of the vision model and its projector.
///
/// # Source
/// Counted by the sizes in `vision_config`, which the published totals agree with: Gemma 3 4B 4,300,079,472; Mistral Small 3.1 24,011,361,280; Llama 4 Scout 108,641,793,536;
/// Ministral 3 14B 13,945,031,680; Qwen2.5-VL 3B, 7B and 32B 3,754,622,976, 8,292,166,656 and 33,452,718,336; Qwen3-VL 2B, 4B, 8B, 32B, 30B and 235B 2,127,532,032,
/// 4,437,815,808, 8,767,123,696, 33,357,390,064, 31,070,754,032 and 235,670,022,896; Qwen3.5 0.8B, 2B, 4B and 27B 873,438,784, 2,274,069,824, 4,659,865,088 and 27,781,427,952, with a layer that drafts. Of Gemma 4 some 0.55e9 by its card, and 0.57e9 by a log of
/// "Model loading took 31.04 GiB" beside the language model. Read 2026-11-26.
const fn seeing(parameters: u32, ([tokens, values], [levels, width]): Image, (model, counted): Row) -> Row {
    let tower = Some(Tower { parameters, tokens, values, levels, width });
    (Model { architecture: Architecture { tower, ..model.architecture }, ..model }, counted)
}

/// Tokens of the largest image, values of its pixels, as the start-up profile of vLLM has them, further outputs of the tower, and its width where a pass of it is known.
///
/// # Source
/// `preprocessor_config.json` of each: 896 x 896 pixels in 256 tokens; 1,540 x 1,540 in patches of 28; 16 tiles of 336 x 336 and one of the whole; 16,384 tokens of four patches of
/// 16 x 16 in two frames, at most, of Qwen2.5-VL 14 x 14; `deepstack_visual_indexes` and `hidden_size` of `vision_config`. Of Gemma 4 as of Gemma 3. Read 2026-11-26.
type Image = ([u32; 2], [u16; 2]);

const GEMMA_IMAGE: Image = ([256, 3 * 896 * 896], [0, 0]);
const PIXTRAL_IMAGE: Image = ([55 * 55, 3 * 1_540 * 1_540], [0, 0]);
const LLAMA_4_IMAGE: Image = ([17 * 144, 17 * 3 * 336 * 336], [0, 0]);
const QWEN_IMAGE: Image = ([16_384, 65_536 * 1_536], [0, 1_152]);
const QWEN_SMALL: Image = ([16_384, 65_536 * 1_536], [0, 1_024]);
const QWEN_LEAST: Image = ([16_384, 65_536 * 1_536], [0, 768]);
const QWEN3_IMAGE: Image = ([16_384, 65_536 * 1_536], [3, 1_152]);
const QWEN3_SMALL: Image = ([16_384, 65_536 * 1_536], [3, 1_024]);
const QWEN2_5_IMAGE: Image = ([16_384, 65_536 * 1_176], [0, 0]);

/// The table below, with its counts apart from it: the engine arrives at each, so that no program carries them.
macro_rules! models {
    ($($row:expr),* $(,)?) => {
        /// Every model by family, and in each by release.
        pub static MODELS: &[Model] = &[$($row.0),*];

        /// The count of each row above, in its order.
        #[cfg(test)]
        pub(super) static COUNTS: &[u64] = &[$($row.1),*];
    };
}

#[rustfmt::skip] // one row a line reads as the table it is
models![
    from(TEXTBOOK, row("generic-7b", "Generic 7B (MHA)", "Textbook",
        Architecture { rounded_parameters: Some(7_000_000_000), ..llama([32, 4096, 32, 32, 128, 11_008, 32_000, 4096]) }, 7_000_000_000)),
    row("gpt2-small", "GPT-2 small", "GPT", gpt2(12, 768, 12, 1024), 124_439_808),
    row("gpt2-medium", "GPT-2 medium", "GPT", gpt2(24, 1024, 16, 1024), 354_823_168),
    row("gpt2-xl", "GPT-2 XL", "GPT", gpt2(48, 1600, 25, 1024), 1_557_611_200),
    from(PAPER, row("gpt3-175b", "GPT-3 175B", "GPT", gpt2(96, 12_288, 96, 2048), 174_604_259_328)),
    row("gpt-neox-20b", "GPT-NeoX 20B", "GPT",
        Architecture { mlp: Mlp::GeluNew, parallel_residual: true, fused_qkv: true, joined_rotation: true, biases: EVERYWHERE, tied_embeddings: false, ..early(44, 6144, 64, 50_432, 2048) }, 20_554_567_680),
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
    from(LANGUAGE_PART, seeing(871_932_416, LLAMA_4_IMAGE, row("llama-4-scout", "Llama 4 Scout (text)", "Llama", LLAMA_4_SCOUT, 107_769_861_120))),
    from(LANGUAGE_PART, seeing(871_932_416, LLAMA_4_IMAGE, row("llama-4-maverick", "Llama 4 Maverick (text)", "Llama", LLAMA_4_MAVERICK, 400_711_848_960))),
    row("mistral-7b-v0.1", "Mistral 7B v0.1", "Mistral", everywhere(4096, llama([32, 4096, 32, 8, 128, 14_336, 32_000, 32_768])), 7_241_732_096),
    row("mistral-7b-v0.3", "Mistral 7B v0.3", "Mistral", llama([32, 4096, 32, 8, 128, 14_336, 32_768, 32_768]), 7_248_023_552),
    row("mixtral-8x7b", "Mixtral 8x7B", "Mistral", mixture([8, 2, 14_336], llama([32, 4096, 32, 8, 128, 14_336, 32_000, 32_768])), 46_702_792_704),
    row("mixtral-8x22b", "Mixtral 8x22B", "Mistral", mixture([8, 2, 16_384], llama([56, 6144, 48, 8, 128, 16_384, 32_000, 65_536])), 140_620_634_112),
    row("mistral-nemo-12b", "Mistral Nemo 12B", "Mistral", llama([40, 5120, 32, 8, 128, 14_336, 131_072, 131_072]), 12_247_782_400),
    row("ministral-8b-2410", "Ministral 8B (2410)", "Mistral", everywhere(32_768, llama([36, 4096, 32, 8, 128, 12_288, 131_072, 32_768])), 8_019_808_256),
    row("mistral-small-3-24b", "Mistral Small 3 24B", "Mistral", llama([40, 5120, 32, 8, 128, 32_768, 131_072, 32_768]), 23_572_403_200),
    from(LANGUAGE_PART, seeing(438_958_080, PIXTRAL_IMAGE, row("mistral-small-3.1-24b", "Mistral Small 3.1 24B (text)", "Mistral", llama([40, 5120, 32, 8, 128, 32_768, 131_072, 131_072]), 23_572_403_200))),
    row("mistral-large-2", "Mistral Large 2", "Mistral", llama([88, 12_288, 96, 8, 128, 28_672, 32_768, 131_072]), 122_610_069_504),
    from(LANGUAGE_PART, seeing(420_083_712, PIXTRAL_IMAGE, row("ministral-3-3b", "Ministral 3 3B (text)", "Mistral", tied(llama([26, 3072, 32, 8, 128, 9216, 131_072, 262_144])), 3_429_006_336))),
    from(LANGUAGE_PART, seeing(428_472_320, PIXTRAL_IMAGE, row("ministral-3-8b", "Ministral 3 8B (text)", "Mistral", llama([34, 4096, 32, 8, 128, 14_336, 131_072, 262_144]), 8_489_553_920))),
    from(LANGUAGE_PART, seeing(438_958_080, PIXTRAL_IMAGE, row("ministral-3-14b", "Ministral 3 14B (text)", "Mistral", llama([40, 5120, 32, 8, 128, 16_384, 131_072, 262_144]), 13_506_073_600))),
    from(LANGUAGE_PART, seeing(428_472_320, PIXTRAL_IMAGE, row("mistral-small-4", "Mistral Small 4 119B (text)", "Mistral", MISTRAL_SMALL_4, 118_972_826_624))),
    from(LANGUAGE_PART, seeing(2_570_087_168, PIXTRAL_IMAGE, row("mistral-large-3", "Mistral Large 3 675B (text)", "Mistral", MISTRAL_LARGE_3, 673_421_089_792))),
    from(LANGUAGE_PART, seeing(2_678_221_568, PIXTRAL_IMAGE, row("mistral-medium-3.5", "Mistral Medium 3.5 (text)", "Mistral", llama([88, 12_288, 96, 8, 128, 28_672, 131_072, 262_144]), 125_025_988_608))),
    row("qwen1.5-moe-a2.7b", "Qwen1.5 MoE A2.7B", "Qwen",
        with_gated_expert(5632, mixture([60, 4, 1408], qwen2([24, 2048, 16, 16, 128, 5632, 151_936, 8192]))), 14_315_784_192),
    row("qwen2.5-0.5b", "Qwen2.5 0.5B", "Qwen", tied(qwen2([24, 896, 14, 2, 64, 4864, 151_936, 32_768])), 494_032_768),
    row("qwen2.5-1.5b", "Qwen2.5 1.5B", "Qwen", tied(qwen2([28, 1536, 12, 2, 128, 8960, 151_936, 131_072])), 1_543_714_304),
    row("qwen2.5-3b", "Qwen2.5 3B", "Qwen", tied(qwen2([36, 2048, 16, 2, 128, 11_008, 151_936, 32_768])), 3_085_938_688),
    row("qwen2.5-7b", "Qwen2.5 7B", "Qwen", qwen2([28, 3584, 28, 4, 128, 18_944, 152_064, 131_072]), 7_615_616_512),
    row("qwen2.5-14b", "Qwen2.5 14B", "Qwen", qwen2([48, 5120, 40, 8, 128, 13_824, 152_064, 131_072]), 14_770_033_664),
    row("qwen2.5-32b", "Qwen2.5 32B", "Qwen", qwen2([64, 5120, 40, 8, 128, 27_648, 152_064, 131_072]), 32_763_876_352),
    row("qwq-32b", "QwQ 32B", "Qwen", qwen2([64, 5120, 40, 8, 128, 27_648, 152_064, 40_960]), 32_763_876_352),
    row("qwen2.5-72b", "Qwen2.5 72B", "Qwen", qwen2([80, 8192, 64, 8, 128, 29_568, 152_064, 131_072]), 72_706_203_648),
    from(LANGUAGE_PART, seeing(668_684_288, QWEN2_5_IMAGE, row("qwen2.5-vl-3b", "Qwen2.5-VL 3B (text)", "Qwen", three_axes(tied(qwen2([36, 2048, 16, 2, 128, 11_008, 151_936, 128_000]))), 3_085_938_688))),
    from(LANGUAGE_PART, seeing(676_550_144, QWEN2_5_IMAGE, row("qwen2.5-vl-7b", "Qwen2.5-VL 7B (text)", "Qwen", three_axes(qwen2([28, 3584, 28, 4, 128, 18_944, 152_064, 128_000])), 7_615_616_512))),
    from(LANGUAGE_PART, seeing(688_841_984, QWEN2_5_IMAGE, row("qwen2.5-vl-32b", "Qwen2.5-VL 32B (text)", "Qwen", three_axes(qwen2([64, 5120, 40, 8, 128, 27_648, 152_064, 128_000])), 32_763_876_352))),
    row("qwen3-0.6b", "Qwen3 0.6B", "Qwen", tied(qwen3([28, 1024, 16, 8, 128, 3072, 151_936, 40_960])), 596_049_920),
    row("qwen3-1.7b", "Qwen3 1.7B", "Qwen", tied(qwen3([28, 2048, 16, 8, 128, 6144, 151_936, 40_960])), 1_720_574_976),
    row("qwen3-4b", "Qwen3 4B", "Qwen", tied(qwen3([36, 2560, 32, 8, 128, 9728, 151_936, 40_960])), 4_022_468_096),
    row("qwen3-4b-2507", "Qwen3 4B 2507", "Qwen", tied(qwen3([36, 2560, 32, 8, 128, 9728, 151_936, 262_144])), 4_022_468_096),
    row("qwen3-8b", "Qwen3 8B", "Qwen", qwen3([36, 4096, 32, 8, 128, 12_288, 151_936, 40_960]), 8_190_735_360),
    row("qwen3-14b", "Qwen3 14B", "Qwen", qwen3([40, 5120, 40, 8, 128, 17_408, 151_936, 40_960]), 14_768_307_200),
    row("qwen3-32b", "Qwen3 32B", "Qwen", qwen3([64, 5120, 64, 8, 128, 25_600, 151_936, 40_960]), 32_762_123_264),
    row("qwen3-30b-a3b", "Qwen3 30B A3B", "Qwen", mixture([128, 8, 768], qwen3([48, 2048, 32, 4, 128, 6144, 151_936, 40_960])), 30_532_122_624),
    row("qwen3-30b-a3b-2507", "Qwen3 30B A3B 2507 and Coder", "Qwen", mixture([128, 8, 768], qwen3([48, 2048, 32, 4, 128, 6144, 151_936, 262_144])), 30_532_122_624),
    row("qwen3-235b-a22b", "Qwen3 235B A22B", "Qwen", mixture([128, 8, 1536], qwen3([94, 4096, 64, 4, 128, 12_288, 151_936, 40_960])), 235_093_634_560),
    row("qwen3-235b-a22b-2507", "Qwen3 235B A22B 2507", "Qwen", mixture([128, 8, 1536], qwen3([94, 4096, 64, 4, 128, 12_288, 151_936, 262_144])), 235_093_634_560),
    row("qwen3-coder-480b-a35b", "Qwen3-Coder 480B A35B", "Qwen", mixture([160, 8, 2560], qwen3([62, 6144, 96, 8, 128, 8192, 151_936, 262_144])), 480_154_875_392),
    row("qwen3-next-80b-a3b", "Qwen3-Next 80B A3B", "Qwen", QWEN3_NEXT, 79_674_391_296),
    from(LANGUAGE_PART, seeing(406_957_056, QWEN3_SMALL, row("qwen3-vl-2b", "Qwen3-VL 2B (text)", "Qwen", three_axes(tied(qwen3([28, 2048, 16, 8, 128, 6144, 151_936, 262_144]))), 1_720_574_976))),
    from(LANGUAGE_PART, seeing(415_347_712, QWEN3_SMALL, row("qwen3-vl-4b", "Qwen3-VL 4B (text)", "Qwen", three_axes(tied(qwen3([36, 2560, 32, 8, 128, 9728, 151_936, 262_144]))), 4_022_468_096))),
    from(LANGUAGE_PART, seeing(576_388_336, QWEN3_IMAGE, row("qwen3-vl-8b", "Qwen3-VL 8B (text)", "Qwen", three_axes(qwen3([36, 4096, 32, 8, 128, 12_288, 151_936, 262_144])), 8_190_735_360))),
    from(LANGUAGE_PART, seeing(595_266_800, QWEN3_IMAGE, row("qwen3-vl-32b", "Qwen3-VL 32B (text)", "Qwen", three_axes(qwen3([64, 5120, 64, 8, 128, 25_600, 151_936, 262_144])), 32_762_123_264))),
    from(LANGUAGE_PART, seeing(538_631_408, QWEN3_IMAGE, row("qwen3-vl-30b-a3b", "Qwen3-VL 30B A3B (text)", "Qwen", three_axes(mixture([128, 8, 768], qwen3([48, 2048, 32, 4, 128, 6144, 151_936, 262_144]))), 30_532_122_624))),
    from(LANGUAGE_PART, seeing(576_388_336, QWEN3_IMAGE, row("qwen3-vl-235b-a22b", "Qwen3-VL 235B A22B (text)", "Qwen", three_axes(mixture([128, 8, 1536], qwen3([94, 4096, 64, 4, 128, 12_288, 151_936, 262_144]))), 235_093_634_560))),
    from(LANGUAGE_PART, seeing(100_592_896, QWEN_LEAST, row("qwen3.5-0.8b", "Qwen3.5 0.8B (text)", "Qwen", tied(qwen3_5(16, [24, 1024, 8, 2, 256, 3584, 248_320, 262_144])), 752_393_024))),
    from(LANGUAGE_PART, seeing(331_416_576, QWEN_SMALL, row("qwen3.5-2b", "Qwen3.5 2B (text)", "Qwen", tied(qwen3_5(16, [24, 2048, 8, 2, 256, 6144, 248_320, 262_144])), 1_881_825_088))),
    from(LANGUAGE_PART, seeing(333_514_240, QWEN_SMALL, row("qwen3.5-4b", "Qwen3.5 4B (text)", "Qwen", tied(qwen3_5(32, [32, 2560, 16, 4, 256, 9216, 248_320, 262_144])), 4_205_751_296))),
    from(LANGUAGE_PART, seeing(456_010_480, QWEN_IMAGE, row("qwen3.5-9b", "Qwen3.5 9B (text)", "Qwen", qwen3_5(32, [32, 4096, 16, 4, 256, 12_288, 248_320, 262_144]), 8_953_803_264))),
    from(LANGUAGE_PART, seeing(460_730_096, QWEN_IMAGE, row("qwen3.5-27b", "Qwen3.5 to 3.8 27B (text)", "Qwen", qwen3_5(48, [64, 5120, 24, 4, 256, 17_408, 248_320, 262_144]), 26_895_998_464))),
    from(LANGUAGE_PART, seeing(446_571_248, QWEN_IMAGE, row("qwen3.5-35b-a3b", "Qwen3.5/3.6 35B A3B (text)", "Qwen", with_gated_expert(512, mixture([256, 8, 512], qwen3_5(32, [40, 2048, 16, 2, 256, 512, 248_320, 262_144]))), 34_660_610_688))),
    from(LANGUAGE_PART, seeing(451_290_864, QWEN_IMAGE, row("qwen3.5-122b-a10b", "Qwen3.5 122B A10B (text)", "Qwen", with_gated_expert(1024, mixture([256, 8, 1024], qwen3_5(64, [48, 3072, 32, 2, 256, 1024, 248_320, 262_144]))), 122_111_526_912))),
    from(LANGUAGE_PART, seeing(456_010_480, QWEN_IMAGE, row("qwen3.5-397b-a17b", "Qwen3.5 397B A17B (text)", "Qwen", with_gated_expert(1024, mixture([512, 10, 1024], qwen3_5(64, [60, 4096, 32, 2, 256, 1024, 248_320, 262_144]))), 396_346_350_336))),
    row("qwen3.8-2.4t-a95b", "Qwen3.8 2.4T A95B", "Qwen", with_gated_expert(2048, mixture([512, 10, 2048], qwen3_5(128, [92, 8192, 64, 4, 256, 2048, 248_320, 262_144]))), 2_419_804_697_984),
    row("gemma-2b", "Gemma 2B", "Gemma", gemma(tied(llama([18, 2048, 8, 1, 256, 16_384, 256_000, 8192]))), 2_506_172_416),
    row("gemma-7b", "Gemma 7B", "Gemma", gemma(tied(llama([28, 3072, 16, 16, 256, 24_576, 256_000, 8192]))), 8_537_680_896),
    row("gemma-2-2b", "Gemma 2 2B", "Gemma", gemma2([26, 2304, 8, 4, 256, 9216, 256_000, 8192]), 2_614_341_888),
    row("gemma-2-9b", "Gemma 2 9B", "Gemma", gemma2([42, 3584, 16, 8, 256, 14_336, 256_000, 8192]), 9_241_705_984),
    row("gemma-2-27b", "Gemma 2 27B", "Gemma", gemma2([46, 4608, 32, 16, 128, 36_864, 256_000, 8192]), 27_227_128_320),
    row("gemma-3-270m", "Gemma 3 270M", "Gemma", gemma3(512, [18, 640, 4, 1, 256, 2048, 262_144, 32_768]), 268_098_176),
    row("gemma-3-1b", "Gemma 3 1B", "Gemma", gemma3(512, [26, 1152, 4, 1, 256, 6912, 262_144, 32_768]), 999_885_952),
    from(LANGUAGE_PART, seeing(419_816_304, GEMMA_IMAGE, row("gemma-3-4b", "Gemma 3 4B (text)", "Gemma", gemma3(1024, [34, 2560, 8, 4, 256, 10_240, 262_208, 131_072]), 3_880_263_168))),
    from(LANGUAGE_PART, seeing(421_290_864, GEMMA_IMAGE, row("gemma-3-12b", "Gemma 3 12B (text)", "Gemma", gemma3(1024, [48, 3840, 16, 8, 256, 15_360, 262_208, 131_072]), 11_766_034_176))),
    from(LANGUAGE_PART, seeing(423_060_336, GEMMA_IMAGE, row("gemma-3-27b-text", "Gemma 3 27B (text)", "Gemma", gemma3(1024, [62, 5376, 32, 16, 128, 21_504, 262_208, 131_072]), 27_009_346_304))),
    from(LANGUAGE_PART, row("gemma-4-12b", "Gemma 4 12B (text)", "Gemma", gemma4(1024, 1, [48, 3840, 16, 8, 256, 15_360, 262_144, 262_144]), 11_907_350_272)),
    from(LANGUAGE_PART, seeing(570_000_000, GEMMA_IMAGE, row("gemma-4-31b", "Gemma 4 31B (text)", "Gemma", gemma4(1024, 4, [60, 5376, 32, 16, 256, 21_504, 262_144, 262_144]), 30_697_345_280))),
    from(LANGUAGE_PART, seeing(570_000_000, GEMMA_IMAGE, row("gemma-4-26b-a4b", "Gemma 4 26B A4B (text)", "Gemma",
        Architecture { norms_per_layer: 8, ..with_router_bias(with_expert(2112, mixture([128, 8, 704], gemma4(1024, 2, [30, 2816, 16, 8, 256, 2112, 262_144, 262_144])))) }, 25_233_141_760))),
    row("phi-3-mini-4k", "Phi-3 mini 4k", "Phi", phi3(everywhere(2047, llama([32, 3072, 32, 32, 96, 8192, 32_064, 4096]))), 3_821_079_552),
    row("phi-3-medium-4k", "Phi-3 medium 4k", "Phi", phi3(everywhere(2047, llama([40, 5120, 40, 10, 128, 17_920, 32_064, 4096]))), 13_960_238_080),
    row("phi-3.5-mini", "Phi-3.5 mini", "Phi", phi3(everywhere(262_144, llama([32, 3072, 32, 32, 96, 8192, 32_064, 131_072]))), 3_821_079_552),
    row("phi-4", "Phi-4", "Phi", phi3(llama([40, 5120, 40, 10, 128, 17_920, 100_352, 16_384])), 14_659_507_200),
    row("phi-4-mini", "Phi-4 mini", "Phi", phi3(tied(everywhere(262_144, llama([32, 3072, 24, 8, 128, 8192, 200_064, 131_072])))), 3_836_021_760),
    row("deepseek-v2-lite", "DeepSeek-V2-Lite", "DeepSeek",
        deepseek(None, [64, 6, 1408], [2, 1], [27, 2048, 16, 16, 192, 10_944, 102_400, 163_840]), 15_706_484_224),
    row("deepseek-v2", "DeepSeek-V2", "DeepSeek",
        deepseek(Some(1536), [160, 6, 1536], [2, 1], [60, 5120, 128, 128, 192, 12_288, 102_400, 163_840]), 235_741_434_880),
    row("deepseek-v3", "DeepSeek-V3 and R1", "DeepSeek", deepseek_v3(), 671_026_404_352),
    row("deepseek-v3.2", "DeepSeek-V3.2", "DeepSeek", indexed(64, 61, deepseek_v3()), 671_877_929_216),
    row("deepseek-v4-flash", "DeepSeek-V4-Flash", "DeepSeek",
        deepseek_v4([1024, 512], 8, [21, 20], [256, 6, 2048], [43, 4096, 64, 1, 512, 2048, 129_280, 1_048_576]), 284_332_230_231),
    row("deepseek-v4-pro", "DeepSeek-V4-Pro", "DeepSeek",
        deepseek_v4([1536, 1024], 16, [30, 31], [384, 6, 3072], [61, 7168, 128, 1, 512, 3072, 129_280, 1_048_576]), 1_572_997_179_491),
    row("r1-distill-qwen-1.5b", "R1-Distill Qwen 1.5B", "DeepSeek", qwen2([28, 1536, 12, 2, 128, 8960, 151_936, 131_072]), 1_777_088_000),
    row("r1-distill-qwen-7b", "R1-Distill Qwen 7B", "DeepSeek", qwen2([28, 3584, 28, 4, 128, 18_944, 152_064, 131_072]), 7_615_616_512),
    row("r1-distill-llama-8b", "R1-Distill Llama 8B", "DeepSeek", llama([32, 4096, 32, 8, 128, 14_336, 128_256, 131_072]), 8_030_261_248),
    row("r1-distill-qwen-14b", "R1-Distill Qwen 14B", "DeepSeek", qwen2([48, 5120, 40, 8, 128, 13_824, 152_064, 131_072]), 14_770_033_664),
    row("r1-distill-qwen-32b", "R1-Distill Qwen 32B", "DeepSeek", qwen2([64, 5120, 40, 8, 128, 27_648, 152_064, 131_072]), 32_763_876_352),
    row("r1-distill-llama-70b", "R1-Distill Llama 70B", "DeepSeek", llama([80, 8192, 64, 8, 128, 28_672, 128_256, 131_072]), 70_553_706_496),
    row("granite-3.3-2b", "Granite 3.3 2B", "Granite", tied(llama([40, 2048, 32, 8, 64, 8192, 49_159, 131_072])), 2_533_539_840),
    row("granite-3.3-8b", "Granite 3.3 8B", "Granite", tied(llama([40, 4096, 32, 8, 128, 12_800, 49_159, 131_072])), 8_170_864_640),
    row("granite-4.0-h-micro", "Granite 4.0 H Micro", "Granite", granite4(64, llama([40, 2048, 32, 8, 64, 8192, 100_352, 131_072])), 3_191_396_096),
    row("granite-4.0-h-tiny", "Granite 4.0 H Tiny", "Granite", granite4(48, with_expert(1024, mixture([64, 6, 512], llama([40, 1536, 12, 4, 128, 512, 100_352, 131_072])))), 6_939_037_248),
    row("granite-4.0-h-small", "Granite 4.0 H Small", "Granite", granite4(128, with_expert(1536, mixture([72, 10, 768], llama([40, 4096, 32, 8, 128, 768, 100_352, 131_072])))), 32_207_337_984),
    row("granite-4.1-3b", "Granite 4.1 3B", "Granite", tied(llama([40, 2560, 40, 8, 64, 8192, 100_352, 131_072])), 3_402_836_480),
    row("granite-4.1-8b", "Granite 4.1 8B", "Granite", llama([40, 4096, 32, 8, 128, 12_800, 100_352, 131_072]), 8_791_592_960),
    row("granite-4.1-30b", "Granite 4.1 30B", "Granite", tied(llama([64, 4096, 32, 8, 128, 32_768, 100_352, 131_072])), 28_865_728_512),
    row("falcon-7b", "Falcon 7B", "Falcon", falcon(32, 4544, 71, 1, 1), 6_921_720_704),
    row("falcon-40b", "Falcon 40B", "Falcon", falcon(60, 8192, 128, 8, 2), 41_303_293_952),
    row("falcon-180b", "Falcon 180B", "Falcon", falcon(80, 14_848, 232, 8, 2), 178_557_088_768),
    row("falcon3-1b", "Falcon 3 1B", "Falcon", llama([18, 2048, 8, 4, 256, 8192, 131_072, 8192]), 1_669_408_768),
    row("falcon3-7b", "Falcon 3 7B", "Falcon", llama([28, 3072, 12, 4, 256, 23_040, 131_072, 32_768]), 7_455_550_464),
    row("falcon-h1-0.5b", "Falcon-H1 0.5B", "Falcon", falcon_h1(false, [24, 64, 128], [36, 1024, 8, 2, 64, 2048, 32_784, 16_384]), 521_411_104),
    row("falcon-h1-1.5b", "Falcon-H1 1.5B", "Falcon", falcon_h1(true, [48, 64, 256], [24, 2048, 8, 2, 128, 4608, 65_537, 131_072]), 1_554_863_488),
    row("falcon-h1-7b", "Falcon-H1 7B", "Falcon", falcon_h1(true, [24, 128, 256], [44, 3072, 12, 2, 128, 12_288, 130_048, 262_144]), 7_585_648_736),
    row("starcoder2-3b", "StarCoder2 3B", "SmolLM and StarCoder", starcoder2([30, 3072, 24, 2, 128, 12_288, 49_152, 16_384]), 3_030_371_328),
    row("starcoder2-7b", "StarCoder2 7B", "SmolLM and StarCoder", starcoder2([32, 4608, 36, 4, 128, 18_432, 49_152, 16_384]), 7_173_923_840),
    row("smollm2-135m", "SmolLM2 135M", "SmolLM and StarCoder", tied(llama([30, 576, 9, 3, 64, 1536, 49_152, 8192])), 134_515_008),
    row("smollm2-360m", "SmolLM2 360M", "SmolLM and StarCoder", tied(llama([32, 960, 15, 5, 64, 2560, 49_152, 8192])), 361_821_120),
    row("smollm2-1.7b", "SmolLM2 1.7B", "SmolLM and StarCoder", tied(llama([24, 2048, 32, 32, 64, 8192, 49_152, 8192])), 1_711_376_384),
    row("smollm3-3b", "SmolLM3 3B", "SmolLM and StarCoder", tied(llama([36, 2048, 16, 4, 128, 11_008, 128_256, 65_536])), 3_075_098_624),
    row("yi-1.5-6b", "Yi 1.5 6B", "Yi", llama([32, 4096, 32, 4, 128, 11_008, 64_000, 4096]), 6_061_035_520),
    row("yi-1.5-9b", "Yi 1.5 9B", "Yi", llama([48, 4096, 32, 4, 128, 11_008, 64_000, 4096]), 8_829_407_232),
    row("yi-1.5-34b", "Yi 1.5 34B", "Yi", llama([60, 7168, 56, 8, 128, 20_480, 64_000, 4096]), 34_388_917_248),
    row("opt-175b", "OPT 175B", "OPT and BLOOM",
        Architecture { mlp: Mlp::Relu, positions: Positions::Learned(2050), biases: EVERYWHERE, dropout: true, ..early(96, 12_288, 96, 50_272, 2048) }, 174_604_468_224),
    row("bloom-176b", "BLOOM 176B", "OPT and BLOOM",
        Architecture { fused_qkv: true, positions: Positions::Alibi, embedding_norm: true, biases: EVERYWHERE, ..early(70, 14_336, 112, 250_880, 2048) }, 176_247_271_424),
    row("kimi-k2", "Kimi K2", "Kimi", kimi_k2(131_072), 1_026_408_209_408),
    row("kimi-k2-thinking", "Kimi K2 Thinking", "Kimi", kimi_k2(262_144), 1_026_408_209_408),
    from(LANGUAGE_PART, row("kimi-k2.5", "Kimi K2.5 to K2.7 (text)", "Kimi", kimi_k2(262_144), 1_026_408_209_408)),
    from(OWN_CODE, row("kimi-linear-48b-a3b", "Kimi Linear 48B A3B", "Kimi", KIMI_LINEAR, 49_122_675_072)),
    row("glm-4-9b-0414", "GLM-4 9B 0414", "GLM", Architecture { unstable_in_fp16: true, norms_per_layer: 4, ..joined(qwen2([40, 4096, 32, 2, 128, 13_696, 151_552, 32_768])) }, 9_400_279_040),
    row("glm-4.5-air", "GLM-4.5-Air", "GLM", predicting(mixture_behind([128, 8, 1408], 1, 1, joined(qwen2([46, 4096, 96, 8, 128, 10_944, 151_552, 131_072])))), 106_852_245_504),
    row("glm-4.5", "GLM-4.5", "GLM", predicting(Architecture { qk_norm: true, ..mixture_behind([160, 8, 1536], 1, 3, joined(qwen2([92, 5120, 96, 8, 128, 12_288, 151_552, 131_072]))) }), 352_797_814_784),
    row("glm-4.7", "GLM-4.6 and 4.7", "GLM", predicting(Architecture { qk_norm: true, ..mixture_behind([160, 8, 1536], 1, 3, joined(qwen2([92, 5120, 96, 8, 128, 12_288, 151_552, 202_752]))) }), 352_797_814_784),
    row("glm-4.7-flash", "GLM-4.7-Flash", "GLM", predicting(latent(Latent { kv_lora_rank: 512, q_lora_rank: Some(768), rope_dim: 64, nope_dim: 192, v_dim: 256 }, mixture_behind([64, 4, 1536], 1, 1, llama([47, 2048, 20, 20, 256, 10_240, 154_880, 202_752])))), 29_943_390_976),
    row("glm-5", "GLM-5 and 5.1", "GLM", glm_5(78, 202_752), 743_911_199_232),
    row("glm-5.2", "GLM-5.2 and 5.3", "GLM", glm_5(21, 1_048_576), 743_377_000_704),
    row("minimax-m2", "MiniMax M2 to M2.7", "MiniMax", mixture([256, 8, 1536], joined(wide_norms(llama([62, 3072, 48, 8, 128, 1536, 200_064, 196_608])))), 228_689_748_992),
    from(LANGUAGE_PART, row("minimax-m3", "MiniMax M3 (text)", "MiniMax", MINIMAX_M3, 426_174_565_632)),
    row("dots-llm1", "dots.llm1 142B A14B", "dots", mixture_behind([128, 6, 1408], 2, 1, qwen3([62, 4096, 32, 32, 128, 10_944, 152_064, 32_768])), 142_774_373_888),
    row("olmo-2-1b", "OLMo 2 1B", "OLMo", olmo2([16, 2048, 16, 16, 128, 8192, 100_352, 4096]), 1_484_916_736),
    row("olmo-2-7b", "OLMo 2 7B", "OLMo", olmo2([32, 4096, 32, 32, 128, 11_008, 100_352, 4096]), 7_298_617_344),
    row("olmo-2-13b", "OLMo 2 13B", "OLMo", olmo2([40, 5120, 40, 40, 128, 13_824, 100_352, 4096]), 13_716_198_400),
    row("olmo-2-32b", "OLMo 2 32B", "OLMo", olmo2([64, 5120, 40, 8, 128, 27_648, 100_352, 4096]), 32_234_279_936),
    row("olmo-3-7b", "OLMo 3 7B", "OLMo", olmo3(olmo2([32, 4096, 32, 32, 128, 11_008, 100_278, 65_536])), 7_298_011_136),
    row("olmo-3-32b", "OLMo 3 32B", "OLMo", olmo3(olmo2([64, 5120, 40, 8, 128, 27_648, 100_278, 65_536])), 32_233_522_176),
    row("seed-oss-36b", "Seed-OSS 36B", "Seed", qwen2([64, 5120, 80, 8, 128, 27_648, 155_136, 524_288]), 36_151_104_512),
    row("exaone-4.0-1.2b", "EXAONE 4.0 1.2B", "EXAONE", tied(qwen3([30, 2048, 32, 8, 64, 4096, 102_400, 65_536])), 1_279_391_488),
    row("exaone-4.0-32b", "EXAONE 4.0 32B", "EXAONE", but_every_fourth(4096, qwen3([64, 5120, 40, 8, 128, 27_392, 102_400, 131_072])), 32_003_216_384),
    row("k-exaone-236b-a23b", "K-EXAONE 236B A23B", "EXAONE", but_every_fourth(128, mixture_behind([128, 8, 2048], 1, 1, qwen3([48, 6144, 64, 8, 128, 18_432, 153_600, 262_144]))), 236_571_150_336),
    row("ernie-4.5-0.3b", "ERNIE 4.5 0.3B", "ERNIE", tied(llama([18, 1024, 16, 2, 128, 3072, 103_424, 131_072])), 360_748_032),
    row("ernie-4.5-21b-a3b", "ERNIE 4.5 21B A3B", "ERNIE", tied(with_router_bias(mixture_behind([64, 6, 1536], 2, 1, llama([28, 2560, 20, 4, 128, 12_288, 103_424, 131_072])))), 21_825_437_888),
    row("ernie-4.5-300b-a47b", "ERNIE 4.5 300B A47B", "ERNIE", with_router_bias(mixture_behind([64, 8, 3584], 0, 3, llama([54, 8192, 64, 8, 128, 28_672, 103_424, 131_072]))), 299_484_163_264),
    row("hunyuan-0.5b", "Hunyuan 0.5B", "Hunyuan", tied(qwen3([24, 1024, 16, 8, 128, 3584, 120_818, 262_144])), 539_010_048),
    row("hunyuan-1.8b", "Hunyuan 1.8B", "Hunyuan", tied(qwen3([32, 2048, 16, 4, 128, 6144, 120_818, 262_144])), 1_791_080_448),
    row("hunyuan-4b", "Hunyuan 4B", "Hunyuan", tied(qwen3([36, 3072, 32, 8, 128, 8192, 120_818, 262_144])), 4_221_757_440),
    row("hunyuan-a13b", "Hunyuan A13B", "Hunyuan", tied(with_expert(3072, mixture([64, 8, 3072], qwen3([32, 4096, 32, 8, 128, 3072, 128_167, 32_768])))), 80_393_183_232),
    row("hy3", "Hy3 295B A21B", "Hunyuan", predicting(mixture_behind([192, 8, 1536], 1, 1, qwen3([80, 4096, 64, 8, 128, 13_312, 120_832, 262_144]))), 295_033_528_320),
    from(OWN_CODE, row("ling-mini-2.0", "Ling and Ring mini 2.0", "Ling", ling(512, 1, [20, 2048, 16, 4, 128, 5120, 157_184, 32_768]), 16_255_638_528)),
    from(OWN_CODE, row("ling-flash-2.0", "Ling and Ring flash 2.0", "Ling", ling(1024, 1, [32, 4096, 32, 4, 128, 9216, 157_184, 32_768]), 102_889_697_280)),
    from(OWN_CODE, row("ling-1t", "Ling and Ring 1T", "Ling", ling(2048, 4, [80, 8192, 64, 8, 128, 18_432, 157_184, 32_768]), 999_705_309_184)),
    from(OWN_CODE, row("mimo-7b", "MiMo 7B", "MiMo", predicting(qwen2([36, 4096, 32, 8, 128, 11_008, 151_680, 32_768])), 7_622_619_136)),
    row("solar-open-100b", "Solar Open 100B A12B", "Solar", mixture_behind([128, 8, 1280], 1, 0, llama([48, 4096, 64, 8, 128, 1280, 196_608, 131_072])), 102_651_793_408),
    row("command-r7b", "Command R7B (12-2024)", "Command", cohere2([32, 4096, 32, 8, 128, 14_336, 256_000, 132_096]), 8_028_033_024),
    row("command-a", "Command A 111B (03-2025)", "Command", cohere2([64, 12_288, 96, 8, 128, 36_864, 256_000, 131_072]), 111_057_580_032),
    row("apertus-8b", "Apertus 8B", "Apertus", apertus([32, 4096, 32, 8, 128, 21_504, 131_072, 65_536]), 8_053_338_176),
    row("apertus-70b", "Apertus 70B", "Apertus", apertus([80, 8192, 64, 8, 128, 43_008, 131_072, 65_536]), 70_599_864_480),
    row("jamba-mini", "Jamba Mini 1.5 to 1.7", "Jamba", jamba(256, [32, 4096, 32, 8, 128, 14_336, 65_536, 262_144]), 51_570_323_328),
    row("jamba-large", "Jamba Large 1.5 to 1.7", "Jamba", jamba(512, [72, 8192, 64, 8, 128, 24_576, 65_536, 262_144]), 398_555_145_696),
    row("nemotron-h-8b", "Nemotron-H 8B", "Nemotron", nemotron_h([24, 24], [128, 64], [52, 4096, 32, 8, 128, 21_504, 131_072, 8192]), 8_100_852_736),
    row("nemotron-nano-9b-v2", "Nemotron Nano 9B v2", "Nemotron", nemotron_h([27, 25], [128, 80], [56, 4480, 40, 8, 128, 15_680, 131_072, 131_072]), 8_888_227_328),
    row("nemotron-3-nano-30b", "Nemotron 3 Nano 30B A3B", "Nemotron", with_expert(3712, mixture([128, 6, 1856], nemotron_h([23, 23], [64, 64], [52, 2688, 32, 2, 128, 1856, 131_072, 262_144]))), 31_577_937_344),
    row("nemotron-3-super-120b", "Nemotron 3 Super 120B A12B", "Nemotron", at_width(1024, with_expert(5376, mixture([512, 22, 2688], nemotron_h([40, 40], [128, 64], [88, 4096, 32, 2, 128, 2688, 131_072, 262_144])))), 120_668_687_360),
    row("nemotron-3-ultra-550b", "Nemotron 3 Ultra 550B A55B", "Nemotron", at_width(2048, with_expert(10_240, mixture([512, 22, 5120], nemotron_h([48, 48], [256, 64], [108, 8192, 64, 2, 128, 5120, 131_072, 262_144])))), 549_308_968_960),
    row("lfm2-350m", "LFM2 350M", "LFM", lfm2(6, [16, 1024, 16, 8, 64, 4608, 65_536, 128_000]), 354_483_968),
    row("lfm2-700m", "LFM2 700M", "LFM", lfm2(6, [16, 1536, 24, 8, 64, 6912, 65_536, 128_000]), 742_489_344),
    row("lfm2-1.2b", "LFM2 1.2B", "LFM", lfm2(6, [16, 2048, 32, 8, 64, 8192, 65_536, 128_000]), 1_170_340_608),
    row("lfm2-2.6b", "LFM2 2.6B", "LFM", lfm2(8, [30, 2048, 32, 8, 64, 10_752, 65_536, 128_000]), 2_569_272_320),
    row("lfm2-8b-a1b", "LFM2 8B A1B", "LFM", mixture_behind([32, 4, 1792], 0, 2, lfm2(6, [24, 2048, 32, 8, 64, 7168, 65_536, 128_000])), 8_339_929_856),
    row("lfm2-24b-a2b", "LFM2 24B A2B", "LFM", mixture_behind([64, 4, 1536], 0, 2, lfm2(10, [40, 2048, 32, 8, 64, 11_776, 65_536, 128_000])), 23_843_659_008),
];
