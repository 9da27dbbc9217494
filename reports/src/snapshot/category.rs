//! What a tensor is, guessed from the stack that allocated it, the stack that freed it, and how long it lived.
//!
//! # Rules
//! In this order; the first that holds is taken.
//! - The file says it (PyTorch's profiler writes `category`).
//! - Allocated before recording and never freed: weights. Freed by `zero_grad`: a gradient; by the optimizer: a state that it replaced;
//!   by the backward pass: an activation.
//! - Allocated by a library for itself (cuBLAS's workspace): other.
//! - Allocated by an optimizer's `step` or `_init_group`: its state if it is never freed, or else temporary.
//! - Allocated by the backward pass: temporary if the backward pass frees it, or else a gradient.
//! - Allocated in `forward` or elsewhere in Python: an activation if the backward pass frees it, or if it outlives one; temporary if it is freed before one.
//!   Never freed and no backward pass follows: an activation if it comes from `forward`, weights if a module was made or moved there.
//! - Without a stack: by PyTorch's own marks of the optimizer's stretches, or else other.
//!
//! Where stacks have Python's lines only, what has none is taken for the backward pass, whose threads run no Python.
//! Tensor subclasses, flat parameters of FSDP, CUDA graphs and code that `torch.compile` made blur all of this.

use alloc::vec::Vec;

use super::Window;
use super::frames::{FrameId, Frames, StackId, contains};

/// What a tensor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Category {
    /// Parameters; what was there before recording began.
    Weights,
    /// Gradients of parameters.
    Gradients,
    /// States of the optimizer.
    Optimizer,
    /// Tensors saved for the backward pass.
    Activations,
    /// Tensors that are gone soon.
    Temporary,
    /// What no rule explains.
    Other,
}

/// All of them, in the order in which they are stacked.
pub const CATEGORIES: [Category; 6] = [
    Category::Weights,
    Category::Gradients,
    Category::Optimizer,
    Category::Activations,
    Category::Temporary,
    Category::Other,
];

impl Category {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Weights => "weights",
            Self::Gradients => "gradients",
            Self::Optimizer => "optimizer states",
            Self::Activations => "activations",
            Self::Temporary => "temporary",
            Self::Other => "other",
        }
    }

    /// Its place in [`CATEGORIES`].
    pub const fn place(self) -> usize {
        self as usize
    }

    /// What PyTorch's profiler calls it, in a snapshot or in the order of its memory timeline.
    pub(super) fn of_profiler(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"parameter" | b"PARAMETER" => Self::Weights,
            b"optimizer_state" | b"OPTIMIZER_STATE" => Self::Optimizer,
            b"activation" | b"ACTIVATION" => Self::Activations,
            b"gradient" | b"GRADIENT" => Self::Gradients,
            b"temporary" | b"TEMPORARY" | b"autograd_detail" | b"AUTOGRAD_DETAIL" => Self::Temporary,
            b"input" | b"INPUT" => Self::Other,
            _ => return None,
        })
    }
}

/// What a stack does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A library's own memory.
    Workspace,
    /// The optimizer's step.
    Step,
    /// Dropping gradients.
    ZeroGrad,
    /// The backward pass.
    Backward,
    /// A module's forward pass.
    Forward,
    /// Making, loading or moving a module.
    Module,
    /// Anything else.
    Elsewhere,
    /// Nothing was recorded.
    Unknown,
}

/// What every stack of a file does.
#[derive(Debug)]
pub(super) struct Kinds {
    kinds: Vec<Kind>,
    /// What an empty stack means.
    empty: Kind,
}

const WORKSPACE: u8 = 1;
const STEP: u8 = 2;
const ZERO_GRAD: u8 = 4;
const BACKWARD: u8 = 8;
const FORWARD: u8 = 16;
const MODULE: u8 = 32;
const NATIVE: u8 = 64;
const PYTHON: u8 = 128;

/// What one frame says of its stack.
fn signs(frames: &Frames, frame: FrameId) -> u8 {
    let (name, path) = (frames.name_bytes(frame), frames.path_bytes(frame));
    if !frames.is_python(frame) {
        let workspace = contains(name, b"CUDABlasHandle") || contains(name, b"Workspace");
        let backward = contains(name, b"autograd::Engine") || contains(name, b"autograd::generated::");
        let native = contains(name, b"::");
        return if workspace { WORKSPACE } else { 0 }
            | if backward { BACKWARD } else { 0 }
            | if native { NATIVE } else { 0 };
    }
    PYTHON
        | match name {
            b"step" | b"_init_group" if contains(path, b"optim") => STEP,
            b"zero_grad" => ZERO_GRAD,
            b"forward" => FORWARD,
            b"_apply" | b"from_pretrained" | b"load_state_dict" | b"_load_pretrained_model" => MODULE,
            b"__init__" | b"reset_parameters" if contains(path, b"nn/modules") => MODULE,
            _ => 0,
        }
}

