//! The model that is asked about, wherever it comes from.

use memory_wall_core::Architecture;
use memory_wall_core::tables::models;

use crate::request::{Request, Source};
use crate::text::{QUOTED, quote, shortened};
use crate::{BadInput, config_file};

/// A model with its names.
#[derive(Debug)]
pub(crate) struct Model {
    /// Id, or file name.
    pub(crate) id: String,
    /// For people.
    pub(crate) title: String,
    /// Its shape.
    pub(crate) architecture: Architecture,
    /// Whether the checkpoint says that it is stored quantised.
    quantised: bool,
}

impl Model {
    /// From the table, or from a file.
    pub(crate) fn load(source: &Source) -> Result<Self, BadInput> {
        match source {
            Source::Preset(model) => Ok(Self::listed(model)),
            Source::Config(path) => {
                let config_file::Named { name, config } = config_file::read(path)?;
                let architecture = config
                    .architecture()
                    .map_err(|error| BadInput(format!("--config {}: {error}", quote(&path.to_string_lossy()))))?;
                let title = shortened(&name, QUOTED).escape_debug().to_string();
                Ok(Self { id: name, title, architecture, quantised: config.is_quantised() })
            }
        }
    }

    /// A row of the table.
    pub(crate) fn listed(model: &models::Model) -> Self {
        Self {
            id: model.id.into(),
            title: format!("{} ({})", model.name, model.id),
            architecture: model.architecture,
            quantised: false,
        }
    }

    /// What to say of a checkpoint that is stored quantised where no weight format was named.
    pub(crate) fn remark(&self, request: &Request, weights: &str) -> Option<String> {
        (self.quantised && !request.weights_given).then(|| {
            format!("The checkpoint is stored quantised; {weights} weights were assumed, as --weights is not given.")
        })
    }
}
