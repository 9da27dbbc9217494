//! The plans side by side, for people.

use memory_wall_core::display::{ByteUnit, Grouped, Percent};
use memory_wall_core::units::Seconds;
use memory_wall_core::{Bucket, Bytes, bounds};
use memory_wall_plan::answers::{Run, Served, Trained};
use memory_wall_plan::reply::Reply;
use memory_wall_plan::typical::Typical;

use super::{Column, Difference, change, worst_first};
use crate::rollout;
use crate::text::{QUOTED, Side, Table, shortened, wrapped};
use crate::words::{self, digits, range, time};

/// Seconds of a day.
const DAY: f64 = 86_400.0;
/// What stands where there is nothing to say.
const NOTHING: &str = "-";

/// A figure of a plan: its name, and what it says.
type Figure = (&'static str, fn(&Column, ByteUnit) -> Option<String>);

const FIGURES: [Figure; 25] = [
    ("GPUs", |it, _| Some(Grouped(it.reply()?.gpus().into()).to_string())),
    ("Needed on the fullest GPU", |it, unit| Some(words::size_range(it.reply()?.needed()?, unit))),
    ("Fullest moment", |it, _| match it.reply()? {
        Reply::Rollout(it) => Some(rollout::moment(it.made.peak().moment).into()),
        _ => None,
    }),
    ("The GPU has", |it, unit| Some(words::size(it.reply()?.capacity()?, unit))),
    ("To spare", |it, unit| Some(words::signed(it.reply()?.spare()?, unit))),
    ("Longest context", |it, _| Some(at_most(it.reply()?.longest()?.into(), bounds::SEQ_LENGTH.max.into()))),
    ("Longest completion", |it, _| match it.reply()? {
        Reply::Rollout(it) => Some(at_most(it.longest_completion()?.into(), bounds::SEQ_LENGTH.max.into())),
        _ => None,
    }),
    ("Most sequences at once", |it, _| {
        let reply = it.reply()?;
        let ranks = u64::from(reply.scenario().parallel.dp);
        Some(at_most(reply.most_sequences()?, u64::from(bounds::BATCH.max) * ranks))
    }),
    ("Tokens in the pool", |it, _| Some(words::count_range(it.reply()?.pool()?))),
    ("Sequences that run", |it, _| {
        let ranks = u128::from(it.answers()?.scenario.parallel.dp);
        let [running, all] = [served(it)?.batch, it.answers()?.scenario.batch].map(|each| u128::from(each) * ranks);
        Some(if running == all {
            Grouped(all).to_string()
        } else {
            format!("{} of {}", Grouped(running), Grouped(all))
        })
    }),
    ("TTFT", |it, _| Some(times(served(it)?.service.ttft))),
    ("TTFT, typically", |it, _| Some(typically(served(it)?.typical.ttft?, time))),
    ("TPOT", |it, _| Some(times(served(it)?.service.tpot))),
    ("TPOT, typically", |it, _| Some(typically(served(it)?.typical.tpot?, time))),
    ("Tokens/s", |it, _| Some(numbers(it.reply()?.written()?))),
    ("Tokens/s, typically", |it, _| {
        let requests = f64::from(served(it)?.batch) * f64::from(it.answers()?.scenario.parallel.dp);
        Some(typically(served(it)?.typical.tpot?, |time| digits(requests / time.0)))
    }),
    ("Price of a million tokens", |it, _| Some(dollars(served(it)?.per_million?))),
    ("Energy of a million tokens", |it, _| Some(kilowatt_hours(served(it)?.energy_per_million?))),
    ("Training step", |it, _| Some(times(trained(it)?.step))),
    ("Tokens/s in training", |it, _| Some(numbers(worst_first(trained(it)?.rate)))),
    ("MFU", |it, _| {
        let [low, high] = worst_first(trained(it)?.mfu).map(|share| Percent(share).to_string());
        Some(range(low, &high))
    }),
    ("Days", |it, _| Some(numbers(run(it)?.seconds.map(|seconds| seconds / DAY)))),
    ("GPU hours", |it, _| Some(numbers(run(it)?.gpu_hours))),
    ("Price of the run", |it, _| Some(dollars(run(it)?.price?))),
    ("Energy of the run", |it, _| Some(kilowatt_hours(run(it)?.energy?))),
];

fn served(column: &Column) -> Option<Served> {
    column.answers()?.served
}

fn trained(column: &Column) -> Option<Trained> {
    column.answers()?.trained
}

fn run(column: &Column) -> Option<Run> {
    trained(column)?.run
}

/// The answer to "how much at most".
fn at_most(found: u64, most: u64) -> String {
    match found {
        0 => "none fits".into(),
        _ if found == most => format!("at least {}", Grouped(found.into())),
        _ => Grouped(found.into()).to_string(),
    }
}

fn numbers(ends: [f64; 2]) -> String {
    let [low, high] = ends.map(digits);
    range(low, &high)
}

fn times(ends: [Seconds; 2]) -> String {
    let [low, high] = ends.map(time);
    range(low, &high)
}

/// What measured runs come to, and of which program they are.
fn typically(Typical { time, runtime, .. }: Typical, say: impl Fn(Seconds) -> String) -> String {
    format!("{} ({})", say(time), runtime.id())
}

fn dollars(ends: [f64; 2]) -> String {
    let [low, high] = ends.map(|end| format!("${}", digits(end)));
    range(low, &high)
}

fn kilowatt_hours(watt_hours: [f64; 2]) -> String {
    format!("{} kWh", numbers(watt_hours.map(|end| end / 1e3)))
}

/// Whether it fits, in a word.
fn fits(column: &Column) -> &'static str {
    match column.verdict() {
        _ if column.refusal().is_some() => "refused",
        Some(verdict) => words::fits(verdict),
        None => "no GPU",
    }
}

