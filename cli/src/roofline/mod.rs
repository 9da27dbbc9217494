//! `memory-wall roofline`: what holds an operation or a model back on a GPU, and how long it takes at least.

mod asked;
mod text;

use memory_wall_core::precision::ComputePrecision;
use memory_wall_core::roofline::latency::{Counting, Estimate, estimate};
use memory_wall_core::roofline::tasks::{TaskTotal, by_task};
use memory_wall_core::roofline::{Accounting, Bound, Efficiency, Pass, Roof, Work};
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::units::{FlopRate, Intensity, Seconds};
use memory_wall_core::{Bytes, Checked, Fit, evaluate};

pub(crate) use asked::Asked;
use asked::Subject;

use crate::{Answer, BadInput, Exit, estimate as scenarios, json};

/// One operation under one roof.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) gpu: &'static Gpu,
    pub(crate) precision: ComputePrecision,
    pub(crate) roof: Roof,
    pub(crate) work: Work,
    /// Bytes that count.
    pub(crate) bytes: u128,
    pub(crate) intensity: Intensity,
    pub(crate) bound: Bound,
    pub(crate) attainable: FlopRate,
    pub(crate) lower: Seconds,
    pub(crate) upper: Seconds,
    pub(crate) efficiency: Efficiency,
}

/// One pass of a model, with its operations.
#[derive(Debug)]
pub(crate) struct Timed {
    pub(crate) estimate: Estimate,
    pub(crate) rows: Vec<TaskTotal>,
}

/// A model's passes on a GPU.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) gpu: &'static Gpu,
    pub(crate) scenario: Checked,
    pub(crate) counting: Counting,
    pub(crate) passes: Vec<Timed>,
    /// What the fullest GPU has to hold.
    pub(crate) total: Bytes,
    /// That against the GPU.
    pub(crate) fit: Option<Fit>,
}

impl Run {
    fn of(asked: &Asked, scenario: &Checked) -> Self {
        let counting = Counting {
            kernels: asked.kernels(scenario),
            efficiency: asked.efficiency.unwrap_or_else(|| Efficiency::least_of(scenario)),
        };
        let timed = |pass: &Pass| Timed {
            estimate: estimate(scenario, asked.gpu, *pass, counting),
            rows: by_task(scenario, asked.gpu, *pass, counting.kernels).into_iter().flatten().collect(),
        };
        let evaluation = evaluate(scenario);
        Self {
            gpu: asked.gpu,
            scenario: *scenario,
            counting,
            passes: Pass::of(scenario.mode).iter().map(timed).collect(),
            total: evaluation.total,
            fit: evaluation.fit,
        }
    }

    /// Whether the GPU can hold it: what does not fit has times in theory, and no tokens a second.
    pub(crate) fn fits(&self) -> bool {
        self.fit.is_some_and(|fit| fit.verdict.holds())
    }

    /// The pass that a program repeats: a decoding step, or a training step.
    pub(crate) fn step(&self) -> Option<&Timed> {
        self.passes.last()
    }
}

/// Answers what was asked.
pub(crate) fn answer(asked: &Asked) -> Result<Answer, BadInput> {
    let mut notes = asked.notes.clone();
    let output = match &asked.subject {
        Subject::Card if asked.json => json::text(&json::roofline::Card::new(asked.gpu))?,
        Subject::Card => text::card(asked.gpu),
        Subject::Operation(precision, work) => {
            let operation = operation(asked, *precision, *work)?;
            if asked.json {
                json::text(&json::roofline::Operation::new(&operation))?
            } else {
                text::operation(&operation)
            }
        }
        Subject::Model(request, _) => {
            let (model, scenario) = scenarios::asked(request)?;
            if let Some(missing) = scenario.untimed() {
                let option = missing.id().replace('_', "-");
                return Err(BadInput(format!(
                    "--{option} is missing: without it no speed is said of a GPU of your own"
                )));
            }
            notes.extend(model.remarks(request, &scenario));
            let passes = Run::of(asked, &scenario);
            if asked.json {
                json::text(&json::roofline::Times::new(&model.id, &passes))?
            } else {
                text::model(&model.title, &passes)
            }
        }
    };
    Ok(Answer { output, notes, exit: Exit::Yes })
}

fn operation(asked: &Asked, precision: ComputePrecision, work: Work) -> Result<Operation, BadInput> {
    let gpu = asked.gpu;
    let roof = Roof::of(gpu, precision)
        .ok_or_else(|| BadInput(format!("no dense {} peak of {} is published", precision.id(), gpu.name)))?;
    let bytes = work.bytes(asked.accounting);
    let intensity = work.intensity(asked.accounting);
    let moved = work.bytes(Accounting::ReadsAndWrites);
    let efficiency = asked.efficiency.unwrap_or(Efficiency::LEAST);
    Ok(Operation {
        gpu,
        precision,
        roof,
        work,
        bytes,
        intensity,
        bound: roof.bound(intensity),
        attainable: roof.attainable(intensity),
        // Whatever an intensity counts, all bytes move.
        lower: roof.seconds(work.flops, moved),
        upper: roof.at(efficiency).seconds(work.flops, moved),
        efficiency,
    })
}
