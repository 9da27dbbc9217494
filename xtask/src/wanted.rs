//! The versions and limits this project asks for: the one place to change them.

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

/// The most bytes, after gzip, that a first visit may transfer.
pub(crate) const FIRST_VISIT_BUDGET: u64 = 340_000;
/// The most bytes, after gzip, that the program in it may be. The whole engine is in it, so that no build gives another answer.
pub(crate) const PROGRAM_BUDGET: u64 = 230_000;
/// The most bytes, after gzip, that the reference may be with its own style sheet and script. Every measured row is in it.
pub(crate) const REFERENCE_BUDGET: u64 = 85_000;
/// The same for the page for teachers, which has a table and an example for each host.
pub(crate) const TEACH_BUDGET: u64 = 25_000;
/// The most bytes, after gzip, that a figure by itself may transfer where nothing of this site was seen before.
pub(crate) const ALONE_BUDGET: u64 = 278_000;
/// The same for each further figure on a page.
pub(crate) const FURTHER_BUDGET: u64 = 18_000;
/// The most bytes, after gzip, of everything that is kept for use without a network. A slow phone line moves a million in five seconds.
pub(crate) const KEPT_BUDGET: u64 = 700_000;

/// The port `serve` tries first.
pub(crate) const PORT: u16 = 8080;

/// The randomised tests of the core, which run a second time as a fast program with many cases.
pub(crate) const RANDOMISED: [&str; 5] = ["config", "engines", "properties", "ranks", "roofline"];

/// Cases of each property there: with some 50 properties a million in all.
pub(crate) const CASES: &str = "20000";

/// Cases of each property among all other tests.
pub(crate) const FEW_CASES: &str = "200";
