//! The questions as data: complete, explained, computed, and about what was taught before.

use memory_wall_core::server::{Request, percentile};
use memory_wall_core::{Attention, Engine, KvPrecision, Parallelism, Scenario, Serving, WeightFormat, evaluate};
use memory_wall_minute::Film;

use super::numbers::{self, unit};
use super::text::{Kind, questions};
use super::{Asked, SECTIONS, all, facts, is_shuffled, parts, plain, put, rank, served};
use crate::quiz::book::VARIANTS;
use crate::quiz::number::{Judged, TOLERANCE, Unit, judge};

fn asked() -> Vec<Asked> {
    questions().unwrap().into_iter().map(Asked::of).collect()
}

#[test]
fn there_are_enough_of_each_kind_and_the_classic_four_come_first() {
    let (questions, claims) = (all(false), all(true));
    assert!(questions.len() >= 20 && claims.len() >= 20, "{} and {}", questions.len(), claims.len());
    let first: Vec<_> = questions.iter().take(4).map(|question| question.id).collect();
    assert_eq!(first, ["buckets.weights", "kv_cache.size", "roofline.three", "oom.backward"]);
    let fresh = questions.iter().filter(|question| question.kind == Kind::Number).count();
    assert!(fresh >= 8 && fresh * 2 <= questions.len(), "{fresh} of {}", questions.len());
    for kind in [Kind::Choice, Kind::Order, Kind::Diagnose] {
        assert!(questions.iter().any(|question| question.kind == kind), "{kind:?}");
    }
    assert!(questions.iter().any(|question| question.text("picture").is_some()));
    let mut ids: Vec<_> = questions.iter().chain(&claims).map(|question| question.id).collect();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0] != pair[1]));
    for question in questions.iter().chain(&claims) {
        assert!(SECTIONS.contains(&question.section()), "{}", question.id);
        assert!(question.id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "._".contains(c)));
    }
}

#[test]
fn every_option_is_explained_and_the_right_ones_are_as_many_as_are_asked_for() {
    for question in all(false) {
        let id = question.id;
        assert!(question.text("title").is_some() && question.text("ask").is_some(), "{id}");
        let right: Vec<usize> =
            question.groups.iter().map(|group| group.choices.iter().filter(|choice| choice.right).count()).collect();
        match question.kind {
            Kind::Choice => assert_eq!(right, [1], "{id}"),
            Kind::Diagnose => assert_eq!(right, [2, 1], "{id}: two causes and a first fix"),
            Kind::Order | Kind::Number => assert!(right.iter().all(|right| *right == 0), "{id}"),
            Kind::Claim => unreachable!(),
        }
        for choice in question.groups.iter().flat_map(|group| &group.choices) {
            assert!(choice.reason.len() > 25 && choice.reason.ends_with('.'), "{id}: {}", choice.text);
        }
        if question.kind == Kind::Choice {
            assert!(question.groups[0].choices.len() >= 3, "{id}");
        }
    }
}

#[test]
fn options_are_kept_by_numbers_of_their_own() {
    for question in all(false) {
        let mut ids: Vec<u8> = parts(&question).map(|choice| choice.id).collect();
        // Style sheets and kept answers know a digit.
        assert!(ids.iter().all(|id| *id < 10), "{}", question.id);
        ids.sort_unstable();
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{}", question.id);
        if question.kind == Kind::Order {
            assert_eq!(ids, [0, 1, 2, 3, 4], "{}: the style sheet marks these", question.id);
        }
    }
}

/// What the right answers of the first version were, by the numbers under which they were kept: those options are still the right ones.
const KEPT: [(&str, &str); 22] = [
    ("roofline.three", "0"),
    ("oom.backward", "0 2 6"),
    ("roofline.place", "2"),
    ("roofline.next", "1"),
    ("hierarchy.order", "3 2 4 1 0"),
    ("hierarchy.latency", "0"),
    ("hierarchy.fusion", "1"),
    ("buckets.grows", "0"),
    ("buckets.fit", "1"),
    ("training.accumulation", "1"),
    ("training.mixed", "1"),
    ("kv_cache.decode", "1"),
    ("kv_cache.first", "1"),
    ("oom.copy", "2"),
    ("oom.order", "4 0 2 1 3"),
    ("ladder.lora", "1"),
    ("parallel.data", "2"),
    ("scaling.legal", "1"),
    ("profile.first", "0"),
    ("profile.utilization", "1"),
    ("profile.reserved", "0 2 4"),
    ("claims.kv13", "false"),
];

