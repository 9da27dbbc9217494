//! The questions as data: complete, explained, computed, and about what was taught before.

use super::numbers::{self, unit};
use super::text::{Kind, questions};
use super::{Asked, SECTIONS, all, plain, put};
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
    let mut places = Vec::new();
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
            places.push(question.groups[0].choices.iter().position(|choice| choice.right));
            assert!(question.groups[0].choices.len() >= 3, "{id}");
        }
    }
    for place in 0..3 {
        let share = places.iter().filter(|at| **at == Some(place)).count();
        assert!(share * 3 < places.len() * 2, "place {place} is right too often");
    }
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
    assert_eq!([said("oom.copy", "forward"), said("oom.copy", "peak")], ["17.0 GiB", "26.0 GiB"]);
    assert_eq!([said("claims.layers", "one"), said("claims.layers", "all")], ["41.9 MB", "1.68 GB"]);
    assert_eq!(said("claims.gemm", "both"), "1,365");
    assert_eq!(said("claims.adam", "size"), "112 GB");
    assert_eq!(said("claims.pcie", "link"), "31.5 GB/s");
    assert_eq!(said("claims.zero", "times"), "4.27");
    assert_eq!(said("claims.mi300x", "fp8"), "2,615 TFLOP/s");
    assert_eq!(said("claims.mixed", "fp32"), said("claims.mixed", "mixed"));
    assert_eq!(said("claims.data", "one"), said("claims.data", "eight"));
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
