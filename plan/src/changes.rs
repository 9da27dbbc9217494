//! Changes that help a plan: the engine's fixes, each as the plan that it makes.

use alloc::vec::Vec;

use memory_wall_core::advise::{self, Effect, Found, Mitigation, Plans, Quickest, Risk, TOO_SLOW, ladder};
use memory_wall_core::{Checked, Scenario, Verdict, evaluate};

use crate::option::PlanOption;
use crate::plan::Plan;
use crate::table::OPTIONS;
use crate::value::Value;

/// Changes that are told.
pub const TOLD: usize = 3;
/// From here on a change makes a run so slow that others come first.
const SLOW: f64 = 1.5;

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fix {
    /// One fix of the ladder.
    One(Mitigation),
    /// The gentlest combination of fixes on the same GPUs.
    Together,
}

/// A change that helps.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// What is changed.
    pub fix: Fix,
    /// What it does, as the engine computes it.
    pub effect: Effect,
    /// What it may do to the results.
    pub risk: Risk,
    /// The plan with it.
    pub plan: Plan,
}

impl Change {
    /// The changes that help a plan most, at most [`TOLD`]; its scenario is the one that it was checked as.
    ///
    /// Where it does not fit with room to spare, the gentlest combination comes first, if it is more than one fix. Then those with which it fits,
    /// of these the ones that are not much slower, that leave results as they are, and then what saves most. Where it fits, those that save and that somebody
    /// would run, in the same order.
    pub fn of(plan: &Plan, scenario: &Checked) -> Vec<Self> {
        let search = |exact: Option<&Found>| Self::quickest(scenario, exact).gentlest(scenario);
        let exact = search(None);
        Self::among(plan, scenario, Self::fixes(plan, scenario), [exact, search(Some(&exact))])
    }

    /// Every fix by itself that helps a plan, those that help most first: the first part of [`Change::of`], for those who do it in parts.
    pub fn fixes(plan: &Plan, scenario: &Checked) -> Vec<Self> {
        let fits = fits(scenario);
        let mut changes: Vec<Self> = ladder(scenario)
            .filter_map(|(fix, effect)| Some((fix, effect.ok()?)))
            .filter(|(_, effect)| effect.saved.0 > 0 || (!fits && effect.verdict.is_some_and(Verdict::holds)))
            .filter(|(_, effect)| !fits || effect.time_ratio < TOO_SLOW)
            .map(|(fix, effect)| Self::new(plan, scenario, Fix::One(fix), &effect, fix.risk()))
            .collect();
        changes.sort_by_key(|change| {
            let Effect { verdict, time_ratio, saved, .. } = change.effect;
            (verdict.map_or(0, |verdict| verdict as u8), time_ratio >= SLOW, change.risk as u8, -saved.0)
        });
        changes
    }

    /// The first half of a search for combinations of fixes; [`Quickest::gentlest`] is the second. Without `exact` it looks at fixes that leave
    /// the results as they are, with what these have found at those that may change them. It finds nothing where the run fits, or where an
    /// exact combination does. [`Change::of`] does both searches, each in both halves.
    pub fn quickest(scenario: &Checked, exact: Option<&Found>) -> Quickest {
        let needless = fits(scenario) || exact.is_some_and(|exact| exact.fits.is_some());
        if needless { Quickest::default() } else { Quickest::of(scenario, exact.is_some()) }
    }

    /// The changes that help a plan most, as [`Change::of`] has them, out of its other parts.
    pub fn among(plan: &Plan, scenario: &Checked, fixes: Vec<Self>, searched: [Found; 2]) -> Vec<Self> {
        let mut changes = fixes;
        if !fits(scenario) {
            let together = Plans::among(scenario, searched);
            let found = together.recommended.or(together.tight).or(together.slow);
            if let Some(advise::Plan { effect, lossy }) = found
                && changes.iter().all(|change| change.effect.scenario != effect.scenario)
                && effect.scenario != *scenario
            {
                let risk = if lossy { Risk::Medium } else { Risk::None };
                changes.insert(0, Self::new(plan, scenario, Fix::Together, &effect, risk));
            }
        }
        changes.truncate(TOLD);
        changes
    }

    fn new(plan: &Plan, scenario: &Checked, fix: Fix, effect: &Effect, risk: Risk) -> Self {
        let plan = plan.changed(scenario, &effect.scenario);
        Self { fix, effect: *effect, risk, plan }
    }
}

/// Whether a scenario fits with room to spare, or names no GPU.
fn fits(scenario: &Checked) -> bool {
    evaluate::verdict(scenario).is_none_or(|verdict| verdict == Verdict::Fits)
}

/// An option that two scenarios have not alike, with its value in each; nothing where it is left open or changes nothing.
pub type Difference = (&'static PlanOption, [Option<Value>; 2]);

/// The options in which two scenarios differ, in the order of the table.
pub fn differences(one: &Scenario, other: &Scenario) -> Vec<Difference> {
    let pairs = OPTIONS.iter().map(|option| (option, [one, other].map(|scenario| option.of(scenario))));
    pairs.filter(|(_, [one, other])| one != other).collect()
}

/// An option of which two plans do not say the same, with what each of them says.
pub type Told<'a> = (&'static PlanOption, [Option<&'a Value>; 2]);

/// The options that differ between two plans, in the order of the table.
pub fn told_apart<'a>(one: &'a Plan, other: &'a Plan) -> Vec<Told<'a>> {
    let pairs = OPTIONS.iter().map(|option| (option, [one, other].map(|plan| plan.get(option.name))));
    pairs.filter(|(_, [one, other])| one != other).collect()
}

impl Plan {
    /// The plan with what is different in another scenario than in its own.
    ///
    /// # Example
    /// ```
    /// use memory_wall_plan::Plan;
    /// let plan = &memory_wall_plan::file::read(r#"{ "version": 1, "model": "llama-3.1-8b", "seq": 8192 }"#).unwrap()[0];
    /// let scenario = plan.scenario().unwrap();
    /// let mut longer = scenario;
    /// longer.seq_length = 16_384;
    /// let changed = plan.changed(&scenario, &longer);
    /// assert_eq!(changed.get("seq").unwrap().to_string(), "16384");
    /// ```
    #[must_use]
    pub fn changed(&self, from: &Scenario, to: &Scenario) -> Self {
        let mut plan = self.clone();
        for (option, [_, value]) in differences(from, to) {
            match value {
                Some(value) => plan.set(option.name, value),
                None => plan.unset(option.name),
            }
        }
        plan
    }
}