/// All of it.
pub(super) fn text(columns: &[Column], differences: &[Difference], unit: ByteUnit) -> String {
    let mut text = figures(columns, unit);
    text.push('\n');
    for column in columns {
        let reason = column.reason(unit);
        let end = if reason.ends_with(['.', '?']) { "" } else { "." };
        text += &wrapped(&format!("{}: {reason}{end}", column.title()), 2);
    }
    text += &inputs(columns, differences);
    text += &parts(columns, unit);
    if columns.iter().any(|column| column.reply().is_some_and(|reply| reply.answers().is_none())) {
        text.push('\n');
        text += &wrapped(
            "What runs with SGLang, TensorRT-LLM, Ollama, layers in host memory or GRPO is told part by part by memory-wall estimate --plan-name NAME.",
            2,
        );
    }
    text
}

/// A table with the plans as its columns.
fn table(head: &str, columns: &[Column]) -> Table {
    let names: Vec<String> = columns.iter().map(|column| shortened(column.title(), QUOTED)).collect();
    let plans = names.iter().map(|name| (name.as_str(), Side::Right));
    Table::new(&[(head, Side::Left)].into_iter().chain(plans).collect::<Vec<_>>())
}

fn row(table: &mut Table, head: &str, cells: impl Iterator<Item = Option<String>>) {
    let cells = cells.map(|cell| cell.unwrap_or_else(|| NOTHING.into()));
    table.row(std::iter::once(head.to_owned()).chain(cells).collect::<Vec<_>>());
}

fn figures(columns: &[Column], unit: ByteUnit) -> String {
    let mut table = table("Plan", columns);
    row(&mut table, "Fits", columns.iter().map(|column| Some(fits(column).to_owned())));
    for (name, figure) in FIGURES {
        let cells: Vec<Option<String>> = columns.iter().map(|column| figure(column, unit)).collect();
        if cells.iter().any(Option::is_some) {
            row(&mut table, name, cells.into_iter());
        }
    }
    table.text()
}

/// The inputs in which the plans differ; nothing where there is one plan alone.
fn inputs(columns: &[Column], differences: &[Difference]) -> String {
    if differences.is_empty() {
        return String::new();
    }
    let mut table = table("Inputs that differ", columns);
    for Difference { option, values } in differences {
        row(&mut table, &option.flag(), values.iter().cloned());
    }
    format!("\n{}", table.text())
}

/// The parts of the memory of the fullest GPU, with what each has more than the first plan.
fn parts(columns: &[Column], unit: ByteUnit) -> String {
    let mut table = table("On the fullest GPU", columns);
    let mut any = false;
    for bucket in Bucket::EACH.into_iter().map(Some).chain([None]) {
        if !columns.iter().any(|column| column.bytes(bucket).is_some_and(|bytes| bytes > Bytes::ZERO)) {
            continue;
        }
        any = true;
        let cells = (0..).zip(columns).map(|(place, column)| {
            let size = words::size(column.bytes(bucket)?, unit);
            Some(match change(columns, place, bucket).filter(|(bytes, _)| bytes.0 != 0) {
                None => size,
                Some((bytes, None)) => format!("{size} ({})", words::signed(bytes, unit)),
                Some((bytes, Some(share))) => {
                    let sign = words::sign(bytes);
                    format!("{size} ({}, {sign}{})", words::signed(bytes, unit), Percent(share.abs()))
                }
            })
        });
        row(&mut table, bucket.map_or("Total", words::bucket), cells);
    }
    if any { format!("\n{}", table.text()) } else { String::new() }
}
