//! The program's words for what the engine names.

use memory_wall_core::bounds::Bounds;
use memory_wall_core::communication::Traffic;
use memory_wall_core::display::{ByteUnit, Grouped, Size};
use memory_wall_core::engines::vllm::{self, Start, Tightness};
use memory_wall_core::engines::{self, llamacpp};
use memory_wall_core::memory::host::{self, Host};
use memory_wall_core::memory::overhead;
use memory_wall_core::scenario::NotStated;
use memory_wall_core::units::{Seconds, SignedBytes};
use memory_wall_core::worked::Item;
use memory_wall_core::{Bucket, Bytes, Checked, Engine, Phase, Scenario, Verdict, evaluate};
use memory_wall_runtimes::Span;

/// Why no speed is said of a GPU of the reader's own.
pub(crate) fn untimed(missing: NotStated) -> String {
    let option = missing.id().replace('_', "-");
    format!(
        "No speed is said of a GPU of your own without --{option}: where fixes are compared, the rates of an A100 stand in."
    )
}

/// Three digits and the unit that suits them.
pub(crate) fn size(bytes: Bytes, unit: ByteUnit) -> String {
    Size::new(bytes, unit).plain().to_string()
}

/// The same behind its sign.
pub(crate) fn signed(bytes: SignedBytes, unit: ByteUnit) -> String {
    format!("{}{}", sign(bytes), size(bytes.magnitude(), unit))
}

/// A size from least to most.
pub(crate) fn size_range(span: Span, unit: ByteUnit) -> String {
    let [low, high] = span.ends().map(|bytes| size(bytes, unit));
    range(low, &high)
}

/// A count from least to most.
pub(crate) fn count_range(span: Span) -> String {
    let [low, high] = [span.low, span.high].map(|count| Grouped(count).to_string());
    range(low, &high)
}

/// Two ends, or one where both are written alike.
pub(crate) fn range(low: String, high: &str) -> String {
    if low == high { low } else { format!("{low} to {high}") }
}

/// `+` or `-`.
pub(crate) const fn sign(bytes: SignedBytes) -> char {
    if bytes.0 < 0 { '-' } else { '+' }
}

/// A number with what it counts: `1 sequence`, `2,048 tokens`.
pub(crate) fn counted(count: u32, bounds: Bounds) -> String {
    match count {
        1 => format!("1 {}", bounds.unit.trim_end_matches('s')),
        _ => format!("{} {}", Grouped(count.into()), bounds.unit),
    }
}

/// A verdict in a column.
pub(crate) const fn fits(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Fits => "yes",
        Verdict::Tight => "tight",
        Verdict::Queues => "queues",
        Verdict::DoesNotFit => "no",
    }
}

/// Three significant digits: `0.0123`, `1.23`, `123`, `12,345`.
pub(crate) fn digits(value: f64) -> String {
    let size = value.abs();
    if size >= 1_000.0 {
        // Rounded to a whole number that is far below 2^127.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive quantity")]
        return Grouped(size.round() as u128).to_string();
    }
    let places = match size {
        _ if size <= 0.0 => return "0".into(),
        _ if size >= 100.0 => 0,
        _ if size >= 10.0 => 1,
        _ if size >= 1.0 => 2,
        _ if size >= 0.1 => 3,
        _ => 4,
    };
    format!("{value:.places$}")
}

/// A time in the unit that suits it.
pub(crate) fn time(seconds: Seconds) -> String {
    let (value, unit) = match seconds.0 {
        s if s >= 172_800.0 => (s / 86_400.0, "days"),
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s if s >= 1e-6 => (s * 1e6, "µs"),
        s => (s * 1e9, "ns"),
    };
    format!("{} {unit}", digits(value))
}

/// `1 GPU`, `8 GPUs`.
pub(crate) fn gpus(count: u64) -> String {
    if count == 1 { "1 GPU".into() } else { format!("{} GPUs", Grouped(count.into())) }
}

/// The name of a thing in memory; where it stands without its bucket, more than its id says.
pub(crate) fn item(item: Item) -> String {
    match item {
        Item::FullLayers => "K and V, full layers".into(),
        Item::WindowLayers => "K and V, window layers".into(),
        Item::LatentLayers => "K and V, compressed".into(),
        _ => title(item.id()),
    }
}

