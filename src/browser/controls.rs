//! What is drawn once and still listens: one listener for the whole page.
//!
//! Levers are components. What stays here is part of a drawing or of the prose, where hydrating would bring all of that into the
//! program: predictions, dials and questions in the text, the steps of a program line by line, the profile that is pasted; and
//! what reaches beyond one figure, such as the button that puts everything back.

use std::cell::Cell;
use std::rc::Rc;

use memory_wall_core::profile;
use wasm_bindgen::JsCast;
use web_sys::{
    Element, Event, HtmlElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement, KeyboardEvent, UiEvent,
};

use super::bindings::Bindings;
use super::{address, host, page, quiz};
use crate::components::select::choose_in;
use crate::controls::Pick;
use crate::dials::{self, Dial};
use crate::far;
use crate::figures;
use crate::predictions::Round;
use crate::state::State;
use crate::store::Signals;
use crate::words;

/// Listens to everything that is operated.
pub(super) fn listen(signals: &'static Signals, bindings: &Rc<Bindings>) {
    let bindings = Rc::clone(bindings);
    let Some(document) = page::document() else { return };
    page::listen_to(&document, &["input", "change", "click", "keydown", "focusout"], move |event| {
        let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
        let kind = event.type_();
        // Levers are components, and hear for themselves.
        if target.closest("[data-levers]").is_ok_and(|place| place.is_some()) {
            if let ("keydown", Some(key)) = (kind.as_str(), event.dyn_ref::<KeyboardEvent>()) {
                travel(&target, key);
            }
            return;
        }
        let asked = match kind.as_str() {
            // What was hit may be a piece of the button.
            "click" => target.closest("[data-act]").ok().flatten().and_then(|button| button.get_attribute("data-act")),
            // A key that is held down went on from a field to the button behind it.
            "keydown" if is_held(&event) && target.get_attribute("data-act").is_some_and(|asked| turns(&asked)) => {
                event.prevent_default();
                return;
            }
            "keydown" => pressed(&target, &event),
            _ => None,
        };
        if let Some(asked) = asked {
            let again = event.dyn_ref::<UiEvent>().is_some_and(|event| event.detail() > 1);
            // The second press of a double click would take back what the first one did; steps are pressed many times.
            if !(again && turns(&asked)) {
                act(signals, &mut asked.split(' '));
            }
            return;
        }
        if kind == "click" {
            return;
        }
        if let Ok(Some(question)) = target.closest("[data-quiz]") {
            match kind.as_str() {
                // Not its change too: that comes behind the enter key, and would take back what was said to it.
                "input" => {
                    bindings.touched(&target, None);
                    quiz::give(signals, &question);
                }
                // A field that is alone in its form answers to the enter key.
                "keydown"
                    if target.matches("[type=\"text\"]").unwrap_or(false)
                        && event.dyn_ref::<KeyboardEvent>().is_some_and(is_one_enter) =>
                {
                    // The button that takes the focus is not pressed by the same key.
                    event.prevent_default();
                    quiz::enter(signals, &question);
                }
                _ => {}
            }
            return;
        }
        if let Some(area) = target.dyn_ref::<HtmlTextAreaElement>() {
            if kind == "input" {
                paste(signals, &area.value());
            }
            return;
        }
        let Some(input) = target.dyn_ref::<HtmlInputElement>() else { return };
        match (input.type_().as_str(), kind.as_str()) {
            ("radio", "change") => {
                bindings.touched(&target, None);
                pick(signals, &target, &input.value());
            }
            ("range" | "text", "input") if target.has_attribute("data-dial") => {
                let says = (!dial(signals, input)).then(|| input.get_attribute("data-dial"));
                let predictions = signals.predictions();
                let says = says.flatten().and_then(|id| predictions.dials.guess(&id));
                bindings.touched(&target, says.map(|guess| dials::KIND.write(guess)).as_deref());
            }
            ("range", "input") => {
                bindings.touched(&target, None);
                trace(signals, "go", &input.value());
            }
            _ => {}
        }
    });
}

/// Whether what is asked for is taken back when it is asked for again.
fn turns(asked: &str) -> bool {
    ["check", "show", "quiz"].iter().any(|turn| asked.starts_with(turn))
}

/// What a key asks for beside what the browser does with it: the enter key in the field of a dial checks it.
fn pressed(target: &Element, event: &Event) -> Option<String> {
    let event = event.dyn_ref::<KeyboardEvent>()?;
    travel(target, event);
    if !is_one_enter(event) || !target.matches("[type=\"text\"]").unwrap_or(false) {
        return None;
    }
    let asked = String::from("check-dial ") + &target.get_attribute("data-dial")?;
    event.prevent_default();
    Some(asked)
}

