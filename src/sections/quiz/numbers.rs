//! Questions with fresh numbers: each with its sets of parameters, and with what the engine answers to them.

use memory_wall_core::display::{Count, Grouped};
use memory_wall_core::hierarchy::{Tier, rung};
use memory_wall_core::precision::ComputePrecision;
use memory_wall_core::roofline::{Kernel, Roof};
use memory_wall_core::tables::gpus::{self, Gpu};
use memory_wall_core::tables::models::{self, Model};
use memory_wall_core::units::{FlopRate, Intensity};
use memory_wall_core::{Bucket, Bytes, Evaluation, Mode, Parallelism, Scenario, WeightFormat, ZeroStage, evaluate};

use super::written::{figure, flops, gib, number, rate, size};
use crate::charts::hierarchy::read_by;
use crate::words::t;

/// Names and texts that are put into a question.
pub type Values = Vec<(&'static str, String)>;

/// A question with one set of numbers.
#[derive(Clone, Debug)]
pub struct Variant {
    /// What is put into its texts.
    pub values: Values,
    /// The answer, in the unit without prefix.
    pub answer: f64,
    /// What known slips give.
    pub slips: Vec<(&'static str, f64)>,
}

/// The unit that a question asks in: its prefix, the ways to write it, the longest first, and how it is shown. Units that are
/// words are those of the language.
pub fn unit(id: &str) -> [&'static str; 3] {
    match id {
        "roofline.ceiling" => ["T", "FLOPs/s FLOP/s FLOPS", "TFLOP/s"],
        "roofline.knee" => ["", "FLOPs/byte FLOP/byte FLOPs/B FLOP/B", "FLOP/byte"],
        "hierarchy.tokens" => ["", t("quiz.unit.rate.written"), t("quiz.unit.rate")],
        "kv_cache.tokens" => ["", t("quiz.unit.tokens.written"), t("control.seq.unit")],
        "scaling.cards" => ["", t("quiz.unit.cards.written"), t("dial.unit.cards")],
        _ => ["G", "bytes byte B", "GB"],
    }
}

pub(super) fn model(id: &str) -> Option<&'static Model> {
    models::by_id(id)
}

pub(super) fn gpu(id: &str) -> Option<&'static Gpu> {
    gpus::by_id(id)
}

pub(super) fn roof(gpu: &Gpu) -> Option<Roof> {
    Roof::of(gpu, ComputePrecision::Bf16)
}

/// Weights, gradients and optimizer states of a run.
pub(super) fn states(evaluation: &Evaluation) -> Bytes {
    [Bucket::Weights, Bucket::Gradients, Bucket::Optimizer].map(|bucket| evaluation.bytes(bucket)).into_iter().sum()
}

/// A training step of a model with one short sequence.
pub(super) fn training(model: &Model) -> Scenario {
    Scenario { mode: Mode::Training, ..Scenario::new(model.architecture) }
}

/// What the engine says to a scenario, if it is legal.
pub(super) fn asked(scenario: &Scenario) -> Option<Evaluation> {
    Some(evaluate(&scenario.check().ok()?))
}

/// A size in GiB where it was asked in GB: as large a number, and a smaller unit.
fn in_gib(bytes: Bytes) -> f64 {
    bytes.as_gib() * 1e9
}

