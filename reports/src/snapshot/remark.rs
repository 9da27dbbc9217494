//! What a reader of a trace should know before believing it.

use alloc::vec::Vec;
use core::fmt;

use super::lifetimes::Trace;

/// Something that limits what a trace says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark {
    /// Nothing was recorded.
    NoTrace,
    /// The trace is a ring buffer that overflowed.
    Overflowed,
    /// Events are missing: tensors do not fit the blocks of the segments.
    DoesNotFit {
        /// Tensors without a block, blocks without a tensor, and addresses that were handed out twice.
        tensors: u32,
    },
    /// More was allocated than was reserved, which cannot be.
    AboveReserved {
        /// The first event after which it was so.
        event: u32,
    },
    /// No event says where it comes from.
    NoStacks,
    /// What tensors are is a guess.
    Guessed,
    /// The optimizer's states were there before recording began.
    StatesAmongWeights,
    /// The driver refused requests.
    Refusals(u32),
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTrace => f.write_str(
                "No trace: torch.cuda.memory._record_memory_history() was not on. Segments and their sums are complete all the same.",
            ),
            Self::Overflowed => f.write_str(
                "Trace incomplete: it overflowed and lost its beginning. A larger max_entries of _record_memory_history() keeps more.",
            ),
            Self::DoesNotFit { tensors } => write!(
                f,
                "Trace incomplete: {tensors} of its tensors do not fit the segments, so events are missing. The sums of the segments are right."
            ),
            Self::AboveReserved { event } => write!(
                f,
                "Trace incomplete: after event {event} it has more allocated than was reserved, which cannot be. The sums of the segments are right."
            ),
            Self::NoStacks => f.write_str("No stacks were recorded, so that little can be said of what tensors are."),
            Self::Guessed => f.write_str("Categories are guessed from stacks and lifetimes."),
            Self::StatesAmongWeights => f.write_str(
                "The optimizer's states were there before recording began; they are counted with the weights.",
            ),
            Self::Refusals(count) => write!(f, "The driver refused {count} requests: out of memory."),
        }
    }
}

impl Trace {
    /// What to know before believing the trace, the most important first.
    pub fn remarks(&self) -> Vec<Remark> {
        if self.events.is_empty() {
            return Vec::from([Remark::NoTrace]);
        }
        let fit = &self.fit;
        let tensors = fit.strangers.saturating_add(fit.repeated);
        let said = [
            (fit.refusals > 0).then_some(Remark::Refusals(fit.refusals)),
            fit.overflowed.then_some(Remark::Overflowed),
            (tensors > 0).then_some(Remark::DoesNotFit { tensors }),
            fit.above_reserved.map(|event| Remark::AboveReserved { event }),
            (!self.has_stacks).then_some(Remark::NoStacks),
            self.states_are_older.then_some(Remark::StatesAmongWeights),
            self.allocations.iter().any(|it| it.is_guessed).then_some(Remark::Guessed),
        ];
        said.into_iter().flatten().collect()
    }

    /// The last event up to a time in microseconds, if events have times.
    pub fn event_at(&self, time_us: u64) -> Option<u32> {
        let passed = self.events.partition_point(|event| event.time_us <= time_us);
        passed.checked_sub(1).and_then(|event| u32::try_from(event).ok())
    }
}
