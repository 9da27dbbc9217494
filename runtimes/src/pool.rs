//! Servers that keep one pool of tokens: `SGLang` and TensorRT-LLM. What each leaves for the pool, how many tokens that is, and what it refuses.

mod refused;
mod states;
mod support;

pub use refused::Refused;
pub use support::{Family, has_class};

use memory_wall_core::architecture::{Moe, Projection};
use memory_wall_core::bounds::Bounds;
use memory_wall_core::engines::system;
use memory_wall_core::memory::kv_cache::CachedLayers;
use memory_wall_core::memory::weights;
use memory_wall_core::precision::Block;
use memory_wall_core::units::{GIB, MIB};
use memory_wall_core::{Architecture, Attention, Bytes, Checked, KvPrecision, Mode, Share, Verdict, WeightFormat};

use crate::Span;

memory_wall_core::choices! {
    /// A server with a pool.
    Server {
        /// `SGLang`.
        Sglang = "sglang";
        /// TensorRT-LLM with its backend in PyTorch.
        TensorRtLlm = "trtllm";
    }
}

impl Server {
    /// The name to show.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Sglang => "SGLang",
            Self::TensorRtLlm => "TensorRT-LLM",
        }
    }

    /// What was read.
    pub const fn version(self) -> &'static str {
        match self {
            Self::Sglang => "0.5.23 (its default share since 0.4.10)",
            Self::TensorRtLlm => "1.x with the PyTorch backend (models and GPUs by its repository in 2026, at 065ff9e)",
        }
    }

    /// Where the rules come from.
    pub const fn source(self) -> &'static str {
        match self {
            Self::Sglang => {
                "sglang 0.5.23: arg_groups/memory_hook.py, mem_cache/kv_cache_configurator.py, model_executor/pool_configurator.py"
            }
            Self::TensorRtLlm => {
                "NVIDIA/TensorRT-LLM: _torch/pyexecutor/_util.py (_cal_max_memory), docs of trtllm-serve"
            }
        }
    }

    /// Whether it loads weights in this format.
    ///
    /// # Source
    /// `QUANTIZATION_CHOICES` of sglang 0.5.23 (GGUF is read through another program's kernels for some mixes and not counted); the table of quantisations of the
    /// PyTorch backend in TensorRT-LLM's `docs/source/features/quantization.md`. Read 2026-11-25.
    pub const fn loads(self, weights: WeightFormat) -> bool {
        use WeightFormat as W;
        match weights {
            W::Fp32 | W::Fp16 | W::Bf16 | W::Fp8 | W::Fp8Block | W::Int4 | W::Mxfp4 | W::Nvfp4 => true,
            W::W8a8 | W::Int8 | W::Int4Group32 | W::Nf4 | W::Nf4Dq => matches!(self, Self::Sglang),
            _ => false,
        }
    }

    /// Whether it keeps its cache in this format.
    pub const fn caches(self, kv: KvPrecision) -> bool {
        matches!(kv, KvPrecision::Bf16 | KvPrecision::Fp16 | KvPrecision::Fp8)
    }

    /// Tokens of a page.
    pub const fn page(self) -> u64 {
        match self {
            Self::Sglang => 1,
            Self::TensorRtLlm => 32,
        }
    }
}

/// Tokens in a pool.
pub const MAX_TOTAL_TOKENS: Bounds = Bounds { name: "max_total_tokens", min: 1, max: 4_000_000_000, unit: "tokens" };

/// What it is told; `None` is what it takes by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Of the GPU for weights and pool (`--mem-fraction-static`), or of what is free after loading (`--kv_cache_free_gpu_memory_fraction`).
    pub share: Option<Share>,
    /// Requests at once (`--max-running-requests`, `--max_batch_size`).
    pub requests: Option<u32>,
    /// Tokens that pass through the model at once (`--chunked-prefill-size`, `--max_num_tokens`).
    pub tokens: Option<u32>,
    /// The longest request (`--context-length`, `--max_seq_len`).
    pub longest: Option<u32>,
    /// The most tokens in the pool (`--max-total-tokens`).
    pub most: Option<u64>,
    /// Whether no CUDA graphs are recorded (`--disable-cuda-graph`).
    pub no_graphs: bool,
    /// Expert-parallel ranks, which lie within the tensor-parallel ones (`--ep-size`, `--ep_size`).
    pub ep: Option<u32>,
}

