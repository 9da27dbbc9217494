//! The only lists of sections, figures and predictions: the prerendered page, the browser and the tests all read them.

#[cfg(not(target_arch = "wasm32"))]
use leptos::prelude::*;

use crate::calculator;
use crate::dials::{self, Dial};
use crate::figures::{self, Live};
use crate::predictions::{self, Round};
use crate::quiz;
#[cfg(not(target_arch = "wasm32"))]
use crate::sections as drawn;
use crate::store::Store;
#[cfg(not(target_arch = "wasm32"))]
use crate::words;

/// A figure.
pub struct Figure {
    /// Its name in the prose and in links.
    pub id: &'static str,
    /// Its drawing, with directives for what follows the reader's settings; none if all figures show something of it.
    #[cfg(not(target_arch = "wasm32"))]
    pub view: Option<fn() -> AnyView>,
    /// The names of its bindings, in their order.
    #[cfg(not(target_arch = "wasm32"))]
    pub names: fn() -> Vec<String>,
    /// Its model, if it has one. Figures that are not in a folder of their own yet have none: names follow the settings for them.
    pub live: Option<fn() -> Box<dyn Live>>,
    /// Whether its model is in the far part of the program.
    pub far: bool,
}

/// A row without a model: what follows the settings in it has names.
macro_rules! named {
    ($id:expr, $view:expr) => {
        Figure {
            id: $id,
            #[cfg(not(target_arch = "wasm32"))]
            view: Some($view),
            #[cfg(not(target_arch = "wasm32"))]
            names: Vec::new,
            live: None,
            far: false,
        }
    };
}

/// A row with one.
macro_rules! bound {
    ($model:ty, $view:expr) => {
        bound!($model, $view, live, false)
    };
    (far $model:ty, $view:expr) => {
        bound!($model, $view, far, true)
    };
    ($model:ty, $view:expr, $live:ident, $far:literal) => {
        Figure {
            id: <$model as figures::Model>::ID,
            #[cfg(not(target_arch = "wasm32"))]
            view: $view,
            #[cfg(not(target_arch = "wasm32"))]
            names: <<$model as figures::Model>::Binding as figures::Bindings>::names,
            live: Some(figures::$live::<$model>),
            far: $far,
        }
    };
}

/// A figure with a folder of its own, `src/figures/<name>/`.
macro_rules! figure {
    ($name:ident) => {
        bound!(figures::$name::Model, Some(figures::$name::view))
    };
    (far $name:ident) => {
        bound!(far figures::$name::Model, Some(figures::$name::view))
    };
}

/// The same where nothing follows the settings.
macro_rules! still {
    ($name:ident) => {
        named!(stringify!($name), figures::$name::view)
    };
}

/// What all figures show something of: a model without a drawing of its own.
macro_rules! shared {
    ($model:ty) => {
        bound!(far $model, None)
    };
}

/// Every figure, and what all figures show something of. The built page says their places here. Those behind the calculator's
/// section are in the far part of the program.
pub static FIGURES: &[Figure] = &[
    figure!(rig),
    shared!(predictions::Model),
    shared!(dials::Model),
    still!(opening),
    figure!(buckets),
    still!(share),
    figure!(context),
    still!(layer),
    still!(phases),
    figure!(far kv_cache),
    still!(heads),
    figure!(far hierarchy),
    figure!(far trips),
    still!(tiles),
    figure!(far sort),
    figure!(far roofline),
    figure!(far worked_roofline),
    figure!(far kv_pages),
    still!(minute),
    figure!(far states),
    figure!(far activation),
    still!(recompute),
    figure!(far fixes),
    figure!(far sides),
    still!(oom_guess),
    figure!(far oom),
    still!(rungs),
    still!(ladder),
    figure!(far parallel),
    still!(schedule),
    still!(cuts),
    figure!(far scaling),
    figure!(far train_cost),
    figure!(far serve_cost),
    still!(peak),
    figure!(far profile),
    still!(matrix),
    still!(frontier),
    bound!(far quiz::Model, Some(drawn::quiz::questions)),
    named!("claims", drawn::quiz::claims),
    named!("quiz_key", drawn::quiz::key),
];

/// Every figure with a page of its own has a title, `alone.title/NAME` in `content/en/page.txt`.
#[cfg(not(target_arch = "wasm32"))]
#[allow(clippy::indexing_slicing, reason = "worked out by the compiler, which refuses a wrong place")]
const _: () = {
    let mut place = 0;
    while place < FIGURES.len() {
        let figure = &FIGURES[place];
        assert!(
            figure.view.is_none() || is_part(figure.id) || words::ALONE_TITLE.has(figure.id),
            "a figure has no title: alone.title/NAME in content/en/page.txt"
        );
        place += 1;
    }
};

