//! A run held against its GPU.

use super::largest::{max_batch, max_seq_length};
use super::peak::total;
use crate::bisect;
use crate::checked::Checked;
use crate::engines::llamacpp::{beyond_vulkan, doubtful};
use crate::engines::{self, system, vllm};
use crate::memory::activations::transformers::backward::would_hold_done_layers;
use crate::memory::activations::transformers::with_wide_attention;
use crate::memory::overhead::{self, tight_percent};
use crate::memory::{host, optimizer, weights};
use crate::scenario::Scenario;
use crate::serving::Engine;
use crate::units::{Bytes, SignedBytes};
use crate::verdict::Verdict;

/// A scenario held against its GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Bytes that the GPU really offers, not the number printed on the box; what a newer macOS lends where only that holds the run.
    pub capacity: Bytes,
    /// What the run may take in all: the capacity, less what the system holds of it, or what a program that takes a share of it leaves to be taken.
    pub limit: Bytes,
    /// The limit less the peak; negative is missing. Of a program that takes a share of the GPU, what is left of that share.
    pub margin: SignedBytes,
    /// The judgement.
    pub verdict: Verdict,
    /// Longest `seq_length` that still fits, 0 if none does, at most the bound of [`crate::bounds::SEQ_LENGTH`].
    /// Where vLLM refuses its `max_model_len` as too long for the pool, the longest that fits with a shorter one.
    pub max_seq: u32,
    /// Largest batch that still fits, 0 if none does, at most the bound of [`crate::bounds::BATCH`].
    pub max_batch: u32,
}

impl Fit {
    /// The run whose fullest rank this is and takes `total`, on a GPU of `capacity`.
    pub(super) fn of(rank: &Checked, capacity: Bytes, total: Bytes) -> Self {
        let (capacity, Judgement { limit, margin, verdict }) = judge_lent(rank, capacity, || total);
        // What waits in host memory depends on neither.
        let [max_seq, max_batch] = if on_host(rank) == Verdict::DoesNotFit {
            [0; 2]
        } else {
            // What a newer macOS lends holds more, tightly.
            let lent = rank.newer_lends().unwrap_or(capacity);
            let limit = if lent == capacity { limit } else { engines::limit(rank, lent) };
            [longest(rank, lent, limit), most_at_once(rank, lent, limit)]
        };
        Self { capacity, limit, margin, verdict, max_seq, max_batch }
    }

    /// The longest sequence that fits, of those that the model reads at all.
    pub fn longest(&self, scenario: &Scenario) -> u32 {
        self.max_seq.min(scenario.architecture.end_of_table().unwrap_or(u32::MAX))
    }
}

/// The longest `seq_length` that fits and that the program accepts.
fn longest(rank: &Checked, capacity: Bytes, limit: Bytes) -> u32 {
    if rank.runtime() != Some(Engine::Vllm) {
        return max_seq_length(rank, limit).min(engines::longest_accepted(rank));
    }
    let too_long = || matches!(vllm::start(rank, capacity).refusal, Some(vllm::Refusal::Length { .. }));
    if rank.serving.max_model_len.is_none() || !too_long() {
        return longest_held(rank, capacity, limit);
    }
    let open = rank.with(|it| it.serving.max_model_len = None);
    open.map_or(0, |open| longest_held(&open, capacity, engines::limit(&open, capacity)))
}

/// The longest accepted `seq_length` with which vLLM starts and its pool holds all requests; 0 if none.
fn longest_held(rank: &Checked, capacity: Bytes, limit: Bytes) -> u32 {
    let holds = |seq_length| runs_at_once(&rank.with_seq_length(seq_length), capacity);
    // Nearly always the sum of all parts is what decides. Where longer requests are prepared with more graphs, beside the share, it is not.
    let most = engines::longest_accepted(rank);
    let by_sum = max_seq_length(rank, limit).min(most);
    let found = if (by_sum == 0 || holds(by_sum)) && (by_sum == most || !holds(by_sum + 1)) {
        by_sum
    } else if holds(most) {
        most
    } else {
        bisect::last(0, most, holds)
    };
    // A request has a prompt and an answer.
    if found < 2 { 0 } else { found }
}

