//! What `DeepSpeed`'s ZeRO holds beside weights, gradients and states: buckets for its transfers, and the copies that its step makes.
//!
//! # Source
//! github.com/deepspeedai/DeepSpeed at edaa722 (0.19.6, 2026-08): `runtime/zero/stage_1_and_2.py`, `stage3.py`, `config.py`, `partitioned_param_coordinator.py` and
//! `runtime/comm/coalesced_collectives.py`. Read 2026-11-25.

use crate::checked::Checked;
use crate::memory::backward::Moment;
use crate::memory::{gradients, optimizer, weights};
use crate::parallelism::ZeroStage;
use crate::scenario::{Mode, sharding};
use crate::training::{Optimizer, StepKernel};
use crate::worked::{Factor, Item, Symbol, Term};

type Sink<'a> = &'a mut dyn FnMut(&Term<'_>);

/// Settings of `DeepSpeed`'s file that decide what it holds. The general engine takes [`Settings::DEFAULT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Gradients that are reduced together (`reduce_bucket_size`).
    pub bucket: u64,
    /// Weights that ZeRO-3 keeps gathered at most (`stage3_max_live_parameters`), and those on their way (`stage3_prefetch_bucket_size`).
    pub live: u64,
    /// Parameters that ZeRO-3 steps at a time (`sub_group_size`).
    pub sub_group: u64,
}

impl Settings {
    /// As they come.
    pub const DEFAULT: Self = Self { bucket: 500_000_000, live: 1_000_000_000 + 50_000_000, sub_group: 1_000_000_000 };
}

/// Gradients whose norm ZeRO-3 takes at a time under offload (`_constant_buffered_norm2`).
const NORM_BUFFER: u64 = 250_000_000;
/// Bytes of a gradient under the check for overflow: its fp32 copy, three masks and the last one as fp32 (`_has_inf_or_nan`).
const CHECKED_BYTES: u64 = 4 + 3 + 4;
/// Bytes of a gradient whose norm is taken: its copy in fp64.
const NORM_BYTES: u64 = 8;

/// What the optimizer's step copies for a moment: values and the bytes of each.
///
/// # Formula
/// The flattened gradients of this rank in their own precision, and those in fp32, beside the gradients themselves: 6 bytes a parameter of the partition, 4 with fp32 gradients, 2 with
/// 16-bit states. ZeRO-3 does so for 1e9 parameters at a time, and keeps its gradients, so that PyTorch's `foreach` copies on top: 8. Before that the check for
/// overflow, 11 bytes for each value of the largest gradient, or with ZeRO-3 its norm in fp64, 8 for each value of its part.
///
/// # Source
/// `step` and `_prepare_fp32_grad_for_sub_group`; `DeepSpeed`'s own estimate, `estimate_zero2_model_states_mem_needs`, counts 18 bytes a parameter of the partition, all but the flattened gradients.
pub fn in_step(scenario: &Checked, settings: &Settings) -> Option<[u64; 2]> {
    let stage = sharding::deepspeed(scenario)?;
    if scenario.mode != Mode::Training || scenario.offload.optimizer {
        return None;
    }
    let part = scenario.shared_out(scenario.trained_parameters(), ZeroStage::Optimizer);
    let foreach = scenario.optimizer == Optimizer::AdamW && scenario.training.step == StepKernel::Foreach;
    let [own, wide] = [gradients::bytes_each(scenario), u64::from(optimizer::plain(scenario).bytes)];
    let copies = own + if own == wide { 0 } else { wide };
    let largest = largest(scenario);
    let (step, check) = match stage {
        ZeroStage::Weights => {
            let last = largest.div_ceil(scenario.parallel.shards_from(ZeroStage::Weights));
            let group = part.min(settings.sub_group.saturating_add(last));
            ([group, if foreach { copies.max(2 * wide) } else { copies }], [last, NORM_BYTES])
        }
        _ => ([part, copies], [largest.min(part), CHECKED_BYTES]),
    };
    Some(if check[0] * check[1] > step[0] * step[1] { check } else { step })
}

