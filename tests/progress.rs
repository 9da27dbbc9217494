//! Kept answers: whatever lies in the storage or comes as a file is read without harm, and again as it was written.
//!
//! 1,000 cases a property, or as many as the environment variable `PROPTEST_CASES` says.

#[path = "common/cases.rs"]
mod cases;
#[path = "common/hostile.rs"]
mod hostile;

use proptest::prelude::*;
use proptest::sample::select;

/// Pieces of lines that a page writes, and of those that none does.
const PIECES: [&str; 35] = [
    "memory-wall progress 1",
    "guess ",
    "open ",
    "quiz ",
    "? ",
    "? ? ",
    "relu ",
    "walk ",
    "memory",
    "compute",
    "sides",
    "ridge",
    "kv_cache.size ",
    "roofline.three ",
    "open",
    "right ",
    "wrong ",
    "slip=",
    "half ",
    "variant=",
    "asked=",
    "right=",
    "day=",
    "step=",
    "given=",
    "68.7 GB",
    "0 ",
    "5 ",
    "999999 ",
    "-1 ",
    "1e9 ",
    "65.5",
    "\u{0}",
    "\u{fffd}",
    "<b>",
];

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => select(PIECES.as_slice()).prop_map(str::to_owned),
        4 => Just(String::from("\n")),
        1 => any::<String>(),
    ]
}

proptest! {
    #![proptest_config(cases::config())]

    #[test]
    fn what_looks_like_answers_is_read_as_it_is_written(pieces in prop::collection::vec(piece(), 0..80)) {
        hostile::kept(&pieces.concat());
    }

    #[test]
    fn any_text_is_read_as_it_is_written(text in any::<String>()) {
        hostile::kept(&text);
    }
}
