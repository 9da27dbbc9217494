//! Any text as the query of a link: a state that the engine takes, and notices in words; never a panic.
//! What is asked stands in one place with the tests of the page, which ask it without a fuzzer.

#![no_main]

#[path = "../../tests/common/hostile.rs"]
mod hostile;

libfuzzer_sys::fuzz_target!(|text: &str| {
    hostile::decoded(&memory_wall_app::state::query::decode(text));
});
