//! QTI 1.2 as Canvas writes and reads it: a question bank for each folder, in a zip file.
//!
//! Read beside `lib/cc/qti/qti_items.rb` and `gems/plugins/qti_exporter` of Canvas in November 2026. Its importer takes QTI 2.1 too, but
//! of a number there it keeps the text of the right answer and no tolerance, and it refuses an order.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use memory_wall_app::sections::quiz::bank::{Answer, Choosable, Item, Number, tolerance};

use super::xml::escaped;
use super::{folders, percent};
use crate::{archive, words};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// The namespace of the manifest.
const MANIFEST: &str = "xmlns=\"http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1\"";

/// The namespace of banks, with the place of its schema.
const QTI: &str = "xmlns=\"http://www.imsglobal.org/xsd/ims_qtiasiv1p2\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
                   xsi:schemaLocation=\"http://www.imsglobal.org/xsd/ims_qtiasiv1p2 http://www.imsglobal.org/xsd/ims_qtiasiv1p2p1.xsd\"";

/// What most questions are answered by.
const RESPONSE: &str = "response1";

/// The whole package: the same bytes from the same questions.
pub(super) fn package(book: &str, items: &[Item]) -> Result<Vec<u8>, String> {
    // Questions of a section also come after one that has a bank of its own.
    let mut banks: Vec<(String, Vec<&Item>)> = Vec::new();
    for item in items {
        let title = folders(book, item).join(": ");
        match banks.iter_mut().find(|(known, _)| *known == title) {
            Some((_, items)) => items.push(item),
            None => banks.push((title, vec![item])),
        }
    }
    let banks: Vec<(String, String)> = banks
        .iter()
        .enumerate()
        .map(|(place, (title, items))| {
            let id = format!("bank-{}", place + 1);
            (format!("{id}.xml"), bank(&id, title, items))
        })
        .collect();
    let resources = banks.iter().fold(String::new(), |all, (file, _)| {
        let id = file.trim_end_matches(".xml");
        all + &format!("<resource identifier=\"{id}\" type=\"imsqti_xmlv1p2\"><file href=\"{file}\"/></resource>\n")
    });
    let manifest = format!(
        "{HEAD}<!-- {} -->\n<manifest {MANIFEST} identifier=\"memory-wall-banks\">\n\
         <metadata><schema>IMS Content</schema><schemaversion>1.1.3</schemaversion></metadata>\n<organizations/>\n\
         <resources>\n{resources}</resources>\n</manifest>\n",
        words::bank_licence()
    );
    let files: Vec<_> = std::iter::once(("imsmanifest.xml".to_owned(), manifest)).chain(banks).collect();
    archive::zip_of(&files)
}

fn bank(id: &str, title: &str, items: &[&Item]) -> String {
    let items = items.iter().fold(String::new(), |all, one| all + &item(one));
    format!(
        "{HEAD}<questestinterop {QTI}>\n<objectbank ident=\"{id}\">\n<qtimetadata>{}</qtimetadata>\n{items}</objectbank>\n</questestinterop>\n",
        field("bank_title", title)
    )
}

fn field(label: &str, entry: &str) -> String {
    format!(
        "<qtimetadatafield><fieldlabel>{label}</fieldlabel><fieldentry>{}</fieldentry></qtimetadatafield>",
        escaped(entry)
    )
}

/// What differs from one kind of question to another.
struct Parts {
    /// The name that Canvas has for it.
    kind: &'static str,
    /// What it is answered with.
    presentation: String,
    /// What becomes of an answer.
    processing: String,
    /// What is told, by its name.
    feedback: Vec<(String, String)>,
}

fn item(item: &Item) -> String {
    let Parts { kind, presentation, processing, mut feedback } = match &item.answer {
        Answer::One(options) => choices(options, true),
        Answer::Several(options) => choices(options, false),
        Answer::Number(number) => self::number(number),
        Answer::Claim { holds, called, verdict } => {
            let option = |(text, right): (&&str, bool)| {
                let wrong = (!right).then(|| (*verdict).to_owned());
                Choosable { text: (*text).to_owned(), wrong }
            };
            let options: Vec<Choosable> = called.iter().zip([*holds, !*holds]).map(option).collect();
            choices(&options, true)
        }
        Answer::Order(parts) => order(parts),
    };
    feedback.push(("general_fb".to_owned(), item.explanation.clone()));
    let mut hinted = String::new();
    if let Some(hint) = item.hint.as_ref().filter(|_| matches!(item.answer, Answer::Number(_))) {
        feedback.push(("general_incorrect_fb".to_owned(), hint.clone()));
        hinted = other("general_incorrect_fb");
    }
    let feedback = feedback.iter().fold(String::new(), |all, (name, said)| {
        all + &format!("<itemfeedback ident=\"{name}\"><flow_mat>{}</flow_mat></itemfeedback>\n", html(said))
    });
    format!(
        "<item ident=\"{}\" title=\"{}\">\n<itemmetadata><qtimetadata>{}{}</qtimetadata></itemmetadata>\n\
         <presentation>{}\n{presentation}</presentation>\n<resprocessing>\n\
         <outcomes><decvar maxvalue=\"100\" minvalue=\"0\" varname=\"SCORE\" vartype=\"Decimal\"/></outcomes>\n\
         {}{processing}{hinted}</resprocessing>\n{feedback}</item>\n",
        escaped(&item.id),
        escaped(&item.title),
        field("question_type", kind),
        field("points_possible", "1"),
        html(&item.ask),
        other("general_fb"),
    )
}