#[test]
fn answers_that_were_kept_before_mean_what_they_meant() {
    for (id, answer) in KEPT {
        let asked = asked().into_iter().find(|asked| asked.question.id == id);
        assert_eq!(asked.and_then(|asked| asked.answer()).as_deref(), Some(answer), "{id}");
    }
}

#[test]
fn at_every_attempt_the_right_option_is_about_as_often_at_each_place() {
    for attempt in 0..VARIANTS {
        for count in [3, 4] {
            let mut at = vec![0; count];
            for question in all(false).iter().filter(|question| is_shuffled(question)) {
                for group in question.groups.iter().filter(|group| group.choices.len() == count) {
                    let mut choices: Vec<_> = group.choices.iter().collect();
                    choices.sort_by_key(|choice| rank(question.id, attempt, choice.id));
                    at[choices.iter().position(|choice| choice.right).unwrap()] += 1;
                }
            }
            let all: usize = at.iter().sum();
            assert!(all > 5, "{count} options: {all}");
            // Within a third of what is expected at each place, and one more for luck.
            assert!(at.iter().all(|here| here * count * 2 <= all * 3 + 2 * count), "attempt {attempt}: {at:?}");
        }
    }
}

#[test]
fn options_change_their_places_from_one_attempt_to_the_next() {
    for question in all(false).iter().filter(|question| is_shuffled(question)) {
        for group in &question.groups {
            let order = |attempt: u32| {
                let mut ids: Vec<u8> = group.choices.iter().map(|choice| choice.id).collect();
                ids.sort_by_key(|id| rank(question.id, attempt, *id));
                ids
            };
            let orders: std::collections::BTreeSet<_> = (0..VARIANTS).map(order).collect();
            assert!(orders.len() > 2, "{}: {orders:?}", question.id);
        }
    }
}

#[test]
fn a_wrong_choice_has_a_hint_of_its_own_that_does_not_tell_the_answer() {
    for asked in asked().iter().filter(|asked| asked.question.kind != Kind::Claim) {
        let question = &asked.question;
        let id = question.id;
        let choices: Vec<_> = question.groups.iter().flat_map(|group| &group.choices).collect();
        // Where something can be wrong that no option stands for, there is a hint for that.
        assert_eq!(question.text("hint").is_some(), question.kind != Kind::Choice, "{id}");
        let hints = super::hints(asked);
        let wrong = choices.iter().filter(|choice| !choice.right && question.kind != Kind::Order).count();
        let other = usize::from(question.kind != Kind::Choice);
        assert_eq!(hints.len(), wrong + question.slips().count() + other, "{id}");
        for choice in &choices {
            assert_eq!(choice.hint.is_empty(), choice.right || question.kind == Kind::Order, "{id}: {}", choice.text);
            assert_ne!(choice.hint, choice.reason, "{id}: {}", choice.text);
        }
        for (_, hint) in hints {
            assert!(hint.len() > 20 && hint.ends_with(['.', '?']), "{id}: {hint}");
            // On a picture they are letters.
            for right in choices.iter().filter(|choice| choice.right && choice.text.len() > 1) {
                assert!(!hint.contains(right.text), "{id}: {hint}");
            }
        }
    }
}

#[test]
fn about_half_of_the_claims_hold() {
    let claims = all(true);
    let truths: Vec<bool> = claims.iter().map(|claim| claim.text("true").is_some()).collect();
    let right = truths.iter().filter(|truth| **truth).count();
    assert!(right * 10 >= truths.len() * 4 && right * 10 <= truths.len() * 6, "{right} of {}", truths.len());
    // Nor does a row of them tell the next one.
    assert!(truths.windows(4).all(|four| four.contains(&true) && four.contains(&false)), "{truths:?}");
}

