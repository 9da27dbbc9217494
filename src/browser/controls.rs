//! What the reader operates: one listener for the whole page, and what controls show.

use std::cell::Cell;
use std::rc::Rc;

use memory_wall_core::display::ByteUnit;
use memory_wall_core::profile;
use wasm_bindgen::JsCast;
use web_sys::{
    Element, Event, HtmlElement, HtmlInputElement, HtmlOptionElement, HtmlSelectElement, HtmlTextAreaElement,
    KeyboardEvent, UiEvent,
};

use super::names::Followers;
use super::rig::{self, Rig};
use super::{address, page, quiz};
use crate::charts;
use crate::controls::{Field, Pick, Quantity};
use crate::dials::{self, Dial};
use crate::predictions::Round;
use crate::state::State;
use crate::state::dimensions::Dimension;
use crate::words::{fill, t};

/// Listens to everything that is operated.
pub(super) fn listen(rig: Rig, names: &Rc<Followers>) {
    follow_dimensions(rig);
    let names = Rc::clone(names);
    let Some(document) = page::document() else { return };
    page::listen_to(&document, &["input", "change", "click", "keydown", "focusout"], move |event| {
        let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
        let kind = event.type_();
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
                act(rig, &mut asked.split(' '));
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
                    names.touched(&target, None);
                    quiz::give(rig, &question);
                }
                // A field that is alone in its form answers to the enter key.
                "keydown"
                    if target.matches("[type=\"text\"]").unwrap_or(false)
                        && event.dyn_ref::<KeyboardEvent>().is_some_and(is_one_enter) =>
                {
                    // The button that takes the focus is not pressed by the same key.
                    event.prevent_default();
                    quiz::enter(rig, &question);
                }
                _ => {}
            }
            return;
        }
        if let Some(select) = target.dyn_ref::<HtmlSelectElement>() {
            if kind == "change" {
                names.touched(&target, None);
                pick(rig, &target, &select.value());
            }
            return;
        }
        if let Some(area) = target.dyn_ref::<HtmlTextAreaElement>() {
            if kind == "input" {
                paste(rig, &area.value());
            }
            return;
        }
        let Some(input) = target.dyn_ref::<HtmlInputElement>() else { return };
        match (input.type_().as_str(), kind.as_str()) {
            ("radio", "change") => {
                names.touched(&target, None);
                pick(rig, &target, &input.value());
            }
            ("range" | "text", "input") if target.has_attribute("data-dial") => {
                let says = (!dial(rig, input)).then(|| input.get_attribute("data-dial"));
                let predictions = rig.predictions();
                let says = says.flatten().and_then(|id| predictions.dials.guess(&id));
                names.touched(&target, says.map(|guess| dials::KIND.write(guess)).as_deref());
            }
            ("range", "input") => {
                names.touched(&target, None);
                if input.id() == "oom-place" {
                    tape(rig, "go", &input.value());
                    return;
                }
                let quantity = control(&target).and_then(|control| Some((Quantity::by_control(&control)?, control)));
                if let (Some((quantity, control)), Ok(place)) = (quantity, input.value().parse()) {
                    set(rig, &control, quantity, quantity.stops().at(place));
                }
            }
            ("text", _) => {
                let Some(field) = field_of(input) else { return };
                match self::field(rig, field, input, &event) {
                    Some(true) => names.touched(&target, None),
                    Some(false) => names.touched(&target, Some(&field.text(&rig.state_now()))),
                    None => {}
                }
            }
            _ => {}
        }
    });
}

/// Whether what is asked for is taken back when it is asked for again.
fn turns(asked: &str) -> bool {
    ["check", "show", "quiz"].iter().any(|turn| asked.starts_with(turn))
}

/// What a key asks for beside what the browser does with it: the enter key in the field of a dial checks it, and arrows take
/// a slider to the next stop, also from a value between two. With Alt, Ctrl or Meta a key is the browser's own.
fn pressed(target: &Element, event: &Event) -> Option<String> {
    let event = event.dyn_ref::<KeyboardEvent>()?;
    let is_slider = || target.matches("[type=\"range\"]").unwrap_or(false);
    if !page::is_plain(event) {
        if is_slider() {
            travel(event);
        }
        return None;
    }
    let asked = match event.key().as_str() {
        "Enter" if is_one_enter(event) && target.matches("[type=\"text\"]").unwrap_or(false) => {
            ["check-dial ", &target.get_attribute("data-dial")?].concat()
        }
        "ArrowRight" | "ArrowUp" if is_slider() => ["more ", &control(target)?].concat(),
        "ArrowLeft" | "ArrowDown" if is_slider() => ["less ", &control(target)?].concat(),
        _ => return None,
    };
    event.prevent_default();
    Some(asked)
}

