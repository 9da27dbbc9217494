//! `SGLang` and TensorRT-LLM: their options, and how they start, in lines and as JSON.

use memory_wall_core::bounds;
use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::engines::system;
use memory_wall_core::{Bytes, Checked, Verdict};
use memory_wall_runtimes::Span;
use memory_wall_runtimes::pool::{self, Family, MAX_TOTAL_TOKENS, Server, Start, Told, Trouble};

use super::{Outcome, notes};
use crate::model::Model;
use crate::options::Given;
use crate::request::Request;
use crate::solve::Question;
use crate::text::{Side, Table, wrapped};
use crate::{Answer, BadInput, Exit, inputs, json, values, words};

/// The options of each server.
pub(super) const OPTIONS: [(&str, Server); 10] = [
    ("--mem-fraction-static", Server::Sglang),
    ("--chunked-prefill-size", Server::Sglang),
    ("--max-running-requests", Server::Sglang),
    ("--context-length", Server::Sglang),
    ("--max-total-tokens", Server::Sglang),
    ("--disable-cuda-graph", Server::Sglang),
    ("--kv-cache-free-gpu-memory-fraction", Server::TensorRtLlm),
    ("--max-batch-size", Server::TensorRtLlm),
    ("--max-num-tokens", Server::TensorRtLlm),
    ("--max-seq-len", Server::TensorRtLlm),
];

/// What each server is told.
pub(super) struct Read {
    sglang: Told,
    trtllm: Told,
}

impl Read {
    /// What one of them is told.
    pub(super) const fn of(&self, server: Server) -> Told {
        match server {
            Server::Sglang => self.sglang,
            Server::TensorRtLlm => self.trtllm,
        }
    }
}

/// Reads the options.
pub(super) fn read(given: &Given) -> Result<Read, BadInput> {
    let share = |option| values::percent(given, option).map(|percent| percent.map(|percent| percent * 10));
    Ok(Read {
        sglang: Told {
            share: share("--mem-fraction-static")?,
            requests: values::count(given, "--max-running-requests", bounds::MAX_NUM_SEQS)?,
            tokens: values::count(given, "--chunked-prefill-size", bounds::MAX_NUM_BATCHED_TOKENS)?,
            longest: values::count(given, "--context-length", bounds::MAX_MODEL_LEN)?,
            most: values::count(given, "--max-total-tokens", MAX_TOTAL_TOKENS)?.map(u64::from),
            no_graphs: given.has("--disable-cuda-graph"),
            ep: None,
        },
        trtllm: Told {
            share: share("--kv-cache-free-gpu-memory-fraction")?,
            requests: values::count(given, "--max-batch-size", bounds::MAX_NUM_SEQS)?,
            tokens: values::count(given, "--max-num-tokens", bounds::MAX_NUM_BATCHED_TOKENS)?,
            longest: values::count(given, "--max-seq-len", bounds::MAX_MODEL_LEN)?,
            most: None,
            no_graphs: false,
            ep: None,
        },
    })
}

/// Whether the server has a class for the model.
pub(super) fn has_class(server: Server, model: &Model) -> Result<(), BadInput> {
    let family = model.family.as_deref().map_or(Family::Listed(&model.id), Family::Config);
    pool::has_class(server, family).map_err(|why| BadInput(why.to_string()))
}

