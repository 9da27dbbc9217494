//! A search field for a long list: the combobox with a listbox of the ARIA Authoring Practices.
//!
//! What is chosen here is put into the control that it belongs to, with the event of a reader's own choice. So the control stays what
//! the program knows, and it is all that there is without the program, and in a browser without popovers.
//! The panel is empty until it is first opened, and one listener hears all of it: the page loads this with the lists.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use leptos::ev;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::wasm_bindgen::closure::Closure;
use leptos::web_sys::{Element, Event, EventInit, HtmlElement, HtmlInputElement, HtmlSelectElement};

use crate::controls::Choice;
use crate::words;

/// A list of more choices than this can be filtered.
const LONG: usize = 40;

/// How far the keys for a page go.
const PAGE: isize = 10;

/// The space between the panel and the edges of the window.
const EDGE: i32 = 8;

/// No choice is marked.
const NONE: usize = usize::MAX;

/// What belongs to a control with many choices.
#[derive(Clone)]
pub struct Finder(Arc<Parts>);

struct Parts {
    /// The id of the control.
    control: String,
    choices: Vec<Choice>,
    /// What a text of the field stands for. A list has a field in the panel, which opens over it; a field that is typed in anyway has the
    /// panel below or above it.
    read: Option<fn(&str) -> String>,
    /// How many choices are shown.
    found: AtomicUsize,
    /// The one among them that Enter would take.
    marked: AtomicUsize,
    /// Whether the last pointer was a mouse. Phones have a picker of their own, with which nothing interferes.
    mouse: AtomicBool,
}

impl Finder {
    /// For a list, if it is long.
    pub fn of_list(control: &str, choices: &[Choice]) -> Option<Self> {
        (choices.len() > LONG).then(|| Self::new(control.into(), choices.to_vec(), None))
    }

    /// For a field whose text is the name of one of many choices, or is `read` as one.
    pub fn of_field(control: String, choices: Vec<Choice>, read: fn(&str) -> String) -> Self {
        Self::new(control, choices, Some(read))
    }

    fn new(control: String, choices: Vec<Choice>, read: Option<fn(&str) -> String>) -> Self {
        let [found, marked] = [0, NONE].map(AtomicUsize::new);
        Self(Arc::new(Parts { control, choices, read, found, marked, mouse: AtomicBool::new(false) }))
    }

    /// The id of one of its elements.
    pub fn id(&self, part: &str) -> String {
        format!("{}-{part}", self.0.control)
    }

    #[inline(never)]
    fn part(&self, part: &str) -> Option<HtmlElement> {
        by_id(&self.id(part))
    }

    fn control(&self) -> Option<HtmlElement> {
        by_id(&self.0.control)
    }

    fn has_own_field(&self) -> bool {
        self.0.read.is_none()
    }

    /// The field that is typed in.
    #[inline(never)]
    fn field(&self) -> Option<HtmlInputElement> {
        let field = if self.has_own_field() { self.part("find") } else { self.control() };
        field?.dyn_into().ok()
    }

    fn is_open(&self) -> bool {
        self.part("panel").is_some_and(|panel| panel.matches(":popover-open").unwrap_or(false))
    }

    /// Hears what happens in the control and in the panel, for as long as the page lives.
    fn listen(&self) {
        let heard: [&[&str]; 2] = if self.has_own_field() {
            [&["pointerdown", "mousedown", "keydown"], &["input", "keydown", "mousedown", "click", "focusout"]]
        } else {
            [&["input", "click", "keydown", "focusout"], &["mousedown", "click"]]
        };
        for (place, events) in [self.control(), self.part("panel")].into_iter().zip(heard) {
            let Some(place) = place else { return };
            let (finder, in_panel) = (self.clone(), place.has_attribute("popover"));
            // What happens in answer to an event may be heard at once: a focus that leaves.
            let hear = Closure::<dyn Fn(Event)>::new(move |event: Event| finder.hear(&event, in_panel)).into_js_value();
            for event in events {
                let _ = place.add_event_listener_with_callback(event, hear.unchecked_ref());
            }
        }
    }

