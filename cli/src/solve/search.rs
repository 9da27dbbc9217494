//! The search behind each question: the engine's own where it has one, and its verdict everywhere.

use std::fmt;

use memory_wall_core::engines::vllm;
use memory_wall_core::serving::Engine;
use memory_wall_core::tables::classes::Class;
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::tables::models::{MODELS, Model};
use memory_wall_core::{
    Bytes, Checked, Checkpointing, Fit, Parallelism, Scenario, Verdict, WeightFormat, alternatives, evaluate,
    solve as engine,
};
use memory_wall_core::{bounds, engines, memory, worked};

use super::Question;
use crate::{inputs, words};

/// One value and whether it fits.
#[derive(Clone, Debug)]
pub(crate) struct Tried {
    /// The value.
    pub(crate) value: Value,
    /// The scenario with it.
    pub(crate) scenario: Checked,
    /// What the fullest GPU holds.
    pub(crate) total: Bytes,
    /// That against the GPU.
    pub(crate) fit: Option<Fit>,
}

/// A value of what is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    /// `seq_length`.
    Tokens(u32),
    /// `batch`, on each of so many data-parallel ranks.
    Sequences(u32, u32),
    /// GPUs and how they are cut.
    Cards(Parallelism),
    /// A GPU.
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
    /// Fewer GPUs than the answer, or any where there is no answer, on which the run is only tight.
    pub(crate) tight: Option<Tried>,
    /// The fewest GPUs in whole computers, where the answer is a number of GPUs that is not sold.
    pub(crate) whole: Option<Tried>,
    /// Fewer GPUs, or any, with full checkpointing, where the question is how many and not all is computed again already.
    pub(crate) checkpointed: Option<Tried>,
    /// A better answer, with the largest share of its GPU that vLLM can take.
    pub(crate) larger_share: Option<Tried>,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tokens(tokens) => f.write_str(&words::counted(*tokens, bounds::SEQ_LENGTH)),
            Self::Sequences(each, ranks) => f.write_str(&words::in_all((*each).into(), "sequence", (*ranks).into())),
            Self::Cards(parallel) if parallel.ranks() == 1 => f.write_str("1 GPU"),
            Self::Cards(parallel) => write!(f, "{}: {}", words::gpus(parallel.ranks()), inputs::cut(parallel)),
            Self::Card(gpu) => write!(f, "{} ({})", gpu.name, gpu.id),
            Self::Model(model) => write!(f, "{} ({})", model.name, model.id),
            Self::Weights(weights) => write!(f, "{weights}"),
        }
    }
}

