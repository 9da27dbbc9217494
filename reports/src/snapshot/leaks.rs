//! What only grows: places in the program that allocate again and again and never free.

use alloc::vec::Vec;

use crate::order::sorted;

use super::category::{Category, Kind};
use super::frames::{FrameId, Frames, StackId};
use super::lifetimes::Trace;

/// A place whose tensors stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leak {
    /// Where they were allocated.
    pub stack: StackId,
    /// The line of the reader's own code there.
    pub line: Option<FrameId>,
    /// Bytes that stay.
    pub bytes: u64,
    /// Tensors that stay.
    pub count: u32,
    /// Parts of the trace in which it grew: steps of the optimizer where there are enough of them, or else quarters.
    pub grew_in: u32,
    /// All such parts.
    pub parts: u32,
    /// What each part in which it grew left behind: the least and the most.
    pub growth: [u64; 2],
    /// Whether the parts are steps of the optimizer, and not quarters.
    pub by_step: bool,
}

/// Quarters, where the optimizer's steps do not cut the trace.
const QUARTERS: u32 = 4;
/// Steps that are needed to call something that grows with each a leak.
const FEWEST_STEPS: u32 = 3;

#[derive(Default)]
struct Place {
    stays: u64,
    count: u32,
    freed: u32,
    last_part: Option<u32>,
    grew_in: u32,
    /// What the last part left behind, and what those before it did.
    grows: u64,
    growth: Option<[u64; 2]>,
}

impl Place {
    /// A tensor that stays.
    fn stays(&mut self, size: u64, part: u32) {
        self.stays = self.stays.saturating_add(size);
        self.count += 1;
        if self.last_part == Some(part) {
            self.grows = self.grows.saturating_add(size);
            return;
        }
        self.growth = self.growth();
        self.grew_in += 1;
        (self.last_part, self.grows) = (Some(part), size);
    }

    /// What each part left behind so far.
    fn growth(&self) -> Option<[u64; 2]> {
        self.last_part?;
        let [least, most] = self.growth.unwrap_or([self.grows; 2]);
        Some([least.min(self.grows), most.max(self.grows)])
    }
}

/// Where each part of a trace ends, and whether the parts are steps.
fn parts(trace: &Trace) -> (Vec<u32>, bool) {
    let mut ends = Vec::new();
    let mut inside = false;
    for (kind, place) in trace.kinds.iter().zip(0_u32..) {
        // A step ends where work goes on after it.
        match kind {
            Kind::Step => inside = true,
            Kind::Forward | Kind::Backward if inside => {
                inside = false;
                ends.push(place);
            }
            _ => {}
        }
    }
    let events = trace.timeline.len();
    ends.push(events);
    if ends.len() > FEWEST_STEPS as usize {
        return (ends, true);
    }
    let end = |part: u32| u32::try_from(u64::from(events) * u64::from(part) / u64::from(QUARTERS)).unwrap_or(events);
    ((1..=QUARTERS).map(end).collect(), false)
}

/// Places that allocated in nearly every part of the trace and freed nothing, from the largest on.
///
/// States of an optimizer and gradients come once and stay; they are none. Where most of what comes stays, the trace ends in the middle
/// of something, such as a forward pass whose activations wait for the backward pass: then nothing is a leak.
pub fn leaks(trace: &Trace, frames: &Frames) -> Vec<Leak> {
    let (ends, by_step) = parts(trace);
    let mut places: Vec<Place> = Vec::new();
    places.resize_with(frames.stacks(), Place::default);
    let (mut stays, mut gone): (u64, u64) = (0, 0);
    let counted =
        |category: Category| !matches!(category, Category::Weights | Category::Gradients | Category::Optimizer);
    for it in trace.allocations.iter().filter(|it| it.stack != StackId::NONE && counted(it.category)) {
        let Some(start) = it.start else { continue };
        let Some(place) = places.get_mut(it.stack.0 as usize) else { continue };
        if it.end.is_some() {
            gone = gone.saturating_add(it.size);
            place.freed += 1;
            continue;
        }
        stays = stays.saturating_add(it.size);
        let part = u32::try_from(ends.partition_point(|end| *end <= start)).unwrap_or(u32::MAX);
        place.stays(it.size, part);
    }
    if stays > gone {
        return Vec::new();
    }
    let parts = u32::try_from(ends.len()).unwrap_or(u32::MAX);
    let grows = |place: &Place| place.freed == 0 && place.count >= FEWEST_STEPS && place.grew_in + 1 >= parts;
    let leaks: Vec<Leak> = places
        .into_iter()
        .zip(0_u32..)
        .map(|(place, stack)| (StackId(stack), place))
        .filter(|(_, place)| grows(place))
        .map(|(stack, place)| Leak {
            stack,
            line: frames.line_of(stack),
            bytes: place.stays,
            count: place.count,
            growth: place.growth().unwrap_or_default(),
            grew_in: place.grew_in,
            parts,
            by_step,
        })
        .collect();
    sorted(leaks, |leak| (!leak.bytes, leak.stack.0.into()))
}
