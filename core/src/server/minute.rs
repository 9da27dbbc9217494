//! The scheduler, step by step.

use super::request::arrive;
use super::{MINUTE, Refusal, Request, Settings, Stage};

/// A step of the engine: one pass through the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// When it starts, in nanoseconds.
    pub start: u64,
    /// When it ends.
    pub end: u64,
    /// Tokens of prompts that it reads, and tokens that it computes again.
    pub read: u32,
    /// Tokens that it writes, each for another request.
    pub written: u32,
    /// Requests that run.
    pub running: u32,
    /// Requests that wait, those that were preempted among them.
    pub waiting: u32,
    /// Requests that lost their pages in it.
    pub preempted: u32,
    /// Requests whose answer is complete after it.
    pub finished: u32,
    /// Pages in use while it runs, those of the common beginning counted once.
    pub used: u32,
    /// Pages that sharing the common beginning saves.
    pub saved: u32,
    /// Places for a token in last pages that are still empty.
    pub empty: u32,
}

/// A minute of a server.
///
/// # Formula
/// Each step gives its token budget to running requests first, in the order of their arrival, and what is left to waiting ones; a prompt
/// that is longer than what is left is read in chunks. A running request that finds no page takes those of the request that came last,
/// which goes back to the head of the queue and is computed again. In such a step nobody is let in.
///
/// # Assumes
/// A request is let in if the pool has room for all its tokens so far. Of a preempted request only the common beginning is found again.
/// All layers see every token.
///
/// # Source
/// vLLM 0.19, `v1/core/sched/scheduler.py` (`Scheduler.schedule`, `scheduler_reserve_full_isl`) and `v1/core/kv_cache_manager.py`; Kwon et al. 2023, section 4.
#[derive(Debug)]
pub struct Minute<'a> {
    settings: Settings,
    requests: &'a mut [Request],
    now: u64,
    /// Requests before this one run or are done; all others wait. The order of arrival is the order of everything.
    admitted: usize,
    /// All before this one are done.
    oldest: usize,
    /// Requests that run.
    running: u32,
    /// Pages in use, those of the common beginning included.
    used: u32,
    /// Requests that use the common beginning.
    sharing: u32,
    /// Whether the common beginning was computed: then its pages keep it, also while nobody uses them.
    known: bool,
}

impl<'a> Minute<'a> {
    /// The minute before its first step. `room` lends the place for its requests: a quarter more than arrive on average, and 64, is enough.
    ///
    /// # Errors
    /// There is no such server, or too little room.
    pub fn new(settings: Settings, room: &'a mut [Request]) -> Result<Self, Refusal> {
        settings.check()?;
        let count = arrive(&settings.load, room).ok_or(Refusal::Requests)?;
        let requests = room.get_mut(..count).ok_or(Refusal::Requests)?;
        Ok(Self::with(settings, requests))
    }

    /// The same with requests of the caller's own, in the order of their arrival, for settings that were checked.
    pub(super) fn with(settings: Settings, requests: &'a mut [Request]) -> Self {
        Self { settings, requests, now: 0, admitted: 0, oldest: 0, running: 0, used: 0, sharing: 0, known: false }
    }

    /// The requests as they are now, in the order of their arrival.
    pub fn requests(&self) -> &[Request] {
        self.requests
    }

    /// Pages of the common beginning, as far as somebody uses them.
    fn shared(&self) -> u32 {
        if self.sharing > 0 { self.settings.shared_pages() } else { 0 }
    }

    /// Pages that a request needs beside those it has, to hold so many tokens.
    fn missing(&self, request: &Request, tokens: u32) -> u32 {
        let held = request.pages + if request.shares { self.settings.shared_pages() } else { 0 };
        tokens.div_ceil(self.settings.page).saturating_sub(held)
    }

    pub(super) fn free(&self) -> u32 {
        self.settings.pages - self.used
    }

    /// Takes everything from a request.
    fn release(&mut self, place: usize) {
        let before = self.shared();
        let Some(request) = self.requests.get_mut(place) else { return };
        self.used -= request.pages;
        self.sharing -= u32::from(request.shares);
        self.running -= 1;
        (request.pages, request.shares, request.computed) = (0, false, 0);
        self.used -= before - self.shared();
    }

    /// Sends the running request that came last back to the head of the queue.
    fn preempt(&mut self) -> Option<usize> {
        let is_running = |request: &Request| matches!(request.stage, Stage::Prefill | Stage::Decode);
        let place = self.requests.get(..self.admitted)?.iter().rposition(is_running)?;
        self.release(place);
        let request = self.requests.get_mut(place)?;
        request.stage = Stage::Preempted;
        request.preemptions += 1;
        self.admitted = place;
        Some(place)
    }

    /// Lets a waiting request in, if there is room for all its tokens: it uses the common beginning if that is known.
    fn admit(&mut self, place: usize) -> bool {
        let shared = self.settings.shared_pages();
        let found = self.known && shared > 0;
        let Some(request) = self.requests.get_mut(place) else { return false };
        let whole = request.tokens().div_ceil(self.settings.page);
        let needs = if found && self.sharing > 0 { whole - shared } else { whole };
        if needs > self.settings.pages - self.used {
            return false;
        }
        if found {
            self.used += if self.sharing > 0 { 0 } else { shared };
            self.sharing += 1;
            request.computed = shared * self.settings.page;
        }
        request.shares = found;
        request.stage = Stage::Prefill;
        self.running += 1;
        self.admitted = place + 1;
        true
    }

