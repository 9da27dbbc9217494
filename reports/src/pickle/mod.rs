//! Reading a Python pickle as data: protocols 2 to 5, without the opcodes that call anything.
//!
//! Python's own reader runs what a pickle tells it to. This one knows no way to: what would import, call or build an object is refused
//! by name, with its place. There is no recursion, lengths are compared with what is left before anything is reserved, and containers are numbers,
//! so that a pickle that refers to itself, or a billion times to the same list, costs what its bytes cost.

mod opcodes;
mod unreadable;

pub use unreadable::{Unreadable, Why};

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::values::{Collector, Container, Limit, Value, Values};
use opcodes as op;

/// The oldest protocol that is read.
pub const OLDEST: u8 = 2;
/// The newest protocol that is read.
pub const NEWEST: u8 = 5;

/// Reads a pickle.
///
/// # Errors
/// It is not a pickle of these protocols, it would call something, it is broken, or it passes a limit.
pub fn read<'a>(input: &'a [u8], collector: &mut impl Collector) -> Result<(Values<'a>, Value), Unreadable> {
    let refuse = |at: usize, why: Why| Unreadable { at, why };
    match input.first_chunk::<2>() {
        Some([op::PROTO, OLDEST..=NEWEST]) => {}
        Some([op::PROTO, protocol]) => return Err(refuse(1, Why::Protocol(*protocol))),
        _ => return Err(refuse(0, Why::NoPickle)),
    }
    let values = Values::of(input).map_err(|limit| refuse(0, Why::Limit(limit)))?;
    let mut machine =
        Machine { input, at: 2, values, collector, stack: Vec::new(), marks: Vec::new(), memo: Vec::new() };
    loop {
        let start = machine.at;
        match machine.step() {
            Ok(None) => {}
            Ok(Some(root)) if machine.at == input.len() => return Ok((machine.values, root)),
            Ok(Some(_)) => return Err(refuse(machine.at, Why::AfterTheEnd(input.len() - machine.at))),
            Err(why) => return Err(refuse(start, why)),
        }
    }
}

struct Machine<'v, 'a, C> {
    input: &'a [u8],
    at: usize,
    values: Values<'a>,
    collector: &'v mut C,
    stack: Vec<Value>,
    marks: Vec<usize>,
    memo: Vec<Value>,
}

