//! Values by their names, in the order of names: one map for all of this crate, since each further type of key would cost four
//! kilobytes in the browser.

use alloc::borrow::ToOwned as _;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// Values by their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByName<V> {
    places: BTreeMap<String, u32>,
    values: Vec<V>,
}

impl<V> Default for ByName<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V> ByName<V> {
    /// Without values.
    pub const fn new() -> Self {
        Self { places: BTreeMap::new(), values: Vec::new() }
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&V> {
        self.values.get(*self.places.get(name)? as usize)
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Names and values, in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.places.iter().filter_map(|(name, place)| Some((name.as_str(), self.values.get(*place as usize)?)))
    }

    /// The values, in the order in which they came.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.values.iter()
    }

    /// Sets a value; whether the name is new.
    pub(crate) fn insert(&mut self, name: &str, value: V) -> bool {
        let place = self.places.get(name).copied();
        if let Some(known) = place.and_then(|place| self.values.get_mut(place as usize)) {
            *known = value;
            return false;
        }
        self.places.insert(name.to_owned(), u32::try_from(self.values.len()).unwrap_or(u32::MAX));
        self.values.push(value);
        true
    }
}

impl<V: Default> ByName<V> {
    /// The value of a name, made where there is none.
    pub(crate) fn entry(&mut self, name: &str) -> Option<&mut V> {
        let known = self.places.get(name).map(|place| *place as usize);
        let place = known.unwrap_or(self.values.len());
        if known.is_none() {
            self.insert(name, V::default());
        }
        self.values.get_mut(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_their_names_in_the_order_of_names() {
        let mut numbers: ByName<u64> = ByName::new();
        assert!(numbers.insert("b", 1) && numbers.insert("a", 2) && !numbers.insert("b", 3));
        *numbers.entry("c").unwrap() += 4;
        assert_eq!(numbers.iter().collect::<Vec<_>>(), [("a", &2), ("b", &3), ("c", &4)]);
        assert_eq!((numbers.get("b"), numbers.get("d"), numbers.len()), (Some(&3), None, 3));
    }
}
