//! What changed from one release of vLLM to the next, as far as memory goes.

use super::beside::{NonTorch, Span};
use crate::serving::Version;
use crate::tables::gpus::Gpu;

/// Bytes that stand in the formulas of one stretch of releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constants {
    /// The first release that they hold for.
    pub since: Version,
    /// The releases, in words.
    pub releases: &'static str,
    /// How a prompt is read while the start is profiled.
    pub prompts: Prompts,
    /// Bytes for each sequence and vocabulary entry that the sampler keeps beside the logits in the model's precision.
    pub sampler: Sampler,
    /// Whether the workspaces of a mixture stay allocated.
    pub expert_workspace: bool,
    /// Whether all that is used of the GPU comes out of the share, the context of the process too.
    pub context_inside: bool,
    /// Whether communication starts before the GPU is first looked at, so that it lies beside the share.
    pub communication_first: bool,
    /// What drivers and communication allocate beside PyTorch during the start, as far as it comes out of the share.
    pub non_torch: NonTorch,
    /// How many CUDA graphs are captured.
    pub captured: Captured,
    /// Where recorded graphs lie.
    pub graphs: Graphs,
}

/// How a prompt is read while the start is profiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prompts {
    /// A whole prompt of `max_model_len` at once, up to 32,768 tokens; longer ones in chunks (the first engine, "V0").
    Whole,
    /// In chunks of `max_num_batched_tokens`.
    Chunks,
}

/// What the profiled sampler keeps beside the logits in the model's precision, in bytes for each sequence and vocabulary entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampler {
    /// With `FlashInfer`'s sampler, where these releases may run it.
    pub flashinfer: u64,
    /// Otherwise.
    pub usual: u64,
    /// Whether a Triton kernel for top-k and top-p has a row of scratch for each multiprocessor.
    pub top_k_scratch: bool,
}

/// How many CUDA graphs are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Captured {
    /// For up to `max_num_seqs` sequences in steps of 8, recorded by layers as one (the first engine).
    UpToSequences,
    /// For up to 512 sequences in steps of 8, whatever `max_num_seqs` is.
    Eights,
    /// For up to twice `max_num_seqs` and at most 512 sequences in steps of 8.
    TwiceByEights,
    /// For up to twice `max_num_seqs` and at most 512 sequences, from 256 on in steps of 16.
    Sixteens,
}

/// Where the memory of recorded graphs lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Graphs {
    /// Beside the share that vLLM takes: the pool is as large as if there were none.
    Beside,
    /// Inside the share: they are estimated before the pool is sized.
    Inside,
    /// Either, as one of two runners serves the model, which a scenario does not name: the pool is that of the one that counts them,
    /// and a run is tight where the other would find no room for them.
    Either,
}

/// PyTorch's sort: fp32 logits 4, sorted values 4, their indices 8, and 20 of temporaries of the sort.
const SORTING: u64 = 36;
/// `FlashInfer`'s and Triton's samplers: fp32 logits 4, probabilities 4, exponential noise 4.
const TRITON: u64 = 12;

/// PyTorch's sort alone.
const SORT: Sampler = Sampler { flashinfer: SORTING, usual: SORTING, top_k_scratch: false };
/// PyTorch's sort, or `FlashInfer`'s kernels where that package is installed beside vLLM, as in its container images.
const SORT_OR_FLASHINFER: Sampler = Sampler { flashinfer: TRITON, usual: SORTING, top_k_scratch: false };
/// Triton's kernel.
const KERNEL: Sampler = Sampler { flashinfer: TRITON, usual: TRITON, top_k_scratch: true };
/// Beside PyTorch with the first engine, communication included. Alone: 0.01 to 0.05 GiB on T4, 0.03 on an RTX 4060, 0.09 on A100, 0.16 on H100, 0.23 on L40S.
/// Two ranks: 0.25 GiB on RTX 4090, 0.20 on sixteen RTX 3090, 0.39 on V100, 1.54 on A100.
/// In a pipeline, up to 0.20, 0.33 GiB in the only log: two RTX 5090 (vllm-project/vllm issue 14452, 0.8).
const V0: NonTorch = NonTorch {
    alone: [Span::of(1, 16, 23), Span::of(1, 9, 23)],
    switch: [Span::of(55, 155, 233), Span::of(55, 155, 233)],
    fast: Span::of(39, 154, 154),
    pcie: Span::of(20, 25, 74),
    pipeline: Span::of(7, 33, 92),
};

