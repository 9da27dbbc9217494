//! Choosing one of several: lists and rows of buttons.

use memory_wall_core::hierarchy::Tier;
use memory_wall_core::roofline::operations::Kernels;
use memory_wall_core::roofline::{Accounting, Pass};
use memory_wall_core::scaling::Purpose;
use memory_wall_core::tables::gpus;
use memory_wall_core::{
    AdapterPrecision, Attention, Checkpointing, KvPrecision, Mode, Optimizer, Recipe, TargetSet, WeightFormat,
};

use crate::state::State;
use crate::state::cluster::GpuCount;
use crate::state::roofline::{Dots, Precisions};

/// One of several: what is chosen is read from the state and written to it by its id, as in links.
pub struct Pick {
    /// Its name in the page.
    pub control: &'static str,
    /// Whether it matters in a mode.
    matters: fn(Mode) -> bool,
    chosen: fn(&State) -> &'static str,
    put: fn(&mut State, &str),
}

impl Pick {
    /// The one with this name, among those that the page's own listener hears.
    pub fn by_control(control: &str) -> Option<&'static Self> {
        HEARD.iter().find(|pick| pick.control == control)
    }

    /// The id of what is chosen; empty where nothing is.
    pub fn chosen(&self, state: &State) -> &'static str {
        (self.chosen)(state)
    }

    /// Chooses by id. An id that is not known changes nothing, or is no choice where there may be none.
    pub fn pick(&self, state: &mut State, id: &str) {
        (self.put)(state, id);
    }

    /// Whether it changes nothing in the mode of the state.
    pub fn is_idle(&self, state: &State) -> bool {
        !(self.matters)(state.mode)
    }
}

/// In every mode.
const fn always(_: Mode) -> bool {
    true
}

/// In inference alone.
const fn generates(mode: Mode) -> bool {
    !mode.trains()
}

/// Two different GPUs to compare with, the first place filled first.
fn compare(state: &mut State, place: usize, id: &str) {
    let [first, second] = state.roofline.versus;
    let picked = gpus::by_id(id);
    let [first, second] = if place == 0 { [picked, second] } else { [first, picked] };
    let second = second.filter(|second| first.is_none_or(|first| first.id != second.id));
    state.roofline.versus = if first.is_none() { [second, None] } else { [first, second] };
}

/// A choice that is one field of the state.
macro_rules! field {
    ($control:literal, $matters:expr, $kind:ty, $($field:ident).+) => {
        Pick {
            control: $control,
            matters: $matters,
            chosen: |state| state.$($field).+.id(),
            put: |state, id| state.$($field).+ = <$kind>::from_id(id).unwrap_or(state.$($field).+),
        }
    };
}

