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
pub fn guess(rig: Rig, round: &'static Round, question: &'static str, label: String) -> AnyView {
    let choices = round.options.iter().map(|id| Choice { id, label: round.option(id), group: "" }).collect();
    view! {
        <Radios
            control=question
            label
            choices
            chosen=Signal::derive(move || rig.predictions().guess(question).unwrap_or_default())
            pick=Callback::new(move |option| rig.predict(&|made| made.take(question, option)))
            locked=switch(move || rig.predictions().is_open(round))
        />
    }
    .into_any()
}

/// Check or ask again, and show or hide. Both buttons stay in their places, so that the focus does.
pub fn reveal(rig: Rig, round: &'static Round) -> AnyView {
    let button = |class: &'static str, keys: [&'static str; 2], checks: bool| {
        let label = text(move || {
            let [shut, open] = keys;
            t(if rig.predictions().is_open(round) { open } else { shut }).to_owned()
        });
        let act = move |_| {
            rig.predict(&|made| match (made.is_open(round), checks) {
                (true, true) => made.forget(round),
                (open, _) => made.turn(round, !open),
            });
        };
        view! { <button type="button" class=class on:click=act>{label}</button> }
    };
    view! {
        <div class="reveal">
            {button("plain-button check", ["predict.check", "predict.again"], true)}
            {button("plain-button", ["predict.show", "predict.hide"], false)}
        </div>
    }
    .into_any()
}