    fn hear(&self, event: &Event, in_panel: bool) {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let within = |selector: &str| target.as_ref().and_then(|target| target.closest(selector).ok().flatten());
        match event.type_().as_str() {
            "pointerdown" => {
                let mouse = event.unchecked_ref::<ev::PointerEvent>().pointer_type() == "mouse";
                self.0.mouse.store(mouse, Ordering::Relaxed);
            }
            // The reader stays in the field.
            "mousedown" if in_panel => {
                if within("input").is_none() {
                    event.prevent_default();
                }
            }
            "mousedown" => {
                let opens =
                    self.0.mouse.load(Ordering::Relaxed) && event.unchecked_ref::<ev::MouseEvent>().button() == 0;
                if opens && self.show("") {
                    event.prevent_default();
                }
            }
            "click" if in_panel => {
                if let Some(option) = within("[role=option]") {
                    self.choose(&option);
                }
            }
            "click" => _ = self.show(""),
            "input" => {
                let typed = self.field().map(|field| field.value()).unwrap_or_default();
                let _ = match self.0.read {
                    Some(read) => self.show(read(&typed).trim()),
                    None => self.show(typed.trim()),
                };
            }
            "focusout" => self.hide(false),
            _ => {
                let event = event.unchecked_ref::<ev::KeyboardEvent>();
                if event.is_composing() || event.ctrl_key() || event.meta_key() {
                } else if in_panel || !self.has_own_field() {
                    self.key(event);
                } else {
                    self.list_key(event);
                }
            }
        }
    }

    /// Shows the choices that have what was typed, and says whether the browser can.
    fn show(&self, typed: &str) -> bool {
        let (Some(panel), opens) = (self.part("panel"), !self.is_open()) else { return false };
        if opens && panel.show_popover().is_err() {
            return false;
        }
        if panel.first_element_child().is_none() {
            self.fill(&panel);
        }
        self.draw(typed);
        if opens {
            self.place(&panel);
            if let Some(field) = self.field() {
                set(&field, "aria-expanded", "true");
                if self.has_own_field() {
                    field.set_value(typed);
                    // It is not hidden any more.
                    let _ = field.focus();
                }
            }
        }
        // In sight now that there is something to see.
        self.mark(self.0.marked.load(Ordering::Relaxed));
        true
    }

    /// Makes the field of a list, the listbox, and what says how many were found.
    fn fill(&self, panel: &HtmlElement) {
        let label = self.control().and_then(|control| control.parent_element());
        let label = label.and_then(|place| place.query_selector("label").ok().flatten());
        let label = label.and_then(|label| label.text_content()).unwrap_or_default();
        let made = |name: &str, attributes: &[[&str; 2]]| {
            if let Ok(element) = document().create_element(name) {
                for [name, value] in attributes {
                    set(&element, name, value);
                }
                let _ = panel.append_child(&element);
            }
        };
        let [find, list] = ["find", "list"].map(|part| self.id(part));
        if self.has_own_field() {
            made(
                "input",
                &[
                    ["id", &find],
                    ["role", "combobox"],
                    ["autocomplete", "off"],
                    ["spellcheck", "false"],
                    ["aria-autocomplete", "list"],
                    ["aria-controls", &list],
                    ["aria-label", &label],
                    ["placeholder", words::finder_type()],
                ],
            );
        }
        made("div", &[["id", &list], ["role", "listbox"], ["tabindex", "-1"], ["aria-label", &label]]);
        made("p", &[["id", &self.id("said")], ["role", "status"]]);
    }

    /// Hides the choices; `back` puts the reader back into the control.
    fn hide(&self, back: bool) {
        let (Some(panel), true) = (self.part("panel"), self.is_open()) else { return };
        if let (true, Some(control)) = (back, self.control()) {
            let _ = control.focus();
        }
        // Where the focus went, it may be closed already.
        let _ = panel.hide_popover();
        if let Some(field) = self.field() {
            set(&field, "aria-expanded", "false");
            let _ = field.remove_attribute("aria-activedescendant");
        }
    }

