//! The exact number of parameters, tensor by tensor: of the whole model, and of what one rank holds of it.

use crate::architecture::{
    Architecture, Compression, Latent, LayerKinds, LinearAttention, LinearKind, Moe, Positions, Projection,
    SlidingWindow,
};
use crate::parallelism::{ExpertCut, Parallelism};

/// Numbers of parameters by kind of tensor; [`Parameters::total`] is the published count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// Token embedding table.
    pub embedding: u64,
    /// Learned positions.
    pub positions: u64,
    /// Matrices of attention and of dense and shared MLPs, the part that quantisers shrink.
    pub matrices: u64,
    /// Matrices of the routed experts, which quantisers shrink too.
    pub experts: u64,
    /// Routers of the experts and gates of shared experts, which stay wide.
    pub routers: u64,
    /// Norm weights and biases, and what else is a vector.
    pub vectors: u64,
    /// Output head, 0 where it is the embedding table.
    pub head: u64,
}

impl Parameters {
    /// All of them.
    pub const fn total(&self) -> u64 {
        self.embedding + self.positions + self.matrices + self.experts + self.routers + self.vectors + self.head
    }

    fn add(&mut self, layers: impl Into<u64>, part: &Self) {
        let layers = layers.into();
        self.matrices += layers * part.matrices;
        self.experts += layers * part.experts;
        self.routers += layers * part.routers;
        self.vectors += layers * part.vectors;
    }
}

/// How many layers of each kind are counted, over how many ranks each is cut, and whether the tables are there.
struct Share {
    tp: u64,
    experts: ExpertCut,
    layers: u64,
    kinds: LayerKinds,
    indexers: u32,
    heavy: u32,
    embedding: bool,
    head: bool,
    tied_copy: bool,
}

impl Architecture {
    /// The exact number of parameters, tensor by tensor.
    ///
    /// # Formula
    /// With h = `hidden_size`, q = `heads × head_dim`, k = `kv_heads × head_dim`, f = `intermediate_size`, V = `vocab_size`, L = `layers`:
    /// embedding V·h; head V·h unless tied; attention h·(q + 2k) + q·h; MLP m·h·f with m = 3 for a gated one and 2 otherwise.
    /// Latent attention: h·(c + r) + c·a·(n + v) + a·v·h with c = `kv_lora_rank`, r = `rope_dim`, n = `nope_dim`, v = `v_dim`, and
    /// queries h·a·(n + r), or h·c' + c'·a·(n + r) where they are compressed. Mixture: E·3·h·f for the experts, h·E for the router,
    /// 3·h·f for the shared ones. An indexer c'·i·d + h·(d + i) + 2·d with i heads of width d, or h·d·(i + 1) + 2·d where it picks blocks.
    /// Compressed tokens (`DeepSeek` V4), with D = `head_dim`: attention h·c' + c'·q + h·D + q·o + g·o·h with g groups onto o values; 2·h·D and 129·D where a vector stands for 128 tokens, 4·h·D and 9·D for 4, with
    /// c'·i·d + h·(4·d + i) + 9·d of their indexer; in every layer 2·((2 + s)·s·(s·h + 1) + 3) with s streams, and s·(s·h + 1) + 1 behind the last. Norms, biases, attention sinks as the shape says; learned positions rows·h.
    ///
    /// # Units
    /// Parameters, not bytes.
    ///
    /// # Assumes
    /// A decoder with one norm at the end.
    ///
    /// # Source
    /// Module definitions of the models in the `transformers` library; equal to the counts of the published checkpoints (see the tests).
    ///
    /// # Example
    /// ```
    /// let llama = memory_wall_core::tables::models::by_id("llama-3.1-8b").unwrap();
    /// assert_eq!(llama.architecture.parameters().total(), 8_030_261_248);
    /// ```
    pub fn parameters(&self) -> Parameters {
        self.share(&Share {
            tp: 1,
            experts: Parallelism::ONE.experts(),
            layers: self.layers.into(),
            kinds: self.kinds_between(0, self.layers),
            indexers: self.indexers_between(0, self.layers),
            heavy: self.heavy_between(0, self.layers),
            embedding: true,
            head: true,
            tied_copy: false,
        })
    }

