//! What each field of the inputs shows, as a signal of its own: a change wakes the fields in which something changes, and no others.

use leptos::prelude::*;
use memory_wall_core::Scenario;
use memory_wall_plan::{Kind, Value};

use crate::board::{PRICE, Sheet, Slot};
use crate::desk::renew;
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
            // Tokens are trained on; of a step that generates no time is known.
            let timed = |scenario: &Scenario| scenario.mode.trains() && !plan.generates(scenario);
            let has_effect = slot == PRICE || scenario.is_none_or(timed);
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
        let usual = scenario.filter(|_| has_effect).and_then(|scenario| plan.usual(option, scenario));
        Self { has_effect, said, usual, effective, text: inputs::text(sheet, slot), mistake }
    }
}

/// One field.
struct Field {
    slot: Slot,
    shown: RwSignal<Shown>,
    /// Whether it is on the page.
    displayed: RwSignal<bool>,
}

/// All fields.
pub(crate) struct Fields(Vec<Field>);

impl Fields {
    pub(crate) fn new() -> Self {
        let slots = GROUPS.iter().flat_map(|group| group.first.iter().chain(group.more));
        let field = |slot: &Slot| Field { slot, shown: RwSignal::default(), displayed: RwSignal::default() };
        Self(slots.map(field).collect())
    }

    /// What the field of a slot shows, and whether it is on the page.
    pub(crate) fn of(&self, slot: Slot) -> (RwSignal<Shown>, RwSignal<bool>) {
        let field = self.0.iter().find(|field| field.slot == slot);
        field.map(|field| (field.shown, field.displayed)).unwrap_or_default()
    }

    /// Has those that stay on the page show a plan. With another mode half of all fields come or go: these follow a frame later, so that what
    /// the plans come to does not wait for them.
    pub(crate) fn show(&self, sheet: &Sheet, scenario: Option<&Scenario>) {
        for field in self.0.iter().filter(|field| field.displayed.get_untracked()) {
            let shown = Shown::of(field.slot, sheet, scenario);
            if shown.has_effect {
                renew(field.shown, shown);
            }
        }
    }

    /// Has all of them show it, and only those be on the page that have an effect.
    pub(crate) fn settle(&self, sheet: &Sheet, scenario: Option<&Scenario>) {
        for field in &self.0 {
            let shown = Shown::of(field.slot, sheet, scenario);
            renew(field.displayed, shown.has_effect);
            renew(field.shown, shown);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, TOKENS};

    /// What woke up since the last time that it was asked.
    fn woken(fields: &Fields, before: &mut Vec<Shown>) -> Vec<Slot> {
        let now: Vec<Shown> = fields.0.iter().map(|field| field.shown.get_untracked()).collect();
        let changed = fields.0.iter().zip(now.iter().zip(before.iter()));
        let slots = changed.filter(|(_, (now, before))| now != before).map(|(field, _)| field.slot).collect();
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
            let settle = |board: &Board| {
                let sheet = board.chosen_sheet().unwrap();
                fields.settle(sheet, sheet.asked.plan.scenario().as_ref());
            };
            settle(&board);
            let mut before = Vec::new();
            woken(&fields, &mut before);
            board.put("batch", Some(Value::Count(33)));
            show(&board);
            assert_eq!(woken(&fields, &mut before), ["batch"]);
            assert_eq!(fields.of("batch").0.get_untracked().text, "33");
            board.mistake("seq", "many");
            show(&board);
            assert_eq!(woken(&fields, &mut before), ["seq"]);
            assert_eq!(fields.of("seq").0.get_untracked().mistake.as_deref(), Some("many"));
            // Training has other fields.
            let (optimizer, displayed) = fields.of("optimizer");
            assert!(!optimizer.get_untracked().has_effect && !displayed.get_untracked());
            board.put("mode", Some(Value::Word("training")));
            show(&board);
            // The mode changes at once; what comes and goes with it follows.
            assert_eq!(woken(&fields, &mut before), ["mode"]);
            assert!(!displayed.get_untracked());
            settle(&board);
            assert!(woken(&fields, &mut before).contains(&"optimizer"));
            let shown = optimizer.get_untracked();
            assert!(displayed.get_untracked() && shown.has_effect && shown.said.is_none() && shown.effective.is_some());
            // What generates has settings of its own, with what goes without saying in them, and no time that tokens would count for.
            let (generations, tokens) = (fields.of("num_generations").0, fields.of(TOKENS).0);
            assert!(!generations.get_untracked().has_effect && tokens.get_untracked().has_effect);
            board.put("rl", Some(Value::Word("grpo")));
            settle(&board);
            assert_eq!(generations.get_untracked().usual, Some(Value::Count(8)));
            assert!(generations.get_untracked().has_effect && !tokens.get_untracked().has_effect);
        });
    }
}
