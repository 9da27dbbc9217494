//! The run that reports describe, as a scenario of the engine.

use alloc::string::String;
use alloc::vec::Vec;

use memory_wall_core::scenario::Unsupported;
use memory_wall_core::serving::Speculation;
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::{Architecture, Checked, Engine, Mode, Scenario, ScenarioError};

use super::{FoundModel, Note, Stated, measured, settings};
use crate::Report;
use crate::files::{File, Opened};
use crate::what::{Kind, What};

/// A run with all that is known of it.
pub(super) struct Subject<'a> {
    pub(super) reports: &'a [&'a Report],
    pub(super) files: &'a [Opened],
    pub(super) program: Kind,
    pub(super) model: &'a FoundModel,
}

impl Subject<'_> {
    /// The scenario, and whether the sizes of a step are known; `None` where nothing says what the run did.
    pub(super) fn scenario(
        &self,
        stated: &Stated<'_>,
        gpu: Option<&'static Gpu>,
        notes: &mut Vec<Note>,
    ) -> Option<(Result<Checked, ScenarioError>, bool)> {
        let architecture: Architecture = self.model.architecture;
        let mut scenario = Scenario::new(architecture);
        let served = matches!(
            self.program,
            Kind::Vllm | Kind::Sglang | Kind::TensorRtLlm | Kind::Tgi | Kind::LlamaCpp | Kind::Ollama | Kind::Ggml
        );
        let trains = settings::trains(self.reports) || measured::trains(self.files);
        let known = served || trains || stated.mode.is_some();
        if !known {
            return None;
        }
        *notes = settings::apply(self.reports, self.program, &self.model_name(), self.model.stored, &mut scenario);
        for opened in self.files {
            if let File::Report(report) = &opened.file {
                measured::describe(report, &mut scenario, notes);
            }
        }
        if let Some(mode) = stated.mode {
            scenario.mode = mode;
            scenario.weights = mode.nearest(scenario.weights);
            if mode.trains() && served {
                scenario.serving.engine = Engine::Exact;
            }
        }
        let read = scenario.weights;
        (stated.adjust)(&mut scenario);
        if scenario.weights != read {
            notes.retain(|note| *note != Note::WeightsUnknown);
        }
        if stated.sizes {
            notes.retain(|note| !matches!(note, Note::Missing(_)));
        }
        if scenario.mode == Mode::Inference {
            notes.retain(|note| !matches!(note, Note::Missing(_) | Note::RecipeAssumed));
        }
        let known = !notes.contains(&Note::WeightsUnknown);
        let missing = notes.iter().any(|note| matches!(note, Note::Missing(_)));
        let sized = known && !(scenario.mode.trains() && missing);
        // What a model was made for is the longest that a server takes by itself.
        let most = [architecture.trained_context, architecture.end_of_table()].into_iter().flatten().min();
        if served && scenario.serving.max_model_len.is_none() && self.program != Kind::LlamaCpp {
            scenario.seq_length = most.unwrap_or(scenario.seq_length);
        }
        if let Some(gpu) = gpu {
            let own = (scenario.weights, scenario.kv);
            scenario = scenario.on(gpu);
            (scenario.weights, scenario.kv) = own;
        }
        let checked = scenario.check();
        if let Err(ScenarioError::Runtime(Unsupported::LoraSlots { .. })) = checked {
            notes.push(Note::AdapterSlots);
            scenario.serving.max_loras = None;
            return Some((scenario.check(), sized));
        }
        // Where what guesses ahead is not modelled, the rest of the run is estimated without it.
        if let Err(ScenarioError::Runtime(Unsupported::Speculation(_))) = checked {
            notes.push(Note::Guesses);
            scenario.serving.speculation = Speculation::None;
            return Some((scenario.check(), sized));
        }
        Some((checked, sized))
    }

    /// The name of the model as the texts have it, which may say how it is stored.
    fn model_name(&self) -> String {
        let name = self.reports.iter().find_map(|report| report.name(What::Model));
        name.unwrap_or(&self.model.name).into()
    }
}
