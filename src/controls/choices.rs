//! What lists and rows of buttons offer.

use memory_wall_core::tables::gpus::GPUS;
use memory_wall_core::tables::models::{MODELS, Model};
use memory_wall_core::{AdapterPrecision, Optimizer, Recipe, TargetSet, WeightFormat};

use crate::state::State;
use crate::words::labels;

/// Families of models, the one with the newest model first.
const FAMILIES: [&str; 30] = [
    "Qwen",
    "DeepSeek",
    "Gemma",
    "Granite",
    "Nemotron",
    "MiniMax",
    "GLM",
    "Kimi",
    "Solar",
    "LFM",
    "EXAONE",
    "Mistral",
    "OLMo",
    "Ling",
    "Apertus",
    "Seed",
    "GPT",
    "Hunyuan",
    "SmolLM and StarCoder",
    "Jamba",
    "MiMo",
    "Command",
    "ERNIE",
    "dots",
    "Falcon",
    "Llama",
    "Phi",
    "Yi",
    "OPT and BLOOM",
    "Textbook",
];

/// Makers of GPUs.
const VENDORS: [&str; 5] = ["NVIDIA", "AMD", "Google", "Intel", "Apple"];

/// The years of the table of GPUs.
const YEARS: core::ops::RangeInclusive<u16> = 2016..=2026;

/// One thing to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its short name, as in links.
    pub id: &'static str,
    /// Its words.
    pub label: String,
    /// The heading it stands under; empty for none.
    pub group: &'static str,
}

impl Choice {
    /// A choice that is called by its name.
    pub fn plain(id: &'static str, label: &str) -> Self {
        Self { id, label: label.into(), group: "" }
    }
}

/// Choices of an enumeration, each by its id and its word.
pub fn worded<T: Copy>(all: &[T], id: fn(T) -> &'static str, word: fn(T) -> &'static str) -> Vec<Choice> {
    all.iter().map(|one| Choice::plain(id(*one), word(*one))).collect()
}

/// Every model by family: the family with the newest model first, and in each the newest first.
pub fn models() -> Vec<Choice> {
    by_family(&MODELS.iter())
}

/// Those of them that the tutorial can show.
pub fn taught() -> Vec<Choice> {
    by_family(&State::models())
}

fn by_family(models: &(impl DoubleEndedIterator<Item = &'static Model> + Clone)) -> Vec<Choice> {
    let mut all = Vec::with_capacity(MODELS.len());
    for family in FAMILIES {
        for one in models.clone().rev() {
            if one.family == family {
                all.push(Choice { id: one.id, label: one.name.into(), group: family });
            }
        }
    }
    all
}

/// Every GPU by maker, the newest year first.
pub fn gpus() -> Vec<Choice> {
    let mut all = Vec::with_capacity(GPUS.len());
    for vendor in VENDORS {
        for year in YEARS.rev() {
            for one in GPUS {
                if one.year == year && one.vendor == vendor {
                    all.push(Choice { id: one.id, label: one.name.into(), group: vendor });
                }
            }
        }
    }
    all
}

/// Every format of the weights.
pub fn formats() -> Vec<Choice> {
    WeightFormat::ALL.iter().map(|one| Choice::plain(one.id(), one.label())).collect()
}

/// Whether the mode can use a format of the weights.
pub fn takes(state: &State, format: &str) -> bool {
    WeightFormat::from_id(format).is_some_and(|format| state.mode.takes(format))
}

/// Every optimizer.
pub fn optimizers() -> Vec<Choice> {
    worded(Optimizer::ALL, Optimizer::id, labels::optimizer)
}

/// How the states of training can be kept.
pub fn recipes() -> Vec<Choice> {
    worded(Recipe::ALL, Recipe::id, labels::recipe)
}

/// The layers that carry an adapter.
pub fn targets() -> Vec<Choice> {
    worded(TargetSet::ALL, TargetSet::id, labels::targets)
}

/// The precisions of adapters.
pub fn adapters() -> Vec<Choice> {
    worded(AdapterPrecision::ALL, AdapterPrecision::id, labels::adapters)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The headings in their order.
    fn groups(choices: &[Choice]) -> Vec<&'static str> {
        let mut groups: Vec<&str> = choices.iter().map(|choice| choice.group).collect();
        groups.dedup();
        groups
    }

    #[test]
    fn every_model_and_gpu_is_offered_once_under_its_heading() {
        let (models, gpus) = (models(), gpus());
        assert_eq!(models.len(), MODELS.len());
        assert_eq!(gpus.len(), GPUS.len());
        assert_eq!(groups(&models), FAMILIES);
        assert_eq!(taught().len(), State::models().count());
        assert_eq!(groups(&gpus), VENDORS);
    }

    #[test]
    fn the_newest_come_first() {
        let (models, gpus) = (models(), gpus());
        let before = |choices: &[Choice], one: &str, other: &str| {
            let at = |id| choices.iter().position(|choice| choice.id == id).unwrap();
            assert!(at(one) < at(other), "{one} {other}");
        };
        for [one, other] in [
            ["qwen3.5-4b", "qwen3-8b"],
            ["gemma-4-31b", "gemma-3-27b-text"],
            ["ministral-3-8b", "mixtral-8x22b"],
            ["smollm3-3b", "starcoder2-7b"],
            ["llama-3.3-70b", "llama-3-8b"],
        ] {
            before(&models, one, other);
        }
        for [one, other] in [["b200", "h100-sxm"], ["rtx5090", "rtx4090"], ["h100-sxm", "t4"], ["mi355x", "mi300x"]] {
            before(&gpus, one, other);
        }
    }
}
