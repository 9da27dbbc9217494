//! Every option: its name, its value, and what it is.

mod gpus;
mod rollout;
mod serving;
mod training;

use memory_wall_core::WeightFormat;
use memory_wall_core::bounds;
use memory_wall_core::config::FAMILIES;
use memory_wall_core::display::Grouped;
use memory_wall_plan::export::Target;

use gpus::{gpus, own_gpu};
use rollout::rollout;
use serving::{layers, pools, serving};
use training::training;

/// An option.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// With its two dashes.
    pub(crate) name: &'static str,
    /// Its value; `None` for a switch.
    pub(crate) value: Option<Value>,
    /// What it is, in the help.
    pub(crate) about: String,
    /// The heading that it stands under in the help.
    pub(crate) group: &'static str,
}

/// The value of an option.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    /// Its name in the help.
    pub(crate) name: &'static str,
    /// What it has to be, in messages.
    pub(crate) expected: &'static str,
}

fn value(name: &'static str, value: &'static str, expected: &'static str, about: impl Into<String>) -> Known {
    Known { name, value: Some(Value { name: value, expected }), about: about.into(), group: "Options" }
}

fn switch(name: &'static str, about: impl Into<String>) -> Known {
    Known { name, value: None, about: about.into(), group: "Options" }
}

/// The same options under a heading.
fn group(group: &'static str, options: Vec<Known>) -> impl Iterator<Item = Known> {
    options.into_iter().map(move |option| Known { group, ..option })
}

/// The options of a command; nothing of one that has none.
pub(crate) fn of(command: &str) -> Vec<Known> {
    match command {
        "estimate" => with_runtimes().chain(reinforced()).collect(),
        "advise" => scenario().collect(),
        // A report is compared with what is known of GPUs of the table.
        "explain" => of_the_table().collect(),
        "roofline" => group("What is looked at", roof()).chain(scenario()).collect(),
        "export" => {
            let all = with_runtimes().chain(reinforced()).filter(|option| option.name != "--unit");
            group("What is written", target()).chain(all).collect()
        }
        "compare" => compared()
            .chain(group("What is asked beside the plans", spending()))
            .chain(group("Output", output()))
            .collect(),
        "import" => vec![switch("--json", "every setting with what it means, as JSON")],
        "solve" => group("What is looked for", question()).chain(with_runtimes()).collect(),
        "accuracy" => accuracy(),
        "models" | "gpus" => vec![switch("--json", "as JSON")],
        _ => Vec::new(),
    }
}

/// The options of every command.
pub(crate) fn all() -> Vec<Known> {
    // A switch that several commands know is told once.
    let accuracy = accuracy().into_iter().filter(|option| option.name != "--json").collect();
    let others = group("For solve", question())
        .chain(group("For compare", spending()))
        .chain(group("For export", target()))
        .chain(group("For roofline", roof()))
        .chain(group("For accuracy", accuracy));
    with_runtimes().chain(reinforced()).chain(others).collect()
}

fn list<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    ids.collect::<Vec<_>>().join(", ")
}

/// The options of the engine, then those that only `SGLang`, TensorRT-LLM, Ollama or llama.cpp has.
fn with_runtimes() -> impl Iterator<Item = Known> {
    scenario()
        .chain(group("llama.cpp and Ollama: which layers are where", layers()))
        .chain(group("SGLang and TensorRT-LLM: what goes to the pool", pools()))
}

/// The options of reinforcement learning, which `estimate` and `export` take.
fn reinforced() -> impl Iterator<Item = Known> {
    group("Reinforcement learning, for estimate and export", rollout())
}

/// The same without those that describe a GPU of one's own.
fn of_the_table() -> impl Iterator<Item = Known> {
    let own: Vec<&str> = own_gpu().iter().map(|option| option.name).collect();
    scenario().filter(move |option| !own.contains(&option.name)).map(|option| match option.name {
        "--gpu" => Known { about: gpus::OF_THE_TABLE.into(), ..option },
        _ => option,
    })
}

/// The options of a scenario, in their groups.
fn scenario() -> impl Iterator<Item = Known> {
    group("Plan", plan())
        .chain(group("Model", model()))
        .chain(group("What it does", run()))
        .chain(group("Inference", serving()))
        .chain(group("Training, LoRA and QLoRA", training()))
        .chain(group("GPUs and how a run is cut over them", gpus()))
        .chain(group("Output", output()))
}

fn plan() -> Vec<Known> {
    vec![
        value(
            "--plan",
            "FILE",
            "the path of a plan, or - for standard input",
            "options from a file, which those on the command line override: a JSON object with \"version\": 1 and options by their names, as \"max_model_len\": 4096, or up to four in an array; - reads standard input",
        ),
        value("--plan-name", "NAME", "the name of a plan in the file", "which one, where the file has several"),
    ]
}

