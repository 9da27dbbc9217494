//! An estimate held against a measurement: what PyTorch allocated, what it reserved, what the driver says is used.
//!
//! [`read`] finds these three in what a reader pastes, [`suspect`] says which single setting would explain a gap, and [`candidates`]
//! which tensors have the size of the request that a run died of.

mod read;
mod request;
mod suspect;

use crate::memory::overhead::CONTEXT_BYTES;
use crate::units::Bytes;

pub use read::{Found, LONGEST, MOST, Paste, read, size};
pub use request::{Candidate, Request, Tensor, candidates, looked_at};
pub use suspect::{Suspect, suspect};

/// What was measured; nothing where it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// What tensors took at the peak, `torch.cuda.max_memory_allocated()`; of a run that died, what they took then.
    pub allocated: Option<Bytes>,
    /// What the run asked for when it died.
    pub asked: Option<Bytes>,
    /// The memory that PyTorch's allocator had reserved for them: `torch.cuda.max_memory_reserved()`.
    pub reserved: Option<Bytes>,
    /// What the driver says is used: `nvidia-smi`.
    pub used: Option<Bytes>,
}

impl Reading {
    /// What tensors need: what they took at the peak; of a run that died, at least what they took and what it asked for.
    pub fn need(&self) -> Option<Bytes> {
        Some(self.allocated? + self.asked.unwrap_or_default())
    }
}

choices! {
    /// A row between an estimate and what the driver says: levels, and what leads from one to the next.
    Row {
        /// The tensors of the estimate.
        Estimate = "estimate";
        /// What the estimate left out, or counted too much: temporaries, or a setting that is another one.
        Unexplained = "unexplained";
        /// What was allocated at the peak; of a run that died, what it held and asked for.
        Allocated = "allocated";
        /// What PyTorch held beyond its tensors: cache and fragmentation.
        Kept = "kept";
        /// What was reserved at the peak.
        Reserved = "reserved";
        /// Outside PyTorch: the context, libraries, other processes.
        Outside = "outside";
        /// What the driver says is used.
        Used = "used";
    }
}

/// A row as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where it begins: nothing for a level, the level before for a step.
    pub from: Bytes,
    /// Where it ends; below its beginning for a step down.
    pub to: Bytes,
    /// Whether it is expected rather than measured.
    pub expected: bool,
}

impl Span {
    /// How long it is.
    pub fn bytes(&self) -> Bytes {
        self.to.minus(self.from).magnitude()
    }
}

/// A row between an estimate and a measurement; `None` where a number that it needs is missing.
///
/// # Formula
/// unexplained = need − tensors of the estimate, where the need is what was allocated at the peak, or what a run that died held and asked for;
/// kept = reserved − allocated; outside = used − reserved.
/// Where the driver's number is missing, the context is expected outside, as the estimate counts it.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// `estimate` is the engine's sum, its context included. Two peaks need not fall together, so "kept" is what PyTorch
/// held free at most when most was allocated; all of it is not fragmentation.
///
/// # Source
/// The arithmetic of the three numbers as PyTorch's documentation defines them ("CUDA semantics", memory management).
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, profile::{Reading, Row, span}};
/// let reading = Reading { allocated: Some(Bytes(12 << 30)), reserved: Some(Bytes(13 << 30)), ..Reading::default() };
/// let kept = span(Bytes(11 << 30), &reading, Row::Kept).unwrap();
/// assert_eq!((kept.from, kept.to), (Bytes(12 << 30), Bytes(13 << 30)));
/// assert!(span(Bytes(11 << 30), &reading, Row::Used).unwrap().expected);
/// ```
pub fn span(estimate: Bytes, reading: &Reading, row: Row) -> Option<Span> {
    let tensors = estimate - Bytes(CONTEXT_BYTES.into());
    let Reading { allocated, reserved, used, .. } = *reading;
    // What stands outside begins at the outermost of PyTorch's own levels that is known.
    let inner = reserved.or(allocated);
    let outer = used.or_else(|| Some(inner? + Bytes(CONTEXT_BYTES.into())));
    let (from, to) = match row {
        Row::Estimate => (Bytes::ZERO, Some(tensors)),
        Row::Unexplained => (tensors, reading.need()),
        Row::Allocated => (Bytes::ZERO, reading.need()),
        Row::Kept => (allocated?, reserved),
        Row::Reserved => (Bytes::ZERO, reserved),
        Row::Outside => (inner?, outer),
        Row::Used => (Bytes::ZERO, outer),
    };
    let expected = row == Row::Estimate || matches!(row, Row::Outside | Row::Used) && used.is_none();
    Some(Span { from, to: to?, expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u128 = 1 << 30;

    #[test]
    fn rows_lead_from_the_estimate_to_the_driver() {
        let reading = Reading {
            allocated: Some(Bytes(9 * GIB)),
            asked: None,
            reserved: Some(Bytes(12 * GIB)),
            used: Some(Bytes(13 * GIB)),
        };
        let rows = Row::ALL.iter().map(|row| span(Bytes(10 * GIB + GIB / 2), &reading, *row).unwrap());
        let ends = rows.map(|span| (span.from.0 / GIB, span.to.0 / GIB));
        assert!(ends.eq([(0, 10), (10, 9), (0, 9), (9, 12), (0, 12), (12, 13), (0, 13)]));
    }

    #[test]
    fn a_run_that_died_needed_what_it_held_and_what_it_asked_for() {
        let held = Reading { allocated: Some(Bytes(20 * GIB)), reserved: Some(Bytes(21 * GIB)), ..Reading::default() };
        let reading = Reading { asked: Some(Bytes(2 * GIB)), ..held };
        let end = |row| span(Bytes(GIB), &reading, row).unwrap();
        assert_eq!((end(Row::Allocated).to, end(Row::Unexplained).to), (Bytes(22 * GIB), Bytes(22 * GIB)));
        // What PyTorch kept free lies beyond what it held, not beyond what it could not get.
        assert_eq!((end(Row::Kept).from, end(Row::Kept).to), (Bytes(20 * GIB), Bytes(21 * GIB)));
        assert_eq!(held.need(), Some(Bytes(20 * GIB)));
    }

    #[test]
    fn what_is_missing_has_no_row_or_an_expected_one() {
        let nothing = Reading::default();
        for row in Row::ALL {
            assert_eq!(span(Bytes(GIB), &nothing, *row).is_some(), *row == Row::Estimate);
        }
        let alone = Reading { allocated: Some(Bytes(GIB)), ..nothing };
        assert_eq!(span(Bytes(GIB), &alone, Row::Kept), None);
        assert_eq!(span(Bytes(GIB), &alone, Row::Outside).unwrap().bytes(), Bytes(CONTEXT_BYTES.into()));
        // An estimate smaller than the context, and numbers that contradict each other.
        let odd = Reading {
            allocated: Some(Bytes(5)),
            reserved: Some(Bytes(3)),
            used: Some(Bytes(1)),
            asked: Some(Bytes(9)),
        };
        for row in Row::ALL {
            assert!(span(Bytes(7), &odd, *row).is_some());
        }
    }
}
