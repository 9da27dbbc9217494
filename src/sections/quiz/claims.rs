//! The numbers that stand in the verdicts on claims, from the engine. A claim that the engine does not bear out has none, and a test finds it.

use memory_wall_core::display::{ByteUnit, Count, Percent, Size};
use memory_wall_core::hierarchy::{Tier, tier_spec};
use memory_wall_core::memory::paging::USEFUL_BEFORE_PAGES;
use memory_wall_core::precision::{ComputePrecision, KvPrecision};
use memory_wall_core::roofline::latency::{Counting, estimate};
use memory_wall_core::roofline::{Accounting, Bound, Kernel, Pass, Roof};
use memory_wall_core::tables::models::Model;
use memory_wall_core::training::Checkpointing;
use memory_wall_core::{Attention, Bucket, Bytes, Scenario, WeightFormat, ZeroStage};

use super::facts::{A100, kv, linear, tuned, weights};
use super::numbers::{Values, asked, gpu, model, roof, states, training};
use super::trained::{self, on_gpus};
use super::written::{figure, flops, gib, number, rate, size};
use crate::figures::hierarchy::{nanoseconds, read_by};

/// What is put into the verdict on a claim.
pub(super) fn facts(id: &str) -> Option<Values> {
    let a100_gpu = gpu(A100)?;
    let a100 = roof(a100_gpu)?;
    let seven = model("llama-2-7b")?;
    let thirteen = model("llama-2-13b")?;
    let parts = [("peak", flops(a100.peak)), ("bandwidth", rate(a100.bandwidth)), ("ridge", figure(a100.ridge().0))];
    let name = ("model", seven.name.to_string());
    let bf16 = KvPrecision::Bf16;
    let own = tier_spec(a100_gpu, Tier::Own)?;
    Some(match id {
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
            // The GPU has no such rate, or the claim would stand.
            a100_gpu.peaks.fp8.is_none().then_some(())?;
            vec![("int8", figure(a100_gpu.peaks.int8?.tflops()))]
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
        "claims.pcie" => vec![("link", rate(a100_gpu.host_link?))],
        "claims.latency" => vec![("latency", nanoseconds(own.latency?.value))],
        "claims.gemm" => {
            let work = Kernel::Gemm { m: 4_096, n: 4_096, k: 4_096 }.work(2);
            let of = |accounting| figure(work.intensity(accounting).0);
            vec![("both", of(Accounting::ReadsAndWrites)), ("reads", of(Accounting::ReadsOnly))]
        }
        "claims.token" => {
            let bytes = read_by(&Scenario::new(seven.architecture).check().ok()?, a100_gpu);
            let answer = figure(own.reads_per_second(bytes)?);
            vec![("bandwidth", rate(a100.bandwidth)), ("weights", size(bytes)), ("answer", answer)]
        }
        "claims.linear" => {
            let a100_gpu = gpu("a100-40-sxm")?;
            let [x, w, _, peak] = linear();
            // It fits, or the verdict would be another one.
            (peak < a100_gpu.capacity).then_some(())?;
            vec![
                ("x", size(x)),
                ("w", size(w)),
                ("peak", size(peak)),
                ("gpu", a100_gpu.name.into()),
                ("capacity", size(a100_gpu.capacity)),
            ]
        }
        "claims.adam" => vec![("size", size(states(&asked(&training(model("generic-7b")?))?)))],
        "claims.exceeds" => {
            let asked = Bytes(84_000_000_000);
            (asked < a100_gpu.capacity).then_some(())?;
            let in_gib = |bytes| Size::new(bytes, ByteUnit::Gib).to_string();
            vec![("capacity", size(a100_gpu.capacity)), ("gib", in_gib(a100_gpu.capacity)), ("asked", in_gib(asked))]
        }
        "claims.kv7" => {
            let bytes = kv("llama-2-7b", 1, 4_096, bf16)?;
            vec![name, ("size", size(bytes)), ("gib", gib(bytes))]
        }
        "claims.zero" => {
            let of = |stage| on_gpus(seven, 8, stage);
            let (whole, second, third) = (of(ZeroStage::None)?, of(ZeroStage::Gradients)?, of(ZeroStage::Weights)?);
            vec![
                ("whole", size(whole)),
                ("second", size(second)),
                ("third", size(third)),
                ("times", figure(whole.0 as f64 / second.0 as f64)),
            ]
        }
        "claims.seventy" => {
            let seventy = model("llama-3.1-70b")?;
            let held = weights("llama-3.1-70b", WeightFormat::Bf16)?;
            let two = Bytes(2 * a100_gpu.capacity.0);
            let left = Bytes(two.0.checked_sub(held.0)?);
            vec![("model", seventy.name.into()), ("weights", size(held)), ("two", size(two)), ("left", size(left))]
        }
        "claims.mla" => {
            let deep = model("deepseek-v3")?;
            let of = |model: &Model| Some(asked(&Scenario::new(model.architecture))?.kv_bytes_per_token);
            let (a, b) = (of(deep)?, of(seven)?);
            (a < b).then_some(())?;
            vec![name, ("deep", deep.name.into()), ("a", size(a)), ("b", size(b))]
        }
        "claims.window" => {
            let window = model("mistral-7b-v0.1")?.architecture.sliding_window?.window;
            let [a, b] = [4_096, 32_768].map(|tokens| kv("mistral-7b-v0.1", 1, tokens, bf16));
            let (a, b) = (a?, b?);
            (b <= a).then_some(())?;
            vec![
                ("window", number(window)),
                ("tokens_a", number(4_096)),
                ("a", size(a)),
                ("tokens_b", number(32_768)),
                ("b", size(b)),
            ]
        }
        "claims.prefill" => {
            let scenario = Scenario { seq_length: 2_048, gpu: Some(a100_gpu), ..Scenario::new(seven.architecture) };
            let scenario = scenario.check().ok()?;
            let [prefill, decode] =
                [Pass::Prefill, Pass::Decode].map(|pass| estimate(&scenario, a100_gpu, pass, Counting::of(&scenario)));
            (prefill.bound() == Bound::Compute && decode.bound() == Bound::Memory).then_some(())?;
            vec![
                name,
                ("gpu", a100_gpu.name.into()),
                ("prefill", figure(prefill.intensity().0)),
                ("decode", figure(decode.intensity().0)),
                ("ridge", figure(a100.ridge().0)),
            ]
        }
        "claims.flash" => {
            let of = |attention| {
                let scenario = Scenario { attention, batch: 8, seq_length: 4_096, ..Scenario::new(seven.architecture) };
                Some(asked(&scenario)?.bytes(Bucket::KvCache))
            };
            let size_of = of(Attention::Flash)?;
            (size_of == of(Attention::Eager)?).then_some(())?;
            vec![name, ("batch", number(8)), ("tokens", number(4_096)), ("size", size(size_of))]
        }
        "claims.logits" => {
            let vocab = model("llama-3.1-8b")?.architecture.vocab_size;
            let logits = Bytes(8 * 4_096 * u128::from(vocab) * 4);
            let held = weights("llama-3.1-8b", WeightFormat::Bf16)?;
            (logits > held).then_some(())?;
            vec![
                ("batch", number(8)),
                ("tokens", number(4_096)),
                ("vocab", number(vocab)),
                ("logits", size(logits)),
                ("weights", size(held)),
            ]
        }
        "claims.bubble" => {
            let [waits, less] = [8, 64].map(|micro| trained::idle(8, micro));
            (waits > 0.45 && waits < 0.5).then_some(())?;
            vec![
                ("stages", number(8)),
                ("micro", number(8)),
                ("idle", Percent(waits).to_string()),
                ("more", number(64)),
                ("less", Percent(less).to_string()),
            ]
        }
        "claims.moe" => {
            let shape = model("mixtral-8x7b")?.architecture;
            let (active, total) = (shape.active_parameters(), shape.parameters().total());
            (active * 3 < total).then_some(())?;
            vec![
                ("active", Count(active).to_string()),
                ("total", Count(total).to_string()),
                ("share", Percent(active as f64 / total as f64).to_string()),
                ("weights", size(weights("mixtral-8x7b", WeightFormat::Bf16)?)),
            ]
        }
        "claims.pages" => {
            let [low, high] = USEFUL_BEFORE_PAGES;
            (high < 0.5).then_some(())?;
            vec![("low", Percent(low).to_string()), ("high", Percent(high).to_string())]
        }
        "claims.checkpoint" => {
            let of = |checkpointing| {
                let scenario = Scenario { checkpointing, batch: 4, seq_length: 4_096, ..training(seven) };
                Some(asked(&scenario)?.bytes(Bucket::Activations))
            };
            let (none, full) = (of(Checkpointing::None)?, of(Checkpointing::Full)?);
            (full.0 * 10 < none.0).then_some(())?;
            vec![name, ("batch", number(4)), ("tokens", number(4_096)), ("none", size(none)), ("full", size(full))]
        }
        "claims.lora" => {
            let [full, lora] = tuned()?;
            let frozen = weights("llama-2-7b", WeightFormat::Bf16)?;
            vec![name, ("weights", size(frozen)), ("full", size(full)), ("lora", size(lora))]
        }
        _ => return None,
    })
}
