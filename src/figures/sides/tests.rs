use memory_wall_core::display::THIN_SPACE;
use memory_wall_core::{Bucket, Mode};

use super::*;
use crate::figures;
use crate::live::Snapshot;
use crate::state::State;

#[test]
fn generating_and_training_stand_side_by_side_in_any_mode() {
    for mode in [Mode::Inference, Mode::Training, Mode::Qlora] {
        let snapshot = Snapshot::of(State { mode, ..State::default() });
        for (binding, text) in [
            (Binding::Generating(Bucket::Weights), "13.5 GB"),
            (Binding::Training(Bucket::Weights), "13.5 GB"),
            (Binding::Generating(Bucket::KvCache), "1.07 GB"),
            (Binding::Training(Bucket::KvCache), "none"),
            (Binding::Generating(Bucket::Optimizer), "none"),
            (Binding::Training(Bucket::Optimizer), "80.9 GB"),
            (Binding::TrainingBar(Bucket::Optimizer), "32.63%"),
            (Binding::TrainingTotal, "121 GB"),
        ] {
            assert_eq!(figures::said::<Model>(&snapshot, binding).replace(THIN_SPACE, " "), text, "{binding:?}");
        }
    }
}
