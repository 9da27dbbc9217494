//! The answers of `roofline` for people.

use memory_wall_core::assumptions::Assumption;
use memory_wall_core::communication::Traffic;
use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::precision::ComputePrecision;
use memory_wall_core::roofline::latency::{Bottleneck, Estimate};
use memory_wall_core::roofline::operations::Kernels;
use memory_wall_core::roofline::tasks::TaskTotal;
use memory_wall_core::roofline::waits::{self, Waits};
use memory_wall_core::roofline::{Bound, Efficiency, Pass, Roof, crossover, efficiency, multiplies_in};
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::units::Seconds;
use memory_wall_core::{Bytes, Implementation, Mode, Scenario, Verdict};

use super::{Operation, Run, Timed};
use crate::text::{Side, Table, wrapped};
use crate::words::{digits, time};
use crate::{inputs, words};

/// A rate; whole numbers are operations, not floating point ones.
fn rate_in(precision: ComputePrecision, flops: f64) -> String {
    let text = rate(flops);
    if precision == ComputePrecision::Int8 { text.replace("FLOP", "OP") } else { text }
}

fn rate(flops: f64) -> String {
    let (value, unit) = if flops >= 1e15 {
        (flops / 1e15, "PFLOP/s")
    } else if flops >= 1e12 {
        (flops / 1e12, "TFLOP/s")
    } else {
        (flops / 1e9, "GFLOP/s")
    };
    format!("{} {unit}", digits(value))
}

fn flops(count: u128) -> String {
    let value = count as f64;
    let (value, unit) = match value {
        v if v >= 1e15 => (v / 1e15, "PFLOP"),
        v if v >= 1e12 => (v / 1e12, "TFLOP"),
        v if v >= 1e9 => (v / 1e9, "GFLOP"),
        v if v >= 1e6 => (v / 1e6, "MFLOP"),
        v if v >= 1e3 => (v / 1e3, "kFLOP"),
        _ => return format!("{count} FLOP"),
    };
    format!("{} {unit}", digits(value))
}

fn size(bytes: u128) -> String {
    words::size(Bytes(bytes), ByteUnit::Gb)
}

fn percent(share: f64) -> String {
    let text = digits(share * 100.0);
    format!("{}%", text.strip_suffix(".0").unwrap_or(&text))
}

const fn bound(bound: Bound) -> &'static str {
    match bound {
        Bound::Memory => "memory",
        Bound::Compute => "compute",
        Bound::Link => "links",
    }
}

fn shares(efficiency: Efficiency) -> String {
    let Efficiency { compute, bandwidth } = efficiency;
    if (compute - bandwidth).abs() < 1e-12 {
        format!("{} of peak and bandwidth", percent(compute))
    } else {
        format!("{} of the peak and {} of the bandwidth", percent(compute), percent(bandwidth))
    }
}

/// The roofs of a GPU.
pub(super) fn card(gpu: &Gpu) -> String {
    let mut text = wrapped(
        &format!("{} ({}): {} GB/s to its own memory", gpu.name, gpu.id, digits(gpu.bandwidth.as_gb_per_s())),
        2,
    );
    text.push('\n');
    let mut table = Table::new(&[("Precision", Side::Left), ("Dense peak", Side::Right), ("Ridge", Side::Right)]);
    for precision in ComputePrecision::EACH {
        if let Some(roof) = Roof::of(gpu, precision) {
            let ridge = format!("{} FLOP/byte", digits(roof.ridge().0));
            table.row([precision.id().into(), rate_in(precision, roof.peak.0), ridge]);
        }
    }
    text += &table.text();
    text += &wrapped(
        "\nWork of fewer FLOPs a byte than the ridge waits for memory. Peaks are dense, with fp32 accumulation; int8 counts integer operations.",
        0,
    );
    text
}

