//! The far part of the program: in a release, the functions that only figures far down need are in files of their own
//! (`tools/site/src/far.rs` says which), which come when the reader comes near such a figure or has changed something that one
//! shows. Whoever calls one of them asks here first whether they have come: before, the call would end the program.
//!
//! The tutorial takes all of these files. A page of one figure takes those that its own figure needs, and never has the others.

use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(target_arch = "wasm32")]
static CAME: AtomicBool = AtomicBool::new(true);
static PLOTS: AtomicBool = AtomicBool::new(true);

/// Whether all is there that figures of this page need. A program that is in one piece has it from the beginning.
#[cfg(target_arch = "wasm32")]
pub(crate) fn came() -> bool {
    CAME.load(Ordering::Relaxed)
}

/// Whether the roofline is there, which the state of any page has: one of another figure never takes it.
pub(crate) fn plots() -> bool {
    PLOTS.load(Ordering::Relaxed)
}

/// Says whether both are there.
#[cfg(target_arch = "wasm32")]
pub(crate) fn set(came: bool, plots: bool) {
    CAME.store(came, Ordering::Relaxed);
    PLOTS.store(plots, Ordering::Relaxed);
}

/// Keeps a function of a far part from being merged with an equal one that is needed at once.
pub(crate) fn apart() {
    std::hint::black_box(1_u8);
}
