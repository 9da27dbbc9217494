//! Peaks that torchtitan reports: the most that PyTorch's allocator reserved on any rank.

use memory_wall_core::{
    Architecture, Bytes, Checked, Checkpointing, Fp8, Fp8Recipe, Implementation, Loss, Mode, Parallelism, Recipe,
    Scenario, StepKernel, Stock, Training, ZeroStage, evaluate,
};

use super::reading;
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

/// Rows that were in view when the code left two readings of a tensor's life open, and two rows whose inputs are the same as theirs.
const IN_VIEW: [&str; 8] = ["T002", "T003", "T004", "T006", "T008", "T010", "T011", "T019"];

fn row(row: csv::Row<'_>) -> Row {
    let outcome = scenario(row).and_then(|scenario| {
        let measured = row.float("measured")?;
        Ok(Outcome::Compared { predicted: reserved(&scenario).as_gib(), measured, exact: false })
    });
    Row {
        id: row.text("row_id").into(),
        unit: "GiB",
        counts: match row.text("use") {
            "threshold" if IN_VIEW.contains(&row.text("row_id")) => Use::Fitted,
            "threshold" => Use::Checked,
            _ => Use::Reported,
        },
        outcome: Outcome::of(outcome),
        doubt: row.text("doubt").into(),
    }
}

/// What the allocator reserves at the peak: everything but the driver's own memory, which it does not know.
fn reserved(scenario: &Checked) -> Bytes {
    reading::allocated(&evaluate(scenario))
}

/// The training step that a row states, or why it is not modelled.
pub(super) fn scenario(row: csv::Row<'_>) -> Result<Checked, String> {
    recipe(row)?;
    let counts = ["m_layers", "m_hidden", "m_heads", "m_kv_heads", "m_head_dim", "m_ffn", "m_vocab"];
    let mut sizes = [0; 7];
    for (size, column) in sizes.iter_mut().zip(counts) {
        *size = count(row, column, None)?;
    }
    let shape = Architecture { tied_embeddings: yes(row, "m_tied_embeddings")?, ..Architecture::llama(sizes) };
    must(row, "m_mlp", |text| text == "gated")?;
    must(row, "m_params_text", |_| row.whole("m_params_text").is_ok_and(|it| it == shape.parameters().total()))?;
    let mut scenario = Scenario {
        mode: Mode::Training,
        batch: count(row, "micro_batch", None)?,
        seq_length: count(row, "seq_len", None)?,
        checkpointing: match row.text("checkpointing") {
            "none" => Checkpointing::None,
            "selective_op" => Checkpointing::PerOp,
            "full" => Checkpointing::Full,
            _ => return Err(unknown(row, "checkpointing")),
        },
        ..Scenario::new(shape)
    };
    scenario.parallel = parallel(row)?;
    let parallel = &scenario.parallel;
    let reshard_after_forward = match row.text("reshard_after_forward").to_lowercase() {
        text if text.starts_with("no") => false,
        text if text.starts_with("all") || text.starts_with("yes") => true,
        text if text.is_empty() => parallel.pp == 1,
        _ => return Err(unknown(row, "reshard_after_forward")),
    };
    scenario.training = Training {
        // fp32 shards, gradients and states, 16-bit compute.
        recipe: Recipe::Autocast,
        // torchtitan's default of that time.
        step: StepKernel::Foreach,
        implementation: Implementation::Torchtitan,
        loss: loss(row)?,
        compile: yes(row, "compile")?,
        async_tp: yes(row, "async_tp")?,
        reshard_after_forward,
        fp8: Fp8 { recipe: if yes(row, "float8")? { Fp8Recipe::Tensorwise } else { Fp8Recipe::None }, ..Fp8::NONE },
        // Without a pipeline no micro-batch adds its gradients to another's.
        micro_batches: if parallel.pp > 1 { count(row, "pp_microbatch", Some(parallel.pp))? } else { 1 },
        // The runs are of 2024 and early 2025: their pipelines kept the outputs of a step.
        stock: Stock { outputs_kept: true, ..Training::DEFAULT.stock },
        ..Training::DEFAULT
    };
    let scenario = reading::check(&scenario)?;
    let tokens = u64::from(scenario.batch) * scenario.local().seq_length;
    must(row, "tokens_per_rank_micro", |text| text.is_empty() || text.parse() == Ok(tokens))?;
    Ok(scenario)
}

