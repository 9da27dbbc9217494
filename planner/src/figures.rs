//! The figures of a plan in words, a row each: what the page shows, and what is copied as a table.

use memory_wall_app::figures::money;
use memory_wall_core::bounds;
use memory_wall_core::display::{ByteUnit, Count, Duration, Grouped, Margin, Percent, Size};
use memory_wall_core::units::Seconds;
use memory_wall_plan::answers::{Run, Trained};
use memory_wall_plan::reply::Reply;
use memory_wall_plan::runtime::Rollout;
use memory_wall_plan::typical::Typical;
use memory_wall_runtimes::Span;
use memory_wall_runtimes::rollout::Moment;

use crate::words;

/// A figure of a plan.
pub(crate) struct Figure {
    /// Its name, by which it has its words.
    pub(crate) id: &'static str,
    /// What it says of a plan; nothing where it has no meaning.
    of: fn(&Reply, ByteUnit) -> Option<String>,
}

/// Figures that belong together.
pub(crate) struct Group {
    /// Its name, by which it has its words.
    pub(crate) id: &'static str,
    /// Its rows.
    pub(crate) figures: &'static [Figure],
}

/// Every figure.
pub(crate) static GROUPS: &[Group] = &[
    Group {
        id: "memory",
        figures: &[
            Figure { id: "gpus", of: |it, _| Some(Grouped(it.gpus().into()).to_string()) },
            Figure { id: "total", of: |it, unit| Some(sizes(it.needed()?, unit)) },
            Figure { id: "capacity", of: |it, unit| Some(Size::new(it.capacity()?, unit).to_string()) },
            Figure { id: "spare", of: |it, unit| Some(Margin { bytes: it.spare()?, unit }.to_string()) },
            Figure { id: LONGEST, of: |it, _| quick(it).and_then(longest) },
            Figure { id: SEQUENCES, of: |it, _| quick(it).and_then(sequences) },
            Figure {
                id: "token",
                of: |it, unit| match it {
                    Reply::Engine(it) if it.scenario.mode.trains() => None,
                    Reply::Engine(it) => Some(Size::new(it.evaluation.kv_bytes_per_token, unit).to_string()),
                    Reply::Layers(_) | Reply::Rollout(_) => None,
                    Reply::Pool(it) => Some(sizes(it.start.token, unit)),
                },
            },
            Figure { id: "pool", of: |it, _| it.pool().map(counts) },
            Figure {
                id: "layers",
                of: |it, _| {
                    let Reply::Layers(it) = it else { return None };
                    let [on, all] = [it.placement.on_gpus, it.placement.all].map(|it| it.to_string());
                    Some(words::FigureRunningOf { running: &on, all: &all }.text())
                },
            },
            Figure {
                id: "host",
                of: |it, unit| {
                    let Reply::Layers(it) = it else { return None };
                    Some(sizes(it.placement.host.total(), unit))
                },
            },
        ],
    },
    Group {
        id: "rollout",
        figures: &[
            Figure { id: "fullest", of: |it, _| Some(moment(generates(it)?.made.peak().moment).into()) },
            Figure { id: "generate", of: |it, unit| held(it, Moment::Generate, unit) },
            Figure { id: "log_probs", of: |it, unit| held(it, Moment::LogProbs, unit) },
            Figure { id: "trains", of: |it, unit| held(it, Moment::Step, unit) },
            Figure { id: "sync", of: |it, unit| held(it, Moment::Sync, unit) },
            Figure { id: COMPLETION, of: |it, _| quick(it).and_then(completion) },
        ],
    },
    Group {
        id: "serving",
        figures: &[
            Figure {
                id: "running",
                of: |it, _| {
                    let it = match it {
                        Reply::Engine(it) => it,
                        Reply::Layers(_) | Reply::Rollout(_) => return None,
                        Reply::Pool(it) => {
                            let most = Span::new(it.start.held.low, it.start.held.high);
                            let at_once = |held: u128| held.min(it.start.most.into()).min(it.scenario.batch.into());
                            return Some(counts(Span::new(at_once(most.low), at_once(most.high))));
                        }
                    };
                    let ranks = u128::from(it.scenario.parallel.dp);
                    let [running, all] =
                        [it.served?.batch, it.scenario.batch].map(|each| Grouped(u128::from(each) * ranks).to_string());
                    let part = words::FigureRunningOf { running: &running, all: &all }.text();
                    Some(if running == all { all } else { part })
                },
            },
            Figure {
                id: "ttft",
                of: |it, _| {
                    let served = it.answers()?.served?;
                    Some(typically(times(served.service.ttft), served.typical.ttft, |time| {
                        Duration(time.0).to_string()
                    }))
                },
            },
            Figure {
                id: "tpot",
                of: |it, _| {
                    if let Reply::Layers(it) = it {
                        return it.written().and(it.speed).map(|speed| times([speed.least, speed.most]));
                    }
                    let served = it.answers()?.served?;
                    Some(typically(times(served.service.tpot), served.typical.tpot, |time| {
                        Duration(time.0).to_string()
                    }))
                },
            },
            Figure {
                id: "per_user",
                of: |it, _| {
                    if let Reply::Layers(it) = it {
                        return it.written().and(it.speed).map(|speed| money::numbers(speed.tokens_per_second()));
                    }
                    let served = it.answers()?.served?;
                    Some(typically(rates(served.per_user), served.typical.tpot, |time| rate(1.0 / time.0)))
                },
            },
            Figure {
                id: "in_all",
                of: |it, _| {
                    let range = it.written().map(money::numbers)?;
                    let Some(served) = it.answers().and_then(|answers| answers.served) else { return Some(range) };
                    let requests = f64::from(served.batch) * f64::from(it.scenario().parallel.dp);
                    Some(typically(range, served.typical.tpot, |time| rate(requests / time.0)))
                },
            },
            Figure {
                id: "per_million",
                of: |it, _| {
                    let price = match it {
                        Reply::Layers(it) => it.per_million,
                        _ => it.answers()?.served?.per_million,
                    };
                    price.map(money::dollar_range)
                },
            },
            Figure {
                id: "energy_per_million",
                of: |it, _| it.answers()?.served?.energy_per_million.map(money::watt_hours),
            },
        ],
    },
    Group {
        id: "training",
        figures: &[
            Figure { id: "step", of: |it, _| Some(times(trained(it)?.step)) },
            Figure { id: "rate", of: |it, _| Some(rates(trained(it)?.rate)) },
            Figure {
                id: "mfu",
                of: |it, _| {
                    let [best, worst] = trained(it)?.mfu.map(|share| Percent(share).to_string());
                    Some(range(&worst, &best))
                },
            },
            Figure { id: "tokens", of: |it, _| Some(Count(run(it)?.tokens).to_string()) },
            Figure { id: "lasts", of: |it, _| Some(money::lasts(run(it)?.seconds)) },
            Figure { id: "gpu_hours", of: |it, _| Some(money::numbers(run(it)?.gpu_hours)) },
            Figure { id: "price", of: |it, _| Some(money::dollar_range(run(it)?.price?)) },
            Figure { id: "energy", of: |it, _| Some(money::watt_hours(run(it)?.energy?)) },
        ],
    },
];

