//! PyTorch: its message when memory runs out, in every wording since 1.0, and what else dies of it.
//!
//! Read in November 2026: `CUDACachingAllocator.cpp` (1.x, 2.0, 2.1 with "capacty", 2.2 to 2.15), `XPUCachingAllocator.cpp`, `MPSAllocator.mm`,
//! and the threads OpenAccess-AI-Collective/axolotl#2531, huggingface/trl#5207, pytorch/pytorch#138002, lllyasviel/Fooocus#1139,
//! comfyanonymous/ComfyUI#7440 and #9529. All of them count in powers of 1,024, also where they say GB.

use super::line;
use crate::pattern::{Hole, Pattern, Says};
use crate::what::{Kind, What};

/// What a message may say; its kind is that of its head.
const fn says(text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(Kind::Cuda, text, holes)
}

/// The parts of the message, which is read as one text however it was broken into lines.
pub(crate) const MESSAGE: &[Pattern] = &[
    says("Tried to allocate {}", &[Hole::Size(What::Requested)]),
    // Intel Extension for PyTorch.
    says("memory block with size larger than {}", &[Hole::Size(What::OneAllocation)]),
    says("NPUWorkspaceAllocator tried to allocate {}", &[Hole::Size(What::Requested)]),
    says("total capacity of {}", &[Hole::Size(What::Capacity)]),
    says("total capacty of {}", &[Hole::Size(What::Capacity)]),
    says("{} total capacity", &[Hole::Size(What::Capacity)]),
    says("{} total capacty", &[Hole::Size(What::Capacity)]),
    says("of which {} is free", &[Hole::Size(What::Free)]),
    says("{} free;", &[Hole::Size(What::Free)]),
    says("{} free)", &[Hole::Size(What::Free)]),
    says("{} allowed;", &[Hole::Size(What::Allowed)]),
    says("{} current active", &[Hole::Size(What::Active)]),
    says("Process {} has {} memory in use", &[Hole::Skip, Hole::Size(What::OtherProcess)]),
    says("this process has {} memory in use", &[Hole::Size(What::ProcessUsed)]),
    says("Of the allocated memory {} is allocated by PyTorch", &[Hole::Size(What::Allocated)]),
    says("{} already allocated", &[Hole::Size(What::Allocated)]),
    says("with {} allocated in private pools", &[Hole::Size(What::PrivatePools)]),
    says("{} is reserved by PyTorch but unallocated", &[Hole::Size(What::ReservedFree)]),
    says("{} reserved in total by PyTorch", &[Hole::Size(What::Reserved)]),
    says("{} cached", &[Hole::Size(What::ReservedFree)]),
    says("MPS allocated: {}", &[Hole::Size(What::Allocated)]),
    says("other allocations: {}", &[Hole::Size(What::OtherAllocations)]),
    says("max allowed: {}", &[Hole::Size(What::Allowed)]),
];

const PROPERTIES: &[Hole] = &[Hole::Name(What::Gpu), Hole::Skip, Hole::Floor(What::Capacity)];

pub(super) const LINES: &[Pattern] = &[
    line(Kind::CudaError, "CUDA error: out of memory", &[]),
    // Of Ascend's driver (verl-project/verl#7145).
    line(Kind::Npu, "Memory_Allocation_Failure(EL0004)", &[]),
    line(Kind::CudaError, "CUDA driver error: out of memory", &[]),
    line(Kind::CudaError, "cuda runtime error (2) : out of memory", &[]),
    // Of vLLM's allocator.
    line(Kind::CudaError, "CUDA Error: out of memory", &[]),
    line(Kind::CudaError, "cuda error: out of memory", &[]),
    line(Kind::CudaError, "HIP error: out of memory", &[]),
    // Of ggml.
    line(Kind::CudaError, "ROCm error: out of memory", &[]),
    // TensorRT-LLM and other programs in C++.
    line(Kind::CudaError, "CUDA runtime error in {}: out of memory", &[Hole::Skip]),
    line(Kind::CudaError, "CUDA runtime error: out of memory", &[]),
    line(Kind::CudaError, "cudaErrorMemoryAllocation", &[]),
    // CTranslate2, candle and others in Rust, and NCCL.
    line(Kind::CudaError, "CUDA failed with error out of memory", &[]),
    line(Kind::CudaError, "DriverError(CUDA_ERROR_OUT_OF_MEMORY", &[]),
    line(Kind::CudaError, "Cuda failure 2 'out of memory'", &[]),
    line(Kind::CudaError, "Cuda failure 'out of memory'", &[]),
    line(Kind::CudaError, "Failed to CUDA calloc", &[]),
    line(Kind::Cublas, "CUBLAS_STATUS_ALLOC_FAILED", &[]),
    // The same by its words, as ggml prints it.
    line(Kind::Cublas, "CUDA error: the resource allocation failed", &[]),
    // The message of the backend cudaMallocAsync has a line for each number.
    line(Kind::Cuda, "Allocation on device {} would exceed allowed memory", &[Hole::Device]).saying(Says::Start),
    // An error's report of ComfyUI, which cuts it off there.
    line(Kind::Cuda, "Exception Message:** Allocation on device", &[]).saying(Says::Start),
    line(Kind::Cuda, "OutOfMemoryError: Allocation on device", &[]).saying(Says::Start),
    line(Kind::Cuda, "Currently allocated{}: {}", &[Hole::Pad, Hole::Size(What::Allocated)]),
    line(Kind::Cuda, "Requested{}: {}", &[Hole::Pad, Hole::Size(What::Requested)]),
    line(Kind::Cuda, "Device limit{}: {}", &[Hole::Pad, Hole::Size(What::Capacity)]),
    line(Kind::Cuda, "Free (according to CUDA): {}", &[Hole::Size(What::Free)]),
    // `get_device_properties()`, whose MB are powers of 1,024 cut off.
    line(Kind::Torch, "_CudaDeviceProperties(name='{}', {}total_memory={}", PROPERTIES),
    line(Kind::Torch, "_XpuDeviceProperties(name='{}', {}total_memory={}", PROPERTIES),
    // Tables of the allocator.
    line(Kind::MemorySummary, "PyTorch CUDA memory summary, device ID {}", &[Hole::Device]).saying(Says::Start),
    line(Kind::MemorySummary, "CUDA OOMs: {}", &[Hole::Count(What::OutOfMemoryEvents)]),
    line(Kind::MemorySummary, "cudaMalloc retries: {}", &[Hole::Count(What::Retries)]),
    row("Allocated memory {}| {} | {} |", &[Hole::Pad, Hole::Floor(What::Allocated), Hole::Floor(What::PeakAllocated)]),
    row("Active memory {}| {} | {} |", &[Hole::Pad, Hole::Floor(What::Active), Hole::Floor(What::PeakActive)]),
    row("Requested memory {}| {} | {} |", &[Hole::Pad, Hole::Floor(What::RequestedByTensors), Hole::Skip]),
    row(
        "GPU reserved memory {}| {} | {} |",
        &[Hole::Pad, Hole::Floor(What::Reserved), Hole::Floor(What::PeakReserved)],
    ),
    row("Non-releasable memory {}| {} | {} |", &[Hole::Pad, Hole::Floor(What::InactiveSplit), Hole::Skip]),
];

const fn row(text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(Kind::MemorySummary, text, holes)
}
