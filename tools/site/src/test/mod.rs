//! A graded test to be printed: two variants with different numbers, and a key to each with the points that a step earns.

use std::fmt::Write as _;
use std::path::Path;

use memory_wall_app::sections::problems::{PARTS, Problem, Set, problems};
use memory_wall_app::sections::quiz::bank::{self, Answer};

use crate::apart::Script;
use crate::problems::{asked, numbers, sets, worked};
use crate::wording::{Words, escaped};
use crate::{apart, policy};

/// The minutes of the test, each worth a point.
const POINTS: usize = 45;

/// A variant of the test.
#[derive(Clone, Copy)]
enum Variant {
    A,
    B,
}

impl Variant {
    const fn id(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
        }
    }
}

/// Problems with the sets of numbers that each variant may have, the one that everybody sees first in front.
const SOLVED: [(&str, [[usize; 3]; 2]); 4] = [
    ("buckets.bits", [[2, 1, 5], [4, 0, 3]]),
    ("kv_cache.serve", [[1, 5, 3], [2, 4, 0]]),
    ("roofline.batch", [[1, 0, 3], [2, 4, 5]]),
    ("ladder.saves", [[3, 2, 0], [4, 5, 1]]),
];
/// Claims in the order of variant A, which is that of variant B backwards.
const CLAIMS: [&str; 4] = ["claims.flash", "claims.lora", "claims.moe", "claims.exceeds"];
/// Questions for words.
const SAID: [u32; 2] = [1, 2];
/// Shares of all points that the grading scale offers, in percent.
const SHARES: [usize; 6] = [90, 80, 70, 60, 50, 40];

/// The page's parts, by their anchors, in their order.
const SHEETS: [&str; 5] = ["about", "a", "b", "key-a", "key-b"];

/// Room to write one line.
const LINE: &str = "<i class=\"line\"></i>";

/// Writes the page with its style sheet and the script of the problems.
pub(crate) fn build(root: &Path, staging: &Path) -> Result<(), String> {
    let words = Words::read("test.txt")?;
    let content = content(&words, &Words::read("problems.txt")?)?;
    apart::write_page(root, staging, "test", &words, &policy::still(), Script::Late("problems"), &content)
}

/// Everything between header and footer.
fn content(words: &Words, texts: &Words) -> Result<String, String> {
    let [a, b] = [solved(Variant::A)?, solved(Variant::B)?];
    let sum = points(words);
    if sum != POINTS {
        return Err(format!("the steps of the test earn {sum} points"));
    }
    let all = [("points", sum.to_string())];
    let html = apart::content(words, &SHEETS, |id| match id {
        "about" => Ok(words.paragraphs("about", &all) + &numbers(texts)),
        "a" => sheet(words, texts, (Variant::A, &a)),
        "b" => sheet(words, texts, (Variant::B, &b)),
        "key-a" => key(words, texts, (Variant::A, &a)),
        _ => key(words, texts, (Variant::B, &b)),
    })?;
    let named = [(Variant::A, &a), (Variant::B, &b)]
        .map(|(variant, solved)| solved.iter().map(move |problem| (named(variant, problem), problem.sets.as_slice())));
    Ok(html + &sets(named.into_iter().flatten()))
}

/// What the script knows a problem of a variant by.
fn named(variant: Variant, problem: &Problem) -> String {
    format!("{}.{}", variant.id(), problem.id)
}

/// The problems of a variant with its own sets of numbers.
fn solved(variant: Variant) -> Result<Vec<Problem>, String> {
    let all = problems();
    let own = SOLVED.iter().map(|(id, places)| {
        let problem = all.iter().find(|problem| problem.id == *id).ok_or(format!("there is no problem {id}"))?;
        let [first, second] = places;
        let places = match variant {
            Variant::A => first,
            Variant::B => second,
        };
        let sets: Option<Vec<Set>> = places.iter().map(|place| problem.sets.get(*place).cloned()).collect();
        Ok(Problem { id: problem.id, sets: sets.ok_or(format!("{id} has fewer sets of numbers"))? })
    });
    own.collect()
}

/// The steps of an answer, each worth a point.
fn steps(words: &Words, of: &str) -> Vec<String> {
    let keys = (1..).map(|n| format!("step.{of}.{n}")).take_while(|key| words.has(key));
    keys.map(|key| words.prose(&key, &[])).collect()
}

/// The points of a problem.
fn points_of(words: &Words, id: &str) -> usize {
    PARTS.iter().map(|part| steps(words, &format!("{id}.{part}")).len()).sum()
}

/// The points of the four claims, and of the questions for words.
fn points_of_rest(words: &Words) -> [usize; 2] {
    let said = SAID.iter().map(|n| steps(words, &format!("say.{n}")).len()).sum();
    [CLAIMS.len() * steps(words, "claim").len(), said]
}

