//! Reinforcement learning after pre-training (GRPO): a trainer, and the vLLM that generates completions for it on the same GPUs or on others.
//!
//! A step has four moments. vLLM generates completions while the trainer's weights and optimizer states stay on the GPU. The trainer computes log-probabilities, with
//! the policy and with the reference. The policy takes a training step. Then vLLM gets the new weights. The trainer and vLLM are two checked scenarios; this module
//! adds up what both hold on one GPU at each moment.
//!
//! # Source
//! TRL 1.10.0.dev0 at f2cd577 (2026-07-24): `trainer/grpo_trainer.py`, `generation/vllm_generation.py`, `trainer/utils.py`, `trainer/grpo_config.py`. Read 2026-11-26.
//!
//! # Assumes
//! Generation and training take turns. Rewards are functions, so no reward model is on the GPU. Images are not counted.

mod generator;
mod logits;
mod parts;
mod refused;
mod remedies;
mod trainer;

pub use logits::{ENTROPY_CHUNK, Logits};
pub use parts::{Parts, parts};
pub use refused::Refused;
pub use remedies::{Remedy, longest_completion, most_sequences, remedies};

use alloc::format;
use alloc::string::{String, ToString};

use memory_wall_core::bounds::{self, Bounds};
use memory_wall_core::engines::vllm;
use memory_wall_core::memory::overhead::tight_percent;
use memory_wall_core::units::SignedBytes;
use memory_wall_core::{Bytes, Checked, Share, Verdict, engines};

use crate::Span;

memory_wall_core::choices! {
    /// How a policy is learned.
    Algorithm {
        /// Group relative policy optimization: several completions of each prompt, each judged beside the others of its group; no model of values.
        Grpo = "grpo";
    }
}

memory_wall_core::choices! {
    /// Where completions are generated (`vllm_mode` of TRL).
    Placed {
        /// On the trainer's GPUs, in its processes.
        Colocate = "colocate";
        /// On other GPUs.
        Server = "server";
    }
}

memory_wall_core::choices! {
    /// The reference model of the KL penalty (`beta` above 0 in TRL).
    Reference {
        /// None: `beta` is 0, TRL's default.
        None = "none";
        /// On the GPU all the time. With adapters, the reference is the base model with the adapters switched off, which takes nothing more.
        Resident = "resident";
        /// In host memory except during its forward pass (`ref.fsdp_config.param_offload` of verl).
        Offloaded = "offloaded";
    }
}

memory_wall_core::choices! {
    /// A moment of a step.
    Moment {
        /// vLLM generates completions.
        Generate = "generate";
        /// Log-probabilities of the completions, by the policy and by the reference.
        LogProbs = "log_probs";
        /// The policy takes a training step.
        Step = "step";
        /// vLLM gets the new weights.
        Sync = "sync";
    }
}

/// Completions of one prompt; GRPO compares them, so there are two at least.
pub const NUM_GENERATIONS: Bounds = Bounds { name: "num_generations", min: 2, max: 65_536, unit: "completions" };
/// Micro-batches that are generated at once.
pub const STEPS_PER_GENERATION: Bounds =
    Bounds { name: "steps_per_generation", min: 1, max: 65_536, unit: "micro-batches" };

/// GPUs that share one vLLM.
pub const TENSOR_PARALLEL: Bounds = Bounds { name: "vllm_tensor_parallel_size", ..bounds::TP };

/// The settings of a trainer and of its vLLM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// Where completions are generated.
    pub placed: Placed,
    /// vLLM's share of each GPU (`vllm_gpu_memory_utilization`).
    pub share: Share,
    /// Tensor-parallel GPUs of one vLLM (`vllm_tensor_parallel_size`).
    pub tp: u32,
    /// The longest request that vLLM accepts (`vllm_max_model_length`); `None` is as long as the model was made for.
    pub max_model_len: Option<u32>,
    /// Whether vLLM frees its weights and its KV cache during the training step (`vllm_enable_sleep_mode`).
    pub sleep: bool,
    /// The reference.
    pub reference: Reference,
    /// Completions of one prompt (`num_generations`).
    pub generations: u32,
    /// Micro-batches that are generated at once (`steps_per_generation`); `None` is those of an optimizer step.
    pub steps_per_generation: Option<u32>,
    /// Tokens of the longest completion (`max_completion_length`); the rest of a sequence is its prompt.
    pub completion: u32,
}

