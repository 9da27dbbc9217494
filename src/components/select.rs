//! A native list over one field of the state, which can be filtered where it is long.

use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::{Element, HtmlOptionElement, HtmlSelectElement, Node};

use super::finder::{Finder, FinderPanel};
use super::{choose, show};
use crate::controls::{Choice, Pick};
use crate::state::State;
use crate::store::Store;

/// The list for one of [`crate::controls::picks`], hidden in the mode where it changes nothing.
#[component]
pub fn Select(
    store: Store,
    pick: &'static Pick,
    label: &'static str,
    choices: Vec<Choice>,
    /// Whether the program brings the choices: the page as it arrives has the one that is chosen at first. Each long list that is in
    /// it costs a kilobyte or two.
    #[prop(optional)]
    late: bool,
    /// Whether it offers a choice now, where that changes.
    #[prop(optional)]
    offers: Option<fn(&State, &str) -> bool>,
) -> impl IntoView {
    let list = NodeRef::<html::Select>::new();
    let touched = ArcTrigger::new();
    let id = format!("control-{}", pick.control);
    let panel = Finder::of_list(&id, &choices).map(|finder| view! { <FinderPanel finder /> });
    // What stands in the page is taken as it is: only the prerenderer writes it.
    #[cfg(not(target_arch = "wasm32"))]
    let options = written(&choices, pick.chosen(&State::default()), late);
    #[cfg(target_arch = "wasm32")]
    let options = "";
    show(
        store,
        &touched,
        |state| pick.chosen(state).into(),
        move |chosen| {
            if let Some(list) = list.get_untracked() {
                if late && list.length() == 1 {
                    fill(&list, &choices);
                }
                choose_in(&list, chosen);
            }
        },
    );
    if let Some(offers) = offers {
        Effect::new(move || {
            let Some(list) = list.get_untracked() else { return };
            let options = (0..list.length()).filter_map(|place| list.item(place)?.dyn_into::<HtmlOptionElement>().ok());
            store.with(|state| {
                for option in options {
                    let missing = !offers(state, &option.value());
                    option.set_hidden(missing);
                    option.set_disabled(missing);
                }
            });
        });
    }
    view! {
        <div
            class="control control-select"
            data-control=pick.control
            hidden=move || store.with(|state| pick.is_idle(state))
        >
            <label for=id.clone()>{label}</label>
            // Browsers would put back what stood here on the last visit, which the link and the storage know better.
            <select
                id=id
                autocomplete="off"
                node_ref=list
                on:change=choose(store, pick, touched)
                inner_html=options
            ></select>
            {panel}
        </div>
    }
}

/// Sets the value of a list unless it has that value already. Chromium looks at every field of a page for autofill when the value of
/// a list is set, even to what it is, and lays out each section with a field in it.
pub fn choose_in(list: &HtmlSelectElement, id: &str) {
    if list.value() != id {
        list.set_value(id);
    }
}

/// Puts every choice into a list, around the one that the page came with: as that stays chosen, no browser is told of a change.
/// Attributes with legal names can be set, and what was just made can be put anywhere.
fn fill(list: &HtmlSelectElement, choices: &[Choice]) {
    let Some(chosen) = list.item(0).and_then(|option| option.dyn_into::<HtmlOptionElement>().ok()) else { return };
    let heading = chosen.parent_element().filter(|around| around.has_attribute("label"));
    let (mut place, mut under, mut before) = (Element::from(list.clone()), "", Some(&chosen));
    for Choice { id, label, group } in choices {
        if *group != under {
            under = group;
            if let Some(own) = heading.as_ref().filter(|own| own.get_attribute("label").as_deref() == Some(group)) {
                place = own.clone();
            } else {
                let Ok(made) = document().create_element("optgroup") else { return };
                let _ = made.set_attribute("label", group);
                let _ = list.insert_before(&made, before.and(heading.as_deref()));
                place = made;
            }
        }
        if *id == chosen.value() {
            before = None;
        } else if let Ok(option) = HtmlOptionElement::new_with_text_and_value(label, id) {
            let beside = before.filter(|chosen| chosen.parent_element().as_ref() == Some(&place));
            let _ = place.insert_before(&option, beside.map(|chosen| &***chosen as &Node));
        }
    }
}

/// The choices as they stand in the page; of a late list, the one that is chosen at first, under its heading. Lists with headings are
/// late.
#[cfg(not(target_arch = "wasm32"))]
fn written(choices: &[Choice], first: &str, late: bool) -> String {
    let option = |choice: &Choice| {
        let (id, label) = (choice.id, choice.label.clone());
        view! {
            <option value=id selected=id == first>
                {label}
            </option>
        }
        .to_html()
    };
    let headed = |choice: &Choice| match choice.group {
        "" => option(choice),
        group => view! { <optgroup label=group inner_html=option(choice)></optgroup> }.to_html(),
    };
    choices.iter().filter(|choice| !late || choice.id == first).map(headed).collect()
}
