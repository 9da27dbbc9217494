//! Levers are hydrated: one group after another once the page is live, and at once where a reader comes before its turn. From
//! then on each follows the state: in the next frame where it is seen, and otherwise when changes rest.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, EventInit, HtmlElement, HtmlInputElement, HtmlOptionElement, HtmlSelectElement};

use super::task_queue::TaskQueue;
use super::{host, page};
use crate::far;
use crate::registry::{self, FAR_LEVERS, LEVERS};
use crate::store::{Signals, Store};

/// What a reader does first with a lever.
const FIRST: [&str; 6] = ["focusin", "pointerdown", "keydown", "click", "input", "change"];

/// A group that is hydrated.
struct Group {
    place: Element,
    store: Store,
    /// Whether it is behind the state.
    stale: Cell<bool>,
}

/// Every group of the page.
pub(super) struct Levers {
    signals: &'static Signals,
    /// Those that wait for their turn.
    waiting: RefCell<Vec<Element>>,
    /// Those that wait for the far part of the program.
    far: RefCell<Vec<Element>>,
    hydrated: RefCell<Vec<Group>>,
    /// Those on the screen.
    seen: Rc<RefCell<Vec<Element>>>,
}

impl Levers {
    /// Every group of the page; from here on one that is used is hydrated at once.
    pub(super) fn listen(signals: &'static Signals) -> Rc<Self> {
        let mut waiting = page::elements("[data-levers]");
        waiting.reverse();
        let seen = Rc::new(RefCell::new(Vec::new()));
        let all = Rc::clone(&seen);
        let observer = page::on_sight(move |place, visible| {
            let mut all = all.borrow_mut();
            all.retain(|one| one != place);
            if visible {
                all.push(place.clone());
            }
        });
        for place in &waiting {
            if let Some(observer) = &observer {
                observer.observe(place);
            }
        }
        let (far, hydrated) = (RefCell::default(), RefCell::default());
        let levers = Rc::new(Self { signals, waiting: RefCell::new(waiting), far, hydrated, seen });
        let first = Rc::clone(&levers);
        page::listen_before(&FIRST, move |event| {
            let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            if let Some(place) = target.and_then(|target| target.closest("[data-levers]").ok().flatten()) {
                first.wake(&place);
                if first.far.borrow().contains(&place) {
                    host::ask_far();
                }
            }
        });
        levers
    }

    /// Hydrates the groups one after another.
    pub(super) fn ask(self: &Rc<Self>) {
        let levers = Rc::clone(self);
        // The effects of a group run when its task is over.
        TaskQueue::of_long_steps(move || {
            let next = levers.waiting.borrow_mut().pop();
            next.is_some_and(|place| {
                levers.hydrate(place);
                true
            })
        })
        .ask();
    }

    /// Hydrates a group, if it waits.
    fn wake(&self, place: &Element) {
        let found = {
            let mut waiting = self.waiting.borrow_mut();
            let at = waiting.iter().position(|one| one == place);
            at.map(|at| waiting.remove(at))
        };
        if let Some(place) = found {
            self.hydrate(place);
        }
    }

    /// Hydrates the levers that waited for the far part of the program.
    pub(super) fn far_came(self: &Rc<Self>) {
        let far = self.far.take();
        if !far.is_empty() {
            self.waiting.borrow_mut().extend(far.into_iter().rev());
            self.ask();
        }
    }

    /// Makes a group work. What its reader has changed before counts as changed now.
    fn hydrate(&self, place: Element) {
        let id = place.get_attribute("data-levers").unwrap_or_default();
        let find = |groups: &'static [registry::Group]| groups.iter().find(|group| group.id == id);
        let group = match (find(LEVERS), find(FAR_LEVERS)) {
            (Some(near), _) => near,
            (None, Some(far)) if far::came() => far,
            (None, Some(_)) => return self.far.borrow_mut().push(place),
            (None, None) => return,
        };
        let Ok(root) = place.clone().dyn_into::<HtmlElement>() else { return };
        let store = Store::new(self.signals);
        (group.hydrate)(root, store);
        for (control, event) in changed(&place) {
            let bubbles = EventInit::new();
            bubbles.set_bubbles(true);
            if let Ok(event) = Event::new_with_event_init_dict(event, &bubbles) {
                // Nobody can forbid it: the event cannot be cancelled.
                let _ = control.dispatch_event(&event);
            }
        }
        store.follow();
        // For tests; an attribute with a legal name can be set.
        let _ = place.set_attribute("data-hydrated", "");
        self.hydrated.borrow_mut().push(Group { place, store, stale: Cell::new(false) });
    }

    /// Says that every group is behind the state.
    pub(super) fn stale(&self) {
        for group in self.hydrated.borrow().iter() {
            group.stale.set(true);
        }
    }

    /// Brings the groups on the screen in step.
    pub(super) fn show(&self) {
        let seen = self.seen.borrow();
        for group in self.hydrated.borrow().iter().filter(|group| group.stale.get() && seen.contains(&group.place)) {
            group.stale.set(false);
            group.store.follow();
        }
    }

    /// Brings one more group in step, wherever it is, and says whether there was one.
    pub(super) fn show_next(&self) -> bool {
        let hydrated = self.hydrated.borrow();
        let next = hydrated.iter().find(|group| group.stale.replace(false));
        next.map(|group| group.store.follow()).is_some()
    }
}

/// The controls within a group that show something else than what they arrived with, and the event that says so.
fn changed(place: &Element) -> Vec<(Element, &'static str)> {
    let event = |control: &Element| {
        if let Some(input) = control.dyn_ref::<HtmlInputElement>() {
            return match input.type_().as_str() {
                "radio" => (input.checked() && !input.default_checked()).then_some("change"),
                _ => (input.value() != input.default_value()).then_some("input"),
            };
        }
        let list = control.dyn_ref::<HtmlSelectElement>()?;
        let chosen = list.item(u32::try_from(list.selected_index()).ok()?)?.dyn_into::<HtmlOptionElement>().ok()?;
        (!chosen.default_selected()).then_some("change")
    };
    let controls = page::within(place, "input, select").into_iter();
    controls.filter_map(|control| event(&control).map(|event| (control, event))).collect()
}
