//! `memory-wall advise`: the ladder of fixes, and the quickest combination of them that fits with room to spare.

use memory_wall_core::advise::{self, Effect, Idle, Plan, Rung, ladder};
use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::{Checked, Evaluation, Verdict, evaluate};

use crate::request::Request;
use crate::text::{Side, Table, wrapped};
use crate::{Answer, BadInput, changes, estimate, inputs, json, words};

/// What the engine advises about a scenario.
#[derive(Debug)]
pub(crate) struct Advice {
    /// As it is.
    pub(crate) scenario: Checked,
    /// What it needs as it is.
    pub(crate) evaluation: Evaluation,
    /// Every fix with its effect, or why it does nothing.
    pub(crate) rungs: Vec<(Rung, Result<Effect, Idle>)>,
    /// The combination to recommend; `None` without a GPU and where nothing fits with room to spare.
    pub(crate) plan: Option<Plan>,
    /// The same with fixes that may change the results a little, where that is quicker.
    pub(crate) lossy_plan: Option<Plan>,
    /// Where nothing is recommended and the run does not fit: the quickest combination that fits, however long it takes.
    pub(crate) slow_plan: Option<Plan>,
    /// The same of what is tight, and may fail.
    pub(crate) tight_plan: Option<Plan>,
}

impl Advice {
    /// About one scenario.
    pub(crate) fn of(scenario: &Checked) -> Self {
        let evaluation = evaluate(scenario);
        let verdict = evaluation.fit.map(|fit| fit.verdict);
        let [exact, lossy] = [false, true].map(|lossy| advise::search(scenario, lossy));
        let quicker = |lossy: &Plan| exact.fits.is_some_and(|exact| lossy.effect.time_ratio < exact.effect.time_ratio);
        let plan = exact.fits.or(lossy.fits);
        let fails = verdict == Some(Verdict::DoesNotFit);
        let otherwise = |found: Option<Plan>| found.filter(|_| fails && plan.is_none());
        Self {
            scenario: *scenario,
            evaluation,
            rungs: ladder(scenario).collect(),
            plan,
            // Where it fits as it is, there is no call for results that change.
            lossy_plan: lossy.fits.filter(quicker).filter(|_| fails),
            slow_plan: otherwise(exact.slow.or(lossy.slow)),
            tight_plan: otherwise(exact.tight.or(lossy.tight)),
        }
    }

    /// What the GPU makes of it without any fix; `None` without one.
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        self.evaluation.fit.map(|fit| fit.verdict)
    }
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
    let failed = advice.verdict() == Some(Verdict::DoesNotFit) && advice.plan.is_none();
    Ok(Answer { output, notes, failed })
}

/// The advice for people.
fn text(title: &str, advice: &Advice, unit: ByteUnit) -> String {
    let scenario = &advice.scenario;
    let total = advice.evaluation.total;
    let mut text = wrapped(title, 2) + &inputs::text(scenario, None);
    let held = match scenario.gpu.zip(advice.evaluation.fit) {
        Some((gpu, fit)) => {
            let verdict = words::verdict(fit.verdict, scenario);
            format!(" of {} on {} ({}): {verdict}", words::size(fit.capacity, unit), gpu.name, gpu.id)
        }
        None => "; with --gpu it is said what fits".into(),
    };
    text.push('\n');
    text += &wrapped(&format!("Needs {}{held}.", words::size(total, unit)), 2);
    text.push('\n');
    text += &rungs(advice, unit);
    text += &wrapped(
        "\nTime is a rough estimate of how long the same work takes on all GPUs together: x2.00 is twice as long as now, x0.50 half as long.",
        0,
    );
    if scenario.gpu.is_some() {
        text.push('\n');
        text += &plan(advice, unit);
        if let Some(Plan { effect, .. }) = &advice.lossy_plan {
            let changes = changes::between(&advice.scenario, &effect.scenario).join(" ");
            text += &wrapped(&format!("Quicker, with results that may change a little: {changes}"), 2);
            text += &wrapped(&format!("{}.", peak(effect, unit)), 2);
        }
    }
    text
}

