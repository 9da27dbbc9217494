//! Prose: Markdown with directives. `{{figure id}}` and `{{dial id}}` on a line of their own draw a figure and a dial; the others are those of [`crate::directives`]. Formulas are those of [`crate::typeset`].

use std::fmt::Write as _;

use memory_wall_app::figures::bound_of;
use memory_wall_app::quiz;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::{figures, highlight, typeset, words};

/// A section's Markdown as HTML, wrapped in its `section`.
pub(crate) fn section(id: &str, markdown: &str) -> Result<String, String> {
    let mut body = String::new();
    let events = anchored(markdown).into_iter().map(set).collect::<Result<Vec<_>, _>>();
    html::push_html(&mut body, events.map_err(|error| format!("content of section {id}: {error}"))?.into_iter());
    let body = highlight::blocks(&body, words::profile_code())?;
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
        let anchor = anchor(id);
        out.push_str(before);
        // Writing into a string does not fail.
        let _ = write!(out, "<figure id=\"{anchor}\" class=\"figure figure-{id}\">{drawing}</figure>");
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

/// Where a figure stands.
pub(crate) fn anchor(figure: &str) -> String {
    if figure == "buckets" { "calculator".to_owned() } else { format!("figure-{figure}") }
}

/// A figure as it stands alone: with the number that its section lets the reader predict before it, if there is one.
pub(crate) fn alone(id: &str, texts: &[String]) -> Result<String, String> {
    let figure = format!("{{{{figure {id}}}}}");
    let before = texts.iter().find_map(|text| Some(text.split_once(&format!("{figure}\n"))?.0));
    let before = before.ok_or(format!("no section shows the figure {id}"))?;
    let since = before.rsplit_once("{{figure ").map_or(before, |(_, since)| since);
    // From the question on, or where a figure stands between them, from the dial.
    let asked = since.rfind("**Predict").or_else(|| since.find("{{dial ")).and_then(|place| since.get(place..));
    let asked = asked.filter(|text| text.contains("{{dial ")).and_then(|text| text.split_once("</details>"));
    let asked = asked.map(|(asked, _)| format!("{asked}</details>\n\n"));
    // On paper answers come behind all questions, under a head of their own.
    let key = if matches!(id, "quiz" | "claims") { "\n\n{{figure quiz_key}}" } else { "" };
    let html = section(id, &(asked.unwrap_or_default() + &figure + key))?;
    Ok(html.replacen(&format!(" id=\"{id}\""), "", 1))
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

/// Formulas set, everything else as it is.
fn set(event: Event<'_>) -> Result<Event<'_>, String> {
    Ok(match event {
        Event::InlineMath(formula) => Event::InlineHtml(typeset::inline(&formula)?.into()),
        Event::DisplayMath(formula) => Event::InlineHtml(typeset::display(&formula)?.into()),
        other => other,
    })
}

/// The events of a text, with an anchor at each heading that can be linked to.
fn anchored(markdown: &str) -> Vec<Event<'_>> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_SMART_PUNCTUATION
        | Options::ENABLE_MATH
        | Options::ENABLE_HEADING_ATTRIBUTES;
    let mut events: Vec<Event<'_>> = Parser::new_ext(markdown, options).collect();
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
                    ids.push((start, place, slug(&text)));
                }
            }
            _ => {}
        }
    }
    // From the last one, so that what is put in moves none that is still to come.
    for (start, end, slug) in ids.into_iter().rev() {
        let mut anchor = slug;
        if let Some(Event::Start(Tag::Heading { id, .. })) = events.get_mut(start) {
            // What other texts link to is named, `## Title {#name}`, so that the link holds in every language.
            anchor = id.take().map_or(anchor, |named| named.to_string());
            *id = Some(anchor.clone().into());
        }
        let link = format!("<a class=\"permalink\" href=\"#{anchor}\">");
        events.insert(end, Event::InlineHtml("</a>".into()));
        events.insert(start + 1, Event::InlineHtml(link.into()));
    }
    events
}

/// The title of a section: its first heading, as text.
pub(crate) fn title(markdown: &str) -> Option<String> {
    let heading = markdown.lines().find(|line| line.starts_with('#'))?;
    Some(heading.trim_start_matches('#').trim().to_owned())
}

/// What a drawn section asks its reader: rounds, dials and questions, by the buttons that check them.
fn asked(html: &str) -> String {
    let acts = html.split("data-act=\"").skip(1).filter_map(|act| act.split('"').next());
    let checks =
        acts.filter_map(|act| act.split_once(' ').filter(|(what, _)| ["check", "check-dial", "quiz"].contains(what)));
    checks.map(|(_, id)| id).collect::<Vec<_>>().join("+")
}

