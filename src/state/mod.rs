//! What the reader has chosen: the one value behind every figure, and how it travels in a link.

pub mod cluster;
pub mod decimal;
pub mod dimensions;
pub mod progress;
pub mod query;
pub mod roofline;
pub mod spending;
pub mod trace;

use memory_wall_core::architecture::ShapeError;
use memory_wall_core::display::ByteUnit;
use memory_wall_core::hierarchy::Tier;
use memory_wall_core::profile::Request;
use memory_wall_core::tables::gpus::{self, Gpu};
use memory_wall_core::tables::models::{self, Model};
use memory_wall_core::{
    AdapterPrecision, Architecture, Attention, Checked, Checkpointing, KvPrecision, Lora, Mode, Optimizer, Recipe,
    Scenario, ScenarioError, TargetSet, Training, WeightFormat, bounds,
};

use crate::words;
use dimensions::Dimension;

/// Everything the reader can choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// The model that the dimensions started from.
    pub model: &'static Model,
    /// Its shape, with the reader's changes: always one that a model can have.
    pub shape: Architecture,
    /// What the fields of the dimensions say while they do not go together: the reader is between two changes, and every
    /// figure still stands for `shape`. In no link.
    pub draft: Option<Architecture>,
    /// Inference or training.
    pub mode: Mode,
    /// Sequences at once.
    pub batch: u32,
    /// Tokens in a sequence.
    pub seq_length: u32,
    /// Format of the weights; see [`State::weights_in_use`].
    pub weights: WeightFormat,
    /// Format of the KV cache.
    pub kv: KvPrecision,
    /// The optimizer.
    pub optimizer: Optimizer,
    /// In which precisions the states of training are kept.
    pub recipe: Recipe,
    /// Which layers carry an adapter.
    pub targets: TargetSet,
    /// In which precision adapters are kept.
    pub adapters: AdapterPrecision,
    /// What is recomputed.
    pub checkpointing: Checkpointing,
    /// How attention is computed.
    pub attention: Attention,
    /// The GPU.
    pub gpu: &'static Gpu,
    /// How sizes are shown.
    pub unit: ByteUnit,
    /// Where the weights are thought to lie, in the section on the hierarchy alone: the calculator has them on the GPU.
    pub tier: Tier,
    /// What only the roofline is asked.
    pub roofline: roofline::Levers,
    /// What only the section on the peak is asked.
    pub trace: trace::Trace,
    /// What is asked beyond one GPU.
    pub cluster: cluster::Cluster,
    /// What only the section on time and money is asked.
    pub spending: spending::Spending,
    /// Bytes that the reader has measured: allocated, reserved, used; zero where not given. In no link: they are the reader's own.
    pub measured: [u64; 3],
    /// What the run that was measured asked for when it died, if it died.
    pub asked: Option<Request>,
}

/// The model and the GPU that the page starts with.
static FIRST_MODEL: &str = "llama-2-7b";
static FIRST_GPU: &str = "a100-80-sxm";

/// What [`State::mended`] put back to its default, so that the state can be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakenBack {
    /// The optimizer: the GPU has none in 8 bits.
    Optimizer,
    /// The quantised weights of QLoRA: it is LoRA, since nothing quantises on this GPU.
    Quantised,
    /// The layers that carry an adapter.
    Targets,
    /// The dimensions: they are the model's own again.
    Dimensions,
    /// Everything but the GPU and the unit.
    Everything,
}

impl Default for State {
    /// Llama 2 7B in bf16 on an A100 with 80 GB, one sequence of 2,048 tokens.
    fn default() -> Self {
        // The tables are never empty and hold both; a test says so.
        let model = models::by_id(FIRST_MODEL).or(models::MODELS.first());
        let gpu = gpus::by_id(FIRST_GPU).or(gpus::GPUS.first());
        match (model, gpu) {
            (Some(model), Some(gpu)) => Self::of(model, gpu),
            _ => unreachable!("the tables of models and cards have rows"),
        }
    }
}

