//! Slots for the adapters that vLLM serves beside the model.

use super::Run;
use crate::architecture::LayerKinds;

impl Run<'_> {
    /// Slots for adapters on the rank that is looked at, a part of "Model loading took".
    ///
    /// # Formula
    /// `max_loras` × `max_lora_rank` × bytes × the widths of all linear layers. Of a matrix whose columns are cut (q, k, v, gate, up) every rank has room for the whole
    /// input and its part of the output, of one whose rows are cut (o, down) for its part of the input and the whole output. Embedding and output head
    /// have room for the whole vocabulary on every rank that holds them.
    ///
    /// # Units
    /// Bytes.
    ///
    /// # Assumes
    /// Slots in the precision of the model (`--lora-dtype auto`), not `--fully-sharded-loras`. Embedding and head have slots as in Llama, Mistral and Granite;
    /// Qwen has none there and takes that much less.
    ///
    /// # Source
    /// vLLM at 01235a4, `lora/layers/base_linear.py`, `column_parallel_linear.py`, `logits_processor.py`, `vocab_parallel_embedding.py`: `create_lora_weights`. Read 2026-11-25.
    pub fn adapter_slots(&self) -> u128 {
        let scenario = self.scenario;
        let Some(slots) = scenario.serving.max_loras else { return 0 };
        let (shape, local) = (&scenario.architecture, scenario.local());
        let tp = u64::from(scenario.parallel.tp);
        let [hidden, head_dim, vocab] = [shape.hidden_size, shape.head_dim, shape.vocab_size].map(u64::from);
        let (start, end) = scenario.layers_here();
        let LayerKinds { dense, .. } = shape.kinds_between(start, end);
        let [queries, cached] = [local.heads, local.kv_heads].map(|heads| heads * head_dim);
        let attention = (hidden + queries) + 2 * (hidden + cached) + (queries + hidden);
        let inside = u64::from(shape.intermediate_size) / tp;
        let mlp = (shape.mlp.matrices() - 1) * (hidden + inside) + (inside + hidden);
        let tables = (u64::from(local.embedding) + u64::from(local.head)) * (vocab + hidden);
        let widths =
            u128::from(local.layers) * u128::from(attention) + u128::from(dense) * u128::from(mlp) + u128::from(tables);
        widths * u128::from(slots) * u128::from(scenario.serving.max_lora_rank) * u128::from(self.bytes())
    }
}
