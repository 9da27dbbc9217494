//! What the reader takes away, and what they bring.

use leptos::html;
use leptos::prelude::*;
use memory_wall_core::display::ByteUnit;
use memory_wall_plan::export::Target;

use crate::board::Board;
use crate::desk::Desk;
use crate::formats::{self, Brought, Format};
use crate::{browser, link, tables, words};

/// Link, files and tables of all plans.
#[component]
pub(crate) fn Out(desk: Desk) -> impl IntoView {
    let format = RwSignal::new(Format::Json);
    let written = Memo::new(move |_| format.get().write(&desk.asked(), desk.chosen(), &tables::rows(desk)));
    let text = Memo::new(move |_| written.with(|written| written.text.clone()));
    let notes = move || written.with(|written| written.notes.join(" "));
    let place = NodeRef::<html::Textarea>::new();
    let first = text.get_untracked();
    Effect::new(move || {
        let now = text.get();
        if let Some(place) = place.get() {
            place.set_value(&now);
        }
    });
    let say = move |copied: bool| {
        let words = if copied { words::out_copied() } else { words::out_selected() };
        desk.spoken.set(words.into());
    };
    let own = Format::OWN
        .into_iter()
        .map(|it| view! { <option value=it.id()>{words::FORMAT.of(it.id())}</option> })
        .collect_view();
    let others = Target::EACH
        .into_iter()
        .map(|target| {
            let idle = move || desk.scenario(|it| it.mode.trains() != target.trains()).unwrap_or_default();
            view! {
                <option value=target.id() hidden=idle disabled=idle>
                    {format!("{} ({})", target.label(), target.file())}
                </option>
            }
        })
        .collect_view();
    view! {
        <div class="out">
            <p class="acts">
                <button
                    type="button"
                    class="plain-button"
                    on:click=move |_| browser::copy(&browser::address(&link::write(&desk.now(Board::asked))), say)
                >
                    {words::out_link()}
                </button>
            </p>
            <p class="field">
                <label for="out-format">{words::out_format()}</label>
                <select
                    id="out-format"
                    autocomplete="off"
                    on:change=move |event| {
                        let chosen = event_target_value(&event);
                        if let Some(chosen) = Format::all().find(|format| format.id() == chosen) {
                            format.set(chosen);
                        }
                    }
                >
                    {own} <optgroup label=words::out_plan()>{others}</optgroup>
                </select>
            </p>
            <textarea
                class="snippet"
                id="out-text"
                aria-label=words::out_text()
                readonly=true
                rows="10"
                spellcheck="false"
                node_ref=place
            >
                {first}
            </textarea>
            <p class="caption notes">{notes}</p>
            <p class="acts">
                <button
                    type="button"
                    class="plain-button"
                    on:click=move |_| {
                        if let Some(place) = place.get_untracked() {
                            place.select();
                        }
                        browser::copy(&text.get_untracked(), say);
                    }
                >
                    {words::out_copy()}
                </button>
                <button
                    type="button"
                    class="plain-button"
                    on:click=move |_| browser::save(format.get_untracked().file(), &text.get_untracked())
                >
                    {words::out_save()}
                </button>
            </p>
        </div>
    }
}

/// Plans that the reader brings: pasted, dropped or chosen.
#[component]
pub(crate) fn Bring(desk: Desk) -> impl IntoView {
    let fault = RwSignal::new(String::new());
    let unread = RwSignal::new(Vec::new());
    let take = move |text: String| match formats::read(&text) {
        Ok(Brought { plans, notes }) if !plans.is_empty() => {
            let count = plans.len();
            desk.edit(None, |board| {
                if count > 1
                    && let Some(brought) = Board::of(plans.clone())
                {
                    *board = brought;
                } else {
                    for asked in plans {
                        board.add(asked);
                    }
                }
            });
            fault.set(String::new());
            unread.set(notes);
            desk.spoken.set(words::in_taken().into());
        }
        Ok(_) => fault.set(words::in_nothing().into()),
        Err(why) => fault.set(words::InFault { why: &why }.text()),
    };
    view! {
        <div class="field bring">
            <label for="in-text">{words::in_text()}</label>
            <textarea
                class="snippet"
                id="in-text"
                rows="5"
                spellcheck="false"
                autocomplete="off"
                aria-describedby="in-error"
                aria-invalid=move || fault.with(|fault| (!fault.is_empty()).then_some("true"))
                on:input=move |event| {
                    let text = event_target_value(&event);
                    if text.trim().is_empty() { fault.set(String::new()) } else { take(text) }
                }
            ></textarea>
            <span class="field-error" id="in-error" role="status">
                {move || Some(fault.get()).filter(|fault| !fault.is_empty())}
            </span>
            <p class="caption notes" hidden=move || unread.with(Vec::is_empty)>
                {move || words::InUnread { what: &unread.with(|all| all.join("; ")) }.text()}
            </p>
            <label for="in-file">{words::in_file()}</label>
            <input
                type="file"
                id="in-file"
                accept=".json,application/json"
                on:change=move |event| browser::chosen_file(&event, take)
            />
        </div>
    }
}

/// Powers of 1,000 or of 1,024.
#[component]
pub(crate) fn Unit(desk: Desk) -> impl IntoView {
    let button = move |unit: ByteUnit| {
        view! {
            <button
                type="button"
                class="plain-button"
                aria-pressed=move || if desk.unit() == unit { "true" } else { "false" }
                on:click=move |_| desk.measure(unit)
            >
                {words::UNIT.of(unit.id())}
            </button>
        }
    };
    view! { <span class="unit-choice" role="group" aria-label=words::unit()>{ByteUnit::EACH.map(button).into_iter().collect_view()}</span> }
}
