//! What changed from one release of vLLM to the next, as far as memory goes.

use core::fmt;

use super::beside::{NonTorch, Span};

/// The first two numbers of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The first.
    pub major: u32,
    /// The second.
    pub minor: u32,
}

impl Version {
    /// The newest release that was measured, which a scenario is served by.
    pub const MEASURED: Self = Self { major: 0, minor: 19 };

    /// Reads "0.19.0"; what follows the second number does not matter.
    ///
    /// ```
    /// use memory_wall_core::engines::vllm::Version;
    /// assert_eq!(Version::read("0.19.0"), Some(Version::MEASURED));
    /// assert_eq!(Version::read("latest"), None);
    /// ```
    pub fn read(text: &str) -> Option<Self> {
        let mut numbers = text.trim().trim_start_matches('v').split('.');
        Some(Self { major: numbers.next()?.parse().ok()?, minor: numbers.next()?.parse().ok()? })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Bytes that stand in the formulas of one stretch of releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constants {
    /// The first release that they hold for.
    pub since: Version,
    /// Bytes for each sequence and vocabulary entry that the sampler keeps beside the logits in the model's precision.
    pub sampler_bytes: u64,
    /// Whether a Triton kernel for top-k and top-p has a row of scratch for each multiprocessor.
    pub top_k_scratch: bool,
    /// Whether the workspaces of a mixture stay allocated.
    pub expert_workspace: bool,
    /// What drivers and communication allocate beside PyTorch during the start.
    pub non_torch: NonTorch,
    /// Whether recorded graphs are counted as part of the share that vLLM takes.
    pub graphs_inside: bool,
    /// Where they are from.
    pub source: &'static str,
}

/// The sampler before 0.17: fp32 logits 4, sorted values 4, their indices 8, and 20 of temporaries of the sort.
const SORTING: u64 = 36;
/// The sampler since: fp32 logits 4, probabilities 4, exponential noise 4.
const TRITON: u64 = 12;

/// Beside PyTorch before 0.18. Alone: 0.13 to 0.16 GiB on H100, 0.02 GiB on a GPU of 23.65 GiB (ShanghaoLi0913/memory-aware_RLHF, 0.10.2).
/// Over PCIe: 0.25 GiB on two RTX 4090 (vllm-project/vllm issue 13061, 0.7), 0.20 GiB on sixteen RTX 3090 (pull request 14447, 0.8), 0.74 GiB
/// in a note that names no GPU. NVLink without a switch has no log: between PCIe and a switch.
const BEFORE_0_18: NonTorch = NonTorch {
    alone: Span::of(2, 13, 16),
    switch: [Span::known(55), Span::known(55)],
    fast: Span::of(20, 55, 74),
    pcie: Span::of(20, 25, 74),
};

/// Beside PyTorch since 0.18, when a GPU alone takes 0.12 GiB more on H100. PCIe and NVLink without a switch have no log:
/// the range is that of older releases, 0.12 GiB later, and for NVLink up to what a switch takes.
const SINCE_0_18: NonTorch = NonTorch {
    alone: Span::known(25),
    switch: [Span::of(207, 207, 210), Span::of(213, 213, 221)],
    fast: Span::of(32, 67, 221),
    pcie: Span::of(32, 37, 86),
};

/// Every stretch, oldest first.
pub const CONSTANTS: [Constants; 4] = [
    Constants {
        since: Version { major: 0, minor: 0 },
        sampler_bytes: SORTING,
        top_k_scratch: false,
        expert_workspace: false,
        non_torch: BEFORE_0_18,
        graphs_inside: false,
        source: "code of the sampler (16 of 36 bytes; 20 inferred from six runs); logs of 0.11 to 0.15: 0.13 GiB alone, 0.55 GiB with 2 ranks",
    },
    Constants {
        since: Version { major: 0, minor: 17 },
        sampler_bytes: TRITON,
        top_k_scratch: true,
        expert_workspace: true,
        non_torch: BEFORE_0_18,
        graphs_inside: false,
        source: "code of 0.19; a log of 0.17: 0.13 GiB beside PyTorch",
    },
    Constants {
        since: Version { major: 0, minor: 18 },
        sampler_bytes: TRITON,
        top_k_scratch: true,
        expert_workspace: true,
        non_torch: SINCE_0_18,
        graphs_inside: false,
        source: "code of 0.19.0; its logs on H100: 0.25 GiB alone, 2.07 GiB with 2 ranks, 2.13 GiB with 4, 0.07 GiB in a pipeline; 8 ranks as 4",
    },
    Constants {
        since: Version { major: 0, minor: 21 },
        sampler_bytes: TRITON,
        top_k_scratch: true,
        expert_workspace: true,
        non_torch: SINCE_0_18,
        graphs_inside: true,
        source: "code of 0.21 (graphs are estimated before the pool is sized); the rest as in 0.19, not measured",
    },
];

impl Constants {
    /// Those of a release.
    pub fn of(version: Version) -> &'static Self {
        let [oldest, ..] = &CONSTANTS;
        CONSTANTS.iter().rfind(|constants| constants.since <= version).unwrap_or(oldest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_release_has_its_constants() {
        let since = |minor| Constants::of(Version { major: 0, minor }).since.minor;
        assert_eq!([0, 11, 16, 17, 18, 19, 20, 21, 30].map(since), [0, 0, 0, 17, 18, 18, 18, 21, 21]);
        assert_eq!(Constants::of(Version { major: 1, minor: 0 }).since.minor, 21);
        assert!(CONSTANTS.is_sorted_by_key(|constants| constants.since));
    }
}
