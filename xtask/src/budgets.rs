//! The most bytes that parts of the built page may take, after gzip: `cargo xtask build` enforces them.

/// The most bytes, after gzip, that a first visit may transfer. With functions in an order that compresses well and pages in fewer letters it has 437.2 kB; it had 453.8 before.
pub(crate) const FIRST_VISIT_BUDGET: u64 = 445_000;
/// The most bytes, after gzip, that the program in it may be. The whole engine is in it, so that no build gives another answer: 306.7 kB.
pub(crate) const PROGRAM_BUDGET: u64 = 315_000;
/// The most bytes, after gzip, of the second program with its worker, which is fetched when a reader hands something over.
/// With every reader but that of memory snapshots, and neither the engine nor its tables, it has 115.7 kB.
pub(crate) const SECOND_BUDGET: u64 = 117_000;
/// The most bytes, after gzip, of the third program, which is fetched after the second one and compares the engine's estimate with what
/// was read. It contains the engine, its tables and the readers of configs, and with the rules of `SGLang`, TensorRT-LLM and of llama.cpp's layers
/// in host memory, by which their logs are explained, 261.3 kB. What a snapshot's peak is compared with, models to choose, links with a
/// model's own dimensions and what causes are told apart are some 8 kB more; with more of these, and rows of its own for host memory, it has 279.3.
pub(crate) const THIRD_BUDGET: u64 = 282_000;
/// The most bytes, after gzip, of the program that reads memory snapshots, with the script and the styles of their pictures: they are fetched
/// with the first snapshot, and kept for use without a network from then on. The readers of pickles and of JSON, stacks, lifetimes and
/// categories take most of 82.2 kB; the second program had them before.
pub(crate) const VIEWS_BUDGET: u64 = 85_000;
/// The most bytes, after gzip, that the reference may be with its own style sheet and script. Every measured row is in it.
/// With 136 models, 71 GPUs and the start-up logs of vLLM, llama.cpp, `SGLang` and TensorRT-LLM it has 104.4 kB.
pub(crate) const REFERENCE_BUDGET: u64 = 110_000;
/// The same for the page for teachers, which has heights at seven widths and an example for each of 33 hosts.
pub(crate) const TEACH_BUDGET: u64 = 28_000;
/// The most bytes, after gzip, of a first visit to the planner: its page, and its program with the whole engine in it.
/// A GPU of one's own, typical times and the ways to the tutorial and back came last.
pub(crate) const PLANNER_BUDGET: u64 = 505_000;
/// The most bytes, after gzip, of the planner's second program, which is fetched when a reader first asks for the commands and config files of
/// other programs. It checks plans by the engine's rules, and reads YAML: 209.7 kB, 48 of which a first visit to the planner had before.
/// It also draws the plans as a picture.
pub(crate) const EXCHANGE_BUDGET: u64 = 230_000;
/// The same for what else there is for teachers, by the names of the pages: kept for use without a network only once they were opened.
pub(crate) const CLASS_BUDGETS: [(&str, u64); 4] = [
    // Two plans, and a note for every section with the wrong answers of the self-check: 15.2 kB.
    ("lessons", 18_000),
    // Problems with their solutions twice, beside them and for paper, six sets of numbers, and the script: 16.4 kB.
    ("problems", 20_000),
    // The script of the problems is counted there: 9.8 kB.
    ("worksheet", 12_000),
    // One file with drawings, styles and script: 26.6 kB.
    ("slides", 32_000),
];
/// The most bytes, after gzip, that a figure by itself may transfer where nothing of this site was seen before.
pub(crate) const ALONE_BUDGET: u64 = 378_000;
/// The same for each further figure on a page. The self-check has 20.4 kB with 53 questions; it was 17.6 with 45, within 18.
pub(crate) const FURTHER_BUDGET: u64 = 21_000;
/// The most bytes, after gzip, of everything that is kept for use without a network. A slow phone line moves a million in five seconds.
/// With 136 models, 13 sections, 35 figures by themselves, what packs them for learning platforms and the planner, it has 1,508.1 kB. The programs of the planner, 650 of these, come when all else is
/// there, and nobody waits for them: what the second one has of the engine is kept twice, so that a first visit to the planner is 48 kB smaller.
/// With 34 more GPUs, the planner's frame and picture, and eight more questions it has 1,589.4.
/// Since snapshots are compared with the estimate, the third program has 8 more, and the minute of a server, script and program in one file that comes with its figure, has 29.
pub(crate) const KEPT_BUDGET: u64 = 1_600_000;
