//! Any bytes as a `config.json`: a model that can be evaluated, or a message; never a panic.
//! What is asked of them stands in one place with the randomised tests of the engine, which run it without a fuzzer.

#![no_main]

#[path = "../../core/tests/common/hostile.rs"]
mod hostile;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    hostile::ask_everything(bytes);
});
