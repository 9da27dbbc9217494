//! How a server with a pool starts, for programs.

use memory_wall_core::Checked;
use memory_wall_plan::runtime::Pool;
use memory_wall_runtimes::pool::Start;
use serde::Serialize;

use super::ends;
use super::inputs::Inputs;
use crate::solve::Question;

/// The answer to `estimate`; ranges as their two ends.
#[derive(Debug, Serialize)]
pub(crate) struct Started<'a> {
    model: &'a str,
    scenario: Inputs,
    engine: &'static str,
    version: &'static str,
    source: &'static str,
    expert_ranks: u32,
    share: f64,
    capacity_bytes: u128,
    context_bytes: [u128; 2],
    weights_bytes: u128,
    work_bytes: [u128; 2],
    pool_bytes: [u128; 2],
    states_bytes: [u128; 2],
    token_bytes: [u128; 2],
    tokens: [u128; 2],
    requests_held: [u128; 2],
    requests_most: u64,
    beside_bytes: u128,
    wanted_bytes: u128,
    verdict: &'static str,
    reason: String,
    assumptions: Vec<String>,
}

/// The answer to a question about a pool.
#[derive(Debug, Serialize)]
pub(crate) struct Solved<'a> {
    #[serde(rename = "for")]
    question: &'static str,
    model: &'a str,
    scenario: Inputs,
    engine: &'static str,
    answer: Option<Step>,
    next: Option<Step>,
}

#[derive(Debug, Serialize)]
struct Step {
    value: u32,
    tokens: [u128; 2],
    requests_held: [u128; 2],
    verdict: &'static str,
}

impl<'a> Solved<'a> {
    /// Of the answer and one step further.
    pub(crate) fn new(
        question: Question,
        model: &'a str,
        scenario: &Checked,
        [answer, next]: [&Option<(u32, Pool)>; 2],
    ) -> Self {
        let engine = answer.as_ref().or(next.as_ref()).map_or("", |(_, pool)| pool.start.server.id());
        let step = |found: &Option<(u32, Pool)>| {
            found.as_ref().map(|(value, pool)| Step {
                value: *value,
                tokens: ends(pool.start.tokens),
                requests_held: ends(pool.start.held),
                verdict: pool.start.verdict.id(),
            })
        };
        let scenario = Inputs::new(scenario);
        Self { question: question.id(), model, scenario, engine, answer: step(answer), next: step(next) }
    }
}

impl<'a> Started<'a> {
    /// Of a start, with its verdict in words.
    pub(crate) fn new(
        model: &'a str,
        scenario: &Checked,
        start: &Start,
        reason: String,
        assumptions: Vec<String>,
    ) -> Self {
        Self {
            model,
            scenario: Inputs::new(scenario),
            engine: start.server.id(),
            version: start.server.version(),
            source: start.server.source(),
            expert_ranks: start.ep,
            share: start.share.fraction(),
            capacity_bytes: start.total,
            context_bytes: ends(start.context),
            weights_bytes: start.weights,
            work_bytes: ends(start.work),
            pool_bytes: ends(start.pool),
            states_bytes: ends(start.states),
            token_bytes: ends(start.token),
            tokens: ends(start.tokens),
            requests_held: ends(start.held),
            requests_most: start.most,
            beside_bytes: start.beside,
            wanted_bytes: start.wanted,
            verdict: start.verdict.id(),
            reason,
            assumptions,
        }
    }
}
