//! What each assumption says, in sentences.

use core::fmt;

use super::Assumption;
use crate::display::{ByteUnit, Grouped, Size};
use crate::memory::overhead::TIGHT_PERCENT;
use crate::parallelism::{PipelineSchedule, ZeroStage};
use crate::precision::WeightFormat;
use crate::training::{Implementation, Loss, Recipe};

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence(f, Self::of_runtime)
    }
}

/// The same sentences without those about the program that serves a model: a page on which none does need not carry them.
///
/// ```
/// use memory_wall_core::assumptions::{Assumption, Unserved};
/// assert_eq!(Unserved(Assumption::FullSequences).to_string(), Assumption::FullSequences.to_string());
/// assert_eq!(Unserved(Assumption::NoGraphs).to_string(), "");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unserved(pub Assumption);

impl fmt::Display for Unserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.sentence(f, |_, _| Ok(()))
    }
}

impl Assumption {
    /// What it says; `of_runtime` writes what is about the program that serves the model.
    fn sentence<'f>(
        &self,
        f: &mut fmt::Formatter<'f>,
        of_runtime: impl FnOnce(&Self, &mut fmt::Formatter<'f>) -> fmt::Result,
    ) -> fmt::Result {
        match *self {
            Self::NoBlockScales { .. }
            | Self::EightBitsBeside
            | Self::SplitByTensors
            | Self::FinerBlocks { .. }
            | Self::BitsandbytesPlugin
            | Self::Int8WeightsAlone { .. }
            | Self::Served(_)
            | Self::Guesses(_)
            | Self::ReservedCache(_)
            | Self::Release { .. }
            | Self::BesidePytorch { .. }
            | Self::Fp8ByFlashInfer
            | Self::MaxModelLen { .. }
            | Self::NoGraphs => of_runtime(self, f),
            Self::RoundedParameters => f.write_str(
                "The parameter count is the textbook's round number, not a count of tensors; the layers make up the difference.",
            ),
            Self::BitsandbytesOnMetal => f.write_str(
                "bitsandbytes runs on Apple's GPUs since 0.50 and with torch 2.9 or newer: by kernels of the Hub on macOS 26, elsewhere by operations of PyTorch, which are slow and unpack a matrix for a moment.",
            ),
            Self::OldGpu { fused } => {
                f.write_str("This GPU has no bf16: 16-bit values are fp16.")?;
                if fused {
                    f.write_str(
                        " FlashAttention's own kernels begin with compute capability 8.0: here another fused kernel that keeps no scores is taken for it.",
                    )?;
                }
                Ok(())
            }
            Self::TransformerEngine { measured } => write!(
                f,
                "Transformer Engine keeps fp8 copies of the matrices from micro-batch to micro-batch, by rows and by columns where the GPU reads no copy both ways, and saves inputs of matrices in fp8. Attention, routers, output head and loss stay in 16 bits. {}",
                if measured {
                    "In two of three tests of Megatron-LM's own the copies are within 1% of what is counted, in the third 10% off."
                } else {
                    "No run measures copies with these scales."
                }
            ),
            Self::WideAttention => f.write_str(
                "As in NVIDIA's own NVFP4 file, MLPs are in 4 bits, all other matrices in 16. Files that quantise attention too are smaller: nf4 counts all in 4 bits.",
            ),
            Self::ExpertsAlone => f.write_str(
                "As in Qwen's own GPTQ files, routed experts are in 4 bits, all other matrices in 16. Files that quantise attention too are smaller: int4-g32 counts all in 4 bits.",
            ),
            Self::FilesDiffer { format, mixture: true, more } => write!(
                f,
                "{format} files of this model differ. The smallest is counted, with some matrices beside the routed experts in 4 and 8 bits; a file that leaves these in 16 takes {more} more on each GPU. Where they would not go in, the verdict is tight."
            ),
            Self::FilesDiffer { format: WeightFormat::Nvfp4, more, .. } => write!(
                f,
                "NVFP4 files of this model differ: attention is counted in 8 bits and the output head in 4, as in NVIDIA's; files that leave linear attention in 16 take {more} more on each GPU. Where they would not go in, the verdict is tight."
            ),
            Self::FilesDiffer { format, more, .. } => write!(
                f,
                "{format} files of this model differ: all linear layers are counted in 4 bits, as AWQ, AutoRound and W4A16 files have them; Qwen's own GPTQ files leave attention in 16 and take {more} more on each GPU. Where they would not go in, the verdict is tight."
            ),
            Self::Unsloth => f.write_str(
                "Stock code of transformers and peft is counted. Unsloth trains by kernels of its own, with checkpoints in host memory and a loss in chunks: it takes less, and is not modelled. Checkpointing full with a chunked loss comes nearest.",
            ),
            Self::Reentrant { counted: true, more } => write!(
                f,
                "Checkpoints are re-entrant (use_reentrant=True): FSDP then holds the input of every layer and its gradient until the backward pass ends, {more} in all at the peak."
            ),
            Self::Reentrant { counted: false, more } => write!(
                f,
                "Checkpoints are counted as transformers 5 makes them. Re-entrant ones (use_reentrant=True), which transformers before 4.52 makes by itself, take up to {more} more with FSDP (--reentrant-checkpointing). Where that would leave too little, the verdict is tight."
            ),
            Self::WideEnds => f.write_str(
                "As in Meta's own FP8 file, the MLPs of all layers but the first and the last are in 8 bits, all other matrices in 16. Files that quantise attention too are smaller: fp8-block counts all in 8 bits.",
            ),
            Self::PaddedVocabulary(rows) => write!(
                f,
                "Megatron-LM pads the vocabulary to {} rows, a multiple of 128 on each tensor-parallel rank.",
                Grouped(rows.into())
            ),
            Self::WideTensors(format) if format.is_gguf() => write!(
                f,
                "{format} is counted as the whole file of llama.cpp: names with a K stand for mixes, in which some matrices have more bits. The output head is Q6_K unless the format is wider, norms and biases are fp32. Files with an importance matrix or with other mixes differ by a few percent."
            ),
            Self::WideTensors(format) => write!(
                f,
                "{format} holds the matrices of the layers (MXFP4 and NVFP4 of a mixture: the experts, and seldom others); embedding, output head, norms and biases stay in 16 bits, as common quantisers leave them."
            ),
            Self::WideExperts { format, trains, upcast } => {
                let tool = if format == WeightFormat::Int4Group32 { "torchao" } else { "bitsandbytes" };
                write!(
                    f,
                    "Routed experts stay in 16 bits: {tool} quantises linear layers only, and transformers since 5.0 holds the experts of a layer as one tensor, which {tool} skips (bitsandbytes issue 1849).",
                )?;
                if upcast {
                    f.write_str(" peft's prepare_model_for_kbit_training then upcasts them to fp32: 4 bytes for each parameter of an expert.")?;
                }
                if trains {
                    f.write_str(" transformers 4, and tools with a conversion of their own such as Unsloth, quantise the experts too: --quantised-experts counts them so.")?;
                }
                Ok(())
            }
            Self::BeyondTable(end) => write!(
                f,
                "The model reads no sequence of this length: its learned table has {} positions, and is counted so.",
                Grouped(end.into())
            ),
            Self::FullSequences => f.write_str("Every sequence has the full seq_length, prompt and answer together."),
            Self::SlidingWindow { window, layers, of } => write!(
                f,
                "{layers} of {of} layers keep only the last {} tokens; an engine that pages all layers alike reserves more.",
                Grouped(window.into())
            ),
            Self::PrefillChunks => write!(
                f,
                "Activations are the widest moment of one layer while a prompt is read in chunks of up to {} tokens; an estimate that depends on the engine.",
                Grouped(crate::memory::activations::PREFILL_CHUNK.into())
            ),
            Self::Recipe(recipe, implementation) => {
                f.write_str(match recipe {
                    Recipe::Autocast if implementation == Implementation::Torchtitan => {
                        "Shards of the weights, gradients and the optimizer's states are kept in fp32; FSDP2 gathers weights in 16 bits and reduces gradients in fp32."
                    }
                    Recipe::Mixed => {
                        "16-bit weights and gradients have an fp32 master copy beside the optimizer's own states, as DeepSpeed keeps them (pure bf16 training does without: 8 bytes a parameter in all)."
                    }
                    Recipe::MixedFp32Gradients => {
                        "16-bit weights have an fp32 master copy and fp32 gradients beside the optimizer's own states: 18 bytes a parameter with AdamW in fp32."
                    }
                    Recipe::WithoutMaster => {
                        "16-bit weights and gradients and the optimizer's states in fp32, without a master copy: 12 bytes a parameter with AdamW."
                    }
                    Recipe::Pure => {
                        "Weights, gradients and the optimizer's states are all kept in 16 bits, without a master copy: 8 bytes a parameter with AdamW."
                    }
                    Recipe::Fp32 => {
                        "Weights, gradients and the optimizer's states are all kept in fp32: 16 bytes a parameter with AdamW."
                    }
                    Recipe::Autocast => {
                        "Weights, gradients and the optimizer's states are kept in fp32; autocast makes a 16-bit copy of each matrix that lives as long as the graph, unless FSDP gathers weights in 16 bits."
                    }
                })?;
                f.write_str(habit(recipe, implementation))
            }
            Self::Gradients { sharded: true, .. } => f.write_str(
                "Gradients stay allocated from step to step: FSDP2 reduces them on a stream whose memory serves nothing else.",
            ),
            Self::Gradients { kept: true, .. } => f.write_str(
                "Gradients stay allocated from step to step, in the buffers that Megatron-LM and DeepSpeed keep.",
            ),
            Self::Gradients { kept: false, .. } => {
                f.write_str("Gradients are freed after each step, as PyTorch's zero_grad does.")
            }
            Self::ForeachStep => f.write_str(
                "The optimizer's step runs over lists of tensors (foreach, PyTorch's default on CUDA) and makes one more copy as large as all that learns; a fused step does without.",
            ),
            Self::FusedStep(copy) => write!(
                f,
                "The optimizer's step is fused, as in Hugging Face's Trainer with PyTorch 2.8 or newer. With an older one, and in torch.optim.AdamW by itself, it runs over lists of tensors and makes a copy of {} (--step foreach).",
                Size::new(copy, ByteUnit::Gb).plain()
            ),
            Self::PlacedPrediction { layers, copy } => write!(
                f,
                "The layout's {layers} MTP layers count as one more layer each where it has them, with a projection{}, and with logits of their own in the loss. They are in no count of the model's parameters.",
                if copy { " and a copy of the embedding table there" } else { " there, beside the embedding table" },
            ),
            Self::BothWays(schedule) => write!(
                f,
                "{} is DeepSeek's schedule, which only forks of Megatron-LM have: layers keep what Megatron-LM's do. Each rank holds two stages: the first rank the first and the last, the second rank the second and the last but one, and so on. Together they keep activations of one micro-batch more than there are ranks{}. Traffic that hides behind work is counted as if it did not.",
                schedule.name(),
                if schedule == PipelineSchedule::DualPipe { ". Both copies of a stage shard their states for themselves" } else { "" },
            ),
            Self::UnfusedAttention => f.write_str(
                "PyTorch has no fused kernel for this attention: none takes fewer KV heads than query heads in fp32, or before compute capability 8.0, and none takes Falcon 7B's. It multiplies in fp32 and keeps all scores, 4 bytes × batch × heads × seq_length² a layer, as was measured.",
            ),
            Self::FusedAttention { more } => write!(
                f,
                "Attention is counted in a fused kernel, as FlashAttention 2 or autocast (bf16=True) brings it. A script with neither hands it the upcast fp32 values, for which PyTorch has none with fewer KV heads than query heads: it keeps all scores and takes {more} more at the peak. Where that would leave too little, the verdict is tight."
            ),
            Self::BesideMegatron { mixture: true } => f.write_str(
                "Tokens are counted evenly over experts and ranks. Peaks of two tests of Megatron-LM's own with experts were 4.5 and 6.3 GB above what is counted, 21 to 29% of it without eager attention's scores. A margin under 30% of the need is called tight.",
            ),
            Self::BesideMegatron { mixture: false } => f.write_str(
                "Public runs of Megatron-LM on several GPUs (examples of ms-swift) took up to 16% more in nvidia-smi than is counted here: buffers of NCCL, blocks that the allocator reserves, and experts that get more tokens than others. A margin under 16% of the need is called tight.",
            ),
            Self::Adapters { rank, implementation, fp32, copies } => write!(
                f,
                "Adapters of rank {} learn, the model is frozen: it has no gradients, and a frozen matrix saves no input for backward. {} Routed experts carry none.",
                Grouped(rank.into()),
                match implementation {
                    Implementation::Transformers => match (fp32, copies) {
                        (true, true) =>
                            "Adapters are in fp32, as peft makes them by default, and each saves an fp32 copy of its input: with adapters on all matrices that can be more than full training saves.",
                        (true, false) =>
                            "Adapters are in fp32, as peft makes them by default; hidden states are in fp32 too, so adapters on the same input save it once.",
                        (false, true) => "Adapters are in 16 bits, and each saves a copy of its input.",
                        (false, false) =>
                            "Adapters are in 16 bits like the model, so those on the same input save it once.",
                    },
                    Implementation::Litgpt =>
                        "Adapters are in the precision of the model; a 4-bit matrix keeps its input, as bitsandbytes up to 0.43.1 does.",
                    Implementation::Megatron | Implementation::Torchtitan =>
                        "Adapters are in the precision of the model; what they keep is derived from the code for full training.",
                }
            ),
            Self::Upcast { format, autocast } => write!(
                f,
                "{format} holds the matrices of the layers; embedding, output head and norms are upcast to fp32, as peft's prepare_model_for_kbit_training does, and hidden states and logits follow. Trainers that skip this step, such as TRL, need less (--no-kbit-upcast). The checkpointing that it switches on is a setting here. Autocast beside it (bf16=True) is not modelled: attention would keep 16-bit tensors, about {} bytes a token less where nothing is recomputed.",
                Grouped(autocast.into())
            ),
            Self::Implementation(implementation) => f.write_str(match implementation {
                Implementation::Transformers => {
                    "Activations are the tensors that stock PyTorch and transformers code saves, without fusion or torch.compile; equal to the byte to measured runs of that code."
                }
                Implementation::Megatron => {
                    "Activations are the list of Korthikanti et al. 2022 for fused kernels as in Megatron-LM; small statistics are left out as there."
                }
                Implementation::Torchtitan => {
                    "Memory is what torchtitan's allocator reserves with FSDP2: fp32 shards, 16-bit gathered weights, and the blocks that streams of their own and finished tensors leave unusable. A pipeline holds the logits of one micro-batch at a time, as in releases since 0.2.1; earlier ones kept those of the whole step."
                }
                Implementation::Litgpt => {
                    "Activations are the tensors that LitGPT saves, read from its code; its published peaks are met within 1%, several GPUs apart."
                }
            }),
            Self::AllExperts { experts, visited, ranks: 1 } => write!(
                f,
                "All {experts} experts of a layer are in memory, though a token visits {visited}: a mixture saves traffic and arithmetic, not capacity."
            ),
            Self::AllExperts { experts, visited, ranks } => write!(
                f,
                "Of the {experts} experts of a layer {} are on each GPU, whichever {visited} a token visits: expert parallelism spreads them over {} GPUs.",
                u64::from(experts).div_ceil(ranks),
                Grouped(ranks.into())
            ),
            Self::LatentCache => f.write_str(
                "Keys and values are cached as one compressed vector a token for all heads, stored once, and copied whole to each tensor-parallel rank.",
            ),
            Self::ConstantState { layers, of } => write!(
                f,
                "{layers} of {of} layers keep a state of constant size in place of a cache, however long the context."
            ),
            Self::Offload { gradients, host } => {
                f.write_str(
                    "What is offloaded waits in host memory; of offloaded layers two are on the GPU, the one at work and the next; the link's printed rate is what the transfer is reckoned with. The time of a step on the CPU, as by DeepSpeedCPUAdam, is not counted.",
                )?;
                f.write_str(match gradients {
                    None => "",
                    Some(true) => " Gradients go to host memory as they are made.",
                    Some(false) => {
                        " Gradients stay on the GPU until the backward pass ends: DeepSpeed moves them as they are made with ZeRO-2 and 3 (--zero 2, on one GPU too), FSDP together with the weights."
                    }
                })?;
                host.map_or(Ok(()), |host| {
                    write!(
                        f,
                        " Host memory: the process of each GPU keeps {} there, those of a computer with {} GPUs {}, and up to half as much again by DeepSpeed's own estimate (--host-memory says how much there is).",
                        Size::new(host.each, ByteUnit::Gb).plain(),
                        host.ranks,
                        Size::new(host.least(), ByteUnit::Gb).plain()
                    )
                })
            }
            Self::Paged(states) => write!(
                f,
                "bitsandbytes keeps the optimizer's states in managed memory: {} of them are counted on the GPU, and where it is full the driver moves them to host memory, from which each step fetches them over PCIe. The verdict is tight where they have to move. Windows has no such paging.",
                Size::new(states, ByteUnit::Gb).plain()
            ),
            Self::DeepSpeed { stage, offload } => {
                write!(
                    f,
                    "ZeRO-{} is counted as DeepSpeed runs it, with its settings as they come: a bucket of 5e8 gradients is reduced at a time, through a copy. ",
                    stage.id()
                )?;
                f.write_str(match (stage, offload) {
                    (ZeroStage::Weights, false) => {
                        "Up to 1.05e9 weights stay gathered, and the step copies the gradients of 1e9 parameters at a time, flattened and in fp32."
                    }
                    (ZeroStage::Weights, true) => "Up to 1.05e9 weights stay gathered.",
                    (_, false) => {
                        "Its step holds a rank's part of the gradients three times for a moment: as they are, flattened, and in fp32."
                    }
                    (_, true) => {
                        "On its way to host memory a gradient is checked for overflow, for which the largest one takes 11 bytes a value on the GPU."
                    }
                })?;
                f.write_str(
                    " It clones a rank's part of the weights for the optimizer in any recipe. With all states in one precision (--recipe pure, autocast or fp32) ZeRO-2 and 3 are FSDP's unless --sharding deepspeed is given or the optimizer alone is offloaded, and --implementation torchtitan or megatron has others' sharding: they make no such copies.",
                )
            }
            Self::Fsdp { narrows, keeps, adds_whole } => {
                f.write_str(if narrows {
                    "ZeRO is counted as FSDP runs it under accelerate: weights are gathered in 16 bits, in which hidden states stay."
                } else {
                    "ZeRO is counted as FSDP2 runs it: weights are gathered in the precision in which they are kept, and nothing is copied for the optimizer. DeepSpeed, which clones a rank's part of the weights and has buffers, is --sharding deepspeed."
                })?;
                f.write_str(if keeps {
                    " They are gathered once a step and stay whole until the backward pass has used them (SHARD_GRAD_OP)."
                } else {
                    ""
                })?;
                f.write_str(if adds_whole {
                    " Micro-batches add up whole gradients on each rank, which the last one shares out; with sync_each_batch each of them does."
                } else {
                    ""
                })
            }
            Self::Loss(loss) => f.write_str(match loss {
                Loss::Plain => {
                    "The loss is plain cross-entropy with logits upcast to fp32: 12 bytes for each token and vocabulary entry when backward begins, a little more with soft-capped logits or a vocabulary cut over ranks. A chunked or fused loss needs far less."
                }
                Loss::Chunked => {
                    "The loss is computed 1,024 tokens at a time, so that only one chunk's logits exist at once."
                }
                Loss::Compiled => {
                    "The loss is compiled into one kernel that keeps a single fp32 copy of the logits."
                }
            }),
            Self::SelectiveIdle => f.write_str(
                "Selective checkpointing frees nothing here: flash attention keeps no scores.",
            ),
            Self::EagerScores => f.write_str("Eager attention writes the seq_length × seq_length scores to memory."),
            Self::DeviceContext => f.write_str(
                "Driver context and libraries are taken as 512 MiB, of the 0.3 to 0.9 GiB seen on NVIDIA GPUs.",
            ),
            Self::Capacity(reported) => write!(f, "{reported}"),
            Self::System(span) => write!(
                f,
                "CPU and GPU share one memory: when a program starts, the system usually holds {span} of it, which is not there to be taken."
            ),
            Self::Stated(span) => write!(f, "{span} of the GPU's memory are not there to be taken, as was stated."),
            Self::NoUnits(format) => write!(
                f,
                "This GPU has no matrix units for {format}, or none are published: the memory is right, and programs that run it keep the weights in it and compute in 16 bits."
            ),
            Self::CacheScales { counted: true } => f.write_str(
                "llama.cpp stores a quantised KV cache in q8_0 or q4_0: the 16-bit scale of each block of 32 values is counted.",
            ),
            Self::CacheScales { counted: false } => f.write_str(
                "Scales of a quantised KV cache are not counted; formats that store one for each block take up to an eighth more at 4 bits.",
            ),
            Self::DerivedTensors => f.write_str(
                "Activations are derived from the code that runs; this combination of settings was not measured.",
            ),
            Self::LearnedPositions(rows) => write!(
                f,
                "This model has learned positions for {} tokens; an answer beyond them is about memory only.",
                Grouped(rows.into())
            ),
            Self::UnstableInFp16 => f.write_str(
                "This model overflows in fp16: the memory is right, but its answers may be empty or meaningless (transformers#36822 on Gemma 3). Use bf16 or fp32; vLLM refuses fp16 for it.",
            ),
            Self::BeyondTrainedContext(context) => write!(
                f,
                "This model was made for {} tokens: the memory is right, the answers may not be.",
                Grouped(context.into())
            ),
            Self::BeyondLearnedPositions(rows) => write!(
                f,
                "This model has learned positions for {} tokens only and cannot run beyond them as it is.",
                Grouped(rows.into())
            ),
            Self::ManyGpus { gpus, gathered } => write!(
                f,
                "The figures are those of the fullest of {} GPUs{}.",
                Grouped(gpus.into()),
                if gathered {
                    "; of weights that ZeRO shares out, the tables, the layer at work and the next one are gathered on each"
                } else {
                    ""
                }
            ),
            Self::Fragmentation { percent } => {
                write!(f, "Fragmentation is not added: a margin under {percent}% of the GPU is called tight instead.")?;
                f.write_str(if percent > TIGHT_PERCENT {
                    " Runs with FSDP were seen to reserve 8 to 37% more than they allocate."
                } else {
                    ""
                })
            }
        }
    }
}

