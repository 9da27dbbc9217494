//! One training step over many cards: what each card holds and sends, in each plain way to cut it.

#[cfg(not(target_arch = "wasm32"))]
use memory_wall_core::ZeroStage;
use memory_wall_core::display::{Duration, Figure, Percent};
use memory_wall_core::schemes::{Scheme, sent_per_token, states};
use memory_wall_core::{Bucket, Bytes, Checked, Mode, communication, cost, evaluate};

use crate::charts::wall::percent;
use crate::dials::Dial;
use crate::live::Snapshot;
use crate::state::State;
use crate::words::{fill, fill_with, t};

/// What a card holds in one of the ways.
pub struct Row {
    buckets: [(Bucket, Bytes); 7],
    total: Bytes,
    states: Bytes,
    /// Bytes that it sends for each token of the step.
    sent: Bytes,
    /// Time on the links, as a share of the time that the arithmetic takes.
    links: f64,
    /// Share of the step in which it waits for other stages.
    idle: f64,
}

/// One row a way, in the order of [`Scheme::ALL`]; none where the model cannot be cut so.
pub struct Rows {
    rows: Vec<Option<Row>>,
    /// The right end of the drawing.
    most: Bytes,
}

/// How many times less ZeRO-1 makes the states of a card on eight cards.
pub static ZERO: Dial = Dial {
    id: "zero",
    unit: "times",
    range: (1.0, 100.0),
    answer: || {
        let step = step(&State::default());
        Some(states(&step).0 as f64 / states(&Scheme::Zero1.over(&step, 8)?).0 as f64)
    },
};

/// The reader's model as a training step on one card.
fn step(state: &State) -> Checked {
    State { mode: Mode::Training, ..*state }.scenario().without_gpu()
}

/// All ways with the reader's model and number of cards.
pub fn rows(state: &State) -> Rows {
    let step = step(state);
    let mut rows = Vec::new();
    let mut most = state.gpu.capacity;
    for scheme in Scheme::ALL {
        let run = scheme.over(&step, state.cluster.cards.count());
        rows.push(run.map(|run| {
            let held = evaluate(&run);
            most = most.max(held.total);
            let (links, idle) = (cost::traffic_share(&run, state.gpu), cost::bubble(&run));
            Row {
                buckets: held.buckets,
                total: held.total,
                states: states(&run),
                sent: sent_per_token(&run),
                links,
                idle,
            }
        }));
    }
    Rows { rows, most }
}

fn row<'a>(of: &'a Snapshot, id: &str) -> Option<&'a Option<Row>> {
    of.parallel().rows.get(Scheme::ALL.iter().position(|scheme| scheme.id() == id)?)
}

/// The text with this name; `None` for a name that is not known.
pub fn value(of: &Snapshot, part: &str) -> Option<String> {
    let Some((id, what)) = part.split_once('.') else { return plain(of, part) };
    let most = of.parallel().most;
    let row = row(of, id)?;
    if let Some((what, bucket)) = what.split_once('.') {
        // Where a part begins and how wide it is.
        let mut before = Bytes::ZERO;
        for (name, bytes) in row.iter().flat_map(|row| row.buckets) {
            if name.id() == bucket {
                return Some(percent(if what == "x" { before } else { bytes }.share_of(most) * 100.0));
            }
            before += bytes;
        }
        return Some(percent(0.0));
    }
    let Some(row) = row else {
        let beside = matches!(what, "sends" | "time");
        return Some(if beside { String::new() } else { t("parallel.illegal").into() });
    };
    Some(match what {
        "total" => of.size(row.total),
        "states" => of.size(row.states),
        "less" => {
            let whole = of.parallel().rows.first()?.as_ref()?.states;
            fill("parallel.times", &[("n", &Figure(whole.0 as f64 / (row.states.0 as f64).max(1.0)).to_string())])
        }
        "sent" => of.size(row.sent),
        "links" => Percent(row.links).to_string(),
        "idle" => Percent(row.idle).to_string(),
        // What the drawing says under a bar: nothing of one GPU, which has nobody to talk to.
        "sends" | "time" if row.sent == Bytes::ZERO => String::new(),
        "sends" => fill("parallel.sends", &[("sent", &of.size(row.sent))]),
        "time" => {
            let values = [("links", Percent(row.links).to_string()), ("idle", Percent(row.idle).to_string())];
            match Scheme::from_id(id)? {
                Scheme::Tensor => fill_with("parallel.time.waits", &values),
                Scheme::Pipeline => fill_with("parallel.time.idle", &values),
                _ => fill_with("parallel.time.hidden", &values),
            }
        }
        _ => return None,
    })
}

