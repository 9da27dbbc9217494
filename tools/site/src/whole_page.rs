//! The page as it is shipped, put together in a folder of its own and read again: what it shows is what the engine says.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use memory_wall_app::figures::{self, Answer, Models, Place, Places};
use memory_wall_app::live::Snapshot;
use memory_wall_app::registry::{FIGURES, SECTIONS};
use memory_wall_app::state::State;
use memory_wall_app::state::query;
use scraper::{ElementRef, Html, Node};

use crate::{check, page};

/// An element of the page; a text between tags is one too, with the tag [`TEXT`].
pub(crate) struct Element {
    pub(crate) tag: String,
    attributes: BTreeMap<String, String>,
    /// What stands between its tags.
    inner: String,
    text: String,
    parent: Option<usize>,
}

/// The tag of a text.
const TEXT: &str = "#text";

impl Element {
    pub(crate) fn get(&self, attribute: &str) -> Option<&str> {
        self.attributes.get(attribute).map(String::as_str)
    }

    /// Its text, as it is read.
    pub(crate) fn text(&self) -> String {
        self.text.clone()
    }

    /// The state that its numbers stand for, as the browser would read it.
    fn snapshot(&self) -> Snapshot {
        let state = self.get("data-at").map_or_else(State::default, |at| query::decode(at).state);
        Snapshot::of(state)
    }
}

impl std::fmt::Display for Element {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "<{} {:?}>", self.tag, self.attributes)
    }
}

/// The page, and what was staged with it.
pub(crate) struct Page {
    pub(crate) html: String,
    pub(crate) elements: Vec<Element>,
    files: BTreeMap<String, String>,
}

impl Page {
    fn all(&self, tag: &str) -> Vec<&Element> {
        self.elements.iter().filter(|element| element.tag == tag).collect()
    }

    fn with(&self, attribute: &str) -> Vec<(&Element, &str)> {
        self.elements.iter().filter_map(|element| Some((element, element.get(attribute)?))).collect()
    }

    fn ids(&self) -> BTreeSet<&str> {
        self.with("id").into_iter().map(|(_, id)| id).collect()
    }

    fn parent(&self, element: &Element) -> Option<&Element> {
        self.elements.get(element.parent?)
    }

    /// A binding as a mark has it, with what it is about: `~` stands for the question around.
    fn about(&self, element: &Element, mark: &str) -> (Place, String) {
        let (place, of) = mark.split_once('/').unwrap_or((mark, ""));
        let asked = || std::iter::once(element).chain(self.around(element)).find_map(|one| one.get("data-quiz"));
        let of = of.strip_suffix('~').map_or_else(|| of.to_owned(), |part| format!("{part}{}", asked().unwrap()));
        (Places::default().read(place).unwrap(), of)
    }

    /// What an element stands in, from the nearest outwards.
    pub(crate) fn around<'a>(&'a self, element: &'a Element) -> impl Iterator<Item = &'a Element> {
        std::iter::successors(self.parent(element), |one| self.parent(one))
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Puts the page together as a build does, in a folder that is gone afterwards.
fn built(name: &str) -> BTreeMap<String, String> {
    let staging = std::env::temp_dir().join(format!("memory-wall-site-{}-{name}", std::process::id()));
    fs::create_dir_all(&staging).unwrap();
    fs::copy(root().join("index.html"), staging.join("index.html")).unwrap();
    // In place of the two programs, which are not looked at here.
    let glue = "new URL('memory-wall-app_bg.wasm', import.meta.url);\nexport { initSync, __wbg_init as default };\n";
    fs::write(staging.join("memory-wall-app-0.js"), glue).unwrap();
    fs::write(staging.join("memory-wall-app-0_bg.wasm"), b"\0asm\x01\0\0\0").unwrap();
    fs::write(staging.join("memory-wall-explain-0.js"), "let wasm_bindgen;\n").unwrap();
    fs::write(staging.join("memory-wall-explain-0_bg.wasm"), b"\0asm\x01\0\0\0").unwrap();
    fs::write(staging.join("memory-wall-views-0.js"), "let wasm_bindgen;\n").unwrap();
    fs::write(staging.join("memory-wall-views-0_bg.wasm"), b"\0asm\x01\0\0\0").unwrap();
    fs::write(staging.join("memory-wall-minute-0.js"), "let wasm_bindgen;\n").unwrap();
    fs::write(staging.join("memory-wall-minute-0_bg.wasm"), b"\0asm\x01\0\0\0").unwrap();
    fs::write(staging.join("memory-wall-estimate-0.js"), "let wasm_bindgen;\n").unwrap();
    fs::write(staging.join("memory-wall-estimate-0_bg.wasm"), b"\0asm\x01\0\0\0").unwrap();
    let result = page::build(&root(), &staging, true);
    let paths = fs::read_dir(&staging).unwrap().map(|entry| entry.unwrap().path());
    let files = paths.filter(|path| path.is_file()).map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        // The marks for use without a network are filled once every page is there.
        let marks = ["<!-- offline -->", "<!-- keep -->", "<!-- carry -->"];
        let text = marks.iter().fold(text, |text, mark| text.replace(mark, ""));
        (path.file_name().unwrap().to_string_lossy().into_owned(), text)
    });
    let files = files.collect();
    fs::remove_dir_all(&staging).unwrap();
    result.unwrap();
    files
}