/// The answer to `estimate`.
pub(super) fn answer(
    server: Server,
    told: &Told,
    model: &Model,
    scenario: &Checked,
    request: &Request,
) -> Result<Answer, BadInput> {
    let start = pool::start(server, scenario, told).map_err(|why| BadInput(why.to_string()))?;
    let assumptions = assumptions(&start, scenario);
    let output = if request.json {
        json::text(&json::pool::Started::new(&model.id, scenario, &start, verdict(&start, scenario), assumptions))?
    } else {
        let mut text = wrapped(&model.title, 2) + &inputs::text(scenario, None);
        text += &wrapped(&served(server, told), 2);
        text.push('\n');
        text += &table(&start, request.unit);
        text.push('\n');
        text += &wrapped(&share(&start, request.unit), 2);
        text += &wrapped(&held(&start, scenario), 2);
        text += &wrapped(&format!("Verdict: {}.", verdict(&start, scenario)), 2);
        text.push('\n');
        text += &wrapped(&format!("Source: {}.", server.source()), 2);
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

/// The same as [`answer`], as figures.
pub(super) fn outcome(server: Server, told: &Told, scenario: &Checked) -> Result<Outcome, BadInput> {
    let start = pool::start(server, scenario, told).map_err(|why| BadInput(why.to_string()))?;
    Ok(Outcome {
        scenario: *scenario,
        verdict: start.verdict,
        why: verdict(&start, scenario),
        gpus: scenario.parallel.ranks(),
        fullest: None,
        spare: None,
        pool: Some(start.tokens),
        written: None,
    })
}

/// The answer to `solve --for context` and `solve --for batch`: the largest with which the pool holds all requests, and one step further.
pub(super) fn solve(
    question: Question,
    (server, told): (Server, &Told),
    model: &Model,
    scenario: &Checked,
    request: &Request,
) -> Result<Answer, BadInput> {
    let (limits, with): (_, fn(&Checked, u32) -> Checked) = match question {
        Question::Context => (bounds::SEQ_LENGTH, |scenario, tokens| scenario.with_seq_length(tokens)),
        Question::Batch => (bounds::BATCH, |scenario, batch| scenario.with_batch(batch)),
        _ => {
            return Err(BadInput(format!(
                "solve --for {} does not know {}: context and batch do",
                question.id(),
                server.label()
            )));
        }
    };
    let at = |value| pool::start(server, &with(scenario, value), told).map_err(|why| BadInput(why.to_string()));
    let holds = |value| at(value).map(|start| start.verdict.holds());
    let (mut fits, mut fails) = (0, limits.max + 1);
    while fails - fits > 1 {
        let middle = fits + (fails - fits) / 2;
        *(if holds(middle)? { &mut fits } else { &mut fails }) = middle;
    }
    let step = |value: u32| -> Result<Option<(u32, Start)>, BadInput> {
        Ok(if (1..=limits.max).contains(&value) { Some((value, at(value)?)) } else { None })
    };
    let (answer, next) = (step(fits)?, step(fails)?);
    let output = if request.json {
        json::text(&json::pool::Solved::new(question, &model.id, scenario, [answer, next]))?
    } else {
        let mut text = wrapped(&model.title, 2) + &inputs::text(scenario, Some(question));
        text += &wrapped(&served(server, told), 2);
        text.push('\n');
        for (what, found) in [("At most", answer), ("One step further", next)] {
            let line = match found {
                Some((value, start)) => {
                    format!("{what}: {}. {}", words::counted(value, limits), verdict(&start, &with(scenario, value)))
                }
                None => format!("{what}: none."),
            };
            text += &wrapped(&line, 2);
        }
        if let Some((_, start)) = answer {
            text.push('\n');
            text += &table(&start, request.unit);
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
    let share = f64::from(start.share) / 1_000.0;
    let usual = if start.usual_share { ", which it takes by itself" } else { "" };
    match start.server {
        Server::Sglang => format!(
            "mem_fraction_static {share:.3}{usual}: {} of the GPU are left beside weights and pool; SGLang reckons with {} for passes and graphs.",
            words::size(Bytes(start.beside), unit),
            words::size(Bytes(start.wanted), unit)
        ),
        Server::TensorRtLlm => {
            format!("kv_cache_free_gpu_memory_fraction {share:.2}{usual}, of what the profiled pass leaves free.")
        }
    }
}

fn held(start: &Start, scenario: &Checked) -> String {
    format!(
        "The pool holds {}: {} of {} tokens each. {} runs at most {} requests at once.",
        counted(start.tokens, "tokens"),
        counted(start.held, "requests"),
        Grouped(scenario.seq_length.into()),
        start.server.label(),
        Grouped(start.most.into())
    )
}

fn verdict(start: &Start, scenario: &Checked) -> String {
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
        (None, Verdict::Tight) => {
            "tight: the share leaves less for passes and graphs than SGLang reckons with, and the start may fail".into()
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
    if let Some(held) = scenario.gpu.filter(|_| scenario.gpu_memory.is_none()).and_then(system::usual) {
        lines.push(format!(
            "CPU and GPU share their memory, of which the system and other programs hold {held}: the pool's upper end is with the usual figure, its lower end with the largest."
        ));
    }
    if start.token.low < start.token.high {
        lines.push("Layers with a window count from a smaller pool of their own up to the whole context: which it is depends on the model's class in the server.".into());
    }
    if start.states.high > 0 {
        lines.push("States of linear layers take 9 of 19 parts of the pool, as SGLang shares it out by itself, and three for each request that runs.".into());
    }
    if scenario.parallel.tp > 1 {
        lines.push("Every rank holds the same pool, and the smallest decides for all.".into());
    }
    lines
}
