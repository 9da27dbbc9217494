//! Start-up logs of vLLM: weights, the profiled forward pass, the pool and its tokens, recorded graphs, and starts that failed.

use memory_wall_core::engines::vllm::{Constants, Pages, Pool};
use memory_wall_core::serving::Version;
use memory_wall_core::{Bytes, Verdict};

use super::reading::{counts, left_out};
use super::vllm_beside::covers;
use super::vllm_errors::Logged;
use super::vllm_run::{Read, bytes_of_gib, read};
use crate::csv;
use crate::{Bound, Data, Outcome, Row, Set, Use};

/// The kinds of runs that are held to bounds of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Dense,
    MixtureOrVision,
    /// Before 0.17, or cut into a pipeline: shown only.
    Other,
}

/// What a log prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    Weights,
    Activation,
    Pool,
    /// Tokens of the pool that was measured.
    Tokens,
    Graphs,
}

impl Quantity {
    const ALL: [Self; 5] = [Self::Weights, Self::Activation, Self::Pool, Self::Tokens, Self::Graphs];

    const fn column(self) -> &'static str {
        match self {
            Self::Weights => "weights_gib",
            Self::Activation => "activation_gib",
            Self::Pool => "kv_pool_gib",
            Self::Tokens => "kv_tokens",
            Self::Graphs => "cuda_graph_gib",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Weights => "weights",
            Self::Activation => "activation",
            Self::Pool => "pool",
            Self::Tokens => "tokens",
            Self::Graphs => "graphs",
        }
    }

    /// Rows that a coefficient behind this quantity was fitted on, with their models; the identifiers are those of the carried rows.
    const fn fitted(self) -> &'static [(&'static str, &'static str)] {
        match self {
            // Three quarters of the hidden width in the widest moment of a layer.
            Self::Activation => &[("V002", "codellama-7b"), ("V015", "granite-3.1-8b")],
            // The same, and what is allocated beside PyTorch.
            Self::Pool => &[
                ("V002", "codellama-7b"),
                ("V015", "granite-3.1-8b"),
                ("V019", "llama-3.1-8b"),
                ("V027", "llama-3.1-8b"),
                ("V030", "llama-3.1-8b"),
                ("V043", "kimi-vl-a3b"),
                ("V067", "qwen3-14b"),
                ("V076", "llama-3.1-8b"),
                ("V080", "qwen3-32b"),
            ],
            _ => &[],
        }
    }
}

/// The sets, in the order in which they are shown: whose rows, of which quantity, held to what.
const SETS: &[(&str, &str, Class, Quantity, Bound)] = {
    use Class::{Dense, MixtureOrVision};
    use Quantity::{Activation, Pool, Tokens, Weights};
    &[
        (
            "vllm-weights",
            "Weights that vLLM 0.17 to 0.19 loads, dense models of text",
            Dense,
            Weights,
            Bound::of(0.01, 0.005),
        ),
        ("vllm-activation", "Peak of its profiled forward pass", Dense, Activation, Bound::of(0.05, 0.02)),
        ("vllm-pool", "Pool that is left for pages", Dense, Pool, Bound::of(0.035, 0.005)),
        ("vllm-tokens", "Tokens that the measured pool holds", Dense, Tokens, Bound::each(0.001)),
        (
            "vllm-moe-vision-weights",
            "Weights, mixtures of experts and vision",
            MixtureOrVision,
            Weights,
            Bound::of(0.07, 0.015),
        ),
        (
            "vllm-moe-vision-activation",
            "Peak of the profiled forward pass, shown only; the aim is 10% on average",
            MixtureOrVision,
            Activation,
            Bound::NONE,
        ),
        ("vllm-moe-vision-pool", "Pool that is left for pages", MixtureOrVision, Pool, Bound::mean(0.03)),
        ("vllm-moe-vision-tokens", "Tokens that the measured pool holds", MixtureOrVision, Tokens, Bound::each(0.001)),
    ]
};

pub(super) fn sets(data: &Data) -> Vec<Set> {
    let file = data.file("vllm_runs.csv");
    let runs: Vec<_> = file.rows().map(|row| (row, read(row))).collect();
    let mut sets: Vec<Set> = SETS
        .iter()
        .map(|&(name, about, class, quantity, bound)| {
            let of_class = runs.iter().filter(|(row, run)| class_of(*row, run) == class);
            let rows = of_class.filter_map(|(row, run)| compared(*row, run, quantity));
            // What is held to nothing counts for nothing.
            let rows = rows.map(|row| if bound == Bound::NONE { reported(row) } else { row }).collect();
            Set { name, about, bound, rows }
        })
        .collect();
    let others = runs.iter().filter(|(row, run)| class_of(*row, run) == Class::Other);
    let graphs = runs.iter().filter(|(row, run)| class_of(*row, run) != Class::Other);
    sets.push(Set {
        name: "vllm-older-and-pipelines",
        about: "Weights, forward pass, pool and tokens of releases before 0.17 and of pipelines, whose logs do not say which rank they show; shown only",
        bound: Bound::NONE,
        rows: others.flat_map(|(row, run)| other(*row, run)).collect(),
    });
    sets.push(Set {
        name: "vllm-graphs",
        about: "Recorded graphs, the usual figure, shown only: a line fitted on most of these rows",
        bound: Bound::NONE,
        rows: graphs.filter_map(|(row, run)| compared(*row, run, Quantity::Graphs)).map(reported).collect(),
    });
    sets.push(Set {
        name: "vllm-graphs-covered",
        about: "Recorded graphs, and what vLLM estimated of them before: whether the largest that the engine reckons with is no less",
        bound: Bound::right(1.0),
        rows: runs.iter().flat_map(|(row, run)| graphs_covered(*row, run)).collect(),
    });
    sets.push(Set {
        name: "vllm-capacity",
        about: "Starts that failed for want of memory: whether the engine says so",
        bound: Bound::NONE,
        rows: runs.iter().filter(|(row, _)| is_capacity(*row)).map(|(row, run)| verdict(*row, run)).collect(),
    });
    sets
}

