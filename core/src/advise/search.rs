//! The search over all combinations of fixes on the same GPUs, and the choice of the gentlest.

use super::Effect;
use super::burden::{burden, pruned};
use super::mitigation::{divided, eight_bit_cache, eight_bits, four_bits, optimizer_on_host};
use crate::checked::Checked;
use crate::cost;
use crate::engines::vllm::Roomier;
use crate::evaluate;
use crate::parallelism::ZeroStage;
use crate::precision::{KvPrecision, WeightFormat};
use crate::scenario::{Attention, Mode, Offload, Scenario, sixteen_bits};
use crate::training::{Checkpointing, Implementation, Loss, Optimizer};
use crate::verdict::Verdict;

/// A combination of fixes on the same GPUs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// What it does.
    pub effect: Effect,
    /// Whether it may change results: 8-bit optimizer states, quantised weights, experts or cache, `QLoRA` in place of `LoRA` or without its upcast.
    pub lossy: bool,
}

/// The gentlest combinations by what the GPU makes of them, out of all that were tried.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Found {
    /// The one to recommend: it fits with room to spare and takes no more than [`TOO_SLOW`].
    pub fits: Option<Plan>,
    /// One that fits with room to spare and takes longer than that.
    pub slow: Option<Plan>,
    /// One that is only tight: it may fail by fragmentation.
    pub tight: Option<Plan>,
}

/// A combination that takes more than this many times as long is one that nobody would run: it is named, and not recommended.
pub const TOO_SLOW: f64 = 4.0;

/// Combinations that take up to this many times as long as the quickest pass for as quick: the estimate of time is no finer, and a
/// gentler combination is worth a few percent.
pub const AS_QUICK: f64 = 1.1;

/// The combination to recommend: one that fits with room to spare and leaves the results as they are, and where there is none,
/// one that may change them a little. `None` where no GPU is named, or nothing fits with room to spare and is quick enough.
///
/// ```
/// use memory_wall_core::{Mode, Scenario, Verdict, advise, tables::{gpus, models}};
/// let mut scenario = Scenario::new(models::by_id("llama-3.2-1b").unwrap().architecture);
/// (scenario.mode, scenario.batch, scenario.gpu) = (Mode::Training, 8, gpus::by_id("rtx4090"));
/// let plan = advise::gentlest(&scenario.check().unwrap()).unwrap();
/// assert!(plan.effect.verdict == Some(Verdict::Fits) && !plan.lossy);
/// ```
pub fn gentlest(scenario: &Checked) -> Option<Plan> {
    search(scenario, false).fits.or_else(|| search(scenario, true).fits)
}

/// What the GPU makes of a combination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Fits,
    Slow,
    Tight,
}

impl Class {
    /// That of a combination that takes so many times as long.
    fn of(candidate: &Checked, time: f64) -> Option<Self> {
        match evaluate::verdict(candidate)? {
            Verdict::Fits if time > TOO_SLOW => Some(Self::Slow),
            Verdict::Fits => Some(Self::Fits),
            Verdict::Tight => Some(Self::Tight),
            Verdict::Queues | Verdict::DoesNotFit => None,
        }
    }
}

/// One combination with what decides between several.
#[derive(Clone, Copy)]
struct Candidate {
    scenario: Checked,
    burden: u32,
    time: f64,
}

/// Searches all combinations of one kind on the same GPUs: those that leave the results as they are, or those that may change them a little.
///
/// Of those that are about as quick as the quickest ([`AS_QUICK`]) it takes the gentlest, and leaves out every fix without which the rest
/// does as well. To be quicker than the run is now is no aim. `LoRA` in place of full training, more GPUs and other GPUs are not tried: they change what is done, not how.
/// Micro-batches are tried in every size that divides the batch, so a step reads as many sequences as before.
pub fn search(scenario: &Checked, lossy: bool) -> Found {
    Quickest::of(scenario, lossy).gentlest(scenario)
}

/// The first half of [`search`]: how long the quickest combination of each class takes, as a multiple of the time without it, at least 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quickest {
    lossy: bool,
    least: [Option<f64>; 3],
}

