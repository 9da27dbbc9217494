//! What the engine says to a plan, as values without words: memory, speed, money.
//!
//! Nothing is computed here that the core does not compute; this is which of its answers belong to a plan, and under which conditions.

use memory_wall_core::engines::vllm::{self, Start};
use memory_wall_core::roofline::Pass;
use memory_wall_core::roofline::latency::{Counting, estimate};
use memory_wall_core::spending::{Service, board_watts, energy, price_per_million, service};
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::units::Seconds;
use memory_wall_core::{Checked, Engine, Evaluation, Verdict, evaluate};

use crate::typical::Typicals;

/// Tokens that a price is said for.
const MILLION: f64 = 1e6;
/// Seconds of an hour.
const HOUR: f64 = 3_600.0;

/// What is asked of a plan beside its options: what a GPU costs, and how much is trained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spending {
    /// What a GPU costs for an hour, in thousandths of the reader's currency.
    pub price: Option<u64>,
    /// Tokens that are trained on.
    pub tokens: Option<u64>,
}

impl Spending {
    /// What a GPU costs for an hour.
    pub(crate) fn price_per_hour(self) -> Option<f64> {
        self.price.map(|thousandths| thousandths as f64 / 1e3)
    }
}

/// What the engine says to a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Answers {
    /// The run.
    pub scenario: Checked,
    /// Its memory: buckets and sum of the fullest GPU, and that against the GPU.
    pub evaluation: Evaluation,
    /// GPUs in all.
    pub gpus: u64,
    /// How vLLM starts; nothing of another runtime, or without a GPU.
    pub start: Option<Start>,
    /// How fast it serves; nothing in training, without a GPU, or where not one request fits.
    pub served: Option<Served>,
    /// How fast it trains; the same.
    pub trained: Option<Trained>,
}

/// How fast a plan serves. Ranges, the better end first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Served {
    /// Requests that run at once on each data-parallel rank.
    pub batch: u32,
    /// Times of one rank, and its rates.
    pub service: Service,
    /// What runs like it typically took, where some were measured.
    pub typical: Typicals,
    /// Tokens a second that one request writes.
    pub per_user: [f64; 2],
    /// Tokens a second that all ranks write together.
    pub in_all: [f64; 2],
    /// What a million written tokens cost, where a price is known.
    pub per_million: Option<[f64; 2]>,
    /// Watt-hours that a million written tokens take, least first, where the GPU's power is known.
    pub energy_per_million: Option<[f64; 2]>,
}

/// How fast a plan trains. Ranges, the better end first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trained {
    /// The time of one step.
    pub step: [Seconds; 2],
    /// Tokens a second that all ranks learn from together.
    pub rate: [f64; 2],
    /// Model FLOPs utilisation (MFU): the share of the GPUs' peak rate.
    pub mfu: [f64; 2],
    /// The run as a whole, where it is said how many tokens it has.
    pub run: Option<Run>,
}

/// A training run. Ranges, the better end first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Tokens that are trained on.
    pub tokens: u64,
    /// How long it takes.
    pub seconds: [f64; 2],
    /// Hours of all GPUs together.
    pub gpu_hours: [f64; 2],
    /// What they cost, where a price is known.
    pub price: Option<[f64; 2]>,
    /// Watt-hours, where the GPU's power is known.
    pub energy: Option<[f64; 2]>,
}

