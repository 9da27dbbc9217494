//! The numbers of PyTorch's message, and what follows from them alone.

use alloc::vec::Vec;

use super::cause::Cause;
use crate::what::What;
use crate::{Report, Size, Value};

/// The numbers of PyTorch's message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Asked for.
    pub asked: Option<Size>,
    /// Memory of the GPU.
    pub capacity: Option<Size>,
    /// Free on the GPU.
    pub free: Option<Size>,
    /// In use by this process.
    pub process: Option<Size>,
    /// Allocated by PyTorch.
    pub allocated: Option<Size>,
    /// Reserved and not allocated.
    pub reserved_free: Option<Size>,
    /// In use by other processes, together.
    pub others: Option<i64>,
}

/// Whether more is said to be free than the GPU has.
pub(super) fn free_beyond(report: &Report) -> bool {
    let both = report.size(What::Free).zip(report.size(What::Capacity));
    // What is free on several GPUs together may be more than one has.
    let one = report.all(What::Capacity).nth(1).is_none();
    one && both.is_some_and(|(free, capacity)| free.least() > capacity.most())
}

impl Message {
    /// Of a report.
    pub fn of(report: &Report) -> Self {
        let allocated = report.size(What::Allocated);
        // Up to 2.0 the message has the sum.
        let by_sum = report.size(What::Reserved).zip(allocated).map(|(reserved, allocated)| Size {
            bytes: (reserved.bytes - allocated.bytes).max(0),
            grain: reserved.grain.max(allocated.grain),
            floor: false,
        });
        let mut message = Self {
            asked: report.size(What::Requested),
            capacity: report.size(What::Capacity),
            free: report.size(What::Free).filter(|_| !free_beyond(report)),
            // Some drivers tell a container that a process uses nothing.
            process: report
                .size(What::ProcessUsed)
                .filter(|process| allocated.is_none_or(|allocated| process.most() >= allocated.least())),
            allocated,
            reserved_free: report.size(What::ReservedFree).or(by_sum),
            others: None,
        };
        let others: Vec<Size> = report
            .all(What::OtherProcess)
            .filter_map(|fact| if let Value::Size(size) = fact.value { Some(size) } else { None })
            .collect();
        if !others.is_empty() {
            message.others = Some(others.iter().map(|size| size.bytes).fold(0, i64::saturating_add));
        }
        message
    }

    /// Outside PyTorch in this process: the CUDA context, NCCL, libraries.
    pub fn outside(&self) -> Option<i64> {
        Some(self.process?.bytes - self.allocated?.bytes - self.reserved_free?.bytes)
    }

    /// The same where none of the causes says it.
    pub fn outside_unsaid(&self, causes: &[Cause]) -> Option<i64> {
        self.outside().filter(|bytes| !causes.contains(&Cause::Outside { bytes: *bytes }))
    }

    /// What the request lacks even if everything free were in one piece; nothing where it would fit.
    pub fn missing(&self) -> Option<i64> {
        let free = self.free?.most().saturating_add(self.reserved_free.unwrap_or(Size::exact(0)).most());
        Some(self.asked?.least() - free)
    }
}
