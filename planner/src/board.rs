//! Up to four plans side by side, with what stands half typed in their fields, and the way back.

use memory_wall_core::tables::gpus::OWN;
use memory_wall_plan::answers::Spending;
use memory_wall_plan::changes::told_apart;
use memory_wall_plan::file::MOST;
use memory_wall_plan::{Plan, Value};

use crate::link::{self, Asked};

/// What a field sets: an option by its name, or one of these.
pub(crate) type Slot = &'static str;
/// What a GPU costs an hour.
pub(crate) const PRICE: Slot = "price";
/// Tokens to train on.
pub(crate) const TOKENS: Slot = "tokens";

/// The plans that the page begins with: a question, and what quantising does to it.
const START: &str = "v=1\
    &plan=bf16&model=llama-3.3-70b&mode=inference&batch=32&seq=8192&weights=bf16&kv=bf16&engine=vllm&gpu=h100-sxm&tp=2&price=2\
    &plan=fp8&model=llama-3.3-70b&mode=inference&batch=32&seq=8192&weights=fp8&kv=bf16&engine=vllm&gpu=h100-sxm&tp=2&price=2\
    &plan=int4&model=llama-3.3-70b&mode=inference&batch=32&seq=8192&weights=int4&kv=bf16&engine=vllm&gpu=h100-sxm&tp=2&price=2";

/// The most steps back.
const STEPS: usize = 200;

/// One plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sheet {
    /// What is asked.
    pub(crate) asked: Asked,
    /// What stands in a field and is no value of it.
    pub(crate) mistakes: Vec<(Slot, String)>,
    /// The weights' format that stood there before a model brought its own.
    said: Option<Value>,
}

impl Sheet {
    /// What stands in a field and cannot be used.
    pub(crate) fn mistake(&self, slot: Slot) -> Option<&str> {
        self.mistakes.iter().find(|(at, _)| *at == slot).map(|(_, text)| text.as_str())
    }

    /// Says what stands in a field, or that it is right.
    fn mistaken(&mut self, slot: Slot, text: Option<&str>) {
        self.mistakes.retain(|(at, _)| *at != slot);
        self.mistakes.extend(text.map(|text| (slot, text.to_owned())));
    }

    fn plan(&mut self) -> &mut Plan {
        &mut self.asked.plan
    }
}

/// All plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Board {
    /// From left to right; at least one.
    sheets: Vec<Sheet>,
    /// The one whose inputs are shown, by its place.
    chosen: usize,
}

impl Default for Board {
    fn default() -> Self {
        Self::of(link::read(START).0).unwrap_or_else(|| Self { sheets: vec![Sheet::default()], chosen: 0 })
    }
}

impl Board {
    /// These plans; nothing of none.
    pub(crate) fn of(plans: Vec<Asked>) -> Option<Self> {
        let sheets: Vec<Sheet> =
            plans.into_iter().take(MOST).map(|asked| Sheet { asked, ..Sheet::default() }).collect();
        // The last one is the one that the others lead to.
        let chosen = sheets.len().checked_sub(1)?;
        let mut board = Self { sheets, chosen };
        for place in 0..board.sheets.len() {
            let name = board.free_name(place);
            if let Some(sheet) = board.sheets.get_mut(place) {
                sheet.plan().name = name;
            }
        }
        Some(board)
    }

    /// The plans from left to right.
    pub(crate) fn sheets(&self) -> &[Sheet] {
        &self.sheets
    }

    /// The place of the one whose inputs are shown.
    pub(crate) const fn chosen(&self) -> usize {
        self.chosen
    }

    /// The one whose inputs are shown.
    pub(crate) fn chosen_sheet(&self) -> Option<&Sheet> {
        self.sheets.get(self.chosen)
    }

