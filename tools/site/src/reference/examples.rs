//! The worked numbers of the formula sheet: for each formula a state, the values of its names there, and what the engine answers.

use memory_wall_core::display::{Figure, Grouped, THIN_SPACE};
use memory_wall_core::evaluate::at_phase;
use memory_wall_core::memory::activations::{self, megatron};
use memory_wall_core::memory::{adapters, kv_cache, logits, optimizer, states};
use memory_wall_core::tables::models;
use memory_wall_core::units::Bytes;
use memory_wall_core::worked::{self, Item};
use memory_wall_core::{
    Attention, Bucket, Checked, Checkpointing, Implementation, LoraTargets, Loss, Mode, Optimizer, Phase, Recipe,
    Scenario, evaluate, solve,
};

use super::sheet::Answer;
use crate::math::Value;

/// A formula's example.
#[derive(Debug)]
pub(crate) struct Example {
    /// The formula.
    pub(crate) id: &'static str,
    /// The state, of which most names are read.
    pub(crate) scenario: Checked,
    /// The model's name.
    pub(crate) model: &'static str,
    /// The GPU's name, where there is one.
    pub(crate) gpu: &'static str,
    /// Names that this example gives a value of its own.
    pub(crate) given: Vec<Value>,
    /// What the engine says.
    pub(crate) answer: Answer,
}

/// A whole number.
pub(super) fn whole(name: &'static str, value: impl Into<u128>) -> Value {
    let value = value.into();
    Value { name, number: value as f64, shown: Grouped(value).to_string() }
}

/// A quantity in its unit.
pub(super) fn quantity(name: &'static str, number: f64, (scale, unit): (f64, &str)) -> Value {
    Value { name, number, shown: format!("{}{THIN_SPACE}{unit}", Figure(number / scale)) }
}

impl Example {
    pub(super) fn new(id: &'static str, scenario: &Checked, answer: Answer) -> Self {
        let known = models::MODELS.iter().find(|model| model.architecture == scenario.architecture);
        let (model, gpu) = (known.map_or("", |model| model.name), scenario.gpu.map_or("", |gpu| gpu.name));
        Self { id, scenario: *scenario, model, gpu, given: Vec::new(), answer }
    }

    pub(super) fn with(mut self, given: impl IntoIterator<Item = Value>) -> Self {
        self.given.extend(given);
        self
    }