/// The model.
pub const MODEL: Pick = Pick {
    control: "model",
    matters: always,
    chosen: |state| state.model.id,
    put: |state, id| {
        if let Some(model) = State::model_by_id(id) {
            state.choose_model(model);
        }
    },
};
/// The format of the weights.
pub const WEIGHTS: Pick = Pick {
    control: "weights",
    matters: always,
    chosen: |state| state.weights_in_use().id(),
    put: |state, id| state.weights = WeightFormat::from_id(id).unwrap_or(state.weights),
};
/// The same beside the roofline.
pub const ROOFLINE_WEIGHTS: Pick = Pick { control: "roofline-weights", ..WEIGHTS };
/// The same in the section on clusters.
pub const SCALING_WEIGHTS: Pick = Pick { control: "scaling-weights", ..WEIGHTS };
/// The GPU.
pub const GPU: Pick = Pick {
    control: "gpu",
    matters: always,
    chosen: |state| state.gpu.id,
    put: |state, id| state.gpu = gpus::by_id(id).unwrap_or(state.gpu),
};
/// The same in the section on clusters.
pub const SCALING_GPU: Pick = Pick { control: "scaling-gpu", ..GPU };
/// Generating, training, or training adapters.
pub const MODE: Pick = Pick {
    control: "mode",
    matters: always,
    chosen: |state| state.mode.id(),
    put: |state, id| state.choose_mode(Mode::from_id(id).unwrap_or(state.mode)),
};
/// The precision of the KV cache.
pub const KV: Pick = field!("kv", generates, KvPrecision, kv);
/// How attention is computed.
pub const ATTENTION: Pick = field!("attention", always, Attention, attention);
/// The optimizer.
pub const OPTIMIZER: Pick = field!("optimizer", Mode::trains, Optimizer, optimizer);
/// How the states of training are kept.
pub const RECIPE: Pick = field!("recipe", Mode::trains, Recipe, recipe);
/// The layers that carry an adapter.
pub const TARGETS: Pick = field!("targets", Mode::adapts, TargetSet, targets);
/// The precision of adapters.
pub const ADAPTERS: Pick = field!("adapters", Mode::adapts, AdapterPrecision, adapters);
/// The optimizer where training is spoken of in every mode.
pub const TRAINING_OPTIMIZER: Pick = Pick { control: "training-optimizer", matters: always, ..OPTIMIZER };
/// The recipe there.
pub const TRAINING_RECIPE: Pick = Pick { control: "training-recipe", matters: always, ..RECIPE };
/// The adapted layers there.
pub const TRAINING_TARGETS: Pick = Pick { control: "training-targets", matters: always, ..TARGETS };
/// The precision of adapters there.
pub const TRAINING_ADAPTERS: Pick = Pick { control: "training-adapters", matters: always, ..ADAPTERS };
/// What is recomputed.
pub const CHECKPOINTING: Pick = field!("checkpointing", Mode::trains, Checkpointing, checkpointing);
/// Where the weights lie.
pub const TIER: Pick = field!("tier", always, Tier, tier);
/// Fused kernels or separate ones.
pub const KERNELS: Pick = Pick {
    control: "kernels",
    matters: always,
    chosen: |state| state.roofline.kernels_in_use(&state.scenario()).id(),
    put: |state, id| {
        if let Some(kernels) = Kernels::from_id(id) {
            let scenario = state.scenario();
            state.roofline.choose_kernels(kernels, &scenario);
        }
    },
};
/// Prefill or decode.
pub const PASS: Pick = field!("pass", generates, Pass, roofline.pass);
/// Which points are drawn.
pub const DOTS: Pick = field!("dots", always, Dots, roofline.dots);
/// The roofs that are drawn.
pub const PRECISIONS: Pick = field!("precisions", always, Precisions, roofline.precisions);
/// How bytes are counted.
pub const ACCOUNTING: Pick = field!("accounting", always, Accounting, roofline.accounting);
/// The first GPU to compare with.
pub const VERSUS: Pick = Pick {
    control: "vs",
    matters: always,
    chosen: |state| state.roofline.versus[0].map_or("", |gpu| gpu.id),
    put: |state, id| compare(state, 0, id),
};
/// The second.
pub const VERSUS_ALSO: Pick = Pick {
    control: "vs-also",
    matters: always,
    chosen: |state| state.roofline.versus[1].map_or("", |gpu| gpu.id),
    put: |state, id| compare(state, 1, id),
};
/// The step of the program that runs line by line.
pub const STEP: Pick = Pick {
    control: "step",
    matters: always,
    chosen: |state| state.trace.step_in_use().id(),
    put: |state, id| _ = state.trace.act("step", id),
};
/// The GPU that it runs on.
pub const TRACE_GPU: Pick = Pick {
    control: "card",
    matters: always,
    chosen: |state| state.trace.gpu.id(),
    put: |state, id| _ = state.trace.act("card", id),
};
/// The model, where it is trained and paid for.
pub const TRAIN_MODEL: Pick = Pick { control: "train-model", ..MODEL };
/// The GPU there.
pub const TRAIN_GPU: Pick = Pick { control: "train-gpu", ..GPU };
/// How many GPUs.
pub const CLUSTER_GPUS: Pick = field!("cards", always, GpuCount, cluster.gpus);
/// Serving or training.
pub const SCALE: Pick = field!("scale", always, Purpose, cluster.purpose);

