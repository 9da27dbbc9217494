//! How sequences of unequal length find room: a slot as long as the longest for each, pages, and pages with a common beginning.

/// The share of the memory set aside for the cache that held tokens in engines with one slot for each sequence: lowest and highest.
///
/// # Source
/// Kwon et al. 2023, "Efficient Memory Management for Large Language Model Serving with `PagedAttention`" (SOSP), section 1 and figure 2.
pub const USEFUL_BEFORE_PAGES: [f64; 2] = [0.204, 0.382];

/// Sequences that are served at the same time. All of them begin with the same `shared` tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served<'a> {
    /// Tokens of each sequence so far, the shared ones among them.
    pub tokens: &'a [u32],
    /// Tokens that a sequence may grow to.
    pub longest: u32,
    /// Tokens of a page.
    pub page: u32,
    /// Tokens at the beginning that are the same in all.
    pub shared: u32,
}

impl Served<'_> {
    /// Tokens that are there.
    ///
    /// # Formula
    /// Sum of the lengths.
    pub fn used(&self) -> u64 {
        self.tokens.iter().map(|tokens| u64::from(*tokens)).sum()
    }

    /// Tokens set aside when each sequence gets a slot for the longest it may become.
    ///
    /// # Formula
    /// sequences × `longest`.
    pub fn slots(&self) -> u64 {
        self.tokens.len() as u64 * u64::from(self.longest)
    }

    /// Pages of one sequence.
    fn pages_of(&self, tokens: u32) -> u64 {
        u64::from(tokens.div_ceil(self.page.max(1)))
    }

    /// Tokens set aside in pages, of which only the last of each sequence can be partly empty.
    ///
    /// # Formula
    /// `page` × sum of ⌈tokens / `page`⌉.
    ///
    /// # Source
    /// Block tables of vLLM, Kwon et al. 2023, section 4.
    pub fn pages(&self) -> u64 {
        self.tokens.iter().map(|tokens| self.pages_of(*tokens)).sum::<u64>() * u64::from(self.page.max(1))
    }

    /// Whole pages of the common beginning, in tokens: a page that goes on differently cannot be shared.
    ///
    /// # Formula
    /// `page` × ⌊`shared` / `page`⌋, and never more than the shortest sequence has.
    pub fn prefix(&self) -> u64 {
        let shortest = self.tokens.iter().copied().min().unwrap_or(0);
        let page = self.page.max(1);
        u64::from(self.shared.min(shortest) / page) * u64::from(page)
    }

    /// Tokens set aside in pages when the common beginning is kept once.
    ///
    /// # Formula
    /// pages − (sequences − 1) × whole pages of the common beginning.
    ///
    /// # Units
    /// Tokens; times the bytes of a token they are bytes.
    ///
    /// # Source
    /// Kwon et al. 2023, section 4.4.
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::memory::paging::Served;
    /// let served = Served { tokens: &[100, 200, 50], longest: 1_000, page: 16, shared: 40 };
    /// assert_eq!((served.used(), served.slots(), served.pages()), (350, 3_000, 112 + 208 + 64));
    /// // Two whole pages are the same in all three.
    /// assert_eq!(served.shared_pages(), 384 - 2 * 32);
    /// ```
    pub fn shared_pages(&self) -> u64 {
        let others = self.tokens.len().saturating_sub(1) as u64;
        self.pages() - others * self.prefix()
    }
}

/// Six conversations of a service: an example that lies in the middle of what was measured.
///
/// # Assumes
/// A model of 4,096 tokens, vLLM's pages of 16, and an instruction of 512 tokens before each question.
pub static EXAMPLE: Served<'static> =
    Served { tokens: &[620, 1_310, 760, 2_050, 980, 1_530], longest: 4_096, page: 16, shared: 512 };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_like_what_was_measured() {
        let useful = EXAMPLE.used() as f64 / EXAMPLE.slots() as f64;
        let [low, high] = USEFUL_BEFORE_PAGES;
        assert!(low < useful && useful < high, "{useful}");
        assert_eq!(EXAMPLE.used(), 7_250);
        // vLLM's paper: less than 4% is lost with pages.
        assert!(EXAMPLE.pages() * 96 < EXAMPLE.used() * 100);
        assert_eq!(EXAMPLE.shared_pages(), EXAMPLE.pages() - 5 * 512);
    }

    #[test]
    fn nothing_and_odd_pages_are_survived() {
        let none = Served { tokens: &[], longest: 10, page: 0, shared: 3 };
        assert_eq!((none.used(), none.slots(), none.pages(), none.shared_pages()), (0, 0, 0, 0));
        let one = Served { tokens: &[5], longest: 10, page: 0, shared: 9 };
        assert_eq!(one.shared_pages(), one.pages());
        let two = Served { tokens: &[5, 6], longest: 10, page: 0, shared: 3 };
        assert_eq!((two.pages(), two.shared_pages()), (11, 8), "pages of none are pages of one");
    }
}
