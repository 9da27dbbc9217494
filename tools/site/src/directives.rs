//! Directives: what the page names, filled in for the default state.
//!
//! `{{live name}}` in a text or as a whole attribute, `{{live name at query}}` in a text, `{{live name of something}}` where the
//! page names what a binding is about, such as a question of the self-check.
//! Each leaves a mark by which the browser finds it again, `data-b`: the binding's two numbers, see
//! [`Place`], with `/` and what it is about. Within a question `~` stands for the question's own
//! name, since what is the same for all packs into nearly nothing.

use std::cell::RefCell;
use std::fmt::Write as _;

use memory_wall_app::figures::{self, Answer, Models, Place};
use memory_wall_app::live::Snapshot;
use memory_wall_app::state::State;
use memory_wall_app::state::query::{self, Decoded};
use memory_wall_core::display::ByteUnit;

use crate::wording::escaped;

/// A page's directives replaced by what they stand for.
pub(crate) fn filled(html: &str) -> Result<String, String> {
    let arrival = Arrival::of(&State::default());
    let mut around = "";
    let mut out = String::with_capacity(html.len() * 2);
    let mut rest = html;
    // Text and tags in turn: attributes and texts are filled in differently.
    while let Some((text, after)) = rest.split_once('<') {
        fill_text(text, (&arrival, around), &mut out)?;
        // A script is no text to look into: while serving, Trunk adds one with a placeholder of its own.
        if let Some((script, behind)) = after.starts_with("script").then(|| after.split_once("</script>")).flatten() {
            out.extend(["<", script, "</script>"]);
            rest = behind;
            continue;
        }
        let (tag, behind) = after.split_once('>').ok_or("a tag is not closed")?;
        around = asked_in(tag).unwrap_or(around);
        // The text of an element that is nothing but a live number: the element itself carries the mark.
        let (content, tail) = behind.split_at(behind.find('<').unwrap_or(behind.len()));
        let whole = content
            .strip_prefix("{{live ")
            .and_then(|inner| inner.strip_suffix("}}"))
            .filter(|inner| !inner.contains("}}"));
        match whole {
            Some(directive) if tail.starts_with("</") => {
                let live = Live::read(directive, &arrival)?;
                fill_tag(tag, Marks::of_text(&live, around)?, (&arrival, around), &mut out)?;
                out.push_str(&live.html());
                rest = tail;
            }
            _ => {
                fill_tag(tag, Marks::default(), (&arrival, around), &mut out)?;
                rest = behind;
            }
        }
    }
    fill_text(rest, (&arrival, around), &mut out)?;
    Ok(out)
}

/// A text with its numbers put in for good, for pages that nothing follows: each says at which settings it stands.
pub(crate) fn still(html: &str) -> Result<String, String> {
    let arrival = Arrival::of(&State::default());
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, inside, behind)) = next(rest)? {
        let live = inside.strip_prefix("live ").filter(|directive| directive.contains(" at "));
        let live = live.ok_or(format!("{{{{{inside}}}}} says no number at settings of its own"))?;
        out.extend([before, &Live::read(live, &arrival)?.html()]);
        rest = behind;
    }
    Ok(out + rest)
}

/// The question that begins with a tag; none any more where a figure does.
fn asked_in(tag: &str) -> Option<&str> {
    let asked = tag.split_once(" data-quiz=\"").and_then(|(_, after)| after.split_once('"')).map(|(asked, _)| asked);
    asked.or(tag.starts_with("figure").then_some(""))
}

/// What a binding is about as the mark says it within a question.
fn about(of: &str, around: &str) -> String {
    match of.strip_suffix(around).filter(|part| !around.is_empty() && (part.is_empty() || part.ends_with('.'))) {
        Some(part) => format!("{part}~"),
        None => of.into(),
    }
}

/// Settings that bindings are asked about.
pub(crate) struct Arrival {
    snapshot: Snapshot,
    models: RefCell<Models>,
}

impl Arrival {
    pub(crate) fn of(state: &State) -> Self {
        Self { snapshot: Snapshot::of(*state), models: RefCell::default() }
    }

    /// What a binding says, by its name and with what it is about: `quiz.said of oom.copy`.
    pub(crate) fn answer(&self, said: &str) -> Option<Answer> {
        let (name, of) = said.split_once(" of ").unwrap_or((said, ""));
        self.models.borrow_mut().answer_of(figures::find(name)?, of, &self.snapshot)
    }