/// Why a started server can't take the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Weights leave nothing for the pool.
    NoPool,
    /// Requests are longer than it accepts.
    TooLong {
        /// Tokens of the longest that it accepts.
        accepts: u64,
    },
    /// States of all requests that may run, which TensorRT-LLM holds from the start, are more than the pool.
    States {
        /// Requests that may run.
        requests: u64,
    },
    /// The pool holds no request of that length.
    TooSmall {
        /// Tokens of the pool, at most.
        holds: u64,
    },
}

/// How a server starts on a GPU.
#[expect(clippy::struct_excessive_bools, reason = "each is a thing that a server does or not")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The server.
    pub server: Server,
    /// Expert-parallel ranks.
    pub ep: u32,
    /// The share.
    pub share: Share,
    /// Whether it is what the server takes by itself.
    pub usual_share: bool,
    /// The GPU, as PyTorch reports it.
    pub total: u128,
    /// What its process and its links take before the weights.
    pub context: Span,
    /// Weights of a rank.
    pub weights: u128,
    /// What loading takes beyond them, and in TensorRT-LLM the profiled forward pass.
    pub work: Span,
    /// The pool, states included; nothing where nothing is left.
    pub pool: Span,
    /// Of the pool, states in place of a cache.
    pub states: Span,
    /// Bytes of a token in the cache of a rank.
    pub token: Span,
    /// Bytes of a request of the scenario's length, its states included.
    pub request: Span,
    /// Tokens that it holds.
    pub tokens: Span,
    /// Requests that run at once at most, by what it is told or takes by itself.
    pub most: u64,
    /// Whether it is told so.
    pub told_most: bool,
    /// Requests of the scenario's length that the pool holds, least and most.
    pub held: Span,
    /// What the share leaves beside weights and pool, for passes and graphs; negative is missing.
    pub beside: u128,
    /// What passes and graphs take by the server's own reckoning.
    pub wanted: u128,
    /// Whether it pads experts of which a rank has broken blocks.
    pub padded: bool,
    /// Whether TensorRT-LLM is told of more requests of the longest length than its pool can hold: it makes room for all of them while it measures, and that may fail.
    ///
    /// # Source
    /// NVIDIA/TensorRT-LLM pull request 17470 (2026-08): gpt-oss 120B on one H100 with `max_batch_size` 720 and the model's own 131,072 tokens runs out of memory before the profile,
    /// by "temporary KV-cache estimation and executor resources"; with 512 and 12,416 it starts. States are held for every request that may run, 2,048 unless told: issue 8642 (Nemotron Nano,
    /// "Tried to allocate 135.00 GiB", 2,048 times 27 layers of 128 x 80 x 128 values), pull requests 19398 and 19005. Read 2026-11-26.
    pub many: bool,
    /// What is wrong, if anything.
    pub trouble: Option<Trouble>,
    /// The judgement.
    pub verdict: Verdict,
}

/// What lies outside PyTorch before the first tensor: 0.4 to 1.1 GiB on one GPU, up to 1.5 GiB more with links to others.
///
/// # Source
/// `Load weight begin. avail mem=` in logs of `pool_starts.csv` of the crate `memory-wall-accuracy`.
const CONTEXT: Span = Span::new(GIB * 4 / 10, GIB * 11 / 10);
const LINKS: u128 = GIB * 3 / 2;
/// What loading takes beyond the weights, by the same logs: up to 0.4 GiB.
const LOADING: u128 = GIB * 4 / 10;

/// The memory that a server finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The GPU's, as PyTorch reports it.
    pub total: u128,
    /// The same as tools of the driver report it, by which defaults go.
    pub printed: u128,
    /// What is free before loading, where it is known.
    pub free: Option<u128>,
}

