//! What torchtitan's allocator reserves: native PyTorch with FSDP2, tensor, context and pipeline parallelism, and checkpointing by operation.
//!
//! Reserved is what is alive at the peak, and what the caching allocator cannot use again; both are counted tensor by tensor, so that no factor is left over.
//! The allocator keeps a pool for each CUDA stream: gradients that FSDP2 reduced and weights that it gathered are on streams of their own,
//! and their blocks serve no activation even when they are free.
//!
//! # Source
//! Mixtures: `moe.py`, `token_dispatcher.py` and `activation_checkpoint.py` of torchtitan at b5bcd76 (2026-08), `get_default_op_list` of PyTorch. Read 2026-11-27.
//!
//! torchtitan at 9dec370 and e7c0cae, and FSDP2, pipelines and loss parallelism of PyTorch of that time, read; published peaks of Llama 3.1 8B, 70B and 405B
//! (sets `torchtitan-8b` and following of the crate `memory-wall-accuracy`). No coefficient is a regression, but where the code left two readings open,
//! these peaks chose. Without a measured row: no checkpointing, checkpointing by operation under tensor parallelism, mixtures and adapters.

mod block;
pub mod loss;
mod shards;

use super::Sink;
use crate::checked::Checked;
use crate::memory::backward::Moment;
use crate::parallelism::{Local, ZeroStage};
use crate::parameters::Parameters;
use crate::training::Loss;
use crate::worked::{self, Factor, Item, Symbol, Term};

/// Hands a product out, unless it is none.
fn product(sink: Sink<'_>, item: Item, factors: &[Factor]) {
    if factors.iter().all(|factor| factor.value > 0) {
        sink(&Term { item, factors, divisor: 1 });
    }
}

/// The rank that is looked at, with the numbers that its formulas share.
struct Rank<'a> {
    scenario: &'a Checked,
    local: Local,
    held: Parameters,
    /// Tensor-parallel ranks.
    tp: u64,
    /// Micro-batches of one step.
    micro_batches: u64,
    /// Tokens of one micro-batch, on this rank's part of the sequence.
    whole: Factor,
    /// Those of them that are here between the blocks, where tensor-parallel ranks share them out.
    shared: Factor,
    /// `hidden_size`.
    hidden: Factor,
}

impl<'a> Rank<'a> {
    fn of(scenario: &'a Checked) -> Self {
        let (local, tp) = (scenario.local(), u64::from(scenario.parallel.tp));
        let tokens = u64::from(scenario.batch) * local.seq_length;
        Self {
            scenario,
            local,
            held: scenario.local_parameters(),
            tp,
            micro_batches: scenario.training.micro_batches.into(),
            whole: Factor::new(Symbol::Tokens, tokens),
            shared: Factor::new(Symbol::Tokens, tokens.div_ceil(tp)),
            hidden: Factor::new(Symbol::HiddenSize, scenario.architecture.hidden_size.into()),
        }
    }

    /// Whether the model is cut into stages.
    fn pipeline(&self) -> bool {
        self.scenario.parallel.pp > 1
    }

    /// Whether the schedule of a pipeline gets logits from the rank. A chunked loss makes none that leave it.
    fn hands_out_logits(&self) -> bool {
        self.pipeline() && self.local.head && self.scenario.training.loss != Loss::Chunked
    }

    /// Whether the schedule keeps the logits of all micro-batches as its outputs, as torchtitan before 0.2.1 let it.
    fn keeps_outputs(&self) -> bool {
        self.hands_out_logits() && self.scenario.training.stock.outputs_kept
    }

    /// Whether FSDP is at work; on one rank torchtitan leaves it out.
    fn sharded(&self) -> bool {
        self.scenario.parallel.shards_from(ZeroStage::Weights) > 1
    }

    /// Layers whose saved tensors are there at once.
    fn layers_in_flight(&self) -> u64 {
        if self.pipeline() { self.local.chunk_layers * self.local.chunks_in_flight } else { self.local.layers }
    }

    /// Whether an interleaved schedule is over in one round: then the chunks of a rank run backward one after the other, the last one first.
    fn one_round(&self) -> bool {
        let parallel = &self.scenario.parallel;
        self.pipeline() && parallel.virtual_stages > 1 && self.scenario.training.micro_batches <= parallel.pp
    }

    /// What saved tensors and gradients there are at one moment.
    fn state(&self, moment: Moment) -> State {
        let all = self.layers_in_flight();
        match (self.one_round(), moment) {
            (false, _) => State { gradients: Stages::All, layers: all },
            (true, Moment::LastLayer) => State { gradients: Stages::Last, layers: all },
            (true, Moment::FirstLayer | Moment::End) => {
                let others = u64::from(self.scenario.parallel.virtual_stages) - 1;
                let waiting = self.local.chunk_layers * others * self.micro_batches;
                State { gradients: Stages::All, layers: all.min(waiting) }
            }
        }
    }
}

/// How far the backward pass has come.
struct State {
    /// Whose unshared gradients exist.
    gradients: Stages,
    /// Layers whose saved tensors are there.
    layers: u64,
}