    /// The parameters that one token passes through: of the routed experts only those it visits.
    ///
    /// ```
    /// let mixtral = memory_wall_core::Architecture {
    ///     moe: Some(memory_wall_core::architecture::Moe::of(8, 2, 14_336)),
    ///     ..memory_wall_core::Architecture::llama([32, 4096, 32, 8, 128, 14_336, 32_000])
    /// };
    /// assert_eq!(mixtral.parameters().total(), 46_702_792_704);
    /// assert_eq!(mixtral.active_parameters(), 12_879_925_248);
    /// ```
    pub fn active_parameters(&self) -> u64 {
        let mut parameters = self.parameters();
        if let Some(moe) = self.moe {
            // Biases of experts are vectors, and those of the experts not visited idle too.
            let idle = u64::from(moe.experts - moe.experts_per_token.min(moe.experts));
            parameters.vectors -= idle * u64::from(self.moe_layers()) * self.expert_biases(&moe);
            parameters.experts = parameters.experts / u64::from(moe.experts) * u64::from(moe.experts_per_token);
        }
        parameters.total()
    }

    /// What the rank that `parallel` looks at holds before any sharding over data-parallel ranks.
    ///
    /// Tensor parallelism divides the matrices, copies KV heads where there are fewer of them than ranks, and copies norms;
    /// expert parallelism divides the routed experts; a pipeline divides the layers, embedding on the first stage, head on the last
    /// (of a tied model, a copy of the table). Kinds of layers are spread evenly over the stages, dense layers of a mixture first.
    pub fn parameters_on(&self, parallel: &Parallelism) -> Parameters {
        self.parameters_of(parallel, parallel.experts(), parallel.layers_of_stage(self.layers))
    }

    /// The same where experts are cut in this way, and the stage has the layers from `start` up to `end`.
    pub fn parameters_of(&self, parallel: &Parallelism, experts: ExpertCut, (start, end): (u32, u32)) -> Parameters {
        let uncut = Parallelism {
            dp: parallel.dp,
            cp: parallel.cp,
            zero: parallel.zero,
            shard: parallel.shard,
            ..Parallelism::ONE
        };
        if *parallel == uncut && (self.moe.is_none() || (experts.ranks, experts.width) == (1, 1)) {
            return self.parameters();
        }
        let [first, last] = parallel.ends();
        self.share(&Share {
            tp: parallel.tp.into(),
            experts,
            layers: u64::from(end - start),
            kinds: self.kinds_between(start, end),
            indexers: self.indexers_between(start, end),
            heavy: self.heavy_between(start, end),
            embedding: first,
            head: last,
            tied_copy: last && parallel.pp > 1,
        })
    }

    fn share(&self, share: &Share) -> Parameters {
        let h = u64::from(self.hidden_size);
        let vocab = u64::from(self.vocab_size).div_ceil(share.tp);
        let norm = self.norm.vectors() * h;
        let mut parameters = Parameters::default();
        if share.embedding {
            parameters.embedding = vocab * h;
            parameters.positions = match self.positions {
                Positions::Rotary | Positions::Alibi => 0,
                Positions::Learned(rows) => u64::from(rows) * h,
            };
            parameters.vectors += if self.embedding_norm { norm } else { 0 };
        }
        if share.head {
            parameters.head = if self.tied_embeddings && !share.tied_copy { 0 } else { vocab * h };
            parameters.vectors += norm + self.compression.map_or(0, |it| it.last_mixer(h));
        }
        let norms = Parameters { vectors: u64::from(self.norms_per_layer) * norm, ..Parameters::default() };
        let LayerKinds { full, sliding, linear, dense, moe } = share.kinds;
        parameters.add(share.layers, &norms);
        parameters.add(full, &self.attention(None, share.tp));
        parameters.add(share.indexers, &self.indexer(share.tp));
        parameters.add(share.heavy, &self.compressor(Compression::HEAVY));
        if self.sliding_window.is_some() {
            parameters.add(sliding, &self.attention(self.sliding_window, share.tp));
        }
        if let Some(it) = self.linear_attention {
            parameters.add(linear, &self.linear(&it, share.tp));
        }
        parameters.add(dense, &self.dense_mlp(self.intermediate_size.into(), share.tp));
        if let Some(it) = self.moe {
            parameters.add(moe, &self.mixture(&it, share.tp, share.experts));
        }
        if let Some(rounded) = self.rounded_parameters {
            // The layers take up the difference; the tables keep the size that their shapes give. A share of the layers takes its share.
            let [table, others] = [
                u64::from(self.vocab_size) * h * if self.tied_embeddings { 1 } else { 2 },
                (u64::from(self.layers) * u64::from(self.norms_per_layer) + 1) * norm,
            ];
            let matrices = rounded.saturating_sub(table + others);
            parameters.matrices = (u128::from(matrices) * u128::from(share.layers))
                .div_ceil(u128::from(self.layers.max(1)) * u128::from(share.tp))
                .try_into()
                .unwrap_or(u64::MAX);
        }
        parameters
    }

