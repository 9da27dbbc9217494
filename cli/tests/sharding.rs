//! ZeRO by DeepSpeed and by FSDP on the command line: what a new engineer was told wrongly, with the words beside the figures.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

mod common;

use common::{json, run};

const TRAINING: &str = "--mode training --checkpointing full";

#[test]
fn zero_offload_is_not_refused() {
    let line = format!("estimate --model llama-2-13b {TRAINING} --seq 1024 --gpu v100-sxm2-32 --offload optimizer");
    let held = run(&format!("{line} --zero 2"));
    assert_eq!(held.code, 0, "{}", held.out);
    assert!(!held.err.contains("--zero has no effect"), "{}", held.err);
    assert!(held.out.contains("Gradients go to host memory as they are made"), "{}", held.out);
    assert!(held.out.contains("ZeRO-2 is counted as DeepSpeed runs it"), "{}", held.out);
    let stays = run(&line);
    assert_eq!(stays.code, 1);
    assert!(stays.out.contains("DeepSpeed moves them as they are made with ZeRO-2 and 3"), "{}", stays.out);
}

#[test]
fn a_step_of_zero_1_and_2_is_not_forgotten() {
    for line in ["--zero 2 --seq 512", "--zero 1 --seq 2048"] {
        let told = run(&format!("estimate --model llama-3.1-8b {TRAINING} --gpu a100-80-sxm --dp 2 {line}"));
        assert_eq!(told.code, 1, "{line}: {}", told.out);
        assert!(told.out.contains("while the optimizer takes its step"), "{line}: {}", told.out);
    }
    let fsdp = format!("estimate --model llama-3.1-8b {TRAINING} --weights fp32 --recipe autocast --dp 8 --zero 2");
    assert!(run(&fsdp).out.contains("(SHARD_GRAD_OP)"));
    assert!(run(&format!("{fsdp} --micro-batches 4")).out.contains("Micro-batches add up whole gradients in 16 bits"));
}

/// What the ladder says of gradients is what it counts.
#[test]
fn the_ladder_moves_gradients_with_the_optimizer() {
    let line = format!("--model llama-2-7b {TRAINING} --seq 1024 --gpu rtx3090");
    let (_, advice) = json(&format!("advise {line}"));
    let rung = advice["ladder"].as_array().unwrap().iter().find(|rung| rung["rung"] == "offload-optimizer").unwrap();
    assert!(rung["options"].as_array().unwrap().iter().any(|option| option == "--zero 2"), "{rung}");
    let (_, told) = json(&format!("estimate {line} --offload optimizer --zero 2"));
    assert_eq!(told["buckets"]["gradients"].as_u64(), Some(0));
}
