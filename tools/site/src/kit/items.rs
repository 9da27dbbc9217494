//! What a learning platform is told about: every prediction and question with its kind and its right answer, from the engine.

use memory_wall_app::registry::{DIALS, ROUNDS};
use memory_wall_app::sections::quiz::keys::{Key, keys};
use memory_wall_app::sections::quiz::text::Kind;

use super::json::{list, object, text};

/// One of them.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Its name in what the page keeps: `walk`, `gemm`, `kv_cache.size`.
    pub(super) id: String,
    /// What a platform calls its kind: `numeric`, `fill-in`, `choice`, `sequencing` or `true-false`.
    pub(super) kind: &'static str,
    /// What opens its answer; nothing for a question of the self-check, which is judged by itself.
    opens: Option<&'static str>,
    /// What can be chosen, where it has names.
    options: &'static [&'static str],
    /// The right answers, one for each set of numbers.
    pub(super) right: Vec<String>,
    /// What is asked, in a line, if it has one.
    ask: String,
}

impl Item {
    /// As the package's script reads it.
    pub(super) fn json(&self) -> String {
        let texts = |all: &[&str]| list(all.iter().map(|one| text(one)));
        let right: Vec<&str> = self.right.iter().map(String::as_str).collect();
        let mut fields = vec![("id", text(&self.id)), ("kind", text(self.kind)), ("right", texts(&right))];
        fields.extend(self.opens.map(|opens| ("opens", text(opens))));
        if !self.options.is_empty() {
            fields.push(("options", texts(self.options)));
        }
        if !self.ask.is_empty() {
            fields.push(("ask", text(&self.ask)));
        }
        object(fields)
    }
}

/// All of them: dials, rounds of guesses, questions and claims.
pub(super) fn all() -> Result<Vec<Item>, String> {
    let mut items = Vec::new();
    for dial in DIALS {
        let right = (dial.answer)().ok_or(format!("the dial {} has no answer", dial.id))?;
        items.push(Item {
            id: dial.id.to_owned(),
            kind: "numeric",
            opens: Some(dial.id),
            options: &[],
            // As far as platforms keep numbers.
            right: vec![format!("{right:.3}")],
            ask: (dial.question)().to_owned(),
        });
    }
    for round in ROUNDS {
        for question in round.questions {
            let right = (round.answer)(question).ok_or(format!("{question} has no right option"))?;
            items.push(Item {
                id: (*question).to_owned(),
                kind: "choice",
                opens: Some(round.id),
                options: round.options,
                right: vec![right.to_owned()],
                ask: String::new(),
            });
        }
    }
    items.extend(keys()?.into_iter().map(asked));
    Ok(items)
}

fn asked(Key { id, kind, ask, right }: Key) -> Item {
    let kind = match kind {
        // A number with its unit.
        Kind::Number => "fill-in",
        Kind::Choice | Kind::Diagnose => "choice",
        Kind::Order => "sequencing",
        Kind::Claim => "true-false",
    };
    Item { id: id.to_owned(), kind, opens: None, options: &[], right, ask }
}
