//! Problems about training a model.

use memory_wall_core::allocation_trace::{Program, Tensor};
use memory_wall_core::architecture::{Architecture, Mlp};
use memory_wall_core::communication::{Traffic, bytes};
use memory_wall_core::display::{Count, Grouped, THIN_SPACE};
use memory_wall_core::memory::activations::megatron;
use memory_wall_core::pipeline::{Schedule, TimeLine};
use memory_wall_core::spending::{dense_peak, gpu_hours, training_flops};
use memory_wall_core::training::{Checkpointing, Optimizer};
use memory_wall_core::units::ByteRate;
use memory_wall_core::{Bucket, Bytes, Mode, Parallelism, Scenario, ZeroStage, worked};

use super::Set;
use crate::figures::{money, number as short};
use crate::sections::quiz::numbers::{asked, gpu, model, states, training};
use crate::sections::quiz::written::{figure, flops, number, rate, size};

pub(super) const GPT: [([u32; 3], u32, u32); 6] = [
    ([24, 2_048, 16], 8, 2_048),
    ([32, 2_560, 20], 4, 2_048),
    ([32, 4_096, 32], 2, 2_048),
    ([40, 5_120, 40], 2, 4_096),
    ([48, 7_168, 56], 3, 2_048),
    ([12, 1_536, 12], 16, 1_024),
];

/// States and activations of a model in the shape of GPT-3, with and without checkpointing.
pub(super) fn gpt(([layers, width, heads], batch, seq_length): ([u32; 3], u32, u32)) -> Option<Set> {
    let shape = [layers, width, heads, heads, width / heads, 4 * width, 50_257];
    let architecture = Architecture { mlp: Mlp::Gelu, dropout: true, ..Architecture::llama(shape) };
    let step = Scenario { mode: Mode::Training, batch, seq_length, ..Scenario::new(architecture) };
    let kept = states(&asked(&step)?);
    let saved = |checkpointing| {
        let step = Scenario { checkpointing, ..step }.check().ok()?;
        Some(worked::total(|sink| megatron::layers(&step, layers.into(), sink)))
    };
    let [all, inputs] = [saved(Checkpointing::None)?, saved(Checkpointing::Full)?];
    Some(Set {
        values: vec![
            ("layers", number(layers)),
            ("width", number(width)),
            ("parameters", Count(architecture.parameters().total()).to_string()),
            ("batch", number(batch)),
            ("tokens", number(seq_length)),
            ("a", size(kept)),
            ("b", size(all)),
            ("c", size(inputs)),
        ],
        answers: [kept, all, inputs].map(|bytes| bytes.0 as f64).into(),
    })
}

pub(super) const LINEAR: [[u32; 3]; 6] = [
    [16_384, 32, 4_096],
    [8_192, 64, 2_048],
    [12_288, 16, 8_192],
    [16_384, 16, 2_048],
    [8_192, 32, 8_192],
    [16_384, 8, 8_192],
];

/// As the problem asks for it, also where it is less than one.
fn in_gib(bytes: Bytes) -> String {
    format!("{}{THIN_SPACE}GiB", short(bytes.as_gib()))
}

/// The step of the puzzle in other sizes.
pub(super) fn linear([features, batch, seq_length]: [u32; 3]) -> Set {
    let program =
        Program { features, batch, seq_length, bytes_per_value: 4, named: true, input_gradient: false, squares: false };
    let [x, w] = [Tensor::Input, Tensor::Weight].map(|tensor| program.size(tensor));
    let peak = program.peak();
    Set {
        values: vec![
            ("features", number(features)),
            ("batch", number(batch)),
            ("tokens", number(seq_length)),
            ("forward", in_gib(program.forward_peak())),
            ("a", in_gib(x)),
            ("b", in_gib(w)),
            ("c", in_gib(peak)),
        ],
        answers: [x, w, peak].map(|bytes| bytes.0 as f64).into(),
    }
}

pub(super) const SAVES: [(&str, u32, u32); 6] = [
    ("llama-3.2-1b", 8, 2_048),
    ("llama-3.2-3b", 4, 4_096),
    ("llama-2-7b", 4, 2_048),
    ("llama-3.1-8b", 2, 4_096),
    ("qwen2.5-7b", 4, 4_096),
    ("llama-2-13b", 2, 2_048),
];

