//! `memory-wall advise`: the ladder of fixes, and the least slow combination of them that fits.

use memory_wall_core::advise::{self, Effect, Idle, Plan, Rung, ladder};
use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::{Checked, Evaluation, Verdict, evaluate};

use crate::request::Request;
use crate::text::{Side, Table, WIDTH, hanging, wrapped};
use crate::{Answer, BadInput, changes, estimate, inputs, json, words};

/// What the engine advises about a scenario.
#[derive(Debug)]
pub(crate) struct Advice {
    /// As it is.
    pub(crate) scenario: Checked,
    /// What it needs as it is.
    pub(crate) evaluation: Evaluation,
    /// Every rung with its effect, or why it does nothing.
    pub(crate) rungs: Vec<(Rung, Result<Effect, Idle>)>,
    /// The least slow combination that fits; `None` without a card and where nothing fits.
    pub(crate) plan: Option<Plan>,
    /// The same with fixes that may change the results a little, where that is quicker.
    pub(crate) lossy_plan: Option<Plan>,
}

impl Advice {
    /// About one scenario.
    pub(crate) fn of(scenario: &Checked) -> Self {
        // A program may take a share of the card only, so that it is the verdict which says whether a change fits.
        let judged = |effect: Effect| Effect { fits: fits(&evaluate(&effect.scenario)), ..effect };
        let search = |lossy| {
            let plan = advise::search(scenario, lossy).map(|plan| Plan { effect: judged(plan.effect), ..plan });
            plan.filter(|plan| plan.effect.fits == Some(true))
        };
        let (exact, lossy) = (search(false), search(true));
        let quicker = |lossy: &Plan| exact.is_some_and(|exact| lossy.effect.slowdown < exact.effect.slowdown);
        Self {
            scenario: *scenario,
            evaluation: evaluate(scenario),
            rungs: ladder(scenario).map(|(rung, effect)| (rung, effect.map(judged))).collect(),
            plan: exact.or(lossy),
            // Where it fits as it is, there is no call for results that change.
            lossy_plan: lossy.filter(quicker).filter(|_| fits(&evaluate(scenario)) == Some(false)),
        }
    }

    /// Whether it fits without any fix; `None` without a card.
    pub(crate) fn fits(&self) -> Option<bool> {
        fits(&self.evaluation)
    }
}

/// Whether a scenario fits its card, if it names one.
fn fits(evaluation: &Evaluation) -> Option<bool> {
    evaluation.fit.map(|fit| fit.verdict != Verdict::DoesNotFit)
}

/// Advises about what was asked for.
pub(crate) fn answer(request: &Request) -> Result<Answer, BadInput> {
    let (model, scenario) = estimate::asked(request)?;
    let advice = Advice::of(&scenario);
    let mut notes = request.notes.clone();
    notes.extend(model.remarks(request, &scenario));
    let output = if request.json {
        json::text(&json::advise::Answer::new(&model.id, &advice))?
    } else {
        text(&model.title, &advice, request.unit)
    };
    let failed = advice.fits() == Some(false) && advice.plan.is_none();
    Ok(Answer { output, notes, failed })
}

/// The advice for people.
fn text(title: &str, advice: &Advice, unit: ByteUnit) -> String {
    let scenario = &advice.scenario;
    let total = advice.evaluation.total;
    let mut text = wrapped(title, 2) + &inputs::text(scenario, None);
    let held = match scenario.gpu.zip(advice.evaluation.fit) {
        Some((gpu, fit)) => {
            let verdict = words::verdict(fit.verdict, words::serving(scenario));
            format!(" of {} on {} ({}): {verdict}", words::size(fit.capacity, unit), gpu.name, gpu.id)
        }
        None => "; with --gpu it is said what fits".into(),
    };
    text.push('\n');
    text += &wrapped(&format!("Needs {}{held}.", words::size(total, unit)), 2);
    text.push('\n');
    text += &rungs(advice, unit);
    text += "\nSlowdown is a rough estimate: how many times longer the same work takes on all cards together.\n";
    if scenario.gpu.is_some() {
        text.push('\n');
        text += &plan(advice, unit);
        if let Some(Plan { effect, .. }) = &advice.lossy_plan {
            let changes = changes::between(&advice.scenario, &effect.scenario).join(" ");
            text += &wrapped(&format!("Quicker, with results that may change a little: {changes}"), 2);
            text += &wrapped(peak(effect, unit).trim_end_matches(';'), 2);
        }
    }
    text
}

