//! A prediction: a guess among a few options, and two buttons, one to check it and one to skip it.

use leptos::prelude::*;

use super::choice::{Choice, radios};
use crate::predictions::Round;
use crate::sections::masonry::{flag, live};

/// One question of a round. The guess stays to be seen when the round is open, and cannot be changed then.
pub fn guess(round: &Round, question: &str, label: String) -> AnyView {
    let choices = round.options.iter().map(|id| Choice { id, label: round.option(id), group: "" }).collect();
    let id = round.id;
    let locked = flag(&format!("predict.open.{id}"));
    radios(question, label, choices, "", live(&format!("predict.guess.{question}")), [Some(locked), None])
}

/// Check or ask again, and show or hide. Both buttons stay in their places, so that the focus does.
pub fn reveal(round: &Round) -> AnyView {
    let button = |class: &'static str, act: &str| {
        let id = round.id;
        view! {
            <button type="button" class=class data-act=format!("{act} {id}")>
                {live(&format!("predict.{act}.{id}"))}
            </button>
        }
    };
    view! { <div class="reveal">{button("plain-button check", "check")} {button("plain-button", "show")}</div> }
        .into_any()
}
