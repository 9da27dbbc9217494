//! LitGPT: what its code keeps while it trains, with frozen weights or with all of them learning.
//!
//! # Source
//! LitGPT at 8641822 and 6178c7c (October 2023) and at 5895df1 to 00af8b0 (2024), Lightning Fabric 2.1 and 2.2, bitsandbytes 0.41 and 0.42, read line by line
//! and run with a counter of live tensors. No constant is fitted. The published peaks (`max_memory_allocated`, sets `litgpt-…` of the crate
//! `memory-wall-accuracy`) were looked at while causes were sought. What several GPUs add is read from the code too, and only roughly met: 2 to 9% low with every parameter learning,
//! 8% low to 17% high with LoRA.

mod block;
mod loss;
mod run;
mod shards;

use super::Sink;
use super::sizes::Sizes;
use crate::architecture::Norm;
use crate::checked::Checked;
use crate::memory::Phase;
use crate::memory::backward::Moment;
use crate::scenario::Mode;
use crate::training::{Checkpointing, LoraTargets, Recipe};
use crate::worked::{Factor, Item, Symbol, Term};

pub use loss::{CHUNK_TOKENS, terms as loss};
pub use run::{Era, Method, Run, WORKSPACES, added, peak, step, trained};

/// Takes the factors of one product.
type Product<'a> = &'a mut dyn FnMut(Item, &[Factor]);

/// What of a run decides which tensors are kept.
struct Code<'a> {
    sizes: Sizes<'a>,
    run: Run,
    /// Bytes of a value in a matrix multiplication.
    e: u64,
    /// Bytes of a value of the residual stream.
    r: u64,
    /// Whether every parameter learns.
    full: bool,
    /// Whether matrices are quantised by bitsandbytes, which of those versions keep their inputs.
    quantised: bool,
    /// Where LoRA's matrices are; nowhere under another method.
    targets: LoraTargets,
}

impl<'a> Code<'a> {
    fn of(scenario: &'a Checked, run: Run) -> Self {
        let none = LoraTargets { q: false, k: false, v: false, o: false, mlp: false, head: false };
        let full = scenario.mode == Mode::Training;
        let lora = !full && run.method == Method::OfTheMode;
        let wide = match scenario.mode {
            Mode::Training => matches!(scenario.recipe(), Recipe::Fp32 | Recipe::Autocast),
            _ => scenario.weights.unquantised_bytes() == 4,
        };
        let sizes = Sizes::of(scenario);
        Self {
            run,
            e: if wide && scenario.recipe() != Recipe::Autocast { 4 } else { 2 },
            r: if wide { 4 } else { 2 },
            full,
            quantised: scenario.mode == Mode::Qlora,
            targets: if lora { scenario.training.lora.targets } else { none },
            sizes,
        }
    }

    /// Whether norm weights learn.
    fn norms_learn(&self) -> bool {
        self.full || self.run.method == Method::AdapterV2
    }

    /// Whether every matrix keeps its input.
    fn keeps_inputs(&self) -> bool {
        self.full || self.quantised
    }

    fn rank(&self) -> Factor {
        Factor::number(self.sizes.scenario.training.lora.rank.into())
    }

    fn dropout(&self) -> bool {
        self.sizes.scenario.training.lora.dropout
    }

    /// Whether blocks are computed again: LitGPT does so with whole blocks or not at all.
    fn recomputes(&self) -> bool {
        self.sizes.scenario.checkpointing == Checkpointing::Full
    }

    /// Bytes a norm keeps for each value of the residual stream and for each token.
    ///
    /// RMSNorm: an fp32 copy of its input and the scale of each token; where its weight learns, the normalised copy, in 2023 in fp32.
    /// LayerNorm: its input and two statistics.
    fn norm(&self, input_needs_gradient: bool) -> [u64; 2] {
        let (input, weight) = (input_needs_gradient, self.norms_learn());
        match self.sizes.shape.norm {
            _ if !input && !weight => [0, 0],
            Norm::LayerNorm | Norm::Unbiased => [self.r, 8],
            Norm::RmsNorm => {
                let normed = match (weight, self.run.era) {
                    (false, _) => 0,
                    (true, Era::Y2023) => 4,
                    (true, Era::Y2024) => self.r,
                };
                [if input { 4 } else { 0 } + normed, 4]
            }
        }
    }
}

/// What the forward pass leaves behind on the rank that is looked at, when it ends and when the backward pass begins.
///
/// # Formula
/// The blocks, or 2·T·h for each that is computed again; the final norm, the input of the head where that learns or is quantised, its adapter.
/// Autocast over fp32 weights: 2 bytes for each weight of a matrix, of a frozen head once for each chunk of [`CHUNK_TOKENS`] tokens.
/// With a quantised model, when a further forward pass ends: the inputs of all matrices of the micro-batch before, which bitsandbytes keeps outside of
/// autograd's reach. Several GPUs: the root unit and a block that FSDP gathers, or buckets as large as all gradients.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// Two equally long micro-batches in a row, if the script's first one is not the longest ([`Run::first_batch`]).
///
/// # Source
/// See the module's page.
///
/// # Example
/// ```
/// use memory_wall_core::memory::activations::litgpt::{self, Run};
/// use memory_wall_core::{Architecture, LoraTargets, Mode, Phase, Scenario, worked::total};
/// let llama = Architecture::llama([32, 4_096, 32, 32, 128, 11_008, 32_000]);
/// let mut scenario = Scenario { mode: Mode::Lora, seq_length: 1_304, ..Scenario::new(llama) };
/// (scenario.training.lora.rank, scenario.training.lora.targets) = (8, LoraTargets::QV);
/// scenario.training.lora.dropout = true;
/// let scenario = scenario.check().unwrap();
/// let kept = total(|sink| litgpt::kept(&scenario, Run::DEFAULT, Phase::Loss, sink));
/// assert_eq!(kept.0, 7_374_600_192);
/// ```
pub fn kept(scenario: &Checked, run: Run, phase: Phase, sink: Sink<'_>) {
    let code = Code::of(scenario, run);
    let mut product = |item, factors: &[Factor]| sink(&Term { item, factors, divisor: 1 });
    saved(&code, &mut product);
    weight_copies(&code, &mut product);
    if phase == Phase::ForwardEnd && code.quantised {
        block::inputs(&code, &mut product);
        if code.sizes.local.head {
            product(Item::FinalNorm, &[Factor::number(code.e), code.sizes.tokens, code.sizes.hidden]);
        }
    }
    shards::gathered(&code, None, &mut product);
    if code.recomputes() && shards::whole_model_gathered(&code) {
        block::one(&code, &mut |_, factors| product(Item::RecomputedLayer, factors));
    }
}