/// All points.
fn points(words: &Words) -> usize {
    let solved: usize = SOLVED.iter().map(|(id, _)| points_of(words, id)).sum();
    solved + points_of_rest(words).into_iter().sum::<usize>()
}

/// Points in words, at the end of a line.
fn worth(words: &Words, points: usize) -> String {
    let key = if points == 1 { "points.one" } else { "points" };
    format!(" <span class=\"points\">{}</span>", words.say_with(key, &[("points", points.to_string())]))
}

/// The title of a question, numbered, with its points.
fn headed(words: &Words, n: usize, title: &str, points: usize) -> String {
    format!("<h3>{n}. {title}{}</h3>", worth(words, points))
}

/// What a problem is called.
fn title(texts: &Words, problem: &Problem) -> String {
    texts.say(&format!("part.{}", problem.section()))
}

/// The sheet that students get.
fn sheet(words: &Words, texts: &Words, (variant, solved): (Variant, &[Problem])) -> Result<String, String> {
    let who = ["name", "date"].map(|key| format!("<span>{}</span>{LINE}", words.say(key))).concat();
    let reached = words.say_with("reached", &[("points", points(words).to_string())]);
    let mut out = format!("<div class=\"who\">{who}<span>{reached}</span>{LINE}</div><p>{}</p>", words.say("rules"));
    for (place, problem) in solved.iter().enumerate() {
        let room = |part: &str| worth(words, steps(words, &format!("{}.{part}", problem.id)).len()) + &LINE.repeat(2);
        // Writing into a string does not fail.
        let _ = write!(
            out,
            "<article class=\"problem\" data-problem=\"{}\">{}{}</article>",
            named(variant, problem),
            headed(words, place + 1, &title(texts, problem), points_of(words, problem.id)),
            asked(texts, problem, room)?
        );
    }
    let [claims, said] = points_of_rest(words);
    let next = solved.len() + 1;
    let _ = write!(
        out,
        "<article>{}<p>{}</p>{}</article><article>{}<ol type=\"a\">",
        headed(words, next, &words.say("part.claims"), claims),
        words.say("claims.ask"),
        claimed(words, variant, false)?,
        headed(words, next + 1, &words.say("part.say"), said)
    );
    for n in SAID {
        let worth = worth(words, steps(words, &format!("say.{n}")).len());
        let _ = write!(out, "<li>{}{worth}{}</li>", words.say(&format!("say.{n}")), LINE.repeat(4));
    }
    Ok(format!("{out}</ol></article><p class=\"licence\">{}</p>", words.say("licence")))
}

/// The claims, to be marked or with their verdicts.
fn claimed(words: &Words, variant: Variant, with_verdict: bool) -> Result<String, String> {
    let items = bank::items()?;
    let mut ids = CLAIMS;
    if matches!(variant, Variant::B) {
        ids.reverse();
    }
    let mut out = String::from("<ol type=\"a\">");
    for id in ids {
        let item = items.iter().find(|item| item.id == id).ok_or(format!("there is no claim {id}"))?;
        let Answer::Claim { verdict, .. } = item.answer else { return Err(format!("{id} is no claim")) };
        let _ = if with_verdict {
            write!(out, "<li><b>{}</b> {}</li>", escaped(verdict), escaped(&item.explanation))
        } else {
            let [yes, no] = ["true", "false"].map(|key| words.say(&format!("claims.{key}")));
            write!(
                out,
                "<li>{}<p class=\"marks\"><span>{yes}</span> <span>{no}</span></p>{}</li>",
                escaped(&item.ask),
                LINE
            )
        };
    }
    Ok(out + "</ol>")
}

/// Steps as a list, a point each.
fn list(steps: &[String]) -> String {
    let items = steps.iter().fold(String::new(), |all, step| all + &format!("<li>{step}</li>"));
    format!("<ul class=\"steps\">{items}</ul>")
}

/// The answers of a variant with the points that each step earns, and the grading scale.
fn key(words: &Words, texts: &Words, (variant, solved): (Variant, &[Problem])) -> Result<String, String> {
    let mut out = words.paragraphs("key.rules", &[]);
    for (place, problem) in solved.iter().enumerate() {
        let earned = |part: &str| list(&steps(words, &format!("{}.{part}", problem.id)));
        let _ = write!(
            out,
            "<div data-problem=\"{}\">{}{}</div>",
            named(variant, problem),
            headed(words, place + 1, &title(texts, problem), points_of(words, problem.id)),
            worked(texts, problem, earned)?
        );
    }
    let [claims, said] = points_of_rest(words);
    let next = solved.len() + 1;
    let _ = write!(
        out,
        "<div>{}{}{}</div><div>{}<ol type=\"a\">",
        headed(words, next, &words.say("part.claims"), claims),
        list(&steps(words, "claim")),
        claimed(words, variant, true)?,
        headed(words, next + 1, &words.say("part.say"), said)
    );
    for n in SAID {
        let earned = list(&steps(words, &format!("say.{n}")));
        let _ = write!(out, "<li>{}{earned}</li>", words.say(&format!("key.say.{n}")));
    }
    Ok(format!("{out}</ol></div>{}", scale(words)))
}