/// Alt or Meta and an arrow go back and forward through the pages that were visited. On a slider Chromium steps instead, so it
/// is kept from that, and sent on its way.
fn travel(event: &KeyboardEvent) {
    let key = event.key();
    if !key.starts_with("Arrow") {
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

fn pick(rig: Rig, element: &Element, id: &str) {
    let Some(control) = control(element) else { return };
    if let Some(pick) = Pick::by_control(&control) {
        edit(rig, &|state| pick.pick(state, id));
    } else if let Some(round) = Round::of(&control) {
        rig.predict(&|made| made.take_by_id(round, &control, id));
    }
}

fn edit(rig: Rig, change: &dyn Fn(&mut State)) {
    let mut state = rig.state_now();
    change(&mut state);
    rig.set(&state);
}

/// A slider, one of its marks or a step has the last word: what stands half typed in the field is past then.
fn set(rig: Rig, control: &str, quantity: Quantity, value: u32) {
    edit(rig, &|state| quantity.set(state, value));
    // By its name, which the page finds without a search: this is done in each step of a drag.
    if let Some(field) = page::by_id(&format!("control-{control}-number")) {
        settled(rig, &field);
    }
}

/// Puts fields back to what they are about.
fn settle(rig: Rig, selector: &str) {
    for field in page::elements(selector) {
        settled(rig, &field);
    }
}

fn settled(rig: Rig, place: &Element) {
    if let Some((input, field)) = place.dyn_ref::<HtmlInputElement>().and_then(|input| Some((input, field_of(input)?)))
    {
        let state = rig.state_now();
        input.set_value(&field.text(&state));
        judge(input, field, &state);
    }
}

/// What a button does: `more seq`, `mark seq 2048`, `unit gib`, `check sides`, `reset`.
fn act<'a>(rig: Rig, words: &mut impl Iterator<Item = &'a str>) {
    let mut word = || words.next().unwrap_or_default();
    let (what, control) = (word(), word());
    let now = rig.state_now();
    let round = || Round::by_id(control);
    match what {
        "less" | "more" | "mark" => {
            let Some(quantity) = Quantity::by_control(control) else { return };
            let (stops, value) = (quantity.stops(), quantity.of(&now));
            let value = match what {
                "less" => stops.below(value),
                "more" => stops.above(value),
                _ => word().parse().unwrap_or(value),
            };
            set(rig, control, quantity, value);
        }
        "unit" => edit(rig, &|state| state.unit = ByteUnit::from_id(control).unwrap_or(state.unit)),
        "published" => {
            edit(rig, &|state| state.choose_model(state.model));
            settle(rig, ".dimensions [data-field]");
        }
        "walk" | "flip" => tape(rig, what, control),
        "reset" => {
            rig.set(&State::default());
            unmeasure(rig);
            settle(rig, "[data-field]");
        }
        "unmeasure" => {
            unmeasure(rig);
            settle(rig, "[data-field^=\"measured-\"]");
            // The button is gone.
            if let Some(area) = page::by_id("profile-paste") {
                let _ = area.focus();
            }
        }
        "check" | "show" => {
            if let Some(round) = round() {
                rig.predict(&|made| match what {
                    "check" => made.check(round),
                    _ => made.turn(round, !made.is_open(round)),
                });
            }
        }
        "check-dial" | "show-dial" => {
            if let Some(dial) = Dial::by_id(control).filter(|dial| what == "show-dial" || is_guessed(rig, dial)) {
                rig.predict(&|made| match (made.dials.is_open(dial.id), what) {
                    (true, "check-dial") => made.dials.forget(dial),
                    (open, _) => made.dials.turn(dial, !open),
                });
                // The field, where the enter key may have been pressed, is locked then.
                if let Some(button) = page::by_id(&[what, control].concat()).filter(|_| what == "check-dial") {
                    let _ = button.focus();
                }
            }
        }
        "quiz" => quiz::check(rig, control),
        "claim" => quiz::claim(rig, control, word()),
        "forget" => rig.predict(&|made| made.quiz.reset(control)),
        "export" => quiz::export(rig),
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

/// A profile that was pasted: its numbers go into the state, and what was found is said. The text goes nowhere.
#[expect(clippy::disallowed_methods, reason = "a message is text, and stands in the page")]
fn paste(rig: Rig, text: &str) {
    let paste = profile::read(text);
    edit(rig, &|state| charts::profile::take(state, &paste));
    let said = if text.is_empty() { String::new() } else { charts::profile::said(&paste, rig.state_now().unit) };
    if let Some(place) = page::by_id("profile-said") {
        place.set_text_content(Some(&said));
    }
}

/// Forgets what was measured: the example stands there again.
fn unmeasure(rig: Rig) {
    edit(rig, &|state| state.measured = [0; 3]);
    if let Some(area) = page::first::<HtmlTextAreaElement>("#profile-paste") {
        area.set_value("");
        paste(rig, "");
    }
}

/// Walks through the program that runs line by line, or changes it.
fn tape(rig: Rig, what: &str, value: &str) {
    edit(rig, &|state| _ = state.tape.act(what, value));
    settle(rig, "#figure-oom [data-field]");
}

/// A guess on a dial, by its slider or in its field. Says whether it was taken.
fn dial(rig: Rig, input: &HtmlInputElement) -> bool {
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
        rig.predict(&|made| made.dials.take(dial, guess));
    }
    taken
}

/// Whether there is a guess to be checked, or one that was. Where there is none it is said at the dial, and what cannot be
/// read there stays said.
fn is_guessed(rig: Rig, dial: &Dial) -> bool {
    let dials = rig.predictions().dials;
    let field = page::first::<HtmlInputElement>(&format!("[type=\"text\"][data-dial=\"{}\"]", dial.id));
    let Some(field) = field.filter(|_| !dials.is_open(dial.id)) else { return true };
    if field.has_attribute("aria-invalid") {
        return false;
    }
    let guessed = dials.guess(dial.id).is_some();
    if !guessed {
        say(&field, Some(t("dial.first")));
    }
    guessed
}

fn field_of(input: &HtmlInputElement) -> Option<Field> {
    Field::by_control(&input.get_attribute("data-field")?)
}

/// What a reader does in a field: types, steps with the arrow keys, leaves. Says whether the state took a value from it.
fn field(rig: Rig, field: Field, input: &HtmlInputElement, event: &Event) -> Option<bool> {
    match event.type_().as_str() {
        "input" => Some(put(rig, field, input)),
        "focusout" => {
            // What was begun and not finished cannot be left standing in silence.
            let done = put(rig, field, input);
            if done {
                input.set_value(&field.text(&rig.state_now()));
            }
            Some(done)
        }
        "keydown" => {
            let key = event.dyn_ref::<KeyboardEvent>()?;
            let arrow = ["ArrowUp", "ArrowDown"].contains(&key.key().as_str());
            if !arrow || !page::is_plain(key) || key.shift_key() || key.is_composing() {
                return None;
            }
            let next = field.next(&rig.state_now(), key.key() == "ArrowUp")?;
            event.prevent_default();
            input.set_value(&next);
            Some(put(rig, field, input))
        }
        _ => None,
    }
}

/// Puts what stands in a field into the state, or says why it cannot be used; what is still being written is waited for.
fn put(rig: Rig, field: Field, input: &HtmlInputElement) -> bool {
    let typed = input.value();
    let mut state = rig.state_now();
    let writes = page::focused().as_deref() == Some(input.as_ref());
    if !field.says(&typed, &field.text(&state)) {
        if let Err(error) = field.put(&mut state, &typed) {
            say(input, Some(&error).filter(|_| !writes || !field.is_begun(&typed)).map(String::as_str));
            return false;
        }
        rig.set(&state);
    }
    judge(input, field, &state);
    // What a letter stands for is seen while it is written; after that the field shows the number itself.
    if let Some(reading) = field.reading(&typed, state.unit).filter(|_| writes)
        && let Some(place) = write_under(input, &fill("field.reading", &[("n", &reading)]))
    {
        // An attribute with a legal name can be set.
        let _ = place.set_attribute("data-reading", "");
    }
    true
}

/// Marks a field whose dimension does not go together with another, and takes back what was said about any other.
fn judge(input: &HtmlInputElement, field: Field, state: &State) {
    say(input, None);
    if field.disagrees(state) {
        invalid(input, "dimension-count");
    }
}

/// One dimension decides about another: each field whose text is a number is judged again when the state changes.
fn follow_dimensions(rig: Rig) {
    let waited = Cell::new(false);
    rig::follow(move || {
        let state = rig.state();
        let waits = state.draft.is_some();
        if waited.replace(waits) || waits {
            for dimension in Dimension::ALL {
                let input = page::by_id(&format!("control-{}", dimension.name()));
                let input = input.as_ref().and_then(|input| input.dyn_ref::<HtmlInputElement>());
                let field = Field::Dimension(dimension);
                if let Some(input) = input.filter(|input| field.says(&input.value(), &field.text(&state))) {
                    judge(input, field, &state);
                }
            }
        }
    });
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

/// Shows a value in a control: the option of a list, the button of a row, the place of a slider, the text of a field.
pub(super) fn show(place: &Element, value: &str, state: &State) {
    if let Some(select) = place.dyn_ref::<HtmlSelectElement>() {
        select.set_value(value);
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
        match field_of(input) {
            Some(field) if field.says(&input.value(), value) && writes() => {}
            // What cannot be used stays to be mended until something else has become of the state.
            Some(field) => {
                input.set_value(value);
                judge(input, field, state);
            }
            // Setting what is there already would move the cursor.
            None if input.value() == value => {}
            None => input.set_value(value),
        }
    } else {
        for button in page::inputs(place) {
            // Where several can be chosen, their names stand one after another.
            button.set_checked(value.split(' ').any(|chosen| chosen == button.value()));
        }
    }
}

/// Hides what a list does not offer now.
pub(super) fn offer(place: &Element, offered: &str) {
    let Some(select) = place.dyn_ref::<HtmlSelectElement>() else { return };
    let options = (0..select.length()).filter_map(|place| select.item(place)?.dyn_into::<HtmlOptionElement>().ok());
    for option in options {
        let missing = !offered.split(' ').any(|id| id == option.value());
        option.set_hidden(missing);
        option.set_disabled(missing);
    }
}