/// The ladder in its order: a row of figures, or the reason why there are none.
fn rungs(advice: &Advice, unit: ByteUnit) -> String {
    let mut table = Table::new(&[
        ("Fix", Side::Left),
        ("Saved", Side::Right),
        ("Peak after", Side::Right),
        ("Slowdown", Side::Right),
        ("Risk", Side::Left),
        ("Effort", Side::Left),
        ("Cards", Side::Right),
        ("Fits", Side::Left),
    ]);
    for (rung, effect) in &advice.rungs {
        let Ok(effect) = effect else {
            // Keeps the place, so that the names line up; the reason stands in its stead.
            let mut cells: [String; 8] = Default::default();
            rung.id().clone_into(&mut cells[0]);
            table.row(cells);
            continue;
        };
        table.row([
            rung.id().into(),
            if effect.saved.0 < 0 {
                words::signed(effect.saved, unit)
            } else {
                words::size(effect.saved.magnitude(), unit)
            },
            words::size(effect.total, unit),
            times(effect.slowdown),
            rung.risk().id().into(),
            rung.effort().id().into(),
            Grouped(effect.gpus.into()).to_string(),
            yes(effect.fits).into(),
        ]);
    }
    let table = table.text();
    let mut lines = table.lines();
    let widest = Rung::ALL.iter().map(|rung| rung.id().len()).max().unwrap_or(0);
    let head = lines.next().map(|head| format!("{head}\n"));
    let rows = lines.zip(&advice.rungs).map(|(line, (rung, effect))| match effect {
        Ok(effect) => {
            let options = changes::between(&advice.scenario, &effect.scenario).join(" ");
            let card = effect.scenario.gpu.filter(|_| options.is_empty()).map_or("", |gpu| gpu.id);
            format!("{line}\n{:width$}{options}{card}\n", "", width = widest + 2)
        }
        Err(because) => hanging(WIDTH, rung.id(), &format!("does nothing here: {because}"), widest + 2),
    });
    head.into_iter().chain(rows).collect()
}

/// The combination in words.
fn plan(advice: &Advice, unit: ByteUnit) -> String {
    let Some(Plan { effect, lossy }) = &advice.plan else {
        return if advice.fits() == Some(true) {
            "It fits as it is.\n".into()
        } else {
            wrapped(
                "No combination of these fixes fits on the same cards: what is left are adapters (lora, qlora), more cards or a bigger one, as above.",
                0,
            )
        };
    };
    let changes = changes::between(&advice.scenario, &effect.scenario);
    if changes.is_empty() {
        return "It fits as it is; no other combination is faster.\n".into();
    }
    let results = if *lossy { "results may change a little" } else { "results stay as they are" };
    let start = match (advice.fits(), *lossy) {
        (Some(true), _) => "It fits as it is. Faster",
        (_, true) => "Least slow combination that fits",
        (_, false) => "Least slow combination that fits and leaves results as they are",
    };
    wrapped(&format!("{start}: {}", changes.join(" ")), 2) + &wrapped(&format!("{} {results}.", peak(effect, unit)), 2)
}

/// What a combination comes to.
fn peak(effect: &Effect, unit: ByteUnit) -> String {
    let tight = evaluate(&effect.scenario).fit.is_some_and(|fit| fit.verdict == Verdict::Tight);
    format!(
        "Peak {}, {} {}{}, slowdown {}, {};",
        words::size(effect.total, unit),
        words::size(effect.saved.magnitude(), unit),
        if effect.saved.0 < 0 { "more" } else { "less" },
        if tight { " (tight: less to spare than fragmentation can take)" } else { "" },
        times(effect.slowdown),
        words::cards(effect.gpus),
    )
}

const fn yes(fits: Option<bool>) -> &'static str {
    match fits {
        Some(true) => "yes",
        Some(false) => "no",
        None => "",
    }
}

/// How many times longer: `x1.33`.
fn times(slowdown: f64) -> String {
    if slowdown < 100.0 { format!("x{slowdown:.2}") } else { format!("x{slowdown:.0}") }
}
