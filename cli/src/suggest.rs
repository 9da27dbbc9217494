//! What somebody may have meant.

/// More than this many suggestions are no help.
const MOST: usize = 4;
/// Longer input is no misspelt name.
const LONGEST: usize = 64;

/// The names closest to `given`, best first: those that contain it or are contained in it, and those few letters away.
pub(crate) fn nearest<'a>(given: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let plain = |name: &str| name.to_lowercase().replace([' ', '_'], "-");
    let given = plain(given);
    if given.is_empty() || given.len() > LONGEST {
        return Vec::new();
    }
    let far = (given.chars().count() / 4).max(1);
    let contained = |name: &str| given.len() > 1 && (name.contains(&given) || given.contains(name));
    // What contains the word goes before what is spelt nearly so.
    let mut scored: Vec<((usize, bool), &str)> = names
        .filter_map(|name| {
            let (word, part) = (plain(name), contained(&plain(name)));
            let away = if part { usize::from(word != given) } else { strsim::levenshtein(&given, &word) };
            // A name of which no letter is left is another one.
            (away <= far && (part || away < word.chars().count())).then_some(((away, !word.contains(&given)), name))
        })
        .collect();
    scored.sort_by_key(|(away, _)| *away);
    // The same word, spelt otherwise, is meant alone.
    if scored.first().is_some_and(|((distance, _), _)| *distance == 0) {
        scored.truncate(1);
    }
    scored.into_iter().map(|(_, name)| name).take(MOST).collect()
}

/// `, did you mean a, b or c?`, or nothing.
pub(crate) fn did_you_mean(names: &[&str]) -> String {
    if names.is_empty() { String::new() } else { format!(", did you mean {}?", either(names)) }
}

/// `a, b or c`.
pub(crate) fn either(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).into(),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_slips_are_found() {
        let names = ["llama-2-7b", "llama-2-70b", "gpt2-small", "gpt2-xl"];
        assert_eq!(nearest("gpt2", names.into_iter()), ["gpt2-small", "gpt2-xl"]);
        assert_eq!(nearest("meta-llama/Llama-2-7b-hf", names.into_iter()), ["llama-2-7b"]);
        assert_eq!(nearest("lama-2-7b", names.into_iter()), ["llama-2-7b", "llama-2-70b"]);
        assert!(nearest("", names.into_iter()).is_empty());
        assert!(nearest("bert-base", names.into_iter()).is_empty());
        assert!(nearest("x", ["q", "k"].into_iter()).is_empty());
        assert_eq!(nearest("qq", ["q", "k"].into_iter()), ["q"]);
        assert_eq!(
            nearest("gemma-3-27b", ["gemma-2-27b", "gemma-3-27b-text"].into_iter()),
            ["gemma-3-27b-text", "gemma-2-27b"]
        );
    }

    #[test]
    fn lists_read_as_sentences() {
        assert_eq!(either(&["a"]), "a");
        assert_eq!(either(&["a", "b", "c"]), "a, b or c");
        assert_eq!(did_you_mean(&[]), "");
    }
}
