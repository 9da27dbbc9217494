//! Every question that asks for a number, answered from the numbers in its text alone, as a careful reader would: the text is taken
//! from the page as it is drawn, and nothing of the engine is asked.

#[path = "../../../tests/common/numbers.rs"]
mod numbers;

use self::numbers::find;
use super::questions;
use crate::quiz::book::VARIANTS;
use crate::quiz::number::{Judged, Unit, judge};

/// A question as it stands in the page: its name, its unit, and each set of numbers with the text, the answer and the slips.
struct Drawn {
    id: String,
    unit: [String; 2],
    sets: Vec<[String; 3]>,
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let tag = format!(" {tag}");
    let value = tag.split_once(&format!(" {name}=\""))?.1.split_once('"')?.0;
    Some(value.to_owned())
}

/// The questions of the page that are asked with a number.
fn drawn() -> Vec<Drawn> {
    use leptos::prelude::*;
    let html = questions().to_html();
    let of = |part: &str| {
        let id = attribute(part, "data-quiz")?;
        let unit = [attribute(part, "data-prefix")?, attribute(part, "data-names")?];
        let sets =
            part.split("<p ").filter_map(|ask| ask.split_once('>')).filter(|(tag, _)| tag.contains("data-slips")).map(
                |(tag, text)| {
                    let text = text.split_once("</p>").unwrap().0.replace("<!>", "").replace('\u{202f}', " ");
                    assert!(!text.contains('<'), "{id}: {text}");
                    [text, attribute(tag, "data-answer").unwrap(), attribute(tag, "data-slips").unwrap()]
                },
            );
        Some(Drawn { sets: sets.collect(), id, unit })
    };
    html.split("<li ").filter(|part| part.contains("data-quiz=")).filter_map(of).collect()
}

