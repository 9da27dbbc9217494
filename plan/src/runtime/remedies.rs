//! Changes that help a plan that a runtime answers, or that llama.cpp could: each is the plan that it makes, with what is said to that.

use alloc::vec::Vec;

use memory_wall_core::{Engine, KvPrecision, Verdict, WeightFormat};
use memory_wall_runtimes::llamacpp::{self, Placement, Settings};

use super::{Layers, Placing};
use crate::answers::Spending;
use crate::changes::TOLD;
use crate::plan::Plan;
use crate::reply::Reply;
use crate::value::Value;

memory_wall_core::choices! {
    /// What is changed.
    Remedy {
        /// As few layers as possible leave their experts in host memory.
        ExpertsOnHost = "experts-on-host";
        /// As many layers on the GPU as fit, the others in host memory.
        MostLayers = "most-layers";
        /// A cache in 8 bits.
        QuantizedCache = "quantized-cache";
        /// Weights in 8 bits.
        Weights8 = "8bit-weights";
        /// Weights in 4 bits.
        Weights4 = "4bit-weights";
        /// Twice the tensor-parallel ranks.
        TensorParallel = "tensor-parallel";
    }
}

/// A change with what comes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What is changed: the name of a [`Remedy`], or where a model is trained on what it generates, of one of `runtimes/`.
    pub id: &'static str,
    /// The plan with it.
    pub plan: Plan,
    /// What is said to that plan.
    pub reply: Reply,
}

/// The changes that help a plan most, at most [`TOLD`]: those with which it fits come first, in the order of [`Remedy`], and where it generates, of the least memory.
///
/// # Example
/// ```
/// use memory_wall_plan::{answers::Spending, file, reply::Reply, runtime::steps};
/// let text = r#"{ "version": 1, "model": "llama-3.3-70b", "weights": "q4_k", "gpu": "rtx4090", "engine": "llamacpp", "seq": 8192 }"#;
/// let plan = &file::read(text).unwrap()[0];
/// let steps = steps(plan, &Reply::of(plan, Spending::default()).unwrap(), Spending::default());
/// assert!(steps[0].plan.get("ngl").is_some() && steps[0].reply.verdict().unwrap().holds());
/// ```
pub fn steps(plan: &Plan, reply: &Reply, spending: Spending) -> Vec<Step> {
    let Some(verdict) = reply.verdict() else { return Vec::new() };
    if let Reply::Rollout(rollout) = reply {
        return rollout.steps(plan, spending);
    }
    let tried = Remedy::ALL.iter().filter_map(|remedy| {
        let plan = remedy.plan(plan, reply)?;
        let reply = Reply::of(&plan, spending).ok()?;
        Some(Step { id: remedy.id(), plan, reply })
    });
    let mut steps: Vec<Step> = tried.filter(|step| step.helps(reply, verdict)).collect();
    steps.sort_by_key(|step| step.reply.verdict().map_or(u8::MAX, |verdict| verdict as u8));
    steps.truncate(TOLD);
    steps
}

impl Step {
    /// Whether it fits better, or where it fits as well, more is on the GPU or in the pool.
    fn helps(&self, before: &Reply, verdict: Verdict) -> bool {
        let Some(there) = self.reply.verdict() else { return false };
        if there as u8 != verdict as u8 {
            return (there as u8) < verdict as u8;
        }
        match (&self.reply, before) {
            (Reply::Layers(there), Reply::Layers(here)) => weight_of_host(there) < weight_of_host(here),
            (Reply::Pool(there), Reply::Pool(here)) => there.start.held.high > here.start.held.high,
            _ => false,
        }
    }
}

/// What is left to the CPU, which is read at each token.
fn weight_of_host(layers: &Layers) -> u128 {
    layers.placement.host.weights + layers.placement.host.cache
}

impl Remedy {
    /// The plan with the change; nothing where there is no such change.
    fn plan(self, plan: &Plan, reply: &Reply) -> Option<Plan> {
        let placed = match reply {
            Reply::Pool(_) => false,
            Reply::Layers(_) => true,
            // llama.cpp with everything on the GPU can leave layers to the CPU.
            Reply::Engine(answers) if answers.scenario.runtime() == Some(Engine::LlamaCpp) => {
                if !matches!(self, Self::ExpertsOnHost | Self::MostLayers) {
                    return None;
                }
                true
            }
            Reply::Engine(_) | Reply::Rollout(_) => return None,
        };
        let mut changed = plan.clone();
        let mut say = |option: &str, value: Option<Value>| match value {
            Some(value) => changed.set(option, value),
            None => changed.unset(option),
        };
        let scenario = reply.scenario();
        match self {
            Self::ExpertsOnHost if placed => {
                scenario.architecture.moe?;
                let count = found(plan, reply, llamacpp::fewest_cpu_moe)?;
                for option in ["ngl", "fit", "cpu_moe"] {
                    say(option, None);
                }
                say("n_cpu_moe", Some(Value::Count(count)));
            }
            Self::MostLayers if placed => {
                let count = found(plan, reply, llamacpp::most_gpu_layers)?;
                say("fit", None);
                say("ngl", Some(Value::Count(count)));
            }
            Self::QuantizedCache => {
                let kv = if placed { KvPrecision::Int8 } else { KvPrecision::Fp8 };
                let [now, then] = [scenario.kv, kv].map(|it| it.block().bits_per_value());
                (then < now).then_some(())?;
                for option in ["cache_type_k", "cache_type_v"] {
                    say(option, None);
                }
                say("kv", Some(Value::Word(kv.id())));
            }
            Self::Weights8 | Self::Weights4 => {
                let format = match (self, placed) {
                    (Self::Weights8, true) => WeightFormat::Q8Zero,
                    (Self::Weights8, false) => WeightFormat::Fp8,
                    (_, true) => WeightFormat::Q4K,
                    (_, false) => WeightFormat::Int4,
                };
                let [now, then] = [scenario.weights, format].map(|it| it.block().bits_per_value());
                (then + 1.0 < now).then_some(())?;
                say("weights", Some(Value::Word(format.id())));
            }
            Self::TensorParallel if !placed => {
                let tp = scenario.parallel.tp.checked_mul(2).filter(|ranks| *ranks <= MOST_RANKS)?;
                say("tp", Some(Value::Count(tp)));
                if plan.get("ep").is_some() {
                    say("ep", Some(Value::Count(tp)));
                }
            }
            _ => return None,
        }
        Some(changed)
    }
}

/// Ranks of one computer.
const MOST_RANKS: u32 = 8;

/// The value that `--ngl` or `--n-cpu-moe` would have: a search that starts with all layers on the GPU finds it.
fn found(
    plan: &Plan,
    reply: &Reply,
    search: fn(&memory_wall_core::Checked, &Settings) -> Result<llamacpp::Found, llamacpp::Refused>,
) -> Option<u32> {
    // What is told, and not what was found.
    let told = match reply {
        Reply::Layers(layers) => layers.placing.served(&layers.scenario).1,
        _ => Placing::of(plan).ok()?.settings,
    };
    let everything = Settings { gpu_layers: llamacpp::ALL, ..told };
    let (count, _): (u32, Placement) = search(reply.scenario(), &everything).ok()?.answer?;
    (count > 0).then_some(count)
}
