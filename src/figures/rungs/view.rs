//! How the figure is drawn, once, when the page is built.

use leptos::prelude::*;
use memory_wall_core::advise::Mitigation;

use super::ROUND;
use crate::figures::ladder::{inside, name};
use crate::sections::masonry::live;
use crate::sections::reasons::reasons_named;
use crate::widgets::prediction::{guess_named, reveal};
use crate::words;

/// The pairs that are asked about.
pub(super) const PAIRS: [(&str, [Mitigation; 2]); 3] = [
    ("rungs-loss", [Mitigation::ChunkedLoss, Mitigation::FullCheckpointing]),
    ("rungs-method", [Mitigation::Lora, Mitigation::EightBitOptimizer]),
    ("rungs-card", [Mitigation::SmallerMicroBatch, Mitigation::BiggerGpu]),
];

/// Why one of a pair comes before the other.
fn why(question: &str, option: &str) -> String {
    let said = match (question, option) {
        ("rungs-loss", "former") => words::ladder_why_loss(),
        ("rungs-loss", _) => words::ladder_why_checkpointing(),
        ("rungs-method", "former") => words::ladder_why_lora(),
        ("rungs-method", _) => words::ladder_why_8bit(),
        (_, "former") => words::ladder_why_batch(),
        _ => words::ladder_why_gpu(),
    };
    said.into()
}

/// The figure.
pub fn view() -> AnyView {
    let asked = PAIRS
        .into_iter()
        .map(|(question, [former, latter])| {
            let label = words::LadderPair { former: name(former), latter: &inside(latter) }.text();
            let named = |option: &str| name(if option == "former" { former } else { latter });
            view! {
                <div class="rungs-pair">
                    {guess_named(&ROUND, question, label, &named)}
                    <p class="rungs-said">{live(&format!("predict.said.{question}"))}</p>
                    {reasons_named(&ROUND, question, &named, |option| why(question, option))}
                </div>
            }
        })
        .collect_view();
    view! {
        <div class="rungs-asked">
            {asked} {reveal(&ROUND)} <p class="sort-score">{live("predict.outcome.rungs")}</p>
        </div>
    }
    .into_any()
}
