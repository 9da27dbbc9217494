//! The forward pass that vLLM profiles before it sizes its pool: "torch peak memory increase".

use super::{Figures, Image, Prompts, Run, SECOND_RUNNER_FOR_DENSE, Span};
use crate::architecture::{Indexer, Projection};
use crate::engines::gpu::{cublas_workspace, multiprocessors};
use crate::engines::{Sink, amount};
use crate::memory::{Bucket, kv_cache};
use crate::precision::{KvPrecision, WeightFormat};
use crate::serving::{Speculation, Version};
use crate::tables::capability;
use crate::units::{GIB, MIB};
use crate::worked::{self, Factor, Item, Symbol, Term};

/// Tokens that pass through the experts at once (`VLLM_FUSED_MOE_CHUNK_SIZE`); twice as many in releases of 2025.
const EXPERT_CHUNK: u64 = 16 * 1_024;

/// The first release of which it is not known that larger batches of one rank pass through the experts in chunks.
///
/// # Source
/// vLLM issue 28228, Kimi Linear in int4 on two RTX 3090 with 64,000 batched tokens (2025-11-06): 2.30 GiB of cache, for which the experts of 64,000 tokens at once leave no room. Read 2026-11-27.
const CHUNKS: Version = Version { major: 0, minor: 12 };

/// The first release of which it is known that towers turn queries and keys in fp32.
const TURNS_IN_FP32: Version = Version { major: 0, minor: 26 };

/// Scores of an indexer that the profile makes room for (`VLLM_SPARSE_INDEXER_MAX_LOGITS_MB`).
const INDEX_SCORES: u128 = 512 * MIB;

/// The fullest of the moments of the profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// Inside the MLP of a layer.
    Layer,
    /// In the sampler, which the profile runs for as many sequences as are allowed.
    Sampler,
    /// In the tower, which passes over the largest image before the model does.
    Tower,
}

