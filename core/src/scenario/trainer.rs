//! What training code does not do, however much memory there is: cuts over GPUs, options and optimizers that it does not have.

use core::fmt;

use super::demand::{self, Demand};
use super::{Attention, BothWays, Mode, NoFp8, Scenario, eight_bits, sharding};
use crate::architecture::Projection;
use crate::display::Grouped;
use crate::layout::SplitError;
use crate::parallelism::{PipelineSchedule, ZeroStage};
use crate::precision::WeightFormat;
use crate::training::{Checkpointing, Implementation, Loss, Optimizer, Recipe, RecomputedModule, Sharding};

/// Why the code that trains a scenario cannot cut it so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutError {
    /// The code has no pipeline schedule.
    NoPipeline(Implementation),
    /// `LitGPT` trains with data parallelism and sharding alone.
    ShardsOnly {
        /// The degree, by its option.
        degree: &'static str,
        /// Its value.
        ranks: u32,
    },
    /// Megatron-LM does not spread layers over stages so.
    Split(SplitError),
    /// Gradients or weights are sharded beside a pipeline.
    ShardedPipeline(ZeroStage),
    /// Chunks of layers that take turns need a pipeline.
    NoInterleaving(u32),
    /// The interleaved schedule passes micro-batches in rounds, which these do not fill.
    MicroBatches {
        /// Whose schedule it is.
        implementation: Implementation,
        /// Micro-batches of a step.
        micro_batches: u32,
        /// Their number is to be a multiple of this.
        multiple: u32,
    },
    /// A pipeline that micro-batches pass both ways has other stages, chunks or micro-batches than its schedule.
    BothWays(PipelineSchedule, BothWays),
    /// The code has no such option.
    Lacks(Implementation, TrainerOption),
    /// The library that shards its states has no such option.
    Sharded(Sharding, TrainerOption),
    /// Not in fp8, or not with moments in fewer bits.
    Fp8(NoFp8),
    /// The code asks for something beside such a cut.
    Asks(Implementation, Demand),
}

/// An option of a training step that not every code has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrainerOption {
    /// Adapters beside a frozen model.
    Adapters,
    /// The optimizer.
    Optimizer(Optimizer),
    /// The kernel of the loss.
    Loss(Loss),
    /// `torch.compile` on the model.
    Compile,
    /// Tensor parallelism whose transfers overlap with its products.
    AsyncTensor,
    /// The same without `torch.compile`, which makes it.
    AsyncUncompiled,
    /// Sharded weights that stay whole from forward to backward pass.
    WholeWeights,
    /// Checkpointing that keeps the outputs of some operations.
    PerOp,
    /// Checkpointing that recomputes the scores of attention alone.
    Selective,
    /// A part of a layer that is computed again by its name.
    Recompute(RecomputedModule),
    /// Computing in fp16.
    Half,
    /// Attention that writes its scores.
    Eager,
    /// States in several precisions, or a copy of the weights that is left out.
    Recipe(Recipe),
    /// A cut of the matrices of each expert that is none of the others'.
    ExpertTensor(u32),
    /// Stages of a pipeline with other numbers of layers than its own rule gives them.
    Split,
    /// A schedule of a pipeline.
    Schedule(PipelineSchedule),
    /// A choice between libraries that shard.
    Sharding(Sharding),
    /// Sharding of optimizer states, or of these and gradients, without the weights.
    PartShards(ZeroStage),
    /// Optimizer states or weights in host memory, one without the other.
    PartOffload,
    /// Weights, or the states of several GPUs, in host memory.
    Offload,
    /// Weights in host memory.
    WeightOffload,
    /// Optimizer states in host memory, of another optimizer or not sharded.
    StateOffload,
    /// Quantised weights on several GPUs.
    QuantisedRanks,
    /// A sequence cut over GPUs whose states are not sharded by FSDP.
    Context(u32),
}

