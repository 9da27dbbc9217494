//! What Megatron-LM's own tests allocate on the last rank, with fp8 and without.

use memory_wall_core::architecture::{Latent, Moe, Norm, Projection};
use memory_wall_core::evaluate::per_rank;
use memory_wall_core::layout::{Layout, PipelineSplit};
use memory_wall_core::memory::weights;
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::worked::{self, Item};
use memory_wall_core::{
    Architecture, Attention, Bucket, Bytes, Checked, Fp8Recipe, Implementation, Loss, Mode, Parallelism, Scenario,
    ZeroStage,
};

use super::reading;
use crate::csv;
use crate::{Bound, Data, Outcome, Row, Set, Use};

/// The set of `megatron_runs.csv`.
pub(super) fn sets(data: &Data) -> Vec<Set> {
    let of = |kind: &'static str| {
        let file = data.file("megatron_runs.csv");
        file.rows().filter(|row| row.text("what") == kind).map(row).collect()
    };
    vec![
        Set {
            name: "megatron-fp8-copies",
            about: "fp8 copies of weights that Megatron-LM keeps between steps on the last rank, as the difference of two of its tests: with fp8 and without, or on Hopper and on Blackwell",
            bound: Bound::each(0.015),
            rows: of("copies"),
        },
        Set {
            name: "megatron-peaks",
            about: "Peaks of Megatron-LM's tests of latent attention and experts on the last rank, in bf16 and in fp8",
            bound: Bound::NONE,
            rows: of("peak"),
        },
    ]
}

fn row(row: csv::Row<'_>) -> Row {
    Row {
        id: row.text("row_id").into(),
        unit: "bytes",
        counts: if row.text("use") == "checked" { Use::Checked } else { Use::Reported },
        outcome: Outcome::of(outcome(row)),
        doubt: row.text("doubt").into(),
    }
}

fn outcome(row: csv::Row<'_>) -> Result<Outcome, String> {
    let measured = row.whole("measured")?;
    let here = scenario(row, row.text("gpu"))?;
    let bytes = match row.text("what") {
        "peak" => {
            let last = per_rank(&here).last().ok_or("no stage")?;
            let own = |(bucket, bytes): &(Bucket, Bytes)| (*bucket != Bucket::Overhead).then_some(*bytes);
            last.buckets.iter().filter_map(own).sum()
        }
        "copies" => {
            let other = match row.text("beside") {
                "bf16" => Bytes::ZERO,
                gpu => copies(&scenario(row, gpu)?),
            };
            copies(&here) - other
        }
        what => return Err(format!("what={what}")),
    };
    Ok(Outcome::whole(bytes.0, measured))
}

fn copies(scenario: &Checked) -> Bytes {
    let mut bytes = Bytes::ZERO;
    weights::terms(scenario, &mut |term: &worked::Term<'_>| {
        if term.item == Item::Fp8Weights {
            bytes += term.bytes();
        }
    });
    bytes
}

/// A run of the tests, as its last stage sees it.
fn scenario(row: csv::Row<'_>, gpu: &str) -> Result<Checked, String> {
    let shape = |id: &str| models::by_id(id).map(|model| model.architecture).ok_or("no model");
    let [latent, gpt] = [shape("deepseek-v3")?, shape("gpt2-small")?];
    let latent = Architecture {
        layers: 16,
        hidden_size: 1_024,
        heads: 32,
        kv_heads: 32,
        intermediate_size: 4_096,
        vocab_size: 51_712,
        projection: Projection::Latent(Latent {
            kv_lora_rank: 512,
            q_lora_rank: Some(1_536),
            rope_dim: 64,
            nope_dim: 128,
            v_dim: 128,
        }),
        moe: Some(Moe { shared_intermediate_size: 1_024, dense_layers: 1, ..Moe::of(32, 4, 1_024) }),
        ..latent
    };
    let gpt =
        Architecture { hidden_size: 512, heads: 8, kv_heads: 8, intermediate_size: 2_048, norm: Norm::RmsNorm, ..gpt };
    let one = Parallelism { zero: ZeroStage::Optimizer, sequence_parallel: true, ..Parallelism::ONE };
    let layout = PipelineSplit { layout: Layout::read("Ett|(tt|)*6ttmL").ok(), ..PipelineSplit::default() };
    let (architecture, parallel, sizes) = match row.text("run") {
        "mla-moe" => {
            let cut = Parallelism { dp: 2, tp: 2, pp: 2, ep: 4, etp: Some(1), virtual_stages: 4, split: layout, ..one };
            (latent, cut, [4, 4_096, 4])
        }
        "gpt-tp4-cp2" => (gpt, Parallelism { tp: 4, cp: 2, ..one }, [2, 1_024, 64]),
        "gpt-tp2-pp2" => (gpt, Parallelism { dp: 2, tp: 2, pp: 2, ..one }, [2, 1_024, 32]),
        run => return Err(format!("run={run}")),
    };
    let [batch, seq_length, micro_batches] = sizes;
    let mut scenario = Scenario { mode: Mode::Training, batch, seq_length, parallel, ..Scenario::new(architecture) };
    scenario.training.implementation = Implementation::Megatron;
    scenario.training.recipe = scenario.usual_recipe();
    scenario.training.micro_batches = micro_batches;
    scenario.training.fp8.recipe = Fp8Recipe::from_id(row.text("fp8_recipe")).ok_or("no such recipe")?;
    // Those of the GPT hold their weights in fp8 alone.
    scenario.training.fp8.param_gather = architecture.moe.is_none();
    if architecture.moe.is_some() {
        (scenario.attention, scenario.training.loss) = (Attention::Eager, Loss::Compiled);
    }
    scenario.gpu = Some(gpus::by_id(gpu).ok_or("no such GPU")?);
    Ok(reading::check(&scenario)?.at_stage(parallel.pp - 1))
}