/// Starts a server on the scenario's GPU.
///
/// # Errors
/// What it refuses, and what isn't modelled.
pub fn start(server: Server, scenario: &Checked, told: &Told) -> Result<Start, Refused> {
    let (gpu, capacity) = scenario.gpu.zip(scenario.capacity()).ok_or(Refused::NoGpu)?;
    let printed = gpu.capacity_most.max(capacity).0;
    start_in(server, scenario, told, Found { total: capacity.0, printed, free: None })
}

/// Starts a server in memory that is known otherwise.
///
/// # Errors
/// What it refuses, and what isn't modelled.
pub fn start_in(server: Server, scenario: &Checked, told: &Told, memory: Found) -> Result<Start, Refused> {
    refused(server, scenario)?;
    let padded = padded(server, scenario, told);
    support::blocks(server, &padded, told.ep.unwrap_or(1))?;
    let Found { total, printed, free } = memory;
    let links = if scenario.parallel.tp > 1 { LINKS } else { 0 };
    // The pool's upper end is with what the system usually holds of a shared memory, as the other engines count it, the lower one with the most that was seen.
    let system = system::held(scenario).map_or(Span::default(), |held| Span::new(held.typical, held.high));
    let context = free.map_or(Span::new(CONTEXT.low, CONTEXT.high + links) + system, |free| {
        Span::exactly(total.saturating_sub(free))
    });
    // The tower comes whole to each rank, and some published files are wider than others.
    let tower = scenario.architecture.tower.map_or(0, |it| 2 * u128::from(it.parameters));
    let weights = weights::local(&padded) + tower;
    let wider = weights::in_wider_files(scenario);
    let told = Told { requests: told.requests.filter(|it| *it > 0), ..*told };
    let (share, wanted, work) = match server {
        Server::Sglang => {
            let reserve = reserve(printed, scenario, &told);
            let usual = 1_000 - (reserve * 1_000).div_ceil(printed.max(1)).min(1_000);
            let usual = Share::hundredths(u32::try_from(usual).unwrap_or(0) * 10);
            (told.share.unwrap_or(usual), reserve, Span::new(0, LOADING))
        }
        Server::TensorRtLlm => (told.share.unwrap_or(Share::percent(90)), 0, pass(scenario, &told)),
    };
    let of_share = |bytes: u128| share.of(Bytes(bytes)).0;
    let pool = match server {
        // What is free before loading, times the share, less what loading took.
        Server::Sglang => Span::new(
            of_share(total.saturating_sub(context.high)).saturating_sub(weights + wider + work.high),
            of_share(total.saturating_sub(context.low)).saturating_sub(weights + work.low),
        ),
        // The share of what a profiled pass leaves.
        Server::TensorRtLlm => Span::new(
            of_share(total.saturating_sub(weights + wider + context.high + work.high)),
            of_share(total.saturating_sub(weights + context.low + work.low)),
        ),
    };
    let token = token(server, scenario);
    let state = states::of_request(server, scenario);
    let states = states::held(server, &told, pool, state);
    let page = u128::from(server.page());
    let most_tokens = told.most.map_or(u128::MAX, u128::from);
    let tokens_of = |pool: u128, states: u128, each: u128| {
        (pool.saturating_sub(states) / each.max(1)).min(most_tokens) / page * page
    };
    let tokens = match server {
        Server::Sglang => {
            Span::new(tokens_of(pool.low, states.low, token.high), tokens_of(pool.high, states.high, token.low))
        }
        // States that are held come first, so that the least of them leaves most.
        Server::TensorRtLlm => {
            Span::new(tokens_of(pool.low, states.high, token.high), tokens_of(pool.high, states.low, token.low))
        }
    };
    let longest = told.longest.or(scenario.architecture.trained_context).map_or(u64::MAX, u64::from);
    let each = u128::from(scenario.seq_length).next_multiple_of(page);
    let copies = states::a_request(server);
    let request = Span::new(each * token.low + state.low * copies, each * token.high + state.high * copies);
    let by_states = |states: u128, each: u128| states.checked_div(each * copies).unwrap_or(u128::MAX);
    let held = Span::new(
        (tokens.low / each).min(by_states(states.low, state.low)),
        (tokens.high / each).min(by_states(states.high, state.high)),
    );
    // Slots for states bound what runs at once too: `max_mamba_cache_size` // `MAMBA_CACHE_SIZE_MAX_RUNNING_REQUESTS_RATIO` of sglang.
    let slots = if server == Server::Sglang { by_states(states.high, state.high) } else { u128::MAX };
    let most = most(server, &told, tokens.high, longest).min(u64::try_from(slots).unwrap_or(u64::MAX));
    let trouble = if server == Server::TensorRtLlm && pool.high > 0 && states.low > pool.high {
        Some(Trouble::States { requests: most })
    } else {
        trouble(scenario, pool, tokens, longest, each)
    };
    let needed = u128::from(scenario.batch);
    let running = |held: u128| held.min(most.into());
    let beside = total.saturating_sub(context.high) - of_share(total.saturating_sub(context.high));
    // Servers were seen to start with a third of what it reckons with; and one with less than half, 3.0 of 7.1 GiB, to fail while graphs are recorded (SGLang issue 35777, an RTX 5090 with 0.90).
    let cramped = server == Server::Sglang && beside * 2 < wanted;
    // 512 requests of 12,416 tokens are 14 times the pool of the start that went well.
    let all = told.requests.map_or(0, |told| u128::from(told) * u128::from(longest));
    // By the upper end of a range of states they may be more than the pool.
    let many = server == Server::TensorRtLlm && (all > tokens.high.saturating_mul(MANY) || states.high > pool.low);
    let verdict = match trouble {
        Some(_) => Verdict::DoesNotFit,
        None if running(held.high) < needed => Verdict::Queues,
        None if running(held.low) < needed || cramped || many => Verdict::Tight,
        None => Verdict::Fits,
    };
    Ok(Start {
        server,
        ep: told.ep.unwrap_or(1),
        share,
        usual_share: told.share.is_none(),
        total,
        context,
        weights,
        work,
        pool,
        states,
        token,
        request,
        tokens,
        most,
        told_most: told.requests.is_some(),
        held,
        beside,
        wanted,
        padded: padded.architecture.moe != scenario.architecture.moe,
        many,
        trouble,
        verdict,
    })
}

