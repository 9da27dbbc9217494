//! The vLLM that generates on a GPU of the trainer's, as TRL starts it.

use memory_wall_core::engines::vllm::{self, Graphs, Run};
use memory_wall_core::scenario::{Offload, sixteen_bits};
use memory_wall_core::serving::Version;
use memory_wall_core::units::GIB;
use memory_wall_core::{
    Checked, Checkpointing, Engine, KvPrecision, Mode, Parallelism, Scenario, Serving, WeightFormat,
};

use super::{Generator, Placed, Refused, Told};
use crate::Span;

/// The release of vLLM that TRL's trainers are started with: the newest that TRL supports.
///
/// # Source
/// TRL at f2cd577, `docs/source/vllm_integration.md`: 0.17.0 to 0.25.1. Read 2026-11-26.
pub(super) const RELEASE: Version = Version { major: 0, minor: 25 };

/// Tokens that pass through vLLM at once.
///
/// # Source
/// `max_num_batched_tokens=4096` in TRL's `generation/vllm_generation.py`.
const BATCHED: u32 = 4_096;

/// What a sleeping vLLM on several GPUs was seen to keep beside the context.
///
/// # Source
/// NVIDIA-NeMo/RL issue 223 (2025-04): Llama 3.2 1B in 2 GPUs keeps 2,440 MiB when asleep, on one GPU 774 MiB; one commit, taken for a defect, kept 7,392. Read 2026-11-26.
const SEVERAL_ASLEEP: u128 = 2 * GIB;

/// vLLM on the trainer's GPU; nothing where it is on other GPUs.
pub(super) fn of(trainer: &Checked, told: &Told) -> Result<Option<Generator>, Refused> {
    if told.placed == Placed::Server {
        return Ok(None);
    }
    let capacity = trainer.capacity().ok_or(Refused::NoGpu)?;
    let sequences = sequences(trainer, told);
    let scenario = scenario(trainer, told, sequences)?;
    let run = Run::of(&scenario);
    let start = vllm::start(&scenario, capacity);
    let pool = start.pool;
    let graphs = run.graphs_span();
    let beside = match run.graphs_lie() {
        Graphs::Inside => Span::default(),
        Graphs::Either => Span::new(0, graphs.high),
        Graphs::Beside => Span::new(graphs.low, graphs.high),
    };
    let driver = run.non_torch_span();
    // What lies beside PyTorch may be part of the context, as far as logs say.
    let asleep = Span::new(graphs.low, graphs.high + driver.high);
    let asleep = if told.tp > 1 { Span::new(asleep.low, asleep.high.max(SEVERAL_ASLEEP)) } else { asleep };
    let idle = pool.requested.0.saturating_sub(pool.activation.0);
    Ok(Some(Generator {
        start,
        awake: Span::exactly(pool.requested.0) + beside,
        idle: Span::exactly(idle) + beside,
        asleep,
        sequences,
    }))
}

/// Requests that run at once at most, all of which come at once: `per_device_train_batch_size` × `vllm_tensor_parallel_size` × `steps_per_generation`.
fn sequences(trainer: &Checked, told: &Told) -> u32 {
    trainer.batch.saturating_mul(told.tp).saturating_mul(told.steps(trainer))
}

/// The scenario of vLLM: the published model, in 16 bits unless the trainer's is quantised.
fn scenario(trainer: &Checked, told: &Told, sequences: u32) -> Result<Checked, Refused> {
    let weights = match trainer.mode {
        Mode::Qlora => trainer.weights,
        _ => sixteen_bits(Some(Engine::Vllm), trainer.gpu),
    };
    let kv = if weights == WeightFormat::Fp16 { KvPrecision::Fp16 } else { KvPrecision::Bf16 };
    let serving = Serving {
        engine: Engine::Vllm,
        max_num_seqs: sequences,
        max_num_batched_tokens: BATCHED,
        usual_seqs: false,
        usual_batched_tokens: false,
        gpu_memory_utilization: Some(told.share),
        max_model_len: told.max_model_len.or(trainer.architecture.trained_context),
        version: RELEASE,
        ..Serving::DEFAULT
    };
    let scenario = Scenario {
        mode: Mode::Inference,
        batch: sequences,
        weights,
        kv,
        serving,
        draft: None,
        checkpointing: Checkpointing::None,
        parallel: Parallelism { tp: told.tp, ..Parallelism::ONE },
        offload: Offload { optimizer: false, parameters: false, kv_cache: false },
        host_memory: None,
        ..**trainer
    };
    scenario.check().map_err(Refused::Vllm)
}
