//! The versions of tools and targets, the port, and how many cases the randomised tests run.

/// The builder of the page. 0.22 asks for a newer compiler than `rust-version` in Cargo.toml.
pub(crate) const TRUNK: &str = "0.21.14";

/// The `wasm-opt` named in Trunk.toml as `version_132`; Trunk takes one from PATH only when the two agree.
pub(crate) const WASM_OPT: &str = "132";

/// The npm package that holds a ready `wasm-opt` of that version.
pub(crate) const BINARYEN: &str = "132.0.0";

/// The driver of Firefox that is compiled where there is none.
pub(crate) const GECKODRIVER: &str = "0.37.1";

/// What the page and the proof that the core needs no `std` are compiled for.
pub(crate) const TARGETS: [&str; 2] = ["wasm32-unknown-unknown", "wasm32v1-none"];

/// What the core is measured as in WebAssembly: it can print, which the page's target cannot.
pub(crate) const WASI: &str = "wasm32-wasip1";

/// The oldest Node that Playwright runs on.
pub(crate) const NODE_MAJOR: u32 = 20;

/// The port `serve` tries first.
pub(crate) const PORT: u16 = 8080;

/// The randomised tests of the core, which run a second time as a fast program with many cases.
pub(crate) const RANDOMISED: [&str; 5] = ["config", "engines", "properties", "ranks", "roofline"];

/// Cases of each property there: with some 50 properties a million in all.
pub(crate) const CASES: &str = "20000";

/// Cases of each property among all other tests.
pub(crate) const FEW_CASES: &str = "200";