impl TrainerOption {
    /// What the code has in its place, after its name.
    fn reason(self, implementation: Implementation) -> &'static str {
        match (self, implementation) {
            (Self::Adapters, _) => {
                "trains all parameters: adapters beside a Megatron model are those of Megatron Bridge, which is not modelled"
            }
            (Self::Optimizer(_), Implementation::Torchtitan) => "has the optimizers adamw and muon",
            (Self::Optimizer(_), _) => "has the optimizers adamw, sgd-momentum, sgd, lion and muon",
            (Self::Loss(_), Implementation::Litgpt) => {
                "has one loss, which is counted as it is: chunks of 128 tokens, without a fused kernel (--loss plain)"
            }
            (Self::Loss(_), _) => {
                "computes the loss of all tokens at once, fused with --cross-entropy-loss-fusion (--loss compiled)"
            }
            (Self::Compile, Implementation::Litgpt) => {
                "compiles the model where it pre-trains, which is not modelled: its published peaks, which are met, are those of uncompiled runs"
            }
            (Self::Compile, _) => "compiles single kernels and not the model",
            (Self::AsyncTensor, _) => {
                "has no tensor parallelism that is modelled as overlapping with its products: that is torchtitan's"
            }
            (Self::AsyncUncompiled, _) => "overlaps tensor parallelism by torch.compile alone (--compile)",
            (Self::PerOp, _) => "does not choose by operation what it recomputes: torchtitan and transformers do",
            (Self::Selective, _) => {
                "recomputes whole layers or operation by operation (--checkpointing full or per-op)"
            }
            (Self::Recompute(RecomputedModule::MlaUpProjection), Implementation::Megatron) => {
                "recomputes mla_up_proj, the up projections of latent attention, in models that have it"
            }
            (Self::Recompute(_), Implementation::Megatron) => {
                "recomputes that in models with experts, and this one is dense"
            }
            (Self::Recompute(_), _) => "recomputes no parts of a layer by name: --recompute-modules is for Megatron-LM",
            (Self::Half, _) => "computes in bf16 or fp32, not in fp16",
            (Self::Eager, _) => "never writes the attention scores: its backends fuse them (--attention flash)",
            (Self::Split, _) => {
                "spreads layers over stages by a rule of its own: --pipeline-model-parallel-layout and its like are for Megatron-LM"
            }
            (Self::Schedule(PipelineSchedule::DualPipeV), Implementation::Torchtitan) => {
                "has PyTorch's DualPipeV, whose backward pass in two parts keeps tensors that are not modelled: 1f1b is"
            }
            (Self::Schedule(_), _) => {
                "has no such schedule of a pipeline: DualPipe is DeepSeek's, and counted with the kernels of megatron"
            }
            (Self::ExpertTensor(_), _) => "cuts experts as all other matrices: --etp is for Megatron-LM",
            (Self::Sharding(_), _) => "shards states by code of its own: --sharding is for transformers' code",
            (Self::Recipe(_), _) => {
                "keeps weights, gradients and states in one precision (--recipe autocast, pure or fp32)"
            }
            (Self::PartShards(_), _) => "shards weights, gradients and states together (--zero 3), or nothing",
            (Self::PartOffload, _) => "offloads weights, gradients and states together, or nothing",
            (Self::Offload, _) => {
                "keeps weights on the GPU, and on several GPUs all states: its scripts set FSDP up without CPU offload"
            }
            (Self::WeightOffload, _) => "keeps weights on the GPU: --offload takes optimizer there",
            (Self::StateOffload, _) => {
                "keeps optimizer states in host memory with Adam and its distributed optimizer alone (--optimizer adamw --zero 1)"
            }
            (Self::QuantisedRanks, _) => "trains beside quantised weights on one GPU only",
            (Self::Context(_), _) => {
                "cuts sequences over GPUs with FSDP2 alone (--zero 3, and in a full training step --recipe autocast, pure or fp32); megatron and torchtitan do without"
            }
            (Self::WholeWeights, _) => {
                "is modelled with weights that are given back after the forward pass: torchtitan alone is modelled both ways"
            }
        }
    }
}

/// What a library that shards has in the place of an option, with its name.
const fn of_library(sharding: Sharding, option: TrainerOption) -> &'static str {
    match (sharding, option) {
        (Sharding::DeepSpeed, _) => {
            "DeepSpeed updates a copy of the weights in any recipe (--recipe mixed, mixed-fp32-grads, pure, autocast or fp32)"
        }
        (_, TrainerOption::PartShards(_)) => {
            "FSDP shards gradients with the optimizer states (--zero 2), and weights too (--zero 3)"
        }
        (_, TrainerOption::PartOffload) => "FSDP offloads weights, gradients and states together, or nothing",
        _ => {
            "FSDP keeps weights, gradients and states in one precision (--recipe autocast, pure or fp32); a master copy beside 16-bit weights is DeepSpeed's"
        }
    }
}

