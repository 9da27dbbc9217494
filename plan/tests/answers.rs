//! Answers to plans are the core's own, and a change that is offered is the plan that the engine computed.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test that fails may panic")]

#[path = "common/typed.rs"]
mod typed;

use memory_wall_core::spending::service;
use memory_wall_core::{Verdict, evaluate};
use memory_wall_plan::answers::{Answers, Spending};
use memory_wall_plan::changes::{Change, Fix, TOLD};
use memory_wall_plan::reply::{Reply, Unanswered};
use memory_wall_plan::{Plan, Value, maps};
use typed::plan;

/// What the engine says to a plan.
fn answers(plan: &Plan, spending: Spending) -> Answers {
    let Reply::Engine(answers) = Reply::of(plan, spending).unwrap() else { panic!("a runtime of its own: {plan:?}") };
    *answers
}

const PLANS: [&str; 8] = [
    "model=llama-3.1-70b&weights=bf16&engine=vllm&gpu=h100-sxm&tp=2&seq=8192&batch=16",
    "model=llama-3.1-70b&weights=int4&engine=vllm&gpu=rtx4090&tp=2&seq=32768&batch=8&kv=fp8",
    "model=llama-3.1-70b&weights=q4_k&engine=llamacpp&gpu=rtx4090&seq=8192",
    "model=llama-3.1-8b&mode=training&gpu=a100-40-sxm&dp=4&zero=3&seq=8192",
    "model=llama-3.1-8b&mode=qlora&gpu=t4&seq=2048",
    "model=llama-3.1-8b&mode=lora&gpu=rtx4090&batch=16&seq=4096",
    "model=mixtral-8x7b&engine=hf&gpu=h100-sxm&batch=100&seq=2048",
    "model=llama-3.1-8b&gpu=h100-sxm",
];

#[test]
fn a_change_is_the_plan_that_the_engine_computed() {
    for query in PLANS {
        let plan = plan(query);
        let scenario = plan.scenario().unwrap().check().unwrap();
        let changes = Change::of(&plan, &scenario);
        let fits = evaluate::verdict(&scenario) == Some(Verdict::Fits);
        assert!(changes.len() <= TOLD && !changes.is_empty(), "{query}");
        assert!(!fits || changes.iter().all(|change| change.effect.time_ratio < 4.0), "{query}");
        for change in changes {
            assert_eq!(change.plan.scenario().unwrap(), *change.effect.scenario, "{query} {:?}", change.fix);
            assert_eq!(change.effect.total, evaluate::total(&change.effect.scenario));
        }
    }
}

#[test]
fn what_does_not_fit_is_helped_by_something_that_does() {
    let plan = plan(PLANS[0]);
    let scenario = plan.scenario().unwrap().check().unwrap();
    assert!(!evaluate::verdict(&scenario).unwrap().holds());
    let changes = Change::of(&plan, &scenario);
    assert!(changes[0].effect.verdict.unwrap().holds(), "{changes:?}");
    let together = plan_of("model=llama-3.1-8b&mode=training&gpu=rtx4090&batch=8&seq=4096");
    assert!(together.iter().any(|change| change.fix == Fix::Together));
}

fn plan_of(query: &str) -> Vec<Change> {
    let plan = plan(query);
    Change::of(&plan, &plan.scenario().unwrap().check().unwrap())
}

#[test]
fn answers_are_those_of_the_core() {
    for query in PLANS {
        let plan = plan(query);
        let answers = answers(&plan, Spending { price: Some(2_000), tokens: Some(1_000_000_000) });
        let scenario = plan.scenario().unwrap().check().unwrap();
        assert_eq!(answers.evaluation, evaluate(&scenario));
        let holds = answers.verdict().is_some_and(Verdict::holds);
        if let Some(served) = answers.served.filter(|_| holds) {
            let of_core = service(&scenario, scenario.gpu.unwrap()).unwrap();
            assert_eq!(served.service, of_core);
            assert!(served.in_all[0] >= served.in_all[1] && served.per_user[0] >= served.per_user[1]);
        }
        if let Some(trained) = answers.trained {
            let run = trained.run.unwrap();
            assert!(run.seconds[0] <= run.seconds[1] && trained.mfu[0] <= 1.0, "{query} {trained:?}");
            assert!((run.price.unwrap()[0] / run.gpu_hours[0] - 2.0).abs() < 1e-9);
        }
        assert_eq!(
            answers.served.is_some() || answers.trained.is_some(),
            answers.verdict() != Some(Verdict::DoesNotFit),
            "{query}"
        );
    }
}

/// What a map says of a place is what the plan comes to there.
#[test]
fn maps_say_what_the_plan_comes_to() {
    for query in PLANS {
        let plan = plan(query);
        let cells = maps::requests(&Reply::of(&plan, Spending::default()).unwrap());
        for (batch, row) in maps::BATCHES.into_iter().zip(cells) {
            for (seq_length, cell) in maps::LENGTHS.into_iter().zip(row) {
                let mut there = plan.clone();
                there.set("batch", Value::Count(batch));
                there.set("seq", Value::Count(seq_length));
                let expected = there.scenario().unwrap().check().ok().and_then(|it| evaluate::verdict(&it));
                assert_eq!(cell, expected, "{query} {batch} {seq_length}");
            }
        }
        for there in maps::everywhere(&plan) {
            assert!(there.reply.verdict().unwrap().holds(), "{query} {}", there.gpu.id);
            assert_eq!(there.reply.scenario().gpu.unwrap().id, there.gpu.id);
            assert!(there.reply.gpus() <= 8);
        }
    }
    let found = maps::everywhere(&plan(PLANS[0]));
    let count = |id: &str| found.iter().find(|there| there.gpu.id == id).map(|there| there.reply.gpus());
    assert_eq!([count("h200-sxm"), count("t4")], [Some(2), None]);
}

#[test]
fn what_waits_in_a_queue_is_not_counted_as_served() {
    let plan = plan("model=llama-3.1-8b&engine=vllm&gpu=rtx4090&seq=8192&batch=64");
    let answers = answers(&plan, Spending::default());
    assert_eq!(answers.verdict(), Some(Verdict::Queues));
    assert_eq!(answers.served.unwrap().batch, answers.start.unwrap().requests.running);
}

/// A pool is what the memory that is stated to be there leaves.
#[test]
fn a_pool_is_of_the_memory_that_is_stated() {
    let pool = |stated: &str| {
        let query = format!("model=llama-3.1-8b&gpu=strix-halo&engine=vllm&seq=8192&batch=2{stated}");
        let answers = answers(&plan(&query), Spending::default());
        (answers.evaluation.fit.unwrap().margin, answers.start.unwrap().pool.tokens)
    };
    let [usual, less] = ["", "&gpu_memory=40"].map(pool);
    assert!(less.0 < usual.0 && less.1 < usual.1, "{usual:?} {less:?}");
}

#[test]
fn without_a_model_or_with_a_contradiction_there_is_no_answer() {
    assert_eq!(Reply::of(&plan("seq=4096"), Spending::default()), Err(Unanswered::NoModel));
    let refused = Reply::of(&plan("model=llama-3.1-8b&tp=7"), Spending::default());
    assert!(matches!(refused, Err(Unanswered::Scenario(_))), "{refused:?}");
    // Without a GPU there is memory, and nothing that depends on one.
    let bare = answers(&plan("model=llama-3.1-8b"), Spending::default());
    assert_eq!((bare.verdict(), bare.longest(), bare.served), (None, None, None));
}
