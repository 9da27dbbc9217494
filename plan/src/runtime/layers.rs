//! llama.cpp with layers on GPUs and in host memory, alone and in Ollama.

use alloc::vec::Vec;

use memory_wall_core::spending::price_per_million;
use memory_wall_core::tables::gpus::{self, Gpu};
use memory_wall_core::units::{ByteRate, GIB};
use memory_wall_core::{Bytes, Checked, Verdict, bisect, bounds};
use memory_wall_runtimes::llamacpp::{self, ALL, CacheType, Placement, Refused, Settings, Speed};
use memory_wall_runtimes::ollama;

use super::Contradiction;
use crate::answers::Spending;
use crate::plan::Plan;
use crate::value::Value;

/// How layers are placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Placing {
    /// What llama.cpp is told.
    pub settings: Settings,
    /// Whether llama.cpp finds how many layers go on the GPU.
    pub fit: bool,
    /// What Ollama is told, where it runs it.
    pub ollama: Option<Ollama>,
}

/// What is said to Ollama of what it else decides by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ollama {
    /// How many tokens pass at once.
    ubatch: bool,
    /// How long a sequence is.
    seq: bool,
}

/// What Ollama makes of a scenario by itself, and what says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark {
    /// Nobody says how long a context is: Ollama takes one by the memory of the GPUs.
    TookContext(u32),
    /// The context is longer than the model was made for, and is cut to that.
    CutContext {
        /// What is taken.
        most: u32,
        /// What was asked for.
        asked: u32,
    },
    /// The model runs one request at a time.
    OneAtATime,
    /// The GPU's memory is the computer's: `host_memory` says nothing.
    SharedMemory,
}

impl Placing {
    /// What a plan tells llama.cpp.
    ///
    /// # Errors
    /// Its options contradict one another.
    pub fn of(plan: &Plan) -> Result<Self, Contradiction> {
        let count = |name| match plan.get(name) {
            Some(Value::Count(count)) => Some(*count),
            _ => None,
        };
        let on = |name| plan.get(name).is_some();
        let (cpu_moe, gpu_layers) = (count("n_cpu_moe"), count("ngl"));
        let told = gpu_layers.is_some() || cpu_moe.is_some() || on("cpu_moe");
        let fit = on("fit") || plan.is_ollama() && !told;
        if fit && told {
            return Err(Contradiction::Fit);
        }
        if cpu_moe.is_some() && on("cpu_moe") {
            return Err(Contradiction::CpuMoe);
        }
        let format = |name| match plan.get(name) {
            Some(Value::Word(id)) => CacheType::from_id(id),
            _ => None,
        };
        let gpus = match plan.get("device") {
            Some(Value::Words(ids)) => ids.iter().filter_map(|id| gpus::by_id(id)).collect(),
            _ => Vec::new(),
        };
        let tensor_split = match plan.get("tensor_split") {
            Some(Value::Counts(shares)) => shares.clone(),
            _ => Vec::new(),
        };
        let settings = Settings {
            gpu_layers: gpu_layers.unwrap_or(ALL),
            cpu_moe: if on("cpu_moe") { ALL } else { cpu_moe.unwrap_or(0) },
            last_moe: false,
            gpus,
            tensor_split,
            ubatch: count("ubatch").unwrap_or(Settings::DEFAULT.ubatch),
            swa_full: on("swa_full"),
            unified: on("kv_unified"),
            cache_k: format("cache_type_k"),
            cache_v: format("cache_type_v"),
            cache_on_host: on("no_kv_offload"),
            order: Settings::DEFAULT.order,
            host_memory: count("host_memory").map(|gib| Bytes(u128::from(gib) * GIB)),
            host_bandwidth: count("host_bandwidth").map(|rate| ByteRate::from_gb_per_s(rate.into())),
        };
        let ollama = plan.is_ollama().then(|| Ollama { ubatch: on("ubatch"), seq: on("seq") });
        Ok(Self { settings, fit, ollama })
    }

    /// The scenario and the settings as they are run: Ollama has its own of both.
    pub fn served(&self, scenario: &Checked) -> (Checked, Settings, Vec<Remark>) {
        let mut remarks = Vec::new();
        let Some(told) = self.ollama else { return (*scenario, self.settings.clone(), remarks) };
        let own: Vec<&'static Gpu> = scenario.gpu.into_iter().collect();
        let gpus = if self.settings.gpus.is_empty() { &own } else { &self.settings.gpus };
        let mut served = *scenario;
        let trained = scenario.architecture.trained_context;
        if !told.seq {
            served = served.with_seq_length(ollama::context(gpus, trained));
            remarks.push(Remark::TookContext(served.seq_length));
        }
        if let Some(most) = trained.filter(|most| *most < served.seq_length) {
            remarks.push(Remark::CutContext { most, asked: served.seq_length });
            served = served.with_seq_length(most);
        }
        if ollama::one_at_a_time(&served) && served.batch > 1 {
            served = served.with_batch(1);
            remarks.push(Remark::OneAtATime);
        }
        let settings = ollama::settings(&served, &self.settings, told.ubatch);
        (served, settings, remarks)
    }