/// Alt or Meta and an arrow go back and forward through the pages that were visited. On a slider Chromium steps instead, so it
/// is kept from that, and sent on its way.
fn travel(target: &Element, event: &KeyboardEvent) {
    let key = event.key();
    if page::is_plain(event) || !key.starts_with("Arrow") || !target.matches("[type=\"range\"]").unwrap_or(false) {
        return;
    }
    event.prevent_default();
    if event.ctrl_key() || event.shift_key() || event.alt_key() == event.meta_key() {
        return;
    }
    match key.as_str() {
        "ArrowLeft" => address::travel(-1),
        "ArrowRight" => address::travel(1),
        _ => {}
    }
}

/// Whether a key is the enter key, pressed once: held down it would ask again at once, and some writings end a word with it.
fn is_one_enter(event: &KeyboardEvent) -> bool {
    event.key() == "Enter" && page::is_plain(event) && !event.repeat() && !event.is_composing()
}

/// Whether the enter key is held down.
fn is_held(event: &Event) -> bool {
    event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.repeat() && event.key() == "Enter")
}

/// The name of the control that an element belongs to.
fn control(element: &Element) -> Option<String> {
    element.closest("[data-control]").ok()??.get_attribute("data-control")
}

fn pick(signals: &'static Signals, element: &Element, id: &str) {
    let Some(control) = control(element) else { return };
    if let Some(pick) = Pick::by_control(&control) {
        signals.edit(&|state| pick.pick(state, id));
    } else if let Some(round) = Round::of(&control) {
        signals.predict(&|made| made.take_by_id(round, &control, id));
    }
}

/// What a button does: `walk on`, `check sides`, `reset`.
fn act<'a>(signals: &'static Signals, words: &mut impl Iterator<Item = &'a str>) {
    let mut word = || words.next().unwrap_or_default();
    let (what, control) = (word(), word());
    let round = || Round::by_id(control);
    match what {
        "walk" => trace(signals, what, control),
        "reset" => {
            signals.set(&State::default());
            unmeasure(signals);
        }
        "unmeasure" => {
            unmeasure(signals);
            // The button is gone.
            if let Some(area) = page::by_id("profile-paste") {
                let _ = area.focus();
            }
        }
        "check" | "show" => {
            if let Some(round) = round() {
                signals.predict(&|made| match what {
                    "check" => made.check(round),
                    _ => made.turn(round, !made.is_open(round)),
                });
            }
        }
        "check-dial" | "show-dial" => {
            if let Some(dial) = Dial::by_id(control).filter(|dial| what == "show-dial" || is_guessed(signals, dial)) {
                signals.predict(&|made| match (made.dials.is_open(dial.id), what) {
                    (true, "check-dial") => made.dials.forget(dial),
                    (open, _) => made.dials.turn(dial, !open),
                });
                // The field, where the enter key may have been pressed, is locked then.
                if let Some(button) = page::by_id(&words::joined(&[what, control], "")).filter(|_| what == "check-dial")
                {
                    let _ = button.focus();
                }
            }
        }
        "quiz" => quiz::check(signals, control),
        "claim" => quiz::claim(signals, control, word()),
        "forget" => signals.predict(&|made| made.quiz.reset(control)),
        "export" => quiz::export(signals),
        "close" => {
            if let Some(notice) = page::notice() {
                notice.remove();
            }
            // The button is gone: the focus goes to the text rather than nowhere.
            if let Some(main) = page::by_id("main") {
                let _ = main.focus();
            }
        }
        _ => {}
    }
}

/// Where a profile is pasted.
const PASTED: &str = "#profile-paste";

thread_local! {
    /// Whether something was pasted that the far part is to read.
    static WAITS: Cell<bool> = const { Cell::new(false) };
}

/// Takes what was pasted before the far part of the program had come.
pub(super) fn far_came(signals: &'static Signals) {
    // Only what was pasted since: browsers put back what stood there on an earlier visit.
    if WAITS.take()
        && let Some(area) = page::first::<HtmlTextAreaElement>(PASTED)
    {
        paste(signals, &area.value());
    }
}

/// A profile that was pasted is read by the far part of the program, once that is there.
fn paste(signals: &'static Signals, text: &str) {
    if far::came() {
        take_profile(signals, text);
    } else {
        WAITS.set(true);
        host::ask_far();
    }
}

