//! The sentences of causes, notes and contradictions. Sizes are in GiB, as the programs print them.

use core::fmt;

use memory_wall_core::Bytes;
use memory_wall_core::display::{ByteUnit, Grouped, Size as Shown};
use memory_wall_core::profile::Tensor;

use super::{Cause, Contradiction, Note};
use crate::capital::capital;
use crate::what::{Kind, Phase, Refusal, What};

/// A size for a sentence, with its sign.
struct Gib(i128);

impl fmt::Display for Gib {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{}", Shown::new(Bytes(self.0.unsigned_abs()), ByteUnit::Gib).plain())
    }
}

fn gib(bytes: i64) -> Gib {
    Gib(bytes.into())
}

/// The name of a tensor in a sentence.
pub(super) const fn tensor(tensor: Tensor) -> &'static str {
    match tensor {
        Tensor::Logits => "the logits of every token, or their gradient",
        Tensor::Scores => "the attention scores of one layer",
        Tensor::Mlp => "the wide activations of one MLP",
        Tensor::Stream => "the activations between two layers",
        Tensor::Cache => "the keys or values of one layer",
        Tensor::Table => "the embedding table or output head, its gradient or an optimizer state of it",
        Tensor::Matrix => "one matrix of an MLP, its gradient or an optimizer state of it",
    }
}

