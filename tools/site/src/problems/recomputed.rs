//! Every part of every problem with every set of numbers, answered from the numbers in its text alone, as a careful reader would.

#[path = "../../../../tests/common/numbers.rs"]
mod numbers;

use memory_wall_app::sections::problems::{PARTS, problems};

use self::numbers::{find, number};
use crate::wording::Words;

/// The answers to a problem, from its text.
fn answered(id: &str, text: &str) -> Option<[f64; 3]> {
    let numbers = |pattern: &str| find(text, pattern);
    let one = |pattern: &str| Some(*numbers(pattern)?.first()?);
    Some(match id {
        "opening.fit" => {
            assert!(text.contains("stored in bf16, two bytes each"), "{text}");
            let weights = one(" has {} parameters")? * 2.0;
            let space = one(" reports {} of memory")? - weights;
            [weights, space, (space / one("one token costs {} of KV cache")?).floor()]
        }
        "hierarchy.split" => {
            let weights = one(" reads {} of the weights")?;
            let own = one("Its own memory delivers {},")? / weights;
            let host = one("the link to host memory {}.")? / weights;
            let share = one("Now {} percent of the weights")? / 100.0;
            [own, host, 1.0 / (share / host + (1.0 - share) / own)]
        }
        "roofline.batch" => {
            let batch = one("one vector for each of {} requests")?;
            let it = numbers(" computes {} in bf16 and moves {}.")?;
            [batch, it[0].min(batch * it[1]), (it[0] / it[1]).ceil()]
        }
        "buckets.bits" => {
            let parameters = one(" has {} parameters")?;
            let space = one(" reports {}, and")? - one("you keep {} free")?;
            let it = numbers("stores each parameter in {} bits, and one scale of {} bits for every {} parameters")?;
            [parameters * 2.0, space * 8.0 / parameters, parameters * (it[0] + it[1] / it[2]) / 8.0]
        }
        "layer.weights" => {
            let it = numbers("Each of the {} layers of")?;
            let more = numbers(
                "turns a token of {} values into queries of {} values and into keys and values of {} values each, and turns the result of attention, {} values, back into {}.",
            )?;
            let mlp = numbers("three matrices of {} × {}.")?;
            let attention = more[0] * (more[1] + 2.0 * more[2]) + more[3] * more[4];
            let inner = 3.0 * mlp[0] * mlp[1];
            [attention, inner, (attention + inner) * it[0] * 2.0]
        }
        "server.pool" => {
            let share = one("may use {} percent of a GPU")? / 100.0;
            let it = numbers("take {} of that, and {} go for")?;
            let pool = one("which has {}.")? * share - it[0] - it[1];
            let page = one("a page has {} tokens")?;
            let pages = (pool / one("A token costs {} of KV cache")? / page).floor();
            let each = numbers("Each request has {} tokens of prompt and writes {}; the first {} tokens")?;
            let needs = ((each[0] + each[1]) / page).ceil();
            let common = (each[2] / page).floor();
            [pool, (pages / needs).floor(), ((pages - common) / (needs - common)).floor()]
        }
        "training.gpt" => {
            let it = numbers(" has {} layers of width {} and {} parameters")?;
            let more = numbers("{} bytes for each parameter, on {} sequences of {} tokens");
            let more =
                more.or_else(|| numbers("mixed precision, {} bytes for each parameter, on {} sequences of {} tokens"))?;
            let each = one("a layer saves {} bytes for each token")?;
            let input = one("only its input, {} bytes for each token")?;
            let values = it[0] * it[1] * more[1] * more[2];
            [it[2] * more[0], values * each, values * input]
        }
        "kv_cache.serve" => {
            let it = numbers(" has {} layers with {} key-value heads of {} values")?;
            let cache = 2.0 * it[0] * it[1] * it[2] * one("Each request has {} tokens")? * 2.0;
            let space = one(" with {}. Each")? - one("values, and {} of weights")?;
            [cache, (space / cache).floor(), (space / (cache / 2.0)).floor()]
        }
        "oom.linear" => {
            let it = numbers("for x of {} × {} × {} values")?;
            let x = it[0] * it[1] * it[2] * 4.0;
            let w = it[2] * it[2] * 4.0;
            // x, y, the copy of y's gradient; W and its gradient.
            [x, w, 3.0 * x + 2.0 * w]
        }
        "ladder.saves" => {
            let it =
                numbers("takes {} of weights, {} of gradients, {} of optimizer states, {} of activations, and {} for")?;
            [it[0] + it[1] + it[2], one("which has {} parameters")? * 6.0, 0.5 * (it[3] + it[4])]
        }
        "parallel.wire" => {
            let parameters = one(" has {} parameters")?;
            let gpus = one("trained on {} GPUs")?;
            let sent = 2.0 * (gpus - 1.0) / gpus * parameters * 2.0;
            [parameters * (4.0 + 12.0 / gpus), parameters * 16.0 / gpus, sent / one("Each GPU sends {}.")? * 1_000.0]
        }
        "parallel.pipeline" => {
            let stages = one("A pipeline has {} stages")?;
            let micro = one("a step sends {} micro-batches")?;
            let less = stages - 1.0;
            let most = one("so that at most {} percent")? / 100.0;
            // A little is taken off, since what is whole is not always so in binary.
            let enough = (less * (1.0 - most) / most - 1e-9).ceil();
            [less / (micro + less) * 100.0, less / (2.0 * micro + less) * 100.0, enough]
        }
        "scaling.cluster" => {
            let it = numbers(" has {} parameters, {} attention heads, and {} of weights")?;
            let capacity = one(" reports {}.")?;
            let heads = (1..=1_000).map(f64::from).filter(|gpus| it[1] % gpus == 0.0);
            let dealt = heads.into_iter().find(|gpus| it[2] <= capacity * 0.9 * gpus)?;
            [(it[2] / capacity).ceil(), dealt, (it[0] * 16.0 / capacity).ceil()]
        }
        "time.run" => {
            let parameters = one("passes through {} parameters")?;
            let peak = numbers("a dense peak of {}, and the run reaches an MFU of {} percent")?;
            let rest = numbers("There are {} GPUs, and each costs {} dollars")?;
            let hours = 6.0 * parameters * one("trained on {} tokens")? / (peak[0] * peak[1] / 100.0) / 3_600.0;
            [hours, hours / rest[0] / 24.0, hours * rest[1]]
        }
        "profile.gap" => {
            // All of them in GB, as they are asked.
            let estimate = one("estimates {} GB.")?;
            let it = numbers("has allocated {} GB and reserved {} GB")?;
            let used = one("shows {} GB in use")?;
            [it[0] - estimate, (it[1] - it[0]) / it[1] * 100.0, used - it[1]]
                .map(|it| if it > 1e6 { it / 1e9 } else { it })
        }
        "coping.guess" => {
            let guesses = one("guesses {} tokens ahead")?;
            let p = one("a probability of {} percent")? / 100.0;
            let tokens = (1.0 - libm::pow(p, guesses + 1.0)) / (1.0 - p);
            let [few, many] = ["make a pass {} percent longer", "they make it {} percent longer"].map(one);
            [tokens, tokens / (1.0 + few? / 100.0), tokens / (1.0 + many? / 100.0)]
        }
        _ => return None,
    })
}

