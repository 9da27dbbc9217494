//! How long a model's table of rotations is, by what its file says of scaled positions.

use crate::architecture::Architecture;

use super::fields::Fields;
use super::value::{Object, Value};

/// More is no scaling that a published model has.
const MOST: u64 = 64;

/// What vLLM multiplies a table for positions on three axes with.
const AXES: u64 = 4;

/// Rows of the table over `max_position_embeddings`, at the width of a head.
///
/// # Formula
/// The factor of `linear` scaling; of `yarn` `original_max_position_embeddings` × factor over `max_position_embeddings`, which is 1 where the file has the product; else 1. Four times that where positions have three
/// axes, of which only twice the sum of `mrope_section` rotates. Rounded up.
///
/// # Assumes
/// The short table of `longrope` is not counted: a few thousand rows.
///
/// # Source
/// vLLM 0.25.1, `LinearScalingRotaryEmbedding`, `YaRNScalingRotaryEmbedding` and `MRotaryEmbedding`; tables of `dynamic` and `llama3` end at `max_position_embeddings`. Read 2026-11-28.
pub(super) fn stretch(fields: Fields<'_>, shape: &Architecture) -> u8 {
    let Some(scaling) = ["rope_scaling", "rope_parameters"].into_iter().find_map(|name| object(fields.get(name)))
    else {
        return 1;
    };
    // Newer files say it for each kind of layer.
    let scaling = object(scaling.get("full_attention")).unwrap_or(scaling);
    let factor = scaling.get("factor").map_or(100, hundredths);
    let written = whole(shape.trained_context.map(u64::from));
    let kind = ["rope_type", "type"].into_iter().find_map(|name| scaling.get(name));
    let hundred_times = match kind {
        Some(Value::Text(kind)) if kind == "linear" => factor,
        Some(Value::Text(kind)) if kind == "yarn" => {
            let original = match scaling.get("original_max_position_embeddings") {
                Some(Value::Whole(rows)) => whole(Some(*rows)),
                _ => written,
            };
            (original * factor).div_ceil(written)
        }
        _ => 100,
    };
    let axes = match scaling.get("mrope_section") {
        Some(Value::List(axes)) => {
            let widths = axes.iter().map(|axis| if let Value::Whole(width) = axis { *width } else { 0 });
            let rotated = widths.fold(0, u64::saturating_add).min(shape.head_dim.into());
            (2 * AXES * rotated).div_ceil(u64::from(shape.head_dim.max(1))).clamp(1, AXES)
        }
        _ => 1,
    };
    let times = hundred_times.div_ceil(100).clamp(1, MOST) * axes;
    u8::try_from(times).unwrap_or(u8::MAX)
}

/// A number of rows that can be multiplied and divided by.
fn whole(rows: Option<u64>) -> u64 {
    rows.unwrap_or(1).clamp(1, u32::MAX.into())
}

/// A factor in hundredths, rounded up, within what a model may have; 100 of what is none.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number from 1 to 6,400")]
fn hundredths(factor: &Value) -> u64 {
    match factor {
        Value::Whole(factor) => 100 * (*factor).clamp(1, MOST),
        Value::Number(factor) if *factor > 1.0 => {
            let exact = 100.0 * factor.min(MOST as f64);
            let down = exact as u64;
            down + u64::from(exact > down as f64)
        }
        _ => 100,
    }
}

fn object(value: Option<&Value>) -> Option<&Object> {
    match value {
        Some(Value::Object(object)) => Some(object),
        _ => None,
    }
}
