//! `memory-wall models` and `memory-wall gpus`.

use memory_wall_core::display::{ByteUnit, Count, Grouped, Size, THIN_SPACE};
use memory_wall_core::memory::kv_cache;
use memory_wall_core::tables::gpus::{CapacityBasis, GPUS, Gpu};
use memory_wall_core::tables::models::{MODELS, Model};
use memory_wall_core::{Bytes, Scenario};

use crate::json;
use crate::json::listing::{GpuRow, ModelRow};
use crate::text::{Side, Table};
use crate::{BadInput, refusal};

/// Where nothing is known.
const NONE: &str = "-";

/// What one token of one sequence adds to a model's bf16 cache.
pub(crate) fn per_token(model: &Model) -> Result<Bytes, BadInput> {
    let scenario = Scenario::new(model.architecture);
    scenario.check().map(|it| kv_cache::bytes_per_token(&it)).map_err(|error| refusal::of(&scenario, &error))
}

/// Every model of the table.
pub(crate) fn models(json: bool) -> Result<String, BadInput> {
    if json {
        return json::text(&MODELS.iter().map(ModelRow::new).collect::<Result<Vec<_>, _>>()?);
    }
    let mut table = Table::new(&[
        ("ID", Side::Left),
        ("Name", Side::Left),
        ("Parameters", Side::Right),
        ("Active", Side::Right),
        ("Context", Side::Right),
        ("KV/token", Side::Right),
    ]);
    for model in MODELS {
        let shape = &model.architecture;
        let per_token = per_token(model)?;
        table.row([
            model.id.into(),
            model.name.into(),
            Grouped(model.parameters().into()).to_string(),
            Count(shape.active_parameters()).to_string().replace(THIN_SPACE, " "),
            shape.trained_context.map_or(NONE.into(), |context| Grouped(context.into()).to_string()),
            Size::new(per_token, ByteUnit::Gb).plain().to_string(),
        ]);
    }
    Ok(table.text()
        + "\nActive: parameters that a token passes through; a mixture of experts uses only some of them.\n"
        + "KV/token: what one token of one sequence adds to a bf16 KV cache.\n"
        + "Layers, heads and widths: --json.\n")
}

/// Every GPU of the table.
pub(crate) fn gpus(json: bool) -> Result<String, BadInput> {
    if json {
        return json::text(&GPUS.iter().map(GpuRow::new).collect::<Vec<_>>());
    }
    let mut table = Table::new(&[
        ("ID", Side::Left),
        ("Name", Side::Left),
        ("Year", Side::Right),
        ("GB", Side::Right),
        ("GiB", Side::Right),
        ("GB/s", Side::Right),
        ("bf16", Side::Right),
    ]);
    for gpu in GPUS {
        table.row([
            gpu.id.into(),
            gpu.name.into(),
            gpu.year.to_string(),
            gpu.printed_gb.to_string(),
            reported(gpu),
            gpu.bandwidth.as_gb_per_s().to_string(),
            gpu.peaks.bf16.map_or(NONE.into(), |peak| peak.tflops().to_string()),
        ]);
    }
    Ok(table.text()
        + "\nGB: printed on the box. GiB: what PyTorch reports on the GPU, from the newest driver to the oldest;\n\
           ~ is an estimate or a printed size, for want of a report. The engine takes the smallest figure.\n\
           GB/s: memory bandwidth. bf16: dense TFLOP/s. GiB of a TPU are what XLA reports.\n")
}

/// The capacity in GiB, as a range where several figures are known.
fn reported(gpu: &Gpu) -> String {
    let mark = if matches!(gpu.capacity_basis, CapacityBasis::Torch | CapacityBasis::Xla) { "" } else { "~" };
    match gpu.reported().range() {
        Some(range) => format!("{mark}{}", range.to_string().trim_end_matches(" GiB")),
        None => format!("{mark}{:.2}", gpu.capacity.as_gib()),
    }
}