/// `max_batch_size` of trtllm-serve.
const MAX_BATCH_SIZE: u32 = 2_048;

/// Times that all requests at once may be the pool in TensorRT-LLM, as far as starts are known, see [`Start::many`].
const MANY: u128 = 16;

fn refused(server: Server, scenario: &Checked) -> Result<(), Refused> {
    if scenario.mode != Mode::Inference {
        return Err(Refused::NotServed);
    }
    if !server.loads(scenario.weights) {
        return Err(Refused::Weights(server, scenario.weights));
    }
    if !server.caches(scenario.kv) {
        return Err(Refused::Cache(server, scenario.kv));
    }
    if let Some(part) = scenario.architecture.unserved() {
        return Err(Refused::Unserved(server, part));
    }
    if scenario.offload.parameters || scenario.offload.kv_cache {
        return Err(Refused::Offload(server));
    }
    if scenario.attention == Attention::Eager {
        return Err(Refused::Eager(server));
    }
    let cut = scenario.parallel;
    if [cut.dp, cut.pp, cut.ep, cut.cp].iter().any(|ranks| *ranks != 1) {
        return Err(Refused::Ranks(server));
    }
    scenario.gpu.map_or(Ok(()), |gpu| support::on_gpu(server, scenario.weights, gpu))
}

/// The model with a vocabulary that both pad to a multiple of 64, and experts of whole blocks where the server pads them.
fn padded(server: Server, scenario: &Checked, told: &Told) -> Checked {
    let rows = scenario.architecture.vocab_size;
    let vocab_size = rows.checked_next_multiple_of(64).unwrap_or(rows);
    let blocks = (scenario.parallel.tp / told.ep.unwrap_or(1).max(1)).saturating_mul(128);
    let wider = |moe: Moe| {
        let width = |own: u32| own.checked_next_multiple_of(blocks).unwrap_or(own);
        let (own, shared) = (moe.intermediate_size, moe.shared_intermediate_size);
        let shared_intermediate_size = if shared == own { width(shared) } else { shared };
        Moe { intermediate_size: width(own), shared_intermediate_size, ..moe }
    };
    let moe = scenario.architecture.moe;
    let moe = if support::pads(server, scenario) { moe.map(wider) } else { moe };
    let padded = scenario.with(|it| it.architecture = Architecture { vocab_size, moe, ..it.architecture });
    padded.unwrap_or(*scenario)
}

