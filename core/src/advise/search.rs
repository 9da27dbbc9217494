//! The search over all combinations of fixes on the same cards.

use super::Effect;
use crate::bounds;
use crate::checked::Checked;
use crate::cost;
use crate::engines;
use crate::evaluate;
use crate::offload::Offload;
use crate::parallelism::ZeroStage;
use crate::precision::{KvPrecision, WeightFormat};
use crate::scenario::{Attention, Scenario};
use crate::serving::Engine;
use crate::training::{Checkpointing, Loss, Optimizer};

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
/// let scenario = scenario.check().unwrap();
/// let plan = advise::least_slow(&scenario).unwrap();
/// assert!(plan.effect.total <= scenario.gpu.unwrap().capacity && !plan.lossy);
/// ```
pub fn least_slow(scenario: &Checked) -> Option<Plan> {
    search(scenario, false).or_else(|| search(scenario, true))
}

/// The same for one kind of fixes alone: those that leave the results as they are, or combinations with those that may change them a little.
pub fn search(scenario: &Checked, lossy: bool) -> Option<Plan> {
    let capacity = scenario.gpu?.capacity;
    let before = evaluate::total(scenario);
    // What fits as it is needs no fix.
    let mut best = (!lossy && before <= engines::limit(scenario, capacity)).then_some((*scenario, 1.0));
    each_combination(scenario, lossy, &mut |candidate| {
        let Ok(candidate) = candidate.check() else { return };
        let slowdown = cost::slowdown(scenario, &candidate);
        if best.as_ref().is_none_or(|(_, least)| slowdown < *least) && evaluate::fits(&candidate, capacity) {
            best = Some((candidate, slowdown));
        }
    });
    best.map(|(found, _)| Plan { effect: Effect::of(scenario, before, &found), lossy })
}

/// Every combination of the levers that the mode has.
fn each_combination(scenario: &Checked, lossy: bool, visit: &mut dyn FnMut(&Scenario)) {
    let flash = Scenario { attention: Attention::Flash, ..**scenario };
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
