//! The numbers that stand in questions and claims that are asked with the same numbers each time, from the engine.

use memory_wall_core::display::{ByteUnit, Count, Size};
use memory_wall_core::hierarchy::{Tier, rung};
use memory_wall_core::precision::{ComputePrecision, KvPrecision};
use memory_wall_core::roofline::{Accounting, Kernel, Roof};
use memory_wall_core::training::{Recipe, Training};
use memory_wall_core::units::Intensity;
use memory_wall_core::{Bucket, Bytes, Mode, Parallelism, Scenario, WeightFormat, ZeroStage};

use super::numbers::{Values, asked, gpu, model, on_cards, roof, states, training};
use super::written::{figure, flops, gib, number, rate, size};
use crate::charts::hierarchy::nanoseconds;

/// The card that most questions are about.
const A100: &str = "a100-80-sxm";

fn kv(id: &str, batch: u32, seq_length: u32, kv: KvPrecision) -> Option<Bytes> {
    let scenario = Scenario { batch, seq_length, kv, ..Scenario::new(model(id)?.architecture) };
    Some(asked(&scenario)?.bytes(Bucket::KvCache))
}

fn weights(id: &str, format: WeightFormat) -> Option<Bytes> {
    Some(asked(&Scenario { weights: format, ..Scenario::new(model(id)?.architecture) })?.bytes(Bucket::Weights))
}

/// The activations of a training step of a 7B model.
fn activations(batch: u32) -> Option<Bytes> {
    let scenario = Scenario { batch, ..training(model("llama-2-7b")?) };
    Some(asked(&scenario)?.bytes(Bucket::Activations))
}

fn in_recipe(recipe: Recipe, weights: WeightFormat) -> Option<Bytes> {
    let scenario = training(model("llama-2-7b")?);
    Some(states(&asked(&Scenario { weights, training: Training { recipe, ..scenario.training }, ..scenario })?))
}

/// Totals of tuning a 7B model in full and with adapters.
fn tuned() -> Option<[Bytes; 2]> {
    let full = training(model("llama-2-7b")?);
    Some([asked(&full)?.total, asked(&Scenario { mode: Mode::Lora, ..full })?.total])
}

/// The linear layer that is widely told of: x and y, the weights, after the forward pass, and at the peak.
fn linear() -> [Bytes; 4] {
    let (rows, side, each) = (32 * 4_096_u128, 16_384_u128, 4);
    let [x, w] = [rows * side * each, side * side * each];
    // Bias and its gradient are some kilobytes.
    [Bytes(x), Bytes(w), Bytes(w + 2 * x), Bytes(2 * w + 3 * x)]
}

