//! Every option of a plan, in the order in which they are written.

use alloc::vec;
use alloc::vec::Vec;

use memory_wall_core::architecture::Projection;
use memory_wall_core::bounds;
use memory_wall_core::tables::drafts::{self, HEADS};
use memory_wall_core::tables::gpus::GPUS;
use memory_wall_core::tables::models::{self, MODELS};
use memory_wall_core::{
    AdapterPrecision, Attention, Checkpointing, Engine, Fp8Recipe, Gradients, Implementation, KvPrecision, LoraTargets,
    Loss, Mode, Moments, Offload, Optimizer, PipelineSchedule, Recipe, RecomputedModule, RecomputedModules, Scenario,
    Sharding, Speculation, StepKernel, WeightFormat, ZeroStage,
};

use memory_wall_runtimes::llamacpp::{CacheType, limits};
use memory_wall_runtimes::ollama::ID as OLLAMA;
use memory_wall_runtimes::pool::{MAX_TOTAL_TOKENS, Server};
use memory_wall_runtimes::rollout::{
    Algorithm, NUM_GENERATIONS, Placed, Reference, STEPS_PER_GENERATION, TENSOR_PARALLEL,
};

use crate::option::{PlanOption, Scope};
use crate::own_gpu;
use crate::value::{Kind, Value};

/// Words of the command that say what an option says too: the word, the option and its value.
pub const ALIASES: [(&str, &str, &str); 1] = [("chunked_loss", "loss", "chunked")];

/// The option with this name.
pub fn by_name(name: &str) -> Option<&'static PlanOption> {
    OPTIONS.iter().find(|option| option.name == name)
}

/// A number at one place of a scenario.
macro_rules! count {
    ($name:literal, $bounds:ident, $scope:ident, |$s:ident| $place:expr) => {
        PlanOption {
            name: $name,
            kind: Kind::Count(bounds::$bounds),
            scope: Scope::$scope,
            get: |$s| Some(Value::Count($place)),
            set: |$s, value| {
                if let Value::Count(count) = value {
                    $place = *count;
                }
            },
        }
    };
}

/// A number that a scenario has only where it is stated.
macro_rules! stated_count {
    ($name:literal, $bounds:ident, $scope:ident, |$s:ident| $place:expr) => {
        PlanOption {
            name: $name,
            kind: Kind::Count(bounds::$bounds),
            scope: Scope::$scope,
            get: |$s| $place.map(Value::Count),
            set: |$s, value| {
                if let Value::Count(count) = value {
                    $place = Some(*count);
                }
            },
        }
    };
}

/// One of several choices at one place of a scenario.
macro_rules! choice {
    ($name:literal, $choice:ident, $scope:ident, |$s:ident| $place:expr) => {
        PlanOption {
            name: $name,
            kind: Kind::Choice(|| $choice::ALL.iter().map(|choice| choice.id()).collect()),
            scope: Scope::$scope,
            get: |$s| Some(Value::Word($place.id())),
            set: |$s, value| {
                if let Value::Word(id) = value
                    && let Some(choice) = $choice::from_id(id)
                {
                    $place = choice;
                }
            },
        }
    };
}

/// A switch that sets one place of a scenario to a value.
macro_rules! switch {
    ($name:literal, $scope:ident, $on:literal, |$s:ident| $place:expr) => {
        PlanOption {
            name: $name,
            kind: Kind::Switch,
            scope: Scope::$scope,
            get: |$s| ($place == $on).then_some(Value::On),
            set: |$s, value| {
                if *value == Value::On {
                    $place = $on;
                }
            },
        }
    };
}

/// An option of a runtime in `runtimes/`: plans have it, `Scenario` does not.
macro_rules! of_runtime {
    ($name:literal, $scope:expr, $kind:expr) => {
        PlanOption { name: $name, kind: $kind, scope: $scope, get: |_| None, set: |_, _| {} }
    };
}

const SGLANG: Scope = Scope::Pool(Server::Sglang);
const TRTLLM: Scope = Scope::Pool(Server::TensorRtLlm);
/// Layers with an adapter.
const TARGETS: &[&str] = &["q", "k", "v", "o", "mlp", "head"];
/// Words for several of them.
const TARGET_SETS: &[(&str, &[&str])] = &[("attention", &["q", "k", "v", "o"]), ("all", &["q", "k", "v", "o", "mlp"])];
/// Parts of a layer that Megatron-LM computes again.
#[expect(clippy::indexing_slicing, reason = "places below the length, looked at by the compiler")]
const MODULES: &[&str] = &{
    let mut names = [""; RecomputedModule::EACH.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = RecomputedModule::EACH[place].id();
        place += 1;
    }
    names
};
/// What waits in host memory.
const OFFLOADED: &[&str] = &["optimizer", "parameters", "kv"];

