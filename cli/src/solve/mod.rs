//! `memory-wall solve`: how much at most, or how little at least, and that one step further does not do.

mod search;

use memory_wall_core::bounds;
use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::engines::vllm;
use memory_wall_core::scenario::{CutError, Demand};
use memory_wall_core::tables::models::MODELS;
use memory_wall_core::{Bytes, Engine, Fit, Scenario, ScenarioError, Verdict, WeightFormat};

use crate::model::Model;
use crate::options::Given;
use crate::request::Request;
use crate::runtime::{self, Layers};
use crate::text::{Side, Table, wrapped};
use crate::{Answer, BadInput, Exit, changes, estimate, gpu, inputs, json, suggest, values, words};

pub(crate) use search::{Solution, Tried, Value, largest_model, solve};

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// The longest `seq_length`.
    Context,
    /// The largest batch.
    Batch,
    /// The fewest GPUs, and how they are cut.
    Gpus,
    /// The GPU with the least memory that leaves room to spare.
    Gpu,
    /// The model with the most parameters.
    Model,
    /// The widest weight format.
    Weights,
}

impl Question {
    /// Every one, in the order in which they are offered.
    pub(crate) const ALL: [Self; 6] = [Self::Context, Self::Batch, Self::Gpus, Self::Gpu, Self::Model, Self::Weights];

    /// Its word behind `--for`.
    pub(crate) const fn id(self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::Batch => "batch",
            Self::Gpus => "gpus",
            Self::Gpu => "gpu",
            Self::Model => "model",
            Self::Weights => "weights",
        }
    }

    /// The question that was given.
    pub(crate) fn read(given: &Given) -> Result<Self, BadInput> {
        let ids: Vec<&str> = Self::ALL.iter().map(|it| it.id()).chain(Layers::ALL.iter().map(|it| it.id())).collect();
        let Some(text) = given.text("--for") else {
            return Err(BadInput(format!("a question is missing: --for {}", suggest::either(&ids))));
        };
        let found = Self::ALL.into_iter().find(|question| question.id().eq_ignore_ascii_case(text.trim()));
        found.ok_or_else(|| values::not_one_of("--for", &ids, &text))
    }

    /// Answer in words, before what was found.
    const fn superlative(self) -> &'static str {
        match self {
            Self::Context => "Longest context",
            Self::Batch => "Largest batch",
            Self::Gpus => "Fewest GPUs",
            Self::Gpu => "Smallest GPU",
            Self::Model => "Largest model",
            Self::Weights => "Widest weights",
        }
    }

    /// The head of the column of what was tried.
    const fn column(self) -> &'static str {
        match self {
            Self::Context => "Context",
            Self::Batch => "Batch",
            Self::Gpus => "GPUs",
            Self::Gpu => "GPU",
            Self::Model => "Model",
            Self::Weights => "Weights",
        }
    }

    /// Why nothing was tried beyond the answer.
    const fn end(self) -> &'static str {
        match self {
            Self::Context | Self::Batch => "This is the largest that is asked about.",
            Self::Gpus => "One GPU is enough.",
            Self::Gpu => {
                "No GPU of these is smaller. Those without units for the format of the weights are left out; without bf16, fp16 is taken instead."
            }
            Self::Model => "No larger model of the list goes with these options.",
            Self::Weights => "No wider format goes with this mode.",
        }
    }

    /// What it means that nothing was found.
    const fn nothing(self) -> &'static str {
        match self {
            Self::Context => "none: not even the shortest request fits.",
            Self::Batch => "none: a single sequence does not fit.",
            Self::Gpus => {
                "none of the cuts that are tried fits: tensor parallelism up to 8, pipelines of up to 128 stages and, in training, context parallelism up to 8 and states shared by data-parallel ranks."
            }
            Self::Gpu => "none holds it with room to spare.",
            Self::Model => "none: the smallest of the list does not fit.",
            Self::Weights => "none: the narrowest of the formats here that go with this mode does not fit.",
        }
    }
}

