//! Figures as HTML, their directives still in them.

use leptos::prelude::*;
use memory_wall_app::dials::Dial;
use memory_wall_app::registry::FIGURES;
use memory_wall_app::sections::{masonry, rig_bar};
use memory_wall_app::widgets;

/// What `render` draws, as HTML, with an executor and an owner around it as leptos asks for.
fn html(render: impl FnOnce() -> AnyView) -> String {
    // A second call finds the executor already there: that is not an error here.
    let _ = any_spawner::Executor::init_futures_executor();
    let owner = Owner::new();
    let html = owner.with(|| render().to_html());
    // Marks for hydration, and a space where a text is empty; nothing is hydrated.
    html.replace("<!>", "").replace("> </", "></")
}

/// The drawing of a figure, its directives still in it.
pub(crate) fn figure(id: &str) -> Option<String> {
    let figure = FIGURES.iter().find(|figure| figure.id == id)?;
    Some(html(figure.view))
}

/// The masonry that all walls are drawn with.
pub(crate) fn patterns() -> String {
    html(masonry::patterns)
}

/// A dial, its directives still in it.
pub(crate) fn dial(id: &str) -> Option<String> {
    let dial = Dial::by_id(id)?;
    Some(html(|| widgets::dial::dial(dial)))
}

/// What a link was not understood in, once there is such a link.
pub(crate) fn notice() -> String {
    html(rig_bar::notice)
}
