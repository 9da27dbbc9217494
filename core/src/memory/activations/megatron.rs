//! What fused kernels in the manner of Megatron-LM keep for the backward pass: the classic 34 bytes a token and channel.

use crate::architecture::{Latent, Mlp, Projection};
use crate::checked::Checked;
use crate::fp8::Fp8Recipe;
use crate::memory::backward::Moment;
use crate::precision::Block;
use crate::scenario::Attention;
use crate::training::{Checkpointing, RecomputedModule};
use crate::worked::{Factor, Item, Symbol, Term};

/// Bytes that `layers` layers keep on the rank that is looked at.
///
/// # Formula
/// With s tokens of b sequences on this rank, h = `hidden_size`, q and k the widths of queries and keys, f = `intermediate_size`, a = `heads`, t tensor-parallel ranks:
/// inputs of the two norms 4·b·s·h and of the matrices behind them 4·b·s·h, dropout masks 2·b·s·h;
/// queries, keys and values 2·b·s·(q + 2k)/t, the output of attention 2·b·s·q/t (latent attention has values and an output of their own width, and short vectors: `latent`), the MLP 4·b·s·f/t (gated 6·b·s·f/t); eager attention 5·a·b·s²/t.
/// For a GPT with f = 4h that is b·s·h·(10 + 24/t + 5·a·s/(h·t)), and 34 where t is 1; sequence parallelism divides the 10 too.
/// Full checkpointing keeps 2·b·s·h. Without dropout its masks are gone, and 2 of the 5.
///
/// Selective checkpointing leaves out what its modules compute again ([`RecomputedModule`]), each from what is kept in front of it:
/// `core_attn` the scores 5·a·b·s²/t of eager attention;
/// `layernorm` 2·b·s·h for each norm that is no part of the matrix behind it, which are those before latent attention and before experts;
/// `mla_up_proj` queries, keys and values of latent attention, 2·b·s·a·(2·(nope + rope) + v)/t, and its short vectors behind their norms, 2·b·s·(`q_lora_rank` + `kv_lora_rank`);
/// `moe_act` the input of the second matrix of every expert that a token visits, 2·b·s·f/t each;
/// `mlp` all of a dense MLP with the norm in its first matrix, 2·b·s·h + 6·b·s·f/t; `moe` all of a mixture but its input; `shared_experts` its shared experts, 6·b·s·f/t.
///
/// In fp8 the inputs of matrices are saved in 8 bits with their scales, e bytes a value ([`Fp8Recipe::saved`]): outputs of norms that are a part of the matrix behind them e·b·s·h, and of those before latent attention 2·e·b·s·h, one copy for queries and one for
/// keys and values; inputs of second matrices e·b·s·f/t; copies of tokens at their experts e·b·s·h each; short vectors behind their norms. In 16 bits stay the inputs of norms, queries, keys, values and the output of attention,
/// gate and up in front of SwiGLU (2·b·s·f/t in fp8 with `--activation-func-fp8-input-store`), what routers read, the final norm, the head and the loss. Delayed scaling saves the output of attention and the input of shared experts a second time in 8 bits.
/// What is computed again for `layernorm` and `moe_act` is saved in 16 bits then.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// 16-bit activations but for those, fused norms, fused GELU and SwiGLU, modules of Transformer Engine. Statistics of norms and softmax, a few bytes a token, are left out as in the source.
/// Dense layers and mixtures are in flight as they are on the stage.
///
/// # Source
/// Korthikanti et al. 2022 (arXiv 2205.05198), section 4; equal to 66 published values of the Ultra-Scale Playbook within 0.1%.
/// Modules: Megatron-LM at d98e8a6 (2026-08), `megatron/core`: `transformer/transformer_config.py` (`recompute_modules`); `transformer/transformer_layer.py`, `transformer/multi_latent_attention.py`,
/// `transformer/moe/experts.py` and `moe_layer.py`, which say what each checkpoint goes around; `models/gpt/gpt_layer_specs.py`, by which norms are parts of matrices. Read 2026-11-26.
/// fp8: `set_save_original_input` in `transformer/attention.py`, `multi_latent_attention.py`, `moe/experts.py` and `shared_experts.py` of Megatron-LM; `saved_inputmat` in `transformer_engine/pytorch/module/linear.py` of NVIDIA/TransformerEngine at d0067d0,
/// whose `performance_considerations.rst` counts 1 MB of an input of 1,024 × 1,024 values. Read 2026-11-27.
/// Measured (Megatron-Bridge at 067f987, `skills/nemo-mbridge-perf-activation-recompute`, Moonlight 16B, TP 2 and EP 8 on eight H100): `mla_up_proj` took 0.72 GB off the peak and `moe_act` 0.68, until another moment was the peak;
/// counted are 0.96 and 0.90 of activations.
///
/// # Example
/// ```
/// use memory_wall_core::architecture::{Architecture, Mlp};
/// use memory_wall_core::{Bytes, Mode, Scenario, memory::activations::megatron, worked};
/// let gpt = Architecture { mlp: Mlp::Gelu, dropout: true, ..Architecture::llama([1, 4_096, 32, 32, 128, 16_384, 50_257]) };
/// let scenario = Scenario { mode: Mode::Training, ..Scenario::new(gpt) }.check().unwrap();
/// assert_eq!(worked::total(|sink| megatron::layers(&scenario, 1, sink)), Bytes(34 * 2_048 * 4_096));
/// ```
pub fn layers(scenario: &Checked, layers: u64, sink: &mut dyn FnMut(&Term<'_>)) {
    if scenario.checkpointing == Checkpointing::Full {
        let ([whole, _], h) = (tokens(scenario), hidden(scenario));
        let factors = [Factor::number(2), Factor::new(Symbol::Layers, layers), whole, h];
        sink(&Term { item: Item::Checkpoints, factors: &factors, divisor: 1 });
    } else {
        tensors(scenario, layers, Some(false), sink);
    }
}

/// Tokens of norms and dropout, which are whole on each rank unless sequence parallelism shares them out, and of all else.
fn tokens(scenario: &Checked) -> [Factor; 2] {
    let tokens = u64::from(scenario.batch) * scenario.local().seq_length;
    let shared = scenario.parallel.sequence_parallel.then(|| tokens.div_ceil(scenario.parallel.tp.into()));
    [shared.unwrap_or(tokens), tokens].map(|tokens| Factor::new(Symbol::Tokens, tokens))
}

fn hidden(scenario: &Checked) -> Factor {
    Factor::new(Symbol::HiddenSize, scenario.architecture.hidden_size.into())
}

/// The tensors of `layers` layers: those that modules of selective checkpointing compute again, those that they leave, or all of them.
fn tensors(scenario: &Checked, layers: u64, again: Option<bool>, sink: &mut dyn FnMut(&Term<'_>)) {
    let (shape, local) = (&scenario.architecture, scenario.local());
    let tp = u64::from(scenario.parallel.tp);
    let [whole, cut] = tokens(scenario);
    let h = hidden(scenario);
    // MLPs in layers of their own are as large a share of these layers as of all.
    let alone = layers * u64::from(shape.mlp_layers) / u64::from(shape.layers.max(1));
    let (attending, mlps) = if shape.mlp_layers > 0 { (layers - alone, alone) } else { (layers, layers) };
    let mixtures = mlps - scenario.dense_of(mlps);
    let dense = mlps - mixtures;
    let [norms_again, up_again, scores_again, dense_again, experts_again] = [
        RecomputedModule::LayerNorm,
        RecomputedModule::MlaUpProjection,
        RecomputedModule::CoreAttention,
        RecomputedModule::Mlp,
        RecomputedModule::Moe,
    ]
    .map(|module| scenario.recomputes(module));
    let [activations_again, shared_again] = [RecomputedModule::MoeActivation, RecomputedModule::SharedExperts]
        .map(|module| experts_again || scenario.recomputes(module));
    // Inputs of matrices, in fp8 with their scales.
    let recipe = scenario.transformer_engine();
    let [fp8, delayed] = [recipe != Fp8Recipe::None, recipe == Fp8Recipe::Delayed];
    let input = recipe.saved();
    let mut product = |is_again: bool, item, each: Block, rest: &[Factor]| {
        let mut factors = [Factor::number(each.bytes.into()); 7];
        factors.iter_mut().skip(1).zip(rest).for_each(|(factor, own)| *factor = *own);
        let factors = factors.get(..=rest.len()).unwrap_or_default();
        if again.is_none_or(|again| again == is_again) && factors.iter().all(|factor| factor.value > 0) {
            sink(&Term { item, factors, divisor: each.values });
        }
    };
    let of = |layers| Factor::new(Symbol::Layers, layers);
    let l = of(layers);
    let norms = plain(if shape.mlp_layers > 0 { 2 } else { 4 });
    product(false, Item::NormInputs, norms, &[l, whole, h]);
    // Elsewhere a norm is a part of the matrix behind it.
    let apart = if matches!(shape.projection, Projection::Latent(_)) { attending } else { 0 };
    let computed_again = if norms_again { apart + mixtures } else { 0 } + if dense_again { dense } else { 0 };
    if fp8 {
        let in_matrices = attending - apart + if dense_again { 0 } else { dense };
        product(false, Item::NormOutputs, input, &[of(in_matrices), whole, h]);
        product(true, Item::NormOutputs, input, &[of(attending - apart + dense - in_matrices), whole, h]);
        // Queries save a copy, and so do keys and values.
        let two_copies = if norms_again { plain(2) } else { Block { bytes: 2 * input.bytes, ..input } };
        product(norms_again, Item::NormOutputs, two_copies, &[of(apart), whole, h]);
        // The router reads it in 16 bits.
        product(norms_again, Item::NormOutputs, plain(2), &[of(mixtures), whole, h]);
    } else if computed_again == 0 {
        product(false, Item::NormOutputs, norms, &[l, whole, h]);
    } else {
        product(false, Item::NormOutputs, plain(2), &[of(attending + mlps - computed_again), whole, h]);
        product(true, Item::NormOutputs, plain(2), &[of(computed_again), whole, h]);
    }
    if shape.dropout {
        product(false, Item::DropoutMasks, plain(2), &[l, whole, h]);
    }
    let attention = of(attending);
    let head_dim = Factor::new(Symbol::HeadDim, shape.head_dim.into());
    let heads = Factor::new(Symbol::Heads, local.heads);
    let made = match shape.projection {
        Projection::Latent(it) => {
            latent(&it, up_again, input, [attention, whole, cut, heads], &mut product);
            Factor::new(Symbol::HeadDim, it.v_dim.into())
        }
        Projection::Heads => {
            let kv_heads = Factor::new(Symbol::KvHeads, local.kv_heads);
            product(false, Item::AttentionTensors, plain(4), &[attention, cut, heads, head_dim]);
            product(false, Item::AttentionTensors, plain(4), &[attention, cut, kv_heads, head_dim]);
            head_dim
        }
    };
    if delayed {
        product(false, Item::AttentionTensors, input, &[attention, cut, heads, made]);
    }
    if scenario.attention == Attention::Eager {
        let kept = if shape.dropout { 5 } else { 2 };
        let s = Factor::new(Symbol::SeqLength, local.seq_length);
        let whole_s = Factor::new(Symbol::SeqLength, scenario.seq_length.into());
        let batch = Factor::new(Symbol::Batch, scenario.batch.into());
        product(scores_again, Item::AttentionScores, plain(kept), &[attention, batch, heads, s, whole_s]);
    }
    // In front of the activation: gate and up, or its input.
    let inner = plain(if shape.mlp == Mlp::Gated && !scenario.training.fp8.input_store { 4 } else { 2 });
    let width = |width: u64| Factor::new(Symbol::IntermediateSize, width);
    inside(
        &mut product,
        [dense_again; 2],
        Item::MlpTensors,
        [inner, input],
        &[of(dense), cut, width(local.intermediate_size)],
    );
    let Some(moe) = shape.moe else { return };
    // A token leaves its tensors with each expert that it visits, and its own copy at their door.
    let l = of(mixtures);
    let visits = Factor::new(Symbol::ExpertsPerToken, moe.experts_per_token.into());
    // Where fewer ranks share an expert than a matrix, as many fewer of their tokens come here.
    let across = scenario.experts().width;
    let arriving = Factor::new(Symbol::Tokens, (cut.value * across).div_ceil(tp));
    let own = width(u64::from(moe.intermediate_size).div_ceil(across));
    let second = if scenario.recomputes(RecomputedModule::MoeActivation) { plain(2) } else { input };
    inside(
        &mut product,
        [experts_again, activations_again],
        Item::ExpertTensors,
        [inner, second],
        &[l, arriving, visits, own],
    );
    product(experts_again, Item::ExpertTensors, input, &[l, arriving, visits, h]);
    let experts = Factor::new(Symbol::Experts, moe.experts.into());
    product(experts_again, Item::RouterTensors, plain(4), &[l, cut, experts]);
    let shared = width(u64::from(moe.shared_intermediate_size).div_ceil(tp));
    inside(&mut product, [shared_again; 2], Item::MlpTensors, [inner, input], &[l, cut, shared]);
    if delayed && moe.shared_intermediate_size > 0 {
        product(shared_again, Item::NormOutputs, input, &[l, whole, h]);
    }
}

/// What an MLP saves in front of its activation and behind it, each computed again or not.
fn inside(
    product: &mut impl FnMut(bool, Item, Block, &[Factor]),
    [first_again, second_again]: [bool; 2],
    item: Item,
    [first, second]: [Block; 2],
    rest: &[Factor],
) {
    if first_again == second_again && second.values == 1 {
        product(first_again, item, plain(first.bytes + second.bytes), rest);
    } else {
        product(first_again, item, first, rest);
        product(second_again, item, second, rest);
    }
}

/// So many bytes a value, without scales.
const fn plain(bytes: u32) -> Block {
    Block { values: 1, bytes }
}

/// What latent attention keeps: queries and keys of whole heads, values and the output of attention at their own width, and the short vectors in front of their norms and behind them.
/// `mla_up_proj` computes the first three and what is behind the norms again.
///
/// # Source
/// Megatron-LM at 003b4ce, `megatron/core/transformer/multi_latent_attention.py`: queries, keys and values are made contiguous for Transformer Engine, so nothing else of what they are
/// cut from is held. Read 2026-11-26.
fn latent(
    it: &Latent,
    again: bool,
    input: Block,
    [layers, whole, cut, heads]: [Factor; 4],
    product: &mut impl FnMut(bool, Item, Block, &[Factor]),
) {
    let width = |width: u32| Factor::new(Symbol::LatentWidth, width.into());
    let head_dim = Factor::new(Symbol::HeadDim, (it.nope_dim + it.rope_dim).into());
    product(again, Item::AttentionTensors, plain(4), &[layers, cut, heads, head_dim]);
    let values = Factor::new(Symbol::HeadDim, it.v_dim.into());
    let mut both = |made_again: Block, rest: &[Factor]| {
        if !again && made_again.values == 1 {
            product(false, Item::AttentionTensors, plain(2 + made_again.bytes), rest);
        } else {
            product(again, Item::AttentionTensors, made_again, rest);
            product(false, Item::AttentionTensors, plain(2), rest);
        }
    };
    both(plain(2), &[layers, cut, heads, values]);
    // In front of their norms in 16 bits, and behind them as the input of the matrices that make heads of them.
    for compressed in it.q_lora_rank.into_iter().chain([it.kv_lora_rank]) {
        both(input, &[layers, whole, width(compressed)]);
    }
    product(false, Item::AttentionTensors, plain(2), &[layers, whole, width(it.rope_dim)]);
}

/// What the layers in flight keep when the backward pass begins, and the final norm's input and output, the head's input.
pub fn kept(scenario: &Checked, sink: &mut dyn FnMut(&Term<'_>)) {
    layers(scenario, scenario.local().layers_in_flight, sink);
    once(scenario, sink);
}

/// The same at one moment of the backward pass, with the layer that is computed again.
pub fn in_backward(scenario: &Checked, moment: Moment, sink: &mut dyn FnMut(&Term<'_>)) {
    let local = scenario.local();
    let held = match moment {
        Moment::LastLayer => local.layers_in_flight,
        // A stage may hold the loss alone.
        Moment::FirstLayer => local.layers.min(1),
        Moment::End => return,
    };
    layers(scenario, held, sink);
    once(scenario, sink);
    // All of the layer at once, or all that its modules compute again: a little more than any moment has.
    let again = match scenario.checkpointing {
        Checkpointing::None => return,
        Checkpointing::Selective => Some(true),
        Checkpointing::PerOp | Checkpointing::Full => None,
    };
    let mut recomputed = |term: &Term<'_>| sink(&Term { item: Item::RecomputedLayer, ..*term });
    tensors(scenario, local.layers.min(1), again, &mut recomputed);
}

fn once(scenario: &Checked, sink: &mut dyn FnMut(&Term<'_>)) {
    let local = scenario.local();
    let ([_, tokens], hidden) = (tokens(scenario), hidden(scenario));
    if local.head {
        sink(&Term { item: Item::FinalNorm, factors: &[Factor::number(4), tokens, hidden], divisor: 1 });
    }
    let predicting = u64::from(scenario.predicting_here());
    if predicting > 0 {
        // Embedding and hidden state in front of their norms, both behind them, the sum in front of the last norm; for each micro-batch that is in the last chunk.
        let parallel = &scenario.parallel;
        let [pp, earlier] = [parallel.pp, (parallel.virtual_stages - 1) * parallel.pp].map(u64::from);
        let behind = parallel.predictions_held().unwrap_or(local.chunks_in_flight.saturating_sub(earlier));
        let in_flight = behind.clamp(1, pp);
        let factors = [Factor::number(10 * predicting * in_flight), tokens, hidden];
        sink(&Term { item: Item::FinalNorm, factors: &factors, divisor: 1 });
    }
}