/// An id in words: `Layer matrices`.
fn title(id: &str) -> String {
    let abbreviation = |word: &str| matches!(word, "cuda" | "mlp" | "qk");
    let words = id.split('_').enumerate().map(|(place, word)| {
        let mut letters = word.chars();
        match letters.next() {
            Some(_) if abbreviation(word) => word.to_uppercase(),
            Some(first) if place == 0 => first.to_uppercase().chain(letters).collect(),
            _ => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

pub(crate) const fn bucket(bucket: Bucket) -> &'static str {
    match bucket {
        Bucket::Weights => "Weights",
        Bucket::KvCache => "KV cache",
        Bucket::Activations => "Activations",
        Bucket::Gradients => "Gradients",
        Bucket::Optimizer => "Optimizer",
        Bucket::Logits => "Logits and loss",
        Bucket::Overhead => "Overhead",
    }
}

/// A phase in a few words, for tables.
pub(crate) const fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Forward => "Forward pass",
        Phase::FirstStep => "First backward begins",
        Phase::ForwardEnd => "Forward pass ends",
        Phase::Loss => "Backward begins",
        Phase::Backward => "Deep in backward",
        Phase::OptimizerStep => "Optimizer step",
    }
}

/// A phase in a sentence.
pub(crate) const fn peak(phase: Phase) -> &'static str {
    match phase {
        Phase::Forward => "while the prompt passes through, with the cache full",
        Phase::Loss => "when the loss is done and the backward pass begins",
        Phase::ForwardEnd => "when the forward pass is done and the loss is being computed",
        Phase::Backward => "in the backward pass, at its fullest layer",
        Phase::OptimizerStep => "while the optimizer takes its step",
        Phase::FirstStep => "when the backward pass of the first step begins",
    }
}

/// A count on all data-parallel ranks together, and on each: `88 requests in all, 11 on each of 8 data-parallel ranks`.
pub(crate) fn in_all(each: u128, what: &str, ranks: u128) -> String {
    let counted = |count: u128| format!("{} {what}{}", Grouped(count), if count == 1 { "" } else { "s" });
    match ranks {
        1 => counted(each),
        _ => format!(
            "{} in all, {} on each of {} data-parallel ranks",
            counted(each * ranks),
            Grouped(each),
            Grouped(ranks)
        ),
    }
}

/// How vLLM starts on the GPU of a scenario; `None` where something else serves it, or no GPU is named.
pub(crate) fn started(scenario: &Checked) -> Option<Start> {
    scenario.capacity().filter(|_| serving(scenario) == Engine::Vllm).map(|capacity| vllm::start(scenario, capacity))
}

/// The verdict on a scenario; of vLLM by whether it starts, and what its pool holds.
pub(crate) fn verdict(verdict: Verdict, scenario: &Checked, unit: ByteUnit) -> String {
    match (verdict, started(scenario)) {
        (Verdict::Fits, Some(_)) => {
            "fits: vLLM starts, its pool holds the cache, and there is room beside its share".into()
        }
        (Verdict::Tight, Some(Start { tightness: Some(Tightness::Start(refusal)), .. })) => {
            format!("tight: it starts by the usual figures; by the largest in logs, {refusal}")
        }
        (Verdict::Tight, Some(Start { tightness: Some(Tightness::Pool), .. })) => {
            "tight: the cache goes into the pool by the usual figures, and not by the largest in logs".into()
        }
        (Verdict::Tight, Some(Start { tightness: Some(Tightness::Beside { left, pass }), .. })) => format!(
            "tight: the cache goes into the pool, but by the largest figures in logs only {} is left of the GPU beside the share, and the warm-up may take {} there; a lower --gpu-memory-utilization leaves more",
            size(left.magnitude(), unit),
            size(pass, unit)
        ),
        (Verdict::DoesNotFit, Some(Start { refusal: Some(refusal), .. })) => format!("does not fit: {refusal}"),
        (Verdict::Queues, Some(Start { requests, tightness, .. })) => {
            let each = if scenario.parallel.dp == 1 { "" } else { " on each rank" };
            let (running, all) = (Grouped(requests.running.into()), Grouped(scenario.batch.into()));
            let but = match tightness {
                Some(Tightness::Start(refusal)) => format!("; but by the largest figures in logs, {refusal}"),
                _ => String::new(),
            };
            format!("starts; {running} of {all} requests{each} run at once, the others wait{but}")
        }
        (Verdict::DoesNotFit | Verdict::Tight, None) if by_host_memory(verdict, scenario).is_some() => {
            by_host_memory(verdict, scenario).map_or_else(String::new, |host| in_host_memory(verdict, host, unit))
        }
        (Verdict::Fits, None) => {
            let part = if overhead::tight_percent(scenario) > overhead::TIGHT_PERCENT { "fifth" } else { "tenth" };
            format!("fits, with more than a {part} of the GPU to spare")
        }
        (Verdict::Tight, None) if evaluate::paged_out(scenario).is_some() => {
            let moved = size(evaluate::paged_out(scenario).unwrap_or_default(), unit);
            format!("tight: fits with {moved} of the optimizer's states paged to host memory, which slows each step")
        }
        (Verdict::Tight, _) if evaluate::tight_by_reentrant(scenario) => {
            "tight: fits as transformers 5 checkpoints, and by re-entrant checkpoints too little is left".into()
        }
        (Verdict::Tight, _) => match (evaluate::only_newer_holds(scenario), llamacpp::beyond_vulkan(scenario)) {
            (Some(newer), _) => format!("tight: fits {}", with_newer(newer, unit)),
            (None, Some(buffer)) => format!("tight: fits, but {}", beyond_vulkan(buffer, unit)),
            (None, None) if in_doubt(scenario) => {
                "tight: fits by the lower end of what llama.cpp's compute buffer and a GPU's context take, and not by the upper one that is counted".into()
            }
            (None, None) => "tight: fits by calculation, with less to spare than fragmentation can take".into(),
        },
        (Verdict::Queues, None) => "starts, and some requests wait".into(),
        (Verdict::DoesNotFit, _) => "does not fit".into(),
    }
}

