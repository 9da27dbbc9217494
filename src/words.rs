//! Words on screen, by key, from the language's own text file: no sentence lives in the code.

use std::sync::OnceLock;

const ENGLISH: &str = include_str!("../content/en/words.txt");
/// What only the prerendered page says is no weight for the program in the browser.
#[cfg(not(target_arch = "wasm32"))]
const ENGLISH_PAGE: &str = include_str!("../content/en/page.txt");
#[cfg(target_arch = "wasm32")]
const ENGLISH_PAGE: &str = "";

fn table() -> &'static [(&'static str, &'static str)] {
    static TABLE: OnceLock<Vec<(&'static str, &'static str)>> = OnceLock::new();
    TABLE.get_or_init(|| {
        ENGLISH.lines().chain(ENGLISH_PAGE.lines()).filter(|line| !line.starts_with('#')).filter_map(row).collect()
    })
}

/// A line as key and text. By characters: searching for strings would bring a search machine along.
fn row(line: &'static str) -> Option<(&'static str, &'static str)> {
    line.split_once('=').map(|(key, text)| (key.trim(), text.trim()))
}

/// The words with this key; the key itself where they are missing (a test finds those).
pub fn t(key: &'static str) -> &'static str {
    lookup(key).unwrap_or(key)
}

/// The words with a key put together at run time.
pub fn lookup(key: &str) -> Option<&'static str> {
    // Some two hundred short keys: a walk is a microsecond, and sorting them would be more program than it saves.
    table().iter().find(|(known, _)| *known == key).map(|(_, text)| *text)
}

/// The words of one choice of a group: `control.optimizer` and `adamw`.
pub fn choice(group: &str, id: &str) -> String {
    let key = format!("{group}.{id}");
    lookup(&key).map_or(key, Into::into)
}

/// The words with `{name}` replaced by its value, each once and in one pass, so that a value with braces stays text.
pub fn fill(key: &'static str, values: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut rest = t(key);
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((name, behind)) = after.split_once('}') else { break };
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) {
            text.push_str(value);
        }
        rest = behind;
    }
    text + rest
}

/// Every key, for tests.
pub fn keys() -> impl Iterator<Item = &'static str> {
    table().iter().map(|(key, _)| *key)
}