/// The answer to a question, from its text.
fn answered(id: &str, text: &str) -> Option<f64> {
    let numbers = |pattern: &str| find(text, pattern);
    let says = |part: &str| text.contains(part);
    Some(match id {
        "buckets.weights" => {
            if let Some(parts) = numbers(
                "parameters. {} of them, those of the matrices, are stored in fp8, {} byte for each. The other {} stay in bf16, {} bytes",
            ) {
                parts[0] * parts[1] + parts[2] * parts[3]
            } else {
                let it = numbers(" has {} parameters. All of them are stored in ")?;
                it[0]
                    * find(text, if says("fp32, ") { "fp32, {} bytes for each" } else { "bf16, {} bytes for each" })?[0]
            }
        }
        "kv_cache.size" => {
            let it = numbers(
                " has {} layers and {} key-value heads of {} values. How large is its KV cache in {} bits for {} sequences of {} tokens?",
            )?;
            2.0 * it[0] * it[1] * it[2] * (it[3] / 8.0) * it[4] * it[5]
        }
        "kv_cache.tokens" => {
            let free = numbers("A GPU has {} left")?[0];
            free / numbers("a token costs {} of KV cache")?[0] / numbers("can each of {} sequences have?")?[0]
        }
        "kv_cache.mla" => {
            let it = numbers(
                "every one of the {} layers keeps one compressed vector of {} values, from which the keys and values of all heads are computed, and beside it a key of {} values",
            )?;
            let more = numbers("in {} bits for {} sequences of {} tokens?")?;
            it[0] * (it[1] + it[2]) * (more[0] / 8.0) * more[1] * more[2]
        }
        "kv_cache.window" => {
            let it = numbers(
                " has {} layers with {} key-value heads of {} values. In {} of the layers only the latest {} tokens are kept",
            )?;
            let more = numbers("in {} bits of one sequence of {} tokens?")?;
            let tokens = (it[0] - it[3]) * more[1] + it[3] * it[4].min(more[1]);
            2.0 * it[1] * it[2] * (more[0] / 8.0) * tokens
        }
        "kv_cache.pages" => {
            let it = numbers("in blocks of {} tokens")?;
            let more = numbers("do {} sequences of {} tokens each take?")?;
            more[0] * (more[1] / it[0]).ceil()
        }
        "layer.weights" => {
            assert!(says("in bf16?"), "{text}");
            let attention = numbers(
                "a token of {} values is multiplied with four matrices of attention: to the queries, {} values, to the keys and to the values, {} each, and from {} values back to {}.",
            )?;
            let mlp = numbers("The MLP has three matrices of {} × {}.")?;
            let matrices = attention[0] * (attention[1] + 2.0 * attention[2]) + attention[3] * attention[4];
            (matrices + 3.0 * mlp[0] * mlp[1]) * 2.0
        }
        "server.room" => {
            let pool = numbers("has {} pages of {} tokens.")?;
            let it = numbers("begins with the same {} tokens, has a prompt of {} tokens in all, and writes {}.")?;
            let common = (it[0] / pool[1]).floor();
            ((pool[0] - common) / (((it[1] + it[2]) / pool[1]).ceil() - common)).floor()
        }
        "server.again" => {
            let it = numbers("has a prompt of {} tokens, of which the first {} are a common beginning")?;
            it[0] - it[1] + numbers("After it has written {} tokens")?[0]
        }
        "oom.logits" => {
            assert!(says("in fp32?"), "{text}");
            let it = numbers("each of the {} entries of its vocabulary, at every token of {} sequences of {} tokens")?;
            it[0] * it[1] * it[2] * 4.0
        }
        "roofline.ceiling" => {
            let it = numbers(" computes {} in bf16 and moves {}.")?;
            it[0].min(it[1] * numbers("an operation with {} FLOPs a byte")?[0])
        }
        "roofline.knee" => {
            let it = numbers(" computes {} in bf16 and moves {}.")?;
            it[0] / it[1]
        }
        "hierarchy.tokens" => numbers(" at {};")?[0] / numbers(" reads {} of weights once ")?[0],
        "hierarchy.trips" => {
            assert!(says("values of bf16."), "{text}");
            let it = numbers("A chain of {} operations")?;
            it[0] * 2.0 * numbers("kernel by kernel on {} values")?[0] * 2.0
        }
        "training.states" => {
            assert!(
                says("weights and gradients in bf16, and in fp32 a copy of the weights and two averages"),
                "{text}"
            );
            numbers(" has {} parameters")?[0] * (2.0 + 2.0 + 3.0 * 4.0)
        }
        "parallel.zero" => {
            let it = numbers(" has {} parameters and is trained on {} GPUs")?;
            let each = numbers("that is {} bytes of weights, {} of gradients and {} of optimizer states")?;
            let stage = numbers("with ZeRO stage {}?")?[0];
            let sharded = |from: f64, bytes: f64| if stage >= from { bytes / it[1] } else { bytes };
            it[0] * (sharded(3.0, each[0]) + sharded(2.0, each[1]) + sharded(1.0, each[2]))
        }
        "parallel.bubble" => {
            let it = numbers(
                "A pipeline has {} stages. A step sends {} micro-batches through it, and a stage needs {} for",
            )?;
            (it[0] + it[1] - 1.0) * it[2]
        }
        "coping.experts" => {
            assert!(says("in bf16"), "{text}");
            numbers("it has {} parameters")?[0] * 2.0
        }
        "time.hours" => {
            let it = numbers(" has {} parameters and is to be trained on {} tokens")?;
            let gpu = numbers("a dense peak of {}, and the run reaches an MFU of {} percent")?;
            6.0 * it[0] * it[1] / (gpu[0] * gpu[1] / 100.0) / 3_600.0
        }
        "time.price" => {
            let it = numbers("on {} of your GPUs writes {} tokens/s, and each GPU costs {} dollars an hour")?;
            1e6 / it[1] * it[0] * it[2] / 3_600.0
        }
        "scaling.cards" => (numbers(", {} in all,")?[0] / numbers(", each with {},")?[0]).ceil(),
        _ => return None,
    })
}

#[test]
fn every_number_is_asked_for_with_all_that_it_takes() {
    let all = drawn();
    assert!(all.len() >= 16, "{}", all.len());
    for Drawn { id, unit: [prefix, names], sets } in all {
        assert_eq!(sets.len(), VARIANTS as usize, "{id}");
        for [text, answer, slips] in sets {
            let own = answered(&id, &text).unwrap_or_else(|| panic!("{id}: no answer is known to: {text}"));
            let unit = Unit { prefix: &prefix, names: &names };
            let bare = names.split(' ').next().unwrap();
            let judged = judge(&format!("{own:e} {bare}"), unit, &answer, &slips);
            assert_eq!(judged, Some(Judged::Right), "{id}: {own:e} and not {answer}: {text}");
        }
    }
}
