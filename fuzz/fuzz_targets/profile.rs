//! Any text as a pasted profile: sizes within what is believed, or none; never a panic.

#![no_main]

use memory_wall_core::Bytes;
use memory_wall_core::profile::{MOST, read, size};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let paste = read(text);
    for found in paste.found {
        // Two sizes of one text may be added.
        assert!(found.size().is_none_or(|found| found <= Bytes(2 * u128::from(MOST))), "{found:?}");
    }
    assert!(size(text, 1).is_none_or(|size| size <= MOST));
});
