//! The tiers of the chosen card: what each holds and moves, drawn to logarithmic scales, and the ceiling that it sets on tokens a second.

use memory_wall_core::display::{Figure, Grouped, Percent, THIN_SPACE};
use memory_wall_core::hierarchy::{Latency, Rung, Tier, rung};
use memory_wall_core::roofline::Pass;
use memory_wall_core::roofline::latency::{self, Counting};
use memory_wall_core::units::ByteRate;
use memory_wall_core::{Bucket, Bytes, Checked, Mode};

use crate::charts::wall::percent;
use crate::dials::Dial;
use crate::live::Snapshot;
use crate::state::State;
use crate::words::{self, fill, fill_with, t};
use memory_wall_core::tables::gpus::Gpu;

/// Powers of ten at the ends of the scale of what a tier holds, in bytes.
pub const HOLDS: (i32, i32) = (6, 12);
/// Powers of ten at the ends of the scale of what it moves, in bytes a second.
pub const MOVES: (i32, i32) = (9, 14);
/// How wide either side of the drawing is, in percent.
pub const WING: f64 = 49.5;

/// How long the walk to host memory is, if own memory were a minute away: on the page's first card.
pub static WALK: Dial = Dial {
    id: "walk",
    unit: "minutes",
    range: (1.0, 10_000.0),
    answer: || rung(State::default().gpu, Tier::Host)?.slower_than_own(State::default().gpu),
};

/// How long a bar is, in percent of the drawing.
pub fn bar((low, high): (i32, i32), amount: f64) -> f64 {
    let part = (libm::log10(amount.max(1.0)) - f64::from(low)) / f64::from(high - low);
    part.clamp(0.0, 1.0) * WING
}

/// The text with this name; `None` for a name that is not known.
pub fn value(of: &Snapshot, part: &str) -> Option<String> {
    let gpu = of.state.gpu;
    Some(match part {
        "sentence" => sentence(of),
        // If own memory were one minute away.
        "walk" => Figure(rung(gpu, Tier::Host)?.slower_than_own(gpu)?).to_string(),
        // Chips whose registers and caches would hold as much as the card's own memory.
        "chips" => {
            let near = [Tier::Registers, Tier::L1, Tier::Cache];
            let held = near.iter().filter_map(|tier| Some(rung(gpu, *tier)?.capacity?.value)).sum::<Bytes>();
            Grouped(gpu.capacity.0 / held.0.max(1)).to_string()
        }
        _ => {
            let (id, what) = part.split_once('.')?;
            cell(of, Tier::from_id(id)?, what)?
        }
    })
}

/// Whether the condition with this name holds.
pub fn flag(state: &State, part: &str) -> Option<bool> {
    let (id, what) = part.split_once('.')?;
    let tier = Tier::from_id(id)?;
    let rung = rung(state.gpu, tier);
    Some(match what {
        "chosen" => state.tier == tier,
        "absent" => rung.is_none(),
        "open" => rung.is_some_and(|rung| rung.capacity.is_none()),
        "unrated" => rung.is_some_and(|rung| rung.bandwidth.is_none()),
        _ => return None,
    })
}

fn rate(rate: ByteRate) -> String {
    format!("{}{THIN_SPACE}GB/s", Figure(rate.as_gb_per_s()))
}