#[test]
fn every_section_has_three_questions_at_least() {
    let questions = all(false);
    for section in SECTIONS.iter().filter(|section| **section != "claims") {
        let asked = questions.iter().filter(|question| question.section() == *section).count();
        assert!(asked >= 3, "{section}: {asked}");
    }
}

#[test]
fn every_topic_is_asked_about() {
    for (topic, ids) in [
        ("mixtures of experts", ["coping.experts", "coping.active"]),
        ("latent attention", ["kv_cache.mla", "claims.mla"]),
        ("blocks", ["kv_cache.pages", "claims.pages"]),
        ("sliding windows", ["kv_cache.window", "claims.window"]),
        ("logits", ["oom.logits", "claims.logits"]),
        ("preemption", ["server.again", "server.room"]),
        ("waiting requests", ["server.queue", "server.room"]),
        ("pipelines", ["parallel.bubble", "claims.bubble"]),
        ("FlashAttention", ["training.flash", "claims.flash"]),
        ("coping", ["coping.first", "ladder.saves"]),
    ] {
        for id in ids {
            assert!(asked().iter().any(|asked| asked.question.id == id), "{topic}: {id}");
        }
    }
}

/// Options or parts of a question, each with what the engine makes of it.
fn each<T>(id: &str, of: impl Fn(u8) -> T) -> Vec<(bool, T)> {
    let question = all(false).into_iter().find(|question| question.id == id).unwrap();
    parts(&question).map(|choice| (choice.right, of(choice.id))).collect()
}

#[test]
fn the_engine_finds_one_right_answer_alone() {
    let total = |scenario: &Scenario| evaluate(&scenario.check().unwrap()).total;
    // From what saves most to what saves least, with some air between neighbours.
    let step = facts::crowded().unwrap();
    let saved = each("ladder.saves", |part| total(&step).0 - total(&facts::eased(&step, part).unwrap()).0);
    for pair in saved.windows(2) {
        assert!(pair[0].1 * 10 > pair[1].1 * 11, "{saved:?}");
    }
    let fits = |scenario: &Scenario| total(scenario) <= scenario.gpu.unwrap().capacity;
    let step = facts::small().unwrap();
    assert!(!fits(&step));
    for (right, fit) in each("coping.first", |option| fits(&facts::mended(&step, option).unwrap())) {
        assert_eq!(right, fit);
    }
    assert!(fits(&facts::eased(&step, 2).unwrap()), "the answer says that checkpointing would fit as well");
    let served = facts::served().unwrap();
    let changed = |option| match option {
        1 => Scenario { kv: KvPrecision::Int8, ..served },
        2 => Scenario { weights: WeightFormat::Int4, ..served },
        // Whole blocks are what these sequences take anyway.
        4 => Scenario { serving: Serving { engine: Engine::Vllm, ..served.serving }, ..served },
        5 => Scenario { attention: Attention::Flash, ..served },
        other => panic!("what is option {other}?"),
    };
    for (right, fit) in each("kv_cache.first", |option| fits(&changed(option))) {
        assert_eq!(right, fit);
    }
    let stuck = facts::stuck().unwrap();
    assert!(!fits(&stuck));
    for (right, fit) in each("ladder.states", |option| fits(&facts::moved(&stuck, option).unwrap())) {
        assert_eq!(right, fit);
    }
    let opt = numbers::model("opt-175b").unwrap().architecture;
    let legal = |tp| Parallelism { tp, ..Parallelism::ONE }.check(&opt).is_ok();
    let question = all(false).into_iter().find(|question| question.id == "scaling.legal").unwrap();
    for choice in parts(&question) {
        let gpus = choice.text.split(' ').next().unwrap().parse().unwrap();
        assert_eq!(legal(gpus), choice.right, "{gpus}");
    }
}

#[test]
fn a_larger_pool_is_full_later_and_then_the_queue_grows_all_the_same() {
    let [low, high] = served::larger().unwrap();
    let [first, later] = [&low, &high].map(|film| served::full(film).unwrap());
    assert!(later > first);
    assert!(served::waiting(&low) > 5 && served::waiting(&high) > 5, "{}", served::waiting(&high));
    // No answer is written faster.
    let tpot = |film: &Film| percentile(&film.requests.iter().filter_map(Request::tpot), 50).unwrap();
    let [before, after] = [tpot(&low) as f64, tpot(&high) as f64];
    assert!((after / before - 1.0).abs() < 0.02, "{before} {after}");
}

