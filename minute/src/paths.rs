//! The drawing as paths in boxes of whole numbers, each stretched over the same minute.

use std::fmt::Write as _;

use memory_wall_core::display::Grouped;
use memory_wall_core::server::{MINUTE, Stage};

use crate::{Film, SECONDS};

/// Units of a drawing's width: fifths of a second for requests, half seconds for pages, seconds for speed.
const FIFTHS: u64 = SECONDS * 5;
const HALVES: u64 = SECONDS * 2;
/// Height of the drawings of pages and of speed.
const HEIGHT: u64 = 100;

/// What is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// The box of the requests: a line for each.
    pub lanes: String,
    /// Lines of requests that wait, that are prefilled, that decode, and that were preempted.
    pub stages: [String; 4],
    /// Where the pool ends among the pages.
    pub pool: String,
    /// Pages in use, as an area.
    pub used: String,
    /// Pages that would be in use if nothing were shared, as a line.
    pub apart: String,
    /// Tokens written in each second, as an area.
    pub rate: String,
    /// What the top of that drawing stands for.
    pub top: String,
}

/// The stages that have lines.
const DRAWN: [Stage; 4] = [Stage::Waiting, Stage::Prefill, Stage::Decode, Stage::Preempted];

/// Lines of the requests at a stage.
fn lines(film: &Film, stage: Stage) -> String {
    let mut spans: Vec<_> = film.spans.iter().filter(|span| span.stage == stage).collect();
    spans.sort_by_key(|span| (span.request, span.from));
    let mut path = String::new();
    let mut before = [0, 0];
    for span in spans {
        let [from, to] = [span.from, span.to].map(|time| i64::try_from(time * FIFTHS / MINUTE).unwrap_or_default());
        let row = i64::try_from(span.request).unwrap_or_default();
        let wide = match stage {
            // A prefill is short, and is to be seen all the same.
            Stage::Prefill => (to - from).max(1),
            // Until the next step everybody waits.
            Stage::Waiting if to - from < 2 => continue,
            _ if to == from => continue,
            _ => to - from,
        };
        let [x, y] = before;
        // From the end of the line before: small numbers, of which half as many bytes are left in the page. Writing to a string cannot fail.
        let _ = write!(path, "m{} {}h{wide}", from - x, row - y);
        before = [from + wide, row];
    }
    path
}

/// Heights at even distances as a path with steps of one unit.
fn steps(heights: impl Iterator<Item = u64>) -> String {
    let mut path = format!("M0 {HEIGHT}");
    let (mut before, mut wide) = (HEIGHT, 0);
    for height in heights {
        if height != before {
            let _ = match wide {
                0 => write!(path, "V{height}"),
                _ => write!(path, "h{wide}V{height}"),
            };
            (before, wide) = (height, 0);
        }
        wide += 1;
    }
    let _ = write!(path, "h{wide}");
    path
}

/// The first of 1, 2 and 5 times a power of ten that is not below a number.
fn round_up(number: u64) -> u64 {
    let mut power = 1;
    loop {
        for step in [1, 2, 5] {
            if step * power >= number {
                return step * power;
            }
        }
        power *= 10;
    }
}

impl Paths {
    /// Draws a film.
    pub fn of(film: &Film) -> Self {
        let pages: Vec<_> = (0..HALVES)
            .map(|half| {
                let step = film.step((half + 1) * MINUTE / HALVES).unwrap_or_default().1;
                [step.used, step.used + step.saved].map(u64::from)
            })
            .collect();
        let pool = u64::from(film.settings.pages);
        let most = pages.iter().map(|[_, apart]| *apart).fold(pool, u64::max);
        let height = |value: u64, most: u64| HEIGHT - value * HEIGHT / most.max(1);
        let rates: Vec<u64> = (0..SECONDS)
            .map(|second| {
                let [from, to] = [second, second + 1].map(|at| film.ended(at * MINUTE / SECONDS).len());
                film.steps.get(from..to).unwrap_or_default().iter().map(|step| u64::from(step.written)).sum()
            })
            .collect();
        let top = round_up(rates.iter().copied().fold(1, u64::max));
        Self {
            lanes: format!("0 -1 {FIFTHS} {}", film.requests.len() + 1),
            stages: DRAWN.map(|stage| lines(film, stage)),
            pool: height(pool, most).to_string(),
            used: steps(pages.iter().map(|[used, _]| height(*used, most))) + &format!("V{HEIGHT}z"),
            apart: steps(pages.iter().map(|[_, apart]| height(*apart, most))),
            rate: steps(rates.iter().map(|rate| height(*rate, top))) + &format!("V{HEIGHT}z"),
            top: Grouped(top.into()).to_string(),
        }
    }

    /// All of it in its order.
    pub fn lines(self) -> [String; 10] {
        let [waiting, prefill, decode, preempted] = self.stages;
        [self.lanes, waiting, prefill, decode, preempted, self.pool, self.used, self.apart, self.rate, self.top]
    }
}
