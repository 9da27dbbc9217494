//! Section 12: questions with their reasons, claims with their verdicts, and how the reader stands.
//!
//! All of it is drawn here, with every set of numbers, every answer and every known slip; the program in the browser
//! shows one set, reads what is typed or chosen, and compares it with what stands in the page (`src/browser/quiz.rs`).

pub mod bank;
mod caches;
mod claims;
pub mod facts;
mod fields;
pub mod keys;
pub mod numbers;
mod place;
mod runs;
pub(super) mod served;
pub mod text;
mod trained;
pub(super) mod written;

use leptos::prelude::*;

use super::masonry::kept_unit;
use crate::figures::bound_of;
use crate::quiz::book::VARIANTS;
use crate::quiz::shuffle::rank;
use crate::quiz::{Binding, Model};
use crate::words;
use numbers::{Values, Variant, unit};
use text::{Choice, Group, Kind, Question};

/// What follows the answers, of a question, of an option of one, or of a section.
fn about(binding: Binding, of: &str) -> String {
    bound_of::<Model>(binding, of)
}

/// `{name}` replaced by its value; a name without one stays, and a test finds it.
fn put(text: &str, values: &[(&'static str, String)]) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}

/// The questions of the file; the claims are asked apart from the others.
fn all(claims: bool) -> Vec<Question> {
    let all = text::questions().unwrap_or_default();
    all.into_iter().filter(|question| (question.kind == Kind::Claim) == claims).collect()
}

/// A question with its numbers.
struct Asked {
    question: Question,
    values: Values,
    variants: Vec<Variant>,
}

impl Asked {
    fn of(question: Question) -> Self {
        let values = facts::facts(question.id).unwrap_or_default();
        let mut variants = numbers::variants(question.id);
        variants.truncate(VARIANTS as usize);
        Self { question, values, variants }
    }

    fn text(&self, key: &str) -> String {
        put(self.question.text(key).unwrap_or_default(), &self.values)
    }

    /// A text once for each set of numbers, of which one is shown.
    fn each(&self, key: &str) -> Vec<(usize, String)> {
        let text = self.question.text(key).unwrap_or_default();
        self.variants.iter().enumerate().map(|(place, variant)| (place, put(text, &variant.values))).collect()
    }

    /// The right answer, as the browser compares it: the names of what is right, in the order in which they are asked.
    fn answer(&self) -> Option<String> {
        let words: Vec<String> = match self.question.kind {
            Kind::Number => return None,
            Kind::Claim => vec![self.question.text("true").is_some().to_string()],
            Kind::Order => parts(&self.question).map(|part| part.id.to_string()).collect(),
            Kind::Choice | Kind::Diagnose => {
                let choices = self.question.groups.iter().flat_map(|group| &group.choices);
                choices.filter(|choice| choice.right).map(|choice| choice.id.to_string()).collect()
            }
        };
        Some(words.join(" "))
    }
}

/// The parts of an order, from first to last.
fn parts(question: &Question) -> impl Iterator<Item = &Choice> {
    question.groups.iter().flat_map(|group| &group.choices)
}

/// Whether the options stand in another order at each attempt. Those of a picture are its letters, and parts are put in order.
fn is_shuffled(question: &Question) -> bool {
    matches!(question.kind, Kind::Choice | Kind::Diagnose) && question.text("picture").is_none()
}

/// Options in the order of the first attempt.
fn shuffled<'a>(question: &Question, group: &'a Group) -> Vec<&'a Choice> {
    let mut choices: Vec<&Choice> = group.choices.iter().collect();
    if is_shuffled(question) {
        choices.sort_by_key(|choice| rank(question.id, 0, choice.id));
    }
    choices
}

/// The attempt in whose order options stand.
fn attempt(question: &Question) -> Option<String> {
    let id = question.id;
    is_shuffled(question).then(|| about(Binding::Variant, id))
}

/// A number as the browser reads it from the page, in five digits: [`TOLERANCE`](crate::quiz::number::TOLERANCE) is two percent.
fn plain(number: f64) -> String {
    // What was just written is read again.
    let rounded: f64 = format!("{number:.4e}").parse().unwrap_or(number);
    format!("{rounded:e}")
}

/// The reasons of the options, the right ones marked, and the reader's own.
fn reasons(asked: &Asked, group: &Group) -> AnyView {
    let id = asked.question.id;
    let is_order = asked.question.kind == Kind::Order;
    let rows = shuffled(&asked.question, group)
        .into_iter()
        .enumerate()
        .map(|(place, choice)| {
            let yours = (!is_order).then(|| {
                let other = about(Binding::Other, &format!("{}.{id}", choice.id));
                view! { <span class="yours" hidden=other>{words::sort_yours()}</span> }
            });
            let right = choice.right.then(|| view! { <span class="right">{words::quiz_is()}</span> });
            let number = if is_order { format!("{}. ", place + 1) } else { String::new() };
            view! {
                <div class="reason" data-right=choice.right.then_some("") data-option=choice.id.to_string()>
                    <dt>{number} {put(choice.text, &asked.values)} {right} {yours}</dt>
                    <dd>{put(choice.reason, &asked.values)}</dd>
                </div>
            }
        })
        .collect_view();
    let heading = (!group.heading.is_empty()).then(|| view! { <p class="group">{group.heading}</p> });
    view! {
        {heading}
        <dl class="reasons" data-attempt=attempt(&asked.question)>{rows}</dl>
    }
    .into_any()
}

/// What the reader is told after a first wrong try, by what was wrong with it; `-` is for anything that nothing else is for.
fn hints(asked: &Asked) -> Vec<(String, String)> {
    let question = &asked.question;
    let slips = question.slips().map(|(slip, text)| (slip.to_string(), text));
    let choices = question.groups.iter().flat_map(|group| &group.choices).filter(|choice| !choice.hint.is_empty());
    let options = choices.map(|choice| (choice.id.to_string(), choice.hint));
    let other = question.text("hint").map(|text| ("-".to_string(), text));
    slips.chain(options).chain(other).map(|(wrong, text)| (wrong, put(text, &asked.values))).collect()
}

/// What is behind the answer: the working for each set of numbers and what the slips were, or the reasons of the options.
fn answer(asked: &Asked) -> AnyView {
    let question = &asked.question;
    if question.kind == Kind::Number {
        let worked = asked
            .each("worked")
            .into_iter()
            .map(|(place, text)| view! { <p class="working" data-v=place.to_string()>{text}</p> })
            .collect_view();
        let slips = question
            .slips()
            .map(|(slip, text)| {
                let hit = about(Binding::Slip, &format!("{slip}.{}", question.id));
                view! { <li data-hit=hit>{text}</li> }
            })
            .collect_view();
        return view! {
            {worked}
            <p class="group">{words::quiz_slips()}</p>
            <ul class="slips">{slips}</ul>
        }
        .into_any();
    }
    question.groups.iter().map(|group| reasons(asked, group)).collect_view().into_any()
}

fn question(asked: &Asked) -> AnyView {
    let Asked { question, variants, .. } = asked;
    let id = question.id;
    let [prefix, names, _] = unit(id);
    let is_number = question.kind == Kind::Number;
    let ask = if is_number {
        let lines = asked.each("ask").into_iter().zip(variants).map(|((place, text), variant)| {
            let slips: Vec<String> =
                variant.slips.iter().map(|(slip, value)| format!("{slip}={}", plain(*value))).collect();
            view! {
                <p class="ask" data-v=place.to_string() data-answer=plain(variant.answer) data-slips=slips.join(" ")>
                    {text}
                </p>
            }
        });
        lines.collect_view().into_any()
    } else {
        view! { <p class="ask" id=format!("quiz-{id}-ask")>{asked.text("ask")}</p> }.into_any()
    };
    let picture = question.text("picture").map(|_| place::picture());
    let hints = hints(asked).into_iter().map(|(wrong, text)| {
        let hidden = about(Binding::Unhinted, &format!("{wrong}.{id}"));
        view! { <p hidden=hidden>{text}</p> }
    });
    view! {
        <li
            class="question"
            id=format!("quiz-{id}")
            data-quiz=id
            data-state=about(Binding::State, id)
            data-variant=about(Binding::Variant, id)
            data-answer=asked.answer()
            data-prefix=is_number.then_some(prefix)
            data-names=is_number.then_some(names)
        >
            <p class="of">{words::section_title(question.section()).to_owned()}</p>
            <h3 id=format!("quiz-{id}-title")>{question.text("title").unwrap_or_default()}</h3>
            {ask}
            {picture}
            {fields::fields(asked)}
            <div class="reveal">
                <button type="button" class="plain-button check" data-act=format!("quiz {id}") aria-describedby=format!("quiz-{id}-title")>
                    {about(Binding::Check, id)}
                </button>
                <span class="quiz-said">{about(Binding::Said, id)}</span>
                <span class="field-error" role="status"></span>
            </div>
            <div class="hints" aria-live="polite">{hints.collect_view()}</div>
            <details class="solution" open=about(Binding::Done, id)>
                <summary>{words::quiz_answer()} <span class="visually-hidden">": " {question.text("title").unwrap_or_default()}</span></summary>
                {answer(asked)}
            </details>
        </li>
    }
    .into_any()
}

/// Sections in the order of the page, with the claims last.
#[rustfmt::skip]
pub(crate) const SECTIONS: [&str; 15] =
    ["buckets", "layer", "kv_cache", "hierarchy", "roofline", "server", "training", "oom", "ladder", "parallel", "scaling", "time", "profile", "coping", "claims"];

/// How the reader stands: what is due, right answers by section, and progress as a file.
fn standing() -> AnyView {
    let row = |section: &'static str, name: String| {
        let label = words::QuizForgetOf { section: &name }.text();
        let title = if crate::registry::SECTIONS.contains(&section) {
            view! { <a href=format!("#{section}")>{name}</a> }.into_any()
        } else {
            name.into_any()
        };
        view! {
            <tr>
                <th scope="row">{title}</th>
                <td class="numeric">{about(Binding::Score, section)}</td>
                <td>
                    <button type="button" class="plain-button" data-act=format!("forget {section}") aria-label=label>
                        {words::quiz_forget()}
                    </button>
                </td>
            </tr>
        }
        .into_any()
    };
    let rows = SECTIONS
        .into_iter()
        .map(|section| row(section, words::section_title(section).to_owned()))
        .collect_view()
        .into_any();
    let deck = all(false)
        .into_iter()
        .map(|question| {
            let id = question.id;
            view! {
                <li hidden=about(Binding::Rested, id)>
                    <a href=format!("#quiz-{id}")>{question.text("title").unwrap_or_default()}</a>
                </li>
            }
        })
        .collect_view()
        .into_any();
    let table = view! {
        <table>
            <caption>{words::quiz_table()}</caption>
            <thead>
                <tr>
                    <th scope="col">{words::quiz_table_section()}</th>
                    <th scope="col" class="numeric">{words::quiz_table_score()}</th>
                    <th scope="col">{words::quiz_table_forget()}</th>
                </tr>
            </thead>
            <tbody>{rows} {row("", words::quiz_all().into())}</tbody>
        </table>
    }
    .into_any();
    view! {
        <div class="standing">
            <p class="due">{about(Binding::Due, "")}</p>
            <ul class="deck">{deck}</ul>
            <details class="more scores">
                <summary>{words::quiz_title()} ": " {about(Binding::Score, "")}</summary>
                {table}
                {file()}
            </details>
        </div>
    }
    .into_any()
}

