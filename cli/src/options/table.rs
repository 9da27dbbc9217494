//! Every option: its name, its value, and what it is.

use memory_wall_core::bounds;
use memory_wall_core::config::FAMILIES;
use memory_wall_core::display::Grouped;
use memory_wall_core::serving::Version;
use memory_wall_core::{
    Checkpointing, Implementation, KvPrecision, Optimizer, Recipe, Serving, Training, WeightFormat,
};
use memory_wall_plan::export::Target;
use memory_wall_runtimes::llamacpp::CacheType;

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
        "estimate" => with_runtimes().collect(),
        "advise" => scenario().collect(),
        // Both compare with what is known of GPUs of the table.
        "explain" => of_the_table().collect(),
        "roofline" => group("What is looked at", roof()).chain(of_the_table()).collect(),
        "export" => {
            group("What is written", target()).chain(with_runtimes().filter(|option| option.name != "--unit")).collect()
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
    with_runtimes().chain(others).collect()
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

fn pools() -> Vec<Known> {
    vec![
        value(
            "--mem-fraction-static",
            "P",
            "percent of the GPU, such as 85 or 0.85",
            "sglang: the share of the GPU for weights and pool; default SGLang's own, by the GPU, the ranks, the chunk and the graphs",
        ),
        value(
            "--chunked-prefill-size",
            "N",
            "a whole number of tokens",
            "sglang: tokens of a prompt at once; default by the GPU",
        ),
        value(
            "--max-running-requests",
            "N",
            "a whole number of requests",
            "sglang: requests at once at most; default 2,048 to 4,096, by the pool",
        ),
        value(
            "--context-length",
            "N",
            "a whole number of tokens",
            "sglang: the longest request; default what the model was made for",
        ),
        value("--max-total-tokens", "N", "a whole number of tokens", "sglang: tokens in the pool at most"),
        switch("--disable-cuda-graph", "sglang: no CUDA graphs, for which nothing is reserved then"),
        value(
            "--kv-cache-free-gpu-memory-fraction",
            "P",
            "percent of what is free, such as 90 or 0.9",
            "trtllm: the share of what a profiled pass leaves free for the pool; default 0.9",
        ),
        value("--max-batch-size", "N", "a whole number of requests", "trtllm: requests at once at most; default 2,048"),
        value("--max-num-tokens", "N", "a whole number of tokens", "trtllm: tokens at once at most; default 8,192"),
        value(
            "--max-seq-len",
            "N",
            "a whole number of tokens",
            "trtllm: the longest request; default what the model was made for, or what the pool holds",
        ),
    ]
}

fn layers() -> Vec<Known> {
    let types = list(CacheType::ALL.iter().map(|format| format.id()));
    vec![
        value(
            "--ngl",
            "N",
            "a whole number of layers",
            "layers on the GPU, the last ones, the output layer counted as one; the others stay in host memory, where the CPU computes them; more than there are is all",
        ),
        switch(
            "--fit",
            "as many layers on the GPU as leave a GiB of it free, which llama.cpp finds by itself; of a mixture, experts go first",
        ),
        value(
            "--n-cpu-moe",
            "N",
            "a whole number of layers",
            "layers, from the first, whose routed experts stay in host memory",
        ),
        switch("--cpu-moe", "the routed experts of all layers stay in host memory"),
        value(
            "--device",
            "LIST",
            "ids that memory-wall gpus lists, with commas between",
            "the GPUs that layers are spread over, in their order, with commas between; one may stand there twice; default --gpu alone",
        ),
        value(
            "--tensor-split",
            "LIST",
            "whole numbers with commas between, one for each GPU",
            "the share of each GPU, as 3,1; default by their memory",
        ),
        value(
            "--ubatch",
            "N",
            "a whole number of tokens",
            "tokens that pass through the model at once (-ub); default 512",
        ),
        switch("--swa-full", "layers with a window keep the whole context"),
        switch("--kv-unified", "all sequences share one cache of --seq cells, in place of as many for each"),
        value(
            "--cache-type-k",
            "TYPE",
            "a type such as f16 or q8_0",
            format!("how keys are stored: {types}; default as --kv says"),
        ),
        value("--cache-type-v", "TYPE", "a type such as f16 or q8_0", "how values are stored, alike"),
        switch("--no-kv-offload", "the cache stays in host memory"),
        value(
            "--host-bandwidth",
            "GBS",
            "a whole number of GB/s",
            "bandwidth of that memory, by which decoding with layers on the CPU is estimated: 50 to 100 GB/s with two channels of DDR4 or DDR5",
        ),
    ]
}

/// The same without those that describe a GPU of one's own.
fn of_the_table() -> impl Iterator<Item = Known> {
    let own: Vec<&str> = own_gpu().iter().map(|option| option.name).collect();
    scenario().filter(move |option| !own.contains(&option.name))
}

/// What describes a GPU of one's own.
fn own_gpu() -> Vec<Known> {
    let rate = "a whole number of TFLOP/s";
    let link = "a whole number of GB/s";
    vec![
        value(
            "--gpu-capability",
            "N.N",
            "an NVIDIA compute capability, such as 8.9",
            "own: NVIDIA's compute capability, by which vLLM, SGLang, TensorRT-LLM, llama.cpp, Hugging Face and bitsandbytes decide what they run; not stated, none of them is estimated",
        ),
        value("--gpu-bandwidth", "GBS", link, "own: bandwidth of its memory; not stated, no speed is said"),
        value(
            "--gpu-tflops",
            "N",
            rate,
            "own: dense peak in fp16 and bf16, without sparsity; not stated, no speed is said",
        ),
        value("--gpu-tflops-fp32", "N", rate, "own: peak in plain fp32"),
        value("--gpu-tflops-fp8", "N", rate, "own: dense peak in fp8; not stated, it is taken to have no such units"),
        value("--gpu-tflops-fp4", "N", rate, "own: dense peak in fp4; not stated, it is taken to have no such units"),
        value(
            "--gpu-tops-int8",
            "N",
            "a whole number of TOP/s",
            "own: dense peak in int8; not stated, it is taken to have no such units",
        ),
        value(
            "--gpu-link",
            "GBS",
            link,
            "own: links to the other GPUs of its computer together, in one direction (NVLink 4: 450, PCIe 4: 32); not stated, no speed is said of more than one GPU",
        ),
        value("--gpu-host-link", "GBS", link, "own: link to host memory, in one direction (PCIe 4: 32)"),
    ]
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

fn serving() -> Vec<Known> {
    let Serving { max_num_seqs, max_num_batched_tokens, max_lora_rank, num_speculative_tokens, .. } = Serving::DEFAULT;
    vec![
        value(
            "--kv",
            "P",
            "a KV precision such as bf16 or fp8",
            format!("{}; default bf16", list(KvPrecision::ALL.iter().map(|format| format.id()))),
        ),
        value(
            "--engine",
            "NAME",
            "exact, hf, vllm, llamacpp, ollama, sglang or trtllm",
            format!(
                "the program: {}; default exact, which is none; ollama, sglang and trtllm are known to estimate and compare; solve finds context and batch for sglang and trtllm, and nothing for ollama",
                memory_wall_plan::engines().join(", ")
            ),
        ),
        value(
            "--engine-version",
            "V",
            "a release of vLLM such as 0.19",
            format!("vllm: its release, from {} on; default {} or newer", Version::OLDEST, Version::NEWEST),
        ),
        value(
            "--max-model-len",
            "N",
            "a whole number of tokens",
            "vllm: the longest request that it accepts, prompt and answer together; it starts only if its pool holds one; as vLLM reads it, 32k is 32,000 and 32K 32,768; default --seq",
        ),
        value(
            "--max-num-seqs",
            "N",
            "a whole number of sequences",
            format!("vllm: sequences at once at most; default vLLM's own for the GPU ({max_num_seqs} without one)"),
        ),
        value(
            "--max-num-batched-tokens",
            "N",
            "a whole number of tokens",
            format!(
                "vllm: tokens at once at most; default vLLM's own for the GPU ({max_num_batched_tokens} without one)"
            ),
        ),
        switch("--enforce-eager", "vllm: no CUDA graphs: their memory is not taken, and decoding is slower"),
        value(
            "--max-loras",
            "N",
            "a whole number of adapters",
            "vllm: LoRA adapters that it holds ready on the GPU at once (--enable-lora); default none, the model alone",
        ),
        value(
            "--max-lora-rank",
            "N",
            "a rank such as 16",
            format!("vllm with --max-loras: the rank that each has room for; default {max_lora_rank}"),
        ),
        value(
            "--speculative",
            "METHOD",
            "none, ngram, mtp, eagle, eagle3 or draft_model",
            "vllm: how it guesses tokens ahead (--speculative-config, its method): none, ngram, mtp, with the layers that the model brings along, eagle or eagle3, with a head, or draft_model; default none",
        ),
        value(
            "--draft",
            "ID",
            "a head such as eagle3-llama-3.1-8b, or a model",
            "vllm with --speculative eagle3 or draft_model: the head or the model that guesses ahead",
        ),
        value("--draft-config", "FILE", "the config.json of a head or a model", "the same by its config.json"),
        value(
            "--num-speculative-tokens",
            "N",
            "a whole number of tokens",
            format!("vllm with --speculative: tokens guessed at a time; default {num_speculative_tokens}"),
        ),
        value(
            "--gpu-memory-utilization",
            "P",
            "percent of the GPU, such as 90 or 0.9",
            format!(
                "vllm: its share of the GPU, as 95, 92.5 or 0.925; default {}, before 0.21 {}",
                Version::NEWEST.utilization().in_percent(),
                Version::OLDEST.utilization().in_percent()
            ),
        ),
    ]
}

fn training() -> Vec<Known> {
    let start = Training::DEFAULT;
    vec![
        value(
            "--recipe",
            "NAME",
            "a recipe such as mixed or pure",
            format!(
                "precisions of weights, gradients and states: {}; default mixed, with megatron mixed-fp32-grads, with torchtitan autocast",
                list(Recipe::ALL.iter().map(|it| it.id()))
            ),
        ),
        value(
            "--gradients",
            "HABIT",
            "by-recipe, kept or freed",
            "between two steps: kept in buffers (Megatron-LM, DeepSpeed), freed (PyTorch); by-recipe (default): kept in the mixed recipes",
        ),
        value(
            "--optimizer",
            "NAME",
            "an optimizer such as adamw",
            format!("{}; default adamw", list(Optimizer::ALL.iter().map(|it| it.id()))),
        ),
        value(
            "--step",
            "KIND",
            "fused or foreach",
            "fused (default, as Hugging Face's Trainer with PyTorch 2.8 or newer), foreach: as with older ones and by torch.optim.AdamW itself, which makes a copy",
        ),
        value(
            "--implementation",
            "NAME",
            "transformers, megatron, torchtitan or litgpt",
            format!("whose code runs: {}; default transformers", list(Implementation::ALL.iter().map(|it| it.id()))),
        ),
        value(
            "--checkpointing",
            "KIND",
            "none, selective, per-op or full",
            format!(
                "what is recomputed: {}; default none, in qlora full, as peft does",
                list(Checkpointing::ALL.iter().map(|it| it.id()))
            ),
        ),
        value("--loss", "KIND", "plain, chunked or compiled", "plain (default), chunked, compiled"),
        switch("--chunked-loss", "the same as --loss chunked"),
        switch("--compile", "torch.compile fuses elementwise kernels"),
        switch("--async-tp", "torchtitan: tensor-parallel ranks exchange parts while they multiply"),
        switch("--no-reshard-after-forward", "torchtitan: gathered weights stay until the backward pass"),
        value(
            "--micro-batches",
            "N",
            "a whole number of micro-batches",
            "micro-batches of one optimizer step; default 1",
        ),
        value("--lora-rank", "N", "a whole number", format!("rank of the adapters; default {}", start.lora.rank)),
        value(
            "--lora-targets",
            "LIST",
            "all, attention, or some of q, k, v, o, mlp and head, with commas between them",
            "layers with an adapter, with commas between: q, k, v, o, mlp, head; attention is q, k, v and o, all (default) is every one but the head",
        ),
        value(
            "--lora-dtype",
            "D",
            "fp32 or bf16",
            "precision of the adapters in transformers code: fp32 (default, as peft makes them: each saves an fp32 copy of its input), bf16 (autocast_adapter_dtype=False)",
        ),
        switch("--lora-dropout", "the adapters' inputs pass through dropout"),
        switch(
            "--reentrant-checkpointing",
            "with ZeRO-3 (FSDP): re-entrant checkpoints (use_reentrant=True), as transformers before 4.52 makes them by itself; FSDP then holds every layer's input and gradient until the backward pass ends",
        ),
        switch(
            "--no-kbit-upcast",
            "qlora without peft's prepare_model_for_kbit_training, as in TRL: tables, norms and hidden states stay in 16 bits",
        ),
        switch(
            "--quantised-experts",
            "qlora that quantises routed experts too, as transformers 4 and Unsloth do: bitsandbytes leaves them in 16 bits, since transformers 5 does not hold them as linear layers, and peft then upcasts them to fp32 (in 16 bits with --no-kbit-upcast)",
        ),
    ]
}

fn gpus() -> Vec<Known> {
    vec![
        value(
            "--gpu",
            "ID",
            "an id that memory-wall gpus lists",
            "a GPU of the list that memory-wall gpus prints: does it fit, and how much more would; own for a GPU of your own, which --gpu-memory and the options behind it describe",
        ),
        value(
            "--gpu-memory",
            "SIZE",
            "GiB, as 110 or 22.49, or a size with its unit, as \"25.4 GB\"",
            "memory of the GPU that is there to be taken, in GiB or with a unit (110, 22.49, \"25.4 GB\", 24564MiB), where you know: free beside the system on memory that CPU and GPU share, or as much as it was told to lend (GTT on Strix Halo, iogpu.wired_limit_mb on macOS); default what is usual; of a GPU of your own all of it, as PyTorch reports it (torch.cuda.get_device_properties(0).total_memory)",
        ),
    ]
    .into_iter()
    .chain(own_gpu())
    .chain([
        value("--dp", "N", "a whole number of ranks", "data-parallel ranks, each with other sequences"),
        value("--tp", "N", "a whole number of ranks", "tensor-parallel ranks, which share each matrix"),
        value("--pp", "N", "a whole number of stages", "pipeline stages, each with some of the layers"),
        value(
            "--ep",
            "N",
            "a whole number of ranks",
            "expert-parallel ranks, over which the experts of a layer are spread: within dp; with megatron within tp x cp x dp; with vllm all of tp x dp (--enable-expert-parallel)",
        ),
        value(
            "--etp",
            "N",
            "a whole number of ranks",
            "megatron: ranks that share the matrices of each expert (--expert-tensor-parallel-size); default as many as tp, or 1 where ep does not divide cp x dp",
        ),
        value("--cp", "N", "a whole number of ranks", "context-parallel ranks, which share each sequence"),
        value(
            "--zero",
            "N",
            "0, 1, 2 or 3",
            "what data-parallel ranks share out in training: 0 nothing (default), 1 optimizer states, 2 gradients too, 3 weights too",
        ),
        value(
            "--sharding",
            "BY",
            "by-recipe, fsdp or deepspeed",
            "who shares it out in transformers code: by-recipe (default): deepspeed in the mixed recipes and with --zero 1, fsdp (FSDP2) in pure, autocast and fp32",
        ),
        value("--shard", "N", "a whole number of ranks", "over how many of the dp ranks; default all"),
        value(
            "--virtual-stages",
            "N",
            "a whole number of chunks",
            "layer chunks of each pipeline rank, taken in turn; default 1",
        ),
        switch("--sequence-parallel", "tensor-parallel ranks share norms and dropout too"),
    ])
    .collect()
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
