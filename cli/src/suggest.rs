//! What somebody may have meant.

/// More than this many suggestions are no help.
const MOST: usize = 4;
/// Longer input is no misspelt name.
const LONGEST: usize = 64;

/// The names closest to `given`, best first: those that contain it or are contained in it, and those few letters away.
pub(crate) fn nearest<'a>(given: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let given = given.to_lowercase().replace([' ', '_'], "-");
    if given.is_empty() || given.len() > LONGEST {
        return Vec::new();
    }
    let far = (given.chars().count() / 4).max(1);
    let contained = |name: &str| given.len() > 1 && (name.contains(&given) || given.contains(name));
    let mut scored: Vec<(usize, &str)> = names
        .map(|name| (if contained(name) { 1 } else { distance(&given, name) }, name))
        // A name of which no letter is left is another one.
        .filter(|(distance, name)| *distance <= far && (contained(name) || *distance < name.chars().count()))
        .collect();
    scored.sort_by_key(|(distance, _)| *distance);
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

/// The number of letters to insert, delete or replace (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.chars().count()).collect();
    for (place, letter) in from.chars().enumerate() {
        let mut diagonal = place;
        let mut left = place + 1;
        for (cell, other) in row.iter_mut().zip(std::iter::once(None).chain(to.chars().map(Some))) {
            if let Some(other) = other {
                left = (diagonal + usize::from(letter != other)).min(*cell + 1).min(left + 1);
                diagonal = *cell;
            }
            *cell = left;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_counted_in_letters() {
        for (from, to, letters) in [
            ("", "", 0),
            ("abc", "abc", 0),
            ("kitten", "sitting", 3),
            ("bf61", "bf16", 2),
            ("", "ab", 2),
            ("ab", "", 2),
        ] {
            assert_eq!(distance(from, to), letters, "{from} {to}");
        }
    }

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
    }

    #[test]
    fn lists_read_as_sentences() {
        assert_eq!(either(&["a"]), "a");
        assert_eq!(either(&["a", "b", "c"]), "a, b or c");
        assert_eq!(did_you_mean(&[]), "");
    }
}
