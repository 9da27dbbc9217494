//! What is said to a plan: by the engine, or by a runtime for whose settings a scenario has no place.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::iter;

use memory_wall_core::units::SignedBytes;
use memory_wall_core::{Bucket, Bytes, Checked, ScenarioError, Verdict, evaluate};
use memory_wall_runtimes::Span;
use memory_wall_runtimes::llamacpp::Device;

use crate::answers::{Answers, Spending};
use crate::option::PlanOption;
use crate::plan::Plan;
use crate::runtime::rollout::{self, ALGORITHM};
use crate::runtime::{Contradiction, Layers, Pool, Refused, Rollout, Runtime};

/// What nearly every plan says.
const BASIS: [&str; 6] = ["model", "config", "mode", "gpu", "engine", ALGORITHM];

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Unanswered {
    /// The plan names no model of the table, and describes none.
    NoModel,
    /// Options of a runtime contradict one another.
    Contradiction(Contradiction),
    /// The parts of the plan do not go together.
    Scenario(ScenarioError),
    /// The runtime refuses.
    Runtime(Refused),
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Of the engine.
    Engine(Box<Answers>),
    /// Of llama.cpp with its layers placed.
    Layers(Box<Layers>),
    /// Of a server with a pool.
    Pool(Box<Pool>),
    /// Of a trainer, and the vLLM that generates for it.
    Rollout(Box<Rollout>),
}

impl Reply {
    /// The answer to a plan, whose model is a preset or a config of its own.
    ///
    /// # Errors
    /// Why there is no answer.
    ///
    /// # Example
    /// ```
    /// use memory_wall_plan::{answers::Spending, file, reply::Reply};
    /// let text = r#"{ "version": 1, "model": "llama-3.3-70b", "weights": "q4_k", "gpu": "rtx4090", "engine": "llamacpp", "fit": true }"#;
    /// let Reply::Layers(layers) = Reply::of(&file::read(text).unwrap()[0], Spending::default()).unwrap() else { panic!() };
    /// assert!(layers.placement.on_gpus > 20 && layers.placement.host.layers > 20);
    /// ```
    pub fn of(plan: &Plan, spending: Spending) -> Result<Self, Unanswered> {
        let (family, mut scenario) = plan.family().zip(plan.scenario()).ok_or(Unanswered::NoModel)?;
        let runtime = Runtime::of(plan, &scenario).map_err(Unanswered::Contradiction)?;
        if let Some(Runtime::Pool(..)) = runtime {
            // Its expert-parallel ranks are tensor-parallel ones.
            scenario.parallel.ep = 1;
        }
        let scenario = scenario.check().map_err(Unanswered::Scenario)?;
        match runtime {
            None => Ok(Self::Engine(Box::new(Answers::to(scenario, spending)))),
            Some(runtime) => runtime.run(&scenario, family, spending).map_err(Unanswered::Runtime),
        }
    }

