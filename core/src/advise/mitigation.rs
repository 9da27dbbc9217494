//! The fixes: each a change to a scenario, or a reason why it does nothing there.

use super::idle::Idle;
use crate::alternatives;
use crate::bounds;
use crate::checked::Checked;
use crate::cost;
use crate::memory::gradients;
use crate::parallelism::ZeroStage;
use crate::precision::{KvPrecision, WeightFormat};
use crate::scenario::{
    Attention, CutError, Mode, Offload, OffloadError, Scenario, ScenarioError, TrainerOption, sixteen_bits,
};
use crate::serving::Engine;
use crate::tables::capability;
use crate::tables::gpus::Gpu;
use crate::training::{Checkpointing, Gradients, Implementation, Loss, Optimizer, Recipe};

choices! {
    /// One fix, in the order in which they are worth trying.
    Mitigation {
        /// Let go of outputs and other stale tensors; let the allocator grow its segments.
        FreeStaleTensors = "free-stale-tensors";
        /// One sequence at a time, gradients added up over several.
        SmallerMicroBatch = "smaller-micro-batch";
        /// 16-bit weights and activations with an fp32 master copy.
        MixedPrecision = "mixed-precision";
        /// A fused kernel that never writes the scores.
        FlashAttention = "flash-attention";
        /// Logits of a few tokens at a time.
        ChunkedLoss = "chunked-loss";
        /// Keep the outputs of attention and of every second matrix multiplication, recompute the rest.
        SelectiveCheckpointing = "per-op-checkpointing";
        /// Keep only the input of each layer, recompute the rest.
        FullCheckpointing = "full-checkpointing";
        /// Moments of the optimizer in 8 bits.
        EightBitOptimizer = "8bit-optimizer";
        /// Keys and values in 8 bits.
        QuantizedCache = "quantized-cache";
        /// Weights in 8 bits.
        EightBitWeights = "8bit-weights";
        /// Weights in 4 bits.
        FourBitWeights = "4bit-weights";
        /// Learn two thin matrices beside each layer instead of all weights.
        Lora = "lora";
        /// The same beside weights frozen in 4 bits.
        Qlora = "qlora";
        /// Leave embedding, output head and norms beside them in 16 bits, without peft's upcast.
        NoUpcast = "no-upcast";
        /// Quantise routed experts too, which bitsandbytes by itself leaves wide.
        QuantisedExperts = "quantised-experts";
        /// Share optimizer states out over data-parallel ranks.
        ZeroOptimizer = "zero-1";
        /// Share gradients out too.
        ZeroGradients = "zero-2";
        /// Share weights out too.
        ZeroWeights = "zero-3";
        /// Cut each matrix over twice as many GPUs.
        TensorParallel = "tensor-parallel";
        /// Cut the layers over twice as many GPUs.
        PipelineParallel = "pipeline-parallel";
        /// Keep optimizer states in host memory, and gradients where the code moves them too.
        OffloadOptimizer = "offload-optimizer";
        /// Keep the layers' weights in host memory.
        OffloadParameters = "offload-parameters";
        /// Keep the KV cache in host memory.
        OffloadCache = "offload-cache";
        /// A GPU with more memory.
        BiggerGpu = "bigger-gpu";
    }
}

choices! {
    /// What a fix may do to the results.
    Risk {
        /// The same results up to rounding.
        None = "none";
        /// Seldom seen in the results.
        Low = "low";
        /// To be checked on one's own task.
        Medium = "medium";
        /// Another result: fewer parameters learn, or much is rounded away.
        High = "high";
    }
}

choices! {
    /// What a fix asks of the one who applies it.
    Effort {
        /// A flag.
        Flag = "flag";
        /// A few lines or another library.
        Code = "code";
        /// Another way to launch and to save: several processes.
        Launch = "launch";
        /// Money or a queue.
        Hardware = "hardware";
    }
}

/// Data-parallel ranks that sharding is shown on where the scenario has one GPU.
const SHARDED_RANKS: u32 = 8;

impl Mitigation {
    /// What it may do to the results.
    pub const fn risk(self) -> Risk {
        match self {
            Self::EightBitOptimizer | Self::MixedPrecision | Self::EightBitWeights | Self::NoUpcast => Risk::Low,
            Self::QuantizedCache | Self::FourBitWeights | Self::QuantisedExperts => Risk::Medium,
            Self::Lora | Self::Qlora => Risk::High,
            _ => Risk::None,
        }
    }

