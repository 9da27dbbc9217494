//! Whether vLLM starts, and what its pool holds.

use super::{Figures, Graphs, Pages, Refusal, Requests, Run, Span};
use crate::checked::Checked;
use crate::engines::system;
use crate::memory::{full_stages, kv_cache};
use crate::precision::WeightFormat;
use crate::serving::Version;
use crate::tables::capability;
use crate::units::{Bytes, GIB, SignedBytes};
use crate::verdict::Verdict;
use crate::worked;

/// What becomes of the share of a GPU that vLLM takes, on one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool {
    /// The share: utilization × total.
    pub requested: Bytes,
    /// Weights.
    pub weights: Bytes,
    /// Peak of the profiled forward pass.
    pub activation: Bytes,
    /// Allocated beside PyTorch.
    pub non_torch: Bytes,
    /// Recorded graphs: inside the share from 0.21 on, before that beside it (see [`Graphs`]).
    pub cuda_graphs: Bytes,
    /// What the process takes before its first tensor: beside the share, and in 0.8 out of it.
    pub context: Bytes,
    /// What is left for pages; negative is missing.
    pub pool: SignedBytes,
    /// Tokens that the pages hold: "GPU KV cache size".
    pub tokens: u128,
}

/// A start of vLLM.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// The share and its parts.
    pub pool: Pool,
    /// What the pages of all requests take.
    pub need: Bytes,
    /// What is left of the GPU beside the share and what lies there; negative is missing.
    pub outside: SignedBytes,
    /// What the pool has to spare when it holds all requests; negative is what is missing for that, or for the start.
    pub margin: SignedBytes,
    /// Why vLLM does not start, if it does not.
    pub refusal: Option<Refusal>,
    /// Why a start may fail all the same, if it may.
    pub tightness: Option<Tightness>,
    /// How many requests run at once.
    pub requests: Requests,
    /// Does not fit where vLLM does not start; queues where its pool does not hold all requests at once, or `max_num_seqs` does not let them run; tight where there is a [`Tightness`].
    pub verdict: Verdict,
}

/// What may fail although the usual figures go in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tightness {
    /// With the largest figures of the logs vLLM does not start.
    Start(Refusal),
    /// With the largest figures of the logs the pool does not hold all requests at once.
    Pool,
    /// Less is left beside the share than one forward pass takes, which runs again once the pool stands and then finds no room
    /// that the allocator can join. Both by the largest figures of the logs.
    Beside {
        /// What is left there; negative is missing.
        left: SignedBytes,
        /// What the forward pass takes.
        pass: Bytes,
    },
}

/// The share of a GPU that vLLM takes, rounded up.
pub fn requested(scenario: &Checked, total: Bytes) -> Bytes {
    scenario.serving.utilization().of(total)
}

/// What becomes of the share of a GPU of `total` bytes under a release of vLLM, on the rank that is looked at.
///
/// # Formula
/// pool = requested − weights − activation − non-torch; from 0.21 on less graphs too.
///
/// # Units
/// Bytes; tokens.
///
/// # Assumes
/// What a shape does not say is as in [`Run::of`]: text only, one rotary table, pages of 16 tokens.
///
/// # Source
/// vLLM 0.19.0, `gpu_worker.determine_available_memory`.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Scenario, Share, engines::vllm, serving::Version, tables::models};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// scenario.serving.gpu_memory_utilization = Some(Share::percent(95));
/// let scenario = scenario.check().unwrap();
/// let pool = vllm::pool(&scenario, Version::MEASURED, Bytes(85_029_615_042));
/// // A log of an H100 says 14.99, 1.89, 0.25 and 58.11 GiB, and 476,016 tokens.
/// let gib = |bytes: Bytes| (bytes.as_gib() * 100.0).round() / 100.0;
/// assert_eq!((gib(pool.weights), gib(pool.activation), gib(pool.non_torch)), (14.99, 1.88, 0.25));
/// assert_eq!(gib(pool.pool.magnitude()), 58.11);
/// assert_eq!(pool.tokens, 476_000);
/// ```
pub fn pool(scenario: &Checked, version: Version, total: Bytes) -> Pool {
    Run { version, ..Run::of(scenario) }.pool(requested(scenario, total))
}

