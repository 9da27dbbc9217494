//! Training steps on one H200 that the project measured itself, with the script beside the rows: `accuracy/measure/one_gpu.py`.

use memory_wall_core::roofline::Pass;
use memory_wall_core::roofline::latency::{Counting, Estimate, estimate};
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::{
    AdapterPrecision, Attention, Checked, Checkpointing, Loss, Mode, Optimizer, Recipe, Scenario, StepKernel,
    WeightFormat, evaluate,
};

use super::litgpt::targets;
use super::reading::{allocated, check};
use crate::csv;
use crate::{Bound, Data, Outcome, Row, Set, Use};

/// The GPU of all rows.
const GPU: &str = "h200-sxm";

/// The columns with the peaks of a step's phases.
const PHASES: [&str; 3] = ["forward", "backward", "optimizer"];

/// The sets of `one_gpu_steps.csv`: peaks, what learns, what was reserved, and how long a step took.
pub(super) fn sets(data: &Data) -> Vec<Set> {
    let file = data.file("one_gpu_steps.csv");
    let rows = |make: fn(csv::Row<'_>) -> Row| file.rows().map(make).collect();
    vec![
        Set {
            name: "one-gpu-steps",
            about: "The peak of training steps of transformers and peft on an H200, full and with adapters, measured by the project: what tensors had requested",
            bound: Bound::of(0.003, 0.0005),
            rows: file.rows().filter(|row| row.text("loss").is_empty()).map(peak).collect(),
        },
        Set {
            name: "one-gpu-steps-compiled",
            about: "The same with torch.compile and with Liger's fused loss, which keep less than is counted",
            bound: Bound::NONE,
            rows: file.rows().filter(|row| !row.text("loss").is_empty()).map(reported).collect(),
        },
        Set {
            name: "one-gpu-steps-parameters",
            about: "Parameters that learn in these steps",
            bound: Bound::EXACT,
            rows: rows(parameters),
        },
        Set {
            name: "one-gpu-steps-reserved",
            about: "What PyTorch's allocator had reserved in these steps, where nothing was short, against what the engine says is allocated",
            bound: Bound::NONE,
            rows: rows(in_reserve),
        },
        Set {
            name: "one-gpu-steps-speed",
            about: "Whether these steps took a time within the range",
            bound: Bound::right(0.9),
            rows: file.rows().filter(|row| !row.text("seconds").is_empty()).map(speed).collect(),
        },
    ]
}

fn name(row: csv::Row<'_>) -> String {
    let texts = ["row_id", "model_id", "mode", "recipe", "attention", "step"].map(|column| row.text(column));
    let checkpointed = if row.is_set("checkpointing") { " checkpointed" } else { "" };
    format!("{} {} × {}{checkpointed}", texts.join(" "), row.text("batch"), row.text("seq"))
}

fn checked(row: csv::Row<'_>, unit: &'static str, outcome: Result<Outcome, String>) -> Row {
    let counts = if row.is_set("in_view") { Use::Fitted } else { Use::Checked };
    Row { counts, ..Row::checked(name(row), unit, Outcome::of(outcome)) }
}

/// The highest of the three phases.
fn peak(row: csv::Row<'_>) -> Row {
    let outcome = run(row).and_then(|run| {
        let mut measured = 0;
        for column in PHASES {
            measured = measured.max(row.whole(column)?);
        }
        Ok(Outcome::whole(allocated(&evaluate(&run)).0, measured))
    });
    checked(row, "bytes", outcome)
}

fn reported(row: csv::Row<'_>) -> Row {
    Row { counts: Use::Reported, doubt: row.text("loss").into(), ..peak(row) }
}

fn parameters(row: csv::Row<'_>) -> Row {
    let outcome = run(row).and_then(|run| Ok(Outcome::whole(run.trained_parameters().into(), row.whole("trainable")?)));
    Row::checked(name(row), "parameters", Outcome::of(outcome))
}

fn in_reserve(row: csv::Row<'_>) -> Row {
    let outcome = run(row).and_then(|run| Ok(Outcome::whole(allocated(&evaluate(&run)).0, row.whole("reserved")?)));
    let doubt = "reserved, so more than what was allocated".into();
    Row { counts: Use::Reported, doubt, ..Row::checked(name(row), "bytes", Outcome::of(outcome)) }
}

fn time(run: &Checked) -> Result<Estimate, String> {
    let gpu = gpus::by_id(GPU).ok_or("the GPU is not known")?;
    Ok(estimate(run, gpu, Pass::Training, Counting::of(run)))
}

fn speed(row: csv::Row<'_>) -> Row {
    let outcome = run(row).and_then(|run| {
        let time = time(&run)?;
        let measured = row.float("seconds")?;
        Ok(Outcome::Verdict {
            right: (time.lower.0..=time.upper.0).contains(&measured),
            why: format!(
                "{:.3} to {:.3} s, measured {measured:.3}: {:.2} of the bound",
                time.lower.0,
                time.upper.0,
                time.lower.0 / measured
            ),
        })
    });
    // The range's upper end was chosen with these rows in view.
    Row { counts: Use::Fitted, ..Row::checked(name(row), "s", Outcome::of(outcome)) }
}

/// The training step that a row states, or why it is not modelled.
fn run(row: csv::Row<'_>) -> Result<Checked, String> {
    let model = row.text("model_id");
    let model = models::by_id(model).ok_or_else(|| format!("model {model:?} is not known"))?;
    let word = row.text("recipe");
    let recipe = Recipe::from_id(word).ok_or_else(|| format!("recipe {word:?} is not known"))?;
    let word = row.text("mode");
    let mode = Mode::from_id(word).ok_or_else(|| format!("mode {word:?} is not known"))?;
    let mut scenario = Scenario {
        mode,
        batch: row.number("batch")?,
        seq_length: row.number("seq")?,
        weights: match (mode, recipe) {
            (Mode::Qlora, _) => WeightFormat::Nf4Dq,
            (_, Recipe::Fp32 | Recipe::Autocast) => WeightFormat::Fp32,
            _ => WeightFormat::Bf16,
        },
        attention: if row.text("attention") == "eager" { Attention::Eager } else { Attention::Flash },
        checkpointing: if row.is_set("checkpointing") { Checkpointing::Full } else { Checkpointing::None },
        gpu: gpus::by_id(GPU),
        ..Scenario::new(model.architecture)
    };
    // A plain script, without autocast.
    scenario.training.stock.wide_attention = true;
    let training = &mut scenario.training;
    (training.recipe, training.micro_batches) = (recipe, row.number("micro_batches")?);
    match row.text("step") {
        "fused" => {}
        "foreach" => training.step = StepKernel::Foreach,
        word => {
            scenario.optimizer = Optimizer::from_id(word).ok_or_else(|| format!("optimizer {word:?} is not known"))?;
        }
    }
    match row.text("loss") {
        "" => {}
        "compiled" => (training.compile, training.loss) = (true, Loss::Compiled),
        "fused" => training.loss = Loss::Chunked,
        other => return Err(format!("loss {other:?} is not known")),
    }
    if mode.adapts() {
        let lora = &mut training.lora;
        lora.rank = row.number("rank")?;
        lora.targets = targets(&row.text("targets").replace(' ', ","))?;
        lora.dropout = row.is_set("dropout");
        lora.precision = if row.text("adapters") == "bf16" { AdapterPrecision::Bf16 } else { AdapterPrecision::Fp32 };
        lora.upcast = row.is_set("upcast");
    }
    check(&scenario)
}

#[cfg(test)]
mod tests {
    use memory_wall_core::roofline::efficiency::{self, Runtime};

    use super::*;

    /// Plain steps of dense models on at least 4,096 tokens.
    fn shares() -> Vec<f64> {
        let data = Data::carried();
        let file = data.file("one_gpu_steps.csv");
        let told =
            [("mode", "training"), ("recipe", "pure"), ("attention", "sdpa"), ("loss", ""), ("micro_batches", "1")];
        let rows = file.rows().filter(|row| told.iter().all(|(column, word)| row.text(column) == *word));
        let shares = rows.filter_map(|row| {
            let run = run(row).unwrap();
            let like = run.architecture.moe.is_none() && run.tokens() >= 4_096;
            like.then(|| time(&run).unwrap().lower.0 / row.float("seconds").unwrap())
        });
        let mut shares: Vec<f64> = shares.collect();
        shares.sort_by(f64::total_cmp);
        shares
    }

    #[test]
    fn the_typical_step_is_the_median() {
        let shares = shares();
        let known = efficiency::measured(Runtime::Transformers, Pass::Training, WeightFormat::Bf16).unwrap();
        assert_eq!(usize::try_from(known.runs), Ok(shares.len()));
        assert!((shares[shares.len() / 2] - known.share).abs() < 0.01, "{shares:?}");
    }

    /// A step that is not in a file of measurements is no row, and a number that is none is said.
    #[test]
    fn what_a_row_says_wrongly_is_named() {
        let header = "row_id,model_id,batch,seq,attention,recipe,checkpointing,step,micro_batches,mode,loss";
        for (row, fault) in [
            ("X,llama-9,1,2048,sdpa,pure,0,fused,1,training,", "llama-9"),
            ("X,llama-3.2-1b,1,2048,sdpa,half,0,fused,1,training,", "half"),
            ("X,llama-3.2-1b,1,2048,sdpa,pure,0,newton,1,training,", "newton"),
            ("X,llama-3.2-1b,1,2048,sdpa,pure,0,fused,1,training,lost", "lost"),
        ] {
            let file = csv::File::read(&format!("{header}\n{row}\n"));
            let said = run(file.rows().next().unwrap()).unwrap_err();
            assert!(said.contains(fault), "{said}");
        }
    }
}
