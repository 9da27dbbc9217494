//! How much memory a program finds on a GPU, and how that is known.

use core::fmt;

use super::Gpu;
use crate::units::{Bytes, GIB};

/// Where the capacity of a GPU comes from.
///
/// On Linux, PyTorch reports less than `nvidia-smi`: the driver keeps some memory for itself, and newer drivers keep more.
/// On Windows, PyTorch reports the driver's total, but the driver's own part is then missing from what is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CapacityBasis {
    /// `torch.cuda.get_device_properties(0).total_memory` on Linux, or the same figure from CUDA or HIP: out-of-memory messages and server logs print it.
    Torch,
    /// No report names the GPU: the low end of a range, taken from GPUs of the same class.
    Estimated,
    /// Memory that the whole computer shares.
    Shared,
    /// The printed gigabytes, for want of a report.
    Printed,
}

impl CapacityBasis {
    /// In words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Torch => "reported by PyTorch on the device",
            Self::Estimated => "estimated from GPUs of the same class",
            Self::Shared => "printed size, shared with the whole computer",
            Self::Printed => "printed size, no device report found",
        }
    }
}

/// What is known of the capacity of a GPU, to be said in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported {
    basis: CapacityBasis,
    least: Bytes,
    most: Bytes,
}

impl Gpu {
    /// What is known of its capacity.
    pub const fn reported(&self) -> Reported {
        Reported { basis: self.capacity_basis, least: self.capacity, most: self.capacity_most }
    }
}

/// A smallest and a largest capacity in GiB: "23.52 to 23.68 GiB".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    least: Bytes,
    most: Bytes,
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [least, most] = [self.least, self.most].map(|bytes| (bytes.0 * 100 + GIB / 2) / GIB);
        write!(f, "{}.{:02} to {}.{:02} GiB", least / 100, least % 100, most / 100, most % 100)
    }
}

impl Reported {
    /// The range, where more than one figure was seen or an estimate allows for more.
    pub fn range(self) -> Option<Range> {
        (self.least < self.most).then_some(Range { least: self.least, most: self.most })
    }
}

impl fmt::Display for Reported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.basis, self.range()) {
            (CapacityBasis::Torch, None) => f.write_str("The capacity is what PyTorch reports on the device."),
            (CapacityBasis::Torch, Some(range)) => write!(
                f,
                "The capacity is the smallest figure that PyTorch reports on this GPU: {range} were seen, depending on the driver."
            ),
            (CapacityBasis::Estimated, None) => f.write_str("The capacity is estimated from GPUs of the same class."),
            (CapacityBasis::Estimated, Some(range)) => write!(
                f,
                "The capacity is the low end of an estimate, {range}: no report of PyTorch that names this GPU was found."
            ),
            (CapacityBasis::Printed, _) => {
                f.write_str("The capacity of this GPU is its printed number: no report of a device was found.")
            }
            (CapacityBasis::Shared, _) => f.write_str(
                "The capacity is the memory of the whole computer; the system keeps a part of it from the GPU.",
            ),
        }
    }
}

/// Bytes of a number of GiB, as reports print it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the size of a GPU, which is positive and below 2^53"
)]
pub(super) const fn of_gib(gib: f64) -> Bytes {
    Bytes((gib * 1_073_741_824.0) as u128)
}

/// A capacity: a number of bytes, or `[GiB]` where that is what was printed.
macro_rules! capacity {
    ([$gib:literal]) => {
        capacity::of_gib($gib)
    };
    ($bytes:literal) => {
        Bytes($bytes)
    };
}

/// The largest figure beside the smallest; `_` where there is one figure.
macro_rules! capacity_most {
    ($least:tt _) => {
        capacity!($least)
    };
    ($least:tt $most:tt) => {
        capacity!($most)
    };
}

pub(super) use {capacity, capacity_most};
