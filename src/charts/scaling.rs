//! The cards that models from 7 to 700 billion parameters take: by division, and as computers come.

use std::array;

use memory_wall_core::WeightFormat;
use memory_wall_core::display::{Count, Figure, Grouped, Percent};
use memory_wall_core::scaling::{MFU, Need, Purpose, Size, TOKENS_PER_PARAMETER, need, usable};
use memory_wall_core::tables::gpus;

use crate::charts::wall::percent;
use crate::dials::Dial;
use crate::live::Snapshot;
use crate::state::State;
use crate::words::{self, fill, fill_with, t};

/// One row a size, in the order of [`Size::ALL`].
pub type Rows = [Option<Need>; 4];

/// Decades of cards from one end of the scale to the other, from one card.
pub const DECADES: u32 = 3;

/// The cards of 80 GB that hold 70 billion parameters with what Adam keeps of them.
pub static TRAIN: Dial = Dial {
    id: "cards",
    unit: "cards",
    range: (1.0, 1_000.0),
    answer: || {
        let need = need(Size::B70, Purpose::Train, WeightFormat::Bf16, gpus::by_id("a100-80-sxm")?)?;
        Some(need.printed as f64)
    },
};

/// All rows with the reader's card and format.
pub fn rows(state: &State) -> Rows {
    let purpose = state.cluster.purpose;
    let weights = match state.weights_in_use() {
        // What cannot learn is kept in 16 bits to be trained.
        format if purpose == Purpose::Train && !format.trainable() => WeightFormat::Bf16,
        format => format,
    };
    array::from_fn(|place| need(*Size::ALL.get(place)?, purpose, weights, state.gpu))
}

/// Where so many cards stand on the scale.
pub fn at(cards: u64) -> String {
    percent((libm::log10(cards.max(1) as f64) / f64::from(DECADES)).clamp(0.0, 1.0) * 100.0)
}

/// How long so many cards train a model, as a range in years or days.
fn trained_in(of: &Snapshot, size: Size, need: &Need) -> String {
    const DAY: f64 = 86_400.0;
    const YEAR: f64 = 365.25 * DAY;
    let Some(range) = need.nodes.and_then(|cards| size.training_seconds(cards, of.state.gpu)) else {
        return t("scaling.unknown").into();
    };
    let long = range[1] >= 2.0 * YEAR;
    let [from, to] = range.map(|seconds| Figure(seconds / if long { YEAR } else { DAY }).to_string());
    let key = if long { "scaling.years" } else { "scaling.days" };
    fill(key, &[("from", &from), ("to", &to)])
}

fn row(of: &Snapshot, id: &str) -> Option<Need> {
    let place = Size::ALL.iter().position(|size| size.id() == id)?;
    *of.scaling().get(place)?
}

/// A number of cards, or that there is none.
fn count(cards: Option<u64>) -> String {
    cards.map_or_else(|| t("scaling.none").into(), |cards| Grouped(cards.into()).to_string())
}

/// The text with this name; `None` for a name that is not known.
pub fn value(of: &Snapshot, part: &str) -> Option<String> {
    let gpu = of.state.gpu;
    let Some((id, what)) = part.split_once('.') else {
        return Some(match part {
            "real" => of.size(gpu.capacity),
            "usable" => of.size(usable(gpu)),
            "sentence" => sentence(of, "700b")?,
            _ => return None,
        });
    };
    let need = row(of, id)?;
    let parallel = need.parallel;
    Some(match what {
        "bytes" => of.size(need.bytes),
        "added" => of.size(need.added),
        "printed" => count(Some(need.printed)),
        "real" => count(Some(need.real)),
        "margin" => count(Some(need.margin)),
        "load" => count(need.load),
        "cut" => count(need.cut),
        "nodes" => count(need.nodes),
        "tp" => parallel.tp.to_string(),
        // Stages of a pipeline, or groups that share the states out.
        "groups" => (parallel.pp * parallel.dp).to_string(),
        "time" => trained_in(of, Size::from_id(id)?, &need),
        // Asked for at a fixed state only.
        #[cfg(not(target_arch = "wasm32"))]
        "tokens" => Grouped(Size::from_id(id)?.tokens().into()).to_string(),
        "trained_on" => Count(Size::from_id(id)?.training_tokens()).to_string(),
        "from" => at(need.printed),
        "to" => at(need.nodes.unwrap_or(need.printed)),
        "sentence" => sentence(of, id)?,
        _ => return None,
    })
}

/// Whether the condition with this name holds: `not.serve` unless that is what the cards are for, `7b.none` where no number of cards does.
pub fn flag(of: &Snapshot, part: &str) -> Option<bool> {
    match part.split_once('.')? {
        ("not", id) => Some(of.state.cluster.purpose != Purpose::from_id(id)?),
        (id, "none") => Some(row(of, id)?.nodes.is_none()),
        _ => None,
    }
}

