//! Which requests vLLM accepts, how many run at once, and why it may not start at all.

use core::fmt;

use super::{Figures, Pages, Pool, Run};
use crate::bisect;
use crate::checked::Checked;
use crate::display::{ByteUnit, Grouped, Size};
use crate::scenario::Scenario;
use crate::serving::{Engine, Version};
use crate::share::Share;
use crate::units::Bytes;
use crate::verdict::Verdict;

/// Why vLLM does not start; the sentence is its `Display`, with sizes in GiB as vLLM prints them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Less memory is free at the start than the share asks for.
    Share {
        /// Free before the first tensor.
        free: Bytes,
        /// All of the GPU.
        total: Bytes,
        /// What the system holds of it, where it shares the memory.
        system: Bytes,
        /// The share.
        requested: Bytes,
        /// The share as it is told.
        share: Share,
        /// The largest share that leaves room for what lies beside it; nothing where none does.
        largest: Share,
    },
    /// Recorded graphs find no room beside the share.
    Graphs {
        /// What they lack.
        missing: Bytes,
        /// The share as it is told.
        share: Share,
        /// The largest share that leaves room for what lies beside it; nothing where none does.
        largest: Share,
    },
    /// What lies beside the share finds no room, in releases that don't ask what is free and without recorded graphs.
    Beside {
        /// What it lacks.
        missing: Bytes,
        /// The share as it is told.
        share: Share,
        /// The largest share that leaves room for what lies beside it; nothing where none does.
        largest: Share,
    },
    /// Weights, the profiled forward pass and what else comes out of the share leave nothing of it.
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
    /// The pool has fewer pages than sequences that graphs are recorded for, each of which keeps a state.
    States {
        /// `max_num_seqs`.
        sequences: u32,
        /// Pages of a group of layers.
        blocks: u64,
        /// What the missing pages take.
        missing: Bytes,
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
            Self::Beside { .. } => "beside",
            Self::NoBlocks { .. } => "no_blocks",
            Self::Length { .. } => "max_model_len",
            Self::States { .. } => "states",
            Self::NoCommonPage => "no_common_page",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gib = |bytes| Size::new(bytes, ByteUnit::Gib).plain();
        match *self {
            Self::Share { free, total, system, requested, share, largest } => {
                write!(f, "vLLM refuses to start: {} of {} are free on startup, ", gib(free), gib(total))?;
                if system > Bytes::ZERO {
                    write!(f, "since the system holds {} of them, ", gib(system))?;
                }
                write!(f, "less than the {} that gpu_memory_utilization {} asks for", gib(requested), share)?;
                lower(f, largest)
            }
            Self::Graphs { missing, share, largest } => {
                write!(
                    f,
                    "vLLM runs out of memory while it captures CUDA graphs: beside a share of gpu_memory_utilization {} they lack {}",
                    share,
                    gib(missing)
                )?;
                lower(f, largest)
            }
            Self::Beside { missing, share, largest } => {
                write!(
                    f,
                    "vLLM runs out of memory as it allots its KV cache: what lies beside a share of gpu_memory_utilization {} lacks {}",
                    share,
                    gib(missing)
                )?;
                lower(f, largest)
            }
            Self::NoBlocks { missing } => write!(
                f,
                "vLLM refuses to start: no available memory for the cache blocks; what comes out of the share before them takes {} more than it holds",
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
            Self::States { sequences, blocks, .. } => write!(
                f,
                "vLLM refuses to start: max_num_seqs ({sequences}) exceeds the {blocks} blocks that the pool has for states, of which each sequence needs one; tell it fewer sequences (--max-num-seqs), or no graphs"
            ),
            Self::NoCommonPage => f.write_str(
                "vLLM does not start: the pages of the model's layers are no multiples of each other, so they cannot share one pool",
            ),
        }
    }
}

