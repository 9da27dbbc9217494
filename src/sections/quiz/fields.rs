//! What a question is answered with: a field, options, or lists to put parts in order.

use leptos::prelude::*;

use super::text::{Group, Kind};
use super::{Asked, put, unit};
use crate::sections::masonry::{flag, live};
use crate::words::{fill, t};

/// The controls of a question.
pub(super) fn fields(asked: &Asked) -> AnyView {
    match asked.question.kind {
        Kind::Number => field(asked.question.id),
        Kind::Order => order(asked),
        _ => {
            let mut from = 0;
            let groups = asked.question.groups.iter().map(|group| {
                let view = options(asked, group, from);
                from += group.choices.len();
                view
            });
            groups.collect_view().into_any()
        }
    }
}

fn field(id: &'static str) -> AnyView {
    let [.., unit] = unit(id);
    view! {
        <div class="quiz-field">
            <label for=format!("quiz-{id}-field")>{t("quiz.number")}</label>
            <input
                type="text"
                inputmode="decimal"
                autocomplete="off"
                spellcheck="false"
                maxlength="40"
                id=format!("quiz-{id}-field")
                value=live(&format!("quiz.given.{id}"))
                disabled=flag(&format!("quiz.done.{id}"))
            />
            <span class="hint">{fill("quiz.number.hint", &[("unit", unit)])}</span>
        </div>
    }
    .into_any()
}

/// Options, one to be chosen, or several where several are right.
fn options(asked: &Asked, group: &Group, from: usize) -> AnyView {
    let id = asked.question.id;
    let several = group.choices.iter().filter(|choice| choice.right).count() > 1;
    let kind = if several { "checkbox" } else { "radio" };
    let rows = group
        .choices
        .iter()
        .enumerate()
        .map(|(place, choice)| {
            view! {
                <label class="quiz-option">
                    <input type=kind name=format!("quiz-{id}-{from}") value=(from + place).to_string() autocomplete="off" />
                    <span>{put(choice.text, &asked.values)}</span>
                </label>
            }
        })
        .collect_view();
    let legend = if group.heading.is_empty() {
        view! { <legend class="visually-hidden">{t("quiz.options")}</legend> }.into_any()
    } else {
        view! { <legend>{group.heading}</legend> }.into_any()
    };
    view! {
        <fieldset
            class="quiz-options"
            data-value=live(&format!("quiz.given.{id}"))
            disabled=flag(&format!("quiz.done.{id}"))
            aria-describedby=format!("quiz-{id}-ask")
        >
            {legend}
            {rows}
        </fieldset>
    }
    .into_any()
}

/// A list for each place of the order.
fn order(asked: &Asked) -> AnyView {
    let id = asked.question.id;
    let mut parts: Vec<&'static str> =
        asked.question.groups.iter().flat_map(|group| &group.choices).map(|choice| choice.text).collect();
    parts.sort_unstable();
    let right = super::shuffled(&asked.question.groups);
    let rows = (0..parts.len())
        .map(|place| {
            let options = parts
                .iter()
                .enumerate()
                .map(|(value, part)| view! { <option value=value.to_string()>{*part}</option> })
                .collect_view();
            let name = fill("quiz.place", &[("n", &(place + 1).to_string())]);
            view! {
                // What belongs here, and what the style sheet says where it stands here and where it does not.
                <li data-right=right.get(place).map(ToString::to_string) data-said=t("quiz.place.right") data-slip=t("quiz.place.wrong")>
                    <select aria-label=name autocomplete="off" data-value=live(&format!("quiz.nth.{place}.{id}")) disabled=flag(&format!("quiz.done.{id}"))>
                        <option value="-">{t("quiz.choose")}</option>
                        {options}
                    </select>
                </li>
            }
        })
        .collect_view();
    view! {
        <ol class="quiz-order">{rows}</ol>
        // Without a program, and on paper.
        <p class="quiz-parts">{parts.join(" · ")}</p>
    }
    .into_any()
}