/// Every section but the first by its title, to be chosen from, with what was done of it.
pub(crate) fn contents(sections: &[(&str, String)], drawn: &[String]) -> String {
    let mut items = String::new();
    for ((id, title), html) in sections.iter().zip(drawn).skip(1) {
        let asked = asked(html);
        let done = if asked.is_empty() {
            String::new()
        } else {
            format!(" <span class=\"done\">{}</span>", bound_of::<quiz::Model>(quiz::Binding::Progress, &asked))
        };
        // Writing into a string does not fail.
        let _ = write!(items, "<li><a href=\"#{id}\">{title}</a>{done}</li>");
    }
    let name = words::nav_contents();
    format!(
        "<nav class=\"contents\" aria-label=\"{name}\" data-read=\"{}\" data-sure=\"{}\"><p class=\"contents-title\">{name}</p><ol>{items}</ol><a href=\"reference.html\">{}</a><p class=\"forget\" hidden>{} <button type=\"button\" class=\"plain-button\">{}</button></p></nav>\n",
        words::nav_read(),
        words::nav_sure(),
        words::nav_reference(),
        words::nav_kept(),
        words::nav_forget(),
    )
}

/// The way to the sections before and after one.
pub(crate) fn neighbours(sections: &[(&str, String)], place: usize) -> String {
    let at = |place: Option<usize>| place.and_then(|place| sections.get(place));
    let link = |id: &str, class: &str, text: &str| format!("<a class=\"{class}\" href=\"#{id}\">{text}</a>");
    let before =
        at(place.checked_sub(1)).map(|(id, title)| link(id, "before", &words::NavBefore { section: title }.text()));
    let after = at(Some(place + 1)).map(|(id, title)| link(id, "after", &words::NavAfter { section: title }.text()));
    let links = before.unwrap_or_default() + &after.unwrap_or_default();
    format!("<nav class=\"neighbours\" aria-label=\"{}\">{links}</nav>\n", words::nav_neighbours())
}

/// `What the line means` as `what-the-line-means`.
pub(crate) fn slug(heading: &str) -> String {
    let lower = heading.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
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
    fn a_heading_of_any_script_is_lower_case_in_its_link() {
        assert_eq!(slug("What does it cost? (GPU)"), "what-does-it-cost-gpu");
        assert_eq!(slug("ÜBER Große Modelle"), "über-große-modelle");
        assert_eq!(slug("Память ГП"), "память-гп");
    }

    #[test]
    fn headings_can_be_linked_to() {
        let html = section("s", "## What the *line* means\n\ntext").unwrap();
        assert!(
            html.contains("<h2 id=\"what-the-line-means\"><a class=\"permalink\" href=\"#what-the-line-means\">What"),
            "{html}"
        );
        assert!(html.contains("means</a></h2>"), "{html}");
        let named = section("s", "### Was bleibt {#what-stays}\n\ntext").unwrap();
        assert!(
            named.contains("<h3 id=\"what-stays\"><a class=\"permalink\" href=\"#what-stays\">Was bleibt</a>"),
            "{named}"
        );
        let sections = ["a", "b", "c"].map(|id| (id, title(&format!("## Title {id}: x\n\ntext")).unwrap()));
        assert_eq!(sections[0].1, "Title a: x");
        let drawn = [
            "",
            "<p></p>",
            "<i data-act=\"check-dial walk\"></i><i data-act=\"show-dial walk\"></i><i data-act=\"quiz c.x\"></i>",
        ];
        let contents = contents(&sections, &drawn.map(String::from));
        assert!(contents.contains("<li><a href=\"#b\">Title b: x</a></li>"), "nothing is asked there");
        assert!(contents.contains("{{live quiz.progress of walk+c.x}}"), "{contents}");
        assert!(!contents.contains("#a"), "the first section is where one is");
        assert!(neighbours(&sections, 0).contains("#b") && !neighbours(&sections, 2).contains("#a\""));
    }

    #[test]
    fn a_figure_alone_brings_the_question_before_it() {
        let texts = crate::page::texts().unwrap();
        let walk = alone("hierarchy", &texts).unwrap();
        assert!(walk.contains("Predict first") && walk.contains("data-dial=\"walk\"") && walk.contains("</details>"));
        assert!(walk.trim_end().trim_end_matches("</section>").trim_end().ends_with("</figure>"), "nothing behind it");
        let oom = alone("oom", &texts).unwrap();
        assert!(oom.contains("data-dial=\"tape\"") && !oom.contains("figure-oom_guess"));
        let trips = alone("trips", &texts).unwrap();
        assert!(!trips.contains("dial") && !trips.contains("<h2"), "{trips}");
        assert!(alone("nothing", &texts).is_err());
    }
}
