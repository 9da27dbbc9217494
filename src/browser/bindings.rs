//! What is named in the page follows the state.
#![expect(clippy::disallowed_methods, reason = "this file is where answers enter the page")]

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use memory_wall_core::display::ByteUnit;
use wasm_bindgen::JsCast;
use web_sys::{Element, NodeList};

use super::{controls, page, quiz};
use crate::far;
use crate::figures::{Models, Place, Places};
use crate::live::Snapshot;
use crate::registry::FIGURES;
use crate::state::{State, query};

/// What of an element follows the state.
enum Aspect {
    Text,
    Html,
    Attribute(String),
    Flag(String),
    /// What a control shows.
    Control,
    /// The attempt at a question in whose order its options stand.
    Attempt,
}

impl Aspect {
    /// What an attribute stands for.
    fn of(attribute: String) -> Self {
        match attribute.as_str() {
            "value" | "data-value" => Self::Control,
            "data-attempt" => Self::Attempt,
            _ => Self::Attribute(attribute),
        }
    }
}

/// Something on the page that follows the state: where it stands, what of it, what answers, and what it says now.
struct Bound {
    place: Element,
    aspect: Aspect,
    /// The binding; nothing where the mark is none, so that nobody answers.
    binding: Option<Place>,
    /// What it is about, where the page names that.
    about: String,
    /// How often the model had changed when it was asked.
    seen: u32,
    now: Option<String>,
}

/// A mark of the page, with a place as [`Places`] reads it: `9:13` for the text, `y=9:2` for an attribute, `data-over?9:14` for an attribute that is there or not,
/// `*9:3` for HTML, and `9:13/oom.copy` where the page names what it is about.
fn read(mark: &str) -> (Aspect, &str) {
    if let Some((attribute, binding)) = mark.split_once('=') {
        (Aspect::of(attribute.into()), binding)
    } else if let Some((attribute, binding)) = mark.split_once('?') {
        (Aspect::Flag(attribute.into()), binding)
    } else if let Some(binding) = mark.strip_prefix('*') {
        (Aspect::Html, binding)
    } else {
        (Aspect::Text, mark)
    }
}

impl Bound {
    /// Everything that one element asks for, `data-b="9:13 y=9:2"`. A `~` is the question around.
    fn of(place: &Element, places: &mut Places) -> Vec<Self> {
        let around = || place.closest("[data-quiz]").ok().flatten()?.get_attribute("data-quiz");
        let bound = |mark: &str| {
            let (aspect, binding) = read(mark);
            let (binding, about) = binding.split_once('/').unwrap_or((binding, ""));
            let about = match about.strip_suffix('~') {
                Some(part) => part.to_owned() + &around().unwrap_or_default(),
                None => about.into(),
            };
            Self { place: place.clone(), aspect, binding: places.read(binding), about, seen: 0, now: None }
        };
        let marks = place.get_attribute("data-b").unwrap_or_default();
        marks.split(' ').filter(|mark| !mark.is_empty()).map(bound).collect()
    }

    /// Whether the far part of the program answers.
    fn is_far(&self) -> bool {
        self.binding.and_then(|binding| FIGURES.get(binding.figure)).is_some_and(|figure| figure.far)
    }

    /// Asks again, and touches the page only where the answer is a new one.
    fn ask(&mut self, snapshot: &Snapshot, models: &mut Models) {
        // The page arrives saying what the far part would say, until something changes; see `crate::far`.
        if self.is_far() && !far::came() {
            return;
        }
        let answer = self.binding.and_then(|binding| {
            let changes = models.changes(binding.figure, snapshot)?;
            if changes == self.seen {
                return Some(None);
            }
            self.seen = changes;
            Some(Some(models.answer_of(binding, &self.about, snapshot)?.text(snapshot.state.unit)))
        });
        // The model is the same as before, and so is every answer of it.
        if answer == Some(None) {
            return;
        }
        let answer = answer.flatten();
        if answer.is_none() {
            // Nobody sees it. Tests look for it on every page, since the page and its program are built apart.
            let _ = self.place.set_attribute("data-unanswered", "");
            return;
        }
        if answer == self.now {
            return;
        }
        let text = answer.as_deref().unwrap_or_default();
        // The page arrives saying it already: writing the same would have all of it laid out once more.
        if self.now.is_none() && self.shows(text) {
            self.now = answer;
            return;
        }
        // Attributes have legal names: they come from the page's own build.
        let _ = match &self.aspect {
            Aspect::Text => {
                page::write(&self.place, text);
                Ok(())
            }
            // Of our own making.
            Aspect::Html => {
                self.place.set_inner_html(text);
                Ok(())
            }
            Aspect::Control => {
                controls::show(&self.place, text);
                Ok(())
            }
            Aspect::Attempt => {
                quiz::arrange(&self.place, text);
                self.place.set_attribute("data-attempt", text)
            }
            Aspect::Attribute(attribute) => self.place.set_attribute(attribute, text),
            Aspect::Flag(attribute) if text.is_empty() => self.place.remove_attribute(attribute),
            Aspect::Flag(attribute) => self.place.set_attribute(attribute, ""),
        };
        self.now = answer;
    }

