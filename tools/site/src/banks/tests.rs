//! Every bank is read back and compared with the questions; and no text, however strange, becomes a mark of a format.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};

use memory_wall_app::sections::quiz::bank::{Answer, Choosable, Item, Number, items, tolerance};
use proptest::prelude::*;
use roxmltree::{Document, Node};
use zip::ZipArchive;

use super::{category, folders, gift, moodle, percent, qti, share};

/// What was read of an answer: what it is worth in percent, its text, its tolerance, and its feedback.
#[derive(Clone, Debug, PartialEq)]
struct Answered {
    worth: String,
    text: String,
    tolerance: Option<String>,
    feedback: String,
}

/// A question as it was read.
#[derive(Clone, Debug, PartialEq)]
struct Read {
    category: String,
    kind: &'static str,
    title: String,
    ask: String,
    explanation: String,
    answers: Vec<Answered>,
}

/// What is to be read in either of Moodle's formats.
fn wanted(book: &str, item: &Item) -> Read {
    let answered = |worth: &str, text: &str, tolerance: Option<f64>, feedback: Option<&String>| Answered {
        worth: worth.to_owned(),
        text: text.to_owned(),
        tolerance: tolerance.map(|tolerance| tolerance.to_string()),
        feedback: feedback.cloned().unwrap_or_default(),
    };
    let choices = |options: &[Choosable], single: bool| {
        let share = percent(share(options));
        let of = |option: &Choosable| {
            let wrong = if single { "0".to_owned() } else { format!("-{share}") };
            let worth = if option.wrong.is_none() { &share } else { &wrong };
            answered(worth, &option.text, None, option.wrong.as_ref())
        };
        options.iter().map(of).collect::<Vec<_>>()
    };
    let (kind, answers) = match &item.answer {
        Answer::One(options) => ("one", choices(options, true)),
        Answer::Several(options) => ("several", choices(options, false)),
        Answer::Number(number) => {
            let one = |worth: &str, value: f64, said: Option<&String>| {
                answered(worth, &value.to_string(), Some(tolerance(value)), said)
            };
            let slips = number.slips.iter().map(|(value, said)| one("0", *value, Some(said)));
            let mut all: Vec<Answered> = [one("100", number.value, None)].into_iter().chain(slips).collect();
            all.extend(item.hint.as_ref().map(|hint| answered("0", "*", Some(0.0), Some(hint))));
            ("number", all)
        }
        Answer::Claim { holds, verdict, .. } => {
            let of = |option: bool| {
                let is_right = option == *holds;
                let feedback = (!is_right).then(|| (*verdict).to_owned());
                answered(if is_right { "100" } else { "0" }, &option.to_string(), None, feedback.as_ref())
            };
            ("claim", vec![of(true), of(false)])
        }
        Answer::Order(parts) => {
            ("match", parts.iter().map(|[place, part]| answered(place, part, None, None)).collect())
        }
    };
    Read {
        category: category(&folders(book, item)),
        kind,
        title: item.title.clone(),
        ask: item.ask.clone(),
        explanation: item.explanation.clone(),
        answers,
    }
}

/// What GIFT gives to marks with a backslash before them, until all marks are read: letters that stand for nothing.
const HIDDEN: [(char, char); 8] = [
    (':', '\u{e001}'),
    ('#', '\u{e002}'),
    ('=', '\u{e003}'),
    ('{', '\u{e004}'),
    ('}', '\u{e005}'),
    ('~', '\u{e006}'),
    ('n', '\u{e007}'),
    ('\\', '\u{e008}'),
];

