//! `memory-wall compare`: the plans of a file side by side.

mod text;

use std::ffi::{OsStr, OsString};

use memory_wall_core::display::ByteUnit;
use memory_wall_core::units::SignedBytes;
use memory_wall_core::{Bucket, Bytes, Verdict};
use memory_wall_plan::answers::{Answers, Spending};
use memory_wall_plan::reply::Reply;
use memory_wall_plan::{OPTIONS, Plan, PlanOption, Value};

use crate::options::Given;
use crate::request::Request;
use crate::text::{quote, shortened};
use crate::{Answer, BadInput, Exit, LONGEST_LINE, estimate, json, plan, runtime, values, words};

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
    told: Result<Reply, String>,
    /// Options that change nothing, and what else `estimate` remarks.
    notes: Vec<String>,
}

impl Column {
    fn of(plan: &Plan, asked: &Asked) -> Self {
        let mut notes = Vec::new();
        let told = told(plan, asked, &mut notes).map_err(|BadInput(why)| shortened(&why, LONGEST_LINE));
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

    /// What is said to it.
    pub(crate) fn reply(&self) -> Option<&Reply> {
        self.told.as_ref().ok()
    }

    /// What the engine says.
    pub(crate) fn answers(&self) -> Option<&Answers> {
        self.reply()?.answers()
    }

    /// Why there is no answer.
    pub(crate) fn refusal(&self) -> Option<&str> {
        self.told.as_ref().err().map(String::as_str)
    }

    /// What else is remarked.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Whether it fits; nothing without a GPU or an answer.
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        self.reply()?.verdict()
    }

    /// The same in words, with the reason.
    pub(crate) fn reason(&self, unit: ByteUnit) -> String {
        match &self.told {
            Ok(reply) => runtime::reason(reply, unit).unwrap_or_else(|| of_engine(reply, unit)),
            Err(why) => format!("refused: {why}"),
        }
    }

    /// What a part of the memory takes, or all of it.
    pub(crate) fn bytes(&self, bucket: Option<Bucket>) -> Option<Bytes> {
        let evaluation = &self.answers()?.evaluation;
        Some(bucket.map_or(evaluation.total, |bucket| evaluation.bytes(bucket)))
    }

    /// What an option comes to; nothing where it changes nothing. What was refused is shown as it was asked for.
    pub(crate) fn value(&self, option: &PlanOption) -> Option<Value> {
        let said = || self.plan.get(option.name).cloned();
        match (self.reply(), self.plan.scenario()) {
            (Some(reply), _) => self.plan.value(option, reply.scenario()),
            (None, Some(unchecked)) => said().or_else(|| self.plan.value(option, &unchecked)),
            (None, None) => said(),
        }
    }

    fn exit(&self) -> Exit {
        if self.told.is_err() { Exit::Refused } else { Exit::of(self.verdict()) }
    }
}

/// What the engine says to a plan, in words.
fn of_engine(reply: &Reply, unit: ByteUnit) -> String {
    let verdict = |answers: &Answers| {
        let stage = answers.scenario.at_stage(answers.evaluation.stage);
        answers.verdict().map(|verdict| words::verdict(verdict, &stage, unit))
    };
    reply.answers().and_then(verdict).unwrap_or_else(|| "no GPU is named".into())
}

/// As `estimate` reads and answers it.
fn told(plan: &Plan, asked: &Asked, notes: &mut Vec<String>) -> Result<Reply, BadInput> {
    let request = Request::read(&plan::options("estimate", OsStr::new(&asked.path), plan)?, None)?;
    notes.extend_from_slice(&request.notes);
    let (model, scenario) = estimate::asked(&request)?;
    notes.extend(model.remarks(&request, &scenario));
    let Some(runtime) = &request.runtime else {
        return Ok(Reply::Engine(Box::new(Answers::to(scenario, asked.spending))));
    };
    let reply = runtime::reply(runtime, &model, &scenario, asked.spending)?;
    notes.extend(runtime::remarks(&reply));
    Ok(reply)
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
