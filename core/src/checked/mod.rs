//! A scenario that has passed its check, the input of every question.

pub(crate) mod adapters;

use core::ops::Deref;

use crate::architecture::{Architecture, LayerKinds};
use crate::bounds;
use crate::layout::PipelineSplit;
use crate::parallelism::{Local, PipelineSchedule, ZeroStage};
use crate::parameters::Parameters;
use crate::scenario::{Mode, Offload, Scenario, ScenarioError};
use crate::tables::gpus::Gpu;
use crate::training::{Implementation, RecomputedModule};

/// A [`Scenario`] whose parts are in range and go together.
///
/// [`Scenario::check`] is the only way to one. It reads like a scenario and cannot be changed in place:
/// a few settings that are legal by themselves have a method here, and every other change is checked again.
/// That is why the formulas behind it need no checks of their own.
///
/// ```
/// use memory_wall_core::{Scenario, evaluate, tables::models};
/// # fn main() -> Result<(), memory_wall_core::ScenarioError> {
/// let scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture).check()?;
/// let long = evaluate(&scenario.with_seq_length(128_000));
/// let on_two = evaluate(&scenario.with(|it| it.parallel.tp = 2)?);
/// assert!(on_two.total < long.total);
/// assert!(scenario.with(|it| it.parallel.pp = 0).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Checked(Scenario);

impl Deref for Checked {
    type Target = Scenario;

    fn deref(&self) -> &Scenario {
        &self.0
    }
}

impl Scenario {
    /// The scenario as one that can be evaluated.
    ///
    /// # Errors
    /// A part that is out of range, or parts that do not go together.
    pub fn check(self) -> Result<Checked, ScenarioError> {
        self.parts()?;
        let mut checked = Checked(self);
        if !self.mode.trains() {
            checked.0.parallel.schedule = PipelineSchedule::OneForwardOneBackward;
        }
        // Adapters are counted on a rank, so this needs a legal cut.
        if self.mode.adapts() && adapters::parameters(&checked) == 0 {
            return Err(ScenarioError::NoAdapters);
        }
        Ok(checked)
    }
}

impl Checked {
    /// The scenario with any change, checked again.
    ///
    /// # Errors
    /// The change makes it illegal.
    pub fn with(self, change: impl FnOnce(&mut Scenario)) -> Result<Self, ScenarioError> {
        let mut scenario = self.0;
        change(&mut scenario);
        scenario.check()
    }

    /// Another batch, kept within [`bounds::BATCH`].
    #[must_use]
    pub fn with_batch(self, batch: u32) -> Self {
        Self(Scenario { batch: batch.clamp(bounds::BATCH.min, bounds::BATCH.max), ..self.0 })
    }

    /// Another length, kept within [`bounds::SEQ_LENGTH`].
    #[must_use]
    pub fn with_seq_length(self, seq_length: u32) -> Self {
        Self(Scenario { seq_length: seq_length.clamp(bounds::SEQ_LENGTH.min, bounds::SEQ_LENGTH.max), ..self.0 })
    }

    /// One micro-batch to a step; of several copies of the layers, one to each.
    #[must_use]
    pub(crate) fn with_one_micro_batch(mut self) -> Self {
        self.0.training.micro_batches = self.0.parallel.copies();
        self
    }

    /// The same run as another pipeline stage sees it: the last one, if there are fewer.
    #[must_use]
    pub fn at_stage(mut self, stage: u32) -> Self {
        self.0.parallel.stage = stage.min(self.0.parallel.pp - 1);
        self
    }

    /// All stages of its pipeline as one.
    #[must_use]
    pub(crate) fn without_pipeline(mut self) -> Self {
        (self.0.parallel.pp, self.0.parallel.stage, self.0.parallel.virtual_stages) = (1, 0, 1);
        self.0.parallel.split = PipelineSplit::default();
        self.0.parallel.schedule = PipelineSchedule::OneForwardOneBackward;
        self
    }

    /// Everything on the GPU, nothing in host memory.
    #[must_use]
    pub fn without_offload(self) -> Self {
        Self(Scenario { offload: Offload::default(), ..self.0 })
    }

