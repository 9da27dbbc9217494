//! The files of llama.cpp: a format's name stands for a mix, in which some matrices have more bits than the name says.

use crate::architecture::{Architecture, LayerKinds, Projection};
use crate::checked::Checked;
use crate::precision::{Block, WeightFormat};
use crate::scenario::Mode;
use crate::worked::Item;

/// How many values of one kind of tensor are kept in each layout.
pub(super) struct Mix {
    list: [(Block, u64); LAYOUTS.len()],
    left: u64,
}

/// All layouts that a file may have, the widest last.
const LAYOUTS: [Block; 11] = [
    WeightFormat::Q2K.block(),
    WeightFormat::Q3K.block(),
    WeightFormat::Iq4Xs.block(),
    WeightFormat::Q4K.block(),
    // As large as `IQ4_NL`.
    WeightFormat::Q4Zero.block(),
    WeightFormat::Q5K.block(),
    WeightFormat::Q5Zero.block(),
    Block::Q5_1,
    Block::Q6_K,
    WeightFormat::Q8Zero.block(),
    Block::BF16,
];

/// Whether `llama-quantize` keeps more bits of a layer's matrix than of most: in the first and the last eighth of the layers, and in every third between.
const fn more_bits(layer: u64, layers: u64) -> bool {
    let eighth = layers / 8;
    layer < eighth || layer >= 7 * layers / 8 || (layer - eighth) % 3 == 2
}

/// A layout for rows of `width` values: what is not a whole number of its blocks goes to a wider layout with blocks of 32, or to 16 bits.
const fn for_rows(layout: Block, width: u64) -> Block {
    if layout.values == 1 || width.is_multiple_of(layout.values as u64) {
        return layout;
    }
    if !width.is_multiple_of(32) {
        return Block::BF16;
    }
    match layout.bytes {
        // What is `IQ4_XS` elsewhere goes to `IQ4_NL`, which is as large as `Q4_0`.
        0..=136 => WeightFormat::Q4Zero.block(),
        137..=144 => WeightFormat::Q5Zero.block(),
        145..=176 => Block::Q5_1,
        _ => WeightFormat::Q8Zero.block(),
    }
}

impl Mix {
    fn put(&mut self, count: u64, layout: Block, width: u64) {
        let count = count.min(self.left);
        self.left -= count;
        let layout = for_rows(layout, width);
        // Layouts of the same size are one and the same here. One that is missing above counts as the widest, so that no value is lost.
        let place = LAYOUTS.iter().position(|known| *known == layout).unwrap_or(LAYOUTS.len() - 1);
        if let Some((_, sum)) = self.list.get_mut(place) {
            *sum += count;
        }
    }

    /// The mix of one kind of tensor, of which `count` values are on this rank in `layout` for the most part; `None` where all are.
    ///
    /// # Formula
    /// With g = heads / `kv_heads`, for layer i of L, "more" for i < L/8, i ≥ 7L/8 and every third layer between:
    ///
    /// | file | values (`attn_v`) | `ffn_down` | `attn_output` | the rest |
    /// |---|---|---|---|---|
    /// | `Q2_K` | `Q4_K` for g ≥ 4, else `Q3_K` | `Q3_K` | `Q3_K` | `Q2_K` |
    /// | `Q3_K_M` | `Q4_K`, the first two `Q5_K` | `Q4_K`, the first L/16 `Q5_K` | `Q4_K` | `Q3_K` |
    /// | `Q3_K_L` | `Q5_K` | `Q5_K` | `Q5_K` | `Q3_K` |
    /// | `Q4_K_M`, `Q5_K_M` | more: `Q6_K` | more: `Q6_K` | as the rest | `Q4_K`, `Q5_K` |
    /// | `Q4_K_S` | the first four `Q5_K` | the first L/8 `Q5_K` | as the rest | `Q4_K` |
    /// | `IQ4_NL`, `IQ4_XS` | `Q5_K` for g ≥ 4 | the first L/8 `Q5_K` | as the rest | `IQ4_NL`, `IQ4_XS` |
    ///
    /// With 80 layers and grouped heads values have `Q5_K` at least; with 8 experts keys and values have `Q8_0` and `attn_output` `Q5_K` at least.
    /// Queries, keys and values in one matrix have the layout of values, in `Q5_K_M` `Q6_K`. Falcon has `ffn_down` wider in `Q3_K_M` and `Q4_K_M` (`Q5_K`, `Q6_K`) in the
    /// first L/16 layers, and by one step (`Q4_K`, `Q5_K`) in those with "more"; its `attn_output` is as the rest, and its head `Q8_0`.
    /// Rows that are not a whole number of blocks go to `Q4_0`, `Q5_0`, `Q5_1` or `Q8_0`, or to 16 bits.
    ///
    /// # Units
    /// Values, with the layout of each.
    ///
    /// # Assumes
    /// No importance matrix and no options of one's own. All layers have attention. Keys and values of latent attention are made by two matrices, as in
    /// files since 2025-04: they are as the rest, with rows as wide as the part of a key without position, and as the compressed vector.
    ///
    /// # Source
    /// ggml-org/llama.cpp, `src/llama-quant.cpp` at 007dbbf; sizes in `tools/quantize/README.md`.
    pub(super) fn of(scenario: &Checked, item: Item, count: u64, layout: Block) -> Option<Self> {
        if !scenario.weights.is_gguf() || scenario.mode != Mode::Inference || layout.values == 1 {
            return None;
        }
        let shape = &scenario.architecture;
        let hidden = u64::from(shape.hidden_size);
        let head = matches!(item, Item::OutputHead | Item::EmbeddingTable) && layout == Block::Q6_K;
        let layout = if head && is_falcon(shape) { WeightFormat::Q8Zero.block() } else { layout };
        let mut mix = Self { list: LAYOUTS.map(|layout| (layout, 0)), left: count };
        match item {
            Item::LayerMatrices => mix.layers(scenario),
            Item::Experts => mix.experts(scenario),
            _ => {}
        }
        mix.put(u64::MAX, layout, hidden);
        Some(mix)
    }

