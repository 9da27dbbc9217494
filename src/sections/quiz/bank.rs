//! The questions as plain data, for the question banks of learning platforms: every text with its numbers in it, a question for
//! each set of numbers, and one kind of answer for each question.

use memory_wall_core::display::THIN_SPACE;

use super::numbers::unit;
use super::text::{Choice, Group, Kind, questions};
use super::{Asked, SECTIONS, place, put};
use crate::figures::number as figure;
use crate::quiz::number::{TOLERANCE, Unit, read};
use crate::words;

/// A question with its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Its name in the quiz, and behind a hyphen which set of numbers or which part it is: `kv_cache.size-1`.
    pub id: String,
    /// The section that teaches what is asked.
    pub section: &'static str,
    /// The title of the question in the quiz, which all its sets of numbers share; nothing for a question that is asked once.
    pub family: Option<String>,
    /// A title of its own.
    pub title: String,
    /// What is asked.
    pub ask: String,
    /// What is right and what is not.
    pub answer: Answer,
    /// Help for those who are on the wrong track, if it fits every wrong answer.
    pub hint: Option<String>,
    /// Why the answer is right; a line for each part of an order.
    pub explanation: String,
}

/// How a question is answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// With the one right option.
    One(Vec<Choosable>),
    /// With all right options, of which there are several.
    Several(Vec<Choosable>),
    /// With a number.
    Number(Number),
    /// By saying whether what is asked holds.
    Claim {
        /// Whether it does.
        holds: bool,
        /// How the two answers are called, first the one that it holds.
        called: [&'static str; 2],
        /// The verdict as a sentence.
        verdict: &'static str,
    },
    /// By putting parts in order; here they stand from first to last, each with its place in words.
    Order(Vec<[String; 2]>),
}

/// An option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choosable {
    /// Its words.
    pub text: String,
    /// Why it is wrong; nothing for a right one.
    pub wrong: Option<String>,
}

/// A number that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// The answer, in the unit.
    pub value: f64,
    /// The unit that the question asks in: `GB`.
    pub unit: &'static str,
    /// Numbers that known slips give, in the unit, each with what the slip is.
    pub slips: Vec<(f64, String)>,
}

/// A wrong answer that the quiz knows, with what it says to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The title of the question.
    pub title: String,
    /// What was chosen; or the number that a slip gives, and the right one, both with their unit.
    pub given: Given,
    /// Why it is wrong.
    pub why: String,
}

/// What was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// An option in its words.
    Option(String),
    /// A number, and the one that would be right.
    Number([String; 2]),
}

/// A wrong answer by its question and the option's number or the slip's name: `hierarchy.latency` and `2`.
///
/// # Errors
///
/// The line of `quiz.txt` that cannot be read.
pub fn mistake(question: &str, wrong: &str) -> Result<Option<Mistake>, String> {
    let known = questions()?.into_iter().find(|known| known.id == question);
    Ok(known.and_then(|known| of(&Asked::of(known), wrong)))
}

fn of(asked: &Asked, wrong: &str) -> Option<Mistake> {
    let question = &asked.question;
    let title = asked.text("title");
    if question.kind == Kind::Number {
        let variant = asked.variants.iter().find(|variant| variant.slips.iter().any(|(slip, _)| *slip == wrong))?;
        let (_, value) = variant.slips.iter().find(|(slip, _)| *slip == wrong)?;
        let [prefix, names, shown] = unit(question.id);
        let one = read("1", Unit { prefix, names }, false)?;
        let given = [*value, variant.answer].map(|value| format!("{}{THIN_SPACE}{shown}", figure(value / one)));
        let why = put(question.text(&format!("slip.{wrong}"))?, &variant.values);
        return Some(Mistake { title, given: Given::Number(given), why });
    }
    let mut choices = super::parts(question);
    let choice = choices.find(|choice| !choice.right && choice.id.to_string() == wrong)?;
    let [given, why] = [choice.text, choice.reason].map(|text| put(text, &asked.values));
    Some(Mistake { title, given: Given::Option(given), why })
}

/// How far a number may be from one that is known, up or down.
pub fn tolerance(value: f64) -> f64 {
    rounded(value.abs() * (TOLERANCE - 1.0))
}

/// A number in five digits, as the page has it: the tolerance is two percent.
pub(super) fn rounded(number: f64) -> f64 {
    // What was just written is read again.
    format!("{number:.4e}").parse().unwrap_or(number)
}

/// All questions by their sections, in the order of the page; the first line of the file that is none of a question is named.
///
/// A question about causes and a fix becomes two, one for each list of options. Hints for single options are left out:
/// learning platforms have hints for whole questions only.
///
/// # Errors
///
/// The line of `quiz.txt` that cannot be read.
pub fn items() -> Result<Vec<Item>, String> {
    let mut items = Vec::new();
    let mut claims = 0;
    for question in questions()? {
        let asked = Asked::of(question);
        match asked.question.kind {
            Kind::Number => items.extend(numbers(&asked)),
            Kind::Claim => {
                claims += 1;
                items.push(claim(&asked, claims));
            }
            Kind::Order => items.push(order(&asked)),
            Kind::Choice | Kind::Diagnose => items.extend(choices(&asked)),
        }
    }
    items.sort_by_key(|item| SECTIONS.iter().position(|section| *section == item.section));
    Ok(items)
}

