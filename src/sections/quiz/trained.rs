//! Questions about training, and about what many GPUs hold, with fresh numbers.

use memory_wall_core::display::{Count, Percent, THIN_SPACE};
use memory_wall_core::tables::models::Model;
use memory_wall_core::{Bucket, Bytes, Parallelism, Scenario, ZeroStage};

use super::numbers::{Variant, asked, gpu, in_gib, model, states, training};
use super::written::{figure, gib, number, size};
use crate::words;

pub(super) fn kept(model: &Model) -> Option<Variant> {
    let evaluation = asked(&training(model))?;
    let bytes = states(&evaluation);
    let parameters = model.architecture.parameters().total();
    let of = |each: f64| parameters as f64 * each;
    Some(Variant {
        values: vec![
            ("model", model.name.into()),
            ("parameters", Count(parameters).to_string()),
            ("size", size(bytes)),
            ("gib", gib(bytes)),
            ("weights", size(evaluation.bytes(Bucket::Weights))),
        ],
        answer: bytes.0 as f64,
        slips: vec![
            ("master", of(12.0)),
            ("weights", evaluation.bytes(Bucket::Weights).0 as f64),
            ("plain", of(4.0)),
            ("moments", of(8.0)),
            ("gradients", of(18.0)),
            ("gib", in_gib(bytes)),
        ],
    })
}

/// The states on one of several GPUs.
pub(super) fn on_gpus(model: &Model, gpus: u32, zero: ZeroStage) -> Option<Bytes> {
    let parallel = Parallelism { dp: gpus, zero, ..Parallelism::ONE };
    Some(states(&asked(&Scenario { parallel, ..training(model) })?))
}

pub(super) fn sharded((id, gpus, stage): (&str, u32, ZeroStage)) -> Option<Variant> {
    let model = model(id)?;
    let of = |stage| on_gpus(model, gpus, stage);
    let (bytes, whole) = (of(stage)?, of(ZeroStage::None)?);
    let others = [
        ("whole", ZeroStage::None),
        ("all", ZeroStage::Weights),
        ("first", ZeroStage::Optimizer),
        ("second", ZeroStage::Gradients),
    ];
    Some(Variant {
        values: vec![
            ("model", model.name.into()),
            ("parameters", Count(model.architecture.parameters().total()).to_string()),
            ("cards", number(gpus)),
            ("stage", stage.id().into()),
            ("size", size(bytes)),
            ("whole", size(whole)),
        ],
        answer: bytes.0 as f64,
        slips: others
            .into_iter()
            .filter(|(_, other)| *other != stage)
            .filter_map(|(slip, other)| Some((slip, of(other)?.0 as f64)))
            .collect(),
    })
}

pub(super) fn gpus((id, gpu_id, trains): (&str, &str, bool)) -> Option<Variant> {
    let (model, gpu) = (model(id)?, gpu(gpu_id)?);
    let evaluation = asked(&training(model))?;
    let held = |trains| if trains { states(&evaluation) } else { evaluation.bytes(Bucket::Weights) };
    let whole = |bytes: Bytes| bytes.0.div_ceil(gpu.capacity.0.max(1));
    let count = whole(held(trains));
    let answer = count as f64;
    let mut slips = vec![("floor", answer - 1.0)];
    if trains && whole(held(false)) as f64 + 1.0 < answer {
        slips.push(("serve", whole(held(false)) as f64));
    }
    Some(Variant {
        values: vec![
            ("model", model.name.into()),
            ("gpu", gpu.name.into()),
            ("capacity", size(gpu.capacity)),
            ("what", if trains { words::quiz_held_states() } else { words::quiz_held_weights() }.into()),
            ("size", size(held(trains))),
            ("ratio", figure(held(trains).0 as f64 / gpu.capacity.0 as f64)),
            ("answer", count.to_string()),
        ],
        answer,
        slips,
    })
}

/// The logits of all tokens, as one tensor of fp32.
pub(super) fn logits((id, batch, tokens): (&str, u32, u32)) -> Option<Variant> {
    let model = model(id)?;
    let vocab = model.architecture.vocab_size;
    let values = [batch, tokens, vocab].map(u128::from).iter().product::<u128>();
    let bytes = Bytes(values * 4);
    let exact = bytes.0 as f64;
    Some(Variant {
        values: vec![
            ("model", model.name.into()),
            ("vocab", number(vocab)),
            ("batch", number(batch)),
            ("tokens", number(tokens)),
            ("size", size(bytes)),
            ("gib", gib(bytes)),
        ],
        answer: exact,
        slips: [
            ("half", exact / 2.0),
            ("values", exact / 4.0),
            ("batch", exact / f64::from(batch)),
            ("gib", in_gib(bytes)),
        ]
        .into_iter()
        // Of two or four sequences one is as much as another slip gives.
        .filter(|(slip, _)| *slip != "batch" || ![2, 4].contains(&batch))
        .collect(),
    })
}

/// The share of a step in which a stage of a pipeline waits.
///
/// # Formula
/// (stages − 1) ÷ (micro-batches + stages − 1).
///
/// # Assumes
/// Stages of the same length, one micro-batch after another, no interleaving; as [`memory_wall_core::cost`] has it.
pub(super) fn idle(stages: u32, micro_batches: u32) -> f64 {
    let waits = f64::from(stages) - 1.0;
    waits / (f64::from(micro_batches) + waits)
}

/// A pipeline of so many stages, with so many micro-batches, each of so many milliseconds on a stage.
pub(super) fn bubble((stages, micro_batches, each): (u32, u32, u32)) -> Variant {
    let ms = |ms: u32| format!("{}{THIN_SPACE}ms", number(ms));
    let work = micro_batches * each;
    let waits = idle(stages, micro_batches);
    let answer = (micro_batches + stages - 1) * each;
    Variant {
        values: vec![
            ("stages", number(stages)),
            ("micro", number(micro_batches)),
            ("each", ms(each)),
            ("answer", ms(answer)),
            ("busy", ms(work)),
            ("idle", Percent(waits).to_string()),
        ],
        answer: f64::from(answer) / 1e3,
        slips: vec![("ideal", f64::from(work) / 1e3), ("serial", f64::from(work * stages) / 1e3)],
    }
}

/// The weights of a mixture of experts.
pub(super) fn experts(id: &str) -> Option<Variant> {
    let model = model(id)?;
    let bytes = asked(&Scenario::new(model.architecture))?.bytes(Bucket::Weights);
    let (total, active) = (model.architecture.parameters().total(), model.architecture.active_parameters());
    let exact = bytes.0 as f64;
    let share = active as f64 / total as f64;
    Some(Variant {
        values: vec![
            ("model", model.name.into()),
            ("parameters", Count(total).to_string()),
            ("active", Count(active).to_string()),
            ("share", Percent(share).to_string()),
            ("size", size(bytes)),
        ],
        answer: exact,
        slips: vec![("active", exact * share), ("half", exact / 2.0), ("gib", in_gib(bytes))],
    })
}