    /// Each layout that is there, with its values.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, Block)> + '_ {
        self.list.iter().filter(|(_, count)| *count > 0).map(|(layout, count)| (*count, *layout))
    }

    fn layers(&mut self, scenario: &Checked) {
        let shape = &scenario.architecture;
        let tp = u64::from(scenario.parallel.tp);
        let [h, a, kv, d] = [shape.hidden_size, shape.heads, shape.kv_heads, shape.head_dim].map(u64::from);
        let heads = a.div_ceil(tp);
        let keys = h * kv.div_ceil(tp) * d;
        let width = match shape.projection {
            Projection::Heads => d,
            Projection::Latent(latent) => latent.v_dim.into(),
        };
        let files = File::of(scenario);
        let shared = shape.moe.map_or(0, |moe| u64::from(moe.shared_intermediate_size));
        let (start, end) = scenario.layers_here();
        for place in start..end {
            let layer = u64::from(place);
            let LayerKinds { dense, moe, .. } = shape.kinds_between(place, place + 1);
            let inner = u64::from(dense) * u64::from(shape.intermediate_size) + u64::from(moe) * shared;
            match shape.projection {
                Projection::Heads if shape.fused_qkv => self.put(h * heads * d + 2 * keys, files.fused(layer), h),
                Projection::Heads => self.put(keys, files.values(layer), h),
                Projection::Latent(latent) => {
                    let [rank, nope] = [latent.kv_lora_rank, latent.nope_dim].map(u64::from);
                    self.put(rank * heads * nope, files.format.block(), nope);
                    self.put(rank * heads * width, files.format.block(), rank);
                }
            }
            self.put(heads * width * h, files.output(), a * width);
            self.put(inner.div_ceil(tp) * h, files.down(layer), inner);
            if files.eight_experts && !shape.fused_qkv {
                self.put(keys, WeightFormat::Q8Zero.block(), h);
            }
        }
    }

    fn experts(&mut self, scenario: &Checked) {
        let shape = &scenario.architecture;
        let files = File::of(scenario);
        let width = shape.moe.map_or(0, |moe| u64::from(moe.intermediate_size));
        let (start, end) = scenario.layers_here();
        let mixtures = |start, end| u64::from(shape.kinds_between(start, end).moe);
        // Matrices of an expert are of one size, and layers too.
        let each = self.left.div_ceil(shape.mlp.matrices() * mixtures(start, end).max(1));
        for layer in start..end {
            self.put(each * mixtures(layer, layer + 1), files.down(layer.into()), width);
        }
    }
}

/// Whether a shape is Falcon's, for which `llama-quantize` has rules of its own: of those with attention and MLP side by side and one matrix for
/// queries, keys and values the one without biases.
const fn is_falcon(shape: &Architecture) -> bool {
    shape.fused_qkv && shape.parallel_residual && !shape.biases.qkv
}

/// What decides over the layouts of a file.
struct File {
    format: WeightFormat,
    layers: u64,
    /// Query heads for each key and value head.
    group: u32,
    eight_experts: bool,
    falcon: bool,
}

