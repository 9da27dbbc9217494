//! What views follow: the plans and the answers to them, cut into memos, so that a change wakes only the views that it is about.

use std::sync::Arc;

use leptos::prelude::*;
use memory_wall_core::Scenario;
use memory_wall_core::display::ByteUnit;
use memory_wall_plan::file::MOST;

use crate::board::{Board, Sheet};
use crate::desk::renew;
use crate::outcome::Outcome;
use crate::wall::{self, Wall};

/// Plans with their answers. There are two of these: one that changes with each input, and one for what is below, which follows a frame later.
pub(crate) struct Shown {
    pub(crate) board: RwSignal<Board>,
    /// Powers of 1,000 or of 1,024.
    pub(crate) unit: RwSignal<ByteUnit>,
    /// What the engine says to each plan.
    pub(crate) outcomes: RwSignal<Vec<Arc<Outcome>>>,
    pub(crate) count: Memo<usize>,
    pub(crate) chosen: Memo<usize>,
    pub(crate) names: [Memo<String>; MOST],
    /// The plan whose inputs are shown, with what stands half typed in them.
    pub(crate) sheet: Memo<Option<Sheet>>,
    /// Its scenario, checked or not; nothing where it names no model.
    pub(crate) scenario: Memo<Option<Scenario>>,
    /// The same answers one by one.
    pub(crate) each: [Memo<Option<Arc<Outcome>>>; MOST],
    pub(crate) walls: [Memo<Wall>; MOST],
}

impl Shown {
    /// These plans, still without answers.
    pub(crate) fn new(board: Board, unit: ByteUnit) -> Self {
        let board = RwSignal::new(board);
        let outcomes = RwSignal::new(Vec::<Arc<Outcome>>::new());
        let each = std::array::from_fn(|place| Memo::new(move |_| outcomes.with(|all| all.get(place).cloned())));
        let sheet = Memo::new(move |_| board.with(|board| board.chosen_sheet().cloned()));
        let scenario = Memo::new(move |_| sheet.with(|sheet| sheet.as_ref()?.asked.plan.scenario()));
        let scale = Memo::new(move |_| {
            outcomes.with(|all| wall::scale(all.iter().filter_map(|outcome| outcome.reply.as_ref().ok())))
        });
        let wall = |place: usize| {
            let outcome = each.get(place).copied();
            Memo::new(move |_| {
                let scale = scale.get();
                let of = |it: &Option<Arc<Outcome>>| Some(Wall::of(it.as_ref()?.reply.as_ref().ok()?, scale));
                outcome.and_then(|outcome| outcome.with(of)).unwrap_or_default()
            })
        };
        Self {
            board,
            unit: RwSignal::new(unit),
            outcomes,
            count: Memo::new(move |_| board.with(|board| board.sheets().len())),
            chosen: Memo::new(move |_| board.with(Board::chosen)),
            names: std::array::from_fn(|place| {
                let name = move |board: &Board| board.sheets().get(place).map(|sheet| sheet.asked.plan.name.clone());
                Memo::new(move |_| board.with(name).unwrap_or_default())
            }),
            sheet,
            scenario,
            walls: std::array::from_fn(wall),
            each,
        }
    }

    /// Follows another one.
    pub(crate) fn follow(&self, other: &Self) {
        renew(self.unit, other.unit.get_untracked());
        renew(self.outcomes, other.outcomes.get_untracked());
        renew(self.board, other.board.get_untracked());
    }
}