/// A reader of GIFT with the rules of Moodle's: escapes first, then categories, names, braces and marks, in this order.
fn read_gift(text: &str) -> Vec<Read> {
    let (mut category, mut read) = (String::new(), Vec::new());
    for question in text.split("\n\n").map(str::trim).filter(|question| !question.is_empty()) {
        // Lines that are comments are taken out first.
        let lines: Vec<&str> = question.lines().filter(|line| !line.trim().starts_with("//")).collect();
        let question = lines.join("\n");
        let mut hidden = String::new();
        let mut letters = question.chars();
        while let Some(letter) = letters.next() {
            let next = letters.clone().next();
            let escaped = HIDDEN.iter().find(|(mark, _)| letter == '\\' && next == Some(*mark));
            hidden.push(escaped.map_or(letter, |(_, hidden)| *hidden));
            if escaped.is_some() {
                letters.next();
            }
        }
        match hidden.strip_prefix("$CATEGORY:") {
            Some(path) => category = shown(path),
            None => read.push(read_question(&category, &hidden)),
        }
    }
    read
}

/// A text whose marks are read.
fn shown(text: &str) -> String {
    let back = HIDDEN.iter().fold(text.trim().to_owned(), |text, (mark, hidden)| {
        text.replace(*hidden, if *mark == 'n' { "\n".to_owned() } else { mark.to_string() }.as_str())
    });
    back.trim().to_owned()
}

/// A text with its format, which is plain everywhere.
fn plain(text: &str) -> String {
    shown(text.trim().trim_start().strip_prefix("[plain]").unwrap_or(text))
}

fn read_question(category: &str, text: &str) -> Read {
    let (title, rest) = text.strip_prefix("::").unwrap().split_once("::").unwrap();
    let (ask, rest) = rest.split_once('{').unwrap();
    let (answers, rest) = rest.split_once('}').unwrap();
    assert_eq!(rest, "", "{title}");
    assert!(ask.trim().starts_with("[plain]"), "{ask}");
    let (answers, explanation) = answers.rsplit_once("####").unwrap();
    let answers = answers.trim();
    let worth = |text: &str, whole: &str| {
        let weighed = text.strip_prefix('%').and_then(|text| text.split_once('%'));
        weighed.map_or((whole.to_owned(), text.to_owned()), |(worth, text)| (worth.to_owned(), text.to_owned()))
    };
    let commented =
        |text: &str| text.split_once('#').map_or((text.to_owned(), String::new()), |(a, b)| (a.to_owned(), plain(b)));
    let answered = |(worth, text): (String, String)| {
        let (text, feedback) = commented(&text);
        Answered { worth, text: plain(&text), tolerance: None, feedback }
    };
    let (kind, answers) = if let Some(numbers) = answers.strip_prefix('#') {
        let (numbers, other) =
            numbers.split_once('~').map_or((numbers, None), |(numbers, other)| (numbers, Some(other)));
        let one = |text: &str| {
            let (worth, text) = worth(text.trim(), "100");
            let (number, feedback) = commented(&text);
            let (value, near) = number.trim().split_once(':').unwrap();
            Answered { worth, text: value.to_owned(), tolerance: Some(near.to_owned()), feedback }
        };
        let mut all: Vec<Answered> = numbers.trim().split('=').skip(1).map(one).collect();
        all.extend(other.map(|other| Answered {
            worth: "0".to_owned(),
            text: "*".to_owned(),
            tolerance: Some("0".to_owned()),
            feedback: commented(other).1,
        }));
        ("number", all)
    } else if answers.contains('~') {
        let kind = if answers.contains('=') { "one" } else { "several" };
        let marked = answers.replace('=', "~=");
        let options = marked.split('~').map(str::trim).filter(|option| !option.is_empty());
        let of = |option: &str| match option.strip_prefix('=') {
            Some(right) => answered(("100".to_owned(), right.to_owned())),
            None => answered(worth(option, "0")),
        };
        (kind, options.map(of).collect())
    } else if answers.contains('=') {
        let of = |pair: &str| {
            let (place, part) = pair.split_once("->").unwrap();
            Answered { worth: plain(place), text: shown(part), tolerance: None, feedback: String::new() }
        };
        ("match", answers.split('=').skip(1).map(of).collect())
    } else {
        let (truth, wrong) = commented(answers);
        let holds = match truth.as_str() {
            "TRUE" => true,
            "FALSE" => false,
            other => panic!("{title}: {other}"),
        };
        let of = |option: bool| {
            let [worth, feedback] = if option == holds { ["100", ""] } else { ["0", wrong.as_str()] };
            let [worth, feedback] = [worth, feedback].map(str::to_owned);
            Answered { worth, text: option.to_string(), tolerance: None, feedback }
        };
        ("claim", vec![of(true), of(false)])
    };
    Read {
        category: category.to_owned(),
        kind,
        title: shown(title),
        ask: plain(ask),
        explanation: plain(explanation),
        answers,
    }
}

