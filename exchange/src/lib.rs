//! The planner's second program: plans as commands and config files of other programs, written and read, and as a picture.
//! It is fetched when a reader first asks for that.
//!
//! Plans come and go as their own files, `memory-wall estimate --plan`.

pub mod picture;
#[cfg(target_arch = "wasm32")]
pub mod png;

use std::slice;

use memory_wall_plan::export::{Target, export};
use memory_wall_plan::file;
use memory_wall_plan::import::import;
use wasm_bindgen::prelude::wasm_bindgen;

/// A plan as another program takes it, and behind it what is to be known about that.
///
/// # Errors
/// Why it cannot be written so.
///
/// # Example
/// ```
/// let plan = r#"{ "version": 1, "model": "llama-3.1-8b", "gpu": "h100-sxm", "tp": 2 }"#;
/// let written = memory_wall_exchange::written(plan, "vllm").unwrap();
/// assert!(written[0].contains("--tensor-parallel-size 2"));
/// assert!(memory_wall_exchange::written(plan, "deepspeed").unwrap_err().contains("trains"));
/// ```
#[wasm_bindgen]
pub fn written(plan: &str, target: &str) -> Result<Vec<String>, String> {
    let plans = file::read(plan).map_err(|why| why.to_string())?;
    // Both come from the planner, which has the same lists.
    let (Some(plan), Some(target)) = (plans.first(), Target::from_id(target)) else { return Ok(Vec::new()) };
    let export = export(plan, target).map_err(|why| why.to_string())?;
    Ok(std::iter::once(export.text).chain(export.left_out).collect())
}

/// The plan of a command or config file as a file of its own, and behind it what was not understood.
///
/// # Errors
/// Why it cannot be read.
///
/// # Example
/// ```
/// let taken = memory_wall_exchange::taken("vllm serve meta-llama/Llama-3.1-8B -tp 2 --no-such-thing 3").unwrap();
/// assert!(taken[0].contains("\"tp\": 2") && taken[1].contains("no-such-thing"));
/// assert!(memory_wall_exchange::taken("hello").is_err());
/// ```
#[wasm_bindgen]
pub fn taken(text: &str) -> Result<Vec<String>, String> {
    let import = import(text).map_err(|why| why.to_string())?;
    let notes = import.not_understood().map(ToString::to_string);
    Ok(std::iter::once(file::write(slice::from_ref(&import.plan))).chain(notes).collect())
}

/// The plans side by side as SVG, in a list of one; `said` are lines as [`picture::svg`] takes them.
#[wasm_bindgen]
pub fn drawn(said: &str, theme: &str) -> Vec<String> {
    vec![picture::svg(said, picture::Theme::named(theme))]
}
