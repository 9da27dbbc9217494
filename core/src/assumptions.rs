//! What a figure stands on, in sentences: an estimate never poses as exact.

use crate::checked::Checked;
use core::fmt;

use crate::architecture::{Positions, Projection};
use crate::display::Grouped;
use crate::engines::{self, How, vllm};
use crate::memory::activations::transformers;
use crate::memory::{adapters, gradients};
use crate::offload::Offload;
use crate::parallelism::ZeroStage;
use crate::precision::WeightFormat;
use crate::scenario::{Attention, Mode};
use crate::serving::Engine;
use crate::tables::gpus::Reported;
use crate::training::{Checkpointing, Implementation, Loss, Optimizer, Recipe, StepKernel};

/// What a figure stands on; the sentence is its `Display`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// The weight count is a round number, not a count of tensors.
    RoundedParameters,
    /// Embeddings, head, norms and biases stay wide.
    WideTensors(WeightFormat),
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
    /// What vLLM's process takes beside PyTorch, where logs leave a range.
    BesidePytorch {
        /// Before its first tensor.
        context: vllm::Span,
        /// Libraries and communication.
        non_torch: vllm::Span,
    },
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
    Recipe(Recipe),
    /// What becomes of gradients between two steps.
    Gradients {
        /// Whether they stay allocated.
        kept: bool,
    },
    /// The optimizer's step makes a copy for a moment.
    ForeachStep,
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
    Upcast(WeightFormat),
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
    Offload,
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
    /// The card has no units for this format.
    NoUnits(WeightFormat),
    /// Scales of a quantised cache are left out.
    CacheScales,
    /// Whether the saved tensors of this combination were measured.
    DerivedTensors,
    /// A model that knows so many positions and no more.
    LearnedPositions(u32),
    /// The context is longer than the model was made for.
    BeyondTrainedContext(u32),
    /// Beyond learned positions the model cannot run at all.
    BeyondLearnedPositions(u32),
    /// What the allocator loses is not added.
    Fragmentation,
    /// The fullest of many cards.
    ManyCards {
        /// Cards in all.
        gpus: u64,
        /// Whether weights are shared out, and gathered for each layer.
        gathered: bool,
    },
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::RoundedParameters => f.write_str(
                "The parameter count is the textbook's round number, not a count of tensors; the layers make up the difference.",
            ),
            Self::WideTensors(format) if format.is_gguf() => write!(
                f,
                "{format} holds the matrices and the embedding; the output head is Q6_K unless the format is wider, norms and biases are fp32, as llama.cpp keeps them. Mixes such as Q4_K_M give single matrices more bits."
            ),
            Self::WideTensors(format) => write!(
                f,
                "{format} holds the matrices of the layers (MXFP4 and NVFP4 of a mixture: the experts only); embedding, output head, norms and biases stay in 16 bits, as common quantisers leave them."
            ),
            Self::FullSequences => f.write_str("Every sequence has the full seq_length, prompt and answer together."),
            Self::SlidingWindow { window, layers, of } => write!(
                f,
                "{layers} of {of} layers keep only the last {} tokens; an engine that pages all layers alike reserves more.",
                Grouped(window.into())
            ),
            Self::PrefillChunks => write!(
                f,
                "Activations are the widest moment of one layer while a prompt is read in chunks of up to {} tokens; an estimate that depends on the engine.",
                Grouped(crate::memory::activations::PREFILL_CHUNK.into())
            ),
            Self::Served(engine) => f.write_str(match engine {
                Engine::Exact => "No program serves the model.",
                Engine::Hf => {
                    "Served by transformers 5.23: the working space follows the order of operations in its code, the whole prompt at once, and was not measured; its context is the 0.51 GiB that vLLM logs on an H100."
                }
                Engine::Vllm => {
                    "Served by vLLM 0.19: from its share of the card come weights, one forward pass with its largest batch and what the driver allocates, by its code and its public logs on H100; the rest is pages. Context and recorded graphs lie beside the share; the graphs are a fit, off by 10% on average. From 0.21 on vLLM takes the graphs from its share instead: the pool is smaller by them, and the share may be larger."
                }
                Engine::LlamaCpp => {
                    "Served by llama.cpp in chunks of 512 tokens: its compute buffer is that of public logs, with flash attention and long contexts an upper estimate; the embedding, which it may leave in host memory, is counted on the card."
                }
            }),
            Self::ReservedCache(how) => how.fmt(f),
            Self::BesidePytorch { context, non_torch } => write!(
                f,
                "No log of vLLM on this kind of GPU and link covers all of it: its context usually takes {context}, its libraries and communication {non_torch}. The upper ends are counted, so that the verdict is not better than the truth."
            ),
            Self::MaxModelLen { taken, asked, own, holds } => {
                let taken_as = if asked { "as asked" } else { "as long as the requests" };
                write!(f, "vLLM accepts requests of up to {} tokens (--max-model-len), {taken_as}.", Grouped(taken.into()))?;
                match (own, holds) {
                    (Some(own), _) if own < taken => write!(
                        f,
                        " The model was made for {}: vLLM refuses a longer limit unless VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 is set.",
                        Grouped(own.into())
                    ),
                    (Some(own), _) if own == taken => Ok(()),
                    (Some(own), Some(holds)) if holds < own => write!(
                        f,
                        " Without the option vLLM takes the model's own {} and would not start: the estimated maximum model length is {}.",
                        Grouped(own.into()),
                        Grouped(holds.into())
                    ),
                    (Some(own), Some(_)) => {
                        write!(f, " Without the option vLLM takes the model's own {}, which goes into the pool too.", Grouped(own.into()))
                    }
                    (Some(own), None) => {
                        write!(f, " Without the option vLLM takes the model's own {}.", Grouped(own.into()))
                    }
                    (None, _) => Ok(()),
                }
            }
            Self::Recipe(recipe) => f.write_str(match recipe {
                Recipe::Mixed => {
                    "16-bit weights have an fp32 master copy beside the optimizer's own states, as mixed-precision training keeps it (pure bf16 training does without and needs 8 bytes a parameter in all)."
                }
                Recipe::MixedFp32Gradients => {
                    "16-bit weights have an fp32 master copy and fp32 gradients beside the optimizer's own states: 18 bytes a parameter with AdamW."
                }
                Recipe::WithoutMaster => {
                    "16-bit weights and gradients and the optimizer's states in fp32, without a master copy: 12 bytes a parameter with AdamW."
                }
                Recipe::Pure => {
                    "Weights, gradients and the optimizer's states are all kept in 16 bits, without a master copy: 8 bytes a parameter with AdamW."
                }
                Recipe::Fp32 => {
                    "Weights, gradients and the optimizer's states are all kept in fp32: 16 bytes a parameter with AdamW."
                }
                Recipe::Autocast => {
                    "Weights, gradients and the optimizer's states are kept in fp32; autocast makes a 16-bit copy of each matrix that lives as long as the graph."
                }
            }),
            Self::Gradients { kept: true } => f.write_str(
                "Gradients stay allocated from step to step, in the buffers that Megatron-LM and DeepSpeed keep.",
            ),
            Self::Gradients { kept: false } => {
                f.write_str("Gradients are freed after each step, as PyTorch's zero_grad does.")
            }
            Self::ForeachStep => f.write_str(
                "The optimizer's step runs over lists of tensors (foreach, PyTorch's default on CUDA) and makes one more copy as large as all that learns; a fused step does without.",
            ),
            Self::Adapters { rank, implementation, fp32, copies } => write!(
                f,
                "Adapters of rank {} learn, the model is frozen: it has no gradients, and a frozen matrix saves no input for backward. {} Routed experts carry none.",
                Grouped(rank.into()),
                match implementation {
                    Implementation::Transformers => match (fp32, copies) {
                        (true, true) =>
                            "Adapters are in fp32, as peft makes them by default, and each saves an fp32 copy of its input: with adapters on all matrices that can be more than full training saves.",
                        (true, false) =>
                            "Adapters are in fp32, as peft makes them by default; hidden states are in fp32 too, so adapters on the same input save it once.",
                        (false, true) => "Adapters are in 16 bits, and each saves a copy of its input.",
                        (false, false) =>
                            "Adapters are in 16 bits like the model, so those on the same input save it once.",
                    },
                    Implementation::Litgpt =>
                        "Adapters are in the precision of the model; a 4-bit matrix keeps its input, as bitsandbytes up to 0.43.1 does.",
                    Implementation::Megatron | Implementation::Torchtitan =>
                        "Adapters are in the precision of the model; what they keep is derived from the code for full training.",
                }
            ),
            Self::Upcast(format) => write!(
                f,
                "{format} holds the matrices of the layers; embedding, output head and norms are upcast to fp32, as peft's prepare_model_for_kbit_training does, and hidden states and logits follow. Trainers that skip this step, such as TRL, need less. The gradient checkpointing that it switches on is a choice of its own here."
            ),
            Self::Implementation(implementation) => f.write_str(match implementation {
                Implementation::Transformers => {
                    "Activations are the tensors that stock PyTorch and transformers code saves, without fusion or torch.compile; equal to the byte to measured runs of that code."
                }
                Implementation::Megatron => {
                    "Activations are the list of Korthikanti et al. 2022 for fused kernels as in Megatron-LM; small statistics are left out as there."
                }
                Implementation::Torchtitan => {
                    "Memory is what torchtitan's allocator reserves with FSDP2: fp32 shards, 16-bit gathered weights, and the blocks that streams of their own and finished tensors leave unusable."
                }
                Implementation::Litgpt => {
                    "Activations are the tensors that LitGPT saves, read from its code; its published peaks are met within 1%, several cards apart."
                }
            }),
            Self::AllExperts { experts, visited, ranks: 1 } => write!(
                f,
                "All {experts} experts of a layer are in memory, though a token visits {visited}: a mixture saves traffic and arithmetic, not capacity."
            ),
            Self::AllExperts { experts, visited, ranks } => write!(
                f,
                "Of the {experts} experts of a layer {} are on each GPU, whichever {visited} a token visits: expert parallelism spreads them over {} GPUs.",
                u64::from(experts).div_ceil(ranks),
                Grouped(ranks.into())
            ),
            Self::LatentCache => f.write_str(
                "Keys and values are cached as one compressed vector a token for all heads, stored once, and copied whole to each tensor-parallel rank.",
            ),
            Self::ConstantState { layers, of } => write!(
                f,
                "{layers} of {of} layers keep a state of constant size in place of a cache, however long the context."
            ),
            Self::Offload => f.write_str(
                "What is offloaded waits in host memory; of offloaded layers two are on the card, the one at work and the next; the link's printed rate is what the transfer is reckoned with.",
            ),
            Self::Loss(loss) => f.write_str(match loss {
                Loss::Plain => {
                    "The loss is plain cross-entropy with logits upcast to fp32: 12 bytes for each token and vocabulary entry when backward begins, a little more with soft-capped logits or a vocabulary cut over ranks. A chunked or fused loss needs far less."
                }
                Loss::Chunked => {
                    "The loss is computed 1,024 tokens at a time, so that only one chunk's logits exist at once."
                }
                Loss::Compiled => {
                    "The loss is compiled into one kernel that keeps a single fp32 copy of the logits."
                }
            }),
            Self::SelectiveIdle => f.write_str(
                "Selective checkpointing changes nothing here: flash attention already recomputes the scores.",
            ),
            Self::EagerScores => f.write_str("Eager attention writes the seq_length × seq_length scores to memory."),
            Self::DeviceContext => f.write_str(
                "Driver context and libraries are taken as 512 MiB, the middle of the 0.3 to 0.8 GiB seen on NVIDIA cards.",
            ),
            Self::Capacity(reported) => write!(f, "{reported}"),
            Self::NoUnits(format) => write!(
                f,
                "This card has no matrix units for {format}, or none are published: the memory is right, the run may be slow or not start."
            ),
            Self::CacheScales => f.write_str(
                "Scales of a quantised KV cache are not counted; formats that store one for each block take up to an eighth more at 4 bits.",
            ),
            Self::DerivedTensors => f.write_str(
                "Activations are derived from the code that runs; this combination of settings was not measured.",
            ),
            Self::LearnedPositions(rows) => write!(
                f,
                "This model has learned positions for {} tokens; an answer beyond them is about memory only.",
                Grouped(rows.into())
            ),
            Self::BeyondTrainedContext(context) => write!(
                f,
                "This model was made for {} tokens: the memory is right, the answers may not be.",
                Grouped(context.into())
            ),
            Self::BeyondLearnedPositions(rows) => write!(
                f,
                "This model has learned positions for {} tokens only and cannot run beyond them as it is.",
                Grouped(rows.into())
            ),
            Self::ManyCards { gpus, gathered } => write!(
                f,
                "The figures are those of the fullest of {} cards{}.",
                Grouped(gpus.into()),
                if gathered {
                    "; of weights that ZeRO shares out, the tables, the layer at work and the next one are gathered on each"
                } else {
                    ""
                }
            ),
            Self::Fragmentation => f.write_str(
                "Fragmentation is not added: a margin under 10% of the card is called tight instead.",
            ),
        }
    }
}

