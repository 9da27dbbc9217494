//! The language that the page is built in.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::file::{Line, lines};

/// A language: the texts of its folder below `content/`, each in the place that it has in English.
#[derive(Debug)]
pub struct Language {
    /// The folder, called as the language is: `content/en`. The prose is read from it.
    pub folder: PathBuf,
    /// `words.txt`, which the program in the browser says too.
    pub spoken: Vec<String>,
    /// `labels.txt`, which levers are labelled with.
    pub(super) labels: Vec<String>,
    /// `page.txt`, which only the prerendered page says.
    pub(super) drawn: Vec<String>,
    /// `quiz.txt`, the questions of the self-check.
    pub asked: &'static str,
}

static LANGUAGE: OnceLock<Language> = OnceLock::new();

/// The language that is spoken: English, where nobody has said otherwise.
pub fn language() -> &'static Language {
    LANGUAGE.get_or_init(|| {
        // Their own keys are all there.
        let own = |file: &Words| resolved(file.english, file.english).unwrap_or_default();
        Language {
            folder: Path::new(env!("CARGO_MANIFEST_DIR")).join("content/en"),
            spoken: own(&SPOKEN),
            labels: own(&LABELS),
            drawn: own(&DRAWN),
            asked: include_str!("../../content/en/quiz.txt"),
        }
    })
}

/// Speaks a language, from the first word on; it is handed back where one is spoken already.
pub fn speak(language: Language) -> Result<(), Language> {
    LANGUAGE.set(language)
}

/// A file of words.
struct Words {
    name: &'static str,
    english: &'static str,
}

const SPOKEN: Words = Words { name: "words.txt", english: include_str!("../../content/en/words.txt") };
const LABELS: Words = Words { name: "labels.txt", english: include_str!("../../content/en/labels.txt") };
const DRAWN: Words = Words { name: "page.txt", english: include_str!("../../content/en/page.txt") };

impl Language {
    /// Reads a folder such as `content/en`. What it has too little or too much, compared with English, is said.
    pub fn read(folder: PathBuf) -> Result<Self, String> {
        let text = |name: &str| {
            let path = folder.join(name);
            std::fs::read_to_string(&path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
        };
        let words = |file: &Words| {
            resolved(file.english, &text(file.name)?)
                .map_err(|fault| format!("{}: {fault}", folder.join(file.name).display()))
        };
        Ok(Self {
            spoken: words(&SPOKEN)?,
            labels: words(&LABELS)?,
            drawn: words(&DRAWN)?,
            // Its questions are asked as long as the program runs.
            asked: text("quiz.txt")?.leak(),
            folder,
        })
    }
}

/// The texts of a file in the order of the English one, with letters in place of their names: `{a}` for the value that comes
/// first in English.
pub fn resolved(english: &str, own: &str) -> Result<Vec<String>, String> {
    let (english, own) = (lines(english)?, lines(own)?);
    let keys = |of: &[Line<'_>], without: &[Line<'_>]| {
        let left = of.iter().filter(|line| without.iter().all(|known| known.key != line.key));
        left.map(|line| line.key.to_owned()).collect::<Vec<_>>().join(", ")
    };
    let (missing, unknown) = (keys(&english, &own), keys(&own, &english));
    if !missing.is_empty() {
        return Err(format!("it has no words for {missing}"));
    }
    if !unknown.is_empty() {
        return Err(format!("English has no {unknown}"));
    }
    let text = |line: &Line<'_>| lettered(*line, *own.iter().find(|own| own.key == line.key)?);
    english
        .iter()
        .map(|line| text(line).ok_or_else(|| format!("{} does not fill in what English does", line.key)))
        .collect()
}

/// A text with letters in place of the names that it has in English; nothing where it has other names.
fn lettered(english: Line<'_>, own: Line<'_>) -> Option<String> {
    let names = english.placeholders();
    if own.placeholders().len() != names.len() {
        return None;
    }
    let mut pieces = own.text.split('{');
    let mut text = pieces.next()?.to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once('}')?;
        let place = names.iter().position(|known| *known == name)?;
        text.extend(['{', ('a'..='z').nth(place)?, '}']);
        text.push_str(rest);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stand_where_english_has_them() {
        let english = "# words\na = one {x}, {y}\nb/c = two\nd = three";
        let own = "d = drei\nb/c = zwei\n\na = {y}: eins {x}";
        assert_eq!(resolved(english, own).unwrap(), ["{b}: eins {a}", "zwei", "drei"]);
    }

    #[test]
    fn names_that_are_letters_stay_apart() {
        assert_eq!(resolved("k = {b} {a}", "k = {a} {b}").unwrap(), ["{b} {a}"]);
    }

    #[test]
    fn what_a_language_lacks_or_has_too_much_is_said() {
        let of = |own: &str| resolved("a = one {x}\nb = two", own).unwrap_err();
        assert_eq!(of("a = eins {x}"), "it has no words for b");
        assert_eq!(of("a = eins {x}\nb = zwei\nc = drei"), "English has no c");
        assert_eq!(of("a = eins {y}\nb = zwei"), "a does not fill in what English does");
        assert_eq!(of("a = eins\nb = zwei"), "a does not fill in what English does");
        assert_eq!(of("a = eins {x}\nb = zwei\nb = zwo"), "b is there twice");
        assert_eq!(of("a = eins {x}\nb zwei"), "not `key = text`: b zwei");
    }

    #[test]
    fn english_is_whole() {
        for file in [SPOKEN, LABELS, DRAWN] {
            let english = lines(file.english).unwrap();
            assert_eq!(resolved(file.english, file.english).unwrap().len(), english.len(), "{}", file.name);
        }
    }
}
