//! How fast a token follows the other where some of the layers are on the CPU.

use memory_wall_core::Checked;
use memory_wall_core::roofline::Efficiency;
use memory_wall_core::units::{ByteRate, Seconds};

use super::Placement;

/// The time of one step of decoding, one token of each sequence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// If everything is read as fast as its memory can.
    pub least: Seconds,
    /// At the share of that which nine of ten measured runs reached.
    pub most: Seconds,
    /// Of `least`, what the GPUs take.
    pub on_gpus: Seconds,
    /// Of `least`, what the CPU takes.
    pub on_host: Seconds,
}

impl Speed {
    /// Tokens of one sequence in a second, the fewest and the most.
    pub fn tokens_per_second(&self) -> [f64; 2] {
        [1.0 / self.most.0, 1.0 / self.least.0]
    }
}

/// The step of decoding with the cache full; `None` where the bandwidth of host memory isn't said and something is left there, and where
/// too little is stated of the reader's own GPU.
///
/// # Formula
/// GPUs and CPU work in turn, and each reads its weights and its cache once: bytes by bandwidth, added up. Of routed experts those that the sequences of a batch
/// visit, at most batch × experts a token. The token table gives one row.
///
/// # Assumes
/// Decoding is held back by memory, on the CPU too. The upper end has 35% of each bandwidth.
pub fn speed(scenario: &Checked, placement: &Placement, host_bandwidth: Option<ByteRate>) -> Option<Speed> {
    if scenario.untimed().is_some() {
        return None;
    }
    let experts = scenario.architecture.moe.map(|moe| {
        let visited = u64::from(moe.experts_per_token) * u64::from(scenario.batch);
        [visited.min(moe.experts.into()), moe.experts.into()]
    });
    let read = |weights: u128, of_experts: u128| {
        let [visited, all] = experts.unwrap_or([1, 1]);
        weights - of_experts + of_experts * u128::from(visited) / u128::from(all.max(1))
    };
    let gpus: f64 = placement
        .devices
        .iter()
        .map(|device| {
            (read(device.weights, device.experts) + device.cache + device.states) as f64 / device.gpu.bandwidth.0
        })
        .sum();
    let host = &placement.host;
    let left = read(host.weights, host.experts) - host.input + host.cache + host.states;
    let on_host = match host_bandwidth {
        Some(rate) => left as f64 / rate.0,
        None if left == 0 => 0.0,
        None => return None,
    };
    let least = gpus + on_host;
    Some(Speed {
        least: Seconds(least),
        most: Seconds(least / Efficiency::LEAST.bandwidth),
        on_gpus: Seconds(gpus),
        on_host: Seconds(on_host),
    })
}
