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
//! Beside it, where bytes lie and travel: the tiers of a card ([`hierarchy`]) and the round trips that fused kernels save ([`fusion`]);
//! and one training step of a single layer run line by line, tensor by tensor ([`tape`]).
//!
//! # What is simplified
//! The working space of inference without an engine is one layer's widest moment for a chunk of the prompt; the CUDA context is one constant;
//! fragmentation is not a number but the verdict "tight"; starting a kernel costs no time; what ranks fixes ([`cost`]) is a rough ratio.
//! Each simplification is an [`assumptions::Assumption`] with a sentence; how far the figures were from measured runs is published by the crate `memory-wall-accuracy`.
//!
//! # What is not modelled
//! Encoders, the vision part of multimodal models, speculative decoding, prefix sharing, the delays of a busy server.
//! A model whose kind is not known is refused, never guessed.

#![no_std]
#![warn(missing_docs, clippy::missing_errors_doc)]

#[cfg(feature = "serde")]
extern crate alloc;

#[macro_use]
mod choices;

pub mod advise;
pub mod alternatives;
pub mod architecture;
pub mod assumptions;
pub mod bounds;
mod checked;
pub mod communication;
#[cfg(feature = "serde")]
pub mod config;
pub mod coping;
pub mod cost;
pub mod display;
pub mod engines;
pub mod evaluate;
pub mod frontier;
pub mod fusion;
pub mod hierarchy;
pub mod memory;
pub mod number;
pub mod offload;
pub mod parallelism;
pub mod parameters;
pub mod precision;
pub mod profile;
pub mod roofline;
pub mod scaling;
pub mod scenario;
pub mod schemes;
pub mod serving;
pub mod solve;
pub mod tables;
pub mod tape;
pub mod training;
pub mod units;
pub mod worked;

pub use architecture::Architecture;
pub use checked::Checked;
pub use evaluate::{Evaluation, Fit, Phase, Verdict, evaluate};
pub use memory::Bucket;
pub use offload::{Offload, OffloadError};
pub use parallelism::{Parallelism, ZeroStage};
pub use precision::{KvPrecision, WeightFormat};
pub use scenario::{Attention, Mode, Scenario, ScenarioError};
pub use serving::{Engine, Serving};
pub use training::{
    AdapterPrecision, Checkpointing, Gradients, Implementation, Lora, LoraTargets, Loss, Optimizer, Recipe, StepKernel,
    Stock, TargetSet, Training,
};
pub use units::Bytes;
