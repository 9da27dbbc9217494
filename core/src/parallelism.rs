//! A run on many GPUs: how the work is cut, and what one rank holds of it.

use core::fmt;

use crate::architecture::{Architecture, Moe, Projection, touched};
use crate::bounds::{self, OutOfBounds};
use crate::display::Grouped;
use crate::layout::{Layout, PipelineSplit};

mod stages;

pub use stages::PipelineSchedule;

choices! {
    /// Which model states data-parallel ranks share out among themselves (Rajbhandari et al. 2020; FSDP is stage 3).
    ZeroStage {
        /// None: each rank holds everything.
        None = "0";
        /// Optimizer states.
        Optimizer = "1";
        /// Optimizer states and gradients.
        Gradients = "2";
        /// Optimizer states, gradients and weights.
        Weights = "3";
    }
}

/// How a run is cut into ranks: `dp × tp × pp × cp` of them; the experts of a layer are shared out within `dp`, in Megatron-LM within `tp × cp × dp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parallelism {
    /// Data parallel: ranks with different sequences.
    pub dp: u32,
    /// Tensor parallel: ranks that share each matrix.
    pub tp: u32,
    /// Pipeline parallel: ranks that hold consecutive layers.
    pub pp: u32,
    /// Context parallel: ranks that share each sequence.
    pub cp: u32,
    /// Expert parallel: ranks that share the experts of a layer.
    pub ep: u32,
    /// Expert tensor parallel: ranks that share the matrices of each expert (Megatron-LM); `None` is as many as `tp`, or one where `ep` needs these ranks too.
    pub etp: Option<u32>,
    /// What data-parallel ranks share out.
    pub zero: ZeroStage,
    /// Over how many of the `dp` ranks states are shared out; `None` is all of them, fewer is hybrid sharding.
    pub shard: Option<u32>,
    /// Whether tensor-parallel ranks also share norms and dropout along the sequence.
    pub sequence_parallel: bool,
    /// Layer chunks that a pipeline rank holds, taken in turn; 1 is the plain schedule.
    pub virtual_stages: u32,
    /// How a pipeline works through its micro-batches in training.
    pub schedule: PipelineSchedule,
    /// How Megatron-LM spreads layers over the stages.
    pub split: PipelineSplit,
    /// The pipeline stage that is looked at, from 0.
    pub stage: u32,
}

/// How the routed experts of a layer are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExpertCut {
    /// Ranks over which the experts are spread.
    pub ranks: u64,
    /// Ranks that share the matrices of each expert.
    pub width: u64,
    /// Ranks with different sequences whose tokens meet at these experts.
    pub sources: u64,
}

impl ExpertCut {
    /// How often a token is sent on average if it goes once to each of so many places, over which the group is spread evenly, that holds any of its experts.
    ///
    /// # Formula
    /// Of the p − 1 others (p − 1)·(1 − (1 − 1/p)^k) are expected, and all of them where each holds a part of every expert.
    pub(crate) fn copies(&self, moe: &Moe, places: u64) -> f64 {
        let places = places.max(1) as f64;
        (places - 1.0) * if self.ranks > 1 { touched(1.0 / places, moe.experts_per_token.into()) } else { 1.0 }
    }
}

/// A cut that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParallelError {
    /// A degree is outside its range.
    OutOfBounds(OutOfBounds),
    /// A degree does not divide what it shares out.
    DoesNotDivide {
        /// The degree, by its option.
        degree: &'static str,
        /// Its value.
        ranks: u32,
        /// What it shares out, by the field's name.
        what: &'static str,
        /// How many of them there are.
        count: u32,
    },
    /// More pipeline chunks than layers.
    TooFewLayers {
        /// Chunks in all.
        chunks: u32,
        /// Layers.
        layers: u32,
    },
    /// A stage that is not there.
    NoStage {
        /// The stage.
        stage: u32,
        /// Stages.
        pp: u32,
    },
    /// Expert parallelism without experts.
    NoExperts,
}

impl fmt::Display for ParallelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::OutOfBounds(error) => error.fmt(f),
            Self::DoesNotDivide { degree, ranks, what, count } => {
                write!(f, "{degree} {ranks} does not divide {what} {}", Grouped(count.into()))
            }
            Self::TooFewLayers { chunks, layers } => {
                write!(f, "{chunks} pipeline stages are more than the {layers} layers of the model")
            }
            Self::NoStage { stage, pp } => write!(f, "there is no pipeline stage {stage} of {pp}: the first is 0"),
            Self::NoExperts => f.write_str("ep needs a mixture of experts, and this model is dense"),
        }
    }
}

impl core::error::Error for ParallelError {}

impl From<OutOfBounds> for ParallelError {
    fn from(error: OutOfBounds) -> Self {
        Self::OutOfBounds(error)
    }
}