/// States of a step, what an optimizer in 8 bits saves of them, and what half of a micro-batch saves of the rest.
pub(super) fn saves((id, batch, seq_length): (&str, u32, u32)) -> Option<Set> {
    let model = model(id)?;
    let step = Scenario { batch, seq_length, ..training(model) };
    let evaluation = asked(&step)?;
    let part = |bucket| evaluation.bytes(bucket);
    let smaller = asked(&Scenario { optimizer: Optimizer::AdamW8bit, ..step })?.bytes(Bucket::Optimizer);
    let halved = asked(&Scenario { batch: batch / 2, ..step })?;
    let saved = part(Bucket::Optimizer).0.checked_sub(smaller.0).map(Bytes)?;
    let grows = [Bucket::Activations, Bucket::Logits];
    let [whole, half] =
        [&evaluation, &halved].map(|it| grows.map(|bucket| it.bytes(bucket)).into_iter().sum::<Bytes>());
    let less = whole.0.checked_sub(half.0).map(Bytes)?;
    Some(Set {
        values: vec![
            ("model", model.name.into()),
            ("parameters", Count(model.architecture.parameters().total()).to_string()),
            ("batch", number(batch)),
            ("tokens", number(seq_length)),
            ("weights", size(part(Bucket::Weights))),
            ("gradients", size(part(Bucket::Gradients))),
            ("optimizer", size(part(Bucket::Optimizer))),
            ("activations", size(part(Bucket::Activations))),
            ("logits", size(part(Bucket::Logits))),
            ("a", size(states(&evaluation))),
            ("b", size(saved)),
            ("c", size(less)),
        ],
        answers: [states(&evaluation), saved, less].map(|bytes| bytes.0 as f64).into(),
    })
}

pub(super) const WIRE: [(&str, u32, f64); 6] = [
    ("llama-2-7b", 8, 300.0),
    ("llama-3.1-8b", 16, 50.0),
    ("llama-2-13b", 8, 450.0),
    ("llama-3.1-70b", 64, 50.0),
    ("qwen2.5-7b", 4, 25.0),
    ("qwen2.5-14b", 32, 50.0),
];

/// States on a GPU with ZeRO-1 and ZeRO-3, and how long plain data parallel training averages its gradients.
pub(super) fn wire((id, gpus, link): (&str, u32, f64)) -> Option<Set> {
    let model = model(id)?;
    let of = |zero| Scenario { parallel: Parallelism { dp: gpus, zero, ..Parallelism::ONE }, ..training(model) };
    let kept = |zero| Some(states(&asked(&of(zero))?));
    let [first, third] = [kept(ZeroStage::Optimizer)?, kept(ZeroStage::Weights)?];
    let sent = bytes(&of(ZeroStage::None).check().ok()?, Traffic::Data);
    let link = ByteRate::from_gb_per_s(link);
    let seconds = sent.0 as f64 / link.0;
    Some(Set {
        values: vec![
            ("model", model.name.into()),
            ("parameters", Count(model.architecture.parameters().total()).to_string()),
            ("gpus", number(gpus)),
            ("others", number(gpus - 1)),
            ("link", rate(link)),
            ("sent", size(sent)),
            ("a", size(first)),
            ("b", size(third)),
            ("c", figure(seconds * 1_000.0)),
        ],
        answers: vec![first.0 as f64, third.0 as f64, seconds * 1_000.0],
    })
}

pub(super) const PIPELINE: [(u32, u32, u32); 6] =
    [(4, 8, 20), (8, 16, 20), (4, 16, 10), (8, 32, 15), (6, 12, 25), (2, 4, 10)];

/// The idle share of a pipeline, with chunks, and how many micro-batches make it small.
pub(super) fn pipeline((stages, micro, most): (u32, u32, u32)) -> Option<Set> {
    let idle = |schedule, micro| TimeLine::new(schedule, stages, micro).map(TimeLine::idle);
    let plain = idle(Schedule::OneForwardOneBackward, micro)?;
    let chunked = idle(Schedule::Interleaved, micro)?;
    let enough = (1..=64).find(|micro| {
        idle(Schedule::OneForwardOneBackward, *micro).is_some_and(|share| share <= f64::from(most) / 100.0 + 1e-9)
    })?;
    Some(Set {
        values: vec![
            ("stages", number(stages)),
            ("less", number(stages - 1)),
            ("micro", number(micro)),
            ("chunks", number(2 * micro)),
            ("most", most.to_string()),
            ("a", figure(plain * 100.0)),
            ("b", figure(chunked * 100.0)),
            ("c", number(enough)),
        ],
        answers: vec![plain * 100.0, chunked * 100.0, enough.into()],
    })
}

pub(super) const CLUSTER: [(&str, &str); 6] = [
    ("llama-3.1-70b", "a100-80-sxm"),
    ("llama-3.1-405b", "h200-sxm"),
    ("qwen2.5-72b", "h100-sxm"),
    ("mixtral-8x22b", "a100-80-sxm"),
    ("qwen2.5-32b", "a100-40-sxm"),
    ("llama-3.1-405b", "h100-sxm"),
];

