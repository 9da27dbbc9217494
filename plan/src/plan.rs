//! A plan: a name, and what is said of a run.

use alloc::string::String;
use alloc::vec::Vec;

use memory_wall_core::tables::models;
use memory_wall_core::{Architecture, Mode, Scenario, WeightFormat};
use memory_wall_runtimes::pool::Family;

use crate::option::PlanOption;
use crate::own_model::OwnModel;
use crate::runtime::rollout;
use crate::table::{self, OPTIONS};
use crate::value::Value;

/// What is said of a run; the rest is what the engine takes by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// What it is called; may be empty.
    pub name: String,
    /// What is said, in the order of [`OPTIONS`], each once.
    said: Vec<(&'static str, Value)>,
}

impl Plan {
    /// A plan that says nothing.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), said: Vec::new() }
    }

    /// The plan that a scenario is; its model is said apart, since a scenario has its shape alone.
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::{Scenario, tables::models};
    /// use memory_wall_plan::Plan;
    /// let model = models::by_id("llama-3.1-8b").unwrap();
    /// let mut scenario = Scenario::new(model.architecture);
    /// scenario.parallel.tp = 2;
    /// let plan = Plan::of(&scenario, "two GPUs", Some(model.id));
    /// assert_eq!(plan.get("tp").unwrap().to_string(), "2");
    /// assert_eq!(plan.scenario().unwrap(), scenario);
    /// ```
    pub fn of(scenario: &Scenario, name: impl Into<String>, model: Option<&'static str>) -> Self {
        let mut plan = Self::new(name);
        if let Some(id) = model {
            plan.set("model", Value::Word(id));
        }
        for (option, value) in table::stated(scenario) {
            plan.set(option.name, value);
        }
        plan
    }

    /// What is said of an option.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.said.iter().find(|(said, _)| *said == name).map(|(_, value)| value)
    }

    /// Says something of an option; of none that is not in the table.
    pub fn set(&mut self, name: &str, value: Value) {
        let Some(option) = table::by_name(name) else { return };
        match self.said.iter_mut().find(|(said, _)| *said == name) {
            Some((_, said)) => *said = value,
            None => self.said.push((option.name, value)),
        }
        let place = |name: &str| OPTIONS.iter().position(|option| option.name == name);
        self.said.sort_by_key(|(name, _)| place(name));
    }

    /// Says nothing of an option.
    pub fn unset(&mut self, name: &str) {
        self.said.retain(|(said, _)| *said != name);
    }

    /// All that is said, in the order of the table.
    pub fn said(&self) -> impl Iterator<Item = (&'static PlanOption, &Value)> {
        self.said.iter().filter_map(|(name, value)| table::by_name(name).map(|option| (option, value)))
    }

    /// The model of the table that the plan names.
    pub fn model(&self) -> Option<&'static models::Model> {
        match self.get("model") {
            Some(Value::Word(id)) => models::by_id(id),
            _ => None,
        }
    }

    /// The model that the plan describes itself.
    pub fn own_model(&self) -> Option<&OwnModel> {
        match self.get("config") {
            Some(Value::Own(model)) => Some(model),
            _ => None,
        }
    }

    /// The shape of the plan's model, and how its checkpoint is stored where that is certain; nothing where it is in a file that was not read.
    fn shape(&self) -> Option<(Architecture, Option<WeightFormat>)> {
        match (self.model(), self.own_model()) {
            (Some(model), _) => Some((model.architecture, model.published())),
            (None, Some(model)) => Some((model.architecture(), model.stored())),
            (None, None) => None,
        }
    }

    /// How the plan's model is published where it is not in 16 bits and the plan's program loads that; only where the plan serves.
    fn published(&self) -> Option<WeightFormat> {
        let (architecture, stored) = self.shape()?;
        loaded(stored, &self.scenario_of(architecture))
    }

    /// Loads the weights as the model is published, where it is another model than before. `said` is what stood there before a model brought its own format,
    /// and stands there again with a model that brings none.
    pub fn load_as_stored(&mut self, before: &Self, said: &mut Option<Value>) {
        if (self.model().map(|it| it.id), self.own_model()) == (before.model().map(|it| it.id), before.own_model()) {
            return;
        }
        let was = before.published().map(|format| Value::Word(format.id()));
        let brought = was.is_some() && before.get("weights") == was.as_ref();
        if !brought {
            *said = before.get("weights").cloned();
        }
        match self.published() {
            Some(format) => self.set("weights", Value::Word(format.id())),
            None if brought => match said.take() {
                Some(value) => self.set("weights", value),
                None => self.unset("weights"),
            },
            None => {}
        }
    }

    /// By what a server with a pool looks for the class of the model.
    pub fn family(&self) -> Option<Family<'_>> {
        let own = || self.own_model().map(|model| Family::Config(model.family()));
        self.model().map(|model| Family::Listed(model.id)).or_else(own)
    }

    /// The scenario of a plan whose model is of the table or its own; nothing of one in a file.
    pub fn scenario(&self) -> Option<Scenario> {
        let (architecture, stored) = self.shape()?;
        let mut scenario = self.scenario_of(architecture);
        if let Some(format) = loaded(stored, &scenario)
            && self.get("weights").is_none()
        {
            scenario.weights = format;
        }
        Some(scenario)
    }

    /// The scenario of the plan with a shape, not checked yet.
    pub fn scenario_of(&self, architecture: Architecture) -> Scenario {
        let mut scenario = Scenario::new(architecture);
        for (option, value) in self.said() {
            if option.name != "model" {
                option.set(&mut scenario, value);
            }
        }
        if self.get("weights").is_none() {
            scenario.weights = scenario.mode.nearest(scenario.weights);
        }
        if self.get("recipe").is_none() {
            scenario.training.recipe = scenario.usual_recipe();
        }
        if self.get("checkpointing").is_none() {
            let usual = scenario.mode.usual_checkpointing(scenario.training.implementation);
            scenario.checkpointing = if self.generates(&scenario) { rollout::CHECKPOINTING } else { usual };
        }
        let Some(gpu) = scenario.gpu else {
            scenario.serving = scenario.serving.on_any();
            return scenario;
        };
        scenario.serving = scenario.serving.on(gpu);
        // What is said stands; the rest is what the GPU computes in.
        let there = scenario.on(gpu);
        if self.get("weights").is_none() {
            scenario.weights = there.weights;
        }
        if self.get("kv").is_none() && scenario.mode == Mode::Inference {
            scenario.kv = there.kv;
        }
        scenario
    }
}

/// The format in which weights are stored, where the scenario serves them and its program loads it.
fn loaded(stored: Option<WeightFormat>, scenario: &Scenario) -> Option<WeightFormat> {
    stored.filter(|format| scenario.mode == Mode::Inference && scenario.serving.engine.loads(*format))
}