    /// What is chosen in the control: the id of a choice, or its label.
    fn chosen(&self) -> String {
        let Some(control) = self.control() else { return String::new() };
        match control.dyn_ref::<HtmlSelectElement>() {
            Some(list) => list.value(),
            None => control.dyn_into::<HtmlInputElement>().map(|field| field.value()).unwrap_or_default(),
        }
    }

    /// Puts the choices into the panel under their headings, and decides which of them is marked.
    fn draw(&self, typed: &str) {
        let (Some(list), Some(said)) = (self.part("list"), self.part("said")) else { return };
        list.replace_children_with_node_0();
        list.set_scroll_top(0);
        let (mut under, mut place) = ("", Element::from(list));
        let (chosen, mut marked, mut found) = (self.chosen(), NONE, 0);
        let (mut best, mut nearest) = (0, None);
        let sought = Sought::of(typed);
        for choice in &self.0.choices {
            if !sought.is_in(choice) {
                continue;
            }
            if choice.group != under {
                under = choice.group;
                let Some(group) = self.part("list").and_then(|list| added(&list, "group", "")) else { return };
                set(&group, "aria-label", under);
                added(&group, "presentation", under);
                place = group;
            }
            let Some(option) = added(&place, "option", &choice.label) else { return };
            option.set_id(&self.id(&found.to_string()));
            set(&option, "data-value", choice.id);
            if typed.is_empty() && (choice.id == chosen || choice.label == chosen) {
                marked = found;
            }
            let near = Some(sought.nearness(choice));
            if near > nearest {
                (best, nearest) = (found, near);
            }
            found += 1;
        }
        // Enter takes what is nearest to the text.
        if found > 0 && !typed.is_empty() {
            marked = best;
        }
        self.0.found.store(found, Ordering::Relaxed);
        self.0.marked.store(marked, Ordering::Relaxed);
        let [found, all] = [found, self.0.choices.len()].map(|count| count.to_string());
        let text = if found == "0" {
            words::FinderNone { typed }.text()
        } else {
            words::FinderFound { found: &found, all: &all }.text()
        };
        said.replace_children_with_node_0();
        let _ = said.append_with_str_1(&text);
    }

    /// Marks a choice and brings it into sight.
    fn mark(&self, place: usize) {
        let (Some(field), Some(list)) = (self.field(), self.part("list")) else { return };
        let before = self.0.marked.swap(place, Ordering::Relaxed);
        let [before, option] = [before, place].map(|place| self.part(&place.to_string()));
        if let Some(before) = before {
            let _ = before.remove_attribute("aria-selected");
        }
        let Some(option) = option else {
            let _ = field.remove_attribute("aria-activedescendant");
            return;
        };
        set(&option, "aria-selected", "true");
        set(&field, "aria-activedescendant", &option.id());
        let (top, high) = (option.offset_top(), list.client_height());
        let bottom = top + option.offset_height() - high;
        let now = list.scroll_top();
        if top < now || bottom > now {
            list.set_scroll_top(if top < now { top } else { bottom });
        }
    }

    /// What a key does in the field that is typed in.
    fn key(&self, event: &ev::KeyboardEvent) {
        let open = self.is_open();
        let marked = self.0.marked.load(Ordering::Relaxed);
        let by = match event.key().as_str() {
            "ArrowDown" => 1,
            "ArrowUp" => -1,
            "PageDown" => PAGE,
            "PageUp" => -PAGE,
            "Enter" if open => {
                if let Some(option) = self.part(&marked.to_string()) {
                    event.prevent_default();
                    self.choose(&option);
                } else if !self.has_own_field() {
                    self.hide(false);
                }
                return;
            }
            "Escape" if open => {
                event.stop_propagation();
                self.hide(true);
                return event.prevent_default();
            }
            _ => return,
        };
        event.prevent_default();
        let Some(last) = self.0.found.load(Ordering::Relaxed).checked_sub(1).filter(|_| open) else {
            self.show("");
            return;
        };
        // By one it goes round.
        self.mark(match marked {
            NONE if by < 0 => last,
            NONE => 0,
            0 if by == -1 => last,
            _ if marked == last && by == 1 => 0,
            _ => marked.saturating_add_signed(by).min(last),
        });
    }

