//! What a plan comes to: the answer of the engine or of its runtime, in words where it is shown at once, and what takes longer once it is asked for.

use std::sync::{Arc, OnceLock};

use memory_wall_core::advise::{Found, Quickest};
use memory_wall_core::display::ByteUnit;
use memory_wall_core::{Bucket, Bytes};
use memory_wall_plan::Plan;
use memory_wall_plan::answers::Answers;
use memory_wall_plan::changes::{Change, TOLD};
use memory_wall_plan::frontier::{Point, frontier};
use memory_wall_plan::mend::Mend;
use memory_wall_plan::reply::{Reply, Unanswered};
use memory_wall_plan::runtime::{Step, steps};

use crate::link::Asked;
use crate::sentence::{self, Said};
use crate::words;
use crate::{figures, inputs};

/// What a plan comes to.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) asked: Asked,
    unit: ByteUnit,
    pub(crate) reply: Result<Reply, Unanswered>,
    /// Whether it fits, in words.
    pub(crate) said: Said,
    /// What takes longer, each computed once.
    pub(crate) later: Later,
}

/// What takes longer than a key press.
#[derive(Debug, Default)]
pub(crate) struct Later {
    /// Every figure in words, except those that need a search.
    pub(crate) figures: OnceLock<Vec<String>>,
    /// Every fix by itself, and what is found among those together that leave the results as they are, and among those that may change them,
    /// each in two halves: what the changes that help begin with.
    pub(crate) fixes: OnceLock<Vec<Change>>,
    pub(crate) exact_quickest: OnceLock<Quickest>,
    pub(crate) exact: OnceLock<Found>,
    pub(crate) any_quickest: OnceLock<Quickest>,
    pub(crate) any: OnceLock<Found>,
    /// The changes that help.
    pub(crate) offers: OnceLock<Vec<Offer>>,
    /// Figures that are searched for, by their places.
    pub(crate) slow: OnceLock<Vec<(usize, String)>>,
    /// The plan with more and more sequences.
    pub(crate) frontier: OnceLock<Vec<Point>>,
}

/// A change that is offered, with its words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Offer {
    pub(crate) name: String,
    pub(crate) options: String,
    pub(crate) effect: String,
    pub(crate) plan: Plan,
    /// The plan that it changes.
    pub(crate) from: Plan,
}

impl PartialEq for Outcome {
    /// The same question has the same answer.
    fn eq(&self, other: &Self) -> bool {
        self.answers(&other.asked, other.unit)
    }
}

impl Outcome {
    pub(crate) fn of(asked: &Asked, unit: ByteUnit) -> Self {
        let reply = Reply::of(&asked.plan, asked.spending);
        let said = sentence::verdict(&reply, unit);
        Self { asked: asked.clone(), unit, reply, said, later: Later::default() }
    }

