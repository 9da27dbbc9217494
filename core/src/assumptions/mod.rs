//! What a figure stands on, in sentences: an estimate never poses as exact.

mod sentences;

pub use sentences::Unserved;

use crate::checked::Checked;

use crate::architecture::{Positions, Projection};
use crate::engines::{self, How, vllm};
use crate::memory::activations::transformers;
use crate::memory::activations::transformers::backward::would_hold_done_layers;
use crate::memory::host::{self, Host};
use crate::memory::overhead::{self, tight_percent};
use crate::memory::{adapters, backward, gradients, optimizer, sharding, weights};
use crate::parallelism::ZeroStage;
use crate::precision::WeightFormat;
use crate::scenario::{
    Attention, Blocks, LeftWide, Mode, Offload, ScenarioError, Unsupported, WITH_BF16, by_flashinfer, finer_blocks,
};
use crate::serving::{Engine, Version};
use crate::tables::capability::{self, BLACKWELL, Capability};
use crate::tables::gpus::{Gpu, Reported};
use crate::training::{Checkpointing, Implementation, Loss, Recipe, StepKernel};
use crate::units::Bytes;

/// What a figure stands on; the sentence is its `Display`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// The weight count is a round number, not a count of tensors.
    RoundedParameters,
    /// Embeddings, head, norms and biases stay wide.
    WideTensors(WeightFormat),
    /// A file of llama.cpp with experts in MXFP4 holds the other matrices in 8 bits.
    EightBitsBeside,
    /// Routed experts stay in 16 bits, since the quantiser replaces linear layers only.
    WideExperts {
        /// Of the other matrices.
        format: WeightFormat,
        /// Whether they are learned beside, and could be quantised by another tool.
        trains: bool,
        /// Whether peft upcasts them to fp32 on top.
        upcast: bool,
    },
    /// vLLM refuses the same weights with a scale for each block of values, as many publishers' own checkpoints have them, on this cut.
    NoBlockScales {
        /// Which, and what of it.
        blocks: Blocks,
        /// Whether the GPU has no units for fp8, so that Marlin's kernels run it.
        marlin: bool,
    },
    /// vLLM gives experts finer blocks of fp8 than their files have.
    FinerBlocks {
        /// The part of an expert on a rank.
        inside: u64,
        /// The width of a block.
        block: u64,
    },
    /// Sequences are longer than the model's learned table of positions, which is counted as it is published.
    BeyondTable(u32),
    /// Full-length sequences.
    FullSequences,
    /// Some layers keep a window only.
    SlidingWindow {
        /// Tokens kept.
        window: u32,
        /// Layers that do.
        layers: u32,
        /// All layers.
        of: u32,
    },
    /// How a prompt is read.
    PrefillChunks,
    /// A program serves the model.
    Served(Engine),
    /// What the program sets aside for the cache.
    ReservedCache(How),
    /// Which release of vLLM is meant, and where its recorded graphs are.
    Release {
        /// The releases, in words.
        releases: &'static str,
        /// Whether the release estimates graphs for any model before it sizes the pool.
        estimates: bool,
        /// Whether the context comes out of the share.
        context_inside: bool,
        /// Where its graphs lie.
        graphs: vllm::Graphs,
    },
    /// What vLLM's process takes beside PyTorch, and its graphs: logs leave a range.
    BesidePytorch {
        /// Before its first tensor.
        context: vllm::Span,
        /// Libraries and communication.
        non_torch: vllm::Span,
        /// Recorded graphs.
        graphs: vllm::Span,
    },
    /// vLLM loads weights of bitsandbytes by a package of its own since 0.28.
    BitsandbytesPlugin,
    /// vLLM has no kernels for 8-bit integers as activations on this generation of GPUs, so that int8 is that of weights alone.
    Int8WeightsAlone(Capability),
    /// bitsandbytes quantises on a GPU of Apple's.
    BitsandbytesOnMetal,
    /// The GPU is older than bf16 and than `FlashAttention`'s own kernels.
    OldGpu {
        /// Whether a fused kernel of another kind stands in for flash attention.
        fused: bool,
    },
    /// llama.cpp cuts matrices over GPUs, which it does not by itself.
    SplitByTensors,
    /// Attention stays in 16 bits beside MLPs in NVFP4.
    WideAttention,
    /// All but the experts stays in 16 bits.
    ExpertsAlone,
    /// Published files differ in what they leave wide.
    FilesDiffer {
        /// The format.
        format: WeightFormat,
        /// What the widest of them takes more on a rank.
        more: Bytes,
    },
    /// Unsloth takes less than stock code.
    Unsloth,
    /// FSDP holds done layers where checkpoints are re-entrant.
    Reentrant {
        /// Whether they are counted so.
        counted: bool,
        /// What it takes more on a rank.
        more: Bytes,
    },
    /// Attention, the first and the last layer stay in 16 bits beside MLPs in 8.
    WideEnds,
    /// Megatron-LM's vocabulary, padded.
    PaddedVocabulary(u32),
    /// An older GPU keeps an fp8 cache with `FlashInfer`'s kernels alone.
    Fp8ByFlashInfer,
    /// What vLLM is told about the longest request.
    MaxModelLen {
        /// The longest request that is accepted.
        taken: u32,
        /// Whether it was asked for; if not, it is the length of the requests.
        asked: bool,
        /// The length that the model was made for, which vLLM takes by itself.
        own: Option<u32>,
        /// The longest request that the pool holds, up to the model's own length; `None` without a GPU.
        holds: Option<u32>,
    },
    /// In which precisions the states of training are kept.
    Recipe(Recipe, Implementation),
    /// What becomes of gradients between two steps.
    Gradients {
        /// Whether they stay allocated.
        kept: bool,
        /// Whether FSDP2 holds them.
        sharded: bool,
    },
    /// The optimizer's step makes a copy for a moment.
    ForeachStep,
    /// It is fused, and another kernel would make a copy of so many bytes.
    FusedStep(Bytes),
    /// Adapters learn, the model is frozen.
    Adapters {
        /// Rank of the adapters.
        rank: u32,
        /// Whose code runs.
        implementation: Implementation,
        /// Whether they are in fp32.
        fp32: bool,
        /// Whether each keeps a copy of its input, in stock code.
        copies: bool,
    },
    /// Tables and norms beside quantised matrices are upcast to fp32.
    Upcast {
        /// Of the matrices.
        format: WeightFormat,
        /// Bytes a token, of all layers, by which autocast would shorten what attention keeps. It casts the inputs of attention to 16 bits (PyTorch,
        /// `aten/src/ATen/autocast_mode.h`), and adapters, frozen 4-bit matrices and hidden states around it need no more than without it.
        autocast: u64,
    },
    /// Whose code runs.
    Implementation(Implementation),
    /// All experts are there, whichever a token visits.
    AllExperts {
        /// Routed experts of a layer.
        experts: u32,
        /// Those that a token visits.
        visited: u32,
        /// GPUs over which they are spread.
        ranks: u64,
    },
    /// Keys and values are cached compressed, once for both.
    LatentCache,
    /// Some layers keep a state of constant size.
    ConstantState {
        /// Layers that do.
        layers: u32,
        /// All layers.
        of: u32,
    },
    /// What waits in host memory.
    Offload {
        /// Whether gradients go there too, where the optimizer's states do.
        gradients: Option<bool>,
        /// What the processes of a computer keep there in training.
        host: Option<Host>,
    },
    /// The optimizer's states are in memory that the driver moves to the host where the GPU is full.
    Paged(Bytes),
    /// ZeRO is `DeepSpeed`'s.
    DeepSpeed {
        /// Its stage.
        stage: ZeroStage,
        /// Whether the optimizer's states wait in host memory.
        offload: bool,
    },
    /// ZeRO is FSDP's.
    Fsdp {
        /// Whether fp32 shards are gathered in 16 bits.
        narrows: bool,
        /// Whether weights are gathered once a step and stay whole.
        keeps: bool,
        /// Whether micro-batches add up whole gradients.
        adds_whole: bool,
    },
    /// How the loss is computed.
    Loss(Loss),
    /// Selective checkpointing brings nothing here.
    SelectiveIdle,
    /// Scores are written out.
    EagerScores,
    /// Context of the process.
    DeviceContext,
    /// Where the capacity comes from.
    Capacity(Reported),
    /// The system holds a part of a memory that CPU and GPU share.
    System(vllm::Span),
    /// So much of the GPU's memory is not there to be taken, as was stated.
    Stated(vllm::Span),
    /// The GPU has no units for this format.
    NoUnits(WeightFormat),
    /// Scales of a quantised cache are left out.
    CacheScales {
        /// Whether the cache is that of llama.cpp, whose blocks hold a scale each.
        counted: bool,
    },
    /// Whether the saved tensors of this combination were measured.
    DerivedTensors,
    /// A model that knows so many positions and no more.
    LearnedPositions(u32),
    /// vLLM records no graphs.
    NoGraphs,
    /// The model overflows in fp16, in which it is to run.
    UnstableInFp16,
    /// The context is longer than the model was made for.
    BeyondTrainedContext(u32),
    /// Beyond learned positions the model cannot run at all.
    BeyondLearnedPositions(u32),
    /// What the allocator loses is not added.
    Fragmentation {
        /// Percent of the GPU below which a margin is tight.
        percent: u128,
    },
    /// What ranks of Megatron-LM were seen to take beside what is counted.
    BesideMegatron,
    /// The fullest of many GPUs.
    ManyGpus {
        /// GPUs in all.
        gpus: u64,
        /// Whether weights are shared out, and gathered for each layer.
        gathered: bool,
    },
}

