//! Prose: Markdown with directives. `{{figure id}}` and `{{dial id}}` on a line of their own draw a figure and a dial; the others are those of [`crate::directives`].

use std::fmt::Write as _;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use memory_wall_app::words::t;

use crate::{figures, highlight};

/// A section's Markdown as HTML, wrapped in its `section`.
pub(crate) fn section(id: &str, markdown: &str) -> Result<String, String> {
    let mut body = String::new();
    html::push_html(&mut body, anchored(markdown).into_iter());
    let body = highlight::blocks(&body, t("profile.code"))?;
    let body = with_dials(&body)?;
    let body = with_figures(&body).map_err(|error| format!("content of section {id}: {error}"))?;
    Ok(format!("<section id=\"{id}\" class=\"section section-{id}\">\n{body}</section>\n"))
}

/// The figures that stand on a line of their own, drawn; other directives wait for the whole page.
fn with_figures(html: &str) -> Result<String, String> {
    const OPEN: &str = "<p>{{figure ";
    let mut out = String::with_capacity(html.len() * 4);
    let mut rest = html;
    while let Some((before, after)) = rest.split_once(OPEN) {
        let (id, behind) = after.split_once("}}</p>").ok_or("a figure does not stand on a line of its own")?;
        let drawing = figures::figure(id).ok_or(format!("there is no figure {id}"))?;
        let anchor = if id == "buckets" { "calculator".to_owned() } else { format!("figure-{id}") };
        out.push_str(before);
        // Writing into a string does not fail.
        let _ = write!(out, "<figure id=\"{anchor}\" class=\"figure figure-{id}\">{drawing}</figure>");
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

/// Numbers to be predicted, `{{dial id}}` on a line of its own.
fn with_dials(html: &str) -> Result<String, String> {
    let mut pieces = html.split("<p>{{dial ");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (id, behind) = piece.split_once("}}</p>").ok_or("a dial does not stand on a line of its own")?;
        out.push_str(&figures::dial(id).ok_or(format!("there is no dial {id}"))?);
        out.push_str(behind);
    }
    Ok(out)
}

/// The events of a text, with an anchor at each heading that can be linked to.
fn anchored(markdown: &str) -> Vec<Event<'_>> {
    let mut events: Vec<Event<'_>> =
        Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_SMART_PUNCTUATION).collect();
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
    let letters =
        heading.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' }).collect::<String>();
    letters.split_whitespace().collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_stand_alone_or_not_at_all() {
        assert!(section("s", "{{figure opening}}").unwrap().contains("<figure id=\"figure-opening\""));
        assert_eq!(section("s", "{{figure nothing}}").unwrap_err(), "content of section s: there is no figure nothing");
    }

    #[test]
    fn headings_can_be_linked_to() {
        let html = section("s", "## What the *line* means\n\ntext").unwrap();
        assert!(html.contains("<h2 id=\"what-the-line-means\">"), "{html}");
    }
}
