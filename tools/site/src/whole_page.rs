//! The page as it is shipped, put together in a folder of its own and read again: what it shows is what the engine says.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use memory_wall_app::live::Snapshot;
use memory_wall_app::registry::{FIGURES, SECTIONS};
use memory_wall_app::state::State;
use memory_wall_app::state::query;

use crate::{check, page};

/// Elements that have no end.
const VOID: [&str; 6] = ["br", "hr", "img", "input", "link", "meta"];

/// An element of the page; a text between tags is one too, with the tag [`TEXT`].
pub(crate) struct Element {
    pub(crate) tag: String,
    attributes: BTreeMap<String, String>,
    /// What stands between its tags.
    pub(crate) inner: &'static str,
    parent: Option<usize>,
}

/// The tag of a text.
pub(crate) const TEXT: &str = "#text";

impl Element {
    pub(crate) fn get(&self, attribute: &str) -> Option<&str> {
        self.attributes.get(attribute).map(String::as_str)
    }

    /// Its text, as it is read.
    pub(crate) fn text(&self) -> String {
        let mut pieces = self.inner.split('<');
        let first = pieces.next().unwrap_or_default().to_owned();
        plain(&pieces.fold(first, |text, piece| text + piece.split_once('>').unwrap().1))
    }

    /// Pairs of an attribute and a name, as `data-live-attributes` lists them.
    fn pairs(&self, list: &str) -> Vec<(&str, &str)> {
        self.get(list).unwrap_or_default().split_whitespace().map(|pair| pair.split_once('=').unwrap()).collect()
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

/// HTML as text.
fn plain(html: &str) -> String {
    let text = html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#x27;", "'");
    text.replace("&#39;", "'").replace("&nbsp;", "\u{a0}").replace("&amp;", "&")
}

/// The page, and what was staged with it.
pub(crate) struct Page {
    html: &'static str,
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
    // In place of the program, which is not looked at here.
    let glue = "new URL('memory-wall-app_bg.wasm', import.meta.url);\nexport { initSync, __wbg_init as default };\n";
    fs::write(staging.join("memory-wall-app-0.js"), glue).unwrap();
    fs::write(staging.join("memory-wall-app-0_bg.wasm"), b"\0asm\x01\0\0\0").unwrap();
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

/// Reads HTML; every tag that is opened has to be closed, in order.
fn parsed(html: &'static str) -> Vec<Element> {
    let mut elements = Vec::<Element>::new();
    let mut open = Vec::<(usize, usize)>::new();
    let mut at = 0;
    while let Some(start) = html[at..].find('<').map(|found| at + found) {
        let end = start + html[start..].find('>').unwrap();
        let parent = open.last().map(|(place, _)| *place);
        if start > at {
            elements.push(Element { tag: TEXT.into(), attributes: BTreeMap::new(), inner: &html[at..start], parent });
        }
        let tag = &html[start + 1..end];
        at = end + 1;
        if tag.starts_with('!') {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            let (place, inner) = open.pop().unwrap_or_else(|| panic!("</{name}> closes nothing"));
            assert_eq!(elements[place].tag, name, "around {}", &html[start.saturating_sub(200)..start]);
            elements[place].inner = &html[inner..start];
            continue;
        }
        let (name, rest) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        let name = name.trim_end_matches('/').to_owned();
        let element = Element { attributes: attributes(rest), inner: "", parent, tag: name };
        if !VOID.contains(&element.tag.as_str()) && !tag.ends_with('/') {
            open.push((elements.len(), at));
        }
        elements.push(element);
    }
    assert!(open.is_empty(), "not closed: {}", elements[open[0].0]);
    elements
}

fn attributes(mut rest: &str) -> BTreeMap<String, String> {
    let mut attributes = BTreeMap::new();
    loop {
        rest = rest.trim_start().trim_start_matches('/');
        if rest.is_empty() {
            return attributes;
        }
        let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        let (value, behind) = if let Some(quoted) = behind.strip_prefix("=\"") {
            quoted.split_once('"').unwrap()
        } else {
            assert!(!behind.starts_with('='), "{name} has a value without quotes");
            ("", behind)
        };
        assert!(attributes.insert(name.to_owned(), plain(value)).is_none(), "{name} is there twice");
        rest = behind;
    }
}

pub(crate) fn whole() -> &'static Page {
    static PAGE: OnceLock<Page> = OnceLock::new();
    PAGE.get_or_init(|| {
        let files = built("once");
        // With the self-check, as its readers have it.
        let html = check::whole(&files["index.html"], &files["check.html"]).unwrap();
        let html: &'static str = Box::leak(html.into_boxed_str());
        Page { html, elements: parsed(html), files }
    })
}

#[test]
fn every_live_number_is_the_engines() {
    let numbers = whole().with("data-live-number");
    assert!(numbers.len() > 100, "{}", numbers.len());
    for (element, name) in numbers {
        let answer = element.snapshot().value(name).unwrap_or_else(|| panic!("{element}: no such number"));
        if Snapshot::is_html(name) {
            assert_eq!(element.inner, answer, "{element}");
        } else {
            assert_eq!(element.text(), answer, "{element}");
            assert!(!element.inner.contains('<'), "{element} is text alone: {}", element.inner);
        }
    }
}

#[test]
fn every_live_attribute_and_flag_is_the_engines() {
    let (mut attributes, mut flags) = (0, 0);
    for element in &whole().elements {
        for (attribute, name) in element.pairs("data-live-attributes") {
            assert_eq!(element.get(attribute).map(str::to_owned), element.snapshot().value(name), "{element}: {name}");
            attributes += 1;
        }
        for (attribute, name) in element.pairs("data-live-flags") {
            assert_eq!(
                element.get(attribute).map(|_| true),
                element.snapshot().flag(name).filter(|on| *on),
                "{element}: {name}"
            );
            assert!(element.snapshot().flag(name).is_some(), "{element}: no such flag");
            flags += 1;
        }
    }
    assert!(attributes > 80 && flags > 20, "{attributes} attributes, {flags} flags");
}

#[test]
fn nothing_is_left_undone() {
    let Page { html, files, .. } = whole();
    // AMD calls a cache so.
    let html = html.replace("Infinity Cache", "");
    for trace in ["{{", "}}", "<!--", " style=\"", "NaN", "undefined", "Infinity", "null", "[object", "Some(", "None"] {
        assert!(!html.contains(trace), "{trace}: {}", &html[html.find(trace).unwrap_or(0)..][..80]);
    }
    for (element, name) in whole().with("data-live-number") {
        let number = |before: &str, behind: &str| {
            let middle = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(behind));
            middle.is_some_and(|middle| middle.bytes().all(|byte| byte.is_ascii_digit()))
        };
        // Places that are there for other states.
        let may_be_empty = number("assumption.", "")
            || number("wall.tick.", ".label")
            || number("plot.decade.", ".label")
            || name == "answer_context_note"
            || name.starts_with("done.")
            || name.starts_with("predict.said.")
            || name.starts_with("dial.said.")
            || name.starts_with("quiz.said.")
            || name == "dial.strip"
            || name.starts_with("terms.list.")
            // Points without text, and a reading that there is not before the reader has measured something.
            || ["roofline.dots", "roofline.read.own"].contains(&name);
        assert!(may_be_empty || !element.text().trim().is_empty(), "{element} is empty");
    }
    for first in ["assumption.0", "wall.tick.0.label", "plot.decade.0.label"] {
        assert!(
            whole().with("data-live-number").iter().any(|(element, name)| *name == first && !element.inner.is_empty())
        );
    }
    for tag in ["title", "h1", "h2", "h3", "a", "button", "label", "legend", "summary", "caption", "option", "dt"] {
        for element in whole().all(tag) {
            assert!(!element.text().trim().is_empty(), "{element} has no text");
        }
    }
    // The style sheet that is linked is the one that was written.
    let (name, css) = files.iter().find(|(name, _)| name.starts_with("style-")).unwrap();
    assert_eq!(html.matches(&format!("href=\"./{name}\"")).count(), 1);
    assert_eq!(css.matches('{').count(), css.matches('}').count());
    for (element, number) in whole().with("data-s") {
        assert!(css.contains(&format!("[data-s=\"{number}\"]{{")), "{element} has lost its style");
    }
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
    for list in ["data-live-number", "data-live-attributes", "data-live-flags"] {
        for (element, names) in page.with(list).into_iter().filter(|(_, names)| names.contains('~')) {
            let around = std::iter::once(element).chain(page.around(element));
            assert!(around.into_iter().any(|one| one.get("data-quiz").is_some()), "{element}: {names}");
            found += 1;
        }
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
    let mut registered: Vec<&str> = FIGURES.iter().map(|figure| figure.id).collect();
    registered.sort_unstable();
    assert_eq!(figures, registered);
}

#[test]
fn the_same_sources_make_the_same_page() {
    // Also a page that is not as it was is not printed: it is long.
    assert!(built("again") == whole().files, "a file is another, or has another name");
}
