//! A server for a minute: requests arrive, are prefilled in chunks, decode together, take pages of the KV cache, share a common
//! beginning, and are preempted when the pages run out.
//!
//! A [`Minute`] is an iterator of engine steps by the rules of vLLM's scheduler. It counts in whole nanoseconds and draws its
//! requests from a fixed seed, so every run of equal settings is the same to the last digit.
//!
//! ```
//! use memory_wall_core::server::{Costs, Load, Minute, Request, Settings};
//! let load = Load { arrivals: 150, prompt: 2_048, answer: 512, prefix: 512 };
//! let costs = Costs { weights: 8_600_000_000, token: 65_000_000, cache: 330_000, attention: 2_500 };
//! let settings = Settings { load, page: 16, pages: 7_000, max_num_seqs: 256, max_num_batched_tokens: 2_048, costs };
//! let mut requests = [Request::default(); 200];
//! let mut minute = Minute::new(settings, &mut requests).unwrap();
//! let steps = minute.by_ref().count();
//! assert!(steps > 1_000 && minute.requests().iter().any(|request| request.preemptions > 0));
//! ```

mod costs;
mod minute;
mod request;

pub use costs::Costs;
pub use minute::{Minute, Step};
pub use request::{Request, Stage, percentile};

use core::fmt;

use crate::bounds::{self, OutOfBounds};

/// A minute in nanoseconds.
pub const MINUTE: u64 = 60_000_000_000;

/// What is asked of a server. Lengths vary from request to request, from half to one and a half of the part that is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Requests that arrive in a minute on average, each at any time (a Poisson process).
    pub arrivals: u32,
    /// Tokens of a prompt on average.
    pub prompt: u32,
    /// Tokens of an answer on average.
    pub answer: u32,
    /// Tokens at the beginning of every prompt that are the same in all. A prompt has at least one token of its own.
    pub prefix: u32,
}

impl Load {
    /// The common beginning that is left where a prompt has a token of its own.
    pub const fn common(&self) -> u32 {
        let most = self.prompt.saturating_sub(1);
        if self.prefix < most { self.prefix } else { most }
    }

    /// Tokens of the longest request, prompt and answer together.
    ///
    /// ```
    /// use memory_wall_core::server::Load;
    /// // 512 + 1.5 × 1,024 + 1.5 × 512.
    /// assert_eq!(Load { arrivals: 1, prompt: 1_536, answer: 512, prefix: 512 }.longest(), 2_816);
    /// ```
    pub const fn longest(&self) -> u32 {
        let common = self.common();
        let own = request::most(self.prompt.saturating_sub(common));
        common.saturating_add(own).saturating_add(request::most(self.answer))
    }

    /// Whether every number is in range.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check(&self) -> Result<(), OutOfBounds> {
        bounds::ARRIVALS.check(self.arrivals.into())?;
        bounds::PROMPT.check(self.prompt.into())?;
        bounds::ANSWER.check(self.answer.into())?;
        bounds::PREFIX.check(self.prefix.into()).map(|_| ())
    }
}

/// A server and what is asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What is asked.
    pub load: Load,
    /// Tokens of a page.
    pub page: u32,
    /// Pages of the pool.
    pub pages: u32,
    /// The most requests that run at once.
    pub max_num_seqs: u32,
    /// The most tokens in one step.
    pub max_num_batched_tokens: u32,
    /// What a step costs.
    pub costs: Costs,
}

/// How many numbers are [`Settings`] as numbers.
const NUMBERS: usize = 12;

impl Settings {
    /// The settings as plain numbers, which [`Settings::of`] reads.
    pub(crate) fn numbers(&self) -> [u64; NUMBERS] {
        let Load { arrivals, prompt, answer, prefix } = self.load;
        let [weights, token, cache, attention] = self.costs.numbers();
        let small =
            [arrivals, prompt, answer, prefix, self.page, self.pages, self.max_num_seqs, self.max_num_batched_tokens];
        let [a, b, c, d, e, f, g, h] = small.map(u64::from);
        [a, b, c, d, e, f, g, h, weights, token, cache, attention]
    }

    /// Settings from their numbers; `None` where one is too large.
    fn of([a, b, c, d, e, f, g, h, weights, token, cache, attention]: [u64; NUMBERS]) -> Option<Self> {
        let small = |number: u64| u32::try_from(number).ok();
        Some(Self {
            load: Load { arrivals: small(a)?, prompt: small(b)?, answer: small(c)?, prefix: small(d)? },
            page: small(e)?,
            pages: small(f)?,
            max_num_seqs: small(g)?,
            max_num_batched_tokens: small(h)?,
            costs: Costs { weights, token, cache, attention },
        })
    }

    /// Settings from their numbers as [`Settings`] writes them, with spaces between them.
    ///
    /// ```
    /// use memory_wall_core::server::Settings;
    /// let settings = Settings::read("150 2048 512 512 16 7000 256 2048 8444000000 62200000 333900 2462").unwrap();
    /// assert_eq!((settings.load.arrivals, settings.costs.attention), (150, 2_462));
    /// assert_eq!(Settings::read(&settings.to_string()), Some(settings));
    /// assert_eq!(Settings::read("150"), None);
    /// ```
    pub fn read(text: &str) -> Option<Self> {
        let mut numbers = [0; NUMBERS];
        let mut words = text.split(' ');
        for number in &mut numbers {
            *number = words.next()?.parse().ok()?;
        }
        Self::of(numbers)
    }

    /// Whole pages of the common beginning: a page that goes on differently cannot be shared.
    pub const fn shared_pages(&self) -> u32 {
        match self.load.common().checked_div(self.page) {
            Some(pages) => pages,
            None => 0,
        }
    }

    /// Whether there can be such a server.
    ///
    /// # Errors
    /// What cannot be.
    pub fn check(&self) -> Result<(), Refusal> {
        self.load.check().map_err(Refusal::Bounds)?;
        bounds::PAGE.check(self.page.into()).map_err(Refusal::Bounds)?;
        bounds::MAX_NUM_SEQS.check(self.max_num_seqs.into()).map_err(Refusal::Bounds)?;
        bounds::MAX_NUM_BATCHED_TOKENS.check(self.max_num_batched_tokens.into()).map_err(Refusal::Bounds)?;
        let needs = self.load.longest().div_ceil(self.page);
        if needs > self.pages {
            return Err(Refusal::Pool { needs, pages: self.pages });
        }
        Ok(())
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, rest @ ..] = self.numbers();
        write!(f, "{first}")?;
        rest.iter().try_for_each(|number| write!(f, " {number}"))
    }
}

/// Why there is no such server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A setting is out of range.
    Bounds(OutOfBounds),
    /// The pool does not hold the longest request by itself.
    Pool {
        /// Pages that it needs.
        needs: u32,
        /// Pages that there are.
        pages: u32,
    },
    /// There is no room for the requests of the minute in what the caller lent.
    Requests,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bounds(error) => error.fmt(f),
            Self::Pool { needs, pages } => {
                write!(f, "the longest request needs {needs} pages, and the pool has {pages}")
            }
            Self::Requests => f.write_str("more requests arrive than there is room for"),
        }
    }
}

impl core::error::Error for Refusal {}

#[cfg(test)]
mod tests;
