//! Every figure in its default state, as HTML.

use leptos::prelude::*;
use memory_wall_app::registry::{FIGURES, Figure};
use memory_wall_app::rig::Rig;
use memory_wall_app::state::State;
use memory_wall_app::widgets::wall::Patterns;

/// What `render` draws, as HTML, with an executor and an owner around it as leptos asks for.
fn html(render: impl FnOnce(Rig) -> AnyView) -> String {
    // A second call finds the executor already there: that is not an error here.
    let _ = any_spawner::Executor::init_futures_executor();
    let owner = Owner::new();
    let html = owner.with(|| render(Rig::new(State::default(), Vec::new())).to_html());
    // Marks for hydration; figures are mounted afresh instead.
    html.replace("<!>", "")
}

/// The figure with this id in its default state, if there is one.
pub(crate) fn figure(id: &str) -> Option<(&'static Figure, String)> {
    let figure = FIGURES.iter().find(|figure| figure.id == id)?;
    Some((figure, html(figure.view)))
}

/// The masonry that all walls are drawn with.
pub(crate) fn patterns() -> String {
    html(|_| view! { <Patterns /> }.into_any())
}