fn child<'a, 'b>(node: Node<'a, 'b>, name: &str) -> Node<'a, 'b> {
    node.children().find(|child| child.has_tag_name(name)).unwrap_or_else(|| panic!("no {name} in {node:?}"))
}

/// The text of `<name><text>…</text></name>`.
fn text_in(node: Node<'_, '_>, name: &str) -> String {
    let node = child(node, name);
    assert!(node.attribute("format").is_none_or(|format| format == "plain_text"));
    child(node, "text").text().unwrap_or_default().to_owned()
}

fn read_moodle(text: &str) -> Vec<Read> {
    let document = Document::parse(text).unwrap();
    let (mut category, mut read) = (String::new(), Vec::new());
    for question in document.root_element().children().filter(Node::is_element) {
        let kind = question.attribute("type").unwrap();
        if kind == "category" {
            category = text_in(question, "category");
            continue;
        }
        let of = |answer: Node<'_, '_>| Answered {
            worth: answer.attribute("fraction").unwrap().to_owned(),
            text: child(answer, "text").text().unwrap_or_default().to_owned(),
            tolerance: (kind == "numerical").then(|| child(answer, "tolerance").text().unwrap().to_owned()),
            feedback: text_in(answer, "feedback"),
        };
        let pair = |pair: Node<'_, '_>| Answered {
            worth: child(pair, "text").text().unwrap_or_default().to_owned(),
            text: text_in(pair, "answer"),
            tolerance: None,
            feedback: String::new(),
        };
        let named = |name: &'static str| question.children().filter(move |child| child.has_tag_name(name));
        let (kind, answers) = match kind {
            "multichoice" if child(question, "single").text() == Some("true") => {
                ("one", named("answer").map(of).collect())
            }
            "multichoice" => ("several", named("answer").map(of).collect()),
            "numerical" => ("number", named("answer").map(of).collect()),
            "truefalse" => ("claim", named("answer").map(of).collect()),
            "matching" => ("match", named("subquestion").map(pair).collect()),
            other => panic!("{other}"),
        };
        read.push(Read {
            category: category.clone(),
            kind,
            title: text_in(question, "name"),
            ask: text_in(question, "questiontext"),
            explanation: text_in(question, "generalfeedback"),
            answers,
        });
    }
    read
}

pub(super) const BOOK: &str = "The Memory Wall";

#[test]
fn every_bank_says_its_licence() {
    let items = items().unwrap();
    let package = qti::package(BOOK, "en", &items).unwrap();
    let banks = [
        gift::written(BOOK, &items),
        moodle::written(BOOK, &items),
        unpacked(package).remove("imsmanifest.xml").unwrap(),
    ];
    for bank in banks {
        assert_eq!(bank.matches("CC BY 4.0").count(), 1, "{}", &bank[..200]);
    }
}

