//! What holds for every figure with a folder of its own.

use std::collections::BTreeSet;
use std::mem::discriminant;
use std::path::Path;

use memory_wall_core::display::ByteUnit;
use memory_wall_core::tables::gpus::GPUS;
use memory_wall_core::{Mode, Optimizer, bounds};

use super::*;
use crate::registry::FIGURES;
use crate::state::State;

/// Settings from one end of what can be chosen to the other.
fn settings() -> impl Iterator<Item = State> {
    let of_gpus = GPUS.iter().map(|gpu| State { gpu, ..State::default() });
    let of_models = State::models().map(|model| {
        let mut state = State { unit: ByteUnit::Gib, ..State::default() };
        state.choose_model(model);
        state
    });
    let [short, long] = [bounds::SEQ_LENGTH.min, bounds::SEQ_LENGTH.max];
    let of_sizes = Mode::ALL.iter().flat_map(move |mode| {
        [(1, short), (1, long), (bounds::BATCH.max, long)].map(|(batch, seq_length)| State {
            mode: *mode,
            batch,
            seq_length,
            ..State::default()
        })
    });
    // Where bitsandbytes does not run, what needs it is taken back as for the reader.
    let of_choices = ["tpu-v5p", "gaudi3", "m4", "rtx4090"].into_iter().flat_map(|gpu| {
        let gpu = GPUS.iter().find(|known| known.id == gpu).expect("a GPU of the table");
        Mode::ALL.iter().flat_map(move |&mode| {
            Optimizer::ALL.iter().map(move |&optimizer| State { mode, optimizer, gpu, ..State::default() }.mended().0)
        })
    });
    of_gpus.chain(of_models).chain(of_sizes).chain(of_choices)
}

#[test]
fn every_binding_has_an_answer_of_one_kind_with_any_settings() {
    let mut kinds = Vec::new();
    for state in settings() {
        let (snapshot, mut models) = (Snapshot::of(state), Models::default());
        for (nth, name) in names().enumerate() {
            let answer = models.answer(find(name).unwrap(), &snapshot).unwrap();
            let kind = discriminant(&answer);
            assert_eq!(*kinds.get(nth).unwrap_or(&kind), kind, "{name} is of another kind now");
            if kinds.len() == nth {
                kinds.push(kind);
            }
            let text = answer.text(state.unit);
            let wrong = ["NaN", "inf ", "infinity", "{", "}"].into_iter().find(|wrong| text.contains(wrong));
            assert!(wrong.is_none(), "{name}: {text}");
        }
    }
    assert!(kinds.len() > 30);
}

#[test]
fn names_and_places_lead_to_each_other() {
    let mut places = BTreeSet::new();
    for found in names() {
        let place = find(found).unwrap();
        assert_eq!(name(place), Some(found));
        assert_eq!(Places::default().read(&place.to_string()), Some(place));
        assert!(places.insert((place.figure, place.binding)));
    }
    let all: usize = FIGURES.iter().map(|figure| (figure.names)().len()).sum();
    assert_eq!(places.len(), all, "two bindings of a figure have one name");
    assert!(find("states.total.mixed-fp32-grads").is_some());
    assert_eq!((find("states.total"), find("states.total.x"), find("x")), (None, None, None));
}

#[test]
fn a_place_that_the_page_made_up_has_no_answer() {
    let (snapshot, mut models) = (Snapshot::of(State::default()), Models::default());
    for (figure, binding) in [(0, 1_000), (1_000, 0)] {
        assert_eq!(models.answer(Place { figure, binding }, &snapshot), None);
    }
}

#[test]
fn a_model_counts_its_changes_and_stays_as_it_is_where_nothing_changes() {
    let place = find("states.total.mixed").unwrap();
    let state = State::default();
    let mut models = Models::default();
    let mut after = |state: State| {
        models.stale();
        models.changes(place.figure, &Snapshot::of(state)).unwrap()
    };
    assert_eq!(after(state), 1);
    // The figure trains one sequence of any length.
    assert_eq!(after(State { seq_length: state.seq_length + 1, ..state }), 1);
    assert_eq!(after(State { gpu: &GPUS[0], ..state }), 2);
    assert_eq!(after(State { gpu: &GPUS[0], unit: ByteUnit::Gib, ..state }), 3);
}

#[test]
fn every_folder_is_a_figure() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/figures");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    for path in &folders {
        let id = path.file_name().unwrap().to_string_lossy();
        assert!(FIGURES.iter().any(|figure| figure.id == id), "{id} has no row in FIGURES");
    }
    let alone = FIGURES.iter().filter(|figure| figure.live.is_some()).count();
    assert!(folders.len() >= alone && alone >= 2);
}