impl Parallelism {
    /// One GPU.
    pub const ONE: Self = Self {
        dp: 1,
        tp: 1,
        pp: 1,
        cp: 1,
        ep: 1,
        etp: None,
        zero: ZeroStage::None,
        shard: None,
        sequence_parallel: false,
        virtual_stages: 1,
        schedule: PipelineSchedule::OneForwardOneBackward,
        split: PipelineSplit { first: None, last: None, embedding: false, loss: false, layout: None },
        stage: 0,
    };

    /// The same cut, looking at another stage.
    #[must_use]
    pub const fn at_stage(self, stage: u32) -> Self {
        Self { stage, ..self }
    }

    /// GPUs in all.
    pub fn ranks(&self) -> u64 {
        [self.dp, self.tp, self.pp, self.cp].map(u64::from).into_iter().fold(1, u64::saturating_mul)
    }

    /// How routed experts are cut in training, and by every runtime but vLLM: spread over some of the data-parallel ranks,
    /// each expert shared by the tensor-parallel ones. See [`crate::Scenario::experts`].
    pub fn experts(&self) -> ExpertCut {
        let width = self.expert_tensor();
        let sources = (u64::from(self.ep) * u64::from(width) / u64::from(self.tp.max(1))).max(1);
        ExpertCut { ranks: self.ep.into(), width: width.into(), sources }
    }

    /// Ranks that share the matrices of each expert in training: the tensor-parallel ones, unless experts are spread over these.
    ///
    /// # Source
    /// Megatron-LM at d98e8a6: `initialize_model_parallel` of `megatron/core/parallel_state.py`, where `expert_tensor_parallel_size` is `tensor_model_parallel_size` by default; public recipes of
    /// mixtures set 1 (Megatron-Bridge, ms-swift). Read 2026-11-25.
    fn expert_tensor(&self) -> u32 {
        let within = u64::from(self.dp) * u64::from(self.cp);
        let usual = if within.is_multiple_of(u64::from(self.ep.max(1))) { self.tp } else { 1 };
        self.etp.unwrap_or(usual)
    }

    /// Of so many data- and context-parallel ranks those that hold the same experts: the others hold other experts, or other parts of them.
    pub fn expert_replicas(&self, ranks: u64) -> u64 {
        let all = ranks.saturating_mul(u64::from(self.tp));
        (all / (u64::from(self.ep) * u64::from(self.expert_tensor())).max(1)).max(1)
    }

    /// Whether Megatron-LM spreads the experts of a model so: over any of the tensor-, context- and data-parallel ranks.
    pub(crate) fn spreads_in_megatron(&self, shape: &Architecture) -> Result<(), ParallelError> {
        let (ep, etp) = (self.ep, self.expert_tensor());
        bounds::TP.check(etp.into())?;
        if ep == 1 && self.etp.is_none() {
            return Ok(());
        }
        let moe = shape.moe.ok_or(ParallelError::NoExperts)?;
        let [ranks, together] =
            [[self.tp, self.cp, self.dp], [ep, etp, 1]].map(|it| it.into_iter().fold(1, u32::saturating_mul));
        for (degree, ranks, what, count) in [
            ("ep", ep, "experts", moe.experts),
            ("etp", etp, "moe_intermediate_size", moe.intermediate_size),
            ("ep", ep, "tp x cp x dp", ranks),
            ("ep x etp", together, "tp x cp x dp", ranks),
        ] {
            if !count.is_multiple_of(ranks) {
                return Err(ParallelError::DoesNotDivide { degree, ranks, what, count });
            }
        }
        Ok(())
    }

    /// The same, as vLLM cuts them: over all tensor- and data-parallel ranks, whole with expert parallelism and in parts without.
    ///
    /// # Source
    /// vLLM, `FusedMoEParallelConfig.make`; its guide to data-parallel deployment.
    pub fn experts_in_vllm(&self) -> ExpertCut {
        let all = u64::from(self.tp) * u64::from(self.dp);
        let (ranks, width) = if self.ep > 1 { (all, 1) } else { (1, all) };
        ExpertCut { ranks, width, sources: self.dp.into() }
    }

    /// Over how many ranks a sharded state is shared out: those that hold the same weights and see different tokens.
    pub fn shard_ranks(&self) -> u64 {
        u64::from(self.shard.unwrap_or(self.dp)) * u64::from(self.cp)
    }

    /// Over how many ranks `state` is shared out, which ZeRO does from `stage` on.
    pub fn shards_from(&self, stage: ZeroStage) -> u64 {
        let level = |stage| match stage {
            ZeroStage::None => 0,
            ZeroStage::Optimizer => 1,
            ZeroStage::Gradients => 2,
            ZeroStage::Weights => 3,
        };
        if stage != ZeroStage::None && level(self.zero) >= level(stage) { self.shard_ranks() } else { 1 }
    }

    /// Over how many ranks the state of routed experts is shared out: expert parallelism has cut them already.
    pub fn expert_shards_from(&self, stage: ZeroStage) -> u64 {
        if self.shards_from(stage) == 1 { 1 } else { self.expert_replicas(self.shard_ranks()) }
    }

