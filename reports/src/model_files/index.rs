//! `model.safetensors.index.json`: which file of a checkpoint holds which tensor.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString as _};

use crate::values::{Container, Value, Values};

use super::class::Class;

/// The index of a checkpoint in several files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// Bytes of all tensors, as the index says.
    pub total_size: Option<u64>,
    /// How many parameters there are, where it says so.
    pub total_parameters: Option<u64>,
    /// How many tensors there are of each class; their sizes stand in the files.
    pub tensors: BTreeMap<Class, u32>,
    /// The files.
    pub files: BTreeSet<String>,
}

impl Index {
    /// Whether an object is an index.
    pub(super) fn is_one(values: &Values<'_>, root: Container) -> bool {
        matches!(values.field(root, b"weight_map"), Some(Value::Object(_)))
    }

    /// Reads an index; what is no name of a file is passed over.
    pub(super) fn of(values: &Values<'_>, root: Container) -> Self {
        let mut index = Self::default();
        if let Some(Value::Object(metadata)) = values.field(root, b"metadata") {
            let number = |name: &[u8]| match values.field(metadata, name) {
                Some(Value::Whole(number)) => Some(number),
                // Some programs write it as a fraction.
                Some(Value::Number(number)) if (0.0..9e15).contains(&number) => alloc::format!("{number}").parse().ok(),
                _ => None,
            };
            (index.total_size, index.total_parameters) = (number(b"total_size"), number(b"total_parameters"));
        }
        if let Some(Value::Object(map)) = values.field(root, b"weight_map") {
            for (name, file) in values.fields(map) {
                let Value::Text(file) = file else { continue };
                *index.tensors.entry(Class::of(&String::from_utf8_lossy(name))).or_default() += 1;
                index.files.insert(String::from_utf8_lossy(values.text(file)).to_string());
            }
        }
        index
    }
}
