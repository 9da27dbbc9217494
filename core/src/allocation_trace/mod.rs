//! A training step of one linear layer, run line by line: which tensors are live when, and where the peak is.
//!
//! The program is `model = nn.Linear(F, F)`, `x = torch.randn(B, S, F)`, `y = model(x)`, `loss = y.sum()`, `loss.backward()`, and the end of the function that it
//! stands in. PyTorch runs it eagerly, so every tensor is allocated when its line comes and freed with the last name or saved reference.
//!
//! # Formula
//! `live(moment) = sum of the tensors that are allocated and not freed yet`; the peak is the largest of these.
//!
//! # Units
//! Bytes, exact.
//!
//! # Assumes
//! Stock PyTorch 2.5 or 2.6, eager, no hooks, gradients unset before the step. Not counted: the allocator's rounding to blocks, the workspace of the matrix library,
//! the context of the driver.
//!
//! # Source
//! The order of allocations and frees was traced with PyTorch's profiler (`profile_memory=True`), saved-tensor hooks and a tensor hook on a CPU, torch 2.5.1 and 2.6.0, with
//! `Linear(512)` and x of 32 x 128 x 512, where the tensors have the same ratios, for the program and for each switch alone; combinations follow from the same lifetimes.
//! That the GPU's matrix product copies a matrix that has no stride of one is `prepare_matrix_for_cublas` in `ATen/native/cuda/Blas.cpp`.
//!
//! # Example
//! ```
//! use memory_wall_core::allocation_trace::Program;
//! let program = Program::default();
//! assert_eq!(program.forward_peak().0 >> 30, 17);
//! assert_eq!(program.peak().0 >> 30, 26);
//! let squared = Program { squares: true, ..program };
//! assert_eq!(squared.peak().0 >> 30, 49);
//! ```

mod step;
mod tensor;

pub use step::Step;
pub use tensor::{Tensor, Tensors};

use crate::units::Bytes;

/// The program with its switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// Width of x and of y.
    pub features: u32,
    /// Sequences at once.
    pub batch: u32,
    /// Tokens in a sequence.
    pub seq_length: u32,
    /// Bytes of one value of every tensor.
    pub bytes_per_value: u32,
    /// Whether the result has a name: `y = model(x)`, and not `model(x)` within the next line.
    pub named: bool,
    /// Whether x needs a gradient: `requires_grad=True`, or a layer below.
    pub input_gradient: bool,
    /// Whether the loss is `y.pow(2).mean()`, and not `y.sum()`.
    pub squares: bool,
}

impl Default for Program {
    /// 16,384 features, 32 sequences of 4,096 tokens in fp32; y has a name, x needs no gradient, the loss is a sum.
    fn default() -> Self {
        Self {
            features: 16_384,
            batch: 32,
            seq_length: 4_096,
            bytes_per_value: 4,
            named: true,
            input_gradient: false,
            squares: false,
        }
    }
}

/// What is live at a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// When everything that it allocates is there: its fullest moment.
    pub during: Tensors,
    /// When it is over.
    pub after: Tensors,
}

impl Program {
    /// The steps that happen in it, in order.
    pub fn steps(&self) -> impl Iterator<Item = Step> {
        Step::ALL.iter().copied().filter(|step| step.happens(self))
    }

    /// What is live at a step. At one that does not happen it is what the step before left.
    pub fn live(&self, at: Step) -> Live {
        let mut live = Live::default();
        for &step in Step::ALL {
            live.during = live.after;
            if step.happens(self) {
                live.during = live.after.and(step.allocates());
                live.after = live.during.without(step.frees(self));
            }
            if step == at {
                break;
            }
        }
        live
    }

    /// How large a tensor is.
    pub fn size(&self, tensor: Tensor) -> Bytes {
        let features = u128::from(self.features);
        let values = match tensor {
            Tensor::Weight | Tensor::WeightGrad => features * features,
            Tensor::Bias | Tensor::BiasGrad => features,
            Tensor::Loss | Tensor::Seed => 1,
            _ => u128::from(self.batch) * u128::from(self.seq_length) * features,
        };
        Bytes(values * u128::from(self.bytes_per_value))
    }

    /// How large several are together.
    pub fn total(&self, tensors: Tensors) -> Bytes {
        let mut total = Bytes::ZERO;
        for &tensor in Tensor::ALL {
            if tensors.has(tensor) {
                total += self.size(tensor);
            }
        }
        total
    }

    /// The fullest moment of a step.
    pub fn during(&self, step: Step) -> Bytes {
        self.total(self.live(step).during)
    }

    /// The first step with the most bytes.
    pub fn fullest(&self) -> Step {
        let (mut best, mut most) = (Step::Model, Bytes::ZERO);
        for &step in Step::ALL {
            let during = self.during(step);
            if during > most {
                (best, most) = (step, during);
            }
        }
        best
    }

    /// The most bytes at any moment.
    pub fn peak(&self) -> Bytes {
        self.during(self.fullest())
    }

    /// The most bytes before backward.
    pub fn forward_peak(&self) -> Bytes {
        let mut most = Bytes::ZERO;
        for &step in Step::ALL {
            if step.is_forward() {
                most = most.max(self.during(step));
            }
        }
        most
    }

    /// The step in which it dies on a GPU of this size; none if it runs through.
    pub fn dies(&self, capacity: Bytes) -> Option<Step> {
        Step::ALL.iter().copied().find(|step| self.during(*step) > capacity)
    }

    /// The last step that happens, up to this one.
    pub fn reached(&self, at: Step) -> Step {
        let mut reached = Step::Model;
        for &step in Step::ALL {
            if step.happens(self) {
                reached = step;
            }
            if step == at {
                break;
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests;