impl Default for Told {
    /// What TRL takes by itself with `use_vllm`.
    fn default() -> Self {
        Self {
            placed: Placed::Colocate,
            share: Share::percent(30),
            tp: 1,
            max_model_len: None,
            sleep: false,
            reference: Reference::None,
            generations: 8,
            steps_per_generation: None,
            completion: 512,
        }
    }
}

impl Told {
    /// Micro-batches that are generated at once.
    pub fn steps(&self, trainer: &Checked) -> u32 {
        self.steps_per_generation.unwrap_or(trainer.training.micro_batches)
    }
}

/// What lies on one GPU at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The moment.
    pub moment: Moment,
    /// The trainer's weights, states and buffers that stay between two steps, and the process.
    pub trainer: Span,
    /// The reference.
    pub reference: Span,
    /// vLLM.
    pub vllm: Span,
    /// What the moment's own work takes: activations, logits, gradients, gathered weights.
    pub work: Span,
}

impl Held {
    /// All of it.
    pub fn total(&self) -> Span {
        self.trainer + self.reference + self.vllm + self.work
    }
}

/// The vLLM that generates, on one GPU of the trainer's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Generator {
    /// How vLLM starts with its share of an otherwise empty GPU.
    pub start: vllm::Start,
    /// While it generates: the share, and graphs beside it.
    pub awake: Span,
    /// While it is idle and doesn't sleep: without the working space of a forward pass, which goes back to the PyTorch allocator that the trainer uses too.
    pub idle: Span,
    /// While it sleeps: graphs and what lies beside PyTorch.
    pub asleep: Span,
    /// Requests that run at once at most (`max_num_seqs`).
    pub sequences: u32,
}

impl Generator {
    /// Why it does not start, in vLLM's words with its options called as TRL calls them.
    pub fn refusal(&self) -> Option<String> {
        self.start.refusal.map(|refusal| as_in_trl(&refusal))
    }

    /// What of the start is in doubt by the largest figures in logs, in the same words.
    pub fn doubt(&self) -> Option<String> {
        match self.start.tightness {
            Some(vllm::Tightness::Start(refusal)) => Some(as_in_trl(&refusal)),
            _ => None,
        }
    }
}

fn as_in_trl(refusal: &vllm::Refusal) -> String {
    // TRL has neither of the options that vLLM would be told: it runs as many sequences as are generated at once.
    if let vllm::Refusal::States { sequences, blocks, .. } = *refusal {
        return format!(
            "vLLM refuses to start: max_num_seqs ({sequences}), which TRL sets to batch × vllm_tensor_parallel_size × steps_per_generation, exceeds the {blocks} blocks that the pool has for states, of which each sequence needs one; take a smaller batch or steps_per_generation"
        );
    }
    let text = refusal.to_string().replace("gpu_memory_utilization", "vllm_gpu_memory_utilization");
    text.replace("max_model_len", "vllm_max_model_length")
}

/// A step of reinforcement learning on one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rollout {
    /// What lies there at each moment.
    pub moments: [Held; 4],
    /// The parts of what stays between two steps.
    resting: Parts,
    /// The vLLM that generates, where it is on this GPU.
    pub generator: Option<Generator>,
    /// Logits of the loss.
    pub logits: Logits,
    /// What there may be in all; nothing without a GPU.
    pub limit: Option<Bytes>,
    /// The judgement; nothing without a GPU.
    pub verdict: Option<Verdict>,
}

impl Rollout {
    /// The fullest moment.
    pub fn peak(&self) -> Held {
        let [first, rest @ ..] = self.moments;
        rest.into_iter().fold(first, |most, held| if held.total().high > most.total().high { held } else { most })
    }

    /// The fullest moment by the smallest figures.
    pub fn least(&self) -> u128 {
        self.moments.iter().map(|held| held.total().low).max().unwrap_or(0)
    }

    /// What is left of the limit at the peak, by its largest figure; negative is missing.
    pub fn margin(&self) -> Option<SignedBytes> {
        Some(self.limit?.minus(Bytes(self.peak().total().high)))
    }
}

