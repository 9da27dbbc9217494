//! Why a part of a snapshot differs from its estimate: reasons in words, and the changes of a scenario that they stand for.

use core::fmt;

use memory_wall_core::training::{Loss, StepKernel};
use memory_wall_core::{Attention, Checkpointing, Optimizer, Recipe, Scenario, WeightFormat};

use super::Part;

/// Why a part differs from its estimate, most likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The states come with the first step of the optimizer, after this moment.
    StatesNotYet,
    /// They were there before recording began, so that they count among the weights.
    StatesAmongWeights,
    /// Buffers, such as tables of rotations, and the input.
    Buffers,
    /// cuBLAS's own memory, 32 MiB at a time.
    Workspace,
    /// Everything is kept in 16 bits.
    SixteenBits,
    /// Everything is kept in fp32.
    Fp32,
    /// A master copy in fp32 is kept.
    MasterCopy,
    /// No master copy is kept.
    NoMasterCopy,
    /// Autocast makes 16-bit copies of fp32 weights.
    Autocast,
    /// Gradients are in fp32.
    Fp32Gradients,
    /// The states are in 8 bits.
    EightBitStates,
    /// The optimizer keeps less than two states for each parameter.
    OneState,
    /// Layers are recomputed in the backward pass.
    Checkpointing,
    /// Nothing is recomputed.
    NoCheckpointing,
    /// Attention writes its scores to memory.
    EagerAttention,
    /// Attention does not write its scores.
    FlashAttention,
    /// The loss never has the logits of all tokens.
    ChunkedLoss,
    /// The logits of all tokens exist at once.
    PlainLoss,
    /// The script holds on to the model's outputs.
    OutputsKept,
    /// The optimizer's step works on lists of tensors, which takes a copy.
    Foreach,
    /// Twice as many sequences.
    DoubleBatch,
    /// Half as many.
    HalfBatch,
    /// Free memory lies between tensors: `expandable_segments:True` helps.
    Fragmented,
    /// Free segments wait to be used again; `torch.cuda.empty_cache()` gives them back.
    Cached,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::StatesNotYet => "the optimizer has no states yet: they come with its first step",
            Self::StatesAmongWeights => {
                "the optimizer's states were there before recording began, so they are counted with the weights"
            }
            Self::Buffers => "buffers, such as tables of rotations, and the input",
            Self::Workspace => "cuBLAS keeps workspaces of 32 MiB each",
            Self::SixteenBits => "everything is kept in 16 bits, as PyTorch does with a model loaded in bf16",
            Self::Fp32 => "everything is kept in fp32",
            Self::MasterCopy => "a copy of the weights is kept in fp32",
            Self::NoMasterCopy => "no fp32 copy of the weights is kept",
            Self::Autocast => "autocast keeps 16-bit copies of fp32 weights while the graph lives",
            Self::Fp32Gradients => "gradients are kept in fp32",
            Self::EightBitStates => "the optimizer keeps its states in 8 bits",
            Self::OneState => "the optimizer keeps one state for each parameter",
            Self::Checkpointing => "gradient checkpointing is on",
            Self::NoCheckpointing => "gradient checkpointing is off",
            Self::EagerAttention => "attention writes its scores to memory: eager attention, or a mask that needs it",
            Self::FlashAttention => "attention does not write its scores to memory",
            Self::ChunkedLoss => "the loss works in chunks and never has all logits at once",
            Self::PlainLoss => "all logits exist at once",
            Self::OutputsKept => "the script holds on to the model's outputs",
            Self::Foreach => "the optimizer's step works on lists of tensors (foreach), which takes a copy",
            Self::DoubleBatch => "twice as many sequences or tokens",
            Self::HalfBatch => "half as many sequences or tokens",
            Self::Fragmented => "free memory lies between tensors; expandable_segments:True helps",
            Self::Cached => "free segments wait to be used again; torch.cuda.empty_cache() gives them back",
        })
    }
}

/// A way in which the run may differ from the scenario.
pub(super) type Change = fn(&mut Scenario);

/// Parts that a change explains, the reason that it stands for, and the change.
pub(super) type Trial = (&'static [Part], Reason, Change);

/// What may explain a difference of each part.
pub(super) const CHANGES: [Trial; 16] = [
    (&[Part::Weights, Part::Gradients, Part::Optimizer], Reason::SixteenBits, |it| it.training.recipe = Recipe::Pure),
    (&[Part::Weights, Part::Gradients, Part::Optimizer], Reason::Fp32, |it| {
        it.training.recipe = Recipe::Fp32;
        it.weights = WeightFormat::Fp32;
    }),
    (&[Part::Optimizer], Reason::MasterCopy, |it| it.training.recipe = Recipe::Mixed),
    (&[Part::Optimizer], Reason::NoMasterCopy, |it| it.training.recipe = Recipe::WithoutMaster),
    (&[Part::Gradients], Reason::Fp32Gradients, |it| it.training.recipe = Recipe::MixedFp32Gradients),
    (&[Part::Activations], Reason::Autocast, |it| it.training.recipe = Recipe::Autocast),
    (&[Part::Optimizer], Reason::EightBitStates, |it| it.optimizer = Optimizer::AdamW8bit),
    (&[Part::Optimizer], Reason::OneState, |it| it.optimizer = Optimizer::Lion),
    (&[Part::Activations], Reason::Checkpointing, |it| it.checkpointing = Checkpointing::Full),
    (&[Part::Activations], Reason::NoCheckpointing, |it| it.checkpointing = Checkpointing::None),
    (&[Part::Activations], Reason::EagerAttention, |it| it.attention = Attention::Eager),
    (&[Part::Activations], Reason::FlashAttention, |it| it.attention = Attention::Flash),
    (&[Part::Logits], Reason::ChunkedLoss, |it| it.training.loss = Loss::Chunked),
    (&[Part::Logits], Reason::PlainLoss, |it| it.training.loss = Loss::Plain),
    (&[Part::Logits], Reason::OutputsKept, |it| it.training.stock.outputs_kept = true),
    (&[Part::Temporary], Reason::Foreach, |it| it.training.step = StepKernel::Foreach),
];

/// Changes of the batch explain what grows with the tokens.
pub(super) const BATCHES: [(Reason, Change); 2] =
    [(Reason::DoubleBatch, |it| it.batch = it.batch.saturating_mul(2)), (Reason::HalfBatch, |it| it.batch /= 2)];
