//! What was allocated at a moment, as a flame graph.

use memory_wall_core::display::ByteUnit;
use memory_wall_reports::snapshot::{CATEGORIES, Device, Flame, FrameId, Frames, Node, Snapshot};
use memory_wall_reports::values::Written;

use crate::{grouped, heading, share, size};

/// Numbers of a node: steps from the root, where it begins in bytes from the left, its bytes, the node below it, and its name: that of a
/// category, then −1 for what has no stack, or of a frame behind the categories. The root has the name −2.
pub(crate) const WIDTH: usize = 5;
/// Lines of the table.
const TOP: usize = 20;

/// The names that the frames of a graph have, by the number of the frame.
fn numbered(flame: &Flame, frames: &Frames) -> Vec<Option<u32>> {
    let mut numbers: Vec<Option<u32>> = vec![None; frames.len() as usize];
    for node in &flame.nodes {
        if let Node::Frame(frame) = node.node
            && let Some(number) = numbers.get_mut(frame.0 as usize)
        {
            *number = Some(0);
        }
    }
    let first = u32::try_from(CATEGORIES.len()).unwrap_or(0);
    numbers.iter_mut().flatten().zip(first..).for_each(|(number, place)| *number = place);
    numbers
}

pub(crate) fn nodes(flame: &Flame, frames: &Frames) -> Vec<f64> {
    let places = numbered(flame, frames);
    let mut numbers = Vec::with_capacity(flame.nodes.len() * WIDTH);
    for node in &flame.nodes {
        let name = match node.node {
            Node::All => -2.0,
            Node::NoStack => -1.0,
            Node::Category(category) => category.place() as f64,
            Node::Frame(id) => places.get(id.0 as usize).copied().flatten().map_or(-1.0, f64::from),
        };
        numbers.extend([node.depth.into(), node.start as f64, node.bytes as f64, node.parent.into(), name]);
    }
    numbers
}

pub(crate) fn names(json: &mut Written, flame: &Flame, frames: &Frames) {
    let categories = CATEGORIES.map(|category| heading(category.name()));
    let names = numbered(flame, frames);
    json.name("names").within('[', &mut |json| {
        for name in &categories {
            json.text(name);
        }
        for (frame, _) in (0..).zip(&names).filter(|(_, number)| number.is_some()) {
            json.text(&frames.label(FrameId(frame)));
        }
    });
    json.name("cut").switch(flame.is_cut);
}

/// What a node takes, of all and of the node below it.
pub(crate) fn node(json: &mut Written, flame: &Flame, node: u32, unit: ByteUnit) {
    let all = flame.nodes.first().map_or(0, |root| root.bytes);
    let Some(node) = flame.nodes.get(node as usize) else { return };
    json.name("size").text(&size(node.bytes, unit));
    json.name("share").text(&share(node.bytes, all));
}

pub(crate) fn top(json: &mut Written, snapshot: &Snapshot, device: &Device, event: Option<u32>, unit: ByteUnit) {
    let all = device.trace.timeline.allocated(event);
    let outermost = |stack| snapshot.frames.stack(stack).last().copied();
    json.name("rows").within('[', &mut |json| {
        for top in device.trace.top(&snapshot.frames, event, TOP) {
            json.texts(&[
                // Of a stack without Python, such as the backward pass has, the outermost function.
                top.line.or(outermost(top.stack)).map(|line| snapshot.frames.label(line)).unwrap_or_default(),
                heading(top.category.name()),
                grouped(top.count),
                size(top.bytes, unit),
                share(top.bytes, all),
            ]);
        }
    });
}
