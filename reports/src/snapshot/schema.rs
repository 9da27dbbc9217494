//! From plain values to segments, traces, settings and annotations: what a snapshot holds, whichever version wrote it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::values::{Container, Record, Value, Values};

use super::Annotation;
use super::gather::{EVENT, Event, stack};
use super::refused::Refused;
use super::segments::{Block, BlockState, Segment};

/// What stands in a file, by its parts.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) segments: Vec<Segment>,
    /// The events of each device, among all that were gathered.
    pub(super) traces: Vec<Range<usize>>,
    pub(super) settings: Vec<(String, String)>,
    pub(super) annotations: Vec<Annotation>,
    /// Whether blocks say what was asked for.
    pub(super) has_requests: bool,
}

/// A field that is no number where one should be.
type Wrong = Option<(&'static str, Value)>;

/// A walk over values that visits each at most a few times.
struct Walk<'v, 'a> {
    values: &'v Values<'a>,
    left: usize,
}

pub(super) fn parts(values: &Values<'_>, root: Value) -> Result<Parts, Refused> {
    // What a program wrote is a tree, and is visited once.
    let mut walk = Walk { values, left: 4 * values.count() + 1_024 };
    let mut parts = Parts { has_requests: true, ..Parts::default() };
    match root {
        // `torch.cuda.memory_snapshot()`, and the oldest dumps: the segments alone.
        Value::List(list) => walk.segments(list, &mut parts)?,
        Value::Object(root) => {
            let field = |name: &[u8]| values.field(root, name);
            let (segments, traces) = (field(b"segments"), field(b"device_traces"));
            if segments.is_none() && traces.is_none() {
                return Err(Refused::NoSnapshot);
            }
            match segments {
                Some(Value::List(list)) => walk.segments(list, &mut parts)?,
                None => {}
                Some(other) => return Err(wrong("segments", "a list", other)),
            }
            match traces {
                Some(Value::List(list)) => walk.traces(list, &mut parts)?,
                None => {}
                Some(other) => return Err(wrong("device_traces", "a list", other)),
            }
            if let Some(Value::Object(settings)) = field(b"allocator_settings") {
                walk.settings(settings, &mut parts)?;
            }
            if let Some(Value::List(list)) = field(b"external_annotations") {
                walk.annotations(list, &mut parts)?;
            }
        }
        _ => return Err(Refused::NoSnapshot),
    }
    if parts.segments.is_empty() && parts.traces.iter().all(Range::is_empty) && !matches!(root, Value::Object(_)) {
        return Err(Refused::NoSnapshot);
    }
    Ok(parts)
}

/// The most that all sizes of a file may add up to, so that no sum of them wraps: far above the memory of any device.
const MOST: u128 = 1 << 62;

/// Refuses sizes that cannot be.
pub(super) fn believable(parts: &Parts, events: &[Event]) -> Result<(), Refused> {
    let [segments, events] = [
        parts.segments.iter().map(|segment| u128::from(segment.size)).sum::<u128>(),
        events.iter().map(|event| u128::from(event.size)).sum(),
    ];
    for (path, sum) in [("segments", segments), ("device_traces", events)] {
        if segments + events > MOST && sum > MOST / 2 {
            let (wanted, found) = ("of sizes that a device can have", "larger than any memory");
            return Err(Refused::Part { path: path.into(), wanted, found });
        }
    }
    Ok(())
}

fn wrong(path: impl Into<String>, wanted: &'static str, found: Value) -> Refused {
    Refused::Part { path: path.into(), wanted, found: found.kind() }
}

impl Walk<'_, '_> {
    fn visit(&mut self, part: &'static str) -> Result<(), Refused> {
        self.left = self.left.checked_sub(1).ok_or(Refused::Shared(part))?;
        Ok(())
    }

    fn segments(&mut self, list: Container, parts: &mut Parts) -> Result<(), Refused> {
        for (place, segment) in self.values.items(list).enumerate() {
            let Value::Object(fields) = segment else {
                return Err(wrong(format!("segments[{place}]"), "an object", segment));
            };
            let segment = self.segment(fields, place, parts)?;
            parts.segments.push(segment);
        }
        Ok(())
    }

    fn segment(&mut self, fields: Container, place: usize, parts: &mut Parts) -> Result<Segment, Refused> {
        let mut segment = Segment {
            device: 0,
            address: 0,
            size: 0,
            is_small: false,
            is_expandable: false,
            is_private: false,
            stream: 0,
            blocks: Vec::new(),
        };
        let (mut size, mut blocks) = (None, None);
        for (name, value) in self.values.fields(fields) {
            self.visit("segments")?;
            match name {
                b"device" => segment.device = value.whole().unwrap_or(0),
                b"address" => segment.address = value.whole().unwrap_or(0),
                b"total_size" => size = Some(value),
                b"stream" => segment.stream = value.whole().unwrap_or(0),
                b"segment_type" => segment.is_small = self.is(value, b"small"),
                b"is_expandable" => segment.is_expandable = value == Value::Switch(true),
                b"segment_pool_id" => segment.is_private = self.is_private(value),
                b"blocks" => blocks = Some(value),
                _ => {}
            }
        }
        let path = |part: &str| format!("segments[{place}].{part}");
        segment.size = match size {
            Some(Value::Whole(size)) => size,
            Some(other) => return Err(wrong(path("total_size"), "a number of bytes", other)),
            None => return Err(Refused::NoSnapshot),
        };
        let Some(blocks) = blocks else { return Ok(segment) };
        let Value::List(list) = blocks else { return Err(wrong(path("blocks"), "a list", blocks)) };
        let mut next = segment.address;
        for (number, block) in self.values.items(list).enumerate() {
            let path = |part: &str| path(&format!("blocks[{number}]{part}"));
            let Value::Object(fields) = block else { return Err(wrong(path(""), "an object", block)) };
            let (block, wrongs) = self.block(fields, next, parts)?;
            if let Some((part, found)) = wrongs {
                return Err(wrong(path(part), "a number", found));
            }
            // The oldest files say only the sizes, in order.
            next = block.address.saturating_add(block.size);
            segment.blocks.push(block);
        }
        let sum: u128 = segment.blocks.iter().map(|block| u128::from(block.size)).sum();
        if sum > u128::from(segment.size) {
            let (path, found) = (path("blocks"), "more than the segment itself");
            return Err(Refused::Part { path, wanted: "no larger together than the segment", found });
        }
        Ok(segment)
    }

    /// A block, and the field that is no number where one should be.
    fn block(&mut self, fields: Container, next: u64, parts: &mut Parts) -> Result<(Block, Wrong), Refused> {
        let (mut size, mut requested, mut history, mut wrong) = (Value::Nothing, None, None, None);
        let mut block = Block {
            address: next,
            size: 0,
            requested: 0,
            state: BlockState::Free,
            stack: super::frames::StackId::NONE,
        };
        for (name, value) in self.values.fields(fields) {
            self.visit("blocks")?;
            match name {
                b"address" => match value.whole() {
                    Some(address) => block.address = address,
                    None => wrong = Some((".address", value)),
                },
                b"size" => size = value,
                b"requested_size" => requested = value.whole(),
                b"state" => {
                    block.state = match value {
                        _ if self.is(value, b"active_allocated") => BlockState::Allocated,
                        _ if self.is(value, b"inactive") => BlockState::Free,
                        // `active_pending_free` in the code and in files, `active_awaiting_free` in the documentation.
                        _ => BlockState::Pending,
                    }
                }
                b"frames" => block.stack = stack(Some(value)),
                b"history" => history = Some(value),
                _ => {}
            }
        }
        match size.whole() {
            Some(size) => block.size = size,
            None => wrong = Some((".size", size)),
        }
        if let Some(Value::List(list)) = history
            && let Some(Value::Object(newest)) = self.values.items(list).next()
        {
            for (name, value) in self.values.fields(newest) {
                self.visit("blocks")?;
                match name {
                    b"real_size" => requested = requested.or(value.whole()),
                    b"frames" => block.stack = stack(Some(value)),
                    _ => {}
                }
            }
        }
        parts.has_requests &= requested.is_some() || block.state != BlockState::Allocated;
        // A request larger than its block is no request.
        block.requested = requested.filter(|requested| *requested <= block.size).unwrap_or(block.size);
        Ok((block, wrong))
    }

    fn traces(&mut self, list: Container, parts: &mut Parts) -> Result<(), Refused> {
        for (device, trace) in self.values.items(list).enumerate() {
            let Value::List(trace) = trace else {
                return Err(wrong(format!("device_traces[{device}]"), "a list", trace));
            };
            let mut range: Option<Range<usize>> = None;
            for (place, event) in self.values.items(trace).enumerate() {
                let Value::Record(Record { kind: EVENT, index }) = event else {
                    let path = format!("device_traces[{device}][{place}]");
                    return Err(wrong(path, "an event with action, addr and size", event));
                };
                let index = index as usize;
                match &mut range {
                    None => range = Some(index..index + 1),
                    Some(range) if range.end == index => range.end = index + 1,
                    Some(_) => return Err(Refused::Shared("device_traces")),
                }
                self.visit("device_traces")?;
            }
            let range = range.unwrap_or(0..0);
            if parts.traces.iter().any(|other| !range.is_empty() && other.start < range.end && range.start < other.end)
            {
                return Err(Refused::Shared("device_traces"));
            }
            parts.traces.push(range);
            self.visit("device_traces")?;
        }
        Ok(())
    }

    fn settings(&mut self, fields: Container, parts: &mut Parts) -> Result<(), Refused> {
        for (name, value) in self.values.fields(fields) {
            self.visit("allocator_settings")?;
            let words = match value {
                Value::Whole(number) => format!("{number}"),
                Value::Negative(number) => format!("{number}"),
                Value::Number(number) => fraction(number),
                Value::Switch(switch) => format!("{switch}"),
                Value::Text(text) => String::from_utf8_lossy(self.values.text(text)).into_owned(),
                _ => continue,
            };
            parts.settings.push((String::from_utf8_lossy(name).into_owned(), words));
        }
        Ok(())
    }

    fn annotations(&mut self, list: Container, parts: &mut Parts) -> Result<(), Refused> {
        for annotation in self.values.items(list) {
            self.visit("external_annotations")?;
            let Value::Object(fields) = annotation else { continue };
            let (mut words, mut is_start, mut device, mut time) = (None, false, 0, None);
            for (name, value) in self.values.fields(fields) {
                self.visit("external_annotations")?;
                match (name, value) {
                    (b"name", Value::Text(text)) => words = Some(text),
                    (b"stage", stage) => is_start = self.is(stage, b"START"),
                    (b"device", value) => device = value.whole().unwrap_or(0),
                    (b"time_us", value) => time = value.whole(),
                    _ => {}
                }
            }
            let (Some(words), Some(time_us)) = (words, time) else { continue };
            let name = String::from_utf8_lossy(self.values.text(words)).into_owned();
            parts.annotations.push(Annotation { name, is_start, device, time_us });
        }
        Ok(())
    }

    fn is(&self, value: Value, word: &[u8]) -> bool {
        matches!(value, Value::Text(text) if self.values.text(text) == word)
    }

    /// The common pool is `(0, 0)`.
    fn is_private(&self, value: Value) -> bool {
        match value {
            Value::List(pair) => self.values.items(pair).any(|number| number != Value::Whole(0)),
            _ => false,
        }
    }
}

/// A fraction with up to six digits behind the point: a setting such as 0.8.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is within the range that was asked for"
)]
fn fraction(number: f64) -> String {
    let size = if number < 0.0 { -number } else { number };
    if !(0.0..1e12).contains(&size) {
        return String::from("?");
    }
    let millionths = (size * 1e6 + 0.5) as u64;
    let sign = if number < 0.0 { "-" } else { "" };
    let text = format!("{sign}{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').into()
}