/// A training code by its name.
const fn name(implementation: Implementation) -> &'static str {
    match implementation {
        Implementation::Transformers => "Hugging Face transformers",
        Implementation::Megatron => "Megatron-LM",
        Implementation::Torchtitan => "torchtitan",
        Implementation::Litgpt => "LitGPT",
    }
}

impl fmt::Display for CutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoPipeline(implementation) => write!(
                f,
                "{} trains without a pipeline schedule; megatron and torchtitan have one, and ZeRO-3 shards the weights of all layers without one",
                name(implementation)
            ),
            Self::ShardsOnly { degree, ranks } => write!(
                f,
                "{degree} {ranks} is not for LitGPT, which trains with data parallelism and sharding (FSDP) alone; megatron and torchtitan cut layers and sequences too"
            ),
            Self::Split(error) => error.fmt(f),
            Self::ShardedPipeline(zero) => write!(
                f,
                "ZeRO-{} beside a pipeline is not modelled for Megatron-LM: DeepSpeed and its FSDP2 option refuse it, and its own FSDP has other buffers; ZeRO-1 goes with a pipeline, and torchtitan runs both",
                zero.id()
            ),
            Self::NoInterleaving(chunks) => write!(
                f,
                "{} chunks of layers take turns in a pipeline of two stages or more, and there is one stage",
                Grouped(chunks.into())
            ),
            Self::MicroBatches { implementation, micro_batches, multiple } => write!(
                f,
                "{} passes micro-batches through interleaved stages in equal rounds: {} are no multiple of {}",
                name(implementation),
                Grouped(micro_batches.into()),
                Grouped(multiple.into())
            ),
            Self::BothWays(schedule, why) => why.say(schedule, f),
            Self::Lacks(implementation, option) => {
                write!(f, "{} {}", name(implementation), option.reason(implementation))
            }
            Self::Sharded(sharding, option) => f.write_str(of_library(sharding, option)),
            Self::Fp8(why) => why.fmt(f),
            Self::Asks(implementation, demand) => write!(f, "{} {demand}", name(implementation)),
        }
    }
}

impl core::error::Error for CutError {}

/// Whether the code that trains a scenario has its options and cuts it so. Everything passes in inference.
///
/// # Errors
/// The first thing that the code does not do.
///
/// # Source
/// transformers: no pipeline in its `Trainer` (huggingface/transformers issue 37129, 2025-04). `LitGPT`: FSDP is the only strategy of its training
/// scripts (Lightning-AI/litgpt issue 1731, 2024-09). Megatron-LM: `validate_args` in `megatron/training/arguments.py` (no pipeline
/// with `--use-torch-fsdp2`; an interleaved schedule needs a pipeline). DeepSpeed: `PipelineEngine` refuses ZeRO-2 and ZeRO-3
/// (deepspeedai/DeepSpeed issues 1110 and 1629). Read 2026-11-23.
pub(super) fn cuts(scenario: &Scenario) -> Result<(), CutError> {
    if !scenario.mode.trains() {
        return Ok(());
    }
    options(scenario)?;
    let parallel = &scenario.parallel;
    let implementation = scenario.training.implementation;
    match implementation {
        Implementation::Transformers | Implementation::Litgpt if parallel.pp > 1 => {
            return Err(CutError::NoPipeline(implementation));
        }
        Implementation::Litgpt => {
            let degrees = [("tp", parallel.tp), ("cp", parallel.cp), ("ep", parallel.ep)];
            if let Some((degree, ranks)) = degrees.into_iter().find(|(_, ranks)| *ranks > 1) {
                return Err(CutError::ShardsOnly { degree, ranks });
            }
        }
        Implementation::Megatron => {
            let layers = scenario.architecture.layers;
            parallel.split.check(layers, parallel.pp, parallel.turns()).map_err(CutError::Split)?;
            // Both ends of the model are on one rank, which a number of its own would cut twice.
            let own = parallel.split.first.or(parallel.split.last).is_some();
            if own && parallel.schedule == PipelineSchedule::DualPipeV {
                return Err(CutError::Split(SplitError::BothEnds));
            }
            if parallel.pp > 1 && matches!(parallel.zero, ZeroStage::Gradients | ZeroStage::Weights) && parallel.dp > 1
            {
                return Err(CutError::ShardedPipeline(parallel.zero));
            }
        }
        _ => {}
    }
    eight_bits::check(scenario).map_err(CutError::Fp8)?;
    interleaved(scenario)?;
    demand::met(scenario).map_err(|demand| CutError::Asks(implementation, demand))
}

