//! A list of choices with their short names: one macro for every enumeration that has any.

/// An enumeration with names: every choice, its short name, and the choice of a name.
#[macro_export]
macro_rules! choices {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $id:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant),* }

        impl $name {
            /// Every choice, in the order in which they are offered.
            pub const ALL: &[Self] = &Self::EACH;

            /// The same as an array, for tables with a place for each.
            pub const EACH: [Self; [$($id),*].len()] = [$(Self::$variant),*];

            /// The short name, as in links, in JSON, in style sheets and on the command line.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$variant => $id),* }
            }

            /// The choice with this short name.
            pub fn from_id(id: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|choice| choice.id() == id)
            }
        }
    };
}
