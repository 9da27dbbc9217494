//! What training code asks of lengths, heads and micro-batches before it cuts a run over GPUs.

use core::fmt;

use super::Scenario;
use crate::architecture::Projection;
use crate::display::Grouped;
use crate::parallelism::ZeroStage;
use crate::training::Implementation;

/// What the code that trains a scenario asks for and does not get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// A micro-batch for every pipeline stage.
    MicroBatches {
        /// Micro-batches of a step.
        micro_batches: u32,
        /// Stages.
        stages: u32,
    },
    /// Sequence parallelism beside tensor parallelism, since the model has experts.
    SequenceParallel,
    /// Sequences whose parts are equal.
    Tokens {
        /// Tokens of a sequence.
        seq_length: u32,
        /// Their number is to be a multiple of this.
        multiple: u32,
    },
    /// KV heads that tensor-parallel ranks divide among themselves.
    KvHeads {
        /// Tensor-parallel ranks.
        tp: u32,
        /// KV heads of the model.
        kv_heads: u32,
    },
}

impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::MicroBatches { micro_batches, stages } => write!(
                f,
                "starts a pipeline with at least as many micro-batches as stages (\"Number of microbatches ({micro_batches}) must be greater than or equal to the number of stages ({stages})\")"
            ),
            Self::SequenceParallel => f.write_str(
                "refuses to train a mixture of experts with tensor parallelism and without sequence parallelism",
            ),
            Self::Tokens { seq_length, multiple } => write!(
                f,
                "cuts a sequence into equal parts: {} tokens are no multiple of {}",
                Grouped(seq_length.into()),
                Grouped(multiple.into())
            ),
            Self::KvHeads { tp, kv_heads } => write!(
                f,
                "gives every tensor-parallel rank as many whole KV heads, and {} ranks do not divide {} KV heads; megatron copies heads to more ranks",
                Grouped(tp.into()),
                Grouped(kv_heads.into())
            ),
        }
    }
}

/// Whether the scenario has what the code that trains it asks for.
///
/// # Source
/// PyTorch: `PipelineScheduleSingle` of `torch/distributed/pipelining/schedules.py`. Megatron-LM: `MoELayer.forward`.
/// torchtitan at b5bcd76 (2026-08): `tensor_parallel_degree` must divide `n_kv_heads` (pull request 2577). transformers: issue 48307 (2026-08, open). Read 2026-11-25.
pub(super) fn met(scenario: &Scenario) -> Result<(), Demand> {
    let (parallel, shape) = (&scenario.parallel, &scenario.architecture);
    let implementation = scenario.training.implementation;
    let micro_batches = scenario.training.micro_batches;
    let heads = matches!(shape.projection, Projection::Heads) && !shape.kv_heads.is_multiple_of(parallel.tp);
    if heads && implementation != Implementation::Megatron {
        return Err(Demand::KvHeads { tp: parallel.tp, kv_heads: shape.kv_heads });
    }
    if needs_sequence_parallel(scenario) && !parallel.sequence_parallel {
        return Err(Demand::SequenceParallel);
    }
    if micro_batches < fewest_micro_batches(scenario) {
        return Err(Demand::MicroBatches { micro_batches, stages: parallel.pp });
    }
    let multiple = scenario.seq_multiple();
    if scenario.seq_length.is_multiple_of(multiple) {
        Ok(())
    } else {
        Err(Demand::Tokens { seq_length: scenario.seq_length, multiple })
    }
}

/// Whether the code that trains the scenario's experts asks for sequence parallelism.
fn needs_sequence_parallel(scenario: &Scenario) -> bool {
    let megatron = scenario.mode.trains() && scenario.training.implementation == Implementation::Megatron;
    megatron && scenario.architecture.moe.is_some() && scenario.parallel.tp > 1
}

/// Whether the code that trains the scenario cuts sequences beside sharded weights alone, as accelerate does: see [`super::trainer`].
fn needs_sharded_weights(scenario: &Scenario) -> bool {
    let transformers = scenario.mode.trains() && scenario.training.implementation == Implementation::Transformers;
    transformers && scenario.parallel.cp > 1
}

/// The fewest micro-batches with which the code starts its pipeline. Interleaved schedules ask for rounds, see [`super::trainer`].
fn fewest_micro_batches(scenario: &Scenario) -> u32 {
    if scenario.torchtitan() && scenario.parallel.virtual_stages == 1 { scenario.parallel.pp } else { 1 }
}

impl Scenario {
    /// Tokens of which a sequence has to be a multiple; 1 where any length will do.
    ///
    /// # Source
    /// Megatron-LM at d98e8a6 (2026-08): `validate_args` asks for 2 × context-parallel ranks; its scatter for sequence parallelism cuts what each of these keeps over the
    /// tensor-parallel ranks. torchtitan: `seq_len_divisor` of `ParallelDims`, whose tensor parallelism is sequence parallel; since 2026 it asks this of all tokens of a
    /// micro-batch, which sequences of such a length always meet. Read 2026-11-25.
    pub fn seq_multiple(&self) -> u32 {
        let parallel = &self.parallel;
        let ranks = match self.training.implementation {
            _ if !self.mode.trains() => 1,
            Implementation::Megatron if parallel.sequence_parallel => parallel.tp,
            Implementation::Torchtitan => parallel.tp,
            _ => 1,
        };
        let halves = match self.training.implementation {
            Implementation::Megatron | Implementation::Torchtitan if self.mode.trains() && parallel.cp > 1 => {
                parallel.cp.saturating_mul(2)
            }
            _ => 1,
        };
        ranks.saturating_mul(halves).max(1)
    }

    /// The scenario with what its training code asks for beside its cut, where that is a matter of settings: micro-batches for every stage, sequence parallelism, and ZeRO-3 beside context parallelism.
    #[must_use]
    pub fn with_demands(mut self) -> Self {
        self.training.micro_batches = self.training.micro_batches.max(fewest_micro_batches(&self));
        self.parallel.sequence_parallel |= needs_sequence_parallel(&self);
        if needs_sharded_weights(&self) {
            self.parallel.zero = ZeroStage::Weights;
        }
        self
    }
}
