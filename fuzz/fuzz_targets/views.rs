//! Any bytes as a memory snapshot that the page draws, and any questions of its pictures: columns, flame graphs, segments, what only grows.
//! What is asked of them stands in one place with the tests of the program that draws, which ask it without a fuzzer.

#![no_main]

#[path = "../../views/tests/common/hostile.rs"]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "numbers are cut on purpose, and names are few"
)]
mod hostile;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    hostile::ask_views(bytes);
});