/// Reads HTML as a browser does; nothing in it may have to be guessed, such as a tag that is not closed.
fn parsed(html: &str) -> Vec<Element> {
    let document = Html::parse_document(html);
    assert!(document.errors.is_empty(), "{:?}", document.errors);
    let mut places = BTreeMap::new();
    let mut elements = Vec::new();
    let mut bound = Places::default();
    for node in document.tree.root().descendants() {
        let parent = node.parent().and_then(|parent| places.get(&parent.id()).copied());
        let element = match node.value() {
            Node::Text(text) => Element {
                tag: TEXT.into(),
                attributes: BTreeMap::new(),
                inner: String::new(),
                text: text.to_string(),
                parent,
            },
            Node::Element(element) => {
                let own = ElementRef::wrap(node).unwrap();
                let attributes = element.attrs().map(|(name, value)| match name {
                    "data-b" => (name.to_owned(), numbered(value, &mut bound)),
                    _ => (name.to_owned(), value.to_owned()),
                });
                let attributes = attributes.collect();
                Element {
                    tag: element.name().into(),
                    attributes,
                    inner: own.inner_html(),
                    text: own.text().collect(),
                    parent,
                }
            }
            _ => continue,
        };
        places.insert(node.id(), elements.len());
        elements.push(element);
    }
    elements
}

/// Marks with their numbers in place of steps, read in the order of the page as the browser does.
fn numbered(marks: &str, places: &mut Places) -> String {
    let mark = |mark: &str| {
        let (own, about) = mark.split_at(mark.find('/').unwrap_or(mark.len()));
        let (aspect, place) = own.split_at(own.find(['=', '?', '*']).map_or(0, |at| at + 1));
        format!("{aspect}{}{about}", places.read(place).unwrap())
    };
    marks.split(' ').map(mark).collect::<Vec<_>>().join(" ")
}

/// HTML inside of an element, as the parser writes it again.
fn rewritten(element: &Element, html: &str) -> String {
    // Rows are rows in a table only, and shapes are shapes in a drawing.
    let [open, close] = match element.tag.as_str() {
        "tbody" => ["<table><tbody>", "</tbody></table>"],
        "g" => ["<svg>", "</svg>"],
        _ => ["", ""],
    };
    let fragment = Html::parse_fragment(&format!("{open}{html}{close}"));
    let written = fragment.root_element().inner_html();
    written.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)).unwrap().to_owned()
}

pub(crate) fn whole() -> &'static Page {
    static PAGE: OnceLock<Page> = OnceLock::new();
    PAGE.get_or_init(|| {
        let files = built("once");
        // With the self-check, as its readers have it.
        let html = check::whole(&files["index.html"], &files["check.html"]).unwrap();
        Page { elements: parsed(&html), html, files }
    })
}

#[test]
fn every_binding_says_what_its_model_answers() {
    let (mut texts, mut attributes, mut flags) = (0, 0, 0);
    for (element, marks) in whole().with("data-b") {
        for mark in marks.split(' ') {
            let (attribute, place) =
                mark.split_once(['=', '?']).map_or((None, mark), |(name, place)| (Some(name), place));
            let (place, of) = whole().about(element, place.trim_start_matches('*'));
            let snapshot = element.snapshot();
            let answer = Models::default().answer_of(place, &of, &snapshot);
            let answer = answer.unwrap_or_else(|| panic!("{element}: no {mark}"));
            match (attribute, &answer) {
                (Some(attribute), Answer::Flag(up)) => {
                    assert_eq!(element.get(attribute).is_some(), *up, "{element}: {mark}");
                    assert!(mark.contains('?'), "{element}: {mark}");
                    flags += 1;
                }
                (Some(attribute), _) => {
                    let text = answer.text(snapshot.state.unit);
                    assert_eq!(element.get(attribute), Some(text.as_str()), "{element}: {mark}");
                    assert!(mark.contains('='), "{element}: {mark}");
                    attributes += 1;
                }
                (None, Answer::Html(html)) => {
                    assert_eq!(element.inner, rewritten(element, html), "{element}");
                    assert!(mark.starts_with('*'), "{element}: {mark}");
                }
                (None, _) => {
                    let text = answer.text(snapshot.state.unit);
                    assert_eq!(element.text(), text, "{element}");
                    assert!(!element.inner.contains('<'), "{element} is text alone: {}", element.inner);
                    texts += 1;
                }
            }
        }
    }
    assert!(texts > 120 && attributes > 90 && flags > 25, "{texts} texts, {attributes} attributes, {flags} flags");
}

