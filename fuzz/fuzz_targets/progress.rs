//! Any text as kept answers: read, written, and read again the same; never a panic.
//! What is asked stands in one place with the tests of the page, which ask it without a fuzzer.

#![no_main]

#[path = "../../tests/common/hostile.rs"]
mod hostile;

libfuzzer_sys::fuzz_target!(|text: &str| {
    hostile::kept(text);
});
