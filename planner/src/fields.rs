//! What each field of the inputs shows, as a signal of its own: a change wakes the fields in which something changes, and no others.

use leptos::prelude::*;
use memory_wall_core::Scenario;
use memory_wall_plan::{Kind, Value};

use crate::board::{PRICE, Sheet, Slot};
use crate::groups::{self, GROUPS};
use crate::inputs;

/// What a field shows of the plan whose inputs are shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shown {
    /// Whether it changes something in the plan. Where the plan names no model, it may.
    pub(crate) has_effect: bool,
    /// What the plan says.
    pub(crate) said: Option<Value>,
    /// What goes without saying.
    pub(crate) usual: Option<Value>,
    /// What it comes to, whether it is said or goes without saying.
    pub(crate) effective: Option<Value>,
    /// What stands in a field to type in.
    pub(crate) text: String,
    /// What was typed and cannot be used.
    pub(crate) mistake: Option<String>,
}

impl Shown {
    /// What a field shows of a plan with its scenario, checked or not, if it has one.
    fn of(slot: Slot, sheet: &Sheet, scenario: Option<&Scenario>) -> Self {
        let plan = &sheet.asked.plan;
        let mistake = sheet.mistake(slot).map(str::to_owned);
        let Some(option) = groups::option(slot) else {
            // Tokens are trained on.
            let has_effect = slot == PRICE || scenario.is_none_or(|scenario| scenario.mode.trains());
            return Self { has_effect, text: inputs::text(sheet, slot), mistake, ..Self::default() };
        };
        let has_effect = slot == "model" || scenario.is_none_or(|scenario| plan.has_effect(option, scenario));
        if matches!(option.kind, Kind::Config) {
            // Its field follows the plan by itself.
            return Self { has_effect, ..Self::default() };
        }
        let said = plan.get(slot).cloned();
        let effective = said.clone().or_else(|| scenario.and_then(|scenario| plan.value(option, scenario)));
        // Where it is hidden, nobody sees it.
        let usual = scenario.filter(|_| has_effect).and_then(|scenario| option.of(scenario));
        Self { has_effect, said, usual, effective, text: inputs::text(sheet, slot), mistake }
    }
}

/// All fields.
pub(crate) struct Fields(Vec<(Slot, RwSignal<Shown>)>);

impl Fields {
    pub(crate) fn new() -> Self {
        let slots = GROUPS.iter().flat_map(|group| group.first.iter().chain(group.more));
        Self(slots.map(|slot| (*slot, RwSignal::default())).collect())
    }

    /// The field of a slot.
    pub(crate) fn of(&self, slot: Slot) -> RwSignal<Shown> {
        self.0.iter().find(|(own, _)| *own == slot).map(|(_, signal)| *signal).unwrap_or_default()
    }

    /// Has all of them show a plan.
    pub(crate) fn show(&self, sheet: &Sheet, scenario: Option<&Scenario>) {
        for (slot, signal) in &self.0 {
            crate::desk::renew(*signal, Shown::of(slot, sheet, scenario));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    /// What woke up since the last time that it was asked.
    fn woken(fields: &Fields, before: &mut Vec<Shown>) -> Vec<Slot> {
        let now: Vec<Shown> = fields.0.iter().map(|(_, signal)| signal.get_untracked()).collect();
        let changed = fields.0.iter().zip(now.iter().zip(before.iter()));
        let slots = changed.filter(|(_, (now, before))| now != before).map(|((slot, _), _)| *slot).collect();
        *before = now;
        slots
    }

    #[test]
    fn a_change_wakes_the_fields_in_which_something_changes() {
        Owner::new().with(|| {
            let fields = Fields::new();
            let mut board = Board::default();
            let show = |board: &Board| {
                let sheet = board.chosen_sheet().unwrap();
                fields.show(sheet, sheet.asked.plan.scenario().as_ref());
            };
            show(&board);
            let mut before = Vec::new();
            woken(&fields, &mut before);
            board.put("batch", Some(Value::Count(33)));
            show(&board);
            assert_eq!(woken(&fields, &mut before), ["batch"]);
            assert_eq!(fields.of("batch").get_untracked().text, "33");
            board.mistake("seq", "many");
            show(&board);
            assert_eq!(woken(&fields, &mut before), ["seq"]);
            assert_eq!(fields.of("seq").get_untracked().mistake.as_deref(), Some("many"));
            // Training has other fields.
            assert!(!fields.of("optimizer").get_untracked().has_effect);
            board.put("mode", Some(Value::Word("training")));
            show(&board);
            assert!(woken(&fields, &mut before).contains(&"optimizer"));
            let optimizer = fields.of("optimizer").get_untracked();
            assert!(optimizer.has_effect && optimizer.said.is_none() && optimizer.effective.is_some());
        });
    }
}
