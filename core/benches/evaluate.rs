//! How long one evaluation takes: the page runs one for each step of a slider. Prints `name<TAB>value<TAB>unit<TAB>bound` a line.

use std::hint::black_box;
use std::time::{Duration, Instant};

use memory_wall_core::roofline::Pass;
use memory_wall_core::roofline::latency::{Counting, estimate};
use memory_wall_core::tables::gpus::{self, GPUS};
use memory_wall_core::tables::models::{self, MODELS};
use memory_wall_core::{
    Attention, Bytes, Checked, Checkpointing, Engine, Mode, Parallelism, Scenario, advise, evaluate, solve,
};

/// Where this runs: the same program is measured natively and as WebAssembly.
const PLACE: &str = if cfg!(target_arch = "wasm32") { "wasm" } else { "native" };
/// Microseconds that one evaluation may take.
const BOUND: f64 = if cfg!(target_arch = "wasm32") { 100.0 } else { 20.0 };
/// Milliseconds that the search for the best combination may take.
const SEARCH_BOUND: f64 = if cfg!(target_arch = "wasm32") { 20.0 } else { 5.0 };
/// Evaluations in one batch, long enough for the clock's grain.
const BATCH: u32 = 200;
/// Batches, of whose durations the median counts: a pause of the machine falls into few of them.
const BATCHES: usize = 1_001;

fn main() -> Result<(), &'static str> {
    let scenario = |model, gpu| {
        let gpu = gpus::by_id(gpu).ok_or("no such card")?;
        let model = models::by_id(model).ok_or("no such model")?;
        Ok(Scenario { gpu: Some(gpu), ..Scenario::new(model.architecture) })
    };
    let served = |mut scenario: Scenario| {
        scenario.serving.engine = Engine::Vllm;
        scenario.gpu.map_or(scenario, |gpu| scenario.on(gpu))
    };
    let training = |scenario| Scenario { mode: Mode::Training, ..scenario };
    let recomputing =
        |scenario| Scenario { checkpointing: Checkpointing::Full, attention: Attention::Eager, ..training(scenario) };
    // Where a step fits on its GPU, the two inverse questions are searched for; the last one fits on none.
    for (name, scenario) in [
        ("evaluate: inference, llama-2-7b, a100-80-sxm", scenario("llama-2-7b", "a100-80-sxm")?),
        // Its longest request is searched for by whole starts.
        ("evaluate: served by vLLM, llama-3.1-70b, b200", served(scenario("llama-3.1-70b", "b200")?)),
        ("evaluate: training, llama-2-7b, mi355x", training(scenario("llama-2-7b", "mi355x")?)),
        (
            "evaluate: checkpointed eager training, llama-3.1-8b, mi355x",
            recomputing(scenario("llama-3.1-8b", "mi355x")?),
        ),
        (
            "evaluate: checkpointed eager training, llama-3.1-405b",
            recomputing(scenario("llama-3.1-405b", "a100-80-sxm")?),
        ),
    ] {
        println!("{PLACE} {name}\t{:.2}\tµs\t{BOUND}", microseconds(&legal(&scenario)?, BATCHES, BATCH));
    }
    let mut slowest = ("", "", 0.0f64);
    for model in MODELS {
        for gpu in GPUS {
            let start = Scenario { gpu: Some(gpu), ..Scenario::new(model.architecture) };
            for scenario in
                [start, Scenario { attention: Attention::Eager, ..start }, training(start), recomputing(start)]
            {
                let time = microseconds(&legal(&scenario)?, 15, 5);
                if time > slowest.2 {
                    slowest = (model.id, gpu.id, time);
                }
            }
        }
    }
    println!("slowest: {} on {}", slowest.0, slowest.1);
    println!("{PLACE} evaluate: slowest of all models, cards and modes\t{:.2}\tµs\t{BOUND}", slowest.2);
    // What the roofline asks for at each step of a lever.
    let deepseek = Scenario { batch: 64, ..scenario("deepseek-v3", "h200-sxm")? };
    for (name, scenario, pass) in [
        ("decoding, llama-3.1-8b", scenario("llama-3.1-8b", "h100-sxm")?, Pass::Decode),
        ("prefill, deepseek-v3", deepseek, Pass::Prefill),
        ("training step, llama-3.1-8b", training(scenario("llama-3.1-8b", "h100-sxm")?), Pass::Training),
    ] {
        let scenario = legal(&scenario)?;
        let gpu = scenario.gpu.ok_or("no card")?;
        let time = median(BATCHES, BATCH, || estimate(black_box(&scenario), gpu, pass, Counting::of(&scenario)));
        println!("{PLACE} roofline: {name}\t{time:.2}\tµs\t{BOUND}");
    }
    // The whole search: a run whose micro-batch can be halved often, over sharded ranks, that fits by nothing but the slowest fixes.
    let mut large = training(scenario("llama-3.1-70b", "h100-sxm")?);
    (large.batch, large.seq_length) = (256, 8_192);
    large.parallel = Parallelism { dp: 64, ..Parallelism::ONE };
    let large = legal(&large)?;
    let search = median(15, 1, || advise::gentlest(black_box(&large)));
    println!("{PLACE} advise: search over all combinations\t{:.2}\tms\t{SEARCH_BOUND}", search / 1e3);
    let serving = legal(&Scenario { seq_length: 1_000_000, ..scenario("llama-3.1-70b", "h100-sxm")? })?;
    let search = median(15, 1, || advise::gentlest(black_box(&serving)));
    println!("{PLACE} advise: search in inference\t{:.2}\tms\t{SEARCH_BOUND}", search / 1e3);
    let cluster = median(15, 1, || solve::fewest_gpus(black_box(&large), Bytes(85_020_639_232), false));
    // Thousands of cuts; nobody drags a slider through this one.
    println!("{PLACE} solve: fewest cards\t{:.2}\tms\t-", cluster / 1e3);
    Ok(())
}

fn legal(scenario: &Scenario) -> Result<Checked, &'static str> {
    scenario.check().map_err(|_| "an illegal scenario")
}

/// The median time of one evaluation, in microseconds.
fn microseconds(scenario: &Checked, batches: usize, batch: u32) -> f64 {
    median(batches, batch, || evaluate(black_box(scenario)))
}

/// The median time of one call, in microseconds.
fn median<T>(batches: usize, batch: u32, mut call: impl FnMut() -> T) -> f64 {
    let mut times: Vec<Duration> = (0..batches)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..batch {
                black_box(call());
            }
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    let median = times.get(batches / 2).copied().unwrap_or_default();
    median.as_secs_f64() * 1e6 / f64::from(batch)
}
