//! What to do about a run that does not fit: the ladder of fixes, cheapest first, and the least slow combination of them.
//!
//! Every rung is a change to the scenario, so that the engine itself says what it saves; nothing is a rule of thumb.

use crate::bounds;
use crate::cost;
use crate::engines;
use crate::evaluate;
use crate::offload::Offload;
use crate::parallelism::ZeroStage;
use crate::precision::{KvPrecision, WeightFormat};
use crate::scenario::{Attention, Mode, Scenario};
use crate::serving::Engine;
use crate::tables::gpus::GPUS;
use crate::training::{Checkpointing, Loss, Optimizer, Recipe};
use crate::units::{Bytes, SignedBytes};

choices! {
    /// One fix, in the order in which they are worth trying.
    Rung {
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
        /// Share optimizer states out over data-parallel ranks.
        ZeroOptimizer = "zero-1";
        /// Share gradients out too.
        ZeroGradients = "zero-2";
        /// Share weights out too.
        ZeroWeights = "zero-3";
        /// Cut each matrix over twice as many cards.
        TensorParallel = "tensor-parallel";
        /// Cut the layers over twice as many cards.
        PipelineParallel = "pipeline-parallel";
        /// Keep optimizer states in host memory.
        OffloadOptimizer = "offload-optimizer";
        /// Keep the layers' weights in host memory.
        OffloadParameters = "offload-parameters";
        /// Keep the KV cache in host memory.
        OffloadCache = "offload-cache";
        /// A card with more memory.
        BiggerCard = "bigger-card";
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

/// Data-parallel ranks that sharding is shown on where the scenario has one card.
const SHARDED_RANKS: u32 = 8;

impl Rung {
    /// What it may do to the results.
    pub const fn risk(self) -> Risk {
        match self {
            Self::EightBitOptimizer | Self::MixedPrecision | Self::EightBitWeights => Risk::Low,
            Self::QuantizedCache | Self::FourBitWeights => Risk::Medium,
            Self::Lora | Self::Qlora => Risk::High,
            _ => Risk::None,
        }
    }

    /// What it asks for.
    pub const fn effort(self) -> Effort {
        match self {
            Self::FreeStaleTensors | Self::ChunkedLoss | Self::Lora | Self::Qlora | Self::SelectiveCheckpointing => {
                Effort::Code
            }
            Self::ZeroOptimizer
            | Self::ZeroGradients
            | Self::ZeroWeights
            | Self::TensorParallel
            | Self::PipelineParallel => Effort::Launch,
            Self::BiggerCard => Effort::Hardware,
            _ => Effort::Flag,
        }
    }

    /// The scenario with this fix, or why it does nothing here.
    pub fn apply(self, scenario: &Scenario) -> Result<Scenario, &'static str> {
        const TRAINING_ONLY: &str = "it acts on training only";
        const INFERENCE_ONLY: &str = "it acts on inference only";
        const LEARNS_ALL: &str = "the model is frozen already: only adapters learn";
        let (trains, full) = (scenario.mode.trains(), scenario.mode == Mode::Training);
        let mut changed = *scenario;
        let training = |applies: bool| if applies { Ok(()) } else { Err(TRAINING_ONLY) };
        match self {
            Self::FreeStaleTensors => {
                if !(trains && scenario.training.stock.outputs_kept) {
                    return Err(
                        "no stale tensor is counted in this estimate; a smaller margin than 10% may still be lost to fragmentation",
                    );
                }
                changed.training.stock.outputs_kept = false;
            }
            Self::SmallerMicroBatch => {
                training(trains)?;
                if scenario.batch == 1 {
                    return Err("the micro-batch is a single sequence already");
                }
                let micro_batches = scenario.training.micro_batches.saturating_mul(scenario.batch);
                changed.training.micro_batches = micro_batches.min(bounds::MICRO_BATCHES.max);
                changed.batch = 1;
            }
            Self::MixedPrecision => {
                if scenario.weights != WeightFormat::Fp32 && !(full && scenario.recipe() == Recipe::Fp32) {
                    return Err("matrix multiplications run in 16 bits already");
                }
                changed.weights = WeightFormat::Bf16;
                changed.training.recipe = Recipe::Mixed;
            }
            Self::FlashAttention => {
                if scenario.attention == Attention::Flash {
                    return Err("flash attention is on already");
                }
                changed.attention = Attention::Flash;
            }
            Self::ChunkedLoss => {
                training(trains)?;
                if scenario.training.loss == Loss::Chunked {
                    return Err("the loss is chunked already");
                }
                changed.training.loss = Loss::Chunked;
            }
            Self::SelectiveCheckpointing => {
                training(trains)?;
                if matches!(scenario.checkpointing, Checkpointing::PerOp | Checkpointing::Full) {
                    return Err("as much is recomputed already");
                }
                changed.checkpointing = Checkpointing::PerOp;
            }
            Self::FullCheckpointing => {
                training(trains)?;
                if scenario.checkpointing == Checkpointing::Full {
                    return Err("every layer is recomputed already");
                }
                changed.checkpointing = Checkpointing::Full;
            }
            Self::EightBitOptimizer => {
                training(trains)?;
                if scenario.offload.optimizer {
                    return Err("the optimizer's states wait in host memory");
                }
                if !matches!(scenario.optimizer, Optimizer::AdamW) {
                    return Err("the optimizer keeps no two wide moments");
                }
                changed.optimizer = Optimizer::AdamW8bit;
            }
            Self::QuantizedCache => {
                if trains {
                    return Err(INFERENCE_ONLY);
                }
                if !matches!(scenario.kv, KvPrecision::Fp32 | KvPrecision::Fp16 | KvPrecision::Bf16) {
                    return Err("the cache is quantised already");
                }
                changed.kv = match scenario.serving.engine {
                    Engine::LlamaCpp => KvPrecision::Int8,
                    _ => KvPrecision::Fp8,
                };
            }
            Self::EightBitWeights => {
                if trains {
                    return Err(INFERENCE_ONLY);
                }
                if !scenario.weights.trainable() {
                    return Err("the weights are quantised already");
                }
                changed.weights = WeightFormat::Int8;
            }
            Self::FourBitWeights => {
                if trains {
                    return Err(INFERENCE_ONLY);
                }
                if scenario.weights.block().bits_per_value() < 8.0 {
                    return Err("the weights have fewer than 8 bits already");
                }
                changed.weights = WeightFormat::Int4;
            }
            Self::Lora => {
                training(trains)?;
                if !full {
                    return Err(LEARNS_ALL);
                }
                changed.mode = Mode::Lora;
                changed.weights = scenario.weights;
            }
            Self::Qlora => {
                training(trains)?;
                if scenario.mode == Mode::Qlora {
                    return Err("the model is frozen in 4 bits already");
                }
                changed.mode = Mode::Qlora;
                changed.weights = WeightFormat::Nf4Dq;
            }
            Self::ZeroOptimizer => shard(&mut changed, ZeroStage::Optimizer)?,
            Self::ZeroGradients => shard(&mut changed, ZeroStage::Gradients)?,
            Self::ZeroWeights => shard(&mut changed, ZeroStage::Weights)?,
            Self::TensorParallel => {
                changed.parallel.tp = scenario.parallel.tp.saturating_mul(2);
                if changed.parallel.tp > 8 {
                    return Err("tensor parallelism beyond the cards of one computer is seldom worth its traffic");
                }
                if changed.parallel.check(&scenario.architecture).is_err() {
                    return Err("twice as many ranks do not divide the heads, the MLP or the vocabulary of this model");
                }
            }
            Self::PipelineParallel => {
                changed.parallel.pp = scenario.parallel.pp.saturating_mul(2);
                if changed.parallel.check(&scenario.architecture).is_err() {
                    return Err("there are not enough layers for twice as many stages");
                }
            }
            Self::OffloadOptimizer => {
                training(trains)?;
                if scenario.offload.optimizer {
                    return Err("the optimizer's states wait in host memory already");
                }
                changed.offload.optimizer = true;
            }
            Self::OffloadParameters => {
                if scenario.offload.parameters {
                    return Err("the weights wait in host memory already");
                }
                changed.offload.parameters = true;
            }
            Self::OffloadCache => {
                if trains {
                    return Err(INFERENCE_ONLY);
                }
                if scenario.offload.kv_cache {
                    return Err("the cache waits in host memory already");
                }
                if scenario.serving.engine == Engine::Vllm {
                    return Err("vLLM keeps the cache of running requests on the card");
                }
                changed.offload.kv_cache = true;
            }
            Self::BiggerCard => {
                let Some(gpu) = scenario.gpu else { return Err("no card is named") };
                let total = evaluate::total(scenario);
                let larger = GPUS.iter().filter(|other| other.capacity > gpu.capacity);
                let fitting = larger.clone().filter(|other| engines::limit(scenario, other.capacity) >= total);
                let fitting = fitting.min_by_key(|other| other.capacity);
                let largest = larger.max_by_key(|other| other.capacity);
                changed.gpu = Some(fitting.or(largest).ok_or("this is the largest card in the table")?);
            }
        }
        Ok(changed)
    }
}

fn shard(scenario: &mut Scenario, stage: ZeroStage) -> Result<(), &'static str> {
    if !scenario.mode.trains() {
        return Err("it acts on training only");
    }
    if scenario.parallel.dp > 1 && scenario.parallel.shards_from(stage) > 1 {
        return Err("these states are shared out already");
    }
    if scenario.parallel.dp == 1 {
        scenario.parallel.dp = SHARDED_RANKS;
    }
    scenario.parallel.zero = stage;
    Ok(())
}