    /// Gives a request up to `budget` tokens of the step and the pages for them, and adds them to the step.
    /// `None` where the pool has no pages.
    fn give(&mut self, place: usize, budget: u32, step: &mut Counted) -> Option<u32> {
        let request = *self.requests.get(place)?;
        let new = request.tokens().saturating_sub(request.computed).min(budget);
        let after = request.computed + new;
        let missing = self.missing(&request, after);
        if missing > self.free() {
            return None;
        }
        self.used += missing;
        let costs = self.settings.costs;
        // Each new token looks at all before it: in decode their keys and values are read, in prefill it is arithmetic.
        let middle = u64::from(request.computed) + u64::from(new.div_ceil(2));
        let arithmetic = costs.attention.saturating_mul(middle).saturating_mul(new.into());
        step.attention = step.attention.saturating_add(arithmetic.max(costs.cache.saturating_mul(after.into())));
        step.tokens += new;
        // The last token of all is the one that writes; what comes before it is read.
        let writes = u32::from(after == request.tokens());
        step.written += writes;
        step.read += if request.stage == Stage::Decode { 0 } else { new };
        let shared = self.settings.shared_pages();
        let publishes = !self.known && shared > 0 && after >= shared * self.settings.page;
        if publishes {
            self.known = true;
            self.sharing = 1;
        }
        let request = self.requests.get_mut(place)?;
        request.computed = after;
        request.pages += missing;
        if publishes {
            request.shares = true;
            request.pages -= shared;
        }
        Some(new)
    }

    /// Decides who takes part in a step.
    fn schedule(&mut self, arrived: usize) -> Counted {
        let mut step = Counted::default();
        let mut budget = self.settings.max_num_batched_tokens;
        let mut place = self.oldest;
        while place < self.admitted && budget > 0 {
            if self.requests.get(place).is_none_or(|request| request.stage == Stage::Done) {
                place += 1;
                continue;
            }
            if let Some(new) = self.give(place, budget, &mut step) {
                budget -= new;
                place += 1;
                continue;
            }
            step.preempted += 1;
            if self.preempt().is_none_or(|victim| victim == place) {
                break;
            }
        }
        if step.preempted > 0 {
            return step;
        }
        while self.admitted < arrived && budget > 0 && self.running < self.settings.max_num_seqs {
            let place = self.admitted;
            if self.requests.get(place).is_some_and(|request| request.stage == Stage::Done) {
                self.admitted += 1;
                continue;
            }
            if !self.admit(place) {
                break;
            }
            budget -= self.give(place, budget, &mut step).unwrap_or(0);
        }
        step
    }

    /// Writes the tokens of a step that ends at `end`; how many answers are complete with it.
    fn write(&mut self, end: u64) -> u32 {
        let mut finished = 0;
        for place in self.oldest..self.admitted {
            let Some(request) = self.requests.get_mut(place) else { continue };
            if request.stage == Stage::Done || request.computed < request.tokens() {
                continue;
            }
            request.written += 1;
            request.stage = Stage::Decode;
            request.first = if request.first == 0 { end } else { request.first };
            request.last = end;
            if request.written == request.answer {
                request.stage = Stage::Done;
                self.release(place);
                finished += 1;
            }
        }
        let done = |request: &Request| request.stage == Stage::Done;
        self.oldest += self.requests.get(self.oldest..).map_or(0, |rest| rest.iter().take_while(|it| done(it)).count());
        self.admitted = self.admitted.max(self.oldest);
        finished
    }

    /// Requests that have arrived.
    fn arrived(&self) -> usize {
        self.requests.partition_point(|request| request.arrival <= self.now)
    }
}

/// What takes part in a step.
#[derive(Clone, Copy, Default)]
struct Counted {
    tokens: u32,
    read: u32,
    written: u32,
    preempted: u32,
    /// Picoseconds of attention.
    attention: u64,
}

impl Iterator for Minute<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let mut arrived = self.arrived();
        if self.running == 0 && self.admitted == arrived {
            // Nobody is there: the next one starts the next step.
            self.now = self.requests.get(arrived)?.arrival;
            arrived = self.arrived();
        }
        if self.now >= MINUTE {
            return None;
        }
        let counted = self.schedule(arrived);
        let costs = self.settings.costs;
        let matrices = costs.weights.max(costs.token.saturating_mul(counted.tokens.into()));
        let start = self.now;
        self.now = start.saturating_add((matrices.saturating_add(counted.attention) / 1_000).max(1));
        let waiting = self
            .requests
            .get(self.admitted..arrived)
            .map_or(0, |rest| rest.iter().filter(|request| request.stage != Stage::Done).count());
        let running = self.requests.get(self.oldest..self.admitted).unwrap_or_default().iter();
        let page = self.settings.page;
        let last = |request: &Request| request.computed.next_multiple_of(page) - request.computed;
        let empty = running.filter(|request| request.stage != Stage::Done).map(last).sum();
        let mut step = Step {
            start,
            end: self.now,
            read: counted.read,
            written: counted.written,
            running: self.running,
            waiting: u32::try_from(waiting).unwrap_or(u32::MAX),
            preempted: counted.preempted,
            finished: 0,
            used: self.used,
            saved: self.shared() * self.sharing.saturating_sub(1),
            empty,
        };
        step.finished = self.write(self.now);
        Some(step)
    }
}
