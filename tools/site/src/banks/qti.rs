//! QTI 2.1: an item for each question, a test with a section for each section, and the manifest, in a zip file.

use std::fmt::Write as _;

use memory_wall_app::sections::quiz::bank::{Answer, Choosable, Item, Number, tolerance};
use memory_wall_app::words::section_title;

use super::share;
use super::xml::escaped;
use crate::{archive, words};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// The namespace of items and tests, with the place of its schema.
const QTI: &str = "xmlns=\"http://www.imsglobal.org/xsd/imsqti_v2p1\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
                   xsi:schemaLocation=\"http://www.imsglobal.org/xsd/imsqti_v2p1 http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd\"";

/// The namespace of the manifest, with the place of its schema.
const MANIFEST: &str = "xmlns=\"http://www.imsglobal.org/xsd/imscp_v1p1\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
                        xsi:schemaLocation=\"http://www.imsglobal.org/xsd/imscp_v1p1 http://www.imsglobal.org/xsd/qti/qtiv2p1/qtiv2p1_imscpv1p2_v1p0.xsd\"";

/// The test in the package.
const TEST: &str = "assessment.xml";

/// The whole package: the same bytes from the same questions.
pub(super) fn package(book: &str, language: &str, items: &[Item]) -> Result<Vec<u8>, String> {
    let files = [("imsmanifest.xml".to_owned(), manifest(items)), (TEST.to_owned(), test(book, items))];
    let items = items.iter().map(|one| (href(one), item(language, one)));
    archive::zip_of(&files.into_iter().chain(items).collect::<Vec<_>>())
}

/// Where an item lies in the package.
fn href(item: &Item) -> String {
    format!("items/{}.xml", item.id)
}

fn manifest(items: &[Item]) -> String {
    let (mut uses, mut resources) = (String::new(), String::new());
    for item in items {
        let [id, href] = [item.id.clone(), href(item)].map(|text| escaped(&text));
        // Writing into a string does not fail.
        let _ = write!(uses, "<dependency identifierref=\"{id}\"/>");
        let _ = writeln!(
            resources,
            "<resource identifier=\"{id}\" type=\"imsqti_item_xmlv2p1\" href=\"{href}\"><file href=\"{href}\"/></resource>"
        );
    }
    format!(
        "{HEAD}<!-- {licence} -->\n<manifest {MANIFEST} identifier=\"memory-wall-package\">\n\
         <metadata><schema>QTIv2.1 Package</schema><schemaversion>1.0.0</schemaversion></metadata>\n<organizations/>\n<resources>\n\
         <resource identifier=\"memory-wall-test\" type=\"imsqti_test_xmlv2p1\" href=\"{TEST}\"><file href=\"{TEST}\"/>{uses}</resource>\n\
         {resources}</resources>\n</manifest>\n",
        licence = words::bank_licence()
    )
}

/// The test, which sorts the items by their sections.
fn test(book: &str, items: &[Item]) -> String {
    let sections = items.chunk_by(|one, other| one.section == other.section).fold(String::new(), |all, items| {
        let section = items.first().map_or("", |item| item.section);
        let refs = items.iter().fold(String::new(), |all, item| {
            let [id, href] = [item.id.clone(), href(item)].map(|text| escaped(&text));
            all + &format!("<assessmentItemRef identifier=\"{id}\" href=\"{href}\"/>\n")
        });
        let title = escaped(section_title(section));
        all + &format!(
            "<assessmentSection identifier=\"section-{section}\" title=\"{title}\" visible=\"true\">\n{refs}</assessmentSection>\n"
        )
    });
    format!(
        "{HEAD}<assessmentTest {QTI} identifier=\"memory-wall\" title=\"{}\">\n\
         <outcomeDeclaration identifier=\"SCORE\" cardinality=\"single\" baseType=\"float\"/>\n\
         <testPart identifier=\"all\" navigationMode=\"nonlinear\" submissionMode=\"individual\">\n\
         <itemSessionControl showFeedback=\"true\"/>\n{sections}</testPart>\n\
         <outcomeProcessing><setOutcomeValue identifier=\"SCORE\"><sum><testVariables variableIdentifier=\"SCORE\"/></sum></setOutcomeValue></outcomeProcessing>\n\
         </assessmentTest>\n",
        escaped(book)
    )
}