/// A row in words.
fn sentence(of: &Snapshot, id: &str) -> Option<String> {
    let need = row(of, id)?;
    let key = if need.nodes.is_some() { "scaling.sentence" } else { "scaling.sentence.none" };
    let (size, what) =
        (words::choice("scaling.name", id), words::choice("scaling.what", of.state.cluster.purpose.id()));
    let values = [
        ("size", size),
        ("bytes", of.size(need.bytes)),
        ("what", what),
        ("gpu", of.state.gpu.name.into()),
        ("printed", count(Some(need.printed))),
        ("real", count(Some(need.real))),
        ("nodes", count(need.nodes)),
    ];
    let mut sentence = fill_with(key, &values);
    if of.state.cluster.purpose == Purpose::Train && need.nodes.is_some() {
        let size = Size::from_id(id)?;
        let [low, high] = MFU.map(|share| Percent(share).to_string());
        let values = [
            ("tokens", Grouped(size.tokens().into()).to_string()),
            ("trained_on", Count(size.training_tokens()).to_string()),
            ("each", TOKENS_PER_PARAMETER.to_string()),
            ("time", trained_in(of, size, &need)),
            ("low", low),
            ("high", high),
        ];
        sentence.push(' ');
        sentence += &fill_with("scaling.sentence.train", &values);
    }
    Some(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::cluster::Cluster;
    use memory_wall_core::display::THIN_SPACE;

    fn at(purpose: Purpose, gpu: &str) -> Snapshot {
        let gpu = gpus::by_id(gpu).unwrap();
        Snapshot::of(State { gpu, cluster: Cluster { purpose, ..Cluster::default() }, ..State::default() })
    }

    #[test]
    fn the_page_starts_with_the_rows_that_everybody_quotes() {
        let snapshot = at(Purpose::Hold, "a100-80-sxm");
        let all = |what: &str| {
            Size::ALL
                .iter()
                .map(|size| snapshot.value(&format!("scaling.{}.{what}", size.id())).unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            all("bytes"),
            ["14.0", "140", "350", "1.40"].map(|n| format!("{n}{THIN_SPACE}{}", if n == "1.40" { "TB" } else { "GB" }))
        );
        assert_eq!(all("printed"), ["1", "2", "5", "18"]);
        assert_eq!(all("real"), ["1", "2", "5", "17"]);
        assert_eq!(all("nodes"), ["1", "2", "8", "24"]);
        assert_eq!((TRAIN.answer)(), Some(14.0));
        assert_eq!(
            snapshot.value("scaling.sentence").unwrap().replace(THIN_SPACE, " "),
            "700B needs 1.40 TB for its weights: 18 cards by division, 17 with the bytes that A100 SXM4 80GB really has, 24 as computers come."
        );
    }

    #[test]
    fn a_number_of_cards_to_train_on_says_what_it_assumes_and_how_long_it_takes() {
        let snapshot = at(Purpose::Train, "a100-80-sxm");
        let said = snapshot.value("scaling.70b.sentence").unwrap().replace(THIN_SPACE, " ");
        for part in
            ["16 as computers come", "every layer is recomputed", "one sequence of 4,096 tokens", "1.40 T tokens"]
        {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert!(said.contains("8.29 to 12.4 years") && said.contains("30% to 45%"), "{said}");
        assert_eq!(snapshot.value("scaling.7b.time").unwrap(), "242 to 364 days");
        let held = at(Purpose::Hold, "a100-80-sxm").value("scaling.70b.sentence").unwrap();
        assert!(!held.contains("recomputed"), "{held}");
    }

    #[test]
    fn every_name_has_an_answer_on_every_card() {
        for gpu in gpus::GPUS {
            for &purpose in Purpose::ALL {
                let snapshot = at(purpose, gpu.id);
                for size in Size::ALL {
                    for what in [
                        "bytes",
                        "added",
                        "printed",
                        "real",
                        "margin",
                        "load",
                        "cut",
                        "nodes",
                        "tp",
                        "groups",
                        "from",
                        "to",
                        "time",
                        "trained_on",
                        "sentence",
                    ] {
                        let text = snapshot.value(&format!("scaling.{}.{what}", size.id())).unwrap();
                        assert!(!text.is_empty() && !text.contains("scaling."), "{} {what}: {text}", gpu.id);
                    }
                    assert!(snapshot.flag(&format!("scaling.{}.none", size.id())).is_some());
                }
            }
        }
        let snapshot = at(Purpose::Serve, "t4");
        for name in ["scaling.", "scaling.x", "scaling.7b", "scaling.7b.x", "scaling.9b.bytes"] {
            assert_eq!(snapshot.value(name), None, "{name}");
        }
        assert_eq!(snapshot.flag("scaling.not.serve"), Some(false));
        assert_eq!(snapshot.flag("scaling.not.x"), None);
        assert_eq!(snapshot.flag("scaling.7b.x"), None);
    }
}
