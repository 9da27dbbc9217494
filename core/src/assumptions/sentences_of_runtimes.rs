//! What each assumption says of the program that serves the model, in sentences.

use core::fmt;

use super::Assumption;
use crate::display::Grouped;
use crate::engines::vllm;
use crate::precision::WeightFormat;
use crate::scenario::Unsupported;
use crate::serving::Engine;
use crate::tables::capability::Capability;

impl Assumption {
    /// What it says of the program that serves the model.
    pub(super) fn of_runtime(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoBlockScales { blocks, marlin } => write!(
                f,
                "{}, does not start on this cut: {}.",
                match blocks.format {
                    WeightFormat::Fp8Block => {
                        "fp8 has one scale for a tensor or a row, as in checkpoints named FP8-dynamic. One that has a scale for each block of 128 × 128 values, as Qwen and DeepSeek publish theirs"
                    }
                    _ => {
                        "int8 with one scale for a row, as in checkpoints named W8A8, is w8a8. One that has a scale for each group of 128 values (GPTQ), which is counted, is cut like int4, and"
                    }
                },
                Unsupported::Blocks { blocks, marlin }
            ),
            Self::EightBitsBeside => f.write_str(
                "Files of llama.cpp with experts in mxfp4 hold embedding, output head and the other matrices in q8_0; norms, biases and routers are fp32.",
            ),
            Self::SplitByTensors => f.write_str(
                "Tensor parallelism in llama.cpp is --split-mode tensor, an experiment that has to be asked for. By itself it splits a model over GPUs by layers, which is a pipeline (pp).",
            ),
            Self::FinerBlocks { inside, block } => write!(
                f,
                "{} of an expert's moe_intermediate_size are on a rank, which is no multiple of 128: vLLM before 0.29 refuses such a cut of fp8-block. From 0.29 on it cuts the scales into blocks of {block}, which Triton's kernels alone read.",
                Grouped(inside.into())
            ),
            Self::BitsandbytesPlugin => f.write_str(
                "vLLM since 0.28 refuses weights of bitsandbytes unless the package vllm-bnb-plugin is installed.",
            ),
            Self::Int8WeightsAlone(Capability { major, minor }) => write!(
                f,
                "int8 is that of GPTQ, weights alone: W8A8 does not start on this GPU (\"Int8 not supported on SM{major}{minor}\")."
            ),
            Self::Served(engine) => f.write_str(match engine {
                Engine::Exact => "No program serves the model.",
                Engine::Hf => {
                    "Served by transformers 5.23: the working space follows the order of operations in its code, the whole prompt at once, and was not measured; its context is the 0.51 GiB that vLLM logs on an H100."
                }
                Engine::Vllm => {
                    "Served by vLLM: from its share of the GPU come weights, one forward pass with its largest batch and what the driver allocates, by the code of its releases and their public start-up logs; the rest is pages."
                }
                Engine::LlamaCpp => {
                    "Served by llama.cpp in chunks of 512 tokens: its compute buffer is that of public logs, with flash attention and long contexts an upper estimate. The token table stays in host memory, which is counted where CPU and GPU share it; of one that is the output matrix too the GPU has a copy. Builds since August 2026 keep fewer logits, and a context may be smaller: where only that fits, the verdict is tight."
                }
            }),
            Self::Guesses(guessed) => write!(
                f,
                "A decoding step writes 1 to {} tokens of each sequence, as many as are accepted of those that are guessed ahead: the fast end of tokens/s and of the time for each token counts all, the slow end one. What guessing and checking take is not counted in times.",
                guessed + 1
            ),
            Self::ReservedCache(how) => write!(f, "{how}"),
            Self::Release { releases, graphs, estimates, context_inside } => {
                let graphs = match graphs {
                    vllm::Graphs::Inside => {
                        "recorded graphs come out of the share too. Releases up to 0.20 record them beside it (--engine-version)."
                    }
                    vllm::Graphs::Either => {
                        "one of its two model runners takes recorded graphs out of the share, the other has them beside it. The smaller pool is counted, and where they find no room beside the share, the verdict is tight."
                    }
                    vllm::Graphs::Beside if estimates => {
                        "recorded graphs of this model lie beside the share, because its second model runner, which serves dense models, and ROCm estimate none. From 0.29 on they come out of the share on CUDA."
                    }
                    vllm::Graphs::Beside => {
                        "recorded graphs lie beside the share. Since 0.21 they come out of it, and the pool is smaller by them."
                    }
                };
                let context = if context_inside { "comes out of the share too" } else { "lies beside the share" };
                write!(f, "The verdict is that of vLLM {releases}: {graphs} The CUDA context {context}.")
            }
            Self::BesidePytorch { context, non_torch, graphs, over_ranks } => write!(
                f,
                "Logs of vLLM leave a range: its context usually takes {context}, its libraries and communication {non_torch}, recorded graphs {graphs}.{} The usual figures are counted; where the largest would not go in, the verdict is tight.",
                if over_ranks {
                    " With experts over data-parallel ranks some starts estimated 62 and 119 GiB of graphs and kept little or no pool; VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS=0 leaves the estimate out (vllm#45178, vllm#53013)."
                } else {
                    ""
                }
            ),
            Self::Fp8ByFlashInfer => f.write_str(
                "On GPUs below compute capability 8.9 only FlashInfer's kernels read an fp8 cache: where vLLM takes Triton's instead, it does not start (vllm#26431).",
            ),
            Self::MaxModelLen { taken, asked, own, holds } => {
                let taken_as = if asked { "as asked" } else { "as long as the requests" };
                write!(f, "vLLM accepts requests of up to {} tokens (--max-model-len), {taken_as}.", Grouped(taken.into()))?;
                match (own, holds) {
                    (Some(own), _) if own == taken => Ok(()),
                    (Some(own), Some(holds)) if holds < own => write!(
                        f,
                        " Without the option vLLM takes the model's own {} and would not start: the estimated maximum model length is {}.",
                        Grouped(own.into()),
                        Grouped(holds.into())
                    ),
                    (Some(own), Some(_)) => {
                        write!(f, " Without the option vLLM takes the model's own {}, which goes into the pool too.", Grouped(own.into()))
                    }
                    (Some(own), None) => {
                        write!(f, " Without the option vLLM takes the model's own {}.", Grouped(own.into()))
                    }
                    (None, _) => Ok(()),
                }
            }
            Self::NoGraphs => f.write_str(
                "vLLM records no CUDA graphs and does not compile (--enforce-eager): the forward pass is counted as if it did; four logs since 0.21 were compared, all on GPUs on PCIe.",
            ),
            _ => Ok(()),
        }
    }
}
