//! A minute of a server as it is shown: what became of each request, pages and speed over time as paths of a drawing, and every
//! moment in words. The prerenderer draws the figure with it, and the page's program for this figure draws it again with the
//! reader's settings, so the two cannot say different things.
//!
//! Words around the numbers are the page's.

mod film;
mod moment;
mod paths;

pub use film::{Film, Span};
pub use moment::{Moment, Summary};
pub use paths::Paths;

use memory_wall_core::server::{MINUTE, Settings};
use wasm_bindgen::prelude::wasm_bindgen;

/// Seconds of the minute.
pub const SECONDS: u64 = 60;

/// A film for the page: it answers with lines of text, and counts time in seconds.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Player(Film);

#[wasm_bindgen]
impl Player {
    /// The film of these settings with a model that reads up to `context` tokens; nothing where there is no such server.
    pub fn of(text: &str, context: u32) -> Option<Self> {
        let settings = Settings::read(text).filter(|settings| settings.load.longest() <= context)?;
        Film::of(settings).ok().map(Self)
    }

    /// The paths of the drawing.
    pub fn paths(&self) -> String {
        Paths::of(&self.0).lines().join("\n")
    }

    /// What can be said of the whole minute.
    pub fn summary(&self) -> String {
        Summary::of(&self.0).lines().join("\n")
    }

    /// What can be said of a moment.
    pub fn moment(&self, seconds: f64) -> String {
        Moment::of(&self.0, nanoseconds(seconds)).lines().join("\n")
    }

    /// The end of the next step after a moment.
    pub fn after(&self, seconds: f64) -> f64 {
        self.0.after(nanoseconds(seconds)) as f64 / 1e9
    }

    /// The end of the last step before a moment.
    pub fn before(&self, seconds: f64) -> f64 {
        self.0.before(nanoseconds(seconds)) as f64 / 1e9
    }
}

/// A moment of the minute.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates, and NaN is 0"
)]
fn nanoseconds(seconds: f64) -> u64 {
    // Rounded, so that the end of a step comes back as it went.
    ((seconds * 1e9 + 0.5) as u64).min(MINUTE)
}

#[cfg(test)]
mod tests;
