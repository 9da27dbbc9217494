//! Facts as they are shown: what each is about, and what it says.

use alloc::format;
use alloc::string::{String, ToString as _};

use memory_wall_core::Bytes;
use memory_wall_core::display::{ByteUnit, Grouped, Size as Shown};

use crate::report::{Device, Fact, Value};
use crate::what::What;

impl Device {
    /// Of which memory it is, in a few words; nothing where the text doesn't say.
    pub fn words(self) -> String {
        match self {
            Self::Unsaid => String::new(),
            Self::Gpu(number) => format!("GPU {number}"),
            Self::Host => "host".into(),
        }
    }
}

impl Fact {
    /// What it says, with a narrow space and a minus, or with the letters of a terminal where `plain` says so.
    pub fn shown(&self, unit: ByteUnit, plain: bool) -> String {
        match &self.value {
            Value::Size(size) => {
                let sign = if size.bytes >= 0 {
                    ""
                } else if plain {
                    "-"
                } else {
                    "−"
                };
                let shown = Shown::new(Bytes(size.bytes.unsigned_abs().into()), unit);
                if plain { format!("{sign}{}", shown.plain()) } else { format!("{sign}{shown}") }
            }
            Value::Count(count) => Grouped((*count).into()).to_string(),
            // How many times something fits is no share of it.
            Value::Millionths(ratio) if self.what == What::Concurrency => {
                format!("{}.{:02}", Grouped((ratio / 1_000_000).into()), ratio % 1_000_000 / 10_000)
            }
            // With the digits that the text has: 0.8048 is 80.48%.
            Value::Millionths(ratio) => {
                let (whole, rest) = (ratio / 10_000, ratio % 10_000);
                let digits = format!("{rest:04}");
                match digits.trim_end_matches('0') {
                    "" => format!("{}%", Grouped(whole.into())),
                    digits => format!("{}.{digits}%", Grouped(whole.into())),
                }
            }
            Value::Name(name) => name.to_string(),
            Value::Flag(on) => if *on { "on" } else { "off" }.into(),
            Value::Shape(shape) => shape.iter().enumerate().fold(String::new(), |text, (place, side)| {
                let between = match (place, plain) {
                    (0, _) => "",
                    (_, true) => " x ",
                    (_, false) => " × ",
                };
                format!("{text}{between}{side}")
            }),
            Value::Phase(phase) => phase.words().into(),
            Value::Part(part) => part.words().into(),
            Value::Refusal(why) => why.words().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Place, Size};

    fn shown(what: What, value: Value, plain: bool) -> String {
        Fact { place: Place { line: 1, column: 1 }, device: Device::Unsaid, what, value }.shown(ByteUnit::Gb, plain)
    }

    #[test]
    fn each_value_is_shown_as_what_it_is() {
        let size = Value::Size(Size::exact(-440_000_000));
        assert_eq!(shown(What::Graphs, size.clone(), true), "-440 MB");
        assert_eq!(shown(What::Graphs, size, false), "−440\u{202f}MB");
        assert_eq!(shown(What::Concurrency, Value::Millionths(1_560_000), true), "1.56");
        assert_eq!(shown(What::Utilization, Value::Millionths(900_000), true), "90%");
        assert_eq!(shown(What::Equivalent, Value::Millionths(804_800), true), "80.48%");
        assert_eq!(shown(What::Tensor, Value::Shape([3, 4].into()), true), "3 x 4");
        assert_eq!(shown(What::KvTokens, Value::Count(12_345), true), "12,345");
        assert_eq!([Device::Unsaid, Device::Gpu(1), Device::Host].map(Device::words), ["", "GPU 1", "host"]);
    }
}