fn graphs_covered(row: csv::Row<'_>, run: &Result<Read, String>) -> Vec<Row> {
    let Ok(run) = run else { return Vec::new() };
    let most = run.run(&run.scenario).graphs_span().high;
    [("graphs", "cuda_graph_gib"), ("graphs estimated", "cuda_graph_estimated_gib")]
        .into_iter()
        .filter_map(|(name, column)| Some(covers(row, name, row.float(column).ok()?, most)))
        .collect()
}

fn is_capacity(row: csv::Row<'_>) -> bool {
    row.text("use") == "capacity"
}

fn class_of(row: csv::Row<'_>, run: &Result<Read, String>) -> Class {
    match run {
        Ok(run) if run.version < (Version { major: 0, minor: 17 }) || run.scenario.parallel.pp > 1 => Class::Other,
        Ok(run) if run.mixture_or_vision() => Class::MixtureOrVision,
        // What cannot be read is shown with its kind.
        Err(_) if row.text("kind").starts_with("old") => Class::Other,
        Err(_) if row.text("kind").contains("moe") || row.text("kind").contains("vision") => Class::MixtureOrVision,
        _ => Class::Dense,
    }
}

/// What is known about carried rows that are far off, with their models.
const CAUSES: &[(&str, &str, &str)] = &[
    (
        "V027",
        "llama-3.1-8b",
        "the first rank of a pipeline hands on 2.8 times the hidden states, not twice; not explained",
    ),
    (
        "V081",
        "mistral-small-3.2-24b",
        "about 15 bytes a sequence and vocabulary entry where PyTorch's sort takes 38: another sampler, probably FlashInfer's, not modelled",
    ),
];

