//! What a model does in one pass: every operation of a prefill, of one decoding step, of a training step, with its FLOPs and its bytes.

use super::Work;
use super::lister::Lister;
use crate::architecture::{Moe, touched};
use crate::checked::Checked;
use crate::scenario::{Mode, Scenario};
use crate::serving::Engine;
use crate::tables::gpus::Gpu;

choices! {
    /// One way of going through a model.
    Pass {
        /// The prompt is read: all tokens at once, and the first token of the answer comes out.
        Prefill = "prefill";
        /// One more token for each sequence, with the cache of all before.
        Decode = "decode";
        /// Forward, backward and the optimizer's step.
        Training = "training";
    }
}

impl Pass {
    /// The passes that a mode makes.
    pub const fn of(mode: Mode) -> &'static [Self] {
        match mode {
            Mode::Inference => &[Self::Prefill, Self::Decode],
            _ => &[Self::Training],
        }
    }
}

choices! {
    /// How the small operations between the large ones run.
    Kernels {
        /// In the kernels of their neighbours, as compilers and serving programs fuse them.
        Fused = "fused";
        /// Each as a kernel of its own, which reads its input from memory and writes its output there.
        Separate = "separate";
    }
}

impl Kernels {
    /// How the scenario's program runs them: stock transformers and llama.cpp mostly one by one, without `torch.compile`.
    pub const fn of(scenario: &Scenario) -> Self {
        let separate = match scenario.mode {
            Mode::Inference => matches!(scenario.serving.engine, Engine::Hf | Engine::LlamaCpp),
            _ => !scenario.training.compile,
        };
        if separate { Self::Separate } else { Self::Fused }
    }
}

choices! {
    /// Which experts of a mixture the tokens of a batch visit.
    Routing {
        /// Each token others, at random: E·(1 − (1 − k/E)^tokens) of E are read.
        Uniform = "uniform";
        /// All tokens the same k: the least that can be read. Real routing lies between the two.
        Concentrated = "concentrated";
    }
}

choices! {
    /// What an operation is for.
    Task {
        /// Rows of the embedding table are looked up.
        Embedding = "embedding";
        /// Norms; where kernels are fused, with the residual additions.
        Norm = "norm";
        /// Queries, keys and values are made.
        QkvProjection = "qkv_projection";
        /// Queries and keys are rotated.
        Rotary = "rotary";
        /// Attention over the whole context.
        Attention = "attention";
        /// An indexer scores every token before, and picks those that attention reads.
        Indexer = "indexer";
        /// Softmax of scores that are written out.
        Softmax = "softmax";
        /// Attention within a sliding window.
        WindowAttention = "window_attention";
        /// A state is read, brought up to date and written.
        LinearState = "linear_state";
        /// The output projection of attention.
        OutputProjection = "output_projection";
        /// Residual additions as kernels of their own.
        Residual = "residual";
        /// Up and gate of the MLP.
        MlpUp = "mlp_up";
        /// Activation function and gate as kernels of their own.
        Activation = "activation";
        /// Down of the MLP.
        MlpDown = "mlp_down";
        /// Scores of the experts.
        Router = "router";
        /// Tokens are laid out by expert, and their results added up, as kernels of their own.
        Dispatch = "dispatch";
        /// Up and gate of the routed experts.
        ExpertsUp = "experts_up";
        /// Down of the routed experts.
        ExpertsDown = "experts_down";
        /// Experts that every token visits.
        SharedExperts = "shared_experts";
        /// Biases as kernels of their own.
        Bias = "bias";
        /// Activations are quantised for a multiplication in integers.
        Quantise = "quantise";
        /// Frozen weights are unpacked into 16 bits.
        Dequantise = "dequantise";
        /// The output head.
        OutputHead = "output_head";
        /// The loss over the vocabulary.
        Loss = "loss";
        /// The optimizer's step.
        OptimizerStep = "optimizer_step";
        /// Tensor-parallel ranks add up their parts.
        AllReduce = "all_reduce";
        /// The adapters' own thin matrices.
        Adapters = "adapters";
        /// Tokens travel to experts on other GPUs and back.
        AllToAll = "all_to_all";
        /// Activations go to the next pipeline stage.
        StageLink = "stage_link";
    }
}

