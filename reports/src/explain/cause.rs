//! Why memory ran out, the likeliest first.

use alloc::vec::Vec;

use memory_wall_core::profile::Candidate;
use memory_wall_core::{Bytes, Checked, evaluate};

use super::allocators::{by_table, by_tensorflow, by_xla, one_allocation};
use super::settings::server;
use super::{Explanation, Message};
use crate::what::{Kind, Part, Phase, Refusal, What};
use crate::{Device, Report, Size, Value};

/// A cause; the sentence is its `Display`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cause {
    /// Another process holds what is missing.
    OtherProcess {
        /// What it holds.
        holds: i64,
        /// Whether the message says so, and not only that neither PyTorch has it nor it is free.
        told: bool,
        /// What was missing.
        missing: i64,
    },
    /// The request would fit into what PyTorch has reserved and not allocated, and what is free, if these were in one piece.
    Fragmentation {
        /// Asked for.
        asked: i64,
        /// Reserved and not allocated.
        reserved: i64,
        /// Free on the GPU.
        free: i64,
        /// Whose allocator it is.
        kind: Kind,
    },
    /// The process may take less than the GPU has.
    Limit {
        /// What it may take.
        allowed: i64,
        /// What the GPU has; nothing where that isn't said.
        capacity: Option<i64>,
    },
    /// The GPU is full of PyTorch's own tensors.
    Full {
        /// Allocated.
        allocated: i64,
        /// What the GPU has.
        capacity: i64,
        /// Asked for.
        asked: i64,
        /// What is missing even if nothing were fragmented.
        missing: i64,
    },
    /// The request is one tensor of the run.
    Tensor(Candidate),
    /// The optimizer's first step makes its states.
    FirstStep,
    /// When it happened.
    When(Phase, Option<Part>),
    /// The run needs more than there is, by the engine's estimate.
    TooLarge {
        /// The estimate.
        need: Bytes,
        /// What there is.
        capacity: Bytes,
    },
    /// Much is allocated beside PyTorch.
    Outside {
        /// How much.
        bytes: i64,
    },
    /// A server refuses, with its own numbers where it says them.
    Refused {
        /// Why.
        why: Refusal,
        /// What it needs.
        needed: Option<i64>,
        /// What there is.
        available: Option<i64>,
    },
    /// More is asked for than the GPU has.
    LargerThanGpu {
        /// Asked for.
        asked: i64,
        /// What the GPU has.
        capacity: i64,
    },
    /// The driver refused although more was free than was asked for.
    Driver {
        /// Asked for.
        asked: i64,
        /// Free on the GPU.
        free: i64,
    },
    /// Nearly all of the GPU is taken, so that the next requests would not fit either.
    NearlyFull {
        /// Allocated.
        allocated: i64,
        /// What the GPU has.
        capacity: i64,
        /// What is free, on the GPU and in what PyTorch has reserved.
        left: i64,
    },
    /// One allocation is more than the driver gives at once.
    OneAllocation {
        /// Asked for.
        asked: i64,
        /// What it gives.
        limit: i64,
    },
    /// PyTorch holds so little that the request would fit beside it, and the message doesn't say what is free.
    Beside {
        /// What PyTorch holds.
        held: i64,
        /// Asked for.
        asked: i64,
        /// What the GPU has.
        capacity: i64,
    },
    /// A compiled program needs more than the device has.
    Program {
        /// What it needs.
        needs: i64,
        /// What the device has.
        capacity: i64,
    },
    /// One buffer is larger than what is free.
    Buffer {
        /// Asked for.
        asked: i64,
        /// What is free.
        free: i64,
    },
    /// More is asked for than any GPU has.
    LargerThanAny {
        /// Asked for.
        asked: i64,
    },
    /// One tensor, by its shape and the bytes of a value.
    OneTensor {
        /// Its bytes.
        bytes: i64,
        /// The bytes of a value.
        each: u64,
    },
    /// The allocator's own table says that memory ran out.
    RanOut {
        /// How often.
        times: u64,
        /// The most that tensors took.
        peak: i64,
        /// The most that was reserved for them.
        reserved: i64,
    },
    /// Host memory ran out, not the GPU's.
    Host {
        /// Asked for.
        asked: Option<i64>,
    },
    /// Enough is free, but no piece of it is large enough.
    Pieces {
        /// Asked for.
        asked: i64,
        /// What is free.
        free: i64,
        /// The largest piece.
        largest: i64,
    },
    /// The process was killed from outside.
    Killed,
    /// An allocation outside PyTorch's allocator failed: a context, a library's workspace, a graph.
    OutsideAllocator(Kind),
}