    fn unit(&self) -> ByteUnit {
        self.snapshot.state.unit
    }
}

/// A `{{live …}}` and its answer.
struct Live {
    name: String,
    place: Place,
    /// What it is about, where the page names that.
    of: Option<String>,
    at: Option<String>,
    /// Whether the browser has to ask again: a state that is fixed follows the unit alone, and most that is said does not.
    follows: bool,
    answer: Answer,
    unit: ByteUnit,
}

impl Live {
    fn read(directive: &str, arrival: &Arrival) -> Result<Self, String> {
        let directive = directive.replace("&amp;", "&");
        let (name, at) = match directive.split_once(" at ") {
            Some((name, at)) => (name, Some(at.to_owned())),
            None => (directive.as_str(), None),
        };
        let asked = |arrival: &Arrival| arrival.answer(name).ok_or_else(|| unknown(name));
        let (own, of) = name.split_once(" of ").map_or((name, None), |(own, of)| (own, Some(of.to_owned())));
        let place = figures::find(own).ok_or_else(|| unknown(own))?;
        let (of, at) = (&of, &at);
        let live = |follows, answer, unit| Self {
            name: own.into(),
            place,
            of: of.clone(),
            at: at.clone(),
            follows,
            answer,
            unit,
        };
        let Some(query) = at else { return Ok(live(true, asked(arrival)?, arrival.unit())) };
        let Decoded { state, notices } = query::decode(query);
        if let Some(notice) = notices.first() {
            return Err(format!("{{{{live {directive}}}}}: {notice}"));
        }
        let answer = asked(&Arrival::of(&state))?;
        let mut follows = false;
        for unit in ByteUnit::EACH {
            follows |= asked(&Arrival::of(&State { unit, ..state }))?.text(unit) != answer.clone().text(state.unit);
        }
        Ok(live(follows, answer, state.unit))
    }

    /// Its place and what it is about, as a mark says them.
    fn mark(&self, around: &str) -> String {
        match &self.of {
            Some(of) => format!("{}/{}", self.place, about(of, around)),
            None => self.place.to_string(),
        }
    }

    fn text(&self) -> String {
        self.answer.clone().text(self.unit)
    }

    fn html(&self) -> String {
        if matches!(self.answer, Answer::Html(_)) { self.text() } else { escaped(&self.text()) }
    }

    /// A whole sentence reads as prose, a number as something that can change.
    fn class(&self) -> &str {
        let mut words = self.name.split('.');
        if words.any(|word| word.ends_with("sentence")) { "live sentence" } else { "live" }
    }
}

/// What is said of a name that leads nowhere, with one that was perhaps meant.
fn unknown(name: &str) -> String {
    let likeness = |known: &&str| strsim::jaro_winkler(name, known);
    let nearest = figures::names().max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
    let meant = nearest.map(|nearest| format!(", did you mean {nearest}?")).unwrap_or_default();
    format!("there is no live number {name}{meant}")
}

/// What an element says of everything in it that follows the reader's settings.
#[derive(Default)]
struct Marks {
    /// Bindings: see `Bound::of` in `src/browser/bindings.rs`.
    bound: Vec<String>,
    /// The state that its text stands at.
    at: Option<String>,
}

impl Marks {
    fn of_text(live: &Live, around: &str) -> Result<Self, String> {
        let mut marks = Self { at: live.at.clone(), ..Self::default() };
        match &live.answer {
            Answer::Flag(_) => return Err(format!("{} is a flag, and no text", live.name)),
            _ if !live.follows => {}
            Answer::Html(_) => marks.bound.push(format!("*{}", live.mark(around))),
            _ => marks.bound.push(live.mark(around)),
        }
        Ok(marks)
    }

    /// One more attribute of the element, which is written to `out`.
    fn attribute(&mut self, attribute: &str, live: &Live, around: &str, out: &mut String) -> Result<(), String> {
        if live.at.is_some() {
            return Err(format!("{attribute} follows the reader's settings: {} cannot stand at others", live.name));
        }
        if live.answer != Answer::Flag(false) {
            let text = if live.answer == Answer::Flag(true) { String::new() } else { live.text() };
            // Writing into a string does not fail.
            let _ = write!(out, " {attribute}=\"{}\"", escaped(&text));
        }
        let kind = if matches!(live.answer, Answer::Flag(_)) { '?' } else { '=' };
        self.bound.push(format!("{attribute}{kind}{}", live.mark(around)));
        Ok(())
    }

