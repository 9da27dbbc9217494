//! What training code cannot cut over GPUs, however much memory there is.

use core::fmt;

use super::Scenario;
use crate::display::Grouped;
use crate::parallelism::ZeroStage;
use crate::training::Implementation;

/// Why the code that trains a scenario cannot cut it so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutError {
    /// The code has no pipeline schedule.
    NoPipeline(Implementation),
    /// `LitGPT` trains with data parallelism and sharding alone.
    ShardsOnly {
        /// The degree, by its option.
        degree: &'static str,
        /// Its value.
        ranks: u32,
    },
    /// Megatron-LM gives every stage the same number of layers.
    UnevenStages {
        /// Layers of the model.
        layers: u32,
        /// Stages, or chunks of all stages.
        chunks: u32,
    },
    /// Gradients or weights are sharded beside a pipeline.
    ShardedPipeline(ZeroStage),
}

impl fmt::Display for CutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoPipeline(implementation) => write!(
                f,
                "{} trains without a pipeline schedule; megatron and torchtitan have one, and ZeRO-3 shards the weights of all layers without one",
                if implementation == Implementation::Litgpt { "LitGPT" } else { "Hugging Face transformers" }
            ),
            Self::ShardsOnly { degree, ranks } => write!(
                f,
                "{degree} {ranks} is not for LitGPT, which trains with data parallelism and sharding (FSDP) alone; megatron and torchtitan cut layers and sequences too"
            ),
            Self::UnevenStages { layers, chunks } => write!(
                f,
                "Megatron-LM gives every pipeline stage the same number of layers, and {} layers over {} stages are not whole; its options for uneven stages are not modelled",
                Grouped(layers.into()),
                Grouped(chunks.into())
            ),
            Self::ShardedPipeline(zero) => write!(
                f,
                "ZeRO-{} beside a pipeline is not modelled for Megatron-LM: DeepSpeed and its FSDP2 option refuse it, and its own FSDP has other buffers; ZeRO-1 goes with a pipeline, and torchtitan runs both",
                zero.id()
            ),
        }
    }
}

impl core::error::Error for CutError {}

/// Whether the code that trains a scenario cuts it so. Everything passes in inference.
///
/// # Errors
/// The first thing that the code does not do.
///
/// # Source
/// transformers: no pipeline in its `Trainer` (huggingface/transformers issue 37129, 2025-04). `LitGPT`: FSDP is the only strategy of its training
/// scripts (Lightning-AI/litgpt issue 1731, 2024-09). Megatron-LM: `validate_args` in `megatron/training/arguments.py` (layers that divide; no pipeline
/// with `--use-torch-fsdp2`). DeepSpeed: `PipelineEngine` refuses ZeRO-2 and ZeRO-3 (deepspeedai/DeepSpeed issues 1110 and 1629). Read 2026-11-23.
pub(super) fn cuts(scenario: &Scenario) -> Result<(), CutError> {
    if !scenario.mode.trains() {
        return Ok(());
    }
    let parallel = &scenario.parallel;
    let implementation = scenario.training.implementation;
    match implementation {
        Implementation::Transformers | Implementation::Litgpt if parallel.pp > 1 => {
            Err(CutError::NoPipeline(implementation))
        }
        Implementation::Litgpt if parallel.tp > 1 => Err(CutError::ShardsOnly { degree: "tp", ranks: parallel.tp }),
        Implementation::Litgpt if parallel.cp > 1 => Err(CutError::ShardsOnly { degree: "cp", ranks: parallel.cp }),
        Implementation::Megatron if parallel.pp > 1 => {
            let (layers, chunks) = (scenario.architecture.layers, parallel.pp * parallel.virtual_stages);
            if !layers.is_multiple_of(chunks) {
                Err(CutError::UnevenStages { layers, chunks })
            } else if matches!(parallel.zero, ZeroStage::Gradients | ZeroStage::Weights) && parallel.dp > 1 {
                Err(CutError::ShardedPipeline(parallel.zero))
            } else {
                Ok(())
            }
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallelism::Parallelism;
    use crate::scenario::{Mode, ScenarioError};
    use crate::tables::models;

    #[test]
    fn only_pipelines_that_run_are_evaluated() {
        let told = |id: &str, implementation: Implementation, parallel: Parallelism| {
            let mut scenario = Scenario::new(models::by_id(id).unwrap().architecture);
            (scenario.mode, scenario.parallel, scenario.training.implementation) =
                (Mode::Training, parallel, implementation);
            scenario.check().map(|_| ())
        };
        let pipeline = |pp| Parallelism { pp, ..Parallelism::ONE };
        let sharded = |zero| Parallelism { dp: 8, zero, ..pipeline(4) };
        let no = |error: CutError| Err(ScenarioError::Cut(error));
        for implementation in [Implementation::Transformers, Implementation::Litgpt] {
            assert_eq!(told("llama-2-7b", implementation, pipeline(4)), no(CutError::NoPipeline(implementation)));
            assert_eq!(told("llama-2-7b", implementation, Parallelism::ONE), Ok(()));
        }
        let uneven = CutError::UnevenStages { layers: 126, chunks: 16 };
        assert_eq!(told("llama-3.1-405b", Implementation::Megatron, pipeline(16)), no(uneven));
        for (implementation, parallel) in [
            (Implementation::Torchtitan, pipeline(16)),
            (Implementation::Torchtitan, sharded(ZeroStage::Weights)),
            (Implementation::Megatron, pipeline(18)),
        ] {
            assert_eq!(told("llama-3.1-405b", implementation, parallel), Ok(()), "{implementation:?} {parallel:?}");
        }
        let megatron = |zero| told("llama-2-7b", Implementation::Megatron, sharded(zero));
        assert_eq!(megatron(ZeroStage::Optimizer), Ok(()));
        for zero in [ZeroStage::Gradients, ZeroStage::Weights] {
            assert_eq!(megatron(zero), no(CutError::ShardedPipeline(zero)));
        }
        let tensor = Parallelism { tp: 2, ..Parallelism::ONE };
        let refused = no(CutError::ShardsOnly { degree: "tp", ranks: 2 });
        assert_eq!(told("llama-2-7b", Implementation::Litgpt, tensor), refused);
    }
}
