//! Whole training steps of stock PyTorch and transformers at real model sizes: forward, backward, AdamW.

use memory_wall_core::evaluate::{Evaluation, at_phase};
use memory_wall_core::{Architecture, Bucket, Checked, Phase, StepKernel, Stock, Training, evaluate};

use crate::csv;
use crate::sets::reading;
use crate::sets::saved_activations::family;
use crate::{Bound, Data, Outcome, Row, Set};

/// Name in the data, family, and sizes as in [`Architecture::llama`].
#[rustfmt::skip] // one row a line reads as the table it is
const MODELS: &[(&str, &str, [u32; 7])] = &[
    ("gpt2", "gpt2", [12, 768, 12, 12, 64, 3_072, 50_257]),
    ("qwen25_05b", "qwen2", [24, 896, 14, 2, 64, 4_864, 151_936]),
    ("qwen25_7b", "qwen2", [28, 3_584, 28, 4, 128, 18_944, 152_064]),
    ("llama32_1b", "llama", [16, 2_048, 32, 8, 64, 8_192, 128_256]),
    ("llama2_7b", "llama", [32, 4_096, 32, 32, 128, 11_008, 32_000]),
    ("llama31_8b", "llama", [32, 4_096, 32, 8, 128, 14_336, 128_256]),
    ("mistral_7b", "mistral", [32, 4_096, 32, 8, 128, 14_336, 32_000]),
    ("qwen3_8b", "qwen3", [36, 4_096, 32, 8, 128, 12_288, 151_936]),
    ("gemma2_2b", "gemma2", [26, 2_304, 8, 4, 256, 9_216, 256_000]),
    ("mixtral_8x7b", "mixtral", [32, 4_096, 32, 8, 128, 14_336, 32_000]),
];

/// The sets of `step_peaks.csv`: the peak of a step, its moment, and the peak of each phase.
pub(super) fn sets(data: &Data) -> Vec<Set> {
    let file = data.file("step_peaks.csv");
    let (mut peaks, mut moments, mut phases) = (Vec::new(), Vec::new(), Vec::new());
    for (place, row) in file.rows().enumerate() {
        let id = name(place, row);
        let step = scenario(row);
        let peak = step.clone().and_then(|step| {
            Ok(Outcome::whole(reading::allocated(&evaluate(&step)).0, row.whole("steady_peak_total")?))
        });
        peaks.push(Row::checked(id.clone(), "bytes", Outcome::of(peak)));
        let moment = step.clone().and_then(|step| moment(&evaluate(&step), row));
        moments.push(Row::checked(id.clone(), "bytes", Outcome::of(moment)));
        for (phase, column, parts) in [
            ("forward", "peak_forward_total", &[Phase::ForwardEnd] as &[Phase]),
            ("backward", "peak_backward_total", &[Phase::Loss, Phase::Backward]),
            ("optimizer", "peak_optimizer_total", &[Phase::OptimizerStep]),
        ] {
            // A fused step that needs nothing was not measured.
            if row.text(column).is_empty() {
                continue;
            }
            let outcome = step.clone().and_then(|step| {
                let overhead = evaluate(&step).bytes(Bucket::Overhead);
                let engine = parts.iter().map(|&phase| at_phase(&step, phase)).max().unwrap_or_default() - overhead;
                Ok(Outcome::whole(engine.0, row.whole(column)?))
            });
            phases.push(Row::checked(format!("{id}, {phase}"), "bytes", Outcome::of(outcome)));
        }
    }
    vec![
        Set {
            name: "step-peaks",
            about: "The peak of a whole training step with AdamW, from the second step on.",
            bound: Bound::each(0.015),
            rows: peaks,
        },
        Set {
            name: "step-peak-phases",
            about: "The moment at which that peak falls.",
            bound: Bound::NONE,
            rows: moments,
        },
        Set {
            name: "step-peaks-by-phase",
            about: "The peak of each phase of the same steps.",
            bound: Bound::each(0.015),
            rows: phases,
        },
    ]
}

/// The parameter counts that the rows state.
pub(super) fn parameters(data: &Data) -> Vec<Row> {
    let file = data.file("step_peaks.csv");
    let rows = file.rows().enumerate();
    rows.map(|(place, row)| {
        let outcome = scenario(row)
            .and_then(|step| Ok(Outcome::whole(step.architecture.parameters().total().into(), row.whole("params")?)));
        Row::checked(name(place, row), "parameters", Outcome::of(outcome))
    })
    .collect()
}

