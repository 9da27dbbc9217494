//! Changes of a plan whose options contradict each other: each of them is enough for an answer.

use alloc::vec::Vec;
use core::cmp::Ordering;

use memory_wall_core::layout::SplitError;
use memory_wall_core::scenario::{BothWays, CutError, Demand, Unsupported};
use memory_wall_core::{Implementation, KvPrecision, PipelineSchedule, ScenarioError, WeightFormat};

use crate::answers::Spending;
use crate::changes::TOLD;
use crate::option::PlanOption;
use crate::plan::Plan;
use crate::reply::{Reply, Unanswered};
use crate::runtime::{Refused, rollout};
use crate::value::{Kind, Value};

/// A change of one option with which a plan has an answer.
#[derive(Clone, Debug)]
pub struct Mend {
    /// What is changed.
    pub option: &'static PlanOption,
    /// The plan with it.
    pub plan: Plan,
    /// The answer to that.
    pub reply: Reply,
}

impl Mend {
    /// The changes that give a plan without an answer one, at most [`TOLD`]: what training code asks for, experts that are whole on their ranks, and of each option that contradicts the rest the format that is nearest
    /// in bits, or where it is no format, what goes without saying.
    ///
    /// # Example
    /// ```
    /// use memory_wall_plan::{answers::Spending, file, mend::Mend};
    /// let text = r#"{ "version": 1, "model": "llama-3.1-8b", "mode": "training", "weights": "int4" }"#;
    /// let mends = Mend::of(&file::read(text).unwrap()[0], Spending::default());
    /// assert_eq!(mends[0].plan.get("weights").unwrap().to_string(), "bf16");
    /// ```
    pub fn of(plan: &Plan, spending: Spending) -> Vec<Self> {
        let mend = |option: &'static PlanOption| {
            let mut without = plan.clone();
            without.unset(option.name);
            let answered = |plan: Plan| Reply::of(&plan, spending).ok().map(|reply| Self { option, plan, reply });
            let with = |id: &'static str| {
                let mut plan = plan.clone();
                plan.set(option.name, Value::Word(id));
                answered(plan)
            };
            nearest(plan, &without, option).into_iter().find_map(with).or_else(|| answered(without))
        };
        let to_blame = Reply::culprits(plan).into_iter().filter_map(crate::table::by_name).filter_map(mend);
        Self::of_code(plan, spending).into_iter().chain(to_blame).take(TOLD).collect()
    }

    /// What training code asks for is done, one thing after another. Where it has no pipeline, that of others is asked too.
    fn of_code(plan: &Plan, spending: Spending) -> Vec<Self> {
        let refused = Reply::of(plan, spending).err();
        let codes: &[Implementation] = match refused {
            Some(Unanswered::Scenario(ScenarioError::Cut(CutError::NoPipeline(_)))) => {
                &[Implementation::Megatron, Implementation::Torchtitan]
            }
            _ => &[],
        };
        let of = |code: &Implementation| {
            let mut plan = plan.clone();
            plan.set(CODE, Value::Word(code.id()));
            Some((CODE, plan))
        };
        let begun = codes.iter().map(of).chain([refused.and_then(|refused| asked(plan, &refused))]).flatten();
        let done = |(name, mut plan): (&'static str, Plan)| {
            for _ in 0..DEMANDS {
                match Reply::of(&plan, spending) {
                    Ok(reply) => return Some(Self { option: crate::table::by_name(name)?, plan, reply }),
                    Err(refused) => plan = asked(&plan, &refused)?.1,
                }
            }
            None
        };
        begun.filter_map(done).collect()
    }
}

/// The option that names whose code trains.
const CODE: &str = "implementation";
/// Demands of training code that one mend meets, at most.
const DEMANDS: usize = 4;