/// The causes of what the reports say.
pub(super) fn causes(reports: &[&Report], main: Option<&Report>, explanation: &Explanation) -> Vec<Cause> {
    let mut causes = Vec::new();
    let Some(report) = main else { return causes };
    match report.kind {
        Kind::Cuda | Kind::Hip | Kind::Xpu | Kind::Npu | Kind::Mps => {
            let loading = report.phase() == Some(Phase::Load)
                || reports.iter().any(|report| report.refusal() == Some(Refusal::Weights));
            by_message(report, explanation, loading, &mut causes);
        }
        Kind::HostMemory => causes.push(Cause::Host { asked: report.size(What::Requested).map(|size| size.bytes) }),
        Kind::CudaError | Kind::Cublas => {
            when(report, &mut causes);
            causes.push(Cause::OutsideAllocator(report.kind));
        }
        Kind::Killed => causes.push(Cause::Killed),
        Kind::OutOfMemory => {
            let allowed = report.size(What::Allowed);
            causes.extend(allowed.map(|allowed| Cause::Limit { allowed: allowed.bytes, capacity: None }));
        }
        Kind::Xla | Kind::OnnxRuntime | Kind::Paddle => {
            causes.extend(by_xla(report));
            // What TensorFlow took when it started.
            let allowed = || reports.iter().find_map(|it| it.size(What::Allowed)).map(|size| size.bytes);
            let asked = report.size(What::Requested).filter(|_| causes.is_empty());
            let beyond = asked.and_then(|asked| allowed().filter(|allowed| *allowed < asked.bytes));
            causes.extend(beyond.map(|allowed| Cause::Limit { allowed, capacity: None }));
        }
        Kind::Metal => causes.extend(one_allocation(report)),
        Kind::MemorySummary | Kind::MemoryStats => causes.extend(by_table(report)),
        // Without a number it is the failure of a library that TensorFlow quotes.
        Kind::TensorFlow if report.facts.is_empty() => causes.push(Cause::OutsideAllocator(report.kind)),
        Kind::TensorFlow => causes.extend(by_tensorflow(report)),
        _ => {}
    }
    let refused = reports.iter().find(|report| report.has(What::Refusal));
    if let Some((report, why)) = refused.and_then(|report| Some((report, report.refusal()?))) {
        let bytes = |what| report.last_size(what).map(|size: Size| size.bytes);
        let (needed, available) = match why {
            Refusal::Length => (bytes(What::KvNeeded), bytes(What::KvCache)),
            Refusal::Share => (bytes(What::Budget), bytes(What::Free)),
            Refusal::SystemMemory => (bytes(What::Requested), bytes(What::HostFree)),
            Refusal::AllocationLimit | Refusal::Guardrails => (bytes(What::Requested), None),
            Refusal::ModelBuffer | Refusal::CacheBuffer | Refusal::ComputeBuffer => {
                (bytes(What::Requested), free_on(reports, report))
            }
            _ => (None, None),
        };
        causes.push(Cause::Refused { why, needed, available });
    }
    if let (Kind::Ggml | Kind::Metal, None, true) = (report.kind, report.refusal(), report.is_failure())
        && causes.is_empty()
    {
        let needed = report.size(What::Requested).map(|size| size.bytes);
        causes.push(Cause::Refused { why: Refusal::Buffer, needed, available: free_on(reports, report) });
    }
    if let (Some(Ok(scenario)), Some(capacity), true) =
        (&explanation.scenario, explanation.capacity, report.is_failure())
    {
        let need = evaluate::total(scenario);
        let served = scenario.runtime() == Some(memory_wall_core::Engine::Vllm);
        if need > capacity && !served && !spread(reports, scenario, capacity) {
            causes.push(Cause::TooLarge { need, capacity });
        }
    }
    causes
}

