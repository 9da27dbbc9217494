//! The words of a page beside the tutorial, from a file of its own: the program never says them, so no visitor of the first page loads them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use memory_wall_app::words::language;

use crate::kit::json;
use crate::read;

/// Stands around a key without words; a page that holds one is not written.
pub(crate) const MISSING: char = '\u{fffd}';

/// Words by key, and which of them were asked for.
pub(crate) struct Words {
    table: BTreeMap<String, String>,
    asked: RefCell<BTreeSet<String>>,
}

impl Words {
    /// Reads the `key = text` lines of a file beside the prose.
    pub(crate) fn read(file: &str) -> Result<Self, String> {
        let text = read(&language().folder.join(file))?;
        let mut table = BTreeMap::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (key, text) = line.split_once(" = ").ok_or(format!("{file}: not `key = text`: {line}"))?;
            if table.insert(key.to_owned(), text.to_owned()).is_some() {
                return Err(format!("{file}: {key} is there twice"));
            }
        }
        Ok(Self { table, asked: RefCell::default() })
    }

    /// The words with this key, as HTML.
    pub(crate) fn say(&self, key: &str) -> String {
        self.asked.borrow_mut().insert(key.to_owned());
        self.table.get(key).map_or_else(|| format!("{MISSING}{key}{MISSING}"), |text| escaped(text))
    }

    /// The words with this key as they are written.
    pub(crate) fn plain(&self, key: &str) -> String {
        self.asked.borrow_mut().insert(key.to_owned());
        self.table.get(key).cloned().unwrap_or_else(|| format!("{MISSING}{key}{MISSING}"))
    }

    /// The words with this key as a line of Markdown, with `{name}` replaced by its value.
    pub(crate) fn prose(&self, key: &str, values: &[(&str, String)]) -> String {
        self.asked.borrow_mut().insert(key.to_owned());
        let text = self.table.get(key).map_or_else(|| format!("{MISSING}{key}{MISSING}"), |text| inline(text));
        values.iter().fold(text, |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }

    /// The paragraphs `<key>.1`, `<key>.2` and so on.
    pub(crate) fn paragraphs(&self, key: &str, values: &[(&str, String)]) -> String {
        let keys = (1..).map(|place| format!("{key}.{place}")).take_while(|key| self.has(key));
        keys.fold(String::new(), |all, key| all + &format!("<p>{}</p>", self.prose(&key, values)))
    }

    /// Whether there are words with this key.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// The same with `{name}` replaced by its value.
    pub(crate) fn say_with(&self, key: &str, values: &[(&str, String)]) -> String {
        values.iter().fold(self.say(key), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }

    /// Puts the words with the key in the place of each `{{key}}` whose key begins with `start`.
    pub(crate) fn put(&self, mut html: String, start: &str) -> String {
        let mark = format!("{{{{{start}");
        while let Some((before, (key, behind))) =
            html.split_once(&mark).and_then(|(before, rest)| Some((before, rest.split_once("}}")?)))
        {
            html = format!("{before}{}{behind}", self.say(&format!("{start}{key}")));
        }
        html
    }

    /// All of them as an object for a script.
    pub(crate) fn json(&self) -> String {
        json::object(self.table.iter().map(|(key, text)| (key.as_str(), json::text(text))))
    }

    /// Words that nobody asked for.
    #[cfg(test)]
    pub(crate) fn left(&self) -> Vec<&String> {
        let asked = self.asked.borrow();
        self.table.keys().filter(|key| !asked.contains(*key)).collect()
    }
}

/// A line of Markdown as HTML, without the paragraph around it.
pub(crate) fn inline(markdown: &str) -> String {
    let mut html = String::new();
    let options = pulldown_cmark::Options::ENABLE_SMART_PUNCTUATION;
    pulldown_cmark::html::push_html(&mut html, pulldown_cmark::Parser::new_ext(markdown, options));
    html.trim().trim_start_matches("<p>").trim_end_matches("</p>").to_owned()
}

/// Text as HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A text with the addresses in it as links: `data sheet (nvidia.com)`, `(github.com/a/b at 12ab34)`.
pub(crate) fn linked(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let mut out = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let address = word.trim_matches(['(', ')', ',', ';', '.']);
        let host = address.split('/').next().unwrap_or_default();
        let known = [".com", ".org", ".net", ".se"].iter().any(|end| host.ends_with(end));
        if !known || address.is_empty() {
            out.push(escaped(word));
            continue;
        }
        let (before, behind) = word.split_once(address).unwrap_or_default();
        // A commit that is named behind a repository is part of where it is.
        let commit = (words.get(place + 1) == Some(&"at")).then(|| words.get(place + 2)).flatten();
        let commit = commit.map(|commit| commit.trim_end_matches([')', ',', ';', '.']));
        let commit =
            commit.filter(|commit| host == "github.com" && commit.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let tree = commit.map(|commit| format!("/tree/{commit}")).unwrap_or_default();
        let address = escaped(address);
        out.push(format!("{before}<a href=\"https://{address}{tree}\">{address}</a>{behind}"));
    }
    out.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_become_links() {
        assert_eq!(
            linked("data sheet (nvidia.com), a table (github.com/a/b at 12ab34) & more"),
            "data sheet (<a href=\"https://nvidia.com\">nvidia.com</a>), a table (<a href=\"https://github.com/a/b/tree/12ab34\">github.com/a/b</a> at 12ab34) &amp; more"
        );
        assert_eq!(linked("published config.json; v2.1"), "published config.json; v2.1");
    }
}