fn plain(of: &Snapshot, part: &str) -> Option<String> {
    let gpu = of.state.gpu;
    Some(match part {
        "cards" => of.state.cluster.cards.id().into(),
        "line" => percent(gpu.capacity.share_of(of.parallel().most) * 100.0),
        "sentence" => {
            let said = |name: &str| value(of, name).unwrap_or_default();
            let values = [
                ("cards", of.state.cluster.cards.id().to_owned()),
                ("data", said("data.total")),
                ("zero3", said("zero3.total")),
                ("sent", said("zero3.sent")),
                ("tensor", said("tensor.sent")),
                ("idle", said("pipeline.idle")),
            ];
            if !sent_any(of) {
                return Some(fill_with("parallel.sentence.one", &values));
            }
            let mut sentence = fill_with("parallel.sentence", &values);
            if row(of, "tensor")?.is_some() {
                sentence.push(' ');
                sentence += &fill_with("parallel.sentence.tensor", &values);
            }
            if row(of, "pipeline")?.is_some() {
                sentence.push(' ');
                sentence += &fill_with("parallel.sentence.pipeline", &values);
            }
            sentence
        }
        // Only said of fixed states.
        #[cfg(not(target_arch = "wasm32"))]
        "link" | "ridge" => {
            let rate = if part == "link" { gpu.peer_link? } else { gpu.bandwidth };
            Figure(gpu.peaks.bf16?.tflops() * 1e12 / rate.0).to_string()
        }
        "host" | "host_time" | "kept" => {
            let run = Scheme::Data.over(&step(&of.state), 1)?.with(|it| it.offload.optimizer = true).ok()?;
            let bytes = communication::bytes(&run, communication::Traffic::Host);
            match part {
                "host" => of.size(bytes),
                "kept" => of.size(states(&run)),
                _ => Duration(bytes.0 as f64 / gpu.host_link?.0).to_string(),
            }
        }
        // How many times less the states weigh on very many cards.
        #[cfg(not(target_arch = "wasm32"))]
        "limit1" | "limit2" => {
            let run = step(&of.state);
            let zero = if part == "limit1" { ZeroStage::Optimizer } else { ZeroStage::Gradients };
            let many = run.with(|it| (it.parallel.dp, it.parallel.zero) = (1_000_000, zero)).ok()?;
            Figure(states(&run).0 as f64 / states(&many).0 as f64).to_string()
        }
        _ => return None,
    })
}

fn sent_any(of: &Snapshot) -> bool {
    of.parallel().rows.iter().flatten().any(|row| row.sent > Bytes::ZERO)
}

/// Whether the condition with this name holds: `zero1.over` the card, `tensor.illegal` where the model cannot be cut so.
pub fn flag(of: &Snapshot, part: &str) -> Option<bool> {
    let (id, what) = part.split_once('.')?;
    let row = row(of, id)?;
    Some(match what {
        "over" => row.as_ref().is_some_and(|row| row.total > of.state.gpu.capacity),
        "illegal" => row.is_none(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::cluster::{Cards, Cluster};
    use memory_wall_core::display::THIN_SPACE;
    use memory_wall_core::tables::gpus::GPUS;
    use memory_wall_core::tables::models::{MODELS, by_id};

    fn at(cards: Cards) -> Snapshot {
        Snapshot::of(State { cluster: Cluster { cards, ..Cluster::default() }, ..State::default() })
    }

    #[test]
    fn eight_cards_divide_the_states_by_less_than_the_famous_factors() {
        let snapshot = at(Cards::Eight);
        let less = |id: &str| snapshot.value(&format!("parallel.{id}.less")).unwrap();
        assert_eq!(["data", "zero1", "zero2", "zero3"].map(less), ["1.00×", "2.91×", "4.27×", "8.00×"]);
        assert_eq!(snapshot.value("parallel.limit1").as_deref(), Some("4.00"));
        assert_eq!(
            ["link", "ridge"].map(|name| snapshot.value(&format!("parallel.{name}")).unwrap()),
            ["1,040", "153"]
        );
        assert_eq!(snapshot.value("parallel.limit2").as_deref(), Some("8.00"));
        assert!(((ZERO.answer)().unwrap() - 16.0 / 5.5).abs() < 1e-6);
        assert_eq!(snapshot.flag("parallel.data.over"), Some(true));
        assert_eq!(snapshot.flag("parallel.zero1.over"), Some(false));
        assert_eq!(at(Cards::SixtyFour).flag("parallel.tensor.illegal"), Some(true));
    }

    #[test]
    fn the_sentence_says_what_is_sent_where_anything_is() {
        let said = |cards| at(cards).value("parallel.sentence").unwrap().replace(THIN_SPACE, " ");
        let eight = said(Cards::Eight);
        for part in ["sends 2.16 MB for each token", "tensor parallelism it sends 1.84 MB", "idle for 47% of the step"]
        {
            assert!(eight.contains(part), "{eight}");
        }
        assert!(!said(Cards::One).contains("sends"), "{}", said(Cards::One));
        assert!(!said(Cards::SixtyFour).contains("In tensor parallelism"), "{}", said(Cards::SixtyFour));
    }

    #[test]
    fn larger_batches_make_data_parallelism_cheaper_and_tensor_parallelism_not() {
        let at = |batch: u32| Snapshot::of(State { batch, ..State::default() });
        let [one, eight] = [1, 8].map(at);
        let sent = |of: &Snapshot, id: &str| row(of, id).unwrap().as_ref().unwrap().sent.0;
        assert_eq!(sent(&one, "tensor"), sent(&eight, "tensor"));
        assert!(sent(&eight, "data") * 7 < sent(&one, "data"), "an eighth of it");
        assert!(sent(&one, "pipeline") * 50 < sent(&one, "tensor"));
    }

    #[test]
    fn every_name_has_an_answer_for_every_model_and_card() {
        for (place, model) in MODELS.iter().enumerate() {
            for &cards in Cards::ALL {
                let mut state = State { gpu: &GPUS[place % GPUS.len()], ..State::default() };
                state.choose_model(by_id(model.id).unwrap());
                state.cluster.cards = cards;
                let snapshot = Snapshot::of(state);
                for scheme in Scheme::ALL {
                    for what in ["total", "states", "less", "sent", "links", "idle", "x.weights", "w.logits"] {
                        let text = snapshot.value(&format!("parallel.{}.{what}", scheme.id())).unwrap();
                        assert!(!text.is_empty() && !text.contains("NaN") && !text.contains("parallel."), "{text}");
                    }
                }
                assert!(snapshot.value("parallel.sentence").is_some());
            }
        }
        let snapshot = at(Cards::Eight);
        for name in ["parallel.", "parallel.x", "parallel.x.total", "parallel.data.x"] {
            assert_eq!(snapshot.value(name), None, "{name}");
        }
        assert_eq!(snapshot.flag("parallel.data.x"), None);
    }
}