/// Adds up a step.
///
/// # Formula
/// - generate: trainer at rest + reference + vLLM's share (and CUDA graphs beside it);
/// - log-probs: trainer at rest + reference + vLLM idle or asleep + one forward pass of `batch` sequences with its logits;
/// - step: the fullest phase of the training step, its logits those of GRPO, + reference + vLLM idle or asleep;
/// - sync: trainer at rest + reference + vLLM with its weights + a gathered tensor.
///
/// # Units
/// Bytes of one GPU.
///
/// # Errors
/// What TRL refuses, and what isn't modelled.
///
/// # Example
/// ```
/// use memory_wall_core::{Checkpointing, Mode, Scenario, ZeroStage, tables::{gpus, models}};
/// use memory_wall_runtimes::rollout::{Moment, Told, rollout};
/// let mut it = Scenario::new(models::by_id("qwen2.5-7b").unwrap().architecture);
/// (it.mode, it.checkpointing, it.gpu) = (Mode::Training, Checkpointing::Full, gpus::by_id("h100-sxm"));
/// (it.parallel.dp, it.parallel.zero, it.seq_length, it.batch) = (8, ZeroStage::Weights, 1_024, 4);
/// let awake = rollout(&it.check().unwrap(), &Told::default()).unwrap();
/// let asleep = rollout(&it.check().unwrap(), &Told { sleep: true, ..Told::default() }).unwrap();
/// assert_eq!(awake.peak().moment, Moment::Step);
/// assert!(asleep.peak().total().high < awake.peak().total().high);
/// ```
pub fn rollout(trainer: &Checked, told: &Told) -> Result<Rollout, Refused> {
    refused::check(trainer, told)?;
    added_up(trainer, told)
}

/// The same without asking whether groups are whole, which larger batches would be at other numbers of completions.
fn added_up(trainer: &Checked, told: &Told) -> Result<Rollout, Refused> {
    refused::lengths(trainer, told)?;
    let generator = generator::of(trainer, told)?;
    let logits = Logits::of(trainer, told.completion);
    let resting = trainer::resting(trainer, told);
    let rests = Span::exactly(resting.total().0);
    let resident = trainer::reference(trainer, told.reference);
    let [awake, aside, weights] = generator.map_or([Span::default(); 3], |it| {
        let aside = if told.sleep { it.asleep } else { it.idle };
        // To receive new weights, a sleeping vLLM wakes its weights alone, not its KV cache.
        let weights = Span::exactly(it.start.pool.weights.0);
        [it.awake, aside, if told.sleep { it.asleep + weights } else { it.idle }]
    });
    let held = |moment, reference, vllm, work| Held { moment, trainer: rests, reference, vllm, work };
    let moments = [
        held(Moment::Generate, resident, awake, Span::default()),
        held(
            Moment::LogProbs,
            trainer::reference_at_work(trainer, told.reference),
            aside,
            trainer::log_probs(trainer, &logits),
        ),
        held(Moment::Step, resident, aside, trainer::step(trainer, &logits, rests.low)),
        held(Moment::Sync, resident, weights, trainer::gathered_for_sync(trainer)),
    ];
    let limit = trainer.capacity().map(|capacity| engines::limit(trainer, capacity));
    let mut rollout = Rollout { moments, resting, generator, logits, limit, verdict: None };
    rollout.verdict = judged(trainer, &rollout);
    Ok(rollout)
}

/// Whether it goes in: by its smallest figures at least, and with what an allocator loses to spare by its largest ones.
fn judged(trainer: &Checked, rollout: &Rollout) -> Option<Verdict> {
    let (limit, capacity) = rollout.limit.zip(trainer.capacity())?;
    let (least, most) = (rollout.least(), rollout.peak().total().high);
    let start = rollout.generator.map(|it| it.start);
    let refused = start.is_some_and(|start| start.refusal.is_some());
    let doubtful = start.is_some_and(|start| matches!(start.tightness, Some(vllm::Tightness::Start(_))));
    let spare = limit.0.saturating_sub(most);
    Some(if refused || least > limit.0 {
        Verdict::DoesNotFit
    } else if doubtful || spare * 100 < capacity.0 * tight_percent(trainer) {
        Verdict::Tight
    } else {
        Verdict::Fits
    })
}
