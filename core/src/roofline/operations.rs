//! What a model does in one pass: every operation of a prefill, of one decoding step, of a training step, with its FLOPs and its bytes.

use super::{Work, multiplies_in};
use crate::architecture::{LayerKinds, LinearAttention, Moe, Positions, Projection, SlidingWindow};
use crate::memory::{Bucket, gradients, kv_cache, weights};
use crate::parallelism::ZeroStage;
use crate::parameters::Parameters;
use crate::precision::{Block, ComputePrecision};
use crate::scenario::{Attention, Mode, Scenario};
use crate::serving::Engine;
use crate::tables::gpus::Gpu;
use crate::training::{Checkpointing, Loss};
use crate::worked::{self, Item};

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
        /// Tokens travel to experts on other cards and back.
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
    /// Matrix units, at the precision of [`multiplies_in`].
    Matrix,
    /// Vector units, in fp32.
    Vector,
    /// The links to other cards: `work.written` is what one card sends.
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
    /// Bytes of `work` that can stay in the card's caches from one kernel to the next, and so need not cross to memory.
    pub kept: u128,
    /// Bytes of `work` that are weights.
    pub weights: u128,
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
    pub scenario: &'a Scenario,
    /// The card.
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
    pub const fn new(scenario: &'a Scenario, gpu: &'a Gpu, pass: Pass) -> Self {
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
    /// Activations that fit in the card's caches stay there between two kernels; weights and KV cache never do. Context-parallel ranks share the pairs of tokens out evenly.
    /// Where a program reads a prompt in chunks, its cache is read once, not once a chunk. A step of a state-space layer takes 6 FLOPs a value of its state.
    ///
    /// # Source
    /// Shapes of the models' modules; Dao et al. 2022 (attention in one kernel); Korthikanti et al. 2022 (recomputation).
    pub fn each(&self, sink: &mut dyn FnMut(&Operation)) {
        let mut lister = Lister::of(self, sink);
        lister.list();
    }
}

/// Bytes of 32 activations that llama.cpp quantises, with their scales.
const QUANTISED: (u128, u128) = (36, 32);
/// FLOPs of a value of a state for each token: decay, what is read, what is added, what comes out.
const STATE_FLOPS: u128 = 6;
/// FLOPs of AdamW and the like for each parameter.
const STEP_FLOPS: u128 = 14;

/// What stands in an operation besides its activations.
#[derive(Clone, Copy)]
enum Form {
    /// So many parameters, of which a token meets some, read as so many bytes.
    Matrix { flops: u128, weights: u128, learned: u128 },
    /// FLOPs, and bytes read and written that no cache keeps.
    Scores { flops: u128, cache: u128 },
    /// FLOPs of vector units.
    Vector { flops: u128, parameters: u128 },
}

struct Lister<'a, 'b> {
    it: &'b Listing<'a>,
    sink: &'b mut dyn FnMut(&Operation),
    /// Tokens of one forward pass on this rank.
    tokens: u64,
    /// Parts that these are read in.
    chunks: u64,
    /// Bytes of an activation.
    act: u128,
    /// Bytes that the card's caches hold; without a figure, enough for anything.
    cache: u128,
    /// Matrix multiplications listed, for checkpointing that recomputes every second one.
    matrices: u32,
}

impl<'a, 'b> Lister<'a, 'b> {
    fn of(it: &'b Listing<'a>, sink: &'b mut dyn FnMut(&Operation)) -> Self {
        let scenario = it.scenario;
        let batch = u64::from(scenario.batch);
        let tokens = match it.pass {
            Pass::Decode => batch,
            Pass::Prefill | Pass::Training => {
                (batch * u64::from(scenario.seq_length)).div_ceil(scenario.parallel.cp.into())
            }
        };
        let at_once = match (it.pass, scenario.serving.engine) {
            (Pass::Prefill, Engine::Vllm | Engine::LlamaCpp) => scenario.serving.max_num_batched_tokens.into(),
            _ => u64::MAX,
        };
        let small = matches!(multiplies_in(scenario, it.gpu).0, ComputePrecision::Fp8 | ComputePrecision::Fp4);
        let act = match (scenario.mode, scenario.serving.engine) {
            (Mode::Inference, Engine::LlamaCpp) => 4,
            // What is multiplied in 8 bits or fewer may be handed on in 8.
            _ if small => 1,
            _ => scenario.activation_bytes().into(),
        };
        let cache = it.gpu.cache().map_or(u128::MAX, |bytes| bytes.0);
        Self { it, sink, tokens, chunks: tokens.div_ceil(at_once).max(1), act, cache, matrices: 0 }
    }

