//! The layers, heads and draft models with which vLLM guesses tokens ahead.

use super::Run;
use crate::architecture::{Architecture, Indexer, Moe};
use crate::memory::weights;
use crate::precision::Block;
use crate::serving::Speculation;
use crate::tables::drafts::Draft;
use crate::worked::Item;

impl Run<'_> {
    /// Weights of the layers that guess ahead (multi-token prediction), a part of "Model loading took".
    ///
    /// # Formula
    /// Each a layer like the last of the model with attention over the whole context, and its norms; `hidden_size`² × 2 values of the matrix that joins the last state and the
    /// embedding of the next token, in 16 bits and whole on every rank; three norms more. Embedding and output head are the model's own.
    ///
    /// # Units
    /// Bytes.
    ///
    /// # Assumes
    /// Files in 4 bits keep these layers in 16, as Qwen's do (`"-:.*mtp.*"`); of published NVFP4 files some quantise their experts too and take less.
    ///
    /// # Source
    /// vLLM 0.25.1, `qwen3_5_mtp.py` and `deepseek_mtp.py`; "Sharing target model embedding weights with the draft model" in its logs. Three logs of 0.25 with Qwen3.6 35B and
    /// Qwen3.8 27B (sostrowsk/dgx-spark-local-llm) say weights within 3% of those counted. Read 2026-11-25.
    pub fn prediction_layers(&self) -> u128 {
        let scenario = self.scenario;
        let shape = Architecture {
            layers: 1,
            linear_attention: None,
            indexer: scenario.architecture.indexer.map(|it| Indexer { layers: 1, ..it }),
            moe: scenario.architecture.moe.map(|moe| Moe { dense_layers: 0, ..moe }),
            ..scenario.architecture
        };
        let held = shape.parameters_of(&scenario.parallel, scenario.experts(), (0, 1));
        let hidden = u64::from(shape.hidden_size);
        let Block { values, bytes } = scenario.weights.block();
        let narrow = bytes < values;
        let quantised = |item, count| {
            let block = weights::layout(scenario, item, shape.moe.is_some());
            weights::bytes(item, count, if narrow { Block::BF16 } else { block })
        };
        // The norms of the layer stand in the same count as the model's last one.
        let each = quantised(Item::LayerMatrices, held.matrices)
            + quantised(Item::Experts, held.experts)
            + quantised(Item::Routers, held.routers)
            + weights::bytes(Item::NormsAndBiases, held.vectors + 2 * hidden, Block::BF16)
            + weights::bytes(Item::LayerMatrices, 2 * hidden * hidden, Block::BF16);
        each * u128::from(scenario.guessing_layers())
    }

    /// Weights of a head or a model of its own that guesses ahead, a part of "Model loading took".
    ///
    /// # Formula
    /// A model: all its parameters. A head: its layers and norms; EAGLE joins two states by 2 × `hidden_size`² values. EAGLE-3 joins the states of three layers,
    /// 3 × their width × `hidden_size`; its first layer reads `hidden_size` × (`heads` + 2 × `kv_heads`) × `head_dim` more, each layer has a norm more, and it has an output head of the tokens that it guesses,
    /// with a table of 8 bytes for each that says which they are. What joins is whole on every rank.
    ///
    /// # Units
    /// Bytes.
    ///
    /// # Assumes
    /// In 16 bits. The embedding is the model's own where it is as wide as the head, and that of an EAGLE head's output too.
    ///
    /// # Source
    /// vLLM 0.11 to 0.29: `models/llama_eagle.py` and `llama_eagle3.py`, `_maybe_share_embeddings` and `_maybe_share_lm_head`. "Loading model weights took 15.7847 GB" of Llama 3.1 8B with its
    /// EAGLE-3 head (a public log of vLLM 0.9.1 on Ascend) and "Model loading took 8.67 GiB" of Qwen3 4B with Qwen3 0.6B (a public record of vLLM 0.14 on H20). Read 2026-11-26.
    pub fn draft(&self, draft: &Draft) -> u128 {
        let scenario = self.scenario;
        let Draft { shape, guessed_vocabulary, reads, .. } = draft;
        let held = shape.parameters_of(&scenario.parallel, scenario.parallel.experts(), (0, shape.layers));
        let tp = u64::from(scenario.parallel.tp);
        let hidden = u64::from(shape.hidden_size);
        let bytes = u128::from(self.bytes());
        let Some(reads) = reads else { return u128::from(held.total()) * bytes };
        let layers = held.matrices + held.vectors;
        if scenario.serving.speculation == Speculation::Eagle {
            return u128::from(layers + 2 * hidden * hidden) * bytes;
        }
        let rows = |vocabulary: u32| u64::from(vocabulary).next_multiple_of(64 * tp) / tp * hidden;
        let own = if *reads == shape.hidden_size { 0 } else { rows(shape.vocab_size) };
        let heads = u64::from(shape.heads) / tp + 2 * (u64::from(shape.kv_heads) / tp).max(1);
        let first = hidden * heads * u64::from(shape.head_dim);
        let joins = 3 * u64::from(*reads) * hidden;
        let norms = u64::from(shape.layers) * hidden;
        let values = layers + own + first + joins + norms + rows(*guessed_vocabulary);
        u128::from(values) * bytes + 8 * u128::from(*guessed_vocabulary)
    }

    /// Hidden states that a head reads: kept for all batched tokens through the whole profile.
    pub(super) fn states_of_head(&self) -> u128 {
        let head = self.scenario.drafting().and_then(|draft| draft.reads);
        head.map_or(0, |reads| u128::from(self.batched() * u64::from(reads) * self.bytes()))
    }
}