/// What is there at one moment of the backward pass.
///
/// # Formula
/// In the last layer what the forward pass left, and with checkpointing that layer whole; in the first layer one layer; at the end nothing.
/// A quantised matrix is unpacked twice, in fp16 and in bf16: 4 bytes for each weight of the largest.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// Gradients of tensors inside a layer are left out: LitGPT's published peaks lie at the loss.
pub fn in_backward(scenario: &Checked, run: Run, moment: Moment, sink: Sink<'_>) {
    let code = Code::of(scenario, run);
    let mut product = |item, factors: &[Factor]| sink(&Term { item, factors, divisor: 1 });
    let at_work = if code.recomputes() { Some(Item::RecomputedLayer) } else { None };
    let one = |product: Product<'_>| {
        block::one(&code, &mut |item, factors| product(at_work.unwrap_or(item), factors));
    };
    match moment {
        Moment::LastLayer => {
            saved(&code, &mut product);
            weight_copies(&code, &mut product);
            if code.recomputes() {
                one(&mut product);
            }
        }
        Moment::FirstLayer => one(&mut product),
        Moment::End if code.recomputes() && shards::shared(&code) => one(&mut product),
        Moment::End => {}
    }
    if code.quantised && moment != Moment::End {
        unpacked(&code, &mut product);
    }
    shards::gathered(&code, Some(moment), &mut product);
}

/// What is there in the optimizer's step: the buckets of data parallelism.
pub fn in_step(scenario: &Checked, run: Run, sink: Sink<'_>) {
    let code = Code::of(scenario, run);
    shards::buckets(&code, &mut |item, factors| sink(&Term { item, factors, divisor: 1 }));
}

/// What the graph keeps of the blocks, the final norm and the head.
fn saved(code: &Code<'_>, product: Product<'_>) {
    let (sizes, e) = (&code.sizes, code.e);
    if code.recomputes() {
        let blocks = Factor::new(Symbol::Layers, sizes.held);
        product(Item::Checkpoints, &[Factor::number(code.r), blocks, sizes.tokens, sizes.hidden]);
    } else {
        block::terms(code, product);
    }
    if !sizes.local.head {
        return;
    }
    let [per_value, per_token] = code.norm(true);
    product(Item::FinalNorm, &[Factor::number(per_value), sizes.tokens, sizes.hidden]);
    product(Item::FinalNorm, &[Factor::number(per_token), sizes.tokens]);
    let adapter = code.targets.head;
    if code.keeps_inputs() || (adapter && !code.dropout()) {
        product(Item::FinalNorm, &[Factor::number(e), sizes.tokens, sizes.hidden]);
    }
    if adapter {
        if code.dropout() {
            product(Item::AdapterTensors, &[Factor::number(e + 1), sizes.tokens, sizes.hidden]);
        }
        product(Item::AdapterTensors, &[Factor::number(e), sizes.tokens, code.rank()]);
    }
    if code.run.method == Method::AdapterV2 {
        // The logits in front of their scale.
        let vocab = Factor::new(Symbol::VocabSize, sizes.local.vocab_size);
        product(Item::AdapterTensors, &[Factor::number(e), sizes.tokens, vocab]);
    }
}

/// 16-bit copies of fp32 weights. Autocast keeps those of learning weights in a cache; of frozen ones each use keeps a copy of its own.
fn weight_copies(code: &Code<'_>, product: Product<'_>) {
    if code.r == code.e {
        return;
    }
    let held = code.sizes.scenario.local_parameters();
    product(Item::WeightCopies, &[Factor::number(2), Factor::new(Symbol::Parameters, held.matrices + held.experts)]);
    let uses = if code.full { 1 } else { code.sizes.local.seq_length.div_ceil(CHUNK_TOKENS) };
    if held.head > 0 {
        product(Item::WeightCopies, &[Factor::number(2 * uses), Factor::new(Symbol::Parameters, held.head)]);
    }
}

/// The largest matrix of a block, unpacked in fp16 and again in bf16.
fn unpacked(code: &Code<'_>, product: Product<'_>) {
    let (shape, local) = (code.sizes.shape, code.sizes.local);
    // Queries, keys and values are one matrix.
    let attention = (local.heads + 2 * local.kv_heads) * u64::from(shape.head_dim);
    let width = Factor::new(Symbol::IntermediateSize, attention.max(local.intermediate_size));
    product(Item::DequantizedWeights, &[Factor::number(4), code.sizes.hidden, width]);
}

#[cfg(test)]
mod tests;
