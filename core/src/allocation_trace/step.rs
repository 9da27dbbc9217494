//! The steps of the program: what each allocates, and what is freed after it.

use super::{Program, Tensor, Tensors};

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
