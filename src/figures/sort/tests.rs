use memory_wall_core::roofline::{Accounting, Kernel};

use super::model::{BYTES, middle, waiting};
use super::view::{explained, ridge_reason};
use super::*;
use crate::charts::wall::percent;
use crate::figures;
use crate::live::Snapshot;
use crate::state::State;

#[test]
fn intensities_and_sides_are_those_that_come_out_by_hand() {
    // A matrix of n × n: n / 3. A vector of 4,096 times 4,096 × 14,336: 2kn / 2(k + kn + n). A batch of 256: 256kn / (256k + kn + 256n).
    // Flash: 4·s(s + 1)/2 of 4,096 each, over 2·s·(2 × 4,096 + 2 × 1,024). A cache: 4 queries share a key and a value.
    for (id, intensity, sides) in [
        ("gemm", 1_365.33, ["compute", "compute"]),
        ("relu", 0.25, ["memory", "memory"]),
        ("token", 0.999_69, ["memory", "memory"]),
        ("softmax", 1.25, ["memory", "memory"]),
        ("batch", 236.95, ["compute", "memory"]),
        ("flash", 1_638.8, ["compute", "compute"]),
        ("layer_norm", 2.0, ["memory", "memory"]),
        ("cache", 3.996, ["memory", "memory"]),
    ] {
        let operation = Operation::from_id(id).unwrap();
        assert!((operation.intensity() / intensity - 1.0).abs() < 1e-4, "{id}: {}", operation.intensity());
        assert_eq!(COMPARED.map(|gpu| operation.bound(gpu).unwrap().id()), sides, "{id}");
    }
}

#[test]
fn exactly_one_operation_changes_sides_and_it_is_the_batch() {
    let moved: Vec<_> =
        Operation::ALL.into_iter().filter(|it| it.bound(COMPARED[0]) != it.bound(COMPARED[1])).collect();
    assert_eq!(moved.iter().map(|it| it.id()).collect::<Vec<_>>(), ["batch"]);
    assert_eq!(COMPARED.map(waiting), [5, 6]);
    assert_eq!((RIDGE.answer)("ridge"), Some("more"));
}

#[test]
fn the_round_asks_about_every_operation_in_order() {
    assert_eq!(Operation::ALL.map(Operation::id), SIDES.questions);
}

#[test]
fn no_operation_stands_so_near_a_ridge_that_its_side_could_be_argued_about() {
    for operation in Operation::ALL {
        for gpu in COMPARED {
            let ratio = operation.intensity() / roof(gpu).unwrap().ridge().0;
            assert!(!(0.85..=1.18).contains(&ratio), "{} on {gpu}: {ratio}", operation.id());
        }
    }
}

#[test]
fn a_guess_is_drawn_on_its_side_until_the_truth_is() {
    let mut snapshot = Snapshot::of(State::default());
    let said = |snapshot: &Snapshot, binding| figures::said::<Model>(snapshot, binding);
    snapshot.predictions.take("relu", "compute");
    assert_eq!(said(&snapshot, Binding::At(Operation::Relu)), percent(middle("compute").unwrap()));
    snapshot.predictions.turn(&SIDES, true);
    assert_eq!(said(&snapshot, Binding::At(Operation::Relu)), "7.96%");
    let before = said(&snapshot, Binding::Ridge);
    snapshot.predictions.turn(&RIDGE, true);
    assert_ne!(said(&snapshot, Binding::Ridge), before);
    assert_eq!(said(&snapshot, Binding::RidgeLabel), "H100 SXM5 80GB: ridge 295");
}

#[test]
fn work_is_written_with_three_digits() {
    assert_eq!(flops(Operation::Gemm.work().flops), "137\u{202f}GFLOP");
    assert_eq!(flops(999_600), "1.00\u{202f}MFLOP");
    assert_eq!(flops(12), "12.0\u{202f}FLOP");
}

#[test]
fn every_sentence_has_its_numbers() {
    for operation in Operation::ALL {
        for sentence in explained(operation) {
            assert!(!sentence.contains("  ") && !sentence.contains(" ,"), "{sentence}");
        }
    }
    assert!(explained(Operation::Gemm)[0].contains("in 4,096 multiplications"));
    assert!(explained(Operation::Cache)[0].contains("the 4 query heads"));
    assert!(explained(Operation::Flash)[1].contains("comes to 63.4 FLOP per byte"));
    assert!(ridge_reason("more").contains("from 153 to 295"), "{}", ridge_reason("more"));
    assert!(ridge_reason("more").ends_with("and 6 are memory-bound instead of 5."));
}

#[test]
fn attention_in_separate_kernels_is_memory_bound_on_both_gpus() {
    let eager = Kernel::EagerAttention { batch: 1, seq_length: 4_096, heads: 32, kv_heads: 8, head_dim: 128 };
    let intensity = eager.work(BYTES).intensity(Accounting::ReadsAndWrites);
    assert!(COMPARED.iter().all(|gpu| roof(gpu).unwrap().bound(intensity).id() == "memory"));
}
