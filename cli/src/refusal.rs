//! Why the parts of a scenario do not go together, in the words of the options.

use memory_wall_core::bounds;
use memory_wall_core::layout::{PipelineSplit, SplitError};
use memory_wall_core::number::Memory;
use memory_wall_core::parallelism::ParallelError;
use memory_wall_core::scenario::{BothWays, CutError, Demand, TensorSplit, TrainerOption, Unsupported};
use memory_wall_core::{Implementation, Parallelism, Scenario, ScenarioError};
use memory_wall_plan::Value;

use crate::{BadInput, suggest};

/// The message for a scenario that the engine refuses.
pub(crate) fn of(scenario: &Scenario, error: &ScenarioError) -> BadInput {
    BadInput(match error {
        ScenarioError::NotTrainable(_) | ScenarioError::NotFrozen(_) => {
            format!("--mode {}: {error}", scenario.mode.id())
        }
        ScenarioError::Offload(error) => format!("--offload: {error}"),
        ScenarioError::Parallel(error) => cut(scenario, error),
        ScenarioError::Runtime(error) => runtime(scenario, error),
        ScenarioError::Cut(error) => trainer(scenario, error),
        ScenarioError::OwnGpu(missing, _) => format!("--{} is missing: {error}", missing.id().replace('_', "-")),
        ScenarioError::GpuMemory { stated, .. } => format!("--gpu-memory {}: {error}", Memory(*stated)),
        _ => format!("the scenario cannot be: {error}"),
    })
}

/// What a runtime cannot run, behind the option that is to be changed.
fn runtime(scenario: &Scenario, error: &Unsupported) -> String {
    let engine = scenario.serving.engine.id();
    let option = match error {
        Unsupported::Weights(..)
        | Unsupported::Generation { .. }
        | Unsupported::NoKernels { .. }
        | Unsupported::NoFp16
        | Unsupported::NoDenseMxfp4
        | Unsupported::NoBitsandbytesExperts(_) => {
            format!("--weights {}", scenario.weights.id())
        }
        Unsupported::Cache(_, format) => format!("--kv {}", format.id()),
        Unsupported::OldCache { .. }
        | Unsupported::WideCache
        | Unsupported::Fp8CacheAlone
        | Unsupported::CacheNeedsFlash(_) => {
            format!("--kv {}", scenario.kv.id())
        }
        Unsupported::NoEager(_) | Unsupported::TensorSplit(TensorSplit::Eager) => {
            format!("--attention {}", scenario.attention.id())
        }
        Unsupported::FewTokens { tokens, sequences } => {
            if scenario.serving.usual_batched_tokens {
                format!("--max-num-seqs {sequences}")
            } else {
                format!("--max-num-batched-tokens {tokens}")
            }
        }
        Unsupported::LoraRank(rank) => format!("--max-lora-rank {rank}"),
        Unsupported::Speculation(_) => format!("--speculative {}", scenario.serving.speculation.id()),
        Unsupported::LoraSlots { .. } => format!("--max-loras {}", scenario.serving.max_loras.unwrap_or_default()),
        Unsupported::Release { has, .. } => format!("--engine-version {has}"),
        Unsupported::WholePrompt { tokens, .. } => format!("--max-num-batched-tokens {tokens}"),
        Unsupported::OnlyFp32 { weights, .. } => match weights {
            Some(format) => format!("--weights {}", format.id()),
            None => format!("--kv {}", scenario.kv.id()),
        },
        Unsupported::NoBitsandbytes { weights: Some(format), .. } => format!("--weights {}", format.id()),
        Unsupported::NoBitsandbytes { weights: None, .. } => format!("--optimizer {}", scenario.optimizer.id()),
        Unsupported::Indexer(None) => format!("--implementation {}", scenario.training.implementation.id()),
        Unsupported::Untrained(_) => format!("--mode {}", scenario.mode.id()),
        Unsupported::DualChunks
        | Unsupported::Indexer(Some(_))
        | Unsupported::Unserved(..)
        | Unsupported::NoBackend(..)
        | Unsupported::Maker(..)
        | Unsupported::TooOld { .. } => {
            format!("--engine {engine}")
        }
        Unsupported::OldAttention { gpu, .. } | Unsupported::OneGpu(gpu) | Unsupported::BeforeMi200(gpu) => {
            format!("--gpu {}", scenario.gpu.map_or(*gpu, |it| it.id))
        }
        Unsupported::ExpertParallel(_) => format!("--ep {}", scenario.parallel.ep),
        Unsupported::ContextParallel(_) => format!("--cp {}", scenario.parallel.cp),
        Unsupported::ExpertRanks { ep, .. } | Unsupported::TooFewExperts { ep, .. } => format!("--ep {ep}"),
        Unsupported::ExpertWidth { .. }
        | Unsupported::Blocks { .. }
        | Unsupported::Tiles { .. }
        | Unsupported::TensorSplit(_)
        | Unsupported::KvHeads { .. } => format!("--tp {}", scenario.parallel.tp),
        Unsupported::BeyondModel { .. } | Unsupported::BeyondTable { .. }
            if scenario.serving.max_model_len.is_none() =>
        {
            format!("--seq {}", scenario.seq_length)
        }
        Unsupported::TooLong { max_model_len: tokens, .. }
        | Unsupported::BeyondModel { max_model_len: tokens, .. }
        | Unsupported::BeyondTable { seq_length: tokens, .. } => {
            format!("--max-model-len {tokens}")
        }
    };
    let help = match error {
        Unsupported::ExpertWidth { .. } | Unsupported::Blocks { .. } | Unsupported::Tiles { .. } => whole(scenario),
        Unsupported::KvHeads { .. } => near(scenario, "tp"),
        _ => String::new(),
    };
    format!("{option}: {error}{help}")
}

