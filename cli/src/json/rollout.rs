//! A step of reinforcement learning, for programs. Ranges are their two ends.

use memory_wall_core::engines::vllm::Refusal;
use memory_wall_core::{Checked, Verdict};
use memory_wall_runtimes::rollout::{Algorithm, Held, Placed, Remedy, Rollout, Told};
use serde::Serialize;

use super::ends;
use super::inputs::Inputs;
use crate::rollout::{change, verdict};

/// The answer to `estimate` with `--rl`.
#[derive(Debug, Serialize)]
pub(crate) struct Step<'a> {
    model: &'a str,
    scenario: Inputs,
    rl: Settings,
    moments: Vec<At>,
    peak_moment: &'static str,
    peak_bytes: [u128; 2],
    logits: Logits,
    vllm: Option<Vllm>,
    limit_bytes: Option<u128>,
    margin_bytes: Option<i128>,
    verdict: Option<&'static str>,
    reason: Option<String>,
    max_batch: Option<u32>,
    max_completion_length: Option<u32>,
    helps: Vec<Help>,
    assumptions: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Settings {
    algorithm: &'static str,
    vllm_mode: &'static str,
    vllm_gpu_memory_utilization: Option<f64>,
    vllm_tensor_parallel_size: Option<u32>,
    vllm_max_model_length: Option<u32>,
    vllm_enable_sleep_mode: bool,
    num_generations: u32,
    steps_per_generation: u32,
    max_completion_length: u32,
    reference: &'static str,
}

#[derive(Debug, Serialize)]
struct At {
    moment: &'static str,
    trainer_bytes: [u128; 2],
    reference_bytes: [u128; 2],
    vllm_bytes: [u128; 2],
    work_bytes: [u128; 2],
    total_bytes: [u128; 2],
}

#[derive(Debug, Serialize)]
struct Logits {
    bytes_per_logit: u128,
    log_probs_bytes: u128,
    loss_bytes: [u128; 2],
    backward_bytes: [u128; 2],
}

#[derive(Debug, Serialize)]
struct Vllm {
    requested_bytes: u128,
    weights_bytes: u128,
    pool_bytes: i128,
    asleep_bytes: [u128; 2],
    max_num_seqs: u32,
    running: u32,
    waiting: u32,
    refusal: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct Help {
    id: &'static str,
    change: String,
    peak_bytes: [u128; 2],
    verdict: Option<&'static str>,
}

impl<'a> Step<'a> {
    /// Of a step that was added up.
    pub(crate) fn new(
        model: &'a str,
        trainer: &Checked,
        told: &Told,
        made: &Rollout,
        [max_batch, max_completion_length]: [Option<u32>; 2],
        helps: &[(Remedy, Told, Rollout)],
        assumptions: Vec<String>,
    ) -> Self {
        let peak = made.peak();
        let help = |(remedy, told, made): &(Remedy, Told, Rollout)| Help {
            id: remedy.id(),
            change: change(*remedy, told),
            peak_bytes: ends(made.peak().total()),
            verdict: made.verdict.map(Verdict::id),
        };
        Self {
            model,
            scenario: Inputs::new(trainer),
            rl: Settings::new(trainer, told),
            moments: made.moments.iter().map(At::new).collect(),
            peak_moment: peak.moment.id(),
            peak_bytes: ends(peak.total()),
            logits: Logits {
                bytes_per_logit: made.logits.bytes,
                log_probs_bytes: made.logits.scored,
                loss_bytes: ends(made.logits.forward),
                backward_bytes: ends(made.logits.backward),
            },
            vllm: made.generator.map(|it| Vllm {
                requested_bytes: it.start.pool.requested.0,
                weights_bytes: it.start.pool.weights.0,
                pool_bytes: it.start.pool.pool.0,
                asleep_bytes: ends(it.asleep),
                max_num_seqs: it.sequences,
                running: it.start.requests.running,
                waiting: it.start.requests.waiting,
                refusal: it.start.refusal.map(Refusal::id),
            }),
            limit_bytes: made.limit.map(|it| it.0),
            margin_bytes: made.margin().map(|it| it.0),
            verdict: made.verdict.map(Verdict::id),
            reason: made.verdict.map(|it| verdict(trainer, made, it)),
            max_batch,
            max_completion_length,
            helps: helps.iter().map(help).collect(),
            assumptions,
        }
    }
}

impl Settings {
    fn new(trainer: &Checked, told: &Told) -> Self {
        let here = told.placed == Placed::Colocate;
        Self {
            algorithm: Algorithm::Grpo.id(),
            vllm_mode: told.placed.id(),
            vllm_gpu_memory_utilization: here.then(|| told.share.fraction()),
            vllm_tensor_parallel_size: here.then_some(told.tp),
            vllm_max_model_length: told.max_model_len,
            vllm_enable_sleep_mode: told.sleep,
            num_generations: told.generations,
            steps_per_generation: told.steps(trainer),
            max_completion_length: told.completion,
            reference: told.reference.id(),
        }
    }
}

impl At {
    fn new(held: &Held) -> Self {
        Self {
            moment: held.moment.id(),
            trainer_bytes: ends(held.trainer),
            reference_bytes: ends(held.reference),
            vllm_bytes: ends(held.vllm),
            work_bytes: ends(held.work),
            total_bytes: ends(held.total()),
        }
    }
}