/// Beside PyTorch from 0.8 to 0.10, communication included. Alone: 0.02 GiB on RTX 4090 and 4080, 0.07 on H100.
/// Ranks: 0.14 GiB on two A100 of one server, 1.0 on two in different servers, 2.3 on eight H100.
const V1_WITH_COMMUNICATION: NonTorch = NonTorch {
    alone: [Span::of(2, 7, 16), Span::of(2, 4, 16)],
    switch: [Span::of(55, 155, 233), Span::of(155, 230, 236)],
    fast: Span::of(10, 14, 100),
    pcie: Span::of(2, 25, 74),
    pipeline: V0.pipeline,
};

/// Beside PyTorch from 0.11 to 0.17, which start communication before they look at the GPU first. Alone: 0.13 to 0.16 GiB on H100,
/// 0.02 to 0.09 on RTX 4090, A100 and RTX PRO 6000, 0.16 on L40S.
const BEFORE_0_18: NonTorch = NonTorch {
    alone: [Span::of(2, 13, 16), Span::of(2, 5, 16)],
    switch: [Span::known(55), Span::known(55)],
    fast: Span::of(10, 20, 74),
    pcie: Span::of(2, 10, 74),
    pipeline: V0.pipeline,
};

/// Beside PyTorch since 0.18, when a GPU alone takes 0.12 GiB more on H100, and 0.46 in one log of 0.19; since 0.21 0.22 to 0.34 GiB in five logs
/// on H200, H100, A100 and RTX 3090, and 0.92 in a sixth, which compiled the model for the first time; 1.17 in two starts of 0.28 on L40S, and on L4 1.15 in one
/// and nothing in another. Ranks: 2.07 to 2.21 GiB on H100, 0.17 on two A100,
/// 0.17 on two T4, about nothing on four RTX 3090.
const SINCE_0_18: NonTorch = NonTorch {
    alone: [Span::of(25, 25, 46), Span::of(2, 7, 46)],
    switch: [Span::of(207, 207, 210), Span::of(213, 213, 221)],
    fast: Span::of(10, 17, 221),
    pcie: Span::of(2, 10, 86),
    pipeline: V0.pipeline,
};

/// What all releases since 0.21 have in common. On a GPU alone over PCIe the usual figure is the mean of seven starts that captured graphs: 0.92 to 1.17 GiB in four that compiled for the first time (rows S069, S118,
/// S119 and S125), none to 0.31 in three that found everything compiled. Two ranks over PCIe: what is left of the sums of S109, S110 and S121, which captured graphs, 0.4 to 0.6. In a pipeline half-way between the log of
/// before and 0.9 on two L4 (row S122). Read 2026-11-27.
pub(super) const SINCE_0_21: Constants = Constants {
    since: Version { major: 0, minor: 21 },
    releases: "",
    prompts: Prompts::Chunks,
    sampler: KERNEL,
    expert_workspace: true,
    context_inside: false,
    communication_first: true,
    non_torch: NonTorch {
        alone: [Span::of(22, 28, 46), Span::of(0, 68, 118)],
        pcie: Span::of(2, 50, 86),
        pipeline: Span::of(7, 62, 92),
        ..SINCE_0_18
    },
    captured: Captured::Sixteens,
    graphs: Graphs::Inside,
};

