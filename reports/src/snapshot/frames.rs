//! Frames and stacks, each kept once however often a file repeats it.

use alloc::string::String;
use alloc::vec::Vec;
use core::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashTable};

/// A line of code on a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    name: u32,
    file: u32,
    /// The line; 0 where it is not known.
    pub line: u32,
}

/// The number of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameId(pub u32);

/// The number of a stack; [`StackId::NONE`] where none was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StackId(pub u32);

impl StackId {
    /// No stack.
    pub const NONE: Self = Self(u32::MAX);
}

/// All frames and stacks of a file.
#[derive(Debug, Default)]
pub struct Frames {
    bytes: Vec<u8>,
    texts: Vec<[u32; 2]>,
    lines: Vec<Frame>,
    lists: Vec<FrameId>,
    stacks: Vec<[u32; 2]>,
    index: Index,
}

#[derive(Debug, Default)]
struct Index {
    hasher: DefaultHashBuilder,
    texts: HashTable<u32>,
    frames: HashTable<u32>,
    stacks: HashTable<u32>,
}

fn slice<T>(all: &[T], [start, length]: [u32; 2]) -> &[T] {
    all.get(start as usize..start as usize + length as usize).unwrap_or_default()
}

fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

impl Frames {
    fn intern_text(&mut self, text: &[u8]) -> u32 {
        let Index { hasher, texts, .. } = &mut self.index;
        let hash = hasher.hash_one(text);
        let (all, ranges) = (&mut self.bytes, &mut self.texts);
        let get = |ranges: &[[u32; 2]], id: u32| ranges.get(id as usize).copied().unwrap_or_default();
        if let Some(id) = texts.find(hash, |id| slice(all, get(ranges, *id)) == text) {
            return *id;
        }
        let id = number(ranges.len());
        ranges.push([number(all.len()), number(text.len())]);
        all.extend_from_slice(text);
        texts.insert_unique(hash, id, |id| hasher.hash_one(slice(all, get(ranges, *id))));
        id
    }

    /// The number of a frame.
    pub(super) fn intern_frame(&mut self, name: &[u8], file: &[u8], line: u32) -> FrameId {
        let frame = Frame { name: self.intern_text(name), file: self.intern_text(file), line };
        let Index { hasher, frames: index, .. } = &mut self.index;
        let hash = hasher.hash_one(frame);
        let all = &mut self.lines;
        if let Some(id) = index.find(hash, |id| all.get(*id as usize) == Some(&frame)) {
            return FrameId(*id);
        }
        let id = number(all.len());
        all.push(frame);
        index.insert_unique(hash, id, |id| all.get(*id as usize).map_or(0, |frame| hasher.hash_one(frame)));
        FrameId(id)
    }

    /// The number of a stack, innermost frame first.
    pub(super) fn intern_stack(&mut self, stack: &[FrameId]) -> StackId {
        let Index { hasher, stacks: index, .. } = &mut self.index;
        let hash = hasher.hash_one(stack);
        let (all, ranges) = (&mut self.lists, &mut self.stacks);
        let get = |ranges: &[[u32; 2]], id: u32| ranges.get(id as usize).copied().unwrap_or_default();
        if let Some(id) = index.find(hash, |id| slice(all, get(ranges, *id)) == stack) {
            return StackId(*id);
        }
        let id = number(ranges.len());
        ranges.push([number(all.len()), number(stack.len())]);
        all.extend_from_slice(stack);
        index.insert_unique(hash, id, |id| hasher.hash_one(slice(all, get(ranges, *id))));
        StackId(id)
    }

    /// Frees what only reading needs.
    pub(super) fn seal(&mut self) {
        self.index = Index::default();
    }