/// A profile that was pasted: its numbers go into the state, and what was found is said. The text goes nowhere.
#[expect(clippy::disallowed_methods, reason = "a message is text, and stands in the page")]
#[inline(never)]
fn take_profile(signals: &'static Signals, text: &str) {
    let paste = profile::read(text);
    signals.edit(&|state| figures::profile::take(state, &paste));
    let said = if text.is_empty() { String::new() } else { figures::profile::said(&paste, signals.state_now().unit) };
    if let Some(place) = page::by_id("profile-said") {
        place.set_text_content(Some(&said));
    }
}

/// Forgets what was measured: the example stands there again.
fn unmeasure(signals: &'static Signals) {
    signals.edit(&|state| state.measured = [0; 3]);
    signals.settle();
    if let Some(area) = page::first::<HtmlTextAreaElement>(PASTED) {
        area.set_value("");
        paste(signals, "");
    }
}

/// Walks through the program that runs line by line.
fn trace(signals: &'static Signals, what: &str, value: &str) {
    signals.edit(&|state| _ = state.trace.act(what, value));
}

/// A guess on a dial, by its slider or in its field. Says whether it was taken.
fn dial(signals: &'static Signals, input: &HtmlInputElement) -> bool {
    let Some(dial) = input.get_attribute("data-dial").and_then(|id| Dial::by_id(&id)) else { return false };
    let typed = input.value();
    let guess = match (input.type_().as_str(), typed.trim()) {
        ("range", place) => Ok(place.parse().ok().map(|stop| dial.at(stop))),
        (_, "") => Ok(None),
        (_, text) => dials::KIND.read(text).map(Some).ok_or_else(|| dials::refusal(&typed)),
    };
    if input.type_() == "text" {
        say(input, guess.as_ref().err().map(String::as_str));
    }
    let taken = guess.is_ok();
    if let Ok(guess) = guess {
        signals.predict(&|made| made.dials.take(dial, guess));
    }
    taken
}

/// Whether there is a guess to be checked, or one that was. Where there is none it is said at the dial, and what cannot be
/// read there stays said.
fn is_guessed(signals: &'static Signals, dial: &Dial) -> bool {
    let dials = signals.predictions().dials;
    let field = page::first::<HtmlInputElement>(&format!("[type=\"text\"][data-dial=\"{}\"]", dial.id));
    let Some(field) = field.filter(|_| !dials.is_open(dial.id)) else { return true };
    if field.has_attribute("aria-invalid") {
        return false;
    }
    let guessed = dials.guess(dial.id).is_some();
    if !guessed {
        say(&field, Some(words::dial_first()));
    }
    guessed
}

/// Says under a field what is wrong with it, or nothing any more.
pub(super) fn say(input: &HtmlInputElement, error: Option<&str>) {
    if let Some(place) = write_under(input, error.unwrap_or_default()) {
        let _ = place.remove_attribute("data-reading");
    }
    if error.is_some() {
        invalid(input, &message_id(input));
    } else {
        // Attributes with legal names can be removed.
        let _ = input.remove_attribute("aria-invalid").and(input.remove_attribute("aria-describedby"));
    }
}

/// Marks a field as one that cannot be used as it is, for the reason that stands in a place.
fn invalid(input: &HtmlInputElement, reason: &str) {
    // Attributes with legal names can be set.
    let _ = input.set_attribute("aria-invalid", "true").and(input.set_attribute("aria-describedby", reason));
}

fn message_id(input: &HtmlInputElement) -> String {
    format!("{}-error", input.id())
}

#[expect(clippy::disallowed_methods, reason = "a message is text, and stands in the page")]
fn write_under(input: &HtmlInputElement, text: &str) -> Option<HtmlElement> {
    let place = page::by_id(&message_id(input))?;
    place.set_text_content(Some(text));
    Some(place)
}

/// Shows a value in a control: the choice of a list, the button of a row, the place of a slider, the text of a field.
pub(super) fn show(place: &Element, value: &str) {
    if let Some(select) = place.dyn_ref::<HtmlSelectElement>() {
        choose_in(select, value);
    } else if let Some(input) = place.dyn_ref::<HtmlInputElement>() {
        // The same number in the reader's own writing stays while they write it.
        let writes = || page::focused().as_ref() == Some(place);
        if input.has_attribute("data-dial") && input.type_() == "text" {
            let same = dials::KIND.read(&input.value()).map(|guess| dials::KIND.write(guess));
            if same.as_deref() != Some(value) || !writes() {
                input.set_value(value);
                say(input, None);
            }
            return;
        }
        // Setting what is there already would move the cursor.
        if input.value() != value {
            input.set_value(value);
        }
    } else {
        for button in page::inputs(place) {
            // Where several can be chosen, their names stand one after another.
            button.set_checked(value.split(' ').any(|chosen| chosen == button.value()));
        }
    }
}
