//! Options that were given and change nothing: each gets a note that says why.

use memory_wall_core::memory::optimizer;
use memory_wall_core::scenario::sharding;
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::{
    Checkpointing, Engine, Implementation, Mode, Moments, Optimizer, Scenario, Speculation, StepKernel, ZeroStage,
};

use crate::options::Given;
use crate::solve::Question;

/// How layers are spread over the stages of a pipeline, in training alone; [`Question::Gpus`] tries stages of its own.
const STAGES: [&str; 5] = [
    "--decoder-first-pipeline-num-layers",
    "--decoder-last-pipeline-num-layers",
    "--account-for-embedding-in-pipeline-split",
    "--account-for-loss-in-pipeline-split",
    "--pipeline-model-parallel-layout",
];
/// Beside [`STAGES`].
const TRAINING_ONLY: [&str; 24] = [
    "--recipe",
    "--gradients",
    "--moments",
    "--fp8-recipe",
    "--fp8-param-gather",
    "--activation-func-fp8-input-store",
    "--optimizer",
    "--step",
    "--implementation",
    "--sharding",
    "--checkpointing",
    "--recompute-modules",
    "--loss",
    "--chunked-loss",
    "--compile",
    "--async-tp",
    "--no-reshard-after-forward",
    "--micro-batches",
    "--zero",
    "--shard",
    "--etp",
    "--sequence-parallel",
    "--virtual-stages",
    "--pipeline-schedule",
];
const INFERENCE_ONLY: [&str; 16] = [
    "--kv",
    "--engine",
    "--engine-version",
    "--max-model-len",
    "--max-num-seqs",
    "--max-num-batched-tokens",
    "--enforce-eager",
    "--language-model-only",
    "--prefix-caching",
    "--max-loras",
    "--max-lora-rank",
    "--speculative",
    "--num-speculative-tokens",
    "--draft",
    "--draft-config",
    "--gpu-memory-utilization",
];
const VLLM_ONLY: [&str; 14] = [
    "--engine-version",
    "--max-model-len",
    "--max-num-seqs",
    "--max-num-batched-tokens",
    "--enforce-eager",
    "--language-model-only",
    "--prefix-caching",
    "--max-loras",
    "--max-lora-rank",
    "--speculative",
    "--num-speculative-tokens",
    "--draft",
    "--draft-config",
    "--gpu-memory-utilization",
];
const ADAPTERS_ONLY: [&str; 7] = [
    "--lora-rank",
    "--lora-targets",
    "--lora-dtype",
    "--lora-dropout",
    "--reentrant-checkpointing",
    "--no-kbit-upcast",
    "--quantised-experts",
];
const OWN_GPU_ONLY: [&str; 9] = [
    "--gpu-capability",
    "--gpu-bandwidth",
    "--gpu-tflops",
    "--gpu-tflops-fp32",
    "--gpu-tflops-fp8",
    "--gpu-tflops-fp4",
    "--gpu-tops-int8",
    "--gpu-link",
    "--gpu-host-link",
];
/// What [`Question::Gpus`] tries by itself, beside [`STAGES`].
const CUTS: [&str; 9] =
    ["--dp", "--tp", "--pp", "--ep", "--etp", "--zero", "--shard", "--virtual-stages", "--pipeline-schedule"];

/// Whether Megatron-LM shards by its own FSDP, which is tried where a plan has it alone, and not beside what is modelled with its distributed optimizer only.
pub(crate) fn by_its_own_fsdp(scenario: &Scenario) -> bool {
    let beyond = matches!(scenario.parallel.zero, ZeroStage::Gradients | ZeroStage::Weights);
    let training = &scenario.training;
    let alone = !scenario.trains_in_fp8() && training.moments == Moments::ByRecipe;
    beyond && alone && training.implementation == Implementation::Megatron
}

