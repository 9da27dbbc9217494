//! What a plan typically takes, where runs like it were measured.

use memory_wall_core::roofline::Pass;
use memory_wall_core::roofline::efficiency::{Runtime, Typical as Share, like};
use memory_wall_core::roofline::latency::{Counting, estimate};
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::units::Seconds;
use memory_wall_core::{Checked, Engine};

/// A typical time, and the program whose runs it is from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Typical {
    /// The time.
    pub time: Seconds,
    /// The program.
    pub runtime: Runtime,
    /// How many of its runs were measured.
    pub runs: u32,
}

/// Typical times of serving; each only where runs back it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Typicals {
    /// Time to the first token (TTFT).
    pub ttft: Option<Typical>,
    /// Time for each further token (TPOT).
    pub tpot: Option<Typical>,
}

impl Typicals {
    /// Those of a scenario: of llama.cpp's own runs where it serves, and where no program is named those of the program with the most runs.
    /// Nothing for other programs, of which no run was measured in these figures, nor for a GPU of the reader's own.
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::{Engine, Scenario, WeightFormat, tables::{gpus, models}};
    /// use memory_wall_plan::typical::Typicals;
    /// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
    /// (scenario.weights, scenario.serving.engine) = (WeightFormat::Q4Zero, Engine::LlamaCpp);
    /// let gpu = gpus::by_id("rtx4090").unwrap();
    /// assert_eq!(Typicals::of(&scenario.check().unwrap(), gpu).tpot.unwrap().runs, 6);
    /// scenario.weights = WeightFormat::Q6K;
    /// assert_eq!(Typicals::of(&scenario.check().unwrap(), gpu), Typicals::default());
    /// ```
    pub fn of(scenario: &Checked, gpu: &Gpu) -> Self {
        let named = matches!(scenario.serving.engine, Engine::Exact | Engine::LlamaCpp);
        if !named || gpu.is_own() {
            return Self::default();
        }
        let typical = |scenario: &Checked, pass: Pass| {
            let row: &Share = like(scenario, gpu, pass).max_by_key(|row| row.runs)?;
            let time = row.seconds(estimate(scenario, gpu, pass, Counting::of(scenario)).lower);
            Some(Typical { time, runtime: row.runtime, runs: row.runs })
        };
        Self { ttft: typical(&scenario.with_batch(1), Pass::Prefill), tpot: typical(scenario, Pass::Decode) }
    }
}