#[test]
fn writing_takes_as_many_times_as_long_as_the_question_says() {
    let [read, step] = served::times().unwrap();
    let all = step * f64::from(served::TOKENS);
    // While tokens are written the cache doubles, so the last step is the longest.
    assert!(all / read > 100.0 && all / read < 250.0, "{}", all / read);
}

#[test]
fn the_right_option_is_seldom_the_longest() {
    let (mut groups, mut longest) = (0, Vec::new());
    for asked in asked().iter().filter(|asked| matches!(asked.question.kind, Kind::Choice | Kind::Diagnose)) {
        for group in &asked.question.groups {
            let lengths = |right: bool| {
                let of = group.choices.iter().filter(move |choice| choice.right == right);
                of.map(|choice| put(choice.text, &asked.values).chars().count()).max()
            };
            groups += 1;
            if lengths(true) > lengths(false) {
                longest.push(asked.question.id);
            }
        }
    }
    assert!(longest.len() * 10 <= groups * 4, "{} of {groups}: {longest:?}", longest.len());
}

#[test]
fn every_number_is_put_in_and_none_is_left_over() {
    for asked in asked() {
        let question = &asked.question;
        let texts = question.texts.iter().map(|(_, text)| *text);
        let choices = question.groups.iter().flat_map(|group| &group.choices);
        let texts: Vec<&str> = texts.chain(choices.flat_map(|choice| [choice.text, choice.reason])).collect();
        let sets: Vec<&numbers::Values> = if question.kind == Kind::Number {
            assert_eq!(asked.variants.len(), VARIANTS as usize, "{}", question.id);
            asked.variants.iter().map(|variant| &variant.values).collect()
        } else {
            vec![&asked.values]
        };
        // Slips and hints are told of every set of numbers alike.
        for (_, text) in super::hints(&asked) {
            assert!(!text.contains(['{', '}']), "{}: {text}", question.id);
        }
        for values in sets {
            for text in &texts {
                let text = put(text, values);
                assert!(!text.contains(['{', '}']), "{}: {text}", question.id);
                assert!(!text.contains(['!', '<', '>']), "{}: {text}", question.id);
            }
            for (name, value) in values {
                assert!(texts.iter().any(|text| text.contains(&format!("{{{name}}}"))), "{}: {name}", question.id);
                assert!(!value.is_empty() && value != "0.000", "{}: {name}", question.id);
            }
        }
    }
}

#[test]
fn slips_are_named_and_far_from_the_answer_and_from_each_other() {
    for asked in asked().iter().filter(|asked| asked.question.kind == Kind::Number) {
        let id = asked.question.id;
        let [prefix, names, _] = unit(id);
        let unit = Unit { prefix, names };
        let bare = names.split(' ').next().unwrap();
        for variant in &asked.variants {
            let apart = |one: f64, other: f64| one.max(other) / one.min(other) > TOLERANCE * TOLERANCE;
            let slips: Vec<String> =
                variant.slips.iter().map(|(slip, value)| format!("{slip}={}", plain(*value))).collect();
            let slips = slips.join(" ");
            let judged = |value: f64| judge(&format!("{value:e} {bare}"), unit, &plain(variant.answer), &slips);
            assert_eq!(judged(variant.answer), Some(Judged::Right), "{id}");
            for (place, (slip, value)) in variant.slips.iter().enumerate() {
                assert!(asked.question.slips().any(|(known, _)| known == *slip), "{id}: {slip} is not explained");
                assert!(apart(*value, variant.answer), "{id}: {slip} is the answer: {value}");
                for (other, known) in &variant.slips[..place] {
                    assert!(apart(*value, *known), "{id}: {slip} and {other} are both {value}");
                }
                assert_eq!(judged(*value), Some(Judged::Slip(slip)), "{id}");
            }
        }
        for (slip, _) in asked.question.slips() {
            let used = asked.variants.iter().any(|variant| variant.slips.iter().any(|(known, _)| *known == slip));
            assert!(used, "{id}: nothing makes the slip {slip}");
        }
    }
}