/// What stays on the GPU all the time: ZeRO-3's bucket, and under offload of ZeRO-1 and 2 room for the largest gradient.
pub fn steady(scenario: &Checked, settings: &Settings, sink: Sink<'_>) {
    let values = match sharding::deepspeed(scenario) {
        Some(ZeroStage::Weights) => settings.bucket,
        Some(_) if scenario.offload.optimizer => largest(scenario),
        _ => 0,
    };
    put(values, bytes_each(scenario), sink);
}

/// Gradients on their way at one moment of the backward pass, beside what stays.
///
/// # Formula
/// With L values of the largest gradient and e bytes of each. ZeRO-2: the bucket, 5e8·e, its flattened copy on the way to the other ranks, and the gradient that
/// comes next, L·e; further micro-batches fill a second partition before it is added. ZeRO-3 the same, but for the bucket, which stays. Under offload a
/// gradient is checked and its norm taken on the GPU: 11·L if that is more than the copy. ZeRO-1 has the bucket until the end, where it reduces all gradients: then the
/// copy, and the gradients of its partition.
///
/// # Assumes
/// Settings as they come, and no overlap of transfers in ZeRO-1 and 2 (`overlap_comm` adds a second bucket).
pub fn in_backward(scenario: &Checked, settings: &Settings, moment: Moment, sink: Sink<'_>) {
    let Some(stage) = sharding::deepspeed(scenario) else { return };
    let (learned, each, largest) = (scenario.trained_parameters(), bytes_each(scenario), largest(scenario));
    let away = scenario.offload.optimizer;
    let reduced = match stage {
        ZeroStage::Weights => settings.bucket,
        _ => settings.bucket.max(largest),
    };
    let copy = [reduced.min(learned), each];
    let part = scenario.shared_out(learned, ZeroStage::Optimizer);
    let check = match stage {
        _ if !away => [0, 0],
        ZeroStage::Weights => [NORM_BUFFER.min(largest.min(part)), NORM_BYTES],
        _ => [largest, CHECKED_BYTES],
    };
    let [values, bytes] = if check[0] * check[1] > copy[0] * copy[1] { check } else { copy };
    let mut on_its_way = |values, bytes| put(values, bytes, sink);
    let own = if away { 0 } else { part };
    match (stage, moment) {
        (ZeroStage::Optimizer, Moment::LastLayer | Moment::FirstLayer) => on_its_way(settings.bucket, each),
        (ZeroStage::Optimizer, Moment::End) => {
            on_its_way(values, bytes);
            on_its_way(own, each);
        }
        _ => {
            on_its_way(largest, each);
            on_its_way(values, bytes);
            if stage == ZeroStage::Gradients {
                on_its_way(settings.bucket, each);
                on_its_way(if scenario.training.micro_batches > 1 { own } else { 0 }, each);
            }
        }
    }
}

/// Weights that ZeRO-3 has gathered at most, whole.
pub fn live(scenario: &Checked, settings: &Settings) -> u64 {
    scenario.local_parameters().total().min(settings.live.saturating_add(largest(scenario)))
}

fn put(values: u64, bytes: u64, sink: Sink<'_>) {
    if values > 0 {
        let factors = [Factor::new(Symbol::Parameters, values), Factor::new(Symbol::BytesPerValue, bytes)];
        sink(&Term { item: Item::ReducedGradients, factors: &factors, divisor: 1 });
    }
}

/// Bytes of a value in its buckets: that of the parameters which learn.
fn bytes_each(scenario: &Checked) -> u64 {
    if scenario.mode == Mode::Training {
        weights::layout(scenario, Item::LayerMatrices, false).bytes.into()
    } else {
        // It casts adapters to the precision of the model.
        scenario.weights.unquantised_bytes().into()
    }
}

/// Values of the largest tensor that learns on the rank: a table, a matrix of an MLP, or the experts of a layer, of which transformers holds gate and up as one tensor.
fn largest(scenario: &Checked) -> u64 {
    let held = scenario.local_parameters();
    let shape = &scenario.architecture;
    let matrix = u64::from(shape.hidden_size) * scenario.local().intermediate_size;
    let experts = shape.moe.map_or(0, |_| (shape.mlp.matrices() - 1) * gradients::mlp_matrix(scenario));
    [held.embedding, held.head, held.positions, matrix, experts]
        .into_iter()
        .fold(0, u64::max)
        .min(scenario.trained_parameters())
}
