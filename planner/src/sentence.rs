//! What is said of a plan in a sentence: whether it fits and why, and what a change does.

use memory_wall_core::Verdict;
use memory_wall_core::advise::{Effect, Mitigation};
use memory_wall_core::display::{ByteUnit, Grouped, Size};
use memory_wall_core::engines::vllm::{Start, Tightness};
use memory_wall_core::tables::gpus::CapacityBasis;
use memory_wall_core::units::SignedBytes;
use memory_wall_plan::answers::Answers;
use memory_wall_plan::changes::{Change, Fix, differences, told_apart};
use memory_wall_plan::older::{self, Older};
use memory_wall_plan::reply::{Reply, Unanswered};
use memory_wall_plan::runtime::Step;
use memory_wall_plan::{Plan, PlanOption, Value};

use crate::{figures, inputs, runtimes, words};

/// What stands in the place of a verdict where there is none, as an id.
pub(crate) const REFUSED: &str = "refused";
/// The same where no GPU is named.
pub(crate) const OPEN: &str = "open";

/// A verdict: its id for the style sheet, what it is in a few words, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) id: &'static str,
    pub(crate) verdict: String,
    pub(crate) why: String,
}

/// The verdict on a plan.
pub(crate) fn verdict(reply: &Result<Reply, Unanswered>, unit: ByteUnit) -> Said {
    match reply {
        Ok(reply) => {
            let said = match reply {
                Reply::Engine(answers) => of_engine(answers, unit),
                Reply::Layers(layers) => runtimes::layers(layers, unit),
                Reply::Pool(pool) => runtimes::pool(pool),
                Reply::Rollout(rollout) => runtimes::rollout(rollout, unit),
            };
            let beside = [own_gpu(reply), lent(reply, unit), older(reply)].into_iter().flatten();
            Said { why: std::iter::once(said.why).chain(beside).collect::<Vec<_>>().join(" "), ..said }
        }
        Err(Unanswered::NoModel) => said(REFUSED, words::verdict_no_model(), words::verdict_no_model_why().into()),
        Err(Unanswered::Runtime(refused)) if refused.needs_gpu() => {
            said(OPEN, words::verdict_open(), words::verdict_open_runtime().into())
        }
        Err(Unanswered::Contradiction(why)) => refused(&why.to_string()),
        Err(Unanswered::Scenario(why)) => refused(&why.to_string()),
        Err(Unanswered::Runtime(why)) => refused(&why.to_string()),
    }
}

/// What has to be said where the GPU is the reader's own.
fn own_gpu(reply: &Reply) -> Option<String> {
    let scenario = reply.scenario();
    scenario.gpu.filter(|gpu| gpu.is_own())?;
    let untimed = scenario.untimed().filter(|_| !matches!(reply, Reply::Pool(_) | Reply::Rollout(_)));
    let untimed = untimed.map(|missing| words::OwnGpuUntimed { missing: words::OPTION.of(missing.id()) }.text());
    Some([words::own_gpu_capacity().to_owned()].into_iter().chain(untimed).collect::<Vec<_>>().join(" "))
}

/// Of a computer with how much memory a GPU is that borrows it, where the plan does not say what it may take.
fn lent(reply: &Reply, unit: ByteUnit) -> Option<String> {
    let scenario = reply.scenario();
    let gpu = scenario.gpu.filter(|gpu| gpu.capacity_basis == CapacityBasis::Limit && scenario.gpu_memory.is_none())?;
    let (memory, lent) = (gpu.printed_gb.to_string(), Size::new(gpu.capacity, unit).to_string());
    Some(words::VerdictLent { memory: &memory, lent: &lent, field: words::OPTION.of("gpu_memory") }.text())
}

/// Why the release of vLLM before the newest one refuses the plan, and the option with which it accepts it.
fn older(reply: &Reply) -> Option<String> {
    let Reply::Engine(answers) = reply else { return None };
    let Older { release, refusal, accepted_with } = older::refusal(&answers.scenario)?;
    let said = words::VerdictOlder { release: &release.to_string(), refusal: &refusal.to_string() }.text();
    let all = accepted_with.map(|all| all.to_string());
    let mend = all.map(|all| words::VerdictOlderMend { option: words::OPTION.of("ep"), all: &all }.text());
    Some(std::iter::once(said).chain(mend).collect::<Vec<_>>().join(" "))
}

