//! Words on screen: no sentence lives in the code.
//!
//! Each line of the English files is a function, or a type where something is filled in, which `build.rs` writes:
//! `words::rig_label()`, `words::WallLine { capacity }.text()`. A word that is missing does not compile, and one that nobody uses
//! is a warning. A list of choices has a function of its enumeration: `words::bucket(Bucket::Weights)`, see `lists.rs`.
//!
//! - `words.txt` is what the program in the browser says too. It finds these texts in the page, a line each and without their
//!   keys, so that it speaks the page's language.
//! - `labels.txt` is what levers are labelled with, in `labels`: the page is built with them, and hydration never writes them,
//!   so in the browser they are empty.
//! - `page.txt` is what only the page says. In the browser its functions do not exist.

#[cfg(not(target_arch = "wasm32"))]
mod file;
#[cfg(not(target_arch = "wasm32"))]
mod language;
mod lists;

#[cfg(not(target_arch = "wasm32"))]
pub use language::{Language, language, resolved, speak};
pub(crate) use lists::*;
#[cfg(not(target_arch = "wasm32"))]
pub use lists::{figure_title, section_title};

/// What the program in the browser says too.
#[cfg_attr(
    not(target_arch = "wasm32"),
    allow(dead_code, reason = "some of it is said in the browser alone; what that leaves out is a warning there")
)]
mod spoken {
    use super::{List, filled};

    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn say(place: usize) -> &'static str {
        super::language().spoken.get(place).map_or("", String::as_str)
    }

    #[cfg(target_arch = "wasm32")]
    use super::learned as say;

    fn fill(place: usize, values: &[&str]) -> String {
        filled(say(place), values)
    }

    include!(concat!(env!("OUT_DIR"), "/words.rs"));
}
pub(crate) use spoken::*;

/// What levers are labelled with.
pub(crate) mod labels {
    pub(crate) use super::lists::labels::*;
    use super::{List, filled};

    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn say(place: usize) -> &'static str {
        super::language().labels.get(place).map_or("", String::as_str)
    }

    #[cfg(target_arch = "wasm32")]
    pub(super) const fn say(_: usize) -> &'static str {
        ""
    }

    fn fill(place: usize, values: &[&str]) -> String {
        filled(say(place), values)
    }

    include!(concat!(env!("OUT_DIR"), "/labels.rs"));
}

/// What only the page says.
#[cfg(not(target_arch = "wasm32"))]
mod drawn {
    use super::{List, filled};

    pub(super) fn say(place: usize) -> &'static str {
        super::language().drawn.get(place).map_or("", String::as_str)
    }

    fn fill(place: usize, values: &[&str]) -> String {
        filled(say(place), values)
    }

    include!(concat!(env!("OUT_DIR"), "/page.rs"));
}
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use drawn::*;

/// The lines of the page's words.
#[cfg(target_arch = "wasm32")]
static LEARNED: std::sync::OnceLock<Vec<&'static str>> = std::sync::OnceLock::new();

/// Learns the words of the page, once and before the first is said.
#[cfg(target_arch = "wasm32")]
pub fn learn(text: String) {
    // They are said as long as the page lives.
    let text: &'static str = text.leak();
    LEARNED.get_or_init(|| text.split('\n').collect());
}

#[cfg(target_arch = "wasm32")]
fn learned(place: usize) -> &'static str {
    LEARNED.get().and_then(|lines| lines.get(place)).copied().unwrap_or_default()
}

/// The name of a part of the wall, for the planner.
pub fn bucket_name(part: memory_wall_core::Bucket) -> &'static str {
    bucket(part)
}

/// A text with its values put in, in one pass, so that a value with braces stays text. In place of its names a text has letters,
/// `{a}` for the first value: see [`Language::read`].
pub fn filled(mut rest: &str, values: &[&str]) -> String {
    let mut text = String::new();
    while let Some((before, after)) = rest.split_once('{') {
        let Some((letter, behind)) = after.split_once('}') else { break };
        text.push_str(before);
        let place = letter.bytes().next().and_then(|letter| letter.checked_sub(b'a'));
        text.push_str(place.and_then(|place| values.get(usize::from(place))).copied().unwrap_or_default());
        rest = behind;
    }
    text + rest
}

/// Texts one after the other, with something between them. The standard library's `join` and `concat` take 1.7 kB of the program,
/// since they are written into it once for each of five lengths of what stands between.
pub(crate) fn joined<Text: AsRef<str>>(texts: &[Text], between: &str) -> String {
    let mut all = String::new();
    for (place, text) in texts.iter().enumerate() {
        if place > 0 {
            all.push_str(between);
        }
        all.push_str(text.as_ref());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{filled, joined};

    #[test]
    fn texts_are_joined_as_the_standard_library_does() {
        for texts in [&[][..], &["a"], &["", ""], &["a", "b", "c"]] {
            for between in ["", ", "] {
                assert_eq!(joined(texts, between), texts.join(between));
            }
        }
    }

    #[test]
    fn filling_in_is_one_pass() {
        assert_eq!(super::NoticeUnknown { key: "{key}" }.text(), "It has a part that is not known here: {key}.");
        assert_eq!(filled("{b} {a}", &["{b}", "{a}"]), "{a} {b}");
        assert_eq!(filled("{a} {b}", &[]), " ");
        assert_eq!(filled("a{", &[]), "a{");
    }
}