impl Run<'_> {
    /// What the profiled forward pass takes at its peak.
    ///
    /// # Formula
    /// T batched tokens, S sequences, e bytes a value. Always there: cuBLAS's workspace; the persistent workspaces of a mixture,
    /// k·T·max(f, h)·e and k·T·max(2f, h)·e; the images of the profile and what the encoder makes of them; in a pipeline 2·T·h·e on their way.
    /// On top the larger of a layer, T·e·(3f/tp + 3.75·h) (plain MLP 2f), with 8-bit weights T·f/tp more,
    /// and the sampler, S·V·(e + 12) + T·h·e + 2·S·h·e and 4 bytes × V for each multiprocessor, at most S of them (before 0.17: S·V·(e + 36)).
    /// Or the pass of a tower over the largest image, where that takes more ([`Run::tower`]).
    /// With a head that guesses ahead T·h·e more for the states that it reads, and in a layer 3·T·h·e for those of three layers (EAGLE-3).
    /// The largest figure has 2·S·V·e beside the sampler where tokens are guessed ahead.
    ///
    /// # Units
    /// Bytes.
    ///
    /// # Assumes
    /// Logits are gathered, so tensor parallelism does not divide the sampler; a pipeline runs it on its last rank. How long requests may become does not matter.
    /// Before 0.17, and for MXFP4, a mixture's workspaces come and go. With data-parallel ranks the experts see the tokens of all of them, gathered,
    /// 2·dp·T·h·e, from the code. The one log of such a run, of 0.10 on eight H20, has 2.24 GiB more than that (vllm-project/recipes pull request 12), so the largest
    /// figure counts them twice, and chunks of tokens as large as they were before 0.12.
    ///
    /// # Source
    /// vLLM 0.19.0: `gpu_model_runner.profile_run`, the sampler, `TritonExperts.workspace_shapes`; 3 of the 3.75·h from the code, 0.75 fitted on two logs.
    /// 35 public logs of 0.17 to 0.19 within 1%; in a pipeline up to 4.8% less than logged. Eleven others of 0.6 to 0.27 within 4%, but one:
    /// 0.23 GiB for 0.18, which is why the largest figure has 5% and 0.05 GiB more. With the second runner of 0.25, on an H200, 1.10 GiB
    /// for 0.92 (row S126 of `vllm_starts.csv`): there a layer has 15%. Six such starts were predicted before they were measured, from 16% less to 7% more
    /// (rows S126 to S131), which is why the smallest figure has 7% less. What guesses add is from the code (`_dummy_sampler_run`, `v1/spec_decode/eagle.py`), and no log of it was found.
    pub fn activation(&self) -> u128 {
        let (moment, usual) = self.fullest();
        match self.figures {
            Figures::Least => 93 * usual.min(self.without_sampler()) / 100,
            Figures::Usual => usual,
            Figures::Most => {
                let second_runner = self.version >= SECOND_RUNNER_FOR_DENSE && !self.not_dense();
                let percent = if second_runner && moment == Moment::Layer { 115 } else { 105 };
                percent * usual / 100 + GIB / 20 + self.checked_guesses(usual)
            }
        }
    }

    /// The pass of a release that may have left the sampler out of its profile: 0.6 and 0.7 where prompts are split into chunks, which is the default for requests above 32,768 tokens.
    ///
    /// # Source
    /// vLLM issue 10517, Llama 3.1 8B in chunks of 512 tokens: logits of 1.25 GB that its profile had not seen. Whether that held for every release of the two is not known, so only the smallest figure follows it.
    fn without_sampler(&self) -> u128 {
        if self.constants().prompts != Prompts::Whole || self.batched() >= u64::from(self.scenario.longest_request()) {
            return u128::MAX;
        }
        worked::total(|sink: Sink<'_>| self.at(Moment::Layer, Bucket::Activations, sink)).0
    }

    /// How much more the profile takes where the sampler's run for speculative tokens is the peak: it holds two further rows of logits for each sequence.
    fn checked_guesses(&self, usual: u128) -> u128 {
        if self.scenario.guessed_tokens() == 0 || !self.scenario.local().head {
            return 0;
        }
        let sum = |bucket| worked::total(|sink: Sink<'_>| self.at(Moment::Sampler, bucket, sink)).0;
        let rows = 2 * u64::from(self.scenario.serving.max_num_seqs) * self.bytes();
        let more = u128::from(rows) * u128::from(self.scenario.architecture.vocab_size);
        (sum(Bucket::Activations) + sum(Bucket::Logits) + more).saturating_sub(usual)
    }

    /// The smallest, the usual and the largest forward pass by the logs.
    pub fn activation_span(&self) -> Span {
        let of = |figures| Run { figures, ..*self }.activation();
        Span { low: of(Figures::Least), typical: of(Figures::Usual), high: of(Figures::Most) }
    }

    fn fullest(&self) -> (Moment, u128) {
        let of = |moment| {
            let sum = |bucket| worked::total(|sink: Sink<'_>| self.at(moment, bucket, sink)).0;
            (moment, sum(Bucket::Activations) + sum(Bucket::Logits))
        };
        let (layer, sampler) = (of(Moment::Layer), of(Moment::Sampler));
        let model = if self.scenario.local().head && sampler.1 > layer.1 { sampler } else { layer };
        let tower = self.tower();
        if tower > model.1 { (Moment::Tower, tower) } else { model }
    }

    /// One of the two buckets at the peak of the profile.
    pub(in crate::engines) fn work(&self, bucket: Bucket, sink: Sink<'_>) {
        self.at(self.fullest().0, bucket, sink);
    }

    fn at(&self, moment: Moment, bucket: Bucket, sink: Sink<'_>) {
        match (bucket, moment) {
            (Bucket::Logits, Moment::Sampler) => self.sampler(sink),
            (Bucket::Logits, _) => {}
            (_, Moment::Tower) => amount(Item::EngineWorkspace, self.tower(), sink),
            (_, Moment::Layer) => {
                self.layer(sink);
                self.always(sink);
            }
            (_, Moment::Sampler) => {
                self.hidden_states(sink);
                self.always(sink);
            }
        }
    }

    fn tokens(&self) -> Factor {
        Factor::new(Symbol::ChunkTokens, self.batched())
    }

    fn hidden(&self) -> Factor {
        Factor::new(Symbol::HiddenSize, self.scenario.architecture.hidden_size.into())
    }

    fn layer(&self, sink: Sink<'_>) {
        let (shape, e) = (&self.scenario.architecture, self.bytes());
        if !self.constants().expert_workspace {
            amount(Item::ExpertTensors, self.expert_tensors(), sink);
        }
        if shape.indexer.is_some() && !shape.picks_blocks() {
            amount(Item::AttentionScores, INDEX_SCORES, sink);
        }
        let mut product = |factors: &[Factor]| sink(&Term { item: Item::LayerWorkspace, factors, divisor: 1 });
        // Output of attention, residual in and residual out.
        product(&[Factor::number((1 + 2 * shape.streams()) * e), self.tokens(), self.hidden()]);
        if shape.compression.is_some() {
            // Queries and outputs of 64 heads at least.
            let heads = (u64::from(shape.heads) / u64::from(self.scenario.parallel.tp)).next_multiple_of(64);
            let dim = Factor::new(Symbol::HeadDim, shape.head_dim.into());
            product(&[Factor::number(2 * e), self.tokens(), Factor::new(Symbol::Heads, heads), dim]);
        }
        let hidden = u64::from(shape.hidden_size);
        let more = match self.constants().prompts {
            // Without compilation one more stays, and with ranks what their sum is made of.
            Prompts::Whole if self.scenario.parallel.tp > 1 => 2 * e * hidden,
            Prompts::Whole => e * hidden,
            // Three quarters of another, which was fitted.
            Prompts::Chunks => 3 * e * hidden / 4,
        };
        product(&[Factor::number(more), self.tokens()]);
        if self.scenario.serving.speculation == Speculation::Eagle3 && self.scenario.drafting().is_some() {
            product(&[Factor::number(3 * e), self.tokens(), self.hidden()]);
        }
        let dense = if shape.has_dense_mlp() { shape.intermediate_size } else { 0 };
        let widest = u64::from(dense.max(shape.moe.map_or(0, |moe| moe.shared_intermediate_size)));
        let tensors = if shape.mlp.matrices() == 3 { 3 } else { 2 };
        let tp = u64::from(self.scenario.parallel.tp);
        let width = Factor::new(Symbol::IntermediateSize, tensors * widest / tp);
        product(&[Factor::number(e), self.tokens(), width]);
        let weights = self.scenario.weights;
        if matches!(weights, WeightFormat::Fp8 | WeightFormat::Fp8Block | WeightFormat::Int8 | WeightFormat::W8a8) {
            // The input of the down-projection, in 8 bits.
            product(&[self.tokens(), Factor::new(Symbol::IntermediateSize, widest / tp)]);
        }
    }

    /// What the sampler finds: the last hidden states, the rows of them that it needs, and a copy of these.
    fn hidden_states(&self, sink: Sink<'_>) {
        let e = self.bytes();
        let rows = Factor::new(Symbol::Batch, self.scenario.serving.max_num_seqs.into());
        let mut product = |factors: &[Factor]| sink(&Term { item: Item::LayerWorkspace, factors, divisor: 1 });
        product(&[Factor::number(e), self.tokens(), self.hidden()]);
        product(&[Factor::number(2 * e), rows, self.hidden()]);
    }

    /// The sequences that the sampler is tried with: 0.8.0 to 0.8.4 take 1,024 by themselves on every GPU and 0.8.5 as later ones, and which of them runs is not known.
    ///
    /// # Source
    /// vLLM issues 17238 (0.8.1: no memory for the cache on two RTX 3090, and a start with 4 or 8 sequences) and 15357, pull request 16158. Read 2026-11-26.
    fn sampled(&self) -> u64 {
        let serving = &self.scenario.serving;
        let many =
            self.figures == Figures::Most && serving.usual_seqs && self.version == (Version { major: 0, minor: 8 });
        u64::from(serving.max_num_seqs).max(if many { 1_024 } else { 0 })
    }

    fn sampler(&self, sink: Sink<'_>) {
        let vocab = Factor::new(Symbol::VocabSize, self.scenario.architecture.vocab_size.into());
        let sequences = self.sampled();
        let sampler = self.constants().sampler;
        let beside = if self.flashinfer { sampler.flashinfer } else { sampler.usual };
        let each = Factor::new(Symbol::BytesPerValue, self.bytes() + beside);
        sink(&Term {
            item: Item::LastLogits,
            factors: &[Factor::new(Symbol::Batch, sequences), vocab, each],
            divisor: 1,
        });
        if sampler.top_k_scratch {
            let rows = multiprocessors(self.scenario.gpu).min(sequences);
            sink(&Term {
                item: Item::EngineWorkspace,
                factors: &[Factor::number(4), Factor::number(rows), vocab],
                divisor: 1,
            });
        }
    }

    /// What sparse attention keeps beside an indexer: a workspace into which the cache of prompts is gathered, and the tokens that were picked. Its scores are there in a layer alone, [`INDEX_SCORES`].
    ///
    /// # Formula
    /// Where blocks are picked T × heads × blocks × 4. Elsewhere `max_model_len` × the larger of 40 × the bytes of an index key and, for the latent vectors of an fp8 cache in 16 bits, 5 × 576 × 2; T × `topk` × 4. Of compressed tokens the last alone.
    ///
    /// # Source
    /// Three logs of 0.23 with compressed tokens have the same pool for requests of 65,536 to 262,144 tokens (`uv-xiao/pto-cu`). vLLM 0.28: `get_max_prefill_buffer_size`, `flashmla_sparse.py`, `topk_indices_buffer` of `deepseek_v2.py` and of `minimax_m3/common/indexer.py`. Read 2026-11-26.
    fn selection(&self) -> u128 {
        let shape = &self.scenario.architecture;
        let Some(it) = shape.indexer else { return 0 };
        if shape.picks_blocks() {
            let heads = u64::from(it.heads).div_ceil(self.scenario.parallel.tp.into());
            return u128::from(self.batched())
                * u128::from(heads)
                * u128::from(u32::from(it.topk) / Indexer::BLOCK)
                * 4;
        }
        let picked = u128::from(self.batched()) * u128::from(it.topk) * 4;
        if shape.compression.is_some() {
            return picked;
        }
        let gathered = match shape.projection {
            Projection::Latent(latent) if self.scenario.kv == KvPrecision::Fp8 => {
                10 * (u128::from(latent.kv_lora_rank) + u128::from(latent.rope_dim))
            }
            _ => 0,
        };
        let each = (40 * kv_cache::index_bytes(self.scenario)).max(gathered);
        (u128::from(self.scenario.longest_request()) * each).saturating_sub(self.reserved()) + picked
    }

    /// What sparse attention reserves of that while weights are loaded, so that it is a part of "Model loading took": the latent vectors of an fp8 cache in 16 bits, on Hopper, where `FlashMLA` reads them.
    ///
    /// # Source
    /// `FlashMLASparseImpl.__init__`, by vLLM pull request 27532 (2025-12). GLM-5.3 in fp8 on eight H200 under 0.28: "94.46 GiB per rank" for requests of 1,048,576 tokens, 88.6 of them weights (vllm-project/recipes pull request 893). Read 2026-11-26.
    pub(super) fn reserved(&self) -> u128 {
        let scenario = self.scenario;
        let hopper = scenario.gpu.and_then(capability::of).is_some_and(|has| has.major == 9);
        match scenario.architecture.projection {
            Projection::Latent(latent)
                if hopper
                    && scenario.kv == KvPrecision::Fp8
                    && scenario.architecture.indexer.is_some()
                    && scenario.architecture.compression.is_none()
                    && self.version >= (Version { major: 0, minor: 13 }) =>
            {
                let vector = u64::from(latent.kv_lora_rank) + u64::from(latent.rope_dim);
                (10 * vector * u64::from(scenario.longest_request())).into()
            }
            _ => 0,
        }
    }

    /// What lives through the whole profile.
    fn always(&self, sink: Sink<'_>) {
        if self.constants().expert_workspace {
            amount(Item::ExpertTensors, self.expert_tensors(), sink);
        }
        let sources = self.scenario.experts().sources;
        if sources > 1 && self.scenario.architecture.moe.is_some() {
            // Tokens of all data-parallel ranks, gathered for the experts, and what the experts make of them.
            let copies = if self.figures == Figures::Most { 4 } else { 2 };
            let factors =
                [Factor::number(copies * self.bytes()), Factor::number(sources), self.tokens(), self.hidden()];
            sink(&Term { item: Item::ExpertTensors, factors: &factors, divisor: 1 });
        }
        if self.scenario.parallel.pp > 1 {
            let factors = [Factor::number(2 * self.bytes()), self.tokens(), self.hidden()];
            sink(&Term { item: Item::EngineWorkspace, factors: &factors, divisor: 1 });
        }
        let workspace =
            self.selection() + self.images() + self.states_of_head() + u128::from(cublas_workspace(self.scenario.gpu));
        amount(Item::EngineWorkspace, workspace, sink);
    }

    /// What the experts of a layer work on: kept from 0.17 on, there and gone before.
    fn expert_tensors(&self) -> u128 {
        let scenario = self.scenario;
        let Some(moe) = scenario.architecture.moe.filter(|_| scenario.weights != WeightFormat::Mxfp4) else { return 0 };
        let cut = scenario.experts();
        let inside = u64::from(moe.intermediate_size).div_ceil(cut.width);
        let hidden = u64::from(scenario.architecture.hidden_size);
        // Experts work on the tokens of all data-parallel ranks, a chunk at a time.
        let may_be_larger = self.figures == Figures::Most && self.version < CHUNKS;
        let chunk = if may_be_larger { 2 * EXPERT_CHUNK } else { EXPERT_CHUNK };
        let tokens = self.batched().max(chunk.min(self.batched().saturating_mul(cut.sources)));
        // Longer prompts of one rank pass in chunks too, surely in the releases whose code and logs show it.
        let tokens = if self.version < CHUNKS { tokens.min(2 * EXPERT_CHUNK) } else { tokens };
        let visits = u128::from(tokens) * u128::from(moe.experts_per_token);
        let of = |width: u64| (visits * u128::from(width) * u128::from(self.bytes())).next_multiple_of(256);
        of(inside.max(hidden)) + of((2 * inside).max(hidden))
    }

    /// A pass of the tower over the images of the profile, at its fullest where queries and keys are turned in fp32 (of
    /// Qwen3-VL and later; 0 of others, of which no log shows one).
    ///
    /// # Formula
    /// With h = 4 × tokens × `width` × e: pixels × e; h for the residual, its norm and, with ranks, their sum; and 15·h / `tp`: queries,
    /// keys and values 3, queries and keys together 2, in fp32 4, turned 4, and back in 16 bits 2. Before 0.26 usually 9·h / `tp`, as they were turned in 16 bits. Further outputs of layers (`DeepStack`)
    /// are kept until the last, `levels` × tokens × `hidden_size` × e, whole on each rank.
    ///
    /// # Assumes
    /// That these live at once: each of them is in the code, and that it is still there was concluded from the two logs below, which
    /// this meets. Since 0.19, the oldest release of a log that shows it.
    ///
    /// # Source
    /// vLLM, attention of Qwen's towers (`enable_fp32_compute` of `ApplyRotaryEmb`). Of Qwen3.8 27B "2.58 GiB for peak activation" on one
    /// GPU (0.29) and "1.66 GiB" on two (0.27.1, noonghunna/club-3090 pull request 1139); four ranks of 0.19 have a pool as if 1.0 GiB
    /// were taken (leadawon/LAMBO, row S074), and two starts of 0.24 on one GPU leave no more than 2.0 and 2.5 GiB for the pass and what lies beside `PyTorch` (noonghunna/club-3090 issues 617 and
    /// 612, row S113): the 9 was fitted on these, and in January 2026 the towers said `enable_fp32_compute=False` (vLLM pull request 32605). Read 2026-11-27.
    #[must_use]
    pub fn tower(&self) -> u128 {
        let (width, levels) =
            self.scenario.architecture.tower.map_or((0, 0), |it| (u64::from(it.width), u64::from(it.levels)));
        let seen = width > 0 && self.version >= (Version { major: 0, minor: 19 }) && self.scenario.local().embedding;
        let Some(Image { tokens, values, .. }) = self.image.filter(|_| seen) else { return 0 };
        let tp = u64::from(self.scenario.parallel.tp);
        let images = self.batched().max(tokens) / tokens.max(1);
        let hidden = 4 * tokens * width;
        let whole = if tp > 1 { 3 } else { 2 };
        let further = levels * tokens * u64::from(self.scenario.architecture.hidden_size);
        let in_16_bits = self.version < TURNS_IN_FP32 && self.figures != Figures::Most;
        let turned = if in_16_bits { 9 } else { 15 };
        u128::from(images * (values + whole * hidden + turned * hidden / tp + further) * self.bytes())
    }

    /// The images of the profile, as many as fit among the batched tokens, and what the encoder makes of them.
    fn images(&self) -> u128 {
        let Some(Image { tokens, values, bytes }) = self.image.filter(|_| self.scenario.local().embedding) else {
            return 0;
        };
        let images = u128::from(self.batched().max(tokens).checked_div(tokens).unwrap_or(0));
        let hidden = u128::from(self.scenario.architecture.hidden_size);
        let outputs = 1 + u128::from(self.scenario.architecture.tower.map_or(0, |it| it.levels));
        let encoded = u128::from(tokens) * outputs * hidden * u128::from(self.bytes());
        let pixels = u128::from(values) * u128::from(bytes.unwrap_or(self.bytes()));
        images * (encoded + pixels)
    }
}
