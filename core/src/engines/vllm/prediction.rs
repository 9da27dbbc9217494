//! The layers with which vLLM guesses tokens ahead.

use super::Run;
use crate::architecture::{Architecture, Moe};
use crate::memory::weights;
use crate::precision::Block;
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
}
