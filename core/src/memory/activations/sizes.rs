//! The numbers of one rank that stand in the formulas of its activations.

use super::transformers;
use crate::architecture::{Architecture, Norm};
use crate::checked::Checked;
use crate::parallelism::Local;
use crate::scenario::Mode;
use crate::scenario::sharding;
use crate::training::Recipe;
use crate::worked::{Factor, Symbol};

/// What one rank holds, as factors of its formulas.
#[derive(Clone, Copy, Debug)]
pub struct Sizes<'a> {
    /// The whole question.
    pub scenario: &'a Checked,
    /// The model.
    pub shape: &'a Architecture,
    /// The rank's share of it.
    pub local: Local,
    /// Bytes of a value between operations ([`crate::Scenario::value_bytes`]).
    pub e: u64,
    /// Bytes of a value of the residual stream: wider than `e` under autocast.
    pub r: u64,
    /// Whether autocast makes 16-bit copies of fp32 weights and inputs.
    pub autocast: bool,
    /// Whether CUDA kernels run.
    pub cuda: bool,
    /// What learns, and so needs its input in the backward pass.
    pub learns: Learns,
    /// `batch × seq_length`.
    pub tokens: Factor,
    /// The tokens whose residual stream is here: sequence parallelism shares them out.
    pub stream_tokens: Factor,
    /// `hidden_size`.
    pub hidden: Factor,
    /// `heads`.
    pub heads: Factor,
    /// `batch`.
    pub batch: Factor,
    /// `seq_length`.
    pub seq: Factor,
    /// Layers whose activations are held at once.
    pub held: u64,
}

/// Whose input is needed again: that of a weight which learns, or of an adapter beside it. An adapter with a copy of its own does not need it.
#[expect(clippy::struct_excessive_bools, reason = "a set of weights")]
#[derive(Clone, Copy, Debug)]
pub struct Learns {
    /// Norm weights.
    pub norms: bool,
    /// One of queries, keys and values.
    pub attention_in: bool,
    /// The output projection of attention.
    pub attention_out: bool,
    /// The MLP.
    pub mlp: bool,
    /// The output head.
    pub head: bool,
}

impl Learns {
    fn of(scenario: &Checked) -> Self {
        if !scenario.mode.adapts() {
            return Self { norms: true, attention_in: true, attention_out: true, mlp: true, head: true };
        }
        let lora = scenario.training.lora;
        let (targets, kept) = (lora.targets, !transformers::copies_inputs(scenario));
        Self {
            norms: false,
            attention_in: kept && (targets.q || targets.k || targets.v),
            attention_out: kept && targets.o,
            mlp: kept && targets.mlp,
            head: kept && targets.head,
        }
    }
}

impl<'a> Sizes<'a> {
    /// Those of the rank that `scenario` looks at.
    pub fn of(scenario: &'a Checked) -> Self {
        let local = scenario.local();
        // Weights that FSDP gathers in 16 bits leave autocast nothing to cast, but for LayerNorm, which it computes in fp32.
        let cast = sharding::fsdp(scenario) && scenario.architecture.norm == Norm::RmsNorm;
        let autocast = scenario.mode == Mode::Training && scenario.recipe() == Recipe::Autocast && !cast;
        let e = scenario.value_bytes();
        let tokens = u64::from(scenario.batch) * local.seq_length;
        let sharing = if scenario.parallel.sequence_parallel { scenario.parallel.tp } else { 1 };
        Self {
            scenario,
            shape: &scenario.architecture,
            local,
            e,
            r: if autocast { 4 } else { e },
            autocast,
            cuda: !scenario.training.stock.cpu,
            learns: Learns::of(scenario),
            tokens: Factor::new(Symbol::Tokens, tokens),
            stream_tokens: Factor::new(Symbol::Tokens, tokens.div_ceil(sharing.into())),
            hidden: Factor::new(Symbol::HiddenSize, scenario.architecture.hidden_size.into()),
            heads: Factor::new(Symbol::Heads, local.heads),
            batch: Factor::new(Symbol::Batch, scenario.batch.into()),
            seq: Factor::new(Symbol::SeqLength, local.seq_length),
            held: local.chunk_layers * local.chunks_in_flight,
        }
    }