fn refused(why: &str) -> Said {
    said(REFUSED, words::verdict_refused(), sentence(why))
}

fn of_engine(answers: &Answers, unit: ByteUnit) -> Said {
    let size = |bytes: SignedBytes| Size::new(bytes.magnitude(), unit).to_string();
    let Some(fit) = answers.evaluation.fit else {
        let total = Size::new(answers.evaluation.total, unit).to_string();
        return said(OPEN, words::verdict_open(), words::VerdictOpenWhy { total: &total }.text());
    };
    let margin = size(fit.margin);
    let of = words::VERDICT.of(fit.verdict.id());
    let why = match (fit.verdict, answers.start) {
        (Verdict::Fits, None) => words::VerdictFitsWhy { margin: &margin }.text(),
        (Verdict::Fits, Some(_)) => words::VerdictPoolWhy { margin: &margin }.text(),
        (Verdict::Tight, Some(Start { tightness: Some(Tightness::Start(refusal)), .. })) => {
            words::VerdictTightStart { refusal: &refusal.to_string() }.text()
        }
        (Verdict::Tight, Some(Start { tightness: Some(Tightness::Pool), .. })) => words::verdict_tight_pool().into(),
        (Verdict::Tight, Some(Start { tightness: Some(Tightness::Beside { left, pass }), .. })) => {
            words::VerdictTightBeside { left: &size(left), pass: &Size::new(pass, unit).to_string() }.text()
        }
        (Verdict::Tight, _) => words::VerdictTightWhy { margin: &margin }.text(),
        (Verdict::Queues, start) => {
            let ranks = u128::from(answers.scenario.parallel.dp);
            let running = start.map_or(0, |start| start.requests.running);
            let [running, all] =
                [running, answers.scenario.batch].map(|it| Grouped(u128::from(it) * ranks).to_string());
            let wait = words::VerdictQueuesWhy { running: &running, all: &all }.text();
            match start.and_then(|start| start.tightness) {
                Some(Tightness::Start(refusal)) => {
                    wait + " " + &words::VerdictQueuesMay { refusal: &refusal.to_string() }.text()
                }
                _ => wait,
            }
        }
        (Verdict::DoesNotFit, Some(Start { refusal: Some(refusal), .. })) => sentence(&refusal.to_string()),
        (Verdict::DoesNotFit, _) => words::VerdictOverWhy { margin: &margin }.text(),
    };
    said(fit.verdict.id(), of, why)
}

/// A verdict with its reason.
pub(crate) fn said(id: &'static str, verdict: &str, why: String) -> Said {
    Said { id, verdict: verdict.into(), why }
}

/// What a program says, as a sentence: with a capital and a full stop. A name of a program keeps its own letters.
pub(crate) fn sentence(text: &str) -> String {
    let names = ["vLLM", "llama.cpp", "bf16", "fp8", "fp16", "nf4"];
    let mut letters = text.chars();
    let first = if names.iter().any(|name| text.starts_with(name)) {
        letters.next().map(String::from)
    } else {
        letters.next().map(|first| first.to_uppercase().collect())
    };
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// What a change is called.
pub(crate) fn change(change: &Change) -> String {
    let id = match change.fix {
        Fix::One(fix) => fix.id(),
        Fix::Together => "together",
    };
    words::CHANGE.of(id).into()
}

/// The options that a change sets: `weights fp8, tp 4`.
pub(crate) fn options(change: &Change, before: &memory_wall_core::Scenario) -> String {
    set(differences(before, &change.effect.scenario).iter().map(|(option, [_, value])| (*option, value.as_ref())))
}

/// The options in which a plan differs from another one, with what it says: `fit default, ngl 41`.
pub(crate) fn told(before: &Plan, after: &Plan) -> String {
    set(told_apart(before, after).into_iter().map(|(option, [_, value])| (option, value)))
}

/// Options with what they are set to.
fn set<'a>(options: impl Iterator<Item = (&'static PlanOption, Option<&'a Value>)>) -> String {
    let one = |(option, value): (&PlanOption, Option<&Value>)| match value {
        None => format!("{} {}", option.name, words::option_off()),
        Some(Value::On) => option.name.to_owned(),
        Some(value) => format!("{} {}", option.name, inputs::value(option, value)),
    };
    options.map(one).collect::<Vec<_>>().join(", ")
}

