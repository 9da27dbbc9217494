//! The operations of a model's parts, in the order in which they run.

use super::Work;
use super::lister::{Form, Lister, bytes_of};
use super::operations::{Direction, Pass, Routing, Task, Unit, visited};
use crate::architecture::{
    Compression, Indexer, LayerKinds, LinearAttention, Moe, Positions, Projection, SlidingWindow,
};
use crate::communication;
use crate::memory::{gradients, kv_cache};
use crate::parameters::Parameters;
use crate::scenario::{Attention, LeftWide, Mode, NarrowBeside};
use crate::training::{Checkpointing, Loss, RecomputedModule};
use crate::worked::Item;

/// FLOPs of a value of a state for each token: decay, what is read, what is added, what comes out.
const STATE_FLOPS: u128 = 6;

impl Lister<'_, '_> {
    pub(super) fn list(&mut self) {
        let scenario = self.it.scenario;
        let shape = &scenario.architecture;
        let local = scenario.local();
        let (start, end) = scenario.layers_here();
        let LayerKinds { full, sliding, linear, dense, moe: mixtures } = shape.kinds_between(start, end);
        if local.embedding {
            self.embedding();
        }
        self.norms(u64::from(end - start));
        let indexers = shape.indexers_between(start, end);
        // Beside an indexer that picks blocks the layers without one read everything.
        let sparse = if shape.picks_blocks() { indexers } else { full };
        self.attention(sparse.into(), None, shape.indexer);
        self.attention((full - sparse.min(full)).into(), None, None);
        self.indexer(indexers.into());
        if let Some(window) = shape.sliding_window {
            self.attention(sliding.into(), Some(window), shape.indexer.filter(|_| shape.compression.is_none()));
        }
        if shape.compression.is_some() {
            let picked = shape.indexer.map(|it| u32::from(it.topk));
            self.compressed(indexers.into(), Compression::SPARSE, picked);
            let heavy = shape.heavy_between(start, end).into();
            let made = shape.compressor(Compression::HEAVY).routers;
            let h = u64::from(shape.hidden_size);
            self.matrix(Task::QkvProjection, heavy, made, Item::Routers, [h, made / h].map(u128::from));
            self.compressed(heavy, Compression::HEAVY, None);
        }
        if let Some(it) = shape.linear_attention {
            self.linear(linear.into(), &it);
        }
        self.dense_mlp(dense.into());
        if let Some(moe) = shape.moe {
            self.mixture(mixtures.into(), &moe);
        }
        if local.head {
            self.head();
        }
        let (sent, times) = communication::to_stages(scenario);
        let here = u128::from(self.tokens) * u128::from(shape.stream_width()) * self.act;
        let sent = if self.training() { sent } else { here };
        let work = Work { flops: 0, read: 0, written: sent };
        self.put(Task::StageLink, Direction::Forward, times, work, [sent, 0, 0], Unit::Link);
        if self.training() {
            self.adapters();
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
        self.put(Task::Embedding, Direction::Forward, 1, work, [kept, 0, 0], Unit::Vector);
        if self.training() && self.it.scenario.mode == Mode::Training {
            // Gradients are added to the rows.
            let bytes = rows * h * u128::from(gradients::bytes_each(self.it.scenario));
            let back = Work { flops: rows * h, read: written + bytes, written: bytes };
            self.put(Task::Embedding, Direction::Backward, 1, back, [kept, 0, 0], Unit::Vector);
        }
    }

    fn norms(&mut self, layers: u64) {
        let shape = &self.it.scenario.architecture;
        let (start, end) = self.it.scenario.layers_here();
        let parallel = &self.it.scenario.parallel;
        // Sequence parallelism shares the tokens of norms and residual additions out over the tensor-parallel ranks.
        let ranks = if parallel.sequence_parallel && self.training() { parallel.tp } else { 1 };
        let h = u128::from(shape.stream_width()).div_ceil(ranks.into());
        let count = u64::from(shape.norms_per_layer);
        // Norms and biases of these layers are read here, in one place.
        let vectors = u128::from(shape.parameters_of(parallel, self.it.scenario.experts(), (start, end)).vectors);
        let bytes = bytes_of(vectors, self.layout(Item::NormsAndBiases)) * u128::from(self.chunks);
        let parameters = bytes / u128::from((layers * count).max(1));
        let flops = 4 * h * u128::from(self.tokens);
        self.norms_again(h, flops);
        if self.separate() {
            self.add(Task::Norm, layers * count, Form::Vector { flops, parameters }, &[h], &[h]);
            let additions = if shape.parallel_residual || shape.mlp_layers > 0 { 1 } else { 2 };
            self.vector(Task::Residual, layers * additions, 1, h, &[h, h], &[h]);
        } else {
            self.add(Task::Norm, layers * count, Form::Vector { flops: flops / 4 * 5, parameters }, &[h, h], &[h, h]);
        }
    }

    /// Norms that selective checkpointing computes again: those that are no part of the matrix behind them, and those in front of dense MLPs with these.
    fn norms_again(&mut self, h: u128, flops: u128) {
        let scenario = self.it.scenario;
        let shape = &scenario.architecture;
        let (start, end) = scenario.layers_here();
        let LayerKinds { full, sliding, dense, moe, .. } = shape.kinds_between(start, end);
        let apart = if shape.projection == Projection::Heads { moe } else { full + sliding + moe };
        for (module, norms) in [(RecomputedModule::LayerNorm, apart), (RecomputedModule::Mlp, dense)] {
            if self.training() && scenario.recomputes(module) {
                let [bytes, kept] = self.tensor(h);
                let work = Work { flops, read: bytes, written: bytes };
                self.put(Task::Norm, Direction::Recompute, norms.into(), work, [2 * kept, 0, 0], Unit::Vector);
            }
        }
    }

    /// Up projections of latent attention that selective checkpointing computes again, from short vectors to queries, keys and values.
    fn up_projections_again(&mut self, layers: u64) {
        let scenario = self.it.scenario;
        let shape = &scenario.architecture;
        let Projection::Latent(it) = shape.projection else { return };
        if !self.training() {
            return;
        }
        let up = u128::from(shape.up_projections(scenario.parallel.tp.into()));
        let short = u64::from(it.q_lora_rank.unwrap_or(shape.hidden_size) + it.kv_lora_rank);
        let wide = scenario.local().heads * u64::from(2 * (it.nope_dim + it.rope_dim) + it.v_dim);
        let ([read, kept_in], [written, kept_out]) = (self.tensor(short.into()), self.tensor(wide.into()));
        let weights = bytes_of(up, self.layout(Item::LayerMatrices));
        let work = Work { flops: 2 * up * u128::from(self.tokens), read: read + weights, written };
        let kept = [kept_in + kept_out, weights, 0];
        self.put(Task::QkvProjection, Direction::Recompute, layers, work, kept, Unit::Matrix);
    }

    /// Indexers: their projections, and a score of every head for every token before; the best of them are picked on the way.
    fn indexer(&mut self, layers: u64) {
        let scenario = self.it.scenario;
        let Some(it) = scenario.architecture.indexer else { return };
        let tp = u64::from(scenario.parallel.tp);
        let Parameters { matrices, routers, .. } = scenario.architecture.indexer(tp);
        let [h, heads, dim] = [scenario.architecture.hidden_size, it.heads.into(), it.head_dim.into()].map(u128::from);
        if scenario.architecture.picks_blocks() {
            let heads = heads.div_ceil(tp.into());
            self.matrix(Task::Indexer, layers, matrices, Item::LayerMatrices, [h, (heads + 1) * dim]);
        } else {
            self.matrix(Task::Indexer, layers, matrices, Item::LayerMatrices, [h, heads * dim]);
            self.matrix(Task::Indexer, layers, routers, Item::Routers, [h, u128::from(routers) / h]);
        }
        // One key may stand for several tokens.
        let share = scenario.architecture.compression.map_or(1, |_| u128::from(Compression::SPARSE));
        let flops = 2 * heads * dim * self.pairs(None, true) / share;
        let tokens = u128::from(kv_cache::tokens(scenario)) * u128::from(scenario.batch);
        let cache = if self.it.pass == Pass::Decode { kv_cache::index_bytes(scenario) * tokens / share } else { 0 };
        self.add(Task::Indexer, layers, Form::Scores { flops, cache, model_flops: flops }, &[heads * dim], &[]);
    }

    /// Attention over vectors that stand for `tokens` tokens each, so many of them at most; what reads them is made for the window.
    fn compressed(&mut self, layers: u64, tokens: u32, picked: Option<u32>) {
        let scenario = self.it.scenario;
        let shape = &scenario.architecture;
        let times = u128::from(tokens);
        let seen = picked.map(|topk| topk.saturating_mul(tokens));
        let per_pair = u128::from(4 * shape.query_width() / u64::from(scenario.parallel.tp));
        let flops = per_pair * self.pairs(seen, true) / times;
        let cache = if self.it.pass == Pass::Decode { self.cache_of_layer(None, seen) / times } else { 0 };
        self.add(Task::Attention, layers, Form::Scores { flops, cache, model_flops: flops }, &[], &[]);
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

    fn attention(&mut self, layers: u64, window: Option<SlidingWindow>, indexer: Option<Indexer>) {
        if layers == 0 {
            return;
        }
        let scenario = self.it.scenario;
        let shape = &scenario.architecture;
        let tp = u64::from(scenario.parallel.tp);
        let heads = u64::from(shape.heads) / tp;
        let [kv_heads, head_dim] = shape.cached_heads(window);
        let matrices = shape.attention(window, tp).matrices;
        let h = u64::from(shape.hidden_size);
        let eager = scenario.attention == Attention::Eager;
        // A mask over all scores picks nothing out.
        let picked = indexer.filter(|_| !eager).map(|it| u32::from(it.topk));
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
                    _ if shape.compression.is_some() => 4 * heads * v,
                    Pass::Decode => 2 * heads * (2 * rank + rope),
                    // Each token reads others, so that they stay packed.
                    _ if picked.is_some_and(|topk| topk < scenario.seq_length) => 2 * heads * (2 * rank + rope),
                    _ => 2 * heads * (nope + rope + v),
                };
                (heads * (nope + rope), rank + rope, heads * v, per_pair)
            }
        };
        let gate = if shape.gated_attention { q } else { 0 };
        let output = shape.compression.map_or(h * out, |it| shape.grouped_output(it, tp));
        let [q, kv, out, h] = [q, kv, out, h].map(u128::from);
        self.matrix(
            Task::QkvProjection,
            layers,
            matrices - output,
            Item::LayerMatrices,
            [h, q + kv + u128::from(gate)],
        );
        let up_again = scenario.recomputes(RecomputedModule::MlaUpProjection);
        if up_again {
            self.up_projections_again(layers);
        }
        if shape.biases.qkv {
            self.bias(layers, q + kv);
        }
        if self.separate() && shape.qk_norm {
            self.vector(Task::Norm, layers, 4, q + kv / 2, &[q + kv / 2], &[q + kv / 2]);
        }
        if self.separate() && matches!(shape.positions, Positions::Rotary) {
            self.again = up_again;
            self.vector(Task::Rotary, layers, 3, q + kv / 2, &[q + kv / 2], &[q + kv / 2]);
            self.again = false;
        }
        let task = if window.is_some() { Task::WindowAttention } else { Task::Attention };
        let seen = window.map(|it| it.window).or(picked);
        let pairs = self.pairs(seen, !eager);
        let flops = u128::from(per_pair) * pairs;
        let model_flops = u128::from(per_pair) * self.pairs(seen, true);
        let cached = if self.it.pass == Pass::Decode { self.cache_of_layer(window, picked) } else { 0 };
        let keys = if self.it.pass == Pass::Decode { 0 } else { kv };
        if eager {
            // Scores and probabilities, written and read.
            let scores = pairs * u128::from(heads) * self.act;
            let [bytes, kept] = self.sized(scores);
            let moved = bytes - kept;
            self.add(task, layers, Form::Scores { flops, cache: cached + 2 * moved, model_flops }, &[q, keys], &[out]);
            let softmax = Form::Vector { flops: 5 * pairs * u128::from(heads), parameters: 0 };
            let width = scores / (u128::from(self.tokens).max(1) * self.act);
            self.add(Task::Softmax, layers, softmax, &[width], &[width]);
        } else {
            self.add(task, layers, Form::Scores { flops, cache: cached, model_flops }, &[q, keys], &[out]);
        }
        self.matrix(Task::OutputProjection, layers, output, Item::LayerMatrices, [out, h]);
        if shape.biases.attention_output {
            self.bias(layers, h);
        }
        self.all_reduce(layers);
    }

    /// What one layer of this kind reads of its cache in a decoding step, for all sequences: of a window, or of the tokens that were picked.
    fn cache_of_layer(&self, window: Option<SlidingWindow>, picked: Option<u32>) -> u128 {
        let scenario = self.it.scenario;
        let tokens = kv_cache::tokens(scenario);
        let tokens = window.map_or(tokens, |it| tokens.min(it.window.into()));
        let tokens = picked.map_or(tokens, |topk| tokens.min(topk.into()));
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
        // Some of these layers may be in the format of the experts.
        let narrow = match scenario.narrow_beside_experts() {
            Some(NarrowBeside::SharedAndLinear(narrow)) => layers * u64::from(narrow) / u64::from(it.layers.max(1)),
            _ => 0,
        };
        let parts = [(narrow, Item::Experts), (layers - narrow.min(layers), Item::LayerMatrices)];
        for (layers, item) in parts {
            self.matrix(Task::QkvProjection, layers, matrices - output, item, [h, width]);
        }
        let state = u128::from(value_heads) * u128::from(it.key_dim) * u128::from(it.value_dim);
        let flops = STATE_FLOPS * state * u128::from(self.tokens);
        let sequences = u128::from(scenario.batch);
        let bytes = kv_cache::state_bytes(scenario) * sequences;
        if self.it.pass == Pass::Decode {
            let work = Work { flops, read: bytes, written: bytes };
            self.put(Task::LinearState, Direction::Forward, layers, work, [0, 0, 0], Unit::Vector);
        } else {
            self.add(
                Task::LinearState,
                layers,
                Form::Scores { flops, cache: bytes, model_flops: flops },
                &[width],
                &[wide],
            );
        }
        for (layers, item) in parts {
            self.matrix(Task::OutputProjection, layers, output, item, [wide, h]);
        }
        self.all_reduce(layers);
    }

    fn dense_mlp(&mut self, layers: u64) {
        let scenario = self.it.scenario;
        let shape = &scenario.architecture;
        let Parameters { matrices, .. } = shape.dense_mlp(shape.intermediate_size.into(), scenario.parallel.tp.into());
        let f = scenario.local().intermediate_size;
        self.again = scenario.recomputes(RecomputedModule::Mlp);
        self.mlp([Task::MlpUp, Task::MlpDown], layers, matrices, f, Item::LayerMatrices);
        self.again = false;
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
        if shape.biases.mlp {
            self.bias(layers, gates * f);
            self.bias(layers, h);
        }
        if self.separate() {
            self.vector(Task::Activation, layers, 5, f, &[wide], &[f]);
        }
        self.matrix(down, layers, narrow, item, [f, h]);
    }

    /// Experts that are visited in a chunk of the prompt, on average, by the tokens of all ranks that share them.
    fn visited(&self, moe: &Moe, sources: u64) -> f64 {
        let whole = self.chunks - 1;
        let last = self.tokens - whole * self.at_once.min(self.tokens);
        let all = whole as f64 * visited(moe, self.at_once.min(self.tokens).saturating_mul(sources))
            + visited(moe, last * sources);
        all / self.chunks as f64
    }

    fn mixture(&mut self, layers: u64, moe: &Moe) {
        if layers == 0 {
            return;
        }
        let scenario = self.it.scenario;
        let shape = &scenario.architecture;
        let tp = u64::from(scenario.parallel.tp);
        let cut = scenario.experts();
        let parts = shape.mixture(moe, tp, cut);
        let outer = moe.outer_width(shape.hidden_size);
        let [h, w, k, e] = [shape.hidden_size, outer, moe.experts_per_token, moe.experts].map(u128::from);
        let again = scenario.recomputes(RecomputedModule::Moe);
        self.again = again;
        self.matrix(Task::Router, layers, parts.routers, Item::Routers, [h, e]);
        if parts.matrices > 0 {
            let f = u64::from(moe.shared_intermediate_size).div_ceil(tp);
            let narrow = matches!(scenario.narrow_beside_experts(), Some(NarrowBeside::SharedAndLinear(_)))
                || scenario.left_wide() == Some(LeftWide::EightBits);
            let item = if narrow { Item::Experts } else { Item::LayerMatrices };
            self.again |= scenario.recomputes(RecomputedModule::SharedExperts);
            self.mlp([Task::SharedExperts, Task::SharedExperts], layers, parts.matrices, f, item);
            self.again = again;
        }
        // Tokens of all ranks that share the experts come here, each for the experts that are here.
        let here = u64::from(moe.experts).div_ceil(cut.ranks);
        let one = parts.experts / here.max(1);
        let visited = match self.it.routing {
            Routing::Uniform => self.visited(moe, cut.sources) / cut.ranks as f64,
            Routing::Concentrated => (f64::from(moe.experts_per_token) / cut.ranks as f64).max(1.0).min(here as f64),
        };
        // Whole parameters: fractions of an expert are an average.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between one expert and all")]
        let read = (visited * one as f64) as u128;
        // Experts that work here for each token of this rank, on average: in vLLM tensor-parallel ranks share them too.
        let on_average = |count: u128| count * u128::from(cut.sources) / u128::from(cut.ranks);
        let (each_token, k) = (on_average(k * u128::from(one)), on_average(k));
        let narrow = |parameters: u128| parameters / u128::from(shape.mlp.matrices());
        let layout = self.layout(Item::Experts);
        let f = u128::from(u64::from(moe.intermediate_size).div_ceil(cut.width));
        let gates = u128::from(shape.mlp.matrices() - 1);
        let flops = |parameters: u128| 2 * parameters * u128::from(self.tokens);
        let [up_flops, down_flops] = [flops(each_token - narrow(each_token)), flops(narrow(each_token))];
        let [up, down] = [read - narrow(read), narrow(read)];
        if self.separate() {
            // What is quantised is laid out by expert at once.
            if !self.quantises() {
                self.vector(Task::Dispatch, layers, 0, w, &[w], &[k * w]);
            }
            self.matrix_with(Task::ExpertsUp, layers, [up_flops, up], layout, [k * w, k * gates * f], w);
            if moe.expert_biases {
                self.bias(layers, k * gates * f);
                self.bias(layers, k * w);
            }
            self.again |= scenario.recomputes(RecomputedModule::MoeActivation);
            self.vector(Task::Activation, layers, 5, k * f, &[k * gates * f], &[k * f]);
            self.again = again;
            self.matrix_with(Task::ExpertsDown, layers, [down_flops, down], layout, [k * f, k * w], k * f);
            // Weighed, and added up.
            self.vector(Task::Dispatch, layers, 1, k * w, &[k * w], &[k * w]);
            self.vector(Task::Dispatch, layers, 1, k * w, &[k * w], &[w]);
        } else {
            self.matrix_with(Task::ExpertsUp, layers, [up_flops, up], layout, [w, k * f], w);
            self.matrix_with(Task::ExpertsDown, layers, [down_flops, down], layout, [k * f, w], k * f);
        }
        self.again = false;
        if cut.sources > 1 {
            // There and back, once to each group of ranks that holds any of a token's experts.
            let gpus = cut.copies(moe, cut.sources);
            // Tensor-parallel ranks that hold experts of their own send a part of the tokens each; in training all do, and gather them where they share
            // an expert (Megatron-LM at d98e8a6, `MoEAlltoAllTokenDispatcher` of `megatron/core/transformer/moe/token_dispatcher.py`).
            let senders = if self.training() || cut.width == 1 { u128::from(tp) } else { 1 };
            let stream = u128::from(self.tokens) * w * self.act / senders;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a part of an average, not negative"
            )]
            let sent = (stream as f64 * gpus) as u128;
            let times = if self.training() { 4 } else { 2 };
            let work = Work { flops: 0, read: 0, written: sent };
            self.put(Task::AllToAll, Direction::Forward, layers * times, work, [sent, 0, 0], Unit::Link);
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
        self.put(Task::AllReduce, Direction::Forward, layers * times, work, [sent, 0, 0], Unit::Link);
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
        self.matrix_with(Task::OutputHead, 1, [flops, h * vocab], layout, [h, vocab], h);
        if self.training() {
            let logits = vocab * u128::from(self.tokens);
            // Plain: widened to fp32, log-softmax, its gradient, and back to 16 bits. Fused: read once, the gradient written once.
            let bytes = if scenario.training.loss == Loss::Plain { 28 } else { 2 * self.act };
            let work = Work { flops: 10 * logits, read: logits * bytes / 2, written: logits * bytes / 2 };
            let [_, kept] = self.sized(logits * bytes);
            self.put(Task::Loss, Direction::Forward, 1, work, [kept, 0, 0], Unit::Vector);
        }
        (self.tokens, self.chunks) = (tokens, chunks);
    }
}
