//! The dimensions of a model that a reader can change: which of them do not go together, in words.

pub use memory_wall_core::architecture::Dimension;
use memory_wall_core::architecture::ShapeError;

use super::State;
use crate::words;

/// The dimensions that do not go together, if a shape is no model.
pub fn disagreeing(error: ShapeError) -> &'static [Dimension] {
    match error {
        ShapeError::KvHeadsDoNotDivide { .. } => &[Dimension::Heads, Dimension::KvHeads],
        _ => &Dimension::ALL,
    }
}

/// Which of the reader's dimensions do not go together, in words, and what every figure stands for meanwhile.
pub fn disagreement(state: &State) -> Option<String> {
    let error = state.disagreement()?;
    let kept = disagreeing(error).iter().map(|one| format!("{} {}", one.id(), one.of(&state.shape)));
    let kept = words::joined(&kept.collect::<Vec<_>>(), ", ");
    Some(words::ControlDimensionsWaits { error: &refusal(error), kept: &kept }.text())
}

/// Why dimensions make no model, in words. Each is within its range by then, and no kind has more layers than there are.
pub fn refusal(error: ShapeError) -> String {
    match error {
        ShapeError::KvHeadsDoNotDivide { heads, kv_heads } => {
            words::ShapeHeads { heads: &heads.to_string(), kv_heads: &kv_heads.to_string() }.text()
        }
        _ => words::shape_other().into(),
    }
}
