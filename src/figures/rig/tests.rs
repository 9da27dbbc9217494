use memory_wall_core::display::THIN_SPACE;

use super::*;
use crate::figures;
use crate::live::Snapshot;
use crate::state::State;

#[test]
fn the_bar_says_what_is_computed_and_what_comes_out() {
    let said = |state: State, binding| figures::said::<Model>(&Snapshot::of(state), binding).replace(THIN_SPACE, " ");
    let state = State::default();
    assert!(said(state, Binding::Line).contains("Llama 2 7B"), "{}", said(state, Binding::Line));
    assert!(said(state, Binding::Total).contains("15.3 GB"), "{}", said(state, Binding::Total));
    assert_eq!(said(state, Binding::PrintedCapacity), "80 GB");
    let long = State { seq_length: 200_000, ..state };
    assert_eq!([state, long].map(|state| said(state, Binding::VerdictId)), ["fits", "does_not_fit"]);
}