/// The advice to take less.
fn lower(f: &mut fmt::Formatter<'_>, largest: Share) -> fmt::Result {
    if largest == Share::NONE { Ok(()) } else { write!(f, "; the largest share that surely leaves room is {largest}") }
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

    /// What the pages of a request of so many tokens take.
    fn needs(&self, pages: &Pages, tokens: u32) -> Bytes {
        Bytes(pages.needs(tokens.into(), self.batched()))
    }

    /// What the pages of the longest request that is accepted take; `None` where there are no pages.
    pub(super) fn longest_needs(&self) -> Option<Bytes> {
        self.pages().map(|pages| self.needs(&pages, self.scenario.longest_request()))
    }

    /// Why vLLM does not start on a GPU of `total` bytes with this pool, if it does not: what fails first.
    ///
    /// # Source
    /// vLLM 0.19: `request_memory`, `capture_model` and `_check_enough_kv_cache_memory`; the refusals as users met them in issues 25350 and 34076.
    pub(super) fn refusal(&self, total: Bytes, pool: &Pool) -> Option<Refusal> {
        let share = self.scenario.serving.utilization();
        let largest = Run { figures: Figures::Most, ..*self }.largest_share(total);
        let sure = self.sure();
        let outside = sure.outside(total, pool.requested);
        if pool.requested > sure.free(total) && self.constants().asks_what_is_free() {
            let (free, system) = (self.free(total), Bytes(self.system()));
            return Some(Refusal::Share { free, total, system, requested: pool.requested, share, largest });
        }
        if pool.pool.0 <= 0 {
            return Some(Refusal::NoBlocks { missing: pool.pool.magnitude() });
        }
        let Some(pages) = self.pages() else { return Some(Refusal::NoCommonPage) };
        let max_model_len = self.scenario.longest_request();
        let needed = self.needs(&pages, max_model_len);
        let available = pool.pool.magnitude();
        if needed > available {
            return Some(Refusal::Length {
                max_model_len,
                needed,
                available,
                estimated: longest(&pages, self.batched(), available, max_model_len),
            });
        }
        if let Some(states) = self.too_few_states(&pages, available) {
            return Some(states);
        }
        // Graphs come last.
        let missing = outside.magnitude();
        (outside.0 < 0).then(|| match self.cuda_graphs() {
            0 => Refusal::Beside { missing, share, largest },
            _ => Refusal::Graphs { missing, share, largest },
        })
    }

    /// Where layers keep a state, graphs are recorded for as many sequences as may run, and each needs a page for it.
    ///
    /// # Source
    /// vLLM 0.33, `CompilationConfig.adjust_cudagraph_sizes_for_mamba_cache`, by pull request 38270; issue 49064: "`max_num_seqs` (1024) exceeds available
    /// Mamba cache blocks (969)" in 0.28, and logs of 0.25, 0.27 and 0.29. Earlier releases were not looked at and are taken to do the same since 0.19. Read 2026-11-25.
    fn too_few_states(&self, pages: &Pages, available: Bytes) -> Option<Refusal> {
        let sequences = self.scenario.serving.max_num_seqs;
        let recorded = pages.keeps_states() && self.capture_sizes > 0 && self.version >= Version::MEASURED;
        let counted = available.0.checked_div(pages.group_page())?;
        let blocks = match self.figures {
            Figures::Most => counted * SURE_BLOCKS_PERCENT / 100,
            Figures::Least | Figures::Usual => counted,
        };
        let missing = u128::from(sequences).checked_sub(blocks).filter(|missing| recorded && *missing > 0)?;
        let blocks = u64::try_from(blocks).unwrap_or(u64::MAX);
        Some(Refusal::States { sequences, blocks, missing: Bytes(missing * pages.group_page()) })
    }

    /// The largest share of a GPU, in whole percent, that leaves room for what may lie beside it and for a forward pass: then the run is not tight.
    fn largest_roomy_share(&self, total: Bytes) -> Share {
        let cautious = Run { figures: Figures::Most, ..*self };
        share_that_leaves(cautious.beside().0 + cautious.system() + cautious.activation(), total)
    }

    /// The largest share of a GPU, in whole percent, that leaves room for what lies beside it.
    pub fn largest_share(&self, total: Bytes) -> Share {
        share_that_leaves(self.beside().0 + self.system(), total)
    }
}

/// Of the blocks for states that are counted, those that are surely there, in percent.
///
/// # Source
/// Counted were 22 to 34% more than vLLM had where a model sees images too (939 and 1,011 of 1,024: vllm-project/recipes pull request 831), and 3 to 14% more
/// elsewhere (recipes pull request 551 and others); also up to 17% fewer. Read 2026-11-25.
const SURE_BLOCKS_PERCENT: u128 = 75;

/// The largest share of `total`, in whole percent, beside which so many bytes are left.
fn share_that_leaves(bytes: u128, total: Bytes) -> Share {
    let left = total.0.saturating_sub(bytes);
    Share::percent(u32::try_from((left * 100).checked_div(total.0).unwrap_or(0)).unwrap_or(0))
}

/// Settings of the server that leave more room: a larger share that leaves room beside it ([`MANY`], then the largest with some to spare,
/// then the very largest), and fewer sequences to prepare the sampler and graphs for, as many as the scenario's requests at least.
/// A share below vLLM's own was chosen for a reason and is not raised. A stated `max_model_len` is a requirement and stays;
/// one that is not stated is as long as the requests already.
#[derive(Clone, Copy)]
pub(crate) struct Roomier {
    /// Sequences at once, and the shares that leave room beside what these take.
    settings: [Option<(u32, [Share; 3])>; 1 + FEWER.len()],
}

