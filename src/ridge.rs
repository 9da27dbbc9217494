//! The roof of a card as the prose names it: `ridge.peak`, `ridge.flop_per_byte`, `ridge.step.lower`, with the state that stands at each name.

use memory_wall_core::display::{Duration, Figure, Grouped, Percent, THIN_SPACE};
use memory_wall_core::roofline::latency::{self, Counting};
use memory_wall_core::roofline::{Pass, Roof, crossover, roof_of};
use memory_wall_core::units::{ByteRate, FlopRate, Intensity};
use memory_wall_core::{Bytes, Mode};

use crate::charts::sort;
use crate::live::Snapshot;
use crate::words::{fill, t};

/// The round numbers of textbooks: 312 TFLOP/s and 2.0 TB/s.
pub const TEXTBOOK: Roof = Roof { peak: FlopRate::from_tflops(312.0), bandwidth: ByteRate::from_gb_per_s(2_000.0) };
/// The intensity that stands for much of what a model does.
pub const LOW: Intensity = Intensity(3.0);

/// The text with this name; `None` for a name that is not known.
pub fn value(of: &Snapshot, part: &str) -> Option<String> {
    let scenario = of.state.scenario().with(|it| it.mode = Mode::Inference).ok()?;
    let roof = roof_of(&scenario, of.state.gpu);
    let step = || latency::estimate(&scenario, of.state.gpu, Pass::Decode, Counting::of(&scenario));
    let leap = |what: fn(Roof) -> f64| {
        let [from, to] = sort::CARDS.map(sort::roof);
        Some(Figure(what(to?) / what(from?)).to_string())
    };
    Some(match part {
        "peak" => format!("{}{THIN_SPACE}TFLOP/s", Figure(roof.peak.as_tflops())),
        "bandwidth" => format!("{}{THIN_SPACE}GB/s", Figure(roof.bandwidth.as_gb_per_s())),
        "flop_per_byte" => Figure(roof.ridge().0).to_string(),
        "low.share" => Percent(TEXTBOOK.attainable(LOW).0 / TEXTBOOK.peak.0).to_string(),
        // A matrix that meets one token.
        "alone" => Percent(sort::by_id("token")?.intensity() / roof.ridge().0).to_string(),
        "leap.compute" => leap(|roof| roof.peak.0)?,
        "leap.bandwidth" => leap(|roof| roof.bandwidth.0)?,
        "batch" => crossover::batch(&scenario, of.state.gpu)
            .map_or_else(|| t("ridge.never").into(), |batch| Grouped(batch.into()).to_string()),
        "step.read" => of.size(Bytes(step().weights)),
        "step.lower" => Duration(step().lower.0).to_string(),
        "step.upper" => Duration(step().upper.0).to_string(),
        "sentence" => match crossover::batch(&scenario, of.state.gpu) {
            Some(batch) => fill("ridge.crosses", &[("n", &Grouped(batch.into()).to_string())]),
            None => t("ridge.stays").into(),
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::query;

    fn at(query: &str, name: &str) -> String {
        let decoded = query::decode(query);
        assert_eq!(decoded.notices, Vec::<String>::new());
        value(&Snapshot::of(decoded.state), name).unwrap().replace(THIN_SPACE, " ")
    }

    #[test]
    fn the_figures_of_the_prose() {
        assert_eq!(at("v=1", "peak"), "312 TFLOP/s");
        assert_eq!(at("v=1", "bandwidth"), "2,039 GB/s");
        assert_eq!(at("v=1", "flop_per_byte"), "153");
        assert_eq!((at("v=1", "low.share"), at("v=1", "alone")), ("1.9%".into(), "0.7%".into()));
        assert_eq!(at("gpu=h100-sxm", "flop_per_byte"), "295");
        assert_eq!((at("v=1", "leap.compute"), at("v=1", "leap.bandwidth")), ("3.17".into(), "1.64".into()));
        let llama = "model=llama-3.1-8b&gpu=h100-sxm&seq=1";
        assert_eq!(at(llama, "step.read"), "15.0 GB");
        assert_eq!(at(llama, "step.lower"), "4.48 ms");
        assert_eq!(at(llama, "step.upper"), "12.8 ms");
        assert_eq!(at(llama, "batch"), "297");
        assert_eq!(at("model=llama-3.1-8b&gpu=h100-sxm&seq=8192", "batch"), "never");
    }

    #[test]
    fn training_is_asked_about_as_if_it_were_to_decode() {
        assert_eq!(at("mode=training", "step.lower"), at("v=1", "step.lower"));
    }
}