/// Whether the micro-batches fill the rounds of an interleaved schedule.
///
/// # Source
/// Megatron-LM at d98e8a6 (2026-08): `forward_backward_pipelining_with_interleaving` asks for groups of `pp` micro-batches, of which none may be short.
/// torchtitan: `ScheduleInterleaved1F1B` of PyTorch makes max(1, m / pp) rounds, rounded down, and asks for a multiple of them. Read 2026-11-25.
fn interleaved(scenario: &Scenario) -> Result<(), CutError> {
    let (parallel, micro_batches) = (&scenario.parallel, scenario.training.micro_batches);
    if parallel.both_ways() {
        return BothWays::check(parallel, micro_batches).map_err(|why| CutError::BothWays(parallel.schedule, why));
    }
    if parallel.virtual_stages == 1 {
        return Ok(());
    }
    if parallel.pp == 1 {
        return Err(CutError::NoInterleaving(parallel.virtual_stages));
    }
    let implementation = scenario.training.implementation;
    let multiple = match implementation {
        Implementation::Megatron => parallel.pp,
        _ => (micro_batches / parallel.pp).max(1),
    };
    if micro_batches.is_multiple_of(multiple) {
        Ok(())
    } else {
        Err(CutError::MicroBatches { implementation, micro_batches, multiple })
    }
}

/// Whether the code has the options of the step.
///
/// # Source
/// Megatron-LM at d98e8a6 (2026-08): `--optimizer` of `megatron/training/arguments.py`; its loss fusions; no adapters in `megatron/core`. torchtitan at b5bcd76
/// (2026-08): `_resolve_optimizer_factory`; `CompileConfig`, which refuses `enable_async_tensor_parallel` without compiling. `LitGPT` at 2685705 (2026-06):
/// `chunked_cross_entropy`, `torch.compile` in `pretrain.py` alone, any optimizer by its class. Per-operation checkpointing is torchtitan's policy, which runs in any code that
/// hands PyTorch's checkpointing a context of its own; its `activation_checkpoint.py` has no policy for scores alone. torchtitan 0.3.0, `config/configs.py`: `dtype` and
/// `mixed_precision_param` are bfloat16 or float32; `enable_cpu_offload` is FSDP2's `CPUOffloadPolicy`, for all states at once; `data_parallel_shard_degree` shards all states; `models/common/attention.py` has SDPA's fused backends, flex and varlen. `LitGPT` recomputes whole blocks. Host memory: `OptimizerConfig.__post_init__` and `validate_args` of Megatron-LM (`--optimizer-cpu-offload` asks for `--use-precision-aware-optimizer`, and that for Adam and
/// `--use-distributed-optimizer`); `cpu_offload=False` in `finetune/full.py` of `LitGPT`, whose `finetune/lora.py` refuses `--quantize` on several GPUs. accelerate: `context_parallelism.md` (FSDP2 alone). Read 2026-11-26.
fn options(scenario: &Scenario) -> Result<(), CutError> {
    let (training, implementation) = (&scenario.training, scenario.training.implementation);
    let (parallel, offload) = (&scenario.parallel, &scenario.offload);
    let [titan, litgpt, megatron] =
        [Implementation::Torchtitan, Implementation::Litgpt, Implementation::Megatron].map(|it| implementation == it);
    let learns = scenario.mode == Mode::Training;
    let in_part = matches!(parallel.zero, ZeroStage::Optimizer | ZeroStage::Gradients);
    // FSDP has no weights in host memory without the rest.
    let weights_alone = learns && offload.parameters && !offload.optimizer;
    let whole_fsdp = parallel.zero == ZeroStage::Weights && sharding::deepspeed(scenario).is_none() && !weights_alone;
    let has_optimizer = match implementation {
        Implementation::Transformers | Implementation::Litgpt => true,
        Implementation::Megatron => matches!(
            scenario.optimizer,
            Optimizer::AdamW | Optimizer::SgdMomentum | Optimizer::Sgd | Optimizer::Lion | Optimizer::Muon
        ),
        Implementation::Torchtitan => matches!(scenario.optimizer, Optimizer::AdamW | Optimizer::Muon),
    };
    let has_loss = match implementation {
        Implementation::Transformers | Implementation::Torchtitan => true,
        Implementation::Megatron => training.loss != Loss::Chunked,
        Implementation::Litgpt => training.loss == Loss::Plain,
    };
    let module = not_recomputed(scenario);
    let compiles = matches!(implementation, Implementation::Transformers | Implementation::Torchtitan);
    let lacks = [
        (scenario.mode.adapts() && implementation == Implementation::Megatron, TrainerOption::Adapters),
        (!has_optimizer, TrainerOption::Optimizer(scenario.optimizer)),
        (!has_loss, TrainerOption::Loss(training.loss)),
        (training.compile && !compiles, TrainerOption::Compile),
        (training.async_tp && !titan, TrainerOption::AsyncTensor),
        (training.async_tp && !training.compile, TrainerOption::AsyncUncompiled),
        (!training.reshard_after_forward && !titan, TrainerOption::WholeWeights),
        (scenario.checkpointing == Checkpointing::PerOp && !compiles, TrainerOption::PerOp),
        (titan && scenario.checkpointing == Checkpointing::Selective, TrainerOption::Selective),
        (module.is_some(), TrainerOption::Recompute(module.unwrap_or(RecomputedModule::CoreAttention))),
        (titan && scenario.weights == WeightFormat::Fp16, TrainerOption::Half),
        (titan && scenario.attention == Attention::Eager, TrainerOption::Eager),
        (titan && learns && training.recipe == Recipe::WithoutMaster, TrainerOption::Recipe(training.recipe)),
        (titan && in_part && parallel.shard_ranks() > 1, TrainerOption::PartShards(parallel.zero)),
        (titan && offload.optimizer != offload.parameters, TrainerOption::PartOffload),
        (litgpt && (offload.parameters || offload.optimizer && parallel.ranks() > 1), TrainerOption::Offload),
        (litgpt && scenario.mode == Mode::Qlora && parallel.ranks() > 1, TrainerOption::QuantisedRanks),
        (megatron && offload.parameters, TrainerOption::WeightOffload),
        (
            megatron
                && offload.optimizer
                && (scenario.optimizer != Optimizer::AdamW
                    || parallel.zero == ZeroStage::None && parallel.shard_ranks() > 1),
            TrainerOption::StateOffload,
        ),
        (
            implementation == Implementation::Transformers && parallel.cp > 1 && !whole_fsdp,
            TrainerOption::Context(parallel.cp),
        ),
        (!megatron && parallel.etp.is_some(), TrainerOption::ExpertTensor(parallel.etp.unwrap_or(1))),
        (!megatron && !parallel.split.is_even(), TrainerOption::Split),
        (!megatron && parallel.both_ways(), TrainerOption::Schedule(parallel.schedule)),
        (
            implementation != Implementation::Transformers && training.sharding != Sharding::ByRecipe,
            TrainerOption::Sharding(training.sharding),
        ),
    ];
    match lacks.into_iter().find(|(lacks, _)| *lacks) {
        Some((_, option)) => Err(CutError::Lacks(implementation, option)),
        None => library(scenario),
    }
}

