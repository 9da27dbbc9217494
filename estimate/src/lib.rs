//! The page's third program: it runs in the worker of the second one (`explain/`), takes the reports that were read, and says what
//! follows from them: the model, the GPU, the estimate beside each term, the likeliest cause, and the changes that help most.
//!
//! Files that say the shape of a model it reads itself, since they are short.

mod answer;
mod link;

use memory_wall_core::Scenario;
use memory_wall_core::display::ByteUnit;
use memory_wall_core::tables::models::{self, MODELS, Model};
use memory_wall_reports::explain::{FoundModel, Known, Stated, explain};
use memory_wall_reports::files::{self, File, Kind, Opening};
use memory_wall_reports::memory_report::MemoryReport;
use memory_wall_reports::model_files::read_model_json;
use memory_wall_reports::values::Written;
use memory_wall_reports::{Found, handover};
use wasm_bindgen::prelude::wasm_bindgen;

/// The longest JSON file that is read for a model's shape; a report of a step has a few hundred kilobytes.
const LONGEST_JSON: f64 = 16e6;

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

/// What is explained, all at once. Why a file is not read, the second program says.
#[wasm_bindgen]
#[derive(Default)]
pub struct Run {
    opening: Opening,
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

    /// How the next file is read, as the second program has it: `header`, `whole`, or nothing of it (`passed`).
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "lengths of files are whole numbers")]
    pub fn begin(&mut self, head: &[u8], length: f64) -> String {
        let how = match files::recognise(head, length as u64) {
            Some(Kind::Model) => {
                self.opening.header(head, length as u64);
                "header"
            }
            Some(Kind::Json) if length <= LONGEST_JSON => "whole",
            _ => "passed",
        };
        how.to_owned()
    }

    /// From where to where the header's next piece goes; empty once it is read.
    pub fn wants(&self) -> Vec<f64> {
        self.opening.wants().map(|range| vec![range.start as f64, range.end as f64]).unwrap_or_default()
    }

    /// The piece of the header that was wanted.
    pub fn give(&mut self, bytes: &[u8]) {
        let _ = self.opening.give(bytes);
    }

    /// A JSON file as a whole.
    pub fn whole(&mut self, bytes: &[u8]) {
        if let Ok(report) = MemoryReport::read(bytes) {
            self.opening.open(File::Report(Box::new(report)));
        } else if let Ok(Some(model)) = read_model_json(bytes) {
            self.opening.open(File::Model(model));
        }
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

    /// Ends a file: what comes then is another one.
    pub fn end(&mut self) {
        let _ = self.opening.end();
    }

    /// What follows from the reports, which the second program wrote as bytes, as JSON.
    pub fn answer(self, reports: &[u8], gibibytes: bool) -> String {
        let unit = if gibibytes { ByteUnit::Gib } else { ByteUnit::Gb };
        let found = Found { reports: handover::read(reports).unwrap_or_default(), ..Found::default() };
        let files = self.opening.finish();
        let Choice { model, batch, seq_length } = self.stated;
        let sizes = batch > 0 && seq_length > 0;
        let adjust = |scenario: &mut Scenario| {
            if sizes {
                (scenario.batch, scenario.seq_length) = (batch, seq_length);
            }
        };
        let model = model.map(|model| FoundModel::listed(model, Known::Stated));
        let stated = Stated { model, gpu: None, mode: None, adjust: &adjust, sizes };
        let explanation = explain(&found, &files, &stated);
        answer::json(&found, &files, &explanation, unit)
    }
}

#[cfg(test)]
mod tests;
