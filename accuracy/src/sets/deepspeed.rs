//! What runs of DeepSpeed's own examples held on a GPU: by PyTorch's allocator, between steps and at the fullest moment.

use memory_wall_core::architecture::{Mlp, Norm, Positions};
use memory_wall_core::memory::backward;
use memory_wall_core::memory::deepspeed::{self, Settings};
use memory_wall_core::tables::models;
use memory_wall_core::worked::{self, Term};
use memory_wall_core::{
    Architecture, Bucket, Bytes, Checked, Checkpointing, Mode, Phase, Recipe, Scenario, Sharding, ZeroStage, evaluate,
};

use super::reading::check;
use crate::csv;
use crate::{Bound, Data, Outcome, Row, Set, Use};

/// The set of `deepspeed_steps.csv`.
pub(super) fn sets(data: &Data) -> Vec<Set> {
    vec![Set {
        name: "deepspeed-steps",
        about: "Training steps of DeepSpeed's own examples with ZeRO-3: memory allocated between steps and at the peak, with the settings of their files",
        bound: Bound::of(0.03, 0.02),
        rows: data.file("deepspeed_steps.csv").rows().map(row).collect(),
    }]
}

fn row(row: csv::Row<'_>) -> Row {
    let unit = if row.text("unit") == "GiB" { "GiB" } else { "GB" };
    let outcome = compare(row, unit);
    let counts = match row.text("use") {
        "checked" => Use::Checked,
        "fitted" => Use::Fitted,
        _ => Use::Reported,
    };
    let id = format!("{} {}: {}", row.text("row_id"), row.text("run"), row.text("what"));
    Row { id, unit, counts, outcome: Outcome::of(outcome), doubt: row.text("doubt").into() }
}

fn compare(row: csv::Row<'_>, unit: &str) -> Result<Outcome, String> {
    let run = run(row)?;
    let settings = Settings {
        bucket: row.whole("reduce_bucket_size")?,
        live: row.whole("live_parameters")?,
        sub_group: row.whole("sub_group_size")?,
    };
    let bytes = match row.text("what") {
        "allocated between steps" => between_steps(&run, &settings),
        "peak of allocated" => Phase::ALL.iter().map(|phase| at(&run, *phase, &settings)).max().unwrap_or_default(),
        what => return Err(format!("{what:?} is not known")),
    };
    let predicted = if unit == "GiB" { bytes.as_gib() } else { bytes.as_gb() };
    Ok(Outcome::Compared { predicted, measured: row.float("measured")?, exact: false })
}

/// Weights, gradients, which ZeRO-3 keeps, states and the bucket.
fn between_steps(run: &Checked, settings: &Settings) -> Bytes {
    let states = [Bucket::Weights, Bucket::Gradients, Bucket::Optimizer];
    let states = states.map(|bucket| worked::total(|sink| bucket.terms(run, Phase::Loss, sink)));
    states.into_iter().sum::<Bytes>() + worked::total(|sink| deepspeed::steady(run, settings, sink))
}

/// Everything that is allocated at one phase, with these settings in place of DeepSpeed's own.
fn at(run: &Checked, phase: Phase, settings: &Settings) -> Bytes {
    let with_usual = evaluate::at_phase(run, phase) - worked::total(|sink| Bucket::Overhead.terms(run, phase, sink));
    with_usual - by_settings(run, phase, &Settings::DEFAULT) + by_settings(run, phase, settings)
}

/// What the settings decide.
fn by_settings(run: &Checked, phase: Phase, settings: &Settings) -> Bytes {
    let steady = worked::total(|sink| deepspeed::steady(run, settings, sink));
    let live = Bytes(u128::from(deepspeed::live(run, settings)) * u128::from(run.value_bytes()));
    steady
        + match phase {
            Phase::OptimizerStep => deepspeed::in_step(run, settings)
                .map_or(Bytes::ZERO, |[values, bytes]| Bytes(u128::from(values) * u128::from(bytes))),
            Phase::Backward => {
                let moment = backward::fullest(run).0;
                live + worked::total(|sink: &mut dyn FnMut(&Term<'_>)| {
                    deepspeed::in_backward(run, settings, moment, sink);
                })
            }
            _ => live,
        }
}

/// The training step that a row states.
fn run(row: csv::Row<'_>) -> Result<Checked, String> {
    let mut scenario = Scenario {
        mode: Mode::Training,
        batch: row.number("batch")?,
        seq_length: row.number("seq_len")?,
        checkpointing: named(row, "checkpointing", Checkpointing::from_id)?,
        ..Scenario::new(shape(row)?)
    };
    scenario.training.recipe = named(row, "recipe", Recipe::from_id)?;
    scenario.training.sharding = Sharding::DeepSpeed;
    scenario.parallel.dp = row.number("gpus")?;
    scenario.parallel.zero = named(row, "zero", ZeroStage::from_id)?;
    check(&scenario)
}

/// A choice by its name.
fn named<T>(row: csv::Row<'_>, column: &str, by_id: fn(&str) -> Option<T>) -> Result<T, String> {
    by_id(row.text(column)).ok_or_else(|| format!("{column} {:?} is not known", row.text(column)))
}

/// A model of the engine's table, or the example's own: attention with biases, LayerNorm and a plain MLP with GELU.
fn shape(row: csv::Row<'_>) -> Result<Architecture, String> {
    let id = row.text("model_id");
    if !id.is_empty() {
        return models::by_id(id).map(|model| model.architecture).ok_or_else(|| format!("model {id:?} is not known"));
    }
    let like = models::by_id("gpt2-xl").ok_or("no GPT-2 in the table")?.architecture;
    let [hidden, heads] = [row.number("m_hidden")?, row.number("m_heads")?];
    Ok(Architecture {
        layers: row.number("m_layers")?,
        hidden_size: hidden,
        heads,
        kv_heads: heads,
        head_dim: hidden / heads,
        intermediate_size: row.number("m_ffn")?,
        vocab_size: row.number("m_vocab")?,
        positions: Positions::Learned(row.number("m_positions")?),
        mlp: Mlp::Gelu,
        norm: Norm::LayerNorm,
        tied_embeddings: false,
        dropout: false,
        ..like
    })
}