/// A note for each option that was given and changes nothing.
pub(crate) fn notes(given: &Given, scenario: &Scenario, question: Option<Question>) -> Vec<String> {
    let mode = scenario.mode.id();
    let mut notes = Vec::new();
    let mut said: Vec<&str> = Vec::new();
    let mut note = |option: &'static str, why: String| {
        // The first reason is enough.
        if given.has(option) && !said.contains(&option) {
            said.push(option);
            notes.push(format!("{option} has no effect{why}"));
        }
    };
    for &option in question.map_or([&[][..]; 2], asked).into_iter().flatten() {
        if option == "--zero" && by_its_own_fsdp(scenario) {
            continue;
        }
        note(option, format!(": solve --for {} looks for it", question.map_or("", Question::id)));
    }
    let of_other_modes: [&[&str]; 2] =
        if scenario.mode.trains() { [&INFERENCE_ONLY, &[]] } else { [&TRAINING_ONLY, &STAGES] };
    for &option in of_other_modes.into_iter().flatten() {
        note(option, format!(" in {mode}"));
    }
    if !scenario.mode.adapts() {
        for option in ADAPTERS_ONLY {
            note(option, format!(" in {mode}"));
        }
    }
    if scenario.mode.adapts() {
        note("--sharding", format!(" in {mode}"));
    }
    if !scenario.mode.trains() {
        note("--recipe", format!(" in {mode}, where the model is frozen and its adapters follow its weights"));
    }
    if scenario.mode.adapts() && scenario.training.implementation != Implementation::Transformers {
        note(
            "--lora-dtype",
            " without --implementation transformers: other code keeps adapters in the model's precision".into(),
        );
    }
    if scenario.checkpointing != Checkpointing::Selective {
        note("--recompute-modules", " without --checkpointing selective".into());
    }
    if !scenario.frozen_by_fsdp() || scenario.checkpointing != Checkpointing::Full {
        note(
            "--reentrant-checkpointing",
            " here: it counts where FSDP (--dp and --zero 3) shards a frozen model, with --checkpointing full".into(),
        );
    }
    let mut with_upcast = *scenario;
    with_upcast.training.lora.upcast = true;
    if scenario.mode == Mode::Qlora && scenario.frozen_by_fsdp() {
        note("--no-kbit-upcast", " here: FSDP takes no layers of two precisions, so nothing is upcast".into());
    } else if !with_upcast.upcasts() {
        note(
            "--no-kbit-upcast",
            " here: peft upcasts only beside weights that bitsandbytes quantised, in mode qlora".into(),
        );
    }
    // In qlora it depends on the model, which is not known yet: see `Model::remarks`.
    if scenario.mode != Mode::Qlora {
        note("--quantised-experts", " without --mode qlora".into());
    }
    if scenario.training.implementation != Implementation::Torchtitan {
        note("--compile", " without --implementation torchtitan".into());
    }
    if scenario.training.step == StepKernel::Foreach && optimizer::copies_by(scenario).is_none() {
        let why = if scenario.offload.optimizer {
            " where the CPU takes the optimizer's step"
        } else if scenario.optimizer == Optimizer::AdamW {
            " on memory under DeepSpeed's ZeRO-1 and 2: before the step they free as much as foreach copies"
        } else {
            " without --optimizer adamw"
        };
        note("--step", why.into());
    }
    if scenario.serving.engine != Engine::Vllm {
        for option in VLLM_ONLY {
            note(option, " without --engine vllm".into());
        }
    }
    if scenario.serving.max_loras.is_none() {
        note("--max-lora-rank", " without --max-loras".into());
    }
    if scenario.serving.speculation == Speculation::None {
        note("--num-speculative-tokens", " without --speculative".into());
    }
    if matches!(scenario.serving.speculation, Speculation::None | Speculation::Ngram | Speculation::Mtp) {
        for option in ["--draft", "--draft-config"] {
            note(option, " without --speculative eagle, eagle3 or draft_model".into());
        }
    }
    if scenario.gpu.is_none() && question.is_none() {
        note("--gpu-memory-utilization", " without --gpu".into());
        note("--gpu-memory", " without --gpu".into());
        if scenario.mode.trains() && (scenario.offload.optimizer || scenario.offload.parameters) {
            note("--host-memory", " without --gpu: there is no verdict without one".into());
        }
    }
    if !scenario.gpu.is_some_and(Gpu::is_own) {
        for option in OWN_GPU_ONLY {
            note(option, " without --gpu own".into());
        }
    }
    if question != Some(Question::Gpus) {
        cuts(scenario, &mut note);
    }
    if scenario.mode.trains() && scenario.offload.kv_cache {
        note("--offload", format!(" on kv in {mode}"));
    }
    if !scenario.mode.trains() && scenario.offload.optimizer {
        note("--offload", format!(" on optimizer in {mode}"));
    }
    if given.has("--json") {
        note("--unit", " on JSON, which counts in bytes".into());
    }
    notes
}

/// Options of cuts that share out nothing.
fn cuts(scenario: &Scenario, note: &mut impl FnMut(&'static str, String)) {
    let parallel = &scenario.parallel;
    let alone = u64::from(parallel.dp) * u64::from(parallel.cp) == 1;
    // On one GPU DeepSpeed's ZeRO shards nothing, but decides where gradients wait and brings buffers of its own.
    if parallel.zero != ZeroStage::None && alone && sharding::deepspeed(scenario).is_none() {
        note("--zero", " without --dp".into());
    }
    if parallel.zero == ZeroStage::None {
        note("--shard", " without --zero".into());
        note("--sharding", " without --zero".into());
    }
    if parallel.tp == 1 {
        note("--sequence-parallel", " without --tp".into());
    }
}

/// The options whose place a question takes.
const fn asked(question: Question) -> [&'static [&'static str]; 2] {
    match question {
        Question::Context => [&["--seq", "--max-model-len"], &[]],
        Question::Batch => [&["--batch"], &[]],
        Question::Gpus => [&CUTS, &STAGES],
        Question::Gpu => [&[], &[]],
        Question::Model => [&["--model", "--config"], &[]],
        Question::Weights => [&["--weights"], &[]],
    }
}