/// What one fix does to a scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// The scenario with the fix.
    pub scenario: Scenario,
    /// The peak with it, on the fullest card.
    pub total: Bytes,
    /// The peak without it less the peak with it: negative makes it worse.
    pub saved: SignedBytes,
    /// How many times longer the same work takes, by a rough estimate ([`cost::slowdown`]).
    pub slowdown: f64,
    /// Cards in all.
    pub gpus: u64,
    /// Whether it fits then; `None` without a card.
    pub fits: Option<bool>,
}

impl Effect {
    /// The effect of a changed scenario.
    fn of(original: &Scenario, before: Bytes, scenario: &Scenario) -> Self {
        let total = evaluate::total(scenario);
        Self {
            scenario: *scenario,
            total,
            saved: before.minus(total),
            slowdown: cost::slowdown(original, scenario),
            gpus: scenario.parallel.ranks(),
            fits: scenario.gpu.map(|gpu| total <= engines::limit(scenario, gpu.capacity)),
        }
    }
}

/// Every rung of the ladder with its effect on the scenario, or the reason why it does nothing here.
///
/// ```
/// use memory_wall_core::{Mode, Scenario, advise::{Rung, ladder}, tables::{gpus, models}};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// (scenario.mode, scenario.gpu) = (Mode::Training, gpus::by_id("h100-sxm"));
/// let (_, flash) = ladder(&scenario).find(|(rung, _)| *rung == Rung::FlashAttention).unwrap();
/// assert_eq!(flash.unwrap_err(), "flash attention is on already");
/// ```
pub fn ladder(scenario: &Scenario) -> impl Iterator<Item = (Rung, Result<Effect, &'static str>)> {
    let scenario = *scenario;
    let before = evaluate::total(&scenario);
    Rung::ALL.iter().map(move |rung| {
        let effect = rung.apply(&scenario).and_then(|changed| {
            if changed.check().is_err() {
                return Err("this model cannot be changed so");
            }
            let effect = Effect::of(&scenario, before, &changed);
            // A bigger card saves nothing and still helps.
            if effect.saved.0 == 0 && *rung != Rung::BiggerCard {
                return Err("the peak is elsewhere: it stays as it is");
            }
            Ok(effect)
        });
        (*rung, effect)
    })
}

