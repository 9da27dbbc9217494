//! The engine of The Memory Wall: how much GPU memory a large language model needs, in exact integers.
//!
//! One pure function of one value, [`evaluate()`] of a [`Scenario`], gives every number that the page, the prose, the
//! charts and the command line show. The crate is `no_std`, needs no allocator, and depends on nothing at run time.
//!
//! # What is modelled
//! Dense decoder-only transformers with multi-head, grouped-query and multi-query attention, sliding windows by layer, learned or
//! rotary positions, gated or plain MLPs, biases and tied embeddings: parameters (exact), weights in plain and block formats
//! (exact), KV cache (exact), gradients and optimizer states of mixed-precision training (exact for the recipe named),
//! tensors saved for the backward pass and the loss (exact for stock PyTorch and `transformers`), one card.
//!
//! # What is simplified
//! The working space of inference is one layer's widest moment for a chunk of the prompt; the CUDA context is one constant;
//! fragmentation is not a number but the verdict "tight". Each simplification is an [`assumptions::Assumption`] with a sentence.
//!
//! # What is not modelled
//! Several cards, mixture of experts, multi-head latent attention, state-space layers, adapters, offload, and time.
//! Such models are refused, never guessed.

#![no_std]
#![warn(missing_docs)]

#[cfg(feature = "serde")]
extern crate alloc;

#[macro_use]
mod choices;

pub mod advise;
pub mod architecture;
pub mod assumptions;
pub mod bounds;
pub mod communication;
#[cfg(feature = "serde")]
pub mod config;
pub mod cost;
pub mod display;
pub mod engines;
pub mod evaluate;
pub mod memory;
pub mod offload;
pub mod parallelism;
pub mod parameters;
pub mod precision;
pub mod scenario;
pub mod serving;
pub mod solve;
pub mod tables;
pub mod training;
pub mod units;
pub mod worked;

pub use architecture::Architecture;
pub use evaluate::{Evaluation, Fit, Phase, Verdict, evaluate};
pub use memory::Bucket;
pub use offload::Offload;
pub use parallelism::{Parallelism, ZeroStage};
pub use precision::{KvPrecision, WeightFormat};
pub use scenario::{Attention, Mode, Scenario, ScenarioError};
pub use serving::{Engine, Serving};
pub use training::{
    Checkpointing, Implementation, Lora, LoraTargets, Loss, Optimizer, Recipe, StepKernel, Stock, Training,
};
pub use units::Bytes;