/// What differs from one kind of question to another.
struct Parts {
    /// How many values a response has, and of which type they are.
    response: (&'static str, &'static str),
    /// The right response, in its order.
    right: Vec<String>,
    /// What the values are worth, where each is worth something by itself.
    mapping: String,
    /// What the question is answered with.
    interaction: String,
    /// What becomes of a response.
    processing: String,
    /// What is told, by its name in the outcome `FEEDBACK`, beside the explanation.
    feedback: Vec<(String, String)>,
}

fn item(language: &str, item: &Item) -> String {
    let Parts { response: (cardinality, base), right, mapping, interaction, processing, mut feedback } =
        match &item.answer {
            Answer::One(options) => choices(options, true),
            Answer::Several(options) => choices(options, false),
            Answer::Number(number) => self::number(number, item.hint.as_deref()),
            Answer::Claim { holds, called, verdict } => {
                let option = |(text, right): (&&str, bool)| {
                    let wrong = (!right).then(|| (*verdict).to_owned());
                    Choosable { text: (*text).to_owned(), wrong }
                };
                let options: Vec<Choosable> = called.iter().zip([*holds, !*holds]).map(option).collect();
                choices(&options, true)
            }
            Answer::Order(parts) => order(parts, item.hint.as_deref()),
        };
    let values = right.iter().fold(String::new(), |all, value| all + &format!("<value>{}</value>", escaped(value)));
    feedback.push(("SOLUTION".to_owned(), item.explanation.clone()));
    let feedback = feedback.iter().fold(String::new(), |all, (name, text)| {
        all + &format!(
            "<modalFeedback outcomeIdentifier=\"FEEDBACK\" identifier=\"{name}\" showHide=\"show\">{}</modalFeedback>\n",
            paragraphs(text)
        )
    });
    format!(
        "{HEAD}<assessmentItem {QTI} identifier=\"{}\" title=\"{}\" adaptive=\"false\" timeDependent=\"false\" xml:lang=\"{}\">\n\
         <responseDeclaration identifier=\"RESPONSE\" cardinality=\"{cardinality}\" baseType=\"{base}\"><correctResponse>{values}</correctResponse>{mapping}</responseDeclaration>\n\
         <outcomeDeclaration identifier=\"SCORE\" cardinality=\"single\" baseType=\"float\"><defaultValue><value>0</value></defaultValue></outcomeDeclaration>\n\
         <outcomeDeclaration identifier=\"MAXSCORE\" cardinality=\"single\" baseType=\"float\"><defaultValue><value>1</value></defaultValue></outcomeDeclaration>\n\
         <outcomeDeclaration identifier=\"FEEDBACK\" cardinality=\"multiple\" baseType=\"identifier\"/>\n\
         <itemBody>{}\n{interaction}</itemBody>\n<responseProcessing>\n{processing}</responseProcessing>\n{feedback}</assessmentItem>\n",
        escaped(&item.id),
        escaped(&item.title),
        escaped(language),
        paragraphs(&item.ask),
    )
}

/// A paragraph for each line.
fn paragraphs(text: &str) -> String {
    text.lines().fold(String::new(), |all, line| all + &format!("<p>{}</p>", escaped(line)))
}

const SCORED: &str =
    "<setOutcomeValue identifier=\"SCORE\"><baseValue baseType=\"float\">1</baseValue></setOutcomeValue>";
const RESPONSE: &str = "<variable identifier=\"RESPONSE\"/>";
const IS_RIGHT: &str = "<match><variable identifier=\"RESPONSE\"/><correct identifier=\"RESPONSE\"/></match>";

/// Has the explanation told, and before it what has this expression's value as its name.
fn told(more: &str) -> String {
    format!(
        "<setOutcomeValue identifier=\"FEEDBACK\"><multiple>{more}{}</multiple></setOutcomeValue>\n",
        name("SOLUTION")
    )
}

/// The name of a feedback as an expression.
fn name(name: &str) -> String {
    format!("<baseValue baseType=\"identifier\">{name}</baseValue>")
}

/// The name of an option or part, by its place.
fn nth(place: usize) -> String {
    format!("C{}", place + 1)
}

