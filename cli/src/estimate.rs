//! `memory-wall estimate`.

use std::fmt::Write;

use memory_wall_core::architecture::Positions;
use memory_wall_core::bounds::{self, Bounds};
use memory_wall_core::display::{ByteUnit, Grouped, Percent, Size};
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::{
    Architecture, Bucket, Bytes, Evaluation, Fit, Mode, Phase, Scenario, Verdict, WeightFormat, evaluate,
};

use crate::arguments::{Request, Source};
use crate::text::{QUOTED, Side, Table, quote, shortened, wrapped};
use crate::{Answer, BadInput, config_file, json};

/// A model, wherever it comes from.
struct Model {
    /// Id, or file name.
    id: String,
    /// For people.
    title: String,
    architecture: Architecture,
    /// Whether the checkpoint says that it is stored quantised.
    quantised: bool,
}

/// Evaluates what was asked for.
pub(crate) fn answer(request: Request) -> Result<Answer, BadInput> {
    let model = model(&request.source)?;
    let scenario = scenario(&request, model.architecture)?;
    let evaluation = evaluate(&scenario);
    let mut notes = request.notes;
    let mut assumptions: Vec<String> = evaluation.assumptions.iter().map(|it| it.to_string()).collect();
    if model.quantised && request.weights.is_none() {
        let remark = "The checkpoint is stored quantised; bf16 weights were assumed, as --weights is not given.";
        if request.json { &mut assumptions } else { &mut notes }.push(remark.into());
    }
    let output = if request.json {
        json::text(&json::Estimate::new(&model.id, &scenario, &evaluation, assumptions))?
    } else {
        text(&model.title, &scenario, &evaluation, &assumptions, request.unit)
    };
    let does_not_fit = evaluation.fit.is_some_and(|fit| fit.verdict == Verdict::DoesNotFit);
    Ok(Answer { output, notes, does_not_fit })
}

fn model(source: &Source) -> Result<Model, BadInput> {
    match source {
        Source::Preset(model) => Ok(Model {
            id: model.id.into(),
            title: format!("{} ({})", model.name, model.id),
            architecture: model.architecture,
            quantised: false,
        }),
        Source::Config(path) => {
            let config_file::Named { name, config } = config_file::read(path)?;
            let architecture = config
                .architecture()
                .map_err(|error| BadInput(format!("--config {}: {error}", quote(&path.to_string_lossy()))))?;
            let title = shortened(&name, QUOTED).escape_debug().to_string();
            Ok(Model { id: name, title, architecture, quantised: config.is_quantised() })
        }
    }
}

fn scenario(request: &Request, architecture: Architecture) -> Result<Scenario, BadInput> {
    let start = Scenario::new(architecture);
    // A model with learned positions cannot go beyond them, so its default does not either.
    let most = match architecture.positions {
        Positions::Learned(rows) => rows,
        Positions::Rotary | Positions::Alibi => u32::MAX,
    };
    let scenario = Scenario {
        architecture,
        mode: request.mode,
        batch: request.batch,
        seq_length: request.seq_length.unwrap_or(start.seq_length.min(most)),
        weights: request.weights.unwrap_or(WeightFormat::Bf16),
        kv: request.kv,
        optimizer: request.optimizer,
        checkpointing: request.checkpointing,
        attention: request.attention,
        gpu: request.gpu,
        ..start
    };
    scenario.check().map_err(|error| BadInput(format!("--mode {}: {error}", request.mode.id())))?;
    Ok(scenario)
}

/// The answer for people.
fn text(title: &str, scenario: &Scenario, evaluation: &Evaluation, assumptions: &[String], unit: ByteUnit) -> String {
    let mut text = wrapped(&format!("{title}: {} parameters", Grouped(evaluation.parameters.total().into())), 2);
    text += &wrapped(&inputs(scenario), 2);
    text.push('\n');
    text += &buckets(evaluation, unit);
    let _ = writeln!(text, "\nPeak: {}.", peak(evaluation.peak_phase));
    if let Some((gpu, fit)) = scenario.gpu.zip(evaluation.fit) {
        text.push('\n');
        text += &on_card(gpu, &fit, scenario, unit);
    }
    text += "\nAssumptions:\n";
    for assumption in assumptions {
        text += &wrapped(&format!("- {assumption}"), 2);
    }
    text
}

