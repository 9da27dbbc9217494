//! An encoding of reports, by which a program that reads hands them to the one that explains. One worker runs all of them.

mod peak;
mod read;

use alloc::vec::Vec;

pub use peak::{read_peak, write_peak};
pub use read::read;

use crate::report::{Device, Fact, Report, Value};

/// Encodes reports.
pub fn write(reports: &[Report]) -> Vec<u8> {
    let mut to = Vec::new();
    number(&mut to, reports.len() as u64);
    for report in reports {
        let numbers = [
            report.kind as u64,
            report.source.into(),
            report.from as u64,
            report.to as u64,
            report.times.into(),
            report.left_out,
            report.facts.len() as u64,
        ];
        for it in numbers {
            number(&mut to, it);
        }
        text(&mut to, report.text.as_deref().unwrap_or_default());
        for it in &report.facts {
            fact(&mut to, it);
        }
    }
    to
}

/// Seven bits a byte, the lowest first.
fn number(to: &mut Vec<u8>, mut number: u64) {
    while number > 0x7F {
        to.push(0x80 | u8::try_from(number & 0x7F).unwrap_or(0));
        number >>= 7;
    }
    to.push(u8::try_from(number).unwrap_or(0));
}

fn text(to: &mut Vec<u8>, text: &str) {
    number(to, text.len() as u64);
    to.extend_from_slice(text.as_bytes());
}

fn fact(to: &mut Vec<u8>, fact: &Fact) {
    let device = match fact.device {
        Device::Unsaid => 0,
        Device::Host => 1,
        Device::Gpu(number) => u64::from(number) + 2,
    };
    let place = fact.place;
    for it in [fact.what as u64, device, place.line as u64, place.column as u64] {
        number(to, it);
    }
    let mut plain = |kind: u8, value: u64| {
        to.push(kind);
        number(to, value);
    };
    match &fact.value {
        Value::Count(count) => plain(0, *count),
        Value::Millionths(ratio) => plain(1, *ratio),
        Value::Flag(on) => plain(2, (*on).into()),
        Value::Phase(phase) => plain(3, *phase as u64),
        Value::Part(part) => plain(4, *part as u64),
        Value::Refusal(why) => plain(5, *why as u64),
        Value::Name(name) => {
            to.push(6);
            text(to, name);
        }
        Value::Size(size) => {
            plain(7, size.bytes.cast_unsigned());
            number(to, size.grain);
            number(to, size.floor.into());
        }
        Value::Shape(sides) => {
            plain(8, sides.len() as u64);
            for side in sides {
                number(to, *side);
            }
        }
    }
}
