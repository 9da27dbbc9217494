//! What a program takes, item by item, with the version and the source of each figure: for the page and the command line.

use super::{Reservation, hf, llamacpp, reservation, terms, vllm};
use crate::checked::Checked;
use crate::memory::{Bucket, weights};
use crate::serving::Engine;
use crate::units::Bytes;
use crate::worked::{self, Item};

/// How a figure is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// Read in the program's code.
    Code,
    /// Read in logs.
    Log,
    /// Fitted on logs.
    Fit,
}

impl Basis {
    /// In words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Code => "read in the code",
            Self::Log => "read in public logs",
            Self::Fit => "fitted on public logs",
        }
    }
}

/// One thing that a program takes beside weights and cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The bucket that it counts in.
    pub bucket: Bucket,
    /// What it is.
    pub item: Item,
    /// How much.
    pub bytes: Bytes,
    /// How it is known.
    pub basis: Basis,
}

/// Parts in the order of their buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    list: [Option<Part>; Self::CAPACITY],
}

impl Parts {
    /// A place for every item in each of the four buckets that a program adds to, so none is ever left out.
    pub const CAPACITY: usize = 4 * Item::EACH.len();

    /// Each in turn.
    pub fn iter(&self) -> impl Iterator<Item = Part> + '_ {
        self.list.iter().flatten().copied()
    }

    /// Adds to the part of this bucket and item, or opens one.
    fn add(&mut self, part: Part) {
        let same =
            |slot: &&mut Option<Part>| slot.is_none_or(|there| (there.bucket, there.item) == (part.bucket, part.item));
        if let Some(slot) = self.list.iter_mut().find(same) {
            let before = slot.map_or(Bytes::ZERO, |there| there.bytes);
            *slot = Some(Part { bytes: before + part.bytes, ..part });
        }
    }
}

/// What a scenario's program does with the memory of the rank that is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inspection {
    /// The program.
    pub engine: Engine,
    /// Its version; empty where there is none.
    pub version: &'static str,
    /// Where its formulas come from.
    pub source: &'static str,
    /// Exact and reserved cache, and how the one becomes the other.
    pub cache: Reservation,
    /// What it takes beside weights and cache.
    pub parts: Parts,
    /// How vLLM starts on the scenario's GPU: pool, concurrency, refusal. `None` without a GPU or with another program.
    pub start: Option<vllm::Start>,
}

/// Inspects a scenario.
///
/// ```
/// use memory_wall_core::{Engine, Scenario, engines, tables::models, worked::Item};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// scenario.serving.engine = Engine::LlamaCpp;
/// let scenario = scenario.check().unwrap();
/// let inspection = engines::inspect(&scenario);
/// assert_eq!(inspection.cache.how.to_string(), "2,048 cells for each sequence, a multiple of 256, allotted when the program starts.");
/// let logits = inspection.parts.iter().find(|part| part.item == Item::LastLogits).unwrap();
/// assert_eq!(logits.bytes.0, 512 * 128_256 * 4);
/// ```
pub fn inspect(scenario: &Checked) -> Inspection {
    let engine = scenario.runtime().unwrap_or(Engine::Exact);
    let (version, source) = match engine {
        Engine::Exact => ("", "the model's own dimensions"),
        Engine::Hf => (hf::VERSION, hf::SOURCE),
        Engine::Vllm => {
            let constants = vllm::Constants::of(scenario.serving.version);
            (constants.releases, constants.source())
        }
        Engine::LlamaCpp => (llamacpp::VERSION, llamacpp::SOURCE),
    };
    let mut parts = Parts { list: [None; Parts::CAPACITY] };
    if engine != Engine::Exact {
        let plain = worked::total(|sink| weights::terms(scenario, sink));
        let loaded = worked::total(|sink| terms(Bucket::Weights, scenario, sink));
        if loaded > plain {
            let (bucket, item, bytes) = (Bucket::Weights, Item::EngineWorkspace, loaded - plain);
            parts.add(Part { bucket, item, bytes, basis: Basis::Code });
        }
        for bucket in [Bucket::Activations, Bucket::Logits, Bucket::Overhead] {
            terms(bucket, scenario, &mut |term| {
                parts.add(Part { bucket, item: term.item, bytes: term.bytes(), basis: basis(bucket, term.item) });
            });
        }
    }
    let capacity = scenario.capacity().filter(|_| engine == Engine::Vllm);
    Inspection {
        engine,
        version,
        source,
        cache: reservation(scenario),
        parts,
        start: capacity.map(|capacity| vllm::start(scenario, capacity)),
    }
}

const fn basis(bucket: Bucket, item: Item) -> Basis {
    match (bucket, item) {
        (_, Item::CudaGraphs) => Basis::Fit,
        (_, Item::DeviceContext | Item::Communication) | (Bucket::Overhead, Item::EngineWorkspace) => Basis::Log,
        _ => Basis::Code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;
    use crate::tables::{gpus, models};

    #[test]
    fn the_parts_are_those_of_the_buckets() {
        let Some(model) = models::by_id("llama-3.1-8b") else { panic!("no model") };
        for &engine in Engine::ALL {
            let mut scenario = Scenario { gpu: gpus::by_id("h100-sxm"), ..Scenario::new(model.architecture) };
            scenario.serving.engine = engine;
            let inspection = inspect(&scenario.check().unwrap());
            assert!(!inspection.source.is_empty());
            assert_eq!(inspection.start.is_some(), engine == Engine::Vllm);
            if engine == Engine::Exact {
                assert_eq!(inspection.parts.iter().count(), 0);
                continue;
            }
            let evaluation = crate::evaluate(&scenario.check().unwrap());
            for bucket in [Bucket::Activations, Bucket::Logits, Bucket::Overhead] {
                let parts = inspection.parts.iter().filter(|part| part.bucket == bucket).map(|part| part.bytes);
                assert_eq!(parts.sum::<Bytes>(), evaluation.bytes(bucket), "{engine:?} {bucket:?}");
            }
            assert_eq!(inspection.cache.bytes, evaluation.bytes(Bucket::KvCache), "{engine:?}");
        }
    }
}
