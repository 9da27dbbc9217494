//! llama.cpp with layers on GPUs and in host memory: its options, the answer in lines and as JSON.

use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::engines::system;
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::units::{ByteRate, GIB};
use memory_wall_core::{Bytes, Checked, Verdict};
use memory_wall_runtimes::llamacpp::{
    self, ALL, CacheType, Device, Found, Host, Placement, SOURCE, Settings, Speed, VERSION, limits,
};
use memory_wall_runtimes::ollama;

use super::{Layers, Outcome, Placing, notes};
use crate::model::Model;
use crate::options::Given;
use crate::request::Request;
use crate::text::{QUOTED, Side, Table, quote, shortened, wrapped};
use crate::{Answer, BadInput, Exit, inputs, json, named, values, words};

/// The options that place layers.
pub(super) const OPTIONS: [&str; 14] = [
    "--ngl",
    "--fit",
    "--n-cpu-moe",
    "--cpu-moe",
    "--device",
    "--tensor-split",
    "--ubatch",
    "--swa-full",
    "--kv-unified",
    "--cache-type-k",
    "--cache-type-v",
    "--no-kv-offload",
    "--host-memory",
    "--host-bandwidth",
];

/// Reads them.
pub(super) fn read(given: &Given, ollama: bool) -> Result<Placing, BadInput> {
    let gpu_layers = values::count(given, "--ngl", limits::NGL)?;
    let cpu_moe = values::count(given, "--n-cpu-moe", limits::N_CPU_MOE)?;
    let told = gpu_layers.is_some() || cpu_moe.is_some() || given.has("--cpu-moe");
    let fit = given.has("--fit") || ollama && !told;
    if fit && told {
        return Err(BadInput::new(
            "--fit finds how many layers go on the GPU: leave --ngl, --n-cpu-moe and --cpu-moe away, or --fit",
        ));
    }
    if cpu_moe.is_some() && given.has("--cpu-moe") {
        return Err(BadInput::new("--cpu-moe is --n-cpu-moe with all layers: one of them says how many"));
    }
    let type_of = |option| values::choice(given, option, CacheType::ALL, CacheType::id);
    let settings = Settings {
        gpu_layers: gpu_layers.unwrap_or(ALL),
        cpu_moe: if given.has("--cpu-moe") { ALL } else { cpu_moe.unwrap_or(0) },
        gpus: devices(given)?,
        tensor_split: shares(given)?,
        ubatch: values::count(given, "--ubatch", limits::UBATCH)?.unwrap_or(Settings::DEFAULT.ubatch),
        swa_full: given.has("--swa-full"),
        unified: given.has("--kv-unified"),
        cache_k: type_of("--cache-type-k")?,
        cache_v: type_of("--cache-type-v")?,
        cache_on_host: given.has("--no-kv-offload"),
        order: Settings::DEFAULT.order,
        host_memory: values::count(given, "--host-memory", limits::HOST_MEMORY)?
            .map(|gib| Bytes(u128::from(gib) * GIB)),
        host_bandwidth: values::count(given, "--host-bandwidth", limits::HOST_BANDWIDTH)?
            .map(|rate| ByteRate::from_gb_per_s(rate.into())),
    };
    Ok(Placing { settings, fit, ollama, ubatch_told: given.has("--ubatch") })
}

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

/// That `--host-memory` says nothing where the GPU's memory is the computer's.
fn idle(placement: &Placement, settings: &Settings) -> Option<String> {
    let shared = placement.devices.iter().any(|device| device.shares);
    (shared && settings.host_memory.is_some())
        .then(|| "--host-memory has no effect: the GPU's memory is the computer's, and counts once".into())
}

/// The scenario and the settings as Ollama hands them on, where it runs llama.cpp.
fn as_served(placing: &Placing, scenario: &Checked, request: &Request, notes: &mut Vec<String>) -> (Checked, Settings) {
    if !placing.ollama {
        return (*scenario, placing.settings.clone());
    }
    let own: Vec<&'static Gpu> = scenario.gpu.into_iter().collect();
    let gpus = if placing.settings.gpus.is_empty() { &own } else { &placing.settings.gpus };
    let mut served = *scenario;
    if !request.seq_given {
        served = served.with_seq_length(ollama::context(gpus, scenario.architecture.trained_context));
        notes.push(format!(
            "num_ctx is {}, which Ollama takes by itself with so much GPU memory; --seq says another one",
            Grouped(served.seq_length.into())
        ));
    }
    if let Some(most) = scenario.architecture.trained_context.filter(|most| *most < served.seq_length) {
        notes.push(format!(
            "num_ctx is {}, not {}: Ollama allots no more than the model was made for",
            Grouped(most.into()),
            Grouped(served.seq_length.into())
        ));
        served = served.with_seq_length(most);
    }
    if ollama::one_at_a_time(&served) && served.batch > 1 {
        served = served.with_batch(1);
        notes.push("Ollama runs one request at a time with this model, whatever OLLAMA_NUM_PARALLEL says".into());
    }
    let settings = ollama::settings(&served, &placing.settings, placing.ubatch_told);
    (served, settings)
}