/// What the code does by itself, where that needs a word beside the recipe; with its space before it.
///
/// # Source
/// See [`crate::Scenario::usual_recipe`]; transformers: `Trainer` with `bf16=True` runs under autocast and leaves the model's parameters as they were loaded; `LitGPT` 0.5.13: `precision` of its scripts. Read 2026-11-25.
const fn habit(recipe: Recipe, implementation: Implementation) -> &'static str {
    match (implementation, recipe) {
        (Implementation::Transformers, Recipe::Mixed) => {
            " Hugging Face's Trainer alone keeps gradients like the weights: in fp32 with bf16=True (autocast), in 16 bits if the model is loaded so (pure)."
        }
        (Implementation::Megatron, Recipe::MixedFp32Gradients) => {
            " Megatron-LM adds gradients up in fp32 with --bf16, unless it is told --grad-reduce-in-bf16."
        }
        (Implementation::Megatron, Recipe::Mixed | Recipe::WithoutMaster | Recipe::Pure) => {
            " In Megatron-LM gradients are in 16 bits with --grad-reduce-in-bf16 alone; with --bf16 they are in fp32 (mixed-fp32-grads)."
        }
        (
            Implementation::Torchtitan,
            Recipe::Mixed | Recipe::MixedFp32Gradients | Recipe::WithoutMaster | Recipe::Pure,
        ) => " torchtitan itself keeps weights and gradients in fp32 (autocast).",
        (Implementation::Litgpt, Recipe::Mixed | Recipe::MixedFp32Gradients | Recipe::WithoutMaster) => {
            " LitGPT itself keeps gradients like the weights: in fp32 with bf16-mixed (autocast), in 16 bits with bf16-true (pure)."
        }
        _ => "",
    }
}