impl State {
    fn of(model: &'static Model, gpu: &'static Gpu) -> Self {
        let Scenario { mode, batch, seq_length, weights, kv, optimizer, checkpointing, attention, .. } =
            Scenario::new(model.architecture);
        Self {
            model,
            shape: model.architecture,
            draft: None,
            mode,
            batch,
            seq_length,
            weights,
            kv,
            optimizer,
            recipe: Training::DEFAULT.recipe,
            targets: TargetSet::All,
            adapters: Training::DEFAULT.lora.precision,
            checkpointing,
            attention,
            gpu,
            unit: ByteUnit::Gb,
            tier: Tier::Own,
            roofline: roofline::Levers::default(),
            trace: trace::Trace::default(),
            cluster: cluster::Cluster::default(),
            spending: spending::Spending::default(),
            measured: [0; 3],
            asked: None,
        }
    }

    /// What the engine is asked.
    pub fn scenario(&self) -> Checked {
        // Links, storage, controls and the calls of a page around it all go through `State::mended` first.
        self.check().unwrap_or_else(|_| unreachable!("an illegal state"))
    }

    /// What the engine is asked, or why it cannot be.
    ///
    /// # Errors
    /// The settings do not go together.
    pub fn check(&self) -> Result<Checked, ScenarioError> {
        let scenario = Scenario {
            architecture: self.shape,
            mode: self.mode,
            batch: self.batch,
            seq_length: self.seq_length,
            weights: self.weights_in_use(),
            kv: self.kv,
            optimizer: self.optimizer,
            checkpointing: self.checkpointing,
            attention: self.attention,
            gpu: Some(self.gpu),
            training: Training {
                recipe: self.recipe,
                lora: Lora { targets: self.targets.targets(), precision: self.adapters, ..Training::DEFAULT.lora },
                ..Training::DEFAULT
            },
            ..Scenario::new(self.shape)
        };
        scenario.check()
    }

    /// The state itself if it can be evaluated. Otherwise the closest state that can, and what was put back to its default.
    ///
    /// Choices that are each legal can fail together: bitsandbytes does not run on every GPU, and with few enough layers, a model that mixes linear attention has no
    /// full attention left, and then adapters on queries and values have no matrix to sit beside.
    pub fn mended(&self) -> (Self, Option<TakenBack>) {
        if self.is_legal() {
            return (*self, None);
        }
        let default = Self::default();
        let optimizer = Self { optimizer: default.optimizer, ..*self };
        let mode = if self.mode == Mode::Qlora { Mode::Lora } else { self.mode };
        let plain = Self { mode, ..*self };
        let both = Self { mode, ..optimizer };
        let targets = Self { targets: default.targets, ..*self };
        let mut dimensions = *self;
        dimensions.choose_model(self.model);
        let last = (Self { gpu: self.gpu, unit: self.unit, ..default }, TakenBack::Everything);
        let closest = [
            (optimizer, TakenBack::Optimizer),
            (plain, TakenBack::Quantised),
            (both, TakenBack::Quantised),
            (targets, TakenBack::Targets),
            (dimensions, TakenBack::Dimensions),
        ];
        let (state, taken) = closest.into_iter().find(|(state, _)| state.is_legal()).unwrap_or(last);
        (state, Some(taken))
    }

