//! What waits in host memory, and what it costs to fetch it.

use core::fmt;

use super::{Mode, Scenario};
use crate::parallelism::ZeroStage;
use crate::serving::Engine;
use crate::tables::classes::Class;
use crate::training::Optimizer;

/// Which states wait in host memory instead of on the GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Offload {
    /// Optimizer states, with the step computed on the processor.
    pub optimizer: bool,
    /// Weights, fetched layer by layer.
    pub parameters: bool,
    /// KV cache, fetched layer by layer.
    pub kv_cache: bool,
}

/// Why states cannot wait in host memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffloadError {
    /// vLLM keeps the cache of what it generates on the GPU.
    CacheStays,
    /// Transformers keeps quantised layers on the GPU.
    QuantisedStays,
    /// Transformers and accelerate train beside quantised weights on the GPU only, unless they are sharded.
    FrozenStays,
    /// llama.cpp computes on the CPU what is not on the GPU, and streams no weights.
    ComputedOnCpu,
    /// An optimizer of bitsandbytes takes its step on the GPU.
    StepOnGpu(Optimizer),
    /// The GPU, by its name, has no memory but that of its computer.
    SharedMemory(&'static str),
}

impl fmt::Display for OffloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CacheStays => {
                f.write_str("vLLM keeps the KV cache of running requests on the GPU: it cannot be offloaded there")
            }
            Self::QuantisedStays => f.write_str(
                "transformers keeps quantised weights on the GPU: neither bitsandbytes nor AWQ lets them wait in host memory there",
            ),
            Self::FrozenStays => f.write_str(
                "accelerate does not train a model that was loaded in 8 or 4 bits with parts of it in host memory: FSDP and DeepSpeed's ZeRO-3 (zero 3) fetch such weights, a single GPU's trainer does not",
            ),
            Self::ComputedOnCpu => f.write_str(
                "llama.cpp computes layers that are left in host memory (-ngl, --no-kv-offload) on the CPU, and does not stream them to the GPU: that is not modelled",
            ),
            Self::StepOnGpu(optimizer) => write!(
                f,
                "bitsandbytes takes the step of {} on the GPU, and what is offloaded is stepped on the CPU: use adamw",
                optimizer.id()
            ),
            Self::SharedMemory(gpu) => {
                write!(f, "{gpu} shares its memory with the CPU: nothing can be offloaded to other memory")
            }
        }
    }
}

impl core::error::Error for OffloadError {}

