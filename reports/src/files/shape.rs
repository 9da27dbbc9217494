//! What the engine says of the shape that a file describes.

use alloc::vec;
use alloc::vec::Vec;

use memory_wall_core::Architecture;

use super::File;
use super::holdings::{Holding, Holdings, holding};
use crate::model_files::{ModelFile, ModelJson, kv_bytes_per_token};

impl File {
    /// The shape of the model, where the file is one that says it.
    fn architecture(&self) -> Option<Architecture> {
        match self {
            Self::Header(file) => match file.as_ref() {
                ModelFile::Gguf(file) => file.architecture().ok(),
                ModelFile::Safetensors(_) => None,
            },
            Self::Model(ModelJson::Config(config)) => config.architecture.clone().ok(),
            _ => None,
        }
    }

    /// The parameters of a config, and what a token of a sequence adds.
    pub(super) fn shape(&self) -> Vec<Holdings> {
        let Some(shape) = self.architecture() else { return Vec::new() };
        let mut tables = Vec::new();
        if let Self::Model(_) = self {
            let count = Some(shape.parameters().total());
            let rows = vec![Holding { name: "Parameters".into(), count, bytes: None }];
            tables.push(Holdings { title: "The model".into(), rows });
        }
        tables.extend(kv_bytes_per_token(shape).map(|bytes| Holdings {
            title: "Each token of a sequence".into(),
            rows: vec![holding("KV cache of one token, in 16 bits", None, u64::try_from(bytes.0).unwrap_or(u64::MAX))],
        }));
        tables
    }
}
