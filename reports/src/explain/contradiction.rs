//! What the texts say against each other.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::model::{FoundModel, Known};
use super::row::Row;
use crate::what::{Kind, What};
use crate::{Report, Size, Value};

/// Two things that can't both be true of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// Two texts name two models.
    Models(Box<str>, Box<str>),
    /// A text says another number of something than the model has.
    Shape {
        /// What.
        what: What,
        /// In the text.
        reported: u64,
        /// Of the model.
        model: u64,
    },
    /// Files hold more parameters than the model has.
    Parameters {
        /// In the files.
        files: u64,
        /// Of the model.
        model: u64,
    },
    /// Two texts say how much memory the GPU has.
    Capacities(Size, Size),
    /// Two texts say two values of one setting.
    Settings {
        /// Which.
        what: What,
        /// In one text.
        one: u64,
        /// In another.
        other: u64,
    },
    /// The weights that are reported aren't those of the model in this precision.
    Weights {
        /// As they are reported.
        reported: i128,
        /// As the engine counts them.
        estimated: i128,
    },
}

/// All of them.
pub(super) fn of(reports: &[&Report], model: Option<&FoundModel>, stated: bool) -> Vec<Contradiction> {
    let mut found = Vec::new();
    let names: Vec<&str> = reports.iter().filter_map(|report| report.name(What::Model)).collect();
    if let Some(first) = names.first() {
        let shape = |name: &str| FoundModel::named(name).map(|model| model.architecture);
        // Two names of one shape may be one model; two that the table doesn't have are compared as they are.
        let other = names.iter().find(|name| match (shape(first), shape(name)) {
            (Some(one), Some(other)) => one != other,
            _ => false,
        });
        if let Some(other) = other {
            found.push(Contradiction::Models((*first).into(), (*other).into()));
        }
    }
    if let Some(model) = model {
        let shape = &model.architecture;
        let table: [(What, u64); 4] = [
            (What::Layers, shape.layers.into()),
            (What::HiddenSize, shape.hidden_size.into()),
            (What::Heads, shape.heads.into()),
            (What::VocabSize, shape.vocab_size.into()),
        ];
        for (what, of_model) in table {
            let reported = reports
                .iter()
                .filter(|report| matches!(report.kind, Kind::LlamaCpp | Kind::Gguf))
                .find_map(|report| report.count(what).filter(|count| *count != of_model));
            // Files of llama.cpp may have a padded vocabulary.
            let near = |count: u64| what == What::VocabSize && count.abs_diff(of_model) <= 512;
            if let Some(count) = reported.filter(|count| *count != of_model && !near(*count)) {
                found.push(Contradiction::Shape { what, reported: count, model: of_model });
            }
        }
        let held = reports.iter().filter(|report| matches!(report.kind, Kind::Safetensors | Kind::Gguf));
        let files = held.filter_map(|report| report.count(What::Parameters)).fold(0, u64::saturating_add);
        // A file may hold the output head though it is tied. Fewer parameters say nothing: it may be one of several files, or packed.
        let own = shape.parameters().total();
        let most = own.saturating_add(u64::from(shape.vocab_size).saturating_mul(shape.hidden_size.into()));
        if files > most.saturating_add(most / 50) {
            found.push(Contradiction::Parameters { files, model: own });
        }
        let config = reports.iter().any(|report| matches!(report.kind, Kind::Config | Kind::Gguf));
        let by_name = names.first().and_then(|name| FoundModel::named(name)).filter(|named| named.known == Known::Name);
        if let Some(named) = by_name
            .filter(|named| (config || stated) && named.architecture.parameters().total() != shape.parameters().total())
        {
            found.push(Contradiction::Models(model.name.clone(), named.name.clone()));
        }
    }
    let capacities: Vec<Size> =
        reports.iter().filter_map(|report| report.size(What::Capacity)).filter(|size| size.bytes > 0).collect();
    // What nvidia-smi calls the total has a part that no program gets.
    if let (Some(least), Some(most)) = (capacities.iter().min(), capacities.iter().max())
        && least.bytes < most.bytes - most.bytes / 16
    {
        found.push(Contradiction::Capacities(*least, *most));
    }
    for what in [What::MaxModelLen, What::TensorParallel, What::BatchSize, What::SeqLength] {
        let counts = || {
            reports.iter().flat_map(|report| report.all(what)).filter_map(|fact| match fact.value {
                Value::Count(count) => Some(count),
                _ => None,
            })
        };
        if let (Some(one), Some(other)) = (counts().next(), counts().find(|other| Some(*other) != counts().next())) {
            found.push(Contradiction::Settings { what, one, other });
        }
    }
    found
}

/// Weights that are off by more than a fifth are those of another model, or of another precision.
pub(super) fn of_weights(rows: &[Row]) -> Option<Contradiction> {
    let row =
        rows.iter().find(|row| matches!(row.what, What::Weights | What::Checkpoint) && row.estimated.is_some())?;
    let (reported, estimated) = (row.reported.value(), row.estimated?.value());
    let off = reported.abs_diff(estimated);
    (off > estimated.unsigned_abs() / 5).then_some(Contradiction::Weights { reported, estimated })
}
