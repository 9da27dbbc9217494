//! Problems about using a model.

use memory_wall_core::display::{Count, Grouped, Percent};
use memory_wall_core::hierarchy::{Tier, tier_spec};
use memory_wall_core::precision::KvPrecision;
use memory_wall_core::units::Intensity;
use memory_wall_core::{Bucket, Bytes, Scenario};

use super::Set;
use crate::figures::hierarchy::read_by;
use crate::figures::number as short;
use crate::sections::quiz::numbers::{asked, gpu, model, roof};
use crate::sections::quiz::written::{figure, flops, number, rate, size};

/// What is left of some bytes, and how often a smaller amount goes into it.
fn left(of: Bytes, taken: Bytes) -> Option<Bytes> {
    of.0.checked_sub(taken.0).map(Bytes)
}

fn times(space: Bytes, each: Bytes) -> Option<u128> {
    space.0.checked_div(each.0)
}

pub(super) const FIT: [(&str, &str); 6] = [
    ("llama-2-7b", "a100-80-sxm"),
    ("llama-3.1-8b", "rtx4090"),
    ("llama-2-13b", "a100-40-sxm"),
    ("qwen2.5-7b", "rtx4090"),
    ("qwen2.5-32b", "a100-80-sxm"),
    ("mistral-7b-v0.3", "l40s"),
];

/// Weights, what they leave of a GPU, and the tokens that go into it.
pub(super) fn fit((id, gpu_id): (&str, &str)) -> Option<Set> {
    let (model, gpu) = (model(id)?, gpu(gpu_id)?);
    let evaluation = asked(&Scenario::new(model.architecture))?;
    let (weights, each) = (evaluation.bytes(Bucket::Weights), evaluation.kv_bytes_per_token);
    let space = left(gpu.capacity, weights)?;
    let tokens = times(space, each)?;
    Some(Set {
        values: vec![
            ("model", model.name.into()),
            ("parameters", Count(model.architecture.parameters().total()).to_string()),
            ("gpu", gpu.name.into()),
            ("capacity", size(gpu.capacity)),
            ("each", size(each)),
            ("a", size(weights)),
            ("b", size(space)),
            ("c", Grouped(tokens).to_string()),
        ],
        answers: vec![weights.0 as f64, space.0 as f64, tokens as f64],
    })
}

pub(super) const SPLIT: [(&str, &str, u32); 6] = [
    ("llama-2-7b", "a100-80-sxm", 10),
    ("llama-3.1-8b", "h100-sxm", 25),
    ("llama-2-13b", "a100-80-sxm", 20),
    ("qwen2.5-7b", "rtx4090", 50),
    ("llama-3.1-70b", "h200-sxm", 5),
    ("qwen2.5-14b", "l40s", 15),
];

/// Tokens a second with the weights in own memory, in host memory, and in both.
pub(super) fn split((id, gpu_id, percent): (&str, &str, u32)) -> Option<Set> {
    let (model, gpu) = (model(id)?, gpu(gpu_id)?);
    let read = read_by(&Scenario::new(model.architecture).check().ok()?, gpu);
    let [own, host] = [Tier::Own, Tier::Host].map(|tier| tier_spec(gpu, tier));
    let (own, host) = (own?, host?);
    let [alone, slow] = [own.reads_per_second(read)?, host.reads_per_second(read)?];
    let share = f64::from(percent) / 100.0;
    let both = 1.0 / (share / slow + (1.0 - share) / alone);
    Some(Set {
        values: vec![
            ("model", model.name.into()),
            ("gpu", gpu.name.into()),
            ("weights", size(read)),
            ("own", rate(own.bandwidth?.value)),
            ("host", rate(host.bandwidth?.value)),
            ("percent", percent.to_string()),
            ("rest", (100 - percent).to_string()),
            ("a", short(alone)),
            ("b", short(slow)),
            ("c", short(both)),
        ],
        answers: vec![alone, slow, both],
    })
}

pub(super) const BATCH: [(&str, u32, u32); 6] = [
    ("a100-80-sxm", 4_096, 16),
    ("h100-sxm", 8_192, 64),
    ("mi300x", 5_120, 32),
    ("l40s", 4_096, 8),
    ("h200-sxm", 8_192, 128),
    ("rtx4090", 4_096, 24),
];

/// A matrix that a batch of vectors is multiplied with: intensity, rate, and the batch at which its GPU is busy.
pub(super) fn batch((gpu_id, width, batch): (&str, u32, u32)) -> Option<Set> {
    let gpu = gpu(gpu_id)?;
    let roof = roof(gpu)?;
    let intensity = Intensity(batch.into());
    let reached = roof.attainable(intensity);
    let enough = libm::ceil(roof.ridge().0);
    Some(Set {
        values: vec![
            ("gpu", gpu.name.into()),
            ("n", number(width)),
            ("batch", number(batch)),
            ("peak", flops(roof.peak)),
            ("bandwidth", rate(roof.bandwidth)),
            ("ridge", short(roof.ridge().0)),
            ("share", Percent(reached.0 / roof.peak.0).to_string()),
            ("a", number(batch)),
            ("b", flops(reached)),
            ("c", short(enough)),
        ],
        answers: vec![intensity.0, reached.0, enough],
    })
}

