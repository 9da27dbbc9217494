//! The options in their groups, with a few words about each.

use memory_wall_core::bounds;
use memory_wall_core::config::FAMILIES;
use memory_wall_core::display::Grouped;
use memory_wall_core::{
    Checkpointing, Engine, Implementation, KvPrecision, Optimizer, Recipe, Serving, Training, WeightFormat,
};

use super::WIDTH;
use crate::text::hanging;

/// Where the words behind an option begin.
const INDENT: usize = 27;

/// An option with its value, and what it is.
type Entry = (&'static str, String);

fn option(usage: &'static str, about: impl Into<String>) -> Entry {
    (usage, about.into())
}

/// A heading and its options.
fn group(title: &str, entries: &[Entry]) -> String {
    let entry = |(usage, about): &Entry| {
        let name = format!("  {usage}");
        // An option too long for its column has the words below it.
        let (above, beside) = if name.len() >= INDENT { (name + "\n", String::new()) } else { (String::new(), name) };
        above + &hanging(WIDTH, &beside, about, INDENT)
    };
    [format!("\n{title}:\n")].into_iter().chain(entries.iter().map(entry)).collect()
}

/// The options of a command; nothing of one that has none.
pub(super) fn of(command: &str) -> String {
    match command {
        "estimate" | "advise" => scenario(),
        "roofline" => group("What is looked at", &roof()) + &scenario(),
        "solve" => group("What is looked for", &question()) + &scenario(),
        "accuracy" => group("Options", &accuracy()),
        _ => group("Options", &[option("--json", "as JSON")]),
    }
}

/// The options of every command.
pub(super) fn all() -> String {
    scenario()
        + &group("For solve", &question())
        + &group("For roofline", &roof())
        + &group("For accuracy", &accuracy())
}

fn list<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    ids.collect::<Vec<_>>().join(", ")
}

/// The options of a scenario, in their groups.
fn scenario() -> String {
    group("Model", &model())
        + &group("What it does", &run())
        + &group("Inference", &serving())
        + &group("Training, LoRA and QLoRA", &training())
        + &group("Cards and how a run is cut over them", &cards())
        + &group("Output", &output())
}

fn model() -> Vec<Entry> {
    vec![
        option("--model ID", "a model of the list that memory-wall models prints"),
        option(
            "--config FILE",
            format!("a config.json as published ({}); - reads standard input", FAMILIES.join(", ")),
        ),
    ]
}

fn run() -> Vec<Entry> {
    vec![
        option(
            "--mode MODE",
            "inference (default), training, lora (adapters beside 16-bit weights), qlora (beside quantised ones)",
        ),
        option(
            "--batch N",
            format!(
                "sequences at the same time on each data-parallel rank, 1 (default) to {}; in training those of one micro-batch",
                Grouped(bounds::BATCH.max.into())
            ),
        ),
        option(
            "--seq N",
            format!(
                "tokens in each, prompt and answer together, 1 to {}; default 2048",
                Grouped(bounds::SEQ_LENGTH.max.into())
            ),
        ),
        option(
            "--weights P",
            format!("{}; default bf16, in qlora nf4-dq", list(WeightFormat::ALL.iter().map(|format| format.id()))),
        ),
        option("--attention KIND", "flash (default), eager"),
        option("--offload LIST", "what waits in host memory, with commas between: optimizer, parameters, kv"),
    ]
}

fn serving() -> Vec<Entry> {
    let Serving { max_num_seqs, max_num_batched_tokens, utilization_percent, .. } = Serving::DEFAULT;
    vec![
        option("--kv P", format!("{}; default bf16", list(KvPrecision::ALL.iter().map(|format| format.id())))),
        option(
            "--engine NAME",
            format!(
                "the program: {}; default exact, which is none",
                list(Engine::ALL.iter().map(|engine| engine.id()))
            ),
        ),
        option(
            "--max-model-len N",
            "vllm: the longest request that it accepts, prompt and answer together; it starts only if its pool holds one; default --seq",
        ),
        option(
            "--max-num-seqs N",
            format!("vllm: sequences at once at most; default vLLM's own for the card ({max_num_seqs} without one)"),
        ),
        option(
            "--max-num-batched-tokens N",
            format!(
                "vllm: tokens at once at most; default vLLM's own for the card ({max_num_batched_tokens} without one)"
            ),
        ),
        option(
            "--gpu-memory-utilization P",
            format!(
                "vllm: its share of the card, as {utilization_percent} or 0.{} (default)",
                utilization_percent / 10
            ),
        ),
    ]
}

