//! The search over all combinations of fixes on the same cards.

use super::Effect;
use super::rung::{eight_bit_cache, eight_bits, four_bits};
use crate::bounds;
use crate::checked::Checked;
use crate::cost;
use crate::engines::vllm;
use crate::evaluate::{self, Verdict};
use crate::offload::Offload;
use crate::parallelism::ZeroStage;
use crate::precision::{KvPrecision, WeightFormat};
use crate::scenario::{Attention, Scenario};
use crate::training::{Checkpointing, Loss, Optimizer};

/// A combination of fixes on the same GPUs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// What it does.
    pub effect: Effect,
    /// Whether it may change results: 8-bit optimizer states, quantised weights or cache.
    pub lossy: bool,
}

/// The quickest combinations by what the GPU makes of them, out of all that were tried.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Found {
    /// The quickest that fits with room to spare, if it takes no more than [`TOO_SLOW`]: the one to recommend.
    pub fits: Option<Plan>,
    /// The quickest that fits with room to spare and takes longer than that.
    pub slow: Option<Plan>,
    /// The quickest that is only tight: it may fail by fragmentation.
    pub tight: Option<Plan>,
}

/// A combination that takes more than this many times as long is one that nobody would run: it is named, and not recommended.
pub const TOO_SLOW: f64 = 4.0;

/// The combination to recommend: the quickest that fits with room to spare and leaves the results as they are, and where there is none,
/// the quickest that may change them a little. `None` where no GPU is named, or nothing fits with room to spare and is quick enough.
///
/// ```
/// use memory_wall_core::{Mode, Scenario, Verdict, advise, tables::{gpus, models}};
/// let mut scenario = Scenario::new(models::by_id("llama-3.2-1b").unwrap().architecture);
/// (scenario.mode, scenario.batch, scenario.gpu) = (Mode::Training, 8, gpus::by_id("rtx4090"));
/// let plan = advise::quickest(&scenario.check().unwrap()).unwrap();
/// assert!(plan.effect.verdict == Some(Verdict::Fits) && !plan.lossy);
/// ```
pub fn quickest(scenario: &Checked) -> Option<Plan> {
    search(scenario, false).fits.or_else(|| search(scenario, true).fits)
}

/// Searches all combinations of one kind on the same GPUs: those that leave the results as they are, or those that may change them a little.
///
/// `LoRA`, more GPUs and other GPUs are not tried: they change what is done, not how.
/// Micro-batches are halved down to a single sequence, so every batch of the search divides the work alike.
pub fn search(scenario: &Checked, lossy: bool) -> Found {
    if scenario.gpu.is_none() {
        return Found::default();
    }
    let (mut fits, mut slow, mut tight) = (None, None, None);
    let mut visit = |candidate: &Scenario| {
        let Ok(candidate) = candidate.check() else { return };
        let time = cost::time_ratio(scenario, &candidate);
        let quicker = |known: &Option<(Checked, f64)>| known.is_none_or(|(_, least)| time < least);
        let of_use = quicker(&fits) || quicker(&slow) || quicker(&tight);
        if !of_use {
            return;
        }
        let place = match evaluate::verdict(&candidate) {
            Some(Verdict::Fits) if time > TOO_SLOW => &mut slow,
            Some(Verdict::Fits) => &mut fits,
            Some(Verdict::Tight) => &mut tight,
            Some(Verdict::DoesNotFit) | None => return,
        };
        if quicker(place) {
            *place = Some((candidate, time));
        }
    };
    if !lossy {
        // What fits as it is needs no fix.
        visit(scenario);
    }
    each_combination(scenario, lossy, &mut visit);
    let before = evaluate::total(scenario);
    let plan = |found: (Checked, f64)| Plan { effect: Effect::of(scenario, before, &found.0), lossy };
    Found { fits: fits.map(plan), slow: slow.map(plan), tight: tight.map(plan) }
}

/// Every combination of the levers that the mode has.
fn each_combination(scenario: &Checked, lossy: bool, visit: &mut dyn FnMut(&Scenario)) {
    let flash = Scenario { attention: Attention::Flash, ..**scenario };
    if scenario.mode.trains() {
        each_training(&flash, lossy, visit);
    } else {
        // A setting of the server costs nothing, so it is tried with each combination.
        each_serving(&flash, lossy, &mut |candidate| {
            visit(candidate);
            vllm::roomier(candidate).for_each(|other| visit(&other));
        });
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
    let narrower = [WeightFormat::Bf16, eight_bits(scenario), four_bits(scenario)];
    let weights: &[WeightFormat] = if lossy && scenario.weights.trainable() { &narrower } else { own_weights };
    // What the program cannot keep a cache in, a check refuses.
    let caches: &[KvPrecision] =
        if lossy { &[KvPrecision::Bf16, eight_bit_cache(scenario), KvPrecision::Int4] } else { own_cache };
    let bits = |kv: KvPrecision| kv.block().bits_per_value();
    for &weights in weights {
        for &kv in caches.iter().filter(|kv| bits(**kv) <= bits(scenario.kv)) {
            for parameters in [false, true] {
                for kv_cache in [false, true] {
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
