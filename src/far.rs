//! The far part of the program: in a release, the functions that only figures far down need are in a file of their own
//! (`tools/site/src/far.rs` says which), which comes when the reader comes near such a figure or has changed something that one
//! shows. Whoever calls one of them asks here first whether it has come: before, the call would end the program.

use std::sync::atomic::{AtomicBool, Ordering};

static CAME: AtomicBool = AtomicBool::new(true);

/// Whether the far part is there. A program that is in one piece has it from the beginning.
pub(crate) fn came() -> bool {
    CAME.load(Ordering::Relaxed)
}

/// Says whether it is there.
#[cfg(target_arch = "wasm32")]
pub(crate) fn set(came: bool) {
    CAME.store(came, Ordering::Relaxed);
}

/// Keeps a function of the far part from being merged with an equal one that is needed at once.
pub(crate) fn apart() {
    std::hint::black_box(1_u8);
}