fn inputs(scenario: &Scenario) -> String {
    let start = format!(
        "{}, batch {}, seq_length {}, {} weights",
        scenario.mode.id(),
        Grouped(scenario.batch.into()),
        Grouped(scenario.seq_length.into()),
        scenario.weights
    );
    let attention = scenario.attention.id();
    match scenario.mode {
        Mode::Inference => format!("{start}, {} KV cache, {attention} attention", scenario.kv),
        Mode::Training | Mode::Lora | Mode::Qlora => format!(
            "{start}, {}, checkpointing {}, {attention} attention",
            scenario.optimizer.id(),
            scenario.checkpointing.id()
        ),
    }
}

/// The buckets that hold anything, and their sum.
fn buckets(evaluation: &Evaluation, unit: ByteUnit) -> String {
    let mut table =
        Table::new(&[("Bucket", Side::Left), ("Size", Side::Right), ("Share", Side::Right), ("Bytes", Side::Right)]);
    let held = evaluation.buckets.iter().filter(|(_, bytes)| *bytes > Bytes::ZERO);
    for (name, bytes) in held.map(|(bucket, bytes)| (label(*bucket), *bytes)).chain([("Total", evaluation.total)]) {
        table.row([
            name.into(),
            size(bytes, unit),
            Percent(bytes.share_of(evaluation.total)).to_string(),
            Grouped(bytes.0).to_string(),
        ]);
    }
    table.text()
}

fn on_card(gpu: &Gpu, fit: &Fit, scenario: &Scenario, unit: ByteUnit) -> String {
    let sign = if fit.margin.0 < 0 { '-' } else { '+' };
    let margin = fit.margin.magnitude();
    let batch = Grouped(scenario.batch.into());
    let seq_length = Grouped(scenario.seq_length.into());
    // How far memory goes is one thing, what the model was made for another.
    let made_for = match scenario.architecture.trained_context {
        Some(context) if context < fit.max_seq => format!("; the model was made for {}", Grouped(context.into())),
        _ => String::new(),
    };
    let lines = [
        ("Card", format!("{} ({})", gpu.name, gpu.id)),
        ("Capacity", format!("{} = {}, {}", size(fit.capacity, unit), fit.capacity, gpu.capacity_basis.label())),
        ("Verdict", verdict(fit.verdict).into()),
        ("Margin", format!("{sign}{} = {sign}{margin}", size(margin, unit))),
        ("Longest context", format!("{} at batch {batch}{made_for}", largest(fit.max_seq, bounds::SEQ_LENGTH))),
        ("Largest batch", format!("{} at seq_length {seq_length}", largest(fit.max_batch, bounds::BATCH))),
    ];
    lines.iter().map(|(name, value)| wrapped(&format!("{name:<15}  {value}"), 17)).collect()
}

/// The answer to "how much at most".
fn largest(found: u32, bounds: Bounds) -> String {
    let Bounds { max, unit, .. } = bounds;
    match found {
        0 => "none fits".into(),
        _ if found == max => format!("at least {} {unit}, the largest that is asked about,", Grouped(max.into())),
        1 => format!("1 {}", unit.trim_end_matches('s')),
        _ => format!("{} {unit}", Grouped(found.into())),
    }
}

fn size(bytes: Bytes, unit: ByteUnit) -> String {
    Size::new(bytes, unit).plain().to_string()
}

const fn label(bucket: Bucket) -> &'static str {
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

const fn peak(phase: Phase) -> &'static str {
    match phase {
        Phase::Forward => "while the prompt passes through, with the cache full",
        Phase::Loss => "when the loss is done and the backward pass begins",
        Phase::ForwardEnd => "when the forward pass is done and the loss is being computed",
        Phase::Backward => "deep in the backward pass, when nearly all gradients exist",
        Phase::OptimizerStep => "while the optimizer takes its step",
        Phase::FirstStep => "when the backward pass of the first step begins",
    }
}

const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Fits => "fits, with more than a tenth of the card to spare",
        Verdict::Tight => "tight: fits by calculation, with less to spare than fragmentation can take",
        Verdict::DoesNotFit => "does not fit",
    }
}