/// The assumptions of one evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assumptions {
    list: [Option<Assumption>; Self::CAPACITY],
}

impl Assumptions {
    /// As many as there can be.
    pub const CAPACITY: usize = 45;

    /// Each in turn.
    pub fn iter(&self) -> impl Iterator<Item = Assumption> + '_ {
        self.list.iter().flatten().copied()
    }

    /// Those of one scenario.
    pub fn of(scenario: &Checked) -> Self {
        let shape = &scenario.architecture;
        let trains = scenario.mode.trains();
        let full = scenario.mode == Mode::Training;
        let beyond = match (shape.positions, shape.trained_context) {
            (Positions::Learned(rows), _) if scenario.seq_length > rows => {
                Some(Assumption::BeyondLearnedPositions(rows))
            }
            (Positions::Rotary | Positions::Alibi, Some(context)) if scenario.seq_length > context => {
                Some(Assumption::BeyondTrainedContext(context))
            }
            _ => None,
        };
        let training = &scenario.training;
        let selective_idle =
            trains && scenario.checkpointing == Checkpointing::Selective && scenario.attention == Attention::Flash;
        let no_units = scenario.gpu.is_some_and(|gpu| !gpu.multiplies(scenario.weights));
        let learned = match shape.positions {
            Positions::Learned(rows) if scenario.seq_length <= rows => Some(Assumption::LearnedPositions(rows)),
            _ => None,
        };
        let sliding = shape.sliding_window.filter(|sliding| !trains && sliding.layers > 0).map(|sliding| {
            Assumption::SlidingWindow { window: sliding.window, layers: sliding.layers, of: shape.layers }
        });
        let linear = shape.linear_attention.filter(|linear| !trains && linear.layers > 0);
        let quantised_cache = !trains && scenario.kv.block().bytes < 2 * scenario.kv.block().values;
        let gpus = scenario.parallel.ranks();
        let gathered =
            trains && scenario.parallel.shards_from(ZeroStage::Weights) > 1 && sharding::deepspeed(scenario).is_none();
        let served = scenario.runtime();
        let offload = scenario.offload;
        let when = |condition: bool, assumption| condition.then_some(assumption);
        Self {
            list: [
                beyond,
                when(shape.unstable_in_fp16 && scenario.weights == WeightFormat::Fp16, Assumption::UnstableInFp16),
                when(shape.rounded_parameters.is_some(), Assumption::RoundedParameters),
                when(
                    scenario.weights.layers_only(),
                    if scenario.upcasts() {
                        Assumption::Upcast {
                            format: scenario.weights,
                            // Queries and attention's output, keys and values: 2 bytes a value instead of 4.
                            autocast: 2
                                * 2
                                * u64::from(shape.heads + shape.kv_heads)
                                * u64::from(shape.head_dim)
                                * u64::from(shape.layers),
                        }
                    } else if served == Some(Engine::LlamaCpp)
                        && shape.moe.is_some()
                        && scenario.weights == WeightFormat::Mxfp4
                    {
                        Assumption::EightBitsBeside
                    } else {
                        Assumption::WideTensors(scenario.weights)
                    },
                ),
                when(
                    scenario.leaves_experts(),
                    Assumption::WideExperts { format: scenario.weights, trains, upcast: scenario.upcasts() },
                ),
                held_otherwise(scenario),
                no_block_scales(scenario),
                when(scenario.quantises_on_metal(), Assumption::BitsandbytesOnMetal),
                when(
                    scenario.gpu.and_then(capability::of).is_some_and(|has| has < WITH_BF16),
                    Assumption::OldGpu { fused: scenario.attention == Attention::Flash },
                ),
                when(served == Some(Engine::LlamaCpp) && scenario.parallel.tp > 1, Assumption::SplitByTensors),
                finer_blocks(scenario).map(|(inside, block)| Assumption::FinerBlocks { inside, block }),
                shape.moe.map(|moe| Assumption::AllExperts {
                    experts: moe.experts,
                    visited: moe.experts_per_token,
                    ranks: scenario.experts().ranks,
                }),
                when(full, Assumption::Recipe(scenario.recipe(), training.implementation)),
                when(
                    full && !sharding::gradients_on_host(scenario),
                    Assumption::Gradients {
                        kept: gradients::between_steps(scenario) || scenario.torchtitan(),
                        sharded: scenario.torchtitan(),
                    },
                ),
                when(
                    scenario.mode.adapts(),
                    Assumption::Adapters {
                        rank: training.lora.rank,
                        implementation: training.implementation,
                        fp32: adapters::bytes_each(scenario) == 4,
                        copies: transformers::copies_inputs(scenario),
                    },
                ),
                when(
                    scenario.mode.adapts() && training.implementation == Implementation::Transformers,
                    Assumption::Unsloth,
                ),
                shape.end_of_table().filter(|end| *end < scenario.seq_length).map(Assumption::BeyondTable),
                when(!trains, Assumption::FullSequences),
                sliding,
                when(
                    !trains
                        && matches!(shape.projection, Projection::Latent(_))
                        && scenario.serving.engine != Engine::Hf,
                    Assumption::LatentCache,
                ),
                linear.map(|linear| Assumption::ConstantState { layers: linear.layers, of: shape.layers }),
                Some(match (served, trains, was_measured(scenario)) {
                    (Some(engine), ..) => Assumption::Served(engine),
                    (None, true, true) => Assumption::Implementation(training.implementation),
                    (None, true, false) => Assumption::DerivedTensors,
                    (None, false, _) => Assumption::PrefillChunks,
                }),
                served.map(|_| Assumption::ReservedCache(engines::reservation(scenario).how)),
                served.filter(|engine| *engine == Engine::Vllm).map(|_| release(scenario)),
                served.filter(|engine| *engine == Engine::Vllm).and_then(|_| beside_pytorch(scenario)),
                when(served == Some(Engine::Vllm) && scenario.serving.enforce_eager, Assumption::NoGraphs),
                when(served == Some(Engine::Vllm) && by_flashinfer(scenario), Assumption::Fp8ByFlashInfer),
                served.filter(|engine| *engine == Engine::Vllm).map(|_| max_model_len(scenario)),
                when(trains && training.implementation != Implementation::Litgpt, Assumption::Loss(training.loss)),
                match optimizer::copies_by(scenario) {
                    Some(StepKernel::Foreach) => Some(Assumption::ForeachStep),
                    // Other code fuses its step by itself, and DeepSpeed's ZeRO-3 steps a part at a time.
                    Some(StepKernel::Fused)
                        if full
                            && training.implementation == Implementation::Transformers
                            && sharding::deepspeed(scenario).is_none() =>
                    {
                        Some(Assumption::FusedStep(optimizer::copy_of_step(scenario)))
                    }
                    _ => None,
                },
                when(selective_idle, Assumption::SelectiveIdle),
                when(scenario.attention == Attention::Eager, Assumption::EagerScores),
                when(served.is_none(), Assumption::DeviceContext),
                when(
                    offload != Offload::default(),
                    Assumption::Offload {
                        gradients: (trains && offload.optimizer).then(|| sharding::gradients_on_host(scenario)),
                        host: host::of(scenario),
                    },
                ),
                when(optimizer::evictable(scenario) > Bytes::ZERO, Assumption::Paged(optimizer::evictable(scenario))),
                sharded_by(scenario),
                reentrant(scenario),
                // What is stated needs no source.
                scenario
                    .gpu
                    .filter(|gpu| scenario.capacity() == Some(gpu.capacity))
                    .map(|gpu| Assumption::Capacity(gpu.reported())),
                engines::system::held(scenario).map(|span| {
                    let stated = scenario.gpu_memory.is_some() && !scenario.gpu.is_some_and(Gpu::is_own);
                    if stated { Assumption::Stated(span) } else { Assumption::System(span) }
                }),
                when(no_units, Assumption::NoUnits(scenario.weights)),
                when(quantised_cache, Assumption::CacheScales { counted: served == Some(Engine::LlamaCpp) }),
                learned,
                when(gpus > 1, Assumption::ManyGpus { gpus, gathered }),
                when(overhead::of_megatron(scenario), Assumption::BesideMegatron),
                when(
                    scenario.gpu.is_some() && (trains || scenario.serving.engine != Engine::Vllm),
                    Assumption::Fragmentation { percent: tight_percent(scenario) },
                ),
            ],
        }
    }
}