/// What the variable of an allocator's settings begins with.
///
/// Read in November 2026 in `NPUAllocatorConfig.h` of `torch_npu`, and in `CUDAAllocatorConfig.h` and `AllocatorConfig.h` of `PyTorch`: builds for `ROCm`
/// read `PYTORCH_HIP_ALLOC_CONF` in every release, and all read `PYTORCH_ALLOC_CONF` since 2.9, which is the only one for XPU.
const fn allocator(kind: Kind) -> &'static str {
    match kind {
        Kind::Npu => "PYTORCH_NPU",
        Kind::Hip => "PYTORCH_HIP",
        Kind::Xpu => "PYTORCH",
        _ => "PYTORCH_CUDA",
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::OtherProcess { holds, told: false, missing } => write!(
                f,
                "{} of the GPU are neither free nor PyTorch's: other processes hold them, or other libraries of this one. The request lacked {}.",
                gib(holds),
                gib(missing)
            ),
            Self::OtherProcess { holds, told: true, missing } => write!(
                f,
                "Other processes hold {} of the GPU. The request lacked {}, so it would have fit without them.",
                gib(holds),
                gib(missing)
            ),
            Self::Fragmentation { asked, reserved, free, kind } => write!(
                f,
                "The memory is fragmented. The request of {} would fit into the {} that PyTorch has reserved and not allocated and the {} that are free, but not in one piece. {}_ALLOC_CONF=expandable_segments:True lets the pieces grow together{}.",
                gib(asked),
                gib(reserved),
                gib(free),
                allocator(kind),
                if matches!(kind, Kind::Hip | Kind::Xpu) { ", where this PyTorch has it for such GPUs; others warn and ignore it" } else { "" }
            ),
            Self::Limit { allowed, capacity } => {
                write!(f, "The process may take no more than {}", gib(allowed))?;
                match capacity {
                    Some(capacity) => write!(f, " of the {} that the GPU has.", gib(capacity)),
                    None => f.write_str("."),
                }
            }
            Self::Full { allocated, capacity, .. } if allocated > capacity => write!(
                f,
                "PyTorch has allocated {}, more than the {} of the GPU: the driver has moved the rest to host memory, as those of Windows do, and that is slow.",
                gib(allocated),
                gib(capacity)
            ),
            Self::Full { allocated, capacity, asked, missing } => write!(
                f,
                "The GPU is full. PyTorch has allocated {} of {}, and the request of {} lacks {} even if everything that is free were in one piece.",
                gib(allocated),
                gib(capacity),
                gib(asked),
                gib(missing)
            ),
            Self::Tensor(candidate) => {
                write!(f, "The request has the size of {}:", tensor(candidate.tensor))?;
                for (place, dimension) in candidate.shape.iter().filter(|dimension| **dimension > 1).enumerate() {
                    write!(f, "{} {}", if place == 0 { "" } else { " ×" }, Grouped((*dimension).into()))?;
                }
                write!(f, " values of {} bytes.", candidate.bytes_per_value)
            }
            Self::FirstStep => f.write_str(
                "It happened in the optimizer's first step, which makes its states: AdamW adds two values for each parameter, and they stay. Forward and backward had fit before.",
            ),
            Self::When(Phase::OptimizerForeach, _) => write!(
                f,
                "It happened in {}, which makes copies of all states for a moment: AdamW(fused=True) or foreach=False makes none.",
                Phase::OptimizerForeach.words()
            ),
            Self::When(phase, part) => {
                write!(f, "It happened in {}", phase.words())?;
                match part {
                    Some(part) => write!(f, ", in {}.", part.words()),
                    None => f.write_str("."),
                }
            }
            Self::TooLarge { need, capacity } => write!(
                f,
                "By the estimate the run needs {}, and the GPU has {}.",
                Shown::new(need, ByteUnit::Gib).plain(),
                Shown::new(capacity, ByteUnit::Gib).plain()
            ),
            Self::Outside { bytes } => write!(
                f,
                "{} of this process are outside PyTorch: the CUDA context, NCCL, other libraries.",
                gib(bytes)
            ),
            Self::Refused { why, needed, available } => {
                match why {
                    // A program that has served may fail so too.
                    Refusal::Buffer | Refusal::Driver | Refusal::RequestSlots | Refusal::Resources => write!(f, "{}", capital(why.words()))?,
                    _ => write!(f, "It did not start: {}", why.words())?,
                }
                if let Some(needed) = needed {
                    write!(f, "; {} are needed", gib(needed))?;
                }
                if let Some(available) = available {
                    write!(f, "{} {} are there", if needed.is_some() { " and" } else { ";" }, gib(available))?;
                }
                f.write_str(match why {
                    Refusal::Share => ". Another process holds part of the GPU, or the share is too large beside what the driver keeps.",
                    Refusal::NoBlocks => ". Weights and activations take the whole share: a larger --gpu-memory-utilization leaves more where the GPU has more.",
                    Refusal::AllocationLimit => ". That limits one allocation, not all of the memory: Vulkan's drivers give 2 or 4 GiB at once. Flash attention or a smaller --ubatch-size need a smaller buffer, and builds with CUDA, ROCm or SYCL have no such limit.",
                    Refusal::Weights => ". Fewer bits for each weight, more GPUs or a larger one help, not another allocator setting.",
                    Refusal::Offloaded => ". Fewer bits for each weight, a larger GPU or more of them help; llm_int8_enable_fp32_cpu_offload lets the rest lie in host memory in 32 bits.",
                    Refusal::Driver => ". All programs on it together, the desktop among them, need more than it has.",
                    Refusal::Guardrails => ". The estimate is LM Studio's own: a shorter context or fewer bits for each weight make it smaller.",
                    Refusal::Profiling => ". Start it when nothing else starts or stops on the same GPU.",
                    _ => ".",
                })
            }
            Self::LargerThanGpu { asked, capacity } => write!(
                f,
                "More is asked for at once than the GPU has: {} of {}. Most often one tensor has a dimension that nobody meant, or scores of attention are written out.",
                gib(asked),
                gib(capacity)
            ),
            Self::Driver { asked, free } => write!(
                f,
                "The driver refused {} although {} were free. That is not PyTorch's fragmentation: the process or its container may be limited, another process may have held the memory at that moment, or the GPU's context is broken.",
                gib(asked),
                gib(free)
            ),
            Self::NearlyFull { allocated, capacity, left } => write!(
                f,
                "The GPU is nearly full: PyTorch has allocated {} of {}, and {} are left, not in one piece. They would hold this request and few more.",
                gib(allocated),
                gib(capacity),
                gib(left)
            ),
            Self::OneAllocation { asked, limit } => write!(
                f,
                "One allocation of {} is more than the driver gives at once, which is {}, whatever is free: the tensor has to be made in parts.",
                gib(asked),
                gib(limit)
            ),
            Self::Beside { held, asked, capacity } => write!(
                f,
                "PyTorch holds {} of {}, and {} more would fit beside it. The message does not say what is free: other processes hold the rest, or the driver limits what one allocation may take.",
                gib(held),
                gib(capacity),
                gib(asked)
            ),
            Self::Program { needs, capacity } => write!(
                f,
                "The compiled program needs {}, and the device has {}. A smaller batch or length, more devices to spread the arrays over, or recomputed activations (jax.checkpoint) make it smaller.",
                gib(needs),
                gib(capacity)
            ),
            Self::Buffer { asked, free } => {
                write!(f, "One buffer of {} was asked for, and {} were free.", gib(asked), gib(free))
            }
            Self::LargerThanAny { asked } => write!(
                f,
                "{} were asked for, more than any GPU has: a dimension is not what was meant, or what is free was read wrongly.",
                gib(asked)
            ),
            Self::OneTensor { bytes, each } => write!(
                f,
                "One tensor of {} was to be allocated, {each} bytes for each of its values.",
                gib(bytes)
            ),
            Self::RanOut { times, peak, reserved } => write!(
                f,
                "Memory ran out {times} {} by the allocator's own count. Its tensors took {} at most, and it has reserved {} for them at most: the difference was free, but not in one piece that was large enough.",
                if times == 1 { "time" } else { "times" },
                gib(peak),
                gib(reserved)
            ),
            Self::Pieces { asked, free, largest } => write!(
                f,
                "The memory is fragmented: {} were asked for and {} are free, but no piece of it is larger than {}.",
                gib(asked),
                gib(free),
                gib(largest)
            ),
            Self::Killed => f.write_str(
                "The process was killed from outside (signal 9, exit code 137). Most often the memory of the computer or the limit of its container ran out, not the GPU's memory: the kernel's log (dmesg) or the container's state says whether.",
            ),
            Self::Host { asked } => {
                f.write_str("The memory of the computer ran out, or what a container or a job may take of it, not that of the GPU")?;
                match asked {
                    Some(asked) => write!(f, ": {} were asked for.", gib(asked)),
                    None => f.write_str("."),
                }
            }
            Self::OutsideAllocator(kind) => f.write_str(match kind {
                Kind::TensorFlow => {
                    "cuBLAS found no memory for its handle. TensorFlow takes nearly all of a GPU when it starts, and two programs on one GPU leave each other nothing; tf.config.experimental.set_memory_growth lets it take what it needs."
                }
                Kind::Cublas => {
                    "cuBLAS found no memory for its handle or workspace. The framework's own allocator holds the GPU: what it has reserved is not there for libraries."
                }
                _ => {
                    "An allocation by CUDA or HIP itself failed: that of a context, a graph, or a library's or a program's own buffer, not one of PyTorch's allocator. The message has no numbers; nvidia-smi or rocm-smi at that moment would show who holds the GPU."
                }
            }),
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OldRelease => f.write_str("The release is older than what is modelled; its terms are estimated by the rules of vLLM 0.11."),
            Self::NoRules(kind) => write!(
                f,
                "How this server sets memory aside is not modelled ({}): weights and cache are compared, and its own terms are shown as they are.",
                kind.words()
            ),
            Self::Pool(kind) => write!(
                f,
                "The pool is estimated as this server sizes it ({}); what the text doesn't say of it is taken as the server takes it by itself.",
                kind.words()
            ),
            Self::WeightsUnknown => f.write_str("The weights are stored in a format that is not modelled; without them there is no estimate of the whole. --weights states one that is near."),
            Self::WeightsAssumed => f.write_str("How the weights are stored is not in the text: 16 bits were taken. --weights states it."),
            Self::WeightsByName => f.write_str("How the weights are stored follows from the model's name. --weights states it."),
            Self::Missing(what) => write!(f, "{} is not in the text; {} states it.", capital(what.words()), option(*what)),
            Self::RecipeAssumed => {
                f.write_str("In which precisions weights, gradients and optimizer states are kept is not in the text. --recipe states it.")
            }
            Self::TargetsAssumed => f.write_str("Which matrices the adapters are on was not read: all of a layer's were taken."),
            Self::Unsloth => f.write_str("Unsloth trains here by kernels of its own, with checkpoints in host memory and a loss in chunks. None of them is modelled: it takes less than stock code, and --checkpointing full with --loss chunked comes nearest."),
            Self::DraftModel => f.write_str("A draft model takes memory too, and is not estimated."),
            Self::Guesses => f.write_str("What guessing tokens ahead takes is not modelled for this model or release: it is not estimated."),
            Self::Retried => f.write_str("A compute buffer did not fit, and llama.cpp went on without pipeline parallelism, which needs less."),
            Self::VersionAssumed => f.write_str("The release of vLLM is not in the text: the rules of the newest that is modelled were taken. --engine-version states it."),
            Self::WorkingSet => f.write_str("More is allocated than this GPU should take (its recommended working set): macOS then moves memory about, and a run gets slow or fails."),
            Self::Unpinned => f.write_str("Host memory could not be pinned. llama.cpp goes on with memory that is not, from which copies to the GPU are slower."),
            Self::CacheFormat => f.write_str("The KV cache is stored in a format that is not modelled, so it is not estimated."),
            Self::EndsEarly(kind) => write!(
                f,
                "The {} ends before the server has its KV cache: either the rest is not in the text, or the process ended there. If it did, host memory may have run out, which the kernel's log says.",
                kind.words()
            ),
            Self::SeveralGpus(count) => write!(f, "The text names {count} different GPUs; what is said of the GPU is about the first, and the figures of each stand in the list of all figures."),
            Self::FreeBeyond => f.write_str("More is said to be free than the GPU has: where it shares the computer's memory, the driver counts the two differently."),
            Self::GpuByMemory => f.write_str("No GPU is named: the only one of the table with as much memory was taken. --gpu states it."),
            Self::ContextAssumed => f.write_str("The context is not in the text: 2,048 tokens were taken. --seq states it."),
            Self::AdapterSlots => f.write_str("Slots for adapters take memory too; for this model or release they are not modelled, and the weights are estimated without them."),
            Self::PartlyOffloaded => f.write_str("Only some of the layers are on the GPU: its weights and the middle of the range of its compute buffer are estimated for these, the cache for all."),
        }
    }
}

