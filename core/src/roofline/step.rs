//! What training adds to a model's own operations: adapters, and the optimizer's step.

use super::lister::Lister;
use super::operations::{Direction, Task, Unit};
use super::{Work, kernel};
use crate::architecture::LayerKinds;
use crate::memory::{Phase, adapters, gradients, optimizer};
use crate::parallelism::ZeroStage;
use crate::scenario::Mode;
use crate::training::{Checkpointing, Optimizer};
use crate::worked;

impl Lister<'_, '_> {
    /// The adapters' own matrices, through which every token passes; what they read and write stays in the caches of their neighbours.
    pub(super) fn adapters(&mut self) {
        let scenario = self.it.scenario;
        if !scenario.mode.adapts() {
            return;
        }
        let parameters = u128::from(adapters::parameters(scenario));
        let weights = parameters * u128::from(adapters::bytes_each(scenario));
        let flops = 2 * parameters * u128::from(self.tokens);
        let work = Work { flops, read: weights, written: 0 };
        self.put(Task::Adapters, Direction::Forward, 1, work, [0, weights, flops], Unit::Wide);
        let back = Work { flops: 2 * flops, read: weights, written: weights };
        self.put(Task::Adapters, Direction::Backward, 1, back, [0, weights, 2 * flops], Unit::Wide);
        if scenario.checkpointing == Checkpointing::Full {
            self.put(Task::Adapters, Direction::Recompute, 1, work, [0, weights, 0], Unit::Wide);
        }
    }

    /// The optimizer's step over what this rank keeps of the states.
    pub(super) fn step(&mut self) {
        let scenario = self.it.scenario;
        let states = worked::total(|sink| optimizer::terms(scenario, Phase::Loss, sink)).0;
        let learned = scenario.trained_parameters();
        let parameters = u128::from(scenario.shared_out(learned, ZeroStage::Optimizer));
        let gradients = parameters * u128::from(gradients::bytes_each(scenario));
        let weights = parameters * u128::from(scenario.activation_bytes());
        let flops = kernel::step_flops(scenario.optimizer) * parameters;
        let work = Work { flops, read: states + gradients, written: states + weights };
        self.put(Task::OptimizerStep, Direction::Backward, 1, work, [0, 0, 0], Unit::Vector);
        if scenario.optimizer == Optimizer::Muon && scenario.mode == Mode::Training {
            // Shared out as the states are.
            let part = parameters as f64 / learned.max(1) as f64;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a whole number")]
            let flops = (self.orthogonalised() as f64 * part) as u128;
            let work = Work { flops, read: 0, written: 0 };
            self.put(Task::OptimizerStep, Direction::Backward, 1, work, [0, 0, 0], Unit::Wide);
        }
    }

    /// FLOPs with which Muon makes the update of every matrix of this rank's layers orthogonal: five steps of Newton and Schulz,
    /// each 4·m²·n + 2·m³ for a matrix of m × n with m the shorter side (Jordan et al. 2024).
    fn orthogonalised(&self) -> u128 {
        let scenario = self.it.scenario;
        let (shape, local) = (&scenario.architecture, scenario.local());
        let of = |one: u64, other: u64| {
            let [m, n] = [one.min(other), one.max(other)].map(u128::from);
            5 * (4 * m * m * n + 2 * m * m * m)
        };
        let h = u64::from(shape.hidden_size);
        let d = u64::from(shape.head_dim);
        let attention = 2 * of(h, local.heads * d) + 2 * of(h, local.kv_heads * d);
        let mlp = |width: u64| u128::from(shape.mlp.matrices()) * of(h, width);
        let (start, end) = scenario.layers_here();
        let LayerKinds { full, sliding, linear, dense, moe } = shape.kinds_between(start, end);
        let experts = shape.moe.map_or(0, |moe| {
            let here = u128::from(moe.experts.div_ceil(scenario.parallel.ep));
            here * mlp(u64::from(moe.intermediate_size).div_ceil(scenario.experts().width))
        });
        u128::from(full + sliding + linear) * attention
            + u128::from(dense) * mlp(local.intermediate_size)
            + u128::from(moe) * experts
    }
}
