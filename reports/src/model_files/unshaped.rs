//! Without the feature `estimate`: a `config.json` is recognised, but its shape is not read, since that takes the engine.

use crate::values::JsonError;

/// Stands for the shape that a `config.json` describes.
#[derive(Clone, Debug, PartialEq)]
pub struct Described(());

impl Described {
    pub(crate) fn of(_: &[u8]) -> Result<Self, JsonError> {
        Ok(Self(()))
    }

    pub(crate) const fn within(_: &[u8]) -> Option<Self> {
        None
    }
}
