//! `memory-wall solve`: how much at most, or how little at least, and that one step further does not do.

mod search;

use memory_wall_core::bounds;
use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::engines::vllm;
use memory_wall_core::{Bytes, Engine, Scenario};

use crate::model::Model;
use crate::options::Given;
use crate::request::Request;
use crate::text::{Side, Table, wrapped};
use crate::{Answer, BadInput, card, changes, estimate, inputs, json, suggest, values, words};

pub(crate) use search::{Solution, Tried, Value, largest_model, solve};

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// The longest `seq_length`.
    Context,
    /// The largest batch.
    Batch,
    /// The fewest cards, and how they are cut.
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
        values::choice(given, "--for", &Self::ALL, Self::id)?.ok_or_else(|| {
            let ids = Self::ALL.map(Self::id);
            BadInput(format!("a question is missing: --for {}", suggest::either(&ids)))
        })
    }

    /// Answer in words, before what was found.
    const fn superlative(self) -> &'static str {
        match self {
            Self::Context => "Longest context",
            Self::Batch => "Largest batch",
            Self::Gpus => "Fewest cards",
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
            Self::Gpus => "Cards",
            Self::Gpu => "GPU",
            Self::Model => "Model",
            Self::Weights => "Weights",
        }
    }

    /// Why nothing was tried beyond the answer.
    const fn end(self) -> &'static str {
        match self {
            Self::Context | Self::Batch => "This is the largest that is asked about.",
            Self::Gpus => "One card is enough.",
            Self::Gpu => {
                "No GPU of these is smaller. Left out are those that cannot multiply in the format of the weights, such as a T4 in bf16: --weights fp16 asks about them too."
            }
            Self::Model => "No larger model of the list goes with these options.",
            Self::Weights => "No wider format goes with this mode.",
        }
    }

    /// What it means that nothing was found.
    const fn nothing(self) -> &'static str {
        match self {
            Self::Context => "none: a single token does not fit.",
            Self::Batch => "none: a single sequence does not fit.",
            Self::Gpus => {
                "none of the cuts that are tried fits: tensor parallelism up to 8, pipelines of up to 128 stages and, in training, context parallelism up to 8 and ZeRO-3 over data-parallel ranks."
            }
            Self::Gpu => "none holds it with room to spare.",
            Self::Model => "none: the smallest of the list does not fit.",
            Self::Weights => "none: the narrowest format that goes with this mode does not fit.",
        }
    }
}

/// Looks for the answer.
pub(crate) fn answer(question: Question, request: &Request) -> Result<Answer, BadInput> {
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
    let output = if request.json {
        json::text(&json::solve::Solved::new(model.as_ref().map(|model| model.id.as_str()), &scenario, &solution))?
    } else {
        text(model.as_ref(), &scenario, &solution, request.unit)
    };
    Ok(Answer { output, notes, failed: solution.answer.is_none() })
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
        Some(answer) => found(answer),
        None => nothing(question, scenario),
    };
    let mut parts = vec![wrapped(&format!("{}{on}: {found}", question.superlative()), 2)];
    let tried: Vec<&Tried> = solution.answer.iter().chain(&solution.next).collect();
    if !tried.is_empty() {
        parts.push(table(question, &tried, unit));
    }
    if solution.answer.is_some() && solution.next.is_none() {
        parts.push(wrapped(question.end(), 0));
    }
    if let (Question::Gpus, Some(answer)) = (question, &solution.answer) {
        let options = changes::between(scenario, &answer.scenario).join(" ");
        if !options.is_empty() {
            parts.push(wrapped(&format!("As options: {options}"), 2));
        }
    }
    for part in parts {
        text.push('\n');
        text += &part;
    }
    text
}

/// What was found, with what has to be said about it.
fn found(answer: &Tried) -> String {
    let least = if at_bound(answer) { "at least " } else { "" };
    let more = match answer.value {
        Value::Tokens(tokens) => card::made_for(&answer.scenario, tokens),
        Value::Sequences(each, _) => at_once(&answer.scenario, each),
        _ => String::new(),
    };
    format!("{least}{}{more}", answer.value)
}

/// What keeps vLLM from running so many sequences at once on a rank.
fn at_once(scenario: &Scenario, each: u32) -> String {
    let most = scenario.serving.max_num_seqs;
    if words::serving(scenario) == Engine::Vllm && each > most {
        return format!(
            "; vLLM runs {} of them at once on each rank, as many as --max-num-seqs allows",
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
    match refusal() {
        Some(refusal) => format!("none: {refusal}."),
        None => question.nothing().into(),
    }
}

/// Whether the search ended at a bound, not at the card's.
fn at_bound(answer: &Tried) -> bool {
    match answer.value {
        Value::Tokens(tokens) => tokens == bounds::SEQ_LENGTH.max,
        Value::Sequences(each, _) => each == bounds::BATCH.max,
        _ => false,
    }
}

/// What was tried: the answer, and one step further.
fn table(question: Question, tried: &[&Tried], unit: ByteUnit) -> String {
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
            let of = if fit.limit == Bytes::ZERO { "nothing".into() } else { words::size(fit.limit, unit) };
            (of, margin)
        });
        let fits = tried.fit.map_or("no", |fit| words::fits(fit.verdict));
        table.row([tried.value.to_string(), words::size(tried.total, unit), of, margin, fits.into()]);
    }
    table.text()
}
