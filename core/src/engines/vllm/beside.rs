//! What vLLM's process takes beside PyTorch: the CUDA context before its first tensor, and drivers and communication during the start.
//!
//! Logs print both: total less free memory at the start, and "non-torch memory". They differ by link, by release and a little by GPU.

use core::fmt;

use crate::engines::gpu::Link;
use crate::engines::hundredths;
use crate::units::GIB;

/// What logs say of a figure, in bytes: the smallest, the usual and the largest.
///
/// Where logs of the same release and link agree, the three are close; where there is none, the ends are those of other GPUs and releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The smallest.
    pub low: u128,
    /// The usual one.
    pub typical: u128,
    /// The largest.
    pub high: u128,
}

impl Span {
    /// Hundredths of a GiB.
    pub(in crate::engines) const fn of(low: u128, typical: u128, high: u128) -> Self {
        Self { low: hundredths(low), typical: hundredths(typical), high: hundredths(high) }
    }

    /// The same that logs of the same kind agree on.
    pub(super) const fn known(typical: u128) -> Self {
        Self::of(typical, typical, typical)
    }

    /// Whether logs leave enough of a range to be said: a fifth of a GiB.
    pub const fn is_range(self) -> bool {
        self.high - self.low >= GIB / 5
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [low, typical, high] = [self.low, self.typical, self.high].map(|bytes| (bytes * 100 + GIB / 2) / GIB);
        let gib = |hundredths: u128| (hundredths / 100, hundredths % 100);
        let (low, typical, high) = (gib(low), gib(typical), gib(high));
        if low == high {
            return write!(f, "{}.{:02} GiB", typical.0, typical.1);
        }
        write!(f, "{}.{:02} GiB ({}.{:02} to {}.{:02})", typical.0, typical.1, low.0, low.1, high.0, high.1)
    }
}

/// What drivers and communication allocate beside PyTorch during the start, under one stretch of releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonTorch {
    /// On a GPU alone: one of a server with a switch, and another.
    pub alone: [Span; 2],
    /// Through a switch, with 2 and with 4 or more tensor-parallel ranks.
    pub switch: [Span; 2],
    /// Over another fast link.
    pub fast: Span,
    /// Over PCIe.
    pub pcie: Span,
    /// In a pipeline without tensor parallelism, where no switch joins its stages.
    pub pipeline: Span,
}

impl NonTorch {
    /// That of one rank.
    pub const fn on(&self, link: Link, tp: u32, pp: u32) -> Span {
        let ([two, four], [of_switch, another]) = (self.switch, self.alone);
        match (tp, pp, link) {
            (1, 1, Link::Switch) => of_switch,
            (1, 1, _) => another,
            // Two stages on H100.
            (1, _, Link::Switch) => Span::known(7),
            (1, ..) => self.pipeline,
            (2 | 3, _, Link::Switch) => two,
            (_, _, Link::Switch) => four,
            (_, _, Link::Fast) => self.fast,
            (_, _, Link::Pcie) => self.pcie,
        }
    }
}

/// Beside PyTorch where CPU and GPU share one memory: what the system takes meanwhile is counted too.
///
/// # Source
/// 22 logs of GB10 (jethac/dgx-spark-hijinks, 0.20 and 0.22; sostrowsk/dgx-spark-local-llm, 0.25; djangodevreng/dgx-spark-benchmarks, 0.19):
/// what the share has left beside weights, forward pass, graphs and pool. 0.85 GiB beside 2.89 of weights (gyliu513/langX101, `llm-d-gpu-demo`, 0.20). On two GB10
/// 5.72 GiB as logged beside 80.84 of weights; 7.5 to 12.4 are left in a log of `MiniMax` M2.7, by the groups of its file (eugr/spark-vllm-docker issue 396, 0.29). Read 2026-11-25.
pub(super) const fn unified(weights: u128, ranks: bool) -> Span {
    let Span { low, typical, high } = if ranks { Span::of(0, 570, 1_250) } else { Span::of(0, 300, 600) };
    let small = 3 * weights / 10;
    Span { low, typical: if small < typical { small } else { typical }, high }
}

/// The largest part that graphs of several such computers were estimated to take: what else changes meanwhile is measured with them.
///
/// # Source
/// eugr/spark-vllm-docker issue 396: a share of 0.80 that is "effectively 0.758" of 121.69 GiB on two GB10 (0.29); pull request 200 has −4.74 GiB on one. Read 2026-11-25.
pub(super) const UNIFIED_GRAPHS: u128 = hundredths(510);

/// The usual figure of a GPU alone where nothing is compiled, at most: 0.28 to 0.34 GiB in four logs since 0.21, one of them with `enforce_eager` (row S068).
pub(super) const WITHOUT_COMPILING: u128 = hundredths(33);

