//! Where each layer is, and what each device holds.

use alloc::vec::Vec;

use memory_wall_core::engines::llamacpp::{LEAST_CONTEXT, always_copies, larger_than_vulkan_lends, may_copy};
use memory_wall_core::engines::system;
use memory_wall_core::memory::overhead::TIGHT_PERCENT;
use memory_wall_core::tables::classes::Class;
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::units::GIB;
use memory_wall_core::{Attention, Bytes, Checked, Engine, Verdict};

use super::cache::Cached;
use super::compute::{Left, Moments};
use super::layers::Model;
use super::{Order, Refused, Settings};
use crate::Span;

/// What a process takes of a GPU before its first tensor.
///
/// # Source
/// 0.51 GiB in public logs of H100 (`engines::CONTEXT`); on GPUs of desktops llama.cpp's own table of memory leaves 0.2 to 0.6 GiB beside its buffers.
const CONTEXT: Span = Span::new(LEAST_CONTEXT, GIB * 6 / 10);

/// A GPU and what is on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Device {
    /// The GPU.
    pub gpu: &'static Gpu,
    /// Layers, the output layer not counted.
    pub layers: u32,
    /// Whether the output layer is here.
    pub output: bool,
    /// The model buffer.
    pub weights: u128,
    /// Of that, routed experts.
    pub experts: u128,
    /// The KV buffer.
    pub cache: u128,
    /// States in place of a cache.
    pub states: u128,
    /// The 16-bit copies that flash attention may make of one layer's cache, a part of the compute buffer.
    pub copies: u128,
    /// The compute buffer.
    pub compute: Span,
    /// What the process takes beside its buffers.
    pub context: Span,
    /// What of the GPU's memory is for it: all but what the system holds, and, where CPU and GPU share it, what is in host memory.
    pub room: u128,
    /// Whether CPU and GPU share it.
    pub shares: bool,
    /// Whether that is what a newer macOS lends it, since an older one lends too little.
    pub newer: bool,
}

impl Device {
    /// All of it.
    pub fn total(&self) -> Span {
        Span::exactly(self.weights + self.cache + self.states) + self.compute + self.context
    }

    /// Whether it goes on the GPU: it doesn't where its least is more than the GPU has for it, and is tight where its most leaves less than a tenth,
    /// where only a newer macOS lends it enough, or where Vulkan may not lend it its compute buffer.
    pub fn verdict(&self) -> Verdict {
        let verdict = judge(self.total(), self.room);
        if self.newer || self.beyond_vulkan() { verdict.worse(Verdict::Tight) } else { verdict }
    }

    /// Whether its compute buffer may be larger than what Vulkan lends at once, on a GPU that many run with Vulkan.
    pub fn beyond_vulkan(&self) -> bool {
        larger_than_vulkan_lends(self.gpu, Bytes(self.compute.high))
    }

    /// Whether there is anything on it.
    pub fn is_used(&self) -> bool {
        self.layers > 0 || self.output
    }
}

fn judge(total: Span, capacity: u128) -> Verdict {
    if total.low > capacity {
        Verdict::DoesNotFit
    } else if total.high > capacity || (capacity - total.high) * 100 < capacity * TIGHT_PERCENT {
        Verdict::Tight
    } else {
        Verdict::Fits
    }
}

/// What is in host memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// Layers that the CPU computes, the output layer not counted.
    pub layers: u32,
    /// Weights, which are mapped from the file: without memory for them each token reads the drive.
    pub weights: u128,
    /// Of that, routed experts.
    pub experts: u128,
    /// Of that, the token table and learned positions, of which a token reads one row.
    pub input: u128,
    /// Keys and values.
    pub cache: u128,
    /// States in place of a cache.
    pub states: u128,
    /// Compute buffers.
    pub compute: Span,
    /// Logits of the last tokens.
    pub output: u128,
}

impl Host {
    /// All of it.
    pub fn total(&self) -> Span {
        Span::exactly(self.weights + self.cache + self.states + self.output) + self.compute
    }
}

/// Where everything is.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// Layers on GPUs, the output layer counted as one.
    pub on_gpus: u32,
    /// All that could be, the output layer counted as one.
    pub all: u32,
    /// Layers whose routed experts are in host memory though the layer isn't.
    pub cpu_moe: u32,
    /// The GPUs in their order.
    pub devices: Vec<Device>,
    /// The computer.
    pub host: Host,
    /// Whether the computer has as much memory; nothing where that isn't said.
    pub host_verdict: Option<Verdict>,
}

impl Placement {
    /// The worst of all devices.
    pub fn verdict(&self) -> Verdict {
        let worst = self.devices.iter().map(Device::verdict).fold(Verdict::Fits, Verdict::worse);
        self.host_verdict.map_or(worst, |host| worst.worse(host))
    }

