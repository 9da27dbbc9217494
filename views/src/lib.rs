//! The page's program for memory snapshots: it runs in the worker of the second one (`explain/`), reads a snapshot once, hands what it
//! says over as a report, and stays to answer what the pictures of it ask: numbers as flat lists, and what is said of them as JSON.
//!
//! Words around the numbers are the page's, `content/en/views.txt`. Events count from 0, and −1 is what was there before the first one.

mod flame;
mod leaks;
mod segments;
mod timeline;

use memory_wall_core::Bytes;
use memory_wall_core::display::{ByteUnit, Grouped, Percent, Size};
use memory_wall_reports::files::LARGEST;
use memory_wall_reports::snapshot::{AtPeak, Device, Flame, Refused, Snapshot};
use memory_wall_reports::values::Written;
use memory_wall_reports::{capital, handover};
use wasm_bindgen::prelude::wasm_bindgen;

/// A snapshot and what is looked at of it.
#[wasm_bindgen]
pub struct Views {
    snapshot: Option<Snapshot>,
    unit: ByteUnit,
    flame: Flame,
}

#[wasm_bindgen]
impl Views {
    /// Nothing yet.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(gibibytes: bool) -> Self {
        let unit = if gibibytes { ByteUnit::Gib } else { ByteUnit::Gb };
        Self { snapshot: None, unit, flame: Flame::default() }
    }

    /// Reads a snapshot, the file with the number `source`: JSON with its `tables` and `notes`, or with the reason why it is `refused`,
    /// or `null` where it is JSON and no snapshot.
    pub fn open(&mut self, bytes: &[u8], source: u16) -> String {
        let mut json = Written::default();
        let read = match u64::try_from(bytes.len()) {
            Ok(length) if length <= LARGEST => Snapshot::read(bytes),
            _ => Err(Refused::Other("it is too large")),
        };
        match read {
            Ok(snapshot) => {
                json.within('{', &mut |json| {
                    json.name("tables").within('[', &mut |json| {
                        snapshot.holdings().iter().for_each(|table| table.write(json, source, self.unit));
                    });
                    json.name("notes").texts(&snapshot.remarks());
                });
                self.snapshot = Some(snapshot);
            }
            Err(Refused::NoSnapshot) if bytes.first() != Some(&0x80) => json.nothing(),
            Err(why) => json.within('{', &mut |json| json.name("refused").text(&why.to_string())),
        }
        json.finish()
    }

    /// What the snapshot says as a report, for the program that takes reports together.
    pub fn report(&self) -> Vec<u8> {
        let report = self.snapshot.as_ref().map(|snapshot| snapshot.report(0));
        report.map(|report| handover::write(&[report])).unwrap_or_default()
    }

    /// Its fullest moment as bytes, for the program that estimates.
    pub fn peak(&self) -> Vec<u8> {
        self.device().and_then(AtPeak::of).map(|peak| handover::write_peak(&peak)).unwrap_or_default()
    }

    /// What stands around the pictures, as JSON: names of categories, the peak, the sums over segments, what only grows.
    pub fn summary(&self) -> String {
        self.json(&mut |json, snapshot, device| {
            timeline::summary(json, device, self.unit);
            segments::summary(json, device, self.unit);
            json.name("leaks").within('[', &mut |json| leaks::rows(json, snapshot, device, self.unit));
        })
    }

    /// The events from `from` up to `to` as at most `count` columns, `timeline::WIDTH` numbers each.
    pub fn columns(&self, from: u32, to: u32, count: u32) -> Vec<f64> {
        self.device().map(|device| timeline::columns(device, from, to, count)).unwrap_or_default()
    }

    /// What was there after an event, as JSON.
    pub fn moment(&self, event: f64) -> String {
        self.json(&mut |json, _, device| timeline::moment(json, device, event_of(event), self.unit))
    }

    /// Draws the flame graph of what was there after an event: `flame::WIDTH` numbers a node.
    pub fn flame(&mut self, event: f64, python_only: bool) -> Vec<f64> {
        let Some((snapshot, device)) = self.snapshot.as_ref().and_then(|it| Some((it, it.fullest()?))) else {
            return Vec::new();
        };
        self.flame = Flame::of(&device.trace, &snapshot.frames, event_of(event), python_only);
        flame::nodes(&self.flame, &snapshot.frames)
    }

    /// The names of the frames that the last flame graph has, as JSON, in the order in which its nodes number them.
    pub fn names(&self) -> String {
        self.json(&mut |json, snapshot, _| flame::names(json, &self.flame, &snapshot.frames))
    }

    /// What a node of the last flame graph is, as JSON.
    pub fn node(&self, node: u32) -> String {
        self.json(&mut |json, _, _| flame::node(json, &self.flame, node, self.unit))
    }

    /// What took most after an event, by line, as rows of texts.
    pub fn top(&self, event: f64) -> String {
        self.json(&mut |json, snapshot, device| flame::top(json, snapshot, device, event_of(event), self.unit))
    }

    /// The segments, those that fragmentation takes most of first: numbers as `segments::map` has them.
    pub fn map(&self) -> Vec<f64> {
        self.device().map(segments::map).unwrap_or_default()
    }

    /// What a segment holds, by its place on the map, as JSON.
    pub fn segment(&self, place: u32) -> String {
        self.json(&mut |json, _, device| segments::segment(json, device, place, self.unit))
    }
}

impl Views {
    fn device(&self) -> Option<&Device> {
        self.snapshot.as_ref()?.fullest()
    }

    /// An object, with what is written inside; `null` where there is no snapshot.
    fn json(&self, inside: &mut dyn FnMut(&mut Written, &Snapshot, &Device)) -> String {
        let mut json = Written::default();
        match self.snapshot.as_ref().and_then(|it| Some((it, it.fullest()?))) {
            Some((snapshot, device)) => json.within('{', &mut |json| inside(json, snapshot, device)),
            None => json.nothing(),
        }
        json.finish()
    }
}

/// An event by its number on the page.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "in range by the test, and no NaN passes it"
)]
fn event_of(number: f64) -> Option<u32> {
    (number >= 0.0).then_some(number.min(f64::from(u32::MAX)) as u32)
}

/// An event's number on the page.
fn number_of(event: Option<u32>) -> i64 {
    event.map_or(-1, i64::from)
}

fn size(bytes: u64, unit: ByteUnit) -> String {
    Size::new(Bytes(bytes.into()), unit).to_string()
}

fn share(part: u64, of: u64) -> String {
    Percent(if of == 0 { 0.0 } else { part as f64 / of as f64 }).to_string()
}

fn grouped(count: impl Into<u128>) -> String {
    Grouped(count.into()).to_string()
}

/// A name at the beginning of a line.
fn heading(name: &str) -> String {
    capital(name).to_string()
}

#[cfg(test)]
mod tests;