#[test]
fn answers_are_those_that_come_out_by_hand() {
    let answer = |id: &str, place: usize| numbers::variants(id)[place].answer;
    let near = |one: f64, other: f64| assert!((one / other - 1.0).abs() < 2e-3, "{one} is not {other}");
    near(answer("buckets.weights", 0), 26.03e9);
    assert!((answer("kv_cache.size", 0) - 137_438_953_472.0).abs() < 0.5);
    near(answer("kv_cache.size", 2), 107.374e9);
    near(answer("roofline.knee", 0), 153.0);
    near(answer("roofline.ceiling", 0), 67.0e12);
    // 16 bytes a parameter.
    near(answer("training.states", 0), 16.0 * 6.738_415_616e9);
    // 2 + 14 / 8 bytes a parameter.
    near(answer("parallel.zero", 0), 3.75 * 6.738_415_616e9);
    near(answer("scaling.cards", 0), 14.0);
    near(answer("scaling.cards", 1), 2.0);
    // 6 × 6.738e9 × 2e12 / (0.4 × 312e12) seconds.
    near(answer("time.hours", 0), 179_990.0);
    near(answer("time.price", 0), 5.5556);
    near(answer("hierarchy.trips", 0), 4.0 * 2.0 * 2.0 * 50e6);
    // 3.35 TB/s over all weights but the embedding table, 32,000 × 4,096 in bf16.
    near(answer("hierarchy.tokens", 0), 3.35e12 / (13_476_831_232.0 - 262_144_000.0));
    let said = |id: &str, name: &str| {
        let facts = super::facts::facts(id).unwrap();
        facts.into_iter().find(|(known, _)| *known == name).unwrap().1.replace('\u{202f}', " ")
    };
    assert_eq!([said("roofline.three", "ceiling"), said("roofline.three", "share")], ["6.12 TFLOP/s", "2.0%"]);
    assert_eq!(said("claims.kv13", "size"), "107 GB");
    assert_eq!(said("claims.linear", "peak"), "27.9 GB");
    // All weights but the embedding table, as the section on the memories says.
    assert_eq!([said("claims.token", "weights"), said("claims.token", "answer")], ["13.2 GB", "154"]);
    assert_eq!([said("oom.copy", "forward"), said("oom.copy", "peak")], ["17.0 GiB", "26.0 GiB"]);
    assert_eq!([said("claims.layers", "one"), said("claims.layers", "all")], ["41.9 MB", "1.68 GB"]);
    assert_eq!(said("claims.gemm", "both"), "1,365");
    assert_eq!(said("claims.adam", "size"), "112 GB");
    assert_eq!(said("claims.pcie", "link"), "31.5 GB/s");
    assert_eq!(said("claims.zero", "times"), "4.27");
    assert_eq!(said("claims.mi300x", "fp8"), "2,615 TFLOP/s");
}

/// A term that questions use, and a section whose text explains it; sections that are not there yet explain nothing.
const TERMS: [(&str, &str); 11] = [
    ("KV cache", "buckets"),
    ("key-value head", "buckets"),
    ("optimizer", "buckets"),
    ("gradient", "buckets"),
    ("activations", "buckets"),
    ("logits", "buckets"),
    ("ridge", "roofline"),
    ("memory-bound", "roofline"),
    ("latency", "hierarchy"),
    ("kernel", "hierarchy"),
    ("L2", "hierarchy"),
];

#[test]
fn terms_are_taught_before_they_are_asked_about() {
    let questions = crate::words::language().asked.to_lowercase();
    for (term, section) in TERMS {
        let file = format!("{}/content/en/{section}.md", env!("CARGO_MANIFEST_DIR"));
        let taught = std::fs::read_to_string(&file).unwrap().to_lowercase();
        let all = crate::registry::SECTIONS;
        assert!(all.iter().position(|id| *id == section) < all.iter().position(|id| *id == "check"), "{section}");
        assert!(questions.contains(&term.to_lowercase()), "nothing asks about {term}");
        assert!(taught.contains(&term.to_lowercase()), "{section} does not explain {term}");
    }
}