impl Kinds {
    pub(super) fn of(frames: &Frames) -> Self {
        let known = |all: &[u8]| all.iter().fold(0, |all, sign| all | sign);
        let signs: Vec<u8> = (0..frames.len()).map(|frame| signs(frames, FrameId(frame))).collect();
        let kinds = (0..frames.stacks()).map(|stack| {
            let stack = frames.stack(StackId(u32::try_from(stack).unwrap_or(u32::MAX)));
            let signs = stack.iter().fold(0, |all, frame| all | signs.get(frame.0 as usize).copied().unwrap_or(0));
            let rules = [
                (WORKSPACE, Kind::Workspace),
                (STEP, Kind::Step),
                (ZERO_GRAD, Kind::ZeroGrad),
                (BACKWARD, Kind::Backward),
                (FORWARD, Kind::Forward),
                (MODULE, Kind::Module),
            ];
            rules.into_iter().find(|(sign, _)| signs & sign != 0).map_or(Kind::Elsewhere, |(_, kind)| kind)
        });
        let (kinds, all) = (kinds.collect(), known(&signs));
        let is_python_only = all & PYTHON != 0 && all & NATIVE == 0;
        Self { kinds, empty: if is_python_only { Kind::Backward } else { Kind::Unknown } }
    }

    pub(super) fn kind(&self, stack: StackId) -> Kind {
        self.kinds.get(stack.0 as usize).copied().unwrap_or(self.empty)
    }
}

/// Where an event stands among the optimizer's stretches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) kind: Kind,
    /// Within a step of the optimizer, by PyTorch's own marks.
    pub(super) in_step: bool,
    /// Within `zero_grad`, by the same.
    pub(super) in_zero_grad: bool,
}

impl Standing {
    pub(super) fn of(kind: Kind, time_us: u64, windows: &[Window]) -> Self {
        let after = windows.partition_point(|window| window.start_us <= time_us);
        let inside = after.checked_sub(1).and_then(|place| windows.get(place));
        let inside = inside.filter(|window| time_us <= window.end_us && time_us > 0);
        Self {
            kind,
            in_step: inside.is_some_and(|window| window.is_step),
            in_zero_grad: inside.is_some_and(|window| !window.is_step),
        }
    }

    const fn steps(self) -> bool {
        matches!(self.kind, Kind::Step) || self.in_step && !matches!(self.kind, Kind::ZeroGrad)
    }

    const fn drops_gradients(self) -> bool {
        self.steps() || self.in_zero_grad || matches!(self.kind, Kind::ZeroGrad)
    }
}

/// The category of a tensor that was allocated `from` and freed `by`, if either was recorded.
pub(super) fn guess(from: Option<Standing>, by: Option<Standing>, outlives_backward: bool) -> Category {
    use Category::{Activations, Gradients, Optimizer, Other, Temporary, Weights};
    let freed_by_backward = by.is_some_and(|by| by.kind == Kind::Backward);
    let Some(from) = from else {
        return match by {
            None => Weights,
            // Some optimizers put a new state in the place of the old one.
            Some(by) if by.steps() => Optimizer,
            Some(by) if by.drops_gradients() => Gradients,
            Some(_) if freed_by_backward => Activations,
            Some(_) => Other,
        };
    };
    match from.kind {
        Kind::Workspace => Other,
        Kind::Step if by.is_none() => Optimizer,
        Kind::Step | Kind::ZeroGrad => Temporary,
        _ if from.in_step => {
            if by.is_none() {
                Optimizer
            } else {
                Temporary
            }
        }
        Kind::Backward => {
            if freed_by_backward {
                Temporary
            } else {
                Gradients
            }
        }
        Kind::Unknown => match by {
            Some(by) if by.drops_gradients() => Gradients,
            _ => Other,
        },
        Kind::Forward | Kind::Module | Kind::Elsewhere => match by {
            Some(_) if freed_by_backward || outlives_backward => Activations,
            Some(_) => Temporary,
            None if from.kind == Kind::Module => Weights,
            None if from.kind == Kind::Forward && !outlives_backward => Activations,
            None => Other,
        },
    }
}
