//! Hugging Face transformers 5.23: the cache it keeps and the working space of `generate`.

use super::gpu::cublas_workspace;
use super::{CONTEXT, How, Sink, amount, reservation};
use crate::architecture::{Latent, Mlp, Projection};
use crate::checked::Checked;
use crate::memory::kv_cache::CachedLayers;
use crate::memory::{Bucket, kv_cache};
use crate::scenario::Attention;
use crate::units::Bytes;
use crate::worked::{self, Factor, Item, Symbol, Term};

/// The release whose code was read.
pub const VERSION: &str = "5.23.0";
/// Where the formulas come from.
pub const SOURCE: &str = "transformers 5.23.0, cache_utils.py and the modelling code; caches equal to measured ones, the working space not measured";

/// What a `DynamicCache` holds: the exact cache, that of latent attention (DeepSeek) as the short vectors, but whole heads beside an indexer (DeepSeek V3.2, GLM-5).
///
/// Releases up to 4.57 kept whole heads in their place, for DeepSeek-V3 71 times as much. Falcon 40B, whose KV heads the
/// modelling code copies for every head before it caches them, is not modelled: its cache is 16 times as large.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// At least one token has been generated: straight after the prompt, layers with a window still hold all of it, [`after_prompt`].
///
/// # Source
/// `transformers` 5.23, `cache_utils.py`; equal to the byte to measured caches (`kv_cache_run.csv`), and to runs of DeepSeek-V2-Lite.
pub(super) fn cache(scenario: &Checked, exact: u128) -> (u128, How) {
    match scenario.architecture.projection {
        Projection::Latent(latent) if scenario.architecture.indexer.is_some() => {
            (exact + beyond_latent(scenario, &latent), How::WholeHeads)
        }
        Projection::Latent(_) => (exact, How::Compressed),
        Projection::Heads => (exact, How::Growing),
    }
}

/// What whole keys and values of every head take beyond the short vectors: beside an indexer transformers caches them (`expand_kv` before `update`).
fn beyond_latent(scenario: &Checked, latent: &Latent) -> u128 {
    let [rank, rope, nope, v] = [latent.kv_lora_rank, latent.rope_dim, latent.nope_dim, latent.v_dim].map(u128::from);
    let mut short = 0;
    kv_cache::terms(scenario, &mut |term| {
        if term.item == Item::LatentLayers {
            short += term.bytes().0;
        }
    });
    (short / (rank + rope).max(1) * u128::from(scenario.local().heads) * (nope + rope + v)).saturating_sub(short)
}

/// The cache with windows of another width.
fn with_window(scenario: &Checked, width: impl Fn(u32) -> u32) -> Bytes {
    worked::total(|sink| kv_cache::with_window(scenario, width, sink))
}

/// The part of a `DynamicCache` that is used: a window of w tokens keeps w − 1 of the past, for the token to come.
///
/// ```
/// use memory_wall_core::architecture::{Architecture, SlidingWindow};
/// use memory_wall_core::{Bytes, Scenario, engines::hf};
/// let shape = Architecture { sliding_window: Some(SlidingWindow::over(4, 16)), ..Architecture::llama([4, 64, 8, 2, 8, 128, 256]) };
/// let scenario = Scenario { batch: 2, seq_length: 32, ..Scenario::new(shape) }.check().unwrap();
/// assert_eq!((hf::used(&scenario), hf::after_prompt(&scenario)), (Bytes(7_680), Bytes(16_384)));
/// assert_eq!(hf::fixed(&scenario, 64), Bytes(8_192));
/// ```
pub fn used(scenario: &Checked) -> Bytes {
    with_window(scenario, |window| window.saturating_sub(1))
}

/// What a `DynamicCache` holds straight after a prompt of `seq_length` tokens: layers with a window hold all of it until the next token.
pub fn after_prompt(scenario: &Checked) -> Bytes {
    with_window(scenario, |_| u32::MAX)
}

/// What a `StaticCache` of `max_length` tokens holds from the start.
pub fn fixed(scenario: &Checked, max_length: u32) -> Bytes {
    worked::total(|sink| kv_cache::terms(&scenario.with_seq_length(max_length), sink))
}

/// A moment of the forward pass.
#[derive(Clone, Copy)]
enum Moment {
    Mlp,
    Norm,
    Head,
    Cache,
    Indexer,
}