/// What training code does not cut, behind the option that is to be changed.
fn trainer(scenario: &Scenario, error: &CutError) -> String {
    let pipeline = format!("--pp {}", scenario.parallel.pp);
    let (option, help) = match error {
        CutError::NoPipeline(_) | CutError::BothWays(_, BothWays::Stages(_)) => (pipeline, String::new()),
        CutError::Split(error) => split(scenario, error, pipeline),
        CutError::ShardsOnly { .. } => {
            (format!("--implementation {}", scenario.training.implementation.id()), String::new())
        }
        CutError::NoInterleaving(chunks) | CutError::BothWays(_, BothWays::Chunks(chunks)) => {
            (format!("--virtual-stages {chunks}"), String::new())
        }
        CutError::MicroBatches { micro_batches, .. } => (format!("--micro-batches {micro_batches}"), String::new()),
        CutError::BothWays(_, BothWays::MicroBatches { .. }) => {
            (format!("--micro-batches {}", scenario.training.micro_batches), String::new())
        }
        CutError::Fp8(why) => (told_in_full(scenario, why.option()), String::new()),
        CutError::Asks(_, demand) => asked(scenario, *demand),
        CutError::Lacks(_, option) | CutError::Sharded(_, option) => (lacking(scenario, *option), String::new()),
        CutError::ShardedPipeline(zero) => (format!("--zero {}", zero.id()), String::new()),
    };
    format!("{option}: {error}{help}")
}

/// The option that spreads layers over stages in a way that cannot be.
fn split(scenario: &Scenario, error: &SplitError, pipeline: String) -> (String, String) {
    let told = told(&scenario.parallel.split).unwrap_or_else(|| pipeline.clone());
    match error {
        SplitError::OneStage => (pipeline, format!(": {told} needs more")),
        SplitError::Uneven { .. } => (pipeline, spread(scenario) + &near(scenario, "pp")),
        _ => (told, String::new()),
    }
}

/// The layout with which Megatron-LM spreads layers that do not go on its stages evenly, where the rest runs with it.
fn spread(scenario: &Scenario) -> String {
    let parallel = scenario.parallel.with_balanced_layout(scenario.architecture.layers);
    let layout = parallel.filter(|parallel| Scenario { parallel: *parallel, ..*scenario }.check().is_ok());
    let layout = layout.and_then(|parallel| told(&parallel.split));
    layout.map(|layout| format!(": add {layout}")).unwrap_or_default()
}

/// What Megatron-LM was told of its stages, as it was typed; the first of several.
fn told(split: &PipelineSplit) -> Option<String> {
    let PipelineSplit { first, last, embedding, loss, layout } = split;
    let switch = |on: bool, name: &str| on.then(|| name.to_owned());
    layout
        .map(|layout| format!("--pipeline-model-parallel-layout \"{layout}\""))
        .or(first.map(|layers| format!("--decoder-first-pipeline-num-layers {layers}")))
        .or(last.map(|layers| format!("--decoder-last-pipeline-num-layers {layers}")))
        .or(switch(*embedding, "--account-for-embedding-in-pipeline-split"))
        .or(switch(*loss, "--account-for-loss-in-pipeline-split"))
}

/// The option with which a demand of training code is met.
fn asked(scenario: &Scenario, demand: Demand) -> (String, String) {
    match demand {
        Demand::MicroBatches { micro_batches, stages } => {
            (format!("--micro-batches {micro_batches}"), suggest::did_you_mean(&[&format!("--micro-batches {stages}")]))
        }
        Demand::SequenceParallel => (format!("--tp {}", scenario.parallel.tp), ": add --sequence-parallel".into()),
        Demand::Tokens { seq_length, multiple } => {
            let shorter = seq_length - seq_length % multiple;
            let longer = shorter.saturating_add(multiple);
            let nearest = if shorter > 0 { shorter } else { longer };
            (format!("--seq {seq_length}"), suggest::did_you_mean(&[&format!("--seq {nearest}")]))
        }
        Demand::KvHeads { tp, .. } => (format!("--tp {tp}"), near(scenario, "tp")),
    }
}

/// An option of a plan as it is typed, with its value where it has one.
fn told_in_full(scenario: &Scenario, name: &str) -> String {
    let Some(option) = memory_wall_plan::by_name(name) else { return String::new() };
    match option.of(scenario) {
        Some(Value::On) | None => option.flag(),
        Some(value) => format!("{} {value}", option.flag()),
    }
}

