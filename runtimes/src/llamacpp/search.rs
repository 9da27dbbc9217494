//! How many layers go on the GPU, or how few leave their experts in host memory.

use alloc::vec::Vec;

use memory_wall_core::units::GIB;
use memory_wall_core::{Checked, Verdict, bisect};

use super::placement::{frees, over};
use super::{ALL, Device, Placement, Refused, Settings};

/// A number with its placement, and the next one that doesn't fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The best that fits; nothing where none does.
    pub answer: Option<(u32, Placement)>,
    /// One step further.
    pub next: Option<(u32, Placement)>,
}

/// The most layers on the GPU (`-ngl`) with which everything fits, the output layer counted as one.
///
/// # Errors
/// What [`super::place`] refuses.
pub fn most_gpu_layers(scenario: &Checked, settings: &Settings) -> Result<Found, Refused> {
    over(scenario, settings, |place, layers| {
        let at = |gpu_layers| place(&Settings { gpu_layers, ..settings.clone() });
        let least = if frees(scenario, settings) { 0 } else { layers + 1 };
        first(&mut (least..=layers + 1).rev().map(|count| (count, at(count))), fits)
    })
}

/// The fewest layers, from the first, whose experts stay in host memory (`--n-cpu-moe`) so that everything fits.
///
/// # Errors
/// What [`super::place`] refuses, and models without experts.
pub fn fewest_cpu_moe(scenario: &Checked, settings: &Settings) -> Result<Found, Refused> {
    let mixture = Settings { cpu_moe: 1, ..settings.clone() };
    over(scenario, &mixture, |place, layers| {
        let at = |cpu_moe| place(&Settings { cpu_moe, ..settings.clone() });
        first(&mut (0..=layers).map(|count| (count, at(count))), fits)
    })
}

/// What `--fit` makes of a scenario: everything on the GPU where that leaves a GiB; else, of a mixture, the experts of as few layers as possible in host memory;
/// else as many layers as leave that. Where CPU and GPU share their memory, all of it goes on the GPU.
///
/// Several GPUs that do not each leave a GiB with shares by their memory are filled from the last to the first: each takes as many layers as leave it 1 GiB, at first without experts; these then go to the
/// first layers, on the first GPU and then the next, which takes layers over from those behind. Where shares were told, everything goes on the GPUs as they say.
///
/// # Assumes
/// The context stays as it is: llama.cpp shortens one that nobody asked for, first of all. Parts of the experts of one layer more, which it also tries, stay in host memory. Of several GPUs, experts come back only where all layers are on them; llama.cpp brings
/// some back also where a layer is left on the CPU, if all layers without experts would fit into the GPUs' memory together: host memory is overestimated by them then, the GPUs' underestimated, each of which keeps its GiB.
///
/// # Source
/// `common/fit.cpp` of ggml-org/llama.cpp (`--fit on`, `--fit-target` 1,024 MiB for each GPU), at 08033df. Read 2026-11-27.
pub fn fitted(scenario: &Checked, settings: &Settings) -> Result<(Settings, Placement), Refused> {
    let whole = Settings { gpu_layers: ALL, cpu_moe: 0, ..settings.clone() };
    if !frees(scenario, settings) || settings.gpus.len() > 1 && !settings.tensor_split.is_empty() {
        return over(scenario, &whole, |place, _| (whole.clone(), place(&whole)));
    }
    let mixture = scenario.architecture.moe.is_some();
    let probe = Settings { gpu_layers: 0, ..settings.clone() };
    over(scenario, &probe, |place, layers| {
        if settings.gpus.len() > 1 {
            let all = place(&whole);
            if all.devices.iter().all(leaves) {
                return (whole.clone(), all);
            }
            return filled(settings, layers, mixture, place);
        }
        let experts = if mixture { layers } else { 0 };
        let by_experts = (0..=experts).map(|cpu_moe| Settings { gpu_layers: ALL, cpu_moe, ..settings.clone() });
        let cpu_moe = if mixture { ALL } else { 0 };
        let by_layers = (0..=layers).rev().map(|gpu_layers| Settings { gpu_layers, cpu_moe, ..settings.clone() });
        let mut tried = by_experts.chain(by_layers).map(|settings| {
            let placement = place(&settings);
            (settings, placement)
        });
        let last = Settings { gpu_layers: 0, ..settings.clone() };
        tried.find(|(_, placement)| placement.devices.iter().all(leaves)).unwrap_or_else(|| {
            let placement = place(&last);
            (last, placement)
        })
    })
}

