//! Settings as text: shell words, YAML, JSON, each quoted by its own rules.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

use super::Line;
use super::sheet::{ASKED, Datum, Setting};
use crate::json;

/// The widest line of a comment, in characters.
const WIDTH: usize = 100;

/// What a file begins with.
pub(super) struct Head<'a> {
    /// What it is, in a sentence.
    pub(super) title: &'a str,
    /// Where its settings come from.
    pub(super) lines: &'a [Line],
    /// What is not in it.
    pub(super) left_out: &'a [String],
}

/// A text in a comment: on one line, and without what would end the line or turn its order.
fn comment(text: &str) -> String {
    let mut said = String::new();
    for c in text.chars() {
        let hidden =
            matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        if c.is_control() || hidden {
            said.extend(c.escape_unicode());
        } else {
            said.push(c);
        }
    }
    said
}

/// A comment behind `#`, in lines; those that follow are indented by `margin`.
fn hash(text: &str, margin: &str) -> String {
    let mut lines = String::from("#");
    let mut width: usize = 1;
    for word in comment(text).split(' ') {
        let length = word.chars().count().saturating_add(1);
        if width > 1 && width.saturating_add(length) > WIDTH {
            lines.push_str("\n#");
            lines.push_str(margin);
            width = margin.chars().count().saturating_add(1);
        }
        lines.push(' ');
        lines.push_str(word);
        width = width.saturating_add(length);
    }
    lines + "\n"
}

impl Head<'_> {
    /// As comments, with the lines where the format has no room for comments beside them.
    fn comments(&self, lines: bool) -> String {
        let mut text = hash(self.title, "");
        for line in self.lines.iter().filter(|_| lines) {
            text += &hash(&format!("  {line}"), "    ");
        }
        if !self.left_out.is_empty() {
            text += "# Not written, and to be known:\n";
        }
        for left in self.left_out {
            text += &hash(&format!("  {left}"), "    ");
        }
        text
    }
}

/// A word of a shell: as it stands where it is safe, and otherwise in single quotes, in which nothing has a meaning.
fn word(text: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "-._/=:,@%+".contains(c);
    if !text.is_empty() && text.chars().all(safe) { text.into() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// A shell script with one command.
pub(super) fn shell(head: &Head<'_>, command: &[Datum], settings: &[Setting]) -> String {
    let mut parts = alloc::vec![beginning(command)];
    for setting in settings {
        parts.push(match &setting.value {
            Datum::Switch => setting.place.into(),
            Datum::List(items) => format!("{} {}", setting.place, words(items)),
            value => format!("{} {}", setting.place, word(&value.plain())),
        });
    }
    format!("#!/bin/sh\n{}{}\n", head.comments(true), parts.join(" \\\n  "))
}

/// A shell script with one command behind variables of its environment.
pub(super) fn environment(head: &Head<'_>, command: &[Datum], settings: &[Setting]) -> String {
    let mut parts: Vec<String> =
        settings.iter().map(|setting| format!("{}={}", setting.place, word(&setting.value.plain()))).collect();
    parts.push(beginning(command));
    format!("#!/bin/sh\n{}{}\n", head.comments(true), parts.join(" \\\n"))
}

/// The words that a command begins with. One that is asked for is a variable without which a shell stops, with the sentence.
fn beginning(command: &[Datum]) -> String {
    let word = |part: &Datum| match part {
        Datum::Asked(what) => format!("\"${{{ASKED}:?{what}}}\""),
        part => word(&part.plain()),
    };
    command.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn words(words: &[String]) -> String {
    words.iter().map(|part| word(part)).collect::<Vec<_>>().join(" ")
}

/// A setting with what is left of its place on the way down.
type Placed<'a> = (Vec<&'static str>, &'a Setting);

fn placed(settings: &[Setting]) -> Vec<Placed<'_>> {
    settings.iter().map(|setting| (setting.place.split('.').collect(), setting)).collect()
}

/// What stands under each key, in the order in which the keys come first.
fn under<'a>(settings: &[Placed<'a>]) -> Vec<(&'static str, Vec<Placed<'a>>)> {
    let mut groups: Vec<(&'static str, Vec<Placed<'a>>)> = Vec::new();
    for (path, setting) in settings {
        let Some((key, rest)) = path.split_first() else { continue };
        match groups.iter_mut().find(|(other, _)| other == key) {
            Some((_, group)) => group.push((rest.to_vec(), setting)),
            None => groups.push((key, alloc::vec![(rest.to_vec(), *setting)])),
        }
    }
    groups
}

