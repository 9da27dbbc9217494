//! What goes over the wires in one step: the price of cutting a run over GPUs.

use crate::architecture::Projection;
use crate::checked::Checked;
use crate::memory::{gradients, weights};
use crate::parallelism::ZeroStage;
use crate::scenario::{Mode, sharding};
use crate::serving::Engine;
use crate::tables::gpus::Gpu;
use crate::training::{Checkpointing, Recipe, RecomputedModule};
use crate::units::{ByteRate, Bytes};

/// Between computers: one 400 Gb/s adapter a GPU, in one direction.
const NETWORK: ByteRate = ByteRate::from_gb_per_s(50.0);
/// Where a GPU's table has no link: PCIe 4.0 with 16 lanes, in one direction.
const PCIE: ByteRate = ByteRate::from_gb_per_s(31.5);

choices! {
    /// Why ranks talk to each other.
    Traffic {
        /// Gradients are averaged, and sharded weights gathered.
        Data = "data_parallel";
        /// Partial results of the shared matrices are added up.
        Tensor = "tensor_parallel";
        /// Activations go to the next stage, their gradients back.
        Pipeline = "pipeline_parallel";
        /// Keys and values go round among the parts of a sequence.
        Context = "context_parallel";
        /// Tokens travel to their experts and back.
        Expert = "expert_parallel";
        /// States travel between host memory and the GPU.
        Host = "host";
    }
}

/// Bytes that the rank which is looked at sends in one step: a training step with all its micro-batches, or the generation of one token
/// for each sequence. For [`Traffic::Host`], bytes in both directions together.
///
/// # Formula
/// With N ranks, W and G the bytes of local weights and gradients, m micro-batches, A = batch × local tokens × `hidden_size` × bytes, L local layers:
/// data: all-reduce of G, 2(N − 1)/N·G; ZeRO-1: reduce-scatter of G and all-gather of W, (N − 1)/N·(G + W); ZeRO-2: (N − 1)/N·(m·G + W);
/// ZeRO-3: (N − 1)/N·m·(2W + G); hybrid sharding adds the all-reduce of G's shard among the replicas. Context-parallel ranks count as data-parallel ones here.
/// In `DualPipe` the two ranks of a pipeline that hold the same stages are replicas too.
/// Tensor: four all-reduces of A a layer (two in inference), 2(t − 1)/t·A each, six when a layer is recomputed.
/// Pipeline: A forward and A back for each micro-batch and chunk. Context: keys and values forward, those and their gradients backward, c − 1 times, and once more when a layer is recomputed.
/// Expert: (e − 1)/e of A × `experts_per_token`, four times a mixture layer (two in inference), six when it is recomputed, A at the width at which tokens
/// enter the experts; in vLLM e is dp, and without expert parallelism A travels once. Host: offloaded gradients down and weights up once a step;
/// offloaded weights twice a micro-batch; an offloaded cache once a token.
///
/// # Units
/// Bytes of one rank and one step.
///
/// # Assumes
/// Ring algorithms. Sequence parallelism exchanges the same bytes as the all-reduces it replaces.
///
/// # Source
/// Rajbhandari et al. 2020 (`ZeRO`), section 7; Shoeybi et al. 2019 and Korthikanti et al. 2022 (tensor and sequence parallelism);
/// Narayanan et al. 2021 (pipelines); Liu et al. 2023 (ring attention); Lepikhin et al. 2020 (experts).
/// `examples/example_dualpipe.py` of github.com/deepseek-ai/DualPipe at 3da1bbe (2025-03), which adds the gradients of rank p − 1 − i to those of i. Read 2026-11-27.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Mode, Parallelism, Scenario, communication::{Traffic, bytes}, tables::models};
/// let mut scenario = Scenario::new(models::by_id("generic-7b").unwrap().architecture);
/// scenario.mode = Mode::Training;
/// scenario.parallel = Parallelism { dp: 8, ..Parallelism::ONE };
/// let scenario = scenario.check().unwrap();
/// // 14 GB of gradients: seven eighths, twice.
/// assert_eq!(bytes(&scenario, Traffic::Data), Bytes(24_500_000_000));
/// ```
pub fn bytes(scenario: &Checked, traffic: Traffic) -> Bytes {
    match traffic {
        Traffic::Data => data(scenario),
        Traffic::Tensor => tensor(scenario),
        Traffic::Pipeline => pipeline(scenario),
        Traffic::Context => context(scenario),
        Traffic::Expert => expert(scenario),
        Traffic::Host => host(scenario),
    }
}

