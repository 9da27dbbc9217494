//! What stands around the text and the figures, `content/en/site.txt`: a function for each line, as in the tutorial itself.

use std::sync::OnceLock;

pub(crate) use memory_wall_app::words::language;
use memory_wall_app::words::{filled, resolved};

use crate::read;

const ENGLISH: &str = include_str!("../../../content/en/site.txt");

static TEXTS: OnceLock<Vec<String>> = OnceLock::new();

/// Learns the words of the language that is spoken. What its file lacks or has too much is said.
pub(crate) fn learn() -> Result<(), String> {
    let path = language().folder.join("site.txt");
    let texts = resolved(ENGLISH, &read(&path)?).map_err(|fault| format!("{}: {fault}", path.display()))?;
    TEXTS.set(texts).map_err(|_| "words were said before it was known in which language".to_owned())
}

/// English where nobody has said otherwise, as in tests.
fn say(place: usize) -> &'static str {
    let texts = TEXTS.get_or_init(|| resolved(ENGLISH, ENGLISH).unwrap_or_default());
    texts.get(place).map_or("", String::as_str)
}

fn fill(place: usize, values: &[&str]) -> String {
    filled(say(place), values)
}

include!(concat!(env!("OUT_DIR"), "/site.rs"));