    /// No GPU to hold it against.
    #[must_use]
    pub fn without_gpu(self) -> Self {
        Self(Scenario { gpu: None::<&'static Gpu>, ..self.0 })
    }

    /// The parameters that the rank which is looked at holds before any sharding.
    pub fn local_parameters(&self) -> Parameters {
        let shape = Architecture { tied_embeddings: self.ties(), ..self.padded() };
        let mut held = shape.parameters_of(&self.parallel, self.experts(), self.layers_here());
        self.add_predicting(&mut held);
        if self.torchtitan() {
            // Norms are whole on tensor-parallel ranks; below a thousandth, and every formula of torchtitan cuts them too.
            held.vectors = held.vectors.div_ceil(self.parallel.tp.into());
        }
        held
    }

    /// The model with the rows of its tables that training code adds; what vLLM adds is counted apart, as padding.
    fn padded(&self) -> Architecture {
        let vocab_size = if self.mode.trains() { self.vocabulary() } else { self.architecture.vocab_size };
        Architecture { vocab_size, ..self.architecture }
    }

    /// The first layer of the stage that is looked at, and the one behind its last.
    pub fn layers_here(&self) -> (u32, u32) {
        let layers = self.architecture.layers;
        if self.torchtitan() {
            self.parallel.layers_beside_tables(layers)
        } else if self.split_by_megatron() {
            self.parallel.layers_in_megatron(&self.architecture)
        } else {
            self.parallel.layers_of_stage(layers)
        }
    }

    /// Of so many layers with an MLP in flight on this rank, those with a dense one: as large a part as of the stage.
    pub(crate) fn dense_of(&self, layers: u64) -> u64 {
        if let Some(moe) = self.architecture.moe.filter(|moe| self.parallel.both_ways() && !moe.alternating) {
            let [dense, all] = self.parallel.held_both_ways(self.architecture.layers, moe.dense_layers);
            return layers * dense / all.max(1);
        }
        let (start, end) = self.layers_here();
        let LayerKinds { dense, moe, .. } = self.architecture.kinds_between(start, end);
        match self.architecture.moe {
            Some(_) => layers * u64::from(dense) / u64::from((dense + moe).max(1)),
            None => layers,
        }
    }

    /// MLPs and mixtures of the stage of which selective checkpointing computes what tensor-parallel ranks share again.
    pub(crate) fn mlps_again(&self) -> u64 {
        let (start, end) = self.layers_here();
        let LayerKinds { dense, moe, .. } = self.architecture.kinds_between(start, end);
        let mixtures = [RecomputedModule::Moe, RecomputedModule::SharedExperts].map(|it| self.recomputes(it));
        let again = [(self.recomputes(RecomputedModule::Mlp), dense), (mixtures != [false; 2], moe)];
        again.into_iter().filter(|(again, _)| *again).map(|(_, layers)| u64::from(layers)).sum()
    }

    /// The parameters that learn on the rank which is looked at: all of them, or those of the adapters.
    pub fn trained_parameters(&self) -> u64 {
        match self.mode {
            Mode::Inference => 0,
            Mode::Training => self.local_parameters().total(),
            Mode::Lora | Mode::Qlora => adapters::parameters(self),
        }
    }

    /// What is left on a rank of `parameters` that learn, where ZeRO shares them out from `stage` on.
    ///
    /// Experts that are cut over expert-parallel ranks are shared out over fewer ranks than the rest; a part of all is taken to hold its part of them.
    pub fn shared_out(&self, parameters: u64, stage: ZeroStage) -> u64 {
        let shards = self.parallel.shards_from(stage);
        if self.parallel.ep == 1 && self.parallel.etp.is_none() || shards == 1 || self.mode != Mode::Training {
            return parameters.div_ceil(shards);
        }
        let held = self.local_parameters();
        let (whole, experts) = (held.total().max(1), held.experts);
        let here = (whole - experts).div_ceil(shards) + experts.div_ceil(self.parallel.expert_shards_from(stage));
        let part = (u128::from(parameters) * u128::from(here)).div_ceil(u128::from(whole));
        u64::try_from(part).unwrap_or(u64::MAX)
    }

    /// What the rank that is looked at holds.
    pub fn local(&self) -> Local {
        let (start, end) = self.layers_here();
        let micro_batches = self.training.micro_batches;
        let local = self.parallel.local(&self.padded(), end - start, self.seq_length, micro_batches);
        if self.split_by_megatron() && (!self.parallel.split.is_even() || self.parallel.both_ways()) {
            let layers_in_flight = self.parallel.layers_in_flight(self.architecture.layers, micro_batches);
            return Local { layers_in_flight, ..local };
        }
        local
    }

    /// Whether Megatron-LM spreads the layers over stages.
    fn split_by_megatron(&self) -> bool {
        self.mode.trains() && self.training.implementation == Implementation::Megatron && self.parallel.pp > 1
    }

    /// Layers on the rank that is looked at that predict further tokens (MTP), which a layout of Megatron-LM places.
    pub fn predicting_here(&self) -> u32 {
        if self.split_by_megatron() { self.parallel.predicting() } else { 0 }
    }

    /// Further tokens that the loss scores at each place, by MTP layers that a layout of Megatron-LM places.
    pub(crate) fn predictions(&self) -> u32 {
        let layout = self.parallel.split.layout.filter(|_| self.split_by_megatron());
        layout.map_or(0, |layout| layout.predicting())
    }

    /// Whether MTP layers of the stage that is looked at come with an embedding table of their own: where the output head of a tied model is, it is the table;
    /// where both ends of the model are, their tables are shared.
    pub(crate) fn predicts_from_a_copy(&self) -> bool {
        let [first, last] = self.parallel.ends();
        self.predicting_here() > 0 && !(self.ties() && last || first && self.parallel.both_ways())
    }

    /// Adds what MTP layers have beside a layer: a copy of the embedding table, and a projection from two hidden states to one behind three norms.
    ///
    /// # Source
    /// Megatron-LM at d98e8a6 (2026-08): `GPTModel.__init__`, which makes an embedding where `mtp_process`; `MultiTokenPredictionLayer`. Read 2026-11-26.
    fn add_predicting(&self, held: &mut Parameters) {
        let (count, h) = (u64::from(self.predicting_here()), u64::from(self.architecture.hidden_size));
        let tp = u64::from(self.parallel.tp);
        if count == 0 {
            return;
        }
        if self.predicts_from_a_copy() {
            held.embedding += u64::from(self.vocabulary()).div_ceil(tp) * h;
        }
        held.matrices += (count * 2 * h * h).div_ceil(tp);
        held.vectors += count * 3 * self.architecture.norm.vectors() * h;
    }
}
