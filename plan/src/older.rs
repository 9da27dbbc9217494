//! Whether the release of vLLM before the newest one refuses a plan that the newest one accepts.

use memory_wall_core::scenario::Unsupported;
use memory_wall_core::serving::Version;
use memory_wall_core::{Engine, Scenario, ScenarioError};

/// A refusal of an older release.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Older {
    /// The release.
    pub release: Version,
    /// Why it refuses the plan.
    pub refusal: ScenarioError,
    /// The expert-parallel ranks with which it accepts it, where these are all that is in its way.
    pub accepted_with: Option<u32>,
}

/// Whether the release of vLLM before the newest one that is modelled refuses a scenario for that one: blocks of fp8 that are cut.
///
/// # Example
/// ```
/// use memory_wall_core::{Engine, Parallelism, Scenario, WeightFormat, tables::models};
/// let mut scenario = Scenario::new(models::by_id("minimax-m2").unwrap().architecture);
/// (scenario.weights, scenario.serving.engine) = (WeightFormat::Fp8Block, Engine::Vllm);
/// scenario.parallel = Parallelism { tp: 8, ..Parallelism::ONE };
/// let older = memory_wall_plan::older::refusal(&scenario).unwrap();
/// assert_eq!((older.release.to_string(), older.accepted_with), ("0.28".into(), Some(8)));
/// scenario.parallel.tp = 4;
/// assert_eq!(memory_wall_plan::older::refusal(&scenario), None);
/// ```
pub fn refusal(scenario: &Scenario) -> Option<Older> {
    if scenario.runtime() != Some(Engine::Vllm) || scenario.serving.version != Version::NEWEST {
        return None;
    }
    let release = Version { minor: Version::NEWEST.minor.checked_sub(1)?, ..Version::NEWEST };
    let with = |parallel| {
        let mut there = Scenario { parallel, ..*scenario };
        there.serving.version = release;
        there.check()
    };
    let refusal = with(scenario.parallel).err()?;
    let ScenarioError::Runtime(Unsupported::Blocks { .. }) = refusal else { return None };
    let spread = scenario.parallel.with_whole_experts();
    Some(Older { release, refusal, accepted_with: with(spread).is_ok().then_some(spread.ep) })
}