/// Whether a plan fits after a change.
pub(crate) fn then(reply: &Reply) -> &'static str {
    reply.verdict().map_or("", |verdict| words::CHANGE_VERDICT.of(verdict.id()))
}

/// What a change of a plan does that its runtime answers.
pub(crate) fn step(step: &Step, unit: ByteUnit) -> String {
    let fits = then(&step.reply);
    let then = match &step.reply {
        Reply::Layers(layers) => runtimes::split(&layers.placement),
        Reply::Pool(pool) => words::PoolRoom { held: &figures::counts(pool.start.held) }.text(),
        Reply::Rollout(rollout) => runtimes::fullest(rollout, unit),
        Reply::Engine(_) => String::new(),
    };
    [fits, &then].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// What a change does.
pub(crate) fn effect(change: &Change, unit: ByteUnit) -> String {
    let Effect { saved, total, verdict, time_ratio, .. } = &change.effect;
    let [bytes, total] = [saved.magnitude(), *total].map(|bytes| Size::new(bytes, unit).to_string());
    let saves = match saved.0 {
        0 => words::ChangeSame { total: &total }.text(),
        1.. => words::ChangeSaves { saved: &bytes, total: &total }.text(),
        _ => words::ChangeAdds { more: &bytes, total: &total }.text(),
    };
    let fits = verdict.map_or("", |verdict| words::CHANGE_VERDICT.of(verdict.id()));
    let timed = change.effect.scenario.untimed().is_none();
    let time = match *time_ratio {
        _ if !timed => "",
        ratio if ratio < 0.95 => words::change_faster(),
        ratio if ratio < 1.05 => words::change_as_fast(),
        ratio if ratio < 1.5 => words::change_slower(),
        _ => words::change_much_slower(),
    };
    // Traffic with the computer's memory is in that time; what its processor needs for the step is not.
    let by_cpu = change.effect.scenario.offload.optimizer
        && matches!(change.fix, Fix::Together | Fix::One(Mitigation::OffloadOptimizer));
    let cpu = if timed && by_cpu { words::change_cpu() } else { "" };
    [fits, &saves, time, cpu].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_core::Engine;
    use memory_wall_core::{KvPrecision, Scenario, WeightFormat};

    #[test]
    fn every_verdict_and_change_has_its_words() {
        for remedy in memory_wall_plan::runtime::Remedy::ALL {
            assert!(!words::CHANGE.of(remedy.id()).is_empty(), "{}", remedy.id());
        }
        for remedy in memory_wall_runtimes::rollout::Remedy::ALL {
            assert!(!words::CHANGE.of(remedy.id()).is_empty(), "{}", remedy.id());
        }
        for verdict in Verdict::ALL {
            assert!(!words::VERDICT.of(verdict.id()).is_empty(), "{}", verdict.id());
            assert!(!words::CHANGE_VERDICT.of(verdict.id()).is_empty(), "{}", verdict.id());
        }
        for fix in Mitigation::ALL {
            assert!(!words::CHANGE.of(fix.id()).is_empty(), "{}", fix.id());
        }
        assert!(!words::CHANGE.of("together").is_empty());
    }

    #[test]
    fn a_change_that_saves_nothing_says_so() {
        let model = memory_wall_core::tables::models::by_id("qwen3.5-27b").unwrap();
        let mut scenario = Scenario { seq_length: 8_192, ..Scenario::new(model.architecture) };
        (scenario.weights, scenario.kv) = (WeightFormat::Int4, KvPrecision::Fp8);
        scenario.serving.engine = Engine::Vllm;
        (scenario.serving.max_num_seqs, scenario.serving.usual_seqs) = (1, false);
        scenario = scenario.on(memory_wall_core::tables::gpus::by_id("rtx3090").unwrap());
        let changes = Change::of(&Plan::default(), &scenario.check().unwrap());
        let larger = changes.iter().find(|change| change.effect.saved.0 == 0).unwrap();
        let said = effect(larger, ByteUnit::Gb);
        assert!(said.contains("as before") && !said.contains("0 B"), "{said}");
    }

    #[test]
    fn of_an_own_gpu_it_is_said_whose_number_counts_and_what_no_speed_follows_from() {
        let said = |query: &str| {
            let plans = crate::link::read(query).0;
            let asked = plans.first().unwrap();
            verdict(&Reply::of(&asked.plan, asked.spending), ByteUnit::Gb)
        };
        let base = "v=1&model=llama-3.1-8b&gpu=own&gpu_memory=24";
        let alone = said(base);
        assert!(alone.id == "fits" && alone.why.contains(words::own_gpu_capacity()), "{}", alone.why);
        assert!(alone.why.contains(words::OPTION.of("gpu_bandwidth")), "{}", alone.why);
        let whole = said(&format!("{base}&gpu_bandwidth=900&gpu_tflops=100"));
        assert!(!whole.why.contains(words::OPTION.of("gpu_bandwidth")), "{}", whole.why);
        let served = said(&format!("{base}&engine=vllm"));
        assert!(served.id == REFUSED && served.why.contains("gpu_capability"), "{}", served.why);
        let empty = said("v=1&model=llama-3.1-8b&gpu=own");
        assert!(empty.id == REFUSED && empty.why.contains("gpu_memory"), "{}", empty.why);
    }

    /// The first plan of a link: what is said of it, and what is said of the changes that help it.
    fn of(query: &str) -> (Said, Vec<(Fix, String)>) {
        let asked = &crate::link::read(query).0[0];
        let reply = Reply::of(&asked.plan, asked.spending);
        let scenario = asked.plan.scenario().unwrap().check().unwrap();
        let changes = Change::of(&asked.plan, &scenario);
        let said = changes.iter().map(|change| (change.fix, effect(change, ByteUnit::Gb))).collect();
        (verdict(&reply, ByteUnit::Gb), said)
    }

    #[test]
    fn what_an_older_release_refuses_is_said() {
        let base = "v=1&model=qwen3-235b-a22b-2507&weights=fp8-block&engine=vllm&gpu=h100-sxm&tp=8&seq=8192";
        let cut = of(base).0;
        assert_eq!(cut.id, "fits");
        assert!(
            cut.why.contains("vLLM 0.28") && cut.why.ends_with(" It accepts it with “Expert parallel” set to 8."),
            "{}",
            cut.why
        );
        for other in ["tp=8&ep=8", "tp=8&engine_version=0.30", "tp=4"] {
            let why = of(&base.replace("tp=8", other)).0.why;
            assert!(!why.contains("0.28"), "{other}: {why}");
        }
    }

    #[test]
    fn of_memory_that_is_lent_it_is_said_how_much_the_computer_has() {
        let base = "v=1&model=qwen3-30b-a3b&weights=q4_k&engine=llamacpp&gpu=m4max&seq=8192";
        let whole = of(base).0;
        assert!(
            whole.id == "fits" && whole.why.contains("128 GB") && whole.why.contains("lends the GPU 115\u{202f}GB"),
            "{}",
            whole.why
        );
        // What a computer with 48 GB lends, three quarters of it.
        let smaller = of(&format!("{base}&gpu_memory=36")).0;
        assert!(smaller.id == "fits" && !smaller.why.contains("128 GB"), "{}", smaller.why);
    }

    #[test]
    fn a_step_on_the_cpu_comes_on_top_of_a_time() {
        let tuned = "v=1&model=llama-3.1-8b&mode=training&gpu=a100-40-sxm&dp=4&zero=3&seq=8192&checkpointing=full";
        let changes = of(tuned).1;
        let (_, said) = changes.iter().find(|(fix, _)| *fix == Fix::One(Mitigation::OffloadOptimizer)).unwrap();
        assert!(said.ends_with(words::change_cpu()), "{said}");
        assert!(changes.iter().any(|(_, said)| !said.contains(words::change_cpu())));
    }

    #[test]
    fn what_the_engine_says_becomes_a_sentence() {
        assert_eq!(sentence("vLLM refuses to start"), "vLLM refuses to start.");
        assert_eq!(sentence("tp 7 does not divide heads 32"), "Tp 7 does not divide heads 32.");
        assert_eq!(sentence(""), ".");
    }
}
