//! Questions with fresh numbers: each with its sets of parameters, and with what the engine answers to them.

use memory_wall_core::display::{Count, Grouped};
use memory_wall_core::hierarchy::{Tier, tier_spec};
use memory_wall_core::precision::ComputePrecision;
use memory_wall_core::roofline::{Kernel, Roof};
use memory_wall_core::tables::gpus::{self, Gpu};
use memory_wall_core::tables::models::{self, Model};
use memory_wall_core::units::{FlopRate, Intensity};
use memory_wall_core::{Bucket, Bytes, Evaluation, Mode, Scenario, WeightFormat, ZeroStage, evaluate};

use super::written::{figure, flops, gib, number, rate, size};
use super::{caches, runs, served, trained};
use crate::figures::hierarchy::read_by;
use crate::words;

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
        "layer.weights" => ["M", "bytes byte B", "MB"],
        "server.room" => ["", words::quiz_unit_requests_written(), words::quiz_unit_requests()],
        "kv_cache.pages" => ["", words::quiz_unit_blocks_written(), words::quiz_unit_blocks()],
        "parallel.bubble" => ["m", "s", "ms"],
        "roofline.ceiling" => ["T", "FLOPs/s FLOP/s FLOPS", "TFLOP/s"],
        "roofline.knee" => ["", "FLOPs/byte FLOP/byte FLOPs/B FLOP/B", "FLOP/byte"],
        "hierarchy.tokens" => ["", words::quiz_unit_rate_written(), words::quiz_unit_rate()],
        "kv_cache.tokens" | "server.again" => ["", words::quiz_unit_tokens_written(), words::control_seq_unit()],
        "scaling.cards" => ["", words::quiz_unit_gpus_written(), words::dial_unit_gpus()],
        "time.hours" => ["", words::quiz_unit_hours_written(), words::dial_unit_hours()],
        "time.price" => ["", words::quiz_unit_dollars_written(), words::quiz_unit_dollars()],
        _ => ["G", "bytes byte B", "GB"],
    }
}

pub(in crate::sections) fn model(id: &str) -> Option<&'static Model> {
    models::by_id(id)
}

pub(in crate::sections) fn gpu(id: &str) -> Option<&'static Gpu> {
    gpus::by_id(id)
}

pub(in crate::sections) fn roof(gpu: &Gpu) -> Option<Roof> {
    Roof::of(gpu, ComputePrecision::Bf16)
}

/// Weights, gradients and optimizer states of a run.
pub(in crate::sections) fn states(evaluation: &Evaluation) -> Bytes {
    [Bucket::Weights, Bucket::Gradients, Bucket::Optimizer].map(|bucket| evaluation.bytes(bucket)).into_iter().sum()
}

/// A training step of a model with one short sequence.
pub(in crate::sections) fn training(model: &Model) -> Scenario {
    Scenario { mode: Mode::Training, ..Scenario::new(model.architecture) }
}

/// What the engine says to a scenario, if it is legal.
pub(in crate::sections) fn asked(scenario: &Scenario) -> Option<Evaluation> {
    Some(evaluate(&scenario.check().ok()?))
}

/// A size in GiB where it was asked in GB: as large a number, and a smaller unit.
pub(super) fn in_gib(bytes: Bytes) -> f64 {
    bytes.as_gib() * 1e9
}

