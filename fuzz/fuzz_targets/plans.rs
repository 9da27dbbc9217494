//! Any text as a plan, a command or a config file: a plan that the engine takes and every program is written for, or words; never a panic.
//! What is asked stands in one place with the tests of plans, which ask it without a fuzzer.

#![no_main]

#[path = "../../plan/tests/common/hostile.rs"]
mod hostile;

libfuzzer_sys::fuzz_target!(|text: &str| {
    hostile::read(text);
});
