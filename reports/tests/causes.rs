//! Causes of messages as engineers paste them, in the shape of public ones and with figures of our own.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod common;

use common::only;
use memory_wall_reports::explain::{Cause, Explanation, Note, Stated, explain};
use memory_wall_reports::{Kind, What, read};

fn explained(text: &str) -> Explanation {
    explain(&read(text.as_bytes()), &[], &Stated { model: None, gpu: None, mode: None, adjust: &|_| (), sizes: false })
}

/// xingchensong/TouchNet#100, Tongyi-MAI/Z-Image#103; the variables are those that the allocators read.
#[test]
fn advice_names_the_variable_of_the_allocator() {
    let new = "out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 24.00 GiB of which 1.00 GiB is free. Of the allocated memory 16.00 GiB is allocated by PyTorch, and 6.00 GiB is reserved by PyTorch but unallocated.";
    let old = "out of memory. Tried to allocate 2.00 GiB (NPU 3; 60.00 GiB total capacity; 48.00 GiB already allocated; 48.00 GiB current active; 1.00 GiB free; 57.00 GiB reserved in total by PyTorch)";
    for (head, text, variable) in [
        ("CUDA", new, "PYTORCH_CUDA_ALLOC_CONF="),
        ("HIP", new, "PYTORCH_HIP_ALLOC_CONF="),
        ("XPU", new, " PYTORCH_ALLOC_CONF="),
        ("NPU", old, "PYTORCH_NPU_ALLOC_CONF="),
    ] {
        let said = explained(&format!("{head} {text}")).causes[0].to_string();
        assert!(said.contains(variable) && said.contains("fragmented"), "{head}: {said}");
        assert_eq!(said.contains("warn and ignore it"), ["HIP", "XPU"].contains(&head), "{head}: {said}");
    }
}

/// ROCm/TheRock#4598: an APU's driver counts the computer's memory as free, and not as the GPU's.
#[test]
fn more_free_than_there_is_shows_no_fragmentation() {
    let text = "HIP out of memory. Tried to allocate 16.00 GiB. GPU 0 has a total capacity of 15.50 GiB of which 85.00 GiB is free. Of the allocated memory 1.50 GiB is allocated by PyTorch, and 8.00 GiB is reserved by PyTorch but unallocated.";
    let explanation = explained(text);
    assert!(matches!(explanation.causes[..], [Cause::LargerThanGpu { .. }]), "{:?}", explanation.causes);
    assert!(explanation.notes.contains(&Note::FreeBeyond));
}

/// vllm-project/vllm-ascend#19: a GPU that others fill is not full of PyTorch's.
#[test]
fn a_gpu_that_others_fill_is_not_nearly_full_of_pytorchs() {
    let text = "NPU out of memory. Tried to allocate 22.00 MiB (NPU 0; 61.00 GiB total capacity; 10.00 GiB already allocated; 10.00 GiB current active; 19.50 MiB free; 10.50 GiB reserved in total by PyTorch)";
    let causes = explained(text).causes;
    assert!(matches!(causes[0], Cause::OtherProcess { .. }), "{causes:?}");
    assert!(!causes.iter().any(|cause| matches!(cause, Cause::NearlyFull { .. })), "{causes:?}");
}

/// unslothai/unsloth#465: a message that was cut has a cause as far as it goes.
#[test]
fn a_cut_message_says_what_was_free() {
    let text = "CUDA out of memory. Tried to allocate 9.50 GiB. GPU 0 has a total capacity of 14.75 GiB of which 3.75 GiB is free. Process 2116 has 11.00 GiB memory in use. Of th";
    let causes = explained(text).causes;
    assert!(
        matches!(causes[..], [Cause::Buffer { asked, free }] if (asked, free) == (19 << 29, 15 << 28)),
        "{causes:?}"
    );
}

/// NVIDIA/TensorRT-LLM#7818: ranks on one GPU print the same, the last of them is cut, and two hold equally much.
#[test]
fn the_whole_message_is_explained_and_every_process_counts() {
    let head = "CUDA out of memory. Tried to allocate 40.00 MiB. GPU 0 has a total capacity of 22.00 GiB of which 20.50 MiB is free. Process 157 has 1.25 GiB memory in use. Process 451 has 1.25 GiB memory in use.";
    let whole = format!(
        "{head} Including non-PyTorch memory, this process has 1.00 GiB memory in use. Process 455 has 18.00 GiB memory in use. Of the allocated memory 880.00 MiB is allocated by PyTorch, and 10.00 MiB is reserved by PyTorch but unallocated."
    );
    assert_eq!(only(Kind::Cuda, &whole).all(What::OtherProcess).count(), 3);
    let causes = explained(&format!("{whole}\n[RANK 6] ): {head} Process 45")).causes;
    assert!(matches!(causes[0], Cause::OtherProcess { holds, told: true, .. } if holds == 41 << 29), "{causes:?}");
}

/// stew675/llama-cpp-rdna-boosts#33: ggml's word for HIP.
#[test]
fn an_allocation_of_ggml_by_hip_is_outside_the_allocator() {
    let text =
        "[38327] 2.41.894.173 E ROCm error: out of memory\n[38327] E   current device: 0, in function pool_get\n";
    assert!(matches!(explained(text).causes[..], [Cause::OutsideAllocator(Kind::CudaError)]));
}
