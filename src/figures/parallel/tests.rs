use memory_wall_core::display::THIN_SPACE;
use memory_wall_core::schemes::Scheme;
use memory_wall_core::tables::gpus::GPUS;
use memory_wall_core::tables::models::by_id;

use super::*;
use crate::figures::{Bindings, Model as _, said};
use crate::live::Snapshot;
use crate::state::State;
use crate::state::cluster::{Cluster, GpuCount};

fn at(gpus: GpuCount) -> Snapshot {
    Snapshot::of(State { cluster: Cluster { gpus, ..Cluster::default() }, ..State::default() })
}

#[test]
fn eight_gpus_divide_the_states_by_less_than_the_famous_factors() {
    let snapshot = at(GpuCount::Eight);
    let said = |binding| said::<Model>(&snapshot, binding);
    let less = [Scheme::Data, Scheme::Zero1, Scheme::Zero2, Scheme::Zero3].map(|scheme| said(Binding::Less(scheme)));
    assert_eq!(less, ["1.00×", "2.91×", "4.27×", "8.00×"]);
    assert_eq!([Binding::Limit1, Binding::Limit2].map(said), ["4.00", "8.00"]);
    assert_eq!([Binding::Link, Binding::Ridge].map(said), ["1,040", "153"]);
    assert!(((ZERO.answer)().unwrap() - 16.0 / 5.5).abs() < 1e-6);
    assert_eq!([Scheme::Data, Scheme::Zero1].map(|scheme| said(Binding::Over(scheme))), ["1", ""]);
    let of_64 = super::super::said::<Model>(&at(GpuCount::SixtyFour), Binding::Illegal(Scheme::Tensor));
    assert_eq!(of_64, "1");
}

#[test]
fn the_sentence_says_what_is_sent_where_anything_is() {
    let said = |gpus| said::<Model>(&at(gpus), Binding::Sentence).replace(THIN_SPACE, " ");
    let eight = said(GpuCount::Eight);
    for part in ["sends 2.16 MB for each token", "tensor parallelism it sends 1.84 MB", "idle for 47% of the step"] {
        assert!(eight.contains(part), "{eight}");
    }
    assert!(!said(GpuCount::One).contains("sends"), "{}", said(GpuCount::One));
    assert!(!said(GpuCount::SixtyFour).contains("In tensor parallelism"), "{}", said(GpuCount::SixtyFour));
}

#[test]
fn larger_batches_make_data_parallelism_cheaper_and_tensor_parallelism_not() {
    let at = |batch: u32| Model::of(&Snapshot::of(State { batch, ..State::default() }));
    let [one, eight] = [1, 8].map(at);
    let sent = |of: &Model, scheme| of.row(scheme).unwrap().sent.0;
    assert_eq!(sent(&one, Scheme::Tensor), sent(&eight, Scheme::Tensor));
    assert!(sent(&eight, Scheme::Data) * 7 < sent(&one, Scheme::Data), "an eighth of it");
    assert!(sent(&one, Scheme::Pipeline) * 50 < sent(&one, Scheme::Tensor));
}

#[test]
fn every_binding_has_an_answer_for_every_model_and_number_of_gpus() {
    for (place, model) in State::models().enumerate() {
        for &gpus in GpuCount::ALL {
            let mut state = State { gpu: &GPUS[place % GPUS.len()], ..State::default() };
            state.choose_model(by_id(model.id).unwrap());
            state.cluster.gpus = gpus;
            let model = Model::of(&Snapshot::of(state));
            for &binding in Binding::ALL {
                let text = model.answer(binding).text(state.unit);
                let may_be_empty =
                    matches!(binding, Binding::Sends(_) | Binding::Time(_) | Binding::Over(_) | Binding::Illegal(_));
                assert!(may_be_empty || !text.is_empty(), "{binding:?}");
                assert!(!text.contains("NaN") && !text.contains("parallel."), "{binding:?}: {text}");
            }
        }
    }
}
