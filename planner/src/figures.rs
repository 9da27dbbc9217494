//! The figures of a plan in words, a row each: what the page shows, and what is copied as a table.

use memory_wall_app::figures::money;
use memory_wall_core::bounds;
use memory_wall_core::display::{ByteUnit, Count, Duration, Grouped, Margin, Percent, Size};
use memory_wall_core::units::Seconds;
use memory_wall_plan::answers::{Answers, Run, Served, Trained};

use crate::words;

/// A figure of a plan.
pub(crate) struct Figure {
    /// Its name, by which it has its words.
    pub(crate) id: &'static str,
    /// What it says of a plan; nothing where it has no meaning.
    of: fn(&Answers, ByteUnit) -> Option<String>,
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
            Figure { id: "gpus", of: |it, _| Some(Grouped(it.gpus.into()).to_string()) },
            Figure { id: "total", of: |it, unit| Some(Size::new(it.evaluation.total, unit).to_string()) },
            Figure {
                id: "capacity",
                of: |it, unit| it.evaluation.fit.map(|fit| Size::new(fit.capacity, unit).to_string()),
            },
            Figure {
                id: "spare",
                of: |it, unit| it.evaluation.fit.map(|fit| Margin { bytes: fit.margin, unit }.to_string()),
            },
            Figure { id: "longest", of: |it, _| Some(at_most(it.longest()?.into(), bounds::SEQ_LENGTH.max.into())) },
            Figure {
                id: "sequences",
                of: |it, _| {
                    let ranks = u64::from(it.scenario.parallel.dp);
                    Some(at_most(it.most_sequences()?, u64::from(bounds::BATCH.max) * ranks))
                },
            },
            Figure {
                id: "token",
                of: |it, unit| {
                    let inference = !it.scenario.mode.trains();
                    inference.then(|| Size::new(it.evaluation.kv_bytes_per_token, unit).to_string())
                },
            },
            Figure {
                id: "pool",
                of: |it, _| {
                    let ranks = u128::from(it.scenario.parallel.dp);
                    it.start.map(|start| Grouped(start.pool.tokens * ranks).to_string())
                },
            },
        ],
    },
    Group {
        id: "serving",
        figures: &[
            Figure {
                id: "running",
                of: |it, _| {
                    let ranks = u128::from(it.scenario.parallel.dp);
                    let [running, all] =
                        [it.served?.batch, it.scenario.batch].map(|each| Grouped(u128::from(each) * ranks).to_string());
                    let part = words::FigureRunningOf { running: &running, all: &all }.text();
                    Some(if running == all { all } else { part })
                },
            },
            Figure { id: "ttft", of: |it, _| Some(times(it.served?.service.ttft)) },
            Figure { id: "tpot", of: |it, _| Some(times(it.served?.service.tpot)) },
            Figure { id: "per_user", of: |it, _| Some(rates(it.served?.per_user)) },
            Figure { id: "in_all", of: |it, _| Some(rates(it.served?.in_all)) },
            Figure {
                id: "per_million",
                of: |it, _| it.served.and_then(|Served { per_million, .. }| Some(money::dollar_range(per_million?))),
            },
            Figure {
                id: "energy_per_million",
                of: |it, _| {
                    it.served.and_then(|Served { energy_per_million, .. }| Some(money::watt_hours(energy_per_million?)))
                },
            },
        ],
    },
    Group {
        id: "training",
        figures: &[
            Figure { id: "step", of: |it, _| Some(times(it.trained?.step)) },
            Figure { id: "rate", of: |it, _| Some(rates(it.trained?.rate)) },
            Figure {
                id: "mfu",
                of: |it, _| {
                    let [best, worst] = it.trained?.mfu.map(|share| Percent(share).to_string());
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

/// Every figure, in the order of its group.
pub(crate) fn all() -> impl Iterator<Item = &'static Figure> {
    GROUPS.iter().flat_map(|group| group.figures)
}

/// Every figure of a plan, in the order of [`all`]; empty where it has no meaning.
pub(crate) fn texts(answers: Option<&Answers>, unit: ByteUnit) -> Vec<String> {
    all().map(|figure| answers.and_then(|answers| (figure.of)(answers, unit)).unwrap_or_default()).collect()
}

fn run(answers: &Answers) -> Option<Run> {
    answers.trained.and_then(|Trained { run, .. }| run)
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
    }

    #[test]
    fn the_plans_that_the_page_begins_with_say_something() {
        let board = Board::default();
        let running = |place: usize| {
            let asked = &board.sheets()[place].asked;
            let answers = Answers::of(&asked.plan, asked.spending).unwrap();
            let texts = texts(Some(&answers), ByteUnit::Gb);
            let at = all().position(|figure| figure.id == "running").unwrap();
            texts[at].clone()
        };
        assert_eq!([running(0), running(1), running(2)], ["1 of 32", "26 of 32", "32"]);
    }
}
