//! What changed from one release of vLLM to the next, as far as memory goes.

use core::fmt;

use crate::engines::hundredths;

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
    /// What drivers and communication allocate beside PyTorch during the start: alone, with 2 and with 4 or more tensor-parallel ranks.
    pub non_torch: [u128; 3],
    /// The same on the ranks of a pipeline without tensor parallelism.
    pub non_torch_pipeline: u128,
    /// Whether recorded graphs are counted as part of the share that vLLM takes.
    pub graphs_inside: bool,
    /// Where they are from.
    pub source: &'static str,
}

/// The sampler before 0.17: fp32 logits 4, sorted values 4, their indices 8, and 20 of temporaries of the sort.
const SORTING: u64 = 36;
/// The sampler since: fp32 logits 4, probabilities 4, exponential noise 4.
const TRITON: u64 = 12;

/// Every stretch, oldest first.
pub const CONSTANTS: [Constants; 4] = [
    Constants {
        since: Version { major: 0, minor: 0 },
        sampler_bytes: SORTING,
        top_k_scratch: false,
        expert_workspace: false,
        non_torch: [hundredths(13), hundredths(55), hundredths(55)],
        non_torch_pipeline: hundredths(7),
        graphs_inside: false,
        source: "code of the sampler (16 of 36 bytes; 20 inferred from six runs); logs of 0.11 to 0.15: 0.13 GiB alone, 0.55 GiB with 2 ranks",
    },
    Constants {
        since: Version { major: 0, minor: 17 },
        sampler_bytes: TRITON,
        top_k_scratch: true,
        expert_workspace: true,
        non_torch: [hundredths(13), hundredths(55), hundredths(55)],
        non_torch_pipeline: hundredths(7),
        graphs_inside: false,
        source: "code of 0.19; a log of 0.17: 0.13 GiB beside PyTorch",
    },
    Constants {
        since: Version { major: 0, minor: 18 },
        sampler_bytes: TRITON,
        top_k_scratch: true,
        expert_workspace: true,
        non_torch: [hundredths(25), hundredths(207), hundredths(213)],
        non_torch_pipeline: hundredths(7),
        graphs_inside: false,
        source: "code of 0.19.0; its logs on H100: 0.25 GiB alone, 2.07 GiB with 2 ranks, 2.13 GiB with 4, 0.07 GiB in a pipeline; 8 ranks as 4",
    },
    Constants {
        since: Version { major: 0, minor: 21 },
        sampler_bytes: TRITON,
        top_k_scratch: true,
        expert_workspace: true,
        non_torch: [hundredths(25), hundredths(207), hundredths(213)],
        non_torch_pipeline: hundredths(7),
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

    /// What is allocated beside PyTorch on one rank.
    pub fn non_torch(&self, tp: u32, pp: u32) -> u128 {
        let [alone, two, four] = self.non_torch;
        match (tp, pp) {
            (1, 1) => alone,
            (1, _) => self.non_torch_pipeline,
            (2 | 3, _) => two,
            _ => four,
        }
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
