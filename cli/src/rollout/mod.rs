//! Reinforcement learning in `estimate`: its options, and what lies on one GPU at each moment of a step.

mod text;

pub(crate) use text::{change, verdict};

use memory_wall_core::assumptions::Assumption;
use memory_wall_core::bounds::{self, Bounds};
use memory_wall_core::{Scenario, bounds::SEQ_LENGTH};
use memory_wall_runtimes::rollout::{
    Algorithm, NUM_GENERATIONS, Placed, Reference, STEPS_PER_GENERATION, Told, longest_completion, most_sequences,
    remedies, rollout,
};

use crate::findings::Findings;
use crate::options::Given;
use crate::options::table::OF_ROLLOUT;
use crate::request::Request;
use crate::text::quote;
use crate::{Answer, BadInput, Exit, estimate, json, values};

/// What else people call for, and why it isn't answered.
const NOT_MODELLED: [(&str, &str); 6] = [
    ("ppo", "it trains a value model and keeps a reward model beside the policy"),
    ("dpo", "it generates nothing, trains on pairs of completions, and its loss has logits for prompts too"),
    ("async-grpo", "completions are generated during the training step"),
    ("rloo", "its loss was not measured"),
    ("online-dpo", "its loss was not measured"),
    ("kto", "it generates nothing, and its loss has other logits"),
];

/// GPUs that share one vLLM.
const TENSOR_PARALLEL: Bounds = Bounds { name: "vllm_tensor_parallel_size", ..bounds::TP };

/// The settings of a trainer and its vLLM; nothing without `--rl`, where the options that need it get a note.
pub(crate) fn read(given: &Given, settings: &Scenario, notes: &mut Vec<String>) -> Result<Option<Told>, BadInput> {
    let Some(named) = given.text("--rl") else {
        let idle = OF_ROLLOUT.iter().filter(|name| given.has(name));
        notes.extend(idle.map(|name| format!("{name} has no effect without --rl grpo")));
        return Ok(None);
    };
    let named = named.trim().to_lowercase().replace('_', "-");
    if let Some((_, why)) = NOT_MODELLED.iter().find(|(name, _)| *name == named) {
        return Err(BadInput(format!("--rl {named} is not modelled: {why}; grpo is")));
    }
    if Algorithm::from_id(&named).is_none() {
        return Err(BadInput(format!("--rl takes grpo, not {}", quote(&named))));
    }
    if !settings.mode.trains() {
        return Err(BadInput::new("--rl grpo trains a policy: say --mode training, lora or qlora"));
    }
    let start = Told::default();
    let count = |name, bounds| values::count(given, name, bounds);
    Ok(Some(Told {
        placed: values::choice(given, "--vllm-mode", Placed::ALL, Placed::id)?.unwrap_or(start.placed),
        share: values::percent(given, "--vllm-gpu-memory-utilization")?.unwrap_or(start.share),
        tp: count("--vllm-tensor-parallel-size", TENSOR_PARALLEL)?.unwrap_or(start.tp),
        max_model_len: count("--vllm-max-model-length", SEQ_LENGTH)?,
        sleep: given.has("--vllm-enable-sleep-mode"),
        reference: values::choice(given, "--reference", Reference::ALL, Reference::id)?.unwrap_or(start.reference),
        generations: count("--num-generations", NUM_GENERATIONS)?.unwrap_or(start.generations),
        steps_per_generation: count("--steps-per-generation", STEPS_PER_GENERATION)?,
        completion: count("--max-completion-length", SEQ_LENGTH)?.unwrap_or(start.completion),
    }))
}

/// Adds up what was asked for.
pub(crate) fn answer(told: &Told, request: &Request) -> Result<Answer, BadInput> {
    let (model, scenario) = estimate::asked(request)?;
    let made = rollout(&scenario, told).map_err(|why| BadInput(why.to_string()))?;
    let findings = Findings::of(&scenario);
    let mut notes = request.notes.clone();
    let mut assumptions = text::assumptions(&scenario, told, &made);
    // The loss of a language model is another one.
    let others = findings.evaluation.assumptions.iter().filter(|it| !matches!(it, Assumption::Loss(_)));
    assumptions.extend(others.map(|it| it.to_string()));
    let remarks = model.remarks(request, &scenario);
    if request.json { &mut assumptions } else { &mut notes }.extend(remarks);
    let largest = [most_sequences(&scenario, told), longest_completion(&scenario, told)];
    let helps = remedies(&scenario, told);
    let output = if request.json {
        json::text(&json::rollout::Step::new(&model.id, &scenario, told, &made, largest, &helps, assumptions))?
    } else {
        text::text(&model.title, &scenario, told, &made, largest, &helps, &assumptions, request.unit)
    };
    Ok(Answer { output, notes, exit: Exit::of(made.verdict) })
}
