//! `memory-wall advise`: the ladder of fixes, and the gentlest combination of them that fits with room to spare.

use memory_wall_core::advise::{Effect, Idle, Mitigation, Plan, Plans, ladder};
use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::memory::host;
use memory_wall_core::{Checked, Engine, Evaluation, Verdict, evaluate};

use crate::request::Request;
use crate::text::{Side, Table, wrapped};
use crate::{Answer, BadInput, Exit, changes, estimate, inputs, json, words};

/// What the engine advises about a scenario.
#[derive(Debug)]
pub(crate) struct Advice {
    /// As it is.
    pub(crate) scenario: Checked,
    /// What it needs as it is.
    pub(crate) evaluation: Evaluation,
    /// Every fix with its effect, or why it does nothing.
    pub(crate) mitigations: Vec<(Mitigation, Result<Effect, Idle>)>,
    /// The combinations to tell.
    pub(crate) plans: Plans,
}

impl Advice {
    /// About one scenario.
    pub(crate) fn of(scenario: &Checked) -> Self {
        let plans = Plans::of(scenario);
        Self { scenario: *scenario, evaluation: evaluate(scenario), mitigations: ladder(scenario).collect(), plans }
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
    // What a combination mends is no no.
    let exit = if advice.plans.recommended.is_some() { Exit::Yes } else { Exit::of(advice.verdict()) };
    Ok(Answer { output, notes, exit })
}

/// The advice for people.
fn text(title: &str, advice: &Advice, unit: ByteUnit) -> String {
    let scenario = &advice.scenario;
    let total = advice.evaluation.total;
    let mut text = wrapped(title, 2) + &inputs::text(scenario, None);
    let held = match scenario.gpu.zip(advice.evaluation.fit) {
        Some((gpu, fit)) => {
            let verdict = words::verdict(fit.verdict, scenario, unit);
            format!(" of {} on {} ({}): {verdict}", words::size(fit.capacity, unit), gpu.name, gpu.id)
        }
        None => "; with --gpu it is said what fits".into(),
    };
    text.push('\n');
    text += &wrapped(&format!("Needs {}{held}.", words::size(total, unit)), 2);
    if scenario.gpu.is_some() {
        text.push('\n');
        text += &combinations(advice, unit);
    }
    text.push('\n');
    text += &mitigations(advice, unit);
    text += &wrapped(
        "\nTime is a rough estimate of how long the same work takes on all GPUs together: x2.00 is twice as long as now, x0.50 half as long.",
        0,
    );
    let tensors = |it: Effect| it.scenario.parallel.tp > scenario.parallel.tp;
    if scenario.runtime() == Some(Engine::LlamaCpp)
        && advice.mitigations.iter().any(|(_, effect)| effect.is_ok_and(tensors))
    {
        text += &wrapped(
            "By itself llama.cpp splits a model over GPUs by layers (pipeline-parallel), which take turns. Tensor-parallel is its --split-mode tensor, an experiment that has to be asked for.",
            0,
        );
    }
    if advice.mitigations.iter().any(|(_, effect)| effect.is_ok_and(|it| it.scenario.offload.optimizer)) {
        text += &wrapped(
            "With an offloaded optimizer the CPU takes the step, as in ZeRO-Offload: gradients go to host memory over PCIe and new weights come back. That traffic is in the time; what the CPU needs for the step is not, and comes on top.",
            0,
        );
    }
    let plans = [&advice.plans.recommended, &advice.plans.quicker, &advice.plans.slow, &advice.plans.tight];
    if plans
        .into_iter()
        .flatten()
        .any(|plan| scenario.training.lora.upcast && !plan.effect.scenario.training.lora.upcast)
    {
        text += &wrapped(
            "With --no-kbit-upcast, as TRL trains, embedding, output head, norms and hidden states stay in 16 bits. What it costs is rounding there: TRL saw the same losses without the upcast.",
            0,
        );
    }
    text
}

/// The combination that is recommended, and one that is quicker.
fn combinations(advice: &Advice, unit: ByteUnit) -> String {
    let mut text = plan(advice, unit);
    if let Some(Plan { effect, .. }) = &advice.plans.quicker {
        let changes = changes::between(&advice.scenario, &effect.scenario).join(" ");
        text += &wrapped(&format!("Quicker, with results that may change a little: {changes}"), 2);
        text += &wrapped(&format!("{}.", peak(effect, unit)), 2);
    }
    text
}

/// The fixes that do something, in their order, and the names of the others in one line.
fn mitigations(advice: &Advice, unit: ByteUnit) -> String {
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
    let acting =
        || advice.mitigations.iter().filter_map(|(mitigation, effect)| Some((mitigation, effect.as_ref().ok()?)));
    for (mitigation, effect) in acting() {
        table.row([
            mitigation.id().into(),
            if effect.saved.0 < 0 {
                words::signed(effect.saved, unit)
            } else {
                words::size(effect.saved.magnitude(), unit)
            },
            words::size(effect.total, unit),
            times(effect.time_ratio),
            mitigation.risk().id().into(),
            mitigation.effort().id().into(),
            Grouped(effect.gpus.into()).to_string(),
            effect.verdict.map_or("", words::fits).into(),
        ]);
    }
    let table = table.text();
    let mut text = "Each fix by itself:\n".to_owned();
    let mut lines = table.lines();
    let widest = acting().map(|(mitigation, _)| mitigation.id().len()).max().unwrap_or(0);
    let head = lines.next().map(|head| format!("{head}\n"));
    let rows = lines.zip(acting()).map(|(line, (_, effect))| {
        let options = changes::between(&advice.scenario, &effect.scenario).join(" ");
        let gpu = effect.scenario.gpu.filter(|_| options.is_empty()).map_or("", |gpu| gpu.id);
        format!("{line}\n{:width$}{options}{gpu}\n", "", width = widest + 2)
    });
    text.extend(head.into_iter().chain(rows));
    let group = |because: &Idle| match because {
        Idle::OnlyTogether => 1,
        _ if because.is_unknown() => 2,
        _ => 0,
    };
    for (place, what) in ["No effect here", "Only together here", "Not modelled here"].into_iter().enumerate() {
        let names = advice.mitigations.iter().filter_map(|(mitigation, effect)| {
            let because = effect.as_ref().err()?;
            (group(because) == place).then_some(mitigation.id())
        });
        let names: Vec<&str> = names.collect();
        if !names.is_empty() {
            text += &wrapped(&format!("{what} (--json says why): {}", names.join(", ")), 2);
        }
    }
    text
}

/// The combination in words.
fn plan(advice: &Advice, unit: ByteUnit) -> String {
    let verdict = advice.verdict();
    let tight = "It is tight as it is: fragmentation may still make it fail.";
    let Some(Plan { effect, lossy }) = &advice.plans.recommended else {
        if verdict == Some(Verdict::Tight) {
            return wrapped(&format!("{tight} No combination of these fixes leaves more room on the same GPUs."), 2);
        }
        let than = if advice.plans.slow.is_some() { ", in less than four times the time" } else { "" };
        let left = if advice.scenario.mode.trains() { "adapters (lora, qlora), " } else { "" };
        let mut text = wrapped(
            &format!(
                "No combination of these fixes fits on the same GPUs with room to spare{than}: what is left are {left}more GPUs or a bigger one, as below."
            ),
            0,
        );
        let others = [
            (why_tight(advice.plans.tight.as_ref()), &advice.plans.tight),
            ("Fits, too slow for most uses", &advice.plans.slow),
        ];
        if advice.mitigations.iter().any(|(_, effect)| *effect == Err(Idle::ComputedOnCpu)) {
            text += &wrapped(
                "llama.cpp can also leave layers or experts to the CPU, where they need no memory on the GPU: memory-wall solve --for ngl and --for n-cpu-moe say how many, and memory-wall estimate with --ngl and --host-bandwidth how fast that is.",
                0,
            );
        }
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
        return "It fits as it is, with room to spare: no fix is needed.\n".into();
    }
    let start = match (verdict, *lossy) {
        (Some(Verdict::Tight), _) => format!("{tight} Gentlest combination with room to spare"),
        (_, true) => "Gentlest combination that fits".into(),
        (_, false) => "Gentlest combination that fits and leaves results as they are".to_owned(),
    };
    let results = if *lossy { "results may change a little" } else { "results stay as they are" };
    wrapped(&format!("{start}: {}", changes.join(" ")), 2) + &wrapped(&format!("{}; {results}.", peak(effect, unit)), 2)
}

/// Why a combination is only tight.
fn why_tight(plan: Option<&Plan>) -> &'static str {
    match plan.and_then(|plan| words::by_host_memory(Verdict::Tight, &plan.effect.scenario)) {
        Some(_) => "Tight in host memory",
        None => "Tight, may fail by fragmentation",
    }
}

/// What a combination comes to.
fn peak(effect: &Effect, unit: ByteUnit) -> String {
    let kept = host::of(&effect.scenario).map_or_else(String::new, |host| {
        format!(
            "; the processes of {} keep {} in host memory",
            words::gpus(host.ranks),
            words::size(host.least(), unit)
        )
    });
    format!(
        "Peak {}, {} {}{kept}; it {} on {}",
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
