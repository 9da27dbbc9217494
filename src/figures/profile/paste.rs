//! What is read from a text that the reader pasted.

use memory_wall_core::display::{ByteUnit, Size};
use memory_wall_core::profile::{Found, Paste, Row};

use super::model::name;
use crate::state::State;
use crate::words;

/// The rows whose ends are measured, in the order of [`State::measured`].
const MEASURED: [Row; 3] = [Row::Allocated, Row::Reserved, Row::Used];

/// Puts what was read into the state; what the text does not hold stays.
pub fn take(state: &mut State, paste: &Paste) {
    state.asked = paste.asked;
    for (slot, found) in state.measured.iter_mut().zip(paste.found) {
        if let Some(bytes) = found.size() {
            // At most a pebibyte.
            *slot = u64::try_from(bytes.0).unwrap_or(0);
        }
    }
}

/// What was found in a text and what was not, in words; nothing of the text itself.
pub fn said(paste: &Paste, unit: ByteUnit) -> String {
    if paste.found == [Found::Absent; 3] && paste.asked.is_none() {
        return words::profile_paste_nothing().into();
    }
    let mut said = String::new();
    for (row, found) in MEASURED.iter().zip(paste.found) {
        let size = Size::new(found.size().unwrap_or_default(), unit).to_string();
        let name = match (row, paste.asked) {
            (Row::Allocated, Some(_)) => words::profile_died_held().into(),
            _ => name(*row, paste.asked.is_some()),
        };
        said.push_str(&match found {
            Found::Size(_) => words::ProfilePasteRead { name: &name, size: &size }.text(),
            Found::Absent => words::ProfilePasteMissing { name: &name }.text(),
            Found::Unreadable => words::ProfilePasteUnread { name: &name }.text(),
        });
        said.push(' ');
    }
    if let Some(request) = paste.asked {
        let size = Size::new(request.bytes, unit).to_string();
        said.push_str(&words::ProfilePasteRead { name: words::profile_died_asked(), size: &size }.text());
        said.push(' ');
    }
    if paste.cut {
        said.push_str(words::profile_paste_cut());
    }
    said
}
