//! The trainer's side of a step: what rests, and what each moment's work takes.

use memory_wall_core::evaluate::at_phase;
use memory_wall_core::memory::deepspeed::{self, Settings};
use memory_wall_core::memory::{Bucket, Phase, weights};
use memory_wall_core::scenario::Offload;
use memory_wall_core::worked::{self, Item};
use memory_wall_core::{
    Bytes, Checked, Checkpointing, Engine, Mode, Parallelism, Recipe, Scenario, Serving, WeightFormat, ZeroStage,
};

use super::{Logits, Parts, Reference, Told};
use crate::Span;

fn bucket(scenario: &Checked, bucket: Bucket, phase: Phase) -> u128 {
    worked::total(|sink| bucket.terms(scenario, phase, sink)).0
}

/// What stays allocated between two steps: weights, optimizer states, gradients where they are kept, the CUDA context, and
/// DeepSpeed's buffers among activations.
///
/// # Assumes
/// Completions are generated between two optimizer steps, when gradients that are freed are gone, unless `steps_per_generation` is no multiple of the micro-batches of a step.
pub(super) fn resting(trainer: &Checked, told: &Told) -> Parts {
    let between = told.steps(trainer).is_multiple_of(trainer.training.micro_batches.max(1));
    let one = if between { trainer.with(|it| it.training.micro_batches = 1).unwrap_or(*trainer) } else { *trainer };
    Parts(Bucket::EACH.map(|kind| match kind {
        Bucket::Weights | Bucket::Optimizer | Bucket::Overhead => bucket(trainer, kind, Phase::ForwardEnd),
        Bucket::Gradients => bucket(&one, kind, Phase::ForwardEnd),
        Bucket::Activations => worked::total(|sink| deepspeed::steady(trainer, &Settings::DEFAULT, sink)).0,
        Bucket::KvCache | Bucket::Logits => 0,
    }))
}

/// The reference outside its forward pass: a second model in the precision of the policy's weights, sharded as they are.
///
/// # Source
/// `create_model_from_path`, `prepare_deepspeed` and `prepare_fsdp` in TRL's `GRPOTrainer.__init__`; of adapters none is made, since they can be switched off.
pub(super) fn reference(trainer: &Checked, reference: Reference) -> Span {
    match reference {
        Reference::Resident if !trainer.mode.adapts() => {
            Span::exactly(bucket(trainer, Bucket::Weights, Phase::ForwardEnd))
        }
        _ => Span::default(),
    }
}

/// The reference during its forward pass. An offloaded one brings two layers and its embedding tables at least, and all of its weights at most.
pub(super) fn reference_at_work(trainer: &Checked, asked: Reference) -> Span {
    if asked != Reference::Offloaded {
        return reference(trainer, asked);
    }
    let whole = bucket(trainer, Bucket::Weights, Phase::ForwardEnd);
    let layers = weights::layers(trainer).min(whole);
    let count = u128::from(trainer.architecture.layers.max(1));
    Span::new(whole - layers + (2 * layers / count).min(layers), whole)
}

/// The forward pass of `batch` sequences without gradients: its widest moment in a layer, or the logits of the completions; and weights that are gathered for it.
///
/// # Assumes
/// The widest moment of a layer is that of transformers' code in inference.
pub(super) fn log_probs(trainer: &Checked, logits: &Logits) -> Span {
    let pass = forward(trainer).map_or(0, |pass| bucket(&pass, Bucket::Activations, Phase::Forward));
    let mut gathered = 0;
    Bucket::Activations.terms(trainer, Phase::ForwardEnd, &mut |term| {
        if term.item == Item::GatheredWeights {
            gathered += term.bytes().0;
        }
    });
    // The layers' working space is free again before the logits are made, but the allocator may not be able to reuse it.
    Span::new(pass.max(logits.scored) + gathered, pass + logits.scored + gathered)
}

fn forward(trainer: &Checked) -> Option<Checked> {
    let scenario = Scenario {
        mode: Mode::Inference,
        weights: WeightFormat::Bf16,
        serving: Serving { engine: Engine::Hf, ..Serving::DEFAULT },
        checkpointing: Checkpointing::None,
        parallel: Parallelism::ONE,
        offload: Offload { optimizer: false, parameters: false, kv_cache: false },
        gpu: None,
        gpu_memory: None,
        host_memory: None,
        ..**trainer
    };
    scenario.check().ok()
}

/// Every phase of the training step with the logits of GRPO: all of it, and the logits.
fn phases(trainer: &Checked, logits: &Logits) -> impl Iterator<Item = (Phase, Span, Span)> {
    Phase::of(trainer.mode).iter().map(|phase| {
        let loss = match phase {
            Phase::ForwardEnd => logits.forward,
            Phase::Loss | Phase::FirstStep => logits.backward,
            _ => Span::default(),
        };
        let rest = at_phase(trainer, *phase).0.saturating_sub(bucket(trainer, Bucket::Logits, *phase));
        (*phase, Span::exactly(rest) + loss, loss)
    })
}

/// The fullest phase of the training step with the logits of GRPO, less what rests.
pub(super) fn step(trainer: &Checked, logits: &Logits, resting: u128) -> Span {
    let most = phases(trainer, logits)
        .fold(Span::default(), |most, (_, here, _)| Span::new(most.low.max(here.low), most.high.max(here.high)));
    Span::new(most.low.saturating_sub(resting), most.high.saturating_sub(resting))
}

/// Gradients, optimizer states and logits of the phase that is fullest by its largest figure.
pub(super) fn in_step(trainer: &Checked, logits: &Logits) -> [(Bucket, u128); 3] {
    let fullest = phases(trainer, logits).reduce(|most, here| if here.1.high > most.1.high { here } else { most });
    let of = |kind| fullest.map_or(0, |(phase, ..)| bucket(trainer, kind, phase));
    let loss = fullest.map_or(0, |(_, _, loss)| loss.high);
    [(Bucket::Gradients, of(Bucket::Gradients)), (Bucket::Optimizer, of(Bucket::Optimizer)), (Bucket::Logits, loss)]
}

/// What is gathered to send weights to vLLM: nothing where each GPU holds all weights; otherwise the embedding table at least, and both tables at most; with adapters up to the whole model.
///
/// # Source
/// `sync_weights` of TRL's `generation/vllm_generation.py`: parameters one by one, or by units of FSDP; with adapters and `DeepSpeed`'s ZeRO-3 all of them at once, to merge.
pub(super) fn gathered_for_sync(trainer: &Checked) -> Span {
    if trainer.parallel.shards_from(ZeroStage::Weights) == 1 {
        return Span::default();
    }
    let wide = trainer.mode == Mode::Training && matches!(trainer.recipe(), Recipe::Fp32 | Recipe::Autocast);
    let each: u128 = if wide { 4 } else { 2 };
    let table = u128::from(trainer.vocabulary()) * u128::from(trainer.architecture.hidden_size) * each;
    let whole = Bytes(u128::from(trainer.local_parameters().total()) * each).0;
    let tables = if trainer.ties() { table } else { 2 * table };
    Span::new(table, if trainer.mode.adapts() { whole } else { tables })
}