/// The library that shards a training step of transformers' code.
fn sharded_by(scenario: &Checked) -> Option<Assumption> {
    let fsdp = sharding::fsdp(scenario).then(|| Assumption::Fsdp {
        narrows: scenario.recipe() == Recipe::Autocast,
        keeps: sharding::keeps_gathered(scenario),
        adds_whole: gradients::adds_whole(scenario),
    });
    let offload = scenario.offload.optimizer;
    sharding::deepspeed(scenario).map(|stage| Assumption::DeepSpeed { stage, offload }).or(fsdp)
}

/// What re-entrant checkpoints take beside FSDP.
fn reentrant(scenario: &Checked) -> Option<Assumption> {
    if !would_hold_done_layers(scenario) {
        return None;
    }
    let counted = scenario.training.stock.reentrant;
    let other = scenario.with(|it| it.training.stock.reentrant = !counted).ok()?;
    let [with, without] = if counted { [scenario, &other] } else { [&other, scenario] };
    let [most, least] = [with, without].map(|it| backward::fullest(it).1.into_iter().sum::<Bytes>());
    let more = Bytes(most.0.saturating_sub(least.0));
    Some(Assumption::Reentrant { counted, more })
}

/// What a code or a file makes of the weights that their format alone does not say; no two of these go together.
fn held_otherwise(scenario: &Checked) -> Option<Assumption> {
    let shape = &scenario.architecture;
    let rows = scenario.vocabulary();
    let more = Bytes(weights::in_wider_files(scenario));
    if more > Bytes::ZERO {
        return Some(Assumption::FilesDiffer { format: scenario.weights, more });
    }
    if let Some(wide) = scenario.left_wide() {
        return Some(match wide {
            LeftWide::Attention if shape.moe.is_none() => Assumption::WideAttention,
            LeftWide::Attention => Assumption::ExpertsAlone,
            LeftWide::AttentionAndEnds => Assumption::WideEnds,
            LeftWide::LinearAttention => return None,
        });
    }
    if scenario.mode.trains() {
        let padded = scenario.training.implementation == Implementation::Megatron && rows != shape.vocab_size;
        return padded.then_some(Assumption::PaddedVocabulary(rows));
    }
    match scenario.weights {
        _ if scenario.runtime() != Some(Engine::Vllm) => None,
        WeightFormat::Nf4 | WeightFormat::Nf4Dq if scenario.serving.version >= BITSANDBYTES_OUT => {
            Some(Assumption::BitsandbytesPlugin)
        }
        WeightFormat::Int8 => {
            scenario.gpu.and_then(capability::of).filter(|has| *has >= BLACKWELL).map(Assumption::Int8WeightsAlone)
        }
        _ => None,
    }
}