/// Where the layers are, with the scenario and the settings as they are served.
fn placed(
    placing: &Placing,
    scenario: &Checked,
    request: &Request,
    notes: &mut Vec<String>,
) -> Result<(Checked, Settings, Placement), BadInput> {
    let refused = |why: llamacpp::Refused| BadInput(why.to_string());
    let (scenario, told) = as_served(placing, scenario, request, notes);
    let (settings, placement) = if placing.fit {
        llamacpp::fitted(&scenario, &told).map_err(refused)?
    } else {
        let placement = llamacpp::place(&scenario, &told).map_err(refused)?;
        (told, placement)
    };
    notes.extend(idle(&placement, &settings));
    Ok((scenario, settings, placement))
}

/// The same as [`answer`], as figures.
pub(super) fn outcome(
    placing: &Placing,
    scenario: &Checked,
    request: &Request,
    notes: &mut Vec<String>,
    unit: ByteUnit,
) -> Result<Outcome, BadInput> {
    let (scenario, settings, placement) = placed(placing, scenario, request, notes)?;
    let speed = llamacpp::speed(&scenario, &placement, settings.host_bandwidth);
    let together = |rate: f64| rate * f64::from(scenario.batch);
    Ok(Outcome {
        scenario,
        verdict: placement.verdict(),
        why: verdict(&placement, unit),
        gpus: u64::try_from(placement.devices.len()).unwrap_or(u64::MAX),
        fullest: placement.fullest().map(|device| (device.total(), device.gpu.capacity)),
        spare: placement.fullest().map(|device| Bytes(device.room).minus(Bytes(device.total().high))),
        pool: None,
        written: speed.filter(|_| placement.verdict().holds()).map(|it| it.tokens_per_second().map(together)),
    })
}

/// The answer to `estimate`.
pub(super) fn answer(
    placing: &Placing,
    model: &Model,
    scenario: &Checked,
    request: &Request,
) -> Result<Answer, BadInput> {
    let mut notes = notes(model, request, scenario);
    let (scenario, settings, placement) = placed(placing, scenario, request, &mut notes)?;
    let scenario = &scenario;
    let speed = llamacpp::speed(scenario, &placement, settings.host_bandwidth);
    let mut assumptions = assumptions(scenario, &settings, placing.fit, &placement);
    if placing.ollama {
        assumptions.push(format!(
            "As Ollama runs it ({}; {}): --seq is num_ctx, --batch OLLAMA_NUM_PARALLEL, --ngl num_gpu, --ubatch num_batch, here {}, and --cache-type-k with --cache-type-v OLLAMA_KV_CACHE_TYPE.",
            ollama::VERSION,
            ollama::SOURCE,
            settings.ubatch
        ));
        assumptions.push(format!("{}.", ollama::OLDER));
    }
    let output = if request.json {
        json::text(&json::layers::Placed::new(&model.id, scenario, &placement, speed, assumptions))?
    } else {
        let title = wrapped(&model.title, 2) + &inputs::text(scenario, None);
        let mut text = format!("{title}\n{}", wrapped(&said(&placement), 2));
        text += &table(&placement, request.unit);
        text.push('\n');
        text += &wrapped(&verdict(&placement, request.unit), 2);
        text += &wrapped(&decoding(speed, &placement), 2);
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

/// The answer to `solve --for ngl` and `solve --for n-cpu-moe`.
pub(super) fn solve(
    question: Layers,
    placing: &Placing,
    model: &Model,
    scenario: &Checked,
    request: &Request,
) -> Result<Answer, BadInput> {
    let mut notes = notes(model, request, scenario);
    let (scenario, settings) = as_served(placing, scenario, request, &mut notes);
    let (scenario, settings) = (&scenario, &settings);
    let found = match question {
        Layers::Ngl => llamacpp::most_gpu_layers(scenario, settings),
        Layers::CpuMoe => llamacpp::fewest_cpu_moe(scenario, settings),
    };
    let Found { answer, next } = found.map_err(|why| BadInput(why.to_string()))?;
    notes.extend(answer.as_ref().or(next.as_ref()).and_then(|(_, placement)| idle(placement, settings)));
    let speed = |placement: &Placement| llamacpp::speed(scenario, placement, settings.host_bandwidth);
    let output = if request.json {
        json::text(&json::layers::Solved::new(question, &model.id, scenario, [&answer, &next], speed))?
    } else {
        let mut text = wrapped(&model.title, 2) + &inputs::text(scenario, None);
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
            text += &wrapped(&decoding(speed(placement), placement), 2);
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

fn verdict(placement: &Placement, unit: ByteUnit) -> String {
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

fn decoding(speed: Option<Speed>, placement: &Placement) -> String {
    let Some(speed) = speed else {
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
    let usual = scenario.gpu_memory.is_none() || !settings.gpus.is_empty();
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