/// Whether what is estimated may lie on more GPUs than one: llama.cpp spreads layers over all GPUs that it finds, if these together hold it.
pub(super) fn several(reports: &[&Report], scenario: &Checked, capacity: Option<Bytes>) -> bool {
    let gpus = reports.iter().filter(|report| report.kind == Kind::LlamaCpp);
    let gpus = gpus.map(|report| report.all(What::Gpu).count()).max().unwrap_or(0);
    // As many as a person says that there are.
    let told = reports.iter().filter_map(|report| report.count(What::GpuCount)).max().unwrap_or(0);
    let gpus = gpus.max(usize::try_from(told).unwrap_or(usize::MAX));
    let fits = |one: Bytes| evaluate::total(scenario).0 <= one.0.saturating_mul(gpus as u128);
    gpus > 1 && scenario.parallel.tp == 1 && scenario.parallel.pp == 1 && capacity.is_none_or(fits)
}

/// The same, or whether it may be less: the pool of a server whose longest request is not said holds what its share holds.
fn spread(reports: &[&Report], scenario: &Checked, capacity: Bytes) -> bool {
    let pooled = reports.iter().any(|report| server(report.kind).is_some());
    several(reports, scenario, Some(capacity)) || pooled && !reports.iter().any(|report| report.has(What::MaxModelLen))
}

/// What the program says is free on the GPU of a failed buffer.
fn free_on(reports: &[&Report], failed: &Report) -> Option<i64> {
    let device = failed.all(What::Requested).next().map(|fact| fact.device)?;
    let facts = || reports.iter().flat_map(|report| report.all(What::Free));
    let of = |fact: &crate::Fact| if let Value::Size(size) = fact.value { Some(size.bytes) } else { None };
    facts().find(|fact| fact.device == device && device != Device::Unsaid).and_then(of).or_else(|| facts().find_map(of))
}

fn when(report: &Report, causes: &mut Vec<Cause>) {
    if let Some(phase) = report.phase() {
        causes.push(if phase == Phase::OptimizerFirstStep {
            Cause::FirstStep
        } else {
            Cause::When(phase, report.part())
        });
    }
}

/// Free beyond what was asked for, so that the driver's own pages don't explain it.
const FAR: i64 = 1 << 30;

/// More than a context and libraries take.
const OUTSIDE: i64 = 2 << 30;