/// Whether a row is of the kind of run that the engine knows: fp32 shards, 16-bit compute, `AdamW`, flash attention.
fn recipe(row: csv::Row<'_>) -> Result<(), String> {
    must(row, "engine", |text| text == "torchtitan")?;
    must(row, "method", |text| text == "pretrain_full")?;
    must(row, "unit", |text| text == "GiB")?;
    must(row, "statistic", |text| text.starts_with("max_reserved"))?;
    must(row, "status", |text| text == "ok")?;
    must(row, "param_dtype", |text| text.contains("fp32"))?;
    must(row, "compute_dtype", |text| text == "bf16")?;
    must(row, "grad_dtype", |text| text.contains("fp32"))?;
    must(row, "optimizer", |text| text == "AdamW")?;
    must(row, "quant", str::is_empty)?;
    must(row, "attention", |text| text.starts_with("sdpa_flash"))?;
    // Whether weights were gathered in float8 is not recorded; nothing else of float8 changes what is kept.
    Ok(())
}

fn parallel(row: csv::Row<'_>) -> Result<Parallelism, String> {
    let [tp, pp, cp] = [count(row, "tp", Some(1))?, count(row, "pp", Some(1))?, count(row, "cp", Some(1))?];
    let dp = count(row, "dp_fsdp", None)?;
    must(row, "ep", |text| matches!(text, "" | "1"))?;
    // One rank shards nothing, and then torchtitan computes in fp32.
    must(row, "dp_fsdp", |_| u64::from(dp) * u64::from(cp) > 1)?;
    let sequence_parallel = yes(row, "sequence_parallel")?;
    must(row, "sequence_parallel", |_| tp == 1 || sequence_parallel)?;
    let schedule: String = row.text("pp_schedule").chars().filter(char::is_ascii_alphanumeric).collect();
    let virtual_stages = match schedule.to_lowercase() {
        _ if pp == 1 => 1,
        text if text == "1f1b" => 1,
        text if text.starts_with("interleaved") => 2,
        _ => return Err(unknown(row, "pp_schedule")),
    };
    let sequence_parallel = tp > 1;
    Ok(Parallelism { dp, tp, pp, cp, zero: ZeroStage::Weights, sequence_parallel, virtual_stages, ..Parallelism::ONE })
}

fn loss(row: csv::Row<'_>) -> Result<Loss, String> {
    let text = row.text("loss_impl").to_lowercase();
    let chunked = text.contains("chunked") && !text.contains("not chunked");
    match text {
        _ if chunked => Err(unknown(row, "loss_impl")),
        // First, since an eager loss can be said to be without the compiler.
        text if text.contains("eager") => Ok(Loss::Plain),
        text if text.contains("compile") => Ok(Loss::Compiled),
        _ => Err(unknown(row, "loss_impl")),
    }
}

fn unknown(row: csv::Row<'_>, column: &str) -> String {
    format!("{column}={}", row.text(column))
}

fn must(row: csv::Row<'_>, column: &str, holds: impl FnOnce(&str) -> bool) -> Result<(), String> {
    if holds(row.text(column)) { Ok(()) } else { Err(unknown(row, column)) }
}

/// A whole number from 1, or `default` where the cell is empty.
fn count(row: csv::Row<'_>, column: &str, default: Option<u32>) -> Result<u32, String> {
    match (row.text(column), default) {
        ("", Some(default)) => Ok(default),
        _ => row.number(column).ok().filter(|value| *value > 0).ok_or_else(|| unknown(row, column)),
    }
}