/// A text of several lines, a paragraph each.
fn html(text: &str) -> String {
    let paragraphs = text.lines().fold(String::new(), |all, line| all + &format!("<p>{}</p>", escaped(line)));
    format!("<material><mattext texttype=\"text/html\">{}</mattext></material>", escaped(&paragraphs))
}

/// A text of one line, without marks.
fn plain(text: &str) -> String {
    format!("<material><mattext texttype=\"text/plain\">{}</mattext></material>", escaped(text))
}

/// Has this told after every answer that is not dealt with before.
fn other(name: &str) -> String {
    format!("<respcondition continue=\"Yes\"><conditionvar><other/></conditionvar>{}</respcondition>\n", told(name))
}

fn told(name: &str) -> String {
    format!("<displayfeedback feedbacktype=\"Response\" linkrefid=\"{name}\"/>")
}

fn right(condition: &str) -> String {
    format!(
        "<respcondition continue=\"No\"><conditionvar>{condition}</conditionvar><setvar action=\"Set\" varname=\"SCORE\">100</setvar></respcondition>\n"
    )
}

/// The name of an option by its place: Canvas looks for numbers.
fn nth(place: usize) -> String {
    format!("{}", 1001 + place)
}

/// An answer of this name, to what is answered by it.
fn is(response: &str, id: &str) -> String {
    format!("<varequal respident=\"{response}\">{id}</varequal>")
}

fn label(id: &str, text: &str) -> String {
    format!("<response_label ident=\"{id}\">{}</response_label>\n", plain(text))
}

/// Options of which one is chosen, or several.
fn choices(options: &[Choosable], single: bool) -> Parts {
    let (mut shown, mut processing, mut all_of) = (String::new(), String::new(), String::new());
    let mut feedback = Vec::new();
    for (place, option) in options.iter().enumerate() {
        let id = nth(place);
        shown += &label(&id, &option.text);
        let chosen = is(RESPONSE, &id);
        match &option.wrong {
            None => all_of += &chosen,
            Some(wrong) => {
                let name = format!("{id}_fb");
                // Writing into a string does not fail.
                let _ = writeln!(
                    processing,
                    "<respcondition continue=\"Yes\"><conditionvar>{chosen}</conditionvar>{}</respcondition>",
                    told(&name)
                );
                feedback.push((name, wrong.clone()));
                if !single {
                    let _ = write!(all_of, "<not>{chosen}</not>");
                }
            }
        }
    }
    let (kind, cardinality, all_of) = if single {
        ("multiple_choice_question", "Single", all_of)
    } else {
        ("multiple_answers_question", "Multiple", format!("<and>{all_of}</and>"))
    };
    Parts {
        kind,
        presentation: format!(
            "<response_lid ident=\"{RESPONSE}\" rcardinality=\"{cardinality}\"><render_choice>\n{shown}</render_choice></response_lid>\n"
        ),
        processing: processing + &right(&all_of),
        feedback,
    }
}

/// The number itself or one that is as near as the tolerance; Canvas has no feedback for other numbers.
fn number(number: &Number) -> Parts {
    let (value, near) = (number.value, tolerance(number.value));
    // Six digits, without what subtracting leaves behind them.
    let edge = |edge: f64| format!("{edge:.5e}").parse::<f64>().unwrap_or(edge);
    Parts {
        kind: "numerical_question",
        presentation: format!(
            "<response_str ident=\"{RESPONSE}\" rcardinality=\"Single\"><render_fib fibtype=\"Decimal\"><response_label ident=\"answer1\"/></render_fib></response_str>\n"
        ),
        processing: right(&format!(
            "<or>{}<and><vargte respident=\"{RESPONSE}\">{}</vargte><varlte respident=\"{RESPONSE}\">{}</varlte></and></or>",
            is(RESPONSE, &value.to_string()),
            edge(value - near),
            edge(value + near)
        )),
        feedback: Vec::new(),
    }
}

/// Each place is matched with its part: Canvas's banks have no questions about an order.
fn order(parts: &[[String; 2]]) -> Parts {
    let mut labels: Vec<(&str, String)> =
        parts.iter().enumerate().map(|(place, [_, part])| (part.as_str(), nth(place))).collect();
    // By their words, so that their order says nothing.
    labels.sort();
    let shown = labels.iter().fold(String::new(), |all, (part, id)| all + &label(id, part));
    let worth = percent(1.0 / parts.len().max(1) as f64);
    let (mut presentation, mut processing) = (String::new(), String::new());
    for (place, [named, _]) in parts.iter().enumerate() {
        let id = nth(place);
        let response = format!("response_{}", nth(place + parts.len()));
        // Writing into a string does not fail.
        let _ = writeln!(
            presentation,
            "<response_lid ident=\"{response}\">{}<render_choice>\n{shown}</render_choice></response_lid>",
            plain(named)
        );
        let _ = writeln!(
            processing,
            "<respcondition><conditionvar>{}</conditionvar><setvar varname=\"SCORE\" action=\"Add\">{worth}</setvar></respcondition>",
            is(&response, &id)
        );
    }
    Parts { kind: "matching_question", presentation, processing, feedback: Vec::new() }
}