impl Offload {
    /// Whether the program and the GPU of a scenario can offload what the scenario says.
    ///
    /// # Errors
    /// Where the program keeps the states on the GPU, computes on the CPU what is offloaded, or where both share their memory.
    ///
    /// # Source
    /// Training beside quantised weights: `Accelerator.prepare_model` ("You can't train a model that has been loaded in 8-bit or 4-bit precision with CPU or disk
    /// offload"); FSDP and ZeRO-3: `docs/source/accelerate/fsdp.md` and `deepspeed.md` of github.com/huggingface/peft. Read 2026-11-24.
    /// Quantised layers of transformers: issue 26153 of github.com/huggingface/transformers (bitsandbytes) and 526 of github.com/casper-hansen/AutoAWQ.
    /// Optimizers: issue 1402 of github.com/bitsandbytes-foundation/bitsandbytes asks for a step on the CPU, for ZeRO-Offload, and is open; axolotl refuses the pair
    /// (`check_fsdp_offload_w_8bit_optimizer`: which says that FSDP's offload is not compatible with `adamw_8bit`). Read 2026-11-27.
    pub fn check(scenario: &Scenario) -> Result<(), OffloadError> {
        let Self { optimizer, parameters, kv_cache } = scenario.offload;
        let serves = scenario.mode == Mode::Inference;
        if !(parameters || if serves { kv_cache } else { optimizer }) {
            return Ok(());
        }
        match (scenario.gpu, scenario.serving.engine) {
            (Some(gpu), _) if gpu.class() == Class::Unified => Err(OffloadError::SharedMemory(gpu.name)),
            (_, Engine::Vllm) if serves && kv_cache => Err(OffloadError::CacheStays),
            (_, Engine::Hf) if serves && parameters && !scenario.weights.trainable() => {
                Err(OffloadError::QuantisedStays)
            }
            _ if scenario.mode == Mode::Qlora && parameters && scenario.parallel.zero != ZeroStage::Weights => {
                Err(OffloadError::FrozenStays)
            }
            (_, Engine::LlamaCpp) if serves => Err(OffloadError::ComputedOnCpu),
            _ if !serves && optimizer && scenario.optimizer.of_bitsandbytes() => {
                Err(OffloadError::StepOnGpu(scenario.optimizer))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{gpus, models};

    #[test]
    fn only_what_a_program_streams_can_be_offloaded() {
        let scenario = |engine, offload, gpu| {
            let mut scenario = Scenario::new(models::MODELS[0].architecture);
            (scenario.serving.engine, scenario.offload, scenario.gpu) = (engine, offload, gpus::by_id(gpu));
            scenario
        };
        let none = Offload::default();
        let weights = Offload { parameters: true, ..none };
        let cache = Offload { kv_cache: true, ..none };
        for (engine, offload, gpu, wanted) in [
            (Engine::Exact, weights, "rtx4090", Ok(())),
            (Engine::Hf, cache, "rtx4090", Ok(())),
            (Engine::Vllm, weights, "rtx4090", Ok(())),
            (Engine::Hf, weights, "rtx4090", Ok(())),
            (Engine::Vllm, cache, "rtx4090", Err(OffloadError::CacheStays)),
            (Engine::LlamaCpp, none, "m3max", Ok(())),
            (Engine::LlamaCpp, weights, "rtx4090", Err(OffloadError::ComputedOnCpu)),
            (Engine::LlamaCpp, cache, "rtx4090", Err(OffloadError::ComputedOnCpu)),
            (Engine::Hf, none, "rtx4090", Ok(())),
            // It waits for training, which nobody serves.
            (Engine::LlamaCpp, Offload { optimizer: true, ..none }, "m3max", Ok(())),
            (Engine::Exact, weights, "gb10", Err(OffloadError::SharedMemory("GB10 (DGX Spark)"))),
        ] {
            assert_eq!(Offload::check(&scenario(engine, offload, gpu)), wanted, "{engine:?} {offload:?} {gpu}");
        }
        let quantised = Scenario { weights: crate::WeightFormat::Int4, ..scenario(Engine::Hf, weights, "rtx4090") };
        assert_eq!(Offload::check(&quantised), Err(OffloadError::QuantisedStays));
        let mut training = scenario(Engine::LlamaCpp, weights, "rtx4090");
        training.mode = Mode::Training;
        assert_eq!(Offload::check(&training), Ok(()));
        let stepped = |optimizer, offload| {
            Offload::check(&Scenario {
                mode: Mode::Training,
                optimizer,
                offload,
                ..scenario(Engine::Exact, none, "rtx4090")
            })
        };
        let states = Offload { optimizer: true, ..none };
        for optimizer in [Optimizer::AdamW8bit, Optimizer::PagedAdamW8bit, Optimizer::PagedAdamW] {
            assert_eq!(stepped(optimizer, states), Err(OffloadError::StepOnGpu(optimizer)));
            assert_eq!(stepped(optimizer, weights), Ok(()), "the states stay");
        }
        assert_eq!([Optimizer::AdamW, Optimizer::Lion].map(|it| stepped(it, states)), [Ok(()); 2]);
        let qlora = |zero| {
            let mut qlora = Scenario { mode: Mode::Qlora, weights: crate::WeightFormat::Nf4, ..training };
            qlora.parallel.zero = zero;
            Offload::check(&qlora)
        };
        assert_eq!(qlora(ZeroStage::None), Err(OffloadError::FrozenStays));
        assert_eq!(qlora(ZeroStage::Weights), Ok(()));
    }
}