/// The chunks of a rank.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stages {
    All,
    /// The one whose backward pass comes first.
    Last,
}

/// Bytes at the end of the forward pass and in the loss, beside the states and the logits.
///
/// # Formula
/// With T tokens on this rank after context parallelism, t tensor-parallel ranks (which share the sequence out as well), N ranks that share states,
/// h = `hidden_size`, q and k the widths of queries and keys, f = `intermediate_size`, a = `heads`, n = parameters of a block / t, r = those of the tables here / t:
/// - gather buffers 2·(max(r, n) + n)·(1 + 1/N), two outputs alive and this rank's shards cast to 16 bits;
/// - gathered weights 2·(r + n), since FSDP2 gives back neither the tables nor the last block; without resharding and under a pipeline 2·(r + layers·n);
/// - under a pipeline gradients 4·(r + layers·n), unshared until the last micro-batch, and for each stage with a neighbour the buffers of all m micro-batches;
/// - saved tensors, layers × micro-batches in flight × a block. Full checkpointing: 2·T·h/t. By operation: 2·T·h/t + 2·T·(2q + k + f)/t + 4·T·a/t,
///   uncompiled 2·T·h more, with t > 1 another 2·T·h/t compiled and 4·T·h/t uncompiled.
///   Of a mixture f is there that of the shared experts alone, and expert parallelism adds 4·T·h for each expert that a token visits.
///   None: 2·(6·T·h + 4·T)/t + 4·T·h + 8·T·q/t + 4·T·a/t + 8·T·f/t; compiled 2·(2·T·h + 4·T)/t + 4·T·h where t > 1 + 4·T·(q + k)/t + 4·T·a/t + 4·T·f/t;
///   a mixture adds 6·T·h for each expert that a token visits, compiled 4·T·h;
/// - what the widest moment of a block leaves behind, too small for the logits: 2·T·f/t for gate, up and product (less the gate where it is saved)
///   and uncompiled one more; none without checkpointing; 4·T·h where t > 1, which async tensor parallelism keeps elsewhere;
/// - on the last stage 6·T·h/t + 2·T·h, the final norm in fp32 and the head's input, and 2·T·h where t > 1.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// fp32 shards, 16-bit compute, flash attention, sequence parallelism within tensor parallelism. Float8 changes compute, not what is kept.
/// Norm weights are counted as if tensor-parallel ranks shared them out. A step after the first.
///
/// # Source
/// See the module's page.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Checkpointing, Implementation, Mode, Scenario, memory::activations::torchtitan, tables::models, worked};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// (scenario.mode, scenario.checkpointing) = (Mode::Training, Checkpointing::PerOp);
/// (scenario.training.implementation, scenario.training.compile) = (Implementation::Torchtitan, true);
/// let scenario = scenario.check().unwrap();
/// // 55,424 bytes a token and layer, up and product of one MLP, the final norm; one GPU gathers nothing.
/// let saved = 2_048 * (55_424 * 32 + 2 * 2 * 14_336 + 8 * 4_096);
/// assert_eq!(worked::total(|sink| torchtitan::kept(&scenario, sink)), Bytes(saved));
/// ```
pub fn kept(scenario: &Checked, sink: Sink<'_>) {
    let rank = Rank::of(scenario);
    let State { gradients, layers } = rank.state(Moment::LastLayer);
    rank.shards(gradients, sink);
    rank.saved(layers, sink);
    rank.left_by_forward(sink);
    if rank.local.head {
        // An fp32 copy and its 16-bit result.
        product(sink, Item::FinalNorm, &[Factor::number(6), rank.shared, rank.hidden]);
        // The head's input; gathered over ranks it is put in order by a copy.
        let copies = if rank.tp > 1 { 4 } else { 2 };
        product(sink, Item::FinalNorm, &[Factor::number(copies), rank.whole, rank.hidden]);
    }
}

/// The same in the backward pass of a block.
///
/// # Formula
/// Instead of what the forward pass leaves behind, one block computed again and differentiated: 12·T·f/t + 2·T·(3q + 2k)/t + 10·T·h, and its 16-bit gradients 2·n;
/// on the last stage those of the head, 2·V·h/t. There kept outputs of all micro-batches are joined as well, m·2·T·V/t, when the step ends: the larger counts.
///
/// An interleaved schedule of one round is either at its first chunk ([`Moment::LastLayer`]), with all saved tensors and the gradients of that chunk,
/// or behind it, with the tensors of the other chunks and all gradients. Otherwise both are there at once.
pub fn in_backward(scenario: &Checked, moment: Moment, sink: Sink<'_>) {
    let rank = Rank::of(scenario);
    let State { gradients, layers } = rank.state(moment);
    rank.shards(gradients, sink);
    rank.saved(layers, sink);
    if worked::total(|sink| rank.backward(sink)) >= worked::total(|sink| loss::joined(&rank, sink)) {
        rank.backward(sink);
    } else {
        loss::joined(&rank, sink);
    }
}

/// What stays while the optimizer takes its step: buffers, gathered weights and gradients that are not shared out yet.
pub fn in_step(scenario: &Checked, sink: Sink<'_>) {
    Rank::of(scenario).shards(Stages::All, sink);
}
