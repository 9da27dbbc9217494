//! What the system holds of a memory that CPU and GPU share.

use super::vllm::Span;
use crate::scenario::Scenario;
use crate::serving::Engine;
use crate::tables::classes::Class;
use crate::tables::gpus::{CapacityBasis, Gpu};
use crate::units::Bytes;

/// What of the GPU's memory is not free when a program starts, beside the program's own context: nothing where the GPU has its own memory,
/// or where its capacity is the part that the system lends; and all that is not there where [`Scenario::gpu_memory`] says so.
///
/// # Assumes
/// The same of every computer whose memory CPU and GPU share. The page cache is not counted: releases of vLLM before 0.17 took it for used, and it has to be
/// dropped before such a start.
///
/// # Source
/// "Free memory on device (110.73/121.63 GiB) on startup" and alike in logs of vLLM on 19 GB10: 7.0 to 20.4 GiB are not free where no other program uses the GPU,
/// half of a GiB of which is the context, and the middle is 11.3 (issue 47 of MiaAI-Lab/GLM-5.3-Flash-EXL3-2x-DGX-Sparks has 110.37 and 101.3 to 102.2 of 121.69);
/// three starts of 0.19 found 0.95 of it free, so that at most 5.47 were held beside the context (djangodevreng/dgx-spark-benchmarks, `_bootlog.txt` of Qwen3.6 35B-A3B and Nemotron 3);
/// 12.3 of 122.82 on a Jetson Thor. vLLM 0.33, `mem_utils.py`: on integrated GPUs what is free is the system's `MemAvailable`. Read 2026-11-26.
///
/// # Example
/// ```
/// use memory_wall_core::{Scenario, engines::system, tables::{gpus, models}};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// assert!(system::held(&scenario).is_none());
/// scenario.gpu = gpus::by_id("gb10");
/// assert_eq!(system::held(&scenario).unwrap().to_string(), "10.80 GiB (5.40 to 19.90)");
/// ```
pub fn held(scenario: &Scenario) -> Option<Span> {
    let gpu = scenario.gpu?;
    // Of the reader's own GPU all of its memory is stated, and the system holds its part of that too.
    if let Some(stated) = scenario.gpu_memory.filter(|_| !gpu.is_own()) {
        let held = scenario.capacity()?.0.saturating_sub(stated.0);
        return (held > 0).then_some(Span { low: held, typical: held, high: held });
    }
    usual(gpu)
}

/// The same of a GPU, where nothing is stated.
pub fn usual(gpu: &Gpu) -> Option<Span> {
    let shared = gpu.class() == Class::Unified && gpu.capacity_basis != CapacityBasis::Limit;
    shared.then_some(Span::of(540, 1_080, 1_990))
}

/// How much less the system may hold than what is counted: a run that only this leaves room for is tight. Nothing under vLLM, whose start asks for what is free.
pub fn doubtful(scenario: &Scenario) -> Bytes {
    held(scenario)
        .filter(|_| scenario.runtime() != Some(Engine::Vllm))
        .map_or(Bytes::ZERO, |span| Bytes(span.typical - span.low))
}
