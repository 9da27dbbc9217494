//! The stack of a program in a browser, which comes first in memory, before its data.

/// Keeps an eighth less than a megabyte for it, so that an address of data has three bytes in place of four.
pub(crate) fn keep(linked: &str) {
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|architecture| architecture == "wasm32") {
        println!("cargo::rustc-link-arg-{linked}=-zstack-size=917504");
    }
}
