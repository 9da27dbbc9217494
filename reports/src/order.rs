//! One way to sort for all of this crate: each further type that is sorted would cost two kilobytes in the browser.

use alloc::vec::Vec;

/// The places from 0 up to `count` in the order of their keys; equal ones stay as they were.
pub(crate) fn order(count: usize, key: impl Fn(usize) -> (u64, u64)) -> Vec<usize> {
    let mut keyed: Vec<(u64, u64, usize)> = (0..count)
        .map(|place| {
            let (first, second) = key(place);
            (first, second, place)
        })
        .collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, _, place)| place).collect()
}

/// The items in the order of their keys; equal ones stay as they were.
pub(crate) fn sorted<T>(items: Vec<T>, key: impl Fn(&T) -> (u64, u64)) -> Vec<T> {
    let places = order(items.len(), |place| items.get(place).map_or((0, 0), &key));
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    places.into_iter().filter_map(|place| items.get_mut(place).and_then(Option::take)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_keep_their_order() {
        let items = Vec::from([(3, 'a'), (1, 'b'), (3, 'c'), (1, 'd'), (2, 'e')]);
        let places = order(items.len(), |place| (items[place].0, 0));
        assert_eq!(places, [1, 3, 4, 0, 2]);
        let letters: Vec<char> = sorted(items, |item| (item.0, 0)).into_iter().map(|(_, letter)| letter).collect();
        assert_eq!(letters, ['b', 'd', 'e', 'a', 'c']);
    }
}
