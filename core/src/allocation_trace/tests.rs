extern crate std;
use super::*;
use crate::tables::gpus;
use crate::units::GIB;
use std::vec::Vec;

const BASE: Program = Program {
    features: 16_384,
    batch: 32,
    seq_length: 4_096,
    bytes_per_value: 4,
    named: true,
    input_gradient: false,
    squares: false,
};

/// All eight combinations of the switches.
fn all() -> Vec<Program> {
    let mut programs = Vec::new();
    for named in [true, false] {
        for input_gradient in [false, true] {
            for squares in [false, true] {
                programs.push(Program { named, input_gradient, squares, ..BASE });
            }
        }
    }
    programs
}

/// Tenths of a GiB, rounded.
fn tenths(bytes: Bytes) -> u128 {
    (bytes.0 * 10 + GIB / 2) / GIB
}

#[test]
fn peaks_are_those_that_were_traced() {
    for (name, program, forward, peak, at) in [
        ("as written", BASE, 170, 260, Step::WeightCopy),
        ("no name y", Program { named: false, ..BASE }, 170, 180, Step::WeightCopy),
        ("x needs a gradient", Program { input_gradient: true, ..BASE }, 170, 340, Step::WeightCopy),
        ("mean of squares", Program { squares: true, ..BASE }, 250, 490, Step::Product),
        ("batch 64", Program { batch: 64, ..BASE }, 330, 500, Step::WeightCopy),
    ] {
        assert_eq!((tenths(program.forward_peak()), tenths(program.peak())), (forward, peak), "{name}");
        assert_eq!((program.fullest(), program.fullest().line()), (at, 5), "{name}");
    }
}

#[test]
fn the_ledger_of_the_program_as_written() {
    let rows: Vec<_> = BASE.steps().map(|step| (step, tenths(BASE.during(step)))).collect();
    assert_eq!(
        rows,
        [
            (Step::Model, 10),
            (Step::Input, 90),
            (Step::Forward, 170),
            (Step::Loss, 170),
            (Step::Seed, 170),
            (Step::WeightGrad, 180),
            (Step::WeightCopy, 260),
            (Step::BiasGrad, 180),
            (Step::End, 180),
        ]
    );
    // W, its gradient, the biases, x, y, the copy, two single numbers.
    assert_eq!(BASE.peak(), Bytes(26 * GIB + 16_384 * 4 + 8));
    assert_eq!(tenths(BASE.total(BASE.live(Step::End).after)), 20);
}

#[test]
fn combinations_follow_from_the_same_lifetimes() {
    for (named, input_gradient, squares, peak) in [
        (true, false, false, 260),
        (false, false, false, 180),
        (true, true, false, 340),
        // Without y: x, its gradient, the copy, W and its gradient.
        (false, true, false, 260),
        // The square keeps y whether it has a name or not, and nothing behind it is as full.
        (true, false, true, 490),
        (false, false, true, 490),
        (true, true, true, 490),
        (false, true, true, 490),
    ] {
        let program = Program { named, input_gradient, squares, ..BASE };
        assert_eq!(tenths(program.peak()), peak, "{program:?}");
    }
    assert_eq!(tenths(Program { squares: true, batch: 64, ..BASE }.peak()), 970);
    assert_eq!(tenths(Program { bytes_per_value: 2, ..BASE }.peak()), 130);
}

#[test]
fn nothing_is_allocated_twice_or_freed_without_being_there_and_only_weights_and_gradients_remain() {
    for program in all() {
        let (mut before, mut seen) = (Tensors::NONE, Tensors::NONE);
        let (mut allocated, mut freed) = (Bytes::ZERO, Bytes::ZERO);
        for step in program.steps() {
            let live = program.live(step);
            let (new, gone) = (step.allocates(), step.frees(&program));
            assert_eq!(new.without(before), new, "{step:?} of {program:?} allocates what is there");
            assert_eq!(gone.without(live.during), Tensors::NONE, "{step:?} of {program:?} frees what is not there");
            allocated += program.total(new);
            freed += program.total(gone);
            assert!(freed <= allocated);
            assert_eq!(program.total(live.after), allocated - freed);
            before = live.after;
            seen = seen.and(new);
        }
        let remain = [Tensor::Weight, Tensor::Bias, Tensor::WeightGrad, Tensor::BiasGrad];
        assert_eq!(before, Tensors::of(&remain), "{program:?}");
        assert!(seen.has(Tensor::Output));
        assert!(program.peak() >= program.forward_peak());
    }
}

#[test]
fn no_size_within_bounds_is_too_large_and_none_makes_the_peak_fall() {
    for program in all() {
        let mut before = Bytes::ZERO;
        for (features, batch, seq_length) in [(1, 1, 1), (2, 1, 7), (512, 32, 128), (1_000_000, 1_000_000, 10_000_000)]
        {
            let program = Program { features, batch, seq_length, ..program };
            assert!(program.peak() > before && program.peak() >= program.forward_peak());
            before = program.peak();
        }
        for &step in Step::ALL {
            assert!(program.reached(step).happens(&program));
            assert!(program.during(step) <= program.peak());
        }
    }
}

#[test]
fn it_dies_where_it_was_said_to() {
    let on = |program: Program, gpu| program.dies(gpus::by_id(gpu).unwrap().capacity).map(Step::line);
    assert_eq!([on(BASE, "rtx4090"), on(BASE, "a100-40-sxm")], [Some(5), None]);
    let unnamed = Program { named: false, ..BASE };
    assert_eq!([on(unnamed, "rtx4090"), on(unnamed, "a100-40-sxm")], [None, None]);
    let below = Program { input_gradient: true, ..BASE };
    assert_eq!([on(below, "rtx4090"), on(below, "a100-40-sxm")], [Some(5), None]);
    let squared = Program { squares: true, ..BASE };
    assert_eq!([on(squared, "rtx4090"), on(squared, "a100-40-sxm")], [Some(4), Some(5)]);
    let twice = Program { batch: 64, ..BASE };
    assert_eq!([on(twice, "rtx4090"), on(twice, "a100-40-sxm")], [Some(3), Some(5)]);
}