/// Looks for the answer.
pub(crate) fn answer(question: Question, request: &Request) -> Result<Answer, BadInput> {
    if let Some(answer) = runtime::solve_pool(question, request) {
        return answer;
    }
    runtime::refuse(request, &format!("solve --for {}", question.id()))?;
    let (model, scenario, solution) = if question == Question::Model {
        let settings = request.without_model()?;
        (None, settings, largest_model(&settings))
    } else {
        let (model, scenario) = estimate::asked(request)?;
        (Some(model), *scenario, solve(question, &scenario))
    };
    let mut notes = request.notes.clone();
    if question != Question::Weights {
        notes.extend(model.iter().flat_map(|model| model.remarks(request, &scenario)));
    }
    if question == Question::Model && leaves_out_mixtures(&scenario) {
        notes.push("models with experts are left out: Megatron-LM trains them over tensor-parallel ranks with --sequence-parallel alone".into());
    }
    let output = if request.json {
        json::text(&json::solve::Solved::new(model.as_ref().map(|model| model.id.as_str()), &scenario, &solution))?
    } else {
        text(model.as_ref(), &scenario, &solution, request.unit)
    };
    let waits = |answer: &Tried| answer.fit.is_some_and(|fit| fit.verdict == Verdict::Queues);
    let exit =
        if solution.answer.as_ref().is_some_and(waits) { Exit::Queues } else { Exit::yes(solution.answer.is_some()) };
    Ok(Answer { output, notes, exit })
}

/// Whether the code that trains refuses models of the list for the want of sequence parallelism.
fn leaves_out_mixtures(scenario: &Scenario) -> bool {
    MODELS.iter().any(|model| {
        let refused = Scenario { architecture: model.architecture, ..*scenario }.check();
        matches!(refused, Err(ScenarioError::Cut(CutError::Asks(_, Demand::SequenceParallel))))
    })
}

/// The answer for people.
fn text(model: Option<&Model>, scenario: &Scenario, solution: &Solution, unit: ByteUnit) -> String {
    let question = solution.question;
    let title = model.map_or("The models of the list", |model| model.title.as_str());
    let mut text = wrapped(title, 2) + &inputs::text(scenario, Some(question));
    let on = match (question, scenario.gpu) {
        (Question::Gpu, Some(gpu)) => {
            format!(" like {} ({}, {})", gpu.name, gpu.vendor, gpu.class().label())
        }
        (Question::Gpu, None) => " for servers and desktops".into(),
        (_, Some(gpu)) => format!(" on {} ({})", gpu.name, gpu.id),
        (_, None) => String::new(),
    };
    let found = match &solution.answer {
        Some(answer) => found(scenario, answer),
        None => nothing(question, scenario),
    };
    let mut parts = vec![wrapped(&format!("{}{on}: {found}", question.superlative()), 2)];
    let tried: Vec<&Tried> = solution.answer.iter().chain(&solution.next).collect();
    if !tried.is_empty() {
        parts.push(table(question, scenario, &tried, unit));
    }
    if solution.answer.is_some() && solution.next.is_none() {
        parts.push(wrapped(solution.answer.as_ref().map_or("", |answer| end(question, answer)), 0));
    }
    let options = |tried: &Tried| changes::between(scenario, &tried.scenario).join(" ");
    if let (Question::Gpus, Some(answer)) = (question, &solution.answer) {
        let options = options(answer);
        if !options.is_empty() {
            parts.push(wrapped(&format!("As options: {options}"), 2));
        }
    }
    if let Some(whole) = &solution.whole {
        let (options, each) = (options(whole), memory_wall_core::solve::IN_COMPUTER);
        parts.push(wrapped(&format!("In whole computers of {each} GPUs: {}, {options}", whole.value), 2));
    }
    if let Some(full) = &solution.checkpointed {
        parts.push(wrapped(&format!("With full checkpointing: {}, {}", full.value, options(full)), 2));
    }
    if let Some(tight) = &solution.tight {
        let options = options(tight);
        parts.push(wrapped(&format!("Tight, may fail by fragmentation: {}, {options}", tight.value), 2));
    }
    if let Some(found) = &solution.larger_share {
        let share = found.scenario.serving.utilization();
        let tight = if found.is_roomy() { "" } else { " (tight)" };
        let line = format!(
            "With --gpu-memory-utilization {share}, which leaves room beside it for another forward pass: {}{tight}",
            found.value
        );
        parts.push(wrapped(&line, 2));
    }
    for part in parts {
        text.push('\n');
        text += &part;
    }
    text
}

