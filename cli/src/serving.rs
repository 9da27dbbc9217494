//! What a program takes beside weights and cache, in lines for people.

use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::engines::vllm::{self, Start};
use memory_wall_core::engines::{Inspection, inspect};
use memory_wall_core::{Checked, Engine};

use crate::text::{Side, Table, wrapped};
use crate::words;

/// What the program of a scenario takes; `None` where none serves it.
pub(crate) fn inspected(scenario: &Checked) -> Option<Inspection> {
    let inspection = inspect(scenario);
    (inspection.engine != Engine::Exact).then_some(inspection)
}

/// How vLLM starts, in its own terms.
fn started(scenario: &Checked, start: &Start, unit: ByteUnit) -> String {
    let Start { pool, requests, refusal, .. } = start;
    let size = |bytes| words::size(bytes, unit);
    let ranks = u128::from(scenario.parallel.dp);
    let number = |count: u64| Grouped(count.into());
    let what = if pool.pool.0 < 0 { "missing for pages" } else { "left for pages" };
    let tokens = words::in_all(pool.tokens, "token", ranks);
    let mut text = wrapped(
        &format!(
            "Of its share of {} it has {} {what}. GPU KV cache size: {tokens}.",
            size(pool.requested),
            size(pool.pool.magnitude())
        ),
        2,
    );
    if let Some(refusal) = refusal {
        return text + &wrapped(&format!("{refusal}."), 2);
    }
    let concurrency = format!(
        "Maximum concurrency for {} tokens per request (max_model_len): {:.2}x{}.",
        number(requests.max_model_len.into()),
        requests.concurrency,
        if ranks == 1 { "" } else { " on each data-parallel rank" }
    );
    text += &wrapped(&concurrency, 2);
    let shape = &scenario.architecture;
    if shape.sliding_window.is_some() || shape.linear_attention.is_some() {
        let counted = if vllm::Run::of(scenario).constants().tokens_by_concurrency() {
            "Both are counted in requests of that length."
        } else {
            "This release counts the tokens of its pages, so they are not the concurrency times that length."
        };
        text += &wrapped(
            &format!(
                "{counted} Some layers keep no more of a longer one than a window or a state, so one request can be longer than the pool has tokens, as far as the model goes."
            ),
            2,
        );
    }
    let seq_length = number(scenario.seq_length.into());
    let most = scenario.serving.max_num_seqs.into();
    let held = match requests.held {
        u64::MAX => "any number of requests".to_owned(),
        held => words::in_all(held.into(), "request", ranks),
    };
    let at_most = if requests.held > most {
        format!(", of which max_num_seqs lets {} run at once", words::in_all(most.into(), "request", ranks))
    } else {
        String::new()
    };
    text += &wrapped(&format!("Of {seq_length} tokens each the pool holds {held} at their full length{at_most}."), 2);
    let running = words::in_all(requests.running.into(), "request", ranks);
    let waiting = words::in_all(requests.waiting.into(), "request", ranks);
    let wait = if requests.waiting == 1 && ranks == 1 { "waits" } else { "wait" };
    let runs = if requests.running == 1 && ranks == 1 { "runs" } else { "run" };
    let run = match requests.waiting {
        0 => format!("{running} {runs} at once, as asked for"),
        _ => {
            format!(
                "Of the {} asked for, {running} {runs} at once",
                words::in_all(scenario.batch.into(), "request", ranks)
            )
        }
    };
    let rest = match requests.waiting {
        0 => ".".to_owned(),
        _ if requests.held >= scenario.batch.into() => {
            format!(": max_num_seqs allows no more; {waiting} {wait} in the queue.")
        }
        _ => format!(
            "; {waiting} {wait} in the queue. Where running ones outgrow the pool, vLLM preempts one: it frees its pages and computes it again later."
        ),
    };
    text + &wrapped(&(run + &rest), 2)
}

/// The lines; nothing where no program serves the scenario.
pub(crate) fn text(scenario: &Checked, unit: ByteUnit) -> String {
    let Some(inspection) = inspected(scenario) else { return String::new() };
    let Inspection { engine, version, source, cache, parts, start } = inspection;
    let size = |bytes| words::size(bytes, unit);
    let program = format!("{} {version}. Source: {source}.", engine.label());
    let mut text = format!("\n{}", wrapped(&program, 2));
    let reserved = format!("Cache: {} exactly, {} set aside. {}", size(cache.exact), size(cache.bytes), cache.how);
    text += &wrapped(&reserved, 2);
    if let Some(start) = start {
        text += &started(scenario, &start, unit);
    }
    let mut table = Table::new(&[
        ("Beside weights and cache", Side::Left),
        ("Bucket", Side::Left),
        ("Size", Side::Right),
        ("Bytes", Side::Right),
        ("How it is known", Side::Left),
    ]);
    for part in parts.iter() {
        let bytes = Grouped(part.bytes.0).to_string();
        table.row([
            words::item(part.item),
            words::bucket(part.bucket).into(),
            size(part.bytes),
            bytes,
            part.basis.label().into(),
        ]);
    }
    text + "\n" + &table.text()
}
