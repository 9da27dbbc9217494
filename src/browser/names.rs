//! What is named in the page follows the state.
#![expect(clippy::disallowed_methods, reason = "this file is where answers enter the page")]

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use web_sys::Element;

use super::rig::{Rig, follow};
use super::{controls, page};
use crate::live::Snapshot;
use crate::state::{State, query};

/// What of an element follows the state.
enum Aspect {
    Text,
    Html,
    Attribute(String),
    Flag(String),
    /// What a control shows.
    Control,
    /// What a list offers.
    Offered,
}

/// Something on the page that follows the state: where it stands, what of it, its name, and what it says now.
struct Follower {
    place: Element,
    aspect: Aspect,
    name: String,
    now: Option<String>,
}

impl Follower {
    /// Everything that one element asks for: `data-live-number="total"`, `data-live-attributes="y=wall.line y2=wall.line"`, `data-live-flags="data-over=wall.over"`.
    fn of(place: &Element) -> Vec<Self> {
        let follower = |aspect, name: &str| Self { place: place.clone(), aspect, name: name.into(), now: None };
        let text = |name: &String| follower(if Snapshot::is_html(name) { Aspect::Html } else { Aspect::Text }, name);
        let mut all: Vec<Self> = place.get_attribute("data-live-number").iter().map(text).collect();
        let mut pairs = |list: &str, aspect: fn(String) -> Aspect| {
            let list = place.get_attribute(list).unwrap_or_default();
            all.extend(
                list.split(' ')
                    .filter_map(|pair| pair.split_once('='))
                    .map(|(attribute, name)| follower(aspect(attribute.into()), name)),
            );
        };
        pairs("data-live-attributes", |attribute| match attribute.as_str() {
            "value" | "data-value" => Aspect::Control,
            "data-offered" => Aspect::Offered,
            _ => Aspect::Attribute(attribute),
        });
        pairs("data-live-flags", Aspect::Flag);
        all
    }

    /// Asks again, and touches the page only where the answer is a new one.
    fn ask(&mut self, snapshot: &Snapshot) {
        let answer = match &self.aspect {
            Aspect::Flag(_) => {
                snapshot.flag(&self.name).map(|holds| if holds { String::from("1") } else { String::new() })
            }
            _ => snapshot.value(&self.name),
        };
        if answer.is_none() || answer == self.now {
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
            // Of the engine's own making, see [`Snapshot::is_html`].
            Aspect::Html => {
                self.place.set_inner_html(text);
                Ok(())
            }
            Aspect::Control => {
                controls::show(&self.place, text);
                Ok(())
            }
            Aspect::Offered => {
                controls::offer(&self.place, text);
                Ok(())
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
            Aspect::Control | Aspect::Offered => false,
        }
    }
}

/// Followers that stand together, and are seen together or not at all.
struct Group {
    place: Option<Element>,
    seen: Rc<Cell<bool>>,
    /// Whether they can wait until a series of changes is over.
    later: bool,
    followers: Vec<Follower>,
    /// Whether they are behind the state.
    stale: bool,
}

/// Everything that is named in the page.
pub(super) struct Followers(RefCell<Vec<Group>>);

impl Followers {
    /// Finds all names, and keeps those at a fixed state in step with the unit.
    pub(super) fn find(rig: Rig) -> Self {
        let mut groups = Vec::<Group>::new();
        let fixed = RefCell::new(Vec::new());
        for place in page::elements("[data-live-number], [data-live-attributes], [data-live-flags]") {
            if let Some(at) = place.get_attribute("data-at") {
                fixed.borrow_mut().push((query::decode(&at).state, Follower::of(&place)));
                continue;
            }
            let near = |selector| place.closest(selector).ok().flatten();
            let around = near(".table-scroll, [data-later], .figure, .rig, p");
            let later = near("[data-later]").is_some();
            let followers = Follower::of(&place);
            // They come in the order of the page, so a group is either the last one or new.
            match groups.last_mut().filter(|group| group.place == around) {
                Some(group) => group.followers.extend(followers),
                None => groups.push(Group { place: around, seen: Rc::default(), later, followers, stale: true }),
            }
        }
        // What stands at a fixed state follows the unit alone, and need not ask the engine again while a slider moves.
        let shown = Cell::new(None);
        follow(move || {
            let unit = rig.state().unit;
            if shown.replace(Some(unit)) == Some(unit) {
                return;
            }
            for (state, followers) in fixed.borrow_mut().iter_mut() {
                let snapshot = Snapshot::of(State { unit, ..*state });
                for follower in followers {
                    follower.ask(&snapshot);
                }
            }
        });
        Self(RefCell::new(groups))
    }

    /// Learns which groups are on the screen: those of a section that is. A browser looks at whatever is watched in every frame,
    /// and a hundred and fifty places took it longer than to compute what they say.
    pub(super) fn watch(&self) {
        let place = |group: &Group| {
            let place = group.place.clone()?;
            Some((place.closest("section").ok().flatten(), place, Rc::clone(&group.seen)))
        };
        let places: Rc<Vec<_>> = Rc::new(self.0.borrow().iter().filter_map(place).collect());
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
        let holder = |place: &Element| place.closest("[data-live-attributes]").ok().flatten();
        let mut holders = Vec::new();
        let mut next = holder(target);
        while let Some(place) = next {
            next = place.parent_element().and_then(|up| holder(&up));
            holders.push(place);
        }
        for group in self.0.borrow_mut().iter_mut() {
            for follower in &mut group.followers {
                if matches!(follower.aspect, Aspect::Control) && holders.contains(&follower.place) {
                    follower.now = says.map(Into::into);
                }
            }
        }
    }

    /// Says that everything is behind.
    pub(super) fn stale(&self) {
        for group in self.0.borrow_mut().iter_mut() {
            group.stale = true;
        }
    }

    /// Brings what is on the screen and cannot wait in step with a snapshot, or with `all` everything.
    pub(super) fn ask(&self, snapshot: &Snapshot, all: bool) {
        for group in self.0.borrow_mut().iter_mut().filter(|group| group.stale) {
            if all || group.seen.get() && !group.later {
                group.stale = false;
                for follower in &mut group.followers {
                    follower.ask(snapshot);
                }
            }
        }
    }
}
