//! Bindings: what on the page follows a model, as an enumeration, and as two numbers on the built page.

use std::fmt;
use std::str::FromStr;

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

impl FromStr for Place {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (figure, binding) = text.split_once(':').ok_or(())?;
        let number = |text: &str| text.parse().map_err(drop);
        Ok(Self { figure: number(figure)?, binding: number(binding)? })
    }
}