impl Run<'_> {
    /// What becomes of a share of so many bytes.
    pub fn pool(&self, requested: Bytes) -> Pool {
        let [weights, activation, non_torch] = [self.weights(), self.activation(), self.non_torch()].map(Bytes);
        let cuda_graphs = Bytes(self.cuda_graphs());
        let graphs = if self.graphs_lie() == Graphs::Beside { Bytes::ZERO } else { cuda_graphs };
        let context = Bytes(self.context());
        let inside = if self.constants().context_inside { context } else { Bytes::ZERO };
        let pool = requested.minus(weights + activation + non_torch + graphs + inside);
        let room = u128::try_from(pool.0).unwrap_or(0);
        Pool {
            requested,
            weights,
            activation,
            non_torch,
            cuda_graphs,
            context,
            pool,
            tokens: self.pages().map_or(0, |pages| self.held_tokens(&pages, room)),
        }
    }

    /// Tokens that the pages hold, as the release prints them.
    pub fn held_tokens(&self, pages: &Pages, room: u128) -> u128 {
        if !self.constants().tokens_by_concurrency() && !pages.by_requests() {
            return pages.tokens(room);
        }
        let longest = self.scenario.longest_request();
        let each = pages.blocks(longest.into(), self.batched()).max(1);
        let blocks = room.checked_div(pages.group_page()).unwrap_or(0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "vLLM's own `int` of a product that is not negative"
        )]
        let tokens = (blocks as f64 / each as f64 * f64::from(longest)) as u128;
        tokens
    }

    /// What must be free beside the share.
    pub(super) fn beside(&self) -> Bytes {
        let graphs = match self.graphs_lie() {
            Graphs::Inside => 0,
            Graphs::Either if self.figures != Figures::Most => 0,
            Graphs::Either | Graphs::Beside => self.cuda_graphs(),
        };
        let context = if self.constants().context_inside { 0 } else { self.context() };
        Bytes(context + graphs + self.unprofiled())
    }

    /// What the kernels of experts in MXFP4 may take on Hopper after the profile, in releases from 0.13 to 0.16.
    ///
    /// # Source
    /// vLLM issue 33155: gpt-oss 120B on one H100 with a share of 0.97 starts in 0.11.2 and runs out of memory in 0.14.1, with one sequence and 5,120 tokens too ("Using Triton
    /// backend"). How much it lacked isn't said. Read 2026-11-26.
    fn unprofiled(&self) -> u128 {
        let within =
            self.version >= (Version { major: 0, minor: 13 }) && self.version < (Version { major: 0, minor: 17 });
        let hopper = self.scenario.gpu.and_then(capability::of).is_some_and(|has| has.major == 9);
        let mxfp4 = self.scenario.weights == WeightFormat::Mxfp4;
        if self.figures == Figures::Most && within && hopper && mxfp4 { 2 * GIB } else { 0 }
    }

    /// A start on a GPU of `total` bytes with a share of `requested`.
    pub fn start(&self, total: Bytes, requested: Bytes) -> Start {
        let pool = self.pool(requested);
        let need = Bytes(self.cache(worked::total(|sink| kv_cache::terms(self.scenario, sink)).0).0);
        let outside = self.sure().outside(total, requested);
        let refusal = self.refusal(total, &pool);
        let less = |bytes: Bytes| SignedBytes(pool.pool.0.saturating_sub(bytes.minus(Bytes::ZERO).0));
        let spare = less(need);
        // Where it does not start, all that a start needs counts, whatever fails first: so that a fuller stage is never the better one.
        let missing = refusal.map_or(spare, |_| {
            let longest = self.longest_needs().map_or(spare, less);
            // Also where the context comes out of the share: newer releases ask for the share of what is free beside it.
            let asks = self.constants().asks_what_is_free();
            let free = if asks { self.sure().free(total).minus(requested) } else { SignedBytes(0) };
            let states = match refusal {
                Some(Refusal::States { missing, .. }) => Bytes::ZERO.minus(missing),
                _ => longest,
            };
            [outside, free].into_iter().filter(|room| room.0 < 0).fold(longest.min(states), SignedBytes::min)
        });
        let tightness = self.tightness(total, requested, need);
        let requests = self.requests(&pool);
        let verdict = if refusal.is_some() {
            Verdict::DoesNotFit
        } else if spare.0 < 0 || requests.waiting > 0 {
            Verdict::Queues
        } else if tightness.is_some() {
            Verdict::Tight
        } else {
            Verdict::Fits
        };
        Start { pool, need, outside, margin: spare.min(missing), refusal, tightness, requests, verdict }
    }

    /// What fails with the largest figures of the logs.
    fn tightness(&self, total: Bytes, requested: Bytes, need: Bytes) -> Option<Tightness> {
        let cautious = Run { figures: Figures::Most, ..*self };
        let pool = cautious.pool(requested);
        let refused = cautious.refusal(total, &pool).map(Tightness::Start);
        let short = || (pool.pool < need.minus(Bytes::ZERO)).then_some(Tightness::Pool);
        let beside = || {
            let (left, pass) = (cautious.outside(total, requested), pool.activation);
            (left < pass.minus(Bytes::ZERO)).then_some(Tightness::Beside { left, pass })
        };
        refused.or_else(short).or_else(beside)
    }

    /// What is free of a GPU when vLLM asks for its share.
    pub(super) fn free(&self, total: Bytes) -> Bytes {
        Bytes(total.0.saturating_sub(self.context() + self.system()))
    }

    /// The figures by which vLLM is said to refuse a start, because too little is free beside the share. Where CPU and GPU share a memory, these are the smallest in logs
    /// and not the usual ones: what the system holds differs from computer to computer. A start that only fits with the smallest figures is tight.
    ///
    /// # Source
    /// djangodevreng/dgx-spark-benchmarks, a GB10: 28 runs of vLLM 0.26 with a share of 0.90 (`results/*/*/*/meta.json`), three of which lack up to 0.2 GiB for graphs by the usual
    /// figures, and three starts of 0.19 with 0.95 (`_bootlog.txt` of Qwen3.6 35B-A3B and of Nemotron 3 Super and Nano 4B). Read 2026-11-26.
    pub(super) fn sure(&self) -> Self {
        let varies = system::held(self.scenario).is_some_and(Span::is_range);
        let figures = if varies && self.figures == Figures::Usual { Figures::Least } else { self.figures };
        Run { figures, ..*self }
    }

    /// What is left of a GPU beside the share and what lies beside it.
    pub(super) fn outside(&self, total: Bytes, requested: Bytes) -> SignedBytes {
        total.minus(requested + self.beside() + Bytes(self.system()))
    }
}

