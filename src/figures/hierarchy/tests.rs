use memory_wall_core::display::THIN_SPACE;
use memory_wall_core::hierarchy::{Tier, tier_spec};
use memory_wall_core::tables::gpus::GPUS;
use memory_wall_core::tables::{gpus, models};

use super::model::{HOLDS, MOVES, WING, bar};
use super::*;
use crate::figures;
use crate::live::Snapshot;
use crate::state::State;

fn at(tier: Tier, gpu: &str) -> Snapshot {
    Snapshot::of(State { tier, gpu: gpus::by_id(gpu).unwrap(), ..State::default() })
}

fn answer(snapshot: &Snapshot, binding: Binding) -> String {
    figures::said::<Model>(snapshot, binding).replace(THIN_SPACE, " ")
}

fn said(tier: Tier, gpu: &str) -> String {
    answer(&at(tier, gpu), Binding::Sentence)
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
        (Tier::Peer, "t4", "Another GPU: T4 has none."),
        (Tier::Host, "gb10", "Host memory: GB10 (DGX Spark) has none."),
    ] {
        assert_eq!(said(tier, gpu), sentence);
    }
}

#[test]
fn chips_come_whole() {
    // 85.0 GB over the 91.5 MB that registers, L1 and L2 of an A100 hold is 928.8.
    assert_eq!(answer(&Snapshot::of(State::default()), Binding::Chips), "929");
}

#[test]
fn a_mixture_reads_its_own_experts() {
    let mut state = State { gpu: gpus::by_id("h200-sxm").unwrap(), ..State::default() };
    state.choose_model(models::by_id("mixtral-8x7b").unwrap());
    let said = answer(&Snapshot::of(state), Binding::Sentence);
    // 12.88 of 46.7 B parameters but the embedding table, in bf16.
    assert!(said.contains("each token reads 25.5 GB of weights"), "{said}");
}

#[test]
fn every_tier_has_words_on_every_gpu() {
    type Of = fn(Tier) -> Binding;
    let words: [Of; 9] = [
        Binding::Name,
        Binding::Capacity,
        Binding::Bandwidth,
        Binding::Latency,
        Binding::Against,
        Binding::Ceiling,
        Binding::Holds,
        Binding::HoldsFrom,
        Binding::Moves,
    ];
    for gpu in GPUS {
        let snapshot = at(Tier::Own, gpu.id);
        for &tier in Tier::ALL {
            for binding in words.map(|of| of(tier)) {
                let text = answer(&snapshot, binding);
                assert!(!text.is_empty() && !text.starts_with("tier."), "{}: {binding:?}: {text}", gpu.id);
            }
        }
    }
    let snapshot = at(Tier::Own, "a100-80-sxm");
    for (binding, text) in [
        (Binding::Walk, "64.7"),
        (Binding::Latency(Tier::Own), "250–440 ns"),
        (Binding::Latency(Tier::L1), "16–24 ns"),
        (Binding::Chosen(Tier::Own), "1"),
        (Binding::Chosen(Tier::L1), ""),
    ] {
        assert_eq!(answer(&snapshot, binding), text);
    }
    assert_eq!(answer(&at(Tier::Own, "gb10"), Binding::Walk), "–", "it has no other memory to walk to");
}

#[test]
fn bars_stay_within_their_side() {
    for gpu in GPUS {
        for spec in Tier::ALL.iter().filter_map(|tier| tier_spec(gpu, *tier)) {
            for (scale, amount) in
                [(HOLDS, spec.capacity.map(|it| it.value.0 as f64)), (MOVES, spec.bandwidth.map(|it| it.value.0))]
            {
                let Some(amount) = amount else { continue };
                let bar = bar(scale, amount);
                assert!(bar > 0.0 && bar < WING, "{} {:?}: {bar}", gpu.id, spec.tier);
            }
        }
    }
}
