//! The state of the page as signals: the plans, what the engine says to them, and how both are changed.

use std::sync::Arc;

use leptos::prelude::*;
use memory_wall_core::display::ByteUnit;
use memory_wall_core::{Bucket, Bytes, Scenario};
use memory_wall_plan::changes::{Change, TOLD};
use memory_wall_plan::file::MOST;
use memory_wall_plan::frontier::{Point, frontier};
use memory_wall_plan::maps::{self, BATCHES, Cell, LENGTHS};
use memory_wall_plan::reply::{Reply, Unanswered};
use memory_wall_plan::runtime::{Step, steps};
use memory_wall_plan::{Plan, PlanOption};

use crate::board::{Board, History, Slot};
use crate::changed;
use crate::figures;
use crate::link::Asked;
use crate::sentence::{self, Said};
use crate::wall::{self, Wall};
use crate::words;

/// What a plan comes to.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    asked: Asked,
    unit: ByteUnit,
    pub(crate) reply: Result<Reply, Unanswered>,
    /// Every figure in words, but those that take longer.
    pub(crate) figures: Vec<String>,
    /// Whether it fits, in words.
    pub(crate) said: Said,
}

impl PartialEq for Outcome {
    /// The same question has the same answer.
    fn eq(&self, other: &Self) -> bool {
        self.unit == other.unit && self.asked == other.asked
    }
}

impl Outcome {
    fn of(asked: &Asked, unit: ByteUnit) -> Self {
        let reply = Reply::of(&asked.plan, asked.spending);
        let figures = figures::texts(reply.as_ref().ok(), unit);
        let said = sentence::verdict(&reply, unit);
        Self { asked: asked.clone(), unit, reply, figures, said }
    }

    /// What the plan is called.
    pub(crate) fn name(&self) -> &str {
        &self.asked.plan.name
    }

    /// What a part of the wall takes; nothing where there is no answer.
    pub(crate) fn bytes(&self, bucket: Option<Bucket>) -> Option<Bytes> {
        let reply = self.reply.as_ref().ok()?;
        Some(bucket.map_or_else(|| reply.total(), |bucket| reply.bytes(bucket)))
    }
}

/// A change that is offered, with its words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Offer {
    pub(crate) name: String,
    pub(crate) options: String,
    pub(crate) effect: String,
    pub(crate) plan: Plan,
    /// The plan that it changes.
    from: Plan,
}

/// Everything that the page shares.
#[derive(Clone, Copy)]
pub(crate) struct Desk {
    board: RwSignal<Board>,
    history: RwSignal<History>,
    /// Powers of 1,000 or of 1,024.
    pub(crate) unit: RwSignal<ByteUnit>,
    /// What the engine says to each plan; only what has changed is asked anew.
    outcomes: Memo<Vec<Arc<Outcome>>>,
    walls: Memo<Vec<Wall>>,
    /// The changes that are offered for each plan. They take longer, and come when changes rest.
    offers: RwSignal<Vec<Vec<Offer>>>,
    /// Figures that take longer, by their places; with the changes.
    slow: RwSignal<Vec<Vec<(usize, String)>>>,
    /// How many sequences of which length fit, for the plan that is shown; with the changes.
    map: RwSignal<[[Cell; LENGTHS.len()]; BATCHES.len()]>,
    /// The plans with more and more sequences; with the changes.
    pub(crate) frontiers: RwSignal<Vec<Vec<Point>>>,
    /// The options that contradict the others of the plan that is shown; with the changes.
    culprits: RwSignal<Vec<Slot>>,
    /// The plans before the last step, and what that step did, in a sentence.
    before: RwSignal<Option<Board>>,
    pub(crate) changed: RwSignal<String>,
    /// What of a link could not be used, and what else has to be said.
    pub(crate) notices: RwSignal<Vec<String>>,
    /// What was done last, for those who do not see it.
    pub(crate) spoken: RwSignal<String>,
    /// Whether the reader has changed anything: until then neither link nor storage is written.
    pub(crate) edited: RwSignal<bool>,
}

impl Desk {
    /// The page as it begins.
    pub(crate) fn new() -> Self {
        let board = RwSignal::new(Board::default());
        let unit = RwSignal::new(ByteUnit::Gb);
        let outcomes = Memo::new(move |before: Option<&Vec<Arc<Outcome>>>| {
            let unit = unit.get();
            board.with(|board| {
                let known = |asked: &Asked| {
                    let mut known = before.into_iter().flatten();
                    known.find(|outcome| outcome.unit == unit && outcome.asked == *asked).cloned()
                };
                let of = |asked: &Asked| known(asked).unwrap_or_else(|| Arc::new(Outcome::of(asked, unit)));
                board.sheets().iter().map(|sheet| of(&sheet.asked)).collect()
            })
        });
        let walls = Memo::new(move |_| {
            outcomes.with(|all| {
                let replies = || all.iter().filter_map(|outcome| outcome.reply.as_ref().ok());
                let scale = wall::scale(replies());
                let of = |outcome: &Arc<Outcome>| {
                    outcome.reply.as_ref().map(|reply| Wall::of(reply, scale)).unwrap_or_default()
                };
                all.iter().map(of).collect::<Vec<_>>()
            })
        });
        let desk = Self {
            board,
            history: RwSignal::default(),
            unit,
            outcomes,
            walls,
            offers: RwSignal::default(),
            slow: RwSignal::default(),
            map: RwSignal::default(),
            frontiers: RwSignal::default(),
            culprits: RwSignal::default(),
            before: RwSignal::default(),
            changed: RwSignal::default(),
            notices: RwSignal::default(),
            spoken: RwSignal::default(),
            edited: RwSignal::new(false),
        };
        desk.offer();
        desk
    }