/// A question with what all kinds have in common, and without number.
fn item(asked: &Asked, answer: Answer, explanation: String) -> Item {
    Item {
        id: asked.question.id.to_owned(),
        section: asked.question.section(),
        family: None,
        title: asked.text("title"),
        ask: asked.text("ask"),
        answer,
        hint: asked.question.text("hint").map(|hint| put(hint, &asked.values)),
        explanation,
    }
}

/// The same as one of several.
fn nth(item: Item, place: usize) -> Item {
    let n = (place + 1).to_string();
    Item { id: format!("{}-{n}", item.id), title: words::QuizBankNth { title: &item.title, n: &n }.text(), ..item }
}

/// One question for each set of numbers.
fn numbers(asked: &Asked) -> Vec<Item> {
    let question = &asked.question;
    let [prefix, names, unit] = unit(question.id);
    // What a bare 1 stands for, which is what the prefix makes of it.
    let one = read("1", Unit { prefix, names }, false).unwrap_or(1.0);
    let in_unit = |value: f64| rounded(value / one);
    let how = words::QuizBankUnit { unit }.text();
    let of = |(place, variant): (usize, &super::Variant)| {
        let filled = |key: &str| put(question.text(key).unwrap_or_default(), &variant.values);
        let said = |slip: &str| {
            // On the page the unit can be typed; here the number stands alone.
            if slip == "gib" { words::QuizBankGib { unit }.text() } else { filled(&format!("slip.{slip}")) }
        };
        let slips = variant.slips.iter().map(|(slip, value)| (in_unit(*value), said(slip))).collect();
        let answer = Answer::Number(Number { value: in_unit(variant.answer), unit, slips });
        let item = item(asked, answer, filled("worked"));
        let ask = format!("{} {how}", filled("ask"));
        nth(Item { family: Some(item.title.clone()), ask, ..item }, place)
    };
    asked.variants.iter().enumerate().map(of).collect()
}

fn claim(asked: &Asked, n: usize) -> Item {
    let holds = asked.question.text("true").is_some();
    let verdict = if holds { words::quiz_claim_is_true() } else { words::quiz_claim_is_false() };
    let called = [words::quiz_claim_true(), words::quiz_claim_false()];
    Item {
        title: words::QuizBankClaim { n: &n.to_string() }.text(),
        ask: asked.text(if holds { "true" } else { "false" }),
        ..item(asked, Answer::Claim { holds, called, verdict }, asked.text("why"))
    }
}

fn order(asked: &Asked) -> Item {
    let said = |choice: &Choice| [choice.text, choice.reason].map(|text| put(text, &asked.values));
    let parts: Vec<[String; 2]> = super::parts(&asked.question).map(said).collect();
    let place = |at: usize| words::QuizPlace { n: &(at + 1).to_string() }.text();
    let reasons = parts.iter().enumerate().map(|(at, [part, reason])| format!("{}. {part}: {reason}", at + 1));
    let explanation = reasons.collect::<Vec<_>>().join("\n");
    let placed = parts.into_iter().enumerate().map(|(at, [part, _])| [place(at), part]).collect();
    item(asked, Answer::Order(placed), explanation)
}

