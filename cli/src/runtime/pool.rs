//! `SGLang` and TensorRT-LLM: their options, and how they start, in lines and as JSON.

use memory_wall_core::bounds;
use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::engines::system;
use memory_wall_core::{Bytes, Checked, Verdict};
use memory_wall_plan::runtime::Pool;
use memory_wall_runtimes::Span;
use memory_wall_runtimes::pool::{Server, Start, Told, Trouble};

use super::notes;
use crate::model::Model;
use crate::request::Request;
use crate::solve::Question;
use crate::text::{Side, Table, wrapped};
use crate::{Answer, BadInput, Exit, inputs, json, words};

/// The answer to `estimate`.
pub(super) fn answer(pool: &Pool, model: &Model, request: &Request) -> Result<Answer, BadInput> {
    let Pool { scenario, told, start } = pool;
    let assumptions = assumptions(start, scenario);
    let output = if request.json {
        json::text(&json::pool::Started::new(&model.id, scenario, start, verdict(start, scenario), assumptions))?
    } else {
        let mut text = wrapped(&model.title, 2) + &inputs::text(scenario, None);
        text += &wrapped(&served(start.server, told), 2);
        text.push('\n');
        text += &table(start, request.unit);
        text.push('\n');
        text += &wrapped(&share(start, request.unit), 2);
        text += &wrapped(&held(start, scenario), 2);
        text += &wrapped(&format!("Verdict: {}.", verdict(start, scenario)), 2);
        text.push('\n');
        text += &wrapped(&format!("Source: {}.", start.server.source()), 2);
        text += "\nAssumptions:\n";
        for line in &assumptions {
            text += &wrapped(&format!("- {line}"), 2);
        }
        text
    };
    Ok(Answer { output, notes: notes(model, request, scenario), exit: Exit::of(Some(start.verdict)) })
}

/// Which server, and how it cuts experts.
fn served(server: Server, told: &Told) -> String {
    let experts = told.ep.map(|ep| format!(", experts over {} of its ranks", Grouped(ep.into()))).unwrap_or_default();
    format!("served by {} {}{experts}", server.label(), server.version())
}

/// The answer to `solve --for context` and `solve --for batch`: the largest with which the pool holds all requests, and one step further.
pub(super) fn solve(question: Question, pool: &Pool, model: &Model, request: &Request) -> Result<Answer, BadInput> {
    let (scenario, server) = (&pool.scenario, pool.start.server);
    let (limits, found) = match question {
        Question::Context => (bounds::SEQ_LENGTH, pool.longest()),
        Question::Batch => (bounds::BATCH, pool.most_sequences()),
        _ => {
            return Err(BadInput(format!(
                "solve --for {} does not know {}: context and batch do",
                question.id(),
                server.label()
            )));
        }
    };
    let at = |value| {
        let there = if question == Question::Context {
            pool.with(scenario.batch, value)
        } else {
            pool.with(value, scenario.seq_length)
        };
        there.map_err(|why| BadInput(why.to_string()))
    };
    let step = |value: u32| -> Result<Option<(u32, Pool)>, BadInput> {
        Ok(if (1..=limits.max).contains(&value) { Some((value, at(value)?)) } else { None })
    };
    let (answer, next) = (step(found)?, step(found + 1)?);
    let output = if request.json {
        json::text(&json::pool::Solved::new(question, &model.id, scenario, [&answer, &next]))?
    } else {
        let mut text = wrapped(&model.title, 2) + &inputs::text(scenario, Some(question));
        text += &wrapped(&served(server, &pool.told), 2);
        text.push('\n');
        for (what, found) in [("At most", &answer), ("One step further", &next)] {
            let line = match found {
                Some((value, there)) => {
                    format!("{what}: {}. {}", words::counted(*value, limits), verdict(&there.start, &there.scenario))
                }
                None => format!("{what}: none."),
            };
            text += &wrapped(&line, 2);
        }
        if let Some((_, there)) = &answer {
            text.push('\n');
            text += &table(&there.start, request.unit);
        }
        text
    };
    Ok(Answer { output, notes: notes(model, request, scenario), exit: Exit::yes(answer.is_some()) })
}

fn counted(span: Span, what: &str) -> String {
    format!("{} {what}", words::count_range(span))
}

fn table(start: &Start, unit: ByteUnit) -> String {
    let mut table = Table::new(&[("On each GPU", Side::Left), ("Size", Side::Right)]);
    let work = match start.server {
        Server::Sglang => "Loading, beside the weights",
        Server::TensorRtLlm => "Profiled pass, workspaces, graphs",
    };
    for (name, size) in [
        ("Taken before loading", start.context),
        ("Weights", Span::exactly(start.weights)),
        (work, start.work),
        ("Pool", start.pool),
        ("of it states", start.states),
        ("A token in the pool", start.token),
    ] {
        if size.high > 0 {
            table.row([name.into(), words::size_range(size, unit)]);
        }
    }
    table.row(["The GPU".into(), words::size(Bytes(start.total), unit)]);
    table.text()
}

