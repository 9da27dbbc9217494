//! What the operating system says of its memory and of a GPU's, in the shape of public lines and with figures of our own.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use common::{assert_told, only};
use memory_wall_reports::explain::{Cause, Stated, explain};
use memory_wall_reports::{Kind, Refusal, What, read};

fn causes(text: &str) -> Vec<Cause> {
    let stated = Stated { model: None, gpu: None, mode: None, adjust: &|_| (), sizes: false };
    explain(&read(text.as_bytes()), &[], &stated).causes
}

/// X11Libre/xserver#2093, ggml-org/llama.cpp#25080, and `ttm_bo.c` of Linux.
#[test]
fn a_driver_without_memory_is_told_from_the_computers() {
    for text in [
        "[10815.8] [drm:amdgpu_cs_ioctl [amdgpu]] *ERROR* Not enough memory for command submission!",
        "radv/amdgpu: Not enough memory for command submission.",
        "Nov 11 18:44:40 host kernel: [TTM] Buffer eviction failed",
    ] {
        assert!(
            matches!(causes(text)[..], [Cause::Refused { why: Refusal::Driver, .. }]),
            "{text}: {:?}",
            causes(text)
        );
    }
    // The same code is written where the computer's own memory runs out (NVIDIA/open-gpu-kernel-modules#848).
    let either = "NVRM: nvCheckOkFailedNoLog: Check failed: Out of memory [NV_ERR_NO_MEMORY] (0x00000051) returned from _memdescAllocInternal";
    assert!(causes(either).is_empty(), "{:?}", causes(either));
    let killed =
        "Out of memory: Killed process 4711 (llama-server) total-vm:8388608kB, anon-rss:4194304kB, file-rss:0kB";
    assert!(matches!(causes(killed)[..], [Cause::Host { .. }]), "{:?}", causes(killed));
}

/// A fault is none of memory that ran out.
#[test]
fn a_fault_of_nvidias_driver_is_named_by_its_number() {
    let text = "[ 12.1] NVRM: Xid (PCI:0000:c1:00): 31, pid=4711, name=python, Ch 00000008, intr 00000000. MMU Fault\n";
    assert_told(Kind::System, text, &["1: xid 31"]);
    assert!(causes(text).is_empty());
}

/// ROCm/TheRock#1054: the driver and PyTorch may name two sizes.
#[test]
fn what_amds_driver_has_is_the_gpus_memory() {
    assert_told(
        Kind::System,
        "[    4.9] [drm] amdgpu: 512M of VRAM memory ready\n",
        &["1: capacity 536870912~1048576"],
    );
}

/// `/proc/meminfo` as XuehaiPan/nvitop#208 has it, `free -h`, and `sysctl` of macOS.
#[test]
fn the_memory_of_the_computer_is_read_with_its_unit() {
    let text = "MemTotal:       131072000 kB\nMemFree:         1024000 kB\nMemAvailable:   65536000 kB\n";
    let expected = ["1: host_capacity 134217728000~1024", "3: host_free 67108864000~1024"];
    assert_told(Kind::System, text, &expected);
    let free = "               total        used        free      shared  buff/cache   available\n\
        Mem:           128Gi        16Gi        96Gi       1.0Gi        16Gi       112Gi\n\
        Swap:          8.0Gi          0B       8.0Gi\n";
    let gib = |count: i64| count << 30;
    let report = only(Kind::System, free);
    let size = |what| report.size(what).unwrap().bytes;
    assert_eq!(
        [What::HostCapacity, What::HostUsed, What::HostFree].map(size),
        [gib(128), gib(16), gib(112)],
        "{report:?}"
    );
    // Without units it may be any.
    assert!(read(free.replace("Gi", "").as_bytes()).reports.is_empty());
    assert_told(Kind::System, "hw.memsize: 68719476736\n", &["1: host_capacity 68719476736"]);
}

/// Pages are 16 kibibytes on Apple's chips and 4 on Intel's.
#[test]
fn pages_of_macos_are_as_large_as_it_says() {
    for page in [4_096, 16_384] {
        let text = format!(
            "Mach Virtual Memory Statistics: (page size of {page} bytes)\nPages free:     1000.\nPages active:   7000.\n\
             Pages inactive: 2000.\nPages speculative: 24.\nPages wired down: 9000.\n"
        );
        assert_told(Kind::System, &text, &[&format!("5: host host_free {}", 3_024 * page)]);
    }
    assert!(read(b"Pages free: 1000.\nPages speculative: 24.\n").reports.is_empty());
}
