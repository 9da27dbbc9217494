//! Choosing one of several: lists and rows of buttons.

use memory_wall_core::hierarchy::Tier;
use memory_wall_core::roofline::operations::Kernels;
use memory_wall_core::roofline::{Accounting, Pass};
use memory_wall_core::scaling::Purpose;
use memory_wall_core::tables::gpus;
use memory_wall_core::tables::models;
use memory_wall_core::{
    AdapterPrecision, Attention, Checkpointing, KvPrecision, Mode, Optimizer, Recipe, TargetSet, WeightFormat,
};

use crate::state::State;
use crate::state::cluster::Cards;
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
    /// The one with this name.
    pub fn by_control(control: &str) -> Option<&'static Self> {
        PICKS.iter().find(|pick| pick.control == control)
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

/// Two different cards to compare with, the first place filled first.
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

const WEIGHTS: Pick = Pick {
    control: "weights",
    matters: always,
    chosen: |state| state.weights_in_use().id(),
    put: |state, id| state.weights = WeightFormat::from_id(id).unwrap_or(state.weights),
};

const GPU: Pick = Pick {
    control: "gpu",
    matters: always,
    chosen: |state| state.gpu.id,
    put: |state, id| state.gpu = gpus::by_id(id).unwrap_or(state.gpu),
};

const OPTIMIZER: Pick = field!("optimizer", Mode::trains, Optimizer, optimizer);

const RECIPE: Pick = field!("recipe", Mode::trains, Recipe, recipe);

const TARGETS: Pick = field!("targets", Mode::adapts, TargetSet, targets);

const ADAPTERS: Pick = field!("adapters", Mode::adapts, AdapterPrecision, adapters);

/// Every one on the page.
pub static PICKS: [Pick; 30] = [
    Pick {
        control: "model",
        matters: always,
        chosen: |state| state.model.id,
        put: |state, id| {
            if let Some(model) = models::by_id(id) {
                state.choose_model(model);
            }
        },
    },
    WEIGHTS,
    Pick { control: "roofline-weights", ..WEIGHTS },
    GPU,
    field!("mode", always, Mode, mode),
    field!("kv", generates, KvPrecision, kv),
    field!("attention", always, Attention, attention),
    OPTIMIZER,
    RECIPE,
    // The section on training speaks of training in every mode.
    Pick { control: "training-optimizer", matters: always, ..OPTIMIZER },
    Pick { control: "training-recipe", matters: always, ..RECIPE },
    TARGETS,
    ADAPTERS,
    Pick { control: "training-targets", matters: always, ..TARGETS },
    Pick { control: "training-adapters", matters: always, ..ADAPTERS },
    field!("checkpointing", Mode::trains, Checkpointing, checkpointing),
    field!("tier", always, Tier, tier),
    Pick {
        control: "kernels",
        matters: always,
        chosen: |state| state.roofline.kernels_in_use(&state.scenario()).id(),
        put: |state, id| {
            if let Some(kernels) = Kernels::from_id(id) {
                let scenario = state.scenario();
                state.roofline.choose_kernels(kernels, &scenario);
            }
        },
    },
    field!("pass", generates, Pass, roofline.pass),
    field!("dots", always, Dots, roofline.dots),
    field!("precisions", always, Precisions, roofline.precisions),
    field!("accounting", always, Accounting, roofline.accounting),
    Pick {
        control: "vs",
        matters: always,
        chosen: |state| state.roofline.versus[0].map_or("", |gpu| gpu.id),
        put: |state, id| compare(state, 0, id),
    },
    Pick {
        control: "vs-also",
        matters: always,
        chosen: |state| state.roofline.versus[1].map_or("", |gpu| gpu.id),
        put: |state, id| compare(state, 1, id),
    },
    Pick {
        control: "step",
        matters: always,
        chosen: |state| state.tape.step_in_use().id(),
        put: |state, id| _ = state.tape.act("step", id),
    },
    Pick {
        control: "card",
        matters: always,
        chosen: |state| state.tape.card.id(),
        put: |state, id| _ = state.tape.act("card", id),
    },
    Pick { control: "scaling-gpu", ..GPU },
    Pick { control: "scaling-weights", ..WEIGHTS },
    field!("cards", always, Cards, cluster.cards),
    field!("scale", always, Purpose, cluster.purpose),
];

#[cfg(test)]
mod tests {
    use super::*;

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
            ("cards", "64"),
            ("scale", "train"),
        ] {
            let pick = Pick::by_control(control).unwrap();
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
    fn two_other_cards_are_two_and_the_first_place_is_filled_first() {
        let mut state = State::default();
        let [vs, also] = ["vs", "vs-also"].map(|control| Pick::by_control(control).unwrap());
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