/// Those that the page's own listener hears.
static HEARD: [Pick; 2] = [STEP, TRACE_GPU];

#[cfg(test)]
mod tests {
    use super::*;

    /// Every one on the page.
    static PICKS: [Pick; 32] = [
        MODEL,
        WEIGHTS,
        ROOFLINE_WEIGHTS,
        SCALING_WEIGHTS,
        GPU,
        SCALING_GPU,
        MODE,
        KV,
        ATTENTION,
        OPTIMIZER,
        RECIPE,
        TARGETS,
        ADAPTERS,
        TRAINING_OPTIMIZER,
        TRAINING_RECIPE,
        TRAINING_TARGETS,
        TRAINING_ADAPTERS,
        CHECKPOINTING,
        TIER,
        KERNELS,
        PASS,
        DOTS,
        PRECISIONS,
        ACCOUNTING,
        VERSUS,
        VERSUS_ALSO,
        TRAIN_MODEL,
        TRAIN_GPU,
        STEP,
        TRACE_GPU,
        CLUSTER_GPUS,
        SCALE,
    ];

    #[test]
    fn what_is_picked_is_what_is_chosen_and_nonsense_changes_nothing() {
        for (control, id) in [
            ("model", "llama-3.1-8b"),
            ("weights", "int4"),
            ("roofline-weights", "fp8"),
            ("gpu", "h100-sxm"),
            ("mode", "training"),
            ("kv", "fp8"),
            ("attention", "eager"),
            ("optimizer", "sgd"),
            ("recipe", "pure"),
            ("training-optimizer", "lion"),
            ("training-recipe", "without-master"),
            ("targets", "qv"),
            ("adapters", "bf16"),
            ("training-targets", "attention"),
            ("training-adapters", "bf16"),
            ("checkpointing", "full"),
            ("tier", "host"),
            ("kernels", "separate"),
            ("pass", "prefill"),
            ("dots", "textbook"),
            ("precisions", "all"),
            ("accounting", "reads-only"),
            ("vs", "b200"),
            ("step", "weight-copy"),
            ("card", "own"),
            ("scaling-gpu", "t4"),
            ("scaling-weights", "fp8"),
            ("train-model", "llama-3.1-8b"),
            ("train-gpu", "h100-sxm"),
            ("cards", "64"),
            ("scale", "train"),
        ] {
            let pick = PICKS.iter().find(|pick| pick.control == control).unwrap();
            let mut state = State::default();
            let before = pick.chosen(&state);
            pick.pick(&mut state, "nonsense");
            assert_eq!(pick.chosen(&state), before, "{control}");
            pick.pick(&mut state, id);
            assert_eq!(pick.chosen(&state), id, "{control}");
            assert_ne!(id, before, "{control}: nothing was tried");
        }
        assert!(Pick::by_control("nonsense").is_none());
    }

    #[test]
    fn two_other_gpus_are_two_and_the_first_place_is_filled_first() {
        let mut state = State::default();
        let [vs, also] = [VERSUS, VERSUS_ALSO];
        also.pick(&mut state, "b200");
        assert_eq!((vs.chosen(&state), also.chosen(&state)), ("b200", ""));
        also.pick(&mut state, "b200");
        assert_eq!((vs.chosen(&state), also.chosen(&state)), ("b200", ""), "the same card is no second one");
        also.pick(&mut state, "l4");
        vs.pick(&mut state, "");
        assert_eq!((vs.chosen(&state), also.chosen(&state)), ("l4", ""), "the second moves up");
    }

    #[test]
    fn a_list_is_idle_where_it_changes_nothing() {
        let idle = |mode| {
            let state = State { mode, ..State::default() };
            PICKS.iter().filter(|pick| pick.is_idle(&state)).map(|pick| pick.control).collect::<Vec<_>>()
        };
        assert_eq!(idle(Mode::Inference), ["optimizer", "recipe", "targets", "adapters", "checkpointing"]);
        assert_eq!(idle(Mode::Training), ["kv", "targets", "adapters", "pass"]);
        assert_eq!(idle(Mode::Qlora), ["kv", "pass"]);
    }
}
