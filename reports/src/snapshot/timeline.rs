//! Allocated memory over time, ready to be drawn: any stretch of a million events costs a few steps a column.

use alloc::vec::Vec;

use super::category::CATEGORIES;
use super::gather::{Action, Event};
use super::lifetimes::Allocation;

/// Bytes of each category, in the order of [`CATEGORIES`].
pub type Composition = [u64; CATEGORIES.len()];

/// Nodes that one node of the next level stands for.
const FAN: usize = 8;
/// Events between two kept compositions.
const STRIDE: usize = 256;

/// The least and the most of some events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extent {
    least: u64,
    most: u64,
    /// The first event with the most.
    at: u32,
}

impl Extent {
    fn or(self, other: Self) -> Self {
        let (most, at) = if other.most > self.most { (other.most, other.at) } else { (self.most, self.at) };
        Self { least: self.least.min(other.least), most, at }
    }
}

/// Some events in a row, as one column of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The first event.
    pub from: u32,
    /// The event behind the last.
    pub to: u32,
    /// The least that was allocated after one of them.
    pub least: u64,
    /// The most.
    pub most: u64,
    /// The first event after which it was that.
    pub at: u32,
    /// What it consisted of then.
    pub composition: Composition,
}

/// Allocated memory after each event.
#[derive(Debug, Default)]
pub struct Timeline {
    before: Composition,
    allocated: Vec<u64>,
    /// The category whose bytes an event changes.
    lanes: Vec<u8>,
    /// What there was before events 0, 256, 512, ...
    kept: Vec<Composition>,
    levels: Vec<Vec<Extent>>,
    /// Reserved memory, from each event that changed it.
    reserved: Vec<(u32, u64)>,
    reserved_before: u64,
}

fn at(event: usize) -> u32 {
    u32::try_from(event).unwrap_or(u32::MAX)
}

impl Timeline {
    /// `of_event` says which allocation an event begins or ends.
    pub(super) fn of(events: &[Event], allocations: &[Allocation], of_event: &[u32], reserved: u64) -> Self {
        let mut timeline = Self::default();
        for allocation in allocations.iter().filter(|it| it.start.is_none()) {
            if let Some(sum) = timeline.before.get_mut(allocation.category.place()) {
                *sum += allocation.size;
            }
        }
        let mut now = timeline.before;
        timeline.allocated.reserve_exact(events.len());
        timeline.lanes.reserve_exact(events.len());
        for (place, subject) in of_event.iter().enumerate() {
            if place.is_multiple_of(STRIDE) {
                timeline.kept.push(now);
            }
            let mut lane = 0;
            if let Some(allocation) = allocations.get(*subject as usize) {
                lane = allocation.category.place();
                if let Some(sum) = now.get_mut(lane) {
                    let begins = allocation.start == Some(at(place));
                    *sum = if begins { *sum + allocation.size } else { sum.saturating_sub(allocation.size) };
                }
            }
            timeline.lanes.push(u8::try_from(lane).unwrap_or(0));
            timeline.allocated.push(now.iter().sum());
        }
        timeline.raise();
        // Reserved memory is known for certain at the end.
        let change = |event: &Event| match event.action {
            Action::SegmentAlloc => i128::from(event.size),
            Action::SegmentFree => -i128::from(event.size),
            _ => 0,
        };
        let mut level = i128::from(reserved) - events.iter().map(change).sum::<i128>();
        let shown = |level: i128| u64::try_from(level.max(0)).unwrap_or(u64::MAX);
        timeline.reserved_before = shown(level);
        for (place, event) in events.iter().enumerate().filter(|(_, event)| change(event) != 0) {
            level += change(event);
            timeline.reserved.push((at(place), shown(level)));
        }
        timeline
    }