fn share(start: &Start, unit: ByteUnit) -> String {
    let share = start.share;
    let usual = if start.usual_share { ", which it takes by itself" } else { "" };
    match start.server {
        Server::Sglang => format!(
            "mem_fraction_static {share}{usual}: {} of the GPU are left beside weights and pool; SGLang reckons with {} for passes and graphs.",
            words::size(Bytes(start.beside), unit),
            words::size(Bytes(start.wanted), unit)
        ),
        Server::TensorRtLlm => {
            format!("kv_cache_free_gpu_memory_fraction {share}{usual}, of what the profiled pass leaves free.")
        }
    }
}

fn held(start: &Start, scenario: &Checked) -> String {
    let beyond = start.held.high < start.most.into() && start.told_most;
    format!(
        "The pool holds {}: {} of {} tokens each. {} runs at most {} requests at once{}.",
        counted(start.tokens, "tokens"),
        counted(start.held, "requests"),
        Grouped(scenario.seq_length.into()),
        start.server.label(),
        Grouped(start.most.into()),
        if beyond { ", more than the pool holds of that length: the others would wait" } else { "" }
    )
}

/// Whether it fits, in words.
pub(super) fn verdict(start: &Start, scenario: &Checked) -> String {
    let name = start.server.label();
    let asked = Grouped(scenario.batch.into());
    match (start.trouble, start.verdict) {
        (Some(Trouble::NoPool), _) => match start.server {
            Server::Sglang => {
                "does not start: loaded weights leave no GPU memory for the KV cache under this --mem-fraction-static"
                    .into()
            }
            Server::TensorRtLlm => "does not start: weights and the profiled pass leave nothing for the pool".into(),
        },
        (Some(Trouble::States { requests }), _) => format!(
            "does not start: {name} holds states for {} requests from the start, more than the pool: a lower --max-batch-size",
            Grouped(requests.into())
        ),
        (Some(Trouble::TooLong { accepts }), _) => {
            format!("refuses the requests: {name} accepts up to {} tokens", Grouped(accepts.into()))
        }
        (Some(Trouble::TooSmall { holds }), _) => {
            format!("starts, and refuses the requests: the pool holds {} tokens at most", Grouped(holds.into()))
        }
        (None, Verdict::Queues) => format!(
            "starts; {} of {asked} requests run at once at most, the others wait",
            Grouped(start.held.high.min(start.most.into()))
        ),
        (None, Verdict::Tight) if start.held.low.min(start.most.into()) < scenario.batch.into() => {
            "tight: the pool holds all requests by the upper end of the range, and not by the lower".into()
        }
        (None, Verdict::Tight) if start.many => format!(
            "tight: TensorRT-LLM makes room for {} requests from the start, more than its pool can hold, and the start may fail: a lower --max-batch-size or --max-model-len",
            Grouped(start.most.into())
        ),
        (None, Verdict::Tight) => {
            "tight: the share leaves less for passes and graphs than SGLang reckons with, and the start may fail".into()
        }
        (None, _) if start.told_most => {
            format!("fits: it starts, and the pool holds the requests that are asked for (--batch {asked})")
        }
        (None, _) => "fits: it starts, and the pool holds all requests".into(),
    }
}

/// What the figures stand on.
fn assumptions(start: &Start, scenario: &Checked) -> Vec<String> {
    let mut lines = vec![match start.server {
        Server::Sglang => "The pool is what is free before loading, times the share, less what loading took: the pools of four public logs are within such ranges, and the tokens of nine within 0.1% of their pools.",
        Server::TensorRtLlm => "The pool is the share of what a profiled pass leaves: the pass is a range from its tensors up to several of them and 2 GiB of workspaces and graphs.",
    }
    .to_owned()];
    lines.push(
        "A process takes 0.4 to 1.1 GiB of a GPU before its first tensor, and up to 1.5 GiB more with links to others."
            .into(),
    );
    if let Some(held) = scenario.gpu.filter(|gpu| scenario.gpu_memory.is_none() || gpu.is_own()).and_then(system::usual)
    {
        lines.push(format!(
            "CPU and GPU share their memory, of which the system and other programs hold {held}: the pool's upper end is with the usual figure, its lower end with the largest."
        ));
    }
    if start.padded {
        lines.push("Experts of which a rank has broken blocks are padded by AITER, with SGLANG_USE_AITER=1 as in AMD's images; without it SGLang refuses them.".into());
    }
    if start.token.low < start.token.high {
        lines.push("Layers with a window count from a smaller pool of their own up to the whole context: which it is depends on the model's class in the server.".into());
    }
    if start.states.high > 0 {
        lines.push(match start.server {
            Server::Sglang => "States of linear layers take 9 of 19 parts of the pool, as SGLang shares it out by itself, and three for each request that runs.".into(),
            Server::TensorRtLlm => format!(
                "States of linear layers are held for every request that may run, {}, from the start (--max-batch-size): two to four bytes a value, as the model's config says.",
                Grouped(start.most.into())
            ),
        });
    }
    if scenario.parallel.tp > 1 {
        lines.push("Every rank holds the same pool, and the smallest decides for all.".into());
    }
    lines
}
