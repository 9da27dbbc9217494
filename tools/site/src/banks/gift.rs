//! GIFT, Moodle's plain text format for questions, as Moodle's reader `qformat_gift` takes it.
//!
//! Read beside `question/format/gift/format.php` and `question/format.php` of Moodle in November 2026. What they ask for:
//! an empty line between questions and none within one; a category in a block of its own; a weight as `%100%`, which their
//! pattern of two digits and more takes; shares that are in their list of fractions, to five digits; feedback for any other
//! number behind `~#`, after all answers; and `####` behind all of them. One notice stops the import of all that follows.

use std::fmt::Write as _;

use memory_wall_app::sections::quiz::bank::{Answer, Item, tolerance};

use super::{category, in_folders, percent, share};
use crate::words;

/// Every question, in categories.
pub(super) fn written(book: &str, items: &[Item]) -> String {
    // A comment of the first category: a block of its own would be a question without text.
    let mut out = format!("// {}\n", words::bank_licence());
    for (folders, item) in in_folders(book, items) {
        if let Some(folders) = folders {
            // Only backslashes are read as escapes here.
            let path = category(&folders).replace('\\', "\\\\").replace(['\n', '\r'], " ");
            // Writing into a string does not fail.
            let _ = writeln!(out, "$CATEGORY: {path}\n");
        }
        // All of it is plain text, in which no tag is one. An empty line ends a question.
        let Item { title, ask, explanation, .. } = item;
        let _ = writeln!(
            out,
            "::{}::[plain]{}{{{}\n\t####{}\n}}\n",
            escaped(title),
            escaped(ask),
            answers(item),
            text(explanation)
        );
    }
    out
}

/// What stands between the braces, before the explanation.
fn answers(item: &Item) -> String {
    match &item.answer {
        Answer::One(options) => options.iter().fold(String::new(), |all, option| {
            // With a weight of its own the text of a wrong option may begin with a percent sign.
            let mark = if option.wrong.is_none() { "=" } else { "~%0%" };
            all + &format!("\n\t{mark}{}{}", text(&option.text), feedback(option.wrong.as_deref()))
        }),
        Answer::Several(options) => {
            let weight = percent(share(options));
            options.iter().fold(String::new(), |all, option| {
                let sign = if option.wrong.is_none() { "" } else { "-" };
                let feedback = feedback(option.wrong.as_deref());
                all + &format!("\n\t~%{sign}{weight}%{}{feedback}", text(&option.text))
            })
        }
        Answer::Number(number) => {
            let mut out = format!("#\n\t=%100%{}:{}", number.value, tolerance(number.value));
            for (value, said) in &number.slips {
                let _ = write!(out, "\n\t=%0%{value}:{}{}", tolerance(*value), feedback(Some(said)));
            }
            if item.hint.is_some() {
                let _ = write!(out, "\n\t~{}", feedback(item.hint.as_deref()));
            }
            out
        }
        Answer::Claim { holds, verdict, .. } => {
            format!("{}{}", if *holds { "TRUE" } else { "FALSE" }, feedback(Some(verdict)))
        }
        // Each place is matched with its part: GIFT knows no order.
        Answer::Order(parts) => parts.iter().fold(String::new(), |all, [place, part]| {
            // The first arrow is the one between the two.
            all + &format!("\n\t={} -> {}", text(&place.replace("->", "→")), escaped(part))
        }),
    }
}

fn feedback(said: Option<&str>) -> String {
    said.map(|said| format!("#{}", text(said))).unwrap_or_default()
}

/// A text that follows the format of its question. One that begins with a bracket would seem to name another.
fn text(text: &str) -> String {
    let text = escaped(text);
    if text.starts_with('[') { format!("[plain]{text}") } else { text }
}

/// A text in which nothing is a mark; its lines are one.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.trim().chars() {
        match letter {
            '\\' | '#' | '=' | '~' | '{' | '}' | ':' => out.extend(['\\', letter]),
            '\n' => out.push_str("\\n"),
            '\r' => {}
            letter => out.push(letter),
        }
    }
    out
}
