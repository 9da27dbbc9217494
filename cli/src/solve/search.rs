//! The search behind each question: the engine's own where it has one, and its verdict everywhere.

use std::fmt;

use memory_wall_core::bounds::{self, Bounds};
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::tables::models::{MODELS, Model};
use memory_wall_core::{
    Bytes, Checked, Fit, Parallelism, Scenario, Verdict, WeightFormat, ZeroStage, alternatives, evaluate,
    solve as engine,
};

use super::Question;
use crate::{inputs, words};

/// One value and whether it fits.
#[derive(Clone, Debug)]
pub(crate) struct Tried {
    /// The value.
    pub(crate) value: Value,
    /// The scenario with it.
    pub(crate) scenario: Checked,
    /// What the fullest card holds.
    pub(crate) total: Bytes,
    /// That against the card.
    pub(crate) fit: Option<Fit>,
}

/// A value of what is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    /// `seq_length`.
    Tokens(u32),
    /// `batch`, on each of so many data-parallel ranks.
    Sequences(u32, u32),
    /// Cards and how they are cut.
    Cards(Parallelism),
    /// A card.
    Card(&'static Gpu),
    /// A model.
    Model(&'static Model),
    /// A weight format.
    Weights(WeightFormat),
}

/// What was found, and what was tried one step further.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    /// What was looked for.
    pub(crate) question: Question,
    /// The best that fits; `None` if nothing does.
    pub(crate) answer: Option<Tried>,
    /// The next step, which does not fit; `None` if there is none.
    pub(crate) next: Option<Tried>,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tokens(tokens) => f.write_str(&words::counted(*tokens, bounds::SEQ_LENGTH)),
            Self::Sequences(each, ranks) => f.write_str(&words::in_all((*each).into(), "sequence", (*ranks).into())),
            Self::Cards(parallel) if parallel.ranks() == 1 => f.write_str("1 card"),
            Self::Cards(parallel) => write!(f, "{}: {}", words::cards(parallel.ranks()), inputs::cut(parallel)),
            Self::Card(gpu) => write!(f, "{} ({})", gpu.name, gpu.id),
            Self::Model(model) => write!(f, "{} ({})", model.name, model.id),
            Self::Weights(weights) => write!(f, "{weights}"),
        }
    }
}

impl Tried {
    fn new(value: Value, scenario: &Checked) -> Self {
        let evaluation = evaluate(scenario);
        Self { value, scenario: *scenario, total: evaluation.total, fit: evaluation.fit }
    }

    /// Whether it fits with room to spare, by the engine's verdict.
    pub(crate) fn is_roomy(&self) -> bool {
        self.fit.is_some_and(|fit| fit.verdict == Verdict::Fits)
    }

    /// Whether it fits, by the engine's verdict.
    pub(crate) fn fits(&self) -> bool {
        self.fit.is_some_and(|fit| fit.verdict != Verdict::DoesNotFit)
    }
}

/// Looks for the answer to a question about a scenario, which names a card where the question is not about cards.
pub(crate) fn solve(question: Question, scenario: &Checked) -> Solution {
    let fit = || evaluate(scenario).fit;
    let (answer, next) = match question {
        Question::Context => number(bounds::SEQ_LENGTH, fit().map_or(0, |fit| fit.max_seq), |seq_length| {
            Tried::new(Value::Tokens(seq_length), &scenario.with_seq_length(seq_length))
        }),
        Question::Batch => number(bounds::BATCH, fit().map_or(0, |fit| fit.max_batch), |batch| {
            Tried::new(Value::Sequences(batch, scenario.parallel.dp), &scenario.with_batch(batch))
        }),
        Question::Gpus => cards(scenario),
        Question::Gpu => card(scenario),
        Question::Model => model(scenario),
        Question::Weights => weights(scenario),
    };
    Solution { question, answer, next }
}

/// Looks for the largest model with settings that are legal with some models of the list only.
pub(crate) fn largest_model(settings: &Scenario) -> Solution {
    let (answer, next) = model(settings);
    Solution { question: Question::Model, answer, next }
}

type Found = (Option<Tried>, Option<Tried>);

/// A number and the one above it.
fn number(bounds: Bounds, found: u32, with: impl Fn(u32) -> Tried) -> Found {
    ((found > 0).then(|| with(found)), (found < bounds.max).then(|| with(found + 1)))
}

/// The fewest cards, and the emptiest cut with fewer.
fn cards(scenario: &Checked) -> Found {
    let tried = |parallel| {
        let run = scenario.with(|it| it.parallel = parallel).ok()?;
        Some(Tried::new(Value::Cards(parallel), &run))
    };
    let capacity = scenario.gpu.map_or(Bytes::ZERO, |gpu| gpu.capacity);
    let answer = engine::fewest_gpus(scenario, capacity).and_then(|cluster| tried(cluster.parallel));
    let Some(answer) = answer else { return (None, None) };
    let fewer = answer.scenario.parallel.ranks() - 1;
    let with_fewer = engine::cuts(scenario).filter_map(|cut| {
        // In training all of the cards share the states.
        let most = u32::try_from(fewer / cut.ranks().max(1)).unwrap_or(u32::MAX);
        let dp = if scenario.mode.trains() { most } else { most.min(1) };
        let zero = if dp > 1 { ZeroStage::Weights } else { cut.zero };
        if dp > 0 { tried(Parallelism { dp, zero, ..cut }) } else { None }
    });
    let emptiest = with_fewer.min_by_key(|tried| tried.total);
    (Some(answer), emptiest)
}