/// Yes or no; an empty cell is no.
fn yes(row: csv::Row<'_>, column: &str) -> Result<bool, String> {
    match row.text(column).to_lowercase().as_str() {
        "1" | "true" | "yes" => Ok(true),
        "" | "0" | "false" | "no" => Ok(false),
        _ => Err(unknown(row, column)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csv::File;

    const COLUMNS: &str = "row_id,kind,engine,method,unit,statistic,status,param_dtype,compute_dtype,grad_dtype,optimizer,quant,float8,\
        attention,m_mlp,m_tied_embeddings,m_params_text,m_layers,m_hidden,m_heads,m_kv_heads,m_head_dim,m_ffn,m_vocab,\
        sequence_parallel,checkpointing,loss_impl,micro_batch,seq_len,dp_fsdp,cp,tp,pp,pp_schedule,pp_microbatch,compile,async_tp";
    const RECIPE: &str = "torchtitan,pretrain_full,GiB,max_reserved,ok,fp32,bf16,fp32,AdamW,,0,sdpa_flash,gated,0";
    const B8: &str = "8030261248,32,4096,32,8,128,14336,128256,";
    const B70: &str = "70553706496,80,8192,64,8,128,28672,128256,1";
    const B405: &str = "405853388800,126,16384,128,8,128,53248,128256,1";

    fn bytes(model: &str, run: &str) -> Result<u128, String> {
        let file = File::read(&format!("{COLUMNS}\nX,tt,{RECIPE},{model},{run}\n"));
        let row = file.rows().next().ok_or("no row")?;
        scenario(row).map(|scenario| reserved(&scenario).0)
    }

    /// Figures that another program computed from the same list of tensors.
    #[test]
    fn the_figures_are_those_of_the_list_of_tensors() {
        for (model, run, figure) in [
            (B8, "selective_op,eager,2,8192,8,1,1,1,,,0,", 86_170_987_520),
            (B8, "selective_op,eager,2,8192,8,1,1,1,,,1,", 81_406_258_176),
            (B8, "full,eager,1,32768,8,1,1,1,,,1,", 92_772_822_016),
            (B8, "full,eager,1,65536,4,2,1,1,,,1,", 92_772_822_016),
            (B8, "full,eager,1,131072,2,4,1,1,,,1,", 92_772_822_016),
            (B8, "full,eager,1,262144,1,8,1,1,,,1,", 92_772_822_016),
            (B8, "selective_op,eager,2,8192,128,1,1,1,,,0,", 70_816_875_200),
            (B8, "selective_op,eager,2,8192,128,1,1,1,,,1,", 66_052_145_856),
            (B8, "selective_op,compiled,2,8192,32,1,1,1,,,1,", 52_312_197_888),
            (B8, "selective_op,compiled,2,8192,64,1,1,1,,,1,", 50_264_982_912),
            (B70, "full,eager,16,8192,32,1,8,1,,,1,0", 77_424_095_936),
            (B70, "full,eager,16,8192,32,1,8,1,,,1,1", 73_129_128_640),
            (B405, "full,eager,4,8192,8,1,8,8,1F1B,8,1,1", 79_178_524_672),
            (B405, "full,eager,4,8192,8,1,8,8,Interleaved 1F1B,8,1,1", 80_983_107_584),
            (B405, "full,eager,1,131072,2,4,8,8,1F1B,8,1,1", 79_178_524_672),
        ] {
            assert_eq!(bytes(model, run), Ok(figure), "{run}");
        }
    }

    #[test]
    fn what_is_not_known_is_said() {
        for (run, column) in [
            ("selective,eager,2,8192,8,1,1,1,,,0,", "checkpointing=selective"),
            ("full,chunked,2,8192,8,1,1,1,,,0,", "loss_impl=chunked"),
            ("full,eager,2,8192,,1,1,1,,,0,", "dp_fsdp="),
            ("full,eager,2,8192,8,1,8,1,,,0,", "sequence_parallel="),
            ("full,eager,2,8192,8,1,1,8,GPipe,,0,", "pp_schedule=GPipe"),
            ("full,eager,2,8192,8,1,1,1,,,maybe,", "compile=maybe"),
        ] {
            assert_eq!(bytes(B8, run), Err(column.into()), "{run}");
        }
    }
}