    /// A width inside an MLP, cut over tensor-parallel ranks.
    pub fn width(&self, intermediate_size: u32) -> Factor {
        let cut = u64::from(intermediate_size).div_ceil(self.scenario.parallel.tp.into());
        Factor::new(Symbol::IntermediateSize, cut)
    }

    /// Whether layers that see the whole context have a mask tensor: padding brings one.
    pub fn masked(&self) -> bool {
        self.scenario.training.stock.padding
    }

    /// Whether layers with a sliding window have one: a window shorter than the sequence brings one.
    pub fn masked_window(&self) -> bool {
        self.masked() || self.shape.sliding_window.is_some_and(|sliding| self.scenario.seq_length > sliding.window)
    }
}

/// How many of some layers are of each kind; models mix kinds of attention and kinds of MLP independently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds {
    /// All of them.
    pub layers: u64,
    /// Attention over the whole context.
    pub full: u64,
    /// Attention over a window.
    pub sliding: u64,
    /// Linear attention or a state-space model.
    pub linear: u64,
    /// A dense MLP.
    pub dense: u64,
    /// A mixture of experts.
    pub moe: u64,
}

impl Kinds {
    /// The kinds of `layers` layers, spread as in the whole model.
    pub fn of(shape: &Architecture, layers: u64) -> Self {
        let all = u64::from(shape.layers).max(1);
        let spread = |count: u32| if layers == all { u64::from(count) } else { u64::from(count) * layers / all };
        let sliding = shape.sliding_window.map_or(0, |it| spread(it.layers));
        let linear = shape.linear_attention.map_or(0, |it| spread(it.layers));
        let [mlps, moe] = [shape.mlps(), shape.moe_layers()].map(spread);
        let alone = spread(shape.mlp_layers);
        let attending = layers.saturating_sub(sliding + alone);
        let full = if shape.states_beside_attention { attending } else { attending.saturating_sub(linear) };
        Self { layers, full, sliding, linear, dense: mlps - moe, moe }
    }

    /// One layer of each kind that there is, with that kind alone.
    pub fn each(&self) -> impl Iterator<Item = Self> {
        let [full, sliding, linear] = [self.full, self.sliding, self.linear].map(|count| count.min(1));
        let [dense, moe] = [self.dense, self.moe].map(|count| count.min(1));
        let beside = if self.beside() { linear } else { 0 };
        let attention = [[full, 0, beside], [0, sliding, beside], [0, 0, linear], [0; 3]];
        let both = attention.into_iter().flat_map(move |[full, sliding, linear]| {
            [[dense, 0], [0, moe], [0; 2]].map(move |[dense, moe]| Self {
                layers: 1,
                full,
                sliding,
                linear,
                dense,
                moe,
            })
        });
        let whole = *self;
        both.filter(move |kind| whole.has_one(kind))
    }

    /// One layer of the only kind that there is; `None` where there are several.
    pub fn only(&self) -> Option<Self> {
        let [full, sliding, linear] = [self.full, self.sliding, self.linear].map(|count| count.min(1));
        let [dense, moe] = [self.dense, self.moe].map(|count| count.min(1));
        let one = Self { layers: 1, full, sliding, linear, dense, moe };
        self.has_one(&one).then_some(one)
    }

    /// Whether layers with a state attend too.
    const fn beside(&self) -> bool {
        self.full + self.sliding + self.linear > self.layers
    }

    /// Whether `it` is one kind of attention and one of MLP, or one of the two where MLPs stand in layers of their own.
    const fn has_one(&self, it: &Self) -> bool {
        let states = if self.beside() { 0 } else { it.linear };
        let [attention, mlp] = [it.full + it.sliding + states, it.dense + it.moe];
        let alone = self.full + self.sliding + self.linear < self.layers;
        if alone { attention + mlp == 1 } else { attention == 1 && mlp == 1 }
    }
}
