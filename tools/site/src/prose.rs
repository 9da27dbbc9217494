//! Prose: Markdown with two directives, `{{figure id}}` on a line of its own and `{{live name}}` or `{{live name at query}}` in a sentence.

use memory_wall_app::live;
use memory_wall_app::state::State;
use memory_wall_app::state::query::{self, Decoded};
use memory_wall_core::evaluate;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// A section's Markdown as HTML, wrapped in its `section`.
pub(crate) fn section(id: &str, markdown: &str) -> Result<String, String> {
    let filled = directives(markdown).map_err(|error| format!("content of section {id}: {error}"))?;
    let mut body = String::new();
    html::push_html(&mut body, anchored(&filled).into_iter());
    Ok(format!("<section id=\"{id}\" class=\"section section-{id}\">\n{body}</section>\n"))
}

/// The directives replaced by what they stand for.
fn directives(markdown: &str) -> Result<String, String> {
    let mut out = String::with_capacity(markdown.len() * 2);
    let mut rest = markdown;
    while let Some((before, after)) = rest.split_once("{{") {
        let (directive, behind) = after.split_once("}}").ok_or("a directive is not closed")?;
        out.push_str(before);
        out.push_str(&match directive.split_once(' ') {
            Some(("figure", id)) => figure(id)?,
            Some(("live", number)) => live_number(number)?,
            _ => return Err(format!("{{{{{directive}}}}} is not a directive")),
        });
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

fn figure(id: &str) -> Result<String, String> {
    let (figure, html) = crate::figures::figure(id).ok_or(format!("there is no figure {id}"))?;
    let live = if figure.live { format!(" data-figure=\"{id}\"") } else { String::new() };
    let anchor = if id == "buckets" { "calculator".to_owned() } else { format!("figure-{id}") };
    // Without blank lines inside, Markdown passes the block through untouched.
    let html = html.replace('\n', " ");
    Ok(format!("<figure id=\"{anchor}\" class=\"figure figure-{id}\"><div class=\"figure-body\"{live}>{html}</div></figure>"))
}

fn live_number(directive: &str) -> Result<String, String> {
    let (name, at) = match directive.split_once(" at ") {
        Some((name, at)) => (name, Some(at)),
        None => (directive, None),
    };
    let Decoded { state, notices } = at.map_or_else(|| Decoded { state: State::default(), notices: Vec::new() }, query::decode);
    if let Some(notice) = notices.first() {
        return Err(format!("{{{{live {directive}}}}}: {notice}"));
    }
    let value = live::value(name, &state, &evaluate(&state.scenario())).ok_or(format!("there is no live number {name}"))?;
    let fixed = at.map(|at| format!(" data-at=\"{}\"", at.replace('&', "&amp;"))).unwrap_or_default();
    Ok(format!("<span class=\"live\" data-live-number=\"{name}\"{fixed}>{value}</span>"))
}

/// The events of a text, with an anchor at each heading that can be linked to.
fn anchored(markdown: &str) -> Vec<Event<'_>> {
    let mut events: Vec<Event<'_>> = Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_SMART_PUNCTUATION).collect();
    let mut heading = None;
    let mut text = String::new();
    let mut ids = Vec::new();
    for (place, event) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if *level != HeadingLevel::H1 => {
                heading = Some(place);
                text.clear();
            }
            Event::Text(words) | Event::Code(words) if heading.is_some() => text.push_str(words),
            Event::End(TagEnd::Heading(_)) => {
                if let Some(start) = heading.take() {
                    ids.push((start, slug(&text)));
                }
            }
            _ => {}
        }
    }
    for (start, slug) in ids {
        if let Some(Event::Start(Tag::Heading { id, .. })) = events.get_mut(start) {
            *id = Some(slug.into());
        }
    }
    events
}

/// `What the line means` as `what-the-line-means`.
fn slug(heading: &str) -> String {
    let letters = heading.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' }).collect::<String>();
    letters.split_whitespace().collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_numbers_come_from_the_engine() {
        let html = directives("x {{live kv_cache at seq=128000}} y").unwrap();
        assert_eq!(html, "x <span class=\"live\" data-live-number=\"kv_cache\" data-at=\"seq=128000\">67.1\u{202f}GB</span> y");
    }

    #[test]
    fn slips_in_the_prose_stop_the_build() {
        for (text, error) in [
            ("{{live nonsense}}", "there is no live number nonsense"),
            ("{{live kv_cache at seq=0}}", "seq: “0” is not a whole number"),
            ("{{figure nothing}}", "there is no figure nothing"),
            ("{{picture x}}", "is not a directive"),
            ("{{live kv_cache", "not closed"),
        ] {
            let message = directives(text).unwrap_err();
            assert!(message.contains(error), "{message}");
        }
    }

    #[test]
    fn headings_can_be_linked_to() {
        let html = section("s", "## What the *line* means\n\ntext").unwrap();
        assert!(html.contains("<h2 id=\"what-the-line-means\">"), "{html}");
    }
}
