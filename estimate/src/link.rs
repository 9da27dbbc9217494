//! The settings that were read as a link's query: ids and numbers, so that no path, host or token can be in it.

use std::fmt::Write as _;

use memory_wall_core::architecture::Dimension;
use memory_wall_core::tables::models::{MODELS, Model};
use memory_wall_core::{Architecture, Mode};
use memory_wall_reports::explain::Explanation;

/// The query; nothing where the model is none of the table, not even with dimensions of its own. The page's own reader of links decides
/// what it takes, and says the rest.
pub(crate) fn of(explanation: &Explanation) -> Option<String> {
    let found = explanation.model.as_ref()?;
    let own = found.architecture;
    let model = found.preset.or_else(|| base(&own))?;
    let mut query = format!("v=1&model={}", model.id);
    let mut put = |key: &str, value: &str| _ = write!(query, "&{key}={value}");
    for dimension in Dimension::ALL.iter().filter(|it| it.of(&own) != it.of(&model.architecture)) {
        put(dimension.id(), &dimension.of(&own).to_string());
    }
    if let Some(Ok(run)) = &explanation.scenario {
        put("mode", run.mode.id());
        put("batch", &run.batch.to_string());
        put("seq", &run.seq_length.to_string());
        put("weights", run.weights.id());
        put("attention", run.attention.id());
        if run.mode == Mode::Inference {
            put("kv", run.kv.id());
        } else {
            put("optimizer", run.optimizer.id());
            put("checkpointing", run.checkpointing.id());
            put("recipe", run.training.recipe.id());
        }
    }
    if let Some(gpu) = explanation.gpu {
        put("gpu", gpu.id);
    }
    Some(query)
}

/// The model of the table that becomes this shape by a change of the dimensions that a link carries: the one with the fewest changes.
fn base(own: &Architecture) -> Option<&'static Model> {
    let differs = |model: &&Model| Dimension::ALL.iter().filter(|it| it.of(own) != it.of(&model.architecture)).count();
    MODELS.iter().filter(|model| same(&changed(&model.architecture, own), own)).min_by_key(differs)
}

/// A published shape with the dimensions of another one, as the page makes it of a link.
fn changed(published: &Architecture, own: &Architecture) -> Architecture {
    Dimension::ALL.into_iter().fold(*published, |shape, it| it.with(*published, shape, it.of(own)))
}

/// Whether two shapes take the same memory: how long a model was trained for is not of it.
fn same(one: &Architecture, other: &Architecture) -> bool {
    let plain = |shape: &Architecture| Architecture { trained_context: None, ..*shape };
    plain(one) == plain(other)
}
