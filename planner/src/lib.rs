//! The planner: up to four runs side by side, each with its inputs, what the engine says to it, and the changes that help; a page and a program of its own.
//!
//! The same view is drawn when the page is built and hydrated in the browser. It draws the same tree in both places and for any number of plans:
//! what the state changes are texts, attributes, and what is hidden.

// A view is one type, as deep as its elements.
#![recursion_limit = "512"]
#![allow(unreachable_pub, reason = "the macro of components makes their properties public")]

mod board;
mod browser;
mod changed;
mod desk;
mod fields;
mod figures;
mod formats;
mod frontier;
mod gpus;
mod groups;
mod heat;
mod inputs;
pub mod link;
mod maps;
mod out;
mod outcome;
mod own_model;
mod page;
mod picture;
mod plans;
mod prices;
mod runtimes;
mod sentence;
mod shown;
mod tables;
mod taught;
pub mod tutorial;
mod wall;
pub mod words;

#[cfg(not(target_arch = "wasm32"))]
use leptos::prelude::*;

/// The page as it begins, with the marks by which a browser hydrates it.
#[cfg(not(target_arch = "wasm32"))]
pub fn html() -> String {
    let owner = Owner::new();
    let drawn = || {
        let desk = desk::Desk::new();
        desk.finish();
        page::html(desk)
    };
    // An empty comment as standards write it; browsers read both alike.
    owner.with(drawn).replace("<!>", "<!---->")
}

#[cfg(target_arch = "wasm32")]
pub use browser::start;
