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
//! That the card's matrix product copies a matrix that has no stride of one is `prepare_matrix_for_cublas` in `ATen/native/cuda/Blas.cpp`.
//!
//! # Example
//! ```
//! use memory_wall_core::tape::Program;
//! let program = Program::default();
//! assert_eq!(program.forward_peak().0 >> 30, 17);
//! assert_eq!(program.peak().0 >> 30, 26);
//! let squared = Program { squares: true, ..program };
//! assert_eq!(squared.peak().0 >> 30, 49);
//! ```

use crate::memory::Bucket;
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

choices! {
    /// Everything that takes memory, in the order in which it is drawn.
    Tensor {
        /// W.
        Weight = "weight";
        /// The bias.
        Bias = "bias";
        /// x.
        Input = "x";
        /// y.
        Output = "y";
        /// `y.pow(2)`, which the mean is taken of and nobody saves.
        Squares = "squares";
        /// One number.
        Loss = "loss";
        /// The gradient of the loss, which is the number 1.
        Seed = "seed";
        /// The gradient of the squares: 1 / n everywhere, as a tensor of its own.
        MeanGrad = "mean-grad";
        /// `y.pow(1)`, a copy of y.
        Power = "power";
        /// Twice that.
        Doubled = "doubled";
        /// The gradient of y. Behind a sum it is a view of one number with strides of zero, and takes no bytes.
        OutputGrad = "y-grad";
        /// The gradient of x.
        InputGrad = "x-grad";
        /// The gradient of W.
        WeightGrad = "weight-grad";
        /// The gradient of the bias.
        BiasGrad = "bias-grad";
        /// The gradient of y written out, since a matrix product cannot read a view with strides of zero.
        Copy = "copy";
    }
}

choices! {
    /// A moment of the program: what is allocated in it is live at its end, and some of it is freed right after.
    Step {
        /// `model = nn.Linear(F, F)`.
        Model = "model";
        /// `x = torch.randn(B, S, F)`.
        Input = "input";
        /// `model(x)`.
        Forward = "forward";
        /// `y.pow(2)`.
        Square = "square";
        /// The loss itself, a sum or a mean.
        Loss = "loss";
        /// `loss.backward()` begins with the gradient of the loss, and hands it to y as a view.
        Seed = "seed";
        /// Back through the mean.
        Mean = "mean";
        /// Back through the square: `y.pow(1)`.
        Power = "power";
        /// Times two.
        Double = "double";
        /// Times the gradient that came in.
        Product = "product";
        /// Room for the gradient of x.
        InputGrad = "input-grad";
        /// The copy that its matrix product makes.
        InputCopy = "input-copy";
        /// Room for the gradient of W.
        WeightGrad = "weight-grad";
        /// The copy that its matrix product makes.
        WeightCopy = "weight-copy";
        /// The gradient of the bias, and the end of backward.
        BiasGrad = "bias-grad";
        /// The function returns, and its names go.
        End = "end";
    }
}

/// A set of tensors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tensors(u16);

impl Tensors {
    /// None.
    pub const NONE: Self = Self(0);

    /// These.
    pub const fn of(tensors: &[Tensor]) -> Self {
        let mut set = 0;
        let mut rest = tensors;
        while let [first, others @ ..] = rest {
            set |= 1 << *first as u16;
            rest = others;
        }
        Self(set)
    }

    /// Whether a tensor is one of them.
    pub const fn has(self, tensor: Tensor) -> bool {
        self.0 & (1 << tensor as u16) != 0
    }

