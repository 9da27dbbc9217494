//! Runtimes whose settings are not in the scenario (`runtimes/`): their options, and their answers.

pub(crate) mod llamacpp;
mod pool;

use memory_wall_core::display::ByteUnit;
use memory_wall_core::units::SignedBytes;
use memory_wall_core::{Bytes, Checked, Engine, Mode, Scenario, Verdict};
use memory_wall_runtimes::Span;
use memory_wall_runtimes::llamacpp::Settings;
use memory_wall_runtimes::ollama;
use memory_wall_runtimes::pool::{Server, Told};

use crate::model::Model;
use crate::options::Given;
use crate::request::Request;
use crate::solve::Question;
use crate::{Answer, BadInput, estimate, values};

/// What a runtime is told beside the scenario.
#[derive(Clone, Debug)]
pub(crate) enum Runtime {
    /// llama.cpp, whose layers are placed.
    LlamaCpp(Placing),
    /// A server with a pool.
    Pool(Server, Told),
}

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

/// How layers are placed.
#[derive(Clone, Debug)]
pub(crate) struct Placing {
    settings: Settings,
    /// Whether llama.cpp finds how many layers go on the GPU.
    fit: bool,
    /// Whether Ollama runs it.
    ollama: bool,
    /// Whether it is said how many tokens pass at once.
    ubatch_told: bool,
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
        let inference = scenario.mode == Mode::Inference;
        let named = named(given)?.filter(|_| inference);
        let told = pool::read(given)?;
        let server = match named {
            Some(Named::Server(server)) => Some(server),
            _ => None,
        };
        for (option, of) in pool::OPTIONS {
            if given.has(option) && server != Some(of) {
                notes.push(format!("{option} has no effect without --engine {}", of.id()));
            }
        }
        let layers = llamacpp::OPTIONS.iter().any(|option| given.has(option)) || Layers::read(given).is_some();
        let placing = llamacpp::read(given, named == Some(Named::Ollama))?;
        let llama_cpp = inference && scenario.serving.engine == Engine::LlamaCpp;
        if layers && !llama_cpp {
            if let Some(question) = Layers::read(given) {
                return Err(BadInput(format!(
                    "solve --for {} places layers of llama.cpp: it needs --engine llamacpp in inference",
                    question.id()
                )));
            }
            let idle = llamacpp::OPTIONS.iter().filter(|option| given.has(option));
            notes.extend(idle.map(|option| format!("{option} has no effect without --engine llamacpp in inference")));
        }
        Ok(match server {
            Some(server) => Some(Self::Pool(server, told.of(server))),
            None if llama_cpp && (layers || placing.ollama) => Some(Self::LlamaCpp(placing)),
            None => None,
        })
    }
}

/// What the runtime makes of the scenario.
pub(crate) fn answer(runtime: &Runtime, request: &Request) -> Result<Answer, BadInput> {
    let (model, scenario) = estimate::asked(request)?;
    match runtime {
        Runtime::LlamaCpp(placing) => llamacpp::answer(placing, &model, &scenario, request),
        Runtime::Pool(server, told) => {
            pool::has_class(*server, &model)?;
            pool::answer(*server, &of_ranks(told, request), &model, &scenario, request)
        }
    }
}

/// What it is told, with its expert-parallel ranks, which the scenario doesn't have.
fn of_ranks(told: &Told, request: &Request) -> Told {
    let ep = request.settings().parallel.ep;
    Told { ep: (ep > 1).then_some(ep), ..*told }
}

/// What a runtime comes to, in a few figures.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The scenario as the runtime runs it.
    pub(crate) scenario: Checked,
    /// Whether it fits.
    pub(crate) verdict: Verdict,
    /// The same in words.
    pub(crate) why: String,
    /// GPUs in all.
    pub(crate) gpus: u64,
    /// What the fullest GPU needs, and what it has; nothing where a server takes a share of it.
    pub(crate) fullest: Option<(Span, Bytes)>,
    /// What it has to spare at least, beside what else is on it.
    pub(crate) spare: Option<SignedBytes>,
    /// Tokens in the pool of a server.
    pub(crate) pool: Option<Span>,
    /// Tokens that all sequences together write in a second, fewest first, where it fits.
    pub(crate) written: Option<[f64; 2]>,
}

/// The same as [`answer`], as figures.
pub(crate) fn outcome(
    runtime: &Runtime,
    model: &Model,
    scenario: &Checked,
    request: &Request,
    notes: &mut Vec<String>,
    unit: ByteUnit,
) -> Result<Outcome, BadInput> {
    match runtime {
        Runtime::LlamaCpp(placing) => llamacpp::outcome(placing, scenario, request, notes, unit),
        Runtime::Pool(server, told) => {
            pool::has_class(*server, model)?;
            pool::outcome(*server, &of_ranks(told, request), scenario)
        }
    }
}

/// What a server with a pool holds at most; nothing where another runtime is asked.
pub(crate) fn solve_pool(question: Question, request: &Request) -> Option<Result<Answer, BadInput>> {
    let Some(Runtime::Pool(server, told)) = &request.runtime else { return None };
    let asked = estimate::asked(request).and_then(|asked| pool::has_class(*server, &asked.0).map(|()| asked));
    let told = of_ranks(told, request);
    Some(asked.and_then(|(model, scenario)| pool::solve(question, (*server, &told), &model, &scenario, request)))
}

/// How many layers.
pub(crate) fn solve(question: Layers, request: &Request) -> Result<Answer, BadInput> {
    let (model, scenario) = estimate::asked(request)?;
    match &request.runtime {
        Some(Runtime::LlamaCpp(placing)) => llamacpp::solve(question, placing, &model, &scenario, request),
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
        Some(Runtime::LlamaCpp(placing)) if placing.ollama => {
            Err(BadInput(format!("{command} does not know Ollama: memory-wall estimate --engine ollama does")))
        }
        Some(Runtime::LlamaCpp(_)) => Err(BadInput(format!(
            "{command} takes llama.cpp with everything on the GPU: memory-wall estimate, solve --for ngl and solve --for n-cpu-moe place layers"
        ))),
    }
}

/// The remarks on a model, as a list.
fn notes(model: &Model, request: &Request, scenario: &Checked) -> Vec<String> {
    let mut notes = request.notes.clone();
    notes.extend(model.remarks(request, scenario));
    notes
}
