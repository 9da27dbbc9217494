//! Which requests vLLM accepts, how many run at once, and why it may not start at all.

use core::fmt;

use super::{Pages, Pool, Run};
use crate::display::{ByteUnit, Grouped, Size};
use crate::engines;
use crate::scenario::Scenario;
use crate::serving::Engine;
use crate::units::Bytes;

/// Why vLLM does not start; the sentence is its `Display`, with sizes in GiB as vLLM prints them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Less memory is free at the start than the share asks for.
    Share {
        /// Free before the first tensor.
        free: Bytes,
        /// All of the GPU.
        total: Bytes,
        /// The share.
        requested: Bytes,
        /// The share in percent.
        percent: u32,
        /// The largest share that leaves room for what lies beside it, in percent.
        largest: u32,
    },
    /// Recorded graphs find no room beside the share.
    Graphs {
        /// What they lack.
        missing: Bytes,
        /// Whether they lack room by usual figures too, and not only where context and driver take the most that was logged.
        usual: bool,
        /// The share in percent.
        percent: u32,
        /// The largest share that leaves room for what lies beside it, in percent.
        largest: u32,
    },
    /// Weights and the profiled forward pass leave nothing of the share.
    NoBlocks {
        /// What they take beyond it.
        missing: Bytes,
    },
    /// The pool does not hold one request of `max_model_len`.
    Length {
        /// Tokens of the longest request.
        max_model_len: u32,
        /// What its pages take.
        needed: Bytes,
        /// What there is for pages.
        available: Bytes,
        /// Tokens of the longest request that the pool holds.
        estimated: u32,
    },
    /// Layers of several kinds whose pages are no multiples of each other.
    NoCommonPage,
}

impl Refusal {
    /// The name in JSON.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Share { .. } => "share",
            Self::Graphs { .. } => "graphs",
            Self::NoBlocks { .. } => "no_blocks",
            Self::Length { .. } => "max_model_len",
            Self::NoCommonPage => "no_common_page",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gib = |bytes| Size::new(bytes, ByteUnit::Gib).plain();
        match *self {
            Self::Share { free, total, requested, percent, largest } => {
                write!(
                    f,
                    "vLLM refuses to start: {} of {} are free on startup, less than the {} that gpu_memory_utilization {} asks for",
                    gib(free),
                    gib(total),
                    gib(requested),
                    Part(percent)
                )?;
                lower(f, largest)
            }
            Self::Graphs { missing, usual, percent, largest } => {
                let (runs, by) = if usual { ("runs", "") } else { ("may run", " where the driver takes the most that was logged") };
                write!(
                    f,
                    "vLLM {runs} out of memory while it captures CUDA graphs: beside a share of gpu_memory_utilization {} they lack {}{by}",
                    Part(percent),
                    gib(missing)
                )?;
                lower(f, largest)
            }
            Self::NoBlocks { missing } => write!(
                f,
                "vLLM refuses to start: no available memory for the cache blocks; weights and the profiled forward pass take {} more than the share",
                gib(missing)
            ),
            Self::Length { max_model_len, needed, available, estimated } => {
                write!(
                    f,
                    "vLLM refuses to start: one request of max_model_len {} needs {} of KV cache, more than the {} available",
                    Grouped(max_model_len.into()),
                    gib(needed),
                    gib(available)
                )?;
                if estimated == 0 {
                    return Ok(());
                }
                write!(f, "; the estimated maximum model length is {}", Grouped(estimated.into()))
            }
            Self::NoCommonPage => f.write_str(
                "vLLM does not start: the pages of the model's layers are no multiples of each other, so they cannot share one pool",
            ),
        }
    }
}

/// The advice to take less.
fn lower(f: &mut fmt::Formatter<'_>, largest: u32) -> fmt::Result {
    if largest == 0 { Ok(()) } else { write!(f, "; {} is the largest that leaves room for them", Part(largest)) }
}

/// Percent as vLLM writes them: `0.92`.
struct Part(u32);

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