/// Why the search ends at the answer.
fn end(question: Question, answer: &Tried) -> &'static str {
    match answer.value {
        Value::Tokens(tokens) if tokens < bounds::SEQ_LENGTH.max => {
            "The pool would hold more, but vLLM accepts no request that is longer than what the model was made for, unless VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 is set."
        }
        _ => question.end(),
    }
}

/// What was found, with what has to be said about it.
fn found(asked: &Scenario, answer: &Tried) -> String {
    let least = if at_bound(answer) { "at least " } else { "" };
    let more = match answer.value {
        Value::Tokens(tokens) => {
            gpu::made_for(&answer.scenario, tokens) + &at_once(&answer.scenario, answer.scenario.batch)
        }
        Value::Sequences(each, _) => at_once(&answer.scenario, each),
        Value::Card(_) if in_fp16(asked, answer) => ", in fp16, as it has no bf16".into(),
        _ => String::new(),
    };
    format!("{least}{}{more}", answer.value)
}

/// Whether the weights are fp16 where bf16 was asked for.
fn in_fp16(asked: &Scenario, tried: &Tried) -> bool {
    asked.weights == WeightFormat::Bf16 && tried.scenario.weights == WeightFormat::Fp16
}

/// What keeps vLLM from running so many sequences at once on a rank.
fn at_once(scenario: &Scenario, each: u32) -> String {
    let most = scenario.serving.max_num_seqs;
    if words::serving(scenario) == Engine::Vllm && each > most {
        return format!(
            "; vLLM runs {} sequences at once on each rank, as many as --max-num-seqs allows",
            Grouped(most.into())
        );
    }
    String::new()
}

/// Why nothing was found: in vLLM a start may fail however little is asked for.
fn nothing(question: Question, scenario: &Scenario) -> String {
    let least = match question {
        Question::Context => Scenario { seq_length: 1, ..*scenario },
        Question::Batch => Scenario { batch: 1, ..*scenario },
        _ => return question.nothing().into(),
    };
    let refusal = || {
        let gpu = least.gpu.filter(|_| words::serving(&least) == Engine::Vllm)?;
        vllm::start(&least.check().ok()?, gpu.capacity).refusal
    };
    match (refusal(), scenario.seq_multiple()) {
        (Some(refusal), _) => format!("none: {refusal}."),
        (None, least @ 2..) if question == Question::Context => {
            format!(
                "none: {} tokens, the fewest that the code cuts into equal parts, do not fit.",
                Grouped(least.into())
            )
        }
        _ => question.nothing().into(),
    }
}

/// Whether the search ended at a bound, not at the GPU's.
fn at_bound(answer: &Tried) -> bool {
    match answer.value {
        Value::Tokens(tokens) => tokens == bounds::SEQ_LENGTH.max,
        Value::Sequences(each, _) => each == bounds::BATCH.max,
        _ => false,
    }
}

/// What was tried: the answer, and one step further.
fn table(question: Question, asked: &Scenario, tried: &[&Tried], unit: ByteUnit) -> String {
    let mut table = Table::new(&[
        (question.column(), Side::Left),
        ("Needs", Side::Right),
        ("Of", Side::Right),
        ("Margin in bytes", Side::Right),
        ("Fits", Side::Left),
    ]);
    for tried in tried {
        let (of, margin) = tried.fit.map_or_else(Default::default, |fit| {
            let margin = format!("{}{}", words::sign(fit.margin), Grouped(fit.margin.magnitude().0));
            let of = if fit.limit == Bytes::ZERO { "no start".into() } else { words::size(fit.limit, unit) };
            (of, margin)
        });
        let fits = tried.fit.map_or("no", |fit| words::fits(fit.verdict));
        let fp16 = if question == Question::Gpu && in_fp16(asked, tried) { ", fp16" } else { "" };
        table.row([format!("{}{fp16}", tried.value), words::size(tried.total, unit), of, margin, fits.into()]);
    }
    let in_doubt = |fit: Fit, total| fit.verdict == Verdict::Tight && fit.limit < total;
    let doubt = tried.iter().any(|tried| tried.fit.is_some_and(|fit| in_doubt(fit, tried.total)));
    let why = "Tight by the lower end of what llama.cpp's compute buffer and a GPU's context take; the upper one is counted, and is more than there is.";
    table.text() + &if doubt { format!("\n{}", wrapped(why, 0)) } else { String::new() }
}