/// Whether vLLM starts on a GPU of `capacity` and its pool holds all requests.
fn runs_at_once(rank: &Checked, capacity: Bytes) -> bool {
    let start = vllm::start(rank, capacity);
    start.refusal.is_none() && start.requests.held >= rank.batch.into()
}

/// The largest batch that fits, of those that vLLM starts for and runs at once where it serves the run.
fn most_at_once(rank: &Checked, capacity: Bytes, limit: Bytes) -> u32 {
    let by_sum = max_batch(rank, limit);
    if rank.runtime() != Some(Engine::Vllm) {
        return by_sum;
    }
    let by_sum = by_sum.min(rank.serving.max_num_seqs);
    // The sum does not know what fails beside the share.
    let holds = |batch| runs_at_once(&rank.with_batch(batch), capacity);
    if by_sum == 0 || holds(by_sum) { by_sum } else { bisect::last(0, by_sum, holds) }
}

/// What a scenario takes with re-entrant checkpoints, where it may run so and would take more.
fn with_reentrant(scenario: &Checked) -> Option<Bytes> {
    if scenario.training.stock.reentrant || !would_hold_done_layers(scenario) {
        return None;
    }
    scenario.with(|it| it.training.stock.reentrant = true).ok().map(|there| total(&there))
}

/// Whether `need` leaves less of `limit` than fragmentation may take.
fn leaves_little(scenario: &Checked, capacity: Bytes, limit: Bytes, need: Bytes) -> bool {
    limit.0.checked_sub(need.0).is_none_or(|left| left * 100 < capacity.0 * tight_percent(scenario))
}

/// Whether a scenario is tight for no other reason than that re-entrant checkpoints would leave too little.
pub fn tight_by_reentrant(scenario: &Checked) -> bool {
    scenario.capacity().is_some_and(|capacity| {
        let limit = engines::limit(scenario, capacity);
        let little = |need| leaves_little(scenario, capacity, limit, need);
        !little(total(scenario)) && with_reentrant(scenario).is_some_and(little)
    })
}

/// A scenario held against a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Judgement {
    /// What the scenario may need in all. A program that takes a share of the GPU leaves the rest alone, and a system may share its memory, so this may be less than the GPU.
    limit: Bytes,
    /// Limit less need; negative is missing.
    margin: SignedBytes,
    /// The verdict.
    verdict: Verdict,
}

/// Whether a scenario that needs `total` on its fullest rank goes on a GPU of `capacity`.
///
/// vLLM takes a share of the GPU and keeps what its pool cannot use, so there its start decides: the scenario fits when vLLM starts
/// and its pool holds the cache of all sequences, and queues where that holds fewer, [`vllm::Start`].
fn judge(scenario: &Checked, capacity: Bytes, total: impl Fn() -> Bytes) -> Judgement {
    if scenario.runtime() == Some(Engine::Vllm) {
        let vllm::Start { margin, verdict, .. } = vllm::start(scenario, capacity);
        return Judgement { limit: engines::limit(scenario, capacity), margin, verdict };
    }
    let limit = engines::limit(scenario, capacity);
    let need = total();
    let evictable = gives_way(scenario);
    // What is paged gives way to the rest, and what is in doubt may not be there: then nothing is missing, and nothing to spare.
    let margin = match limit.minus(need) {
        missing if missing.0 < 0 && missing.magnitude() <= evictable => SignedBytes(0),
        missing if missing.0 < 0 => limit.minus(need - evictable),
        margin => margin,
    };
    let verdict = if margin.0 < 0 {
        Verdict::DoesNotFit
    } else if leaves_little(scenario, capacity, limit, need)
        || with_reentrant(scenario).is_some_and(|most| leaves_little(scenario, capacity, limit, most))
        || with_wide_attention(scenario)
            .is_some_and(|it| leaves_little(scenario, capacity, limit, super::peak::total(&it)))
        || margin.magnitude().0 < weights::in_wider_files(scenario)
        || overhead::of_megatron(scenario) && margin.magnitude().0 * 100 < need.0 * overhead::megatron_percent(scenario)
        || beyond_vulkan(scenario).is_some()
    {
        Verdict::Tight
    } else {
        Verdict::Fits
    };
    Judgement { limit, margin, verdict: verdict.worse(on_host(scenario)) }
}

