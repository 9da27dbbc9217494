//! Runtimes for whose settings a scenario has no place: what a plan tells them, and what they make of it.

mod layers;
mod pool;
mod remedies;
pub mod rollout;

pub use layers::{Layers, Ollama, Placing, Remark};
pub use pool::Pool;
pub use remedies::{Remedy, Step, steps};
pub use rollout::Rollout;

use alloc::boxed::Box;
use core::fmt;

use memory_wall_core::{Checked, Engine, Scenario};
use memory_wall_runtimes::llamacpp;
use memory_wall_runtimes::ollama;
use memory_wall_runtimes::pool::{Family, Refused as PoolRefused, Server, Told};
use memory_wall_runtimes::rollout::{Placed, Refused as RolloutRefused, Told as RolloutTold};

use crate::answers::Spending;
use crate::option::{PlanOption, Scope};
use crate::plan::Plan;
use crate::reply::Reply;
use crate::value::Value;

/// A runtime with what it is told beside the scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum Runtime {
    /// llama.cpp, alone or in Ollama, whose layers are placed.
    Layers(Placing),
    /// A server with a pool.
    Pool(Server, Told),
    /// A trainer, and the vLLM that generates for it.
    Rollout(RolloutTold),
}

/// Options that contradict one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// How many layers go on the GPU is told, and is to be found.
    Fit,
    /// How many layers leave their experts is told twice.
    CpuMoe,
}

impl Contradiction {
    /// The option that says too much.
    pub const fn option(self) -> &'static str {
        match self {
            Self::Fit => "fit",
            Self::CpuMoe => "cpu_moe",
        }
    }
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fit => {
                "--fit finds how many layers go on the GPU: leave --ngl, --n-cpu-moe and --cpu-moe away, or --fit"
            }
            Self::CpuMoe => "--cpu-moe is --n-cpu-moe with all layers: one of them says how many",
        })
    }
}

/// What a runtime refuses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refused {
    /// llama.cpp.
    Layers(llamacpp::Refused),
    /// A server with a pool.
    Pool(PoolRefused),
    /// A trainer that generates.
    Rollout(RolloutRefused),
}

impl Refused {
    /// Whether all that is missing is a GPU.
    pub const fn needs_gpu(&self) -> bool {
        matches!(
            self,
            Self::Layers(llamacpp::Refused::NoGpu)
                | Self::Pool(PoolRefused::NoGpu)
                | Self::Rollout(RolloutRefused::NoGpu)
        )
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Layers(refused) => refused.fmt(f),
            Self::Pool(refused) => refused.fmt(f),
            Self::Rollout(refused) => refused.fmt(f),
        }
    }
}

impl Runtime {
    /// What a plan tells a runtime; nothing where a scenario says all of it.
    ///
    /// # Errors
    /// Its options contradict one another.
    ///
    /// # Example
    /// ```
    /// use memory_wall_plan::{file, runtime::Runtime};
    /// let runtime = |engine: &str| {
    ///     let text = format!(r#"{{ "version": 1, "model": "llama-3.1-8b", "engine": "{engine}" }}"#);
    ///     let plan = &file::read(&text).unwrap()[0];
    ///     Runtime::of(plan, &plan.scenario().unwrap()).unwrap()
    /// };
    /// assert!(matches!(runtime("sglang"), Some(Runtime::Pool(..))));
    /// assert!(matches!(runtime("ollama"), Some(Runtime::Layers(..))));
    /// assert_eq!(runtime("llamacpp"), None);
    /// ```
    pub fn of(plan: &Plan, scenario: &Scenario) -> Result<Option<Self>, Contradiction> {
        if scenario.mode.trains() {
            return Ok(plan.generates(scenario).then(|| Self::Rollout(rollout::told(plan))));
        }
        if let Some(server) = plan.server() {
            return Ok(Some(Self::Pool(server, pool::told(plan, server))));
        }
        let places = plan.is_ollama()
            || plan.said().any(|(option, _)| matches!(option.scope, Scope::Layers | Scope::HostMemory));
        if !places || scenario.serving.engine != Engine::LlamaCpp {
            return Ok(None);
        }
        Placing::of(plan).map(|placing| Some(Self::Layers(placing)))
    }

