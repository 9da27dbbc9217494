use memory_wall_core::display::THIN_SPACE;
use memory_wall_core::schemes::{Scheme, sent_per_token};
use memory_wall_core::tables::gpus::GPUS;
use memory_wall_core::tables::models::by_id;
use memory_wall_core::{Implementation, Mode, Parallelism, Scenario, communication};

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

/// The worked numbers of the prose about experts stand in formulas, which nothing fills in: they are the engine's.
#[test]
fn the_prose_about_experts_says_what_the_engine_counts() {
    let prose = include_str!("../../../content/en/parallel.md");
    let mixtral = by_id("mixtral-8x7b").unwrap().architecture;
    let step = |ep: u32| {
        let parallel = Parallelism { dp: 8, ep, ..Parallelism::ONE };
        let mut step = Scenario { mode: Mode::Training, parallel, ..Scenario::new(mixtral) };
        step.training.implementation = Implementation::Megatron;
        step.check().unwrap()
    };
    let [whole, cut] = [step(1), step(8)].map(|step| step.local_parameters());
    let billions = |count: u64| format!("{:.1}", count as f64 / 1e9);
    let rest = whole.total() - whole.experts;
    assert_eq!(cut.total(), rest + whole.experts / 8);
    let said = format!("Of its {} billion parameters, {} billion", billions(whole.total()), billions(whole.experts));
    assert!(prose.contains(&said), "{said}");
    let [rest, experts, held] = [rest, whole.experts, 2 * cut.total()].map(billions);
    let said = format!("$$2 \\cdot {rest} + \\frac{{2 \\cdot {experts}}}{{8}} = {held}$$");
    assert!(prose.contains(&said), "{said}");
    let step = step(8);
    let sent = communication::bytes(&step, communication::Traffic::Expert).0;
    let each = sent / u128::from(mixtral.layers * step.seq_length);
    let said = format!("$$4 \\cdot 2 \\cdot \\frac{{7}}{{8}} \\cdot 4096 \\cdot 2 = {each}$$");
    // The sums of tensor parallelism come to the same.
    assert_eq!(prose.matches(&said).count(), 2, "{said}");
    let tensor = Scheme::Tensor.over(&Scenario::new(mixtral).check().unwrap(), 8).unwrap();
    assert_eq!(sent_per_token(&tensor).0, each * u128::from(mixtral.layers));
    let served = Parallelism { tp: 2, dp: 4, ep: 8, ..Parallelism::ONE }.experts_in_vllm();
    assert_eq!([served.ranks, served.width], [8, 1], "a whole expert each");
    let plain = Parallelism { tp: 2, dp: 4, ..Parallelism::ONE }.experts_in_vllm();
    assert_eq!([plain.ranks, plain.width], [1, 8], "an eighth of every expert");
}