    /// The levels above the events.
    fn raise(&mut self) {
        let single = |(place, bytes): (usize, &u64)| Extent { least: *bytes, most: *bytes, at: at(place) };
        let fold = |nodes: &[Extent]| nodes.iter().copied().reduce(Extent::or);
        let bottom: Vec<Extent> = self
            .allocated
            .chunks(FAN)
            .zip((0..).step_by(FAN))
            .filter_map(|(bytes, start)| {
                bytes.iter().enumerate().map(|(place, bytes)| single((start + place, bytes))).reduce(Extent::or)
            })
            .collect();
        let mut top = bottom;
        while top.len() > 1 {
            let next: Vec<Extent> = top.chunks(FAN).filter_map(fold).collect();
            self.levels.push(top);
            top = next;
        }
        self.levels.push(top);
    }

    /// How many events there are.
    pub fn len(&self) -> u32 {
        at(self.allocated.len())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.allocated.is_empty()
    }

    /// What was allocated after an event; before the first one for nothing.
    pub fn allocated(&self, event: Option<u32>) -> u64 {
        let after = event.map(|event| self.allocated.get(event as usize).copied().unwrap_or(0));
        after.unwrap_or_else(|| self.before.iter().sum())
    }

    /// What was reserved then.
    pub fn reserved(&self, event: Option<u32>) -> u64 {
        let Some(event) = event else { return self.reserved_before };
        let passed = self.reserved.partition_point(|(changed, _)| *changed <= event);
        let last = passed.checked_sub(1).and_then(|place| self.reserved.get(place));
        last.map_or(self.reserved_before, |(_, bytes)| *bytes)
    }

    /// What it consisted of after an event; before the first one for nothing.
    pub fn composition(&self, event: Option<u32>) -> Composition {
        let Some(event) = event.map(|event| (event as usize).min(self.allocated.len().saturating_sub(1))) else {
            return self.before;
        };
        let stop = event / STRIDE;
        let mut now = self.kept.get(stop).copied().unwrap_or(self.before);
        let start = stop * STRIDE;
        let first = start.checked_sub(1).and_then(|place| self.allocated.get(place)).copied();
        let mut earlier = first.unwrap_or_else(|| self.before.iter().sum());
        let lanes = self.lanes.get(start..=event).unwrap_or_default();
        for (lane, bytes) in lanes.iter().zip(self.allocated.get(start..).unwrap_or_default()) {
            if let Some(sum) = now.get_mut(usize::from(*lane)) {
                // Exact modulo 2^64, and the sum is one of bytes that were there.
                *sum = sum.wrapping_add(bytes.wrapping_sub(earlier));
            }
            earlier = *bytes;
        }
        now
    }

    /// The most that was ever allocated, and after which event; after none where it was so from the beginning.
    pub fn peak(&self) -> (Option<u32>, u64) {
        let before = self.before.iter().sum();
        match self.levels.last().and_then(|level| level.first()) {
            Some(extent) if extent.most > before => (Some(extent.at), extent.most),
            _ => (None, before),
        }
    }

    /// The extent of the events from `from` up to `to`.
    fn extent(&self, from: usize, to: usize) -> Option<Extent> {
        let (mut from, mut to) = (from, to.min(self.allocated.len()));
        let mut found: Option<Extent> = None;
        let mut take = |extent: Extent| found = Some(found.map_or(extent, |found| found.or(extent)));
        let single =
            |place: usize| self.allocated.get(place).map(|bytes| Extent { least: *bytes, most: *bytes, at: at(place) });
        let node = |level: usize, place: usize| match level.checked_sub(1) {
            None => single(place),
            Some(level) => self.levels.get(level).and_then(|nodes| nodes.get(place)).copied(),
        };
        let mut behind: Vec<Extent> = Vec::new();
        for level in 0..=self.levels.len() {
            while from < to && !from.is_multiple_of(FAN) {
                node(level, from).into_iter().for_each(&mut take);
                from += 1;
            }
            while from < to && !to.is_multiple_of(FAN) {
                to -= 1;
                behind.extend(node(level, to));
            }
            if from >= to {
                break;
            }
            (from, to) = (from / FAN, to / FAN);
        }
        // In order, so that of equal ones the first is found.
        behind.into_iter().rev().for_each(&mut take);
        found
    }