/// The option that training code does not have.
fn lacking(scenario: &Scenario, option: TrainerOption) -> String {
    match option {
        TrainerOption::Adapters | TrainerOption::QuantisedRanks => format!("--mode {}", scenario.mode.id()),
        TrainerOption::Optimizer(optimizer) => format!("--optimizer {}", optimizer.id()),
        TrainerOption::Loss(loss) => format!("--loss {}", loss.id()),
        TrainerOption::Compile => "--compile".into(),
        TrainerOption::AsyncTensor | TrainerOption::AsyncUncompiled => "--async-tp".into(),
        TrainerOption::WholeWeights => "--no-reshard-after-forward".into(),
        TrainerOption::PerOp => "--checkpointing per-op".into(),
        TrainerOption::Selective => "--checkpointing selective".into(),
        TrainerOption::Recompute(module) => format!("--recompute-modules {}", module.id()),
        TrainerOption::Eager => "--attention eager".into(),
        TrainerOption::Half => "--weights fp16".into(),
        TrainerOption::Recipe(recipe) => format!("--recipe {}", recipe.id()),
        TrainerOption::ExpertTensor(ranks) => format!("--etp {ranks}"),
        TrainerOption::Split => told(&scenario.parallel.split).unwrap_or_default(),
        TrainerOption::Schedule(schedule) => format!("--pipeline-schedule {}", schedule.id()),
        TrainerOption::Sharding(sharding) => format!("--sharding {}", sharding.id()),
        TrainerOption::PartShards(zero) => format!("--zero {}", zero.id()),
        TrainerOption::PartOffload
        | TrainerOption::Offload
        | TrainerOption::WeightOffload
        | TrainerOption::StateOffload => "--offload".into(),
        TrainerOption::Context(ranks) => format!("--cp {ranks}"),
    }
}

/// What keeps matrices in whole blocks: experts of their own on each rank, or another degree.
fn whole(scenario: &Scenario) -> String {
    let goes = |parallel: Parallelism| Scenario { parallel, ..*scenario }.check().is_ok();
    let cut = scenario.parallel;
    let spread = cut.with_whole_experts();
    let all = spread.ep;
    let experts = (cut.ep == 1 && all > 1 && goes(spread))
        .then(|| format!("; --ep {all} (--enable-expert-parallel) keeps experts whole"));
    let fewer = (1..cut.tp).rev().find(|&tp| goes(Parallelism { tp, ep: 1, ..cut }));
    let fewer = fewer.map(|tp| suggest::did_you_mean(&[&format!("--tp {tp}")]));
    experts.or(fewer).unwrap_or_default()
}

fn cut(scenario: &Scenario, error: &ParallelError) -> String {
    match *error {
        // Where a rank would hold a part of a KV head, it is the cut that is to be changed.
        ParallelError::DoesNotDivide { degree: "kv_heads", .. } => {
            format!("--tp {}: {error}{}", scenario.parallel.tp, near(scenario, "tp"))
        }
        ParallelError::DoesNotDivide { degree, .. } => format!("--{error}{}", near(scenario, degree)),
        ParallelError::TooFewLayers { .. } => format!("--pp {}: {error}", scenario.parallel.pp),
        ParallelError::NoExperts => format!("--{error}"),
        ParallelError::OutOfBounds(_) | ParallelError::NoStage { .. } => format!("the cut cannot be: {error}"),
    }
}

/// The nearest values of a degree that go with the model, below and above.
fn near(scenario: &Scenario, degree: &str) -> String {
    let with = |value: u32| -> Option<Parallelism> {
        let mut cut = scenario.parallel;
        match degree {
            "tp" => cut.tp = value,
            "ep" => cut.ep = value,
            "pp" => cut.pp = value,
            "shard" => cut.shard = Some(value),
            _ => return None,
        }
        Some(cut)
    };
    let (given, most) = match degree {
        "tp" => (scenario.parallel.tp, bounds::TP.max),
        "ep" => {
            let Parallelism { dp, tp, cp, ep, .. } = scenario.parallel;
            let megatron = scenario.mode.trains() && scenario.training.implementation == Implementation::Megatron;
            (ep, if megatron { dp.saturating_mul(tp).saturating_mul(cp) } else { dp })
        }
        "pp" => (scenario.parallel.pp, scenario.architecture.layers),
        _ => (scenario.parallel.shard.unwrap_or(1), scenario.parallel.dp),
    };
    // A pipeline of more than twice or less than half as many stages is another plan.
    let close = |value: u32| degree != "pp" || (given.div_ceil(2)..=given.saturating_mul(2)).contains(&value);
    let runs = |parallel| Scenario { parallel, ..*scenario }.check().is_ok();
    let goes = |value: &u32| close(*value) && with(*value).is_some_and(runs);
    // One stage is no pipeline.
    let least = if degree == "pp" { 2 } else { 1 };
    let below = (least..given).rev().find(goes);
    let above = (given.saturating_add(1)..=most).find(goes);
    let found: Vec<String> = [below, above].into_iter().flatten().map(|value| value.to_string()).collect();
    suggest::did_you_mean(&found.iter().map(String::as_str).collect::<Vec<_>>())
}
