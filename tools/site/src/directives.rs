//! Directives: what the page names, filled in for the default state.
//!
//! `{{live name}}` and `{{live name at query}}` in a text or an attribute, `{{flag name}}` as an attribute;
//! each leaves a mark by which the browser finds it again. Within a question the marks say `~` for the question's own name:
//! what is the same for all packs into nearly nothing.

use std::fmt::Write as _;

use memory_wall_app::live::Snapshot;
use memory_wall_app::state::State;
use memory_wall_app::state::query::{self, Decoded};

use crate::wording::escaped;

/// A page's directives replaced by what they stand for.
pub(crate) fn filled(html: &str) -> Result<String, String> {
    let state = Snapshot::of(State::default());
    let mut around = "";
    let mut out = String::with_capacity(html.len() * 2);
    let mut rest = html;
    // Text and tags in turn: attributes and texts are filled in differently.
    while let Some((text, after)) = rest.split_once('<') {
        fill_text(text, (&state, around), &mut out)?;
        // A script is no text to look into: while serving, Trunk adds one with a placeholder of its own.
        if let Some((script, behind)) = after.split_once("</script>").filter(|_| after.starts_with("script")) {
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
                let number = Live::read(directive, &state)?;
                fill_tag(tag, &number.marks(around), (&state, around), &mut out)?;
                out.push_str(&number.html());
                rest = tail;
            }
            _ => {
                fill_tag(tag, "", (&state, around), &mut out)?;
                rest = behind;
            }
        }
    }
    fill_text(rest, (&state, around), &mut out)?;
    Ok(out)
}

/// The question that begins with a tag; none any more where a figure does.
fn asked_in(tag: &str) -> Option<&str> {
    let asked = tag.split_once(" data-quiz=\"").and_then(|(_, after)| after.split_once('"')).map(|(asked, _)| asked);
    asked.or(tag.starts_with("figure").then_some(""))
}

/// A name as the mark says it within a question.
fn named(name: &str, around: &str) -> String {
    match name.strip_suffix(around).filter(|own| !around.is_empty() && own.starts_with("quiz.") && own.ends_with('.')) {
        Some(own) => format!("{own}~"),
        None => name.into(),
    }
}

/// A `{{live …}}` and its answer.
struct Live {
    name: String,
    at: Option<String>,
    value: String,
}

impl Live {
    fn read(directive: &str, state: &Snapshot) -> Result<Self, String> {
        let directive = directive.replace("&amp;", "&");
        let (name, at) = match directive.split_once(" at ") {
            Some((name, at)) => (name, Some(at.to_owned())),
            None => (directive.as_str(), None),
        };
        let value = match &at {
            None => state.value(name),
            Some(at) => {
                let Decoded { state, notices } = query::decode(at);
                if let Some(notice) = notices.first() {
                    return Err(format!("{{{{live {directive}}}}}: {notice}"));
                }
                Snapshot::of(state).value(name)
            }
        };
        let value = value.ok_or(format!("there is no live number {name}"))?;
        Ok(Self { name: name.into(), at, value })
    }

    fn html(&self) -> String {
        if Snapshot::is_html(&self.name) { self.value.clone() } else { escaped(&self.value) }
    }

    fn marks(&self, around: &str) -> String {
        let at = self.at.as_ref().map(|at| format!(" data-at=\"{}\"", escaped(at))).unwrap_or_default();
        format!(" data-live-number=\"{}\"{at}", named(&self.name, around))
    }
}

/// The next directive of a text: what comes before it, its inside, what comes behind it.
fn next(text: &str) -> Result<Option<(&str, &str, &str)>, String> {
    let Some((before, after)) = text.split_once("{{") else { return Ok(None) };
    let (inside, behind) = after.split_once("}}").ok_or("a directive is not closed")?;
    Ok(Some((before, inside, behind)))
}

fn fill_text(mut text: &str, (state, around): (&Snapshot, &str), out: &mut String) -> Result<(), String> {
    while let Some((before, inside, behind)) = next(text)? {
        out.push_str(before);
        match inside.split_once(' ') {
            Some(("live", directive)) => {
                let number = Live::read(directive, state)?;
                // Writing into a string does not fail.
                let _ = write!(out, "<span class=\"live\"{}>{}</span>", number.marks(around), number.html());
            }
            _ => return Err(format!("{{{{{inside}}}}} is not a directive")),
        }
        text = behind;
    }
    out.push_str(text);
    Ok(())
}

