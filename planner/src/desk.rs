//! The state of the page: the plans, what the engine says to them, and how both are changed.

use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use leptos::prelude::*;
use memory_wall_core::Scenario;
use memory_wall_core::display::ByteUnit;
use memory_wall_core::tables::gpus::OWN;
use memory_wall_plan::file::MOST;
use memory_wall_plan::frontier::Point;
use memory_wall_plan::maps::{self, BATCHES, Cell, Elsewhere, LENGTHS};
use memory_wall_plan::reply::Reply;

use crate::board::{Board, History, Sheet, Slot};
use crate::changed;
use crate::fields::{self, Fields};
use crate::link::Asked;
use crate::outcome::{Later, Offer, Outcome};
use crate::prices::Prices;
use crate::sentence;
use crate::shown::Shown;
use crate::wall::Wall;

/// Everything that the page shares; it lives as long as the page.
pub(crate) struct State {
    /// What changes with each input.
    now: Shown,
    /// The same for what is below the plans and inputs: it follows once they are painted.
    later: Shown,
    /// What each field of the inputs shows.
    fields: Fields,
    history: RwSignal<History>,
    /// Whether something that is shown is still computed: what is below, or what takes longer.
    pub(crate) busy: RwSignal<bool>,
    /// The changes that are offered for each plan. They take longer, and come when changes rest.
    offers: [RwSignal<Vec<Offer>>; MOST],
    /// Figures that take longer, by their places; with the changes.
    slow: [RwSignal<Vec<(usize, String)>>; MOST],
    /// The plans with more and more sequences; with the changes.
    frontiers: [RwSignal<Vec<Point>>; MOST],
    /// How many sequences of which length fit, for the plan that is shown; with the changes.
    map: RwSignal<[[Cell; LENGTHS.len()]; BATCHES.len()]>,
    /// The plan that is shown on the GPUs that hold it, once somebody has asked for them, in the order of the table.
    pub(crate) found: RwSignal<Vec<Elsewhere>>,
    /// What GPUs cost.
    pub(crate) prices: RwSignal<Prices>,
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

/// The state as a view sees it: at once, or a frame later.
#[derive(Clone, Copy)]
pub(crate) struct Desk {
    state: &'static State,
    shown: &'static Shown,
}

impl Deref for Desk {
    type Target = State;

