//! The page's second program: it runs in a worker, takes texts piece by piece, and answers with plain data.
//!
//! It reads texts. Memory snapshots have a program of their own, which draws them too, `views/`. All other files are read by the one
//! that says what follows from everything, the model, the GPU and the estimate: `estimate/`. The same worker runs all three, and hands
//! reports from one to the other, see [`Pile::handed`] and [`Pile::reports`].

mod answer;

use memory_wall_core::display::ByteUnit;
use memory_wall_reports::{How, Sources, handover};
use wasm_bindgen::prelude::wasm_bindgen;

/// Everything that is handed over at once.
#[wasm_bindgen]
#[derive(Default)]
pub struct Pile {
    pile: memory_wall_reports::Pile,
    sources: Sources,
}

#[wasm_bindgen]
impl Pile {
    /// Nothing yet.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How the next file is read, by its first 64 KiB and its length: here as a `text`, by the third program as a `header` or as a
    /// `whole`, by the one for snapshots (`snapshot`), or not at all (`refused`).
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "lengths of files are whole numbers")]
    pub fn begin(&mut self, head: &[u8], length: f64) -> String {
        let how = match self.pile.begin(head, length as u64) {
            How::Text => "text",
            How::Header => "header",
            How::Whole => "whole",
            How::Snapshot => "snapshot",
            How::Refused => "refused",
        };
        how.to_owned()
    }

    /// The next piece of a text.
    pub fn text(&mut self, bytes: &[u8]) {
        self.pile.text(bytes);
    }

    /// The report of a file that another program read.
    pub fn handed(&mut self, report: &[u8]) {
        self.pile.handed(report);
    }

    /// Says why another program does not read the file.
    pub fn refuse(&mut self, why: String) {
        self.pile.refuse(why);
    }

    /// Ends a file: what comes then is another one.
    pub fn end(&mut self) {
        self.pile.end();
    }

    /// What all of it says, as JSON: once, when everything was handed over.
    pub fn answer(&mut self, gibibytes: bool) -> String {
        let unit = if gibibytes { ByteUnit::Gib } else { ByteUnit::Gb };
        self.sources = core::mem::take(&mut self.pile).finish();
        let Sources { found, unread, .. } = &self.sources;
        answer::json(found, unread, unit)
    }

    /// The reports as bytes, for the program that explains them: after [`Pile::answer`].
    pub fn reports(&self) -> Vec<u8> {
        handover::write(&self.sources.found.reports)
    }
}

#[cfg(test)]
mod tests;