    /// All of them for a link or a file.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.sheets.iter().map(|sheet| sheet.asked.clone()).collect()
    }

    /// Whether there is room for another plan.
    pub(crate) fn has_room(&self) -> bool {
        self.sheets.len() < MOST
    }

    /// Shows the inputs of another plan.
    pub(crate) fn choose(&mut self, place: usize) {
        self.chosen = place.min(self.sheets.len().saturating_sub(1));
    }

    /// Puts a copy of a plan behind it, and shows its inputs.
    pub(crate) fn duplicate(&mut self, place: usize) {
        let Some(sheet) = self.sheets.get(place).cloned().filter(|_| self.has_room()) else { return };
        self.sheets.insert(place + 1, sheet);
        self.rename_free(place + 1);
        self.chosen = place + 1;
    }

    /// Takes a plan away, if it is not the last one.
    pub(crate) fn remove(&mut self, place: usize) {
        if self.sheets.len() > 1 && place < self.sheets.len() {
            self.sheets.remove(place);
            if self.chosen > place || self.chosen == self.sheets.len() {
                self.chosen -= 1;
            }
        }
    }

    /// Moves a plan one place to the left.
    pub(crate) fn move_left(&mut self, place: usize) {
        if place > 0 && place < self.sheets.len() {
            self.sheets.swap(place - 1, place);
            self.chosen = match self.chosen {
                at if at == place => place - 1,
                at if at + 1 == place => place,
                at => at,
            };
        }
    }

    /// Adds a plan behind the others and shows its inputs, or puts it in the place of the one that is shown where there is no room.
    pub(crate) fn add(&mut self, asked: Asked) {
        let sheet = Sheet { asked, ..Sheet::default() };
        if self.has_room() {
            self.sheets.push(sheet);
            self.chosen = self.sheets.len() - 1;
        } else if let Some(there) = self.sheets.get_mut(self.chosen) {
            *there = sheet;
        }
        self.rename_free(self.chosen);
    }

    /// Gives a plan another name. Two plans may not be called alike, so it may become another one.
    pub(crate) fn rename(&mut self, place: usize, name: &str) {
        let name: String =
            name.trim().chars().filter(|c| !c.is_control()).take(memory_wall_plan::file::LONGEST_NAME).collect();
        if let Some(sheet) = self.sheets.get_mut(place) {
            sheet.plan().name = name;
            self.rename_free(place);
        }
    }

    /// Puts a value into the plan that is shown, or takes what was said away.
    pub(crate) fn put(&mut self, slot: Slot, value: Option<Value>) {
        let place = self.chosen;
        let Some(sheet) = self.sheets.get_mut(place) else { return };
        let before = sheet.asked.plan.clone();
        sheet.mistaken(slot, None);
        match value {
            Some(value) => {
                // One of them names the model.
                match slot {
                    "model" => sheet.plan().unset("config"),
                    "config" => {
                        sheet.mistaken("model", None);
                        sheet.plan().unset("model");
                    }
                    // Of a GPU of the table nothing is stated any more.
                    "gpu" if sheet.plan().get(slot) == Some(&Value::Word(OWN.id)) && value != Value::Word(OWN.id) => {
                        sheet.mistakes.retain(|(at, _)| !at.starts_with("gpu_"));
                        if let Value::Word(id) = value
                            && let Some(gpu) = memory_wall_plan::gpu(id)
                        {
                            sheet.plan().put_on(gpu);
                        }
                    }
                    _ => {}
                }
                sheet.plan().set(slot, value);
                if ["model", "config"].contains(&slot) {
                    sheet.asked.plan.load_as_stored(&before, &mut sheet.said);
                }
            }
            None => sheet.plan().unset(slot),
        }
        self.rename_after(place, &before);
    }

    /// The GPU of the plan at a place, and what it costs an hour.
    pub(crate) fn paid(&self, place: usize) -> (Option<&'static str>, Option<u64>) {
        let Some(Sheet { asked, .. }) = self.sheets.get(place) else { return (None, None) };
        let gpu = match asked.plan.get("gpu") {
            Some(Value::Word(id)) => Some(*id),
            _ => None,
        };
        (gpu, asked.spending.price)
    }

    /// Says what a GPU of the plan at a place costs an hour.
    pub(crate) fn pay(&mut self, place: usize, price: Option<u64>) {
        if let Some(sheet) = self.sheets.get_mut(place) {
            sheet.asked.spending.price = price;
            sheet.mistaken(PRICE, None);
        }
    }

    /// Describes the GPU of the plan that is shown by its numbers, to be changed: one of the reader's own.
    pub(crate) fn describe_gpu(&mut self) {
        let Some(sheet) = self.sheets.get_mut(self.chosen) else { return };
        sheet.mistaken("gpu", None);
        let named = match sheet.plan().get("gpu") {
            Some(Value::Word(id)) => memory_wall_plan::gpu(id),
            _ => None,
        };
        match named {
            Some(gpu) => sheet.plan().describe(gpu),
            None => sheet.plan().put_on(&OWN),
        }
    }

    /// Puts a sum beside the options of the plan that is shown.
    pub(crate) fn spend(&mut self, slot: Slot, value: Option<u64>) {
        let Some(sheet) = self.sheets.get_mut(self.chosen) else { return };
        sheet.mistaken(slot, None);
        let Spending { price, tokens } = &mut sheet.asked.spending;
        *(if slot == PRICE { price } else { tokens }) = value;
    }

    /// Puts a plan that was changed as a whole in its place.
    pub(crate) fn replace(&mut self, place: usize, plan: Plan) {
        if let Some(sheet) = self.sheets.get_mut(place) {
            let before = std::mem::replace(sheet.plan(), plan);
            sheet.plan().name.clone_from(&before.name);
            sheet.mistakes.clear();
            self.rename_after(place, &before);
        }
    }

    /// A plan that is called by a value of its own, such as `int4`, is called by the new one where that has changed.
    fn rename_after(&mut self, place: usize, before: &Plan) {
        let Some(sheet) = self.sheets.get_mut(place) else { return };
        let plan = sheet.plan();
        let called = told_apart(before, plan).into_iter().find_map(|(_, [was, is])| match was {
            Some(Value::Word(was)) if *was == stem(&plan.name) => Some(is.map(Value::to_string).unwrap_or_default()),
            _ => None,
        });
        if let Some(name) = called {
            plan.name = name;
            self.rename_free(place);
        }
    }

    /// Keeps what stands in a field of the plan that is shown and is no value of it.
    pub(crate) fn mistake(&mut self, slot: Slot, text: &str) {
        if let Some(sheet) = self.sheets.get_mut(self.chosen) {
            sheet.mistaken(slot, Some(text));
        }
    }

    fn rename_free(&mut self, place: usize) {
        let name = self.free_name(place);
        if let Some(sheet) = self.sheets.get_mut(place) {
            sheet.plan().name = name;
        }
    }

    /// The name of a plan, with a number behind it where another plan has it too; a letter where it has none.
    fn free_name(&self, place: usize) -> String {
        let own = self.sheets.get(place).map(|sheet| sheet.asked.plan.name.trim()).unwrap_or_default();
        let taken =
            |name: &str| self.sheets.iter().enumerate().any(|(at, sheet)| at != place && sheet.asked.plan.name == name);
        if own.is_empty() {
            let letters = ["A", "B", "C", "D"];
            return letters.into_iter().find(|letter| !taken(letter)).unwrap_or("A").to_owned();
        }
        let stem = stem(own);
        let numbered = (2..).map(|number| format!("{stem} {number}"));
        std::iter::once(own.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
    }
}