#[test]
fn gift_and_moodle_xml_say_what_the_questions_say() {
    let items = items().unwrap();
    assert!(items.len() > 150, "{}", items.len());
    let wanted: Vec<Read> = items.iter().map(|item| wanted(BOOK, item)).collect();
    let (gift, moodle) = (read_gift(&gift::written(BOOK, &items)), read_moodle(&moodle::written(BOOK, &items)));
    assert_eq!([gift.len(), moodle.len()], [wanted.len(); 2]);
    for ((wanted, gift), moodle) in wanted.iter().zip(&gift).zip(&moodle) {
        assert_eq!(gift, wanted);
        assert_eq!(moodle, wanted);
        // Whatever the questions say: one answer gets all of the points, or several share them, and what is wrong says why.
        let worth = |answer: &Answered| answer.worth.parse::<f64>();
        if wanted.kind == "match" {
            assert!(wanted.answers.len() > 2, "{}", wanted.title);
            continue;
        }
        let sum: f64 = gift.answers.iter().map(|answer| worth(answer).unwrap().max(0.0)).sum();
        assert!((sum - 100.0).abs() < 1e-3, "{}: {sum}", wanted.title);
        for answer in &gift.answers {
            assert_eq!(worth(answer).unwrap() > 0.0, answer.feedback.is_empty(), "{}: {}", wanted.title, answer.text);
            assert_eq!(answer.tolerance.is_some(), wanted.kind == "number", "{}", wanted.title);
        }
    }
}

/// The texts of every file in the package.
pub(super) fn unpacked(package: Vec<u8>) -> BTreeMap<String, String> {
    let mut zip = ZipArchive::new(Cursor::new(package)).unwrap();
    let mut files = BTreeMap::new();
    for place in 0..zip.len() {
        let mut file = zip.by_index(place).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert!(files.insert(file.name().unwrap().into_owned(), text).is_none(), "a file is there twice");
    }
    files
}

pub(super) fn named<'a, 'b>(node: Node<'a, 'b>, name: &'static str) -> impl Iterator<Item = Node<'a, 'b>> {
    node.descendants().filter(move |node| node.tag_name().name() == name)
}

/// All text below a node.
pub(super) fn inner(node: Node<'_, '_>) -> String {
    node.descendants().filter(Node::is_text).filter_map(|node| node.text()).collect()
}

/// Paragraphs as the lines that they were made of.
pub(super) fn lines(node: Node<'_, '_>) -> String {
    node.children().filter(|child| child.tag_name().name() == "p").map(inner).collect::<Vec<_>>().join("\n")
}