impl Quickest {
    /// Of all combinations that leave the results as they are, or of those that may change them a little; nothing without a GPU.
    pub fn of(scenario: &Checked, lossy: bool) -> Self {
        let mut least = [None::<f64>; 3];
        if scenario.gpu.is_some() {
            let ratio = cost::time_ratios(scenario);
            each(scenario, lossy, &mut |candidate| {
                let time = ratio(candidate).max(1.0);
                if least.iter().all(|least| least.is_some_and(|least| least <= time)) {
                    return;
                }
                if let Some(class) = Class::of(candidate, time)
                    && let Some(least) = least.get_mut(class as usize)
                {
                    *least = Some(least.map_or(time, |least| least.min(time)));
                }
            });
        }
        Self { lossy, least }
    }

    /// The second half: the gentlest of those that are about as quick, for the same scenario.
    pub fn gentlest(&self, scenario: &Checked) -> Found {
        let Self { lossy, least: quick } = *self;
        if quick == [None; 3] {
            return Found::default();
        }
        let ratio = cost::time_ratios(scenario);
        let takes = |candidate: &Checked| ratio(candidate).max(1.0);
        let mut best = [None::<Candidate>; 3];
        each(scenario, lossy, &mut |candidate| {
            let time = takes(candidate);
            let as_quick = |least: &Option<f64>| least.is_some_and(|least| time <= least * AS_QUICK);
            if !quick.iter().any(as_quick) {
                return;
            }
            let burden = burden(scenario, candidate);
            let gentler = |known: &Option<Candidate>| {
                known.is_none_or(|known| burden < known.burden || (burden == known.burden && time < known.time))
            };
            if !quick.iter().zip(&best).any(|(least, known)| as_quick(least) && gentler(known)) {
                return;
            }
            let Some(class) = Class::of(candidate, time) else { return };
            if let (Some(least), Some(known)) = (quick.get(class as usize), best.get_mut(class as usize))
                && as_quick(least)
                && gentler(known)
            {
                *known = Some(Candidate { scenario: *candidate, burden, time });
            }
        });
        let before = evaluate::total(scenario);
        let [fits, slow, tight] = [Class::Fits, Class::Slow, Class::Tight].map(|wanted| {
            let found = best.get(wanted as usize).copied().flatten()?;
            let enough = |other: &Checked| Class::of(other, takes(other)) == Some(wanted);
            let scenario_with = pruned(scenario, &found.scenario, enough);
            Some(Plan { effect: Effect::of(scenario, before, &scenario_with), lossy })
        });
        Found { fits, slow, tight }
    }
}

/// The scenario as it is, where that leaves results as they are, and every legal combination of the levers that its mode has.
fn each(scenario: &Checked, lossy: bool, visit: &mut dyn FnMut(&Checked)) {
    if !lossy {
        visit(scenario);
    }
    let flash = Scenario { attention: Attention::Flash, ..**scenario };
    let mut checked = |candidate: &Scenario| {
        if let Ok(candidate) = candidate.check() {
            visit(&candidate);
        }
    };
    if scenario.mode.trains() {
        each_training(&flash, lossy, &mut checked);
    } else {
        // A setting of the server costs nothing, so it is tried with each combination.
        each_serving(&flash, lossy, &mut |candidate, roomier| {
            checked(candidate);
            roomier.into_iter().flat_map(|it| it.each(candidate)).for_each(|other| checked(&other));
        });
    }
}

