//! The numbers that stand in questions that are asked with the same numbers each time, from the engine.

use memory_wall_core::display::Count;
use memory_wall_core::hierarchy::{Tier, tier_spec};
use memory_wall_core::precision::KvPrecision;
use memory_wall_core::roofline::operations::visited;
use memory_wall_core::roofline::{Accounting, Kernel};
use memory_wall_core::training::{Checkpointing, Loss, Optimizer, Recipe, Training};
use memory_wall_core::units::Intensity;
use memory_wall_core::{Attention, Bucket, Bytes, Mode, Offload, Parallelism, Scenario, WeightFormat};

use super::numbers::{Values, asked, gpu, model, roof, states, training};
use super::written::{figure, flops, gib, number, rate, size};
use super::{claims, runs, served};
use crate::figures::hierarchy::nanoseconds;

/// The GPU that most questions are about.
pub(super) const A100: &str = "a100-80-sxm";

pub(super) fn kv(id: &str, batch: u32, seq_length: u32, kv: KvPrecision) -> Option<Bytes> {
    let scenario = Scenario { batch, seq_length, kv, ..Scenario::new(model(id)?.architecture) };
    Some(asked(&scenario)?.bytes(Bucket::KvCache))
}

pub(super) fn weights(id: &str, format: WeightFormat) -> Option<Bytes> {
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

/// A server whose cache is too large for the GPU that most questions are about.
pub(super) fn served() -> Option<Scenario> {
    let architecture = model("llama-3.1-8b")?.architecture;
    Some(Scenario { batch: 20, seq_length: 32_768, gpu: gpu(A100), ..Scenario::new(architecture) })
}

/// A training step of which every part is large.
pub(super) fn crowded() -> Option<Scenario> {
    Some(Scenario { batch: 8, seq_length: 2_048, gpu: gpu(A100), ..training(model("llama-3.2-3b")?) })
}

/// The same step with a part of the question's order applied to it, by its number.
pub(super) fn eased(step: &Scenario, part: u8) -> Option<Scenario> {
    let training = |training| Scenario { training, ..*step };
    Some(match part {
        0 => Scenario { optimizer: Optimizer::AdamW8bit, ..*step },
        1 => Scenario { batch: step.batch / 2, ..*step },
        2 => Scenario { checkpointing: Checkpointing::Full, ..*step },
        3 => training(Training { loss: Loss::Chunked, ..step.training }),
        4 => training(Training { micro_batches: 4, ..step.training }),
        _ => return None,
    })
}

/// A training step that does not fit into one GPU, and is mended by one of several changes.
pub(super) fn small() -> Option<Scenario> {
    Some(Scenario { batch: 8, seq_length: 4_096, gpu: gpu(A100), ..training(model("llama-3.2-1b")?) })
}

/// The same step with an option of the question applied to it, by its number.
pub(super) fn mended(step: &Scenario, option: u8) -> Option<Scenario> {
    match option {
        1 => Some(Scenario { offload: Offload { optimizer: true, ..step.offload }, ..*step }),
        2 => eased(step, 4),
        3 => eased(step, 1),
        option => eased(step, option),
    }
}

fn saved(step: &Scenario, changed: &Scenario) -> Option<Bytes> {
    asked(step)?.total.0.checked_sub(asked(changed)?.total.0).map(Bytes)
}

/// What a training step takes, bucket by bucket.
fn needs(step: &Scenario) -> Option<Values> {
    let evaluation = asked(step)?;
    let of = |bucket| size(evaluation.bytes(bucket));
    Some(vec![
        ("weights", of(Bucket::Weights)),
        ("gradients", of(Bucket::Gradients)),
        ("optimizer", of(Bucket::Optimizer)),
        ("activations", of(Bucket::Activations)),
        ("logits", of(Bucket::Logits)),
    ])
}

/// A training step whose states alone are larger than the GPU: the tutorial's own example.
pub(super) fn stuck() -> Option<Scenario> {
    Some(Scenario { gpu: gpu(A100), ..training(model("llama-2-7b")?) })
}

/// The same step with an option of the question applied to it, by its number.
pub(super) fn moved(step: &Scenario, option: u8) -> Option<Scenario> {
    match option {
        0 => eased(step, 2),
        2 => Some(Scenario { mode: Mode::Lora, ..*step }),
        3 => eased(step, 3),
        _ => Some(Scenario { attention: Attention::Flash, ..*step }),
    }
}

/// Totals of tuning a 7B model in full and with adapters.
pub(super) fn tuned() -> Option<[Bytes; 2]> {
    let full = training(model("llama-2-7b")?);
    Some([asked(&full)?.total, asked(&Scenario { mode: Mode::Lora, ..full })?.total])
}

/// The linear layer that is widely told of: x and y, the weights, after the forward pass, and at the peak.
pub(super) fn linear() -> [Bytes; 4] {
    let (rows, side, each) = (32 * 4_096_u128, 16_384_u128, 4);
    let [x, w] = [rows * side * each, side * side * each];
    // Bias and its gradient are some kilobytes.
    [Bytes(x), Bytes(w), Bytes(w + 2 * x), Bytes(2 * w + 3 * x)]
}

/// What is put into the texts of a question; nothing for one without numbers, or with numbers of its own.
pub fn facts(id: &str) -> Option<Values> {
    let a100_gpu = gpu(A100)?;
    let a100 = roof(a100_gpu)?;
    let seven = model("llama-2-7b")?;
    let thirteen = model("llama-2-13b")?;
    let eight = model("llama-3.1-8b")?;
    let name = ("model", seven.name.to_string());
    let bf16 = KvPrecision::Bf16;
    let gradients = |gpus| {
        let parallel = Parallelism { dp: gpus, ..Parallelism::ONE };
        Some(asked(&Scenario { parallel, ..training(seven) })?.bytes(Bucket::Gradients))
    };
    let own = tier_spec(a100_gpu, Tier::Own)?;
    let cache = tier_spec(a100_gpu, Tier::Cache)?;
    Some(match id {
        "roofline.three" => {
            let reached = a100.attainable(Intensity(3.0));
            let share = reached.0 / a100.peak.0;
            let percent = |part: f64| memory_wall_core::display::Percent(part).to_string();
            vec![
                ("gpu", a100_gpu.name.into()),
                ("ceiling", flops(reached)),
                ("share", percent(share)),
                ("idle", percent(1.0 - share)),
                ("ridge", figure(a100.ridge().0)),
            ]
        }
        "roofline.place" => {
            let relu = Kernel::Relu { elements: 1 << 26 }.work(2).intensity(Accounting::ReadsAndWrites);
            let ceiling = flops(a100.attainable(relu));
            vec![("gpu", a100_gpu.name.into()), ("intensity", figure(relu.0)), ("ceiling", ceiling)]
        }
        "hierarchy.order" => {
            let host = tier_spec(a100_gpu, Tier::Host)?;
            vec![
                ("cache", size(cache.capacity?.value)),
                ("own", rate(own.bandwidth?.value)),
                ("host", rate(host.bandwidth?.value)),
                ("slower", format!("{}×", figure(host.slower_than_own(a100_gpu)?))),
            ]
        }
        "hierarchy.latency" => vec![
            ("latency", nanoseconds(own.latency?.value)),
            ("gpu", a100_gpu.name.into()),
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
        "layer.passes" => served::passes()?,
        "server.queue" => served::queue()?,
        "ladder.states" => {
            let step = stuck()?;
            let mut values = needs(&step)?;
            values.retain(|(name, _)| ["activations", "logits"].contains(name));
            values.extend([
                name,
                ("gpu", a100_gpu.name.into()),
                ("capacity", size(a100_gpu.capacity)),
                ("states", size(states(&asked(&step)?))),
                ("saves_0", size(saved(&step, &moved(&step, 0)?)?)),
                ("lora", size(asked(&moved(&step, 2)?)?.total)),
            ]);
            values
        }
        "scaling.states" => {
            let held = weights("llama-3.1-70b", WeightFormat::Bf16)?;
            let kept = states(&asked(&training(model("llama-3.1-70b")?))?);
            let gpus = |bytes: Bytes| bytes.0.div_ceil(a100_gpu.capacity.0.max(1)).to_string();
            vec![
                ("gpu", a100_gpu.name.into()),
                ("held", gpus(held)),
                ("trained", gpus(kept)),
                ("bytes", size(kept)),
                ("weights", size(held)),
            ]
        }
        "training.accumulation" => {
            vec![("four", size(activations(4)?)), ("one", size(activations(1)?))]
        }
        "training.mixed" => vec![
            ("fp32", size(in_recipe(Recipe::Fp32, WeightFormat::Fp32)?)),
            ("mixed", size(in_recipe(Recipe::Mixed, WeightFormat::Bf16)?)),
        ],
        "kv_cache.first" => {
            let served = served()?;
            let base = asked(&served)?;
            let weights = asked(&Scenario { weights: WeightFormat::Int4, ..served })?;
            let cached = asked(&Scenario { kv: KvPrecision::Int8, ..served })?;
            let left = Bytes(weights.total.0.checked_sub(a100_gpu.capacity.0)?);
            vec![
                ("model", eight.name.into()),
                ("gpu", a100_gpu.name.into()),
                ("capacity", size(a100_gpu.capacity)),
                ("tokens", number(served.seq_length)),
                ("batch", number(served.batch)),
                ("cache", size(base.bytes(Bucket::KvCache))),
                ("int8", size(cached.bytes(Bucket::KvCache))),
                ("weights", size(base.bytes(Bucket::Weights))),
                ("int4", size(weights.bytes(Bucket::Weights))),
                ("left", size(left)),
            ]
        }
        "oom.copy" => {
            let [x, w, forward, peak] = linear().map(gib);
            vec![("x", x), ("w", w), ("forward", forward), ("peak", peak)]
        }
        "ladder.lora" => {
            let [full, lora] = tuned()?;
            let frozen = weights("llama-2-7b", WeightFormat::Bf16)?;
            vec![name, ("weights", size(frozen)), ("full", size(full)), ("lora", size(lora))]
        }
        "ladder.saves" => {
            let step = crowded()?;
            let mut values = needs(&step)?;
            values.extend([
                ("model", model("llama-3.2-3b")?.name.into()),
                ("batch", number(step.batch)),
                ("tokens", number(step.seq_length)),
            ]);
            for (part, name) in [(0, "saves_0"), (1, "saves_1"), (2, "saves_2"), (3, "saves_3")] {
                values.push((name, size(saved(&step, &eased(&step, part)?)?)));
            }
            values
        }
        "coping.first" => {
            let step = small()?;
            let mut values = needs(&step)?;
            values.retain(|(name, _)| ["activations", "logits"].contains(name));
            values.extend([
                ("model", model("llama-3.2-1b")?.name.into()),
                ("gpu", a100_gpu.name.into()),
                ("capacity", size(a100_gpu.capacity)),
                ("batch", number(step.batch)),
                ("tokens", number(step.seq_length)),
                ("states", size(states(&asked(&step)?))),
            ]);
            for (option, name) in [(0, "saves_0"), (1, "saves_1"), (3, "saves_3")] {
                values.push((name, size(saved(&step, &mended(&step, option)?)?)));
            }
            values
        }
        "coping.active" => {
            let mixture = model("deepseek-v3")?;
            let (shape, batch) = (mixture.architecture, 128);
            let moe = shape.moe?;
            vec![
                ("model", mixture.name.into()),
                ("total", Count(shape.parameters().total()).to_string()),
                ("active", Count(shape.active_parameters()).to_string()),
                ("weights", size(weights("deepseek-v3", WeightFormat::Bf16)?)),
                ("batch", number(batch)),
                ("each", number(moe.experts_per_token)),
                ("visited", figure(visited(&moe, batch.into()))),
                ("experts", number(moe.experts)),
            ]
        }
        "training.flash" => {
            let of = |attention| {
                let scenario = Scenario { attention, seq_length: 4_096, ..training(seven) };
                Some(size(asked(&scenario)?.bytes(Bucket::Activations)))
            };
            vec![name, ("tokens", number(4_096)), ("eager", of(Attention::Eager)?), ("flash", of(Attention::Flash)?)]
        }
        "scaling.legal" => {
            let opt = model("opt-175b")?;
            let held = weights("opt-175b", WeightFormat::Bf16)?;
            let heads = opt.architecture.heads;
            vec![
                ("model", opt.name.into()),
                ("weights", size(held)),
                ("gpus", held.0.div_ceil(a100_gpu.capacity.0.max(1)).to_string()),
                ("capacity", size(a100_gpu.capacity)),
                ("heads", number(heads)),
                ("each", number(heads / 8)),
            ]
        }
        "time.double" => runs::double()?,
        "time.whole" => runs::whole()?,
        "parallel.data" => vec![("gradients", size(gradients(1)?)), ("gradients_8", size(gradients(8)?))],
        _ => return claims::facts(id),
    })
}