/// The plan with what training code asks for, and the option that says so; nothing where it refuses for another reason.
fn asked(plan: &Plan, refused: &Unanswered) -> Option<(&'static str, Plan)> {
    let scenario = plan.scenario()?;
    if let Unanswered::Runtime(Refused::Rollout(refused)) = refused {
        return rollout::whole_groups(plan, &scenario, refused);
    }
    let mut other = scenario;
    let refused = match refused {
        Unanswered::Scenario(ScenarioError::Cut(refused)) => refused,
        Unanswered::Scenario(ScenarioError::Runtime(Unsupported::Blocks { .. })) if scenario.parallel.ep == 1 => {
            other.parallel = scenario.parallel.with_whole_experts();
            return Some(("ep", plan.changed(&scenario, &other)));
        }
        _ => return None,
    };
    let name = match *refused {
        CutError::Split(SplitError::Uneven { .. } | SplitError::BothEnds) => {
            other.parallel = scenario.parallel.with_balanced_layout(scenario.architecture.layers)?;
            "pipeline_model_parallel_layout"
        }
        CutError::Asks(_, Demand::MicroBatches { stages, .. }) => {
            other.training.micro_batches = stages;
            "micro_batches"
        }
        CutError::BothWays(_, BothWays::MicroBatches { least, .. }) => {
            other.training.micro_batches = scenario.training.micro_batches.next_multiple_of(2).max(least);
            "micro_batches"
        }
        CutError::BothWays(_, BothWays::Chunks(_)) => {
            other.parallel.virtual_stages = 1;
            "virtual_stages"
        }
        CutError::BothWays(_, BothWays::Stages(pp)) => {
            // Half of the schedule takes an odd number of ranks; a layout is for as many stages as it has.
            let half = pp > 1 && scenario.parallel.split.is_even();
            other.parallel.schedule =
                if half { PipelineSchedule::DualPipeV } else { PipelineSchedule::OneForwardOneBackward };
            "pipeline_schedule"
        }
        CutError::Asks(_, Demand::SequenceParallel) => {
            other.parallel.sequence_parallel = true;
            "sequence_parallel"
        }
        _ => return None,
    };
    Some((name, plan.changed(&scenario, &other)))
}