    /// What it asks for.
    pub const fn effort(self) -> Effort {
        match self {
            Self::FreeStaleTensors
            | Self::ChunkedLoss
            | Self::Lora
            | Self::Qlora
            | Self::NoUpcast
            | Self::QuantisedExperts
            | Self::SelectiveCheckpointing => Effort::Code,
            Self::ZeroOptimizer
            | Self::ZeroGradients
            | Self::ZeroWeights
            | Self::TensorParallel
            | Self::PipelineParallel => Effort::Launch,
            Self::BiggerGpu => Effort::Hardware,
            _ => Effort::Flag,
        }
    }

    /// The scenario with this fix, or why it does nothing here.
    ///
    /// # Errors
    /// Why it does nothing here, or that this model cannot be changed so.
    pub fn apply(self, scenario: &Checked) -> Result<Checked, Idle> {
        let (trains, full) = (scenario.mode.trains(), scenario.mode == Mode::Training);
        let mut changed = **scenario;
        let training = |applies: bool| if applies { Ok(()) } else { Err(Idle::TrainingOnly) };
        match self {
            Self::FreeStaleTensors => {
                if !(trains && scenario.training.stock.outputs_kept) {
                    return Err(Idle::NothingStale);
                }
                changed.training.stock.outputs_kept = false;
            }
            Self::SmallerMicroBatch => {
                training(trains)?;
                if scenario.batch == 1 {
                    return Err(Idle::SingleSequence);
                }
                (changed.batch, changed.training.micro_batches) = divided(scenario)
                    .last()
                    .filter(|(batch, _)| *batch < scenario.batch)
                    .ok_or(Idle::SingleSequence)?;
            }
            Self::MixedPrecision => {
                if scenario.weights != WeightFormat::Fp32 && !(full && scenario.recipe() == Recipe::Fp32) {
                    return Err(Idle::SixteenBits);
                }
                changed.weights = sixteen_bits(scenario.runtime(), scenario.gpu);
                changed.training.recipe = changed.usual_recipe();
                // What becomes of gradients between two steps is no matter of precision: both sides do the same.
                if full && gradients::between_steps(&changed) != gradients::between_steps(scenario) {
                    changed.training.gradients = Gradients::Freed;
                }
            }
            Self::FlashAttention => {
                if scenario.attention == Attention::Flash {
                    return Err(Idle::FlashOn);
                }
                changed.attention = Attention::Flash;
            }
            Self::ChunkedLoss => {
                training(trains)?;
                if scenario.training.loss == Loss::Chunked {
                    return Err(Idle::LossChunked);
                }
                changed.training.loss = Loss::Chunked;
            }
            Self::SelectiveCheckpointing => {
                training(trains)?;
                if matches!(scenario.checkpointing, Checkpointing::PerOp | Checkpointing::Full) {
                    return Err(Idle::MuchRecomputed);
                }
                changed.checkpointing = Checkpointing::PerOp;
            }
            Self::FullCheckpointing => {
                training(trains)?;
                if scenario.checkpointing == Checkpointing::Full {
                    return Err(Idle::AllRecomputed);
                }
                changed.checkpointing = Checkpointing::Full;
            }
            Self::EightBitOptimizer => {
                training(trains)?;
                if scenario.offload.optimizer {
                    return Err(Idle::StatesAway);
                }
                if !matches!(scenario.optimizer, Optimizer::AdamW) {
                    return Err(Idle::NoMoments);
                }
                changed.optimizer = Optimizer::AdamW8bit;
            }
            Self::QuantizedCache => {
                if trains {
                    return Err(Idle::InferenceOnly);
                }
                if !matches!(scenario.kv, KvPrecision::Fp32 | KvPrecision::Fp16 | KvPrecision::Bf16) {
                    return Err(Idle::CacheQuantised);
                }
                changed.kv = eight_bit_cache(scenario);
            }
            Self::EightBitWeights => {
                if trains {
                    return Err(Idle::InferenceOnly);
                }
                if !scenario.weights.trainable() {
                    return Err(Idle::WeightsQuantised);
                }
                changed.weights = eight_bits(scenario);
            }
            Self::FourBitWeights => {
                if trains {
                    return Err(Idle::InferenceOnly);
                }
                if scenario.weights.block().bits_per_value() < 8.0 {
                    return Err(Idle::FewBits);
                }
                changed.weights = four_bits(scenario);
            }
            Self::Lora => {
                training(trains)?;
                if !full {
                    return Err(Idle::AdaptersLearn);
                }
                changed = in_mode(scenario, Mode::Lora, scenario.weights);
            }
            Self::Qlora => {
                training(trains)?;
                if scenario.mode == Mode::Qlora {
                    return Err(Idle::FrozenInFour);
                }
                changed = in_mode(scenario, Mode::Qlora, WeightFormat::Nf4Dq);
            }
            Self::NoUpcast => {
                if !scenario.upcasts() {
                    return Err(Idle::NotUpcast);
                }
                changed.training.lora.upcast = false;
            }
            Self::QuantisedExperts => {
                if !trains || !scenario.leaves_experts() {
                    return Err(Idle::NoWideExperts);
                }
                changed.training.lora.experts = true;
            }
            Self::ZeroOptimizer => shard(&mut changed, ZeroStage::Optimizer)?,
            Self::ZeroGradients => shard(&mut changed, ZeroStage::Gradients)?,
            Self::ZeroWeights => shard(&mut changed, ZeroStage::Weights)?,
            Self::TensorParallel => {
                changed.parallel.tp = scenario.parallel.tp.saturating_mul(2);
                if scenario.runtime() == Some(Engine::Vllm) && scenario.parallel.ep > 1 {
                    // vLLM spreads experts over all ranks or over none.
                    changed.parallel.ep = scenario.parallel.ep.saturating_mul(2);
                }
                if changed.parallel.tp > 8 {
                    return Err(Idle::BeyondComputer);
                }
                if changed.divides().is_err() {
                    return Err(Idle::NoDivisor);
                }
                changed = changed.with_demands();
            }
            Self::PipelineParallel => {
                changed.parallel.pp = scenario.parallel.pp.saturating_mul(2);
                if changed.divides().is_err() {
                    return Err(Idle::FewLayers);
                }
                changed = changed.with_demands();
            }
            Self::OffloadOptimizer => {
                training(trains)?;
                if scenario.offload.optimizer {
                    return Err(Idle::StatesOffloaded);
                }
                changed = optimizer_on_host(&changed);
                offloadable(&changed)?;
            }
            Self::OffloadParameters => {
                if scenario.offload.parameters {
                    return Err(Idle::WeightsOffloaded);
                }
                changed.offload.parameters = true;
                offloadable(&changed)?;
            }
            Self::OffloadCache => {
                if trains {
                    return Err(Idle::InferenceOnly);
                }
                if scenario.offload.kv_cache {
                    return Err(Idle::CacheOffloaded);
                }
                changed.offload.kv_cache = true;
                offloadable(&changed)?;
            }
            Self::BiggerGpu => {
                let Some(gpu) = scenario.gpu else { return Err(Idle::NoGpu) };
                changed = scenario.on(bigger(scenario, gpu).ok_or(Idle::LargestGpu)?);
            }
        }
        changed.check().map_err(|error| match error {
            ScenarioError::Cut(
                CutError::Lacks(_, TrainerOption::PartOffload) | CutError::Sharded(_, TrainerOption::PartOffload),
            ) => Idle::OnlyTogether,
            ScenarioError::Cut(CutError::Lacks(..)) => Idle::CodeLacks,
            ScenarioError::Cut(_) => Idle::CodeCannotCut,
            _ => Idle::CannotChange,
        })
    }
}

