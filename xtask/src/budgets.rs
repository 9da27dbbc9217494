//! The most bytes that parts of the built page may take, after gzip: `cargo xtask build` enforces them.

/// The most bytes, after gzip, that a first visit may transfer: 444.8 kB before the program was in two parts, of which the far one comes
/// when the reader goes on.
pub(crate) const FIRST_VISIT_BUDGET: u64 = 378_000;
/// The most bytes, after gzip, of the tutorial's document, which the first paint waits for. Lighthouse's slow line brings 105,120 bytes in the
/// fourth of its round trips, and a byte more takes another 150 ms. What is sent has some 650 bytes more than this counts, for the head of the
/// answer, its pieces and a quicker gzip: with 104.3 kB here it was 105,218 bytes. It has 98.9 kB.
pub(crate) const DOCUMENT_BUDGET: u64 = 100_000;
/// The most bytes, after gzip, that the program in it may be. The whole engine is in it, so that no build gives another answer, but not what
/// figures far down say of it: it had 314.6 kB with them. Pipelines that run both ways and W8A8 are 1.5 of 242.3.
pub(crate) const PROGRAM_BUDGET: u64 = 246_000;
/// The most bytes, after gzip, of the far parts of that program, which come when the reader comes near the first figure that needs one: the
/// models, levers and drawings of all figures behind the calculator's section. In one file they had 86.2 kB; in five, so that a figure by
/// itself takes those that it needs, they are packed some 4 kB worse.
pub(crate) const FAR_BUDGET: u64 = 93_000;
/// The most bytes, after gzip, of the second program with its worker, which is fetched when a reader hands something over.
/// With every reader but that of memory snapshots, and neither the engine nor its tables, it has 124.3 kB; 121.3 before programs trapped without words, and before answers of servers, tools of
/// other makers' accelerators, host memory and more applications, and 115.9 before rows of `nvidia-smi` without a head, its monitors, names of GPUs
/// and lists of a file's tensors.
/// Figures as scripts print them, monitors that draw, and messages behind any logger's prefix bring it to 128.8; it may never be more than 130.
/// Since the third program reads model files and JSON, which took 27, it has 116 with the readers of people's sentences and of more trainers.
/// Settings in sentences, calls of scripts and longer commands are 3.7 of 129.4.
pub(crate) const SECOND_BUDGET: u64 = 130_000;
/// The most bytes, after gzip, of the third program, which is fetched after the second one and compares the engine's estimate with what
/// was read. It contains the engine, its tables and the readers of configs, and with the rules of `SGLang`, TensorRT-LLM and of llama.cpp's layers
/// in host memory, by which their logs are explained, 261.3 kB. What a snapshot's peak is compared with, models to choose, links with a
/// model's own dimensions and what causes are told apart are some 8 kB more; with more of these, and rows of its own for host memory, it has 279.3.
/// With compressed tokens, parts of a layer that are computed again and more of what scripts print 286.1, and with Kimi Linear and more of what
/// containers, servers and people say 289. Model files and JSON, whose shapes it read already, it now reads alone: their tables and what they say
/// as reports are 14 kB more here, and 27 less in the second program. With what people say of their machines and the engine's new plans it has 309.6,
/// and with tables of rotations, paddings of kernels, files of Qwen's hybrids and `--language-model-only` 315.8.
pub(crate) const THIRD_BUDGET: u64 = 318_000;
/// The most bytes, after gzip, of the program that reads memory snapshots, with the script and the styles of their pictures: they are fetched
/// with the first snapshot, and kept for use without a network from then on. The readers of pickles and of JSON, stacks, lifetimes and
/// categories take most of 80.5 kB; the second program had them before.
pub(crate) const VIEWS_BUDGET: u64 = 82_000;
/// The most bytes, after gzip, that the reference may be with its own style sheet and script. Every measured row is in it.
/// With 136 models, 71 GPUs and the start-up logs of vLLM, llama.cpp, `SGLang` and TensorRT-LLM it has 104.4 kB.
/// With 83 training steps measured on an H200, each in several tables, and 12 more models it has 120.
/// Steps and copies of weights in fp8 are 0.7 kB of 122.1.
pub(crate) const REFERENCE_BUDGET: u64 = 124_000;
/// The same for the page for teachers, which has heights at seven widths, an example for each of 33 hosts and a course of six sessions.
pub(crate) const TEACH_BUDGET: u64 = 29_000;
/// The most bytes, after gzip, of a first visit to the planner, 483 kB since what reads a config comes later: its page, and its program with the whole engine in it.
/// It may never be more than 520 kB. Without Rust's reader and writer of floats and the words of panics it had 497.8, with prices of GPUs in a table,
/// and has 513.6 with training that generates: its trainer, its vLLM, four moments, and what is refused there. Kimi Linear and what the release
/// of vLLM before the newest refuses are 3 kB more.
pub(crate) const PLANNER_BUDGET: u64 = 496_000;
/// The most bytes, after gzip, of the part of the planner's program that reads a `config.json`, which comes when one is handed over.
pub(crate) const PLANNER_FAR_BUDGET: u64 = 43_000;
/// The most bytes, after gzip, of the planner's second program, which is fetched when a reader first asks for the commands and config files of
/// other programs. It checks plans by the engine's rules, and reads YAML: 209.7 kB, 48 of which a first visit to the planner had before.
/// It also draws the plans as a picture, and reads Kimi Linear. What fp8 training asks for is 3 kB of 241.2,
/// and longer requests of quantised repositories, precisions by GPU and schedules of pipelines are 2.7 more. The engine's new rules of vLLM and llama.cpp,
/// and what import reads more, are 6.
pub(crate) const EXCHANGE_BUDGET: u64 = 252_000;
/// The same for what else there is for teachers, by the names of the pages: kept for use without a network only once they were opened.
pub(crate) const CLASS_BUDGETS: [(&str, u64); 6] = [
    // Two plans, and a note for every section with the wrong answers of the self-check, and links to their slides: 17.9 kB before its markup is shortened.
    ("lessons", 19_000),
    // Problems with their solutions twice, beside them and for paper, six sets of numbers, and the script: 16.4 kB.
    ("problems", 20_000),
    // The script of the problems is counted there: 9.8 kB.
    ("worksheet", 12_000),
    // Two variants and their keys, and three sets of numbers for each: the script of the problems is counted there. 12.4 kB.
    ("test", 14_000),
    // Text, three cells of code and two tables: 9.5 kB.
    ("lab", 11_000),
    // One file with drawings, styles and script: 31 kB with the slides of the lesson about servers, 29.8 without.
    ("slides", 35_000),
];
/// The most bytes, after gzip, that any figure by itself may transfer where nothing of this site was seen before, all that its page names
/// included: 326 kB with the parts of the program that the roofline needs, or the minute of a server with its own program.
pub(crate) const ALONE_BUDGET: u64 = 330_000;
/// The same for each further figure on a page. The self-check has 20.4 kB with 53 questions; it was 17.6 with 45, within 18.
pub(crate) const FURTHER_BUDGET: u64 = 21_000;
/// The most bytes, after gzip, of everything that is kept for use without a network. A slow phone line moves a million in five seconds.
/// With 136 models, 13 sections, 35 figures by themselves, what packs them for learning platforms and the planner, it has 1,508.1 kB. The programs of the planner, 650 of these, come when all else is
/// there, and nobody waits for them: what the second one has of the engine is kept twice, so that a first visit to the planner is 48 kB smaller.
/// With 34 more GPUs, the planner's frame and picture, and eight more questions it has 1,589.4, and 1,605.3 with lists that filter, in two programs, each kept as a script too, and 12 more models.
/// Since snapshots are compared with the estimate, the third program has 8 more, and the minute of a server, script and program in one file that comes with its figure, has 29.
/// With the levers of that minute as components, and one sequence over eight GPUs, it has 1,598.0, and 1,638.9 with training that generates in the planner.
/// The planner's styles, which its frame has as a file, are in its page too, and three programs read Kimi Linear: 1,656. The tutorial's program
/// in two parts, each packed by itself, is 5 kB more; training in fp8, which three programs know, and the rest bring it to 1,680.
/// Its second part in five files, sentences about machines and runs, tables of rotations and kernels' paddings bring it to 1,711.
pub(crate) const KEPT_BUDGET: u64 = 1_716_000;