#[test]
fn nothing_is_left_undone() {
    let Page { html, files, .. } = whole();
    // The styles in the page and those that it asks for are the sheet that was written for others, and the self-check has a link to it.
    let sheet = |stem: &str| files.iter().find(|(name, _)| name.starts_with(stem)).unwrap();
    let ((name, css), (rest_name, rest)) = (sheet("style-"), sheet("rest-"));
    let first = css.strip_suffix(rest.as_str()).unwrap();
    let (before, behind) = html.split_once(&format!("<style>{first}</style>")).unwrap();
    assert_eq!(files["check.html"].matches(&format!("href=\"./{name}\"")).count(), 1);
    assert_eq!(behind.matches(&format!("href=\"./{rest_name}\"")).count(), 1);
    let html = before.to_owned() + behind;
    // AMD calls a cache so.
    let html = html.replace("Infinity Cache", "");
    // The marks of hydration, in levers alone.
    let html = html.replace("<!---->", "");
    for trace in ["{{", "}}", "<!--", " style=\"", "NaN", "undefined", "Infinity", "null", "[object", "Some(", "None"] {
        assert!(!html.contains(trace), "{trace}: {}", &html[html.find(trace).unwrap_or(0)..][..80]);
    }
    for (element, name) in said() {
        let name = name.as_str();
        let number = |before: &str, behind: &str| {
            let middle = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(behind));
            middle.is_some_and(|middle| middle.bytes().all(|byte| byte.is_ascii_digit()))
        };
        // Places that are there for other states.
        let may_be_empty = number("buckets.assumption.", "")
            || number("buckets.tick_label.", "")
            || number("context.decade_label.", "")
            || name == "buckets.answer_context_note"
            || name == "quiz.progress"
            || name.starts_with("predict.said.")
            || name.starts_with("dial.said.")
            || name == "quiz.said"
            || name == "dial.strip"
            || name.starts_with("buckets.list.")
            // Points without text, and a reading that there is not before the reader has measured something.
            || ["roofline.dots", "roofline.read.own"].contains(&name);
        assert!(may_be_empty || !element.text().trim().is_empty(), "{element} is empty");
    }
    for first in ["buckets.assumption.0", "buckets.tick_label.0", "context.decade_label.0"] {
        assert!(said().any(|(element, name)| name == first && !element.inner.is_empty()), "{first}");
    }
    for tag in ["title", "h1", "h2", "h3", "a", "button", "label", "legend", "summary", "caption", "option", "dt"] {
        for element in whole().all(tag) {
            assert!(!element.text().trim().is_empty(), "{element} has no text");
        }
    }
    assert_eq!(css.matches('{').count(), css.matches('}').count());
    for (element, number) in whole().with("data-s") {
        assert!(css.contains(&format!("[data-s=\"{number}\"]{{")), "{element} has lost its style");
    }
}

/// Every element whose text follows the reader's settings, with the name of what it says.
fn said() -> impl Iterator<Item = (&'static Element, String)> {
    whole().with("data-b").into_iter().filter_map(|(element, marks)| {
        // Those of attributes say which; HTML has a star.
        let text = marks.split(' ').find(|mark| !mark.contains(['=', '?']))?;
        let (place, _) = whole().about(element, text.trim_start_matches('*'));
        Some((element, figures::name(place)?.to_owned()))
    })
}

#[test]
fn ids_are_unique_and_what_points_at_them_arrives() {
    let page = whole();
    let ids = page.ids();
    assert_eq!(ids.len(), page.with("id").len(), "an id is there twice");
    for (element, target) in page.with("href") {
        if let Some(id) = target.strip_prefix('#') {
            assert!(ids.contains(id), "{element} leads nowhere");
        }
    }
    for attribute in ["for", "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "list", "headers"] {
        for (element, targets) in page.with(attribute) {
            assert!(!targets.is_empty() && targets.split(' ').all(|id| ids.contains(id)), "{element} points nowhere");
        }
    }
    for element in &page.elements {
        for value in element.attributes.values() {
            if let Some(id) = value.strip_prefix("url(#").and_then(|rest| rest.strip_suffix(')')) {
                assert!(ids.contains(id), "{element} is painted with nothing");
            }
        }
    }
}

