//! `memory-wall compare`: the plans of a file side by side.

mod text;

use std::ffi::{OsStr, OsString};

use memory_wall_core::display::ByteUnit;
use memory_wall_core::units::SignedBytes;
use memory_wall_core::{Bucket, Bytes, Checked, Verdict};
use memory_wall_plan::answers::{Answers, Spending};
use memory_wall_plan::{OPTIONS, Plan, PlanOption, Scope, Value};
use memory_wall_runtimes::Span;

use crate::options::Given;
use crate::request::Request;
use crate::runtime::{self, Outcome};
use crate::text::{quote, shortened};
use crate::{Answer, BadInput, Exit, LONGEST_LINE, estimate, json, plan, values, words};

/// The most tokens that are trained on, as in the planner.
const MOST_TOKENS: u128 = 1_000_000_000_000_000_000;

/// What is asked for.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The file; what a plan names lies beside it.
    path: OsString,
    plans: Vec<Plan>,
    spending: Spending,
    /// Powers of 1,000 or of 1,024.
    unit: ByteUnit,
    /// For programs.
    json: bool,
}

impl Asked {
    /// Reads the options and the file.
    pub(crate) fn read(given: &Given) -> Result<Self, BadInput> {
        let path = given.raw("--plan").ok_or_else(|| BadInput::new("a file is missing: --plan FILE has the plans"))?;
        let price = values::price(given, "--price")?;
        let tokens = given.text("--tokens").map(|text| tokens(&text)).transpose()?;
        Ok(Self {
            path: path.to_owned(),
            plans: plan::read(path)?,
            spending: Spending { price, tokens },
            unit: values::choice(given, "--unit", &ByteUnit::EACH, ByteUnit::id)?.unwrap_or_default(),
            json: given.has("--json"),
        })
    }
}

fn tokens(text: &str) -> Result<u64, BadInput> {
    let count = values::quantity("--tokens", text)?;
    let count = u64::try_from(count).ok().filter(|count| (1..=MOST_TOKENS).contains(&u128::from(*count)));
    count.ok_or_else(|| BadInput(format!("--tokens {} is outside 1 to 10^18 tokens", quote(text))))
}

/// A plan with what is said to it.
#[derive(Debug)]
pub(crate) struct Column {
    plan: Plan,
    told: Told,
    /// Options that change nothing, and what else `estimate` remarks.
    notes: Vec<String>,
}

/// What is said to a plan.
#[derive(Debug)]
enum Told {
    /// By the engine.
    Engine(Box<Answers>),
    /// By a runtime in `runtimes/`.
    Runtime(Box<Outcome>),
    /// Why nothing is.
    Refused(String),
}

impl Column {
    fn of(plan: &Plan, asked: &Asked) -> Self {
        let mut notes = Vec::new();
        let told =
            told(plan, asked, &mut notes).unwrap_or_else(|BadInput(why)| Told::Refused(shortened(&why, LONGEST_LINE)));
        Self { plan: plan.clone(), told, notes }
    }

    /// What the plan is called; may be empty.
    pub(crate) fn name(&self) -> &str {
        &self.plan.name
    }

    /// What stands for the plan in a text.
    fn title(&self) -> &str {
        if self.plan.name.is_empty() { "unnamed" } else { &self.plan.name }
    }

    /// What the engine says.
    pub(crate) fn answers(&self) -> Option<&Answers> {
        match &self.told {
            Told::Engine(answers) => Some(answers),
            _ => None,
        }
    }

