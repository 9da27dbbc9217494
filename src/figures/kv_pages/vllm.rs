//! What vLLM takes of the reader's GPU when it starts, and what its pool of pages holds.

use memory_wall_core::display::{Figure, Grouped, Percent};
use memory_wall_core::engines::vllm::{self, Refusal, Start, Tightness};
use memory_wall_core::scenario::Unsupported;
use memory_wall_core::serving::default_batch;
use memory_wall_core::{Attention, Bytes, Checked, Engine, ScenarioError, Share};

use crate::live::Snapshot;
use crate::words;

/// What vLLM takes when it starts with a share of the GPU, in words.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Server {
    pub(super) taken: String,
    pub(super) pool: String,
    pub(super) tokens: String,
    /// Requests of the reader's length at once, and how many times the reader's batch that is.
    pub(super) requests: String,
    pub(super) times: String,
}

/// A start with one request of the reader's length, or why vLLM does not run the reader's settings.
fn start(of: &Snapshot, own: &Checked, percent: u32) -> Result<Start, ScenarioError> {
    let gpu = of.state.gpu;
    let (max_num_seqs, max_num_batched_tokens) = default_batch(own.serving.version, gpu.capacity, Some(gpu));
    let served = own.with_batch(1).with(|it| {
        it.serving.engine = Engine::Vllm;
        // vLLM fuses attention whatever the reader chose.
        it.attention = Attention::Flash;
        it.serving.max_num_seqs = max_num_seqs;
        it.serving.max_num_batched_tokens = max_num_batched_tokens;
        it.serving.gpu_memory_utilization = Some(Share::percent(percent));
        *it = it.on(gpu);
    });
    Ok(vllm::start(&served?, gpu.capacity))
}

/// The pool; nothing where weights and a forward pass leave none.
fn pool(start: &Start) -> Bytes {
    Bytes(u128::try_from(start.pool.pool.0).unwrap_or(0))
}

/// What vLLM takes with this share; in place of figures that there are not stands why.
pub(super) fn server(of: &Snapshot, own: &Checked, percent: u32) -> Server {
    let only = |why: &str| {
        let why = || why.to_owned();
        Server { taken: why(), pool: why(), tokens: why(), requests: why(), times: why() }
    };
    let start = match start(of, own, percent) {
        Ok(start) => start,
        Err(ScenarioError::Runtime(Unsupported::BeyondModel { .. })) => return only(words::cache_vllm_stops()),
        Err(_) => return only(words::cache_runtime_no()),
    };
    let taken = of.size(start.pool.requested);
    if start.refusal.is_some() {
        return Server { taken, ..only(words::cache_vllm_stops()) };
    }
    Server {
        taken,
        pool: of.size(pool(&start)),
        tokens: Grouped(start.pool.tokens).to_string(),
        requests: Figure(start.requests.concurrency).to_string(),
        times: Figure(start.requests.concurrency / f64::from(own.batch)).to_string(),
    }
}

/// A start with the share that vLLM takes by itself, in words.
pub(super) fn sentence(of: &Snapshot, own: &Checked, percent: u32) -> String {
    let gpu = of.state.gpu.name;
    let seq = Grouped(own.seq_length.into()).to_string();
    let start = match start(of, own, percent) {
        Ok(start) => start,
        Err(ScenarioError::Runtime(Unsupported::BeyondModel { derived, .. })) => {
            let derived = Grouped(derived.into()).to_string();
            return words::CacheVllmBeyond { seq: &seq, derived: &derived }.text();
        }
        Err(_) => return words::CacheVllmNo { gpu }.text(),
    };
    let [share, taken] = [Percent(f64::from(percent) / 100.0).to_string(), of.size(start.pool.requested)];
    let (share, taken) = (share.as_str(), taken.as_str());
    let refused = match start.refusal {
        Some(
            Refusal::Share { largest: Share::NONE, .. }
            | Refusal::Beside { largest: Share::NONE, .. }
            | Refusal::Graphs { largest: Share::NONE, .. },
        ) => Some(words::CacheVllmNever { share, gpu, taken }.text()),
        Some(Refusal::Share { largest, .. } | Refusal::Beside { largest, .. } | Refusal::Graphs { largest, .. }) => {
            let largest = Percent(largest.fraction()).to_string();
            Some(words::CacheVllmBeside { share, gpu, taken, largest: &largest }.text())
        }
        Some(Refusal::NoBlocks { .. } | Refusal::Length { .. }) => {
            let [weights, tokens] = [of.size(start.pool.weights), Grouped(start.pool.tokens).to_string()];
            Some(words::CacheVllmRefuses { share, gpu, taken, weights: &weights, tokens: &tokens, seq: &seq }.text())
        }
        Some(Refusal::States { sequences, blocks, .. }) => {
            let [n, blocks] = [sequences.into(), blocks.into()].map(|count: u128| Grouped(count).to_string());
            Some(words::CacheVllmStates { n: &n, blocks: &blocks }.text())
        }
        Some(Refusal::NoCommonPage) => Some(words::cache_vllm_pages().into()),
        None => None,
    };
    if let Some(refused) = refused {
        return refused;
    }
    let parts =
        [start.pool.weights, start.pool.activation + start.pool.non_torch, start.pool.cuda_graphs, pool(&start)];
    let [weights, work, graphs, pool] = parts.map(|bytes| of.size(bytes));
    let (weights, work, graphs, pool) = (weights.as_str(), work.as_str(), graphs.as_str(), pool.as_str());
    let [tokens, n] = [Grouped(start.pool.tokens).to_string(), Figure(start.requests.concurrency).to_string()];
    let (tokens, n, seq) = (tokens.as_str(), n.as_str(), seq.as_str());
    if matches!(start.tightness, Some(Tightness::Start(_))) {
        words::CacheVllmMay { share, gpu, taken, weights, work, graphs, pool, tokens, n, seq }.text()
    } else {
        words::CacheVllmStarts { share, gpu, taken, weights, work, graphs, pool, tokens, n, seq }.text()
    }
}
