//! A list of choices with their short names: one macro for all of them.

macro_rules! choices {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $id:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant),* }

        impl $name {
            /// Every choice, in the order in which they are offered.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The short name, as in links and on the command line.
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