/// The combination of fixes that fits the card of the scenario with the least slowdown, by trying all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// What it does.
    pub effect: Effect,
    /// Whether it changes results: 8-bit optimizer states, quantised weights or cache. Tried only where nothing else fits.
    pub lossy: bool,
}

/// Searches all combinations on the same cards: first those that leave the results as they are, then with those that may change them a little.
///
/// `None` where no card is named or nothing fits. LoRA, more cards and other cards are not tried: they change what is done, not how.
/// Micro-batches are halved down to a single sequence, so every batch of the search divides the work alike.
///
/// ```
/// use memory_wall_core::{Mode, Scenario, advise, tables::{gpus, models}};
/// let mut scenario = Scenario::new(models::by_id("llama-3.2-1b").unwrap().architecture);
/// (scenario.mode, scenario.batch, scenario.gpu) = (Mode::Training, 8, gpus::by_id("rtx4090"));
/// let plan = advise::least_slow(&scenario).unwrap();
/// assert!(plan.effect.total <= scenario.gpu.unwrap().capacity && !plan.lossy);
/// ```
pub fn least_slow(scenario: &Scenario) -> Option<Plan> {
    search(scenario, false).or_else(|| search(scenario, true))
}

/// The same for one kind of fixes alone: those that leave the results as they are, or combinations with those that may change them a little.
pub fn search(scenario: &Scenario, lossy: bool) -> Option<Plan> {
    let capacity = scenario.gpu?.capacity;
    let before = evaluate::total(scenario);
    // What fits as it is needs no fix.
    let mut best = (!lossy && before <= engines::limit(scenario, capacity)).then_some((*scenario, 1.0));
    each_combination(scenario, lossy, &mut |candidate| {
        let slowdown = cost::slowdown(scenario, candidate);
        if best.as_ref().is_none_or(|(_, least)| slowdown < *least)
            && candidate.check().is_ok()
            && evaluate::fits(candidate, capacity)
        {
            best = Some((*candidate, slowdown));
        }
    });
    best.map(|(found, _)| Plan { effect: Effect::of(scenario, before, &found), lossy })
}