const LONGEST: &str = "longest";
const SEQUENCES: &str = "sequences";
const COMPLETION: &str = "completion";

/// Every figure, in the order of its group.
pub(crate) fn all() -> impl Iterator<Item = &'static Figure> {
    GROUPS.iter().flat_map(|group| group.figures)
}

/// Every figure of a plan, in the order of [`all`]; empty where it has no meaning, or is one of those that [`slow`] has.
pub(crate) fn texts(reply: Option<&Reply>, unit: ByteUnit) -> Vec<String> {
    all().map(|figure| reply.and_then(|reply| (figure.of)(reply, unit)).unwrap_or_default()).collect()
}

/// A reply whose largest inputs are known at once. Those of llama.cpp are searched for by placing all layers anew, and those of a trainer that generates
/// by adding up its moments.
fn quick(reply: &Reply) -> Option<&Reply> {
    (!matches!(reply, Reply::Layers(_) | Reply::Rollout(_))).then_some(reply)
}

fn generates(reply: &Reply) -> Option<&Rollout> {
    match reply {
        Reply::Rollout(rollout) => Some(rollout),
        _ => None,
    }
}

/// What lies on a GPU at a moment of a step.
fn held(reply: &Reply, moment: Moment, unit: ByteUnit) -> Option<String> {
    let held = generates(reply)?.made.moments.into_iter().find(|held| held.moment == moment)?;
    Some(sizes(held.total(), unit))
}

/// What a moment of a step is called.
pub(crate) fn moment(moment: Moment) -> &'static str {
    words::MOMENT.of(moment.id())
}

fn completion(reply: &Reply) -> Option<String> {
    Some(at_most(generates(reply)?.longest_completion()?.into(), bounds::SEQ_LENGTH.max.into()))
}

/// The figures that take longer, with their places in [`all`].
pub(crate) fn slow(reply: &Reply) -> Vec<(usize, String)> {
    if quick(reply).is_some() {
        return Vec::new();
    }
    let of = |figure: &Figure| match figure.id {
        LONGEST => longest(reply),
        SEQUENCES => sequences(reply),
        COMPLETION => completion(reply),
        _ => None,
    };
    all().enumerate().filter_map(|(at, figure)| Some((at, of(figure)?))).collect()
}

fn longest(reply: &Reply) -> Option<String> {
    Some(at_most(reply.longest()?.into(), bounds::SEQ_LENGTH.max.into()))
}

fn sequences(reply: &Reply) -> Option<String> {
    let ranks = u64::from(reply.scenario().parallel.dp);
    Some(at_most(reply.most_sequences()?, u64::from(bounds::BATCH.max) * ranks))
}

fn trained(reply: &Reply) -> Option<Trained> {
    reply.answers()?.trained
}

fn run(reply: &Reply) -> Option<Run> {
    trained(reply)?.run
}

