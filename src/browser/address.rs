//! The page's own address: where the state is read from and written to.
#![expect(clippy::disallowed_methods, reason = "this file is where the address is read and written")]

use wasm_bindgen::JsValue;

use super::{host, page};

/// The query, if the address has one.
pub(super) fn query() -> Option<String> {
    let search = host::query().or_else(|| page::window()?.location().search().ok())?;
    (search.len() > 1).then_some(search)
}

/// Puts a query into the address without adding to the history; the anchor stays.
///
/// In frames without an origin of their own this may be forbidden: then the address stays as it was.
pub(super) fn replace(query: &str) -> Option<()> {
    let window = page::window()?;
    let location = window.location();
    let (path, hash) = (location.pathname().ok()?, location.hash().ok()?);
    let url = path + &asked(query) + &hash;
    window.history().ok()?.replace_state_with_url(&JsValue::NULL, "", Some(&url)).ok()
}

/// The address of the page with a query, where it is one that others can open.
pub(super) fn whole(query: &str) -> Option<String> {
    let address = page::window()?.location().href().ok().filter(|address| address.starts_with("http"))?;
    let page = address.split(['?', '#']).next()?;
    Some(page.to_owned() + &asked(query))
}

/// A query as it stands in an address.
fn asked(query: &str) -> String {
    if query.is_empty() { String::new() } else { String::from("?") + query }
}

/// Goes back or forward through the pages that were visited.
pub(super) fn travel(pages: i32) {
    if let Some(history) = page::window().and_then(|window| window.history().ok()) {
        // Without a page there nothing happens.
        let _ = history.go_with_delta(pages);
    }
}