/// The grading scale: points for shares of all of them, and room for the grades. It is narrow enough for a phone.
fn scale(words: &Words) -> String {
    let all = points(words);
    let row = |key: &str, cells: String| {
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>", words.say(&format!("grade.{key}")))
    };
    let shares = SHARES.map(|share| format!("<th scope=\"col\" class=\"numeric\">{share}%</th>"));
    let enough = SHARES.map(|share| format!("<td class=\"numeric\">{}</td>", (all * share).div_ceil(100)));
    format!(
        "<table class=\"grades\"><caption>{}</caption><thead>{}</thead><tbody>{}{}</tbody></table>",
        words.say("grade"),
        row("share", shares.concat()),
        row("points", enough.concat()),
        row("grade", "<td></td>".repeat(SHARES.len()))
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::wording::MISSING;

    fn page() -> (Words, String) {
        let words = Words::read("test.txt").unwrap();
        let html = content(&words, &Words::read("problems.txt").unwrap()).unwrap();
        (words, html)
    }

    #[test]
    fn the_test_says_all_its_words_and_has_a_point_for_each_minute() {
        let (words, html) = page();
        let _ = apart::headed(&apart::root(), "test", &words).unwrap();
        assert_eq!(words.left(), Vec::<&String>::new(), "words that nobody says");
        assert!(!html.contains(MISSING) && !html.contains("{{"), "words are missing");
        assert_eq!(points(&words), POINTS);
        for (id, _) in SOLVED {
            for part in PARTS {
                assert!(!steps(&words, &format!("{id}.{part}")).is_empty(), "{id}.{part} earns nothing");
            }
        }
        // Each sheet and each key count to the same.
        for part in ["a", "b", "key-a", "key-b"] {
            let section = html.split(&format!("<section id=\"{part}\"")).nth(1).unwrap();
            let section = section.split("</section>").next().unwrap();
            let heads = section.split("<h3>").skip(1).map(|rest| rest.split("</h3>").next().unwrap());
            let counted: usize = heads
                .map(|head| head.split("class=\"points\">").nth(1).unwrap().split(' ').next().unwrap().parse::<usize>())
                .sum::<Result<usize, _>>()
                .unwrap();
            assert_eq!(counted, POINTS, "{part}");
        }
    }

    #[test]
    fn answers_stand_in_the_keys_alone() {
        let (_, html) = page();
        let (sheets, keys) = html.split_once("<section id=\"key-a\"").unwrap();
        assert!(!sheets.contains("<b data-n=\""), "an answer stands on a sheet");
        let keys = keys.split("<script").next().unwrap();
        for (id, _) in SOLVED {
            for variant in ["a", "b"] {
                let name = format!("data-problem=\"{variant}.{id}\"");
                assert_eq!([sheets, keys].map(|part| part.matches(&name).count()), [1, 1], "{name}");
            }
        }
        let (a, b) = keys.split_once("<section id=\"key-b\"").unwrap();
        let [of_a, of_b] = [a, b].map(|key| key.matches("<b data-n=\"").count());
        assert!(of_a == of_b && of_a >= SOLVED.len(), "{of_a} and {of_b} answers");
        assert_eq!(html.matches("class=\"licence\"").count(), 2);
        assert!(html.contains("CC BY 4.0"));
    }

    /// Whatever numbers are asked for, no part of A has the answer of the same part of B, and no set is on both sheets.
    #[test]
    fn the_variants_never_have_the_same_numbers() {
        let [a, b] = [Variant::A, Variant::B].map(|variant| solved(variant).unwrap());
        for (one, other) in a.iter().zip(&b) {
            for (left, right) in one.sets.iter().flat_map(|left| other.sets.iter().map(move |right| (left, right))) {
                for ((part, x), y) in PARTS.iter().zip(&left.answers).zip(&right.answers) {
                    assert!((x / y - 1.0).abs() > 0.01, "{} {part}: {x} and {y}", one.id);
                }
            }
        }
        for (id, places) in SOLVED {
            assert_eq!(places.concat().iter().collect::<BTreeSet<_>>().len(), 6, "{id}");
        }
    }
}
