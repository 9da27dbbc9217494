use memory_wall_core::allocation_trace::{Program, Step};
use memory_wall_core::display::THIN_SPACE;

use super::model::{Length, Switch};
use super::*;
use crate::figures::{self, Bindings as _, Model as _};
use crate::live::Snapshot;
use crate::state::State;
use crate::state::trace::{self, Trace, TraceGpu};

fn said(trace: Trace, binding: Binding) -> String {
    let snapshot = Snapshot::of(State { trace, ..State::default() });
    figures::said::<Model>(&snapshot, binding).replace(THIN_SPACE, " ")
}

#[test]
fn forward_fits_and_backward_does_not() {
    let trace = Trace::default();
    assert_eq!(said(trace, Binding::Sentence), "Line 4: 18.3 GB in use, 6.97 GB of GeForce RTX 4090 left.");
    assert_eq!(
        said(Trace { step: Step::WeightCopy, ..trace }, Binding::Sentence),
        "Line 5: 27.9 GB in use, 2.70 GB more than GeForce RTX 4090 has. Out of memory."
    );
    assert_eq!(
        said(Trace { step: Step::End, ..trace }, Binding::Sentence),
        "Line 6: it would be 19.3 GB, but the program died in line 5."
    );
    assert_eq!([said(trace, Binding::PeakGib), said(trace, Binding::PeakGb)], ["26.0 GiB", "27.9 GB"]);
    assert_eq!(said(trace, Binding::Forward), "18.3 GB");
    assert_eq!(said(trace, Binding::SumSentence), "W 1.07 GB + x 8.59 GB + y 8.59 GB + ∇W 1.07 GB + copy 8.59 GB");
}

#[test]
fn each_switch_says_what_becomes_of_the_program() {
    for (switch, gpu, verdict) in [
        ("", TraceGpu::Small, "On GeForce RTX 4090 it dies in line 5. Its peak would be 27.9 GB, in line 5."),
        ("", TraceGpu::Medium, "On A100 SXM4 40GB it runs. Its peak is 27.9 GB, in line 5."),
        ("no-name", TraceGpu::Small, "On GeForce RTX 4090 it runs. Its peak is 19.3 GB, in line 5."),
        ("x-grad", TraceGpu::Medium, "On A100 SXM4 40GB it runs. Its peak is 36.5 GB, in line 5."),
        ("squares", TraceGpu::Small, "On GeForce RTX 4090 it dies in line 4. Its peak would be 52.6 GB, in line 5."),
        ("squares", TraceGpu::Medium, "On A100 SXM4 40GB it dies in line 5. Its peak would be 52.6 GB, in line 5."),
        ("batch", TraceGpu::Small, "On GeForce RTX 4090 it dies in line 3. Its peak would be 53.7 GB, in line 5."),
        ("batch", TraceGpu::Medium, "On A100 SXM4 40GB it dies in line 5. Its peak would be 53.7 GB, in line 5."),
    ] {
        let mut trace = Trace { gpu, ..Trace::default() };
        trace::flip(&mut trace.program, switch);
        assert_eq!(said(trace, Binding::Verdict), verdict, "{switch}");
    }
}

#[test]
fn everything_is_said_with_every_switch_and_at_any_size() {
    for switches in 0..16_u8 {
        for (features, batch, seq_length) in [(16_384, 32, 4_096), (1, 1, 1), (1_000_000, 1_000_000, 10_000_000)] {
            let mut program = Program { features, batch, seq_length, ..Program::default() };
            for (bit, switch) in trace::SWITCHES.into_iter().enumerate() {
                if switches >> bit & 1 == 1 {
                    trace::flip(&mut program, switch);
                }
            }
            for &step in Step::ALL {
                let trace = Trace { program, step, gpu: TraceGpu::Own };
                for &binding in Binding::ALL {
                    let text = said(trace, binding);
                    let flag = matches!(
                        binding,
                        Binding::Absent(_)
                            | Binding::Lower(_)
                            | Binding::Fits(_)
                            | Binding::Other(_)
                            | Binding::Dead(_)
                            | Binding::Old(_)
                            | Binding::Stays(_)
                            | Binding::On(_)
                            | Binding::Off(_)
                    );
                    assert!(flag || !text.is_empty() && !text.contains("NaN"), "{binding:?}: {text}");
                    assert!(!text.contains(['{', '}']), "{binding:?}: {text}");
                }
            }
        }
    }
}

#[test]
fn the_switches_and_sizes_are_those_of_the_settings() {
    let named: Vec<_> = Switch::ALL.into_iter().map(Switch::id).filter(|id| *id != "batch").collect();
    assert_eq!(named, trace::SWITCHES);
    assert_eq!(Length::ALL.map(Length::id), trace::SIZES.each_ref().map(|size| size.name));
}

#[test]
fn bars_end_where_the_total_is_and_the_line_stands_within() {
    let state = State::default();
    let drawn = Model::of(&Snapshot::of(state));
    let capacity = state.trace.gpu.gpu(&state).capacity;
    assert!((drawn.x(drawn.peak) - 97.0).abs() < 1e-9 && drawn.x(capacity) < 97.0);
    let bar = drawn.bar(Step::WeightCopy);
    assert!(bar.contains("<text class=\"tight\" x=") && bar.contains("<text x="), "{bar}");
    for name in [">W<", ">x<", ">y<", ">∇W<", ">copy<"] {
        assert!(bar.contains(name), "{name}: {bar}");
    }
    // Weights, x, y, the gradient of W, the copy; biases and single numbers are too small to be seen.
    assert_eq!(bar.matches("<g").count(), 5);
}

#[test]
fn the_answer_on_the_dial_is_the_engines() {
    assert!((DIAL.answer)().is_some_and(|peak| (peak - 26.0).abs() < 0.001));
}