impl File {
    fn of(scenario: &Checked) -> Self {
        let shape = &scenario.architecture;
        Self {
            format: scenario.weights,
            layers: shape.layers.into(),
            group: shape.heads / shape.kv_heads.max(1),
            eight_experts: shape.moe.is_some_and(|moe| moe.experts == 8),
            falcon: is_falcon(shape),
        }
    }

    fn values(&self, layer: u64) -> Block {
        const Q5_K: Block = WeightFormat::Q5K.block();
        if self.eight_experts {
            return WeightFormat::Q8Zero.block();
        }
        let layout = match self.format {
            WeightFormat::Q2K if self.group >= 4 => WeightFormat::Q4K.block(),
            WeightFormat::Q2K => WeightFormat::Q3K.block(),
            WeightFormat::Q3K if layer < 2 => Q5_K,
            WeightFormat::Q3K => WeightFormat::Q4K.block(),
            WeightFormat::Q3KL => Q5_K,
            WeightFormat::Q4K | WeightFormat::Q5K if more_bits(layer, self.layers) => Block::Q6_K,
            WeightFormat::Q4KS if layer < 4 => Q5_K,
            WeightFormat::Iq4Nl | WeightFormat::Iq4Xs if self.group >= 4 => Q5_K,
            format => format.block(),
        };
        let narrow = [WeightFormat::Q3K, WeightFormat::Q4K].iter().any(|format| layout == format.block());
        if self.layers == 80 && self.group > 1 && narrow { Q5_K } else { layout }
    }

    /// Queries, keys and values in one matrix: as values; in `Q5_K_M` files of release b4456 (bartowski/phi-4-GGUF) `Q6_K` throughout, which is wider.
    fn fused(&self, layer: u64) -> Block {
        if self.format == WeightFormat::Q5K && !self.eight_experts { Block::Q6_K } else { self.values(layer) }
    }

    fn down(&self, layer: u64) -> Block {
        let more = more_bits(layer, self.layers);
        match self.format {
            WeightFormat::Q2K => WeightFormat::Q3K.block(),
            WeightFormat::Q3K if layer < self.layers / 16 => WeightFormat::Q5K.block(),
            WeightFormat::Q3KL if self.falcon => WeightFormat::Q4K.block(),
            WeightFormat::Q3KL => WeightFormat::Q5K.block(),
            WeightFormat::Q4KS if !self.falcon && layer < self.layers / 8 => WeightFormat::Q5K.block(),
            WeightFormat::Iq4Nl | WeightFormat::Iq4Xs if layer < self.layers / 8 => WeightFormat::Q5K.block(),
            WeightFormat::Q3K if more || !self.falcon => WeightFormat::Q4K.block(),
            WeightFormat::Q4K if self.falcon && layer < self.layers / 16 => Block::Q6_K,
            WeightFormat::Q4K if self.falcon && more => WeightFormat::Q5K.block(),
            WeightFormat::Q4K if self.falcon => WeightFormat::Q4K.block(),
            WeightFormat::Q4K | WeightFormat::Q5K if more => Block::Q6_K,
            format => format.block(),
        }
    }