/// YAML with a comment behind each line.
pub(super) fn yaml(head: &Head<'_>, settings: &[Setting]) -> String {
    let mut text = head.comments(false);
    yaml_lines(&placed(settings), "", &mut text);
    text
}

fn yaml_lines(settings: &[Placed<'_>], margin: &str, text: &mut String) {
    for (key, group) in under(settings) {
        // Writing into a text does not fail.
        let _ = match group.first() {
            Some((rest, setting)) if rest.is_empty() => {
                writeln!(text, "{margin}{key}: {} # {}", yaml_value(&setting.value), comment(&setting.from))
            }
            _ => {
                let found = writeln!(text, "{margin}{key}:");
                yaml_lines(&group, &format!("{margin}  "), text);
                found
            }
        };
    }
}

fn yaml_value(value: &Datum) -> String {
    match value {
        Datum::Word(text) if !is_plain(text) => json::quoted(text),
        Datum::List(items) => format!("[{}]", items.join(", ")),
        value => value.plain(),
    }
}

/// Whether YAML reads a word as a text where it has no quotes.
fn is_plain(text: &str) -> bool {
    let first = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    let rest = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-/.".contains(&byte));
    let meant = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    first && rest && !meant.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// JSON, which has no comments.
pub(super) fn json(settings: &[Setting]) -> String {
    let mut text = String::new();
    json_map(&placed(settings), "", &mut text);
    text.push('\n');
    text
}

fn json_map(settings: &[Placed<'_>], margin: &str, text: &mut String) {
    text.push('{');
    for (place, (key, group)) in under(settings).into_iter().enumerate() {
        let comma = if place == 0 { "" } else { "," };
        // Writing into a text does not fail.
        let _ = write!(text, "{comma}\n{margin}  \"{key}\": ");
        match group.first() {
            Some((rest, setting)) if rest.is_empty() => text.push_str(&json_value(&setting.value)),
            _ => json_map(&group, &format!("{margin}  "), text),
        }
    }
    let _ = write!(text, "\n{margin}}}");
}

fn json_value(value: &Datum) -> String {
    match value {
        Datum::Word(text) => json::quoted(text),
        Datum::List(items) => {
            let items: Vec<String> = items.iter().map(|item| json::quoted(item)).collect();
            format!("[{}]", items.join(", "))
        }
        Datum::Switch => true.to_string(),
        value => value.plain(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_word_has_a_meaning_for_a_shell() {
        for (text, quoted) in [
            ("meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B"),
            ("", "''"),
            ("a b", "'a b'"),
            ("$(rm -rf ~)", "'$(rm -rf ~)'"),
            ("it's", "'it'\\''s'"),
            ("`id`;\n&|<>*?[]{}!#", "'`id`;\n&|<>*?[]{}!#'"),
            ("\u{e9}", "'\u{e9}'"),
        ] {
            assert_eq!(word(text), quoted);
        }
    }

    #[test]
    fn a_comment_stays_one() {
        assert_eq!(hash("a\nrm -rf ~\u{2028}\u{85}\u{202e}", ""), "# a\\u{a}rm -rf ~\\u{2028}\\u{85}\\u{202e}\n");
        let long = "word ".repeat(60);
        assert!(hash(&long, "  ").lines().all(|line| line.starts_with('#') && line.len() <= WIDTH));
    }

    #[test]
    fn yaml_words_are_texts() {
        for word in ["no", "True", "on", "1", "1e3", "~", "a: b", "- a", "#", "", "null", "0x1f", "a #b"] {
            assert!(yaml_value(&Datum::from(word)).starts_with('"'), "{word}");
        }
        assert_eq!(yaml_value(&Datum::from("Qwen/Qwen3-0.6B")), "Qwen/Qwen3-0.6B");
    }
}
