//! The browser side: mounts the figures into the page and keeps link and storage in step. Only these files touch the page itself.

mod address;
mod mount;
mod page;
mod storage;
mod watch;

use crate::rig::Rig;
use crate::state::State;
use crate::state::query::{self, Decoded};

/// Starts the page: link, then storage, then the default; then every figure comes alive.
pub fn start() {
    let Decoded { state, notices } = match address::query() {
        Some(query) => query::decode(&query),
        // What is stored was written here; if it cannot be read any more, the reader never asked about it.
        None => Decoded {
            state: storage::load().map_or_else(State::default, |query| query::decode(&query).state),
            notices: Vec::new(),
        },
    };
    let owner = leptos::prelude::Owner::new();
    let rig = owner.with(|| Rig::new(state, notices));
    owner.with(|| {
        mount::parts(rig);
        mount::followers(rig);
        watch::notices(rig);
        watch::save(rig);
        watch::announce(rig);
    });
    page::mark_live();
    // The page lives as long as its owner.
    std::mem::forget(owner);
}
