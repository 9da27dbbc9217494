//! The model that is asked about, wherever it comes from.

use memory_wall_core::tables::models;
use memory_wall_core::{Architecture, Scenario, WeightFormat};

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
    /// How the checkpoint says that it is stored, where that is certain.
    pub(crate) stored: Option<WeightFormat>,
    /// How a quantised checkpoint names its method.
    method: Option<String>,
    /// What else the file has to be said of.
    remarks: Vec<String>,
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
                let method = config.is_quantised().then(|| {
                    shortened(config.quantisation().unwrap_or("quantised"), QUOTED).escape_debug().to_string()
                });
                let remarks = config.remarks().iter().map(ToString::to_string).collect();
                Ok(Self { id: name, title, architecture, stored: config.stored_weights(), method, remarks })
            }
        }
    }

    /// A row of the table.
    pub(crate) fn listed(model: &models::Model) -> Self {
        Self {
            id: model.id.into(),
            title: format!("{} ({})", model.name, model.id),
            architecture: model.architecture,
            stored: None,
            method: None,
            remarks: Vec::new(),
        }
    }

    /// What to say of the file, and of a quantised checkpoint where no weight format was named.
    pub(crate) fn remarks(&self, request: &Request, scenario: &Scenario) -> Vec<String> {
        let stored = self.method.as_ref().filter(|_| !request.weights_given).map(|method| {
            let weights = scenario.weights.id();
            if self.stored == Some(scenario.weights) {
                format!("The checkpoint is stored quantised ({method}): {weights} weights, as --weights is not given.")
            } else {
                format!(
                    "The checkpoint is stored quantised ({method}); {weights} weights were assumed, as --weights is not given."
                )
            }
        });
        let bf16 = scenario.gpu.filter(|_| {
            !request.weights_given && scenario.weights == WeightFormat::Fp16 && self.stored != Some(WeightFormat::Fp16)
        });
        let fallback = bf16.map(|gpu| {
            format!("vLLM has no bf16 on {}: the weights are fp16, as its --dtype auto takes them there.", gpu.name)
        });
        self.remarks.iter().cloned().chain(stored).chain(fallback).collect()
    }
}
