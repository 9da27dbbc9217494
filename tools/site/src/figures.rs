//! Figures and parts in their default state, as HTML.

use leptos::prelude::*;
use memory_wall_app::registry::{FIGURES, PARTS};
use memory_wall_app::rig::Rig;
use memory_wall_app::sections::masonry;
use memory_wall_app::state::State;

/// What `render` draws, as HTML, with an executor and an owner around it as leptos asks for.
fn html(render: impl FnOnce(Rig) -> AnyView) -> String {
    // A second call finds the executor already there: that is not an error here.
    let _ = any_spawner::Executor::init_futures_executor();
    let owner = Owner::new();
    let html = owner.with(|| render(Rig::new(State::default(), Vec::new())).to_html());
    // Marks for hydration, and a space where a text is empty; parts are mounted afresh instead.
    html.replace("<!>", "").replace("> </", "></")
}

/// The drawing of a figure, its directives still in it.
pub(crate) fn figure(id: &str) -> Option<String> {
    let figure = FIGURES.iter().find(|figure| figure.id == id)?;
    Some(html(|_| (figure.view)()))
}

/// A part in its default state.
pub(crate) fn part(id: &str) -> Option<String> {
    let part = PARTS.iter().find(|part| part.id == id)?;
    Some(html(part.view))
}

/// The masonry that all walls are drawn with.
pub(crate) fn patterns() -> String {
    html(|_| masonry::patterns())
}
