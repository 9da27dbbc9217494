//! Adapters: two thin matrices beside each chosen linear layer, which learn while the model is frozen.

use crate::scenario::Scenario;

/// Parameters of all adapters.
pub fn parameters(scenario: &Scenario) -> u64 {
    let shape = &scenario.architecture;
    let lora = scenario.training.lora;
    let [h, q, k, f, vocab] = [
        u64::from(shape.hidden_size),
        shape.query_width(),
        shape.kv_width(),
        shape.intermediate_size.into(),
        shape.vocab_size.into(),
    ];
    let rank = u64::from(lora.rank);
    let mut layer = 0;
    for (chosen, inputs, outputs) in
        [(lora.targets.q, h, q), (lora.targets.k, h, k), (lora.targets.v, h, k), (lora.targets.o, q, h)]
    {
        layer += if chosen { inputs + outputs } else { 0 };
    }
    layer += if lora.targets.mlp { shape.mlp.matrices() * (h + f) } else { 0 };
    let head = if lora.targets.head { h + vocab } else { 0 };
    rank * (u64::from(shape.layers) * layer + head)
}