/// A name without the number that tells it from others.
fn stem(name: &str) -> &str {
    name.rsplit_once(' ').filter(|(_, end)| end.bytes().all(|it| it.is_ascii_digit())).map_or(name, |(stem, _)| stem)
}

/// What was before, and what was taken back.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    past: Vec<Board>,
    future: Vec<Board>,
    /// What was changed last: changes of one field follow one another as one step.
    last: Option<(usize, Slot)>,
}

impl History {
    /// Remembers what was before a change. One of the same field as the last one is the same step.
    pub(crate) fn remember(&mut self, before: &Board, what: Option<Slot>) {
        let what = what.map(|slot| (before.chosen(), slot));
        if what.is_none() || what != self.last {
            self.past.push(before.clone());
            if self.past.len() > STEPS {
                self.past.remove(0);
            }
        }
        self.last = what;
        self.future.clear();
    }

    /// What was before the last step.
    pub(crate) fn before(&self) -> Option<&Board> {
        self.past.last()
    }

    /// What was before, for which `now` can be had again.
    pub(crate) fn back(&mut self, now: &Board) -> Option<Board> {
        let before = self.past.pop()?;
        self.future.push(now.clone());
        self.last = None;
        Some(before)
    }

    /// What was taken back last.
    pub(crate) fn forth(&mut self, now: &Board) -> Option<Board> {
        let after = self.future.pop()?;
        self.past.push(now.clone());
        self.last = None;
        Some(after)
    }

