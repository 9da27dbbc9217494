//! Plans of runs: the options of a run as one table, plans as JSON files, and what the engine says to them.
//!
//! `no_std` with an allocator, so that the page can use it as well as the command.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod answers;
pub mod changes;
pub mod export;
pub mod file;
pub mod frontier;
pub mod hub;
pub mod import;
pub mod json;
pub mod maps;
pub mod mend;
mod node;
pub mod older;
mod option;
mod own_gpu;
pub mod own_model;
mod plan;
pub mod reply;
pub mod runtime;
mod table;
mod typed;
pub mod typical;
mod value;
pub mod yaml;

pub use node::{Entry, Json, Node};
pub use option::{PlanOption, Scope};
pub use own_gpu::gpu;
pub use own_model::OwnModel;
pub use plan::Plan;
pub use table::{ALIASES, OPTIONS, by_name, engines};
pub use typed::{AsTyped, Mistyped};
pub use value::{Kind, Value};