/// What the reader operates, as it is hydrated: a group of levers that stand together.
pub struct Group {
    /// Its name in the page, `data-levers`.
    pub id: &'static str,
    /// How it is drawn when the page is built.
    #[cfg(not(target_arch = "wasm32"))]
    pub view: fn(Store) -> AnyView,
    /// Makes what was drawn work.
    #[cfg(target_arch = "wasm32")]
    pub hydrate: fn(leptos::web_sys::HtmlElement, Store),
}

/// A group by its name and its view. Both ways have the view's own type: hydrating a view whose type is forgotten costs 33 kB.
macro_rules! group {
    ($id:literal, $levers:path) => {
        Group {
            id: $id,
            #[cfg(not(target_arch = "wasm32"))]
            view: |store| $levers(store).into_any(),
            #[cfg(target_arch = "wasm32")]
            hydrate: |place, store| leptos::mount::hydrate_from(place, move || $levers(store)).forget(),
        }
    };
    (far $id:literal, $levers:path) => {
        Group {
            id: $id,
            #[cfg(not(target_arch = "wasm32"))]
            view: |store| $levers(store).into_any(),
            #[cfg(target_arch = "wasm32")]
            hydrate: |place, store| {
                crate::far::apart();
                leptos::mount::hydrate_from(place, move || $levers(store)).forget();
            },
        }
    };
}

/// The groups of the first figures, in the order in which they are hydrated.
pub static LEVERS: &[Group] = &[
    group!("rig", figures::rig::levers),
    group!("calculator-rig", calculator::rig_row),
    group!("calculator", calculator::levers),
    group!("calculator-more", calculator::more),
];

/// The same of figures in the far part of the program.
pub static FAR_LEVERS: &[Group] = &[
    group!(far "kv_cache", figures::kv_cache::levers),
    group!(far "hierarchy", figures::hierarchy::levers),
    group!(far "roofline", figures::roofline::levers),
    group!(far "roofline-more", figures::roofline::more),
    group!(far "minute", figures::minute::levers),
    group!(far "states", figures::states::levers),
    group!(far "activation", figures::activation::levers),
    group!(far "activation-more", figures::activation::more),
    group!(far "fixes", figures::fixes::levers),
    group!(far "oom", figures::oom::levers),
    group!(far "parallel", figures::parallel::levers),
    group!(far "scaling", figures::scaling::levers),
    group!(far "train_cost", figures::train_cost::levers),
    group!(far "train_cost-more", figures::train_cost::more),
    group!(far "serve_cost", figures::serve_cost::levers),
    group!(far "serve_cost-more", figures::serve_cost::more),
    group!(far "profile", figures::profile::levers),
];

/// Whether a figure makes no sense by itself: the bar at the top, what hands the settings on, the answers on paper.
#[cfg(not(target_arch = "wasm32"))]
const fn is_part(id: &str) -> bool {
    matches!(id.as_bytes(), b"rig" | b"share" | b"quiz_key")
}

/// Every figure that has a page of its own.
#[cfg(not(target_arch = "wasm32"))]
pub fn alone() -> impl Iterator<Item = &'static str> {
    FIGURES.iter().filter(|figure| figure.view.is_some()).map(|figure| figure.id).filter(|id| !is_part(id))
}

/// The sections of the page in order: each is a file of prose with this name, and an anchor.
pub const SECTIONS: &[&str] = &[
    "opening",
    "buckets",
    "layer",
    "kv_cache",
    "hierarchy",
    "roofline",
    "server",
    "training",
    "oom",
    "ladder",
    "parallel",
    "scaling",
    "time",
    "profile",
    "coping",
    "check",
];

/// Every number that is predicted on a dial.
pub static DIALS: &[&Dial] = &[
    &figures::hierarchy::WALK,
    &figures::states::DIAL,
    &figures::kv_cache::USERS,
    &figures::oom::DIAL,
    &figures::parallel::ZERO,
    &figures::scaling::DIAL,
    &figures::train_cost::DIAL,
];

/// Every round of predictions.
pub static ROUNDS: &[&Round] = &[
    &figures::sort::SIDES,
    &figures::sort::RIDGE,
    &figures::oom_guess::ROUND,
    &figures::rungs::ROUND,
    &figures::peak::ROUND,
];

/// The options of a round have words, in their order.
#[allow(clippy::indexing_slicing, reason = "worked out by the compiler, which refuses a wrong place")]
const _: () = {
    let mut place = 0;
    while place < ROUNDS.len() {
        if let Some(words) = ROUNDS[place].words {
            assert!(
                words.is_of(ROUNDS[place].options),
                "the words of a round are not those of its options, in their order"
            );
        }
        place += 1;
    }
};
