use super::*;
use crate::tables::gpus::{GPUS, by_id};

fn all(purpose: Purpose, gpu: &str) -> [Need; 4] {
    let gpu = by_id(gpu).unwrap();
    [Size::B7, Size::B70, Size::B175, Size::B700].map(|size| need(size, purpose, WeightFormat::Fp16, gpu).unwrap())
}

#[test]
fn division_gives_the_rows_that_everybody_quotes() {
    let rows = all(Purpose::Hold, "a100-80-sxm");
    assert_eq!(rows.map(|row| row.bytes.0), [14, 140, 350, 1_400].map(|gb| gb * 1_000_000_000));
    assert_eq!(rows.map(|row| row.printed), [1, 2, 5, 18]);
    assert_eq!(rows.map(|row| row.real), [1, 2, 5, 17]);
    let rows = all(Purpose::Train, "a100-80-sxm");
    assert_eq!(rows.map(|row| row.bytes.0), [112, 1_120, 2_800, 11_200].map(|gb| gb * 1_000_000_000));
    assert_eq!(rows.map(|row| row.printed), [2, 14, 35, 140]);
}

#[test]
fn what_is_needed_is_more_than_division() {
    let nodes = |purpose| all(purpose, "a100-80-sxm").map(|row| row.nodes.unwrap());
    assert_eq!(nodes(Purpose::Hold), [1, 2, 8, 24]);
    assert_eq!(nodes(Purpose::Serve), [1, 4, 8, 24]);
    // 70 and 175 billion leave no room for what DeepSpeed's ZeRO-3 copies in its step on 16 and 40.
    assert_eq!(nodes(Purpose::Train), [2, 24, 48, 168]);
    let [_, b70, b175, b700] = all(Purpose::Serve, "a100-80-sxm");
    // 64 heads go neither over 3 GPUs nor 96 over 7.
    assert_eq!([b70, b175].map(|row| (row.load.unwrap(), row.cut.unwrap())), [(3, 4), (7, 8)]);
    assert_eq!((b700.parallel.tp, b700.parallel.pp), (8, 3));
}

#[test]
fn what_holds_a_training_step_does_not_finish_it_soon() {
    let a100 = by_id("a100-80-sxm").unwrap();
    let years = |gpus| Size::B70.training_seconds(gpus, a100).unwrap().map(|seconds| seconds / (365.25 * 86_400.0));
    // 6 × 70e9 × 1.4e12 FLOPs at 45% and 30% of 16 × 312 TFLOP/s.
    let [fast, slow] = years(16);
    assert!((fast - 8.295).abs() < 0.01 && (slow - 12.442).abs() < 0.01, "{fast} {slow}");
    assert!((years(1_600)[0] * 100.0 - fast).abs() < 1e-9);
    assert_eq!(Size::B70.training_tokens(), 1_400_000_000_000);
}

#[test]
fn only_what_a_public_run_says_of_the_links_gives_a_time() {
    let share = |gpus, id| mfu(gpus, by_id(id).unwrap());
    for (id, within, beyond) in [
        ("h100-sxm", Some(MFU), Some(MFU)),
        ("rtx4090", Some(MFU_PCIE), None),
        ("l40s", Some(MFU_PCIE), None),
        // Bridges join pairs.
        ("a100-80-pcie", Some(MFU_PCIE), None),
        ("m3max", None, None),
    ] {
        assert_eq!((share(8, id), share(16, id), share(1, id)), (within, beyond, Some(MFU)), "{id}");
    }
    assert_eq!(share(2, "rtx3090"), Some(MFU));
    assert_eq!(Size::B70.training_seconds(80, by_id("rtx4090").unwrap()), None);
}

#[test]
fn the_shares_over_pcie_are_those_of_their_sources() {
    // Tokens a second of four RTX 4090 and parameters of Qwen2.5, embedding included.
    let peak = by_id("rtx4090").unwrap().peaks.bf16.unwrap().tflops() * 1e12;
    let [low, high] = [(2_630.0, 14.77e9), (122_784.0, 0.494e9)].map(|(rate, n)| 6.0 * n * rate / (4.0 * peak));
    assert!((low - 0.353).abs() < 0.001 && (high - MFU_PCIE[1]).abs() < 0.002, "{low} {high}");
    // Six FLOPs for each parameter and token, eight with recomputation, and six bytes for each parameter over PCIe.
    let floors = GPUS.iter().filter(|gpu| gpu.peer_link.is_none()).filter_map(|gpu| {
        let peak = gpu.peaks.bf16.or(gpu.peaks.fp16)?.tflops() * 1e12;
        let link = gpu.host_link?.0 * 20.0 / 31.5;
        Some(6.0 * 4_096.0 / peak / (6.0 / link + 8.0 * 4_096.0 / peak / 0.6))
    });
    let least = floors.fold(1.0, f64::min);
    assert!((least - MFU_PCIE[0]).abs() < 0.005, "{least}");
}

#[test]
fn every_gpu_and_format_has_an_answer_that_does_not_contradict_itself() {
    for gpu in GPUS {
        for &purpose in Purpose::ALL {
            for &size in Size::ALL {
                for &weights in WeightFormat::ALL {
                    if purpose == Purpose::Train && !weights.trainable() {
                        continue;
                    }
                    let need = need(size, purpose, weights, gpu).unwrap();
                    let id = (gpu.id, purpose.id(), size.id(), weights.id());
                    assert!(need.real <= need.margin && need.load.is_none_or(|load| load >= need.margin), "{id:?}");
                    assert!(need.nodes.unwrap_or(u64::MAX) >= need.cut.unwrap_or(0), "{id:?}");
                    assert!(need.parallel.ranks() == 1 || need.cut == Some(need.parallel.ranks()), "{id:?}");
                    assert!(gpu.printed_gb < 40 || need.nodes.is_some(), "{id:?}");
                }
            }
        }
    }
}
