//! Reinforcement learning in `estimate`: its options, and what lies on one GPU at each moment of a step.

mod text;

pub(crate) use text::{change, moment, verdict};

use memory_wall_core::assumptions::Assumption;
use memory_wall_plan::Value;
use memory_wall_plan::runtime::Rollout;
use memory_wall_runtimes::rollout::{Algorithm, longest_completion, most_sequences, remedies};

use crate::findings::Findings;
use crate::model::Model;
use crate::options::Given;
use crate::request::Request;
use crate::text::quote;
use crate::{Answer, BadInput, Exit, json};

/// What else people call for, and why it isn't answered.
const NOT_MODELLED: [(&str, &str); 6] = [
    ("ppo", "it trains a value model and keeps a reward model beside the policy"),
    ("dpo", "it generates nothing, trains on pairs of completions, and its loss has logits for prompts too"),
    ("async-grpo", "completions are generated during the training step"),
    ("rloo", "its loss was not measured"),
    ("online-dpo", "its loss was not measured"),
    ("kto", "it generates nothing, and its loss has other logits"),
];

/// What `--rl` names, if it was given.
pub(crate) fn named(given: &Given) -> Result<Option<Value>, BadInput> {
    let Some(named) = given.text("--rl") else { return Ok(None) };
    let named = named.trim().to_lowercase().replace('_', "-");
    if let Some((_, why)) = NOT_MODELLED.iter().find(|(name, _)| *name == named) {
        return Err(BadInput(format!("--rl {named} is not modelled: {why}; grpo is")));
    }
    let found = Algorithm::from_id(&named);
    found
        .map(|algorithm| Some(Value::Word(algorithm.id())))
        .ok_or_else(|| BadInput(format!("--rl takes grpo, not {}", quote(&named))))
}

/// Answers for a step that was added up.
pub(crate) fn answer(it: &Rollout, model: &Model, request: &Request) -> Result<Answer, BadInput> {
    let Rollout { scenario, told, made, .. } = it;
    let findings = Findings::of(scenario);
    let mut notes = request.notes.clone();
    let mut assumptions = text::assumptions(scenario, told, made);
    // The loss of a language model is another one.
    let others = findings.evaluation.assumptions.iter().filter(|it| !matches!(it, Assumption::Loss(_)));
    assumptions.extend(others.map(|it| it.to_string()));
    let remarks = model.remarks(request, scenario);
    if request.json { &mut assumptions } else { &mut notes }.extend(remarks);
    let largest = [most_sequences(scenario, told), longest_completion(scenario, told)];
    let helps = remedies(scenario, told);
    let output = if request.json {
        json::text(&json::rollout::Step::new(&model.id, scenario, told, made, largest, &helps, assumptions))?
    } else {
        text::text(&model.title, scenario, told, made, largest, &helps, &assumptions, request.unit)
    };
    Ok(Answer { output, notes, exit: Exit::of(made.verdict) })
}