/// Progress as a file.
fn file() -> AnyView {
    view! {
        <p class="caption">{words::quiz_file()}</p>
        <div class="reveal">
            <button type="button" class="plain-button" data-act="export ">
                {words::quiz_export()}
            </button>
            <label class="plain-button file">
                {words::quiz_import()} <input type="file" id="quiz-import" class="visually-hidden" accept=".txt,text/plain" />
            </label>
            <span id="quiz-file-said" role="status"></span>
        </div>
    }
    .into_any()
}

/// The questions, the four classic ones first.
pub fn questions() -> AnyView {
    let asked = all(false).into_iter().map(Asked::of).collect::<Vec<_>>();
    view! {
        <div class="quiz">
            {standing()} {kept_unit()}
            <ol class="questions">{asked.iter().map(question).collect_view()}</ol>
        </div>
    }
    .into_any()
}

fn claim(asked: &Asked) -> AnyView {
    let question = &asked.question;
    let id = question.id;
    let truth = if question.text("true").is_some() { "true" } else { "false" };
    let buttons = [("true", words::quiz_claim_true()), ("false", words::quiz_claim_false())]
        .map(|(option, said)| {
            view! {
                <button
                    type="button"
                    class="plain-button"
                    data-act=format!("claim {id} {option}")
                    aria-pressed=about(Binding::Pressed, &format!("{option}.{id}"))
                    aria-describedby=format!("quiz-{id}-ask")
                >
                    {said}
                </button>
            }
        })
        .into_iter()
        .collect_view();
    let verdict = if truth == "true" { words::quiz_claim_is_true() } else { words::quiz_claim_is_false() };
    view! {
        <li
            class="question claim"
            id=format!("quiz-{id}")
            data-quiz=id
            data-state=about(Binding::State, id)
            data-answer=truth
        >
            <p class="ask" id=format!("quiz-{id}-ask")>{asked.text(truth)}</p>
            <div class="reveal">
                {buttons} <span class="quiz-said">{about(Binding::Said, id)}</span>
            </div>
            <details class="solution" open=about(Binding::Done, id)>
                <summary>{words::quiz_verdict()}</summary>
                <p><strong>{verdict}</strong> " " {asked.text("why")}</p>
            </details>
        </li>
    }
    .into_any()
}

/// The claims.
pub fn claims() -> AnyView {
    let asked = all(true).into_iter().map(Asked::of).collect::<Vec<_>>();
    view! { <ol class="questions claims">{asked.iter().map(claim).collect_view()}</ol> }.into_any()
}

/// The head of the answers, on paper only: there they stand behind all questions, see `style/print.css`.
pub fn key() -> AnyView {
    view! { <p class="figure-title">{words::quiz_key()}</p> }.into_any()
}

#[cfg(test)]
mod recomputed;
#[cfg(test)]
mod tests;
