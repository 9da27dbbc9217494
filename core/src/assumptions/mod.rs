//! What a figure stands on, in sentences: an estimate never poses as exact.

mod assumption;
mod of_vllm;
mod sentences;
mod sentences_of_runtimes;

pub use assumption::Assumption;
pub use sentences::Unserved;

use crate::architecture::{Positions, Projection};
use crate::checked::Checked;
use crate::engines;
use crate::fp8::Fp8Recipe;
use crate::memory::activations::transformers;
use crate::memory::activations::transformers::backward::would_hold_done_layers;
use crate::memory::host;
use crate::memory::overhead::{self, tight_percent};
use crate::memory::{adapters, backward, gradients, optimizer, weights};
use crate::parallelism::ZeroStage;
use crate::precision::WeightFormat;
use crate::scenario::{Attention, LeftWide, Mode, Offload, WITH_BF16, by_flashinfer, finer_blocks, sharding};
use crate::serving::{Engine, Version};
use crate::tables::capability::{self, BLACKWELL};
use crate::tables::gpus::Gpu;
use crate::training::{Checkpointing, Implementation, Recipe, RecomputedModules, StepKernel};
use crate::units::Bytes;

/// The assumptions of one evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assumptions {
    list: [Option<Assumption>; Self::CAPACITY],
}

impl Assumptions {
    /// As many as there can be.
    pub const CAPACITY: usize = 51;

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
        let selective_idle = trains
            && scenario.checkpointing == Checkpointing::Selective
            && scenario.attention == Attention::Flash
            && scenario.training.recompute == RecomputedModules::CORE_ATTENTION;
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
                of_vllm::no_block_scales(scenario),
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
                when(
                    scenario.transformer_engine() != Fp8Recipe::None,
                    Assumption::TransformerEngine { measured: training.fp8.recipe == Fp8Recipe::Tensorwise },
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
                when(scenario.guessed_tokens() > 0, Assumption::Guesses(scenario.guessed_tokens())),
                served.map(|_| Assumption::ReservedCache(engines::reservation(scenario).how)),
                served.filter(|engine| *engine == Engine::Vllm).map(|_| of_vllm::release(scenario)),
                served.filter(|engine| *engine == Engine::Vllm).and_then(|_| of_vllm::beside_pytorch(scenario)),
                when(served == Some(Engine::Vllm) && scenario.serving.enforce_eager, Assumption::NoGraphs),
                when(served == Some(Engine::Vllm) && by_flashinfer(scenario), Assumption::Fp8ByFlashInfer),
                served.filter(|engine| *engine == Engine::Vllm).map(|_| of_vllm::max_model_len(scenario)),
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
                when(trains && transformers::unfused(scenario), Assumption::UnfusedAttention),
                transformers::with_wide_attention(scenario)
                    .map(|wide| Assumption::FusedAttention { more: more_in_backward(&wide, scenario) }),
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
                when(
                    scenario.predictions() > 0,
                    Assumption::PlacedPrediction {
                        layers: scenario.predictions(),
                        copy: (0..scenario.parallel.pp).any(|stage| scenario.at_stage(stage).predicts_from_a_copy()),
                    },
                ),
                when(scenario.parallel.both_ways(), Assumption::BothWays(scenario.parallel.schedule)),
                when(overhead::of_megatron(scenario), Assumption::BesideMegatron { mixture: shape.moe.is_some() }),
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
    Some(Assumption::Reentrant { counted, more: more_in_backward(with, without) })
}

/// How much more the fullest moment of the backward pass takes.
fn more_in_backward(with: &Checked, without: &Checked) -> Bytes {
    let [most, least] = [with, without].map(|it| backward::fullest(it).1.into_iter().sum::<Bytes>());
    Bytes(most.0.saturating_sub(least.0))
}

/// What a code or a file makes of the weights that their format alone does not say; no two of these go together.
fn held_otherwise(scenario: &Checked) -> Option<Assumption> {
    let shape = &scenario.architecture;
    let rows = scenario.vocabulary();
    let more = Bytes(weights::in_wider_files(scenario));
    if more > Bytes::ZERO {
        let mixture = scenario.weights == WeightFormat::Nvfp4 && shape.moe.is_some();
        return Some(Assumption::FilesDiffer { format: scenario.weights, mixture, more });
    }
    if let Some(wide) = scenario.left_wide() {
        return Some(match wide {
            LeftWide::Attention if shape.moe.is_none() => Assumption::WideAttention,
            LeftWide::Attention => Assumption::ExpertsAlone,
            LeftWide::AttentionAndEnds => Assumption::WideEnds,
            LeftWide::EightBits | LeftWide::SharedExperts | LeftWide::Latents => return None,
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
