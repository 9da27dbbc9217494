//! The model that is asked about, wherever it comes from.

use memory_wall_core::config::{ConfigError, Remark};
use memory_wall_core::engines::vllm;
use memory_wall_core::tables::models;
use memory_wall_core::{Architecture, Engine, Mode, Scenario, WeightFormat};
use memory_wall_plan::older;
use memory_wall_runtimes::pool::Family;

use crate::request::{Request, Source};
use crate::text::{QUOTED, quote, shortened};
use crate::{BadInput, absent, config_file, words};

/// Why a file is refused: its family by name, where that is one which people ask for.
fn refused(error: &ConfigError, path: &str) -> BadInput {
    let named = match error {
        ConfigError::UnknownFamily { model_type, .. } => absent::model("--config: model_type", model_type),
        _ => None,
    };
    named.unwrap_or_else(|| BadInput(format!("--config {}: {error}", quote(path))))
}

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
    /// The `model_type` of the language model, where it comes from a file.
    family: Option<String>,
    /// Whether the row of the table is the language model alone of a model that sees or hears too.
    language_part: bool,
}

impl Model {
    /// From the table, or from a file.
    pub(crate) fn load(source: &Source) -> Result<Self, BadInput> {
        match source {
            Source::Preset(model) => Ok(Self::listed(model)),
            Source::Config(path) => {
                let config_file::Named { name, config } = config_file::read("--config", path)?;
                let architecture = config.architecture().map_err(|error| refused(&error, &path.to_string_lossy()))?;
                let title = shortened(&name, QUOTED).escape_debug().to_string();
                let method = config.is_quantised().then(|| {
                    shortened(config.quantisation().unwrap_or("quantised"), QUOTED).escape_debug().to_string()
                });
                // What is said of a tower depends on the program, where its size is known.
                let seeing = architecture.tower.is_some();
                let told = |remark: &&Remark| !(seeing && matches!(remark, Remark::LanguageModelOnly { .. }));
                let remarks = config.remarks().iter().filter(told).map(ToString::to_string).collect();
                Ok(Self {
                    id: name,
                    title,
                    architecture,
                    stored: config.stored_weights(),
                    method,
                    remarks,
                    family: config.language_family().map(Into::into),
                    language_part: seeing,
                })
            }
        }
    }

    /// By what a server with a pool looks for its class.
    pub(crate) fn family(&self) -> Family<'_> {
        self.family.as_deref().map_or(Family::Listed(&self.id), Family::Config)
    }

    /// A row of the table.
    pub(crate) fn listed(model: &models::Model) -> Self {
        Self {
            id: model.id.into(),
            title: format!("{} ({})", model.name, model.id),
            architecture: model.architecture,
            stored: model.published(),
            method: model.published().map(|format| format.id().into()),
            remarks: Vec::new(),
            family: None,
            language_part: model.name.ends_with("(text)"),
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
            let auto = if scenario.runtime() == Some(Engine::Vllm) { ", as --dtype auto takes them there" } else { "" };
            format!("{} has no bf16: the weights are fp16, which take the same bytes{auto}.", gpu.name)
        });
        let only_fp32 = scenario
            .gpu
            .filter(|_| !request.weights_given && scenario.weights == WeightFormat::Fp32 && !scenario.has_fp16());
        let wide = only_fp32.map(|gpu| {
            format!(
                "{} has no bf16, and vLLM refuses fp16 for this model: weights and cache are fp32, as --dtype auto takes them there.",
                gpu.name
            )
        });
        let mut by_bitsandbytes = *scenario;
        by_bitsandbytes.training.lora.experts = false;
        let asked = scenario.mode == Mode::Qlora && scenario.training.lora.experts;
        let no_experts = (asked && !by_bitsandbytes.leaves_experts()).then(|| {
            let why = match scenario.architecture.moe {
                None => "the model has no routed experts",
                Some(_) => "no routed experts would stay in 16 bits without it",
            };
            format!("--quantised-experts has no effect here: {why}")
        });
        let served = scenario.runtime() == Some(Engine::Vllm);
        let alone = served && scenario.serving.language_model_only;
        let no_tower = (alone && scenario.architecture.tower.is_none()).then(|| {
            "--language-model-only has no effect here: the model has no vision tower that is counted".to_owned()
        });
        let part = (self.language_part && !alone && (served || self.family.is_some())).then(|| {
            match scenario.architecture.tower.filter(|_| served) {
                Some(tower) => format!(
                    "Of {} the language model and its vision tower of {} million parameters are counted, which vLLM loads too (--language-model-only leaves it out){}",
                    self.title,
                    tower.parameters / 1_000_000,
                    if scenario.check().is_ok_and(|checked| vllm::Run::of(&checked).tower() > 0) {
                        ", and its pass over the largest image while vLLM starts."
                    } else {
                        ". What its passes over images take while vLLM starts is counted in part: a margin of a few GB may be needed."
                    }
                ),
                None => format!(
                    "Of {} only the language model is counted; what sees and projects images, or hears, comes on top, and servers load it too.",
                    self.title
                ),
            }
        });
        let own = self.remarks.iter().cloned().chain(part);
        let untimed = scenario.untimed().map(words::untimed);
        let older = older::refusal(scenario).map(|older| {
            let mend = older.accepted_with.map_or_else(String::new, |ep| format!(" It accepts it with --ep {ep}."));
            format!("vLLM {} refuses this plan: {}.{mend}", older.release, older.refusal)
        });
        own.chain(older)
            .chain(stored)
            .chain(fallback)
            .chain(wide)
            .chain(no_experts)
            .chain(no_tower)
            .chain(untimed)
            .collect()
    }
}
