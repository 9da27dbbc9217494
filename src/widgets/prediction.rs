//! A prediction: a guess among a few options, and two buttons, one to check it and one to skip it.
//!
//! What is shown once it is open stands in the prerendered page (`src/sections/reasons.rs`): only guesses and buttons are live.

use leptos::prelude::*;

use super::bind::{switch, text};
use super::choice::{Choice, Radios};
use crate::predictions::Round;
use crate::rig::Rig;
use crate::words::t;

/// One question of a round. The guess stays to be seen when the round is open, and cannot be changed then.
#[component]
pub fn Guess(
    rig: Rig,
    round: &'static Round,
    question: &'static str,
    #[prop(into)] label: String,
    #[prop(optional)] about: String,
) -> impl IntoView {
    let choices = round.options.iter().map(|id| Choice { id, label: round.option(id), group: "" }).collect();
    view! {
        <Radios
            control=question
            label
            about
            choices
            chosen=Signal::derive(move || rig.predictions.with(|made| made.guess(question).unwrap_or_default()))
            pick=Callback::new(move |option| rig.predictions.update(|made| made.take(question, option)))
            locked=switch(move || rig.predictions.with(|made| made.is_open(round)))
        />
    }
}

/// Check or ask again, and show or hide. Both buttons stay in their places, so that the focus does.
#[component]
pub fn Reveal(rig: Rig, round: &'static Round) -> impl IntoView {
    let open = move || rig.predictions.with(|made| made.is_open(round));
    let turn = move |show: bool| {
        rig.predictions.update(|made| made.turn(round, show));
        rig.said.set(if show { rig.predictions.with_untracked(|made| made.outcome(round)) } else { String::new() });
    };
    let check = move |_| {
        if open() {
            rig.predictions.update(|made| made.forget(round));
            rig.said.set(String::new());
        } else {
            turn(true);
        }
    };
    let button = |open_key: &'static str, shut_key: &'static str| {
        text(move || t(if open() { open_key } else { shut_key }).to_owned())
    };
    view! {
        <div class="reveal" data-round=round.id>
            <button type="button" class="plain-button check" on:click=check>{button("predict.again", "predict.check")}</button>
            <button type="button" class="plain-button" on:click=move |_| turn(!rig.predictions.with_untracked(|made| made.is_open(round)))>
                {button("predict.hide", "predict.show")}
            </button>
        </div>
    }
}
