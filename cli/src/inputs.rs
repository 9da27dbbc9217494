//! A scenario in a few lines, for people: what is usual is left unsaid after the first.

use memory_wall_core::display::Grouped;
use memory_wall_core::engines::vllm;
use memory_wall_core::layout::PipelineSplit;
use memory_wall_core::{
    Engine, Implementation, LoraTargets, Loss, Mode, Offload, Parallelism, RecomputedModule, Scenario, Speculation,
    StepKernel, ZeroStage,
};

use crate::solve::Question;
use crate::text::wrapped;
use crate::words;

/// The lines, without what a question looks for.
pub(crate) fn text(scenario: &Scenario, question: Option<Question>) -> String {
    with_cache(scenario, question, scenario.kv.id())
}

/// The same of a run whose cache has a format of the program's own.
pub(crate) fn with_cache(scenario: &Scenario, question: Option<Question>, cache: &str) -> String {
    let lines = [
        first(scenario, question, cache),
        training(scenario),
        serving(scenario, question),
        gpus(&scenario.parallel),
        offload(scenario.offload, scenario.mode),
    ];
    lines.iter().filter(|line| !line.is_empty()).map(|line| wrapped(line, 2)).collect()
}

fn first(scenario: &Scenario, question: Option<Question>, cache: &str) -> String {
    let mut parts = vec![scenario.mode.id().to_owned()];
    if question != Some(Question::Batch) {
        let ranks = scenario.parallel.dp;
        let each = if ranks == 1 { String::new() } else { format!(" on each of {} ranks", Grouped(ranks.into())) };
        parts.push(format!("batch {}{each}", Grouped(scenario.batch.into())));
    }
    if question != Some(Question::Context) {
        parts.push(format!("seq_length {}", Grouped(scenario.seq_length.into())));
    }
    if question != Some(Question::Weights) {
        parts.push(format!("{} weights", scenario.weights));
    }
    if scenario.mode.trains() {
        parts.push(scenario.optimizer.id().into());
        let again = recomputed(scenario).join(", ");
        let again = if again.is_empty() { again } else { format!(" of {again}") };
        parts.push(format!("checkpointing {}{again}", scenario.checkpointing.id()));
    } else {
        parts.push(format!("{cache} KV cache"));
    }
    parts.push(format!("{} attention", scenario.attention.id()));
    parts.join(", ")
}

fn training(scenario: &Scenario) -> String {
    let (training, usual) = (&scenario.training, memory_wall_core::Training::DEFAULT);
    if !scenario.mode.trains() {
        return String::new();
    }
    let mut parts = Vec::new();
    if scenario.mode.adapts() {
        let dropout = if training.lora.dropout { ", with dropout" } else { "" };
        let rank = Grouped(training.lora.rank.into());
        let dtype = if training.lora.precision == usual.lora.precision { "" } else { " in 16 bits" };
        let targets = targets(training.lora.targets).join(", ");
        parts.push(format!("adapters of rank {rank}{dtype} on {targets}{dropout}"));
        if scenario.mode == Mode::Qlora && !training.lora.upcast {
            parts.push("tables and norms not upcast".into());
        }
        if scenario.mode == Mode::Qlora && training.lora.experts {
            parts.push("experts quantised".into());
        }
    }
    if scenario.mode == Mode::Training && training.recipe != usual.recipe {
        parts.push(format!("recipe {}", training.recipe.id()));
    }
    if training.gradients != usual.gradients {
        parts.push(format!("gradients {} between steps", training.gradients.id()));
    }
    if training.moments != usual.moments {
        parts.push(format!("moments in {}", training.moments.id()));
    }
    if training.fp8.recipe != usual.fp8.recipe {
        let gathered = if training.fp8.param_gather { " and their only copy" } else { "" };
        parts.push(format!("matrices{gathered} in fp8 ({})", training.fp8.recipe.id()));
    }
    if training.fp8.input_store {
        parts.push("input of SwiGLU in fp8".into());
    }
    if training.step == StepKernel::Foreach {
        parts.push("foreach step".into());
    }
    if training.implementation != usual.implementation {
        parts.push(format!("{} code", training.implementation.id()));
    }
    if training.sharding != usual.sharding {
        parts.push(format!("sharded by {}", training.sharding.id()));
    }
    if training.loss != Loss::Plain {
        parts.push(format!("{} loss", training.loss.id()));
    }
    if training.compile {
        parts.push("torch.compile".into());
    }
    if training.async_tp {
        parts.push("asynchronous tensor parallelism".into());
    }
    if !training.reshard_after_forward {
        parts.push("weights stay gathered after the forward pass".into());
    }
    if training.micro_batches > 1 {
        parts.push(format!("{} micro-batches", Grouped(training.micro_batches.into())));
    }
    parts.join(", ")
}

/// The parts of a layer that Megatron-LM computes again with selective checkpointing.
pub(crate) fn recomputed(scenario: &Scenario) -> Vec<&'static str> {
    let megatron = scenario.mode.trains() && scenario.training.implementation == Implementation::Megatron;
    let modules = RecomputedModule::ALL.iter().filter(|module| megatron && scenario.recomputes(**module));
    modules.map(|module| module.id()).collect()
}

/// The layers that carry an adapter, as `--lora-targets` names them.
pub(crate) fn targets(targets: LoraTargets) -> Vec<&'static str> {
    let LoraTargets { q, k, v, o, mlp, head } = targets;
    let all = [(q, "q"), (k, "k"), (v, "v"), (o, "o"), (mlp, "mlp"), (head, "head")];
    all.into_iter().filter(|(chosen, _)| *chosen).map(|(_, name)| name).collect()
}