    /// What a key does in the list that the field opens over: what would open the list opens the field, and so does a letter.
    fn list_key(&self, event: &ev::KeyboardEvent) {
        let key = event.key();
        let letter = key.chars().count() == 1 && !event.alt_key();
        let opens = letter || key == "Enter" || event.alt_key() && key.starts_with("Arrow");
        if opens && self.show(if letter { key.trim() } else { "" }) {
            event.prevent_default();
        }
    }

    /// Puts a choice into the control, as if the reader had chosen it there.
    fn choose(&self, option: &Element) {
        let chosen = option.get_attribute("data-value");
        let choice = self.0.choices.iter().find(|choice| Some(choice.id) == chosen.as_deref());
        self.hide(true);
        let (Some(choice), Some(control)) = (choice, self.control()) else { return };
        if let Some(list) = control.dyn_ref::<HtmlSelectElement>() {
            list.set_value(choice.id);
        } else if let Some(field) = control.dyn_ref::<HtmlInputElement>() {
            field.set_value(&choice.label);
        }
        let bubbles = EventInit::new();
        bubbles.set_bubbles(true);
        if let Ok(event) = Event::new_with_event_init_dict("change", &bubbles) {
            // Nobody can forbid it: the event cannot be cancelled.
            let _ = control.dispatch_event(&event);
        }
    }

    /// Over the list, or below the field, or above it where there is no room below; always within the window.
    #[expect(clippy::cast_possible_truncation, reason = "pixels of a window")]
    fn place(&self, panel: &HtmlElement) {
        let (Some(control), Some(root)) = (self.control(), document().document_element()) else { return };
        let at = control.get_bounding_client_rect();
        let [left, top, bottom] = [at.left(), at.top(), at.bottom()].map(|it| it as i32);
        let (wide, high, scrolled) = (root.client_width(), root.client_height(), root.scroll_top());
        let style = panel.style();
        let put = |name: &str, pixels: i32| _ = style.set_property(name, &format!("{pixels}px"));
        put("min-width", control.offset_width());
        put("left", left.min(wide - panel.offset_width() - EDGE).max(EDGE));
        let own = panel.offset_height();
        let most = high - own - EDGE;
        let top = if self.has_own_field() {
            top.min(most).max(EDGE)
        } else if bottom > most && top > own {
            top - own
        } else {
            bottom
        };
        put("top", scrolled + top);
    }
}

/// How near a choice is to what was typed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    /// It has all words of it.
    Has,
    /// Its name or its id begins with it.
    Begins,
    /// It is its name or its id.
    Is,
}

/// What is looked for: the words of what was typed, without what stands between them.
struct Sought(Vec<Vec<u8>>);

impl Sought {
    fn of(typed: &str) -> Self {
        Self(typed.split([' ', '-', '_', '/', ',']).map(letters).collect())
    }

    /// How near a choice that has all of them is: of two that begin with a number such as “H100”, the one with the shorter name, which has the fewest additions.
    fn nearness(&self, choice: &Choice) -> (Nearness, Reverse<usize>) {
        let all = self.0.concat();
        let names = [letters(&choice.label), letters(choice.id)];
        let near = if names.contains(&all) {
            Nearness::Is
        } else if names.iter().any(|name| name.starts_with(&all)) {
            Nearness::Begins
        } else {
            Nearness::Has
        };
        let numbered = all.iter().any(u8::is_ascii_digit);
        let length = if near == Nearness::Begins && numbered { choice.label.len() } else { 0 };
        (near, Reverse(length))
    }

