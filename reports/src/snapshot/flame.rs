//! What was allocated at a moment, by category and by the stacks that allocated it: a tree, as a flame graph draws it.

use alloc::vec::Vec;

use hashbrown::HashMap;

use crate::order::order;

use super::category::{CATEGORIES, Category};
use super::frames::{FrameId, Frames, StackId};
use super::lifetimes::Trace;
use super::timeline::Composition;

/// Nodes that are kept; what stands deeper is counted by the node below it.
const MOST_NODES: usize = 1 << 16;

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// The root: everything.
    All,
    /// A category, below the root.
    Category(Category),
    /// A frame of a stack.
    Frame(FrameId),
    /// What was there before recording, or has no stack.
    NoStack,
}

/// A node with all that was allocated in it and in what it called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlameNode {
    /// What it stands for.
    pub node: Node,
    /// The node of the caller; the root is its own.
    pub parent: u32,
    /// Steps from the root.
    pub depth: u32,
    /// Bytes in it and in what it called.
    pub bytes: u64,
    /// Where it begins, in bytes from the left.
    pub start: u64,
}

/// A flame graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flame {
    /// The root first, then by depth; siblings from the largest to the smallest.
    pub nodes: Vec<FlameNode>,
    /// Whether frames were left out because there were too many.
    pub is_cut: bool,
}

impl Flame {
    /// What was allocated after an event, by category and by stack; before the first one for nothing.
    ///
    /// With `python_only` the frames of C and C++ are passed over on stacks that have others.
    pub fn of(trace: &Trace, frames: &Frames, event: Option<u32>, python_only: bool) -> Self {
        let mut bytes: Vec<Composition> = alloc::vec![Composition::default(); frames.stacks()];
        let mut without = Composition::default();
        for allocation in trace.allocations.iter().filter(|it| it.lives_after(event)) {
            let sums = bytes.get_mut(allocation.stack.0 as usize).unwrap_or(&mut without);
            if let Some(sum) = sums.get_mut(allocation.category.place()) {
                *sum += allocation.size;
            }
        }
        let mut tree = Tree::default();
        tree.nodes.push(FlameNode { node: Node::All, parent: 0, depth: 0, bytes: 0, start: 0 });
        let parts = |sums: Composition| CATEGORIES.into_iter().zip(sums).filter(|(_, bytes)| *bytes > 0);
        for (category, sum) in parts(without) {
            tree.add(sum, [Node::Category(category), Node::NoStack].into_iter());
        }
        for (sums, stack) in bytes.into_iter().zip(0_u32..) {
            let stack = frames.stack(StackId(stack));
            let python = python_only && stack.iter().any(|frame| frames.is_python(*frame));
            for (category, sum) in parts(sums) {
                let shown = stack.iter().rev().copied().filter(|frame| !python || frames.is_python(*frame));
                tree.add(sum, core::iter::once(Node::Category(category)).chain(shown.map(Node::Frame)));
            }
        }
        tree.lay_out()
    }
}

#[derive(Default)]
struct Tree {
    nodes: Vec<FlameNode>,
    children: HashMap<(u32, Node), u32>,
    is_cut: bool,
}

impl Tree {
    /// Adds bytes to a path from the root.
    fn add(&mut self, bytes: u64, path: impl Iterator<Item = Node>) {
        let mut parent = 0;
        self.count(parent, bytes);
        for node in path {
            let next = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
            let child = match self.children.get(&(parent, node)) {
                Some(child) => *child,
                None if self.nodes.len() >= MOST_NODES => {
                    self.is_cut = true;
                    return;
                }
                None => {
                    let depth = self.nodes.get(parent as usize).map_or(0, |it| it.depth) + 1;
                    self.nodes.push(FlameNode { node, parent, depth, bytes: 0, start: 0 });
                    self.children.insert((parent, node), next);
                    next
                }
            };
            self.count(child, bytes);
            parent = child;
        }
    }

    fn count(&mut self, node: u32, bytes: u64) {
        if let Some(node) = self.nodes.get_mut(node as usize) {
            node.bytes += bytes;
        }
    }

    /// Sorts by depth and size and says where each begins.
    fn lay_out(self) -> Flame {
        let Self { nodes, is_cut, .. } = self;
        let order =
            order(nodes.len(), |place| nodes.get(place).map_or((0, 0), |node| (node.depth.into(), !node.bytes)));
        let mut new_place: Vec<u32> = alloc::vec![0; nodes.len()];
        let mut next_start: Vec<u64> = alloc::vec![0; nodes.len()];
        let mut sorted = Vec::with_capacity(nodes.len());
        for old in order {
            let Some(node) = nodes.get(old).copied() else { continue };
            let parent = node.parent as usize;
            let mut node = FlameNode { parent: new_place.get(parent).copied().unwrap_or(0), ..node };
            if node.depth > 0
                && let Some(next) = next_start.get_mut(parent)
            {
                node.start = *next;
                *next += node.bytes;
            }
            if let Some(place) = new_place.get_mut(old) {
                *place = u32::try_from(sorted.len()).unwrap_or(u32::MAX);
            }
            if let Some(next) = next_start.get_mut(old) {
                *next = node.start;
            }
            sorted.push(node);
        }
        Flame { nodes: sorted, is_cut }
    }
}