/// A size from least to most.
pub(crate) fn sizes(span: Span, unit: ByteUnit) -> String {
    let [from, to] = span.ends().map(|bytes| Size::new(bytes, unit).to_string());
    range(&from, &to)
}

/// A count from least to most.
pub(crate) fn counts(span: Span) -> String {
    let [from, to] = [span.low, span.high].map(|count| Grouped(count).to_string());
    range(&from, &to)
}

/// The answer to "how much at most".
fn at_most(found: u64, most: u64) -> String {
    let number = Grouped(found.into()).to_string();
    match found {
        0 => words::figure_none().into(),
        _ if found == most => words::FigureAtLeast { n: &number }.text(),
        _ => number,
    }
}

/// Times from the least on.
fn times(ends: [Seconds; 2]) -> String {
    let [from, to] = ends.map(|end| Duration(end.0).to_string());
    range(&from, &to)
}

/// A range with what runs like it typically took, where some were measured.
fn typically(range: String, typical: Option<Typical>, say: impl Fn(Seconds) -> String) -> String {
    let Some(Typical { time, runtime, .. }) = typical else { return range };
    words::FigureTypical { range: &range, typical: &say(time), program: runtime.id() }.text()
}

/// A rate as ranges have it.
fn rate(value: f64) -> String {
    money::numbers([value, value])
}

/// Rates, given with the best first, from the least on.
fn rates([best, worst]: [f64; 2]) -> String {
    money::numbers([worst, best])
}

fn range(from: &str, to: &str) -> String {
    if from == to { from.into() } else { words::FigureRange { from, to }.text() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    #[test]
    fn every_figure_and_group_has_its_words() {
        for group in GROUPS {
            assert!(!words::GROUP.of(group.id).is_empty(), "{}", group.id);
        }
        for figure in all() {
            assert!(!words::FIGURE.of(figure.id).is_empty(), "{}", figure.id);
        }
        for each in Moment::ALL {
            assert!(!moment(*each).is_empty(), "{}", each.id());
        }
    }

    #[test]
    fn the_plans_that_the_page_begins_with_say_something() {
        let board = Board::default();
        let running = |place: usize| {
            let asked = &board.sheets()[place].asked;
            let reply = Reply::of(&asked.plan, asked.spending).unwrap();
            let texts = texts(Some(&reply), ByteUnit::Gb);
            let at = all().position(|figure| figure.id == "running").unwrap();
            texts[at].clone()
        };
        assert_eq!([running(0), running(1), running(2)], ["1 of 32", "26 of 32", "32"]);
    }

    #[test]
    fn a_step_that_generates_has_a_row_for_each_moment() {
        let query = "v=1&model=qwen2.5-7b&mode=training&gpu=h100-sxm&dp=8&zero=3&batch=4&seq=1024&rl=grpo";
        let asked = &crate::link::read(query).0[0];
        let reply = Reply::of(&asked.plan, asked.spending).unwrap();
        let texts = texts(Some(&reply), ByteUnit::Gb);
        let at = |id: &str| all().position(|figure| figure.id == id).unwrap();
        let said = |id: &str| &*texts[at(id)];
        assert_eq!((said("fullest"), said("trains")), (moment(Moment::Step), said("total")));
        for id in ["generate", "log_probs", "sync"] {
            assert!(said(id).ends_with("GB") && said(id) != said("trains"), "{id} {}", said(id));
        }
        // What is searched for comes later, and no time is said.
        assert_eq!([said("completion"), said("sequences"), said("longest"), said("step"), said("rate")], [""; 5]);
        let slow: Vec<_> = slow(&reply).into_iter().map(|(place, _)| place).collect();
        assert_eq!(slow, [at("sequences"), at("completion")]);
        // A run that generates nothing has none of these rows.
        let plain = &crate::link::read(&query.replace("&rl=grpo", "")).0[0];
        let texts = super::texts(Reply::of(&plain.plan, plain.spending).as_ref().ok(), ByteUnit::Gb);
        assert!(texts[at("fullest")..=at("completion")].iter().all(String::is_empty), "{texts:?}");
    }

    #[test]
    fn a_typical_value_stands_where_runs_back_one() {
        let of = |query: &str, id: &str| {
            let asked = &crate::link::read(query).0[0];
            let reply = Reply::of(&asked.plan, asked.spending).unwrap();
            texts(Some(&reply), ByteUnit::Gb)[all().position(|figure| figure.id == id).unwrap()].clone()
        };
        let base = "v=1&model=llama-3.1-8b&gpu=rtx4090&seq=4096&weights=";
        for id in ["ttft", "tpot", "per_user", "in_all"] {
            let measured = of(&format!("{base}q4_0&engine=llamacpp"), id);
            assert!(measured.contains("; typically ") && measured.ends_with("(llama.cpp)"), "{measured}");
            // Neither this format, nor this program, nor several GPUs were measured so.
            for other in ["q6_k&engine=llamacpp", "fp8&engine=vllm", "q4_0&engine=llamacpp&tp=2"] {
                let range = of(&format!("{base}{other}"), id);
                assert!(!range.contains("typically"), "{other}: {range}");
            }
        }
    }
}
