//! The answer of `solve` for programs.

use memory_wall_core::Scenario;
use serde::Serialize;

use super::inputs::{Cut, Inputs};
use crate::changes;
use crate::solve::{Solution, Tried, Value};

/// What was looked for, what was found, and one step further.
#[derive(Debug, Serialize)]
pub(crate) struct Solved<'a> {
    #[serde(rename = "for")]
    question: &'static str,
    model: Option<&'a str>,
    gpu: Option<&'static str>,
    scenario: Inputs,
    answer: Option<Step>,
    next: Option<Step>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tight: Option<Step>,
    #[serde(skip_serializing_if = "Option::is_none")]
    whole_computers: Option<Step>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpointed: Option<Step>,
    #[serde(skip_serializing_if = "Option::is_none")]
    larger_share: Option<Step>,
}

/// One value and whether it fits.
#[derive(Debug, Serialize)]
struct Step {
    value: Worth,
    /// Of a batch, which `value` counts on each data-parallel rank, the sequences of all ranks together.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_all: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel: Option<Cut>,
    options: Vec<String>,
    total_bytes: u128,
    capacity_bytes: Option<u128>,
    /// Missing where vLLM does not start.
    limit_bytes: Option<u128>,
    margin_bytes: Option<i128>,
    verdict: Option<&'static str>,
    fits: bool,
}

/// A number of tokens, sequences or GPUs, or the id of a GPU, a model or a format.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Worth {
    Number(u64),
    Id(&'static str),
}

impl<'a> Solved<'a> {
    /// Of a solution.
    pub(crate) fn new(model: Option<&'a str>, scenario: &Scenario, solution: &Solution) -> Self {
        let step = |tried: &Option<Tried>| tried.as_ref().map(|tried| Step::new(scenario, tried));
        Self {
            question: solution.question.id(),
            model,
            gpu: scenario.gpu.map(|gpu| gpu.id),
            scenario: Inputs::new(scenario),
            answer: step(&solution.answer),
            next: step(&solution.next),
            tight: step(&solution.tight),
            whole_computers: step(&solution.whole),
            checkpointed: step(&solution.checkpointed),
            larger_share: step(&solution.larger_share),
        }
    }
}

impl Step {
    fn new(scenario: &Scenario, tried: &Tried) -> Self {
        let (value, options) = match tried.value {
            Value::Tokens(tokens) => (Worth::Number(tokens.into()), Vec::new()),
            Value::Sequences(each, _) => (Worth::Number(each.into()), Vec::new()),
            Value::Cards(parallel) => (Worth::Number(parallel.ranks()), Vec::new()),
            Value::Card(gpu) => (Worth::Id(gpu.id), Vec::new()),
            // The default of --seq depends on the model.
            Value::Model(model) => {
                let seq = format!("--seq {}", tried.scenario.seq_length);
                (Worth::Id(model.id), vec![format!("--model {}", model.id), seq])
            }
            Value::Weights(weights) => (Worth::Id(weights.id()), Vec::new()),
        };
        let parallel = match tried.value {
            Value::Cards(parallel) => Some(Cut::new(&parallel)),
            _ => None,
        };
        let in_all = match tried.value {
            Value::Sequences(each, ranks) => Some(u64::from(each) * u64::from(ranks)),
            _ => None,
        };
        Self {
            value,
            in_all,
            parallel,
            options: options.into_iter().chain(changes::between(scenario, &tried.scenario)).collect(),
            total_bytes: tried.total.0,
            capacity_bytes: tried.fit.map(|fit| fit.capacity.0),
            limit_bytes: tried.fit.map(|fit| fit.limit.0).filter(|limit| *limit > 0),
            margin_bytes: tried.fit.map(|fit| fit.margin.0),
            verdict: tried.fit.map(|fit| fit.verdict.id()),
            fits: tried.fits(),
        }
    }
}