/// Every option.
pub static OPTIONS: &[PlanOption] = &[
    PlanOption {
        name: "model",
        kind: Kind::Row("models", || MODELS.iter().map(|model| model.id).collect()),
        scope: Scope::Model,
        get: |_| None,
        set: |scenario, value| {
            if let Value::Word(id) = value
                && let Some(model) = models::by_id(id)
            {
                scenario.architecture = model.architecture;
            }
        },
    },
    PlanOption { name: "config", kind: Kind::Config, scope: Scope::Model, get: |_| None, set: |_, _| {} },
    choice!("mode", Mode, Always, |s| s.mode),
    count!("batch", BATCH, Always, |s| s.batch),
    count!("seq", SEQ_LENGTH, Always, |s| s.seq_length),
    choice!("weights", WeightFormat, Always, |s| s.weights),
    choice!("attention", Attention, Anywhere, |s| s.attention),
    PlanOption {
        name: "offload",
        kind: Kind::List(OFFLOADED, &[]),
        scope: Scope::Anywhere,
        get: |s| {
            let Offload { optimizer, parameters, kv_cache } = s.offload;
            // What the mode does not have changes nothing.
            let held = [optimizer && s.mode.trains(), parameters, kv_cache && !s.mode.trains()];
            words(OFFLOADED, &held)
        },
        set: |s, value| {
            let has = |word| matches!(value, Value::Words(words) if words.contains(&word));
            s.offload = Offload { optimizer: has("optimizer"), parameters: has("parameters"), kv_cache: has("kv") };
        },
    },
    choice!("kv", KvPrecision, Inference, |s| s.kv),
    PlanOption {
        name: "engine",
        kind: Kind::Choice(engines),
        scope: Scope::Inference,
        get: |s| Some(Value::Word(s.serving.engine.id())),
        set: |s, value| {
            if let Value::Word(id) = value {
                // Ollama, SGLang and TensorRT-LLM are no `Engine`: Ollama runs llama.cpp, and the pools of the other two are estimated from the bare model.
                let own = if *id == OLLAMA { Engine::LlamaCpp } else { Engine::Exact };
                s.serving.engine = Engine::from_id(id).unwrap_or(own);
            }
        },
    },
    PlanOption {
        name: "engine_version",
        kind: Kind::Release,
        scope: Scope::Vllm,
        get: |s| Some(Value::Release(s.serving.version)),
        set: |s, value| {
            if let Value::Release(release) = value {
                s.serving.version = *release;
            }
        },
    },
    stated_count!("max_model_len", MAX_MODEL_LEN, Vllm, |s| s.serving.max_model_len),
    PlanOption {
        name: "max_num_seqs",
        kind: Kind::Count(bounds::MAX_NUM_SEQS),
        scope: Scope::Vllm,
        get: |s| (!s.serving.usual_seqs).then_some(Value::Count(s.serving.max_num_seqs)),
        set: |s, value| {
            if let Value::Count(sequences) = value {
                (s.serving.max_num_seqs, s.serving.usual_seqs) = (*sequences, false);
            }
        },
    },
    PlanOption {
        name: "max_num_batched_tokens",
        kind: Kind::Count(bounds::MAX_NUM_BATCHED_TOKENS),
        scope: Scope::Vllm,
        get: |s| (!s.serving.usual_batched_tokens).then_some(Value::Count(s.serving.max_num_batched_tokens)),
        set: |s, value| {
            if let Value::Count(tokens) = value {
                (s.serving.max_num_batched_tokens, s.serving.usual_batched_tokens) = (*tokens, false);
            }
        },
    },
    switch!("enforce_eager", Vllm, true, |s| s.serving.enforce_eager),
    switch!("language_model_only", Tower, true, |s| s.serving.language_model_only),
    PlanOption {
        name: "prefix_caching",
        kind: Kind::Choice(|| ids(&[true, false], on_or_off)),
        scope: Scope::Vllm,
        get: |s| s.serving.prefix_caching.map(|on| Value::Word(on_or_off(on))),
        set: |s, value| {
            if let Value::Word(word) = value {
                s.serving.prefix_caching = Some(*word == on_or_off(true));
            }
        },
    },
    stated_count!("max_loras", MAX_LORAS, Vllm, |s| s.serving.max_loras),
    count!("max_lora_rank", MAX_LORA_RANK, Vllm, |s| s.serving.max_lora_rank),
    choice!("speculative", Speculation, Vllm, |s| s.serving.speculation),
    count!("num_speculative_tokens", NUM_SPECULATIVE_TOKENS, Vllm, |s| s.serving.num_speculative_tokens),
    PlanOption {
        name: "draft",
        kind: Kind::Choice(drafts),
        scope: Scope::Vllm,
        get: |s| s.draft.filter(|draft| !draft.id.is_empty()).map(|draft| Value::Word(draft.id)),
        set: |s, value| {
            if let Value::Word(id) = value {
                s.draft = drafts::by_id(id);
            }
        },
    },
    PlanOption {
        name: "gpu_memory_utilization",
        kind: Kind::Percent(bounds::UTILIZATION),
        scope: Scope::Vllm,
        get: |s| s.serving.gpu_memory_utilization.map(Value::Percent),
        set: |s, value| {
            if let Value::Percent(share) = value {
                s.serving.gpu_memory_utilization = Some(*share);
            }
        },
    },
    of_runtime!("mem_fraction_static", SGLANG, Kind::Percent(bounds::UTILIZATION)),
    of_runtime!("chunked_prefill_size", SGLANG, Kind::Count(bounds::MAX_NUM_BATCHED_TOKENS)),
    of_runtime!("max_running_requests", SGLANG, Kind::Count(bounds::MAX_NUM_SEQS)),
    of_runtime!("context_length", SGLANG, Kind::Count(bounds::MAX_MODEL_LEN)),
    of_runtime!("max_total_tokens", SGLANG, Kind::Count(MAX_TOTAL_TOKENS)),
    of_runtime!("disable_cuda_graph", SGLANG, Kind::Switch),
    of_runtime!("kv_cache_free_gpu_memory_fraction", TRTLLM, Kind::Percent(bounds::UTILIZATION)),
    of_runtime!("max_batch_size", TRTLLM, Kind::Count(bounds::MAX_NUM_SEQS)),
    of_runtime!("max_num_tokens", TRTLLM, Kind::Count(bounds::MAX_NUM_BATCHED_TOKENS)),
    of_runtime!("max_seq_len", TRTLLM, Kind::Count(bounds::MAX_MODEL_LEN)),
    of_runtime!("ngl", Scope::Layers, Kind::Count(limits::NGL)),
    of_runtime!("fit", Scope::Layers, Kind::Switch),
    of_runtime!("n_cpu_moe", Scope::Layers, Kind::Count(limits::N_CPU_MOE)),
    of_runtime!("cpu_moe", Scope::Layers, Kind::Switch),
    of_runtime!(
        "device",
        Scope::Layers,
        Kind::Rows("gpus", || GPUS.iter().map(|gpu| gpu.id).collect(), limits::MOST_GPUS)
    ),
    of_runtime!("tensor_split", Scope::Layers, Kind::Counts(limits::TENSOR_SPLIT, limits::MOST_GPUS)),
    of_runtime!("ubatch", Scope::Layers, Kind::Count(limits::UBATCH)),
    of_runtime!("swa_full", Scope::Layers, Kind::Switch),
    of_runtime!("kv_unified", Scope::Layers, Kind::Switch),
    of_runtime!("cache_type_k", Scope::Layers, Kind::Choice(cache_types)),
    of_runtime!("cache_type_v", Scope::Layers, Kind::Choice(cache_types)),
    of_runtime!("no_kv_offload", Scope::Layers, Kind::Switch),
    PlanOption {
        name: "host_memory",
        kind: Kind::Count(limits::HOST_MEMORY),
        scope: Scope::HostMemory,
        get: |s| s.host_memory.map(Value::Count),
        set: |s, value| {
            if let Value::Count(gib) = value {
                s.host_memory = Some(*gib);
            }
        },
    },
    of_runtime!("host_bandwidth", Scope::Layers, Kind::Count(limits::HOST_BANDWIDTH)),
    choice!("recipe", Recipe, Training, |s| s.training.recipe),
    choice!("gradients", Gradients, Training, |s| s.training.gradients),
    choice!("moments", Moments, Training, |s| s.training.moments),
    choice!("fp8_recipe", Fp8Recipe, Training, |s| s.training.fp8.recipe),
    switch!("fp8_param_gather", Training, true, |s| s.training.fp8.param_gather),
    switch!("activation_func_fp8_input_store", Training, true, |s| s.training.fp8.input_store),
    choice!("optimizer", Optimizer, Training, |s| s.optimizer),
    choice!("step", StepKernel, Training, |s| s.training.step),
    choice!("implementation", Implementation, Training, |s| s.training.implementation),
    choice!("sharding", Sharding, Training, |s| s.training.sharding),
    choice!("checkpointing", Checkpointing, Training, |s| s.checkpointing),
    PlanOption {
        name: "recompute_modules",
        kind: Kind::List(MODULES, &[]),
        scope: Scope::Training,
        get: |s| words(MODULES, &RecomputedModule::EACH.map(|module| s.training.recompute.has(module))),
        set: |s, value| {
            if let Value::Words(words) = value {
                s.training.recompute = RecomputedModules::of(|module| words.contains(&module.id()));
            }
        },
    },
    choice!("loss", Loss, Training, |s| s.training.loss),
    switch!("compile", Training, true, |s| s.training.compile),
    switch!("async_tp", Training, true, |s| s.training.async_tp),
    switch!("no_reshard_after_forward", Training, false, |s| s.training.reshard_after_forward),
    count!("micro_batches", MICRO_BATCHES, Training, |s| s.training.micro_batches),
    of_runtime!("rl", Scope::Rollout, Kind::Choice(|| ids(Algorithm::ALL, Algorithm::id))),
    of_runtime!("vllm_mode", Scope::Rollout, Kind::Choice(|| ids(Placed::ALL, Placed::id))),
    of_runtime!("vllm_gpu_memory_utilization", Scope::Rollout, Kind::Percent(bounds::UTILIZATION)),
    of_runtime!("vllm_tensor_parallel_size", Scope::Rollout, Kind::Count(TENSOR_PARALLEL)),
    of_runtime!("vllm_max_model_length", Scope::Rollout, Kind::Count(bounds::SEQ_LENGTH)),
    of_runtime!("vllm_enable_sleep_mode", Scope::Rollout, Kind::Switch),
    of_runtime!("num_generations", Scope::Rollout, Kind::Count(NUM_GENERATIONS)),
    of_runtime!("steps_per_generation", Scope::Rollout, Kind::Count(STEPS_PER_GENERATION)),
    of_runtime!("max_completion_length", Scope::Rollout, Kind::Count(bounds::SEQ_LENGTH)),
    of_runtime!("reference", Scope::Rollout, Kind::Choice(|| ids(Reference::ALL, Reference::id))),
    count!("lora_rank", LORA_RANK, Adapters, |s| s.training.lora.rank),
    PlanOption {
        name: "lora_targets",
        kind: Kind::List(TARGETS, TARGET_SETS),
        scope: Scope::Adapters,
        get: |s| {
            let LoraTargets { q, k, v, o, mlp, head } = s.training.lora.targets;
            words(TARGETS, &[q, k, v, o, mlp, head])
        },
        set: |s, value| {
            let has = |word| matches!(value, Value::Words(words) if words.contains(&word));
            s.training.lora.targets =
                LoraTargets { q: has("q"), k: has("k"), v: has("v"), o: has("o"), mlp: has("mlp"), head: has("head") };
        },
    },
    choice!("lora_dtype", AdapterPrecision, Adapters, |s| s.training.lora.precision),
    switch!("lora_dropout", Adapters, true, |s| s.training.lora.dropout),
    switch!("reentrant_checkpointing", Adapters, true, |s| s.training.stock.reentrant),
    switch!("no_kbit_upcast", Quantised, false, |s| s.training.lora.upcast),
    switch!("quantised_experts", Quantised, true, |s| s.training.lora.experts),
    PlanOption {
        name: "gpu",
        kind: Kind::Row("gpus", own_gpu::ids),
        scope: Scope::Anywhere,
        get: |s| s.gpu.map(|gpu| Value::Word(gpu.id)),
        set: |s, value| {
            if let Value::Word(id) = value {
                s.gpu = own_gpu::gpu(id);
            }
        },
    },
    PlanOption {
        name: "gpu_memory",
        kind: Kind::Memory(bounds::GPU_MEMORY),
        scope: Scope::Anywhere,
        get: |s| s.gpu_memory.map(Value::Memory),
        set: |s, value| {
            if let Value::Memory(bytes) = value {
                s.gpu_memory = Some(*bytes);
                own_gpu::state(s, |gpu| gpu.with_memory(*bytes));
            }
        },
    },
    own_gpu::CAPABILITY,
    own_gpu::BANDWIDTH,
    own_gpu::RATE,
    own_gpu::FP32,
    own_gpu::FP8,
    own_gpu::FP4,
    own_gpu::INT8,
    own_gpu::LINK,
    own_gpu::HOST_LINK,
    count!("dp", DP, Anywhere, |s| s.parallel.dp),
    count!("tp", TP, Anywhere, |s| s.parallel.tp),
    count!("pp", PP, Anywhere, |s| s.parallel.pp),
    count!("ep", EP, Anywhere, |s| s.parallel.ep),
    stated_count!("etp", TP, Training, |s| s.parallel.etp),
    count!("cp", CP, Anywhere, |s| s.parallel.cp),
    choice!("zero", ZeroStage, Training, |s| s.parallel.zero),
    stated_count!("shard", DP, Training, |s| s.parallel.shard),
    count!("virtual_stages", VIRTUAL_STAGES, Training, |s| s.parallel.virtual_stages),
    choice!("pipeline_schedule", PipelineSchedule, Training, |s| s.parallel.schedule),
    stated_count!("decoder_first_pipeline_num_layers", LAYERS, Training, |s| s.parallel.split.first),
    stated_count!("decoder_last_pipeline_num_layers", LAYERS, Training, |s| s.parallel.split.last),
    switch!("account_for_embedding_in_pipeline_split", Training, true, |s| s.parallel.split.embedding),
    switch!("account_for_loss_in_pipeline_split", Training, true, |s| s.parallel.split.loss),
    PlanOption {
        name: "pipeline_model_parallel_layout",
        kind: Kind::Layout,
        scope: Scope::Training,
        get: |s| s.parallel.split.layout.map(Value::Layout),
        set: |s, value| {
            if let Value::Layout(layout) = value {
                let parallel = &mut s.parallel;
                parallel.split.layout = Some(*layout);
                // As Megatron-LM, which takes the chunks of a rank from the layout.
                if parallel.virtual_stages == 1 && parallel.pp > 1 && layout.stages().is_multiple_of(parallel.pp) {
                    parallel.virtual_stages = layout.stages() / parallel.pp;
                }
            }
        },
    },
    switch!("sequence_parallel", Training, true, |s| s.parallel.sequence_parallel),
];

