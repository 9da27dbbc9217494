//! Keys and values of every token so far: what makes long contexts expensive.

use crate::scenario::{Mode, Scenario};
use crate::units::Bytes;
use crate::worked::{Factor, Item, Symbol, Term};

/// Bytes of the KV cache; nothing in training, where nothing is generated.
///
/// # Formula
/// 2 × `layers` × `kv_heads` × `head_dim` × tokens × `batch` × bytes, with tokens = `seq_length`,
/// or min(`seq_length`, `window`) in layers with a sliding window. Linear in each factor, quadratic in none.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// Every sequence is `seq_length` long, prompt and answer together. Engines reserve whole pages of tokens on top (16 in vLLM).
///
/// # Source
/// Shapes of `past_key_values` in `transformers`; checked to the byte against measured caches (`tests/measured.rs`).
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Scenario, memory::kv_cache, tables::models, worked};
/// let mut scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture);
/// scenario.seq_length = 128_000;
/// assert_eq!(worked::total(|sink| kv_cache::terms(&scenario, sink)), Bytes(67_108_864_000));
/// ```
pub fn terms(scenario: &Scenario, sink: &mut dyn FnMut(&Term<'_>)) {
    if scenario.mode.trains() {
        return;
    }
    let full = scenario.architecture.full_layers();
    if full > 0 {
        layers(scenario, Item::FullLayers, full, Factor::new(Symbol::SeqLength, scenario.seq_length.into()), sink);
    }
    if let Some(sliding) = scenario.architecture.sliding_window
        && sliding.layers > 0
    {
        let kept = if scenario.seq_length > sliding.window {
            Factor::new(Symbol::Window, sliding.window.into())
        } else {
            Factor::new(Symbol::SeqLength, scenario.seq_length.into())
        };
        layers(scenario, Item::WindowLayers, sliding.layers, kept, sink);
    }
}

fn layers(scenario: &Scenario, item: Item, count: u32, tokens: Factor, sink: &mut dyn FnMut(&Term<'_>)) {
    let block = scenario.kv.block();
    sink(&Term {
        item,
        factors: &[
            Factor::number(2),
            Factor::new(Symbol::Layers, count.into()),
            Factor::new(Symbol::KvHeads, scenario.architecture.kv_heads.into()),
            Factor::new(Symbol::HeadDim, scenario.architecture.head_dim.into()),
            tokens,
            Factor::new(Symbol::Batch, scenario.batch.into()),
            Factor::new(Symbol::BytesPerValue, block.bytes.into()),
        ],
        divisor: block.values,
    });
}

/// Bytes that one more token of one sequence adds while no window is full.
pub fn bytes_per_token(scenario: &Scenario) -> Bytes {
    let one = Scenario { mode: Mode::Inference, batch: 1, seq_length: 1, ..*scenario };
    crate::worked::total(|sink| terms(&one, sink))
}
