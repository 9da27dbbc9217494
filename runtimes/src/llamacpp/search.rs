//! How many layers go on the GPU, or how few leave their experts in host memory.

use memory_wall_core::units::GIB;
use memory_wall_core::{Checked, Verdict};

use super::placement::{frees, over};
use super::{ALL, Placement, Refused, Settings};

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
/// # Assumes
/// The context stays as it is: llama.cpp shortens one that nobody asked for, first of all.
///
/// # Source
/// `common/fit.cpp` of ggml-org/llama.cpp (`--fit on`, `--fit-target` 1,024 MiB). Read 2026-11-25.
pub fn fitted(scenario: &Checked, settings: &Settings) -> Result<(Settings, Placement), Refused> {
    let leaves = |placement: &Placement| {
        placement.devices.iter().all(|device| {
            let used = device.weights + device.cache + device.states + device.compute.high + device.context.low;
            !device.is_used() || used + GIB <= device.room
        })
    };
    if !frees(scenario, settings) {
        let whole = Settings { gpu_layers: ALL, cpu_moe: 0, ..settings.clone() };
        return over(scenario, &whole, |place, _| (whole.clone(), place(&whole)));
    }
    let mixture = scenario.architecture.moe.is_some();
    let probe = Settings { gpu_layers: 0, ..settings.clone() };
    over(scenario, &probe, |place, layers| {
        let experts = if mixture { layers } else { 0 };
        let by_experts = (0..=experts).map(|cpu_moe| Settings { gpu_layers: ALL, cpu_moe, ..settings.clone() });
        let cpu_moe = if mixture { ALL } else { 0 };
        let by_layers = (0..=layers).rev().map(|gpu_layers| Settings { gpu_layers, cpu_moe, ..settings.clone() });
        let mut tried = by_experts.chain(by_layers).map(|settings| {
            let placement = place(&settings);
            (settings, placement)
        });
        let last = Settings { gpu_layers: 0, ..settings.clone() };
        tried.find(|(_, placement)| leaves(placement)).unwrap_or_else(|| {
            let placement = place(&last);
            (last, placement)
        })
    })
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
