//! The generation scripts of LitGPT: what they hold at their peak. No choice of [`crate::Engine`]; measured runs are held against it.

use super::gpu::SMALL_WORKSPACE;
use crate::checked::Checked;
use crate::precision::WeightFormat;
use crate::units::Bytes;

/// What the fullest GPU holds at the peak of `generate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peak {
    /// Weights.
    pub weights: Bytes,
    /// Keys and values.
    pub cache: Bytes,
    /// The largest quantised matrix, unpacked.
    pub unpacked: Bytes,
    /// cuBLAS's workspace.
    pub workspace: Bytes,
}

impl Peak {
    /// All of it.
    pub fn total(&self) -> Bytes {
        self.weights + self.cache + self.unpacked + self.workspace
    }
}

/// The peak of `torch.cuda.max_memory_allocated` in LitGPT's `generate`, for a context of `seq_length` tokens of one sequence.
///
/// # Formula
/// Weights: embedding, head and last norm whole on the GPU, of the layers a share: `tp` divides each matrix, `pp` the layers ("sequential").
/// Quantised: matrices of the layers and the head. Cache: 2 × `layers` × heads × `head_dim` × tokens × bytes with all query heads, one for multi-query attention.
/// Unpacked: 4 bytes × the largest of head and matrices, an fp16 and a bf16 copy. Workspace: 8,519,680.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// LitGPT never ties embedding and head, and its vocabulary is padded: `vocab_size` is the padded one. Quantised weights are nf4 or nf4 with quantised scales.
///
/// # Source
/// LitGPT of 2023 and 2024 (`generate/base.py`, `model.py`), bitsandbytes 0.41; 20 published peaks within 1.4%, no constant fitted.
///
/// # Example
/// ```
/// use memory_wall_core::{Scenario, WeightFormat, engines::litgpt, tables::models};
/// let mut scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture);
/// (scenario.weights, scenario.seq_length) = (WeightFormat::Nf4, 60);
/// let scenario = scenario.check().unwrap();
/// // Published: 4.57 GB.
/// assert!((litgpt::peak(&scenario).total().as_gb() - 4.54).abs() < 0.01);
/// ```
pub fn peak(scenario: &Checked) -> Peak {
    let shape = &scenario.architecture;
    let parameters = shape.parameters();
    let e = u128::from(scenario.weights.unquantised_bytes());
    let [h, layers, ranks] = [shape.hidden_size, shape.layers, scenario.parallel.tp].map(u128::from);
    let here = layers.div_ceil(scenario.parallel.pp.into());
    // What a GPU holds of something that the layers hold together.
    let cut = |whole: u128| whole * here / layers.max(1) / ranks.max(1);
    let head = u128::from(shape.vocab_size) * h;
    let tied = if parameters.head == 0 { head } else { 0 };
    let all = u128::from(parameters.total()) + tied;
    let matrices = u128::from(parameters.matrices);
    let (weights, unpacked) = if scenario.weights.trainable() {
        let root = 2 * head + h;
        (e * (cut(all.saturating_sub(root)) + root), 0)
    } else {
        let wide = all.saturating_sub(matrices + head);
        let quantised = stored(scenario.weights, cut(matrices)) + stored(scenario.weights, head);
        (quantised + e * wide, 4 * head.max(largest_matrix(scenario) / ranks.max(1)))
    };
    let heads = if shape.kv_heads == 1 { 1 } else { u128::from(shape.heads) };
    let cache =
        2 * e * here * heads.div_ceil(ranks.max(1)) * u128::from(shape.head_dim) * u128::from(scenario.seq_length);
    Peak {
        weights: Bytes(weights),
        cache: Bytes(cache),
        unpacked: Bytes(unpacked),
        workspace: Bytes(SMALL_WORKSPACE.into()),
    }
}

fn stored(format: WeightFormat, count: u128) -> u128 {
    let block = format.block();
    (count * u128::from(block.bytes)).div_ceil(block.values.into())
}

/// Parameters of the largest matrix of a layer.
fn largest_matrix(scenario: &Checked) -> u128 {
    let shape = &scenario.architecture;
    let h = u64::from(shape.hidden_size);
    let widths = [shape.query_width() + 2 * shape.kv_width(), shape.query_width(), shape.intermediate_size.into()];
    widths.map(|width| u128::from(h) * u128::from(width)).into_iter().max().unwrap_or(0)
}
