//! Values as Python's pickler and as JSON write them.

use std::collections::HashMap;
use std::fmt::Write as _;

/// A value to be written.
#[derive(Clone)]
pub(crate) enum Node {
    Nothing,
    Switch(bool),
    Whole(u64),
    Negative(i32),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Pair(u64, u64),
    Object(Vec<(&'static str, Node)>),
    /// Part of what many values share; a pickle holds it once.
    Shared(usize),
}

impl From<u64> for Node {
    fn from(number: u64) -> Self {
        Self::Whole(number)
    }
}

impl From<&str> for Node {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

/// Writes a pickle as Python does, batch by batch.
pub(crate) struct Pickler<'a> {
    pub(crate) bytes: Vec<u8>,
    protocol: u8,
    shared: &'a [Node],
    texts: HashMap<String, u32>,
    written: HashMap<usize, u32>,
    next: u32,
}

/// Items of a list that Python's pickler adds at once.
const BATCH: usize = 1_000;

impl<'a> Pickler<'a> {
    pub(crate) fn new(protocol: u8, shared: &'a [Node]) -> Self {
        Self { bytes: vec![0x80, protocol], protocol, shared, texts: HashMap::new(), written: HashMap::new(), next: 0 }
    }

    /// Numbers a list that was written by hand.
    pub(crate) fn number(&mut self) {
        self.memoize();
    }

    fn memoize(&mut self) -> u32 {
        let number = self.next;
        self.next += 1;
        match self.protocol {
            2 | 3 if number < 256 => self.bytes.extend([b'q', number as u8]),
            2 | 3 => {
                self.bytes.push(b'r');
                self.bytes.extend(number.to_le_bytes());
            }
            _ => self.bytes.push(0x94),
        }
        number
    }

    fn get(&mut self, number: u32) {
        if let Ok(number) = u8::try_from(number) {
            self.bytes.extend([b'h', number]);
        } else {
            self.bytes.push(b'j');
            self.bytes.extend(number.to_le_bytes());
        }
    }

    fn whole(&mut self, number: u64) {
        if let Ok(number) = u8::try_from(number) {
            self.bytes.extend([b'K', number]);
        } else if let Ok(number) = u16::try_from(number) {
            self.bytes.push(b'M');
            self.bytes.extend(number.to_le_bytes());
        } else if let Ok(number) = i32::try_from(number) {
            self.bytes.push(b'J');
            self.bytes.extend(number.to_le_bytes());
        } else {
            let bytes = number.to_le_bytes();
            let length = 9 - (number.leading_zeros() / 8) as usize;
            self.bytes.extend([0x8a, length as u8]);
            self.bytes.extend(bytes.iter().chain(&[0]).take(length));
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(number) = self.texts.get(text).copied() {
            return self.get(number);
        }
        match u8::try_from(text.len()) {
            Ok(length) if self.protocol >= 4 => self.bytes.extend([0x8c, length]),
            _ => {
                self.bytes.push(b'X');
                self.bytes.extend((text.len() as u32).to_le_bytes());
            }
        }
        self.bytes.extend(text.bytes());
        let number = self.memoize();
        self.texts.insert(text.into(), number);
    }

    /// Begins a list.
    pub(crate) fn open_list(&mut self) {
        self.bytes.push(b']');
        self.memoize();
    }

    /// Its item of this number.
    pub(crate) fn item(&mut self, item: &Node, number: usize) {
        if number.is_multiple_of(BATCH) {
            self.close_list(number);
            self.bytes.push(b'(');
        }
        self.node(item);
    }

    /// Ends a list of so many items, or a batch of them.
    pub(crate) fn close_list(&mut self, count: usize) {
        if count > 0 {
            self.bytes.push(b'e');
        }
    }

    /// Begins an object with the first field's name; `fields` are written with `node` and closed with `close`.
    pub(crate) fn open(&mut self) {
        self.bytes.push(b'}');
        self.memoize();
        self.bytes.push(b'(');
    }

    pub(crate) fn close(&mut self) {
        self.bytes.push(b'u');
    }

    pub(crate) fn node(&mut self, node: &Node) {
        match node {
            Node::Nothing => self.bytes.push(b'N'),
            Node::Switch(switch) => self.bytes.push(if *switch { 0x88 } else { 0x89 }),
            Node::Whole(number) => self.whole(*number),
            Node::Negative(number) => {
                self.bytes.push(b'J');
                self.bytes.extend(number.to_le_bytes());
            }
            Node::Number(number) => {
                self.bytes.push(b'G');
                self.bytes.extend(number.to_be_bytes());
            }
            Node::Text(text) => self.text(text),
            Node::List(items) => {
                self.open_list();
                items.iter().enumerate().for_each(|(number, item)| self.item(item, number));
                self.close_list(items.len());
            }
            Node::Pair(one, two) => {
                self.whole(*one);
                self.whole(*two);
                self.bytes.push(0x86);
                self.memoize();
            }
            Node::Object(fields) => {
                self.open();
                for (name, value) in fields {
                    self.text(name);
                    self.node(value);
                }
                self.close();
            }
            Node::Shared(place) => {
                if let Some(number) = self.written.get(place).copied() {
                    return self.get(number);
                }
                let number = self.next;
                self.node(&self.shared[*place].clone());
                self.written.insert(*place, number);
            }
        }
    }

    pub(crate) fn end(mut self) -> Vec<u8> {
        self.bytes.push(b'.');
        self.bytes
    }
}

/// Writes JSON as Python's `json.dumps` does.
pub(crate) fn json(node: &Node, shared: &[Node], out: &mut String) {
    let mut list = |open: char, items: &mut dyn Iterator<Item = (Option<&str>, &Node)>, close: char| {
        out.push(open);
        for (place, (name, item)) in items.enumerate() {
            out.push_str(if place == 0 { "" } else { ", " });
            if let Some(name) = name {
                let _ = write!(out, "{name:?}: ");
            }
            json(item, shared, out);
        }
        out.push(close);
    };
    match node {
        Node::List(items) => list('[', &mut items.iter().map(|item| (None, item)), ']'),
        Node::Object(fields) => list('{', &mut fields.iter().map(|(name, item)| (Some(*name), item)), '}'),
        Node::Nothing => out.push_str("null"),
        Node::Switch(switch) => out.push_str(if *switch { "true" } else { "false" }),
        Node::Whole(number) => drop(write!(out, "{number}")),
        Node::Negative(number) => drop(write!(out, "{number}")),
        Node::Number(number) => drop(write!(out, "{number:?}")),
        Node::Text(text) => drop(write!(out, "{text:?}")),
        Node::Pair(one, two) => drop(write!(out, "[{one}, {two}]")),
        Node::Shared(place) => json(&shared[*place], shared, out),
    }
}