    /// Whether there is something to take back, and something to have again.
    pub(crate) fn ways(&self) -> [bool; 2] {
        [!self.past.is_empty(), !self.future.is_empty()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(board: &Board) -> Vec<&str> {
        board.sheets().iter().map(|sheet| sheet.asked.plan.name.as_str()).collect()
    }

    #[test]
    fn a_plan_that_is_called_by_its_value_is_renamed_with_it() {
        let mut board = Board::default();
        let names = |board: &Board| board.sheets().iter().map(|it| it.asked.plan.name.clone()).collect::<Vec<_>>();
        board.put("weights", Some(Value::Word("q4_k")));
        assert_eq!(names(&board), ["bf16", "fp8", "q4_k"]);
        // Another option says nothing of the name.
        board.put("kv", Some(Value::Word("fp8")));
        assert_eq!(names(&board), ["bf16", "fp8", "q4_k"]);
        // Two plans may not be called alike.
        board.put("weights", Some(Value::Word("bf16")));
        assert_eq!(names(&board), ["bf16", "fp8", "bf16 2"]);
        board.put("weights", Some(Value::Word("int8")));
        assert_eq!(names(&board), ["bf16", "fp8", "int8"]);
        let mut plan = board.sheets()[0].asked.plan.clone();
        plan.set("weights", Value::Word("nf4"));
        board.replace(0, plan);
        assert_eq!(names(&board), ["nf4", "fp8", "int8"]);
        board.rename(0, "mine");
        board.choose(0);
        board.put("weights", None);
        assert_eq!(names(&board), ["mine", "fp8", "int8"]);
    }

    #[test]
    fn plans_are_copied_moved_and_taken_away() {
        let mut board = Board::default();
        assert_eq!((names(&board), board.chosen()), (vec!["bf16", "fp8", "int4"], 2));
        board.duplicate(0);
        assert_eq!((names(&board), board.chosen()), (vec!["bf16", "bf16 2", "fp8", "int4"], 1));
        board.duplicate(1);
        assert_eq!(names(&board).len(), 4, "there is no room for a fifth");
        board.move_left(1);
        assert_eq!((names(&board), board.chosen()), (vec!["bf16 2", "bf16", "fp8", "int4"], 0));
        board.rename(3, "  fp8\n ");
        assert_eq!(names(&board)[3], "fp8 2", "two plans are not called alike");
        board.rename(3, "");
        assert_eq!(names(&board)[3], "A");
        for _ in 0..5 {
            board.remove(0);
        }
        assert_eq!((names(&board), board.chosen()), (vec!["A"], 0));
    }

    #[test]
    fn one_of_two_names_the_model() {
        let mut board = Board::default();
        let config = include_str!("../../core/tests/configs/llama-3.1-8b.json");
        board.put("config", Some(Value::Own(memory_wall_plan::OwnModel::read(config).unwrap())));
        let plan = |board: &Board| board.chosen_sheet().unwrap().asked.plan.clone();
        assert_eq!((plan(&board).get("model"), plan(&board).scenario().unwrap().architecture.layers), (None, 32));
        board.put("model", Some(Value::Word("gpt2-xl")));
        assert_eq!(plan(&board).get("config"), None);
    }

    #[test]
    fn a_model_that_is_published_in_fewer_bits_comes_in_these() {
        let mut board = Board::default();
        let weights = |board: &Board| board.chosen_sheet().unwrap().asked.plan.get("weights").map(Value::to_string);
        board.put("model", Some(Value::Word("gpt-oss-120b")));
        assert_eq!((weights(&board).as_deref(), names(&board)[2]), (Some("mxfp4"), "mxfp4"));
        // The same model again, or another format, is the reader's word.
        board.put("weights", Some(Value::Word("int4")));
        board.put("model", Some(Value::Word("gpt-oss-120b")));
        assert_eq!(weights(&board).as_deref(), Some("int4"));
        // The format of one model is none of another one's: what stood there before stands there again.
        board.put("weights", Some(Value::Word("mxfp4")));
        board.put("model", Some(Value::Word("deepseek-v3")));
        assert_eq!(weights(&board).as_deref(), Some("fp8-block"));
        board.put("model", Some(Value::Word("llama-3.1-8b")));
        assert_eq!((weights(&board).as_deref(), names(&board)[2]), (Some("int4"), "int4"));
        let mut board = Board::default();
        board.put("weights", None);
        board.put("model", Some(Value::Word("gpt-oss-120b")));
        board.put("model", Some(Value::Word("llama-3.1-8b")));
        assert_eq!(weights(&board), None);
        // Nothing is trained in these, and llama.cpp reads files of its own.
        for (slot, value) in [("mode", "training"), ("engine", "llamacpp"), ("engine", "ollama")] {
            let mut board = Board::default();
            board.put(slot, Some(Value::Word(value)));
            board.put("model", Some(Value::Word("deepseek-v3")));
            assert_eq!(weights(&board).as_deref(), Some("int4"), "{slot}");
        }
        let config = include_str!("../../core/tests/configs/deepseek-v3.json");
        let mut board = Board::default();
        board.put("config", Some(Value::Own(memory_wall_plan::OwnModel::read(config).unwrap())));
        assert_eq!(weights(&board).as_deref(), Some("fp8-block"));
    }

    #[test]
    fn a_mistake_is_kept_until_it_is_mended() {
        let mut board = Board::default();
        board.mistake("seq", "many");
        assert_eq!(board.chosen_sheet().unwrap().mistake("seq"), Some("many"));
        assert_eq!(board.chosen_sheet().unwrap().asked.plan.get("seq"), Some(&Value::Count(8_192)), "the plan stands");
        board.put("seq", Some(Value::Count(1)));
        assert_eq!(board.chosen_sheet().unwrap().mistake("seq"), None);
        board.put("seq", None);
        assert_eq!(board.chosen_sheet().unwrap().asked.plan.get("seq"), None);
    }

    #[test]
    fn every_step_can_be_taken_back_and_had_again() {
        let (mut board, mut history) = (Board::default(), History::default());
        let start = board.clone();
        assert_eq!(history.ways(), [false, false]);
        for count in [1, 16, 163] {
            history.remember(&board, Some("batch"));
            board.put("batch", Some(Value::Count(count)));
        }
        history.remember(&board, None);
        board.remove(0);
        let end = board.clone();
        board = history.back(&board).unwrap();
        assert_eq!(names(&board).len(), 3);
        board = history.back(&board).unwrap();
        assert_eq!(board, start, "typing in one field is one step");
        assert!(history.back(&board).is_none());
        board = history.forth(&board).unwrap();
        board = history.forth(&board).unwrap();
        assert_eq!((board, history.ways()), (end, [true, false]));
    }
}
