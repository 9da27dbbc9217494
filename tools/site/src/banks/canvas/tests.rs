//! Every bank is read back as Canvas reads it and compared with the questions.

use std::collections::BTreeMap;

use memory_wall_app::sections::quiz::bank::{Answer, Choosable, Item, items, tolerance};
use proptest::prelude::*;
use roxmltree::{Document, Node};

use super::package;
use crate::banks::folders;
use crate::banks::tests::{BOOK, hostile_items, inner, lines, named, unpacked};

fn attribute<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    node.attribute(name).unwrap_or_default()
}

fn only<'a, 'b>(node: Node<'a, 'b>, name: &'static str) -> Node<'a, 'b> {
    named(node, name).next().unwrap_or_else(|| panic!("no {name}"))
}

/// A text in HTML, which is a text of the XML around it, as the lines that it was made of.
fn html(node: Node<'_, '_>) -> String {
    let text = only(node, "mattext");
    assert_eq!(attribute(text, "texttype"), "text/html");
    lines(Document::parse(&format!("<div>{}</div>", inner(text))).unwrap().root_element())
}

/// Compares a question with its item.
fn same(item: &Item, read: Node<'_, '_>) {
    assert_eq!([attribute(read, "ident"), attribute(read, "title")], [&item.id, &item.title]);
    let presentation = only(read, "presentation");
    assert_eq!(html(presentation), item.ask);
    let feedback: BTreeMap<&str, String> =
        named(read, "itemfeedback").map(|node| (attribute(node, "ident"), html(node))).collect();
    assert_eq!(feedback["general_fb"], item.explanation);
    // What is told has words, and what has words is told.
    let mut told: Vec<&str> = named(read, "displayfeedback").map(|node| attribute(node, "linkrefid")).collect();
    told.sort_unstable();
    assert_eq!(told, feedback.keys().copied().collect::<Vec<_>>(), "{}", item.id);
    let kind = inner(named(read, "fieldentry").next().unwrap());
    let scored: Vec<Node<'_, '_>> =
        named(read, "respcondition").filter(|one| named(*one, "setvar").count() > 0).collect();
    let shown: Vec<(&str, String)> =
        named(presentation, "response_label").map(|node| (attribute(node, "ident"), inner(node))).collect();
    let choices = |options: &[Choosable], asked: &str| {
        assert_eq!(kind, asked);
        assert_eq!(scored.len(), 1);
        assert_eq!(shown.len(), options.len());
        let right = |id: &str| {
            named(scored[0], "varequal").any(|one| inner(one) == id && one.parent().unwrap().tag_name().name() != "not")
        };
        for (option, (id, text)) in options.iter().zip(&shown) {
            assert_eq!(&option.text, text.trim_matches('\n'), "{}", item.id);
            assert_eq!(right(id), option.wrong.is_none(), "{}: {text}", item.id);
            assert_eq!(feedback.get(format!("{id}_fb").as_str()), option.wrong.as_ref(), "{}: {text}", item.id);
        }
    };
    match &item.answer {
        Answer::One(options) => choices(options, "multiple_choice_question"),
        Answer::Several(options) => {
            choices(options, "multiple_answers_question");
            // Each option is asked about: one that is wrong must not be chosen.
            assert_eq!(named(scored[0], "varequal").count(), options.len());
        }
        Answer::Claim { holds, called, verdict } => {
            let option = |place: usize| Choosable {
                text: called[place].to_owned(),
                wrong: ((place == 0) != *holds).then(|| (*verdict).to_owned()),
            };
            choices(&[option(0), option(1)], "multiple_choice_question");
        }
        Answer::Number(number) => {
            assert_eq!((kind.as_str(), scored.len()), ("numerical_question", 1));
            let value = |name| inner(only(scored[0], name)).parse::<f64>().unwrap();
            let near = tolerance(number.value);
            assert_eq!(value("varequal").to_bits(), number.value.to_bits());
            for (found, wanted) in [("vargte", number.value - near), ("varlte", number.value + near)] {
                assert!(
                    (value(found) - wanted).abs() <= 1e-4 * near.abs().max(1e-9) + 1e-5 * wanted.abs(),
                    "{}",
                    item.id
                );
            }
            assert_eq!(feedback.get("general_incorrect_fb"), item.hint.as_ref());
        }
        Answer::Order(parts) => {
            assert_eq!((kind.as_str(), scored.len()), ("matching_question", parts.len()));
            for ([place, part], one) in parts.iter().zip(&scored) {
                let said = only(*one, "varequal");
                let response = named(presentation, "response_lid")
                    .find(|known| attribute(*known, "ident") == attribute(said, "respident"));
                let response = response.unwrap();
                assert_eq!(&inner(only(response, "mattext")), place);
                let label = named(response, "response_label").find(|label| attribute(*label, "ident") == inner(said));
                assert_eq!(&inner(only(label.unwrap(), "mattext")), part);
            }
        }
    }
}

/// Compares all questions with what a package holds of them.
fn same_package(items: &[Item]) {
    let made = package(BOOK, items).unwrap();
    assert_eq!(made, package(BOOK, items).unwrap(), "two builds differ");
    let mut files = unpacked(made);
    let manifest = files.remove("imsmanifest.xml").unwrap();
    assert_eq!(manifest.matches("CC BY 4.0").count(), 1);
    let manifest = Document::parse(&manifest).unwrap();
    let mut left: BTreeMap<&str, &Item> = items.iter().map(|item| (item.id.as_str(), item)).collect();
    let mut titles = Vec::new();
    for resource in named(manifest.root_element(), "resource") {
        assert_eq!(attribute(resource, "type"), "imsqti_xmlv1p2");
        let text = files.remove(attribute(only(resource, "file"), "href")).unwrap();
        let document = Document::parse(&text).unwrap();
        let bank = only(document.root_element(), "objectbank");
        assert_eq!(attribute(bank, "ident"), attribute(resource, "identifier"));
        let title = inner(only(bank, "fieldentry"));
        for read in named(bank, "item") {
            let item = left.remove(attribute(read, "ident")).unwrap();
            assert_eq!(title, folders(BOOK, item).join(": "));
            same(item, read);
        }
        assert!(!titles.contains(&title), "two banks {title}");
        titles.push(title);
    }
    assert!(left.is_empty() && files.is_empty(), "{:?}", files.keys());
}

#[test]
fn every_question_is_in_a_bank_as_it_is_asked() {
    same_package(&items().unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn no_text_becomes_a_mark(items in hostile_items()) {
        same_package(&items);
    }
}