    /// Both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Without those.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// These, if it holds.
    const fn when(self, holds: bool) -> Self {
        if holds { self } else { Self::NONE }
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

impl Tensor {
    /// The bucket that it belongs to. What lives for a moment of backward is overhead, as in every estimate that forgets it.
    pub const fn bucket(self) -> Bucket {
        match self {
            Self::Weight | Self::Bias => Bucket::Weights,
            Self::Input | Self::Output | Self::Squares | Self::Loss => Bucket::Activations,
            Self::Seed | Self::OutputGrad | Self::InputGrad | Self::WeightGrad | Self::BiasGrad => Bucket::Gradients,
            Self::MeanGrad | Self::Power | Self::Doubled | Self::Copy => Bucket::Overhead,
        }
    }
}

impl Step {
    /// The line of the program that it belongs to, from 1.
    pub const fn line(self) -> u32 {
        match self {
            Self::Model => 1,
            Self::Input => 2,
            Self::Forward => 3,
            Self::Square | Self::Loss => 4,
            Self::End => 6,
            _ => 5,
        }
    }

    /// Whether it happens in a program.
    pub const fn happens(self, program: &Program) -> bool {
        match self {
            Self::Square | Self::Mean | Self::Power | Self::Double | Self::Product => program.squares,
            Self::InputGrad => program.input_gradient,
            Self::InputCopy => program.input_gradient && !program.squares,
            Self::WeightCopy => !program.squares,
            _ => true,
        }
    }

    /// What it allocates where it happens.
    pub const fn allocates(self) -> Tensors {
        match self {
            Self::Model => const { Tensors::of(&[Tensor::Weight, Tensor::Bias]) },
            Self::Input => const { Tensors::of(&[Tensor::Input]) },
            Self::Forward => const { Tensors::of(&[Tensor::Output]) },
            Self::Square => const { Tensors::of(&[Tensor::Squares]) },
            Self::Loss => const { Tensors::of(&[Tensor::Loss]) },
            Self::Seed => const { Tensors::of(&[Tensor::Seed]) },
            Self::Mean => const { Tensors::of(&[Tensor::MeanGrad]) },
            Self::Power => const { Tensors::of(&[Tensor::Power]) },
            Self::Double => const { Tensors::of(&[Tensor::Doubled]) },
            Self::Product => const { Tensors::of(&[Tensor::OutputGrad]) },
            Self::InputGrad => const { Tensors::of(&[Tensor::InputGrad]) },
            Self::InputCopy | Self::WeightCopy => const { Tensors::of(&[Tensor::Copy]) },
            Self::WeightGrad => const { Tensors::of(&[Tensor::WeightGrad]) },
            Self::BiasGrad => const { Tensors::of(&[Tensor::BiasGrad]) },
            Self::End => Tensors::NONE,
        }
    }

    /// What is freed after it where it happens.
    pub const fn frees(self, program: &Program) -> Tensors {
        let output = const { Tensors::of(&[Tensor::Output]) };
        match self {
            // The squares have no name and are not saved. Nor is y, if it has no name and no square needs it.
            Self::Loss => {
                let squares = const { Tensors::of(&[Tensor::Squares]) }.when(program.squares);
                squares.and(output.when(!program.named && !program.squares))
            }
            // The square is done with what it saved.
            Self::Product => {
                let passing = const { Tensors::of(&[Tensor::MeanGrad, Tensor::Power, Tensor::Doubled]) };
                passing.and(output.when(!program.named))
            }
            Self::InputCopy | Self::WeightCopy => const { Tensors::of(&[Tensor::Copy]) },
            Self::BiasGrad if program.squares => const { Tensors::of(&[Tensor::OutputGrad]) },
            // The mean reads the seed as a number; a view keeps it to the end.
            Self::Mean | Self::BiasGrad => const { Tensors::of(&[Tensor::Seed]) },
            // The gradient of x hangs on x.
            Self::End => {
                let names = const { Tensors::of(&[Tensor::Input, Tensor::Loss]) };
                let gradient = const { Tensors::of(&[Tensor::InputGrad]) }.when(program.input_gradient);
                names.and(gradient).and(output.when(program.named))
            }
            _ => Tensors::NONE,
        }
    }

    /// Whether it belongs to the forward pass.
    pub const fn is_forward(self) -> bool {
        self.line() <= 4
    }
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

    /// The step in which it dies on a card of this size; none if it runs through.
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
mod tests {
    extern crate std;
    use super::*;
    use crate::tables::gpus;
    use crate::units::GIB;
    use std::vec::Vec;

    const BASE: Program = Program {
        features: 16_384,
        batch: 32,
        seq_length: 4_096,
        bytes_per_value: 4,
        named: true,
        input_gradient: false,
        squares: false,
    };

    /// All eight combinations of the switches.
    fn all() -> Vec<Program> {
        let mut programs = Vec::new();
        for named in [true, false] {
            for input_gradient in [false, true] {
                for squares in [false, true] {
                    programs.push(Program { named, input_gradient, squares, ..BASE });
                }
            }
        }
        programs
    }

    /// Tenths of a GiB, rounded.
    fn tenths(bytes: Bytes) -> u128 {
        (bytes.0 * 10 + GIB / 2) / GIB
    }

    #[test]
    fn peaks_are_those_that_were_traced() {
        for (name, program, forward, peak, at) in [
            ("as written", BASE, 170, 260, Step::WeightCopy),
            ("no name y", Program { named: false, ..BASE }, 170, 180, Step::WeightCopy),
            ("x needs a gradient", Program { input_gradient: true, ..BASE }, 170, 340, Step::WeightCopy),
            ("mean of squares", Program { squares: true, ..BASE }, 250, 490, Step::Product),
            ("batch 64", Program { batch: 64, ..BASE }, 330, 500, Step::WeightCopy),
        ] {
            assert_eq!((tenths(program.forward_peak()), tenths(program.peak())), (forward, peak), "{name}");
            assert_eq!((program.fullest(), program.fullest().line()), (at, 5), "{name}");
        }
    }

    #[test]
    fn the_ledger_of_the_program_as_written() {
        let rows: Vec<_> = BASE.steps().map(|step| (step, tenths(BASE.during(step)))).collect();
        assert_eq!(
            rows,
            [
                (Step::Model, 10),
                (Step::Input, 90),
                (Step::Forward, 170),
                (Step::Loss, 170),
                (Step::Seed, 170),
                (Step::WeightGrad, 180),
                (Step::WeightCopy, 260),
                (Step::BiasGrad, 180),
                (Step::End, 180),
            ]
        );
        // W, its gradient, the biases, x, y, the copy, two single numbers.
        assert_eq!(BASE.peak(), Bytes(26 * GIB + 16_384 * 4 + 8));
        assert_eq!(tenths(BASE.total(BASE.live(Step::End).after)), 20);
    }

    #[test]
    fn combinations_follow_from_the_same_lifetimes() {
        for (named, input_gradient, squares, peak) in [
            (true, false, false, 260),
            (false, false, false, 180),
            (true, true, false, 340),
            // Without y: x, its gradient, the copy, W and its gradient.
            (false, true, false, 260),
            // The square keeps y whether it has a name or not, and nothing behind it is as full.
            (true, false, true, 490),
            (false, false, true, 490),
            (true, true, true, 490),
            (false, true, true, 490),
        ] {
            let program = Program { named, input_gradient, squares, ..BASE };
            assert_eq!(tenths(program.peak()), peak, "{program:?}");
        }
        assert_eq!(tenths(Program { squares: true, batch: 64, ..BASE }.peak()), 970);
        assert_eq!(tenths(Program { bytes_per_value: 2, ..BASE }.peak()), 130);
    }

    #[test]
    fn nothing_is_allocated_twice_or_freed_without_being_there_and_only_weights_and_gradients_remain() {
        for program in all() {
            let (mut before, mut seen) = (Tensors::NONE, Tensors::NONE);
            let (mut allocated, mut freed) = (Bytes::ZERO, Bytes::ZERO);
            for step in program.steps() {
                let live = program.live(step);
                let (new, gone) = (step.allocates(), step.frees(&program));
                assert_eq!(new.without(before), new, "{step:?} of {program:?} allocates what is there");
                assert_eq!(gone.without(live.during), Tensors::NONE, "{step:?} of {program:?} frees what is not there");
                allocated += program.total(new);
                freed += program.total(gone);
                assert!(freed <= allocated);
                assert_eq!(program.total(live.after), allocated - freed);
                before = live.after;
                seen = seen.and(new);
            }
            let remain = [Tensor::Weight, Tensor::Bias, Tensor::WeightGrad, Tensor::BiasGrad];
            assert_eq!(before, Tensors::of(&remain), "{program:?}");
            assert!(seen.has(Tensor::Output));
            assert!(program.peak() >= program.forward_peak());
        }
    }

    #[test]
    fn no_size_within_bounds_is_too_large_and_none_makes_the_peak_fall() {
        for program in all() {
            let mut before = Bytes::ZERO;
            for (features, batch, seq_length) in
                [(1, 1, 1), (2, 1, 7), (512, 32, 128), (1_000_000, 1_000_000, 10_000_000)]
            {
                let program = Program { features, batch, seq_length, ..program };
                assert!(program.peak() > before && program.peak() >= program.forward_peak());
                before = program.peak();
            }
            for &step in Step::ALL {
                assert!(program.reached(step).happens(&program));
                assert!(program.during(step) <= program.peak());
            }
        }
    }

    #[test]
    fn it_dies_where_it_was_said_to() {
        let on = |program: Program, card| program.dies(gpus::by_id(card).unwrap().capacity).map(Step::line);
        assert_eq!([on(BASE, "rtx4090"), on(BASE, "a100-40-sxm")], [Some(5), None]);
        let unnamed = Program { named: false, ..BASE };
        assert_eq!([on(unnamed, "rtx4090"), on(unnamed, "a100-40-sxm")], [None, None]);
        let below = Program { input_gradient: true, ..BASE };
        assert_eq!([on(below, "rtx4090"), on(below, "a100-40-sxm")], [Some(5), None]);
        let squared = Program { squares: true, ..BASE };
        assert_eq!([on(squared, "rtx4090"), on(squared, "a100-40-sxm")], [Some(4), Some(5)]);
        let twice = Program { batch: 64, ..BASE };
        assert_eq!([on(twice, "rtx4090"), on(twice, "a100-40-sxm")], [Some(3), Some(5)]);
    }
}