/// Compares an item of the package with its question.
fn same_item(item: &Item, text: &str) {
    let document = Document::parse(text).unwrap_or_else(|error| panic!("{}: {error}", item.id));
    let root = document.root_element();
    assert_eq!(root.attribute("identifier"), Some(item.id.as_str()));
    assert_eq!(root.attribute("title"), Some(item.title.as_str()));
    let feedback: BTreeMap<&str, String> =
        named(root, "modalFeedback").map(|node| (node.attribute("identifier").unwrap(), lines(node))).collect();
    assert_eq!(feedback["SOLUTION"], item.explanation);
    if let Some(hint) = item.hint.as_ref().filter(|_| matches!(item.answer, Answer::Number(_) | Answer::Order(_))) {
        assert_eq!(&feedback["HINT"], hint);
    }
    // Whatever is told has words, and whatever has words may be told: by its name, or as what is chosen.
    let ids = |name| named(root, name).filter_map(|node| node.attribute("identifier"));
    let values = named(root, "baseValue").filter(|node| node.attribute("baseType") == Some("identifier"));
    let told: Vec<&str> = values.filter_map(|node| node.text()).chain(ids("simpleChoice")).collect();
    assert!(feedback.keys().all(|name| told.contains(name)), "{}: {told:?}", item.id);
    let body = named(root, "itemBody").next().unwrap();
    assert!(lines(body).starts_with(&item.ask), "{}", item.id);
    let response = named(root, "responseDeclaration").next().unwrap();
    let right: Vec<&str> = named(response, "value").filter_map(|node| node.text()).collect();
    let shown: Vec<(&str, String)> =
        named(body, "simpleChoice").map(|node| (node.attribute("identifier").unwrap(), inner(node))).collect();
    let cardinality = response.attribute("cardinality").unwrap();
    let choices = |options: &[Choosable]| {
        assert_eq!(options.len(), shown.len());
        for (option, (id, text)) in options.iter().zip(&shown) {
            assert_eq!(&option.text, text);
            assert_eq!(right.contains(id), option.wrong.is_none(), "{}: {text}", item.id);
            assert_eq!(feedback.get(id), option.wrong.as_ref(), "{}: {text}", item.id);
        }
    };
    match &item.answer {
        Answer::One(options) => {
            choices(options);
            assert_eq!((cardinality, right.len()), ("single", 1));
        }
        Answer::Several(options) => {
            choices(options);
            assert!(cardinality == "multiple" && right.len() > 1);
            let worth = |node: Node<'_, '_>| node.attribute("mappedValue").unwrap().parse::<f64>().unwrap();
            let worth: Vec<f64> = named(response, "mapEntry").map(worth).collect();
            assert!((worth.iter().filter(|worth| **worth > 0.0).sum::<f64>() - 1.0).abs() < 1e-9);
            assert_eq!(worth.len(), options.len());
        }
        Answer::Claim { holds, called, verdict } => {
            assert_eq!(shown.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), called);
            let (yes, no) = (shown[0].0, shown[1].0);
            let (is, is_not) = if *holds { (yes, no) } else { (no, yes) };
            assert_eq!((right, feedback[is_not].as_str()), (vec![is], *verdict));
        }
        Answer::Order(parts) => {
            assert_eq!(cardinality, "ordered");
            let text = |id: &&str| shown.iter().find(|(known, _)| known == id).unwrap().1.clone();
            let wanted: Vec<String> = parts.iter().map(|[_, part]| part.clone()).collect();
            assert_eq!(right.iter().map(text).collect::<Vec<_>>(), wanted);
        }
        Answer::Number(number) => {
            assert_eq!(right, [number.value.to_string()]);
            let tested: Vec<(f64, String)> = named(root, "equal")
                .map(|node| {
                    assert_eq!(node.attribute("toleranceMode"), Some("absolute"));
                    let value = named(node, "baseValue").next().unwrap().text().unwrap();
                    (value.parse().unwrap(), node.attribute("tolerance").unwrap().to_owned())
                })
                .collect();
            let values = [number.value].into_iter().chain(number.slips.iter().map(|(value, _)| *value));
            let near = |value: f64| (value, [tolerance(value).to_string(), tolerance(value).to_string()].join(" "));
            assert_eq!(tested, values.map(near).collect::<Vec<_>>());
            for (place, (_, said)) in number.slips.iter().enumerate() {
                assert_eq!(&feedback[format!("S{}", place + 1).as_str()], said);
            }
        }
    }
}

#[test]
fn the_package_holds_every_question_and_its_manifest_names_every_file() {
    let items = items().unwrap();
    let package = qti::package(BOOK, "en", &items).unwrap();
    assert_eq!(package, qti::package(BOOK, "en", &items).unwrap(), "two builds differ");
    let mut files = unpacked(package);
    let manifest = files.remove("imsmanifest.xml").unwrap();
    let test = files.remove("assessment.xml").unwrap();
    let manifest = Document::parse(&manifest).unwrap();
    let resources: BTreeMap<&str, &str> = named(manifest.root_element(), "resource")
        .map(|node| {
            let href = node.attribute("href").unwrap();
            assert_eq!(named(node, "file").next().unwrap().attribute("href"), Some(href));
            (node.attribute("identifier").unwrap(), href)
        })
        .collect();
    assert_eq!((resources.len(), resources["memory-wall-test"]), (items.len() + 1, "assessment.xml"));
    let uses: Vec<_> =
        named(manifest.root_element(), "dependency").map(|node| node.attribute("identifierref")).collect();
    assert_eq!(uses, items.iter().map(|item| Some(item.id.as_str())).collect::<Vec<_>>());
    let test = Document::parse(&test).unwrap();
    let asked: Vec<_> = named(test.root_element(), "assessmentItemRef")
        .map(|node| {
            (node.parent().unwrap().attribute("identifier"), node.attribute("identifier"), node.attribute("href"))
        })
        .collect();
    assert_eq!(asked.len(), items.len());
    for (item, (section, id, href)) in items.iter().zip(asked) {
        assert_eq!(section, Some(format!("section-{}", item.section).as_str()));
        assert_eq!(id, Some(item.id.as_str()));
        assert_eq!(resources.get(item.id.as_str()).copied(), href);
        same_item(item, &files.remove(href.unwrap()).unwrap());
    }
    assert!(files.is_empty(), "{:?}", files.keys());
}