    /// Whether the page says this now. Controls are asked when they are set.
    fn shows(&self, text: &str) -> bool {
        match &self.aspect {
            Aspect::Text => self.place.text_content().as_deref() == Some(text),
            Aspect::Html => self.place.inner_html() == text,
            Aspect::Attribute(attribute) => self.place.get_attribute(attribute).as_deref() == Some(text),
            Aspect::Flag(attribute) => self.place.has_attribute(attribute) != text.is_empty(),
            Aspect::Attempt => self.place.get_attribute("data-attempt").as_deref() == Some(text),
            Aspect::Control => false,
        }
    }
}

/// Bindings that stand together, and are seen together or not at all.
struct Group {
    place: Option<Element>,
    seen: Rc<Cell<bool>>,
    /// Whether they can wait until a series of changes is over.
    later: bool,
    /// The state that they stand at, if it is not the reader's, and its models. Of that they follow the unit alone.
    at: Option<(State, Models)>,
    members: Vec<Bound>,
    /// Whether they are behind the state.
    stale: bool,
}

impl Group {
    fn ask(&mut self, snapshot: &Snapshot, models: &mut Models) {
        self.stale = false;
        if let Some((at, models)) = &mut self.at {
            models.stale();
            let fixed = Snapshot::of(State { unit: snapshot.state.unit, ..*at });
            self.members.iter_mut().for_each(|bound| bound.ask(&fixed, models));
        } else {
            self.members.iter_mut().for_each(|bound| bound.ask(snapshot, models));
        }
    }
}

/// Everything that is named in the page.
pub(super) struct Bindings {
    groups: RefCell<Vec<Group>>,
    /// What the figures show of the reader's state.
    models: RefCell<Models>,
    /// What was not looked into yet: places, and the next one of them. There are two thousand, so that not even all of them are
    /// taken at once.
    left: RefCell<Vec<(NodeList, u32, Places)>>,
    /// How many groups are watched.
    watched: Cell<usize>,
    unit: Cell<ByteUnit>,
}

/// What follows the state, on the whole page.
const ALL: &str = "[data-b]";

impl Bindings {
    /// All places with bindings; `find` looks into them. A page arrives in the unit of the default.
    pub(super) fn new() -> Self {
        let left = RefCell::new(page::all(ALL).into_iter().map(|all| (all, 0, Places::default())).collect());
        Self {
            groups: RefCell::default(),
            models: RefCell::default(),
            left,
            watched: Cell::default(),
            unit: Cell::new(State::default().unit),
        }
    }

    /// More of the page has come within such elements, and has to be looked into as well.
    pub(super) fn more(&self, within: &str) {
        let came = page::all(&format!(":is({within}) {ALL}"));
        self.left.borrow_mut().extend(came.map(|all| (all, 0, Places::default())));
    }

    /// The next place, and what follows the state there.
    fn next(&self) -> Option<(Element, Vec<Bound>)> {
        let mut left = self.left.borrow_mut();
        while let Some((all, next, places)) = left.last_mut() {
            *next += 1;
            if let Some(place) = all.get(*next - 1).and_then(|place| place.dyn_into().ok()) {
                let members = Bound::of(&place, places);
                return Some((place, members));
            }
            left.pop();
        }
        None
    }

