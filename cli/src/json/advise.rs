//! The answer of `advise` for programs.

use memory_wall_core::advise::{Effect, Idle, Mitigation, Plan};
use memory_wall_core::{Scenario, Verdict};
use serde::Serialize;

use super::inputs::Inputs;
use crate::advise::Advice;
use crate::changes;

/// The ladder and the combination.
#[derive(Debug, Serialize)]
pub(crate) struct Answer<'a> {
    model: &'a str,
    scenario: Inputs,
    gpu: Option<&'static str>,
    capacity_bytes: Option<u128>,
    total_bytes: u128,
    fits: Option<bool>,
    verdict: Option<&'static str>,
    ladder: Vec<Step>,
    plan: Option<Combination>,
    lossy_plan: Option<Combination>,
    slow_plan: Option<Combination>,
    tight_plan: Option<Combination>,
}

/// One mitigation.
#[derive(Debug, Serialize)]
struct Step {
    #[serde(rename = "rung")]
    mitigation: &'static str,
    risk: &'static str,
    effort: &'static str,
    applies: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'static str>,
    #[serde(flatten)]
    change: Option<Change>,
}

/// What a change does.
#[derive(Debug, Serialize)]
struct Change {
    options: Vec<String>,
    saved_bytes: i128,
    total_bytes: u128,
    time_ratio: f64,
    gpus: u64,
    gpu: Option<&'static str>,
    fits: Option<bool>,
    verdict: Option<&'static str>,
}

/// A combination of fixes.
#[derive(Debug, Serialize)]
struct Combination {
    lossy: bool,
    #[serde(flatten)]
    change: Change,
}

impl<'a> Answer<'a> {
    /// Of some advice.
    pub(crate) fn new(model: &'a str, advice: &Advice) -> Self {
        let scenario = &advice.scenario;
        let told = |plan: Option<Plan>| plan.map(|plan| Combination::new(scenario, &plan));
        Self {
            model,
            scenario: Inputs::new(scenario),
            gpu: scenario.gpu.map(|gpu| gpu.id),
            capacity_bytes: advice.evaluation.fit.map(|fit| fit.capacity.0),
            total_bytes: advice.evaluation.total.0,
            fits: advice.verdict().map(Verdict::holds),
            verdict: advice.verdict().map(Verdict::id),
            ladder: advice
                .mitigations
                .iter()
                .map(|(mitigation, effect)| Step::new(scenario, *mitigation, effect))
                .collect(),
            plan: told(advice.plans.recommended),
            lossy_plan: told(advice.plans.quicker),
            slow_plan: told(advice.plans.slow),
            tight_plan: told(advice.plans.tight),
        }
    }
}

impl Combination {
    fn new(scenario: &Scenario, Plan { effect, lossy }: &Plan) -> Self {
        Self { lossy: *lossy, change: Change::new(scenario, effect) }
    }
}

impl Step {
    fn new(scenario: &Scenario, mitigation: Mitigation, effect: &Result<Effect, Idle>) -> Self {
        Self {
            mitigation: mitigation.id(),
            risk: mitigation.risk().id(),
            effort: mitigation.effort().id(),
            applies: effect.is_ok(),
            because: effect.as_ref().err().map(|because| because.sentence()),
            change: effect.as_ref().ok().map(|effect| Change::new(scenario, effect)),
        }
    }
}

impl Change {
    fn new(scenario: &Scenario, effect: &Effect) -> Self {
        Self {
            options: changes::between(scenario, &effect.scenario),
            saved_bytes: effect.saved.0,
            total_bytes: effect.total.0,
            time_ratio: effect.time_ratio,
            gpus: effect.gpus,
            gpu: effect.scenario.gpu.map(|gpu| gpu.id),
            fits: effect.verdict.map(Verdict::holds),
            verdict: effect.verdict.map(Verdict::id),
        }
    }
}