    /// Whether the cut goes with the model.
    ///
    /// # Errors
    /// A degree is outside its range, does not divide what it cuts, or needs more layers, stages or experts than there are.
    pub fn check(&self, shape: &Architecture) -> Result<(), ParallelError> {
        for (bounds, value) in [
            (bounds::DP, self.dp),
            (bounds::TP, self.tp),
            (bounds::PP, self.pp),
            (bounds::CP, self.cp),
            (bounds::EP, self.ep),
            (bounds::VIRTUAL_STAGES, self.virtual_stages),
        ] {
            bounds.check(value.into())?;
        }
        let divides = |degree, ranks: u32, what, count: u32| {
            if count.is_multiple_of(ranks) {
                Ok(())
            } else {
                Err(ParallelError::DoesNotDivide { degree, ranks, what, count })
            }
        };
        divides("tp", self.tp, "heads", shape.heads)?;
        divides("tp", self.tp, "vocab_size", shape.vocab_size)?;
        divides("tp", self.tp, "intermediate_size", shape.intermediate_size)?;
        divides("tp", self.tp, "o_groups", shape.compression.map_or(self.tp, |it| it.groups.into()))?;
        // KV heads are shared out, or each is copied to the same number of ranks.
        if matches!(shape.projection, Projection::Heads) && !shape.kv_heads.is_multiple_of(self.tp) {
            divides("kv_heads", shape.kv_heads, "tp", self.tp)?;
        }
        if let Some(shard) = self.shard {
            bounds::DP.check(shard.into())?;
            divides("shard", shard, "dp", self.dp)?;
        }
        if self.ep > 1 {
            let moe = shape.moe.ok_or(ParallelError::NoExperts)?;
            divides("ep", self.ep, "experts", moe.experts)?;
            divides("ep", self.ep, "dp", self.dp)?;
        }
        let chunks = self.pp * self.virtual_stages;
        // A layout may have stages without layers.
        if chunks > shape.layers && self.split.is_even() {
            return Err(ParallelError::TooFewLayers { chunks, layers: shape.layers });
        }
        if self.stage >= self.pp {
            return Err(ParallelError::NoStage { stage: self.stage, pp: self.pp });
        }
        Ok(())
    }
}

/// What one rank holds of a model: the numbers that stand in its formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// Layers on this pipeline stage.
    pub layers: u64,
    /// Layers of one of its chunks: all of them in a plain schedule.
    pub chunk_layers: u64,
    /// Layers whose activations are held at once, each as often as it is held: see `Parallelism::layers_in_flight`.
    pub layers_in_flight: u64,
    /// Chunks whose activations are held at once: see `Parallelism::chunks_in_flight`.
    pub chunks_in_flight: u64,
    /// Whether the token embedding is here.
    pub embedding: bool,
    /// Whether the output head is here.
    pub head: bool,
    /// Query heads.
    pub heads: u64,
    /// KV heads, at least one.
    pub kv_heads: u64,
    /// Width inside the MLP.
    pub intermediate_size: u64,
    /// Rows of the embedding table and of the head.
    pub vocab_size: u64,
    /// Tokens of one sequence.
    pub seq_length: u64,
}

impl Parallelism {
    /// The same with each expert whole on one rank: expert parallelism over all `tp` × `dp` ranks.
    #[must_use]
    pub const fn with_whole_experts(mut self) -> Self {
        self.ep = self.tp.saturating_mul(self.dp);
        self
    }

    /// The same with Megatron-LM's layout that spreads layers as evenly as it goes ([`Layout::balanced`]), in place of what it was told of its stages.
    pub fn with_balanced_layout(mut self, layers: u32) -> Option<Self> {
        let layout = Layout::balanced(layers, self.pp.checked_mul(self.turns())?)?;
        self.split = PipelineSplit { layout: Some(layout), ..PipelineSplit::default() };
        Some(self)
    }

    /// What the rank that is looked at holds, with so many layers.
    pub(crate) fn local(&self, shape: &Architecture, layers: u32, seq_length: u32, micro_batches: u32) -> Local {
        let layers = u64::from(layers);
        let tp = u64::from(self.tp);
        let [embedding, head] = self.ends();
        Local {
            layers,
            chunk_layers: layers.div_ceil(self.virtual_stages.into()),
            layers_in_flight: layers.div_ceil(self.virtual_stages.into()) * self.chunks_in_flight(micro_batches),
            chunks_in_flight: self.chunks_in_flight(micro_batches),
            embedding,
            head,
            heads: u64::from(shape.heads) / tp,
            kv_heads: (u64::from(shape.kv_heads) / tp).max(1),
            intermediate_size: u64::from(shape.intermediate_size).div_ceil(tp),
            vocab_size: u64::from(shape.vocab_size).div_ceil(tp),
            seq_length: u64::from(seq_length).div_ceil(self.cp.into()),
        }
    }
}
