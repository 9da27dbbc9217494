//! How long a model's table of rotations is, by what its file says of scaled positions.

use crate::architecture::Architecture;

use super::fields::Fields;
use super::value::{Object, Value};

/// More is no scaling that a published model has.
const MOST: f64 = 64.0;

/// Positions of the table over those of `max_position_embeddings`, at the width of a head.
///
/// # Formula
/// The factor of `linear` and `dynamic` scaling, rounded up; four where positions have three axes, of which only twice the sum of `mrope_section` rotates; else 1.
///
/// # Source
/// vLLM 0.25.1, `LinearScalingRotaryEmbedding`, `DynamicNTKScalingRotaryEmbedding` and `MRotaryEmbedding`. Tables of YaRN, `llama3` and `longrope` end at `max_position_embeddings`. Read 2026-11-28.
pub(super) fn stretch(fields: Fields<'_>, shape: &Architecture) -> u32 {
    let Some(scaling) = ["rope_scaling", "rope_parameters"].into_iter().find_map(|name| object(fields.get(name)))
    else {
        return 1;
    };
    // Newer files say it for each kind of layer.
    let scaling = object(scaling.get("full_attention")).unwrap_or(scaling);
    if let Some(Value::List(axes)) = scaling.get("mrope_section") {
        let widths = axes.iter().map(|axis| if let Value::Whole(width) = axis { *width } else { 0 });
        let rotated = widths.fold(0, u64::saturating_add);
        let times = 8 * u128::from(rotated) / u128::from(shape.head_dim.max(1));
        return u32::try_from(times.clamp(1, 4)).unwrap_or(4);
    }
    let kind = ["rope_type", "type"].into_iter().find_map(|name| scaling.get(name));
    if !matches!(kind, Some(Value::Text(kind)) if kind == "linear" || kind == "dynamic") {
        return 1;
    }
    let factor = match scaling.get("factor") {
        Some(Value::Whole(factor)) => *factor as f64,
        Some(Value::Number(factor)) => *factor,
        _ => 1.0,
    };
    let factor = factor.clamp(1.0, MOST);
    // What is no number casts to 0.
    let whole = factor as u32;
    (whole + u32::from(factor > f64::from(whole))).max(1)
}

fn object(value: Option<&Value>) -> Option<&Object> {
    match value {
        Some(Value::Object(object)) => Some(object),
        _ => None,
    }
}
