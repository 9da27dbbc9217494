//! A state written as a query.

use memory_wall_core::roofline::operations::Kernels;

use super::{EMPTY, VERSION};
use crate::state::State;
use crate::state::decimal::Decimal;
use crate::state::dimensions::Dimension;
use crate::state::roofline::{self as levers, Levers};
use crate::state::spending::Spending;
use crate::state::trace::{self, Trace};

/// The state as a query without `?`; empty for the default state.
pub fn encode(state: &State) -> String {
    let default = State::default();
    let mut query = Writer(String::new());
    query.put("model", state.model.id, default.model.id);
    for dimension in Dimension::ALL {
        query.count(dimension.id(), dimension.of(&state.shape), dimension.of(&state.model.architecture));
    }
    query.put("mode", state.mode.id(), default.mode.id());
    query.count("batch", state.batch, default.batch);
    query.count("seq", state.seq_length, default.seq_length);
    // What is computed with: a choice that waits for inference to come back stays on this page.
    // What the mode would use anyway is not written.
    let unsaid = State { weights: default.weights, ..*state };
    query.put("weights", state.weights_in_use().id(), unsaid.weights_in_use().id());
    query.put("kv", state.kv.id(), default.kv.id());
    query.put("optimizer", state.optimizer.id(), default.optimizer.id());
    query.put("checkpointing", state.checkpointing.id(), default.checkpointing.id());
    query.put("attention", state.attention.id(), default.attention.id());
    query.put("gpu", state.gpu.id, default.gpu.id);
    query.put("unit", state.unit.id(), default.unit.id());
    query.put("tier", state.tier.id(), default.tier.id());
    query.roofline(state);
    query.trace(state);
    query.put("cards", state.cluster.gpus.id(), default.cluster.gpus.id());
    query.put("scale", state.cluster.purpose.id(), default.cluster.purpose.id());
    query.put("recipe", state.recipe.id(), default.recipe.id());
    query.put("targets", state.targets.id(), default.targets.id());
    query.put("adapters", state.adapters.id(), default.adapters.id());
    query.spending(state);
    if query.0.is_empty() { query.0 } else { format!("v={VERSION}{}", query.0) }
}

/// What is written so far; defaults are left out.
struct Writer(String);

impl Writer {
    fn put(&mut self, key: &str, now: &str, default: &str) {
        if now != default {
            for part in ["&", key, "=", now] {
                self.0.push_str(part);
            }
        }
    }

    fn count(&mut self, key: &str, now: u32, default: u32) {
        if now != default {
            self.put(key, &now.to_string(), "");
        }
    }

    /// The roofline's own settings; a list with an empty field is none yet.
    fn roofline(&mut self, state: &State) {
        let (now, default) = (state.roofline, Levers::default());
        self.put("dots", now.dots.id(), default.dots.id());
        self.put("pass", now.pass.id(), default.pass.id());
        if let Some(kernels) = now.kernels {
            self.put("kernels", kernels.id(), Kernels::of(&state.scenario()).id());
        }
        self.put("accounting", now.accounting.id(), default.accounting.id());
        self.put("precisions", now.precisions.id(), default.precisions.id());
        let versus = match now.versus.map(|gpu| gpu.map(|gpu| gpu.id)) {
            [Some(first), Some(second)] => Some(format!("{first},{second}")),
            [one, other] => one.or(other).map(Into::into),
        };
        let lists = [
            ("vs", versus),
            ("roof", levers::written(now.own_gpu, Decimal::RATE)),
            ("op", levers::written(now.op, Decimal::COUNT)),
            ("gemm", levers::written(now.gemm, Decimal::SIDE)),
            ("rate", levers::written([now.rate], Decimal::RATE)),
        ];
        for (key, list) in lists {
            self.put(key, &list.unwrap_or_default(), "");
        }
    }

    /// Time and money. A field that the reader has emptied is written as `-`, since its default is not empty.
    fn spending(&mut self, state: &State) {
        let (now, default) = (state.spending, Spending::default());
        let said = |now: u64, default: u64, kind: Decimal| match now {
            now if now == default => String::new(),
            0 => EMPTY.into(),
            now => kind.write(now),
        };
        self.put("gpus", &said(now.gpus, default.gpus, Decimal::SIDE), "");
        self.put("train_tokens", &said(now.tokens, default.tokens, Decimal::COUNT), "");
        self.put("mfu", &levers::written(now.mfu, Decimal::SHARE).unwrap_or_default(), "");
        self.put("price", &said(now.price, default.price, Decimal::RATE), "");
    }

    /// The program line by line, where the reader stands in it, and its GPU.
    fn trace(&mut self, state: &State) {
        let (Trace { program, step, gpu }, default) = (state.trace, Trace::default());
        self.put("tape", &trace::written(&program), "");
        for size in &trace::SIZES {
            self.count(size.name, size.of(program), size.of(default.program));
        }
        self.put("step", step.id(), default.step.id());
        self.put("card", gpu.id(), default.gpu.id());
    }
}