    /// The events from `from` up to `to` as at most `count` columns of equally many events.
    pub fn columns(&self, from: u32, to: u32, count: u32) -> Vec<Column> {
        let to = to.min(self.len());
        let events = u64::from(to.saturating_sub(from));
        let count = u64::from(count).min(events);
        let edge = |column: u64| from.saturating_add(u32::try_from(events * column / count.max(1)).unwrap_or(u32::MAX));
        let column = |column: u64| {
            let (start, end) = (edge(column), edge(column + 1));
            let Extent { least, most, at } = self.extent(start as usize, end as usize)?;
            Some(Column { from: start, to: end, least, most, at, composition: self.composition(Some(at)) })
        };
        (0..count).filter_map(column).collect()
    }
}

/// The first event after which more was allocated than reserved.
pub(super) fn above_reserved(timeline: &Timeline, events: &[Event]) -> Option<u32> {
    let mut changes = timeline.reserved.iter().peekable();
    let mut reserved = timeline.reserved_before;
    for (bytes, place) in timeline.allocated.iter().zip(0_u32..).take(events.len()) {
        while let Some((_, level)) = changes.next_if(|(changed, _)| *changed <= place) {
            reserved = *level;
        }
        if *bytes > reserved {
            return Some(place);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A timeline of one category, straight from what is allocated.
    fn of(allocated: &[u64]) -> Timeline {
        let mut timeline =
            Timeline { allocated: allocated.to_vec(), lanes: alloc::vec![3; allocated.len()], ..Timeline::default() };
        for (place, _) in allocated.iter().enumerate().step_by(STRIDE) {
            let sum = place.checked_sub(1).map_or(0, |place| allocated[place]);
            timeline.kept.push([0, 0, 0, sum, 0, 0]);
        }
        timeline.raise();
        timeline
    }

    /// Numbers that look random, always the same.
    fn noise(count: u64) -> Vec<u64> {
        (0..count).map(|n| (n * 2_654_435_761) % 10_007).collect()
    }

    #[test]
    fn any_stretch_has_the_extent_of_its_events() {
        for count in [1, 7, 8, 9, 64, 65, 513, 5_000] {
            let allocated = noise(count);
            let timeline = of(&allocated);
            let count = allocated.len();
            for (from, to) in
                [(0, count), (0, 1), (count / 3, count), (count / 3, 2 * count / 3 + 1), (count - 1, count)]
            {
                let extent = timeline.extent(from, to).unwrap();
                let part = &allocated[from..to];
                assert_eq!((extent.least, extent.most), (*part.iter().min().unwrap(), *part.iter().max().unwrap()));
                let first = part.iter().position(|bytes| *bytes == extent.most).unwrap() + from;
                assert_eq!(extent.at as usize, first);
            }
        }
        assert_eq!(of(&noise(9)).extent(5, 5), None);
    }

    #[test]
    fn columns_cover_all_events_once() {
        let allocated = noise(1_000);
        let timeline = of(&allocated);
        let columns = timeline.columns(10, 990, 37);
        assert_eq!(columns.len(), 37);
        assert_eq!((columns[0].from, columns[36].to), (10, 990));
        assert!(columns.windows(2).all(|pair| pair[0].to == pair[1].from));
        for column in &columns {
            assert_eq!(column.composition, [0, 0, 0, column.most, 0, 0]);
        }
        assert_eq!(timeline.columns(0, 5, 100).len(), 5);
        assert!(timeline.columns(5, 5, 100).is_empty() && timeline.columns(9, 5, 100).is_empty());
        assert!(of(&[]).columns(0, 10, 10).is_empty());
    }

    #[test]
    fn the_composition_is_that_of_its_event_and_not_of_the_one_before() {
        let allocated = noise(700);
        let timeline = of(&allocated);
        for event in [0, 1, 255, 256, 257, 511, 512, 699] {
            assert_eq!(timeline.composition(Some(event))[3], allocated[event as usize], "{event}");
        }
        assert_eq!(timeline.composition(None), [0; 6]);
    }
}
