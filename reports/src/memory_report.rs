//! What `public/memory_report.py` measured of one training step: exact bytes by module, part, type and phase.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use memory_wall_core::config::Config;
use memory_wall_core::{Bytes, Checked};
use serde::Deserialize;

use crate::model_files::Described;
use crate::snapshot::Moment;
use crate::snapshot::beside::{Line, Measured, PARTS, Part, beside};
use crate::values::{Container, JsonError, Value, Values, read_json};

/// How a report says that it is one; another number is another version.
pub const SCHEMA: &str = "memory-wall-report/1";

/// What a tensor is to the step. The script looks at the program's own objects, so these are no guesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Held {
    /// Parameters.
    Weights,
    /// Buffers of modules.
    Buffers,
    /// The batch.
    Inputs,
    /// Gradients.
    Gradients,
    /// States of the optimizer, and its own copies of the weights.
    Optimizer,
    /// Saved for the backward pass.
    Saved,
}

impl Held {
    fn of(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"weights" => Self::Weights,
            b"buffers" => Self::Buffers,
            b"inputs" => Self::Inputs,
            b"gradients" => Self::Gradients,
            b"optimizer" => Self::Optimizer,
            b"saved" => Self::Saved,
            _ => return None,
        })
    }
}

/// Bytes by what they are to the step, and by type.
pub type Table = BTreeMap<(Held, String), u64>;

/// One moment of the step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepPhase {
    /// Its name: `after forward`.
    pub name: String,
    /// What was there.
    pub bytes: Table,
    /// What PyTorch's allocator said then, on a GPU: `allocated_bytes.all.peak` and the rest of `memory_stats`.
    pub allocator: BTreeMap<String, u64>,
}

/// The GPU of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MeasuredGpu {
    /// Its name.
    pub name: String,
    /// Its memory.
    pub total: u64,
    /// What of it was free at the end.
    pub free: u64,
}

/// A report of one training step.
#[derive(Clone, Debug)]
pub struct MemoryReport {
    /// PyTorch's version.
    pub torch: String,
    /// The kind of device: `cpu`, `cuda`.
    pub device: String,
    /// The optimizer's class.
    pub optimizer: String,
    /// The GPU, if it ran on one.
    pub gpu: Option<MeasuredGpu>,
    /// Shapes of the batch.
    pub shapes: BTreeMap<String, Vec<u64>>,
    /// The model's config, where it has one.
    pub config: Option<Box<Described>>,
    /// The moments of the step, in order.
    pub phases: Vec<StepPhase>,
    /// What each module holds at most, by its name; the model itself has none.
    pub modules: BTreeMap<String, Table>,
}

/// Why a report is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoReport {
    /// It is no JSON.
    Json(JsonError),
    /// It is JSON of another kind.
    Other,
    /// A report of another version.
    Version(String),
    /// Sizes that no device can have.
    Sizes,
}

impl fmt::Display for NoReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => error.fmt(f),
            Self::Other => write!(f, "this is no report of memory_report.py: its schema is not {SCHEMA}"),
            Self::Version(version) => write!(f, "reports of {version} are not read; {SCHEMA} is"),
            Self::Sizes => f.write_str("its sizes add up to more than any device holds"),
        }
    }
}

impl core::error::Error for NoReport {}

/// The most that all sizes may add up to, so that no sum of them wraps.
const MOST: u64 = 1 << 62;

/// The part of a report that the engine's own reader takes.
#[derive(Deserialize)]
struct WithConfig {
    config: Option<Config>,
}

impl MemoryReport {
    /// Reads a report.
    ///
    /// # Errors
    /// It is no report, or one of another version.
    pub fn read(text: &[u8]) -> Result<Self, NoReport> {
        let (values, root) = read_json(text, &mut ()).map_err(NoReport::Json)?;
        let Value::Object(root) = root else { return Err(NoReport::Other) };
        let words = |container: Container, name: &[u8]| match values.field(container, name) {
            Some(Value::Text(text)) => String::from_utf8_lossy(values.text(text)).into_owned(),
            _ => String::new(),
        };
        match words(root, b"schema") {
            schema if schema == SCHEMA => {}
            schema if schema.starts_with("memory-wall-report/") => {
                return Err(NoReport::Version(schema.chars().filter(|letter| !letter.is_control()).take(40).collect()));
            }
            _ => return Err(NoReport::Other),
        }
        let object = |name: &[u8]| match values.field(root, name) {
            Some(Value::Object(container)) => Some(container),
            _ => None,
        };
        let mut sum = 0_u64;
        let mut phases = Vec::new();
        if let Some(Value::List(list)) = values.field(root, b"phases") {
            for phase in values.items(list) {
                let Value::Object(phase) = phase else { continue };
                let inner = |name: &[u8]| match values.field(phase, name) {
                    Some(Value::Object(inner)) => Some(inner),
                    _ => None,
                };
                phases.push(StepPhase {
                    name: words(phase, b"name"),
                    bytes: inner(b"bytes").map(|bytes| table(&values, bytes, &mut sum)).unwrap_or_default(),
                    allocator: inner(b"allocator").map(|stats| numbers(&values, stats)).unwrap_or_default(),
                });
            }
        }
        let mut modules = BTreeMap::new();
        for (name, parts) in object(b"modules").into_iter().flat_map(|modules| values.fields(modules)) {
            let Value::Object(parts) = parts else { continue };
            modules.insert(String::from_utf8_lossy(name).into_owned(), table(&values, parts, &mut sum));
        }
        if sum > MOST {
            return Err(NoReport::Sizes);
        }
        let shapes = object(b"shapes").into_iter().flat_map(|shapes| values.fields(shapes));
        let shapes = shapes.filter_map(|(name, shape)| {
            let Value::List(shape) = shape else { return None };
            let shape: Option<Vec<u64>> = values.items(shape).map(Value::whole).collect();
            Some((String::from_utf8_lossy(name).into_owned(), shape?))
        });
        let with_config = if crate::ESTIMATES { serde_json::from_slice::<WithConfig>(text).ok() } else { None };
        let config: Option<Config> = with_config.and_then(|with| with.config);
        Ok(Self {
            torch: words(root, b"torch"),
            device: words(root, b"device"),
            optimizer: words(root, b"optimizer"),
            gpu: object(b"gpu").map(|gpu| MeasuredGpu {
                name: words(gpu, b"name"),
                total: values.field(gpu, b"total").and_then(Value::whole).unwrap_or(0),
                free: values.field(gpu, b"free").and_then(Value::whole).unwrap_or(0),
            }),
            shapes: shapes.collect(),
            config: config.map(|config| Box::new(Described::of_config(&config))),
            phases,
            modules,
        })
    }