/// The assumptions of one evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assumptions {
    list: [Option<Assumption>; Self::CAPACITY],
}

impl Assumptions {
    /// As many as there can be.
    pub const CAPACITY: usize = 27;

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
        let gathered = trains && scenario.parallel.shards_from(ZeroStage::Weights) > 1;
        let served = engines::serving(scenario);
        let offload = scenario.offload;
        let when = |condition: bool, assumption| condition.then_some(assumption);
        Self {
            list: [
                beyond,
                when(shape.rounded_parameters.is_some(), Assumption::RoundedParameters),
                when(
                    scenario.weights.layers_only(),
                    if scenario.upcasts() {
                        Assumption::Upcast(scenario.weights)
                    } else {
                        Assumption::WideTensors(scenario.weights)
                    },
                ),
                shape.moe.map(|moe| Assumption::AllExperts {
                    experts: moe.experts,
                    visited: moe.experts_per_token,
                    ranks: scenario.experts().ranks,
                }),
                when(full, Assumption::Recipe(scenario.recipe())),
                when(full, Assumption::Gradients { kept: gradients::between_steps(scenario) || scenario.torchtitan() }),
                when(
                    scenario.mode.adapts(),
                    Assumption::Adapters {
                        rank: training.lora.rank,
                        implementation: training.implementation,
                        fp32: adapters::bytes_each(scenario) == 4,
                        copies: transformers::copies_inputs(scenario),
                    },
                ),
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
                served.filter(|engine| *engine == Engine::Vllm).and_then(|_| beside_pytorch(scenario)),
                served.filter(|engine| *engine == Engine::Vllm).map(|_| max_model_len(scenario)),
                when(trains && training.implementation != Implementation::Litgpt, Assumption::Loss(training.loss)),
                when(
                    trains && training.step == StepKernel::Foreach && scenario.optimizer == Optimizer::AdamW,
                    Assumption::ForeachStep,
                ),
                when(selective_idle, Assumption::SelectiveIdle),
                when(scenario.attention == Attention::Eager, Assumption::EagerScores),
                when(served.is_none(), Assumption::DeviceContext),
                when(offload != Offload::default(), Assumption::Offload),
                scenario.gpu.map(|gpu| Assumption::Capacity(gpu.reported())),
                when(no_units, Assumption::NoUnits(scenario.weights)),
                when(quantised_cache, Assumption::CacheScales),
                learned,
                when(gpus > 1, Assumption::ManyCards { gpus, gathered }),
                when(
                    scenario.gpu.is_some() && (trains || scenario.serving.engine != Engine::Vllm),
                    Assumption::Fragmentation,
                ),
            ],
        }
    }
}

/// What vLLM takes beside PyTorch, where logs leave a range.
fn beside_pytorch(scenario: &Checked) -> Option<Assumption> {
    let run = vllm::Run::of(scenario);
    let (context, non_torch) = (run.context_span(), run.non_torch_span());
    (context.is_range() || non_torch.is_range()).then_some(Assumption::BesidePytorch { context, non_torch })
}

/// What vLLM is told about the longest request, beside what it would take by itself.
fn max_model_len(scenario: &Checked) -> Assumption {
    let own = scenario.architecture.trained_context;
    let held = |own: u32| {
        let alone = scenario.with(|it| (it.batch, it.seq_length, it.serving.max_model_len) = (1, own, None)).ok()?;
        match vllm::start(&alone, scenario.gpu?.capacity).refusal {
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