    /// Something of the plans, tracked.
    pub(crate) fn with<T>(&self, of: impl FnOnce(&Board) -> T) -> T {
        self.board.with(of)
    }

    /// The same without following it.
    pub(crate) fn now<T>(&self, of: impl FnOnce(&Board) -> T) -> T {
        self.board.with_untracked(of)
    }

    /// Something of what the engine says to the plan at a place, tracked.
    pub(crate) fn outcome<T>(&self, place: usize, of: impl FnOnce(&Outcome) -> T) -> Option<T> {
        self.outcomes.with(|all| all.get(place).map(|outcome| of(outcome)))
    }

    /// Something of all of them, tracked.
    pub(crate) fn all_outcomes<T>(&self, of: impl FnOnce(&[Arc<Outcome>]) -> T) -> T {
        self.outcomes.with(|all| of(all))
    }

    /// Something of the wall at a place, tracked.
    pub(crate) fn wall<T>(&self, place: usize, of: impl FnOnce(&Wall) -> T) -> Option<T> {
        self.walls.with(|all| all.get(place).map(of))
    }

    /// Something of a change that is offered, tracked.
    pub(crate) fn offered<T>(&self, place: usize, nth: usize, of: impl FnOnce(&Offer) -> T) -> Option<T> {
        self.offers.with(|all| all.get(place).and_then(|offers| offers.get(nth)).map(of))
    }

    /// A figure of the plan at a place, by its own, tracked; empty where it has no meaning.
    pub(crate) fn figure(&self, place: usize, at: usize) -> String {
        let text = self.outcome(place, |it| it.figures.get(at).cloned()).flatten().unwrap_or_default();
        if !text.is_empty() {
            return text;
        }
        let slow = |all: &Vec<Vec<(usize, String)>>| all.get(place)?.iter().find(|(own, _)| *own == at).cloned();
        self.slow.with(slow).map(|(_, text)| text).unwrap_or_default()
    }

    /// Whether an option changes something in the plan that is shown, tracked; where the plan names no model, it may.
    pub(crate) fn has_effect(&self, option: &PlanOption) -> bool {
        self.with(|board| {
            let plan = board.chosen_sheet().map(|sheet| &sheet.asked.plan);
            plan.is_none_or(|plan| plan.scenario().is_none_or(|scenario| plan.has_effect(option, &scenario)))
        })
    }

    /// The scenario of the plan that is shown, checked or not; nothing where it names no model.
    pub(crate) fn scenario(&self) -> Option<Scenario> {
        self.with(|board| board.chosen_sheet().and_then(|sheet| sheet.asked.plan.scenario()))
    }

    /// Changes the plans: one field, or something else, which is a step of its own.
    pub(crate) fn edit(&self, what: Option<Slot>, change: impl FnOnce(&mut Board)) {
        let before = self.board.get_untracked();
        let mut after = before.clone();
        change(&mut after);
        if after == before {
            return;
        }
        self.history.update(|history| history.remember(&before, what));
        self.before.set(self.history.with_untracked(|history| history.before().cloned()));
        self.edited.set(true);
        self.board.set(after);
    }

    /// Shows the inputs of another plan, which is no step to take back.
    pub(crate) fn choose(&self, place: usize) {
        self.board.update(|board| board.choose(place));
    }

    /// Takes the last step back, or takes it again.
    pub(crate) fn travel(&self, back: bool) {
        let now = self.board.get_untracked();
        let there =
            self.history.try_update(|history| if back { history.back(&now) } else { history.forth(&now) }).flatten();
        if let Some(board) = there {
            self.before.set(Some(now));
            self.edited.set(true);
            self.board.set(board);
        }
    }

    /// Whether there is something to take back, and something to have again.
    pub(crate) fn ways(&self) -> [bool; 2] {
        self.history.with(History::ways)
    }

