//! The engine of The Memory Wall: how much GPU memory a large language model needs, in exact integers.
//!
//! One pure function of one value, [`evaluate()`] of a [`Scenario`], gives every number that the page, the prose, the
//! charts and the command line show. The crate is `no_std`, needs no allocator, and depends on nothing at run time.
//!
//! # What is modelled
//! Decoder-only transformers of every common kind: multi-head, grouped-query, multi-query and latent attention, sliding windows by layer,
//! layers that share a cache or keep a state in its place, dense and mixture-of-experts: parameters (exact), weights in plain and block
//! formats by kind of tensor (exact), KV cache (exact) and what an engine reserves of it, training states by recipe and optimizer,
//! tensors saved for the backward pass by implementation and the loss (exact for stock PyTorch with `transformers`), adapters,
//! the peak as the fullest of a step's phases, ranks of data, tensor, sequence, context, pipeline and expert parallelism with their traffic, offload.
//! [`roofline`] lists the operations of a prefill, of a decoding step and of a training step with their FLOPs and bytes, and gives their time as a range:
//! a bound, and the bound at shares that measured runs usually reach at least.
//! [`solve`] asks the questions backwards, [`advise`] recomputes the known fixes.
//! [`server`] follows a server for a minute, step by step: continuous batching, pages, a common beginning, preemption.
//! Beside it, where bytes lie and travel: the tiers of a GPU ([`hierarchy`]) and the round trips that fused kernels save ([`fusion`]);
//! and one training step of a single layer run line by line, tensor by tensor ([`allocation_trace`]).
//!
//! # What is simplified
//! The working space of inference without an engine is one layer's widest moment for a chunk of the prompt; the CUDA context is one constant;
//! fragmentation is not a number but the verdict "tight"; starting a kernel costs no time; what ranks fixes ([`cost`]) is a rough ratio.
//! Each simplification is an [`assumptions::Assumption`] with a sentence; how far the figures were from measured runs is published by the crate `memory-wall-accuracy`.
//!
//! # What is not modelled
//! Encoders, what vision towers take in a forward pass, trees of guesses and Medusa heads in speculative decoding.
//! A model whose kind is not known is refused, never guessed.

#![no_std]
#![warn(missing_docs, clippy::missing_errors_doc)]

#[cfg(feature = "serde")]
extern crate alloc;

// The modules in layers. One uses those of its own layer and of layers above it, never in a circle: `tests/layers.rs` holds them to it.

// Values, and how they are written.
#[macro_use]
mod choices;

pub mod bisect;
pub mod bounds;
pub mod display;
pub mod number;
mod share;
pub mod units;
mod verdict;
pub mod worked;

// What there is to choose: shapes, formats, settings, and the tables of models and GPUs.
pub mod architecture;
#[cfg(feature = "serde")]
pub mod config;
pub mod fp8;
pub mod layout;
pub mod parallelism;
pub mod parameters;
pub mod precision;
pub mod serving;
pub mod tables;
pub mod training;

// A whole scenario, and one that was checked: formulas take no other.
mod checked;
pub mod scenario;

// Formulas: bytes that are held, bytes that travel, and the time of both.
pub mod allocation_trace;
pub mod communication;
pub mod frontier;
pub mod fusion;
pub mod hierarchy;
pub mod memory;
pub mod pipeline;
pub mod roofline;
pub mod server;

// The programs that serve a model, each by its own rules.
pub mod engines;

// Evaluation: all formulas on one scenario, held against its GPU.
pub mod assumptions;
pub mod cost;
pub mod evaluate;
pub mod published;
pub mod spending;

// Questions asked backwards, and runs that were measured or that died.
pub mod alternatives;
pub mod profile;
pub mod scaling;
pub mod schemes;
pub mod solve;

// Advice.
pub mod advise;
pub mod coping;

pub use architecture::Architecture;
pub use checked::Checked;
pub use evaluate::{Evaluation, Fit, evaluate};
pub use fp8::{Fp8, Fp8Recipe, Moments};
pub use memory::{Bucket, Phase};
pub use parallelism::{Parallelism, PipelineSchedule, ZeroStage};
pub use precision::{KvPrecision, WeightFormat};
pub use scenario::{Attention, Mode, Offload, OffloadError, Scenario, ScenarioError};
pub use serving::{Engine, Serving, Speculation};
pub use share::{InPercent, Share};
pub use training::{
    AdapterPrecision, Checkpointing, Gradients, Implementation, Lora, LoraTargets, Loss, Optimizer, Recipe,
    RecomputedModule, RecomputedModules, Sharding, StepKernel, Stock, TargetSet, Training,
};
pub use units::Bytes;
pub use verdict::Verdict;
