//! Runtimes whose memory follows more than the engine's formulas: which layers are on which device, what is reserved, and what refuses to start.
//!
//! The engine says what a model takes; this crate says what llama.cpp, Ollama, `SGLang` and TensorRT-LLM make of it. Each file has its constants with version and
//! source, and where no log backs a figure it is a [`Span`]. The tutorial's program doesn't use this crate, so it costs the tutorial nothing.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod llamacpp;
pub mod ollama;
pub mod pool;
pub mod rollout;
mod span;

pub use span::Span;