/// The same of a tensor-parallel rank over PCIe, since 0.21: 0.17 GiB in three logs with `enforce_eager` on two T4 (rows S063 to S065).
pub(super) const RANK_WITHOUT_COMPILING: u128 = hundredths(17);

/// What the process takes before its first tensor.
///
/// # Source
/// Alone: 0.51 to 0.53 GiB on H100 (logs of 0.19), 0.61 (kolyangg/mlops-assignment, 0.10.2), 0.44 on a GPU of 23.65 GiB
/// (ShanghaoLi0913/memory-aware_RLHF, 0.10.2). With ranks: 1.43 to 1.55 GiB on H100, and 2.01 to 2.07 GiB
/// for mixtures of experts (logs of 0.19); over PCIe about 0.4 GiB on eight RTX 3090
/// (Sandermage/genesis-vllm-patches issue 24, 0.20) to 0.63 GiB (wtdcode/vllm-backport issue 34, after 0.21). A100 and MI300X: no log.
pub(super) const fn context(link: Link, ranks: bool, mixture: bool) -> Span {
    match (link, ranks, mixture) {
        (Link::Switch, false, _) => Span::of(51, 51, 61),
        (_, false, _) => Span::of(23, 51, 61),
        (Link::Switch, true, false) => Span::of(143, 153, 155),
        (Link::Switch, true, true) => Span::of(201, 201, 207),
        (Link::Fast, true, _) => Span::of(40, 100, 207),
        (Link::Pcie, true, _) => Span::of(40, 50, 63),
    }
}

#[cfg(test)]
mod tests {
    extern crate alloc;

    use alloc::string::ToString;

    use super::*;
    use crate::assumptions::Assumptions;
    use crate::checked::Checked;
    use crate::engines::vllm::{CONSTANTS, Constants, Figures, Run, requested};
    use crate::serving::Version;
    use crate::tables::{gpus, models};
    use crate::{Bytes, Engine, Scenario, WeightFormat};

    #[test]
    fn a_span_is_in_order() {
        for constants in &CONSTANTS {
            let NonTorch { alone: [of_switch, another], switch: [two, four], fast, pcie, pipeline } =
                constants.non_torch;
            for span in [of_switch, another, two, four, fast, pcie, pipeline] {
                assert!(span.low <= span.typical && span.typical <= span.high, "{span:?}");
            }
            assert!(pcie.low < pcie.high && fast.low < fast.high);
            // PCIe never needs more than a switch does.
            assert!(pcie.typical <= two.typical, "{:?}", constants.since);
        }
    }

    #[test]
    fn two_gpus_over_pcie_are_not_charged_what_a_switch_takes() {
        let newest = Constants::of(Version::NEWEST).non_torch;
        let taken = |link| newest.on(link, 2, 1).high + context(link, true, false).high;
        // 1.49 GiB at most, and not the 3.65 of two H100.
        assert_eq!(taken(Link::Pcie), hundredths(86) + hundredths(63));
        assert_eq!(taken(Link::Switch), hundredths(210) + hundredths(155));
        // A log of vLLM 0.7 on two RTX 4090 says 0.25 GiB (vllm-project/vllm issue 13061).
        assert_eq!(CONSTANTS[0].non_torch.on(Link::Pcie, 2, 1).typical, hundredths(25));
    }

    /// Qwen3 14B under 0.28 on one L40S, and its 4-bit file on L4 alone, as two ranks and as two stages: what was logged lies within the range that is said.
    #[test]
    fn a_first_start_that_compiles_takes_more_than_the_next() {
        let logged = [
            ("l40s", WeightFormat::Bf16, (1, 1), 1_157),
            ("l40s", WeightFormat::Int4, (1, 1), 2_963),
            ("l4", WeightFormat::Int4, (1, 1), 910),
            ("l4", WeightFormat::Int4, (2, 1), 1_438),
            ("l4", WeightFormat::Int4, (1, 2), 1_404),
        ];
        for (id, weights, (tp, pp), pool) in logged {
            let gpu = gpus::by_id(id).unwrap();
            let shape = models::by_id("qwen3-14b").unwrap().architecture;
            let mut scenario = Scenario { weights, gpu: Some(gpu), seq_length: 40_960, ..Scenario::new(shape) };
            (scenario.serving.engine, scenario.serving.version.minor) = (Engine::Vllm, 28);
            (scenario.parallel.tp, scenario.parallel.pp) = (tp, pp);
            let scenario = scenario.on(gpu).check().unwrap().at_stage(pp - 1);
            let requested = requested(&scenario, gpu.capacity);
            let usual = Run::of(&scenario);
            let [least, most] = [Figures::Most, Figures::Least]
                .map(|figures| Run { figures, ..usual }.pool(requested).pool.magnitude());
            let pool = Bytes(hundredths(pool));
            assert!(least <= pool && pool <= most, "{id} {tp} {pp}: {least:?} {pool:?} {most:?}");
        }
    }

