//! Plan files: a plan that is written is read back unchanged, and anything else is refused with a message.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

use memory_wall_core::Bytes;
use memory_wall_core::Share;
use memory_wall_core::layout::Layout;
use memory_wall_core::tables::gpus::GPUS;
use memory_wall_core::tables::models::MODELS;
use memory_wall_plan::{Kind, OPTIONS, OwnModel, Plan, Value, file, json};
use proptest::prelude::*;
use proptest::sample::{Index, subsequence};

/// Any value of an option.
fn value(kind: Kind) -> BoxedStrategy<Value> {
    match kind {
        Kind::Count(bounds) => (bounds.min..=bounds.max).prop_map(Value::Count).boxed(),
        Kind::Memory(bounds) => {
            let gib = |count: u32| u128::from(count) << 30;
            (gib(bounds.min)..=gib(bounds.max)).prop_map(|bytes| Value::Memory(Bytes(bytes))).boxed()
        }
        Kind::Percent(bounds) => {
            (bounds.min * 100..=bounds.max * 100).prop_map(|it| Value::Percent(Share::hundredths(it))).boxed()
        }
        Kind::Choice(ids) | Kind::Row(_, ids) => {
            any::<Index>().prop_map(move |at| Value::Word(ids()[at.index(ids().len())])).boxed()
        }
        Kind::List(words, _) => subsequence(words.to_vec(), 1..=words.len()).prop_map(Value::Words).boxed(),
        Kind::Rows(_, ids, most) => prop::collection::vec(any::<Index>(), 1..=most)
            .prop_map(move |places| Value::Words(places.iter().map(|at| ids()[at.index(ids().len())]).collect()))
            .boxed(),
        Kind::Counts(bounds, most) => {
            prop::collection::vec(bounds.min..=bounds.max, 1..=most).prop_map(Value::Counts).boxed()
        }
        Kind::Release => (6..100_u32)
            .prop_map(|minor| Value::Release(memory_wall_core::serving::Version { major: 0, minor }))
            .boxed(),
        Kind::Layout => layouts().boxed(),
        Kind::Switch => Just(Value::On).boxed(),
        Kind::Config => prop_oneof!["\\PC{1,40}".prop_map(Value::Path), Just(Value::Own(own_model()))].boxed(),
    }
}

/// Any layout: stages with some layers each, and MTP layers in one of them behind the last layer.
fn layouts() -> impl Strategy<Value = Value> {
    (prop::collection::vec(0..9_usize, 1..100), 0..3_usize).prop_map(|(layers, predicting)| {
        let stages: Vec<String> = layers.iter().map(|layers| "t".repeat(*layers)).collect();
        let text = format!("E{}{}L", stages.join("|"), "m".repeat(predicting));
        Value::Layout(Layout::read(&text).unwrap())
    })
}

/// A model of the reader's own.
fn own_model() -> OwnModel {
    OwnModel::read(include_str!("../../core/tests/configs/llama-3.1-8b.json")).unwrap()
}