/// The scenario with the optimizer's states in host memory: by transformers' code with `DeepSpeed`, whose ZeRO-2 moves the gradients too, on one GPU as on many.
pub(super) fn optimizer_on_host(scenario: &Scenario) -> Scenario {
    let mut changed = *scenario;
    changed.offload.optimizer = true;
    let by_deepspeed = scenario.mode == Mode::Training
        && scenario.training.implementation == Implementation::Transformers
        && !scenario.offload.parameters;
    if by_deepspeed && matches!(scenario.parallel.zero, ZeroStage::None | ZeroStage::Optimizer) {
        changed.parallel.zero = ZeroStage::Gradients;
    }
    changed
}

/// The scenario in another mode, whose usual recipe takes the place of the usual one before.
fn in_mode(scenario: &Scenario, mode: Mode, weights: WeightFormat) -> Scenario {
    let mut changed = Scenario { mode, weights, ..*scenario };
    if scenario.training.recipe == scenario.usual_recipe() {
        changed.training.recipe = changed.usual_recipe();
    }
    changed
}

/// The smallest GPU with more memory that holds the scenario with room to spare and is no slower; if all that hold it are slower,
/// the smallest of those; and if none holds it, the largest.
fn bigger(scenario: &Checked, own: &Gpu) -> Option<&'static Gpu> {
    let larger = |other: &Checked| other.gpu.is_some_and(|gpu| gpu.capacity > own.capacity);
    let capacity = |other: &Checked| other.gpu.map(|gpu| gpu.capacity);
    let holds = || alternatives::roomy(scenario).filter(larger);
    let quick = holds().filter(|other| cost::time_ratio(scenario, other) <= NO_SLOWER);
    let smallest = quick.min_by_key(capacity).or_else(|| holds().min_by_key(capacity));
    smallest.or_else(|| alternatives::of(scenario).filter(larger).max_by_key(capacity))?.gpu
}