/// The fixes that do something, in their order, and the names of the others in one line.
fn rungs(advice: &Advice, unit: ByteUnit) -> String {
    let mut table = Table::new(&[
        ("Fix", Side::Left),
        ("Saved", Side::Right),
        ("Peak after", Side::Right),
        ("Time", Side::Right),
        ("Risk", Side::Left),
        ("Effort", Side::Left),
        ("GPUs", Side::Right),
        ("Fits", Side::Left),
    ]);
    let acting = || advice.rungs.iter().filter_map(|(rung, effect)| Some((rung, effect.as_ref().ok()?)));
    for (rung, effect) in acting() {
        table.row([
            rung.id().into(),
            if effect.saved.0 < 0 {
                words::signed(effect.saved, unit)
            } else {
                words::size(effect.saved.magnitude(), unit)
            },
            words::size(effect.total, unit),
            times(effect.time_ratio),
            rung.risk().id().into(),
            rung.effort().id().into(),
            Grouped(effect.gpus.into()).to_string(),
            effect.verdict.map_or("", words::fits).into(),
        ]);
    }
    let table = table.text();
    let mut lines = table.lines();
    let widest = acting().map(|(rung, _)| rung.id().len()).max().unwrap_or(0);
    let head = lines.next().map(|head| format!("{head}\n"));
    let rows = lines.zip(acting()).map(|(line, (_, effect))| {
        let options = changes::between(&advice.scenario, &effect.scenario).join(" ");
        let gpu = effect.scenario.gpu.filter(|_| options.is_empty()).map_or("", |gpu| gpu.id);
        format!("{line}\n{:width$}{options}{gpu}\n", "", width = widest + 2)
    });
    let mut text: String = head.into_iter().chain(rows).collect();
    let idle: Vec<&str> =
        advice.rungs.iter().filter(|(_, effect)| effect.is_err()).map(|(rung, _)| rung.id()).collect();
    if !idle.is_empty() {
        text += &wrapped(&format!("No effect here (--json says why): {}", idle.join(", ")), 2);
    }
    text
}

/// The combination in words.
fn plan(advice: &Advice, unit: ByteUnit) -> String {
    let verdict = advice.verdict();
    let tight = "It is tight as it is: fragmentation may still make it fail.";
    let Some(Plan { effect, lossy }) = &advice.plan else {
        if verdict == Some(Verdict::Tight) {
            return wrapped(&format!("{tight} No combination of these fixes leaves more room on the same GPUs."), 2);
        }
        let than = if advice.slow_plan.is_some() { ", in less than four times the time" } else { "" };
        let left = if advice.scenario.mode.trains() { "adapters (lora, qlora), " } else { "" };
        let mut text = wrapped(
            &format!(
                "No combination of these fixes fits on the same GPUs with room to spare{than}: what is left are {left}more GPUs or a bigger one, as above."
            ),
            0,
        );
        let others = [
            ("Tight, may fail by fragmentation", &advice.tight_plan),
            ("Fits, too slow for most uses", &advice.slow_plan),
        ];
        for (what, plan) in others {
            let Some(Plan { effect, .. }) = plan else { continue };
            let changes = changes::between(&advice.scenario, &effect.scenario).join(" ");
            text += &wrapped(&format!("{what}: {changes}"), 2);
            text += &wrapped(&format!("{}.", peak(effect, unit)), 2);
        }
        return text;
    };
    let changes = changes::between(&advice.scenario, &effect.scenario);
    if changes.is_empty() {
        return "It fits as it is; no other combination is faster.\n".into();
    }
    let start = match (verdict, *lossy) {
        (Some(Verdict::Fits), _) => "It fits as it is. Faster".into(),
        (Some(Verdict::Tight), _) => format!("{tight} Quickest combination with room to spare"),
        (_, true) => "Quickest combination that fits".into(),
        (_, false) => "Quickest combination that fits and leaves results as they are".to_owned(),
    };
    let results = if *lossy { "results may change a little" } else { "results stay as they are" };
    wrapped(&format!("{start}: {}", changes.join(" ")), 2) + &wrapped(&format!("{}; {results}.", peak(effect, unit)), 2)
}

/// What a combination comes to.
fn peak(effect: &Effect, unit: ByteUnit) -> String {
    format!(
        "Peak {}, {} {}; it {} on {}",
        words::size(effect.total, unit),
        words::size(effect.saved.magnitude(), unit),
        if effect.saved.0 < 0 { "more" } else { "less" },
        takes(effect.time_ratio),
        words::gpus(effect.gpus),
    )
}

/// The time in a column, as a multiple of what it is now: `x1.33`.
fn times(ratio: f64) -> String {
    if ratio < 100.0 { format!("x{ratio:.2}") } else { format!("x{ratio:.0}") }
}

/// The same in a sentence: below 1 it is a share of the time.
fn takes(ratio: f64) -> String {
    match ratio {
        _ if ratio < 0.995 => format!("takes {ratio:.2} of the time"),
        _ if ratio < 1.005 => "takes as long".into(),
        _ if ratio < 100.0 => format!("takes {ratio:.2} times as long"),
        _ => format!("takes {ratio:.0} times as long"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_faster_is_not_called_slower() {
        assert_eq!(takes(0.13), "takes 0.13 of the time");
        assert_eq!(takes(1.0), "takes as long");
        assert_eq!(takes(1.333), "takes 1.33 times as long");
        assert_eq!(takes(250.0), "takes 250 times as long");
    }
}
