//! Each thing that a figure can stand on.

use crate::engines::{How, vllm};
use crate::memory::host::Host;
use crate::parallelism::{PipelineSchedule, ZeroStage};
use crate::precision::WeightFormat;
use crate::scenario::Blocks;
use crate::serving::Engine;
use crate::tables::capability::Capability;
use crate::tables::gpus::Reported;
use crate::training::{Implementation, Loss, Recipe};
use crate::units::Bytes;

/// What a figure stands on; the sentence is its `Display`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// The weight count is a round number, not a count of tensors.
    RoundedParameters,
    /// Embeddings, head, norms and biases stay wide.
    WideTensors(WeightFormat),
    /// A file of llama.cpp with experts in MXFP4 holds the other matrices in 8 bits.
    EightBitsBeside,
    /// Routed experts stay in 16 bits, since the quantiser replaces linear layers only.
    WideExperts {
        /// Of the other matrices.
        format: WeightFormat,
        /// Whether they are learned beside, and could be quantised by another tool.
        trains: bool,
        /// Whether peft upcasts them to fp32 on top.
        upcast: bool,
    },
    /// vLLM refuses the same weights with a scale for each block of values, as many publishers' own checkpoints have them, on this cut.
    NoBlockScales {
        /// Which, and what of it.
        blocks: Blocks,
        /// Whether the GPU has no units for fp8, so that Marlin's kernels run it.
        marlin: bool,
    },
    /// vLLM gives experts finer blocks of fp8 than their files have.
    FinerBlocks {
        /// The part of an expert on a rank.
        inside: u64,
        /// The width of a block.
        block: u64,
    },
    /// Sequences are longer than the model's learned table of positions, which is counted as it is published.
    BeyondTable(u32),
    /// Full-length sequences.
    FullSequences,
    /// Some layers keep a window only.
    SlidingWindow {
        /// Tokens kept.
        window: u32,
        /// Layers that do.
        layers: u32,
        /// All layers.
        of: u32,
    },
    /// How a prompt is read.
    PrefillChunks,
    /// A program serves the model.
    Served(Engine),
    /// So many tokens are guessed ahead of each sequence.
    Guesses(u32),
    /// What the program sets aside for the cache.
    ReservedCache(How),
    /// Which release of vLLM is meant, and where its recorded graphs are.
    Release {
        /// The releases, in words.
        releases: &'static str,
        /// Whether the release estimates graphs for any model before it sizes the pool.
        estimates: bool,
        /// Whether the context comes out of the share.
        context_inside: bool,
        /// Where its graphs lie.
        graphs: vllm::Graphs,
    },
    /// What vLLM's process takes beside PyTorch, and its graphs: logs leave a range.
    BesidePytorch {
        /// Before its first tensor.
        context: vllm::Span,
        /// Libraries and communication.
        non_torch: vllm::Span,
        /// Recorded graphs.
        graphs: vllm::Span,
        /// Whether they are those of experts over data-parallel ranks, estimated before the pool is.
        over_ranks: bool,
    },
    /// vLLM loads weights of bitsandbytes by a package of its own since 0.28.
    BitsandbytesPlugin,
    /// vLLM has no kernels for 8-bit integers as activations on this generation of GPUs, so that int8 is that of weights alone.
    Int8WeightsAlone(Capability),
    /// What Transformer Engine keeps in fp8.
    TransformerEngine {
        /// Whether runs tell how large copies by this recipe are.
        measured: bool,
    },
    /// bitsandbytes quantises on a GPU of Apple's.
    BitsandbytesOnMetal,
    /// The GPU is older than bf16 and than `FlashAttention`'s own kernels.
    OldGpu {
        /// Whether a fused kernel of another kind stands in for flash attention.
        fused: bool,
    },
    /// llama.cpp cuts matrices over GPUs, which it does not by itself.
    SplitByTensors,
    /// Attention stays in 16 bits beside MLPs in NVFP4.
    WideAttention,
    /// All but the experts stays in 16 bits.
    ExpertsAlone,
    /// Published files differ in what they leave wide.
    FilesDiffer {
        /// The format.
        format: WeightFormat,
        /// Whether it is a mixture that they quantise beside its routed experts.
        mixture: bool,
        /// What the widest of them takes more on a rank.
        more: Bytes,
    },
    /// Unsloth takes less than stock code.
    Unsloth,
    /// FSDP holds done layers where checkpoints are re-entrant.
    Reentrant {
        /// Whether they are counted so.
        counted: bool,
        /// What it takes more on a rank.
        more: Bytes,
    },
    /// Attention, the first and the last layer stay in 16 bits beside MLPs in 8.
    WideEnds,
    /// Megatron-LM's vocabulary, padded.
    PaddedVocabulary(u32),
    /// MTP layers that a layout of Megatron-LM places.
    PlacedPrediction {
        /// How many.
        layers: u32,
        /// Whether they come with an embedding table of their own.
        copy: bool,
    },
    /// A pipeline whose ranks hold two stages each, as far from the first and from the last.
    BothWays(PipelineSchedule),
    /// PyTorch has no fused kernel for such attention and keeps the scores.
    UnfusedAttention,
    /// Attention of `QLoRA` is counted in a fused kernel, which a plain script has not.
    FusedAttention {
        /// What its scores take more at the peak.
        more: Bytes,
    },
    /// An older GPU keeps an fp8 cache with `FlashInfer`'s kernels alone.
    Fp8ByFlashInfer,
    /// What vLLM is told about the longest request.
    MaxModelLen {
        /// The longest request that is accepted.
        taken: u32,
        /// Whether it was asked for; if not, it is the length of the requests.
        asked: bool,
        /// The length that the model was made for, which vLLM takes by itself.
        own: Option<u32>,
        /// The longest request that the pool holds, up to the model's own length; `None` without a GPU.
        holds: Option<u32>,
    },
    /// In which precisions the states of training are kept.
    Recipe(Recipe, Implementation),
    /// What becomes of gradients between two steps.
    Gradients {
        /// Whether they stay allocated.
        kept: bool,
        /// Whether FSDP2 holds them.
        sharded: bool,
    },
    /// The optimizer's step makes a copy for a moment.
    ForeachStep,
    /// It is fused, and another kernel would make a copy of so many bytes.
    FusedStep(Bytes),
    /// Adapters learn, the model is frozen.
    Adapters {
        /// Rank of the adapters.
        rank: u32,
        /// Whose code runs.
        implementation: Implementation,
        /// Whether they are in fp32.
        fp32: bool,
        /// Whether each keeps a copy of its input, in stock code.
        copies: bool,
    },
    /// Tables and norms beside quantised matrices are upcast to fp32.
    Upcast {
        /// Of the matrices.
        format: WeightFormat,
        /// Bytes a token, of all layers, by which autocast would shorten what attention keeps. It casts the inputs of attention to 16 bits (PyTorch,
        /// `aten/src/ATen/autocast_mode.h`), and adapters, frozen 4-bit matrices and hidden states around it need no more than without it.
        autocast: u64,
    },
    /// Whose code runs.
    Implementation(Implementation),
    /// All experts are there, whichever a token visits.
    AllExperts {
        /// Routed experts of a layer.
        experts: u32,
        /// Those that a token visits.
        visited: u32,
        /// GPUs over which they are spread.
        ranks: u64,
    },
    /// Keys and values are cached compressed, once for both.
    LatentCache,
    /// Some layers keep a state of constant size.
    ConstantState {
        /// Layers that do.
        layers: u32,
        /// All layers.
        of: u32,
    },
    /// What waits in host memory.
    Offload {
        /// Whether gradients go there too, where the optimizer's states do.
        gradients: Option<bool>,
        /// What the processes of a computer keep there in training.
        host: Option<Host>,
    },
    /// The optimizer's states are in memory that the driver moves to the host where the GPU is full.
    Paged(Bytes),
    /// ZeRO is `DeepSpeed`'s.
    DeepSpeed {
        /// Its stage.
        stage: ZeroStage,
        /// Whether the optimizer's states wait in host memory.
        offload: bool,
    },
    /// ZeRO is FSDP's.
    Fsdp {
        /// Whether fp32 shards are gathered in 16 bits.
        narrows: bool,
        /// Whether weights are gathered once a step and stay whole.
        keeps: bool,
        /// Whether micro-batches add up whole gradients.
        adds_whole: bool,
    },
    /// How the loss is computed.
    Loss(Loss),
    /// Selective checkpointing brings nothing here.
    SelectiveIdle,
    /// Scores are written out.
    EagerScores,
    /// Context of the process.
    DeviceContext,
    /// Where the capacity comes from.
    Capacity(Reported),
    /// The system holds a part of a memory that CPU and GPU share.
    System(vllm::Span),
    /// So much of the GPU's memory is not there to be taken, as was stated.
    Stated(vllm::Span),
    /// The GPU has no units for this format.
    NoUnits(WeightFormat),
    /// Scales of a quantised cache are left out.
    CacheScales {
        /// Whether the cache is that of llama.cpp, whose blocks hold a scale each.
        counted: bool,
    },
    /// Whether the saved tensors of this combination were measured.
    DerivedTensors,
    /// A model that knows so many positions and no more.
    LearnedPositions(u32),
    /// vLLM records no graphs.
    NoGraphs,
    /// The model overflows in fp16, in which it is to run.
    UnstableInFp16,
    /// The context is longer than the model was made for.
    BeyondTrainedContext(u32),
    /// Beyond learned positions the model cannot run at all.
    BeyondLearnedPositions(u32),
    /// What the allocator loses is not added.
    Fragmentation {
        /// Percent of the GPU below which a margin is tight.
        percent: u128,
    },
    /// What ranks of Megatron-LM were seen to take beside what is counted.
    BesideMegatron {
        /// Whether it has experts, whose tokens are counted evenly.
        mixture: bool,
    },
    /// The fullest of many GPUs.
    ManyGpus {
        /// GPUs in all.
        gpus: u64,
        /// Whether weights are shared out, and gathered for each layer.
        gathered: bool,
    },
}