    /// The options of a plan without an answer that has one as soon as one of them is left out: those that contradict the rest.
    /// The model and what else every plan has is blamed only where nothing else is to blame. What a refusal names comes first.
    ///
    /// # Example
    /// ```
    /// use memory_wall_plan::{file, reply::Reply};
    /// let plan = &file::read(r#"{ "version": 1, "model": "llama-3.1-8b", "gpu": "h100-sxm", "kv": "fp8", "tp": 7 }"#).unwrap()[0];
    /// assert_eq!(Reply::culprits(plan), ["tp"]);
    /// ```
    pub fn culprits(plan: &Plan) -> Vec<&'static str> {
        let answered = |plan: &Plan| Self::of(plan, Spending::default()).is_ok();
        let Some(scenario) = plan.scenario() else { return Vec::new() };
        let named = match Self::of(plan, Spending::default()) {
            Ok(_) => return Vec::new(),
            // It says by name what it refuses.
            Err(Unanswered::Runtime(Refused::Rollout(refused))) => {
                let named = refused.option(&scenario, &rollout::told(plan));
                match named {
                    // Groups are whole with other batches and other numbers of GPUs too, which aren't to blame.
                    Some(option) if refused.is_of_groups() && plan.get(option).is_some() => return vec![option],
                    _ => named,
                }
            }
            Err(_) => None,
        };
        let without = |option: &&PlanOption| {
            let mut plan = plan.clone();
            plan.unset(option.name);
            answered(&plan)
        };
        let to_blame = plan.said().map(|(option, _)| option).filter(without).map(|option| option.name);
        let (of_all, own): (Vec<_>, Vec<_>) = to_blame.partition(|name| BASIS.contains(name));
        let Some(named) = named else { return if own.is_empty() { of_all } else { own } };
        // What it names comes first, also where it goes without saying: leaving out something else may be what helps.
        iter::once(named).chain(own.into_iter().filter(|name| *name != named)).collect()
    }

    /// The answer of the engine.
    pub fn answers(&self) -> Option<&Answers> {
        match self {
            Self::Engine(answers) => Some(answers),
            _ => None,
        }
    }

    /// The run.
    pub fn scenario(&self) -> &Checked {
        match self {
            Self::Engine(answers) => &answers.scenario,
            Self::Layers(layers) => &layers.scenario,
            Self::Pool(pool) => &pool.scenario,
            Self::Rollout(rollout) => &rollout.scenario,
        }
    }

    /// Whether it fits; nothing without a GPU.
    pub fn verdict(&self) -> Option<Verdict> {
        match self {
            Self::Engine(answers) => answers.verdict(),
            Self::Layers(layers) => Some(layers.placement.verdict()),
            Self::Pool(pool) => Some(pool.start.verdict),
            Self::Rollout(rollout) => rollout.made.verdict,
        }
    }

    /// Whether so many sequences of such a length fit; nothing where the run cannot be so, or names no GPU.
    pub fn verdict_at(&self, batch: u32, seq_length: u32) -> Option<Verdict> {
        match self {
            Self::Engine(answers) => {
                let there = answers.scenario.with(|it| (it.batch, it.seq_length) = (batch, seq_length)).ok()?;
                evaluate::verdict(&there)
            }
            Self::Layers(layers) => layers.verdict(batch, seq_length),
            Self::Pool(pool) => pool.verdict(batch, seq_length),
            Self::Rollout(rollout) => rollout.with(batch, seq_length)?.verdict,
        }
    }

    /// GPUs in all.
    pub fn gpus(&self) -> u64 {
        match self {
            Self::Engine(answers) => answers.gpus,
            Self::Layers(layers) => layers.gpus(),
            Self::Pool(_) | Self::Rollout(_) => self.scenario().parallel.ranks(),
        }
    }

    /// What the fullest GPU needs; nothing where a server takes a share of it.
    pub fn needed(&self) -> Option<Span> {
        match self {
            Self::Engine(answers) => Some(Span::exactly(answers.evaluation.total.0)),
            Self::Layers(layers) => layers.placement.fullest().map(Device::total),
            Self::Pool(_) => None,
            Self::Rollout(rollout) => Some(rollout.made.peak().total()),
        }
    }

    /// What a part takes of the fullest GPU; of a range its upper end. In the pool of a server the cache is as large as that of the requests that are asked for.
    pub fn bytes(&self, bucket: Bucket) -> Bytes {
        let of = |weights: u128, cache: u128, activations: u128, overhead: u128| {
            Bytes(match bucket {
                Bucket::Weights => weights,
                Bucket::KvCache => cache,
                Bucket::Activations => activations,
                Bucket::Overhead => overhead,
                Bucket::Gradients | Bucket::Optimizer | Bucket::Logits => 0,
            })
        };
        match self {
            Self::Engine(answers) => answers.evaluation.bytes(bucket),
            Self::Layers(layers) => layers
                .placement
                .fullest()
                .map_or(Bytes::ZERO, |it| of(it.weights, it.cache + it.states, it.compute.high, it.context.high)),
            Self::Pool(pool) => {
                let start = &pool.start;
                of(start.weights, pool.requests(), start.work.high, start.context.high)
            }
            Self::Rollout(rollout) => rollout.bytes(bucket),
        }
    }

    /// What all parts take of the fullest GPU; of a range its upper end.
    pub fn total(&self) -> Bytes {
        Bytes(Bucket::EACH.iter().map(|bucket| self.bytes(*bucket).0).sum())
    }

    /// The most of a GPU that parts may take, where that is less than it has.
    pub fn limit(&self) -> Option<Bytes> {
        let capacity = self.capacity()?;
        let limit = match self {
            Self::Engine(answers) => answers.evaluation.fit.map_or(0, |fit| fit.limit.0),
            Self::Layers(layers) => layers.placement.fullest().map_or(0, |device| device.room),
            Self::Pool(pool) => pool.limit(),
            Self::Rollout(rollout) => rollout.made.limit.map_or(0, |limit| limit.0),
        };
        Some(Bytes(limit)).filter(|limit| limit.0 > 0 && *limit < capacity)
    }

    /// What a GPU has.
    pub fn capacity(&self) -> Option<Bytes> {
        match self {
            Self::Engine(answers) => answers.evaluation.fit.map(|fit| fit.capacity),
            Self::Layers(layers) => layers.placement.fullest().map(|device| device.gpu.capacity),
            Self::Pool(pool) => Some(Bytes(pool.start.total)),
            Self::Rollout(rollout) => rollout.scenario.capacity(),
        }
    }

    /// What the fullest GPU has to spare; of a range, at least.
    pub fn spare(&self) -> Option<SignedBytes> {
        match self {
            Self::Engine(answers) => answers.evaluation.fit.map(|fit| fit.margin),
            Self::Layers(layers) => {
                layers.placement.fullest().map(|device| Bytes(device.room).minus(Bytes(device.total().high)))
            }
            Self::Pool(_) => None,
            Self::Rollout(rollout) => rollout.made.margin(),
        }
    }

    /// Tokens in the pools of all data-parallel ranks together.
    pub fn pool(&self) -> Option<Span> {
        match self {
            Self::Engine(answers) => {
                let ranks = u128::from(answers.scenario.parallel.dp);
                answers.start.map(|start| Span::exactly(start.pool.tokens * ranks))
            }
            Self::Layers(_) | Self::Rollout(_) => None,
            Self::Pool(pool) => Some(pool.start.tokens),
        }
    }

    /// Tokens that all sequences together write in a second, fewest first.
    pub fn written(&self) -> Option<[f64; 2]> {
        match self {
            Self::Engine(answers) => answers.served.map(|served| served.in_all).map(|[best, worst]| [worst, best]),
            Self::Layers(layers) => layers.written(),
            Self::Pool(_) | Self::Rollout(_) => None,
        }
    }

    /// Tokens a second in all, fewest first: those that are written, or learned from.
    pub fn rate(&self) -> Option<[f64; 2]> {
        let learned = || self.answers()?.trained.map(|trained| trained.rate);
        self.written().or_else(|| learned().map(|[best, worst]| [worst, best]))
    }

    /// The longest context, 0 where none fits; nothing without a GPU, where nothing limits it, or where completions count ([`Rollout::longest_completion`]).
    pub fn longest(&self) -> Option<u32> {
        match self {
            Self::Engine(answers) => answers.longest(),
            Self::Layers(layers) => layers.longest(),
            Self::Pool(pool) => Some(pool.longest()),
            Self::Rollout(_) => None,
        }
    }

    /// Most sequences at once on all data-parallel ranks together, 0 where none fits; nothing without a GPU, or where nothing limits them.
    pub fn most_sequences(&self) -> Option<u64> {
        match self {
            Self::Engine(answers) => answers.most_sequences(),
            Self::Layers(layers) => layers.most_sequences().map(u64::from),
            Self::Pool(pool) => Some(pool.most_sequences().into()),
            Self::Rollout(rollout) => rollout.most_sequences(),
        }
    }
}
