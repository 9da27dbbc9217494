//! The page's second program: it runs in a worker, takes texts and files piece by piece, and answers with plain data.
//!
//! It has the readers alone. What follows from what they read, the model, the GPU and the estimate, is said by a program of its own,
//! `estimate/`, which the same worker runs and hands the reports to, see [`Pile::reports`].

mod answer;

use memory_wall_core::display::ByteUnit;
use memory_wall_reports::files::{self, File, Kind, LARGEST, NotRead, Opened, add};
use memory_wall_reports::model_files::{self, ModelFile};
use memory_wall_reports::{Found, Reader, handover};
use wasm_bindgen::prelude::wasm_bindgen;

/// Everything that is handed over at once.
#[wasm_bindgen]
#[derive(Default)]
pub struct Pile {
    reader: Reader,
    files: Vec<Opened>,
    unread: Vec<(u16, String)>,
    source: u16,
    header: Option<model_files::Reader>,
    found: Found,
}

#[wasm_bindgen]
impl Pile {
    /// Nothing yet.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How the next file is read, by its first 64 bytes and its length: `text` in pieces, `header` as [`Pile::wants`] says, `whole`
    /// in one piece, or not at all (`refused`).
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "lengths of files are whole numbers")]
    pub fn begin(&mut self, head: &[u8], length: f64) -> String {
        let length = length as u64;
        // A log with an object in each line may be of any size.
        let kind = files::recognise(head, length).filter(|kind| *kind != Kind::Json || length <= LARGEST);
        let how = match kind {
            None => "text",
            Some(Kind::Refused(why)) => {
                self.refuse(why.to_owned());
                "refused"
            }
            Some(Kind::Model) => {
                self.header = model_files::Reader::of(head, length);
                "header"
            }
            Some(Kind::Json) => "whole",
            Some(Kind::Pickle) if length <= LARGEST => "whole",
            Some(Kind::Pickle) => {
                self.refuse(format!("it is larger than the {} MB that are read", LARGEST / 1_000_000));
                "refused"
            }
        };
        how.to_owned()
    }

    /// The next piece of a text.
    pub fn text(&mut self, bytes: &[u8]) {
        self.reader.feed(bytes);
    }

    /// From where to where the header's next piece goes; empty once it is read.
    pub fn wants(&self) -> Vec<f64> {
        let range = self.header.as_ref().and_then(model_files::Reader::wants);
        range.map(|range| vec![range.start as f64, range.end as f64]).unwrap_or_default()
    }

    /// The piece of the header that was wanted.
    pub fn give(&mut self, bytes: &[u8]) {
        let Some(header) = self.header.as_mut() else { return };
        if let Err(why) = header.give(bytes) {
            self.header = None;
            self.refuse(why.to_string());
        }
    }

    /// A file as a whole.
    pub fn whole(&mut self, bytes: &[u8]) {
        match files::read(bytes) {
            Ok(Some(file)) => self.open(file),
            Ok(None) => self.reader.feed(bytes),
            Err(why) => {
                self.refuse(why.to_string());
                // A log whose lines are JSON objects is a text all the same.
                if !matches!(why, NotRead::Snapshot(_)) {
                    self.reader.feed(bytes);
                }
            }
        }
    }

    /// Ends a file: what comes then is another one.
    pub fn end(&mut self) {
        if let Some(file) = self.header.take().and_then(model_files::Reader::finish) {
            self.open(File::Header(Box::<ModelFile>::new(file)));
        }
        self.reader.next_source();
        self.source = self.source.saturating_add(1);
    }

    /// What all of it says, as JSON: once, when everything was handed over.
    pub fn answer(&mut self, gibibytes: bool) -> String {
        let unit = if gibibytes { ByteUnit::Gib } else { ByteUnit::Gb };
        let mut found = core::mem::take(&mut self.reader).finish();
        self.unread.retain(|(source, _)| !found.reports.iter().any(|report| report.source == *source));
        add(&mut found, &self.files);
        let json = answer::json(&found, &self.files, &self.unread, unit);
        self.found = found;
        json
    }

    /// The reports as bytes, for the program that explains them: after [`Pile::answer`].
    pub fn reports(&self) -> Vec<u8> {
        handover::write(&self.found.reports)
    }
}

impl Pile {
    fn open(&mut self, file: File) {
        self.files.push(Opened { source: self.source, file });
    }

    fn refuse(&mut self, why: String) {
        self.unread.push((self.source, why));
    }
}

#[cfg(test)]
mod tests;