/// The working space of the forward pass over a prompt.
///
/// # Formula
/// The fullest of five moments, T = `batch` × `seq_length` tokens at once, e bytes a value, w = 3 for a gated MLP and 2 otherwise:
/// in the MLP T·e·(3h + w·f), with eager attention and its scores `batch`·a·s²·(e + 4); in a norm, which makes fp32 copies, T·(2h·e + 8h);
/// at the head T·h·e + `batch`·V·(e + 4), logits of the last tokens only; in an indexer of i heads 8·`batch`·i·s²; and when a layer's keys or values are copied to make room for a token.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// The whole prompt passes at once. Of a mixture all experts of a token at once. Not checked against measured peaks.
///
/// # Source
/// Order of operations in the modelling code of `transformers` 5.23.
pub(super) fn work(bucket: Bucket, scenario: &Checked, sink: Sink<'_>) {
    let all = |moment| {
        let logits = worked::total(|sink| at(moment, Bucket::Logits, scenario, sink));
        worked::total(|sink| at(moment, Bucket::Activations, scenario, sink)) + logits
    };
    let fullest = [Moment::Mlp, Moment::Norm, Moment::Head, Moment::Cache, Moment::Indexer]
        .into_iter()
        .max_by_key(|moment| all(*moment));
    if let Some(moment) = fullest {
        at(moment, bucket, scenario, sink);
    }
}

fn at(moment: Moment, bucket: Bucket, scenario: &Checked, sink: Sink<'_>) {
    let (shape, local) = (&scenario.architecture, scenario.local());
    let e = scenario.activation_bytes();
    let batch = Factor::new(Symbol::Batch, scenario.batch.into());
    let tokens = Factor::new(Symbol::Tokens, u64::from(scenario.batch) * local.seq_length);
    let hidden = Factor::new(Symbol::HiddenSize, shape.hidden_size.into());
    let mut product = |item, factors: &[Factor]| sink(&Term { item, factors, divisor: 1 });
    match (moment, bucket) {
        (Moment::Mlp, Bucket::Activations) => {
            product(Item::LayerWorkspace, &[Factor::number(3 * e), tokens, hidden]);
            let width = Factor::new(Symbol::IntermediateSize, widest_mlp(scenario));
            let tensors = match shape.mlp {
                Mlp::Gated => 3,
                Mlp::Relu | Mlp::Gelu | Mlp::GeluNew => 2,
                // `_xielu_python` of `transformers` 5.17: both branches with what they are made of, and which is taken.
                Mlp::Xielu => 6,
            };
            product(Item::LayerWorkspace, &[Factor::number(tensors * e), tokens, width]);
            if scenario.attention == Attention::Eager {
                let seq = Factor::new(Symbol::SeqLength, scenario.seq_length.into());
                let heads = Factor::new(Symbol::Heads, local.heads);
                product(Item::AttentionScores, &[Factor::number(e + 4), batch, heads, seq, seq]);
            }
        }
        (Moment::Indexer, Bucket::Activations) => {
            if let Some(it) = shape.indexer {
                // Scores of every head in fp32, and what is left of them above zero.
                let seq = Factor::new(Symbol::SeqLength, scenario.seq_length.into());
                let heads = Factor::new(Symbol::Heads, it.heads.into());
                product(Item::AttentionScores, &[Factor::number(8), batch, heads, seq, seq]);
            }
        }
        (Moment::Norm, Bucket::Activations) => {
            product(Item::LayerWorkspace, &[Factor::number(2 * e + 8), tokens, hidden]);
        }
        (Moment::Head, _) if !local.head => {}
        (Moment::Head, Bucket::Activations) => product(Item::LayerWorkspace, &[Factor::number(e), tokens, hidden]),
        (Moment::Head, Bucket::Logits) => {
            let vocab = Factor::new(Symbol::VocabSize, shape.vocab_size.into());
            product(Item::LastLogits, &[Factor::number(e + 4), batch, vocab]);
        }
        (Moment::Cache, Bucket::Activations) => {
            let CachedLayers { full, sliding, linear, .. } = CachedLayers::on(scenario);
            let layers = u128::from((full + sliding + linear).min(scenario.local().layers)).max(1);
            amount(Item::EngineWorkspace, reservation(scenario).bytes.0 / layers / 2, sink);
        }
        _ => {}
    }
}

/// The widest MLP that a token passes through on this rank: dense, or all its experts together.
pub(super) fn widest_mlp(scenario: &Checked) -> u64 {
    let shape = &scenario.architecture;
    let dense = if shape.has_dense_mlp() { u64::from(shape.intermediate_size) } else { 0 };
    let mixture = shape.moe.map_or(0, |moe| {
        u64::from(moe.experts_per_token) * u64::from(moe.intermediate_size) + u64::from(moe.shared_intermediate_size)
    });
    dense.max(mixture).div_ceil(scenario.parallel.tp.into())
}

/// The process and its libraries.
pub(super) fn overhead(scenario: &Checked, sink: Sink<'_>) {
    amount(Item::DeviceContext, CONTEXT, sink);
    amount(Item::EngineWorkspace, cublas_workspace(scenario.gpu).into(), sink);
}
