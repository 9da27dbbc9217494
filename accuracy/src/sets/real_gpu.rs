//! Memory snapshots of a real GPU, committed to a public repository by a student: a transformer of 3.4 billion parameters of their own making.

use memory_wall_core::memory::{gradients, optimizer};
use memory_wall_core::{Architecture, Bucket, Mode, Phase, Recipe, Scenario, Training, WeightFormat, evaluate, worked};

use crate::csv;
use crate::{Bound, Data, Outcome, Row, Set};

/// The set of `real_gpu.csv`: AdamW states, gradients, and what was allocated before the step.
pub(super) fn sets(data: &Data) -> Vec<Set> {
    let file = data.file("real_gpu.csv");
    let rows = file
        .rows()
        .map(|row| {
            let id = format!("{}: {}", row.text("snapshot"), row.text("what"));
            Row::checked(id, "bytes", Outcome::of(outcome(row)))
        })
        .collect();
    vec![Set {
        name: "real-gpu",
        about: "Weights, gradients and AdamW states in memory snapshots of an H100, in requested bytes without cuBLAS workspaces.",
        bound: Bound::EXACT,
        rows,
    }]
}

fn outcome(row: csv::Row<'_>) -> Result<Outcome, String> {
    let what = row.text("what");
    let context = row.number("context_length")?;
    let dtype = row.text("dtype");
    if dtype != "fp32" && !what.starts_with("forward") {
        return Err(format!("states of a run in {dtype:?} were not in the snapshots when this was written"));
    }
    let scenario = Scenario {
        mode: Mode::Training,
        batch: 4,
        seq_length: context,
        weights: WeightFormat::Fp32,
        training: Training { recipe: Recipe::Fp32, ..Training::DEFAULT },
        ..Scenario::new(Architecture::llama([32, 2_560, 32, 32, 80, 10_240, 10_000]))
    };
    let scenario = scenario.check().map_err(|error| error.to_string())?;
    let engine = match what {
        "AdamW state" => worked::total(|sink| optimizer::terms(&scenario, Phase::OptimizerStep, sink)),
        "gradients" => worked::total(|sink| gradients::terms(&scenario, Phase::OptimizerStep, sink)),
        _ if what.starts_with("weights") => {
            // That code keeps sines and cosines of half a head in each of its 32 layers, and the ids of 4 sequences in 64 bits.
            let context = u128::from(context);
            let tables = 32 * 2 * 40 * 4 * context;
            let ids = 4 * 8 * context;
            return compare(evaluate(&scenario).bytes(Bucket::Weights).0 + tables + ids, row);
        }
        _ if what.starts_with("forward") => {
            return Err("the forward graph is that of the student's own modules, not of transformers, and their code is not among the facts".into());
        }
        _ => return Err(format!("{what:?} is not known")),
    };
    compare(engine.0, row)
}

fn compare(engine: u128, row: csv::Row<'_>) -> Result<Outcome, String> {
    Ok(Outcome::whole(engine, row.whole("measured_minus_workspace")?))
}
