//! Plans of a trainer that learns from what a model generates: what it is told, what is said to it, and what helps.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

#[path = "common/typed.rs"]
mod typed;

use memory_wall_core::tables::gpus;
use memory_wall_core::{Bucket, Checkpointing, Share, Verdict};
use memory_wall_plan::answers::Spending;
use memory_wall_plan::export::{ExportError, Target, export};
use memory_wall_plan::mend::Mend;
use memory_wall_plan::reply::{Reply, Unanswered};
use memory_wall_plan::runtime::{Rollout, Step, steps};
use memory_wall_plan::{OPTIONS, Plan, Scope, Value, by_name, file, maps};
use memory_wall_runtimes::rollout::{self, Moment, Placed, Reference, Told};
use typed::plan;

const SEVEN: &str = "model=qwen2.5-7b&mode=training&gpu=h100-sxm&dp=8&zero=3&batch=4&seq=1024";

fn reply(options: &str) -> Reply {
    Reply::of(&plan(options), Spending::default()).unwrap()
}

fn learns(options: &str) -> Rollout {
    match Reply::of(&plan(&format!("{SEVEN}&rl=grpo{options}")), Spending::default()) {
        Ok(Reply::Rollout(rollout)) => *rollout,
        other => panic!("{options}: {other:?}"),
    }
}

#[test]
fn every_option_reaches_the_trainer_and_its_vllm() {
    assert_eq!(learns("").told, Told::default());
    let all = "&vllm_mode=colocate&vllm_gpu_memory_utilization=35&vllm_tensor_parallel_size=2&vllm_max_model_length=2048&vllm_enable_sleep_mode=1&num_generations=16&steps_per_generation=4&max_completion_length=768&reference=resident";
    let it = learns(all);
    let told = Told {
        placed: Placed::Colocate,
        share: Share::percent(35),
        tp: 2,
        max_model_len: Some(2_048),
        sleep: true,
        reference: Reference::Resident,
        generations: 16,
        steps_per_generation: Some(4),
        completion: 768,
    };
    assert_eq!(it.told, told);
    assert_eq!(it.made, rollout::rollout(&it.scenario, &told).unwrap());
    // TRL's trainers recompute by themselves, and not where they are told otherwise.
    assert_eq!(it.scenario.checkpointing, Checkpointing::Full);
    assert_eq!(learns("&checkpointing=none").scenario.checkpointing, Checkpointing::None);
    assert!(matches!(reply(SEVEN), Reply::Engine(answers) if answers.scenario.checkpointing == Checkpointing::None));
    // Files carry all of it.
    let whole = plan(&format!("{SEVEN}&rl=grpo{all}"));
    let written = file::write(std::slice::from_ref(&whole));
    assert_eq!(file::read(&written).unwrap(), [whole]);
    for part in ["\"rl\": \"grpo\"", "\"vllm_enable_sleep_mode\": true", "\"vllm_gpu_memory_utilization\": 35"] {
        assert!(written.contains(part), "{part}\n{written}");
    }
}

#[test]
fn what_is_said_is_the_fullest_moment() {
    let it = reply(&format!("{SEVEN}&rl=grpo"));
    let Reply::Rollout(rollout) = &it else { panic!("{it:?}") };
    let peak = rollout.made.peak();
    assert_eq!((peak.moment, it.needed()), (Moment::Step, Some(peak.total())));
    assert_eq!((it.gpus(), it.verdict(), it.capacity()), (8, Some(Verdict::Fits), rollout.made.limit));
    assert_eq!(it.spare().unwrap().0, i128::try_from(it.capacity().unwrap().0 - peak.total().high).unwrap());
    assert_eq!((it.written(), it.rate(), it.longest()), (None, None, None));
    let most = rollout.longest_completion().unwrap();
    let holds = |completion: u32| {
        let seq = 512 + completion;
        let there = reply(&format!("{SEVEN}&rl=grpo&seq={seq}&max_completion_length={completion}"));
        there.verdict().unwrap().holds()
    };
    assert!(most > 512 && holds(most) && !holds(most + 1), "{most}");
    // Nothing is said without a GPU that vLLM takes a share of.
    let without = plan(&format!("{SEVEN}&rl=grpo").replace("&gpu=h100-sxm", ""));
    let Err(Unanswered::Runtime(refused)) = Reply::of(&without, Spending::default()) else { panic!() };
    assert!(refused.needs_gpu());
}

