//! The operations of a pass by what they are for: the rows of a table.

use super::operations::{Kernels, Listing, Operation, Unit};
use super::rates::Rates;
use super::{Bound, Pass, Task, Work};
use crate::checked::Checked;
use crate::tables::gpus::Gpu;
use crate::units::Seconds;

/// Seconds of the bound that each kind of operation takes, longest first, with its FLOPs and bytes: a table's rows.
pub fn by_task(scenario: &Checked, gpu: &Gpu, pass: Pass, kernels: Kernels) -> [Option<TaskTotal>; Task::ALL.len()] {
    let rates = Rates::of(scenario, gpu);
    let listing = Listing { kernels, ..Listing::new(scenario, gpu, pass) };
    let mut rows = [None::<TaskTotal>; Task::ALL.len()];
    listing.each(&mut |operation| {
        let row = rows.iter_mut().find(|row| row.is_none_or(|row| row.task == operation.task));
        if let Some(row) = row {
            let mut total =
                row.unwrap_or_else(|| TaskTotal::new(operation.task, operation.unit, rates.bound(operation)));
            total.add(operation, &rates);
            *row = Some(total);
        }
    });
    // Each row moves up past the shorter ones: two dozen at most, and the library's sorting is much program for a page.
    let seconds = |row: Option<&Option<TaskTotal>>| row.copied().flatten().map_or(-1.0, |row| row.lower.0);
    for start in 1..rows.len() {
        let mut place = start;
        while place > 0 && seconds(rows.get(place)) > seconds(rows.get(place - 1)) {
            rows.swap(place, place - 1);
            place -= 1;
        }
    }
    rows
}

/// All operations of one kind in a pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaskTotal {
    /// The kind.
    pub task: Task,
    /// What they run on.
    pub unit: Unit,
    /// What holds most of their time back.
    pub bound: Bound,
    /// How many.
    pub times: u64,
    /// What they do together.
    pub work: Work,
    /// Bytes of that which cross to memory.
    pub moved: u128,
    /// The bound on their time.
    pub lower: Seconds,
    held: [Seconds; 3],
}

impl TaskTotal {
    const fn new(task: Task, unit: Unit, bound: Bound) -> Self {
        let (work, held) = (Work { flops: 0, read: 0, written: 0 }, [Seconds::ZERO; 3]);
        Self { task, unit, bound, times: 0, work, moved: 0, lower: Seconds::ZERO, held }
    }

    fn add(&mut self, operation: &Operation, rates: &Rates) {
        let seconds = Seconds(rates.seconds(operation).0 * operation.times as f64);
        let bound = rates.bound(operation);
        if let Some(held) = self.held.get_mut(bound.place()) {
            *held += seconds;
        }
        let most = |one: usize| self.held.iter().all(|other| self.held.get(one).is_some_and(|held| held >= other));
        self.bound = match () {
            () if most(0) => Bound::Memory,
            () if most(1) => Bound::Compute,
            () => Bound::Link,
        };
        self.times += operation.times;
        self.work = self.work + operation.work.times(operation.times);
        self.moved += operation.moved() * u128::from(operation.times);
        self.lower += seconds;
    }
}
