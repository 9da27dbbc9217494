//! `SGLang` and TensorRT-LLM, which keep one pool of tokens.

use memory_wall_core::{Checked, Verdict, bisect, bounds};
use memory_wall_runtimes::pool::{self, Family, Refused, Server, Start, Told};

use crate::plan::Plan;
use crate::value::Value;

/// What a plan tells a server.
pub(super) fn told(plan: &Plan, server: Server) -> Told {
    let count = |name| match plan.get(name) {
        Some(Value::Count(count)) => Some(*count),
        _ => None,
    };
    let share = |name| match plan.get(name) {
        Some(Value::Percent(share)) => Some(*share),
        _ => None,
    };
    let ep = count("ep").filter(|ranks| *ranks > 1);
    match server {
        Server::Sglang => Told {
            share: share("mem_fraction_static"),
            requests: count("max_running_requests"),
            tokens: count("chunked_prefill_size"),
            longest: count("context_length"),
            most: count("max_total_tokens").map(u64::from),
            no_graphs: plan.get("disable_cuda_graph").is_some(),
            ep,
        },
        Server::TensorRtLlm => Told {
            share: share("kv_cache_free_gpu_memory_fraction"),
            requests: count("max_batch_size"),
            tokens: count("max_num_tokens"),
            longest: count("max_seq_len"),
            most: None,
            no_graphs: false,
            ep,
        },
    }
}

/// How a server starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// The run.
    pub scenario: Checked,
    /// What the server is told.
    pub told: Told,
    /// How it starts.
    pub start: Start,
}

impl Pool {
    /// Starts a server.
    ///
    /// # Errors
    /// What it refuses, and what isn't modelled.
    pub fn of(server: Server, told: &Told, scenario: &Checked, family: Family) -> Result<Self, Refused> {
        pool::has_class(server, family)?;
        let start = pool::start(server, scenario, told)?;
        Ok(Self { scenario: *scenario, told: *told, start })
    }

    /// Bytes of the pool that the requests of the run take, at most.
    pub fn requests(&self) -> u128 {
        self.start.request.high * u128::from(self.scenario.batch)
    }

    /// How far the GPU may be filled, at least.
    pub const fn limit(&self) -> u128 {
        let Start { context, weights, work, pool, .. } = self.start;
        if pool.low == 0 { 0 } else { context.high + weights + work.high + pool.low }
    }

    /// The same server with other requests.
    ///
    /// # Errors
    /// What it refuses.
    pub fn with(&self, batch: u32, seq_length: u32) -> Result<Self, Refused> {
        let scenario = self.scenario.with_batch(batch).with_seq_length(seq_length);
        let start = pool::start(self.start.server, &scenario, &self.told)?;
        Ok(Self { scenario, told: self.told, start })
    }

    /// The verdict for another batch and `seq_length`.
    pub fn verdict(&self, batch: u32, seq_length: u32) -> Option<Verdict> {
        self.with(batch, seq_length).ok().map(|there| there.start.verdict)
    }

    /// The longest context with which the pool holds all requests, 0 where there is none.
    pub fn longest(&self) -> u32 {
        let holds = |tokens| self.verdict(self.scenario.batch, tokens).is_some_and(Verdict::holds);
        bisect::last(0, bounds::SEQ_LENGTH.max + 1, holds)
    }

    /// The most requests that the pool holds at once, 0 where there are none.
    pub fn most_sequences(&self) -> u32 {
        let holds = |batch| self.verdict(batch, self.scenario.seq_length).is_some_and(Verdict::holds);
        bisect::last(0, bounds::BATCH.max + 1, holds)
    }
}
