use memory_wall_core::display::THIN_SPACE;
use memory_wall_core::scaling::{Purpose, Size};
use memory_wall_core::tables::gpus;

use super::*;
use crate::figures;
use crate::live::Snapshot;
use crate::state::State;
use crate::state::cluster::Cluster;

fn said(purpose: Purpose, binding: Binding) -> String {
    said_on("a100-80-sxm", purpose, binding)
}

fn said_on(gpu: &str, purpose: Purpose, binding: Binding) -> String {
    let gpu = gpus::by_id(gpu).unwrap();
    let state = State { gpu, cluster: Cluster { purpose, ..Cluster::default() }, ..State::default() };
    figures::said::<Model>(&Snapshot::of(state), binding).replace(THIN_SPACE, " ")
}

#[test]
fn the_page_starts_with_the_rows_that_everybody_quotes() {
    let all = |binding: fn(Size) -> Binding| Size::EACH.map(|size| said(Purpose::Hold, binding(size)));
    assert_eq!(all(Binding::Bytes), ["14.0 GB", "140 GB", "350 GB", "1.40 TB"]);
    assert_eq!(all(Binding::Printed), ["1", "2", "5", "18"]);
    assert_eq!(all(Binding::RealGpus), ["1", "2", "5", "17"]);
    assert_eq!(all(Binding::Nodes), ["1", "2", "8", "24"]);
    assert_eq!((DIAL.answer)(), Some(14.0));
    assert_eq!(
        said(Purpose::Hold, Binding::Sentence(Size::B700)),
        "700B needs 1.40 TB for its weights: 18 GPUs by division, 17 with the bytes that A100 SXM4 80GB really has, 24 as computers come."
    );
}

#[test]
fn a_number_of_gpus_to_train_on_says_what_it_assumes_and_how_long_it_takes() {
    let trained = said(Purpose::Train, Binding::Sentence(Size::B70));
    for part in ["24 as computers come", "every layer is recomputed", "one sequence of 4,096 tokens", "1.40 T tokens"] {
        assert!(trained.contains(part), "{part}: {trained}");
    }
    assert!(trained.contains("5.53 to 8.29 years") && trained.contains("30% to 45%"), "{trained}");
    assert_eq!(said(Purpose::Train, Binding::Time(Size::B7)), "242 to 364 days");
    let slow = said_on("rtx4090", Purpose::Train, Binding::Sentence(Size::B70));
    assert!(slow.contains("no fast links join all") && !slow.contains("years"), "{slow}");
    assert_eq!(said_on("rtx4090", Purpose::Train, Binding::Time(Size::B70)), "not known");
    let held = said(Purpose::Hold, Binding::Sentence(Size::B70));
    assert!(!held.contains("recomputed"), "{held}");
}

#[test]
fn every_purpose_has_an_answer_on_every_gpu() {
    for gpu in gpus::GPUS {
        for &purpose in Purpose::ALL {
            let state = State { gpu, cluster: Cluster { purpose, ..Cluster::default() }, ..State::default() };
            let snapshot = Snapshot::of(state);
            for binding in <Binding as figures::Bindings>::ALL {
                let flag = matches!(binding, Binding::Not(_) | Binding::None(_));
                let text = figures::said::<Model>(&snapshot, *binding);
                assert!(flag || !text.is_empty() && !text.contains("scaling."), "{} {binding:?}: {text}", gpu.id);
                assert!(text != "–", "{} {binding:?}", gpu.id);
            }
        }
    }
}
