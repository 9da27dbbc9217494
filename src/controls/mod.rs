//! What the reader operates: what each control reads from the state, and what it writes.
//!
//! Controls are drawn once, with the figures, by the prerenderer; each says its name in the page (`data-control`, `data-field`,
//! `data-act`). The browser listens, and asks here what becomes of the state. What a control shows are names like all others.

mod fields;
mod picks;
mod quantities;
mod stops;

use memory_wall_core::WeightFormat;
use memory_wall_core::display::{ByteUnit, Grouped};

pub use fields::{FIELDS, Field, MEASURED, Own};
pub use picks::{PICKS, Pick};
pub use quantities::{Quantity, SLIDERS, Slider};
pub use stops::Stops;

use crate::live::Snapshot;
use crate::state::{State, dimensions};
use crate::words::fill;

/// `true` or `false` in words, for ARIA states.
fn said(holds: bool) -> String {
    if holds { "true" } else { "false" }.into()
}

/// The text with this name, `chosen.gpu` or `spoken.seq`; `None` for a name that is not known.
pub fn value(snapshot: &Snapshot, part: &str) -> Option<String> {
    let state = &snapshot.state;
    if let Some((what, control)) = part.split_once('.') {
        return Some(match what {
            "chosen" => Pick::by_control(control)?.chosen(state).into(),
            "place" => Slider::by_control(control)?.place(state).to_string(),
            "spoken" => Slider::by_control(control)?.spoken(snapshot),
            "field" => Field::by_control(control)?.text(state),
            "mark" => {
                let (control, mark) = control.split_once('.')?;
                said(Quantity::by_control(control)?.of(state) == mark.parse::<u32>().ok()?)
            }
            "unit" => said(state.unit == ByteUnit::from_id(control)?),
            _ => return None,
        });
    }
    Some(match part {
        // The formats that the mode can use; the page hides the others.
        "offered" => {
            let offered = WeightFormat::ALL.iter().filter(|format| state.mode.takes(**format));
            offered.map(|format| format.id()).collect::<Vec<_>>().join(" ")
        }
        "counted" if state.draft.is_some() => dimensions::disagreement(state)?,
        "counted" => {
            let parameters = snapshot.evaluation.parameters.total();
            fill("control.dimensions.counted", &[("parameters", &Grouped(parameters.into()).to_string())])
        }
        // Said rather than disabled: a button that is pressed keeps the focus.
        "unchanged" => said(state.written() == state.model.architecture),
        "published" => fill("control.dimensions.reset", &[("model", state.model.name)]),
        _ => return None,
    })
}

/// Whether a condition holds: `idle.kv` for a list that changes nothing in this mode.
pub fn flag(state: &State, part: &str) -> Option<bool> {
    match part.split_once('.') {
        Some(("idle", control)) => Some(Pick::by_control(control)?.is_idle(state)),
        None if part == "waits" => Some(state.draft.is_some()),
        Some(("unit", id)) => Some(state.unit == ByteUnit::from_id(id)?),
        _ => None,
    }
}
