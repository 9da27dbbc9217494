//! JAX with XLA, and TensorFlow.
//!
//! Read in November 2026: XLA's `buffer_assignment.cc`, `bfc_allocator.cc` and the TPU compiler's message as threads of google/jax and
//! AI-Hypercomputer/maxtext quote them; TensorFlow's `allocate_temp` message. Sizes are powers of 1,024.

use super::line;
use crate::pattern::{Hole, Pattern};
use crate::size::Unit;
use crate::what::{Kind, What};

const fn xla(text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(Kind::Xla, text, holes)
}

const fn tensorflow(text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(Kind::TensorFlow, text, holes)
}

pub(super) const LINES: &[Pattern] = &[
    xla("Out of memory while trying to allocate {}", &[Hole::Size(What::Requested)]),
    xla("Out of memory allocating {}", &[Hole::Size(What::Requested)]),
    // One line, or two.
    xla(
        "Ran out of memory in memory space hbm. Used {} of {} hbm",
        &[Hole::Size(What::Projected), Hole::Size(What::Capacity)],
    ),
    xla("Exceeded hbm capacity by {}", &[Hole::Size(What::Missing)]),
    xla(
        "Attempting to allocate {}. That was not possible. There are {} free",
        &[Hole::Size(What::Requested), Hole::Size(What::Free)],
    ),
    xla(
        "Attempting to reserve {} at the bottom of memory. That was not possible. There are {} free",
        &[Hole::Size(What::Requested), Hole::Size(What::Free)],
    ),
    xla(
        "Allocation (size={}) would exceed memory (size={}) ::",
        &[Hole::Of(What::Requested, Unit::BYTE), Hole::Of(What::Capacity, Unit::BYTE)],
    ),
    xla(
        "TPU TensorCore Hbm usage: {}, SparseCore Hbm usage {}, exceeding available bytes: {}",
        &[Hole::Size(What::ProgramSize), Hole::Size(What::SparseCore), Hole::Size(What::Capacity)],
    ),
    xla(
        "Ran out of memory in memory space vmem. Used {} of {} vmem",
        &[Hole::Size(What::VmemNeeded), Hole::Size(What::Vmem)],
    ),
    // One kernel's share of it.
    xla("Ran out of memory in memory space vmem while allocating", &[]),
    xla(
        "Scoped allocation with size {} and limit {} exceeded scoped vmem limit",
        &[Hole::Size(What::VmemNeeded), Hole::Size(What::Vmem)],
    ),
    xla("the largest contiguous region of free memory is {}", &[Hole::Size(What::LargestFree)]),
    xla("HBM capacity {}:", &[Hole::Size(What::Capacity)]),
    xla("Currently allocated: {} ({} bytes)", &[Hole::Skip, Hole::Of(What::ProgramAllocated, Unit::BYTE)]),
    xla("Top-of-Memory reserved: {} ({} bytes)", &[Hole::Skip, Hole::Of(What::SystemReserved, Unit::BYTE)]),
    xla("Program requirement: {} ({} bytes)", &[Hole::Skip, Hole::Of(What::ProgramSize, Unit::BYTE)]),
    xla("Total hbm usage >= {}:", &[Hole::Size(What::Total)]),
    xla("parameter allocation: {}", &[Hole::Size(What::Arguments)]),
    xla("constant allocation: {}", &[Hole::Size(What::Constants)]),
    xla("maybe_live_out allocation: {}", &[Hole::Size(What::Outputs)]),
    xla("preallocated temp allocation: {}", &[Hole::Size(What::Temporaries)]),
    xla("total allocation: {}", &[Hole::Size(What::Total)]),
    xla("total fragmentation: {}", &[Hole::Size(What::Fragmentation)]),
    tensorflow(
        "OOM when allocating tensor with shape[{}] and type {} on",
        &[Hole::Shape(What::Tensor), Hole::Name(What::Dtype)],
    ),
    tensorflow("Sum Total of in-use chunks: {}", &[Hole::Size(What::ProgramAllocated)]),
    // Up to 1.6 without its type.
    tensorflow("OOM when allocating tensor with shape[{}]", &[Hole::Shape(What::Tensor)]),
    tensorflow("ran out of memory trying to allocate {}", &[Hole::Size(What::Requested)]),
    tensorflow("Ran out of memory trying to allocate {}", &[Hole::Size(What::Requested)]),
    tensorflow("failed to allocate {} ({} bytes) from device", &[Hole::Skip, Hole::Of(What::Requested, Unit::BYTE)]),
    // The asynchronous allocator of CUDA.
    tensorflow("cuMemAllocAsync failed to allocate {} bytes", &[Hole::Of(What::Requested, Unit::BYTE)]),
    tensorflow(
        "Reported by CUDA: Free memory/Total memory: {}/{}",
        &[Hole::Of(What::Free, Unit::BYTE), Hole::Of(What::Capacity, Unit::BYTE)],
    ),
    tensorflow("failed to create cublas handle", &[]),
    tensorflow("could not create cublas handle", &[]),
    tensorflow("Limit: {}", &[Hole::Of(What::Allowed, Unit::BYTE)]),
    tensorflow("InUse: {}", &[Hole::Of(What::ProgramAllocated, Unit::BYTE)]),
    tensorflow("MaxAllocSize: {}", &[Hole::Of(What::LargestAllocation, Unit::BYTE)]),
    tensorflow("MaxInUse: {}", &[Hole::Of(What::PeakAllocated, Unit::BYTE)]),
];
