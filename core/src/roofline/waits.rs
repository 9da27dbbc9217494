//! What a pass waits for beside bytes and FLOPs: kernels that start, and exchanges between GPUs that are too small for their link to matter.

use super::Pass;
use super::operations::{Operation, Unit};
use crate::checked::Checked;
use crate::serving::Engine;
use crate::units::Seconds;

/// The longest that each operation of a pass waits, as far as public runs are known: it belongs to the upper end of a range.
///
/// # Formula
/// waits = exchanges × `exchange` + kernels × `kernel`, in inference over several GPUs, and on one where vLLM records no graphs;
/// nothing on one otherwise, whose range comes from measured runs.
///
/// # Units
/// Seconds.
///
/// # Assumes
/// Recorded graphs, unless vLLM is told to do without (`enforce_eager`). A listed operation stands for all small kernels around it: norms, rotary positions, quantised inputs, in a mixture routing and sorting.
///
/// # Source
/// An exchange: NCCL in a recorded graph takes 19 to 24 µs for up to 32 kB over four GPUs (haohervchb/sglang-V100, pull request 2);
/// over two computers 122 µs for 1 MB (NVIDIA/nccl issue 1244).
/// A kernel: with 10 µs all 13 decoding runs of gpt-fast over 2 to 8 A100 lie within the range (`accuracy/data/speed.csv`); without waits three are slower (S012, S025, S037).
/// In a mixture fitted to the slowest public run: DeepSeek-V3 on eight H200 with graphs, 30.3 tokens/s for one sequence (sgl-project/sglang pull request 2643);
/// the same took 44 tokens/s two months later (77 with speculative decoding, a gain of 1.76; pull request 3582).
/// Without graphs: 200 µs, the slowest public run found: a 7B model on an RTX A6000 with an ARM host, 11.2 tokens/s without and 45.9 with them
/// (Project-MONAI/VLM-Surgical-Agent-Framework issue 5); on A800 7B took 23 ms and 13 (vllm-project/vllm-omni issue 7960), 50 µs for each listed operation.
/// Mixtures: 300 µs, since over eight RTX PRO 6000 DeepSeek took 240 ms and 97.5 (sgl-project/sglang pull request 24047). Read 2026-11-23.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waits {
    /// Of an exchange between GPUs.
    pub exchange: Seconds,
    /// Of any other operation.
    pub kernel: Seconds,
    /// Whether the host launches each kernel.
    pub eager: bool,
}

impl Waits {
    /// Those of a pass; `None` where nothing is added.
    pub fn of(scenario: &Checked, pass: Pass) -> Option<Self> {
        let cut = scenario.parallel;
        let several = cut.tp > 1 || cut.pp > 1 || scenario.experts().ranks > 1;
        let eager = scenario.runtime() == Some(Engine::Vllm) && scenario.serving.enforce_eager;
        if pass == Pass::Training || !(several || eager) {
            return None;
        }
        let together = u64::from(cut.tp).max(scenario.experts().ranks);
        Some(Self {
            exchange: Seconds(if together > IN_A_COMPUTER { 125e-6 } else { 25e-6 }),
            kernel: Seconds(match (scenario.architecture.moe.is_some(), eager) {
                (false, false) => 10e-6,
                (true, false) => 50e-6,
                (false, true) => 200e-6,
                (true, true) => 300e-6,
            }),
            eager,
        })
    }

    /// What one of an operation waits.
    pub fn seconds(self, operation: &Operation) -> Seconds {
        if operation.unit == Unit::Link { self.exchange } else { self.kernel }
    }
}

/// The longest that a server takes for a pass beside its kernels, as far as public runs are known: it belongs to the upper end of a range.
/// Between two steps vLLM's scheduler runs in Python; a prompt travels to the server and its first token back.
///
/// # Units
/// Seconds.
///
/// # Assumes
/// A server that does nothing else. Other programs add nothing here: their ranges come from measured runs, or their servers are not asked for the speed of a request.
///
/// # Source
/// FreedomIntelligence/AccelMark, `results/`, the scenario "interactive", requests one after another: vLLM 0.7.3, 0.19 and 0.20 on 14 kinds of GPU.
/// Qwen2.5 0.5B took 1.8 to 7.2 ms for a token where its kernels at 35% of the bandwidth take 0.6 to 9.4 ms, and Llama 3.1 8B behind 28,650 tokens up to 16.1 ms (H200) and 30.6 ms (A100)
/// where they take 11.2 and 26.3: 4.9 ms more at most. The first token of 95 and of 280 tokens came 2 to 37 ms after that time on one GPU, and up to 45 ms over eight H200. Read 2026-11-26.
pub fn of_server(scenario: &Checked, pass: Pass) -> Seconds {
    Seconds(match (scenario.runtime(), pass) {
        (Some(Engine::Vllm), Pass::Decode) => 5e-3,
        (Some(Engine::Vllm), Pass::Prefill) => 50e-3,
        _ => 0.0,
    })
}

/// GPUs that are taken to stand in one computer.
const IN_A_COMPUTER: u64 = 8;
