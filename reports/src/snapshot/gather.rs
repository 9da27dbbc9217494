//! Events, frames and stacks, taken out of a file while it is read: a million of them take 32 bytes each.

use alloc::vec::Vec;

use crate::values::{Collector, Record, Text, Value, Values};

use super::category::Category;
use super::frames::{FrameId, Frames, StackId};

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Memory for a tensor was handed out.
    Alloc,
    /// A tensor's memory was given back.
    FreeRequested,
    /// No stream works on it any more, so that it can be handed out again.
    FreeCompleted,
    /// The allocator took a segment from the driver.
    SegmentAlloc,
    /// It gave one back.
    SegmentFree,
    /// The driver refused: out of memory.
    OutOfMemory,
    /// Anything else: a snapshot, a note of the program.
    Other,
}

impl Action {
    fn of(name: &[u8]) -> Self {
        match name {
            b"alloc" => Self::Alloc,
            b"free_requested" => Self::FreeRequested,
            b"free_completed" => Self::FreeCompleted,
            b"segment_alloc" | b"segment_map" => Self::SegmentAlloc,
            b"segment_free" | b"segment_unmap" => Self::SegmentFree,
            b"oom" => Self::OutOfMemory,
            _ => Self::Other,
        }
    }
}

/// One entry of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The address; of a refusal the memory that was free on the device.
    pub address: u64,
    /// Bytes: of a tensor as they were asked for, of a segment as it is.
    pub size: u64,
    /// Microseconds since 1970, or 0.
    pub time_us: u64,
    /// Where in the program.
    pub stack: StackId,
    /// What happened.
    pub action: Action,
    /// What PyTorch's profiler says that the tensor is, where it wrote that.
    pub category: Option<Category>,
}

pub(super) const FRAME: u8 = 0;
pub(super) const STACK: u8 = 1;
pub(super) const EVENT: u8 = 2;

/// What is taken out of a file.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) frames: Frames,
    pub(super) events: Vec<Event>,
    scratch: Vec<FrameId>,
}

impl Collector for Gathered {
    fn object(&mut self, values: &Values<'_>, pairs: &[Value]) -> Option<Record> {
        let mut found = Found::default();
        for pair in pairs.chunks_exact(2) {
            if let [Value::Text(name), value] = *pair {
                found.field(values, name, value);
            }
        }
        if let Some(action) = found.action {
            let index = u32::try_from(self.events.len()).ok()?;
            self.events.push(found.event(values, action)?);
            return Some(Record { kind: EVENT, index });
        }
        let (name, file) = (found.name?, found.file?);
        let line = found.line.and_then(|line| u32::try_from(line).ok())?;
        let FrameId(index) = self.frames.intern_frame(values.text(name), values.text(file), line);
        Some(Record { kind: FRAME, index })
    }

    fn list(&mut self, values: &Values<'_>, items: &[Value]) -> Option<Record> {
        self.scratch.clear();
        for item in items {
            match values.resolve(*item) {
                Value::Record(Record { kind: FRAME, index }) => self.scratch.push(FrameId(index)),
                _ => return None,
            }
        }
        if self.scratch.is_empty() {
            return None;
        }
        let StackId(index) = self.frames.intern_stack(&self.scratch);
        Some(Record { kind: STACK, index })
    }
}

/// The stack that a value stands for: none for an empty list.
pub(super) fn stack(value: Option<Value>) -> StackId {
    match value {
        Some(Value::Record(Record { kind: STACK, index })) => StackId(index),
        _ => StackId::NONE,
    }
}

#[derive(Default)]
struct Found {
    action: Option<Text>,
    address: Option<u64>,
    size: Option<u64>,
    time: Option<u64>,
    frames: Option<Value>,
    category: Option<Text>,
    name: Option<Text>,
    file: Option<Text>,
    line: Option<u64>,
}

impl Found {
    fn field(&mut self, values: &Values<'_>, name: Text, value: Value) {
        let text = |value| if let Value::Text(text) = value { Some(text) } else { None };
        match values.text(name) {
            b"action" => self.action = text(value),
            b"addr" | b"device_free" => self.address = value.whole(),
            b"size" => self.size = value.whole(),
            b"time_us" => self.time = value.whole(),
            b"frames" => self.frames = Some(values.resolve(value)),
            b"category" => self.category = text(value),
            b"name" => self.name = text(value),
            b"filename" => self.file = text(value),
            b"line" => self.line = value.whole(),
            _ => {}
        }
    }

    fn event(&self, values: &Values<'_>, action: Text) -> Option<Event> {
        let action = Action::of(values.text(action));
        // A note of the program has neither; what has a tensor must say both.
        let needed = |number: Option<u64>| if action == Action::Other { Some(number.unwrap_or(0)) } else { number };
        Some(Event {
            address: needed(self.address)?,
            size: needed(self.size)?,
            time_us: self.time.unwrap_or(0),
            stack: stack(self.frames),
            action,
            category: self.category.and_then(|name| Category::of_profiler(values.text(name))),
        })
    }
}
