//! Head and cross-entropy alone.

use memory_wall_core::memory::logits;
use memory_wall_core::worked::{self, Term};
use memory_wall_core::{Architecture, Checked, Mode, Phase, Scenario, Stock, Training, WeightFormat};

use crate::csv;
use crate::sets::reading::recipe;
use crate::{Bound, Data, Outcome, Row, Set};

/// The terms of one moment.
type Terms = fn(&Checked, &mut dyn FnMut(&Term<'_>));

/// The set of `logits_ce.csv`: the peak of the forward pass, what is kept, and the peak of the backward pass.
pub(super) fn sets(data: &Data) -> Vec<Set> {
    let file = data.file("logits_ce.csv");
    let mut rows = Vec::new();
    for (place, row) in file.rows().enumerate() {
        let kept = if row.is_set("out_kept") { ", outputs kept" } else { "" };
        let cap = if row.text("softcap").is_empty() { "" } else { ", soft-capped" };
        let name = format!("{}: {} × {} {}{cap}{kept}", place + 1, row.text("T"), row.text("V"), row.text("dtype"));
        let scenario = scenario(row);
        let mut compare = |what: &str, column: &str, terms: Terms| {
            let outcome = scenario.clone().and_then(|scenario| {
                let engine = worked::total(|sink| terms(&scenario, sink));
                Ok(Outcome::whole(engine.0, row.whole(column)?))
            });
            rows.push(Row::checked(format!("{name}, {what}"), "bytes", Outcome::of(outcome)));
        };
        compare("forward", "peak_fwd", |scenario, sink| logits::terms(scenario, Phase::ForwardEnd, sink));
        compare("kept", "live", |scenario, sink| logits::kept(scenario, sink));
        compare("backward", "peak_bwd", |scenario, sink| logits::terms(scenario, Phase::Loss, sink));
    }
    vec![Set {
        name: "logits-and-loss",
        about: "The output head's scores and cross-entropy alone: the peak of the forward pass, what stays, and the peak of the backward pass.",
        bound: Bound::EXACT,
        rows,
    }]
}

fn scenario(row: csv::Row<'_>) -> Result<Checked, String> {
    let dtype = row.text("dtype");
    let loss = row.text("loss");
    if loss != "hf" {
        return Err(format!("loss {loss:?}: modelled is the loss of transformers, with logits upcast to fp32"));
    }
    let [hidden, vocab] = [row.number("h")?, row.number("V")?];
    let scenario = Scenario {
        mode: Mode::Training,
        seq_length: row.number("T")?,
        weights: if dtype == "fp32" { WeightFormat::Fp32 } else { WeightFormat::Bf16 },
        training: Training {
            recipe: recipe(dtype)?,
            stock: Stock { outputs_kept: row.is_set("out_kept"), ..Training::DEFAULT.stock },
            ..Training::DEFAULT
        },
        ..Scenario::new(Architecture {
            soft_capped: !row.text("softcap").is_empty(),
            ..Architecture::llama([1, hidden, 1, 1, 1, 1, vocab])
        })
    };
    scenario.check().map_err(|error| error.to_string())
}
