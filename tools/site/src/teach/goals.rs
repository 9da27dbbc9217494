//! What each section teaches, what it builds on, and how long it takes, as it is counted on the section itself.

use std::fmt::Write as _;

use memory_wall_app::sections::quiz::text::{Kind, Question, questions};

use crate::reading::{self, CLAIM_MINUTES, FIGURE_MINUTES, QUESTION_MINUTES, Reading, WORDS_A_MINUTE};
use crate::wording::{Words, escaped, inline};
use crate::{check, page};

/// A section as a teacher plans with it.
pub(super) struct Section {
    pub(super) id: &'static str,
    pub(super) title: String,
    reading: Reading,
    /// Questions of the self-check, and claims.
    asked: usize,
    claims: usize,
}

impl Section {
    /// Minutes to read it and to answer its questions.
    pub(super) const fn homework(&self) -> usize {
        self.reading.minutes() + self.answering()
    }

    /// Minutes for the questions.
    const fn answering(&self) -> usize {
        self.asked * QUESTION_MINUTES + self.claims * CLAIM_MINUTES
    }
}

/// Every section, in the order of the tutorial.
pub(super) fn sections() -> Result<Vec<Section>, String> {
    let questions = questions()?;
    let count = |is: &dyn Fn(&Question) -> bool| questions.iter().filter(|question| is(question)).count();
    let titles = page::titles(&page::texts()?);
    let of = |((id, reading), (_, title))| Section {
        id,
        title,
        reading,
        asked: count(&|question| question.section() == id),
        claims: if id == check::SECTION { count(&|question| question.kind == Kind::Claim) } else { 0 },
    };
    Ok(reading::sections()?.into_iter().zip(titles).map(of).collect())
}

/// The goals of a section as items of a list.
fn goals(texts: &Words, id: &str) -> String {
    let keys = (1..).map(|n| format!("{id}.goal.{n}")).take_while(|key| texts.has(key));
    keys.fold(String::new(), |all, key| all + &format!("<li>{}</li>", inline(&texts.plain(&key))))
}

/// The earlier sections that one builds on, by their ids.
fn needs(texts: &Words, id: &str) -> Vec<String> {
    let key = format!("{id}._needs");
    if texts.has(&key) { texts.plain(&key).split(' ').map(str::to_owned).collect() } else { Vec::new() }
}

/// Every section with all of it.
pub(super) fn list(words: &Words, texts: &Words) -> Result<String, String> {
    let sections = sections()?;
    let sum = |of: &dyn Fn(&Section) -> usize| sections.iter().map(of).sum::<usize>();
    let number = |n: usize| n.to_string();
    let mut out = words.paragraphs(
        "course",
        &[
            ("reading", number(sum(&|section| section.reading.minutes()))),
            ("answering", number(sum(&Section::answering))),
            ("asked", number(sum(&|section| section.asked))),
            ("claims", number(sum(&|section| section.claims))),
            ("rate", number(WORDS_A_MINUTE)),
            ("figure", number(FIGURE_MINUTES)),
            ("question", number(QUESTION_MINUTES)),
            ("claim", number(CLAIM_MINUTES)),
        ],
    );
    for section in &sections {
        let id = section.id;
        let values = [
            ("minutes", number(section.reading.minutes())),
            ("words", number(section.reading.words)),
            ("figures", number(section.reading.figures)),
            ("asked", number(section.asked.max(section.claims))),
            ("answering", number(section.answering())),
        ];
        let time = if section.reading.figures == 1 { "course.time.one" } else { "course.time" };
        let asked = match (section.asked, section.claims) {
            (0, 0) => String::new(),
            (0, _) => words.say_with("course.claims", &values),
            _ => words.say_with("course.asked", &values),
        };
        let title =
            |need: &str| sections.iter().find(|section| section.id == need).map_or("", |section| &section.title);
        let link = |need: &String| format!("<a href=\"#goals-{need}\">{}</a>", escaped(title(need)));
        let links = needs(texts, id).iter().map(link).collect::<Vec<_>>();
        let needs = if links.is_empty() {
            String::new()
        } else {
            format!(" {} {}.", words.say("course.needs"), links.join(", "))
        };
        // Writing into a string does not fail.
        let _ = write!(
            out,
            "<article class=\"goals\" id=\"goals-{id}\"><h3><a href=\"./#{id}\">{}</a></h3><p class=\"quiet\">{} {asked}</p><p>{}</p><ul>{}</ul><p class=\"quiet\">{} {}{needs}</p></article>",
            escaped(&section.title),
            words.say_with(time, &values),
            words.say("course.goals"),
            goals(texts, id),
            words.say("course.know"),
            texts.say(&format!("{id}.know")),
        );
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use memory_wall_app::registry::SECTIONS;

    use super::*;

    #[test]
    fn every_section_has_goals_and_builds_on_earlier_ones() {
        let texts = Words::read("goals.txt").unwrap();
        let html = list(&Words::read("teach.txt").unwrap(), &texts).unwrap();
        for (place, id) in SECTIONS.iter().enumerate() {
            assert!((2..=4).contains(&goals(&texts, id).matches("<li>").count()), "{id}");
            let needs = needs(&texts, id);
            assert_eq!(needs.is_empty(), place == 0, "{id}");
            for need in needs {
                assert!(SECTIONS[..place].contains(&need.as_str()), "{id} needs {need}, which does not come before it");
            }
            assert!(html.contains(&format!("id=\"goals-{id}\"")), "{id}");
        }
        assert_eq!(texts.left(), Vec::<&String>::new(), "words that nobody says");
        assert!(!html.contains(crate::wording::MISSING) && !html.contains('{'), "words or numbers are missing");
        // Claims are counted as claims, in the one section that has nothing else.
        assert_eq!(html.matches(" claims, about ").count(), 1);
        assert!(sections().unwrap().iter().all(|section| section.asked == 0 || section.claims == 0));
    }

    #[test]
    fn times_are_those_of_the_sections() {
        let sections = sections().unwrap();
        let questions = questions().unwrap();
        assert_eq!(sections.iter().map(|section| section.asked + section.claims).sum::<usize>(), questions.len());
        let coping = sections.iter().find(|section| section.id == "coping").unwrap();
        assert!(coping.reading.words > 500 && coping.reading.figures == 2 && coping.asked >= 3, "{:?}", coping.reading);
        assert_eq!(coping.answering(), coping.asked * QUESTION_MINUTES);
    }
}
