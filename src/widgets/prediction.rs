//! A prediction: a guess among a few options, and two buttons, one to check it and one to skip it.

use leptos::prelude::*;

use super::choice::radios;
use crate::controls::Choice;
use crate::predictions::Round;
use crate::sections::masonry::live;

/// One question of a round. The guess stays to be seen when the round is open, and cannot be changed then.
pub fn guess(round: &Round, question: &str, label: String) -> AnyView {
    guess_named(round, question, label, &|option| round.option(option))
}

/// The same where the options of each question have names of their own.
pub fn guess_named(round: &Round, question: &str, label: String, named: &dyn Fn(&str) -> &'static str) -> AnyView {
    let choices = round.options.iter().map(|id| Choice { id, label: named(id).into(), group: "" }).collect();
    let id = round.id;
    let locked = live(&format!("predict.open.{id}"));
    radios(question, label, choices, "", live(&format!("predict.guess.{question}")), [Some(locked), None])
}

/// Check or ask again, and show or hide.
pub fn reveal(round: &Round) -> AnyView {
    let id = round.id;
    buttons(&live(&format!("predict.check.{id}")), &live(&format!("predict.show.{id}")), ["check", "show"], id)
}

/// Two buttons by what they say and do to something. Both stay in their places, so that the focus does.
pub fn buttons(check: &str, show: &str, [checks, shows]: [&str; 2], id: &str) -> AnyView {
    let button = |class: &'static str, act: &str, label: &str| {
        view! {
            <button type="button" class=class id=(act == "check-dial").then(|| format!("{act}{id}")) data-act=format!("{act} {id}")>
                {label.to_owned()}
            </button>
        }
    };
    view! {
        <div class="reveal">{button("plain-button check", checks, check)} {button("plain-button", shows, show)}</div>
    }
    .into_any()
}