/// A GPU that takes a twentieth longer passes for as quick: the estimate of time is no finer.
const NO_SLOWER: f64 = 1.05;

/// 8-bit weights as the scenario's program loads them.
pub(super) fn eight_bits(scenario: &Scenario) -> WeightFormat {
    match scenario.serving.engine {
        Engine::LlamaCpp => WeightFormat::Q8Zero,
        // It multiplies no 8-bit integers there.
        Engine::Vllm if scenario.gpu.is_some_and(capability::is_blackwell) => WeightFormat::Fp8,
        _ => WeightFormat::Int8,
    }
}

/// 4-bit weights as the scenario's program loads them.
pub(super) const fn four_bits(scenario: &Scenario) -> WeightFormat {
    match scenario.serving.engine {
        Engine::LlamaCpp => WeightFormat::Q4K,
        _ if scenario.weights.is_gguf() => WeightFormat::Q4K,
        _ => WeightFormat::Int4,
    }
}

/// The 8-bit cache that the scenario's program has.
pub(super) const fn eight_bit_cache(scenario: &Scenario) -> KvPrecision {
    match scenario.serving.engine {
        Engine::LlamaCpp | Engine::Hf => KvPrecision::Int8,
        Engine::Vllm | Engine::Exact => KvPrecision::Fp8,
    }
}

/// Every way to read the sequences of a step in equal micro-batches no larger than now, the largest first: batch and `micro_batches`.
pub(super) fn divided(scenario: &Scenario) -> impl Iterator<Item = (u32, u32)> + use<> {
    let (batch, micro_batches) = (scenario.batch, scenario.training.micro_batches);
    let root = batch.isqrt();
    let larger = (1..=root).filter(move |parts| batch.is_multiple_of(*parts));
    let smaller = larger.clone().rev().filter(move |size| *size != batch / *size);
    larger
        .chain(smaller.map(move |size| batch / size))
        .filter_map(move |parts| Some((batch / parts, micro_batches.checked_mul(parts)?)))
        .filter(|(_, micro_batches)| *micro_batches <= bounds::MICRO_BATCHES.max)
}

fn offloadable(changed: &Scenario) -> Result<(), Idle> {
    Offload::check(changed).map_err(|error| match error {
        OffloadError::CacheStays => Idle::CacheKept,
        OffloadError::QuantisedStays => Idle::QuantisedKept,
        OffloadError::FrozenStays => Idle::FrozenKept,
        OffloadError::ComputedOnCpu => Idle::ComputedOnCpu,
        OffloadError::StepOnGpu(_) => Idle::StepOnGpu,
        OffloadError::SharedMemory(_) => Idle::SharedMemory,
    })
}

fn shard(scenario: &mut Scenario, stage: ZeroStage) -> Result<(), Idle> {
    if !scenario.mode.trains() {
        return Err(Idle::TrainingOnly);
    }
    if scenario.parallel.dp > 1 && scenario.parallel.shards_from(stage) > 1 {
        return Err(Idle::SharedOut);
    }
    if scenario.parallel.dp == 1 {
        scenario.parallel.dp = SHARDED_RANKS;
    }
    scenario.parallel.zero = stage;
    Ok(())
}
