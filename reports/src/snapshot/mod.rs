//! PyTorch's memory snapshots: what `torch.cuda.memory._dump_snapshot` writes, of every version, as a pickle or as JSON.
//!
//! Totals come from the segments, which are always complete. The trace is a ring buffer: what happened before it began is told from what it lacks,
//! and where it doesn't fit the segments that is said. Which category a tensor belongs to is guessed from stacks and lifetimes ([`category`]).

mod at_peak;
#[cfg(feature = "estimate")]
pub mod beside;
pub mod category;
mod flame;
mod frames;
mod gather;
mod leaks;
mod lifetimes;
mod peak;
mod profiler;
mod refused;
mod remark;
mod schema;
mod segments;
mod timeline;

use alloc::string::String;
use alloc::vec::Vec;
use core::mem::take;
use core::ops::Range;

pub use at_peak::{Alike, AtPeak};
pub use category::{CATEGORIES, Category};
pub use flame::{Flame, FlameNode, Node};
pub use frames::{Frame, FrameId, Frames, StackId};
pub use gather::{Action, Event};
pub use leaks::{Leak, leaks};
pub use lifetimes::{Allocation, Fit, Trace};
pub use peak::{Moment, Peak, Top};
pub use profiler::MemoryTimeline;
pub use refused::{Refused, not_read};
pub use remark::Remark;
pub use segments::{Block, BlockState, Segment, Totals};
pub use timeline::{Column, Composition, Timeline};

use crate::order::sorted;
use gather::Gathered;

/// The beginning or the end of a stretch of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Its name: `Optimizer.step#AdamW.step`.
    pub name: String,
    /// Whether it begins here.
    pub is_start: bool,
    /// The device.
    pub device: u64,
    /// Microseconds since 1970.
    pub time_us: u64,
}

/// One device of a snapshot.
#[derive(Debug)]
pub struct Device {
    /// Its number.
    pub number: u64,
    /// Its segments in the order of their addresses.
    pub segments: Vec<Segment>,
    /// The sums over them.
    pub totals: Totals,
    /// What happened on it while it was recorded.
    pub trace: Trace,
}

impl Device {
    /// The segments in the order of what fragmentation keeps in them: those that hold a tensor and most free memory first, those
    /// without a tensor last, since they can be given back.
    pub fn fragmented(&self) -> Vec<&Segment> {
        sorted(self.segments.iter().collect(), |segment: &&Segment| {
            (u64::from(!segment.is_used()), u64::MAX - segment.bytes(BlockState::Free))
        })
    }
}

/// A memory snapshot.
#[derive(Debug)]
pub struct Snapshot {
    /// Frames and stacks.
    pub frames: Frames,
    /// The devices that hold or did anything.
    pub devices: Vec<Device>,
    /// The allocator's settings, as the file gives them.
    pub settings: Vec<(String, String)>,
    /// Stretches of the program that PyTorch marked.
    pub annotations: Vec<Annotation>,
    /// Whether the file says what tensors asked for; without it rounding is not known.
    pub has_requests: bool,
}

impl Snapshot {
    /// Reads a snapshot.
    ///
    /// # Errors
    /// It is no snapshot, it is broken, it would run code, or it is too large.
    pub fn read(input: &[u8]) -> Result<Self, Refused> {
        if let Some(kind) = not_read(input) {
            return Err(Refused::Other(kind));
        }
        let mut gathered = Gathered::default();
        let parts = {
            let (values, root) = crate::values::read(input, &mut gathered)?;
            schema::parts(&values, root)?
        };
        let Gathered { mut frames, mut events, .. } = gathered;
        schema::believable(&parts, &events)?;
        frames.seal();
        let mut parts_of: Vec<(u64, Vec<Segment>, Range<usize>)> = Vec::new();
        for segment in sorted(parts.segments, |segment| (segment.device, segment.address)) {
            match parts_of.last_mut().filter(|(device, ..)| *device == segment.device) {
                Some((_, segments, _)) => segments.push(segment),
                None => parts_of.push((segment.device, Vec::from([segment]), 0..0)),
            }
        }
        for (range, device) in parts.traces.into_iter().zip(0_u64..).filter(|(range, _)| !range.is_empty()) {
            match parts_of.binary_search_by_key(&device, |(known, ..)| *known) {
                Ok(place) => _ = parts_of.get_mut(place).map(|part| part.2 = range),
                Err(place) => parts_of.insert(place, (device, Vec::new(), range)),
            }
        }
        let kinds = category::Kinds::of(&frames);
        let overflowed = is_full(&parts.settings);
        let mut devices = Vec::new();
        // From the last on, so that events are split off and not copied.
        let order = sorted(parts_of, |(_, _, range)| (!(range.end as u64), 0));
        for (number, segments, range) in order {
            let segments = sorted(segments, |segment| (segment.address, segment.size));
            events.truncate(range.end);
            let own = if range.start == 0 { take(&mut events) } else { events.split_off(range.start) };
            let trace = Trace::of(own, &segments, &kinds, &windows(&parts.annotations, number), overflowed);
            devices.push(Device { number, totals: Totals::of(&segments), segments, trace });
        }
        let devices = sorted(devices, |device| (device.number, 0));
        Ok(Self {
            frames,
            devices,
            settings: parts.settings,
            annotations: parts.annotations,
            has_requests: parts.has_requests,
        })
    }

    /// The device that reserved most.
    pub fn fullest(&self) -> Option<&Device> {
        self.devices.iter().max_by_key(|device| (device.totals.reserved, device.trace.events.len()))
    }
}

/// Whether the file itself says that its trace lacks the beginning.
fn is_full(settings: &[(String, String)]) -> bool {
    settings.iter().any(|(name, value)| name == "trace_alloc_overflowed" && value == "true")
}

/// A stretch of the program that says what its allocations are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Whether the optimizer takes its step, or else gradients are dropped.
    is_step: bool,
    start_us: u64,
    end_us: u64,
}

/// The optimizer's stretches on a device, in order.
fn windows(annotations: &[Annotation], device: u64) -> Vec<Window> {
    let mut windows: Vec<Window> = Vec::new();
    let mut open: Option<(&str, u64)> = None;
    for annotation in annotations.iter().filter(|annotation| annotation.device == device) {
        let is_step = annotation.name.starts_with("Optimizer.step");
        if !is_step && !annotation.name.starts_with("Optimizer.zero_grad") {
            continue;
        }
        match open {
            _ if annotation.is_start => open = Some((&annotation.name, annotation.time_us)),
            Some((name, start_us)) if name == annotation.name => {
                windows.push(Window { is_step, start_us, end_us: annotation.time_us });
                open = None;
            }
            _ => {}
        }
    }
    sorted(windows, |window| (window.start_us, window.end_us))
}
