//! A scenario for programs, defaults included.

use memory_wall_core::engines::vllm;
use memory_wall_core::layout::PipelineSplit;
use memory_wall_core::{Engine, Fp8, Moments, Parallelism, Scenario, Speculation};
use serde::Serialize;

use crate::inputs;

/// What was evaluated.
#[derive(Debug, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "options that are on or off")]
pub(crate) struct Inputs {
    mode: &'static str,
    batch: u32,
    seq_length: u32,
    weights: &'static str,
    kv: &'static str,
    optimizer: &'static str,
    checkpointing: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recompute_modules: Vec<&'static str>,
    attention: &'static str,
    recipe: &'static str,
    gradients: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    moments: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fp8_recipe: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fp8_param_gather: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    activation_func_fp8_input_store: Option<bool>,
    step: &'static str,
    implementation: &'static str,
    sharding: &'static str,
    loss: &'static str,
    compile: bool,
    async_tp: bool,
    reshard_after_forward: bool,
    micro_batches: u32,
    lora: Lora,
    engine: &'static str,
    engine_version: Option<&'static str>,
    max_model_len: u32,
    max_num_seqs: u32,
    max_num_batched_tokens: u32,
    enforce_eager: bool,
    language_model_only: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix_caching: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_loras: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_lora_rank: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    speculative: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    num_speculative_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    draft: Option<&'static str>,
    gpu_memory_utilization: f64,
    parallel: Cut,
    offload: Vec<&'static str>,
}

/// The adapters, which only `lora` and `qlora` have.
#[expect(clippy::struct_excessive_bools, reason = "options that are on or off")]
#[derive(Debug, Serialize)]
struct Lora {
    rank: u32,
    targets: Vec<&'static str>,
    dtype: &'static str,
    dropout: bool,
    reentrant_checkpointing: bool,
    kbit_upcast: bool,
    quantised_experts: bool,
}

/// How the run is cut over GPUs.
#[derive(Debug, Serialize)]
pub(crate) struct Cut {
    dp: u32,
    tp: u32,
    pp: u32,
    ep: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    etp: Option<u32>,
    cp: u32,
    zero: u8,
    shard: Option<u32>,
    virtual_stages: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pipeline_schedule: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decoder_first_pipeline_num_layers: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decoder_last_pipeline_num_layers: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    account_for_embedding_in_pipeline_split: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    account_for_loss_in_pipeline_split: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pipeline_model_parallel_layout: Option<String>,
    sequence_parallel: bool,
}

impl Inputs {
    /// Of a scenario.
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let (training, serving) = (&scenario.training, &scenario.serving);
        let guesses = serving.speculation != Speculation::None;
        Self {
            mode: scenario.mode.id(),
            batch: scenario.batch,
            seq_length: scenario.seq_length,
            weights: scenario.weights.id(),
            kv: scenario.kv.id(),
            optimizer: scenario.optimizer.id(),
            checkpointing: scenario.checkpointing.id(),
            recompute_modules: inputs::recomputed(scenario),
            attention: scenario.attention.id(),
            recipe: training.recipe.id(),
            gradients: training.gradients.id(),
            moments: (training.moments != Moments::ByRecipe).then_some(training.moments.id()),
            fp8_recipe: (training.fp8 != Fp8::NONE).then_some(training.fp8.recipe.id()),
            fp8_param_gather: training.fp8.param_gather.then_some(true),
            activation_func_fp8_input_store: training.fp8.input_store.then_some(true),
            step: training.step.id(),
            implementation: training.implementation.id(),
            sharding: training.sharding.id(),
            loss: training.loss.id(),
            compile: training.compile,
            async_tp: training.async_tp,
            reshard_after_forward: training.reshard_after_forward,
            micro_batches: training.micro_batches,
            lora: Lora {
                rank: training.lora.rank,
                targets: inputs::targets(training.lora.targets),
                dtype: training.lora.precision.id(),
                dropout: training.lora.dropout,
                reentrant_checkpointing: training.stock.reentrant,
                kbit_upcast: training.lora.upcast,
                quantised_experts: training.lora.experts,
            },
            engine: serving.engine.id(),
            engine_version: (serving.engine == Engine::Vllm).then(|| vllm::Constants::of(serving.version).releases),
            max_model_len: scenario.longest_request(),
            max_num_seqs: serving.max_num_seqs,
            max_num_batched_tokens: scenario.batched_tokens(),
            enforce_eager: serving.enforce_eager,
            language_model_only: serving.language_model_only,
            prefix_caching: serving.prefix_caching,
            max_loras: serving.max_loras,
            max_lora_rank: serving.max_loras.map(|_| serving.max_lora_rank),
            speculative: guesses.then_some(serving.speculation.id()),
            num_speculative_tokens: guesses.then_some(serving.num_speculative_tokens),
            draft: scenario.draft.filter(|draft| guesses && !draft.id.is_empty()).map(|draft| draft.id),
            gpu_memory_utilization: serving.utilization().fraction(),
            parallel: Cut::new(&scenario.parallel),
            offload: inputs::offloaded(scenario.offload, scenario.mode),
        }
    }
}

impl Cut {
    /// Of a run.
    pub(crate) fn new(parallel: &Parallelism) -> Self {
        let Parallelism { dp, tp, pp, ep, etp, cp, shard, virtual_stages, sequence_parallel, .. } = *parallel;
        // Stages are named by their digit.
        let zero = parallel.zero.id().parse().unwrap_or(0);
        let PipelineSplit { first, last, embedding, loss, layout } = parallel.split;
        Self {
            dp,
            tp,
            pp,
            ep,
            etp,
            cp,
            zero,
            shard,
            virtual_stages,
            pipeline_schedule: parallel.both_ways().then_some(parallel.schedule.id()),
            decoder_first_pipeline_num_layers: first,
            decoder_last_pipeline_num_layers: last,
            account_for_embedding_in_pipeline_split: embedding.then_some(true),
            account_for_loss_in_pipeline_split: loss.then_some(true),
            pipeline_model_parallel_layout: layout.map(|layout| layout.to_string()),
            sequence_parallel,
        }
    }
}
