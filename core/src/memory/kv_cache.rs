//! Keys and values of every token so far: what makes long contexts expensive.

use crate::architecture::{Compression, Indexer, Latent, LinearAttention, Projection, SlidingWindow};
use crate::checked::Checked;
use crate::precision::{Block, KvPrecision};
use crate::serving::Engine;
use crate::tables::drafts::Draft;
use crate::units::Bytes;
use crate::worked::{self, Factor, Item, Symbol, Term};

/// Bytes of one value in the part of a linear layer's state that its short convolution keeps.
pub const CONV_BYTES: u64 = 2;
/// Bytes of one value in the recurrent part of that state, which is kept in fp32.
pub const STATE_BYTES: u64 = 4;

/// Bytes of the KV cache on the rank that is looked at; nothing in training, where nothing is generated.
///
/// # Formula
/// Layers with heads: 2 × `layers` × `kv_heads` × `head_dim` × tokens × `batch` × bytes, with tokens = `seq_length`,
/// or min(`seq_length`, `window`) in layers with a sliding window, which may have heads of their own.
/// Latent attention: `layers` × (`kv_lora_rank` + `rope_dim`) × tokens × `batch` × bytes, keys and values in one.
/// With an indexer one key more, `index_head_dim` values in each layer that has one. vLLM keeps it in fp8 with 4 bytes of scale for each 128 values, whatever the cache's own format;
/// and beside an indexer a latent vector in fp8 as `kv_lora_rank` values with such scales and `rope_dim` values in 16 bits (`fp8_ds_mla`: 656 bytes in place of 576).
/// Compressed tokens (`DeepSeek` V4): beside a window of one vector a token in every layer, of `head_dim` values, one such vector and one index key for 4 tokens in layers with an indexer, and one vector for 128 in others;
/// in vLLM (`fp8_ds_mla`) a vector is 584 bytes, 448 values in fp8 with a byte of scale for each 64, 64 values in 16 bits and a byte to fill up. A block that is not whole counts by its tokens; what its
/// compressor holds until then is counted in vLLM's pages alone.
/// Layers with a state, whatever the context: `layers` × `batch` × (channels × `conv_kernel` × 2 + `value_heads` × `key_dim` × `value_dim` × 4)
/// with channels = 2 × `key_heads` × `key_dim` + `value_heads` × `value_dim`. A short convolution alone has `value_heads` × `value_dim` channels
/// and nothing that recurs. vLLM keeps `conv_kernel` − 1 tokens of the channels, and both parts in the model's precision but for a recurrent one that the model's file
/// asks for in fp32; llama.cpp keeps as many, both in fp32. Layers that share another one's cache: nothing. Layers of a draft that guesses ahead: as others with heads.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// Every sequence is `seq_length` long, prompt and answer together. Tensor parallelism shares the KV heads out, at least one for each rank;
/// a latent cache is whole on every rank. A pipeline shares the layers out, each kind spread evenly. Context parallelism shares the tokens out.
/// An indexer's keys are whole on every tensor-parallel rank. vLLM on Blackwell may keep the latent vector in plain fp8, 576 bytes: 656 are counted everywhere.
/// Of a cache that waits in host memory two layers are on the GPU, the one at work and the next one on its way.
/// What an engine sets aside beyond this is [`crate::engines::reservation`].
///
/// # Source
/// Shapes of `past_key_values` in `transformers` 5.23, page sizes of vLLM 0.19, `MambaStateShapeCalculator` and `MambaStateDtypeCalculator` of vLLM, `n_embd_r` of llama.cpp; `DeepseekV32IndexerCache` and `fp8_ds_mla` of vLLM 0.11 to 0.28; equal to the byte to the rows of `kv_cache.csv` and `kv_cache_run.csv` (crate `memory-wall-accuracy`).
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Scenario, memory::kv_cache, tables::models, worked};
/// let mut scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture);
/// scenario.seq_length = 128_000;
/// let scenario = scenario.check().unwrap();
/// assert_eq!(worked::total(|sink| kv_cache::terms(&scenario, sink)), Bytes(67_108_864_000));
/// ```
pub fn terms(scenario: &Checked, sink: &mut dyn FnMut(&Term<'_>)) {
    if !scenario.mode.trains() {
        with_window(scenario, |window| window, sink);
    }
}

/// The same with windows of another width, and in training too.
pub(crate) fn with_window(scenario: &Checked, width: impl Fn(u32) -> u32, sink: &mut dyn FnMut(&Term<'_>)) {
    let shape = &scenario.architecture;
    let CachedLayers { full, sliding, linear, indexed, heavy } = on_gpu(scenario);
    let tokens = tokens(scenario);
    let whole = Factor::new(Symbol::SeqLength, tokens);
    if full > 0 {
        layers(scenario, Item::FullLayers, full, [shape.kv_heads, shape.head_dim], whole, 1, sink);
    }
    if let Some(Draft { shape: small, .. }) = scenario.drafting() {
        layers(scenario, Item::FullLayers, small.layers.into(), [small.kv_heads, small.head_dim], whole, 1, sink);
    }
    if let Some(window) = shape.sliding_window
        && sliding > 0
    {
        let kept = match u64::from(width(window.window)) {
            kept if tokens > kept => Factor::new(Symbol::Window, kept),
            _ => whole,
        };
        layers(scenario, Item::WindowLayers, sliding, shape.cached_heads(shape.sliding_window), kept, 1, sink);
    }
    let mut times = 1;
    if shape.compression.is_some() {
        times = Compression::SPARSE;
        for (count, tokens) in [(indexed, Compression::SPARSE), (heavy, Compression::HEAVY)] {
            if count > 0 {
                layers(scenario, Item::LatentLayers, count, [1, shape.head_dim], whole, tokens, sink);
            }
        }
    }
    if let Some(indexer) = shape.indexer
        && indexed > 0
    {
        let (width, Block { values, bytes }) = index_key(scenario, indexer);
        let [count, batch] = [indexed, scenario.batch.into()];
        sink(&Term {
            item: Item::IndexKeys,
            factors: &[
                Factor::new(Symbol::Layers, count),
                Factor::new(Symbol::HeadDim, width),
                whole,
                Factor::new(Symbol::Batch, batch),
                Factor::new(Symbol::BytesPerValue, bytes.into()),
            ],
            divisor: values * times,
        });
    }
    if let Some(state) = shape.linear_attention
        && linear > 0
    {
        states(scenario, &state, linear, sink);
    }
}

/// Keys and values of `count` layers of one kind, one for `share` tokens.
fn layers(
    scenario: &Checked,
    item: Item,
    count: u64,
    [kv_heads, head_dim]: [u32; 2],
    tokens: Factor,
    share: u32,
    sink: &mut dyn FnMut(&Term<'_>),
) {
    let Block { values, bytes } = scenario.kv.block();
    let count = Factor::new(Symbol::Layers, count);
    let batch = Factor::new(Symbol::Batch, scenario.batch.into());
    let bytes = Factor::new(Symbol::BytesPerValue, bytes.into());
    if let Projection::Latent(latent) = scenario.architecture.projection {
        let width = Factor::new(Symbol::LatentWidth, latent_width(scenario, &latent));
        sink(&Term {
            item: Item::LatentLayers,
            factors: &[count, width, tokens, batch, bytes],
            divisor: values * share,
        });
        return;
    }
    let kv_heads = Factor::new(Symbol::KvHeads, heads_here(scenario, kv_heads));
    let head_dim = Factor::new(Symbol::HeadDim, head_dim.into());
    sink(&Term {
        item,
        factors: &[Factor::number(2), count, kv_heads, head_dim, tokens, batch, bytes],
        divisor: values,
    });
}

/// What the cache holds of a token's latent vector, in values of its format.
fn latent_width(scenario: &Checked, latent: &Latent) -> u64 {
    let [rank, rope] = [latent.kv_lora_rank, latent.rope_dim].map(u64::from);
    let packed = scenario.runtime() == Some(Engine::Vllm) && scenario.kv == KvPrecision::Fp8;
    match scenario.architecture.indexer {
        // A scale of one byte for each 64 values, and one to fill up.
        Some(_) if packed && scenario.architecture.compression.is_some() => rank + rank / 64 + 1 + 2 * rope,
        Some(_) if packed => scaled(rank) + 2 * rope,
        _ => rank + rope,
    }
}

/// Bytes of so many values in fp8, with a scale of 4 bytes for each 128.
const fn scaled(values: u64) -> u64 {
    values + 4 * (values / 128)
}

/// What the cache holds of a token's index key, and of what format it is.
fn index_key(scenario: &Checked, indexer: Indexer) -> (u64, Block) {
    let width = indexer.head_dim.into();
    match scenario.runtime() {
        // `indexer_kv_dtype` of vLLM's `AttentionConfig`, unless somebody asks for another.
        Some(Engine::Vllm) if scenario.architecture.picks_blocks() => (width, KvPrecision::Bf16.block()),
        Some(Engine::Vllm) => (scaled(width), KvPrecision::Fp8.block()),
        _ => (width, scenario.kv.block()),
    }
}

/// Bytes that an indexer keeps of a token in one layer; nothing without one.
pub(crate) fn index_bytes(scenario: &Checked) -> u128 {
    let Some(indexer) = scenario.architecture.indexer else { return 0 };
    let (width, block) = index_key(scenario, indexer);
    (u128::from(width) * u128::from(block.bytes)).div_ceil(block.values.into())
}

/// KV heads on one tensor-parallel rank: a share, or a copy of one where there are fewer heads than ranks.
fn heads_here(scenario: &Checked, kv_heads: u32) -> u64 {
    u64::from(kv_heads / scenario.parallel.tp.max(1)).max(1)
}

/// States of `count` layers: what the convolution has seen, and the recurrent state.
fn states(scenario: &Checked, state: &LinearAttention, count: u64, sink: &mut dyn FnMut(&Term<'_>)) {
    let tp = scenario.parallel.tp;
    let (channels, recurrent) = state.state(tp);
    let own = u64::from(scenario.weights.unquantised_bytes());
    // A guess that is not taken is undone, so the convolution keeps what it saw before each.
    let before = u64::from(state.conv_kernel).saturating_sub(1) + u64::from(scenario.guessed_tokens());
    let (kernel, conv_bytes, state_bytes) = match scenario.runtime() {
        Some(Engine::Vllm) => (before, own, if state.fp32_state { STATE_BYTES } else { own }),
        Some(Engine::LlamaCpp) => (before, STATE_BYTES, STATE_BYTES),
        _ => (state.conv_kernel.into(), CONV_BYTES, STATE_BYTES),
    };
    let layers = Factor::new(Symbol::Layers, count);
    let batch = Factor::new(Symbol::Batch, scenario.batch.into());
    let mut product = |factors: &[Factor]| sink(&Term { item: Item::LinearStates, factors, divisor: 1 });
    product(&[
        layers,
        Factor::new(Symbol::ConvChannels, channels),
        Factor::new(Symbol::ConvKernel, kernel),
        batch,
        Factor::new(Symbol::BytesPerValue, conv_bytes),
    ]);
    if recurrent > 0 {
        product(&[
            layers,
            Factor::new(Symbol::ValueHeads, state.value_heads.div_ceil(tp).into()),
            Factor::new(Symbol::KeyDim, state.key_dim.into()),
            Factor::new(Symbol::ValueDim, state.value_dim.into()),
            batch,
            Factor::new(Symbol::BytesPerValue, state_bytes),
        ]);
    }
}

/// Layers on the rank that is looked at which keep a cache or a state of their own, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CachedLayers {
    /// Layers that see the whole context.
    pub full: u64,
    /// Layers with a sliding window.
    pub sliding: u64,
    /// Layers with a state.
    pub linear: u64,
    /// Layers, counted among the others, whose indexer keeps a key of its own.
    pub indexed: u64,
    /// Layers, counted among the others, that keep vectors of 128 tokens.
    pub heavy: u64,
}

impl CachedLayers {
    /// Those of the rank that is looked at. Layers that share another one's cache are taken from those that see everything.
    pub fn on(scenario: &Checked) -> Self {
        let (shape, parallel) = (&scenario.architecture, &scenario.parallel);
        let full = shape.full_layers();
        let shared = shape.shared_cache_layers.min(full);
        if parallel.pp == 1 {
            let sliding = shape.sliding_window.map_or(0, |it| it.layers);
            let linear = shape.linear_attention.map_or(0, |it| it.layers);
            let guessing = scenario.guessing_layers();
            let indexed = shape.indexer.map_or(0, |it| u32::from(it.layers) + guessing);
            let full = full + guessing;
            return Self {
                full: (full - shared).into(),
                sliding: sliding.into(),
                linear: linear.into(),
                indexed: indexed.into(),
                heavy: shape.heavy_between(0, shape.layers).into(),
            };
        }
        let (start, end) = parallel.layers_of_stage(shape.layers);
        let here = shape.kinds_between(start, end);
        let before = shape.kinds_between(0, start).full;
        // Of the first so many full layers, those with a cache of their own.
        let own = |layers: u32| u64::from(layers) - u64::from(layers) * u64::from(shared) / u64::from(full.max(1));
        Self {
            full: own(before + here.full) - own(before),
            sliding: here.sliding.into(),
            linear: here.linear.into(),
            indexed: shape.indexers_between(start, end).into(),
            heavy: shape.heavy_between(start, end).into(),
        }
    }
}

/// The layers whose cache is on the GPU: all, or two where the cache waits in host memory.
fn on_gpu(scenario: &Checked) -> CachedLayers {
    let held = CachedLayers::on(scenario);
    if !scenario.offload.kv_cache {
        return held;
    }
    let full = held.full.min(2);
    let sliding = held.sliding.min(2 - full);
    CachedLayers {
        full,
        sliding,
        linear: held.linear.min(2 - full - sliding),
        indexed: held.indexed.min(2),
        heavy: held.heavy.min(2 - held.indexed.min(2)),
    }
}

/// Tokens of one sequence that the rank keeps.
pub(crate) fn tokens(scenario: &Checked) -> u64 {
    u64::from(scenario.seq_length).div_ceil(scenario.parallel.cp.into())
}

/// Values that one layer keeps of one token: all keys and values of its heads here, or the latent vector.
pub(crate) fn values_per_token(scenario: &Checked, sliding: Option<SlidingWindow>) -> u64 {
    let shape = &scenario.architecture;
    if let Projection::Latent(latent) = shape.projection {
        return latent_width(scenario, &latent);
    }
    let [kv_heads, head_dim] = shape.cached_heads(sliding);
    2 * heads_here(scenario, kv_heads) * u64::from(head_dim)
}

/// The same of a layer of the draft that guesses ahead.
pub(crate) fn draft_values_per_token(scenario: &Checked, draft: &Draft) -> u64 {
    2 * heads_here(scenario, draft.shape.kv_heads) * u64::from(draft.shape.head_dim)
}

/// Bytes of one layer's state for one sequence; nothing without such layers.
pub(crate) fn state_bytes(scenario: &Checked) -> u128 {
    let Some(it) = scenario.architecture.linear_attention else { return 0 };
    worked::total(|sink| states(&scenario.with_batch(1), &it, 1, sink)).0
}

/// Bytes that one more token of one sequence adds while no window is full. States do not grow.
pub fn bytes_per_token(scenario: &Checked) -> Bytes {
    let mut sum = Bytes::ZERO;
    with_window(&scenario.with_batch(1).with_seq_length(1), |window| window, &mut |term| {
        if term.item != Item::LinearStates {
            sum += term.bytes();
        }
    });
    sum
}