/// The share that many servers are told: vLLM's own recipes rarely ask for more.
const MANY: Share = Share::percent(95);

/// Numbers of sequences that a server is told in place of vLLM's own, the mildest first.
const FEWER: [u32; 3] = [256, 64, 16];

impl Roomier {
    /// For scenarios that differ from this one in the cache alone; nothing where vLLM does not serve it on a GPU.
    pub(crate) fn of(scenario: &Scenario) -> Option<Self> {
        let told = scenario.check().ok().filter(|it| it.runtime() == Some(Engine::Vllm))?;
        let (total, own) = (scenario.capacity()?, scenario.serving.max_num_seqs);
        let mut settings = [None; 1 + FEWER.len()];
        for (sequences, setting) in core::iter::once(own).chain(FEWER).zip(&mut settings) {
            if sequences != own && (sequences > own || sequences < scenario.batch) {
                continue;
            }
            *setting = told.with(|it| tell(it, sequences)).ok().map(|told| {
                let run = Run::of(&told);
                let roomy = run.largest_roomy_share(total);
                (sequences, [roomy.min(MANY), roomy, run.largest_share(total)])
            });
        }
        Some(Self { settings })
    }

    /// The scenario with each of them, where it is not told so already.
    pub(crate) fn each(self, scenario: &Scenario) -> impl Iterator<Item = Scenario> {
        let own = scenario.serving.utilization();
        let with = move |(sequences, share): (u32, Share)| {
            let mut other = *scenario;
            tell(&mut other, sequences);
            let serving = &mut other.serving;
            let raised = own >= serving.version.utilization();
            let share = if raised { share } else { own.min(share) };
            if share != own {
                serving.gpu_memory_utilization = Some(share);
            }
            other
        };
        let shares = move |kind: Option<usize>| {
            let share = move |shares: [Share; 3]| kind.map_or(Some(own), |kind| shares.get(kind).copied());
            self.settings.into_iter().flatten().filter_map(move |(sequences, shares)| Some((sequences, share(shares)?)))
        };
        // The mildest share comes first, with as many sequences as go.
        [None, Some(0), Some(1), Some(2)].into_iter().flat_map(shares).map(with).filter(move |other| other != scenario)
    }
}

/// Tells a server how many sequences run at once at most.
fn tell(scenario: &mut Scenario, sequences: u32) {
    if scenario.serving.max_num_seqs != sequences {
        (scenario.serving.max_num_seqs, scenario.serving.usual_seqs) = (sequences, false);
    }
}

/// The scenario with the mildest other settings of its server with which it fits, or at least starts and is only tight: a share of the GPU and how many sequences
/// run at once. `None` where vLLM does not serve it, or no setting helps.
pub fn with_mildest_settings(scenario: &Checked) -> Option<Checked> {
    let (settings, capacity) = (Roomier::of(scenario)?, scenario.capacity()?);
    let judged = |verdict| {
        let mut others = settings.each(scenario).filter_map(|it| it.check().ok());
        others.find(|it| super::start(it, capacity).verdict == verdict)
    };
    judged(Verdict::Fits).or_else(|| judged(Verdict::Tight))
}

/// The scenario with the largest share of its GPU that leaves room beside it; `None` where vLLM does not serve it, or has that share.
pub fn with_largest_share(scenario: &Checked) -> Option<Checked> {
    let capacity = scenario.capacity().filter(|_| scenario.runtime() == Some(Engine::Vllm))?;
    let share = Run::of(scenario).largest_roomy_share(capacity);
    if share == scenario.serving.utilization() {
        return None;
    }
    scenario.with(|it| it.serving.gpu_memory_utilization = Some(share)).ok()
}

/// Tokens of the longest request below `most` whose pages take no more than `available`; 0 if none.
fn longest(pages: &Pages, batched: u64, available: Bytes, most: u32) -> u32 {
    let fits = |tokens: u32| pages.needs(tokens.into(), batched) <= available.0;
    bisect::last(0, most, fits)
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
            let Some(pages) = Pages::of(&scenario, 16, Version::MEASURED) else { panic!("no pages") };
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
        let share = Refusal::Share {
            free: gib(2_350),
            total: gib(2_399),
            system: Bytes::ZERO,
            requested: gib(2_375),
            share: Share::percent(99),
            largest: Share::percent(90),
        };
        assert_eq!(
            share.to_string(),
            "vLLM refuses to start: 23.5 GiB of 24.0 GiB are free on startup, less than the 23.8 GiB that gpu_memory_utilization 0.99 asks for; the largest share that surely leaves room is 0.90"
        );
    }
}
