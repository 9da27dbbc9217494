//! One layer as separate kernels and fused, with the shapes of the chosen model: what travels to memory and back, and how long that takes.

use memory_wall_core::Bytes;
use memory_wall_core::display::{Duration, Figure, Grouped, Percent};
use memory_wall_core::fusion::{Fusion, Kernel, Layer};

use crate::charts::wall::percent;
use crate::live::Snapshot;
use crate::state::State;
use crate::words::t;

/// How long the longest bar is, in percent: its figure stands behind it.
const LONGEST: f64 = 70.0;

/// The first half of an MLP with the reader's sizes.
fn layer(state: &State) -> Layer {
    let scenario = state.scenario();
    Layer {
        tokens: scenario.tokens(),
        in_features: state.shape.hidden_size,
        out_features: state.shape.intermediate_size,
        // 2 or 4.
        bytes_per_value: u32::try_from(scenario.activation_bytes()).unwrap_or(2),
    }
}

/// The text with this name; `None` for a name that is not known.
pub fn value(of: &Snapshot, part: &str) -> Option<String> {
    let (layer, gpu) = (layer(&of.state), of.state.gpu);
    let bytes = |cut| of.size(layer.total(cut).bytes());
    let time = |cut| Duration(layer.total_seconds(cut, gpu)).to_string();
    let gain = |cut| Figure(layer.total_seconds(Fusion::Separate, gpu) / layer.total_seconds(cut, gpu)).to_string();
    Some(match part {
        "tokens" => Grouped(layer.tokens.into()).to_string(),
        "inputs" => Grouped(layer.in_features.into()).to_string(),
        "outputs" => Grouped(layer.out_features.into()).to_string(),
        "result" => of.size(layer.intermediate()),
        // Whether the result that the kernels hand on finds room on the chip.
        "room" => {
            let key = match layer.stays_on_chip(gpu) {
                Some(true) => "trip.room.stays",
                Some(false) => "trip.room.leaves",
                None => "trip.room.unknown",
            };
            t(key).into()
        }
        "product" => Percent(layer.product_share(gpu)).to_string(),
        "rest" => Percent(1.0 - layer.product_share(gpu)).to_string(),
        _ => {
            let (id, what) = part.split_once('.')?;
            if let Some(cut) = Fusion::from_id(id) {
                return Some(match what {
                    "bytes" => bytes(cut),
                    "time" => time(cut),
                    "gain" => gain(cut),
                    _ => return None,
                });
            }
            let kernel = Kernel::from_id(id)?;
            let trip = layer.trip(kernel);
            let longest =
                Kernel::ALL.iter().map(|kernel| layer.trip(*kernel)).flat_map(|it| [it.read, it.written]).max();
            let bar = |bytes: Bytes| percent(bytes.share_of(longest.unwrap_or_default()) * LONGEST);
            match what {
                "read" => of.size(trip.read),
                "written" => of.size(trip.written),
                "read_bar" => bar(trip.read),
                "written_bar" => bar(trip.written),
                "time" => Duration(layer.seconds(kernel, gpu)).to_string(),
                _ => return None,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_core::display::THIN_SPACE;
    use memory_wall_core::tables::gpus::{self, GPUS};

    fn said(state: &State, name: &str) -> String {
        Snapshot::of(*state).value(name).unwrap().replace(THIN_SPACE, " ")
    }

    #[test]
    fn it_says_what_is_saved_and_when_it_is_not() {
        let state = State::default();
        for (name, text) in [
            ("tokens", "2,048"),
            ("separate.bytes", "355 MB"),
            ("separate.time", "691 µs"),
            ("pointwise.time", "647 µs"),
            ("epilogue.bytes", "175 MB"),
            ("epilogue.time", "592 µs"),
            ("epilogue.gain", "1.17"),
            ("result", "45.1 MB"),
            ("room", "does not fit into"),
            ("product", "86%"),
            ("rest", "14%"),
        ] {
            assert_eq!(said(&state, &format!("trip.{name}")), text, "{name}");
        }
        assert_eq!(said(&State { seq_length: 1_024, ..state }, "trip.room"), "fits into");
        let apple = State { gpu: gpus::by_id("m4max").unwrap(), ..state };
        assert_eq!(said(&apple, "trip.room"), "may fit into");
    }

    #[test]
    fn every_name_has_an_answer_at_any_size() {
        for gpu in GPUS {
            for (batch, seq_length) in [(1, 1), (1_000_000, 10_000_000)] {
                let snapshot = Snapshot::of(State { batch, seq_length, gpu, ..State::default() });
                for kernel in Kernel::ALL {
                    for what in ["read", "written", "read_bar", "written_bar", "time"] {
                        assert!(
                            snapshot.value(&format!("trip.{}.{what}", kernel.id())).is_some_and(|it| !it.is_empty())
                        );
                    }
                }
                for cut in Fusion::ALL {
                    for what in ["bytes", "time", "gain"] {
                        assert!(snapshot.value(&format!("trip.{}.{what}", cut.id())).is_some_and(|it| !it.is_empty()));
                    }
                }
            }
        }
        let snapshot = Snapshot::of(State::default());
        for name in ["trip.", "trip.x", "trip.gelu", "trip.gelu.x", "trip.separate.x"] {
            assert_eq!(snapshot.value(name), None, "{name}");
        }
    }
}