    /// The most that one kind of tensor took at any moment.
    pub fn most(&self, held: Held) -> u64 {
        self.phases.iter().map(|phase| total(&phase.bytes, held)).max().unwrap_or(0)
    }

    /// The modules by layer: those of a numbered layer together, the others each by itself, in the order of their names and numbers.
    pub fn layers(&self) -> Vec<(String, Table)> {
        let mut layers: BTreeMap<(String, Option<u64>), Table> = BTreeMap::new();
        for (name, module) in &self.modules {
            let layer = layers.entry(layer(name)).or_default();
            for ((held, dtype), bytes) in module {
                *layer.entry((*held, dtype.clone())).or_default() += bytes;
            }
        }
        let whole = |(stem, number): (String, Option<u64>)| match number {
            Some(number) => alloc::format!("{stem}.{number}"),
            None => stem,
        };
        layers.into_iter().map(|(name, table)| (whole(name), table)).collect()
    }

    /// What was measured beside the engine's estimate: each part at the moment when the step has most of it.
    ///
    /// What the model itself saves, outside its modules, is the loss. It has no estimate.
    pub fn beside(&self, scenario: &Checked) -> Vec<Line> {
        let loss = self.modules.get("").map_or(0, |model| total(model, Held::Saved));
        let measured = |moment: Moment| {
            let bytes = |part: &Part| match part {
                Part::Weights => self.most(Held::Weights),
                Part::Gradients => self.most(Held::Gradients),
                Part::Optimizer => self.most(Held::Optimizer),
                Part::Activations => self.most(Held::Saved).saturating_sub(loss),
                _ => 0,
            };
            let parts = PARTS.map(|part| bytes(&part));
            Measured { moment, parts, states_come_later: false, states_are_older: false, is_mostly_cached: false }
        };
        let [forward, step] =
            [Moment::Forward, Moment::OptimizerStep].map(|moment| beside(&measured(moment), scenario));
        let row = |lines: &[Line], part: Part| lines.iter().find(|line| line.part == part).copied();
        let mut lines: Vec<Line> =
            [Part::Weights, Part::Gradients, Part::Optimizer].into_iter().filter_map(|part| row(&step, part)).collect();
        lines.extend(row(&forward, Part::Activations));
        // The engine counts the logits themselves too, which are no part of what is saved.
        lines.push(Line { part: Part::Logits, estimate: None, measured: Bytes(loss.into()), reason: None });
        lines
    }
}

/// The sum of one kind of tensor.
pub fn total(table: &Table, held: Held) -> u64 {
    table.iter().filter(|((kind, _), _)| *kind == held).map(|(_, bytes)| bytes).sum()
}

/// A layer's name and number; of what is in none the name alone.
fn layer(name: &str) -> (String, Option<u64>) {
    let mut at = 0;
    for part in name.split('.') {
        if let (Ok(number), true) = (part.parse::<u64>(), at > 0) {
            return (name.get(..at - 1).unwrap_or_default().into(), Some(number));
        }
        at += part.len() + 1;
    }
    (name.into(), None)
}

/// Bytes by part and by type.
fn table(values: &Values<'_>, parts: Container, sum: &mut u64) -> Table {
    let mut table = Table::new();
    for (part, types) in values.fields(parts) {
        let (Some(held), Value::Object(types)) = (Held::of(part), types) else { continue };
        for (dtype, bytes) in numbers(values, types) {
            *sum = sum.saturating_add(bytes);
            table.insert((held, dtype), bytes);
        }
    }
    table
}

fn numbers(values: &Values<'_>, fields: Container) -> BTreeMap<String, u64> {
    let number = |(name, value): (&[u8], Value)| Some((String::from_utf8_lossy(name).into_owned(), value.whole()?));
    values.fields(fields).filter_map(number).collect()
}
