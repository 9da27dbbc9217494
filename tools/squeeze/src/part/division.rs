//! Which functions of a program come later, and in which part.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::Cut;
use super::program::Program;

/// Which functions come later, and in which parts.
pub(super) struct Division {
    /// The parts that have each of them.
    pub(super) parts: BTreeMap<u32, BTreeSet<usize>>,
    /// Every function that was named, with the parts that it needs: its own and those of whatever it calls.
    pub(super) needs: Vec<(String, BTreeSet<usize>)>,
}

impl Division {
    /// What is named comes in the part that it is named for, and whatever only that calls comes with it. What several parts call comes
    /// with each of them, but what several of those that `share` call is a part of its own, behind all others.
    pub(super) fn of(program: &Program<'_>, cut: &impl Fn(&str) -> Cut, share: &[usize]) -> Self {
        let later = later(program, cut);
        let part = |function: u32| match program.names.get(&function).map_or(Cut::Stays, |name| cut(name)) {
            Cut::Later(part) | Cut::Gate(part) => Some(part),
            Cut::Stays => None,
        };
        let named = later.iter().filter_map(|function| Some((*function, part(*function)?)));
        let named = named.collect::<BTreeMap<_, _>>();
        let last = named.values().max().copied().unwrap_or_default();
        let mut parts = BTreeMap::<u32, BTreeSet<usize>>::new();
        for (function, part) in &named {
            parts.entry(*function).or_default().insert(*part);
            let mut waiting = vec![*function];
            while let Some(caller) = waiting.pop() {
                for called in program.called(caller) {
                    let is_new = |_: &&u32| parts.entry(*called).or_default().insert(*part);
                    let comes = later.contains(called) && !named.contains_key(called);
                    waiting.extend(Some(called).filter(|_| comes).filter(is_new));
                }
            }
        }
        for (_, parts) in parts.iter_mut().filter(|(function, _)| !named.contains_key(function)) {
            let sharing = share.iter().filter(|part| parts.contains(part)).count();
            if sharing > 1 {
                parts.retain(|part| !share.contains(part));
                parts.insert(last + 1);
            }
        }
        let needs = named.iter().map(|(function, part)| {
            let name = program.names.get(function).cloned().unwrap_or_default();
            (name, needed(program, &parts, *function, *part))
        });
        Self { needs: needs.collect(), parts }
    }
}

/// The parts without which a function of this part cannot be called.
fn needed(
    program: &Program<'_>,
    parts: &BTreeMap<u32, BTreeSet<usize>>,
    function: u32,
    part: usize,
) -> BTreeSet<usize> {
    let (mut waiting, mut seen) = (vec![(function, part)], BTreeSet::from([(function, part)]));
    while let Some((function, part)) = waiting.pop() {
        for called in program.called(function) {
            let Some(having) = parts.get(called) else { continue };
            let next = if having.contains(&part) { Some(part) } else { having.last().copied() };
            if let Some(next) = next.map(|part| (*called, part)).filter(|next| seen.insert(*next)) {
                waiting.push(next);
            }
        }
    }
    seen.into_iter().map(|(_, part)| part).collect()
}

/// All functions that come later: those that are named so and are called by nobody who stays, and whatever only they call.
fn later(program: &Program<'_>, cut: &impl Fn(&str) -> Cut) -> BTreeSet<u32> {
    let own = || (program.imported..).zip(&program.calls);
    let mut callers = HashMap::<u32, Vec<u32>>::new();
    for (caller, calls) in own() {
        for called in calls {
            callers.entry(*called).or_default().push(caller);
        }
    }
    let kind = |function: &u32| program.names.get(function).map_or(Cut::Stays, |name| cut(name));
    let free = |function: &u32| !program.held.contains(function);
    let gates =
        own().map(|(function, _)| function).filter(|function| free(function) && matches!(kind(function), Cut::Gate(_)));
    let gates = gates.collect::<HashSet<_>>();
    let named = own().map(|(function, _)| function);
    let mut later: BTreeSet<u32> = named.filter(|function| free(function) && kind(function) != Cut::Stays).collect();
    // Whatever only they call comes with them: it may call others in turn.
    loop {
        let before = later.len();
        for (function, _) in own() {
            let called = callers.get(&function).is_some_and(|all| all.iter().all(|caller| later.contains(caller)));
            if called && free(&function) && !program.slots.contains_key(&function) {
                later.insert(function);
            }
        }
        if later.len() == before {
            break;
        }
    }
    // Whoever is called by somebody who stays, stays, and then those that it calls.
    loop {
        let stays = |function: &&u32| {
            let called = callers.get(function).is_some_and(|all| all.iter().any(|caller| !later.contains(caller)));
            called && !gates.contains(*function)
        };
        let staying = later.iter().filter(stays).copied().collect::<Vec<_>>();
        if staying.is_empty() {
            return later;
        }
        for function in staying {
            later.remove(&function);
        }
    }
}
