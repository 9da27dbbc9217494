//! Peaks of LitGPT's generation scripts, and runs of them that failed.

use memory_wall_core::architecture::{Architecture, Biases, Mlp, Norm};
use memory_wall_core::engines::litgpt::{self, Peak};
use memory_wall_core::tables::models;
use memory_wall_core::units::GB;
use memory_wall_core::{Bytes, Scenario, WeightFormat};

use super::reading::{counts, left_out};
use crate::csv;
use crate::sets::reading::check;
use crate::{Bound, Data, Outcome, Row, Set, Use};

/// The scripts' own prompt, which the tables do not state.
const PROMPT: u32 = 10;

/// Models that are in these tables and not in the engine's own, with the counts of their checkpoints.
const SHAPES: &[(&str, Architecture, u64)] = &[
    ("codellama-34b", Architecture::llama([48, 8_192, 64, 8, 128, 22_016, 32_000]), 33_743_970_304),
    ("phi-1.5", with_biases(1, [24, 2_048, 32, 32, 64, 8_192, 51_200]), 1_418_270_720),
    ("phi-2", with_biases(1, [32, 2_560, 32, 32, 80, 10_240, 51_200]), 2_779_683_840),
    ("stablelm-base-alpha-3b", with_biases(2, [16, 4_096, 32, 32, 128, 16_384, 50_688]), 3_637_321_728),
    ("falcon-7b", falcon(1, [32, 4_544, 71, 1, 64, 18_176, 65_024]), 6_921_720_704),
    ("falcon-40b", falcon(2, [60, 8_192, 128, 8, 64, 32_768, 65_024]), 41_303_293_952),
];

/// Attention and MLP side by side, as Falcon has them.
const fn falcon(norms_per_layer: u32, shape: [u32; 7]) -> Architecture {
    Architecture {
        mlp: Mlp::Gelu,
        norm: Norm::LayerNorm,
        norms_per_layer,
        parallel_residual: true,
        tied_embeddings: true,
        ..Architecture::llama(shape)
    }
}

/// The same with biases everywhere and a head of its own (phi, `StableLM`).
const fn with_biases(norms_per_layer: u32, shape: [u32; 7]) -> Architecture {
    Architecture {
        biases: Biases { qkv: true, attention_output: true, mlp: true },
        tied_embeddings: false,
        ..falcon(norms_per_layer, shape)
    }
}

pub(super) fn sets(data: &Data) -> Vec<Set> {
    let file = data.file("inference_peaks.csv");
    let (failed, run): (Vec<_>, Vec<_>) = file.rows().partition(|row| row.text("use") == "capacity");
    vec![
        Set {
            name: "litgpt-inference",
            about: "Peaks of LitGPT's generation scripts, weights, cache and workspace; no constant was fitted",
            bound: Bound::of(0.03, 0.01),
            rows: run.into_iter().map(peak).collect(),
        },
        Set {
            name: "litgpt-inference-capacity",
            about: "Runs of these scripts that failed for want of memory: whether the engine says so",
            bound: Bound::NONE,
            rows: failed.into_iter().map(verdict).collect(),
        },
    ]
}

fn peak(row: csv::Row<'_>) -> Row {
    let outcome = match (left_out(row), predicted(row)) {
        (Some(reason), _) | (None, Err(reason)) => Outcome::NotModelled(reason),
        (None, Ok(peak)) => match (row.float("measured"), row.text("unit")) {
            (Ok(measured), "GB") => Outcome::Compared { predicted: peak.total().as_gb(), measured, exact: false },
            (Ok(_), unit) => Outcome::NotModelled(format!("unit {unit:?} is not GB")),
            (Err(reason), _) => Outcome::NotModelled(reason),
        },
    };
    shown(row, counts(row), outcome)
}

fn verdict(row: csv::Row<'_>) -> Row {
    let capacity = row.whole("gpu_mem_gb_marketed").map(|gb| Bytes(u128::from(gb) * GB));
    let outcome = match (predicted(row), capacity) {
        (Ok(peak), Ok(capacity)) => Outcome::Verdict {
            right: peak.total() > capacity,
            why: format!("needs {:.2} GB of {:.0}", peak.total().as_gb(), capacity.as_gb()),
        },
        (Err(reason), _) | (_, Err(reason)) => Outcome::NotModelled(reason),
    };
    shown(row, Use::Checked, outcome)
}

fn shown(row: csv::Row<'_>, counts: Use, outcome: Outcome) -> Row {
    Row { id: row.text("row_id").into(), unit: "GB", counts, outcome, doubt: row.text("doubt").into() }
}

pub(super) fn shape(id: &str) -> Result<Architecture, String> {
    let own = SHAPES.iter().find(|(name, ..)| *name == id).map(|(_, shape, _)| *shape);
    own.or_else(|| models::by_id(id).map(|model| model.architecture))
        .ok_or_else(|| format!("the shape of {id:?} is not known"))
}

fn predicted(row: csv::Row<'_>) -> Result<Peak, String> {
    let engine = row.text("engine");
    if engine != "LitGPT" {
        return Err(format!("engine {engine:?} is another one"));
    }
    if row.number_or("batch", 1)? != 1 {
        return Err("the scripts generate one sequence at a time".into());
    }
    let mut scenario = Scenario::new(shape(row.text("model_id"))?);
    scenario.seq_length = row.number("max_new_tokens")?.saturating_add(PROMPT);
    scenario.weights = weights(row)?;
    let gpus = row.number_or("n_gpus", 1)?.max(1);
    match (gpus, row.text("parallel_style")) {
        (1, _) => {}
        (_, "tp") => scenario.parallel.tp = gpus,
        (_, "sequential") => scenario.parallel.pp = gpus,
        (_, other) => return Err(format!("parallel_style {other:?} is not known")),
    }
    Ok(litgpt::peak(&check(&scenario)?))
}

fn weights(row: csv::Row<'_>) -> Result<WeightFormat, String> {
    match (row.text("quant"), row.text("precision")) {
        ("", "bf16" | "bf16-true") => Ok(WeightFormat::Bf16),
        ("", "fp16" | "16-true") => Ok(WeightFormat::Fp16),
        ("", "fp32" | "32-true") => Ok(WeightFormat::Fp32),
        // Both kinds of 4 bits have the same layout.
        ("bnb.nf4" | "bnb.fp4", _) => Ok(WeightFormat::Nf4),
        ("bnb.nf4-dq" | "bnb.fp4-dq", _) => Ok(WeightFormat::Nf4Dq),
        (quant, precision) => Err(format!("quant {quant:?} at precision {precision:?} is not modelled")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_the_parameters_of_their_checkpoints() {
        for (id, shape, published) in SHAPES {
            assert_eq!(shape.check(), Ok(()), "{id}");
            // The bias of phi's head is no part of a shape.
            let head = if id.starts_with("phi") { shape.vocab_size } else { 0 };
            assert_eq!(shape.parameters().total() + u64::from(head), *published, "{id}");
        }
    }
}