    fn write(&self, out: &mut String) {
        // Writing into a string does not fail.
        if !self.bound.is_empty() {
            let _ = write!(out, " data-b=\"{}\"", self.bound.join(" "));
        }
        if let Some(at) = &self.at {
            let _ = write!(out, " data-at=\"{}\"", escaped(at));
        }
    }
}

/// The next directive of a text: what comes before it, its inside, what comes behind it.
fn next(text: &str) -> Result<Option<(&str, &str, &str)>, String> {
    let Some((before, after)) = text.split_once("{{") else { return Ok(None) };
    let (inside, behind) = after.split_once("}}").ok_or("a directive is not closed")?;
    Ok(Some((before, inside, behind)))
}

fn fill_text(mut text: &str, (arrival, around): (&Arrival, &str), out: &mut String) -> Result<(), String> {
    while let Some((before, inside, behind)) = next(text)? {
        out.push_str(before);
        match inside.split_once(' ') {
            Some(("live", directive)) => {
                let live = Live::read(directive, arrival)?;
                let _ = write!(out, "<span class=\"{}\"", live.class());
                Marks::of_text(&live, around)?.write(out);
                let _ = write!(out, ">{}</span>", live.html());
            }
            _ => return Err(format!("{{{{{inside}}}}} is not a directive")),
        }
        text = behind;
    }
    out.push_str(text);
    Ok(())
}

/// A tag with its attributes filled in, and `marks` added.
fn fill_tag(tag: &str, mut marks: Marks, (arrival, around): (&Arrival, &str), out: &mut String) -> Result<(), String> {
    let (body, end) = tag.strip_suffix('/').map_or((tag, ""), |body| (body, "/"));
    let mut rest = body;
    out.push('<');
    while let Some((before, inside, behind)) = next(rest)? {
        let behind = behind.strip_prefix('"').ok_or(format!("{{{{{inside}}}}} is not the whole of an attribute"))?;
        let start = before.strip_suffix("=\"").ok_or(format!("{{{{{inside}}}}} is not the whole of an attribute"))?;
        let (kept, attribute) = start.rsplit_once(' ').ok_or(format!("{{{{{inside}}}}} stands in no attribute"))?;
        out.push_str(kept);
        match inside.split_once(' ') {
            Some(("live", directive)) => {
                marks.attribute(attribute, &Live::read(directive, arrival)?, around, out)?;
            }
            _ => return Err(format!("{{{{{inside}}}}} is not a directive for an attribute")),
        }
        rest = behind;
    }
    out.push_str(rest);
    marks.write(out);
    out.push_str(end);
    out.push('>');
    Ok(())
}

#[cfg(test)]
mod tests {
    use memory_wall_core::display::THIN_SPACE;

    use super::*;

    #[test]
    fn live_numbers_come_from_the_engine() {
        let [cache, total] = ["buckets.size.kv_cache", "buckets.total"].map(|name| figures::find(name).unwrap());
        let html = filled("x {{live buckets.size.kv_cache at seq=128000}} y").unwrap();
        assert_eq!(
            html,
            format!("x <span class=\"live\" data-b=\"{cache}\" data-at=\"seq=128000\">67.1{THIN_SPACE}GB</span> y")
        );
        let html = filled("<b>{{live buckets.total}}</b>").unwrap();
        assert_eq!(html, format!("<b data-b=\"{total}\">15.3{THIN_SPACE}GB</b>"));
    }

    #[test]
    fn attributes_and_flags_leave_their_marks() {
        let names = ["buckets.height.kv_cache", "buckets.over", "buckets.empty.gradients"];
        let [height, over, empty] = names.map(|name| figures::find(name).unwrap());
        let html = filled(
            "<g a=\"1\" y=\"{{live buckets.height.kv_cache}}\" data-over=\"{{live buckets.over}}\" \
             data-empty=\"{{live buckets.empty.gradients}}\">",
        );
        assert_eq!(
            html.unwrap(),
            format!(
                "<g a=\"1\" y=\"1.11%\" data-empty=\"\" data-b=\"y={height} data-over?{over} data-empty?{empty}\">"
            )
        );
    }

