//! Figures as HTML, their directives still in them.

use leptos::prelude::*;
use memory_wall_app::dials::Dial;
use memory_wall_app::figures::rig;
use memory_wall_app::registry::{FAR_LEVERS, FIGURES, LEVERS};
use memory_wall_app::sections::masonry;
use memory_wall_app::store::Store;
use memory_wall_app::widgets;

/// What `render` draws, as HTML, with an executor and an owner around it as leptos asks for.
fn html(render: impl FnOnce() -> AnyView) -> String {
    // A second call finds the executor already there: that is not an error here.
    let _ = any_spawner::Executor::init_futures_executor();
    let owner = Owner::new();
    let html = owner.with(|| render().to_html());
    // Marks for hydration, and a space where a text is empty; what is only shown is not hydrated.
    with_levers(html.replace("<!>", "").replace("> </", "></"))
}

/// Levers in their places, with the marks by which a browser hydrates them.
fn with_levers(drawn: String) -> String {
    LEVERS.iter().chain(FAR_LEVERS).fold(drawn, |drawn, group| {
        let place = format!("{{{{levers {}}}}}", group.id);
        if !drawn.contains(&place) {
            return drawn;
        }
        let levers = Owner::new().with(|| (group.view)(Store::still()).to_html());
        // An empty comment as standards write it; browsers read both alike.
        drawn.replace(&place, &levers.replace("<!>", "<!---->"))
    })
}

/// The drawing of a figure, its directives still in it.
pub(crate) fn figure(id: &str) -> Option<String> {
    let figure = FIGURES.iter().find(|figure| figure.id == id)?;
    figure.view.map(html)
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
    html(rig::notice)
}
