//! From events to allocations: when each tensor came and went, what was there before, and whether the trace fits the segments.

use alloc::vec::Vec;

use hashbrown::{HashMap, HashSet};

use super::Window;
use super::category::{Category, Kind, Kinds, Standing, guess};
use super::frames::StackId;
use super::gather::{Action, Event};
use super::segments::{BlockState, Segment};
use super::timeline::{self, Timeline};

/// One tensor's memory, from its allocation to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Bytes, as they were asked for.
    pub size: u64,
    /// The event that allocated it; nothing where it was there before.
    pub start: Option<u32>,
    /// The event that freed it; nothing where it is still there.
    pub end: Option<u32>,
    /// Where it was allocated.
    pub stack: StackId,
    /// What it is.
    pub category: Category,
    /// Whether the category is a guess, and not the file's own word.
    pub is_guessed: bool,
}

impl Allocation {
    /// Whether it is there after an event; before the first one for nothing.
    pub fn lives_after(&self, event: Option<u32>) -> bool {
        self.start.is_none_or(|start| event.is_some_and(|event| start <= event))
            && self.end.is_none_or(|end| event.is_none_or(|event| event < end))
    }
}

/// How well a trace fits what the segments say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fit {
    /// The file says that its trace overflowed.
    pub overflowed: bool,
    /// Tensors that the trace leaves alive and that lie in no block, and blocks that it says are free; none in a whole trace.
    pub strangers: u32,
    /// Addresses that were handed out twice without having been freed.
    pub repeated: u32,
    /// An event after which more was allocated than reserved, which cannot be.
    pub above_reserved: Option<u32>,
    /// Requests that the driver refused.
    pub refusals: u32,
}

impl Fit {
    /// Whether events are missing.
    pub const fn is_incomplete(&self) -> bool {
        self.overflowed || self.strangers > 0 || self.repeated > 0 || self.above_reserved.is_some()
    }
}

/// What happened on a device while it was recorded.
#[derive(Debug)]
pub struct Trace {
    /// All events in order.
    pub events: Vec<Event>,
    /// All tensors, those from before recording last.
    pub allocations: Vec<Allocation>,
    /// Allocated memory over time.
    pub timeline: Timeline,
    /// Whether it can be believed.
    pub fit: Fit,
    /// Whether any event has a stack.
    pub has_stacks: bool,
    /// The optimizer took a step and its states were there already: they are among the weights.
    pub states_are_older: bool,
    /// What each event does, by the stack that it has.
    pub(super) kinds: Vec<Kind>,
}

struct Live {
    allocation: u32,
    from: Standing,
    backward_before: u32,
}