/// One question for each list of options.
fn choices(asked: &Asked) -> Vec<Item> {
    let groups = &asked.question.groups;
    let of = |(place, group): (usize, &Group)| {
        let said = |text: &str| put(text, &asked.values);
        let choosable = |choice: &&Choice| Choosable {
            text: said(choice.text),
            wrong: (!choice.right).then(|| said(choice.reason)),
        };
        let options = super::shuffled(&asked.question, group).iter().map(choosable).collect::<Vec<_>>();
        let right: Vec<String> =
            group.choices.iter().filter(|choice| choice.right).map(|choice| said(choice.reason)).collect();
        let answer = if right.len() == 1 { Answer::One(options) } else { Answer::Several(options) };
        let item = item(asked, answer, right.join("\n"));
        if groups.len() > 1 {
            // The hint speaks of both lists.
            return nth(Item { ask: format!("{}\n{}?", item.ask, group.heading), hint: None, ..item }, place);
        }
        if asked.question.text("picture").is_some() {
            return Item { ask: format!("{}\n{}", item.ask, place::in_words()), ..item };
        }
        item
    };
    groups.iter().enumerate().map(of).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::quiz::book::VARIANTS;

    /// How many items a question of the quiz makes.
    fn wanted(asked: &Asked) -> usize {
        if asked.question.kind == Kind::Number { VARIANTS as usize } else { asked.question.groups.len().max(1) }
    }

    #[test]
    fn every_question_is_there_once_for_each_set_of_numbers_and_each_list_of_options() {
        let items = items().unwrap();
        let mut left: BTreeSet<&str> = items.iter().map(|item| item.id.as_str()).collect();
        assert_eq!(left.len(), items.len(), "a name is there twice");
        for asked in questions().unwrap().into_iter().map(Asked::of) {
            let (id, wanted) = (asked.question.id, wanted(&asked));
            for place in 1..=wanted {
                let id = if wanted > 1 { format!("{id}-{place}") } else { id.to_owned() };
                assert!(left.remove(id.as_str()), "{id}");
            }
        }
        assert_eq!(left, BTreeSet::new());
        let places = items.iter().map(|item| SECTIONS.iter().position(|section| *section == item.section).unwrap());
        assert!(places.is_sorted(), "sections are in the order of the page");
        let titles: BTreeSet<(&str, &str)> = items.iter().map(|item| (item.section, item.title.as_str())).collect();
        assert_eq!(titles.len(), items.len(), "two questions of a section have one title");
    }

    #[test]
    fn wrong_answers_are_found_by_their_names() {
        let found = |question, wrong| mistake(question, wrong).unwrap();
        let latency = found("hierarchy.latency", "1").unwrap();
        assert_eq!(latency.given, Given::Option("The wait happens only at the first read".into()));
        assert!(latency.why.starts_with("Every read that misses the caches waits as long."), "{}", latency.why);
        let half = found("buckets.weights", "half").unwrap();
        let thin = THIN_SPACE;
        assert_eq!(half.given, Given::Number([format!("13{thin}GB"), format!("26{thin}GB")]));
        assert!(found("hierarchy.latency", "0").is_none(), "that one is right");
        assert!(found("buckets.weights", "nothing").is_none() && found("nothing", "1").is_none());
    }

    #[test]
    fn every_number_is_put_in() {
        for item in items().unwrap() {
            let mut texts = vec![item.title.clone(), item.ask.clone(), item.explanation.clone()];
            texts.extend(item.hint.clone());
            match &item.answer {
                Answer::One(options) | Answer::Several(options) => {
                    texts.extend(options.iter().map(|option| option.text.clone()));
                    texts.extend(options.iter().filter_map(|option| option.wrong.clone()));
                }
                Answer::Number(number) => texts.extend(number.slips.iter().map(|(_, said)| said.clone())),
                Answer::Claim { called, verdict, .. } => {
                    texts.extend([called[0], called[1], verdict].map(str::to_owned));
                }
                Answer::Order(parts) => texts.extend(parts.iter().flatten().cloned()),
            }
            for text in texts {
                assert!(!text.is_empty() && !text.contains(['{', '}', '<', '>']), "{}: {text:?}", item.id);
            }
        }
    }

    #[test]
    fn what_is_right_is_right_in_the_quiz() {
        let quiz: Vec<Asked> = questions().unwrap().into_iter().map(Asked::of).collect();
        for item in items().unwrap() {
            let name = item.id.split('-').next().unwrap();
            let asked = quiz.iter().find(|asked| asked.question.id == name).unwrap();
            let right = |text: &str| {
                let mut choices = super::super::parts(&asked.question);
                choices.find(|choice| put(choice.text, &asked.values) == text).unwrap().right
            };
            match &item.answer {
                Answer::One(options) | Answer::Several(options) => {
                    let count = options.iter().filter(|option| option.wrong.is_none()).count();
                    assert_eq!(count > 1, matches!(item.answer, Answer::Several(_)), "{}", item.id);
                    assert!(count > 0 && count < options.len(), "{}", item.id);
                    for option in options {
                        assert_eq!(right(&option.text), option.wrong.is_none(), "{}: {}", item.id, option.text);
                    }
                }
                Answer::Number(number) => {
                    let place: usize = item.id.split_once('-').unwrap().1.parse().unwrap();
                    let variant = &asked.variants[place - 1];
                    let [prefix, names, shown] = unit(asked.question.id);
                    assert_eq!(number.unit, shown);
                    let bare = read(&number.value.to_string(), Unit { prefix, names }, false).unwrap();
                    assert!((bare / variant.answer - 1.0).abs() < 1e-4, "{}: {bare}", item.id);
                    assert_eq!(number.slips.len(), variant.slips.len(), "{}", item.id);
                    assert!(tolerance(number.value) > 0.0, "{}", item.id);
                    for (slip, _) in &number.slips {
                        assert!((slip - number.value).abs() > tolerance(number.value), "{}: {slip}", item.id);
                    }
                }
                Answer::Claim { holds, .. } => assert_eq!(asked.answer().unwrap(), holds.to_string(), "{}", item.id),
                Answer::Order(parts) => {
                    let known: Vec<&str> = super::super::parts(&asked.question).map(|part| part.text).collect();
                    assert_eq!(parts.iter().map(|[_, part]| part.as_str()).collect::<Vec<_>>(), known, "{}", item.id);
                }
            }
        }
    }
}