/// Whether a GPU keeps a GiB beside what is on it.
fn leaves(device: &Device) -> bool {
    let used = device.weights + device.cache + device.states + device.compute.high + device.context.low;
    !device.is_used() || used + GIB <= device.room
}

/// Several GPUs filled one by one. Of each GPU's layers the last may be without their experts, so that these are the last of all.
fn filled(
    settings: &Settings,
    layers: u32,
    mixture: bool,
    place: &dyn Fn(&Settings) -> Placement,
) -> (Settings, Placement) {
    let gpus = settings.gpus.len();
    let with = |counts: &[u32], bare: u32| Settings {
        gpu_layers: counts.iter().sum(),
        tensor_split: counts.to_vec(),
        cpu_moe: bare,
        last_moe: true,
        ..settings.clone()
    };
    let holds = |at: usize, counts: &[u32], bare: u32| {
        let placement = place(&with(counts, bare));
        placement.devices.get(at).is_some_and(leaves)
    };
    let none = if mixture { ALL } else { 0 };
    let mut counts = alloc::vec![0; gpus];
    for at in (0..gpus).rev() {
        let left = layers + 1 - counts.iter().sum::<u32>();
        let at_most = bisect::last(0, left + 1, |count| {
            let mut tried = counts.clone();
            tried.get_mut(at).is_some_and(|it| {
                *it = count;
                count > 0
            }) && holds(at, &tried, none)
        });
        if let Some(count) = counts.get_mut(at) {
            *count = at_most;
        }
    }
    let mut bare = none;
    if mixture && counts.iter().sum::<u32>() == layers + 1 {
        bare = layers;
        for at in 0..gpus {
            // The layers without experts are those of this GPU and the ones behind it.
            let moved = bisect::last(0, bare + 1, |count| {
                count > 0 && holds(at, &taken(&counts, at, bare, count), bare - count)
            });
            counts = taken(&counts, at, bare, moved);
            bare -= moved;
        }
    }
    let found = with(&counts, bare);
    let placement = place(&found);
    (found, placement)
}

/// The layers of each GPU after one of them has taken `count` of the `bare` last layers, from the front, for itself.
fn taken(counts: &[u32], at: usize, bare: u32, count: u32) -> Vec<u32> {
    let mut after: Vec<u32> = counts.to_vec();
    // How many of each GPU's layers are bare, from the last GPU on; the output layer is none of them.
    let mut rest = bare;
    let mut parts: Vec<u32> = counts
        .iter()
        .enumerate()
        .rev()
        .map(|(place, count)| {
            let own = if place + 1 == counts.len() { count.saturating_sub(1) } else { *count };
            let part = own.min(rest);
            rest -= part;
            part
        })
        .collect();
    parts.reverse();
    let mut wanted = count;
    for (from, part) in after.iter_mut().zip(parts) {
        let here = part.min(wanted);
        *from -= here;
        wanted -= here;
    }
    if let Some(to) = after.get_mut(at) {
        *to += count - wanted;
    }
    after
}

fn fits(placement: &Placement) -> bool {
    placement.verdict() != Verdict::DoesNotFit
}

/// The first that fits, and the one before it.
fn first(tried: &mut dyn Iterator<Item = (u32, Placement)>, fits: impl Fn(&Placement) -> bool) -> Found {
    let mut next = None;
    for (count, placement) in tried {
        if fits(&placement) {
            return Found { answer: Some((count, placement)), next };
        }
        next = Some((count, placement));
    }
    Found { answer: None, next }
}
