//! Decodes the reports that another program encoded.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::report::{Device, Fact, Report, Value};
use crate::what::{Kind, Part, Phase, Refusal, What};
use crate::{Place, Size};

/// Decodes reports; nothing if the bytes are incomplete or not an encoding of reports.
pub fn read(bytes: &[u8]) -> Option<Vec<Report>> {
    let mut from = From::new(bytes);
    let mut reports = Vec::new();
    for _ in 0..from.number()? {
        let kind = from.one_of(Kind::ALL)?;
        let mut report = Report::new(kind, from.small()?, 0);
        (report.from, report.to) = (from.small()?, from.small()?);
        (report.times, report.left_out) = (from.small()?, from.number()?);
        let facts = from.number()?;
        report.text = Some(from.text()?).filter(|text| !text.is_empty());
        for _ in 0..facts {
            report.facts.push(from.fact()?);
        }
        reports.push(report);
    }
    Some(reports)
}

/// What is left to be read.
pub(super) struct From<'a>(&'a [u8]);

impl<'a> From<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        self.number()?.try_into().ok()
    }

    pub(super) fn one_of<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        all.get(self.small::<usize>()?).copied()
    }

    fn text(&mut self) -> Option<Box<str>> {
        let length: usize = self.small()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(String::from_utf8(text.into()).ok()?.into())
    }

    fn fact(&mut self) -> Option<Fact> {
        let what = self.one_of(What::ALL)?;
        let device = match self.number()? {
            0 => Device::Unsaid,
            1 => Device::Host,
            number => Device::Gpu(u16::try_from(number - 2).ok()?),
        };
        let place = Place { line: self.small()?, column: self.small()? };
        let value = match self.byte()? {
            0 => Value::Count(self.number()?),
            1 => Value::Millionths(self.number()?),
            2 => Value::Flag(self.number()? != 0),
            3 => Value::Phase(self.one_of(Phase::ALL)?),
            4 => Value::Part(self.one_of(Part::ALL)?),
            5 => Value::Refusal(self.one_of(Refusal::ALL)?),
            6 => Value::Name(self.text()?),
            7 => Value::Size(Size {
                bytes: self.number()?.cast_signed(),
                grain: self.number()?,
                floor: self.number()? != 0,
            }),
            8 => Value::Shape((0..self.number()?).map(|_| self.number()).collect::<Option<_>>()?),
            _ => return None,
        };
        Some(Fact { place, device, what, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_handed_over_arrives_and_nothing_else_does() {
        let text = b"{'a': 1}\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0 has a total capacity of 79.11 GiB of which 512.00 MiB is free.\nINFO Initializing a V1 LLM engine (v0.19.0) with config: model='x/Llama-3.1-8B', dtype=torch.bfloat16, max_seq_len=4096, enforce_eager=True\nINFO gpu_memory_utilization=0.9";
        let reports = crate::read(text).reports;
        assert!(reports.len() > 1);
        let bytes = super::super::write(&reports);
        assert_eq!(read(&bytes), Some(reports));
        for length in 0..bytes.len() {
            assert_eq!(read(&bytes[..length]), None, "{length}");
        }
        for place in 0..bytes.len() {
            for byte in [0, 0x7F, 0xFF] {
                let mut other = bytes.clone();
                other[place] = byte;
                let _ = read(&other);
            }
        }
    }
}