/// One operation.
pub(super) fn operation(it: &Operation) -> String {
    let Operation { gpu, precision, roof, work, bytes, intensity, attainable, .. } = it;
    let ridge = roof.ridge().0;
    let side = match it.bound {
        Bound::Memory if work.flops == 0 => "memory-bound: it computes nothing".into(),
        Bound::Memory => {
            format!("memory-bound: {} times below the ridge", digits(ridge / intensity.0.max(f64::MIN_POSITIVE)))
        }
        _ => format!("compute-bound: {} times above the ridge", digits(intensity.0 / ridge)),
    };
    let lines = [
        (
            "GPU",
            format!(
                "{} ({}), {}: {} peak, {} GB/s",
                gpu.name,
                gpu.id,
                precision.id(),
                rate_in(*precision, roof.peak.0),
                digits(gpu.bandwidth.as_gb_per_s())
            ),
        ),
        ("Work", format!("{} = {} FLOPs", flops(work.flops), Grouped(work.flops))),
        ("Bytes", format!("{} = {} bytes", size(*bytes), Grouped(*bytes))),
        ("Intensity", format!("{} FLOP/byte", digits(intensity.0))),
        ("Ridge", format!("{} FLOP/byte", digits(ridge))),
        ("Bound", side),
        (
            "Attainable",
            format!("{} ({} of the peak)", rate_in(*precision, attainable.0), percent(attainable.0 / roof.peak.0)),
        ),
        ("Time", format!("{} at least, {} at {}", time(it.lower), time(it.upper), shares(it.efficiency))),
    ];
    lines.iter().map(|(name, value)| wrapped(&format!("{name:<10}  {value}"), 12)).collect()
}

/// The passes of a model.
pub(super) fn model(title: &str, it: &Run) -> String {
    let Run { gpu, scenario, counting, passes, .. } = it;
    let (precision, peak) = multiplies_in(scenario, gpu);
    let roof = Roof { peak, bandwidth: gpu.bandwidth };
    let mut text = wrapped(title, 2) + &inputs::text(scenario, None);
    text += &wrapped(
        &format!(
            "{} ({}): multiplies in {} at {}, reads {} GB/s, ridge {} FLOP/byte",
            gpu.name,
            gpu.id,
            precision.id(),
            rate_in(precision, peak.0),
            digits(gpu.bandwidth.as_gb_per_s()),
            digits(roof.ridge().0)
        ),
        2,
    );
    text += &memory(it);
    for timed in passes {
        text.push('\n');
        text += &pass(it, timed);
    }
    if scenario.mode == Mode::Inference {
        text.push('\n');
        text += &wrapped(&turning(it), 2);
    }
    text += "\nAssumptions:\n";
    for line in assumptions(it, counting.efficiency) {
        text += &wrapped(&format!("- {line}"), 2);
    }
    text
}

/// Whether it fits, before any time is given.
fn memory(it: &Run) -> String {
    let Some(fit) = it.fit else { return String::new() };
    // Where a share leaves no room beside it, nothing of the GPU can be used, and the verdict says why.
    let limit = if fit.limit == Bytes::ZERO { fit.capacity } else { fit.limit };
    let [needs, limit] = [it.total, limit].map(|bytes| words::size(bytes, ByteUnit::Gb));
    let verdict = words::verdict(fit.verdict, &it.scenario, ByteUnit::Gb);
    let mut text = wrapped(&format!("Memory: needs {needs} of {limit}: {verdict}"), 2);
    if !it.fits() {
        text += &wrapped(
            "The times below are for a GPU of the same speed with enough memory, and no tokens/s are given.",
            2,
        );
    }
    text
}