    /// One layer's attention, over this window or the whole context.
    pub(crate) fn attention(&self, window: Option<SlidingWindow>, tp: u64) -> Parameters {
        let [kv_heads, head_dim] = self.cached_heads(window);
        let [h, a, d] = [self.hidden_size, self.heads, head_dim].map(u64::from);
        let a = a / tp;
        let sinks = if self.attention_sinks { a } else { 0 };
        if let Projection::Latent(latent) = self.projection {
            let [rank, rope, v] = [latent.kv_lora_rank, latent.rope_dim, latent.v_dim].map(u64::from);
            let queries = u64::from(latent.q_lora_rank.unwrap_or(0));
            if let Some(it) = self.compression {
                return Parameters {
                    matrices: h * (queries + d)
                        + queries * a * (u64::from(latent.nope_dim) + rope)
                        + self.grouped_output(it, tp),
                    vectors: queries + d + sinks + it.mixers(h),
                    ..Parameters::default()
                };
            }
            return Parameters {
                matrices: h * (queries + rank + rope) + self.up_projections(tp) + a * v * h,
                vectors: queries + rank + sinks,
                ..Parameters::default()
            };
        }
        // Fewer KV heads than ranks: each rank has a copy of one.
        let kv = u64::from(kv_heads).div_ceil(tp);
        let [q, k] = [a * d, kv * d];
        let queries = if self.gated_attention { 2 * q } else { q };
        let keys = if self.keys_as_values && window.is_none() { k } else { 2 * k };
        Parameters {
            matrices: h * (queries + keys) + q * h,
            vectors: if self.biases.qkv { queries + keys } else { 0 }
                + if self.biases.attention_output { h } else { 0 }
                + match (self.qk_norm, self.wide_qk_norm) {
                    (true, false) => 2 * d,
                    (true, true) => q + k,
                    (false, _) => 0,
                }
                + sinks,
            ..Parameters::default()
        }
    }

    /// The output of attention, projected in groups of heads and then in one.
    pub(crate) fn grouped_output(&self, it: Compression, tp: u64) -> u64 {
        let rank = u64::from(it.output_rank);
        (self.query_width() + u64::from(it.groups) * u64::from(self.hidden_size)) / tp * rank
    }

    /// What makes one vector of `tokens` tokens, whole on every rank: a matrix for what goes in and one for its share, twice where vectors overlap; a bias for each place, and a norm.
    pub(crate) fn compressor(&self, tokens: u32) -> Parameters {
        let [h, d] = [self.hidden_size, self.head_dim].map(u64::from);
        let wide = if tokens == Compression::SPARSE { 2 * d } else { d };
        Parameters { routers: 2 * h * wide, vectors: u64::from(tokens) * wide + d, ..Parameters::default() }
    }

    /// Parameters of the matrices from which one layer of latent attention makes queries, keys and values: from short vectors, and from the hidden state where queries have none.
    pub(crate) fn up_projections(&self, tp: u64) -> u64 {
        let Projection::Latent(it) = self.projection else { return 0 };
        let queries = it.q_lora_rank.unwrap_or(self.hidden_size);
        let [queries, rank, rope, nope, v] =
            [queries, it.kv_lora_rank, it.rope_dim, it.nope_dim, it.v_dim].map(u64::from);
        u64::from(self.heads) / tp * (queries * (nope + rope) + rank * (nope + v))
    }

    /// One layer's indexer, which every tensor-parallel rank holds whole: queries from the compressed ones of attention, one key with a `LayerNorm`, and a weight for each head.
    /// Formats below 16 bits leave the key and the weights wide, as vLLM does (`wk_weights_proj`).
    /// One that picks blocks has norms on queries and key and no weights, and its heads are shared out (`num_index_heads` of vLLM's `minimax_m3/common/indexer.py`).
    pub(crate) fn indexer(&self, tp: u64) -> Parameters {
        let Some(it) = self.indexer else { return Parameters::default() };
        let [h, heads, dim] = [self.hidden_size, it.heads.into(), it.head_dim.into()].map(u64::from);
        if self.picks_blocks() {
            let matrices = h * (heads.div_ceil(tp) + 1) * dim;
            return Parameters { matrices, vectors: 2 * dim, ..Parameters::default() };
        }
        let from = match self.projection {
            Projection::Latent(Latent { q_lora_rank: Some(rank), .. }) => rank.into(),
            _ => h,
        };
        // Keys of compressed tokens are made as these are, with a norm.
        let (routers, vectors) = if self.compression.is_some() {
            let Parameters { routers, vectors, .. } = self.compressor(Compression::SPARSE);
            (4 * h * dim + routers, u64::from(2 * Compression::SPARSE + 1) * dim + vectors)
        } else {
            (h * dim, 2 * dim)
        };
        Parameters { matrices: from * heads * dim, routers: h * heads + routers, vectors, ..Parameters::default() }
    }

