//! The tables of `docs/side-by-side.md`, made from the data so that the page stays true.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use memory_wall_core::display::Grouped;

use super::{Case, Figure, How, ours};

/// The parts of the page that are made, by the kinds of case in them.
const GROUPS: [(&str, &[&str]); 5] = [
    ("kv", &["kv"]),
    ("weights", &["params", "weights"]),
    ("states", &["states"]),
    ("activations", &["act", "logits"]),
    ("pipeline", &["pipeline"]),
];

/// Where each tool is found.
const FOUND: [(&str, &str); 18] = [
    ("DeepSpeed estimator", "https://github.com/deepspeedai/DeepSpeed"),
    ("EleutherAI cookbook", "https://github.com/EleutherAI/cookbook"),
    ("LLM-Viewer", "https://github.com/hahnyuan/LLM-Viewer"),
    ("Megatron-LM", "https://github.com/NVIDIA/Megatron-LM"),
    ("Ultra-Scale Playbook", "https://huggingface.co/spaces/nanotron/ultrascale-playbook"),
    ("ZeRO paper", "https://arxiv.org/abs/1910.02054"),
    ("fitllm", "https://github.com/click6067-ship-it/fitllm-engine"),
    ("gpu-calculator", "https://github.com/vinitvyas09/gpu-calculator"),
    ("gpu_poor", "https://github.com/RahulSChand/gpu_poor"),
    ("hf-mem", "https://github.com/alvarobartt/hf-mem"),
    ("kvcache.io", "https://github.com/mcgrof/kvcache-view"),
    ("llm-analysis", "https://github.com/cli99/llm-analysis"),
    ("llm-d planner", "https://github.com/llm-d-incubation/llm-d-planner"),
    ("llm-inference-calculator", "https://github.com/alexziskind1/llm-inference-calculator"),
    ("llmfit", "https://github.com/AlexsJones/llmfit"),
    ("mlsysim", "https://mlsysbook.ai/mlsysim"),
    ("vLLM", "https://github.com/vllm-project/vllm/issues/34076"),
    ("xtuner llm_calc", "https://github.com/InternLM/xtuner"),
];

/// Each part that is made, by its name.
pub fn parts(cases: &[Case]) -> Vec<(&'static str, String)> {
    let mut parts = vec![("tools", tools(cases))];
    for (name, kinds) in GROUPS {
        let of: Vec<&Case> = cases.iter().filter(|case| kinds.contains(&kind(case))).collect();
        parts.push((name, group(&of)));
    }
    parts
}

fn kind(case: &Case) -> &str {
    case.id.split_once('-').map_or("", |(kind, _)| kind)
}

/// What became of each tool.
fn tools(cases: &[Case]) -> String {
    let mut text = String::from(
        "| Tool | Version | How | Figures | Agree | Differ | Other question |\n|---|---|---|--:|--:|--:|--:|\n",
    );
    let figures = || cases.iter().flat_map(|case| case.figures.iter().map(move |figure| (case, figure)));
    let names: BTreeSet<(String, &str)> =
        figures().map(|(_, figure)| (figure.tool.to_lowercase(), figure.tool.as_str())).collect();
    for (_, name) in names {
        let of: Vec<_> = figures().filter(|(_, figure)| figure.tool == name).collect();
        let count =
            |wanted: &dyn Fn(&Case, &Figure) -> bool| of.iter().filter(|(case, figure)| wanted(case, figure)).count();
        let agree = count(&|case, figure| figure.same_question && figure.agrees(case));
        let other = count(&|_, figure| !figure.same_question);
        let version = of.first().map_or("", |(_, figure)| figure.version.as_str());
        let how = of.first().map_or(How::Run, |(_, figure)| figure.how).id();
        let found = FOUND.iter().find(|(tool, _)| *tool == name).map(|(_, address)| format!("[{name}]({address})"));
        let tool = found.unwrap_or_else(|| name.to_owned());
        let _ = writeln!(
            text,
            "| {tool} | {version} | {how} | {} | {agree} | {} | {other} |",
            of.len(),
            of.len() - agree - other
        );
    }
    text
}

/// A table of cases, and behind it the reasons that it counts.
fn group(cases: &[&Case]) -> String {
    let mut text = String::from(
        "| Case | By hand | Ours | Agree | Differ | Answer another question |\n|---|--:|---|---|---|---|\n",
    );
    let mut reasons: Vec<&str> = Vec::new();
    for case in cases {
        let agree: Vec<&str> = case
            .figures
            .iter()
            .filter(|figure| figure.same_question && figure.agrees(case))
            .map(|figure| figure.tool.as_str())
            .collect();
        let differ = apart(case, &mut reasons, |figure| figure.same_question && !figure.agrees(case));
        let other = apart(case, &mut reasons, |figure| !figure.same_question);
        let _ = writeln!(
            text,
            "| {} | {} {} | {} | {} | {differ} | {other} |",
            case.quantity,
            Grouped(whole(case.hand)),
            case.unit,
            own(case),
            agree.join(", "),
        );
    }
    text.push('\n');
    for (number, reason) in reasons.iter().enumerate() {
        let _ = writeln!(text, "{}. {reason}", number + 1);
    }
    text
}

/// Figures that are not the one asked for: those with one factor and one reason together, the largest factor first.
fn apart<'a>(case: &'a Case, reasons: &mut Vec<&'a str>, wanted: impl Fn(&Figure) -> bool) -> String {
    let mut figures: Vec<&Figure> = case.figures.iter().filter(|figure| wanted(figure)).collect();
    figures.sort_by(|one, other| other.output.total_cmp(&one.output).then_with(|| one.note.cmp(&other.note)));
    let mut cells: Vec<(Vec<&str>, String)> = Vec::new();
    for figure in figures {
        let place = reasons.iter().position(|reason| *reason == figure.note).unwrap_or_else(|| {
            reasons.push(&figure.note);
            reasons.len() - 1
        });
        let said = format!("{} ({})", factor(figure.ratio(case)), place + 1);
        match cells.last_mut() {
            Some((tools, before)) if *before == said => tools.push(&figure.tool),
            _ => cells.push((vec![&figure.tool], said)),
        }
    }
    let cells: Vec<String> = cells.into_iter().map(|(tools, said)| format!("{} {said}", tools.join(", "))).collect();
    cells.join("; ")
}

/// Three digits.
fn factor(ratio: f64) -> String {
    match ratio {
        0.0 => "0".into(),
        _ if ratio >= 10.0 => format!("× {ratio:.1}"),
        _ if ratio >= 1.0 => format!("× {ratio:.2}"),
        _ if ratio >= 0.1 => format!("× {ratio:.3}"),
        _ => format!("× {ratio:.4}"),
    }
}

fn own(case: &Case) -> String {
    match ours(&case.id) {
        None => "none".into(),
        Some(figure) if figure == whole(case.hand) => "equal".into(),
        // Seven digits show any difference.
        Some(figure) => format!("× {:.6}", figure as f64 / case.hand),
    }
}

/// Calculations by hand are whole numbers far below 2^53.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole numbers far below 2^53")]
fn whole(hand: f64) -> u128 {
    hand as u128
}