/// All traffic between ranks: everything but [`Traffic::Host`].
pub fn between_ranks(scenario: &Checked) -> Bytes {
    Traffic::EACH.into_iter().filter(|traffic| *traffic != Traffic::Host).map(|traffic| bytes(scenario, traffic)).sum()
}

/// `(ranks − 1) / ranks` of `amount`, times `times`, rounded up.
fn ring(amount: u128, ranks: u64, times: u64) -> u128 {
    let ranks = u128::from(ranks.max(1));
    amount.saturating_mul(u128::from(times)).saturating_mul(ranks - 1).div_ceil(ranks)
}

fn local_gradients(scenario: &Checked) -> u128 {
    u128::from(scenario.trained_parameters()) * u128::from(gradients::bytes_each(scenario))
}

fn data(scenario: &Checked) -> Bytes {
    let parallel = &scenario.parallel;
    let ranks = u64::from(parallel.dp) * u64::from(parallel.cp);
    // The other ranks of the pipeline with the same stages hold gradients of the other micro-batches.
    let copies = u64::from(parallel.copies());
    if !scenario.mode.trains() || ranks * copies == 1 {
        return Bytes::ZERO;
    }
    let held = scenario.local_parameters();
    let full = scenario.mode == Mode::Training;
    // Experts that are cut over expert-parallel ranks have fewer ranks to agree with.
    let experts = if full && (parallel.ep > 1 || parallel.etp.is_some()) { held.experts } else { 0 };
    let others = scenario.trained_parameters() - experts;
    // FSDP gathers in 16 bits what it keeps in fp32.
    let narrow = scenario.torchtitan() || sharding::fsdp(scenario) && scenario.recipe() != Recipe::Fp32;
    let weights = if narrow { 2 * u128::from(held.total()) } else { weights::local(scenario) };
    let whole = u128::from(held.total().max(1));
    let part = |parameters: u64, same: &dyn Fn(u64) -> u64| {
        let gradients = u128::from(parameters) * u128::from(gradients::bytes_each(scenario));
        // What learns is what travels; frozen weights are gathered all the same where they are sharded.
        let learned = if full { weights * u128::from(parameters) / whole } else { gradients };
        let gathered = if full { learned } else { weights };
        let (ranks, shards) = (same(ranks), same(parallel.shard_ranks()));
        let among_replicas = ring(gradients.div_ceil(shards.into()), ranks / shards * copies, 2);
        let micro_batches = u64::from(scenario.training.micro_batches);
        match parallel.zero {
            ZeroStage::None => ring(gradients, ranks * copies, 2),
            ZeroStage::Optimizer => ring(gradients + learned, shards, 1) + among_replicas,
            // Sharded gradients are added up shard by shard, after each micro-batch.
            ZeroStage::Gradients => ring(gradients, shards, micro_batches) + ring(learned, shards, 1) + among_replicas,
            ZeroStage::Weights => {
                ring(gathered, shards, 2 * micro_batches) + ring(gradients, shards, micro_batches) + among_replicas
            }
        }
    };
    let experts = if experts > 0 { part(experts, &|ranks| parallel.expert_replicas(ranks)) } else { 0 };
    Bytes(part(others, &|ranks| ranks) + experts)
}

/// Bytes of the residual stream of one micro-batch on this rank; in inference of one token of each sequence.
fn stream(scenario: &Checked) -> u128 {
    stream_of(scenario, scenario.architecture.hidden_size)
}

