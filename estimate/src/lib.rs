//! The page's third program: it runs in the worker of the second one (`explain/`), takes the reports that were read, and says what
//! follows from them: the model, the GPU, the estimate beside each term, the likeliest cause, and the changes that help most.
//!
//! It also reads the files that are neither texts nor memory snapshots, headers of model files and JSON, since the estimate needs what
//! they hold. What they say as reports goes to the second program, see [`Run::report`].

mod answer;
mod link;

use memory_wall_core::Scenario;
use memory_wall_core::display::ByteUnit;
use memory_wall_core::tables::models::{self, MODELS, Model};
use memory_wall_reports::explain::{FoundModel, Known, Stated, explain};
use memory_wall_reports::files::{self, File, Opened, Opening};
use memory_wall_reports::values::Written;
use memory_wall_reports::{Found, handover};
use wasm_bindgen::prelude::wasm_bindgen;

/// What a reader chooses where the files don't say it.
#[derive(Default)]
struct Choice {
    model: Option<&'static Model>,
    batch: u32,
    seq_length: u32,
}

/// The models of the table, id and name, as a list in JSON.
#[wasm_bindgen]
pub fn model_names() -> String {
    let mut json = Written::default();
    json.within('[', &mut |json| MODELS.iter().for_each(|model| json.texts(&[model.id.into(), model.name.into()])));
    json.finish()
}

/// What is explained, all at once, with the files that belong to it.
#[wasm_bindgen]
#[derive(Default)]
pub struct Run {
    opening: Opening,
    refused: Option<String>,
    stated: Choice,
}

#[wasm_bindgen]
impl Run {
    /// Nothing yet.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Says which of all that was handed over comes next, by its place.
    pub fn at(&mut self, source: u16) {
        self.opening.at(source);
        self.refused = None;
    }

    /// Starts reading a model file, from its first bytes and its length.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "lengths of files are whole numbers")]
    pub fn header(&mut self, head: &[u8], length: f64) {
        self.opening.header(head, length as u64);
    }

    /// From where to where the header's next piece goes; empty once it is read.
    pub fn wants(&self) -> Vec<f64> {
        self.opening.wants().map(|range| vec![range.start as f64, range.end as f64]).unwrap_or_default()
    }

    /// The piece of the header that was wanted.
    pub fn give(&mut self, bytes: &[u8]) {
        if let Err(why) = self.opening.give(bytes) {
            self.refused = Some(why.to_string());
        }
    }

    /// A JSON file as a whole.
    pub fn whole(&mut self, bytes: &[u8]) {
        match files::read(bytes) {
            Ok(Some(file)) => self.opening.open(file),
            Ok(None) => {}
            Err(why) => self.refused = Some(why.to_string()),
        }
    }

    /// Ends a file: JSON with its `tables` and `notes`, or with the reason why it is `refused`, or `null` where it is none of those
    /// that are read here.
    pub fn end(&mut self, gibibytes: bool) -> String {
        let unit = if gibibytes { ByteUnit::Gib } else { ByteUnit::Gb };
        if let Err(why) = self.opening.close() {
            self.refused = Some(why.to_string());
        }
        let mut json = Written::default();
        match (self.refused.as_ref(), self.file()) {
            (Some(why), _) => json.within('{', &mut |json| json.name("refused").text(why)),
            (None, Some(Opened { source, file })) => json.within('{', &mut |json| {
                json.name("tables").within('[', &mut |json| {
                    file.holdings().iter().for_each(|table| table.write(json, *source, unit));
                });
                json.name("notes").texts(&file.remarks());
            }),
            (None, None) => json.nothing(),
        }
        json.finish()
    }

    /// What the file that was read says as a report, for the program that takes reports together.
    pub fn report(&self) -> Vec<u8> {
        self.file().map(|it| handover::write(&[it.file.report(it.source)])).unwrap_or_default()
    }

    /// The fullest moment of a snapshot, as the program for snapshots encodes it.
    pub fn peak(&mut self, bytes: &[u8]) {
        if let Some(peak) = handover::read_peak(bytes) {
            self.opening.open(File::Peak(Box::new(peak)));
        }
    }

    /// States what the files don't say: a model of the table by its id, and the sizes of a training step, where they are not 0.
    pub fn state(&mut self, model: &str, batch: u32, seq_length: u32) {
        self.stated = Choice { model: models::by_id(model), batch, seq_length };
    }

    /// What follows from the reports, which the second program wrote as bytes, as JSON.
    pub fn answer(&self, reports: &[u8], gibibytes: bool) -> String {
        let unit = if gibibytes { ByteUnit::Gib } else { ByteUnit::Gb };
        let found = Found { reports: handover::read(reports).unwrap_or_default(), ..Found::default() };
        let files = self.opening.files();
        let Choice { model, batch, seq_length } = self.stated;
        let sizes = batch > 0 && seq_length > 0;
        let adjust = |scenario: &mut Scenario| {
            if sizes {
                (scenario.batch, scenario.seq_length) = (batch, seq_length);
            }
        };
        let model = model.map(|model| FoundModel::listed(model, Known::Stated));
        let stated = Stated { model, gpu: None, mode: None, adjust: &adjust, sizes };
        let explanation = explain(&found, files, &stated);
        answer::json(&found, files, &explanation, unit)
    }
}

impl Run {
    /// The file at the place that was said last, once it was read.
    fn file(&self) -> Option<&Opened> {
        self.opening.files().iter().find(|opened| opened.source == self.opening.source())
    }
}

#[cfg(test)]
mod tests;
