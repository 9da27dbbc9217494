//! A plan for a course of several weeks: what is read before each session, how long that takes, and what is done in it.

use std::fmt::Write as _;

use super::goals;
use crate::wording::{Words, escaped};

/// The sections that are read before a session, by their ids.
fn read_before(words: &Words, session: &str) -> Vec<String> {
    words.plain(&format!("{session}._read")).split(' ').map(str::to_owned).collect()
}

/// The sessions that there are words for.
fn sessions(words: &Words) -> impl Iterator<Item = String> {
    (1..).map(|n| format!("weeks.{n}")).take_while(|session| words.has(&format!("{session}.title")))
}

/// The plan.
pub(super) fn plan(words: &Words) -> Result<String, String> {
    let sections = goals::sections()?;
    let mut items = String::new();
    for session in sessions(words) {
        let (mut links, mut minutes) = (Vec::new(), 0);
        for id in read_before(words, &session) {
            let section = sections.iter().find(|section| section.id == id);
            let section = section.ok_or_else(|| format!("{session} reads {id}, which there is not"))?;
            links.push(format!("<a href=\"#goals-{id}\">{}</a>", escaped(&section.title)));
            minutes += section.homework();
        }
        // Writing into a string does not fail.
        let _ = write!(
            items,
            "<li><b>{}</b> {} {} ({}). {} {}</li>",
            words.say(&format!("{session}.title")),
            words.say("weeks.read"),
            links.join(", "),
            words.say_with("weeks.minutes", &[("minutes", minutes.to_string())]),
            words.say("weeks.class"),
            words.prose(&format!("{session}.class"), &[]),
        );
    }
    Ok(format!(
        "<h3>{}</h3>{}<ol id=\"weeks\">{items}</ol>",
        words.say("weeks.title"),
        words.paragraphs("weeks.lead", &[])
    ))
}

#[cfg(test)]
mod tests {
    use memory_wall_app::registry::SECTIONS;

    use super::*;

    #[test]
    fn every_section_is_read_once_in_its_order_and_no_session_asks_for_hours() {
        let words = Words::read("teach.txt").unwrap();
        let read: Vec<String> = sessions(&words).flat_map(|session| read_before(&words, &session)).collect();
        assert_eq!(read, SECTIONS);
        let sections = goals::sections().unwrap();
        for session in sessions(&words) {
            let read = read_before(&words, &session);
            let minutes: usize = sections
                .iter()
                .filter(|section| read.iter().any(|id| id == section.id))
                .map(goals::Section::homework)
                .sum();
            assert!((20..=75).contains(&minutes), "{session}: {minutes} minutes");
        }
        let html = plan(&words).unwrap();
        assert!(!html.contains(crate::wording::MISSING) && !html.contains('{'), "{html}");
        // Links are links, and not as they are written.
        assert!(html.contains("<a href=\"lessons.html#short\">") && !html.contains("]("), "{html}");
    }
}