/// The same of a stream of another width.
fn stream_of(scenario: &Checked, width: impl Into<u64>) -> u128 {
    let tokens = if scenario.mode.trains() { scenario.local().seq_length } else { 1 };
    [scenario.batch.into(), tokens, width.into(), scenario.activation_bytes()].into_iter().map(u128::from).product()
}

/// How often the work of one micro-batch is done in a step.
pub(crate) fn repeats(scenario: &Checked) -> u64 {
    // Of two copies of the layers each does its part.
    let all = scenario.training.micro_batches / scenario.parallel.copies();
    if scenario.mode.trains() { all.into() } else { 1 }
}

fn tensor(scenario: &Checked) -> Bytes {
    let reduces = match (scenario.mode.trains(), scenario.checkpointing) {
        (false, _) => 2,
        (true, Checkpointing::Full) => 6,
        (true, _) => 4,
    };
    // Attention and MLP each end in one; a layer that is one of them alone has half as many.
    let halves = if scenario.architecture.mlp_layers > 0 { 1 } else { 2 };
    let again = if scenario.mode.trains() { 2 * scenario.mlps_again() } else { 0 };
    let times = halves * reduces * scenario.local().layers + again;
    Bytes(ring(stream(scenario), scenario.parallel.tp.into(), times) * u128::from(repeats(scenario)))
}

fn pipeline(scenario: &Checked) -> Bytes {
    let (sent, times) = to_stages(scenario);
    Bytes(sent * u128::from(times) * u128::from(repeats(scenario)))
}

/// Bytes of a stream that goes to another stage, and how many such go from this rank for each time that its work is done.
pub(crate) fn to_stages(scenario: &Checked) -> (u128, u64) {
    let parallel = &scenario.parallel;
    if parallel.pp == 1 {
        return (0, 0);
    }
    // Ends have one neighbour, unless the chunks go round. Where a micro-batch turns back it stays.
    let turning = parallel.turns() == 2 && parallel.both_ways() && parallel.stage + 1 == parallel.pp;
    let chunks = u64::from(parallel.turns().max(parallel.copies())) - u64::from(turning);
    let [first, last] = parallel.ends().map(u64::from);
    let forward = chunks - last;
    let backward = if scenario.mode.trains() { chunks - first } else { 0 };
    let share = if parallel.sequence_parallel { u128::from(parallel.tp) } else { 1 };
    let sent = stream_of(scenario, scenario.architecture.stream_width());
    (sent.div_ceil(share), forward + backward)
}

fn context(scenario: &Checked) -> Bytes {
    let ranks = u128::from(scenario.parallel.cp);
    let local = scenario.local();
    let width = match scenario.architecture.projection {
        Projection::Heads => 2 * local.kv_heads * u64::from(scenario.architecture.head_dim),
        Projection::Latent(latent) => u64::from(latent.kv_lora_rank) + u64::from(latent.rope_dim),
    };
    // Forward keys and values; backward those again and their gradients.
    let times = match (scenario.mode.trains(), scenario.checkpointing) {
        (false, _) => 0,
        (true, Checkpointing::Full) => 4,
        (true, _) => 3,
    };
    let block: u128 = [scenario.batch.into(), local.seq_length, width, scenario.activation_bytes(), local.layers]
        .into_iter()
        .map(u128::from)
        .product();
    Bytes(block * (ranks - 1) * times * u128::from(repeats(scenario)))
}

fn expert(scenario: &Checked) -> Bytes {
    let Some(moe) = scenario.architecture.moe else { return Bytes::ZERO };
    let local = scenario.local();
    let mixtures = local.layers.min(scenario.architecture.moe_layers().into());
    let trips = match (scenario.mode.trains(), scenario.checkpointing) {
        (false, _) => 2,
        (true, Checkpointing::Full) => 6,
        _ if scenario.recomputes(RecomputedModule::Moe) => 6,
        (true, _) => 4,
    };
    let cut = scenario.experts();
    // Where every rank holds a part of every expert, a token travels once.
    let copies = if cut.ranks > 1 { u128::from(moe.experts_per_token) } else { 1 };
    let stream = stream_of(scenario, moe.outer_width(scenario.architecture.hidden_size));
    Bytes(ring(stream * copies, cut.sources, trips * mixtures) * u128::from(repeats(scenario)))
}