/// The sets of numbers of a question; none for one that is asked with the same numbers each time.
pub fn variants(id: &str) -> Vec<Variant> {
    let all: Vec<Option<Variant>> = match id {
        "buckets.weights" => [
            ("llama-2-13b", WeightFormat::Bf16),
            ("llama-3.1-8b", WeightFormat::Bf16),
            ("qwen2.5-32b", WeightFormat::Fp8),
            ("llama-3.1-70b", WeightFormat::Bf16),
            ("qwen2.5-14b", WeightFormat::Fp32),
            ("mistral-7b-v0.3", WeightFormat::Fp8),
        ]
        .map(weights)
        .into(),
        "kv_cache.size" => [
            ("llama-2-7b", 8, 32_768),
            ("llama-3.1-8b", 16, 8_192),
            ("llama-2-13b", 32, 4_096),
            ("llama-3.1-70b", 4, 32_768),
            ("qwen2.5-7b", 12, 16_384),
            ("qwen2.5-32b", 3, 65_536),
        ]
        .map(cache)
        .into(),
        "kv_cache.tokens" => [
            ("llama-2-7b", 60, 4),
            ("llama-3.1-8b", 60, 16),
            ("llama-2-13b", 40, 3),
            ("llama-3.1-70b", 30, 6),
            ("qwen2.5-7b", 8, 5),
            ("qwen2.5-32b", 50, 12),
        ]
        .map(context)
        .into(),
        "roofline.ceiling" => [
            ("h100-sxm", 20),
            ("a100-80-sxm", 64),
            ("h200-sxm", 500),
            ("mi300x", 100),
            ("rtx4090", 40),
            ("a100-40-sxm", 600),
        ]
        .map(ceiling)
        .into(),
        "roofline.knee" => {
            ["a100-80-sxm", "h100-sxm", "mi300x", "l40s", "rtx4090", "b200"].map(|id| ridge(gpu(id)?)).into()
        }
        "hierarchy.tokens" => [
            ("llama-2-7b", "h100-sxm", Tier::Own),
            ("llama-3.1-70b", "h200-sxm", Tier::Own),
            ("llama-3.1-8b", "rtx4090", Tier::Own),
            ("qwen2.5-7b", "a100-80-sxm", Tier::Host),
            ("qwen2.5-32b", "a100-80-sxm", Tier::Own),
            ("llama-3.2-3b", "l4", Tier::Own),
        ]
        .map(tokens)
        .into(),
        "hierarchy.trips" => {
            [(4, 50), (6, 20), (5, 120), (3, 400), (8, 75), (7, 30)].map(|set| Some(trips(set))).into()
        }
        "training.states" => {
            ["llama-2-7b", "llama-3.1-8b", "llama-2-13b", "llama-3.2-3b", "llama-3.1-70b", "qwen2.5-14b"]
                .map(|id| kept(model(id)?))
                .into()
        }
        "parallel.zero" => [
            ("llama-2-7b", 8, ZeroStage::Gradients),
            ("llama-2-7b", 16, ZeroStage::Optimizer),
            ("llama-2-13b", 8, ZeroStage::Weights),
            ("llama-3.1-8b", 4, ZeroStage::Gradients),
            ("llama-3.1-70b", 64, ZeroStage::Weights),
            ("llama-2-13b", 16, ZeroStage::Optimizer),
        ]
        .map(shared)
        .into(),
        "scaling.cards" => [
            ("llama-3.1-70b", "a100-80-sxm", true),
            ("llama-3.1-70b", "a100-80-sxm", false),
            ("llama-3.1-405b", "a100-80-sxm", false),
            ("llama-2-13b", "a100-80-sxm", true),
            ("llama-3.1-405b", "h200-sxm", false),
            ("qwen2.5-32b", "a100-40-sxm", true),
        ]
        .map(cards)
        .into(),
        _ => Vec::new(),
    };
    all.into_iter().flatten().collect()
}

fn weights((id, format): (&str, WeightFormat)) -> Option<Variant> {
    let model = model(id)?;
    let bytes = asked(&Scenario { weights: format, ..Scenario::new(model.architecture) })?.bytes(Bucket::Weights);
    let exact = bytes.0 as f64;
    let each = format.block().bytes;
    Some(Variant {
        values: vec![
            ("model", model.name.into()),
            ("parameters", Count(model.architecture.parameters().total()).to_string()),
            ("format", format.label().into()),
            ("each", each.to_string()),
            ("size", size(bytes)),
            ("exact", Grouped(bytes.0).to_string()),
            ("gib", gib(bytes)),
        ],
        answer: exact,
        slips: vec![("half", exact / 2.0), ("double", exact * 2.0), ("bits", exact * 8.0), ("gib", in_gib(bytes))],
    })
}

fn cache((id, batch, tokens): (&str, u32, u32)) -> Option<Variant> {
    let model = model(id)?;
    let shape = model.architecture;
    let bytes = asked(&Scenario { batch, seq_length: tokens, ..Scenario::new(shape) })?.bytes(Bucket::KvCache);
    let exact = bytes.0 as f64;
    let mut slips = vec![
        ("half", exact / 2.0),
        ("layers", exact / f64::from(shape.layers)),
        ("batch", exact / f64::from(batch)),
        ("gib", in_gib(bytes)),
    ];
    if shape.heads != shape.kv_heads {
        slips.push(("heads", exact * f64::from(shape.heads) / f64::from(shape.kv_heads)));
    }
    Some(Variant {
        values: vec![
            ("model", model.name.into()),
            ("layers", number(shape.layers)),
            ("kv_heads", number(shape.kv_heads)),
            ("head_dim", number(shape.head_dim)),
            ("batch", number(batch)),
            ("tokens", number(tokens)),
            ("size", size(bytes)),
            ("gib", gib(bytes)),
        ],
        answer: exact,
        slips,
    })
}

fn context((id, free, batch): (&str, u32, u32)) -> Option<Variant> {
    let model = model(id)?;
    let each = asked(&Scenario::new(model.architecture))?.kv_bytes_per_token;
    let free = Bytes(u128::from(free) * 1_000_000_000);
    let all = free.0 / each.0.max(1);
    let tokens = all / u128::from(batch);
    let answer = tokens as f64;
    Some(Variant {
        values: vec![
            ("model", model.name.into()),
            ("free", size(free)),
            ("each", size(each)),
            ("batch", number(batch)),
            ("all", Grouped(all).to_string()),
            ("answer", Grouped(tokens).to_string()),
        ],
        answer,
        slips: vec![("batch", all as f64), ("half", answer / 2.0), ("double", answer * 2.0)],
    })
}

