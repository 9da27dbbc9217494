//! The program of the page.

#[cfg(target_arch = "wasm32")]
fn main() {
    memory_wall_app::browser::start();
}

/// On other machines there is no page to start.
#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("this program runs in a browser: `cargo xtask serve` builds and serves it");
}