/// How many requests one data-parallel rank runs at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Requests {
    /// The longest request that is accepted, in tokens: `max_model_len`.
    pub max_model_len: u32,
    /// "Maximum concurrency for `max_model_len` tokens per request": how many of the longest the pool holds.
    pub concurrency: f64,
    /// Requests of `seq_length` tokens that the pool holds at their full length.
    pub held: u64,
    /// Of the scenario's requests those that run at once: as many as the pool holds, and at most `max_num_seqs`.
    pub running: u32,
    /// Those that wait in the queue, or are preempted and computed again where running ones outgrow the pool.
    pub waiting: u32,
}

impl Run<'_> {
    /// How many requests run at once on a pool.
    pub(super) fn requests(&self, pool: &Pool) -> Requests {
        let max_model_len = self.scenario.longest_request();
        let room = u128::try_from(pool.pool.0).unwrap_or(0);
        let of = |tokens: u32| {
            let pages = self.pages()?;
            let each = pages.blocks(tokens.into(), self.batched());
            // A stage whose layers cache nothing sets no limit.
            Some((room.checked_div(pages.group_page()).unwrap_or(u64::MAX.into()), each.max(1)))
        };
        let (blocks, each) = of(self.scenario.seq_length).unwrap_or((0, 1));
        let held = u64::try_from(blocks.checked_div(each).unwrap_or(0)).unwrap_or(u64::MAX);
        let concurrency = of(max_model_len).map_or(0.0, |(blocks, each)| blocks as f64 / each as f64);
        let most = self.scenario.batch.min(self.scenario.serving.max_num_seqs);
        let running = most.min(u32::try_from(held).unwrap_or(u32::MAX));
        Requests { max_model_len, concurrency, held, running, waiting: self.scenario.batch - running }
    }

    /// Why vLLM does not start on a GPU of `total` bytes with this pool, if it does not: what fails first.
    ///
    /// # Source
    /// vLLM 0.19: `request_memory`, `capture_model` and `_check_enough_kv_cache_memory`; the refusals as users met them in issues 25350 and 34076.
    pub(super) fn refusal(&self, total: Bytes, pool: &Pool) -> Option<Refusal> {
        let percent = self.scenario.serving.utilization_percent;
        let largest = self.largest_share(total);
        let free = total.minus(Bytes(self.context()));
        let outside = self.outside(total, pool.requested);
        if pool.requested.minus(Bytes::ZERO) > free {
            let free = if free.0 < 0 { Bytes::ZERO } else { free.magnitude() };
            return Some(Refusal::Share { free, total, requested: pool.requested, percent, largest });
        }
        if pool.pool.0 <= 0 {
            return Some(Refusal::NoBlocks { missing: pool.pool.magnitude() });
        }
        let Some(pages) = self.pages() else { return Some(Refusal::NoCommonPage) };
        let max_model_len = self.scenario.longest_request();
        let needed = |tokens: u32| pages.blocks(tokens.into(), self.batched()) * pages.group_page();
        let available = pool.pool.magnitude();
        if needed(max_model_len) > available.0 {
            return Some(Refusal::Length {
                max_model_len,
                needed: Bytes(needed(max_model_len)),
                available,
                estimated: longest(&pages, self.batched(), available, max_model_len),
            });
        }
        // Graphs come last.
        let usual = || Run { cautious: false, ..*self }.outside(total, pool.requested).0 < 0;
        (outside.0 < 0).then(|| Refusal::Graphs { missing: outside.magnitude(), usual: usual(), percent, largest })
    }

    /// The largest share of a GPU, in percent, that leaves room for what lies beside it and for a forward pass: then the run is not tight.
    pub fn largest_roomy_share(&self, total: Bytes) -> u32 {
        share_that_leaves(self.beside().0 + self.activation(), total)
    }

    /// The largest share of a GPU, in percent, that leaves room for what lies beside it.
    pub fn largest_share(&self, total: Bytes) -> u32 {
        share_that_leaves(self.beside().0, total)
    }
}

/// The largest share of `total`, in percent, beside which so many bytes are left.
fn share_that_leaves(bytes: u128, total: Bytes) -> u32 {
    let left = total.0.saturating_sub(bytes);
    u32::try_from((left * 100).checked_div(total.0).unwrap_or(0)).unwrap_or(0)
}