/// `250–440 ns`: two digits are all that a range over six cards has.
pub fn nanoseconds(Latency { from_ns, to_ns }: Latency) -> String {
    let [from, to] = [from_ns, to_ns].map(|ns| {
        let step = if ns < 100.0 { 1 } else { 10 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some hundreds of nanoseconds")]
        let steps = (ns / f64::from(step) + 0.5) as u32;
        steps * step
    });
    format!("{from}–{to}{THIN_SPACE}ns")
}

/// Name, figures and bars of one tier.
fn cell(of: &Snapshot, tier: Tier, what: &str) -> Option<String> {
    let gpu = of.state.gpu;
    let rung = rung(gpu, tier);
    let capacity = rung.and_then(|rung| rung.capacity);
    let bandwidth = rung.and_then(|rung| rung.bandwidth);
    let latency = rung.and_then(|rung| rung.latency);
    let holds = || capacity.map_or(0.0, |bytes| bar(HOLDS, bytes.value.0 as f64));
    let moves = || bandwidth.map_or(0.0, |rate| bar(MOVES, rate.value.0));
    let text = match what {
        "name" => Some(name(&of.state, tier)),
        "capacity" => capacity.map(|bytes| of.size(bytes.value)),
        "bandwidth" => bandwidth.map(|it| rate(it.value)),
        "latency" => latency.map(|it| nanoseconds(it.value)),
        "against" => rung.and_then(|rung| against(&of.state, &rung)),
        "ceiling" => rung.and_then(|rung| rung.reads_per_second(read(of))).map(|rate| Figure(rate).to_string()),
        "holds" => Some(percent(holds())),
        "holds_from" => Some(percent(WING - holds())),
        "moves" => Some(percent(moves())),
        "moves_to" => Some(percent(100.0 - WING + moves())),
        _ => return None,
    };
    Some(text.unwrap_or_else(|| {
        let key = match (what, tier) {
            _ if rung.is_none() => "tier.none",
            ("capacity", Tier::Host | Tier::Drive) => "tier.installed",
            ("latency" | "against" | "ceiling", _) => "tier.unknown",
            _ => "tier.unpublished",
        };
        t(key).into()
    }))
}

fn name(state: &State, tier: Tier) -> String {
    if tier == Tier::Cache && state.gpu.on_chip.llc_mib.is_some() {
        return t("tier.name.infinity").into();
    }
    let name = words::choice("tier.name", tier.id());
    if tier == Tier::Own { format!("{name}, {}", state.gpu.memory) } else { name }
}

/// Beside own memory.
fn against(state: &State, rung: &Rung) -> Option<String> {
    let slower = rung.slower_than_own(state.gpu)?;
    Some(match rung.tier {
        Tier::Own => t("tier.measure").into(),
        _ if slower < 1.0 => fill("tier.faster", &[("n", &Figure(1.0 / slower).to_string())]),
        _ => fill("tier.slower", &[("n", &Figure(slower).to_string())]),
    })
}

/// Weights that one token of one sequence reads: of a mixture its own experts, of the embedding table a row. The same that a
/// step of decoding reads on the roofline.
pub fn read_by(scenario: &Checked, gpu: &'static Gpu) -> Bytes {
    let scenario = scenario.with_batch(1);
    Bytes(latency::estimate(&scenario, gpu, Pass::Decode, Counting::of(&scenario)).weights)
}

fn read(of: &Snapshot) -> Bytes {
    let generating = of.state.scenario().with(|it| it.mode = Mode::Inference);
    generating.map_or(Bytes::ZERO, |scenario| read_by(&scenario, of.state.gpu))
}

/// The chosen tier in words: its ceiling, how it stands beside own memory, and whether the weights find room.
pub fn sentence(of: &Snapshot) -> String {
    let state = &of.state;
    let tier = name(state, state.tier);
    let Some(rung) = rung(state.gpu, state.tier) else {
        return fill("tier.sentence.none", &[("tier", &tier), ("gpu", state.gpu.name)]);
    };
    let bytes = read(of);
    let ceiling = match (rung.bandwidth, rung.reads_per_second(bytes)) {
        (Some(known), Some(times)) => {
            let values = [
                ("tier", tier),
                ("rate", rate(known.value)),
                ("n", Figure(times).to_string()),
                ("model", state.model_name()),
                ("bytes", of.size(bytes)),
            ];
            fill_with("tier.sentence.ceiling", &values)
        }
        _ => fill("tier.sentence.unknown", &[("tier", &tier)]),
    };
    let mut said = ceiling;
    if let Some(against) = against(state, &rung).filter(|_| state.tier != Tier::Own) {
        said = said + " " + &fill("tier.sentence.against", &[("against", &against)]);
    }
    let weights = of.evaluation.bytes(Bucket::Weights);
    if let Some(known) = rung.capacity.filter(|known| known.value < weights) {
        let share = Percent(known.value.share_of(weights)).to_string();
        said = said + " " + &fill("tier.sentence.room", &[("share", &share)]);
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_core::tables::{gpus, models};

    fn at(tier: Tier, gpu: &str) -> Snapshot {
        Snapshot::of(State { tier, gpu: gpus::by_id(gpu).unwrap(), ..State::default() })
    }

    fn said(tier: Tier, gpu: &str) -> String {
        at(tier, gpu).value("tier.sentence").unwrap().replace(THIN_SPACE, " ")
    }

    #[test]
    fn the_sentence_of_each_kind_of_tier() {
        for (tier, gpu, sentence) in [
            (
                Tier::Own,
                "a100-80-sxm",
                "Own memory, HBM2e, 2,039 GB/s: at most 154 tokens a second for one sequence of Llama 2 7B, since each token reads 13.2 GB of weights.",
            ),
            (
                Tier::Host,
                "a100-80-sxm",
                "Host memory, 31.5 GB/s: at most 2.38 tokens a second for one sequence of Llama 2 7B, since each token reads 13.2 GB of weights. \
                 It is 64.7× slower than own memory.",
            ),
            (
                Tier::Cache,
                "a100-80-sxm",
                "L2 cache, 7,219 GB/s: at most 546 tokens a second for one sequence of Llama 2 7B, since each token reads 13.2 GB of weights. \
                 It is 3.54× faster than own memory. Only 0.3% of the weights find room there.",
            ),
            (
                Tier::Registers,
                "a100-80-sxm",
                "Registers: nobody publishes how much this tier moves, so there is no ceiling to compute. \
                 Only 0.2% of the weights find room there.",
            ),
            (
                Tier::Cache,
                "mi300x",
                "L2 + Infinity Cache, 17,200 GB/s: at most 1,302 tokens a second for one sequence of Llama 2 7B, since each token reads 13.2 GB of weights. \
                 It is 3.25× faster than own memory. Only 2.2% of the weights find room there.",
            ),
            (Tier::Peer, "t4", "Another card: T4 has none."),
            (Tier::Host, "gb10", "Host memory: GB10 (DGX Spark) has none."),
        ] {
            assert_eq!(said(tier, gpu), sentence);
        }
    }

    #[test]
    fn a_mixture_reads_its_own_experts() {
        let mut state = State { gpu: gpus::by_id("h200-sxm").unwrap(), ..State::default() };
        state.choose_model(models::by_id("mixtral-8x7b").unwrap());
        let said = Snapshot::of(state).value("tier.sentence").unwrap();
        // 12.88 of 46.7 B parameters but the embedding table, in bf16.
        assert!(said.replace(THIN_SPACE, " ").contains("each token reads 25.5 GB of weights"), "{said}");
    }

    #[test]
    fn every_name_has_an_answer_on_every_card() {
        let names = ["name", "capacity", "bandwidth", "latency", "against", "ceiling", "holds", "holds_from", "moves"];
        for gpu in gpus::GPUS {
            let snapshot = at(Tier::Own, gpu.id);
            for tier in Tier::ALL {
                for what in names {
                    let text = snapshot.value(&format!("tier.{}.{what}", tier.id())).unwrap();
                    assert!(!text.is_empty() && !text.starts_with("tier."), "{}: {what}: {text}", gpu.id);
                }
                for what in ["chosen", "absent", "open", "unrated"] {
                    assert!(snapshot.flag(&format!("tier.{}.{what}", tier.id())).is_some());
                }
            }
        }
        let snapshot = at(Tier::Own, "a100-80-sxm");
        for name in ["tier.", "tier.x", "tier.own", "tier.own.x", "tier.attic.name"] {
            assert_eq!(snapshot.value(name), None, "{name}");
        }
        assert_eq!(snapshot.flag("tier.own.x"), None);
        assert_eq!(snapshot.value("tier.walk").as_deref(), Some("64.7"));
        assert_eq!(snapshot.value("tier.own.latency").as_deref(), Some("250–440\u{202f}ns"));
        assert_eq!(snapshot.value("tier.l1.latency").as_deref(), Some("16–24\u{202f}ns"));
    }

    #[test]
    fn bars_stay_within_their_side() {
        for gpu in gpus::GPUS {
            for rung in Tier::ALL.iter().filter_map(|tier| rung(gpu, *tier)) {
                for (scale, amount) in
                    [(HOLDS, rung.capacity.map(|it| it.value.0 as f64)), (MOVES, rung.bandwidth.map(|it| it.value.0))]
                {
                    let Some(amount) = amount else { continue };
                    let bar = bar(scale, amount);
                    assert!(bar > 0.0 && bar < WING, "{} {:?}: {bar}", gpu.id, rung.tier);
                }
            }
        }
    }
}