    /// Looks into the next place, and says whether there was one.
    pub(super) fn find(&self) -> bool {
        let Some((place, members)) = self.next() else { return false };
        let near = |selector| place.closest(selector).ok().flatten();
        let around = near(".table-scroll, [data-later], .figure, .rig, p");
        let at = place.get_attribute("data-at").map(|at| query::decode(&at).state);
        let mut groups = self.groups.borrow_mut();
        // They come in the order of the page, so a group is either the last one or new.
        if let Some(group) = groups
            .last_mut()
            .filter(|group| group.place == around && group.at.as_ref().map(|(at, _)| at) == at.as_ref())
        {
            group.members.extend(members);
            group.stale = true;
        } else {
            let later = near("[data-later]").is_some();
            let at = at.map(|at| (at, Models::default()));
            groups.push(Group { place: around, seen: Rc::default(), later, at, members, stale: true });
        }
        true
    }

    /// Learns which of the groups that are new are on the screen: those of a section that is. A browser looks at whatever is
    /// watched in every frame, and a hundred and fifty places took it longer than to compute what they say.
    pub(super) fn watch(&self) {
        let place = |group: &Group| {
            let place = group.place.clone()?;
            Some((place.closest("section").ok().flatten(), place, Rc::clone(&group.seen)))
        };
        let groups = self.groups.borrow();
        let places: Rc<Vec<_>> =
            Rc::new(groups.iter().skip(self.watched.replace(groups.len())).filter_map(place).collect());
        if places.is_empty() {
            return;
        }
        let all = Rc::clone(&places);
        let inner = page::on_sight(move |place, visible| {
            for (.., seen) in all.iter().filter(|(_, known, _)| known == place) {
                seen.set(visible);
            }
        });
        let Some(inner) = inner else { return };
        let mut sections = Vec::new();
        for (section, place, _) in places.iter() {
            match section {
                Some(section) if !sections.contains(section) => sections.push(section.clone()),
                Some(_) => {}
                None => inner.observe(place),
            }
        }
        let outer = page::on_sight(move |section, visible| {
            for (_, place, seen) in places.iter().filter(|(known, ..)| known.as_ref() == Some(section)) {
                if visible {
                    inner.observe(place);
                } else {
                    inner.unobserve(place);
                    seen.set(false);
                }
            }
        });
        let Some(outer) = outer else { return };
        for section in sections {
            outer.observe(&section);
        }
    }

    /// Says that the reader has moved a control, so that it may show something else than it was told to. What cannot be used
    /// yet or at all stays until the state says something else than it `says` now.
    pub(super) fn touched(&self, target: &Element, says: Option<&str>) {
        // What the target stands in is found once: whether each of some hundred controls contains it would be asked at every step.
        let holder = |place: &Element| place.closest(ALL).ok().flatten();
        let mut holders = Vec::new();
        let mut next = holder(target);
        while let Some(place) = next {
            next = place.parent_element().and_then(|up| holder(&up));
            holders.push(place);
        }
        for group in self.groups.borrow_mut().iter_mut() {
            for bound in &mut group.members {
                if matches!(bound.aspect, Aspect::Control) && holders.contains(&bound.place) {
                    bound.now = says.map(Into::into);
                    bound.seen = 0;
                }
            }
        }
    }

    /// Says that everything is behind a state in this unit.
    pub(super) fn stale(&self, unit: ByteUnit) {
        let turned = self.unit.replace(unit) != unit;
        self.models.borrow_mut().stale();
        for group in self.groups.borrow_mut().iter_mut() {
            group.stale |= turned || group.at.is_none();
        }
    }

    /// Says that the far part of the program has come: what it answers is behind.
    pub(super) fn far_came(&self) {
        for group in self.groups.borrow_mut().iter_mut() {
            group.stale |= group.members.iter().any(Bound::is_far);
        }
    }

    /// Brings what is on the screen and cannot wait in step with a snapshot.
    pub(super) fn ask(&self, snapshot: &Snapshot) {
        for group in self.groups.borrow_mut().iter_mut().filter(|group| group.stale && group.seen.get() && !group.later)
        {
            group.ask(snapshot, &mut self.models.borrow_mut());
        }
    }

    /// Brings one more group in step, wherever it is, and says whether there was one.
    pub(super) fn ask_next(&self, snapshot: &Snapshot) -> bool {
        let mut groups = self.groups.borrow_mut();
        let next = groups.iter_mut().find(|group| group.stale);
        next.map(|group| group.ask(snapshot, &mut self.models.borrow_mut())).is_some()
    }
}