    /// Begins with these plans, from a link or from the last visit; nothing of them can be taken back.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn begin(&self, board: Board) {
        self.board.set(board);
    }

    /// Asks for everything that takes longer.
    pub(crate) fn offer(&self) {
        for step in Self::STEPS {
            step(self);
        }
    }

    /// What takes longer, in tasks: what the last step did and what contradicts the rest, the changes that help each plan, the figures that are
    /// searched for, the plans with more and more sequences, and the map of the one that is shown.
    pub(crate) const STEPS: [fn(&Self); 5] =
        [Self::say_changes, Self::find_offers, Self::find_figures, Self::find_frontiers, Self::find_map];

    fn say_changes(&self) {
        let unit = self.unit.get_untracked();
        let culprits = self.now(|board| board.chosen_sheet().map(|sheet| Reply::culprits(&sheet.asked.plan)));
        renew(self.culprits, culprits.unwrap_or_default());
        let said = |before: &Option<Board>| before.as_ref().map(|it| self.now(|now| changed::sentence(it, now, unit)));
        renew(self.changed, self.before.with_untracked(said).unwrap_or_default());
    }

    fn find_offers(&self) {
        let unit = self.unit.get_untracked();
        renew(self.offers, self.outcomes.with_untracked(|all| all.iter().map(|it| offers(it, unit)).collect()));
    }

    fn find_figures(&self) {
        renew(self.slow, self.of_replies(figures::slow));
    }

    fn find_frontiers(&self) {
        renew(self.frontiers, self.of_replies(frontier));
    }

    fn find_map(&self) {
        let map = self.reply().as_ref().map(maps::requests);
        self.map.set(map.unwrap_or_default());
    }

    /// Something of each reply; nothing where there is none.
    fn of_replies<T: Default>(&self, of: fn(&Reply) -> T) -> Vec<T> {
        let of = |outcome: &Arc<Outcome>| outcome.reply.as_ref().map(of).unwrap_or_default();
        self.outcomes.with_untracked(|all| all.iter().map(of).collect())
    }

    /// What is said to the plan that is shown.
    fn reply(&self) -> Option<Reply> {
        let chosen = self.now(Board::chosen);
        self.outcomes.with_untracked(|all| all.get(chosen).and_then(|outcome| outcome.reply.clone().ok()))
    }

    /// What is said to the plan that is shown, once changes rest, tracked.
    pub(crate) fn shown(&self) -> Option<Reply> {
        self.map.track();
        self.reply()
    }

    /// Whether so many sequences of such a length fit, by their places in the map, tracked.
    pub(crate) fn map(&self, row: usize, column: usize) -> Cell {
        self.map.with(|map| map.get(row).and_then(|row| row.get(column)).copied().flatten())
    }

    /// What contradicts the rest of the plan that is shown, where it is this option, tracked.
    pub(crate) fn contradiction(&self, slot: Slot) -> Option<String> {
        if !self.culprits.with(|culprits| culprits.contains(&slot)) {
            return None;
        }
        let place = self.with(Board::chosen);
        self.outcome(place, |outcome| (outcome.said.id == sentence::REFUSED).then(|| outcome.said.why.clone()))
            .flatten()
    }

    /// Makes a change that is offered. One that was offered for what the plan was is looked for anew.
    pub(crate) fn accept(&self, place: usize, nth: usize) {
        let offered = || self.offers.with_untracked(|all| all.get(place).cloned()).unwrap_or_default();
        let Some(mut offer) = offered().get(nth).cloned() else { return };
        if self.now(|board| board.sheets().get(place).is_some_and(|sheet| sheet.asked.plan != offer.from)) {
            self.offer();
            let Some(again) = offered().into_iter().find(|again| again.name == offer.name) else { return };
            offer = again;
        }
        self.edit(None, |board| board.replace(place, offer.plan));
    }

    /// Tracks everything that a link says.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.with(Board::asked)
    }
}

/// The places that plans can have.
pub(crate) fn places() -> std::ops::Range<usize> {
    0..MOST
}

/// Sets a signal where that changes something.
fn renew<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.with_untracked(|now| *now != value) {
        signal.set(value);
    }
}

/// The changes that help a plan: those of its runtime come before those of the engine.
fn offers(outcome: &Outcome, unit: ByteUnit) -> Vec<Offer> {
    let Ok(reply) = &outcome.reply else { return Vec::new() };
    let plan = &outcome.asked.plan;
    let step = |step: Step| Offer {
        name: words::CHANGE.of(step.remedy.id()).into(),
        options: sentence::told(plan, &step.plan),
        effect: sentence::step(&step),
        plan: step.plan,
        from: plan.clone(),
    };
    let mut offers: Vec<Offer> = steps(plan, reply, outcome.asked.spending).into_iter().map(step).collect();
    if let Some(answers) = reply.answers() {
        let offer = |change: Change| Offer {
            name: sentence::change(&change),
            options: sentence::options(&change, &answers.scenario),
            effect: sentence::effect(&change, unit),
            plan: change.plan,
            from: plan.clone(),
        };
        offers.extend(Change::of(plan, &answers.scenario).into_iter().map(offer));
    }
    offers.truncate(TOLD);
    offers
}
