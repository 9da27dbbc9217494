//! Peaks that torchtitan reports: the most that PyTorch's allocator reserved on any rank.

use memory_wall_core::memory::activations::torchtitan;
use memory_wall_core::{
    Architecture, Bucket, Bytes, Checkpointing, Implementation, Loss, Mode, Parallelism, Recipe, Scenario, ZeroStage,
    evaluate,
};

use crate::csv;
use crate::{Bound, Data, Outcome, Row, Set, Use};

pub(super) fn sets(data: &Data) -> Vec<Set> {
    let file = data.file("training_peaks.csv");
    let rows = |belongs: fn(&str) -> bool| {
        let of_torchtitan = |row: &csv::Row<'_>| row.text("kind").starts_with("tt_") && belongs(row.text("kind"));
        file.rows().filter(of_torchtitan).map(row).collect()
    };
    vec![
        Set {
            name: "torchtitan-8b",
            about: "Llama 3.1 8B trained by torchtitan with FSDP and context parallelism: memory reserved on the fullest rank",
            bound: Bound::of(0.10, 0.06),
            rows: rows(|kind| !kind.starts_with("tt_2d") && !kind.starts_with("tt_3d") && !kind.starts_with("tt_4d")),
        },
        Set {
            name: "torchtitan-70b-tensor-parallel",
            about: "Llama 3.1 70B trained by torchtitan with FSDP and tensor parallelism: memory reserved on the fullest rank",
            bound: Bound::each(0.20),
            rows: rows(|kind| kind.starts_with("tt_2d")),
        },
        Set {
            name: "torchtitan-405b-pipeline",
            about: "Llama 3.1 405B trained by torchtitan with FSDP, tensor and pipeline parallelism: memory reserved on the fullest rank; reported, with 25% in view",
            bound: Bound::NONE,
            rows: rows(|kind| kind.starts_with("tt_3d") || kind.starts_with("tt_4d")),
        },
    ]
}

fn row(row: csv::Row<'_>) -> Row {
    let outcome = scenario(row).and_then(|scenario| {
        let measured = row.float("measured")?;
        Ok(Outcome::Compared { predicted: reserved(&scenario).as_gib(), measured, exact: false })
    });
    Row {
        id: row.text("row_id").into(),
        unit: "GiB",
        counts: match (row.text("use"), row.text("row_id")) {
            ("threshold", "T002" | "T004") => Use::Fitted,
            ("threshold", _) => Use::Checked,
            _ => Use::Reported,
        },
        outcome: outcome.unwrap_or_else(Outcome::NotModelled),
        doubt: row.text("doubt").into(),
    }
}

/// What the allocator reserves at the peak: everything but the driver's own memory, which it does not know.
fn reserved(scenario: &Scenario) -> Bytes {
    let evaluation = evaluate(scenario);
    torchtitan::reserved(evaluation.total - evaluation.bytes(Bucket::Overhead))
}

fn scenario(row: csv::Row<'_>) -> Result<Scenario, String> {
    let shape = Architecture::llama([
        row.number("m_layers")?,
        row.number("m_hidden")?,
        row.number("m_heads")?,
        row.number("m_kv_heads")?,
        row.number("m_head_dim")?,
        row.number("m_ffn")?,
        row.number("m_vocab")?,
    ]);
    let counted = shape.parameters().total();
    if row.whole("m_params_text").is_ok_and(|stated| stated != counted) || row.text("m_mlp") != "gated" {
        return Err(format!("{} is no model of the Llama kind", row.text("model_id")));
    }
    let mut scenario = Scenario {
        mode: Mode::Training,
        batch: row.number("micro_batch")?,
        seq_length: row.number("seq_len")?,
        checkpointing: match row.text("checkpointing") {
            "none" => Checkpointing::None,
            "selective_op" => Checkpointing::PerOp,
            "full" => Checkpointing::Full,
            other => return Err(format!("checkpointing {other:?} is not known")),
        },
        ..Scenario::new(shape)
    };
    let tp = row.number_or("tp", 1)?;
    scenario.parallel = Parallelism {
        dp: row.number("dp_fsdp")?,
        tp,
        pp: row.number_or("pp", 1)?,
        cp: row.number_or("cp", 1)?,
        zero: ZeroStage::Weights,
        sequence_parallel: tp > 1,
        ..Parallelism::ONE
    };
    scenario.training.implementation = Implementation::Torchtitan;
    // fp32 shards, gradients and states, 16-bit compute.
    scenario.training.recipe = Recipe::Autocast;
    scenario.training.loss = match row.text("loss_impl") {
        text if text.contains("compiled") => Loss::Compiled,
        text if text.contains("not chunked") => Loss::Plain,
        other => return Err(format!("loss {other:?} is not known")),
    };
    scenario.training.compile = row.is_set("compile");
    // Micro-batches that pass through the pipeline in one step; without one, none adds its gradients to another's.
    scenario.training.micro_batches = if scenario.parallel.pp > 1 { row.number("pp_microbatch")? } else { 1 };
    scenario.check().map_err(|error| error.to_string())?;
    Ok(scenario)
}
