//! A native list over one field of the state, which can be filtered where it is long.

use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::{Element, HtmlOptionElement, HtmlSelectElement};

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

/// Chooses in a list what is not chosen yet. Browsers look at all fields of a page for what they could fill in when a list is told
/// what to show, also what it shows already, and lay out every section with a field in it.
pub(crate) fn choose_in(list: &HtmlSelectElement, id: &str) {
    if list.value() != id {
        list.set_value(id);
    }
}

/// Puts every choice into a list. Attributes with legal names can be set, and what was just made can be put anywhere.
fn fill(list: &HtmlSelectElement, choices: &[Choice]) {
    list.set_length(0);
    let (mut place, mut under) = (Element::from(list.clone()), "");
    for Choice { id, label, group } in choices {
        if *group != under {
            under = group;
            let Ok(heading) = document().create_element("optgroup") else { return };
            let _ = heading.set_attribute("label", group);
            let _ = list.append_child(&heading);
            place = heading;
        }
        if let Ok(option) = HtmlOptionElement::new_with_text_and_value(label, id) {
            let _ = place.append_child(&option);
        }
    }
}

/// The choices as they stand in the page; of a late list, the one that is chosen at first. None of them is under a heading: lists with
/// headings are late.
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
    choices.iter().filter(|choice| !late || choice.id == first).map(option).collect()
}
