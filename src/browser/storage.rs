//! The state and the reader's answers between visits, kept on this device only. Where storage is blocked, nothing is kept and nothing breaks.
#![expect(clippy::disallowed_methods, reason = "this file is where storage is used")]

use super::{host, page};

/// The key of the state; the version in it is that of the query format.
pub(super) const STATE: &str = "memory-wall.v1.state";
/// The key of what was guessed and answered: lines of text, see [`crate::state::progress`]. A figure by itself keeps its own,
/// since several of them on one page would write over each other; one that shows its answers unasked keeps none.
pub(super) fn progress() -> Option<String> {
    let mut key = String::from("memory-wall.v1.progress");
    if let Some(name) = host::kept() {
        if name.is_empty() {
            return None;
        }
        key.push('.');
        key.push_str(&name);
    }
    Some(key)
}

fn storage() -> Option<web_sys::Storage> {
    page::window()?.local_storage().ok().flatten()
}

/// The text kept last under a key, if any.
pub(super) fn load(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten().filter(|text| !text.is_empty())
}

/// Keeps a text; a full or blocked storage keeps nothing.
pub(super) fn save(key: &str, text: &str) -> Option<()> {
    let storage = storage()?;
    if text.is_empty() { storage.remove_item(key).ok() } else { storage.set_item(key, text).ok() }
}

/// Keeps beside it what stands under a key and is not understood, since the next change writes over it. The last such text is kept.
pub(super) fn set_aside(key: &str, text: &str) {
    // Where nothing can be kept, nothing was.
    let _ = save(&format!("{key}.aside"), text);
}