fn host(scenario: &Checked) -> Bytes {
    let offload = scenario.offload;
    let mut sum = 0;
    if scenario.mode.trains() && offload.optimizer {
        let shards = u128::from(scenario.parallel.shards_from(ZeroStage::Optimizer));
        let learned =
            if scenario.mode == Mode::Training { weights::local(scenario) } else { local_gradients(scenario) };
        sum += (local_gradients(scenario) + learned).div_ceil(shards);
    }
    if offload.parameters {
        let shards = if scenario.mode.trains() { scenario.parallel.shards_from(ZeroStage::Weights) } else { 1 };
        let passes = if scenario.mode.trains() { 2 * repeats(scenario) } else { 1 };
        sum += weights::layers(scenario).div_ceil(u128::from(shards)) * u128::from(passes);
    }
    if offload.kv_cache && !scenario.mode.trains() {
        sum += crate::worked::total(|sink| crate::memory::kv_cache::terms(&scenario.without_offload(), sink)).0;
    }
    Bytes(sum)
}

/// The link over which a kind of traffic goes, as one GPU sees it in one direction.
///
/// Beyond the GPUs that share fast links, each has an adapter of its own. What goes to everybody (gradients, gathered weights, sums) crosses
/// between computers once for all GPUs of one, over all their adapters; what goes to one GPU (a stage's output) has one. A token for experts
/// crosses once to each computer that holds any of them, and goes on from there over the fast links: the rate is that of all its copies.
///
/// # Source
/// Megatron-LM at d98e8a6: the order `tp-cp-ep-dp-pp` of ranks in `megatron/core/parallel_state.py`, so that the ranks that share experts are neighbours;
/// vLLM, `initialize_model_parallel` of `vllm/distributed/parallel_state.py`, where they are on all pipeline stages' computers.
/// `DeepEP` at dd758ca: `num_tokens_per_rdma_rank` of `csrc/kernels/legacy/internode.cu`, one copy a computer. Read 2026-11-26.
pub fn link(scenario: &Checked, gpu: &Gpu, kind: Traffic) -> ByteRate {
    let inside = gpu.peer_link.or(gpu.host_link).unwrap_or(PCIE);
    let together = gpu.gpus_on_links();
    let parallel = &scenario.parallel;
    let ranks = match kind {
        Traffic::Host => return gpu.host_link.unwrap_or(PCIE),
        Traffic::Tensor => parallel.tp.into(),
        // Context-parallel ranks stand next to the tensor-parallel ones.
        Traffic::Context => u64::from(parallel.tp) * u64::from(parallel.cp),
        Traffic::Expert => expert_span(scenario),
        Traffic::Data | Traffic::Pipeline => parallel.ranks(),
    };
    if ranks <= together {
        return inside;
    }
    let network = match kind {
        Traffic::Data | Traffic::Tensor => together as f64,
        Traffic::Expert => copies_of_one(scenario, ranks.div_ceil(together)),
        _ => 1.0,
    };
    ByteRate(inside.0.min(NETWORK.0 * network))
}

/// Ranks from the first to the last of those that share the experts of a layer.
fn expert_span(scenario: &Checked) -> u64 {
    let cut = scenario.experts();
    let stages = if scenario.runtime() == Some(Engine::Vllm) && cut.sources > 1 { scenario.parallel.pp } else { 1 };
    cut.ranks.saturating_mul(cut.width).saturating_mul(stages.into())
}

/// Copies of a token for each that crosses between so many computers, at least one.
fn copies_of_one(scenario: &Checked, computers: u64) -> f64 {
    let (Some(moe), cut) = (scenario.architecture.moe, scenario.experts()) else { return 1.0 };
    (cut.copies(&moe, cut.sources) / cut.copies(&moe, computers)).max(1.0)
}
