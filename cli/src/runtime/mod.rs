//! Runtimes whose settings are not in the scenario: their options, and their answers in words.

pub(crate) mod llamacpp;
mod pool;

use memory_wall_core::display::ByteUnit;
use memory_wall_core::{Checked, Engine, Mode, Scenario};
use memory_wall_plan::answers::Spending;
use memory_wall_plan::reply::Reply;
use memory_wall_plan::runtime::{Contradiction, Placing, Runtime};
use memory_wall_plan::{OPTIONS, Plan, PlanOption, Scope, Value};
use memory_wall_runtimes::ollama;
use memory_wall_runtimes::pool::Server;
use memory_wall_runtimes::rollout::Refused as RolloutRefused;

use crate::model::Model;
use crate::options::Given;
use crate::request::Request;
use crate::solve::Question;
use crate::{Answer, BadInput, estimate, rollout, values};

/// What `--engine` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// A runtime of the engine.
    Engine(Engine),
    /// Ollama, which runs llama.cpp.
    Ollama,
    /// A server with a pool.
    Server(Server),
}

impl Named {
    fn id(self) -> &'static str {
        match self {
            Self::Engine(engine) => engine.id(),
            Self::Ollama => ollama::ID,
            Self::Server(server) => server.id(),
        }
    }
}

