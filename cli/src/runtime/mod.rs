//! Runtimes with settings that no scenario has a place for: what they are told, and what they make of a scenario.

mod llamacpp;

use memory_wall_core::{Engine, Mode, Scenario};
use memory_wall_runtimes::llamacpp::Settings;

use crate::model::Model;
use crate::options::Given;
use crate::request::Request;
use crate::{Answer, BadInput, estimate};

/// What a runtime is told beside the scenario.
#[derive(Clone, Debug)]
pub(crate) enum Runtime {
    /// llama.cpp, whose layers are placed.
    LlamaCpp(Placing),
}

/// How layers are placed.
#[derive(Clone, Debug)]
pub(crate) struct Placing {
    settings: Settings,
    /// Whether llama.cpp finds how many layers go on the GPU.
    fit: bool,
}

/// A question about layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layers {
    /// The most on the GPU.
    Ngl,
    /// The fewest whose experts stay in host memory.
    CpuMoe,
}

impl Layers {
    /// Every one.
    pub(crate) const ALL: [Self; 2] = [Self::Ngl, Self::CpuMoe];

    /// Its word behind `--for`.
    pub(crate) const fn id(self) -> &'static str {
        match self {
            Self::Ngl => "ngl",
            Self::CpuMoe => "n-cpu-moe",
        }
    }

    /// The question that was given, if it is about layers.
    pub(crate) fn read(given: &Given) -> Option<Self> {
        let text = given.text("--for")?;
        Self::ALL.into_iter().find(|question| question.id().eq_ignore_ascii_case(text.trim()))
    }
}

impl Runtime {
    /// Reads the options; nothing where none was given. Those without effect are noted.
    pub(crate) fn read(given: &Given, scenario: &Scenario, notes: &mut Vec<String>) -> Result<Option<Self>, BadInput> {
        let layers = llamacpp::OPTIONS.iter().any(|option| given.has(option)) || Layers::read(given).is_some();
        if !layers {
            return Ok(None);
        }
        let placing = llamacpp::read(given)?;
        let served = scenario.mode == Mode::Inference && scenario.serving.engine == Engine::LlamaCpp;
        if !served {
            if let Some(question) = Layers::read(given) {
                return Err(BadInput(format!(
                    "solve --for {} places layers of llama.cpp: it needs --engine llamacpp in inference",
                    question.id()
                )));
            }
            let idle = llamacpp::OPTIONS.iter().filter(|option| given.has(option));
            notes.extend(idle.map(|option| format!("{option} has no effect without --engine llamacpp in inference")));
            return Ok(None);
        }
        Ok(Some(Self::LlamaCpp(placing)))
    }
}

/// What the runtime makes of the scenario.
pub(crate) fn answer(runtime: &Runtime, request: &Request) -> Result<Answer, BadInput> {
    let (model, scenario) = estimate::asked(request)?;
    match runtime {
        Runtime::LlamaCpp(placing) => llamacpp::answer(placing, &model, &scenario, request),
    }
}

/// How many layers.
pub(crate) fn solve(question: Layers, request: &Request) -> Result<Answer, BadInput> {
    let (model, scenario) = estimate::asked(request)?;
    match &request.runtime {
        Some(Runtime::LlamaCpp(placing)) => llamacpp::solve(question, placing, &model, &scenario, request),
        None => Err(BadInput::new("layers are placed with --engine llamacpp")),
    }
}

/// Of a request with a runtime of its own, why a command can't answer it.
pub(crate) fn refuse(request: &Request, command: &str) -> Result<(), BadInput> {
    match &request.runtime {
        None => Ok(()),
        Some(Runtime::LlamaCpp(_)) => Err(BadInput(format!(
            "{command} takes llama.cpp with everything on the GPU: memory-wall estimate, solve --for ngl and solve --for n-cpu-moe place layers"
        ))),
    }
}

/// The remarks on a model, as a list.
fn notes(model: &Model, request: &Request, scenario: &memory_wall_core::Checked) -> Vec<String> {
    let mut notes = request.notes.clone();
    notes.extend(model.remarks(request, scenario));
    notes
}