#[test]
fn every_part_is_asked_with_all_that_it_takes() {
    let words = Words::read("problems.txt").unwrap();
    for problem in problems() {
        let id = problem.id;
        for set in problem.sets {
            let filled = |key: &str| {
                let text = words.plain(&format!("{id}.{key}"));
                let text =
                    set.values.iter().fold(text, |text, (name, value)| text.replace(&format!("{{{name}}}"), value));
                text.replace('\u{202f}', " ")
            };
            let parts = PARTS.map(|part| filled(&format!("ask.{part}")));
            let text = format!("{} {}", filled("ask"), parts.join(" "));
            assert!(!text.contains('{'), "{text}");
            let own = answered(id, &text).unwrap_or_else(|| panic!("{id}: no answer is known to: {text}"));
            for ((part, own), exact) in PARTS.iter().zip(own).zip(&set.answers) {
                let is_near = |one: f64, other: f64, share: f64| (one / other - 1.0).abs() < share;
                assert!(is_near(own, *exact, 0.02), "{id}, {part}: {own} and not {exact}: {text}");
                // The solution says the same, in three digits.
                let (_, said) = set.values.iter().find(|(name, _)| name == part).unwrap();
                let said = number(&format!("{} ", said.replace('\u{202f}', " "))).unwrap();
                assert!(is_near(said, *exact, 0.006), "{id}, {part}: {said} is said, and it is {exact}");
                assert!(filled(&format!("worked.{part}")).contains(&filled_value(&set.values, part)), "{id}, {part}");
            }
        }
    }
}

/// A value as it stands in a text.
fn filled_value(values: &[(&'static str, String)], part: &str) -> String {
    let value = values.iter().find(|(name, _)| *name == part).map(|(_, value)| value.as_str());
    value.unwrap_or_default().replace('\u{202f}', " ")
}
