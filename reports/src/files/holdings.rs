//! What a file holds, as tables to be looked at.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};

use memory_wall_core::Bytes;
use memory_wall_core::display::{ByteUnit, Grouped, Size};

use super::File;
use crate::capital::capital;
use crate::memory_report::{Held, MemoryReport, total};
use crate::model_files::{CLASSES, Index, ModelFile, ModelJson, Tensor, breakdown};
use crate::snapshot::{CATEGORIES, Composition, MemoryTimeline, Moment};
#[cfg(feature = "snapshots")]
use crate::snapshot::{Device, Snapshot};
use crate::values::Written;

/// One row: what, how many of it, and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// What it is.
    pub name: String,
    /// How many, where that says something.
    pub count: Option<u64>,
    /// Its bytes, where they are known.
    pub bytes: Option<u64>,
}

/// Rows that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holdings {
    /// What they are of.
    pub title: String,
    /// The rows.
    pub rows: Vec<Holding>,
}

/// Rows of one table at most; what comes after them is added up.
const MOST_ROWS: usize = 40;
/// Places in the program that are shown of a snapshot.
#[cfg(feature = "snapshots")]
const TOP: usize = 8;

pub(super) fn holding(name: &str, count: Option<u64>, bytes: u64) -> Holding {
    Holding { name: capital(name).to_string(), count, bytes: Some(bytes) }
}

impl File {
    /// What it holds.
    pub fn holdings(&self) -> Vec<Holdings> {
        let mut tables = match self {
            Self::Header(file) => {
                let tensors = match file.as_ref() {
                    ModelFile::Safetensors(file) => &file.tensors,
                    ModelFile::Gguf(file) => &file.tensors,
                };
                vec![of_tensors(tensors)]
            }
            Self::Model(ModelJson::Config(_)) => Vec::new(),
            Self::Model(ModelJson::Index(index)) => of_index(index),
            #[cfg(feature = "snapshots")]
            Self::Snapshot(snapshot) => return snapshot.holdings(),
            Self::Peak(peak) => vec![at_peak(peak.moment, &peak.composition)],
            Self::Report(report) => of_report(report),
            Self::Timeline(timeline) => of_timeline(timeline),
        };
        #[cfg(feature = "estimate")]
        tables.extend(self.shape());
        presentable(&mut tables);
        tables
    }

    /// What a reader should know about it.
    pub fn remarks(&self) -> Vec<String> {
        match self {
            Self::Header(file) => match file.as_ref() {
                ModelFile::Safetensors(file) => missing(file.missing).into_iter().collect(),
                ModelFile::Gguf(file) => {
                    let kind = file.sidecar().map(|kind| format!("It is no model by itself, but {}.", kind.name()));
                    let part = (file.parts() > 1)
                        .then(|| format!("The model is in {} files, of which this is one.", file.parts()));
                    #[cfg(feature = "estimate")]
                    let part = part.into_iter().chain(match (file.architecture(), file.sidecar()) {
                        (Err(why), None) => Some(format!("Its shape is not filled in: {why}.")),
                        _ => None,
                    });
                    kind.into_iter().chain(part).chain(missing(file.missing)).collect()
                }
            },
            #[cfg(feature = "estimate")]
            Self::Model(ModelJson::Config(config)) => config.remarks.clone(),
            #[cfg(not(feature = "estimate"))]
            Self::Model(ModelJson::Config(_)) => Vec::new(),
            Self::Model(ModelJson::Index(index)) => {
                vec![format!(
                    "The sizes of single tensors stand in the files, of which there are {}.",
                    index.files.len()
                )]
            }
            #[cfg(feature = "snapshots")]
            Self::Snapshot(snapshot) => snapshot.remarks(),
            Self::Peak(_) | Self::Report(_) | Self::Timeline(_) => Vec::new(),
        }
    }
}

#[cfg(feature = "snapshots")]
impl Snapshot {
    /// What it holds, as [`File::holdings`].
    pub fn holdings(&self) -> Vec<Holdings> {
        let mut tables = self.fullest().map(|it| of_device(self, it)).unwrap_or_default();
        presentable(&mut tables);
        tables
    }

    /// What a reader should know about it, as [`File::remarks`].
    pub fn remarks(&self) -> Vec<String> {
        let others = self.devices.len().saturating_sub(1);
        let others = (others > 0).then(|| format!("{others} more devices are in the snapshot; the fullest is shown."));
        let own = self.fullest().map(|device| device.trace.remarks()).unwrap_or_default();
        own.iter().map(ToString::to_string).chain(others).collect()
    }
}

impl Holdings {
    /// Writes the table of the text `source` for a page, its numbers as texts.
    pub fn write(&self, json: &mut Written, source: u16, unit: ByteUnit) {
        json.within('{', &mut |json| {
            json.name("text").number(source.into());
            json.name("title").text(&self.title);
            json.name("rows").within('[', &mut |json| {
                for row in &self.rows {
                    let count = row.count.map(|count| Grouped(count.into()).to_string());
                    let bytes = row.bytes.map(|bytes| Size::new(Bytes(bytes.into()), unit).to_string());
                    json.texts(&[row.name.clone(), count.unwrap_or_default(), bytes.unwrap_or_default()]);
                }
            });
        });
    }
}

