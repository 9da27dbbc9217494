//! Bindings: what on the page follows a model, as an enumeration, and as two numbers on the built page.

use std::fmt;

use crate::registry::FIGURES;

/// The bindings of a model. `bindings!` implements it.
pub trait Bindings: Copy + PartialEq + fmt::Debug + 'static {
    /// Every binding, with every value of its index.
    const ALL: &'static [Self];

    /// Their names in the prose, in the same order: `total.mixed` for `Total(Column::Mixed)`.
    #[cfg(not(target_arch = "wasm32"))]
    fn names() -> Vec<String>;
}

/// Declares the bindings of a model. It is an ordinary enumeration, of which this adds [`Bindings::ALL`] and the names.
///
/// A variant may have one index: an enumeration with a list `ALL` and a method `id`.
macro_rules! bindings {
    ($(#[$about:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident $(($index:ty))?,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum $name { $($(#[$doc])* $variant $(($index))?,)+ }

        impl $crate::figures::Bindings for $name {
            const ALL: &'static [Self] = {
                const COUNT: usize = 0 $(+ $crate::figures::bindings!(@count $($index)?))+;
                #[allow(clippy::indexing_slicing, reason = "worked out by the compiler, which refuses a wrong place")]
                const ALL: [$name; COUNT] = {
                    let mut all = [$crate::figures::bindings!(@first $name $($variant $(($index))?,)+); COUNT];
                    let mut place = 0;
                    $($crate::figures::bindings!(@add all place $name $variant $($index)?);)+
                    assert!(place == COUNT);
                    all
                };
                &ALL
            };

            #[cfg(not(target_arch = "wasm32"))]
            fn names() -> Vec<String> {
                [$($crate::figures::bindings!(@names $variant $($index)?)),+].concat()
            }
        }
    };
    (@count) => { 1 };
    (@count $index:ty) => { <$index>::ALL.len() };
    (@first $name:ident $variant:ident, $($rest:tt)*) => { $name::$variant };
    (@first $name:ident $variant:ident ($index:ty), $($rest:tt)*) => { $name::$variant(<$index>::ALL[0]) };
    (@add $all:ident $place:ident $name:ident $variant:ident) => {
        $all[$place] = $name::$variant;
        $place += 1;
    };
    (@add $all:ident $place:ident $name:ident $variant:ident $index:ty) => {
        let mut own = 0;
        while own < <$index>::ALL.len() {
            $all[$place] = $name::$variant(<$index>::ALL[own]);
            own += 1;
            $place += 1;
        }
    };
    (@names $variant:ident) => { vec![$crate::figures::binding::snake(stringify!($variant))] };
    (@names $variant:ident $index:ty) => {{
        let what = $crate::figures::binding::snake(stringify!($variant));
        <$index>::ALL.iter().map(|index| format!("{what}.{}", index.id())).collect::<Vec<_>>()
    }};
}
pub(crate) use bindings;

/// `LineLabel` as `line_label`.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn snake(variant: &str) -> String {
    let mut name = String::new();
    for letter in variant.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

/// One of `N` things that are counted rather than named, as the index of a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nth<const N: usize>(pub usize);

impl<const N: usize> Nth<N> {
    /// All of them, in order.
    #[allow(clippy::indexing_slicing, reason = "worked out by the compiler, which refuses a wrong place")]
    pub const ALL: [Self; N] = {
        let mut all = [Self(0); N];
        let mut place = 0;
        while place < N {
            all[place] = Self(place);
            place += 1;
        }
        all
    };

    /// Its name.
    pub const fn id(self) -> usize {
        self.0
    }
}

/// A binding as the built page has it, `9:13`: the place of its figure in [`FIGURES`](crate::registry::FIGURES) and its own in
/// [`Bindings::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The place of the figure.
    pub figure: usize,
    /// The place of the binding among those of the figure.
    pub binding: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.figure, self.binding)
    }
}

/// Places in the order of a page. Each of them may be said by its numbers, `9:13`, or by its distance from the one before it of the same
/// figure, `9+1` or `9-3`, without the figure where that is the same again. The tutorial has many rows of the same distances, which
/// pack into 3 kB less.
#[derive(Debug)]
pub struct Places {
    /// The last binding of each figure.
    last: [usize; FIGURES.len()],
    /// The last figure.
    figure: usize,
}

impl Default for Places {
    /// At the beginning of a page.
    fn default() -> Self {
        Self { last: [0; FIGURES.len()], figure: 0 }
    }
}

impl Places {
    /// The next place; `None` if the text is none.
    pub fn read(&mut self, text: &str) -> Option<Place> {
        let (figure, own) = text.split_at_checked(text.find([':', '+', '-'])?)?;
        if !figure.is_empty() {
            self.figure = figure.parse().ok()?;
        }
        let last = self.last.get_mut(self.figure)?;
        *last = match own.strip_prefix(':') {
            Some(own) => own.parse().ok()?,
            None => last.checked_add_signed(own.parse().ok()?)?,
        };
        Some(Place { figure: self.figure, binding: *last })
    }
}

/// Writes what [`Places`] reads.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug, Default)]
pub struct Steps(Vec<Place>);

#[cfg(not(target_arch = "wasm32"))]
impl Steps {
    /// The mark of the next binding: both numbers where its figure was not met before, else the distance from the last binding of that figure, behind the
    /// figure's number where another figure was in between.
    pub fn written(&mut self, place: Place) -> String {
        let same_figure = self.0.last().is_some_and(|last| last.figure == place.figure);
        let before = self.0.iter().position(|known| known.figure == place.figure).map(|at| self.0.remove(at));
        self.0.push(place);
        let Some(before) = before else { return place.to_string() };
        let figure = if same_figure { String::new() } else { place.figure.to_string() };
        let sign = if place.binding < before.binding { '-' } else { '+' };
        format!("{figure}{sign}{}", place.binding.abs_diff(before.binding))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_as_steps_is_read_as_the_same_places() {
        let places = [(3, 7), (3, 8), (3, 8), (0, 4), (3, 2), (3, 3), (0, 0)];
        let places = places.map(|(figure, binding)| Place { figure, binding });
        let mut steps = Steps::default();
        let written = places.map(|place| steps.written(place));
        assert_eq!(written, ["3:7", "+1", "+0", "0:4", "3-6", "+1", "0-4"]);
        let mut read = Places::default();
        assert_eq!(written.map(|text| read.read(&text)), places.map(Some));
    }

    #[test]
    fn what_is_no_place_is_none() {
        for text in [
            "",
            "9",
            ":",
            "+",
            "9:",
            "x:1",
            "9:-1",
            "9:+",
            "1:x",
            "-1:1",
            "1:1:1",
            "9-1",
            "99999:1",
            "+99999999999999999999",
        ] {
            assert_eq!(Places::default().read(text), None, "{text}");
        }
    }
}
