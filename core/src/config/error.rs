//! Why a config is refused, in words that name the field.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::architecture::ShapeError;
use crate::bounds::OutOfBounds;

use super::families::FAMILIES;

/// Why a `config.json` cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub enum ConfigError {
    /// No `model_type`.
    NoFamily,
    /// A `model_type` that is not modelled.
    UnknownFamily {
        /// What the file says.
        model_type: String,
        /// The fields whose meaning is known all the same.
        understood: Vec<String>,
    },
    /// A field that changes the model in a way that is not modelled.
    NotModelled(&'static str),
    /// A field that the family needs is not there.
    Missing(&'static str),
    /// A field holds the wrong kind of value.
    WrongKind {
        /// The field.
        field: &'static str,
        /// What was wanted.
        wanted: &'static str,
        /// What stands there.
        found: &'static str,
    },
    /// A number is outside its range.
    OutOfBounds {
        /// The field as the file calls it.
        field: &'static str,
        /// The range.
        error: OutOfBounds,
    },
    /// Two fields say what cannot both be.
    Contradiction {
        /// The one.
        one: &'static str,
        /// The other.
        other: &'static str,
    },
    /// The width of a head follows from the two numbers, and is not whole.
    HeadsDoNotDivide {
        /// `hidden_size`.
        hidden_size: u32,
        /// Query heads.
        heads: u32,
    },
    /// The numbers do not go together.
    Shape(ShapeError),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFamily => f.write_str("the config has no model_type, so its family is not known"),
            Self::UnknownFamily { model_type, understood } => {
                write!(f, "model_type {model_type:?} is not supported; supported are ")?;
                list(f, FAMILIES)?;
                if understood.is_empty() {
                    f.write_str("; no field of it was understood")
                } else {
                    f.write_str("; understood of its fields, but not used: ")?;
                    list(f, understood)
                }
            }
            Self::NotModelled(field) => write!(f, "the config has {field}, which is not modelled yet"),
            Self::Missing(field) => write!(f, "the config has no {field}"),
            Self::WrongKind { field, wanted, found } => write!(f, "{field} in the config is {found}, not {wanted}"),
            Self::OutOfBounds { field, error } => write!(f, "{field} in the config: {error}"),
            Self::Contradiction { one, other } => write!(f, "{one} and {other} in the config contradict each other"),
            Self::HeadsDoNotDivide { hidden_size, heads } => {
                write!(
                    f,
                    "the config has no head_dim, and hidden_size {hidden_size} is not a multiple of the {heads} heads"
                )
            }
            Self::Shape(error) => write!(f, "the config describes no possible model: {error}"),
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, names: &[impl AsRef<str>]) -> fmt::Result {
    for (place, name) in names.iter().enumerate() {
        if place > 0 {
            f.write_str(", ")?;
        }
        f.write_str(name.as_ref())?;
    }
    Ok(())
}

impl core::error::Error for ConfigError {}

impl From<ShapeError> for ConfigError {
    fn from(error: ShapeError) -> Self {
        Self::Shape(error)
    }
}
