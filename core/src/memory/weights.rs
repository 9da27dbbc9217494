//! The parameters of the model.

use crate::architecture::Projection;
use crate::checked::Checked;
use crate::memory::adapters;
use crate::memory::gguf::Mix;
use crate::parallelism::ZeroStage;
use crate::parameters::Parameters;
use crate::precision::{Block, WeightFormat};
use crate::scenario::{LeftWide, Mode, NarrowBeside, sharding};
use crate::serving::Engine;
use crate::training::{Implementation, Recipe};
use crate::worked::{Factor, Item, Symbol, Term};

/// Bytes of the weights, by kind of tensor.
///
/// # Formula
/// For each kind of tensor: parameters × `block_bytes` / `block_values` of the format that the kind is kept in.
/// Megatron-LM multiplies the matrices of the layers in fp8 from copies beside those in bf16, or in their place (`--fp8-param-gather`): two bytes of each value, one where one copy is read both ways, and scales.
/// Adapters come on top ([`adapters::terms`]). A rank holds its share; ZeRO-3 (FSDP) divides each kind by the data-parallel ranks, rounded up.
///
/// # Units
/// Bytes; each kind of tensor is rounded up to a whole byte.
///
/// # Assumes
/// [`crate::WeightFormat::kept`] says which kinds a format quantises; `QLoRA` keeps the others in fp32 where it upcasts them ([`crate::Scenario::upcasts`]). Two tied tables are stored once. Of layers that wait in host memory two are on the GPU; tables, norms and biases stay.
///
/// # Source
/// Storage layouts: see [`crate::WeightFormat`]. Which tensors stay wide: defaults of GPTQ, AWQ, bitsandbytes, llama.cpp and of fp8 and MXFP4 checkpoints.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Scenario, memory::weights, tables::models, worked};
/// let scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture).check().unwrap();
/// assert_eq!(worked::total(|sink| weights::terms(&scenario, sink)), Bytes(13_476_831_232));
/// ```
pub fn terms(scenario: &Checked, sink: &mut dyn FnMut(&Term<'_>)) {
    let layers = scenario.local().layers.max(1);
    kinds(scenario, &scenario.local_parameters(), |item, count, block| {
        // Of layers that wait in host memory two are here: the one at work and the next one on its way.
        let here = if scenario.offload.parameters && in_layers(item) {
            let here = u128::from(count) * u128::from(layers.min(2));
            u64::try_from(here.div_ceil(layers.into())).unwrap_or(u64::MAX)
        } else {
            count.div_ceil(shards(scenario, item))
        };
        let mut put = |item, block: Block| {
            let symbol = if block.values == 1 { Symbol::BytesPerValue } else { Symbol::BytesPerBlock };
            let factors = [Factor::new(Symbol::Parameters, here), Factor::new(symbol, block.bytes.into())];
            sink(&Term { item, factors: &factors, divisor: block.values });
        };
        let copies = scenario.fp8_weights().filter(|_| matches!(item, Item::LayerMatrices | Item::Experts));
        if copies.is_none() || !scenario.training.fp8.param_gather {
            put(item, block);
        }
        if let Some(copies) = copies {
            put(Item::Fp8Weights, copies);
        }
    });
    adapters::terms(scenario, sink);
}

/// Each kind of tensor that there is, with its count and the layout it is kept in; once for each layout where a file of llama.cpp mixes several.
pub fn kinds(scenario: &Checked, parameters: &Parameters, mut each: impl FnMut(Item, u64, Block)) {
    let mixture = scenario.architecture.moe.is_some();
    for (item, count) in [
        (Item::LayerMatrices, parameters.matrices),
        (Item::Experts, parameters.experts),
        (Item::Routers, parameters.routers),
        (Item::EmbeddingTable, parameters.embedding),
        (Item::OutputHead, parameters.head),
        (Item::PositionTable, parameters.positions),
        (Item::NormsAndBiases, parameters.vectors),
    ] {
        if count > 0 || item == Item::LayerMatrices {
            let layout = layout(scenario, item, mixture);
            if let Some(mix) = Mix::of(scenario, item, count, layout) {
                mix.iter().for_each(|(count, layout)| each(item, count, layout));
                continue;
            }
            let (narrow, wide) = match scenario.left_wide() {
                _ if item != Item::LayerMatrices => (count, layout),
                Some(LeftWide::EightBits) => {
                    let gates = gates(scenario).min(count);
                    each(item, gates, Block::BF16);
                    let narrow = narrow(scenario, LeftWide::EightBits, count - gates);
                    each(item, narrow, scenario.weights.block());
                    each(item, count - gates - narrow, FP8);
                    continue;
                }
                Some(it @ (LeftWide::Latents | LeftWide::SharedExperts)) => (narrow(scenario, it, count), Block::BF16),
                Some(wide) if !mixture => (narrow(scenario, wide, count), Block::BF16),
                _ => (narrow_beside(scenario).min(count), layout),
            };
            let beside = mixture && item == Item::LayerMatrices;
            if narrow > 0 {
                each(item, narrow, if beside { scenario.weights.block() } else { layout });
            }
            if count > narrow || count == 0 {
                each(item, count - narrow, wide);
            }
        }
    }
}

/// One byte a value.
const FP8: Block = WeightFormat::Fp8.block();

/// Of `count` values in the layers' matrices on this rank those in the format of the weights, where others are not ([`crate::Scenario::left_wide`]).
fn narrow(scenario: &Checked, wide: LeftWide, count: u64) -> u64 {
    match wide {
        LeftWide::EightBits if scenario.architecture.moe.is_some() => shared_experts(scenario).min(count),
        LeftWide::Latents => count.saturating_sub(onto_latents(scenario)),
        LeftWide::SharedExperts => count.saturating_sub(shared_experts(scenario)),
        LeftWide::Attention | LeftWide::AttentionAndEnds | LeftWide::EightBits => mlps(scenario, wide).min(count),
    }
}

/// Values in the layers' matrices on this rank that an NVFP4 file of a mixture holds in 4 bits beside the routed experts ([`crate::Scenario::narrow_beside_experts`]).
fn narrow_beside(scenario: &Checked) -> u64 {
    let shape = &scenario.architecture;
    match (scenario.narrow_beside_experts(), shape.moe) {
        (Some(NarrowBeside::All), _) => scenario.local_parameters().matrices,
        (Some(NarrowBeside::SharedAndLinear(layers)), Some(_)) => {
            let all = shape.linear_attention.map_or(1, |it| it.layers);
            shared_experts(scenario) + linear_attention(scenario) / u64::from(all.max(1)) * u64::from(layers)
        }
        _ => 0,
    }
}

/// Values in the shared experts on this rank.
fn shared_experts(scenario: &Checked) -> u64 {
    let shape = &scenario.architecture;
    let (start, end) = scenario.layers_here();
    let each = shape.moe.map_or(0, |moe| shape.mixture(&moe, scenario.parallel.tp.into(), scenario.experts()).matrices);
    u64::from(shape.kinds_between(start, end).moe) * each
}

/// Values in the matrices of linear attention on this rank.
fn linear_attention(scenario: &Checked) -> u64 {
    let shape = &scenario.architecture;
    let (start, end) = scenario.layers_here();
    let each = shape.linear_attention.map_or(0, |it| shape.linear(&it, scenario.parallel.tp.into()).matrices);
    u64::from(shape.kinds_between(start, end).linear) * each
}

/// Values of the two gates of each value head and of the convolutions on this rank, of models with gated delta nets.
fn gates(scenario: &Checked) -> u64 {
    let shape = &scenario.architecture;
    let Some(it) = shape.linear_attention else { return 0 };
    let tp = scenario.parallel.tp.into();
    let [key_heads, value_heads] = [it.key_heads, it.value_heads].map(|heads| u64::from(heads).div_ceil(tp));
    let widths = 2 * key_heads * u64::from(it.key_dim) + value_heads * u64::from(it.value_dim);
    let (start, end) = scenario.layers_here();
    let each = u64::from(shape.hidden_size) * 2 * value_heads + widths * u64::from(it.conv_kernel);
    u64::from(shape.kinds_between(start, end).linear) * each
}

/// Values in the projections onto the short vectors of latent attention on this rank, which has them whole.
fn onto_latents(scenario: &Checked) -> u64 {
    let shape = &scenario.architecture;
    let Projection::Latent(latent) = shape.projection else { return 0 };
    let width = latent.q_lora_rank.unwrap_or(0) + latent.kv_lora_rank + latent.rope_dim;
    scenario.local().layers * u64::from(shape.hidden_size) * u64::from(width)
}

/// How many bytes more other published files of this model in this format hold on this rank ([`crate::Scenario::others_leave_wide`]).
pub fn in_wider_files(scenario: &Checked) -> u128 {
    if scenario.mode != Mode::Inference || !scenario.others_leave_wide() {
        return 0;
    }
    let beside = narrow_beside(scenario);
    if beside > 0 {
        return bytes(Item::LayerMatrices, beside, Block::BF16)
            - bytes(Item::LayerMatrices, beside, scenario.weights.block());
    }
    let (wide, counted) = if scenario.left_wide() == Some(LeftWide::EightBits) {
        // Of a mixture all but the routed experts, the output head too.
        let held = scenario.local_parameters();
        let (narrow, four) = (narrow(scenario, LeftWide::EightBits, held.matrices), scenario.weights.block());
        let more = |item, count, counted| bytes(item, count, Block::BF16) - bytes(item, count, counted);
        if scenario.architecture.moe.is_some() {
            return more(Item::LayerMatrices, held.matrices - narrow - gates(scenario), FP8)
                + more(Item::LayerMatrices, narrow, four)
                + more(Item::OutputHead, held.head, four);
        }
        (linear_attention(scenario) - gates(scenario), FP8)
    } else {
        let all = scenario.local_parameters().matrices;
        (all - mlps(scenario, LeftWide::Attention).min(all), scenario.weights.block())
    };
    bytes(Item::LayerMatrices, wide, Block::BF16) - bytes(Item::LayerMatrices, wide, counted)
}

/// Values in the matrices of dense MLPs on this rank, but for both ends where these are wide.
fn mlps(scenario: &Checked, wide: LeftWide) -> u64 {
    let shape = &scenario.architecture;
    let (mut start, mut end) = scenario.layers_here();
    if wide == LeftWide::AttentionAndEnds {
        start = start.max(1);
        end = end.min(shape.layers.saturating_sub(1)).max(start);
    }
    let width = u64::from(shape.intermediate_size).div_ceil(scenario.parallel.tp.into());
    u64::from(shape.kinds_between(start, end).dense) * shape.mlp.matrices() * u64::from(shape.hidden_size) * width
}

/// Whether a kind of tensor belongs to the layers and can wait in host memory.
const fn in_layers(item: Item) -> bool {
    matches!(item, Item::LayerMatrices | Item::Experts)
}

/// Bytes of the layers' matrices on this rank: what parameter offloading fetches.
pub fn layers(scenario: &Checked) -> u128 {
    let mut sum = 0;
    kinds(scenario, &scenario.local_parameters(), |item, count, block| {
        if in_layers(item) {
            sum += bytes(item, count, block);
        }
    });
    sum
}

/// Bytes of the layers' matrices on this rank over what they would take in the layout of the format alone; 1 to 1 but for mixes.
/// Both in at most 48 bits, exact up to 281 TB and rounded together beyond, so that bytes of any matrix can be multiplied by it.
pub(crate) fn mixed(scenario: &Checked) -> [u128; 2] {
    if !scenario.weights.is_gguf() && (scenario.left_wide().is_none() || scenario.architecture.moe.is_some()) {
        return [1, 1];
    }
    let held = scenario.local_parameters();
    let plain = bytes(Item::LayerMatrices, held.matrices + held.experts, scenario.weights.block());
    let mixed = [layers(scenario).max(1), plain.max(1)];
    let beyond = (u128::BITS - 48).saturating_sub(mixed[0].max(mixed[1]).leading_zeros());
    mixed.map(|bytes| (bytes >> beyond).max(1))
}

/// Over how many ranks a kind of tensor is sharded.
fn shards(scenario: &Checked, item: Item) -> u64 {
    // Beside its shard FSDP gathers all weights, which is counted with the activations.
    let stage = if sharding::keeps_gathered(scenario) { ZeroStage::Gradients } else { ZeroStage::Weights };
    match item {
        _ if !scenario.mode.trains() => 1,
        Item::Experts => scenario.parallel.expert_shards_from(stage),
        _ => scenario.parallel.shards_from(stage),
    }
}

/// Bytes of this rank's shard of all weights.
pub fn shard(scenario: &Checked) -> u128 {
    let mut sum = 0;
    kinds(scenario, &scenario.local_parameters(), |item, count, block| {
        sum += bytes(item, count.div_ceil(shards(scenario, item)), block);
    });
    sum
}

/// Bytes of the weights on this rank before any sharding over data-parallel ranks.
pub fn local(scenario: &Checked) -> u128 {
    let mut sum = 0;
    kinds(scenario, &scenario.local_parameters(), |item, count, block| sum += bytes(item, count, block));
    sum
}

/// Bytes of so many values of a kind of tensor in a layout.
pub(crate) fn bytes(item: Item, count: u64, block: Block) -> u128 {
    let factors = [Factor::new(Symbol::Parameters, count), Factor::new(Symbol::BytesPerBlock, block.bytes.into())];
    Term { item, factors: &factors, divisor: block.values }.bytes().0
}

pub(crate) fn layout(scenario: &Checked, item: Item, mixture: bool) -> Block {
    let litgpt = scenario.training.implementation == Implementation::Litgpt;
    let gguf = scenario.mode == Mode::Inference && scenario.serving.engine == Engine::LlamaCpp;
    let wide = scenario.left_wide();
    match (scenario.mode, scenario.recipe()) {
        // What is trained is kept as the recipe says.
        (Mode::Training, Recipe::Fp32 | Recipe::Autocast) => Block::FP32,
        // LitGPT quantises the head as any other linear layer.
        (Mode::Qlora, _) if item == Item::OutputHead && litgpt => scenario.weights.block(),
        _ if item == Item::Experts && scenario.leaves_experts() => {
            if scenario.upcasts() {
                Block::FP32
            } else {
                Block::BF16
            }
        }
        _ if item == Item::OutputHead
            && !scenario.architecture.tied_embeddings
            && wide == Some(LeftWide::EightBits) =>
        {
            scenario.weights.block()
        }
        _ if item == Item::LayerMatrices && mixture && wide == Some(LeftWide::EightBits) => FP8,
        _ if item == Item::LayerMatrices && mixture && wide.is_some_and(|it| it != LeftWide::SharedExperts) => {
            Block::BF16
        }
        _ if item == Item::LayerMatrices && scenario.narrow_beside_experts() == Some(NarrowBeside::All) => {
            scenario.weights.block()
        }
        // Beside experts in MXFP4 matrices are in blocks of fp8, and mixers, biases of places and sinks in fp32.
        _ if scenario.architecture.compression.is_some()
            && scenario.weights == WeightFormat::Mxfp4
            && matches!(item, Item::LayerMatrices | Item::NormsAndBiases) =>
        {
            if item == Item::LayerMatrices {
                WeightFormat::Fp8Block.block()
            } else {
                Block::FP32
            }
        }
        // A file of llama.cpp with experts in MXFP4 (gpt-oss) holds all other matrices in 8 bits.
        _ if gguf && mixture && scenario.weights == WeightFormat::Mxfp4 && item != Item::Experts => {
            WeightFormat::Q8Zero.kept(item, mixture, scenario.architecture.tied_embeddings)
        }
        _ => match scenario.weights.kept(item, mixture, scenario.architecture.tied_embeddings) {
            Block::BF16 if scenario.upcasts() => Block::FP32,
            block => block,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;
    use crate::tables::models;
    use crate::worked;

    #[test]
    fn k_bit_preparation_upcasts_tables_and_norms() {
        let llama = models::by_id("llama-3.1-8b").unwrap().architecture;
        let mut scenario = Scenario { mode: Mode::Qlora, weights: WeightFormat::Nf4Dq, ..Scenario::new(llama) };
        let bytes = |scenario: &Scenario| worked::total(|sink| terms(&scenario.check().unwrap(), sink)).0;
        // Embedding and head of 128,256 × 4,096 each, and 65 norms.
        let wide = 2 * 128_256 * 4_096 + 65 * 4_096;
        let upcast = bytes(&scenario);
        scenario.training.lora.upcast = false;
        assert_eq!(upcast - bytes(&scenario), 2 * wide);
        // peft leaves models of other quantisers alone.
        for weights in [WeightFormat::Int4, WeightFormat::Int4Group32] {
            assert!(!Scenario { weights, training: crate::Training::DEFAULT, ..scenario }.upcasts());
        }
    }

    #[test]
    fn quantisers_of_linear_layers_leave_the_experts_of_transformers_wide() {
        let experts = |scenario: &Scenario| {
            let mut sum = crate::Bytes::ZERO;
            terms(&scenario.check().unwrap(), &mut |term| {
                if term.item == Item::Experts {
                    sum += term.bytes();
                }
            });
            sum.0
        };
        for id in ["gpt-oss-20b", "qwen3-30b-a3b", "mixtral-8x7b", "llama-4-scout", "deepseek-v3"] {
            let shape = models::by_id(id).unwrap().architecture;
            let count = u128::from(shape.parameters().experts);
            for weights in [WeightFormat::Nf4, WeightFormat::Nf4Dq, WeightFormat::Int8, WeightFormat::Int4Group32] {
                let mut scenario = Scenario { weights, ..Scenario::new(shape) };
                let small = experts(&scenario);
                assert!(small < count * 9 / 8, "{id}: without a program the format holds the experts");
                scenario.serving.engine = Engine::Hf;
                assert_eq!(experts(&scenario), 2 * count, "{id} {}", weights.id());
                scenario.mode = Mode::Qlora;
                let upcast = if weights == WeightFormat::Int4Group32 { 2 } else { 4 };
                assert_eq!(experts(&scenario), upcast * count, "{id} {}", weights.id());
                scenario.training.lora.upcast = false;
                assert_eq!(experts(&scenario), 2 * count, "{id} {}", weights.id());
                scenario.training.lora.experts = true;
                assert_eq!(experts(&scenario), small, "{id} {}: Unsloth quantises them", weights.id());
            }
        }
        // Checkpoints of GPTQ and AWQ hold each expert in 4 bits, and so do they when they are loaded.
        let mixtral = models::by_id("mixtral-8x7b").unwrap().architecture;
        let mut served = Scenario { weights: WeightFormat::Int4, ..Scenario::new(mixtral) };
        served.serving.engine = Engine::Hf;
        assert!(!served.leaves_experts());
        // LitGPT's experts are linear layers.
        let mut litgpt = Scenario { weights: WeightFormat::Nf4, mode: Mode::Qlora, ..Scenario::new(mixtral) };
        litgpt.training.implementation = Implementation::Litgpt;
        assert!(!litgpt.leaves_experts());
    }
}
