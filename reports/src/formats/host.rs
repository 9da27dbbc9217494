//! Host memory that ran out, and processes that were killed from outside.
//!
//! Read in November 2026: `mm/oom_kill.c` of Linux, Slurm's `slurmstepd`, Ray's `memory_monitor`, `kubectl describe pod` and `docker inspect`,
//! `NumPy`, and the threads nextflow-io/nextflow#5932, ArjunaCluster/ArjunaUsers#52, vllm-project/vllm#2669, hiyouga/EasyR1#185,
//! `amdgpu_cs.c`, `amdgpu_ttm.c` and `ttm_bo.c` of Linux with ggml-org/llama.cpp#25080, NVIDIA's catalogue of Xid errors, `/proc/meminfo`,
//! `free` of procps and `sysctl` of macOS; docker/for-linux#1001, triton-inference-server/server#4154 and liunian-Jay/MU-GOT#17. What Ray calls GB is 2^30 bytes.

use super::line;
use crate::pattern::{Hole, Pattern, Says};
use crate::size::Unit;
use crate::what::{Kind, Refusal, What};

const fn host(text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(Kind::HostMemory, text, holes)
}

/// Signal 9, which says nothing of who sent it.
const fn killed(text: &'static str) -> Pattern {
    line(Kind::Killed, text, &[])
}

/// What the system says of its memory, or of a GPU's.
const fn system(text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(Kind::System, text, holes)
}

/// A driver that found no memory of its GPU.
const fn refuses(text: &'static str) -> Pattern {
    system(text, &[]).saying(Says::Refuses(Refusal::Driver))
}

const FREE: &[Hole] = &[
    Hole::Size(What::HostCapacity),
    Hole::Size(What::HostUsed),
    Hole::Skip,
    Hole::Skip,
    Hole::Skip,
    Hole::Size(What::HostFree),
];
const NODE: &[Hole] = &[Hole::Skip, Hole::Size(What::HostUsed), Hole::Size(What::HostCapacity)];
const REQUESTED: &[Hole] = &[Hole::Of(What::Requested, Unit::BYTE)];

pub(super) const LINES: &[Pattern] = &[
    host("DefaultCPUAllocator: {}you tried to allocate {} bytes", &[Hole::Skip, Hole::Of(What::Requested, Unit::BYTE)]),
    host("unable to mmap {} bytes from file", REQUESTED),
    host("Unable to allocate {} for an array with shape", &[Hole::Size(What::Requested)]),
    host("[Errno 12] Cannot allocate memory", &[]),
    host("std::bad_alloc", &[]),
    host("The paging file is too small for this operation", &[]),
    // The kernel's own words.
    host(
        "Killed process {} total-vm:{}, anon-rss:{},",
        &[Hole::Skip, Hole::Size(What::AddressSpace), Hole::Size(What::HostUsed)],
    ),
    host("Out of memory: Kill", &[]),
    host("Memory cgroup out of memory: Kill", &[]),
    host("oom-kill:constraint=", &[]),
    host("invoked oom-killer:", &[]),
    host("Failed with result 'oom-kill'", &[]),
    host("memory: usage {}, limit {}, failcnt", &[Hole::Size(What::HostUsed), Hole::Size(What::HostLimit)]),
    // Slurm, in three wordings.
    host("oom-kill event(s) in", &[]),
    host("oom_kill event in", &[]),
    host("oom_kill events in", &[]),
    // Slurm: such a step in `sacct`, which cuts the word, and `seff`, whose GB are powers of 1,024.
    host("OUT_OF_ME+", &[]),
    host("|OUT_OF_MEMORY|", &[]),
    host("OUT_OF_MEMORY 0:125", &[]),
    host("State: OUT_OF_MEMORY", &[]),
    // What a job asked for, and a person's list.
    system("#SBATCH --mem={}", &[Hole::Size(What::HostLimit)]),
    system("Host memory size: {}", &[Hole::Size(What::HostCapacity)]),
    system("System Memory: {}", &[Hole::Size(What::HostCapacity)]),
    system("System Memory**: {}", &[Hole::Size(What::HostCapacity)]),
    system("Memory Utilized: {}", &[Hole::Size(What::HostUsed)]),
    system("Memory Efficiency: {}% of {}", &[Hole::Skip, Hole::Size(What::HostLimit)]),
    // Containers.
    host("Reason:  OOMKilled", &[]),
    host("reason:  OOMKilled", &[]),
    host("\"reason\": \"OOMKilled\"", &[]),
    host("\"OOMKilled\": true", &[]),
    // The table of `kubectl get pods`.
    host("OOMKilled  {}", &[Hole::Skip]),
    // Ray, from 2.3 with the task and from 2.50 without it.
    host("Memory on the node ({}) was running was {} / {} (", NODE),
    host("Memory on the node ({}) was {} / {} (", NODE),
    host("killed due to memory pressure (OOM)", &[]),
    host("killed due to the node running low on memory", &[]),
    // Its advice, and its list of processes.
    host("how to address the out of memory issue: https://docs.ray.io", &[]),
    host("{} ray::", &[Hole::Of(What::HostProcess, Unit::GIB)]),
    // Drivers of GPUs in the kernel's log, and Mesa's.
    refuses("Not enough memory for command submission"),
    refuses("[TTM] Buffer eviction failed"),
    system("amdgpu: {} of VRAM memory ready", &[Hole::Size(What::Capacity)]),
    system("mem_info_vram_total {}", &[Hole::Of(What::Capacity, Unit::BYTE)]),
    system("mem_info_vram_used {}", &[Hole::Of(What::Used, Unit::BYTE)]),
    system("NVRM: Xid ({}): {},", &[Hole::Skip, Hole::Count(What::Xid)]),
    system("MemTotal: {}", &[Hole::Size(What::HostCapacity)]),
    system("MemAvailable: {}", &[Hole::Size(What::HostFree)]),
    // `free -h` and other calls that print units; a number without a unit is not read, since it may be in any.
    system("Mem: {} {} {} {} {} {}", FREE),
    system("hw.memsize: {}", &[Hole::Of(What::HostCapacity, Unit::BYTE)]),
    killed("Exit Code:  137"),
    killed("exited with code 137"),
    killed("exit code 137"),
    killed("exit code: 137"),
    killed("exit status 137"),
    killed("exitcode  : -9"),
    killed("exitcode: -9"),
    killed("exitcode -9"),
    killed("Signal 9 (SIGKILL)"),
    killed("signal: killed"),
];
