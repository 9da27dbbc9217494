//! A row of `vllm_starts.csv` as a run of the engine: one start-up log of a server, whose model and GPU the engine's tables have.

use memory_wall_core::engines::vllm::Run;
use memory_wall_core::serving::{Serving, Speculation, Version};
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::units::GIB;
use memory_wall_core::{Bytes, Checked, Engine, KvPrecision, Scenario, WeightFormat};

use super::reading::check;
use super::vllm_run::{bytes_of, bytes_of_gib};
use crate::csv;

/// A start, read.
#[derive(Clone, Debug)]
pub(super) struct Start {
    /// What was started.
    pub(super) scenario: Checked,
    /// What vLLM saw of the GPU; `None` where the log names none.
    pub(super) total: Option<Bytes>,
    /// The share of it that was asked for.
    share: f64,
    /// Parameters beside the text model: a vision tower. 0 is a start without it.
    other_parameters: u64,
    /// Whether the log says that `FlashInfer`'s sampler runs.
    flashinfer: bool,
}

impl Start {
    /// The run.
    pub(super) fn run(&self) -> Run<'_> {
        Run { other_parameters: self.other_parameters, flashinfer: self.flashinfer, ..Run::of(&self.scenario) }
    }

    /// What the share is; `None` where the log names no GPU.
    pub(super) fn requested(&self) -> Option<Bytes> {
        Some(Bytes(bytes_of(self.total?.0 as f64 * self.share, f64::ceil)))
    }
}

/// Reads a row, or says what it lacks.
pub(super) fn read(row: csv::Row<'_>) -> Result<Start, String> {
    let of = |column: &str| row.text(column);
    let id = of("model");
    let model = models::by_id(id).ok_or_else(|| format!("the table of models has no {id:?}"))?;
    let version = Version::read(of("version")).ok_or_else(|| format!("version {:?} is none", of("version")))?;
    let gpu = match of("gpu") {
        "" => None,
        id => Some(gpus::by_id(id).ok_or_else(|| format!("the table of GPUs has no {id:?}"))?),
    };
    let logged = if of("total_gib").is_empty() { None } else { Some(bytes_of_gib(row.float("total_gib")?)) };
    let total = gpu.map(|gpu| logged.unwrap_or(gpu.capacity));
    let mut scenario = Scenario { gpu, ..Scenario::new(model.architecture) };
    let format = |id: &str| WeightFormat::from_id(id).ok_or_else(|| format!("weights {id:?} are no format"));
    scenario.weights = format(of("weights"))?;
    scenario.kv = KvPrecision::from_id(of("kv")).ok_or_else(|| format!("kv {:?} is no format", of("kv")))?;
    scenario.parallel.tp = row.number("tp")?;
    scenario.parallel.pp = row.number("pp")?;
    scenario.parallel.ep = row.number_or("ep", 1)?;
    if !of("context").is_empty() {
        scenario.architecture.trained_context = Some(row.number("context")?);
    }
    scenario.seq_length = row.number("max_model_len")?;
    scenario.serving =
        Serving { engine: Engine::Vllm, version, enforce_eager: row.is_set("eager"), ..Serving::DEFAULT };
    scenario = gpu.map_or(scenario, |gpu| scenario.on(gpu));
    let serving = &mut scenario.serving;
    if !of("max_num_batched_tokens").is_empty() {
        (serving.max_num_batched_tokens, serving.usual_batched_tokens) = (row.number("max_num_batched_tokens")?, false);
    }
    if !of("max_num_seqs").is_empty() {
        (serving.max_num_seqs, serving.usual_seqs) = (row.number("max_num_seqs")?, false);
    }
    if !of("num_speculative_tokens").is_empty() {
        serving.num_speculative_tokens = row.number("num_speculative_tokens")?;
        serving.speculation = Speculation::Mtp;
    }
    if !of("prefix_caching").is_empty() {
        serving.prefix_caching = Some(row.is_set("prefix_caching"));
    }
    // A server of adapters whose log names no rank takes vLLM's default, as the engine does.
    if !of("max_loras").is_empty() {
        serving.max_loras = Some(row.number("max_loras")?);
    }
    let share = if of("utilization").is_empty() { serving.utilization().fraction() } else { row.float("utilization")? };
    let other_parameters = if of("other_parameters").is_empty() { 0 } else { row.whole("other_parameters")? };
    if of("other_parameters") == "0" {
        scenario.architecture.tower = None;
    }
    let flashinfer = of("sampler") == "flashinfer";
    Ok(Start { scenario: check(&scenario)?, total, share, other_parameters, flashinfer })
}

/// GiB of a number of bytes.
pub(super) fn gib(bytes: u128) -> f64 {
    bytes as f64 / GIB as f64
}
