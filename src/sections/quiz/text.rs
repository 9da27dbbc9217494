//! The questions as they are written in `content/en/quiz.txt`, read once at build time.

use crate::words;

/// How a question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// With a number and its unit.
    Number,
    /// With one of several options.
    Choice,
    /// By putting parts in order.
    Order,
    /// With two causes and a first fix.
    Diagnose,
    /// By marking a claim as true or false.
    Claim,
}

/// An option, or a part of an order, with its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its number, under which answers are kept: it never changes, wherever the option stands.
    pub id: u8,
    /// Its words.
    pub text: &'static str,
    /// Why it is right or is not; or why it stands where it does.
    pub reason: &'static str,
    /// The hint that readers get when they choose this option first; empty for a right one.
    pub hint: &'static str,
    /// Whether it is right.
    pub right: bool,
}

/// Options under a heading of their own; the heading is empty where there is but one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What is asked of them.
    pub heading: &'static str,
    /// The options.
    pub choices: Vec<Choice>,
}

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Section and name: `kv_cache.size`.
    pub id: &'static str,
    /// How it is answered.
    pub kind: Kind,
    /// Its keys and texts.
    pub texts: Vec<(&'static str, &'static str)>,
    /// Its options or parts.
    pub groups: Vec<Group>,
}

impl Question {
    /// The section that teaches what is asked.
    pub fn section(&self) -> &'static str {
        self.id.split_once('.').map_or("", |(section, _)| section)
    }

    /// The text with this key.
    pub fn text(&self, key: &str) -> Option<&'static str> {
        self.texts.iter().find(|(known, _)| *known == key).map(|(_, text)| *text)
    }

    /// The slips that are known, each with what it was.
    pub fn slips(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.texts.iter().filter_map(|(key, text)| Some((key.strip_prefix("slip.")?, *text)))
    }
}

/// Every question, in the order of the file; the first line that is none of a question is named.
pub fn questions() -> Result<Vec<Question>, String> {
    let mut all: Vec<Question> = Vec::new();
    for line in words::language().asked.lines().filter(|line| !line.is_empty() && !line.starts_with("//")) {
        if let Some((id, kind)) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')?.split_once(' ')) {
            let kind = match kind {
                "number" => Kind::Number,
                "choice" => Kind::Choice,
                "order" => Kind::Order,
                "diagnose" => Kind::Diagnose,
                "claim" => Kind::Claim,
                _ => return Err(format!("{id}: there is no kind {kind}")),
            };
            all.push(Question { id, kind, texts: Vec::new(), groups: Vec::new() });
            continue;
        }
        let question = all.last_mut().ok_or(format!("{line}: of no question"))?;
        read(question, line).ok_or(format!("{}: {line}", question.id))?;
    }
    Ok(all)
}

fn read(question: &mut Question, line: &'static str) -> Option<()> {
    let (mark, rest) = line.split_once(' ')?;
    if mark == "?" {
        question.groups.push(Group { heading: rest, choices: Vec::new() });
    } else if let Some(id) = mark.strip_prefix(['+', '-', '#']) {
        let mut parts = rest.split(" :: ");
        let (text, reason, hint) = (parts.next()?, parts.next()?, parts.next().unwrap_or_default());
        if question.groups.is_empty() {
            question.groups.push(Group { heading: "", choices: Vec::new() });
        }
        let choice = Choice { id: id.parse().ok()?, text, reason, hint, right: mark.starts_with('+') };
        question.groups.last_mut()?.choices.push(choice);
    } else {
        question.texts.push(line.split_once(" = ")?);
    }
    Some(())
}
