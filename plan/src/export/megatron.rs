//! The command that starts Megatron-LM's `pretrain_gpt.py`.
//!
//! # Source
//! Megatron-LM at d98e8a6 (2026-08): `megatron/training/arguments.py` and the dataclasses that its arguments are made of. Read 2026-11-25.

use alloc::string::ToString;

use memory_wall_core::architecture::{Architecture, Biases, Mlp, Norm, Positions, Projection};
use memory_wall_core::layout::PipelineSplit;
use memory_wall_core::{
    Attention, Checkpointing, Fp8, Fp8Recipe, Loss, Moments, Optimizer, Recipe, RecomputedModule, RecomputedModules,
    WeightFormat, ZeroStage,
};

use super::ExportError;
use super::sheet::{Datum, Sheet};

pub(super) fn write(sheet: &mut Sheet<'_>) -> Result<(), ExportError> {
    let scenario = sheet.scenario;
    let (parallel, training) = (&scenario.parallel, &scenario.training);
    sheet.torchrun();
    sheet.command(&["pretrain_gpt.py"]);
    shape(sheet);
    sheet.set("--seq-length", scenario.seq_length, &["seq"]);
    sheet.set("--micro-batch-size", scenario.batch, &["batch"]);
    let all = scenario.batch.saturating_mul(training.micro_batches).saturating_mul(parallel.dp);
    sheet.set("--global-batch-size", all, &["batch", "micro_batches", "dp"]);
    precision(sheet)?;
    fp8(sheet);
    sheet.degree("--tensor-model-parallel-size", parallel.tp, "tp");
    sheet.degree("--pipeline-model-parallel-size", parallel.pp, "pp");
    if parallel.both_ways() {
        return Err(sheet.cannot(
            "has no schedule that passes micro-batches both ways: DeepSeek's own code and forks have DualPipe",
        ));
    }
    sheet.implied("pipeline_schedule");
    sheet.degree("--context-parallel-size", parallel.cp, "cp");
    sheet.degree("--expert-model-parallel-size", parallel.ep, "ep");
    // Megatron-LM cuts experts as all other matrices, unless it is told.
    let width = u32::try_from(parallel.experts().width).unwrap_or(u32::MAX);
    if parallel.ep > 1 && width != parallel.tp || parallel.etp.is_some() {
        sheet.set("--expert-tensor-parallel-size", width, &["etp"]);
    }
    if parallel.sequence_parallel {
        sheet.set("--sequence-parallel", Datum::Switch, &["sequence_parallel"]);
    }
    split(sheet);
    if parallel.virtual_stages > 1 && parallel.split.layout.is_none() {
        sheet.set("--num-virtual-stages-per-pipeline-rank", parallel.virtual_stages, &["virtual_stages"]);
    }
    sharding(sheet);
    match scenario.checkpointing {
        Checkpointing::None => sheet.implied("checkpointing"),
        Checkpointing::Selective => {
            sheet.set("--recompute-granularity", "selective", &["checkpointing"]);
            if training.recompute != RecomputedModules::CORE_ATTENTION || sheet.says("recompute_modules") {
                let modules = RecomputedModule::ALL.iter().filter(|module| training.recompute.has(**module));
                let names = modules.map(|module| module.id().to_string()).collect();
                sheet.set("--recompute-modules", Datum::List(names), &["recompute_modules"]);
            }
        }
        Checkpointing::Full => {
            sheet.set("--recompute-granularity", "full", &["checkpointing"]);
            sheet.set("--recompute-method", "uniform", &["checkpointing"]);
            sheet.set("--recompute-num-layers", 1, &["checkpointing"]);
        }
        Checkpointing::PerOp => return Err(sheet.cannot("recomputes whole layers or the scores of attention")),
    }
    sheet
        .leave("recompute_modules", "parts of a layer are computed again with --recompute-granularity selective alone");
    optimizer(sheet)?;
    let backend = if scenario.attention == Attention::Flash { "flash" } else { "unfused" };
    sheet.set("--attention-backend", backend, &["attention"]);
    if training.loss == Loss::Compiled {
        sheet.set("--cross-entropy-loss-fusion", Datum::Switch, &["loss"]);
    }
    sheet.implied("loss");
    sheet.implied("step");
    if scenario.offload.optimizer {
        for switch in ["--optimizer-cpu-offload", "--use-precision-aware-optimizer"] {
            sheet.set(switch, Datum::Switch, &["offload"]);
        }
        if scenario.parallel.zero == ZeroStage::None {
            sheet.set("--use-distributed-optimizer", Datum::Switch, &["offload"]);
        }
    }
    sheet.note("data, learning rate and number of steps change no memory, and are yours to add");
    Ok(())
}

