use memory_wall_core::display::{Figure, Percent, THIN_SPACE};

use super::model::{LOW, TEXTBOOK};
use super::view::tflops;
use super::*;
use crate::figures;
use crate::live::Snapshot;
use crate::state::query;

fn at(query: &str, binding: Binding) -> String {
    let decoded = query::decode(query);
    assert_eq!(decoded.notices, Vec::<String>::new());
    figures::said::<Model>(&Snapshot::of(decoded.state), binding).replace(THIN_SPACE, " ")
}

#[test]
fn the_round_numbers_come_out_as_textbooks_have_them() {
    assert_eq!(Figure(TEXTBOOK.ridge().0).to_string(), "156");
    let reached = TEXTBOOK.attainable(LOW);
    assert_eq!(tflops(reached).replace(THIN_SPACE, " "), "6.00 TFLOP/s");
    assert_eq!(Percent(reached.0 / TEXTBOOK.peak.0).to_string(), "1.9%");
}

#[test]
fn the_figures_of_the_prose() {
    let first = "v=1";
    assert_eq!(at(first, Binding::Peak), "312 TFLOP/s");
    assert_eq!(at(first, Binding::Bandwidth), "2,039 GB/s");
    assert_eq!(at(first, Binding::FlopPerByte), "153");
    assert_eq!([at(first, Binding::LowShare), at(first, Binding::Alone)], ["1.9%", "0.7%"]);
    assert_eq!(at("gpu=h100-sxm", Binding::FlopPerByte), "295");
    assert_eq!([at(first, Binding::LeapCompute), at(first, Binding::LeapBandwidth)], ["3.17", "1.64"]);
    let llama = "model=llama-3.1-8b&gpu=h100-sxm&seq=1";
    assert_eq!(at(llama, Binding::StepRead), "15.0 GB");
    assert_eq!(at(llama, Binding::StepLower), "4.48 ms");
    assert_eq!(at(llama, Binding::StepUpper), "12.8 ms");
    assert_eq!(at(llama, Binding::Batch), "297");
    assert_eq!(at("model=llama-3.1-8b&gpu=h100-sxm&seq=8192", Binding::Batch), "never");
}

#[test]
fn training_is_asked_about_as_if_it_were_to_decode() {
    assert_eq!(at("mode=training", Binding::StepLower), at("v=1", Binding::StepLower));
}
