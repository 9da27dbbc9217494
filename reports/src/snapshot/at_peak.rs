//! What a snapshot's fullest moment consisted of, without its trace: as much as an estimate needs that stands beside it.

use alloc::vec::Vec;

use super::Device;
use super::category::Category;
use super::peak::Moment;
use super::timeline::Composition;
use crate::order::sorted;

/// Tensors of one size and category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alike {
    /// What they are.
    pub category: Category,
    /// Bytes of each.
    pub size: u64,
    /// How many.
    pub count: u64,
}

/// Sizes that are told apart.
const MOST: usize = 256;

/// A snapshot's fullest moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtPeak {
    /// What the program was doing.
    pub moment: Moment,
    /// What was allocated, by category.
    pub composition: Composition,
    /// What blocks take beyond what was asked for.
    pub rounding: u64,
    /// Reserved and not allocated.
    pub unused: u64,
    /// Whether the optimizer's states came later.
    pub states_come_later: bool,
    /// Whether they were there before recording began, among the weights.
    pub states_are_older: bool,
    /// Of what is reserved and not allocated at the snapshot's own moment, whether most lies in whole free segments.
    pub is_mostly_cached: bool,
    /// Tensors that may be logits, by size, from the largest on.
    pub large: Vec<Alike>,
}

impl AtPeak {
    /// Of a device; nothing where nothing was recorded.
    pub fn of(device: &Device) -> Option<Self> {
        let (trace, totals) = (&device.trace, &device.totals);
        if trace.events.is_empty() {
            return None;
        }
        let peak = trace.peak();
        let comes_later = |start: Option<u32>| start.is_some_and(|start| peak.event.is_none_or(|peak| start > peak));
        let mut states = trace.allocations.iter().filter(|it| it.category == Category::Optimizer);
        let has_none = peak.composition.get(Category::Optimizer.place()) == Some(&0);
        let may_be_logits = |it: Category| matches!(it, Category::Activations | Category::Temporary | Category::Other);
        let live = trace.allocations.iter().filter(|it| it.lives_after(peak.event) && may_be_logits(it.category));
        let live = sorted(live.collect(), |it| (!it.size, it.category.place() as u64));
        let mut large: Vec<Alike> = Vec::new();
        for it in live {
            let alike = |last: &&mut Alike| (last.category, last.size) == (it.category, it.size);
            if let Some(last) = large.last_mut().filter(alike) {
                last.count += 1;
            } else if large.len() < MOST {
                large.push(Alike { category: it.category, size: it.size, count: 1 });
            } else {
                break;
            }
        }
        Some(Self {
            moment: peak.moment,
            composition: peak.composition,
            rounding: peak.rounded.saturating_sub(peak.bytes),
            unused: peak.reserved.saturating_sub(peak.rounded),
            states_come_later: has_none && states.any(|it| comes_later(it.start)),
            states_are_older: trace.states_are_older,
            is_mostly_cached: totals.cached > totals.fragmented,
            large,
        })
    }

    /// Whether only a training run holds such memory.
    pub fn trains(&self) -> bool {
        let holds = |category: Category| self.composition.get(category.place()).is_some_and(|bytes| *bytes > 0);
        matches!(self.moment, Moment::Backward | Moment::OptimizerStep)
            || holds(Category::Gradients)
            || holds(Category::Optimizer)
    }
}