/// What is told where a response is wrong in a way that is not known, and the name of it as an expression.
fn hinted(hint: Option<&str>) -> (Option<(String, String)>, String) {
    let feedback = hint.map(|hint| ("HINT".to_owned(), hint.to_owned()));
    (feedback, hint.map(|_| name("HINT")).unwrap_or_default())
}

/// Options of which one is chosen, or several.
fn choices(options: &[Choosable], single: bool) -> Parts {
    let (mut shown, mut mapping) = (String::new(), String::new());
    let (mut right, mut feedback) = (Vec::new(), Vec::new());
    let share = share(options);
    for (place, option) in options.iter().enumerate() {
        let id = nth(place);
        // Writing into a string does not fail.
        let _ = writeln!(shown, "<simpleChoice identifier=\"{id}\">{}</simpleChoice>", escaped(&option.text));
        let worth = if option.wrong.is_none() { share } else { -share };
        let _ = write!(mapping, "<mapEntry mapKey=\"{id}\" mappedValue=\"{worth}\"/>");
        match &option.wrong {
            None => right.push(id),
            Some(wrong) => feedback.push((id, wrong.clone())),
        }
    }
    let most = u8::from(single);
    let (score, mapping) = if single {
        (format!("<responseCondition><responseIf>{IS_RIGHT}{SCORED}</responseIf></responseCondition>\n"), String::new())
    } else {
        (
            "<setOutcomeValue identifier=\"SCORE\"><mapResponse identifier=\"RESPONSE\"/></setOutcomeValue>\n"
                .to_owned(),
            format!("<mapping lowerBound=\"0\" upperBound=\"1\" defaultValue=\"0\">{mapping}</mapping>"),
        )
    };
    Parts {
        response: (if single { "single" } else { "multiple" }, "identifier"),
        right,
        mapping,
        interaction: format!(
            "<choiceInteraction responseIdentifier=\"RESPONSE\" shuffle=\"true\" maxChoices=\"{most}\">\n{shown}</choiceInteraction>\n"
        ),
        // What is chosen is the name of what is told.
        processing: score + &told(RESPONSE),
        feedback,
    }
}

fn number(number: &Number, hint: Option<&str>) -> Parts {
    let is = |value: f64| {
        let near = tolerance(value);
        format!(
            "<equal toleranceMode=\"absolute\" tolerance=\"{near} {near}\">{RESPONSE}<baseValue baseType=\"float\">{value}</baseValue></equal>"
        )
    };
    let mut feedback: Vec<(String, String)> = Vec::new();
    let mut processing =
        format!("<responseCondition><responseIf>{}{SCORED}{}</responseIf>\n", is(number.value), told(""));
    for (place, (value, said)) in number.slips.iter().enumerate() {
        let slip = format!("S{}", place + 1);
        // Writing into a string does not fail.
        let _ = writeln!(processing, "<responseElseIf>{}{}</responseElseIf>", is(*value), told(&name(&slip)));
        feedback.push((slip, said.clone()));
    }
    let (hint, named) = hinted(hint);
    feedback.extend(hint);
    let _ = writeln!(processing, "<responseElse>{}</responseElse></responseCondition>", told(&named));
    Parts {
        response: ("single", "float"),
        right: vec![number.value.to_string()],
        mapping: String::new(),
        interaction: format!(
            "<p><textEntryInteraction responseIdentifier=\"RESPONSE\" expectedLength=\"12\"/> {}</p>\n",
            escaped(number.unit)
        ),
        processing,
        feedback,
    }
}

fn order(parts: &[[String; 2]], hint: Option<&str>) -> Parts {
    let shown = parts.iter().enumerate().fold(String::new(), |all, (place, [_, part])| {
        all + &format!("<simpleChoice identifier=\"{}\">{}</simpleChoice>\n", nth(place), escaped(part))
    });
    let (hint, named) = hinted(hint);
    Parts {
        response: ("ordered", "identifier"),
        right: (0..parts.len()).map(nth).collect(),
        mapping: String::new(),
        interaction: format!(
            "<orderInteraction responseIdentifier=\"RESPONSE\" shuffle=\"true\">\n{shown}</orderInteraction>\n"
        ),
        processing: format!(
            "<responseCondition><responseIf>{IS_RIGHT}{SCORED}{}</responseIf><responseElse>{}</responseElse></responseCondition>\n",
            told(""),
            told(&named)
        ),
        feedback: hint.into_iter().collect(),
    }
}