    /// Qwen2.5 3B under 0.27 on one RTX 3090, with `enforce_eager` and without: pools of 13.72 and 12.71 GiB (rows S068 and S069).
    #[test]
    fn what_is_not_compiled_takes_less() {
        let shape = models::by_id("qwen2.5-3b").unwrap().architecture;
        let mut scenario = Scenario { gpu: gpus::by_id("rtx3090"), ..Scenario::new(shape) };
        scenario.serving.engine = Engine::Vllm;
        let taken = |eager: bool| {
            let mut served = scenario;
            served.serving.enforce_eager = eager;
            Run::of(&served.check().unwrap()).non_torch()
        };
        assert_eq!([taken(true), taken(false)], [hundredths(33), hundredths(68)]);
    }

    /// Two ranks over PCIe: Qwen3 8B under 0.22 on T4 with `enforce_eager` (row S063), a 4-bit Qwen3 14B under 0.28 on L4, compiled (row S121, 14.38 GiB).
    #[test]
    fn two_ranks_take_less_where_nothing_is_compiled() {
        let served = |model, id, weights, longest, minor, eager| {
            let gpu = gpus::by_id(id).unwrap();
            let shape = models::by_id(model).unwrap().architecture;
            let mut scenario = Scenario { weights, gpu: Some(gpu), seq_length: longest, ..Scenario::new(shape) };
            (scenario.serving.engine, scenario.serving.version.minor) = (Engine::Vllm, minor);
            (scenario.serving.enforce_eager, scenario.parallel.tp) = (eager, 2);
            let scenario = scenario.on(gpu).check().unwrap();
            let run = Run::of(&scenario);
            (run.non_torch(), run.pool(requested(&scenario, gpu.capacity)).pool.magnitude())
        };
        let near = |pool: Bytes, logged: u128| pool.0.abs_diff(hundredths(logged)) * 100 < 3 * hundredths(logged);
        // Its pool is compared with its own settings in `accuracy/data/vllm_starts.csv`.
        assert_eq!(served("qwen3-8b", "t4", WeightFormat::Bf16, 8_192, 22, true).0, hundredths(17));
        let (taken, pool) = served("qwen3-14b", "l4", WeightFormat::Int4, 40_960, 28, false);
        assert!(taken == hundredths(50) && near(pool, 1_438), "{taken} {pool:?}");
        // Compiled or not, what logs of releases before say of ranks is the same.
        let of = |eager| served("qwen3-8b", "l4", WeightFormat::Bf16, 8_192, 8, eager).0;
        assert_eq!([of(true), of(false)], [hundredths(25); 2]);
    }

    /// The only log of before 0.21 says 0.33 GiB; the compiled one of 0.28 says 0.9, and without compiling no more than a GPU alone is counted.
    #[test]
    fn a_pipeline_takes_what_the_logs_of_its_release_say() {
        let shape = models::by_id("qwen3-14b").unwrap().architecture;
        let taken = |minor: u32, eager: bool| {
            let mut scenario = Scenario { gpu: gpus::by_id("l4"), ..Scenario::new(shape) };
            (scenario.serving.engine, scenario.serving.version.minor) = (Engine::Vllm, minor);
            (scenario.serving.enforce_eager, scenario.parallel.pp) = (eager, 2);
            Run::of(&scenario.check().unwrap()).non_torch()
        };
        assert_eq!([8, 12, 19, 20, 21, 28].map(|minor| taken(minor, false)), [33, 33, 33, 33, 62, 62].map(hundredths));
        assert_eq!([20, 28].map(|minor| taken(minor, true)), [hundredths(33); 2]);
    }

    #[test]
    fn a_range_is_said_and_its_usual_figure_counted() {
        let on = |gpu, tp| {
            let shape = models::by_id("llama-3.1-8b").unwrap().architecture;
            let mut scenario = Scenario { gpu: gpus::by_id(gpu), ..Scenario::new(shape) };
            (scenario.parallel.tp, scenario.serving.engine) = (tp, Engine::Vllm);
            scenario.check().unwrap()
        };
        let said = |scenario: &Checked| {
            Assumptions::of(scenario).iter().map(|it| it.to_string()).any(|it| it.contains("leave a range"))
        };
        let two = on("rtx4090", 2);
        let run = Run::of(&two);
        assert_eq!((run.context(), run.non_torch()), (hundredths(50), hundredths(50)));
        let cautious = Run { figures: Figures::Most, ..run };
        assert_eq!((cautious.context(), cautious.non_torch()), (hundredths(63), hundredths(86)));
        assert!(cautious.cuda_graphs() > run.cuda_graphs());
        assert_eq!(run.context_span().to_string(), "0.50 GiB (0.40 to 0.63)");
        assert!(said(&two));
    }
}