/// The parts of a wall are those of the trainer, with vLLM and the reference in the parts that they have.
#[test]
fn parts_add_up_to_the_fullest_moment() {
    for (options, moment) in [
        ("", Moment::Step),
        ("&reference=resident", Moment::Step),
        ("&vllm_mode=server", Moment::Step),
        ("&loss=chunked", Moment::Step),
        ("&mode=lora&zero=0&dp=1&micro_batches=2", Moment::Step),
        ("&vllm_enable_sleep_mode=1&vllm_gpu_memory_utilization=70", Moment::Generate),
        ("&vllm_enable_sleep_mode=1&vllm_gpu_memory_utilization=90&reference=resident", Moment::Generate),
    ] {
        let it = learns(options);
        let parts: u128 = Bucket::EACH.iter().map(|bucket| it.bytes(*bucket).0).sum();
        assert_eq!((it.made.peak().moment, parts), (moment, it.made.peak().total().high), "{options}");
    }
    let plain = reply(&format!("{SEVEN}&checkpointing=full"));
    let it = learns("&reference=resident");
    let pool = it.made.generator.unwrap().start.pool;
    let weights = plain.bytes(Bucket::Weights).0;
    assert_eq!(it.bytes(Bucket::Weights).0, 2 * weights + pool.weights.0);
    assert_eq!(it.bytes(Bucket::KvCache).0, pool.pool.magnitude().0);
    assert_eq!(it.bytes(Bucket::Optimizer), plain.bytes(Bucket::Optimizer));
    // With many sequences the backward pass of the loss is the fullest phase.
    let many = learns("&batch=16");
    assert_eq!(many.bytes(Bucket::Logits).0, many.made.logits.backward.high);
    // With vLLM on other GPUs, neither its weights nor its pool lie here.
    let server = learns("&vllm_mode=server");
    assert_eq!((server.bytes(Bucket::Weights).0, server.bytes(Bucket::KvCache).0), (weights, 0));
}

#[test]
fn what_is_refused_is_named_at_its_option() {
    let base = format!("{SEVEN}&rl=grpo");
    for (options, option) in [
        ("&num_generations=5", "num_generations"),
        ("&max_completion_length=1024", "max_completion_length"),
        ("&vllm_mode=server&vllm_enable_sleep_mode=1", "vllm_enable_sleep_mode"),
        ("&vllm_tensor_parallel_size=3", "vllm_tensor_parallel_size"),
        ("&vllm_max_model_length=512", "vllm_max_model_length"),
        ("&seq=262144", "seq"),
        ("&mode=lora&zero=0&reference=offloaded", "reference"),
        ("&loss=compiled", "loss"),
        ("&tp=2", "tp"),
        ("&implementation=litgpt", "implementation"),
    ] {
        let plan = plan(&format!("{base}{options}"));
        assert!(Reply::of(&plan, Spending::default()).is_err(), "{options}");
        assert_eq!(Reply::culprits(&plan).first(), Some(&option), "{options}");
    }
    // What it names comes first, and then what helps; of groups, what it names alone.
    assert_eq!(Reply::culprits(&plan(&format!("{base}&num_generations=5"))), ["num_generations"]);
    let elsewhere = format!("{base}&vllm_mode=server&vllm_enable_sleep_mode=1");
    assert_eq!(Reply::culprits(&plan(&elsewhere)), ["vllm_enable_sleep_mode", "vllm_mode"]);
    // Groups are whole with more micro-batches, or with more of them that are generated at once.
    let mends = |options: &str| {
        let plan = plan(options);
        let mends = Mend::of(&plan, Spending::default());
        mends.first().map(|mend| (mend.option.name, mend.plan.get(mend.option.name).cloned()))
    };
    let one = "model=qwen2.5-7b&mode=qlora&gpu=h100-sxm&rl=grpo&seq=1024";
    assert_eq!(mends(one), Some(("micro_batches", Some(Value::Count(8)))));
    assert_eq!(mends(&format!("{one}&batch=6")), Some(("micro_batches", Some(Value::Count(4)))));
    let told = format!("{one}&micro_batches=3&steps_per_generation=3&batch=2");
    assert_eq!(mends(&told), Some(("steps_per_generation", Some(Value::Count(4)))));
    // TRL's default completion of 512 tokens fills the whole sequence, so there is no room for a prompt; a longer sequence has some.
    let short = "mode=training&gpu=h100-sxm&dp=8&zero=3&batch=4&rl=grpo&seq=512&model=qwen2.5-7b";
    assert_eq!(Reply::culprits(&plan(short)), ["max_completion_length", "seq"]);
    assert_eq!(mends(short), Some(("seq", None)));
}

