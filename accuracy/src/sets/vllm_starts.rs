//! Start-up logs of vLLM on many GPUs, 0.6 to the newest release that left one: weights, bytes a token, the pool by release, and ranges.

use memory_wall_core::engines::vllm::{Constants, Span};

use super::reading::{counts, left_out};
use super::vllm_errors::Logged;
use super::vllm_run::bytes_of_gib;
use super::vllm_start::{Start, gib, read};
use crate::csv;
use crate::{Bound, Data, Outcome, Row, Set, Use};

/// Rows that a constant of the forward pass or of what lies beside PyTorch was read off: their pool is not an independent check.
const FITTED: &[&str] = &[
    "S001", "S002", "S003", "S004", "S006", "S014", "S025", "S026", "S027", "S029", "S030", "S032", "S033", "S049",
    "S059", "S062", "S063", "S064", "S065", "S067", "S068", "S069", "S109", "S126", "S129",
];

/// Rows that a rule of weights was read off, or that led to one.
const FITTED_WEIGHTS: &[&str] = &["S129", "S131"];

/// The sets of pools: name, sentence, first release of the stretch and of the next, whether of several ranks.
const POOLS: &[(&str, &str, u32, u32, bool)] = &[
    ("vllm-starts-pool-0.6-0.7", "Pool on one GPU, first engine (0.6, 0.7 and later releases on T4)", 0, 8, false),
    ("vllm-starts-pool-0.8-0.10", "Pool on one GPU, 0.8 to 0.10", 8, 11, false),
    ("vllm-starts-pool-0.11-0.16", "Pool on one GPU, 0.11 to 0.16", 11, 17, false),
    ("vllm-starts-pool-0.17-0.20", "Pool on one GPU, 0.17 to 0.20", 17, 21, false),
    ("vllm-starts-pool-0.21-0.29", "Pool on one GPU, 0.21 to 0.29", 21, 99, false),
    ("vllm-starts-pool-ranks", "Pool of a rank, tensor parallelism of 2 to 8", 0, 99, true),
];

/// A row with what it says.
type Read<'a> = (csv::Row<'a>, Result<Start, String>);

pub(super) fn sets(data: &Data) -> Vec<Set> {
    let file = data.file("vllm_starts.csv");
    let starts: Vec<Read<'_>> = file.rows().map(|row| (row, read(row))).collect();
    let each = |of: &dyn Fn(csv::Row<'_>, &Start) -> Option<Row>| {
        starts.iter().filter_map(|(row, start)| of(*row, start.as_ref().ok()?)).collect::<Vec<_>>()
    };
    let mut weights = each(&weights);
    weights.extend(starts.iter().filter_map(|(row, start)| not_modelled(*row, start)));
    let mut sets = vec![
        Set {
            name: "vllm-starts-weights",
            about: "Weights of a rank, 0.6 to 0.29, 16 bits to 4",
            bound: Bound { mean: Some(0.003), ..Bound::spread(0.001, 0.005) },
            rows: weights,
        },
        Set {
            name: "vllm-starts-tokens",
            about: "Tokens that the logged pool holds: equal within the hundredth of a GiB to which the pool is rounded",
            bound: Bound::EXACT,
            rows: each(&tokens),
        },
    ];
    for &(name, about, since, until, ranks) in POOLS {
        let bound = Bound::spread(if ranks { 0.05 } else { 0.02 }, 0.05);
        let rows = each(&|row, start| {
            let of = stretch(start);
            let here = if ranks { true } else { since <= of && of < until };
            if here && ranks == (start.scenario.parallel.tp > 1) { pool(row, start) } else { None }
        });
        sets.push(Set { name, about, bound, rows });
    }
    sets.push(Set {
        name: "vllm-starts-activation",
        about: "Peak of the profiled forward pass, the usual figure, where a log prints it",
        bound: Bound { median: Some(0.03), ..Bound::NONE },
        rows: each(&activation),
    });
    sets.push(Set {
        name: "vllm-starts-activation-range",
        about: "The same: whether it is within the range",
        bound: Bound::right(0.9),
        rows: each(&activation_range),
    });
    sets.push(Set {
        name: "vllm-starts-beside-range",
        about: "Memory beside PyTorch, where a log prints it: whether it is within the range",
        bound: Bound::right(0.9),
        rows: each(&beside),
    });
    let graphs = starts.iter().flat_map(|(row, start)| {
        let of = |column, name| ranged_graphs(*row, start.as_ref().ok()?, column, name);
        [of("graphs_gib", "graphs"), of("graphs_estimated_gib", "graphs estimated")].into_iter().flatten()
    });
    sets.push(Set {
        name: "vllm-starts-graphs-range",
        about: "Recorded graphs, and what vLLM estimated of them: whether they are within the range",
        bound: Bound::right(0.9),
        rows: graphs.collect(),
    });
    sets
}

/// The minor number of the release, 0 where the first engine serves it.
pub(super) fn stretch(start: &Start) -> u32 {
    let serving = &start.scenario.serving;
    if serving.version.first_engine(start.scenario.gpu) { 0 } else { serving.version.minor }
}

/// How a row counts in a quantity that a constant was read off.
fn counted(row: csv::Row<'_>) -> Use {
    match counts(row) {
        // The file's own words: all but the forward pass of these rows is sound.
        Use::Reported if row.text("use") == "report_activation" => Use::Fitted,
        Use::Checked if FITTED.contains(&row.text("row_id")) => Use::Fitted,
        other => other,
    }
}

/// How a row counts in what no constant was read off.
fn sound(row: csv::Row<'_>) -> Use {
    if row.text("use") == "report_activation" { Use::Checked } else { counts(row) }
}

