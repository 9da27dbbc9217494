//! The reasons behind a prediction: one for each option, hidden until the round is open.

use leptos::prelude::*;

use super::masonry::live;
use crate::predictions::Round;
use crate::words;

/// Why each option is right or is not; the right one and the reader's own are marked.
pub fn reasons(round: &Round, question: &str, why: impl Fn(&str) -> String) -> AnyView {
    reasons_named(round, question, &|option| round.option(option), why)
}

/// The same where the options of each question have names of their own.
pub fn reasons_named(
    round: &Round,
    question: &str,
    named: &dyn Fn(&str) -> &'static str,
    why: impl Fn(&str) -> String,
) -> AnyView {
    let answer = (round.answer)(question);
    let rows = round
        .options
        .iter()
        .map(|option| {
            view! {
                <div class="reason" data-right=(answer == Some(option)).then_some("")>
                    <dt>
                        {named(option)}
                        <span class="yours" hidden=live(&format!("predict.other.{question}.{option}"))>{words::sort_yours()}</span>
                    </dt>
                    <dd>{why(option)}</dd>
                </div>
            }
        })
        .collect_view();
    let id = round.id;
    view! {
        <dl class="reasons" data-question=question.to_owned() data-mark=live(&format!("predict.mark.{question}")) hidden=live(&format!("predict.shut.{id}"))>
            {rows}
        </dl>
    }
    .into_any()
}
