//! Allocated memory over time.

use memory_wall_core::display::{ByteUnit, Duration};
use memory_wall_reports::snapshot::{CATEGORIES, Composition, Device};
use memory_wall_reports::values::Written;

use crate::{grouped, heading, number_of, share, size};

/// Numbers of a column: its first event, the event behind its last, the least, the most, what was reserved at the most, the event of that,
/// and what it consisted of, by category.
pub(crate) const WIDTH: usize = 6 + CATEGORIES.len();
/// Stretches of the table.
const STRETCHES: u32 = 12;

pub(crate) fn columns(device: &Device, from: u32, to: u32, count: u32) -> Vec<f64> {
    let timeline = &device.trace.timeline;
    let columns = timeline.columns(from, to, count);
    let mut numbers = Vec::with_capacity(columns.len() * WIDTH);
    for column in columns {
        let reserved = timeline.reserved(Some(column.at));
        let bytes = |bytes: u64| bytes as f64;
        numbers.extend([column.from.into(), column.to.into(), bytes(column.least), bytes(column.most)]);
        numbers.extend([bytes(reserved), column.at.into()]);
        numbers.extend(column.composition.map(bytes));
    }
    numbers
}

/// The names of the categories, how many events there are, the peak, and the table.
pub(crate) fn summary(json: &mut Written, device: &Device, unit: ByteUnit) {
    let trace = &device.trace;
    let peak = trace.peak();
    json.name("device").number(device.number);
    json.name("categories").texts(&CATEGORIES.map(|category| heading(category.name())));
    json.name("events").number(trace.timeline.len().into());
    json.name("count").text(&grouped(trace.timeline.len()));
    json.name("peak").within('{', &mut |json| {
        json.name("event").signed(number_of(peak.event));
        json.name("bytes").number(peak.bytes);
        json.name("size").text(&size(peak.bytes, unit));
        json.name("phase").text(peak.moment.name());
    });
    // The scale has room for what is reserved where that is not far above.
    let reserved = trace.timeline.reserved(trace.timeline.len().checked_sub(1));
    json.name("reserved").number(reserved.max(peak.reserved));
    json.name("end").text(&size(trace.timeline.allocated(trace.timeline.len().checked_sub(1)), unit));
    json.name("stretches").within('[', &mut |json| {
        for column in trace.timeline.columns(0, trace.timeline.len(), STRETCHES) {
            let last = column.to.saturating_sub(1);
            json.texts(&[
                format!("{}–{}", grouped(column.from), grouped(last)),
                size(column.least, unit),
                size(column.most, unit),
                trace.moment(Some(column.at)).name().to_owned(),
                mostly(&column.composition),
            ]);
        }
    });
}

/// The category that has most, and its share.
fn mostly(composition: &Composition) -> String {
    let all = composition.iter().fold(0, |sum: u64, bytes| sum.saturating_add(*bytes));
    let most = CATEGORIES.into_iter().zip(composition).max_by_key(|(_, bytes)| **bytes);
    most.map(|(category, bytes)| format!("{}, {}", category.name(), share(*bytes, all))).unwrap_or_default()
}

/// What was there after an event.
pub(crate) fn moment(json: &mut Written, device: &Device, event: Option<u32>, unit: ByteUnit) {
    let trace = &device.trace;
    let event = event.map(|event| event.min(trace.timeline.len().saturating_sub(1)));
    let allocated = trace.timeline.allocated(event);
    json.name("event").signed(number_of(event));
    json.name("place").text(&event.map(grouped).unwrap_or_default());
    let time = |event: u32| trace.events.get(event as usize).map(|event| event.time_us).filter(|time| *time > 0);
    let since = event.and_then(time).zip(time(0)).and_then(|(time, first)| time.checked_sub(first));
    json.name("time").text(&since.map(|time| Duration(time as f64 / 1e6).to_string()).unwrap_or_default());
    json.name("phase").text(trace.moment(event).name());
    json.name("size").text(&size(allocated, unit));
    json.name("reserved").text(&size(trace.timeline.reserved(event), unit));
    let composition = trace.timeline.composition(event);
    json.name("parts").within('[', &mut |json| {
        for (category, bytes) in CATEGORIES.into_iter().zip(composition).filter(|(_, bytes)| *bytes > 0) {
            json.texts(&[heading(category.name()), size(bytes, unit), share(bytes, allocated)]);
        }
    });
}
