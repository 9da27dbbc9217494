//! What a question is answered with: a field, options, or lists to put parts in order.

use leptos::prelude::*;

use super::text::{Choice, Group, Kind};
use super::{Asked, about, attempt, parts, put, shuffled, unit};
use crate::quiz::Binding;
use crate::words;

/// The controls of a question.
pub(super) fn fields(asked: &Asked) -> AnyView {
    match asked.question.kind {
        Kind::Number => field(asked.question.id),
        Kind::Order => order(asked),
        _ => {
            let groups = asked.question.groups.iter().enumerate();
            groups.map(|(place, group)| options(asked, group, place)).collect_view().into_any()
        }
    }
}

fn field(id: &'static str) -> AnyView {
    let [.., unit] = unit(id);
    view! {
        <div class="quiz-field">
            <label for=format!("quiz-{id}-field")>{words::quiz_number()}</label>
            <input
                type="text"
                inputmode="decimal"
                autocomplete="off"
                spellcheck="false"
                maxlength="40"
                id=format!("quiz-{id}-field")
                value=about(Binding::Given, id)
                disabled=about(Binding::Done, id)
            />
            <span class="hint">{words::QuizNumberHint { unit }.text()}</span>
        </div>
    }
    .into_any()
}

/// Options, one to be chosen, or several where several are right.
fn options(asked: &Asked, group: &Group, place: usize) -> AnyView {
    let id = asked.question.id;
    let several = group.choices.iter().filter(|choice| choice.right).count() > 1;
    let kind = if several { "checkbox" } else { "radio" };
    let rows = shuffled(&asked.question, group)
        .into_iter()
        .map(|choice| {
            let [option, value] = [choice.id, choice.id].map(|id| id.to_string());
            view! {
                <label class="quiz-option" data-option=option>
                    <input type=kind name=format!("quiz-{id}-{place}") value=value autocomplete="off" />
                    <span>{put(choice.text, &asked.values)}</span>
                </label>
            }
        })
        .collect_view();
    let legend = if group.heading.is_empty() {
        view! { <legend class="visually-hidden">{words::quiz_options()}</legend> }.into_any()
    } else {
        view! { <legend>{group.heading}</legend> }.into_any()
    };
    view! {
        <fieldset
            class="quiz-options"
            data-value=about(Binding::Given, id)
            data-attempt=attempt(&asked.question)
            disabled=about(Binding::Done, id)
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
    // By the alphabet, which tells nothing of the order.
    let mut sorted: Vec<&Choice> = parts(&asked.question).collect();
    sorted.sort_unstable_by_key(|part| part.text);
    let rows = parts(&asked.question)
        .enumerate()
        .map(|(place, right)| {
            let options = sorted
                .iter()
                .map(|part| view! { <option value=part.id.to_string()>{part.text}</option> })
                .collect_view();
            let name = words::QuizPlace { n: &(place + 1).to_string() }.text();
            view! {
                // What belongs here, and what the style sheet says where it stands here and where it does not.
                <li data-right=right.id.to_string() data-said=words::quiz_place_right() data-slip=words::quiz_place_wrong()>
                    <select aria-label=name autocomplete="off" data-value=about(Binding::Nth, &format!("{place}.{id}")) disabled=about(Binding::Done, id)>
                        <option value="-">{words::quiz_choose()}</option>
                        {options}
                    </select>
                </li>
            }
        })
        .collect_view();
    view! {
        <ol class="quiz-order">{rows}</ol>
        // Without a program, and on paper.
        <p class="quiz-parts">{sorted.iter().map(|part| part.text).collect::<Vec<_>>().join(" · ")}</p>
    }
    .into_any()
}
