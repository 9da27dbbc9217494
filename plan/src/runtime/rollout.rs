//! A trainer that learns from what a model generates, and the vLLM that generates for it.

use alloc::vec::Vec;

use memory_wall_core::{Bucket, Bytes, Checked, Checkpointing, Scenario, bounds};
use memory_wall_runtimes::rollout::{self, Placed, Reference, Refused, Told};

use super::remedies::Step;
use crate::answers::Spending;
use crate::changes::TOLD;
use crate::plan::Plan;
use crate::reply::Reply;
use crate::value::Value;

/// The option that says how a policy is learned.
pub(crate) const ALGORITHM: &str = "rl";
/// Options that change nothing where vLLM is on other GPUs.
pub(crate) const HERE: [&str; 3] =
    ["vllm_gpu_memory_utilization", "vllm_tensor_parallel_size", "vllm_max_model_length"];
/// What TRL's trainers recompute by themselves.
///
/// # Source
/// `gradient_checkpointing` of `trainer/base_config.py` in TRL at 13e421b. Read 2026-11-26.
pub const CHECKPOINTING: Checkpointing = Checkpointing::Full;

/// What a plan tells the trainer and its vLLM.
pub(crate) fn told(plan: &Plan) -> Told {
    let usual = Told::default();
    let count = |name| match plan.get(name) {
        Some(Value::Count(count)) => Some(*count),
        _ => None,
    };
    let word = |name| match plan.get(name) {
        Some(Value::Word(id)) => Some(*id),
        _ => None,
    };
    let share = match plan.get("vllm_gpu_memory_utilization") {
        Some(Value::Percent(share)) => Some(*share),
        _ => None,
    };
    Told {
        placed: word("vllm_mode").and_then(Placed::from_id).unwrap_or(usual.placed),
        share: share.unwrap_or(usual.share),
        tp: count("vllm_tensor_parallel_size").unwrap_or(usual.tp),
        max_model_len: count("vllm_max_model_length"),
        sleep: plan.get("vllm_enable_sleep_mode").is_some(),
        reference: word("reference").and_then(Reference::from_id).unwrap_or(usual.reference),
        generations: count("num_generations").unwrap_or(usual.generations),
        steps_per_generation: count("steps_per_generation"),
        completion: count("max_completion_length").unwrap_or(usual.completion),
    }
}

/// The same as options.
fn options(told: &Told) -> [(&'static str, Option<Value>); 9] {
    [
        ("vllm_mode", Some(Value::Word(told.placed.id()))),
        ("vllm_gpu_memory_utilization", Some(Value::Percent(told.share))),
        ("vllm_tensor_parallel_size", Some(Value::Count(told.tp))),
        ("vllm_max_model_length", told.max_model_len.map(Value::Count)),
        ("vllm_enable_sleep_mode", told.sleep.then_some(Value::On)),
        ("num_generations", Some(Value::Count(told.generations))),
        ("steps_per_generation", told.steps_per_generation.map(Value::Count)),
        ("max_completion_length", Some(Value::Count(told.completion))),
        ("reference", Some(Value::Word(told.reference.id()))),
    ]
}

/// What an option comes to; nothing where it is left open.
pub(super) fn said(told: &Told, name: &str) -> Option<Value> {
    options(told).into_iter().find(|(option, _)| *option == name)?.1
}

/// What goes without saying of an option in a scenario.
pub(super) fn usual(name: &str, scenario: &Scenario) -> Option<Value> {
    match name {
        "vllm_max_model_length" => scenario.architecture.trained_context.map(Value::Count),
        "steps_per_generation" => Some(Value::Count(scenario.training.micro_batches)),
        name => said(&Told::default(), name),
    }
}

/// A step of reinforcement learning on one GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Rollout {
    /// The trainer.
    pub scenario: Checked,
    /// What it and its vLLM are told.
    pub told: Told,
    /// What lies on the GPU at each moment.
    pub made: rollout::Rollout,
    /// The fullest moment in the parts that every run has.
    parts: rollout::Parts,
}

impl Rollout {
    /// Adds up a step.
    ///
    /// # Errors
    /// What TRL refuses, and what isn't modelled.
    pub fn of(told: &Told, scenario: &Checked) -> Result<Self, Refused> {
        let made = rollout::rollout(scenario, told)?;
        Ok(Self { scenario: *scenario, told: *told, made, parts: rollout::parts(scenario, told, &made) })
    }

    /// What a part takes at the fullest moment; of a range its upper end.
    pub fn bytes(&self, bucket: Bucket) -> Bytes {
        self.parts.of(bucket)
    }

    /// The same settings with so many sequences of such a length; nothing where they are refused.
    pub fn with(&self, batch: u32, seq_length: u32) -> Option<rollout::Rollout> {
        let there = self.scenario.with(|it| (it.batch, it.seq_length) = (batch, seq_length)).ok()?;
        rollout::rollout(&there, &self.told).ok()
    }

    /// Most sequences at once on all GPUs together, 0 where none goes in; nothing without a GPU.
    pub fn most_sequences(&self) -> Option<u64> {
        let most = rollout::most_sequences(&self.scenario, &self.told)?;
        Some(u64::from(most) * u64::from(self.scenario.parallel.dp))
    }

    /// The longest completion behind the same prompt, 0 where none goes in; nothing without a GPU.
    pub fn longest_completion(&self) -> Option<u32> {
        rollout::longest_completion(&self.scenario, &self.told)
    }

    /// The changes that help a plan with this step most, at most [`TOLD`].
    pub(super) fn steps(&self, plan: &Plan, spending: Spending) -> Vec<Step> {
        let made = rollout::remedies(&self.scenario, &self.told).into_iter().filter_map(|(remedy, ..)| {
            let (trainer, told) = remedy.of(&self.scenario, &self.told)?;
            let mut changed = plan.changed(&self.scenario, &trainer);
            for ((name, before), (_, after)) in options(&self.told).into_iter().zip(options(&told)) {
                match after {
                    Some(value) if before.as_ref() != Some(&value) => changed.set(name, value),
                    None if before.is_some() => changed.unset(name),
                    _ => {}
                }
            }
            let reply = Reply::of(&changed, spending).ok()?;
            Some(Step { id: remedy.id(), plan: changed, reply })
        });
        made.take(TOLD).collect()
    }
}

/// The plan with so many micro-batches that groups of completions are whole, and the option that says so; nothing where it is refused for another reason.
pub(crate) fn whole_groups(plan: &Plan, scenario: &Scenario, refused: &Refused) -> Option<(&'static str, Plan)> {
    let Refused::Groups { batch, generations } = *refused else { return None };
    let told = told(plan);
    let (name, steps, most) = match told.steps_per_generation {
        Some(steps) => ("steps_per_generation", steps, rollout::STEPS_PER_GENERATION.max),
        None => ("micro_batches", scenario.training.micro_batches, bounds::MICRO_BATCHES.max),
    };
    // Of one micro-batch over all GPUs.
    let each = batch.checked_div(steps.into())?;
    let whole = (1..=generations).find(|count| (each * u64::from(*count)).is_multiple_of(generations.into()))?;
    let steps = steps.div_ceil(whole).checked_mul(whole).filter(|steps| *steps <= most)?;
    let mut plan = plan.clone();
    plan.set(name, Value::Count(steps));
    Some((name, plan))
}
