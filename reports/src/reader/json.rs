//! A model's config among other text.

use alloc::string::String;
use alloc::vec::Vec;

use super::State;
use crate::report::Report;
use crate::scan;
use crate::what::Kind;

/// The largest JSON text that is kept to be read as a whole.
const LONGEST_JSON: usize = 1 << 20;

/// A JSON object that may be a model's config.
#[derive(Debug)]
pub(super) struct Json {
    text: Vec<u8>,
    from: usize,
    depth: usize,
    quoted: bool,
    escaped: bool,
}

impl State {
    /// Takes a line, where a config may begin or go on.
    pub(super) fn json(&mut self, raw: &[u8], number: usize) {
        let line = raw.trim_ascii_start();
        let begins = if self.json.is_some() {
            Some(0)
        } else if line.first() == Some(&b'{') {
            Some(raw.len() - line.len())
        } else if line.trim_ascii_end().ends_with(b"Config {") {
            raw.iter().rposition(|byte| *byte == b'{')
        } else {
            None
        };
        let Some(from) = begins else { return };
        let mut json = self.json.take().unwrap_or(Json {
            text: Vec::new(),
            from: number,
            depth: 0,
            quoted: false,
            escaped: false,
        });
        let text = raw.get(from..).unwrap_or_default();
        let mut end = None;
        for (at, byte) in text.iter().enumerate() {
            match byte {
                _ if json.escaped => json.escaped = false,
                b'\\' if json.quoted => json.escaped = true,
                b'"' => json.quoted = !json.quoted,
                b'{' | b'[' if !json.quoted => json.depth += 1,
                b'}' | b']' if !json.quoted => {
                    json.depth = json.depth.saturating_sub(1);
                    if json.depth == 0 {
                        end = Some(at + 1);
                        break;
                    }
                }
                _ => {}
            }
        }
        // A line's end ends a string that was not closed.
        json.quoted = false;
        json.escaped = false;
        if json.text.len() + text.len() > LONGEST_JSON {
            return;
        }
        match end {
            None => {
                json.text.extend_from_slice(text);
                json.text.push(b'\n');
                self.json = Some(json);
            }
            Some(end) => {
                json.text.extend_from_slice(text.get(..end).unwrap_or_default());
                self.config(json, number);
            }
        }
    }

    pub(super) fn config(&mut self, json: Json, number: usize) {
        let is_config = scan::has(&json.text, "\"model_type\"")
            && ["\"hidden_size\"", "\"n_embd\"", "\"text_config\"", "\"d_model\""]
                .iter()
                .any(|key| scan::has(&json.text, key));
        let Ok(text) = String::from_utf8(json.text) else { return };
        if !is_config {
            return;
        }
        // What stands in a config of a checkpoint are no settings of a run.
        for report in &mut self.open {
            if report.kind == Kind::Trainer {
                report.facts.retain(|fact| !(json.from..=number).contains(&fact.place.line));
            }
        }
        let mut report = Report::new(Kind::Config, self.source, json.from);
        report.to = number;
        report.text = Some(text.into_boxed_str());
        self.close(report);
    }
}
