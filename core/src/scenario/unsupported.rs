//! Why a runtime cannot run a scenario, and the sentence that says so.

use core::fmt;

use super::releases::Newer;
use super::speculation::NoSpeculation;
use super::{TensorSplit, Tiles, WITH_BF16};
use crate::display::Grouped;
use crate::precision::{KvPrecision, WeightFormat};
use crate::serving::{Engine, Version};
use crate::tables::capability::Capability;

/// Why a runtime cannot run a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// The runtime does not load weights in this format.
    Weights(Engine, WeightFormat),
    /// The runtime has no KV cache in this format.
    Cache(Engine, KvPrecision),
    /// The runtime never writes the attention scores, as eager attention does.
    NoEager(Engine),
    /// llama.cpp has a quantised V cache with flash attention alone.
    CacheNeedsFlash(KvPrecision),
    /// vLLM keeps its cache in the precision in which it computes, or in fp8.
    WideCache,
    /// Transformers runs MXFP4 for the experts of a mixture alone.
    NoDenseMxfp4,
    /// The GPU's generation is too old for the format.
    Generation {
        /// The runtime.
        engine: Engine,
        /// The format of the weights.
        format: WeightFormat,
        /// The GPU's name.
        gpu: &'static str,
        /// Its compute capability.
        has: Capability,
        /// The least that the runtime asks for.
        needs: Capability,
    },
    /// The runtime has no kernels for the format on this GPU, which is not NVIDIA's.
    NoKernels {
        /// The runtime.
        engine: Engine,
        /// The format of the weights.
        format: WeightFormat,
        /// The GPU's name.
        gpu: &'static str,
    },
    /// The GPU is too old for the runtime, whatever the format.
    TooOld {
        /// The runtime.
        engine: Engine,
        /// The GPU's name.
        gpu: &'static str,
        /// Its compute capability.
        has: Capability,
        /// The least that the runtime's packages are built for.
        needs: Capability,
    },
    /// The release of vLLM does not have what a later one brought.
    Release {
        /// What it lacks.
        what: Newer,
        /// The release.
        has: Version,
        /// The first that has it.
        needs: Version,
    },
    /// vLLM's class of the model takes no weights of bitsandbytes.
    NoBitsandbytesExperts(WeightFormat),
    /// The first engine of vLLM reads a whole prompt at once, and is told to read less.
    WholePrompt {
        /// `max_num_batched_tokens`.
        tokens: u32,
        /// `max_model_len`.
        longest: u32,
    },
    /// The runtime has no kernels for a cache in this format on a GPU of this generation.
    OldCache {
        /// The GPU's name.
        gpu: &'static str,
        /// Its compute capability.
        has: Capability,
    },
    /// The runtime has no attention kernels for the model on a GPU of this generation.
    OldAttention {
        /// The GPU's name.
        gpu: &'static str,
        /// Its compute capability.
        has: Capability,
        /// Width of the heads that are too wide; `None` for latent attention, sparse where the GPU is not older than 8.0.
        head_dim: Option<u32>,
    },
    /// The runtime has no backend for this accelerator.
    NoBackend(Engine, &'static str),
    /// bitsandbytes, which would quantise the weights or the states of the optimizer, does not run on this accelerator.
    NoBitsandbytes {
        /// The GPU's name.
        gpu: &'static str,
        /// The weights; `None` where it is the optimizer.
        weights: Option<WeightFormat>,
    },
    /// How the runtime uses this maker's accelerators is not modelled.
    Maker(Engine, &'static str),
    /// vLLM's packages have no kernels for this older GPU of AMD's.
    BeforeMi200(&'static str),
    /// The runtime cuts no sequence over GPUs of their own.
    ContextParallel(Engine),
    /// The runtime spreads no experts over GPUs, or not as it is modelled.
    ExpertParallel(Engine),
    /// llama.cpp does not cut the model's matrices over GPUs, or not as it is modelled.
    TensorSplit(TensorSplit),
    /// transformers gives every tensor-parallel rank whole KV heads.
    KvHeads {
        /// Tensor-parallel ranks.
        tp: u32,
        /// KV heads of the model.
        kv_heads: u32,
    },
    /// A computer has one of this maker's GPUs, and nothing that is modelled runs over several computers.
    OneGpu(&'static str),
    /// vLLM spreads experts over all tensor- and data-parallel ranks or over none.
    ExpertRanks {
        /// The ranks that were asked for.
        ep: u32,
        /// The ranks that there are: tensor-parallel × data-parallel.
        all: u64,
    },
    /// There are more expert-parallel ranks than experts.
    TooFewExperts {
        /// The ranks.
        ep: u32,
        /// Routed experts of a layer.
        experts: u32,
    },
    /// Without expert parallelism vLLM cuts every expert over all tensor- and data-parallel ranks, which do not divide its width.
    ExpertWidth {
        /// Width inside an expert.
        width: u32,
        /// The ranks.
        ranks: u64,
    },
    /// A rank's part of a matrix is no whole number of the blocks that share a scale.
    Blocks {
        /// Which, and what of it.
        blocks: Blocks,
        /// Whether the GPU has no units for fp8, so that Marlin's kernels run it.
        marlin: bool,
    },
    /// More sequences at once than tokens at once, of which each sequence needs one.
    FewTokens {
        /// `max_num_batched_tokens`.
        tokens: u32,
        /// `max_num_seqs`.
        sequences: u32,
    },
    /// vLLM makes no slots for adapters of this rank.
    LoraRank(u32),
    /// What slots for adapters take is not modelled here.
    LoraSlots {
        /// Because vLLM's first engine serves, which counts its blocks without them; else because of the model.
        first_engine: bool,
    },
    /// A rank has no whole tiles of Marlin's kernels.
    Tiles(Tiles),
    /// What guessing tokens ahead takes is not modelled here.
    Speculation(NoSpeculation),
    /// What this does with an indexer, which picks the tokens that attention reads, is not modelled: training outside of transformers without a runtime.
    Indexer(Option<Engine>),
    /// This part of a model is not modelled in the runtime.
    Unserved(Engine, &'static str),
    /// Of compressed tokens one format of vLLM's cache alone is modelled.
    Fp8CacheAlone,
    /// What training keeps of this part of a model is not modelled.
    Untrained(&'static str),
    /// vLLM has no attention of the kind that the model's file asks for, and does not load it.
    DualChunks,
    /// The model cannot compute in fp16.
    NoFp16,
    /// The model cannot compute in fp16 and the GPU has no bf16, so that vLLM runs it in fp32, for which these formats are not.
    OnlyFp32 {
        /// The GPU's name.
        gpu: &'static str,
        /// Its compute capability.
        has: Capability,
        /// The weights that were asked for, where they are not in fp32.
        weights: Option<WeightFormat>,
    },
    /// Requests are longer than `max_model_len`.
    TooLong {
        /// Tokens of a request.
        seq_length: u32,
        /// The most that vLLM accepts.
        max_model_len: u32,
    },
    /// A request is longer than the model's learned table of positions.
    BeyondTable {
        /// Tokens of the longest request.
        seq_length: u32,
        /// Positions that the table has.
        end: u32,
    },
    /// `max_model_len` is longer than what the model was made for.
    BeyondModel {
        /// Tokens of the longest request.
        max_model_len: u32,
        /// Tokens that the model was made for.
        derived: u32,
    },
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Weights(Engine::LlamaCpp, WeightFormat::Nvfp4) => f.write_str(
                "llama.cpp loads nvfp4 from GGUF files since 2026-03, which is not modelled here: which matrices such a file keeps wider differs from file to file; explain reads one",
            ),
            Self::Weights(Engine::LlamaCpp, format) => {
                let near = if format.block().bits_per_value() > 6.0 { "GGUF Q8_0" } else { "GGUF Q4_K_M or GGUF Q4_0" };
                write!(f, "llama.cpp loads GGUF files, which hold no {} weights: the nearest format is {near}", format.id())
            }
            Self::Weights(Engine::Hf, WeightFormat::W8a8) => f.write_str(
                "transformers runs w8a8 weights by compressed-tensors, which may unpack them to 16 bits: that is not modelled",
            ),
            Self::Weights(Engine::Hf, format) => write!(
                f,
                "transformers unpacks {} weights to 16 bits when it loads them: what it then holds are bf16 weights",
                format.named()
            ),
            Self::Weights(engine, format) => write!(
                f,
                "{} loads {} weights only as an experiment, which is not modelled: use int4 (AWQ, GPTQ), fp8 or 16 bits",
                engine.label(),
                format.named()
            ),
            Self::Cache(Engine::Vllm, format @ (KvPrecision::Int8 | KvPrecision::Int4)) => {
                let id = format.id();
                write!(
                    f,
                    "vLLM's {id}_per_token_head, a KV cache in {id} of newer releases with a scale for each token and head, is not modelled: use 16 bits or fp8"
                )
            }
            Self::LoraRank(rank) => {
                write!(f, "vLLM takes no max_lora_rank of {rank}: the next of 1, 8, 16, 32, 64, 128, 256, 320 and 512 holds it")
            }
            Self::LoraSlots { first_engine: true } => f.write_str(
                "vLLM's first engine (up to 0.7, on GPUs below compute capability 8.0 up to 0.10) counts its blocks before it makes room for adapters: max_loras is not modelled there",
            ),
            Self::LoraSlots { first_engine: false } => f.write_str(
                "what vLLM's slots for adapters take beside experts, latent attention or states is not modelled: max_loras is known for dense models",
            ),
            Self::Speculation(reason) => reason.fmt(f),
            Self::Tiles(tiles) => write!(f, "vLLM {tiles}; 0.24 pads it, and experts in fp8 that have a gate 0.25"),
            Self::Indexer(engine) => write!(
                f,
                "{} with sparse attention, whose tokens an indexer picks (DSA), is not modelled",
                engine.map_or("training outside of transformers", Engine::label)
            ),
            Self::Unserved(engine, part) => write!(f, "{} with {part} is not modelled", engine.label()),
            Self::Fp8CacheAlone => f.write_str("vLLM's cache of compressed tokens is modelled in fp8 alone, as vLLM is mostly told for such models (--kv fp8)"),
            Self::Untrained(part) => write!(f, "training with {part} is not modelled"),
            Self::NoEager(engine) => write!(
                f,
                "{} never writes the attention scores: its kernels fuse them, which is attention flash",
                engine.label()
            ),
            Self::CacheNeedsFlash(format) => write!(
                f,
                "llama.cpp refuses a V cache in {} without flash attention (\"V cache quantization requires flash_attn\"): use attention flash or a cache in 16 bits",
                format.id()
            ),
            Self::WideCache => f.write_str(
                "vLLM has no KV cache in fp32 beside narrower weights: it keeps one in the precision in which it computes, or in fp8",
            ),
            Self::NoDenseMxfp4 => f.write_str(
                "transformers runs mxfp4 for the experts of a mixture alone (gpt-oss), and this model has none: use nf4 or int4",
            ),
            Self::Cache(engine, format) => {
                let formats = match engine {
                    Engine::Vllm => "16 bits or fp8",
                    Engine::LlamaCpp => "16 bits, int8 (q8_0) or int4 (q4_0)",
                    _ => "16 bits, int8 or int4",
                };
                write!(f, "{} has no KV cache in {}: it keeps one in {formats}", engine.label(), format.id())
            }
            Self::Generation { engine: Engine::Hf, format, gpu, has, needs } => write!(
                f,
                "transformers runs {} weights on GPUs of compute capability {needs} or newer and unpacks them to bf16 on older ones; {gpu} has {has}: use bf16 weights",
                format.id()
            ),
            Self::Generation { engine, format, gpu, has, needs } => write!(
                f,
                "{} runs {} weights on GPUs of compute capability {needs} or newer, and {gpu} has {has}{}",
                engine.label(),
                format.id(),
                if format == WeightFormat::Bf16 { ": use fp16, which takes the same bytes" } else { "" }
            ),
            Self::Release { what, has, needs } => {
                write!(f, "vLLM {has} {what}: the first release that serves this is {needs}")?;
                let nightly = matches!(what, Newer::Model(_));
                f.write_str(if nightly { ", and nightly builds shortly before it may" } else { "" })
            }
            Self::NoBitsandbytesExperts(format) => write!(
                f,
                "vLLM loads no {} weights of bitsandbytes for this model (\"MoE Model GptOssForCausalLM does not support BitsAndBytes quantization yet\"): use mxfp4, in which it is published",
                format.id()
            ),
            Self::WholePrompt { tokens, longest } => write!(
                f,
                "vLLM refuses to start: max_num_batched_tokens ({tokens}) is smaller than max_model_len ({longest}), and its first engine reads a prompt of up to 32,768 tokens as a whole: allow as many tokens, or add --enable-chunked-prefill, which is not modelled there"
            ),
            Self::NoKernels { engine: Engine::Vllm, format: WeightFormat::Nvfp4, gpu } if gpu.starts_with("Instinct") => write!(
                f,
                "vLLM runs nvfp4 weights on {gpu} by emulation, and older releases by the package petit-kernel: neither is modelled"
            ),
            Self::NoKernels { engine: Engine::Vllm, format: WeightFormat::W8a8, gpu } => write!(
                f,
                "vLLM stops with w8a8 weights on {gpu}, \"Int8 not supported on SM…\": its int8 kernels end at compute capability 9.0. fp8 weights run there"
            ),
            Self::NoKernels { engine, format, gpu } => {
                write!(f, "{} has no kernels for {} weights on {gpu}", engine.label(), format.named())
            }
            Self::TooOld { engine, gpu, has, needs } if needs.minor == 0 => write!(
                f,
                "{} runs on NVIDIA GPUs of compute capability {needs} or newer, and {gpu} has {has}",
                engine.label()
            ),
            Self::TooOld { engine, gpu, has, needs } => write!(
                f,
                "{} since 0.20 runs on NVIDIA GPUs of compute capability {needs} or newer, and {gpu} has {has}: its packages come with CUDA 13 and PyTorch 2.11, which have no kernels for older ones",
                engine.label()
            ),
            Self::OldCache { gpu, has } => write!(
                f,
                "vLLM's kernels for an fp8 cache need compute capability 8.9, and {gpu} has {has}; from 8.0 on FlashInfer's run too, for heads of 64, 128 or 256 without attention sinks: use a cache in 16 bits"
            ),
            Self::OldAttention { gpu, has, head_dim: None } if has >= WITH_BF16 => write!(
                f,
                "vLLM's kernels for sparse attention need compute capability 9.0, and {gpu} has {has}"
            ),
            Self::OldAttention { gpu, has, head_dim: None } => write!(
                f,
                "vLLM reads the prompts of models with latent attention (MLA) with FlashAttention, which needs compute capability 8.0, and {gpu} has {has}"
            ),
            Self::OldAttention { gpu, has, head_dim: Some(width) } => write!(
                f,
                "below compute capability 8.0 vLLM's attention is that of Triton, whose kernels run out of shared memory with heads of {width}{}, and {gpu} has {has}",
                if width > 256 { "" } else { " in fp32, the precision in which the model runs there" }
            ),
            Self::NoBackend(engine, gpu) => write!(
                f,
                "{} has no backend for {gpu}: it runs on CPUs and on GPUs of NVIDIA, AMD, Intel and Apple",
                engine.label()
            ),
            Self::NoBitsandbytes { gpu, weights: Some(format) } => write!(
                f,
                "bitsandbytes, which quantises to {} when a model is loaded, does not run on {gpu}: it runs on GPUs of NVIDIA, AMD, Intel and Apple and on Gaudi",
                format.id()
            ),
            Self::NoBitsandbytes { gpu, weights: None } => write!(
                f,
                "8-bit and paged optimizers are those of bitsandbytes, which has none for {gpu}"
            ),
            Self::Maker(engine, gpu) => write!(
                f,
                "{} on {gpu} is not modelled: what it takes there is another program's, a plugin's, and no log of it was found",
                engine.label()
            ),
            Self::BeforeMi200(gpu) => write!(
                f,
                "vLLM serves on AMD's Instinct MI200 series and newer and on Radeon GPUs since the RX 7000 series, and {gpu} is older: forks that run there are not modelled"
            ),
            Self::ContextParallel(Engine::Vllm) => f.write_str(
                "vLLM adds no GPUs for context parallelism that the cache is cut over: its decode context parallelism (--decode-context-parallel-size) cuts the cache over the tensor-parallel ranks, and is not modelled",
            ),
            Self::ContextParallel(engine) => {
                write!(f, "{} does not cut a sequence over GPUs: context parallelism is for training", engine.label())
            }
            Self::ExpertParallel(Engine::Hf) => f.write_str(
                "transformers spreads experts over its tensor-parallel ranks (enable_expert_parallel), which is not modelled: ep is for training and for vLLM",
            ),
            Self::ExpertParallel(engine) => write!(
                f,
                "{} spreads no experts over GPUs: it cuts a model by layers (pp) or cuts each matrix (tp); ep is for training and for vLLM",
                engine.label()
            ),
            Self::TensorSplit(reason) => reason.fmt(f),
            Self::KvHeads { tp, kv_heads } => write!(
                f,
                "transformers gives every tensor-parallel rank as many whole KV heads, and {} ranks do not divide {} KV heads",
                Grouped(tp.into()),
                Grouped(kv_heads.into())
            ),
            Self::OneGpu(gpu) => write!(
                f,
                "{gpu} is the only GPU of its computer, and no program that is modelled here runs a model over several such computers"
            ),
            Self::ExpertRanks { ep, all: 1 } => write!(
                f,
                "vLLM spreads experts over all tensor- and data-parallel ranks (--enable-expert-parallel), of which there is one here: ep {} asks for as many (tp or dp)",
                Grouped(ep.into())
            ),
            Self::ExpertRanks { ep, all } => write!(
                f,
                "vLLM spreads experts over all tensor- and data-parallel ranks (--enable-expert-parallel) or over none: ep is {} or 1, not {}",
                Grouped(all.into()),
                Grouped(ep.into())
            ),
            Self::TooFewExperts { ep, experts } => write!(
                f,
                "{} expert-parallel ranks are more than the {} experts of a layer: some would hold none",
                Grouped(ep.into()),
                Grouped(experts.into())
            ),
            Self::ExpertWidth { width, ranks } => write!(
                f,
                "without expert parallelism vLLM cuts every expert over all {} tensor- and data-parallel ranks, which do not divide moe_intermediate_size {}",
                Grouped(ranks.into()),
                Grouped(width.into())
            ),
            Self::Blocks { blocks, marlin } => write!(f, "vLLM {blocks}{}", blocks.release(marlin)),
            Self::FewTokens { tokens, sequences } => write!(
                f,
                "vLLM refuses to start: max_num_batched_tokens ({tokens}) must be greater than or equal to max_num_seqs ({sequences})"
            ),
            Self::DualChunks => f.write_str(
                "vLLM since 0.9 does not load a model whose config.json has dual_chunk_attention_config (\"unexpected keyword argument 'layer_idx'\"): its engine V1 has no such attention. Without that key, and with at most 262,144 tokens, the model runs as any other of its kind",
            ),
            Self::NoFp16 => f.write_str(
                "vLLM refuses fp16 for this model, in which it is numerically unstable: use bf16, or fp32 on GPUs without bf16",
            ),
            Self::OnlyFp32 { gpu, has, weights } => {
                write!(
                    f,
                    "{gpu} has compute capability {has} and no bf16, and vLLM refuses fp16 for this model, in which it is numerically unstable: it computes and caches in fp32 there, "
                )?;
                match weights {
                    Some(format) => write!(f, "and how it runs {} weights in fp32 is not modelled: use fp32 weights", format.id()),
                    None => f.write_str("so use an fp32 cache"),
                }
            }
            Self::TooLong { seq_length, max_model_len } => write!(
                f,
                "a request of {} tokens is longer than max_model_len {}: vLLM answers it with an error",
                Grouped(seq_length.into()),
                Grouped(max_model_len.into())
            ),
            Self::BeyondTable { seq_length, end } => write!(
                f,
                "{} tokens are more than the {} positions of the model's learned table: no program reads a longer sequence",
                Grouped(seq_length.into()),
                Grouped(end.into())
            ),
            Self::BeyondModel { max_model_len, derived } => write!(
                f,
                "vLLM refuses to start: max_model_len {} is greater than the derived max_model_len {} of the model's config.json; to allow it, set the environment variable VLLM_ALLOW_LONG_MAX_MODEL_LEN=1, which may lead to wrong answers or CUDA errors",
                Grouped(max_model_len.into()),
                Grouped(derived.into())
            ),
        }
    }
}

/// A matrix whose part on a rank is no whole number of the blocks that share a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// The format of the weights.
    pub format: WeightFormat,
    /// Values that share a scale, along the width.
    pub block: u64,
    /// What is cut, by the name of the width.
    pub what: &'static str,
    /// The width.
    pub width: u64,
    /// Ranks over which it is cut.
    pub ranks: u64,
}

impl fmt::Display for Blocks {
    /// What a server refuses, behind its name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, block, what, width, ranks } = *self;
        write!(
            f,
            "refuses {} weights whose part on a rank is no multiple of {block}, the {} that shares a scale: {what} {}{}{}",
            format.id(),
            if format == WeightFormat::Fp8Block { "block" } else { "group" },
            Grouped(width.into()),
            Share { width, ranks },
            if format == WeightFormat::Int4 && self.finer() { ", which groups of 32 divide (int4-g32)" } else { "" },
        )
    }
}

impl Blocks {
    /// Whether blocks of 32, the finest that are common, would divide it.
    const fn finer(&self) -> bool {
        self.block != 32 && self.width.is_multiple_of(self.ranks.saturating_mul(32))
    }

    /// Which releases of vLLM have finer ones.
    fn release(&self, marlin: bool) -> &'static str {
        match marlin {
            _ if !self.what.starts_with("moe") || !self.finer() => "",
            // A broken group of the file is no finer one's either.
            _ if self.format != WeightFormat::Fp8Block && !self.width.is_multiple_of(self.block) => "",
            _ if self.format != WeightFormat::Fp8Block => "; 0.13 has finer groups for experts",
            true => "; 0.29 has finer blocks for experts, from compute capability 8.9 on",
            false => "; 0.29 has finer blocks for experts",
        }
    }
}

/// A part of a width: ` over 8 ranks is 192`, or ` over 5 ranks is 1,536 / 5` where it is no whole number; nothing on one rank.
struct Share {
    width: u64,
    ranks: u64,
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (width, ranks) = (Grouped(self.width.into()), Grouped(self.ranks.into()));
        match self.width.checked_rem(self.ranks) {
            _ if self.ranks == 1 => Ok(()),
            Some(0) => write!(f, " over {ranks} ranks is {}", Grouped((self.width / self.ranks).into())),
            _ => write!(f, " over {ranks} ranks is {width} / {ranks}"),
        }
    }
}

impl core::error::Error for Unsupported {}