/// Tables that say something, each with as many rows as can be looked at.
fn presentable(tables: &mut Vec<Holdings>) {
    tables.retain(|table| !table.rows.is_empty());
    for table in tables {
        shorten(&mut table.rows);
    }
}

/// Of a file whose data is not all there.
fn missing(bytes: u64) -> Option<String> {
    (bytes > 0).then(|| format!("The file is not complete: {bytes} bytes of its data are missing."))
}

/// The last row stands for all that there is no room for.
fn shorten(rows: &mut Vec<Holding>) {
    if rows.len() <= MOST_ROWS {
        return;
    }
    let rest = rows.split_off(MOST_ROWS - 1);
    let sum =
        |of: fn(&Holding) -> Option<u64>| rest.iter().try_fold(0, |sum: u64, row| Some(sum.saturating_add(of(row)?)));
    let (count, bytes) = (sum(|row| row.count), sum(|row| row.bytes));
    rows.push(Holding { name: format!("{} more", rest.len()), count, bytes });
}

fn of_tensors(tensors: &[Tensor]) -> Holdings {
    let shares = breakdown(tensors).into_iter();
    let rows = shares.map(|share| {
        holding(&format!("{}, {}", share.class.name(), share.dtype), Some(share.tensors.into()), share.bytes)
    });
    Holdings { title: "Tensors".into(), rows: rows.collect() }
}

fn of_index(index: &Index) -> Vec<Holdings> {
    let rows = CLASSES.iter().zip(index.tensors).filter(|(_, count)| *count > 0);
    let rows = rows.map(|(class, count)| Holding {
        name: capital(class.name()).to_string(),
        count: Some(count.into()),
        bytes: None,
    });
    vec![Holdings { title: "Tensors".into(), rows: rows.collect() }]
}

fn categories(composition: &Composition) -> Vec<Holding> {
    let parts = CATEGORIES.iter().zip(composition).filter(|(_, bytes)| **bytes > 0);
    parts.map(|(category, bytes)| holding(category.name(), None, *bytes)).collect()
}

fn at_peak(moment: Moment, composition: &Composition) -> Holdings {
    Holdings { title: format!("At the peak: {}", moment.name()), rows: categories(composition) }
}

#[cfg(feature = "snapshots")]
fn of_device(snapshot: &Snapshot, device: &Device) -> Vec<Holdings> {
    let (totals, trace) = (&device.totals, &device.trace);
    let mut tables = vec![Holdings {
        title: format!("Device {}: what the allocator held", device.number),
        rows: vec![
            holding("requested by tensors", None, totals.requested),
            holding("rounding up to blocks", None, totals.rounding()),
            holding("free between tensors (fragmentation)", None, totals.fragmented),
            holding("free in whole segments (cache)", None, totals.cached),
            holding("reserved in all", Some(totals.segments.into()), totals.reserved),
        ],
    }];
    if trace.events.is_empty() {
        return tables;
    }
    let peak = trace.peak();
    tables.push(at_peak(peak.moment, &peak.composition));
    let top = trace.top(&snapshot.frames, peak.event, TOP).into_iter();
    let place = |line| snapshot.frames.in_file(line);
    let rows = top.map(|top| {
        let from = top.line.and_then(place).unwrap_or_else(|| "an unknown place".into());
        holding(&format!("{} from {from}", top.category.name()), Some(top.count.into()), top.bytes)
    });
    tables.push(Holdings { title: "The most at the peak, by the line that asked for it".into(), rows: rows.collect() });
    tables
}

/// What is told apart, with its name.
const HELD: [(Held, &str); 6] = [
    (Held::Weights, "weights"),
    (Held::Buffers, "buffers"),
    (Held::Inputs, "inputs"),
    (Held::Gradients, "gradients"),
    (Held::Optimizer, "optimizer states"),
    (Held::Saved, "saved for backward"),
];

fn of_report(report: &MemoryReport) -> Vec<Holdings> {
    let phases = report.phases.iter().map(|phase| {
        let rows = HELD.iter().map(|(held, name)| (name, total(&phase.bytes, *held))).filter(|(_, bytes)| *bytes > 0);
        Holdings {
            title: format!("Step, {}", phase.name),
            rows: rows.map(|(name, bytes)| holding(name, None, bytes)).collect(),
        }
    });
    let layers = report.layers();
    let rows = layers.iter().map(|(name, table)| {
        // Names of modules are the program's own.
        let name = if name.is_empty() { "The model itself" } else { name };
        let bytes = table.values().fold(0, |sum: u64, bytes| sum.saturating_add(*bytes));
        Holding { name: name.into(), count: None, bytes: Some(bytes) }
    });
    let rows = rows.filter(|row| row.bytes != Some(0)).collect();
    phases.chain([Holdings { title: "By layer, at the most".into(), rows }]).collect()
}

fn of_timeline(timeline: &MemoryTimeline) -> Vec<Holdings> {
    let peak = timeline.peak().map(|(_, composition)| composition);
    peak.map(|peak| Holdings { title: "At the peak".into(), rows: categories(&peak) }).into_iter().collect()
}