#[test]
fn everything_operated_and_drawn_has_a_name() {
    let page = whole();
    let labelled: BTreeSet<&str> = page.with("for").into_iter().map(|(_, id)| id).collect();
    for element in page.elements.iter().filter(|element| ["input", "select"].contains(&element.tag.as_str())) {
        let wrapped = page.parent(element).is_some_and(|parent| parent.tag == "label");
        let named =
            wrapped || element.get("aria-label").is_some() || element.get("id").is_some_and(|id| labelled.contains(id));
        assert!(named, "{element} has no name");
    }
    for element in page.all("svg") {
        let hidden = element.get("aria-hidden") == Some("true");
        let inside = std::iter::successors(page.parent(element), |one| page.parent(one)).any(|one| one.tag == "svg");
        // A sentence of its own, or one beside it: that what is pointed at is there, another test says.
        let said = element.get("aria-label").is_some_and(|label| label.len() > 15);
        let drawing = matches!(element.get("role"), Some("img" | "listbox"));
        let named = drawing && (said || element.get("aria-labelledby").is_some());
        assert!(hidden || inside || named, "{element} says nothing");
    }
    for (_, label) in page.with("aria-label") {
        assert!(!label.trim().is_empty());
    }
}

#[test]
fn a_mark_that_leaves_out_its_question_stands_in_one() {
    let page = whole();
    let mut found = 0;
    for (element, marks) in page.with("data-b").into_iter().filter(|(_, marks)| marks.contains('~')) {
        let around = std::iter::once(element).chain(page.around(element));
        assert!(around.into_iter().any(|one| one.get("data-quiz").is_some()), "{element}: {marks}");
        found += 1;
    }
    assert!(found > 300, "{found}");
}

#[test]
fn headings_have_no_gaps() {
    let levels: Vec<u32> = whole()
        .elements
        .iter()
        .filter_map(|element| element.tag.strip_prefix('h').and_then(|level| level.parse().ok()))
        .collect();
    assert_eq!(levels.first(), Some(&1));
    assert_eq!(levels.iter().filter(|level| **level == 1).count(), 1);
    assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
    let sections: Vec<&Element> = whole().all("section");
    for section in sections.iter().skip(1) {
        assert_eq!(section.inner.matches("<h2").count(), 1, "{section} has one heading of its own");
    }
}

#[test]
fn sections_and_figures_are_those_of_the_registry() {
    let page = whole();
    let sections: Vec<&str> = page.all("section").into_iter().filter_map(|section| section.get("id")).collect();
    assert_eq!(sections, SECTIONS);
    let classes = |element: &Element| element.get("class").unwrap_or_default().to_owned();
    let mut figures: Vec<String> = page
        .all("figure")
        .into_iter()
        .map(|figure| classes(figure).trim_start_matches("figure figure-").to_owned())
        .collect();
    // The bar stands at the head of the page, outside of the prose.
    assert_eq!(page.elements.iter().filter(|element| classes(element) == "rig-inner").count(), 1);
    figures.push("rig".into());
    figures.sort();
    let mut registered: Vec<&str> =
        FIGURES.iter().filter(|figure| figure.view.is_some()).map(|figure| figure.id).collect();
    registered.sort_unstable();
    assert_eq!(figures, registered);
}

#[test]
fn the_same_sources_make_the_same_page() {
    // Also a page that is not as it was is not printed: it is long.
    assert!(built("again") == whole().files, "a file is another, or has another name");
}

#[test]
fn fewer_letters_make_the_same_document() {
    let document = |html: &str| Html::parse_document(html).root_element().html();
    for name in ["index.html", "check.html"] {
        let html = &whole().files[name];
        let squeezed = memory_wall_squeeze::markup(html);
        let (whole, again) = (document(html), document(&squeezed));
        let same = whole.bytes().zip(again.bytes()).take_while(|(one, other)| one == other).count();
        let around = |text: &str| {
            text.chars().skip(text[..same].chars().count().saturating_sub(60)).take(160).collect::<String>()
        };
        assert!(whole == again, "{name} is another document:\n{}\n{}", around(&whole), around(&again));
        assert!(squeezed.len() * 100 < html.len() * 96, "{name} has {} of {} bytes", squeezed.len(), html.len());
    }
}