impl Answers {
    /// What the engine says to a run.
    ///
    /// # Example
    /// ```
    /// use memory_wall_plan::answers::{Answers, Spending};
    /// use memory_wall_plan::file;
    /// let text = r#"{ "version": 1, "model": "llama-3.1-8b", "gpu": "h100-sxm", "engine": "vllm", "seq": 8192, "batch": 16 }"#;
    /// let scenario = file::read(text).unwrap()[0].scenario().unwrap().check().unwrap();
    /// let answers = Answers::to(scenario, Spending { price: Some(2_000), tokens: None });
    /// assert!(answers.verdict().unwrap().holds());
    /// let served = answers.served.unwrap();
    /// assert!(served.in_all[0] > served.in_all[1] && served.per_million.unwrap()[0] < 1.0);
    /// ```
    pub fn to(scenario: Checked, spending: Spending) -> Self {
        let evaluation = evaluate(&scenario);
        let vllm = scenario.runtime() == Some(Engine::Vllm);
        // Where the pool is smallest it is decided how many run.
        let rank = scenario.at_stage(evaluation.stage);
        let start = scenario.capacity().filter(|_| vllm).map(|capacity| vllm::start(&rank, capacity));
        let gpus = scenario.parallel.ranks();
        let mut answers = Self { scenario, evaluation, gpus, start, served: None, trained: None };
        if let (Some(gpu), Some(batch)) = (scenario.gpu, answers.running()) {
            answers.served = Served::of(&scenario.with_batch(batch), gpu, spending);
            answers.trained = Trained::of(&scenario, gpu, spending);
        }
        answers
    }

    /// Whether it fits; nothing without a GPU.
    pub fn verdict(&self) -> Option<Verdict> {
        self.evaluation.fit.map(|fit| fit.verdict)
    }

    /// The longest context, 0 where none fits; nothing without a GPU.
    pub fn longest(&self) -> Option<u32> {
        self.evaluation.fit.map(|fit| fit.longest(&self.scenario))
    }

    /// Most sequences at once on all data-parallel ranks together, 0 where none fits; nothing without a GPU.
    pub fn most_sequences(&self) -> Option<u64> {
        let ranks = u64::from(self.scenario.parallel.dp);
        self.evaluation.fit.map(|fit| u64::from(fit.max_batch) * ranks)
    }

    /// Sequences of one rank that run at once: those that are asked for, or as many as a server's pool holds; nothing where none runs.
    fn running(&self) -> Option<u32> {
        match self.verdict()? {
            Verdict::Fits | Verdict::Tight => Some(self.scenario.batch),
            Verdict::Queues => self.start.map(|start| start.requests.running).filter(|running| *running > 0),
            Verdict::DoesNotFit => None,
        }
    }
}

impl Served {
    fn of(scenario: &Checked, gpu: &Gpu, spending: Spending) -> Option<Self> {
        let service = service(scenario, gpu)?;
        let (ranks, gpus) = (f64::from(scenario.parallel.dp), scenario.parallel.ranks());
        let in_all = service.written.map(|rate| rate * ranks);
        let hours = in_all.map(|rate| MILLION / rate / HOUR * gpus as f64);
        Some(Self {
            batch: scenario.batch,
            service,
            typical: Typicals::of(scenario, gpu),
            per_user: service.tpot.map(|time| 1.0 / time.0),
            in_all,
            per_million: spending.price_per_hour().map(|price| in_all.map(|rate| price_per_million(rate, gpus, price))),
            energy_per_million: board_watts(gpu).map(|watts| energy(hours, watts)),
        })
    }
}

impl Trained {
    fn of(scenario: &Checked, gpu: &Gpu, spending: Spending) -> Option<Self> {
        if !scenario.mode.trains() || scenario.untimed().is_some() {
            return None;
        }
        let time = estimate(scenario, gpu, Pass::Training, Counting::of(scenario));
        let speed = time.speed(scenario, gpu);
        let gpus = scenario.parallel.ranks();
        let best_first = |[worst, best]: [f64; 2]| [best, worst];
        let rate = best_first(speed.per_gpu).map(|rate| rate * gpus as f64);
        let run = spending.tokens.map(|tokens| {
            let seconds = rate.map(|rate| tokens as f64 / rate);
            let gpu_hours = seconds.map(|seconds| seconds / HOUR * gpus as f64);
            Run {
                tokens,
                seconds,
                gpu_hours,
                price: spending.price_per_hour().map(|price| gpu_hours.map(|hours| hours * price)),
                energy: board_watts(gpu).map(|watts| energy(gpu_hours, watts)),
            }
        });
        Some(Self { step: [time.lower, time.upper], rate, mfu: best_first(speed.mfu), run })
    }
}
