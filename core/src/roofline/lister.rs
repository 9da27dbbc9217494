//! Lists operations: from the widths of what they read and write to bytes, forward and back.

use super::operations::{Direction, Kernels, Listing, Operation, Pass, Task, Unit};
use super::{Work, multiplies_in};
use crate::architecture::Architecture;
use crate::communication;
use crate::memory::{gradients, weights};
use crate::precision::{Block, ComputePrecision};
use crate::scenario::{Attention, Mode};
use crate::serving::Engine;
use crate::training::{Checkpointing, Implementation, RecomputedModule};
use crate::worked::Item;

/// Bytes of 32 activations that llama.cpp quantises, with their scales.
const QUANTISED: (u128, u128) = (36, 32);

/// What stands in an operation besides its activations.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// So many parameters, of which a token meets some, read as so many bytes.
    Matrix { flops: u128, weights: u128, learned: u128, unit: Unit },
    /// FLOPs, bytes read and written that no cache keeps, and the FLOPs without masked pairs.
    Scores { flops: u128, cache: u128, model_flops: u128 },
    /// FLOPs of vector units.
    Vector { flops: u128, parameters: u128 },
}

pub(super) struct Lister<'a, 'b> {
    pub(super) it: &'b Listing<'a>,
    pub(super) sink: &'b mut dyn FnMut(&Operation),
    /// Tokens of one forward pass on this rank.
    pub(super) tokens: u64,
    /// Parts that these are read in, all but the last of the same length.
    pub(super) chunks: u64,
    /// That length.
    pub(super) at_once: u64,
    /// Bytes of an activation.
    pub(super) act: u128,
    /// Bytes that the GPU's caches hold; without a figure, enough for anything.
    pub(super) cache: u128,
    /// By what the layers' matrices are to be stretched: more than a ratio of 1 to 1 for a model that is known by a round number only.
    pub(super) stretch: [u128; 2],
    /// By what the bytes of the layers' matrices grow where a file of llama.cpp mixes layouts: a ratio.
    pub(super) mixed: [u128; 2],
    /// Matrix multiplications listed, for checkpointing that recomputes every second one.
    pub(super) matrices: u32,
    /// Whether what is listed next is computed again, as a part that selective checkpointing names.
    pub(super) again: bool,
}

impl<'a, 'b> Lister<'a, 'b> {
    pub(super) fn of(it: &'b Listing<'a>, sink: &'b mut dyn FnMut(&Operation)) -> Self {
        let scenario = it.scenario;
        let batch = u64::from(scenario.batch);
        let tokens = match it.pass {
            Pass::Decode => batch,
            Pass::Prefill | Pass::Training => {
                (batch * u64::from(scenario.seq_length)).div_ceil(scenario.parallel.cp.into())
            }
        };
        let at_once = match (it.pass, scenario.serving.engine) {
            (Pass::Prefill, Engine::Vllm | Engine::LlamaCpp) => scenario.batched_tokens().into(),
            _ => u64::MAX,
        };
        let small = matches!(multiplies_in(scenario, it.gpu).0, ComputePrecision::Fp8 | ComputePrecision::Fp4);
        let act = match (scenario.mode, scenario.serving.engine) {
            (Mode::Inference, Engine::LlamaCpp) => 4,
            // What is multiplied in 8 bits or fewer may be handed on in 8.
            _ if small => 1,
            _ => scenario.activation_bytes().into(),
        };
        // A prompt can be read in pieces that stay in the caches, where kernels are fused.
        let in_pieces = it.pass != Pass::Training && it.kernels == Kernels::Fused;
        let cache = it.gpu.cache().filter(|_| !in_pieces).map_or(u128::MAX, |bytes| bytes.0);
        let shape = scenario.architecture;
        let stretch = if shape.rounded_parameters.is_some() {
            let counted = Architecture { rounded_parameters: None, ..shape };
            [shape, counted].map(|shape| u128::from(shape.parameters().matrices.max(1)))
        } else {
            [1, 1]
        };
        let mixed = weights::mixed(scenario);
        Self {
            it,
            sink,
            tokens,
            chunks: tokens.div_ceil(at_once).max(1),
            at_once,
            act,
            cache,
            stretch,
            mixed,
            matrices: 0,
            again: false,
        }
    }

    pub(super) fn training(&self) -> bool {
        self.it.pass == Pass::Training
    }

    pub(super) fn separate(&self) -> bool {
        self.it.kernels == Kernels::Separate
    }