/// By PyTorch's message.
fn by_message(report: &Report, explanation: &Explanation, loading: bool, causes: &mut Vec<Cause>) {
    let message = Message::of(report);
    let bytes = |size: Option<Size>| size.map(|size| size.bytes);
    let missing = message.missing();
    let allowed = bytes(report.size(What::Allowed));
    let held = bytes(message.allocated).unwrap_or(0) + bytes(message.reserved_free).unwrap_or(0);
    if let Some(cause) = one_allocation(report) {
        causes.push(cause);
        when(report, causes);
        return;
    }
    if let Some(allowed) = allowed {
        causes.push(Cause::Limit { allowed, capacity: bytes(message.capacity) });
    }
    // Beside this process and what is free: what others hold, told or not.
    let used = message.capacity.zip(message.free).map(|(capacity, free)| capacity.bytes - free.bytes);
    let untold = used.map(|used| match message.process {
        Some(process) => used - process.bytes,
        // Up to 2.0 the process itself isn't told: beside what PyTorch holds, its context and libraries take less than this.
        None if message.allocated.is_some() => used - held - OUTSIDE,
        None => 0,
    });
    let others = message.others.or(untold.filter(|bytes| *bytes > 1 << 30));
    let asked = bytes(message.asked);
    let larger = asked.zip(bytes(message.capacity)).filter(|(asked, capacity)| asked > capacity);
    if let Some((asked, capacity)) = larger {
        causes.push(Cause::LargerThanGpu { asked, capacity });
    }
    // What is not free and, without the others, would be.
    let lacks = message.asked.zip(message.free).map(|(asked, free)| asked.least() - free.most());
    if let (Some(others), Some(lacks)) = (others, lacks)
        && lacks > 0
        && others >= lacks
        // A GPU's other users matter where they hold a tenth of it.
        && message.capacity.is_none_or(|capacity| others > capacity.bytes / 10)
    {
        causes.push(Cause::OtherProcess {
            holds: others,
            told: message.others.is_some(),
            missing: missing.filter(|missing| *missing > 0).unwrap_or(lacks),
        });
    }
    // 95% of a GPU are all of it: what lies free between tensors is small, and the next ones would not fit either.
    let full = message.allocated.zip(message.capacity).map(|(allocated, capacity)| (allocated.bytes, capacity.bytes));
    let left = message.free.zip(message.reserved_free).map_or(0, |(free, reserved)| free.bytes + reserved.bytes);
    let full = full.filter(|(allocated, capacity)| {
        *allocated <= *capacity
            && (capacity / 20 * 19 < *allocated
                || message.free.is_some() && left < capacity / 20 && capacity / 2 < *allocated)
    });
    match (missing, asked, message.reserved_free, bytes(message.free), lacks) {
        // Where nothing is reserved beside the tensors, no page of PyTorch's own lies between.
        (_, Some(asked), reserved, Some(free), Some(lacks))
            if larger.is_none()
                && allowed.is_none()
                && (lacks < -FAR || lacks <= 0 && reserved.is_some_and(|reserved| reserved.bytes == 0)) =>
        {
            causes.push(Cause::Driver { asked, free });
        }
        (_, Some(asked), _, None, _) if allowed.is_none() && larger.is_none() && message.allocated.is_some() => {
            let capacity = bytes(message.capacity).filter(|capacity| held + asked < capacity / 10 * 9);
            causes.extend(capacity.map(|capacity| Cause::Beside { held, asked, capacity }));
        }
        (Some(missing), Some(asked), Some(reserved), free, _)
            if missing <= 0
                && allowed.is_none()
                && reserved.bytes > 0
                // Weights come and stay: what lies free between them is small, and the next ones would not fit either.
                && !loading =>
        {
            match full {
                Some((allocated, capacity)) => causes.push(Cause::NearlyFull { allocated, capacity, left }),
                None => causes.push(Cause::Fragmentation {
                    asked,
                    reserved: reserved.bytes,
                    free: free.unwrap_or(0),
                    kind: report.kind,
                }),
            }
        }
        _ => {}
    }
    if let Some(candidate) = explanation.tensors.first() {
        causes.push(Cause::Tensor(*candidate));
    }
    when(report, causes);
    if let (Some(allocated), Some(capacity), Some(asked), Some(missing)) =
        (message.allocated, message.capacity, message.asked, missing)
        && missing > 0
        && larger.is_none()
        && held > capacity.bytes / 2
    {
        causes.push(Cause::Full { allocated: allocated.bytes, capacity: capacity.bytes, asked: asked.bytes, missing });
    }
    // Cut before it says what PyTorch holds.
    if let (true, Some(asked), Some(free)) = (causes.is_empty(), asked, bytes(message.free))
        && asked > free
    {
        causes.push(Cause::Buffer { asked, free });
    }
    if let Some(outside) = message.outside().filter(|outside| *outside > 1 << 30) {
        causes.push(Cause::Outside { bytes: outside });
    }
}
