//! Where a yes turns into a no.

/// The last number for which `holds` says yes, between one for which it does and a larger one for which it doesn't; neither is asked about.
///
/// Where the answer turns more than once, one of the places is found.
///
/// # Example
/// ```
/// use memory_wall_core::bisect;
/// assert_eq!(bisect::last(0, 100, |number| number * number <= 50), 7);
/// ```
pub fn last(yes: u32, no: u32, holds: impl Fn(u32) -> bool) -> u32 {
    let (mut yes, mut no) = (yes, no);
    while no - yes > 1 {
        let middle = yes + (no - yes) / 2;
        if holds(middle) { yes = middle } else { no = middle }
    }
    yes
}

#[cfg(test)]
mod tests {
    use super::last;

    #[test]
    fn the_last_yes_is_found_and_the_ends_are_not_asked() {
        for border in 1..100 {
            let holds = |number| {
                assert!((1..100).contains(&number), "{number}");
                number < border
            };
            assert_eq!(last(0, 100, holds), border - 1);
        }
        assert_eq!(last(7, 8, |_| unreachable!()), 7);
    }
}
