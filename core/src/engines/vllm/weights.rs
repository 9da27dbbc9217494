//! What vLLM loads beside the plain weights.

use core::ops::Range;

use super::{Figures, RopeTable, Run, tower};
use crate::architecture::{LayerKinds, Positions, Projection};
use crate::engines::{Sink, amount};
use crate::memory::weights;
use crate::precision::{Block, FP8_BLOCK, WeightFormat};
use crate::scenario::finer_blocks;
use crate::serving::Version;
use crate::tables::capability::{self, Capability};
use crate::units::MIB;
use crate::worked::{self, Item};

/// The releases whose kernels for experts in MXFP4 are Triton's on Hopper, as far as their logs show: to 0.18, and again from 0.25.
const TRITON_EXPERTS: [Range<u32>; 2] = [11..19, 25..u32::MAX];

/// The first release in whose logs files of 4 bits take more than they hold.
const WIDER_FOUR_BITS: Version = Version { major: 0, minor: 26 };

impl Run<'_> {
    /// Weights on the rank that is looked at: "Model loading took".
    ///
    /// # Formula
    /// The plain weights, what [`Run::extra_weights`] adds, and the parameters that the shape lacks or has too many.
    ///
    /// # Units
    /// Bytes.
    ///
    /// # Assumes
    /// Where `pp` does not divide the layers, the first stages have one more; vLLM gives it to the ones before the last.
    /// Since 0.26 the largest figure of 4-bit files has 1.5% more.
    ///
    /// # Source
    /// vLLM 0.19.0; 38 public logs within 1.2%, those of dense models within 0.1%. Of 4-bit files up to 0.15 five logs within 0.7%; of 0.26 and 0.28 two have 0.07 and 0.08 GiB more (rows S117 and S119 of `vllm_starts.csv`, of which
    /// 0.7.3 has the first model as it is counted), where models in 16 bits are exact. What it is was not found in public sources. Read 2026-11-28.
    pub fn weights(&self) -> u128 {
        let plain = worked::total(|sink: Sink<'_>| weights::terms(self.scenario, sink)).0;
        let extra = worked::total(|sink: Sink<'_>| self.extra_weights(sink)).0;
        // Which of several published files is served is not known, and the largest decides whether it is tight.
        let wider = if self.figures == Figures::Most { weights::in_wider_files(self.scenario) } else { 0 };
        (plain + extra + wider + self.wider_four_bits(plain)).saturating_add_signed(self.uncounted())
    }

    fn wider_four_bits(&self, plain: u128) -> u128 {
        let four = matches!(self.scenario.weights, WeightFormat::Int4 | WeightFormat::Int4Group32);
        let more = self.figures == Figures::Most && four && self.version >= WIDER_FOUR_BITS;
        if more { 15 * plain / 1_000 } else { 0 }
    }

    /// What comes beside the plain weights.
    ///
    /// # Formula
    /// Rotary tables positions × width × bytes, whole on every rank; embedding and head to a multiple of 64 rows;
    /// latent attention keeps its two up-projections once more for decoding, `layers` × `kv_lora_rank` × `heads` × (`nope_dim` + `v_dim`) × bytes;
    /// MXFP4 experts are padded (`Run::expert_padding`); slots for adapters ([`Run::adapter_slots`]); layers that guess ahead ([`Run::prediction_layers`]), or a draft that does ([`Run::draft`]); finer scales of fp8 experts where a rank has no whole blocks of them, and scales of 16 bits for each column where Marlin's kernels run fp8; a vision tower; the workspace of sparse attention on Hopper (`Run::reserved`); and PyTorch's allocator rounds a tensor of 10 MiB or more up to 2 MiB where that wastes 1 MiB at most.
    ///
    /// # Units
    /// Bytes.
    ///
    /// # Assumes
    /// Where no rotary table is named, one as long as the context the model was made for, times [`rotary_stretch`](crate::Architecture::rotary_stretch), over the whole head, and one of layers with windows where they have their own.
    ///
    /// # Source
    /// vLLM 0.19.0 (`process_weights_after_loading`, `VocabParallelEmbedding`), PyTorch's `CUDACachingAllocator`.
    pub fn extra_weights(&self, sink: Sink<'_>) {
        amount(Item::RotaryTables, self.rotary(), sink);
        let added = self.vocabulary()
            + self.absorbed()
            + self.expert_padding()
            + self.finer_scales()
            + self.spread_scales()
            + self.rounding()
            + self.reserved()
            + self.vision();
        amount(Item::EngineWorkspace, added, sink);
        if self.scenario.serving.max_loras.is_some() {
            amount(Item::AdapterWeights, self.adapter_slots(), sink);
        }
        if self.scenario.guessing_layers() > 0 {
            amount(Item::PredictionLayers, self.prediction_layers(), sink);
        }
        if let Some(draft) = self.scenario.drafting() {
            amount(Item::PredictionLayers, self.draft(draft), sink);
        }
    }

    fn rotary(&self) -> u128 {
        let shape = &self.scenario.architecture;
        let of = |table: &RopeTable| u128::from(table.positions) * u128::from(table.width) * u128::from(self.bytes());
        if let Some(tables) = self.rope {
            return tables.iter().map(of).sum();
        }
        if shape.positions != Positions::Rotary {
            return 0;
        }
        let width = match shape.projection {
            Projection::Latent(latent) => latent.rope_dim,
            Projection::Heads => shape.head_dim,
        };
        // Compressed tokens have a table of their own, and both are in fp32 (`DeepseekV4ScalingRotaryEmbedding`).
        let times = if shape.compression.is_some() { 4 } else { u64::from(shape.rotary_stretch) };
        let windows = shape.sliding_window.filter(|_| shape.rotary_in_windows);
        let of_windows = windows.map_or(0, |sliding| sliding.head_dim.unwrap_or(shape.head_dim));
        let width = times * u64::from(width) + u64::from(of_windows);
        shape.trained_context.map_or(0, |positions| of(&RopeTable { positions: positions.into(), width }))
    }

    /// Rows that pad the vocabulary.
    fn vocabulary(&self) -> u128 {
        let shape = &self.scenario.architecture;
        let tp = u64::from(self.scenario.parallel.tp);
        let vocab = u64::from(shape.vocab_size);
        let rows = (u64::from(self.scenario.vocabulary()) / tp).saturating_sub(vocab.div_ceil(tp));
        let local = self.scenario.local();
        let tables = u64::from(local.embedding)
            + u64::from(local.head && (!shape.tied_embeddings || self.scenario.parallel.pp > 1));
        [rows, tables, shape.hidden_size.into(), self.bytes()].map(u128::from).into_iter().product()
    }

    /// Latent attention's second copy of its up-projections.
    fn absorbed(&self) -> u128 {
        let Projection::Latent(latent) = self.scenario.architecture.projection else { return 0 };
        // Where key and value are one vector, nothing is made from it.
        if self.scenario.architecture.compression.is_some() {
            return 0;
        }
        let local = self.scenario.local();
        let widths = u64::from(latent.nope_dim) + u64::from(latent.v_dim);
        [local.layers, latent.kv_lora_rank.into(), local.heads, widths, self.bytes()]
            .map(u128::from)
            .into_iter()
            .product()
    }

    /// Layers with experts and without on this rank.
    fn mixtures(&self) -> [u64; 2] {
        let shape = &self.scenario.architecture;
        let (start, end) = self.scenario.parallel.layers_of_stage(shape.layers);
        let LayerKinds { dense, moe, .. } = shape.kinds_between(start, end);
        [moe.into(), dense.into()]
    }

    /// What the kernels that run experts in MXFP4 pad them with.
    ///
    /// # Formula
    /// h is the hidden size, f what a rank has of an expert's width. Marlin's kernels, the usual ones, take h to a multiple of 256 and f to one of 128; those of TensorRT-LLM on compute capability 10 and AMD's take both to 256, which is the largest
    /// figure of newer ones. Triton's on Hopper take f to 64, and then the rows of scales to 256 and what is summed over to 256 in 0.11 to 0.18 and to 128 from 0.25.
    ///
    /// # Source
    /// vLLM, `mxfp4_round_up_hidden_size_and_intermediate_size` (before 0.17 `Mxfp4MoEMethod.create_weights`); `select_mxfp4_moe_backend`; triton-lang/triton, `hopper_value.py` and `hopper_scale.py` of `triton_kernels`. Marlin: 65.97 GiB of gpt-oss
    /// 120B on one GPU (0.10.1, vLLM issue 23278), 17.22 on each of four (row S028). Triton: 64.38 GiB on one H100 (row V074 of `vllm_runs.csv`), 13.02 GiB of 20B on one H200 ("Using `TRITON` Mxfp4 `MoE` backend" of 0.25.1, row S131 of `vllm_starts.csv`), which 128 values fit and 256 do not. Of H100 in 0.19, 13.64 and 7.01 GiB of 20B on one and two ranks, Marlin's rule is 0.4% and 1.2% above. No log of eight ranks was found. Read 2026-11-27.
    fn expert_padding(&self) -> u128 {
        let scenario = self.scenario;
        let (Some(moe), WeightFormat::Mxfp4) = (scenario.architecture.moe, scenario.weights) else { return 0 };
        let Block { values, bytes } = scenario.weights.block();
        let hidden = u64::from(scenario.architecture.hidden_size);
        let inside = u64::from(moe.intermediate_size).div_ceil(scenario.experts().width);
        let inwards = scenario.architecture.mlp.matrices() - 1;
        let stored = |hidden: u64, inside: u64| {
            u128::from((inwards + 1) * hidden * inside) * u128::from(bytes) / u128::from(values)
        };
        let has = scenario.gpu.and_then(capability::of).map_or(0, |has| has.major);
        let amd = scenario.gpu.is_some_and(|gpu| gpu.vendor == "AMD");
        let marlin = stored(hidden.next_multiple_of(256), inside.next_multiple_of(128));
        let squares = stored(hidden.next_multiple_of(256), inside.next_multiple_of(256));
        let minor = self.version.minor;
        let by_triton = TRITON_EXPERTS.iter().any(|minors| minors.contains(&minor));
        let triton = || {
            let inside = inside.next_multiple_of(64);
            let whole = if minor < TRITON_EXPERTS[1].start { 256 } else { 128 };
            let matrix = |summed: u64, rows: u64| {
                summed.next_multiple_of(whole) / 2 * rows + summed.div_ceil(32) * rows.next_multiple_of(256)
            };
            u128::from(matrix(hidden, inwards * inside) + matrix(inside, hidden))
        };
        let usual = match has {
            _ if amd => squares,
            10 => squares,
            9 if by_triton => triton(),
            _ => marlin,
        };
        // Another kernel may be asked for, or come with another release.
        let most = if (1..10).contains(&has) { marlin } else { squares };
        let held = if self.figures == Figures::Most { usual.max(most) } else { usual };
        let here = [self.mixtures()[0], u64::from(moe.experts).div_ceil(scenario.experts().ranks)].map(u128::from);
        here[0] * here[1] * held.saturating_sub(stored(hidden, inside))
    }

    /// Scales of experts whose part on a rank is no whole block of fp8, beside those that there are with whole blocks: their blocks shrink both ways.
    fn finer_scales(&self) -> u128 {
        let scenario = self.scenario;
        let (Some(moe), Some((inside, block))) = (scenario.architecture.moe, finer_blocks(scenario)) else { return 0 };
        let cut = scenario.experts();
        let block = u128::from(block);
        let sizes = [
            self.mixtures()[0],
            u64::from(moe.experts).div_ceil(cut.ranks),
            scenario.architecture.mlp.matrices(),
            scenario.architecture.hidden_size.into(),
            inside,
        ];
        let values: u128 = sizes.map(u128::from).into_iter().product();
        let whole = u128::from(FP8_BLOCK);
        4 * (values / (block * block) - values / (whole * whole))
    }

    /// Scales of fp8 blocks where Marlin's kernels run them: one of 16 bits for 128 values of each column, in place of one of 32 for a block.
    ///
    /// # Source
    /// vLLM, `marlin_utils_fp8.py` (`scales.repeat_interleave(block_n, 1)` in the model's precision), on GPUs below compute capability 8.9. Read 2026-11-26.
    fn spread_scales(&self) -> u128 {
        let scenario = self.scenario;
        let marlin = scenario.gpu.and_then(capability::of).is_some_and(|has| has < Capability::new(8, 9));
        if scenario.weights != WeightFormat::Fp8Block || !marlin {
            return 0;
        }
        let held = scenario.local_parameters();
        let values = held.matrices + held.experts;
        (values * 2 / FP8_BLOCK - values * 4 / (FP8_BLOCK * FP8_BLOCK)).into()
    }

    /// Parameters that the shape does not have, or has too many, on this rank.
    fn uncounted(&self) -> i128 {
        let scenario = self.scenario;
        let shape = &scenario.architecture;
        let Some(published) = self.text_parameters else { return 0 };
        let Block { values, bytes } = self.linear();
        let difference = i128::from(published) - i128::from(shape.parameters().total());
        let here = i128::from(scenario.local().layers) * i128::from(bytes);
        difference * here / (i128::from(shape.layers.max(1)) * i128::from(values) * i128::from(scenario.parallel.tp))
    }

    /// A tower, and a place for each of its further outputs of all batched tokens.
    ///
    /// # Source
    /// `deepstack_input_embeds` in `qwen3_vl.py` of vLLM, made with the model. Read 2026-11-26.
    fn vision(&self) -> u128 {
        if !self.scenario.local().embedding {
            return 0;
        }
        let shape = &self.scenario.architecture;
        let levels = tower(self.scenario).map_or(0, |it| it.levels);
        let outputs = u128::from(levels) * u128::from(self.batched()) * u128::from(shape.hidden_size);
        let bytes = u128::from(self.bytes());
        u128::from(self.other_parameters) * bytes / u128::from(self.scenario.parallel.tp) + outputs * bytes
    }

    /// How the matrices of attention and dense MLPs are kept.
    fn linear(&self) -> Block {
        weights::layout(self.scenario, Item::LayerMatrices, self.scenario.architecture.moe.is_some())
    }

    /// What the allocator adds to large matrices.
    fn rounding(&self) -> u128 {
        let scenario = self.scenario;
        let shape = &scenario.architecture;
        let local = scenario.local();
        let [mixtures, dense] = self.mixtures();
        let [hidden, head_dim] = [shape.hidden_size, shape.head_dim].map(u64::from);
        let linear = self.linear();
        let mut sum = 0;
        let mut add = |layers: u64, widths: [u64; 2], block: Block| {
            for width in widths {
                let bytes = u128::from(width) * u128::from(hidden) * stored_bits(block) / 8;
                sum += u128::from(layers) * segment_waste(bytes);
            }
        };
        if shape.projection == Projection::Heads {
            // Queries, keys and values in one; the output.
            let queries = local.heads * head_dim;
            add(local.layers, [queries + 2 * local.kv_heads * head_dim, queries], linear);
        }
        // What enters the MLP in one; what leaves it.
        let inwards = shape.mlp.matrices() - 1;
        let width = u64::from(shape.intermediate_size) / u64::from(scenario.parallel.tp);
        add(dense, [inwards * width, width], linear);
        if let Some(moe) = shape.moe
            && scenario.weights != WeightFormat::Mxfp4
        {
            let cut = scenario.experts();
            let width = u64::from(moe.experts).div_ceil(cut.ranks) * (u64::from(moe.intermediate_size) / cut.width);
            add(mixtures, [inwards * width, width], scenario.weights.kept(Item::Experts, true, shape.tied_embeddings));
        }
        sum
    }
}

/// Bits of a value in the tensor that holds a matrix: scales and zero points are tensors of their own, as in files of AWQ, GPTQ and fp8.
fn stored_bits(block: Block) -> u128 {
    let bits = (8 * block.bytes / block.values).max(1);
    1 << bits.ilog2()
}

/// What PyTorch's allocator adds to a tensor: one of 10 MiB or more has a segment of whole 2 MiB, of which a rest above 1 MiB is given back.
fn segment_waste(bytes: u128) -> u128 {
    if bytes < 10 * MIB {
        return 0;
    }
    let waste = bytes.next_multiple_of(2 * MIB) - bytes;
    if waste <= MIB { waste } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_no_part_of_a_matrix() {
        use WeightFormat::{Bf16, Fp8Block, Int4, Int4Group32, Int8, Nvfp4};
        let bits = [Bf16, Int8, Fp8Block, Int4, Int4Group32, Nvfp4].map(|format| stored_bits(format.block()));
        assert_eq!(bits, [16, 8, 8, 4, 4, 4]);
    }

    #[test]
    fn the_allocator_rounds_large_tensors_only() {
        assert_eq!(segment_waste(9 * MIB + 1), 0);
        assert_eq!(segment_waste(10 * MIB), 0);
        assert_eq!(segment_waste(11 * MIB), MIB);
        assert_eq!(segment_waste(10 * MIB + 1), 0);
        assert_eq!(segment_waste(12 * MIB - 5), 5);
    }
}