    /// The GPU with the least left.
    pub fn fullest(&self) -> Option<&Device> {
        let left = |device: &Device| Bytes(device.room).minus(device.total().ends()[1]).0;
        self.devices.iter().min_by_key(|device| left(device))
    }
}

/// Places a model's layers as llama.cpp does.
///
/// # Formula
/// With L layers and `-ngl` n, layer i of 0..=L (the last is the output layer) is on a GPU from i = max(L + 1 − n, 0) on, in builds before December 2025 from
/// max(L − n, 0) on for n layers. Of those on GPUs the share that stands before a layer decides which GPU has it: the first whose running sum of shares is larger.
/// The token table is always in host memory. A layer's cache is where the layer is.
///
/// # Errors
/// What llama.cpp refuses, and what isn't modelled.
///
/// # Source
/// `load_tensors` in `llama-model.cpp`; pull request 18148 for the order.
pub fn place(scenario: &Checked, settings: &Settings) -> Result<Placement, Refused> {
    let gpus = gpus(scenario, settings)?;
    let model = Model::of(scenario).map_err(Refused::Layers)?;
    Ok(Layout { scenario, settings, gpus: &gpus, model: &model }.placement())
}

/// The GPUs, where llama.cpp goes with the scenario.
fn gpus(scenario: &Checked, settings: &Settings) -> Result<Vec<&'static Gpu>, Refused> {
    if scenario.runtime() != Some(Engine::LlamaCpp) {
        return Err(Refused::NotServed);
    }
    let cut = scenario.parallel;
    if [cut.tp, cut.pp, cut.dp, cut.ep, cut.cp].iter().any(|ranks| *ranks != 1) {
        return Err(Refused::Ranks);
    }
    let gpus: Vec<&'static Gpu> =
        if settings.gpus.is_empty() { scenario.gpu.into_iter().collect() } else { settings.gpus.clone() };
    if gpus.is_empty() {
        return Err(Refused::NoGpu);
    }
    let shares = settings.tensor_split.len();
    if shares > 0 && shares != gpus.len() {
        return Err(Refused::Shares { shares, gpus: gpus.len() });
    }
    if shares > 0 && settings.tensor_split.iter().all(|share| *share == 0) {
        return Err(Refused::NoShare);
    }
    if settings.cpu_moe > 0 && scenario.architecture.moe.is_none() {
        return Err(Refused::NoExperts);
    }
    if let Some(packed) = settings.cache_v.filter(|it| it.is_packed() && scenario.attention == Attention::Eager) {
        return Err(Refused::PackedValues(packed));
    }
    let left = settings.gpu_layers <= scenario.architecture.layers || settings.cpu_moe > 0 || settings.cache_on_host;
    match gpus.iter().find(|gpu| gpu.class() == Class::Unified) {
        Some(gpu) if left => Err(Refused::SharedMemory(gpu.name)),
        _ => Ok(gpus),
    }
}

/// A device by its place in the list of GPUs; `None` is the computer.
type Place = Option<usize>;

pub(super) struct Layout<'a> {
    pub(super) scenario: &'a Checked,
    pub(super) settings: &'a Settings,
    pub(super) gpus: &'a [&'static Gpu],
    pub(super) model: &'a Model,
}

