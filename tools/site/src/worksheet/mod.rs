//! A worksheet to be printed, with its key on sheets of its own: guesses, problems, claims and two questions for words.

use std::fmt::Write as _;
use std::path::Path;

use memory_wall_app::dials::Dial;
use memory_wall_app::figures::number as short;
use memory_wall_app::sections::problems::{Problem, problems};
use memory_wall_app::sections::quiz::bank::{self, Answer};

use crate::apart::Script;
use crate::problems::{asked, by_id, nothing, numbers, sets, worked};
use crate::wording::{Words, escaped};
use crate::{apart, directives, policy};

/// Numbers that are guessed.
const GUESSES: [&str; 4] = ["walk", "users", "states", "hours"];
/// Problems that are solved, with the numbers of the page of problems.
const SOLVED: [&str; 3] = ["opening.fit", "kv_cache.serve", "roofline.batch"];
/// Claims that are marked.
const CLAIMS: [&str; 5] = ["claims.quadratic", "claims.token", "claims.latency", "claims.adam", "claims.pages"];
/// Questions for words.
const SAID: [u32; 2] = [1, 2];

/// The page's parts, by their anchors, in their order.
const PARTS: [&str; 5] = ["guess", "compute", "claims", "say", "key"];

/// Room to write one line.
const LINE: &str = "<i class=\"line\"></i>";

/// Writes the page with its style sheet and the script of the problems.
pub(crate) fn build(root: &Path, staging: &Path) -> Result<(), String> {
    let words = Words::read("worksheet.txt")?;
    let content = content(&words, &Words::read("problems.txt")?)?;
    apart::write_page(root, staging, "worksheet", &words, &policy::still(), Script::Late("problems"), &content)
}

/// Everything between header and footer.
fn content(words: &Words, texts: &Words) -> Result<String, String> {
    let solved = SOLVED
        .iter()
        .map(|id| problems().into_iter().find(|problem| problem.id == *id).ok_or(format!("there is no problem {id}")))
        .collect::<Result<Vec<_>, _>>()?;
    let html = apart::content(words, &PARTS, |id| {
        Ok(match id {
            "guess" => guesses(words, false)?,
            "compute" => {
                solved.iter().map(|problem| problem_of(texts, problem)).collect::<Result<Vec<_>, _>>()?.concat()
            }
            "claims" => claims(words, false)?,
            "say" => SAID.map(|n| format!("<p>{}</p>{}", words.say(&format!("say.{n}")), LINE.repeat(3))).concat(),
            _ => key(words, texts, &solved)?,
        })
    })?;
    let who = ["name", "date"].map(|key| format!("<span>{}</span>{LINE}", words.say(key))).concat();
    directives::still(&format!(
        "<div class=\"section\"><div class=\"who\">{who}</div><div>{}</div></div>{html}{}",
        numbers(texts),
        sets(by_id(&solved))
    ))
}

fn problem_of(texts: &Words, problem: &Problem) -> Result<String, String> {
    Ok(format!(
        "<article class=\"problem\" data-problem=\"{}\"><h3>{}</h3>{}</article>",
        problem.id,
        texts.say(&format!("part.{}", problem.section())),
        asked(texts, problem, |_| LINE.repeat(2))?
    ))
}

/// The numbers to be guessed, or the same with their answers.
fn guesses(words: &Words, with_answers: bool) -> Result<String, String> {
    let column = if with_answers { "guess.answer" } else { "guess.yours" };
    let mut out = format!(
        "<div class=\"table-scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{0}\"><table class=\"guesses\"><thead><tr><th scope=\"col\">{0}</th><th scope=\"col\">{1}</th></tr></thead><tbody>",
        words.say("guess.question"),
        words.say(column),
    );
    for id in GUESSES {
        let dial = Dial::by_id(id).ok_or(format!("there is no dial {id}"))?;
        let right = (dial.answer)().ok_or(format!("the dial {id} has no answer"))?;
        let unit = escaped((dial.unit)());
        let number = if with_answers { short(right) } else { String::new() };
        // Writing into a string does not fail.
        let _ = write!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{number} {unit}</td></tr>",
            words.say(&format!("guess.{id}"))
        );
    }
    Ok(out + "</tbody></table></div>")
}

/// The claims, to be marked or with their verdicts.
fn claims(words: &Words, with_verdict: bool) -> Result<String, String> {
    let items = bank::items()?;
    let mut out = String::from("<ol>");
    for id in CLAIMS {
        let item = items.iter().find(|item| item.id == id).ok_or(format!("there is no claim {id}"))?;
        let Answer::Claim { verdict, .. } = item.answer else { return Err(format!("{id} is no claim")) };
        let ask = escaped(&item.ask);
        let _ = if with_verdict {
            write!(out, "<li>{ask} <b>{}</b> {}</li>", escaped(verdict), escaped(&item.explanation))
        } else {
            let [yes, no] = ["true", "false"].map(|key| words.say(&format!("claims.{key}")));
            write!(
                out,
                "<li>{ask}<p class=\"marks\"><span>{yes}</span> <span>{no}</span></p><p class=\"why\">{}{LINE}</p></li>",
                words.say("claims.why")
            )
        };
    }
    Ok(out + "</ol>")
}

/// All answers.
fn key(words: &Words, texts: &Words, solved: &[Problem]) -> Result<String, String> {
    let title = |part: &str| format!("<h3>{}</h3>", words.say(&format!("part.{part}")));
    let mut out = title("guess") + &guesses(words, true)? + &title("compute");
    for problem in solved {
        let _ = write!(
            out,
            "<div data-problem=\"{}\"><h4>{}</h4>{}</div>",
            problem.id,
            texts.say(&format!("part.{}", problem.section())),
            worked(texts, problem, nothing)?
        );
    }
    let said = SAID.map(|n| format!("<li>{}</li>", words.say(&format!("key.say.{n}")))).concat();
    Ok(out + &title("claims") + &claims(words, true)? + &title("say") + &format!("<ol>{said}</ol>"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wording::MISSING;

    #[test]
    fn the_sheet_says_all_its_words_and_keeps_its_answers_for_the_key() {
        let words = Words::read("worksheet.txt").unwrap();
        let html = content(&words, &Words::read("problems.txt").unwrap()).unwrap();
        let _ = apart::headed(&apart::root(), "worksheet", &words).unwrap();
        assert_eq!(words.left(), Vec::<&String>::new(), "words that nobody says");
        assert!(!html.contains(MISSING), "words are missing");
        let (sheet, key) = html.split_once("<section id=\"key\"").unwrap();
        let walk = short((Dial::by_id("walk").unwrap().answer)().unwrap());
        assert!(key.contains(&walk) && !sheet.contains(&format!("<td>{walk}")), "{walk}");
        for id in SOLVED {
            assert_eq!(html.matches(&format!("data-problem=\"{id}\"")).count(), 2, "{id}");
        }
        assert!(!sheet.contains("data-n=\"a\""), "an answer stands on the sheet");
        assert!(key.matches("data-n=\"c\"").count() >= SOLVED.len());
    }
}
