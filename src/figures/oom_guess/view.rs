//! How the figure is drawn, once, when the page is built.

use leptos::prelude::*;
use memory_wall_core::allocation_trace::Program;
use memory_wall_core::display::THIN_SPACE;

use super::ROUND;
use crate::figures::oom::gib;
use crate::sections::masonry::live;
use crate::sections::reasons::reasons;
use crate::widgets::prediction;
use crate::words;

/// The figure.
pub fn view() -> AnyView {
    let program = Program::default();
    let Program { features, batch, seq_length, .. } = program;
    let listing = [
        format!("model = nn.Linear({features}, {features})"),
        format!("x = torch.randn({batch}, {seq_length}, {features})"),
        "y = model(x)".into(),
        "loss = y.sum()".into(),
        "loss.backward()".into(),
        "del x, y, loss".into(),
    ]
    .map(|line| view! { <li><code>{line}</code></li> })
    .into_iter()
    .collect_view();
    let why = |option: &str| {
        let line = option.parse().unwrap_or(0);
        let most = program.steps().filter(|step| step.line() == line).map(|step| program.during(step)).max();
        let total = format!("{}{THIN_SPACE}GiB", gib(most.unwrap_or_default()));
        match option {
            "2" => words::OomReason2 { total: &total }.text(),
            "3" => words::OomReason3 { total: &total }.text(),
            "4" => words::OomReason4 { total: &total }.text(),
            _ => words::OomReason5 { total: &total }.text(),
        }
    };
    view! {
        <div class="oom-guess">
            <ol class="oom-listing" aria-label=words::oom_program()>
                {listing}
            </ol>
            <div class="part">
                {prediction::guess(&ROUND, "peak-line", words::oom_question().into())} {prediction::reveal(&ROUND)}
            </div>
            <p class="oom-outcome">{live("predict.outcome.lines")}</p>
            {reasons(&ROUND, "peak-line", why)}
        </div>
    }
    .into_any()
}
