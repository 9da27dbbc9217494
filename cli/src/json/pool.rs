//! How a server with a pool starts, for programs.

use memory_wall_core::Checked;
use memory_wall_runtimes::Span;
use memory_wall_runtimes::pool::Start;
use serde::Serialize;

use super::inputs::Inputs;

/// The answer to `estimate`; ranges as their two ends.
#[derive(Debug, Serialize)]
pub(crate) struct Started<'a> {
    model: &'a str,
    scenario: Inputs,
    engine: &'static str,
    version: &'static str,
    source: &'static str,
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

const fn ends(span: Span) -> [u128; 2] {
    [span.low, span.high]
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
            share: f64::from(start.share) / 1_000.0,
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