    /// How many frames there are.
    pub fn len(&self) -> u32 {
        number(self.lines.len())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// How many stacks there are.
    pub fn stacks(&self) -> usize {
        self.stacks.len()
    }

    /// The frames of a stack, innermost first; none where no stack was recorded.
    pub fn stack(&self, stack: StackId) -> &[FrameId] {
        self.stacks.get(stack.0 as usize).map_or(&[], |range| slice(&self.lists, *range))
    }

    /// A frame.
    pub fn frame(&self, frame: FrameId) -> Option<Frame> {
        self.lines.get(frame.0 as usize).copied()
    }

    fn text(&self, text: u32) -> &[u8] {
        self.texts.get(text as usize).map_or(&[], |range| slice(&self.bytes, *range))
    }

    /// The bytes of a frame's function name.
    pub(super) fn name_bytes(&self, frame: FrameId) -> &[u8] {
        self.frame(frame).map_or(&[], |frame| self.text(frame.name))
    }

    /// The bytes of a frame's whole path.
    pub(super) fn path_bytes(&self, frame: FrameId) -> &[u8] {
        self.frame(frame).map_or(&[], |frame| self.text(frame.file))
    }

    /// The name of a frame's function.
    pub fn name(&self, frame: FrameId) -> String {
        String::from_utf8_lossy(self.name_bytes(frame)).into_owned()
    }

    /// The last two parts of a frame's path: what stands before may hold a user's name.
    pub fn file(&self, frame: FrameId) -> String {
        String::from_utf8_lossy(tail(self.path_bytes(frame))).into_owned()
    }

    /// Whether a frame is a line of Python, and not of C or C++.
    pub fn is_python(&self, frame: FrameId) -> bool {
        let path = self.path_bytes(frame);
        path.ends_with(b".py") || path.ends_with(b".pyx") || path.starts_with(b"<")
    }

    /// The innermost line of Python outside PyTorch on a stack; within it where there is no other.
    pub fn line_of(&self, stack: StackId) -> Option<FrameId> {
        let python = || self.stack(stack).iter().copied().filter(|frame| self.is_python(*frame));
        let own = |frame: &FrameId| {
            let path = self.path_bytes(*frame);
            !path.starts_with(b"torch/") && !contains(path, b"/torch/") && !contains(path, b"\\torch\\")
        };
        python().find(own).or_else(|| python().next())
    }

    /// A frame as it is shown in a picture: `forward (model.py:12)`, without directories, or the name alone of what is no line of Python.
    pub fn label(&self, frame: FrameId) -> String {
        let mut name = self.name(frame);
        if let Some((cut, _)) = name.char_indices().nth(LONGEST_NAME) {
            name.truncate(cut);
            name.push('…');
        }
        match self.in_file(frame) {
            Some(place) if self.is_python(frame) => alloc::format!("{name} ({place})"),
            _ => name,
        }
    }

    /// A frame as `file:line`, without any directory; nothing where no file is known.
    pub fn in_file(&self, frame: FrameId) -> Option<String> {
        let place = self.place(frame);
        place.rsplit(['/', '\\']).next().filter(|place| !place.is_empty()).map(String::from)
    }

    /// A frame as `file:line`, where the line is known.
    pub fn place(&self, frame: FrameId) -> String {
        let line = self.frame(frame).map_or(0, |frame| frame.line);
        let file = self.file(frame);
        if line == 0 { file } else { alloc::format!("{file}:{line}") }
    }
}

/// Letters of a function's name that are shown; names of templates of C++ have thousands.
const LONGEST_NAME: usize = 160;

/// The last two parts of a path.
fn tail(path: &[u8]) -> &[u8] {
    let mut cuts = path.iter().enumerate().rev().filter(|(_, byte)| matches!(byte, b'/' | b'\\'));
    let start = cuts.nth(1).map_or(0, |(cut, _)| cut + 1);
    path.get(start..).unwrap_or_default()
}

/// Whether a text holds another.
pub(super) fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_stacks_are_kept_once() {
        let mut frames = Frames::default();
        let one = frames.intern_frame(b"forward", b"/data/ann/project/model.py", 7);
        let two = frames.intern_frame(b"forward", b"/data/ann/project/model.py", 8);
        assert_eq!(frames.intern_frame(b"forward", b"/data/ann/project/model.py", 7), one);
        let stack = frames.intern_stack(&[one, two]);
        assert_ne!(frames.intern_stack(&[two, one]), stack);
        assert_eq!(frames.intern_stack(&[one, two]), stack);
        assert_eq!(frames.stack(stack), [one, two]);
        assert_eq!(frames.stacks(), 2);
        assert!(frames.stack(StackId::NONE).is_empty());
    }

    #[test]
    fn a_place_holds_no_user_name() {
        let mut frames = Frames::default();
        let mut place = |path: &str| {
            let frame = frames.intern_frame(b"f", path.as_bytes(), 3);
            frames.place(frame)
        };
        assert_eq!(place("/data/ann/project/model.py"), "project/model.py:3");
        assert_eq!(place("C:\\Users\\ann\\project\\model.py"), "project\\model.py:3");
        assert_eq!(place("/model.py"), "/model.py:3");
        assert_eq!(place("model.py"), "model.py:3");
    }

    #[test]
    fn a_label_holds_no_directory_and_no_endless_name() {
        let mut frames = Frames::default();
        let mut label = |name: &str, path: &str, line| {
            let frame = frames.intern_frame(name.as_bytes(), path.as_bytes(), line);
            frames.label(frame)
        };
        assert_eq!(label("forward", "/data/ann/model.py", 12), "forward (model.py:12)");
        assert_eq!(label("forward", "C:\\Users\\ann\\model.py", 0), "forward (model.py)");
        assert_eq!(label("at::empty", "??", 0), "at::empty");
        assert_eq!(label("f", "/data/ann/", 0), "f");
        assert_eq!(label(&"ü".repeat(1_000), "??", 0).chars().count(), LONGEST_NAME + 1);
    }

    #[test]
    fn the_line_of_a_stack_is_the_innermost_of_the_readers_own() {
        let mut frames = Frames::default();
        let ids = [
            ("at::empty", "??"),
            ("linear", "/lib/torch/nn/functional.py"),
            ("forward", "/w/m.py"),
            ("main", "/w/t.py"),
        ]
        .map(|(name, path)| frames.intern_frame(name.as_bytes(), path.as_bytes(), 1));
        let whole = frames.intern_stack(&ids);
        let inner = frames.intern_stack(&ids[..2]);
        assert_eq!(frames.line_of(whole), Some(ids[2]));
        assert_eq!(frames.line_of(inner), Some(ids[1]));
        let native = frames.intern_stack(&ids[..1]);
        assert_eq!(frames.line_of(native), None);
    }
}