fn pass(it: &Run, timed: &Timed) -> String {
    let Timed { estimate, rows } = timed;
    let speed = estimate.speed(&it.scenario, it.gpu);
    let range = |[slow, fast]: [f64; 2]| format!("{} to {}", digits(slow), digits(fast));
    let what = match estimate.pass {
        Pass::Prefill => "Prefill, until the first token",
        Pass::Decode if it.scenario.guessed_tokens() > 0 => "Decoding, each step of all sequences",
        Pass::Decode => "Decoding, each further token of all sequences",
        Pass::Training => "Training step",
    };
    let held = match estimate.bottleneck() {
        Bottleneck::Weights => format!(
            "weights-bound: {} of weights are read, {}",
            size(estimate.weights),
            time(Seconds(estimate.weights as f64 / it.gpu.bandwidth.0))
        ),
        Bottleneck::KvCache => format!("bound by the KV cache: {} of it are read", size(estimate.cache)),
        Bottleneck::Activations => "bound by activations and states that come and go".into(),
        Bottleneck::Compute => "compute-bound".into(),
        Bottleneck::Links => "bound by links to other GPUs or to host memory".into(),
    };
    let least = if estimate.floor < estimate.lower {
        format!(
            "{} at least if the tokens choose their experts at random, {} if all choose the same",
            time(estimate.lower),
            time(estimate.floor)
        )
    } else {
        format!("{} at least", time(estimate.lower))
    };
    let mut text = wrapped(&format!("{what}: {least}, up to {}; {held}.", time(estimate.upper)), 2);
    if !it.fits() {
        let queues = it.fit.is_some_and(|fit| fit.verdict == Verdict::Queues);
        let why = if queues { "not all sequences run at once" } else { "it does not fit" };
        return text + &format!("  No tokens/s: {why}.\n") + &table(rows) + &included(it, timed);
    }
    for typical in efficiency::like(&it.scenario, it.gpu, estimate.pass) {
        text += &wrapped(
            &format!(
                "  Typically {} with {}: {} of the bound in {} measured runs of {} weights on one {}.",
                time(typical.seconds(estimate.lower)),
                typical.runtime.id(),
                percent(typical.share),
                typical.runs,
                typical.weights,
                typical.gpus
            ),
            2,
        );
    }
    let users = match estimate.pass {
        Pass::Decode => format!("{} tokens/s for each sequence, ", range(speed.per_user)),
        Pass::Prefill | Pass::Training => String::new(),
    };
    text += &wrapped(
        &format!(
            "  {users}{} tokens/s for each GPU; the model's own FLOPs are {} to {} of the peak.",
            range(speed.per_gpu),
            percent(speed.mfu[0]),
            percent(speed.mfu[1])
        ),
        2,
    );
    text + &table(rows) + &included(it, timed)
}

/// What the time of a pass includes, where that is more or less than the rows together.
fn included(it: &Run, timed: &Timed) -> String {
    let Estimate { pass, links, traffic, .. } = timed.estimate;
    let mut text = String::new();
    let stages = it.scenario.parallel.pp;
    if stages > 1 {
        let more = if pass == Pass::Training {
            "the time above has the pace of the slowest stage, and includes what the stages wait for each other"
        } else {
            "the time above is that of all stages, which take turns"
        };
        text += &wrapped(&format!("The rows are those of the first of {stages} stages; {more}."), 2);
    }
    let parts = [
        (timed.estimate.kernels(), "of kernels".to_owned()),
        (links, "over links between GPUs (the rows bound by links)".to_owned()),
        (traffic, format!("of traffic that has no row ({})", without_row(&it.scenario, pass))),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(seconds, _)| seconds.0 > 0.0).map(|(it, what)| format!("{} {what}", time(*it))).collect();
    if parts.len() > 1 {
        let line = format!(
            "The lower time is the longest of parts that can run side by side: {}. The upper time adds them, at the efficiency below. Each share is of all rows together.",
            parts.join(", ")
        );
        text += &wrapped(&line, 2);
    }
    text
}

/// What travels in a pass beside its operations.
fn without_row(scenario: &Scenario, pass: Pass) -> String {
    let host = scenario.offload.parameters || scenario.offload.optimizer || scenario.offload.kv_cache;
    let kinds = [
        (pass == Pass::Training && scenario.parallel.dp * scenario.parallel.copies() > 1, Traffic::Data),
        (pass != Pass::Decode && scenario.parallel.cp > 1, Traffic::Context),
        (host, Traffic::Host),
    ];
    let named = kinds.into_iter().filter(|(travels, _)| *travels);
    named.map(|(_, kind)| words::traffic(kind).to_lowercase()).collect::<Vec<_>>().join(", ")
}

