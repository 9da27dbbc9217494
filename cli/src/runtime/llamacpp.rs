//! llama.cpp with layers on GPUs and in host memory: its options, the answer in lines and as JSON.

use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::engines::system;
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::{Bytes, Checked, Verdict};
use memory_wall_plan::runtime::{Layers as Placed, Placing, Remark};
use memory_wall_runtimes::llamacpp::{
    self, CacheType, Device, Found, Host, Placement, SOURCE, Settings, Speed, VERSION, limits,
};
use memory_wall_runtimes::ollama;

use super::{Layers, notes};
use crate::model::Model;
use crate::options::Given;
use crate::request::Request;
use crate::text::{QUOTED, Side, Table, quote, shortened, wrapped};
use crate::{Answer, BadInput, Exit, inputs, json, named, words};

fn parts(given: &Given, option: &str) -> Result<Vec<String>, BadInput> {
    let Some(text) = given.text(option) else { return Ok(Vec::new()) };
    let parts: Vec<String> = text.split([',', '/']).map(|part| part.trim().to_owned()).collect();
    if parts.len() > limits::MOST_GPUS {
        return Err(BadInput(format!("{option} takes up to {}, with commas between", limits::MOST_GPUS)));
    }
    Ok(parts)
}

/// The GPUs of `--device`.
pub(crate) fn devices(given: &Given) -> Result<Vec<&'static Gpu>, BadInput> {
    let ids = parts(given, "--device")?;
    ids.iter().map(|id| named::gpu("--device", id)).collect()
}

/// The shares of `--tensor-split`.
pub(crate) fn shares(given: &Given) -> Result<Vec<u32>, BadInput> {
    let share = |part: &String| {
        let share = part.parse().ok().filter(|share| limits::TENSOR_SPLIT.check(u64::from(*share)).is_ok());
        share.ok_or_else(|| {
            BadInput(format!(
                "--tensor-split takes whole numbers with commas between, one for each GPU, as 3,1, not {}",
                quote(&shortened(part, QUOTED))
            ))
        })
    };
    parts(given, "--tensor-split")?.iter().map(share).collect()
}

/// What Ollama makes of the scenario by itself, or what says nothing.
pub(super) fn remark(remark: &Remark) -> String {
    let grouped = |tokens: u32| Grouped(tokens.into());
    match *remark {
        Remark::TookContext(tokens) => format!(
            "without --seq, num_ctx is {}, which Ollama takes by itself with so much GPU memory",
            grouped(tokens)
        ),
        Remark::CutContext { most, asked } => format!(
            "num_ctx is {}, not {}: Ollama allots no more than the model was made for",
            grouped(most),
            grouped(asked)
        ),
        Remark::OneAtATime => {
            "Ollama runs one request at a time with this model, whatever OLLAMA_NUM_PARALLEL says".into()
        }
        Remark::SharedMemory => {
            "--host-memory has no effect: the GPU's memory is the computer's, and counts once".into()
        }
    }
}

/// The answer to `estimate`.
pub(super) fn answer(layers: &Placed, model: &Model, request: &Request) -> Result<Answer, BadInput> {
    let Placed { scenario, settings, placement, speed, placing, .. } = layers;
    let mut notes = notes(model, request, scenario);
    notes.extend(layers.remarks.iter().map(remark));
    let mut assumptions = assumptions(scenario, settings, placing.fit, placement);
    if placing.ollama.is_some() {
        assumptions.push(format!(
            "As Ollama runs it ({}; {}): --seq is num_ctx, --batch OLLAMA_NUM_PARALLEL, --ngl num_gpu, --ubatch num_batch, here {}, and --cache-type-k with --cache-type-v OLLAMA_KV_CACHE_TYPE.",
            ollama::VERSION,
            ollama::SOURCE,
            settings.ubatch
        ));
        assumptions.push(format!("{}.", ollama::OLDER));
    }
    let output = if request.json {
        json::text(&json::layers::Placed::new(&model.id, scenario, placement, *speed, assumptions))?
    } else {
        let title = title(model, scenario, settings);
        let mut text = format!("{title}\n{}", wrapped(&said(placement), 2));
        text += &table(placement, request.unit);
        text.push('\n');
        text += &wrapped(&verdict(placement, request.unit), 2);
        text += &wrapped(&decoding(*speed, placement, scenario), 2);
        text.push('\n');
        text += &wrapped(&format!("llama.cpp, {VERSION}. Source: {SOURCE}."), 2);
        text += "\nAssumptions:\n";
        for line in &assumptions {
            text += &wrapped(&format!("- {line}"), 2);
        }
        text
    };
    Ok(Answer { output, notes, exit: Exit::of(Some(placement.verdict())) })
}

