//! A run as another program takes it, for programs.

use memory_wall_plan::export::{Export, Line};
use serde::Serialize;

/// The answer of `export --json`.
#[derive(Debug, Serialize)]
pub(crate) struct Written<'a> {
    target: &'static str,
    file: &'static str,
    text: &'a str,
    settings: Vec<Row<'a>>,
    left_out: &'a [String],
    notes: &'a [String],
}

/// A setting and where it comes from.
#[derive(Debug, Serialize)]
struct Row<'a> {
    setting: &'a str,
    value: &'a str,
    from: &'a str,
}

impl<'a> Written<'a> {
    pub(crate) fn new(export: &'a Export, notes: &'a [String]) -> Self {
        let settings = export.lines.iter().map(|Line { place, value, from }| Row { setting: place, value, from });
        Self {
            target: export.target.id(),
            file: export.target.file(),
            text: &export.text,
            settings: settings.collect(),
            left_out: &export.left_out,
            notes,
        }
    }
}