/// The option that states what is missing.
const fn option(what: What) -> &'static str {
    match what {
        What::BatchSize => "--batch",
        What::SeqLength => "--seq",
        _ => "an option",
    }
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Models(one, other) => write!(f, "Two models are named: {one} and {other}."),
            Self::Shape { what, reported, model } => write!(
                f,
                "{}: the text says {}, and the model has {}.",
                capital(what.words()),
                Grouped((*reported).into()),
                Grouped((*model).into())
            ),
            Self::Parameters { files, model } => write!(
                f,
                "The files hold {} parameters, and the model has {}: they are of two models.",
                Grouped((*files).into()),
                Grouped((*model).into())
            ),
            Self::Capacities(one, other) => {
                write!(
                    f,
                    "Two sizes of the GPU's memory are told: {} and {}. They may be two GPUs.",
                    gib(one.bytes),
                    gib(other.bytes)
                )
            }
            Self::Settings { what, one, other } => write!(
                f,
                "{}: {} in one place and {} in another.",
                capital(what.words()),
                Grouped((*one).into()),
                Grouped((*other).into())
            ),
            Self::Weights { reported, estimated } => write!(
                f,
                "The weights are reported as {} and estimated as {}: another model, another precision, or parts that the estimate doesn't have.",
                Gib(*reported),
                Gib(*estimated)
            ),
        }
    }
}