fn model() -> Vec<Known> {
    vec![
        value(
            "--model",
            "ID",
            "an id that memory-wall models lists",
            "a model of the list that memory-wall models prints",
        ),
        value(
            "--config",
            "FILE",
            "the path of a config.json, the JSON object itself, or - for standard input",
            format!("a config.json as published ({}), or the JSON itself; - reads standard input", FAMILIES.join(", ")),
        ),
    ]
}

fn run() -> Vec<Known> {
    vec![
        value(
            "--mode",
            "MODE",
            "inference, training, lora or qlora",
            "inference (default), training, lora (adapters beside 16-bit weights), qlora (beside quantised ones)",
        ),
        value(
            "--batch",
            "N",
            "a whole number of sequences",
            format!(
                "sequences at the same time on each data-parallel rank, 1 (default) to {}; in training those of one micro-batch",
                Grouped(bounds::BATCH.max.into())
            ),
        ),
        value(
            "--seq",
            "N",
            "a whole number of tokens",
            format!(
                "tokens in each, prompt and answer together, 1 to {}; default 2048",
                Grouped(bounds::SEQ_LENGTH.max.into())
            ),
        ),
        value(
            "--weights",
            "P",
            "a weight format such as bf16 or int4",
            format!("{}; default bf16, in qlora nf4-dq", list(WeightFormat::ALL.iter().map(|format| format.id()))),
        ),
        value("--attention", "KIND", "flash or eager", "flash (default), eager"),
        value(
            "--offload",
            "LIST",
            "one or more of optimizer, parameters and kv, with commas between them",
            "what waits in host memory, with commas between: optimizer (with --zero 2 or 3 its gradients too), parameters, kv",
        ),
        value(
            "--host-memory",
            "GIB",
            "a whole number of GiB",
            "memory of each computer that the run may take, in GiB: with --offload in training, where a computer has 8 GPUs, and with llamacpp",
        ),
    ]
}

fn output() -> Vec<Known> {
    vec![
        value("--unit", "UNIT", "gb or gib", "gb (default, powers of 1,000), gib (powers of 1,024)"),
        switch("--json", "everything in bytes, for programs"),
    ]
}

fn question() -> Vec<Known> {
    vec![value(
        "--for",
        "WHAT",
        "context, batch, gpus, gpu, model, weights, ngl or n-cpu-moe",
        "context (longest), batch (largest), gpus (fewest GPUs, and how they are cut), gpu (smallest that leaves room; with --gpu one of the same maker and class), model (largest of the list), weights (widest format), ngl (most layers on the GPU in llama.cpp), n-cpu-moe (fewest layers whose experts stay in host memory)",
    )]
}

/// Where the plans of `compare` are.
fn compared() -> impl Iterator<Item = Known> {
    let file = plan().into_iter().filter(|option| option.name == "--plan");
    file.map(|option| Known {
        about: "the plans: a JSON object with \"version\": 1 and options by their names, or up to four in an array; - reads standard input".into(),
        group: "Plan",
        ..option
    })
}

fn spending() -> Vec<Known> {
    vec![
        value("--price", "PRICE", "a price such as 2.5", "what a GPU costs for an hour, in dollars"),
        value("--tokens", "N", "a number of tokens such as 15T", "how many tokens are trained on"),
    ]
}

fn target() -> Vec<Known> {
    vec![value(
        "--to",
        "PROGRAM",
        "a program such as vllm or deepspeed",
        format!("whose command or file it is: {}", list(Target::ALL.iter().map(|target| target.id()))),
    )]
}

fn roof() -> Vec<Known> {
    vec![
        value(
            "--precision",
            "P",
            "a precision such as bf16 or fp8",
            "in which it computes: fp32, tf32, fp16, bf16 (default), fp8, int8, fp4; of a model, the weights' format",
        ),
        value(
            "--flops",
            "F",
            "a number of FLOPs such as 1.5e12",
            "FLOPs of an operation, as 137438953472, 1.37e11 or 137G",
        ),
        value("--bytes", "B", "a number of bytes such as 2e9", "bytes that it moves, written alike"),
        value("--gemm", "M,N,K", "three whole numbers, M,N,K", "instead: a multiplication of (M x K) by (K x N)"),
        value(
            "--accounting",
            "KIND",
            "reads-and-writes or reads-only",
            "bytes of a multiplication that count: reads-and-writes (default), reads-only",
        ),
        value(
            "--kernels",
            "KIND",
            "fused or separate",
            "of a model: small operations fused or separate; default as its program runs them",
        ),
        value(
            "--efficiency",
            "E",
            "a share such as 0.5, or two, of peak and bandwidth",
            "share of peak and bandwidth for the upper end of the range, or both with a comma; default 0.35",
        ),
    ]
}

fn accuracy() -> Vec<Known> {
    vec![
        value(
            "--data",
            "DIR",
            "the path of a folder with measured rows",
            "measured rows of your own: a folder with files of the same names and columns as accuracy/data/",
        ),
        switch("--rows", "one line a row: predicted, measured, error, doubts"),
        switch("--json", "as JSON; errors as shares, 0.01 is 1%"),
    ]
}