    pub(crate) fn dense_mlp(&self, width: u64, tp: u64) -> Parameters {
        let [h, f] = [u64::from(self.hidden_size), width.div_ceil(tp)];
        // A gated MLP has two biases inside, one for gate and one for up.
        let biases = if self.biases.mlp { (self.mlp.matrices() - 1) * f + h } else { 0 };
        let vectors = biases + self.mlp.learned();
        Parameters { matrices: self.mlp.matrices() * h * f, vectors, ..Parameters::default() }
    }

    /// Biases of one expert.
    fn expert_biases(&self, moe: &Moe) -> u64 {
        if moe.expert_biases {
            (self.mlp.matrices() - 1) * u64::from(moe.intermediate_size) + u64::from(self.hidden_size)
        } else {
            0
        }
    }

    pub(crate) fn mixture(&self, moe: &Moe, tp: u64, cut: ExpertCut) -> Parameters {
        let h = u64::from(self.hidden_size);
        let experts = u64::from(moe.experts).div_ceil(cut.ranks);
        let inside = u64::from(moe.outer_width(self.hidden_size));
        let latent = moe.latent_size.map_or(0, |width| 2 * h * u64::from(width));
        let shared = u64::from(moe.shared_intermediate_size).div_ceil(tp);
        let router = u64::from(moe.experts);
        Parameters {
            matrices: self.mlp.matrices() * h * shared + latent,
            experts: experts * self.mlp.matrices() * inside * u64::from(moe.intermediate_size).div_ceil(cut.width),
            routers: h * router + if moe.shared_gate { h } else { 0 },
            vectors: experts * self.expert_biases(moe).div_ceil(cut.width) + if moe.router_bias { router } else { 0 },
            ..Parameters::default()
        }
    }

    pub(crate) fn linear(&self, linear: &LinearAttention, tp: u64) -> Parameters {
        let [h, kernel] = [self.hidden_size, linear.conv_kernel].map(u64::from);
        let [key_heads, value_heads] =
            [linear.key_heads, linear.value_heads].map(|heads| u64::from(heads).div_ceil(tp));
        let keys = key_heads * u64::from(linear.key_dim);
        let values = value_heads * u64::from(linear.value_dim);
        let conv = 2 * keys + values;
        match linear.kind {
            // Queries, keys, values and the output gate; the two gates of each value head; the convolution; the output.
            LinearKind::GatedDelta => Parameters {
                matrices: h * (2 * keys + 2 * values) + h * 2 * value_heads + conv * kernel + values * h,
                vectors: 2 * value_heads + u64::from(linear.value_dim),
                ..Parameters::default()
            },
            // Queries, keys and values; a strength for each head; decay and output gate, whose first halves each rank holds whole; A, the step's bias, and the norm of a head.
            LinearKind::Kda => {
                let width = u64::from(linear.value_dim);
                Parameters {
                    matrices: h * (2 * keys + 2 * values + value_heads) + conv * kernel + 2 * width * (h + values),
                    vectors: value_heads + values + width,
                    ..Parameters::default()
                }
            }
            // Inner width twice, groups, a step for each head; the convolution with its bias; A, D and the step's bias; the gated norm.
            LinearKind::Mamba2 | LinearKind::PlainMamba2 => Parameters {
                matrices: h * (2 * values + 2 * keys + value_heads) + conv * kernel + values * h,
                vectors: conv + 3 * value_heads + if linear.kind == LinearKind::Mamba2 { values } else { 0 },
                ..Parameters::default()
            },
            // Inner width twice, the convolution with its bias, step and two vectors of the state for each token, A and D for each channel; three norms.
            LinearKind::Mamba1 { dt_rank } => {
                let [rank, state] = [dt_rank, linear.key_dim].map(u64::from);
                Parameters {
                    matrices: h * 2 * values + values * kernel + values * (2 * rank + 2 * state) + values * h,
                    vectors: values * (state + 3) + rank + 2 * state,
                    ..Parameters::default()
                }
            }
            // Two gates and what they weigh; the convolution; the output.
            LinearKind::ShortConv => {
                Parameters { matrices: h * 3 * values + values * kernel + values * h, ..Parameters::default() }
            }
        }
    }
}