/// Every stretch, oldest first.
pub const CONSTANTS: [Constants; 11] = [
    Constants {
        since: Version::OLDEST,
        releases: "0.6 and 0.7",
        prompts: Prompts::Whole,
        sampler: SORT,
        expert_workspace: false,
        communication_first: false,
        non_torch: V0,
        captured: Captured::UpToSequences,
        graphs: Graphs::Beside,
        ..SINCE_0_21
    },
    Constants {
        since: Version { major: 0, minor: 8 },
        releases: "0.8",
        sampler: SORT_OR_FLASHINFER,
        expert_workspace: false,
        context_inside: true,
        communication_first: false,
        non_torch: V1_WITH_COMMUNICATION,
        captured: Captured::Eights,
        graphs: Graphs::Beside,
        ..SINCE_0_21
    },
    Constants {
        since: Version { major: 0, minor: 9 },
        releases: "0.9",
        sampler: SORT_OR_FLASHINFER,
        expert_workspace: false,
        communication_first: false,
        non_torch: V1_WITH_COMMUNICATION,
        captured: Captured::Eights,
        graphs: Graphs::Beside,
        ..SINCE_0_21
    },
    Constants {
        since: Version { major: 0, minor: 10 },
        releases: "0.10",
        sampler: SORT_OR_FLASHINFER,
        expert_workspace: false,
        communication_first: false,
        non_torch: V1_WITH_COMMUNICATION,
        captured: Captured::TwiceByEights,
        graphs: Graphs::Beside,
        ..SINCE_0_21
    },
    Constants {
        since: Version { major: 0, minor: 11 },
        releases: "0.11 and 0.12",
        sampler: SORT_OR_FLASHINFER,
        expert_workspace: false,
        non_torch: BEFORE_0_18,
        graphs: Graphs::Beside,
        ..SINCE_0_21
    },
    Constants {
        since: Version { major: 0, minor: 13 },
        releases: "0.13 to 0.16",
        sampler: SORT_OR_FLASHINFER,
        non_torch: BEFORE_0_18,
        graphs: Graphs::Beside,
        ..SINCE_0_21
    },
    Constants {
        since: Version { major: 0, minor: 17 },
        releases: "0.17",
        non_torch: BEFORE_0_18,
        graphs: Graphs::Beside,
        ..SINCE_0_21
    },
    Constants {
        since: Version { major: 0, minor: 18 },
        releases: "0.18 to 0.20",
        non_torch: SINCE_0_18,
        graphs: Graphs::Beside,
        ..SINCE_0_21
    },
    Constants { releases: "0.21 and 0.22", ..SINCE_0_21 },
    Constants {
        since: Version { major: 0, minor: 23 },
        releases: "0.23 to 0.28",
        graphs: Graphs::Either,
        ..SINCE_0_21
    },
    Constants { since: Version { major: 0, minor: 29 }, releases: "0.29 or newer", ..SINCE_0_21 },
];

/// The code that the releases of each stretch were modelled from, and the logs that they were compared with. A table of its own: a
/// program that does not show it has none of it.
const SOURCES: [&str; CONSTANTS.len()] = [
    "code of vLLM 0.6.3, 0.6.6 and 0.7.3 (Worker.determine_num_available_blocks, ModelRunner.profile_run); public start-up logs of 0.6 to 0.8",
    "code of vLLM 0.8.5 (v1 gpu_worker.determine_available_memory, gpu_model_runner.profile_run); public start-up logs of 0.8",
    "code of vLLM 0.9.2 (v1 gpu_worker.determine_available_memory, memory_profiling); public start-up logs of 0.9",
    "code of vLLM 0.10.0 and 0.10.2 (v1 gpu_worker.determine_available_memory, memory_profiling); public start-up logs of 0.10",
    "code of vLLM 0.11.2, 0.12.0 and 0.19.0 (gpu_worker.determine_available_memory, kv_cache_utils) with the sampler of these releases; public start-up logs of 0.11 and 0.12",
    "code of vLLM 0.13.0, 0.16.0 and 0.19.0 (WorkspaceManager keeps the workspaces of experts) with the sampler of these releases; public start-up logs of 0.13 to 0.16",
    "code of vLLM 0.17.1 and 0.19.0 (gpu_worker.determine_available_memory, kv_cache_utils); public start-up logs of 0.17",
    "code of vLLM 0.19.0 (gpu_worker.determine_available_memory, kv_cache_utils); public start-up logs of 0.18 to 0.20, most of them on H100",
    "code of vLLM 0.21.0 (profile_cudagraph_memory estimates graphs before the pool is sized) and of 0.19.0; public start-up logs of 0.22",
    "code of vLLM 0.23.0, 0.25.1 and 0.28.0 (use_v2_model_runner; the second runner estimates no graphs, vllm-project/vllm issue 49224) and of 0.19.0; public start-up logs of 0.23 to 0.27",
    "code of vLLM 0.29.0, 0.33.0 and 0.19.0; one public start-up log of 0.29 beside those of 0.22 to 0.27",
];