/// The first release of vLLM without bitsandbytes.
///
/// # Source
/// vLLM pull request 43529; issue 52802 (0.27.1 has it built in) and unslothai/unsloth-zoo pull request 1197. Read 2026-11-25.
const BITSANDBYTES_OUT: Version = Version { major: 0, minor: 28 };

/// What vLLM takes beside PyTorch, where logs leave a range.
fn beside_pytorch(scenario: &Checked) -> Option<Assumption> {
    let run = vllm::Run::of(scenario);
    let [context, non_torch, graphs] = [run.context_span(), run.non_torch_span(), run.graphs_span()];
    let range = [context, non_torch, graphs].iter().any(|span| span.is_range());
    range.then_some(Assumption::BesidePytorch { context, non_torch, graphs })
}

/// The release of vLLM that is meant.
fn release(scenario: &Checked) -> Assumption {
    let run = vllm::Run::of(scenario);
    let vllm::Constants { releases, graphs, context_inside, .. } = *run.constants();
    Assumption::Release {
        releases,
        graphs: run.graphs_lie(),
        estimates: graphs != vllm::Graphs::Beside,
        context_inside,
    }
}

/// What vLLM is told about the longest request, beside what it would take by itself.
fn max_model_len(scenario: &Checked) -> Assumption {
    let own = scenario.architecture.trained_context;
    let held = |own: u32| {
        let alone = scenario.with(|it| (it.batch, it.seq_length, it.serving.max_model_len) = (1, own, None)).ok()?;
        match vllm::start(&alone, scenario.capacity()?).refusal {
            Some(vllm::Refusal::Length { estimated, .. }) => Some(estimated),
            Some(_) => None,
            None => Some(own),
        }
    };
    Assumption::MaxModelLen {
        taken: scenario.longest_request(),
        asked: scenario.serving.max_model_len.is_some(),
        own,
        holds: own.and_then(held),
    }
}