fn serving(scenario: &Scenario, question: Option<Question>) -> String {
    let serving = &scenario.serving;
    match serving.engine {
        Engine::Vllm if !scenario.mode.trains() => {
            let number = |count: u32| Grouped(count.into());
            // What is looked for, or follows the GPU that is, has no number yet.
            let longest = match question {
                Some(Question::Context) => String::new(),
                _ => format!("requests of up to {} tokens, ", number(scenario.longest_request())),
            };
            let follows = |usual| usual && question == Some(Question::Gpu);
            let sequences = if follows(serving.usual_seqs) {
                "its own number of sequences for each GPU".to_owned()
            } else {
                format!("at most {} sequences", number(serving.max_num_seqs))
            };
            let tokens = if follows(serving.usual_batched_tokens) {
                "its own number of tokens at once".to_owned()
            } else {
                format!("{} tokens at once", number(scenario.batched_tokens()))
            };
            let release = vllm::Constants::of(serving.version).releases;
            let share = serving.utilization().in_percent();
            let seeing = scenario.architecture.tower.is_some();
            let alone = if serving.language_model_only && seeing { ", the language model alone" } else { "" };
            let eager = if serving.enforce_eager { ", no CUDA graphs" } else { "" };
            let prefixes = match serving.prefix_caching {
                None => "",
                Some(true) => ", prefix caching on",
                Some(false) => ", prefix caching off",
            };
            let adapters = serving.max_loras.map_or_else(String::new, |adapters| {
                format!(", room for {} adapters of rank {}", number(adapters), serving.max_lora_rank)
            });
            let named = scenario.draft.map(|draft| draft.id).filter(|id| !id.is_empty());
            let draft = named.map_or_else(String::new, |id| format!(": {id}"));
            let method = format!("{}{draft}", serving.speculation.id());
            let ahead = match serving.num_speculative_tokens {
                _ if serving.speculation == Speculation::None => String::new(),
                1 => format!(", 1 token guessed ahead ({method})"),
                tokens => format!(", {tokens} tokens guessed ahead ({method})"),
            };
            format!(
                "served by vLLM {release}: {longest}{sequences} and {tokens}, {share}% of the GPU{alone}{eager}{prefixes}{adapters}{ahead}"
            )
        }
        Engine::Hf | Engine::LlamaCpp if !scenario.mode.trains() => {
            format!("served by {}", serving.engine.label())
        }
        _ => String::new(),
    }
}

fn gpus(parallel: &Parallelism) -> String {
    let ranks = parallel.ranks();
    if ranks == 1 { String::new() } else { format!("{}: {}", words::gpus(ranks), cut(parallel)) }
}

/// How a run is cut: `dp 4 × tp 2, ZeRO-3`.
pub(crate) fn cut(parallel: &Parallelism) -> String {
    let degrees = [("dp", parallel.dp), ("tp", parallel.tp), ("pp", parallel.pp), ("cp", parallel.cp)];
    let degrees: Vec<String> = degrees
        .iter()
        .filter(|(_, ranks)| *ranks > 1)
        .map(|(name, ranks)| format!("{name} {}", Grouped((*ranks).into())))
        .collect();
    let mut parts = vec![if degrees.is_empty() { "not cut".to_owned() } else { degrees.join(" × ") }];
    if parallel.ep > 1 {
        parts.push(format!("experts over {} ranks", Grouped(parallel.ep.into())));
    }
    if let Some(ranks) = parallel.etp {
        parts.push(format!("each cut over {}", Grouped(ranks.into())));
    }
    if parallel.zero != ZeroStage::None && parallel.shard_ranks() > 1 {
        let over = match parallel.shard {
            Some(_) => format!(" over {} ranks", Grouped(parallel.shard_ranks().into())),
            None => String::new(),
        };
        parts.push(format!("ZeRO-{}{over}", parallel.zero.id()));
    }
    if parallel.sequence_parallel && parallel.tp > 1 {
        parts.push("sequence parallel".into());
    }
    if parallel.virtual_stages > 1 && parallel.pp > 1 {
        parts.push(format!("{} chunks a stage", Grouped(parallel.virtual_stages.into())));
    }
    if parallel.both_ways() {
        parts.push(parallel.schedule.name().into());
    }
    let PipelineSplit { first, last, embedding, loss, layout } = parallel.split;
    for (layers, stage) in [(first, "first"), (last, "last")] {
        parts.extend(layers.map(|layers| format!("{} layers on the {stage} stage", Grouped(layers.into()))));
    }
    for (counts, table) in [(embedding, "embedding"), (loss, "loss")] {
        parts.extend(counts.then(|| format!("the {table} counts as a layer")));
    }
    parts.extend(layout.map(|layout| format!("layout {layout}")));
    parts.join(", ")
}

fn offload(offload: Offload, mode: Mode) -> String {
    let names = offloaded(offload, mode);
    if names.is_empty() { String::new() } else { format!("in host memory: {}", names.join(", ")) }
}

/// The states that wait in host memory in this mode, as `--offload` names them.
pub(crate) fn offloaded(offload: Offload, mode: Mode) -> Vec<&'static str> {
    let all = [
        (offload.optimizer && mode.trains(), "optimizer"),
        (offload.parameters, "parameters"),
        (offload.kv_cache && !mode.trains(), "kv"),
    ];
    all.into_iter().filter(|(chosen, _)| *chosen).map(|(_, name)| name).collect()
}
