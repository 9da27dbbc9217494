//! The tensors of the program, and sets of them.

use crate::memory::Bucket;

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
    pub(super) const fn when(self, holds: bool) -> Self {
        if holds { self } else { Self::NONE }
    }
}