/// What `--engine` names, if it was given.
pub(crate) fn named(given: &Given) -> Result<Option<Named>, BadInput> {
    let servers = Server::ALL.iter().copied().map(Named::Server);
    let all: Vec<Named> =
        Engine::ALL.iter().copied().map(Named::Engine).chain([Named::Ollama]).chain(servers).collect();
    values::choice(given, "--engine", &all, Named::id)
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

/// The runtime that the options name, with what they tell it; nothing where a scenario says all of it. Those without effect are noted.
pub(crate) fn read(given: &Given, scenario: &Scenario, notes: &mut Vec<String>) -> Result<Option<Runtime>, BadInput> {
    let told = told(given)?;
    let inference = scenario.mode == Mode::Inference;
    let llama_cpp = inference && scenario.serving.engine == Engine::LlamaCpp;
    let question = Layers::read(given);
    if let Some(question) = question.filter(|_| !llama_cpp) {
        return Err(BadInput(format!(
            "solve --for {} places layers of llama.cpp: it needs --engine llamacpp in inference",
            question.id()
        )));
    }
    if told.get("rl").is_some() && !scenario.mode.trains() {
        return Err(BadInput(RolloutRefused::NotTraining.to_string()));
    }
    for (option, _) in told.said().filter(|(option, _)| !told.has_effect(option, scenario)) {
        match option.scope {
            Scope::Pool(of) => notes.push(format!("{} has no effect without --engine {}", option.flag(), of.id())),
            Scope::Layers => {
                notes.push(format!("{} has no effect without --engine llamacpp in inference", option.flag()));
            }
            Scope::HostMemory => notes.push(format!(
                "{} has no effect without --offload in training, or --engine llamacpp in inference",
                option.flag()
            )),
            Scope::Rollout if told.generates(scenario) => {
                notes.push(format!("{} has no effect with --vllm-mode server", option.flag()));
            }
            Scope::Rollout => notes.push(format!("{} has no effect without --rl grpo", option.flag())),
            _ => {}
        }
    }
    let refused = |why: Contradiction| BadInput(why.to_string());
    match Runtime::of(&told, scenario).map_err(refused)? {
        None if question.is_some() => Placing::of(&told).map(|placing| Some(Runtime::Layers(placing))).map_err(refused),
        runtime => Ok(runtime),
    }
}

/// What runtimes are told by the options, and what they take by themselves where it isn't said.
fn told(given: &Given) -> Result<Plan, BadInput> {
    let mut told = Plan::new("");
    for option in OPTIONS.iter().filter(|it| it.scope.is_of_runtime() || matches!(it.name, "engine" | "ep" | "seq")) {
        if let Some(value) = own(given, option)? {
            told.set(option.name, value);
        }
    }
    Ok(told)
}

/// An option as it was typed, also where it is of a runtime that is not in the scenario.
pub(crate) fn own(given: &Given, option: &PlanOption) -> Result<Option<Value>, BadInput> {
    let flag = option.flag();
    Ok(match option.name {
        "engine" => named(given)?.map(|named| Value::Word(named.id())),
        "device" if given.has(&flag) => {
            let gpus = llamacpp::devices(given)?;
            Some(Value::Words(gpus.iter().map(|gpu| gpu.id).collect()))
        }
        "tensor_split" if given.has(&flag) => Some(Value::Counts(llamacpp::shares(given)?)),
        _ => values::typed(given, option)?,
    })
}

/// What the runtime makes of the scenario.
pub(crate) fn answer(runtime: &Runtime, request: &Request) -> Result<Answer, BadInput> {
    let (model, scenario) = estimate::asked(request)?;
    match reply(runtime, &model, &scenario, Spending::default())? {
        Reply::Layers(layers) => llamacpp::answer(&layers, &model, request),
        Reply::Pool(pool) => pool::answer(&pool, &model, request),
        Reply::Rollout(rollout) => rollout::answer(&rollout, &model, request),
        Reply::Engine(_) => Err(BadInput::new("the engine answers by itself")),
    }
}

/// The same as figures.
pub(crate) fn reply(
    runtime: &Runtime,
    model: &Model,
    scenario: &Checked,
    spending: Spending,
) -> Result<Reply, BadInput> {
    runtime.run(scenario, model.family(), spending).map_err(|why| BadInput(why.to_string()))
}

/// The verdict of a runtime, in words.
pub(crate) fn reason(reply: &Reply, unit: ByteUnit) -> Option<String> {
    match reply {
        Reply::Engine(_) => None,
        Reply::Layers(layers) => Some(llamacpp::verdict(&layers.placement, unit)),
        Reply::Pool(pool) => Some(pool::verdict(&pool.start, &pool.scenario)),
        Reply::Rollout(it) => Some(rollout::verdict(&it.scenario, &it.made, it.made.verdict?)),
    }
}

/// What a runtime makes of the scenario by itself, in words.
pub(crate) fn remarks(reply: &Reply) -> Vec<String> {
    match reply {
        Reply::Layers(layers) => layers.remarks.iter().map(llamacpp::remark).collect(),
        _ => Vec::new(),
    }
}

/// What a server with a pool holds at most; nothing where another runtime is asked.
pub(crate) fn solve_pool(question: Question, request: &Request) -> Option<Result<Answer, BadInput>> {
    let runtime = request.runtime.as_ref().filter(|runtime| matches!(runtime, Runtime::Pool(..)))?;
    let answer = || {
        let (model, scenario) = estimate::asked(request)?;
        let Reply::Pool(pool) = reply(runtime, &model, &scenario, Spending::default())? else { return Ok(None) };
        pool::solve(question, &pool, &model, request).map(Some)
    };
    answer().transpose()
}

/// How many layers.
pub(crate) fn solve(question: Layers, request: &Request) -> Result<Answer, BadInput> {
    let (model, scenario) = estimate::asked(request)?;
    match &request.runtime {
        Some(Runtime::Layers(placing)) => llamacpp::solve(question, placing, &model, &scenario, request),
        _ => Err(BadInput::new("layers are placed with --engine llamacpp")),
    }
}

/// Of a request with a runtime of its own, why a command can't answer it.
pub(crate) fn refuse(request: &Request, command: &str) -> Result<(), BadInput> {
    match &request.runtime {
        None => Ok(()),
        Some(Runtime::Pool(server, _)) => Err(BadInput(format!(
            "{command} does not know {}: memory-wall estimate --engine {} does",
            server.label(),
            server.id()
        ))),
        Some(Runtime::Rollout(_)) => Err(BadInput(format!(
            "{command} does not know GRPO: memory-wall estimate --rl grpo says what makes room, and the largest batch and completion"
        ))),
        Some(Runtime::Layers(placing)) if placing.ollama.is_some() => {
            Err(BadInput(format!("{command} does not know Ollama: memory-wall estimate --engine ollama does")))
        }
        Some(Runtime::Layers(_)) => Err(BadInput(format!(
            "{command} takes llama.cpp as it serves with everything on the GPU, and none of its options (--ngl, --fit, --n-cpu-moe, --cache-type-k and the like; --kv int8 is a cache in q8_0): memory-wall estimate, solve --for ngl and solve --for n-cpu-moe place layers"
        ))),
    }
}

/// The remarks on a model, as a list.
fn notes(model: &Model, request: &Request, scenario: &Checked) -> Vec<String> {
    let mut notes = request.notes.clone();
    notes.extend(model.remarks(request, scenario));
    notes
}