    fn deref(&self) -> &State {
        self.state
    }
}

impl Desk {
    /// The page as it begins, without answers and with empty fields: [`Desk::step`] has them.
    pub(crate) fn new() -> Self {
        let (board, unit) = (Board::default(), ByteUnit::Gb);
        let state: &'static State = Box::leak(Box::new(State {
            now: Shown::new(board.clone(), unit),
            later: Shown::new(board, unit),
            fields: Fields::new(),
            history: RwSignal::default(),
            busy: RwSignal::default(),
            offers: std::array::from_fn(|_| RwSignal::default()),
            slow: std::array::from_fn(|_| RwSignal::default()),
            frontiers: std::array::from_fn(|_| RwSignal::default()),
            map: RwSignal::default(),
            found: RwSignal::default(),
            prices: RwSignal::default(),
            culprits: RwSignal::default(),
            before: RwSignal::default(),
            changed: RwSignal::default(),
            notices: RwSignal::default(),
            spoken: RwSignal::default(),
            edited: RwSignal::new(false),
        }));
        Self { state, shown: &state.now }
    }

    /// The same for views that follow a frame later.
    pub(crate) const fn later(self) -> Self {
        Self { shown: &self.state.later, ..self }
    }

    /// Something of the plans, tracked.
    pub(crate) fn with<T>(&self, of: impl FnOnce(&Board) -> T) -> T {
        self.shown.board.with(of)
    }

    /// The same without following it, as it is now.
    pub(crate) fn now<T>(&self, of: impl FnOnce(&Board) -> T) -> T {
        self.now.board.with_untracked(of)
    }

    /// Whether there is a plan at a place, tracked.
    pub(crate) fn exists(&self, place: usize) -> bool {
        self.count() > place
    }

    /// How many plans there are; whoever reads it follows its changes.
    pub(crate) fn count(&self) -> usize {
        self.shown.count.get()
    }

    /// The index of the plan whose inputs are shown; whoever reads it follows its changes.
    pub(crate) fn chosen(&self) -> usize {
        self.shown.chosen.get()
    }

    /// The name of the plan at an index; whoever reads it follows its changes.
    pub(crate) fn name(&self, place: usize) -> String {
        self.shown.names.get(place).map(Memo::get).unwrap_or_default()
    }

    /// Something of the plan whose inputs are shown, tracked.
    pub(crate) fn sheet<T>(&self, of: impl FnOnce(&Sheet) -> T) -> Option<T> {
        self.shown.sheet.with(|sheet| sheet.as_ref().map(of))
    }

    /// Something of its scenario, checked or not, tracked; nothing where it names no model.
    pub(crate) fn scenario<T>(&self, of: impl FnOnce(&Scenario) -> T) -> Option<T> {
        self.shown.scenario.with(|scenario| scenario.as_ref().map(of))
    }

    /// What the field of a slot shows.
    pub(crate) fn field(&self, slot: Slot) -> RwSignal<fields::Shown> {
        self.fields.of(slot).0
    }

    /// Whether the field of a slot is on the page.
    pub(crate) fn displayed(&self, slot: Slot) -> RwSignal<bool> {
        self.fields.of(slot).1
    }

    /// Powers of 1,000 or of 1,024, tracked.
    pub(crate) fn unit(&self) -> ByteUnit {
        self.shown.unit.get()
    }

    /// Something of what the engine says to the plan at a place, tracked.
    pub(crate) fn outcome<T>(&self, place: usize, of: impl FnOnce(&Outcome) -> T) -> Option<T> {
        self.shown.each.get(place)?.with(|outcome| outcome.as_deref().map(of))
    }

    /// Something of all of them, tracked.
    pub(crate) fn all_outcomes<T>(&self, of: impl FnOnce(&[Arc<Outcome>]) -> T) -> T {
        self.shown.outcomes.with(|all| of(all))
    }

    /// Something of the wall at a place, tracked.
    pub(crate) fn wall<T>(&self, place: usize, of: impl FnOnce(&Wall) -> T) -> Option<T> {
        Some(self.shown.walls.get(place)?.with(of))
    }

    /// Something of a change that is offered, tracked.
    pub(crate) fn offered<T>(&self, place: usize, nth: usize, of: impl FnOnce(&Offer) -> T) -> Option<T> {
        self.offers.get(place)?.with(|offers| offers.get(nth).map(of))
    }

    /// Something of the plan at a place with more and more sequences, tracked.
    pub(crate) fn frontier<T>(&self, place: usize, of: impl FnOnce(&[Point]) -> T) -> Option<T> {
        Some(self.frontiers.get(place)?.with(|points| of(points)))
    }

    /// A figure of the plan at a place, by its own, tracked; empty where it has no meaning.
    pub(crate) fn figure(&self, place: usize, at: usize) -> String {
        let text = self.outcome(place, |it| it.figures().get(at).cloned()).flatten().unwrap_or_default();
        if !text.is_empty() {
            return text;
        }
        let slow = |all: &Vec<(usize, String)>| all.iter().find(|(own, _)| *own == at).map(|(_, text)| text.clone());
        self.slow.get(place).and_then(|all| all.with(slow)).unwrap_or_default()
    }

    /// Changes the plans: one field, or something else, which is a step of its own.
    pub(crate) fn edit(&self, what: Option<Slot>, change: impl FnOnce(&mut Board)) {
        let before = self.now.board.get_untracked();
        let mut after = before.clone();
        change(&mut after);
        if after == before {
            return;
        }
        self.history.update(|history| history.remember(&before, what));
        self.before.set(self.history.with_untracked(|history| history.before().cloned()));
        self.edited.set(true);
        self.put(after);
    }

    /// Keeps what the reader says of the price of the GPU of the plan that is shown. GPUs of their own are of no kind.
    pub(crate) fn keep_price(&self, price: Option<u64>) {
        if let (Some(id), _) = self.now(|board| board.paid(board.chosen()))
            && id != OWN.id
        {
            self.prices.update(|prices| prices.put(id, price));
        }
    }

    /// Changes the plan at a place. On another kind of GPU it costs what the reader said of that kind; what it paid before is kept for the one before.
    /// The first GPU of a plan, and one of the reader's own, cost what was said before.
    pub(crate) fn change(&self, place: usize, what: Option<Slot>, change: impl FnOnce(&mut Board)) {
        self.edit(what, |board| {
            let (was, price) = board.paid(place);
            change(board);
            let (is, _) = board.paid(place);
            if was == is {
                return;
            }
            if let (Some(id), Some(_)) = (was.filter(|id| *id != OWN.id), price) {
                self.prices.update(|prices| prices.put(id, price));
            }
            let known = is.and_then(|id| self.prices.with_untracked(|prices| prices.of(id)));
            let stays = was.is_none() || is == Some(OWN.id);
            board.pay(place, known.or(price.filter(|_| stays)));
        });
    }

    /// Shows the inputs of another plan, which is no step to take back.
    pub(crate) fn choose(&self, place: usize) {
        let mut board = self.now.board.get_untracked();
        board.choose(place);
        self.put(board);
    }

    /// Takes the last step back, or takes it again.
    pub(crate) fn travel(&self, back: bool) {
        let now = self.now.board.get_untracked();
        let there =
            self.history.try_update(|history| if back { history.back(&now) } else { history.forth(&now) }).flatten();
        if let Some(board) = there {
            self.before.set(Some(now));
            self.edited.set(true);
            self.put(board);
        }
    }

    /// Whether there is something to take back, and something to have again.
    pub(crate) fn ways(&self) -> [bool; 2] {
        self.history.with(History::ways)
    }

    /// Begins with these plans, from a link or from the last visit; nothing of them can be taken back.
    #[cfg(any(target_arch = "wasm32", test))]
    pub(crate) fn begin(&self, board: Board) {
        self.put(board);
    }

    /// Says sizes in another unit.
    pub(crate) fn measure(&self, unit: ByteUnit) {
        renew(self.now.unit, unit);
        self.put(self.now.board.get_untracked());
    }

    /// Shows these plans, and asks what they come to.
    fn put(&self, board: Board) {
        let unit = self.now.unit.get_untracked();
        let of = |known: &Vec<_>| Outcome::all(board.sheets().iter().map(|sheet| &sheet.asked), unit, known);
        let outcomes = self.now.outcomes.with_untracked(of);
        renew(self.busy, true);
        renew(self.now.outcomes, outcomes);
        renew(self.now.board, board);
        self.fields(Fields::show);
    }

    /// Has the inputs show the plan that was chosen: at once what stays on the page, or all of it.
    fn fields(&self, show: fn(&Fields, &Sheet, Option<&Scenario>)) {
        self.now(|board| {
            let Some(sheet) = board.chosen_sheet() else { return };
            show(&self.fields, sheet, sheet.asked.plan.scenario().as_ref());
        });
    }

    /// Has what is below follow, the fields that come and go, and what takes longer where it is known.
    pub(crate) fn settle(&self) {
        self.fields(Fields::settle);
        self.later.follow(&self.now);
        for place in places() {
            self.find(place, &self.offers, |later| &later.offers, None);
            self.find(place, &self.slow, |later| &later.slow, None);
            self.find(place, &self.frontiers, |later| &later.frontier, None);
        }
    }

    /// Asks for all answers, and for everything that takes longer.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn finish(&self) {
        for nth in 0..Self::STEPS {
            self.step(nth);
        }
    }

    /// Into how many steps all answers, and everything that takes longer, are cut.
    pub(crate) const STEPS: usize = 3 + 9 * MOST;

    /// One of these steps, and whether it had something to compute: the answer to each plan, where the page has just begun, and what follows it, what
    /// the last step did and what contradicts the rest, the changes that help each plan, in six steps, the figures that are searched for, each plan with
    /// more and more sequences, and the map of the one that is shown.
    pub(crate) fn step(&self, nth: usize) -> bool {
        let Some(nth) = nth.checked_sub(MOST) else { return self.answer(nth) };
        let Some(nth) = nth.checked_sub(2) else {
            if nth > 0 {
                return self.say_changes();
            }
            self.settle();
            return false;
        };
        let place = nth % MOST;
        match nth / MOST {
            0 => self.prepare(place, |later| &later.fixes, Outcome::fixes),
            1 => self.prepare(place, |later| &later.exact_quickest, Outcome::exact_quickest),
            2 => self.prepare(place, |later| &later.exact, Outcome::exact),
            3 => self.prepare(place, |later| &later.any_quickest, Outcome::any_quickest),
            4 => self.prepare(place, |later| &later.any, Outcome::any),
            5 => self.find(place, &self.offers, |later| &later.offers, Some(Outcome::offers)),
            6 => self.find(place, &self.slow, |later| &later.slow, Some(Outcome::slow)),
            7 => self.find(place, &self.frontiers, |later| &later.frontier, Some(Outcome::frontier)),
            _ => self.find_map(),
        }
    }

    /// Asks what the plan at a place comes to, where that is the next one without an answer.
    fn answer(&self, place: usize) -> bool {
        let is_next = self.now.outcomes.with_untracked(|all| all.len() == place);
        let asked = self.now(|board| board.sheets().get(place).map(|sheet| sheet.asked.clone()));
        let Some(asked) = asked.filter(|_| is_next) else { return false };
        let outcome = Arc::new(Outcome::of(&asked, self.now.unit.get_untracked()));
        self.now.outcomes.update(|all| all.push(outcome));
        true
    }

    /// Computes something of the plan at a place that others are made of; whether it did.
    fn prepare<T>(&self, place: usize, kept: fn(&Later) -> &OnceLock<T>, of: fn(&Outcome) -> T) -> bool {
        let outcome = self.now.outcomes.with_untracked(|all| all.get(place).cloned());
        let is_new = outcome.as_ref().is_some_and(|outcome| kept(&outcome.later).get().is_none());
        if let Some(outcome) = outcome {
            kept(&outcome.later).get_or_init(|| of(&outcome));
        }
        is_new
    }

    fn say_changes(&self) -> bool {
        let unit = self.now.unit.get_untracked();
        let culprits = self.now(|board| board.chosen_sheet().map(|sheet| Reply::culprits(&sheet.asked.plan)));
        renew(self.culprits, culprits.unwrap_or_default());
        let said = |before: &Option<Board>| before.as_ref().map(|it| self.now(|now| changed::sentence(it, now, unit)));
        renew(self.changed, self.before.with_untracked(said).unwrap_or_default());
        true
    }

    /// Shows something of the plan at a place, and computes it where that is said how; whether it did.
    fn find<T: Clone + Default + PartialEq + Send + Sync + 'static>(
        &self,
        place: usize,
        signals: &[RwSignal<T>; MOST],
        kept: fn(&Later) -> &OnceLock<T>,
        of: Option<fn(&Outcome) -> T>,
    ) -> bool {
        let Some(signal) = signals.get(place) else { return false };
        let outcome = self.now.outcomes.with_untracked(|all| all.get(place).cloned());
        let Some(outcome) = outcome else {
            renew(*signal, T::default());
            return false;
        };
        let kept = kept(&outcome.later);
        let is_new = kept.get().is_none();
        let found = match of {
            Some(of) => Some(kept.get_or_init(|| of(&outcome))),
            None => kept.get(),
        };
        if let Some(found) = found {
            renew(*signal, found.clone());
        }
        is_new
    }

    fn find_map(&self) -> bool {
        let map = self.reply().as_ref().map(maps::requests);
        self.map.set(map.unwrap_or_default());
        renew(self.busy, false);
        true
    }

    /// What is said to the plan that is shown.
    fn reply(&self) -> Option<Reply> {
        let chosen = self.now(Board::chosen);
        self.now.outcomes.with_untracked(|all| all.get(chosen).and_then(|outcome| outcome.reply.clone().ok()))
    }

    /// What is said to the plan that is shown, once changes rest, tracked.
    pub(crate) fn rested(&self) -> Option<Reply> {
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
        self.outcome(self.chosen(), |outcome| (outcome.said.id == sentence::REFUSED).then(|| outcome.said.why.clone()))
            .flatten()
    }

    /// Makes a change that is offered. One that was offered for what the plan was is looked for anew.
    pub(crate) fn accept(&self, place: usize, nth: usize) {
        let Some(offers) = self.offers.get(place) else { return };
        let Some(mut offer) = offers.with_untracked(|offers| offers.get(nth).cloned()) else { return };
        if self.now(|board| board.sheets().get(place).is_some_and(|sheet| sheet.asked.plan != offer.from)) {
            self.find(place, &self.offers, |later| &later.offers, Some(Outcome::offers));
            let again = offers.with_untracked(|offers| offers.iter().find(|again| again.name == offer.name).cloned());
            let Some(again) = again else { return };
            offer = again;
        }
        self.change(place, None, |board| board.replace(place, offer.plan));
    }

    /// Tracks everything that a link says.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.with(Board::asked)
    }
}

/// The places that plans can have.
pub(crate) const fn places() -> Range<usize> {
    0..MOST
}

/// Sets a signal where that changes something.
pub(crate) fn renew<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.with_untracked(|now| *now != value) {
        signal.set(value);
    }
}