fn name(place: usize, row: csv::Row<'_>) -> String {
    let texts = ["model", "batch", "seq", "attn", "dtype_mode", "adamw"].map(|column| row.text(column));
    let [model, batch, seq, attention, dtype, adamw] = texts;
    let checkpointed = if row.is_set("grad_checkpointing") { " checkpointed" } else { "" };
    format!("step {}: {model} {batch} × {seq} {attention} {dtype} {adamw}{checkpointed}", place + 1)
}

/// Whether the engine's moment is the measured one.
fn moment(evaluation: &Evaluation, row: csv::Row<'_>) -> Result<Outcome, String> {
    let measured = row.text("peak_phase");
    let phase = match measured.get(..3) {
        Some("fwd" | "for") => Phase::ForwardEnd,
        Some("bwd" | "bac") => in_backward(row)?,
        Some("opt") => Phase::OptimizerStep,
        _ => return Err(format!("peak_phase {measured:?} is not known")),
    };
    Ok(Outcome::Verdict {
        right: evaluation.peak_phase == phase,
        why: format!("measured {}, predicted {}", phase.id(), evaluation.peak_phase.id()),
    })
}

/// Where in the backward pass its peak falls: at the start or towards the end, whichever total is nearer.
///
/// `at_peak_ce_temp` does not tell: at the end it can hold a gradient of a tied embedding table.
fn in_backward(row: csv::Row<'_>) -> Result<Phase, String> {
    let peak = row.whole("peak_backward_total")?;
    let [start, end] = [row.whole("formula_backward_start")?, row.whole("formula_backward_end")?];
    Ok(if peak.abs_diff(start) <= peak.abs_diff(end) { Phase::Loss } else { Phase::Backward })
}

/// The training step that a row states, or why it is not modelled.
fn scenario(row: csv::Row<'_>) -> Result<Checked, String> {
    let attention = row.text("attn");
    let training = Training {
        step: match row.text("adamw") {
            "foreach" => StepKernel::Foreach,
            "fused" => StepKernel::Fused,
            other => return Err(format!("AdamW {other:?} is not known")),
        },
        micro_batches: row.number_or("grad_accum", 1)?,
        stock: Stock {
            // Fake CPU tensors, with the CUDA attention kernels called directly: the norms keep what a processor's keep.
            cpu: !attention.contains("mem-efficient"),
            efficient_kernel: attention.contains("mem-efficient"),
            outputs_kept: row.is_set("logits_kept"),
            ..Training::DEFAULT.stock
        },
        ..Training::DEFAULT
    };
    reading::pytorch(row, shape(row, row.number("seq")?)?, attention, training)
}

/// The model of a row, whose tables are tied or not as its parameter count says.
fn shape(row: csv::Row<'_>, positions: u32) -> Result<Architecture, String> {
    let model = row.text("model");
    let (_, code, sizes) =
        MODELS.iter().find(|(name, ..)| *name == model).ok_or_else(|| format!("model {model:?} is not known"))?;
    let shape = family(code, *sizes, row.text("activation"), positions)?;
    let tied = Architecture { tied_embeddings: true, ..shape };
    Ok(if row.whole("params")? == tied.parameters().total() { tied } else { shape })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Llama 3.2 1B, one sequence of 128 tokens: at the end of the backward pass both gradients of the tied table are there.
    #[test]
    fn a_second_gradient_of_a_tied_table_is_no_loss() {
        let (states, gradients, table) = (3 * 2_471_628_800_u64, 2_471_628_800_u64, 525_336_576_u64);
        let start = states + 12 * 128 * 128_256 + 128 * 2_048 * 16;
        let end = states + gradients + 2 * table;
        let text = format!(
            "model,batch,seq,attn,dtype_mode,adamw,params,peak_phase,at_peak_ce_temp,peak_backward_total,\
             formula_backward_start,formula_backward_end\n\
             llama32_1b,1,128,sdpa:flash,bf16,fused,1235814400,bwd1,{table},{},{start},{end}\n",
            end + 8
        );
        let file = csv::File::read(&text);
        let row = file.rows().next().expect("one row");
        let evaluation = evaluate(&scenario(row).expect("a known model"));
        assert_eq!(evaluation.peak_phase, Phase::Backward);
        let outcome = moment(&evaluation, row).expect("a known phase");
        assert!(matches!(outcome, Outcome::Verdict { right: true, .. }), "{outcome:?}");
    }
}