/// How much more than its limit a scenario may count and still go in: what can leave the GPU, and what may not be there.
pub fn gives_way(scenario: &Checked) -> Bytes {
    optimizer::evictable(scenario) + doubtful(scenario) + system::doubtful(scenario)
}

/// What host memory makes of the scenario.
fn on_host(scenario: &Checked) -> Verdict {
    host::verdict(scenario).unwrap_or(Verdict::Fits)
}

/// The same where newer systems lend the GPU more: a run that only the larger part holds is tight, and held against that.
fn judge_lent(scenario: &Checked, capacity: Bytes, total: impl Fn() -> Bytes) -> (Bytes, Judgement) {
    let least = judge(scenario, capacity, &total);
    let newer = scenario.newer_lends().filter(|_| least.verdict == Verdict::DoesNotFit);
    let held = newer.map(|newer| (newer, judge(scenario, newer, &total))).filter(|(_, there)| there.margin.0 >= 0);
    held.map_or((capacity, least), |(newer, there)| {
        (newer, Judgement { verdict: there.verdict.worse(Verdict::Tight), ..there })
    })
}

/// What the scenario's own GPU makes of it; `None` without one.
pub fn verdict(scenario: &Checked) -> Option<Verdict> {
    Some(judge_lent(scenario, scenario.capacity()?, || total(scenario)).1.verdict)
}

/// What a newer macOS lends the scenario's GPU, where only that holds it.
pub fn only_newer_holds(scenario: &Checked) -> Option<Bytes> {
    let capacity = scenario.capacity()?;
    let (judged_by, _) = judge_lent(scenario, capacity, || total(scenario));
    (judged_by > capacity).then_some(judged_by)
}

/// What a GPU of `capacity` makes of the scenario, on its fullest rank.
pub fn verdict_on(scenario: &Checked, capacity: Bytes) -> Verdict {
    judge(scenario, capacity, || total(scenario)).verdict
}

/// Whether the scenario goes on a GPU of `capacity`, on every rank.
pub fn fits(scenario: &Checked, capacity: Bytes) -> bool {
    on_host(scenario).holds() && total(scenario) <= engines::limit(scenario, capacity) + gives_way(scenario)
}

