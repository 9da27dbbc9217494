//! Start-up logs of `SGLang` and TensorRT-LLM: the pool, and the tokens in it.

use memory_wall_core::tables::{gpus, models};
use memory_wall_core::{Bytes, Checked, KvPrecision, Scenario, Share, WeightFormat};
use memory_wall_runtimes::pool::{Server, Told, start};

use super::reading::{check, counts};
use crate::csv;
use crate::{Bound, Data, Outcome, Row, Set, Use};

pub(super) fn sets(data: &Data) -> Vec<Set> {
    let file = data.file("pool_starts.csv");
    let rows: Vec<csv::Row<'_>> = file.rows().collect();
    let each = |of: &dyn Fn(csv::Row<'_>) -> Result<Option<Row>, String>| {
        let row = |row: &csv::Row<'_>| match of(*row) {
            Ok(found) => found,
            Err(why) => Some(shown(*row, "tokens", Outcome::NotModelled(why))),
        };
        rows.iter().filter_map(row).collect::<Vec<_>>()
    };
    vec![
        Set {
            name: "pool-starts-tokens",
            about: "Tokens that the logged pool of SGLang and TensorRT-LLM holds, by the bytes of a token; logs round the pool to a hundredth of a GiB",
            bound: Bound::spread(0.001, 0.002),
            rows: each(&tokens),
        },
        Set {
            name: "pool-starts-range",
            about: "Their pools: whether they are within the range, where the log says the share and the GPU was free",
            bound: Bound::right(0.9),
            rows: each(&pool),
        },
    ]
}

fn server(row: csv::Row<'_>) -> Result<Server, String> {
    Server::from_id(row.text("server")).ok_or_else(|| "the server is sglang or trtllm".into())
}

fn read(row: csv::Row<'_>) -> Result<Checked, String> {
    let name = row.text("model");
    let model = models::by_id(name).ok_or_else(|| format!("{name} is no model of the table"))?;
    let mut scenario = Scenario {
        weights: WeightFormat::from_id(row.text("weights")).ok_or("the weights' format is not known")?,
        kv: KvPrecision::from_id(row.text("kv")).ok_or("the cache's format is not known")?,
        // Where the log names no GPU that was free, one that serves the model is as good for the bytes of a token.
        gpu: gpus::by_id(if row.text("gpu").is_empty() { "b200" } else { row.text("gpu") }),
        ..Scenario::new(model.architecture)
    };
    scenario.parallel.tp = row.number("tp")?;
    check(&scenario)
}

fn shown(row: csv::Row<'_>, unit: &'static str, outcome: Outcome) -> Row {
    let of = |column: &str| row.text(column);
    let mut doubt = format!("{} {}, tp {}", of("server"), of("model"), of("tp"));
    if !of("doubt").is_empty() {
        doubt.push_str("; ");
        doubt.push_str(of("doubt"));
    }
    Row { id: of("row_id").into(), unit, counts: counts(row), outcome, doubt }
}

fn tokens(row: csv::Row<'_>) -> Result<Option<Row>, String> {
    let started = start(server(row)?, &read(row)?, &Told::default()).map_err(|why| why.to_string())?;
    let predicted = row.float("pool_gib")? * f64::from(1 << 30) / started.token.high as f64;
    let outcome = Outcome::Compared { predicted, measured: row.float("tokens")?, exact: false };
    Ok(Some(shown(row, "tokens", outcome)))
}

fn pool(row: csv::Row<'_>) -> Result<Option<Row>, String> {
    if row.text("gpu").is_empty() {
        return Ok(None);
    }
    let share = Share::read_fraction(row.text("share")).ok_or("the share is no number")?;
    let told = Told { share: Some(share), ..Told::default() };
    let started = start(server(row)?, &read(row)?, &told).map_err(|why| why.to_string())?;
    let measured = row.float("pool_gib")?;
    let [low, high] = started.pool.ends().map(Bytes::as_gib);
    let why = format!("logged {measured:.2} GiB, range {low:.2} to {high:.2}");
    let right = low - 0.01 <= measured && measured <= high + 0.01;
    // The ends of the range were chosen with these rows in view.
    Ok(Some(Row { counts: Use::Fitted, ..shown(row, "GiB", Outcome::Verdict { right, why }) }))
}