/// Whether the saved tensors of such a combination were held against runs.
fn was_measured(scenario: &Checked) -> bool {
    let shape = &scenario.architecture;
    match scenario.training.implementation {
        Implementation::Transformers => transformers::measured(scenario),
        Implementation::Litgpt => {
            scenario.parallel.ranks() == 1
                && shape.moe.is_none()
                && shape.projection == Projection::Heads
                && shape.linear_attention.is_none()
                && scenario.attention == Attention::Flash
                && scenario.checkpointing == Checkpointing::None
        }
        Implementation::Megatron | Implementation::Torchtitan => scenario.mode == Mode::Training,
    }
}

/// Why the 8-bit weights that vLLM serves would not start with a scale for each block or group.
fn no_block_scales(scenario: &Checked) -> Option<Assumption> {
    let in_blocks = match scenario.weights {
        WeightFormat::Fp8 => WeightFormat::Fp8Block,
        WeightFormat::Int8 => WeightFormat::Int4,
        _ => return None,
    };
    if scenario.runtime() != Some(Engine::Vllm) {
        return None;
    }
    match scenario.with(|it| it.weights = in_blocks) {
        Err(ScenarioError::Runtime(Unsupported::Blocks { blocks, marlin })) => {
            Some(Assumption::NoBlockScales { blocks, marlin })
        }
        _ => None,
    }
}