#[test]
fn changes_that_help_are_plans() {
    let plan = plan(&format!("{SEVEN}&rl=grpo&vllm_gpu_memory_utilization=75&reference=resident"));
    let before = Reply::of(&plan, Spending::default()).unwrap();
    assert_eq!(before.verdict(), Some(Verdict::DoesNotFit));
    let steps = steps(&plan, &before, Spending::default());
    let sleep = steps.iter().find(|step| step.id == "sleep").unwrap_or_else(|| panic!("{steps:?}"));
    assert_eq!(sleep.plan.get("vllm_enable_sleep_mode"), Some(&Value::On));
    let holds = |step: &Step| step.reply.verdict().is_some_and(Verdict::holds);
    assert!(holds(&steps[0]), "{steps:?}");
    for step in &steps {
        assert_ne!(step.plan, plan, "{}", step.id);
        assert!(step.reply.needed().unwrap().high < before.needed().unwrap().high, "{}", step.id);
        assert_eq!(Ok(&step.reply), Reply::of(&step.plan, Spending::default()).as_ref(), "{}", step.id);
    }
}

/// An option is shown where it changes something, with what goes without saying.
#[test]
fn options_have_an_effect_where_something_generates() {
    let effects = |plan: &Plan| {
        let scenario = plan.scenario().unwrap();
        let rollout = OPTIONS.iter().filter(|option| option.scope == Scope::Rollout);
        rollout.filter(|option| plan.has_effect(option, &scenario)).map(|option| option.name).collect::<Vec<_>>()
    };
    assert!(effects(&plan("model=qwen2.5-7b&rl=grpo&reference=resident")).is_empty());
    assert_eq!(effects(&plan(&format!("{SEVEN}&reference=resident"))), ["rl"]);
    assert_eq!(effects(&plan(&format!("{SEVEN}&rl=grpo"))).len(), 10);
    assert_eq!(effects(&plan(&format!("{SEVEN}&rl=grpo&vllm_mode=server"))).len(), 7);
    // What a plan that serves says of training changes nothing.
    assert!(matches!(reply("model=qwen2.5-7b&gpu=h100-sxm&rl=grpo"), Reply::Engine(_)));
    assert!(matches!(reply(&format!("{SEVEN}&reference=resident")), Reply::Engine(_)));
    let plan = plan(&format!("{SEVEN}&rl=grpo&micro_batches=2&num_generations=4"));
    let scenario = plan.scenario().unwrap();
    for (name, usual, value) in [
        ("num_generations", Some(Value::Count(8)), Some(Value::Count(4))),
        ("vllm_mode", Some(Value::Word("colocate")), Some(Value::Word("colocate"))),
        ("steps_per_generation", Some(Value::Count(2)), None),
        ("vllm_max_model_length", Some(Value::Count(131_072)), None),
        ("vllm_enable_sleep_mode", None, None),
        ("rl", None, Some(Value::Word("grpo"))),
    ] {
        let option = by_name(name).unwrap();
        assert_eq!((plan.usual(option, &scenario), plan.value(option, &scenario)), (usual, value), "{name}");
    }
}

