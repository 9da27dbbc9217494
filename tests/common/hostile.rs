//! What must hold of any text whatever that comes in a link or lies in the storage. The fuzzer asks the same.

#![allow(
    clippy::panic,
    clippy::indexing_slicing,
    dead_code,
    reason = "failing is panicking, and not everyone asks everything"
)]

use memory_wall_app::state::State;
use memory_wall_app::state::progress;
use memory_wall_app::state::query::{Decoded, decode, encode};
use memory_wall_app::state::roofline::Levers;
use memory_wall_core::roofline::operations::Kernels;

/// What holds for every query that was read.
pub(crate) fn decoded(decoded: &Decoded) {
    let Decoded { state, notices } = decoded;
    assert_eq!(state.check().err(), None);
    assert!(notices.len() <= 52, "{} notices", notices.len());
    for notice in notices {
        assert!((10..=400).contains(&notice.chars().count()), "{} characters: {notice}", notice.chars().count());
        assert!(!notice.contains(hides), "{notice:?}");
    }
    // Nothing is said twice. Two unknown keys may look the same, shortened and without what hides.
    let mut said: Vec<&String> = notices.iter().filter(|notice| !notice.contains("not known here")).collect();
    said.sort();
    assert!(said.windows(2).all(|pair| pair[0] != pair[1]), "{notices:?}");
    // What was understood is a link of its own, without a notice.
    let again = decode(&encode(state));
    assert_eq!(&again.notices, &Vec::<String>::new());
    assert_eq!(again.state, settled(state));
}

/// Characters that are not seen themselves and may change how others are: controls, line separators and those of
/// Unicode's property `Bidi_Control`.
fn hides(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The state as a link carries it: with the weights that are in use.
pub(crate) fn settled(state: &State) -> State {
    let default = State::default().weights;
    let used = state.weights_in_use();
    let unsaid = State { weights: default, ..*state }.weights_in_use();
    State { weights: if used == unsaid { default } else { used }, roofline: of_roofline(state), ..*state }
}

/// The roofline's settings as a link carries them: no choice that changes nothing.
fn of_roofline(state: &State) -> Levers {
    let mut now = state.roofline;
    now.kernels = now.kernels.filter(|kernels| *kernels != Kernels::of(&state.scenario()));
    now.versus = if now.versus[0].is_none() { [now.versus[1], None] } else { now.versus };
    now
}

/// Kept answers: what is read of them is written so that it reads the same, and whatever is not carried along is told of.
pub(crate) fn kept(text: &str) {
    let made = progress::read(text, &|_| true);
    let written = progress::write(&made);
    let again = progress::read(&written, &|_| true);
    assert_eq!(progress::write(&again), written, "{text:?}");
    if text.len() < 40_000 {
        assert!(progress::is_whole(&written, &again), "{text:?}");
    }
}