fn table(rows: &[TaskTotal]) -> String {
    let whole: f64 = rows.iter().map(|row| row.lower.0).sum();
    let mut table = Table::new(&[
        ("Operation", Side::Left),
        ("Kernels", Side::Right),
        ("FLOPs", Side::Right),
        ("To memory", Side::Right),
        ("FLOP/byte", Side::Right),
        ("Bound", Side::Left),
        ("At least", Side::Right),
        ("Share", Side::Right),
    ]);
    for row in rows {
        let intensity = if row.moved == 0 { String::new() } else { digits(row.work.flops as f64 / row.moved as f64) };
        let moved = if row.bound == Bound::Link { row.work.written } else { row.moved };
        table.row([
            row.task.id().into(),
            Grouped(row.times.into()).to_string(),
            flops(row.work.flops),
            size(moved),
            intensity,
            bound(row.bound).into(),
            time(row.lower),
            percent(if whole > 0.0 { row.lower.0 / whole } else { 0.0 }),
        ]);
    }
    table.text()
}

/// The batch at which decoding turns from reading to computing.
fn turning(it: &Run) -> String {
    match crossover::batch(&it.scenario, it.gpu) {
        Some(batch) => format!(
            "Decoding computes longer than it reads from a batch of {} on, at this context.",
            Grouped(batch.into())
        ),
        None => "At this context no batch makes decoding compute longer than it reads.".into(),
    }
}

fn assumptions(it: &Run, shares_used: Efficiency) -> Vec<String> {
    let kernels = match it.counting.kernels {
        Kernels::Fused => "Small operations run inside the kernels of their neighbours.",
        Kernels::Separate => "Small operations run as kernels of their own, as in this program.",
    };
    let second = if shares_used == Efficiency::least_of(&it.scenario) {
        let runs = match it.scenario.training.implementation {
            _ if shares_used == Efficiency::LEAST => "runs measured on one GPU in inference",
            _ if !it.scenario.mode.trains() => "runs measured on such GPUs in inference",
            Implementation::Transformers => "steps of transformers measured on one GPU",
            _ => "published steps of mixtures of experts in Megatron-LM",
        };
        format!("The second is the bound at {}, which nine of ten {runs} reached at least.", shares(shares_used))
    } else {
        format!("The second is the bound at {}, as asked.", shares(shares_used))
    };
    let waits = it.passes.iter().find_map(|timed| Waits::of(&it.scenario, timed.estimate.pass)).map(|waits| {
        let (exchange, kernel) = (time(waits.exchange), time(waits.kernel));
        let why = if waits.eager {
            "by the slowest public runs without recorded graphs (--enforce-eager), where the host launches each kernel"
        } else {
            "by public runs with recorded graphs: small kernels and exchanges wait for each other"
        };
        format!("It adds {exchange} for each exchange between GPUs and {kernel} for each other operation, {why}.")
    });
    let server = it.passes.iter().map(|timed| waits::of_server(&it.scenario, timed.estimate.pass));
    let server: Vec<_> = server.filter(|wait| wait.0 > 0.0).map(time).collect();
    let server = (!server.is_empty()).then(|| {
        format!(
            "It adds {} that vLLM takes at most beside its kernels in public runs: to bring a prompt in and its first token back, and between two steps.",
            server.join(" and ")
        )
    });
    let second = [second].into_iter().chain(waits).chain(server).collect::<Vec<_>>().join(" ");
    let ahead = it.scenario.guessed_tokens();
    let guesses = (ahead > 0).then(|| Assumption::Guesses(ahead).to_string());
    let stated = [
        "The first time is a bound: every operation as fast as the GPU can, one after another; a launch costs nothing. Programs that launch each kernel from Python can be far slower than the range.".to_owned(),
        second,
        kernels.into(),
        "Activations that fit in the GPU's caches stay there; weights and KV cache never do.".into(),
    ];
    stated.into_iter().chain(guesses).collect()
}