/// A module of selective checkpointing that the code does not compute again, or that no layer of the model has. `mlp` and `shared_experts` may find none of theirs among experts.
///
/// # Source
/// Megatron-LM at d98e8a6 (2026-08): `TransformerConfig.__post_init__`, which refuses `mla_up_proj` without `multi_latent_attention` and `moe_act` without `moe_grouped_gemm`;
/// `moe` and `shared_experts` would recompute nothing in a dense model. Read 2026-11-26.
fn not_recomputed(scenario: &Scenario) -> Option<RecomputedModule> {
    let shape = &scenario.architecture;
    let megatron = scenario.training.implementation == Implementation::Megatron;
    RecomputedModule::ALL.iter().copied().find(|&module| {
        let missing = match module {
            RecomputedModule::MlaUpProjection => shape.projection == Projection::Heads,
            RecomputedModule::Moe | RecomputedModule::MoeActivation | RecomputedModule::SharedExperts => {
                shape.moe.is_none()
            }
            _ => false,
        };
        let refused = if megatron { missing } else { module != RecomputedModule::CoreAttention };
        scenario.recomputes(module) && refused
    })
}

/// Whether the library that was asked to shard the states of a full training step has the rest.
fn library(scenario: &Scenario) -> Result<(), CutError> {
    let (sharding, recipe) = (scenario.training.sharding, scenario.recipe());
    let (parallel, offload) = (&scenario.parallel, &scenario.offload);
    let by_fsdp = sharding == Sharding::Fsdp;
    let one_precision = matches!(recipe, Recipe::Autocast | Recipe::Pure | Recipe::Fp32);
    let without_master = recipe == Recipe::WithoutMaster;
    let lacks = [
        (by_fsdp && !one_precision || sharding == Sharding::DeepSpeed && without_master, TrainerOption::Recipe(recipe)),
        (by_fsdp && parallel.zero == ZeroStage::Optimizer, TrainerOption::PartShards(parallel.zero)),
        (by_fsdp && offload.optimizer != offload.parameters, TrainerOption::PartOffload),
    ];
    let found = lacks.into_iter().find(|(lacks, _)| *lacks && scenario.mode == Mode::Training);
    found.map_or(Ok(()), |(_, option)| Err(CutError::Sharded(sharding, option)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallelism::Parallelism;
    use crate::scenario::ScenarioError;
    use crate::tables::models;

    /// A sequence is cut by FSDP2 alone, which holds no states in several precisions and takes no part of them to host memory.
    #[test]
    fn sequences_are_cut_where_fsdp_shards() {
        let start = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
        let choices =
            Sharding::ALL.iter().flat_map(|sharding| Recipe::ALL.iter().map(move |recipe| (*sharding, *recipe)));
        let mut cut = 0;
        for (sharding, recipe) in choices {
            for [optimizer, parameters] in [[false, false], [true, false], [false, true], [true, true]] {
                let mut run = Scenario { mode: Mode::Training, ..start };
                run.parallel = Parallelism { dp: 2, cp: 2, zero: ZeroStage::Weights, ..Parallelism::ONE };
                (run.training.sharding, run.training.recipe) = (sharding, recipe);
                run.offload = crate::scenario::Offload { optimizer, parameters, kv_cache: false };
                let other = sharding == Sharding::DeepSpeed
                    || matches!(recipe, Recipe::Mixed | Recipe::MixedFp32Gradients)
                    || optimizer != parameters;
                let checked = run.check();
                assert_eq!(checked.is_ok(), !other && (sharding != Sharding::Fsdp || recipe != Recipe::WithoutMaster));
                cut += u32::from(checked.is_ok());
            }
        }
        assert_eq!(cut, 14);
    }

    #[test]
    fn only_pipelines_that_run_are_evaluated() {
        let told = |id: &str, implementation: Implementation, parallel: Parallelism| {
            let mut scenario = Scenario::new(models::by_id(id).unwrap().architecture);
            (scenario.mode, scenario.parallel, scenario.training.implementation) =
                (Mode::Training, parallel, implementation);
            scenario.training.micro_batches = parallel.pp;
            scenario.check().map(|_| ())
        };
        let pipeline = |pp| Parallelism { pp, ..Parallelism::ONE };
        let sharded = |zero| Parallelism { dp: 8, zero, ..pipeline(4) };
        let no = |error: CutError| Err(ScenarioError::Cut(error));
        for implementation in [Implementation::Transformers, Implementation::Litgpt] {
            assert_eq!(told("llama-2-7b", implementation, pipeline(4)), no(CutError::NoPipeline(implementation)));
            assert_eq!(told("llama-2-7b", implementation, Parallelism::ONE), Ok(()));
        }
        let uneven = CutError::Split(SplitError::Uneven { layers: 126, chunks: 16 });
        assert_eq!(told("llama-3.1-405b", Implementation::Megatron, pipeline(16)), no(uneven));
        for (implementation, parallel) in [
            (Implementation::Torchtitan, pipeline(16)),
            (Implementation::Torchtitan, sharded(ZeroStage::Weights)),
            (Implementation::Megatron, pipeline(18)),
        ] {
            assert_eq!(told("llama-3.1-405b", implementation, parallel), Ok(()), "{implementation:?} {parallel:?}");
        }
        let megatron = |zero| told("llama-2-7b", Implementation::Megatron, sharded(zero));
        assert_eq!(megatron(ZeroStage::Optimizer), Ok(()));
        for zero in [ZeroStage::Gradients, ZeroStage::Weights] {
            assert_eq!(megatron(zero), no(CutError::ShardedPipeline(zero)));
        }
        let tensor = Parallelism { tp: 2, ..Parallelism::ONE };
        let refused = no(CutError::ShardsOnly { degree: "tp", ranks: 2 });
        assert_eq!(told("llama-2-7b", Implementation::Litgpt, tensor), refused);
    }
}