/// Texts that are made of what the formats take for marks.
fn hostile() -> impl Strategy<Value = String> {
    let marks = "~=#{}:\\/%[]<>&\"'$ \n";
    let mark = prop::sample::select(marks.chars().collect::<Vec<_>>()).prop_map(|mark| mark.to_string());
    let phrase = prop::sample::select(vec![
        "####",
        "//",
        "->",
        "::",
        "[html]",
        "[plain]",
        "%50%",
        "$CATEGORY: x",
        "\\n",
        "]]>",
        "<!--",
        "&amp;",
        "{=a ~b}",
        "TRUE",
        "\t",
        "é",
        "x",
    ])
    .prop_map(str::to_owned);
    // Blanks at the ends are nobody's text, and readers take them away.
    prop::collection::vec(prop_oneof![mark, phrase], 1..20)
        .prop_map(|parts| parts.concat().trim().to_owned())
        .prop_filter("a text has letters", |text| !text.is_empty())
}

/// A question of every kind, of hostile texts only.
pub(super) fn hostile_items() -> impl Strategy<Value = Vec<Item>> {
    prop::collection::vec(hostile(), 12).prop_map(|texts| {
        let said = |place: usize| texts[place].clone();
        let choosable = |text: usize, wrong: Option<usize>| Choosable { text: said(text), wrong: wrong.map(said) };
        let options = vec![choosable(0, None), choosable(1, Some(2)), choosable(3, Some(4))];
        let several = vec![choosable(1, Some(0)), choosable(2, None), choosable(3, None)];
        let number = Number { value: 26.03, unit: "GB", slips: vec![(13.015, said(5)), (208.24, said(6))] };
        let parts = [0, 1, 2].map(|place| [format!("Place {place}"), said(place + 7)]).into();
        let claim =
            Answer::Claim { holds: texts[0].len() % 2 == 0, called: ["It holds", "It does not"], verdict: "Yes: {=}" };
        let answers =
            [Answer::One(options), Answer::Several(several), Answer::Number(number), claim, Answer::Order(parts)];
        let item = |(place, answer): (usize, Answer)| Item {
            id: format!("oom.hostile-{place}"),
            section: "oom",
            family: None,
            title: said(8),
            ask: said(9),
            answer,
            hint: Some(said(10)),
            explanation: said(11),
        };
        answers.into_iter().enumerate().map(item).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn no_text_becomes_a_mark(items in hostile_items()) {
        let wanted: Vec<Read> = items.iter().map(|item| wanted(BOOK, item)).collect();
        prop_assert_eq!(&read_gift(&gift::written(BOOK, &items)), &wanted);
        prop_assert_eq!(&read_moodle(&moodle::written(BOOK, &items)), &wanted);
        let files = unpacked(qti::package(BOOK, "en", &items).unwrap());
        for item in &items {
            same_item(item, &files[&format!("items/{}.xml", item.id)]);
        }
    }

    #[test]
    fn any_text_is_read_back_from_xml(text in any::<String>()) {
        let whole = format!("<a b=\"{0}\">{0}</a>", super::xml::escaped(&text));
        let document = Document::parse(&whole).unwrap();
        let held = |c: char| if (c < ' ' && !"\t\n\r".contains(c)) || c == '\u{fffe}' || c == '\u{ffff}' { '\u{fffd}' } else { c };
        let wanted: String = text.chars().map(held).collect();
        prop_assert_eq!(document.root_element().text().unwrap_or_default(), wanted.as_str());
        prop_assert_eq!(document.root_element().attribute("b"), Some(wanted.as_str()));
    }
}
