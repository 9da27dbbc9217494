//! What `public/memory_report.py` measured of one training step: exact bytes by module, part, type and phase.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::by_name::ByName;
use crate::model_files::Described;
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
    const ALL: [Self; 6] = [Self::Weights, Self::Buffers, Self::Inputs, Self::Gradients, Self::Optimizer, Self::Saved];

    /// Its name in the file.
    const fn id(self) -> &'static str {
        match self {
            Self::Weights => "weights",
            Self::Buffers => "buffers",
            Self::Inputs => "inputs",
            Self::Gradients => "gradients",
            Self::Optimizer => "optimizer",
            Self::Saved => "saved",
        }
    }

    fn of(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|held| held.id().as_bytes() == name)
    }
}

/// Bytes by what they are to the step and by type: `weights/bfloat16`.
pub type Table = ByName<u64>;

/// One moment of the step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepPhase {
    /// Its name: `after forward`.
    pub name: String,
    /// What was there.
    pub bytes: Table,
    /// What PyTorch's allocator said then, on a GPU: `allocated_bytes.all.peak` and the rest of `memory_stats`.
    pub allocator: ByName<u64>,
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
    pub shapes: ByName<Vec<u64>>,
    /// The model's config, where it has one.
    pub config: Option<Box<Described>>,
    /// The moments of the step, in order.
    pub phases: Vec<StepPhase>,
    /// What each module holds at most, by its name; the model itself has none.
    pub modules: ByName<Table>,
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
        let mut modules = ByName::new();
        for (name, parts) in object(b"modules").into_iter().flat_map(|modules| values.fields(modules)) {
            let Value::Object(parts) = parts else { continue };
            modules.insert(&String::from_utf8_lossy(name), table(&values, parts, &mut sum));
        }
        if sum > MOST {
            return Err(NoReport::Sizes);
        }
        let mut shapes = ByName::new();
        for (name, shape) in object(b"shapes").into_iter().flat_map(|shapes| values.fields(shapes)) {
            let Value::List(shape) = shape else { continue };
            if let Some(shape) = values.items(shape).map(Value::whole).collect::<Option<Vec<u64>>>() {
                shapes.insert(&String::from_utf8_lossy(name), shape);
            }
        }
        Ok(Self {
            torch: words(root, b"torch"),
            device: words(root, b"device"),
            optimizer: words(root, b"optimizer"),
            gpu: object(b"gpu").map(|gpu| MeasuredGpu {
                name: words(gpu, b"name"),
                total: values.field(gpu, b"total").and_then(Value::whole).unwrap_or(0),
                free: values.field(gpu, b"free").and_then(Value::whole).unwrap_or(0),
            }),
            shapes,
            config: Described::within(text).map(Box::new),
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
        let mut layers: ByName<(String, Table)> = ByName::new();
        for (name, module) in self.modules.iter() {
            let (key, whole) = layer(name);
            let Some((shown, layer)) = layers.entry(&key) else { continue };
            *shown = whole;
            for (held, bytes) in module.iter() {
                if let Some(sum) = layer.entry(held) {
                    *sum += bytes;
                }
            }
        }
        layers.iter().map(|(_, layer)| layer.clone()).collect()
    }
}

/// The sum of one kind of tensor.
pub fn total(table: &Table, held: Held) -> u64 {
    types(table, held).map(|(_, bytes)| bytes).sum()
}

/// The bytes of one kind of tensor, by dtype.
pub fn types(table: &Table, held: Held) -> impl Iterator<Item = (&str, u64)> {
    table.iter().filter_map(move |(key, bytes)| {
        let (part, dtype) = key.split_once('/')?;
        (part == held.id()).then_some((dtype, *bytes))
    })
}

/// What a layer is sorted by, and its name with its number; of what is in none the name alone.
fn layer(name: &str) -> (String, String) {
    let mut at = 0;
    for part in name.split('.') {
        if let (Ok(number), true) = (part.parse::<u64>(), at > 0) {
            let stem = name.get(..at - 1).unwrap_or_default();
            return (format!("{stem}\0{number:020}"), format!("{stem}.{number}"));
        }
        at += part.len() + 1;
    }
    (name.into(), name.into())
}

/// Bytes by part and by type.
fn table(values: &Values<'_>, parts: Container, sum: &mut u64) -> Table {
    let mut table = Table::new();
    for (part, types) in values.fields(parts) {
        let (Some(held), Value::Object(types)) = (Held::of(part), types) else { continue };
        for (dtype, bytes) in numbers(values, types).iter() {
            *sum = sum.saturating_add(*bytes);
            table.insert(&format!("{}/{dtype}", held.id()), *bytes);
        }
    }
    table
}

fn numbers(values: &Values<'_>, fields: Container) -> ByName<u64> {
    let mut numbers = ByName::new();
    for (name, value) in values.fields(fields) {
        if let Some(number) = value.whole() {
            numbers.insert(&String::from_utf8_lossy(name), number);
        }
    }
    numbers
}
