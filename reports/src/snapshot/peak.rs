//! The fullest moment: when it was, in which phase of the step, and what took most.

use alloc::vec::Vec;

use crate::order::sorted;

use super::category::{CATEGORIES, Category, Kind};
use super::frames::{FrameId, Frames, StackId};
use super::lifetimes::Trace;
use super::timeline::Composition;

/// What the program was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before the first event.
    Before,
    /// The forward pass.
    Forward,
    /// The backward pass.
    Backward,
    /// The optimizer's step.
    OptimizerStep,
    /// Something else, or it is not known.
    Elsewhere,
}

impl Moment {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Before, Self::Forward, Self::Backward, Self::OptimizerStep, Self::Elsewhere];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Before => "before recording",
            Self::Forward => "forward pass",
            Self::Backward => "backward pass",
            Self::OptimizerStep => "optimizer step",
            Self::Elsewhere => "elsewhere",
        }
    }
}

/// The moment with the most allocated memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peak {
    /// The event after which it was; nothing where it was before the first one.
    pub event: Option<u32>,
    /// What was allocated, as it was asked for.
    pub bytes: u64,
    /// What blocks took for that, rounded up as PyTorch does by default.
    pub rounded: u64,
    /// What was reserved.
    pub reserved: u64,
    /// What it consisted of.
    pub composition: Composition,
    /// What the program was doing.
    pub moment: Moment,
}

/// A tensor, or several of one size from one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Top {
    /// Bytes of all of them.
    pub bytes: u64,
    /// How many.
    pub count: u32,
    /// What they are.
    pub category: Category,
    /// Where they were allocated.
    pub stack: StackId,
    /// The line of the reader's own code there.
    pub line: Option<FrameId>,
}

/// Blocks are multiples of this.
const ROUNDING: u64 = 512;

impl Trace {
    /// The fullest moment.
    pub fn peak(&self) -> Peak {
        let (event, bytes) = self.timeline.peak();
        let live = self.allocations.iter().filter(|it| it.lives_after(event));
        Peak {
            event,
            bytes,
            rounded: live.fold(0, |sum, it| sum + it.size.next_multiple_of(ROUNDING)),
            reserved: self.timeline.reserved(event),
            composition: self.timeline.composition(event),
            moment: self.moment(event),
        }
    }

    /// What the program was doing at an event.
    pub fn moment(&self, event: Option<u32>) -> Moment {
        let Some(event) = event else { return Moment::Before };
        match self.kinds.get(event as usize) {
            Some(Kind::Forward) => Moment::Forward,
            Some(Kind::Backward) => Moment::Backward,
            Some(Kind::Step) => Moment::OptimizerStep,
            _ => Moment::Elsewhere,
        }
    }

    /// What took most after an event, by the place that allocated it, from the largest on.
    pub fn top(&self, frames: &Frames, event: Option<u32>, count: usize) -> Vec<Top> {
        // One place for each category of each stack, and behind them those of no stack.
        let mut sums: Vec<(u64, u32)> = alloc::vec![(0, 0); (frames.stacks() + 1) * CATEGORIES.len()];
        for it in self.allocations.iter().filter(|it| it.lives_after(event)) {
            let stack = frames.stacks().min(it.stack.0 as usize);
            if let Some((bytes, count)) = sums.get_mut(stack * CATEGORIES.len() + it.category.place()) {
                *bytes += it.size;
                *count += 1;
            }
        }
        let stacks = (0..).take(frames.stacks()).map(StackId).chain([StackId::NONE]);
        let places = stacks.flat_map(|stack| CATEGORIES.map(|category| (stack, category)));
        let all = places
            .zip(sums)
            .filter(|(_, (_, count))| *count > 0)
            .map(|((stack, category), (bytes, count))| Top { bytes, count, category, stack, line: None });
        let mut all = sorted(all.collect(), |top: &Top| (!top.bytes, 0));
        all.truncate(count);
        for top in &mut all {
            top.line = frames.line_of(top.stack);
        }
        all
    }
}
