//! `model.safetensors.index.json`: which file of a checkpoint holds which tensor.

use alloc::string::String;

use crate::by_name::ByName;
use crate::values::{Container, Value, Values};

use super::class::{CLASSES, Forms};

/// The index of a checkpoint in several files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// Bytes of all tensors, as the index says.
    pub total_size: Option<u64>,
    /// How many parameters there are, where it says so.
    pub total_parameters: Option<u64>,
    /// How many tensors there are of each class, in the order of [`CLASSES`]; their sizes stand in the files.
    pub tensors: [u32; CLASSES.len()],
    /// The files.
    pub files: ByName<()>,
}

impl Index {
    /// Whether an object is an index.
    pub(super) fn is_one(values: &Values<'_>, root: Container) -> bool {
        matches!(values.field(root, b"weight_map"), Some(Value::Object(_)))
    }

    /// Reads an index; what is no name of a file is passed over.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is within the range that was asked for"
    )]
    pub(super) fn of(values: &Values<'_>, root: Container) -> Self {
        let mut index = Self::default();
        if let Some(Value::Object(metadata)) = values.field(root, b"metadata") {
            let number = |name: &[u8]| match values.field(metadata, name) {
                Some(Value::Whole(number)) => Some(number),
                // Some programs write it as a fraction.
                Some(Value::Number(number)) if (0.0..9e15).contains(&number) => Some(number as u64),
                _ => None,
            };
            (index.total_size, index.total_parameters) = (number(b"total_size"), number(b"total_parameters"));
        }
        if let Some(Value::Object(map)) = values.field(root, b"weight_map") {
            let mut forms = Forms::default();
            for (name, file) in values.fields(map) {
                let Value::Text(file) = file else { continue };
                let class = forms.class(&String::from_utf8_lossy(name));
                if let Some(count) = index.tensors.get_mut(class as usize) {
                    *count += 1;
                }
                index.files.insert(&String::from_utf8_lossy(values.text(file)), ());
            }
        }
        index
    }
}