/// How layers are spread over the stages.
fn split(sheet: &mut Sheet<'_>) {
    let PipelineSplit { first, last, embedding, loss, layout } = sheet.scenario.parallel.split;
    if let Some(layout) = layout {
        // The chunks of a rank follow from it, and Megatron-LM takes no second word for them.
        let from = &["pipeline_model_parallel_layout", "virtual_stages"];
        sheet.set("--pipeline-model-parallel-layout", layout.to_string().as_str(), from);
        if layout.predicting() > 0 {
            sheet.set("--mtp-num-layers", layout.predicting(), &["pipeline_model_parallel_layout"]);
        }
    }
    if let Some(layers) = first {
        sheet.set("--decoder-first-pipeline-num-layers", layers, &["decoder_first_pipeline_num_layers"]);
    }
    if let Some(layers) = last {
        sheet.set("--decoder-last-pipeline-num-layers", layers, &["decoder_last_pipeline_num_layers"]);
    }
    if embedding {
        let from = &["account_for_embedding_in_pipeline_split"];
        sheet.set("--account-for-embedding-in-pipeline-split", Datum::Switch, from);
    }
    if loss {
        sheet.set("--account-for-loss-in-pipeline-split", Datum::Switch, &["account_for_loss_in_pipeline_split"]);
    }
}

/// The shape of a model that these arguments describe.
fn shape(sheet: &mut Sheet<'_>) {
    let shape = &sheet.scenario.architecture;
    let from: &[&str] = if sheet.says("config") { &["config"] } else { &["model"] };
    if !is_plain(shape) {
        sheet.leave("model", "its shape has more than these arguments say: the recipes of Megatron Bridge have them");
        sheet.leave("config", "its shape has more than these arguments say: the recipes of Megatron Bridge have them");
        return;
    }
    sheet.set("--num-layers", shape.layers, from);
    sheet.set("--hidden-size", shape.hidden_size, from);
    sheet.set("--ffn-hidden-size", shape.intermediate_size, from);
    sheet.set("--num-attention-heads", shape.heads, from);
    sheet.set("--kv-channels", shape.head_dim, from);
    if shape.kv_heads != shape.heads {
        sheet.set("--group-query-attention", Datum::Switch, from);
        sheet.set("--num-query-groups", shape.kv_heads, from);
    }
    sheet.set("--vocab-size", shape.vocab_size, from);
    let longest = shape.end_of_table().or(shape.trained_context).unwrap_or(sheet.scenario.seq_length);
    sheet.set("--max-position-embeddings", longest.max(sheet.scenario.seq_length), from);
    if shape.positions == Positions::Rotary {
        sheet.set("--position-embedding-type", "rope", from);
    }
    if shape.mlp == Mlp::Gated {
        sheet.set("--swiglu", Datum::Switch, from);
    }
    if shape.norm == Norm::RmsNorm {
        sheet.set("--normalization", "RMSNorm", from);
    }
    if shape.qk_norm {
        sheet.set("--qk-layernorm", Datum::Switch, from);
    }
    if !shape.tied_embeddings {
        sheet.set("--untie-embeddings-and-output-weights", Datum::Switch, from);
    }
    if !shape.biases.attention_output {
        sheet.set("--disable-bias-linear", Datum::Switch, from);
        if shape.biases.qkv {
            sheet.set("--add-qkv-bias", Datum::Switch, from);
        }
    }
    if !shape.dropout {
        sheet.set("--attention-dropout", Datum::Number("0.0".into()), from);
        sheet.set("--hidden-dropout", Datum::Number("0.0".into()), from);
    }
}

/// Whether the arguments above are all that the model's shape has.
fn is_plain(shape: &Architecture) -> bool {
    let Biases { qkv, attention_output, mlp } = shape.biases;
    let biases = attention_output == mlp && (qkv || !mlp);
    let norms = shape.norms_per_layer == 2 && !shape.wide_qk_norm && !shape.embedding_norm;
    let layers = shape.moe.is_none()
        && shape.linear_attention.is_none()
        && shape.sliding_window.is_none()
        && shape.shared_cache_layers == 0
        && shape.rounded_parameters.is_none();
    let attention = matches!(shape.projection, Projection::Heads)
        && !(shape.gated_attention || shape.keys_as_values || shape.parallel_residual)
        && !(shape.soft_capped || shape.attention_sinks || shape.states_beside_attention);
    let rest = shape.mlp != Mlp::Relu && shape.positions != Positions::Alibi;
    biases && norms && layers && attention && rest
}