impl Trace {
    pub(super) fn of(
        events: Vec<Event>,
        segments: &[Segment],
        kinds: &Kinds,
        windows: &[Window],
        overflowed: bool,
    ) -> Self {
        let mut fit = Fit { overflowed, ..Fit::default() };
        let mut allocations: Vec<Allocation> = Vec::new();
        let mut older: Vec<Allocation> = Vec::new();
        let mut of_event: Vec<u32> = Vec::with_capacity(events.len());
        let mut live: HashMap<u64, Live> = HashMap::new();
        // Given back and not yet free again, and all addresses that the trace names.
        let (mut freed, mut named): (HashSet<u64>, HashSet<u64>) = (HashSet::new(), HashSet::new());
        let mut backward: u32 = 0;
        let mut stepped = false;
        let event_kinds: Vec<Kind> = events.iter().map(|event| kinds.kind(event.stack)).collect();
        for ((event, kind), place) in events.iter().zip(&event_kinds).zip(0_u32..) {
            let standing = Standing::of(*kind, event.time_us, windows);
            backward += u32::from(*kind == Kind::Backward);
            stepped |= standing.in_step || *kind == Kind::Step;
            let mut subject = u32::MAX;
            let end = |live: Live, by: Option<Standing>, allocations: &mut Vec<Allocation>| {
                if let Some(allocation) = allocations.get_mut(live.allocation as usize) {
                    allocation.end = by.map(|_| place);
                    if allocation.is_guessed {
                        allocation.category = guess(Some(live.from), by, backward != live.backward_before);
                    }
                }
                live.allocation
            };
            match event.action {
                Action::Alloc => {
                    named.insert(event.address);
                    freed.remove(&event.address);
                    subject = u32::try_from(allocations.len()).unwrap_or(u32::MAX);
                    let now = Live { allocation: subject, from: standing, backward_before: backward };
                    allocations.push(Allocation {
                        size: event.size,
                        start: Some(place),
                        end: None,
                        stack: event.stack,
                        category: event.category.unwrap_or(Category::Other),
                        is_guessed: event.category.is_none(),
                    });
                    // What lay there was never freed: events are missing, and it stays to the end.
                    if let Some(lost) = live.insert(event.address, now) {
                        fit.repeated += 1;
                        end(lost, None, &mut allocations);
                    }
                }
                Action::FreeRequested | Action::FreeCompleted => {
                    named.insert(event.address);
                    if let Some(known) = live.remove(&event.address) {
                        subject = end(known, Some(standing), &mut allocations);
                        freed.insert(event.address);
                    } else if event.action == Action::FreeRequested && freed.insert(event.address) {
                        // Counted from the end, since the list of those from before is put behind the others.
                        subject = OLDER | u32::try_from(older.len()).unwrap_or(0);
                        older.push(Allocation {
                            size: event.size,
                            start: None,
                            end: Some(place),
                            stack: StackId::NONE,
                            category: event.category.unwrap_or_else(|| guess(None, Some(standing), false)),
                            is_guessed: event.category.is_none(),
                        });
                    }
                    if event.action == Action::FreeCompleted {
                        freed.remove(&event.address);
                    }
                }
                Action::OutOfMemory => fit.refusals += 1,
                _ => {}
            }
            of_event.push(subject);
        }
        let blocks = || segments.iter().flat_map(|segment| &segment.blocks);
        for block in blocks().filter(|block| block.state == BlockState::Allocated) {
            if live.contains_key(&block.address) {
                continue;
            }
            // The trace says that it is free.
            fit.strangers += u32::from(named.contains(&block.address));
            let category = guess(None, None, false);
            let (size, stack) = (block.requested, block.stack);
            older.push(Allocation { size, start: None, end: None, stack, category, is_guessed: true });
        }
        if !segments.is_empty() {
            let taken = blocks().filter(|block| block.state == BlockState::Allocated).map(|block| block.address);
            let taken: HashSet<u64> = taken.collect();
            let strangers = live.keys().filter(|address| !taken.contains(*address)).count();
            fit.strangers = fit.strangers.saturating_add(u32::try_from(strangers).unwrap_or(u32::MAX));
        }
        for rest in live.into_values() {
            if let Some(allocation) = allocations.get_mut(rest.allocation as usize)
                && allocation.is_guessed
            {
                allocation.category = guess(Some(rest.from), None, backward != rest.backward_before);
            }
        }
        let count = u32::try_from(allocations.len()).unwrap_or(u32::MAX);
        for subject in of_event.iter_mut().filter(|subject| **subject != u32::MAX && **subject & OLDER != 0) {
            *subject = count.saturating_add(*subject & !OLDER);
        }
        allocations.extend(older);
        let reserved = segments.iter().fold(0_u64, |sum, segment| sum.saturating_add(segment.size));
        let timeline = Timeline::of(&events, &allocations, &of_event, reserved);
        if !segments.is_empty() {
            fit.above_reserved = timeline::above_reserved(&timeline, &events);
        }
        let has_states = allocations.iter().any(|it| it.category == Category::Optimizer);
        Self {
            has_stacks: events.iter().any(|event| event.stack != StackId::NONE),
            states_are_older: stepped && !has_states,
            kinds: event_kinds,
            events,
            allocations,
            timeline,
            fit,
        }
    }
}

/// Marks a number that counts among those from before recording.
const OLDER: u32 = 1 << 31;