/// Tokens of a prefill chunk, and the largest batch that is recorded as a graph, by the GPU's memory.
///
/// # Source
/// `handle_gpu_memory_settings`.
fn usual(memory: u128, tp: u32) -> (u32, u32) {
    let many = tp >= 4;
    let graphs = |few, more| if many { more } else { few };
    match memory / GIB {
        0..20 => (2_048, 8),
        20..35 => (4_096, graphs(48, 160)),
        35..60 => (4_096, graphs(32, 160)),
        60..160 => (8_192, graphs(256, 512)),
        _ => (16_384, 512),
    }
}

/// What `SGLang` reserves beside weights and pool.
///
/// # Formula
/// In MiB: 512 + 1.5 × chunk + 1,024 × ranks / 8 + 2 for each sequence of the largest graph + 8 for each of the recorded prefill lengths, or 1,536 with latent
/// attention; at least 10 GiB on GPUs beyond 60 GiB.
///
/// # Source
/// `handle_gpu_memory_settings` and `reserve_for_graph_mb`.
fn reserve(memory: u128, scenario: &Checked, told: &Told) -> u128 {
    let (chunk, graph) = usual(memory, scenario.parallel.tp);
    let chunk = told.tokens.unwrap_or(chunk);
    let graph = told.requests.map_or(graph, |most| graph.min(most));
    let latent = matches!(scenario.architecture.projection, Projection::Latent(_));
    let graphs = if told.no_graphs {
        0
    } else {
        let prefill = if latent { 1_536 } else { 8 * prefill_lengths(chunk) };
        2 * u128::from(graph) + prefill
    };
    let ranks = u128::from(scenario.parallel.tp);
    let sum = 512 + u128::from(chunk.max(2_048)) * 3 / 2 + ranks * 1_024 / 8 + graphs;
    let least = if memory > 60 * GIB { 10 * 1_024 } else { 0 };
    sum.max(least) * MIB
}

/// How many prefill lengths are recorded: `generate_prefill_cuda_graph_batch_sizes`.
fn prefill_lengths(chunk: u32) -> u128 {
    let steps =
        [(4, 33, 4), (48, 257, 16), (288, 513, 32), (576, 1_025, 64), (1_280, 4_097, 256), (4_608, u32::MAX, 512)];
    let count = |(first, behind, step): (u32, u32, u32)| {
        let last = chunk.min(behind - 1);
        if last < first { 0 } else { u128::from((last - first) / step) + 1 }
    };
    steps.into_iter().map(count).sum()
}

/// What a profiled pass of TensorRT-LLM takes beside the weights: activations of `max_num_tokens`, logits of a batch, and what lies outside PyTorch.
///
/// # Assumes
/// A range: hidden states and one MLP at least, several of both and 2 GiB of workspaces and graphs at most.
///
/// # Source
/// "Memory dynamically allocated during inference (inside torch)" and "used outside torch" in public logs. What the executor makes for `max_batch_size` requests of
/// `max_seq_len` tokens while it measures isn't known: see [`Start::many`].
fn pass(scenario: &Checked, told: &Told) -> Span {
    let shape = &scenario.architecture;
    let tokens = u128::from(told.tokens.unwrap_or(8_192));
    let [hidden, vocab] = [shape.hidden_size, shape.vocab_size].map(u128::from);
    let inner = shape.moe.map_or(shape.intermediate_size, |moe| moe.intermediate_size * moe.experts_per_token);
    let inner = u128::from(inner) / u128::from(scenario.parallel.tp.max(1));
    let requests = u128::from(told.requests.unwrap_or(MAX_BATCH_SIZE)).min(tokens);
    let low = tokens * (2 * hidden + inner) * 2;
    let high = tokens * (8 * hidden + 4 * inner) * 2 + requests * vocab * 4 + 2 * GIB;
    Span::new(low, high)
}