fn each_training(scenario: &Scenario, lossy: bool, visit: &mut dyn FnMut(&Scenario)) {
    if lossy && scenario.mode == Mode::Lora {
        // The same adapters beside weights frozen in 4 bits.
        let frozen = Scenario { mode: Mode::Qlora, weights: WeightFormat::Nf4Dq, ..*scenario };
        each_frozen(&frozen, visit);
        each_training(&frozen, false, visit);
    }
    if lossy {
        each_frozen(scenario, visit);
    }
    let optimizers: &[Optimizer] = match scenario.optimizer {
        Optimizer::AdamW if lossy => &[Optimizer::AdamW8bit],
        _ if lossy => return,
        _ => core::slice::from_ref(&scenario.optimizer),
    };
    let recomputed: &[Checkpointing] = match scenario.checkpointing {
        Checkpointing::Full => &[Checkpointing::Full],
        Checkpointing::PerOp => &[Checkpointing::PerOp, Checkpointing::Full],
        Checkpointing::Selective => &[Checkpointing::Selective, Checkpointing::PerOp, Checkpointing::Full],
        Checkpointing::None => &[Checkpointing::None, Checkpointing::PerOp, Checkpointing::Full],
    };
    let losses: &[Loss] = if scenario.training.loss == Loss::Plain {
        &[Loss::Plain, Loss::Chunked]
    } else {
        core::slice::from_ref(&scenario.training.loss)
    };
    // Sharding less than now is no fix.
    let own = ZeroStage::ALL.iter().position(|stage| *stage == scenario.parallel.zero).unwrap_or(0);
    // Megatron-LM is run with its distributed optimizer; what its own FSDP shards is no usual plan.
    let megatron = scenario.training.implementation == Implementation::Megatron;
    let end = if megatron { own.max(1) + 1 } else { ZeroStage::ALL.len() };
    let more = ZeroStage::ALL.get(own..end).unwrap_or_default();
    let stages = if scenario.parallel.dp > 1 { more } else { core::slice::from_ref(&scenario.parallel.zero) };
    for (batch, micro_batches) in divided(scenario) {
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
                            candidate.offload.parameters |= weights;
                            if states {
                                candidate = optimizer_on_host(&candidate);
                            }
                            visit(&candidate);
                        }
                    }
                }
            }
        }
    }
}

/// What `QLoRA` can leave in 16 bits or quantise besides.
fn each_frozen(scenario: &Scenario, visit: &mut dyn FnMut(&Scenario)) {
    if scenario.upcasts() {
        each_training(&without_upcast(scenario), false, visit);
    }
    if scenario.mode == Mode::Qlora && scenario.leaves_experts() {
        let mut narrow = *scenario;
        narrow.training.lora.experts = true;
        each_training(&narrow, false, visit);
        each_training(&without_upcast(&narrow), false, visit);
    }
}

/// Without the copy in fp32 of what bitsandbytes leaves in 16 bits, as TRL trains.
///
/// # Source
/// Pull request 4457 of github.com/huggingface/trl (merged 2025-11), which saw the same losses and less memory. Read 2026-11-23.
const fn without_upcast(scenario: &Scenario) -> Scenario {
    let mut other = *scenario;
    other.training.lora.upcast = false;
    other
}

/// With each combination goes what a server may be told in its format of the weights.
fn each_serving(scenario: &Scenario, lossy: bool, visit: &mut dyn FnMut(&Scenario, Option<Roomier>)) {
    let own_weights = core::slice::from_ref(&scenario.weights);
    let own_cache = core::slice::from_ref(&scenario.kv);
    // 16-bit weights are 16-bit weights: the scenario's own kind stays.
    let sixteen = if scenario.weights == WeightFormat::Fp32 {
        sixteen_bits(scenario.runtime(), scenario.gpu)
    } else {
        scenario.weights
    };
    let narrower = [scenario.weights, sixteen, eight_bits(scenario), four_bits(scenario)];
    let narrower = narrower.get(usize::from(sixteen == scenario.weights)..).unwrap_or_default();
    // 8 bits become 4.
    let four = [scenario.weights, four_bits(scenario)];
    let weights: &[WeightFormat] = match lossy {
        true if scenario.weights.trainable() => narrower,
        true if scenario.weights.block().bits_per_value() >= 8.0 => &four,
        _ => own_weights,
    };
    // What the program cannot keep a cache in, a check refuses.
    let caches: &[KvPrecision] =
        if lossy { &[KvPrecision::Bf16, eight_bit_cache(scenario), KvPrecision::Int4] } else { own_cache };
    let bits = |kv: KvPrecision| kv.block().bits_per_value();
    for &weights in weights {
        let roomier = Roomier::of(&Scenario { weights, ..*scenario });
        for &kv in caches.iter().filter(|kv| bits(**kv) <= bits(scenario.kv)) {
            for parameters in [false, true] {
                for kv_cache in [false, true] {
                    let offload = Offload {
                        parameters: scenario.offload.parameters || parameters,
                        kv_cache: scenario.offload.kv_cache || kv_cache,
                        ..scenario.offload
                    };
                    let kv = if bits(kv) < bits(scenario.kv) { kv } else { scenario.kv };
                    visit(&Scenario { weights, kv, offload, ..*scenario }, roomier);
                }
            }
        }
    }
}