fn doubt(row: csv::Row<'_>, run: &Result<Read, String>) -> String {
    let assumed = run.as_ref().map(|run| run.assumed.clone()).unwrap_or_default();
    let known = |(id, model, _): &&(&str, &str, &str)| (*id, *model) == (row.text("row_id"), row.text("model_id"));
    let cause = CAUSES.iter().find(known).map_or("", |(.., cause)| *cause);
    [row.text("doubt").to_owned(), cause.to_owned()]
        .into_iter()
        .chain(assumed)
        .filter(|it| !it.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
}

fn reported(row: Row) -> Row {
    Row { counts: Use::Reported, ..row }
}

/// One quantity of a run; `None` where the log did not print it. What is not compared at all is shown once, among the weights.
fn compared(row: csv::Row<'_>, run: &Result<Read, String>, quantity: Quantity) -> Option<Row> {
    if is_capacity(row) {
        return None;
    }
    let unit = if quantity == Quantity::Tokens { "tokens" } else { "GiB" };
    let shown =
        |counts, outcome| Some(Row { id: row.text("row_id").into(), unit, counts, outcome, doubt: doubt(row, run) });
    let reason = left_out(row).or_else(|| run.as_ref().err().cloned());
    let (None, Ok(run)) = (&reason, run) else {
        let once = quantity == Quantity::Weights;
        return reason.filter(|_| once).and_then(|reason| shown(Use::Reported, Outcome::NotModelled(reason)));
    };
    if row.text(quantity.column()).is_empty() {
        // Nothing printed at all is a row that cannot be compared.
        let nothing = Quantity::ALL.iter().all(|quantity| row.text(quantity.column()).is_empty());
        let reason = Outcome::NotModelled("nothing was printed".into());
        return if nothing && quantity == Quantity::Weights { shown(Use::Reported, reason) } else { None };
    }
    let outcome = match predicted(row, run, quantity) {
        Ok((predicted, measured)) => Outcome::Compared { predicted, measured, exact: false },
        Err(reason) => Outcome::NotModelled(reason),
    };
    let fitted = quantity.fitted().contains(&(row.text("row_id"), row.text("model_id")));
    let counts = match row.text("use") {
        // The file's own words: weights, pool and tokens of these rows are sound, their forward pass is shown only.
        "report_activation" if quantity == Quantity::Activation => Use::Reported,
        "report_activation" if !fitted => Use::Checked,
        _ if counts(row) == Use::Reported && row.text("use") != "report_activation" => Use::Reported,
        _ if fitted => Use::Fitted,
        _ => Use::Checked,
    };
    shown(counts, outcome)
}

/// The engine's figure and the log's.
fn predicted(row: csv::Row<'_>, run: &Read, quantity: Quantity) -> Result<(f64, f64), String> {
    let measured = row.float(quantity.column())?;
    let scenario = run.on_stage(stage(row, run));
    let pool = || run.run(&scenario).pool(run.requested);
    let predicted = match quantity {
        Quantity::Weights => pool().weights.as_gib(),
        Quantity::Activation => pool().activation.as_gib(),
        Quantity::Pool => signed_gib(&pool()),
        Quantity::Graphs => pool().cuda_graphs.as_gib(),
        Quantity::Tokens if run.scenario.parallel.pp > 1 => tokens_of_pipeline(run) as f64,
        Quantity::Tokens => {
            let measured = bytes_of_gib(row.float(Quantity::Pool.column())?);
            let run = run.run(&scenario);
            let pages: Pages = run.pages().ok_or("the layers' pages are no multiples of each other")?;
            pages.tokens(measured.0) as f64
        }
    };
    Ok((predicted, measured))
}

fn signed_gib(pool: &Pool) -> f64 {
    let size = pool.pool.magnitude().as_gib();
    if pool.pool.0 < 0 { -size } else { size }
}

/// The stage that the log shows: the first with about the weights that it prints.
fn stage(row: csv::Row<'_>, run: &Read) -> u32 {
    let Ok(measured) = row.float(Quantity::Weights.column()) else { return 0 };
    let measured = bytes_of_gib(measured);
    // 50 MiB apart are the same.
    let distance = |stage: &u32| run.run(&run.on_stage(*stage)).weights().abs_diff(measured.0) / (50 << 20);
    (0..run.scenario.parallel.pp).min_by_key(distance).unwrap_or(0)
}

/// Every rank sizes a pool of its own; the smallest number of tokens counts.
fn tokens_of_pipeline(run: &Read) -> u128 {
    let tokens = |stage| run.run(&run.on_stage(stage)).pool(run.requested).tokens;
    (0..run.scenario.parallel.pp).map(tokens).min().unwrap_or(0)
}

/// All quantities of a run that is shown only.
fn other(row: csv::Row<'_>, run: &Result<Read, String>) -> Vec<Row> {
    let of = |quantity: Quantity| {
        let compared = compared(row, run, quantity)?;
        let id = if matches!(compared.outcome, Outcome::NotModelled(_)) {
            compared.id.clone()
        } else {
            format!("{} {}", compared.id, quantity.name())
        };
        Some(reported(Row { id, ..compared }))
    };
    [Quantity::Weights, Quantity::Activation, Quantity::Pool, Quantity::Tokens].into_iter().filter_map(of).collect()
}

fn verdict(row: csv::Row<'_>, run: &Result<Read, String>) -> Row {
    let mut doubt = doubt(row, run);
    // A log that prints the pool failed later: the pool held a request, and memory beside the share ran out.
    let later = !row.text(Quantity::Pool.column()).is_empty();
    if later {
        doubt.push_str("; failed after its pool stood: a block of the sampler's warm-up found no room in one piece beside the share, which sums of bytes do not show");
    }
    let outcome = match run {
        Err(reason) => Outcome::NotModelled(reason.clone()),
        Ok(run) => {
            let start = run.run(&run.scenario).start(run.total, run.requested);
            let gib = |bytes: Bytes| format!("{:.2}", bytes.as_gib());
            let why = format!(
                "{}: weights {}, pool {:.2} for {} of one request, of a share of {} GiB; beside the share {:.1}% of the card is left",
                start.verdict.id(),
                gib(start.pool.weights),
                signed_gib(&start.pool),
                gib(start.need),
                gib(start.pool.requested),
                100.0 * start.outside.0 as f64 / run.total.0 as f64,
            );
            Outcome::Verdict { right: start.verdict == Verdict::DoesNotFit, why }
        }
    };
    let counts = if later { Use::Reported } else { Use::Checked };
    Row { id: row.text("row_id").into(), unit: "GiB", counts, outcome, doubt }
}

/// Every figure of the carried runs that can be compared, for the table by release and GPU.
pub(super) fn logged(data: &Data) -> Vec<Logged> {
    let quantities = [
        (Quantity::Weights, "weights"),
        (Quantity::Activation, "forward pass"),
        (Quantity::Pool, "pool"),
        (Quantity::Tokens, "tokens of the pool"),
    ];
    let mut all = Vec::new();
    for row in data.file("vllm_runs.csv").rows() {
        let read = read(row);
        let Ok(run) = &read else { continue };
        if run.scenario.parallel.pp > 1 {
            continue;
        }
        let constants = Constants::on(run.version, run.scenario.gpu);
        for (quantity, name) in quantities {
            let Some(error) = compared(row, &read, quantity).and_then(|row| row.error()) else { continue };
            all.push(Logged {
                quantity: name,
                releases: constants.releases,
                since: constants.since.minor,
                gpu: run.scenario.gpu,
                ranks: run.scenario.parallel.tp,
                error: error.abs(),
            });
        }
    }
    all
}
