//! Any bytes as the header of a GGUF file, in pieces: an answer that adds up, or words; never a panic.
//! What is asked of them stands in one place with the tests of the readers, which run it without a fuzzer.

#![no_main]

#[path = "../../reports/tests/made/hostile.rs"]
#[expect(dead_code, reason = "a target asks one of both")]
mod hostile;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    hostile::ask_model_file(bytes);
    hostile::ask_model_file(&[b"GGUF\x03\0\0\0", bytes].concat());
});