    /// Whether a choice has all of them in its heading, its name or its id. People write “llama3” and “RTX4090”.
    fn is_in(&self, choice: &Choice) -> bool {
        let own = letters(&format!("{}\n{}\n{}", choice.group, choice.label, choice.id));
        self.0.iter().all(|word| word.is_empty() || own.windows(word.len()).any(|part| part == word))
    }
}

/// A text without what stands between words.
fn letters(text: &str) -> Vec<u8> {
    let between = |it: &u8| matches!(it, b' ' | b'-' | b'_' | b'/' | b',');
    text.bytes().filter(|it| !between(it)).map(|it| it.to_ascii_lowercase()).collect()
}

#[inline(never)]
fn by_id(id: &str) -> Option<HtmlElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// A new element of a role within another.
#[inline(never)]
fn added(place: &Element, role: &str, text: &str) -> Option<Element> {
    let element = document().create_element("div").ok()?;
    set(&element, "role", role);
    let _ = element.append_with_str_1(text);
    let _ = place.append_child(&element);
    Some(element)
}

/// An attribute with a legal name can be set.
#[inline(never)]
fn set(element: &Element, name: &str, value: &str) {
    let _ = element.set_attribute(name, value);
}

/// The panel of a [`Finder`], which opens over its list or beside its field.
#[component]
pub fn FinderPanel(finder: Finder) -> impl IntoView {
    let id = finder.id("panel");
    Effect::new(move || finder.listen());
    view! { <div class="finder" id=id popover="manual"></div> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_found_as_people_write_them() {
        let choice = |id, label: &str, group| Choice { id, label: label.into(), group };
        let llama = choice("llama-3.1-8b", "Llama 3.1 8B", "Llama");
        let rtx = choice("rtx5060ti-16", "GeForce RTX 5060 Ti 16GB", "NVIDIA");
        for (choice, typed) in [
            (&llama, ""),
            (&llama, "8b llama"),
            (&llama, "LLAMA-3.1"),
            (&llama, "llama3.1 8b"),
            (&llama, "3.1-8"),
            (&rtx, "nvidia 16 5060"),
            (&rtx, "RTX5060"),
            (&rtx, "5060ti-16"),
        ] {
            assert!(Sought::of(typed).is_in(choice), "{typed}");
        }
        for (choice, typed) in [(&llama, "70b"), (&llama, "8b qwen"), (&rtx, "amd"), (&rtx, "5060 8gb")] {
            assert!(!Sought::of(typed).is_in(choice), "{typed}");
        }
        // “qwen3 8” is in “Qwen3.5 to 3.8 27B” too, which does not begin with it.
        let [eight, newer] = [("qwen3-8b", "Qwen3 8B"), ("qwen3.5-27b", "Qwen3.5 to 3.8 27B")]
            .map(|(id, label)| choice(id, label, "Qwen"));
        let typed = Sought::of("qwen3 8");
        assert!([&eight, &newer].iter().all(|choice| typed.is_in(choice)));
        assert!(typed.nearness(&eight).0 == Nearness::Begins && typed.nearness(&newer).0 == Nearness::Has);
        // “h100” is the plain one, and not the newer one with more memory; a whole name comes before both.
        let [sxm, nvl, whole] =
            ["H100 SXM5 80GB", "H100 NVL 94GB (per GPU)", "H100"].map(|label| choice("-", label, "NVIDIA"));
        let [sxm, nvl, whole] = [&sxm, &nvl, &whole].map(|choice| Sought::of("h100").nearness(choice));
        assert!(nvl < sxm && sxm < whole);
        // “Radeon” is a family: the newest one comes first, as in the list.
        let [newer, older] = ["Radeon RX 9070 XT", "Radeon VII"].map(|label| choice("-", label, "AMD"));
        let [newer, older] = [&newer, &older].map(|choice| Sought::of("radeon").nearness(choice));
        assert!(newer == older);
    }
}
