//! Why the parts of a scenario do not go together, in the words of the options.

use memory_wall_core::bounds;
use memory_wall_core::parallelism::ParallelError;
use memory_wall_core::{Parallelism, Scenario, ScenarioError};

use crate::{BadInput, suggest};

/// The message for a scenario that the engine refuses.
pub(crate) fn of(scenario: &Scenario, error: &ScenarioError) -> BadInput {
    BadInput(match error {
        ScenarioError::NotTrainable(_) | ScenarioError::NotFrozen(_) => {
            format!("--mode {}: {error}", scenario.mode.id())
        }
        ScenarioError::Offload(error) => format!("--offload: {error}"),
        ScenarioError::Parallel(error) => cut(scenario, error),
        _ => format!("the scenario cannot be: {error}"),
    })
}

fn cut(scenario: &Scenario, error: &ParallelError) -> String {
    match *error {
        // Where a rank would hold a part of a KV head, it is the cut that is to be changed.
        ParallelError::DoesNotDivide { degree: "kv_heads", .. } => {
            format!("--tp {}: {error}{}", scenario.parallel.tp, near(scenario, "tp"))
        }
        ParallelError::DoesNotDivide { degree, .. } => format!("--{error}{}", near(scenario, degree)),
        ParallelError::TooFewLayers { .. } => format!("--pp {}: {error}", scenario.parallel.pp),
        ParallelError::NoExperts => format!("--{error}"),
        ParallelError::OutOfBounds(_) | ParallelError::NoStage { .. } => format!("the cut cannot be: {error}"),
    }
}

/// The nearest values of a degree that go with the model, below and above.
fn near(scenario: &Scenario, degree: &str) -> String {
    let with = |value: u32| -> Option<Parallelism> {
        let mut cut = scenario.parallel;
        match degree {
            "tp" => cut.tp = value,
            "ep" => cut.ep = value,
            "shard" => cut.shard = Some(value),
            _ => return None,
        }
        Some(cut)
    };
    let (given, most) = match degree {
        "tp" => (scenario.parallel.tp, bounds::TP.max),
        "ep" => (scenario.parallel.ep, scenario.parallel.dp),
        _ => (scenario.parallel.shard.unwrap_or(1), scenario.parallel.dp),
    };
    let goes = |value: &u32| with(*value).is_some_and(|cut| cut.check(&scenario.architecture).is_ok());
    let below = (1..given).rev().find(goes);
    let above = (given.saturating_add(1)..=most).find(goes);
    let found: Vec<String> = [below, above].into_iter().flatten().map(|value| value.to_string()).collect();
    suggest::did_you_mean(&found.iter().map(String::as_str).collect::<Vec<_>>())
}
