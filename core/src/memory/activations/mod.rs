//! Tensors that the forward pass leaves behind for the backward pass, itemised; and the working space of inference.
//!
//! One file an implementation, since the modelling code decides what is kept; they share the numbers of [`sizes`].

pub mod litgpt;
pub mod megatron;
pub mod sizes;
pub mod torchtitan;
pub mod transformers;
pub mod workspace;

use crate::checked::Checked;
use crate::memory::backward::{self, Moment};
use crate::memory::deepspeed::{self, Settings};
use crate::memory::{Phase, gradients, weights};
use crate::parallelism::ZeroStage;
use crate::precision::Block;
use crate::scenario::{Mode, sharding};
use crate::training::{Implementation, Recipe};
use crate::worked::{Factor, Item, Symbol, Term};

use sizes::Sizes;
use transformers::backward::AtWork;
pub use workspace::PREFILL_CHUNK;

type Sink<'a> = &'a mut dyn FnMut(&Term<'_>);

/// Bytes of activations at one phase.
///
/// # Formula
/// Training: what the implementation keeps of each layer, times the layers held, and what it keeps once.
/// [`transformers`] has the formulas of stock PyTorch. In the backward pass: what is left then, and what the layer at work adds.
/// In the optimizer's step: nothing (torchtitan: buffers that stay). Inference: the widest moment inside one layer for one prefill chunk.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// The numbers are those of the rank that is looked at: its layers, heads, MLP width and tokens.
///
/// # Source
/// See the page of the implementation.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, memory::activations, Mode, Phase, Scenario, tables::models, worked};
/// let mut scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture);
/// scenario.mode = Mode::Training;
/// let scenario = scenario.check().unwrap();
/// // 32 layers, the rotary tables, the final norm and the input of the head.
/// let layers = 32 * (186_504 * 2_048 + 24);
/// let once = 2 * 2_048 * 128 * 2 + 2_048 * (8 * 4_096 + 4);
/// assert_eq!(worked::total(|sink| activations::terms(&scenario, Phase::Loss, sink)), Bytes(layers + once));
/// ```
pub fn terms(scenario: &Checked, phase: Phase, sink: Sink<'_>) {
    match (scenario.mode, phase) {
        (Mode::Inference, _) => workspace::terms(scenario, sink),
        (_, Phase::Backward) => in_backward(scenario, backward::fullest(scenario).0, sink),
        (_, Phase::OptimizerStep) if scenario.training.implementation == Implementation::Litgpt => {
            litgpt::in_step(scenario, litgpt::Run::DEFAULT, sink);
        }
        (_, Phase::OptimizerStep) if scenario.torchtitan() => torchtitan::in_step(scenario, sink),
        (_, Phase::OptimizerStep) => deepspeed::steady(scenario, &Settings::DEFAULT, sink),
        (_, Phase::Forward) => {}
        (_, Phase::ForwardEnd | Phase::Loss | Phase::FirstStep) => match scenario.training.implementation {
            Implementation::Transformers => {
                transformers::kept(scenario, phase, sink);
                gathered(scenario, sink);
                deepspeed::steady(scenario, &Settings::DEFAULT, sink);
            }
            Implementation::Litgpt => litgpt::kept(scenario, litgpt::Run::DEFAULT, phase, sink),
            Implementation::Megatron => {
                megatron::kept(scenario, sink);
                gathered(scenario, sink);
            }
            Implementation::Torchtitan => torchtitan::kept(scenario, sink),
        },
    }
}

/// Bytes of activations at one moment of the backward pass.
pub fn in_backward(scenario: &Checked, moment: Moment, sink: Sink<'_>) {
    match scenario.training.implementation {
        Implementation::Transformers => {
            transformers::backward::terms(scenario, moment, sink);
            in_transit(scenario, moment, sink);
        }
        Implementation::Litgpt => litgpt::in_backward(scenario, litgpt::Run::DEFAULT, moment, sink),
        Implementation::Megatron => {
            megatron::in_backward(scenario, moment, sink);
            in_transit(scenario, moment, sink);
        }
        Implementation::Torchtitan => torchtitan::in_backward(scenario, moment, sink),
    }
}

/// Weights that are gathered where ZeRO-3 shares them out: the tables, the layer at work and the next one.
///
/// # Formula
/// (tables + 2 × a layer) × bytes of a weight in a multiplication, of quantised layers those of their format; nothing where layers wait in host memory, whose two layers are counted with the weights.
/// DeepSpeed: as many as it lets live, 1.05e9 and the largest tensor, less what is counted with the weights. All of them where FSDP gathers once a step.
///
/// # Assumes
/// Layers of equal size, and one layer fetched ahead, as FSDP does.
fn gathered(scenario: &Checked, sink: Sink<'_>) {
    let whole = scenario.parallel.shards_from(ZeroStage::Weights) == 1;
    let by_deepspeed = sharding::deepspeed(scenario) == Some(ZeroStage::Weights);
    let keeps = sharding::keeps_gathered(scenario);
    let fetched = scenario.offload.parameters;
    if !keeps && (whole && !fetched || fetched && !by_deepspeed) {
        return;
    }
    let (tables, layer) = tables_and_layer(scenario);
    let tables_in_fp32 = by_deepspeed && scenario.recipe() == Recipe::Autocast;
    let wide = if scenario.value_bytes() == 4 || tables_in_fp32 { Block::FP32 } else { Block::BF16 };
    let mut gather = |parameters: u64, block: Block| {
        let factors =
            [Factor::new(Symbol::Parameters, parameters), Factor::new(Symbol::BytesPerValue, block.bytes.into())];
        sink(&Term { item: Item::GatheredWeights, factors: &factors, divisor: block.values });
    };
    let (at_once, on_rank) = (scenario.local().layers.min(2), scenario.local().layers.max(1));
    let layers = layer * at_once;
    if scenario.mode == Mode::Qlora {
        let experts = scenario.local_parameters().experts.div_ceil(on_rank) * at_once;
        gather(tables, wide);
        gather(layers - experts.min(layers), scenario.weights.block());
        if experts > 0 {
            gather(experts, weights::layout(scenario, Item::Experts, true));
        }
    } else if by_deepspeed {
        let with_weights = if fetched { tables + layers } else { 0 };
        gather(deepspeed::live(scenario, &Settings::DEFAULT).saturating_sub(with_weights), wide);
    } else if keeps {
        gather(scenario.local_parameters().total(), wide);
    } else {
        gather(tables + layers, wide);
    }
}

/// The same in the backward pass, and the gradients of one layer before they are shared out.
fn in_transit(scenario: &Checked, moment: Moment, sink: Sink<'_>) {
    gathered(scenario, sink);
    if sharding::deepspeed(scenario).is_some() {
        deepspeed::steady(scenario, &Settings::DEFAULT, sink);
        deepspeed::in_backward(scenario, &Settings::DEFAULT, moment, sink);
    } else if scenario.parallel.shards_from(ZeroStage::Gradients) > 1 && scenario.mode == Mode::Training {
        let (_, layer) = tables_and_layer(scenario);
        let bytes = Factor::new(Symbol::BytesPerValue, gradients::bytes_each(scenario));
        let factors = [Factor::new(Symbol::Parameters, layer), bytes];
        sink(&Term { item: Item::ReducedGradients, factors: &factors, divisor: 1 });
    }
}

/// Parameters of the tables on this rank, and of one of its layers, whole.
fn tables_and_layer(scenario: &Checked) -> (u64, u64) {
    let held = scenario.local_parameters();
    let tables = held.embedding + held.head + held.positions;
    (tables, (held.total() - tables).div_ceil(scenario.local().layers.max(1)))
}

/// Whether it is known that the same is held when the forward pass ends and when the backward pass begins, so that it is computed once.
pub fn same_until_backward(scenario: &Checked) -> bool {
    scenario.torchtitan()
        || (scenario.training.implementation == Implementation::Transformers && scenario.recipe() != Recipe::Autocast)
}

/// Whether the gradients of a whole MLP exist at the widest moment of a layer's backward pass, or only those of its last matrix.
pub fn mlp_done(scenario: &Checked) -> bool {
    match scenario.training.implementation {
        Implementation::Transformers => AtWork::of(&Sizes::of(scenario)).mlp_done(),
        Implementation::Megatron | Implementation::Torchtitan | Implementation::Litgpt => false,
    }
}

/// Bytes that all layers keep until the backward pass begins, and how many of them are scores of eager attention, s × s.
///
/// # Formula
/// The terms of the implementation, without what a model keeps once however many layers it has: rotary tables, final norm, 16-bit copies of weights, the loss.
///
/// # Units
/// Bytes; divided by tokens and layers, the bytes that a token leaves in a layer.
///
/// # Assumes
/// What the implementation assumes.
///
/// # Source
/// See the page of the implementation.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Checkpointing, memory::activations, Mode, Scenario, tables::models};
/// let mut scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture);
/// scenario.mode = Mode::Training;
/// assert_eq!(activations::in_layers(&scenario.check().unwrap()).0, Bytes(32 * (186_504 * 2_048 + 24)));
/// scenario.checkpointing = Checkpointing::Full;
/// assert_eq!(activations::in_layers(&scenario.check().unwrap()).0, Bytes(32 * 2 * 4_096 * 2_048));
/// ```
pub fn in_layers(scenario: &Checked) -> (crate::Bytes, crate::Bytes) {
    let (mut all, mut scores) = (0, 0);
    terms(scenario, Phase::Loss, &mut |term| {
        let bytes = if each_layer_keeps(term.item) { term.bytes().0 } else { 0 };
        all += bytes;
        scores += if term.item == Item::AttentionScores { bytes } else { 0 };
    });
    (crate::Bytes(all), crate::Bytes(scores))
}

/// Whether every layer keeps such a tensor of its own until the backward pass. Every item is named here, so that a new one cannot be forgotten.
const fn each_layer_keeps(item: Item) -> bool {
    match item {
        Item::AttentionScores
        | Item::NormInputs
        | Item::NormOutputs
        | Item::QkNormTensors
        | Item::AttentionTensors
        | Item::SoftmaxStatistics
        | Item::AttentionMask
        | Item::MlpTensors
        | Item::AdapterTensors
        | Item::ExpertTensors
        | Item::RouterTensors
        | Item::DropoutMasks
        | Item::Checkpoints => true,
        // Kept once, whatever the number of layers.
        Item::WeightCopies
        | Item::RotaryTables
        | Item::EmbeddingTensors
        | Item::FinalNorm
        | Item::LossTensors
        | Item::PipelineOutputs
        | Item::JoinedOutputs
        | Item::LastLogits
        // There for a moment only.
        | Item::RecomputedLayer
        | Item::DequantizedWeights
        | Item::ReducedGradients
        | Item::GatheredWeights
        | Item::LayerWorkspace
        | Item::TableGradients
        | Item::StepTemporary
        // No activations.
        | Item::LayerMatrices
        | Item::Experts
        | Item::Routers
        | Item::EmbeddingTable
        | Item::OutputHead
        | Item::PositionTable
        | Item::NormsAndBiases
        | Item::AdapterWeights
        | Item::PredictionLayers
        | Item::Fp8Weights
        | Item::FullLayers
        | Item::WindowLayers
        | Item::ReservedCache
        | Item::LinearStates
        | Item::LatentLayers
        | Item::IndexKeys
        | Item::Gradients
        | Item::MasterWeights
        | Item::FirstMoment
        | Item::SecondMoment
        | Item::DeviceContext
        | Item::Fragmentation
        | Item::Communication
        | Item::CudaGraphs
        | Item::EngineWorkspace => false,
    }
}

/// Bytes that one layer keeps when nothing is recomputed; of several kinds of layers, the fullest.
///
/// ```
/// use memory_wall_core::{Bytes, memory::activations, Mode, Scenario, tables::models};
/// let mut scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture);
/// scenario.mode = Mode::Training;
/// let scenario = scenario.check().unwrap();
/// assert_eq!(activations::saved_per_layer(&scenario), Bytes(186_504 * 2_048 + 24));
/// ```
pub fn saved_per_layer(scenario: &Checked) -> crate::Bytes {
    crate::worked::total(|sink| transformers::one_layer(scenario, sink))
}
