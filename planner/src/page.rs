//! The page: plans side by side, the inputs of one, and the tables under them, in parts that a browser hydrates one after another.

use leptos::prelude::*;

use crate::board::Board;
use crate::desk::Desk;
use crate::frontier::Frontier;
use crate::gpus::Gpus;
use crate::groups::GROUPS;
use crate::heat::Heat;
use crate::inputs::Fields;
use crate::maps::Requests;
use crate::out::{Bring, Out, Unit};
use crate::plans::{Column, Legend};
use crate::tables::{Buckets, Differences, Figures};
use crate::words;

/// A part of the page: it is drawn when the page is built, and hydrated in a task of its own.
pub(crate) struct Part {
    /// The name of its place.
    pub(crate) id: &'static str,
    #[cfg(not(target_arch = "wasm32"))]
    html: fn(Desk) -> String,
    /// Makes it live in its place.
    #[cfg(target_arch = "wasm32")]
    pub(crate) hydrate: fn(leptos::web_sys::HtmlElement, Desk),
}

/// Parts by their names and views.
macro_rules! parts {
    ($($id:literal: |$desk:ident| $view:expr;)*) => {
        /// Every part, those first that are seen and used first.
        pub(crate) static PARTS: &[Part] = &[$(Part {
            id: $id,
            #[cfg(not(target_arch = "wasm32"))]
            html: |$desk| $view.to_html(),
            #[cfg(target_arch = "wasm32")]
            hydrate: |place, $desk| leptos::mount::hydrate_from(place, move || $view).forget(),
        }),*];
    };
}

parts! {
    "bar": |desk| view! { <Bar desk /> };
    "plan-0": |desk| view! { <Column desk place=0 /> };
    "plan-1": |desk| view! { <Column desk place=1 /> };
    "plan-2": |desk| view! { <Column desk place=2 /> };
    "plan-3": |desk| view! { <Column desk place=3 /> };
    "legend": |desk| view! { <Legend desk /> };
    "inputs-title": |desk| titled(desk, words::inputs_title());
    "inputs-model": |desk| fields(desk, 0);
    "inputs-load": |desk| fields(desk, 1);
    "inputs-gpus": |desk| fields(desk, 2);
    "inputs-runtime": |desk| fields(desk, 3);
    "inputs-training": |desk| fields(desk, 4);
    "inputs-rollout": |desk| fields(desk, 5);
    "inputs-adapters": |desk| fields(desk, 6);
    "inputs-money": |desk| fields(desk, 7);
    "differences": |desk| view! { <Differences desk=desk.later() /> };
    "figures": |desk| view! { <Figures desk=desk.later() /> };
    "buckets": |desk| view! { <Buckets desk=desk.later() /> };
    "frontier": |desk| view! { <Frontier desk=desk.later() /> };
    "maps-title": |desk| titled(desk.later(), words::maps_title());
    "heat": |desk| view! { <Heat desk=desk.later() /> };
    "requests": |desk| view! { <Requests desk=desk.later() /> };
    "gpus": |desk| view! { <Gpus desk=desk.later() /> };
    "out": |desk| view! { <Out desk=desk.later() /> };
    "in": |desk| view! { <Bring desk=desk.later() /> };
    "notices": |desk| view! { <Notices desk /> };
    "spoken": |desk| view! { {move || desk.spoken.get()} };
}

/// The inputs of a group.
fn fields(desk: Desk, nth: usize) -> impl IntoView {
    GROUPS.get(nth).map(|group| view! { <Fields desk group /> })
}

/// A title with the name of the plan that it is about.
fn titled(desk: Desk, title: &'static str) -> impl IntoView {
    view! {
        {title}
        " "
        <span class="side-name">{move || desk.name(desk.chosen())}</span>
    }
}

/// What of a link could not be used.
#[component]
fn Notices(desk: Desk) -> impl IntoView {
    view! {
        <p class="notice" role="status" hidden=move || desk.notices.with(Vec::is_empty)>
            {move || desk.notices.with(|all| all.join(" "))}
        </p>
    }
}

/// What was chosen, and the way back: always in sight.
#[component]
fn Bar(desk: Desk) -> impl IntoView {
    let verdict = move || {
        let place = desk.chosen();
        let said = desk.outcome(place, |outcome| outcome.said.clone()).unwrap_or_default();
        words::BarVerdict { name: &desk.name(place), verdict: &said.verdict }.text()
    };
    let step = move |back: bool, label: &'static str| {
        let can = move || {
            let [past, future] = desk.ways();
            if back { past } else { future }
        };
        view! {
            <button type="button" class="plain-button" disabled=move || !can() on:click=move |_| desk.travel(back)>
                {label}
            </button>
        }
    };
    view! {
        <span class="bar-verdict" aria-hidden="true">
            {verdict}
        </span>
        <span class="bar-acts">
            {step(true, words::undo())} {step(false, words::redo())}
            <button
                type="button"
                class="plain-button"
                disabled=move || !desk.with(Board::has_room)
                on:click=move |_| desk.edit(None, |board| board.duplicate(board.chosen()))
            >
                {words::add()}
            </button>
            <Unit desk />
        </span>
        <p class="changed" aria-hidden="true" hidden=move || desk.changed.with(String::is_empty)>
            {move || desk.changed.get()}
        </p>
    }
}

