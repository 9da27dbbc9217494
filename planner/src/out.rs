//! What the reader takes away, and what they bring.

use std::slice;

use leptos::html;
use leptos::prelude::*;
use memory_wall_core::display::ByteUnit;
use memory_wall_plan::export::Target;
use memory_wall_plan::file;

use crate::board::Board;
use crate::desk::Desk;
use crate::formats::{self, Format, Unread};
use crate::link::{self, Asked};
use crate::picture::Picture;
use crate::taught::Taught;
use crate::{browser, tables, words};

/// Link, files and tables of all plans.
#[component]
pub(crate) fn Out(desk: Desk) -> impl IntoView {
    let format = RwSignal::new(Format::Json);
    // What another program takes is written by a program of its own, which may have to be fetched first.
    let foreign = Memo::new(move |_| match format.get() {
        Format::Of(target) => Some((target, desk.sheet(|sheet| sheet.asked.plan.clone())?)),
        _ => None,
    });
    let answer = RwSignal::new(None::<Result<Vec<String>, String>>);
    Effect::new(move || {
        answer.set(None);
        let Some((target, plan)) = foreign.get() else { return };
        let file = file::write(slice::from_ref(&plan));
        browser::exchange("written", &[&file, target.id()], move |written| {
            // Meanwhile it may have become another question.
            if foreign.with_untracked(|now| *now == Some((target, plan.clone()))) {
                answer.set(Some(written));
            }
        });
    });
    let text = Memo::new(move |_| {
        let own = format.get().write(&desk.asked(), || tables::all(desk));
        own.unwrap_or_else(|| answer.with(|it| it.as_ref()?.as_ref().ok()?.first().cloned()).unwrap_or_default())
    });
    let waits = move || foreign.with(Option::is_some) && answer.with(Option::is_none);
    let notes = move || match answer.get() {
        _ if foreign.with(Option::is_none) => String::new(),
        None => words::exchange_wait().to_owned(),
        Some(Ok(texts)) => texts.get(1..).unwrap_or_default().join(" "),
        Some(Err(why)) => why,
    };
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
        <div class="out" aria-busy=move || waits().then_some("true")>
            <p class="acts">
                <button
                    type="button"
                    class="plain-button"
                    on:click=move |_| browser::copy(&browser::address(&link::write(&desk.now(Board::asked))), say)
                >
                    {words::out_link()}
                </button>
            </p>
            <Taught desk />
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
            <Picture desk />
        </div>
    }
}

/// Plans that the reader brings: pasted, dropped or chosen.
#[component]
pub(crate) fn Bring(desk: Desk) -> impl IntoView {
    let fault = RwSignal::new(String::new());
    let unread = RwSignal::new(Vec::new());
    // What was handed over last, where another program reads it.
    let waits = RwSignal::new(None::<String>);
    let put = move |plans: Vec<Asked>, notes: Vec<String>| {
        if plans.is_empty() {
            return fault.set(words::in_nothing().into());
        }
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
    };
    let read = move |text: String| {
        waits.set(None);
        match formats::read(&text) {
            Ok(plans) => put(plans, Vec::new()),
            Err(Unread::Mistake(why)) => fault.set(words::InFault { why: &why }.text()),
            Err(Unread::Foreign) => {
                waits.set(Some(text.clone()));
                let asked = text.clone();
                browser::exchange("taken", &[&text], move |taken| {
                    if waits.with_untracked(|now| *now != Some(asked)) {
                        return;
                    }
                    waits.set(None);
                    match taken.map(Vec::into_iter) {
                        Ok(mut texts) => {
                            let plan = texts.next().unwrap_or_default();
                            put(formats::read(&plan).unwrap_or_default(), texts.collect());
                        }
                        Err(why) => fault.set(words::InFault { why: &why }.text()),
                    }
                });
            }
        }
    };
    let take = move |text: String| {
        waits.set(Some(text.clone()));
        browser::with_configs(move |came| {
            if waits.with_untracked(|now| now.as_deref() != Some(&text)) {
                return;
            }
            if came || !text.contains("config") && !text.contains('{') {
                read(text);
            } else {
                waits.set(None);
                fault.set(words::own_missing().into());
            }
        });
    };
    view! {
        <div class="field bring" aria-busy=move || waits.with(Option::is_some).then_some("true")>
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
                    if text.trim().is_empty() {
                        waits.set(None);
                        fault.set(String::new());
                    } else {
                        take(text);
                    }
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