#[test]
fn other_lengths_and_gpus_are_asked_as_it_runs_there() {
    let plan = plan(&format!("{SEVEN}&rl=grpo"));
    let it = Reply::of(&plan, Spending::default()).unwrap();
    let [few, many] = [4, 16].map(|batch| maps::load(&it, batch, 1_024).unwrap());
    assert!(few.verdict.holds() && few.share < many.share, "{few:?} {many:?}");
    assert_eq!(it.verdict_at(4, 1_024), it.verdict());
    // A completion of 512 leaves no prompt.
    assert_eq!(it.verdict_at(4, 512), None);
    let there = maps::on(&plan, gpus::by_id("b200").unwrap()).unwrap();
    assert!(matches!(there.reply, Reply::Rollout(_)) && there.reply.gpus() <= 8, "{there:?}");
    assert!(there.reply.verdict().unwrap().holds());
    assert!(maps::on(&plan, gpus::by_id("t4").unwrap()).is_none());
    // As many completions are generated and learned from at once on fewer GPUs.
    let told = typed::plan(&format!("{SEVEN}&rl=grpo&micro_batches=2&steps_per_generation=4"));
    let there = maps::on(&told, gpus::by_id("b200").unwrap()).unwrap();
    let count = |plan: &Plan, name: &str| match plan.get(name) {
        Some(Value::Count(count)) => *count,
        other => panic!("{name}: {other:?}"),
    };
    let ranks = count(&there.plan, "dp");
    assert!(ranks < 8, "{ranks}");
    for (name, all) in [("micro_batches", 16), ("steps_per_generation", 32)] {
        assert_eq!(count(&there.plan, name) * ranks, all, "{name}");
    }
}

/// No file of another program trains on something else without a word.
#[test]
fn exports_name_what_they_leave_out() {
    let plan = plan(&format!("{SEVEN}&rl=grpo&num_generations=16&reference=resident"));
    for target in [Target::TrainingArguments, Target::Accelerate, Target::DeepSpeed] {
        let said = export(&plan, target).map(|export| export.left_out.join("\n"));
        let said = said.unwrap_or_else(|error| panic!("{}: {error}", target.id()));
        for line in [
            "rl grpo: it is what TRL's GRPOTrainer does",
            "num_generations 16: the training code is TRL's, whose GRPOConfig has it",
            "reference resident: TRL's setting is beta, any value above 0",
        ] {
            assert!(said.contains(line), "{}: {line}\n{said}", target.id());
        }
    }
    for target in [Target::Axolotl, Target::Torchtitan, Target::Megatron] {
        let refused = export(&plan, target).unwrap_err();
        assert!(matches!(&refused, ExportError::Cannot(..)) && refused.to_string().contains("rl grpo"), "{refused}");
    }
    let said = |options: &str, target| export(&typed::plan(options), target).unwrap().left_out.join("\n");
    for (reference, why) in
        [("none", "TRL's setting is beta, which is 0 then"), ("offloaded", "TRL has no setting for it")]
    {
        let said = said(&format!("{SEVEN}&rl=grpo&reference={reference}"), Target::DeepSpeed);
        assert!(said.contains(&format!("reference {reference}: {why}")), "{said}");
    }
    // Where nothing is generated, no training code of TRL's has it.
    for target in Target::ALL.iter().copied().filter(|target| target.trains()) {
        let one = "model=llama-3.1-8b&mode=training&gpu=h100-sxm&dp=8&num_generations=16&reference=resident";
        let said = said(one, target);
        assert!(said.contains("num_generations 16: ") && !said.contains("GRPO"), "{}: {said}", target.id());
        assert!(!said.contains("beta"), "{}: {said}", target.id());
    }
}