/// A row that is shown with its weights as not modelled.
fn not_modelled(row: csv::Row<'_>, start: &Result<Start, String>) -> Option<Row> {
    let unread = || start.as_ref().err().cloned();
    let reason = left_out(row).or_else(unread).or_else(|| row.float("weights_gib").err())?;
    Some(shown(row, "GiB", Use::Reported, Outcome::NotModelled(reason)))
}

fn shown(row: csv::Row<'_>, unit: &'static str, counts: Use, outcome: Outcome) -> Row {
    let of = |column: &str| row.text(column);
    let gpu = if of("gpu").is_empty() { "a GPU that is not named" } else { of("gpu") };
    let mut doubt = format!("vLLM {} on {gpu}, tp {}, {}", of("version"), of("tp"), of("model"));
    if !of("doubt").is_empty() {
        doubt.push_str("; ");
        doubt.push_str(of("doubt"));
    }
    Row { id: of("row_id").into(), unit, counts, outcome, doubt }
}

fn compared(row: csv::Row<'_>, counts: Use, predicted: f64, column: &str) -> Option<Row> {
    let measured = row.float(column).ok().filter(|_| left_out(row).is_none())?;
    Some(shown(row, "GiB", counts, Outcome::Compared { predicted, measured, exact: false }))
}

fn weights(row: csv::Row<'_>, start: &Start) -> Option<Row> {
    // What a log does not say of the GPU does not touch weights.
    let counts = match sound(row) {
        Use::Checked if FITTED_WEIGHTS.contains(&row.text("row_id")) => Use::Fitted,
        Use::Reported if row.text("gpu").is_empty() && row.text("use") == "report" => Use::Checked,
        counts => counts,
    };
    compared(row, counts, gib(start.run().weights()), "weights_gib")
}

fn activation_range(row: csv::Row<'_>, start: &Start) -> Option<Row> {
    start.total?;
    Some(within(row, "activation", row.float("activation_gib").ok()?, start.run().activation_span()))
}

fn activation(row: csv::Row<'_>, start: &Start) -> Option<Row> {
    compared(
        row,
        if row.text("use") == "report_activation" { Use::Reported } else { counted(row) },
        gib(start.run().activation()),
        "activation_gib",
    )
}

fn pool(row: csv::Row<'_>, start: &Start) -> Option<Row> {
    let pool = start.run().pool(start.requested()?).pool;
    let size = pool.magnitude().as_gib();
    compared(row, counted(row), if pool.0 < 0 { -size } else { size }, "pool_gib")
}

fn tokens(row: csv::Row<'_>, start: &Start) -> Option<Row> {
    let measured = row.whole("tokens").ok().filter(|_| left_out(row).is_none())?;
    let logged = row.float("pool_gib").ok().filter(|logged| *logged > 0.0)?;
    let run = start.run();
    let pages = run.pages()?;
    let held = |gib: f64| run.held_tokens(&pages, bytes_of_gib(gib).0);
    // Releases before 0.8 print blocks, which the ranks agree on; logs round the pool to a hundredth.
    let predicted = held(logged);
    let exact = (held(logged - 0.005)..=held(logged + 0.005)).contains(&u128::from(measured));
    let outcome = Outcome::Compared { predicted: predicted as f64, measured: measured as f64, exact };
    // What is not modelled of these rows, such as a vision tower's profile, does not touch what a pool of the logged size holds.
    let whole = row.text("gpu").is_empty() || row.text("use") == "report_but_tokens";
    Some(shown(row, "tokens", if whole { Use::Checked } else { sound(row) }, outcome))
}

/// What a log says of the memory beside PyTorch; where it prints one sum of that and the weights, what the weights leave of it.
fn logged_beside(row: csv::Row<'_>) -> Option<f64> {
    let sum = || Some(row.float("consumed_gib").ok()? - row.float("weights_gib").ok()?);
    row.float("non_torch_gib").ok().or_else(sum)
}

fn beside(row: csv::Row<'_>, start: &Start) -> Option<Row> {
    start.total?;
    Some(within(row, "beside PyTorch", logged_beside(row)?, start.run().non_torch_span()))
}

fn ranged_graphs(row: csv::Row<'_>, start: &Start, column: &str, name: &str) -> Option<Row> {
    start.total?;
    Some(within(row, name, row.float(column).ok()?, start.run().graphs_span()))
}

/// Whether a figure is within a range, which logs round to a hundredth of a GiB.
fn within(row: csv::Row<'_>, name: &str, measured: f64, Span { low, high, .. }: Span) -> Row {
    let (low, high) = (gib(low), gib(high));
    let why = format!("logged {measured:.2} GiB, range {low:.2} to {high:.2}");
    let right = low - 0.011 <= measured && measured <= high + 0.011;
    let row = shown(row, "GiB", sound(row), Outcome::Verdict { right, why });
    Row { id: format!("{} {name}", row.id), ..row }
}

/// Every figure of the carried starts that can be compared, for the table by release and GPU.
pub(super) fn logged(data: &Data) -> Vec<Logged> {
    type Of = fn(csv::Row<'_>, &Start) -> Option<Row>;
    let quantities: [(&str, Of); 4] =
        [("weights", weights), ("forward pass", activation), ("pool", pool), ("tokens of the pool", tokens)];
    let mut all = Vec::new();
    for row in data.file("vllm_starts.csv").rows() {
        let Ok(start) = read(row) else { continue };
        let scenario = &start.scenario;
        let constants = Constants::on(scenario.serving.version, scenario.gpu);
        for (quantity, of) in quantities {
            let Some(error) = of(row, &start).and_then(|row| row.error()) else { continue };
            all.push(Logged {
                quantity,
                releases: constants.releases,
                since: constants.since.minor,
                gpu: scenario.gpu,
                ranks: scenario.parallel.tp,
                error: error.abs(),
            });
        }
    }
    all
}