    #[test]
    fn what_figures_show_carries_numbers_in_place_of_names() {
        let [total, line, over] =
            ["states.total.mixed", "states.line", "states.over.mixed"].map(|name| figures::find(name).unwrap());
        let y = Arrival::of(&State::default()).answer("states.line").unwrap().text(ByteUnit::Gb);
        let html = filled(
            "<b y=\"{{live states.line}}\" data-over=\"{{live states.over.mixed}}\">{{live states.total.mixed}}</b>",
        );
        assert_eq!(
            html.unwrap(),
            format!("<b y=\"{y}\" data-over=\"\" data-b=\"{total} y={line} data-over?{over}\">108\u{202f}GB</b>")
        );
        let under = "<b data-over=\"{{live states.over.pure}}\">x</b>";
        assert!(filled(under).unwrap().starts_with("<b data-b=\"data-over?"), "it does not hold, and can");
    }

    #[test]
    fn what_stands_at_a_state_is_asked_again_only_if_it_has_a_unit() {
        let at = |name: &str| filled(&format!("x {{{{live {name} at model=generic-7b}}}}")).unwrap();
        let total = figures::find("states.total.mixed").unwrap();
        assert_eq!(
            at("states.total.mixed"),
            format!("x <span class=\"live\" data-b=\"{total}\" data-at=\"model=generic-7b\">112{THIN_SPACE}GB</span>")
        );
        assert_eq!(at("states.each.mixed"), "x <span class=\"live\" data-at=\"model=generic-7b\">16</span>");
        assert_eq!(at("buckets.batch"), "x <span class=\"live\" data-at=\"model=generic-7b\">1</span>");
    }

    #[test]
    fn sentences_read_as_prose() {
        assert!(filled("x {{live buckets.kv_sentence}}").unwrap().starts_with("x <span class=\"live sentence\""));
    }

    #[test]
    fn within_a_question_marks_leave_its_name_out() {
        let html = filled(
            "<li data-quiz=\"oom.copy\" data-state=\"{{live quiz.state of oom.copy}}\" open=\"{{live quiz.slip of half.oom.copy}}\">\
             <b>{{live quiz.said of oom.copy}}</b></li><figure><b>{{live quiz.said of oom.copy}}</b></figure>",
        );
        let [state, slip, said] = ["quiz.state", "quiz.slip", "quiz.said"].map(|name| figures::find(name).unwrap());
        assert_eq!(
            html.unwrap(),
            format!(
                "<li data-quiz=\"oom.copy\" data-state=\"\" data-b=\"data-state={state}/~ open?{slip}/half.~\">\
                 <b data-b=\"{said}/~\"></b></li><figure><b data-b=\"{said}/oom.copy\"></b></figure>"
            )
        );
    }

    #[test]
    fn what_is_still_says_its_settings_and_leaves_no_mark() {
        let html = still("x {{live buckets.size.kv_cache at seq=128000&amp;batch=1}} y").unwrap();
        assert_eq!(html, format!("x 67.1{THIN_SPACE}GB y"));
        assert!(still("{{live buckets.total}}").unwrap_err().contains("no number at settings of its own"));
    }

    #[test]
    fn scripts_are_left_alone() {
        let html = "<p>{{live buckets.total}}</p><script>const address = '{{__TRUNK_ADDRESS__}}'; if (1 < 2) {}</script><b>x</b>";
        assert_eq!(filled(html).unwrap().split_once("<script>").unwrap().1, html.split_once("<script>").unwrap().1);
    }

    #[test]
    fn slips_stop_the_build() {
        for (text, error) in [
            ("{{live nonsense}}", "there is no live number nonsense"),
            ("{{live states.total.mixd}}", "no live number states.total.mixd, did you mean states.total.mixed?"),
            ("{{live states.over.mixed}}", "states.over.mixed is a flag, and no text"),
            ("<a x=\"{{live buckets.total at v=1}}\">", "buckets.total cannot stand at others"),
            ("{{live buckets.size.kv_cache at seq=0}}", "seq: “0” is not a whole number"),
            ("{{picture x}}", "is not a directive"),
            ("{{live kv_cache", "not closed"),
            ("<a x=\"1{{live buckets.total}}\">", "not the whole"),
            ("<a x=\"{{live quiz.stat of oom.copy}}\">", "there is no live number quiz.stat, did you mean quiz.state?"),
            ("<a x=\"{{flag buckets.total}}\">", "is not a directive for an attribute"),
        ] {
            let message = filled(text).unwrap_err();
            assert!(message.contains(error), "{message}");
        }
    }
}
