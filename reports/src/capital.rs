//! A sentence's beginning: words that the crate has are ASCII, so no tables of letters are needed.

use core::fmt;

/// Words with a capital at their beginning.
pub fn capital(words: &str) -> impl fmt::Display + '_ {
    struct Capital<'a>(&'a str);
    impl fmt::Display for Capital<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let mut letters = self.0.chars();
            match letters.next() {
                Some(first) => write!(f, "{}{}", first.to_ascii_uppercase(), letters.as_str()),
                None => Ok(()),
            }
        }
    }
    Capital(words)
}