/// Any plan: some options, each with some value.
fn plan() -> impl Strategy<Value = Plan> {
    let options: Vec<_> = OPTIONS.iter().map(|option| proptest::option::of(value(option.kind))).collect();
    ("\\PC{0,40}", options).prop_map(|(name, values)| {
        let mut plan = Plan::new(name);
        for (option, value) in OPTIONS.iter().zip(values) {
            if let Some(value) = value {
                plan.set(option.name, value);
            }
        }
        if plan.get("model").is_some() {
            plan.unset("config");
        }
        plan
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_written_is_read_back(plans in prop::collection::vec(plan(), 1..=4)) {
        let mut plans = plans;
        plans.dedup_by(|a, b| a.name == b.name);
        let names: Vec<String> = plans.iter().map(|plan| plan.name.clone()).collect();
        prop_assume!(names.iter().enumerate().all(|(at, name)| !names[..at].contains(name)));
        let text = file::write(&plans);
        prop_assert_eq!(&file::read(&text).unwrap(), &plans, "{}", text);
        prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{}", text);
    }

    /// Our reader and another one agree on what is JSON, and on all texts in it.
    #[test]
    fn json_is_read_as_others_read_it(text in "[\\[\\]{}:,\"0-9eE.+\\-a-ftrunls\\\\/ \n\u{e9}]{0,24}") {
        // What is there twice is no mistake to the other one, which keeps the last.
        if let Err(error) = json::read(&text) {
            let other = serde_json::from_str::<serde_json::Value>(&text);
            prop_assert!(other.is_err() || error.what.contains("twice"), "{}: {}", text, error);
        } else {
            let other = serde_json::from_str::<serde_json::Value>(&text);
            // A number beyond all floats is a number that nothing here takes.
            let large = other.as_ref().err().is_some_and(|error| error.to_string().contains("out of range"));
            prop_assert!(other.is_ok() || large, "{}", text);
        }
    }

    #[test]
    fn nothing_panics(text in "\\PC{0,200}") {
        let _ = file::read(&text);
        let _ = file::read(&format!("{{\"version\": 1, \"seq\": {text}}}"));
    }
}

#[test]
fn what_is_no_plan_is_refused_with_its_line() {
    let deep = "[".repeat(100_000);
    let huge = format!("{{\"version\": 1, \"name\": \"{}\"}}", "x".repeat(json::LARGEST));
    let five = format!("[{}]", ["{\"version\": 1}"; 5].join(","));
    for (text, message) in [
        ("", "line 1: a value is expected, not the end"),
        ("{\"version\": 1", "line 1: a comma or } is expected, not the end"),
        ("{\n\"version\": 1,\n}", "line 3: a name in quotes is expected, not }"),
        ("[]", "line 1: the list has no plan"),
        ("[1]", "line 1: a plan is an object, not the number 1"),
        ("7", "line 1: a plan is an object, or a list of up to 4, not the number 7"),
        ("{}", "line 1: the plan has no \"version\": 1"),
        ("{\"version\": 2}", "line 1: version is 1 for what this program reads, not the number 2"),
        ("{\"version\": \"1\"}", "line 1: version is 1 for what this program reads, not the text \"1\""),
        ("{\"version\": 1,\n\"sequence\": 5}", "line 2: a plan has no option \"sequence\""),
        ("{\"version\": 1,\n\n\"seq\": 1, \"seq\": 2}", "line 3: \"seq\" is there twice"),
        ("{\"version\": 1, \"seq\": 0}", "line 1: seq is 0, which is outside 1 to 10,000,000 tokens"),
        (
            "{\"version\": 1, \"seq\": 99999999999999999999999}",
            "line 1: seq is 18,446,744,073,709,551,615, which is outside 1 to 10,000,000 tokens",
        ),
        ("{\"version\": 1, \"seq\": 1.5}", "line 1: seq takes a whole number of tokens, not 1.5"),
        ("{\"version\": 1, \"seq\": -4}", "line 1: seq takes a whole number of tokens, not -4"),
        (
            "{\"version\": 1, \"seq\": \"32k\"}",
            "line 1: seq takes a whole number of tokens, written as 10000000 without quotes, not the text \"32k\"",
        ),
        (
            "{\"version\": 1, \"tp\": [2]}",
            "line 1: tp takes a whole number of ranks, written as 4096 without quotes, not a list",
        ),
        (
            "{\"version\": 1, \"gpu_memory_utilization\": 0.9}",
            "line 1: gpu_memory_utilization counts in percent, as 90 or 92.5, not 0.9",
        ),
        (
            "{\"version\": 1, \"gpu_memory_utilization\": 101}",
            "line 1: gpu_memory_utilization is 101, which is outside 1 to 100 percent",
        ),
        ("{\"version\": 1, \"zero\": 4}", "line 1: zero takes 0, 1, 2 or 3, not \"4\""),
        ("{\"version\": 1, \"compile\": \"yes\"}", "line 1: compile takes true, not the text \"yes\""),
        ("{\"version\": 1, \"compile\": false}", "line 1: compile is a switch: true, or left out"),
        ("{\"version\": 1, \"offload\": []}", "line 1: offload is an empty list: leave it out"),
        (
            "{\"version\": 1, \"offload\": [\"disk\"]}",
            "line 1: offload takes a list of optimizer, parameters or kv, not \"disk\"",
        ),
        (
            "{\"version\": 1, \"device\": [\"rtx4090\", \"rtx9\"]}",
            "line 1: device takes a list of up to 16 ids that memory-wall gpus lists, not the text \"rtx9\"",
        ),
        (
            "{\"version\": 1, \"tensor_split\": [3, \"1\"]}",
            "line 1: tensor_split takes a list of up to 16 whole numbers from 0 to 1000000, not the text \"1\"",
        ),
        (
            "{\"version\": 1, \"tensor_split\": [1000001]}",
            "line 1: tensor_split is 1,000,001, which is outside 0 to 1,000,000",
        ),
        (
            "{\"version\": 1, \"tensor_split\": []}",
            "line 1: tensor_split takes a list of up to 16 whole numbers from 0 to 1000000",
        ),
        (
            "{\"version\": 1, \"model\": \"gpt-9\"}",
            "line 1: model takes an id that memory-wall models lists, not \"gpt-9\"",
        ),
        (
            "{\"version\": 1, \"engine_version\": \"0.1\"}",
            "line 1: engine_version takes a release from 0.6 on, written as \"0.29\", not \"0.1\"",
        ),
        (
            "{\"version\": 1, \"model\": \"gpt2-xl\",\n\"config\": \"config.json\"}",
            "line 2: config and model are both there: one of them names the model",
        ),
        ("{\"version\": 1, \"name\": 5}", "line 1: name is a text, not the number 5"),
        ("{\"version\": 1, \"name\": \"a\\u0007\"}", "line 1: name has characters that cannot be seen"),
        ("[{\"version\": 1},\n{\"version\": 1}]", "line 2: two plans have no name, by which they are told apart"),
        (&five, "line 1: 5 plans are more than the 4 that a file may have"),
        (&deep, "line 1: values stand in one another more than 32 deep"),
        (&huge, "line 1: the file is larger than 1 MiB, which no plan is"),
        ("{\"version\": 1, \"name\": \"a\n\"}", "line 1: a text ends with its line: a closing quote is missing"),
        ("{\"version\": 1, \"name\": \"\\ud800\"}", "line 1: half of a character stands behind \\u"),
    ] {
        let error = file::read(text).unwrap_err().to_string();
        assert_eq!(error, message, "{}", &text[..text.len().min(80)]);
    }
}

/// All that a scenario says in its mode is said by its plan: the plan's scenario has the same values.
#[test]
fn scenarios_are_plans() {
    let model = &MODELS[20];
    let start = Plan::new("start").scenario_of(model.architecture);
    for option in OPTIONS.iter().filter(|option| option.of(&start).is_some() || option.name != "config") {
        let value = match option.kind {
            Kind::Count(bounds) => Value::Count(bounds.max),
            Kind::Memory(bounds) => Value::Memory(Bytes((u128::from(bounds.max) << 30) - 1)),
            Kind::Percent(bounds) => Value::Percent(Share::percent(bounds.max)),
            Kind::Choice(ids) | Kind::Row(_, ids) => Value::Word(ids().last().unwrap()),
            Kind::List(words, _) => Value::Words(vec![words.last().unwrap()]),
            Kind::Rows(_, ids, _) => Value::Words(vec![ids()[0]; 2]),
            Kind::Counts(bounds, _) => Value::Counts(vec![bounds.max, bounds.min]),
            Kind::Release => Value::Release(memory_wall_core::serving::Version::MEASURED),
            Kind::Layout => Value::Layout(Layout::read("Et|(tt|)*30mL").unwrap()),
            Kind::Switch => Value::On,
            Kind::Config => continue,
        };
        for (mode, engine) in [("inference", "vllm"), ("inference", "exact"), ("training", "exact"), ("qlora", "exact")]
        {
            let word = |name: &str, text: &str| memory_wall_plan::by_name(name).unwrap().kind.word(text).unwrap();
            let mut plan = Plan::new("one");
            plan.set("model", Value::Word(model.id));
            plan.set("mode", word("mode", mode));
            plan.set("engine", word("engine", engine));
            plan.set(option.name, value.clone());
            let scenario = plan.scenario().unwrap();
            let again = Plan::of(&scenario, "two", Some(model.id));
            if option.scope != memory_wall_plan::Scope::Model && option.scope.has(&scenario) {
                assert_eq!(
                    option.of(&again.scenario_of(scenario.architecture)),
                    option.of(&scenario),
                    "{} {mode}",
                    option.name
                );
            }
            let told = Plan::of(&again.scenario_of(scenario.architecture), "two", Some(model.id));
            assert_eq!(told, again, "{} {mode}", option.name);
        }
    }
    assert!(GPUS.len() > 10);
}