    /// What it says to a scenario. The expert-parallel ranks of a server are in what it is told, and not in the scenario.
    ///
    /// # Errors
    /// What it refuses, and what isn't modelled.
    pub fn run(&self, scenario: &Checked, family: Family, spending: Spending) -> Result<Reply, Refused> {
        match self {
            Self::Layers(placing) => {
                let layers = Layers::of(placing, scenario, spending).map_err(Refused::Layers)?;
                Ok(Reply::Layers(Box::new(layers)))
            }
            Self::Pool(server, told) => {
                let pool = Pool::of(*server, told, scenario, family).map_err(Refused::Pool)?;
                Ok(Reply::Pool(Box::new(pool)))
            }
            Self::Rollout(told) => {
                let rollout = Rollout::of(told, scenario).map_err(Refused::Rollout)?;
                Ok(Reply::Rollout(Box::new(rollout)))
            }
        }
    }
}

impl Plan {
    /// The runtime by its name, where the plan says one.
    fn engine(&self) -> Option<&'static str> {
        match self.get("engine") {
            Some(Value::Word(id)) => Some(id),
            _ => None,
        }
    }

    /// The server with a pool that the plan names.
    pub fn server(&self) -> Option<Server> {
        self.engine().and_then(Server::from_id)
    }

    /// Whether the plan trains on what a model generates.
    pub fn generates(&self, scenario: &Scenario) -> bool {
        scenario.mode.trains() && self.get(rollout::ALGORITHM).is_some()
    }

    /// What goes without saying of an option in a scenario of the plan; nothing where it is left open, or where it changes nothing.
    pub fn usual(&self, option: &PlanOption, scenario: &Scenario) -> Option<Value> {
        match option.scope {
            Scope::Rollout if self.has_effect(option, scenario) => rollout::usual(option.name, scenario),
            _ => option.of(scenario),
        }
    }

    /// Whether the plan names Ollama.
    pub fn is_ollama(&self) -> bool {
        self.engine() == Some(ollama::ID)
    }

    /// Whether an option changes something in a scenario of the plan.
    pub fn has_effect(&self, option: &PlanOption, scenario: &Scenario) -> bool {
        let inference = !scenario.mode.trains();
        match option.scope {
            Scope::Pool(server) => inference && self.server() == Some(server),
            Scope::Layers | Scope::HostMemory if inference => {
                self.server().is_none() && scenario.serving.engine == Engine::LlamaCpp
            }
            Scope::Layers => false,
            Scope::Rollout if option.name == rollout::ALGORITHM => scenario.mode.trains(),
            Scope::Rollout => {
                let elsewhere = rollout::told(self).placed == Placed::Server;
                self.generates(scenario) && !(elsewhere && rollout::HERE.contains(&option.name))
            }
            scope => scope.has(scenario),
        }
    }

    /// What an option comes to in a scenario of the plan; nothing where it changes nothing. What a scenario has no place for is as the plan says it.
    pub fn value(&self, option: &PlanOption, scenario: &Scenario) -> Option<Value> {
        let said = || self.get(option.name).cloned();
        if option.scope == Scope::Rollout {
            let set = || said().or_else(|| rollout::said(&rollout::told(self), option.name));
            return if self.has_effect(option, scenario) { set() } else { None };
        }
        if matches!(option.scope, Scope::Model) || option.scope.is_of_runtime() && self.has_effect(option, scenario) {
            return said();
        }
        // Ollama runs as llama.cpp, and a scenario has neither a server with a pool nor its cut of experts.
        let beside = !scenario.mode.trains() && (self.server().is_some() || self.is_ollama());
        if beside && matches!(option.name, "engine" | "ep") {
            return said().or_else(|| option.of(scenario));
        }
        option.of(scenario)
    }
}