/// A start on the ranks of a GPU of `total` bytes, as the tightest stage of the pipeline sees it: the one that does not start,
/// or that holds the fewest requests. Its verdict and its margin are the worst of all stages.
pub fn start(scenario: &Checked, total: Bytes) -> Start {
    let on = |stage| {
        let scenario = scenario.at_stage(stage);
        Run::of(&scenario).start(total, requested(&scenario, total))
    };
    let room = |start: &Start| (start.refusal.is_none(), start.requests.held, start.pool.pool);
    // The first stage is never covered by another.
    full_stages(scenario).filter(|stage| *stage > 0).map(on).fold(on(0), |known, here| {
        let tightest = if room(&here) < room(&known) { here } else { known };
        Start {
            margin: known.margin.min(here.margin),
            tightness: known.tightness.or(here.tightness),
            verdict: known.verdict.worse(here.verdict),
            ..tightest
        }
    })
}

/// What the scenario may need in all on a GPU of `capacity`: the share and what lies beside it, or nothing where vLLM
/// would not start however few and short the requests are.
pub(in crate::engines) fn limit(scenario: &Checked, capacity: Bytes) -> Bytes {
    let least = scenario.with_batch(1).with_seq_length(1);
    let starts = start(&least, capacity).refusal.is_none();
    // The shortest request may be prepared with fewer graphs than those of the scenario, for which there is then no room.
    let run = Run::of(scenario);
    let share = requested(scenario, capacity);
    let lacking = match run.sure().outside(capacity, share) {
        room if room.0 < 0 => room.magnitude(),
        _ => Bytes::ZERO,
    };
    let most = share + run.beside();
    if starts { Bytes(most.0.saturating_sub(lacking.0)) } else { Bytes::ZERO }
}
