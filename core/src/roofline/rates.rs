//! How fast a scenario computes and moves bytes on a GPU: the roofs that its operations meet.

use super::operations::{Operation, Unit};
use super::{Bound, Efficiency, Roof, Task, attention_rate, multiplies_in, wide_rate};
use crate::checked::Checked;
use crate::communication::{self, Traffic};
use crate::precision::ComputePrecision;
use crate::tables::gpus::Gpu;
use crate::units::{ByteRate, Seconds};

/// The rates that operations of a run meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// For matrices in the weights' format.
    pub matrix: Roof,
    /// For matrices that the format leaves wide.
    pub wide: Roof,
    /// For attention.
    pub attention: Roof,
    /// For everything else.
    pub vector: Roof,
    /// To the GPUs that share each matrix, one direction.
    pub tensor_link: ByteRate,
    /// To the GPUs with other experts.
    pub expert_link: ByteRate,
    /// To the next pipeline stage.
    pub stage_link: ByteRate,
}

impl Rates {
    /// Of a GPU, as the scenario uses it.
    pub fn of(scenario: &Checked, gpu: &Gpu) -> Self {
        let roof = |peak| Roof { peak, bandwidth: gpu.bandwidth };
        let matrix = roof(multiplies_in(scenario, gpu).1);
        let link = |kind| communication::link(scenario, gpu, kind);
        Self {
            matrix,
            wide: roof(wide_rate(scenario, gpu)),
            attention: roof(attention_rate(scenario, gpu)),
            vector: gpu.peaks.at(ComputePrecision::Fp32).map_or(matrix, roof),
            tensor_link: link(Traffic::Tensor),
            expert_link: link(Traffic::Expert),
            stage_link: link(Traffic::Pipeline),
        }
    }

    /// The same at a share of each.
    #[must_use]
    pub fn at(self, efficiency: Efficiency) -> Self {
        let link = |rate: ByteRate| ByteRate(rate.0 * efficiency.bandwidth);
        Self {
            matrix: self.matrix.at(efficiency),
            wide: self.wide.at(efficiency),
            attention: self.attention.at(efficiency),
            vector: self.vector.at(efficiency),
            tensor_link: link(self.tensor_link),
            expert_link: link(self.expert_link),
            stage_link: link(self.stage_link),
        }
    }

    /// The roof over an operation; `None` for one that goes over a link.
    pub fn roof(&self, unit: Unit) -> Option<Roof> {
        match unit {
            Unit::Matrix => Some(self.matrix),
            Unit::Wide => Some(self.wide),
            Unit::Attention => Some(self.attention),
            Unit::Vector => Some(self.vector),
            Unit::Link => None,
        }
    }

    fn link(&self, task: Task) -> ByteRate {
        match task {
            Task::AllToAll => self.expert_link,
            Task::StageLink => self.stage_link,
            _ => self.tensor_link,
        }
    }

    /// The least time for one of an operation.
    pub fn seconds(&self, operation: &Operation) -> Seconds {
        match self.roof(operation.unit) {
            Some(roof) => roof.seconds(operation.work.flops, operation.moved()),
            None => Seconds(operation.work.written as f64 / self.link(operation.task).0),
        }
    }

    /// What holds an operation back.
    pub fn bound(&self, operation: &Operation) -> Bound {
        let Some(roof) = self.roof(operation.unit) else { return Bound::Link };
        let memory = operation.moved() as f64 / roof.bandwidth.0;
        if memory > operation.work.flops as f64 / roof.peak.0 { Bound::Memory } else { Bound::Compute }
    }
}