/// Whether more is counted than the GPU has, and only what may not be there makes it fit.
fn in_doubt(scenario: &Checked) -> bool {
    let limit = scenario.capacity().map(|capacity| engines::limit(scenario, capacity));
    let doubt = llamacpp::doubtful(scenario);
    limit.is_some_and(|limit| doubt > Bytes::ZERO && evaluate::total(scenario) > limit)
}

/// What waits in host memory, where that and not the GPU decides the verdict.
pub(crate) fn by_host_memory(verdict: Verdict, scenario: &Checked) -> Option<Host> {
    let without = scenario.with(|it| it.host_memory = None).ok()?;
    let decides = host::verdict(scenario)? == verdict && evaluate::verdict(&without)? != verdict;
    host::of(scenario).filter(|_| decides)
}

/// A verdict by host memory.
fn in_host_memory(verdict: Verdict, host: Host, unit: ByteUnit) -> String {
    let (least, most) = (size(host.least(), unit), size(host.most(), unit));
    let who = format!("the processes of {}", gpus(host.ranks));
    if verdict == Verdict::Tight {
        format!("tight in host memory: {who} keep {least} there, and by DeepSpeed's own estimate up to {most}")
    } else {
        format!("does not fit in host memory: {who} keep {least} there")
    }
}

/// What holds a run only where the system lends more.
pub(crate) fn with_newer(newer: Bytes, unit: ByteUnit) -> String {
    format!("with the {} that a newer macOS lends the GPU, and not with what an older one lends", size(newer, unit))
}

/// What a build with Vulkan may not get.
pub(crate) fn beyond_vulkan(buffer: Bytes, unit: ByteUnit) -> String {
    format!(
        "a build with Vulkan may not start: its compute buffer may be {} large, and many drivers give at most 4 GiB at once, some 2; --attention flash, a smaller --ubatch or a build with ROCm or SYCL avoid that",
        size(buffer, unit)
    )
}

pub(crate) const fn traffic(traffic: Traffic) -> &'static str {
    match traffic {
        Traffic::Data => "Gradients and sharded states",
        Traffic::Tensor => "Partial sums of shared matrices",
        Traffic::Pipeline => "Activations between stages",
        Traffic::Context => "Keys and values along the sequence",
        Traffic::Expert => "Tokens to experts and back",
        Traffic::Host => "Offloaded states",
    }
}

/// The program of a scenario; none in training.
pub(crate) const fn serving(scenario: &Scenario) -> Engine {
    if scenario.mode.trains() { Engine::Exact } else { scenario.serving.engine }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_core::bounds;

    #[test]
    fn numbers_agree_with_their_nouns() {
        assert_eq!(counted(1, bounds::BATCH), "1 sequence");
        assert_eq!(counted(2_048, bounds::SEQ_LENGTH), "2,048 tokens");
        assert_eq!([gpus(1), gpus(1_024)], ["1 GPU", "1,024 GPUs"]);
    }

    #[test]
    fn the_total_comes_first() {
        assert_eq!(in_all(11, "sequence", 8), "88 sequences in all, 11 on each of 8 data-parallel ranks");
        assert_eq!([in_all(1, "request", 1), in_all(0, "request", 1)], ["1 request", "0 requests"]);
    }

    #[test]
    fn names_are_read_from_ids() {
        assert_eq!(["layer_matrices", "qk_norm_tensors"].map(title), ["Layer matrices", "QK norm tensors"]);
        assert_eq!(title(""), "");
        assert_eq!([Item::Experts, Item::FullLayers].map(item), ["Experts", "K and V, full layers"]);
    }

    #[test]
    fn signs_are_plain() {
        assert_eq!(signed(SignedBytes(-2_000_000_000), ByteUnit::Gb), "-2.00 GB");
        assert_eq!(signed(SignedBytes(0), ByteUnit::Gb), "+0 B");
    }
}
