//! What a block saves, and what it needs for a moment.

use super::{Rank, Sink, product};
use crate::architecture::{LayerKinds, Mlp};
use crate::scenario::Mode;
use crate::training::Checkpointing;
use crate::worked::{Factor, Item, Symbol};

impl Rank<'_> {
    /// What `layers` blocks save, each for one micro-batch.
    pub(super) fn saved(&self, layers: u64, sink: Sink<'_>) {
        if layers == 0 {
            return;
        }
        let l = Factor::new(Symbol::Layers, layers);
        let (whole, shared, hidden) = (self.whole, self.shared, self.hidden);
        let (inside, [heads, kv_heads, head_dim]) = (self.width(), self.heads());
        let compiled = self.scenario.training.compile;
        let number = Factor::number;
        let [arriving, visits] = self.visits();
        match self.scenario.checkpointing {
            Checkpointing::Full => product(sink, Item::Checkpoints, &[number(2), l, shared, hidden]),
            Checkpointing::PerOp => {
                product(sink, Item::Checkpoints, &[number(2), l, shared, hidden]);
                // Every second matrix multiplication, queries, values, gate and down, and the output of attention.
                product(sink, Item::AttentionTensors, &[number(4), l, whole, heads, head_dim]);
                product(sink, Item::AttentionTensors, &[number(2), l, whole, kv_heads, head_dim]);
                product(sink, Item::SoftmaxStatistics, &[number(4), l, whole, heads]);
                product(sink, Item::MlpTensors, &[number(2), l, whole, self.gate()]);
                if self.scenario.parallel.ep > 1 {
                    // What two exchanges bring, to the experts and back.
                    product(sink, Item::ExpertTensors, &[number(4), l, arriving, visits, hidden]);
                }
                if !compiled {
                    // Nothing needs the output of the down projection again, which only the compiler sees.
                    product(sink, Item::MlpTensors, &[number(2), l, whole, hidden]);
                }
                if self.tp > 1 {
                    // The sums over ranks behind attention and behind the MLP, of which the compiler drops the second.
                    let sums = if compiled { 2 } else { 4 };
                    product(sink, Item::NormInputs, &[number(sums), l, shared, hidden]);
                }
            }
            // Fused attention recomputes its scores anyway.
            Checkpointing::None | Checkpointing::Selective => {
                // Both norms: in eager code an fp32 copy and its 16-bit result, compiled the residual alone; and one fp32 statistic a token.
                product(sink, Item::NormInputs, &[number(if compiled { 4 } else { 12 }), l, shared, hidden]);
                product(sink, Item::NormInputs, &[number(8), l, shared]);
                if !compiled || self.tp > 1 {
                    product(sink, Item::NormOutputs, &[number(4), l, whole, hidden]);
                }
                // Queries, keys, values and output; eager code repeats keys and values for each query head.
                let (queries, keys) = if compiled { (4, 4) } else { (8, 0) };
                product(sink, Item::AttentionTensors, &[number(queries), l, whole, heads, head_dim]);
                product(sink, Item::AttentionTensors, &[number(keys), l, whole, kv_heads, head_dim]);
                product(sink, Item::SoftmaxStatistics, &[number(4), l, whole, heads]);
                let matrices = self.matrices();
                let kept = if compiled { matrices - 1 } else { matrices + 1 };
                product(sink, Item::MlpTensors, &[number(2 * kept), l, whole, inside]);
                // The copy of a token that an expert reads, and what it makes of it, which eager code turns to fp32 before it is weighted.
                let copies = number(if compiled { 4 } else { 6 });
                product(sink, Item::ExpertTensors, &[copies, l, arriving, visits, hidden]);
            }
        }
    }

    /// What the widest moment of a block's forward pass, the MLP, leaves between saved tensors: holes too small for the logits.
    pub(super) fn left_by_forward(&self, sink: Sink<'_>) {
        let training = &self.scenario.training;
        // Gate, up and their product; eager code also keeps the activation of the gate.
        let silu = u64::from(!training.compile && self.scenario.architecture.mlp == Mlp::Gated);
        let tensors = match self.scenario.checkpointing {
            Checkpointing::Full => self.matrices() + silu,
            // The gate is among the saved ones, but for experts.
            Checkpointing::PerOp => self.matrices() + silu - u64::from(self.scenario.architecture.moe.is_none()),
            Checkpointing::None | Checkpointing::Selective => 0,
        };
        product(sink, Item::LayerWorkspace, &[Factor::number(2 * tensors), self.whole, self.width()]);
        if self.tp > 1 && !training.async_tp {
            // The gathered input or the partial output, and its copy in another order.
            product(sink, Item::LayerWorkspace, &[Factor::number(4), self.whole, self.hidden]);
        }
    }

    /// One block computed again and differentiated, and the 16-bit gradients that are about to be shared out.
    pub(super) fn backward(&self, sink: Sink<'_>) {
        let [heads, kv_heads, head_dim] = self.heads();
        let number = Factor::number;
        // What the MLP's matrices give and take, and their gradients.
        product(sink, Item::LayerWorkspace, &[number(4 * self.matrices()), self.whole, self.width()]);
        // Copies of tokens for their experts, what these make of them, in 16 bits and in fp32, and the gradients.
        let [arriving, visits] = self.visits();
        product(sink, Item::LayerWorkspace, &[number(12), arriving, visits, self.hidden]);
        // Queries, keys, values, the output and its gradient.
        product(sink, Item::LayerWorkspace, &[number(6), self.whole, heads, head_dim]);
        product(sink, Item::LayerWorkspace, &[number(4), self.whole, kv_heads, head_dim]);
        // Outputs of both norms, the gradient of the block's output, and two of its input.
        product(sink, Item::LayerWorkspace, &[number(10), self.whole, self.hidden]);
        if self.scenario.mode != Mode::Training || !self.sharded() {
            return;
        }
        let parameters = Factor::new(Symbol::Parameters, self.block_parameters());
        product(sink, Item::ReducedGradients, &[parameters, Factor::new(Symbol::BytesPerValue, 2)]);
        if self.local.head {
            let vocab = Factor::new(Symbol::VocabSize, self.local.vocab_size);
            product(sink, Item::ReducedGradients, &[number(2), vocab, self.hidden]);
        }
    }

    /// Tokens that come to a part of the experts, and how many experts each visits; none without experts.
    fn visits(&self) -> [Factor; 2] {
        let across = self.scenario.experts().width;
        let visits = self.scenario.architecture.moe.map_or(0, |moe| moe.experts_per_token.into());
        [
            Factor::new(Symbol::Tokens, (self.whole.value * across).div_ceil(self.tp)),
            Factor::new(Symbol::ExpertsPerToken, visits),
        ]
    }

    /// Width of what the gate of an MLP makes that is saved by operation, on the average of the layers here: PyTorch's list of costly operations has no grouped
    /// matrix products, so of a mixture only the shared experts are in it.
    fn gate(&self) -> Factor {
        let Some(moe) = self.scenario.architecture.moe else { return self.width() };
        let (start, end) = self.scenario.layers_here();
        let LayerKinds { dense, moe: mixtures, .. } = self.scenario.architecture.kinds_between(start, end);
        let shared = u64::from(moe.shared_intermediate_size).div_ceil(self.tp);
        let sum = u64::from(dense) * self.local.intermediate_size + u64::from(mixtures) * shared;
        Factor::new(Symbol::IntermediateSize, sum.div_ceil(u64::from(dense + mixtures).max(1)))
    }

    /// Query heads, KV heads and their width.
    fn heads(&self) -> [Factor; 3] {
        [
            Factor::new(Symbol::Heads, self.local.heads),
            Factor::new(Symbol::KvHeads, self.local.kv_heads),
            Factor::new(Symbol::HeadDim, self.scenario.architecture.head_dim.into()),
        ]
    }

    /// Matrices of an MLP: three with a gate.
    fn matrices(&self) -> u64 {
        self.scenario.architecture.mlp.matrices()
    }

    /// Width of what a token passes through in an MLP on this rank: of a mixture the experts that it visits and the shared ones.
    fn width(&self) -> Factor {
        let dense = self.local.intermediate_size;
        let width = self.scenario.architecture.moe.map_or(dense, |moe| {
            let visited = u64::from(moe.experts_per_token) * u64::from(moe.intermediate_size);
            (visited + u64::from(moe.shared_intermediate_size)).div_ceil(self.tp).max(dense)
        });
        Factor::new(Symbol::IntermediateSize, width)
    }
}