    /// What a name stands for here.
    pub(crate) fn value(&self, name: &str) -> Result<Value, String> {
        if let Some(value) = self.given.iter().find(|value| value.name == name) {
            return Ok(value.clone());
        }
        let (scenario, shape) = (&self.scenario, &self.scenario.architecture);
        let batch = u64::from(scenario.batch);
        let dimensions: [(&'static str, u64); 20] = [
            ("L", shape.layers.into()),
            ("layers", shape.layers.into()),
            ("h", shape.hidden_size.into()),
            ("q", shape.query_width()),
            ("k", shape.kv_width()),
            ("f", shape.moe.map_or(shape.intermediate_size, |moe| moe.intermediate_size).into()),
            ("a", shape.heads.into()),
            ("V", shape.vocab_size.into()),
            ("kv_heads", shape.kv_heads.into()),
            ("head_dim", shape.head_dim.into()),
            ("E", shape.moe.map_or(0, |moe| moe.experts).into()),
            ("K", shape.moe.map_or(0, |moe| moe.experts_per_token).into()),
            ("batch", batch),
            ("tokens", scenario.seq_length.into()),
            ("s", scenario.seq_length.into()),
            ("T", batch * u64::from(scenario.seq_length)),
            ("t", scenario.parallel.tp.into()),
            ("m", scenario.training.micro_batches.into()),
            ("parameters", scenario.trained_parameters().max(shape.parameters().total())),
            ("bytes", 2),
        ];
        let known = dimensions.into_iter().find(|(known, _)| *known == name);
        known.map(|(name, value)| whole(name, value)).ok_or(format!("{name} has no value in the example"))
    }
}

pub(super) fn model(id: &str) -> Result<Checked, String> {
    let model = models::by_id(id).ok_or(format!("there is no model {id}"))?;
    Scenario::new(model.architecture).check().map_err(|error| error.to_string())
}

pub(super) fn training(id: &str) -> Result<Checked, String> {
    changed(&model(id)?, |it| it.mode = Mode::Training)
}

/// A scenario with a change.
pub(super) fn changed(scenario: &Checked, change: impl FnOnce(&mut Scenario)) -> Result<Checked, String> {
    scenario.with(change).map_err(|error| error.to_string())
}

/// Every example, in the order of the sheet.
pub(crate) fn all() -> Result<Vec<Example>, String> {
    let mut all = stored()?;
    all.extend(kept()?);
    all.extend(scored_and_cached()?);
    all.extend(super::examples_speed::all()?);
    Ok(all)
}

fn bucket(scenario: &Checked, bucket: Bucket, phase: Phase) -> Answer {
    Answer::Bytes(worked::total(|sink| bucket.terms(scenario, phase, sink)))
}

/// Parameters, and what is kept for each.
fn stored() -> Result<Vec<Example>, String> {
    let llama = model("llama-2-7b")?;
    let mixtral = model("mixtral-8x7b")?;
    let lora = changed(&llama, |it| {
        (it.mode, it.training.lora.rank, it.training.lora.targets) = (Mode::Lora, 8, LoraTargets::QV);
    })?;
    let seven = training("generic-7b")?;
    let with = |run: &Checked, optimizer| changed(run, |it| it.optimizer = optimizer);
    let states_of = |scenario: &Checked| bucket(scenario, Bucket::Optimizer, Phase::Loss);
    let all_states: Bytes = states(&seven).into_iter().sum();
    let full = training("llama-2-7b")?;
    let (muon, adafactor) = (with(&full, Optimizer::Muon)?, with(&full, Optimizer::Adafactor)?);
    let foreach = changed(&seven, |it| it.training.step = memory_wall_core::StepKernel::Foreach)?;
    let parts = llama.architecture.parameters();
    Ok(vec![
        Example::new("parameters", &llama, Answer::Count(parts.total())),
        Example::new("active", &mixtral, Answer::Count(mixtral.architecture.active_parameters()))
            .with([whole("parameters", mixtral.architecture.parameters().total())]),
        Example::new("weights", &llama, bucket(&llama, Bucket::Weights, Phase::Loss)).with([
            whole("block_bytes", llama.weights.block().bytes),
            whole("block_values", llama.weights.block().values),
        ]),
        Example::new("adapters", &lora, Answer::Count(adapters::parameters(&lora)))
            .with([whole("r", lora.training.lora.rank)]),
        Example::new("gradients", &seven, bucket(&seven, Bucket::Gradients, Phase::OptimizerStep)),
        Example::new("adamw", &seven, states_of(&seven)),
        Example::new("adamw8bit", &seven, states_of(&with(&seven, Optimizer::AdamW8bit)?)),
        Example::new("lion", &seven, states_of(&with(&seven, Optimizer::Lion)?)),
        Example::new("muon", &muon, states_of(&muon)).with([whole("matrices", parts.matrices)]),
        Example::new("adafactor", &adafactor, states_of(&adafactor)).with([whole("vectors", parts.vectors)]),
        Example::new("states", &seven, Answer::Bytes(all_states)),
        Example::new("foreach", &seven, {
            let total =
                |scenario: &Checked| worked::total(|sink| optimizer::terms(scenario, Phase::OptimizerStep, sink));
            Answer::Bytes(total(&foreach) - total(&seven))
        }),
    ])
}

/// Activations, by whose code runs.
fn kept() -> Result<Vec<Example>, String> {
    let stock = training("llama-2-7b")?;
    let in_layers = |scenario: &Checked| Answer::Bytes(activations::in_layers(scenario).0);
    let eager = changed(&stock, |it| it.attention = Attention::Eager)?;
    let full = changed(&stock, |it| it.checkpointing = Checkpointing::Full)?;
    let by = |implementation| {
        changed(&stock, |it| (it.training.recipe, it.training.implementation) = (Recipe::Pure, implementation))
    };
    let (titan, lit) = (by(Implementation::Torchtitan)?, by(Implementation::Litgpt)?);
    let gpt = training("gpt2-xl")?;
    let gpt_layers = worked::total(|sink| megatron::layers(&gpt, gpt.architecture.layers.into(), sink));
    let once = worked::total(|sink| activations::terms(&stock, Phase::Loss, sink)) - activations::in_layers(&stock).0;
    let serving = model("llama-2-7b")?;
    let chunk = whole("chunk", serving.tokens().min(activations::PREFILL_CHUNK));
    Ok(vec![
        Example::new("activations-transformers", &stock, in_layers(&stock)),
        Example::new("activations-eager", &eager, in_layers(&eager)),
        Example::new("activations-once", &stock, Answer::Bytes(once)),
        Example::new("activations-megatron", &gpt, Answer::Bytes(gpt_layers)),
        Example::new("activations-torchtitan", &titan, in_layers(&titan)),
        Example::new("activations-litgpt", &lit, in_layers(&lit)),
        Example::new("activations-full", &full, in_layers(&full)),
        Example::new("activations-serving", &serving, bucket(&serving, Bucket::Activations, Phase::Forward))
            .with([chunk]),
    ])
}

/// Logits, the cache, what every process takes, and the sum.
fn scored_and_cached() -> Result<Vec<Example>, String> {
    let eight = training("llama-3.1-8b")?;
    let scores = |scenario: &Checked, phase| Answer::Bytes(worked::total(|sink| logits::terms(scenario, phase, sink)));
    let chunked = changed(&eight, |it| (it.seq_length, it.training.loss) = (8_192, Loss::Chunked))?;
    let serving = model("llama-3.1-8b")?;
    let long = |id: &str| Ok::<_, String>(model(id)?.with_seq_length(128_000));
    let (llama, gemma, latent, next) =
        (long("llama-2-7b")?, long("gemma-3-27b-text")?, long("deepseek-v3")?, long("qwen3-next-80b-a3b")?);
    let cache = |scenario: &Checked| bucket(scenario, Bucket::KvCache, Phase::Forward);
    let window = gemma.architecture.sliding_window.ok_or("there is no window")?;
    let memory_wall_core::architecture::Projection::Latent(vector) = latent.architecture.projection else {
        return Err("attention is not latent".into());
    };
    let state = next.architecture.linear_attention.ok_or("there is no state")?;
    let mut state_bytes = Bytes::ZERO;
    kv_cache::terms(&next, &mut |term| {
        if term.item == Item::LinearStates {
            state_bytes += term.bytes();
        }
    });
    let served = memory_wall_core::memory::paging::Served { tokens: &[2_050], longest: 4_096, page: 16, shared: 0 };
    let seven = model("generic-7b")?;
    let passes = solve::kv_cache_passes_weights(&seven).ok_or("the cache never passes the weights")?;
    let weights = worked::total(|sink| Bucket::Weights.terms(&seven, Phase::Forward, sink));
    let whole_run = training("llama-2-7b")?;
    let evaluation = evaluate(&whole_run);
    let fullest = at_phase(&whole_run, evaluation.peak_phase);
    let parts = Bucket::EACH.map(|bucket| whole(bucket.id(), evaluation.bytes(bucket).0));
    Ok(vec![
        Example::new("logits", &eight, scores(&eight, Phase::Loss)),
        Example::new("logits-forward", &eight, scores(&eight, Phase::ForwardEnd)),
        Example::new("logits-chunked", &chunked, scores(&chunked, Phase::Loss))
            .with([whole("chunk", chunked.tokens().min(logits::CHUNK_TOKENS))]),
        Example::new("logits-serving", &serving, scores(&serving, Phase::Forward)),
        Example::new("kv-cache", &llama, cache(&llama)),
        Example::new("kv-cache-window", &gemma, cache(&gemma)).with([
            whole("full", gemma.architecture.full_layers()),
            whole("sliding", window.layers),
            whole("window", window.window),
        ]),
        Example::new("kv-cache-latent", &latent, cache(&latent))
            .with([whole("latent", vector.kv_lora_rank), whole("position", vector.rope_dim)]),
        Example::new("kv-cache-state", &next, Answer::Bytes(state_bytes)).with([
            whole("linear", state.layers),
            whole("key_heads", state.key_heads),
            whole("key_dim", state.key_dim),
            whole("value_heads", state.value_heads),
            whole("value_dim", state.value_dim),
            whole("kernel", state.conv_kernel),
        ]),
        Example::new("paging", &seven, Answer::Count(served.pages()))
            .with([whole("page", served.page), whole("tokens", served.used())]),
        Example::new("passes", &seven, Answer::Count(passes.into()))
            .with([whole("weights", weights.0), whole("token_bytes", kv_cache::bytes_per_token(&seven).0)]),
        Example::new("context", &seven, bucket(&seven, Bucket::Overhead, Phase::Forward)),
        Example::new("total", &whole_run, Answer::Bytes(fullest)).with(parts),
    ])
}
