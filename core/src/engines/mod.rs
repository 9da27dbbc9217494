//! Programs that serve a model: what each takes beyond the mathematics, with its version and its source.
//!
//! [`terms`] stands in front of the buckets of [`crate::memory`] when a scenario is served by a program;
//! without one the buckets speak for themselves.

mod gpu;
pub mod hf;
mod inspection;
pub mod litgpt;
pub mod llamacpp;
mod reservation;
pub mod system;
pub mod vllm;

pub use inspection::{Basis, Inspection, Part, Parts, inspect};
pub use reservation::{How, Reservation, reservation};

use crate::bounds;
use crate::checked::Checked;
use crate::memory::{Bucket, kv_cache, weights};
use crate::scenario::Scenario;
use crate::serving::Engine;
use crate::units::{Bytes, GIB};
use crate::worked::{Factor, Item, Term};

pub(crate) type Sink<'a> = &'a mut dyn FnMut(&Term<'_>);

/// CUDA context of a process on one GPU: total less free memory before the first tensor, in public vLLM logs on H100.
pub(crate) const CONTEXT: u128 = hundredths(51);

/// Hundredths of a GiB, the grain of the logs, in bytes.
pub(crate) const fn hundredths(count: u128) -> u128 {
    count * GIB / 100
}

/// The terms of one bucket as the scenario's program fills it.
pub fn terms(bucket: Bucket, scenario: &Checked, sink: Sink<'_>) {
    let engine = scenario.serving.engine;
    match bucket {
        Bucket::Weights => {
            if engine == Engine::LlamaCpp {
                return llamacpp::on_gpus(scenario, sink);
            }
            weights::terms(scenario, sink);
            if engine == Engine::Vllm {
                vllm::Run::of(scenario).extra_weights(sink);
            }
        }
        Bucket::KvCache => {
            kv_cache::terms(scenario, sink);
            let Reservation { exact, bytes, .. } = reservation(scenario);
            amount(Item::ReservedCache, (bytes - exact).0, sink);
        }
        Bucket::Activations | Bucket::Logits => match engine {
            Engine::Exact => {}
            Engine::Hf => hf::work(bucket, scenario, sink),
            Engine::Vllm => vllm::Run::of(scenario).work(bucket, sink),
            Engine::LlamaCpp => llamacpp::work(bucket, scenario, sink),
        },
        Bucket::Overhead => match engine {
            Engine::Exact => {}
            Engine::Hf => hf::overhead(scenario, sink),
            Engine::Vllm => vllm::Run::of(scenario).overhead(sink),
            Engine::LlamaCpp => amount(Item::DeviceContext, CONTEXT, sink),
        },
        Bucket::Gradients | Bucket::Optimizer => {}
    }
}

/// A number of bytes that is no product of named factors, as terms; nothing of none.
pub(crate) fn amount(item: Item, bytes: u128, sink: Sink<'_>) {
    let mut number = |factors: &[Factor]| sink(&Term { item, factors, divisor: 1 });
    if let Ok(small) = u64::try_from(bytes) {
        if small > 0 {
            number(&[Factor::number(small)]);
        }
        return;
    }
    // A factor has 64 bits; the largest sums have fewer than 127.
    let part = |bits: u128| Factor::number(u64::try_from(bits).unwrap_or(u64::MAX));
    number(&[part(bytes >> 63), Factor::number(1 << 63)]);
    number(&[part(bytes & ((1 << 63) - 1))]);
}

/// What a scenario may need in all to go on a GPU of `capacity`: the GPU less what the system usually holds of it, or the share that its program takes and what lies beside it.
///
/// ```
/// use memory_wall_core::{Bytes, Engine, Scenario, engines, tables::models};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// let gpu = Bytes(85_020_639_232);
/// assert_eq!(engines::limit(&scenario.check().unwrap(), gpu), gpu);
/// scenario.serving.engine = Engine::Vllm;
/// // 92% of it, and half a GiB for the context.
/// assert!(engines::limit(&scenario.check().unwrap(), gpu) < gpu);
/// ```
pub fn limit(scenario: &Checked, capacity: Bytes) -> Bytes {
    match scenario.runtime() {
        Some(Engine::Vllm) => vllm::limit(scenario, capacity),
        _ => Bytes(capacity.0.saturating_sub(system::held(scenario).map_or(0, |span| span.typical))),
    }
}

/// Tokens of the longest request that the scenario's program accepts, as far as there is a limit: that of its options or of the model.
pub fn longest_accepted(scenario: &Scenario) -> u32 {
    let limits = match scenario.runtime() {
        Some(Engine::Vllm) => [scenario.serving.max_model_len, scenario.architecture.trained_context],
        Some(_) => [scenario.architecture.end_of_table(), None],
        None => [None, None],
    };
    limits.into_iter().flatten().fold(bounds::SEQ_LENGTH.max, u32::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worked;

    #[test]
    fn an_amount_is_exact_whatever_its_size() {
        for bytes in [0, 1, u128::from(u64::MAX), u128::from(u64::MAX) + 1, (1 << 126) + 12_345] {
            assert_eq!(worked::total(|sink| amount(Item::ReservedCache, bytes, sink)), Bytes(bytes));
        }
    }
}
