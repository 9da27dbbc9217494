//! Every GPU of the engine's table.

use memory_wall_core::precision::ComputePrecision;
use memory_wall_core::roofline::Roof;
use memory_wall_core::tables::gpus::{CapacityBasis, GPUS, Gpu};
use memory_wall_core::units::ByteRate;

use super::listed::{Sources, figure, name, printed, whole};
use super::table::{Cell, Choice, Row, Table};
use crate::wording::Words;

/// The formats in which a GPU's matrix units may multiply, in the order of the columns.
const FORMATS: [ComputePrecision; 7] = [
    ComputePrecision::Fp32,
    ComputePrecision::Tf32,
    ComputePrecision::Fp16,
    ComputePrecision::Bf16,
    ComputePrecision::Fp8,
    ComputePrecision::Int8,
    ComputePrecision::Fp4,
];

/// The table with its sources.
pub(crate) fn html(words: &Words) -> String {
    let mut sources = Sources::new("card-source");
    let rows = GPUS.iter().map(|gpu| row(gpu, words, &mut sources)).collect();
    let mut columns = vec!["name", "vendor", "year", "memory", "sold", "gb", "gib", "basis", "bandwidth"];
    columns.extend(FORMATS.map(ComputePrecision::id));
    columns.extend(["ridge", "host", "peers", "sources"]);
    let table = Table { id: "cards", columns, choices: choices(words), rows };
    format!("{}<p class=\"caption\">{}</p>{}", table.html(words), words.say("cards.note"), sources.list(words))
}

fn choices(words: &Words) -> Vec<Choice> {
    let distinct = |of: fn(&Gpu) -> String| {
        let mut all: Vec<String> = Vec::new();
        for value in GPUS.iter().map(of) {
            if !all.contains(&value) {
                all.push(value);
            }
        }
        all.into_iter().map(|value| (value.clone(), value)).collect::<Vec<_>>()
    };
    let formats = [ComputePrecision::Bf16, ComputePrecision::Fp8, ComputePrecision::Fp4];
    let formats = formats.map(|format| (format.id().to_owned(), words.say(&format!("cards.format.{}", format.id()))));
    vec![
        Choice { by: "vendor", options: distinct(|gpu| gpu.vendor.into()) },
        Choice { by: "memory", options: distinct(kind_of_memory) },
        Choice { by: "formats", options: formats.into() },
    ]
}

/// `HBM3e` is HBM.
fn kind_of_memory(gpu: &Gpu) -> String {
    gpu.memory.chars().take_while(char::is_ascii_uppercase).collect()
}

fn row(gpu: &'static Gpu, words: &Words, sources: &mut Sources) -> Row {
    let id = format!("card-{}", gpu.id);
    let link = |rate: Option<ByteRate>| printed(rate.map(ByteRate::as_gb_per_s));
    let basis = match gpu.capacity_basis {
        CapacityBasis::Torch => "torch",
        CapacityBasis::Xla => "xla",
        CapacityBasis::Estimated => "estimated",
        CapacityBasis::Shared => "shared",
        CapacityBasis::Limit => "limit",
        // What a reader states is no row.
        CapacityBasis::Printed | CapacityBasis::Stated => "printed",
    };
    let mut cells = vec![
        name(&id, gpu.name),
        Cell::text(gpu.vendor),
        Cell::number(gpu.year.to_string(), gpu.year.into()),
        Cell::text(gpu.memory),
        whole(gpu.printed_gb.into()),
        figure(gpu.capacity.as_gb()),
        figure(gpu.capacity.as_gib()),
        Cell::text(known_from(gpu, words.say(&format!("cards.basis.{basis}")))),
        printed(Some(gpu.bandwidth.as_gb_per_s())),
    ];
    cells.extend(FORMATS.map(|format| printed(gpu.peaks.at(format).map(|_| peak(gpu, format)))));
    let ridge = [ComputePrecision::Bf16, ComputePrecision::Fp16].into_iter().find_map(|format| Roof::of(gpu, format));
    let ridge = ridge.map(|roof| roof.ridge().0);
    cells.push(ridge.map_or_else(|| Cell::maybe(None), figure));
    cells.extend([link(gpu.host_link), link(gpu.peer_link), sources.cell(gpu.sources())]);
    let formats = FORMATS.into_iter().filter(|format| gpu.peaks.at(*format).is_some()).map(ComputePrecision::id);
    let chosen_by = vec![
        ("vendor", gpu.vendor.to_owned()),
        ("memory", kind_of_memory(gpu)),
        ("formats", formats.collect::<Vec<_>>().join(" ")),
    ];
    Row { id, chosen_by, cells }
}

/// The basis, and the range where there is one.
fn known_from(gpu: &Gpu, basis: String) -> String {
    match gpu.reported().range() {
        Some(range) => format!("{basis}, {range}"),
        None => basis,
    }
}

/// The printed figure itself: a rate in FLOP/s and back would leave digits of its own behind.
fn peak(gpu: &Gpu, format: ComputePrecision) -> f64 {
    let peaks = &gpu.peaks;
    let peak = match format {
        ComputePrecision::Fp32 => peaks.fp32,
        ComputePrecision::Tf32 => peaks.tf32,
        ComputePrecision::Fp16 => peaks.fp16,
        ComputePrecision::Bf16 => peaks.bf16,
        ComputePrecision::Fp8 => peaks.fp8,
        ComputePrecision::Int8 => peaks.int8,
        ComputePrecision::Fp4 => peaks.fp4,
    };
    peak.map_or(0.0, memory_wall_core::tables::gpus::Peak::tflops)
}
