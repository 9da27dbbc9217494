//! Keys, values and states of one layer.

use memory_wall_core::architecture::{Projection, SlidingWindow};
use memory_wall_core::engines::llamacpp::CELLS;
use memory_wall_core::memory::kv_cache::{self, CachedLayers};
use memory_wall_core::precision::Block;
use memory_wall_core::worked::Item;
use memory_wall_core::{Attention, Checked};

use super::{CacheType, Settings};

/// Bytes of a layer's cache, keys and values, and of its state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cached {
    pub(super) cache: u128,
    pub(super) state: u128,
    /// The 16-bit copies that flash attention may make of keys and values in other formats.
    pub(super) copies: u128,
}

/// Cells of the cache in layers that see everything.
pub(super) fn cells(scenario: &Checked) -> u64 {
    u64::from(scenario.seq_length).next_multiple_of(CELLS)
}

impl Cached {
    /// Of the layer that is a stage of its own.
    ///
    /// # Formula
    /// cells × streams × (key width × bytes + value width × bytes). Streams are sequences, or one where all share a cache.
    /// cells: the length rounded up to 256; in layers with a window min(that, `window` × s + `ubatch`) rounded up to 256, with s sequences in a shared cache
    /// and 1 elsewhere, unless `--swa-full` keeps all. Latent attention has keys alone.
    ///
    /// # Source
    /// `llama-kv-cache-iswa.cpp` at 02c28f5.
    pub(super) fn of(rank: &Checked, settings: &Settings) -> Self {
        let shape = &rank.architecture;
        let held = CachedLayers::on(rank);
        let streams = if settings.unified { 1 } else { u64::from(rank.batch) };
        let full = cells(rank);
        let mut sum = layers(rank, settings, None, held.full * full * streams);
        if let Some(window) = shape.sliding_window {
            // Where every layer has a window, llama.cpp keeps the whole cache.
            let whole = settings.swa_full || shape.kinds_between(0, shape.layers).full == 0;
            let shared = if settings.unified { u64::from(rank.batch) } else { 1 };
            let kept = (u64::from(window.window) * shared + u64::from(settings.ubatch)).min(full);
            let cells = if whole { full } else { kept.next_multiple_of(CELLS) };
            let windows = layers(rank, settings, Some(window), held.sliding * cells * streams);
            sum = [sum[0] + windows[0], sum[1] + windows[1]];
        }
        let [cache, copies] = sum;
        let mut state = 0;
        kv_cache::terms(rank, &mut |term| {
            if term.item == Item::LinearStates {
                state += term.bytes().0;
            }
        });
        let copies = if rank.attention == Attention::Flash { copies } else { 0 };
        Self { cache, state, copies }
    }
}

/// Bytes of so many cells, and of their copies in 16 bits.
fn layers(rank: &Checked, settings: &Settings, window: Option<SlidingWindow>, cells: u64) -> [u128; 2] {
    let shape = &rank.architecture;
    let usual = CacheType::nearest(rank.kv);
    let [keys, values] = match shape.projection {
        Projection::Latent(latent) => [u64::from(latent.kv_lora_rank) + u64::from(latent.rope_dim), 0],
        Projection::Heads => {
            let [kv_heads, head_dim] = shape.cached_heads(window).map(u64::from);
            [kv_heads * head_dim; 2]
        }
    };
    let bytes = |width: u64, format: Option<CacheType>| {
        let format = format.unwrap_or(usual);
        let Block { values, bytes } = format.block();
        let all = u128::from(cells) * u128::from(width);
        [(all * u128::from(bytes)).div_ceil(values.into()), if format == CacheType::F16 { 0 } else { 2 * all }]
    };
    let [keys, values] = [bytes(keys, settings.cache_k), bytes(values, settings.cache_v)];
    [keys[0] + values[0], keys[1] + values[1]]
}
