//! What runs take, against what their makers have published.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use memory_wall_core::published::{RUNS, SPEEDS, Took};
use memory_wall_core::spending::{
    POWER_SHARE, board_watts, dense_peak, energy, gpu_hours, mfu, price_per_million, service, training_flops,
    training_rate,
};
use memory_wall_core::tables::gpus::{self, GPUS};
use memory_wall_core::tables::models::{self, MODELS};
use memory_wall_core::{Mode, Scenario};

fn run(name: &str) -> &'static memory_wall_core::published::Run {
    RUNS.iter().find(|run| run.name == name).unwrap()
}

#[test]
fn published_hours_give_the_mfu_by_hand() {
    for (name, percent) in [
        // 6 × 6.738e9 × 2e12 / (184,320 × 3,600 × 312e12).
        ("Llama 2 7B", 39.1),
        ("Llama 2 70B", 42.8),
        ("Llama 3.1 8B", 13.9),
        ("Llama 3.1 70B", 25.5),
        ("Llama 3.1 405B", 34.6),
        ("DeepSeek-V3", 34.6),
        ("Olmo 3 7B", 34.1),
        ("MPT-7B", 35.7),
        ("BLOOM 176B", 31.8),
        ("TinyLlama 1.1B", 50.8),
    ] {
        let own = run(name).mfu().unwrap() * 100.0;
        assert!((own - percent).abs() < 0.06, "{name}: {own}");
    }
    assert_eq!(run("PaLM 540B").mfu(), None);
    assert!(run("PaLM 540B").range().iter().all(|share| (share - 0.462).abs() < 1e-9));
    // The steps of 405B reached 38 to 43%; the hours of the whole run say less.
    let [least, most] = run("Llama 3.1 405B").range();
    assert!((least - 0.346).abs() < 0.001 && (most - 0.43).abs() < 1e-12);
}

#[test]
fn every_run_names_a_gpu_with_a_peak_and_lies_below_it() {
    for run in RUNS {
        assert!(gpus::by_id(run.gpu).is_some_and(|gpu| dense_peak(gpu).is_some()), "{}", run.name);
        let [least, most] = run.range();
        assert!(0.1 < least && least <= most && most < 0.6, "{}: {least} to {most}", run.name);
        assert!(run.took != Took::Unsaid || run.stated.is_some(), "{}", run.name);
        assert!(run.address.starts_with("https://"), "{}", run.name);
    }
}

#[test]
fn hours_and_mfu_undo_each_other() {
    for gpu in GPUS {
        let Some(peak) = dense_peak(gpu) else { continue };
        let flops = training_flops(7_000_000_000, 1_000_000_000_000);
        let hours = gpu_hours(flops, peak, 0.37);
        assert!((mfu(flops, hours, peak) - 0.37).abs() < 1e-12, "{}", gpu.id);
        // As many tokens a second for as many seconds are all tokens.
        let tokens = training_rate(7_000_000_000, 8, peak, 0.37) * hours * 3_600.0 / 8.0;
        assert!((tokens / 1e12 - 1.0).abs() < 1e-9, "{}: {tokens}", gpu.id);
    }
}

#[test]
fn published_prices_come_out() {
    // MosaicML paid about 200,000 dollars, DeepSeek counts 2 dollars an hour for 2.664 of its 2.788 million hours.
    let Took::Hours(hours) = run("MPT-7B").took else { unreachable!("its hours are known") };
    assert!((hours * 2.0 / 200_000.0 - 1.0).abs() < 0.01);
    // A million tokens at one a second are 277.8 hours.
    assert!((price_per_million(1.0, 4, 1.5) - 1e6 / 3_600.0 * 6.0).abs() < 1e-9);
}

#[test]
fn published_energies_lie_within_the_range() {
    let h100 = board_watts(gpus::by_id("h100-sxm").unwrap()).unwrap();
    // Olmo 3: megawatt-hours and hours of H100.
    for (hours, mwh) in [(234_000.0, 146.0), (1_050_000.0, 681.0)] {
        let [least, most] = energy([hours; 2], h100).map(|wh| wh / 1e6);
        assert!(least < mwh && mwh < most, "{least} < {mwh} < {most}");
    }
    // BLOOM: 433 MWh were counted as all hours at the limit of the board.
    let a100 = board_watts(gpus::by_id("a100-80-sxm").unwrap()).unwrap();
    let [_, most] = energy([1_082_990.0; 2], a100);
    assert!((most / 433_196_000.0 - 1.0).abs() < 0.001, "{most}");
    const { assert!(POWER_SHARE[0] < POWER_SHARE[1] && POWER_SHARE[1] <= 1.0) };
}

#[test]
fn measured_speeds_lie_within_their_range() {
    for speed in SPEEDS {
        let [least, most] = speed.range().unwrap();
        assert!(least < speed.measured && speed.measured < most, "{}: {least} to {most}", speed.row);
    }
}

#[test]
fn every_model_is_served_in_some_time_on_every_gpu() {
    let first = models::by_id("llama-2-7b").unwrap();
    let scenarios = MODELS.iter().map(|model| (model, gpus::by_id("h100-sxm").unwrap()));
    for (model, gpu) in scenarios.chain(GPUS.iter().map(|gpu| (first, gpu))) {
        let scenario = Scenario::new(model.architecture).check().unwrap();
        let service = service(&scenario, gpu).unwrap();
        for [best, worst] in [service.ttft, service.tpot].map(|range| range.map(|time| time.0)) {
            assert!(0.0 < best && best <= worst && worst.is_finite(), "{} on {}", model.id, gpu.id);
        }
        for [best, worst] in [service.read, service.written] {
            assert!(0.0 < worst && worst <= best && best.is_finite(), "{} on {}", model.id, gpu.id);
        }
        // More sequences write more tokens together, and each of them waits longer.
        let more = memory_wall_core::spending::service(&scenario.with_batch(16), gpu).unwrap();
        assert!(more.written[0] >= service.written[0] && more.tpot[0].0 >= service.tpot[0].0, "{}", model.id);
    }
}

#[test]
fn training_is_not_served() {
    let mut scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture);
    scenario.mode = Mode::Training;
    assert_eq!(service(&scenario.check().unwrap(), &GPUS[0]), None);
}