    /// Whether matrices are multiplied as 8-bit integers, for which activations are quantised first.
    pub(super) fn quantises(&self) -> bool {
        let scenario = self.it.scenario;
        scenario.mode == Mode::Inference && scenario.serving.engine == Engine::LlamaCpp && !scenario.weights.trainable()
    }

    /// Bytes of activations of this width for every token, and how many of them can stay in the caches.
    pub(super) fn tensor(&self, width: u128) -> [u128; 2] {
        self.sized(u128::from(self.tokens) * width * self.act)
    }

    pub(super) fn sized(&self, bytes: u128) -> [u128; 2] {
        let tokens = u128::from(self.tokens.max(1));
        let fits = bytes * tokens.min(self.at_once.into()) / tokens <= self.cache;
        [bytes, if fits { bytes } else { 0 }]
    }

    pub(super) fn sum(&self, widths: &[u128]) -> [u128; 2] {
        widths.iter().map(|&width| self.tensor(width)).fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]])
    }

    pub(super) fn put(
        &mut self,
        task: Task,
        direction: Direction,
        times: u64,
        work: Work,
        [kept, weights, model_flops]: [u128; 3],
        unit: Unit,
    ) {
        let repeated = self.training() && task != Task::OptimizerStep;
        let times = times * if repeated { communication::repeats(self.it.scenario) } else { 1 };
        if times > 0 && work != Work::default() {
            (self.sink)(&Operation { task, direction, times, work, kept, weights, model_flops, unit });
        }
    }

    /// An operation with the widths of what it reads and writes, forward and, in training, back.
    pub(super) fn add(&mut self, task: Task, times: u64, form: Form, inputs: &[u128], outputs: &[u128]) {
        if times == 0 {
            return;
        }
        let ([read, kept_in], [written, kept_out]) = (self.sum(inputs), self.sum(outputs));
        let kept = kept_in + kept_out;
        let (unit, flops, fixed, weights, useful) = match form {
            Form::Matrix { flops, weights, unit, .. } => (unit, flops, weights, weights, flops),
            Form::Scores { flops, cache, model_flops } => (Unit::Attention, flops, cache, 0, model_flops),
            Form::Vector { flops, parameters } => (Unit::Vector, flops, parameters, parameters, 0),
        };
        let work = Work { flops, read: read + fixed, written };
        self.put(task, Direction::Forward, times, work, [kept, weights, useful], unit);
        if !self.training() {
            return;
        }
        if self.recomputes(task, &form) {
            self.put(task, Direction::Recompute, times, work, [kept, weights, 0], unit);
        }
        match form {
            Form::Matrix { flops, weights, learned, .. } => {
                // Gradients of the input: from those of the output, through the weights.
                let back = Work { flops, read: written + weights, written: read };
                self.put(task, Direction::Backward, times, back, [kept, weights, flops], unit);
                if self.it.scenario.mode == Mode::Training {
                    // Gradients of the weights: from the input and the gradients of the output.
                    let learn = Work { flops, read: written + read, written: learned };
                    self.put(task, Direction::Backward, times, learn, [kept, 0, flops], unit);
                }
            }
            Form::Scores { flops, model_flops, .. } => {
                // Five products in place of two, one of them done again, in place of which scores were kept;
                // what went in comes in again with the output's gradients, and leaves as gradients.
                let back = Work { flops: flops / 2 * 5, read: read + 2 * written, written: read };
                let kept = 2 * kept_in + 2 * kept_out;
                self.put(task, Direction::Backward, times, back, [kept, 0, 2 * model_flops], unit);
            }
            Form::Vector { flops, parameters } => {
                let back = Work { flops: 2 * flops, read: read + written + parameters, written: read };
                self.put(task, Direction::Backward, times, back, [2 * kept_in + kept_out, parameters, 0], unit);
            }
        }
    }

    pub(super) fn recomputes(&mut self, task: Task, form: &Form) -> bool {
        let outside = matches!(task, Task::Embedding | Task::OutputHead | Task::Loss);
        let is_matrix = matches!(form, Form::Matrix { .. });
        self.matrices += u32::from(is_matrix);
        match self.it.scenario.checkpointing {
            _ if outside => false,
            Checkpointing::None => false,
            Checkpointing::Selective => {
                // Megatron-LM goes around any kernel, also one that keeps no scores.
                let scenario = self.it.scenario;
                let kept = scenario.attention == Attention::Eager
                    || scenario.training.implementation == Implementation::Megatron;
                let scores = matches!(task, Task::Softmax | Task::Attention | Task::WindowAttention);
                self.again || kept && scores && scenario.recomputes(RecomputedModule::CoreAttention)
            }
            Checkpointing::PerOp => {
                !matches!(form, Form::Scores { .. }) && (!is_matrix || self.matrices.is_multiple_of(2))
            }
            Checkpointing::Full => true,
        }
    }

    /// A matrix of so many parameters in the layout of its kind, through which every token passes.
    pub(super) fn matrix(&mut self, task: Task, times: u64, parameters: u64, item: Item, [input, output]: [u128; 2]) {
        let layout = self.layout(item);
        let [wanted, counted] = self.stretch;
        let parameters = u128::from(parameters);
        let parameters = if item == Item::LayerMatrices { parameters * wanted / counted } else { parameters };
        let flops = 2 * parameters * u128::from(self.tokens);
        self.matrix_with(task, times, [flops, parameters], layout, [input, output], input);
    }

    /// FLOPs and parameters that are read, as they are stored; widths of what is multiplied and of what comes out, and the width that is quantised for it.
    pub(super) fn matrix_with(
        &mut self,
        task: Task,
        times: u64,
        [flops, parameters]: [u128; 2],
        layout: Block,
        [input, output]: [u128; 2],
        from: u128,
    ) {
        let scenario = self.it.scenario;
        let once = bytes_of(parameters, layout);
        let once = if layout == scenario.weights.block() { once * self.mixed[0] / self.mixed[1] } else { once };
        let stored = once * u128::from(self.chunks);
        let mut weights = stored;
        if scenario.mode == Mode::Qlora && layout.values > 1 {
            // Unpacked in 16 bits, forward and back, and read from there.
            weights = 2 * parameters;
            let unpacked = Work { flops: parameters, read: stored, written: weights };
            let again = self.it.scenario.checkpointing == Checkpointing::Full && task != Task::OutputHead;
            for direction in Direction::ALL.iter().filter(|it| again || **it != Direction::Recompute) {
                self.put(Task::Dequantise, *direction, times, unpacked, [0, stored, 0], Unit::Vector);
            }
        }
        let learned = parameters * u128::from(gradients::bytes_each(scenario));
        // What the format leaves wide is multiplied so.
        let narrow = if scenario.trains_in_fp8() {
            !matches!(task, Task::OutputHead | Task::Router)
        } else {
            layout == scenario.weights.block()
        };
        let unit = if narrow { Unit::Matrix } else { Unit::Wide };
        let form = Form::Matrix { flops, weights, learned, unit };
        if self.quantises() {
            self.quantise(times, from, input);
            let (bytes, values) = QUANTISED;
            self.add(task, times, form, &[(input * bytes).div_ceil(values * self.act)], &[output]);
        } else {
            self.add(task, times, form, &[input], &[output]);
        }
    }

    /// Activations of width `from` are quantised and written with width `to`: a token that visits several experts is written for each.
    pub(super) fn quantise(&mut self, times: u64, from: u128, to: u128) {
        let (bytes, values) = QUANTISED;
        let [read, kept] = self.tensor(from);
        let [written, also_kept] = self.sized((u128::from(self.tokens) * to * bytes).div_ceil(values));
        let work = Work { flops: read, read, written };
        self.put(Task::Quantise, Direction::Forward, times, work, [kept + also_kept, 0, 0], Unit::Vector);
    }

    /// Biases as a kernel of their own: llama.cpp adds them so, PyTorch in the multiplication itself.
    pub(super) fn bias(&mut self, times: u64, width: u128) {
        if self.it.scenario.mode == Mode::Inference && self.it.scenario.serving.engine == Engine::LlamaCpp {
            self.vector(Task::Bias, times, 1, width, &[width], &[width]);
        }
    }

    pub(super) fn layout(&self, item: Item) -> Block {
        weights::layout(self.it.scenario, item, self.it.scenario.architecture.moe.is_some())
    }

    /// A vector operation on every token.
    pub(super) fn vector(
        &mut self,
        task: Task,
        times: u64,
        flops_a_value: u128,
        width: u128,
        inputs: &[u128],
        outputs: &[u128],
    ) {
        let flops = flops_a_value * width * u128::from(self.tokens);
        self.add(task, times, Form::Vector { flops, parameters: 0 }, inputs, outputs);
    }
}

/// Bytes of so many values in a layout, the last block rounded up.
pub(super) fn bytes_of(values: u128, layout: Block) -> u128 {
    (values * u128::from(layout.bytes)).div_ceil(layout.values.into())
}