/// Every runtime by its name.
pub fn engines() -> Vec<&'static str> {
    let servers = Server::ALL.iter().map(|server| server.id());
    Engine::ALL.iter().map(|engine| engine.id()).chain([OLLAMA]).chain(servers).collect()
}

/// Heads, and the models of the table that are small enough to guess for another and have the plain layers of a draft.
fn drafts() -> Vec<&'static str> {
    let small = MODELS.iter().filter(|model| {
        let shape = &model.architecture;
        let plain = shape.full_layers() == shape.layers && shape.moe.is_none() && shape.projection == Projection::Heads;
        plain && shape.linear_attention.is_none() && shape.parameters().total() < MOST_OF_A_DRAFT
    });
    HEADS.iter().map(|head| head.id).chain(small.map(|model| model.id)).collect()
}

/// Parameters of a model that is offered to guess for another, at most.
const MOST_OF_A_DRAFT: u64 = 5_000_000_000;

fn cache_types() -> Vec<&'static str> {
    ids(CacheType::ALL, CacheType::id)
}

const fn on_or_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

fn ids<T: Copy>(all: &[T], id: fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|choice| id(*choice)).collect()
}

/// The words that hold; nothing where none does.
fn words(all: &'static [&'static str], hold: &[bool]) -> Option<Value> {
    let words: Vec<&str> = all.iter().zip(hold).filter(|(_, holds)| **holds).map(|(word, _)| *word).collect();
    (!words.is_empty()).then_some(Value::Words(words))
}

/// The values of a scenario that differ from its defaults, and those that a plan always says.
pub(crate) fn stated(scenario: &Scenario) -> Vec<(&'static PlanOption, Value)> {
    let mut usual = Scenario::new(scenario.architecture);
    // The default of the same mode and runtime: an option that has no effect there is not compared.
    (usual.mode, usual.serving.engine) = (scenario.mode, scenario.serving.engine);
    usual.training.recipe = scenario.usual_recipe();
    usual.checkpointing = scenario.mode.usual_checkpointing(scenario.training.implementation);
    let mut found = vec![];
    for option in OPTIONS {
        let Some(value) = option.of(scenario) else { continue };
        let said = match option.name {
            // The cache follows the GPU and the program where nothing is said.
            "kv" => true,
            "engine" => scenario.serving.engine != Engine::Exact,
            _ => option.scope == Scope::Always || option.of(&usual).as_ref() != Some(&value),
        };
        if said {
            found.push((option, value));
        }
    }
    found
}