    /// The models that the page can show: some figures speak of training in every mode, and not every model's is modelled.
    pub fn models() -> impl DoubleEndedIterator<Item = &'static Model> + Clone {
        models::MODELS.iter().filter(|model| model.architecture.untrained().is_none())
    }

    /// That with this id, if the page can show it.
    pub fn model_by_id(id: &str) -> Option<&'static Model> {
        Self::models().find(|model| model.id == id)
    }

    /// Whether the engine can be asked in the chosen mode, and about training, of which some figures speak in every mode.
    fn is_legal(&self) -> bool {
        self.check().is_ok() && Self { mode: Mode::Training, ..*self }.check().is_ok()
    }

    /// The chosen format, or the nearest that the mode can use. The choice comes back with a mode that can.
    pub fn weights_in_use(&self) -> WeightFormat {
        self.mode.nearest(self.weights)
    }

    /// Takes a mode, with what its code recomputes by itself where that of the mode before was not changed: peft checkpoints beside quantised weights.
    pub fn choose_mode(&mut self, mode: Mode) {
        let usual = |mode: Mode| mode.usual_checkpointing(Training::DEFAULT.implementation);
        if self.checkpointing == usual(self.mode) {
            self.checkpointing = usual(mode);
        }
        self.mode = mode;
    }

    /// Takes a model with the dimensions that it was published with.
    pub fn choose_model(&mut self, model: &'static Model) {
        self.model = model;
        self.shape = model.architecture;
        self.draft = None;
    }

    /// Whether a dimension differs from the published model.
    pub fn is_changed(&self) -> bool {
        self.shape != self.model.architecture
    }

    /// The model's name, with a word when its dimensions were changed.
    pub fn model_name(&self) -> String {
        if self.is_changed() { words::ModelChanged { model: self.model.name }.text() } else { self.model.name.into() }
    }

    /// Changes one dimension. Changes are judged together: those that make no model yet wait in the draft for the rest.
    pub fn set_dimension(&mut self, dimension: Dimension, value: u32) {
        let shape = dimension.with(self.model.architecture, self.written(), value);
        if shape.check().is_ok() {
            self.shape = shape;
            self.draft = None;
        } else {
            self.draft = Some(shape);
        }
    }

    /// The dimensions as their fields show them.
    pub fn written(&self) -> Architecture {
        self.draft.unwrap_or(self.shape)
    }

    /// What keeps the dimensions in the fields from being a model.
    pub fn disagreement(&self) -> Option<ShapeError> {
        self.draft?.check().err()
    }

    /// Sets the sequence length, kept in range.
    pub fn set_seq_length(&mut self, tokens: u32) {
        self.seq_length = tokens.clamp(bounds::SEQ_LENGTH.min, bounds::SEQ_LENGTH.max);
    }

    /// Sets the batch, kept in range.
    pub fn set_batch(&mut self, batch: u32) {
        self.batch = batch.clamp(bounds::BATCH.min, bounds::BATCH.max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_state_is_the_one_the_prose_speaks_of() {
        let state = State::default();
        assert_eq!((state.model.id, state.gpu.id), (FIRST_MODEL, FIRST_GPU));
        assert_eq!(state.check().err(), None);
        assert_eq!((state.batch, state.seq_length), (1, 2_048));
    }

    #[test]
    fn no_mode_reaches_the_engine_with_weights_that_it_cannot_use() {
        for &weights in WeightFormat::ALL {
            for &mode in Mode::ALL {
                let state = State { mode, weights, ..State::default() };
                assert_eq!(state.check().err(), None, "{} {weights}", mode.id());
                assert!(mode.takes(state.scenario().weights), "{} {weights}", mode.id());
            }
        }
        let back = State { weights: WeightFormat::Int4, mode: Mode::Inference, ..State::default() };
        assert_eq!(back.weights_in_use(), WeightFormat::Int4);
    }

    #[test]
    fn a_chosen_mode_brings_the_checkpointing_of_the_command() {
        let mut state = State::default();
        for (mode, checkpointing) in [
            (Mode::Training, Checkpointing::None),
            (Mode::Qlora, Checkpointing::Full),
            (Mode::Lora, Checkpointing::None),
        ] {
            state.choose_mode(mode);
            assert_eq!(state.checkpointing, checkpointing, "{}", mode.id());
            let usual = state.scenario().mode.usual_checkpointing(state.scenario().training.implementation);
            assert_eq!(state.checkpointing, usual);
        }
        // What somebody chose stays.
        state.checkpointing = Checkpointing::PerOp;
        state.choose_mode(Mode::Qlora);
        assert_eq!(state.checkpointing, Checkpointing::PerOp);
    }

    /// The recipe without a word is that of the command too.
    #[test]
    fn the_first_recipe_is_the_usual_one() {
        for mode in Mode::ALL {
            let mut state = State::default();
            state.choose_mode(*mode);
            let scenario = state.scenario();
            assert_eq!(scenario.training.recipe, scenario.usual_recipe(), "{}", mode.id());
        }
    }

    #[test]
    fn a_state_that_cannot_be_evaluated_loses_as_little_as_possible() {
        let mut state = State { targets: TargetSet::QueriesAndValues, ..State::default() };
        state.choose_model(models::by_id("qwen3-next-80b-a3b").unwrap());
        state.set_dimension(Dimension::Layers, 36);
        assert_eq!(state.mended(), (state, None), "inference has no adapters");
        state.mode = Mode::Lora;
        assert_eq!(state.check(), Err(ScenarioError::NoAdapters));
        let kept = State { targets: TargetSet::All, ..state };
        assert_eq!(state.mended(), (kept, Some(TakenBack::Targets)));
        // Without a shared expert there is no matrix left for any adapter.
        if let Some(moe) = &mut state.shape.moe {
            moe.shared_intermediate_size = 0;
        }
        let kept = State { shape: state.model.architecture, ..state };
        assert_eq!(state.mended(), (kept, Some(TakenBack::Dimensions)));
        let broken = State { seq_length: 0, unit: ByteUnit::Gib, ..state };
        let kept = State { unit: ByteUnit::Gib, ..State::default() };
        assert_eq!(broken.mended(), (kept, Some(TakenBack::Everything)));
    }

    #[test]
    fn what_bitsandbytes_does_not_run_on_takes_back_what_needs_it() {
        let tpu = gpus::by_id("tpu-v5p").unwrap();
        let trained = State { mode: Mode::Training, optimizer: Optimizer::AdamW8bit, gpu: tpu, ..State::default() };
        let kept = State { optimizer: State::default().optimizer, ..trained };
        assert_eq!(trained.mended(), (kept, Some(TakenBack::Optimizer)));
        // Figures on training ask in every mode.
        let served = State { mode: Mode::Inference, ..trained };
        assert_eq!(served.mended(), (State { mode: Mode::Inference, ..kept }, Some(TakenBack::Optimizer)));
        let qlora = State { mode: Mode::Qlora, gpu: tpu, ..State::default() };
        let kept = State { mode: Mode::Lora, ..qlora };
        assert_eq!(qlora.mended(), (kept, Some(TakenBack::Quantised)));
        let both = State { optimizer: Optimizer::PagedAdamW8bit, ..qlora };
        assert_eq!(both.mended(), (kept, Some(TakenBack::Quantised)));
    }

    #[test]
    fn dimensions_that_do_not_go_together_wait_for_the_rest() {
        let mut state = State::default();
        state.choose_model(models::by_id("phi-3-mini-4k").unwrap());
        let published = state.shape;
        state.set_dimension(Dimension::Heads, 40);
        assert_eq!((state.shape, state.written().heads, state.written().kv_heads), (published, 40, 32));
        let disagreement = state.disagreement().unwrap();
        assert_eq!(disagreement, ShapeError::KvHeadsDoNotDivide { heads: 40, kv_heads: 32 });
        assert_eq!(dimensions::disagreeing(disagreement), [Dimension::Heads, Dimension::KvHeads]);
        assert!(state.scenario().check().is_ok(), "what is computed is the last model");
        // Another dimension joins the group, and the group is judged as one.
        state.set_dimension(Dimension::Layers, 40);
        assert_eq!(state.shape, published);
        state.set_dimension(Dimension::KvHeads, 10);
        assert_eq!((state.shape.heads, state.shape.kv_heads, state.shape.layers), (40, 10, 40));
        assert_eq!((state.draft, state.disagreement()), (None, None));
        assert_eq!(state.shape.trained_context, None, "nobody has trained the edited model");
        for (dimension, value) in [(Dimension::Heads, 32), (Dimension::Layers, 32), (Dimension::KvHeads, 32)] {
            state.set_dimension(dimension, value);
        }
        assert!(!state.is_changed(), "back at the published values it is the published model again");
        assert_eq!(state.shape.trained_context, Some(4_096));
    }
}