impl<C: Collector> Machine<'_, '_, C> {
    /// One opcode; the value of the whole at the end.
    fn step(&mut self) -> Result<Option<Value>, Why> {
        let [opcode] = self.bytes::<1>()?;
        match opcode {
            op::STOP => return self.pop().map(|root| Some(self.values.resolve(root))),
            op::PROTO => match self.bytes::<1>()? {
                [OLDEST..=NEWEST] => {}
                [protocol] => return Err(Why::Protocol(protocol)),
            },
            op::FRAME => {
                let [length] = [u64::from_le_bytes(self.bytes()?)];
                self.left(length)?;
            }
            op::MARK => self.marks.push(self.stack.len()),
            op::NONE => self.stack.push(Value::Nothing),
            op::NEWTRUE => self.stack.push(Value::Switch(true)),
            op::NEWFALSE => self.stack.push(Value::Switch(false)),
            op::BININT1 => {
                let [number] = self.bytes()?;
                self.stack.push(Value::Whole(number.into()));
            }
            op::BININT2 => {
                let number = u16::from_le_bytes(self.bytes()?);
                self.stack.push(Value::Whole(number.into()));
            }
            op::BININT => {
                let number = i64::from(i32::from_le_bytes(self.bytes()?));
                self.stack.push(whole(number));
            }
            op::LONG1 => {
                let [length] = self.bytes()?;
                self.long(length.into())?;
            }
            op::LONG4 => {
                let length = u32::from_le_bytes(self.bytes()?);
                self.long(length.into())?;
            }
            op::BINFLOAT => {
                let number = f64::from_be_bytes(self.bytes()?);
                self.stack.push(Value::Number(number));
            }
            op::SHORT_BINUNICODE | op::SHORT_BINBYTES | op::SHORT_BINSTRING => {
                let [length] = self.bytes()?;
                self.text(length.into())?;
            }
            op::BINUNICODE | op::BINBYTES | op::BINSTRING => {
                let length = u32::from_le_bytes(self.bytes()?);
                self.text(length.into())?;
            }
            op::BINUNICODE8 | op::BINBYTES8 => {
                let length = u64::from_le_bytes(self.bytes()?);
                self.text(length)?;
            }
            op::EMPTY_LIST | op::EMPTY_TUPLE => {
                let list = self.values.open()?;
                self.stack.push(Value::List(list));
            }
            op::EMPTY_DICT => {
                let object = self.values.open()?;
                self.stack.push(Value::Object(object));
            }
            op::LIST | op::TUPLE => {
                let items = self.marked()?;
                self.list(&items)?;
            }
            op::DICT => {
                let items = self.marked()?;
                let object = self.values.open()?;
                self.fill(object, &items, true)?;
                self.stack.push(Value::Object(object));
            }
            op::TUPLE1 | op::TUPLE2 | op::TUPLE3 => {
                let count = usize::from(opcode - op::TUPLE1) + 1;
                let items = self.above(self.stack.len().checked_sub(count).ok_or(Why::NothingThere)?)?;
                self.list(&items)?;
            }
            op::APPEND => {
                let item = self.pop()?;
                self.append(&[item])?;
            }
            op::APPENDS => {
                let items = self.marked()?;
                self.append(&items)?;
            }
            op::SETITEM => {
                let items = self.above(self.stack.len().checked_sub(2).ok_or(Why::NothingThere)?)?;
                self.set(&items)?;
            }
            op::SETITEMS => {
                let items = self.marked()?;
                self.set(&items)?;
            }
            op::MEMOIZE => {
                let top = self.top()?;
                self.memo.push(top);
            }
            op::BINPUT => {
                let [number] = self.bytes()?;
                self.put(number.into())?;
            }
            op::LONG_BINPUT => {
                let number = u32::from_le_bytes(self.bytes()?);
                self.put(number)?;
            }
            op::BINGET => {
                let [number] = self.bytes()?;
                self.get(number.into())?;
            }
            op::LONG_BINGET => {
                let number = u32::from_le_bytes(self.bytes()?);
                self.get(number)?;
            }
            other => return Err(self.refuse(other)),
        }
        Ok(None)
    }

    /// So many bytes as they stand.
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Why> {
        let rest = self.input.get(self.at..).unwrap_or_default();
        let bytes = *rest.first_chunk::<N>().ok_or(Why::CutShort)?;
        self.at += N;
        Ok(bytes)
    }

    /// A length, if so much is left.
    fn left(&self, length: u64) -> Result<usize, Why> {
        let left = self.input.len() - self.at.min(self.input.len());
        usize::try_from(length).ok().filter(|length| *length <= left).ok_or(Why::TooLong(length))
    }

    fn text(&mut self, length: u64) -> Result<(), Why> {
        let length = self.left(length)?;
        let text = Values::borrowed(self.at, length).ok_or(Why::Limit(Limit::Input))?;
        self.at += length;
        self.stack.push(Value::Text(text));
        Ok(())
    }

    /// A number in two's complement, the low byte first.
    fn long(&mut self, length: u64) -> Result<(), Why> {
        let length = self.left(length)?;
        let bytes = self.input.get(self.at..self.at + length).unwrap_or_default();
        self.at += length;
        let is_negative = bytes.last().is_some_and(|byte| *byte >= 0x80);
        let mut low = [if is_negative { 0xff } else { 0 }; 8];
        for (place, byte) in low.iter_mut().zip(bytes) {
            *place = *byte;
        }
        let value = match bytes.get(low.len()..) {
            // A ninth byte holds the sign alone.
            None | Some([] | [0]) if !is_negative => Value::Whole(u64::from_le_bytes(low)),
            None | Some([]) => Value::Negative(i64::from_le_bytes(low)),
            Some(_) => return Err(Why::WideNumber(length)),
        };
        self.stack.push(value);
        Ok(())
    }