/// The model and the inputs, with the formats of keys and values that are stated.
fn title(model: &Model, scenario: &Checked, settings: &Settings) -> String {
    let usual = scenario.kv.id();
    let [keys, values] = [settings.cache_k, settings.cache_v].map(|kind| kind.map_or(usual, CacheType::id));
    let cache = if keys == values { keys.to_owned() } else { format!("{keys} and {values}") };
    wrapped(&model.title, 2) + &inputs::with_cache(scenario, None, &cache)
}

/// The answer to `solve --for ngl` and `solve --for n-cpu-moe`.
pub(super) fn solve(
    question: Layers,
    placing: &Placing,
    model: &Model,
    scenario: &Checked,
    request: &Request,
) -> Result<Answer, BadInput> {
    let mut notes = notes(model, request, scenario);
    let (scenario, settings, remarks) = placing.served(scenario);
    notes.extend(remarks.iter().map(remark));
    let (scenario, settings) = (&scenario, &settings);
    let found = match question {
        Layers::Ngl => llamacpp::most_gpu_layers(scenario, settings),
        Layers::CpuMoe => llamacpp::fewest_cpu_moe(scenario, settings),
    };
    let Found { answer, next } = found.map_err(|why| BadInput(why.to_string()))?;
    let shared = answer.as_ref().or(next.as_ref()).and_then(|(_, placement)| Placed::shared(placement, settings));
    notes.extend(shared.as_ref().map(remark));
    let speed = |placement: &Placement| llamacpp::speed(scenario, placement, settings.host_bandwidth);
    let output = if request.json {
        json::text(&json::layers::Solved::new(question, &model.id, scenario, [&answer, &next], speed))?
    } else {
        let mut text = title(model, scenario, settings);
        let (what, none) = match question {
            Layers::Ngl => (
                "Most layers on the GPU (-ngl)",
                "none: even with all layers in host memory it does not fit, or CPU and GPU share their memory.",
            ),
            Layers::CpuMoe => (
                "Fewest layers whose experts stay in host memory (--n-cpu-moe)",
                "none: with the experts of all layers there it still does not fit; solve --for ngl with --cpu-moe leaves whole layers too.",
            ),
        };
        let line = match &answer {
            Some((count, placement)) => {
                format!("{what}: {} of {}", Grouped((*count).into()), Grouped(all(question, placement).into()))
            }
            None => format!("{what}: {none}"),
        };
        text.push('\n');
        text += &wrapped(&line, 2);
        if let Some((_, placement)) = &answer {
            text += &table(placement, request.unit);
            text.push('\n');
            text += &wrapped(&verdict(placement, request.unit), 2);
            text += &wrapped(&decoding(speed(placement), placement, scenario), 2);
        }
        if let Some((count, placement)) = &next {
            let line = format!("One step further, {}: {}", Grouped((*count).into()), verdict(placement, request.unit));
            text.push('\n');
            text += &wrapped(&line, 2);
        }
        text
    };
    Ok(Answer { output, notes, exit: Exit::yes(answer.is_some()) })
}

/// How many there could be.
fn all(question: Layers, placement: &Placement) -> u32 {
    match question {
        Layers::Ngl => placement.all,
        Layers::CpuMoe => placement.all - 1,
    }
}

fn said(placement: &Placement) -> String {
    let Placement { on_gpus, all, cpu_moe, .. } = placement;
    let experts = match cpu_moe {
        0 => String::new(),
        1 => ", the experts of 1 of them in host memory".into(),
        count => format!(", the experts of {count} of them in host memory"),
    };
    format!("llama.cpp puts {on_gpus} of {all} layers on the GPU, the output layer counted as one{experts}.")
}

/// A range in one unit.
fn table(placement: &Placement, unit: ByteUnit) -> String {
    let mut table = Table::new(&[
        ("Where", Side::Left),
        ("Layers", Side::Right),
        ("Weights", Side::Right),
        ("Cache", Side::Right),
        ("Compute buffer", Side::Right),
        ("In all", Side::Right),
        ("Of", Side::Right),
        ("Fits", Side::Left),
    ]);
    let size = |bytes| words::size(Bytes(bytes), unit);
    for device in &placement.devices {
        let Device { gpu, layers, output, weights, cache, states, compute, .. } = *device;
        table.row([
            gpu.id.into(),
            if output { format!("{layers} + output") } else { layers.to_string() },
            size(weights),
            size(cache + states),
            words::size_range(compute, unit),
            words::size_range(device.total(), unit),
            words::size(Bytes(device.room), unit),
            words::fits(device.verdict()).into(),
        ]);
    }
    let Host { layers, weights, cache, states, compute, .. } = placement.host;
    table.row([
        "host memory".into(),
        layers.to_string(),
        size(weights),
        size(cache + states),
        words::size_range(compute, unit),
        words::size_range(placement.host.total(), unit),
        String::new(),
        placement.host_verdict.map(words::fits).unwrap_or_default().into(),
    ]);
    format!("\n{}", table.text())
}