/// The scenario with settings of the server that leave more room: no longer `max_model_len` than the requests need, and a share that leaves
/// room beside it, first with some to spare and then without. Nothing where vLLM does not serve it, or is told so already.
pub(crate) fn roomier(scenario: &Scenario) -> impl Iterator<Item = Scenario> {
    let told = scenario.check().ok().filter(|it| engines::serving(it) == Some(Engine::Vllm)).zip(scenario.gpu);
    let shares = told.map(|(told, gpu)| {
        let run = Run::of(&told);
        [run.largest_roomy_share(gpu.capacity), run.largest_share(gpu.capacity)]
    });
    let with = |share: u32| {
        let mut other = *scenario;
        let serving = &mut other.serving;
        serving.max_model_len = serving.max_model_len.map(|_| scenario.seq_length);
        serving.utilization_percent = serving.utilization_percent.min(share);
        other
    };
    shares.into_iter().flatten().map(with).filter(move |other| other != scenario)
}

/// Tokens of the longest request below `most` whose pages take no more than `available`; 0 if none.
fn longest(pages: &Pages, batched: u64, available: Bytes, most: u32) -> u32 {
    let fits = |tokens: u32| pages.blocks(tokens.into(), batched) * pages.group_page() <= available.0;
    let (mut fit, mut fail) = (0, most);
    while fail - fit > 1 {
        let middle = fit + (fail - fit) / 2;
        if fits(middle) { fit = middle } else { fail = middle }
    }
    fit
}

#[cfg(test)]
mod tests {
    extern crate alloc;
    use super::*;
    use crate::architecture::{Architecture, Moe};
    use crate::scenario::Scenario;
    use crate::units::GIB;
    use alloc::string::ToString;

    /// "max seq len", needed GiB, available GiB and "estimated maximum model length" of public logs.
    #[test]
    fn the_estimated_length_is_the_one_in_logs() {
        let qwen3_30b = Architecture {
            moe: Some(Moe::of(128, 8, 768)),
            ..Architecture::llama([48, 2_048, 32, 4, 128, 6_144, 151_936])
        };
        let llama_1b = Architecture::llama([16, 2_048, 32, 8, 64, 8_192, 128_256]);
        for (shape, most, needed, hundredths, estimated) in [
            // Qwen3-VL 30B on an A100, 24.00 GiB for 262,144 tokens; Llama 3.2 1B, 4.00 GiB for 131,072.
            (qwen3_30b, 262_144, 24, 804, 87_840),
            (llama_1b, 131_072, 4, 65, 21_440),
        ] {
            let Ok(scenario) = Scenario::new(shape).check() else { panic!("illegal") };
            let Some(pages) = Pages::of(&scenario, 16) else { panic!("no pages") };
            assert_eq!(pages.blocks(most.into(), 2_048) * pages.group_page(), needed * GIB);
            // Logs round to a hundredth of a GiB: the estimate lies between both ends.
            let at = |thousandths: u128| longest(&pages, 2_048, Bytes(thousandths * GIB / 1_000), most);
            let range = at(hundredths * 10 - 5)..=at(hundredths * 10 + 5);
            assert!(range.contains(&estimated), "{range:?} {estimated}");
        }
    }

    #[test]
    fn refusals_speak_as_vllm_does() {
        let gib = |hundredths: u128| Bytes(hundredths * GIB / 100);
        let length =
            Refusal::Length { max_model_len: 32_768, needed: gib(500), available: gib(195), estimated: 12_768 };
        assert_eq!(
            length.to_string(),
            "vLLM refuses to start: one request of max_model_len 32,768 needs 5.00 GiB of KV cache, more than the 1.95 GiB available; the estimated maximum model length is 12,768"
        );
        let share =
            Refusal::Share { free: gib(2_350), total: gib(2_399), requested: gib(2_375), percent: 99, largest: 90 };
        assert_eq!(
            share.to_string(),
            "vLLM refuses to start: 23.5 GiB of 24.0 GiB are free on startup, less than the 23.8 GiB that gpu_memory_utilization 0.99 asks for; 0.90 is the largest that leaves room for them"
        );
    }
}