    fn output(&self) -> Block {
        match self.format {
            WeightFormat::Q3KL if self.falcon => WeightFormat::Q4K.block(),
            format if self.falcon => format.block(),
            // All but `Q3_K_L`, which the code leaves out, and what is as wide already.
            WeightFormat::Q2K
            | WeightFormat::Q3KS
            | WeightFormat::Q3K
            | WeightFormat::Iq4Xs
            | WeightFormat::Iq4Nl
            | WeightFormat::Q4KS
            | WeightFormat::Q4K
                if self.eight_experts =>
            {
                WeightFormat::Q5K.block()
            }
            WeightFormat::Q3KL if !self.eight_experts => WeightFormat::Q5K.block(),
            WeightFormat::Q2K => WeightFormat::Q3K.block(),
            WeightFormat::Q3K => WeightFormat::Q4K.block(),
            format => format.block(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::weights;
    use crate::precision::WeightFormat;
    use crate::serving::Engine;
    use crate::tables::{gpus, models};
    use crate::verdict::Verdict;
    use crate::{Scenario, evaluate, worked};

    fn bytes(model: &str, weights: WeightFormat) -> u128 {
        let model = models::by_id(model).unwrap();
        let scenario = Scenario { weights, ..Scenario::new(model.architecture) }.check().unwrap();
        worked::total(|sink| weights::terms(&scenario, sink)).0
    }

    fn file(model: &str, weights: WeightFormat) -> f64 {
        bytes(model, weights) as f64
    }

    /// Bits a weight of Llama 3.1 8B in `tools/quantize/README.md` of ggml-org/llama.cpp at 311c2c9.
    #[test]
    fn a_name_counts_the_whole_file() {
        for (format, bits) in [
            (WeightFormat::Q2K, 3.1593),
            (WeightFormat::Q3KS, 3.6429),
            (WeightFormat::Q3KL, 4.2979),
            (WeightFormat::Iq4Xs, 4.4597),
            (WeightFormat::Iq4Nl, 4.6818),
            (WeightFormat::Q4KS, 4.6672),
            (WeightFormat::Q5KS, 5.5704),
            (WeightFormat::Q4K, 4.8944),
            (WeightFormat::Q5K, 5.7036),
            (WeightFormat::Q6K, 6.5633),
            (WeightFormat::Q8Zero, 8.5008),
        ] {
            // Of the file 8 MB are its header, for the most part the vocabulary.
            let [counted, printed] = [file("llama-3.1-8b", format), bits * 8_030_261_248.0 / 8.0];
            assert!((counted / printed - 1.0).abs() < 0.001, "{format}: {counted} and not {printed}");
        }
    }

    #[test]
    fn rows_that_are_no_whole_blocks_take_a_wider_layout() {
        // 896 is 3.5 blocks of 256: `Q5_0` where others have `Q4_K`, 8 bits where others have 6; 4,864 is 19 blocks. Bytes by hand, of
        // 24 layers: queries, gate and up 896 wide, output 896 = 14 × 64, down 4,864, keys and values 128 × 896, the table with 8 bits.
        let (q5_0, q8_0) = (22_u64, 34_u64);
        let (row, more, layers) = (896_u64 / 32, 12_u64, 24_u64);
        let matrices = row * (2 * 896 + 2 * 4_864 + 128) * q5_0 * layers;
        let values = row * 128 * (more * q8_0 + (layers - more) * q5_0);
        let down = 896 * (4_864 / 256) * (more * 210 + (layers - more) * 144);
        let table = 151_936 * row * q8_0;
        let rest = 4 * (layers * (2 * 896 + 896 + 2 * 128) + 896);
        assert_eq!(bytes("qwen2.5-0.5b", WeightFormat::Q4K), u128::from(matrices + values + down + table + rest));
    }

    /// GB in bartowski/phi-4-GGUF, read 2026-11-23: queries, keys and values are one matrix there.
    #[test]
    fn one_matrix_for_queries_keys_and_values_is_wider_as_a_whole() {
        for (format, gigabytes) in [
            (WeightFormat::Q4K, 9.05),
            (WeightFormat::Q5K, 10.60),
            (WeightFormat::Q6K, 12.03),
            (WeightFormat::Q8Zero, 15.58),
        ] {
            let counted = file("phi-4", format) / 1e9;
            assert!((counted / gigabytes - 1.0).abs() < 0.001, "{format}: {counted} and not {gigabytes}");
        }
    }

    #[test]
    fn no_verdict_is_better_than_the_file() {
        // 26.4 GB of Q2_K: all matrices in 2.625 bits would be 23.6, which goes on a GPU of 25.2.
        let mut scenario = Scenario::new(models::by_id("llama-3.3-70b").unwrap().architecture);
        (scenario.weights, scenario.seq_length) = (WeightFormat::Q2K, 512);
        (scenario.serving.engine, scenario.gpu) = (Engine::LlamaCpp, gpus::by_id("rtx4090"));
        assert_eq!(evaluate(&scenario.check().unwrap()).fit.unwrap().verdict, Verdict::DoesNotFit);
    }

    #[test]
    fn eight_experts_and_seventy_billion_have_rules_of_their_own() {
        // GB of files, read 2026-11-23: bartowski/Meta-Llama-3.1-70B-Instruct-GGUF (of the same shape), a list of Mixtral's that agrees in three
        // digits, and 18,556,685,824 bytes of Qwen/Qwen3-30B-A3B-GGUF.
        for (model, format, gigabytes) in [
            ("llama-3.3-70b", WeightFormat::Q4K, 42.52),
            ("llama-3.3-70b", WeightFormat::Q2K, 26.38),
            ("mixtral-8x7b", WeightFormat::Q4K, 28.45),
            ("qwen3-30b-a3b", WeightFormat::Q4K, 18.56),
        ] {
            let counted = file(model, format) / 1e9;
            assert!((counted / gigabytes - 1.0).abs() < 0.001, "{model} {format}: {counted} and not {gigabytes}");
        }
    }
}