impl Value {
    /// Whether it is a better answer than another one to the same question.
    fn is_better_than(self, other: Self) -> bool {
        let bits = |weights: WeightFormat| weights.block().bits_per_value();
        match (self, other) {
            (Self::Tokens(one), Self::Tokens(other)) | (Self::Sequences(one, _), Self::Sequences(other, _)) => {
                one > other
            }
            (Self::Cards(one), Self::Cards(other)) => one.ranks() < other.ranks(),
            (Self::Card(one), Self::Card(other)) => one.capacity < other.capacity,
            (Self::Model(one), Self::Model(other)) => one.parameters() > other.parameters(),
            (Self::Weights(one), Self::Weights(other)) => bits(one) > bits(other),
            _ => false,
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
        self.fit.is_some_and(|fit| fit.verdict.holds())
    }
}

/// Looks for the answer to a question about a scenario, which names a GPU where the question is not about GPUs.
pub(crate) fn solve(question: Question, scenario: &Checked) -> Solution {
    let (answer, next) = find(question, scenario);
    let tight = if question == Question::Gpus { tight_cut(scenario, answer.as_ref()) } else { None };
    let whole = answer.as_ref().filter(|_| question == Question::Gpus).and_then(|answer| whole(scenario, answer));
    // What lies beside the share depends on the cut.
    let place = answer.as_ref().filter(|_| question == Question::Gpus).map_or(scenario, |answer| &answer.scenario);
    let share = vllm::with_largest_share(place).and_then(|it| it.serving.gpu_memory_utilization);
    let with_share = share.and_then(|share| scenario.with(|it| it.serving.gpu_memory_utilization = Some(share)).ok());
    let with_larger = match question {
        // Each GPU has a largest share of its own.
        Question::Gpu => gpu(scenario, |other| vllm::with_largest_share(&other).unwrap_or(other)).0,
        _ => with_share.and_then(|scenario| find(question, &scenario).0),
    };
    let larger_share = with_larger.filter(|found| {
        let gains =
            |answer: &Tried| found.value.is_better_than(answer.value) && (found.is_roomy() || !answer.is_roomy());
        answer.as_ref().is_none_or(gains)
    });
    let checkpointed = if question == Question::Gpus { checkpointed(scenario, answer.as_ref()) } else { None };
    Solution { question, answer, next, tight, whole, checkpointed, larger_share }
}

/// Looks for the largest model with settings that are legal with some models of the list only.
pub(crate) fn largest_model(settings: &Scenario) -> Solution {
    let (answer, next) = model(settings);
    Solution {
        question: Question::Model,
        answer,
        next,
        tight: None,
        whole: None,
        checkpointed: None,
        larger_share: None,
    }
}

/// The best that fits, and the next step.
fn find(question: Question, scenario: &Checked) -> Found {
    let fit = || evaluate(scenario).fit;
    match question {
        Question::Context => {
            // No runtime is asked about more than it accepts.
            let end = scenario.architecture.end_of_table().unwrap_or(u32::MAX);
            let most = engines::longest_accepted(scenario).min(end);
            let multiple = scenario.seq_multiple();
            let most = most - most % multiple;
            let found = fit().map_or(0, |fit| fit.max_seq.min(most));
            // vLLM's shortest request has a token of its prompt and one of its answer.
            let step = if found == 0 && scenario.runtime() == Some(Engine::Vllm) { 2 } else { multiple };
            number(most, step, found, |seq_length| {
                Tried::new(Value::Tokens(seq_length), &scenario.with_seq_length(seq_length))
            })
        }
        Question::Batch => number(bounds::BATCH.max, 1, fit().map_or(0, |fit| fit.max_batch), |batch| {
            Tried::new(Value::Sequences(batch, scenario.parallel.dp), &scenario.with_batch(batch))
        }),
        Question::Gpus => gpus(scenario),
        Question::Gpu => gpu(scenario, |other| other),
        Question::Model => model(scenario),
        Question::Weights => weights(scenario),
    }
}

type Found = (Option<Tried>, Option<Tried>);

/// A number and the one a step above it.
fn number(most: u32, step: u32, found: u32, with: impl Fn(u32) -> Tried) -> Found {
    ((found > 0).then(|| with(found)), (found < most).then(|| with(found + step)))
}

/// The fewest GPUs that leave room to spare, and the emptiest cut with fewer.
fn gpus(scenario: &Checked) -> Found {
    let Some(answer) = fewest(scenario, false) else { return (None, None) };
    let fewer = answer.scenario.parallel.ranks() - 1;
    let with_fewer = engine::cuts(scenario).filter_map(|cut| {
        // In training all of the GPUs share the states.
        let most = u32::try_from(fewer / cut.ranks().max(1)).unwrap_or(u32::MAX);
        let groups = if scenario.mode.trains() { most } else { most.min(1) };
        if groups > 0 { Some(on_gpus(&engine::over_ranks(scenario, cut, groups.checked_mul(cut.dp)?)?)) } else { None }
    });
    let emptiest = with_fewer.min_by_key(|tried| tried.total);
    (Some(answer), emptiest)
}

/// The fewest GPUs with room to spare, or those that are no worse than tight.
fn fewest(scenario: &Checked, tight: bool) -> Option<Tried> {
    let capacity = scenario.capacity().unwrap_or(Bytes::ZERO);
    let cluster = engine::fewest_gpus(scenario, capacity, tight)?;
    Some(on_gpus(&engine::in_cut(scenario, cluster.parallel)?))
}

/// The fewest GPUs in whole computers of eight, where the answer is neither so many nor 1, 2 or 4 of them.
fn whole(scenario: &Checked, answer: &Tried) -> Option<Tried> {
    let gpu = scenario.gpu.filter(|gpu| gpu.class() != Class::Unified && gpu.gpus_on_links() == engine::IN_COMPUTER)?;
    let gpus = answer.scenario.parallel.ranks();
    if matches!(gpus, 1 | 2 | 4) || gpus.is_multiple_of(engine::IN_COMPUTER) {
        return None;
    }
    let cluster = engine::whole_computers(scenario, gpu.capacity)?;
    Some(on_gpus(&engine::in_cut(scenario, cluster.parallel)?))
}

/// The fewest GPUs with full checkpointing, where they are fewer than those of the answer.
fn checkpointed(scenario: &Checked, answer: Option<&Tried>) -> Option<Tried> {
    if !scenario.mode.trains() || scenario.checkpointing == Checkpointing::Full {
        return None;
    }
    let full = scenario.with(|it| it.checkpointing = Checkpointing::Full).ok()?;
    let ranks = |tried: &Tried| tried.scenario.parallel.ranks();
    fewest(&full, false).filter(|full| answer.is_none_or(|answer| ranks(full) < ranks(answer)))
}

/// The fewest GPUs on which the run is only tight, where they are fewer than those of the answer.
fn tight_cut(scenario: &Checked, answer: Option<&Tried>) -> Option<Tried> {
    let ranks = |tried: &Tried| tried.scenario.parallel.ranks();
    fewest(scenario, true).filter(|tight| answer.is_none_or(|answer| ranks(tight) < ranks(answer)))
}

fn on_gpus(run: &Checked) -> Tried {
    Tried::new(Value::Cards(run.parallel), run)
}

/// The GPU with the least memory that leaves room to spare, of those that the run could move to with these settings, and the next smaller one.
fn gpu(scenario: &Checked, settings: impl Fn(Checked) -> Checked) -> Found {
    let tried = |other: Checked| Some(Tried::new(Value::Card(other.gpu?), &other));
    let mut gpus: Vec<Tried> = alternatives::of(scenario).map(settings).filter_map(tried).collect();
    let capacity = |tried: &Tried| tried.fit.map_or(Bytes::ZERO, |fit| fit.capacity);
    gpus.sort_by_key(capacity);
    let place = gpus.iter().position(Tried::is_roomy).unwrap_or(gpus.len());
    let next = gpus.get(..place).and_then(<[Tried]>::last).cloned();
    (gpus.into_iter().nth(place), next)
}

/// The model with the most parameters, and the next larger one.
fn model(scenario: &Scenario) -> Found {
    let reads = |model: &&Model| model.architecture.reads(scenario.seq_length);
    let mut models: Vec<&Model> = MODELS.iter().filter(reads).collect();
    models.sort_by_key(|model| model.parameters());
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
    // By the bytes of the whole mix. Of formats with as many the later in the list is tried later: bf16 behind fp16.
    formats.sort_by_key(|format| with(*format).map(|it| worked::total(|sink| memory::weights::terms(&it, sink))));
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
                // GPUs on which it is only tight are not recommended.
                let roomy = matches!(question, Question::Gpu | Question::Gpus);
                let enough = if roomy { Tried::is_roomy } else { Tried::fits };
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
            let gpus = answer(Question::Gpus).map(|tried| tried.scenario.parallel);
            assert_eq!(
                gpus,
                engine::fewest_gpus(&scenario.check().unwrap(), capacity, false).map(|cluster| cluster.parallel)
            );
        }
    }
}
