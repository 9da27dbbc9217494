//! An option of a plan: its name, what it takes, and its place in a scenario.

use alloc::string::String;

use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::{Engine, Mode, Scenario};
use memory_wall_runtimes::pool::Server;

use crate::value::{Kind, Value};

/// An option.
#[derive(Clone, Copy, Debug)]
pub struct PlanOption {
    /// Its name in a file: `max_model_len`.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Where it changes something.
    pub scope: Scope,
    /// Its value in a scenario; nothing where the scenario leaves it open.
    pub(crate) get: fn(&Scenario) -> Option<Value>,
    /// Sets it in a scenario; nothing that is of another kind.
    pub(crate) set: fn(&mut Scenario, &Value),
}

/// Where an option changes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// It says which model it is, which a scenario has as a shape.
    Model,
    /// Everywhere, and a plan always says it.
    Always,
    /// Everywhere.
    Anywhere,
    /// With a GPU of the reader's own.
    OwnGpu,
    /// In inference.
    Inference,
    /// In inference with vLLM.
    Vllm,
    /// In inference with vLLM, of a model with a vision tower.
    Tower,
    /// In inference with a server that keeps a pool, whose settings are not in `Scenario`.
    Pool(Server),
    /// In inference with llama.cpp or Ollama, where they place layers, which `Scenario` doesn't.
    Layers,
    /// Where something waits in host memory: in training, and in inference as [`Scope::Layers`].
    HostMemory,
    /// In training, with adapters or without.
    Training,
    /// In reinforcement learning, where the trainer and vLLM have settings that are not in `Scenario`.
    Rollout,
    /// In training with adapters.
    Adapters,
    /// In training with adapters beside quantised weights.
    Quantised,
}

impl Scope {
    /// Whether it belongs to a runtime whose settings are not in `Scenario`, if only in one mode.
    pub const fn is_of_runtime(self) -> bool {
        matches!(self, Self::Pool(_) | Self::Layers | Self::HostMemory | Self::Rollout)
    }

    /// Whether it takes a scenario in.
    pub fn has(self, scenario: &Scenario) -> bool {
        match self {
            Self::Model | Self::Pool(_) | Self::Layers | Self::Rollout => false,
            Self::Always | Self::Anywhere => true,
            Self::OwnGpu => scenario.gpu.is_some_and(Gpu::is_own),
            Self::Inference => scenario.mode == Mode::Inference,
            Self::Vllm => scenario.runtime() == Some(Engine::Vllm),
            Self::Tower => Self::Vllm.has(scenario) && scenario.architecture.tower.is_some(),
            Self::HostMemory => scenario.mode.trains() && (scenario.offload.optimizer || scenario.offload.parameters),
            Self::Training => scenario.mode.trains(),
            Self::Adapters => scenario.mode.adapts(),
            Self::Quantised => scenario.mode == Mode::Qlora,
        }
    }
}

impl PlanOption {
    /// The option on the command line: `--max-model-len`.
    pub fn flag(&self) -> String {
        alloc::format!("--{}", self.name.replace('_', "-"))
    }

    /// Its value in a scenario; nothing where the scenario leaves it open, or where it changes nothing.
    pub fn of(&self, scenario: &Scenario) -> Option<Value> {
        if self.scope.has(scenario) { (self.get)(scenario) } else { None }
    }

    /// Sets it in a scenario as it is in another one, also where it changes nothing there.
    pub fn copy(&self, from: &Scenario, to: &mut Scenario) {
        if let Some(value) = (self.get)(from) {
            self.set(to, &value);
        }
    }

    /// Sets it in a scenario.
    pub fn set(&self, scenario: &mut Scenario, value: &Value) {
        (self.set)(scenario, value);
    }
}