/// What is put into the texts of a question; nothing for one without numbers, or with numbers of its own.
pub fn facts(id: &str) -> Option<Values> {
    let card = gpu(A100)?;
    let a100 = roof(card)?;
    let seven = model("llama-2-7b")?;
    let thirteen = model("llama-2-13b")?;
    let eight = model("llama-3.1-8b")?;
    let parts = [("peak", flops(a100.peak)), ("bandwidth", rate(a100.bandwidth)), ("ridge", figure(a100.ridge().0))];
    let name = ("model", seven.name.to_string());
    let bf16 = KvPrecision::Bf16;
    let gradients = |cards| {
        let parallel = Parallelism { dp: cards, ..Parallelism::ONE };
        Some(asked(&Scenario { parallel, ..training(seven) })?.bytes(Bucket::Gradients))
    };
    let own = rung(card, Tier::Own)?;
    let cache = rung(card, Tier::Cache)?;
    Some(match id {
        "roofline.three" => {
            let reached = a100.attainable(Intensity(3.0));
            let share = reached.0 / a100.peak.0;
            let percent = |part: f64| memory_wall_core::display::Percent(part).to_string();
            vec![
                ("gpu", card.name.into()),
                ("ceiling", flops(reached)),
                ("share", percent(share)),
                ("idle", percent(1.0 - share)),
                ("ridge", figure(a100.ridge().0)),
            ]
        }
        "roofline.place" => {
            let relu = Kernel::Relu { elements: 1 << 26 }.work(2).intensity(Accounting::ReadsAndWrites);
            let ceiling = flops(a100.attainable(relu));
            vec![("gpu", card.name.into()), ("intensity", figure(relu.0)), ("ceiling", ceiling)]
        }
        "hierarchy.order" => {
            let host = rung(card, Tier::Host)?;
            vec![
                ("cache", size(cache.capacity?.value)),
                ("own", rate(own.bandwidth?.value)),
                ("host", rate(host.bandwidth?.value)),
                ("slower", format!("{}×", figure(host.slower_than_own(card)?))),
            ]
        }
        "hierarchy.latency" => vec![
            ("latency", nanoseconds(own.latency?.value)),
            ("gpu", card.name.into()),
            ("cache", size(cache.capacity?.value)),
            name,
            ("weights", size(weights("llama-2-7b", WeightFormat::Bf16)?)),
        ],
        "buckets.grows" => vec![
            ("a", size(kv("llama-2-7b", 8, 4_096, bf16)?)),
            ("batch_a", number(8)),
            ("tokens_a", number(4_096)),
            ("b", size(kv("llama-2-7b", 4, 8_192, bf16)?)),
            ("batch_b", number(4)),
            ("tokens_b", number(8_192)),
        ],
        "buckets.fit" => vec![
            ("model", thirteen.name.into()),
            ("weights", size(weights("llama-2-13b", WeightFormat::Bf16)?)),
            ("capacity", size(gpu("rtx4090")?.capacity)),
            ("int8", size(weights("llama-2-13b", WeightFormat::Int8)?)),
            ("int4", size(weights("llama-2-13b", WeightFormat::Int4)?)),
        ],
        "training.accumulation" | "claims.accumulation" => {
            vec![("four", size(activations(4)?)), ("one", size(activations(1)?))]
        }
        "training.mixed" => vec![
            ("fp32", size(in_recipe(Recipe::Fp32, WeightFormat::Fp32)?)),
            ("mixed", size(in_recipe(Recipe::Mixed, WeightFormat::Bf16)?)),
        ],
        "claims.mixed" => vec![
            ("parameters", Count(seven.architecture.parameters().total()).to_string()),
            ("fp32", size(in_recipe(Recipe::Fp32, WeightFormat::Fp32)?)),
            ("mixed", size(in_recipe(Recipe::Mixed, WeightFormat::Bf16)?)),
        ],
        "kv_cache.first" => vec![
            ("model", eight.name.into()),
            ("tokens", number(32_768)),
            ("batch", number(20)),
            ("cache", size(kv("llama-3.1-8b", 20, 32_768, bf16)?)),
            ("int8", size(kv("llama-3.1-8b", 20, 32_768, KvPrecision::Int8)?)),
            ("weights", size(weights("llama-3.1-8b", WeightFormat::Bf16)?)),
        ],
        "oom.copy" => {
            let [x, w, forward, peak] = linear().map(gib);
            vec![("x", x), ("w", w), ("forward", forward), ("peak", peak)]
        }
        "ladder.lora" | "claims.lora" => {
            let [full, lora] = tuned()?;
            let frozen = weights("llama-2-7b", WeightFormat::Bf16)?;
            vec![name, ("weights", size(frozen)), ("full", size(full)), ("lora", size(lora))]
        }
        "parallel.data" => vec![("gradients", size(gradients(1)?)), ("gradients_8", size(gradients(8)?))],
        "claims.kv13" => vec![
            ("model", thirteen.name.into()),
            ("size", size(kv("llama-2-13b", 32, 4_096, bf16)?)),
            ("int8", size(kv("llama-2-13b", 32, 4_096, KvPrecision::Int8)?)),
        ],
        "claims.quadratic" => vec![
            name,
            ("tokens_a", number(4_096)),
            ("a", size(kv("llama-2-7b", 1, 4_096, bf16)?)),
            ("tokens_b", number(8_192)),
            ("b", size(kv("llama-2-7b", 1, 8_192, bf16)?)),
        ],
        "claims.layers" => {
            let shape = thirteen.architecture;
            let one = Bytes(u128::from(shape.hidden_size) * 4_096 * 2);
            let all = Bytes(one.0 * u128::from(shape.layers));
            vec![("one", size(one)), ("all", size(all)), ("layers", number(shape.layers))]
        }
        "claims.inverted" => {
            let [peak, bandwidth, ridge] = parts;
            let inverse = format!("{:.4}", 1.0 / a100.ridge().0);
            vec![peak, bandwidth, ridge, ("inverse", inverse)]
        }
        "claims.ridge" => parts.into(),
        "claims.fp8" => {
            // The card has no such rate, or the claim would stand.
            card.peaks.fp8.is_none().then_some(())?;
            vec![("int8", figure(card.peaks.int8?.tflops()))]
        }
        "claims.h100" => {
            let of = |id| Some(rate(gpu(id)?.bandwidth));
            vec![("sxm", of("h100-sxm")?), ("pcie", of("h100-pcie")?), ("nvl", of("h100-nvl")?)]
        }
        "claims.mi300x" => {
            let fp8 = Roof::of(gpu("mi300x")?, ComputePrecision::Fp8)?.peak;
            vec![("fp8", flops(fp8)), ("times", figure(fp8.as_tflops() / 360.0))]
        }
        "claims.leap" => {
            let h100 = roof(gpu("h100-sxm")?)?;
            vec![
                ("compute", figure(h100.peak.0 / a100.peak.0)),
                ("bandwidth", figure(h100.bandwidth.0 / a100.bandwidth.0)),
                ("from", figure(a100.ridge().0)),
                ("to", figure(h100.ridge().0)),
            ]
        }
        "claims.pcie" => vec![("link", rate(card.host_link?))],
        "claims.latency" => vec![("latency", nanoseconds(own.latency?.value))],
        "claims.gemm" => {
            let work = Kernel::Gemm { m: 4_096, n: 4_096, k: 4_096 }.work(2);
            let of = |accounting| figure(work.intensity(accounting).0);
            vec![("both", of(Accounting::ReadsAndWrites)), ("reads", of(Accounting::ReadsOnly))]
        }
        "claims.relu" => {
            let work = Kernel::Relu { elements: 1 << 26 }.work(2);
            vec![("intensity", figure(work.intensity(Accounting::ReadsAndWrites).0))]
        }
        "claims.token" => {
            let bytes = weights("llama-2-7b", WeightFormat::Bf16)?;
            let answer = figure(own.reads_per_second(bytes)?);
            vec![("bandwidth", rate(a100.bandwidth)), ("weights", size(bytes)), ("answer", answer)]
        }
        "claims.linear" => {
            let card = gpu("a100-40-sxm")?;
            let [x, w, _, peak] = linear();
            // It fits, or the verdict would be another one.
            (peak < card.capacity).then_some(())?;
            vec![
                ("x", size(x)),
                ("w", size(w)),
                ("peak", size(peak)),
                ("gpu", card.name.into()),
                ("capacity", size(card.capacity)),
            ]
        }
        "claims.adam" => vec![("size", size(states(&asked(&training(model("generic-7b")?))?)))],
        "claims.exceeds" => {
            let asked = Bytes(84_000_000_000);
            (asked < card.capacity).then_some(())?;
            let in_gib = |bytes| Size::new(bytes, ByteUnit::Gib).to_string();
            vec![("capacity", size(card.capacity)), ("gib", in_gib(card.capacity)), ("asked", in_gib(asked))]
        }
        "claims.half" => vec![
            name,
            ("bf16", size(kv("llama-2-7b", 8, 4_096, bf16)?)),
            ("int8", size(kv("llama-2-7b", 8, 4_096, KvPrecision::Int8)?)),
        ],
        "claims.kv7" => {
            let bytes = kv("llama-2-7b", 1, 4_096, bf16)?;
            vec![name, ("size", size(bytes)), ("gib", gib(bytes))]
        }
        "claims.zero" => {
            let of = |stage| on_cards(seven, 8, stage);
            let (whole, second, third) = (of(ZeroStage::None)?, of(ZeroStage::Gradients)?, of(ZeroStage::Weights)?);
            vec![
                ("whole", size(whole)),
                ("second", size(second)),
                ("third", size(third)),
                ("times", figure(whole.0 as f64 / second.0 as f64)),
            ]
        }
        "claims.data" => vec![("one", size(gradients(1)?)), ("eight", size(gradients(8)?))],
        "claims.seventy" => {
            let seventy = model("llama-3.1-70b")?;
            let held = weights("llama-3.1-70b", WeightFormat::Bf16)?;
            let two = Bytes(2 * card.capacity.0);
            let left = Bytes(two.0.checked_sub(held.0)?);
            vec![("model", seventy.name.into()), ("weights", size(held)), ("two", size(two)), ("left", size(left))]
        }
        _ => return None,
    })
}
