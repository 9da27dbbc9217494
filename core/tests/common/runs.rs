//! A model under a program, for the tests of programs that serve.

use memory_wall_core::engines::vllm;
use memory_wall_core::tables::models;
use memory_wall_core::units::GIB;
use memory_wall_core::{Bytes, Checked, Engine, Offload, Scenario};

/// A model of the table, as it is without a choice.
pub(crate) fn model(id: &str) -> Scenario {
    Scenario::new(models::by_id(id).unwrap().architecture)
}

/// The same under a program, without what that cannot offload.
pub(crate) fn with(scenario: &Scenario, engine: Engine) -> Scenario {
    let mut scenario = *scenario;
    scenario.serving.engine = engine;
    if Offload::check(&scenario).is_err() {
        scenario.offload = Offload::default();
    }
    scenario
}

/// What the engine takes.
pub(crate) fn checked(scenario: &Scenario) -> Checked {
    scenario.check().unwrap()
}

/// A start on the scenario's own GPU.
pub(crate) fn started(scenario: &Scenario) -> vllm::Start {
    vllm::start(&checked(scenario), scenario.gpu.unwrap().capacity)
}

/// Thousandths of a GiB, rounded.
pub(crate) fn thousandths(bytes: Bytes) -> u128 {
    (bytes.0 * 1_000 + GIB / 2) / GIB
}