/// GPUs by division, GPUs that the heads can be dealt out to, and GPUs that hold a training.
pub(super) fn cluster((id, gpu_id): (&str, &str)) -> Option<Set> {
    let (model, gpu) = (model(id)?, gpu(gpu_id)?);
    let evaluation = asked(&training(model))?;
    let (weights, kept) = (evaluation.bytes(Bucket::Weights), states(&evaluation));
    let heads = model.architecture.heads;
    let whole = |bytes: Bytes| bytes.0.div_ceil(gpu.capacity.0.max(1));
    let nine_tenths = gpu.capacity.0 * 9 / 10;
    let dealt = (1..=heads).find(|gpus| heads.is_multiple_of(*gpus) && weights.0 <= nine_tenths * u128::from(*gpus))?;
    Some(Set {
        values: vec![
            ("model", model.name.into()),
            ("parameters", Count(model.architecture.parameters().total()).to_string()),
            ("heads", number(heads)),
            ("weights", size(weights)),
            ("gpu", gpu.name.into()),
            ("capacity", size(gpu.capacity)),
            ("nine", size(Bytes(nine_tenths))),
            ("states", size(kept)),
            ("a", whole(weights).to_string()),
            ("b", number(dealt)),
            ("c", whole(kept).to_string()),
        ],
        answers: vec![whole(weights) as f64, dealt.into(), whole(kept) as f64],
    })
}

pub(super) const RUN: [(&str, u64, &str, u32, u32, f64); 6] = [
    ("llama-2-7b", 2_000, "a100-80-sxm", 40, 512, 1.8),
    ("llama-3.1-8b", 1_000, "h100-sxm", 35, 256, 2.5),
    ("llama-2-13b", 300, "a100-80-sxm", 45, 128, 1.5),
    ("llama-3.1-70b", 1_400, "h100-sxm", 40, 1_024, 2.2),
    ("qwen2.5-7b", 150, "h200-sxm", 30, 64, 3.0),
    ("qwen2.5-14b", 500, "h100-sxm", 38, 256, 2.0),
];

/// GPU hours, days and dollars of a run.
pub(super) fn run((id, billions, gpu_id, percent, gpus, price): (&str, u64, &str, u32, u32, f64)) -> Option<Set> {
    let (model, gpu) = (model(id)?, gpu(gpu_id)?);
    let (parameters, tokens) = (model.architecture.active_parameters(), billions * 1_000_000_000);
    let (work, peak) = (training_flops(parameters, tokens), dense_peak(gpu)?);
    let hours = gpu_hours(work, peak, f64::from(percent) / 100.0);
    let days = hours / f64::from(gpus) / 24.0;
    let one = |value: f64| money::numbers([value; 2]);
    Some(Set {
        values: vec![
            ("model", model.name.into()),
            ("parameters", Count(parameters).to_string()),
            ("tokens", Count(tokens).to_string()),
            ("gpu", gpu.name.into()),
            ("peak", flops(peak)),
            ("mfu", percent.to_string()),
            ("flops", money::power_of_ten(work)),
            ("gpus", number(gpus)),
            ("price", short(price)),
            ("a", one(hours)),
            ("b", one(days)),
            ("c", one(hours * price)),
        ],
        answers: vec![hours, days, hours * price],
    })
}

pub(super) const GAP: [(&str, u32, u32, [u32; 3]); 6] = [
    ("llama-3.2-1b", 4, 2_048, [104, 118, 6]),
    ("llama-3.2-3b", 2, 4_096, [103, 112, 7]),
    ("llama-2-7b", 2, 2_048, [106, 110, 5]),
    ("llama-3.2-1b", 8, 4_096, [102, 125, 6]),
    ("qwen2.5-7b", 2, 4_096, [105, 109, 8]),
    ("llama-3.1-8b", 2, 2_048, [107, 115, 5]),
];

/// A tenth of a GB: in whole ones differences come out as they are written.
const TENTH: u128 = 100_000_000;

/// An estimate of the engine, and what a profile could say beside it: made up, in percent of the estimate and tenths of a GB.
pub(super) fn gap((id, batch, seq_length, [allocated, reserved, outside]): (&str, u32, u32, [u32; 3])) -> Option<Set> {
    let model = model(id)?;
    let estimate = asked(&Scenario { batch, seq_length, ..training(model) })?.total;
    let tenths = |percent: u32| estimate.0 * u128::from(percent) / 100 / TENTH;
    let [planned, held, taken] = [100, allocated, reserved].map(tenths);
    let used = taken + u128::from(outside);
    let shown = |tenths: u128| format!("{}.{}", Grouped(tenths / 10), tenths % 10);
    let more = held.checked_sub(planned)?;
    let free = taken.checked_sub(held)?;
    let share = free as f64 / taken as f64 * 100.0;
    Some(Set {
        values: vec![
            ("model", model.name.into()),
            ("batch", number(batch)),
            ("tokens", number(seq_length)),
            ("estimate", shown(planned)),
            ("allocated", shown(held)),
            ("reserved", shown(taken)),
            ("used", shown(used)),
            ("free", shown(free)),
            ("a", shown(more)),
            ("b", figure(share)),
            ("c", shown(outside.into())),
        ],
        answers: vec![more as f64 / 10.0, share, f64::from(outside) / 10.0],
    })
}
