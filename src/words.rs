//! Words on screen, by key, from the language's own text file: no sentence lives in the code.

#[cfg(not(target_arch = "wasm32"))]
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A language: the texts of its folder below `content/`.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug)]
pub struct Language {
    /// The folder, called as the language is: `content/en`. The prose is read from it.
    pub folder: PathBuf,
    /// `words.txt`, which the program in the browser says too: it finds these words in the page, so that it speaks the page's language.
    pub spoken: &'static str,
    /// `page.txt`, which only the prerendered page says.
    pub drawn: &'static str,
    /// `quiz.txt`, the questions of the self-check.
    pub asked: &'static str,
}

#[cfg(not(target_arch = "wasm32"))]
static LANGUAGE: OnceLock<Language> = OnceLock::new();

/// The language that is spoken: English, where nobody has said otherwise.
#[cfg(not(target_arch = "wasm32"))]
pub fn language() -> &'static Language {
    LANGUAGE.get_or_init(|| Language {
        folder: Path::new(env!("CARGO_MANIFEST_DIR")).join("content/en"),
        spoken: include_str!("../content/en/words.txt"),
        drawn: include_str!("../content/en/page.txt"),
        asked: include_str!("../content/en/quiz.txt"),
    })
}

/// Speaks a language, from the first word on; it is handed back where one is spoken already.
#[cfg(not(target_arch = "wasm32"))]
pub fn speak(language: Language) -> Result<(), Language> {
    LANGUAGE.set(language)
}

type Table = Vec<(&'static str, &'static str)>;

static TABLE: OnceLock<Table> = OnceLock::new();

#[cfg(not(target_arch = "wasm32"))]
fn table() -> &'static Table {
    TABLE.get_or_init(|| rows(language().spoken).chain(rows(language().drawn)).collect())
}

#[cfg(target_arch = "wasm32")]
fn table() -> &'static Table {
    TABLE.get_or_init(Vec::new)
}

/// Learns the words of the page, once and before the first is said.
#[cfg(target_arch = "wasm32")]
pub fn learn(text: String) {
    // They are said as long as the page lives.
    let text: &'static str = text.leak();
    TABLE.get_or_init(|| rows(text).collect());
}

fn rows(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(row)
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
    filled(t(key), &|name| values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
}

/// The same with values of its own.
pub fn fill_with(key: &'static str, values: &[(&str, String)]) -> String {
    filled(t(key), &|name| values.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str()))
}

fn filled<'a>(mut rest: &str, value: &dyn Fn(&str) -> Option<&'a str>) -> String {
    let mut text = String::new();
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((name, behind)) = after.split_once('}') else { break };
        text.push_str(value(name).unwrap_or_default());
        rest = behind;
    }
    text + rest
}

/// Every key, for tests.
pub fn keys() -> impl Iterator<Item = &'static str> {
    table().iter().map(|(key, _)| *key)
}
