//! What can be said of a moment and of the whole minute, as texts.

use memory_wall_core::display::{Duration, Grouped, Percent, THIN_SPACE};
use memory_wall_core::server::{Request, Stage, Step, percentile};

use crate::Film;

/// A second in nanoseconds.
const SECOND: u64 = 1_000_000_000;

/// What there is to say of a moment, each as a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The time since the start.
    pub time: String,
    /// Requests that run.
    pub running: String,
    /// Requests that wait.
    pub waiting: String,
    /// Preemptions so far.
    pub preempted: String,
    /// Pages in use.
    pub used: String,
    /// The share of the pool that they are.
    pub share: String,
    /// Pages that sharing the common beginning saves.
    pub saved: String,
    /// The share of the pages in use that is empty.
    pub empty: String,
    /// Tokens written in the last second.
    pub rate: String,
    /// The time to the first token, median and 95th percentile of those that came so far.
    pub ttft: [String; 2],
    /// The time for each further token, of the answers that are complete so far.
    pub tpot: [String; 2],
    /// The number of the step.
    pub step: String,
    /// How long it takes.
    pub takes: String,
    /// Tokens that it writes.
    pub written: String,
    /// Tokens that it reads.
    pub read: String,
}

fn count(number: impl TryInto<u128>) -> String {
    Grouped(number.try_into().unwrap_or_default()).to_string()
}

fn duration(nanoseconds: u64) -> String {
    Duration(nanoseconds as f64 / SECOND as f64).to_string()
}

/// A time of the minute, to the tenth of a second.
fn clock(time: u64) -> String {
    let tenths = time / (SECOND / 10);
    format!("{}.{}{THIN_SPACE}s", tenths / 10, tenths % 10)
}

/// Median and 95th percentile; dashes where there is nothing yet.
fn spread(values: &(impl Iterator<Item = u64> + Clone)) -> [String; 2] {
    [50, 95].map(|percent| percentile(values, percent).map_or_else(|| "–".to_owned(), duration))
}

fn share(part: u64, of: u64) -> String {
    Percent(if of == 0 { 0.0 } else { part as f64 / of as f64 }).to_string()
}

impl Moment {
    /// What there is to say of it.
    pub fn of(film: &Film, time: u64) -> Self {
        let (number, now) = film.step(time).unwrap_or_default();
        let ended = film.ended(time);
        let sum = |steps: &[Step], of: fn(&Step) -> u32| steps.iter().map(|step| u64::from(of(step))).sum::<u64>();
        // Who loses its pages loses them when the step starts.
        let started = film.steps.get(..number.max(ended.len())).unwrap_or_default();
        let second = ended.partition_point(|step| step.end + SECOND <= time);
        let requests = film.requests.iter();
        let came = requests.clone().filter(|it| it.first <= time).filter_map(Request::ttft);
        let complete = requests.filter(|it| it.last <= time).filter_map(Request::tpot);
        Self {
            time: clock(time),
            running: count(now.running),
            waiting: count(now.waiting),
            preempted: count(sum(started, |step| step.preempted)),
            used: count(now.used),
            share: share(now.used.into(), film.settings.pages.into()),
            saved: count(now.saved),
            empty: share(now.empty.into(), u64::from(now.used) * u64::from(film.settings.page)),
            rate: count(sum(ended.get(second..).unwrap_or_default(), |step| step.written)),
            ttft: spread(&came),
            tpot: spread(&complete),
            step: count(number as u64),
            takes: duration(now.end - now.start),
            written: count(now.written),
            read: count(now.read),
        }
    }

    /// All of it in its order.
    pub fn lines(self) -> [String; 17] {
        let [ttft, ttft_most] = self.ttft;
        let [tpot, tpot_most] = self.tpot;
        [
            self.time,
            self.running,
            self.waiting,
            self.preempted,
            self.used,
            self.share,
            self.saved,
            self.empty,
            self.rate,
            ttft,
            ttft_most,
            tpot,
            tpot_most,
            self.step,
            self.takes,
            self.written,
            self.read,
        ]
    }
}

/// What there is to say of the whole minute, each as a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Requests that arrive.
    pub requests: String,
    /// Requests whose answer is complete.
    pub done: String,
    /// Preemptions.
    pub preempted: String,
    /// Pages of the pool.
    pub pages: String,
    /// Tokens that were written.
    pub written: String,
}

impl Summary {
    /// What there is to say of it.
    pub fn of(film: &Film) -> Self {
        let done = film.requests.iter().filter(|request| request.stage == Stage::Done).count();
        let preempted: u64 = film.requests.iter().map(|request| u64::from(request.preemptions)).sum();
        let written: u64 = film.requests.iter().map(|request| u64::from(request.written)).sum();
        Self {
            requests: count(film.requests.len() as u64),
            done: count(done as u64),
            preempted: count(preempted),
            pages: count(film.settings.pages),
            written: count(written),
        }
    }

    /// All of it in its order.
    pub fn lines(self) -> [String; 5] {
        [self.requests, self.done, self.preempted, self.pages, self.written]
    }
}