    /// The answer of a runtime in `runtimes/`.
    pub(crate) fn outcome(&self) -> Option<&Outcome> {
        match &self.told {
            Told::Runtime(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Why there is no answer.
    pub(crate) fn refusal(&self) -> Option<&str> {
        match &self.told {
            Told::Refused(why) => Some(why),
            _ => None,
        }
    }

    /// What else is remarked.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The run, where it goes together.
    pub(crate) fn scenario(&self) -> Option<&Checked> {
        match &self.told {
            Told::Engine(answers) => Some(&answers.scenario),
            Told::Runtime(outcome) => Some(&outcome.scenario),
            Told::Refused(_) => None,
        }
    }

    /// Whether it fits; nothing without a GPU or an answer.
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        self.answers().and_then(Answers::verdict).or(self.outcome().map(|outcome| outcome.verdict))
    }

    /// The same in words, with the reason.
    pub(crate) fn reason(&self, unit: ByteUnit) -> String {
        match &self.told {
            Told::Engine(answers) => match answers.verdict() {
                Some(verdict) => words::verdict(verdict, &answers.scenario.at_stage(answers.evaluation.stage), unit),
                None => "no GPU is named".into(),
            },
            Told::Runtime(outcome) => outcome.why.clone(),
            Told::Refused(why) => format!("refused: {why}"),
        }
    }

    /// GPUs in all.
    pub(crate) fn gpus(&self) -> Option<u64> {
        self.answers().map(|it| it.gpus).or(self.outcome().map(|it| it.gpus))
    }

    /// What the fullest GPU needs.
    pub(crate) fn needed(&self) -> Option<Span> {
        let placed = || self.outcome().and_then(|it| it.fullest).map(|(needed, _)| needed);
        self.answers().map(|it| Span::exactly(it.evaluation.total.0)).or_else(placed)
    }

    /// What a GPU has.
    pub(crate) fn capacity(&self) -> Option<Bytes> {
        let placed = || self.outcome().and_then(|it| it.fullest).map(|(_, capacity)| capacity);
        self.answers().and_then(|it| it.evaluation.fit).map(|fit| fit.capacity).or_else(placed)
    }

    /// What the fullest GPU has to spare; of a range, at least.
    pub(crate) fn spare(&self) -> Option<SignedBytes> {
        let least = || self.outcome().and_then(|it| it.spare);
        self.answers().and_then(|it| it.evaluation.fit).map(|fit| fit.margin).or_else(least)
    }

    /// Tokens in the pools of all data-parallel ranks together.
    pub(crate) fn pool(&self) -> Option<Span> {
        let all = |it: &Answers| {
            let ranks = u128::from(it.scenario.parallel.dp);
            it.start.map(|start| Span::exactly(start.pool.tokens * ranks))
        };
        self.answers().and_then(all).or(self.outcome().and_then(|it| it.pool))
    }

    /// Tokens that all sequences together write in a second, fewest first.
    pub(crate) fn written(&self) -> Option<[f64; 2]> {
        let served = || self.answers().and_then(|it| it.served).map(|served| worst_first(served.in_all));
        served().or(self.outcome().and_then(|it| it.written))
    }

    /// What a part of the memory takes, or all of it.
    pub(crate) fn bytes(&self, bucket: Option<Bucket>) -> Option<Bytes> {
        let evaluation = &self.answers()?.evaluation;
        Some(bucket.map_or(evaluation.total, |bucket| evaluation.bytes(bucket)))
    }

    /// What an option comes to; nothing where it changes nothing.
    pub(crate) fn value(&self, option: &PlanOption) -> Option<Value> {
        let said = || self.plan.get(option.name).cloned();
        if matches!(option.scope, Scope::Model | Scope::Runtime) {
            return said();
        }
        match (self.scenario(), self.plan.scenario()) {
            // Ollama runs as llama.cpp, and a scenario has neither a server with a pool nor its cut of experts.
            (Some(scenario), _) if self.outcome().is_some() && matches!(option.name, "engine" | "ep") => {
                said().or_else(|| option.of(scenario))
            }
            (Some(scenario), _) => option.of(scenario),
            // What was refused is shown as it was asked for.
            (None, Some(unchecked)) => said().or_else(|| option.of(&unchecked)),
            (None, None) => said(),
        }
    }

    fn exit(&self) -> Exit {
        match self.told {
            Told::Refused(_) => Exit::Refused,
            _ => Exit::of(self.verdict()),
        }
    }
}

/// As `estimate` reads and answers it.
fn told(plan: &Plan, asked: &Asked, notes: &mut Vec<String>) -> Result<Told, BadInput> {
    let request = Request::read(&plan::options("estimate", OsStr::new(&asked.path), plan)?, None)?;
    notes.extend_from_slice(&request.notes);
    let (model, scenario) = estimate::asked(&request)?;
    notes.extend(model.remarks(&request, &scenario));
    Ok(match &request.runtime {
        Some(runtime) => {
            Told::Runtime(Box::new(runtime::outcome(runtime, &model, &scenario, &request, notes, asked.unit)?))
        }
        None => Told::Engine(Box::new(Answers::to(scenario, asked.spending))),
    })
}

/// A range that is given with its better end first, the other way round.
pub(crate) const fn worst_first([best, worst]: [f64; 2]) -> [f64; 2] {
    [worst, best]
}

/// An option in which the plans differ, with its value in each.
pub(crate) struct Difference {
    pub(crate) option: &'static PlanOption,
    pub(crate) values: Vec<Option<String>>,
}

/// The options in which the plans differ, in the order of the table.
fn differences(columns: &[Column]) -> Vec<Difference> {
    let all = OPTIONS.iter().map(|option| Difference {
        option,
        values: columns.iter().map(|column| column.value(option).as_ref().map(said)).collect(),
    });
    all.filter(|it| it.values.iter().any(|value| Some(value) != it.values.first())).collect()
}

/// A value in words.
fn said(value: &Value) -> String {
    if *value == Value::On { "on".into() } else { value.to_string() }
}

/// What a part takes more than in the first plan, and how much that is of it; nothing of the first plan itself, or where one of them has no answer.
pub(crate) fn change(columns: &[Column], place: usize, bucket: Option<Bucket>) -> Option<(SignedBytes, Option<f64>)> {
    let first = columns.first().filter(|_| place > 0)?.bytes(bucket)?;
    let change = columns.get(place)?.bytes(bucket)?.minus(first);
    Some((change, (first > Bytes::ZERO).then(|| change.0 as f64 / first.0 as f64)))
}

/// Every plan as `estimate` answers it, and what is different.
pub(crate) fn answer(asked: &Asked) -> Result<Answer, BadInput> {
    let columns: Vec<Column> = asked.plans.iter().map(|plan| Column::of(plan, asked)).collect();
    let differences = differences(&columns);
    let mut notes = idle(&columns, asked.spending);
    let output = if asked.json {
        json::text(&json::compare::Compared::new(&columns, &differences, asked.unit))?
    } else {
        let named = columns.iter().flat_map(|column| column.notes.iter().map(|note| (column.title(), note)));
        notes.extend(named.map(|(title, note)| format!("{title}: {note}")));
        text::text(&columns, &differences, asked.unit)
    };
    let exit = columns.iter().map(Column::exit).max().unwrap_or_default();
    Ok(Answer { output, notes, exit })
}

/// What is asked beside the plans and changes nothing in any of them.
fn idle(columns: &[Column], spending: Spending) -> Vec<String> {
    let answers = || columns.iter().filter_map(Column::answers);
    let priced = |it: &Answers| it.served.is_some() || it.trained.is_some_and(|trained| trained.run.is_some());
    let mut notes = Vec::new();
    if spending.tokens.is_some() && !answers().any(|it| it.trained.is_some()) {
        notes.push("--tokens has no effect here: no plan trains on a GPU".into());
    }
    if spending.price.is_some() && !answers().any(priced) {
        notes.push(
            "--price has no effect here: no plan serves on a GPU, or trains on as many tokens as --tokens says".into(),
        );
    }
    notes
}
