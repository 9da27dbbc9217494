//! The memory timeline of PyTorch's profiler, `export_memory_timeline`: bytes by category over time, as it says itself.
//!
//! PyTorch 2.15 calls it deprecated; files of it are around all the same.
//!
//! Source: `torch/profiler/_memory_profiler.py` of PyTorch 2.15 (`export_memory_timeline`, `export_memory_timeline_raw`); checked 2026-11-24.

use alloc::vec::Vec;

use crate::values::{Container, Value, Values, read_json};

use super::category::{CATEGORIES, Category};
use super::refused::Refused;
use super::timeline::Composition;
use crate::values::Unread;

/// The profiler's categories, in its order.
const ORDER: [&str; 7] =
    ["PARAMETER", "OPTIMIZER_STATE", "INPUT", "TEMPORARY", "ACTIVATION", "GRADIENT", "AUTOGRAD_DETAIL"];

/// A memory timeline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryTimeline {
    /// Microseconds, or the profiler's own count of them, and what there was from then on.
    pub points: Vec<(u64, Composition)>,
}

impl MemoryTimeline {
    /// Reads a timeline in either of its two forms: one row for each moment (`.json`), or one for each change (`.raw.json.gz`, unpacked).
    ///
    /// # Errors
    /// It is no such timeline.
    pub fn read(text: &[u8]) -> Result<Self, Refused> {
        if let Some(kind) = super::refused::not_read(text) {
            return Err(Refused::Other(kind));
        }
        let (values, root) = read_json(text, &mut ()).map_err(Unread::Json)?;
        let Value::List(root) = root else { return Err(Refused::NoSnapshot) };
        let mut top = values.items(root);
        match [top.next(), top.next(), top.next()] {
            [Some(Value::List(times)), Some(Value::List(sizes)), None] if !is_change(&values, times) => {
                rows(&values, times, sizes)
            }
            _ => changes(&values, root),
        }
        .filter(|points| !points.is_empty())
        .map(|points| Self { points })
        .ok_or(Refused::NoSnapshot)
    }

    /// The fullest moment: its time and what there was.
    pub fn peak(&self) -> Option<(u64, Composition)> {
        let sum = |composition: &Composition| composition.iter().fold(0, |sum: u64, bytes| sum.saturating_add(*bytes));
        self.points.iter().copied().rev().max_by_key(|(_, composition)| sum(composition))
    }

    /// The most that one category took at any moment.
    pub fn most(&self, category: Category) -> u64 {
        let bytes = self.points.iter().filter_map(|(_, composition)| composition.get(category.place()));
        bytes.copied().max().unwrap_or(0)
    }
}

/// Whether a list is one change: four numbers.
fn is_change(values: &Values<'_>, list: Container) -> bool {
    values.items(list).take(5).count() == 4 && values.items(list).all(|value| number(value).is_some())
}

fn number(value: Value) -> Option<i64> {
    match value {
        Value::Whole(number) => i64::try_from(number).ok(),
        Value::Negative(number) => Some(number),
        _ => None,
    }
}

/// The lane of a category by the profiler's number; what it does not know is the last.
fn lane(place: usize) -> usize {
    let name = ORDER.get(place).and_then(|name| Category::of_profiler(name.as_bytes()));
    name.unwrap_or(Category::Other).place()
}

fn rows(values: &Values<'_>, times: Container, sizes: Container) -> Option<Vec<(u64, Composition)>> {
    let mut points = Vec::new();
    let (mut times, mut sizes) = (values.items(times), values.items(sizes));
    loop {
        let (time, row) = match (times.next(), sizes.next()) {
            (Some(time), Some(Value::List(row))) => (time, row),
            (None, None) => return Some(points),
            _ => return None,
        };
        let mut composition = Composition::default();
        // A row begins with a 0, for the drawing. One that is shared by all would cost its length each time.
        let mut row = values.items(row);
        let first = row.next()?;
        for place in 0..=ORDER.len() {
            let bytes = row.next()?.whole().filter(|bytes| *bytes < 1 << 56)?;
            *composition.get_mut(lane(place))? += bytes;
        }
        if row.next().is_some() || first != Value::Whole(0) {
            return None;
        }
        points.push((u64::try_from(number(time)?).unwrap_or(0), composition));
    }
}

fn changes(values: &Values<'_>, root: Container) -> Option<Vec<(u64, Composition)>> {
    let mut points: Vec<(u64, Composition)> = Vec::new();
    let mut now = [0_i64; CATEGORIES.len()];
    for change in values.items(root) {
        let Value::List(change) = change else { return None };
        let mut change = values.items(change).map(number);
        let [Some(time), Some(_), Some(bytes), Some(category), None] =
            [change.next()?, change.next()?, change.next()?, change.next()?, change.next().flatten()]
        else {
            return None;
        };
        let sum = now.get_mut(lane(usize::try_from(category).ok()?))?;
        *sum = sum.checked_add(bytes).filter(|sum| sum.unsigned_abs() < 1 << 56)?;
        // What was there before has no time.
        let time = u64::try_from(time).unwrap_or(0);
        let composition = now.map(|bytes| u64::try_from(bytes).unwrap_or(0));
        match points.last_mut() {
            Some((last, kept)) if *last == time => *kept = composition,
            _ => points.push((time, composition)),
        }
    }
    Some(points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    /// Two steps of a small MLP on a processor with PyTorch 2.15; 164,416 parameters in fp32, by hand.
    const EXPORTED: &[u8] = include_bytes!("../../tests/reports/timeline.json");
    const PARAMETERS: u64 = 4 * (256 * 512 + 512 + 512 * 64 + 64);

    #[test]
    fn a_timeline_says_what_each_category_took() {
        let timeline = MemoryTimeline::read(EXPORTED).unwrap();
        assert_eq!(timeline.points.len(), 351);
        assert_eq!(timeline.most(Category::Gradients), PARAMETERS);
        // Two states, and counters of four bytes for four tensors.
        assert_eq!(timeline.most(Category::Optimizer), 2 * PARAMETERS + 16);
        let (_, peak) = timeline.peak().unwrap();
        assert_eq!(peak.iter().sum::<u64>(), 3_712_028);
    }

    #[test]
    fn changes_add_up() {
        let raw =
            "[[-1, 1, 100, 0], [-1, 1, 20, 2], [5, 2, 7, 4], [6, 4, -7, 4], [6, 2, 9, 7], [7, 3, -9, 7], [7, 3, 9, 5]]";
        let timeline = MemoryTimeline::read(raw.as_bytes()).unwrap();
        let points: Vec<(u64, Composition)> = timeline.points;
        assert_eq!(
            points,
            [
                (0, [100, 0, 0, 0, 0, 20]),
                (5, [100, 0, 0, 7, 0, 20]),
                (6, [100, 0, 0, 0, 0, 29]),
                (7, [100, 9, 0, 0, 0, 20])
            ]
        );
    }

    #[test]
    fn other_lists_are_refused() {
        for text in
            ["[]", "{}", "[[], []]", "[[1], [[0, 1]]]", "[[1, 2], [[0, 1, 2, 3, 4, 5, 6, 7, 8]]]", "[[1, 2, 3]]", "[3]"]
        {
            assert_eq!(MemoryTimeline::read(text.as_bytes()), Err(Refused::NoSnapshot), "{text}");
        }
        let huge = format!("[[1], [[0, {}, 0, 0, 0, 0, 0, 0, 0]]]", u64::MAX);
        assert_eq!(MemoryTimeline::read(huge.as_bytes()), Err(Refused::NoSnapshot));
        assert!(MemoryTimeline::read(b"[[1], [").is_err());
    }
}
