//! What the figure is operated with. Its state is its own: the script that plays the minute follows it, and sets it from a link.

use leptos::html;
use leptos::prelude::*;
use leptos::web_sys::HtmlElement;
use memory_wall_core::display::Grouped;

use super::stops::{Places, STOPS};
use crate::components::select::choose_in;
use crate::store::Store;
use crate::words::labels;

/// How many sliders stand there until the reader asks for more.
const FIRST: usize = 2;

/// The place that a list or a slider was moved to.
fn moved(event: &leptos::ev::Event) -> Option<usize> {
    event_target_value(event).parse().ok()
}

/// What a link has asked for, in the attribute in which the script leaves it.
fn asked(root: &HtmlElement) -> Option<Places> {
    let text = root.get_attribute("data-asked")?;
    // An attribute with a legal name can be taken away.
    let _ = root.remove_attribute("data-asked");
    Places::read(&text)
}

/// A slider over the stops of one lever, with the value in its label.
fn slider(places: RwSignal<Places>, at: usize, name: &'static str, stops: &'static [u32]) -> impl IntoView {
    let range = NodeRef::<html::Input>::new();
    let of = move |places: &Places| places.stops.get(at).copied().unwrap_or_default();
    let value = move || Grouped(stops.get(places.with(of)).copied().unwrap_or_default().into()).to_string();
    Effect::new(move || {
        let place = places.with(of);
        if let Some(range) = range.get() {
            range.set_value(&place.to_string());
        }
    });
    view! {
        <label class="control minute-lever" data-control=format!("minute-{name}")>
            <span>{labels::MINUTE_LEVER.nth(at)} " " <b>{value}</b></span>
            <input
                type="range"
                name=format!("minute-{name}")
                min="0"
                max=stops.len().saturating_sub(1).to_string()
                value=of(&Places::START).to_string()
                autocomplete="off"
                node_ref=range
                aria-valuetext=value
                on:input=move |event| {
                    if let Some(place) = moved(&event) {
                        places.update(|now| now.stops.iter_mut().skip(at).take(1).for_each(|stop| *stop = place));
                    }
                }
            />
        </label>
    }
}

/// The list of servers; their names are those of the page.
fn servers(places: RwSignal<Places>) -> impl IntoView {
    let list = NodeRef::<html::Select>::new();
    Effect::new(move || {
        let server = places.with(|places| places.server);
        if let Some(list) = list.get() {
            choose_in(&list, &server.to_string());
        }
    });
    // What stands in the page is taken as it is: only the prerenderer writes it.
    #[cfg(not(target_arch = "wasm32"))]
    let options = super::servers::all().enumerate().map(|(place, server)| option(place, server.name()));
    #[cfg(not(target_arch = "wasm32"))]
    let options = options.collect::<String>();
    #[cfg(target_arch = "wasm32")]
    let options = "";
    view! {
        <label class="control minute-lever" data-control="minute-server">
            <span>{labels::minute_server()}</span>
            <select
                name="minute-server"
                autocomplete="off"
                node_ref=list
                on:change=move |event| {
                    if let Some(server) = moved(&event) {
                        places.update(|places| places.server = server);
                    }
                }
                inner_html=options
            ></select>
        </label>
    }
}

/// A server of the list, as it stands in the page.
#[cfg(not(target_arch = "wasm32"))]
fn option(place: usize, name: String) -> String {
    view! {
        <option value=place.to_string() selected=place == Places::START.server>
            {name}
        </option>
    }
    .to_html()
}

/// Everything that can be changed. Where the levers stand is in an attribute, which the script watches.
pub fn levers(_: Store) -> impl IntoView {
    let places = RwSignal::new(Places::START);
    let root = NodeRef::<html::Div>::new();
    let take = move || {
        if let Some(asked) = root.get().and_then(|root| asked(&root)) {
            places.set(asked);
        }
    };
    // A link may have come before the levers did.
    Effect::new(take);
    let mut sliders = STOPS.iter().enumerate().map(|(at, (name, stops))| slider(places, at, name, stops));
    let first = sliders.by_ref().take(FIRST).collect_view();
    view! {
        <div
            class="minute-levers"
            node_ref=root
            data-places=move || places.with(Places::text)
            on:change=move |_| untrack(take)
        >
            {servers(places)}
            {first}
            <details class="more">
                <summary>{labels::minute_more()}</summary>
                <div class="more-inner">{sliders.collect_view()}</div>
            </details>
        </div>
    }
}