    fn training(&self) -> bool {
        self.it.pass == Pass::Training
    }

    fn separate(&self) -> bool {
        self.it.kernels == Kernels::Separate
    }

    /// Whether matrices are multiplied as 8-bit integers, for which activations are quantised first.
    fn quantises(&self) -> bool {
        let scenario = self.it.scenario;
        scenario.mode == Mode::Inference && scenario.serving.engine == Engine::LlamaCpp && !scenario.weights.trainable()
    }

    /// Bytes of activations of this width for every token, and how many of them can stay in the caches.
    fn tensor(&self, width: u128) -> [u128; 2] {
        self.sized(u128::from(self.tokens) * width * self.act)
    }

    fn sized(&self, bytes: u128) -> [u128; 2] {
        let chunks = u128::from(self.chunks);
        [bytes, bytes.min(self.cache.saturating_mul(chunks))]
    }

    fn sum(&self, widths: &[u128]) -> [u128; 2] {
        widths.iter().map(|&width| self.tensor(width)).fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]])
    }

    fn put(
        &mut self,
        task: Task,
        direction: Direction,
        times: u64,
        work: Work,
        [kept, weights]: [u128; 2],
        unit: Unit,
    ) {
        let times = times
            * if self.training() && task != Task::OptimizerStep {
                self.it.scenario.training.micro_batches.into()
            } else {
                1
            };
        if times > 0 && work != Work::default() {
            (self.sink)(&Operation { task, direction, times, work, kept, weights, unit });
        }
    }

    /// An operation with the widths of what it reads and writes, forward and, in training, back.
    fn add(&mut self, task: Task, times: u64, form: Form, inputs: &[u128], outputs: &[u128]) {
        if times == 0 {
            return;
        }
        let ([read, kept_in], [written, kept_out]) = (self.sum(inputs), self.sum(outputs));
        let kept = kept_in + kept_out;
        let (unit, flops, fixed, weights) = match form {
            Form::Matrix { flops, weights, .. } => (Unit::Matrix, flops, weights, weights),
            Form::Scores { flops, cache } => (Unit::Matrix, flops, cache, 0),
            Form::Vector { flops, parameters } => (Unit::Vector, flops, parameters, parameters),
        };
        let work = Work { flops, read: read + fixed, written };
        self.put(task, Direction::Forward, times, work, [kept, weights], unit);
        if !self.training() {
            return;
        }
        if self.recomputes(task, &form) {
            self.put(task, Direction::Recompute, times, work, [kept, weights], unit);
        }
        match form {
            Form::Matrix { flops, weights, learned } => {
                // Gradients of the input: from those of the output, through the weights.
                let back = Work { flops, read: written + weights, written: read };
                self.put(task, Direction::Backward, times, back, [kept, weights], unit);
                if self.it.scenario.mode == Mode::Training {
                    // Gradients of the weights: from the input and the gradients of the output.
                    let learn = Work { flops, read: written + read, written: learned };
                    self.put(task, Direction::Backward, times, learn, [kept, 0], unit);
                }
            }
            Form::Scores { flops, .. } => {
                // Five products in place of two; what went in comes in again with the output's gradients, and leaves as gradients.
                let back = Work { flops: flops / 2 * 5, read: read + 2 * written, written: read };
                self.put(task, Direction::Backward, times, back, [2 * kept_in + 2 * kept_out, 0], unit);
            }
            Form::Vector { flops, parameters } => {
                let back = Work { flops: 2 * flops, read: read + written + parameters, written: read };
                self.put(task, Direction::Backward, times, back, [2 * kept_in + kept_out, parameters], unit);
            }
        }
    }

    fn recomputes(&mut self, task: Task, form: &Form) -> bool {
        let outside = matches!(task, Task::Embedding | Task::OutputHead | Task::Loss);
        let is_matrix = matches!(form, Form::Matrix { .. });
        self.matrices += u32::from(is_matrix);
        match self.it.scenario.checkpointing {
            _ if outside => false,
            Checkpointing::None => false,
            Checkpointing::Selective => {
                self.it.scenario.attention == Attention::Eager
                    && (task == Task::Softmax || matches!(form, Form::Scores { .. }))
            }
            Checkpointing::PerOp => {
                !matches!(form, Form::Scores { .. }) && (!is_matrix || self.matrices.is_multiple_of(2))
            }
            Checkpointing::Full => true,
        }
    }

    /// A matrix of so many parameters in the layout of its kind, through which every token passes.
    fn matrix(&mut self, task: Task, times: u64, parameters: u64, item: Item, [input, output]: [u128; 2]) {
        let layout = self.layout(item);
        let flops = 2 * u128::from(parameters) * u128::from(self.tokens);
        self.matrix_with(task, times, flops, parameters.into(), layout, [input, output]);
    }

    fn matrix_with(
        &mut self,
        task: Task,
        times: u64,
        flops: u128,
        parameters: u128,
        layout: Block,
        [input, output]: [u128; 2],
    ) {
        let scenario = self.it.scenario;
        let stored = bytes_of(parameters, layout) * u128::from(self.chunks);
        let mut weights = stored;
        if scenario.mode == Mode::Qlora && layout.values > 1 {
            // Unpacked in 16 bits, forward and back, and read from there.
            weights = 2 * parameters;
            let unpacked = Work { flops: parameters, read: stored, written: weights };
            self.put(Task::Dequantise, Direction::Forward, times, unpacked, [0, stored], Unit::Vector);
            self.put(Task::Dequantise, Direction::Backward, times, unpacked, [0, stored], Unit::Vector);
        }
        let learned = parameters * u128::from(gradients::bytes_each(scenario));
        let form = Form::Matrix { flops, weights, learned };
        if self.quantises() {
            let (bytes, values) = QUANTISED;
            let [read, kept] = self.tensor(input);
            let [written, also_kept] = self.sized((read / self.act * bytes).div_ceil(values));
            let work = Work { flops: read, read, written };
            self.put(Task::Quantise, Direction::Forward, times, work, [kept + also_kept, 0], Unit::Vector);
            // Read as quantised.
            self.add(task, times, form, &[(input * bytes).div_ceil(values * self.act)], &[output]);
        } else {
            self.add(task, times, form, &[input], &[output]);
        }
    }

    fn layout(&self, item: Item) -> Block {
        weights::layout(self.it.scenario, item, self.it.scenario.architecture.moe.is_some())
    }

    /// A vector operation on every token.
    fn vector(&mut self, task: Task, times: u64, flops_a_value: u128, width: u128, inputs: &[u128], outputs: &[u128]) {
        let flops = flops_a_value * width * u128::from(self.tokens);
        self.add(task, times, Form::Vector { flops, parameters: 0 }, inputs, outputs);
    }

    fn list(&mut self) {
        let scenario = self.it.scenario;
        let shape = &scenario.architecture;
        let local = scenario.local();
        let (start, end) = scenario.layers_here();
        let LayerKinds { full, sliding, linear } = shape.kinds_between(start, end);
        let first_moe = shape.layers - shape.moe_layers();
        let dense = end.min(first_moe).saturating_sub(start);
        if local.embedding {
            self.embedding();
        }
        self.norms(u64::from(end - start));
        self.attention(full.into(), None);
        if let Some(window) = shape.sliding_window {
            self.attention(sliding.into(), Some(window));
        }
        if let Some(it) = shape.linear_attention {
            self.linear(linear.into(), &it);
        }
        self.dense_mlp(dense.into());
        if let Some(moe) = shape.moe {
            self.mixture(u64::from(end - start - dense), &moe);
        }
        if local.head {
            self.head();
        } else {
            let sent = u128::from(self.tokens) * u128::from(shape.hidden_size) * self.act;
            let both = if self.training() { 2 } else { 1 };
            let work = Work { flops: 0, read: 0, written: sent };
            self.put(Task::StageLink, Direction::Forward, both, work, [sent, 0], Unit::Link);
        }
        if self.training() {
            self.step();
        }
    }

    fn embedding(&mut self) {
        let shape = &self.it.scenario.architecture;
        let h = u128::from(shape.hidden_size);
        let rows = u128::from(self.tokens);
        let tables = if matches!(shape.positions, Positions::Learned(_)) { 2 } else { 1 };
        let table = bytes_of(h, self.layout(Item::EmbeddingTable));
        let [written, kept] = self.tensor(h);
        let work = Work { flops: (tables - 1) * rows * h, read: rows * (tables * table + 4), written };
        self.put(Task::Embedding, Direction::Forward, 1, work, [kept, 0], Unit::Vector);
        if self.training() && self.it.scenario.mode == Mode::Training {
            // Gradients are added to the rows.
            let bytes = rows * h * u128::from(gradients::bytes_each(self.it.scenario));
            let back = Work { flops: rows * h, read: written + bytes, written: bytes };
            self.put(Task::Embedding, Direction::Backward, 1, back, [kept, 0], Unit::Vector);
        }
    }

    fn norms(&mut self, layers: u64) {
        let shape = &self.it.scenario.architecture;
        let (start, end) = self.it.scenario.layers_here();
        let h = u128::from(shape.hidden_size);
        let count = u64::from(shape.norms_per_layer);
        // Norms and biases of these layers are read here, in one place.
        let vectors = u128::from(shape.parameters_of(&self.it.scenario.parallel, (start, end)).vectors);
        let bytes = bytes_of(vectors, self.layout(Item::NormsAndBiases)) * u128::from(self.chunks);
        let parameters = bytes / u128::from((layers * count).max(1));
        let flops = 4 * h * u128::from(self.tokens);
        if self.separate() {
            self.add(Task::Norm, layers * count, Form::Vector { flops, parameters }, &[h], &[h]);
            let additions = if shape.parallel_residual { 1 } else { 2 };
            self.vector(Task::Residual, layers * additions, 1, h, &[h, h], &[h]);
        } else {
            self.add(Task::Norm, layers * count, Form::Vector { flops: flops / 4 * 5, parameters }, &[h, h], &[h, h]);
        }
    }

    /// Pairs of a query and a key that are computed, over all sequences, on this rank.
    fn pairs(&self, window: Option<u32>, causal: bool) -> u128 {
        let scenario = self.it.scenario;
        let s = u128::from(scenario.seq_length);
        let w = window.map_or(s, |window| s.min(window.into()));
        let each = match self.it.pass {
            Pass::Decode => w,
            _ if !causal => s * s,
            // The first w tokens see all before them, the others w each.
            _ => w * (w + 1) / 2 + (s - w) * w,
        };
        (each * u128::from(scenario.batch)).div_ceil(scenario.parallel.cp.into())
    }

    fn attention(&mut self, layers: u64, window: Option<SlidingWindow>) {
        if layers == 0 {
            return;
        }
        let scenario = self.it.scenario;
        let shape = &scenario.architecture;
        let tp = u64::from(scenario.parallel.tp);
        let heads = u64::from(shape.heads) / tp;
        let [kv_heads, head_dim] = window.map_or([shape.kv_heads, shape.head_dim], |it| {
            [it.kv_heads.unwrap_or(shape.kv_heads), it.head_dim.unwrap_or(shape.head_dim)]
        });
        let matrices = shape.attention(kv_heads, head_dim, tp).matrices;
        let h = u64::from(shape.hidden_size);
        // Width of queries, of keys and values, of what comes out; FLOPs of a pair.
        let (q, kv, out, per_pair) = match shape.projection {
            Projection::Heads => {
                let (q, kv) = (heads * u64::from(head_dim), 2 * u64::from(kv_heads).div_ceil(tp) * u64::from(head_dim));
                (q, kv, q, 4 * q)
            }
            Projection::Latent(latent) => {
                let [rank, rope, nope, v] =
                    [latent.kv_lora_rank, latent.rope_dim, latent.nope_dim, latent.v_dim].map(u64::from);
                // With a cache the products are taken with the latent vector itself; a whole prompt is unpacked.
                let per_pair = match self.it.pass {
                    Pass::Decode => 2 * heads * (2 * rank + rope),
                    _ => 2 * heads * (nope + rope + v),
                };
                (heads * (nope + rope), rank + rope, heads * v, per_pair)
            }
        };
        let gate = if shape.gated_attention { q } else { 0 };
        let output = h * out;
        let [q, kv, out, h] = [q, kv, out, h].map(u128::from);
        self.matrix(
            Task::QkvProjection,
            layers,
            matrices - u64::try_from(h * out).unwrap_or(output),
            Item::LayerMatrices,
            [h, q + kv + u128::from(gate)],
        );
        if self.separate() && matches!(shape.positions, Positions::Rotary) {
            self.vector(Task::Rotary, layers, 3, q + kv / 2, &[q + kv / 2], &[q + kv / 2]);
        }
        let task = if window.is_some() { Task::WindowAttention } else { Task::Attention };
        let eager = scenario.attention == Attention::Eager;
        let pairs = self.pairs(window.map(|it| it.window), !eager);
        let flops = u128::from(per_pair) * pairs;
        let cached = if self.it.pass == Pass::Decode { self.cache_of_layer(window) } else { 0 };
        let keys = if self.it.pass == Pass::Decode { 0 } else { kv };
        if eager {
            // Scores and probabilities, written and read.
            let scores = pairs * u128::from(heads) * self.act;
            let [bytes, kept] = self.sized(scores);
            let moved = bytes - kept;
            self.add(task, layers, Form::Scores { flops, cache: cached + 2 * moved }, &[q, keys], &[out]);
            let softmax = Form::Vector { flops: 5 * pairs * u128::from(heads), parameters: 0 };
            let width = scores / (u128::from(self.tokens).max(1) * self.act);
            self.add(Task::Softmax, layers, softmax, &[width], &[width]);
        } else {
            self.add(task, layers, Form::Scores { flops, cache: cached }, &[q, keys], &[out]);
        }
        self.matrix(Task::OutputProjection, layers, output, Item::LayerMatrices, [out, h]);
        self.all_reduce(layers);
    }

    /// What one layer of this kind reads of its cache in a decoding step, for all sequences.
    fn cache_of_layer(&self, window: Option<SlidingWindow>) -> u128 {
        let scenario = self.it.scenario;
        let tokens = kv_cache::tokens(scenario);
        let tokens = window.map_or(tokens, |it| tokens.min(it.window.into()));
        let values =
            u128::from(kv_cache::values_per_token(scenario, window)) * u128::from(tokens) * u128::from(scenario.batch);
        bytes_of(values, scenario.kv.block())
    }

    fn linear(&mut self, layers: u64, it: &LinearAttention) {
        let scenario = self.it.scenario;
        let shape = &scenario.architecture;
        let tp = u64::from(scenario.parallel.tp);
        let matrices = shape.linear(it, tp).matrices;
        let [key_heads, value_heads] = [it.key_heads, it.value_heads].map(|heads| u64::from(heads).div_ceil(tp));
        let [keys, values] = [key_heads * u64::from(it.key_dim), value_heads * u64::from(it.value_dim)];
        let h = u64::from(shape.hidden_size);
        let output = values * h;
        let width = u128::from(2 * keys + 2 * values);
        let [wide, h] = [values, h].map(u128::from);
        self.matrix(Task::QkvProjection, layers, matrices - output, Item::LayerMatrices, [h, width]);
        let state = u128::from(value_heads) * u128::from(it.key_dim) * u128::from(it.value_dim);
        let flops = STATE_FLOPS * state * u128::from(self.tokens);
        let sequences = u128::from(scenario.batch);
        let bytes = kv_cache::state_bytes(scenario) * sequences;
        if self.it.pass == Pass::Decode {
            let work = Work { flops, read: bytes, written: bytes };
            self.put(Task::LinearState, Direction::Forward, layers, work, [0, 0], Unit::Vector);
        } else {
            self.add(Task::LinearState, layers, Form::Scores { flops, cache: bytes }, &[width], &[wide]);
        }
        self.matrix(Task::OutputProjection, layers, output, Item::LayerMatrices, [wide, h]);
        self.all_reduce(layers);
    }

    fn dense_mlp(&mut self, layers: u64) {
        let scenario = self.it.scenario;
        let shape = &scenario.architecture;
        let Parameters { matrices, .. } = shape.dense_mlp(shape.intermediate_size.into(), scenario.parallel.tp.into());
        let f = scenario.local().intermediate_size;
        self.mlp([Task::MlpUp, Task::MlpDown], layers, matrices, f, Item::LayerMatrices);
        if !shape.parallel_residual {
            self.all_reduce(layers);
        }
    }

    /// Up and down of an MLP of `matrices` parameters and width `f`.
    fn mlp(&mut self, [up, down]: [Task; 2], layers: u64, matrices: u64, f: u64, item: Item) {
        let shape = &self.it.scenario.architecture;
        let gates = u128::from(shape.mlp.matrices() - 1);
        let narrow = matrices / shape.mlp.matrices();
        let [h, f] = [u64::from(shape.hidden_size), f].map(u128::from);
        let wide = if self.separate() { gates * f } else { f };
        self.matrix(up, layers, matrices - narrow, item, [h, wide]);
        if self.separate() {
            self.vector(Task::Activation, layers, 5, f, &[wide], &[f]);
        }
        self.matrix(down, layers, narrow, item, [f, h]);
    }

    fn mixture(&mut self, layers: u64, moe: &Moe) {
        if layers == 0 {
            return;
        }
        let scenario = self.it.scenario;
        let shape = &scenario.architecture;
        let [tp, ep] = [scenario.parallel.tp, scenario.parallel.ep].map(u64::from);
        let parts = shape.mixture(moe, tp, ep);
        let [h, k, e] = [shape.hidden_size, moe.experts_per_token, moe.experts].map(u128::from);
        self.matrix(Task::Router, layers, parts.routers, Item::Routers, [h, e]);
        if parts.matrices > 0 {
            let f = u64::from(moe.shared_intermediate_size).div_ceil(tp);
            self.mlp([Task::SharedExperts, Task::SharedExperts], layers, parts.matrices, f, Item::LayerMatrices);
        }
        // Tokens of all expert-parallel ranks come here, each for its part of the experts.
        let here = u64::from(moe.experts).div_ceil(ep);
        let tokens = (self.tokens / self.chunks).max(1) * ep;
        let one = parts.experts / here.max(1);
        let visited = match self.it.routing {
            Routing::Uniform => visited(moe, tokens) / ep as f64,
            Routing::Concentrated => (f64::from(moe.experts_per_token) / ep as f64).max(1.0).min(here as f64),
        };
        // Whole parameters: fractions of an expert are an average.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between one expert and all")]
        let read = (visited * one as f64) as u128;
        let each_token = k * u128::from(one);
        let narrow = |parameters: u128| parameters / u128::from(shape.mlp.matrices());
        let layout = self.layout(Item::Experts);
        let f = u128::from(u64::from(moe.intermediate_size).div_ceil(tp));
        let gates = u128::from(shape.mlp.matrices() - 1);
        let flops = |parameters: u128| 2 * parameters * u128::from(self.tokens);
        let [up_flops, down_flops] = [flops(each_token - narrow(each_token)), flops(narrow(each_token))];
        if self.separate() {
            self.vector(Task::Dispatch, layers, 0, h, &[h], &[k * h]);
            self.matrix_with(Task::ExpertsUp, layers, up_flops, read - narrow(read), layout, [k * h, k * gates * f]);
            self.vector(Task::Activation, layers, 5, k * f, &[k * gates * f], &[k * f]);
            self.matrix_with(Task::ExpertsDown, layers, down_flops, narrow(read), layout, [k * f, k * h]);
            self.vector(Task::Dispatch, layers, 2, k * h, &[k * h], &[h]);
        } else {
            self.matrix_with(Task::ExpertsUp, layers, up_flops, read - narrow(read), layout, [h, k * f]);
            self.matrix_with(Task::ExpertsDown, layers, down_flops, narrow(read), layout, [k * f, h]);
        }
        if ep > 1 {
            // There and back: what goes to other cards of the tokens' copies.
            let sent = (u128::from(self.tokens) * k * h * self.act * u128::from(ep - 1)).div_ceil(ep.into());
            let times = if self.training() { 4 } else { 2 };
            let work = Work { flops: 0, read: 0, written: sent };
            self.put(Task::AllToAll, Direction::Forward, layers * times, work, [sent, 0], Unit::Link);
        }
        self.all_reduce(layers);
    }

    /// Partial results of tensor-parallel ranks are added up: forward, and in training for the gradients of the input too.
    fn all_reduce(&mut self, layers: u64) {
        let scenario = self.it.scenario;
        let tp = u128::from(scenario.parallel.tp);
        if tp == 1 {
            return;
        }
        let bytes = u128::from(self.tokens) * u128::from(scenario.architecture.hidden_size) * self.act;
        let sent = (2 * (tp - 1) * bytes).div_ceil(tp);
        let again = u64::from(scenario.checkpointing == Checkpointing::Full);
        let times = if self.training() { 2 + again } else { 1 };
        let work = Work { flops: 0, read: 0, written: sent };
        self.put(Task::AllReduce, Direction::Forward, layers * times, work, [sent, 0], Unit::Link);
    }

    fn head(&mut self) {
        let scenario = self.it.scenario;
        let h = u128::from(scenario.architecture.hidden_size);
        let vocab = u128::from(scenario.local().vocab_size);
        let item = if scenario.ties() { Item::EmbeddingTable } else { Item::OutputHead };
        let layout = self.layout(item);
        let (tokens, chunks) = (self.tokens, self.chunks);
        if !self.training() {
            // Only the last token of each sequence asks for a next one.
            (self.tokens, self.chunks) = (scenario.batch.into(), 1);
        }
        let flops = 2 * h * vocab * u128::from(self.tokens);
        self.matrix_with(Task::OutputHead, 1, flops, h * vocab, layout, [h, vocab]);
        if self.training() {
            let logits = vocab * u128::from(self.tokens);
            // Plain: widened to fp32, log-softmax, its gradient, and back to 16 bits. Fused: read once, the gradient written once.
            let bytes = if scenario.training.loss == Loss::Plain { 28 } else { 2 * self.act };
            let work = Work { flops: 10 * logits, read: logits * bytes / 2, written: logits * bytes / 2 };
            let [_, kept] = self.sized(logits * bytes);
            self.put(Task::Loss, Direction::Forward, 1, work, [kept, 0], Unit::Vector);
        }
        (self.tokens, self.chunks) = (tokens, chunks);
    }

    /// The optimizer's step over what this rank keeps of the states.
    fn step(&mut self) {
        let scenario = self.it.scenario;
        let states = worked::total(|sink| Bucket::Optimizer.terms(scenario, crate::Phase::Loss, sink)).0;
        let parameters = u128::from(scenario.shared_out(scenario.trained_parameters(), ZeroStage::Optimizer));
        let gradients = parameters * u128::from(gradients::bytes_each(scenario));
        let weights = parameters * u128::from(scenario.activation_bytes());
        let work = Work { flops: STEP_FLOPS * parameters, read: states + gradients, written: states + weights };
        self.put(Task::OptimizerStep, Direction::Backward, 1, work, [0, 0], Unit::Vector);
    }
}

/// Bytes of so many values in a layout, the last block rounded up.
fn bytes_of(values: u128, layout: Block) -> u128 {
    (values * u128::from(layout.bytes)).div_ceil(layout.values.into())
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
    let untouched = 1.0 - f64::from(moe.experts_per_token) / f64::from(moe.experts.max(1));
    // The power by squaring: the core has no floating point functions of its own.
    let (mut idle, mut base, mut left) = (1.0, untouched, tokens);
    while left > 0 {
        if left % 2 == 1 {
            idle *= base;
        }
        base *= base;
        left /= 2;
    }
    f64::from(moe.experts) * (1.0 - idle)
}
