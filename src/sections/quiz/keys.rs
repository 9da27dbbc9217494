//! What is right, question by question, in the words in which the page keeps answers: for learning platforms that are told of them.

use super::numbers::unit;
use super::text::{Kind, questions};
use super::{Asked, bank};
use crate::quiz::number::{Unit, read};

/// A question with its right answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Section and name: `kv_cache.size`.
    pub id: &'static str,
    /// How it is answered.
    pub kind: Kind,
    /// What is asked, in a line.
    pub ask: String,
    /// The right answer for each set of numbers; one where there are none.
    pub right: Vec<String>,
}

/// Every question of the self-check and every claim, in the order of the file.
///
/// # Errors
///
/// The line of `quiz.txt` that cannot be read.
pub fn keys() -> Result<Vec<Key>, String> {
    Ok(questions()?.into_iter().map(Asked::of).map(|asked| key(&asked)).collect())
}

fn key(asked: &Asked) -> Key {
    let question = &asked.question;
    let (title, claim) = (asked.text("title"), if question.text("true").is_some() { "true" } else { "false" });
    let right = if let Some(answer) = asked.answer() {
        vec![answer]
    } else {
        let [prefix, names, shown] = unit(question.id);
        let one = read("1", Unit { prefix, names }, false).unwrap_or(1.0);
        asked.variants.iter().map(|variant| format!("{} {shown}", bank::rounded(variant.answer / one))).collect()
    };
    Key { id: question.id, kind: question.kind, ask: if title.is_empty() { asked.text(claim) } else { title }, right }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quiz::book::VARIANTS;

    #[test]
    fn every_question_has_an_answer_for_each_of_its_sets_of_numbers() {
        let keys = keys().unwrap();
        assert_eq!(keys.len(), questions().unwrap().len());
        for Key { id, kind, ask, right } in &keys {
            let wanted = if *kind == Kind::Number { VARIANTS as usize } else { 1 };
            assert_eq!(right.len(), wanted, "{id}");
            assert!(!ask.is_empty() && right.iter().all(|right| !right.is_empty()), "{id}");
        }
        let of = |id: &str| keys.iter().find(|key| key.id == id).unwrap().right.clone();
        assert_eq!(of("oom.backward"), ["0 2 6"]);
        assert_eq!(of("kv_cache.size")[0], "137.44 GB");
        assert_eq!(of("claims.kv13"), ["false"]);
    }
}