/// The page as it begins, with the marks by which a browser hydrates its parts.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn html(desk: Desk) -> String {
    let part = |id: &str| {
        let html = PARTS.iter().find(|part| part.id == id).map_or_else(String::new, |part| (part.html)(desk));
        if id.starts_with("inputs-") { folded(&html) } else { html }
    };
    let place = move |id: &'static str| view! { <div data-part=id inner_html=part(id)></div> };
    let title = move |id: &'static str, of: &'static str| view! { <h2 id=id tabindex="-1" data-part=of inner_html=part(of)></h2> };
    let groups = GROUPS.iter().map(|group| {
        let id = PARTS.iter().map(|part| part.id).find(|id| id.strip_prefix("inputs-") == Some(group.id));
        id.map(place)
    });
    let columns = PARTS.iter().map(|part| part.id).filter(|id| id.starts_with("plan-")).map(place);
    view! {
        {place("notices")}
        <div class="desk">
            <div class="bar" data-part="bar" inner_html=part("bar")></div>
            <section class="board" aria-labelledby="plans-title">
                <h2 id="plans-title" class="visually-hidden">{words::plans()}</h2>
                <div class="plans table-scroll" tabindex="0" role="group" aria-label=words::plans()>
                    {columns.collect_view()}
                </div>
                {place("legend")}
            </section>
            <section class="side" aria-labelledby="inputs-title">
                {title("inputs-title", "inputs-title")}
                <div class="inputs">
                    {groups.collect_view()}
                </div>
            </section>
            <section class="answers" aria-labelledby="answers-title" data-later="">
                <h2 id="answers-title">{words::answers_title()}</h2>
                {place("differences")}
                {place("figures")}
                {place("buckets")}
                <p class="caption">{words::answers_about()}</p>
                {place("frontier")}
            </section>
            <section class="maps" aria-labelledby="maps-title" data-later="">
                {title("maps-title", "maps-title")}
                {place("heat")}
                {place("requests")}
                {place("gpus")}
            </section>
            <section class="take" aria-labelledby="take-title" data-later="">
                <h2 id="take-title">{words::take_title()}</h2>
                <div class="take-columns">
                    <div>
                        <h3>{words::out_title()}</h3>
                        {place("out")}
                    </div>
                    <div>
                        <h3>{words::in_title()}</h3>
                        {place("in")}
                    </div>
                </div>
            </section>
            <p class="visually-hidden" role="status" data-part="spoken" inner_html=part("spoken")></p>
        </div>
    }
    .to_html()
}

/// With what is folded in templates, which the start takes out of them: until then nothing can be done in these fields, and Chromium looks at each
/// field of a document for what it could fill in.
#[cfg(not(target_arch = "wasm32"))]
fn folded(html: &str) -> String {
    html.replace("</summary>", "</summary><template>").replace("</details>", "</template></details>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_and_every_part_has_its_place() {
        for (nth, group) in GROUPS.iter().enumerate() {
            let at = PARTS.iter().position(|part| part.id.strip_prefix("inputs-") == Some(group.id)).unwrap();
            assert_eq!(PARTS[at - nth].id, "inputs-model", "{}", group.id);
        }
        let html = crate::html();
        for part in PARTS {
            assert_eq!(html.matches(&format!("data-part=\"{}\"", part.id)).count(), 1, "{}", part.id);
        }
        let (mut folded, mut open) = (String::new(), String::new());
        for (nth, fold) in html.split("<template>").enumerate() {
            let (inside, after) = fold.split_once("</template>").unwrap_or(("", fold));
            // One in another would stay in its template.
            assert!(nth == 0 || !inside.is_empty() && !inside.contains("<details"), "{inside}");
            folded += inside;
            open += after;
        }
        for group in GROUPS {
            let is_in = |html: &str, slot: &str| html.contains(&format!("data-field=\"{slot}\""));
            assert!(group.more.iter().all(|slot| is_in(&folded, slot) && !is_in(&open, slot)), "{}", group.id);
            assert!(group.first.iter().all(|slot| is_in(&open, slot)), "{}", group.id);
        }
        for group in GROUPS {
            assert!(html.contains(&format!("data-group=\"{}\"", group.id)), "{}", group.id);
        }
    }
}