/// Whether it fits, in words.
pub(super) fn verdict(placement: &Placement, unit: ByteUnit) -> String {
    let on_gpu = placement.devices.iter().map(Device::verdict).fold(Verdict::Fits, Verdict::worse);
    let over = placement.devices.iter().any(|device| device.total().high > device.room);
    let need = words::size(placement.host.total().ends()[1], unit);
    let shared = placement.devices.iter().any(|device| device.shares);
    let host = match placement.host_verdict {
        None if shared => {
            format!("CPU and GPU share the memory, of which the computer takes {need} and the system its part")
        }
        None => format!("The computer needs {need} of memory for it, or each token waits for the drive"),
        Some(Verdict::DoesNotFit) => {
            format!("the computer has less than the {need} that it needs: each token would wait for the drive")
        }
        Some(Verdict::Tight) => format!("the computer needs {need}, nearly all it has"),
        Some(_) => format!("the computer needs {need}, which it has"),
    };
    let special = placement.devices.iter().find_map(|device| {
        if device.newer {
            Some(words::with_newer(Bytes(device.room), unit))
        } else {
            let buffer = Bytes(device.compute.high);
            device.beyond_vulkan().then(|| format!("by calculation, but {}", words::beyond_vulkan(buffer, unit)))
        }
    });
    let special = special.map(|why| format!("Tight on the GPU: it fits {why}")).unwrap_or_default();
    let gpus = match on_gpu {
        Verdict::Tight if !special.is_empty() => special.as_str(),
        Verdict::Fits => "It fits on the GPU with more than a tenth to spare",
        Verdict::Tight if over => "Tight on the GPU: it fits by the lower end of the range, and not by the upper",
        Verdict::Tight => "Tight on the GPU: it fits by calculation, with less than a tenth to spare",
        _ => "It does not fit on the GPU",
    };
    match placement.host_verdict {
        None => format!("{gpus}. {host}."),
        Some(_) => format!("{gpus}; {host}."),
    }
}

fn decoding(speed: Option<Speed>, placement: &Placement, scenario: &Checked) -> String {
    if !placement.verdict().holds() {
        return "Decoding: of what does not fit no speed is said.".into();
    }
    let Some(speed) = speed else {
        if let Some(missing) = scenario.untimed() {
            return words::untimed(missing);
        }
        return "Decoding waits for what is in host memory: --host-bandwidth says how fast that is, and how many tokens a second come of it.".into();
    };
    let [low, high] = speed.tokens_per_second().map(rate);
    let share = speed.on_host.0 / speed.least.0 * 100.0;
    let of = if placement.host.layers > 0 || placement.host.experts > 0 {
        format!(", {share:.0}% of the time in what is left to the CPU")
    } else {
        String::new()
    };
    format!("Decoding: {low} to {high} tokens a second for each sequence with the cache full{of}.")
}

/// Two digits, as many as a range has.
fn rate(rate: f64) -> String {
    if rate < 10.0 { format!("{rate:.1}") } else { format!("{rate:.0}") }
}

/// What the figures stand on.
fn assumptions(scenario: &Checked, settings: &Settings, fit: bool, placement: &Placement) -> Vec<String> {
    let mut lines = vec![
        "The last layers are on the GPU and the token table is in host memory. Builds before December 2025 put the output layer there last, not first.".to_owned(),
        "A compute buffer is a range: its lower end is a layer's, as in builds that keep logits of one token alone, its upper end has those of all tokens, the largest tensor that the first GPU multiplies for the CPU, and copies of what several GPUs hand on.".into(),
        "Beside its buffers a process takes 0.2 to 0.6 GiB of each GPU.".into(),
    ];
    if settings.unified {
        lines.push("All sequences share one cache, so --seq is the length of all of them together.".into());
    }
    let usual = scenario.gpu_memory.is_none() || !settings.gpus.is_empty() || scenario.gpu.is_some_and(Gpu::is_own);
    for held in placement.devices.iter().filter(|_| usual).filter_map(|device| system::usual(device.gpu)) {
        lines.push(format!(
            "CPU and GPU share their memory, of which the system and other programs hold {held}; the usual figure counts, and what is in host memory comes out of the same."
        ));
    }
    if fit {
        lines.push(
            "llama.cpp leaves a GiB of each GPU free; a longer context than is needed it would shorten first.".into(),
        );
    }
    if placement.devices.iter().filter(|device| device.is_used()).count() > 1 {
        lines.push("GPUs work in turn: layers are spread, and no matrix is cut.".into());
    }
    if placement.host.layers > 0 || placement.host.experts > 0 {
        lines.push("Decoding reads every weight and the whole cache once a step, and is held back by memory on the CPU too; the slower end has 35% of each bandwidth, which nine of ten measured runs on GPUs reached. No measured run on a CPU backs it.".into());
    }
    if scenario.architecture.moe.is_some() {
        lines.push("A token visits as many experts as the model says, and sequences of a batch different ones.".into());
    }
    lines
}
