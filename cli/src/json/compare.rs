//! The plans of a file side by side, for programs.

use memory_wall_core::Bucket;
use memory_wall_core::display::ByteUnit;
use memory_wall_core::units::Seconds;
use memory_wall_plan::answers::{Served, Trained};
use memory_wall_plan::reply::Reply;
use memory_wall_plan::typical;
use serde::Serialize;

use super::{PerBucket, ends};
use crate::compare::{Column, Difference, change, worst_first};

/// The answer of `compare --json`. Ranges are two numbers, the smaller first.
#[derive(Debug, Serialize)]
pub(crate) struct Compared<'a> {
    plans: Vec<Planned<'a>>,
    differing_inputs: Vec<Input>,
}

/// A plan with its answer.
#[derive(Debug, Serialize)]
struct Planned<'a> {
    name: &'a str,
    refusal: Option<&'a str>,
    verdict: Option<&'static str>,
    reason: String,
    gpus: Option<u64>,
    needed_bytes: Option<[u128; 2]>,
    capacity_bytes: Option<u128>,
    margin_bytes: Option<i128>,
    max_seq: Option<u32>,
    max_batch_in_all: Option<u64>,
    /// Of a training step that generates what it learns from, when most lies on a GPU.
    peak_moment: Option<&'static str>,
    /// The longest completion there.
    max_completion_length: Option<u32>,
    pool_tokens: Option<[u128; 2]>,
    tokens_per_second: Option<[f64; 2]>,
    serving: Option<Serving>,
    training: Option<Training>,
    buckets: Option<PerBucket<u128>>,
    total_bytes: Option<u128>,
    /// Against the first plan.
    change: Option<Changes>,
    notes: &'a [String],
}

/// How fast it serves.
#[derive(Debug, Serialize)]
struct Serving {
    /// On each data-parallel rank.
    running_requests: u32,
    ttft_seconds: [f64; 2],
    tpot_seconds: [f64; 2],
    /// What measured runs come to, where some back it.
    ttft_typical: Option<Typical>,
    tpot_typical: Option<Typical>,
    tokens_per_second_per_user: [f64; 2],
    dollars_per_million_tokens: Option<[f64; 2]>,
    watt_hours_per_million_tokens: Option<[f64; 2]>,
}

/// What runs of a program typically take.
#[derive(Debug, Serialize)]
struct Typical {
    seconds: f64,
    runtime: &'static str,
    runs: u32,
}

/// How fast it trains.
#[derive(Debug, Serialize)]
struct Training {
    step_seconds: [f64; 2],
    tokens_per_second: [f64; 2],
    mfu: [f64; 2],
    run: Option<WholeRun>,
}

#[derive(Debug, Serialize)]
struct WholeRun {
    tokens: u64,
    seconds: [f64; 2],
    gpu_hours: [f64; 2],
    dollars: Option<[f64; 2]>,
    watt_hours: Option<[f64; 2]>,
}

#[derive(Debug, Serialize)]
struct Changes {
    buckets: PerBucket<Option<Change>>,
    total: Change,
}

/// What a part has more than that of the first plan, and how much that is of it; nothing where that is zero.
#[derive(Debug, Serialize)]
struct Change {
    bytes: i128,
    share: Option<f64>,
}

/// An option in which the plans differ, with its value in each.
#[derive(Debug, Serialize)]
struct Input {
    option: &'static str,
    values: Vec<Option<String>>,
}

impl<'a> Compared<'a> {
    pub(crate) fn new(columns: &'a [Column], differences: &[Difference], unit: ByteUnit) -> Self {
        let input = |Difference { option, values }: &Difference| Input { option: option.name, values: values.clone() };
        Self {
            plans: (0..columns.len()).filter_map(|place| Planned::new(columns, place, unit)).collect(),
            differing_inputs: differences.iter().map(input).collect(),
        }
    }
}

impl<'a> Planned<'a> {
    fn new(columns: &'a [Column], place: usize, unit: ByteUnit) -> Option<Self> {
        let column = columns.get(place)?;
        let (reply, answers) = (column.reply(), column.answers());
        let rollout = match reply {
            Some(Reply::Rollout(rollout)) => Some(rollout),
            _ => None,
        };
        let more = |bucket| change(columns, place, bucket).map(|(bytes, share)| Change { bytes: bytes.0, share });
        Some(Self {
            name: column.name(),
            refusal: column.refusal(),
            verdict: column.verdict().map(memory_wall_core::Verdict::id),
            reason: column.reason(unit),
            gpus: reply.map(Reply::gpus),
            needed_bytes: reply.and_then(Reply::needed).map(ends),
            capacity_bytes: reply.and_then(Reply::capacity).map(|bytes| bytes.0),
            margin_bytes: reply.and_then(Reply::spare).map(|bytes| bytes.0),
            max_seq: reply.and_then(Reply::longest),
            max_batch_in_all: reply.and_then(Reply::most_sequences),
            peak_moment: rollout.map(|it| it.made.peak().moment.id()),
            max_completion_length: rollout.and_then(|it| it.longest_completion()),
            pool_tokens: reply.and_then(Reply::pool).map(ends),
            tokens_per_second: reply.and_then(Reply::written),
            serving: answers.and_then(|it| it.served).as_ref().map(Serving::new),
            training: answers.and_then(|it| it.trained).as_ref().map(Training::new),
            buckets: answers.map(|it| PerBucket::of(|bucket| it.evaluation.bytes(bucket).0)),
            total_bytes: column.bytes(None).map(|bytes| bytes.0),
            change: more(None)
                .map(|total| Changes { buckets: PerBucket::of(|bucket: Bucket| more(Some(bucket))), total }),
            notes: column.notes(),
        })
    }
}

impl Serving {
    fn new(served: &Served) -> Self {
        Self {
            running_requests: served.batch,
            ttft_seconds: seconds(served.service.ttft),
            tpot_seconds: seconds(served.service.tpot),
            ttft_typical: served.typical.ttft.map(Typical::new),
            tpot_typical: served.typical.tpot.map(Typical::new),
            tokens_per_second_per_user: worst_first(served.per_user),
            dollars_per_million_tokens: served.per_million,
            watt_hours_per_million_tokens: served.energy_per_million,
        }
    }
}

impl Typical {
    const fn new(typical: typical::Typical) -> Self {
        Self { seconds: typical.time.0, runtime: typical.runtime.id(), runs: typical.runs }
    }
}

impl Training {
    fn new(trained: &Trained) -> Self {
        Self {
            step_seconds: seconds(trained.step),
            tokens_per_second: worst_first(trained.rate),
            mfu: worst_first(trained.mfu),
            run: trained.run.map(|run| WholeRun {
                tokens: run.tokens,
                seconds: run.seconds,
                gpu_hours: run.gpu_hours,
                dollars: run.price,
                watt_hours: run.energy,
            }),
        }
    }
}

fn seconds(ends: [Seconds; 2]) -> [f64; 2] {
    ends.map(|end| end.0)
}
