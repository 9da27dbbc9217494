//! The state between visits, kept on this device only. Where storage is blocked, nothing is kept and nothing breaks.
#![expect(clippy::disallowed_methods, reason = "this file is where storage is used")]

use super::page;

/// The key; the version in it is that of the query format.
const KEY: &str = "memory-wall.v1.state";

fn storage() -> Option<web_sys::Storage> {
    page::window()?.local_storage().ok().flatten()
}

/// The query kept last, if any.
pub(super) fn load() -> Option<String> {
    storage()?.get_item(KEY).ok().flatten().filter(|query| !query.is_empty())
}

/// Keeps a query; a full or blocked storage keeps nothing.
pub(super) fn save(query: &str) -> Option<()> {
    let storage = storage()?;
    if query.is_empty() { storage.remove_item(KEY).ok() } else { storage.set_item(KEY, query).ok() }
}