fn ceiling((id, intensity): (&str, u32)) -> Option<Variant> {
    let gpu = gpu(id)?;
    let roof = roof(gpu)?;
    let at = Intensity(intensity.into());
    let answer = roof.attainable(at);
    let slope = FlopRate(roof.bandwidth.0 * at.0);
    let below = slope < roof.peak;
    Some(Variant {
        values: vec![
            ("gpu", gpu.name.into()),
            ("peak", flops(roof.peak)),
            ("bandwidth", rate(roof.bandwidth)),
            ("intensity", number(intensity)),
            ("slope", flops(slope)),
            ("answer", flops(answer)),
            ("bound", t(if below { "quiz.bound.memory" } else { "quiz.bound.compute" }).into()),
        ],
        answer: answer.0,
        slips: vec![
            if below { ("peak", roof.peak.0) } else { ("slope", slope.0) },
            ("inverted", roof.bandwidth.0 / at.0),
        ],
    })
}

fn ridge(gpu: &Gpu) -> Option<Variant> {
    let roof = roof(gpu)?;
    let answer = roof.ridge().0;
    Some(Variant {
        values: vec![
            ("gpu", gpu.name.into()),
            ("peak", flops(roof.peak)),
            ("bandwidth", rate(roof.bandwidth)),
            ("answer", figure(answer)),
        ],
        answer,
        slips: vec![("inverted", 1.0 / answer), ("sparse", answer * 2.0), ("thousand", answer / 1_000.0)],
    })
}

fn tokens((id, card, tier): (&str, &str, Tier)) -> Option<Variant> {
    let (model, gpu) = (model(id)?, gpu(card)?);
    let bytes = read_by(&Scenario::new(model.architecture).check().ok()?, gpu);
    let tier_of = rung(gpu, tier)?;
    let answer = tier_of.reads_per_second(bytes)?;
    let place = if tier == Tier::Own { t("quiz.tier.own") } else { t("quiz.tier.host") };
    let bandwidth = tier_of.bandwidth?.value;
    Some(Variant {
        values: vec![
            ("model", model.name.into()),
            ("weights", size(bytes)),
            ("tier", format!("{place} {}", gpu.name)),
            ("bandwidth", rate(bandwidth)),
            ("answer", figure(answer)),
        ],
        answer,
        slips: vec![
            ("count", bandwidth.0 / model.architecture.parameters().total() as f64),
            ("bits", answer / 8.0),
            ("inverted", 1.0 / answer),
        ],
    })
}

/// So many operations on so many million values.
fn trips((kernels, millions): (u64, u64)) -> Variant {
    let elements = millions * 1_000_000;
    let one = Kernel::Relu { elements }.work(2);
    let bytes = |work: memory_wall_core::roofline::Work| Bytes(work.read + work.written);
    let [all, fused] = [bytes(one.times(kernels)), bytes(one)];
    let exact = all.0 as f64;
    Variant {
        values: vec![
            ("kernels", kernels.to_string()),
            ("values", Count(elements).to_string()),
            ("size", size(all)),
            ("fused", size(fused)),
        ],
        answer: exact,
        slips: vec![("fused", fused.0 as f64), ("half", exact / 2.0), ("values", exact / 4.0)]
            .into_iter()
            // Of four kernels a quarter is also what a fused one moves.
            .filter(|(slip, _)| *slip != "values" || kernels != 4)
            .collect(),
    }
}

fn kept(model: &Model) -> Option<Variant> {
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

/// The states on one of several cards.
pub(super) fn on_cards(model: &Model, cards: u32, zero: ZeroStage) -> Option<Bytes> {
    let parallel = Parallelism { dp: cards, zero, ..Parallelism::ONE };
    Some(states(&asked(&Scenario { parallel, ..training(model) })?))
}

fn shared((id, cards, stage): (&str, u32, ZeroStage)) -> Option<Variant> {
    let model = model(id)?;
    let of = |stage| on_cards(model, cards, stage);
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
            ("cards", number(cards)),
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

fn cards((id, card, trains): (&str, &str, bool)) -> Option<Variant> {
    let (model, gpu) = (model(id)?, gpu(card)?);
    let evaluation = asked(&training(model))?;
    let held = |trains| if trains { states(&evaluation) } else { evaluation.bytes(Bucket::Weights) };
    let whole = |bytes: Bytes| bytes.0.div_ceil(gpu.capacity.0.max(1));
    let answer = whole(held(trains)) as f64;
    let mut slips = vec![("floor", answer - 1.0)];
    if trains && whole(held(false)) as f64 + 1.0 < answer {
        slips.push(("serve", whole(held(false)) as f64));
    }
    Some(Variant {
        values: vec![
            ("model", model.name.into()),
            ("gpu", gpu.name.into()),
            ("capacity", size(gpu.capacity)),
            ("what", t(if trains { "quiz.held.states" } else { "quiz.held.weights" }).into()),
            ("size", size(held(trains))),
            ("ratio", figure(held(trains).0 as f64 / gpu.capacity.0 as f64)),
            ("answer", figure(answer).trim_end_matches('0').trim_end_matches('.').into()),
        ],
        answer,
        slips,
    })
}
