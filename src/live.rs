//! Numbers inside prose: named in the text, computed by the engine, never typed.

use memory_wall_core::display::{Count, Grouped, Percent, Size};
use memory_wall_core::{Bucket, Bytes, Evaluation, bounds, solve};

use crate::state::State;

/// The number with this name, written for the page; `None` for a name that is not known.
///
/// Names are those of buckets, their shares (`share.kv_cache`), and the words of the match below.
pub fn value(name: &str, state: &State, evaluation: &Evaluation) -> Option<String> {
    let size = |bytes: Bytes| Size::new(bytes, state.unit).to_string();
    let grouped = |n: u32| Grouped(n.into()).to_string();
    let at_most =
        |n: u32, bounds: bounds::Bounds| if n == bounds.max { format!("over {}", grouped(n)) } else { grouped(n) };
    let bucket = |id: &str| Bucket::ALL.into_iter().find(|bucket| bucket.id() == id);
    if let Some(id) = name.strip_prefix("share.") {
        return bucket(id).map(|bucket| Percent(evaluation.bytes(bucket).share_of(evaluation.total)).to_string());
    }
    if let Some(bucket) = bucket(name) {
        return Some(size(evaluation.bytes(bucket)));
    }
    let shape = &state.shape;
    let fit = evaluation.fit?;
    Some(match name {
        // What stays from step to step in training: weights, gradients, optimizer.
        "states" => size(
            [Bucket::Weights, Bucket::Gradients, Bucket::Optimizer]
                .map(|bucket| evaluation.bytes(bucket))
                .into_iter()
                .sum(),
        ),
        "total" => size(evaluation.total),
        "capacity" => size(fit.capacity),
        "printed_capacity" => size(Bytes(u128::from(state.gpu.printed_gb) * 1_000_000_000)),
        "margin" => size(fit.margin.magnitude()),
        "max_seq" => at_most(fit.max_seq, bounds::SEQ_LENGTH),
        "max_batch" => at_most(fit.max_batch, bounds::BATCH),
        "kv_bytes_per_token" => size(evaluation.kv_bytes_per_token),
        "kv_passes_weights" => solve::kv_cache_passes_weights(&state.scenario()).map_or_else(|| "no".into(), grouped),
        "parameters" => Count(evaluation.parameters.total()).to_string(),
        "seq_length" => grouped(state.seq_length),
        "batch" => grouped(state.batch),
        "layers" => grouped(shape.layers),
        "heads" => grouped(shape.heads),
        "kv_heads" => grouped(shape.kv_heads),
        "head_dim" => grouped(shape.head_dim),
        "model" => state.model_name(),
        "gpu" => state.gpu.name.into(),
        _ => return None,
    })
}
