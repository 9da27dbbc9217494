//! One macro for every list of names: an id for programs and words for people.

macro_rules! names {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $id:literal, $words:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(clippy::doc_markdown, reason = "the words to show are the documentation too")]
        pub enum $name { $(#[doc = $words] $variant),* }

        impl $name {
            /// Every one, in the order in which they are told.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name in JSON.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$variant => $id),* }
            }

            /// The words to show.
            pub const fn words(self) -> &'static str {
                match self { $(Self::$variant => $words),* }
            }
        }
    };
}