/// The first release whose "GPU KV cache size" is the maximum concurrency times `max_model_len`, and not what is left of the pool
/// after an even cut over groups of layers: vllm#43308 shows both sides, vllm#54662 quotes the code. Read 2026-11-23.
const TOKENS_BY_CONCURRENCY: Version = Version { major: 0, minor: 21 };

/// The first release that refuses a start where less is free than the share asks for: pull request 18974 of June 2025, in 0.9.1. The first engine never asked.
/// Read 2026-11-26.
const ASKS_WHAT_IS_FREE: Version = Version { major: 0, minor: 9 };

impl Constants {
    /// Whether a start is refused where less is free than the share asks for.
    pub fn asks_what_is_free(&self) -> bool {
        self.since >= ASKS_WHAT_IS_FREE
    }

    /// Whether "GPU KV cache size" is the maximum concurrency times `max_model_len`.
    pub fn tokens_by_concurrency(&self) -> bool {
        self.since >= TOKENS_BY_CONCURRENCY
    }

    /// The code that these releases were modelled from, and the logs that they were compared with.
    pub fn source(&self) -> &'static str {
        let row = CONSTANTS.iter().zip(SOURCES).find(|(constants, _)| constants.since == self.since);
        row.map_or("", |(_, source)| source)
    }

    /// Those of a release.
    pub fn of(version: Version) -> &'static Self {
        let [oldest, ..] = &CONSTANTS;
        CONSTANTS.iter().rfind(|constants| constants.since <= version).unwrap_or(oldest)
    }

    /// Those of a release on a GPU, where an old one may be served by the first engine.
    pub fn on(version: Version, gpu: Option<&'static Gpu>) -> &'static Self {
        Self::of(if version.first_engine(gpu) { Version::OLDEST } else { version })
    }
}

#[cfg(test)]
mod tests {
    use super::Prompts::{Chunks, Whole};
    use super::*;
    use crate::tables::gpus;

    #[test]
    fn each_release_has_its_constants() {
        let since = |minor| Constants::of(Version { major: 0, minor }).since.minor;
        assert_eq!([6, 11, 16, 17, 18, 19, 20, 21, 30].map(since), [6, 11, 13, 17, 18, 18, 18, 21, 29]);
        assert_eq!([22, 23, 28].map(since), [21, 23, 23]);
        assert_eq!([7, 8, 9, 10, 12, 13].map(since), [6, 8, 9, 10, 11, 13]);
        assert_eq!(Constants::of(Version { major: 1, minor: 0 }).since.minor, 29);
        assert!(CONSTANTS.iter().all(|it| !it.releases.is_empty() && !it.source().is_empty()));
        assert!(CONSTANTS.is_sorted_by_key(|constants| constants.since));
    }

    #[test]
    fn an_old_gpu_is_served_by_the_first_engine_up_to_0_10() {
        let on = |minor, id| Constants::on(Version { major: 0, minor }, gpus::by_id(id)).prompts;
        assert_eq!([7, 8, 10, 11].map(|minor| on(minor, "t4")), [Whole, Whole, Whole, Chunks]);
        assert_eq!([7, 8, 10].map(|minor| on(minor, "l4")), [Whole, Chunks, Chunks]);
    }

    #[test]
    fn a_source_names_the_code_that_was_read_for_the_release() {
        for constants in &CONSTANTS {
            let source = constants.source();
            assert!(source.starts_with("code of vLLM 0.") && source.contains("public start-up log"));
        }
        assert!(Constants::of(Version::NEWEST).source().contains("one public start-up log of 0.29"));
    }
}