/// Every combination of the levers that the mode has.
fn each_combination(scenario: &Scenario, lossy: bool, visit: &mut dyn FnMut(&Scenario)) {
    let flash = Scenario { attention: Attention::Flash, ..*scenario };
    if scenario.mode.trains() {
        each_training(&flash, lossy, visit);
    } else {
        each_serving(&flash, lossy, visit);
    }
}

fn each_training(scenario: &Scenario, lossy: bool, visit: &mut dyn FnMut(&Scenario)) {
    let optimizers: &[Optimizer] = match scenario.optimizer {
        Optimizer::AdamW if lossy => &[Optimizer::AdamW8bit],
        _ if lossy => return,
        _ => core::slice::from_ref(&scenario.optimizer),
    };
    let recomputed: &[Checkpointing] = match scenario.checkpointing {
        Checkpointing::Full => &[Checkpointing::Full],
        Checkpointing::PerOp => &[Checkpointing::PerOp, Checkpointing::Full],
        _ => &[Checkpointing::None, Checkpointing::PerOp, Checkpointing::Full],
    };
    let losses: &[Loss] = if scenario.training.loss == Loss::Plain {
        &[Loss::Plain, Loss::Chunked]
    } else {
        core::slice::from_ref(&scenario.training.loss)
    };
    let stages: &[ZeroStage] =
        if scenario.parallel.dp > 1 { ZeroStage::ALL } else { core::slice::from_ref(&scenario.parallel.zero) };
    let mut batch = scenario.batch;
    let whole = u64::from(scenario.batch) * u64::from(scenario.training.micro_batches);
    while batch > 0 {
        let micro_batches =
            u32::try_from(whole.div_ceil(batch.into())).unwrap_or(u32::MAX).min(bounds::MICRO_BATCHES.max);
        for &checkpointing in recomputed {
            for &loss in losses {
                for &zero in stages {
                    for &optimizer in optimizers {
                        for [states, weights] in [[false, false], [true, false], [true, true]] {
                            let mut candidate = Scenario { batch, optimizer, checkpointing, ..*scenario };
                            candidate.training.micro_batches = micro_batches;
                            candidate.training.loss = loss;
                            candidate.training.stock.outputs_kept = false;
                            candidate.parallel.zero = zero;
                            candidate.offload.optimizer |= states;
                            candidate.offload.parameters |= weights;
                            visit(&candidate);
                        }
                    }
                }
            }
        }
        batch /= 2;
    }
}

fn each_serving(scenario: &Scenario, lossy: bool, visit: &mut dyn FnMut(&Scenario)) {
    let own_weights = core::slice::from_ref(&scenario.weights);
    let own_cache = core::slice::from_ref(&scenario.kv);
    let weights: &[WeightFormat] = if lossy && scenario.weights.trainable() {
        &[WeightFormat::Bf16, WeightFormat::Int8, WeightFormat::Int4]
    } else {
        own_weights
    };
    // What each program can keep a cache in.
    let caches: &[KvPrecision] = match scenario.serving.engine {
        _ if !lossy => own_cache,
        Engine::Vllm => &[KvPrecision::Bf16, KvPrecision::Fp8],
        Engine::LlamaCpp => &[KvPrecision::Bf16, KvPrecision::Int8, KvPrecision::Int4],
        Engine::Exact | Engine::Hf => &[KvPrecision::Bf16, KvPrecision::Fp8, KvPrecision::Int4],
    };
    let bits = |kv: KvPrecision| kv.block().bits_per_value();
    for &weights in weights {
        for &kv in caches.iter().filter(|kv| bits(**kv) <= bits(scenario.kv)) {
            for parameters in [false, true] {
                for &kv_cache in if scenario.serving.engine == Engine::Vllm { &[false][..] } else { &[false, true] } {
                    let offload = Offload {
                        parameters: scenario.offload.parameters || parameters,
                        kv_cache: scenario.offload.kv_cache || kv_cache,
                        ..scenario.offload
                    };
                    // 16-bit weights are 16-bit weights: the scenario's own kind stays.
                    let weights = if weights == WeightFormat::Bf16 { scenario.weights } else { weights };
                    visit(&Scenario { weights, kv, offload, ..*scenario });
                }
            }
        }
    }
}
