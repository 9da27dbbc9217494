//! How quantities are written in questions: sizes in both units, whatever the reader has chosen for the page.

use memory_wall_core::Bytes;
use memory_wall_core::display::{ByteUnit, Figure, Grouped, Size, THIN_SPACE};
use memory_wall_core::units::{ByteRate, FlopRate};

pub(in crate::sections) fn size(bytes: Bytes) -> String {
    Size::new(bytes, ByteUnit::Gb).to_string()
}

pub(in crate::sections) fn gib(bytes: Bytes) -> String {
    Size::new(bytes, ByteUnit::Gib).to_string()
}

pub(in crate::sections) fn number(n: u32) -> String {
    Grouped(n.into()).to_string()
}

pub(in crate::sections) fn figure(number: f64) -> String {
    Figure(number).to_string()
}

pub(in crate::sections) fn rate(rate: ByteRate) -> String {
    format!("{}{THIN_SPACE}GB/s", figure(rate.as_gb_per_s()))
}

pub(in crate::sections) fn flops(rate: FlopRate) -> String {
    format!("{}{THIN_SPACE}TFLOP/s", figure(rate.as_tflops()))
}
