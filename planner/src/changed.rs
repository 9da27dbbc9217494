//! What the last step did, in a sentence: what is different in the plan, and what comes of it.

use memory_wall_app::figures::money;
use memory_wall_core::display::{ByteUnit, Percent, Size};
use memory_wall_plan::changes::told_apart;
use memory_wall_plan::reply::Reply;
use memory_wall_plan::{PlanOption, Value};

use crate::board::{Board, Sheet};
use crate::link::{self, Asked};
use crate::{inputs, sentence, words};

/// The most options that are named one by one.
const NAMED: usize = 3;

/// What is different between two boards, in words; empty where it is nothing that a reader would be told.
pub(crate) fn sentence(before: &Board, after: &Board, unit: ByteUnit) -> String {
    let names = |board: &Board| board.sheets().iter().map(|sheet| name(sheet).to_owned()).collect::<Vec<_>>();
    let (was, is) = (names(before), names(after));
    let missing = |from: &[String], of: &[String]| from.iter().find(|name| !of.contains(name)).cloned();
    match (missing(&is, &was), missing(&was, &is)) {
        (Some(new), None) => words::ChangedAdded { name: &new }.text(),
        (None, Some(old)) => words::ChangedRemoved { name: &old }.text(),
        (Some(new), Some(old)) if was.len() == is.len() => {
            let sheet = |board: &Board, own: &str| board.sheets().iter().find(|sheet| name(sheet) == own).cloned();
            let pair = sheet(before, &old).zip(sheet(after, &new));
            // A plan that is called by one of its values is renamed with it.
            match pair.filter(|(old, new)| !told_apart(&old.asked.plan, &new.asked.plan).is_empty()) {
                Some((old, new)) => of_plan(&old.asked, &new.asked, unit),
                None => words::ChangedRenamed { old: &old, new: &new }.text(),
            }
        }
        (Some(_), Some(_)) => words::changed_all().into(),
        (None, None) => {
            let pairs = after.sheets().iter().filter_map(|sheet| {
                let twin = before.sheets().iter().find(|twin| name(twin) == name(sheet))?;
                (twin.asked != sheet.asked).then_some((&twin.asked, &sheet.asked))
            });
            pairs.map(|(before, after)| of_plan(before, after, unit)).collect::<Vec<_>>().join(" ")
        }
    }
}

fn name(sheet: &Sheet) -> &str {
    &sheet.asked.plan.name
}

/// What is different in a plan.
fn of_plan(before: &Asked, after: &Asked, unit: ByteUnit) -> String {
    let mut parts = vec![words::ChangedOptions { name: &after.plan.name, options: &options(before, after) }.text()];
    let [was, is] = [before, after].map(|asked| Reply::of(&asked.plan, asked.spending));
    let [said_before, said_after] = [&was, &is].map(|reply| sentence::verdict(reply, unit));
    if said_before.id != said_after.id {
        parts.push(words::ChangedVerdict { now: &said_after.verdict, was: &said_before.verdict }.text());
    }
    if let (Ok(was), Ok(is)) = (&was, &is) {
        let (old, new) = (was.total(), is.total());
        let share = new.minus(old).magnitude().share_of(old);
        let bytes = Size::new(new.minus(old).magnitude(), unit).to_string();
        let share = Percent(share).to_string();
        parts.extend(match new.cmp(&old) {
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Less => Some(words::ChangedLess { bytes: &bytes, share: &share }.text()),
            std::cmp::Ordering::Greater => Some(words::ChangedMore { bytes: &bytes, share: &share }.text()),
        });
        let rates = [was, is].map(|reply| reply.rate().map(money::numbers));
        if let [Some(old), Some(new)] = &rates
            && old != new
        {
            parts.push(words::ChangedRate { old, new }.text());
        }
    }
    parts.join(" ")
}

/// The options that differ, each with what it was and is.
fn options(before: &Asked, after: &Asked) -> String {
    let shown = |option: &PlanOption, value: Option<&Value>| {
        value.map_or_else(|| words::option_off().to_owned(), |value| inputs::value(option, value))
    };
    let told = told_apart(&before.plan, &after.plan).into_iter().map(|(option, [was, is])| {
        let (label, old, new) = (inputs::label(option.name), shown(option, was), shown(option, is));
        words::ChangedOption { label, old: &old, new: &new }.text()
    });
    let sum = |key: &'static str, kind: memory_wall_app::state::decimal::Decimal, ends: [Option<u64>; 2]| {
        let [old, new] =
            ends.map(|value| value.map_or_else(|| words::option_off().to_owned(), |value| kind.write(value)));
        (old != new).then(|| words::ChangedOption { label: inputs::label(key), old: &old, new: &new }.text())
    };
    let (was, is) = (before.spending, after.spending);
    let sums = [
        sum(crate::board::PRICE, link::PRICE, [was.price, is.price]),
        sum(crate::board::TOKENS, link::TOKENS, [was.tokens, is.tokens]),
    ];
    let all: Vec<String> = told.chain(sums.into_iter().flatten()).collect();
    let named = all.get(..NAMED.min(all.len())).unwrap_or_default().join(", ");
    match all.len().saturating_sub(NAMED) {
        0 => named,
        more => words::ChangedMany { options: &named, more: &more.to_string() }.text(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_plan::Value;

    fn after(change: impl FnOnce(&mut Board)) -> String {
        let before = Board::default();
        let mut now = before.clone();
        change(&mut now);
        sentence(&before, &now, ByteUnit::Gb)
    }

    #[test]
    fn a_step_is_said_with_what_comes_of_it() {
        let said = after(|board| board.put("batch", Some(Value::Count(64))));
        assert!(said.starts_with("int4: Sequences at once (each replica) 64 instead of 32."), "{said}");
        assert!(said.contains("Some requests wait") && said.contains("more on the fullest GPU"), "{said}");
        let said = after(|board| board.put("kv", Some(Value::Word("fp8"))));
        assert!(said.contains("KV cache in fp8 instead of bf16") && said.contains("less on the fullest GPU"), "{said}");
        let said = after(|board| board.put("mode", Some(Value::Word("training"))));
        assert!(said.starts_with("int4: Mode training (all weights) instead of inference."), "{said}");
        let said = after(|board| board.put("tp", Some(Value::Count(7))));
        assert!(said.contains("These settings do not go together"), "{said}");
        let said = after(|board| board.spend(crate::board::PRICE, Some(3_000)));
        assert!(said.contains("in $ 3 instead of 2"), "{said}");
        // A name that follows a value is no news beside it.
        let said = after(|board| board.put("weights", Some(Value::Word("fp16"))));
        assert!(said.starts_with("fp16: Weights in fp16 instead of int4 (group 128)."), "{said}");
        assert_eq!(after(|_| {}), "");
    }

    #[test]
    fn plans_that_come_and_go_are_named() {
        assert_eq!(after(|board| board.duplicate(0)), "bf16 2 was added.");
        assert_eq!(after(|board| board.remove(0)), "bf16 was removed.");
        assert_eq!(after(|board| board.rename(0, "whole")), "bf16 is now called whole.");
        assert_eq!(after(|board| board.move_left(1)), "");
    }
}
