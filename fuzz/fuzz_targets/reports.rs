//! Any bytes as what a run left behind: reports within bounds, nothing misplaced, nothing shown that is a path; never a panic.
//! What is asked of them stands in one place with the tests of the readers, which ask it without a fuzzer.

#![no_main]

#[path = "../../reports/tests/common/hostile.rs"]
mod hostile;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    hostile::ask_everything(bytes);
});