/// In what states are kept.
fn precision(sheet: &mut Sheet<'_>) -> Result<(), ExportError> {
    let half = sheet.scenario.weights == WeightFormat::Fp16;
    match sheet.scenario.recipe() {
        Recipe::Fp32 => {
            sheet.implied("weights");
            sheet.implied("recipe");
        }
        recipe @ (Recipe::Mixed | Recipe::MixedFp32Gradients) => {
            sheet.set(if half { "--fp16" } else { "--bf16" }, Datum::Switch, &["weights", "recipe"]);
            match (recipe, half) {
                (Recipe::Mixed, false) => sheet.set("--grad-reduce-in-bf16", Datum::Switch, &["recipe"]),
                (Recipe::MixedFp32Gradients, true) => {
                    sheet.set("--accumulate-allreduce-grads-in-fp32", Datum::Switch, &["recipe"]);
                }
                // What goes without saying there.
                _ => {}
            }
        }
        Recipe::Autocast | Recipe::Pure | Recipe::WithoutMaster => {
            return Err(sheet
                .cannot("keeps an fp32 copy of 16-bit weights: recipe takes mixed, mixed-fp32-grads or fp32 there"));
        }
    }
    Ok(())
}

/// What is multiplied and kept in fewer than 16 bits.
fn fp8(sheet: &mut Sheet<'_>) {
    let Fp8 { recipe, param_gather, input_store } = sheet.scenario.training.fp8;
    if recipe != Fp8Recipe::None {
        // DeepSeek-V3's choice with scales of blocks, and e5m2 for gradients with one scale for a tensor.
        let blocks = matches!(recipe, Fp8Recipe::Blockwise | Fp8Recipe::Mxfp8);
        sheet.set("--fp8-format", if blocks { "e4m3" } else { "hybrid" }, &["fp8_recipe"]);
        sheet.set("--fp8-recipe", recipe.id(), &["fp8_recipe"]);
    }
    sheet.implied("fp8_recipe");
    if param_gather {
        sheet.set("--fp8-param-gather", Datum::Switch, &["fp8_param_gather"]);
        if recipe == Fp8Recipe::Mxfp8 {
            sheet.set("--reuse-grad-buf-for-mxfp8-param-ag", Datum::Switch, &["fp8_param_gather"]);
        }
    }
    if input_store {
        sheet.set("--activation-func-fp8-input-store", Datum::Switch, &["activation_func_fp8_input_store"]);
    }
    let moments = sheet.scenario.training.moments;
    if moments != Moments::ByRecipe {
        sheet.set("--use-precision-aware-optimizer", Datum::Switch, &["moments"]);
        for option in ["--exp-avg-dtype", "--exp-avg-sq-dtype"] {
            sheet.set(option, moments.id(), &["moments"]);
        }
    }
    sheet.implied("moments");
    // Both ask for it, which shares nothing out over one rank; beside states in host memory it is written there.
    let own = if moments == Moments::ByRecipe { "fp8_param_gather" } else { "moments" };
    let asked = moments != Moments::ByRecipe || param_gather;
    if asked && sheet.scenario.parallel.zero == ZeroStage::None && !sheet.scenario.offload.optimizer {
        sheet.set("--use-distributed-optimizer", Datum::Switch, &[own]);
    }
}

/// How states are sharded.
fn sharding(sheet: &mut Sheet<'_>) {
    let strategy = match sheet.scenario.parallel.zero {
        ZeroStage::None => return sheet.implied("zero"),
        ZeroStage::Optimizer => return sheet.set("--use-distributed-optimizer", Datum::Switch, &["zero"]),
        ZeroStage::Gradients => "optim_grads",
        ZeroStage::Weights => "optim_grads_params",
    };
    sheet.set("--use-megatron-fsdp", Datum::Switch, &["zero"]);
    sheet.set("--data-parallel-sharding-strategy", strategy, &["zero"]);
    sheet.note("zero: the buffers of Megatron-LM's own FSDP are not modelled");
}

fn optimizer(sheet: &mut Sheet<'_>) -> Result<(), ExportError> {
    let name = match sheet.scenario.optimizer {
        Optimizer::AdamW => "adam",
        Optimizer::SgdMomentum | Optimizer::Sgd => "sgd",
        Optimizer::Lion => "lion",
        Optimizer::Muon => "muon",
        _ => {
            return Err(
                sheet.cannot("has no such optimizer: optimizer takes adamw, lion, muon, sgd-momentum or sgd there")
            );
        }
    };
    sheet.set("--optimizer", name, &["optimizer"]);
    if sheet.scenario.optimizer == Optimizer::Sgd {
        sheet.set("--sgd-momentum", Datum::Number("0.0".into()), &["optimizer"]);
    }
    Ok(())
}