/// A tag with its attributes filled in, and `marks` added.
fn fill_tag(tag: &str, marks: &str, (state, around): (&Snapshot, &str), out: &mut String) -> Result<(), String> {
    let (body, end) = tag.strip_suffix('/').map_or((tag, ""), |body| (body, "/"));
    let mut rest = body;
    let (mut attributes, mut flags) = (Vec::new(), Vec::new());
    out.push('<');
    while let Some((before, inside, behind)) = next(rest)? {
        let behind = behind.strip_prefix('"').ok_or(format!("{{{{{inside}}}}} is not the whole of an attribute"))?;
        let start = before.strip_suffix("=\"").ok_or(format!("{{{{{inside}}}}} is not the whole of an attribute"))?;
        let (kept, attribute) = start.rsplit_once(' ').ok_or(format!("{{{{{inside}}}}} stands in no attribute"))?;
        out.push_str(kept);
        match inside.split_once(' ') {
            Some(("live", directive)) => {
                let number = Live::read(directive, state)?;
                let _ = write!(out, " {attribute}=\"{}\"", escaped(&number.value));
                attributes.push(format!("{attribute}={}", named(&number.name, around)));
            }
            Some(("flag", name)) => {
                if state.flag(name).ok_or(format!("there is no flag {name}"))? {
                    let _ = write!(out, " {attribute}=\"\"");
                }
                flags.push(format!("{attribute}={}", named(name, around)));
            }
            _ => return Err(format!("{{{{{inside}}}}} is not a directive for an attribute")),
        }
        rest = behind;
    }
    out.push_str(rest);
    out.push_str(marks);
    for (list, name) in [(attributes, "data-live-attributes"), (flags, "data-live-flags")] {
        if !list.is_empty() {
            let _ = write!(out, " {name}=\"{}\"", list.join(" "));
        }
    }
    out.push_str(end);
    out.push('>');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_numbers_come_from_the_engine() {
        let html = filled("x {{live kv_cache at seq=128000}} y").unwrap();
        assert_eq!(
            html,
            "x <span class=\"live\" data-live-number=\"kv_cache\" data-at=\"seq=128000\">67.1\u{202f}GB</span> y"
        );
        assert_eq!(filled("<b>{{live total}}</b>").unwrap(), "<b data-live-number=\"total\">15.3\u{202f}GB</b>");
    }

    #[test]
    fn attributes_and_flags_leave_their_marks() {
        let html = filled("<g a=\"1\" y=\"{{live wall.kv_cache.height}}\" data-over=\"{{flag wall.over}}\" data-empty=\"{{flag empty.gradients}}\">").unwrap();
        assert_eq!(
            html,
            "<g a=\"1\" y=\"1.11%\" data-empty=\"\" data-live-attributes=\"y=wall.kv_cache.height\" data-live-flags=\"data-over=wall.over data-empty=empty.gradients\">"
        );
    }

    #[test]
    fn within_a_question_marks_leave_its_name_out() {
        let html = filled(
            "<li data-quiz=\"oom.copy\" data-state=\"{{live quiz.state.oom.copy}}\"><b>{{live quiz.said.oom.copy}}</b></li>\
             <figure><b>{{live quiz.said.oom.copy}}</b></figure>",
        );
        assert_eq!(
            html.unwrap(),
            "<li data-quiz=\"oom.copy\" data-state=\"\" data-live-attributes=\"data-state=quiz.state.~\">\
             <b data-live-number=\"quiz.said.~\"></b></li><figure><b data-live-number=\"quiz.said.oom.copy\"></b></figure>"
        );
    }

    #[test]
    fn scripts_are_left_alone() {
        let html =
            "<p>{{live total}}</p><script>const address = '{{__TRUNK_ADDRESS__}}'; if (1 < 2) {}</script><b>x</b>";
        assert_eq!(filled(html).unwrap().split_once("<script>").unwrap().1, html.split_once("<script>").unwrap().1);
    }

    #[test]
    fn slips_stop_the_build() {
        for (text, error) in [
            ("{{live nonsense}}", "there is no live number nonsense"),
            ("{{live kv_cache at seq=0}}", "seq: “0” is not a whole number"),
            ("{{picture x}}", "is not a directive"),
            ("{{live kv_cache", "not closed"),
            ("<a x=\"1{{live total}}\">", "not the whole"),
            ("<a x=\"{{flag total}}\">", "there is no flag total"),
        ] {
            let message = filled(text).unwrap_err();
            assert!(message.contains(error), "{message}");
        }
    }
}