/// The sets of numbers of a question; none for one that is asked with the same numbers each time.
pub fn variants(id: &str) -> Vec<Variant> {
    let all: Vec<Option<Variant>> = match id {
        "buckets.weights" => [
            ("llama-2-13b", WeightFormat::Bf16),
            ("qwen2.5-32b", WeightFormat::Bf16),
            ("llama-3.1-8b", WeightFormat::Fp8),
            ("llama-3.1-70b", WeightFormat::Bf16),
            ("qwen2.5-14b", WeightFormat::Fp32),
            ("qwen2.5-7b", WeightFormat::Fp8),
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
        .map(caches::cache)
        .into(),
        "kv_cache.tokens" => [
            ("llama-2-7b", 60, 4),
            ("llama-3.1-8b", 60, 16),
            ("llama-2-13b", 40, 3),
            ("llama-3.1-70b", 30, 6),
            ("qwen2.5-7b", 8, 5),
            ("qwen2.5-32b", 50, 12),
        ]
        .map(caches::context)
        .into(),
        "kv_cache.mla" => [
            ("deepseek-v3", 16, 8_192),
            ("deepseek-v2", 8, 16_384),
            ("deepseek-v2-lite", 32, 8_192),
            ("deepseek-v3", 4, 65_536),
            ("deepseek-v2", 32, 4_096),
            ("deepseek-v2-lite", 6, 131_072),
        ]
        .map(caches::latent)
        .into(),
        "kv_cache.window" => [
            ("gemma-2-9b", 8_192),
            ("gemma-3-12b", 32_768),
            ("gpt-oss-20b", 65_536),
            ("gemma-2-27b", 8_192),
            ("gemma-3-27b-text", 65_536),
            ("gpt-oss-120b", 131_072),
        ]
        .map(caches::windows)
        .into(),
        "kv_cache.pages" => [(24, 20, 16), (40, 35, 16), (10, 50, 32), (60, 18, 16), (16, 70, 32), (12, 90, 64)]
            .map(caches::pages)
            .into(),
        "layer.weights" => {
            ["llama-2-7b", "llama-3.1-8b", "llama-2-13b", "mistral-7b-v0.3", "llama-3.1-70b", "qwen2.5-32b"]
                .map(served::layer)
                .into()
        }
        "server.room" => [
            (0, 92, 16, [2_048, 512, 512]),
            (1, 92, 16, [2_048, 512, 512]),
            (0, 80, 32, [1_024, 256, 256]),
            (2, 90, 16, [1_536, 768, 1_024]),
            (0, 95, 64, [2_560, 640, 512]),
            (1, 70, 16, [3_072, 512, 1_536]),
        ]
        .map(served::room)
        .into(),
        "server.again" => [
            (2_048, 300, 512),
            (1_536, 420, 1_024),
            (1_024, 600, 256),
            (2_560, 150, 1_536),
            (768, 500, 128),
            (2_304, 700, 768),
        ]
        .map(|set| Some(served::again(set)))
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
                .map(|id| trained::kept(model(id)?))
                .into()
        }
        "oom.logits" => [
            ("llama-3.1-8b", 4, 2_048),
            ("llama-2-7b", 8, 4_096),
            ("qwen2.5-7b", 6, 8_192),
            ("gemma-2-9b", 2, 8_192),
            ("mistral-7b-v0.3", 16, 2_048),
            ("llama-3.2-1b", 8, 4_096),
        ]
        .map(trained::logits)
        .into(),
        "parallel.bubble" => [(4, 8, 30), (8, 8, 25), (4, 16, 40), (8, 32, 20), (16, 16, 15), (2, 4, 50)]
            .map(|set| Some(trained::bubble(set)))
            .into(),
        "coping.experts" => {
            ["mixtral-8x7b", "deepseek-v3", "qwen3-30b-a3b", "mixtral-8x22b", "qwen3-235b-a22b", "qwen1.5-moe-a2.7b"]
                .map(trained::experts)
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
        .map(trained::sharded)
        .into(),
        "scaling.cards" => [
            ("llama-3.1-70b", "a100-80-sxm", true),
            ("llama-3.1-70b", "a100-80-sxm", false),
            ("llama-3.1-405b", "a100-80-sxm", false),
            ("llama-2-13b", "a100-80-sxm", true),
            ("llama-3.1-405b", "h200-sxm", false),
            ("qwen2.5-32b", "a100-40-sxm", true),
        ]
        .map(trained::gpus)
        .into(),
        "time.hours" => [
            ("llama-2-7b", 2_000, "a100-80-sxm", 40),
            ("llama-3.1-8b", 1_000, "h100-sxm", 35),
            ("llama-2-13b", 300, "a100-80-sxm", 45),
            ("llama-3.1-70b", 1_400, "h100-sxm", 40),
            ("qwen2.5-7b", 150, "h200-sxm", 30),
            ("qwen2.5-32b", 640, "b200", 38),
        ]
        .map(runs::hours)
        .into(),
        "time.price" => {
            [(100, 1, 2.0), (2_500, 8, 2.5), (640, 2, 1.8), (12_000, 4, 3.0), (90, 1, 0.6), (5_000, 16, 4.0)]
                .map(|it| Some(runs::price(it)))
                .into()
        }
        _ => Vec::new(),
    };
    all.into_iter().flatten().collect()
}

fn weights((id, format): (&str, WeightFormat)) -> Option<Variant> {
    let model = model(id)?;
    let bytes = asked(&Scenario { weights: format, ..Scenario::new(model.architecture) })?.bytes(Bucket::Weights);
    let exact = bytes.0 as f64;
    let total = model.architecture.parameters().total();
    let each = format.block().bytes;
    let [count, each_said] = [Count(total).to_string(), each.to_string()];
    let mut slips = vec![("half", exact / 2.0), ("double", exact * 2.0), ("bits", exact * 8.0), ("gib", in_gib(bytes))];
    // A format of fewer bits leaves some parameters in 16, and the text says how many.
    let wide = bytes.0.checked_sub(u128::from(total) * u128::from(each)).and_then(|more| u64::try_from(more).ok())?;
    let (stored, working) = if wide == 0 {
        let format = format.label();
        (
            words::QuizStored { format, each: &each_said }.text(),
            words::QuizStoredWorked { parameters: &count, each: &each_said }.text(),
        )
    } else {
        slips.push(("flat", total as f64 * f64::from(each)));
        let [inner, rest] = [Count(total.checked_sub(wide)?), Count(wide)].map(|count| count.to_string());
        let format = format.label();
        (
            words::QuizStoredMixed { inner: &inner, format, each: &each_said, rest: &rest }.text(),
            words::QuizStoredMixedWorked { inner: &inner, each: &each_said, rest: &rest }.text(),
        )
    };
    Some(Variant {
        values: vec![
            ("model", model.name.into()),
            ("parameters", count),
            ("stored", stored),
            ("working", working),
            ("size", size(bytes)),
            ("exact", Grouped(bytes.0).to_string()),
            ("gib", gib(bytes)),
        ],
        answer: exact,
        slips,
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
            ("bound", if below { words::quiz_bound_memory() } else { words::quiz_bound_compute() }.into()),
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

fn tokens((id, gpu_id, tier): (&str, &str, Tier)) -> Option<Variant> {
    let (model, gpu) = (model(id)?, gpu(gpu_id)?);
    let bytes = read_by(&Scenario::new(model.architecture).check().ok()?, gpu);
    let tier_of = tier_spec(gpu, tier)?;
    let answer = tier_of.reads_per_second(bytes)?;
    let place = if tier == Tier::Own { words::quiz_tier_own() } else { words::quiz_tier_host() };
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
