//! Words of a shell, each with its line: quotes and backslashes as POSIX has them. Nothing is expanded and nothing is run.

use alloc::string::String;
use alloc::vec::Vec;

use crate::json::{LARGEST, Unreadable};

/// A command: what stands between separators.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// Its words, without assignments before them.
    pub(super) words: Vec<Word>,
}

impl Command {
    /// The text of the word at a place; empty behind the last.
    pub(super) fn at(&self, place: usize) -> &str {
        self.words.get(place).map_or("", |word| word.text.as_str())
    }

    /// The word at a place without the folders before it, and the word behind it.
    pub(super) fn pair(&self, place: usize) -> (&str, &str) {
        (self.at(place).rsplit('/').next().unwrap_or_default(), self.at(place.saturating_add(1)))
    }
}

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// The line on which it begins.
    pub(super) line: u32,
    /// Its text, without quotes.
    pub(super) text: String,
    /// Whether a shell would put something in its place, which is not known here.
    pub(super) expands: bool,
}

/// The most words that are read.
const MOST: usize = 4_000;

/// The commands of a text.
pub(super) fn commands(text: &str) -> Result<Vec<Command>, Unreadable> {
    if text.len() > LARGEST {
        return Err(Unreadable { line: 1, what: "the text is larger than 1 MiB, which no command is".into() });
    }
    let mut reader =
        Reader { rest: text.chars().peekable(), line: 1, done: Vec::new(), open: Command::default(), word: None };
    reader.all()?;
    Ok(reader.done)
}

struct Reader<'a> {
    rest: core::iter::Peekable<core::str::Chars<'a>>,
    line: u32,
    done: Vec<Command>,
    open: Command,
    word: Option<Word>,
}

impl Reader<'_> {
    fn all(&mut self) -> Result<(), Unreadable> {
        while let Some(c) = self.next() {
            match c {
                ' ' | '\t' | '\r' => self.end_word()?,
                '#' if self.word.is_none() => while self.rest.next_if(|c| *c != '\n').is_some() {},
                // What a command reads or writes is no argument of it, but stands apart from it.
                '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => self.end_command()?,
                '\\' => self.escaped(),
                '\'' => self.single()?,
                '"' => self.double()?,
                '$' | '`' => self.push(c).expands = true,
                c => {
                    self.push(c);
                }
            }
        }
        self.end_command()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        self.line = self.line.saturating_add(u32::from(c == '\n'));
        Some(c)
    }

    /// Adds a character to the word, which begins here if there is none.
    fn push(&mut self, c: char) -> &mut Word {
        let word = self.begin();
        word.text.push(c);
        word
    }

    fn begin(&mut self) -> &mut Word {
        let line = self.line;
        self.word.get_or_insert_with(|| Word { line, text: String::new(), expands: false })
    }

    /// Behind a backslash: a line goes on, on Windows too, and any other character stands for itself.
    fn escaped(&mut self) {
        let _ = self.rest.next_if_eq(&'\r');
        match self.next() {
            Some('\n') | None => {}
            Some(c) => {
                self.push(c);
            }
        }
    }

    fn single(&mut self) -> Result<(), Unreadable> {
        let line = self.begin().line;
        loop {
            match self.next() {
                Some('\'') => return Ok(()),
                Some(c) => {
                    self.push(c);
                }
                None => return Err(Unreadable { line, what: "a quote ' is not closed".into() }),
            }
        }
    }

    fn double(&mut self) -> Result<(), Unreadable> {
        let line = self.begin().line;
        loop {
            match self.next() {
                Some('"') => return Ok(()),
                Some('\\') => match self.next() {
                    Some('\n') | None => {}
                    Some(c @ ('"' | '\\' | '$' | '`')) => {
                        self.push(c);
                    }
                    Some(c) => {
                        self.push('\\').text.push(c);
                    }
                },
                Some(c @ ('$' | '`')) => self.push(c).expands = true,
                Some(c) => {
                    self.push(c);
                }
                None => return Err(Unreadable { line, what: "a quote \" is not closed".into() }),
            }
        }
    }

    fn end_word(&mut self) -> Result<(), Unreadable> {
        let Some(word) = self.word.take() else { return Ok(()) };
        // A variable before the command.
        let assigns = word.text.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        if self.open.words.is_empty() && assigns {
            return Ok(());
        }
        if self.open.words.len() >= MOST {
            return Err(Unreadable { line: word.line, what: "the command has more words than are read".into() });
        }
        self.open.words.push(word);
        Ok(())
    }

    fn end_command(&mut self) -> Result<(), Unreadable> {
        self.end_word()?;
        let command = core::mem::take(&mut self.open);
        if !command.words.is_empty() {
            if self.done.len() >= MOST {
                return Err(Unreadable { line: self.line, what: "the text has more commands than are read".into() });
            }
            self.done.push(command);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]
    use super::*;
    use alloc::vec;

    fn texts(text: &str) -> Vec<Vec<String>> {
        let commands = commands(text).unwrap();
        commands.into_iter().map(|it| it.words.into_iter().map(|word| word.text).collect()).collect()
    }

    #[test]
    fn words_are_those_of_a_shell() {
        for (text, words) in [
            ("a b  c", vec![vec!["a", "b", "c"]]),
            ("a \\\n  b", vec![vec!["a", "b"]]),
            ("a \\\r\n  b\r\n", vec![vec!["a", "b"]]),
            ("a 'b c' \"d e\"f", vec![vec!["a", "b c", "d ef"]]),
            ("a '' \"\"", vec![vec!["a", "", ""]]),
            ("X=1 Y_2='a b' a --b=c", vec![vec!["a", "--b=c"]]),
            ("# no\na # b\nc#d", vec![vec!["a"], vec!["c#d"]]),
            ("a && b | c > d; e &", vec![vec!["a"], vec!["b"], vec!["c"], vec!["d"], vec!["e"]]),
            ("a \"b\\\"c\\\\d\\e\" f\\ g", vec![vec!["a", "b\"c\\d\\e", "f g"]]),
            ("a '\\n' \"\\\nb\"", vec![vec!["a", "\\n", "b"]]),
            ("", vec![]),
        ] {
            assert_eq!(texts(text), words, "{text:?}");
        }
    }

    #[test]
    fn lines_are_kept_and_nothing_is_expanded() {
        let read = commands("a \\\n  $B '$C' \"$D\"").unwrap();
        let words = &read[0].words;
        assert_eq!(words.iter().map(|word| word.line).collect::<Vec<_>>(), [1, 2, 2, 2]);
        assert_eq!(words.iter().map(|word| word.expands).collect::<Vec<_>>(), [false, true, false, true]);
        assert_eq!(commands("a\n'b").unwrap_err().to_string(), "line 2: a quote ' is not closed");
    }
}