/// Bytes of the optimizer's states that have to leave the scenario's own GPU, where they can: it fits no other way.
pub fn paged_out(scenario: &Checked) -> Option<Bytes> {
    let missing = total(scenario).minus(engines::limit(scenario, scenario.capacity()?));
    let missing = (missing.0 > 0).then(|| missing.magnitude())?;
    (missing <= optimizer::evictable(scenario)).then_some(missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mode;
    use crate::parallelism::{Parallelism, ZeroStage};
    use crate::precision::WeightFormat;
    use crate::tables::{gpus, models};
    use crate::training::{Checkpointing, LoraTargets};

    /// fms-acceleration's benchmark: with two sequences a GPU it ran, with four it died.
    fn measured(batch: u32, reentrant: bool) -> Checked {
        let llama = models::by_id("llama-2-70b").unwrap().architecture;
        let mut scenario = Scenario { mode: Mode::Qlora, batch, seq_length: 4_096, ..Scenario::new(llama) };
        (scenario.weights, scenario.checkpointing) = (WeightFormat::Nf4Dq, Checkpointing::Full);
        (scenario.training.lora.targets, scenario.training.lora.dropout) = (LoraTargets::ATTENTION, true);
        scenario.training.stock.reentrant = reentrant;
        scenario.parallel = Parallelism { dp: 2, zero: ZeroStage::Weights, ..Parallelism::ONE };
        scenario.gpu = gpus::by_id("a100-80-sxm");
        scenario.check().unwrap()
    }

    /// Unsloth's table of runs with FlashAttention 2: Llama 3.1 8B, rank 32 on all linear layers, one sequence.
    #[test]
    fn scores_that_only_a_plain_script_keeps_make_a_run_tight() {
        for (id, seq_length, gpu) in [
            ("llama-3.1-8b", 28_454, "a100-80-sxm"),
            ("llama-3.1-8b", 12_264, "a100-40-sxm"),
            ("llama-3.1-8b", 5_789, "rtx4090"),
            ("llama-3.1-70b", 6_916, "a100-80-sxm"),
        ] {
            let mut scenario = Scenario {
                mode: Mode::Qlora,
                weights: WeightFormat::Nf4Dq,
                checkpointing: Checkpointing::Full,
                seq_length,
                gpu: gpus::by_id(gpu),
                ..Scenario::new(models::by_id(id).unwrap().architecture)
            };
            scenario.training.lora.rank = 32;
            let at = |scenario: &Scenario| verdict(&scenario.check().unwrap()).unwrap();
            assert_eq!(at(&scenario), Verdict::Tight, "{id} {gpu}");
            scenario.training.stock.wide_attention = true;
            assert_eq!(at(&scenario), Verdict::DoesNotFit, "{id} {gpu}");
        }
    }

    #[test]
    fn a_run_that_died_does_not_fit_with_room() {
        assert_eq!(verdict(&measured(2, true)), Some(Verdict::Fits));
        assert_eq!(verdict(&measured(4, true)), Some(Verdict::Tight));
        // Nor where it is not known that checkpoints are re-entrant.
        assert_eq!(verdict(&measured(4, false)), Some(Verdict::Tight));
        assert!(tight_by_reentrant(&measured(4, false)) && !tight_by_reentrant(&measured(4, true)));
    }

    /// hiyouga/LlamaFactory issue 6999: it died over seven A800, and over eight by a report whose settings are not given.
    #[test]
    fn zero3_needs_more_to_spare() {
        let on = |dp| {
            let qwen = models::by_id("qwen2.5-32b").unwrap().architecture;
            let mut scenario = Scenario { mode: Mode::Training, seq_length: 1_024, ..Scenario::new(qwen) };
            scenario.checkpointing = Checkpointing::Full;
            scenario.parallel = Parallelism { dp, zero: ZeroStage::Weights, ..Parallelism::ONE };
            scenario.gpu = gpus::by_id("a800-80-sxm");
            verdict(&scenario.check().unwrap())
        };
        assert_eq!([7, 8, 16].map(on), [Verdict::Tight, Verdict::Tight, Verdict::Fits].map(Some));
    }

    /// The benchmark of `fsdp_qlora` with DDP on two RTX 3090: 20.9 GiB reserved, 8% more than is counted.
    #[test]
    fn adapters_on_several_gpus_need_more_to_spare() {
        let on = |dp| {
            let llama = models::by_id("llama-2-7b").unwrap().architecture;
            let mut scenario = Scenario { mode: Mode::Qlora, batch: 8, seq_length: 2_048, ..Scenario::new(llama) };
            (scenario.weights, scenario.checkpointing) = (WeightFormat::Nf4Dq, Checkpointing::Full);
            (scenario.parallel.dp, scenario.gpu) = (dp, gpus::by_id("rtx3090"));
            verdict(&scenario.check().unwrap())
        };
        assert_eq!((on(1), on(2)), (Some(Verdict::Fits), Some(Verdict::Tight)));
    }
}