choices! {
    /// When in a training step.
    Direction {
        /// On the way to the loss.
        Forward = "forward";
        /// On the way back.
        Backward = "backward";
        /// Forward once more, because the result was not kept.
        Recompute = "recompute";
    }
}

/// What an operation runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Matrix units, at the precision of [`super::multiplies_in`].
    Matrix,
    /// Matrix units in 16 bits (or TF32), for matrices that a format below 16 bits leaves as they are.
    Wide,
    /// Matrix units, at the precision of the KV cache: fp8 if that is, 16 bits otherwise.
    Attention,
    /// Vector units, in fp32.
    Vector,
    /// The links to other GPUs: `work.written` is what one GPU sends; [`Task`] says over which.
    Link,
}

/// One operation, and how often it occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What it is for.
    pub task: Task,
    /// When.
    pub direction: Direction,
    /// How many like this.
    pub times: u64,
    /// What one of them does, counting every tensor that it touches.
    pub work: Work,
    /// Bytes of `work` that can stay in the GPU's caches from one kernel to the next, and so need not cross to memory.
    pub kept: u128,
    /// Bytes of `work` that are weights.
    pub weights: u128,
    /// FLOPs that the model itself asks for: without recomputation, and of masked pairs none.
    pub model_flops: u128,
    /// What it runs on.
    pub unit: Unit,
}

impl Operation {
    /// Bytes of one that have to cross to memory.
    pub const fn moved(&self) -> u128 {
        (self.work.read + self.work.written).saturating_sub(self.kept)
    }
}

/// A pass to list.
#[derive(Clone, Copy, Debug)]
pub struct Listing<'a> {
    /// The run.
    pub scenario: &'a Checked,
    /// The GPU.
    pub gpu: &'a Gpu,
    /// The pass.
    pub pass: Pass,
    /// How small operations run.
    pub kernels: Kernels,
    /// Which experts are visited.
    pub routing: Routing,
}

impl<'a> Listing<'a> {
    /// A pass as the scenario's program runs it.
    pub fn new(scenario: &'a Checked, gpu: &'a Gpu, pass: Pass) -> Self {
        Self { scenario, gpu, pass, kernels: Kernels::of(scenario), routing: Routing::Uniform }
    }

    /// Calls `sink` with every operation of one rank: in a pipeline, of the stage that the scenario looks at.
    ///
    /// # Formula
    /// A matrix of n parameters takes 2·n FLOPs a token, 4·n more in the backward pass that learns it and 2·n in one that only passes through; attention takes 4 FLOPs for each value of a query and each pair of tokens
    /// that the mask leaves, and 10 in the backward pass. Weights are read once a chunk of the prompt, once a step of generation, twice a micro-batch. The embedding table is looked up, not read.
    /// The output head runs for the last token of a prompt only. Of E experts of which a token visits k, T tokens read E·(1 − (1 − k/E)^T).
    ///
    /// # Units
    /// FLOPs and bytes of one rank.
    ///
    /// # Assumes
    /// Activations of fused kernels in inference never leave the caches, since a prompt can be read in pieces that fit; elsewhere those that fit stay there.
    /// Weights and KV cache always come from memory. Matrices that a format leaves wide are multiplied in 16 bits, and attention in those of its cache. Context-parallel ranks share the pairs of tokens out evenly.
    /// Where a program reads a prompt in chunks, its cache is read once, not once a chunk. A step of a state-space layer takes 6 FLOPs a value of its state.
    ///
    /// # Source
    /// Shapes of the models' modules; Dao et al. 2022 (attention in one kernel); Korthikanti et al. 2022 (recomputation).
    pub fn each(&self, sink: &mut dyn FnMut(&Operation)) {
        let mut lister = Lister::of(self, sink);
        lister.list();
    }
}

/// Experts that a number of tokens visit, each choosing at random: E·(1 − (1 − k/E)^tokens).
///
/// ```
/// use memory_wall_core::{architecture::Moe, roofline::operations::visited};
/// let mixtral = Moe::of(8, 2, 14_336);
/// assert!((visited(&mixtral, 1) - 2.0).abs() < 1e-12);
/// assert!((visited(&mixtral, 16) - 7.92).abs() < 0.01);
/// ```
pub fn visited(moe: &Moe, tokens: u64) -> f64 {
    let share = f64::from(moe.experts_per_token) / f64::from(moe.experts.max(1));
    f64::from(moe.experts) * touched(share, tokens)
}
