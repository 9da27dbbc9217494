//! One of LitGPT's published runs: what the general engine does not ask about, and everything that is allocated at one of its phases.

use super::block::{PROMPT_TOKENS, PROMPTS_FROM};
use crate::checked::Checked;
use crate::memory::backward::{self, Moment};
use crate::memory::{Phase, adapters, gradients, optimizer, weights};
use crate::scenario::Mode;
use crate::units::Bytes;
use crate::worked::{self, Factor, Item, Symbol, Term};

/// Whose code ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// Up to 2023: RMSNorm keeps its normalised copy in fp32, a single KV head leaves the fused kernel, FSDP stays gathered behind a validation pass.
    Y2023,
    /// From 2024 on.
    Y2024,
}

/// What learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// As the scenario's mode says: LoRA or every parameter.
    OfTheMode,
    /// LLaMA-Adapter: prompts of 10 tokens and a gate for each head, from the third block on.
    Adapter,
    /// Its second version: norms, and a scale and a bias for each matrix as well.
    AdapterV2,
}

/// What a published run needs besides a scenario. The general engine takes [`Run::DEFAULT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Whose code ran.
    pub era: Era,
    /// What learns.
    pub method: Method,
    /// Whether the longest sequences come first, before there are optimizer states, so that no later step is as full (the scripts of 2023).
    pub first_batch: bool,
}

impl Run {
    /// Code of 2024, in the mode of the scenario, any step.
    pub const DEFAULT: Self = Self { era: Era::Y2024, method: Method::OfTheMode, first_batch: false };
}

/// Workspaces of cuBLAS in the forward and in the backward thread, as PyTorch sets them up.
pub const WORKSPACES: u64 = 2 * 8_519_680;

/// Parameters that learn.
///
/// # Formula
/// LLaMA-Adapter: (`layers` − 2) × (10·h + a). Second version: besides, a scale and a bias for each output of each matrix, the head's too, and all norms.
/// Otherwise those of the mode.
///
/// # Units
/// Parameters, not bytes.
///
/// # Source
/// The counts that LitGPT's tables print, all of them (set `litgpt-trainable-parameters` of the crate `memory-wall-accuracy`).
///
/// # Example
/// ```
/// use memory_wall_core::memory::activations::litgpt::{self, Method, Run};
/// use memory_wall_core::{Architecture, Mode, Scenario};
/// let llama = Architecture::llama([32, 4_096, 32, 32, 128, 11_008, 32_000]);
/// let scenario = Scenario { mode: Mode::Lora, ..Scenario::new(llama) }.check().unwrap();
/// let of = |method| litgpt::trained(&scenario, Run { method, ..Run::DEFAULT });
/// assert_eq!(of(Method::Adapter), 1_229_760);
/// assert_eq!(of(Method::AdapterV2), 4_279_744);
/// ```
pub fn trained(scenario: &Checked, run: Run) -> u64 {
    let shape = &scenario.architecture;
    let norm = shape.norm.vectors() * u64::from(shape.hidden_size);
    match run.method {
        Method::OfTheMode => scenario.trained_parameters(),
        Method::Adapter => added(scenario, run),
        Method::AdapterV2 => {
            let norms = u64::from(shape.layers) * u64::from(shape.norms_per_layer) + 1;
            added(scenario, run) + norms * norm
        }
    }
}

/// Parameters that are added to the model.
pub fn added(scenario: &Checked, run: Run) -> u64 {
    let shape = &scenario.architecture;
    let [layers, h, heads] = [shape.layers, shape.hidden_size, shape.heads].map(u64::from);
    let prompts = layers.saturating_sub(PROMPTS_FROM) * (PROMPT_TOKENS * h + heads);
    match run.method {
        Method::OfTheMode if scenario.mode == Mode::Training => 0,
        Method::OfTheMode => adapters::parameters(scenario),
        Method::Adapter => prompts,
        Method::AdapterV2 => {
            let outputs = shape.query_width()
                + 2 * shape.kv_width()
                + h
                + (shape.mlp.matrices() - 1) * u64::from(shape.intermediate_size)
                + h;
            prompts + 2 * (layers * outputs + u64::from(shape.vocab_size))
        }
    }
}

/// Everything that PyTorch has allocated at one phase of a run.
///
/// # Formula
/// Weights and what is added to them, gradients and optimizer states of what learns, [`super::kept`], [`super::loss`] and two workspaces of cuBLAS.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// Paged optimizer states are managed memory, outside of PyTorch's allocator: such a run has its optimizer offloaded.
pub fn step(scenario: &Checked, run: Run, phase: Phase, sink: &mut dyn FnMut(&Term<'_>)) {
    let mut product = |item, factors: &[Factor]| sink(&Term { item, factors, divisor: 1 });
    let moment = match phase {
        Phase::Backward if run.method == Method::OfTheMode => backward::fullest(scenario).0,
        _ => Moment::LastLayer,
    };
    product(Item::DeviceContext, &[Factor::number(WORKSPACES)]);
    if run.method == Method::OfTheMode {
        weights::terms(scenario, sink);
        gradients::terms(scenario, phase, sink);
        optimizer::terms(scenario, phase, sink);
    } else {
        let bytes = Factor::new(Symbol::BytesPerValue, adapters::bytes_each(scenario));
        let mut parameters = |item, count| product(item, &[Factor::new(Symbol::Parameters, count), bytes]);
        let learning = trained(scenario, run);
        parameters(Item::AdapterWeights, added(scenario, run));
        if scenario.training.micro_batches > 1 || matches!(phase, Phase::Backward | Phase::OptimizerStep) {
            parameters(Item::Gradients, learning);
        }
        if phase != Phase::FirstStep && !scenario.offload.optimizer {
            parameters(Item::FirstMoment, learning);
            parameters(Item::SecondMoment, learning);
        }
        weights::terms(scenario, &mut |term| {
            if term.item != Item::AdapterWeights {
                sink(term);
            }
        });
    }
    match phase {
        Phase::Forward => {}
        Phase::ForwardEnd | Phase::Loss | Phase::FirstStep => super::kept(scenario, run, phase, sink),
        Phase::Backward => super::in_backward(scenario, run, moment, sink),
        Phase::OptimizerStep => super::in_step(scenario, run, sink),
    }
    super::loss(scenario, phase, sink);
}

/// The fullest phase of a run, and what is allocated then.
pub fn peak(scenario: &Checked, run: Run) -> (Phase, Bytes) {
    let phases = if run.first_batch { &[Phase::FirstStep] } else { Phase::of(scenario.mode) };
    let mut best = (Phase::FirstStep, Bytes::ZERO);
    for &phase in phases {
        let bytes = worked::total(|sink| step(scenario, run, phase, sink));
        if bytes > best.1 {
            best = (phase, bytes);
        }
    }
    best
}
