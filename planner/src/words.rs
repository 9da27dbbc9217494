//! Words on screen, a function for each line of `content/en/planner.txt`. In the browser they stand in the page, a line each.

use std::sync::OnceLock;

use memory_wall_app::words::filled;
#[cfg(not(target_arch = "wasm32"))]
use memory_wall_app::words::resolved;

/// Words of which a list has one for each choice: `option/model`, `option/mode` and so on.
pub(crate) struct List {
    first: usize,
    choices: &'static [&'static str],
    say: fn(usize) -> &'static str,
}

impl List {
    /// The words of a choice by what it is called; nothing where it has none.
    pub(crate) fn of(&self, id: &str) -> &'static str {
        self.choices.iter().position(|known| *known == id).map_or("", |place| (self.say)(self.first + place))
    }
}

/// The file in English.
#[cfg(not(target_arch = "wasm32"))]
pub const ENGLISH: &str = include_str!("../../content/en/planner.txt");

static LEARNED: OnceLock<Vec<&'static str>> = OnceLock::new();

/// Learns the words, a line each, once and before the first is said.
pub fn learn(text: String) {
    // They are said as long as the page lives.
    let text: &'static str = text.leak();
    LEARNED.get_or_init(|| text.split('\n').collect());
}

/// English where nobody has said otherwise, as in tests.
fn learned() -> &'static [&'static str] {
    #[cfg(not(target_arch = "wasm32"))]
    LEARNED.get_or_init(|| resolved(ENGLISH, ENGLISH).unwrap_or_default().join("\n").leak().split('\n').collect());
    LEARNED.get().map_or(&[], Vec::as_slice)
}

fn say(place: usize) -> &'static str {
    learned().get(place).copied().unwrap_or_default()
}

fn fill(place: usize, values: &[&str]) -> String {
    filled(say(place), values)
}

/// Some of it is said in the browser alone, and some when the page is built.
#[allow(dead_code, reason = "said in the browser, or when the page is built")]
mod spoken {
    use super::{List, fill, say};

    include!(concat!(env!("OUT_DIR"), "/planner.rs"));
}
pub(crate) use spoken::*;