/// The GPU with the least memory that leaves room to spare, of those that the run could move to, and the next smaller one.
fn card(scenario: &Checked) -> Found {
    let tried = |other: Checked| Some(Tried::new(Value::Card(other.gpu?), &other));
    let mut cards: Vec<Tried> = alternatives::of(scenario).filter_map(tried).collect();
    let capacity = |tried: &Tried| tried.fit.map_or(Bytes::ZERO, |fit| fit.capacity);
    cards.sort_by_key(capacity);
    let place = cards.iter().position(Tried::is_roomy).unwrap_or(cards.len());
    let next = cards.get(..place).and_then(<[Tried]>::last).cloned();
    (cards.into_iter().nth(place), next)
}

/// The model with the most parameters, and the next larger one.
fn model(scenario: &Scenario) -> Found {
    let mut models: Vec<&Model> = MODELS.iter().collect();
    models.sort_by_key(|model| model.parameters);
    let tried = models.into_iter().filter_map(|model| {
        let run = Scenario { architecture: model.architecture, ..*scenario }.check().ok()?;
        Some(Tried::new(Value::Model(model), &run))
    });
    last_that_fits(tried.collect())
}

/// The format with the most bits, and the next wider one.
fn weights(scenario: &Checked) -> Found {
    let with = |weights: WeightFormat| scenario.with(|it| it.weights = weights).ok();
    let mut formats = WeightFormat::ALL.to_vec();
    // Of formats with as many bits the later in the list is tried later: bf16 behind fp16.
    formats.sort_by(|one, other| one.block().bits_per_value().total_cmp(&other.block().bits_per_value()));
    let tried = formats.into_iter().filter_map(|format| Some(Tried::new(Value::Weights(format), &with(format)?)));
    last_that_fits(tried.collect())
}

/// The last that fits of what grows, and the one behind it.
fn last_that_fits(mut tried: Vec<Tried>) -> Found {
    let behind = tried.iter().rposition(Tried::fits).map_or(0, |place| place + 1);
    let next = tried.get(behind).cloned();
    tried.truncate(behind);
    (tried.pop(), next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_core::tables::{gpus, models};
    use memory_wall_core::{Mode, Offload};

    fn scenarios() -> Vec<Scenario> {
        let on = |model, gpu| Scenario {
            gpu: gpus::by_id(gpu),
            ..Scenario::new(models::by_id(model).unwrap().architecture)
        };
        let training = |mut scenario: Scenario| {
            scenario.mode = Mode::Training;
            scenario
        };
        let offloaded = Scenario {
            offload: Offload { optimizer: true, parameters: true, kv_cache: false },
            ..training(on("llama-3.1-8b", "rtx4090"))
        };
        vec![
            on("llama-2-7b", "a100-80-sxm"),
            on("llama-3.1-405b", "h100-sxm"),
            training(on("llama-3.1-8b", "h100-sxm")),
            training(on("gpt2-xl", "t4")),
            offloaded,
        ]
    }

    #[test]
    fn the_answer_fits_and_the_next_step_does_not() {
        for scenario in scenarios() {
            for question in Question::ALL {
                let solution = solve(question, &scenario.check().unwrap());
                let what = format!("{question:?} {}", scenario.mode.id());
                assert!(solution.answer.as_ref().is_none_or(Tried::fits), "{what}");
                // A GPU that is only tight is not recommended.
                let enough = if question == Question::Gpu { Tried::is_roomy } else { Tried::fits };
                assert!(solution.answer.as_ref().is_none_or(enough), "{what}");
                assert!(solution.next.as_ref().is_none_or(|next| !enough(next)), "{what}");
                assert!(solution.answer.is_some() || solution.next.is_some() || question == Question::Gpus, "{what}");
            }
        }
    }

    #[test]
    fn answers_are_the_engines_own() {
        for scenario in scenarios() {
            let capacity = scenario.gpu.unwrap().capacity;
            let answer = |question| solve(question, &scenario.check().unwrap()).answer;
            let card = answer(Question::Gpu).map(|tried| tried.scenario.gpu.unwrap().capacity);
            assert_eq!(card, engine::smallest_gpu(&scenario.check().unwrap()).map(|gpu| gpu.capacity));
            let model = answer(Question::Model).map(|tried| tried.scenario.architecture);
            assert_eq!(
                model,
                engine::largest_model(&scenario.check().unwrap(), capacity).map(|model| model.architecture)
            );
            let weights = answer(Question::Weights).map(|tried| tried.scenario.weights);
            assert_eq!(weights, engine::widest_weights(&scenario.check().unwrap(), capacity));
            let cards = answer(Question::Gpus).map(|tried| tried.scenario.parallel);
            assert_eq!(
                cards,
                engine::fewest_gpus(&scenario.check().unwrap(), capacity).map(|cluster| cluster.parallel)
            );
        }
    }
}