    /// What each of these plans comes to. Only what is not among the known answers is asked for.
    pub(crate) fn all<'a>(
        asked: impl Iterator<Item = &'a Asked>,
        unit: ByteUnit,
        known: &[Arc<Self>],
    ) -> Vec<Arc<Self>> {
        let of = |asked: &Asked| {
            let known = known.iter().find(|outcome| outcome.answers(asked, unit)).cloned();
            known.unwrap_or_else(|| Arc::new(Self::of(asked, unit)))
        };
        asked.map(of).collect()
    }

    /// Whether it is the answer to this.
    fn answers(&self, asked: &Asked, unit: ByteUnit) -> bool {
        self.unit == unit && self.asked == *asked
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

    /// Every figure in words, except those that need a search: the tables ask for them, which follow a frame later.
    pub(crate) fn figures(&self) -> &[String] {
        self.later.figures.get_or_init(|| figures::texts(self.reply.as_ref().ok(), self.unit))
    }

    /// The figures that are searched for.
    pub(crate) fn slow(&self) -> Vec<(usize, String)> {
        self.reply.as_ref().map(figures::slow).unwrap_or_default()
    }

    /// The plan with more and more sequences.
    pub(crate) fn frontier(&self) -> Vec<Point> {
        self.reply.as_ref().map(frontier).unwrap_or_default()
    }

    /// Every fix by itself, as the engine knows them.
    pub(crate) fn fixes(&self) -> Vec<Change> {
        let Some(answers) = self.answers_of_engine() else { return Vec::new() };
        Change::fixes(&self.asked.plan, &answers.scenario)
    }

    /// What is found among fixes together that leave the results as they are, and the first half of that search.
    pub(crate) fn exact(&self) -> Found {
        self.gentlest(*self.later.exact_quickest.get_or_init(|| self.exact_quickest()))
    }

    pub(crate) fn exact_quickest(&self) -> Quickest {
        self.quickest(None)
    }

    /// The same of those that may change the results.
    pub(crate) fn any(&self) -> Found {
        self.gentlest(*self.later.any_quickest.get_or_init(|| self.any_quickest()))
    }

    pub(crate) fn any_quickest(&self) -> Quickest {
        self.quickest(Some(&self.found_exact()))
    }

    /// What [`Outcome::exact`] has found, or finds now.
    fn found_exact(&self) -> Found {
        *self.later.exact.get_or_init(|| self.exact())
    }

    fn quickest(&self, exact: Option<&Found>) -> Quickest {
        self.answers_of_engine().map(|answers| Change::quickest(&answers.scenario, exact)).unwrap_or_default()
    }

    fn gentlest(&self, quickest: Quickest) -> Found {
        self.answers_of_engine().map(|answers| quickest.gentlest(&answers.scenario)).unwrap_or_default()
    }

    fn answers_of_engine(&self) -> Option<&Answers> {
        self.reply.as_ref().ok()?.answers()
    }

    /// The changes with which a plan whose options contradict each other has an answer.
    fn mends(&self) -> Vec<Offer> {
        let Asked { plan, spending } = &self.asked;
        let offer = |mend: Mend| Offer {
            name: inputs::label(mend.option.name).into(),
            options: sentence::told(plan, &mend.plan),
            effect: sentence::then(&mend.reply).into(),
            plan: mend.plan,
            from: plan.clone(),
        };
        Mend::of(plan, *spending).into_iter().map(offer).collect()
    }

    /// The changes that help a plan: those of its runtime come before those of the engine.
    pub(crate) fn offers(&self) -> Vec<Offer> {
        let plan = &self.asked.plan;
        let Ok(reply) = &self.reply else { return self.mends() };
        let step = |step: Step| Offer {
            name: words::CHANGE.of(step.id).into(),
            options: sentence::told(plan, &step.plan),
            effect: sentence::step(&step, self.unit),
            plan: step.plan,
            from: plan.clone(),
        };
        let mut offers: Vec<Offer> = steps(plan, reply, self.asked.spending).into_iter().map(step).collect();
        if let Some(answers) = self.answers_of_engine() {
            let offer = |change: Change| Offer {
                name: sentence::change(&change),
                options: sentence::options(&change, &answers.scenario),
                effect: sentence::effect(&change, self.unit),
                plan: change.plan,
                from: plan.clone(),
            };
            let fixes = self.later.fixes.get_or_init(|| self.fixes()).clone();
            let found = [self.found_exact(), *self.later.any.get_or_init(|| self.any())];
            offers.extend(Change::among(plan, &answers.scenario, fixes, found).into_iter().map(offer));
        }
        offers.truncate(TOLD);
        offers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_settings_do_not_go_together_what_mends_them_is_offered() {
        let offers = |query: &str| {
            let plans = crate::link::read(query).0;
            Outcome::of(plans.first().unwrap(), ByteUnit::Gb).offers()
        };
        let offers_of_training = offers("v=1&model=llama-3.1-8b&mode=training&weights=int4&gpu=h100-sxm");
        let [mend] = &*offers_of_training else { panic!("{offers_of_training:?}") };
        assert_eq!((&*mend.name, &*mend.options), ("Weights in", "weights bf16"));
        assert_eq!(mend.effect, "Even then it does not fit.");
        let of_llamacpp = offers("v=1&model=llama-3.1-8b&weights=int4&gpu=rtx3090&engine=llamacpp");
        assert_eq!(
            of_llamacpp.first().map(|it| (&*it.options, &*it.effect)),
            Some(("weights GGUF Q4_K_M", "Then it fits."))
        );
    }
}