/// The formats that an option can name, by how near they are to what the plan says. Of those that are as near, what goes without saying comes
/// first, and then what GGUF files are made of: a program that reads such files is asked for little else.
fn nearest(plan: &Plan, without: &Plan, option: &'static PlanOption) -> Vec<&'static str> {
    let (Kind::Choice(ids), Some(Value::Word(own))) = (option.kind, plan.get(option.name)) else { return Vec::new() };
    let Some(own) = bits(option, own) else { return Vec::new() };
    let usual = without.scenario().and_then(|scenario| without.value(option, &scenario));
    let distance = |id: &'static str| bits(option, id).map_or(f64::MAX, |bits| (bits - own).abs());
    let mut ids = ids();
    ids.sort_by(|one, other| {
        let is_usual = |id: &'static str| usual == Some(Value::Word(id));
        let is_gguf = |id: &str| WeightFormat::from_id(id).is_some_and(WeightFormat::is_gguf);
        let near = distance(one).partial_cmp(&distance(other)).unwrap_or(Ordering::Equal);
        near.then_with(|| (is_usual(other), is_gguf(other)).cmp(&(is_usual(one), is_gguf(one))))
    });
    ids
}

/// Bits of a value in a format, without its scales.
fn bits(option: &PlanOption, id: &str) -> Option<f64> {
    let bits = match option.name {
        "weights" => WeightFormat::from_id(id)?.block().bits_per_value(),
        "kv" => KvPrecision::from_id(id)?.block().bits_per_value(),
        _ => return None,
    };
    Some(libm::floor(bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mends(options: &str) -> Vec<(&'static str, Option<alloc::string::String>)> {
        let text = alloc::format!(r#"{{ "version": 1, "model": "llama-3.1-8b", {options} }}"#);
        let plan = &crate::file::read(&text).unwrap()[0];
        let mends = Mend::of(plan, Spending::default());
        let value = |mend: &Mend| mend.plan.get(mend.option.name).map(Value::to_string);
        mends.iter().map(|mend| (mend.option.name, value(mend))).collect()
    }

    fn only(name: &'static str, value: Option<&str>) -> Vec<(&'static str, Option<alloc::string::String>)> {
        alloc::vec![(name, value.map(Into::into))]
    }

    #[test]
    fn another_program_takes_the_nearest_format_that_it_reads() {
        assert_eq!(mends(r#""weights": "int4", "engine": "llamacpp""#), only("weights", Some("q4_k")));
        assert_eq!(mends(r#""weights": "fp8", "engine": "llamacpp""#), only("weights", Some("q8_0")));
        assert_eq!(mends(r#""weights": "q4_k", "engine": "vllm""#), only("weights", Some("int4")));
        assert_eq!(mends(r#""kv": "int8", "engine": "vllm", "gpu": "h100-sxm""#), only("kv", Some("fp8")));
    }

    #[test]
    fn training_takes_the_usual_format_among_those_that_are_as_near() {
        assert_eq!(mends(r#""weights": "int4", "mode": "training""#), only("weights", Some("bf16")));
    }

    #[test]
    fn a_number_goes_back_to_what_goes_without_saying() {
        assert_eq!(mends(r#""gpu": "h100-sxm", "tp": 7"#), only("tp", None));
    }

    #[test]
    fn layers_that_do_not_go_on_the_stages_are_spread() {
        let deepseek = |more: &str| {
            let text = alloc::format!(
                r#"{{ "version": 1, "model": "deepseek-v3", "mode": "training", "gpu": "h800-sxm", "pp": 16, "ep": 64, "dp": 128 {more} }}"#
            );
            Mend::of(&crate::file::read(&text).unwrap()[0], Spending::default())
        };
        let said = |mend: &Mend, option: &str| mend.plan.get(option).map(Value::to_string);
        let layout = "Et*3|t*3|(t*4|)*13t*3L";
        let mends = deepseek(r#", "implementation": "megatron""#);
        assert_eq!(mends[0].option.name, "pipeline_model_parallel_layout");
        assert_eq!(said(&mends[0], "pipeline_model_parallel_layout").as_deref(), Some(layout));
        // What was told of single stages goes: Megatron-LM takes one of the two.
        let mends = deepseek(r#", "implementation": "megatron", "decoder_first_pipeline_num_layers": 4"#);
        assert_eq!(said(&mends[0], "pipeline_model_parallel_layout").as_deref(), Some(layout));
        assert_eq!(said(&mends[0], "decoder_first_pipeline_num_layers"), None);
        // The code of transformers has no pipeline, and torchtitan asks for a micro-batch for each stage.
        let mends = deepseek("");
        assert_eq!([mends[0].option.name, mends[1].option.name], ["implementation"; 2]);
        assert_eq!(said(&mends[0], "implementation").as_deref(), Some("megatron"));
        assert_eq!(said(&mends[0], "pipeline_model_parallel_layout").as_deref(), Some(layout));
        assert_eq!(said(&mends[1], "implementation").as_deref(), Some("torchtitan"));
        assert_eq!(said(&mends[1], "micro_batches").as_deref(), Some("16"));
    }

    #[test]
    fn what_training_code_asks_for_is_offered() {
        let code = |more: &str| mends(&alloc::format!(r#""mode": "training", "gpu": "h100-sxm", {more}"#));
        assert_eq!(code(r#""implementation": "torchtitan", "pp": 4"#)[0], ("micro_batches", Some("4".into())));
        let dual = |more: &str| {
            let text = alloc::format!(
                r#"{{ "version": 1, "model": "llama-3.1-70b", "mode": "training", "implementation": "megatron", "tp": 8, {more} }}"#
            );
            let mends = Mend::of(&crate::file::read(&text).unwrap()[0], Spending::default());
            mends.first().map(|mend| (mend.option.name, mend.plan.get(mend.option.name).map(Value::to_string)))
        };
        let with = |option, value: &str| Some((option, Some(value.into())));
        assert_eq!(
            dual(r#""pipeline_schedule": "dualpipe", "pp": 8, "micro_batches": 5"#),
            with("micro_batches", "16")
        );
        let half = r#""pipeline_schedule": "dualpipev", "pp": 8, "virtual_stages": 2, "micro_batches": 5"#;
        assert_eq!(dual(half), with("micro_batches", "16"));
        assert_eq!(dual(r#""pipeline_schedule": "dualpipe", "pp": 5"#), with("pipeline_schedule", "dualpipev"));
        assert_eq!(dual(r#""pipeline_schedule": "dualpipe", "pp": 1"#), with("pipeline_schedule", "1f1b"));
        let own =
            r#""pipeline_schedule": "dualpipev", "pp": 4, "micro_batches": 8, "decoder_first_pipeline_num_layers": 20"#;
        assert_eq!(dual(own).map(|(option, _)| option), Some("pipeline_model_parallel_layout"));
        let text =
            r#"{ "version": 1, "model": "mixtral-8x7b", "mode": "training", "implementation": "megatron", "tp": 4 }"#;
        let mends = Mend::of(&crate::file::read(text).unwrap()[0], Spending::default());
        assert_eq!(mends[0].option.name, "sequence_parallel");
    }

    #[test]
    fn experts_whose_blocks_would_be_cut_stay_whole() {
        let first = |model: &str, engine: &str| {
            let text = alloc::format!(
                r#"{{ "version": 1, "model": "{model}", "weights": "fp8-block", "gpu": "h100-sxm", "tp": 8, {engine} }}"#
            );
            let mends = Mend::of(&crate::file::read(&text).unwrap()[0], Spending::default());
            mends.first().map(|mend| (mend.option.name, mend.plan.get(mend.option.name).map(Value::to_string)))
        };
        let older = r#""engine": "vllm", "engine_version": "0.28""#;
        assert_eq!(first("qwen3-235b-a22b", older), Some(("ep", Some("8".into()))));
        // A dense model has no experts: 13,824 / 8 is no multiple of 128 either.
        assert!(first("qwen2.5-14b", older).is_none_or(|(option, _)| option != "ep"));
    }

    #[test]
    fn a_plan_with_an_answer_or_without_a_model_needs_none() {
        assert!(mends(r#""gpu": "h100-sxm""#).is_empty());
        assert!(Mend::of(&Plan::default(), Spending::default()).is_empty());
    }
}