impl Layout<'_> {
    /// Running sums of the GPUs' shares, as llama.cpp has them.
    fn splits(&self) -> Vec<f32> {
        let shares = (0..self.gpus.len()).map(|at| match self.settings.tensor_split.get(at) {
            Some(share) => *share as f32,
            None => self.gpus.get(at).map_or(0.0, |gpu| gpu.capacity.0 as f32),
        });
        let mut sum = 0.0;
        let mut sums: Vec<f32> = shares
            .map(|share| {
                sum += share;
                sum
            })
            .collect();
        for part in &mut sums {
            *part /= sum;
        }
        sums
    }

    /// Where a layer is; the output layer is the one behind the last.
    fn place(&self, layer: u32, splits: &[f32]) -> Place {
        let layers = self.scenario.architecture.layers;
        let told = self.settings.gpu_layers.min(layers + 1);
        let first = match self.settings.order {
            Order::OutputFirst => layers + 1 - told,
            Order::OutputLast => layers.saturating_sub(told),
        };
        let at = layer.checked_sub(first).filter(|at| *at < told)?;
        let share = at as f32 / told as f32;
        Some(splits.iter().position(|sum| *sum > share).unwrap_or(splits.len().saturating_sub(1)))
    }

    pub(super) fn placement(&self) -> Placement {
        let layers = self.scenario.architecture.layers;
        let splits = self.splits();
        let blank = |gpu: &&'static Gpu| Device {
            gpu,
            layers: 0,
            output: false,
            weights: 0,
            experts: 0,
            cache: 0,
            states: 0,
            copies: 0,
            compute: Span::default(),
            context: CONTEXT,
            room: gpu.capacity.0,
            shares: system::usual(gpu).is_some(),
            newer: false,
        };
        let mut devices: Vec<Device> = self.gpus.iter().map(blank).collect();
        let mut host = Host { weights: self.model.input, input: self.model.input, ..Host::default() };
        let (mut left, mut cpu_moe) = (Left::default(), 0);
        for ((at, layer), rank) in (0..layers).zip(&self.model.layers).zip(&self.model.ranks) {
            let cached = Cached::of(rank, self.settings);
            let place = self.place(at, &splits);
            let mut experts = layer.experts;
            let of_those = if self.settings.last_moe { layers - 1 - at } else { at };
            if place.is_some() && of_those < self.settings.cpu_moe && experts > 0 {
                host.weights += experts;
                host.experts += experts;
                experts = 0;
                left.tensor = left.tensor.max(layer.largest_expert);
                cpu_moe += 1;
            }
            let device = place.and_then(|place| devices.get_mut(place));
            if device.is_none() {
                host.layers += 1;
                host.weights += layer.dense + experts;
                host.experts += experts;
                left.tensor = left.tensor.max(layer.largest_dense).max(layer.largest_expert);
            }
            let on_host = device.is_none() || self.settings.cache_on_host;
            if on_host {
                host.cache += cached.cache;
                host.states += cached.state;
            }
            if let Some(device) = device {
                device.layers += 1;
                device.weights += layer.dense + experts;
                device.experts += experts;
                if !on_host {
                    device.cache += cached.cache;
                    device.states += cached.state;
                    device.copies = device.copies.max(cached.copies);
                }
            }
        }
        let head = self.model.head + self.model.norm;
        if let Some(device) = self.place(layers, &splits).and_then(|place| devices.get_mut(place)) {
            device.output = true;
            device.weights += head;
        } else {
            // A table that is the head too is in host memory once.
            host.weights += if self.scenario.ties() { self.model.norm } else { head };
            left.head = self.model.head;
        }
        let moments = Moments::of(self.model, self.scenario, self.settings);
        let several = devices.iter().filter(|device| device.is_used()).count() > 1;
        for (at, device) in devices.iter_mut().enumerate() {
            let left = if at == 0 { left } else { Left::default() };
            if device.is_used() {
                let copies = |does: fn(&Gpu) -> bool| if does(device.gpu) { device.copies } else { 0 };
                let cached = Span::new(copies(always_copies), copies(may_copy));
                device.compute = moments.gpu(left, device.output, several, cached);
            }
        }
        host.compute = moments.host(host.layers > 0);
        host.output = 4 * u128::from(self.scenario.batch) * u128::from(self.scenario.architecture.vocab_size);
        // Where the host's memory is the GPU's, it counts once, beside what the system holds.
        let stated = self.settings.gpus.is_empty();
        for device in &mut devices {
            let others = if stated { system::held(self.scenario) } else { system::usual(device.gpu) };
            let capacity = self.scenario.capacity().filter(|_| stated).unwrap_or(device.gpu.capacity);
            let beside = if device.shares { host.total().high } else { 0 };
            device.room = capacity.0.saturating_sub(others.map_or(0, |span| span.typical) + beside);
            let more = if stated { self.scenario.newer_lends() } else { device.gpu.newer_lends() };
            let least = device.total().low;
            if let Some(newer) = more.filter(|newer| (device.room + 1..=newer.0).contains(&least)) {
                (device.room, device.newer) = (newer.0, true);
            }
        }
        let own = self.settings.host_memory.filter(|_| !devices.iter().any(|device| device.shares));
        let host_verdict = own.map(|memory| judge(host.total(), memory.0));
        let on_gpus = devices.iter().map(|device| device.layers + u32::from(device.output)).sum();
        Placement { on_gpus, all: layers + 1, cpu_moe, devices, host, host_verdict }
    }

    /// The same with other settings.
    pub(super) fn with(&self, settings: &Settings) -> Placement {
        Layout { scenario: self.scenario, settings, gpus: self.gpus, model: self.model }.placement()
    }
}

/// Whether leaving something to the CPU can free memory of the GPUs.
pub(super) fn frees(scenario: &Checked, settings: &Settings) -> bool {
    let unified = |gpu: &&'static Gpu| gpu.class() == Class::Unified;
    let own: &[&'static Gpu] = scenario.gpu.as_slice();
    !(if settings.gpus.is_empty() { own } else { &settings.gpus }).iter().any(unified)
}

/// Tries placements of one model with several settings.
pub(super) fn over<T>(
    scenario: &Checked,
    settings: &Settings,
    ask: impl FnOnce(&dyn Fn(&Settings) -> Placement, u32) -> T,
) -> Result<T, Refused> {
    let gpus = gpus(scenario, settings)?;
    let model = Model::of(scenario).map_err(Refused::Layers)?;
    let layout = Layout { scenario, settings, gpus: &gpus, model: &model };
    Ok(ask(&|settings| layout.with(settings), scenario.architecture.layers))
}
