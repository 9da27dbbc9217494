//! The servers of the figure: what the engine says of each, so that the program of the figure needs no engine.

use memory_wall_core::engines::vllm;
use memory_wall_core::server::{Costs, Load, Settings};
use memory_wall_core::serving::default_batch;
use memory_wall_core::tables::gpus::{self, Gpu};
use memory_wall_core::tables::models::{self, Model};
use memory_wall_core::{Attention, Checked, Engine, Scenario, Share};

use super::stops::{SERVERS, STOPS};
use crate::words;

/// What is asked at the start: so much that the pool is full in the second half of the minute.
pub const LOAD: Load = Load { arrivals: 150, prompt: 2_048, answer: 512, prefix: 512 };
/// Tokens of a page at the start, as vLLM takes them by itself.
pub const PAGE: u32 = vllm::BLOCK;
/// How keys of this figure begin in a link.
pub const OWN: &str = "minute.";

/// Every key of this figure.
pub fn keys() -> impl Iterator<Item = String> {
    ["server", "at"].into_iter().chain(STOPS.map(|(lever, _)| lever)).map(|key| format!("{OWN}{key}"))
}

/// Whether this figure knows what to do with a pair of a link, such as `minute.arrivals=90`, that is its own.
pub fn takes(pair: &str) -> bool {
    let Some((key, value)) = pair.strip_prefix(OWN).and_then(|pair| pair.split_once('=')) else { return false };
    match key {
        "server" => all().any(|server| server.link() == value),
        "at" => value.parse().is_ok_and(|seconds: f64| (0.0..=60.0).contains(&seconds)),
        _ => STOPS
            .iter()
            .any(|(lever, stops)| *lever == key && value.parse().is_ok_and(|number: u32| stops.contains(&number))),
    }
}

/// Models and GPUs that can be chosen.
const OFFERED: [(&str, &str); SERVERS] =
    [("llama-2-7b", "a100-80-sxm"), ("llama-3.1-8b", "a100-80-sxm"), ("llama-2-7b", "h100-sxm")];

/// A model on a GPU.
#[derive(Clone, Copy, Debug)]
pub struct Server {
    /// The model.
    pub model: &'static Model,
    /// The GPU.
    pub gpu: &'static Gpu,
}

/// Every server that is offered.
pub fn all() -> impl Iterator<Item = Server> {
    OFFERED.into_iter().filter_map(|(model, gpu)| Some(Server { model: models::by_id(model)?, gpu: gpus::by_id(gpu)? }))
}

/// The one that the figure begins with.
pub fn first() -> Option<Server> {
    all().next()
}

/// The sentence about a whole minute, with the names of its numbers in braces.
pub fn sentence() -> String {
    let [requests, done, preempted] = ["{requests}", "{done}", "{preempted}"];
    let [pages, written] = ["{pages}", "{written}"];
    words::MinuteSentence { requests, done, pages, preempted, written }.text()
}

impl Server {
    /// How a link calls it.
    pub fn link(&self) -> String {
        format!("{},{}", self.model.id, self.gpu.id)
    }

    /// What the list of servers calls it.
    pub fn name(&self) -> String {
        format!("{}, {}", self.model.name, self.gpu.name)
    }

    /// What the figure is called with it.
    pub fn title(&self) -> String {
        words::MinuteTitle { model: self.model.name, gpu: self.gpu.name }.text()
    }

    /// One sequence of so many tokens, served by vLLM with a share of the GPU.
    fn scenario(&self, tokens: u32, percent: u32) -> Option<Checked> {
        let mut scenario = Scenario { seq_length: tokens, ..Scenario::new(self.model.architecture) };
        scenario.serving.engine = Engine::Vllm;
        scenario.attention = Attention::Flash;
        scenario.serving.gpu_memory_utilization = Some(Share::percent(percent));
        scenario.on(self.gpu).check().ok()
    }

    /// Percent of the GPU that vLLM takes by itself.
    pub fn usual(&self) -> u32 {
        Scenario::new(self.model.architecture).serving.utilization().whole_percent()
    }

    /// The longest request that the model reads.
    pub fn context(&self) -> Option<u32> {
        self.model.architecture.trained_context
    }

    /// Tokens that the pool holds with a share of the GPU; `None` where vLLM does not start.
    pub fn pool(&self, percent: u32) -> Option<u128> {
        let start = vllm::start(&self.scenario(LOAD.longest(), percent)?, self.gpu.capacity);
        start.refusal.is_none().then_some(start.pool.tokens)
    }

    /// The server with a load, pages of so many tokens and a share of the GPU.
    pub fn settings(&self, load: &Load, page: u32, percent: u32) -> Option<Settings> {
        let scenario = self.scenario(LOAD.longest(), percent)?;
        let (max_num_seqs, max_num_batched_tokens) =
            default_batch(scenario.serving.version, self.gpu.capacity, Some(self.gpu));
        let pages = u32::try_from(self.pool(percent)? / u128::from(page)).ok()?;
        let costs = Costs::of(&scenario, self.gpu, LOAD.longest());
        Some(Settings { load: *load, page, pages, max_num_seqs, max_num_batched_tokens, costs })
    }
}