    fn pop(&mut self) -> Result<Value, Why> {
        let floor = self.marks.last().copied().unwrap_or_default();
        if self.stack.len() <= floor {
            return Err(Why::NothingThere);
        }
        self.stack.pop().ok_or(Why::NothingThere)
    }

    fn top(&self) -> Result<Value, Why> {
        self.stack.last().copied().ok_or(Why::NothingThere)
    }

    /// What stands above a height of the stack, taken off it.
    fn above(&mut self, height: usize) -> Result<Vec<Value>, Why> {
        if height < self.marks.last().copied().unwrap_or_default() {
            return Err(Why::NothingThere);
        }
        Ok(self.stack.split_off(height.min(self.stack.len())))
    }

    /// What stands above the last mark, taken off the stack with the mark.
    fn marked(&mut self) -> Result<Vec<Value>, Why> {
        let height = self.marks.pop().ok_or(Why::NoMark)?;
        Ok(self.stack.split_off(height.min(self.stack.len())))
    }

    fn list(&mut self, items: &[Value]) -> Result<(), Why> {
        let list = self.values.open()?;
        self.values.extend(list, items)?;
        self.stack.push(Value::List(list));
        Ok(())
    }

    fn append(&mut self, items: &[Value]) -> Result<(), Why> {
        match self.top()? {
            Value::List(list) => self.fill(list, items, false),
            other => Err(Why::NoContainer(other.kind())),
        }
    }

    fn set(&mut self, items: &[Value]) -> Result<(), Why> {
        match self.top()? {
            Value::Object(object) => self.fill(object, items, true),
            other => Err(Why::NoContainer(other.kind())),
        }
    }

    fn fill(&mut self, container: Container, items: &[Value], is_object: bool) -> Result<(), Why> {
        if is_object && !items.len().is_multiple_of(2) {
            return Err(Why::NameWithoutValue);
        }
        if self.values.is_empty(container) {
            let record = if is_object {
                self.collector.object(&self.values, items)
            } else {
                self.collector.list(&self.values, items)
            };
            if let Some(record) = record {
                self.values.take(container, record);
                return Ok(());
            }
        }
        Ok(self.values.extend(container, items)?)
    }

    /// Numbers the top of the stack; picklers count up.
    fn put(&mut self, number: u32) -> Result<(), Why> {
        let (top, place) = (self.top()?, number as usize);
        if place == self.memo.len() {
            self.memo.push(top);
            return Ok(());
        }
        *self.memo.get_mut(place).ok_or(Why::Memo(number))? = top;
        Ok(())
    }

    fn get(&mut self, number: u32) -> Result<(), Why> {
        let value = self.memo.get(number as usize).copied().ok_or(Why::Memo(number))?;
        self.stack.push(value);
        Ok(())
    }

    /// Why an opcode is not carried out.
    fn refuse(&self, opcode: u8) -> Why {
        let Some(name) = op::executing(opcode) else {
            return op::other(opcode).map_or(Why::NoOpcode(opcode), Why::NotData);
        };
        let rest = self.input.get(self.at..).unwrap_or_default();
        let what = match opcode {
            op::GLOBAL | op::INST => {
                let mut lines = rest.split(|byte| *byte == b'\n');
                let mut line = || shown(lines.next().unwrap_or_default());
                format!("{}.{}", line(), line())
            }
            op::STACK_GLOBAL => match self.stack.as_slice() {
                [.., Value::Text(module), Value::Text(name)] => {
                    format!("{}.{}", shown(self.values.text(*module)), shown(self.values.text(*name)))
                }
                _ => String::new(),
            },
            _ => String::new(),
        };
        Why::Executes { opcode: name, what }
    }
}

/// Names of modules and functions are short; what is longer is cut.
fn shown(bytes: &[u8]) -> String {
    let short = bytes.get(..bytes.len().min(60)).unwrap_or_default();
    String::from_utf8_lossy(short).chars().filter(|letter| !letter.is_control()).collect()
}

fn whole(number: i64) -> Value {
    u64::try_from(number).map_or(Value::Negative(number), Value::Whole)
}

#[cfg(test)]
mod tests;
