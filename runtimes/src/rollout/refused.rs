//! What TRL refuses, and what isn't modelled.

use core::fmt;

use memory_wall_core::display::Grouped;
use memory_wall_core::{Checked, Implementation, Loss, Scenario, ScenarioError};

use super::{NUM_GENERATIONS, Placed, Reference, Told};

/// Why a run isn't answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refused {
    /// Nothing is learned.
    NotTraining,
    /// vLLM on the trainer's GPU takes a share of it, and no GPU is named.
    NoGpu,
    /// Training code other than transformers'.
    Implementation(Implementation),
    /// The trainer's model is cut over ranks.
    Ranks,
    /// A loss that GRPO doesn't have.
    Loss,
    /// A completion leaves no token for its prompt.
    NoPrompt {
        /// Tokens of prompt and completion.
        seq_length: u32,
        /// Tokens of a completion.
        completion: u32,
    },
    /// Too few completions of a prompt.
    Generations(u32),
    /// What is generated at once is no multiple of a group.
    Groups {
        /// Sequences that are generated at once.
        batch: u64,
        /// Completions of a prompt.
        generations: u32,
    },
    /// The GPUs of one vLLM don't divide the trainer's.
    TensorParallel {
        /// GPUs of one vLLM.
        tp: u32,
        /// GPUs of the trainer.
        dp: u32,
    },
    /// Sleep mode of a vLLM that is on other GPUs.
    SleepElsewhere,
    /// An offloaded reference with adapters, which have no second model.
    NoReference,
    /// A request is longer than vLLM accepts.
    TooLong {
        /// Tokens of prompt and completion.
        seq_length: u32,
        /// Tokens of the longest request.
        longest: u32,
    },
    /// vLLM doesn't run the model so.
    Vllm(ScenarioError),
}

impl Refused {
    /// Whether groups of completions are not whole.
    pub const fn is_of_groups(&self) -> bool {
        matches!(self, Self::Groups { .. })
    }

    /// The option that is to be another, by its name in plans; nothing where it is not one that is told.
    pub fn option(&self, trainer: &Scenario, told: &Told) -> Option<&'static str> {
        let parallel = &trainer.parallel;
        Some(match self {
            Self::NotTraining => "mode",
            Self::NoGpu => "gpu",
            Self::Implementation(_) => "implementation",
            Self::Ranks => {
                let ranks = [("tp", parallel.tp), ("pp", parallel.pp), ("cp", parallel.cp), ("ep", parallel.ep)];
                ranks.iter().find(|(_, count)| *count > 1)?.0
            }
            Self::Loss => "loss",
            Self::NoPrompt { .. } => "max_completion_length",
            Self::Generations(_) | Self::Groups { .. } => "num_generations",
            Self::TensorParallel { .. } => "vllm_tensor_parallel_size",
            Self::SleepElsewhere => "vllm_enable_sleep_mode",
            Self::NoReference => "reference",
            Self::TooLong { .. } if told.max_model_len.is_some() => "vllm_max_model_length",
            Self::TooLong { .. } => "seq",
            Self::Vllm(_) => return None,
        })
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |count: u32| Grouped(count.into());
        match *self {
            Self::NotTraining => f.write_str("--rl grpo trains a policy: say --mode training, lora or qlora"),
            Self::NoGpu => f.write_str("vLLM takes a share of the trainer's GPU, and none is named: --gpu ID"),
            Self::Implementation(code) => write!(
                f,
                "reinforcement learning is modelled as TRL runs it, with transformers' code: --implementation {} is not",
                code.id()
            ),
            Self::Ranks => f.write_str(
                "TRL shards a policy with ZeRO or FSDP alone: leave --tp, --pp, --cp and --ep at 1; --vllm-tensor-parallel-size is how many GPUs share one vLLM",
            ),
            Self::Loss => f.write_str("GRPO's loss is plain, or Liger's (use_liger_kernel): --loss plain or chunked"),
            Self::NoPrompt { seq_length, completion } => write!(
                f,
                "--seq {seq_length} is prompt and completion together, and a completion of {} leaves no prompt: say --max-completion-length or a larger --seq",
                number(completion)
            ),
            Self::Generations(generations) => write!(
                f,
                "GRPO compares completions of a prompt, so --num-generations is {} or more, not {generations}",
                NUM_GENERATIONS.min
            ),
            Self::Groups { batch, generations } => write!(
                f,
                "TRL refuses incomplete groups: the generation batch of {} (batch × GPUs × steps_per_generation) is not a multiple of num_generations {}",
                Grouped(batch.into()),
                number(generations)
            ),
            Self::TensorParallel { tp, dp } => {
                write!(f, "vllm_tensor_parallel_size {tp} does not divide the {} GPUs of the trainer", number(dp))
            }
            Self::SleepElsewhere => f.write_str(
                "--vllm-enable-sleep-mode needs --vllm-mode colocate: on a server's GPUs sleeping frees nothing for the trainer",
            ),
            Self::NoReference => f.write_str(
                "with adapters the reference is the base model, which is on the GPU already: say --reference resident, not offloaded",
            ),
            Self::TooLong { seq_length, longest } => write!(
                f,
                "prompt and completion of {} tokens are longer than the {} that vLLM accepts (--vllm-max-model-length)",
                number(seq_length),
                number(longest)
            ),
            Self::Vllm(error) => write!(f, "as vLLM generates: {error}"),
        }
    }
}

impl core::error::Error for Refused {}

/// Whether it is refused.
pub(super) fn check(trainer: &Checked, told: &Told) -> Result<(), Refused> {
    lengths(trainer, told)?;
    let batch = u64::from(trainer.batch) * u64::from(trainer.parallel.dp) * u64::from(told.steps(trainer));
    if told.generations < NUM_GENERATIONS.min {
        return Err(Refused::Generations(told.generations));
    }
    if !batch.is_multiple_of(told.generations.into()) {
        return Err(Refused::Groups { batch, generations: told.generations });
    }
    Ok(())
}

/// All but whole groups.
pub(super) fn lengths(trainer: &Checked, told: &Told) -> Result<(), Refused> {
    let parallel = &trainer.parallel;
    if !trainer.mode.trains() {
        return Err(Refused::NotTraining);
    }
    if trainer.training.implementation != Implementation::Transformers {
        return Err(Refused::Implementation(trainer.training.implementation));
    }
    if [parallel.tp, parallel.pp, parallel.cp, parallel.ep] != [1; 4] {
        return Err(Refused::Ranks);
    }
    if trainer.training.loss == Loss::Compiled {
        return Err(Refused::Loss);
    }
    let (seq_length, completion) = (trainer.seq_length, told.completion);
    if completion >= seq_length {
        return Err(Refused::NoPrompt { seq_length, completion });
    }
    if trainer.mode.adapts() && told.reference == Reference::Offloaded {
        return Err(Refused::NoReference);
    }
    if told.placed == Placed::Server {
        return if told.sleep { Err(Refused::SleepElsewhere) } else { Ok(()) };
    }
    if told.tp == 0 || !parallel.dp.is_multiple_of(told.tp) {
        return Err(Refused::TensorParallel { tp: told.tp, dp: parallel.dp });
    }
    match told.max_model_len.or(trainer.architecture.trained_context) {
        Some(longest) if longest < seq_length => Err(Refused::TooLong { seq_length, longest }),
        _ => Ok(()),
    }
}