pub(super) const BITS: [(&str, &str, u32); 6] = [
    ("llama-2-13b", "rtx4090", 6),
    ("llama-3.1-70b", "a100-80-sxm", 15),
    ("qwen2.5-32b", "rtx4090", 5),
    ("mixtral-8x7b", "l40s", 10),
    ("qwen2.5-14b", "l4", 7),
    ("llama-3.1-70b", "h100-sxm", 20),
];

/// How many bits a parameter may take, and what it takes in 4 bits with scales.
pub(super) fn bits((id, gpu_id, kept): (&str, &str, u32)) -> Option<Set> {
    let (model, gpu) = (model(id)?, gpu(gpu_id)?);
    let evaluation = asked(&Scenario::new(model.architecture))?;
    let weights = evaluation.bytes(Bucket::Weights);
    let parameters = model.architecture.parameters().total() as f64;
    let kept = Bytes(u128::from(kept) * 1_000_000_000);
    let space = left(gpu.capacity, kept)?;
    let most = space.0 as f64 * 8.0 / parameters;
    // Four bits, and sixteen for every 32 values.
    let each = 4.0 + 16.0 / 32.0;
    let quantised = parameters * each / 8.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "less than the weights")]
    let shown = size(Bytes(quantised as u128));
    Some(Set {
        values: vec![
            ("model", model.name.into()),
            ("parameters", Count(model.architecture.parameters().total()).to_string()),
            ("gpu", gpu.name.into()),
            ("capacity", size(gpu.capacity)),
            ("kept", size(kept)),
            ("space", size(space)),
            ("each", short(each)),
            ("a", size(weights)),
            ("b", figure(most)),
            ("c", shown),
        ],
        answers: vec![weights.0 as f64, most, quantised],
    })
}

pub(super) const SERVE: [(&str, &str, u32); 6] = [
    ("llama-2-7b", "a100-80-sxm", 4_096),
    ("llama-3.1-8b", "a100-80-sxm", 8_192),
    ("qwen2.5-7b", "rtx4090", 16_384),
    ("llama-2-13b", "a100-80-sxm", 2_048),
    ("qwen2.5-32b", "h200-sxm", 8_192),
    ("mistral-7b-v0.3", "l40s", 8_192),
];

/// The cache of a request, and how many requests go beside the weights in 16 and in 8 bits.
pub(super) fn serve((id, gpu_id, seq_length): (&str, &str, u32)) -> Option<Set> {
    let (model, gpu) = (model(id)?, gpu(gpu_id)?);
    let shape = model.architecture;
    let one = Scenario { seq_length, ..Scenario::new(shape) };
    let evaluation = asked(&one)?;
    let (weights, cache) = (evaluation.bytes(Bucket::Weights), evaluation.bytes(Bucket::KvCache));
    let half = asked(&Scenario { kv: KvPrecision::Fp8, ..one })?.bytes(Bucket::KvCache);
    let space = left(gpu.capacity, weights)?;
    let [many, more] = [times(space, cache)?, times(space, half)?];
    Some(Set {
        values: vec![
            ("model", model.name.into()),
            ("layers", number(shape.layers)),
            ("kv_heads", number(shape.kv_heads)),
            ("head_dim", number(shape.head_dim)),
            ("weights", size(weights)),
            ("gpu", gpu.name.into()),
            ("capacity", size(gpu.capacity)),
            ("tokens", number(seq_length)),
            ("space", size(space)),
            ("half", size(half)),
            ("a", size(cache)),
            ("b", many.to_string()),
            ("c", more.to_string()),
        ],
        answers: vec![cache.0 as f64, many as f64, more as f64],
    })
}

pub(super) const GUESS: [(u32, i32, u32, u32); 6] =
    [(80, 4, 15, 250), (70, 3, 10, 180), (60, 5, 20, 300), (90, 6, 25, 400), (75, 4, 12, 280), (50, 3, 8, 150)];

/// Speculative decoding: tokens of a pass, and what becomes of the speed with few and with many requests.
pub(super) fn guess((right, guesses, little, much): (u32, i32, u32, u32)) -> Set {
    let p = f64::from(right) / 100.0;
    let tokens = (1.0 - libm::pow(p, f64::from(guesses) + 1.0)) / (1.0 - p);
    let [few, many] = [little, much].map(|more| tokens / (1.0 + f64::from(more) / 100.0));
    Set {
        values: vec![
            ("percent", right.to_string()),
            ("p", short(p)),
            ("guesses", guesses.to_string()),
            ("power", (guesses + 1).to_string()),
            ("little", little.to_string()),
            ("much", much.to_string()),
            ("few_cost", short(1.0 + f64::from(little) / 100.0)),
            ("many_cost", short(1.0 + f64::from(much) / 100.0)),
            ("a", figure(tokens)),
            ("b", figure(few)),
            ("c", figure(many)),
        ],
        answers: vec![tokens, few, many],
    }
}
