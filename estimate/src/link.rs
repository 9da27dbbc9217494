//! The settings that were read as a link's query: ids and numbers, so that no path, host or token can be in it.

use std::fmt::Write as _;

use memory_wall_core::Mode;
use memory_wall_reports::explain::Explanation;

/// The query; nothing where no model of the table is named. The page's own reader of links decides what it takes, and says the rest.
pub(crate) fn of(explanation: &Explanation) -> Option<String> {
    let model = explanation.model.as_ref()?.preset?;
    let mut query = format!("v=1&model={}", model.id);
    let mut put = |key: &str, value: &str| _ = write!(query, "&{key}={value}");
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
