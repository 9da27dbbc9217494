//! Moodle XML, as Moodle's reader `qformat_xml` takes it.
//!
//! Read beside `question/format/xml/format.php` of Moodle in November 2026: names of types and formats, paths and attributes are
//! those that its `import_*` functions ask for; what we leave out has a default there.

use std::fmt::Write as _;

use memory_wall_app::sections::quiz::bank::{Answer, Choosable, Item, tolerance};

use super::xml::escaped;
use super::{category, in_folders, percent, share};
use crate::words;

/// Every question, in categories.
pub(super) fn written(book: &str, items: &[Item]) -> String {
    let mut out = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- {} -->\n<quiz>\n", words::bank_licence());
    for (folders, item) in in_folders(book, items) {
        if let Some(folders) = folders {
            let path = escaped(&category(&folders));
            // Writing into a string does not fail.
            let _ = writeln!(out, "<question type=\"category\"><category><text>{path}</text></category></question>");
        }
        let (kind, answers) = answers(item);
        let _ = writeln!(
            out,
            "<question type=\"{kind}\">\n<name><text>{}</text></name>\n{}\n{}\n<defaultgrade>1</defaultgrade>\
             <penalty>0.3333333</penalty><hidden>0</hidden><idnumber>{}</idnumber>\n{answers}{}</question>",
            escaped(&item.title),
            said("questiontext", &item.ask),
            said("generalfeedback", &item.explanation),
            escaped(&item.id),
            item.hint.as_deref().map(|hint| said("hint", hint) + "\n").unwrap_or_default(),
        );
    }
    out + "</quiz>\n"
}

/// A text with the element that it is the content of: plain, so that no tag is one.
fn said(element: &str, text: &str) -> String {
    format!("<{element} format=\"plain_text\"><text>{}</text></{element}>", escaped(text))
}

/// One answer: what it is worth in percent, its text, what more it says, and what is told to who gives it.
fn answer(fraction: &str, text: &str, more: &str, feedback: Option<&str>) -> String {
    format!(
        "<answer fraction=\"{fraction}\" format=\"plain_text\"><text>{}</text>{more}{}</answer>\n",
        escaped(text),
        said("feedback", feedback.unwrap_or_default())
    )
}

/// The type of a question, and what is particular to it.
fn answers(item: &Item) -> (&'static str, String) {
    match &item.answer {
        Answer::One(options) => ("multichoice", choices(options, true)),
        Answer::Several(options) => ("multichoice", choices(options, false)),
        Answer::Number(number) => {
            let near = |value: f64| format!("<tolerance>{}</tolerance>", tolerance(value));
            let mut out = answer("100", &number.value.to_string(), &near(number.value), None);
            for (value, said) in &number.slips {
                out += &answer("0", &value.to_string(), &near(*value), Some(said));
            }
            // Any other number.
            out += &answer("0", "*", "<tolerance>0</tolerance>", item.hint.as_deref());
            ("numerical", out + "<unitgradingtype>0</unitgradingtype><showunits>3</showunits>\n")
        }
        Answer::Claim { holds, verdict, .. } => {
            let of = |option: bool| {
                let (fraction, feedback) = if option == *holds { ("100", None) } else { ("0", Some(*verdict)) };
                answer(fraction, &option.to_string(), "", feedback)
            };
            ("truefalse", of(true) + &of(false))
        }
        // Each place is matched with its part: not every Moodle has questions about an order.
        Answer::Order(parts) => {
            let pairs = parts.iter().fold(String::new(), |all, [place, part]| {
                let [place, part] = [place, part].map(|text| escaped(text));
                all + &format!(
                    "<subquestion format=\"plain_text\"><text>{place}</text><answer><text>{part}</text></answer></subquestion>\n"
                )
            });
            ("matching", format!("<shuffleanswers>true</shuffleanswers>\n{pairs}"))
        }
    }
}

fn choices(options: &[Choosable], single: bool) -> String {
    let share = percent(share(options));
    let head = format!(
        "<single>{single}</single><shuffleanswers>true</shuffleanswers><answernumbering>none</answernumbering>\n"
    );
    options.iter().fold(head, |all, option| {
        let fraction = match (&option.wrong, single) {
            (None, _) => share.clone(),
            (Some(_), true) => "0".to_owned(),
            (Some(_), false) => format!("-{share}"),
        };
        all + &answer(&fraction, &option.text, "", option.wrong.as_deref())
    })
}