fn training() -> Vec<Entry> {
    let start = Training::DEFAULT;
    vec![
        option(
            "--recipe NAME",
            format!(
                "precisions of weights, gradients and states: {}; default mixed",
                list(Recipe::ALL.iter().map(|it| it.id()))
            ),
        ),
        option(
            "--gradients HABIT",
            "between two steps: kept in buffers (Megatron-LM, DeepSpeed), freed (PyTorch); by-recipe (default): kept in the mixed recipes",
        ),
        option("--optimizer NAME", format!("{}; default adamw", list(Optimizer::ALL.iter().map(|it| it.id())))),
        option("--step KIND", "fused (default), foreach: PyTorch's own default on CUDA, which makes a copy"),
        option(
            "--implementation NAME",
            format!("whose code runs: {}; default transformers", list(Implementation::ALL.iter().map(|it| it.id()))),
        ),
        option(
            "--checkpointing KIND",
            format!("what is recomputed: {}; default none", list(Checkpointing::ALL.iter().map(|it| it.id()))),
        ),
        option("--loss KIND", "plain (default), chunked, compiled"),
        option("--chunked-loss", "the same as --loss chunked"),
        option("--compile", "torch.compile fuses elementwise kernels"),
        option("--async-tp", "torchtitan: tensor-parallel ranks exchange parts while they multiply"),
        option("--no-reshard-after-forward", "torchtitan: gathered weights stay until the backward pass"),
        option("--micro-batches N", "micro-batches of one optimizer step; default 1"),
        option("--lora-rank N", format!("rank of the adapters; default {}", start.lora.rank)),
        option(
            "--lora-targets LIST",
            "layers with an adapter, with commas between: q, k, v, o, mlp, head; attention is q, k, v and o, all (default) is every one but the head",
        ),
        option(
            "--lora-dtype D",
            "precision of the adapters in transformers code: fp32 (default, as peft makes them: each saves an fp32 copy of its input), bf16 (autocast_adapter_dtype=False)",
        ),
        option("--lora-dropout", "the adapters' inputs pass through dropout"),
        option(
            "--no-kbit-upcast",
            "qlora without peft's prepare_model_for_kbit_training, as in TRL: tables, norms and hidden states stay in 16 bits",
        ),
    ]
}

fn cards() -> Vec<Entry> {
    vec![
        option("--gpu ID", "a card of the list that memory-wall gpus prints: does it fit, and how much more would"),
        option("--dp N", "data-parallel ranks, each with other sequences"),
        option("--tp N", "tensor-parallel ranks, which share each matrix"),
        option("--pp N", "pipeline stages, each with some of the layers"),
        option(
            "--ep N",
            "expert-parallel ranks, over which the experts of a layer are spread: within dp; with vllm all of tp x dp (--enable-expert-parallel)",
        ),
        option("--cp N", "context-parallel ranks, which share each sequence"),
        option(
            "--zero N",
            "what data-parallel ranks share out in training: 0 nothing (default), 1 optimizer states, 2 gradients too, 3 weights too (FSDP)",
        ),
        option("--shard N", "over how many of the dp ranks; default all"),
        option("--virtual-stages N", "layer chunks of each pipeline rank, taken in turn; default 1"),
        option("--sequence-parallel", "tensor-parallel ranks share norms and dropout too"),
    ]
}

fn output() -> Vec<Entry> {
    vec![
        option("--unit UNIT", "gb (default, powers of 1,000), gib (powers of 1,024)"),
        option("--json", "everything in bytes, for programs"),
    ]
}

fn question() -> Vec<Entry> {
    vec![option(
        "--for WHAT",
        "context (longest), batch (largest), gpus (fewest cards, and how they are cut), gpu (smallest that leaves room; with --gpu one of the same maker and class), model (largest of the list), weights (widest format)",
    )]
}

fn roof() -> Vec<Entry> {
    vec![
        option(
            "--precision P",
            "in which it computes: fp32, tf32, fp16, bf16 (default), fp8, int8, fp4; of a model, the weights' format",
        ),
        option("--flops F", "FLOPs of an operation, as 137438953472, 1.37e11 or 137G"),
        option("--bytes B", "bytes that it moves, written alike"),
        option("--gemm M,N,K", "instead: a multiplication of (M x K) by (K x N)"),
        option("--accounting KIND", "bytes of a multiplication that count: reads-and-writes (default), reads-only"),
        option("--kernels KIND", "of a model: small operations fused or separate; default as its program runs them"),
        option(
            "--efficiency E",
            "share of peak and bandwidth for the upper end of the range, or both with a comma; default 0.35",
        ),
    ]
}

fn accuracy() -> Vec<Entry> {
    vec![
        option(
            "--data DIR",
            "measured rows of your own: a folder with files of the same names and columns as accuracy/data/",
        ),
        option("--rows", "one line a row: predicted, measured, error, doubts"),
        option("--json", "as JSON; errors as shares, 0.01 is 1%"),
    ]
}
