//! What only grows.

use memory_wall_core::display::ByteUnit;
use memory_wall_reports::snapshot::{Device, Snapshot, leaks};
use memory_wall_reports::values::Written;

use crate::{grouped, size};

/// Rows of the table.
const ROWS: usize = 40;
/// Callers of a line that are named.
const CALLERS: usize = 3;

/// Each place that allocates and never frees: its line and callers, what stays, how many tensors, and by how much each part of the
/// trace adds to it.
pub(crate) fn rows(json: &mut Written, snapshot: &Snapshot, device: &Device, unit: ByteUnit) {
    let frames = &snapshot.frames;
    for leak in leaks(&device.trace, frames).into_iter().take(ROWS) {
        let stack = frames.stack(leak.stack).iter().copied().filter(|frame| frames.is_python(*frame));
        let callers: Vec<String> = match leak.line {
            Some(line) => {
                stack.skip_while(|frame| *frame != line).skip(1).take(CALLERS).map(|it| frames.label(it)).collect()
            }
            None => Vec::new(),
        };
        let [least, most] = leak.growth.map(|bytes| size(bytes, unit));
        let growth = if least == most { most } else { format!("{least}–{most}") };
        json.within('{', &mut |json| {
            json.name("line").text(&leak.line.map(|line| frames.label(line)).unwrap_or_default());
            json.name("callers").texts(&callers);
            json.name("stays").text(&size(leak.bytes, unit));
            json.name("tensors").text(&grouped(leak.count));
            json.name("growth").text(&growth);
            json.name("grew").text(&grouped(leak.grew_in));
            json.name("parts").text(&grouped(leak.parts));
            json.name("steps").switch(leak.by_step);
        });
    }
}