    /// Which layers lie on the GPUs and which in host memory, with the settings that put them there: with `--fit` those that llama.cpp finds.
    ///
    /// # Errors
    /// What llama.cpp refuses, and what isn't modelled.
    pub fn place(&self, scenario: &Checked, settings: &Settings) -> Result<(Settings, Placement), Refused> {
        if self.fit {
            llamacpp::fitted(scenario, settings)
        } else {
            llamacpp::place(scenario, settings).map(|placement| (settings.clone(), placement))
        }
    }
}

/// Where layers are, and how fast that decodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Layers {
    /// The run, as it is served.
    pub scenario: Checked,
    /// What llama.cpp is told, or finds.
    pub settings: Settings,
    /// Where everything is.
    pub placement: Placement,
    /// The time of a step of decoding; nothing where the bandwidth of host memory isn't said and something is left there.
    pub speed: Option<Speed>,
    /// What a million written tokens cost, least first, where it fits and a price is known.
    pub per_million: Option<[f64; 2]>,
    /// What Ollama made of the scenario, and what says nothing.
    pub remarks: Vec<Remark>,
    /// What the plan tells llama.cpp.
    pub placing: Placing,
}

impl Layers {
    /// A scenario with its layers placed.
    ///
    /// # Errors
    /// What llama.cpp refuses, and what isn't modelled.
    pub fn of(placing: &Placing, scenario: &Checked, spending: Spending) -> Result<Self, Refused> {
        let (scenario, told, mut remarks) = placing.served(scenario);
        let (settings, placement) = placing.place(&scenario, &told)?;
        remarks.extend(Self::shared(&placement, &settings));
        let speed = llamacpp::speed(&scenario, &placement, settings.host_bandwidth);
        let mut layers =
            Self { scenario, settings, placement, speed, per_million: None, remarks, placing: placing.clone() };
        layers.per_million = layers
            .written()
            .zip(spending.price_per_hour())
            .map(|([least, most], price)| [most, least].map(|rate| price_per_million(rate, layers.gpus(), price)));
        Ok(layers)
    }

    /// That `host_memory` says nothing where the GPU's memory is the computer's.
    pub fn shared(placement: &Placement, settings: &Settings) -> Option<Remark> {
        let shared = placement.devices.iter().any(|device| device.shares);
        (shared && settings.host_memory.is_some()).then_some(Remark::SharedMemory)
    }

    /// GPUs in all.
    pub fn gpus(&self) -> u64 {
        u64::try_from(self.placement.devices.len()).unwrap_or(u64::MAX)
    }

    /// Tokens that all sequences together write in a second, fewest first, where it fits.
    pub fn written(&self) -> Option<[f64; 2]> {
        let speed = self.speed.filter(|_| self.placement.verdict().holds())?;
        Some(speed.tokens_per_second().map(|rate| rate * f64::from(self.scenario.batch)))
    }

    /// Whether so many sequences of such a length fit where their layers are put.
    pub fn verdict(&self, batch: u32, seq_length: u32) -> Option<Verdict> {
        self.with(batch, seq_length).map(|placement| placement.verdict())
    }

    /// Where the layers are with so many sequences of such a length.
    pub fn with(&self, batch: u32, seq_length: u32) -> Option<Placement> {
        let ollama = self.placing.ollama.map(|told| Ollama { seq: true, ..told });
        let placing = Placing { ollama, ..self.placing.clone() };
        let (scenario, settings, _) = placing.served(&self.scenario.with_batch(batch).with_seq_length(seq_length));
        placing.place(&scenario, &settings).ok().map(|(_, placement)| placement)
    }

    fn holds(&self, batch: u32, seq_length: u32) -> bool {
        self.verdict(batch, seq_length).is_some_and(Verdict::holds)
    }

    /// Whether something limits what fits: without a word on the computer's memory, layers that are left to it take as much as they need.
    fn is_limited(&self) -> bool {
        !self.placing.fit || self.settings.host_memory.is_some() || self.placement.devices.iter().any(|it| it.shares)
    }

    /// The longest context, 0 where none fits; nothing where nothing limits it.
    pub fn longest(&self) -> Option<u32> {
        let batch = self.scenario.batch;
        let trained = self.scenario.architecture.trained_context.filter(|_| self.placing.ollama.is_some());
        let most = trained.unwrap_or(bounds::SEQ_LENGTH.max).max(self.scenario.seq_length);
        self.is_limited().then(|| bisect::last(0, most + 1, |tokens| self.holds(batch, tokens)))
    }

    /// The most sequences at once, 0 where none fits; nothing where nothing limits them.
    pub fn most_sequences(&self) -> Option<u32> {
        let length = self.scenario.seq_length;
        let most =
            if self.placing.ollama.is_some() && ollama::one_at_a_time(&self.scenario) { 1 } else { bounds::BATCH.max };
        self.is_limited().then(|| bisect::last(0, most + 1, |batch| self.holds(batch, length)))
    }
}
