//! Start-up logs of llama.cpp with layers on one GPU, on several, and in host memory: buffers by device.

use memory_wall_core::tables::{gpus, models};
use memory_wall_core::{Attention, Engine, Scenario, WeightFormat};
use memory_wall_runtimes::Span;
use memory_wall_runtimes::llamacpp::{Device, Order, Placement, Settings, place};

use super::reading::{check, counts};
use crate::csv;
use crate::{Bound, Data, Outcome, Row, Set, Use};

/// A row with the placement that it describes.
type Read<'a> = (csv::Row<'a>, Result<Placement, String>);

pub(super) fn sets(data: &Data) -> Vec<Set> {
    let file = data.file("llamacpp_starts.csv");
    let starts: Vec<Read<'_>> = file.rows().map(|row| (row, read(row))).collect();
    let compared = |columns: &[(&str, &str, Of)]| {
        let each = starts.iter().flat_map(|(row, placement)| {
            columns.iter().filter_map(|(column, name, of)| compared(*row, placement, column, name, *of))
        });
        each.collect::<Vec<_>>()
    };
    vec![
        Set {
            name: "llamacpp-starts-weights",
            about: "Model buffers by device, with layers on GPUs and in host memory",
            bound: Bound::spread(0.0005, 0.02),
            rows: compared(&[
                ("weights_mib", "on the GPU", |_, device| device.map(|device| device.weights)),
                ("host_weights_mib", "in host memory", |placement, _| Some(placement.host.weights)),
            ]),
        },
        Set {
            name: "llamacpp-starts-cache",
            about: "KV and state buffers by device, equal to the hundredth of a MiB that logs print",
            bound: Bound::EXACT,
            rows: compared(&[
                ("cache_mib", "KV on the GPU", |_, device| device.map(|device| device.cache)),
                ("states_mib", "states on the GPU", |_, device| device.map(|device| device.states)),
                ("host_cache_mib", "KV in host memory", |placement, _| Some(placement.host.cache)),
                ("host_states_mib", "states in host memory", |placement, _| Some(placement.host.states)),
            ]),
        },
        Set {
            name: "llamacpp-starts-compute-range",
            about: "Compute buffers: whether they are within the range",
            bound: Bound::right(0.9),
            rows: starts.iter().filter_map(|(row, placement)| compute(*row, placement.as_ref().ok()?)).collect(),
        },
    ]
}

/// What a column is held against.
type Of = fn(&Placement, Option<&Device>) -> Option<u128>;

fn mib(bytes: u128) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn read(row: csv::Row<'_>) -> Result<Placement, String> {
    let name = row.text("model");
    let model = models::by_id(name).ok_or_else(|| format!("{name} is no model of the table"))?;
    let weights = WeightFormat::from_id(row.text("weights")).ok_or("the weights' format is not known")?;
    let mut scenario = Scenario { weights, ..Scenario::new(model.architecture) };
    scenario.serving.engine = Engine::LlamaCpp;
    scenario.attention = Attention::from_id(row.text("attention")).ok_or("attention is flash or eager")?;
    (scenario.seq_length, scenario.batch) = (row.number("context")?, row.number("batch")?);
    // Where a GPU has more memory than the log's, layers are in the same place.
    let gpu = gpus::by_id("a40").ok_or("no GPU")?;
    let count = row.number("gpus")?;
    let shares = row.text("shares").split(',').filter(|share| !share.is_empty());
    let settings = Settings {
        gpu_layers: row.number("ngl")?,
        cpu_moe: row.number("cpu_moe")?,
        gpus: (0..count).map(|_| gpu).collect(),
        tensor_split: shares
            .map(|share| share.parse().map_err(|_| "a share is no number"))
            .collect::<Result<_, _>>()?,
        ubatch: row.number("ubatch")?,
        order: Order::from_id(row.text("order")).ok_or("the order is output-first or output-last")?,
        ..Settings::DEFAULT
    };
    place(&check(&scenario)?, &settings).map_err(|why| why.to_string())
}

fn device<'a>(row: csv::Row<'_>, placement: &'a Placement) -> Option<&'a Device> {
    placement.devices.get(usize::try_from(row.number("device").ok()?).ok()?)
}

fn shown(row: csv::Row<'_>, name: &str, outcome: Outcome) -> Row {
    let of = |column: &str| row.text(column);
    let mut doubt = format!("{} {}, -ngl {}", of("model"), of("weights"), of("ngl"));
    if !of("doubt").is_empty() {
        doubt.push_str("; ");
        doubt.push_str(of("doubt"));
    }
    Row { id: format!("{} {name}", of("row_id")), unit: "MiB", counts: counts(row), outcome, doubt }
}

fn compared(row: csv::Row<'_>, placement: &Result<Placement, String>, column: &str, name: &str, of: Of) -> Option<Row> {
    let measured = row.float(column).ok()?;
    let outcome = match placement {
        Ok(placement) => {
            let predicted = mib(of(placement, device(row, placement))?);
            // Logs print hundredths.
            Outcome::Compared { predicted, measured, exact: (predicted - measured).abs() < 0.011 }
        }
        Err(why) => Outcome::NotModelled(why.clone()),
    };
    Some(shown(row, name, outcome))
}

fn compute(row: csv::Row<'_>, placement: &Placement) -> Option<Row> {
    let measured = row.float("compute_mib").ok()?;
    let Span { low, high } = device(row, placement)?.compute;
    let (low, high) = (mib(low), mib(high));
    let why = format!("logged {measured:.2} MiB, range {low:.2} to {high:.2}");
    let right = low - 0.01 <= measured && measured <= high + 0.01;
    // The ends of the range were chosen with these rows in view.
    Some(Row { counts: Use::Fitted, ..shown(row, "compute", Outcome::Verdict { right, why }) })
}