/// Bytes of a token in the cache of a rank, over all its layers that have one.
///
/// # Assumes
/// `SGLang` gives layers with a window either the whole context or, in models for which it has two pools, 0.8 of the tokens: a range. TensorRT-LLM's windows count
/// from none to whole. Keys of an indexer take a byte a value and 4 for each 128; `SGLang` keeps them in every layer, TensorRT-LLM at least where there is an indexer.
/// Beside one `SGLang` keeps a latent vector in fp8 plainly or, for `FlashMLA`, with scales and its rotated part in 16 bits: a range.
///
/// # Source
/// `NSATokenToKVPool` of sglang; "464,768 tokens/rank in 23.91 GB" of GLM-5.2 (`InferenceX` pull request 2335): 78 × (576 + 132) bytes. Read 2026-11-26.
fn token(server: Server, scenario: &Checked) -> Span {
    let shape = &scenario.architecture;
    let held = CachedLayers::on(scenario);
    let Block { values, bytes } = scenario.kv.block();
    let tp = scenario.parallel.tp.max(1);
    let each = |heads: [u32; 2]| match shape.projection {
        Projection::Latent(latent) => u128::from(latent.kv_lora_rank) + u128::from(latent.rope_dim),
        Projection::Heads => 2 * u128::from((heads[0] / tp).max(1)) * u128::from(heads[1]),
    };
    let of = |layers: u64, width: u128| u128::from(layers) * width * u128::from(bytes) / u128::from(values);
    let full = of(held.full, each(shape.cached_heads(None)));
    let windows = of(held.sliding, each(shape.cached_heads(shape.sliding_window)));
    let least = match server {
        Server::Sglang => windows * 8 / 10,
        Server::TensorRtLlm => 0,
    };
    let Some(indexer) = shape.indexer else { return Span::new(full + least, full + windows) };
    let key = u128::from(indexer.head_dim) + u128::from(indexer.head_dim / 128 * 4);
    let [own, all] = [held.indexed, held.full].map(|layers| u128::from(layers) * key);
    match (server, shape.projection) {
        (Server::Sglang, Projection::Latent(latent)) if scenario.kv == KvPrecision::Fp8 => {
            let scales = u128::from(latent.kv_lora_rank / 128 * 4) + u128::from(latent.rope_dim);
            Span::new(full + all, full + all + u128::from(held.full) * scales)
        }
        (Server::Sglang, _) => Span::new(full + all, full + all),
        (Server::TensorRtLlm, _) => Span::new(full + own, full + all),
    }
}

/// Requests at once at most.
///
/// # Source
/// `resolve_max_num_reqs` of sglang; [`MAX_BATCH_SIZE`].
fn most(server: Server, told: &Told, tokens: u128, longest: u64) -> u64 {
    let half = u64::try_from(tokens / 2).unwrap_or(u64::MAX);
    match (server, told.requests) {
        (Server::Sglang, Some(told)) => u64::from(told).min(half),
        (Server::Sglang, None) => {
            let estimated = tokens * 512 / u128::from(longest.max(1));
            u64::try_from(estimated.clamp(2_048, 4_096)).unwrap_or(4_096).min(half)
        }
        (Server::TensorRtLlm, told) => told.unwrap_or(MAX_BATCH_SIZE).into(),
    }
}

fn trouble(scenario: &Checked, pool: Span, tokens: Span, longest: u64, each: u128) -> Option<Trouble> {
    if pool.high == 0 {
        Some(Trouble::NoPool)
    } else if u64::from(scenario.seq_length) > longest {
        Some(Trouble::TooLong { accepts: longest })
    } else if each > tokens.high {
        Some(Trouble::TooSmall { holds: u64::try_from(tokens.high).unwrap_or(u64::MAX) })
    } else {
        None
    }
}
